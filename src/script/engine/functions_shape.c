/* functions_shape.c -- natives that are one tensor function each: shape, choosing and linear algebra. */
#include "script/engine/engine.h"

/* ---- shape ------------------------------------------------------------------------- */

/* reshape(x, shape): -1 is the size that makes the count right */
/* A reshape that copies: PyTorch's name of its step tells. */
static Value end_reshaped(En *e, wf_tensor r)
{
    const Tensor *t = failed(e->c) ? NULL : tensor_get(e->c, r, "reshape");

    if (t && !t->symbolic && !t->root && !t->base)
        e->label = "unsafe_view";
    return en_end(e, r);
}

static Value n_reshape(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    int64_t dims[WF_MAX_RANK];
    int n;

    if (!en_tensor(&e, a->v[0], &x) || !en_shape(&e, a->v[1], dims, &n))
        return en_fail(&e);
    return end_reshaped(&e, wf_reshape(e.c, x, dims, n));
}

static Value n_broadcast_to(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    int64_t dims[WF_MAX_RANK];
    int n;

    if (!en_tensor(&e, a->v[0], &x) || !en_shape(&e, a->v[1], dims, &n))
        return en_fail(&e);
    return en_end(&e, wf_broadcast_to(e.c, x, dims, n));
}

static Value n_permute(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    int axes[WF_MAX_RANK], n = -1;

    if (!en_tensor(&e, a->v[0], &x) || !en_axes(&e, a->v[1], axes, &n))
        return en_fail(&e);
    if (n >= 0 && n != wf_rank(e.c, x)) {
        sc_fail(vm, e.f->shape_error, "permute: %d axes were given for a tensor of rank %d", n,
                wf_rank(e.c, x));
        return en_fail(&e);
    }
    return en_end(&e, wf_permute(e.c, x, n < 0 ? NULL : axes, n < 0 ? 0 : n));
}

static Value two_axes(Vm *vm, const Args *a, wf_tensor (*fn)(wf_ctx *, wf_tensor, int, int))
{
    En e = en_begin(vm, a);
    wf_tensor x;
    int64_t p = 0, q = 0;

    if (!en_tensor(&e, a->v[0], &x) || !en_int(&e, a->v[1], &p) || !en_int(&e, a->v[2], &q))
        return en_fail(&e);
    x = fn(e.c, x, (int)p, (int)q);
    return fn == wf_flatten ? end_reshaped(&e, x) : en_end(&e, x);
}
static Value n_swap_axes(Vm *vm, const Args *a) { return two_axes(vm, a, wf_swap_axes); }
static Value n_move_axis(Vm *vm, const Args *a) { return two_axes(vm, a, wf_move_axis); }
static Value n_flatten(Vm *vm, const Args *a) { return two_axes(vm, a, wf_flatten); }

/* squeeze(x, axis=None): those of size 1 among the axes; flip */
static Value some_axes(Vm *vm, const Args *a,
                       wf_tensor (*fn)(wf_ctx *, wf_tensor, const int *, int))
{
    En e = en_begin(vm, a);
    wf_tensor x;
    int axes[WF_MAX_RANK], n = 0;

    if (!en_tensor(&e, a->v[0], &x) || !en_axes(&e, a->v[1], axes, &n))
        return en_fail(&e);
    return en_end(&e, fn(e.c, x, axes, n));
}
static Value n_squeeze(Vm *vm, const Args *a) { return some_axes(vm, a, wf_squeeze); }
static Value n_flip(Vm *vm, const Args *a) { return some_axes(vm, a, wf_flip); }

static Value joined(Vm *vm, const Args *a,
                    wf_tensor (*fn)(wf_ctx *, const wf_tensor *, int, int))
{
    En e = en_begin(vm, a);
    wf_tensor *x;
    int n;
    int64_t axis = 0;

    if (!en_tensors(&e, a->v[0], &x, &n) || !en_int(&e, a->v[1], &axis))
        return en_fail(&e);
    return en_end(&e, fn(e.c, x, n, (int)axis));
}
static Value n_concat(Vm *vm, const Args *a) { return joined(vm, a, wf_concat); }
static Value n_stack(Vm *vm, const Args *a) { return joined(vm, a, wf_stack); }

