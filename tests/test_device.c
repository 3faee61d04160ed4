/* test_device.c -- programs and arrays on devices that the host cannot read and that do
 * their work late: results are those of the host, bit by bit, whichever steps the device
 * has kernels for; and whatever fails there is an error, not a wrong number. */
#include "lib_device.h"
#include "lib_random.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const case_files[] = {"contract", "control", "effect", "index",
                                         "linalg",   "map",     "random", "reduce",
                                         "shape",    "sort",    "window"};

static wf_array *f32_array(wf_ctx *cx, int64_t n, double first, double step)
{
    wf_array *a = NULL;

    if (wf_array_new(cx, WF_F32, &n, 1, &a) == WF_OK)
        for (int64_t i = 0; i < n; i++)
            ((float *)wf_array_data(a))[i] = (float)(first + step * (double)i);
    return a;
}

static wf_status parse_into(wf_ctx *cx, const char *text, const Program **out)
{
    API_ENTER(cx);
    *out = program_retain(parse_lines(cx, text));
    API_RETURN(cx);
}

static const Program *parse(wf_ctx *cx, const char *text)
{
    const Program *p = NULL;

    if (parse_into(cx, text, &p) != WF_OK)
        check_fail(__FILE__, __LINE__, "%s", wf_ctx_message(cx));
    return p;
}

static void release_all(wf_array **a, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        wf_array_release(a[i]);
        a[i] = NULL;
    }
}

/* Bit by bit; b is on a device. */
static bool same_on(wf_ctx *cx, const wf_array *a, wf_array *b)
{
    wf_array *host = NULL;
    size_t n = (size_t)wf_array_count(a) * wf_dtype_size(wf_array_dtype(a));
    bool same;

    if (wf_array_contiguous(cx, b, &host) != WF_OK)
        return false;
    same = wf_array_count(a) == wf_array_count(host) &&
           (!n || !memcmp(wf_array_data(a), wf_array_data(host), n));
    wf_array_release(host);
    return same;
}

/* ---- arrays ---------------------------------------------------------------------------- */

TEST(a_context_without_devices_has_the_host)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_device *d = NULL;
    wf_memory_stats m = {.size = sizeof m};
    wf_array *a = f32_array(cx, 4, 1, 1);

    CHECK_EQ_INT(wf_device_count(cx), 1);
    REQUIRE(wf_device_get(cx, 0, &d) == WF_OK);
    CHECK_STR(wf_device_name(d), "cpu");
    CHECK(wf_device_host_reads(d) && wf_device_ordinal(d) == 0);
    CHECK(wf_array_device(a) == d);
    CHECK(wf_device_memory(cx, d, &m) == WF_OK && m.total > m.free && m.free > 0);
    CHECK(wf_device_sync(cx, d) == WF_OK);
    CHECK_EQ_INT(wf_device_get(cx, 1, &d), WF_ERR_ARG);
    CHECK_HAS(wf_ctx_message(cx), "device 1, but there is 1");
    CHECK(d == NULL);
    wf_clear(cx);
    CHECK_EQ_INT(wf_device_get(cx, -1, &d), WF_ERR_ARG);
    wf_array_release(a);
    wf_ctx_free(cx);
}

