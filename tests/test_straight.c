/* test_straight.c -- small programs as one function give what the interpreter gives:
 * products of every layout and odd sizes, copies, branches, loops, random programs at
 * fixed sizes; rows shorter than a vector; runs that are cancelled; memory that runs out.
 *
 * The functions of many programs are compiled together. STRAIGHT sets how many random
 * programs there are, STRAIGHT_SEED the first.
 */
#include "lib_random.h"
#include "runtime/compiler.h"
#include "compile/compile.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BATCH 100 /* random programs compiled together */

typedef struct Item {
    const Program *p;
    Lowered l;
    uint64_t seed;
} Item;

typedef struct Items {
    wf_ctx *cx;
    Arena *a;
    VEC(Item) items;
    VEC(Kernel *) kernels;
    int straight; /* programs that have a function */
} Items;

static bool possible(void)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    bool ok = code_possible(cx);

    wf_ctx_free(cx);
    return ok;
}

/* Is all of the program, but for constants, one call: of a straight function, or of a
 * kernel? */
static bool is_whole(const Item *it)
{
    const Program *p = it->l.fused.p;
    uint32_t calls = 0, others = 0;

    for (uint32_t i = 0; i < p->neqns; i++) {
        calls += p->eqns[i].op == OP_call;
        others += p->eqns[i].op != OP_call && p->eqns[i].op != OP_const;
    }
    return calls == 1 && !others;
}

static void add(Items *b, const Program *p, uint64_t seed, bool whole)
{
    Item it = {.p = p, .seed = seed};
    bool any = false;

    if (!p || !compile_lower(b->cx, b->a, target_cpu(), p, true, b->kernels.n, &it.l)) {
        check_fail(__FILE__, __LINE__, "seed %d: %s", (int)seed, wf_ctx_message(b->cx));
        wf_clear(b->cx);
        return;
    }
    for (uint32_t i = 0; i < it.l.n; i++) {
        vec_push(b->a, &b->kernels, it.l.k[i]);
        any = any || it.l.k[i]->straight;
    }
    b->straight += any;
    if (whole && !is_whole(&it)) {
        Text t;

        text_init(&t, b->a);
        program_print(it.l.fused.p, &(PrintOptions){.max_const = 20}, &t);
        check_fail(__FILE__, __LINE__, "not one function:\n%s", text_str(&t));
    }
    vec_push(b->a, &b->items, it);
}

/* ---- comparing --------------------------------------------------------------------- */

static double tolerance(const Program *p)
{
    double most = 1e-12;

    for (Val v = 1; v < p->nvals; v++) {
        unsigned t = val_type(p, v).dtype;

        most = MAX(most, t == WF_BF16  ? 6e-2
                         : t == WF_F16 ? 8e-3
                         : t == WF_F32 ? 2e-5
                                       : 0);
    }
    for (uint32_t i = 0; i < p->nsubs; i++)
        most = MAX(most, tolerance(p->subs[i]));
    return most;
}

static const char *differ(wf_ctx *cx, const wf_array *x, const wf_array *y, double tol)
{
    Nd a = nd_new(cx, wf_array_dtype(x), wf_array_dims(x), (uint32_t)wf_array_rank(x));
    Nd b = nd_new(cx, wf_array_dtype(y), wf_array_dims(y), (uint32_t)wf_array_rank(y));

    array_copy_out(cx, x, a.data);
    array_copy_out(cx, y, b.data);
    return nd_differ(cx, &a, &b, tol);
}

