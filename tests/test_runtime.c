/* test_runtime.c -- arrays and the interpreter, which must give what the op
 * table's own eval rules give: on every case of tests/ops, in every dtype, for any number
 * of threads.
 */
#include "lib_random.h"
#include "runtime/runtime.h"

#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* ---- running programs on arrays as eval has them ----------------------------------- */

static bool run_interp(wf_ctx *cx, const Program *p, const Nd *in, Nd *out)
{
    wf_array **x = arena_zalloc(&cx->scratch, (p->nin + 1) * sizeof *x);
    wf_array **y = arena_zalloc(&cx->scratch, (p->nout + 1) * sizeof *y);
    bool ok = true;

    for (uint32_t i = 0; i < p->nin && ok; i++)
        ok = wf_array_from(cx, in[i].dtype, in[i].dims, (int)in[i].rank, in[i].data,
                           &x[i]) == WF_OK;
    ok = ok && wf_eval(cx, p, x, wf_program_inputs(p), y, wf_program_outputs(p)) == WF_OK;
    for (uint32_t j = 0; j < p->nout && ok; j++) {
        out[j] = nd_new(cx, wf_array_dtype(y[j]), wf_array_dims(y[j]),
                        (uint32_t)wf_array_rank(y[j]));
        array_copy_out(cx, y[j], out[j].data);
    }
    for (uint32_t i = 0; i < p->nin; i++)
        wf_array_release(x[i]);
    for (uint32_t j = 0; j < p->nout; j++)
        wf_array_release(y[j]);
    return ok;
}

/* As far as results of the dtype may differ from eval's. */
static double tolerance(wf_dtype t)
{
    t = dtype_part(t);
    return t == WF_F16 ? 4e-3 : t == WF_BF16 ? 3e-2 : t == WF_F32 ? 4e-6 : 1e-13;
}

static const char *compare(wf_ctx *cx, const Program *p, const Nd *in)
{
    Nd *got = arena_zalloc(&cx->scratch, (p->nout + 1) * sizeof *got);
    Nd *need = arena_zalloc(&cx->scratch, (p->nout + 1) * sizeof *need);
    wf_status status;

    eval_program(cx, p, in, need, &cx->scratch);
    status = cx->status;
    wf_clear(cx);
    if (run_interp(cx, p, in, got) != (status == WF_OK))
        return arena_printf(&cx->scratch, "eval: %s; run: %s", wf_status_name(status),
                            wf_ctx_message(cx));
    if (cx->status != status)
        return arena_printf(&cx->scratch, "eval fails with %s, the run with %s",
                            wf_status_name(status), wf_ctx_message(cx));
    for (uint32_t j = 0; j < p->nout && status == WF_OK; j++) {
        const char *why = nd_differ(cx, &got[j], &need[j], tolerance(got[j].dtype));
        if (why)
            return arena_printf(&cx->scratch, "result %u: %s", j, why);
    }
    return NULL;
}

/* ---- the case files ---------------------------------------------------------------- */

/* The program with every f64 another float; NULL if there is none, or an op refuses. */
static const Program *with_float(wf_ctx *cx, const Program *p, const char *name)
{
    const Program **ps;
    const char *at, *hit;
    uint32_t n;
    Text before, after;

    text_init(&before, &cx->scratch);
    text_init(&after, &cx->scratch);
    program_print(p, &(PrintOptions){.header = true}, &before);
    if (!strstr(text_str(&before), "f64"))
        return NULL;
    for (at = text_str(&before); (hit = strstr(at, "f64")); at = hit + 3) {
        text_addn(&after, at, (size_t)(hit - at));
        text_add(&after, name);
    }
    text_add(&after, at);
    if (programs_parse(cx, "narrow.wir", text_str(&after), after.n, NULL, &ps, &n))
        return ps[n - 1];
    wf_clear(cx);
    return NULL;
}

static int cases_run;

/* As written, and with every other float. size: of all symbols; -1: as the case says. */
static void check_case(wf_ctx *cx, const char *path, Case *c, Rng *rng, int64_t size)
{
    static const char *const floats[] = {"f64", "f32", "f16", "bf16"};
    const Program *p;
    Nd *in;

    for (uint32_t k = 0; k < c->p->dims.syms.n && size >= 0; k++)
        c->sizes[k] = c->sizes[k] < 0 ? -1 : size;
    if (!case_batch(cx, c)) {
        check_fail(path, 0, "%s: %s", c->p->name, wf_ctx_message(cx));
        return;
    }
    p = c->p;
    for (int k = 0; k < COUNT(floats); k++) {
        const char *why;
        c->p = k ? with_float(cx, p, floats[k]) : p;
        if (!c->p)
            continue;
        cases_run++;
        in = case_inputs(cx, c, rng);
        why = compare(cx, c->p, in);
        if (why)
            check_fail(path, 0, "%s in %s, size %d: %s", c->p->name, floats[k], (int)size,
                       why);
        wf_clear(cx);
    }
}

static void check_file(const char *path, int64_t size)
{
    BENCH_OPEN(b);
    Case *cases = NULL;
    uint32_t n = 0;
    Rng rng = {3};

    if (!cases_load(b.cx, path, &cases, &n))
        check_fail(__FILE__, __LINE__, "%s", wf_ctx_message(b.cx));
    for (uint32_t i = 0; i < n; i++) {
        Region inner;
        api_enter_(b.cx, &inner);
        check_case(b.cx, path, &cases[i], &rng, size);
        wf_clear(b.cx);
        api_leave(b.cx, &inner);
    }
    BENCH_CLOSE(b);
}

