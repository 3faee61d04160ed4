/* weft.h -- the public interface of Weft, a deep-learning compiler and toolkit.
 *
 * Who runs a model that a file has needs this header alone, from its beginning to "models":
 *
 *     wf_model_load(cx, "net.weft", &m);                 once
 *     wf_model_bind(cx, m, "forward", &p);               its tensors become constants (weft_nn.h)
 *     wf_compile(cx, p, 0, &e);
 *     wf_run(cx, e, &x, 1, &y, 1);                       from any number of threads, a context for each
 *     if (wf_ctx_status(cx))
 *         puts(wf_ctx_message(cx)), wf_clear(cx);        all of the above did nothing after the first error
 *
 * Who computes and trains goes on with the headers that this one brings in, in this order:
 *
 *     weft_tensor.h   functions of tensors; gradients; functions traced into programs, derived and batched; ops of one's own
 *     weft_random.h   random numbers with PyTorch's numbers;   weft_keys.h   by key, as JAX; tensors as text
 *     weft_nn.h       modules, optimisers, data, and how they go into files: a trainer in ten lines stands at its top
 *     weft_comm.h     several processes
 *     weft_dlpack.h   memory shared with other libraries (not brought in);   weft.hpp   handles that own, for C++
 *
 * Conventions
 *   names      functions wf_noun_verb or wf_verb, types wf_noun, constants WF_NAME
 *   context    wf_ctx comes first in every call that can fail. One context, one thread at a time;
 *              make as many contexts as there are threads. Of two calls in one context at once the later one
 *              does nothing and is WF_ERR_ARG, and so is the context from the end of the other on. Programs, arrays
 *              and executables are immutable or atomically counted and may be shared between contexts and threads.
 *   errors     a function returns WF_OK or the status that is now also kept in the context, where
 *              the first error sticks until wf_clear. Out-parameters are set to NULL first.
 *   NULL       is harmless everywhere: as context, handle, pointer to give a result to, and with a count. Such a call
 *              does nothing and is WF_ERR_ARG, as is a count below 0; functions without a status give WF_NONE, NULL,
 *              0, false or "". NULL with a count of 0 is an empty list; free and release take NULL. What else may be
 *              NULL is said at the function.
 *   many       a pointer to many has its count beside it. It must be what is wanted, neither more nor less; WF_ERR_ARG says
 *              both numbers.
 *   callbacks  give WF_OK or a status, as functions do. Any other than WF_OK ends what called them, with that status.
 *   structs    that callers fill begin with their size, sizeof of the struct, so that they can grow.
 *   ownership  what is counted has _retain and _release, however it was made; what has one owner has _free; a plain getter
 *              borrows. Strings in are copied, strings out are borrowed, and are "" rather than NULL.
 */
#ifndef WEFT_H
#define WEFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WF_VERSION "0.1.0"
#define WF_ABI_VERSION 1

#if defined(__GNUC__)
#define WF_API __attribute__((visibility("default")))
#else
#define WF_API
#endif

/* ---- status -------------------------------------------------------------------------------- */

/* Three kinds: the user's program or input is wrong; the environment failed; Weft has a bug. */
typedef enum wf_status {
    WF_OK = 0,

    WF_ERR_SYNTAX,    /* user: text that does not parse */
    WF_ERR_NAME,      /* user: a name that is not defined, or defined twice */
    WF_ERR_TYPE,      /* user: a dtype or kind of thing that does not fit */
    WF_ERR_SHAPE,     /* user: shapes that do not fit */
    WF_ERR_VALUE,     /* user: an attribute or argument out of range */
    WF_ERR_INDEX,     /* user: an index out of range */
    WF_ERR_NORULE,    /* user: a transform met an op that has no such rule */
    WF_ERR_GUARD,     /* user: a guard of the program does not hold for these inputs */
    WF_ERR_ASSERT,    /* user: an assert in the program failed */
    WF_ERR_LIMIT,     /* user: beyond what Weft accepts (rank, nesting, size) */
    WF_ERR_FORMAT,    /* user: a file that is not what it should be */
    WF_ERR_ARG,       /* user: wrong use of this interface (NULL, dead handle, foreign context) */

    WF_ERR_MEMORY = 64, /* environment: out of memory */
    WF_ERR_IO,          /* environment: a file cannot be read or written */
    WF_ERR_CANCELLED,   /* environment: wf_cancel was called */
    WF_ERR_UNSUPPORTED, /* environment: an optional feature that is not in this build */
    WF_ERR_DEVICE,      /* environment: a device failed, or is lost */
    WF_ERR_COMM,        /* environment: another process failed, is gone, or does something else */

    WF_ERR_INTERNAL = 128 /* a bug in Weft */
} wf_status;

/* "shape error", "out of memory" ...: the words an error message begins with. */
WF_API const char *wf_status_name(wf_status status);

/* ---- allocator, log ------------------------------------------------------------------------ */

/* One function for all memory, like realloc: new_size 0 frees, ptr NULL allocates. It must be
 * thread-safe, align to 16 bytes, and may return NULL, which becomes WF_ERR_MEMORY. */
typedef struct wf_allocator {
    void *(*resize)(void *user, void *ptr, size_t old_size, size_t new_size);
    void *user;
} wf_allocator;

typedef enum wf_log_level { WF_LOG_DEBUG, WF_LOG_INFO, WF_LOG_WARN, WF_LOG_ERROR } wf_log_level;
typedef void (*wf_log_fn)(void *user, wf_log_level level, const char *text);

/* ---- runtime ------------------------------------------------------------------------------- */

typedef struct wf_ctx wf_ctx;

/* What contexts share: one pool of threads, devices, loaded machine code, an allocator. Counted; all functions may be
 * called from any thread. One is made at need and shared by all contexts that ask for nothing of their own; others can
 * live beside it. However many contexts and threads use a runtime, its pool has the same few threads: a caller that
 * finds them at work does its work itself. Results do not depend on any of this. */
typedef struct wf_runtime wf_runtime;

