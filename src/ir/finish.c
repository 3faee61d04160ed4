/* finish.c -- from a builder to an immutable program: a tight copy in canonical order.
 *
 *   requires   a builder without error
 *   keeps      equations in order, names, places
 *   makes      inputs numbered 1..nin, symbols in canonical order (order_symbols), types and dims that are
 *              used and no others; so equal programs have equal arrays
 */
#include "op/op.h"

typedef struct Finish {
    Builder *b;
    Program *p;
    bool *keep;      /* equations */
    Val *val;        /* b-value -> p-value */
    uint32_t *type;  /* b-type -> p-type + 1 */
    uint32_t *place; /* b-place -> p-place */
    Dim *sym;        /* b-symbol -> p-dim */
    Dim *memo;       /* b-node -> p-dim */
    bool *seen;      /* b-node: its symbols are there */
    bool *walked;    /* b-node: its symbols are marked in used */
    bool *used;      /* b-symbol */
    VEC(Type) types;
    VEC(const Program *) subs;
    uint32_t *sub_slots; /* hash table of subs: index + 1 */
    uint32_t nsub_slots;
    VEC(const ConstData *) consts;
} Finish;

/* ---- dims ---- */

static void touch(Finish *f, Dim d)
{
    const DimNode *n;

    if (d >= 0 || d == DIM_NONE || f->seen[dim_index(&f->b->dims, d)])
        return;
    f->seen[dim_index(&f->b->dims, d)] = true;
    n = dim_node(&f->b->dims, d);
    if (n->kind == DIM_SYM) {
        const Symbol *s = &f->b->dims.syms.v[n->sym];
        f->sym[n->sym] = dim_symbol(&f->p->dims, s->name, (SymOrigin)s->origin);
        f->p->dims.syms.v[f->p->dims.syms.n - 1].hint = s->hint;
        f->memo[dim_index(&f->b->dims, d)] = f->sym[n->sym];
    } else if (n->kind == DIM_POLY) {
        for (uint32_t i = 0; i < n->nterms; i++)
            for (uint32_t j = 0; j < n->terms[i].natoms; j++)
                touch(f, n->terms[i].atoms[j]);
    } else {
        touch(f, n->a);
        touch(f, n->b);
    }
}

static Dim map_dim(Finish *f, Dim d)
{
    if (d >= 0 || d == DIM_NONE)
        return d;
    if (f->memo[dim_index(&f->b->dims, d)] == DIM_NONE) {
        touch(f, d);
        if (f->memo[dim_index(&f->b->dims, d)] == DIM_NONE)
            f->memo[dim_index(&f->b->dims, d)] = dim_subst(&f->p->dims, &f->b->dims, d, f->sym);
    }
    return f->memo[dim_index(&f->b->dims, d)];
}

static void touch_attr(void *user, Dim d, bool defines)
{
    (void)defines;
    touch(user, d);
}

static uint32_t map_type(Finish *f, uint32_t i)
{
    Type t = f->b->types.v[i];

    if (!f->type[i]) {
        Dim *dims = arena_dup(&f->p->arena, t.dims, t.rank * sizeof *dims);
        for (uint32_t k = 0; k < t.rank; k++)
            dims[k] = map_dim(f, t.dims[k]);
        t.dims = dims;
        vec_push(&f->b->arena, &f->types, t);
        f->type[i] = f->types.n;
    }
    return f->type[i] - 1;
}

static void map_guards(Finish *f)
{
    const Dims *from = &f->b->dims;

    for (uint32_t i = 0; i < from->guards.n; i++) {
        Guard g = from->guards.v[i];
        Dim lhs = map_dim(f, g.lhs), rhs = map_dim(f, g.rhs);
        dim_guard(&f->p->dims, lhs, g.is_eq, rhs, NOWHERE);
    }
}

/* ---- the order of symbols ---- */

