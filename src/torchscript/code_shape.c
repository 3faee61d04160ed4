/* code_shape.c -- shapes, products, convolutions, windows and matrices as calls of aten. */
#include "torchscript/code.h"

#include <math.h>

/* ---- shapes ------------------------------------------------------------------------------------------ */

const char *ts_full(TsCode *c, const Dim *dims, uint32_t n, const char *number, wf_dtype dtype)
{
    return ts_let(c, "torch.full(%s, %s, dtype=%d, device=_dev)", ts_dims(c, dims, n), number, ts_dtype(dtype));
}

const char *ts_arange(TsCode *c, Dim n, wf_dtype dtype)
{
    return ts_let(c, "torch.arange(%s, dtype=%d, device=_dev)", ts_dim(c, n), ts_dtype(dtype));
}

const char *ts_permute(TsCode *c, const char *x, const int64_t *perm, uint32_t n)
{
    bool plain = true;

    for (uint32_t i = 0; i < n; i++)
        plain = plain && perm[i] == (int64_t)i;
    return plain ? x : ts_let(c, "torch.permute(%s, %s)", x, ts_ints(c, perm, n));
}

/* One value everywhere is filled in; others are among the constants of the archive. */
static void write_const(TsCode *c, const Eqn *e)
{
    const ConstAttr *a = e->attr;
    Type t = a->type;
    wf_dtype dtype = (wf_dtype)t.dtype;
    double x = dtype_is_complex(dtype) ? NAN : element_as_f64(dtype, a->data->data);
    bool one = (a->splat || !t.rank) && !dtype_is_complex(dtype) && (dtype_is_float(dtype) || fabs(x) < 0x1p53);
    ConstAttr scalar = *a, *kept;

    if (one) {
        ts_set(c, e, ts_full(c, t.dims, t.rank, ts_number(c, dtype, x), dtype));
        return;
    }
    kept = arena_alloc(c->a, sizeof *kept);
    if (a->splat)
        scalar.type.rank = 0;
    *kept = scalar;
    vec_push(c->a, &c->root->constants, kept);
    ts_set(c, e, ts_let(c, "torch.to(CONSTANTS.c%u, _dev)", c->root->constants.n - 1));
    if (a->splat && t.rank)
        ts_set(c, e, ts_let(c, "torch.expand(%s, %s)", c->val[e->out], ts_dims(c, t.dims, t.rank)));
}

static void write_broadcast(TsCode *c, const Eqn *e)
{
    const BroadcastAttr *a = e->attr;
    Type t = TYPE_IN(0);
    const char *x = IN(0);
    Dim *dims = arena_array(c->a, a->shape.n + 1, sizeof *dims);

    for (uint32_t i = 0; i < a->shape.n; i++)
        dims[i] = 1;
    for (uint32_t i = 0; i < a->dims.n; i++)
        dims[a->dims.v[i]] = t.dims[i];
    if (a->shape.n != t.rank && t.rank)
        x = ts_let(c, "torch.reshape(%s, %s)", x, ts_dims(c, dims, a->shape.n));
    ts_set(c, e, ts_let(c, "torch.expand(%s, %s)", x, ts_dims(c, a->shape.v, a->shape.n)));
}

static void write_slice(TsCode *c, const Eqn *e)
{
    const SliceAttr *a = e->attr;
    Type t = TYPE_IN(0);
    const char *x = IN(0);

    for (uint32_t i = 0; i < a->start.n; i++) {
        int64_t step = a->stride.n ? a->stride.v[i] : 1;

        if (a->start.v[i] != 0 || a->limit.v[i] != t.dims[i] || step != 1)
            x = ts_let(c, "torch.slice(%s, %u, %s, %s, %lld)", x, i, ts_dim(c, a->start.v[i]), ts_dim(c, a->limit.v[i]), (long long)step);
    }
    ts_set(c, e, x);
}

