/* test_codegen.c -- compiled programs give what the interpreter gives: random programs and
 * their derivatives, every case of tests/ops in every dtype, sizes 0, 1 and odd, any
 * number of threads. In three batches of four products and sums are not contracted, so
 * that results can be held to within a few roundings.
 *
 * The kernels of many programs are compiled together. CODEGEN sets how many random
 * programs there are, CODEGEN_SEED the first.
 */
#include "lib_compiled.h"
#include "lib_target.h"
#include "runtime/compiler.h"
#include "compile/compile.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#define BATCH 125 /* programs compiled together */

typedef struct Item {
    const Program *p;
    Lowered l;
    uint64_t seed;
    const char *what;
} Item;

typedef struct Items {
    wf_ctx *cx;
    const Target *target;
    bool exact;     /* every op rounds for itself */
    Arena *a;
    VEC(Item) items;
    VEC(Kernel *) kernels;
    int compared, fused;
    bool ops[OP_COUNT];    /* that programs had, as they were */
    int forms[3], scalars; /* of kernels */
} Items;

/* ---- batches ----------------------------------------------------------------------- */

static void note_ops(Items *b, const Program *p)
{
    for (uint32_t i = 0; i < p->neqns; i++)
        b->ops[p->eqns[i].op] = true;
    for (uint32_t i = 0; i < p->nsubs; i++)
        note_ops(b, p->subs[i]);
}

static void add_item(Items *b, const Program *p, uint64_t seed, const char *what)
{
    Item it = {.p = p, .seed = seed, .what = what};

    if (!compile_lower(b->cx, b->a, b->target, p, b->exact, b->kernels.n, &it.l)) {
        check_fail(__FILE__, __LINE__, "%s, seed %d: %s", what, (int)seed,
                   wf_ctx_message(b->cx));
        wf_clear(b->cx);
        return;
    }
    note_ops(b, p);
    for (uint32_t i = 0; i < it.l.n; i++) {
        vec_push(b->a, &b->kernels, it.l.k[i]);
        b->forms[it.l.k[i]->form]++;
        b->scalars += it.l.k[i]->scalar;
    }
    b->fused += it.l.n != 0;
    vec_push(b->a, &b->items, it);
}

static void report(Items *b, const Item *it, const char *why, int size)
{
    Text t;

    text_init(&t, b->a);
    program_print(it->l.fused.p, &(PrintOptions){.max_const = 20}, &t);
    check_fail(__FILE__, __LINE__, "%s, seed %d, size %d: %s\n%s", it->what,
               (int)it->seed, size, why, text_str(&t));
}

static void check_item(Items *b, Item *it, Code *code)
{
    static const int64_t sizes[] = {-1, 1, 0, 67};
    wf_ctx *cx = b->cx;
    Compiled c;
    wf_exec *e;

    compile_bind(cx, b->a, &it->l, code, &c);
    e = exec_compiled(cx, &c);
    for (int k = 0; k < (it->p->dims.syms.n ? 4 : 1) && check_ok(); k++) {
        Case k_case = case_of(cx, it->p, it->seed + (uint64_t)k);
        Rng rng = {it->seed};
        const char *why;

        for (uint32_t i = 0; i < it->p->dims.syms.n && sizes[k] >= 0; i++)
            if (k_case.sizes[i] >= 0)
                k_case.sizes[i] = sizes[k];
        why = compare_compiled(cx, it->l.p, e, case_inputs(cx, &k_case, &rng),
                      b->exact ? it->seed % 2 ? tolerance_by(it->p) : 0
                               : 10 * tolerance_by(it->p));
        b->compared++;
        if (why)
            report(b, it, why, (int)sizes[k]);
    }
}

static void check_items(Items *b)
{
    Code *code = NULL;

    if (b->kernels.n && !compile_load(b->cx, b->kernels.v, b->kernels.n, &code))
        check_fail(__FILE__, __LINE__, "%u kernels do not compile", b->kernels.n);
    for (uint32_t i = 0; i < b->items.n && check_ok() && code; i++)
        check_item(b, &b->items.v[i], code);
    code_release(code);
}

