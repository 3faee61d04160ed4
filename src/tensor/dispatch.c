/* dispatch.c -- the one place where an op runs now, is recorded, or enters a program.
 *
 *   any operand symbolic   an equation of the innermost trace                       trace.c
 *   all concrete           small elementwise ops at once (fast.c), ops that only rearrange as strided
 *                          views, all others by a plan, kept by op, attribute and operand types
 *   an operand recorded    as concrete, and the results get a history               record.c
 */
#include "compile/compile.h"
#include "runtime/array.h"
#include "tensor/tensor.h"

/* ---- prims: plans by op, attribute and types ---- */

static uint64_t prim_hash(OpCode op, Tensor *const *in, uint32_t nin, const void *attr)
{
    uint64_t h = hash_mix(op, nin);

    if (op == OP_call)
        h = hash_mix(h, ((const CallAttr *)attr)->body.p->hash.lo);
    else if (attr && op != OP_nonzero)
        h = hash_mix(h, attr_hash(op_row(op), attr));
    for (uint32_t i = 0; i < nin; i++) {
        h = hash_mix(h, (uint64_t)in[i]->dtype << 8 | in[i]->rank);
        for (uint32_t k = 0; k < in[i]->rank; k++)
            h = hash_mix(h, (uint64_t)in[i]->dims[k]);
    }
    return h;
}

static bool same_text(const char *x, const char *y)
{
    return x == y || (x && y && !strcmp(x, y));
}

/* Equal, and what fails is said to be at the same place. */
static bool same_program(const Program *x, const Program *y)
{
    if (x == y)
        return true;
    if (!program_equal(x, y) || x->nplaces != y->nplaces || x->nsubs != y->nsubs)
        return false;
    for (uint32_t i = 1; i < x->nplaces; i++) {
        const Place *a = &x->places[i], *b = &y->places[i];

        if (a->line != b->line || a->col != b->col || !same_text(a->file, b->file) ||
            !same_text(a->via, b->via))
            return false;
    }
    for (uint32_t i = 0; i < x->nsubs; i++)
        if (!same_program(x->subs[i], y->subs[i]))
            return false;
    return true;
}

static bool prim_is(const Prim *p, OpCode op, Tensor *const *in, uint32_t nin,
                    const void *attr)
{
    if (p->op != op || p->nin != nin)
        return false;
    for (uint32_t i = 0; i < nin; i++) {
        const PType *t = &p->in[i];
        if (t->dtype != in[i]->dtype || t->rank != in[i]->rank)
            return false;
        for (uint32_t k = 0; k < t->rank; k++)
            if (t->dims[k] != in[i]->dims[k])
                return false;
    }
    if (op == OP_call)
        return same_program(p->program, ((const CallAttr *)attr)->body.p);
    return !attr || attr_equal(op_row(op), p->attr, attr);
}

static void free_prim(wf_ctx *c, Prim *p)
{
    execs_release(&p->exec);
    wf_exec_release(p->giving);
    wf_exec_release(p->spread);
    call_forms_free(p->forms);
    if (p->parted)
        c->tensors->parted->forms_free(p->parted);
    program_release(p->program);
    arena_free(&p->arena);
    mem_free(&c->al, p, sizeof *p);
}

void prim_release(wf_ctx *c, Prim *p)
{
    if (--p->refs == 0)
        free_prim(c, p);
}

static void release_deferred(void *obj)
{
    Prim *p = obj;

    prim_release(p->cx, p);
}

PType prim_type(Prim *p, Type t)
{
    return (PType){t.dtype, t.rank,
                   arena_dup(&p->arena, t.dims, t.rank * sizeof *t.dims)};
}

bool defines_sizes(const Program *p)
{
    for (uint32_t i = 0; i < p->dims.syms.n; i++)
        if (p->dims.syms.v[i].origin == SYM_EQN)
            return true;
    return false;
}