static void mark_used(Finish *f, Dim d)
{
    const DimNode *n;

    if (d >= 0 || d == DIM_NONE || f->walked[dim_index(&f->b->dims, d)])
        return;
    f->walked[dim_index(&f->b->dims, d)] = true;
    n = dim_node(&f->b->dims, d);
    if (n->kind == DIM_SYM) {
        f->used[n->sym] = true;
    } else if (n->kind == DIM_POLY) {
        for (uint32_t i = 0; i < n->nterms; i++)
            for (uint32_t j = 0; j < n->terms[i].natoms; j++)
                mark_used(f, n->terms[i].atoms[j]);
    } else {
        mark_used(f, n->a);
        mark_used(f, n->b);
    }
}

static void mark_attr(void *user, Dim d, bool defines)
{
    (void)defines;
    mark_used(user, d);
}

static void mark_type(Finish *f, Type t)
{
    for (uint32_t k = 0; k < t.rank; k++)
        mark_used(f, t.dims[k]);
}

static void mark_all(Finish *f, const Val *ins, uint32_t nins)
{
    const Builder *b = f->b;

    f->walked = arena_zalloc(&f->b->arena, b->dims.nodes.n + 1);
    f->used = arena_zalloc(&f->b->arena, b->dims.syms.n + 1);
    for (uint32_t i = 0; i < nins; i++)
        mark_type(f, b_type(b, ins[i]));
    for (uint32_t i = 0; i < b->dims.guards.n; i++) {
        mark_used(f, b->dims.guards.v[i].lhs);
        mark_used(f, b->dims.guards.v[i].rhs);
    }
    for (uint32_t i = 0; i < b->eqns.n; i++) {
        const Eqn *e = &b->eqns.v[i];
        if (!f->keep[i])
            continue;
        attr_each_dim(op_row(e->op), e->attr, mark_attr, f);
        for (uint32_t j = 0; j < e->nout; j++)
            mark_type(f, b_type(b, e->out + j));
    }
}

/* A copy of the builder's symbols, numbered alike, with all guards: what was made before a guard was
 * known may be simpler there, a bare symbol even. Returns the map into it. */
static Dim *with_guards(Finish *f, Dims *out)
{
    const Dims *d = &f->b->dims;
    Dim *map = arena_array(&f->b->arena, d->syms.n + 1, sizeof *map);

    dims_init(out, f->b->cx, &f->b->arena);
    for (uint32_t i = 0; i < d->syms.n; i++)
        map[i] = dim_symbol(out, d->syms.v[i].name, (SymOrigin)d->syms.v[i].origin);
    for (uint32_t i = 0; i < d->guards.n; i++) {
        Guard g = d->guards.v[i];
        dim_guard(out, dim_subst(out, d, g.lhs, map), g.is_eq, dim_subst(out, d, g.rhs, map), NOWHERE);
    }
    return map;
}

/* First the symbols that inputs have bare, as they appear there; then the other free ones that are used,
 * in the builder's order; those of equations follow as they are defined. No expression has a say in this,
 * so a finished program built again is the same. */
static void order_symbols(Finish *f, const Val *ins, uint32_t nins)
{
    const Dims *d = &f->b->dims;
    uint32_t others = 0;
    Dims guarded;
    Dim *map = d->guards.n ? with_guards(f, &guarded) : NULL;

    for (uint32_t i = 0; i < nins; i++) {
        Type t = b_type(f->b, ins[i]);
        for (uint32_t k = 0; k < t.rank; k++) {
            Dim x = map ? dim_subst(&guarded, d, t.dims[k], map) : t.dims[k];
            if (x < 0 && x != DIM_NONE && dim_node(map ? &guarded : d, x)->kind == DIM_SYM)
                touch(f, d->syms.v[dim_node(map ? &guarded : d, x)->sym].dim);
        }
    }
    for (uint32_t i = 0; i < d->syms.n; i++)
        others += d->syms.v[i].origin != SYM_EQN && f->sym[i] == DIM_NONE;
    if (!others)
        return;
    mark_all(f, ins, nins);
    for (uint32_t i = 0; i < d->syms.n; i++)
        if (d->syms.v[i].origin != SYM_EQN && f->used[i])
            touch(f, d->syms.v[i].dim);
}

