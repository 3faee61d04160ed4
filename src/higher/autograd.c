/* autograd.c -- gradients through recorded histories, as users ask for them. */
#include "higher/higher.h"

/* The gradient that starts a backward pass: given, or 1 for a single number. */
static wf_tensor seed_for(wf_ctx *c, wf_tensor y, wf_tensor gy, const char *fn)
{
    Tensor *t = tensor_with_history(c, y, fn), *g;

    if (!t)
        return WF_NONE;
    if (wf_is_none(gy)) {
        if (t->symbolic || t->count != 1)
            return tensor_fail(
                c, WF_ERR_SHAPE,
                "%s: the gradient of %s must be given: it is not a single number", fn,
                shape_text(c, t));
        return wf_ones_like(c, y);
    }
    if (!(g = tensor_get(c, gy, fn)))
        return WF_NONE;
    if (g->dtype != t->dtype || g->rank != t->rank ||
        (t->rank && memcmp(g->dims, t->dims, t->rank * sizeof *t->dims)))
        return tensor_fail(c, WF_ERR_SHAPE,
                     "%s: the gradient of %s must have that type, got %s", fn,
                     shape_text(c, t), shape_text(c, g));
    return gy;
}

wf_status wf_gradients(wf_ctx *c, const wf_tensor *y, const wf_tensor *gy, int ny,
                       const wf_tensor *x, int nx, unsigned flags, wf_tensor *out)
{
    wf_tensor *seeds;

    for (int i = 0; x && out && i < nx; i++)
        out[i] = WF_NONE;
    if (!NEEDS(c, has_n(y, ny) && has_n(x, nx) && has_n(out, nx)) || !ts(c))
        return ctx_status(c);
    seeds = mem_alloc(&c->al, ((size_t)ny + 1) * sizeof *seeds);
    if (!seeds) {
        fail_memory(c);
        return ctx_status(c);
    }
    scope_open(c);
    for (int j = 0; j < ny; j++)
        seeds[j] = seed_for(c, y[j], gy ? gy[j] : WF_NONE, "wf_gradients");
    history_vjp(c, y, seeds, (uint32_t)ny, x, (uint32_t)nx, flags, out);
    for (int i = 0; i < nx && !failed(c); i++)
        if (wf_is_none(out[i]) && !(flags & GRAD_UNUSED_OK))
            tensor_fail(c, WF_ERR_VALUE,
                  "wf_gradients: the results do not depend on input %d through recorded "
                  "operations "
                  "(WF_GRAD_UNUSED_OK allows it)",
                  i);
    scope_close_n(c, out, nx);
    mem_free(&c->al, seeds, ((size_t)ny + 1) * sizeof *seeds);
    return ctx_status(c);
}

/* ---- backward: to all leaves ---- */

typedef struct Leaves {
    wf_tensor *v;
    uint32_t n, cap;
} Leaves;

static bool add_leaf(wf_ctx *c, Leaves *l, Tensor *t)
{
    if (l->n == l->cap) {
        uint32_t cap = l->cap ? l->cap * 2 : 32;
        wf_tensor *v = mem_alloc(
            &c->al, 2 * cap * sizeof *v); /* the second half is for the gradients */
        if (!v)
            return fail_memory(c);
        if (l->n)
            memcpy(v, l->v, l->n * sizeof *v);
        mem_free(&c->al, l->v, 2 * l->cap * sizeof *v);
        l->v = v;
        l->cap = cap;
    }
    l->v[l->n] = tensor_handle(c, tensor_retain(t));
    return !wf_is_none(l->v[l->n++]);
}

/* Walks with the nodes' own links for a stack, so that it needs no memory. */
static bool find_leaves(wf_ctx *c, RecordNode *root, Leaves *l)
{
    Tensors *s = c->tensors;
    RecordNode *stack = root;

    s->epoch += 2;
    root->epoch = s->epoch;
    root->next = NULL;
    while (stack) {
        RecordNode *n = stack;
        stack = n->next;
        if (n->leaf && n->leaf->wants_grad && !add_leaf(c, l, n->leaf))
            return false;
        for (uint32_t i = 0; i < n->nin; i++) {
            RecordNode *m = n->in[i].node;
            if (!m || m->epoch == s->epoch)
                continue;
            m->epoch = s->epoch;
            m->next = stack;
            stack = m;
        }
    }
    return true;
}

/* Does g go into the memory of the gradient that is there? Not where a derivative of the sum may be asked for, or where it is no
 * numbers yet. */
static bool adds_in(wf_ctx *c, const Tensor *sum, wf_tensor g, unsigned flags)
{
    const Tensor *t = tensor_get(c, g, "wf_backward");

    return t && !t->symbolic && !t->layout && !sum->symbolic && !sum->layout && !sum->locked && !(flags & GRAD_CREATE) &&
           !(c->tensors->recorders & ~(uint64_t)1);
}

/* A gradient is added to the one that is there, in its memory: who holds it, or memory that it is a part of, sees the sum. */
bool grad_accumulate(wf_ctx *c, wf_tensor leaf, wf_tensor g, unsigned flags)
{
    Tensor *t = tensor_get(c, leaf, "wf_backward");
    uint64_t open = c->tensors->recorders;

    if (!t)
        return false;
    if (!(flags & GRAD_CREATE))
        c->tensors->recorders &= ~(uint64_t)1;
    if (tensor_device(t) != tensor_device(tensor_get(c, g, "wf_backward")))
        g = wf_to_device(c, g, wf_device_of(c, leaf)); /* it came back over a copy */
    if (t->grad && adds_in(c, t->grad, g, flags)) {
        c->tensors->no_grad++;
        wf_add_in(c, tensor_handle(c, tensor_retain(t->grad)), g);
        c->tensors->no_grad--;
    } else {
        if (t->grad)
            g = wf_add(c, tensor_handle(c, tensor_retain(t->grad)), g);
        wf_set_grad(c, leaf, g);
    }
    c->tensors->recorders = open;
    return !failed(c);
}

wf_status wf_backward(wf_ctx *c, wf_tensor y, wf_tensor gy, unsigned flags)
{
    IN_CALL(c);
    Tensor *t = tensor_with_history(c, y, "wf_backward");
    Leaves l = {0};
    wf_tensor seed;

    if (!t)
        return ctx_status(c);
    if (flags & GRAD_ALL) {
        tensor_fail(c, WF_ERR_ARG, "wf_backward: WF_GRAD_ALL is of wf_gradients, which says in which order");
        return ctx_status(c);
    }
    if (!t->node || !(t->need & 1)) {
        tensor_fail(
            c, WF_ERR_VALUE,
            "wf_backward: %s has no history: nothing it was made of requires a gradient",
            shape_text(c, t));
        return ctx_status(c);
    }
    scope_open(c);
    seed = seed_for(c, y, gy, "wf_backward");
    if (!failed(c) && find_leaves(c, t->node, &l) && l.n) {
        wf_tensor *g = l.v + l.cap;
        if (history_vjp(c, &y, &seed, 1, l.v, l.n, flags, g))
            for (uint32_t i = 0; i < l.n; i++)
                if (!wf_is_none(g[i]))
                    grad_accumulate(c, l.v[i], g[i], flags);
    }
    mem_free(&c->al, l.v, 2 * l.cap * sizeof *l.v);
    scope_close_n(c, NULL, 0);
    return ctx_status(c);
}

int64_t wf_history_hits(wf_ctx *c)
{
    return c && !ctx_elsewhere(c) && c->tensors ? (int64_t)c->tensors->back_hits : 0;
}
