/* explicit.c -- what JAX refuses of axes of the type Explicit: layouts that are a part of types, where operands disagree or a
 * contraction would have to be added up.
 *
 *   requires   an equation, and specs of its operands
 *   gives      the words of the error, or NULL
 *
 * Elementwise operations, contractions, sorts, running sums, gathers, reshapes, slices and pads are looked at, and how
 * the results of the last three lie. What the other rules of JAX refuse is decided here as for axes of the type Auto.
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

/* float32 of f32 */
static const char *long_name(const Judge *j, wf_dtype t)
{
    static const char *const kinds[][2] = {{"bf", "bfloat"}, {"f", "float"}, {"i", "int"}, {"u", "uint"}, {"c", "complex"}};
    const char *name = wf_dtype_name(t);

    for (size_t k = 0; k < COUNT(kinds); k++) {
        size_t n = strlen(kinds[k][0]);

        if (!strncmp(name, kinds[k][0], n) && name[n] >= '0' && name[n] <= '9')
            return arena_printf(j->a, "%s%s", kinds[k][1], name + n);
    }
    return name;
}

/* f32[4@x,2], or float32[4@x,2] */
static void put_type_as(const Judge *j, Text *t, const char *dtype, Type x, const Spec *s)
{
    text_printf(t, "%s[", dtype);
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

static void put_type(const Judge *j, Text *t, Type x, const Spec *s)
{
    put_type_as(j, t, wf_dtype_name((wf_dtype)x.dtype), x, s);
}

static const char *first_type(const Judge *j, bool in_full)
{
    Type x = val_type(j->p, eqn_in(j->p, j->e)[0]);
    Text t;

    text_init(&t, j->a);
    put_type_as(j, &t, in_full ? long_name(j, (wf_dtype)x.dtype) : wf_dtype_name((wf_dtype)x.dtype), x, &j->in[0]);
    return text_str(&t);
}

/* (2, 4); each: how an element is written. */
static const char *sizes_of(const Judge *j, Type x, const char *each)
{
    Text t;

    text_init(&t, j->a);
    text_char(&t, '(');
    for (uint32_t k = 0; k < x.rank; k++) {
        text_add(&t, k ? ", " : "");
        text_printf(&t, *each ? "np.int64(%lld)" : "%lld", (long long)x.dims[k]);
    }
    text_add(&t, x.rank == 1 ? ",)" : ")");
    return text_str(&t);
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

static const char *mesh_words(const Judge *j)
{
    Text t;

    text_init(&t, j->a);
    text_add(&t, "AbstractMesh(");
    for (uint32_t k = 0; k < j->mesh->n; k++)
        text_printf(&t, "'%s': %lld, ", j->mesh->name[k], (long long)j->mesh->size[k]);
    text_add(&t, "axis_types=(");
    for (uint32_t k = 0; k < j->mesh->n; k++)
        text_printf(&t, "%s%s", k ? ", " : "", j->mesh->typed & 1u << k ? "Explicit" : "Auto");
    text_printf(&t, "%s), device_kind=cpu, num_cores=None, platform=cpu)", j->mesh->n == 1 ? "," : "");
    return text_str(&t);
}

static const char *judge_sort(const Judge *j)
{
    uint32_t axis = (uint32_t)((const AxisAttr *)j->e->attr)->axis;

    for (uint32_t i = 0; i < j->e->nin; i++)
        if (j->in[i].dim[axis].n)
            return arena_printf(j->a,
                                "Arguments to sort must be unsharded over the sorting "
                                "dimension. Got arg sharding=NamedSharding(mesh=%s, spec=P%s) and "
                                "sorting dimension=%u",
                                mesh_words(j), tuple_of(j, i, NULL, j->in[i].rank), axis);
    return NULL;
}

static const char *judge_cumulative(const Judge *j)
{
    uint32_t axis = (uint32_t)((const AxisAttr *)j->e->attr)->axis;

    return j->in[0].dim[axis].n ? arena_printf(j->a, "Input should be unsharded over the axis being reduced. Got input type=%s and axis=%u",
                                               first_type(j, true), axis)
                                : NULL;
}

/* Axes that are cut, or made longer, come out even. */
static const char *judge_cut(const Judge *j)
{
    Type x = val_type(j->p, eqn_in(j->p, j->e)[0]), y = val_type(j->p, j->e->out);
    const char *name = j->e->op == OP_pad ? "padding" : j->e->op == OP_slice ? "slicing" : "dynamic_slice";

    for (uint32_t k = 0; k < x.rank; k++) {
        const AxisList *l = &j->in[0].dim[k];
        int64_t n = mesh_count(j->mesh, *l);
        Text t;

        if (!l->n || x.dims[k] == y.dims[k] || !dim_is_const(y.dims[k]) || y.dims[k] % n == 0)
            continue;
        text_init(&t, j->a);
        put_entry(j, &t, l);
        return arena_printf(j->a, "%s on sharded dims where out dim (%lld) is not divisible by mesh axes (%lld) with spec (%s) is not "
                                  "implemented. Got input type=%s and output shape=%s",
                            name, (long long)y.dims[k], (long long)n, l->n > 1 ? text_str(&t) : j->mesh->name[l->v[0]],
                            first_type(j, false), sizes_of(j, y, j->e->op == OP_pad ? "np" : ""));
    }
    return NULL;
}

/* Axes that are taken whole, and only those, may be divided. */
static const char *judge_gather(const Judge *j)
{
    const GatherAttr *a = j->e->attr;
    const Val *in = eqn_in(j->p, j->e);
    Type x = val_type(j->p, in[0]), at = val_type(j->p, in[1]);
    bool fine = true;
    Text t;

    for (uint32_t k = 0; k < x.rank; k++)
        fine = fine && (!j->in[0].dim[k].n || ints_have(a->operand_batching, k) || (a->slice_sizes.v[k] == x.dims[k] && !ints_have(a->collapsed, k)));
    if (fine)
        return NULL;
    text_init(&t, j->a);
    put_type_as(j, &t, long_name(j, (wf_dtype)at.dtype), at, &j->in[1]);
    return arena_printf(j->a, "Use `.at[...].get(out_sharding=)` to provide output PartitionSpec for the gather indexing as out sharding could "
                              "not be resolved unambiguously (or would require collectives on inputs). Got operand=ShapedArray(%s), "
                              "indices=ShapedArray(%s)",
                        first_type(j, true), text_str(&t));
}

/* ---- how results lie ---- */

/* The next axes of the mesh in list, as many as divide n evenly in their order; false: one does not come out even. */
static bool take_axes(const Mesh *m, const AxisList *list, uint32_t *next, int64_t n, AxisList *out)
{
    while (n > 1 && *next < list->n) {
        uint8_t axis = list->v[(*next)++];

        if (n % m->size[axis])
            return false;
        n /= m->size[axis];
        out->v[out->n++] = axis;
    }
    return true;
}

/* The axes of many from k on that make one of size n, with the ones behind them but for one that is an axis by itself; 0: none do. */
static uint32_t made_of(const Type *many, uint32_t k, int64_t n, bool one_next)
{
    uint32_t count = 0;
    int64_t size = 1;

    while (k + count < many->rank && size < n)
        size *= many->dims[k + count++];
    if (size != n)
        return 0;
    if (!count)
        count = 1;
    while (k + count < many->rank && many->dims[k + count] == 1 && !one_next)
        count++;
    return count;
}

/* One axis made into several, or several into one: the others lie as they did. */
static bool lie_regrouped(const Mesh *m, Type x, const Spec *in, Type y, Spec *out)
{
    bool splits = y.rank > x.rank;
    const Type *few = splits ? &x : &y, *many = splits ? &y : &x;
    uint32_t k = 0, groups = 0;

    for (uint32_t i = 0; i < few->rank; i++) {
        uint32_t n = k < many->rank && many->dims[k] == few->dims[i] ? 1
                     : made_of(many, k, few->dims[i], i + 1 < few->rank && few->dims[i + 1] == 1), next = 0;
        AxisList all = {0};

        if (!n || k + n > many->rank || (n > 1 && ++groups > 1))
            return false;
        for (uint32_t g = 0, gap = 0; g < (splits ? 1 : n); g++) { /* the axes that divide the group, the first major */
            const AxisList *l = &in->dim[splits ? i : k + g];

            if (gap && l->n)
                return false;
            gap = !l->n;
            for (uint32_t a = 0; a < l->n; a++)
                all.v[all.n++] = l->v[a];
        }
        for (uint32_t g = 0; g < (splits ? n : 1); g++)
            if (n == 1)
                out->dim[splits ? k : i] = all;
            else if (!take_axes(m, &all, &next, splits ? many->dims[k + g] : few->dims[i], &out->dim[splits ? k + g : i]))
                return false;
        if (n > 1 && next < all.n)
            return false;
        k += n;
    }
    return k == many->rank;
}

static bool lie_reshaped(const Mesh *m, Type x, const Spec *in, Type y, Spec *out)
{
    uint32_t k = 0;
    bool same = true, divided = false;

    for (uint32_t i = 0; i < x.rank; i++)
        divided = divided || in->dim[i].n;
    if (!divided)
        return true;
    for (uint32_t i = 0; i < x.rank && same; i++) { /* but for ones? */
        if (x.dims[i] == 1)
            continue;
        while (k < y.rank && y.dims[k] == 1)
            k++;
        same = k < y.rank && y.dims[k] == x.dims[i];
        if (same)
            out->dim[k++] = in->dim[i];
    }
    while (k < y.rank && y.dims[k] == 1)
        k++;
    if (same && k == y.rank)
        return true;
    *out = (Spec){.rank = y.rank};
    return x.rank != y.rank && lie_regrouped(m, x, in, y, out);
}

static const char *judge_reshape(const Judge *j)
{
    Type x = val_type(j->p, eqn_in(j->p, j->e)[0]), y = val_type(j->p, j->e->out);
    Spec out = {.rank = y.rank};

    return lie_reshaped(j->mesh, x, &j->in[0], y, &out)
               ? NULL
               : arena_printf(j->a, "This reshape is not supported. Please specify the sharding of the output via the `out_sharding` "
                                    "argument of jax.lax.reshape. Got operand type: %s, new sizes: %s",
                              first_type(j, true), sizes_of(j, y, ""));
}

/* Axes of the mesh that are a part of types, over what axes of the type Auto have made of it. */
void xf_explicit_result(const Mesh *m, const Program *p, const Eqn *e, const Spec *in, Spec *out)
{
    Type x = val_type(p, eqn_in(p, e)[0]), y = val_type(p, e->out);
    Spec typed = {.rank = y.rank}, own;

    if (!m->typed || (e->op != OP_reshape && e->op != OP_slice && e->op != OP_dynamic_slice && e->op != OP_pad))
        return;
    own = spec_without(in, ~m->typed);
    if (e->op == OP_reshape) {
        if (!lie_reshaped(m, x, &own, y, &typed))
            return;
    } else {
        for (uint32_t k = 0; k < y.rank; k++)
            if (dim_is_const(y.dims[k]) && y.dims[k] % mesh_count(m, own.dim[k]) == 0)
                typed.dim[k] = own.dim[k];
    }
    for (uint32_t k = 0; k < y.rank; k++)
        for (uint32_t i = 0; i < typed.dim[k].n; i++)
            typed.used |= 1u << typed.dim[k].v[i];
    own = spec_without(out, m->typed);
    *out = spec_over(&typed, &own);
}

const char *xf_explicit(wf_ctx *cx, const Mesh *m, const Program *p, const Eqn *e, const Spec *in)
{
    Judge j = {&cx->scratch, m, p, e, arena_array(&cx->scratch, e->nin + 1u, sizeof *in)};

    for (uint32_t i = 0; i < e->nin; i++)
        j.in[i] = spec_without(&in[i], ~m->typed);
    switch (e->op) {
    case OP_dot_general: return judge_dot(&j);
    case OP_sort: return judge_sort(&j);
    case OP_cumsum:
    case OP_cumprod:
    case OP_cummax:
    case OP_cummin: return judge_cumulative(&j);
    case OP_reshape: return judge_reshape(&j);
    case OP_gather: return judge_gather(&j);
    case OP_slice:
    case OP_dynamic_slice:
    case OP_pad: return judge_cut(&j);
    default: return op_row(e->op)->lower.kind == LOWER_MAP ? judge_map(&j) : NULL;
    }
}
