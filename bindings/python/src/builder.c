/* builder.c -- programs being built: Builder, a graph in a context of its own; Value, a tensor in it.
 *
 * Functions of functions (grad, vmap, scan ..) take callables in Python, which get a list of Values and give a sequence of them.
 * An exception in one ends what called it, and comes out there.
 */
#include "weftpy.h"

/* ---- values ---- */

PyObject *value_object(Builder *b, wf_tensor t)
{
    Value *v = new_object(classes.value);

    if (v) {
        v->b = (Builder *)Py_NewRef((PyObject *)b);
        v->t = t;
    }
    return (PyObject *)v;
}

static void value_dealloc(PyObject *self)
{
    Py_XDECREF((PyObject *)((Value *)self)->b);
    free_object(self);
}

static bool value_lives(Value *v)
{
    if (!v->b->cx)
        PyErr_SetString(PyExc_RuntimeError, "a value of a program that has been built: it means nothing any more");
    return v->b->cx;
}

/* Sizes, symbolic ones as the negative numbers they are in the builder. */
static PyObject *value_dims(PyObject *self, void *unused)
{
    Value *v = (Value *)self;
    int64_t dims[WF_MAX_RANK];
    PyObject *list = NULL;
    int rank;

    (void)unused;
    if (!value_lives(v))
        return NULL;
    rank = wf_rank(v->b->cx, v->t);
    if (rank < 0 || wf_shape(v->b->cx, v->t, dims, rank) != WF_OK)
        return ctx_raise(v->b->cx);
    list = PyTuple_New(rank);
    for (int k = 0; list && k < rank; k++)
        PyTuple_SetItem(list, k, size_out(dims[k]));
    return list;
}

static PyObject *value_dtype(PyObject *self, void *unused)
{
    Value *v = (Value *)self;
    wf_dtype d;

    (void)unused;
    if (!value_lives(v))
        return NULL;
    d = wf_dtype_of(v->b->cx, v->t);
    return wf_ctx_status(v->b->cx) == WF_OK ? dtype_out(d) : ctx_raise(v->b->cx);
}

static PyObject *value_weak(PyObject *self, void *unused)
{
    Value *v = (Value *)self;

    (void)unused;
    return value_lives(v) ? PyBool_FromLong(wf_is_weak(v->b->cx, v->t)) : NULL;
}

static PyObject *value_symbolic(PyObject *self, void *unused)
{
    Value *v = (Value *)self;

    (void)unused;
    return value_lives(v) ? PyBool_FromLong(wf_is_symbolic(v->b->cx, v->t)) : NULL;
}

static PyObject *value_builder(PyObject *self, void *unused)
{
    (void)unused;
    return Py_NewRef((PyObject *)((Value *)self)->b);
}

/* The numbers of a value that depends on no input. */
static PyObject *value_array(PyObject *self, PyObject *none)
{
    Value *v = (Value *)self;
    wf_array *a = NULL;

    (void)none;
    if (!value_lives(v))
        return NULL;
    if (wf_to_array(v->b->cx, v->t, &a) != WF_OK)
        return ctx_raise(v->b->cx);
    return array_object(a);
}

/* ---- functions in Python ---- */

typedef struct Fn {
    wf_function f;
    Builder *b;
    PyObject *call;
} Fn;

static wf_status call_python(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out, int nout)
{
    Fn *fn = user;
    PyObject *args = tensors_out(fn->b, in, nin), *results = NULL;
    wf_tensor *t = NULL;
    int n = 0;

    if (args)
        results = PyObject_CallFunctionObjArgs(fn->call, args, NULL);
    if (results)
        t = tensors_in(fn->b, results, &n);
    if (t && nout > 0 && n != nout)
        PyErr_Format(PyExc_ValueError, "the function gives %d results, %d are needed", n, nout);
    else if (t && nout > 0)
        memcpy(out, t, (size_t)n * sizeof *t);
    else if (t)
        wf_give(c, t, n);
    free(t);
    Py_XDECREF(results);
    Py_XDECREF(args);
    if (PyErr_Occurred())
        wf_raise(c, WF_ERR_VALUE, "a function in Python raised an exception");
    return wf_ctx_status(c);
}

/* Rules may be traced later than where they are given: functions live as long as the builder. */
static void free_fn(PyObject *capsule)
{
    Fn *fn = PyCapsule_GetPointer(capsule, "weft.fn");

    Py_DECREF(fn->call);
    free(fn);
}

