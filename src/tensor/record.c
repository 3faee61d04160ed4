/* record.c -- histories: which op made a tensor of what, with the values its derivative reads.
 *
 * A recorded tensor owns a reference to the node of the op that made it; the node owns references to
 * the nodes of its operands and to the saved values. So a history lives exactly as long as some
 * tensor needs it. Nodes are freed one after the other, not recursively: chains are long.
 *
 * Who follows a tensor is a set of bits, `need`: bit 0 for requires-grad, one bit for each open tape
 * or function being differentiated. An op is recorded if an operand has a bit that is open.
 */
#include "tensor/tensor.h"

/* ---- life of nodes ---- */

static RecordNode *node_new(wf_ctx *c, uint32_t nin, uint32_t nout)
{
    Tensors *s = c->tensors;
    size_t need =
        sizeof(RecordNode) + nin * sizeof(Edge) + nout * (sizeof(Tensor *) + sizeof(uint32_t));
    uint8_t cls = 0;
    RecordNode *n;

    while (cls < COUNT(s->free_nodes) && (size_t)256 << cls < need)
        cls++;
    if (cls < COUNT(s->free_nodes) && (n = s->free_nodes[cls]) != NULL) {
        s->free_nodes[cls] = n->next;
    } else {
        size_t bytes = cls < COUNT(s->free_nodes) ? (size_t)256 << cls : need;
        n = mem_alloc(&c->al, bytes);
        if (!n) {
            fail_memory(c);
            return NULL;
        }
        n->bytes = bytes;
    }
    need = n->bytes;
    memset(n, 0, sizeof *n + nin * sizeof(Edge));
    n->bytes = need;
    n->serial = ++s->serial;
    n->cls = cls;
    n->refs = 1;
    n->nin = nin;
    n->nout = nout;
    n->out_saved = (Tensor **)(n->in + nin);
    n->out_version = (uint32_t *)(n->out_saved + nout);
    for (uint32_t j = 0; j < nout; j++)
        n->out_saved[j] = NULL;
    return n;
}

static void bury(wf_ctx *c, RecordNode *n)
{
    Tensors *s = c->tensors;

    for (uint32_t i = 0; i < n->nin; i++) {
        tensor_release(c, n->in[i].saved);
        if (n->in[i].node)
            node_release(c, n->in[i].node);
    }
    for (uint32_t j = 0; j < n->nout; j++)
        tensor_release(c, n->out_saved[j]);
    packed_drop(c, n);
    if (n->prim)
        prim_release(c, n->prim);
    if (n->host)
        n->host->release(c, n->host);
    if (n->cls < COUNT(s->free_nodes)) {
        n->next = s->free_nodes[n->cls];
        s->free_nodes[n->cls] = n;
    } else {
        mem_free(&c->al, n, n->bytes);
    }
}

void node_release(wf_ctx *c, RecordNode *n)
{
    Tensors *s = c->tensors;

    if (--n->refs)
        return;
    n->next = s->dead;
    s->dead = n;
    if (s->burying)
        return;
    s->burying = true;
    while ((n = s->dead) != NULL) {
        s->dead = n->next;
        bury(c, n);
    }
    s->burying = false;
}

void node_free_saved(wf_ctx *c, RecordNode *n)
{
    packed_drop(c, n);
    for (uint32_t i = 0; i < n->nin; i++) {
        Tensor *t = n->in[i].saved;
        n->in[i].saved = NULL;
        n->freed |= t != NULL;
        tensor_release(c, t);
    }
    for (uint32_t j = 0; j < n->nout; j++) {
        Tensor *t = n->out_saved[j];
        n->out_saved[j] = NULL;
        n->freed |= t != NULL;
        tensor_release(c, t);
    }
}

/* ---- what a derivative reads ---- */

static void note_reads(const Builder *b, const Val *in, const Val *out, const Prim *p,
                       const Val *dy, bool *row)
{
    for (uint32_t k = 0; k < p->nin + p->nout; k++) {
        Val v = k < p->nin ? in[k] : out[k - p->nin];
        for (uint32_t a = 0; a < b->args.n && !row[k]; a++)
            row[k] = b->args.v[a] == v;
        for (uint32_t j = 0; j < p->nout && !row[k]; j++)
            row[k] = dy[j] == v;
    }
}

