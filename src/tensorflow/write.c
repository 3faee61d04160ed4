/* write.c -- a program as a GraphDef.
 *
 *   inputs     Placeholders by name, symbolic sizes as -1; tensors of the method are constants by name
 *   results    Identity nodes: "y", "y_1" .., or as the file that the model came from called them
 *   sizes      where a node needs one it is read off the shape of an input, as i64
 *   calls      are written in line; cond, while, scan become Switch, Merge, Enter, Exit .. (write_flow.c), which every version
 *              of TensorFlow runs and which need no library of functions
 *
 * A primitive is a node, a few nodes, or refused by name.
 */
#include "tensorflow/write.h"
#include "tensorflow/tensorflow.h"

/* ---- attributes --------------------------------------------------------------------------------------- */

static void add_attr(Graphing *g, Wire *attrs, const char *name, const Wire *value)
{
    Wire entry = {.a = g->a};

    wire_text(&entry, 1, name);
    wire_message(&entry, 2, value);
    wire_message(attrs, 5, &entry);
}

void g_attr_type(Graphing *g, Wire *attrs, const char *name, wf_dtype d)
{
    Wire v = {.a = g->a};

    wire_int(&v, 6, tg_type(d));
    add_attr(g, attrs, name, &v);
}

void g_attr_int(Graphing *g, Wire *attrs, const char *name, int64_t i)
{
    Wire v = {.a = g->a};

    wire_int(&v, 3, i);
    add_attr(g, attrs, name, &v);
}

void g_attr_bool(Graphing *g, Wire *attrs, const char *name, bool b)
{
    Wire v = {.a = g->a};

    wire_int(&v, 5, b);
    add_attr(g, attrs, name, &v);
}

void g_attr_text(Graphing *g, Wire *attrs, const char *name, const char *s)
{
    Wire v = {.a = g->a};

    wire_text(&v, 2, s);
    add_attr(g, attrs, name, &v);
}

void g_attr_ints(Graphing *g, Wire *attrs, const char *name, const int64_t *i, uint32_t n)
{
    Wire v = {.a = g->a}, list = {.a = g->a};

    for (uint32_t k = 0; k < n; k++)
        wire_int(&list, 3, i[k]);
    wire_message(&v, 1, &list);
    add_attr(g, attrs, name, &v);
}

static Wire shape_of(Graphing *g, const int64_t *dims, uint32_t rank)
{
    Wire s = {.a = g->a};

    for (uint32_t i = 0; i < rank; i++) {
        Wire d = {.a = g->a};

        wire_int(&d, 1, dims[i]);
        wire_message(&s, 2, &d);
    }
    return s;
}

/* ---- nodes -------------------------------------------------------------------------------------------------- */

const char *g_name(Graphing *g, const char *hint)
{
    Text t;

    text_init(&t, g->a);
    text_printf(&t, "%s_%u", hint, ++g->root->names);
    return text_str(&t);
}

static void add_node(Graphing *g, const char *name, const char *const *in, uint32_t nin,
                     const char *pivot, Wire text)
{
    Graphing *r = g->root;
    GraphNode *more, *n;

    if (r->nnodes == r->room) {
        more = arena_array(g->a, r->room * 2 + 256u, sizeof *more);
        if (r->nnodes)
            memcpy(more, r->nodes, r->nnodes * sizeof *more);
        r->nodes = more;
        r->room = r->room * 2 + 256;
    }
    n = &r->nodes[r->nnodes++];
    *n = (GraphNode){.name = name,
                     .in = arena_array(g->a, nin + 1u, sizeof *n->in),
                     .nin = nin,
                     .text = text};
    if (nin)
        memcpy(n->in, in, nin * sizeof *in);
    if (pivot)
        n->in[n->nin++] = pivot;
}

const char *g_pivot(Graphing *g)
{
    Pivot *v = g->pivot;

    if (!v->node)
        v->node =
            arena_printf(g->a, "^%s", g_node(g, "Identity", &v->from, 1, v->type, NULL));
    return v->node;
}

const char *g_node_as(Graphing *g, const char *name, const char *op,
                      const char *const *in, uint32_t nin, wf_dtype T, const Wire *attrs)
{
    Wire n = {.a = g->a}, type = {.a = g->a};
    const char *pivot = !nin && g->pivot ? g_pivot(g) : NULL;

    wire_text(&n, 1, name);
    wire_text(&n, 2, op);
    for (uint32_t i = 0; i < nin; i++)
        wire_text(&n, 3, in[i]);
    if (pivot)
        wire_text(&n, 3, pivot);
    if (T != WF_INVALID) {
        g_attr_type(g, &type, "T", T);
        wire_put(&n, type.v, type.n);
    }
    if (attrs && attrs->n)
        wire_put(&n, attrs->v, attrs->n);
    add_node(g, name, in, nin, pivot, n);
    return name;
}

