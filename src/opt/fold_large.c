/* fold_large.c -- what depends on large constants alone is computed now.
 *
 *   requires   nothing
 *   keeps      values as the interpreter gives them
 *
 *   method   Values of constants alone are found; those of them that other equations or
 *            the results read, and that are too large for fold.c, are computed together
 *            by the interpreter and become constants. Only if that makes the program's
 *            constants no larger: what the result takes must be freed by constants that
 *            nobody reads any more. A broadcast is not carried out, what it spreads is. Bits of
 *            bytes are not taken apart: written out they are eight times as large, and
 *            products take them as they are (recognise_codes.c).
 */
#include "opt/fold.h"

typedef struct Large {
    wf_ctx *cx;
    const Program *p;
    Arena *a;
    bool *known; /* for each value: of constants alone */
    bool *dense; /* and not only of splats */
    bool *want;  /* to be computed */
    uint32_t n;  /* how many */
} Large;

static int64_t bytes_of(const Program *p, Val v)
{
    Type t = val_type(p, v);
    int64_t count, bytes;

    for (uint32_t i = 0; i < t.rank; i++)
        if (!dim_is_const(t.dims[i]))
            return -1;
    return type_size((wf_dtype)t.dtype, t.dims, t.rank, &count, &bytes) ? bytes : -1;
}

static bool is_small(const Program *p, Val v)
{
    return bytes_of(p, v) <=
           FOLD_ELEMENTS * (int64_t)wf_dtype_size((wf_dtype)val_type(p, v).dtype);
}

static bool takes_bits(const Program *p, const Eqn *e)
{
    unsigned dtype = val_type(p, e->out).dtype;

    return (dtype == WF_U8 || dtype == WF_I8) &&
           (e->op == OP_and || e->op == OP_shl || e->op == OP_shr_logical || e->op == OP_shr_arith);
}

/* Can e be computed from constants, if its operands are such? */
static bool is_candidate(const Program *p, const Eqn *e)
{
    if (e->nout != 1 || bytes_of(p, e->out) < 0 || (e->nin && takes_bits(p, e)))
        return false;
    return e->op == OP_const || (e->nin && opt_fold_may(e->op) &&
                                 !op_may_fail(e->op, val_type(p, eqn_in(p, e)[0]),
                                              val_type(p, e->out)));
}

static void find_known(Large *l)
{
    const Program *p = l->p;

    for (uint32_t i = 0; i < p->neqns; i++) {
        const Eqn *e = &p->eqns[i];
        bool known = is_candidate(p, e);
        bool dense = e->op == OP_const && !((const ConstAttr *)e->attr)->splat;

        for (uint32_t k = 0; k < e->nin && known; k++) {
            known = l->known[eqn_in(p, e)[k]];
            dense = dense || l->dense[eqn_in(p, e)[k]];
        }
        if (known) {
            l->known[e->out] = true;
            l->dense[e->out] = dense;
        }
    }
}

/* v is read by what is not known. */
static void want(Large *l, Val v)
{
    const Eqn *e;

    if (!l->known[v] || !l->dense[v] || l->want[v])
        return;
    e = &l->p->eqns[l->p->vals[v].eqn];
    if (e->op == OP_broadcast && bytes_of(l->p, v) > bytes_of(l->p, eqn_in(l->p, e)[0])) {
        want(l, eqn_in(l->p, e)[0]);
        return;
    }
    if (e->op == OP_const || is_small(l->p, v))
        return;
    l->want[v] = true;
    l->n++;
}

static void find_wanted(Large *l)
{
    const Program *p = l->p;

    for (uint32_t i = 0; i < p->neqns; i++) {
        const Eqn *e = &p->eqns[i];

        for (uint32_t k = 0; k < e->nin; k++)
            if (!e->nout || !l->known[e->out])
                want(l, eqn_in(p, e)[k]);
    }
    for (uint32_t j = 0; j < p->nout; j++)
        want(l, p->outs[j]);
}

/* Equations still needed once the wanted values are constants. */
static void find_needed(const Large *l, bool *need)
{
    const Program *p = l->p;

    for (uint32_t j = 0; j < p->nout; j++)
        need[p->outs[j]] = true;
    for (uint32_t i = p->neqns; i-- > 0;) {
        const Eqn *e = &p->eqns[i];
        bool live = op_has(e->op, OPF_EFFECT);

        for (uint32_t j = 0; j < e->nout; j++)
            live = live || (need[e->out + j] && !l->want[e->out + j]);
        for (uint32_t k = 0; k < e->nin && live; k++)
            need[eqn_in(p, e)[k]] = true;
    }
}