/* ---- equations ---- */

/* Where the program is in the slots, or would be put. */
static uint32_t *sub_slot(const Finish *f, const Program *p)
{
    uint64_t h = hash_mix(1, (uint64_t)(uintptr_t)p) >> 16;

    for (;; h++) {
        uint32_t *slot = &f->sub_slots[h & (f->nsub_slots - 1)];
        if (!*slot || f->subs.v[*slot - 1] == p)
            return slot;
    }
}

static void hold_sub(void *user, const Sub *s)
{
    Finish *f = user;
    uint32_t *slot;

    if ((f->subs.n + 1) * 2 > f->nsub_slots) {
        f->nsub_slots = f->nsub_slots ? f->nsub_slots * 2 : 8;
        f->sub_slots = arena_zalloc(&f->b->arena, f->nsub_slots * sizeof *f->sub_slots);
        for (uint32_t i = 0; i < f->subs.n; i++)
            *sub_slot(f, f->subs.v[i]) = i + 1;
    }
    slot = sub_slot(f, s->p);
    if (*slot)
        return;
    vec_push(&f->b->arena, &f->subs, s->p);
    *slot = f->subs.n;
    f->p->depth = (uint16_t)MAX(f->p->depth, s->p->depth + 1);
}

static const void *map_attr(Finish *f, const Eqn *e)
{
    const OpRow *row = op_row(e->op);

    if (!e->attr)
        return NULL;
    if (f->b->dims.nodes.n)
        attr_each_dim(row, e->attr, touch_attr, f);
    if (op_has(e->op, OPF_CONTROL))
        attr_each_sub(row, e->attr, hold_sub, f);
    if (e->op == OP_const)
        vec_push(&f->b->arena, &f->consts, ((const ConstAttr *)e->attr)->data);
    return attr_copy(row, e->attr, &f->p->arena, &f->p->dims, &f->b->dims,
                     f->b->dims.nodes.n ? f->sym : NULL);
}

static uint32_t map_place(Finish *f, uint32_t i, Interner *files)
{
    Place x = f->b->places.v[i];

    if (i && !f->place[i]) {
        x.file = x.file ? intern_name(files, x.file) : NULL;
        x.via = x.via ? intern_name(files, x.via) : NULL;
        f->p->places[f->p->nplaces] = x;
        f->place[i] = f->p->nplaces++;
    }
    return f->place[i];
}

static ValInfo map_info(Finish *f, Val v, uint32_t eqn)
{
    ValInfo info = f->b->vals.v[v];
    uint32_t name = 0;

    if (info.name) {
        name = f->p->nnames++;
        f->p->names[name] = arena_strdup(&f->p->arena, f->b->names.v[info.name]);
    }
    return (ValInfo){map_type(f, info.type), name, eqn};
}

static void copy_eqns(Finish *f)
{
    Builder *b = f->b;
    Program *p = f->p;
    Interner files;

    intern_init(&files, &p->arena);
    for (uint32_t i = 0; i < b->eqns.n; i++) {
        Eqn e = b->eqns.v[i];
        if (!f->keep[i])
            continue;
        for (uint32_t j = 0; j < e.nin; j++)
            p->args[p->nargs + j] = f->val[b->args.v[e.args + j]];
        e.args = p->nargs;
        p->nargs += e.nin;
        e.attr = map_attr(f, &b->eqns.v[i]);
        for (uint32_t j = 0; j < e.nout; j++) {
            f->val[e.out + j] = p->nvals;
            p->vals[p->nvals] = map_info(f, e.out + j, p->neqns);
            p->nvals++;
        }
        e.out = p->nvals - e.nout;
        e.place = map_place(f, e.place, &files);
        p->effects |= attr_has_effects(e.op, e.attr);
        p->eqns[p->neqns++] = e;
    }
}

