/* bind.c -- inputs become constants.
 *
 *   keeps    the other inputs in their order, results, places, derivative rules
 *   method   Sizes that stand bare in the shape of a bound input are those of its array,
 *            everywhere; then the program is copied with constants in place of inputs.
 *            Numbers are copied, since arrays may be written later.
 */
#include "transform/transform.h"

typedef struct Binding {
    wf_ctx *cx;
    const Program *p;
    wf_array **array; /* for each input; NULL: it stays */
    Dim *syms;        /* for each symbol its size; DIM_NONE: it stays */
} Binding;

static const char *input_name(const Program *p, uint32_t i)
{
    return p->vals[i + 1].name ? p->names[p->vals[i + 1].name] : "";
}

static bool wrong(const Binding *k, uint32_t i, const char *why)
{
    const Program *p = k->p;
    Text got;

    text_init(&got, &k->cx->scratch);
    text_printf(&got, "%s[", wf_dtype_name(wf_array_dtype(k->array[i])));
    for (int d = 0; d < wf_array_rank(k->array[i]); d++)
        text_printf(&got, "%s%lld", d ? "," : "",
                    (long long)wf_array_dims(k->array[i])[d]);
    return fail(k->cx, WF_ERR_SHAPE, NOWHERE,
                "bind: input %u '%s' of '%s' is %s, not %s]%s", i, input_name(p, i), p->name,
                type_str(&p->dims, val_type(p, i + 1), &k->cx->scratch), text_str(&got),
                why);
}

static bool take_arrays(Binding *k, const int *which, wf_array *const *arrays, int n)
{
    const Program *p = k->p;

    for (int i = 0; i < n; i++) {
        if (which[i] < 0 || (uint32_t)which[i] >= p->nin)
            return fail(k->cx, WF_ERR_INDEX, NOWHERE,
                        "bind: there is no input %d; '%s' has %u", which[i], p->name,
                        p->nin);
        if (!arrays[i])
            return fail(k->cx, WF_ERR_ARG, NOWHERE, "bind: the array of input %d is NULL",
                        which[i]);
        if (k->array[which[i]])
            return fail(k->cx, WF_ERR_ARG, NOWHERE, "bind: input %d is given twice",
                        which[i]);
        k->array[which[i]] = arrays[i];
    }
    return true;
}

/* Dtype, rank and constant sizes must fit; symbols that stand bare take the sizes. */
static bool bind_shape(Binding *k, uint32_t i)
{
    const Program *p = k->p;
    const int64_t *dims = wf_array_dims(k->array[i]);
    Type t = val_type(p, i + 1);

    if (wf_array_dtype(k->array[i]) != (wf_dtype)t.dtype ||
        wf_array_rank(k->array[i]) != t.rank)
        return wrong(k, i, "");
    for (uint32_t d = 0; d < t.rank; d++) {
        const DimNode *n = t.dims[d] < 0 ? dim_node(&p->dims, t.dims[d]) : NULL;
        Dim *sym = n && n->kind == DIM_SYM ? &k->syms[n->sym] : NULL;

        if ((!n && t.dims[d] != dims[d]) || (sym && *sym != DIM_NONE && *sym != dims[d]))
            return wrong(k, i, "");
        if (sym)
            *sym = dims[d];
    }
    return true;
}

static void release_array(void *a) { wf_array_release(a); }

static Val make_const(Binding *k, Copier *c, uint32_t i)
{
    const int64_t *dims = wf_array_dims(k->array[i]);
    Type t = copier_type(c, val_type(k->p, i + 1));
    wf_array *host;

    if (b_failed(c->b))
        return VAL_NONE;
    for (uint32_t d = 0; d < t.rank; d++)
        if (!dim_is_const(t.dims[d]) || t.dims[d] != dims[d]) {
            wrong(k, i, dim_is_const(t.dims[d])
                            ? ""
                            : "; bind or specialise the size it depends on, too");
            return VAL_NONE;
        }
    if (!wf_array_count(k->array[i]))
        return b_zeros(c->b, t);
    if (wf_array_contiguous(k->cx, k->array[i], &host) != WF_OK)
        return VAL_NONE;
    pool_defer(k->cx, release_array, host);
    return b_const(c->b, t, wf_array_data(host));
}

static void add_inputs(Binding *k, Copier *c)
{
    const Program *p = k->p;

    for (uint32_t i = 0; i < p->nin && !b_failed(c->b); i++) {
        uint32_t name = p->vals[i + 1].name;

        if (!k->array[i]) {
            c->val[i + 1] = b_input(c->b, name ? p->names[name] : NULL,
                                    copier_type(c, val_type(p, i + 1)));
            continue;
        }
        c->val[i + 1] = make_const(k, c, i);
        if (name && c->val[i + 1])
            b_name(c->b, c->val[i + 1], p->names[name]);
    }
}

const Program *xf_bind(wf_ctx *cx, const Program *p, const int *which,
                       wf_array *const *arrays, int n)
{
    Binding k = {.cx = cx, .p = p};
    Builder *b = builder_new(cx, p->name, B_OPTIMISE);
    Val *outs = arena_array(&cx->scratch, p->nout + 1, sizeof *outs);
    Copier c;

    k.array = arena_zalloc(&cx->scratch, (p->nin + 1) * sizeof *k.array);
    k.syms = arena_array(&cx->scratch, p->dims.syms.n + 1, sizeof *k.syms);
    for (uint32_t i = 0; i < p->dims.syms.n; i++)
        k.syms[i] = DIM_NONE;
    if (!take_arrays(&k, which, arrays, n))
        return NULL;
    for (uint32_t i = 0; i < p->nin; i++)
        if (k.array[i] && !bind_shape(&k, i))
            return NULL;
    copier_init(&c, b, p, k.syms, NULL);
    for (uint32_t i = 0; i < p->dims.guards.n; i++) {
        Guard g = p->dims.guards.v[i];

        dim_guard(&b->dims, copier_dim(&c, g.lhs), g.is_eq, copier_dim(&c, g.rhs),
                  NOWHERE);
    }
    add_inputs(&k, &c);
    for (uint32_t i = 0; i < p->neqns && !b_failed(b) && copier_eqn(&c, &p->eqns[i]); i++)
        ;
    for (uint32_t i = 0; i < p->nout; i++)
        outs[i] = c.val[p->outs[i]];
    return builder_finish(b, outs, p->nout);
}
