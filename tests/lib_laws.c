/* lib_laws.c -- the laws of laws.h. */
#include "laws.h"

#include <math.h>

/* ---- a context and a protected region for each test -------------------------------- */

static wf_status in_region(wf_ctx *cx, void (*body)(wf_ctx *cx))
{
    API_ENTER(cx);
    body(cx);
    API_RETURN(cx);
}

void laws_run(void (*body)(wf_ctx *cx))
{
    wf_ctx *cx = wf_ctx_new(NULL);

    REQUIRE(cx != NULL);
    if (in_region(cx, body) != WF_OK)
        FAIL("%s", wf_ctx_message(cx));
    wf_ctx_free(cx);
}

const Program *laws_parse(wf_ctx *cx, const char *text)
{
    char *lines = arena_strdup(&cx->scratch, text);
    const Program **ps;
    uint32_t n;

    for (char *c = lines; *c; c++)
        if (*c == ';')
            *c = '\n';
    if (!programs_parse(cx, "test.wir", lines, strlen(lines), NULL, &ps, &n) || n == 0)
        return NULL;
    return ps[n - 1];
}

bool laws_ok(wf_ctx *cx, const Program *p) { return p && program_verify(cx, p); }

void laws_error(wf_ctx *cx, wf_status status, const char *text)
{
    CHECK_EQ_INT(wf_ctx_status(cx), status);
    CHECK_HAS(wf_ctx_message(cx), text);
    wf_clear(cx);
}

/* ---- arrays ------------------------------------------------------------------------ */

Nd laws_nd(wf_ctx *cx, wf_dtype dtype, const int64_t *dims, uint32_t rank)
{
    Nd x = {.dtype = dtype, .rank = rank, .count = 1};

    x.dims = arena_dup(&cx->scratch, dims, rank * sizeof *dims);
    for (uint32_t i = 0; i < rank; i++)
        x.count *= dims[i];
    x.data = arena_zalloc(&cx->scratch, (size_t)x.count * wf_dtype_size(dtype) + 8);
    return x;
}

Nd laws_f64s(wf_ctx *cx, const double *v, int64_t n)
{
    Nd x = laws_nd(cx, WF_F64, &n, 1);

    memcpy(x.data, v, (size_t)n * sizeof *v);
    return x;
}

Nd laws_f64(wf_ctx *cx, double v)
{
    Nd x = laws_nd(cx, WF_F64, NULL, 0);

    *(double *)x.data = v;
    return x;
}

double laws_at(const Nd *x, int64_t i)
{
    return element_as_f64(x->dtype,
                          (const char *)x->data + (size_t)i * wf_dtype_size(x->dtype));
}

static void fill_random(Nd *x)
{
    for (int64_t i = 0; i < x->count; i++) {
        double u = test_random_unit();

        if (x->dtype == WF_F64)
            ((double *)x->data)[i] = 0.3 + 1.2 * u; /* positive, no two alike */
        else if (x->dtype == WF_F32)
            ((float *)x->data)[i] = (float)(0.3 + 1.2 * u);
        else if (x->dtype == WF_BOOL)
            ((uint8_t *)x->data)[i] = u < 0.5;
        else if (x->dtype == WF_I32)
            ((int32_t *)x->data)[i] = (int32_t)(u * 3);
        else if (x->dtype == WF_I64)
            ((int64_t *)x->data)[i] = (int64_t)(u * 3);
    }
}

/* Sizes of symbols: N, M, .. as letters give; all others 2. */
static int64_t symbol_size(const char *name)
{
    return !strcmp(name, "N") ? 3 : !strcmp(name, "M") ? 4 : !strcmp(name, "Z") ? 0 : 2;
}

Nd laws_input(wf_ctx *cx, const Program *p, uint32_t i)
{
    Type t = val_type(p, program_in(p, i));
    int64_t sizes[16], dims[MAX_RANK];
    Nd x;

    for (uint32_t k = 0; k < p->dims.syms.n && k < 16; k++)
        sizes[k] = symbol_size(p->dims.syms.v[k].name);
    for (uint32_t k = 0; k < t.rank; k++)
        if (!dim_eval(&p->dims, t.dims[k], sizes, &dims[k]))
            dims[k] = 1;
    x = laws_nd(cx, (wf_dtype)t.dtype, dims, t.rank);
    fill_random(&x);
    return x;
}