/* split(x, sizes, axis): a tuple of pieces */
static Value n_split(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, *out;
    int64_t *sizes, axis = 0;
    int n = 0;

    if (!en_tensor(&e, a->v[0], &x) || !en_all_ints(&e, a->v[1], &sizes, &n) ||
        !(out = en_alloc(&e, (size_t)n * sizeof *out)) || !en_int(&e, a->v[2], &axis))
        return en_fail(&e);
    wf_split_sizes(e.c, x, sizes, n, (int)axis, out);
    return en_end_tuple(&e, out, n);
}

/* A size that is left open stays one, by an example too. */
static bool place_of(En *e, Value v, int64_t *out)
{
    if (!is_size(e->vm, v))
        return en_size(e, v, out);
    *out = en_size_dim(v);
    return true;
}

static Value n_narrow(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    int64_t axis = 0, start = 0, length = 0;

    if (!en_tensor(&e, a->v[0], &x) || !en_int(&e, a->v[1], &axis) ||
        !place_of(&e, a->v[2], &start) || !place_of(&e, a->v[3], &length))
        return en_fail(&e);
    return en_end(&e, wf_narrow(e.c, x, (int)axis, start, length));
}

static Value n_unfold(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    int64_t axis = 0, size = 0, step = 1;

    if (!en_tensor(&e, a->v[0], &x) || !en_int(&e, a->v[1], &axis) ||
        !en_int(&e, a->v[2], &size) || !en_int(&e, a->v[3], &step))
        return en_fail(&e);
    return en_end(&e, strided_unfold(e.c, x, (int)axis, size, step));
}

/* as_strided(x, sizes, strides, offset=None) */
static Value n_as_strided(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    int64_t dims[WF_MAX_RANK], strides[WF_MAX_RANK], from = -1;
    int n, m;

    if (!en_tensor(&e, a->v[0], &x) || !en_shape(&e, a->v[1], dims, &n) ||
        !en_shape(&e, a->v[2], strides, &m) || !en_int(&e, a->v[3], &from))
        return en_fail(&e);
    if (n != m) {
        sc_fail(vm, C_RuntimeError, "as_strided: %d sizes and %d strides", n, m);
        return en_fail(&e);
    }
    return en_end(&e, strided_view(e.c, x, dims, strides, (uint32_t)n, from));
}

/* memory_as(x, dtype): a view, or None where there is none */
static Value n_memory_as(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_dtype d = WF_INVALID;
    wf_tensor x, y;

    if (!en_tensor(&e, a->v[0], &x) || !en_dtype(&e, a->v[1], &d))
        return en_fail(&e);
    y = strided_as_dtype(e.c, x, d);
    return wf_is_none(y) && !failed(e.c) ? en_end_value(&e, NONE) : en_end(&e, y);
}

static Value n_tile(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    int64_t reps[WF_MAX_RANK];
    int n;

    if (!en_tensor(&e, a->v[0], &x) || !en_shape(&e, a->v[1], reps, &n))
        return en_fail(&e);
    return en_end(&e, wf_tile(e.c, x, reps, n));
}

static Value n_repeat(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    int64_t n = 1, axis = 0;

    if (!en_tensor(&e, a->v[0], &x) || !en_int(&e, a->v[1], &n) || !en_int(&e, a->v[2], &axis))
        return en_fail(&e);
    return en_end(&e, wf_repeat(e.c, x, n, (int)axis));
}

static Value n_roll(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    int64_t n = 1, axis = 0;

    if (!en_tensor(&e, a->v[0], &x) || !en_int(&e, a->v[1], &n) || !en_int(&e, a->v[2], &axis))
        return en_fail(&e);
    return en_end(&e, wf_roll(e.c, x, n, (int)axis));
}

