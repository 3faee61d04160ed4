/* packed.c -- values saved for derivatives that a front keeps in a form of its own.
 *
 * While a packer is in force, what an op saves goes to it when the op is recorded, and the node holds what the packer gave
 * for it (a Host). Who derives has them all made tensors again first, and lets go of those afterwards: a history that is
 * derived twice unpacks twice.
 */
#include "tensor/tensor.h"

typedef struct PackedValue {
    uint32_t at; /* which of the node's operands, or nin + which of its results */
    Host *host;
} PackedValue;

struct Packed {
    const Packer *by;
    uint32_t n, cap;
    PackedValue v[];
};

static Tensor **place_of(RecordNode *n, uint32_t at)
{
    return at < n->nin ? &n->in[at].saved : &n->out_saved[at - n->nin];
}

static bool pack_one(wf_ctx *c, RecordNode *n, uint32_t at, Tensor *const *in)
{
    Tensor *given = at < n->nin ? in[at] : NULL;
    Tensor **place = place_of(n, at), *saved = *place;
    Packer *by = c->tensors->packer;
    Host *h;

    if (!saved)
        return true;
    c->tensors->packer = NULL; /* what it computes is no part of the history */
    c->tensors->no_grad++;
    h = by->pack(c, by, given ? given : saved);
    c->tensors->no_grad--;
    c->tensors->packer = by;
    if (!h)
        return false;
    n->packed->v[n->packed->n++] = (PackedValue){at, h};
    *place = NULL;
    tensor_release(c, saved);
    return true;
}

bool packed_take(wf_ctx *c, RecordNode *n, Tensor *const *in)
{
    uint32_t all = n->nin + n->nout;
    size_t size = sizeof(struct Packed) + all * sizeof(PackedValue);
    bool ok = true;

    if (!(n->packed = mem_alloc(&c->al, size)))
        return fail_memory(c);
    *n->packed = (struct Packed){.by = c->tensors->packer, .cap = all};
    c->tensors->npacked++;
    /* in the order of the derivatives that read them: of a product the second operand comes first */
    for (uint32_t i = 0; i < n->nin && n->prim->saves && !n->form; i++)
        for (uint32_t k = 0; k < all && ok && n->in[i].node; k++)
            ok = !n->prim->saves[(size_t)i * all + k] || pack_one(c, n, k, in);
    for (uint32_t k = 0; k < all && ok; k++)
        ok = pack_one(c, n, k, in);
    return ok;
}

void packed_drop(wf_ctx *c, RecordNode *n)
{
    struct Packed *p = n->packed;

    if (!p)
        return;
    n->packed = NULL;
    c->tensors->npacked--;
    for (uint32_t k = 0; k < p->n; k++)
        p->v[k].host->release(c, p->v[k].host);
    mem_free(&c->al, p, sizeof *p + p->cap * sizeof *p->v);
}

static bool unpack_node(wf_ctx *c, RecordNode *n)
{
    struct Packed *p = n->packed;

    for (uint32_t k = 0; k < p->n; k++) {
        uint32_t at = p->v[k].at;
        const PType *type = at < n->nin || at - n->nin < n->prim->nout
                                ? (at < n->nin ? &n->prim->in[at] : &n->prim->out[at - n->nin])
                                : &n->form->out[at - n->nin];
        Tensor *t;

        if (*place_of(n, at))
            continue;
        c->tensors->no_grad++;
        t = p->by->unpack(c, p->v[k].host);
        c->tensors->no_grad--;
        if (!t)
            return false;
        *place_of(n, at) = t;
        *(at < n->nin ? &n->in[at].version : &n->out_version[at - n->nin]) = t->store->version;
        if (t->dtype != type->dtype || t->rank != type->rank ||
            (t->rank && memcmp(t->dims, type->dims, t->rank * sizeof *t->dims)))
            return fail(c, WF_ERR_VALUE, n->place, "a saved value of another type came back: %s", shape_text(c, t));
    }
    return true;
}

/* The nodes' own links are the stack; those with packed values are held in a list. */
bool packed_restore(wf_ctx *c, Tensor *const *y, uint32_t ny, PackedNodes *out)
{
    Tensors *s = c->tensors;
    RecordNode *stack = NULL;
    bool ok = true;

    *out = (PackedNodes){0};
    if (!s->npacked)
        return true;
    if (!(out->v = mem_alloc(&c->al, (size_t)s->npacked * sizeof *out->v)))
        return fail_memory(c);
    out->cap = s->npacked;
    s->epoch += 2;
    for (uint32_t j = 0; j < ny; j++)
        if (y[j]->node && y[j]->node->epoch != s->epoch) {
            y[j]->node->epoch = s->epoch;
            y[j]->node->next = stack;
            stack = y[j]->node;
        }
    while (stack) {
        RecordNode *n = stack;

        stack = n->next;
        if (n->packed && out->n < out->cap) {
            n->refs++;
            out->v[out->n++] = n;
        }
        for (uint32_t i = n->nin; i-- > 0;) {
            RecordNode *m = n->in[i].node;

            if (!m || m->epoch == s->epoch)
                continue;
            m->epoch = s->epoch;
            m->next = stack;
            stack = m;
        }
    }
    for (uint32_t k = 0; k < out->n && ok; k++)
        ok = unpack_node(c, out->v[k]);
    return ok;
}

void packed_forget(wf_ctx *c, PackedNodes *nodes)
{
    for (uint32_t k = 0; k < nodes->n; k++) {
        RecordNode *n = nodes->v[k];

        for (uint32_t i = 0; n->packed && i < n->packed->n; i++) {
            Tensor **place = place_of(n, n->packed->v[i].at), *t = *place;

            *place = NULL;
            tensor_release(c, t);
        }
        node_release(c, n);
    }
    mem_free(&c->al, nodes->v, nodes->cap * sizeof *nodes->v);
    *nodes = (PackedNodes){0};
}

Tensor *saved_value(wf_ctx *c, RecordNode *n, uint32_t at)
{
    Tensor **place = at < n->nin + n->nout ? place_of(n, at) : NULL, *t;

    if (place && *place)
        return tensor_retain(*place);
    for (uint32_t k = 0; place && n->packed && k < n->packed->n; k++)
        if (n->packed->v[k].at == at) {
            c->tensors->no_grad++;
            t = n->packed->by->unpack(c, n->packed->v[k].host);
            c->tensors->no_grad--;
            return t;
        }
    return NULL;
}
