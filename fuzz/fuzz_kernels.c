/* fuzz_kernels.c -- libFuzzer target: kernels of the host in programs made from bytes.
 *
 *   bytes   choices of a program, of transforms of it, and what a kernel without shame answers
 *
 * Each honest kernel has a twin in functions of tensors. A program is traced twice, with kernels and with twins; both are
 * derived and batched alike, read back from their text, and run by the evaluator and by the interpreter: the same numbers, or
 * no rule. The shameless one says of its results whatever the bytes say, and fails when they do: any answer is right but a crash
 * or an internal error.
 */
#include "weft.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a)    (int)(sizeof(a) / sizeof *(a))
#define MAX_STEPS   10
#define MAX_POOL    (MAX_STEPS * 2 + 2)
#define MAX_RESULTS 8
#define COLUMNS     3

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct Bytes {
    const uint8_t *from, *to;
    bool twins; /* instead of kernels */
} Bytes;

static int pick(Bytes *b, int n) { return b->from < b->to ? *b->from++ % n : 0; }

/* Failures are silent to the fuzzer unless they end the process. */
static void broken(wf_ctx *c, const char *what, const wf_program *p)
{
    char message[500];
    const char *text = "";

    snprintf(message, sizeof message, "%s", wf_ctx_message(c));
    wf_clear(c);
    if (p)
        wf_program_text(c, p, 0, &text);
    fprintf(stderr, "%s: %s\n%s\n", what, message, text);
    abort();
}

/* ---- kernels, and their twins ---- */

typedef wf_status Rule(wf_ctx *c, void *user, const wf_kernel_value *in, int nin,
                       wf_kernel_value *out, int nout);

static int64_t count_of(const wf_kernel_value *v)
{
    int64_t n = 1;

    for (int k = 0; k < v->rank; k++)
        n *= v->dims[k];
    return n;
}

/* mix:  (x, y) -> (x y + sin x, x - 2 y)  of one shape, f64 */
static wf_status mix_type(wf_ctx *c, void *user, const wf_kernel_value *in, int nin,
                          wf_kernel_value *out, int nout)
{
    (void)c, (void)user, (void)nin, (void)nout;
    if (in[0].dtype != WF_F64 || in[1].dtype != WF_F64 || in[0].rank != in[1].rank ||
        memcmp(in[0].dims, in[1].dims, (size_t)in[0].rank * sizeof *in[0].dims))
        return WF_ERR_SHAPE;
    out[0] = out[1] = in[0];
    return WF_OK;
}

static wf_status mix_run(wf_ctx *c, void *user, const wf_kernel_value *in, int nin,
                         wf_kernel_value *out, int nout)
{
    const double *x = in[0].data, *y = in[1].data;
    double *u = out[0].data, *v = out[1].data;

    (void)c, (void)user, (void)nin, (void)nout;
    for (int64_t i = 0, n = count_of(in); i < n; i++) {
        u[i] = x[i] * y[i] + sin(x[i]);
        v[i] = x[i] - 2 * y[i];
    }
    return WF_OK;
}

static wf_status mix_vjp(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                         const wf_tensor *out, int nout, const wf_tensor *g, int ng,
                         wf_tensor *gin, int ngin)
{
    (void)user, (void)nin, (void)out, (void)nout, (void)ng, (void)ngin;
    gin[0] = wf_add(c, wf_mul(c, g[0], wf_add(c, in[1], wf_cos(c, in[0]))), g[1]);
    gin[1] = wf_sub(c, wf_mul(c, g[0], in[0]), wf_mul(c, g[1], wf_float(c, 2)));
    return wf_ctx_status(c);
}

static void mix_twin(wf_ctx *c, const wf_tensor *in, wf_tensor *out)
{
    out[0] = wf_add(c, wf_mul(c, in[0], in[1]), wf_sin(c, in[0]));
    out[1] = wf_sub(c, in[0], wf_mul(c, in[1], wf_float(c, 2)));
}

