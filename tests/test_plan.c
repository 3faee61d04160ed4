/* test_plan.c -- the memory plan: results in the place of operands, of carries, in parts of
 * concatenations, in the memory of donated inputs. Results are those of the op table's own
 * rules for any number of threads; and the memory of intermediate values is what the plan
 * should need, no more (it shared) and no less (it did not share where it must not).
 */
#include "lib_random.h"
#include "runtime/runtime.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static wf_status parse_program(wf_ctx *cx, const char *text, const Program **out)
{
    const Program **ps;
    uint32_t n;

    API_ENTER(cx);
    if (programs_parse(cx, "t.wir", text, strlen(text), NULL, &ps, &n))
        *out = program_retain(ps[n - 1]);
    API_RETURN(cx);
}

/* NULL, and an error or a failure, if it is none. */
static const Program *parse_one(wf_ctx *cx, const char *text)
{
    const Program *p = NULL;

    if (parse_program(cx, text, &p) != WF_OK && cx->status != WF_ERR_MEMORY)
        check_fail(__FILE__, __LINE__, "%s", wf_ctx_message(cx));
    return p;
}

static wf_array *f32_array(wf_ctx *cx, int64_t n, double first, double step)
{
    wf_array *a = NULL;

    if (wf_array_new(cx, WF_F32, &n, 1, &a) == WF_OK)
        for (int64_t i = 0; i < n; i++)
            ((float *)wf_array_data(a))[i] = (float)(first + step * (double)i);
    return a;
}

static float f32_at(const wf_array *a, int64_t i)
{
    return ((const float *)wf_array_data(a))[i];
}

/* ---- programs by their memory ------------------------------------------------------ */

typedef struct PlanCase {
    const char *text;
    bool compiled;
    int64_t size;        /* of symbols */
    size_t least, most;  /* bytes of intermediate values */
} PlanCase;

static bool same_bits(const wf_array *a, const wf_array *b)
{
    size_t n = (size_t)wf_array_count(a) * wf_dtype_size(wf_array_dtype(a));

    return wf_array_count(a) == wf_array_count(b) &&
           (!n || !memcmp(wf_array_data(a), wf_array_data(b), n));
}

static const char *differ(wf_ctx *cx, const wf_array *a, const wf_array *b)
{
    Nd x = nd_new(cx, wf_array_dtype(a), wf_array_dims(a), (uint32_t)wf_array_rank(a));
    Nd y = nd_new(cx, wf_array_dtype(b), wf_array_dims(b), (uint32_t)wf_array_rank(b));

    array_copy_out(cx, a, x.data);
    array_copy_out(cx, b, y.data);
    return nd_differ(cx, &x, &y, x.dtype == WF_F64 ? 1e-11 : 3e-5);
}

/* Results of a run with so many threads; twice, so that memory is used again. */
static size_t run_case(const Program *p, const PlanCase *k, const Nd *nd, int threads,
                       wf_array **out)
{
    wf_options o = {.size = sizeof o, .threads = threads};
    wf_ctx *cx = wf_ctx_new(&o);
    wf_array *in[8];
    wf_exec *e = NULL;
    size_t bytes = 0;

    for (uint32_t i = 0; i < p->nin; i++)
        wf_array_from(cx, nd[i].dtype, nd[i].dims, (int)nd[i].rank, nd[i].data, &in[i]);
    if (k->compiled)
        wf_compile(cx, p, WF_COMPILE_EXACT, &e);
    else
        wf_prepare(cx, p, &e);
    for (int round = 0; round < 2 && wf_ctx_status(cx) == WF_OK; round++) {
        for (uint32_t j = 0; round && j < p->nout; j++)
            wf_array_release(out[j]);
        wf_run(cx, e, in, wf_exec_inputs(e), out, wf_exec_outputs(e));
    }
    if (wf_ctx_status(cx) != WF_OK)
        check_fail(__FILE__, __LINE__, "%s: %s", p->name, wf_ctx_message(cx));
    bytes = wf_exec_memory(e);
    for (uint32_t i = 0; i < p->nin; i++)
        wf_array_release(in[i]);
    wf_exec_release(e);
    wf_ctx_free(cx);
    return bytes;
}

