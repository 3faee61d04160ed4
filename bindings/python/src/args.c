/* args.c -- arguments of the functions of tensors, from Python objects. The first error sticks; the call is then left out. */
#include "weftpy.h"

bool args_begin(Args *s, PyObject *self, const char *name, PyObject *const *a, Py_ssize_t n, int least, int most)
{
    *s = (Args){.b = (Builder *)self, .name = name, .a = a, .n = n};
    if (!s->b->cx)
        PyErr_Format(PyExc_RuntimeError, "%s: the program being built is closed", name);
    else if (n < least || n > most)
        PyErr_Format(PyExc_TypeError, "%s: takes %d to %d arguments, %zd were given", name, least, most, n);
    else
        return true;
    return false;
}

static PyObject *arg(const Args *s, int i) { return i < s->n ? s->a[i] : Py_None; }

static void *block(Args *s, size_t n, size_t size)
{
    void *p = s->nblocks < ARGS_BLOCKS ? malloc((n + 1) * size) : NULL;

    if (p)
        s->blocks[s->nblocks++] = p;
    else
        PyErr_NoMemory(), s->bad = true;
    return p;
}

/* ---- tensors ---- */

wf_tensor tensor_in(Builder *b, PyObject *o)
{
    wf_array *a;
    wf_tensor t;

    if (PyObject_TypeCheck(o, (PyTypeObject *)classes.value)) {
        Value *v = (Value *)o;
        if (v->b->cx != b->cx) {
            PyErr_SetString(PyExc_ValueError, "a value of another program that is being built");
            return WF_NONE;
        }
        return v->t;
    }
    if (PyBool_Check(o))
        return wf_bool(b->cx, o == Py_True);
    if (PyLong_CheckExact(o)) {
        int64_t v = PyLong_AsLongLong(o);
        return PyErr_Occurred() ? WF_NONE : wf_int(b->cx, v);
    }
    if (PyFloat_CheckExact(o))
        return wf_float(b->cx, PyFloat_AsDouble(o));
    if (PyComplex_CheckExact(o))
        return wf_complex_number(b->cx, PyComplex_RealAsDouble(o), PyComplex_ImagAsDouble(o));
    if (PyObject_HasAttrString(o, "_size")) {
        int64_t size;
        return size_in(o, &size) ? wf_size_tensor(b->cx, size) : WF_NONE;
    }
    if (!(a = array_in(b->cx, o, WF_INVALID, NULL)))
        return WF_NONE;
    t = wf_copy(b->cx, wf_from_array(b->cx, a)); /* a constant is what the array is now */
    wf_array_release(a);
    return t;
}

wf_tensor *tensors_in(Builder *b, PyObject *seq, int *n)
{
    Py_ssize_t count = PySequence_Size(seq);
    wf_tensor *t = count < 0 ? NULL : malloc(((size_t)count + 1) * sizeof *t);

    if (count >= 0 && !t)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; t && i < count; i++) {
        PyObject *o = PySequence_GetItem(seq, i);
        t[i] = o ? tensor_in(b, o) : WF_NONE;
        Py_XDECREF(o);
        if (PyErr_Occurred()) {
            free(t);
            t = NULL;
        }
    }
    *n = (int)count;
    return t;
}

PyObject *tensors_out(Builder *b, const wf_tensor *t, int n)
{
    PyObject *list = PyList_New(n);

    for (int i = 0; list && i < n; i++) {
        PyObject *v = value_object(b, t[i]);
        if (v)
            PyList_SetItem(list, i, v);
        else
            Py_CLEAR(list);
    }
    return list;
}

wf_tensor arg_tensor(Args *s, int i)
{
    wf_tensor t = s->bad || arg(s, i) == Py_None ? WF_NONE : tensor_in(s->b, arg(s, i));

    s->bad = s->bad || PyErr_Occurred();
    return t;
}

const wf_tensor *arg_tensors(Args *s, int i, int *n)
{
    wf_tensor *t = s->bad ? NULL : tensors_in(s->b, arg(s, i), n);

    if (!t)
        s->bad = true;
    else if (s->nblocks < ARGS_BLOCKS)
        s->blocks[s->nblocks++] = t;
    return t;
}

/* ---- numbers ---- */

bool size_in(PyObject *o, int64_t *out)
{
    PyObject *inner;

    if (PyLong_Check(o)) {
        *out = PyLong_AsLongLong(o);
        return !PyErr_Occurred();
    }
    if ((inner = PyObject_GetAttrString(o, "_size"))) {
        *out = PyLong_AsLongLong(inner);
        Py_DECREF(inner);
        return !PyErr_Occurred();
    }
    PyErr_Clear();
    if ((inner = PyNumber_Index(o))) {
        *out = PyLong_AsLongLong(inner);
        Py_DECREF(inner);
    }
    return !PyErr_Occurred();
}

PyObject *size_out(int64_t size) { return PyLong_FromLongLong(size); }

int64_t arg_int64(Args *s, int i)
{
    int64_t v = 0;

    if (!s->bad && !size_in(arg(s, i), &v))
        s->bad = true;
    return v;
}