static void each_file(void (*fn)(const char *path))
{
    DIR *dir = opendir("tests/ops");
    REQUIRE(dir);
    for (struct dirent *d; (d = readdir(dir));) {
        char path[512];
        if (!strstr(d->d_name, ".wir") || strlen(d->d_name) > 400)
            continue;
        strcpy(path, "tests/ops/");
        strcat(path, d->d_name);
        fn(path);
    }
    closedir(dir);
}

static void check_as_written(const char *path) { check_file(path, -1); }
TEST(every_case_runs_as_eval_does)
{
    cases_run = 0;
    each_file(check_as_written);
    CHECK(cases_run > 500);
}

static void check_empty(const char *path) { check_file(path, 0); }
static void check_single(const char *path) { check_file(path, 1); }
static void check_odd(const char *path) { check_file(path, 7); }
TEST(every_case_runs_as_eval_does_with_symbols_of_size_0) { each_file(check_empty); }
TEST(every_case_runs_as_eval_does_with_symbols_of_size_1) { each_file(check_single); }
TEST(every_case_runs_as_eval_does_with_symbols_of_size_7) { each_file(check_odd); }

/* ---- transforms give programs full of views, reductions and scatters --------------- */

static void check_transforms(const char *path)
{
    BENCH_OPEN(b);
    Case *cases = NULL;
    uint32_t n = 0;
    Rng rng = {5};

    if (!cases_load(b.cx, path, &cases, &n))
        check_fail(__FILE__, __LINE__, "%s", wf_ctx_message(b.cx));
    for (uint32_t i = 0; i < n; i++) {
        Region inner;
        api_enter_(b.cx, &inner);
        if (!cases[i].nograd && !cases[i].axis) {
            Nd *in = case_inputs(b.cx, &cases[i], &rng), *all, *y;
            const Program *p = cases[i].p, *g;
            int *wrt = arena_array(&b.cx->scratch, p->nin + 1, sizeof *wrt), nwrt = 0;
            const char *why = NULL;
            uint32_t k = p->nin;
            for (uint32_t j = 0; j < p->nin; j++)
                if (dtype_is_float(in[j].dtype))
                    wrt[nwrt++] = (int)j;
            g = nwrt ? xf_vjp(b.cx, p, wrt, nwrt) : NULL;
            y = arena_zalloc(&b.cx->scratch, (p->nout + 1) * sizeof *y);
            if (g && eval_program(b.cx, p, in, y, &b.cx->scratch)) {
                all = arena_zalloc(&b.cx->scratch, (g->nin + 1) * sizeof *all);
                memcpy(all, in, p->nin * sizeof *in);
                for (uint32_t j = 0; j < p->nout && k < g->nin; j++)
                    if (dtype_is_float(y[j].dtype))
                        all[k++] = y[j];
                why = compare(b.cx, g, all);
                cases_run++;
            }
            if (why)
                check_fail(path, 0, "vjp of %s: %s", p->name, why);
        }
        wf_clear(b.cx);
        api_leave(b.cx, &inner);
    }
    BENCH_CLOSE(b);
}
TEST(every_reverse_derivative_runs_as_eval_does)
{
    cases_run = 0;
    each_file(check_transforms);
    CHECK(cases_run > 300);
}

/* ---- random programs, and what transforms make of them ----------------------------- */

static Nd *random_inputs(wf_ctx *cx, const Program *p, uint64_t seed)
{
    int64_t *sizes = arena_array(&cx->scratch, p->dims.syms.n + 1, sizeof *sizes);
    InputSpec *spec = arena_zalloc(&cx->scratch, (p->nin + 1) * sizeof *spec);
    Rng rng = {seed};

    for (uint32_t i = 0; i < p->dims.syms.n; i++)
        sizes[i] = p->dims.syms.v[i].origin == SYM_EQN ? -1 : 1 + (int64_t)(seed % 5);
    return case_inputs(cx, &(Case){.p = p, .in = spec, .sizes = sizes}, &rng);
}

/* A program and its derivatives, in f64 and narrower floats. Values are of order 1, so
 * f32 may be far off only where a comparison goes the other way: those are left to f64.
 */
static const char *check_random(wf_ctx *cx, const Program *p, uint64_t seed)
{
    const Program *way[4] = {p, NULL, NULL, NULL};
    int *wrt = arena_array(&cx->scratch, p->nin + 1, sizeof *wrt), n = 0;
    int *axes = arena_zalloc(&cx->scratch, (p->nin + 1) * sizeof *axes);
    const char *why;

    for (uint32_t i = 0; i < p->nin; i++)
        if (val_type(p, i + 1).dtype == WF_F64)
            wrt[n++] = (int)i;
    way[1] = n ? xf_vjp(cx, p, wrt, n) : NULL;
    wf_clear(cx);
    way[2] = p->nin ? xf_vmap(cx, p, axes, NULL, 3, NULL) : NULL;
    wf_clear(cx);
    way[3] = way[1] && way[1]->nin
                 ? xf_vmap(cx, way[1],
                           arena_zalloc(&cx->scratch, way[1]->nin * sizeof(int)), NULL, 2, NULL)
                 : NULL;
    wf_clear(cx);
    for (int i = 0; i < 4; i++) {
        if (!way[i])
            continue;
        why = compare(cx, way[i], random_inputs(cx, way[i], seed));
        wf_clear(cx);
        if (why)
            return arena_printf(
                &cx->scratch, "%s: %s",
                (const char *[]){"as it is", "vjp", "vmap", "vmap of vjp"}[i], why);
    }
    return NULL;
}

