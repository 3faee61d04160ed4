/* test_onnx_write.c -- programs written as ONNX models compute what they did: every case of tests/ops, random programs and their
 * derivatives are written, read again and run by the interpreter. What is refused is refused by name.
 *
 * ONNX_WRITE sets how many random programs there are, ONNX_WRITE_SEED the first; WRITE_KIND (.onnx or .ts) keeps to one kind. ONNX_KEEP
 * is a folder that keeps the models, with inputs and results as NAME.in0.npy, NAME.out0.npy .., those of bf16 as f32 in
 * NAME.bf16_in0.npy: tests/test_onnx_peers.sh and tests/test_torchscript_peers.sh have the real libraries go over them.
 */
#include "lib_random.h"
#include "io/io.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct Tally {
    int written, refused, compared, unread; /* of the compared, what the reader refuses, with a reason */
    bool ops[OP_COUNT];                     /* that written programs had */
} Tally;

static const struct Kind {
    const char *suffix, *says; /* what a refusal begins with */
    int every;                 /* so many that are written, one is read again: the script language takes a while */
} kinds[] = {{".onnx", "onnx: ", 1}, {".ts", "TorchScript: ", 16}};
enum { ONNX, TS, NKINDS };

static bool is_asked(int kind) { return !getenv("WRITE_KIND") || strcmp(getenv("WRITE_KIND"), kinds[kind].suffix) == 0; }

static double tolerance(wf_dtype t)
{
    return t == WF_F16 ? 8e-3 : t == WF_BF16 ? 6e-2 : t == WF_F32 ? 3e-4 : 1e-9;
}

/* By the narrowest float it has; integers that came of floats differ where those do. */
static double tolerance_by(const Program *p)
{
    double most = 1e-9;

    for (Val v = 1; v < p->nvals; v++)
        most = MAX(most, tolerance((wf_dtype)val_type(p, v).dtype));
    for (uint32_t i = 0; i < p->nsubs; i++)
        most = MAX(most, tolerance_by(p->subs[i]));
    return most;
}

static void note_ops(Tally *t, const Program *p)
{
    for (uint32_t i = 0; i < p->neqns; i++)
        t->ops[p->eqns[i].op] = true;
    for (uint32_t i = 0; i < p->nsubs; i++)
        note_ops(t, p->subs[i]);
}

static void keep(wf_ctx *cx, const char *stem, const char *what, const Nd *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        bool bf16 = v[i].dtype == WF_BF16; /* which NumPy has not */
        float *wide = arena_array(&cx->scratch, (size_t)v[i].count + 1, sizeof *wide);
        wf_array *a = NULL;

        for (int64_t k = 0; bf16 && k < v[i].count; k++)
            wide[k] = bf16_to_f32(((const uint16_t *)v[i].data)[k]);
        if (!wf_array_from(cx, bf16 ? WF_F32 : v[i].dtype, v[i].dims, (int)v[i].rank, bf16 ? wide : v[i].data, &a))
            wf_npy_save(cx, arena_printf(&cx->scratch, "%s.%s%s%u.npy", stem, bf16 ? "bf16_" : "", what, i), a);
        wf_array_release(a);
    }
}

/* The script language reads TorchScript; a static program has it if it names this. */
static wf_status (*volatile language)(wf_ctx *, const char *, int, char **, int *) = wf_script_run;

/* A TorchScript archive does not say the types of inputs. */
static void load(wf_ctx *cx, const char *path, const Program *p, wf_model **out_model)
{
    const char **names = arena_array(&cx->scratch, p->nin + 1u, sizeof *names),
               **types = arena_array(&cx->scratch, p->nin + 1u, sizeof *types);
    wf_import_options o = {.size = sizeof o, .names = names, .types = types, .n = (int)p->nin};

    for (uint32_t i = 0; i < p->nin; i++) {
        Type t = val_type(p, program_in(p, i));
        const char *name = wf_program_input_name(p, (int)i);
        Text text;

        text_init(&text, &cx->scratch);
        text_printf(&text, "%s[", wf_dtype_name((wf_dtype)t.dtype));
        for (uint32_t k = 0; k < t.rank; k++)
            text_printf(&text, "%s%s", k ? "," : "", dim_str(&p->dims, t.dims[k], &cx->scratch));
        text_char(&text, ']');
        names[i] = *name ? name : arena_printf(&cx->scratch, "x%u_", i);
        types[i] = text_str(&text);
    }
    if (strstr(path, ".ts") && language)
        wf_model_import(cx, path, &o, out_model);
    else
        wf_model_load(cx, path, out_model);
}

