/* inplace.c -- functions that write into a tensor.
 *
 * The new value is computed as a new tensor and copied into the memory of the old, whose version goes
 * up; the old handle takes the history of the new value. Every tensor that shares the memory sees the
 * new numbers. What histories cannot follow is refused: writing into a leaf that requires a gradient,
 * and writing a recorded value into memory that other views share. In a program there is no memory: the
 * handle stands for the new value from then on, and a tensor that has views, or is one, is refused.
 */
#include "tensor/tensor.h"

/* Histories that saved x itself now hold its old memory under its old version, without a cycle. */
static bool unlink_saved(wf_ctx *c, Node *n, Tensor *x)
{
    for (uint32_t i = 0; n && i < n->nin; i++) {
        Tensor *alias;
        if (n->in[i].saved != x)
            continue;
        if (!(alias = tensor_alias(c, x)))
            return false;
        n->in[i].saved = alias;
        tensor_release(c, x);
    }
    return true;
}

static bool may_write(wf_ctx *c, const char *fn, const Tensor *x, const Tensor *v)
{
    Tensors *s = c->tensors;
    uint64_t need = s->no_grad ? 0 : (x->need | v->need) & s->recorders;

    if (x->symbolic && (x->base || x->views)) {
        tfail(c, WF_ERR_UNSUPPORTED,
              "%s: in a program a tensor that has views, or is one, cannot be written "
              "to: use "
              "wf_index_set",
              fn);
        return false;
    }
    if (x->symbolic)
        return true;
    if (v->symbolic) {
        tfail(c, WF_ERR_VALUE,
              "%s: a symbolic value cannot be written into a concrete tensor", fn);
        return false;
    }
    if (x->wants_grad && !s->no_grad) {
        tfail(c, WF_ERR_VALUE,
              "%s: a leaf that requires a gradient cannot be written to "
              "(wf_no_grad_begin allows it)",
              fn);
        return false;
    }
    if (need && x->store->views) {
        tfail(c, WF_ERR_UNSUPPORTED,
              "%s: a recorded value cannot be written into memory that views share: use "
              "wf_index_set",
              fn);
        return false;
    }
    return true;
}

/* x := v, both of one type. */
static bool overwrite(wf_ctx *c, const char *fn, Tensor *x, Tensor *v)
{
    void *copy;
    size_t bytes;
    Node *old = x->node;

    if (!may_write(c, fn, x, v))
        return false;
    if (x->symbolic) {
        Trace *tr = c->tensors->trace;
        T_ENTER(c, false)
        x->val = trace_value(c, tr, v); /* a constant, if v is concrete */
        x->trace = tr->id;
        trace_hold(tr);
        T_LEAVE(c);
        return !failed(c);
    }
    bytes = (size_t)v->count * wf_dtype_size((wf_dtype)v->dtype);
    if (!unlink_saved(c, v->node, x))
        return false;
    if (v->packed && v->store != x->store) {
        tensor_write(x, tensor_data(v));
    } else { /* v may be another view of the same memory */
        if (!(copy = mem_alloc(&c->al, bytes + 1)))
            return fail_memory(c);
        tensor_read(v, copy);
        tensor_write(x, copy);
        mem_free(&c->al, copy, bytes + 1);
    }
    x->store->version++;
    x->store->written = c->tensors->place;
    if (c->tensors->no_grad && x->wants_grad)
        return true; /* an optimiser's step: it stays the leaf it was */
    x->node = v->node;
    x->out = v->out;
    x->need = v->need;
    if (x->node)
        x->node->refs++;
    if (old) {
        if (old->leaf == x)
            old->leaf = NULL;
        node_release(c, old);
    }
    return true;
}

/* v with the type of x; a float value does not go into integers. */
static wf_tensor fit(wf_ctx *c, const char *fn, Tensor *x, wf_tensor v)
{
    Tensor *t = tensor_get(c, v, fn);
    Shape s;

    if (!t || !shape_of(c, v, fn, &s))
        return WF_NONE;
    if ((dtype_is_float((wf_dtype)t->dtype) && !dtype_is_float((wf_dtype)x->dtype)) ||
        (x->dtype == WF_BOOL && t->dtype != WF_BOOL))
        return tfail(c, WF_ERR_TYPE, "%s: a value of dtype %s cannot be written into %s",
                     fn, wf_dtype_name((wf_dtype)t->dtype), shape_text(c, x));
    if (t->dtype != x->dtype)
        v = wf_cast(c, v, (wf_dtype)x->dtype);
    return broadcast_to(c, fn, v, x->dims, x->rank);
}

wf_status wf_write(wf_ctx *c, wf_tensor x, wf_tensor v)
{
    Tensor *t = tensor_get(c, x, "wf_write"), *u;

    if (!t)
        return c->status;
    scope_open(c);
    v = fit(c, "wf_write", t, v);
    if (!failed(c) && (u = tensor_get(c, v, "wf_write")) != NULL && u != t)
        overwrite(c, "wf_write", t, u);
    scope_close_n(c, NULL, 0);
    return c->status;
}

static wf_status update(wf_ctx *c, const char *fn, wf_tensor x, wf_tensor y,
                        wf_tensor (*op)(wf_ctx *, wf_tensor, wf_tensor))
{
    Tensor *t = tensor_get(c, x, fn), *v;
    wf_tensor r;

    if (!t)
        return c->status;
    scope_open(c);
    r = fit(c, fn, t, op(c, x, y));
    if (!failed(c) && (v = tensor_get(c, r, fn)) != NULL)
        overwrite(c, fn, t, v);
    scope_close_n(c, NULL, 0);
    return c->status;
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
    Tensor *t = tensor_get(c, x, "wf_fill_in");

    if (!t)
        return c->status;
    scope_open(c);
    wf_write(c, x, wf_scalar(c, (wf_dtype)t->dtype, value));
    scope_close_n(c, NULL, 0);
    return c->status;
}

/* x[ix] = v in x's own memory. */
wf_status wf_index_write(wf_ctx *c, wf_tensor x, const wf_index *ix, int n, wf_tensor v)
{
    Tensor *t = tensor_get(c, x, "wf_index_write"), *u;
    wf_tensor r;

    if (!t)
        return c->status;
    scope_open(c);
    r = wf_index_set(c, x, ix, n, v);
    if (!failed(c) && (u = tensor_get(c, r, "wf_index_write")) != NULL)
        overwrite(c, "wf_index_write", t, u);
    scope_close_n(c, NULL, 0);
    return c->status;
}
