/* op_fft.c -- discrete Fourier transforms over the last axes.
 *
 *   fft     y_k = sum_j x_j e^(-2 pi i jk/n)        complex to complex
 *   ifft    the same with +, divided by the sizes
 *   rfft    of real x: the first floor(n/2)+1 along the last axis; the others are their
 *           conjugates
 *   irfft   from those back to n real numbers; what is not the transform of real numbers is
 *           taken as if it were: imaginary parts of y_0 and, n even, y_(n/2) do not count
 *
 * Over several axes one after the other; rfft begins, and irfft ends, with the last.
 * With cotangents paired by Re(g dx), N the product of the sizes, and fft over all axes:
 *
 *   fft, ifft   gx = fft gy, ifft gy: their matrices are symmetric
 *   rfft        gx = Re fft(gy, filled up with zeros)
 *   irfft       gx = m/N conj(rfft gy), m = 2 but 1 where an element is its own conjugate
 */
#include "op/nd.h"
#include "op/op_map.h"

static const char *const kinds[] = {"fft", "ifft", "rfft", "irfft", NULL};

static const AttrField fft_attrs[] = {FIELD_ENUM(FftAttr, kind, ATTR_REQUIRED, kinds),
                                      FIELD(FftAttr, lengths, A_DIMS, ATTR_REQUIRED),
                                      FIELD_END};

static bool check_dtype(TypeRule *t, int32_t kind)
{
    wf_dtype x = (wf_dtype)t->in[0].dtype;

    if (kind == FFT_RFFT ? x == WF_F32 || x == WF_F64 : dtype_is_complex(x))
        return true;
    return type_fail(t, WF_ERR_TYPE, "%s of %s, needs %s", kinds[kind],
                     type_show(t, t->in[0]),
                     kind == FFT_RFFT ? "f32 or f64" : "a complex dtype");
}

/* n/2 + 1 */
static Dim half(Dims *t, Dim n) { return dim_add(t, dim_div(t, n, 2), 1); }

static bool type_fft(TypeRule *t)
{
    const FftAttr *a = t->attr;
    Type x = t->in[0];
    uint32_t k = a->lengths.n;
    Dim dims[MAX_RANK];

    if (!check_dtype(t, a->kind))
        return false;
    if (k == 0 || k > x.rank)
        return type_fail(t, WF_ERR_VALUE,
                         "%u lengths for %s, needs one for each of its last axes", k,
                         type_show(t, x));
    memcpy(dims, x.dims, x.rank * sizeof *dims);
    for (uint32_t i = 0; i < k; i++) {
        uint32_t axis = x.rank - k + i;
        Dim n = a->lengths.v[i];
        Dim need = a->kind == FFT_IRFFT && i + 1 == k ? half(t->dims, n) : n;

        if (n == 0)
            return type_fail(t, WF_ERR_SHAPE, "length 0, needs at least 1");
        if (x.dims[axis] != need)
            return type_fail(t, WF_ERR_SHAPE, "axis %u of %s, needs size %s", axis,
                             type_show(t, x), dim_show(t, need));
    }
    if (a->kind == FFT_RFFT)
        dims[x.rank - 1] = half(t->dims, a->lengths.v[k - 1]);
    if (a->kind == FFT_IRFFT)
        dims[x.rank - 1] = a->lengths.v[k - 1];
    type_out(t,
             a->kind == FFT_RFFT    ? dtype_pair((wf_dtype)x.dtype)
             : a->kind == FFT_IRFFT ? dtype_part((wf_dtype)x.dtype)
                                    : (wf_dtype)x.dtype,
             dims, x.rank);
    return true;
}

/* ---- oracle: sums as they stand above, in complex doubles --------------------------- */

/* x along the axis to y of ny elements there. whole: x has n elements that count; else the
 * first half of conjugates. */
static Pair *transform(Arena *a, const Pair *x, Lines l, int64_t n, int64_t ny,
                       double sign, bool whole)
{
    Pair *y = arena_array(a, (size_t)(l.outer * ny * l.inner) + 1, sizeof *y);
    Pair *root = arena_array(a, (size_t)n, sizeof *root);

    for (int64_t j = 0; j < n; j++) {
        double angle = sign * 6.28318530717958647693 * (double)j / (double)n;
        root[j] = pair(cos(angle), sin(angle));
    }
    for (int64_t o = 0; o < l.outer; o++)
        for (int64_t i = 0; i < l.inner; i++)
            for (int64_t k = 0; k < ny; k++) {
                Pair sum = 0;
                for (int64_t j = 0; j < n; j++) {
                    bool mirror = !whole && j >= l.n;
                    Pair v = x[(o * l.n + (mirror ? n - j : j)) * l.inner + i];
                    if (!whole && (j == 0 || 2 * j == n))
                        v = creal(v);
                    sum += pair_mul(mirror ? conj(v) : v, root[j * k % n]);
                }
                y[(o * ny + k) * l.inner + i] = sum;
            }
    return y;
}

