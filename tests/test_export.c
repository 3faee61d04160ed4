/* test_export.c -- exported C gives what the interpreter gives: every case of tests/ops in
 * every float, random programs and their derivatives, models, training steps. The C is
 * compiled with all warnings as errors, and run as a program of its own.
 *
 * EXPORT sets how many random programs there are, EXPORT_SEED the first; EXPORT_KEEP keeps
 * the folder with the C.
 */
#include "lib_random.h"
#include "export/export.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BATCH 60 /* programs in one file */
#define MOST  70 /* of any symbol */
#define WARN  "-std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror"

/* ---- running commands ------------------------------------------------------------------ */

static const char *temporary(wf_ctx *cx)
{
    const char *base = getenv("TMPDIR");
    char *dir = arena_printf(&cx->scratch, "%s/weft-export-XXXXXX", base ? base : "/tmp");

    return mkdtemp(dir) ? dir : NULL;
}

static void remove_folder(wf_ctx *cx, const char *dir)
{
    if (getenv("EXPORT_KEEP"))
        printf("%s\n", dir);
    else if (system(arena_printf(&cx->scratch, "rm -rf '%s'", dir)) != 0)
        printf("cannot remove %s\n", dir);
}

static int run(wf_ctx *cx, const char *fmt, ...) PRINTF(2, 3);
static int run(wf_ctx *cx, const char *fmt, ...)
{
    va_list ap;
    int rc;

    va_start(ap, fmt);
    rc = system(arena_vprintf(&cx->scratch, fmt, ap));
    va_end(ap);
    return rc;
}

static bool has_program(wf_ctx *cx, const char *name)
{
    return run(cx, "command -v %s >/dev/null 2>&1", name) == 0;
}

/* cc: a compiler and its options; false after saying what it said. */
static bool compile(wf_ctx *cx, const char *dir, const char *name, const char *cc)
{
    if (run(cx, "cd '%s' && %s " WARN " -o main.exe %s*.c -lm >log 2>&1", dir, cc,
            name) == 0)
        return true;
    check_fail(__FILE__, __LINE__, "%s does not compile by %s:", name, cc);
    run(cx, "head -20 '%s/log'", dir);
    return false;
}

/* ---- one program ----------------------------------------------------------------------- */

static double tolerance(wf_dtype t)
{
    t = dtype_part(t);
    return t == WF_F16 ? 8e-3 : t == WF_BF16 ? 6e-2 : t == WF_F32 ? 5e-5 : 1e-11;
}

static double tolerance_by(const Program *p)
{
    double most = 0;

    for (Val v = 1; v < p->nvals; v++)
        if (dtype_is_inexact((wf_dtype)val_type(p, v).dtype))
            most = MAX(most, tolerance((wf_dtype)val_type(p, v).dtype));
    for (uint32_t i = 0; i < p->nsubs; i++)
        most = MAX(most, tolerance_by(p->subs[i]));
    return most;
}

/* The program under another name. */
static const Program *renamed(wf_ctx *cx, const Program *p, const char *name)
{
    Builder *b = builder_new(cx, name, B_VERBATIM);
    Val *outs = arena_array(&cx->scratch, p->nout + 1, sizeof *outs);
    Copier c;

    copier_init(&c, b, p, NULL, NULL);
    for (uint32_t i = 0; i < p->dims.guards.n; i++)
        dim_guard(&b->dims, copier_dim(&c, p->dims.guards.v[i].lhs),
                  p->dims.guards.v[i].is_eq, copier_dim(&c, p->dims.guards.v[i].rhs),
                  NOWHERE);
    copier_inputs(&c);
    for (uint32_t i = 0; i < p->neqns && copier_eqn(&c, &p->eqns[i]); i++)
        ;
    for (uint32_t j = 0; j < p->nout; j++)
        outs[j] = c.val[p->outs[j]];
    return builder_finish(b, outs, p->nout);
}

typedef struct Item {
    Case c;
    const char *what;
    uint64_t seed;
} Item;

typedef struct Items {
    wf_ctx *cx;
    const char *dir;
    wf_model *model;
    Names symbols;
    VEC(Item) v;
    int refused, compared;
    bool ops[OP_COUNT];   /* that exported programs had */
    bool named[OP_COUNT]; /* that refused ones had, and have no C */
} Items;

static bool export_model(Items *b, wf_model *m, const char *name)
{
    int64_t *most = arena_array(&b->cx->scratch, b->symbols.n + 1, sizeof *most);
    wf_export_options o = {
        .size = sizeof o, .name = name, .most_symbols = b->symbols.v, .most = most};

    o.nmost = (int)b->symbols.n;
    for (uint32_t i = 0; i < b->symbols.n; i++)
        most[i] = MOST;
    return wf_export(b->cx, m, b->dir, &o) == WF_OK;
}