/* Does the reader say of itself that it cannot take this? */
static bool is_limit(wf_ctx *cx)
{
    return wf_ctx_status(cx) == WF_ERR_UNSUPPORTED ||
           wf_ctx_status(cx) == WF_ERR_SHAPE ||                            /* sizes that only a run shows to be equal */
           strstr(wf_ctx_message(cx), "is no program") ||
           strstr(wf_ctx_message(cx), "is neither a number nor a name") || /* an input of a size that is computed */
           strstr(wf_ctx_message(cx), "full: size -1 of axis");            /* an open size in a branch */
}

/* What is wrong with the model that was written, or NULL. */
static const char *compare(wf_ctx *cx, const char *path, const Program *p, const Nd *in,
                           const Nd *need, Tally *t)
{
    wf_model *m = NULL;
    const wf_program *q = NULL;
    const Nd *got = NULL;
    const char *why = NULL;

    load(cx, path, p, &m);
    t->compared++;
    if (is_limit(cx))
        t->unread++;
    else if (wf_ctx_status(cx) || wf_model_bind(cx, m, "forward", &q))
        why = arena_printf(&cx->scratch, "it is not read: %s", wf_ctx_message(cx));
    else if (wf_program_inputs(q) != (int)p->nin || q->nout != p->nout)
        why = "it has other inputs or results";
    else if (!(got = run_program(cx, q, in)) && wf_ctx_status(cx) == WF_ERR_SHAPE)
        t->unread++;
    else if (!got)
        why = arena_printf(&cx->scratch, "read again it does not run: %s",
                           wf_ctx_message(cx));
    for (uint32_t i = 0; !why && got && i < p->nout; i++)
        if (got[i].dtype != need[i].dtype)
            why = arena_printf(&cx->scratch, "result %u is of another type", i);
        else if ((why = nd_differ(cx, &got[i], &need[i], tolerance_by(p))))
            why = arena_printf(&cx->scratch, "result %u: %s", i, why);
    if (wf_ctx_status(cx) && !why && getenv("ONNX_STATS"))
        printf("%s: not read again: %s\n", path, wf_ctx_message(cx));
    wf_clear(cx);
    wf_program_release(q);
    wf_model_free(m);
    return why;
}

static const char *folder_of(wf_ctx *cx)
{
    const char *base = getenv("TMPDIR");
    char *dir = arena_printf(&cx->scratch, "%s/weft-onnx-XXXXXX", base ? base : "/tmp");

    return getenv("ONNX_KEEP") ? getenv("ONNX_KEEP") : mkdtemp(dir);
}

/* Written as that kind and compared, or refused with a reason. */
static void check_kind(wf_ctx *cx, const char *stem, const struct Kind *kind, const Case *c, const Nd *in, const Nd *need,
                       const char *name, Tally *t)
{
    const char *path = arena_printf(&cx->scratch, "%s%s", stem, kind->suffix), *why;
    wf_model *m = NULL;
    Text text;

    if (wf_model_new(cx, &m) || wf_model_add(cx, m, c->p))
        check_fail(name, 0, "%s", wf_ctx_message(cx));
    if (wf_model_save(cx, m, path)) {
        CHECK(wf_ctx_status(cx) == WF_ERR_UNSUPPORTED &&
              strstr(wf_ctx_message(cx), kind->says));
        t->refused++;
        if (getenv("ONNX_STATS"))
            printf("%s: %s\n", name, wf_ctx_message(cx));
        wf_clear(cx);
    } else {
        note_ops(t, c->p);
        if (t->written++ % kind->every == 0 && (why = compare(cx, path, c->p, in, need, t))) {
            text_init(&text, &cx->scratch);
            program_print(c->p, &(PrintOptions){.max_const = 20}, &text);
            check_fail(path, 0, "%s\n%s", why, text_str(&text));
        }
        if (!getenv("ONNX_KEEP"))
            unlink(path);
    }
    wf_model_free(m);
}