/* Infer the results by building a program of the one equation. */
static bool prim_build(wf_ctx *c, Prim *p, Tensor *const *in, const void *attr)
{
    Builder *b = builder_new(c, op_name(p->op), B_VERBATIM);
    Val *vals = arena_array(&b->arena, p->nin + 1, sizeof *vals), *outs;
    const Program *q;

    p->in = arena_array(&p->arena, p->nin + 1, sizeof *p->in);
    b_at(b, c->tensors->place);
    for (uint32_t i = 0; i < p->nin; i++) {
        Type t = b_make_type(b, (wf_dtype)in[i]->dtype, in[i]->dims, in[i]->rank);
        if (failed(c))
            return false;
        p->in[i] = prim_type(p, t);
        vals[i] = b_input(b, NULL, t);
    }
    if (p->op == OP_nonzero) /* the symbol it defines is of this program */
        attr = memcpy(arena_alloc(&b->arena, sizeof(SymAttr)),
                      &(SymAttr){b_symbol(b, "K")}, sizeof(SymAttr));
    if (p->op == OP_call && defines_sizes(((const CallAttr *)attr)->body.p)) {
        const Sub *body =
            &((const CallAttr *)attr)->body; /* results have sizes no call could name */
        outs = arena_array(&b->arena, body->p->nout + 1, sizeof *outs);
        p->nout = body->p->nout;
        b_inline_sub(b, body, vals, outs, NULL);
    } else {
        outs = b_eqn_n(b, p->op, vals, p->nin, attr, &p->nout);
    }
    if (failed(c))
        return false;
    p->out = arena_array(&p->arena, p->nout + 1, sizeof *p->out);
    for (uint32_t j = 0; j < p->nout; j++)
        p->out[j] = prim_type(p, b_type(b, outs[j]));
    if (p->op == OP_call)
        q = ((const CallAttr *)attr)->body.p;
    else
        q = builder_finish(b, outs, p->nout);
    if (!q)
        return false;
    p->program = program_retain(q);
    p->attr = p->op == OP_call ? arena_dup(&p->arena, attr, sizeof(CallAttr))
              : q->neqns       ? q->eqns[0].attr
                               : NULL;
    return true;
}

static bool grow_table(wf_ctx *c)
{
    Tensors *s = c->tensors;
    uint32_t cap = s->prim_cap ? s->prim_cap * 2 : 256;
    Prim **v = mem_alloc(&c->al, cap * sizeof *v);

    if (!v)
        return fail_memory(c);
    memset(v, 0, cap * sizeof *v);
    for (uint32_t i = 0; i < s->prim_cap; i++)
        for (Prim *p = s->prims[i], *next; p; p = next) {
            next = p->next;
            p->next = v[p->hash & (cap - 1)];
            v[p->hash & (cap - 1)] = p;
        }
    mem_free(&c->al, s->prims, s->prim_cap * sizeof *v);
    s->prims = v;
    s->prim_cap = cap;
    return true;
}

#define PRIMS_MAX                                                                        \
    16384 /* then all are forgotten: a loop over ever new shapes takes bounded memory */

static void forget_prims(wf_ctx *c)
{
    Tensors *s = c->tensors;

    for (uint32_t i = 0; i < s->prim_cap; i++)
        for (Prim *p; (p = s->prims[i]) != NULL;) {
            s->prims[i] = p->next;
            prim_release(c, p);
        }
    memset(s->last, 0, sizeof s->last);
    s->calls = NULL;
    s->nprims = 0;
}

/* ---- calls of programs: most are made, called and gone ---- */

#define CALLS_KEPT                                                                       \
    8 /* whose program nobody else has, for one that is made again and equal */

static void unlink_call(Tensors *s, Prim *p)
{
    *(p->newer ? &p->newer->older : &s->calls) = p->older;
    if (p->older)
        p->older->newer = p->newer;
}

static void link_call(Tensors *s, Prim *p)
{
    p->newer = NULL;
    p->older = s->calls;
    if (s->calls)
        s->calls->newer = p;
    s->calls = p;
}

static void forget_call(wf_ctx *c, Prim *p)
{
    Tensors *s = c->tensors;
    Prim **at = &s->prims[p->hash & (s->prim_cap - 1)];

    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    s->nprims--;
    unlink_call(s, p);
    if (s->last[OP_call] == p)
        s->last[OP_call] = NULL;
    prim_release(c, p);
}

/* Plans keep frames and the memory of results: those of programs that are gone are given up. */
static void forget_stale_calls(wf_ctx *c)
{
    int kept = 0;

    for (Prim *p = c->tensors->calls, *older; p; p = older) {
        older = p->older;
        if (p->refs > 1 ||
            atomic_load(&p->program->refs) > 1 + exec_holds(p->exec.here, p->program) +
                                                 exec_holds(p->exec.there, p->program) +
                                                 exec_holds(p->giving, p->program))
            continue;
        if (++kept > CALLS_KEPT)
            forget_call(c, p);
    }
}