typedef struct wf_runtime_options {
    size_t size;            /* sizeof(wf_runtime_options) */
    wf_allocator allocator; /* resize NULL: malloc. It must outlive whatever was made by contexts of the runtime */
    int threads;            /* of the pool, a caller's included; 0: as many as this process may use (its mask of cores, and the
                               quota of its control group) */
    /* The host's own threads instead; as in wf_options. */
    void (*parallel)(void *user, int n, void (*task)(void *task_user, int i), void *task_user);
    void *parallel_user;
} wf_runtime_options;

/* NULL options mean all defaults. NULL when memory is exhausted. */
WF_API wf_runtime *wf_runtime_new(const wf_runtime_options *options);
WF_API wf_runtime *wf_runtime_retain(wf_runtime *r);
WF_API void wf_runtime_release(wf_runtime *r); /* NULL is fine; contexts hold theirs */
WF_API int wf_runtime_threads(const wf_runtime *r);
WF_API wf_runtime *wf_ctx_runtime(wf_ctx *cx); /* borrowed; NULL when memory is exhausted */

/* ---- context ------------------------------------------------------------------------------- */

typedef struct wf_options {
    size_t size;            /* sizeof(wf_options), for the ABI */
    wf_allocator allocator; /* resize NULL: malloc */
    wf_log_fn log;          /* NULL: standard error */
    void *log_user;
    int threads; /* 0: all of the runtime's; 1: no worker threads; else so many, of a runtime that is given, or of its own */
    /* The host's own threads instead of Weft's: call task(task_user, i) for i in 0..n-1, on any
     * threads, and return when all are done. NULL: Weft's pool. */
    void (*parallel)(void *user, int n, void (*task)(void *task_user, int i), void *task_user);
    void *parallel_user;
    /* Runs of a prepared program (of some size) after which it is compiled, by the system's C compiler where there is
     * one. What serves the k-th run depends on k (and on what runs read and write, much of which counts as a run
     * more), never on time. 0: never, no compiler is started. */
    int compile_after;
    /* Passes may also use rules that only algebra keeps (x + 0 = x, x * 0 = 0, log(exp x) = x ..): NaN, infinities, the
     * sign of zero and last bits may change. */
    bool fast_math;
    wf_runtime *runtime; /* held; NULL: the one that all share, or one with the allocator, threads or number of threads
                            given here. Where it is given, parallel must be NULL. */
    /* What programs and scripts print, a piece at a time, whole lines from programs; NULL: standard output. Called on the
     * thread that is in the call. */
    void (*print)(void *user, const char *text, size_t size);
    void *print_user;
    /* Machine code that files have (wf_model_compile) is loaded and run: such files are programs, as those in PATH are.
     * At first it is not looked at. */
    bool file_code;
    /* Asserts of programs, those of files too, are not looked at: an index out of range is moved inside, say. */
    bool unchecked;
} wf_options;

/* NULL options mean all defaults. Returns NULL only when memory is exhausted. */
WF_API wf_ctx *wf_ctx_new(const wf_options *options);
WF_API void wf_ctx_free(wf_ctx *cx);

WF_API wf_status wf_ctx_status(const wf_ctx *cx);
/* The whole diagnostic: place, kind, message, source line, caret, notes. "" when all is well. */
WF_API const char *wf_ctx_message(wf_ctx *cx);
WF_API void wf_clear(wf_ctx *cx);
/* For functions of the caller's own: record an error (if it is the first), and add a note to the recorded one. */
WF_API wf_status wf_raise(wf_ctx *cx, wf_status status, const char *text);
WF_API void wf_note(wf_ctx *cx, const char *text);
/* Memory of the context's allocator, as its resize gives it: ptr NULL allocates, new_size 0 frees, else the block
 * moves. NULL records WF_ERR_MEMORY (the old block stays). */
WF_API void *wf_memory(wf_ctx *cx, void *ptr, size_t old_size, size_t new_size);
/* Make the call in progress on cx (a run, a compilation, a script) stop soon with WF_ERR_CANCELLED. From any thread or a
 * signal. Without one it does nothing: the next call is not meant. */
WF_API void wf_cancel(wf_ctx *cx);

/* ---- dtypes -------------------------------------------------------------------------------- */

/* The numbers are for good: they stand in callers' code and in their files. */
typedef enum wf_dtype {
    WF_INVALID = 0,
    WF_BOOL = 1,
    WF_I8 = 2, WF_I16 = 3, WF_I32 = 4, WF_I64 = 5,
    WF_U8 = 6, WF_U16 = 7, WF_U32 = 8, WF_U64 = 9,
    WF_F16 = 10, WF_BF16 = 11, WF_F32 = 12, WF_F64 = 13,
    WF_C64 = 14, WF_C128 = 15,                                /* complex */
    /* To store numbers: moved and cast, without arithmetic. A byte each, i4 and u4 in its low half. */
    WF_F8E4M3FN = 16, WF_F8E5M2 = 17, WF_I4 = 18, WF_U4 = 19,
    WF_F8E4M3FNUZ = 20, WF_F8E5M2FNUZ = 21, WF_F8E8M0FNU = 22,
    WF_DTYPE_COUNT
} wf_dtype;

WF_API const char *wf_dtype_name(wf_dtype dtype); /* "f32"; "invalid" for anything else */
WF_API size_t wf_dtype_size(wf_dtype dtype);      /* in bytes; 0 for an invalid one */
WF_API bool wf_dtype_is_float(wf_dtype dtype);    /* a real number that rounds, with arithmetic */
WF_API bool wf_dtype_is_complex(wf_dtype dtype);  /* two of those, the real part first */

#define WF_MAX_RANK 32

/* ---- devices -------------------------------------------------------------------------------- */

/* Where memory is and work is done. A device belongs to a runtime and lives as long as that: it is borrowed from the
 * context that opened it, and may be used by all contexts of the same runtime. Device 0 is the host.
 *
 * Order  Each context has a queue of its own on each device. Runs and copies are put there and done in order while the host
 *        goes on; reading an array on the host (wf_array_contiguous, wf_array_text ..), copying it there and
 *        wf_device_sync wait. Arrays may be used by other contexts and threads at once: their queues wait for each other.
 * Errors Work that fails after it was put in a queue is reported by the next call that waits for it (WF_ERR_DEVICE). */