typedef struct BuilderMore { /* a Builder and what only this file sees */
    Builder b;
    PyObject *fns; /* capsules */
} BuilderMore;

static Fn *keep_fn(Builder *b, PyObject *call, int inputs)
{
    Fn *fn = PyCallable_Check(call) ? calloc(1, sizeof *fn) : NULL;
    BuilderMore *more = (BuilderMore *)b;
    PyObject *capsule;

    if (!fn) {
        PyErr_SetString(PyExc_TypeError, "needs a function");
        return NULL;
    }
    fn->f = (wf_function){sizeof fn->f, call_python, fn, inputs, WF_ANY, NULL};
    fn->b = b;
    fn->call = Py_NewRef(call);
    if (!(capsule = PyCapsule_New(fn, "weft.fn", free_fn))) {
        Py_DECREF(call);
        free(fn);
        return NULL;
    }
    if ((!more->fns && !(more->fns = PyList_New(0))) || PyList_Append(more->fns, capsule) < 0)
        fn = NULL;
    Py_DECREF(capsule);
    return fn;
}

static PyObject *given(Builder *b)
{
    int n = 0;
    const wf_tensor *t = wf_given(b->cx, &n);

    return tensors_out(b, t, n);
}

static Builder *open_builder(PyObject *self)
{
    if (!((Builder *)self)->cx)
        PyErr_SetString(PyExc_RuntimeError, "the program being built is closed");
    return ((Builder *)self)->cx ? (Builder *)self : NULL;
}

/* A call of a function of a function: fn, inputs, then what each has. */
typedef struct Call {
    Builder *b;
    Fn *fn;
    wf_tensor *in;
    int nin;
} Call;

static bool call_begin(Call *k, PyObject *self, PyObject *fn, PyObject *in)
{
    *k = (Call){.b = open_builder(self)};
    return k->b && (k->in = tensors_in(k->b, in, &k->nin)) && (k->fn = keep_fn(k->b, fn, k->nin));
}

static PyObject *call_end(Call *k, PyObject *result)
{
    free(k->in);
    if (k->b && k->b->cx && wf_ctx_status(k->b->cx) != WF_OK) {
        Py_XDECREF(result);
        return ctx_raise(k->b->cx);
    }
    return result;
}

static int *ints_of(PyObject *seq, int *n)
{
    Py_ssize_t count = PySequence_Size(seq);
    int *v = count < 0 ? NULL : malloc(((size_t)count + 1) * sizeof *v);

    for (Py_ssize_t i = 0; v && i < count; i++) {
        PyObject *o = PySequence_GetItem(seq, i);
        v[i] = !o ? 0 : o == Py_None ? WF_UNMAPPED : (int)PyLong_AsLong(o);
        Py_XDECREF(o);
    }
    if (PyErr_Occurred()) {
        free(v);
        return NULL;
    }
    *n = (int)count;
    return v;
}

/* grad(fn, inputs, wrt) -> (results, gradients) */
static PyObject *builder_grad(PyObject *self, PyObject *args)
{
    PyObject *fn, *in, *wrt, *out = NULL;
    int n = 0, *w = NULL;
    Call k;

    if (!PyArg_ParseTuple(args, "OOO:grad", &fn, &in, &wrt))
        return NULL;
    if (call_begin(&k, self, fn, in) && (w = ints_of(wrt, &n))) {
        wf_tensor *g = calloc((size_t)n + 1, sizeof *g);
        if (g && wf_grad_call(k.b->cx, &k.fn->f, k.in, k.nin, w, n, NULL, 0, g) == WF_OK) {
            PyObject *y = given(k.b), *gs = tensors_out(k.b, g, n);
            out = y && gs ? PyTuple_Pack(2, y, gs) : NULL;
            Py_XDECREF(y);
            Py_XDECREF(gs);
        }
        free(g);
    }
    free(w);
    return call_end(&k, out);
}

/* vmap(fn, inputs, axes, out_axis, name) -> results */
static PyObject *builder_vmap(PyObject *self, PyObject *args)
{
    PyObject *fn, *in, *axes, *out = NULL;
    const char *name = NULL;
    int n = 0, *ax = NULL, to = 0;
    Call k;

    if (!PyArg_ParseTuple(args, "OOO|iz:vmap", &fn, &in, &axes, &to, &name))
        return NULL;
    if (call_begin(&k, self, fn, in) && (ax = ints_of(axes, &n))) {
        if (n != k.nin)
            PyErr_Format(PyExc_ValueError, "vmap: %d axes for %d inputs", n, k.nin);
        else if (wf_vmap_call(k.b->cx, &k.fn->f, k.in, ax, n, &to, name, NULL, 0) == WF_OK)
            out = given(k.b);
    }
    free(ax);
    return call_end(&k, out);
}

