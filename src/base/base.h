/* base.h -- what every layer stands on. Knows no tensors.
 *
 * Memory and out-of-memory
 *   Everything a compile makes lives in arenas. arena_alloc never returns NULL: when
 *   memory is exhausted it records WF_ERR_MEMORY in the context and jumps (longjmp) to
 *   the innermost api_enter, where the arenas and programs of the call are released. So
 *   code between api_enter and api_leave checks no allocation, and must hold nothing that
 *   is not in an arena, not in the context's pool (pool_defer) and not plain values.
 *   Every other error is a value: `return fail(cx, ...)`, which is always false.
 *   Code that runs outside such a region (buffers, the runtime's run path, the threads of
 *   the pool) uses mem_alloc, which returns NULL, and checks.
 */
#ifndef WEFT_BASE_H
#define WEFT_BASE_H

#include "weft.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

#if defined(__GNUC__)
#define PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#else
#define PRINTF(fmt, args)
#define UNLIKELY(x) (x)
#endif

/* ---- alloc.c: the replaceable allocator -------------------------------------------- */

extern const wf_allocator alloc_default; /* realloc/free */

void *mem_alloc(const wf_allocator *al, size_t size); /* NULL when memory is exhausted */
void mem_free(const wf_allocator *al, void *p, size_t size);

/* ---- arena.c: bump allocation, freed at once --------------------------------------- */

typedef struct ArenaBlock {
    struct ArenaBlock *prev;
    size_t size; /* of the whole block, header included */
} ArenaBlock;

typedef struct Arena {
    wf_allocator al;
    wf_ctx *cx;        /* whom to tell when memory is exhausted; NULL: return NULL */
    ArenaBlock *block; /* newest */
    char *at, *end;    /* free space of the newest block */
    size_t total;      /* bytes taken from the allocator */
} Arena;

typedef struct ArenaMark {
    ArenaBlock *block;
    char *at;
} ArenaMark;

void arena_init(Arena *a, const wf_allocator *al, wf_ctx *cx);
void arena_free(Arena *a); /* everything; the arena can be used again */
ArenaMark arena_mark(const Arena *a);
void arena_reset(Arena *a, ArenaMark mark); /* frees what was allocated since */
void arena_clear(Arena *a); /* everything, but the first block is kept for later use */
void *arena_alloc_slow(Arena *a, size_t size);
void *arena_dup(Arena *a, const void *p, size_t size);
char *arena_strdup(Arena *a, const char *s);
char *arena_printf(Arena *a, const char *fmt, ...) PRINTF(2, 3); /* no floats: locale */
char *arena_vprintf(Arena *a, const char *fmt, va_list ap);

/* 16-byte aligned, not zeroed. Size 0 gives a valid pointer. */
static inline void *arena_alloc(Arena *a, size_t size)
{
    size_t need = (size + !size + 15) & ~(size_t)15;

    if (UNLIKELY(need < size || need > (size_t)(a->end - a->at)))
        return arena_alloc_slow(a, size);
    a->at += need;
    return a->at - need;
}
void *arena_zalloc(Arena *a, size_t size);
/* n elements of the given size; if n*size overflows, memory is exhausted */
void *arena_array(Arena *a, size_t n, size_t size);

/* ---- inflate.c: deflate, RFC 1951 -------------------------------------------------- */

typedef struct Inflated {
    uint8_t *data; /* to be freed by mem_free, with room, after errors too */
    size_t size, room;
    size_t most; /* bytes that are wanted at most, more is WF_ERR_FORMAT; 0: any number */
    size_t used; /* of what was given: where the stream ended */
    bool (*go_on)(void *user); /* asked now and then; NULL: yes. No is WF_ERR_CANCELLED */
    void *user;
} Inflated;
/* The code's tables: of symbol 257 + i and distance symbol i, the first value and how many bits follow. */
extern const uint16_t deflate_length_base[29], deflate_far_base[30];
extern const uint8_t deflate_length_bits[29], deflate_far_bits[30];
/* WF_ERR_FORMAT: it is no deflate stream, or cut short; WF_ERR_MEMORY. */
wf_status inflate_bytes(const wf_allocator *al, const uint8_t *p, size_t n, Inflated *out);

