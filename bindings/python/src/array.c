/* array.c -- arrays in and out, without copies.
 *
 *   in    Array; the buffer protocol (NumPy, bytes, array.array); the exchange table of DLPack (torch); __dlpack__, with and
 *         without versions (JAX and others); Python numbers and lists
 *   out   as the first input was: NumPy through the buffer of an Array, torch through its table, others by from_dlpack of
 *         their array namespace
 *
 * Whoever lends memory is held by the array until its last user is gone; that may be on any thread, so dropping takes the GIL.
 */
#include "weftpy.h"

/* ---- dtypes ---- */

static const struct {
    wf_dtype dtype;
    const char *name, *numpy;
    char format; /* of buffers; 0: it has none */
} dtypes[] = {
    {WF_BOOL, "bool", "bool", '?'},     {WF_I8, "i8", "int8", 'b'},          {WF_I16, "i16", "int16", 'h'},
    {WF_I32, "i32", "int32", 'i'},      {WF_I64, "i64", "int64", 'q'},       {WF_U8, "u8", "uint8", 'B'},
    {WF_U16, "u16", "uint16", 'H'},     {WF_U32, "u32", "uint32", 'I'},      {WF_U64, "u64", "uint64", 'Q'},
    {WF_F16, "f16", "float16", 'e'},    {WF_BF16, "bf16", "bfloat16", 0},    {WF_F32, "f32", "float32", 'f'},
    {WF_F64, "f64", "float64", 'd'},    {WF_C64, "c64", "complex64", 'F'},   {WF_C128, "c128", "complex128", 'D'},
};
#define NDTYPES ((int)(sizeof dtypes / sizeof *dtypes))

static bool dtype_named(const char *name, wf_dtype *out)
{
    for (int i = 0; i < NDTYPES; i++)
        if (!strcmp(name, dtypes[i].name) || !strcmp(name, dtypes[i].numpy)) {
            *out = dtypes[i].dtype;
            return true;
        }
    return false;
}

/* The part after the last dot of a text: torch.float32, <class 'numpy.float32'>. */
static bool dtype_from_text(PyObject *text, wf_dtype *out)
{
    const char *s = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    char word[32];
    const char *dot = s ? strrchr(s, '.') : NULL;
    size_t n = 0;

    s = dot ? dot + 1 : s;
    while (s && n + 1 < sizeof word && (s[n] == '_' || (s[n] >= '0' && s[n] <= '9') || (s[n] >= 'a' && s[n] <= 'z')))
        word[n] = s[n], n++;
    word[n] = 0;
    if (!s)
        PyErr_Clear();
    return dtype_named(word, out);
}

bool dtype_in(PyObject *o, wf_dtype *out)
{
    PyObject *text = NULL;
    bool found = false;

    if (PyUnicode_Check(o)) {
        found = dtype_from_text(o, out);
    } else if (o == (PyObject *)&PyFloat_Type || o == (PyObject *)&PyLong_Type || o == (PyObject *)&PyBool_Type) {
        *out = o == (PyObject *)&PyFloat_Type ? WF_F64 : o == (PyObject *)&PyLong_Type ? WF_I64 : WF_BOOL;
        found = true;
    } else if (PyLong_Check(o)) {
        long d = PyLong_AsLong(o);
        *out = (wf_dtype)d;
        found = d > 0 && d < WF_DTYPE_COUNT;
        PyErr_Clear();
    } else {
        text = PyObject_GetAttrString(o, PyType_Check(o) ? "__name__" : "name");
        found = text && PyUnicode_Check(text) && dtype_from_text(text, out);
        Py_XDECREF(text);
        PyErr_Clear();
        if (!found) {
            text = PyObject_Str(o);
            found = text && dtype_from_text(text, out);
            Py_XDECREF(text);
            PyErr_Clear();
        }
    }
    if (!found)
        PyErr_Format(PyExc_TypeError, "%R is no dtype that Weft has", o);
    return found;
}

PyObject *dtype_out(wf_dtype d) { return PyUnicode_FromString(wf_dtype_name(d)); }