TEST(random_programs_run_as_eval_does)
{
    for (uint64_t seed = 1; seed <= 400 && check_ok(); seed++) {
        BENCH_OPEN(b);
        Rng rng = {seed * 77};
        const Program *p = random_program(b.cx, &rng, 5 + (int)(seed % 40),
                                          seed % 7 ? RANDOM_PLAIN : RANDOM_CUSTOM);
        const char *why = p ? check_random(b.cx, p, seed) : wf_ctx_message(b.cx);
        if (why) {
            Text text;
            why = arena_strdup(&b.cx->scratch, why);
            wf_clear(b.cx);
            text_init(&text, &b.cx->scratch);
            if (p)
                program_print(shrink_program(b.cx, p, seed, check_random),
                              &(PrintOptions){0}, &text);
            FAIL("seed %d: %s\n%s", (int)seed, why, text_str(&text));
        }
        wf_clear(b.cx);
        BENCH_CLOSE(b);
    }
}

/* ---- small helpers ----------------------------------------------------------------- */

static wf_status parse_program(wf_ctx *cx, const char *text, const Program **out)
{
    const Program **ps;
    uint32_t n;

    API_ENTER(cx);
    ctx_add_source(cx, "t.wir", text, strlen(text));
    if (programs_parse(cx, "t.wir", text, strlen(text), NULL, &ps, &n))
        *out = program_retain(ps[n - 1]);
    API_RETURN(cx);
}

static const Program *parse_one(wf_ctx *cx, const char *text)
{
    const Program *p = NULL;

    parse_program(cx, text, &p);
    return p;
}

static wf_array *f32_array(wf_ctx *cx, int64_t n, double first, double step)
{
    wf_array *a;

    if (wf_array_new(cx, WF_F32, &n, 1, &a) == WF_OK)
        for (int64_t i = 0; i < n; i++)
            ((float *)wf_array_data(a))[i] = (float)(first + step * (double)i);
    return a;
}

static wf_array *i64_scalar(wf_ctx *cx, int64_t x)
{
    wf_array *a;

    wf_array_from(cx, WF_I64, NULL, 0, &x, &a);
    return a;
}

static float f32_at(const wf_array *a, int64_t i)
{
    return ((const float *)wf_array_data(a))[i];
}

#define RUN_FAILS(cx, text, in, status_, part)                                           \
    do {                                                                                 \
        const Program *p_ = parse_one(cx, text);                                         \
        wf_array *out_[8];                                                               \
        REQUIRE(p_);                                                                     \
        CHECK_EQ_INT(                                                                    \
            wf_eval(cx, p_, in, wf_program_inputs(p_), out_, wf_program_outputs(p_)),    \
            status_);                                                                    \
        CHECK_HAS(wf_ctx_message(cx), part);                                             \
        for (uint32_t j_ = 0; j_ < p_->nout; j_++)                                       \
            CHECK(out_[j_] == NULL);                                                     \
        wf_clear(cx);                                                                    \
        program_release(p_);                                                             \
    } while (0)

/* ---- arrays ------------------------------------------------------------------------ */

static int drops;
static void count_drop(void *owner) { drops += *(int *)owner; }

TEST(a_wrapped_array_reads_the_callers_memory_by_its_strides)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    float data[12];
    int one = 1;
    const int64_t dims[3] = {2, 3, 2}, strides[3] = {0, -2, 1};
    wf_array *a, *c;

    for (int i = 0; i < 12; i++)
        data[i] = (float)i;
    drops = 0;
    REQUIRE(wf_array_wrap(cx, WF_F32, dims, 3, strides, data + 4, count_drop, &one, &a) ==
            WF_OK);
    CHECK_EQ_INT(wf_array_count(a), 12);
    CHECK(wf_array_data(a) == data + 4);
    REQUIRE(wf_array_contiguous(cx, a, &c) == WF_OK);
    CHECK(c != a);
    for (int i = 0; i < 12; i++)
        CHECK(f32_at(c, i) == (float)((int[]){4, 5, 2, 3, 0, 1}[i % 6]));
    wf_array_retain(a);
    wf_array_release(a);
    CHECK_EQ_INT(drops, 0);
    wf_array_release(a);
    CHECK_EQ_INT(drops, 1);
    REQUIRE(wf_array_contiguous(cx, c, &a) == WF_OK);
    CHECK(a == c); /* it is contiguous: the same, retained */
    wf_array_release(a);
    wf_array_release(c);
    wf_ctx_free(cx);
}

