/* step_move.c -- constants, shapes, copies: const iota dim reshape bitcast broadcast
 * transpose slice rev pad concat. */
#include "export/export.h"

/* ---- copies ------------------------------------------------------------------------ */

typedef struct Walk { /* axes of a copy, merged where both sides allow it */
    uint32_t n;
    Dim size[MAX_RANK], to[MAX_RANK], from[MAX_RANK];
} Walk;

static void add_axis(Func *f, Walk *w, Dim size, Dim to, Dim from)
{
    Dims *t = &f->dims;

    if (size == 1)
        return;
    if (w->n && w->to[w->n - 1] == dim_mul(t, to, size) &&
        w->from[w->n - 1] == dim_mul(t, from, size)) {
        w->size[w->n - 1] = dim_mul(t, w->size[w->n - 1], size);
        w->to[w->n - 1] = to;
        w->from[w->n - 1] = from;
        return;
    }
    w->size[w->n] = size;
    w->to[w->n] = to;
    w->from[w->n++] = from;
}

/* The axes by strides of the result, largest first, as far as they are numbers. */
static void order_axes(Walk *w)
{
    for (uint32_t i = 1; i < w->n; i++)
        for (uint32_t k = i;
             k > 0 && w->to[k - 1] >= 0 && w->to[k] >= 0 && w->to[k - 1] < w->to[k];
             k--) {
            Dim s = w->size[k], t = w->to[k], r = w->from[k];

            w->size[k] = w->size[k - 1], w->to[k] = w->to[k - 1],
            w->from[k] = w->from[k - 1];
            w->size[k - 1] = s, w->to[k - 1] = t, w->from[k - 1] = r;
        }
}

void write_move(Func *f, uint32_t rank, const Dim *dims, wf_dtype t, const char *to,
                const Dim *to_stride, const char *from, const Dim *from_stride)
{
    const char *i[MAX_RANK];
    Walk w = {0};

    for (uint32_t k = 0; k < rank; k++)
        add_axis(f, &w, dims[k], to_stride[k], from_stride[k]);
    order_axes(&w);
    for (uint32_t k = 0; k < w.n; k++)
        if (w.size[k] == 0)
            return;
    if (w.n == 1 && w.to[0] == 1 && w.from[0] == 1) {
        c_put_line(f, "memcpy(%s, %s, (size_t)(%s) * sizeof(%s));", to, from,
                 c_dim_in(f, w.size[0]), c_type(t));
        return;
    }
    for (uint32_t k = 0; k < w.n; k++) {
        i[k] = arena_printf(f->a, "i%u", k);
        if (k + 1 == w.n)
            c_put_line(f, "WX_VECTOR");
        c_open_for(f, i[k], c_dim_in(f, w.size[k]));
    }
    c_put_line(f, "%s[%s] = %s[%s];", to, c_index(f, w.n, i, w.to), from,
             c_index(f, w.n, i, w.from));
    for (uint32_t k = 0; k < w.n; k++)
        c_close_block(f);
}

static const Dim *dims_of(Func *f, Val v)
{
    Dim *dims = arena_array(f->a, rank_of(f, v) + 1, sizeof *dims);

    for (uint32_t i = 0; i < rank_of(f, v); i++)
        dims[i] = c_size_of(f, v, i);
    return dims;
}

/* All elements of the result are that one. */
static void write_fill(Func *f, Val v, const char *element)
{
    c_put_line(f, "WX_VECTOR");
    c_open_for(f, "i0", c_dim_in(f, c_count_of(f, v)));
    c_put_line(f, "%s[i0] = %s;", c_at_of(f, v), element);
    c_close_block(f);
}

/* ---- the same elements ------------------------------------------------------------- */

/* Sizes that are not known to agree are looked at when it runs. */
bool step_reshape(Func *f)
{
    Dim n = c_count_of(f, in_of(f, 0)), m = c_count_of(f, out_of(f, 0));

    if (n != m)
        c_fail_if(f, "SIZE", "%s != %s", c_dim_in(f, n), c_dim_in(f, m));
    return true;
}

