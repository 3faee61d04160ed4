/* view.c -- writing through views: what was written into a view is seen by its base, and
 * by other views of it.
 *
 * Concrete   The memory is shared, so numbers need nothing. Histories do: a view knows
 *            the tensor it was made of (root). A recorded value written into a view
 *            makes root's history a scatter of the value into what root was. Other
 *            views notice by root's stamp that their history is old, and take theirs
 *            from root by a gather, when they are used next.
 * Symbolic   There is no memory. A view knows its base and the op that made it. Writing
 *            to it gives the base, and its base, the value with the written part
 *            replaced; other views are made again when they are used next.
 */
#include "tensor/tensor.h"

/* ---- concrete ---- */

bool view_overlaps(const Tensor *t)
{
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->strides[i] == 0 && t->dims[i] > 1)
            return true;
    return false;
}

/* Where the elements of the view t are among those of its root, i64 of the shape of t. */
static wf_tensor places_in_root(wf_ctx *c, const Tensor *t)
{
    Tensor *p = tensor_new(c, WF_I64, t->dims, t->rank);
    int64_t at[MAX_RANK] = {0}, *out, place = t->offset - t->root->offset;

    if (!p)
        return WF_NONE;
    out = tensor_data(p);
    for (int64_t i = 0; i < p->count; i++) {
        out[i] = place;
        for (uint32_t k = t->rank; k-- > 0;) {
            place += t->strides[k];
            if (++at[k] < t->dims[k])
                break;
            place -= t->strides[k] * t->dims[k];
            at[k] = 0;
        }
    }
    return tensor_handle(c, p);
}

static wf_tensor flat_root(wf_ctx *c, const Tensor *t)
{
    Tensor *root = t->root;

    return wf_reshape(c, tensor_handle(c, tensor_retain(root)), &root->count, 1);
}

/* t takes the history of `from`, which has its numbers. */
void take_history(wf_ctx *c, Tensor *t, const Tensor *from)
{
    Node *old = t->node;

    t->node = from ? from->node : NULL;
    t->out = from ? from->out : 0;
    t->need = from ? from->need : 0;
    if (t->node)
        t->node->refs++;
    if (old) {
        if (old->leaf == t)
            old->leaf = NULL;
        node_release(c, old);
    }
}

Tensor *tensor_with_history(wf_ctx *c, wf_tensor h, const char *fn)
{
    Tensor *t = tensor_get(c, h, fn);

    return t && view_is_old(t) && !view_refresh(c, t) ? NULL : t;
}

bool view_write_back(wf_ctx *c, Tensor *x, wf_tensor v)
{
    Tensor *root = x->root, *r;
    wf_tensor y;

    if (!root->packed) {
        tfail(c, WF_ERR_UNSUPPORTED,
              "a recorded value cannot be written into a view of memory with gaps");
        return false;
    }
    scope_open(c);
    y = wf_index_set(c, flat_root(c, x), (wf_index[]){wf_at_tensor(places_in_root(c, x))},
                     1, v);
    y = wf_reshape(c, y, root->dims, root->rank);
    if ((r = tensor_get(c, y, "write")) != NULL)
        take_history(c, root, r);
    scope_close_n(c, NULL, 0);
    return !failed(c);
}

bool view_refresh(wf_ctx *c, Tensor *t)
{
    Tensors *s = c->tensors;
    Tensor *y;
    int no_grad = s->no_grad;

    t->stamp = t->root->stamp;
    if (!t->root->node || !(t->root->need & s->recorders)) {
        take_history(c, t, NULL);
        return true;
    }
    s->no_grad = 0;
    scope_open(c);
    y = tensor_get(c, wf_take(c, flat_root(c, t), places_in_root(c, t), 0), "view");
    if (y)
        take_history(c, t, y);
    scope_close_n(c, NULL, 0);
    s->no_grad = no_grad;
    return !failed(c);
}

/* ---- symbolic ---- */

static Tensor *top_of(Tensor *t)
{
    while (t->base)
        t = t->base;
    return t;
}

void view_remember(Trace *tr, Tensor *in, Tensor *out, OpCode op, const void *attr)
{
    out->base = tensor_retain(in);
    out->view_op = (uint16_t)op;
    out->view_attr =
        attr_copy(op_row(op), attr, &tr->b->arena, &tr->b->dims, &tr->b->dims, NULL);
    out->stamp = top_of(in)->stamp;
}