static int number_of(const char *name, int standard)
{
    const char *v = getenv(name);

    return v ? atoi(v) : standard;
}

/* ---- random programs --------------------------------------------------------------- */

/* Every other one is made of ops of all kinds, most of them f64, the others of pieces of
 * models, most of them f32. */
static const Program *random_of(wf_ctx *cx, uint64_t seed)
{
    static const wf_dtype floats[] = {WF_F32, WF_F32, WF_F64, WF_F32, WF_F16, WF_BF16};
    Rng rng = {seed * 99991};

    if (seed % 2)
        return random_net(cx, &rng, floats[seed / 2 % 6], 1 + (int)(seed / 2 % 7));
    return random_program(cx, &rng, seed % 20 ? 2 + (int)(seed % 6) : 16,
                          seed % 7 ? RANDOM_PLAIN : RANDOM_CUSTOM);
}

/* What all batches had. */
typedef struct Had {
    int compared, fused, forms[3], scalars;
    bool ops[OP_COUNT];
} Had;

static void random_batch(const Target *t, int from, int n, Had *had)
{
    BENCH_OPEN(bench);
    Items b = {.cx = bench.cx, .a = codegen_arena(bench.cx), .target = t};

    b.exact = from / BATCH % 4 != 3;
    for (int i = 0; i < n; i++) {
        uint64_t seed = (uint64_t)(from + i);
        const char *what = NULL;
        const Program *p = random_of(b.cx, seed);

        if (!p && b.cx->status != WF_ERR_SHAPE) /* the largest of no elements, say, which has no type */
            check_fail(__FILE__, __LINE__, "seed %d: %s", (int)seed,
                       wf_ctx_message(b.cx));
        wf_clear(b.cx);
        if (p) {
            p = derive_program(b.cx, p, (int)(seed % 3), &what);
            add_item(&b, p, seed, what);
        }
        wf_clear(b.cx);
    }
    check_items(&b);
    had->compared += b.compared;
    had->fused += b.fused;
    had->scalars += b.scalars;
    for (int i = 0; i < COUNT(had->forms); i++)
        had->forms[i] += b.forms[i];
    for (int i = 0; i < OP_COUNT; i++)
        had->ops[i] |= b.ops[i];
    wf_clear(b.cx);
    BENCH_CLOSE(bench);
}

/* Ops that the generator has not learnt, which have cases of their own. */
static bool is_not_generated(int op)
{
    static const OpCode ops[] = {OP_conj,         OP_cumprod, OP_cummax, OP_cummin,
                                 OP_cumlogsumexp, OP_recur,   OP_top_k,  OP_fft,
                                 OP_pvary,        OP_shard,   OP_spmd,   OP_host,
                                 OP_callback};

    for (int i = 0; i < COUNT(ops); i++)
        if ((int)ops[i] == op)
            return true;
    return false;
}

/* Every op but those that have no value of their own, or are rare and gone before
 * kernels are made. */
static void check_had(const Had *had, int n)
{
    CHECK(had->compared >= n && had->fused > n / 2);
    for (int i = 0; i < OP_COUNT && n >= 1000; i++)
        if (!had->ops[i] && !op_has((OpCode)i, OPF_NOEVAL) && i != OP_print &&
            i != OP_opt_barrier && i != OP_custom_vjp && !is_not_generated(i))
            check_fail(__FILE__, __LINE__, "no random program has %s", op_table[i].name);
    for (int i = 0; i < COUNT(had->forms) && n >= 1000; i++)
        CHECK(had->forms[i] > 50);
    CHECK(had->scalars > 0 || n < 1000);
    if (getenv("CODEGEN_STATS"))
        printf("%d runs, %d programs fused; kernels: %d maps, %d rows, %d columns, %d "
               "of scalars\n",
               had->compared, had->fused, had->forms[0], had->forms[1], had->forms[2],
               had->scalars);
}

