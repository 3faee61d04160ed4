/* error.c -- the context: life, first error, sources, log, protected regions, pool.
 *
 * Errors can be recorded when no memory is left: the context is born with a block for
 * their texts, and what does not fit is replaced by a fixed text. The deferred list is
 * kept outside all arenas and grows before the thing to defer is needed, so that running
 * out of memory finds all of it.
 */
#include "base.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#define NO_ROOM "(no memory left to describe it)"

static const struct {
    wf_status status;
    const char *name;
} status_names[] = {
    {WF_OK, "ok"},
    {WF_ERR_SYNTAX, "syntax error"},
    {WF_ERR_NAME, "name error"},
    {WF_ERR_TYPE, "type error"},
    {WF_ERR_SHAPE, "shape error"},
    {WF_ERR_VALUE, "value error"},
    {WF_ERR_INDEX, "index error"},
    {WF_ERR_NORULE, "no rule"},
    {WF_ERR_GUARD, "guard failed"},
    {WF_ERR_ASSERT, "assertion failed"},
    {WF_ERR_LIMIT, "limit exceeded"},
    {WF_ERR_FORMAT, "format error"},
    {WF_ERR_ARG, "wrong argument"},
    {WF_ERR_MEMORY, "out of memory"},
    {WF_ERR_IO, "input/output error"},
    {WF_ERR_CANCELLED, "cancelled"},
    {WF_ERR_UNSUPPORTED, "not supported"},
    {WF_ERR_DEVICE, "device error"},
    {WF_ERR_COMM, "error of several processes"},
    {WF_ERR_INTERNAL, "internal error"},
};

const char *wf_status_name(wf_status status)
{
    int i;

    for (i = 0; i < COUNT(status_names); i++)
        if (status_names[i].status == status)
            return status_names[i].name;
    return "unknown status";
}

/* ---- life -------------------------------------------------------------------------- */

#define OPTIONS_SIZE_MAX 4096 /* a larger size field was never set */

/* The fields the caller's version of the struct has; defaults for the others. NULL, or
 * what is wrong. */
static const char *read_options(wf_options *to, const wf_options *from)
{
    *to = (wf_options){.size = sizeof *to, .allocator = alloc_default};
    if (!from)
        return NULL;
    if (from->size < sizeof from->size || from->size > OPTIONS_SIZE_MAX)
        return "wf_ctx_new: wf_options.size is not set; it needs sizeof(wf_options)";
    memcpy(to, from, MIN(from->size, sizeof *to));
    to->size = sizeof *to;
    if (!to->allocator.resize)
        to->allocator = to->runtime ? *runtime_allocator(to->runtime) : alloc_default;
    if (to->runtime && to->parallel)
        return "wf_ctx_new: wf_options.parallel is given, but the runtime has its "
               "threads";
    if (to->threads < 0) {
        to->threads = 0;
        return "wf_ctx_new: wf_options.threads is negative; it needs 0 or more";
    }
    return NULL;
}

const wf_semantics semantics_plain = {
    .size = sizeof(wf_semantics), .promotion = WF_PROMOTE_TORCH, .default_float = WF_F32};

wf_ctx *wf_ctx_new(const wf_options *options)
{
    wf_options opt;
    const char *wrong = read_options(&opt, options);
    wf_ctx *cx = mem_alloc(&opt.allocator, sizeof *cx);

    if (!cx)
        return NULL;
    *cx = (wf_ctx){.al = opt.allocator,
                   .log = opt.log,
                   .log_user = opt.log_user,
                   .options = opt,
                   .semantics = &semantics_plain,
                   .runtime = wf_runtime_retain(opt.runtime)};
    arena_init(&cx->errors, &cx->al, NULL);
    arena_init(&cx->scratch, &cx->al, cx);
    arena_init(&cx->answer, &cx->al, cx);
    arena_init(&cx->sources_arena, &cx->al, cx);
    if (!arena_alloc(&cx->errors, 0)) {
        wf_ctx_free(cx);
        return NULL;
    }
    if (wrong)
        fail(cx, WF_ERR_ARG, NOWHERE, "%s", wrong);
    return cx;
}

static void drain_pool(wf_ctx *cx, uint32_t mark)
{
    while (cx->pool.n > mark) {
        Deferred d = cx->pool.v[--cx->pool.n];

        d.fn(d.obj);
    }
}