static void mark_defined(void *user, Dim d, bool defines)
{
    Dims *dims = user;

    if (defines && d != DIM_NONE)
        dims->syms.v[dim_node(dims, d)->sym].origin = SYM_EQN;
}

/* Symbols are defined by an equation, or bare in an input and bound there, or bound by whoever holds the
 * program. */
static void tell_origins(Program *p)
{
    for (uint32_t i = 0; i < p->dims.syms.n; i++)
        p->dims.syms.v[i].origin = SYM_PARAM;
    for (uint32_t i = 0; p->dims.syms.n && i < p->neqns; i++)
        if (op_has(p->eqns[i].op, OPF_DEFINES))
            attr_each_dim(op_row(p->eqns[i].op), p->eqns[i].attr, mark_defined, &p->dims);
    for (uint32_t i = 1; i <= p->nin; i++) {
        Type t = val_type(p, i);
        for (uint32_t k = 0; k < t.rank; k++)
            if (t.dims[k] < 0 && dim_node(&p->dims, t.dims[k])->kind == DIM_SYM)
                p->dims.syms.v[dim_node(&p->dims, t.dims[k])->sym].origin = SYM_INPUT;
    }
}

static void free_program(Program *p)
{
    wf_allocator al = p->arena.al;

    for (uint32_t i = 0; i < p->nsubs; i++)
        program_release(p->subs[i]);
    for (uint32_t i = 0; i < p->nconsts; i++)
        const_data_release(p->consts[i]);
    arena_free(&p->arena);
    mem_free(&al, p, sizeof *p);
}

static void release_deferred(void *obj) { program_release(obj); }

void program_release(const Program *p)
{
    Program *q = (Program *)(uintptr_t)p;

    if (q && atomic_fetch_sub_explicit(&q->refs, 1, memory_order_acq_rel) == 1)
        free_program(q);
}

const Program *program_retain(const Program *p)
{
    if (p)
        atomic_fetch_add_explicit(&((Program *)(uintptr_t)p)->refs, 1, memory_order_relaxed);
    return p;
}

static Program *new_program(wf_ctx *cx, const char *name)
{
    Program *p = mem_alloc(&cx->al, sizeof *p);

    if (!p)
        ctx_out_of_memory(cx);
    memset(p, 0, sizeof *p);
    atomic_init(&p->refs, 1);
    p->depth = 1;
    arena_init(&p->arena, &cx->al, cx);
    pool_defer(cx, release_deferred, p);
    p->name = arena_strdup(&p->arena, name);
    return p;
}

static void make_room(Finish *f, uint32_t neqns, uint32_t nins, uint32_t nouts)
{
    Builder *b = f->b;
    Program *p = f->p;
    Arena *a = &p->arena, *s = &b->arena;
    uint32_t nargs = 0, nvals = nins + 1, nnames = 1;

    for (uint32_t i = 0; i < b->eqns.n; i++)
        if (f->keep[i]) {
            nargs += b->eqns.v[i].nin;
            nvals += b->eqns.v[i].nout;
        }
    nnames = MIN(b->names.n, nvals) + 1;
    p->vals = arena_array(a, nvals, sizeof *p->vals);
    p->vals[0] = (ValInfo){0};
    p->eqns = arena_array(a, neqns, sizeof *p->eqns);
    p->args = arena_array(a, nargs, sizeof *p->args);
    p->outs = arena_array(a, nouts, sizeof *p->outs);
    p->names = arena_array(a, nnames, sizeof *p->names);
    p->places = arena_array(a, MIN(b->places.n, neqns + 1) + 1, sizeof *p->places);
    p->names[0] = "";
    p->places[0] = NOWHERE;
    p->nnames = p->nplaces = p->nvals = 1;
    f->val = arena_zalloc(s, b->vals.n * sizeof *f->val);
    f->type = arena_zalloc(s, b->types.n * sizeof *f->type);
    f->place = arena_zalloc(s, b->places.n * sizeof *f->place);
    f->sym = arena_array(s, b->dims.syms.n + 1, sizeof *f->sym);
    f->memo = arena_array(s, b->dims.nodes.n + 1, sizeof *f->memo);
    f->seen = arena_zalloc(s, b->dims.nodes.n + 1);
    for (uint32_t i = 0; i < b->dims.syms.n; i++)
        f->sym[i] = DIM_NONE;
    for (uint32_t i = 0; i < b->dims.nodes.n; i++)
        f->memo[i] = DIM_NONE;
}

