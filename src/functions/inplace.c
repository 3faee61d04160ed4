/* inplace.c -- functions that write into a tensor.
 *
 * The new value is computed as a new tensor and copied into the memory of the old, whose
 * version goes up; the old handle takes the history of the new value. Every tensor that
 * shares the memory sees the new numbers, and views their history (view.c). A leaf that
 * requires a gradient, or a view of one, is refused. In a program there is no memory:
 * the handle stands for the new value from then on; a concrete tensor that the function being
 * traced has made becomes such a value when one is written into it (view_lift).
 *
 * Where nothing is recorded (wf_no_grad_begin) a write changes numbers only: histories
 * stay as they are.
 */
#include "runtime/array.h"
#include "functions/functions.h"

static bool may_write(wf_ctx *c, const char *fn, const Tensor *x, const Tensor *v)
{
    const Tensor *root = x->root ? x->root : x;

    if (x->symbolic)
        return true;
    if (v->symbolic)
        tensor_fail(c, WF_ERR_VALUE,
              "%s: a symbolic value cannot go into a concrete tensor that was made outside of the function being traced, or that "
              "others are views of", fn);
    else if (root->wants_grad && !c->tensors->no_grad)
        tensor_fail(c, WF_ERR_VALUE,
              "%s: a %sleaf that requires a gradient cannot be written to "
              "(wf_no_grad_begin allows it)",
              fn, root == x ? "" : "view of a ");
    else if (x->store->inference && !c->tensors->inference)
        tensor_fail(c, WF_ERR_VALUE,
              "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal tensor before doing "
              "inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details.");
    else if (x->locked || (x->store->array && wf_array_data(x->store->array) &&
                           !wf_array_data_mutable(x->store->array)))
        tensor_fail(c, WF_ERR_VALUE,
              "%s: the memory of the tensor may only be read; copy it first", fn);
    else if (!view_may_take(x, v))
        tensor_fail(
            c, WF_ERR_UNSUPPORTED,
            "%s: more than one element of the tensor stands for a single element of its "
            "memory; copy it first",
            fn);
    return !failed(c);
}

static bool assign_symbolic(wf_ctx *c, const char *fn, Tensor *x, Tensor *v)
{
    IN_GRAPH_(graph_enter_tensors(c, (Tensor *[]){x, v}, 2));
    Trace *tr = c->tensors->trace;

    T_ENTER(c, false)
    view_assign(c, fn, tr, x, trace_value(c, tr, v)); /* a constant, if v is concrete */
    trace_hold(tr);
    T_LEAVE(c);
    return !failed(c);
}

static bool copy_numbers(wf_ctx *c, Tensor *x, Tensor *v)
{
    size_t bytes = (size_t)v->count * wf_dtype_size((wf_dtype)v->dtype);
    void *copy;

    if (!tensor_is_here(x)) {
        wf_array *from = tensor_array(c, v), *to = from ? tensor_array(c, x) : NULL;

        return to && array_write(c, from, to);
    }
    if (v->packed && v->store != x->store && tensor_is_here(v)) {
        tensor_write(x, tensor_data(v));
        return true;
    }
    if (!(copy = mem_alloc(&c->al,
                           bytes + 1))) /* v may be another view of the same memory */
        return fail_memory(c);
    tensor_read(v, copy);
    tensor_write(x, copy);
    mem_free(&c->al, copy, bytes + 1);
    return true;
}

/* What the op that made v saved of x's memory becomes a copy: it is about to be
 * overwritten. */
static bool copy_saved(wf_ctx *c, const Tensor *x, RecordNode *n)
{
    while (n && n->prim && n->nin == 1 &&
           !n->in[0].saved) /* v was cast or broadcast after it */
        n = n->in[0].node;
    for (uint32_t i = 0; n && i < n->nin; i++) {
        Tensor *old = n->in[i].saved, *copy;
        if (!old || old->store != x->store || old->wants_grad)
            continue;
        if (!(copy = tensor_copy(c, old)))
            return false;
        n->in[i].saved = copy;
        n->in[i].version = copy->store->version;
        tensor_release(c, old);
    }
    return true;
}

/* x := v, both of one type; hv is v's handle. */
static bool overwrite(wf_ctx *c, const char *fn, Tensor *x, Tensor *v, wf_tensor hv)
{
    Tensors *s = c->tensors;
    Tensor *root = x->root ? x->root : x;
    bool followed = !s->no_grad && (root->node || v->node || x->node);

    if (v->symbolic && !x->symbolic && !view_lift(c, x) && failed(c))
        return false;
    if (!may_write(c, fn, x, v))
        return false;
    if (x->symbolic)
        return assign_symbolic(c, fn, x, v);
    if (x->root && followed && !view_write_back(c, x, hv))
        return false;
    if ((followed && !copy_saved(c, x, v->node)) || !copy_numbers(c, x, v))
        return false;
    x->store->version++;
    x->store->written = s->place;
    if (!followed)
        return true;
    history_take(c, x, v);
    x->stamp = ++root->stamp;
    return true;
}