static bool dtype_of_format(const char *f, Py_ssize_t size, wf_dtype *out)
{
    bool complex = false;

    if (*f == '@' || *f == '=' || *f == '<') /* the machines Weft runs on are little-endian */
        f++;
    if (*f == 'Z')
        complex = true, f++;
    if (!*f || f[1])
        return false;
    if (strchr("bhilqn", *f))
        *out = size == 1 ? WF_I8 : size == 2 ? WF_I16 : size == 4 ? WF_I32 : WF_I64;
    else if (strchr("BHILQN", *f))
        *out = size == 1 ? WF_U8 : size == 2 ? WF_U16 : size == 4 ? WF_U32 : WF_U64;
    else if (*f == '?')
        *out = WF_BOOL;
    else if (*f == 'e' && !complex)
        *out = WF_F16;
    else if (*f == 'f')
        *out = complex ? WF_C64 : WF_F32;
    else if (*f == 'd')
        *out = complex ? WF_C128 : WF_F64;
    else
        return false;
    return (size_t)size == wf_dtype_size(*out);
}

/* ---- in: buffers ---- */

static void drop_buffer(void *owner)
{
    PyGILState_STATE gil = PyGILState_Ensure();

    PyBuffer_Release(owner);
    PyMem_Free(owner);
    PyGILState_Release(gil);
}

static void drop_object(void *owner)
{
    PyGILState_STATE gil = PyGILState_Ensure();

    Py_DECREF((PyObject *)owner);
    PyGILState_Release(gil);
}

static wf_array *wrap_buffer(wf_ctx *cx, Py_buffer *v, wf_dtype dtype)
{
    int64_t dims[WF_MAX_RANK], strides[WF_MAX_RANK];
    wf_array *a = NULL;

    for (int k = 0; k < v->ndim; k++) {
        dims[k] = v->shape[k];
        if (v->strides[k] % v->itemsize) {
            PyErr_SetString(PyExc_ValueError, "an array whose strides are no multiple of its elements: make it contiguous");
            return NULL;
        }
        strides[k] = v->strides[k] / v->itemsize;
    }
    if (v->readonly)
        wf_array_wrap_const(cx, dtype, dims, v->ndim, strides, v->buf, drop_buffer, v, &a);
    else
        wf_array_wrap(cx, dtype, dims, v->ndim, strides, v->buf, drop_buffer, v, &a);
    if (!a)
        ctx_raise(cx);
    return a;
}

static wf_array *from_buffer(wf_ctx *cx, PyObject *o, bool bf16)
{
    Py_buffer *v = PyMem_Malloc(sizeof *v);
    wf_dtype dtype = WF_INVALID;
    wf_array *a = NULL;

    if (!v) {
        PyErr_NoMemory();
        return NULL;
    }
    if (PyObject_GetBuffer(o, v, PyBUF_FORMAT | PyBUF_STRIDES | PyBUF_WRITABLE) < 0) {
        PyErr_Clear();
        if (PyObject_GetBuffer(o, v, PyBUF_FORMAT | PyBUF_STRIDES) < 0) {
            PyMem_Free(v);
            return NULL;
        }
    }
    if (v->ndim > WF_MAX_RANK)
        PyErr_Format(PyExc_ValueError, "an array of rank %d; Weft's limit is %d", v->ndim, WF_MAX_RANK);
    else if (!dtype_of_format(v->format ? v->format : "B", v->itemsize, &dtype))
        PyErr_Format(PyExc_TypeError, "an array of elements '%s' (%zd bytes), which Weft has not", v->format ? v->format : "B",
                     v->itemsize);
    else
        a = wrap_buffer(cx, v, bf16 ? WF_BF16 : dtype);
    if (!a) {
        PyBuffer_Release(v);
        PyMem_Free(v);
    }
    return a;
}

/* NumPy's bfloat16 (of ml_dtypes) has no buffer; its bits have. */
static bool is_bfloat16(PyObject *o)
{
    PyObject *dtype = PyObject_GetAttrString(o, "dtype");
    PyObject *name = dtype ? PyObject_GetAttrString(dtype, "name") : NULL;
    bool yes = name && PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, "bfloat16") == 0;

    Py_XDECREF(name);
    Py_XDECREF(dtype);
    PyErr_Clear();
    return yes;
}

static wf_array *from_bfloat16(wf_ctx *cx, PyObject *o)
{
    PyObject *bits = PyObject_CallMethod(o, "view", "s", "uint16");
    wf_array *a = bits ? from_buffer(cx, bits, true) : NULL;

    Py_XDECREF(bits);
    return a;
}

/* ---- in: DLPack ---- */