static Nd *random_inputs(wf_ctx *cx, const Program *p)
{
    Nd *in = arena_array(&cx->scratch, p->nin + 1u, sizeof *in);

    for (uint32_t i = 0; i < p->nin; i++)
        in[i] = laws_input(cx, p, i);
    return in;
}

static Nd random_like(wf_ctx *cx, const Nd *x)
{
    Nd y = laws_nd(cx, x->dtype, x->dims, x->rank);

    fill_random(&y);
    for (int64_t i = 0; i < y.count && y.dtype == WF_F64; i++)
        laws_data(&y)[i] -= 0.9;
    return y;
}

Nd *laws_eval(wf_ctx *cx, const Program *p, const Nd *in)
{
    Nd *out = arena_array(&cx->scratch, p->nout + 1u, sizeof *out);

    return eval_program(cx, p, in, out, &cx->scratch) ? out : NULL;
}

static bool near(double a, double b, double tol)
{
    return a == b || (isnan(a) && isnan(b)) ||
           fabs(a - b) <= tol * (1 + fabs(a) + fabs(b));
}

static bool same(const Nd *a, const Nd *b, double tol, const char *what, const char *name)
{
    if (a->dtype != b->dtype || a->rank != b->rank || a->count != b->count) {
        FAIL("%s of %s: shapes differ", what, name);
        return false;
    }
    for (uint32_t i = 0; i < a->rank; i++)
        if (a->dims[i] != b->dims[i]) {
            FAIL("%s of %s: dim %u is %lld, not %lld", what, name, i,
                 (long long)a->dims[i], (long long)b->dims[i]);
            return false;
        }
    for (int64_t i = 0; i < a->count; i++)
        if (!near(laws_at(a, i), laws_at(b, i), tol)) {
            FAIL("%s of %s: element %lld is %g, not %g", what, name, (long long)i,
                 laws_at(a, i), laws_at(b, i));
            return false;
        }
    return true;
}

static double inner(const Nd *a, const Nd *b)
{
    double s = 0;

    for (int64_t i = 0; i < a->count; i++)
        s += laws_at(a, i) * laws_at(b, i);
    return s;
}

/* ---- what all laws need: a program, its inputs, the float ones --------------------- */

#define MAX_IO 16
typedef struct Case {
    wf_ctx *cx;
    const Program *p;
    const char *name;
    Nd *x, *y;
    int wrt[MAX_IO], nwrt; /* float inputs */
    uint32_t nfloat;       /* float results */
} Case;

static bool is_float_out(const Program *p, uint32_t j)
{
    return dtype_is_float((wf_dtype)val_type(p, p->outs[j]).dtype);
}

static bool case_begin(Case *c, wf_ctx *cx, const Program *p)
{
    *c = (Case){.cx = cx, .p = p};
    if (!c->p || c->p->nin > MAX_IO || c->p->nout > MAX_IO)
        return false;
    c->name = c->p->name;
    c->x = random_inputs(cx, c->p);
    c->y = laws_eval(cx, c->p, c->x);
    for (uint32_t i = 0; i < c->p->nin; i++)
        if (dtype_is_float(c->x[i].dtype))
            c->wrt[c->nwrt++] = (int)i;
    for (uint32_t j = 0; j < c->p->nout; j++)
        c->nfloat += is_float_out(c->p, j);
    return c->y != NULL;
}

/* x.. and more behind */
static Nd *join(const Case *c, const Nd *more, uint32_t n)
{
    Nd *in = arena_array(&c->cx->scratch, c->p->nin + n + 1, sizeof *in);

    memcpy(in, c->x, c->p->nin * sizeof *in);
    if (n)
        memcpy(in + c->p->nin, more, n * sizeof *in);
    return in;
}

