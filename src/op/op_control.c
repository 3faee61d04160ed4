/* op_control.c -- what the rules of ops with sub-programs share: building sub-programs
 * over the symbols of the program around them, and calling a transformed sub-program in
 * the place of the old one.
 *
 * A sub-program has its own symbols; Sub.binds says what they stand for where it is used.
 * A transformed sub-program keeps the names of its symbols, so binds carry over by name
 * (sub_like). A sub-program put together from several (a loop's condition and body, a
 * branch and its mask) is built in a Nest, whose symbols are those of the program around
 * it.
 */
#include "op/control.h"

/* ---- small things ---- */

uint32_t count_true(const bool *v, uint32_t n)
{
    uint32_t k = 0;

    for (uint32_t i = 0; i < n; i++)
        k += v[i];
    return k;
}

Val zeros_if_none(Builder *b, Val v, Type type)
{
    return v == VAL_NONE ? b_zeros(b, type) : v;
}

void nonzero_of(const Val *v, uint32_t n, bool *out)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = v[i] != VAL_NONE;
}

uint32_t join_nonzero(const Val *v, uint32_t n, const Val *dv, Val *out)
{
    uint32_t k = n;

    memcpy(out, v, n * sizeof *v);
    for (uint32_t i = 0; i < n; i++)
        if (dv[i] != VAL_NONE)
            out[k++] = dv[i];
    return k;
}

uint32_t op_spread(const Val *v, const bool *nz, uint32_t n, Val *out)
{
    uint32_t k = 0;

    for (uint32_t i = 0; i < n; i++)
        out[i] = nz[i] ? v[k++] : VAL_NONE;
    return k;
}

const char *input_name(const Program *p, uint32_t i)
{
    uint32_t name = p->vals[program_in(p, i)].name;

    return name ? p->names[name] : NULL;
}

Type elem_type(Type stacked)
{
    return (Type){stacked.dtype, (uint8_t)(stacked.rank - 1), stacked.dims + 1};
}

Type stack_type(Builder *b, Type type, Dim length)
{
    Dim dims[MAX_RANK + 1];

    dims[0] = length;
    if (type.rank) /* of no value, after an error, there are no dims */
        memcpy(dims + 1, type.dims, type.rank * sizeof *dims);
    return b_make_type(b, (wf_dtype)type.dtype, dims, type.rank + 1u);
}

Type op_sub_type(Builder *b, const Sub *s, Type of_program)
{
    Dim dims[MAX_RANK];

    for (uint32_t i = 0; i < of_program.rank; i++)
        dims[i] = dim_subst(&b->dims, &s->p->dims, of_program.dims[i], s->binds.v);
    return b_make_type(b, (wf_dtype)of_program.dtype, dims, of_program.rank);
}

bool type_has_symbol(const Program *p, Type type, SymOrigin origin)
{
    for (uint32_t i = 0; i < type.rank; i++)
        if (dim_mentions(&p->dims, type.dims[i], origin))
            return true;
    return false;
}

void op_used_inputs(const Program *p, bool *used)
{
    memset(used, 0, p->nin);
    for (uint32_t i = 0; i < p->nargs; i++)
        if (p->args[i] <= p->nin)
            used[p->args[i] - 1] = true;
    for (uint32_t i = 0; i < p->nout; i++)
        if (p->outs[i] <= p->nin)
            used[p->outs[i] - 1] = true;
}

/* ---- Nest ---- */

void nest_begin(Nest *n, Builder *outer, const char *name, Place place)
{
    n->outer = outer;
    n->b = builder_new(outer->cx, name, B_OPTIMISE);
    n->nmap = outer->dims.syms.n;
    n->map = NEW(outer, n->nmap, Dim);
    for (uint32_t i = 0; i < n->nmap; i++) {
        n->map[i] = dim_symbol(&n->b->dims, outer->dims.syms.v[i].name, SYM_INPUT);
        n->b->dims.syms.v[n->b->dims.syms.n - 1].hint = outer->dims.syms.v[i].hint;
    }
    for (uint32_t i = 0; i < outer->dims.guards.n;
         i++) { /* what is known outside is known inside */
        Guard g = outer->dims.guards.v[i];
        dim_guard(&n->b->dims, nest_dim(n, g.lhs), g.is_eq, nest_dim(n, g.rhs), place);
    }
    b_at(n->b, place);
}

Dim nest_dim(Nest *n, Dim outer_dim)
{
    if (outer_dim >= 0 || outer_dim == DIM_NONE)
        return outer_dim;
    return dim_subst(&n->b->dims, &n->outer->dims, outer_dim, n->map);
}

Type nest_type(Nest *n, Type outer_type)
{
    Dim dims[MAX_RANK];

    for (uint32_t i = 0; i < outer_type.rank; i++)
        dims[i] = nest_dim(n, outer_type.dims[i]);
    return b_make_type(n->b, (wf_dtype)outer_type.dtype, dims, outer_type.rank);
}

Val nest_input(Nest *n, Type outer_type, const char *name)
{
    return b_input(n->b, name, nest_type(n, outer_type));
}