static bool dtype_of_dl(DLDataType t, wf_dtype *out)
{
    static const struct {
        uint8_t code, bits;
        wf_dtype dtype;
    } rows[] = {
        {kDLInt, 8, WF_I8},      {kDLInt, 16, WF_I16},    {kDLInt, 32, WF_I32},     {kDLInt, 64, WF_I64},
        {kDLUInt, 8, WF_U8},     {kDLUInt, 16, WF_U16},   {kDLUInt, 32, WF_U32},    {kDLUInt, 64, WF_U64},
        {kDLFloat, 16, WF_F16},  {kDLFloat, 32, WF_F32},  {kDLFloat, 64, WF_F64},   {kDLBfloat, 16, WF_BF16},
        {kDLBool, 8, WF_BOOL},   {kDLComplex, 64, WF_C64}, {kDLComplex, 128, WF_C128},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (t.lanes == 1 && rows[i].code == t.code && rows[i].bits == t.bits) {
            *out = rows[i].dtype;
            return true;
        }
    return false;
}

/* DLPack's table for C: what a type that has one gives, without calls of Python. */
typedef struct Exchange {
    DLPackVersion version;
    struct Exchange *prev;
    int (*allocate)(DLTensor *, DLManagedTensorVersioned **, void *, void (*)(void *, const char *, const char *));
    int (*from_object)(void *object, DLManagedTensorVersioned **out);
    int (*to_object)(DLManagedTensorVersioned *tensor, void **out_object);
    int (*tensor_from_object)(void *object, DLTensor *out); /* borrowed; may be NULL */
    int (*stream)(DLDeviceType, int32_t, void **);
} Exchange;

/* The table of a type; those of the last few are kept (Tensor, Parameter). Types live on: torch's do. */
static const Exchange *exchange_of(PyObject *o)
{
    enum { KEPT = 4 };
    static PyTypeObject *types[KEPT];
    static const Exchange *tables[KEPT];
    static int next;
    PyTypeObject *type = Py_TYPE(o);
    PyObject *capsule;
    const Exchange *x = NULL;

    for (int i = 0; i < KEPT; i++)
        if (type == types[i])
            return tables[i];
    if (!(capsule = PyObject_GetAttrString((PyObject *)type, "__dlpack_c_exchange_api__"))) {
        PyErr_Clear();
        return NULL;
    }
    if (PyCapsule_CheckExact(capsule))
        x = PyCapsule_GetPointer(capsule, "dlpack_exchange_api");
    PyErr_Clear();
    while (x && x->version.major != 1)
        x = x->prev;
    Py_DECREF(capsule);
    if (x) {
        Py_INCREF((PyObject *)type);
        Py_XDECREF((PyObject *)types[next]);
        types[next] = type;
        tables[next] = x;
        next = (next + 1) % KEPT;
    }
    return x;
}

static wf_array *from_exchange(wf_ctx *cx, PyObject *o, const Exchange *x)
{
    wf_dtype dtype = WF_INVALID;
    wf_array *a = NULL;
    DLTensor t;

    if (x->tensor_from_object(o, &t) != 0) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "DLPack: the tensor cannot be shared");
        return NULL;
    }
    if (t.device.device_type != kDLCPU && t.device.device_type != kDLCUDAHost)
        PyErr_SetString(PyExc_TypeError, "DLPack: the tensor is not in memory of the host: call .cpu() first");
    else if (!dtype_of_dl(t.dtype, &dtype))
        PyErr_Format(PyExc_TypeError, "DLPack: a dtype Weft has not (code %d of %d bits)", t.dtype.code, t.dtype.bits);
    else if (t.ndim > WF_MAX_RANK)
        PyErr_Format(PyExc_ValueError, "a tensor of rank %d; Weft's limit is %d", t.ndim, WF_MAX_RANK);
    else if (wf_array_wrap(cx, dtype, t.shape, t.ndim, t.strides, (char *)t.data + t.byte_offset, drop_object, Py_NewRef(o), &a) !=
             WF_OK) {
        Py_DECREF(o);
        ctx_raise(cx);
    }
    return a;
}

