/* test_opt.c -- the optimiser: on random programs, their gradients and their batches every set of passes gives the
 * results of the program as it was; pass by pass, golden files (tests/opt). OPT_LAWS=n and OPT_SEED=s in the environment
 * choose how many random programs and from where.
 */
#include "lib_random.h"
#include "lib_target.h"
#include "opt/opt.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t env_number(const char *name, uint64_t standard)
{
    const char *s = getenv(name);

    return s ? strtoull(s, NULL, 10) : standard;
}

static const char *program_text(wf_ctx *cx, const Program *p)
{
    Text t;

    text_init(&t, &cx->scratch);
    program_print(p, &(PrintOptions){0}, &t);
    return text_str(&t);
}

static const Program *parse_last(wf_ctx *cx, const char *text)
{
    const Program **ps;
    uint32_t n;

    return programs_parse(cx, "test.wir", text, strlen(text), NULL, &ps, &n) && n
               ? ps[n - 1]
               : NULL;
}

/* ---- random programs ---- */

static bool same_bits(const Nd *a, const Nd *b)
{
    size_t size = wf_dtype_size(a->dtype);

    for (int64_t i = 0; i < a->count; i++) {
        double x = nd_get(a, i), y = nd_get(b, i);
        if (memcmp((char *)a->data + (size_t)i * size, (char *)b->data + (size_t)i * size,
                   size) &&
            !(isnan(x) && isnan(y)))
            return false;
    }
    return true;
}

/* Do all passes of the set keep every bit, by what the table says that they keep? */
static bool is_exact(unsigned set)
{
    static const struct {
        const char *name, *keeps;
    } rows[] = {
#define PASS(name, when, what, requires, keeps, breaks) {#name, keeps},
#include "opt/passes.def"
#undef PASS
    };

    for (int i = 0; i < COUNT(rows); i++) {
        int at = opt_find(rows[i].name);

        if (at >= 0 && set >> at & 1 &&
            (strstr(rows[i].keeps, " but ") || strstr(rows[i].keeps, "as the bodies say")))
            return false;
    }
    return true;
}

/* NULL, or how p after the passes of the set differs from p at these inputs, whose results are y. */
static const char *check_set(wf_ctx *cx, const Program *p, const Nd *in, const Nd *y,
                             unsigned set)
{
    Opt o = {.cx = cx, .target = target_eager()};
    const Program *q = opt_run(&o, p, set), *again;
    Nd *z = arena_array(&cx->scratch, p->nout + 1u, sizeof *z);
    const char *why;

    if (!q || !program_verify(cx, q) || !eval_program(cx, q, in, z, &cx->scratch))
        return wf_ctx_message(cx);
    for (uint32_t j = 0; j < p->nout; j++) {
        wf_dtype t = dtype_part(y[j].dtype);
        double tol = t == WF_F64 ? 1e-8 : t == WF_F32 ? 1e-5 : 1e-2;
        if ((why = nd_differ(cx, &z[j], &y[j], tol)))
            return arena_printf(&cx->scratch, "result %u: %s", j, why);
        if (is_exact(set) && !same_bits(&z[j], &y[j]))
            return arena_printf(&cx->scratch, "result %u has other bits", j);
    }
    if (set >> opt_find("recognise") & 1 && !(set >> opt_find("inline") & 1))
        return NULL; /* what became a call is not taken apart again, but changed inside */
    if (!(again = opt_run(&o, q, set)))
        return wf_ctx_message(cx);
    if (again != q)
        return arena_printf(&cx->scratch, "a second run changes it:\n%s\n-- to --\n%s",
                            program_text(cx, q), program_text(cx, again));
    return NULL;
}

static Nd *inputs_of(wf_ctx *cx, const Program *p, uint64_t seed)
{
    Rng rng = {seed};
    Case c = {.p = p};

    c.in = arena_zalloc(&cx->scratch, (p->nin + 1) * sizeof *c.in);
    c.sizes = arena_array(&cx->scratch, p->dims.syms.n + 1u, sizeof *c.sizes);
    for (uint32_t i = 0; i < p->dims.syms.n; i++)
        c.sizes[i] = p->dims.syms.v[i].origin == SYM_EQN ? -1 : 3;
    return case_inputs(cx, &c, &rng);
}