static void check_plan(const PlanCase *k)
{
    static const int threads[] = {1, 2, 5};
    BENCH_OPEN(b);
    wf_ctx *cx = b.cx;
    const Program *p = parse_one(cx, k->text);
    wf_array *in[8], *need[8] = {NULL}, *first[8] = {NULL}, *out[8] = {NULL};
    Rng rng = {7};
    Case c;
    Nd *nd;

    REQUIRE(p);
    c = case_of(cx, p, 1);
    for (uint32_t i = 0; i < p->dims.syms.n; i++)
        c.sizes[i] = k->size;
    nd = case_inputs(cx, &c, &rng);
    for (uint32_t i = 0; i < p->nin; i++)
        wf_array_from(cx, nd[i].dtype, nd[i].dims, (int)nd[i].rank, nd[i].data, &in[i]);
    wf_eval_reference(cx, p, in, wf_program_inputs(p), need, wf_program_outputs(p));
    if (wf_ctx_status(cx) != WF_OK)
        check_fail(__FILE__, __LINE__, "%s: %s", p->name, wf_ctx_message(cx));
    for (int t = 0; t < COUNT(threads) && check_ok(); t++) {
        size_t bytes = run_case(p, k, nd, threads[t], out);
        for (uint32_t j = 0; j < p->nout && check_ok(); j++) {
            const char *why = differ(cx, out[j], need[j]);
            if (why)
                check_fail(__FILE__, __LINE__, "%s, %d threads, result %u: %s", p->name,
                           threads[t], j, why);
            if (t && !same_bits(out[j], first[j]))
                check_fail(__FILE__, __LINE__, "%s: result %u differs by threads",
                           p->name, j);
        }
        if (t == 0 && (bytes < k->least || bytes > k->most))
            check_fail(__FILE__, __LINE__, "%s takes %zu bytes, not %zu to %zu", p->name,
                       bytes, k->least, k->most);
        for (uint32_t j = 0; j < p->nout; j++) {
            if (t)
                wf_array_release(out[j]);
            else
                first[j] = out[j];
        }
    }
    for (uint32_t i = 0; i < p->nin; i++)
        wf_array_release(in[i]);
    for (uint32_t j = 0; j < p->nout; j++) {
        wf_array_release(need[j]);
        wf_array_release(first[j]);
    }
    program_release(p);
    BENCH_CLOSE(b);
}

#define KB      (size_t)1024
#define N_BYTES (300 * 300 * 4 * (size_t)1)

/* ---- fused kernels in place -------------------------------------------------------- */

/* c, t and the like are steps of the library, which kernels do not take in. */
static const PlanCase kernel_cases[] = {
    /* one load at the address of the result */
    {"inplace(x: f32[300,300]) {\n  c = cumsum x axis=0\n  a = mul c x\n  b = sin a\n"
     "  ret b\n}\n",
     true, 0, 0, 8 * KB},
    /* the same through a reshape: two operands, one memory, one address */
    {"reshaped(x: f32[N,N]) {\n  c = cumsum x axis=0\n  d = reshape c [N*N]\n"
     "  e = reshape x [N*N]\n  a = mul d e\n  b = reshape a [N,N]\n  s = add b c\n"
     "  ret s\n}\n",
     true, 300, 0, 8 * KB},
    /* symbolic sizes */
    {"symbolic(x: f32[N,N]) {\n  c = cumsum x axis=0\n  a = mul c x\n  b = sin a\n"
     "  ret b\n}\n",
     true, 300, 0, 8 * KB},
    /* of two results one takes it */
    {"two(x: f32[N,N]) {\n  c = cumsum x axis=0\n  a = mul c x\n  b = sin a\n"
     "  d = cumsum a axis=0\n  e = cumsum b axis=0\n  f = add d e\n  g = mul f f\n"
     "  ret g\n}\n",
     true, 300, N_BYTES, 3 * N_BYTES + 8 * KB},
    /* transposed */
    {"transposed(x: f32[40,40,60]) {\n  c = cumsum x axis=0\n  t = transpose c "
     "perm=[1,0,2]\n  a = mul c t\n  b = sin a\n  ret b\n}\n",
     true, 0, 40 * 40 * 60 * 4, 1000 * KB},
    /* a row of it for all rows */
    {"one_row(x: f32[300,300]) {\n  c = cumsum x axis=0\n  r = slice c start=[3,0] "
     "limit=[4,300]\n  s = reshape r [300]\n  t = broadcast s [300,300] dims=[1]\n"
     "  a = mul c t\n  b = sin a\n  ret b\n}\n",
     true, 0, N_BYTES, 2 * N_BYTES},
    /* two parts of it beside each other */
    {"halves(x: f32[2,N]) {\n  c = cumsum x axis=1\n  l = slice c start=[0,0] "
     "limit=[1,N]\n  h = slice c start=[1,0] limit=[2,N]\n  a = mul l h\n"
     "  t = broadcast a [2,N] dims=[0,1]\n  u = add t c\n  v = sin u\n  ret v\n}\n",
     true, 90000, 2 * 90000 * 4, 4 * 90000 * 4},
    /* rows are read again after the first result is stored: z is not in place */
    {"walks(x: f32[N,N]) {\n  c = cumsum x axis=0\n  m = reduce_max c axes=[1]\n"
     "  n = broadcast m [N,N] dims=[0]\n  z = sub c n\n  e = exp z\n"
     "  s = reduce_sum e axes=[1]\n  t = broadcast s [N,N] dims=[0]\n  w = div e t\n"
     "  ret z, w\n}\n",
     true, 300, 0, 2 * N_BYTES},
    /* the same, where the rows that are read again are the operand's own */
    {"again(x: f32[N,N]) {\n  c = cumsum x axis=0\n  m = reduce_max c axes=[1]\n"
     "  n = broadcast m [N,N] dims=[0]\n  z = sub c n\n  q = mul z z\n"
     "  s = reduce_sum q axes=[1]\n  t = broadcast s [N,N] dims=[0]\n  w = mul z t\n"
     "  ret z, w\n}\n",
     true, 300, 0, 2 * N_BYTES},
    /* a softmax in place */
    {"softmax(x: f32[N,N]) {\n  c = cumsum x axis=0\n  m = reduce_max c axes=[1]\n"
     "  n = broadcast m [N,N] dims=[0]\n  z = sub c n\n  e = exp z\n"
     "  s = reduce_sum e axes=[1]\n  t = broadcast s [N,N] dims=[0]\n  w = div e t\n"
     "  ret w\n}\n",
     true, 300, 0, 16 * KB},
    /* columns summed beside */
    {"sums(x: f32[N,N]) {\n  c = cumsum x axis=0\n  a = mul c x\n  b = sin a\n"
     "  s = reduce_sum b axes=[0]\n  ret b, s\n}\n",
     true, 300, 0, 300 * KB},
    /* a scalar stored by every unit is not in place of one read by every unit */
    {"scalar(x: f32[N,N], k: f32[1]) {\n  c = cumsum k axis=0\n  d = reshape c []\n"
     "  t = broadcast d [N,N] dims=[]\n  a = mul x t\n  b = sin a\n  e = add d d\n"
     "  ret b, e\n}\n",
     true, 300, 0, 8 * KB},
    /* nor a value of a row that has several units */
    {"by_row(x: f32[3,60000], k: f32[3]) {\n  c = cumsum k axis=0\n"
     "  t = broadcast c [3,60000] dims=[0]\n  a = mul x t\n  b = sin a\n"
     "  e = add c c\n  d = mul e c\n  u = broadcast d [3,60000] dims=[0]\n"
     "  f = add b u\n  ret f, d\n}\n",
     true, 0, 0, 2000 * KB},
    /* another element size */
    {"narrow(x: f32[N,N]) {\n  c = cumsum x axis=0\n  a = mul c c\n  b = cast a f16\n"
     "  ret b\n}\n",
     true, 300, N_BYTES, N_BYTES + 8 * KB},
    /* views under another name are parts, too */
    {"named(x: f32[N,N]) {\n  c = cumsum x axis=0\n  h = slice c start=[1,0] "
     "limit=[N,N]\n  o = name h as=\"part\"\n  z = neg o\n  ret z\n}\n",
     false, 300, N_BYTES, 2 * N_BYTES},
};