/* The elements lie where they did, but C may not look at them as another type: a copy. */
bool step_bitcast(Func *f)
{
    Val x = in_of(f, 0), y = out_of(f, 0);
    const char *type = c_type(dtype_of(f, y)), *name;
    int64_t bytes = c_most_of(f, c_count_of(f, y)) * (int64_t)wf_dtype_size(dtype_of(f, y));

    if (!strcmp(type, c_type(dtype_of(f, x))) || f->val[x].stride) {
        if (strcmp(type, c_type(dtype_of(f, x))) != 0)
            return refuse_step(f, "of a view");
        return true;
    }
    name = c_unique(f->a, &f->names, arena_printf(f->a, "bits%u", y));
    c_put_line(f, "%s *const %s = (%s *)(void *)(m + %lld);", type, name, type,
             (long long)parts_take(f->c->cx, &f->mem, bytes));
    c_put_line(f, "memcpy(%s, %s, (size_t)(%s) * sizeof(%s));", name, c_at_of(f, x),
             c_dim_in(f, c_count_of(f, y)), type);
    f->val[y].at = name;
    return true;
}

typedef struct View {
    Dim offset, *stride;
} View;

static void view_slice(Func *f, const Dim *stride, View *v)
{
    const SliceAttr *a = f->e->attr;
    Val x = in_of(f, 0), y = out_of(f, 0);
    Dims *t = &f->dims;

    for (uint32_t i = 0; i < rank_of(f, x); i++) {
        Dim start = c_dim_of(f, a->start.v[i]), limit = c_dim_of(f, a->limit.v[i]);
        Dim size = c_size_of(f, x, i);

        if (!dim_known_ge(t, start, 0))
            c_fail_if(f, "SIZE", "%s < 0", c_dim_in(f, start));
        if (!dim_known_ge(t, limit, start))
            c_fail_if(f, "SIZE", "%s < %s", c_dim_in(f, limit), c_dim_in(f, start));
        if (!dim_known_ge(t, size, limit))
            c_fail_if(f, "SIZE", "%s > %s", c_dim_in(f, limit), c_dim_in(f, size));
        if (c_size_of(f, y, i) != 0)
            v->offset = dim_add(t, v->offset, dim_mul(t, start, stride[i]));
        v->stride[i] = c_size_of(f, y, i) == 1
                           ? 0
                           : dim_mul(t, stride[i], a->stride.n ? a->stride.v[i] : 1);
    }
}

static void view_rev(Func *f, const Dim *stride, View *v)
{
    const AxesAttr *a = f->e->attr;
    Dims *t = &f->dims;

    memcpy(v->stride, stride, rank_of(f, in_of(f, 0)) * sizeof *stride);
    for (uint32_t i = 0; i < a->axes.n; i++) {
        int64_t k = a->axes.v[i];
        Dim last = dim_sub(t, c_size_of(f, in_of(f, 0), (uint32_t)k), 1);

        v->offset = dim_add(t, v->offset, dim_mul(t, last, stride[k]));
        v->stride[k] = dim_sub(t, 0, stride[k]);
    }
}

static void view_broadcast(Func *f, const Dim *stride, View *v)
{
    const BroadcastAttr *a = f->e->attr;

    memset(v->stride, 0, MAX_RANK * sizeof *v->stride);
    for (uint32_t i = 0; i < a->dims.n; i++)
        v->stride[a->dims.v[i]] = c_size_of(f, in_of(f, 0), i) == 1 ? 0 : stride[i];
}

/* Row-major after all? */
static bool is_row_major(Func *f, Val v, const Dim *stride)
{
    const Dim *plain = c_row_major(f, rank_of(f, v), dims_of(f, v));

    for (uint32_t i = 0; i < rank_of(f, v); i++)
        if (c_size_of(f, v, i) != 1 && stride[i] != plain[i])
            return false;
    return true;
}