void prims_free(wf_ctx *c)
{
    Tensors *s = c->tensors;

    forget_prims(c);
    mem_free(&c->al, s->prims, s->prim_cap * sizeof *s->prims);
}

static Prim *prim_make(wf_ctx *c, OpCode op, Tensor *const *in, uint32_t nin,
                       const void *attr, uint64_t h)
{
    Tensors *s = c->tensors;
    Prim *p;

    T_ENTER(c, NULL)
    p = mem_alloc(&c->al, sizeof *p);
    if (!p)
        ctx_out_of_memory(c);
    memset(p, 0, sizeof *p);
    *p = (Prim){.cx = c, .hash = h, .refs = 1, .op = op, .nin = nin};
    arena_init(&p->arena, &c->al, c);
    pool_defer(c, release_deferred, p);
    if (prim_build(c, p, in, attr)) {
        p->next = s->prims[h & (s->prim_cap - 1)];
        s->prims[h & (s->prim_cap - 1)] = p;
        s->nprims++;
        p->refs++;
        if (op == OP_call)
            link_call(s, p);
    } else {
        p = NULL;
    }
    T_LEAVE(c);
    return p;
}

Prim *prim_find(wf_ctx *c, OpCode op, Tensor *const *in, uint32_t nin, const void *attr)
{
    Tensors *s = c->tensors;
    Prim *p = s->last[op];
    uint64_t h;

    if (p && prim_is(p, op, in, nin, attr))
        return p;
    h = prim_hash(op, in, nin, attr);
    if (s->nprims >= PRIMS_MAX)
        forget_prims(c);
    if (s->nprims >= s->prim_cap && !grow_table(c))
        return NULL;
    for (p = s->prims[h & (s->prim_cap - 1)]; p; p = p->next)
        if (p->hash == h && prim_is(p, op, in, nin, attr)) {
            if (op == OP_call) {
                unlink_call(s, p);
                link_call(s, p);
            }
            return s->last[op] = p;
        }
    if (op == OP_call)
        forget_stale_calls(c);
    return s->last[op] = prim_make(c, op, in, nin, attr, h);
}

/* ---- running now ---- */

/* Results that share memory with an operand (a program may return its inputs) get memory of their own. */
static Tensor *own_result(wf_ctx *c, wf_array *a, Tensor *const *in, uint32_t nin)
{
    Tensor *t = tensor_from_array(c, a), *u;

    for (uint32_t i = 0; t && i < nin; i++) {
        const Storage *from = in[i]->store;
        if (!t->store->data || !from->data || !t->count || (char *)t->store->data < (char *)from->data ||
            (char *)t->store->data >= (char *)from->data + from->bytes)
            continue;
        u = tensor_new(c, (wf_dtype)t->dtype, t->dims, t->rank);
        if (u)
            tensor_read(t, tensor_data(u));
        tensor_release(c, t);
        return u;
    }
    return t;
}

/* The program where its operands are: on the device of the first that is not on the host. */
static wf_exec *exec_at(wf_ctx *c, Execs *e, const Program *p, bool general,
                        Tensor *const *in, uint32_t nin)
{
    wf_device *d = NULL;

    for (uint32_t i = 0; i < nin && !d; i++)
        d = tensor_device(in[i]);
    if (!d) {
        if (!e->here)
            wf_prepare(c, p, &e->here);
        return e->here;
    }
    if (e->there && wf_exec_device(e->there) != d) {
        wf_exec_release(e->there);
        e->there = NULL;
    }
    if (!e->there)
        exec_prepare_on(c, p, d, general, &e->there);
    return e->there;
}

void execs_release(Execs *e)
{
    wf_exec_release(e->here);
    wf_exec_release(e->there);
    *e = (Execs){0};
}

/* base, of p, with these operands donated, kept for the next time. */
static wf_exec *giving_exec(wf_ctx *c, Prim *p, wf_exec *base, const bool *donated)
{
    int *list;
    int n = 0;

    if (p->giving && p->giving_of == base && !memcmp(p->gives, donated, p->nin))
        return p->giving;
    p->giving_of = base;
    wf_exec_release(p->giving);
    p->giving = NULL;
    T_ENTER(c, NULL)
    if (!p->gives)
        p->gives = arena_zalloc(&p->arena, p->nin + 1);
    T_LEAVE(c);
    list = mem_alloc(&c->al, (p->nin + 1) * sizeof *list);
    if (!list) {
        fail_memory(c);
        return NULL;
    }
    for (uint32_t i = 0; i < p->nin; i++) {
        p->gives[i] = donated[i];
        if (donated[i])
            list[n++] = (int)i;
    }
    wf_donate(c, base, list, n, &p->giving);
    mem_free(&c->al, list, (p->nin + 1) * sizeof *list);
    return p->giving;
}

