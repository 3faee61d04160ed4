/* weftpy.h -- the extension module weft._weft: Python's limited API (3.11) over Weft's public headers.
 *
 *   module.c     contexts, errors, the module
 *   array.c      arrays in and out: buffers, DLPack, torch's exchange table; the type Array
 *   program.c    programs, their transforms, executables
 *   model.c      files: methods, tensors, training steps
 *   builder.c    programs being built: Builder, Value, functions of functions
 *   args.c       arguments of the functions of tensors; ops.c, made by gen_ops.py from the headers, calls them
 *
 * Contexts. A call takes a context out of a list (with the GIL), does its work without the GIL, and puts it back: so any
 * number of threads run at once, each in a context of its own. A Builder has one for itself.
 */
#ifndef WEFTPY_H
#define WEFTPY_H

#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030B0000
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <weft.h>
#include <weft_dlpack.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- module.c ---- */

typedef struct Classes {
    PyObject *array, *program, *exec, *model, *builder, *value; /* the types here, or what Python derived from them */
    PyObject *errors;                                           /* {status: class of exception} */
} Classes;
extern Classes classes;

wf_ctx *ctx_take(void);      /* NULL with an exception set */
void ctx_give(wf_ctx *cx);   /* NULL is fine */
wf_ctx *ctx_new(void);       /* one that is not in the list */
PyObject *ctx_raise(wf_ctx *cx); /* the context's error as an exception, which is cleared there; always NULL */
/* The same, then the context is given back. */
PyObject *ctx_fail(wf_ctx *cx);
PyObject *make_type(PyObject *module, PyType_Spec *spec); /* added to the module; a new reference that is kept */
void *new_object(PyObject *type);                         /* zeroed but for its head */
void free_object(PyObject *o);

/* Work of cx without the GIL, which Ctrl-C ends: LEAVE_PYTHON(cx) ... RETURN_PYTHON */
#define LEAVE_PYTHON(cx)                          \
    {                                             \
        wf_ctx *others_ = interrupt_goes_to(cx);  \
        Py_BEGIN_ALLOW_THREADS
#define RETURN_PYTHON                \
    Py_END_ALLOW_THREADS             \
    interrupt_goes_back(others_);    \
    }
wf_ctx *interrupt_goes_to(wf_ctx *cx); /* module.c; the one it went to before */
void interrupt_goes_back(wf_ctx *cx);

/* ---- array.c ---- */

typedef struct Array {
    PyObject_HEAD
    wf_array *a;
} Array;

/* What the caller works with, which results are given back as. */
typedef enum Kind { KIND_NONE, KIND_NUMPY, KIND_EXCHANGE, KIND_NAMESPACE, KIND_ARRAY } Kind;
typedef struct Like {
    Kind kind;
    PyObject *of; /* borrowed: the object it was taken from */
} Like;

/* An array on the memory of o; a Python number, or nested lists of them, become an array of that dtype (WF_INVALID: i64,
 * f64 or bool). like (may be NULL) takes the kind of the first that has one. NULL with an exception. */
wf_array *array_in(wf_ctx *cx, PyObject *o, wf_dtype dtype, Like *like);
/* The array, which is taken over, as an object of that kind; NULL with an exception. */
PyObject *array_out(wf_array *a, const Like *like);
PyObject *array_object(wf_array *a); /* as Array; takes a over */
/* n arrays of inputs from a sequence of objects. dtypes by program (may be NULL). */
void arrays_release(wf_array **a, Py_ssize_t n);
bool dtype_in(PyObject *o, wf_dtype *out);  /* "f32", "float32", a NumPy dtype or type; false with an exception */
PyObject *dtype_out(wf_dtype d);            /* "f32" */
int array_init(PyObject *module);

/* ---- program.c ---- */

typedef struct Program {
    PyObject_HEAD
    const wf_program *p;
    wf_exec *exec; /* made at the first call */
} Program;

typedef struct Exec {
    PyObject_HEAD
    wf_exec *e;
    const wf_program *p;
} Exec;

PyObject *program_object(const wf_program *p); /* takes p over; NULL is passed on */
const wf_program *program_of(PyObject *o);     /* borrowed; NULL with an exception */
/* e run on args and kwargs, inputs of p. */
PyObject *exec_call(wf_exec *e, const wf_program *p, PyObject *args, PyObject *kwargs);
PyObject *info_out(const wf_value_info *i); /* (name, dtype, dims, role): sizes as int or str */
int program_init(PyObject *module);

/* ---- model.c ---- */

int model_init(PyObject *module);

/* ---- builder.c ---- */

typedef struct Builder {
    PyObject_HEAD
    wf_ctx *cx;
    wf_graph *graph;
    bool owns; /* the context */
} Builder;

typedef struct Value {
    PyObject_HEAD
    Builder *b;
    wf_tensor t;
} Value;

PyObject *value_object(Builder *b, wf_tensor t);
PyObject *builder_on(wf_ctx *cx); /* a builder on a context that is not its own: builder_close before that goes */
void builder_close(PyObject *builder);
int builder_init(PyObject *module);
extern PyMethodDef builder_ops[]; /* ops.c */

/* ---- args.c ---- */

#define ARGS_BLOCKS 8
typedef struct Args { /* of one call */
    Builder *b;
    const char *name;
    PyObject *const *a;
    Py_ssize_t n;
    void *blocks[ARGS_BLOCKS]; /* lists, freed at the end */
    int nblocks;
    bool bad; /* an exception is set */
} Args;

bool args_begin(Args *s, PyObject *self, const char *name, PyObject *const *a, Py_ssize_t n, int least, int most);
wf_tensor arg_tensor(Args *s, int i); /* None: WF_NONE; numbers are weak scalars, arrays constants */
const wf_tensor *arg_tensors(Args *s, int i, int *n);
const int *arg_ints(Args *s, int i, int *n);           /* None: NULL, n 0. n >= 0 on entry: so many are needed, or None */
const int64_t *arg_sizes(Args *s, int i, int *n);      /* sizes may be symbolic: objects with an attribute _size */
const double *arg_doubles(Args *s, int i, int *n);
const int *arg_maybe_int(Args *s, int i);
int64_t arg_int64(Args *s, int i);
uint64_t arg_uint64(Args *s, int i);
int arg_int(Args *s, int i);
double arg_double(Args *s, int i);
bool arg_bool(Args *s, int i);
wf_dtype arg_dtype(Args *s, int i);
const char *arg_text(Args *s, int i);
PyObject *args_end(Args *s, wf_tensor t);                              /* the result, or the error */
PyObject *args_end_many(Args *s, wf_status st, const wf_tensor *t, int n); /* a tuple; WF_NONE is None */
/* Without a call of Builder's around it. */
wf_tensor tensor_in(Builder *b, PyObject *o);
wf_tensor *tensors_in(Builder *b, PyObject *seq, int *n); /* malloc'ed; NULL with an exception */
PyObject *tensors_out(Builder *b, const wf_tensor *t, int n); /* a list */
bool size_in(PyObject *o, int64_t *out);
PyObject *size_out(int64_t size);

#endif
