/* ops_contract.c -- dot_general, convolution, fft. */
#include "stablehlo/stablehlo.h"

/* [DEFAULT, HIGHEST]: the higher one. DEFAULT is what the dtype has. */
static int32_t precision_of(Hlo *h)
{
    const HloAttr *a = hlo_get(h, "precision");

    a = a ? a : hlo_get(h, "precision_config");
    for (uint32_t i = 0; a && a->kind == HLO_LIST && i < a->items.n; i++)
        if (a->items.v[i]->kind == HLO_WORD && !strcmp(a->items.v[i]->text, "HIGHEST"))
            return WF_PRECISION_HIGHEST;
    return WF_PRECISION_DEFAULT;
}

/* [1] x [0], or a field of the attribute */
static bool pair_of(Hlo *h, const char *key, int side, const char *field, int64_t *v, uint32_t *n)
{
    const HloAttr *a = hlo_get(h, key);

    if (a && (a->kind != HLO_LIST || a->items.n != 2))
        return hlo_op_fail(h, WF_ERR_FORMAT, "%s: needed two lists", key);
    return hlo_ints_of(h, a ? a->items.v[side] : hlo_field(hlo_get(h, "dot_dimension_numbers"), field), v, n);
}

bool hlo_dot_general(Hlo *h, const HloRule *r)
{
    int64_t v[4][2 * MAX_RANK];
    uint32_t n[4];
    Val x = hlo_in(h, 0), y = hlo_in(h, 1);
    Type to = hlo_out_type(h, 0);

    (void)r;
    if (failed(h->cx) || !pair_of(h, "contracting_dims", 0, "lhs_contracting_dimensions", v[0], &n[0]) ||
        !pair_of(h, "contracting_dims", 1, "rhs_contracting_dimensions", v[1], &n[1]) ||
        !pair_of(h, "batching_dims", 0, "lhs_batching_dimensions", v[2], &n[2]) ||
        !pair_of(h, "batching_dims", 1, "rhs_batching_dimensions", v[3], &n[3]))
        return false;
    return hlo_out(h, b_dot(h->s->b, x, y,
                            &(DotAttr){.lhs = {n[0], v[0]}, .rhs = {n[1], v[1]}, .lhs_batch = {n[2], v[2]}, .rhs_batch = {n[3], v[3]},
                                       .acc = to.dtype, .precision = precision_of(h)}));
}

/* ---- convolution -------------------------------------------------------------------------------------------------------------- */

/* [b, 0, 1, f]: the axes that are `first`, `second`, then the spatial ones in order */
static bool read_spec(Hlo *h, const HloAttr *a, const char *first, const char *second, uint32_t rank, int64_t *out)
{
    uint32_t seen = 0;

    if (!a || a->kind != HLO_LIST || a->items.n != rank)
        return hlo_op_fail(h, WF_ERR_FORMAT, "dim_numbers: needed %u axes", rank);
    for (uint32_t i = 0; i < rank; i++) {
        const HloAttr *e = a->items.v[i];
        int64_t at = e->kind == HLO_INT && e->i >= 0 && e->i < (int64_t)rank - 2 ? e->i + 2
                     : e->kind != HLO_WORD                                       ? -1
                     : !strcmp(e->text, first)                                   ? 0
                     : !strcmp(e->text, second)                                  ? 1
                                                                                 : -1;

        if (at < 0 || seen >> at & 1)
            return hlo_op_fail(h, WF_ERR_FORMAT, "dim_numbers: what axis %u is", i);
        seen |= 1u << at;
        out[at] = i;
    }
    return true;
}

typedef struct ConvText {
    int64_t spec[3][MAX_RANK], stride[2 * MAX_RANK], lhs[2 * MAX_RANK], rhs[2 * MAX_RANK], reverse[2 * MAX_RANK];
    Dim lo[MAX_RANK], hi[MAX_RANK];
    int64_t groups, batch_groups;
} ConvText;

static bool spatial_list(Hlo *h, const HloAttr *a, uint32_t ns, int64_t standard, int64_t *out)
{
    uint32_t n;

    if (!hlo_ints_of(h, a, out, &n))
        return false;
    if (n && n != ns)
        return hlo_op_fail(h, WF_ERR_FORMAT, "window: %u numbers of %u axes", n, ns);
    for (uint32_t i = n; i < ns; i++)
        out[i] = standard;
    return true;
}

static const HloAttr *window_part(Hlo *h, const char *key, const char *generic)
{
    const HloAttr *w = hlo_get(h, "window");

    return w ? hlo_field(w, key) : hlo_get(h, generic);
}