static void hold_all(Finish *f)
{
    Program *p = f->p;

    p->ntypes = f->types.n;
    p->types = arena_dup(&p->arena, f->types.v, f->types.n * sizeof *p->types);
    p->subs = arena_dup(&p->arena, f->subs.v, f->subs.n * sizeof *p->subs);
    p->consts = arena_dup(&p->arena, f->consts.v, f->consts.n * sizeof *p->consts);
    for (; p->nsubs < f->subs.n; p->nsubs++)
        program_retain(p->subs[p->nsubs]);
    for (; p->nconsts < f->consts.n; p->nconsts++)
        const_data_retain(p->consts[p->nconsts]);
}

const Program *builder_finish_as(Builder *b, const Val *ins, uint32_t nins, const Val *outs, uint32_t nouts)
{
    Finish f = {.b = b};
    LiveView live = {b->eqns.v, b->eqns.n, b->args.v, b->vals.v, b->vals.n, b->types.v, &b->dims, outs, nouts};
    uint32_t kept = b->eqns.n;

    if (b_failed(b))
        return NULL;
    for (uint32_t i = 0; i < nouts; i++)
        if (outs[i] == VAL_NONE || outs[i] >= b->vals.n)
            return fail(b->cx, WF_ERR_INTERNAL, NOWHERE, "%s: result %u is missing", b->name, i), NULL;
    f.keep = arena_alloc(&b->arena, b->eqns.n + 1);
    memset(f.keep, 1, b->eqns.n + 1);
    if (b->mode == B_OPTIMISE)
        kept = live_equations(&b->arena, &live, f.keep);
    Program *p = f.p = new_program(b->cx, b->name);
    dims_init(&p->dims, b->cx, &p->arena);
    make_room(&f, kept, nins, nouts);
    order_symbols(&f, ins, nins);
    map_guards(&f);
    for (uint32_t i = 0; i < nins; i++) {
        f.val[ins[i]] = p->nvals;
        p->vals[p->nvals] = map_info(&f, ins[i], EQN_INPUT);
        p->nvals++;
    }
    p->nin = nins;
    copy_eqns(&f);
    for (uint32_t i = 0; i < nouts; i++)
        p->outs[i] = f.val[outs[i]];
    p->nout = nouts;
    hold_all(&f);
    if (b_failed(b))
        return NULL;
    for (uint32_t i = 0; i < p->nargs + nouts; i++)
        if ((i < p->nargs ? p->args[i] : p->outs[i - p->nargs]) == VAL_NONE)
            return fail(b->cx, WF_ERR_INTERNAL, NOWHERE, "%s: a value depends on a dropped input", b->name), NULL;
    if (p->depth > MAX_NESTING)
        return fail(b->cx, WF_ERR_LIMIT, NOWHERE, "%s: sub-programs are nested deeper than %d", b->name, MAX_NESTING), NULL;
    tell_origins(p);
    program_hash(p);
    p->dims.cx = NULL;
    p->dims.slots = p->dims.names = NULL;
    p->arena.cx = NULL;
    return p;
}

const Program *builder_finish(Builder *b, const Val *outs, uint32_t nouts)
{
    return builder_finish_as(b, b->inputs.v, b->inputs.n, outs, nouts);
}