/* sums:  x[.., n] -> sum of the last axis */
static wf_status sums_type(wf_ctx *c, void *user, const wf_kernel_value *in, int nin,
                           wf_kernel_value *out, int nout)
{
    (void)c, (void)user, (void)nin, (void)nout;
    if (in->dtype != WF_F64 || in->rank < 1)
        return WF_ERR_SHAPE;
    *out = *in;
    out->rank--;
    return WF_OK;
}

static wf_status sums_run(wf_ctx *c, void *user, const wf_kernel_value *in, int nin,
                          wf_kernel_value *out, int nout)
{
    const double *x = in->data;
    double *y = out->data;
    int64_t n = in->dims[in->rank - 1];

    (void)c, (void)user, (void)nin, (void)nout;
    for (int64_t i = 0, rows = count_of(out); i < rows; i++) {
        y[i] = 0;
        for (int64_t j = 0; j < n; j++)
            y[i] += x[i * n + j];
    }
    return WF_OK;
}

static wf_status sums_vjp(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                          const wf_tensor *out, int nout, const wf_tensor *g, int ng,
                          wf_tensor *gin, int ngin)
{
    (void)user, (void)nin, (void)out, (void)nout, (void)ng, (void)ngin;
    gin[0] = wf_add(c, wf_mul(c, in[0], wf_float(c, 0)), wf_expand_dims(c, g[0], -1));
    return wf_ctx_status(c);
}

static void sums_twin(wf_ctx *c, const wf_tensor *in, wf_tensor *out)
{
    out[0] = wf_sum(c, in[0], (int[]){-1}, 1, false);
}

/* signs:  x -> (how many are positive as i64[], those as bool of the shape); no derivative */
static wf_status signs_type(wf_ctx *c, void *user, const wf_kernel_value *in, int nin,
                            wf_kernel_value *out, int nout)
{
    (void)c, (void)user, (void)nin, (void)nout;
    out[0] = (wf_kernel_value){.dtype = WF_I64};
    out[1] = *in;
    out[1].dtype = WF_BOOL;
    return in->dtype == WF_F64 ? WF_OK : WF_ERR_TYPE;
}

static wf_status signs_run(wf_ctx *c, void *user, const wf_kernel_value *in, int nin,
                           wf_kernel_value *out, int nout)
{
    int64_t n = 0;

    (void)c, (void)user, (void)nin, (void)nout;
    for (int64_t i = 0; i < count_of(in); i++)
        n += ((bool *)out[1].data)[i] = ((const double *)in->data)[i] > 0;
    *(int64_t *)out[0].data = n;
    return WF_OK;
}

static void signs_twin(wf_ctx *c, const wf_tensor *in, wf_tensor *out)
{
    out[1] = wf_gt(c, in[0], wf_float(c, 0));
    out[0] = wf_sum(c, wf_cast(c, out[1], WF_I64), NULL, 0, false);
}

/* shameless: its user is the Bytes */
static wf_status shameless_type(wf_ctx *c, void *user, const wf_kernel_value *in, int nin,
                                wf_kernel_value *out, int nout)
{
    static const int64_t sizes[] = {0,   1,       2,         -1,        -2,
                                    -77, 1 << 20, INT64_MAX, INT64_MIN, 7};
    Bytes *b = user;

    (void)nin;
    for (int j = 0; j < nout; j++) {
        out[j] = *in;
        if (pick(b, 3))
            out[j].dtype = (wf_dtype)(pick(b, 30) - 2);
        if (pick(b, 3))
            out[j].rank = pick(b, 5) ? pick(b, 4) : pick(b, 40) - 5;
        for (int k = 0; k < WF_MAX_RANK && k < out[j].rank; k++)
            if (pick(b, 4) == 3)
                out[j].dims[k] = sizes[pick(b, COUNT(sizes))];
    }
    if (pick(b, 8) == 7)
        return wf_raise(c, WF_ERR_VALUE, "no");
    return pick(b, 8) == 7 ? (wf_status)(pick(b, 40) - 5) : WF_OK;
}