TEST(arrays_go_to_devices_between_them_and_back)
{
    wf_runtime *r = fake_runtime(2, NATIVE_ALL);
    wf_ctx *cx = fake_context(r);
    Fake *one = fake_of(cx, 1), *two = fake_of(cx, 2);
    wf_array *x = f32_array(cx, 1000, 1, 0.5), *a = NULL, *b = NULL, *c = NULL,
             *again = NULL;
    wf_memory_stats m = {.size = sizeof m};

    one->delay = two->delay = 2000;
    CHECK_EQ_INT(wf_device_count(cx), 3);
    CHECK_STR(wf_device_name(&two->device), "fake:1");
    REQUIRE(wf_array_to(cx, x, &one->device, &a) == WF_OK);
    ((float *)wf_array_data(x))[7] =
        0; /* what is on its way is not the caller's any more */
    CHECK(wf_array_data(a) == NULL && wf_array_device(a) == &one->device);
    REQUIRE(wf_array_to(cx, a, &two->device, &b) == WF_OK);
    REQUIRE(wf_array_to(cx, b, &one->device, &c) == WF_OK);
    REQUIRE(wf_array_to(cx, c, &one->device, &again) == WF_OK);
    CHECK(again == c);
    ((float *)wf_array_data(x))[7] = 1 + 7 * 0.5f;
    CHECK(same_on(cx, x, a) && same_on(cx, x, b) && same_on(cx, x, c));
    CHECK_EQ_INT(two->stats.copies_across, 1);
    CHECK_EQ_INT(one->stats.copies_across, 1);
    CHECK(wf_device_memory(cx, &one->device, &m) == WF_OK);
    CHECK_EQ_INT(m.held, 8000);
    CHECK_EQ_INT(m.peak, 8000);
    two->device.put_copy_from = NULL; /* through the host then */
    wf_array_release(b);
    REQUIRE(wf_array_to(cx, a, &two->device, &b) == WF_OK);
    CHECK(same_on(cx, x, b));
    wf_array_release(a);
    wf_array_release(b);
    wf_array_release(c);
    wf_array_release(again);
    wf_array_release(x);
    CHECK(wf_device_sync(cx, &one->device) == WF_OK);
    CHECK(wf_device_memory(cx, &one->device, &m) == WF_OK && m.held == 0 &&
          m.peak == 8000);
    wf_device_sync(cx, &two->device);
    CHECK_EQ_INT(one->stats.blocks + two->stats.blocks, 0);
    wf_ctx_free(cx);
    wf_runtime_release(r);
}

TEST(an_array_outlives_the_context_that_made_it)
{
    wf_runtime *r = fake_runtime(1, NATIVE_ALL);
    wf_ctx *cx = fake_context(r), *other = fake_context(r);
    wf_array *x = f32_array(cx, 100, 1, 0.5), *a = NULL;

    fake_of(cx, 1)->delay = 5000;
    REQUIRE(wf_array_to(cx, x, &fake_of(cx, 1)->device, &a) == WF_OK);
    wf_ctx_free(cx);
    CHECK(same_on(other, x, a));
    wf_runtime_release(r);
    wf_ctx_free(other);
    wf_array_release(a); /* the last to hold the runtime */
    wf_array_release(x);
}

TEST(a_device_without_room_says_what_was_asked_and_what_there_is)
{
    wf_runtime *r = fake_runtime(1, NATIVE_ALL);
    wf_ctx *cx = fake_context(r);
    Fake *f = fake_of(cx, 1);
    wf_array *x = f32_array(cx, 100, 1, 0.5), *a = NULL, *b = NULL;

    f->room = 500;
    REQUIRE(wf_array_to(cx, x, &f->device, &a) == WF_OK);
    CHECK_EQ_INT(wf_array_to(cx, x, &f->device, &b), WF_ERR_MEMORY);
    CHECK_HAS(wf_ctx_message(cx),
              "device 'fake:0' is out of memory: 400 bytes asked for, 100 bytes of 500 bytes free, 400 bytes held");
    wf_clear(cx);
    CHECK(b == NULL && same_on(cx, x, a));
    wf_array_release(a);
    wf_array_release(x);
    wf_ctx_free(cx);
    wf_runtime_release(r);
}