static Nd *directions(const Case *c)
{
    Nd *dx = arena_array(&c->cx->scratch, (size_t)c->nwrt + 1, sizeof *dx);

    for (int k = 0; k < c->nwrt; k++)
        dx[k] = random_like(c->cx, &c->x[c->wrt[k]]);
    return dx;
}

static Nd *cotangents(const Case *c)
{
    Nd *gy = arena_array(&c->cx->scratch, c->nfloat + 1u, sizeof *gy);
    uint32_t n = 0;

    for (uint32_t j = 0; j < c->p->nout; j++)
        if (is_float_out(c->p, j))
            gy[n++] = random_like(c->cx, &c->y[j]);
    return gy;
}

/* y(x + h dx), all float inputs moved */
static Nd *eval_moved(const Case *c, const Nd *dx, double h)
{
    Nd *in = join(c, NULL, 0);

    for (int k = 0; k < c->nwrt; k++) {
        Nd m = laws_nd(c->cx, WF_F64, dx[k].dims, dx[k].rank);

        for (int64_t i = 0; i < m.count; i++)
            laws_data(&m)[i] = laws_at(&c->x[c->wrt[k]], i) + h * laws_at(&dx[k], i);
        in[c->wrt[k]] = m;
    }
    return laws_eval(c->cx, c->p, in);
}

/* ---- the laws ---------------------------------------------------------------------- */

/* jvp = (f(x + h dx) - f(x - h dx)) / 2h, and its first results are f(x) */
static void law_jvp_is_a_difference(Case *c)
{
    const double h = 1e-5;
    Nd *dx = directions(c), *out, *up, *down;
    const Program *j = xf_jvp_user(c->cx, c->p, c->wrt, c->nwrt);
    uint32_t n = c->p->nout;

    REQUIRE(laws_ok(c->cx, j));
    CHECK_EQ_INT(j->nout, c->p->nout + c->nfloat);
    out = laws_eval(c->cx, j, join(c, dx, (uint32_t)c->nwrt));
    up = eval_moved(c, dx, h);
    down = eval_moved(c, dx, -h);
    REQUIRE(out && up && down);
    for (uint32_t k = 0; k < c->p->nout; k++) {
        Nd d;

        same(&out[k], &c->y[k], 0, "value by jvp", c->name);
        if (!is_float_out(c->p, k))
            continue;
        d = laws_nd(c->cx, WF_F64, c->y[k].dims, c->y[k].rank);
        for (int64_t i = 0; i < d.count; i++)
            laws_data(&d)[i] = (laws_at(&up[k], i) - laws_at(&down[k], i)) / (2 * h);
        same(&out[n++], &d, 1e-6, "jvp", c->name);
    }
}

/* <gy, J dx> = <J^T gy, dx> */
static void law_vjp_is_the_transpose(Case *c)
{
    Nd *dx = directions(c), *gy = cotangents(c), *dy, *gx;
    const Program *j = xf_jvp_user(c->cx, c->p, c->wrt, c->nwrt);
    const Program *v = xf_vjp(c->cx, c->p, c->wrt, c->nwrt);
    double a = 0, b = 0;

    REQUIRE(laws_ok(c->cx, v) && j);
    dy = laws_eval(c->cx, j, join(c, dx, (uint32_t)c->nwrt));
    gx = laws_eval(c->cx, v, join(c, gy, c->nfloat));
    REQUIRE(dy && gx);
    for (uint32_t k = 0; k < c->p->nout; k++)
        same(&gx[k], &c->y[k], 0, "value by vjp", c->name);
    for (uint32_t k = 0; k < c->nfloat; k++)
        a += inner(&gy[k], &dy[c->p->nout + k]);
    for (int k = 0; k < c->nwrt; k++)
        b += inner(&gx[c->p->nout + (uint32_t)k], &dx[k]);
    if (!near(a, b, 1e-11))
        FAIL("%s: <gy, J dx> = %.17g, <J^T gy, dx> = %.17g", c->name, a, b);
}

