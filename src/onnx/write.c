/* write.c -- a program as an ONNX model of opset 21.
 *
 *   tensors      the method's tensors are initialisers by name, its other inputs and its results those of the graph
 *   sizes        symbolic ones keep their names; where a node needs one it is read off the shape of an input
 *   calls        are written in line, with what custom rules compute
 *   primitives   that ONNX has not are lowered first (lower.c)
 *   cond, while, scan become If, Loop, Scan; what their bodies need of sizes comes from the graph around
 *
 * A primitive is a node, a few nodes, or refused by name.
 */
#include "onnx/write_ops.h"

#define IR_VERSION 10
#define OPSET 21

/* ---- the wire ---------------------------------------------------------------------------------- */

void wire_put(Wire *w, const void *data, size_t n)
{
    if (n > w->cap - w->n) {
        size_t cap = (w->n + n) * 2 + 64;
        char *v = arena_alloc(w->a, cap);

        if (w->n)
            memcpy(v, w->v, w->n);
        w->v = v;
        w->cap = cap;
    }
    if (n)
        memcpy(w->v + w->n, data, n);
    w->n += n;
}

static void put_varint(Wire *w, uint64_t v)
{
    unsigned char b[10];
    size_t n = 0;

    do {
        b[n++] = (unsigned char)((v & 127) | (v > 127 ? 128 : 0));
        v >>= 7;
    } while (v);
    wire_put(w, b, n);
}

void wire_int(Wire *w, int field, int64_t v)
{
    put_varint(w, (uint64_t)field << 3);
    put_varint(w, (uint64_t)v);
}

void wire_float(Wire *w, int field, float v)
{
    put_varint(w, (uint64_t)field << 3 | 5);
    wire_put(w, &v, 4);
}

void wire_bytes(Wire *w, int field, const void *data, size_t n)
{
    put_varint(w, (uint64_t)field << 3 | 2);
    put_varint(w, n);
    wire_put(w, data, n);
}

void wire_text(Wire *w, int field, const char *s) { wire_bytes(w, field, s, strlen(s)); }
void wire_message(Wire *w, int field, const Wire *m) { wire_bytes(w, field, m->v, m->n); }

/* ---- nodes ----------------------------------------------------------------------------------------- */

const char *w_name(Writing *w, const char *hint)
{
    Text t;

    text_init(&t, w->a);
    text_printf(&t, "%s_%u", hint, ++w->root->names);
    return text_str(&t);
}

/* A node of one result under that name; attrs: a message of attribute fields, or NULL. */
void w_node_as(Writing *w, const char *op, const char *const *in, uint32_t nin, const Wire *attrs, const char *const *out,
               uint32_t nout)
{
    Wire n = {.a = w->a};

    for (uint32_t i = 0; i < nin; i++)
        wire_text(&n, 1, in[i]);
    for (uint32_t i = 0; i < nout; i++)
        wire_text(&n, 2, out[i]);
    wire_text(&n, 4, op);
    if (attrs)
        wire_put(&n, attrs->v, attrs->n);
    wire_message(&w->graph, 1, &n);
}

const char *w_node(Writing *w, const char *op, const char *const *in, uint32_t nin, const Wire *attrs)
{
    const char *out = w_name(w, op);

    w_node_as(w, op, in, nin, attrs, &out, 1);
    return out;
}

const char *w_op1(Writing *w, const char *op, const char *x) { return w_node(w, op, &x, 1, NULL); }
const char *w_op2(Writing *w, const char *op, const char *x, const char *y)
{
    return w_node(w, op, (const char *[]){x, y}, 2, NULL);
}

static void add_attr(Wire *attrs, const Wire *a) { wire_message(attrs, 5, a); }

void w_attr_int(Writing *w, Wire *attrs, const char *name, int64_t v)
{
    Wire a = {.a = w->a};

    wire_text(&a, 1, name);
    wire_int(&a, 3, v);
    wire_int(&a, 20, 2);
    add_attr(attrs, &a);
}

void w_attr_ints(Writing *w, Wire *attrs, const char *name, const int64_t *v, uint32_t n)
{
    Wire a = {.a = w->a};

    wire_text(&a, 1, name);
    for (uint32_t i = 0; i < n; i++)
        wire_int(&a, 8, v[i]);
    wire_int(&a, 20, 7);
    add_attr(attrs, &a);
}