/* jvp(fn, inputs, wrt, tangents) -> results.., tangents.. */
static PyObject *builder_jvp(PyObject *self, PyObject *args)
{
    PyObject *fn, *in, *wrt, *dx, *out = NULL;
    int n = 0, nd = 0, *w = NULL;
    wf_tensor *d = NULL;
    Call k;

    if (!PyArg_ParseTuple(args, "OOOO:jvp", &fn, &in, &wrt, &dx))
        return NULL;
    if (call_begin(&k, self, fn, in) && (w = ints_of(wrt, &n)) && (d = tensors_in(k.b, dx, &nd))) {
        if (n != nd)
            PyErr_Format(PyExc_ValueError, "jvp: %d tangents for %d inputs", nd, n);
        else if (wf_jvp_call(k.b->cx, &k.fn->f, k.in, k.nin, w, n, d, NULL, NULL, 0) == WF_OK)
            out = given(k.b);
    }
    free(d);
    free(w);
    return call_end(&k, out);
}

/* vjp(fn, inputs, wrt, cotangents or a function of the results) -> (results, gradients) */
static PyObject *builder_vjp(PyObject *self, PyObject *args)
{
    PyObject *fn, *in, *wrt, *gy, *out = NULL, *y = NULL, *gs = NULL;
    wf_tensor *g = NULL, *gx = NULL;
    int n = 0, ng = 0, *w = NULL;
    wf_record *r = NULL;
    Call k;

    if (!PyArg_ParseTuple(args, "OOOO:vjp", &fn, &in, &wrt, &gy))
        return NULL;
    if (call_begin(&k, self, fn, in) && (w = ints_of(wrt, &n)) &&
        wf_record_new(k.b->cx, &k.fn->f, k.in, k.nin, w, n, NULL, 0, &r) == WF_OK && (y = given(k.b))) {
        PyObject *list = PyCallable_Check(gy) ? PyObject_CallFunctionObjArgs(gy, y, NULL) : Py_NewRef(gy);
        g = list ? tensors_in(k.b, list, &ng) : NULL;
        gx = calloc((size_t)n + 1, sizeof *gx);
        Py_XDECREF(list);
        if (g && gx && wf_record_vjp(k.b->cx, r, g, ng, gx, n) == WF_OK && (gs = tensors_out(k.b, gx, n)))
            out = PyTuple_Pack(2, y, gs);
    }
    if (k.b && r)
        wf_record_free(k.b->cx, r);
    free(g);
    free(gx);
    free(w);
    Py_XDECREF(gs);
    Py_XDECREF(y);
    return call_end(&k, out);
}

/* cond(index, functions, inputs) -> results */
static PyObject *builder_cond(PyObject *self, PyObject *args)
{
    PyObject *index, *fns, *in, *out = NULL;
    wf_function branches[64];
    Builder *b = open_builder(self);
    wf_tensor *x = NULL, i;
    Py_ssize_t n;
    int nin = 0;

    if (!b || !PyArg_ParseTuple(args, "OOO:cond", &index, &fns, &in) || (n = PySequence_Size(fns)) < 0)
        return NULL;
    if (n < 1 || n > 64) {
        PyErr_Format(PyExc_ValueError, "cond: 1 to 64 branches, got %zd", n);
        return NULL;
    }
    i = tensor_in(b, index);
    if (!PyErr_Occurred() && (x = tensors_in(b, in, &nin))) {
        bool well = true;
        for (Py_ssize_t k = 0; k < n && well; k++) {
            PyObject *f = PySequence_GetItem(fns, k);
            Fn *fn = f ? keep_fn(b, f, nin) : NULL;
            Py_XDECREF(f);
            if ((well = fn != NULL))
                branches[k] = fn->f;
        }
        if (well && wf_cond_call(b->cx, i, branches, (int)n, x, nin, NULL, 0) == WF_OK)
            out = given(b);
    }
    free(x);
    return wf_ctx_status(b->cx) == WF_OK ? out : ctx_raise(b->cx);
}