/* The sets to try: none and all; for the k-th: each alone and all but each if many, else one of them; random ones. */
static const char *check_sets(wf_ctx *cx, const Program *p, uint64_t seed, bool many)
{
    Nd *in = inputs_of(cx, p, seed),
       *y = arena_array(&cx->scratch, p->nout + 1u, sizeof *y);
    unsigned sets[2 * OPT_PASSES + 10], n = 0;
    Rng rng = {seed + 7};
    const char *why;

    if (!eval_program(cx, p, in, y, &cx->scratch))
        return arena_printf(&cx->scratch, "the program itself: %s", wf_ctx_message(cx));
    sets[n++] = 0;
    sets[n++] = OPT_ALL;
    for (unsigned i = 0; i < OPT_PASSES; i++)
        if (many || seed % OPT_PASSES == i) {
            sets[n++] = 1u << i;
            sets[n++] = OPT_ALL & ~(1u << i);
        }
    for (int i = 0; i < (many ? 8 : 1); i++)
        sets[n++] = (unsigned)(rng_next(&rng) >> 20) & OPT_ALL;
    for (unsigned i = 0; i < n; i++)
        if ((why = check_set(cx, p, in, y, sets[i])))
            return arena_printf(&cx->scratch, "passes %x: %s", sets[i], why);
    return NULL;
}

static const Program *gradient(wf_ctx *cx, const Program *p)
{
    int wrt[64], n = 0;

    for (uint32_t i = 0; i < p->nin && n < 64; i++)
        if (dtype_is_float((wf_dtype)val_type(p, i + 1).dtype))
            wrt[n++] = (int)i;
    return n ? xf_grad(cx, p, wrt, n, true) : NULL;
}

static const Program *batched(wf_ctx *cx, const Program *p, uint64_t seed)
{
    int *axes = arena_array(&cx->scratch, p->nin + 1u, sizeof *axes);

    for (uint32_t i = 0; i < p->nin; i++)
        axes[i] = (seed >> (i % 8) & 1) || i == 0 ? 0 : -1;
    return p->nin ? xf_vmap(cx, p, axes, NULL, seed & 1 ? 2 : -1, NULL) : NULL;
}

static const char *complain(wf_ctx *cx, const Program *p, uint64_t seed)
{
    const Program *g, *v;
    const char *why = check_sets(cx, p, seed, true);

    if (why)
        return why;
    if ((g = gradient(cx, p)) && (why = check_sets(cx, g, seed, false)))
        return arena_printf(&cx->scratch, "gradient: %s", why);
    wf_clear(cx);
    if ((v = batched(cx, p, seed)) && (why = check_sets(cx, v, seed, false)))
        return arena_printf(&cx->scratch, "batch: %s", why);
    wf_clear(cx);
    return NULL;
}

static const char *complain_cleared(wf_ctx *cx, const Program *p, uint64_t seed)
{
    wf_clear(cx);
    return complain(cx, p, seed);
}

/* fired[i]: programs that pass i alone changes */
static bool one_program(uint64_t seed, int *fired)
{
    BENCH_OPEN(b);
    Rng rng = {seed * 77 + 5};
    const Program *p = seed % 3 == 0
                           ? random_net(b.cx, &rng, WF_F64, 1 + (int)(seed / 3 % 7))
                           : random_program(b.cx, &rng, 2 + (int)(seed % 40),
                                            seed % 4 ? RANDOM_PLAIN : RANDOM_CUSTOM);
    const char *why = p ? complain(b.cx, p, seed) : wf_ctx_message(b.cx);

    for (int i = 0; i < OPT_PASSES && !why; i++)
        fired[i] += opt_run(&(Opt){.cx = b.cx, .target = target_eager()}, p, 1u << i) != p;
    if (why) {
        why = arena_strdup(&b.cx->scratch, why);
        if (p) {
            p = shrink_program(b.cx, p, seed, complain_cleared);
            const char *now = complain_cleared(b.cx, p, seed);
            why = now ? arena_strdup(&b.cx->scratch, now) : why;
            wf_clear(b.cx);
        }
        FAIL("seed %llu: %s\n%s", (unsigned long long)seed, why,
             p ? program_text(b.cx, p) : "");
    }
    BENCH_CLOSE(b);
    return why == NULL;
}

