/* write_flow.c -- calls in line; cond, while and scan as Switch, Merge, Enter, NextIteration, Exit: see frames.c.
 *
 * Nodes without inputs (constants) wait for a pivot inside, so that they belong to the branch or the turn. Results of a branch
 * wait for it, too: they are not there if the branch is not taken.
 */
#include "tensorflow/write.h"
#include "tensorflow/tensorflow.h"

#define IN(i)       (g->val[eqn_in(g->p, e)[i]])
#define ROW_TYPE(k) (wf_dtype) val_type(g->p, e->out + nc + (k)).dtype
#define TYPE_IN(i)  val_type(g->p, eqn_in(g->p, e)[i])

static const char *out_of(Graphing *g, const char *node, int k)
{
    return arena_printf(g->a, "%s:%d", node, k);
}
static const char *after(Graphing *g, const char *node)
{
    return arena_printf(g->a, "^%s", node);
}

/* ---- calls and branches -------------------------------------------------------------------------------- */

static void in_line(Graphing *g, const Sub *s, const Eqn *e)
{
    const char **in = arena_array(g->a, e->nin + 1u, sizeof *in);

    for (uint32_t i = 0; i < e->nin; i++)
        in[i] = IN(i);
    Graphing n = g_inner(g, s, in, g->pivot);
    if (g_equations(&n))
        for (uint32_t i = 0; i < e->nout; i++)
            g->val[e->out + i] = n.val[s->p->outs[i]];
}

static void write_cond(Graphing *g, const Eqn *e)
{
    const CondAttr *a = e->attr;
    const char *p = IN(0), **in = arena_array(g->a, e->nin + 1u, sizeof *in),
               ***out = arena_array(g->a, 2, sizeof *out), *sw;

    if (a->branches.n != 2) {
        g_refuse(g, e, "more than two branches");
        return;
    }
    if (TYPE_IN(0).dtype != WF_BOOL)
        p = g_op2(g, "Greater", p, g_number(g, (wf_dtype)TYPE_IN(0).dtype, 0),
                  (wf_dtype)TYPE_IN(0).dtype);
    sw = g_op2(g, "Switch", p, p, WF_BOOL);
    for (int k = 0; k < 2; k++) {
        Pivot pivot = {out_of(g, sw, k), WF_BOOL, NULL};
        const Sub *s = &a->branches.v[k];

        for (uint32_t i = 1; i < e->nin; i++)
            in[i - 1] =
                out_of(g, g_op2(g, "Switch", IN(i), p, (wf_dtype)TYPE_IN(i).dtype), k);
        Graphing n = g_inner(g, s, in, &pivot);
        for (uint32_t i = 0; i < s->p->dims.syms.n; i++) /* sizes come in as values do */
            if (n.syms[i])
                n.syms[i] = out_of(g, g_op2(g, "Switch", n.syms[i], p, WF_I64), k);
        if (!g_equations(&n))
            return;
        out[k] = arena_array(g->a, e->nout + 1u, sizeof *out[k]);
        for (uint32_t i = 0; i < e->nout; i++)
            out[k][i] =
                g_node(g, "Identity", (const char *[]){n.val[s->p->outs[i]], g_pivot(&n)},
                       2, (wf_dtype)val_type(g->p, e->out + i).dtype, NULL);
    }
    for (uint32_t i = 0; i < e->nout; i++) {
        Wire attrs = {.a = g->a};

        g_attr_int(g, &attrs, "N", 2);
        g->val[e->out + i] = g_node(g, "Merge", (const char *[]){out[0][i], out[1][i]}, 2,
                                    (wf_dtype)val_type(g->p, e->out + i).dtype, &attrs);
    }
}

/* ---- loops ---------------------------------------------------------------------------------------------------- */

typedef struct LoopFrame {
    const char *name;
    uint32_t n; /* variables */
    const char **merge, **sw, **exit;
    wf_dtype *type;
    const char *first; /* a pivot of the condition: a Merge */
} LoopFrame;

