/* test_golden.c -- every op against results from NumPy, JAX and mpmath.
 *
 * Reads tests/golden/ (format: tools/golden/core.py). Each case is a program, its inputs
 * and the results it must give; the oracle is held to the first limit of `tol`,
 * everything else that runs programs to the second.
 */
#include "op/op.h"
#include "test.h"

#include <math.h>
#include <stdio.h>

/* ---- reading
 * ----------------------------------------------------------------------------- */

typedef struct Tolerance {
    int64_t ulps, run; /* for the oracle, for a run; run 0: the same */
    double rel;        /* > 0: of the largest magnitude, instead */
} Tolerance;

typedef struct Case {
    const char *name; /* of its last program */
    const Program *p;
    uint32_t nin, nout, ntol;
    Nd *in, *out; /* as given and as expected */
    Tolerance *tol;
} Case;

typedef struct Reader {
    wf_ctx *cx;
    Arena *a;
    const char *path, *at, *end;
    int line;
} Reader;

static bool read_file(Reader *r, const char *path)
{
    FILE *f = fopen(path, "rb");
    long size;
    char *text;

    if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0 || fseek(f, 0, SEEK_SET)) {
        FAIL("%s cannot be read", path);
        return false;
    }
    text = arena_alloc(r->a, (size_t)size + 1);
    r->path = path;
    r->at = text;
    r->end = text + fread(text, 1, (size_t)size, f);
    r->line = 1;
    text[r->end - text] = 0;
    fclose(f);
    return true;
}

/* The line at r->at without its newline; r->at moves on. False at the end. */
static bool next_line(Reader *r, const char **out_line, const char **out_end)
{
    const char *nl;

    if (r->at >= r->end)
        return false;
    nl = memchr(r->at, '\n', (size_t)(r->end - r->at));
    *out_line = r->at;
    *out_end = nl ? nl : r->end;
    r->at = nl ? nl + 1 : r->end;
    r->line++;
    return true;
}

static bool starts(const char *s, const char *end, const char *word)
{
    return (size_t)(end - s) >= strlen(word) && !strncmp(s, word, strlen(word));
}

static const char *parse_element(wf_dtype t, const char *s, const char *end, void *data,
                                 int64_t i)
{
    char *to = (char *)data + (size_t)i * wf_dtype_size(t);
    bool over = false;
    int64_t v;
    uint64_t u;

    switch (t) {
    case WF_F64: return number_parse_f64(s, end, (double *)(void *)to);
    case WF_F32: return number_parse_f32(s, end, (float *)(void *)to);
    case WF_F16: return number_parse_f16(s, end, (uint16_t *)(void *)to);
    case WF_BF16: return number_parse_bf16(s, end, (uint16_t *)(void *)to);
    case WF_BOOL: *to = starts(s, end, "true"); return s + (*to ? 4 : 5);
    case WF_U64: s = number_parse_u64(s, end, &u, &over); break;
    default: s = number_parse_i64(s, end, &v, &over); u = (uint64_t)v;
    }
    if (s)
        memcpy(to, &u, wf_dtype_size(t)); /* little endian */
    return s;
}

/* Elements from s on into x, which has its dtype and dims. */
static bool parse_elements(Reader *r, const char *s, const char *end, Nd *x)
{
    int64_t n = 0, bytes;

    if (!type_size(x->dtype, x->dims, x->rank, &x->count, &bytes))
        return false;
    x->data = arena_zalloc(r->a, (size_t)bytes);
    for (; s && s < end; n++) {
        while (s < end && *s == ' ')
            s++;
        if (s == end)
            break;
        if (n == x->count)
            return false;
        s = parse_element(x->dtype, s, end, x->data, n);
    }
    return s && n == x->count;
}

/* "in [2,3]: ..": dims are said where the program's are symbolic. */
static const char *parse_dims(Reader *r, const char *s, const char *end, Nd *x)
{
    int64_t *dims = arena_array(r->a, x->rank, sizeof *dims);
    bool over;

    memcpy(dims, x->dims, x->rank * sizeof *dims);
    if (s < end && *s == ' ' && s[1] == '[') {
        s += 2;
        for (uint32_t i = 0; s && i < x->rank; i++)
            s = number_parse_i64(s + (i > 0), end, &dims[i], &over);
        if (!s || *s != ']')
            return NULL;
        s++;
    }
    x->dims = dims;
    return s && s < end && *s == ':' ? s + 1 : NULL;
}

