/* module.c -- contexts, errors, the module weft._weft. */
#include "weftpy.h"

#include <dlfcn.h>
#include <pythread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#define POOL_MAX 64
#define COMPILE_AFTER 10 /* runs; WEFT_COMPILE_AFTER says another number, WEFT_THREADS that of threads */

Classes classes;
static wf_ctx *pool[POOL_MAX]; /* contexts nobody uses; under the GIL */
static int npool;

/* ---- threads ----
 *
 * Threads that look out for their next loop take cores from each other: a program's and torch's, in turn in one step of training, were slower by two
 * cores than by one. So where torch's loops run on OpenMP's threads (libgomp), ours do, too. */

typedef struct Loop {
    _Atomic int next;
    int n;
    void (*task)(void *user, int i);
    void *user;
} Loop;

static wf_runtime *runtime; /* with threads of OpenMP's; NULL: Weft's own */
static void (*openmp)(void (*fn)(void *data), void *data, unsigned threads, unsigned flags);
static pid_t openmp_of; /* the process: a child has none of its threads */

static void do_loop(void *data)
{
    Loop *l = data;

    for (int i = atomic_fetch_add(&l->next, 1); i < l->n; i = atomic_fetch_add(&l->next, 1))
        l->task(l->user, i);
}

static void run_loop(void *user, int n, void (*task)(void *task_user, int i), void *task_user)
{
    Loop l = {0, n, task, task_user};

    (void)user;
    if (getpid() == openmp_of)
        openmp(do_loop, &l, 0, 0); /* as many as OpenMP's loops of this thread have */
    else
        do_loop(&l);
}

/* ---- contexts ---- */

/* What programs print goes where Python's print goes. */
static void print_text(void *user, const char *text, size_t size)
{
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *out = PySys_GetObject("stdout"); /* borrowed */
    PyObject *kind = NULL, *value = NULL, *trace = NULL, *done = NULL;

    (void)user;
    PyErr_Fetch(&kind, &value, &trace);
    if (out && out != Py_None)
        done = PyObject_CallMethod(out, "write", "s#", text, (Py_ssize_t)size);
    if (!done)
        PyErr_Clear();
    Py_XDECREF(done);
    PyErr_Restore(kind, value, trace);
    PyGILState_Release(gil);
}

wf_ctx *ctx_new(void)
{
    const char *after = getenv("WEFT_COMPILE_AFTER"), *threads = getenv("WEFT_THREADS");
    wf_options o = {.size = sizeof o,
                    .threads = threads && atoi(threads) > 0 ? atoi(threads) : 0,
                    .compile_after = after ? atoi(after) : COMPILE_AFTER,
                    .runtime = runtime,
                    .print = print_text};
    wf_ctx *cx = wf_ctx_new(&o);

    if (!cx)
        PyErr_NoMemory();
    return cx;
}

wf_ctx *ctx_take(void) { return npool ? pool[--npool] : ctx_new(); }

void ctx_give(wf_ctx *cx)
{
    if (!cx)
        return;
    wf_clear(cx);
    if (npool < POOL_MAX && (!runtime || wf_ctx_runtime(cx) == runtime))
        pool[npool++] = cx;
    else
        wf_ctx_free(cx);
}

/* ---- Ctrl-C ----
 *
 * Python's handler of SIGINT leaves a note, which the interpreter reads when it runs again. While the main thread is in Weft that would be at
 * the end of the work: so our handler stands before it, and cancels what the main thread does. It is put there again where a program has
 * set its own with signal.signal. */

static unsigned long main_thread;
static wf_ctx *volatile interrupted; /* what the main thread does, or NULL */
static struct sigaction pythons;

static void on_interrupt(int sig, siginfo_t *info, void *more)
{
    wf_ctx *cx = interrupted;

    if (cx)
        wf_cancel(cx);
    if (pythons.sa_flags & SA_SIGINFO)
        pythons.sa_sigaction(sig, info, more);
    else
        pythons.sa_handler(sig);
}

wf_ctx *interrupt_goes_to(wf_ctx *cx)
{
    struct sigaction now, ours = {.sa_sigaction = on_interrupt};
    wf_ctx *before = interrupted;

    if (PyThread_get_thread_ident() != main_thread)
        return NULL;
    if (sigaction(SIGINT, NULL, &now) == 0 &&
        !((now.sa_flags & SA_SIGINFO) ? now.sa_sigaction == on_interrupt
                                      : now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN)) {
        pythons = now;
        ours.sa_flags = now.sa_flags | SA_SIGINFO;
        ours.sa_mask = now.sa_mask;
        sigaction(SIGINT, &ours, NULL);
    }
    interrupted = cx;
    return before;
}

void interrupt_goes_back(wf_ctx *cx)
{
    if (PyThread_get_thread_ident() == main_thread)
        interrupted = cx;
}

/* As the module threading has it: the module may be imported by any thread. */
static int find_main_thread(void)
{
    PyObject *module = PyImport_ImportModule("threading");
    PyObject *thread = module ? PyObject_CallMethod(module, "main_thread", NULL) : NULL;
    PyObject *ident = thread ? PyObject_GetAttrString(thread, "ident") : NULL;

    if (ident)
        main_thread = PyLong_AsUnsignedLong(ident);
    Py_XDECREF(ident);
    Py_XDECREF(thread);
    Py_XDECREF(module);
    return PyErr_Occurred() ? -1 : 0;
}

/* ---- errors ---- */

