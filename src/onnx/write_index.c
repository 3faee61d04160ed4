/* write_index.c -- indexing, sorting and places as nodes of opset 21.
 *
 *   gather    along one axis is Gather; any other, and every scatter, goes by the row-major number of each element in x, which is
 *             read as a vector: Gather, or ScatterElements
 *   sort      by the last key first, each time in the order so far: TopK keeps equal ones in order
 */
#include "onnx/write_ops.h"
#include "op/index.h"

#include <math.h>

/* ---- windows at places ---------------------------------------------------------------------------------- */

typedef struct Windows { /* windows y of x, at index vectors */
    Type x, y, ix;
    const char *at; /* the index vectors */
    Ints offsets;   /* axes of y that go through a window */
    Ints collapsed, operand_batching, indices_batching, map;
    Dim sizes[MAX_RANK]; /* of a window, by axis of x */
} Windows;

/* A range along axis `axis` of a value of that rank. */
static const char *range_along(Writing *w, Dim size, uint32_t axis, uint32_t rank)
{
    Dim *dims = arena_array(w->a, rank + 1, sizeof *dims);

    for (uint32_t i = 0; i < rank; i++)
        dims[i] = i == axis ? size : 1;
    return w_reshape(w, w_range(w, size), dims, rank);
}

/* An index as i64; one of u64 beyond that is as far outside. */
static const char *index_of(Writing *w, const char *x, wf_dtype t)
{
    int64_t most = INT64_MAX;

    return w_cast(
        w,
        t == WF_U64 ? w_op2(w, "Min", x, w_const(w, WF_U64, NULL, 0, &most, sizeof most))
                    : x,
        WF_I64);
}

/* Column j of the index vectors, shaped to meet y: its axes are those that are not offsets. */
static const char *start_of(Writing *w, const Windows *v, uint32_t j)
{
    Dim *dims = arena_array(w->a, v->y.rank + 1u, sizeof *dims);
    const char *x;
    Wire attrs = {.a = w->a};

    w_attr_int(w, &attrs, "axis", v->ix.rank - 1);
    x = w_node(w, "Gather", (const char *[]){v->at, w_number(w, WF_I64, j)}, 2, &attrs);
    for (uint32_t i = 0, k = 0; i < v->y.rank; i++)
        dims[i] = ints_have(v->offsets, i) ? 1 : v->ix.dims[k++];
    return w_reshape(w, index_of(w, x, (wf_dtype)v->ix.dtype), dims, v->y.rank);
}

/* The number in x of every element of y. Windows are moved inside; out_inside: where none had to be. */
static const char *numbers(Writing *w, const Windows *v, const char **out_inside)
{
    const char *at = w_number(w, WF_I64, 0), *inside = w_number(w, WF_BOOL, 1),
               *zero = w_number(w, WF_I64, 0);
    uint32_t offset = 0, nb = 0;
    int64_t batch_axes[MAX_RANK];

    for (uint32_t i = 0; i < v->y.rank; i++)
        if (!ints_have(v->offsets, i))
            batch_axes[nb++] = i;
    for (uint32_t i = 0; i < v->x.rank; i++) {
        int j = ints_find(v->map, i), k = ints_find(v->operand_batching, i);

        at = w_op2(w, "Mul", at, w_scalar_dim(w, v->x.dims[i]));
        if (j >= 0) {
            const char *room = w_op2(w, "Sub", w_scalar_dim(w, v->x.dims[i]),
                                     w_scalar_dim(w, v->sizes[i]));
            const char *start = start_of(w, v, (uint32_t)j),
                       *fits = w_op2(w, "Max", w_op2(w, "Min", start, room), zero);

            inside = w_op2(w, "And", inside, w_op2(w, "Equal", start, fits));
            at = w_op2(w, "Add", at, fits);
        }
        if (k >= 0)
            at = w_op2(w, "Add", at,
                       range_along(w, v->x.dims[i],
                                   (uint32_t)batch_axes[v->indices_batching.v[k]],
                                   v->y.rank));
        else if (!ints_have(v->collapsed, i))
            at = w_op2(
                w, "Add", at,
                range_along(w, v->sizes[i], (uint32_t)v->offsets.v[offset++], v->y.rank));
    }
    *out_inside = inside;
    return w_op2(w, "Expand", at, w_dims(w, v->y.dims, v->y.rank));
}