/* while_loop(cond, body, carries, bound=None) -> carries */
static PyObject *builder_while(PyObject *self, PyObject *args)
{
    PyObject *cond, *body, *in, *bound = Py_None, *out = NULL;
    int64_t most = WF_UNBOUNDED;
    Fn *test;
    Call k;

    if (!PyArg_ParseTuple(args, "OOO|O:while_loop", &cond, &body, &in, &bound) ||
        (bound != Py_None && !size_in(bound, &most)))
        return NULL;
    if (call_begin(&k, self, body, in) && (test = keep_fn(k.b, cond, k.nin))) {
        wf_tensor *y = calloc((size_t)k.nin + 1, sizeof *y);
        test->f.outputs = 1;
        k.fn->f.outputs = k.nin;
        if (y && wf_while_call(k.b->cx, &test->f, &k.fn->f, k.in, k.nin, most, y, k.nin) == WF_OK)
            out = tensors_out(k.b, y, k.nin);
        free(y);
    }
    return call_end(&k, out);
}

/* scan(body, ncarry, inputs, length=None, reverse=False) -> carries.., rows.. */
static PyObject *builder_scan(PyObject *self, PyObject *args)
{
    PyObject *body, *in, *length = Py_None, *out = NULL;
    int64_t n = WF_UNBOUNDED;
    int ncarry, reverse = 0;
    Call k;

    if (!PyArg_ParseTuple(args, "OiO|Op:scan", &body, &ncarry, &in, &length, &reverse) ||
        (length != Py_None && !size_in(length, &n)))
        return NULL;
    if (call_begin(&k, self, body, in) &&
        wf_scan_call(k.b->cx, &k.fn->f, ncarry, k.in, k.nin, n, reverse, NULL, 0) == WF_OK)
        out = given(k.b);
    return call_end(&k, out);
}

/* checkpoint(fn, inputs, keep_dots=False) -> results */
static PyObject *builder_checkpoint(PyObject *self, PyObject *args)
{
    PyObject *fn, *in, *out = NULL;
    int dots = 0;
    Call k;

    if (!PyArg_ParseTuple(args, "OO|p:checkpoint", &fn, &in, &dots))
        return NULL;
    if (call_begin(&k, self, fn, in) && wf_checkpoint_call(k.b->cx, &k.fn->f, k.in, k.nin, dots, NULL, 0) == WF_OK)
        out = given(k.b);
    return call_end(&k, out);
}

/* custom_vjp(fn, forward, backward, inputs) -> results */
static PyObject *builder_custom_vjp(PyObject *self, PyObject *args)
{
    PyObject *fn, *forward, *backward, *in, *out = NULL;
    Fn *fw, *bw;
    Call k;

    if (!PyArg_ParseTuple(args, "OOOO:custom_vjp", &fn, &forward, &backward, &in))
        return NULL;
    if (call_begin(&k, self, fn, in) && (fw = keep_fn(k.b, forward, k.nin)) && (bw = keep_fn(k.b, backward, WF_ANY)) &&
        wf_custom_vjp_call(k.b->cx, &k.fn->f, &fw->f, &bw->f, k.in, k.nin, NULL, 0) == WF_OK)
        out = given(k.b);
    return call_end(&k, out);
}

/* apply(program, inputs) -> results */
static PyObject *builder_apply(PyObject *self, PyObject *args)
{
    PyObject *program, *in, *out = NULL;
    Builder *b = open_builder(self);
    const wf_program *p;
    wf_tensor *x = NULL, *y = NULL;
    int nin = 0, nout;

    if (!b || !PyArg_ParseTuple(args, "OO:apply", &program, &in) || !(p = program_of(program)))
        return NULL;
    nout = wf_program_outputs(p);
    y = calloc((size_t)nout + 1, sizeof *y);
    if (y && (x = tensors_in(b, in, &nin)) && wf_apply(b->cx, p, x, nin, y, nout) == WF_OK)
        out = tensors_out(b, y, nout);
    free(x);
    free(y);
    return wf_ctx_status(b->cx) == WF_OK ? out : ctx_raise(b->cx);
}

/* ---- indexing: a sequence of int, (start, stop, step), Ellipsis, None, values ---- */

static bool index_bound(PyObject *slice, const char *name, bool *has, int64_t *out)
{
    PyObject *o = PyObject_GetAttrString(slice, name);
    bool well = o && (o == Py_None || size_in(o, out));

    *has = o && o != Py_None;
    Py_XDECREF(o);
    return well;
}