static void compare(Items *b, const Item *it, wf_exec *e)
{
    wf_ctx *cx = b->cx;
    const Program *p = it->p;
    Case c = case_of(cx, p, it->seed);
    Rng rng = {it->seed};
    const Nd *in = case_inputs(cx, &c, &rng);
    wf_array **x = arena_zalloc(&cx->scratch, (p->nin + 1) * sizeof *x);
    wf_array **got = arena_zalloc(&cx->scratch, (p->nout + 1) * sizeof *got);
    wf_array **need = arena_zalloc(&cx->scratch, (p->nout + 1) * sizeof *need);
    wf_status s, t;

    for (uint32_t i = 0; i < p->nin; i++)
        wf_array_from(cx, in[i].dtype, in[i].dims, (int)in[i].rank, in[i].data, &x[i]);
    s = wf_eval(cx, it->l.p, x, wf_program_inputs(it->l.p), need,
                wf_program_outputs(it->l.p));
    wf_clear(cx);
    for (int run = 0; run < 2 && check_ok(); run++) { /* the second in the same frame */
        t = wf_run(cx, e, x, wf_exec_inputs(e), got, wf_exec_outputs(e));
        if (s != t)
            check_fail(__FILE__, __LINE__, "seed %d: interpreted %s, compiled %s: %s",
                       (int)it->seed, wf_status_name(s), wf_status_name(t),
                       wf_ctx_message(cx));
        wf_clear(cx);
        for (uint32_t j = 0; j < p->nout && s == WF_OK && t == WF_OK; j++) {
            const char *why = differ(cx, got[j], need[j], tolerance(p));
            Text text;

            text_init(&text, &cx->scratch);
            if (why)
                program_print(it->l.fused.p, &(PrintOptions){.max_const = 20}, &text);
            if (why)
                check_fail(__FILE__, __LINE__, "seed %d, result %u: %s\n%s",
                           (int)it->seed, j, why, text_str(&text));
            wf_array_release(got[j]);
        }
    }
    for (uint32_t i = 0; i < p->nin; i++)
        wf_array_release(x[i]);
    for (uint32_t j = 0; j < p->nout; j++)
        wf_array_release(need[j]);
}

static void check_items(Items *b)
{
    Code *code = NULL;

    if (b->kernels.n && !compile_load(b->cx, b->kernels.v, b->kernels.n, &code))
        check_fail(__FILE__, __LINE__, "%u kernels do not compile", b->kernels.n);
    for (uint32_t i = 0; i < b->items.n && check_ok() && code; i++) {
        Compiled c;

        compile_bind(b->cx, b->a, &b->items.v[i].l, code, &c);
        compare(b, &b->items.v[i], exec_compiled(b->cx, &c));
    }
    code_release(code);
}

/* ---- products ---------------------------------------------------------------------- */

/* x.y + z, all in one function: x [m,k] or [k,m], y [k,n] or [n,k]; or two of each. */
static const Program *product(wf_ctx *cx, const char *t, int m, int n, int k, int form)
{
    bool tx = form & 1, ty = form & 2, batch = form & 4;
    const char *b = batch ? "2," : "";
    int at = batch ? 1 : 0;
    char text[1024];

    snprintf(text, sizeof text,
             "f(x: %s[%s%d,%d], y: %s[%s%d,%d], z: %s[%s%d,%d]) {\n"
             "  p = dot_general x y lhs=[%d] rhs=[%d]%s acc=%s\n"
             "  q = add p z\n  r = tanh q\n  ret r, p\n}\n",
             t, b, tx ? k : m, tx ? m : k, t, b, ty ? n : k, ty ? k : n, t, b, m, n,
             at + !tx, at + ty, batch ? " lhs_batch=[0] rhs_batch=[0]" : "", t);
    return parse_lines(cx, arena_strdup(&cx->scratch, text));
}

XTEST(products_of_all_layouts)
{
    static const int sizes[][3] = {{1, 1, 1},   {1, 1, 37}, {5, 1, 33},  {1, 17, 16},
                                   {3, 35, 40}, {4, 16, 3}, {16, 16, 1}, {13, 20, 17},
                                   {33, 7, 50}, {6, 70, 9}, {32, 10, 64}, {2, 3, 0}};
    Items b = {.cx = cx, .a = codegen_arena(cx)};

    if (!possible())
        SKIP("no C compiler");
    for (int i = 0; i < COUNT(sizes); i++)
        for (int form = 0; form < 8; form++)
            add(&b,
                product(cx, (i + form) % 3 ? "f32" : "f64", sizes[i][0], sizes[i][1],
                        sizes[i][2], form),
                (uint64_t)(100 * i + form), sizes[i][2] > 0);
    check_items(&b);
}