typedef struct wf_device wf_device;

typedef struct wf_memory_stats {
    size_t size;        /* sizeof(wf_memory_stats): set it first */
    size_t free, total; /* of the device, as it says; 0: it does not */
    size_t held, peak;  /* bytes that arrays and executables have now, and had at most; the host's are not counted */
    size_t reserved;    /* bytes taken from the device: held, and kept for what comes next */
} wf_memory_stats;

WF_API int wf_device_count(wf_ctx *cx); /* with the host: at least 1 */
WF_API wf_status wf_device_get(wf_ctx *cx, int ordinal, wf_device **out_device); /* borrowed. WF_ERR_ARG: there is none */
/* By name: "cpu", "cuda:1"; "cuda" and "gpu" are the first GPU; "meta" has shapes and types without values, and is not counted.
 * WF_ERR_ARG: there is none, the message lists what there is. */
WF_API wf_status wf_device_find(wf_ctx *cx, const char *name, wf_device **out_device);
WF_API const char *wf_device_name(const wf_device *d);  /* "cpu" for the host, "cuda:0" .. for GPUs */
WF_API const char *wf_device_label(const wf_device *d); /* what it is, for people */
WF_API const char *wf_device_features(const wf_device *d); /* which libraries serve it, and what they do not; "" for the host */
WF_API int wf_device_ordinal(const wf_device *d);
WF_API bool wf_device_host_reads(const wf_device *d); /* can the host read its memory? */
WF_API wf_status wf_device_memory(wf_ctx *cx, wf_device *d, wf_memory_stats *out_stats);
WF_API wf_status wf_device_reset_peak(wf_ctx *cx, wf_device *d); /* the most held so far is what is held now */
/* What this context keeps for later goes back to the device, for other processes. */
WF_API wf_status wf_device_trim(wf_ctx *cx, wf_device *d);
/* Waits for all that this context has put into its queue there. */
WF_API wf_status wf_device_sync(wf_ctx *cx, wf_device *d);

/* A point in this context's queue on a device: reached when all that was put there before is done. It is used with the
 * context that made it; time between two points of one device is measured there. */
typedef struct wf_event wf_event;
WF_API wf_status wf_event_record(wf_ctx *cx, wf_device *d, wf_event **out_event);
WF_API bool wf_event_reached(const wf_event *e);
WF_API wf_status wf_event_wait(wf_ctx *cx, const wf_event *e);
/* WF_ERR_VALUE: one is not reached yet, or they are of two devices. */
WF_API wf_status wf_event_seconds(wf_ctx *cx, const wf_event *from, const wf_event *to, double *out_seconds);
WF_API void wf_event_free(wf_event *e); /* NULL is fine */

/* ---- arrays --------------------------------------------------------------------------------- */

/* A block of numbers on a device: dtype, shape, strides, memory. Counted; immutable shape; the counts are
 * thread-safe. Programs only read their inputs, so one array may be in many runs at once. */
typedef struct wf_array wf_array;

/* Zeros, row-major, aligned to 64 bytes, on the host. */
WF_API wf_status wf_array_new(wf_ctx *cx, wf_dtype dtype, const int64_t *dims, int rank,
                              wf_array **out_array);
/* A copy of row-major data. */
WF_API wf_status wf_array_from(wf_ctx *cx, wf_dtype dtype, const int64_t *dims, int rank,
                               const void *data, wf_array **out_array);
/* The caller's own memory, not copied: it must stay until drop(owner) is called (drop may be NULL). Strides
 * are in elements and may be 0 or negative; NULL: row-major. Memory that is not aligned to its numbers is read, too. */
WF_API wf_status wf_array_wrap(wf_ctx *cx, wf_dtype dtype, const int64_t *dims, int rank,
                               const int64_t *strides, void *data, void (*drop)(void *owner),
                               void *owner, wf_array **out_array);
/* The same of memory that may not be written to: a write to a tensor on it is WF_ERR_VALUE. */
WF_API wf_status wf_array_wrap_const(wf_ctx *cx, wf_dtype dtype, const int64_t *dims, int rank,
                                     const int64_t *strides, const void *data, void (*drop)(void *owner),
                                     void *owner, wf_array **out_array);
WF_API wf_array *wf_array_retain(wf_array *a);
WF_API void wf_array_release(wf_array *a); /* NULL is fine */

WF_API wf_dtype wf_array_dtype(const wf_array *a);
WF_API int wf_array_rank(const wf_array *a);
WF_API const int64_t *wf_array_dims(const wf_array *a);
WF_API const int64_t *wf_array_strides(const wf_array *a); /* in elements */
WF_API int64_t wf_array_count(const wf_array *a);
WF_API wf_device *wf_array_device(const wf_array *a); /* borrowed */
/* The same numbers on that device, row-major: the array itself (retained) if it is that already. Between two devices
 * without the host where they can. Does not wait unless the host is the target. */
WF_API wf_status wf_array_to(wf_ctx *cx, wf_array *a, wf_device *d, wf_array **out_array);
/* The first element; NULL when the host cannot read the array's device. To write: NULL also where the memory may not be
 * written to (DLPack's read-only, wf_array_wrap_const). Memory of a mapped file may: it is this process's own from the first
 * write on, the file stays as it is. */
WF_API const void *wf_array_data(const wf_array *a);
WF_API void *wf_array_data_mutable(wf_array *a);
/* The same numbers, row-major on the host: the array itself (retained) if it is that already. */
WF_API wf_status wf_array_contiguous(wf_ctx *cx, wf_array *a, wf_array **out_array);

/* Text: "f32[2] [1.5, 2.5]", nested lists with the shortest digits that read back the same. Borrowed from the
 * context until the next call that gives text. */