static void law_linearize_is_jvp(Case *c)
{
    Nd *dx = directions(c), *dy, *y, *d, *in;
    const Program *j = xf_jvp_user(c->cx, c->p, c->wrt, c->nwrt), *f, *l;
    uint32_t nres;

    REQUIRE(j && xf_linearize(c->cx, c->p, c->wrt, c->nwrt, &f, &l));
    REQUIRE(laws_ok(c->cx, f) && laws_ok(c->cx, l));
    nres = f->nout - c->p->nout;
    CHECK_EQ_INT(l->nin, nres + (uint32_t)c->nwrt);
    dy = laws_eval(c->cx, j, join(c, dx, (uint32_t)c->nwrt));
    y = laws_eval(c->cx, f, c->x);
    REQUIRE(dy && y);
    in = arena_array(&c->cx->scratch, l->nin + 1u, sizeof *in);
    memcpy(in, y + c->p->nout, nres * sizeof *in);
    memcpy(in + nres, dx, (size_t)c->nwrt * sizeof *in);
    d = laws_eval(c->cx, l, in);
    REQUIRE(d != NULL);
    for (uint32_t k = 0; k < c->p->nout; k++)
        same(&y[k], &c->y[k], 0, "value by linearize", c->name);
    for (uint32_t k = 0; k < c->nfloat; k++)
        same(&d[k], &dy[c->p->nout + k], 1e-12, "linearize", c->name);
}

/* One program of the two: known on the known inputs, rest on its residuals and the other
 * inputs. */
static const Program *merge(Case *c, const Split *s, const bool *known)
{
    const Program *p = c->p;
    Builder *b = builder_new(c->cx, "merged", B_VERBATIM);
    Val in[MAX_IO], *in2 = arena_array(&b->arena, s->rest->nin + 1u, sizeof *in2),
                    out[MAX_IO], rest[MAX_IO];
    Val *k = arena_array(&b->arena, s->known->nout + 1u, sizeof *k);
    uint32_t n = 0, nk = 0, nr = 0;
    Copier cp;

    copier_init(&cp, b, p, NULL, NULL);
    copier_inputs(&cp);
    for (uint32_t i = 0; i < p->nin; i++)
        if (known[i])
            in[n++] = cp.val[program_in(p, i)];
    CHECK_EQ_INT(s->known->nin, n);
    CHECK_EQ_INT(s->rest->nin, s->nres + p->nin - n);
    if (!b_inline(b, s->known, xf_binds(b, s->known, NULL, 0), in, k, NULL))
        return NULL;
    for (uint32_t j = 0; j < p->nout; j++)
        if (s->out_known[j])
            out[j] = k[nk++];
    memcpy(in2, k + nk, s->nres * sizeof *in2);
    for (uint32_t i = 0; i < s->nres; i++)
        CHECK(s->res_input[i] < 0 ||
              in2[i] == cp.val[program_in(p, (uint32_t)s->res_input[i])]);
    n = s->nres;
    for (uint32_t i = 0; i < p->nin; i++)
        if (!known[i])
            in2[n++] = cp.val[program_in(p, i)];
    if (!b_inline(b, s->rest, xf_binds(b, s->rest, NULL, 0), in2, rest, NULL))
        return NULL;
    for (uint32_t j = 0; j < p->nout; j++)
        if (!s->out_known[j])
            out[j] = rest[nr++];
    return builder_finish(b, out, p->nout);
}

/* For each of several choices of what is known. */
static void partition_and_merge(Case *c, uint32_t mask)
{
    bool known[MAX_IO], want[MAX_IO] = {0};
    const Program *m = NULL;
    Split s;
    Nd *y;

    for (uint32_t i = 0; i < c->p->nin; i++)
        known[i] = mask >> i & 1;
    want[0] = mask & 1;
    REQUIRE(xf_partition(c->cx, c->p, known, want, &s));
    REQUIRE(laws_ok(c->cx, s.known) && laws_ok(c->cx, s.rest));
    REQUIRE(laws_ok(c->cx, m = merge(c, &s, known)));
    y = laws_eval(c->cx, m, c->x);
    REQUIRE(y != NULL);
    for (uint32_t j = 0; j < c->p->nout; j++) {
        same(&y[j], &c->y[j], 0, "partition", c->name);
        CHECK(!(want[j] && s.out_known[j]));
    }
}