/* ---- copies, branches, loops ------------------------------------------------------- */

static const char *const flow[] = {
    /* copies, views */
    "f(x: f32[5,7], y: f32[5,3]) { c = concat x y axis=1; z = const f32[] 2.5;"
    " p = pad c z lo=[1,-1] hi=[0,2] interior=[1,0]; r = rev p axes=[0,1];"
    " t = transpose r perm=[1,0]; d = dot_general t r lhs=[1] rhs=[0] acc=f32;"
    " e = exp c; ret d, e, t; }",
    /* a result that is an input, one twice, and a constant */
    "f(x: f64[3], y: f64[3]) { k = const f64[3] [1,2,3]; a = mul x y; b = add a k;"
    " c = dot_general b a lhs=[0] rhs=[0] acc=f64; ret x, c, c, k, b; }",
    /* short rows, sums along both axes, 32 and 37 of them */
    "f(x: f32[32,10], w: f32[10]) { m = reduce_max x axes=[1];"
    " mb = broadcast m [32,10] dims=[0]; d = sub x mb; e = exp d;"
    " s = reduce_sum e axes=[1]; sb = broadcast s [32,10] dims=[0]; y = div e sb;"
    " c = reduce_sum y axes=[0]; wb = broadcast w [32,10] dims=[1]; v = mul y wb;"
    " q = reduce_sum v axes=[1]; a = reduce_sum q axes=[0]; t = reduce_sum v axes=[0,1];"
    " ret y, c, q, a, t; }",
    "f(x: f64[37,3], i: i64[37]) { m = reduce_min x axes=[1]; c = const i64[37] 1;"
    " z = gt i c; mb = broadcast m [37,3] dims=[0]; d = sub x mb;"
    " zb = broadcast z [37,3] dims=[0]; n = neg d; y = select zb d n;"
    " s = reduce_sum y axes=[1]; p = reduce_prod y axes=[0]; ret y, s, p, z; }",
    "f(x: bf16[20,5]) { s = reduce_sum x axes=[1]; sb = broadcast s [20,5] dims=[0];"
    " y = div x sb; e = exp y; t = reduce_sum e axes=[1]; c = reduce_sum e axes=[0];"
    " ret e, t, c; }",
    "f(x: i32[40,6]) { s = reduce_max x axes=[1]; sb = broadcast s [40,6] dims=[0];"
    " d = sub sb x; t = reduce_sum d axes=[1]; z = const i32[40,6] 1; g = gt d z;"
    " a = reduce_or g axes=[1]; ret d, t, a, g; }",
    /* branches: by a bool, by a number beyond the last */
    "b0(x: f32[4,4]) { y = dot_general x x lhs=[1] rhs=[0] acc=f32; ret y; }"
    "b1(x: f32[4,4]) { y = tanh x; ret y; } b2(x: f32[4,4]) { ret x; }"
    "f(i: i32[], x: f32[4,4]) { k = const i32[] 2; j = mul i k; s = sub j k;"
    " y = cond s x branches=[b0,b1,b2]; z = exp y; ret z, y; }",
    "b0(x: f64[3], y: f64[3]) { z = add x y; ret z; }"
    "b1(x: f64[3], y: f64[3]) { z = sub x y; w = exp z; ret w; }"
    "f(x: f64[3], y: f64[3]) { s = reduce_sum x axes=[0]; t = reduce_sum y axes=[0];"
    " p = gt s t; z = cond p x y branches=[b0,b1]; u = cond p y x branches=[b1,b0];"
    " v = mul z u; ret z, u, v; }",
    /* a recurrent cell, forwards and backwards, of one turn and of none */
    "step(w: f32[8,8], h: f32[2,8], x: f32[2,8]) {"
    " p = dot_general h w lhs=[1] rhs=[1] acc=f32; q = add p x; g = tanh q; ret g, q; }"
    "f(w: f32[8,8], h: f32[2,8], x: f32[5,2,8]) {"
    " a, ya = scan w h x body=step nconst=1 ncarry=1 length=5;"
    " b, yb = scan w a x body=step nconst=1 ncarry=1 length=5 reverse=true;"
    " x1 = slice x start=[2,0,0] limit=[3,2,8];"
    " c, yc = scan w b x1 body=step nconst=1 ncarry=1 length=1; ret c, ya, yb, yc; }",
    "step(h: f64[3], n: i64[]) { k = const i64[] 1; m = add n k; e = exp h; s = sin e;"
    " ret s, m; }"
    "f(h: f64[3], n: i64[]) { g, m = scan h n body=step nconst=0 ncarry=2 length=0;"
    " r = mul g h; a, b = scan r m body=step nconst=0 ncarry=2 length=4;"
    " ret a, b, g, m; }",
    /* carries that change places */
    "step(x: f32[6], y: f32[6]) { z = add x y; ret y, z; }"
    "f(x: f32[6], y: f32[6]) { a, b = scan x y body=step nconst=0 ncarry=2 length=7;"
    " c = mul a b; ret a, b, c; }",
    /* while arrays are not small enough; at most so many turns, with rows */
    "go(t: f64[], x: f64[4]) { s = mul x x; r = reduce_sum s axes=[0]; g = gt r t;"
    " ret g; }"
    "half(x: f64[4]) { h = const f64[4] 0.5; y = mul x h; ret y; }"
    "f(x: f64[4]) { t = const f64[] 0.01;"
    " y = while t x cond=go body=half ncond=1 nbody=0; z = exp y; ret y, z; }",
    /* a loop alone */
    "go(t: f64[], x: f64[4]) { k = const f64[] 9; g = lt t k; ret g; }"
    "turn(t: f64[], x: f64[4]) { s = sin x; c = cos x; y = mul s c; z = add y x;"
    " o = const f64[] 1; n = add t o; ret n, z; }"
    "f(t: f64[], x: f64[4]) { n, y = while t x cond=go body=turn ncond=0 nbody=0; ret y; }",
};