/* Operands whose memory the results of a program may take. */
typedef struct Gift {
    const bool *donated; /* for each operand */
    int32_t refs;        /* that the caller has to each of them */
} Gift;

/* How results of a call are to lie among processes. */
typedef struct Lying {
    const char *head, *specs;
} Lying;

/* Nothing but the caller refers to the tensor. */
static bool is_lone(const Gift *g, const Tensor *t)
{
    return t->refs == g->refs && !t->node && !t->need && !t->grad && !t->root;
}

/* The tensor's array with one reference, so that the run may take its memory; or as it
 * is. */
static void give_array(const Gift *g, Tensor *t)
{
    if (!is_lone(g, t) || t->store->refs != 1 || !t->array || t->array != t->store->array)
        return;
    wf_array_release(t->array);
    t->array = NULL;
}

/* After the run: the memory has gone, or the tensor has it still. */
static void settle_given(const Gift *g, Tensor *t, bool ok)
{
    if (t->array || !t->store->array) {
        t->gone = t->gone || (ok && is_lone(g, t));
    } else if (wf_array_data(t->store->array)) {
        t->array = wf_array_retain(t->store->array);
        t->gone = ok;
    } else {
        t->store->data = NULL;
        t->gone = true;
    }
}

/* Run e; results are tensors of their own. g: operands whose memory it may take; NULL: none. */
static bool run_exec(wf_ctx *c, wf_exec *e, Tensor *const *in, uint32_t nin,
                     const Gift *g, Tensor **out, uint32_t nout)
{
    wf_array *few[32], **ins = few, **outs;
    size_t room = (nin + nout) * sizeof *ins;
    bool ok = true;

    if (nin + nout > (uint32_t)COUNT(few) && !(ins = mem_alloc(&c->al, room)))
        return fail_memory(c);
    outs = ins + nin;
    for (uint32_t i = 0; i < nin && ok; i++)
        ok = (ins[i] = tensor_array(c, in[i])) != NULL;
    for (uint32_t i = 0; i < nin && ok && g; i++)
        if (g->donated[i])
            give_array(g, in[i]);
    ok = ok && wf_run(c, e, ins, (int)nin, outs, (int)nout) == WF_OK;
    for (uint32_t i = 0; i < nin && g; i++)
        if (g->donated[i])
            settle_given(g, in[i], ok);
    for (uint32_t j = 0; j < nout && ok; j++)
        if (!(out[j] = own_result(c, outs[j], in, nin))) {
            for (uint32_t k = j + 1; k < nout; k++)
                wf_array_release(outs[k]);
            for (uint32_t k = 0; k < j; k++) {
                tensor_release(c, out[k]);
                out[k] = NULL;
            }
            ok = false;
        }
    if (ins != few)
        mem_free(&c->al, ins, room);
    return ok;
}

bool tensor_run(wf_ctx *c, wf_exec *e, Tensor *const *in, uint32_t nin, Tensor **out, uint32_t nout)
{
    return run_exec(c, e, in, nin, NULL, out, nout);
}

wf_tensor tensor_run_plain(wf_ctx *c, wf_exec *e, Tensor *const *in, uint32_t nin)
{
    Tensor *out;

    return run_exec(c, e, in, nin, NULL, &out, 1) ? tensor_handle(c, out) : WF_NONE;
}

static bool run_plan(wf_ctx *c, Prim *p, Tensor *const *in, const Gift *g, Tensor **out)
{
    wf_exec *e = exec_at(c, &p->exec, p->program, p->op != OP_call, in, p->nin);
    bool ok;

    if (e && g)
        e = giving_exec(c, p, e, g->donated);
    if (p->op != OP_call)
        profile_stand(c, &c->tensors->place);
    ok = e && run_exec(c, e, in, p->nin, g, out, p->nout);
    profile_stand(c, NULL);
    return ok;
}