static const char *enter(Graphing *g, const LoopFrame *f, const char *x, wf_dtype d,
                         bool constant)
{
    Wire attrs = {.a = g->a};

    g_attr_text(g, &attrs, "frame_name", f->name);
    g_attr_bool(g, &attrs, "is_constant", constant);
    g_attr_int(g, &attrs, "parallel_iterations", 1);
    return g_node(g, "Enter", &x, 1, d, &attrs);
}

/* NextIteration k is made before it is known what it takes: it has a name. */
static const char *next_name(Graphing *g, const LoopFrame *f, uint32_t k)
{
    return arena_printf(g->a, "%s/next_%u", f->name, k);
}

static LoopFrame open_frame(Graphing *g, const char *const *init, const wf_dtype *type,
                        uint32_t n)
{
    LoopFrame f = {.name = arena_printf(g->a, "loop_%u", ++g->root->frames), .n = n};

    f.merge = arena_array(g->a, n + 1, sizeof *f.merge);
    f.sw = arena_array(g->a, n + 1, sizeof *f.sw);
    f.exit = arena_array(g->a, n + 1, sizeof *f.exit);
    f.type = arena_array(g->a, n + 1, sizeof *f.type);
    for (uint32_t i = 0; i < n; i++) {
        Wire attrs = {.a = g->a};

        f.type[i] = type[i];
        g_attr_int(g, &attrs, "N", 2);
        f.merge[i] = g_node(
            g, "Merge",
            (const char *[]){enter(g, &f, init[i], type[i], false), next_name(g, &f, i)},
            2, type[i], &attrs);
    }
    f.first = f.merge[0];
    return f;
}

/* The condition is known: what goes on, and what leaves. */
static Pivot turn_frame(Graphing *g, LoopFrame *f, const char *cond)
{
    const char *go = g_node(g, "LoopCond", &cond, 1, WF_INVALID, NULL);

    for (uint32_t i = 0; i < f->n; i++) {
        f->sw[i] = g_op2(g, "Switch", f->merge[i], go, f->type[i]);
        f->exit[i] = g_op1(g, "Exit", f->sw[i], f->type[i]);
    }
    return (Pivot){out_of(g, f->sw[0], 1), f->type[0], NULL};
}

static void close_frame(Graphing *g, const LoopFrame *f, const char *const *next)
{
    for (uint32_t i = 0; i < f->n; i++)
        g_node_as(g, next_name(g, f, i), "NextIteration", &next[i], 1, f->type[i], NULL);
}

/* A body of a frame: sizes enter it as constants do. */
static Graphing frame_body(Graphing *g, const LoopFrame *f, const Sub *s,
                           const char *const *in, Pivot *pivot)
{
    Graphing n = g_inner(g, s, in, pivot);

    for (uint32_t i = 0; i < s->p->dims.syms.n; i++)
        if (n.syms[i])
            n.syms[i] = enter(g, f, n.syms[i], WF_I64, true);
    return n;
}