TEST(tensors_on_a_device_are_read_computed_with_there_and_written)
{
    wf_runtime *r = fake_runtime(1, NATIVE_ALL);
    wf_ctx *c = fake_context(r);
    wf_device *d = &fake_of(c, 1)->device, *host = NULL;
    const float v[6] = {1, 2, 3, 4, 5, 6};
    const char *text = NULL;
    float back[6];
    wf_tensor x = wf_from(c, WF_F32, (int64_t[]){2, 3}, 2, v), y, z;

    fake_of(c, 1)->delay = 3000;
    wf_device_get(c, 0, &host);
    CHECK(wf_device_of(c, x) == host);
    y = wf_to_device(c, x, d);
    CHECK(wf_device_of(c, y) == d);
    CHECK(wf_read(c, y, back, sizeof back) == WF_OK && !memcmp(back, v, sizeof v));
    CHECK(wf_text(c, y, WF_STYLE_NUMPY_STR, NULL, &text) == WF_OK);
    CHECK_STR(text, "[[1. 2. 3.]\n [4. 5. 6.]]");
    z = wf_permute(c, y, NULL, 0); /* a view of it */
    CHECK(wf_device_of(c, z) == d);
    CHECK(wf_read(c, z, back, sizeof back) == WF_OK && back[1] == 4 && back[4] == 3);
    z = wf_add(c, y, x);
    CHECK(wf_read(c, z, back, sizeof back) == WF_OK && back[5] == 12);
    z = wf_sum(c, y, NULL, 0, false);
    CHECK(wf_item(c, wf_to_device(c, z, d)) == 21);
    CHECK(wf_device_of(c, wf_to_device(c, y, host)) == host);
    CHECK_EQ_INT(wf_ctx_status(c), WF_OK);
    CHECK(wf_device_of(c, wf_add(c, y, x)) == d && wf_device_of(c, wf_copy(c, y)) == d);
    wf_add_in(c, y, x);
    CHECK(wf_read(c, y, back, sizeof back) == WF_OK && back[5] == 12);
    z = wf_permute(c, y, NULL, 0);
    wf_write(c, z, wf_to_device(c, wf_from(c, WF_F32, (int64_t[]){3, 2}, 2, v), d));
    CHECK(wf_device_of(c, z) == d);
    CHECK(wf_read(c, y, back, sizeof back) == WF_OK && back[1] == 3 && back[3] == 2);
    z = wf_narrow(c, y, 1, 1, 2); /* rows with gaps between */
    wf_fill_in(c, z, 9);
    CHECK(wf_read(c, y, back, sizeof back) == WF_OK && back[0] == 1 && back[2] == 9 && back[3] == 2);
    CHECK_EQ_INT(wf_ctx_status(c), WF_OK);
    wf_ctx_free(c);
    wf_runtime_release(r);
}

/* ---- programs -------------------------------------------------------------------------- */

typedef struct Pair { /* inputs, and results of the host and of the device */
    wf_array *in[64], *need[64], *got[64];
} Pair;

static const char *differs(wf_ctx *cx, const Program *p, Pair *t, wf_status need,
                           wf_status got)
{
    if (need != got)
        return arena_printf(&cx->scratch, "status %d, on the device %d: %s", need, got,
                            wf_ctx_message(cx));
    for (uint32_t j = 0; j < p->nout && need == WF_OK; j++) {
        if (wf_array_device(t->got[j])->host_reads)
            return "a result is on the host";
        if (!same_on(cx, t->need[j], t->got[j]))
            return arena_printf(&cx->scratch, "result %u differs", j);
    }
    return NULL;
}

/* Twice: memory is used again. The second time inputs are on the device, or donated. */
static const char *check_on(wf_ctx *cx, Fake *f, const Program *p, const Nd *nd,
                            bool donate)
{
    Pair t = {0};
    int all[64];
    wf_exec *e = NULL, *d = NULL;
    wf_status need, got;
    const char *why = NULL;

    for (uint32_t i = 0; i < p->nin; i++) {
        all[i] = (int)i;
        wf_array_from(cx, nd[i].dtype, nd[i].dims, (int)nd[i].rank, nd[i].data, &t.in[i]);
    }
    need = wf_eval(cx, p, t.in, wf_program_inputs(p), t.need, wf_program_outputs(p));
    wf_clear(cx);
    wf_prepare_on(cx, p, &f->device, &d);
    if (donate && wf_donate(cx, d, all, (int)p->nin, &e) == WF_OK)
        wf_exec_release(d);
    else
        e = d;
    for (int round = 0; round < 2 && !why; round++) {
        for (uint32_t i = 0; round && i < p->nin; i++) {
            wf_array *there = NULL;

            wf_array_release(t.in[i]);
            wf_array_from(cx, nd[i].dtype, nd[i].dims, (int)nd[i].rank, nd[i].data,
                          &t.in[i]);
            wf_array_to(cx, t.in[i], &f->device, &there);
            wf_array_release(t.in[i]);
            t.in[i] = there;
        }
        got = wf_run(cx, e, t.in, wf_exec_inputs(e), t.got, wf_exec_outputs(e));
        why = differs(cx, p, &t, need, got);
        wf_clear(cx);
        release_all(t.got, p->nout);
    }
    release_all(t.in, p->nin);
    release_all(t.need, p->nout);
    wf_exec_release(e);
    return why;
}