void wf_ctx_free(wf_ctx *cx)
{
    wf_allocator al;

    if (!cx)
        return;
    al = cx->al;
    if (cx->tensors)
        cx->tensors_free(cx);
    if (cx->coder)
        cx->coder_free(cx);
    if (cx->profile)
        cx->profile_leave(cx);
    drain_pool(cx, 0);
    if (cx->queues)
        cx->queues_free(cx);
    wf_runtime_release(cx->runtime);
    mem_free(&al, cx->pool.v, cx->pool.cap * sizeof *cx->pool.v);
    arena_free(&cx->scratch);
    arena_free(&cx->answer);
    arena_free(&cx->sources_arena);
    arena_free(&cx->errors);
    mem_free(&al, cx, sizeof *cx);
}

void wf_cancel(wf_ctx *cx)
{
    if (cx && __atomic_load_n(&cx->calls, __ATOMIC_RELAXED))
        __atomic_store_n(&cx->cancelled, 1, __ATOMIC_RELAXED);
}

/* ---- one thread at a time ----------------------------------------------------------- */

#define CROSSED "the context was used by two threads at once"

_Thread_local char this_thread;

/* The one that came later does nothing; the other goes on, and gets the error when its call ends. */
static void set_crossed(wf_ctx *cx) { __atomic_store_n(&cx->crossed, 1, __ATOMIC_RELAXED); }

bool ctx_is_elsewhere(const wf_ctx *cx)
{
    void *caller = __atomic_load_n(&cx->caller, __ATOMIC_RELAXED);

    if (!caller || caller == &this_thread)
        return false;
    set_crossed((wf_ctx *)(uintptr_t)cx);
    return true;
}

/* ---- the first error --------------------------------------------------------------- */

wf_status wf_ctx_status(const wf_ctx *cx)
{
    return cx && __atomic_load_n(&cx->crossed, __ATOMIC_RELAXED) ? WF_ERR_ARG : ctx_status(cx);
}

void wf_clear(wf_ctx *cx)
{
    IN_CALL(cx);
    if (!in_call_)
        return;
    __atomic_store_n(&cx->crossed, 0, __ATOMIC_RELAXED);
    arena_clear(&cx->errors);
    cx->status = WF_OK;
    cx->error = (Diagnostic){0};
    cx->nnotes = 0;
    cx->rendered = NULL;
    __atomic_store_n(&cx->cancelled, 0, __ATOMIC_RELAXED);
}

static Diagnostic keep_diagnostic(wf_ctx *cx, Place place, const char *fmt, va_list ap)
{
    const char *text = arena_vprintf(&cx->errors, fmt, ap);

    if (place.file && !(place.file = arena_strdup(&cx->errors, place.file)))
        place.line = 0;
    if (place.via)
        place.via = arena_strdup(&cx->errors, place.via);
    return (Diagnostic){place, text ? text : NO_ROOM, NULL};
}

bool fail_list(wf_ctx *cx, wf_status status, Place place, const char *fmt, va_list ap)
{
    IN_CALL(cx);
    if (!in_call_ || failed(cx))
        return false;
    assert(status != WF_OK);
    cx->error = keep_diagnostic(cx, place, fmt, ap);
    cx->status = status == WF_OK ? WF_ERR_INTERNAL : status;
    cx->nnotes = 0;
    cx->rendered = NULL;
    return false;
}

bool fail(wf_ctx *cx, wf_status status, Place place, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    fail_list(cx, status, place, fmt, ap);
    va_end(ap);
    return false;
}

bool fail_kind(wf_ctx *cx, wf_status status, const char *kind, Place place,
               const char *fmt, ...)
{
    va_list ap;

    IN_CALL(cx);
    if (!in_call_ || failed(cx))
        return false;
    va_start(ap, fmt);
    fail_list(cx, status, place, fmt, ap);
    va_end(ap);
    cx->error.kind = arena_strdup(&cx->errors, kind);
    return false;
}

bool fail_memory(wf_ctx *cx)
{
    IN_CALL(cx);
    if (!in_call_ || failed(cx))
        return false;
    cx->error = (Diagnostic){.text = ""};
    cx->status = WF_ERR_MEMORY;
    cx->nnotes = 0;
    cx->rendered = NULL;
    return false;
}