TEST(random_programs_run_compiled_as_interpreted)
{
    int n = number_of("CODEGEN", 1000), first = number_of("CODEGEN_SEED", 1);
    Had had = {0};
    wf_ctx *cx = wf_ctx_new(NULL);
    bool possible = code_possible(cx);

    wf_ctx_free(cx);
    if (!possible)
        SKIP("no C compiler");
    for (int i = 0; i < n && check_ok(); i += BATCH)
        random_batch(target_cpu(), first + i, i + BATCH < n ? BATCH : n - i, &had);
    if (check_ok())
        check_had(&had, n);
}

TEST(random_programs_run_in_portable_c_as_interpreted)
{
    int n = number_of("CODEGEN", 1000) / 8, first = number_of("CODEGEN_SEED", 1) + 5000;
    Had had = {0};
    wf_ctx *cx = wf_ctx_new(NULL);
    bool possible = code_possible(cx);

    wf_ctx_free(cx);
    if (!possible)
        SKIP("no C compiler");
    for (int i = 0; i < n && check_ok(); i += BATCH)
        random_batch(target_strict_c(), first + i, i + BATCH < n ? BATCH : n - i, &had);
    CHECK(had.compared >= n && had.fused > n / 2 && had.forms[FORM_ROWS] > n / 20);
}

/* What another kernel has is computed again on GPUs; here it is compared with the interpreter. */
static void check_again(bool eager, bool epilogues, int seed)
{
    int n = number_of("CODEGEN", 1000) / 8, first = number_of("CODEGEN_SEED", 1) + seed;
    Had had = {0};
    wf_ctx *cx = wf_ctx_new(NULL);
    bool possible = code_possible(cx);

    wf_ctx_free(cx);
    if (!possible)
        SKIP("no C compiler");
    for (int i = 0; i < n && check_ok(); i += BATCH)
        random_batch(target_again(eager, epilogues), first + i, i + BATCH < n ? BATCH : n - i, &had);
    CHECK(had.compared >= n * 9 / 10 && had.fused > n / 2);
}

TEST(random_programs_that_compute_values_again_run_as_interpreted)
{
    check_again(true, false, 29000);
    check_again(false, false, 39000); /* where groups may be too small for a kernel */
}

TEST(random_programs_that_compute_values_again_have_epilogues_too)
{
    check_again(true, true, 32000);
    check_again(false, true, 42000);
}

/* ---- the cases of tests/ops -------------------------------------------------------- */

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

typedef struct CaseItem {
    Case c;
    Item it;
} CaseItem;

static void add_cases(Items *b, const char *path, CaseItem **v, uint32_t *n, uint32_t cap)
{
    static const char *const floats[] = {"f64", "f32", "f16", "bf16"};
    Case *cases;
    uint32_t ncases;

    if (!cases_load(b->cx, path, &cases, &ncases)) {
        check_fail(path, 0, "%s", wf_ctx_message(b->cx));
        return;
    }
    for (uint32_t i = 0; i < ncases; i++) {
        Case c = cases[i];
        const Program *p;

        if (!case_batch(b->cx, &c))
            continue;
        p = c.p;
        for (int k = 0; k < 4 && *n < cap; k++) {
            uint32_t before = b->items.n;

            c.p = k ? with_float(b->cx, p, floats[k]) : p;
            if (!c.p)
                continue;
            add_item(b, c.p, 1,
                     arena_printf(b->a, "%s %s in %s", path, p->name, floats[k]));
            if (b->items.n > before)
                (*v)[(*n)++] = (CaseItem){c, b->items.v[before]};
        }
    }
}