const char *g_node(Graphing *g, const char *op, const char *const *in, uint32_t nin,
                   wf_dtype T, const Wire *attrs)
{
    return g_node_as(g, g_name(g, op), op, in, nin, T, attrs);
}

const char *g_op1(Graphing *g, const char *op, const char *x, wf_dtype T)
{
    return g_node(g, op, &x, 1, T, NULL);
}

const char *g_op2(Graphing *g, const char *op, const char *x, const char *y, wf_dtype T)
{
    return g_node(g, op, (const char *[]){x, y}, 2, T, NULL);
}

const char *g_const(Graphing *g, const char *name, wf_dtype d, const int64_t *dims,
                    uint32_t rank, const void *data, size_t size)
{
    Wire t = {.a = g->a}, v = {.a = g->a}, attrs = {.a = g->a},
         shape = shape_of(g, dims, rank);

    wire_int(&t, 1, tg_type(d));
    wire_message(&t, 2, &shape);
    wire_bytes(&t, 4, data, size);
    wire_message(&v, 8, &t);
    g_attr_type(g, &attrs, "dtype", d);
    add_attr(g, &attrs, "value", &v);
    return g_node_as(g, name ? name : g_name(g, "Const"), "Const", NULL, 0, WF_INVALID,
                     &attrs);
}

const char *g_ints(Graphing *g, const int64_t *v, uint32_t n)
{
    int64_t dim = n;

    return g_const(g, NULL, WF_I64, &dim, 1, v, n * sizeof *v);
}

const char *g_int(Graphing *g, int64_t v)
{
    return g_const(g, NULL, WF_I64, NULL, 0, &v, 8);
}

const char *g_number(Graphing *g, wf_dtype d, double x)
{
    _Alignas(16) char v[16] = {0};

    element_from_f64(d, x, v);
    return g_const(g, NULL, d, NULL, 0, v, wf_dtype_size(d));
}

/* ---- sizes ---------------------------------------------------------------------------------------------------- */

static const char *term_name(Graphing *g, const DimTerm *t)
{
    const char *p = t->coef == 1 && t->natoms ? NULL : g_int(g, t->coef);

    for (uint32_t i = 0; i < t->natoms; i++)
        p = p ? g_op2(g, "Mul", p, g_dim(g, t->atoms[i]), WF_I64) : g_dim(g, t->atoms[i]);
    return p;
}

const char *g_dim(Graphing *g, Dim d)
{
    const DimNode *n;
    const char *s;

    if (d >= 0)
        return g_int(g, d);
    n = dim_node(&g->p->dims, d);
    switch ((DimKind)n->kind) {
    case DIM_SYM:
        if (!g->syms[n->sym]) {
            fail(g->cx, WF_ERR_UNSUPPORTED, NOWHERE,
                 "tensorflow: the size %s cannot be read off an input",
                 dim_str(&g->p->dims, d, g->a));
            return "";
        }
        return g->syms[n->sym];
    case DIM_POLY:
        s = n->constant || !n->nterms ? g_int(g, n->constant) : NULL;
        for (uint32_t i = 0; i < n->nterms; i++)
            s = s ? g_op2(g, "AddV2", s, term_name(g, &n->terms[i]), WF_I64)
                  : term_name(g, &n->terms[i]);
        return s;
    case DIM_FLOORDIV:
        return g_op2(g, "FloorDiv", g_dim(g, n->a), g_dim(g, n->b), WF_I64);
    default:
        return g_op2(g, n->kind == DIM_MIN ? "Minimum" : "Maximum", g_dim(g, n->a),
                     g_dim(g, n->b), WF_I64);
    }
}

const char *g_dims(Graphing *g, const Dim *d, uint32_t n)
{
    const char **parts = arena_array(g->a, n + 1, sizeof *parts);
    int64_t *v = arena_array(g->a, n + 1, sizeof *v);
    Wire attrs = {.a = g->a};
    bool known = true;

    for (uint32_t i = 0; i < n; i++)
        known = dim_value(&g->p->dims, d[i], &v[i]) && known;
    if (known)
        return g_ints(g, v, n);
    for (uint32_t i = 0; i < n; i++)
        parts[i] = g_dim(g, d[i]);
    g_attr_int(g, &attrs, "N", n);
    g_attr_int(g, &attrs, "axis", 0);
    return g_node(g, "Pack", parts, n, WF_I64, &attrs);
}