TEST(new_arrays_are_zero_and_aligned_to_64_bytes)
{
    wf_ctx *cx = wf_ctx_new(NULL);

    for (int64_t n = 0; n < 200; n += 7) {
        wf_array *a;
        REQUIRE(wf_array_new(cx, WF_I16, &n, 1, &a) == WF_OK);
        CHECK((uintptr_t)wf_array_data(a) % 64 == 0);
        for (int64_t i = 0; i < n; i++)
            CHECK(((int16_t *)wf_array_data(a))[i] == 0);
        CHECK_EQ_INT(wf_array_strides(a)[0], 1);
        wf_array_release(a);
    }
    wf_ctx_free(cx);
}

TEST(wrong_arrays_are_refused_with_a_reason)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_array *a;
    const int64_t big[2] = {INT64_C(1) << 40, INT64_C(1) << 40}, minus[1] = {-1},
                  two[1] = {2};
    const int64_t far[1] = {INT64_MAX};
    float x[2] = {0, 0};
    int64_t many[40] = {0};

#define REFUSED(call, status, part)                                                      \
    CHECK_EQ_INT(call, status);                                                          \
    CHECK_HAS(wf_ctx_message(cx), part);                                                 \
    CHECK(a == NULL);                                                                    \
    wf_clear(cx)
    REFUSED(wf_array_new(cx, WF_F32, big, 2, &a), WF_ERR_LIMIT, "too many elements");
    REFUSED(wf_array_new(cx, WF_F32, minus, 1, &a), WF_ERR_SHAPE, "not negative");
    REFUSED(wf_array_new(cx, WF_DTYPE_COUNT, two, 1, &a), WF_ERR_TYPE, "not a dtype of arrays");
    REFUSED(wf_array_new(cx, WF_F32, many, 33, &a), WF_ERR_LIMIT, "rank 33");
    REFUSED(wf_array_new(cx, WF_F32, NULL, 1, &a), WF_ERR_ARG, "dims is NULL");
    REFUSED(wf_array_from(cx, WF_F32, two, 1, NULL, &a), WF_ERR_ARG, "data is NULL");
    REFUSED(wf_array_wrap(cx, WF_F32, two, 1, NULL, NULL, NULL, NULL, &a), WF_ERR_ARG,
            "data is NULL");
    REFUSED(wf_array_wrap(cx, WF_F32, two, 1, far, x, NULL, NULL, &a), WF_ERR_LIMIT,
            "too large");
#undef REFUSED
    wf_ctx_free(cx);
}

/* ---- inputs of any kind ------------------------------------------------------------ */

TEST(inputs_of_any_strides_and_alignment_are_read_and_never_written)
{
    static const char text[] = "f(x: f32[N,3], y: f32[N,3]) {\n  a = add x y\n  b = mul "
                               "a a\n  c = sub b x\n  ret c, x\n}\n";
    wf_ctx *cx = wf_ctx_new(NULL);
    const Program *p = parse_one(cx, text);
    char bytes[4 * 64 + 8];
    float data[64], copy[64];
    const int64_t dims[2] = {4, 3};
    static const struct {
        int64_t stride[2], first;
    } ways[] = {{{3, 1}, 0}, {{-3, 1}, 9}, {{3, -1}, 2}, {{1, 4}, 0},
                {{0, 1}, 5}, {{0, 0}, 7},  {{7, 2}, 3},  {{3, 1}, 1}};

    REQUIRE(p);
    for (int i = 0; i < 64; i++)
        data[i] = (float)i * 0.5f + 1;
    memcpy(copy, data, sizeof data);
    for (int w = 0; w < COUNT(ways); w++)
        for (int odd = 0; odd < 2; odd++) {
            wf_array *in[2], *out[2], *c;
            char *at = bytes + (odd ? 1 + (8 - (uintptr_t)bytes % 8) % 4
                                    : (8 - (uintptr_t)bytes % 8) % 8);
            memcpy(at, data, sizeof data - 8);
            REQUIRE(wf_array_wrap(cx, WF_F32, dims, 2, ways[w].stride,
                                  at + 4 * ways[w].first, NULL, NULL, &in[0]) == WF_OK);
            REQUIRE(wf_array_wrap(cx, WF_F32, dims, 2, NULL, data, NULL, NULL, &in[1]) ==
                    WF_OK);
            REQUIRE(wf_eval(cx, p, in, 2, out, 2) == WF_OK);
            for (int i = 0; i < 12; i++) {
                float x = data[ways[w].first + i / 3 * ways[w].stride[0] +
                               i % 3 * ways[w].stride[1]],
                      a = x + data[i];
                CHECK(f32_at(out[0], i) == a * a - x);
                CHECK(f32_at(out[1], i) == x);
            }
            CHECK(!memcmp(copy, data, sizeof data));
            CHECK(!memcmp(at, data, sizeof data - 8));
            REQUIRE(wf_array_contiguous(cx, in[0], &c) == WF_OK);
            wf_array_release(c);
            for (int i = 0; i < 2; i++) {
                wf_array_release(in[i]);
                wf_array_release(out[i]);
            }
        }
    program_release(p);
    wf_ctx_free(cx);
}

