/* machine.c -- what the machine offers: instruction set, cores, clock. */
#include "base.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
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

/* ---- cores ------------------------------------------------------------------------- */

/* The first two numbers of a file; how many there are. "max" is no number. */
static int read_numbers(const char *path, double v[2])
{
    FILE *f = fopen(path, "re");
    int n = f ? fscanf(f, "%lf %lf", &v[0], &v[1]) : 0;

    if (f)
        fclose(f);
    return MAX(n, 0);
}

/* Quota over period of one group; 0: no limit. */
static double group_cpus(const char *dir, bool unified)
{
    char path[4200];
    double v[2], period[2];

    if (unified) {
        snprintf(path, sizeof path, "%s/cpu.max", dir);
        return read_numbers(path, v) == 2 && v[1] > 0 ? v[0] / v[1] : 0;
    }
    snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", dir);
    if (read_numbers(path, v) < 1 || v[0] <= 0)
        return 0;
    snprintf(path, sizeof path, "%s/cpu.cfs_period_us", dir);
    return read_numbers(path, period) >= 1 && period[0] > 0 ? v[0] / period[0] : 0;
}

/* The least of a group and those around it, up to `top` characters of dir. */
static double least_cpus(char *dir, size_t top, bool unified)
{
    double least = 0;

    for (;;) {
        double n = group_cpus(dir, unified);
        char *slash = strrchr(dir, '/');

        if (n > 0 && (least == 0 || n < least))
            least = n;
        if (!slash || (size_t)(slash - dir) < top)
            return least;
        *slash = 0;
    }
}

/* Is "cpu" one of the names, as in "cpu,cpuacct"? */
static bool lists_cpu(const char *names)
{
    for (const char *s = names; s; s = strchr(s, ',')) {
        s += *s == ',';
        if (strncmp(s, "cpu", 3) == 0 && (!s[3] || s[3] == ','))
            return true;
    }
    return false;
}

/* Lines are "id:controllers:path"; the unified hierarchy has no controllers. Inside a
 * container the path may not exist: then its root has the container's own limit. */
int cgroup_cpus(const char *membership, const char *root)
{
    FILE *f = fopen(membership, "re");
    char line[2048], dir[4100];
    double least = 0;

    while (f && fgets(line, sizeof line, f)) {
        char *names = strchr(line, ':'), *path = names ? strchr(names + 1, ':') : NULL;
        double n;

        if (!path)
            continue;
        *path++ = 0;
        names++;
        path[strcspn(path, "\n")] = 0;
        if (*names && !lists_cpu(names))
            continue;
        snprintf(dir, sizeof dir, "%s%s%s", root, *names ? "/cpu" : "", path);
        n = least_cpus(dir, strlen(root) + (*names ? 4 : 0), !*names);
        if (n > 0 && (least == 0 || n < least))
            least = n;
    }
    if (f)
        fclose(f);
    return least > 0 ? (int)MIN(ceil(least), THREADS_MAX) : 0;
}

int cpu_count(void)
{
    static _Atomic int granted = -1; /* every thread that looks finds the same */
    int share = atomic_load_explicit(&granted, memory_order_relaxed);
    long n = 0;
#if defined(__linux__)
    cpu_set_t set;

    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        n = CPU_COUNT(&set);
    if (share < 0) {
        share = cgroup_cpus("/proc/self/cgroup", "/sys/fs/cgroup");
        atomic_store_explicit(&granted, share, memory_order_relaxed);
    }
#endif
    if (n < 1)
        n = sysconf(_SC_NPROCESSORS_ONLN);
    if (share > 0 && n > share)
        n = share;
    return n < 1 ? 1 : n > THREADS_MAX ? THREADS_MAX : (int)n;
}

/* ---- memory ------------------------------------------------------------------------- */

/* What can be had without swapping: files that the system keeps in unused memory do not count as used. */
size_t memory_available(void)
{
    FILE *f = fopen("/proc/meminfo", "re");
    char line[128];
    unsigned long long kb = 0;
    long pages;

    while (f && kb == 0 && fgets(line, sizeof line, f))
        if (sscanf(line, "MemAvailable: %llu kB", &kb) != 1)
            kb = 0;
    if (f)
        fclose(f);
    if (kb > 0)
        return (size_t)kb * 1024;
    pages = sysconf(_SC_AVPHYS_PAGES);
    return pages > 0 ? (size_t)pages * (size_t)sysconf(_SC_PAGESIZE) : 0;
}

/* ---- clock ------------------------------------------------------------------------- */

double clock_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

const char *cpu_stack_floor(void)
{
    const char *low = NULL;
#if defined(__GLIBC__)
    pthread_attr_t a;
    void *at;
    size_t size;

    if (pthread_getattr_np(pthread_self(), &a) != 0)
        return NULL;
    if (pthread_attr_getstack(&a, &at, &size) == 0 && size >= 1 << 20)
        low = (const char *)at + size / 4;
    pthread_attr_destroy(&a);
#endif
    return low;
}