TEST(every_set_of_passes_keeps_what_random_programs_compute)
{
    uint64_t n = env_number("OPT_LAWS", 300), seed = env_number("OPT_SEED", 1);
    int bad = 0, fired[OPT_PASSES] = {0};

    for (uint64_t i = 0; i < n && bad < 3; i++)
        bad += !one_program(seed + i, fired);
    for (int i = 0; i < OPT_PASSES && n >= 300; i++)
        if (!fired[i] && !bad && i != opt_find("early") && /* which is of programs of several devices, */
            i != opt_find("bytes"))                        /* and of dtypes that only store: a test of its own */
            FAIL("pass %s changed none of %llu programs", opt_pipeline[i].name,
                 (unsigned long long)n);
}

/* ---- every op ---- */

/* The case files of the ops: every op, dtype and edge case, with all passes and with each alone. */
static int check_cases(const char *path)
{
    BENCH_OPEN(b);
    Rng rng = {11};
    uint32_t n = 0;
    int checked = 0;
    Case *cases;

    if (!cases_load(b.cx, path, &cases, &n))
        FAIL("%s: %s", path, wf_ctx_message(b.cx));
    for (uint32_t k = 0; k < n; k++) {
        Case *c = &cases[k];
        Nd *in, *y = arena_array(&b.cx->scratch, c->p->nout + 1u, sizeof *y);
        const char *why = NULL;

        if (c->p->effects || (c->axis && !case_batch(b.cx, c)))
            continue;
        in = case_inputs(b.cx, c, &rng);
        if (!eval_program(b.cx, c->p, in, y, &b.cx->scratch)) {
            wf_clear(b.cx); /* a case of an error at run time */
            continue;
        }
        for (unsigned i = 0; i <= OPT_PASSES && !why; i++)
            why = check_set(b.cx, c->p, in, y, i < OPT_PASSES ? 1u << i : OPT_ALL);
        if (why)
            FAIL("%s: %s: %s", path, c->p->name, why);
        wf_clear(b.cx);
        checked++;
    }
    BENCH_CLOSE(b);
    return checked;
}

TEST(passes_keep_what_the_cases_of_every_op_compute)
{
    DIR *d = opendir("tests/ops");
    struct dirent *e;
    char path[512];
    int n = 0;

    REQUIRE(d != NULL);
    while ((e = readdir(d)))
        if (strstr(e->d_name, ".wir")) {
            snprintf(path, sizeof path, "tests/ops/%s", e->d_name);
            n += check_cases(path);
        }
    closedir(d);
    CHECK(n > 500);
}

/* ---- golden files ---- */

/* tests/opt/x.wir: text, "# run: weft show [--grad=0] --after=PASS", and behind "# expect:" what that prints. The program is
 * also evaluated, with every set of passes, itself, its gradient if it has one, and its batch, unless it prints. */
static const Program *run_golden(wf_ctx *cx, const char *text)
{
    const Program *p = parse_last(cx, text);
    const char *run = strstr(text, "# run: weft show"), *after,
               *end = run ? strchr(run, '\n') : NULL;
    char pass[32] = "";
    int wrt = 0;
    unsigned set;

    if (!p || !end || !(after = strstr(run, "--after=")) || after > end)
        return NULL;
    sscanf(after, "--after=%31s", pass);
    if (strstr(run, "--grad") && strstr(run, "--grad") < end)
        p = xf_grad(cx, p, &wrt, 1, false);
    set = !strcmp(pass, "all") ? OPT_ALL : (2u << opt_find(pass)) - 1;
    return p && set ? opt_run(&(Opt){.cx = cx}, p, set) : NULL;
}