/* Elements apart along an axis: written into places of the value, every gap + 1. */
static const char *spread_axis(TsCode *c, const char *x, const char *value, uint32_t axis, int64_t gap)
{
    x = ts_let(c, "torch.unsqueeze(%s, %u)", x, axis + 1);
    x = ts_let(c, "torch.cat([%s, torch.to(torch.expand(%s, torch.add(torch.slice(torch.size(%s), None, %u, 1), torch.add([%lld], torch.slice(torch.size(%s), %u, None, 1)))), %s)], %u)",
              x, value, x, axis + 1, (long long)gap, x, axis + 2, x, axis + 1);
    x = ts_let(c, "torch.flatten(%s, %u, %u)", x, axis, axis + 1);
    return ts_let(c, "torch.slice(%s, %u, 0, ops.prim.max(0, torch.sub(torch.size(%s, %u), %lld)), 1)", x, axis, x, axis, (long long)gap);
}

/* How much is cut, if that is known; else 0. */
static int64_t cut(TsCode *c, Dim d)
{
    int64_t v;

    return dim_value(&c->p->dims, d, &v) && v < 0 ? -v : 0;
}

/* Around x (axes from `first` on) so many of the value; then what is to be cut, which torch does first. */
static const char *pad(TsCode *c, const char *x, uint32_t first, const Dim *lo, const Dim *hi, uint32_t n, const char *value)
{
    Dim *pads = arena_array(c->a, 2 * n + 1, sizeof *pads);
    bool any = false;

    for (uint32_t i = 0; i < n; i++) {
        pads[2 * (n - 1 - i)] = cut(c, lo[i]) ? 0 : lo[i];
        pads[2 * (n - 1 - i) + 1] = cut(c, hi[i]) ? 0 : hi[i];
    }
    for (uint32_t i = 0; i < 2 * n; i++)
        any = any || pads[i] != 0;
    if (any)
        x = ts_let(c, "torch.constant_pad_nd(%s, %s, %s)", x, ts_dims(c, pads, 2 * n), value);
    for (uint32_t i = 0; i < n; i++)
        if (cut(c, lo[i]) || cut(c, hi[i]))
            x = ts_let(c, "torch.slice(%s, %u, %lld, torch.sub(torch.size(%s, %u), %lld), 1)", x, first + i, (long long)cut(c, lo[i]), x,
                       first + i, (long long)cut(c, hi[i]));
    return x;
}

static void write_pad(TsCode *c, const Eqn *e)
{
    const PadAttr *a = e->attr;
    Type t = TYPE_IN(0);
    const char *x = IN(0), *value = ts_splat(c, eqn_in(c->p, e)[1]);

    for (uint32_t i = 0; i < t.rank; i++)
        if (a->interior.n && a->interior.v[i])
            x = spread_axis(c, x, IN(1), i, a->interior.v[i]);
    ts_set(c, e, pad(c, x, 0, a->lo.v, a->hi.v, t.rank, value ? value : ts_str(c, "torch.item(%s)", IN(1))));
}

static void write_iota(TsCode *c, const Eqn *e)
{
    const IotaAttr *a = e->attr;
    Dim *dims = arena_array(c->a, a->type.rank + 1u, sizeof *dims);
    const char *x = ts_arange(c, a->type.dims[a->axis], WF_I64);

    if (a->type.dtype != WF_I64)
        x = ts_cast(c, x, (wf_dtype)a->type.dtype);
    for (uint32_t i = 0; i < a->type.rank; i++)
        dims[i] = i == (uint32_t)a->axis ? a->type.dims[i] : 1;
    if (a->type.rank > 1)
        x = ts_let(c, "torch.expand(torch.reshape(%s, %s), %s)", x, ts_dims(c, dims, a->type.rank), ts_dims(c, a->type.dims, a->type.rank));
    ts_set(c, e, x);
}

static void write_concat(TsCode *c, const Eqn *e)
{
    Text t;

    text_init(&t, c->a);
    for (uint32_t i = 0; i < e->nin; i++)
        text_printf(&t, "%s%s", i ? ", " : "", IN(i));
    ts_set(c, e, ts_let(c, "torch.cat([%s], %lld)", text_str(&t), (long long)((const AxisAttr *)e->attr)->axis));
}