static int check_cases(Items *b, CaseItem *v, uint32_t n)
{
    Code *code = NULL;
    int done = 0;

    if (!compile_load(b->cx, b->kernels.v, b->kernels.n, &code)) {
        check_fail(__FILE__, __LINE__, "%u kernels do not compile", b->kernels.n);
        return 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        Rng rng = {i + 1};
        Compiled c;
        const char *why;

        if (!v[i].it.l.n)
            continue;
        compile_bind(b->cx, b->a, &v[i].it.l, code, &c);
        why = compare_compiled(b->cx, v[i].it.l.p, exec_compiled(b->cx, &c),
                      case_inputs(b->cx, &v[i].c, &rng), 0);
        done++;
        if (why)
            report(b, &v[i].it, why, -1);
    }
    code_release(code);
    return done;
}

static void check_all_cases(const Target *t)
{
    BENCH_OPEN(bench);
    Items b = {
        .cx = bench.cx, .a = codegen_arena(bench.cx), .target = t, .exact = true};
    uint32_t n = 0, cap = 8000;
    CaseItem *v = arena_array(b.a, cap, sizeof *v);
    struct dirent **names;
    int files = scandir("tests/ops", &names, NULL, alphasort);

    if (!code_possible(b.cx))
        SKIP("no C compiler");
    for (int i = 0; i < files; i++) {
        const char *dot = strrchr(names[i]->d_name, '.');

        if (dot && !strcmp(dot, ".wir"))
            add_cases(&b, arena_printf(b.a, "tests/ops/%s", names[i]->d_name), &v, &n,
                      cap);
        free(names[i]);
    }
    free(names);
    CHECK(check_cases(&b, v, n) > 500);
    wf_clear(b.cx);
    BENCH_CLOSE(bench);
}

TEST(every_case_of_an_op_runs_compiled_as_interpreted)
{
    check_all_cases(target_eager());
}

TEST(every_case_of_an_op_runs_in_portable_c_as_interpreted)
{
    check_all_cases(target_strict_c());
}

/* ---- tiers ------------------------------------------------------------------------- */

static const char chain_text[] =
    "f(x: f32[64]) { a = mul x x; b = exp a; c = add b x; d = tanh c; e = mul d d;"
    " g = sub e x; h = neg g; i = logistic h; ret i; }";

/* 100 000 turns of two equations. */
static const char loop_text[] =
    "go(i: f32[64]) { l = const f32[] 50000; s = slice i start=[0] limit=[1]; v = reshape s [];"
    " b = le v l; ret b; };"
    "turn(i: f32[64]) { h = const f32[64] 0.5; j = add i h; ret j; };"
    "f(x: f32[64]) { y = while x cond=go body=turn ncond=0 nbody=0; ret y; }";

/* Which run is served compiled: 1, 2 ..; 0: none of n. */
static int first_compiled(const char *program, int after, int n)
{
    wf_options o = {.size = sizeof o, .compile_after = after};
    wf_ctx *cx = wf_ctx_new(&o);
    wf_exec *e = NULL;
    float data[64] = {0.5f, -1, 2};
    int64_t dims[1] = {64};
    wf_array *x = NULL, *y = NULL;
    wf_model *m = NULL;
    char text[512];
    int first = 0;

    snprintf(text, sizeof text, "%s", program);
    for (char *c = text; *c; c++)
        *c = *c == ';' ? '\n' : *c;
    CHECK(wf_model_parse(cx, "tiers.wir", text, strlen(text), &m) == WF_OK);
    wf_array_from(cx, WF_F32, dims, 1, data, &x);
    CHECK(m && wf_prepare(cx, wf_model_find(m, "f"), &e) == WF_OK);
    for (int i = 1; i <= n && e; i++) {
        CHECK(wf_run(cx, e, &x, 1, &y, 1) == WF_OK);
        if (!first && e->fast && wf_exec_is_compiled(e->fast))
            first = i;
        wf_array_release(y);
    }
    wf_exec_release(e);
    wf_array_release(x);
    wf_model_free(m);
    wf_ctx_free(cx);
    return first;
}

