/* write_flow.c -- cond, while and scan as If, Loop and Scan. */
#include "onnx/write_ops.h"

static void write_cond(Writing *w, const Eqn *e)
{
    const CondAttr *a = e->attr;
    const char **in = arena_array(w->a, e->nin + 1u, sizeof *in),
               **out = arena_array(w->a, e->nout + 1u, sizeof *out), *p = IN(0);
    Wire attrs = {.a = w->a}, body;

    for (uint32_t i = 1; i < e->nin; i++)
        in[i - 1] = IN(i);
    if (TYPE_IN(0).dtype != WF_BOOL)
        p = w_op2(w, "Greater", w_cast(w, p, WF_I64), w_number(w, WF_I64, 0));
    for (uint32_t k = 0; k < 2; k++) { /* of one branch alone, that */
        if (!w_body(w, &a->branches.v[MIN(k, a->branches.n - 1)], in, e->nin - 1u, &body))
            return;
        w_attr_graph(w, &attrs, k ? "then_branch" : "else_branch", &body);
    }
    for (uint32_t i = 0; i < e->nout; i++)
        w->val[e->out + i] = out[i] = w_name(w, "if");
    w_node_as(w, "If", &p, 1, &attrs, out, e->nout);
}

static void write_scan(Writing *w, const Eqn *e)
{
    const ScanAttr *a = e->attr;
    uint32_t nconst = (uint32_t)a->nconst, ncarry = (uint32_t)a->ncarry,
             nxs = e->nin - nconst - ncarry, nys = e->nout - ncarry;
    const char **in = arena_array(w->a, e->nin + 2u, sizeof *in),
               **out = arena_array(w->a, e->nout + 1u, sizeof *out);
    int64_t *ways = arena_array(w->a, MAX(nxs, nys) + 1, sizeof *ways);
    Wire attrs = {.a = w->a}, body;

    for (uint32_t i = 0; i < e->nin; i++)
        in[i] = IN(i);
    for (uint32_t i = 0; i < MAX(nxs, nys); i++)
        ways[i] = a->reverse;
    if (!w_body(w, &a->body, in, nconst, &body))
        return;
    w_attr_graph(w, &attrs, "body", &body);
    w_attr_int(w, &attrs, "num_scan_inputs", nxs);
    w_attr_ints(w, &attrs, "scan_input_directions", ways, nxs);
    w_attr_ints(w, &attrs, "scan_output_directions", ways, nys);
    for (uint32_t i = 0; i < e->nout; i++)
        w->val[e->out + i] = out[i] = w_name(w, "scan");
    w_node_as(w, "Scan", in + nconst, ncarry + nxs, &attrs, out, e->nout);
}

/* ---- while ------------------------------------------------------------------------------------------------- */

/* cond(c.., x..) on these carries. */
static const char *condition(Writing *w, const Eqn *e, const char *const *carry)
{
    const WhileAttr *a = e->attr;
    uint32_t n = (uint32_t)a->ncond, nx = e->nin - n - (uint32_t)a->nbody;
    const char **in = arena_array(w->a, n + nx + 1, sizeof *in), *out = "";

    for (uint32_t i = 0; i < n; i++)
        in[i] = IN(i);
    memcpy(in + n, carry, nx * sizeof *in);
    w_inline(w, &a->cond, in, &out);
    return out;
}