XTEST(copies_branches_and_loops)
{
    Items b = {.cx = cx, .a = codegen_arena(cx)};

    if (!possible())
        SKIP("no C compiler");
    for (int i = 0; i < COUNT(flow) && check_ok(); i++)
        for (uint64_t seed = 1; seed < 5; seed++)
            add(&b, parse_lines(cx, flow[i]), seed, true);
    check_items(&b);
}

/* ---- products that read much --- */

static bool has_dot(const Program *p)
{
    for (uint32_t i = 0; i < p->neqns; i++)
        if (p->eqns[i].op == OP_dot_general)
            return true;
    for (uint32_t i = 0; i < p->nsubs; i++)
        if (has_dot(p->subs[i]))
            return true;
    return false;
}

/* A turn of a recurrent layer of 256 multiplies by a megabyte, which two cores read from two caches; one of 64 is a function. */
XTEST(a_product_that_reads_much_is_left_to_all_threads)
{
    static const int sizes[] = {64, 256};
    Items b = {.cx = cx, .a = codegen_arena(cx)};

    if (!possible())
        SKIP("no C compiler");
    for (int i = 0; i < COUNT(sizes); i++) {
        int n = sizes[i], inside = 0;
        const char *text = arena_printf(
            b.a,
            "cell(w: f32[%d,%d], h: f32[1,%d], x: f32[1,%d]) { p = dot_general h w lhs=[1] rhs=[0] acc=f32;"
            " k = const f32[1,%d] 0.01; q = mul p k; s = add q x; y = slice s start=[0,0] limit=[1,%d] stride=[1,1]; t = tanh y; ret t, t; }"
            "f(w: f32[%d,%d], h: f32[1,%d], x: f32[9,1,%d]) { c, r = scan w h x body=cell nconst=1 ncarry=1 length=9; ret c, r; }",
            n, 4 * n, n, 4 * n, 4 * n, n, n, 4 * n, n, 4 * n);

        add(&b, parse_lines(cx, text), 1, false);
        if (!check_ok())
            return;
        for (uint32_t k = 0; k < b.items.v[i].l.n; k++)
            inside += b.items.v[i].l.k[k]->straight && has_dot(b.items.v[i].l.k[k]->p);
        CHECK_EQ_INT(inside, n == 64);
    }
    /* beside a small part, sizes that nobody knows */
    add(&b, parse_lines(cx, "turn(c: f32[2,2]) { y = tanh c; z = dot_general y c lhs=[1] rhs=[0] acc=f32; ret z; } f(w: f32[N,N], x: f32[2,2]) {"
                            " p = dot_general w w lhs=[1] rhs=[0] acc=f32; y = scan x body=turn nconst=0 ncarry=1 length=3; ret p, y; }"), 1, false);
    check_items(&b);
}

