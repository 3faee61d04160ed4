/* machine.c -- what the machine offers: instruction set, cores, clock. */
#include "base.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

static const char *const isa_names[ISA_COUNT] = {"base", "avx2", "avx512"};

const char *isa_name(Isa isa)
{
    return (unsigned)isa < ISA_COUNT ? isa_names[isa] : "unknown";
}

/* best, or what wish names if that is lower. Anything else in wish is ignored. */
Isa isa_lowered(Isa best, const char *wish)
{
    int i;

    for (i = 0; wish && i < (int)best; i++)
        if (strcmp(wish, isa_names[i]) == 0)
            return (Isa)i;
    return best;
}

/* The compiler's check includes the operating system's support of the wide registers. */
static Isa detect_isa(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return ISA_BASE;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
        return ISA_AVX512;
    return ISA_AVX2;
#else
    return ISA_BASE;
#endif
}

/* Found once; every thread that looks finds the same, so no lock. */
Isa cpu_isa(void)
{
    static _Atomic int known; /* 1 + isa, 0: not yet */
    int isa = atomic_load_explicit(&known, memory_order_relaxed);

    if (isa == 0) {
        isa = 1 + (int)isa_lowered(detect_isa(), getenv("WEFT_ISA"));
        atomic_store_explicit(&known, isa, memory_order_relaxed);
    }
    return (Isa)(isa - 1);
}

/* By the processor's own account (model and features; not which core is asked), and by
 * what the system lets programs use. */
uint64_t cpu_features(void)
{
    uint64_t h = hash_mix(hash_mix(1, getauxval(AT_HWCAP)), getauxval(AT_HWCAP2));

#if defined(__x86_64__)
    for (unsigned leaf = 1; leaf <= 7; leaf += 6) {
        unsigned a, b, c, d;

        if (!__get_cpuid_count(leaf, 0, &a, &b, &c, &d))
            continue;
        if (leaf == 1)
            b = 0; /* the number of the core */
        h = hash_mix(hash_mix(h, (uint64_t)a << 32 | b), (uint64_t)c << 32 | d);
    }
#endif
    return hash_mix(h, (uint64_t)cpu_isa());
}

/* The cores this process may run on, not those the machine has. */
int cpu_count(void)
{
    long n = 0;
#if defined(__linux__)
    cpu_set_t set;

    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        n = CPU_COUNT(&set);
#endif
    if (n < 1)
        n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > 1024 ? 1024 : (int)n;
}

double clock_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