static void parse_tolerance(const char *s, const char *end, Tolerance *out)
{
    bool over;

    *out = (Tolerance){0};
    for (; s && s < end; s++)
        if (starts(s, end, "ulps="))
            number_parse_i64(s + 5, end, &out->ulps, &over);
        else if (starts(s, end, "run="))
            number_parse_i64(s + 4, end, &out->run, &over);
        else if (starts(s, end, "rel="))
            number_parse_f64(s + 4, end, &out->rel);
}

static Nd nd_of(Type t)
{
    return (Nd){.dtype = (wf_dtype)t.dtype, .rank = t.rank, .dims = t.dims};
}

/* The program text up to the first data line; the last program in it is the case. */
static bool read_program(Reader *r, Case *c)
{
    const char *start = NULL, *s, *end;
    const Program **ps;
    uint32_t n;

    while (next_line(r, &s, &end)) {
        if (!start && (s == end || *s == '#'))
            continue;
        if (!start)
            start = s;
        if (starts(s, end, "}") && (r->at >= r->end || starts(r->at, r->end, "in") ||
                                    starts(r->at, r->end, "out") || *r->at == '\n'))
            break;
    }
    if (!start)
        return false;
    if (!programs_parse(r->cx, r->path, start, (size_t)(r->at - start), NULL, &ps, &n)) {
        FAIL("%s:%d: %s", r->path, r->line, wf_ctx_message(r->cx));
        wf_clear(r->cx);
        return false;
    }
    c->p = ps[n - 1];
    c->name = c->p->name;
    c->in = arena_array(r->a, c->p->nin, sizeof *c->in);
    c->out = arena_array(r->a, c->p->nout, sizeof *c->out);
    c->tol = arena_zalloc(r->a, (c->p->nout + 1) * sizeof *c->tol);
    return true;
}

/* One data line: in, out or tol. Expected results get their dims when they are compared.
 */
static bool read_data(Reader *r, Case *c, const char *s, const char *end)
{
    const Program *p = c->p;

    if (starts(s, end, "in") && c->nin < p->nin) {
        Nd *x = &c->in[c->nin];

        *x = nd_of(val_type(p, program_in(p, c->nin++)));
        s = parse_dims(r, s + 2, end, x);
        return s && parse_elements(r, s, end, x);
    }
    if (starts(s, end, "out:") && c->nout < p->nout) {
        int64_t *count = arena_zalloc(r->a, sizeof *count);
        const char *q = s + 4;

        for (; q < end; q++) /* a word ends where a space or the line does */
            *count += *q != ' ' && (q + 1 == end || q[1] == ' ');
        c->out[c->nout] = (Nd){.dtype = (wf_dtype)val_type(p, p->outs[c->nout]).dtype,
                               .rank = 1,
                               .dims = count};
        return parse_elements(r, s + 4, end, &c->out[c->nout++]);
    }
    if (starts(s, end, "tol:") && c->ntol < p->nout) {
        parse_tolerance(s + 4, end, &c->tol[c->ntol++]);
        return true;
    }
    return false;
}

/* The next case. False: there is none, or it is wrong (then the test has failed). */
static bool read_case(Reader *r, Case *c)
{
    const char *s, *end;

    *c = (Case){0};
    if (!read_program(r, c))
        return false;
    while (next_line(r, &s, &end) && s < end)
        if (!read_data(r, c, s, end)) {
            FAIL("%s:%d: %s: %.40s is not what the program has", r->path, r->line,
                 c->name, s);
            return false;
        }
    if (c->nin != c->p->nin || c->nout != c->p->nout) {
        FAIL("%s:%d: %s has %u inputs and %u results", r->path, r->line, c->name, c->nin,
             c->nout);
        return false;
    }
    return true;
}

/* ---- comparing
 * ----------------------------------------------------------------------------- */

static double float_at(const Nd *x, int64_t i)
{
    switch (x->dtype) {
    case WF_F16: return (double)f16_to_f32(((const uint16_t *)x->data)[i]);
    case WF_BF16: return (double)bf16_to_f32(((const uint16_t *)x->data)[i]);
    case WF_F32: return (double)((const float *)x->data)[i];
    default: return ((const double *)x->data)[i];
    }
}