static void check_cases(FakeNative native)
{
    for (int k = 0; k < COUNT(case_files); k++) {
        wf_runtime *r = fake_runtime(1, native);
        Bench b = {.cx = fake_context(r)};
        Case *cases = NULL;
        uint32_t n = 0;
        Rng rng = {9};
        char path[100];

        snprintf(path, sizeof path, "tests/ops/%s.wir", case_files[k]);
        api_enter_(b.cx, &b.region);
        cases_load(b.cx, path, &cases, &n);
        CHECK(n > 0);
        for (uint32_t i = 0; i < n && check_ok(); i++) {
            Region inner;
            const Program *p = cases[i].p;

            api_enter_(b.cx, &inner);
            if (!cases[i].axis && p->nin <= 64 && p->nout <= 64) {
                Nd *in = case_inputs(b.cx, &cases[i], &rng);
                const char *why = check_on(b.cx, fake_of(b.cx, 1), p, in, i % 2);

                if (why)
                    check_fail(__FILE__, __LINE__, "%s: %s", p->name, why);
            }
            wf_clear(b.cx);
            api_leave(b.cx, &inner);
        }
        api_leave(b.cx, &b.region); /* executables go */
        wf_device_sync(b.cx, &fake_of(b.cx, 1)->device);
        CHECK_EQ_INT(fake_of(b.cx, 1)->stats.blocks, 0);
        wf_ctx_free(b.cx);
        wf_runtime_release(r);
    }
}

TEST(every_case_gives_the_same_by_staged_steps) { check_cases(NATIVE_NONE); }
TEST(every_case_gives_the_same_by_the_devices_steps) { check_cases(NATIVE_ALL); }
TEST(every_case_gives_the_same_by_steps_on_both) { check_cases(NATIVE_SOME); }

TEST(random_programs_give_the_same_on_a_slow_device)
{
    wf_runtime *r = fake_runtime(1, NATIVE_SOME);
    wf_ctx *cx = fake_context(r);
    Fake *f = fake_of(cx, 1);

    for (uint64_t seed = 1; seed <= 60 && check_ok(); seed++) {
        Region region;
        Rng rng = {seed};
        const Program *p;
        const char *why;

        f->delay = seed % 3 ? 0 : 100;
        f->native = (FakeNative)(seed % 3);
        api_enter_(cx, &region);
        p = seed % 4 ? random_program(cx, &rng, 4 + (int)(seed % 30), RANDOM_PLAIN)
                     : random_net(cx, &rng, WF_F32, 4);
        if (p && p->nin <= 64 && p->nout <= 64) {
            Case c = case_of(cx, p, seed);
            Nd *nd = case_inputs(cx, &c, &rng);

            why = check_on(cx, f, p, nd, seed % 5 == 0);
            if (why)
                check_fail(__FILE__, __LINE__, "seed %d: %s", (int)seed, why);
        }
        api_leave(cx, &region);
    }
    CHECK(f->stats.steps > 500 && f->stats.copies_out > 500);
    wf_ctx_free(cx);
    wf_runtime_release(r);
}

static const char *const loop = "turn(w: f32[64], x: f32[64]) {\n"
                                "  y = mul w x\n  z = add y w\n  ret z\n}\n"
                                "f(w: f32[64], x: f32[64]) {\n"
                                "  a = scan w x body=turn length=40 nconst=1 ncarry=1\n"
                                "  b = sin a\n  ret b\n}\n";