TEST(a_program_is_compiled_after_as_many_runs_as_the_options_say)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    bool possible = code_possible(cx);

    wf_ctx_free(cx);
    if (!possible)
        SKIP("no C compiler");
    CHECK_EQ_INT(first_compiled(chain_text, 0, 5), 0);
    CHECK_EQ_INT(first_compiled(chain_text, 1, 5), 2);
    CHECK_EQ_INT(first_compiled(chain_text, 3, 5), 4);
    /* loops, however few equations they have; and what steps do in a hundred thousand turns counts as four runs */
    CHECK_EQ_INT(first_compiled(loop_text, 0, 3), 0);
    CHECK_EQ_INT(first_compiled(loop_text, 1, 3), 2);
    CHECK_EQ_INT(first_compiled(loop_text, 10, 5), 3);
}

/* ---- what fuses -------------------------------------------------------------------- */

typedef struct Whole {
    const char *text;
    bool whole; /* all of it is one kernel */
} Whole;

static const Whole wholes[] = {
    /* dropout */
    {"f(k0: u32[N,100], k1: u32[N,100], x: f32[N,100]) { z = const u32[N,100] 0;"
     " i = iota u32[N,100] axis=1; a, b = threefry2x32 k0 k1 z i; c = xor a b;"
     " s = const u32[N,100] 9; d = shr_logical c s; e = cast d dtype=f32;"
     " t = const f32[N,100] 4e6; m = lt e t; y = select m x e; ret y; }",
     true},
    {"f(k: u32[N,100], x: f32[N,100]) { z = const u32[N,100] 0;"
     " a, b, c, d = philox4x32 k k z k z z; e = xor a b; g = xor c d; h = add e g;"
     " i = cast h dtype=f32; y = mul i x; ret y; }",
     true},
    /* an embedding and what is added to it; by numbers that are computed */
    {"f(x: f32[50,32], i: i32[N,7,1], p: f32[7,32]) {"
     " g = gather x i offset_dims=[2] collapsed=[0] start_index_map=[0]"
     " slice_sizes=[1,32]; q = broadcast p [N,7,32] dims=[1,2]; y = add g q; ret y; }",
     true},
    {"f(x: f32[50,32], i: i64[N,1], s: f32[N,32]) { two = const i64[N,1] 2;"
     " j = mul i two; g = gather x j offset_dims=[1] collapsed=[0] start_index_map=[0]"
     " slice_sizes=[1,32] mode=fill fill=3; y = mul g s; ret y; }",
     true},
    /* a promise that is broken is an error, which the library finds */
    {"f(x: f32[50,32], i: i64[N,1], s: f32[N,32]) {"
     " g = gather x i offset_dims=[1] collapsed=[0] start_index_map=[0]"
     " slice_sizes=[1,32] mode=promised; y = mul g s; z = neg y; ret z; }",
     false},
    /* bounds that are known: of infinities, NaN (0 times infinity), zeros of both signs, and rounded to bytes */
#define BOUNDS(lo, hi, byte)                                                                                  \
    {"f(x: f32[N,100]) { z = const f32[N,100] 0; u = const f32[N,100] 1e30; a = mul x u; b = mul a u; c = mul b z;" \
     " d = add x c; n = neg z; e = mul d n; l = const f32[N,100] " lo "; h = const f32[N,100] " hi ";"                \
     " m1 = max b l; y1 = min m1 h; m2 = max d l; y2 = min h m2; m3 = max e l; y3 = min m3 h; k = cast y2 " byte ";" \
     " o = cast y1 " byte "; i1 = div y3 y3; q = sign i1; r = div q m3; m4 = min d h; y4 = max m4 l; s = cast y4 " byte ";" \
     " ret y1, y2, y3, k, o, r, s; }",                                                                         \
     true}
    BOUNDS("0", "6", "u8"), BOUNDS("-1", "1", "i8"), BOUNDS("3", "255", "u8"), BOUNDS("-128", "127", "i8"), BOUNDS("-3", "300", "u8"),
    /* short rows are not worth it */
    {"f(x: f32[50,3], i: i64[N,1], s: f32[N,3]) {"
     " g = gather x i offset_dims=[1] collapsed=[0] start_index_map=[0]"
     " slice_sizes=[1,3]; y = mul g s; z = neg y; ret z; }",
     false},
};