/* Floats in order as integers: neighbours differ by 1, -0 and 0 are equal. */
static int64_t rank_of(const Nd *x, int64_t i)
{
    unsigned bits = (unsigned)wf_dtype_size(x->dtype) * 8;
    uint64_t u = 0, sign = (uint64_t)1 << (bits - 1);

    memcpy(&u, (const char *)x->data + (size_t)i * (bits / 8), bits / 8);
    return u & sign ? -(int64_t)(u & (sign - 1)) : (int64_t)u;
}

static bool element_agrees(const Nd *got, const Nd *want, int64_t i, int64_t ulps,
                           double off)
{
    size_t size = wf_dtype_size(want->dtype);
    double x, y;
    int64_t p, q; /* NaN aside, a float dtype has fewer than 2^64 numbers */

    if (!dtype_is_float(want->dtype))
        return !memcmp((const char *)got->data + (size_t)i * size,
                       (const char *)want->data + (size_t)i * size, size);
    x = float_at(got, i);
    y = float_at(want, i);
    if (isnan(x) || isnan(y))
        return isnan(x) && isnan(y);
    if (off > 0)
        return x == y || fabs(x - y) <= off;
    if (x == 0 && y == 0)
        return signbit(x) == signbit(y);
    p = rank_of(got, i);
    q = rank_of(want, i);
    return (p > q ? (uint64_t)p - (uint64_t)q : (uint64_t)q - (uint64_t)p) <=
           (uint64_t)ulps;
}

/* The first element of got that is too far from want, or -1. run: by the limits of a run.
 */
static int64_t first_wrong(const Nd *got, const Nd *want, const Tolerance *tol, bool run)
{
    double largest = 0;
    int64_t ulps = run && tol->run > tol->ulps ? tol->run : tol->ulps;

    for (int64_t i = 0; tol->rel > 0 && i < want->count; i++)
        if (isfinite(float_at(want, i)))
            largest = fmax(largest, fabs(float_at(want, i)));
    for (int64_t i = 0; i < want->count; i++)
        if (!element_agrees(got, want, i, ulps, tol->rel > 0 ? tol->rel * largest : 0))
            return i;
    return -1;
}

static const char *element_text(Arena *a, const Nd *x, int64_t i)
{
    char *out = arena_alloc(a, NUMBER_MAX);
    uint64_t u = 0;
    unsigned spare = 64 - (unsigned)wf_dtype_size(x->dtype) * 8;

    if (dtype_is_float(x->dtype))
        number_f64(out, float_at(x, i));
    else {
        memcpy(&u, (const char *)x->data + (size_t)i * wf_dtype_size(x->dtype),
               wf_dtype_size(x->dtype));
        if (dtype_is_signed(x->dtype))
            number_i64(out, (int64_t)(u << spare) >> spare);
        else
            number_u64(out, u);
    }
    return out;
}

static const char *out_name(const Program *p, uint32_t j)
{
    return p->names[p->vals[p->outs[j]].name];
}

static void compare(Reader *r, const Case *c, const Nd *got, bool run)
{
    const char *who = run ? "run" : "eval";

    for (uint32_t j = 0; j < c->nout; j++) {
        const Nd *want = &c->out[j];
        int64_t i;

        if (got[j].dtype != want->dtype || got[j].count != want->count) {
            FAIL("%s: %s: %s: result %s has %lld elements, needed %lld", r->path, c->name,
                 who, out_name(c->p, j), (long long)got[j].count, (long long)want->count);
            continue;
        }
        i = first_wrong(&got[j], want, &c->tol[j], run);
        if (i >= 0)
            FAIL("%s: %s: %s: element %lld of %s is %s, needed %s", r->path, c->name, who,
                 (long long)i, out_name(c->p, j), element_text(r->a, &got[j], i),
                 element_text(r->a, want, i));
    }
}

/* ---- running
 * ---------------------------------------------------------------------------------- */

static bool seen[OP_COUNT]; /* ops that stand in some case */

static void note_ops(const Program *p)
{
    for (uint32_t i = 0; i < p->neqns; i++)
        seen[p->eqns[i].op] = true;
    for (uint32_t i = 0; i < p->nsubs; i++)
        note_ops(p->subs[i]);
}