static PyObject *ask_dlpack(PyObject *o)
{
    PyObject *method = PyObject_GetAttrString(o, "__dlpack__"), *none = PyTuple_New(0), *version = NULL, *capsule = NULL;

    if (method && none && (version = Py_BuildValue("{s:(ii)}", "max_version", 1, 0))) {
        capsule = PyObject_Call(method, none, version);
        if (!capsule && PyErr_ExceptionMatches(PyExc_TypeError)) { /* older than versions */
            PyErr_Clear();
            capsule = PyObject_CallNoArgs(method);
        }
    }
    Py_XDECREF(version);
    Py_XDECREF(none);
    Py_XDECREF(method);
    return capsule;
}

static wf_array *from_dlpack(wf_ctx *cx, PyObject *o)
{
    PyObject *capsule = ask_dlpack(o);
    wf_array *a = NULL;

    if (!capsule)
        return NULL;
    if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
        if (wf_array_from_dlpack_versioned(cx, PyCapsule_GetPointer(capsule, "dltensor_versioned"), &a) == WF_OK)
            PyCapsule_SetName(capsule, "used_dltensor_versioned");
    } else if (PyCapsule_IsValid(capsule, "dltensor")) {
        if (wf_array_from_dlpack(cx, PyCapsule_GetPointer(capsule, "dltensor"), &a) == WF_OK)
            PyCapsule_SetName(capsule, "used_dltensor");
    } else {
        PyErr_SetString(PyExc_TypeError, "__dlpack__ gave no DLPack capsule");
    }
    if (!a)
        ctx_raise(cx);
    Py_DECREF(capsule);
    return a;
}

/* ---- in: numbers, lists ---- */

static wf_array *from_number(wf_ctx *cx, PyObject *o, wf_dtype dtype)
{
    wf_tensor t = WF_NONE;
    wf_array *a = NULL;

    wf_scope_begin(cx);
    if (PyBool_Check(o)) {
        t = wf_bool(cx, o == Py_True);
        dtype = dtype ? dtype : WF_BOOL;
    } else if (PyLong_Check(o)) {
        int64_t v = PyLong_AsLongLong(o);
        t = wf_int(cx, v);
        dtype = dtype ? dtype : WF_I64;
    } else if (PyComplex_Check(o)) {
        t = wf_complex_number(cx, PyComplex_RealAsDouble(o), PyComplex_ImagAsDouble(o));
        dtype = dtype ? dtype : WF_C128;
    } else {
        double v = PyFloat_AsDouble(o);
        t = wf_scalar(cx, WF_F64, v);
        dtype = dtype ? dtype : WF_F64;
    }
    if (!PyErr_Occurred() && wf_to_array(cx, wf_cast(cx, t, dtype), &a) != WF_OK)
        ctx_raise(cx);
    wf_scope_end(cx);
    return a;
}

static wf_array *from_numpy_of(wf_ctx *cx, PyObject *o, wf_dtype dtype)
{
    PyObject *numpy = PyImport_ImportModule("numpy"), *converted = NULL;
    const char *name = NULL;
    wf_array *a = NULL;

    for (int i = 0; i < NDTYPES; i++)
        if (dtypes[i].dtype == dtype && dtypes[i].format)
            name = dtypes[i].numpy;
    if (numpy)
        converted = name ? PyObject_CallMethod(numpy, "asarray", "Os", o, name) : PyObject_CallMethod(numpy, "asarray", "O", o);
    if (converted)
        a = from_buffer(cx, converted, false);
    Py_XDECREF(converted);
    Py_XDECREF(numpy);
    return a;
}

wf_array *array_in(wf_ctx *cx, PyObject *o, wf_dtype dtype, Like *like)
{
    Kind kind = KIND_NONE;
    wf_array *a = NULL;
    const Exchange *x;

    if (PyObject_TypeCheck(o, (PyTypeObject *)classes.array)) {
        a = wf_array_retain(((Array *)o)->a);
        kind = KIND_ARRAY;
    } else if (PyFloat_CheckExact(o) || PyLong_Check(o) || PyBool_Check(o) || PyComplex_CheckExact(o)) {
        a = from_number(cx, o, dtype);
    } else if (PyList_Check(o) || PyTuple_Check(o)) {
        a = from_numpy_of(cx, o, dtype);
    } else if (PyObject_CheckBuffer(o)) {
        kind = PyObject_HasAttrString(o, "__array_function__") ? KIND_NUMPY : KIND_NAMESPACE;
        a = from_buffer(cx, o, false);
        if (!a) {
            PyObject *type, *value, *trace;
            PyErr_Fetch(&type, &value, &trace);
            if (is_bfloat16(o)) {
                Py_XDECREF(type);
                Py_XDECREF(value);
                Py_XDECREF(trace);
                a = from_bfloat16(cx, o);
            } else {
                PyErr_Restore(type, value, trace);
            }
        }
    } else if ((x = exchange_of(o)) && x->tensor_from_object) {
        a = from_exchange(cx, o, x);
        kind = KIND_EXCHANGE;
    } else if (PyObject_HasAttrString(o, "__dlpack__")) {
        a = from_dlpack(cx, o);
        kind = KIND_NAMESPACE;
    } else {
        PyErr_Format(PyExc_TypeError, "needs an array (NumPy, DLPack, numbers), got %R", (PyObject *)Py_TYPE(o));
    }
    if (a && like && like->kind == KIND_NONE && kind != KIND_NONE)
        *like = (Like){kind, o};
    return a;
}