TEST(kernels_write_over_operands_they_read_in_step)
{
    for (int i = 0; i < COUNT(kernel_cases); i++)
        check_plan(&kernel_cases[i]);
}

/* ---- carries, bodies --------------------------------------------------------------- */

#define STEP                                                                             \
    "step(one: i64[], z: f32[N], i: i64[], v: f32[]) {\n  r = reshape v [1]\n"           \
    "  y = dynamic_update_slice z r i\n  j = add i one\n  s = dynamic_slice y i "        \
    "sizes=[1]\n  ret y, j, s\n}\n"

static const PlanCase carry_cases[] = {
    /* one buffer, the result's */
    {STEP "f(one: i64[], z: f32[N], i: i64[], v: f32[9]) {\n  p, q, r = scan one z i v "
          "body=step nconst=1 ncarry=2 length=9\n  ret p, q, r\n}\n",
     false, 90000, 0, 8 * KB},
    /* what it starts from is a value of its own: also the first turn copies nothing */
    {STEP "f(one: i64[], z: f32[N], i: i64[], v: f32[9]) {\n  a = cumsum z axis=0\n"
          "  p, q, r = scan one a i v body=step nconst=1 ncarry=2 length=9\n"
          "  ret p, q, r\n}\n",
     false, 90000, 0, 8 * KB},
    /* read again after the loop: two buffers */
    {STEP "f(one: i64[], z: f32[N], i: i64[], v: f32[9]) {\n  a = cumsum z axis=0\n"
          "  p, q, r = scan one a i v body=step nconst=1 ncarry=2 length=9\n"
          "  s = add p a\n  ret s\n}\n",
     false, 90000, 90000 * 4, 90000 * 4 + 8 * KB},
    /* loops in loops */
    {STEP "outer(one: i64[], v: f32[9], z: f32[N], k: i64[]) {\n  i = const i64[] 0\n"
          "  p, q, r = scan one z i v body=step nconst=1 ncarry=2 length=9\n"
          "  j = add k q\n  ret p, j\n}\n"
          "f(one: i64[], v: f32[9], z: f32[N], k: i64[]) {\n  a = cumsum z axis=0\n"
          "  p, q = scan one v a k body=outer nconst=2 ncarry=2 length=4\n"
          "  ret p, q\n}\n",
     false, 90000, 0, 8 * KB},
    /* a branch that updates and one that does not */
    {"set(z: f32[N], r: f32[1]) {\n  i = const i64[] 2\n  y = dynamic_update_slice z r "
     "i\n  ret y\n}\n"
     "keep(z: f32[N], r: f32[1]) {\n  ret z\n}\n"
     "step(z: f32[N], v: f32[]) {\n  o = const f32[] 0\n  c = gt v o\n  r = reshape v "
     "[1]\n  y = cond c z r branches=[keep,set]\n  ret y\n}\n"
     "f(z: f32[N], v: f32[9]) {\n  p = scan z v body=step nconst=0 ncarry=1 length=9\n"
     "  ret p\n}\n",
     false, 90000, 0, 8 * KB},
    /* a branch that gives another operand back */
    {"a(z: f32[N], y: f32[N]) {\n  ret z\n}\nb(z: f32[N], y: f32[N]) {\n  ret y\n}\n"
     "f(x: f32[N], v: f32[]) {\n  z = cumsum x axis=0\n  y = neg x\n  o = const f32[] 0\n"
     "  c = gt v o\n  r = cond c z y branches=[a,b]\n  s = sin r\n  ret s\n}\n",
     false, 90000, 2 * 90000 * 4, 3 * 90000 * 4},
    /* the carry is read after it is written: two buffers */
    {"step(z: f32[N], v: f32[]) {\n  r = reshape v [1]\n  i = const i64[] 1\n"
     "  y = dynamic_update_slice z r i\n  s = reduce_sum z axes=[0]\n  ret y, s\n}\n"
     "f(z: f32[N], v: f32[9]) {\n  p, s = scan z v body=step nconst=0 ncarry=1 "
     "length=9\n  ret p, s\n}\n",
     false, 90000, 90000 * 4, 90000 * 4 + 8 * KB},
    /* fused bodies */
    {"step(z: f32[N], v: f32[]) {\n  b = broadcast v [N] dims=[]\n  a = mul z b\n"
     "  c = sin a\n  d = add c z\n  ret d\n}\n"
     "f(z: f32[N], v: f32[9]) {\n  p = scan z v body=step nconst=0 ncarry=1 length=9\n"
     "  ret p\n}\n",
     true, 90000, 0, 8 * KB},
    /* the carry reversed: not in place */
    {"step(z: f32[N], v: f32[]) {\n  b = broadcast v [N] dims=[]\n  a = mul z b\n"
     "  c = rev z axes=[0]\n  d = add c a\n  e = sin d\n  ret e\n}\n"
     "f(z: f32[N], v: f32[9]) {\n  p = scan z v body=step nconst=0 ncarry=1 length=9\n"
     "  ret p\n}\n",
     true, 90000, 90000 * 4, 3 * 90000 * 4},
    /* while */
    {"go(n: i64[], i: i64[], z: f32[N]) {\n  c = lt i n\n  ret c\n}\n"
     "step(one: i64[], i: i64[], z: f32[N]) {\n  r = const f32[1] 3\n"
     "  y = dynamic_update_slice z r i\n  j = add i one\n  ret j, y\n}\n"
     "f(x: f32[N]) {\n  z = cumsum x axis=0\n  n = const i64[] 7\n  one = const i64[] 1\n"
     "  i = const i64[] 0\n"
     "  j, y = while n one i z cond=go body=step ncond=1 nbody=1\n  ret j, y\n}\n",
     false, 90000, 0, 8 * KB},
};