bool step_view(Func *f)
{
    Val x = in_of(f, 0), y = out_of(f, 0);
    const Dim *stride = c_stride_of(f, x);
    View v = {0, arena_zalloc(f->a, MAX_RANK * sizeof(Dim))};
    const char *at = c_at_of(f, x);

    switch (f->e->op) {
    case OP_broadcast: view_broadcast(f, stride, &v); break;
    case OP_rev: view_rev(f, stride, &v); break;
    case OP_slice: view_slice(f, stride, &v); break;
    default:
        for (uint32_t i = 0; i < rank_of(f, y); i++)
            v.stride[i] = stride[((const TransposeAttr *)f->e->attr)->perm.v[i]];
    }
    if (v.offset)
        at = arena_printf(f->a, "(%s + %s)", at, c_dim_in(f, v.offset));
    if (f->plan->val[y].kind == VAL_VIEW) {
        f->val[y] = (ValueAt){at, is_row_major(f, y, v.stride) ? NULL : v.stride};
        return true;
    }
    write_move(f, rank_of(f, y), dims_of(f, y), dtype_of(f, y), c_at_of(f, y),
               c_stride_of(f, y), at, v.stride);
    return true;
}

/* ---- constants --------------------------------------------------------------------- */

static bool is_splat(const ConstAttr *a)
{
    return a->data->size == wf_dtype_size((wf_dtype)a->type.dtype);
}

/* An element as an expression. */
static const char *stored_value(Func *f, wf_dtype t, const char *element)
{
    if (!dtype_is_complex(t))
        return c_stored_literal(f->a, t, element);
    return arena_printf(f->a, "%s(%s, %s)", c_need_of(f->c, "complex", t), c_literal(f->a, dtype_part(t), element),
                        c_literal(f->a, dtype_part(t), element + wf_dtype_size(dtype_part(t))));
}

bool step_const(Func *f)
{
    const ConstAttr *a = f->e->attr;
    Val y = out_of(f, 0);

    if (f->plan->val[y].kind == VAL_OWN) {
        write_fill(f, y, stored_value(f, dtype_of(f, y), a->data->data));
        return true;
    }
    f->val[y].at = c_constant(f->c, a);
    if (is_splat(a) && f->plan->val[y].kind == VAL_VIEW)
        f->val[y].stride = arena_zalloc(f->a, MAX_RANK * sizeof(Dim));
    return true;
}

bool step_dim(Func *f)
{
    c_put_line(f, "%s[0] = %s;", c_at_of(f, out_of(f, 0)),
             c_dim_in(f, c_dim_of(f, ((const DimAttr *)f->e->attr)->dim)));
    return true;
}

bool step_iota(Func *f)
{
    Val y = out_of(f, 0);
    uint32_t rank = rank_of(f, y), axis = (uint32_t)((const IotaAttr *)f->e->attr)->axis;
    wf_dtype t = dtype_of(f, y);
    const char *i[MAX_RANK] = {""};

    for (uint32_t k = 0; k < rank; k++) {
        i[k] = arena_printf(f->a, "i%u", k);
        c_open_for(f, i[k], c_dim_in(f, c_size_of(f, y, k)));
    }
    c_put_line(
        f, "%s[%s] = %s;", c_at_of(f, y), c_index(f, rank, i, c_stride_of(f, y)),
        c_store(f->c, t,
                c_cast(f->c, WF_I64, t, arena_printf(f->a, "(int64_t)%s", i[axis]))));
    for (uint32_t k = 0; k < rank; k++)
        c_close_block(f);
    return true;
}

/* ---- pad, concat ------------------------------------------------------------------- */