static bool read_pads(Hlo *h, const HloAttr *a, uint32_t ns, ConvText *c)
{
    int64_t v[2 * MAX_RANK];
    uint32_t n;

    for (uint32_t i = 0; i < ns; i++)
        c->lo[i] = c->hi[i] = 0;
    if (!a)
        return true;
    if (a->kind == HLO_DENSE) {
        if (!hlo_ints_of(h, a, v, &n))
            return false;
        if (n != 2 * ns)
            return hlo_op_fail(h, WF_ERR_FORMAT, "padding: %u numbers of %u axes", n, ns);
    } else if (a->kind != HLO_LIST || a->items.n != ns) {
        return hlo_op_fail(h, WF_ERR_FORMAT, "pad: needed two numbers for each of %u axes", ns);
    }
    for (uint32_t i = 0; i < ns; i++) {
        if (a->kind == HLO_LIST) {
            int64_t two[2 * MAX_RANK];

            if (!hlo_ints_of(h, a->items.v[i], two, &n))
                return false;
            if (n != 2)
                return hlo_op_fail(h, WF_ERR_FORMAT, "pad: needed two numbers for each axis");
            v[2 * i] = two[0];
            v[2 * i + 1] = two[1];
        }
        c->lo[i] = dim_const(&h->s->b->dims, v[2 * i]);
        c->hi[i] = dim_const(&h->s->b->dims, v[2 * i + 1]);
    }
    return true;
}

static bool read_convolution(Hlo *h, uint32_t rank, ConvText *c)
{
    const HloAttr *dims = hlo_get(h, "dim_numbers");

    if (!dims || dims->kind != HLO_LIST || dims->items.n != 3 || rank < 2)
        return hlo_op_fail(h, WF_ERR_FORMAT, "no dim_numbers of three lists");
    return read_spec(h, dims->items.v[0], "b", "f", rank, c->spec[0]) && read_spec(h, dims->items.v[1], "o", "i", rank, c->spec[1]) &&
           read_spec(h, dims->items.v[2], "b", "f", rank, c->spec[2]) &&
           spatial_list(h, window_part(h, "stride", "window_strides"), rank - 2, 1, c->stride) &&
           spatial_list(h, window_part(h, "lhs_dilate", "lhs_dilation"), rank - 2, 1, c->lhs) &&
           spatial_list(h, window_part(h, "rhs_dilate", "rhs_dilation"), rank - 2, 1, c->rhs) &&
           spatial_list(h, window_part(h, "reverse", "window_reversal"), rank - 2, 0, c->reverse) &&
           read_pads(h, window_part(h, "pad", "padding"), rank - 2, c) && hlo_int(h, "feature_group_count", 1, &c->groups) &&
           hlo_int(h, "batch_group_count", 1, &c->batch_groups);
}

bool hlo_convolution(Hlo *h, const HloRule *r)
{
    Builder *b = h->s->b;
    Val x = hlo_in(h, 0), k = hlo_in(h, 1);
    Type to = hlo_out_type(h, 0);
    int64_t turned[MAX_RANK];
    uint32_t rank, ns, nturned = 0;
    ConvText c;

    (void)r;
    if (failed(h->cx) || !read_convolution(h, rank = b_rank(b, x), &c))
        return false;
    ns = rank - 2;
    if (b_rank(b, k) != rank || c.groups < 1 || c.batch_groups < 1)
        return hlo_op_fail(h, WF_ERR_FORMAT, "a kernel of %u axes, %lld and %lld groups", b_rank(b, k), (long long)c.groups, (long long)c.batch_groups);
    for (uint32_t axis = 0; axis < rank; axis++)
        for (uint32_t i = 0; i < ns; i++)
            if (c.reverse[i] && c.spec[1][i + 2] == axis)
                turned[nturned++] = axis;
    if (nturned)
        k = b_rev(b, k, turned, nturned);
    return hlo_out(h, b_conv(b, x, k,
                             &(ConvAttr){.lhs_spec = {rank, c.spec[0]}, .rhs_spec = {rank, c.spec[1]}, .out_spec = {rank, c.spec[2]},
                                         .stride = {ns, c.stride}, .pad_lo = {ns, c.lo}, .pad_hi = {ns, c.hi}, .lhs_dilation = {ns, c.lhs},
                                         .rhs_dilation = {ns, c.rhs}, .groups = c.groups, .batch_groups = c.batch_groups, .acc = to.dtype,
                                         .precision = precision_of(h)}));
}

/* ---- fft ------------------------------------------------------------------------------------------------------------------------ */

bool hlo_fft(Hlo *h, const HloRule *r)
{
    static const char *const names[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
    const char *kind = *hlo_text(h, "type") ? hlo_text(h, "type") : hlo_text(h, "fft_type");
    int64_t lengths[2 * MAX_RANK];
    uint32_t n;
    Val x = hlo_in(h, 0);

    (void)r;
    if (failed(h->cx) || !hlo_ints(h, hlo_get(h, "length") ? "length" : "fft_length", lengths, &n))
        return false;
    for (int k = 0; k < 4; k++)
        if (!strcmp(kind, names[k]))
            return hlo_out(h, b_eqn1(h->s->b, OP_fft, &x, 1, &(FftAttr){k, {n, lengths}}));
    return hlo_op_fail(h, WF_ERR_FORMAT, "there is no type '%.20s'", kind);
}