Sub nest_sub(Nest *n, const Sub *s)
{
    Dim *binds = NEW(n->b, s->binds.n, Dim);

    for (uint32_t i = 0; i < s->binds.n; i++)
        binds[i] = nest_dim(n, s->binds.v[i]);
    return (Sub){s->p, {s->binds.n, binds}};
}

bool nest_inline(Nest *n, const Sub *s, const Val *in, Val *out)
{
    Sub here = nest_sub(n, s);

    return !b_failed(n->b) && b_inline_sub(n->b, &here, in, out, NULL);
}

Sub nest_end(Nest *n, const Val *outs, uint32_t nouts)
{
    const Program *p = builder_finish(n->b, outs, nouts);
    Dim *binds;

    if (!p)
        return (Sub){0};
    binds = NEW(n->outer, p->dims.syms.n, Dim);
    for (uint32_t i = 0; i < p->dims.syms.n; i++) {
        const Symbol *s = &p->dims.syms.v[i];
        binds[i] = s->origin == SYM_EQN ? DIM_NONE : dim_find(&n->outer->dims, s->name);
    }
    return (Sub){p, {p->dims.syms.n, binds}};
}

/* ---- batch ---- */

Sub op_sub_batch(Builder *b, const Sub *s, const Batch *bt, const int *axis,
              const bool *want, int *out_axis)
{
    int64_t size = -1;
    const Program *p;
    Sub out;
    Dim *binds;

    if (!dim_value(&b->dims, bt->size, &size))
        size = -1;
    p = b_failed(b) ? NULL
                    : xf_batch(b->cx, s->p, size, bt->name ? bt->name : "B", bt->name,
                               axis, want, out_axis);
    if (!p) {
        for (uint32_t j = 0; j < s->p->nout; j++)
            out_axis[j] = -1;
        return (Sub){0};
    }
    out = sub_like(b, s, p);
    binds = NEW(b, out.binds.n, Dim);
    for (uint32_t i = 0; i < out.binds.n;
         i++) /* the one new symbol is the size of the batch */
        binds[i] = out.binds.v[i] == DIM_NONE && p->dims.syms.v[i].origin != SYM_EQN
                       ? bt->size
                       : out.binds.v[i];
    out.binds.v = binds;
    return out;
}

Val batch_to_front(Builder *b, Val v, int axis, Dim size, bool all)
{
    if (b_failed(b))
        return VAL_NONE;
    if (axis < 0)
        return all ? b_broadcast_axis(b, v, 0, size) : v;
    return b_move_axis(b, v, (uint32_t)axis, 0);
}

/* ---- partition ---- */

Sub op_sub_rest(PartitionRule *r, const Sub *s)
{
    Dim *binds = NEW(r->rest, s->binds.n, Dim);

    for (uint32_t i = 0; i < s->binds.n; i++)
        binds[i] = s->binds.v[i] == DIM_NONE ? DIM_NONE : partition_dim(r, s->binds.v[i]);
    return (Sub){s->p, {s->binds.n, binds}};
}

/* call known(known ins) -> (known outs.., residuals..); call rest(residuals.., unknown
 * ins) */
bool partition_sub(PartitionRule *r, const Sub *s, uint32_t first)
{
    uint32_t nin = s->p->nin, nout = s->p->nout, n = 0, nk, k = 0;
    const Val *ek = r->ek.in + first, *er = r->er.in + first;
    bool *in_known = NEW(r->known, nin, bool);
    Val *in = NEW(r->rest, nin, Val), *rest_in;
    Val *out;
    Split sp;

    nonzero_of(ek, nin, in_known);
    if (!split_sub(r->cx, s->p, in_known, NULL, &sp))
        return false;
    for (uint32_t i = 0; i < nin; i++)
        if (in_known[i])
            in[n++] = ek[i];
    nk = count_true(sp.out_known, nout);
    Sub known = sub_like(r->known, s, sp.known);
    out = b_call(r->known, &known, in, n, &n);
    if (failed(r->cx))
        return false;
    op_spread(out, sp.out_known, nout, r->out_known);
    rest_in = NEW(r->rest, sp.nres + nin, Val);
    for (uint32_t i = 0; i < sp.nres; i++)
        rest_in[i] = partition_residual(r, sp.res_input[i] >= 0 ? ek[sp.res_input[i]]
                                                                : out[nk + i]);
    n = sp.nres;
    for (uint32_t i = 0; i < nin; i++)
        if (!in_known[i])
            rest_in[n++] = er[i];
    Sub here = op_sub_rest(r, s), rest = sub_like(r->rest, &here, sp.rest);
    out = b_call(r->rest, &rest, rest_in, n, &n);
    if (failed(r->cx))
        return false;
    for (uint32_t j = 0; j < nout; j++)
        if (!sp.out_known[j])
            r->out_rest[j] = out[k++];
    return true;
}

/* ---- transpose ---- */