static void write_golden(const char *path, const char *head, size_t n, const char *expect)
{
    FILE *f = fopen(path, "w");

    REQUIRE(f != NULL);
    fwrite(head, 1, n, f);
    fputs("# expect:\n", f);
    fputs(expect, f);
    fclose(f);
}

static void check_golden(const char *path)
{
    BENCH_OPEN(b);
    size_t size;
    char *text = read_text(path, &size),
         *mark = text ? strstr(text, "# expect:\n") : NULL;
    char *head = text ? arena_strdup(&b.cx->scratch, text) : NULL;
    size_t n = mark ? (size_t)(mark - text) : size;
    const Program *p;

    if (!text) {
        FAIL("%s: cannot be read", path);
    } else {
        head[n] = 0;
        p = run_golden(b.cx, head);
        const char *got = p ? program_text(b.cx, p) : wf_ctx_message(b.cx);
        if (getenv("WEFT_BLESS"))
            write_golden(path, head, n, got);
        else if (!mark || strcmp(got, mark + 10))
            FAIL("%s: got\n%s", path, got);
        if ((p = parse_last(b.cx, head)) && !p->effects && (got = complain(b.cx, p, 3)))
            FAIL("%s: %s", path, got);
    }
    free(text);
    BENCH_CLOSE(b);
}

TEST(golden_programs_become_what_their_files_say)
{
    DIR *d = opendir("tests/opt");
    struct dirent *e;
    char path[512];
    int n = 0;

    REQUIRE(d != NULL);
    while ((e = readdir(d)))
        if (strstr(e->d_name, ".wir")) {
            snprintf(path, sizeof path, "tests/opt/%s", e->d_name);
            check_golden(path);
            n++;
        }
    closedir(d);
    CHECK(n >= 10);
}

/* ---- special values ---- */

/* f of every pair of special values, before and after: bit for bit unless fast. */
static void check_special(const char *text, bool exact)
{
    static const double values[] = {0,     -0.0,   1,        -1,        2.5,
                                    1e308, 5e-324, HUGE_VAL, -HUGE_VAL, (double)NAN};
    enum { N = sizeof values / sizeof *values };
    BENCH_OPEN(b);
    const Program *p = parse_last(b.cx, text);
    const Program *q = p ? opt_run(&(Opt){.cx = b.cx}, p, OPT_ALL) : NULL;
    int64_t dims[] = {N * N};
    Nd in[2], y, z;

    CHECK(q != NULL);
    if (q) {
        for (int k = 0; k < 2; k++) {
            in[k] = nd_new(b.cx, WF_F64, dims, 1);
            for (int i = 0; i < N * N; i++)
                ((double *)in[k].data)[i] = values[k ? i % N : i / N];
        }
        CHECK(eval_program(b.cx, p, in, &y, &b.cx->scratch) &&
              eval_program(b.cx, q, in, &z, &b.cx->scratch));
        if (exact && !same_bits(&y, &z))
            FAIL("other bits: %s", program_text(b.cx, q));
        CHECK(q->neqns <= p->neqns);
    }
    BENCH_CLOSE(b);
}

#define SPECIAL(body)                                                                    \
    "f(x: f64[100], y: f64[100]) {\n  one = const f64[100] 1\n  zero = const f64[100] "  \
    "0\n" body "  ret z\n}\n"

