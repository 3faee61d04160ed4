/* time.c -- the module time. */
#include "modules.h"

#include <time.h>

static double clock_of(clockid_t id)
{
    struct timespec t;

    clock_gettime(id, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static Value m_time(Vm *vm, const Args *a) { (void)vm; (void)a; return v_float(clock_of(CLOCK_REALTIME)); }
static Value m_perf(Vm *vm, const Args *a) { (void)vm; (void)a; return v_float(clock_seconds()); }

static Value m_process(Vm *vm, const Args *a)
{
    (void)vm;
    (void)a;
    return v_float(clock_of(CLOCK_PROCESS_CPUTIME_ID));
}

static Value m_perf_ns(Vm *vm, const Args *a)
{
    (void)vm;
    (void)a;
    return v_int((int64_t)(clock_seconds() * 1e9));
}

static Value m_time_ns(Vm *vm, const Args *a)
{
    struct timespec t;

    (void)vm;
    (void)a;
    clock_gettime(CLOCK_REALTIME, &t);
    return v_int((int64_t)t.tv_sec * 1000000000 + t.tv_nsec);
}

/* In slices, so that an interrupt is seen. */
static Value m_sleep(Vm *vm, const Args *a)
{
    double s, end;

    if (!sc_to_double(vm, a->v[0], &s))
        return NIL;
    if (s < 0)
        return sc_raise(vm, C_ValueError, "sleep length must be non-negative");
    sc_flush(vm);
    for (end = clock_seconds() + s; !sc_interrupted(vm);) {
        double left = end - clock_seconds();
        struct timespec t;

        if (left <= 0)
            return NONE;
        left = left > 0.05 ? 0.05 : left;
        t.tv_sec = 0;
        t.tv_nsec = (long)(left * 1e9);
        nanosleep(&t, NULL);
    }
    return NIL;
}

static Value m_strftime(Vm *vm, const Args *a)
{
    char s[256];
    time_t now = time(NULL);
    struct tm tm;
    const char *f = sc_to_cstr(vm, a->v[0], "format");

    if (!f)
        return NIL;
    localtime_r(&now, &tm);
    return v_obj(sc_str_n(vm, s, strftime(s, sizeof s, f, &tm)));
}

static const NativeDef functions[] = {
    {"time", m_time, ""}, {"perf_counter", m_perf, ""}, {"monotonic", m_perf, ""},
    {"process_time", m_process, ""}, {"perf_counter_ns", m_perf_ns, ""},
    {"monotonic_ns", m_perf_ns, ""}, {"time_ns", m_time_ns, ""}, {"sleep", m_sleep, "secs"},
    {"strftime", m_strftime, "format"}, {0},
};

bool open_time(Vm *vm, ScModule *m) { return sc_module_natives(vm, m, functions); }