/* ---- checks --- */

static const char *const checked[] = {
    /* the check reads what the function computes, and does not part it: it holds for some inputs */
    "f(x: f32[3,4], w: f32[4,4]) { y = dot_general x w lhs=[1] rhs=[0] acc=f32; m = reduce_max y axes=[0,1];"
    " k = const f32[] 1; g = lt m k; assert g m message=\"too large: {}\"; e = exp y;"
    " z = dot_general e w lhs=[1] rhs=[0] acc=f32; s = reduce_sum z axes=[1]; ret z, s; }",
    /* one that stands before a loop is made before it */
    "go(t: f64[], x: f64[4]) { s = mul x x; r = reduce_sum s axes=[0]; g = gt r t; ret g; }"
    "half(x: f64[4]) { h = const f64[4] 0.5; y = mul x h; ret y; }"
    "f(x: f64[4]) { t = const f64[] 0.01; s = reduce_sum x axes=[0]; g = gt s t; assert g message=\"no\"; e = tanh x;"
    " y = while t e cond=go body=half ncond=1 nbody=0; z = exp y; ret y, z; }",
};

XTEST(checks_leave_a_function_whole)
{
    Items b = {.cx = cx, .a = codegen_arena(cx)};

    if (!possible())
        SKIP("no C compiler");
    for (int i = 0; i < COUNT(checked) && check_ok(); i++)
        for (uint64_t seed = 1; seed < 9; seed++) {
            int calls = 0;
            const Program *p;

            add(&b, parse_lines(cx, checked[i]), seed, false);
            if (!check_ok())
                return;
            p = b.items.v[b.items.n - 1].l.fused.p;
            for (uint32_t e = 0; e < p->neqns; e++)
                calls += p->eqns[e].op == OP_call;
            CHECK_EQ_INT(calls, 1 + i); /* the check stands behind the first, or between two */
        }
    CHECK_EQ_INT(b.straight, (int)b.items.n);
    check_items(&b);
}

/* ---- random programs --------------------------------------------------------------- */

static int number_of(const char *name, int standard)
{
    const char *v = getenv(name);

    return v ? atoi(v) : standard;
}

/* At sizes that vectors have trouble with. */
static const Program *with_sizes(wf_ctx *cx, const Program *p, uint64_t seed)
{
    static const int64_t sizes[] = {3, 1, 17, 0, 33, 8};
    const char *names[64];
    int64_t values[64];
    uint32_t n = 0;

    for (uint32_t i = 0; p && i < p->dims.syms.n && n < 64; i++) {
        if (p->dims.syms.v[i].origin == SYM_EQN)
            continue;
        names[n] = p->dims.syms.v[i].name;
        values[n++] = sizes[(seed + i) % COUNT(sizes)];
    }
    return p && n ? program_specialise(cx, p, names, values, n) : p;
}