bool tensor_run_prim(wf_ctx *c, Prim *p, Tensor *const *in, Tensor **out) { return run_plan(c, p, in, NULL, out); }

/* A product of transposed views, which are not copied: another one of what they are views of. out stays NULL where there
 * are none. */
static bool run_turned(wf_ctx *c, const Prim *p, Tensor *const *in, Tensor **out)
{
    int64_t room[2][2][MAX_RANK];
    Tensor *turned[2];
    DotAttr a;
    bool ok = true;

    /* not where it would make room among the prims: p is one of them */
    if (p->op != OP_dot_general || c->tensors->nprims + 1 >= PRIMS_MAX)
        return true;
    if (turn_dot(c, p->attr, in, &a, room, turned) > 0) {
        Tensor *by[2] = {turned[0] ? turned[0] : in[0], turned[1] ? turned[1] : in[1]};
        Prim *q = prim_find(c, OP_dot_general, by, 2, &a);

        ok = q && run_plan(c, q, by, NULL, out);
    }
    tensor_release(c, turned[0]);
    tensor_release(c, turned[1]);
    return ok && !failed(c);
}

/* Run the forward of a call, and record it with what its derivative takes. */
static bool run_recorded(wf_ctx *c, Prim *p, CallForm *f, Tensor *const *in, Tensor **out)
{
    Tensor *few[16], **all = few;
    size_t room = f->nout * sizeof *all;
    bool ok;

    wf_exec *e = exec_at(c, &f->exec, f->forward, false, in, p->nin);

    if (!e)
        return false;
    if (f->nout > COUNT(few) && !(all = mem_alloc(&c->al, room)))
        return fail_memory(c);
    ok = run_exec(c, e, in, p->nin, NULL, all, f->nout);
    if (ok) {
        ok = record_op(c, p, f, in, all);
        for (uint32_t j = 0; j < f->nout; j++)
            if (ok && j < p->nout)
                out[j] = all[j];
            else
                tensor_release(c, all[j]);
    }
    if (all != few)
        mem_free(&c->al, all, room);
    return ok;
}

/* Runs of old axes are matched with runs of new ones of equal size. */
bool reshape_strides(const Tensor *t, const int64_t *dims, uint32_t rank,
                     int64_t *strides)
{
    uint32_t i = 0, j = 0;

    if (t->count == 0 || t->packed) {
        int64_t n = 1;
        for (uint32_t k = rank; k-- > 0; n *= MAX(dims[k], 1))
            strides[k] = n;
        return true;
    }
    while (i < t->rank || j < rank) {
        uint32_t i0 = i, j0 = j;
        int64_t a = i < t->rank ? t->dims[i++] : 1, b = j < rank ? dims[j++] : 1, s = 1,
                next = 0;
        bool any = false;
        while (a != b) {
            if (a < b)
                a *= t->dims[i++];
            else
                b *= dims[j++];
        }
        for (uint32_t k = i; k-- > i0;) { /* the run must be one stretch of memory */
            if (t->dims[k] == 1)          /* its stride says nothing */
                continue;
            if (!any)
                s = t->strides[k];
            else if (t->strides[k] != next)
                return false;
            any = true;
            next = t->strides[k] * t->dims[k];
        }
        for (uint32_t k = j; k-- > j0; s *= dims[k])
            strides[k] = s;
    }
    return true;
}