static bool has_name(const Names *n, const char *s)
{
    for (uint32_t i = 0; i < n->n; i++)
        if (!strcmp(n->v[i], s))
            return true;
    return false;
}

static void note_ops(Items *b, const Program *p)
{
    for (uint32_t i = 0; i < p->neqns; i++)
        b->ops[p->eqns[i].op] = true;
    for (uint32_t i = 0; i < p->nsubs; i++)
        note_ops(b, p->subs[i]);
}

/* Ops of a program that was refused, which have no C. */
static void note_refusal(Items *b, const Program *p)
{
    for (uint32_t i = 0; i < p->neqns; i++)
        if (*wf_export_refusal(op_name(p->eqns[i].op)))
            b->named[p->eqns[i].op] = true;
    for (uint32_t i = 0; i < p->nsubs; i++)
        note_refusal(b, p->subs[i]);
}

/* Alone first: what is refused says so, and stays out. */
static void add_program(Items *b, Case c, uint64_t seed, const char *what)
{
    wf_ctx *cx = b->cx;
    Items alone = {.cx = cx, .dir = b->dir};
    const Program *p = renamed(cx, c.p, arena_printf(&cx->scratch, "p%u", b->v.n));
    wf_model *m = NULL;

    for (uint32_t i = 0; p && i < p->dims.syms.n; i++)
        if (p->dims.syms.v[i].origin != SYM_EQN)
            vec_push(&cx->scratch, &alone.symbols, p->dims.syms.v[i].name);
    if (!p || wf_model_new(cx, &m) || wf_model_add(cx, m, p)) {
        check_fail(__FILE__, __LINE__, "%s: %s", what, wf_ctx_message(cx));
    } else if (!export_model(&alone, m, "alone")) {
        CHECK(wf_ctx_status(cx) == WF_ERR_UNSUPPORTED);
        CHECK(strstr(wf_ctx_message(cx), "export: ") != NULL);
        b->refused++;
        note_refusal(b, c.p);
        if (getenv("EXPORT_STATS"))
            printf("%s: %s\n", what, wf_ctx_message(cx));
    } else {
        for (uint32_t i = 0; i < alone.symbols.n; i++)
            if (!has_name(&b->symbols, alone.symbols.v[i]))
                vec_push(&cx->scratch, &b->symbols, alone.symbols.v[i]);
        note_ops(b, c.p);
        wf_model_add(cx, b->model, p);
        vec_push(&cx->scratch, &b->v, ((Item){c, what, seed}));
    }
    wf_clear(cx);
    wf_model_free(m);
}

/* Inputs to a file, results from one. */
static bool put_inputs(Items *b, const Program *p, const Nd *in)
{
    FILE *f = fopen(arena_printf(&b->cx->scratch, "%s/in", b->dir), "wb");

    for (uint32_t i = 0; f && i < p->nin; i++)
        fwrite(in[i].data, wf_dtype_size(in[i].dtype), (size_t)in[i].count, f);
    return f && fclose(f) == 0;
}

static const char *compare(Items *b, const Item *it, const Nd *in, const Nd *need, int rc)
{
    const Program *p = it->c.p;
    double least = 10 * tolerance_by(p);
    FILE *f = fopen(arena_printf(&b->cx->scratch, "%s/out", b->dir), "rb");
    const char *why = NULL;

    (void)in;
    if (!need != (rc != 0))
        why = arena_printf(&b->cx->scratch, "exported gives %d, interpreted %s", rc,
                           need ? "succeeds" : "fails");
    for (uint32_t j = 0; f && need && !why && j < p->nout; j++) {
        Nd got = nd_new(b->cx, need[j].dtype, need[j].dims, need[j].rank);

        if (fread(got.data, wf_dtype_size(got.dtype), (size_t)got.count, f) !=
            (size_t)got.count)
            why = "results are missing";
        else if ((why =
                      nd_differ(b->cx, &got, &need[j], MAX(least, tolerance(got.dtype)))))
            why = arena_printf(&b->cx->scratch, "result %u: %s", j, why);
    }
    if (f)
        fclose(f);
    return f ? why : "there is no file of results";
}

static void report(Items *b, const Item *it, const char *why)
{
    Text t;

    text_init(&t, &b->cx->scratch);
    program_print(it->c.p, &(PrintOptions){.max_const = 20}, &t);
    check_fail(__FILE__, __LINE__, "%s, seed %d: %s\n%s", it->what, (int)it->seed, why,
               text_str(&t));
}