/* Every code as every dtype, and numbers of every dtype as codes: middles of codes, ends, NaN; picked and moved. */
TEST(bytes_say_what_casts_of_storage_dtypes_mean)
{
    static const char *const stored[] = {"f8e4m3fn", "f8e5m2", "f8e4m3fnuz", "f8e5m2fnuz", "f8e8m0fnu", "i4", "u4"};
    static const char *const others[] = {"f32", "f64", "f16", "bf16", "i8", "u8", "i32", "i64", "u64", "bool", "c64", "i4", "f8e5m2"};

    for (int i = 0; i < COUNT(stored); i++)
        for (int k = 0; k < COUNT(others) && check_ok(); k++) {
            wf_ctx *cx = wf_ctx_new(NULL);
            const char *s = stored[i], *t = others[k],
                       *text = arena_printf(&cx->scratch,
                                            "f(c: u8[1024], y: f32[1024], at: i32[4,1]) {\n  x = bitcast c %s\n  a = cast x %s\n"
                                            "  b = cast y %s\n  d = cast b %s\n  p = ge y y\n  e = select p x d\n  g = slice e start=[3] limit=[9]\n"
                                            "  h = cast g f32\n  ea = bitcast e u8\n  da = bitcast d u8\n  ret a, da, ea, h\n}\n",
                                            s, t, t, s);
            const Program *p = parse_last(cx, text), *q = p ? opt_run(&(Opt){.cx = cx}, p, OPT_ALL) : NULL;
            Nd in[3], want[4], got[4];

            if (!q) {
                FAIL("%s", wf_ctx_message(cx));
                return;
            }
            in[0] = nd_new(cx, WF_U8, (const int64_t[]){1024}, 1);
            in[1] = nd_new(cx, WF_F32, (const int64_t[]){1024}, 1);
            in[2] = nd_new(cx, WF_I32, (const int64_t[]){4, 1}, 2);
            for (int j = 0; j < 1024; j++) {
                wf_dtype eight = (wf_dtype)(j < 512 ? WF_F8E4M3FN : WF_F8E5M2);
                float lo = f8_to_f32(eight, (uint8_t)(j / 2)), hi = f8_to_f32(eight, (uint8_t)(j / 2 + 1));

                ((uint8_t *)in[0].data)[j] = (uint8_t)(*s == 'f' ? j : j & 15);
                ((float *)in[1].data)[j] = j & 1 ? lo + (hi - lo) / 2 : j % 64 == 0 ? ldexpf(1.5f, j / 4 - 128) : lo;
            }
            CHECK(eval_program(cx, p, in, want, &cx->scratch) && eval_program(cx, q, in, got, &cx->scratch));
            for (int j = 0; j < 4; j++)
                if (!same_bits(&want[j], &got[j]))
                    FAIL("%s and %s: result %d differs", s, t, j);
            wf_ctx_free(cx);
        }
}

TEST(identities_keep_nan_infinities_and_the_sign_of_zero)
{
    check_special(SPECIAL("  z = add x x\n"), true);
    check_special(SPECIAL("  n = neg y\n  z = add x n\n"), true);
    check_special(SPECIAL("  n = neg x\n  z = add n y\n"), true);
    check_special(SPECIAL("  n = neg y\n  z = sub x n\n"), true);
    check_special(SPECIAL("  n = neg x\n  m = neg y\n  z = mul n m\n"), true);
    check_special(SPECIAL("  n = neg x\n  m = neg y\n  z = div n m\n"), true);
    check_special(SPECIAL("  z = add x zero\n"), true);
    check_special(SPECIAL("  z = sub x zero\n"), true);
    check_special(SPECIAL("  z = sub zero x\n"), true);
    check_special(SPECIAL("  z = mul x zero\n"), true);
    check_special(SPECIAL("  z = sub x x\n"), true);
    check_special(SPECIAL("  d = sub x y\n  z = neg d\n"), true);
    check_special(SPECIAL("  c = const f64[100] 4\n  z = div x c\n"), true);
    check_special(SPECIAL("  a = abs x\n  z = mul a a\n"), true);
    check_special(SPECIAL("  c = const f64[100] 3\n  n = neg x\n  z = mul n c\n"), true);
    check_special(SPECIAL("  c = const f64[100] -1\n  z = pow x c\n"), true);
    check_special(SPECIAL("  p = lt x y\n  q = not p\n  z = select q x y\n"), true);
    check_special(SPECIAL("  p = eq x y\n  q = not p\n  z = cast q f64\n"), true);
    check_special(SPECIAL("  e = exp x\n  z = log e\n"), true);
}

static uint32_t equations(wf_ctx *cx, const char *text, bool fast)
{
    const Program *p = parse_last(cx, text);

    p = p ? opt_run(&(Opt){.cx = cx, .fast = fast}, p, OPT_ALL) : NULL;
    CHECK(p != NULL);
    return p ? p->neqns : 1000;
}