/* Ask the derivative rule, with a tangent for operand i alone, what it reads. */
static void try_rule(wf_ctx *c, const Prim *p, uint32_t i, bool *row)
{
    Builder *b = builder_new(c, "saves", B_OPTIMISE);
    Val *in = arena_zalloc(&b->arena, (2u * p->nin + 3u * p->nout + 1) * sizeof *in);
    Val *out = in + p->nin, *dx = out + p->nout, *dy = dx + p->nin;
    Type *types = arena_array(&b->arena, p->nin + p->nout + 1, sizeof *types);
    EqnView view = {.op = (uint16_t)p->op,
                    .nout = (uint16_t)p->nout,
                    .nin = p->nin,
                    .row = op_row(p->op),
                    .in = in,
                    .out = out,
                    .in_type = types,
                    .out_type = types + p->nin,
                    .attr = p->attr};

    for (uint32_t k = 0; k < p->nin + p->nout; k++) {
        const PType *t = k < p->nin ? &p->in[k] : &p->out[k - p->nin];
        types[k] = b_make_type(b, (wf_dtype)t->dtype, t->dims, t->rank);
        in[k] = b_input(b, NULL, types[k]);
    }
    dx[i] = b_input(b, NULL, types[i]);
    op_rules(view.op)->jvp(b, &view, dx, dy);
    if (!failed(c))
        note_reads(b, in, out, p, dy, row);
}

static bool learn_saves(wf_ctx *c, Prim *p)
{
    uint32_t w = p->nin + p->nout;
    bool *m;

    T_ENTER(c, false)
    m = arena_zalloc(&p->arena, (size_t)p->nin * w + 1);
    if (!op_rules(p->op)->jvp)
        fail(c, WF_ERR_NORULE, c->tensors->place, "%s has no derivative rule",
             op_name(p->op));
    for (uint32_t i = 0; i < p->nin && !failed(c); i++) {
        if (op_has(p->op, OPF_CONTROL) || p->nin > 8)
            memset(m + (size_t)i * w, true, p->nin); /* recomputed from the operands */
        else if (dtype_is_differentiable((wf_dtype)p->in[i].dtype))
            try_rule(c, p, i, m + (size_t)i * w);
        if (p->nin > 8 && op_has(p->op, OPF_LINEAR))
            memset(m + (size_t)i * w, false, p->nin);
    }
    if (!failed(c))
        p->saves = m;
    T_LEAVE(c);
    return !failed(c);
}

/* ---- which results of a call follow which operands ---- */

static bool learn_reaches(wf_ctx *c, Prim *p)
{
    T_ENTER(c, false)
    p->reaches = arena_zalloc(&p->arena, (size_t)p->nin * p->nout + 1);
    reach_program(&c->scratch, p->program, p->reaches);
    T_LEAVE(c);
    return !failed(c);
}

/* May result j have a derivative by operand i? */
static bool reaches(const Prim *p, uint32_t i, uint32_t j)
{
    return !p->reaches || p->reaches[(size_t)i * p->nout + j];
}

static bool reaches_any(const Prim *p, uint32_t i)
{
    for (uint32_t j = 0; j < p->nout; j++)
        if (reaches(p, i, j))
            return true;
    return false;
}

/* Who follows result j of the node. */
static uint64_t need_of(const Prim *p, Tensor *const *in, const RecordNode *n, uint32_t j)
{
    uint64_t need = 0;

    for (uint32_t i = 0; i < p->nin; i++)
        if (n->in[i].node && reaches(p, i, j))
            need |= in[i]->need & n->need;
    return need;
}

/* ---- recording ---- */

bool tensor_is_followed(const wf_ctx *c, const Tensor *t)
{
    return t->need & c->tensors->recorders && t->node &&
           dtype_is_differentiable((wf_dtype)t->dtype);
}

static bool save_operand(wf_ctx *c, RecordNode *n, uint32_t i, Tensor *t)
{
    if (n->in[i].saved)
        return true;
    if (t->store && t->store->inference) {
        tensor_fail(c, WF_ERR_VALUE,
              "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in computation tracked by "
              "autograd. To work around this, you can make a clone to get a normal tensor and use it in autograd, or use `torch.no_grad()` "
              "instead of `torch.inference_mode()`.");
        return false;
    }
    /* without history, so that a later write into the operand makes no cycle */
    n->in[i].saved = t->wants_grad ? tensor_retain(t) : tensor_alias(c, t);
    n->in[i].version = t->store->version;
    return n->in[i].saved != NULL;
}

static bool save_result(wf_ctx *c, RecordNode *n, uint32_t j, Tensor *t)
{
    if (n->out_saved[j])
        return true;
    n->out_saved[j] = tensor_alias(c, t); /* without history: no cycle */
    n->out_version[j] = t->store->version;
    return n->out_saved[j] != NULL;
}

static bool save_values(wf_ctx *c, RecordNode *n, const Prim *p, Tensor *const *in,
                        Tensor **out)
{
    uint32_t w = p->nin + p->nout;

    for (uint32_t i = 0; i < p->nin; i++) {
        const bool *row = p->saves + (size_t)i * w;
        if (!n->in[i].node)
            continue;
        for (uint32_t k = 0; k < p->nin; k++)
            if (row[k] && !save_operand(c, n, k, in[k]))
                return false;
        for (uint32_t j = 0; j < p->nout; j++)
            if (row[p->nin + j] && !save_result(c, n, j, out[j]))
                return false;
    }
    return true;
}