static const char *flat(Writing *w, const char *x)
{
    int64_t all = -1;

    return w_op2(w, "Reshape", x, w_ints(w, &all, 1));
}

/* A number as a cast gives it: integers end where they end. */
static double within(wf_dtype t, double x)
{
    bool is_signed = t == WF_I8 || t == WF_I16 || t == WF_I32 || t == WF_I64;
    double hi = ldexp(1, (int)wf_dtype_size(t) * 8 - is_signed);

    return dtype_is_float(t) || wf_dtype_size(t) == 8
               ? x
               : fmin(fmax(x, is_signed ? -hi : 0), hi - 1);
}

static void gather_elements(Writing *w, const Eqn *e)
{
    const GatherAttr *a = e->attr;
    Windows v = {.x = TYPE_IN(0),
                 .y = TYPE_OUT,
                 .ix = TYPE_IN(1),
                 .at = IN(1),
                 .offsets = a->offset_dims,
                 .collapsed = a->collapsed,
                 .operand_batching = a->operand_batching,
                 .indices_batching = a->indices_batching,
                 .map = a->start_index_map};
    const char *at, *inside, *fill, *x = flat(w, IN(0));
    Wire attrs = {.a = w->a};

    for (uint32_t i = 0; i < v.x.rank; i++)
        v.sizes[i] = a->slice_sizes.v[i];
    at = numbers(w, &v, &inside);
    fill = w_reshape(
        w, w_number(w, (wf_dtype)v.x.dtype, within((wf_dtype)v.x.dtype, a->fill)),
        (Dim[]){1}, 1);
    x = w_concat(w, (const char *[]){x, fill}, 2,
                 0); /* so that there is an element where x has none */
    if (a->mode == INDEX_FILL)
        at = w_node(
            w, "Where",
            (const char *[]){
                inside, at, w_op2(w, "Sub", w_op1(w, "Size", x), w_number(w, WF_I64, 1))},
            3, NULL);
    w_attr_int(w, &attrs, "axis", 0);
    w_set(w, e, w_node(w, "Gather", (const char *[]){x, at}, 2, &attrs));
}

/* Rows of x along one axis. */
static void write_gather(Writing *w, const Eqn *e)
{
    const GatherAttr *a = e->attr;
    Type x = TYPE_IN(0), ix = TYPE_IN(1), y = TYPE_OUT;
    uint32_t axis, nb = ix.rank - 1u;
    int64_t from[MAX_RANK], last = nb;
    const char *at, *most;
    Wire attrs = {.a = w->a};

    if (!gather_is_rows(a, x, ix, &axis)) {
        gather_elements(w, e);
        return;
    }
    at = index_of(w, w_op2(w, "Squeeze", IN(1), w_ints(w, &last, 1)), (wf_dtype)ix.dtype);
    if (a->mode == INDEX_CLIP) {
        most = w_op2(w, "Sub", w_scalar_dim(w, x.dims[axis]), w_number(w, WF_I64, 1));
        at = w_op2(w, "Min", w_op2(w, "Max", at, w_number(w, WF_I64, 0)), most);
    }
    w_attr_int(w, &attrs, "axis", axis);
    at = w_node(w, "Gather", (const char *[]){IN(0), at}, 2, &attrs);
    gather_rows_order(a, axis, nb, y.rank, from);
    w_set(w, e, w_transpose(w, at, from, y.rank));
}

static bool is_half(wf_dtype t) { return t == WF_F16 || t == WF_BF16; }