/* t: of each kind */
static void check_program(wf_ctx *cx, const char *dir, const Case *c, uint64_t seed,
                          const char *name, Tally *t)
{
    Rng rng = {seed + 1};
    Nd *in = case_inputs(cx, c, &rng), *need = in ? run_program(cx, c->p, in) : NULL;
    const char *stem = arena_printf(&cx->scratch, "%s/%s", dir, name);

    wf_clear(cx);
    if (!need)
        return;
    for (int k = 0; k < NKINDS; k++)
        if (is_asked(k))
            check_kind(cx, stem, &kinds[k], c, in, need, name, &t[k]);
    if (getenv("ONNX_KEEP")) {
        keep(cx, stem, "in", in, c->p->nin);
        keep(cx, stem, "out", need, c->p->nout);
    }
}

/* ---- the cases of tests/ops --------------------------------------------------------------------------- */

/* The program with every f64 an f32; NULL if there is none, or an op refuses. */
static const Program *in_f32(wf_ctx *cx, const Program *p)
{
    const Program **ps;
    uint32_t n;
    Text t;

    text_init(&t, &cx->scratch);
    program_print(p, &(PrintOptions){.header = true}, &t);
    if (!strstr(text_str(&t), "f64"))
        return NULL;
    for (char *hit = (char *)text_str(&t); (hit = strstr(hit, "f64"));)
        memcpy(hit, "f32", 3);
    if (programs_parse(cx, "narrow.wir", text_str(&t), t.n, NULL, &ps, &n))
        return ps[n - 1];
    wf_clear(cx);
    return NULL;
}

static void check_cases(wf_ctx *cx, const char *dir, const char *file, Tally *t)
{
    Case *cases;
    uint32_t n;

    if (!cases_load(cx, arena_printf(&cx->scratch, "tests/ops/%s", file), &cases, &n)) {
        check_fail(file, 0, "%s", wf_ctx_message(cx));
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        Case c = cases[i];
        const Program *narrow = in_f32(cx, c.p);

        check_program(cx, dir, &c, 1,
                      arena_printf(&cx->scratch, "%s.%s", file, c.p->name), t);
        if ((c.p = narrow))
            check_program(cx, dir, &c, 1,
                          arena_printf(&cx->scratch, "%s.%s.f32", file, c.p->name), t);
    }
}

/* Ops of which no program can be written, each for the reason given. */
static const struct {
    int kind;
    OpCode op;
    const char *why;
} refused[] = {
    {ONNX, OP_nextafter, "ONNX has no bits of floats"},
    {ONNX, OP_real, "complex numbers"},
    {ONNX, OP_imag, "complex numbers"},
    {ONNX, OP_conj, "complex numbers"},
    {ONNX, OP_complex, "complex numbers"},
    {ONNX, OP_fft, "complex numbers"},
    {ONNX, OP_cholesky, "matrix decompositions"},
    {ONNX, OP_triangular_solve, "matrix decompositions"},
    {ONNX, OP_lu, "matrix decompositions"},
    {ONNX, OP_qr, "matrix decompositions"},
    {ONNX, OP_eigh, "matrix decompositions"},
    {ONNX, OP_svd, "matrix decompositions"},
    {ONNX, OP_eig, "matrix decompositions"},
    {ONNX, OP_spmd, "several devices"},
    {ONNX, OP_host, "a kernel of the host"},
    {TS, OP_lu, "no form of it is written"},
    {TS, OP_spmd, "several devices"},
    {TS, OP_host, "a kernel of the host"},
};

static void check_ops(int kind, const Tally *t)
{
    for (unsigned i = 0; i < OP_COUNT; i++) {
        const char *why = NULL;

        for (int k = 0; k < COUNT(refused); k++)
            if (refused[k].kind == kind && refused[k].op == i)
                why = refused[k].why;
        if (!op_has(i, OPF_NOEVAL | OPF_EFFECT) && !why == !t->ops[i])
            check_fail(op_name(i), 0, "%s: %s", kinds[kind].suffix,
                       why ? "is written, and listed as refused" : "is in no program that was written");
    }
}

