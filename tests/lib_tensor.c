/* lib_tensor.c -- see lib_tensor.h. */
#include "lib_tensor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double next_uniform(uint64_t *s)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return (double)(*s >> 11) / 9007199254740992.0;
}

static wf_dtype parse(const char *type, int64_t *dims, int *rank)
{
    size_t n = strcspn(type, "[");
    wf_dtype dtype = WF_INVALID;
    const char *s = type + n + 1;

    for (int d = WF_BOOL; d <= WF_F64; d++)
        if (strlen(wf_dtype_name((wf_dtype)d)) == n &&
            !strncmp(wf_dtype_name((wf_dtype)d), type, n))
            dtype = (wf_dtype)d;
    *rank = 0;
    while (*s && *s != ']') {
        dims[(*rank)++] = strtoll(s, (char **)(uintptr_t)&s, 10);
        s += *s == ',';
    }
    return dtype;
}

wf_tensor random_tensor(wf_ctx *c, const char *type, double lo, double hi, uint64_t *seed)
{
    int64_t dims[8], n = 1;
    int rank;
    wf_dtype dtype = parse(type, dims, &rank);
    double *v;
    wf_tensor t, r;

    for (int i = 0; i < rank; i++)
        n *= dims[i];
    v = malloc((size_t)(n + 1) * sizeof *v);
    for (int64_t i = 0; i < n; i++) {
        v[i] = lo + (hi - lo) * next_uniform(seed);
        if (dtype != WF_F64 && dtype != WF_F32)
            v[i] = dtype == WF_BOOL ? (double)(next_uniform(seed) < 0.5) : floor(v[i]);
    }
    t = wf_from(c, WF_F64, dims, rank, v);
    free(v);
    r = wf_cast(c, t, dtype);
    return r;
}

bool check_context(wf_ctx *c, const char *name, const char *how)
{
    if (wf_ctx_status(c) == WF_OK)
        return true;
    check_fail(__FILE__, __LINE__, "%s %s: %s", name, how, wf_ctx_message(c));
    wf_clear(c);
    return false;
}

void check_same(wf_ctx *c, wf_tensor a, wf_tensor b, double tol, const char *name,
                const char *how)
{
    int64_t n = wf_count(c, a), m = wf_count(c, b);
    double *x, *y;

    if (!check_context(c, name, how))
        return;
    if (n != m || wf_rank(c, a) != wf_rank(c, b) ||
        wf_dtype_of(c, a) != wf_dtype_of(c, b)) {
        check_fail(__FILE__, __LINE__,
                   "%s %s: types differ: %s rank %d count %lld, %s rank %d count %lld",
                   name, how, wf_dtype_name(wf_dtype_of(c, a)), wf_rank(c, a),
                   (long long)n, wf_dtype_name(wf_dtype_of(c, b)), wf_rank(c, b),
                   (long long)m);
        return;
    }
    x = malloc((size_t)(n + 1) * sizeof *x);
    y = malloc((size_t)(n + 1) * sizeof *y);
    wf_read_f64(c, a, x, n);
    wf_read_f64(c, b, y, n);
    for (int64_t i = 0; i < n; i++) {
        bool same = x[i] == y[i] || (isnan(x[i]) && isnan(y[i])) ||
                    fabs(x[i] - y[i]) <= tol * fmax(1, fmax(fabs(x[i]), fabs(y[i])));
        if (!same) {
            check_fail(__FILE__, __LINE__, "%s %s: element %lld is %.17g, not %.17g",
                       name, how, (long long)i, y[i], x[i]);
            break;
        }
    }
    free(x);
    free(y);
}

/* sum(y * w), w fixed irregular weights: a number whose gradient tells the elements of y apart */
static wf_tensor weighted(wf_ctx *c, wf_tensor y)
{
    int64_t n = wf_count(c, y), dims[8];
    double *w = malloc((size_t)(n + 1) * sizeof *w);
    wf_tensor t;

    for (int64_t i = 0; i < n; i++)
        w[i] = 0.3 + 0.7 * (double)((i * 7 + 3) % 11) / 11;
    wf_shape(c, y, dims, wf_rank(c, y));
    t = wf_from(c, WF_F64, dims, wf_rank(c, y), w);
    free(w);
    return wf_sum(c, wf_mul(c, y, t), NULL, 0, false);
}

static bool is_float(wf_ctx *c, wf_tensor t) { return wf_dtype_of(c, t) == WF_F64; }