static wf_status shameless_run(wf_ctx *c, void *user, const wf_kernel_value *in, int nin,
                               wf_kernel_value *out, int nout)
{
    Bytes *b = user;

    (void)in, (void)nin;
    for (int j = 0; j < nout; j++)
        memset(out[j].data, 1, (size_t)count_of(&out[j]) * wf_dtype_size(out[j].dtype));
    if (pick(b, 8) == 7)
        return wf_raise(c, WF_ERR_VALUE, "no");
    return pick(b, 8) == 7 ? (wf_status)(pick(b, 40) - 5) : WF_OK;
}

static const struct {
    wf_kernel k;
    void (*twin)(wf_ctx *c, const wf_tensor *in, wf_tensor *out);
} kernels[] = {
    {{sizeof(wf_kernel), "fuzz.mix", 2, 2, NULL, mix_type, mix_run, mix_vjp, true},
     mix_twin},
    {{sizeof(wf_kernel), "fuzz.mix1", 2, 2, NULL, mix_type, mix_run, mix_vjp, false},
     mix_twin},
    {{sizeof(wf_kernel), "fuzz.sums", 1, 1, NULL, sums_type, sums_run, sums_vjp, true},
     sums_twin},
    {{sizeof(wf_kernel), "fuzz.signs", 1, 2, NULL, signs_type, signs_run, NULL, false},
     signs_twin},
};

/* ---- programs ---- */

/* x of the shape of like: itself, or its sum spread out */
static wf_tensor fitted(wf_ctx *c, wf_tensor x, wf_tensor like)
{
    bool same = wf_rank(c, x) == wf_rank(c, like);

    for (int k = 0; same && k < wf_rank(c, x); k++)
        same = wf_size(c, x, k) == wf_size(c, like, k);
    return same ? x
                : wf_add(c, wf_mul(c, like, wf_float(c, 0)),
                         wf_tanh(c, wf_sum(c, x, NULL, 0, false)));
}

static wf_tensor plain_step(wf_ctx *c, Bytes *b, wf_tensor x, wf_tensor y)
{
    int rank = wf_rank(c, x);

    switch (pick(b, 8)) {
    case 0: return wf_tanh(c, x);
    case 1: return wf_mul(c, x, fitted(c, y, x));
    case 2: return rank > 1 ? wf_swap_axes(c, x, 0, 1) : wf_sin(c, x);
    case 3: return rank > 0 ? wf_sum(c, x, (int[]){0}, 1, false) : wf_cos(c, x);
    case 4: return rank < 3 ? wf_expand_dims(c, x, 0) : wf_neg(c, x);
    case 5: return wf_reshape(c, x, (int64_t[]){WF_INFER}, 1);
    case 6: return rank > 0 ? wf_flip(c, x, (int[]){0}, 1) : x;
    default: return wf_add(c, x, fitted(c, y, x));
    }
}

static void call_kernel(wf_ctx *c, const Bytes *b, int k, const wf_tensor *in,
                        wf_tensor *out)
{
    if (b->twins)
        kernels[k].twin(c, in, out);
    else
        wf_kernel_call(c, kernels[k].k.name, in, kernels[k].k.inputs, out,
                       kernels[k].k.outputs);
}

/* Of two inputs: a scalar, and the last value that is no float, as one. */
static wf_status compose(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                         wf_tensor *out, int nout)
{
    Bytes b = *(const Bytes *)user;
    wf_tensor pool[MAX_POOL] = {in[0], in[1]}, sum = wf_float(c, 0), whole = wf_int(c, 0);
    int n = 2;

    (void)nin, (void)nout;
    for (int steps = 0; steps < MAX_STEPS && b.from < b.to && wf_ctx_status(c) == WF_OK;
         steps++) {
        int k = pick(&b, COUNT(kernels) + 3);
        wf_tensor x = pool[pick(&b, n)], y = pool[pick(&b, n)],
                  made[2] = {WF_NONE, WF_NONE};

        if (k >= COUNT(kernels)) {
            pool[n++] = plain_step(c, &b, x, y);
        } else if (k == 3) {
            call_kernel(c, &b, k, &x, made);
            whole = wf_add(c, made[0],
                           wf_sum(c, wf_cast(c, made[1], WF_I64), NULL, 0, false));
        } else if (k != 2 || wf_rank(c, x) > 0) {
            call_kernel(c, &b, k, (wf_tensor[]){x, fitted(c, y, x)}, made);
            pool[n++] = wf_tanh(c, made[0]);
            if (kernels[k].k.outputs == 2)
                pool[n++] = made[1];
        }
    }
    for (int i = 0; i < n; i++)
        sum = wf_add(c, sum, wf_tanh(c, wf_sum(c, pool[i], NULL, 0, false)));
    out[0] = sum;
    out[1] = whole;
    return wf_ctx_status(c);
}