TEST(an_empty_array_may_have_huge_other_axes)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    const Program *p = parse_one(
        cx, "g(x: f32[A,B,0], k: i64[]) {\n  a = exp x\n  b = add a x\n  c = transpose b "
            "perm=[2,0,1]\n  d = rev c axes=[1]\n"
            "  e = slice d start=[0,1,1] limit=[0,A,B]\n  f = neg e\n  h = concat x x "
            "axis=1\n  s = reduce_sum x axes=[0]\n"
            "  m = argmax x axis=0 dtype=i64\n  q = cumsum x axis=1\n  u = dynamic_slice "
            "x k k k sizes=[A,B,0]\n"
            "  v = dynamic_update_slice x x k k k\n  w = cast v i8\n  t = dot_general x "
            "x lhs=[0,1] rhs=[0,1] acc=f32\n"
            "  n = nonzero x as=K\n  y = reduce_max t axes=[0,1]\n  z = mul x v\n"
            "  ret f, h, s, m, q, u, w, t, n, y, z\n}\n");
    const int64_t dims[3] = {INT64_C(1) << 40, INT64_C(1) << 41, 0};
    wf_array *x, *k = i64_scalar(cx, 1), *out[11];

    if (!p)
        FAIL("%s", wf_ctx_message(cx));
    REQUIRE(p);
    REQUIRE(wf_array_new(cx, WF_F32, dims, 3, &x) == WF_OK);
    if (wf_eval(cx, p, (wf_array *[]){x, k}, 2, out, wf_program_outputs(p)) == WF_OK) {
        CHECK_EQ_INT(wf_array_count(out[0]), 0);
        CHECK_EQ_INT(wf_array_dims(out[0])[2], dims[1] - 1);
        CHECK(f32_at(out[9], 0) == -INFINITY);
        for (int j = 0; j < 11; j++)
            wf_array_release(out[j]);
    } else {
        FAIL("%s", wf_ctx_message(cx));
    }
    wf_clear(cx);
    /* but a sum over the empty axis has too many elements */
    RUN_FAILS(cx, "f(x: f32[A,B,0]) {\n  s = reduce_sum x axes=[2]\n  ret s\n}\n", &x,
              WF_ERR_SHAPE, "cannot be computed");
    wf_array_release(x);
    wf_array_release(k);
    program_release(p);
    wf_ctx_free(cx);
}

/* ---- errors ------------------------------------------------------------------------ */

TEST(wrong_inputs_are_refused_by_name)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_array *x = f32_array(cx, 3, 0, 1), *y = f32_array(cx, 4, 0, 1),
             *n = i64_scalar(cx, 1);

    RUN_FAILS(cx, "f(x: f32[N], y: f32[N]) {\n  z = add x y\n  ret z\n}\n",
              ((wf_array *[]){x, y}), WF_ERR_SHAPE,
              "axis 0 of input 'y' is 4, but needs N = 3");
    RUN_FAILS(cx, "f(x: f32[N]) {\n  ret x\n}\n", ((wf_array *[]){n}), WF_ERR_TYPE,
              "input 0 'x' needs f32[N], got i64");
    RUN_FAILS(cx, "f(x: f32[N]) {\n  ret x\n}\n", ((wf_array *[]){NULL}), WF_ERR_ARG,
              "input 0 'x' is NULL");
    wf_array_release(x);
    wf_array_release(y);
    wf_array_release(n);
    wf_ctx_free(cx);
}

TEST(errors_at_run_time_have_the_place_of_their_equation)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_array *x = f32_array(cx, 3, 0, 1), *n = i64_scalar(cx, -4), *m = i64_scalar(cx, 5),
             *empty = f32_array(cx, 0, 0, 0);

    RUN_FAILS(cx, "f(x: f32[N]) {\n  y = slice x start=[0] limit=[5]\n  ret y\n}\n", &x,
              WF_ERR_SHAPE, "t.wir:2:3");
    RUN_FAILS(cx, "f(n: i64[]) {\n  size n as=K\n  y = const f32[K] 0\n  ret y\n}\n", &n,
              WF_ERR_VALUE, "t.wir:2:3");
    RUN_FAILS(cx,
              "f(n: i64[]) {\n  z = const i64[] 0\n  c = lt n z\n  assert c n "
              "message=\"n is {}\"\n  ret n\n}\n",
              &m, WF_ERR_ASSERT, "t.wir:4:3: assertion failed: assert: n is 5");
    RUN_FAILS(cx,
              "g(x: f32[N]) {\n  y = slice x start=[2] limit=[5]\n  ret y\n}\n"
              "f(x: f32[N]) {\n  y = call x body=g\n  ret y\n}\n",
              &x, WF_ERR_SHAPE, "t.wir:6:3: note: in call of 'g'");
    RUN_FAILS(
        cx,
        "f(x: f32[N]) {\n  y = exp x\n  w = argmax y axis=0 dtype=i64\n  ret y, w\n}\n",
        &empty, WF_ERR_SHAPE, "t.wir:3:3: shape error: argmax: axis 0 is empty");
    wf_array_release(x);
    wf_array_release(n);
    wf_array_release(m);
    wf_array_release(empty);
    wf_ctx_free(cx);
}