static bool eval_fft(Eval *e)
{
    const FftAttr *a = e->attr;
    const Nd *x = &e->in[0], *y = &e->out[0];
    uint32_t k = a->lengths.n;
    bool back = a->kind == FFT_IFFT || a->kind == FFT_IRFFT;
    Pair *v = arena_array(e->a, (size_t)x->count + 1, sizeof *v);
    int64_t dims[MAX_RANK], total = 1;

    for (uint32_t i = 0; i < k; i++)
        if (a->lengths.v[i] < 1)
            return eval_fail(e, WF_ERR_SHAPE, "length 0, needs at least 1");
    memcpy(dims, x->dims, x->rank * sizeof *dims);
    for (int64_t i = 0; i < x->count; i++) {
        Scalar s = scalar_load(x->dtype, x->data, i);
        v[i] = pair(s.f, s.im);
    }
    for (uint32_t step = 0; step < k; step++) {
        uint32_t which = a->kind == FFT_IRFFT ? step : k - 1 - step;
        uint32_t axis = x->rank - k + which;
        int64_t n = a->lengths.v[which];
        bool ends = which + 1 == k;
        int64_t ny = a->kind == FFT_RFFT && ends ? n / 2 + 1 : n;

        v = transform(e->a, v, nd_lines(&(Nd){.dims = dims, .rank = x->rank}, axis), n,
                      ny, back ? 1 : -1, !(a->kind == FFT_IRFFT && ends));
        dims[axis] = ny;
        total *= n;
    }
    for (int64_t i = 0; i < y->count; i++) {
        double by = back ? (double)total : 1;
        scalar_store(y->dtype, y->data, i,
                     (Scalar){.f = creal(v[i]) / by, .im = cimag(v[i]) / by});
    }
    return true;
}

/* ---- rules ------------------------------------------------------------------------- */

static Val b_fft(Builder *b, Val x, int32_t kind, Ints lengths)
{
    return b_eqn1(b, OP_fft, &x, 1, &(FftAttr){kind, lengths});
}

static void jvp_fft(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    dy[0] = b_eqn1(b, OP_fft, dx, 1, e->attr);
}

static Val transpose_rfft(Builder *b, Val g, Ints lengths)
{
    uint32_t rank = b_rank(b, g);
    Dim *lo = arena_zalloc(&b->arena, rank * sizeof *lo);
    Dim *hi = arena_zalloc(&b->arena, rank * sizeof *hi);

    hi[rank - 1] = dim_sub(&b->dims, lengths.v[lengths.n - 1], b_dim(b, g, rank - 1));
    g = b_pad(b, g, b_zeros(b, b_make_type(b, b_dtype(b, g), NULL, 0)), lo, hi, NULL);
    return b_real(b, b_fft(b, g, FFT_FFT, lengths));
}

/* 2/N, but 1/N for k = 0 and k = n/2 */
static Val transpose_irfft(Builder *b, Val g, Ints lengths)
{
    Val y = b_conj(b, b_fft(b, g, FFT_RFFT, lengths)), part = b_real(b, y), k, n, once,
        scale;
    Type t = b_type(b, part), of_scale;
    uint32_t last = t.rank - 1u;

    if (b_failed(b))
        return VAL_NONE;
    k = b_iota(b, WF_I64, &t.dims[last], 1, 0);
    n = b_broadcast_scalar(b, b_dim_value(b, lengths.v[lengths.n - 1]), &t.dims[last], 1);
    once = b_eq(b, b_add(b, k, k), n);
    once = b_or(b, b_eq(b, k, b_zeros_like(b, k)), once);
    of_scale = b_make_type(b, (wf_dtype)t.dtype, &t.dims[last], 1);
    scale = b_full(b, of_scale, 2);
    scale = b_select(b, once, b_full(b, of_scale, 1), scale);
    n = b_cast(b, b_dim_value(b, dim_prod(&b->dims, lengths.v, lengths.n)),
               (wf_dtype)t.dtype);
    scale = b_div(b, scale, b_broadcast_scalar(b, n, &t.dims[last], 1));
    scale = b_broadcast(b, scale, t.dims, t.rank, (int64_t[]){last});
    return b_mul(b, y, b_cast(b, scale, b_dtype(b, y)));
}

static void transpose_fft(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    const FftAttr *a = e->attr;

    if (!gy[0])
        return;
    gx[0] = a->kind == FFT_RFFT    ? transpose_rfft(b, gy[0], a->lengths)
            : a->kind == FFT_IRFFT ? transpose_irfft(b, gy[0], a->lengths)
                                   : b_fft(b, gy[0], a->kind, a->lengths);
}

static void batch_fft(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                      int *out_axis)
{
    Val x;

    batch_front(b, e, bt, false, &x);
    out[0] = b_eqn1(b, OP_fft, &x, 1, e->attr);
    out_axis[0] = 0;
}

/* About 5 n log2 n. */
static double flops_fft(const SizedEqn *s)
{
    const FftAttr *a = s->e->attr;
    Type x = val_type(s->p, eqn_in(s->p, s->e)[0]), y = val_type(s->p, s->e->out);
    double n = fmax(sized_count(s, x), sized_count(s, y)), total = 1;

    for (uint32_t i = 0; i < a->lengths.n; i++)
        total *= (double)sized_dim(s, a->lengths.v[i]);
    return total > 1 ? 5 * n * log2(total) : 0;
}

const OpRow op_row_fft = {
    .attrs = fft_attrs,
    .attr_size = sizeof(FftAttr),
    .type = type_fft,
    .eval = eval_fft,
    .along = along_fft,
    .flops = flops_fft,
    .lower = {.kind = LOWER_LIBRARY},
};
const OpRules op_rules_fft = {
    .doc = DOC(
        "y = the discrete Fourier transform of x over its last axes, as many as there "
        "are "
        "lengths: fft x kind=rfft lengths=[8]. kind fft: complex to complex; ifft: its "
        "inverse, divided by the sizes; rfft: of f32 and f64, the floor(n/2)+1 first "
        "numbers "
        "along the last axis; irfft: from those the n real numbers, divided by the "
        "sizes."),
    .jvp = jvp_fft,
    .transpose = transpose_fft,
    .batch = batch_fft,
};