/* ---- vec: growable arrays in an arena -------------------------------------------------
 *
 *   VEC(Val) outs = {0};              fields: v (elements), n (count), cap
 *   vec_push(arena, &outs, x);
 *   T *p = vec_extend(arena, &outs, k);       k more, uninitialised
 */
#define VEC(T)                                                                           \
    struct {                                                                             \
        T *v;                                                                            \
        uint32_t n, cap;                                                                 \
    }
#define vec_push(a, vec, x)                                                              \
    ((vec)->n == (vec)->cap                                                              \
         ? (void)((vec)->v = vec_grow(a, (vec)->v, (vec)->n, &(vec)->cap, 1,             \
                                      sizeof *(vec)->v))                                 \
         : (void)0,                                                                      \
     (vec)->v[(vec)->n++] = (x))
#define vec_extend(a, vec, k)                                                            \
    ((uint32_t)(k) > (vec)->cap - (vec)->n                                               \
         ? (void)((vec)->v = vec_grow(a, (vec)->v, (vec)->n, &(vec)->cap, (uint32_t)(k), \
                                      sizeof *(vec)->v))                                 \
         : (void)0,                                                                      \
     (vec)->n += (uint32_t)(k), (vec)->v + (vec)->n - (uint32_t)(k))
void *vec_grow(Arena *a, void *v, uint32_t n, uint32_t *cap, uint32_t extra, size_t elem);

/* ---- text.c: growable text --------------------------------------------------------- */

typedef struct Text {
    Arena *a;
    char *s; /* always NUL-terminated once anything was added */
    size_t n, cap;
} Text;

void text_init(Text *t, Arena *a);
void text_add(Text *t, const char *s);
void text_addn(Text *t, const char *s, size_t n);
void text_char(Text *t, char c);
void text_int(Text *t, int64_t v);
void text_printf(Text *t, const char *fmt, ...) PRINTF(2, 3); /* no floats: locale */
void text_vprintf(Text *t, const char *fmt, va_list args) PRINTF(2, 0);
void text_pad(Text *t, size_t column); /* spaces until the current line is that long */
const char *text_str(Text *t);         /* "" when empty */
/* "..." with \n \t \\ \" \xNN escapes; valid UTF-8 is kept as it is */
void text_quoted(Text *t, const char *s, size_t n);
int utf8_len(const char *s, size_t n); /* bytes of the character at s; 0: not UTF-8 */

/* ---- intern.c: equal strings become equal pointers --------------------------------- */

typedef struct Interner {
    Arena *a;
    const char **slots; /* open addressing, power of two */
    uint32_t n, cap;
} Interner;

void intern_init(Interner *in, Arena *a);
const char *intern_name(Interner *in, const char *s);
const char *intern_n(Interner *in, const char *s, size_t n);

/* ---- hash.c: 128-bit content hash -------------------------------------------------- */

typedef struct Hash {
    uint64_t lo, hi;
} Hash;

typedef struct Hasher {
    uint64_t a, b;    /* state */
    uint64_t n;       /* bytes so far */
    uint8_t tail[16]; /* bytes not yet mixed in */
} Hasher;

void hash_init(Hasher *h, uint64_t seed);
void hash_bytes(Hasher *h, const void *p, size_t n);
void hash_u64(Hasher *h, uint64_t v);
Hash hash_done(Hasher *h);
static inline bool hash_eq(Hash x, Hash y) { return x.lo == y.lo && x.hi == y.hi; }
uint32_t crc32_add(uint32_t crc, const void *data, size_t n); /* of zip and gzip; at first 0 */
/* A fast 64-bit mix for hash tables. */
static inline uint64_t hash_mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9E3779B97F4A7C15u;
    return h ^ (h >> 29);
}

