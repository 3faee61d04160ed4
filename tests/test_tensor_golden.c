/* test_tensor_golden.c -- the functions of weft_tensor.h against PyTorch, NumPy and JAX.
 *
 * Reads tests/golden/tensor/ (format: tools/golden_functions.py). Each case runs in f64 and in f32: eagerly, recorded
 * with its gradients, traced and applied, as a graph with its partial derivatives, and under vmap against a loop.
 * A function of the header without a case fails, unless it is in the list of those that are tested elsewhere.
 */
#include "lib_calls.h"
#include "lib_tensor.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ------------------------------------------------------------------------------------------- */

typedef struct Numbers {
    bool present;
    wf_dtype dtype;
    int rank;
    int64_t dims[8], count;
    double *v;
} Numbers;

typedef struct Case {
    char name[32], label[160];
    bool edge;
    CallArgs args;
    char text[96];
    int nin, nout;
    Numbers in[CALL_IN], out[CALL_OUT];
    double *grad[CALL_IN]; /* NULL: not given */
} Case;

static char *read_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    long size;
    char *s;

    if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0 || fseek(f, 0, SEEK_SET)) {
        FAIL("%s cannot be read", path);
        if (f)
            fclose(f);
        return NULL;
    }
    s = malloc((size_t)size + 1);
    s[fread(s, 1, (size_t)size, f)] = 0;
    fclose(f);
    return s;
}

static wf_dtype dtype_of(const char *s, size_t n)
{
    for (int d = WF_BOOL; d <= WF_F64; d++)
        if (strlen(wf_dtype_name((wf_dtype)d)) == n &&
            !strncmp(s, wf_dtype_name((wf_dtype)d), n))
            return (wf_dtype)d;
    return WF_INVALID;
}

static double *read_values(const char *s, int64_t n)
{
    double *v = malloc((size_t)(n + 1) * sizeof *v);

    for (int64_t i = 0; i < n; i++)
        v[i] = strtod(s, (char **)(uintptr_t)&s);
    return v;
}

/* "f64[2,3] 1 2 3 4 5 6" or "none" */
static void read_numbers(const char *s, Numbers *out)
{
    size_t n = strcspn(s, "[ ");

    memset(out, 0, sizeof *out);
    if (!strcmp(s, "none"))
        return;
    out->present = true;
    out->dtype = dtype_of(s, n);
    out->count = 1;
    s += n + 1;
    while (*s != ']') {
        out->dims[out->rank] = strtoll(s, (char **)(uintptr_t)&s, 10);
        out->count *= out->dims[out->rank++];
        s += *s == ',';
    }
    out->v = read_values(s + 1, out->count);
}

static void read_head(char *s, Case *k)
{
    int g = 0;

    snprintf(k->label, sizeof k->label, "%s", s);
    for (char *t = strtok(s, " "); t; t = strtok(NULL, " ")) {
        char *end;
        double v = strtod(t, &end);

        if (!k->name[0])
            snprintf(k->name, sizeof k->name, "%s", t);
        else if (!strcmp(t, "edge"))
            k->edge = true;
        else if (*t == ':') {
            snprintf(k->text, sizeof k->text, "%s", t + 1);
            k->args.text = k->text;
        } else if (!strcmp(t, "/"))
            g++;
        else if (*end == 0)
            k->args.g[g].v[k->args.g[g].n++] = v;
        k->args.ngroups = g + 1;
    }
}

static void free_case(Case *k)
{
    for (int i = 0; i < k->nin; i++) {
        free(k->in[i].v);
        free(k->grad[i]);
    }
    for (int i = 0; i < k->nout; i++)
        free(k->out[i].v);
    memset(k, 0, sizeof *k);
}

/* ---- running -------------------------------------------------------------------------------------------- */

typedef struct Run {
    wf_ctx *c;
    const Case *k;
    const CallRow *row;
    CallArgs args;
    const char *how;
    bool
        selects; /* the size of the result depends on a mask: such programs are not recorded */
    int failures; /* of this case: only the first is told */
} Run;

static void tell(Run *r, const char *what)
{
    if (!r->failures++)
        FAIL("%s (%s, %s): %s", r->k->label, wf_dtype_name(r->args.real), r->how, what);
}