/* ---- out ---- */

PyObject *array_object(wf_array *a)
{
    Array *o = a ? new_object(classes.array) : NULL;

    if (o)
        o->a = a;
    else
        wf_array_release(a);
    return (PyObject *)o;
}

static PyObject *to_numpy(PyObject *array)
{
    static PyObject *asarray;
    wf_array *a = ((Array *)array)->a;
    PyObject *m, *out;

    if (!asarray) {
        if (!(m = PyImport_ImportModule("numpy")))
            return NULL;
        asarray = PyObject_GetAttrString(m, "asarray");
        Py_DECREF(m);
        if (!asarray)
            return NULL;
    }
    out = PyObject_CallFunctionObjArgs(asarray, array, NULL);
    if (out && wf_array_dtype(a) == WF_BF16 && (m = PyImport_ImportModule("ml_dtypes"))) {
        PyObject *type = PyObject_GetAttrString(m, "bfloat16");
        PyObject *view = type ? PyObject_CallMethod(out, "view", "O", type) : NULL;
        Py_XDECREF(type);
        Py_DECREF(m);
        Py_DECREF(out);
        out = view;
    }
    if (out)
        PyErr_Clear(); /* without ml_dtypes: the bits are something, too */
    return out;
}

static PyObject *to_exchange(wf_array *a, PyObject *of)
{
    const Exchange *x = exchange_of(of);
    wf_ctx *cx = ctx_take();
    DLManagedTensorVersioned *m = NULL;
    void *out = NULL;

    if (!cx || wf_array_to_dlpack_versioned(cx, a, &m) != WF_OK) {
        wf_array_release(a);
        return ctx_fail(cx);
    }
    ctx_give(cx);
    wf_array_release(a);
    if (x->to_object(m, &out) != 0) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_RuntimeError, "DLPack: the result cannot be shared");
        return NULL;
    }
    return out;
}

static PyObject *to_namespace(PyObject *array, PyObject *of)
{
    PyObject *space = PyObject_CallMethod(of, "__array_namespace__", NULL), *out = NULL;

    if (space)
        out = PyObject_CallMethod(space, "from_dlpack", "O", array);
    else {
        PyErr_Clear(); /* bytes, array.array: NumPy serves those */
        out = to_numpy(array);
    }
    Py_XDECREF(space);
    return out;
}

PyObject *array_out(wf_array *a, const Like *like)
{
    PyObject *array, *out;

    if (a && like->kind == KIND_EXCHANGE && wf_device_host_reads(wf_array_device(a)))
        return to_exchange(a, like->of);
    array = array_object(a);
    if (!array || like->kind == KIND_ARRAY)
        return array;
    out = like->kind == KIND_NAMESPACE ? to_namespace(array, like->of) : to_numpy(array);
    Py_DECREF(array);
    return out;
}

void arrays_release(wf_array **a, Py_ssize_t n)
{
    for (Py_ssize_t i = 0; i < n; i++)
        wf_array_release(a[i]);
}

/* ---- the type ---- */

static void array_dealloc(PyObject *self)
{
    wf_array_release(((Array *)self)->a);
    free_object(self);
}

typedef struct Lent { /* of a buffer: what stays until it is released */
    wf_array *a;
    Py_ssize_t dims[WF_MAX_RANK], strides[WF_MAX_RANK];
    char format[3];
} Lent;

