/* program.c -- programs: what they are, transforms, running. */
#include "weftpy.h"

#define MOST 64 /* inputs and results that need no memory of their own */

/* ---- making ---- */

PyObject *program_object(const wf_program *p)
{
    Program *o = p ? new_object(classes.program) : NULL;

    if (o)
        o->p = p;
    else
        wf_program_release(p);
    return (PyObject *)o;
}

const wf_program *program_of(PyObject *o)
{
    if (PyObject_TypeCheck(o, (PyTypeObject *)classes.program))
        return ((Program *)o)->p;
    PyErr_Format(PyExc_TypeError, "needs a weft.Program, got %R", (PyObject *)Py_TYPE(o));
    return NULL;
}

static void program_dealloc(PyObject *self)
{
    Program *o = (Program *)self;

    wf_exec_release(o->exec);
    wf_program_release(o->p);
    free_object(self);
}

/* Program(text): the last program of a text. */
static PyObject *program_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"text", "name", NULL};
    const char *text, *name = NULL;
    wf_model *m = NULL;
    const wf_program *p = NULL;
    Program *o;
    wf_ctx *cx;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s|z:Program", names, &text, &name) || !(cx = ctx_take()))
        return NULL;
    if (wf_model_parse(cx, "<text>", text, strlen(text), &m) != WF_OK)
        return ctx_fail(cx);
    p = name ? wf_model_find(m, name) : wf_model_program(m, wf_model_programs(m) - 1);
    p = wf_program_retain(p);
    wf_model_free(m);
    ctx_give(cx);
    if (!p) {
        PyErr_Format(PyExc_KeyError, "the text has no program%s%s", name ? " named " : "", name ? name : "");
        return NULL;
    }
    if (!(o = new_object((PyObject *)type)))
        wf_program_release(p);
    else
        o->p = p;
    return (PyObject *)o;
}

/* ---- what it is ---- */

PyObject *info_out(const wf_value_info *i)
{
    static const char *const roles[] = {"input", "parameter", "buffer", "state", "result"};
    PyObject *dims = PyTuple_New(i->rank), *out = NULL;

    for (int k = 0; dims && k < i->rank; k++)
        PyTuple_SetItem(dims, k, i->dims[k] < 0 ? PyUnicode_FromString(i->sizes[k]) : PyLong_FromLongLong(i->dims[k]));
    if (dims)
        out = Py_BuildValue("(ssOs)", i->name, wf_dtype_name(i->dtype), dims, roles[i->role]);
    Py_XDECREF(dims);
    return out;
}

static PyObject *infos(PyObject *self, bool results)
{
    const wf_program *p = ((Program *)self)->p;
    int n = results ? wf_program_outputs(p) : wf_program_inputs(p);
    wf_ctx *cx = ctx_take();
    PyObject *list = cx ? PyList_New(n) : NULL;

    for (int i = 0; list && i < n; i++) {
        wf_value_info info = {.size = sizeof info};
        PyObject *row = NULL;

        if ((results ? wf_program_output_info : wf_program_input_info)(cx, p, i, &info) == WF_OK)
            row = info_out(&info);
        else
            ctx_raise(cx);
        if (row)
            PyList_SetItem(list, i, row);
        else
            Py_CLEAR(list);
    }
    ctx_give(cx);
    return list;
}

static PyObject *program_inputs(PyObject *self, void *unused) { return (void)unused, infos(self, false); }
static PyObject *program_outputs(PyObject *self, void *unused) { return (void)unused, infos(self, true); }
static PyObject *program_name(PyObject *self, void *unused)
{
    (void)unused;
    return PyUnicode_FromString(wf_program_name(((Program *)self)->p));
}
static PyObject *program_equations(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromLong(wf_program_equations(((Program *)self)->p));
}

static PyObject *give_text(wf_ctx *cx, wf_status st, const char **from)
{
    const char *text = *from;
    PyObject *out;

    if (st != WF_OK)
        return ctx_fail(cx);
    out = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    ctx_give(cx);
    return out;
}