static bool well(Run *r)
{
    if (wf_ctx_status(r->c) == WF_OK)
        return true;
    tell(r, wf_ctx_message(r->c));
    wf_clear(r->c);
    return false;
}

static wf_dtype real_of(const Run *r, wf_dtype d)
{
    return d == WF_F64 ? r->args.real : d;
}
static bool is_real(wf_dtype d) { return d == WF_F64 || d == WF_F32; }

static wf_tensor make(Run *r, const Numbers *n)
{
    return wf_cast(r->c, wf_from(r->c, WF_F64, n->dims, n->rank, n->v),
                   real_of(r, n->dtype));
}

/* golden: 13 digits of f64 arithmetic */
static void compare(Run *r, const char *what, wf_dtype dtype, const double *want,
                    const double *got, int64_t n)
{
    double tol = dtype == WF_F32 ? 2e-5 : 4e-12, top = 1;
    char text[160];

    for (int64_t i = 0; i < n; i++)
        if (isfinite(want[i]))
            top = fmax(top, fabs(want[i]));
    for (int64_t i = 0; i < n; i++) {
        bool same = want[i] == got[i] || (isnan(want[i]) && isnan(got[i])) ||
                    (is_real(dtype) && fabs(want[i] - got[i]) <= tol * top);

        if (same && r->k->edge && want[i] == 0 && got[i] == 0)
            same = !signbit(want[i]) == !signbit(got[i]);
        if (!same) {
            snprintf(text, sizeof text, "%s, element %lld is %.13g, not %.13g", what,
                     (long long)i, got[i], want[i]);
            tell(r, text);
            return;
        }
    }
}

static void check_tensor(Run *r, const char *what, const Numbers *want,
                         const double *values, wf_dtype dtype, wf_tensor t)
{
    int64_t dims[WF_MAX_RANK] = {0};
    int rank = wf_rank(r->c, t);
    char text[160];
    double *got;

    if (!well(r))
        return;
    wf_shape(r->c, t, dims, wf_rank(r->c, t));
    if (wf_dtype_of(r->c, t) != dtype || rank != want->rank ||
        memcmp(dims, want->dims, (size_t)rank * sizeof *dims)) {
        snprintf(text, sizeof text,
                 "%s is %s of rank %d and count %lld, not %s of rank %d and count %lld",
                 what, wf_dtype_name(wf_dtype_of(r->c, t)), rank,
                 (long long)wf_count(r->c, t), wf_dtype_name(dtype), want->rank,
                 (long long)want->count);
        tell(r, text);
        return;
    }
    got = malloc((size_t)(want->count + 1) * sizeof *got);
    wf_read_f64(r->c, t, got, want->count);
    if (well(r))
        compare(r, what, dtype, values, got, want->count);
    free(got);
}

static void check_results(Run *r, const wf_tensor *y)
{
    for (int i = 0; i < r->k->nout; i++)
        check_tensor(r, "result", &r->k->out[i], r->k->out[i].v,
                     real_of(r, r->k->out[i].dtype), y[i]);
}

static void check_grads(Run *r, const wf_tensor *g)
{
    for (int i = 0; i < r->k->nin; i++) {
        if (!r->k->grad[i])
            continue;
        if (wf_is_none(g[i])) { /* no dependence: the same as zeros */
            for (int64_t j = 0; j < r->k->in[i].count; j++)
                if (r->k->grad[i][j] != 0) {
                    tell(r, "there is no gradient");
                    break;
                }
        } else
            check_tensor(r, "gradient", &r->k->in[i], r->k->grad[i], r->args.real, g[i]);
    }
}

/* The function as a wf_call: of the inputs that are not left out. */
static wf_status call_case(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                           wf_tensor *out, int nout)
{
    Run *r = user;
    wf_tensor all[CALL_IN];

    (void)nin, (void)nout;
    for (int i = 0, n = 0; i < r->k->nin; i++)
        all[i] = r->k->in[i].present ? in[n++] : WF_NONE;
    r->row->call(c, &r->args, all, out);
    return wf_ctx_status(c);
}