static int array_getbuffer(PyObject *self, Py_buffer *v, int flags)
{
    wf_array *a = ((Array *)self)->a;
    wf_dtype d = wf_array_dtype(a);
    void *data = wf_array_data_mutable(a);
    Lent *l;

    v->obj = NULL;
    if (!wf_array_data(a) && wf_array_count(a)) {
        PyErr_SetString(PyExc_BufferError, "the array is not in memory that the host reads");
        return -1;
    }
    if ((flags & PyBUF_WRITABLE) && !data && wf_array_count(a)) {
        PyErr_SetString(PyExc_BufferError, "the array may not be written to");
        return -1;
    }
    if (!(l = PyMem_Calloc(1, sizeof *l))) {
        PyErr_NoMemory();
        return -1;
    }
    for (int i = 0; i < NDTYPES; i++)
        if (dtypes[i].dtype == d) {
            char f = d == WF_BF16 ? 'H' : dtypes[i].format; /* bf16 as its bits */
            if (f == 'F' || f == 'D') {
                l->format[0] = 'Z';
                l->format[1] = f == 'F' ? 'f' : 'd';
            } else {
                l->format[0] = f;
            }
        }
    l->a = wf_array_retain(a);
    v->itemsize = (Py_ssize_t)wf_dtype_size(d);
    v->ndim = wf_array_rank(a);
    bool plain = true;
    int64_t run = 1;
    for (int k = v->ndim - 1; k >= 0; k--) {
        l->dims[k] = (Py_ssize_t)wf_array_dims(a)[k];
        l->strides[k] = (Py_ssize_t)wf_array_strides(a)[k] * v->itemsize;
        plain = plain && (l->dims[k] == 1 || wf_array_strides(a)[k] == run);
        run *= l->dims[k];
    }
    if (!plain && wf_array_count(a) && !(flags & PyBUF_STRIDES & ~PyBUF_ND)) {
        wf_array_release(l->a);
        PyMem_Free(l);
        PyErr_SetString(PyExc_BufferError, "the array is not contiguous");
        return -1;
    }
    v->buf = data ? data : (void *)(uintptr_t)wf_array_data(a);
    v->len = (Py_ssize_t)wf_array_count(a) * v->itemsize;
    v->readonly = !data;
    v->format = flags & PyBUF_FORMAT ? l->format : NULL;
    v->shape = flags & PyBUF_ND ? l->dims : NULL;
    v->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? l->strides : NULL;
    v->suboffsets = NULL;
    v->internal = l;
    v->obj = Py_NewRef(self);
    return 0;
}

static void array_releasebuffer(PyObject *self, Py_buffer *v)
{
    Lent *l = v->internal;

    (void)self;
    wf_array_release(l->a);
    PyMem_Free(l);
}

static PyObject *array_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"object", "dtype", NULL};
    PyObject *from, *dtype = Py_None;
    wf_dtype d = WF_INVALID;
    wf_ctx *cx;
    wf_array *a;

    (void)type;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O:Array", names, &from, &dtype) ||
        (dtype != Py_None && !dtype_in(dtype, &d)) || !(cx = ctx_take()))
        return NULL;
    a = array_in(cx, from, d, NULL);
    if (a && d && wf_array_dtype(a) != d) {
        wf_array *converted = NULL;
        wf_scope_begin(cx);
        if (wf_to_array(cx, wf_cast(cx, wf_from_array(cx, a), d), &converted) != WF_OK)
            ctx_raise(cx);
        wf_scope_end(cx);
        wf_array_release(a);
        a = converted;
    }
    ctx_give(cx);
    return a ? array_object(a) : NULL;
}

static PyObject *array_shape(PyObject *self, void *unused)
{
    wf_array *a = ((Array *)self)->a;
    PyObject *t = PyTuple_New(wf_array_rank(a));

    (void)unused;
    for (int k = 0; t && k < wf_array_rank(a); k++)
        PyTuple_SetItem(t, k, PyLong_FromLongLong(wf_array_dims(a)[k]));
    return t;
}

static PyObject *array_dtype(PyObject *self, void *unused)
{
    (void)unused;
    return dtype_out(wf_array_dtype(((Array *)self)->a));
}

static PyObject *array_repr(PyObject *self)
{
    wf_ctx *cx = ctx_take();
    const char *text = "";
    PyObject *out;

    if (!cx)
        return NULL;
    if (wf_array_text(cx, ((Array *)self)->a, &text) != WF_OK)
        return ctx_fail(cx);
    out = PyUnicode_FromFormat("weft.Array(%s)", text);
    ctx_give(cx);
    return out;
}