TEST(carries_are_updated_where_they_stand)
{
    for (int i = 0; i < COUNT(carry_cases); i++)
        check_plan(&carry_cases[i]);
}

/* ---- concatenations ---------------------------------------------------------------- */

static const PlanCase concat_cases[] = {
    {"parts(x: f32[N], y: f32[N]) {\n  a = cumsum x axis=0\n  b = neg y\n  c = concat a "
     "b a axis=0\n  ret c\n}\n",
     false, 30000, 0, 8 * KB},
    /* behind an axis of size 1; the concatenation is read on, and parts of it, too */
    {"image(x: f32[1,8,50,50], y: f32[1,8,50,50]) {\n  a = cumsum x axis=1\n  b = neg "
     "y\n  c = concat a b axis=1\n  d = concat c a axis=1\n  e = sin d\n  f = tanh a\n"
     "  g = tanh b\n  ret e, f, g\n}\n",
     false, 0, 60000, 5 * 80000},
    /* not in one piece */
    {"pieces(x: f32[2,N], y: f32[2,N]) {\n  a = cumsum x axis=1\n  b = neg y\n"
     "  c = concat a b axis=1\n  ret c\n}\n",
     false, 30000, 240000, 2 * 240000 + 8 * KB},
    /* a chain in place, in a part; an input cannot be one */
    {"chain(x: f32[N], y: f32[N]) {\n  a = cumsum x axis=0\n  b = neg a\n  c = sin b\n"
     "  d = concat y c axis=0\n  ret d\n}\n",
     false, 30000, 0, 8 * KB},
    /* nothing may be written over a part while it is one */
    {"over(x: f32[N], y: f32[N]) {\n  a = cumsum x axis=0\n  b = neg y\n  c = concat a b "
     "axis=0\n  d = sin a\n  e = tanh d\n  f = sin c\n  ret e, f\n}\n",
     false, 30000, 0, 250000},
    /* compiled: both parts by one kernel, and the sum of all beside */
    {"kernels(x: f32[N], y: f32[N]) {\n  a = cumsum x axis=0\n  b = mul a y\n"
     "  c = sin b\n  d = add b c\n  e = concat c d axis=0\n  f = cumsum e axis=0\n"
     "  ret f\n}\n",
     true, 30000, 0, 250000},
    /* in a loop, as carry and as row */
    {"step(z: f32[4], v: f32[N]) {\n  a = slice z start=[2] limit=[4]\n  b = slice v "
     "start=[0] limit=[2]\n  c = neg a\n  d = sin b\n  e = concat c d axis=0\n"
     "  f = concat c v axis=0\n  ret e, f\n}\n"
     "f(z: f32[4], v: f32[9,N]) {\n  p, q = scan z v body=step nconst=0 ncarry=1 "
     "length=9\n  ret p, q\n}\n",
     false, 33, 0, 8 * KB},
    {"empty(x: f32[N], y: f32[N]) {\n  a = cumsum x axis=0\n  b = neg y\n  c = concat a "
     "b a axis=0\n  ret c\n}\n",
     false, 0, 0, 8 * KB},
};

