/* explicit.c -- what JAX refuses of axes of the type Explicit: layouts that are a part of types, where operands disagree or a
 * contraction would have to be added up.
 *
 *   requires   an equation, and specs of its operands
 *   gives      the words of the error, or NULL
 *
 * Elementwise operations, contractions, joins and sorts are looked at. What the other rules of JAX refuse is decided here as for
 * axes of the type Auto.
 */
#include "op/mesh.h"
#include "transform/transform.h"

typedef struct Judge {
    Arena *a;
    const Mesh *mesh;
    const Program *p;
    const Eqn *e;
    Spec *in; /* of axes of the type Explicit alone */
} Judge;

static bool same_axes(const AxisList *x, const AxisList *y)
{
    return x->n == y->n && !memcmp(x->v, y->v, x->n);
}

/* 'x', ('x', 'y') or None */
static void put_entry(const Judge *j, Text *t, const AxisList *l)
{
    if (!l->n)
        text_add(t, "None");
    for (uint32_t i = 0; i < l->n; i++)
        text_printf(t, "%s'%s'%s",
                    i          ? ", "
                    : l->n > 1 ? "("
                               : "",
                    j->mesh->name[l->v[i]], i + 1 == l->n && l->n > 1 ? ")" : "");
}

/* As Python writes a tuple, of these axes of an operand. */
static const char *tuple_of(const Judge *j, uint32_t operand, const int64_t *axes,
                            uint32_t n)
{
    Text t;

    text_init(&t, j->a);
    text_char(&t, '(');
    for (uint32_t k = 0; k < n; k++) {
        text_add(&t, k ? ", " : "");
        put_entry(j, &t, &j->in[operand].dim[axes ? axes[k] : k]);
    }
    text_add(&t, n == 1 ? ",)" : ")");
    return text_str(&t);
}

/* f32[4@x,2] */
static void put_type(const Judge *j, Text *t, Type x, const Spec *s)
{
    text_printf(t, "%s[", wf_dtype_name((wf_dtype)x.dtype));
    for (uint32_t k = 0; k < x.rank; k++) {
        const AxisList *l = &s->dim[k];

        text_printf(t, "%s%lld", k ? "," : "", (long long)x.dims[k]);
        for (uint32_t i = 0; i < l->n; i++)
            text_printf(t, "%s%s%s",
                        i          ? ","
                        : l->n > 1 ? "@("
                                   : "@",
                        j->mesh->name[l->v[i]], i + 1 == l->n && l->n > 1 ? ")" : "");
    }
    text_char(t, ']');
}

/* A result whose axes would be divided by one axis of the mesh twice. */
static const char *twice(const Judge *j, const Spec *y)
{
    uint32_t seen = 0;
    bool twice = false;
    Text t;

    for (uint32_t k = 0; k < y->rank; k++)
        for (uint32_t i = 0; i < y->dim[k].n; i++) {
            twice = twice || seen & 1u << y->dim[k].v[i];
            seen |= 1u << y->dim[k].v[i];
        }
    if (!twice)
        return NULL;
    text_init(&t, j->a);
    text_printf(&t, "%s operation with inputs: ", op_name(j->e->op));
    for (uint32_t i = 0; i < j->e->nin; i++) {
        text_add(&t, i ? ", " : "");
        put_type(j, &t, val_type(j->p, eqn_in(j->p, j->e)[i]), &j->in[i]);
    }
    text_add(&t, " produces an illegally sharded result: ");
    put_type(j, &t, val_type(j->p, j->e->out), y);
    return text_str(&t);
}

static const char *judge_map(const Judge *j)
{
    Spec y = {.rank = val_type(j->p, j->e->out).rank};
    Text t;

    for (uint32_t k = 0; k < y.rank; k++)
        for (uint32_t i = 0; i < j->e->nin; i++) {
            const AxisList *x = &j->in[i].dim[k];

            if (j->in[i].rank != y.rank || !x->n)
                continue;
            if (y.dim[k].n && !same_axes(x, &y.dim[k])) {
                text_init(&t, j->a);
                text_printf(&t, "%s got incompatible shardings for broadcasting: ",
                            op_name(j->e->op));
                for (uint32_t o = 0, n = 0; o < j->e->nin; o++)
                    if (j->in[o].rank)
                        text_printf(&t, "%s%s", n++ ? ", " : "",
                                    tuple_of(j, o, NULL, j->in[o].rank));
                text_char(&t, '.');
                return text_str(&t);
            }
            y.dim[k] = *x;
        }
    return twice(j, &y);
}