/* Without the pass that makes planes of complex numbers. */
TEST(magnitudes_of_complex_numbers_are_not_what_they_are_of)
{
    BENCH_OPEN(b);
    const Program *p = parse_last(b.cx, "f(x: f64[N]) {\n  z = complex x x\n  a = abs z\n  y = mul a a\n  ret y\n}\n");

    CHECK(p && opt_simplify(&(Opt){.cx = b.cx}, p) == p);
    CHECK_STR(wf_ctx_message(b.cx), "");
    BENCH_CLOSE(b);
}

TEST(fast_rules_apply_only_when_asked_for)
{
    static const struct {
        const char *text;
        uint32_t slow, fast;
    } rows[] = {
        {SPECIAL("  z = add x zero\n"), 2, 0},
        {SPECIAL("  z = sub x x\n"), 1, 1},
        {SPECIAL("  z = mul x zero\n"), 2, 1},
        {SPECIAL("  d = sub x y\n  z = neg d\n"), 2, 1},
        {SPECIAL("  e = exp x\n  z = log e\n"), 2, 0},
        {SPECIAL("  e = sqrt x\n  z = div y e\n"), 2, 2},
        {SPECIAL("  c = const f64[100] 3\n  a = mul x c\n  d = const f64[100] 5\n  z = "
                 "mul a d\n"),
         4, 2},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        BENCH_OPEN(b);
        CHECK_EQ_INT(equations(b.cx, rows[i].text, false), rows[i].slow);
        CHECK_EQ_INT(equations(b.cx, rows[i].text, true), rows[i].fast);
        b.cx->options.fast_math = true;
        CHECK_EQ_INT(equations(b.cx, rows[i].text, false), rows[i].fast);
        BENCH_CLOSE(b);
    }
}

/* ---- effects ---- */

TEST(effects_stay_in_order_and_number)
{
    static const char text[] =
        "say(x: f32[]) {\n  print x format=\"in {}\"\n  y = exp x\n  ret y\n}\n"
        "f(x: f32[]) {\n  a = call x body=say\n  b = call x body=say\n  print a "
        "format=\"a {}\"\n"
        "  c = call x body=say\n  ret x\n}\n";
    BENCH_OPEN(b);
    const Program *p = parse_last(b.cx, text),
                  *q = p ? opt_run(&(Opt){.cx = b.cx}, p, OPT_ALL) : NULL;
    static const char *const want[] = {"in {}", "in {}", "a {}", "in {}"};
    uint32_t prints = 0;

    CHECK(q != NULL);
    for (uint32_t i = 0; q && i < q->neqns; i++)
        if (q->eqns[i].op == OP_print && prints++ < 4)
            CHECK_STR(((const PrintAttr *)q->eqns[i].attr)->format, want[prints - 1]);
    CHECK_EQ_INT(prints, 4);
    BENCH_CLOSE(b);
}

/* ---- size ---- */

/* A chain of n steps of three equations each; every fourth step is a repeated one. */
static const Program *long_program(wf_ctx *cx, uint32_t n)
{
    Builder *b = builder_new(cx, "f", B_VERBATIM);
    Val x = b_input(b, "x", b_make_type(b, WF_F32, (Dim[]){4, 8}, 2)), y = x;

    for (uint32_t i = 0; i < n / 5; i++) {
        Val t = b_transpose(b, y, (int64_t[]){1, 0});
        Val u = b_tanh(b, t), v = b_transpose(b, u, (int64_t[]){1, 0});
        y = b_add(b, b_neg(b, v), y);
    }
    return builder_finish(b, &y, 1);
}

static double seconds_for(uint32_t n, uint32_t *out_equations)
{
    BENCH_OPEN(b);
    const Program *p = long_program(b.cx, n), *q;
    clock_t since = clock(); /* other work on the machine does not count */
    double t;

    q = p ? opt_run(&(Opt){.cx = b.cx}, p, OPT_ALL) : NULL;
    t = (double)(clock() - since) / CLOCKS_PER_SEC;
    CHECK(q != NULL);
    *out_equations = q ? q->neqns : 0;
    BENCH_CLOSE(b);
    return t;
}