static void check_run(Items *b, uint32_t i, const Case *c, const char *runner)
{
    wf_ctx *cx = b->cx;
    const Item *it = &b->v.v[i];
    Rng rng = {it->seed + 1};
    Nd *in = case_inputs(cx, c, &rng), *need = in ? run_program(cx, c->p, in) : NULL;
    Text sizes;
    const char *why;
    int rc;

    wf_clear(cx);
    if (!in || !put_inputs(b, c->p, in))
        return;
    text_init(&sizes, &cx->scratch);
    for (uint32_t k = 0; k < c->p->dims.syms.n; k++)
        if (c->sizes[k] >= 0)
            text_printf(&sizes, " '%s=%lld'", c->p->dims.syms.v[k].name,
                        (long long)c->sizes[k]);
    rc = run(cx, "cd '%s' && %s ./main.exe p%u in out%s 2>err", b->dir, runner, i,
             text_str(&sizes));
    why = compare(b, it, in, need, rc);
    b->compared++;
    if (why)
        report(b, it, why);
}

static void check_items(Items *b, const char *cc, const char *runner, bool all_sizes)
{
    static const int64_t sizes[] = {-1, 1, 0, 67};

    if (!b->v.n || !export_model(b, b->model, "all")) {
        check_fail(__FILE__, __LINE__, "%u programs: %s", b->v.n, wf_ctx_message(b->cx));
        wf_clear(b->cx);
        return;
    }
    if (!compile(b->cx, b->dir, "all", cc) ||
        (has_program(b->cx, "clang") && !compile(b->cx, b->dir, "all", "clang -fsyntax-only -Wno-unused-command-line-argument")))
        return;
    for (uint32_t i = 0; i < b->v.n && check_ok(); i++)
        for (int k = 0; k < (all_sizes && b->v.v[i].c.p->dims.syms.n ? 4 : 1); k++) {
            Case c = b->v.v[i].c;
            int64_t *own =
                arena_array(&b->cx->scratch, c.p->dims.syms.n + 1, sizeof *own);

            for (uint32_t s = 0; s < c.p->dims.syms.n; s++)
                own[s] = c.sizes[s] >= 0 && sizes[k] >= 0 ? sizes[k] : c.sizes[s];
            c.sizes = own;
            check_run(b, i, &c, runner);
        }
}

static void items_open(Items *b, wf_ctx *cx)
{
    *b = (Items){.cx = cx, .dir = temporary(cx)};
    wf_model_new(cx, &b->model);
}

static void items_close(Items *b)
{
    wf_model_free(b->model);
    remove_folder(b->cx, b->dir);
}

/* ---- the cases of tests/ops ------------------------------------------------------------ */

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

static void check_cases(wf_ctx *cx, const char *path, bool *ops, bool *named)
{
    static const char *const floats[] = {"f64", "f32", "f16", "bf16"};
    Case *cases;
    uint32_t n;
    Items b;

    items_open(&b, cx);
    if (!cases_load(cx, path, &cases, &n)) {
        check_fail(path, 0, "%s", wf_ctx_message(cx));
        n = 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        Case c = cases[i];
        const Program *p;

        if (!case_batch(cx, &c))
            continue;
        p = c.p;
        for (int k = 0; k < 4; k++) {
            c.p = k ? with_float(cx, p, floats[k]) : p;
            if (c.p)
                add_program(
                    &b, c, 1,
                    arena_printf(&cx->scratch, "%s %s in %s", path, p->name, floats[k]));
        }
    }
    if (b.v.n)
        check_items(&b, "cc -O1 -DALL_PORTABLE", "", false);
    for (int i = 0; i < OP_COUNT; i++) {
        ops[i] |= b.ops[i];
        named[i] |= b.named[i];
    }
    items_close(&b);
}

static bool has_compiler(wf_ctx *cx) { return has_program(cx, "cc"); }

/* Every op is exported in some case, or refused by name. */
TEST(every_op_is_exported_as_it_is_interpreted_or_refused)
{
    bool ops[OP_COUNT] = {0}, named[OP_COUNT] = {0};
    DIR *d = opendir("tests/ops");
    struct dirent *e;

    CHECK(d != NULL);
    while (d && (e = readdir(d))) {
        BENCH_OPEN(bench);
        if (strstr(e->d_name, ".wir") && has_compiler(bench.cx))
            check_cases(bench.cx,
                        arena_printf(&bench.cx->scratch, "tests/ops/%s", e->d_name), ops,
                        named);
        wf_clear(bench.cx);
        BENCH_CLOSE(bench);
    }
    if (d)
        closedir(d);
    for (unsigned i = 0; i < OP_COUNT; i++) {
        bool refused = *wf_export_refusal(op_name(i));

        if (!refused && !ops[i])
            check_fail(__FILE__, __LINE__,
                       "%s is not refused, but in no case that was exported", op_name(i));
        if (refused && !named[i] && !op_has(i, OPF_NOEVAL | OPF_EFFECT) && i != OP_host)
            check_fail(__FILE__, __LINE__,
                       "%s is refused, but no case that has it was refused", op_name(i));
    }
}