TEST(operands_of_a_concatenation_are_written_into_it)
{
    for (int i = 0; i < COUNT(concat_cases); i++)
        check_plan(&concat_cases[i]);
}

/* ---- donation ---------------------------------------------------------------------- */

#define TRAIN                                                                            \
    "f(w: f32[N], s: f32[N], x: f32[N]) {\n  m = mul w x\n  l = reduce_sum m axes=[0]\n" \
    "  r = const f32[] 0.5\n  q = broadcast r [N] dims=[]\n  g = mul x q\n"              \
    "  t = add s g\n  v = sub w t\n  ret l, v, t\n}\n"

typedef struct Train {
    wf_ctx *cx;
    const Program *p;
    wf_exec *e;
    wf_array *in[3], *out[3];
} Train;

static bool train_open(Train *t, wf_ctx *cx, bool compiled, int64_t n)
{
    wf_exec *plain = NULL;

    *t = (Train){.cx = cx, .p = parse_one(cx, TRAIN)};
    if (!t->p)
        return false;
    if (compiled)
        wf_compile(cx, t->p, WF_COMPILE_EXACT, &plain);
    else
        wf_prepare(cx, t->p, &plain);
    wf_donate(cx, plain, (int[]){0, 1}, 2, &t->e);
    wf_exec_release(plain); /* the other one lives on without it */
    for (int i = 0; i < 3; i++)
        t->in[i] = f32_array(cx, n, i + 1, 0.25);
    return wf_ctx_status(cx) == WF_OK;
}

static void train_close(Train *t)
{
    for (int i = 0; i < 3; i++) {
        wf_array_release(t->in[i]);
        wf_array_release(t->out[i]);
    }
    wf_exec_release(t->e);
    program_release(t->p);
    wf_ctx_free(t->cx);
}

/* w, s, x as train_open fills them, after a step. */
static void check_step(const Train *t, int64_t n)
{
    for (int64_t i = 0; i < n; i += 97) {
        double q = 0.25 * (double)i, w = 1 + q, s = 2 + q, x = 3 + q;

        CHECK_NEAR(f32_at(t->out[2], i), s + x / 2, 1e-3);
        CHECK_NEAR(f32_at(t->out[1], i), w - s - x / 2, 1e-3);
    }
}

TEST(results_lie_in_the_memory_of_donated_inputs_and_those_are_gone)
{
    for (int compiled = 0; compiled < 2; compiled++) {
        Train t;
        void *w, *s;
        wf_array *none;

        REQUIRE(train_open(&t, wf_ctx_new(NULL), compiled, 70000));
        w = wf_array_data_mutable(t.in[0]);
        s = wf_array_data_mutable(t.in[1]);
        REQUIRE(wf_run(t.cx, t.e, t.in, wf_exec_inputs(t.e), t.out,
                       wf_exec_outputs(t.e)) == WF_OK);
        CHECK(wf_array_data(t.out[1]) == w || wf_array_data(t.out[1]) == s);
        CHECK(wf_array_data(t.out[2]) == w || wf_array_data(t.out[2]) == s);
        check_step(&t, 70000);
        CHECK(wf_array_data(t.in[0]) == NULL && wf_array_data(t.in[1]) == NULL);
        CHECK(f32_at(t.in[2], 4) == 4);
        CHECK_EQ_INT(wf_run(t.cx, t.e, t.in, wf_exec_inputs(t.e), (wf_array *[3]){NULL},
                            wf_exec_outputs(t.e)),
                     WF_ERR_ARG);
        CHECK_HAS(wf_ctx_message(t.cx), "input 0 'w' was donated");
        wf_clear(t.cx);
        CHECK_EQ_INT(wf_array_contiguous(t.cx, t.in[1], &none), WF_ERR_ARG);
        CHECK_HAS(wf_ctx_message(t.cx), "it was donated");
        wf_clear(t.cx);
        CHECK_EQ_INT(wf_npy_save(t.cx, "/dev/null", t.in[1]), WF_ERR_ARG);
        wf_clear(t.cx);
        train_close(&t);
    }
}