/* v with the type of x; a float value does not go into integers. */
static wf_tensor fit(wf_ctx *c, const char *fn, Tensor *x, wf_tensor v)
{
    Tensor *t = tensor_get(c, v, fn);
    Shape s;

    if (!t || !shape_of(c, v, fn, &s))
        return WF_NONE;
    if ((dtype_is_inexact((wf_dtype)t->dtype) && !dtype_is_inexact((wf_dtype)x->dtype)) ||
        (dtype_is_complex((wf_dtype)t->dtype) && !dtype_is_complex((wf_dtype)x->dtype)) ||
        (x->dtype == WF_BOOL && t->dtype != WF_BOOL))
        return tensor_fail(c, WF_ERR_TYPE, "%s: a value of dtype %s cannot be written into %s",
                     fn, wf_dtype_name((wf_dtype)t->dtype), shape_text(c, x));
    if (t->dtype != x->dtype)
        v = wf_cast(c, v, (wf_dtype)x->dtype);
    v = broadcast_to(c, fn, v, x->dims, x->rank);
    return failed(c) || c->tensors->no_grad || !(x->need & c->tensors->recorders) || x->root ||
                   x->wants_grad || tensor_get(c, v, fn)->need & c->tensors->recorders
               ? v /* else: it stays one whose gradient is asked for, with a slope of 0 */
               : wf_where(c, wf_bool(c, false), tensor_handle(c, tensor_retain(x)), v);
}

wf_status wf_write(wf_ctx *c, wf_tensor x, wf_tensor v)
{
    IN_CALL(c);
    Tensor *t = tensor_get(c, x, "wf_write"), *u;

    if (!t)
        return ctx_status(c);
    scope_open(c);
    v = fit(c, "wf_write", t, v);
    if (!failed(c) && (u = tensor_get(c, v, "wf_write")) != NULL && u != t)
        overwrite(c, "wf_write", t, u, v);
    scope_close_n(c, NULL, 0);
    return ctx_status(c);
}

static wf_status update(wf_ctx *c, const char *fn, wf_tensor x, wf_tensor y,
                        wf_tensor (*op)(wf_ctx *, wf_tensor, wf_tensor))
{
    IN_CALL(c);
    Tensor *t = tensor_get(c, x, fn), *v;
    wf_tensor r;

    if (!t)
        return ctx_status(c);
    scope_open(c);
    r = fit(c, fn, t, op(c, x, y));
    if (!failed(c) && (v = tensor_get(c, r, fn)) != NULL)
        overwrite(c, fn, t, v, r);
    scope_close_n(c, NULL, 0);
    return ctx_status(c);
}

wf_status wf_add_in(wf_ctx *c, wf_tensor x, wf_tensor y)
{
    return update(c, "wf_add_in", x, y, wf_add);
}
wf_status wf_sub_in(wf_ctx *c, wf_tensor x, wf_tensor y)
{
    return update(c, "wf_sub_in", x, y, wf_sub);
}
wf_status wf_mul_in(wf_ctx *c, wf_tensor x, wf_tensor y)
{
    return update(c, "wf_mul_in", x, y, wf_mul);
}
wf_status wf_div_in(wf_ctx *c, wf_tensor x, wf_tensor y)
{
    return update(c, "wf_div_in", x, y, wf_div);
}

wf_status wf_fill_in(wf_ctx *c, wf_tensor x, double value)
{
    IN_CALL(c);
    Tensor *t = tensor_get(c, x, "wf_fill_in");

    if (!t)
        return ctx_status(c);
    scope_open(c);
    wf_write(c, x, wf_scalar(c, (wf_dtype)t->dtype, value));
    scope_close_n(c, NULL, 0);
    return ctx_status(c);
}

/* Where the index gives a view, the value is written into that. */
static bool is_basic(const wf_index *ix, int n)
{
    for (int i = 0; i < n; i++)
        if (ix[i].kind == WF_INDEX_TENSOR)
            return false;
    return true;
}

/* Nothing records what is written into x, and its memory may be written to. */
static bool is_unrecorded(wf_ctx *c, const char *fn, const Tensor *x, const Tensor *v)
{
    const Tensor *root = x->root ? x->root : x;

    return (c->tensors->no_grad || !(root->node || v->node || x->node || x->need || v->need)) && may_write(c, fn, x, v);
}

wf_status index_write(wf_ctx *c, const char *fn, OpCode op, wf_tensor x, const wf_index *ix, int n, wf_tensor v)
{
    IN_CALL(c);
    Tensor *t = tensor_get(c, x, fn), *u = tensor_get(c, v, fn);
    wf_tensor r;

    if (!t || !u || !NEEDS(c, has_n(ix, n)))
        return ctx_status(c);
    scope_open(c);
    if (u->dtype != t->dtype)
        u = tensor_get(c, v = wf_cast(c, v, (wf_dtype)t->dtype), fn);
    if (op == OP_scatter && !failed(c) && !t->symbolic && !t->need && !u->symbolic && is_basic(ix, n) &&
        !wf_has_grad_history(c, v)) {
        wf_write(c, wf_index_get(c, x, ix, n), v);
    } else if (!failed(c) && !t->symbolic && !u->symbolic && is_unrecorded(c, fn, t, u) &&
               index_put_here(c, op, x, ix, n, v)) {
        t->store->version++;
        t->store->written = c->tensors->place;
    } else if (!failed(c)) {
        r = op == OP_scatter ? wf_index_set(c, x, ix, n, v) : wf_index_add(c, x, ix, n, v);
        if (!failed(c) && (u = tensor_get(c, r, fn)) != NULL) {
            if (u->node && u->node->prim)
                u->node->label = is_basic(ix, n) ? "copy_slices" : op == OP_scatter ? "index_set" : "index_add";
            overwrite(c, fn, t, u, r);
        }
    }
    scope_close_n(c, NULL, 0);
    return ctx_status(c);
}

/* x[ix] = v in x's own memory. */
wf_status wf_index_write(wf_ctx *c, wf_tensor x, const wf_index *ix, int n, wf_tensor v)
{
    IN_CALL(c);
    return index_write(c, "wf_index_write", OP_scatter, x, ix, n, v);
}