static bool index_one(Builder *b, PyObject *o, wf_index *ix)
{
    int64_t size;

    if (o == Py_Ellipsis)
        *ix = wf_at_rest();
    else if (o == Py_None)
        *ix = wf_at_new();
    else if (PySlice_Check(o)) {
        *ix = wf_at_all();
        if (!index_bound(o, "start", &ix->has_start, &ix->start) || !index_bound(o, "stop", &ix->has_stop, &ix->stop) ||
            !index_bound(o, "step", &ix->has_step, &ix->step))
            return false;
    } else if (PyLong_Check(o) && !PyBool_Check(o)) {
        if (!size_in(o, &size))
            return false;
        *ix = wf_at_int(size);
    } else {
        *ix = wf_at_tensor(tensor_in(b, o));
        return !PyErr_Occurred();
    }
    return true;
}

static wf_index *indices_in(Builder *b, PyObject *seq, int *n)
{
    Py_ssize_t count = PySequence_Size(seq);
    wf_index *ix = count < 0 ? NULL : calloc((size_t)count + 1, sizeof *ix);

    for (Py_ssize_t i = 0; ix && i < count; i++) {
        PyObject *o = PySequence_GetItem(seq, i);
        bool well = o && index_one(b, o, &ix[i]);
        Py_XDECREF(o);
        if (!well) {
            free(ix);
            return NULL;
        }
    }
    *n = (int)count;
    return ix;
}

static PyObject *index_call(PyObject *self, PyObject *x, PyObject *seq, PyObject *v,
                            wf_tensor (*write)(wf_ctx *, wf_tensor, const wf_index *, int, wf_tensor))
{
    Builder *b = open_builder(self);
    wf_tensor t, value = WF_NONE, y = WF_NONE;
    wf_index *ix;
    int n;

    if (!b)
        return NULL;
    t = tensor_in(b, x);
    if (PyErr_Occurred() || !(ix = indices_in(b, seq, &n)))
        return NULL;
    if (v)
        value = tensor_in(b, v);
    if (!PyErr_Occurred())
        y = write ? write(b->cx, t, ix, n, value) : wf_index_get(b->cx, t, ix, n);
    free(ix);
    if (PyErr_Occurred() || wf_ctx_status(b->cx) != WF_OK)
        return ctx_raise(b->cx);
    return value_object(b, y);
}

static PyObject *builder_index_get(PyObject *self, PyObject *args)
{
    PyObject *x, *ix;

    return PyArg_ParseTuple(args, "OO:index_get", &x, &ix) ? index_call(self, x, ix, NULL, NULL) : NULL;
}

static PyObject *builder_index_set(PyObject *self, PyObject *args)
{
    PyObject *x, *ix, *v;

    return PyArg_ParseTuple(args, "OOO:index_set", &x, &ix, &v) ? index_call(self, x, ix, v, wf_index_set) : NULL;
}

static PyObject *builder_index_add(PyObject *self, PyObject *args)
{
    PyObject *x, *ix, *v;

    return PyArg_ParseTuple(args, "OOO:index_add", &x, &ix, &v) ? index_call(self, x, ix, v, wf_index_add) : NULL;
}

/* index_sizes(x, axis, start, stop): a slice along one axis whose bounds are sizes, perhaps symbolic, or None */
static PyObject *builder_index_sizes(PyObject *self, PyObject *args)
{
    PyObject *x, *from, *to;
    Builder *b = open_builder(self);
    int64_t start = WF_NOT, stop = WF_NOT;
    wf_index ix[WF_MAX_RANK];
    wf_tensor t, y;
    int axis;

    if (!b || !PyArg_ParseTuple(args, "OiOO:index_sizes", &x, &axis, &from, &to) ||
        (from != Py_None && !size_in(from, &start)) || (to != Py_None && !size_in(to, &stop)))
        return NULL;
    if (axis < 0 || axis >= WF_MAX_RANK) {
        PyErr_SetString(PyExc_IndexError, "index_sizes: an axis from 0 on is needed");
        return NULL;
    }
    t = tensor_in(b, x);
    for (int k = 0; k < axis; k++)
        ix[k] = wf_at_all();
    ix[axis] = wf_at_sizes(start, stop);
    if (PyErr_Occurred())
        return NULL;
    y = wf_index_get(b->cx, t, ix, axis + 1);
    return wf_ctx_status(b->cx) == WF_OK ? value_object(b, y) : ctx_raise(b->cx);
}