XTEST(a_print_is_refused_at_its_line)
{
    const Program *p =
        parse_lines(cx, "f(x: f64[3]) {; print x format=\"{}\"; y = exp x; ret y; }");
    const char *dir = temporary(cx);
    wf_model *m = NULL;

    REQUIRE(p && dir && wf_model_new(cx, &m) == WF_OK && wf_model_add(cx, m, p) == WF_OK);
    CHECK(wf_export(cx, m, dir, NULL) == WF_ERR_UNSUPPORTED);
    check_error(cx, WF_ERR_UNSUPPORTED, "export: print: there is nothing to print on");
    wf_model_free(m);
    remove_folder(cx, dir);
}

XTEST(a_size_that_is_neither_fixed_nor_bounded_is_an_error)
{
    const Program *p = parse_lines(cx, "f(x: f32[N]) {; y = exp x; ret y; }");
    wf_model *m = NULL;

    REQUIRE(p && wf_model_new(cx, &m) == WF_OK && wf_model_add(cx, m, p) == WF_OK);
    CHECK(wf_export(cx, m, "/nowhere", NULL) == WF_ERR_VALUE);
    check_error(cx, WF_ERR_VALUE,
                "export: 'f' has a size N; say how large it is (--size=N=32)");
    wf_model_free(m);
}

/* ---- random programs ------------------------------------------------------------------- */

static const Program *derived(wf_ctx *cx, const Program *p, uint64_t seed)
{
    int *wrt = arena_array(&cx->scratch, p->nin + 1, sizeof *wrt), n = 0;
    int *axes = arena_zalloc(&cx->scratch, (p->nin + 1) * sizeof *axes);
    const Program *q = NULL;

    for (uint32_t i = 0; i < p->nin; i++)
        if (dtype_is_float((wf_dtype)val_type(p, i + 1).dtype))
            wrt[n++] = (int)i;
    if (seed % 3 == 1 && n)
        q = xf_vjp(cx, p, wrt, n);
    else if (seed % 3 == 2 && p->nin)
        q = xf_vmap(cx, p, axes, NULL, 3, NULL);
    wf_clear(cx);
    return q ? q : p;
}

static const Program *random_of(wf_ctx *cx, uint64_t seed)
{
    static const wf_dtype floats[] = {WF_F32, WF_F32, WF_F64, WF_F32, WF_F16, WF_BF16};
    Rng rng = {seed * 99991};

    if (seed % 2)
        return random_net(cx, &rng, floats[seed / 2 % 6], 1 + (int)(seed / 2 % 7));
    return random_program(cx, &rng, seed % 20 ? 2 + (int)(seed % 6) : 16,
                          seed % 7 ? RANDOM_PLAIN : RANDOM_CUSTOM);
}

static int number_of(const char *name, int standard)
{
    const char *v = getenv(name);

    return v ? atoi(v) : standard;
}

/* Compared, refused. */
static void random_batch(int from, int n, const char *cc, const char *runner, int *had)
{
    BENCH_OPEN(bench);
    Items b;

    items_open(&b, bench.cx);
    for (int i = 0; i < n; i++) {
        uint64_t seed = (uint64_t)(from + i);
        const Program *p = random_of(b.cx, seed);

        wf_clear(b.cx);
        if (p && (p = derived(b.cx, p, seed)))
            add_program(&b, case_of(b.cx, p, seed), seed, "random");
        wf_clear(b.cx);
    }
    check_items(&b, cc, runner, !*runner);
    had[0] += b.compared;
    had[1] += b.refused;
    items_close(&b);
    BENCH_CLOSE(bench);
}

TEST(random_programs_run_exported_as_interpreted)
{
    int n = number_of("EXPORT", 120), first = number_of("EXPORT_SEED", 1), had[2] = {0};
    wf_ctx *cx = wf_ctx_new(NULL);
    bool possible = has_compiler(cx);

    wf_ctx_free(cx);
    if (!possible)
        SKIP("no C compiler");
    for (int i = 0; i < n && check_ok(); i += BATCH)
        random_batch(first + i, MIN(BATCH, n - i), "cc -O1 -DALL_PORTABLE", "", had);
    CHECK(had[0] >= n && had[1] < n / 3);
    if (getenv("EXPORT_STATS"))
        printf("%d runs, %d programs refused\n", had[0], had[1]);
}