/* Do axes of both sides, which are one, disagree? both: or are both divided? */
static bool disagree(const Judge *j, Ints lhs, Ints rhs, bool both)
{
    for (uint32_t i = 0; i < lhs.n; i++) {
        const AxisList *x = &j->in[0].dim[lhs.v[i]], *y = &j->in[1].dim[rhs.v[i]];

        if (x->n && y->n && (both || !same_axes(x, y)))
            return true;
    }
    return false;
}

static const char *judge_dot(const Judge *j)
{
    const DotAttr *d = j->e->attr;
    const char *lb = tuple_of(j, 0, d->lhs_batch.v, d->lhs_batch.n),
               *rb = tuple_of(j, 1, d->rhs_batch.v, d->rhs_batch.n);
    const char *lc = tuple_of(j, 0, d->lhs.v, d->lhs.n),
               *rc = tuple_of(j, 1, d->rhs.v, d->rhs.n);
    Spec y = {0};

    if (disagree(j, d->lhs_batch, d->rhs_batch, false))
        return arena_printf(j->a,
                            "dot_general requires lhs batch dimensions and rhs batch "
                            "dimensions to have the consistent "
                            "sharding, got %s and %s.",
                            lb, rb);
    if (disagree(j, d->lhs, d->rhs, false))
        return arena_printf(j->a,
                            "dot_general requires contracting dimensions to have "
                            "consistent sharding, got %s and %s.",
                            lc, rc);
    if (disagree(j, d->lhs, d->rhs, true))
        return arena_printf(j->a,
                            "Contracting dimensions are sharded and it is ambiguous how "
                            "the output should be sharded. Please "
                            "specify the output sharding via the `out_sharding` "
                            "parameter. Got lhs_contracting_spec=%s and "
                            "rhs_contracting_spec=%s",
                            lc, rc);
    for (uint32_t i = 0; i < d->lhs_batch.n; i++)
        y.dim[y.rank++] = j->in[0].dim[d->lhs_batch.v[i]];
    for (uint32_t side = 0; side < 2; side++)
        for (uint32_t k = 0; k < j->in[side].rank; k++)
            if (!ints_have(side ? d->rhs : d->lhs, k) &&
                !ints_have(side ? d->rhs_batch : d->lhs_batch, k))
                y.dim[y.rank++] = j->in[side].dim[k];
    return twice(j, &y);
}

static const char *judge_sort(const Judge *j)
{
    uint32_t axis = (uint32_t)((const AxisAttr *)j->e->attr)->axis;

    for (uint32_t i = 0; i < j->e->nin; i++)
        if (j->in[i].dim[axis].n)
            return arena_printf(j->a,
                                "Arguments to sort must be unsharded over the sorting "
                                "dimension. Got arg sharding=P%s and "
                                "sorting dimension=%u",
                                tuple_of(j, i, NULL, j->in[i].rank), axis);
    return NULL;
}

const char *xf_explicit(wf_ctx *cx, const Mesh *m, uint32_t axes, const Program *p,
                        const Eqn *e, const Spec *in)
{
    Judge j = {&cx->scratch, m, p, e, arena_array(&cx->scratch, e->nin + 1u, sizeof *in)};

    for (uint32_t i = 0; i < e->nin; i++)
        j.in[i] = spec_without(&in[i], ~axes);
    switch (e->op) {
    case OP_dot_general: return judge_dot(&j);
    case OP_sort: return judge_sort(&j);
    default: return op_row(e->op)->lower.kind == LOWER_MAP ? judge_map(&j) : NULL;
    }
}