/* The result as a view of the operand, or NULL if it must be computed. */
static Tensor *view_op(wf_ctx *c, const Prim *p, Tensor *t)
{
    int64_t strides[MAX_RANK] = {0}, offset = t->offset;
    const PType *o = p->out;
    Tensor *v;

    switch ((int)p->op) {
    case OP_reshape:
        if (!reshape_strides(t, o->dims, o->rank, strides))
            return NULL;
        break;
    case OP_broadcast: {
        const BroadcastAttr *a = p->attr;
        for (uint32_t k = 0; k < t->rank; k++)
            strides[a->dims.v[k]] = t->dims[k] == 1 ? 0 : t->strides[k];
        break;
    }
    case OP_transpose: {
        const TransposeAttr *a = p->attr;
        for (uint32_t k = 0; k < t->rank; k++)
            strides[k] = t->strides[a->perm.v[k]];
        break;
    }
    case OP_slice: {
        const SliceAttr *a = p->attr;
        for (uint32_t k = 0; k < t->rank; k++) {
            strides[k] = t->strides[k] * (a->stride.n ? a->stride.v[k] : 1);
            offset += o->dims[k] ? a->start.v[k] * t->strides[k] : 0;
        }
        break;
    }
    case OP_rev: {
        const AxesAttr *a = p->attr;
        memcpy(strides, t->strides, t->rank * sizeof *strides);
        for (uint32_t k = 0; k < a->axes.n && t->count; k++) {
            offset += (t->dims[a->axes.v[k]] - 1) * t->strides[a->axes.v[k]];
            strides[a->axes.v[k]] = -t->strides[a->axes.v[k]];
        }
        break;
    }
    case OP_bitcast: /* of equal size */
    case OP_stop_gradient:
    case OP_name: memcpy(strides, t->strides, t->rank * sizeof *strides); break;
    default: return NULL;
    }
    v = tensor_view(c, t, (wf_dtype)o->dtype, o->dims, strides, o->rank, offset);
    if (v && op_row(p->op)->lower.kind != LOWER_ALIAS && p->op != OP_bitcast) {
        v->root = tensor_retain(t->root ? t->root : t);
        v->stamp = v->root->stamp;
    }
    return v;
}

/* Who follows the results of an op on these. */
static uint64_t followed(const Tensors *s, OpCode op, Tensor *const *in, uint32_t nin, uint32_t nout)
{
    uint64_t need = 0;

    for (uint32_t i = 0; i < nin; i++)
        need |= in[i]->need;
    return s->no_grad || op_has(op, OPF_ZERO) || !nout ? 0 : need & s->recorders;
}

/* On operands of which other processes have parts, or with results that are to lie so. */
static bool run_parted(wf_ctx *c, OpCode op, Tensor *const *in, uint32_t nin, const void *attr, const Lying *to, const Gift *g,
                       Tensor **out, uint32_t nout)
{
    const uint64_t need = followed(c->tensors, op, in, nin, nout);
    Prim *p;

    if (!layout_agrees(c, op_name(op), in, nin) || !(p = prim_find(c, op, in, nin, attr)))
        return false;
    if (p->nout != nout)
        return fail(c, WF_ERR_INTERNAL, NOWHERE, "%s gives %u results, %u were asked for", op_name(op), p->nout, nout);
    if (!c->tensors->parted)
        return fail(c, WF_ERR_ARG, NOWHERE, "no mesh of processes has layouts \"%s\"", to ? to->head : "");
    p->refs++;
    if (c->tensors->parted->run(c, p, in, to ? to->head : NULL, to ? to->specs : NULL, out) && need && !record_op(c, p, NULL, in, out))
        for (uint32_t j = 0; j < nout; j++)
            tensor_release(c, out[j]);
    prim_release(c, p);
    for (uint32_t i = 0; i < nin && g && !need && !failed(c); i++)
        in[i]->gone = in[i]->gone || (g->donated[i] && is_lone(g, in[i]));
    return !failed(c);
}

static bool run_now(wf_ctx *c, OpCode op, Tensor *const *in, uint32_t nin,
                    const void *attr, const Gift *g, Tensor **out, uint32_t nout)
{
    Tensors *s = c->tensors;
    const uint64_t need = followed(s, op, in, nin, nout);
    Prim *p = NULL;

    if (need) /* what is recorded keeps its operands */
        g = NULL;
    if (nout == 1 && !attr && (out[0] = fast_map(c, op, in, nin, false)) != NULL && !need)
        return true;
    if (failed(c))
        return false;
    if (!(p = prim_find(c, op, in, nin, attr)))
        goto no;
    if (p->nout != nout) {
        fail(c, WF_ERR_INTERNAL, NOWHERE, "%s gives %u results, %u were asked for",
             op_name(op), p->nout, nout);
        goto no;
    }
    if (nout == 1 && !out[0] && op_has(op, OPF_VIEW | OPF_SAME)) {
        out[0] = view_op(c, p, in[0]);
        if (failed(c))
            goto no;
    }
    if (need && op == OP_call) {
        CallForm *f = call_form(c, p, in);
        if (!f || f->forward)
            return f && run_recorded(c, p, f, in, out);
    }
    if (nout == 1 && !out[0] && !g &&
        (!run_turned(c, p, in, out) || (!out[0] && !tensor_run_spread(c, p, in, out))))
        return false;
    if ((nout == 0 || !out[0]) && !run_plan(c, p, in, g, out))
        return false;
    if (need && !record_op(c, p, NULL, in, out)) {
        for (uint32_t j = 0; j < nout; j++)
            tensor_release(c, out[j]);
        return false;
    }
    return true;
no:
    if (nout)
        tensor_release(c, out[0]);
    return false;
}

