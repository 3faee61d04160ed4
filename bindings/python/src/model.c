/* model.c -- files: programs by name (the methods), tensors by name, metadata; training steps as methods.
 *
 * A method whose results are all the caller's is run from many threads at once, bound to the tensors it had when it was first
 * called (Python's side keeps that, and makes it anew when `changes` has moved on). One that changes tensors of the file runs
 * under the lock of the model.
 */
#include "weftpy.h"

#include <pythread.h>

typedef struct Model {
    PyObject_HEAD
    wf_model *m;
    PyThread_type_lock lock; /* of whoever changes it */
    long long changes;
} Model;

static Model *make_model(PyObject *type, wf_model *m)
{
    Model *o = new_object(type);

    if (o && !(o->lock = PyThread_allocate_lock())) {
        Py_DECREF((PyObject *)o);
        PyErr_NoMemory();
        o = NULL;
    }
    if (o)
        o->m = m;
    else
        wf_model_free(m);
    return o;
}

static void model_dealloc(PyObject *self)
{
    Model *o = (Model *)self;

    wf_model_free(o->m);
    if (o->lock)
        PyThread_free_lock(o->lock);
    free_object(self);
}

static PyObject *model_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    wf_model *m = NULL;
    wf_ctx *cx;

    (void)args, (void)kwargs;
    if (!(cx = ctx_take()))
        return NULL;
    if (wf_model_new(cx, &m) != WF_OK)
        return ctx_fail(cx);
    ctx_give(cx);
    return (PyObject *)make_model((PyObject *)type, m);
}

/* ---- opening ---- */

#define MOST 256
typedef struct Import { /* what a file leaves open: types as text or numbers, by the name of the input */
    wf_import_options o;
    const char *names[MOST], *types[MOST];
    wf_array *values[MOST];
} Import;

static bool import_in(wf_ctx *cx, PyObject *dict, Import *im)
{
    Py_ssize_t at = 0;
    PyObject *key, *value;
    int n = 0;

    memset(im, 0, sizeof *im);
    if (dict == Py_None)
        return true;
    if (!PyDict_Check(dict) || PyDict_Size(dict) > MOST) {
        PyErr_SetString(PyExc_TypeError, "load: inputs is a dict of types or arrays by name");
        return false;
    }
    while (PyDict_Next(dict, &at, &key, &value)) {
        im->names[n] = PyUnicode_AsUTF8AndSize(key, NULL);
        if (im->names[n] && PyUnicode_Check(value))
            im->types[n] = PyUnicode_AsUTF8AndSize(value, NULL);
        else if (im->names[n])
            im->values[n] = array_in(cx, value, WF_INVALID, NULL);
        n++;
        if (PyErr_Occurred()) {
            arrays_release(im->values, n);
            return false;
        }
    }
    im->o = (wf_import_options){sizeof im->o, im->names, im->types, im->values, n};
    return true;
}

/* open(path or None, bytes or None, name, inputs, copy) */
static PyObject *model_open(PyObject *type, PyObject *args)
{
    PyObject *path, *bytes, *inputs, *encoded = NULL;
    const char *name;
    wf_model *m = NULL;
    char *text = NULL;
    Py_ssize_t size = 0;
    int copy = 0;
    Import im;
    wf_status st;
    wf_ctx *cx;

    if (!PyArg_ParseTuple(args, "OOsOp:open", &path, &bytes, &name, &inputs, &copy))
        return NULL;
    if ((path != Py_None && !PyUnicode_FSConverter(path, &encoded)) ||
        (path == Py_None && PyBytes_AsStringAndSize(bytes, &text, &size) < 0))
        return NULL;
    if (!(cx = ctx_take()) || !import_in(cx, inputs, &im)) {
        Py_XDECREF(encoded);
        ctx_give(cx);
        return NULL;
    }
    const char *file = encoded ? PyBytes_AsString(encoded) : NULL;
    LEAVE_PYTHON(cx)
    if (!file)
        st = im.o.n ? wf_model_parse_with(cx, name, text, (size_t)size, &im.o, &m) : wf_model_parse(cx, name, text, (size_t)size, &m);
    else if (im.o.n)
        st = wf_model_import(cx, file, &im.o, &m);
    else
        st = (copy ? wf_model_load_copy : wf_model_load)(cx, file, &m);
    RETURN_PYTHON
    arrays_release(im.values, im.o.n);
    Py_XDECREF(encoded);
    if (st != WF_OK)
        return ctx_fail(cx);
    ctx_give(cx);
    return (PyObject *)make_model(type, m);
}