/* Updates that are dropped go into one more element. */
static void write_scatter(Writing *w, const Eqn *e)
{
    const ScatterAttr *a = e->attr;
    Type x = TYPE_IN(0), y = TYPE_IN(2);
    wf_dtype dtype = (wf_dtype)x.dtype, inner = dtype == WF_BOOL ? WF_I32
                                                : is_half(dtype) && e->op != OP_scatter
                                                    ? WF_F32
                                                    : dtype;
    const char *how = e->op == OP_scatter_add   ? "add"
                      : e->op == OP_scatter_mul ? "mul"
                      : e->op == OP_scatter_min ? "min"
                                                : "max";
    Windows v = {.x = x,
                 .y = y,
                 .ix = TYPE_IN(1),
                 .at = IN(1),
                 .offsets = a->update_window,
                 .collapsed = a->inserted,
                 .operand_batching = a->operand_batching,
                 .indices_batching = a->indices_batching,
                 .map = a->operand_dims};
    const char *at, *inside, *to = flat(w, IN(0)), *from = flat(w, IN(2)),
                             *size = w_op1(w, "Size", to), *one;
    int64_t zero = 0;
    Wire attrs = {.a = w->a};

    for (uint32_t i = 0, k = 0; i < x.rank; i++)
        v.sizes[i] = ints_have(a->inserted, i) || ints_have(a->operand_batching, i)
                         ? 1
                         : y.dims[a->update_window.v[k++]];
    at = numbers(w, &v, &inside);
    if (a->mode == INDEX_DROP)
        at = w_node(w, "Where", (const char *[]){inside, at, size}, 3, NULL);
    if (inner != dtype) {
        to = w_cast(w, to, inner);
        from = w_cast(w, from, inner);
    }
    to = w_concat(
        w, (const char *[]){to, w_reshape(w, w_number(w, inner, 0), (Dim[]){1}, 1)}, 2,
        0);
    w_attr_int(w, &attrs, "axis", 0);
    w_attr_text(w, &attrs, "reduction", e->op == OP_scatter ? "none" : how);
    to = w_node(w, "ScatterElements", (const char *[]){to, flat(w, at), from}, 3, &attrs);
    one = w_reshape(w, size, (Dim[]){1}, 1);
    to = w_node(w, "Slice",
                (const char *[]){to, w_ints(w, &zero, 1), one, w_ints(w, &zero, 1)}, 4,
                NULL);
    to = w_reshape(w, to, x.dims, x.rank);
    w_set(w, e, inner != dtype ? w_cast(w, to, dtype) : to);
}

/* Axis by axis, by numbers: so that whoever reads the model sees the sizes, which Slice hides. */
static void write_dynamic_slice(Writing *w, const Eqn *e)
{
    const DynamicSliceAttr *a = e->attr;
    Type t = TYPE_IN(0);
    const char *x = IN(0), *start, *room;

    for (uint32_t i = 0; i < t.rank; i++) {
        Wire attrs = {.a = w->a};

        if (a->sizes.v[i] == t.dims[i])
            continue;
        room =
            w_op2(w, "Sub", w_scalar_dim(w, t.dims[i]), w_scalar_dim(w, a->sizes.v[i]));
        start = index_of(w, IN(1 + i), (wf_dtype)TYPE_IN(1 + i).dtype);
        start = w_op2(w, "Max", w_op2(w, "Min", start, room), w_number(w, WF_I64, 0));
        w_attr_int(w, &attrs, "axis", i);
        x = w_node(w, "Gather",
                   (const char *[]){x, w_op2(w, "Add", w_range(w, a->sizes.v[i]), start)},
                   2, &attrs);
    }
    w_set(w, e, x);
}

/* ---- order ------------------------------------------------------------------------------------------------ */

/* A key in a type that TopK takes, in the same order. */
static const char *key_of(Writing *w, const char *x, wf_dtype t)
{
    if (t == WF_F32 || t == WF_F64 || t == WF_I64 || t == WF_U64)
        return x;
    return w_cast(w, x, dtype_is_float(t) ? WF_F32 : WF_I64);
}