void w_attr_text(Writing *w, Wire *attrs, const char *name, const char *s)
{
    Wire a = {.a = w->a};

    wire_text(&a, 1, name);
    wire_text(&a, 4, s);
    wire_int(&a, 20, 3);
    add_attr(attrs, &a);
}

void w_attr_graph(Writing *w, Wire *attrs, const char *name, const Wire *g)
{
    Wire a = {.a = w->a};

    wire_text(&a, 1, name);
    wire_message(&a, 6, g);
    wire_int(&a, 20, 5);
    add_attr(attrs, &a);
}

/* ---- constants ---------------------------------------------------------------------------------------- */

static void put_tensor(Writing *w, Wire *to, int field, const char *name, wf_dtype dtype, const int64_t *dims, uint32_t rank,
                       const void *data, size_t size)
{
    Wire t = {.a = w->a};

    for (uint32_t i = 0; i < rank; i++)
        wire_int(&t, 1, dims[i]);
    wire_int(&t, 2, ox_elem(dtype));
    wire_text(&t, 8, name);
    wire_bytes(&t, 9, data, size);
    wire_message(to, field, &t);
}

const char *w_const(Writing *w, wf_dtype dtype, const int64_t *dims, uint32_t rank, const void *data, size_t size)
{
    const char *name = w_name(w, "const");

    put_tensor(w, &w->root->init, 5, name, dtype, dims, rank, data, size);
    return name;
}

const char *w_ints(Writing *w, const int64_t *v, uint32_t n)
{
    int64_t dim = n;

    return w_const(w, WF_I64, &dim, 1, v, n * sizeof *v);
}

/* One number of a dtype, as a scalar. */
const char *w_number(Writing *w, wf_dtype dtype, double x)
{
    _Alignas(16) char v[16] = {0};

    element_from_f64(dtype, x, v);
    return w_const(w, dtype, NULL, 0, v, wf_dtype_size(dtype));
}

/* ---- sizes: i64[1] ------------------------------------------------------------------------------------- */

static const char *term_name(Writing *w, const DimTerm *t)
{
    const char *p = t->coef == 1 && t->natoms ? NULL : w_ints(w, &t->coef, 1);

    for (uint32_t i = 0; i < t->natoms; i++)
        p = p ? w_op2(w, "Mul", p, w_dim(w, t->atoms[i])) : w_dim(w, t->atoms[i]);
    return p;
}

const char *w_dim(Writing *w, Dim d)
{
    const DimNode *n;
    const char *s;

    if (d >= 0)
        return w_ints(w, &d, 1);
    n = dim_node(&w->p->dims, d);
    switch ((DimKind)n->kind) {
    case DIM_SYM:
        if (!w->syms[n->sym]) {
            fail(w->cx, WF_ERR_UNSUPPORTED, NOWHERE, "onnx: the size %s cannot be read off an input", dim_str(&w->p->dims, d, w->a));
            return "";
        }
        return w->syms[n->sym];
    case DIM_POLY:
        s = n->constant || !n->nterms ? w_ints(w, &n->constant, 1) : NULL;
        for (uint32_t i = 0; i < n->nterms; i++)
            s = s ? w_op2(w, "Add", s, term_name(w, &n->terms[i])) : term_name(w, &n->terms[i]);
        return s;
    case DIM_FLOORDIV: return w_op2(w, "Div", w_dim(w, n->a), w_dim(w, n->b));
    default: return w_op2(w, n->kind == DIM_MIN ? "Min" : "Max", w_dim(w, n->a), w_dim(w, n->b));
    }
}

const char *w_dims(Writing *w, const Dim *d, uint32_t n)
{
    const char **parts = arena_array(w->a, n + 1, sizeof *parts);
    bool known = true;
    int64_t *v = arena_array(w->a, n + 1, sizeof *v);
    Wire attrs = {.a = w->a};

    for (uint32_t i = 0; i < n; i++)
        known = dim_value(&w->p->dims, d[i], &v[i]) && known;
    if (known)
        return w_ints(w, v, n);
    for (uint32_t i = 0; i < n; i++)
        parts[i] = w_dim(w, d[i]);
    w_attr_int(w, &attrs, "axis", 0);
    return w_node(w, "Concat", parts, n, &attrs);
}

/* ---- graphs ------------------------------------------------------------------------------------------------ */