/* Symbols that stand bare in an input's type: element k of its shape. */
static void bind_symbols(Graphing *g)
{
    const Program *p = g->p;

    g->syms = arena_zalloc(g->a, (p->dims.syms.n + 1) * sizeof *g->syms);
    for (uint32_t i = 0; i < p->nin; i++) {
        Type t = val_type(p, program_in(p, i));

        for (uint32_t k = 0; k < t.rank; k++) {
            Wire shape = {.a = g->a}, gather = {.a = g->a};
            const char *s;
            uint32_t sym;

            if (t.dims[k] >= 0 || dim_node(&p->dims, t.dims[k])->kind != DIM_SYM)
                continue;
            sym = dim_node(&p->dims, t.dims[k])->sym;
            if (g->syms[sym])
                continue;
            g_attr_type(g, &shape, "out_type", WF_I64);
            s = g_node(g, "Shape", &g->val[program_in(p, i)], 1, (wf_dtype)t.dtype,
                       &shape);
            g_attr_type(g, &gather, "Tparams", WF_I64);
            g_attr_type(g, &gather, "Tindices", WF_I64);
            g_attr_type(g, &gather, "Taxis", WF_I64);
            g->syms[sym] =
                g_node(g, "GatherV2", (const char *[]){s, g_int(g, k), g_int(g, 0)}, 3,
                       WF_INVALID, &gather);
        }
    }
}

/* ---- programs ----------------------------------------------------------------------------------------------------- */

/* A body whose nodes go among the others: its inputs are these values. */
Graphing g_inner(Graphing *g, const Sub *s, const char *const *in, Pivot *pivot)
{
    Graphing n = {.cx = g->cx, .a = g->a, .p = s->p, .root = g->root, .pivot = pivot};

    n.val = arena_zalloc(g->a, (s->p->nvals + 1) * sizeof *n.val);
    n.syms = arena_zalloc(g->a, (s->p->dims.syms.n + 1) * sizeof *n.syms);
    for (uint32_t i = 0; i < s->p->nin; i++)
        n.val[program_in(s->p, i)] = in[i];
    for (uint32_t i = 0; i < s->p->dims.syms.n && i < s->binds.n; i++)
        if (s->binds.v[i] != DIM_NONE)
            n.syms[i] = g_dim(g, s->binds.v[i]);
    return n;
}

bool g_equations(Graphing *g)
{
    for (uint32_t i = 0; i < g->p->neqns && !failed(g->cx); i++)
        g_equation(g, &g->p->eqns[i]);
    return !failed(g->cx);
}

/* A name that nodes may have. */
static const char *node_name(Graphing *g, const char *name)
{
    char *s = arena_zalloc(g->a, strlen(name) + 2), *to = s;

    if (!((*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
          (*name >= '0' && *name <= '9') || *name == '.'))
        *to++ = 'v';
    for (; *name; name++)
        *to++ = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
                        (*name >= '0' && *name <= '9') || strchr("_./-", *name)
                    ? *name
                    : '_';
    return s;
}

static bool write_inputs(Graphing *g, const wf_model *m, const char *method)
{
    const Program *p = g->p;
    uint32_t nstate = 0;

    while (model_line(method, "state ", nstate, g->a))
        nstate++;
    for (uint32_t i = 0; i < p->nin; i++) {
        const char *name = i < nstate ? model_line(method, "state ", i, g->a)
                                      : wf_program_input_name(p, (int)i);
        Type t = val_type(p, program_in(p, i));
        wf_array *a = i < nstate ? model_get(&m->tensors, name) : NULL, *packed = NULL;
        Wire attrs = {.a = g->a}, v = {.a = g->a}, shape;
        int64_t dims[WF_MAX_RANK];

        if (tg_type((wf_dtype)t.dtype) == 0)
            return fail(g->cx, WF_ERR_UNSUPPORTED, NOWHERE,
                        "tensorflow: there is no type %s",
                        wf_dtype_name((wf_dtype)t.dtype));
        if (i < nstate) {
            if (!a)
                return fail(g->cx, WF_ERR_NAME, NOWHERE,
                            "tensorflow: the tensor %s is missing", name);
            if (wf_array_contiguous(g->cx, a, &packed))
                return false;
            array_held(g->cx, packed);
            g->val[program_in(p, i)] = g_const(
                g, node_name(g, name), wf_array_dtype(packed), wf_array_dims(packed),
                (uint32_t)wf_array_rank(packed), wf_array_data(packed),
                (size_t)wf_array_count(packed) * wf_dtype_size(wf_array_dtype(packed)));
            continue;
        }
        for (uint32_t k = 0; k < t.rank; k++)
            if (!dim_value(&p->dims, t.dims[k], &dims[k]))
                dims[k] = -1;
        shape = shape_of(g, dims, t.rank);
        g_attr_type(g, &attrs, "dtype", (wf_dtype)t.dtype);
        wire_message(&v, 7, &shape);
        add_attr(g, &attrs, "shape", &v);
        g->val[program_in(p, i)] =
            g_node_as(g, *name ? node_name(g, name) : g_name(g, "x"), "Placeholder", NULL,
                      0, WF_INVALID, &attrs);
        g->nodes[g->nnodes - 1].live = true; /* an input, used or not */
    }
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(GraphNode *const *)a)->name, (*(GraphNode *const *)b)->name);
}