/* The program, and a transform of it or two, by the same bytes. */
static const wf_program *make(wf_ctx *c, Bytes b, bool twins)
{
    wf_function f;
    const wf_program *p = NULL, *q;
    int what = pick(&b, 6);
    bool symbolic = pick(&b, 2);

    b.twins = twins;
    f = (wf_function)WF_FUNCTION(compose, &b, 2, 2, "f");
    if (wf_trace_types(c, &f,
                       symbolic ? (const char *[]){"f64[2,N]", "f64[N]"}
                                : (const char *[]){"f64[2,3]", "f64[3]"},
                       2, &p))
        return NULL;
    for (; what && p; what = what > 3 ? what - 3 : 0, p = q) { /* 4, 5: two of them */
        int n = wf_program_inputs(p), axes[16];

        for (int i = 0; i < n && i < COUNT(axes); i++)
            axes[i] = 0;
        q = NULL;
        if (what % 3 == 1)
            wf_vjp(c, p, NULL, 0, &q);
        else if (n <= COUNT(axes))
            wf_vmap(c, p, axes, n, NULL, 4, &q);
        wf_program_release(p);
    }
    return p;
}

/* ---- running ---- */

static void release(wf_array **v, int n)
{
    for (int i = 0; i < n; i++)
        wf_array_release(v[i]);
}

static int make_inputs(wf_ctx *c, const wf_program *p, wf_array **x)
{
    int n = wf_program_inputs(p);

    if (n > MAX_RESULTS)
        return -1;
    for (int i = 0; i < n; i++) {
        wf_value_info s = {.size = sizeof s};
        double v[256];
        int64_t dims[WF_MAX_RANK], count = 1;

        if (wf_program_input_info(c, p, i, &s))
            broken(c, "signature", p);
        for (int k = 0; k < s.rank; k++)
            count *= dims[k] = s.dims[k] < 0 ? COLUMNS : s.dims[k];
        if (s.dtype != WF_F64 || count > COUNT(v))
            return release(x, i), -1;
        for (int64_t k = 0; k < count; k++)
            v[k] = 0.1 + sin((double)(k * 7 + i * 3));
        if (wf_array_from(c, WF_F64, dims, s.rank, v, &x[i]))
            broken(c, "input", p);
    }
    return n;
}

static bool is_near(const wf_array *a, const wf_array *b)
{
    const double *x = wf_array_data(a), *y = wf_array_data(b);
    int64_t n = wf_array_count(a);

    if (wf_array_dtype(a) != wf_array_dtype(b) || wf_array_rank(a) != wf_array_rank(b) ||
        n != wf_array_count(b))
        return false;
    if (wf_array_dtype(a) != WF_F64)
        return !memcmp(x, y, (size_t)n * wf_dtype_size(wf_array_dtype(a)));
    for (int64_t i = 0; i < n; i++)
        if (!(fabs(x[i] - y[i]) <= 1e-9 * (1 + fabs(y[i]))) &&
            !(isnan(x[i]) && isnan(y[i])))
            return false;
    return true;
}