void w_info(Writing *w, Wire *to, int field, const char *name, Type t)
{
    Wire info = {.a = w->a}, type = {.a = w->a}, tensor = {.a = w->a}, shape = {.a = w->a};

    for (uint32_t i = 0; i < t.rank; i++) {
        Wire d = {.a = w->a};
        int64_t v;

        if (dim_value(&w->p->dims, t.dims[i], &v))
            wire_int(&d, 1, v);
        else if (w == w->root) /* symbols of bodies are their own */
            wire_text(&d, 2, dim_str(&w->p->dims, t.dims[i], w->a));
        wire_message(&shape, 1, &d);
    }
    wire_int(&tensor, 1, ox_elem((wf_dtype)t.dtype));
    wire_message(&tensor, 2, &shape);
    wire_message(&type, 1, &tensor);
    wire_text(&info, 1, name);
    wire_message(&info, 2, &type);
    wire_message(to, field, &info);
}

/* Symbols that stand bare in an input's type. */
void w_bind_symbols(Writing *w)
{
    const Program *p = w->p;

    w->syms = arena_zalloc(w->a, (p->dims.syms.n + 1) * sizeof *w->syms);
    for (uint32_t i = 0; i < p->nin; i++) {
        Type t = val_type(p, program_in(p, i));

        for (uint32_t k = 0; k < t.rank; k++) {
            Wire attrs = {.a = w->a};
            uint32_t sym;

            if (t.dims[k] >= 0 || dim_node(&p->dims, t.dims[k])->kind != DIM_SYM)
                continue;
            sym = dim_node(&p->dims, t.dims[k])->sym;
            if (w->syms[sym])
                continue;
            w_attr_int(w, &attrs, "start", k);
            w_attr_int(w, &attrs, "end", (int64_t)k + 1);
            w->syms[sym] = w_node(w, "Shape", &w->val[program_in(p, i)], 1, &attrs);
        }
    }
}

static Writing inner(Writing *w, const Sub *s)
{
    Writing n = {.cx = w->cx, .a = w->a, .p = s->p, .root = w->root, .graph = {.a = w->a}};

    n.val = arena_zalloc(w->a, (s->p->nvals + 1) * sizeof *n.val);
    n.syms = arena_zalloc(w->a, (s->p->dims.syms.n + 1) * sizeof *n.syms);
    for (uint32_t i = 0; i < s->p->dims.syms.n && i < s->binds.n; i++)
        if (s->binds.v[i] != DIM_NONE)
            n.syms[i] = w_dim(w, s->binds.v[i]);
    return n;
}

bool w_inline(Writing *w, const Sub *s, const char *const *in, const char **out)
{
    Writing n = inner(w, s);

    n.graph = w->graph;
    for (uint32_t i = 0; i < s->p->nin; i++)
        n.val[program_in(s->p, i)] = in[i];
    if (!w_equations(&n))
        return false;
    w->graph = n.graph;
    for (uint32_t i = 0; i < s->p->nout; i++)
        out[i] = n.val[s->p->outs[i]];
    return true;
}

/* The body as a graph of its own. The first nouter inputs are values of the graph around; the others are its inputs. */
bool w_body(Writing *w, const Sub *s, const char *const *outer, uint32_t nouter, Wire *out)
{
    Writing n = inner(w, s);
    const Program *p = s->p;
    Wire ends = {.a = w->a};

    for (uint32_t i = 0; i < nouter; i++)
        n.val[program_in(p, i)] = outer[i];
    for (uint32_t i = nouter; i < p->nin; i++) {
        n.val[program_in(p, i)] = w_name(w, "in");
        w_info(&n, &ends, 11, n.val[program_in(p, i)], val_type(p, program_in(p, i)));
    }
    if (!w_equations(&n))
        return false;
    for (uint32_t i = 0; i < p->nout; i++) { /* a result has a name of its own */
        const char *name = w_op1(&n, "Identity", n.val[p->outs[i]]);
        w_info(&n, &ends, 12, name, val_type(p, p->outs[i]));
    }
    wire_text(&n.graph, 2, w_name(w, "body"));
    wire_put(&n.graph, ends.v, ends.n);
    *out = n.graph;
    return true;
}