static void check_gradients(wf_ctx *c, const BodyCase *b, const wf_function *f,
                            const wf_tensor *in, int nin)
{
    wf_tensor args[6], y, g;

    for (int i = 0; i < nin; i++) {
        args[i] = wf_copy(c, in[i]);
        if (is_float(c, args[i]))
            wf_requires_grad(c, args[i], true);
    }
    if (f->call(c, f->user, args, f->inputs, &y, f->outputs) ||
        !check_context(c, b->name, "recorded"))
        return;
    if (!is_float(c, y)) {
        check_fail(__FILE__, __LINE__, "%s: result is no f64", b->name);
        return;
    }
    wf_backward(c, weighted(c, y), WF_NONE, 0);
    if (!check_context(c, b->name, "backward"))
        return;
    for (int i = 0; i < nin; i++) {
        int64_t n = wf_count(c, in[i]), dims[8];
        double *x, *gx, h = 1e-5;
        if (!is_float(c, in[i]))
            continue;
        g = wf_grad_of(c, args[i]);
        if (wf_is_none(g)) {
            check_fail(__FILE__, __LINE__, "%s: no gradient for input %d", b->name, i);
            continue;
        }
        x = malloc((size_t)(n + 1) * sizeof *x);
        gx = malloc((size_t)(n + 1) * sizeof *gx);
        wf_read_f64(c, in[i], x, n);
        wf_read_f64(c, g, gx, n);
        wf_shape(c, in[i], dims, wf_rank(c, in[i]));
        for (int64_t k = 0; k < n; k++) {
            double at = x[k], side[2], d;
            wf_scope_begin(c);
            for (int s = 0; s < 2; s++) {
                wf_tensor moved[6];
                x[k] = at + (s ? h : -h);
                memcpy(moved, in, (size_t)nin * sizeof *moved);
                moved[i] = wf_from(c, WF_F64, dims, wf_rank(c, in[i]), x);
                f->call(c, f->user, moved, f->inputs, &y, f->outputs);
                side[s] = wf_item(c, weighted(c, y));
            }
            wf_scope_end(c);
            x[k] = at;
            d = (side[1] - side[0]) / (2 * h);
            if (!(fabs(d - gx[k]) <= 2e-6 * fmax(1, fabs(d)))) {
                check_fail(
                    __FILE__, __LINE__,
                    "%s: gradient of input %d at %lld is %.12g, by differences %.12g",
                    b->name, i, (long long)k, gx[k], d);
                break;
            }
        }
        free(x);
        free(gx);
    }
    check_context(c, b->name, "differences");
}

/* The gradients of a recorded call of the program against those of its ops. */
static void check_call_gradients(wf_ctx *c, const BodyCase *b, const wf_function *f,
                                 const wf_tensor *in, int nin)
{
    wf_tensor args[2][6], y[2];
    wf_jit *jit;

    wf_jit_new(c, f, &jit);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < nin; i++) {
            args[k][i] = wf_copy(c, in[i]);
            if (is_float(c, in[i]))
                wf_requires_grad(c, args[k][i], true);
        }
        if (k)
            wf_jit_call(c, jit, args[k], nin, &y[k], 1, NULL, 0);
        else
            f->call(c, f->user, args[k], nin, &y[k], 1);
        wf_backward(c, weighted(c, y[k]), WF_NONE, 0);
    }
    check_same(c, y[0], y[1], 1e-12, b->name, "recorded call");
    for (int i = 0; i < nin; i++)
        if (is_float(c, in[i]))
            check_same(c, wf_grad_of(c, args[0][i]), wf_grad_of(c, args[1][i]), 1e-10,
                       b->name, "gradient of a recorded call");
    wf_jit_free(c, jit);
    check_context(c, b->name, "recorded call");
}

/* vmap over a stack of three against three calls */
static void check_vmap(wf_ctx *c, const BodyCase *b, const wf_function *f, int nin,
                       uint64_t *seed, double lo, double hi)
{
    wf_tensor rows[3][6], stacked[6], y[3], loop, at_once;
    int axes[6];

    for (int i = 0; i < nin; i++) {
        wf_tensor v[3];
        for (int k = 0; k < 3; k++)
            v[k] = rows[k][i] = random_tensor(c, b->types[i], lo, hi, seed);
        stacked[i] = wf_stack(c, v, 3, 0);
        axes[i] = 0;
    }
    for (int k = 0; k < 3; k++)
        f->call(c, f->user, rows[k], f->inputs, &y[k], f->outputs);
    loop = wf_stack(c, y, 3, 0);
    wf_vmap_call(c, f, stacked, axes, f->inputs, NULL, NULL, &at_once, 1);
    check_same(c, loop, at_once, 1e-12, b->name, "vmap");
}