static PyObject *program_text(PyObject *self, PyObject *args)
{
    unsigned flags = 0;
    const char *text = "";
    wf_ctx *cx;

    if (!PyArg_ParseTuple(args, "|I:text", &flags) || !(cx = ctx_take()))
        return NULL;
    return give_text(cx, wf_program_text(cx, ((Program *)self)->p, flags, &text), &text);
}

static PyObject *program_str(PyObject *self)
{
    const char *text = "";
    wf_ctx *cx = ctx_take();

    return cx ? give_text(cx, wf_program_text(cx, ((Program *)self)->p, WF_TEXT_SHORT, &text), &text) : NULL;
}

static PyObject *program_dot(PyObject *self, PyObject *none)
{
    const char *text = "";
    wf_ctx *cx = ctx_take();

    (void)none;
    return cx ? give_text(cx, wf_program_dot(cx, ((Program *)self)->p, &text), &text) : NULL;
}

static PyObject *program_code(PyObject *self, PyObject *args)
{
    const char *form, *target = NULL, *text = "";
    static const char *const forms[] = {"fused", "kernels", "c"};
    int f = 0;
    wf_status st;
    wf_ctx *cx;

    if (!PyArg_ParseTuple(args, "s|z:code", &form, &target))
        return NULL;
    while (f < 3 && strcmp(form, forms[f]) != 0)
        f++;
    if (f == 3) {
        PyErr_Format(PyExc_ValueError, "code: needs 'fused', 'kernels' or 'c', got '%s'", form);
        return NULL;
    }
    if (!(cx = ctx_take()))
        return NULL;
    LEAVE_PYTHON(cx)
    st = wf_program_code(cx, ((Program *)self)->p, (wf_code_form)f, target, &text);
    RETURN_PYTHON
    return give_text(cx, st, &text);
}

/* A dict of sizes by name, at most MOST; how many, or -1 with an exception. */
static int sizes_of(PyObject *sizes, const char *what, const char **names, int64_t *values)
{
    Py_ssize_t at = 0;
    PyObject *key, *value;
    int n = 0;

    if (!PyDict_Check(sizes) || PyDict_Size(sizes) > MOST) {
        PyErr_Format(PyExc_TypeError, "%s: needs a dict of sizes by name", what);
        return -1;
    }
    while (PyDict_Next(sizes, &at, &key, &value)) {
        names[n] = PyUnicode_AsUTF8AndSize(key, NULL);
        values[n] = PyLong_AsLongLong(value);
        if (!names[n++] || PyErr_Occurred())
            return -1;
    }
    return n;
}

static PyObject *program_cost(PyObject *self, PyObject *sizes)
{
    const char *names[MOST];
    int64_t values[MOST];
    int n;
    wf_cost cost = {.size = sizeof cost};
    wf_ctx *cx;

    if ((n = sizes_of(sizes, "cost", names, values)) < 0 || !(cx = ctx_take()))
        return NULL;
    if (wf_program_cost(cx, ((Program *)self)->p, names, values, n, &cost) != WF_OK)
        return ctx_fail(cx);
    ctx_give(cx);
    return Py_BuildValue("{sdsdsdsdsdsd}", "map_flops", cost.map_flops, "contraction_flops", cost.contraction_flops, "bytes",
                         cost.bytes, "live_bytes", cost.live_bytes, "input_bytes", cost.input_bytes, "output_bytes",
                         cost.output_bytes);
}

static PyObject *program_hash_text(PyObject *self, void *unused)
{
    char hash[33];

    (void)unused;
    wf_program_hash(((Program *)self)->p, hash, sizeof hash);
    return PyUnicode_FromString(hash);
}

static PyObject *program_compare(PyObject *a, PyObject *b, int op)
{
    bool equal;

    if ((op != Py_EQ && op != Py_NE) || !PyObject_TypeCheck(b, (PyTypeObject *)classes.program))
        Py_RETURN_NOTIMPLEMENTED;
    equal = wf_program_equal(((Program *)a)->p, ((Program *)b)->p);
    return PyBool_FromLong(equal == (op == Py_EQ));
}

static Py_hash_t program_hash(PyObject *self)
{
    char hash[33];
    Py_hash_t h;

    wf_program_hash(((Program *)self)->p, hash, sizeof hash);
    h = (Py_hash_t)strtoull(hash + 17, NULL, 16);
    return h == -1 ? 0 : h;
}