WF_API wf_status wf_array_text(wf_ctx *cx, wf_array *a, const char **out_text);
/* An array from text: a number, a nested list, FILE.npy, or a generated one (zeros:, ones:, iota:, rand:,
 * randn: and a type, such as rand:f32[8,64]). For a list dtype is what it becomes; WF_INVALID: f32, or i64
 * if all numbers are integers, or bool. */
WF_API wf_status wf_array_parse(wf_ctx *cx, const char *text, wf_dtype dtype, uint64_t seed,
                                wf_array **out_array);
WF_API wf_status wf_npy_load(wf_ctx *cx, const char *path, wf_array **out_array);
WF_API wf_status wf_npy_save(wf_ctx *cx, const char *path, wf_array *a);
/* A picture, PNM or PNG: u8[height,width,channels], of 1 (grey), 2 (and alpha), 3 (colours) or 4 (and alpha) channels. */
WF_API wf_status wf_image_load(wf_ctx *cx, const char *path, wf_array **out_array);

/* ---- programs -------------------------------------------------------------------------------- */

/* A typed, pure program. Immutable, counted, shared freely between threads. */
typedef struct wf_program wf_program;

WF_API const wf_program *wf_program_retain(const wf_program *p);
WF_API void wf_program_release(const wf_program *p); /* NULL is fine */
WF_API const char *wf_program_name(const wf_program *p);
WF_API int wf_program_inputs(const wf_program *p);
WF_API int wf_program_outputs(const wf_program *p);
WF_API int wf_program_equations(const wf_program *p);
WF_API const char *wf_program_input_name(const wf_program *p, int i); /* "" if it has none */
WF_API wf_dtype wf_program_input_dtype(const wf_program *p, int i);
/* The type as text, "f32[N,784]"; borrowed from the context until the next call that gives text. */
WF_API wf_status wf_program_input_type(wf_ctx *cx, const wf_program *p, int i, const char **out_text);
WF_API wf_status wf_program_output_type(wf_ctx *cx, const wf_program *p, int i, const char **out_text);

/* What a program takes and gives, as data. Texts are borrowed from the context until the next call that gives text. */
typedef enum wf_role {
    WF_ROLE_INPUT,     /* the caller's */
    WF_ROLE_PARAMETER, /* of a method: a tensor of the file that training changes */
    WF_ROLE_BUFFER,    /* a tensor of the file that the network keeps beside its parameters */
    WF_ROLE_STATE,     /* any other tensor of the file: an optimiser's, a step number */
    WF_ROLE_RESULT     /* goes to the caller */
} wf_role;
typedef struct wf_value_info {
    size_t size;      /* sizeof(wf_value_info): set it first */
    wf_role role;     /* of an input, or a result; one that is new state has the role of that */
    const char *name; /* of the input, or of the tensor of the file; "" if it has none */
    wf_dtype dtype;
    int rank;
    int64_t dims[WF_MAX_RANK];       /* -1: symbolic */
    const char *sizes[WF_MAX_RANK];  /* as text: "784", "N", "2*N+1" */
} wf_value_info;
WF_API wf_status wf_program_input_info(wf_ctx *cx, const wf_program *p, int i, wf_value_info *out_info);
WF_API wf_status wf_program_output_info(wf_ctx *cx, const wf_program *p, int i, wf_value_info *out_info);
WF_API int wf_program_find_input(const wf_program *p, const char *name); /* its number; -1: there is none of that name */
/* 128 bits of content as 32 hexadecimal digits; names and places do not count. As much as room bytes take: 33 for all. */
WF_API void wf_program_hash(const wf_program *p, char *out, size_t room);
WF_API bool wf_program_equal(const wf_program *a, const wf_program *b);
WF_API wf_status wf_program_verify(wf_ctx *cx, const wf_program *p);

enum { WF_TEXT_PLACES = 1, WF_TEXT_TYPES = 2, WF_TEXT_HEADER = 4, WF_TEXT_SHORT = 8 /* cut large constants */ };
WF_API wf_status wf_program_text(wf_ctx *cx, const wf_program *p, unsigned flags, const char **out_text);
WF_API wf_status wf_program_dot(wf_ctx *cx, const wf_program *p, const char **out_text);
/* As JSON: its programs with values, equations, places in the source and costs; docs/look.md has the form. */
WF_API wf_status wf_program_json(wf_ctx *cx, const wf_program *p, const char **out_text);

/* What running it once costs: floating-point operations of elementwise ops and reductions (one an element) and of
 * contractions, bytes read and written by all equations, and the largest sum of live values. Symbols take the given
 * sizes (by name), else their hints, else 64. A loop of unknown length counts once. */
typedef struct wf_cost {
    size_t size; /* sizeof(wf_cost) */
    double map_flops, contraction_flops, bytes, live_bytes;
    double input_bytes, output_bytes; /* of the inputs; of the results */
} wf_cost;
WF_API wf_status wf_program_cost(wf_ctx *cx, const wf_program *p, const char *const *symbols,
                                 const int64_t *values, int n, wf_cost *out_cost);

/* ---- transforms ---------------------------------------------------------------------------------
 *
 * Each takes a program and gives a new one, to be released. wrt lists inputs by index; NULL with n 0 means input 0.
 * WF_ERR_NORULE names the op and its line when something has no derivative. */

/* (x.., dx for wrt) -> (y.., dy..) */
WF_API wf_status wf_jvp(wf_ctx *cx, const wf_program *f, const int *wrt, int n, const wf_program **out);
/* (x.., gy for each float y) -> (y.., gx for wrt) */
WF_API wf_status wf_vjp(wf_ctx *cx, const wf_program *f, const int *wrt, int n, const wf_program **out);
/* forward: x.. -> (y.., residuals..)   linear: (residuals.., dx for wrt) -> dy.. */
WF_API wf_status wf_linearize(wf_ctx *cx, const wf_program *f, const int *wrt, int n,
                              const wf_program **out_forward, const wf_program **out_linear);