static void law_partition_then_merge_is_identity(Case *c)
{
    for (uint32_t mask = 0; mask < 1u << c->p->nin && mask < 16 && check_ok(); mask++)
        partition_and_merge(c, mask);
}

static void law_split_composes_to_vjp(Case *c)
{
    Nd *gy = cotangents(c), *joint, *f, *b, *in;
    const Program *v = xf_vjp(c->cx, c->p, c->wrt, c->nwrt), *fw, *bw;
    uint32_t nsaved;

    REQUIRE(v && xf_split(c->cx, c->p, c->wrt, c->nwrt, &fw, &bw));
    REQUIRE(laws_ok(c->cx, fw) && laws_ok(c->cx, bw));
    joint = laws_eval(c->cx, v, join(c, gy, c->nfloat));
    f = laws_eval(c->cx, fw, c->x);
    REQUIRE(joint && f);
    nsaved = fw->nout - c->p->nout;
    CHECK_EQ_INT(bw->nin, nsaved + c->nfloat);
    in = arena_array(&c->cx->scratch, bw->nin + 1u, sizeof *in);
    memcpy(in, f + c->p->nout, nsaved * sizeof *in);
    memcpy(in + nsaved, gy, c->nfloat * sizeof *in);
    b = laws_eval(c->cx, bw, in);
    REQUIRE(b != NULL);
    for (uint32_t k = 0; k < c->p->nout; k++)
        same(&f[k], &joint[k], 0, "value by split", c->name);
    for (uint32_t k = 0; k < (uint32_t)c->nwrt; k++)
        same(&b[k], &joint[c->p->nout + k], 1e-13, "gradient by split", c->name);
}

/* Element e of x along axis. */
static Nd slice_of(wf_ctx *cx, const Nd *x, int axis, int64_t e)
{
    int64_t dims[MAX_RANK], inner_n = 1, n = x->dims[axis];
    size_t size = wf_dtype_size(x->dtype);
    Nd y;

    for (uint32_t i = 0, k = 0; i < x->rank; i++)
        if (i != (uint32_t)axis)
            dims[k++] = x->dims[i];
    for (uint32_t i = (uint32_t)axis + 1; i < x->rank; i++)
        inner_n *= x->dims[i];
    y = laws_nd(cx, x->dtype, dims, x->rank - 1);
    for (int64_t i = 0; i < y.count; i++) {
        int64_t from = (i / inner_n * n + e) * inner_n + i % inner_n;

        memcpy((char *)y.data + (size_t)i * size, (char *)x->data + (size_t)from * size,
               size);
    }
    return y;
}

static Nd batched_like(wf_ctx *cx, const Nd *x, int axis, int64_t n)
{
    int64_t dims[MAX_RANK];
    Nd y;

    for (uint32_t i = 0; i < x->rank; i++)
        dims[i + (i >= (uint32_t)axis)] = x->dims[i];
    dims[axis] = n;
    y = laws_nd(cx, x->dtype, dims, x->rank + 1);
    fill_random(&y);
    return y;
}

/* vmap(f)(batch)[e] = f(batch[e]) */
static void vmap_against_loop(Case *c, const int *axes, int64_t n, bool symbolic)
{
    const Program *v = xf_vmap(c->cx, c->p, axes, NULL, symbolic ? -1 : n);
    Nd in[MAX_IO], one[MAX_IO], *out;

    REQUIRE(laws_ok(c->cx, v));
    for (uint32_t i = 0; i < c->p->nin; i++)
        in[i] = axes[i] < 0 ? c->x[i] : batched_like(c->cx, &c->x[i], axes[i], n);
    out = laws_eval(c->cx, v, in);
    REQUIRE(out != NULL);
    for (uint32_t j = 0; j < c->p->nout; j++) {
        REQUIRE(out[j].rank == c->y[j].rank + 1);
        CHECK_EQ_INT(out[j].dims[0], n);
    }
    for (int64_t e = 0; e < n; e++) {
        Nd *y;

        for (uint32_t i = 0; i < c->p->nin; i++)
            one[i] = axes[i] < 0 ? in[i] : slice_of(c->cx, &in[i], axes[i], e);
        y = laws_eval(c->cx, c->p, one);
        REQUIRE(y != NULL);
        for (uint32_t j = 0; j < c->p->nout; j++) {
            Nd row = slice_of(c->cx, &out[j], 0, e);

            same(&row, &y[j], 1e-13, "vmap", c->name);
        }
    }
}