/* ---- checked sizes, from files and shapes -------------------------------------------
 * Each returns false on overflow and leaves *out alone. */
static inline bool mul_i64(int64_t a, int64_t b, int64_t *out)
{
    int64_t r;
    if (__builtin_mul_overflow(a, b, &r))
        return false;
    *out = r;
    return true;
}
static inline bool add_i64(int64_t a, int64_t b, int64_t *out)
{
    int64_t r;
    if (__builtin_add_overflow(a, b, &r))
        return false;
    *out = r;
    return true;
}
static inline int64_t floordiv_i64(int64_t a, int64_t b) /* b > 0 */
{
    return a / b - (a % b < 0);
}

/* ---- dtype.c: element types, a row each -------------------------------------------- */

enum {
    DT_USED = 1,           /* values of it exist */
    DT_ARITHMETIC = 2,     /* + - * /: all but bool */
    DT_INTEGER = 4,        /* wraps; has bits and shifts */
    DT_SIGNED = 8,         /* has numbers below 0 */
    DT_INEXACT = 16,       /* rounds; has inf and NaN */
    DT_COMPLEX = 32,       /* two numbers */
    DT_ORDERED = 64,       /* < and its like, max, sort */
    DT_DIFFERENTIABLE = 128, /* has tangents */
    DT_STORAGE = 256         /* is moved and cast, nothing else */
};

typedef struct DtypeRow {
    const char *name;
    uint8_t bits;        /* of an element; below 8 it is the low half of a byte */
    uint8_t significand; /* whole numbers of so many bits are exact (of one part of a complex number) */
    uint16_t is;         /* DT_ .. */
    uint8_t wide;        /* of a storage dtype: the smallest with arithmetic that holds all its numbers */
} DtypeRow;

extern const DtypeRow dtype_table[WF_DTYPE_COUNT];
static inline const DtypeRow *dtype_row(wf_dtype t)
{
    return &dtype_table[(unsigned)t < WF_DTYPE_COUNT ? t : WF_INVALID];
}
/* Has it all of these? */
static inline bool dtype_is(wf_dtype t, unsigned what)
{
    return (dtype_row(t)->is & what) == what;
}
static inline bool dtype_is_usable(wf_dtype t) { return dtype_is(t, DT_USED); }
static inline bool dtype_is_arithmetic(wf_dtype t) { return dtype_is(t, DT_USED | DT_ARITHMETIC); }
static inline bool dtype_is_differentiable(wf_dtype t) { return dtype_is(t, DT_USED | DT_DIFFERENTIABLE); }
static inline bool dtype_is_int(wf_dtype t) { return dtype_is(t, DT_USED | DT_INTEGER); }
static inline bool dtype_is_signed(wf_dtype t) { return dtype_is(t, DT_USED | DT_INTEGER | DT_SIGNED); }
static inline bool dtype_is_unsigned(wf_dtype t) { return dtype_is_int(t) && !dtype_is(t, DT_SIGNED); }
/* A real number that rounds. */
static inline bool dtype_is_float(wf_dtype t)
{
    return dtype_is(t, DT_USED | DT_INEXACT) && !dtype_is(t, DT_COMPLEX);
}
static inline bool dtype_is_complex(wf_dtype t) { return dtype_is(t, DT_USED | DT_COMPLEX); }
/* A number that rounds, real or complex. */
static inline bool dtype_is_inexact(wf_dtype t) { return dtype_is(t, DT_USED | DT_INEXACT); }
static inline bool dtype_is_storage(wf_dtype t) { return dtype_is(t, DT_USED | DT_STORAGE); }
/* In which t's numbers are computed with; itself where it has arithmetic. */
static inline wf_dtype dtype_wide(wf_dtype t)
{
    return dtype_is_storage(t) ? (wf_dtype)dtype_row(t)->wide : t;
}
/* Of the parts of a complex number; of another dtype itself. */
static inline wf_dtype dtype_part(wf_dtype t)
{
    return t == WF_C64 ? WF_F32 : t == WF_C128 ? WF_F64 : t;
}
/* Whose parts hold t. */
static inline wf_dtype dtype_pair(wf_dtype t)
{
    return t == WF_F64 || t == WF_C128 ? WF_C128 : WF_C64;
}
/* 64 bits as 32 */
static inline wf_dtype dtype_narrowed(wf_dtype t)
{
    return t == WF_C128 ? WF_C64
           : t == WF_F64 ? WF_F32 : t == WF_I64 ? WF_I32 : t == WF_U64 ? WF_U32 : t;
}