/* pad(x, lo, hi, value=0): amounts for every axis */
static Value n_pad(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    int64_t lo[WF_MAX_RANK], hi[WF_MAX_RANK];
    int n, m;
    double v = 0;

    if (!en_tensor(&e, a->v[0], &x) || !en_shape(&e, a->v[1], lo, &n) ||
        !en_shape(&e, a->v[2], hi, &m) || !en_float(&e, a->v[3], &v))
        return en_fail(&e);
    if (n != m || n != wf_rank(e.c, x)) {
        sc_fail(vm, C_ValueError, "pad: amounts must be given for each of the %d axes",
                wf_rank(e.c, x));
        return en_fail(&e);
    }
    return en_end(&e, wf_pad(e.c, x, lo, hi, n, v));
}

/* ---- choosing ---------------------------------------------------------------------- */

static Value n_take(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, ix;
    int64_t axis = 0;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &ix) ||
        !en_int(&e, a->v[2], &axis))
        return en_fail(&e);
    return en_end(&e, wf_take(e.c, x, ix, (int)axis));
}

static Value n_take_along(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, ix;
    int64_t axis = 0;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &ix) ||
        !en_int(&e, a->v[2], &axis))
        return en_fail(&e);
    return en_end(&e, wf_take_along(e.c, x, ix, (int)axis));
}

/* put_along(x, index, v, axis): a new tensor; add_along adds */
static Value put(Vm *vm, const Args *a,
                 wf_tensor (*fn)(wf_ctx *, wf_tensor, wf_tensor, wf_tensor, int))
{
    En e = en_begin(vm, a);
    wf_tensor x, ix, v;
    int64_t axis = 0;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &ix) ||
        !en_tensor(&e, a->v[2], &v) || !en_int(&e, a->v[3], &axis))
        return en_fail(&e);
    return en_end(&e, fn(e.c, x, ix, v, (int)axis));
}
static Value n_put_along(Vm *vm, const Args *a) { return put(vm, a, wf_put_along); }
static Value n_add_along(Vm *vm, const Args *a) { return put(vm, a, wf_add_along); }

/* index_set(x, key, v), index_add: a new tensor */
static Value index_new(Vm *vm, const Args *a,
                       wf_tensor (*fn)(wf_ctx *, wf_tensor, const wf_index *, int, wf_tensor))
{
    En e = en_begin(vm, a);
    wf_tensor x, v;
    wf_index ix[2 * WF_MAX_RANK];
    int n;

    if (!en_tensor(&e, a->v[0], &x) || !en_index(&e, a->v[1], ix, &n) ||
        !en_tensor(&e, a->v[2], &v))
        return en_fail(&e);
    return en_end(&e, fn(e.c, x, ix, n, v));
}
static Value n_index_set(Vm *vm, const Args *a) { return index_new(vm, a, wf_index_set); }
static Value n_index_add(Vm *vm, const Args *a) { return index_new(vm, a, wf_index_add); }

/* index_write(x, key, v), index_add_in: in x's memory */
static Value index_here(Vm *vm, const Args *a, OpCode op)
{
    En e = en_begin(vm, a);
    wf_tensor x, v;
    wf_index ix[2 * WF_MAX_RANK];
    int n;

    if (!en_tensor(&e, a->v[0], &x) || !en_index(&e, a->v[1], ix, &n) || !en_tensor(&e, a->v[2], &v))
        return en_fail(&e);
    index_write(e.c, "index_write", op, x, ix, n, v);
    return en_end_value(&e, sc_ref(a->v[0]));
}
static Value n_index_write(Vm *vm, const Args *a) { return index_here(vm, a, OP_scatter); }
static Value n_index_add_in(Vm *vm, const Args *a) { return index_here(vm, a, OP_scatter_add); }

static Value n_index_get(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    wf_index ix[2 * WF_MAX_RANK];
    int n;

    if (!en_tensor(&e, a->v[0], &x) || !en_index(&e, a->v[1], ix, &n))
        return en_fail(&e);
    return en_end(&e, wf_index_get(e.c, x, ix, n));
}

