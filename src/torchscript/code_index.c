/* code_index.c -- indexing as calls of aten.
 *
 *   gather    along one axis is index_select; any other, and every scatter, goes by the row-major number of each element in x, which is
 *             read as a vector
 */
#include "torchscript/code.h"
#include "op/index.h"

#include <math.h>

typedef struct Windows { /* windows y of x, at index vectors */
    Type x, y, ix;
    const char *at; /* the index vectors */
    Ints offsets;   /* axes of y that go through a window */
    Ints collapsed, operand_batching, indices_batching, map;
    Dim sizes[MAX_RANK]; /* of a window, by axis of x */
} Windows;

/* An index as i64; one of u64 beyond that is as far outside. */
static const char *index_of(TsCode *c, const char *x, wf_dtype t)
{
    if (t == WF_I64)
        return x;
    x = ts_cast(c, x, WF_I64);
    return t == WF_U64 ? ts_let(c, "torch.masked_fill(%s, torch.lt(%s, 0), %lld)", x, x, (long long)INT64_MAX) : x;
}

/* The last place that a window has in an axis, as an int. */
static const char *room_of(TsCode *c, Dim size, Dim window)
{
    int64_t n, k;

    if (dim_value(&c->p->dims, size, &n) && dim_value(&c->p->dims, window, &k))
        return ts_str(c, "%lld", (long long)MAX(0, n - k));
    return ts_str(c, "ops.prim.max(0, torch.sub(%s, %s))", ts_dim(c, size), ts_dim(c, window));
}

/* A range along axis `axis` of a value of that rank. */
static const char *range_along(TsCode *c, Dim size, uint32_t axis, uint32_t rank)
{
    Dim *dims = arena_array(c->a, rank + 1, sizeof *dims);

    for (uint32_t i = 0; i < rank; i++)
        dims[i] = i == axis ? size : 1;
    return ts_let(c, "torch.reshape(%s, %s)", ts_arange(c, size, WF_I64), ts_dims(c, dims, rank));
}

/* Column j of the index vectors, shaped to meet y: its axes are those that are not offsets. */
static const char *start_of(TsCode *c, const Windows *v, uint32_t j)
{
    Dim *dims = arena_array(c->a, v->y.rank + 1u, sizeof *dims);

    for (uint32_t i = 0, k = 0; i < v->y.rank; i++)
        dims[i] = ints_have(v->offsets, i) ? 1 : v->ix.dims[k++];
    return ts_let(c, "torch.reshape(%s, %s)", index_of(c, ts_let(c, "torch.select(%s, -1, %u)", v->at, j), (wf_dtype)v->ix.dtype),
                 ts_dims(c, dims, v->y.rank));
}

/* The number in x of every element of y. Windows are moved inside; out_inside: where none had to be, NULL if that is everywhere. */
static const char *numbers(TsCode *c, const Windows *v, const char **out_inside)
{
    const char *at = ts_full(c, NULL, 0, "0", WF_I64), *inside = NULL;
    uint32_t offset = 0, nb = 0;
    int64_t batch_axes[MAX_RANK];

    for (uint32_t i = 0; i < v->y.rank; i++)
        if (!ints_have(v->offsets, i))
            batch_axes[nb++] = i;
    for (uint32_t i = 0; i < v->x.rank; i++) {
        int j = ints_find(v->map, i), k = ints_find(v->operand_batching, i);
        const char *more = NULL;

        at = ts_let(c, "torch.mul(%s, %s)", at, ts_dim(c, v->x.dims[i]));
        if (j >= 0) {
            const char *start = start_of(c, v, (uint32_t)j),
                       *fits = ts_let(c, "torch.clamp(%s, 0, %s)", start, room_of(c, v->x.dims[i], v->sizes[i])),
                       *same = ts_let(c, "torch.eq(%s, %s)", start, fits);

            inside = inside ? ts_let(c, "torch.bitwise_and(%s, %s)", inside, same) : same;
            at = ts_let(c, "torch.add(%s, %s)", at, fits);
        }
        if (k >= 0)
            more = range_along(c, v->x.dims[i], (uint32_t)batch_axes[v->indices_batching.v[k]], v->y.rank);
        else if (!ints_have(v->collapsed, i))
            more = range_along(c, v->sizes[i], (uint32_t)v->offsets.v[offset++], v->y.rank);
        if (more)
            at = ts_let(c, "torch.add(%s, %s)", at, more);
    }
    *out_inside = inside;
    return ts_let(c, "torch.expand(%s, %s)", at, ts_dims(c, v->y.dims, v->y.rank));
}