/* (turn, go on, x..) -> (go on, x.., y..) */
static bool loop_body(Writing *w, const Eqn *e, Wire *out)
{
    const WhileAttr *a = e->attr;
    uint32_t n = (uint32_t)a->nbody, nx = e->nin - n - (uint32_t)a->ncond;
    const char **in = arena_array(w->a, n + nx + 1, sizeof *in),
               **made = arena_array(w->a, e->nout + 1u, sizeof *made), *next;
    Wire ends = {.a = w->a};
    Writing g = *w;

    g.graph = (Wire){.a = w->a};
    w_info(&g, &ends, 11, w_name(w, "turn"), (Type){.dtype = WF_I64});
    w_info(&g, &ends, 11, w_name(w, "go"), (Type){.dtype = WF_BOOL});
    for (uint32_t i = 0; i < n; i++)
        in[i] = IN((uint32_t)a->ncond + i);
    for (uint32_t i = 0; i < nx; i++)
        w_info(&g, &ends, 11, in[n + i] = w_name(w, "in"), val_type(w->p, e->out + i));
    if (!w_inline(&g, &a->body, in, made))
        return false;
    next = w_op1(&g, "Identity", condition(&g, e, made));
    w_info(&g, &ends, 12, next, (Type){.dtype = WF_BOOL});
    for (uint32_t i = 0; i < e->nout; i++) {
        Type t = val_type(w->p, e->out + i);

        if (i >= nx)
            t = (Type){
                .dtype = t.dtype, .rank = (uint8_t)(t.rank - 1), .dims = t.dims + 1};
        w_info(&g, &ends, 12, w_op1(&g, "Identity", made[i]), t);
    }
    wire_text(&g.graph, 2, w_name(w, "body"));
    wire_put(&g.graph, ends.v, ends.n);
    *out = g.graph;
    return !failed(w->cx);
}

static const char *rows_of(Writing *w, const char *x)
{
    Wire attrs = {.a = w->a};

    w_attr_int(w, &attrs, "start", 0);
    w_attr_int(w, &attrs, "end", 1);
    return w_node(w, "Shape", &x, 1, &attrs);
}

/* Rows of zeros up to the bound. */
static const char *fill_rows(Writing *w, const char *x, Type t, Dim bound)
{
    int64_t *none = arena_zalloc(w->a, (2u * t.rank + 1) * sizeof *none);
    const char *parts[3] = {w_ints(w, none, t.rank),
                            w_op2(w, "Sub", w_dim(w, bound), rows_of(w, x)),
                            w_ints(w, none, t.rank - 1u)};

    return w_node(w, "Pad",
                  (const char *[]){x, w_concat(w, parts, t.rank > 1 ? 3 : 2, 0),
                                   w_number(w, (wf_dtype)t.dtype, 0)},
                  3, NULL);
}

static void write_while(Writing *w, const Eqn *e)
{
    const WhileAttr *a = e->attr;
    uint32_t first = (uint32_t)(a->ncond + a->nbody), nx = e->nin - first;
    const char **in = arena_array(w->a, nx + 3u, sizeof *in),
               **out = arena_array(w->a, e->nout + 1u, sizeof *out);
    Wire attrs = {.a = w->a}, body;

    for (uint32_t i = 0; i < nx; i++)
        in[2 + i] = IN(first + i);
    in[0] = a->bound == DIM_NONE ? "" : w_scalar_dim(w, a->bound);
    in[1] = condition(w, e, in + 2);
    if (!loop_body(w, e, &body))
        return;
    w_attr_graph(w, &attrs, "body", &body);
    for (uint32_t i = 0; i < e->nout; i++)
        w->val[e->out + i] = out[i] = w_name(w, "loop");
    w_node_as(w, "Loop", in, nx + 2, &attrs, out, e->nout);
    if (a->trips != DIM_NONE)
        w->syms[dim_node(&w->p->dims, a->trips)->sym] = rows_of(w, out[nx]);
    for (uint32_t i = nx; a->bound != DIM_NONE && i < e->nout; i++)
        w->val[e->out + i] = fill_rows(w, out[i], val_type(w->p, e->out + i), a->bound);
}

bool w_flow(Writing *w, const Eqn *e)
{
    switch (e->op) {
    case OP_cond: write_cond(w, e); return true;
    case OP_scan: write_scan(w, e); return true;
    case OP_while: write_while(w, e); return true;
    default: return false;
    }
}