TEST(a_step_that_donates_its_state_goes_round_in_the_same_memory)
{
    Train t;
    void *w, *s;

    REQUIRE(train_open(&t, wf_ctx_new(NULL), true, 70000));
    w = wf_array_data_mutable(t.in[0]);
    s = wf_array_data_mutable(t.in[1]);
    for (int round = 0; round < 6; round++) {
        REQUIRE(wf_run(t.cx, t.e, t.in, wf_exec_inputs(t.e), t.out,
                       wf_exec_outputs(t.e)) == WF_OK);
        for (int i = 0; i < 2; i++) {
            wf_array_release(t.in[i]);
            t.in[i] = t.out[1 + i];
            t.out[1 + i] = NULL;
            CHECK(wf_array_data(t.in[i]) == w || wf_array_data(t.in[i]) == s);
        }
        wf_array_release(t.out[0]);
        t.out[0] = NULL;
    }
    CHECK_NEAR(f32_at(t.in[1], 0), 2 + 6 * 1.5, 1e-5);
    CHECK_NEAR(f32_at(t.in[0], 0), 1 - 6 * 2 - 1.5 * 21, 1e-4);
    train_close(&t);
}

TEST(donated_arrays_that_others_hold_are_copied)
{
    for (int how = 0; how < 4; how++) {
        Train t;
        static float mine[70000];
        const int64_t n = 70000;
        wf_array *held = NULL;

        REQUIRE(train_open(&t, wf_ctx_new(NULL), how & 1, n));
        if (how < 2) {
            held = wf_array_retain(t.in[0]);
        } else { /* the caller's own memory */
            memcpy(mine, wf_array_data(t.in[0]), sizeof mine);
            wf_array_release(t.in[0]);
            REQUIRE(wf_array_wrap(t.cx, WF_F32, &n, 1, NULL, mine, NULL, NULL,
                                  &t.in[0]) == WF_OK);
        }
        for (int round = 0; round < 3; round++) {
            REQUIRE(wf_run(t.cx, t.e, t.in, wf_exec_inputs(t.e), t.out,
                           wf_exec_outputs(t.e)) == WF_OK);
            if (round == 0)
                check_step(&t, n);
            CHECK(f32_at(t.in[0], 8) == 3); /* as it was */
            CHECK(wf_array_data(t.in[1]) == NULL);
            wf_array_release(t.in[1]);
            t.in[1] = t.out[2];
            wf_array_release(t.out[0]);
            wf_array_release(t.out[1]);
            t.out[0] = t.out[1] = t.out[2] = NULL;
        }
        wf_array_release(held);
        train_close(&t);
    }
}

TEST(an_array_donated_and_passed_twice_is_copied)
{
    Train t;

    REQUIRE(train_open(&t, wf_ctx_new(NULL), false, 1000));
    wf_array_release(t.in[2]);
    t.in[2] = t.in[0]; /* w and x, one reference */
    REQUIRE(wf_run(t.cx, t.e, t.in, wf_exec_inputs(t.e), t.out, wf_exec_outputs(t.e)) ==
            WF_OK);
    CHECK_NEAR(f32_at(t.out[2], 4), 3 + 1, 1e-6);
    CHECK_NEAR(f32_at(t.out[1], 4), 2 - 4, 1e-6);
    CHECK(f32_at(t.in[0], 4) == 2);
    t.in[2] = NULL;
    train_close(&t);
}

TEST(what_is_wrong_with_a_donation_is_said)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    const Program *p = parse_one(cx, TRAIN);
    wf_exec *e = NULL, *d = NULL;

    REQUIRE(p && wf_prepare(cx, p, &e) == WF_OK);
    CHECK_EQ_INT(wf_donate(cx, e, (int[]){3}, 1, &d), WF_ERR_ARG);
    CHECK_HAS(wf_ctx_message(cx), "input 3, but 'f' has 3 inputs");
    wf_clear(cx);
    CHECK_EQ_INT(wf_donate(cx, e, (int[]){-1}, 1, &d), WF_ERR_ARG);
    wf_clear(cx);
    CHECK_EQ_INT(wf_donate(cx, NULL, (int[]){0}, 1, &d), WF_ERR_ARG);
    wf_clear(cx);
    CHECK_EQ_INT(wf_donate(cx, e, NULL, 1, &d), WF_ERR_ARG);
    wf_clear(cx);
    CHECK(d == NULL && wf_donate(cx, e, NULL, 0, &d) == WF_OK);
    wf_exec_release(d);
    wf_exec_release(e);
    program_release(p);
    wf_ctx_free(cx);
}