static void write_while(Graphing *g, const Eqn *e)
{
    const WhileAttr *a = e->attr;
    uint32_t ncond = (uint32_t)a->ncond, nbody = (uint32_t)a->nbody,
             n = e->nin - ncond - nbody;
    const char **init = arena_array(g->a, e->nin + 1u, sizeof *init),
               **in = arena_array(g->a, e->nin + 1u, sizeof *in);
    wf_dtype *type = arena_array(g->a, n + 1, sizeof *type);
    LoopFrame f;

    if (e->nout != n || !n) {
        g_refuse(g, e, "with rows");
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        init[i] = IN(ncond + nbody + i);
        type[i] = (wf_dtype)TYPE_IN(ncond + nbody + i).dtype;
    }
    f = open_frame(g, init, type, n);
    for (uint32_t i = 0; i < ncond; i++)
        in[i] = enter(g, &f, IN(i), (wf_dtype)TYPE_IN(i).dtype, true);
    memcpy(in + ncond, f.merge, n * sizeof *in);
    Pivot first = {.node = after(g, f.first)};
    Graphing c = frame_body(g, &f, &a->cond, in, &first);
    if (!g_equations(&c))
        return;
    Pivot pivot = turn_frame(g, &f, c.val[a->cond.p->outs[0]]);
    for (uint32_t i = 0; i < nbody; i++)
        in[i] = enter(g, &f, IN(ncond + i), (wf_dtype)TYPE_IN(ncond + i).dtype, true);
    for (uint32_t i = 0; i < n; i++)
        in[nbody + i] = out_of(g, f.sw[i], 1);
    Graphing b = frame_body(g, &f, &a->body, in, &pivot);
    if (!g_equations(&b))
        return;
    for (uint32_t i = 0; i < n; i++)
        init[i] = b.val[a->body.p->outs[i]];
    close_frame(g, &f, init);
    for (uint32_t i = 0; i < n; i++)
        g->val[e->out + i] = f.exit[i];
}

/* x[i] along axis 0 */
static const char *row_of(Graphing *g, const char *x, const char *i, wf_dtype d,
                          Pivot *pivot)
{
    Graphing inside = *g;
    Wire attrs = {.a = g->a};

    inside.pivot = pivot;
    inside.root = g->root;
    g_attr_type(g, &attrs, "Tparams", d);
    g_attr_type(g, &attrs, "Tindices", WF_I64);
    g_attr_type(g, &attrs, "Taxis", WF_I64);
    return g_node(g, "GatherV2", (const char *[]){x, i, g_int(&inside, 0)}, 3, WF_INVALID,
                  &attrs);
}

static const char *as_i32(Graphing *g, const char *x)
{
    Wire attrs = {.a = g->a};

    g_attr_type(g, &attrs, "SrcT", WF_I64);
    g_attr_type(g, &attrs, "DstT", WF_I32);
    return g_node(g, "Cast", &x, 1, WF_INVALID, &attrs);
}

/* A TensorArray for rows of that dtype: its handle, and (":1") its flow. */
static const char *row_array(Graphing *g, const char *size, wf_dtype d)
{
    Wire attrs = {.a = g->a};

    g_attr_type(g, &attrs, "dtype", d);
    return g_node(g, "TensorArrayV3", (const char *[]){as_i32(g, size)}, 1, WF_INVALID,
                  &attrs);
}

/* A row into its array, inside the frame: the flow behind it. */
static const char *put_row(Graphing *g, const LoopFrame *f, const char *array, const char *at,
                           const char *row, wf_dtype d, const char *flow)
{
    Wire attrs = {.a = g->a}, value = {.a = g->a}, entry = {.a = g->a};
    const char *handle;

    g_attr_text(g, &attrs, "frame_name", f->name);
    g_attr_bool(g, &attrs, "is_constant", true);
    g_attr_int(g, &attrs, "parallel_iterations", 1);
    wire_int(&value, 6, TG_RESOURCE);
    wire_text(&entry, 1, "T");
    wire_message(&entry, 2, &value);
    wire_message(&attrs, 5, &entry);
    handle = g_node(g, "Enter", &array, 1, WF_INVALID, &attrs);
    return g_node(g, "TensorArrayWriteV3", (const char *[]){handle, at, row, flow}, 4, d,
                  NULL);
}

/* All rows, behind the loop. */
static const char *all_rows(Graphing *g, const char *array, const char *size, wf_dtype d,
                            const char *flow)
{
    Wire attrs = {.a = g->a}, tidx = {.a = g->a};
    const char *range;

    g_attr_type(g, &tidx, "Tidx", WF_I64);
    range = g_node(g, "Range", (const char *[]){g_int(g, 0), size, g_int(g, 1)}, 3,
                   WF_INVALID, &tidx);
    g_attr_type(g, &attrs, "dtype", d);
    return g_node(g, "TensorArrayGatherV3",
                  (const char *[]){array, as_i32(g, range), flow}, 3, WF_INVALID, &attrs);
}