/* Of a call: what its derivative takes, and the operands, for when that is not enough. */
static bool save_call(wf_ctx *c, RecordNode *n, const CallForm *f, Tensor *const *in,
                      Tensor **out)
{
    for (uint32_t i = 0; i < n->nin; i++)
        if (!save_operand(c, n, i, in[i]))
            return false;
    for (uint32_t k = 0; k < f->ntaken; k++)
        if (f->taken[k] >= n->nin &&
            !save_result(c, n, f->taken[k] - n->nin, out[f->taken[k] - n->nin]))
            return false;
    return true;
}

bool record_op(wf_ctx *c, Prim *p, CallForm *form, Tensor *const *in, Tensor **out)
{
    Tensors *s = c->tensors;
    uint64_t need = 0;
    RecordNode *n;

    if (!form && !p->saves && !learn_saves(c, p))
        return false;
    if (p->op == OP_call && !p->reaches && !learn_reaches(c, p))
        return false;
    n = node_new(c, p->nin, form ? form->nout : p->nout);
    if (!n)
        return false;
    n->prim = p;
    n->form = form;
    p->refs++;
    n->place = s->place;
    for (uint32_t i = 0; i < p->nin; i++) {
        if (!tensor_is_followed(c, in[i]) || !reaches_any(p, i))
            continue;
        need |= in[i]->need & s->recorders;
        n->in[i].node = in[i]->node;
        n->in[i].out = in[i]->out;
        in[i]->node->refs++;
    }
    n->need = need;
    if (!(form ? save_call(c, n, form, in, out) : save_values(c, n, p, in, out)) ||
        (UNLIKELY(s->packer != NULL) && s->recorders & need & 1 && !packed_take(c, n, in))) {
        node_release(c, n);
        return false;
    }
    for (uint32_t j = 0; j < p->nout; j++) {
        uint64_t followed = dtype_is_differentiable((wf_dtype)out[j]->dtype)
                                ? need_of(p, in, n, j)
                                : 0;

        if (!followed)
            continue;
        out[j]->need = followed;
        out[j]->node = n;
        out[j]->out = j;
        n->refs++;
    }
    node_release(c, n);
    return true;
}

bool record_leaf(wf_ctx *c, Tensor *t)
{
    RecordNode *n;

    if (t->node)
        return true;
    n = node_new(c, 0, 1);
    if (!n)
        return false;
    n->leaf = t;
    n->place = c->tensors->place;
    t->node = n;
    t->out = 0;
    tensor_release(c, t->root); /* a leaf has no history but its own */
    t->root = NULL;
    return true;
}

/* ---- what users call ---- */

wf_status wf_requires_grad(wf_ctx *c, wf_tensor h, bool on)
{
    IN_CALL(c);
    Tensor *t = tensor_get(c, h, "wf_requires_grad");

    if (!t)
        return ctx_status(c);
    if (t->symbolic)
        tensor_fail(c, WF_ERR_VALUE,
              "wf_requires_grad: needs a concrete tensor, got a symbolic %s",
              shape_text(c, t));
    else if (on && !dtype_is_differentiable((wf_dtype)t->dtype))
        tensor_fail(c, WF_ERR_TYPE, "wf_requires_grad: needs a float dtype, got %s",
              shape_text(c, t));
    else if (t->node && t->node->prim && !on)
        tensor_fail(
            c, WF_ERR_VALUE,
            "wf_requires_grad: only a leaf can stop requiring a gradient; use wf_detach");
    else if (on && !(t->node && t->node->prim) && record_leaf(c, t)) {
        t->need |= 1;
        t->wants_grad = true;
    } else if (!on) {
        t->need &= ~(uint64_t)1;
        t->wants_grad = false;
    }
    return ctx_status(c);
}

bool wf_has_grad_history(wf_ctx *c, wf_tensor h)
{
    Tensor *t = tensor_with_history(c, h, "wf_has_grad_history");
    return t && t->need & 1;
}

bool wf_is_leaf(wf_ctx *c, wf_tensor h)
{
    Tensor *t = tensor_with_history(c, h, "wf_is_leaf");
    return t && !(t->node && (t->node->prim || t->node->host) && t->need & 1);
}

/* The equation of p that gives v; NULL: an input. */
static const Eqn *making_eqn(const Program *p, Val v)
{
    for (uint32_t e = 0; e < p->neqns; e++)
        if (v >= p->eqns[e].out && v < p->eqns[e].out + p->eqns[e].nout)
            return &p->eqns[e];
    return NULL;
}