/* f: (x..) -> y, a float scalar first; result: dy/dx for wrt. WF_ERR_SHAPE: y is not a scalar. */
WF_API wf_status wf_grad(wf_ctx *cx, const wf_program *f, const int *wrt, int n, const wf_program **out);
/* (y.., dy/dx for wrt) */
WF_API wf_status wf_value_and_grad(wf_ctx *cx, const wf_program *f, const int *wrt, int n,
                                   const wf_program **out);
/* dy/dx of shape y.shape + x.shape, for each x in wrt and within that each float y */
WF_API wf_status wf_jacfwd(wf_ctx *cx, const wf_program *f, const int *wrt, int n, const wf_program **out);
WF_API wf_status wf_jacrev(wf_ctx *cx, const wf_program *f, const int *wrt, int n, const wf_program **out);
WF_API wf_status wf_hessian(wf_ctx *cx, const wf_program *f, const int *wrt, int n, const wf_program **out);
/* (x.., v for wrt) -> H v for wrt */
WF_API wf_status wf_hvp(wf_ctx *cx, const wf_program *f, const int *wrt, int n, const wf_program **out);
/* axes: for each input the axis that is the batch, or -1. Results are batched along axis 0. axis_name may be NULL;
 * collectives refer to it. size: of the batch; -1: a fresh symbol. */
WF_API wf_status wf_vmap(wf_ctx *cx, const wf_program *f, const int *axes, int n, const char *axis_name,
                         int64_t size, const wf_program **out);
/* The work divided among the devices of a mesh: the same inputs and results around one spmd, with collectives in it. mesh and specs
 * are as for wf_spmd_call; out_specs NULL: results lie as they come. Sizes must be numbers (wf_specialise). */
WF_API wf_status wf_spread(wf_ctx *cx, const wf_program *f, const char *mesh, const char *in_specs, const char *out_specs,
                           const wf_program **out);
/* What such a program costs each device. A device computes so many operations of contractions a second and moves so many bytes in
 * memory; an exchange between two takes the latency, and the time of its bytes on the link. Exchanges among n are rings or trees,
 * whichever is quicker. A field of the machine that is 0 makes what it stands for free. */
typedef struct wf_machine {
    size_t size; /* sizeof(wf_machine) */
    double flops, memory; /* a second; bytes a second */
    double latency, link; /* seconds; bytes a second */
} wf_machine;
typedef struct wf_mesh_cost {
    size_t size; /* sizeof(wf_mesh_cost) */
    int64_t devices;
    double flops, bytes, live_bytes;      /* of one device, as wf_cost */
    double sent_bytes, exchanges;         /* of one device; how many times it takes part in one */
    double compute_seconds, sent_seconds; /* predicted, one after the other */
} wf_mesh_cost;
/* WF_ERR_VALUE: the program is not one spmd. */
WF_API wf_status wf_program_mesh_cost(wf_ctx *cx, const wf_program *p, const wf_machine *machine, wf_mesh_cost *out_cost);
/* A drawing (SVG) of the mesh, and of which devices have which parts of inputs and results. */
WF_API wf_status wf_program_mesh_svg(wf_ctx *cx, const wf_program *p, const char **out_text);
/* Ahead of time: forward: x.. -> (y.., saved..), backward: (saved.., gy..) -> gx for wrt. Saves a minimum cut. */
WF_API wf_status wf_partition(wf_ctx *cx, const wf_program *f, const int *wrt, int n,
                          const wf_program **out_forward, const wf_program **out_backward);
/* Symbols replaced by sizes. */
WF_API wf_status wf_specialise(wf_ctx *cx, const wf_program *f, const char *const *symbols,
                               const int64_t *values, int n, const wf_program **out);
/* Inputs become constants: input which[i] has the numbers of arrays[i], which are copied. The others stay, in their order.
 * Sizes that stand in the shapes of bound inputs become numbers everywhere. Optimisation then computes what depends on
 * constants alone: bind the weights of a network that is only to be run. */
WF_API wf_status wf_bind(wf_ctx *cx, const wf_program *f, const int *which, wf_array *const *arrays, int n,
                         const wf_program **out);
/* The program in mixed precision: operands of products of f32 (dot_general, conv_general) are rounded to dtype, f16 or bf16;
 * sums, results and all else stay f32. Derivatives taken of it are in mixed precision, too. */
WF_API wf_status wf_mixed(wf_ctx *cx, const wf_program *f, wf_dtype dtype, const wf_program **out);
/* Equations nobody reads removed. */
WF_API wf_status wf_prune(wf_ctx *cx, const wf_program *f, const wf_program **out);
/* The same program, quicker to run: the passes of docs/passes.md up to and with `last` (NULL or "all": all of them;
 * up to "recognise", for the library; "onehot" to "straight": as wf_compile does it for this machine).
 * The result is for running: custom derivatives, checkpoints and stop_gradient are gone, so take gradients first.
 * Values are kept but for the last bit of some sums and powers. WF_ERR_NAME: there is no such pass. */
WF_API wf_status wf_optimise(wf_ctx *cx, const wf_program *f, const char *last, const wf_program **out);
/* The table of passes in order, each with what it requires, keeps and breaks, as text. */
WF_API wf_status wf_passes_text(wf_ctx *cx, const char **out_text);

/* ---- running -------------------------------------------------------------------------------------- */

/* A plan for a program: made once, run many times, from many threads at once (each with its own context). */
typedef struct wf_exec wf_exec;

WF_API wf_status wf_prepare(wf_ctx *cx, const wf_program *p, wf_exec **out_exec);
/* The same on a device: intermediate values, constants and results live there; inputs from elsewhere are copied. Steps
 * that the device has no kernel for are run by the host: their operands are copied out, their results in. The executable
 * belongs to contexts of the runtime that has the device. */