void view_make_again(wf_ctx *c, Tensor *t)
{
    uint32_t stamp = top_of(t)->stamp;
    Trace *tr = trace_find(c, t->trace);

    if (!t->base || t->stamp == stamp || !tr)
        return;
    view_make_again(c, t->base);
    t->val = b_eqn1(tr->b, (OpCode)t->view_op, &t->base->val, 1,
                    hint_attr(c, tr, (OpCode)t->view_op, t->view_attr));
    t->stamp = stamp;
}

/* x[start : limit : stride] = v */
static Val put_slice(Builder *b, Val x, Val v, const SliceAttr *a)
{
    Type t = b_type(b, x), u = b_type(b, v);
    Dim hi[MAX_RANK];
    int64_t interior[MAX_RANK];
    Val starts[MAX_RANK], mask, zero = b_scalar(b, (wf_dtype)t.dtype, 0);
    bool dense = true;

    for (uint32_t k = 0; k < t.rank; k++) {
        int64_t step = a->stride.n ? a->stride.v[k] : 1;
        Dim span = u.dims[k];
        if (span == 0)
            return x;
        dense = dense && step == 1;
        interior[k] = step - 1;
        if (step > 1) /* (n - 1) step + 1 */
            span =
                dim_add(&b->dims, dim_mul(&b->dims, dim_sub(&b->dims, span, 1), step), 1);
        hi[k] = dim_sub(&b->dims, t.dims[k], dim_add(&b->dims, a->start.v[k], span));
        starts[k] = dense ? b_dim_value(b, a->start.v[k]) : VAL_NONE;
    }
    if (dense)
        return b_dynamic_update_slice(b, x, v, starts);
    mask = b_full(b, b_make_type(b, WF_BOOL, u.dims, u.rank), 1);
    mask = b_pad(b, mask, b_scalar(b, WF_BOOL, 0), a->start.v, hi, interior);
    return b_select(b, mask, b_pad(b, v, zero, a->start.v, hi, interior), x);
}

/* The base with value x whose view, made by op, has become v. */
static Val put_back(wf_ctx *c, const char *fn, Builder *b, OpCode op, const void *attr,
                    Val x, Val v)
{
    Type t = b_type(b, x);
    int64_t perm[MAX_RANK];

    switch ((int)op) {
    case OP_slice: return put_slice(b, x, v, attr);
    case OP_rev:
        return b_rev(b, v, ((const AxesAttr *)attr)->axes.v,
                     ((const AxesAttr *)attr)->axes.n);
    case OP_transpose:
        for (uint32_t k = 0; k < t.rank; k++)
            perm[((const TransposeAttr *)attr)->perm.v[k]] = k;
        return b_transpose(b, v, perm);
    case OP_broadcast:
        if (dim_prod(&b->dims, t.dims, t.rank) !=
            dim_prod(&b->dims, b_type(b, v).dims, b_rank(b, v))) {
            tfail(c, WF_ERR_UNSUPPORTED,
                  "%s: more than one element of the tensor stands for a single element "
                  "of what it is a view of",
                  fn);
            return VAL_NONE;
        }
        return b_reshape(b, v, t.dims, t.rank);
    case OP_reshape: return b_reshape(b, v, t.dims, t.rank);
    default: return v;
    }
}

bool view_assign(wf_ctx *c, const char *fn, Trace *tr, Tensor *x, Val v)
{
    Tensor *top = top_of(x);

    for (Tensor *t = x; t; t = t->base) {
        if (t->trace != tr->id && t != x) {
            tfail(c, WF_ERR_UNSUPPORTED,
                  "%s: the tensor is a view of one outside of the function being traced",
                  fn);
            return false;
        }
        if (t->base)
            view_make_again(c, t->base);
        t->val = v;
        t->trace = tr->id;
        t->stamp = top->stamp + 1;
        if (t->base)
            v = put_back(c, fn, tr->b, (OpCode)t->view_op,
                         hint_attr(c, tr, (OpCode)t->view_op, t->view_attr), t->base->val,
                         v);
        if (failed(c))
            return false;
    }
    top->stamp = x->stamp;
    return true;
}