static void law_vmap_is_a_loop(Case *c)
{
    static const int64_t sizes[] = {3, 1, 0};

    for (uint32_t mask = 1; mask < 1u << c->p->nin && mask < 16 && check_ok(); mask++)
        for (int last = 0; last < 2; last++) {
            int axes[MAX_IO];

            for (uint32_t i = 0; i < c->p->nin; i++)
                axes[i] = !(mask >> i & 1) ? -1 : last ? (int)c->x[i].rank : 0;
            vmap_against_loop(c, axes, sizes[mask % 3], mask % 2);
        }
}

/* jacfwd = jacrev, of shape y.shape + x.shape, and J dx = jvp */
static void law_jacobians_agree(Case *c)
{
    const Program *f = xf_jacfwd(c->cx, c->p, c->wrt, c->nwrt),
                  *r = xf_jacrev(c->cx, c->p, c->wrt, c->nwrt);
    const Program *j = xf_jvp_user(c->cx, c->p, c->wrt, c->nwrt);
    Nd *dx = directions(c), *a, *b, *dy;

    REQUIRE(laws_ok(c->cx, f) && laws_ok(c->cx, r) && j);
    CHECK_EQ_INT(f->nout, (uint32_t)c->nwrt * c->nfloat);
    a = laws_eval(c->cx, f, c->x);
    b = laws_eval(c->cx, r, c->x);
    dy = laws_eval(c->cx, j, join(c, dx, (uint32_t)c->nwrt));
    REQUIRE(a && b && dy);
    for (uint32_t k = 0; k < f->nout; k++)
        same(&a[k], &b[k], 1e-11, "jacfwd and jacrev", c->name);
    for (uint32_t m = 0; m < c->nfloat && check_ok(); m++) {
        const Nd *want = &dy[c->p->nout + m];

        for (int64_t i = 0; i < want->count; i++) {
            double s = 0;

            for (uint32_t k = 0; k < (uint32_t)c->nwrt; k++) {
                const Nd *block = &a[k * c->nfloat + m];

                REQUIRE(block->rank == want->rank + dx[k].rank);
                REQUIRE(block->count == want->count * dx[k].count);
                for (int64_t q = 0; q < dx[k].count; q++)
                    s += laws_at(block, i * dx[k].count + q) * laws_at(&dx[k], q);
            }
            if (!near(s, laws_at(want, i), 1e-11))
                FAIL("%s: J dx is %g, jvp %g", c->name, s, laws_at(want, i));
        }
    }
}