/* ---- the dispatch ---- */

static bool give_handles(wf_ctx *c, Tensor *const *in, uint32_t nin, Tensor **outs,
                         wf_tensor *out, uint32_t nout)
{
    bool weak = nin > 0;

    for (uint32_t i = 0; i < nin; i++)
        weak = weak && in[i]->weak;
    for (uint32_t j = 0; j < nout; j++) {
        outs[j]->weak = weak;
        out[j] = tensor_handle(c, outs[j]);
    }
    return !failed(c);
}

static void find_symbolic(void *user, Dim d, bool defines)
{
    (void)defines;
    if (d < 0 && d != DIM_NONE)
        *(bool *)user = true;
}

/* Does the attribute have sizes of the current program? Then so has the result. */
static bool has_symbolic_sizes(wf_ctx *c, OpCode op, const void *attr)
{
    bool any = false;

    if (attr && (c->tensors->trace || c->tensors->open))
        attr_each_dim(op_row(op), attr, find_symbolic, &any);
    return any;
}

/* An op that prints or asserts belongs to the current program, also with concrete operands. */
static bool has_effects(wf_ctx *c, OpCode op, const Program *call, const void *attr)
{
    return c->tensors->trace && (call ? op_has(op, OPF_EFFECT) || call->effects : attr_has_effects(op, attr));
}

/* What a trace emits under no_grad has no derivative, as it would have no history. */
static bool cut_results(wf_ctx *c, Tensor **out, uint32_t nout)
{
    bool ok = true;

    for (uint32_t j = 0; j < nout && ok; j++) {
        Tensor *t = out[j];
        if (!dtype_is_differentiable((wf_dtype)t->dtype))
            continue;
        out[j] = NULL;
        ok = trace_emit(c, OP_stop_gradient, &t, 1, NULL, &out[j], 1);
        tensor_release(c, t);
    }
    return ok;
}

#define FEW 16

/* g: what a call may take, where it runs now; to: how its results are to lie then; NULL: nothing is said. */
static bool apply(wf_ctx *c, OpCode op, const Program *call, const wf_tensor *in,
                  uint32_t nin, const void *attr, const Gift *g, const Lying *to, wf_tensor *out,
                  uint32_t nout)
{
    Tensor *few[FEW], **ts_ = few, **outs;
    size_t room = ((size_t)nin + nout) * sizeof *ts_;
    bool symbolic = false, parted = to != NULL, ok = true;

    IN_CALL(c);
    for (uint32_t j = 0; j < nout; j++)
        out[j] = WF_NONE;
    if (!in_call_ || failed(c) || !ts(c))
        return false;
    if (nin + nout > FEW && !(ts_ = mem_alloc(&c->al, room)))
        return fail_memory(c);
    outs = ts_ + nin;
    for (uint32_t j = 0; j < nout; j++)
        outs[j] = NULL;
    for (uint32_t i = 0; i < nin && ok; i++) {
        ts_[i] = tensor_get(c, in[i], call ? call->name : op_name(op));
        ok = ts_[i] != NULL && (!view_is_old(ts_[i]) || view_refresh(c, ts_[i]));
        symbolic = symbolic || (ok && ts_[i]->symbolic);
        parted = parted || (ok && tensor_is_parted(ts_[i]));
    }
    if (ok && (symbolic || (!call && has_symbolic_sizes(c, op, attr)) ||
               has_effects(c, op, call, attr))) {
        IN_GRAPH_(symbolic ? graph_enter_tensors(c, ts_, nin)
                           : graph_enter_attr(c, op, attr));
        ok = (call ? trace_call(c, call, ts_, nin, outs, nout)
                   : trace_emit(c, op, ts_, nin, attr, outs, nout)) &&
             (!c->tensors->cuts || !c->tensors->no_grad || cut_results(c, outs, nout));
        for (uint32_t j = 0; j < nout && !ok; j++) /* made, before memory ran out */
            tensor_release(c, outs[j]);
        parted = false;
    } else if (ok && parted)
        ok = run_parted(c, op, ts_, nin, call ? &(CallAttr){.body = {.p = call}} : attr, to, g, outs, nout);
    else if (ok)
        ok = run_now(c, op, ts_, nin, call ? &(CallAttr){.body = {.p = call}} : attr, g,
                     outs, nout);
    if (ok && !parted && c->tensors->nlayouts && nout && !layout_spread(c, op, attr, call, ts_, nin, outs)) {
        ok = false;
        for (uint32_t j = 0; j < nout; j++)
            tensor_release(c, outs[j]);
    }
    ok = ok && give_handles(c, ts_, nin, outs, out, nout);
    if (ts_ != few)
        mem_free(&c->al, ts_, room);
    return ok;
}