bool ts_shape(TsCode *c, const Eqn *e)
{
    const ShapeAttr *shape = e->attr;

    switch (e->op) {
    case OP_const: write_const(c, e); break;
    case OP_reshape: ts_set(c, e, ts_let(c, "torch.reshape(%s, %s)", IN(0), ts_dims(c, shape->dims.v, shape->dims.n))); break;
    case OP_broadcast: write_broadcast(c, e); break;
    case OP_transpose: ts_set(c, e, ts_permute(c, IN(0), ((const TransposeAttr *)e->attr)->perm.v, ((const TransposeAttr *)e->attr)->perm.n)); break;
    case OP_slice: write_slice(c, e); break;
    case OP_rev: ts_set(c, e, ts_let(c, "torch.flip(%s, %s)", IN(0), ts_ints(c, ((const AxesAttr *)e->attr)->axes.v, ((const AxesAttr *)e->attr)->axes.n))); break;
    case OP_pad: write_pad(c, e); break;
    case OP_iota: write_iota(c, e); break;
    case OP_dim: ts_set(c, e, ts_full(c, NULL, 0, ts_dim(c, ((const DimAttr *)e->attr)->dim), WF_I64)); break;
    case OP_size: c->syms[dim_node(&c->p->dims, ((const SymAttr *)e->attr)->sym)->sym] = ts_let(c, "int(%s)", IN(0)); break;
    case OP_concat: write_concat(c, e); break;
    default: return false;
    }
    return true;
}

/* ---- products -------------------------------------------------------------------------------------------- */

/* In what a product is computed: the widest float, or i64 and i32. */
static wf_dtype product_type(Type x, Type y, wf_dtype acc)
{
    wf_dtype t[3] = {(wf_dtype)x.dtype, (wf_dtype)y.dtype, acc}, most = WF_INVALID;

    for (int i = 0; i < 3; i++)
        if (dtype_is_inexact(t[i]) && (most == WF_INVALID || wf_dtype_size(t[i]) > wf_dtype_size(most)))
            most = t[i];
    return most != WF_INVALID ? most : wf_dtype_size(acc) == 8 || acc == WF_U32 ? WF_I64 : WF_I32;
}

static const char *cast_from(TsCode *c, const char *x, Type t, wf_dtype to) { return t.dtype == to ? x : ts_cast(c, x, to); }

/* Axes of one operand by letters: those both have, and its own. */
static void letters(Ints batch, Ints sum, uint32_t rank, const char *shared, char *next, char *out, char *own)
{
    size_t n = 0;

    for (uint32_t i = 0; i < batch.n; i++)
        out[batch.v[i]] = shared[i];
    for (uint32_t i = 0; i < sum.n; i++)
        out[sum.v[i]] = shared[batch.n + i];
    for (uint32_t i = 0; i < rank; i++)
        if (!ints_have(batch, i) && !ints_have(sum, i)) {
            own[n++] = out[i] = *next;
            *next = *next == 'z' ? 'A' : (char)(*next + 1);
        }
    out[rank] = own[n] = 0;
}