static void random_batch(int first, int n, int *straight)
{
    BENCH_OPEN(bench);
    Items b = {.cx = bench.cx, .a = codegen_arena(bench.cx)};

    for (int i = 0; i < n; i++) {
        static const wf_dtype floats[] = {WF_F32, WF_F64, WF_F32, WF_BF16};
        uint64_t seed = (uint64_t)(first + i);
        Rng rng = {seed * 7919};
        const Program *p =
            seed % 2 ? random_net(b.cx, &rng, floats[seed / 2 % 4], 1 + (int)(seed % 5))
                     : random_program(b.cx, &rng, 2 + (int)(seed % 9), RANDOM_PLAIN);

        p = with_sizes(b.cx, p, seed);
        if (!p) { /* some sizes do not go together */
            wf_clear(b.cx);
            continue;
        }
        add(&b, p, seed, false);
    }
    check_items(&b);
    *straight += b.straight;
    wf_clear(b.cx);
    BENCH_CLOSE(bench);
}

TEST(random_programs_of_fixed_sizes)
{
    int n = number_of("STRAIGHT", 300), first = number_of("STRAIGHT_SEED", 1);
    int straight = 0;

    if (!possible())
        SKIP("no C compiler");
    for (int i = 0; i < n && check_ok(); i += BATCH)
        random_batch(first + i, i + BATCH < n ? BATCH : n - i, &straight);
    CHECK(straight > n / 4 || !check_ok());
}

/* ---- runs that end early ----------------------------------------------------------- */

static const char endless[] =
    "go(x: f64[2]) { k = const f64[] 3; s = reduce_max x axes=[0]; g = lt s k; ret g; }"
    "turn(x: f64[2]) { y = sin x; ret y; }"
    "f(x: f64[2]) { y = while x cond=go body=turn ncond=0 nbody=0; z = exp y; ret z; }";

static void *cancel_soon(void *cx)
{
    usleep(20000);
    wf_cancel(cx);
    return NULL;
}

XTEST(a_loop_inside_is_cancelled)
{
    const Program *p = parse_lines(cx, endless);
    double data[2] = {0.5, 1};
    wf_array *x = NULL, *y = NULL;
    wf_exec *e = NULL;
    pthread_t thread;

    if (!possible())
        SKIP("no C compiler");
    wf_array_from(cx, WF_F64, (int64_t[]){2}, 1, data, &x);
    CHECK(wf_compile(cx, p, 0, &e) == WF_OK);
    pthread_create(&thread, NULL, cancel_soon, cx);
    CHECK(wf_run(cx, e, &x, 1, &y, 1) == WF_ERR_CANCELLED);
    pthread_join(thread, NULL);
    wf_clear(cx);
    wf_exec_release(e);
    wf_array_release(x);
}

static void compile_and_run(wf_allocator al, void *user)
{
    static const char text[] =
        "f(x: f32[3,4], w: f32[4,4]) {\n p = dot_general x w lhs=[1] rhs=[1] acc=f32\n"
        " e = exp p\n s = reduce_sum e axes=[1]\n ret s, p\n}\n";
    wf_options o = {.size = sizeof o, .allocator = al, .threads = 1};
    wf_ctx *cx = wf_ctx_new(&o);
    float data[16] = {1, 2, 3};
    wf_array *x[2] = {NULL, NULL}, *y[2] = {NULL, NULL};
    wf_model *m = NULL;
    wf_exec *e = NULL;

    (void)user;
    if (!cx)
        return;
    if (wf_model_parse(cx, "f.wir", text, strlen(text), &m) == WF_OK &&
        wf_array_from(cx, WF_F32, (int64_t[]){3, 4}, 2, data, &x[0]) == WF_OK &&
        wf_array_from(cx, WF_F32, (int64_t[]){4, 4}, 2, data, &x[1]) == WF_OK &&
        wf_compile(cx, wf_model_program(m, 0), 0, &e) == WF_OK)
        wf_run(cx, e, x, 2, y, 2);
    for (int i = 0; i < 2; i++) {
        wf_array_release(x[i]);
        wf_array_release(y[i]);
    }
    wf_exec_release(e);
    wf_model_free(m);
    CHECK(wf_ctx_status(cx) == WF_OK || wf_ctx_status(cx) == WF_ERR_MEMORY);
    wf_ctx_free(cx);
}

TEST(straight_functions_survive_every_allocation_that_fails)
{
    if (!possible())
        SKIP("no C compiler");
    CHECK(fault_each(compile_and_run, NULL) > 20);
}