/* A product of f32 that says nothing of its precision has that of the context. */
static const void *with_precision(wf_ctx *c, OpCode op, const void *attr, DotOrConv *room)
{
    wf_precision set = c ? c->semantics->precision : WF_PRECISION_DEFAULT;

    if (!set || (op != OP_dot_general && op != OP_conv_general))
        return attr;
    if (op == OP_dot_general) {
        room->dot = *(const DotAttr *)attr;
        if (room->dot.acc == WF_F32 && !room->dot.precision)
            room->dot.precision = (int32_t)set;
    } else {
        room->conv = *(const ConvAttr *)attr;
        if (room->conv.acc == WF_F32 && !room->conv.precision)
            room->conv.precision = (int32_t)set;
    }
    return room;
}

bool tensor_op(wf_ctx *c, OpCode op, const wf_tensor *in, uint32_t nin, const void *attr,
               wf_tensor *out, uint32_t nout)
{
    wf_dtype storage = storage_of(c, op, in, nin);
    DotOrConv room;

    if (storage)
        return storage_op(c, storage, op, in, nin, attr, out, nout);
    return apply(c, op, NULL, in, nin, with_precision(c, op, attr, &room), NULL, NULL, out,
                 nout);
}

wf_tensor tensor_op1(wf_ctx *c, OpCode op, const wf_tensor *in, uint32_t nin,
                     const void *attr)
{
    wf_dtype storage = storage_of(c, op, in, nin);
    wf_tensor out;
    DotOrConv room;

    if (storage)
        storage_op(c, storage, op, in, nin, attr, &out, 1);
    else
        apply(c, op, NULL, in, nin, with_precision(c, op, attr, &room), NULL, NULL, &out, 1);
    return out;
}

/* All concrete, and one of them followed by a recorder? */
static bool is_recorded(wf_ctx *c, const wf_tensor *in, uint32_t nin)
{
    bool any = false;

    for (uint32_t i = 0; i < nin; i++) {
        Tensor *t = tensor_with_history(c, in[i], "call");
        if (!t || t->symbolic)
            return false;
        any = any || t->need & c->tensors->recorders;
    }
    return any && !c->tensors->no_grad;
}

static bool call_program(wf_ctx *c, const Program *p, const wf_tensor *in, uint32_t nin,
                         const Gift *g, const Lying *to, wf_tensor *out, uint32_t nout)
{
    if (nin != p->nin || nout != p->nout) {
        tensor_fail(c, WF_ERR_ARG, "%s: takes %u inputs and gives %u results, got %u and %u",
              p->name, p->nin, p->nout, nin, nout);
        return false;
    }
    if (defines_sizes(p) && is_recorded(c, in, nin))
        return replay_program(c, p, in, out);
    return apply(c, OP_call, p, in, nin, NULL, g, to, out, nout);
}

bool tensor_call(wf_ctx *c, const Program *p, const wf_tensor *in, uint32_t nin,
                 wf_tensor *out, uint32_t nout)
{
    return call_program(c, p, in, nin, NULL, NULL, out, nout);
}

bool tensor_call_lying(wf_ctx *c, const Program *p, const wf_tensor *in, uint32_t nin, const char *head, const char *specs,
                       wf_tensor *out, uint32_t nout)
{
    return call_program(c, p, in, nin, NULL, &(Lying){head, specs}, out, nout);
}

bool tensor_call_donating(wf_ctx *c, const Program *p, const wf_tensor *in, uint32_t nin,
                          const bool *donated, int32_t refs, wf_tensor *out,
                          uint32_t nout)
{
    Gift g = {donated, refs};

    if (failed(c) || !ts(c))
        return false;
    return call_program(c, p, in, nin, donated ? &g : NULL, NULL, out, nout);
}