/* Along an axis x[i] goes to lo + i*step: i from the first that is inside on. */
static void write_pad_axis(Func *f, uint32_t k, bool last, Dim size, Dim lo, int64_t step,
                           Dim out)
{
    const char *l = c_dim_in(f, lo), *n = c_dim_in(f, size), *o = c_dim_in(f, out);
    Dim end = dim_add(&f->dims, lo, dim_mul(&f->dims, dim_sub(&f->dims, size, 1), step));

    if (dim_known_ge(&f->dims, lo, 0) &&
        dim_known_ge(&f->dims, dim_sub(&f->dims, out, 1), end)) {
        if (last)
            c_put_line(f, "WX_VECTOR");
        c_open_for(f, arena_printf(f->a, "i%u", k), n);
        return;
    }
    c_put_line(f, "const ptrdiff_t first%u = %s < 0 ? (%lld - %s) / %lld : 0;", k, l,
             (long long)step - 1, l, (long long)step);
    c_put_line(f, "const ptrdiff_t end%u = %s(%s, (%s - %s + %lld) / %lld);", k,
             c_need(f->c, "least"), n, o, l, (long long)step - 1, (long long)step);
    if (last)
        c_put_line(f, "WX_VECTOR");
    c_open_block(f, "for (ptrdiff_t i%u = first%u; i%u < end%u; i%u++)", k, k, k, k, k);
}

bool step_pad(Func *f)
{
    const PadAttr *a = f->e->attr;
    Val x = in_of(f, 0), y = out_of(f, 0);
    uint32_t rank = rank_of(f, y);
    const Dim *to = c_stride_of(f, y);
    const char *i[MAX_RANK];
    Dim *step = arena_array(f->a, rank + 1, sizeof *step), offset = 0;
    Text at;

    write_fill(f, y, arena_printf(f->a, "%s[0]", c_at_of(f, in_of(f, 1))));
    c_open_block(f, "%s", "");
    for (uint32_t k = 0; k < rank; k++) {
        int64_t wide = (a->interior.n ? a->interior.v[k] : 0) + 1;
        Dim lo = c_dim_of(f, a->lo.v[k]);

        i[k] = arena_printf(f->a, "i%u", k);
        write_pad_axis(f, k, k + 1 == rank, c_size_of(f, x, k), lo, wide, c_size_of(f, y, k));
        step[k] = dim_mul(&f->dims, to[k], wide);
        offset = dim_add(&f->dims, offset, dim_mul(&f->dims, lo, to[k]));
    }
    text_init(&at, f->a);
    if (offset)
        text_printf(&at, "%s + ", c_dim_in(f, offset));
    c_put_line(f, "%s[%s%s] = %s[%s];", c_at_of(f, y), text_str(&at),
             c_index(f, rank, i, step), c_at_of(f, x),
             c_index(f, rank, i, c_stride_of(f, x)));
    for (uint32_t k = 0; k < rank + 1; k++)
        c_close_block(f);
    return true;
}

/* Was operand i written where the concatenation wants it? */
static bool is_there(const Func *f, uint32_t i)
{
    const Store *s = &f->plan->store[f->plan->val[in_of(f, i)].store];

    return s->inside && s->concat == f->eqn && s->operand == i;
}

bool step_concat(Func *f)
{
    Val y = out_of(f, 0);
    uint32_t axis = (uint32_t)((const AxisAttr *)f->e->attr)->axis;
    const Dim *to = c_stride_of(f, y);
    Dim offset = 0;

    for (uint32_t i = 0; i < f->e->nin; i++) {
        Val x = in_of(f, i);
        const char *at = c_at_of(f, y);

        if (offset)
            at = arena_printf(f->a, "(%s + %s)", at, c_dim_in(f, offset));
        if (!is_there(f, i))
            write_move(f, rank_of(f, y), dims_of(f, x), dtype_of(f, y), at, to,
                       c_at_of(f, x), c_stride_of(f, x));
        offset =
            dim_add(&f->dims, offset, dim_mul(&f->dims, c_size_of(f, x, axis), to[axis]));
    }
    return true;
}