TEST(random_bits_and_rows_by_number_fuse_with_what_is_around)
{
    BENCH_OPEN(bench);
    Items b = {.cx = bench.cx, .a = codegen_arena(bench.cx), .target = target_cpu()};

    if (!code_possible(b.cx))
        SKIP("no C compiler");
    for (int i = 0; i < COUNT(wholes); i++) {
        const Program *p = parse_lines(b.cx, wholes[i].text);
        const Item *it;

        if (!is_valid(b.cx, p))
            break;
        add_item(&b, p, (uint64_t)i + 1, arena_printf(b.a, "whole %d", i));
        it = &b.items.v[b.items.n - 1];
        if ((it->l.fused.p->neqns == 1 && it->l.n == 1) != wholes[i].whole)
            report(&b, it, "it is not fused as it should be", -1);
    }
    check_items(&b);
    wf_clear(b.cx);
    BENCH_CLOSE(bench);
}

/* ---- the generated C --------------------------------------------------------------- */

static void check_golden(wf_ctx *cx, const char *path)
{
    Arena *a = codegen_arena(cx);
    size_t size, want_size;
    char *text = read_text(path, &size);
    const char *want_path = arena_printf(a, "%.*s.c", (int)strlen(path) - 4, path);
    char *want = read_text(want_path, &want_size);
    const Program **ps;
    uint32_t n;
    Lowered l;
    Text got;
    FILE *f;

    text_init(&got, a);
    if (programs_parse(cx, path, text, size, NULL, &ps, &n) &&
        compile_lower(cx, a, target_isa(ISA_AVX2), ps[n - 1], false, 0, &l))
        for (uint32_t i = 0; i < l.n; i++)
            render_kernel(l.k[i], a, &got);
    if (getenv("WEFT_BLESS") && (f = fopen(want_path, "w"))) {
        fputs(text_str(&got), f);
        fclose(f);
    } else if (!want || strcmp(want, text_str(&got)) != 0) {
        check_fail(want_path, 0, "the C has changed (WEFT_BLESS=1 rewrites it):\n%s%s",
                   text_str(&got), wf_ctx_message(cx));
    }
    free(text);
    free(want);
}

XTEST(generated_c_is_as_reviewed)
{
    static const char *const names[] = {"map",  "softmax", "bias_grad", "loss",
                                        "while", "product", "gates",  "straight",  "short_rows"};

    for (int i = 0; i < COUNT(names); i++)
        check_golden(cx,
                     arena_printf(&cx->scratch, "tests/golden/codegen/%s.wir", names[i]));
}

/* ---- out of memory ----------------------------------------------------------------- */

static const char softmax_text[] =
    "f(x: f32[N,8]) { m = reduce_max x axes=[1]; mb = broadcast m [N,8] dims=[0];"
    " d = sub x mb; e = exp d; s = reduce_sum e axes=[1]; l = reduce_sum e axes=[0]; ret "
    "s, l; }";

static void compile_and_run(wf_allocator al, void *user)
{
    wf_options o = {.size = sizeof o, .allocator = al, .threads = 1};
    wf_ctx *cx = wf_ctx_new(&o);
    char text[512];
    float data[24] = {1, 2, 3};
    int64_t dims[2] = {3, 8};
    wf_array *x = NULL, *y[2] = {NULL, NULL};
    wf_model *m = NULL;
    wf_exec *e = NULL;

    (void)user;
    if (!cx)
        return;
    snprintf(text, sizeof text, "%s", softmax_text);
    for (char *c = text; *c; c++)
        *c = *c == ';' ? '\n' : *c;
    if (wf_model_parse(cx, "f.wir", text, strlen(text), &m) == WF_OK &&
        wf_array_from(cx, WF_F32, dims, 2, data, &x) == WF_OK &&
        wf_compile(cx, wf_model_program(m, 0), 0, &e) == WF_OK)
        wf_run(cx, e, &x, 1, y, 2);
    wf_array_release(x);
    wf_array_release(y[0]);
    wf_array_release(y[1]);
    wf_exec_release(e);
    wf_model_free(m);
    CHECK(wf_ctx_status(cx) == WF_OK || wf_ctx_status(cx) == WF_ERR_MEMORY);
    wf_ctx_free(cx);
}