static void free_capsule(PyObject *capsule)
{
    if (PyCapsule_IsValid(capsule, "dltensor")) {
        DLManagedTensor *m = PyCapsule_GetPointer(capsule, "dltensor");
        m->deleter(m);
    } else if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
        DLManagedTensorVersioned *m = PyCapsule_GetPointer(capsule, "dltensor_versioned");
        m->deleter(m);
    }
}

static PyObject *array_dlpack(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"stream", "max_version", "dl_device", "copy", NULL};
    PyObject *stream = Py_None, *version = Py_None, *device = Py_None, *copy = Py_None, *capsule = NULL;
    wf_array *a = ((Array *)self)->a;
    DLManagedTensorVersioned *v = NULL;
    DLManagedTensor *m = NULL;
    long major = 0;
    wf_ctx *cx;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$OOOO:__dlpack__", names, &stream, &version, &device, &copy))
        return NULL;
    if (device != Py_None) {
        PyObject *type = PySequence_GetItem(device, 0);
        long t = type ? PyLong_AsLong(type) : -1;
        Py_XDECREF(type);
        if (PyErr_Occurred())
            return NULL;
        if (t != kDLCPU) {
            PyErr_SetString(PyExc_BufferError, "the array is lent on the host alone");
            return NULL;
        }
    }
    if (version != Py_None) {
        PyObject *first = PySequence_GetItem(version, 0);
        major = first ? PyLong_AsLong(first) : 0;
        Py_XDECREF(first);
        if (PyErr_Occurred())
            return NULL;
    }
    if (!(cx = ctx_take()))
        return NULL;
    wf_array_retain(a);
    if (copy == Py_True) {
        wf_array *made = NULL;
        wf_scope_begin(cx);
        wf_to_array(cx, wf_copy(cx, wf_from_array(cx, a)), &made);
        wf_scope_end(cx);
        wf_array_release(a);
        a = made;
    }
    if (major >= 1)
        wf_array_to_dlpack_versioned(cx, a, &v);
    else
        wf_array_to_dlpack(cx, a, &m);
    wf_array_release(a);
    if (!v && !m)
        return ctx_fail(cx);
    ctx_give(cx);
    capsule = v ? PyCapsule_New(v, "dltensor_versioned", free_capsule) : PyCapsule_New(m, "dltensor", free_capsule);
    if (!capsule && v)
        v->deleter(v);
    if (!capsule && m)
        m->deleter(m);
    return capsule;
}

static PyObject *array_dlpack_device(PyObject *self, PyObject *none)
{
    (void)self, (void)none;
    return Py_BuildValue("(ii)", (int)kDLCPU, 0);
}

static PyObject *array_numpy(PyObject *self, PyObject *none)
{
    (void)none;
    return to_numpy(self);
}

static PyMethodDef array_methods[] = {
    {"numpy", array_numpy, METH_NOARGS, "numpy() -> numpy.ndarray on the same memory (bfloat16: as of ml_dtypes, or as bits)"},
    {"__dlpack__", (PyCFunction)(void (*)(void))array_dlpack, METH_VARARGS | METH_KEYWORDS, "A DLPack capsule on the same memory"},
    {"__dlpack_device__", array_dlpack_device, METH_NOARGS, "(1, 0): memory of the host"},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef array_fields[] = {
    {"shape", array_shape, NULL, "sizes, a tuple of int", NULL},
    {"dtype", array_dtype, NULL, "\"f32\" ..", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot array_slots[] = {
    {Py_tp_doc, "Array(object, dtype=None): numbers of Weft's. Shares the memory of what it is made of; lends its own by the\n"
                "buffer protocol and DLPack."},
    {Py_tp_new, array_new},
    {Py_tp_dealloc, array_dealloc},
    {Py_tp_repr, array_repr},
    {Py_tp_methods, array_methods},
    {Py_tp_getset, array_fields},
    {Py_bf_getbuffer, array_getbuffer},
    {Py_bf_releasebuffer, array_releasebuffer},
    {0, NULL},
};
static PyType_Spec array_spec = {"weft._weft.Array", sizeof(Array), 0, Py_TPFLAGS_DEFAULT, array_slots};

int array_init(PyObject *module) { return (classes.array = make_type(module, &array_spec)) ? 0 : -1; }