/* The first of x's integers that is not in low .. size-1 nor `but`; false: none. */
static bool find_outside(En *e, wf_tensor x, int64_t low, int64_t size, const int64_t *but,
                         int64_t *out)
{
    Tensor *t = tensor_get(e->c, x, "check_index");
    const int64_t *v;

    if (t && t->dtype != WF_I64)
        x = wf_cast(e->c, x, WF_I64);
    if (!t || !(t = en_on_host(e, x)))
        return false;
    v = tensor_data(t);
    for (int64_t i = 0; i < t->count; i++)
        if ((v[i] < low || v[i] >= size) && !(but && v[i] == *but)) {
            *out = v[i];
            return true;
        }
    return false;
}

/* check_index(index, low, size, but=None): an index outside of low .. size-1, other than
 * `but`; None: there is none. In a program, which cannot tell: None, and an assert. */
static Value n_check_index(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, ok, n, below;
    int64_t low = 0, but = 0, bad = 0;
    int64_t size[WF_MAX_RANK];
    int one;
    bool has = a->v[3].tag != T_NIL && a->v[3].tag != T_NONE;

    if (!en_tensor(&e, a->v[0], &x) || !en_int(&e, a->v[1], &low) ||
        !en_shape(&e, a->v[2], size, &one) || !en_int(&e, a->v[3], &but))
        return en_fail(&e);
    if (!wf_is_symbolic(e.c, x) && !tensor_has_numbers(e.c, x))
        return en_end_value(&e, NONE);
    if (!wf_is_symbolic(e.c, x) && size[0] >= 0)
        return en_end_value(&e, find_outside(&e, x, low, size[0], has ? &but : NULL, &bad)
                                    ? v_int(bad)
                                    : NONE);
    n = size_tensor(e.c, size[0]);
    x = wf_cast(e.c, x, WF_I64);
    below = wf_lt(e.c, x, n);
    ok = wf_logical_and(e.c, wf_ge(e.c, x, wf_int(e.c, low)), below);
    if (has)
        ok = wf_logical_or(e.c, ok, wf_eq(e.c, x, wf_int(e.c, but)));
    wf_assert(e.c, ok, "index out of range: the size is {}", &n, 1);
    return en_end_value(&e, NONE);
}

static Value n_one_hot(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    int64_t n = 0;
    wf_dtype d = e.f->means.default_float;

    if (!en_tensor(&e, a->v[0], &x) || !en_size(&e, a->v[1], &n) || !en_dtype(&e, a->v[2], &d))
        return en_fail(&e);
    return en_end(&e, wf_one_hot(e.c, x, n, d));
}

/* sort(x, axis=-1, descending=False): (values, index) */
static Value n_sort(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, out[2] = {WF_NONE, WF_NONE};
    int64_t axis = -1;
    bool down = false;

    if (!en_tensor(&e, a->v[0], &x) || !en_int(&e, a->v[1], &axis) || !en_bool(&e, a->v[2], &down))
        return en_fail(&e);
    wf_sort(e.c, x, (int)axis, down, &out[0], &out[1]);
    return en_end_tuple(&e, out, 2);
}

/* top_k(x, k, axis=-1, largest=True): (values, index) */
static Value n_top_k(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, out[2] = {WF_NONE, WF_NONE};
    int64_t k = 1, axis = -1;
    bool largest = true;

    if (!en_tensor(&e, a->v[0], &x) || !en_int(&e, a->v[1], &k) || !en_int(&e, a->v[2], &axis) ||
        !en_bool(&e, a->v[3], &largest))
        return en_fail(&e);
    wf_top_k(e.c, x, k, (int)axis, largest, &out[0], &out[1]);
    return en_end_tuple(&e, out, 2);
}

static Value n_searchsorted(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, v;
    bool right = false;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &v) || !en_bool(&e, a->v[2], &right))
        return en_fail(&e);
    return en_end(&e, wf_searchsorted(e.c, x, v, right));
}