/* ---- transforms ---- */

typedef wf_status (*Transform)(wf_ctx *, const wf_program *, const int *, int, const wf_program **);
typedef wf_status (*Split)(wf_ctx *, const wf_program *, const int *, int, const wf_program **, const wf_program **);
static const struct {
    const char *name;
    Transform one;
    Split two;
} transforms[] = {
    {"jvp", wf_jvp, NULL},         {"vjp", wf_vjp, NULL},         {"grad", wf_grad, NULL},
    {"value_and_grad", wf_value_and_grad, NULL},                  {"jacfwd", wf_jacfwd, NULL},
    {"jacrev", wf_jacrev, NULL},   {"hessian", wf_hessian, NULL}, {"hvp", wf_hvp, NULL},
    {"linearize", NULL, wf_linearize},                            {"partition", NULL, wf_partition},
};

/* A sequence of int, malloc'ed. */
static int *int_list(PyObject *seq, int *n)
{
    Py_ssize_t count = PySequence_Size(seq);
    int *list = count < 0 ? NULL : malloc(((size_t)count + 1) * sizeof *list);

    if (count >= 0 && !list)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; list && i < count; i++) {
        PyObject *o = PySequence_GetItem(seq, i);
        list[i] = o ? (int)PyLong_AsLong(o) : 0;
        Py_XDECREF(o);
        if (PyErr_Occurred()) {
            free(list);
            return NULL;
        }
    }
    *n = (int)count;
    return list;
}

static PyObject *program_transform(PyObject *self, PyObject *args)
{
    const wf_program *p = ((Program *)self)->p, *out = NULL, *second = NULL;
    const char *name;
    PyObject *seq;
    size_t k = 0;
    int n, *wrt;
    wf_status st;
    wf_ctx *cx;

    if (!PyArg_ParseTuple(args, "sO:transform", &name, &seq))
        return NULL;
    while (k < sizeof transforms / sizeof *transforms && strcmp(name, transforms[k].name) != 0)
        k++;
    if (k == sizeof transforms / sizeof *transforms) {
        PyErr_Format(PyExc_ValueError, "transform: there is no '%s'", name);
        return NULL;
    }
    if (!(wrt = int_list(seq, &n)))
        return NULL;
    if (!(cx = ctx_take())) {
        free(wrt);
        return NULL;
    }
    LEAVE_PYTHON(cx)
    st = transforms[k].one ? transforms[k].one(cx, p, wrt, n, &out) : transforms[k].two(cx, p, wrt, n, &out, &second);
    RETURN_PYTHON
    free(wrt);
    if (st != WF_OK)
        return ctx_fail(cx);
    ctx_give(cx);
    if (!transforms[k].two)
        return program_object(out);
    PyObject *a = program_object(out), *b = program_object(second), *pair = a && b ? PyTuple_Pack(2, a, b) : NULL;
    Py_XDECREF(a);
    Py_XDECREF(b);
    return pair;
}

static PyObject *program_vmap(PyObject *self, PyObject *args)
{
    const wf_program *out = NULL;
    const char *name = NULL;
    PyObject *seq;
    long long size = -1;
    int n, *axes;
    wf_status st;
    wf_ctx *cx;

    if (!PyArg_ParseTuple(args, "O|zL:vmap", &seq, &name, &size) || !(axes = int_list(seq, &n)))
        return NULL;
    if (!(cx = ctx_take())) {
        free(axes);
        return NULL;
    }
    LEAVE_PYTHON(cx)
    st = wf_vmap(cx, ((Program *)self)->p, axes, n, name, size, &out);
    RETURN_PYTHON
    free(axes);
    if (st != WF_OK)
        return ctx_fail(cx);
    ctx_give(cx);
    return program_object(out);
}

static PyObject *program_specialise(PyObject *self, PyObject *sizes)
{
    const char *names[MOST];
    int64_t values[MOST];
    const wf_program *out = NULL;
    int n;
    wf_ctx *cx;

    if ((n = sizes_of(sizes, "specialise", names, values)) < 0 || !(cx = ctx_take()))
        return NULL;
    if (wf_specialise(cx, ((Program *)self)->p, names, values, n, &out) != WF_OK)
        return ctx_fail(cx);
    ctx_give(cx);
    return program_object(out);
}