/* sum of y_i w_i over the float results; WF_NONE: there are none */
static wf_tensor loss_of(Run *r, const wf_tensor *y)
{
    wf_tensor sum = WF_NONE;

    for (int k = 0; k < r->k->nout; k++) {
        const Numbers *o = &r->k->out[k];
        double *w;
        wf_tensor t;

        if (!is_real(o->dtype))
            continue;
        w = malloc((size_t)(o->count + 1) * sizeof *w);
        for (int64_t i = 0; i < o->count; i++)
            w[i] = (double)((7 * i + 3) % 11 - 4) / 8;
        t = wf_cast(r->c, wf_from(r->c, WF_F64, o->dims, o->rank, w),
                    real_of(r, o->dtype));
        free(w);
        t = wf_sum(r->c, wf_mul(r->c, y[k], t), NULL, 0, false);
        sum = wf_is_none(sum) ? t : wf_add(r->c, sum, t);
    }
    return sum;
}

static bool has_grads(const Case *k)
{
    for (int i = 0; i < k->nin; i++)
        if (k->grad[i])
            return true;
    return false;
}

/* Gradients through the calls, or with p through its program. */
static void run_recorded(Run *r, const wf_tensor *in, const wf_program *p)
{
    wf_tensor x[CALL_IN], y[CALL_OUT] = {{0}}, g[CALL_IN] = {{0}}, loss;
    int n = 0;

    for (int i = 0; i < r->k->nin; i++) {
        if (!r->k->in[i].present)
            continue;
        x[n] = wf_copy(r->c, in[n]);
        if (r->k->grad[i])
            wf_requires_grad(r->c, x[n], true);
        n++;
    }
    if (p)
        wf_apply(r->c, p, x, wf_program_inputs(p), y, wf_program_outputs(p));
    else
        call_case(r->c, r, x, CALL_IN, y, CALL_OUT);
    if (!well(r))
        return;
    check_results(r, y);
    loss = loss_of(r, y);
    if (!well(r))
        return;
    if (!wf_is_none(loss) && wf_has_grad_history(r->c, loss))
        wf_backward(r->c, loss, WF_NONE, 0);
    for (int i = 0, k = 0; i < r->k->nin; i++) {
        if (!r->k->in[i].present)
            continue;
        if (r->k->grad[i] && well(r))
            g[i] = wf_grad_of(r->c, x[k]);
        k++;
    }
    if (well(r))
        check_grads(r, g);
}

static void run_traced(Run *r, const wf_function *f, const wf_tensor *in)
{
    wf_tensor y[CALL_OUT] = {{0}};
    const wf_program *p = NULL;

    r->how = "traced";
    if (wf_trace(r->c, f, in, f->inputs, &p) == WF_OK &&
        wf_program_verify(r->c, p) == WF_OK &&
        wf_apply(r->c, p, in, wf_program_inputs(p), y, wf_program_outputs(p)) == WF_OK)
        check_results(r, y);
    if (well(r) && has_grads(r->k)) {
        r->how = "traced and recorded";
        run_recorded(r, in, p);
    }
    wf_program_release(p);
}

static void type_text(Run *r, const Numbers *n, char *s, size_t size)
{
    int at = snprintf(s, size, "%s[", wf_dtype_name(real_of(r, n->dtype)));

    for (int i = 0; i < n->rank; i++)
        at += snprintf(s + at, size - (size_t)at, i ? ",%lld" : "%lld",
                       (long long)n->dims[i]);
    snprintf(s + at, size - (size_t)at, "]");
}