double element_as_f64(wf_dtype dtype, const void *p); /* NaN of complex ones */
void element_from_f64(wf_dtype dtype, double x, void *out); /* integers modulo the dtype, floats rounded */

/* ---- number.c: numbers to and from text, in no locale ------------------------------ */

/* Shortest digits that read back to the same number: "1", "0.1", "1e+30", "-0", "inf",
 * "-inf", "nan". f32 variants give the shortest digits among floats. At most NUMBER_MAX
 * bytes with the NUL. Layout as Python's repr without the trailing ".0": positional for
 * 1e-4 <= |x| < 1e16, else exponent of at least two digits. Return the length. NaN
 * payloads are not shown here: ir/print.c writes them as bits. */
#define NUMBER_MAX 32
int number_f64(char *out, double x);
int number_f32(char *out, float x);
int number_f16(char *out, uint16_t bits);
int number_bf16(char *out, uint16_t bits);
int number_i64(char *out, int64_t x);
int number_u64(char *out, uint64_t x);
/* The decimal digits and exponent of the shortest form, for other layouts: value =
 * 0.d1d2.. * 10^*exp10. x finite and > 0. Returns the number of digits (at most 17). */
int number_digits_f64(double x, char digits[20], int *exp10);
int number_digits_f32(float x, char digits[20], int *exp10);

/* Read a number at s (not beyond end), correctly rounded, once, decimal or hexadecimal
 * with 0x (floats: C's hex form too), inf and nan, each with an optional sign. Returns
 * where it ends, or NULL when there is no number. Floats too large become inf, too small
 * 0. Integers out of range: NULL with *overflow set (it is false otherwise). */
const char *number_parse_f64(const char *s, const char *end, double *out);
const char *number_parse_f32(const char *s, const char *end, float *out);
const char *number_parse_f16(const char *s, const char *end, uint16_t *out_bits);
const char *number_parse_bf16(const char *s, const char *end, uint16_t *out_bits);
const char *number_parse_i64(const char *s, const char *end, int64_t *out,
                             bool *overflow);
const char *number_parse_u64(const char *s, const char *end, uint64_t *out,
                             bool *overflow);

/* Half floats, round to nearest even; denormals, inf and NaN payloads (top bits) kept. */
float f16_to_f32(uint16_t h);
uint16_t f16_from_f32(float x);
uint16_t f16_from_f64(double x); /* rounds once */
float bf16_to_f32(uint16_t h);
uint16_t bf16_from_f32(float x);
uint16_t bf16_from_f64(double x);
/* ---- eight.c: floats of 8 bits. Too large gives inf, or NaN where there is none. ---- */
float f8_to_f32(wf_dtype dtype, uint8_t code);
uint8_t f8_from_f32(wf_dtype dtype, float x);
bool f8_is_nan(wf_dtype dtype, uint8_t code);

/* ---- error.c: places, diagnostics, the context ------------------------------------- */

/* Where something stands in a source file. line 0: nowhere. */
typedef struct Place {
    const char *file; /* borrowed from whoever made the place; copied by fail */
    uint32_t line, col; /* from 1; col counts bytes */
    uint32_t len;     /* of the underlined part in bytes; 0: a bare caret */
    const char *via;  /* the transform that made it ("grad", "vmap/jvp"), or NULL */
} Place;