/* Inputs by number become constants. */
static PyObject *program_bind(PyObject *self, PyObject *values)
{
    const wf_program *p = ((Program *)self)->p, *out = NULL;
    wf_array *arrays[MOST] = {NULL};
    int which[MOST], n = 0;
    Py_ssize_t at = 0;
    PyObject *key, *value;
    bool well = true;
    wf_status st;
    wf_ctx *cx;

    if (!PyDict_Check(values) || PyDict_Size(values) > MOST) {
        PyErr_Format(PyExc_TypeError, "bind: needs a dict of up to %d arrays by the number of the input", MOST);
        return NULL;
    }
    if (!(cx = ctx_take()))
        return NULL;
    while (well && PyDict_Next(values, &at, &key, &value)) {
        which[n] = (int)PyLong_AsLong(key);
        well = !PyErr_Occurred() && (arrays[n] = array_in(cx, value, wf_program_input_dtype(p, which[n]), NULL)) != NULL;
        n++;
    }
    if (!well) {
        arrays_release(arrays, n);
        ctx_give(cx);
        return NULL;
    }
    LEAVE_PYTHON(cx)
    st = wf_bind(cx, p, which, arrays, n, &out);
    RETURN_PYTHON
    arrays_release(arrays, n);
    if (st != WF_OK)
        return ctx_fail(cx);
    ctx_give(cx);
    return program_object(out);
}

static PyObject *program_optimise(PyObject *self, PyObject *args)
{
    const wf_program *out = NULL;
    const char *last = NULL;
    wf_status st;
    wf_ctx *cx;

    if (!PyArg_ParseTuple(args, "|z:optimise", &last) || !(cx = ctx_take()))
        return NULL;
    LEAVE_PYTHON(cx)
    st = wf_optimise(cx, ((Program *)self)->p, last, &out);
    RETURN_PYTHON
    if (st != WF_OK)
        return ctx_fail(cx);
    ctx_give(cx);
    return program_object(out);
}

/* ---- running ---- */

static int input_place(const wf_program *p, PyObject *name)
{
    const char *s = PyUnicode_AsUTF8AndSize(name, NULL);
    int i = s ? wf_program_find_input(p, s) : -1;

    if (s && i < 0)
        PyErr_Format(PyExc_TypeError, "%s() has no input named '%s'", wf_program_name(p), s);
    return i;
}

static bool gather(wf_ctx *cx, const wf_program *p, PyObject *args, PyObject *kwargs, wf_array **in, int n, Like *like)
{
    Py_ssize_t given = PyTuple_Size(args), at = 0;
    PyObject *key, *value;

    for (Py_ssize_t i = 0; i < given && i < n; i++)
        if (!(in[i] = array_in(cx, PyTuple_GetItem(args, i), wf_program_input_dtype(p, (int)i), like)))
            return false;
    while (kwargs && PyDict_Next(kwargs, &at, &key, &value)) {
        int i = input_place(p, key);
        if (i < 0)
            return false;
        if (in[i]) {
            PyErr_Format(PyExc_TypeError, "%s() got '%U' twice", wf_program_name(p), key);
            return false;
        }
        if (!(in[i] = array_in(cx, value, wf_program_input_dtype(p, i), like)))
            return false;
        given++;
    }
    if (given != n)
        PyErr_Format(PyExc_TypeError, "%s() takes %d inputs, %zd were given", wf_program_name(p), n, given);
    return given == n;
}

static PyObject *results_out(wf_array **out, int n, const Like *like)
{
    PyObject *tuple;

    if (n == 1)
        return array_out(out[0], like);
    tuple = PyTuple_New(n);
    for (int i = 0; i < n; i++) {
        PyObject *o = tuple ? array_out(out[i], like) : NULL;
        if (!tuple)
            wf_array_release(out[i]);
        else if (!o)
            Py_CLEAR(tuple);
        else
            PyTuple_SetItem(tuple, i, o);
    }
    return tuple;
}