/* ---- sizes ---- */

/* size(op, a, b): op one of add, sub, mul, div, mod, equal, value, hint */
static PyObject *builder_size(PyObject *self, PyObject *args)
{
    static const struct {
        const char *name;
        int64_t (*two)(wf_ctx *, int64_t, int64_t);
        int64_t (*one)(wf_ctx *, int64_t);
    } ops[] = {{"add", wf_size_add, NULL}, {"sub", wf_size_sub, NULL}, {"mul", wf_size_mul, NULL},
               {"div", wf_size_div, NULL}, {"mod", wf_size_mod, NULL}, {"value", NULL, wf_size_value},
               {"hint", NULL, wf_size_hint}};
    Builder *b = open_builder(self);
    PyObject *x, *y = Py_None;
    int64_t m, n = 0, out;
    const char *name;

    if (!b || !PyArg_ParseTuple(args, "sO|O:size", &name, &x, &y) || !size_in(x, &m) || (y != Py_None && !size_in(y, &n)))
        return NULL;
    if (!strcmp(name, "equal"))
        return PyBool_FromLong(wf_size_equal(b->cx, m, n));
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
        if (!strcmp(name, ops[k].name)) {
            out = ops[k].two ? ops[k].two(b->cx, m, n) : ops[k].one(b->cx, m);
            return wf_ctx_status(b->cx) == WF_OK ? size_out(out) : ctx_raise(b->cx);
        }
    PyErr_Format(PyExc_ValueError, "size: there is no '%s'", name);
    return NULL;
}

static PyObject *builder_size_from(PyObject *self, PyObject *x)
{
    Builder *b = open_builder(self);
    wf_tensor t;
    int64_t out;

    if (!b)
        return NULL;
    t = tensor_in(b, x);
    if (PyErr_Occurred())
        return NULL;
    out = wf_size_from(b->cx, t);
    return wf_ctx_status(b->cx) == WF_OK ? size_out(out) : ctx_raise(b->cx);
}

/* ---- the builder ---- */

static PyObject *builder_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"name", "promotion", "float", NULL};
    static const char *const rules[] = {"torch", "jax", "numpy"};
    const char *name = "f", *promotion = "numpy";
    PyObject *dtype = Py_None;
    wf_graph_options o = {.size = sizeof o, .size_guards = true};
    wf_semantics means = {.size = sizeof means};
    wf_dtype d = WF_F32;
    Builder *b;
    int k = 0;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|ssO:Builder", names, &name, &promotion, &dtype) ||
        (dtype != Py_None && !dtype_in(dtype, &d)))
        return NULL;
    while (k < 3 && strcmp(promotion, rules[k]) != 0)
        k++;
    if (k == 3) {
        PyErr_Format(PyExc_ValueError, "Builder: promotion is 'numpy', 'torch' or 'jax', not '%s'", promotion);
        return NULL;
    }
    if (!(b = new_object((PyObject *)type)))
        return NULL;
    if (!(b->cx = ctx_new())) {
        Py_DECREF((PyObject *)b);
        return NULL;
    }
    b->owns = true;
    wf_semantics_of(b->cx, &means);
    means.promotion = (wf_promotion)(WF_PROMOTE_TORCH + k);
    means.default_float = d;
    if (wf_set_semantics(b->cx, &means) != WF_OK || wf_graph_new(b->cx, name, &o, &b->graph) != WF_OK || wf_graph_enter(b->cx, b->graph) != WF_OK) {
        ctx_raise(b->cx);
        Py_DECREF((PyObject *)b);
        return NULL;
    }
    return (PyObject *)b;
}

PyObject *builder_on(wf_ctx *cx)
{
    Builder *b = new_object(classes.builder);

    if (b)
        b->cx = cx;
    return (PyObject *)b;
}

void builder_close(PyObject *builder)
{
    Builder *b = (Builder *)builder;
    wf_ctx *cx = b->cx;

    b->cx = NULL;
    Py_CLEAR(((BuilderMore *)b)->fns);
    if (cx && b->owns) {
        if (b->graph) {
            wf_graph_leave(cx, b->graph);
            wf_graph_free(cx, b->graph);
        }
        wf_ctx_free(cx);
    }
    b->graph = NULL;
}

static void builder_dealloc(PyObject *self)
{
    builder_close(self);
    free_object(self);
}