TEST(a_run_that_fails_half_way_takes_what_was_donated_one_that_never_begins_does_not)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    const Program *p = parse_one(
        cx, "f(x: f32[4], n: i64[]) {\n  y = neg x\n  size n as=K\n"
            "  z = sin y\n  ret z\n}\n");
    wf_exec *e = NULL, *d = NULL;
    wf_array *in[2], *out[1];
    int64_t bad = -1;

    REQUIRE(p && wf_prepare(cx, p, &e) == WF_OK);
    REQUIRE(wf_donate(cx, e, (int[]){0}, 1, &d) == WF_OK);
    in[0] = f32_array(cx, 5, 0, 1);
    wf_array_from(cx, WF_I64, NULL, 0, &bad, &in[1]);
    CHECK(wf_run(cx, d, in, 2, out, 1) != WF_OK); /* of another size */
    CHECK(f32_at(in[0], 3) == 3);
    wf_clear(cx);
    wf_array_release(in[0]);
    in[0] = f32_array(cx, 4, 0, 1);
    CHECK_EQ_INT(wf_run(cx, d, in, 2, out, 1), WF_ERR_VALUE);
    CHECK(out[0] == NULL && wf_array_data(in[0]) == NULL);
    wf_clear(cx);
    wf_array_release(in[0]);
    wf_array_release(in[1]);
    wf_exec_release(d);
    wf_exec_release(e);
    program_release(p);
    wf_ctx_free(cx);
}

TEST(a_donated_input_may_be_a_result_or_two)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    const Program *p = parse_one(cx, "f(x: f32[2,3], y: f32[4]) {\n  r = reshape x [6]\n"
                                     "  ret r, x, y, y\n}\n");
    wf_exec *e = NULL, *d = NULL;
    wf_array *in[2], *out[4];
    float six[6] = {1, 2, 3, 4, 5, 6};
    void *x, *y;

    REQUIRE(p && wf_prepare(cx, p, &e) == WF_OK);
    REQUIRE(wf_donate(cx, e, (int[]){0, 1}, 2, &d) == WF_OK);
    wf_array_from(cx, WF_F32, (int64_t[]){2, 3}, 2, six, &in[0]);
    in[1] = f32_array(cx, 4, 0, 1);
    x = wf_array_data_mutable(in[0]);
    y = wf_array_data_mutable(in[1]);
    REQUIRE(wf_run(cx, d, in, 2, out, 4) == WF_OK);
    CHECK((wf_array_data(out[0]) == x) != (wf_array_data(out[1]) == x));
    CHECK((wf_array_data(out[2]) == y) != (wf_array_data(out[3]) == y));
    CHECK(wf_array_data(in[0]) == NULL && wf_array_data(in[1]) == NULL);
    for (int i = 0; i < 6; i++)
        CHECK(f32_at(out[0], i) == (float)(i + 1) && f32_at(out[1], i) == (float)(i + 1));
    CHECK(f32_at(out[2], 3) == 3 && f32_at(out[3], 3) == 3);
    for (int j = 0; j < 4; j++)
        wf_array_release(out[j]);
    for (int i = 0; i < 2; i++)
        wf_array_release(in[i]);
    wf_exec_release(d);
    wf_exec_release(e);
    program_release(p);
    wf_ctx_free(cx);
}

TEST(a_result_lies_in_what_was_donated_rather_than_in_an_operand_of_the_programs_own)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    const Program *p = parse_one(cx, "f(w: f32[64], x: f32[64]) {\n  g = cumsum x axis=0\n  v = add g w\n  ret v\n}\n");
    wf_exec *e = NULL, *d = NULL;
    wf_array *in[2], *out[1];
    void *w;

    REQUIRE(p && wf_prepare(cx, p, &e) == WF_OK);
    REQUIRE(wf_donate(cx, e, (int[]){0}, 1, &d) == WF_OK);
    in[0] = f32_array(cx, 64, 5, 0);
    in[1] = f32_array(cx, 64, 0, 1);
    w = wf_array_data_mutable(in[0]);
    REQUIRE(wf_run(cx, d, in, 2, out, 1) == WF_OK);
    CHECK(wf_array_data(out[0]) == w);
    for (int i = 0; i < 64; i++)
        CHECK(f32_at(out[0], i) == (float)(5 + i * (i + 1) / 2));
    wf_array_release(out[0]);
    wf_array_release(in[0]);
    wf_array_release(in[1]);
    wf_exec_release(d);
    wf_exec_release(e);
    program_release(p);
    wf_ctx_free(cx);
}

TEST(a_profile_does_not_use_up_what_is_donated)
{
    Train t;
    wf_profile *p = NULL;

    REQUIRE(train_open(&t, wf_ctx_new(NULL), false, 100));
    CHECK(wf_profile_new(t.cx, t.e, t.in, wf_exec_inputs(t.e), 3, &p) == WF_OK);
    CHECK(f32_at(t.in[0], 4) == 2);
    wf_profile_free(p);
    train_close(&t);
}