bool fail_note(wf_ctx *cx, Place place, const char *fmt, ...)
{
    va_list ap;

    IN_CALL(cx);
    if (!in_call_ || !failed(cx))
        return false;
    va_start(ap, fmt);
    if (cx->nnotes < CTX_NOTES)
        cx->notes[cx->nnotes] = keep_diagnostic(cx, place, fmt, ap);
    cx->nnotes += cx->nnotes < INT32_MAX;
    va_end(ap);
    cx->rendered = NULL;
    return false;
}

/* A condition for readers of the headers: has_n(x, nx) is x[nx]. */
static void write_condition(const char *s, char *to, size_t room)
{
    int depth = 0; /* of parentheses, within a has_n */

    for (const char *end = to + room - 1; *s && to < end; s++) {
        bool inside = depth > 0;

        if (!inside && strncmp(s, "has_n(", 6) == 0) {
            s += 5;
            depth = 1;
            continue;
        }
        depth += inside ? (*s == '(') - (*s == ')') : 0;
        *to++ = depth == 1 && *s == ',' ? '[' : inside && depth == 0 ? ']' : *s;
        s += depth == 1 && *s == ',';
    }
    *to = '\0';
}

bool arg_fail(wf_ctx *cx, const char *fn, const char *needs)
{
    char condition[200];

    if (failed(cx))
        return false;
    write_condition(needs, condition, sizeof condition);
    return fail(cx, WF_ERR_ARG, NOWHERE, "%s: needs %s", fn, condition);
}

bool has_count(wf_ctx *cx, const char *fn, const char *what, const void *v, int64_t n,
               int64_t wanted)
{
    if (failed(cx) || n != wanted)
        return !failed(cx) && fail(cx, WF_ERR_ARG, NOWHERE, "%s: needs %lld %s, got %lld",
                                   fn, (long long)wanted, what, (long long)n);
    return has_n(v, n) || fail(cx, WF_ERR_ARG, NOWHERE, "%s: needs %lld %s, got NULL", fn,
                               (long long)wanted, what);
}

wf_status wf_raise(wf_ctx *cx, wf_status status, const char *text)
{
    if (cx)
        fail(cx, status == WF_OK ? WF_ERR_ARG : status, NOWHERE, "%s", text ? text : "");
    return ctx_status(cx);
}

void *wf_memory(wf_ctx *cx, void *ptr, size_t old_size, size_t new_size)
{
    bool elsewhere = cx && ctx_elsewhere(cx); /* what there is can still be freed */
    void *p = cx && (elsewhere ? ptr && !new_size : ptr || new_size)
                  ? cx->al.resize(cx->al.user, ptr, old_size, new_size)
                  : NULL;

    if (cx && !p && new_size)
        fail_memory(cx);
    return p;
}

void wf_note(wf_ctx *cx, const char *text)
{
    fail_note(cx, NOWHERE, "%s", text ? text : "");
}

const char *wf_ctx_message(wf_ctx *cx)
{
    Text t;

    IN_CALL(cx);
    if (cx && !in_call_)
        return CROSSED;
    if (!cx || !failed(cx))
        return "";
    if (cx->rendered)
        return cx->rendered;
    text_init(&t, &cx->errors);
    diagnostic_render(cx, &t);
    if (t.a)
        return cx->rendered = text_str(&t);
    return cx->error.text[0] ? cx->error.text : wf_status_name(cx->status);
}

/* ---- sources, log ------------------------------------------------------------------ */

const Source *ctx_find_source(const wf_ctx *cx, const char *name)
{
    uint32_t i;

    for (i = cx->sources.n; i > 0; i--)
        if (strcmp(cx->sources.v[i - 1].name, name) == 0)
            return &cx->sources.v[i - 1];
    return NULL;
}