void check_body(const BodyCase *b)
{
    wf_ctx *c = wf_ctx_new(NULL);
    double lo = b->lo, hi = b->hi;
    uint64_t seed = 12345;
    int nin = 0;
    wf_tensor in[6], y, z;
    const wf_program *p;
    wf_jit *jit;
    wf_function f = WF_FUNCTION(b->call, NULL, 0, 1, b->name);

    if (lo == 0 && hi == 0) {
        lo = -2;
        hi = 2;
    }
    while (nin < 6 && b->types[nin])
        nin++;
    f.inputs = nin;
    for (int i = 0; i < nin; i++)
        in[i] = random_tensor(c, b->types[i], lo, hi, &seed);
    b->call(c, NULL, in, f.inputs, &y, 1);
    if (!check_context(c, b->name, "eager"))
        goto out;
    if (!(b->flags & NO_TRACE)) {
        if (wf_trace(c, &f, in, f.inputs, &p) == WF_OK) {
            wf_apply(c, p, in, f.inputs, &z, 1);
            check_same(c, y, z, 1e-12, b->name, "traced");
            wf_program_verify(c, p);
            wf_program_release(p);
        }
        check_context(c, b->name, "trace");
        if (wf_trace_types(c, &f, b->types, f.inputs, &p) == WF_OK) {
            wf_apply(c, p, in, f.inputs, &z, 1);
            check_same(c, y, z, 1e-12, b->name, "graph");
            wf_program_release(p);
        }
        check_context(c, b->name, "graph");
        wf_jit_new(c, &f, &jit);
        for (int k = 0; k < 2; k++) {
            wf_jit_call(c, jit, in, f.inputs, &z, 1, NULL, 0);
            check_same(c, y, z, 1e-12, b->name, "jit");
        }
        if (wf_jit_traces(jit) != 1)
            check_fail(__FILE__, __LINE__, "%s: traced %d times", b->name,
                       wf_jit_traces(jit));
        wf_jit_free(c, jit);
        if (!(b->flags & NO_VMAP) && nin)
            check_vmap(c, b, &f, nin, &seed, lo, hi);
        check_context(c, b->name, "vmap");
    }
    if (!(b->flags & NO_GRAD))
        check_gradients(c, b, &f, in, nin);
    if (!(b->flags & (NO_GRAD | NO_TRACE)))
        check_call_gradients(c, b, &f, in, nin);
out:
    check_context(c, b->name, "end");
    wf_ctx_free(c);
}

/* ---- golden results ---- */

static void check_golden(const BodyCase *b, char *line)
{
    wf_ctx *c = wf_ctx_new(NULL);
    uint64_t seed = 12345;
    wf_tensor in[6], y = WF_NONE;
    int64_t dims[8], n, k = 0;
    int rank = 0, nin = 0;
    bool plain = b->lo == 0 && b->hi == 0;
    char *s = strchr(line, '[') + 1;
    double *v;

    while (nin < 6 && b->types[nin]) {
        in[nin] =
            random_tensor(c, b->types[nin], plain ? -2 : b->lo, plain ? 2 : b->hi, &seed);
        nin++;
    }
    b->call(c, NULL, in, nin, &y, 1);
    if (!check_context(c, b->name, "golden"))
        goto out;
    while (*s != ']') {
        dims[rank++] = strtoll(s, &s, 10);
        s += *s == ',';
    }
    s++;
    n = wf_count(c, y);
    if (rank != wf_rank(c, y))
        check_fail(__FILE__, __LINE__, "%s: rank %d, not %d", b->name, wf_rank(c, y),
                   rank);
    for (int i = 0; i < rank && rank == wf_rank(c, y); i++)
        if (wf_size(c, y, i) != dims[i])
            check_fail(__FILE__, __LINE__, "%s: axis %d is %lld, not %lld", b->name, i,
                       (long long)wf_size(c, y, i), (long long)dims[i]);
    v = malloc((size_t)(n + 1) * sizeof *v);
    wf_read_f64(c, y, v, n);
    for (char *end; k < n; k++) {
        double want = strtod(s, &end);
        if (end == s || !(fabs(want - v[k]) <= 1e-12 * fmax(1, fabs(want)))) {
            check_fail(__FILE__, __LINE__, "%s: element %lld is %.17g, not %.17g",
                       b->name, (long long)k, v[k], want);
            break;
        }
        s = end;
    }
    free(v);
out:
    wf_ctx_free(c);
}

int check_goldens(const BodyCase *cases, size_t n)
{
    FILE *f = fopen("tests/golden/bodies.txt", "r");
    static char line[1 << 16];
    int found = 0;

    while (f && fgets(line, sizeof line, f))
        for (size_t i = 0; i < n; i++) {
            size_t k = strlen(cases[i].name);
            if (!strncmp(line, cases[i].name, k) && line[k] == ' ') {
                check_golden(&cases[i], line);
                found++;
            }
        }
    if (f)
        fclose(f);
    return found;
}

/* ---- memory ---- */

void check_faults(wf_status (*body)(wf_ctx *c), int step)
{
    for (int all = 0; all < 2; all++)
        for (int64_t n = 1, done = 0; !done; n += n < 300 ? 1 : step) {
            FaultAlloc f = {.fail_at = (long)n, .and_after = all};
            wf_options o = {
                .size = sizeof o, .allocator = fault_allocator(&f), .threads = 1};
            wf_ctx *c = wf_ctx_new(&o);
            wf_status st = c ? body(c) : WF_ERR_MEMORY;
            done = f.count < n;
            if (!done && st != WF_ERR_MEMORY)
                check_fail(__FILE__, __LINE__, "allocation %lld: status %d, %s",
                           (long long)n, (int)st, c ? wf_ctx_message(c) : "");
            if (done && st != WF_OK)
                check_fail(__FILE__, __LINE__, "without a failure: %s",
                           wf_ctx_message(c));
            wf_ctx_free(c);
            if (f.live_bytes != 0 || f.misuses != 0) {
                check_fail(__FILE__, __LINE__, "allocation %lld: %lld bytes leaked",
                           (long long)n, (long long)f.live_bytes);
                break;
            }
        }
}