uint64_t arg_uint64(Args *s, int i)
{
    uint64_t v = s->bad ? 0 : PyLong_AsUnsignedLongLong(arg(s, i));

    s->bad = s->bad || PyErr_Occurred();
    return v;
}

int arg_int(Args *s, int i)
{
    int64_t v = arg_int64(s, i);

    if (v < INT32_MIN || v > INT32_MAX) {
        PyErr_Format(PyExc_OverflowError, "%s: %lld is out of range", s->name, (long long)v);
        s->bad = true;
    }
    return (int)v;
}

double arg_double(Args *s, int i)
{
    double v = s->bad ? 0 : PyFloat_AsDouble(arg(s, i));

    s->bad = s->bad || PyErr_Occurred();
    return v;
}

bool arg_bool(Args *s, int i)
{
    int v = s->bad ? 0 : PyObject_IsTrue(arg(s, i));

    s->bad = s->bad || v < 0;
    return v > 0;
}

wf_dtype arg_dtype(Args *s, int i)
{
    wf_dtype d = WF_INVALID;

    if (!s->bad && !dtype_in(arg(s, i), &d))
        s->bad = true;
    return d;
}

const char *arg_text(Args *s, int i)
{
    const char *t = s->bad || arg(s, i) == Py_None ? NULL : PyUnicode_AsUTF8AndSize(arg(s, i), NULL);

    s->bad = s->bad || PyErr_Occurred();
    return t;
}

/* ---- lists ---- */

/* How many a list has; -1: None, or an error. want < 0: any number. */
static Py_ssize_t list_count(Args *s, int i, int want)
{
    Py_ssize_t n;

    if (s->bad || arg(s, i) == Py_None)
        return -1;
    n = PySequence_Size(arg(s, i));
    if (n >= 0 && want >= 0 && n != want)
        PyErr_Format(PyExc_ValueError, "%s: argument %d has %zd numbers, %d are needed", s->name, i + 1, n, want);
    s->bad = s->bad || PyErr_Occurred();
    return s->bad ? -1 : n;
}

static int64_t list_size(Args *s, int i, Py_ssize_t k)
{
    PyObject *o = PySequence_GetItem(arg(s, i), k);
    int64_t v = 0;

    s->bad = !o || !size_in(o, &v) || s->bad;
    Py_XDECREF(o);
    return v;
}

const int *arg_ints(Args *s, int i, int *n)
{
    Py_ssize_t count = list_count(s, i, *n);
    int *v = count < 0 ? NULL : block(s, (size_t)count, sizeof *v);

    if (*n < 0)
        *n = count < 0 ? 0 : (int)count;
    for (Py_ssize_t k = 0; v && k < count; k++)
        v[k] = (int)list_size(s, i, k);
    return v;
}

const int64_t *arg_sizes(Args *s, int i, int *n)
{
    Py_ssize_t count = list_count(s, i, *n);
    int64_t *v = count < 0 ? NULL : block(s, (size_t)count, sizeof *v);

    if (*n < 0)
        *n = count < 0 ? 0 : (int)count;
    for (Py_ssize_t k = 0; v && k < count; k++)
        v[k] = list_size(s, i, k);
    return v;
}

const double *arg_doubles(Args *s, int i, int *n)
{
    Py_ssize_t count = list_count(s, i, *n);
    double *v = count < 0 ? NULL : block(s, (size_t)count, sizeof *v);

    for (Py_ssize_t k = 0; v && k < count; k++) {
        PyObject *o = PySequence_GetItem(arg(s, i), k);
        v[k] = o ? PyFloat_AsDouble(o) : 0;
        Py_XDECREF(o);
        s->bad = s->bad || PyErr_Occurred();
    }
    return v;
}

const int *arg_maybe_int(Args *s, int i)
{
    int *v;

    if (s->bad || arg(s, i) == Py_None || !(v = block(s, 1, sizeof *v)))
        return NULL;
    *v = arg_int(s, i);
    return v;
}

/* ---- the end ---- */

static bool args_done(Args *s, bool well)
{
    for (int i = 0; i < s->nblocks; i++)
        free(s->blocks[i]);
    if (s->bad || !well) {
        ctx_raise(s->b->cx);
        return false;
    }
    return true;
}

PyObject *args_end(Args *s, wf_tensor t)
{
    return args_done(s, wf_ctx_status(s->b->cx) == WF_OK) ? value_object(s->b, t) : NULL;
}

PyObject *args_end_many(Args *s, wf_status st, const wf_tensor *t, int n)
{
    PyObject *tuple;

    if (!args_done(s, st == WF_OK && wf_ctx_status(s->b->cx) == WF_OK))
        return NULL;
    tuple = PyTuple_New(n);
    for (int i = 0; tuple && i < n; i++) {
        PyObject *v = wf_is_none(t[i]) ? Py_NewRef(Py_None) : value_object(s->b, t[i]);
        if (v)
            PyTuple_SetItem(tuple, i, v);
        else
            Py_CLEAR(tuple);
    }
    return tuple;
}