/* A later source of the same name hides the earlier one. */
void ctx_add_source(wf_ctx *cx, const char *name, const char *text, size_t size)
{
    const Source *old = ctx_find_source(cx, name);
    Arena *a = &cx->sources_arena;
    Source src = {.size = size};

    if (old && old->size == size && (size == 0 || memcmp(old->text, text, size) == 0))
        return;
    if (cx->sources.n == cx->sources.cap) {
        Source *v =
            vec_grow(a, cx->sources.v, cx->sources.n, &cx->sources.cap, 1, sizeof src);

        if (!v)
            return;
        cx->sources.v = v;
    }
    if ((src.name = arena_strdup(a, name)) && (src.text = arena_dup(a, text, size)))
        cx->sources.v[cx->sources.n++] = src;
}

static void log_to_stderr(wf_log_level level, const char *text)
{
    static const char *const kinds[] = {"", "", "warning: ", "error: "};

    if (level != WF_LOG_DEBUG)
        fprintf(stderr, "weft: %s%s\n", kinds[MIN((unsigned)level, WF_LOG_ERROR)], text);
}

void ctx_log(wf_ctx *cx, wf_log_level level, const char *fmt, ...)
{
    char text[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    for (char *s = text; *s; s++) /* names of foreign files are not to be obeyed by a terminal */
        if ((unsigned char)*s < 0x20 && *s != '\n' && *s != '\t')
            *s = '?';
    if (cx->log)
        cx->log(cx->log_user, level, text);
    else
        log_to_stderr(level, text);
}

/* ---- protected regions ------------------------------------------------------------- */

bool ctx_first_call(wf_ctx *cx)
{
    void *nobody = NULL;

    if (!__atomic_compare_exchange_n(&cx->caller, &nobody, &this_thread, false,
                                     __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
        set_crossed(cx);
        return false;
    }
    __atomic_store_n(&cx->cancelled, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&cx->calls, 1, __ATOMIC_RELAXED);
    return true;
}

void ctx_last_end(wf_ctx *cx)
{
    if (__atomic_load_n(&cx->crossed, __ATOMIC_RELAXED)) {
        wf_clear(cx);
        fail(cx, WF_ERR_ARG, NOWHERE, CROSSED);
    }
    __atomic_store_n(&cx->calls, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&cx->caller, NULL, __ATOMIC_RELEASE);
}

bool api_enter_(wf_ctx *cx, Region *r)
{
    if (!ctx_call_begin(cx))
        return false;
    r->outer = cx->region;
    r->pool_mark = cx->pool.n;
    r->scratch_mark = arena_mark(&cx->scratch);
    r->calls = cx->calls;
    cx->region = r;
    return true;
}

/* Only the outermost region releases: what inner ones made may be in use further out. */
wf_status api_leave(wf_ctx *cx, Region *r)
{
    cx->region = r->outer;
    if (!r->outer) {
        drain_pool(cx, r->pool_mark);
        arena_reset(&cx->scratch, r->scratch_mark);
    }
    ctx_call_end(cx);
    return ctx_status(cx);
}

wf_status api_out_of_memory(wf_ctx *cx, Region *r)
{
    drain_pool(cx, r->pool_mark);
    arena_reset(&cx->scratch, r->scratch_mark);
    cx->region = r->outer;
    cx->calls = r->calls; /* those inside are over */
    ctx_call_end(cx);
    if (r->outer)
        longjmp(r->outer->jump, 1);
    return ctx_status(cx);
}

_Noreturn void ctx_out_of_memory(wf_ctx *cx)
{
    fail_memory(cx);
    assert(cx->region);
    if (!cx->region) { /* a bug: nowhere to go */
        fputs("weft: internal error: out of memory outside a protected region\n", stderr);
        abort();
    }
    longjmp(cx->region->jump, 1);
}

void pool_defer(wf_ctx *cx, void (*fn)(void *obj), void *obj)
{
    uint32_t cap = cx->pool.cap ? cx->pool.cap * 2 : 16;
    Deferred *v;

    if (cx->pool.n == cx->pool.cap) {
        v = mem_alloc(&cx->al, cap * sizeof *v);
        if (!v) {
            fn(obj);
            ctx_out_of_memory(cx);
        }
        if (cx->pool.n)
            memcpy(v, cx->pool.v, cx->pool.n * sizeof *v);
        mem_free(&cx->al, cx->pool.v, cx->pool.cap * sizeof *v);
        cx->pool.v = v;
        cx->pool.cap = cap;
    }
    cx->pool.v[cx->pool.n++] = (Deferred){fn, obj};
}