/* Work that only the device does is never waited for, nor copied. */
TEST(a_run_is_back_before_its_work_is_done)
{
    wf_runtime *r = fake_runtime(1, NATIVE_ALL);
    wf_ctx *cx = fake_context(r);
    Fake *f = fake_of(cx, 1);
    const Program *p = parse(cx, loop);
    wf_array *w = f32_array(cx, 64, 0.1, 0.001), *x = f32_array(cx, 64, 0.2, 0.002),
             *need = NULL, *got = NULL, *in[2] = {NULL};
    wf_exec *e = NULL;
    double start, put, done;
    long before;

    REQUIRE(p);
    REQUIRE(wf_eval(cx, p, (wf_array *[]){w, x}, 2, &need, 1) == WF_OK);
    wf_array_to(cx, w, &f->device, &in[0]);
    wf_array_to(cx, x, &f->device, &in[1]);
    REQUIRE(wf_prepare_on(cx, p, &f->device, &e) == WF_OK);
    CHECK(wf_exec_device(e) == &f->device);
    REQUIRE(wf_run(cx, e, in, wf_exec_inputs(e), &got, 1) == WF_OK);
    wf_array_release(got);
    wf_device_sync(cx, &f->device);
    before = f->stats.copies_in + f->stats.copies_out;
    f->delay = 1000;
    start = clock_seconds();
    REQUIRE(wf_run(cx, e, in, wf_exec_inputs(e), &got, 1) == WF_OK);
    put = clock_seconds() - start;
    CHECK_EQ_INT(f->stats.copies_in + f->stats.copies_out, before);
    CHECK(same_on(cx, need, got));
    done = clock_seconds() - start;
    CHECK(done > 0.08 && put < done / 2); /* 81 steps of a millisecond */
    wf_array_release(got);
    release_all(in, 2);
    wf_array_release(w);
    wf_array_release(x);
    wf_array_release(need);
    wf_exec_release(e);
    program_release(p);
    wf_ctx_free(cx);
    wf_runtime_release(r);
}

/* ---- failures --------------------------------------------------------------------------- */

/* The n-th thing that is put into a queue fails, or its work: an error, and no leak. */
static void check_failing(bool late)
{
    for (long n = 1; n < 60 && check_ok(); n++) {
        wf_runtime *r = fake_runtime(1, NATIVE_SOME);
        wf_ctx *cx = fake_context(r);
        Fake *f = fake_of(cx, 1);
        const Program *p = parse(
            cx,
            "g(x: f32[64]) {; a = sin x; b = cumsum a axis=0; c = mul b x; d = neg c; "
            "e = rev d axes=[0]; ret e, b; }");
        wf_array *x = f32_array(cx, 64, 0.1, 0.001), *out[2] = {NULL}, *host = NULL;
        wf_exec *e = NULL;
        bool failed_run = false;

        REQUIRE(p);
        wf_prepare_on(cx, p, &f->device, &e);
        *(late ? &f->fail_work : &f->fail_put) = n;
        for (int round = 0; round < 2 && !failed_run; round++) {
            release_all(out, 2);
            failed_run = wf_run(cx, e, &x, 1, out, wf_exec_outputs(e)) != WF_OK ||
                         wf_array_contiguous(cx, out[0], &host) != WF_OK;
            wf_array_release(host);
            host = NULL;
        }
        if (failed_run) {
            CHECK_EQ_INT(wf_ctx_status(cx), WF_ERR_DEVICE);
            CHECK_HAS(wf_ctx_message(cx), "device 'fake:0'");
        }
        CHECK(failed_run == atomic_load(&f->lost) || n > 20);
        wf_clear(cx);
        release_all(out, 2);
        wf_exec_release(e);
        CHECK(wf_eval(cx, p, &x, 1, out, wf_program_outputs(p)) ==
              WF_OK); /* the host is as it was */
        release_all(out, 2);
        wf_array_release(x);
        f->device.sync(&f->device, cx->queues->impl);
        CHECK_EQ_INT(f->stats.blocks, 0);
        program_release(p);
        wf_ctx_free(cx);
        wf_runtime_release(r);
    }
}

TEST(a_launch_or_copy_that_fails_is_an_error) { check_failing(false); }
TEST(work_that_fails_later_is_an_error_of_who_waits) { check_failing(true); }