static const char *flat(TsCode *c, const char *x) { return ts_let(c, "torch.reshape(%s, [-1])", x); }

/* A number as a cast gives it: integers end where they end. */
static double within(wf_dtype t, double x)
{
    double hi = ldexp(1, (int)wf_dtype_size(t) * 8 - dtype_is_signed(t));

    return dtype_is_inexact(t) || wf_dtype_size(t) == 8 ? x : fmin(fmax(x, dtype_is_signed(t) ? -hi : 0), hi - 1);
}

/* One more element of that number behind the vector. */
static const char *longer(TsCode *c, const char *x, wf_dtype t, double number)
{
    return ts_let(c, "torch.cat([%s, %s], 0)", x, ts_full(c, (Dim[]){1}, 1, ts_number(c, t, number), t));
}

static void gather_elements(TsCode *c, const Eqn *e)
{
    const GatherAttr *a = e->attr;
    Windows v = {.x = TYPE_IN(0), .y = TYPE_OUT, .ix = TYPE_IN(1), .at = IN(1), .offsets = a->offset_dims, .collapsed = a->collapsed,
                 .operand_batching = a->operand_batching, .indices_batching = a->indices_batching, .map = a->start_index_map};
    wf_dtype t = (wf_dtype)v.x.dtype;
    const char *at, *inside, *x = longer(c, flat(c, IN(0)), t, within(t, a->fill));

    for (uint32_t i = 0; i < v.x.rank; i++)
        v.sizes[i] = a->slice_sizes.v[i];
    at = numbers(c, &v, &inside);
    if (a->mode == INDEX_FILL && inside)
        at = ts_let(c, "torch.where(%s, %s, torch.sub(torch.numel(%s), 1))", inside, at, x);
    ts_set(c, e, ts_let(c, "torch.take(%s, %s)", x, at));
}

/* Rows of x along one axis. */
static void write_gather(TsCode *c, const Eqn *e)
{
    const GatherAttr *a = e->attr;
    Type x = TYPE_IN(0), ix = TYPE_IN(1), y = TYPE_OUT;
    uint32_t axis, nb = ix.rank - 1u;
    int64_t from[MAX_RANK];
    Dim *dims = arena_array(c->a, x.rank + nb + 1u, sizeof *dims);
    const char *at;

    if (!gather_is_rows(a, x, ix, &axis)) {
        gather_elements(c, e);
        return;
    }
    at = flat(c, index_of(c, IN(1), (wf_dtype)ix.dtype));
    if (a->mode == INDEX_CLIP)
        at = ts_let(c, "torch.clamp(%s, 0, torch.sub(%s, 1))", at, ts_dim(c, x.dims[axis]));
    at = ts_let(c, "torch.index_select(%s, %u, %s)", IN(0), axis, at);
    for (uint32_t i = 0, k = 0; i < x.rank; i++)
        if (i == axis)
            for (uint32_t j = 0; j < nb; j++)
                dims[k++] = ix.dims[j];
        else
            dims[k++] = x.dims[i];
    if (nb != 1)
        at = ts_let(c, "torch.reshape(%s, %s)", at, ts_dims(c, dims, x.rank - 1u + nb));
    gather_rows_order(a, axis, nb, y.rank, from);
    ts_set(c, e, ts_permute(c, at, from, y.rank));
}

/* Updates that are dropped go into one more element. */
static void write_scatter(TsCode *c, const Eqn *e)
{
    const ScatterAttr *a = e->attr;
    Type x = TYPE_IN(0), y = TYPE_IN(2);
    wf_dtype dtype = (wf_dtype)x.dtype, inner = dtype == WF_BOOL && e->op != OP_scatter ? WF_I32 : dtype;
    const char *how = e->op == OP_scatter_mul ? "prod" : e->op == OP_scatter_min ? "amin" : "amax";
    Windows v = {.x = x, .y = y, .ix = TYPE_IN(1), .at = IN(1), .offsets = a->update_window, .collapsed = a->inserted,
                 .operand_batching = a->operand_batching, .indices_batching = a->indices_batching, .map = a->operand_dims};
    const char *at, *inside, *to = flat(c, IN(0)), *from = flat(c, IN(2)), *size = ts_let(c, "torch.numel(%s)", to);

    for (uint32_t i = 0, k = 0; i < x.rank; i++)
        v.sizes[i] = ints_have(a->inserted, i) || ints_have(a->operand_batching, i) ? 1 : y.dims[a->update_window.v[k++]];
    at = numbers(c, &v, &inside);
    if (a->mode == INDEX_DROP && inside)
        at = ts_let(c, "torch.where(%s, %s, %s)", inside, at, size);
    at = flat(c, at);
    if (inner != dtype) {
        to = ts_cast(c, to, inner);
        from = ts_cast(c, from, inner);
    }
    to = longer(c, to, inner, 0);
    if (e->op == OP_scatter || e->op == OP_scatter_add)
        to = ts_let(c, "torch.%s(%s, 0, %s, %s)", e->op == OP_scatter ? "scatter" : "scatter_add", to, at, from);
    else
        to = ts_let(c, "torch.scatter_reduce(%s, 0, %s, %s, \"%s\", include_self=True)", to, at, from, how);
    to = ts_let(c, "torch.reshape(torch.slice(%s, 0, 0, %s, 1), %s)", to, size, ts_dims(c, x.dims, x.rank));
    ts_set(c, e, inner != dtype ? ts_cast(c, to, dtype) : to);
}