/* ---- what it holds ---- */

static PyObject *model_programs(PyObject *self, void *unused)
{
    const wf_model *m = ((Model *)self)->m;
    int n = wf_model_programs(m);
    PyObject *list = PyList_New(n);

    (void)unused;
    for (int i = 0; list && i < n; i++)
        PyList_SetItem(list, i, PyUnicode_FromString(wf_program_name(wf_model_program(m, i))));
    return list;
}

static PyObject *model_tensors(PyObject *self, void *unused)
{
    const wf_model *m = ((Model *)self)->m;
    int n = wf_model_tensors(m);
    PyObject *list = PyList_New(n);

    (void)unused;
    for (int i = 0; list && i < n; i++)
        PyList_SetItem(list, i, PyUnicode_FromString(wf_model_tensor_name(m, i)));
    return list;
}

static PyObject *model_program(PyObject *self, PyObject *args)
{
    const wf_program *p;
    const char *name;

    if (!PyArg_ParseTuple(args, "s:program", &name))
        return NULL;
    if (!(p = wf_model_find(((Model *)self)->m, name))) {
        PyErr_Format(PyExc_KeyError, "the model has no program '%s'", name);
        return NULL;
    }
    return program_object(wf_program_retain(p));
}

static PyObject *model_tensor(PyObject *self, PyObject *args)
{
    const char *name;
    wf_array *a;

    if (!PyArg_ParseTuple(args, "s:tensor", &name))
        return NULL;
    if (!(a = wf_model_find_tensor(((Model *)self)->m, name))) {
        PyErr_Format(PyExc_KeyError, "the model has no tensor '%s'", name);
        return NULL;
    }
    return array_object(wf_array_retain(a));
}