TEST(a_branch_not_taken_may_be_wrong)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    const Program *p = parse_one(
        cx,
        "bad(x: f32[N]) {\n  y = slice x start=[0] limit=[5]\n  z = reduce_sum y "
        "axes=[0]\n  ret z\n}\n"
        "good(x: f32[N]) {\n  z = reduce_sum x axes=[0]\n  ret z\n}\n"
        "f(c: bool[], x: f32[N]) {\n  y = cond c x branches=[bad,good]\n  ret y\n}\n");
    wf_array *x = f32_array(cx, 3, 1, 1), *c, *y;
    uint8_t yes = 1;

    REQUIRE(p);
    wf_array_from(cx, WF_BOOL, NULL, 0, &yes, &c);
    REQUIRE(wf_eval(cx, p, (wf_array *[]){c, x}, 2, &y, 1) == WF_OK);
    CHECK(f32_at(y, 0) == 6);
    wf_array_release(y);
    *(uint8_t *)wf_array_data(c) = 0;
    CHECK_EQ_INT(wf_eval(cx, p, (wf_array *[]){c, x}, 2, &y, 1), WF_ERR_SHAPE);
    wf_array_release(c);
    wf_array_release(x);
    program_release(p);
    wf_ctx_free(cx);
}

/* ---- one executable, many runs ----------------------------------------------------- */

TEST(an_executable_runs_at_many_sizes_and_again)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    const Program *p = parse_one(cx, "f(x: f32[N]) {\n  y = mul x x\n  k = nonzero y "
                                     "as=K\n  s = reduce_sum y axes=[0]\n"
                                     "  c = cast k f32\n  t = reduce_sum c axes=[0,1]\n  "
                                     "n = dim K\n  ret s, t, n, k, y\n}\n");
    wf_exec *e;

    REQUIRE(p && wf_prepare(cx, p, &e) == WF_OK);
    for (int round = 0; round < 40; round++) {
        int64_t n = round % 9, zeros = round % 4;
        wf_array *x = f32_array(cx, n, 1, 1), *out[5];
        float sum = 0, places = 0;
        for (int64_t i = 0; i < n; i++) {
            if (i < zeros)
                ((float *)wf_array_data(x))[i] = 0;
            sum += f32_at(x, i) * f32_at(x, i);
            places += i < zeros ? 0 : (float)i;
        }
        REQUIRE(wf_run(cx, e, &x, 1, out, wf_exec_outputs(e)) == WF_OK);
        CHECK(f32_at(out[0], 0) == sum);
        CHECK(f32_at(out[1], 0) == places);
        CHECK_EQ_INT(*(int64_t *)wf_array_data(out[2]), MAX(n - zeros, 0));
        CHECK_EQ_INT(wf_array_dims(out[3])[0], MAX(n - zeros, 0));
        CHECK_EQ_INT(wf_array_count(out[4]), n);
        for (int j = 0; j < 5; j++)
            wf_array_release(out[j]);
        wf_array_release(x);
    }
    wf_exec_release(e);
    program_release(p);
    wf_ctx_free(cx);
}

typedef struct Runner {
    wf_exec *e;
    int id, bad;
} Runner;

static void *run_many(void *arg)
{
    Runner *r = arg;
    wf_options o = {.size = sizeof o, .threads = 1 + r->id % 2};
    wf_ctx *cx = wf_ctx_new(&o);

    for (int round = 0; round < 60; round++) {
        int64_t n = 1 + (round * 7 + r->id) % 50;
        wf_array *x = f32_array(cx, n, r->id, 1), *out[2] = {NULL, NULL};
        float sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += f32_at(x, i) + 1;
        r->bad += wf_run(cx, r->e, &x, 1, out, wf_exec_outputs(r->e)) != WF_OK ||
                  f32_at(out[0], 0) != sum * 3 ||
                  f32_at(out[1], n - 1) != f32_at(x, n - 1) + 1;
        wf_array_release(x);
        wf_array_release(out[0]);
        wf_array_release(out[1]);
    }
    wf_ctx_free(cx);
    return NULL;
}

TEST(eight_threads_run_one_executable_at_once)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    const Program *p = parse_one(
        cx, "add3(s: f32[], t: f32[]) {\n  u = add s t\n  ret u\n}\n"
            "f(x: f32[N]) {\n  o = const f32[N] 1\n  y = add x o\n  s = reduce_sum y "
            "axes=[0]\n"
            "  t = call s s body=add3\n  u = call t s body=add3\n  ret u, y\n}\n");
    pthread_t id[8];
    Runner r[8];

    REQUIRE(p);
    REQUIRE(wf_prepare(cx, p, &r[0].e) == WF_OK);
    for (int i = 0; i < 8; i++) {
        r[i] = (Runner){r[0].e, i, 0};
        pthread_create(&id[i], NULL, run_many, &r[i]);
    }
    for (int i = 0; i < 8; i++) {
        pthread_join(id[i], NULL);
        CHECK_EQ_INT(r[i].bad, 0);
    }
    wf_exec_release(r[0].e);
    program_release(p);
    wf_ctx_free(cx);
}