TEST(time_is_linear_in_the_number_of_equations)
{
    uint32_t n1, n2;
    double small = seconds_for(12500, &n1), large = seconds_for(100000, &n2);

    CHECK_EQ_INT(n1, 12500 / 5 * 2);
    CHECK_EQ_INT(n2, 100000 / 5 * 2);
    if (getenv("OPT_TIMES"))
        printf("optimise: %.3f s for 12500 equations, %.3f s for 100000\n", small, large);
    if (!getenv("WEFT_SAN"))
        CHECK(large < 30 * small); /* 8 if linear; quadratic would be 64 */
}

TEST(bodies_that_call_bodies_do_not_explode)
{
    BENCH_OPEN(b);
    Text t;
    const Program *p, *q;

    text_init(&t, &b.cx->scratch);
    text_add(&t, "f0(x: f32[]) {\n  y = tanh x\n  ret y\n}\n");
    for (int i = 1; i <= 40; i++)
        text_printf(
            &t,
            "f%d(x: f32[]) {\n  a = call x body=f%d\n  b = call a body=f%d\n  ret b\n}\n",
            i, i - 1, i - 1);
    p = parse_last(b.cx, text_str(&t));
    q = p ? opt_run(&(Opt){.cx = b.cx}, p, OPT_ALL) : NULL;
    CHECK(q && q->neqns < 200);
    BENCH_CLOSE(b);
}

/* ---- the public function ---- */

static const char small_text[] =
    "step(c: f32[3], h: f32[2], x: f32[3]) {\n  w = const f32[3,2] [1,2,3,4,5,6]\n  e = "
    "exp c\n"
    "  s = mul e x\n  p = dot s w\n  q = dot x w\n  g = add h p\n  k = add g q\n  ret k, "
    "k\n}\n"
    "f(x: f32[5,3], c: f32[3]) {\n  z = const f32[2] 0\n"
    "  h, ys = scan c z x body=step nconst=1 ncarry=1 length=5\n  ret h\n}\n";

static void optimise_once(wf_allocator al, void *user)
{
    wf_options o = {sizeof o, .allocator = al, .threads = 1};
    wf_ctx *cx = wf_ctx_new(&o);
    wf_model *m = NULL;
    const wf_program *p, *q = NULL;
    wf_status s;

    (void)user;
    if (!cx)
        return;
    s = wf_model_parse(cx, "t.wir", small_text, sizeof small_text - 1, &m);
    if (s == WF_OK && (p = wf_model_find(m, "f")))
        s = wf_optimise(cx, p, NULL, &q);
    CHECK(s == WF_OK || s == WF_ERR_MEMORY);
    CHECK((s == WF_OK) == (q != NULL));
    wf_program_release(q);
    wf_model_free(m);
    wf_ctx_free(cx);
}

TEST(every_failed_allocation_is_a_status_and_no_leak)
{
    CHECK(fault_each(optimise_once, NULL) > 10);
}

TEST(an_unknown_pass_is_an_error_that_names_the_nearest)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_model *m = NULL;
    const wf_program *q = NULL;

    REQUIRE(wf_model_parse(cx, "t.wir", small_text, sizeof small_text - 1, &m) == WF_OK);
    CHECK_EQ_INT(wf_optimise(cx, wf_model_find(m, "f"), "simplfy", &q), WF_ERR_NAME);
    CHECK_HAS(wf_ctx_message(cx), "did you mean 'simplify'?");
    CHECK(q == NULL);
    wf_clear(cx);
    CHECK_EQ_INT(wf_optimise(cx, NULL, NULL, &q), WF_ERR_ARG);
    wf_clear(cx);
    CHECK_EQ_INT(wf_optimise(cx, wf_model_find(m, "f"), "all", &q), WF_OK);
    wf_program_release(q);
    wf_model_free(m);
    wf_ctx_free(cx);
}