static void run_graph(Run *r, const wf_tensor *in)
{
    wf_tensor x[CALL_IN], y[CALL_OUT + CALL_IN] = {{0}}, g[CALL_IN] = {{0}},
                                       z[CALL_OUT + CALL_IN] = {{0}}, loss;
    const wf_program *p = NULL;
    int n = 0, nout = r->k->nout;
    wf_graph *graph;

    r->how = "graph";
    wf_graph_new(r->c, "f", NULL, &graph);
    for (int i = 0; i < r->k->nin; i++)
        if (r->k->in[i].present) {
            char type[80], name[16];
            snprintf(name, sizeof name, "x%d", n);
            type_text(r, &r->k->in[i], type, sizeof type);
            x[n++] = wf_symbol(r->c, graph, name, type);
        }
    call_case(r->c, r, x, CALL_IN, y, CALL_OUT + CALL_IN);
    if (wf_ctx_status(r->c) == WF_OK && has_grads(r->k) && !r->selects) {
        loss = loss_of(r, y);
        for (int i = 0, k = 0; i < r->k->nin; i++) {
            if (!r->k->in[i].present)
                continue;
            if (r->k->grad[i] && !wf_is_none(loss))
                y[nout++] = wf_partial(r->c, loss, x[k], WF_NONE);
            k++;
        }
    }
    wf_graph_close(r->c, graph, x, n, y, nout, &p);
    if (well(r) &&
        wf_apply(r->c, p, in, wf_program_inputs(p), z, wf_program_outputs(p)) == WF_OK) {
        check_results(r, z);
        for (int i = 0, k = r->k->nout; i < r->k->nin; i++)
            if (r->k->grad[i] && k < nout)
                g[i] = z[k++];
        if (nout > r->k->nout)
            check_grads(r, g);
    }
    well(r);
    wf_graph_free(r->c, graph);
    wf_program_release(p);
}

/* Two rows, the inputs and the inputs reversed (a number: halved): at once, and one after the other. */
static void run_vmap(Run *r, const wf_function *f, const wf_tensor *in)
{
    wf_tensor rows[2][CALL_IN], both[CALL_IN], y[2][CALL_OUT] = {{{0}}},
                                               z[CALL_OUT] = {{0}};
    int axes[CALL_IN];

    r->how = "vmap";
    for (int i = 0; i < f->inputs; i++) {
        wf_tensor x = in[i];
        rows[0][i] = x;
        rows[1][i] = wf_rank(r->c, x) ? wf_flip(r->c, x, NULL, 0)
                     : is_real(wf_dtype_of(r->c, x))
                         ? wf_mul(r->c, x, wf_scalar(r->c, wf_dtype_of(r->c, x), 0.5))
                         : x;
        both[i] = wf_stack(r->c, (wf_tensor[]){rows[0][i], rows[1][i]}, 2, 0);
        axes[i] = 0;
    }
    for (int k = 0; k < 2; k++)
        call_case(r->c, r, rows[k], f->inputs, y[k], f->outputs);
    if (!well(r))
        return;
    wf_vmap_call(r->c, f, both, axes, f->inputs, NULL, NULL, z, f->outputs);
    for (int i = 0; well(r) && i < r->k->nout; i++)
        for (int k = 0; k < 2; k++) {
            Numbers n = {.rank = r->k->out[i].rank, .count = r->k->out[i].count};
            memcpy(n.dims, r->k->out[i].dims, sizeof n.dims);
            n.v = malloc((size_t)(n.count + 1) * sizeof *n.v);
            wf_read_f64(r->c, y[k][i], n.v, n.count);
            check_tensor(r, k ? "second row" : "first row", &n, n.v,
                         real_of(r, r->k->out[i].dtype),
                         wf_index_get(r->c, z[i], (wf_index[]){wf_at_int(k)}, 1));
            free(n.v);
        }
}

static bool has_mask(const Case *k)
{
    for (int i = 0; i < k->nin; i++)
        if (k->in[i].present && k->in[i].dtype == WF_BOOL)
            return true;
    return false;
}

static void run_case(wf_ctx *c, const Case *k, wf_dtype real)
{
    Run r = {.c = c, .k = k, .row = call_find(k->name), .args = k->args, .how = "eager"};
    wf_function f = WF_FUNCTION(call_case, &r, 0, k->nout, k->name);
    wf_tensor in[CALL_IN], y[CALL_OUT] = {{0}};

    r.args.real = real;
    r.args.nin = k->nin;
    r.selects = has_mask(k) &&
                (!strncmp(k->name, "index_", 6) || !strcmp(k->name, "masked_select"));
    if (!r.row) {
        tell(&r, "no such function");
        return;
    }
    if (real == WF_F32 && (r.row->flags & CALL_NO_F32))
        return;
    wf_scope_begin(c);
    for (int i = 0; i < k->nin; i++)
        if (k->in[i].present)
            in[f.inputs++] = make(&r, &k->in[i]);
    call_case(c, &r, in, CALL_IN, y, CALL_OUT);
    if (well(&r)) {
        check_results(&r, y);
        r.how = "recorded";
        if (has_grads(k))
            run_recorded(&r, in, NULL);
        /* nor can a program know that as many values are written as the mask selects */
        if (!(r.row->flags & CALL_NO_GRAPH) && !(r.selects && k->nin > 2)) {
            run_traced(&r, &f, in);
            run_graph(&r, in);
        }
        /* a mask as an index selects as many elements as it has; rows would differ */
        if (f.inputs && !(r.row->flags & CALL_NO_VMAP) && !r.selects)
            run_vmap(&r, &f, in);
    }
    wf_scope_end(c);
}

