/* weft.h -- the public interface of Weft, a deep-learning compiler and toolkit.
 *
 * Conventions
 *   names      functions wf_noun_verb or wf_verb, types wf_noun, constants WF_NAME
 *   context    wf_ctx comes first in every call that can fail. One context, one thread at a time;
 *              make as many contexts as there are threads. Programs, arrays and executables are
 *              immutable or atomically counted and may be shared between contexts and threads.
 *   errors     a function returns WF_OK or the status that is now also kept in the context, where
 *              the first error sticks until wf_clear. Out-parameters are set to NULL first.
 *   ownership  _new/_open -> _free/_close, _retain -> _release; a plain getter borrows.
 *              Strings in are copied, strings out are borrowed.
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

/* ---- context ------------------------------------------------------------------------------- */

typedef struct wf_ctx wf_ctx;

typedef struct wf_options {
    size_t size;            /* sizeof(wf_options), for the ABI */
    wf_allocator allocator; /* resize NULL: malloc */
    wf_log_fn log;          /* NULL: standard error */
    void *log_user;
    int threads; /* 0: as many as the machine has; 1: no worker threads */
    /* The host's own threads instead of Weft's: call task(task_user, i) for i in 0..n-1, on any
     * threads, and return when all are done. NULL: Weft's pool. */
    void (*parallel)(void *user, int n, void (*task)(void *task_user, int i), void *task_user);
    void *parallel_user;
} wf_options;

/* NULL options mean all defaults. Returns NULL only when memory is exhausted. */
WF_API wf_ctx *wf_ctx_new(const wf_options *options);
WF_API void wf_ctx_free(wf_ctx *cx);

WF_API wf_status wf_ctx_status(const wf_ctx *cx);
/* The whole diagnostic: place, kind, message, source line, caret, notes. "" when all is well. */
WF_API const char *wf_ctx_message(wf_ctx *cx);
WF_API void wf_clear(wf_ctx *cx);
/* Make the run in progress on cx stop soon with WF_ERR_CANCELLED. From any thread or a signal. */
WF_API void wf_cancel(wf_ctx *cx);

/* ---- dtypes -------------------------------------------------------------------------------- */

typedef enum wf_dtype {
    WF_INVALID = 0,
    WF_BOOL,
    WF_I8, WF_I16, WF_I32, WF_I64,
    WF_U8, WF_U16, WF_U32, WF_U64,
    WF_F16, WF_BF16, WF_F32, WF_F64,
    WF_C64, WF_C128,                         /* reserved: complex */
    WF_F8E4M3, WF_F8E5M2, WF_I4, WF_U4,      /* reserved */
    WF_DTYPE_COUNT
} wf_dtype;

WF_API const char *wf_dtype_name(wf_dtype dtype); /* "f32"; "invalid" for anything else */
WF_API size_t wf_dtype_size(wf_dtype dtype);      /* in bytes; 0 for reserved and invalid ones */

#ifdef __cplusplus
}
#endif
#endif