WF_API wf_status wf_prepare_on(wf_ctx *cx, const wf_program *p, wf_device *d, wf_exec **out_exec);
WF_API wf_device *wf_exec_device(const wf_exec *e);      /* borrowed */
WF_API int wf_exec_inputs(const wf_exec *e);             /* of its program */
WF_API int wf_exec_outputs(const wf_exec *e);
/* The same, optimised, with machine code made by the system's C compiler where there is one; code is cached between
 * processes. Without a compiler the optimised program is interpreted. Starts the compiler whatever options say.
 *   WF_COMPILE_EXACT   products and sums are rounded each for itself, as the interpreter does it */
enum { WF_COMPILE_EXACT = 1 };
WF_API wf_status wf_compile(wf_ctx *cx, const wf_program *p, unsigned flags, wf_exec **out_exec);
WF_API bool wf_exec_is_compiled(const wf_exec *e); /* has it machine code? */
/* What compilation makes of a program, to look at: the program with fused sub-programs, their loop nests, their C.
 *   target   what for: NULL or "cpu" this machine, "c" portable C. WF_ERR_NAME: there is no such target */
typedef enum wf_code_form { WF_CODE_FUSED, WF_CODE_KERNELS, WF_CODE_C } wf_code_form;
WF_API wf_status wf_program_code(wf_ctx *cx, const wf_program *p, wf_code_form form, const char *target,
                                 const char **out_text);
/* The same executable, where results may take the memory of these inputs, as parameters that a step of training
 * updates: a result of the size of an input, written when the input has been read for the last time, lies where
 * the input lay. Of each run:
 *   - Each donated array that the caller alone holds (one reference, memory that no other array shares, not
 *     wrapped, not passed twice) is gone when the run is over, even if no result had use for its memory, or the
 *     run failed half-way: wf_array_data gives NULL, and whatever else needs its elements WF_ERR_ARG ("was
 *     donated"). The handle is still to be released.
 *   - Any other is copied first, and stays as it is. */
WF_API wf_status wf_donate(wf_ctx *cx, wf_exec *e, const int *inputs, int n, wf_exec **out_exec);
/* Bytes of intermediate values for which the executable holds memory between runs. */
WF_API size_t wf_exec_memory(wf_exec *e);
WF_API wf_exec *wf_exec_retain(wf_exec *e);
WF_API void wf_exec_release(wf_exec *e); /* NULL is fine */
/* out: receives new arrays, to be released by the caller (all NULL after an error). */
WF_API wf_status wf_run(wf_ctx *cx, wf_exec *e, wf_array *const *in, int nin, wf_array **out, int nout);
/* The same with inputs by their names, in any order. WF_ERR_NAME: there is none of that name, or one comes twice. */
WF_API wf_status wf_run_named(wf_ctx *cx, wf_exec *e, const char *const *names, wf_array *const *in, int nin,
                              wf_array **out, int nout);
/* The same into arrays of the caller's: row-major, on the executable's device, writable, of the types of the results, and
 * sharing no memory with each other or with inputs (WF_ERR_ARG). After an error what they hold is not defined.
 * Executables that take donated inputs cannot. */
WF_API wf_status wf_run_into(wf_ctx *cx, wf_exec *e, wf_array *const *in, int nin, wf_array *const *out, int nout);

/* A call made ready, for loops that run one program many times: inputs stay until they are replaced, and results lie in the
 * same arrays every time as long as sizes stay the same and nobody else holds them. One thread at a time, with any context
 * of the runtime.
 *
 *     wf_runner_new(cx, e, &r);
 *     wf_runner_set(cx, r, 0, x);                             x is held; its numbers may change between runs
 *     while (more())
 *         if (wf_runner_run(cx, r) == WF_OK)
 *             use(wf_array_data(wf_runner_output(r, 0)));     until the next run */
typedef struct wf_runner wf_runner;
WF_API wf_status wf_runner_new(wf_ctx *cx, wf_exec *e, wf_runner **out_runner);
WF_API void wf_runner_free(wf_runner *r); /* NULL is fine */
WF_API wf_status wf_runner_set(wf_ctx *cx, wf_runner *r, int input, wf_array *a);
WF_API wf_status wf_runner_set_named(wf_ctx *cx, wf_runner *r, const char *name, wf_array *a);
WF_API wf_status wf_runner_run(wf_ctx *cx, wf_runner *r);
WF_API wf_array *wf_runner_output(const wf_runner *r, int i); /* borrowed; NULL before the first run */

/* Prepare, run once, release. */
WF_API wf_status wf_eval(wf_ctx *cx, const wf_program *p, wf_array *const *in, int nin, wf_array **out, int nout);
/* The same by the op table's own slow rules: the oracle that everything else is tested against. */
WF_API wf_status wf_eval_reference(wf_ctx *cx, const wf_program *p, wf_array *const *in, int nin, wf_array **out,
                                   int nout);

/* Where the time goes: the executable is run once to warm up, then as often as said, each step on the clock. */
typedef struct wf_profile wf_profile;
typedef struct wf_profile_step {
    const char *op;      /* "dot_general"; of a call, and of compiled code, the name of its program; with " (host)" behind it
                            where the host does it for a device */
    const char *program; /* the program it stands in */
    const char *type;    /* of its first result, "f32[64,512]" */
    const char *place;   /* "model.py:12", or "" */
    int64_t calls;       /* in all runs together, as the numbers that follow */
    double seconds;      /* without steps inside it */
    double flops, bytes; /* operations; operands and results */
} wf_profile_step;
WF_API wf_status wf_profile_new(wf_ctx *cx, wf_exec *e, wf_array *const *in, int nin, int runs,
                                wf_profile **out_profile);