#define NOWHERE ((Place){0})

typedef struct Source { /* a text whose lines can be shown under an error */
    const char *name;
    const char *text;
    size_t size;
} Source;

/* Record an error in cx, if it is the first. Always false. The message says "what: found,
 * needed". No floats in fmt (locale): format them with number_f64. */
bool fail(wf_ctx *cx, wf_status status, Place place, const char *fmt, ...) PRINTF(4, 5);
bool fail_list(wf_ctx *cx, wf_status status, Place place, const char *fmt, va_list ap);
/* The same with words of its own in place of the status's name, such as "ValueError". */
bool fail_kind(wf_ctx *cx, wf_status status, const char *kind, Place place,
               const char *fmt, ...) PRINTF(5, 6);
/* Add "place: note: text" to the recorded error. Always false. */
bool fail_note(wf_ctx *cx, Place place, const char *fmt, ...) PRINTF(3, 4);
/* Record WF_ERR_MEMORY, with no need for memory. Always false. For code outside regions
 * whose mem_alloc gave NULL. */
bool fail_memory(wf_ctx *cx);
static inline bool failed(const wf_ctx *cx);

/* Copies; a later source of the same name hides the earlier. */
void ctx_add_source(wf_ctx *cx, const char *name, const char *text, size_t size);
const Source *ctx_find_source(const wf_ctx *cx, const char *name);
void ctx_log(wf_ctx *cx, wf_log_level level, const char *fmt, ...) PRINTF(3, 4);

/* Something the current call made, released when the outermost api_leave comes, by
 * fn(obj). */
typedef struct Deferred {
    void (*fn)(void *obj);
    void *obj;
} Deferred;

/* Protected regions. Public functions that compile are written so:
 *
 *   wf_status wf_grad(wf_ctx *cx, ...)
 *   {
 *       API_ENTER(cx);             returns WF_ERR_MEMORY from here if memory runs out
 *       ... arenas, builders; no checks of allocations ...
 *       API_RETURN(cx);            drains the pool, returns the context's status
 *   }
 * Regions nest; inner ones pass the jump on to the outermost. On entry with a sticky
 * error API_ENTER returns that status at once. */
typedef struct Region {
    jmp_buf jump;
    struct Region *outer;
    uint32_t pool_mark;
    int calls; /* of the context, with this one */
    ArenaMark scratch_mark;
} Region;

bool api_enter_(wf_ctx *cx,
                Region *r); /* false: another thread is in a call, which is told, too */
wf_status api_leave(wf_ctx *cx, Region *r);
/* After the jump: drains, then passes it on or returns. */
wf_status api_out_of_memory(wf_ctx *cx, Region *r);
_Noreturn void ctx_out_of_memory(wf_ctx *cx); /* record and jump */

#define API_ENTER(cx)                                                                    \
    Region region_;                                                                      \
    if (failed(cx))                                                                      \
        return ctx_status(cx);                                                           \
    if (!api_enter_(cx, &region_))                                                       \
        return WF_ERR_ARG;                                                               \
    if (setjmp(region_.jump))                                                            \
    return api_out_of_memory(cx, &region_)
#define API_RETURN(cx) return api_leave(cx, &region_)

/* A call in progress, by one thread: regions are, whatever is longer than one, as a script, and what changes the context
 * outside of regions. They nest. */
static inline bool ctx_call_begin(wf_ctx *cx); /* false: another thread is in one, and is told when that ends */
static inline void ctx_call_end(wf_ctx *cx);
/* Is another thread in a call of the context? Then it is told when that ends. Asked by what changes the context outside
 * a region: errors, settings, scopes. */
static inline bool ctx_elsewhere(const wf_ctx *cx);

/* Run fn(obj) when the outermost region ends, or on out-of-memory. Takes care of obj even
 * if it cannot be registered. */