/* p as its text says it is; the caller's. */
static const wf_program *read_back(wf_ctx *c, const wf_program *p)
{
    const char *borrowed = "";
    char *text = NULL;
    wf_model *m = NULL;
    const wf_program *q;

    if (wf_program_text(c, p, WF_TEXT_HEADER, &borrowed) || !(text = strdup(borrowed)))
        broken(c, "text", p);
    if (wf_model_parse(c, "f.wir", text, strlen(text), &m))
        broken(c, "what was printed does not parse", p);
    q = wf_program_retain(wf_model_find(m, wf_program_name(p)));
    wf_model_free(m);
    free(text);
    return q;
}

/* twin by the evaluator; p by the evaluator, by the interpreter, and as read back */
static void compare(wf_ctx *c, const wf_program *p, const wf_program *twin)
{
    const wf_program *again = read_back(c, p);
    wf_array *x[MAX_RESULTS] = {0}, *y[3][MAX_RESULTS] = {0}, *want[MAX_RESULTS] = {0};
    int nin = make_inputs(c, p, x), nout = wf_program_outputs(p);
    wf_exec *e = NULL;

    if (nout != wf_program_outputs(twin) || (nin >= 0 && nin != wf_program_inputs(twin)))
        broken(c, "another signature than the twin's", p);
    if (nin >= 0 && nout <= MAX_RESULTS) {
        if (wf_eval(c, twin, x, nin, want, nout))
            broken(c, "twin", twin);
        if (wf_eval(c, p, x, nin, y[0], nout) || wf_prepare(c, p, &e) ||
            wf_run(c, e, x, nin, y[1], nout) || wf_eval(c, again, x, nin, y[2], nout))
            broken(c, "run", p);
        for (int j = 0; j < nout; j++)
            for (int k = 0; k < COUNT(y); k++)
                if (!is_near(y[k][j], want[j]))
                    broken(c,
                           (const char *[]){"evaluated", "interpreted", "read back"}[k],
                           p);
    }
    wf_exec_release(e);
    for (int k = 0; k < COUNT(y); k++)
        release(y[k], MAX_RESULTS);
    release(want, MAX_RESULTS);
    release(x, MAX_RESULTS);
    wf_program_release(again);
}

static void honest(wf_ctx *c, Bytes b)
{
    const wf_program *twin = make(c, b, true), *p;
    wf_status status;

    if (!twin)
        broken(c, "the twin has a rule for everything", NULL);
    p = make(c, b, false);
    status = wf_ctx_status(c);
    if (p)
        compare(c, p, twin);
    else if (status != WF_ERR_NORULE)
        broken(c, "no program", twin);
    wf_clear(c);
    wf_program_release(p);
    wf_program_release(twin);
}

static void shameless(wf_ctx *c, Bytes *b)
{
    wf_kernel k = {sizeof k,       "fuzz.shameless", 1,    1 + pick(b, 3), b,
                   shameless_type, shameless_run,    NULL, pick(b, 2)};
    wf_tensor x = wf_full(c, WF_F64, (int64_t[]){2, 3}, pick(b, 3), 0.5), y[3];
    wf_status s;

    wf_kernel_register(c, &k);
    for (int i = 0; i < 6 && b->from < b->to; i++) {
        s = wf_kernel_call(c, k.name, &x, 1, y, k.outputs);
        for (int j = 0; s == WF_OK && j < k.outputs; j++)
            wf_item(c, wf_max(c,
                              wf_reshape(c, wf_cast(c, y[j], WF_F32),
                                         (int64_t[]){WF_INFER}, 1),
                              NULL, 0, false));
        if (wf_ctx_status(c) == WF_ERR_INTERNAL)
            broken(c, "shameless", NULL);
        wf_clear(c);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wf_options o = {.size = sizeof o,
                    .threads = 1}; /* with a runtime of its own: kernels are its */
    wf_ctx *c = wf_ctx_new(&o);
    Bytes b = {.from = data, .to = data + size};

    if (!c)
        return 0;
    for (int i = 0; i < COUNT(kernels); i++)
        if (wf_kernel_register(c, &kernels[i].k))
            broken(c, "register", NULL);
    if (pick(&b, 4) == 3)
        shameless(c, &b);
    else
        honest(c, b);
    wf_ctx_free(c);
    return 0;
}