TEST(results_have_equal_bits_for_any_number_of_threads)
{
    static const char text[] =
        "f(x: f32[700,300], w: f32[300,400], b: f32[400]) {\n  h = dot x w\n  c = "
        "broadcast b [700,400] dims=[1]\n"
        "  a = add h c\n  t = tanh a\n  s = reduce_sum t axes=[0]\n  r = reduce_sum t "
        "axes=[1]\n"
        "  q = reduce_sum t axes=[0,1]\n  u = transpose t perm=[1,0]\n  m = reduce_max u "
        "axes=[0]\n  k = cumsum t axis=0 \n"
        "  g = exp t\n  ret t, s, r, q, u, m, k, g\n}\n";
    wf_array *first[8] = {NULL}, *in[3];
    wf_ctx *keep = wf_ctx_new(NULL);
    const Program *p = parse_one(keep, text);
    const int64_t dims[3][2] = {{700, 300}, {300, 400}, {400, 0}};

    if (!p)
        FAIL("%s", wf_ctx_message(keep));
    REQUIRE(p);
    for (int i = 0; i < 3; i++) {
        wf_array_new(keep, WF_F32, dims[i], i < 2 ? 2 : 1, &in[i]);
        for (int64_t k = 0; k < in[i]->count; k++)
            ((float *)wf_array_data(in[i]))[k] = (float)(test_random_unit() - 0.5) * 0.3f;
    }
    for (int threads = 1; threads <= 4; threads++) {
        wf_options o = {.size = sizeof o, .threads = threads};
        wf_ctx *cx = wf_ctx_new(&o);
        wf_array *out[8];
        REQUIRE(wf_eval(cx, p, in, wf_program_inputs(p), out, wf_program_outputs(p)) ==
                WF_OK);
        for (int j = 0; j < 8; j++) {
            if (first[j]) {
                CHECK(!memcmp(wf_array_data(first[j]), wf_array_data(out[j]),
                              (size_t)out[j]->count * 4));
                wf_array_release(out[j]);
            } else {
                first[j] = out[j];
            }
        }
        wf_ctx_free(cx);
    }
    for (int j = 0; j < 8; j++)
        wf_array_release(first[j]);
    for (int i = 0; i < 3; i++)
        wf_array_release(in[i]);
    program_release(p);
    wf_ctx_free(keep);
}

/* ---- loops ------------------------------------------------------------------------- */

static const char loop_text[] =
    "go(n: i64[], i: i64[], x: f64[]) {\n  c = lt i n\n  ret c\n}\n"
    "step(one: i64[], h: f64[], i: i64[], x: f64[]) {\n  j = add i one\n  y = mul x h\n  "
    "ret j, y\n}\n"
    "f(n: i64[], one: i64[], h: f64[], i: i64[], x: f64[]) {\n"
    "  j, y = while n one h i x cond=go body=step ncond=1 nbody=2\n  ret j, y\n}\n";

static long run_loop(int64_t turns, double *out)
{
    FaultAlloc fault = {0};
    wf_options o = {.size = sizeof o, .allocator = fault_allocator(&fault), .threads = 1};
    wf_ctx *cx = wf_ctx_new(&o);
    const Program *p = parse_one(cx, loop_text);
    wf_array *in[5], *y[2];
    double h = 1 - 1e-7, x = 1;
    long count;

    in[0] = i64_scalar(cx, turns);
    in[1] = i64_scalar(cx, 1);
    wf_array_from(cx, WF_F64, NULL, 0, &h, &in[2]);
    in[3] = i64_scalar(cx, 0);
    wf_array_from(cx, WF_F64, NULL, 0, &x, &in[4]);
    if (wf_eval(cx, p, in, 5, y, 2) == WF_OK) {
        *out = *(double *)wf_array_data(y[1]);
        CHECK_EQ_INT(*(int64_t *)wf_array_data(y[0]), turns);
        wf_array_release(y[0]);
        wf_array_release(y[1]);
    }
    count = fault.count;
    for (int i = 0; i < 5; i++)
        wf_array_release(in[i]);
    program_release(p);
    wf_ctx_free(cx);
    return count + fault.peak_bytes;
}

TEST(a_while_of_ten_million_turns_takes_the_memory_of_one_of_two)
{
    double x;
    long small = run_loop(2, &x), large = run_loop(10000000, &x);

    CHECK_EQ_INT(small, large);
    CHECK_NEAR(x, exp(-1), 1e-6);
}

TEST(carries_may_change_places_and_stay)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    /* fibonacci; the third carry is handed on as it is, the fourth is updated row by row
     */
    const Program *p = parse_one(
        cx,
        "step(one: i64[], a: i64[], b: i64[], k: f32[2], z: f32[6], i: i64[], v: f32[]) "
        "{\n"
        "  c = add a b\n  r = reshape v [1]\n  y = dynamic_update_slice z r i\n  j = add "
        "i one\n"
        "  s = reduce_sum y axes=[0]\n  ret b, c, k, y, j, s\n}\n"
        "f(one: i64[], a: i64[], b: i64[], k: f32[2], z: f32[6], i: i64[], v: f32[6]) {\n"
        "  p, q, r, s, t, u = scan one a b k z i v body=step nconst=1 ncarry=5 "
        "length=6\n  ret p, q, r, s, t, u\n}\n");
    wf_array *in[7], *out[6];
    static const float sums[6] = {10, 21, 33, 46, 60, 75};

    if (!p)
        FAIL("%s", wf_ctx_message(cx));
    REQUIRE(p);
    in[0] = i64_scalar(cx, 1);
    in[1] = i64_scalar(cx, 0);
    in[2] = i64_scalar(cx, 1);
    in[3] = f32_array(cx, 2, 7, 1);
    in[4] = f32_array(cx, 6, 0, 0);
    in[5] = i64_scalar(cx, 0);
    in[6] = f32_array(cx, 6, 10, 1);
    for (int round = 0; round < 2; round++) {
        REQUIRE(wf_eval(cx, p, in, 7, out, 6) == WF_OK);
        CHECK_EQ_INT(*(int64_t *)wf_array_data(out[0]), 8);
        CHECK_EQ_INT(*(int64_t *)wf_array_data(out[1]), 13);
        CHECK(f32_at(out[2], 0) == 7 && f32_at(out[2], 1) == 8);
        for (int i = 0; i < 6; i++) {
            CHECK(f32_at(out[3], i) == (float)(10 + i));
            CHECK(f32_at(out[5], i) == sums[i]);
            CHECK(f32_at(in[4], i) == 0); /* the first value was not ours to change */
        }
        CHECK_EQ_INT(*(int64_t *)wf_array_data(out[4]), 6);
        for (int j = 0; j < 6; j++)
            wf_array_release(out[j]);
    }
    for (int i = 0; i < 7; i++)
        wf_array_release(in[i]);
    program_release(p);
    wf_ctx_free(cx);
}