/* The same of whatever runs on the context until wf_profile_end, a script say; only then the numbers can be asked for. */
WF_API wf_status wf_profile_begin(wf_ctx *cx, wf_profile **out_profile);
WF_API void wf_profile_end(wf_ctx *cx, wf_profile *p);
WF_API void wf_profile_free(wf_profile *p); /* NULL is fine; one that has begun is to be ended first */
WF_API int wf_profile_steps(const wf_profile *p);
WF_API const wf_profile_step *wf_profile_step_at(const wf_profile *p, int i); /* the dearest first; borrowed */
WF_API double wf_profile_seconds(const wf_profile *p); /* of one run, without the clock at each step */
WF_API int wf_profile_runs(const wf_profile *p);
/* When each step ran, in the order of their ends, up to 262144; and the memory of the process, about once in a millisecond. */
typedef struct wf_profile_event {
    int step;              /* its number; -1: there is no such event */
    int depth;             /* how many others it ran inside; -1: beside them, as exchanges with other processes do */
    double start, seconds; /* from the beginning; with steps inside it */
} wf_profile_event;
/* What threads of the pool did of steps that are shared with them, up to 262144 too. */
typedef struct wf_profile_share {
    int step;              /* its number; -1: there is no such share */
    int thread;            /* 1 or more; steps themselves are of the thread that runs the program, 0 */
    double start, seconds; /* from the beginning */
} wf_profile_share;
typedef struct wf_profile_sample {
    double at;
    size_t resident; /* bytes */
} wf_profile_sample;
WF_API int wf_profile_events(const wf_profile *p);
WF_API wf_profile_event wf_profile_event_at(const wf_profile *p, int i);
WF_API int wf_profile_shares(const wf_profile *p);
WF_API wf_profile_share wf_profile_share_at(const wf_profile *p, int i);
WF_API int wf_profile_samples(const wf_profile *p);
WF_API wf_profile_sample wf_profile_sample_at(const wf_profile *p, int i);

/* ---- models: what a file holds ----------------------------------------------------------------------- */

/* Programs by name (the methods), tensors by name, and metadata. */
typedef struct wf_model wf_model;

WF_API wf_status wf_model_new(wf_ctx *cx, wf_model **out_model);
/* Text (.wir), a .weft, safetensors or .npz file, or one of another system (docs/formats.md), whose readers a static program has if
 * it names wf_model_import or wf_model_parse_with anywhere; told apart by content. Tensors are memory-mapped. */
WF_API wf_status wf_model_load(wf_ctx *cx, const char *path, wf_model **out_model);
/* The same read into memory: for a file that others may shorten while the model is there, which mapped ends the process. */
WF_API wf_status wf_model_load_copy(wf_ctx *cx, const char *path, wf_model **out_model);
/* As wf_model_load, of a file of another system, with what it leaves open: for inputs by name a type ("f32[N,3]"; of those that have
 * no shape in the file), or numbers, which are then no input any more (those that say axes or sizes). types, values, and
 * entries of both may be NULL; an input that is a sequence takes all entries of its name. */
typedef struct wf_import_options {
    size_t size; /* sizeof(wf_import_options) */
    const char *const *names;
    const char *const *types;
    wf_array *const *values;
    int n; /* how many there are of each */
} wf_import_options;
WF_API wf_status wf_model_import(wf_ctx *cx, const char *path, const wf_import_options *options, wf_model **out_model);
/* The same from memory, which is copied; name is for messages. */
WF_API wf_status wf_model_parse(wf_ctx *cx, const char *name, const char *text, size_t size,
                                wf_model **out_model);
WF_API wf_status wf_model_parse_with(wf_ctx *cx, const char *name, const char *text, size_t size,
                                     const wf_import_options *options, wf_model **out_model);
/* As .weft, or as text where path ends in .wir (then it must have no tensors). Written beside the target and
 * renamed: the old file stays until the new one is complete. What a save that was killed has left beside it is removed. */
WF_API wf_status wf_model_save(wf_ctx *cx, wf_model *m, const char *path);
WF_API void wf_model_free(wf_model *m);

WF_API int wf_model_programs(const wf_model *m);
WF_API const wf_program *wf_model_program(const wf_model *m, int i); /* borrowed */
WF_API const wf_program *wf_model_find(const wf_model *m, const char *name); /* borrowed; NULL if absent */
WF_API wf_status wf_model_add(wf_ctx *cx, wf_model *m, const wf_program *p); /* replaces one of that name */
WF_API int wf_model_tensors(const wf_model *m);
WF_API const char *wf_model_tensor_name(const wf_model *m, int i);
WF_API wf_array *wf_model_tensor(const wf_model *m, int i); /* borrowed */
WF_API wf_array *wf_model_find_tensor(const wf_model *m, const char *name); /* borrowed; NULL if absent */
/* Of a tensor on a device the file gets a copy, and the device's name as metadata "device": `weft eval` runs the file's
 * programs there, or on the host with a note where there is no such device. */
WF_API wf_status wf_model_set_tensor(wf_ctx *cx, wf_model *m, const char *name, wf_array *a);
WF_API const char *wf_model_meta(const wf_model *m, const char *key); /* "" if absent */
WF_API bool wf_model_has_meta(const wf_model *m, const char *key);
WF_API wf_status wf_model_set_meta(wf_ctx *cx, wf_model *m, const char *key, const char *value);

/* Puts into the model the machine code that wf_compile of the program needs on a machine with that instruction set, "base",
 * "avx2" or "avx512", so that it runs at full speed where there is no C compiler. It is used where wf_options.file_code allows
 * it, and by this version of Weft alone. wf_model_compile does it for all methods.
 * WF_ERR_NAME: there is no such instruction set. WF_ERR_UNSUPPORTED: there is no C compiler here, or it fails. */
WF_API wf_status wf_model_add_code(wf_ctx *cx, wf_model *m, const wf_program *p, const char *isa);
/* Units of machine code in the model; of number i the instruction set ("" if there is none) and its bytes. */
WF_API int wf_model_codes(const wf_model *m);
WF_API const char *wf_model_code_isa(const wf_model *m, int i);
WF_API size_t wf_model_code_bytes(const wf_model *m, int i);
WF_API void wf_model_drop_code(wf_model *m); /* all of it */

/* ---- export: programs as C that stands alone ---------------------------------------------------------- */

typedef enum wf_export_weights { /* where the tensors of the model are, for the C */
    WF_EXPORT_IN_FILE, /* NAME_weights.c */
    WF_EXPORT_BLOB,    /* NAME.bin, one after the other; NAME_load, NAME_save */
    WF_EXPORT_TENSORS  /* a safetensors or .weft file that NAME_load reads from memory */
} wf_export_weights;