/* Does the program get no larger? */
static bool pays(const Large *l)
{
    const Program *p = l->p;
    bool *need = arena_zalloc(l->a, p->nvals + 1);
    double more = 0;

    find_needed(l, need);
    for (Val v = p->nin + 1; v < p->nvals; v++) {
        const Eqn *e = &p->eqns[p->vals[v].eqn];

        if (l->want[v])
            more += (double)bytes_of(p, v);
        else if (e->op == OP_const && !need[v])
            more -= (double)((const ConstAttr *)e->attr)->data->size;
    }
    return more <= 0;
}

/* The wanted values, as a program without inputs. */
static const Program *wanted_program(const Large *l)
{
    const Program *p = l->p;
    Builder *b = builder_new(l->cx, "constants", B_OPTIMISE);
    Val *outs = arena_array(l->a, l->n, sizeof *outs);
    Copier c;
    uint32_t n = 0;

    copier_init(&c, b, p, NULL, NULL);
    for (uint32_t i = 0; i < p->neqns; i++)
        if (p->eqns[i].nout == 1 && l->known[p->eqns[i].out] &&
            !copier_eqn(&c, &p->eqns[i]))
            return NULL;
    for (Val v = p->nin + 1; v < p->nvals; v++)
        if (l->want[v])
            outs[n++] = c.val[v];
    return builder_finish(b, outs, n);
}

static void release_array(void *a) { wf_array_release(a); }
static void release_exec(void *e) { wf_exec_release(e); }

/* The array's memory as a constant, which holds it. */
static Val const_of(Builder *b, Type t, wf_array *a)
{
    size_t size = (size_t)wf_array_count(a) * wf_dtype_size(wf_array_dtype(a));

    return b_const_data(b, t,
                        const_data_new(b->cx, wf_array_data(a), size, NULL, release_array,
                                       wf_array_retain(a)));
}

/* Arrays for this call: held from before they are made, since memory may run out. */
typedef struct Held {
    wf_allocator al;
    uint32_t n;
    wf_array *v[];
} Held;

static size_t held_size(uint32_t n) { return sizeof(Held) + n * sizeof(wf_array *); }

static void free_held(void *x)
{
    Held *h = x;
    wf_allocator al = h->al;

    for (uint32_t i = 0; i < h->n; i++)
        wf_array_release(h->v[i]);
    mem_free(&al, h, held_size(h->n));
}

static wf_array **hold_arrays(wf_ctx *cx, uint32_t n)
{
    Held *h = mem_alloc(&cx->al, held_size(n));

    if (!h)
        ctx_out_of_memory(cx);
    memset(h, 0, held_size(n));
    h->al = cx->al;
    h->n = n;
    pool_defer(cx, free_held, h);
    return h->v;
}

static const Program *with_values(const Large *l, wf_array **value)
{
    const Program *p = l->p;
    Builder *b = builder_new(l->cx, p->name, B_OPTIMISE);
    Val *outs = arena_array(l->a, p->nout + 1, sizeof *outs);
    Copier c;

    copier_init(&c, b, p, NULL, NULL);
    copier_inputs(&c);
    for (uint32_t i = 0; i < p->neqns; i++) {
        const Eqn *e = &p->eqns[i];

        if (e->nout == 1 && l->want[e->out]) {
            copier_place(&c, e);
            c.val[e->out] =
                const_of(b, copier_type(&c, val_type(p, e->out)), *value++);
        } else if (!copier_eqn(&c, e)) {
            return NULL;
        }
    }
    for (uint32_t j = 0; j < p->nout; j++)
        outs[j] = c.val[p->outs[j]];
    return builder_finish(b, outs, p->nout);
}

const Program *opt_fold_large(const Opt *o, const Program *p)
{
    Large l = {.cx = o->cx, .p = p, .a = &o->cx->scratch};
    const Program *q;
    wf_array **value;
    wf_exec *e;

    if (!p->nconsts)
        return p;
    l.known = arena_zalloc(l.a, p->nvals + 1);
    l.dense = arena_zalloc(l.a, p->nvals + 1);
    l.want = arena_zalloc(l.a, p->nvals + 1);
    find_known(&l);
    find_wanted(&l);
    if (!l.n || !pays(&l))
        return p;
    value = hold_arrays(l.cx, l.n);
    if (!(q = wanted_program(&l)) || wf_prepare(l.cx, q, &e) != WF_OK)
        return NULL;
    pool_defer(l.cx, release_exec, e);
    if (wf_run(l.cx, e, NULL, 0, value, (int)l.n) != WF_OK)
        return NULL;
    return with_values(&l, value);
}