/* For y a scalar: hvp = H v, H symmetric, hvp = d/dh grad(x + h v), grad by vjp with 1 */
static void law_second_order(Case *c)
{
    const double h = 1e-5;
    const Program *g, *hp, *hh;
    Nd *v = directions(c), *hv, *hm;
    Case gc = *c;

    if (c->y[0].rank != 0 || !is_float_out(c->p, 0) || c->nfloat != 1)
        return;
    g = xf_grad(c->cx, c->p, c->wrt, c->nwrt, false);
    hp = xf_hvp(c->cx, c->p, c->wrt, c->nwrt);
    hh = xf_hessian(c->cx, c->p, c->wrt, c->nwrt);
    REQUIRE(laws_ok(c->cx, g) && laws_ok(c->cx, hp) && laws_ok(c->cx, hh));
    CHECK_EQ_INT(hh->nout, c->nwrt * c->nwrt);
    hv = laws_eval(c->cx, hp, join(c, v, (uint32_t)c->nwrt));
    hm = laws_eval(c->cx, hh, c->x);
    gc.p = g;
    REQUIRE(hv && hm);
    Nd *up = eval_moved(&gc, v, h), *down = eval_moved(&gc, v, -h);
    REQUIRE(up && down);
    for (int a = 0; a < c->nwrt && check_ok(); a++)
        for (int64_t i = 0; i < hv[a].count; i++) {
            double s = 0, d = (laws_at(&up[a], i) - laws_at(&down[a], i)) / (2 * h);

            for (int b = 0; b < c->nwrt; b++) {
                const Nd *block = &hm[a * c->nwrt + b], *turned = &hm[b * c->nwrt + a];

                REQUIRE(block->count == hv[a].count * v[b].count);
                for (int64_t q = 0; q < v[b].count; q++) {
                    s += laws_at(block, i * v[b].count + q) * laws_at(&v[b], q);
                    CHECK(near(laws_at(block, i * v[b].count + q),
                               laws_at(turned, q * hv[a].count + i), 1e-10));
                }
            }
            if (!near(s, laws_at(&hv[a], i), 1e-10) || !near(d, laws_at(&hv[a], i), 1e-5))
                FAIL("%s: hvp %g, H v %g, difference %g", c->name, laws_at(&hv[a], i), s,
                     d);
        }
}

/* vmap of grad = grad of (sum of vmap): per-sample gradients. For y a scalar. */
static void law_vmap_and_grad_commute(Case *c)
{
    int axes[MAX_IO];
    const Program *g = NULL, *v = NULL;
    Nd in[MAX_IO], *a;
    int64_t n = 2;

    if (c->y[0].rank != 0 || !is_float_out(c->p, 0))
        return;
    g = xf_grad(c->cx, c->p, c->wrt, c->nwrt, false);
    for (uint32_t i = 0; i < c->p->nin; i++) {
        axes[i] = 0;
        in[i] = batched_like(c->cx, &c->x[i], 0, n);
    }
    REQUIRE(g && laws_ok(c->cx, v = xf_vmap(c->cx, g, axes, NULL, n)));
    a = laws_eval(c->cx, v, in);
    REQUIRE(a != NULL);
    const Program *fv = xf_vmap(c->cx, c->p, axes, NULL, n), *vj = NULL;
    REQUIRE(fv && laws_ok(c->cx, vj = xf_vjp(c->cx, fv, c->wrt, c->nwrt)));
    Nd ext[2 * MAX_IO];
    uint32_t m = c->p->nin;
    memcpy(ext, in, m * sizeof *in);
    for (uint32_t j = 0; j < c->p->nout; j++) {
        Nd seed;

        if (!is_float_out(c->p, j))
            continue;
        seed = batched_like(c->cx, &c->y[j], 0, n);
        for (int64_t i = 0; i < seed.count; i++)
            laws_data(&seed)[i] = j == 0;
        ext[m++] = seed;
    }
    Nd *b = laws_eval(c->cx, vj, ext);
    REQUIRE(b != NULL);
    for (int k = 0; k < c->nwrt; k++)
        same(&b[c->p->nout + (uint32_t)k], &a[k], 1e-12, "grad of vmap and vmap of grad",
             c->name);
}

static void derivatives(Case *c)
{
    law_jvp_is_a_difference(c);
    law_vjp_is_the_transpose(c);
    law_linearize_is_jvp(c);
    law_partition_then_merge_is_identity(c);
    law_split_composes_to_vjp(c);
    law_jacobians_agree(c);
    law_second_order(c);
}

void laws_check_derivatives(wf_ctx *cx, const Program *p)
{
    Case c;

    REQUIRE(case_begin(&c, cx, p));
    derivatives(&c);
}

void laws_check(wf_ctx *cx, const Program *p)
{
    Case c;

    REQUIRE(case_begin(&c, cx, p));
    derivatives(&c);
    law_vmap_is_a_loop(&c);
    law_vmap_and_grad_commute(&c);
}