/* What a method takes and gives: [(name, dtype, sizes, role)] */
static PyObject *method_infos(PyObject *self, PyObject *args, bool results)
{
    const wf_model *m = ((Model *)self)->m;
    const char *name;
    const wf_program *p;
    PyObject *list = NULL;
    wf_ctx *cx;
    int n;

    if (!PyArg_ParseTuple(args, "s:method", &name))
        return NULL;
    if (!(p = wf_model_find(m, name))) {
        PyErr_Format(PyExc_KeyError, "the model has no method '%s'", name);
        return NULL;
    }
    n = results ? wf_program_outputs(p) : wf_program_inputs(p);
    if (!(cx = ctx_take()))
        return NULL;
    list = PyList_New(n);
    for (int i = 0; list && i < n; i++) {
        wf_value_info info = {.size = sizeof info};
        PyObject *row = NULL;
        if ((results ? wf_model_output_info : wf_model_input_info)(cx, m, name, i, &info) == WF_OK)
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

static PyObject *model_method_inputs(PyObject *self, PyObject *args) { return method_infos(self, args, false); }
static PyObject *model_method_outputs(PyObject *self, PyObject *args) { return method_infos(self, args, true); }

static PyObject *model_meta(PyObject *self, PyObject *args)
{
    const wf_model *m = ((Model *)self)->m;
    const char *key;

    if (!PyArg_ParseTuple(args, "s:meta", &key))
        return NULL;
    if (!wf_model_has_meta(m, key))
        Py_RETURN_NONE;
    return PyUnicode_FromString(wf_model_meta(m, key));
}

/* ---- changing it: with the lock, without the GIL while waiting for it ---- */

static void lock_model(Model *o)
{
    if (PyThread_acquire_lock(o->lock, NOWAIT_LOCK))
        return;
    Py_BEGIN_ALLOW_THREADS
    PyThread_acquire_lock(o->lock, WAIT_LOCK);
    Py_END_ALLOW_THREADS
}

static void unlock_model(Model *o, bool changed)
{
    o->changes += changed;
    PyThread_release_lock(o->lock);
}

static PyObject *changed(Model *o, wf_ctx *cx, wf_status st)
{
    unlock_model(o, true);
    if (st != WF_OK)
        return ctx_fail(cx);
    ctx_give(cx);
    Py_RETURN_NONE;
}

static PyObject *model_set_meta(PyObject *self, PyObject *args)
{
    Model *o = (Model *)self;
    const char *key, *value;
    wf_ctx *cx;

    if (!PyArg_ParseTuple(args, "ss:set_meta", &key, &value) || !(cx = ctx_take()))
        return NULL;
    lock_model(o);
    return changed(o, cx, wf_model_set_meta(cx, o->m, key, value));
}

static PyObject *model_add(PyObject *self, PyObject *program)
{
    Model *o = (Model *)self;
    const wf_program *p = program_of(program);
    wf_ctx *cx;

    if (!p || !(cx = ctx_take()))
        return NULL;
    lock_model(o);
    return changed(o, cx, wf_model_add(cx, o->m, p));
}

static PyObject *model_set_tensor(PyObject *self, PyObject *args)
{
    Model *o = (Model *)self;
    PyObject *from;
    const char *name;
    wf_array *a, *made = NULL;
    wf_status st;
    wf_ctx *cx;

    if (!PyArg_ParseTuple(args, "sO:set_tensor", &name, &from) || !(cx = ctx_take()))
        return NULL;
    if (!(a = array_in(cx, from, WF_INVALID, NULL))) {
        ctx_give(cx);
        return NULL;
    }
    wf_scope_begin(cx); /* the model's own numbers: what is lent may change */
    st = wf_to_array(cx, wf_copy(cx, wf_from_array(cx, a)), &made);
    wf_scope_end(cx);
    wf_array_release(a);
    lock_model(o);
    if (st == WF_OK)
        st = wf_model_set_tensor(cx, o->m, name, made);
    wf_array_release(made);
    return changed(o, cx, st);
}

/* ---- running ---- */

static PyObject *model_bind(PyObject *self, PyObject *args)
{
    Model *o = (Model *)self;
    const wf_program *p = NULL;
    const char *name;
    wf_status st;
    wf_ctx *cx;

    if (!PyArg_ParseTuple(args, "s:bind", &name) || !(cx = ctx_take()))
        return NULL;
    lock_model(o);
    LEAVE_PYTHON(cx)
    st = wf_model_bind(cx, o->m, name, &p);
    RETURN_PYTHON
    unlock_model(o, false);
    if (st != WF_OK)
        return ctx_fail(cx);
    ctx_give(cx);
    return program_object(p);
}

/* run(name, args, nout): with the tensors of the file, which it may change */
static PyObject *model_run(PyObject *self, PyObject *args)
{
    Model *o = (Model *)self;
    PyObject *tuple, *out = NULL;
    wf_tensor *x = NULL, *y = NULL;
    Like like = {KIND_NONE, NULL};
    const wf_program *p;
    const char *name;
    wf_ctx *cx;
    int nin, nout, state;

    if (!PyArg_ParseTuple(args, "sO!i:run", &name, &PyTuple_Type, &tuple, &nout) || !(cx = ctx_take()))
        return NULL;
    nin = (int)PyTuple_Size(tuple);
    p = wf_model_find(o->m, name);
    state = wf_model_method_state(cx, o->m, name, NULL, 0);
    x = calloc((size_t)nin + 1, sizeof *x);
    y = calloc((size_t)nout + 1, sizeof *y);
    wf_scope_begin(cx);
    for (int i = 0; x && y && i < nin && !PyErr_Occurred(); i++) {
        wf_array *a = array_in(cx, PyTuple_GetItem(tuple, i), wf_program_input_dtype(p, state + i), &like);
        if (a)
            x[i] = wf_from_array(cx, a);
        wf_array_release(a);
    }
    if (!PyErr_Occurred()) {
        wf_status st;
        lock_model(o);
        LEAVE_PYTHON(cx)
        st = wf_model_run(cx, o->m, name, x, nin, y, nout);
        RETURN_PYTHON
        unlock_model(o, true);
        out = st == WF_OK ? PyTuple_New(nout) : NULL;
        for (int i = 0; out && i < nout; i++) {
            wf_array *a = NULL;
            PyObject *item = wf_to_array(cx, y[i], &a) == WF_OK ? array_out(a, &like) : NULL;
            if (item)
                PyTuple_SetItem(out, i, item);
            else
                Py_CLEAR(out);
        }
    }
    wf_scope_end(cx);
    if (!out)
        ctx_raise(cx);
    free(x);
    free(y);
    ctx_give(cx);
    return out;
}

/* ---- files ---- */

static PyObject *model_save(PyObject *self, PyObject *args)
{
    Model *o = (Model *)self;
    PyObject *path;
    const char *file;
    wf_status st;
    wf_ctx *cx;

    if (!PyArg_ParseTuple(args, "O&:save", PyUnicode_FSConverter, &path))
        return NULL;
    if (!(cx = ctx_take())) {
        Py_DECREF(path);
        return NULL;
    }
    file = PyBytes_AsString(path);
    lock_model(o);
    LEAVE_PYTHON(cx)
    st = wf_model_save(cx, o->m, file);
    RETURN_PYTHON
    unlock_model(o, false);
    Py_DECREF(path);
    if (st != WF_OK)
        return ctx_fail(cx);
    ctx_give(cx);
    Py_RETURN_NONE;
}

/* names and numbers of a dict, up to MOST */
static bool sizes_in(PyObject *dict, const char **names, int64_t *values, int *n)
{
    Py_ssize_t at = 0;
    PyObject *key, *value;

    *n = 0;
    if (!PyDict_Check(dict) || PyDict_Size(dict) > MOST) {
        PyErr_SetString(PyExc_TypeError, "export: sizes are a dict of int by name");
        return false;
    }
    while (PyDict_Next(dict, &at, &key, &value)) {
        names[*n] = PyUnicode_AsUTF8AndSize(key, NULL);
        values[*n] = PyLong_AsLongLong(value);
        (*n)++;
        if (PyErr_Occurred())
            return false;
    }
    return true;
}

/* export(folder, name, methods, sizes, most, weights) */
static PyObject *model_export(PyObject *self, PyObject *args)
{
    Model *o = (Model *)self;
    PyObject *path, *methods, *sizes, *most;
    const char *names[MOST], *symbols[MOST], *most_symbols[MOST], *folder;
    int64_t values[MOST], most_values[MOST];
    wf_export_options x = {.size = sizeof x};
    int weights;
    wf_status st;
    wf_ctx *cx;

    if (!PyArg_ParseTuple(args, "O&zO!OOi:export", PyUnicode_FSConverter, &path, &x.name, &PyList_Type, &methods, &sizes, &most,
                          &weights))
        return NULL;
    x.nmethods = (int)PyList_Size(methods);
    for (int i = 0; i < x.nmethods && i < MOST; i++)
        names[i] = PyUnicode_AsUTF8AndSize(PyList_GetItem(methods, i), NULL);
    if (PyErr_Occurred() || x.nmethods > MOST || !sizes_in(sizes, symbols, values, &x.nsizes) ||
        !sizes_in(most, most_symbols, most_values, &x.nmost) || !(cx = ctx_take())) {
        Py_DECREF(path);
        return NULL;
    }
    x.methods = names;
    x.symbols = symbols;
    x.sizes = values;
    x.most_symbols = most_symbols;
    x.most = most_values;
    x.weights = (wf_export_weights)weights;
    folder = PyBytes_AsString(path);
    LEAVE_PYTHON(cx)
    st = wf_export(cx, o->m, folder, &x);
    RETURN_PYTHON
    Py_DECREF(path);
    if (st != WF_OK)
        return ctx_fail(cx);
    ctx_give(cx);
    Py_RETURN_NONE;
}

/* ---- training ---- */

typedef struct Loss { /* of a step: what forward gives and the last input, to a number */
    PyObject *builder, *call;
} Loss;

static wf_status step_loss(wf_ctx *c, void *user, wf_module *m, const wf_tensor *in, int nin, wf_tensor *out, int nout)
{
    Loss *l = user;
    wf_tensor y = WF_NONE;
    PyObject *args = NULL, *result = NULL;

    (void)nout;
    if (wf_module_call(c, m, in, nin - 1, &y, 1) != WF_OK)
        return wf_ctx_status(c);
    if ((args = tensors_out((Builder *)l->builder, (wf_tensor[]){y, in[nin - 1]}, 2)))
        result = PyObject_CallFunctionObjArgs(l->call, args, NULL);
    if (result)
        out[0] = tensor_in((Builder *)l->builder, result);
    Py_XDECREF(args);
    Py_XDECREF(result);
    if (PyErr_Occurred())
        wf_raise(c, WF_ERR_VALUE, "the loss raised an exception");
    return wf_ctx_status(c);
}

static wf_optim *optimiser(wf_ctx *c, wf_module *m, const char *kind, const double *h)
{
    if (!strcmp(kind, "sgd"))
        return wf_sgd(c, m, h[0], h[1], h[2] != 0, h[3]);
    if (!strcmp(kind, "adam"))
        return wf_adam(c, m, h[0], h[1], h[2], h[3], h[4]);
    if (!strcmp(kind, "adamw"))
        return wf_adamw(c, m, h[0], h[1], h[2], h[3], h[4]);
    if (!strcmp(kind, "rmsprop"))
        return wf_rmsprop(c, m, h[0], h[1], h[2], h[3], h[4]);
    if (!strcmp(kind, "adagrad"))
        return wf_adagrad(c, m, h[0], h[1], h[2], h[3]);
    PyErr_Format(PyExc_ValueError, "there is no optimiser '%s': sgd, adam, adamw, rmsprop, adagrad", kind);
    return NULL;
}

/* add_step(name, loss, types, optimiser, (numbers)): a training step as a method */
static PyObject *model_add_step(PyObject *self, PyObject *args)
{
    Model *o = (Model *)self;
    const char *name, *kind, *types[32];
    double h[5];
    PyObject *call, *list;
    wf_module *m = NULL;
    wf_optim *opt = NULL;
    Loss loss;
    wf_ctx *cx;
    int n;

    if (!PyArg_ParseTuple(args, "sOO!s(ddddd):add_step", &name, &call, &PyList_Type, &list, &kind, &h[0], &h[1], &h[2], &h[3],
                          &h[4]))
        return NULL;
    n = (int)PyList_Size(list);
    for (int i = 0; i < n && i < 32; i++)
        types[i] = PyUnicode_AsUTF8AndSize(PyList_GetItem(list, i), NULL);
    if (PyErr_Occurred() || n > 32 || !(cx = ctx_new()))
        return NULL;
    loss = (Loss){builder_on(cx), call};
    lock_model(o);
    if (loss.builder && (m = wf_module_load(cx, o->m)) && (opt = optimiser(cx, m, kind, h))) {
        wf_module_train(m, true);
        wf_module_store(cx, m, o->m);
        wf_optim_store(cx, opt, o->m);
        wf_optim_add_step(cx, opt, m, o->m, name, step_loss, &loss, types, n);
    }
    unlock_model(o, true);
    if (PyErr_Occurred() || wf_ctx_status(cx) != WF_OK)
        ctx_raise(cx);
    wf_optim_free(cx, opt);
    wf_module_release(cx, m);
    if (loss.builder) {
        builder_close(loss.builder);
        Py_DECREF(loss.builder);
    }
    wf_ctx_free(cx);
    if (PyErr_Occurred())
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *model_changes(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromLongLong(((Model *)self)->changes);
}

static PyMethodDef model_methods[] = {
    {"_open", model_open, METH_VARARGS | METH_CLASS, "_open(path, bytes, name, inputs, copy)"},
    {"program", model_program, METH_VARARGS, "program(name) -> Program: as it is in the file, its tensors among the inputs"},
    {"_tensor", model_tensor, METH_VARARGS, "_tensor(name) -> Array"},
    {"_set_tensor", model_set_tensor, METH_VARARGS, "_set_tensor(name, array): a copy"},
    {"_method_inputs", model_method_inputs, METH_VARARGS, "_method_inputs(name) -> [(name, dtype, sizes, role)]"},
    {"_method_outputs", model_method_outputs, METH_VARARGS, "_method_outputs(name) -> [(name, dtype, sizes, role)]"},
    {"meta", model_meta, METH_VARARGS, "meta(key) -> str or None"},
    {"set_meta", model_set_meta, METH_VARARGS, "set_meta(key, value)"},
    {"_add", model_add, METH_O, "_add(program): replaces one of its name"},
    {"_bind", model_bind, METH_VARARGS, "_bind(name) -> Program: the tensors of the file as constants"},
    {"_run", model_run, METH_VARARGS, "_run(name, args, nout) -> results"},
    {"_save", model_save, METH_VARARGS, "_save(path)"},
    {"_export", model_export, METH_VARARGS, "_export(folder, name, methods, sizes, most, weights)"},
    {"_add_step", model_add_step, METH_VARARGS, "_add_step(name, loss, types, optimiser, numbers)"},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef model_fields[] = {
    {"_programs", model_programs, NULL, "names of programs", NULL},
    {"_tensors", model_tensors, NULL, "names of tensors", NULL},
    {"_changes", model_changes, NULL, "how often it was changed", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot model_slots[] = {
    {Py_tp_doc, "What a file holds: programs, tensors, metadata."},
    {Py_tp_new, model_new},
    {Py_tp_dealloc, model_dealloc},
    {Py_tp_methods, model_methods},
    {Py_tp_getset, model_fields},
    {0, NULL},
};
static PyType_Spec model_spec = {"weft._weft.Model", sizeof(Model), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, model_slots};

int model_init(PyObject *module) { return (classes.model = make_type(module, &model_spec)) ? 0 : -1; }