static PyObject *builder_symbol(PyObject *self, PyObject *args)
{
    Builder *b = open_builder(self);
    const char *name, *type;
    wf_tensor t;

    if (!b || !PyArg_ParseTuple(args, "ss:symbol", &name, &type))
        return NULL;
    if (!b->graph) {
        PyErr_SetString(PyExc_RuntimeError, "symbol: inputs are given here");
        return NULL;
    }
    t = wf_symbol(b->cx, b->graph, name, type);
    return wf_ctx_status(b->cx) == WF_OK ? value_object(b, t) : ctx_raise(b->cx);
}

/* finish(inputs, outputs) -> Program; values mean nothing any more */
static PyObject *builder_finish(PyObject *self, PyObject *args)
{
    PyObject *in, *out;
    Builder *b = open_builder(self);
    wf_tensor *x = NULL, *y = NULL;
    const wf_program *p = NULL;
    int nin = 0, nout = 0;

    if (!b || !PyArg_ParseTuple(args, "OO:finish", &in, &out))
        return NULL;
    if (b->graph && (x = tensors_in(b, in, &nin)) && (y = tensors_in(b, out, &nout)))
        wf_graph_close(b->cx, b->graph, x, nin, y, nout, &p);
    free(x);
    free(y);
    if (!p)
        return ctx_raise(b->cx);
    builder_close(self);
    return program_object(p);
}

static PyObject *builder_py_close(PyObject *self, PyObject *none)
{
    (void)none;
    builder_close(self);
    Py_RETURN_NONE;
}

static PyObject *builder_place(PyObject *self, PyObject *args)
{
    Builder *b = open_builder(self);
    const char *file;
    int line;

    if (!b || !PyArg_ParseTuple(args, "zi:place", &file, &line))
        return NULL;
    wf_set_place(b->cx, file, line, 0);
    Py_RETURN_NONE;
}

static PyObject *builder_constant(PyObject *self, PyObject *args)
{
    PyObject *from, *dtype = Py_None;
    Builder *b = open_builder(self);
    wf_dtype d = WF_INVALID;
    wf_tensor t;

    if (!b || !PyArg_ParseTuple(args, "O|O:constant", &from, &dtype) || (dtype != Py_None && !dtype_in(dtype, &d)))
        return NULL;
    t = tensor_in(b, from);
    if (PyErr_Occurred())
        return NULL;
    if (d)
        t = wf_cast(b->cx, t, d);
    return wf_ctx_status(b->cx) == WF_OK ? value_object(b, t) : ctx_raise(b->cx);
}

/* print_values(format, values), check(ok, message, values) */
static PyObject *builder_print(PyObject *self, PyObject *args)
{
    Builder *b = open_builder(self);
    const char *format;
    PyObject *values;
    wf_tensor *t;
    int n;

    if (!b || !PyArg_ParseTuple(args, "sO:print_values", &format, &values) || !(t = tensors_in(b, values, &n)))
        return NULL;
    wf_print(b->cx, format, t, n);
    free(t);
    if (wf_ctx_status(b->cx) != WF_OK)
        return ctx_raise(b->cx);
    Py_RETURN_NONE;
}

static PyObject *builder_check(PyObject *self, PyObject *args)
{
    Builder *b = open_builder(self);
    PyObject *ok, *values;
    const char *message;
    wf_tensor *t, test;
    int n;

    if (!b || !PyArg_ParseTuple(args, "OsO:check", &ok, &message, &values))
        return NULL;
    test = tensor_in(b, ok);
    if (PyErr_Occurred() || !(t = tensors_in(b, values, &n)))
        return NULL;
    wf_assert(b->cx, test, message, t, n);
    free(t);
    if (wf_ctx_status(b->cx) != WF_OK)
        return ctx_raise(b->cx);
    Py_RETURN_NONE;
}