PyObject *ctx_raise(wf_ctx *cx)
{
    wf_status st = wf_ctx_status(cx);

    if (st == WF_ERR_CANCELLED && !PyErr_Occurred())
        PyErr_CheckSignals(); /* KeyboardInterrupt, if the program has not made it something else */
    if (!PyErr_Occurred()) { /* else a function in Python has said what is wrong */
        PyObject *key = PyLong_FromLong((long)st);
        PyObject *type = key && classes.errors ? PyDict_GetItem(classes.errors, key) : NULL; /* borrowed */
        const char *text = wf_ctx_message(cx);
        PyObject *message = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");

        if (message && st == WF_ERR_MEMORY)
            PyErr_SetObject(PyExc_MemoryError, message);
        else if (message)
            PyErr_SetObject(type ? type : PyExc_RuntimeError, message);
        Py_XDECREF(key);
        Py_XDECREF(message);
    }
    wf_clear(cx);
    return NULL;
}

PyObject *ctx_fail(wf_ctx *cx)
{
    ctx_raise(cx);
    ctx_give(cx);
    return NULL;
}

/* ---- types ---- */

PyObject *make_type(PyObject *module, PyType_Spec *spec)
{
    PyObject *type = PyType_FromModuleAndSpec(module, spec, NULL);

    if (type && PyModule_AddType(module, (PyTypeObject *)type) < 0)
        Py_CLEAR(type);
    return type;
}

void *new_object(PyObject *type)
{
    allocfunc alloc = (allocfunc)PyType_GetSlot((PyTypeObject *)type, Py_tp_alloc);

    return alloc((PyTypeObject *)type, 0);
}

void free_object(PyObject *o)
{
    PyTypeObject *type = Py_TYPE(o);

    ((freefunc)PyType_GetSlot(type, Py_tp_free))(o);
    Py_DECREF(type);
}

/* ---- functions ---- */

static PyObject *py_version(PyObject *self, PyObject *none)
{
    (void)self, (void)none;
    return PyUnicode_FromString(wf_version());
}

static PyObject *py_build_info(PyObject *self, PyObject *none)
{
    (void)self, (void)none;
    return PyUnicode_FromString(wf_build_info());
}

/* Classes in Python that objects are made as, and the exceptions by status. */
static PyObject *py_register(PyObject *self, PyObject *args)
{
    PyObject *model, *program, *errors;

    (void)self;
    if (!PyArg_ParseTuple(args, "OOO!", &model, &program, &PyDict_Type, &errors))
        return NULL;
    if (!PyType_Check(model) || !PyType_IsSubtype((PyTypeObject *)model, (PyTypeObject *)classes.model) ||
        !PyType_Check(program) || !PyType_IsSubtype((PyTypeObject *)program, (PyTypeObject *)classes.program)) {
        PyErr_SetString(PyExc_TypeError, "register: needs classes derived from Model and Program, and a dict of exceptions");
        return NULL;
    }
    PyObject *old[] = {classes.model, classes.program, classes.errors};
    classes.model = Py_NewRef(model);
    classes.program = Py_NewRef(program);
    classes.errors = Py_NewRef(errors);
    for (int i = 0; i < 3; i++)
        Py_XDECREF(old[i]);
    Py_RETURN_NONE;
}

/* The table of ops: (name, family, doc) each. */
static PyObject *py_ops(PyObject *self, PyObject *none)
{
    PyObject *list = PyList_New(0);

    (void)self, (void)none;
    for (int i = 0; list && i < wf_op_count(); i++) {
        wf_op_info info = {.size = sizeof info};
        PyObject *row;

        wf_op_get(i, &info);
        row = Py_BuildValue("(sss)", info.name, info.family, info.doc);
        if (!row || PyList_Append(list, row) < 0)
            Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

/* bool: are loops run by OpenMP's threads from now on? WEFT_THREADS asks for Weft's. */
static PyObject *py_use_openmp(PyObject *self, PyObject *none)
{
    void *lib = dlopen("libgomp.so.1", RTLD_LAZY | RTLD_NOLOAD), *found = lib ? dlsym(lib, "GOMP_parallel") : NULL;
    wf_runtime_options o = {.size = sizeof o, .parallel = run_loop};

    (void)self, (void)none;
    if (!found || runtime || getenv("WEFT_THREADS"))
        return PyBool_FromLong(runtime != NULL);
    *(void **)&openmp = found;
    openmp_of = getpid();
    runtime = wf_runtime_new(&o);
    if (!runtime)
        return PyErr_NoMemory();
    while (npool)
        wf_ctx_free(pool[--npool]);
    Py_RETURN_TRUE;
}

static PyObject *py_dtype_name(PyObject *self, PyObject *o)
{
    wf_dtype d;

    (void)self;
    return dtype_in(o, &d) ? dtype_out(d) : NULL;
}

static PyMethodDef functions[] = {
    {"dtype_name", py_dtype_name, METH_O, "dtype_name(dtype) -> str: 'f32' of 'float32', a NumPy dtype, a torch dtype .."},
    {"version", py_version, METH_NOARGS, "version() -> str: of the library that is running"},
    {"build_info", py_build_info, METH_NOARGS, "build_info() -> str: version, instruction set, optional features"},
    {"ops", py_ops, METH_NOARGS, "ops() -> list of (name, family, doc): the primitives"},
    {"use_openmp", py_use_openmp, METH_NOARGS, "use_openmp() -> bool: loops are run by the threads of libgomp, if that is loaded and WEFT_THREADS is not set"},
    {"register", py_register, METH_VARARGS, "register(Model, Program, errors)"},
    {NULL, NULL, 0, NULL},
};

static int exec_module(PyObject *m)
{
    return find_main_thread() < 0 || array_init(m) < 0 || program_init(m) < 0 || model_init(m) < 0 || builder_init(m) < 0 ? -1 : 0;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, exec_module}, {0, NULL}};
static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "weft._weft", "Weft's library for Python; use the package weft.", 0, functions, slots, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__weft(void);
PyMODINIT_FUNC PyInit__weft(void) { return PyModuleDef_Init(&definition); }