void transpose_sub(Builder *b, const Sub *s, const Val *in, uint32_t nin, const Val *gy,
                   Val *gx)
{
    uint32_t nout = s->p->nout, n = 0;
    bool *linear = NEW(b, nin, bool), *in_nz = NEW(b, nin, bool),
         *out_nz = NEW(b, nout, bool);
    Val *args = NEW(b, nin + nout, Val), *out;
    const Program *t;

    for (uint32_t i = 0; i < nin; i++) {
        linear[i] = in[i] == VAL_NONE;
        if (!linear[i])
            args[n++] = in[i];
    }
    for (uint32_t j = 0; j < nout; j++) {
        out_nz[j] = gy[j] != VAL_NONE;
        if (out_nz[j])
            args[n++] = gy[j];
    }
    t = xf_transpose(b->cx, s->p, linear, out_nz, NULL, in_nz);
    if (!t)
        return;
    Sub st = sub_like(b, s, t);
    out = b_call(b, &st, args, n, &n);
    if (!b_failed(b))
        op_spread(out, in_nz, nin, gx);
}

Sub equation_as_sub(Builder *b, const EqnView *e)
{
    Nest n;
    Val *in = NEW(b, e->nin, Val), *out;
    uint32_t nout;
    void *attr;

    nest_begin(&n, b, op_name(e->op), e->place);
    for (uint32_t i = 0; i < e->nin; i++)
        in[i] = nest_input(&n, e->in_type[i], NULL);
    attr = attr_copy(e->row, e->attr, &n.b->arena, &n.b->dims, &b->dims, n.map);
    n.b->mode = B_VERBATIM; /* the equation itself, not what it folds to */
    out = b_eqn_n(n.b, (OpCode)e->op, in, e->nin, attr, &nout);
    n.b->mode = B_OPTIMISE;
    return nest_end(&n, out, nout);
}

/* The known half of s, inlined on the operands that are there; rest gets its binds, among
 * them the symbols that known defines, which are free in rest. */
static Val *inline_known(Builder *b, const Sub *s, const Split *sp, const Val *operands,
                         Sub *rest)
{
    const Dims *ds = &sp->known->dims, *dr = &sp->rest->dims;
    Sub known = sub_like(b, s, sp->known);
    Val *out = NEW(b, sp->known->nout, Val);
    Dim *binds;
    Copier c;

    *rest = sub_like(b, s, sp->rest);
    copier_init(&c, b, sp->known, known.binds.v, NULL);
    for (uint32_t i = 0, k = 0; i < s->p->nin; i++)
        if (operands[i] != VAL_NONE)
            c.val[program_in(sp->known, k++)] = operands[i];
    for (uint32_t i = 0; i < sp->known->neqns && !b_failed(b); i++)
        copier_eqn(&c, &sp->known->eqns[i]);
    for (uint32_t j = 0; j < sp->known->nout; j++)
        out[j] = c.val[sp->known->outs[j]];
    binds = arena_dup(&b->arena, rest->binds.v, rest->binds.n * sizeof *binds);
    for (uint32_t i = 0; i < rest->binds.n; i++)
        for (uint32_t k = 0; k < ds->syms.n && binds[i] == DIM_NONE; k++)
            if (dr->syms.v[i].origin != SYM_EQN &&
                !strcmp(dr->syms.v[i].name, ds->syms.v[k].name))
                binds[i] = c.sym[k];
    rest->binds.v = binds;
    return out;
}

/*   y = f(x, l) linear in l:   r = known(x);  y = rest(r, l);   gl = rest^T(r, gy)   */
bool transpose_by_split(Builder *b, const EqnView *e, const Val *gy, Val *gx)
{
    Sub s = equation_as_sub(b, e), rest;
    bool *in_known = NEW(b, e->nin, bool), *want = NEW(b, e->nout, bool);
    Val *out, *rest_in, *rest_gx, *rest_gy = NEW(b, e->nout, Val);
    uint32_t nk, n = 0;
    Split sp;

    nonzero_of(e->in, e->nin, in_known);
    nonzero_of(gy, e->nout, want);
    if (!s.p || !xf_partition(b->cx, s.p, in_known, want, &sp))
        return true;
    for (uint32_t i = 0; i < sp.rest->neqns; i++)
        if (e->op == OP_while && sp.rest->eqns[i].op == OP_while)
            return false;
    out = inline_known(b, &s, &sp, e->in, &rest);
    if (b_failed(b))
        return true;
    nk = count_true(sp.out_known, e->nout);
    rest_in = NEW(b, sp.rest->nin, Val);
    rest_gx = NEW(b, sp.rest->nin, Val);
    memcpy(rest_in, out + nk, sp.nres * sizeof *out);
    for (uint32_t j = 0; j < e->nout; j++)
        if (!sp.out_known[j])
            rest_gy[n++] = gy[j];
    transpose_sub(b, &rest, rest_in, sp.rest->nin, rest_gy, rest_gx);
    n = sp.nres;
    for (uint32_t i = 0; i < e->nin; i++)
        if (!in_known[i])
            gx[i] = rest_gx[n++];
    return true;
}