PyObject *exec_call(wf_exec *e, const wf_program *p, PyObject *args, PyObject *kwargs)
{
    int nin = wf_exec_inputs(e), nout = wf_exec_outputs(e);
    wf_array *few[2 * MOST] = {NULL}, **in = few, **out;
    PyObject *result = NULL;
    Like like = {KIND_NONE, NULL};
    wf_status st = WF_OK;
    wf_ctx *cx = ctx_take();

    if (!cx)
        return NULL;
    if (nin + nout > 2 * MOST && !(in = calloc((size_t)(nin + nout), sizeof *in))) {
        ctx_give(cx);
        return PyErr_NoMemory();
    }
    out = in + nin;
    if (gather(cx, p, args, kwargs, in, nin, &like)) {
        LEAVE_PYTHON(cx)
        st = wf_run(cx, e, in, nin, out, nout);
        RETURN_PYTHON
        if (st == WF_OK)
            result = results_out(out, nout, &like);
        else
            ctx_raise(cx);
    }
    arrays_release(in, nin);
    if (in != few)
        free(in);
    ctx_give(cx);
    return result;
}

static PyObject *program_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
    Program *o = (Program *)self;

    if (!o->exec) {
        wf_ctx *cx = ctx_take();
        wf_exec *e = NULL;
        wf_status st;

        if (!cx)
            return NULL;
        LEAVE_PYTHON(cx)
        st = wf_prepare(cx, o->p, &e);
        RETURN_PYTHON
        if (st != WF_OK)
            return ctx_fail(cx);
        ctx_give(cx);
        if (o->exec) /* another thread was first */
            wf_exec_release(e);
        else
            o->exec = e;
    }
    return exec_call(o->exec, o->p, args, kwargs);
}

static PyObject *program_compile(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"exact", NULL};
    const wf_program *p = ((Program *)self)->p;
    int exact = 0;
    wf_exec *e = NULL;
    wf_status st;
    Exec *o;
    wf_ctx *cx;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$p:compile", names, &exact) || !(cx = ctx_take()))
        return NULL;
    LEAVE_PYTHON(cx)
    st = wf_compile(cx, p, exact ? WF_COMPILE_EXACT : 0, &e);
    RETURN_PYTHON
    if (st != WF_OK)
        return ctx_fail(cx);
    ctx_give(cx);
    if (!(o = new_object(classes.exec))) {
        wf_exec_release(e);
        return NULL;
    }
    o->e = e;
    o->p = wf_program_retain(p);
    return (PyObject *)o;
}

/* ---- profile: [(op, program, type, place, calls, seconds, flops, bytes)], seconds of a run ---- */