static Value n_median(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    int64_t axis = -1;
    bool lower = false, keep = false;

    if (!en_tensor(&e, a->v[0], &x) || !en_int(&e, a->v[1], &axis) ||
        !en_bool(&e, a->v[2], &lower) || !en_bool(&e, a->v[3], &keep))
        return en_fail(&e);
    return en_end(&e, wf_median(e.c, x, (int)axis, lower, keep));
}

/* ---- linear algebra ---------------------------------------------------------------- */

static Value n_einsum(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    const char *spec = NULL;
    wf_tensor *x;
    int n;

    if (!en_str(&e, a->v[0], &spec) || !en_tensors(&e, a->v[1], &x, &n))
        return en_fail(&e);
    for (int i = 1; i < n; i++)
        if (!en_alike(&e, "einsum", x[0], x[i]))
            return en_fail(&e);
    return en_end(&e, wf_einsum(e.c, spec, x, n));
}

static Value n_tensordot(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, y;
    int p[WF_MAX_RANK], q[WF_MAX_RANK], n = 0, m = 0;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &y) ||
        !en_axes(&e, a->v[2], p, &n) || !en_axes(&e, a->v[3], q, &m))
        return en_fail(&e);
    if (n != m) {
        sc_fail(vm, C_ValueError, "tensordot: %d axes of one operand, %d of the other", n, m);
        return en_fail(&e);
    }
    if (!en_alike(&e, "tensordot", x, y))
        return en_fail(&e);
    return en_end(&e, wf_tensordot(e.c, x, y, p, q, n));
}

static Value n_solve_triangular(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, y;
    bool lower = false, trans = false, unit = false;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &y) ||
        !en_bool(&e, a->v[2], &lower) || !en_bool(&e, a->v[3], &trans) ||
        !en_bool(&e, a->v[4], &unit))
        return en_fail(&e);
    return en_end(&e, wf_solve_triangular(e.c, x, y, lower, trans, unit));
}

const NativeDef engine_shape[] = {
    {"reshape", n_reshape, "x,shape"},
    {"broadcast_to", n_broadcast_to, "x,shape"},
    {"permute", n_permute, "x|axes"},
    {"swap_axes", n_swap_axes, "x,a,b"},
    {"move_axis", n_move_axis, "x,source,to"},
    {"flatten", n_flatten, "x,first,last"},
    {"squeeze", n_squeeze, "x|axis"},
    {"flip", n_flip, "x|axis"},
    {"concat", n_concat, "xs|axis"},
    {"stack", n_stack, "xs|axis"},
    {"split", n_split, "x,sizes|axis"},
    {"narrow", n_narrow, "x,axis,start,length"},
    {"unfold", n_unfold, "x,axis,size,step"},
    {"memory_as", n_memory_as, "x,dtype"},
    {"as_strided", n_as_strided, "x,sizes,strides|offset"},
    {"tile", n_tile, "x,reps"},
    {"repeat", n_repeat, "x,n|axis"},
    {"roll", n_roll, "x,shift|axis"},
    {"pad", n_pad, "x,lo,hi|value"},
    {"take", n_take, "x,index|axis"},
    {"take_along", n_take_along, "x,index|axis"},
    {"put_along", n_put_along, "x,index,v|axis"},
    {"add_along", n_add_along, "x,index,v|axis"},
    {"index_get", n_index_get, "x,key"},
    {"index_set", n_index_set, "x,key,v"},
    {"index_add", n_index_add, "x,key,v"},
    {"index_write", n_index_write, "x,key,v"},
    {"index_add_in", n_index_add_in, "x,key,v"},
    {"check_index", n_check_index, "index,low,size|but"},
    {"one_hot", n_one_hot, "index,classes|dtype"},
    {"sort", n_sort, "x|axis,descending"},
    {"top_k", n_top_k, "x,k|axis,largest"},
    {"searchsorted", n_searchsorted, "sorted,v|right"},
    {"median", n_median, "x|axis,lower,keep"},
    {"einsum", n_einsum, "spec,xs"},
    {"tensordot", n_tensordot, "x,y,x_axes,y_axes"},
    {"solve_triangular", n_solve_triangular, "a,b|lower,trans,unit"},
    {0},
};