TEST(what_is_wrong_with_a_device_is_said)
{
    wf_runtime *r = fake_runtime(1, NATIVE_ALL);
    wf_ctx *cx = fake_context(r), *other = wf_ctx_new(NULL);
    wf_device *d = &fake_of(cx, 1)->device;
    const Program *p = parse(cx, "f(x: f32[N]) {; y = neg x; ret y; }");
    wf_exec *e = NULL;
    wf_array *a = NULL;

    CHECK_EQ_INT(wf_prepare_on(other, p, d, &e), WF_ERR_ARG);
    CHECK_HAS(wf_ctx_message(other), "'fake:0' is not one of the context's runtime");
    CHECK_EQ_INT(wf_prepare_on(cx, p, NULL, &e), WF_ERR_ARG);
    wf_clear(cx);
    CHECK_EQ_INT(wf_array_to(cx, NULL, d, &a), WF_ERR_ARG);
    wf_ctx_free(other);
    program_release(p);
    wf_ctx_free(cx);
    wf_runtime_release(r);
}

/* ---- several contexts ------------------------------------------------------------------ */

typedef struct Chain {
    wf_runtime *r;
    wf_exec *e, *g;  /* shared, as is */
    wf_array *x, *w; /* on the device; on the host */
    bool ok;
} Chain;

static bool is_at(wf_ctx *cx, wf_array *a, int i, float need)
{
    wf_array *host = NULL;
    bool ok = wf_array_contiguous(cx, a, &host) == WF_OK &&
              ((float *)wf_array_data(host))[i] == need;

    wf_array_release(host);
    return ok;
}

/* Two contexts at once: in the memory of one executable; and the result of the first is
 * the input of the second, and released before that is done with it. */
static void *use_chain(void *arg)
{
    Chain *c = arg;
    wf_ctx *a = fake_context(c->r), *b = fake_context(c->r);
    wf_array *one = NULL, *two = NULL;

    c->ok = true;
    for (int k = 0; k < 10 && c->ok; k++) {
        c->ok = wf_run(a, c->e, &c->x, 1, &one, 1) == WF_OK &&
                wf_run(b, c->e, &c->w, 1, &two, 1) == WF_OK && is_at(a, one, 3, 2 * 60) &&
                is_at(b, two, 3, 20 * 60);
        wf_array_release(one);
        wf_array_release(two);
        one = two = NULL;
        c->ok = c->ok && wf_run(a, c->e, &c->x, 1, &one, 1) == WF_OK &&
                wf_run(b, c->g, &one, 1, &two, 1) == WF_OK;
        wf_array_release(one);
        c->ok = c->ok && is_at(b, two, 3, -2 * 60);
        wf_array_release(two);
        one = two = NULL;
    }
    wf_ctx_free(a);
    wf_ctx_free(b);
    return NULL;
}

static void check_shared(int threads)
{
    wf_runtime *r = fake_runtime(1, NATIVE_ALL);
    wf_ctx *cx = fake_context(r);
    Fake *f = fake_of(cx, 1);
    const Program *p = parse(cx,
                             "f(x: f32[N]) {; y = add x x; z = rev y axes=[0]; ret z; }"),
                  *q = parse(cx, "g(x: f32[N]) {; y = neg x; ret y; }");
    wf_array *x = f32_array(cx, 64, 0, 1), *w = f32_array(cx, 64, 0, 10), *there = NULL;
    pthread_t t[3];
    Chain c[3];
    wf_exec *e = NULL, *g = NULL;

    atomic_store(&f->delay, 300);
    wf_array_to(cx, x, &f->device, &there);
    wf_prepare_on(cx, p, &f->device, &e);
    wf_prepare_on(cx, q, &f->device, &g);
    for (int i = 0; i < threads; i++) {
        c[i] = (Chain){.r = r, .e = e, .g = g, .x = there, .w = w};
        REQUIRE(pthread_create(&t[i], NULL, use_chain, &c[i]) == 0);
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(t[i], NULL);
        CHECK(c[i].ok);
    }
    CHECK(f->stats.joins > 0);
    wf_array_release(there);
    wf_array_release(x);
    wf_array_release(w);
    wf_exec_release(e);
    wf_exec_release(g);
    program_release(p);
    program_release(q);
    wf_device_sync(cx, &f->device);
    wf_ctx_free(cx);
    CHECK_EQ_INT(f->stats.blocks, 0);
    wf_runtime_release(r);
}

TEST(queues_of_two_contexts_wait_for_each_other) { check_shared(1); }
TEST(contexts_on_threads_share_arrays_and_executables_on_a_device) { check_shared(3); }