void pool_defer(wf_ctx *cx, void (*fn)(void *obj), void *obj);

#define CTX_NOTES 12
typedef struct Diagnostic {
    Place place;
    const char *text;
    const char *kind; /* in place of the status's name, or NULL */
} Diagnostic;

struct Pool;

struct wf_ctx {
    wf_allocator al;
    wf_log_fn log;
    void *log_user;

    wf_status status;                /* the first error, sticky */
    Diagnostic error;                /* texts live in errors */
    Diagnostic notes[CTX_NOTES];
    int nnotes;                      /* of which the first CTX_NOTES are kept */
    Arena errors;                    /* cx NULL inside: falls back to a fixed text */
    const char *rendered;            /* by wf_ctx_message, in errors */

    Arena scratch;                   /* reset when the outermost region ends */
    Region *region;                  /* innermost */
    VEC(Deferred) pool;              /* in scratch-independent memory, see error.c */
    Arena answer;                    /* the text that the last call gave; see answer_init */
    Arena sources_arena;
    VEC(Source) sources;

    wf_runtime *runtime;             /* what it shares with others; found at need */
    struct Queue *queues;            /* its own, of each device it has used */
    void (*queues_free)(wf_ctx *cx);
    struct Pool *threads;            /* the runtime's; found at need */
    wf_options options;
    volatile int cancelled;          /* set by wf_cancel; runs look at it */
    volatile int calls;   /* in progress, one inside the other: what wf_cancel is for */
    void *caller;         /* the thread that is in them; see ctx_call_begin */
    volatile int crossed; /* another thread came in between */
    const wf_semantics *semantics;   /* what functions mean: own_semantics, or those of a front */
    wf_semantics own_semantics;
    struct Tensors *tensors;         /* of the tensor interface, made at need */
    void (*tensors_free)(wf_ctx *cx);
    struct wf_profile *profile;      /* under way, or NULL */
    void (*profile_leave)(wf_ctx *cx); /* it stays, the context goes */
    struct Comm *comm;               /* it runs as one of several devices, or NULL */
    /* The print op: a value (Nd) in a library's style, in a, or NULL; and where a line goes. */
    const char *(*print_value)(wf_ctx *cx, const char *style, const void *nd, Arena *a);
    void (*print_line)(void *user, const char *text); /* NULL: to standard output */
    void *print_user;
    /* host and callback ops whose name is no kernel's: a function of the script that runs here. What it fails by is in cx. */
    wf_status (*call_back)(wf_ctx *cx, void *user, const char *name, const wf_kernel_value *in, int nin,
                           wf_kernel_value *out, int nout);
    void *call_user;
    struct Coder *coder;             /* the C compiler and its cache, made at need */
    void (*coder_free)(wf_ctx *cx);
};

extern const wf_semantics semantics_plain; /* of a new context */
/* One address for each thread. */
extern _Thread_local char this_thread __attribute__((tls_model("initial-exec")));
static inline bool ctx_in_call(const wf_ctx *cx) /* this thread */
{
    return cx && __atomic_load_n(&cx->caller, __ATOMIC_RELAXED) == &this_thread;
}
bool ctx_first_call(wf_ctx *cx);
void ctx_last_end(wf_ctx *cx);
static inline bool ctx_call_begin(wf_ctx *cx)
{
    if (!ctx_in_call(cx))
        return ctx_first_call(cx);
    __atomic_store_n(&cx->calls, cx->calls + 1, __ATOMIC_RELAXED);
    return true;
}
static inline void ctx_call_end(wf_ctx *cx)
{
    if (cx->calls == 1)
        ctx_last_end(cx);
    else
        __atomic_store_n(&cx->calls, cx->calls - 1, __ATOMIC_RELAXED);
}
/* IN_CALL(cx);  the rest of the block is a call; if (!in_call_): it may not be. */
static inline wf_ctx *call_enter_(wf_ctx *cx) { return cx && ctx_call_begin(cx) ? cx : NULL; }
static inline void call_leave_(wf_ctx **cx)
{
    if (*cx)
        ctx_call_end(*cx);
}
#define IN_CALL(cx) __attribute__((cleanup(call_leave_), unused)) wf_ctx *in_call_ = call_enter_(cx)
bool ctx_is_elsewhere(const wf_ctx *cx); /* of one that some thread is in */
static inline bool ctx_elsewhere(const wf_ctx *cx)
{
    void *caller = __atomic_load_n(&cx->caller, __ATOMIC_RELAXED);

    return caller && caller != &this_thread && ctx_is_elsewhere(cx);
}