typedef struct wf_export_options { /* zeros are the defaults */
    size_t size;                   /* of the struct */
    const char *name;              /* of the files, and the beginning of public names; NULL: model */
    const char *const *methods;    /* programs of the model; none: all */
    int nmethods;
    const char *const *symbols;    /* sizes that are fixed .. */
    const int64_t *sizes;
    int nsizes;
    const char *const *most_symbols; /* .. or arguments up to a bound; NULL: all that are not named */
    const int64_t *most;
    int nmost;
    wf_export_weights weights;
    bool unpacked; /* filters of convolutions as the model has them: less memory, slower */
} wf_export_options;

/* NAME.h, NAME.c, NAME_main.c (an example) and a Makefile in the folder dir, which is made: C99 that needs libm and
 * nothing else, and allocates nothing. Each program is a function; tensors of the model are members of a struct of the
 * caller's; methods that change them (wf_module_add_method, wf_optim_add_step) change them there. docs/export.md.
 *
 * WF_ERR_UNSUPPORTED  an op that has no C (the error names it and its line)
 * WF_ERR_VALUE        a size is neither fixed nor bounded */
WF_API wf_status wf_export(wf_ctx *cx, const wf_model *model, const char *dir, const wf_export_options *options);
/* Why the op has no C; "": it has. */
WF_API const char *wf_export_refusal(const char *op);

/* ---- the op table, as data ------------------------------------------------------------------------------ */

typedef struct wf_op_info {
    size_t size; /* sizeof(wf_op_info) */
    const char *name, *family, *doc;
    int version, inputs, outputs; /* -1: any number */
    const char *flags;            /* as in ops.def: "P | L" */
    bool has_eval, has_jvp, has_transpose, has_batch;
    const char *why_no_jvp;       /* the flag that explains a hole, or "" */
} wf_op_info;
WF_API int wf_op_count(void);
WF_API wf_status wf_op_get(int i, wf_op_info *out_info); /* set size first. WF_ERR_INDEX: there is no such op */

/* Who does it on a GPU: "kernel" (generated code, with its neighbours), "native" (a kernel or library call of its own, or no
 * work at all), "host" (on copies); for most of its dtypes. "" in a build without GPUs. */
WF_API const char *wf_op_on_gpu(int i);

/* WF_VERSION and WF_ABI_VERSION of the library that is running, which may be newer than the header; a program works with every
 * library of its ABI number that is not older. */
WF_API const char *wf_version(void);
WF_API int wf_abi_version(void);
/* Version, instruction set and the optional features in this build, one per line. */
WF_API const char *wf_build_info(void);
/* What this machine reaches with the context's threads: f32 operations a second from registers, and bytes a second read
 * and written beyond the caches. Takes about a second. */
WF_API wf_status wf_machine_speed(wf_ctx *cx, double *out_flops, double *out_bytes);

/* ---- scripts ----------------------------------------------------------------------------------------- */

/* Run a file of the Python subset (docs/script.md) as the main program. argv: what the script finds in sys.argv,
 * its own name first. Output goes to standard output as the script prints it. An uncaught exception is the
 * context's error: place, Python's class name, message, line, caret, one note for each call around it.
 * out_exit (may be NULL): what sys.exit was given, else 0. wf_cancel stops it with KeyboardInterrupt. */
WF_API wf_status wf_script_run(wf_ctx *cx, const char *path, int argc, char **argv, int *out_exit);
/* The same with a module named as import names it, found in the working directory or in the folders of the
 * environment variable WEFT_PATH: a.b is a/b.py, or a/b/__main__.py of a package. */
WF_API wf_status wf_script_run_module(wf_ctx *cx, const char *name, int argc, char **argv, int *out_exit);
/* The programs that a script makes of graphs (functions of aesara, runs of a session, numflow, torch.compile): it is run
 * without its output, and each is named as it is there, with a number where there are several. */
WF_API wf_status wf_script_programs(wf_ctx *cx, const char *path, int argc, char **argv, wf_model **out_programs);

/* A script that comes piece by piece, as at a prompt. Names stay from piece to piece, and values of expressions are printed.
 * A piece is a line, or the lines of one statement: out_more says that there must be more of it (a bracket is open, or a
 * block is not ended by an empty line), and that nothing was run; then give all of it again with what follows. An exception
 * is the context's error, as with wf_script_run: report it, wf_clear, go on. out_exit: -1, or what sys.exit was given.
 * wf_cancel stops a piece with KeyboardInterrupt. As long as there is a prompt, its context is used by one thread. */
typedef struct wf_prompt wf_prompt;
WF_API wf_status wf_prompt_new(wf_ctx *cx, wf_prompt **out_prompt);
WF_API wf_status wf_prompt_run(wf_prompt *p, const char *text, size_t size, bool *out_more, int *out_exit);
/* What the name or the attribute at the end of text could be, one a line, sorted; "" if nothing is known. Lives until the
 * next call on p. */
WF_API const char *wf_prompt_complete(wf_prompt *p, const char *text, size_t size);
WF_API void wf_prompt_free(wf_prompt *p); /* runs what atexit has */

/* Parse and compile only; file is for messages. */
WF_API wf_status wf_script_check(wf_ctx *cx, const char *file, const char *text, size_t size);
/* The syntax tree as an S-expression: of one function, or with name NULL of the whole file. The text lives as
 * long as the context. */
WF_API wf_status wf_script_tree(wf_ctx *cx, const char *file, const char *text, size_t size,
                                const char *name, const char **out_text);

#ifdef __cplusplus
}
#endif

#include "weft_comm.h"   /* processes that run together */
#include "weft_tensor.h" /* tensors, recording, traces */
#include "weft_random.h" /* a generator with PyTorch's numbers */
#include "weft_nn.h"     /* modules, optimisers, data */
#include "weft_keys.h"   /* random numbers by key, tensors as text */
#endif
