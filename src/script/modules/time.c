/* time.c -- the module time. */
#include "modules.h"

#include <math.h>
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

static Value m_process_ns(Vm *vm, const Args *a)
{
    Value s = m_process(vm, a);

    return v_int((int64_t)(s.f * 1e9));
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

/* (year, month, day, hour, minute, second, weekday, day of the year, summer time) and the zone's name and offset */
static Value tm_tuple(Vm *vm, const struct tm *t)
{
    Value v[] = {v_int(t->tm_year + 1900), v_int(t->tm_mon + 1), v_int(t->tm_mday), v_int(t->tm_hour), v_int(t->tm_min),
                 v_int(t->tm_sec), v_int((t->tm_wday + 6) % 7), v_int(t->tm_yday + 1), v_int(t->tm_isdst),
                 v_int(t->tm_gmtoff)};

    return v_obj(sc_tuple_of(vm, v, COUNT(v)));
}

static Value broken_down(Vm *vm, const Args *a, struct tm *(*f)(const time_t *, struct tm *))
{
    double s;
    time_t at;
    struct tm t;

    if (!sc_to_double(vm, a->v[0], &s))
        return NIL;
    if (isnan(s))
        return sc_raise(vm, C_ValueError, "Invalid value NaN (not a number)");
    if (!(fabs(s) < 0x1p62))
        return sc_raise(vm, C_OverflowError, "timestamp out of range for platform time_t");
    at = (time_t)floor(s);
    return f(&at, &t) ? tm_tuple(vm, &t) : sc_raise(vm, C_OverflowError, "timestamp out of range");
}

static Value m_localtime(Vm *vm, const Args *a) { return broken_down(vm, a, localtime_r); }
static Value m_gmtime(Vm *vm, const Args *a) { return broken_down(vm, a, gmtime_r); }

static bool read_tm(Vm *vm, Value v, struct tm *t)
{
    int64_t n[9] = {1970, 1, 1, 0, 0, 0, 0, 1, -1};
    Tuple *u = (Tuple *)v.o;

    if (!sc_is(vm, v, C_tuple) || u->n < 9)
        return sc_fail(vm, C_TypeError, "Tuple or struct_time argument required");
    for (int i = 0; i < 9; i++)
        if (!sc_to_int(vm, u->v[i], &n[i]))
            return false;
    *t = (struct tm){.tm_year = (int)n[0] - 1900, .tm_mon = (int)n[1] - 1, .tm_mday = (int)n[2], .tm_hour = (int)n[3],
                     .tm_min = (int)n[4], .tm_sec = (int)n[5], .tm_wday = (int)(n[6] + 1) % 7, .tm_yday = (int)n[7] - 1,
                     .tm_isdst = (int)n[8]};
    return true;
}

static Value m_mktime(Vm *vm, const Args *a)
{
    struct tm t;

    return read_tm(vm, a->v[0], &t) ? v_float((double)mktime(&t)) : NIL;
}

static Value m_strftime(Vm *vm, const Args *a)
{
    char s[1024];
    struct tm t;
    const char *f = sc_to_cstr(vm, a->v[0], "format");

    if (!f || !read_tm(vm, a->v[1], &t))
        return NIL;
    return v_obj(sc_str_n(vm, s, strftime(s, sizeof s, f, &t)));
}

static const NativeDef functions[] = {
    {"time", m_time, ""}, {"perf_counter", m_perf, ""}, {"monotonic", m_perf, ""},
    {"process_time", m_process, ""}, {"perf_counter_ns", m_perf_ns, ""},
    {"monotonic_ns", m_perf_ns, ""}, {"time_ns", m_time_ns, ""}, {"sleep", m_sleep, "secs"},
    {"_strftime", m_strftime, "format,t"}, {"_localtime", m_localtime, "secs"},
    {"_gmtime", m_gmtime, "secs"}, {"_mktime", m_mktime, "t"}, {"process_time_ns", m_process_ns, ""}, {0},
};

bool open_time(Vm *vm, ScModule *m) { return sc_module_natives(vm, m, functions); }