static void write_dot(TsCode *c, const Eqn *e)
{
    const DotAttr *a = e->attr;
    Type x = TYPE_IN(0), y = TYPE_IN(1);
    wf_dtype acc = (wf_dtype)TYPE_OUT.dtype, inner = product_type(x, y, acc);
    const char *in[2] = {cast_from(c, IN(0), x, inner), cast_from(c, IN(1), y, inner)}, *out;
    char shared[2 * MAX_RANK + 1], lx[MAX_RANK + 1], ly[MAX_RANK + 1], ox[MAX_RANK + 1], oy[MAX_RANK + 1], next = 'a';
    uint32_t n = a->lhs_batch.n + a->lhs.n;
    bool plain = a->lhs.n == 1 && !a->lhs_batch.n && a->lhs.v[0] == x.rank - 1 && y.rank == 2;

    if (x.rank + y.rank > 50) {
        ts_refuse(c, e, "too many axes");
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        shared[i] = next++;
    letters(a->lhs_batch, a->lhs, x.rank, shared, &next, lx, ox);
    letters(a->rhs_batch, a->rhs, y.rank, shared, &next, ly, oy);
    if (plain)
        out = a->rhs.v[0] ? ts_let(c, "torch.linear(%s, %s)", in[0], in[1]) : ts_let(c, "torch.matmul(%s, %s)", in[0], in[1]);
    else
        out = ts_let(c, "torch.einsum(\"%s,%s->%.*s%s%s\", [%s, %s])", lx, ly, (int)a->lhs_batch.n, shared, ox, oy, in[0], in[1]);
    ts_set(c, e, inner == acc ? out : ts_cast(c, out, acc));
}

static bool known(TsCode *c, Ints v, uint32_t n, int64_t otherwise, int64_t *out)
{
    for (uint32_t i = 0; i < n; i++) {
        out[i] = otherwise;
        if (i < v.n && !dim_value(&c->p->dims, v.v[i], &out[i]))
            return false;
    }
    return true;
}

/* Padding of the axes behind the first two: on both sides the same is the op's own (out_pads), any other a pad before it. */
static void pad_before(TsCode *c, const char **x, Ints pad_lo, Ints pad_hi, uint32_t skip, uint32_t n, const char *value, bool wide,
                       int64_t *out_pads)
{
    int64_t lo[MAX_RANK], hi[MAX_RANK], none[MAX_RANK] = {0};
    bool even = !wide;

    known(c, (Ints){pad_lo.n ? n : 0, pad_lo.n ? pad_lo.v + skip : NULL}, n, 0, lo);
    known(c, (Ints){pad_hi.n ? n : 0, pad_hi.n ? pad_hi.v + skip : NULL}, n, 0, hi);
    for (uint32_t i = 0; i < n; i++)
        even = even && lo[i] == hi[i] && lo[i] >= 0;
    for (uint32_t i = 0; i < n; i++)
        out_pads[i] = even ? lo[i] : 0;
    if (!even)
        *x = pad(c, *x, 2, pad_lo.n ? pad_lo.v + skip : none, pad_hi.n ? pad_hi.v + skip : none, n, value);
}

static bool is_empty(Type t)
{
    for (uint32_t i = 0; i < t.rank; i++)
        if (!t.dims[i])
            return true;
    return false;
}

/* Products of integers of up to 16 bits are exact in f64. */
static void write_conv(TsCode *c, const Eqn *e)
{
    const ConvAttr *a = e->attr;
    Type t = TYPE_IN(0), k = TYPE_IN(1);
    uint32_t n = t.rank - 2u;
    wf_dtype acc = (wf_dtype)TYPE_OUT.dtype, inner = product_type(t, k, acc);
    int64_t lo[MAX_RANK], hi[MAX_RANK], pads[MAX_RANK], stride[MAX_RANK], dilation[MAX_RANK], back[MAX_RANK], groups;
    const char *x, *w, *none;

    if (is_empty(t) || is_empty(k) || is_empty(TYPE_OUT)) {
        ts_set(c, e, ts_full(c, TYPE_OUT.dims, TYPE_OUT.rank, "0", acc));
        return;
    }
    if (t.rank < 3 || t.rank > 5 || a->batch_groups != 1 || !dim_value(&c->p->dims, a->groups, &groups) ||
        !known(c, a->pad_lo, n, 0, lo) || !known(c, a->pad_hi, n, 0, hi)) {
        ts_refuse(c, e, "of other than 1 to 3 axes, in groups of the batch or of symbolic number, or too many axes to pad");
        return;
    }
    if (dtype_is_complex(inner)) {
        ts_refuse(c, e, "of complex numbers");
        return;
    }
    if (!dtype_is_inexact(inner)) {
        if (wf_dtype_size((wf_dtype)t.dtype) > 2 || wf_dtype_size((wf_dtype)k.dtype) > 2) {
            ts_refuse(c, e, "of integers of more than 16 bits");
            return;
        }
        inner = WF_F64;
    }
    known(c, a->stride, n, 1, stride);
    known(c, a->rhs_dilation, n, 1, dilation);
    x = cast_from(c, a->lhs_spec.n ? ts_permute(c, IN(0), a->lhs_spec.v, a->lhs_spec.n) : IN(0), t, inner);
    w = cast_from(c, a->rhs_spec.n ? ts_permute(c, IN(1), a->rhs_spec.v, a->rhs_spec.n) : IN(1), k, inner);
    pad_before(c, &x, a->pad_lo, a->pad_hi, 0, n, "0", false, pads);
    none = ts_ints(c, (int64_t[MAX_RANK]){0}, n);
    x = ts_let(c, "torch.convolution(%s, %s, None, %s, %s, %s, False, %s, %lld)", x, w, ts_ints(c, stride, n), ts_ints(c, pads, n),
              ts_ints(c, dilation, n), none, (long long)groups);
    for (uint32_t i = 0; i < a->out_spec.n; i++)
        back[a->out_spec.v[i]] = i;
    if (a->out_spec.n)
        x = ts_permute(c, x, back, a->out_spec.n);
    ts_set(c, e, inner == acc ? x : ts_cast(c, x, acc));
}

/* Windows over the axes behind the first two: a pool, of sums the mean times how many there are. */
static void write_window(TsCode *c, const Eqn *e)
{
    const WindowAttr *a = e->attr;
    Type t = TYPE_IN(0);
    bool sums = e->op == OP_reduce_window_sum;
    int64_t v[MAX_RANK], lo[MAX_RANK], hi[MAX_RANK], window[MAX_RANK], stride[MAX_RANK], dilation[MAX_RANK], pads[MAX_RANK], count = 1;
    uint32_t n = t.rank - 2u;
    const char *x = IN(0);

    if (t.rank < 3 || t.rank > 5 || !known(c, a->window, t.rank, 1, window) || window[0] != 1 || window[1] != 1 ||
        !known(c, a->pad_lo, t.rank, 0, lo) || !known(c, a->pad_hi, t.rank, 0, hi) || !known(c, a->base_dilation, t.rank, 1, v) ||
        !dtype_is_float((wf_dtype)t.dtype) || lo[0] || lo[1] || hi[0] || hi[1]) {
        ts_refuse(c, e, "windows that are no pool");
        return;
    }
    known(c, a->stride, t.rank, 1, stride);
    known(c, a->window_dilation, t.rank, 1, dilation);
    for (uint32_t i = 0; i < t.rank; i++) {
        count *= window[i];
        if (v[i] != 1 || (sums && dilation[i] != 1)) {
            ts_refuse(c, e, "windows that are no pool");
            return;
        }
    }
    bool wide = false;
    for (uint32_t i = 2; i < t.rank; i++)
        wide = wide || lo[i] != hi[i] || lo[i] < 0 || 2 * lo[i] > window[i];
    pad_before(c, &x, a->pad_lo, a->pad_hi, 2, n, sums ? "0." : "-inf", wide, pads);
    if (!sums) {
        x = ts_let(c, "torch.max_pool%ud(%s, %s, %s, %s, %s)", n, x, ts_ints(c, window + 2, n), ts_ints(c, stride + 2, n), ts_ints(c, pads, n),
                  ts_ints(c, dilation + 2, n));
    } else {
        x = ts_let(c, "torch.avg_pool%ud(%s, %s, %s, %s)", n, x, ts_ints(c, window + 2, n), ts_ints(c, stride + 2, n), ts_ints(c, pads, n));
        x = ts_let(c, "torch.mul(%s, %lld)", x, (long long)count);
    }
    ts_set(c, e, x); /* places of the maxima: NULL, who reads them is refused */
}

/* ---- matrices ---------------------------------------------------------------------------------------------- */

static void pair(TsCode *c, const Eqn *e, const char *call)
{
    const char *a = ts_name(c, "v"), *b = ts_name(c, "v");

    ts_line(c, "%s, %s, = %s", a, b, call);
    c->val[e->out] = a;
    c->val[e->out + 1] = b;
}

static void write_solve(TsCode *c, const Eqn *e)
{
    const SolveAttr *a = e->attr;
    const char *m = a->trans ? ts_let(c, "torch.transpose(%s, -2, -1)", IN(0)) : IN(0);

    ts_set(c, e, ts_let(c, "torch.linalg_solve_triangular(%s, %s, upper=%s, left=%s, unitriangular=%s)", m, IN(1),
                      a->lower != a->trans ? "False" : "True", a->left ? "True" : "False", a->unit ? "True" : "False"));
}

/* The largest element of each column has the phase 1 here. */
static const char *phase(TsCode *c, const char *x, int axis)
{
    return ts_let(c, "torch.conj_physical(torch.sgn(torch.gather(%s, %d, torch.argmax(torch.abs(%s), %d, True))))", x, axis, x, axis);
}

/* The side with more rows says the phases. */
static void write_svd(TsCode *c, const Eqn *e)
{
    const char *u = ts_name(c, "v"), *s = ts_name(c, "v"), *v = ts_name(c, "v"), *p;
    Type t = TYPE_IN(0);
    int64_t m, n;

    if (!dim_value(&c->p->dims, t.dims[t.rank - 2], &m) || !dim_value(&c->p->dims, t.dims[t.rank - 1], &n)) {
        ts_refuse(c, e, "of matrices of open size");
        return;
    }
    ts_line(c, "%s, %s, %s, = torch.linalg_svd(%s, False)", u, s, v, IN(0));
    c->val[e->out + 1] = s;
    if (is_empty(t)) {
        c->val[e->out] = u;
        c->val[e->out + 2] = v;
        return;
    }
    p = m < n ? ts_let(c, "torch.transpose(%s, -2, -1)", phase(c, v, -1)) : phase(c, u, -2);
    c->val[e->out] = ts_let(c, "torch.mul(%s, %s)", u, m < n ? ts_let(c, "torch.conj_physical(%s)", p) : p);
    c->val[e->out + 2] = ts_let(c, "torch.mul(%s, torch.transpose(%s, -2, -1))", v, m < n ? p : ts_let(c, "torch.conj_physical(%s)", p));
}

static void write_eigh(TsCode *c, const Eqn *e)
{
    const char *v;

    pair(c, e, ts_str(c, "torch.linalg_eigh(%s)", IN(0)));
    if (is_empty(TYPE_IN(0)))
        return;
    v = c->val[e->out + 1];
    c->val[e->out + 1] = ts_let(c, "torch.mul(%s, %s)", v, phase(c, v, -2));
}

/* Sizes and axes: the last ones, of real numbers where there are such. */
static void write_fft(TsCode *c, const Eqn *e)
{
    static const char *const names[] = {"fft_fftn", "fft_ifftn", "fft_rfftn", "fft_irfftn"};
    const FftAttr *a = e->attr;
    int64_t axes[MAX_RANK];

    for (uint32_t i = 0; i < a->lengths.n; i++)
        axes[i] = (int64_t)i - a->lengths.n;
    ts_set(c, e, ts_let(c, "torch.%s(%s, %s, %s, None)", names[a->kind], IN(0), ts_dims(c, a->lengths.v, a->lengths.n), ts_ints(c, axes, a->lengths.n)));
}

bool ts_contract(TsCode *c, const Eqn *e)
{
    switch (e->op) {
    case OP_dot_general: write_dot(c, e); break;
    case OP_conv_general: write_conv(c, e); break;
    case OP_reduce_window_max:
    case OP_reduce_window_sum: write_window(c, e); break;
    case OP_cholesky: ts_set(c, e, ts_let(c, "torch.linalg_cholesky(%s)", IN(0))); break;
    case OP_triangular_solve: write_solve(c, e); break;
    case OP_qr: pair(c, e, ts_str(c, "torch.linalg_qr(%s, \"%s\")", IN(0), ((const QrAttr *)e->attr)->full ? "complete" : "reduced")); break;
    case OP_eigh: write_eigh(c, e); break;
    case OP_eig: pair(c, e, ts_str(c, "torch.linalg_eig(%s)", IN(0))); break;
    case OP_svd: write_svd(c, e); break;
    case OP_fft: write_fft(c, e); break;
    default: return false;
    }
    return true;
}