/* The op that made a result; of a call, the one in its body, a product and its bias as one. */
static const char *making_op(const Prim *prim, uint32_t out)
{
    const Program *p = prim->program;
    const Eqn *q =
        prim->op == OP_call && out < p->nout ? making_eqn(p, p->outs[out]) : NULL;
    const Eqn *x = q && q->op == OP_add ? making_eqn(p, eqn_in(p, q)[0]) : NULL;

    if (x && x->op == OP_dot_general)
        return "linear";
    return op_name((OpCode)(q ? q->op : prim->op));
}

const char *wf_history_op(wf_ctx *c, wf_tensor h)
{
    Tensor *t = tensor_with_history(c, h, "wf_history_op");
    return t && t->node && t->node->prim ? making_op(t->node->prim, t->out) : "";
}

wf_tensor wf_detach(wf_ctx *c, wf_tensor h)
{
    IN_CALL(c);
    Tensor *t = tensor_get(c, h, "wf_detach");

    if (t && t->symbolic)
        return op_1(c, OP_stop_gradient, h, NULL);
    return t ? tensor_handle(c, tensor_alias(c, t)) : WF_NONE;
}

void wf_no_grad_begin(wf_ctx *c)
{
    IN_CALL(c);
    if (ts(c))
        c->tensors->no_grad++;
}

void wf_no_grad_end(wf_ctx *c)
{
    IN_CALL(c);
    if (c && c->tensors && c->tensors->no_grad > 0)
        c->tensors->no_grad--;
    else
        tensor_fail(c, WF_ERR_ARG, "wf_no_grad_end: wf_no_grad_begin was not called");
}

wf_tensor wf_grad_of(wf_ctx *c, wf_tensor h)
{
    IN_CALL(c);
    Tensor *t = tensor_get(c, h, "wf_grad_of");
    return t && t->grad ? tensor_handle(c, tensor_retain(t->grad)) : WF_NONE;
}

wf_status wf_set_grad(wf_ctx *c, wf_tensor h, wf_tensor grad)
{
    IN_CALL(c);
    Tensor *t = tensor_get(c, h, "wf_set_grad"), *g = NULL, *old;

    if (!t || (!wf_is_none(grad) && !(g = tensor_get(c, grad, "wf_set_grad"))))
        return ctx_status(c);
    if (g && (g->dtype != t->dtype || g->rank != t->rank ||
              (t->rank && memcmp(g->dims, t->dims, t->rank * sizeof *t->dims)))) {
        tensor_fail(c, WF_ERR_SHAPE,
              "wf_set_grad: the gradient of %s must have that type, got %s",
              shape_text(c, t), shape_text(c, g));
        return ctx_status(c);
    }
    old = t->grad;
    t->grad = g ? tensor_retain(g) : NULL;
    tensor_release(c, old);
    return ctx_status(c);
}

/* ---- tapes ---- */

int wf_tape_begin(wf_ctx *c)
{
    IN_CALL(c);
    Tensors *s = ts(c);

    if (!s || failed(c))
        return -1;
    for (int k = 1; k < 64; k++)
        if (!(s->recorders >> k & 1)) {
            s->recorders |= (uint64_t)1 << k;
            return k;
        }
    tensor_fail(c, WF_ERR_LIMIT, "wf_tape_begin: 63 tapes are open");
    return -1;
}

static bool is_open(wf_ctx *c, int tape, const char *fn)
{
    if (!failed(c) && tape > 0 && tape < 64 && c->tensors &&
        c->tensors->recorders >> tape & 1)
        return true;
    if (!failed(c))
        tensor_fail(c, WF_ERR_ARG, "%s: tape %d is not open", fn, tape);
    return false;
}

wf_status wf_tape_watch(wf_ctx *c, int tape, wf_tensor h)
{
    IN_CALL(c);
    Tensor *t = tensor_get(c, h, "wf_tape_watch");

    if (!t || !is_open(c, tape, "wf_tape_watch"))
        return ctx_status(c);
    if (t->symbolic || !dtype_is_differentiable((wf_dtype)t->dtype))
        tensor_fail(c, WF_ERR_TYPE,
              "wf_tape_watch: needs a concrete tensor of a float dtype, got %s",
              shape_text(c, t));
    else if (record_leaf(c, t))
        t->need |= (uint64_t)1 << tape;
    return ctx_status(c);
}

void wf_tape_end(wf_ctx *c, int tape)
{
    IN_CALL(c);
    if (c && !ctx_elsewhere(c) && c->tensors && tape > 0 && tape < 64)
        c->tensors->recorders &= ~((uint64_t)1 << tape);
}