static void finish_case(wf_ctx *c, Case *k)
{
    if (k->name[0]) {
        run_case(c, k, WF_F64);
        run_case(c, k, WF_F32);
    }
    free_case(k);
}

static void run_file(const char *name)
{
    char path[128];
    char *text, *line, *next;
    wf_ctx *c = wf_ctx_new(NULL);
    Case k = {0};
    int cases = 0;

    snprintf(path, sizeof path, "tests/golden/tensor/%s", name);
    if (!strncmp(name, "jax", 3)) /* its slopes, too */
        SET_MEANS(c, promotion, WF_PROMOTE_JAX);
    text = read_text(path);
    for (line = text; line && *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next)
            *next++ = 0;
        if (!strncmp(line, "case ", 5)) {
            finish_case(c, &k);
            read_head(line + 5, &k);
            cases++;
        } else if (!strncmp(line, "in ", 3))
            read_numbers(line + 3, &k.in[k.nin++]);
        else if (!strncmp(line, "out ", 4))
            read_numbers(line + 4, &k.out[k.nout++]);
        else if (!strncmp(line, "grad ", 5)) {
            int i = line[5] - '0';
            k.grad[i] = read_values(line + 6, k.in[i].count);
        } else
            FAIL("%s: line '%.40s' is not understood", path, line);
    }
    finish_case(c, &k);
    CHECK(cases > 0);
    CHECK_EQ_INT(wf_live_tensors(c), 0);
    free(text);
    wf_ctx_free(c);
}

TEST(elementwise_functions_are_as_in_pytorch) { run_file("torch_elementwise.txt"); }
TEST(creation_is_as_in_pytorch_and_numpy) { run_file("torch_creation.txt"); }
TEST(shape_functions_are_as_in_pytorch) { run_file("torch_shape.txt"); }
TEST(reductions_are_as_in_pytorch) { run_file("torch_reduce.txt"); }
TEST(selecting_and_sorting_are_as_in_pytorch) { run_file("torch_select.txt"); }
TEST(linear_algebra_is_as_in_pytorch) { run_file("torch_linalg.txt"); }
TEST(normalisations_are_as_in_pytorch) { run_file("torch_norms.txt"); }
TEST(losses_are_as_in_pytorch) { run_file("torch_losses.txt"); }
TEST(convolutions_and_pools_are_as_in_pytorch) { run_file("torch_conv.txt"); }
TEST(layers_and_attention_are_as_in_pytorch) { run_file("torch_layers.txt"); }
TEST(images_counts_and_places_are_as_in_pytorch) { run_file("torch_more.txt"); }
TEST(indexing_is_as_in_numpy) { run_file("numpy_index.txt"); }
TEST(derivatives_at_ties_and_kinks_are_as_in_jax) { run_file("jax.txt"); }

/* ---- promotion -------------------------------------------------------------------------------------------- */

/* "f32", "f32z" (rank 0), "f32w" (a host number) */
static wf_dtype read_operand(const char *s, bool *weak, bool *zero)
{
    size_t n = strlen(s);

    *weak = s[n - 1] == 'w';
    *zero = s[n - 1] == 'z' || *weak;
    return dtype_of(s, n - (*zero ? 1 : 0));
}

static void check_promotion(wf_promotion rules, const char *path, int least)
{
    char *text = read_text(path);
    int rows = 0;

    for (char *line = text ? strtok(text, "\n") : NULL; line; line = strtok(NULL, "\n")) {
        char a[16], b[16], want[16];
        bool aw, az, bw, bz;
        wf_dtype x, y, got;

        if (sscanf(line, "%15s %15s %15s", a, b, want) != 3) {
            FAIL("%s: '%s'", path, line);
            continue;
        }
        x = read_operand(a, &aw, &az);
        y = read_operand(b, &bw, &bz);
        got = wf_promote(rules, x, aw, az, y, bw, bz);
        if (strcmp(wf_dtype_name(got), want))
            FAIL("%s: %s and %s give %s, not %s", path, a, b, wf_dtype_name(got), want);
        rows++;
    }
    CHECK(rows >= least);
    free(text);
}