bool w_equations(Writing *w)
{
    for (uint32_t i = 0; i < w->p->neqns && !failed(w->cx); i++)
        w_equation(w, &w->p->eqns[i]);
    return !failed(w->cx);
}

/* ---- the model --------------------------------------------------------------------------------------------- */

static bool write_inputs(Writing *w, const wf_model *m, const char *method)
{
    const Program *p = w->p;
    uint32_t nstate = 0;

    while (model_line(method, "state ", nstate, w->a))
        nstate++;
    for (uint32_t i = 0; i < p->nin; i++) {
        const char *name = i < nstate ? model_line(method, "state ", i, w->a) : wf_program_input_name(p, (int)i);
        wf_array *a = i < nstate ? model_get(&m->tensors, name) : NULL, *packed = NULL;

        if (i >= nstate) {
            const char *given = model_line(model_get(&m->metas, "onnx.inputs"), "", i - nstate, w->a);
            name = given ? given : *name ? name : w_name(w, "x");
            w->val[program_in(p, i)] = name;
            w_info(w, &w->ends, 11, name, val_type(p, program_in(p, i)));
            continue;
        }
        w->val[program_in(p, i)] = name;
        if (!a)
            return fail(w->cx, WF_ERR_NAME, NOWHERE, "onnx: the tensor %s is missing", name);
        if (wf_array_contiguous(w->cx, a, &packed))
            return false;
        array_held(w->cx, packed);
        put_tensor(w, &w->init, 5, name, wf_array_dtype(packed), wf_array_dims(packed), (uint32_t)wf_array_rank(packed),
                   wf_array_data(packed), (size_t)wf_array_count(packed) * wf_dtype_size(wf_array_dtype(packed)));
    }
    return true;
}

static void write_model(wf_ctx *cx, const Writing *w, const char *path)
{
    Wire model = {.a = w->a}, opset = {.a = w->a}, graph = {.a = w->a};
    Writer *file;

    wire_put(&graph, w->graph.v, w->graph.n);
    wire_text(&graph, 2, w->p->name);
    wire_put(&graph, w->init.v, w->init.n);
    wire_put(&graph, w->ends.v, w->ends.n);
    wire_text(&opset, 1, "");
    wire_int(&opset, 2, OPSET);
    wire_int(&model, 1, IR_VERSION);
    wire_text(&model, 2, "weft");
    wire_text(&model, 3, WF_VERSION);
    wire_message(&model, 7, &graph);
    wire_message(&model, 8, &opset);
    if (model.n > INT32_MAX) {
        fail(cx, WF_ERR_LIMIT, in_file(path), "a model of more than 2 GiB");
        return;
    }
    file = writer_open(cx, path);
    if (file && writer_put(file, model.v, model.n))
        writer_commit(file);
}

static wf_status write_file(wf_ctx *cx, wf_model *m, const char *path)
{
    API_ENTER(cx);
    const Program *p = model_main(m), *own = p ? onnx_lower(cx, p, NULL) : NULL;
    Writing w = {.cx = cx, .a = &cx->scratch, .p = own, .graph = {.a = &cx->scratch}, .init = {.a = &cx->scratch},
                 .ends = {.a = &cx->scratch}};
    Text key;

    w.root = &w;
    if (!p) {
        fail(cx, WF_ERR_VALUE, in_file(path), "the model has no program");
        API_RETURN(cx);
    }
    if (!own)
        API_RETURN(cx);
    text_init(&key, w.a);
    text_printf(&key, "method.%s", p->name);
    const char *method = model_get(&m->metas, text_str(&key));
    p = own;
    w.val = arena_zalloc(w.a, (p->nvals + 1) * sizeof *w.val);
    if (write_inputs(&w, m, method)) {
        w_bind_symbols(&w);
        if (w_equations(&w)) {
            for (uint32_t i = 0; i < p->nout; i++) {
                const char *given = model_line(model_get(&m->metas, "onnx.outputs"), "", i, w.a);
                const char *name = given && *given ? given : w_name(&w, "y");
                w_node_as(&w, "Identity", &w.val[p->outs[i]], 1, NULL, &name, 1);
                w_info(&w, &w.ends, 12, name, val_type(p, p->outs[i]));
            }
            write_model(cx, &w, path);
        }
    }
    API_RETURN(cx);
}

bool onnx_write(wf_ctx *cx, wf_model *m, const char *path) { return write_file(cx, m, path) == WF_OK; }