/* ---- names -------------------------------------------------------------------------------------------- */

XTEST(words_of_torchscript_are_no_names_in_an_archive)
{
    static const char text[] = "in(x: f32[2]) {\n  y = neg x\n  ret y\n}\n"
                               "net(in: f32[2], lambda: f32[2], torch: f32[2], int: f32[2]) {\n"
                               "  a = sub in lambda\n  b = mul a torch\n  c = div b int\n  ret c\n}\n",
                      named[] = "net(x0_in: f32[2], x1_lambda: f32[2], x2_torch: f32[2], int: f32[2]) {\n"
                                "  a = sub x0_in x1_lambda\n  b = mul a x2_torch\n  c = div b int\n  ret c\n}\n";
    const char *path = arena_printf(&cx->scratch, "%s/words.ts", folder_of(cx)), *why;
    Case c;
    Rng rng = {7};
    Tally t = {0};
    wf_model *m = NULL, *same = NULL;
    Nd *in;

    if (!is_asked(TS))
        return;
    REQUIRE(wf_model_parse(cx, "words.wir", text, sizeof text - 1, &m) == WF_OK && wf_model_save(cx, m, path) == WF_OK);
    REQUIRE(wf_model_parse(cx, "named.wir", named, sizeof named - 1, &same) == WF_OK);
    c = case_fixed(cx, wf_model_find(same, "net"));
    in = case_inputs(cx, &c, &rng);
    if ((why = compare(cx, path, c.p, in, run_program(cx, c.p, in), &t)) || t.unread)
        check_fail(path, 0, "%s", why ? why : "it is not read");
    wf_model_free(m);
    wf_model_free(same);
    unlink(path);
    rmdir(arena_printf(&cx->scratch, "%.*s", (int)(strrchr(path, '/') - path), path));
}

XTEST(every_op_is_written_or_refused)
{
    const char *dir = folder_of(cx);
    Tally t[NKINDS] = {0};
    DIR *d = opendir("tests/ops");

    REQUIRE(dir && d);
    for (struct dirent *e; (e = readdir(d));)
        if (strstr(e->d_name, ".wir"))
            check_cases(cx, dir, e->d_name, t);
    closedir(d);
    for (int k = 0; k < NKINDS; k++)
        if (is_asked(k))
            check_ops(k, &t[k]);
    if (!getenv("ONNX_KEEP"))
        rmdir(dir);
}

/* ---- random programs ---------------------------------------------------------------------------------- */

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
    static const wf_dtype floats[] = {WF_F32, WF_F32, WF_F32, WF_F64, WF_F32, WF_F16};
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

static void one_random(uint64_t seed, const char *dir, Tally *t)
{
    BENCH_OPEN(b);
    const Program *p = random_of(b.cx, seed);

    wf_clear(b.cx);
    if (p && (p = derived(b.cx, p, seed))) {
        Case c = case_of(b.cx, p, seed);

        check_program(b.cx, dir, &c, seed,
                      arena_printf(&b.cx->scratch, "random%d", (int)seed), t);
    }
    wf_clear(b.cx);
    BENCH_CLOSE(b);
}

XTEST(random_programs_and_their_derivatives_are_written)
{
    int n = number_of("ONNX_WRITE", 300), first = number_of("ONNX_WRITE_SEED", 1);
    const char *dir = folder_of(cx);
    Tally t[NKINDS] = {0};

    REQUIRE(dir);
    for (int i = 0; i < n; i++)
        one_random((uint64_t)(first + i), dir, t);
    for (int k = 0; k < NKINDS; k++) {
        if (getenv("ONNX_STATS"))
            printf("%s: %d written, %d refused; of %d compared %d not read again\n", kinds[k].suffix, t[k].written, t[k].refused,
                   t[k].compared, t[k].unread);
        CHECK(!is_asked(k) || (t[k].written > t[k].refused * 6 && t[k].compared > t[k].unread * (k == ONNX ? 15 : 3)));
    }
    if (!getenv("ONNX_KEEP"))
        rmdir(dir);
}