/* The places along an axis of a window of that size, asked for from `at` on: moved inside. */
static const char *places(TsCode *c, const char *at, wf_dtype t, Dim size, Dim window)
{
    at = ts_let(c, "torch.clamp(%s, 0, %s)", index_of(c, at, t), room_of(c, size, window));
    return ts_let(c, "torch.add(%s, %s)", ts_arange(c, window, WF_I64), at);
}

static void write_dynamic_slice(TsCode *c, const Eqn *e)
{
    const DynamicSliceAttr *a = e->attr;
    Type t = TYPE_IN(0);
    const char *x = IN(0);

    for (uint32_t i = 0; i < t.rank; i++)
        if (a->sizes.v[i] != t.dims[i])
            x = ts_let(c, "torch.index_select(%s, %u, %s)", x, i,
                       places(c, IN(1 + i), (wf_dtype)TYPE_IN(1 + i).dtype, t.dims[i], a->sizes.v[i]));
    ts_set(c, e, x);
}

/* Axis by axis: what the update is put into is taken out, and put back. */
static void write_dynamic_update_slice(TsCode *c, const Eqn *e)
{
    Type t = TYPE_IN(0), y = TYPE_IN(1);
    wf_dtype dtype = (wf_dtype)t.dtype;
    bool as_i64 = dtype_is_unsigned(dtype) && dtype != WF_U8; /* index_copy has not those */
    const char *parts[MAX_RANK + 1] = {as_i64 ? ts_cast(c, IN(0), WF_I64) : IN(0)}, *at[MAX_RANK],
               *x = as_i64 ? ts_cast(c, IN(1), WF_I64) : IN(1);
    uint32_t axes[MAX_RANK], n = 0;

    for (uint32_t i = 0; i < t.rank; i++)
        if (y.dims[i] != t.dims[i]) {
            axes[n] = i;
            at[n] = places(c, IN(2 + i), (wf_dtype)TYPE_IN(2 + i).dtype, t.dims[i], y.dims[i]);
            n++;
        }
    for (uint32_t k = 0; k + 1 < n; k++)
        parts[k + 1] = ts_let(c, "torch.index_select(%s, %u, %s)", parts[k], axes[k], at[k]);
    for (uint32_t k = n; k-- > 0;)
        x = ts_let(c, "torch.index_copy(%s, %u, %s, %s)", parts[k], axes[k], at[k], x);
    ts_set(c, e, as_i64 ? ts_cast(c, x, dtype) : x);
}

static void write_nonzero(TsCode *c, const Eqn *e)
{
    const char *y = ts_let(c, "torch.nonzero(%s)", IN(0));

    c->syms[dim_node(&c->p->dims, ((const SymAttr *)e->attr)->sym)->sym] = ts_let(c, "torch.size(%s, 0)", y);
    ts_set(c, e, y);
}

bool ts_index(TsCode *c, const Eqn *e)
{
    switch (e->op) {
    case OP_gather: write_gather(c, e); break;
    case OP_scatter:
    case OP_scatter_add:
    case OP_scatter_mul:
    case OP_scatter_min:
    case OP_scatter_max: write_scatter(c, e); break;
    case OP_dynamic_slice: write_dynamic_slice(c, e); break;
    case OP_dynamic_update_slice: write_dynamic_update_slice(c, e); break;
    case OP_nonzero: write_nonzero(c, e); break;
    default: return false;
    }
    return true;
}