/* ---- cancelling -------------------------------------------------------------------- */

static void *cancel_soon(void *arg)
{
    struct timespec t = {0, 20000000};

    nanosleep(&t, NULL);
    wf_cancel(arg);
    return NULL;
}

TEST(an_endless_loop_can_be_cancelled)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    const Program *p = parse_one(
        cx,
        "go(x: f32[]) {\n  c = const bool[] true\n  ret c\n}\n"
        "step(x: f32[]) {\n  y = neg x\n  ret y\n}\n"
        "f(x: f32[]) {\n  y = while x cond=go body=step ncond=0 nbody=0\n  ret y\n}\n");
    wf_array *x, *y;
    pthread_t id;

    if (!p)
        FAIL("%s", wf_ctx_message(cx));
    REQUIRE(p);
    wf_array_new(cx, WF_F32, NULL, 0, &x);
    pthread_create(&id, NULL, cancel_soon, cx);
    CHECK_EQ_INT(wf_eval(cx, p, &x, 1, &y, 1), WF_ERR_CANCELLED);
    pthread_join(id, NULL);
    CHECK(y == NULL);
    wf_array_release(x);
    program_release(p);
    wf_ctx_free(cx);
}

/* ---- memory failures --------------------------------------------------------------- */

static const char fault_text[] =
    "go(n: i64[], i: i64[], x: f32[M]) {\n  c = lt i n\n  ret c\n}\n"
    "step(one: i64[], i: i64[], x: f32[M]) {\n  j = add i one\n  y = tanh x\n  s = "
    "reduce_sum y axes=[0]\n  ret j, y, s\n}\n"
    "sq(x: f32[M]) {\n  y = mul x x\n  ret y\n}\n"
    "f(x: f32[N], w: f32[N,N], n: i64[], one: i64[], i: i64[]) {\n"
    "  t = transpose w perm=[1,0]\n  h = dot x t\n  k = nonzero h as=K\n"
    "  j, y, s = while n one i h cond=go body=step ncond=1 nbody=1 trips=T\n"
    "  q = call y body=sq\n  v = sort q axis=0\n  g = argmax v axis=0 dtype=i64\n  c = "
    "reduce_sum s axes=[0]\n"
    "  ret k, y, s, v, g, c\n}\n";

static void run_with_faults(wf_allocator al, void *user)
{
    wf_options o = {.size = sizeof o, .allocator = al, .threads = 1};
    wf_ctx *cx = wf_ctx_new(&o);
    const Program *p;
    wf_exec *e = NULL;
    wf_array *in[5] = {NULL}, *out[6] = {NULL}, *big;
    const int64_t dims[2] = {5, 5}, wide[2] = {5, -7};
    static float w[64];

    (void)user;
    if (!cx)
        return;
    p = parse_one(cx, fault_text);
    in[0] = f32_array(cx, 5, -1, 0.5);
    for (int i = 0; i < 64; i++)
        w[i] = (float)(i * i % 11) * 0.1f - 0.27f;
    wf_array_wrap(cx, WF_F32, dims, 2, wide, w + 40, NULL, NULL,
                  &in[1]); /* has to be copied */
    in[2] = i64_scalar(cx, 3);
    in[3] = i64_scalar(cx, 1);
    in[4] = i64_scalar(cx, 0);
    if (wf_prepare(cx, p, &e) == WF_OK)
        for (int round = 0; round < 2; round++) {
            if (wf_run(cx, e, in, 5, out, 6) == WF_OK) {
                CHECK_EQ_INT(wf_array_count(out[2]), 3);
                CHECK_EQ_INT(wf_array_dims(out[0])[0], 5);
            }
            for (int j = 0; j < 6; j++) {
                CHECK(cx->status == WF_OK || !out[j]);
                wf_array_release(out[j]);
                out[j] = NULL;
            }
        }
    if (wf_eval_reference(cx, p, in, 5, out, 6) == WF_OK)
        for (int j = 0; j < 6; j++)
            wf_array_release(out[j]);
    if (wf_array_contiguous(cx, in[1], &big) == WF_OK)
        wf_array_release(big);
    if (cx->status != WF_OK && cx->status != WF_ERR_MEMORY)
        FAIL("%s", wf_ctx_message(cx));
    wf_exec_release(e);
    for (int i = 0; i < 5; i++)
        wf_array_release(in[i]);
    program_release(p);
    wf_ctx_free(cx);
}

TEST(every_allocation_of_a_run_may_fail)
{
    long n = fault_each(run_with_faults, NULL);

    CHECK(n > 60);
}