static PyMethodDef more_methods[] = {
    {"symbol", builder_symbol, METH_VARARGS, "symbol(name, type) -> Value: an input, type as 'f32[N,784]'"},
    {"constant", builder_constant, METH_VARARGS, "constant(array or number, dtype=None) -> Value"},
    {"finish", builder_finish, METH_VARARGS, "finish(inputs, outputs) -> Program; values mean nothing any more"},
    {"close", builder_py_close, METH_NOARGS, "close(): without a program"},
    {"place", builder_place, METH_VARARGS, "place(file, line): where the calls that follow stand, for messages"},
    {"grad", builder_grad, METH_VARARGS, "grad(fn, inputs, wrt) -> (results, gradients of the first)"},
    {"vmap", builder_vmap, METH_VARARGS, "vmap(fn, inputs, axes, out_axis=0, name=None) -> results"},
    {"jvp", builder_jvp, METH_VARARGS, "jvp(fn, inputs, wrt, tangents) -> results.., tangents.."},
    {"vjp", builder_vjp, METH_VARARGS, "vjp(fn, inputs, wrt, cotangents) -> (results, gradients)"},
    {"cond", builder_cond, METH_VARARGS, "cond(index, functions, inputs) -> results"},
    {"while_loop", builder_while, METH_VARARGS, "while_loop(cond, body, carries, bound=None) -> carries"},
    {"scan", builder_scan, METH_VARARGS, "scan(body, ncarry, inputs, length=None, reverse=False) -> carries.., rows.."},
    {"checkpoint", builder_checkpoint, METH_VARARGS, "checkpoint(fn, inputs, keep_dots=False) -> results"},
    {"custom_vjp", builder_custom_vjp, METH_VARARGS, "custom_vjp(fn, forward, backward, inputs) -> results"},
    {"apply", builder_apply, METH_VARARGS, "apply(program, inputs) -> results"},
    {"index_get", builder_index_get, METH_VARARGS, "index_get(x, indices) -> x[indices]"},
    {"index_set", builder_index_set, METH_VARARGS, "index_set(x, indices, v) -> x with x[indices] = v"},
    {"index_add", builder_index_add, METH_VARARGS, "index_add(x, indices, v) -> x with x[indices] += v, all that meet added"},
    {"index_sizes", builder_index_sizes, METH_VARARGS, "index_sizes(x, axis, start, stop): bounds may be symbolic sizes"},
    {"size", builder_size, METH_VARARGS, "size(op, a, b=None): add, sub, mul, div, mod, equal, value, hint"},
    {"size_from", builder_size_from, METH_O, "size_from(x) -> size: the number in an integer scalar"},
    {"print_values", builder_print, METH_VARARGS, "print_values(format, values): a line when the program runs"},
    {"check", builder_check, METH_VARARGS, "check(ok, message, values): an error of the run unless all of ok are true"},
    {NULL, NULL, 0, NULL},
};

static PyMethodDef value_methods[] = {
    {"array", value_array, METH_NOARGS, "array() -> Array, of a value that depends on no input"},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef value_fields[] = {
    {"dims", value_dims, NULL, "sizes; symbolic ones as negative numbers of the builder", NULL},
    {"dtype", value_dtype, NULL, "\"f32\" ..", NULL},
    {"weak", value_weak, NULL, "a Python number, or made of such only", NULL},
    {"symbolic", value_symbolic, NULL, "depends on inputs", NULL},
    {"builder", value_builder, NULL, "what it belongs to", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot value_slots[] = {
    {Py_tp_doc, "A value of a program that is being built."},
    {Py_tp_dealloc, value_dealloc},
    {Py_tp_methods, value_methods},
    {Py_tp_getset, value_fields},
    {0, NULL},
};
static PyType_Spec value_spec = {"weft._weft.Value", sizeof(Value), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                 value_slots};

static PyType_Slot builder_slots[] = {
    {Py_tp_doc, "Builder(name='f', promotion='numpy', float='f32'): a program being built; methods are Weft's functions of tensors."},
    {Py_tp_new, builder_new},
    {Py_tp_dealloc, builder_dealloc},
    {Py_tp_methods, NULL}, /* those of this file and of ops.c */
    {0, NULL},
};
static PyType_Spec builder_spec = {"weft._weft.Builder", sizeof(BuilderMore), 0, Py_TPFLAGS_DEFAULT, builder_slots};

int builder_init(PyObject *module)
{
    size_t n = 0, m = 0;
    PyMethodDef *all;

    while (builder_ops[n].ml_name)
        n++;
    while (more_methods[m].ml_name)
        m++;
    if (!(all = calloc(n + m + 1, sizeof *all))) { /* lives as long as the type: for good */
        PyErr_NoMemory();
        return -1;
    }
    memcpy(all, builder_ops, n * sizeof *all);
    memcpy(all + n, more_methods, m * sizeof *all);
    builder_slots[3].pfunc = all;
    classes.value = make_type(module, &value_spec);
    classes.builder = classes.value ? make_type(module, &builder_spec) : NULL;
    return classes.builder ? 0 : -1;
}