/* No context is a failed one: whoever gets NULL does nothing. */
static inline bool failed(const wf_ctx *cx) { return !cx || cx->status != WF_OK; }
/* What a call gives: that of one that came while another thread was in the context is none of the context's. */
static inline wf_status ctx_status(const wf_ctx *cx)
{
    return cx && !ctx_elsewhere(cx) ? cx->status : WF_ERR_ARG;
}
/* What callers of public functions may have wrong. Each is a condition, false with WF_ERR_ARG in its function's name:
 *   NEEDS(c, condition)   the context is there and well, and what is asked of arguments holds
 *   SET_OUT(c, out)       there is a pointer to give a result to, which is NULL from now on
 *   has_n(v, n)           n things at v: a count is 0 or more, and NULL holds none
 *   has_count(..)         the count that came with v is the wanted one; else the message says both */
bool arg_fail(wf_ctx *cx, const char *fn, const char *needs);
bool has_count(wf_ctx *cx, const char *fn, const char *what, const void *v, int64_t n,
               int64_t wanted);
static inline bool has_n(const void *v, int64_t n) { return n == 0 || (v && n > 0); }
#define NEEDS(c, condition)                                                              \
    ((!failed(c) && !ctx_elsewhere(c) && (condition)) ||                                \
     arg_fail(c, __func__, #condition))
#define SET_OUT(c, out)                                                                  \
    ((out) ? (*(out) = NULL, !failed(c) && !ctx_elsewhere(c))                            \
           : arg_fail(c, __func__, #out))
/* A text that a public call gives out: it lives until the next one. Inside a region. */
static inline void answer_init(Text *t, wf_ctx *cx)
{
    arena_clear(&cx->answer);
    text_init(t, &cx->answer);
}
/* Has wf_cancel been called? Runs ask between pieces of work, from any thread. */
static inline bool cancelled(const wf_ctx *cx)
{
    return UNLIKELY(__atomic_load_n(&cx->cancelled, __ATOMIC_RELAXED) != 0);
}

/* ---- diagnostic.c: what an error looks like ---------------------------------------- */

/* The whole diagnostic of a failed context. Parts that find no memory are left out. */
void diagnostic_render(wf_ctx *cx, Text *t);
/* "did you mean": the candidate nearest to name by edit distance, or NULL if none is. */
const char *nearest_name(const char *name, const char *const *candidates, int n);

/* ---- threads.c: the pool ----------------------------------------------------------- */

typedef struct Pool Pool;

/* threads 0: one per core. NULL when memory is exhausted; pool_run takes that too. */
#define THREADS_MAX 1024
Pool *pool_new(const wf_allocator *al, int threads);
/* The same on the host's threads, unless parallel is NULL. */
Pool *pool_new_with(const wf_allocator *al, int threads,
                    void (*parallel)(void *user, int n,
                                     void (*task)(void *task_user, int i),
                                     void *task_user),
                    void *parallel_user);
void pool_free(Pool *p);
int pool_threads(const Pool *p); /* the caller's thread included; 1 for NULL */
/* fn(user, i) for i in 0..n-1 on the pool and the caller's thread; returns when all are
 * done. A caller that finds the pool busy, or is itself inside a task, does its own work.
 * p may be NULL. Safe after fork: the child's workers are made anew. Which thread runs
 * which i is not defined: results must not depend on it. */
void pool_run(Pool *p, int n, void (*fn)(void *user, int i), void *user);
/* The same on no more than so many threads at once, the caller's included. */
void pool_run_most(Pool *p, int most, int n, void (*fn)(void *user, int i), void *user);

/* What workers did of the jobs that this thread brought: between two moments, thread 1 or a later one of its pool. */
typedef struct PoolSpan {
    double start, end;
    int thread;
} PoolSpan;
typedef struct PoolWatch {
    PoolSpan *v;
    uint32_t room;
    _Atomic uint32_t n; /* spans there were; what is past room is not in v */
} PoolWatch;
PoolWatch *pool_watch(PoolWatch *w); /* of this thread from now on; NULL: no more. The one before */

/* ---- shared.c: what contexts share ------------------------------------------------- */

/* The context's runtime, found or made at first use; NULL when memory is exhausted. */
wf_runtime *ctx_runtime(wf_ctx *cx);
/* Kernels that the host registered, by name, as long as the runtime lives. Add: NULL, or why not. */
const char *runtime_add_kernel(wf_runtime *r, const wf_kernel *k);
const wf_kernel *runtime_find_kernel(wf_runtime *r, const char *name); /* NULL: there is none */
/* Machine code that files brought, copied. Find: NULL if there is none; a key of 0: is there any? */
bool runtime_add_code(wf_runtime *r, Hash key, const void *bytes, size_t size);
const void *runtime_find_code(wf_runtime *r, Hash key, size_t *out_size);
/* Its pool, made at first use; the host's threads if it gave any; NULL: none. */
Pool *ctx_threads(wf_ctx *cx);
/* How many threads the context's work is split for; 0: as many as there are cores. */
int ctx_wish(const wf_ctx *cx);
void ctx_set_wish(wf_ctx *cx, int threads); /* from the next run on */
const wf_allocator *runtime_allocator(const wf_runtime *r);
/* Devices beside the host, which has the number 0. close is called when the runtime goes,
 * and is the same for all. Gives the device's number; 0: there are too many. */
#define DEVICES_MOST 64
int runtime_add_device(wf_runtime *r, wf_device *d, void (*close)(wf_device *d));
/* find adds those there are, once, unless some were added before. */
void runtime_find_devices(wf_ctx *cx, wf_runtime *r,
                          void (*find)(wf_ctx *cx, wf_runtime *r));
int runtime_devices(wf_runtime *r);
/* Said by find: why there is none, or one less; all that was said, for messages. */
void runtime_miss_device(wf_runtime *r, const char *fmt, ...) PRINTF(2, 3);
const char *runtime_missing(const wf_runtime *r);
wf_device *runtime_device(wf_runtime *r, int ordinal);

/* ---- machine.c: CPU features, clock ------------------------------------------------ */

typedef enum Isa { ISA_BASE, ISA_AVX2, ISA_AVX512, ISA_COUNT } Isa;

Isa cpu_isa(void);           /* the best there is; WEFT_ISA=base|avx2|avx512 lowers it */
Isa isa_lowered(Isa best, const char *wish); /* what cpu_isa makes of WEFT_ISA */
const char *isa_name(Isa isa);
/* Cores this process may use: by its mask, and by the share that its control groups grant
 * (asked once), rounded up. */
int cpu_count(void);
/* The share alone, from a file like /proc/self/cgroup and the root of the hierarchies; 0:
 * there is no limit. */
int cgroup_cpus(const char *membership, const char *root);
/* How far down recursion may use this thread's stack, a quarter of it spared; NULL: not known, or it is small. */
const char *cpu_stack_floor(void);
size_t memory_available(void); /* bytes a program can still have */
uint64_t cpu_features(void); /* a hash of what the processor can do, for keys */
double clock_seconds(void);  /* monotonic */

#endif