TEST(dtypes_promote_as_in_pytorch_all_pairs)
{
    check_promotion(WF_PROMOTE_TORCH, "tests/golden/tensor/promote_torch.txt",
                    29 * 29 - 9);
}
TEST(dtypes_promote_as_in_jax_all_pairs)
{
    check_promotion(WF_PROMOTE_JAX, "tests/golden/tensor/promote_jax.txt", 16 * 16 - 9);
}
TEST(dtypes_promote_as_in_numpy_all_pairs)
{
    check_promotion(WF_PROMOTE_NUMPY, "tests/golden/tensor/promote_numpy.txt",
                    15 * 15 - 9);
}

/* ---- completeness ------------------------------------------------------------------------------------------ */

/* Functions of the header that have no case, and why. A name that ends in * stands for all that begin so. */
static const struct {
    const char *name, *why;
} elsewhere[] = {
    {"scope_*", "lifetimes: test_tensor.c"},
    {"keep", "lifetimes"},
    {"drop", "lifetimes"},
    {"is_alive", "lifetimes"},
    {"live_*", "lifetimes"},
    {"set_place", "places in messages"},
    {"dtype_of", "questions about a tensor; every case asks them"},
    {"rank", "as above"},
    {"size", "as above"},
    {"shape", "as above"},
    {"count", "as above"},
    {"is_symbolic", "as above"},
    {"is_weak", "weak types: test_tensor.c"},
    {"set_weak", "weak types"},
    {"shares_memory", "views: test_tensor.c"},
    {"write_count", "views"},
    {"read*", "every case reads its results"},
    {"item*", "test_tensor.c"},
    {"to_array", "test_tensor.c"},
    {"semantics_like", "test_tensor.c"},
    {"semantics_of", "test_tensor.c"},
    {"set_semantics", "test_tensor.c, and every script"},
    {"to_device", "test_device.c"},
    {"device_of", "test_device.c"},
    {"promote", "its own tables, here"},
    {"from", "every case makes its inputs by it"},
    {"from_array", "test_tensor.c"},
    {"float", "host numbers: test_tensor.c"},
    {"int", "host numbers"},
    {"bool", "host numbers"},
    {"scalar", "every vmap of numbers uses it"},
    {"requires_grad", "recording: every case with a gradient"},
    {"has_grad_history", "recording"},
    {"is_leaf", "recording: test_tensor.c"},
    {"history_*", "recording"},
    {"no_grad_*", "recording"},
    {"grad_of", "recording"},
    {"set_grad", "recording"},
    {"backward", "recording"},
    {"gradients", "recording"},
    {"tape_*", "recording"},
    {"trace", "every case"},
    {"trace_types", "test_tensor_ops.c"},
    {"trace_hinted", "test_tensor_hint.c"},
    {"trace_value", "of hinted traces, by scripts"},
    {"trace_tree", "test_tensor_tree.c"},
    {"vmap_tree", "test_tensor_tree.c"},
    {"grad_tree", "test_tensor_tree.c"},
    {"jvp_tree", "test_tensor_tree.c"},
    {"vjp_tree", "test_tensor_tree.c"},
    {"size_*", "test_tensor_hint.c"},
    {"trace_check", "test_tensor.c"},
    {"apply", "every case"},
    {"jit_*", "test_tensor_ops.c"},
    {"vmap_call", "every case"},
    {"grad_call", "test_tensor.c"},
    {"jvp_call", "test_tensor.c"},
    {"record_*", "test_tensor.c"},
    {"give*", "test_tensor_flow.c, as all that follow"},
    {"cond_call", "control flow"},
    {"while_call", "control flow"},
    {"scan_call", "control flow"},
    {"checkpoint_call", "control flow"},
    {"custom_*", "rules of one's own"},
    {"psum", "over the axis of a vmap"},
    {"pmean", "over the axis of a vmap"},
    {"pmax", "over the axis of a vmap"},
    {"pmin", "over the axis of a vmap"},
    {"ppermute", "over the axis of a vmap"},
    {"reduce_scatter", "over the axis of a vmap"},
    {"all_to_all", "over the axis of a vmap"},
    {"spmd_call", "a function of functions"},
    {"all_gather", "over the axis of a vmap"},
    {"axis_*", "over the axis of a vmap"},
    {"print", "effects"},
    {"kernel_*", "test_kernel.c"},
    {"assert", "effects"},
    {"write", "writing into memory: test_tensor.c"},
    {"add_in", "writing"},
    {"sub_in", "writing"},
    {"mul_in", "writing"},
    {"div_in", "writing"},
    {"fill_in", "writing"},
    {"index_write", "writing"},
    {"graph_*", "every case"},
    {"symbol", "every case"},
    {"partial", "every case with a gradient"},
    {"partials", "test_tensor_graph.c"},
    {"substitute", "test_tensor.c"},
    {"session_*", "test_tensor.c"},
    {"variable", "sessions"},
    {"variable_value", "sessions"},
    {"set_variable", "sessions"},
    {"assign", "sessions"},
    {"tree_*", "trees of tensors: test_tensor.c"},
    {"complex", "test_tensor_complex.c"},
    {"complex_number", "test_tensor_complex.c"},
    {"real", "test_tensor_complex.c"},
    {"imag", "test_tensor_complex.c"},
    {"conj", "test_tensor_complex.c"},
    {"angle", "test_tensor_complex.c"},
    {"polar", "test_tensor_complex.c"},
    {"fft", "test_tensor_complex.c"},
    {"from_dlpack", "test_tensor.c"},
    {"to_dlpack", "test_tensor.c"},
};