TEST(what_is_compiled_after_some_runs_donates_as_before)
{
    wf_options o = {.size = sizeof o, .compile_after = 2};
    Train t;
    void *w, *s;

    REQUIRE(train_open(&t, wf_ctx_new(&o), false, 5000));
    w = wf_array_data_mutable(t.in[0]);
    s = wf_array_data_mutable(t.in[1]);
    for (int round = 0; round < 5; round++) {
        REQUIRE(wf_run(t.cx, t.e, t.in, wf_exec_inputs(t.e), t.out,
                       wf_exec_outputs(t.e)) == WF_OK);
        for (int i = 0; i < 2; i++) {
            wf_array_release(t.in[i]);
            t.in[i] = t.out[1 + i];
            t.out[1 + i] = NULL;
            CHECK(wf_array_data(t.in[i]) == w || wf_array_data(t.in[i]) == s);
        }
        wf_array_release(t.out[0]);
        t.out[0] = NULL;
    }
    train_close(&t);
}

/* All inputs donated: the same results, bit by bit, whatever takes whose memory. */
static const char *check_donated(wf_ctx *cx, const Program *p, uint64_t seed)
{
    Case c = case_of(cx, p, seed);
    Rng rng = {seed};
    Nd *nd = case_inputs(cx, &c, &rng);
    wf_array **in = arena_zalloc(&cx->scratch, (p->nin + 1) * sizeof *in);
    wf_array **out = arena_zalloc(&cx->scratch, (p->nout + 1) * sizeof *out);
    wf_array **need = arena_zalloc(&cx->scratch, (p->nout + 1) * sizeof *need);
    int *all = arena_array(&cx->scratch, p->nin + 1, sizeof *all);
    wf_exec *e = NULL, *d = NULL;
    const char *why = NULL;
    wf_status plain, donated;

    for (uint32_t i = 0; i < p->nin; i++) {
        all[i] = (int)i;
        wf_array_from(cx, nd[i].dtype, nd[i].dims, (int)nd[i].rank, nd[i].data, &in[i]);
    }
    wf_prepare(cx, p, &e);
    wf_donate(cx, e, all, (int)p->nin, &d);
    plain = wf_run(cx, e, in, wf_exec_inputs(e), need, wf_exec_outputs(e));
    wf_clear(cx);
    donated = wf_run(cx, d, in, wf_exec_inputs(d), out, wf_exec_outputs(d));
    wf_clear(cx);
    if (plain != donated)
        why = "one fails";
    for (uint32_t j = 0; j < p->nout && !why && plain == WF_OK; j++)
        if (!same_bits(out[j], need[j]))
            why = arena_printf(&cx->scratch, "result %u differs", j);
    for (uint32_t i = 0; i < p->nin; i++) {
        if (plain == WF_OK && wf_array_data(in[i]))
            why = "a donated input is still there";
        wf_array_release(in[i]);
    }
    for (uint32_t j = 0; j < p->nout; j++) {
        wf_array_release(out[j]);
        wf_array_release(need[j]);
    }
    wf_exec_release(e);
    wf_exec_release(d);
    return why;
}

TEST(random_programs_give_the_same_with_all_inputs_donated)
{
    for (uint64_t seed = 1; seed <= 300 && check_ok(); seed++) {
        BENCH_OPEN(b);
        Rng rng = {seed};
        const Program *p =
            random_program(b.cx, &rng, 8 + (int)(seed % 24), RANDOM_PLAIN);
        const char *why = p ? check_donated(b.cx, p, seed) : wf_ctx_message(b.cx);

        if (why)
            check_fail(__FILE__, __LINE__, "seed %d: %s", (int)seed, why);
        BENCH_CLOSE(b);
    }
}

static void donate_with_faults(wf_allocator al, void *user)
{
    wf_options o = {.size = sizeof o, .allocator = al, .threads = 1};
    wf_ctx *cx = wf_ctx_new(&o);
    Train t;

    (void)user;
    if (!cx)
        return;
    memset(&t, 0, sizeof t);
    if (train_open(&t, cx, false, 20000)) {
        wf_array *held = wf_array_retain(t.in[0]);

        for (int round = 0; round < 2; round++) {
            if (wf_run(cx, t.e, t.in, wf_exec_inputs(t.e), t.out, wf_exec_outputs(t.e)) !=
                WF_OK)
                break;
            wf_array_release(t.in[1]);
            t.in[1] = t.out[2];
            t.out[2] = NULL;
            for (int j = 0; j < 2; j++) {
                wf_array_release(t.out[j]);
                t.out[j] = NULL;
            }
        }
        wf_array_release(held);
    }
    if (cx->status != WF_OK)
        CHECK_EQ_INT(cx->status, WF_ERR_MEMORY);
    train_close(&t);
}

TEST(every_allocation_of_a_donating_run_may_fail)
{
    CHECK(fault_each(donate_with_faults, NULL) > 20);
}