/* Turn t of n: i = t, or n - 1 - t; carries, and the rows' flows. */
static void write_scan(Graphing *g, const Eqn *e)
{
    const ScanAttr *a = e->attr;
    uint32_t nconst = (uint32_t)a->nconst, nc = (uint32_t)a->ncarry, nys = e->nout - nc,
             n = 1 + nc + nys;
    const char **init = arena_array(g->a, n + 1u, sizeof *init),
               **in = arena_array(g->a, e->nin + 1u, sizeof *in);
    const char **arrays = arena_array(g->a, nys + 1u, sizeof *arrays),
               *size = g_dim(g, a->length), *limit, *i, *at, *one;
    wf_dtype *type = arena_array(g->a, n + 1, sizeof *type);
    Graphing inside = *g;
    Pivot pivot;
    LoopFrame f;

    init[0] = g_int(g, 0);
    type[0] = WF_I64;
    for (uint32_t k = 0; k < nc; k++) {
        init[1 + k] = IN(nconst + k);
        type[1 + k] = (wf_dtype)TYPE_IN(nconst + k).dtype;
    }
    for (uint32_t k = 0; k < nys; k++) {
        arrays[k] = row_array(g, size, ROW_TYPE(k));
        init[1 + nc + k] = out_of(g, arrays[k], 1);
        type[1 + nc + k] = WF_F32;
    }
    f = open_frame(g, init, type, n);
    limit = enter(g, &f, size, WF_I64, true);
    pivot = turn_frame(g, &f, g_op2(g, "Less", f.merge[0], limit, WF_I64));
    inside.pivot = &pivot;
    at = i = out_of(g, f.sw[0], 1);
    one = g_int(&inside, 1);
    if (a->reverse)
        at = g_op2(g, "Sub", g_op2(g, "Sub", limit, one, WF_I64), i, WF_I64);
    for (uint32_t k = 0; k < e->nin; k++) {
        wf_dtype d = (wf_dtype)TYPE_IN(k).dtype;

        if (k >= nconst && k < nconst + nc)
            in[k] = out_of(g, f.sw[1 + k - nconst], 1);
        else
            in[k] = enter(g, &f, IN(k), d, true);
        if (k >= nconst + nc)
            in[k] = row_of(g, in[k], at, d, &pivot);
    }
    Graphing b = frame_body(g, &f, &a->body, in, &pivot);
    if (!g_equations(&b))
        return;
    init[0] = g_op2(g, "AddV2", i, one, WF_I64);
    for (uint32_t k = 0; k < nc; k++)
        init[1 + k] = b.val[a->body.p->outs[k]];
    at = nys ? as_i32(g, at) : at;
    for (uint32_t k = 0; k < nys; k++)
        init[1 + nc + k] = put_row(g, &f, arrays[k], at, b.val[a->body.p->outs[nc + k]],
                                   ROW_TYPE(k), out_of(g, f.sw[1 + nc + k], 1));
    close_frame(g, &f, init);
    for (uint32_t k = 0; k < e->nout; k++)
        g->val[e->out + k] =
            k < nc ? f.exit[1 + k]
                   : all_rows(g, arrays[k - nc], size, ROW_TYPE(k - nc), f.exit[1 + k]);
}

bool g_flow(Graphing *g, const Eqn *e)
{
    const Sub *s = op_body(e->op, e->attr);

    switch (e->op) {
    case OP_cond: write_cond(g, e); return true;
    case OP_while: write_while(g, e); return true;
    case OP_scan: write_scan(g, e); return true;
    default:
        if (s)
            in_line(g, s, e);
        return s != NULL;
    }
}