static GraphNode *find_node(GraphNode **sorted, uint32_t n, const char *input, Arena *a)
{
    GraphNode key = {.name = arena_printf(a, "%.*s",
                                          (int)strcspn(input + (*input == '^'), ":"),
                                          input + (*input == '^'))},
              *k = &key;
    GraphNode **found = bsearch(&k, sorted, n, sizeof *sorted, by_name);

    return found ? *found : NULL;
}

/* The nodes that the last n, the results, need, in the order they were made. */
static Wire live_nodes(Graphing *g, uint32_t n)
{
    GraphNode **sorted = arena_array(g->a, g->nnodes + 1u, sizeof *sorted),
              **stack = arena_array(g->a, g->nnodes + 1u, sizeof *stack);
    uint32_t top = 0;
    Wire out = {.a = g->a};

    for (uint32_t i = 0; i < g->nnodes; i++)
        sorted[i] = &g->nodes[i];
    qsort(sorted, g->nnodes, sizeof *sorted, by_name);
    for (uint32_t i = g->nnodes - n; i < g->nnodes; i++) {
        g->nodes[i].live = true;
        stack[top++] = &g->nodes[i];
    }
    while (top) {
        GraphNode *node = stack[--top];

        for (uint32_t i = 0; i < node->nin; i++) {
            GraphNode *k = find_node(sorted, g->nnodes, node->in[i], g->a);

            if (k && !k->live) {
                k->live = true;
                stack[top++] = k;
            }
        }
    }
    for (uint32_t i = 0; i < g->nnodes; i++)
        if (g->nodes[i].live)
            wire_message(&out, 1, &g->nodes[i].text);
    return out;
}

static wf_status write_file(wf_ctx *cx, wf_model *m, const char *path)
{
    API_ENTER(cx);
    const Program *p = model_main(m);
    Graphing g = {.cx = cx, .a = &cx->scratch, .p = p};
    Wire versions = {.a = g.a}, graph;
    Writer *file;

    g.root = &g;
    if (!p) {
        fail(cx, WF_ERR_VALUE, in_file(path), "the model has no program");
        API_RETURN(cx);
    }
    const char *method = model_get(&m->metas, arena_printf(g.a, "method.%s", p->name));
    const char *outputs = model_get(&m->metas, "tensorflow.outputs");
    g.val = arena_zalloc(g.a, (p->nvals + 1) * sizeof *g.val);
    if (!write_inputs(&g, m, method))
        API_RETURN(cx);
    bind_symbols(&g);
    if (!g_equations(&g))
        API_RETURN(cx);
    for (uint32_t i = 0; i < p->nout; i++) {
        const char *given = model_line(outputs, "", i, g.a);
        const char *name = given && *given ? node_name(&g, given)
                           : i             ? arena_printf(g.a, "y_out_%u", i)
                                           : "y_out";

        g_node_as(&g, name, "Identity", &g.val[p->outs[i]], 1,
                  (wf_dtype)val_type(p, p->outs[i]).dtype, NULL);
    }
    wire_int(&versions, 1, 1882); /* what TensorFlow 2.17 writes; older ones read it */
    wire_int(&versions, 2, 12);
    graph = live_nodes(&g, p->nout);
    wire_message(&graph, 4, &versions);
    if (graph.n > INT32_MAX)
        fail(cx, WF_ERR_LIMIT, in_file(path), "a graph of more than 2 GiB");
    else if ((file = writer_open(cx, path)) && writer_put(file, graph.v, graph.n))
        writer_commit(file);
    API_RETURN(cx);
}

bool tg_write(wf_ctx *cx, wf_model *m, const char *path)
{
    return write_file(cx, m, path) == WF_OK;
}