/* By the interpreter, through the public interface. Results are copied into the arena. */
static bool run_case(wf_ctx *cx, const Case *c, Nd *got, Arena *a)
{
    wf_array **in = arena_zalloc(a, (c->nin + 1) * sizeof *in);
    wf_array **out = arena_zalloc(a, (c->nout + 1) * sizeof *out);

    for (uint32_t i = 0; i < c->nin; i++)
        wf_array_from(cx, c->in[i].dtype, c->in[i].dims, (int)c->in[i].rank,
                      c->in[i].data, &in[i]);
    if (wf_eval(cx, c->p, in, wf_program_inputs(c->p), out, wf_program_outputs(c->p)) ==
        WF_OK)
        for (uint32_t j = 0; j < c->nout; j++) {
            wf_array *dense = NULL;
            size_t size;

            if (wf_array_contiguous(cx, out[j], &dense) != WF_OK)
                break;
            size = (size_t)wf_array_count(dense) * wf_dtype_size(wf_array_dtype(dense));
            got[j] = (Nd){.dtype = wf_array_dtype(dense),
                          .rank = (uint32_t)wf_array_rank(dense),
                          .count = wf_array_count(dense),
                          .data = arena_dup(a, wf_array_data(dense), size)};
            wf_array_release(dense);
        }
    for (uint32_t i = 0; i < c->nin; i++)
        wf_array_release(in[i]);
    for (uint32_t j = 0; j < c->nout; j++)
        wf_array_release(out[j]);
    return !failed(cx);
}

static wf_status run_cases(wf_ctx *cx, const char *path, int *count)
{
    Reader r = {.cx = cx, .a = &cx->scratch};
    Case c;

    API_ENTER(cx);
    if (!read_file(&r, path))
        API_RETURN(cx);
    while (read_case(&r, &c)) {
        Nd *got = arena_zalloc(r.a, (c.nout + 1) * sizeof *got);

        note_ops(c.p);
        for (int run = 0; run <= 1; run++) {
            bool ok =
                run ? run_case(cx, &c, got, r.a)
                    : program_verify(cx, c.p) && eval_program(cx, c.p, c.in, got, r.a);

            if (ok)
                compare(&r, &c, got, run);
            else {
                FAIL("%s: %s: %s: %s", path, c.name, run ? "run" : "eval",
                     wf_ctx_message(cx));
                wf_clear(cx);
            }
        }
        ++*count;
    }
    API_RETURN(cx);
}

static void check_golden(const char *path)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    int count = 0;

    REQUIRE(cx);
    run_cases(cx, path, &count);
    CHECK_STR(wf_ctx_message(cx), "");
    CHECK(count > 5);
    wf_ctx_free(cx);
}

#define GOLDEN(file)                                                                     \
    TEST(file##_results_are_golden) { check_golden("tests/golden/" #file ".txt"); }
GOLDEN(float)
GOLDEN(complex)
GOLDEN(int)
GOLDEN(cast)
GOLDEN(reduce)
GOLDEN(shape)
GOLDEN(index)
GOLDEN(contract)
GOLDEN(linalg)
GOLDEN(control)

/* What speaks of devices is compared with the library by scripts (tests/script/jax), kernels of the host by test_kernel.c. */
TEST(every_op_that_has_eval_has_a_golden_case)
{
    for (unsigned op = 0; op < OP_COUNT; op++)
        if (!op_has(op, OPF_NOEVAL) && op != OP_pvary && op != OP_spmd && op != OP_shard && op != OP_host && !op_has(op, OPF_EFFECT) && !seen[op])
            FAIL("no golden case has %s", op_name(op));
}

TEST(golden_comparison_sees_one_unit_and_the_sign_of_zero)
{
    double x[] = {1, 0, NAN, INFINITY, 4}, y[] = {1 + 0x1p-52, -0.0, 0, -INFINITY, 4};
    const int64_t dims[] = {1};
    Tolerance exact = {0}, one = {.ulps = 1}, rel = {.rel = 1e-10};

    for (int i = 0; i < 5; i++) {
        Nd a = {WF_F64, 1, dims, 1, &x[i]}, b = {WF_F64, 1, dims, 1, &y[i]};

        CHECK_EQ_INT(first_wrong(&a, &a, &exact, false), -1);
        CHECK_EQ_INT(first_wrong(&a, &b, &exact, false), i == 4 ? -1 : 0);
        CHECK_EQ_INT(first_wrong(&a, &b, &one, false), i == 4 || i == 0 ? -1 : 0);
    }
    Nd a = {WF_F64, 1, dims, 1, &(double){1}},
       b = {WF_F64, 1, dims, 1, &(double){1 + 1e-9}};
    CHECK_EQ_INT(first_wrong(&a, &b, &rel, false), 0);
}