static bool is_elsewhere(const char *name)
{
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
        const char *e = elsewhere[i].name;
        size_t n = strlen(e);

        if (e[n - 1] == '*' ? !strncmp(e, name, n - 1) : !strcmp(e, name))
            return true;
    }
    return false;
}

static char *all_cases(void)
{
    DIR *d = opendir("tests/golden/tensor");
    size_t n = 0;
    char *all = calloc(1, 1);

    for (struct dirent *e; d && (e = readdir(d));) {
        char path[320];
        char *text;

        if (!strstr(e->d_name, ".txt"))
            continue;
        snprintf(path, sizeof path, "tests/golden/tensor/%s", e->d_name);
        text = read_text(path);
        all = realloc(all, n + strlen(text) + 1);
        strcpy(all + n, text);
        n += strlen(text);
        free(text);
    }
    if (d)
        closedir(d);
    return all;
}

static void check_has_case(const char *cases, const char *name)
{
    char one[80], more[80];
    bool has;

    snprintf(one, sizeof one, "case %s\n", name);
    snprintf(more, sizeof more, "case %s ", name);
    has = strstr(cases, one) || strstr(cases, more);
    if (!has && !is_elsewhere(name))
        FAIL("wf_%s has no case in tests/golden/tensor", name);
    if (has && !call_find(name))
        FAIL("wf_%s has no row in lib_calls.c", name);
}

TEST(every_function_of_the_header_has_a_case)
{
    char *header = read_text("include/weft_tensor.h"), *cases = all_cases();
    int found = 0;

    REQUIRE(header && cases);
    for (const char *s = header; (s = strstr(s, "WF_")); s += 3) {
        char name[64];
        bool macro = sscanf(s, "WF_UNARY(%63[a-z0-9_])", name) == 1 ||
                     sscanf(s, "WF_BINARY(%63[a-z0-9_])", name) == 1;

        if (macro && !strcmp(name, "name")) /* the macro's own definition */
            continue;
        if (!macro && !strncmp(s, "WF_API ", 7)) {
            const char *paren = strchr(s, '('), *start = paren;
            while (start && start > s && start[-1] != ' ' && start[-1] != '*')
                start--;
            macro = start && sscanf(start, "wf_%63[a-z0-9_]", name) == 1 &&
                    strncmp(start, "wf_##", 5);
        }
        if (macro) {
            check_has_case(cases, name);
            found++;
        }
    }
    CHECK(found > 200);
    free(header);
    free(cases);
}