/* The places of the first n along the axis. */
static const char *order_of(Writing *w, const char *key, int64_t axis, bool largest,
                            const char *n)
{
    const char *out[2] = {w_name(w, "sorted"), w_name(w, "order")};
    Wire attrs = {.a = w->a};

    w_attr_int(w, &attrs, "axis", axis);
    w_attr_int(w, &attrs, "largest", largest);
    w_attr_int(w, &attrs, "sorted", 1);
    w_node_as(w, "TopK", (const char *[]){key, n}, 2, &attrs, out, 2);
    return out[1];
}

static const char *take(Writing *w, const char *x, const char *at, int64_t axis)
{
    Wire attrs = {.a = w->a};

    w_attr_int(w, &attrs, "axis", axis);
    return w_node(w, "GatherElements", (const char *[]){x, at}, 2, &attrs);
}

static void write_sort(Writing *w, const Eqn *e)
{
    const SortAttr *a = e->attr;
    const char *order = NULL;

    for (uint32_t k = (uint32_t)a->keys; k-- > 0;) {
        const char *key = key_of(w, IN(k), (wf_dtype)TYPE_IN(k).dtype), *next;
        bool down = a->descending.n && a->descending.v[k],
             floats = dtype_is_float((wf_dtype)TYPE_IN(k).dtype);

        if (order)
            key = take(w, key, order, a->axis);
        next = order_of(w, key, a->axis, down, w_dim(w, TYPE_IN(k).dims[a->axis]));
        order = order ? take(w, order, next, a->axis) : next;
        if (floats) { /* NaN comes last */
            key = w_cast(w, w_op1(w, "IsNaN", take(w, IN(k), order, a->axis)), WF_I64);
            next = order_of(w, key, a->axis, false, w_dim(w, TYPE_IN(k).dims[a->axis]));
            order = take(w, order, next, a->axis);
        }
    }
    for (uint32_t i = 0; i < e->nin; i++)
        w->val[e->out + i] = take(w, IN(i), order, a->axis);
}

static void write_top_k(Writing *w, const Eqn *e)
{
    const TopAttr *a = e->attr;
    const char *key = key_of(w, IN(0), (wf_dtype)TYPE_IN(0).dtype),
               *at = order_of(w, key, a->axis, a->largest, w_dim(w, a->k));

    w_set(w, e, take(w, IN(0), at, a->axis));
    w->val[e->out + 1] = at;
}

static void write_nonzero(Writing *w, const Eqn *e)
{
    const char *y, *x = w_cast(w, IN(0), WF_BOOL);
    uint32_t sym = dim_node(&w->p->dims, ((const SymAttr *)e->attr)->sym)->sym;
    int64_t one = 1, shape[2] = {-1, 0};
    Wire attrs = {.a = w->a};

    if (TYPE_IN(0).rank) {
        y = w_transpose(w, w_op1(w, "NonZero", x), (int64_t[]){1, 0}, 2);
    } else { /* of a scalar: one row without columns, or none */
        y = w_op2(w, "Reshape",
                  w_op1(w, "NonZero", w_op2(w, "Reshape", x, w_ints(w, &one, 1))),
                  w_ints(w, shape, 1));
        y = w_node(w, "Slice",
                   (const char *[]){w_op2(w, "Unsqueeze", y, w_ints(w, &one, 1)),
                                    w_ints(w, shape + 1, 1), w_ints(w, shape + 1, 1),
                                    w_ints(w, &one, 1)},
                   4, NULL);
    }
    w_attr_int(w, &attrs, "start", 0);
    w_attr_int(w, &attrs, "end", 1);
    w->syms[sym] = w_node(w, "Shape", &y, 1, &attrs);
    w_set(w, e, y);
}

bool w_index(Writing *w, const Eqn *e)
{
    switch (e->op) {
    case OP_gather: write_gather(w, e); return true;
    case OP_scatter:
    case OP_scatter_add:
    case OP_scatter_mul:
    case OP_scatter_min:
    case OP_scatter_max: write_scatter(w, e); return true;
    case OP_dynamic_slice: write_dynamic_slice(w, e); return true;
    case OP_sort: write_sort(w, e); return true;
    case OP_top_k: write_top_k(w, e); return true;
    case OP_nonzero: write_nonzero(w, e); return true;
    default: return false;
    }
}