TEST(compiling_survives_every_allocation_that_fails)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    bool possible = code_possible(cx);

    wf_ctx_free(cx);
    if (!possible)
        SKIP("no C compiler");
    CHECK(fault_each(compile_and_run, NULL) > 20);
}

/* ---- large arrays, threads --------------------------------------------------------- */

static const char large_text[] =
    "f(x: f32[N,1024]) { s = reduce_sum x axes=[1]; sb = broadcast s [N,1024] dims=[0];"
    " d = sub x sb; t = tanh d; c = reduce_sum t axes=[0]; l = reduce_sum t axes=[0,1];"
    " ret t, c, l; }";

/* Results of the program on one input, compiled or not, by so many threads. */
static void run_large(int threads, bool compiled, const float *data, int64_t rows,
                      float **out)
{
    wf_options o = {.size = sizeof o, .threads = threads};
    wf_ctx *cx = wf_ctx_new(&o);
    int64_t dims[2] = {rows, 1024};
    wf_array *x = NULL, *y[3] = {NULL, NULL, NULL};
    wf_model *m = NULL;
    wf_exec *e = NULL;
    char text[512];

    snprintf(text, sizeof text, "%s", large_text);
    for (char *c = text; *c; c++)
        *c = *c == ';' ? '\n' : *c;
    wf_model_parse(cx, "large.wir", text, strlen(text), &m);
    wf_array_from(cx, WF_F32, dims, 2, data, &x);
    if (compiled)
        wf_compile(cx, wf_model_program(m, 0), 0, &e);
    else
        wf_prepare(cx, wf_model_program(m, 0), &e);
    CHECK(wf_exec_is_compiled(e) == compiled);
    CHECK(wf_run(cx, e, &x, 1, y, 3) == WF_OK);
    for (int j = 0; j < 3; j++) {
        size_t bytes = (size_t)wf_array_count(y[j]) * sizeof(float);

        out[j] = malloc(bytes);
        memcpy(out[j], wf_array_data(y[j]), bytes);
        wf_array_release(y[j]);
    }
    wf_array_release(x);
    wf_exec_release(e);
    wf_model_free(m);
    wf_ctx_free(cx);
}

TEST(large_arrays_give_the_same_bits_for_any_number_of_threads)
{
    const int64_t rows = 2200, counts[3] = {rows * 1024, 1024, 1};
    float *data = malloc((size_t)counts[0] * sizeof *data), *one[3], *three[3], *need[3];
    wf_ctx *cx = wf_ctx_new(NULL);
    bool possible = code_possible(cx);
    Rng rng = {7};

    wf_ctx_free(cx);
    for (int64_t i = 0; i < counts[0]; i++)
        data[i] = (float)(rng_unit(&rng) * 0.01 - 0.005);
    if (possible) {
        run_large(1, true, data, rows, one);
        run_large(3, true, data, rows, three);
        run_large(1, false, data, rows, need);
        for (int j = 0; j < 3; j++) {
            double worst = 0;

            CHECK(!memcmp(one[j], three[j], (size_t)counts[j] * sizeof(float)));
            for (int64_t i = 0; i < counts[j]; i++) {
                double d = (double)one[j][i] - (double)need[j][i];

                worst = d > worst ? d : -d > worst ? -d : worst;
            }
            CHECK(worst <= (j == 0 ? 1e-6 : j == 1 ? 1e-3 : 0.5));
            free(one[j]);
            free(three[j]);
            free(need[j]);
        }
    }
    free(data);
    if (!possible)
        SKIP("no C compiler");
}