static PyObject *profile_rows(const wf_profile *f)
{
    int n = wf_profile_steps(f);
    PyObject *list = PyList_New(n);

    for (int i = 0; list && i < n; i++) {
        const wf_profile_step *s = wf_profile_step_at(f, i);
        PyObject *row = Py_BuildValue("(ssssLddd)", s->op, s->program, s->type, s->place, (long long)s->calls, s->seconds,
                                      s->flops, s->bytes);
        if (row)
            PyList_SetItem(list, i, row);
        else
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *exec_profile(PyObject *self, PyObject *args)
{
    Exec *o = (Exec *)self;
    int nin = wf_exec_inputs(o->e), runs;
    wf_array *in[MOST] = {NULL};
    wf_profile *f = NULL;
    PyObject *tuple, *rows = NULL, *out = NULL;
    Like like = {KIND_NONE, NULL};
    wf_ctx *cx;

    if (!PyArg_ParseTuple(args, "O!i:profile", &PyTuple_Type, &tuple, &runs))
        return NULL;
    if (nin > MOST) {
        PyErr_Format(PyExc_ValueError, "profile: a program of more than %d inputs", MOST);
        return NULL;
    }
    if (!(cx = ctx_take()))
        return NULL;
    if (gather(cx, o->p, tuple, NULL, in, nin, &like)) {
        wf_status st;
        LEAVE_PYTHON(cx)
        st = wf_profile_new(cx, o->e, in, nin, runs, &f);
        RETURN_PYTHON
        if (st != WF_OK)
            ctx_raise(cx);
        else if ((rows = profile_rows(f)))
            out = Py_BuildValue("(Od)", rows, wf_profile_seconds(f));
    }
    Py_XDECREF(rows);
    wf_profile_free(f);
    arrays_release(in, nin);
    ctx_give(cx);
    return out;
}

static void exec_dealloc(PyObject *self)
{
    wf_exec_release(((Exec *)self)->e);
    wf_program_release(((Exec *)self)->p);
    free_object(self);
}

static PyObject *exec_tp_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
    return exec_call(((Exec *)self)->e, ((Exec *)self)->p, args, kwargs);
}

static PyObject *exec_is_compiled(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(wf_exec_is_compiled(((Exec *)self)->e));
}

static PyObject *exec_memory(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromSize_t(wf_exec_memory(((Exec *)self)->e));
}

static PyObject *exec_program(PyObject *self, void *unused)
{
    (void)unused;
    return program_object(wf_program_retain(((Exec *)self)->p));
}

static PyMethodDef program_methods[] = {
    {"text", program_text, METH_VARARGS, "text(flags=0) -> str: 1 places, 2 types, 4 header, 8 constants cut"},
    {"dot", program_dot, METH_NOARGS, "dot() -> str: a Graphviz drawing"},
    {"code", program_code, METH_VARARGS, "code(form, target=None) -> str: 'fused', 'kernels' or 'c'"},
    {"_cost", program_cost, METH_O, "_cost(sizes) -> dict"},
    {"_transform", program_transform, METH_VARARGS, "_transform(name, wrt)"},
    {"_vmap", program_vmap, METH_VARARGS, "_vmap(axes, axis_name=None, size=-1)"},
    {"_specialise", program_specialise, METH_O, "_specialise(sizes)"},
    {"_bind", program_bind, METH_O, "_bind({number: array})"},
    {"optimise", program_optimise, METH_VARARGS, "optimise(last=None) -> Program: as passes up to and with `last` leave it"},
    {"compile", (PyCFunction)(void (*)(void))program_compile, METH_VARARGS | METH_KEYWORDS,
     "compile(*, exact=False) -> Executable: optimised machine code; exact: rounded as the interpreter does it"},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef program_fields[] = {
    {"name", program_name, NULL, "its name", NULL},
    {"inputs", program_inputs, NULL, "[(name, dtype, sizes, role)]: sizes are int, or text if symbolic", NULL},
    {"outputs", program_outputs, NULL, "[(name, dtype, sizes, role)]", NULL},
    {"equations", program_equations, NULL, "how many there are", NULL},
    {"hash", program_hash_text, NULL, "32 hexadecimal digits of its content; names and places do not count", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot program_slots[] = {
    {Py_tp_doc, "Program(text, name=None): a typed, pure program; calling it runs it."},
    {Py_tp_new, program_new},
    {Py_tp_dealloc, program_dealloc},
    {Py_tp_call, program_call},
    {Py_tp_str, program_str},
    {Py_tp_richcompare, program_compare},
    {Py_tp_hash, program_hash},
    {Py_tp_methods, program_methods},
    {Py_tp_getset, program_fields},
    {0, NULL},
};
static PyType_Spec program_spec = {"weft._weft.Program", sizeof(Program), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                                   program_slots};

static PyMethodDef exec_methods[] = {
    {"_profile", exec_profile, METH_VARARGS, "_profile(args, runs) -> (steps, seconds of a run)"},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef exec_fields[] = {
    {"program", exec_program, NULL, "the program it runs", NULL},
    {"is_compiled", exec_is_compiled, NULL, "has it machine code?", NULL},
    {"memory", exec_memory, NULL, "bytes of intermediate values that it holds between runs", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot exec_slots[] = {
    {Py_tp_doc, "A program made ready to run; from many threads at once, without the GIL."},
    {Py_tp_dealloc, exec_dealloc},
    {Py_tp_call, exec_tp_call},
    {Py_tp_methods, exec_methods},
    {Py_tp_getset, exec_fields},
    {0, NULL},
};
static PyType_Spec exec_spec = {"weft._weft.Executable", sizeof(Exec), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, exec_slots};

int program_init(PyObject *module)
{
    return (classes.program = make_type(module, &program_spec)) && (classes.exec = make_type(module, &exec_spec)) ? 0 : -1;
}
