/* arena.c -- bump allocation in blocks that are freed together; growth of vectors.
 *
 * Blocks form a list, newest first; each new one is as large as all before it together,
 * between BLOCK_MIN and BLOCK_MAX, or as large as the request. A mark remembers the
 * newest block and the place in it; resetting frees the blocks made since.
 *
 * Out of memory: inside a protected region of a->cx the context is told and jumps.
 * Elsewhere (a->cx NULL, or no region entered) the result is NULL, after the context, if
 * any, was told.
 *
 * Under AddressSanitizer every request to the default allocator gets a block of its own,
 * so that reading past the end of one is seen.
 */
#include "base.h"

#include <stdio.h>

#define HEADER ((sizeof(ArenaBlock) + 15) & ~(size_t)15)
#define BLOCK_MIN ((size_t)1 << 12)
#define BLOCK_MAX ((size_t)1 << 20)

#if defined(__SANITIZE_ADDRESS__)
#define EXACT_BLOCKS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EXACT_BLOCKS 1
#endif
#endif
#ifndef EXACT_BLOCKS
#define EXACT_BLOCKS 0
#endif

void arena_init(Arena *a, const wf_allocator *al, wf_ctx *cx)
{
    *a = (Arena){.al = *al, .cx = cx};
}

static void free_newest(Arena *a)
{
    ArenaBlock *b = a->block;

    a->block = b->prev;
    a->total -= b->size;
    mem_free(&a->al, b, b->size);
}

void arena_free(Arena *a)
{
    while (a->block)
        free_newest(a);
    a->at = a->end = NULL;
}

ArenaMark arena_mark(const Arena *a)
{
    return (ArenaMark){a->block, a->at};
}

void arena_reset(Arena *a, ArenaMark mark)
{
    while (a->block != mark.block)
        free_newest(a);
    a->at = mark.at;
    a->end = mark.block ? (char *)mark.block + mark.block->size : NULL;
}

void arena_clear(Arena *a)
{
    while (a->block && a->block->prev)
        free_newest(a);
    a->at = a->block ? (char *)a->block + HEADER : NULL;
    a->end = a->block ? (char *)a->block + a->block->size : NULL;
}

static void *out_of_memory(Arena *a)
{
    if (!a->cx)
        return NULL;
    if (a->cx->region)
        ctx_out_of_memory(a->cx);
    fail_memory(a->cx);
    return NULL;
}

/* A new block, for a request that does not fit into the newest. */
void *arena_alloc_slow(Arena *a, size_t size)
{
    size_t need = (size + !size + 15) & ~(size_t)15;
    size_t room = MIN(MAX(a->total, BLOCK_MIN), BLOCK_MAX) - HEADER;
    ArenaBlock *b;

    if (EXACT_BLOCKS && a->al.resize == alloc_default.resize)
        need = room = size;
    room = MAX(room, need);
    if (size > SIZE_MAX / 2 || !(b = mem_alloc(&a->al, HEADER + room)))
        return out_of_memory(a);
    b->prev = a->block;
    b->size = HEADER + room;
    a->block = b;
    a->total += b->size;
    a->at = (char *)b + HEADER + need;
    a->end = (char *)b + b->size;
    return (char *)b + HEADER;
}

void *arena_zalloc(Arena *a, size_t size)
{
    void *p = arena_alloc(a, size);

    return p ? memset(p, 0, size) : NULL;
}

void *arena_array(Arena *a, size_t n, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(n, size, &bytes))
        return out_of_memory(a);
    return arena_alloc(a, bytes);
}

void *arena_dup(Arena *a, const void *p, size_t size)
{
    void *q = arena_alloc(a, size);

    if (q && size)
        memcpy(q, p, size);
    return q;
}

char *arena_strdup(Arena *a, const char *s)
{
    return arena_dup(a, s, strlen(s) + 1);
}

char *arena_vprintf(Arena *a, const char *fmt, va_list ap)
{
    char buf[256], *s;
    va_list again;
    int n;

    va_copy(again, ap);
    n = vsnprintf(buf, sizeof buf, fmt, ap);
    s = n < 0 ? out_of_memory(a) : arena_alloc(a, (size_t)n + 1);
    if (s && (size_t)n < sizeof buf)
        memcpy(s, buf, (size_t)n + 1);
    else if (s)
        vsnprintf(s, (size_t)n + 1, fmt, again);
    va_end(again);
    return s;
}

char *arena_printf(Arena *a, const char *fmt, ...)
{
    va_list ap;
    char *s;

    va_start(ap, fmt);
    s = arena_vprintf(a, fmt, ap);
    va_end(ap);
    return s;
}

/* ---- vectors ----------------------------------------------------------------------- */

/* Room for n + extra elements at least, doubling. A vector that is the newest thing in
 * its block grows where it stands. On failure *cap is left alone. */
void *vec_grow(Arena *a, void *v, uint32_t n, uint32_t *cap, uint32_t extra, size_t elem)
{
    uint64_t want = MAX((uint64_t)n + extra, MAX((uint64_t)*cap * 2, 4));
    size_t old_bytes = ((size_t)*cap * elem + 15) & ~(size_t)15;
    size_t bytes;
    void *w;

    if ((uint64_t)n + extra > UINT32_MAX)
        return out_of_memory(a);
    want = MIN(want, UINT32_MAX);
    if (__builtin_mul_overflow((size_t)want, elem, &bytes) || bytes > SIZE_MAX / 2)
        return out_of_memory(a);
    bytes = (bytes + 15) & ~(size_t)15;
    if (v && (char *)v + old_bytes == a->at &&
        bytes - old_bytes <= (size_t)(a->end - a->at)) {
        a->at += bytes - old_bytes;
        *cap = (uint32_t)want;
        return v;
    }
    w = arena_alloc(a, bytes);
    if (!w)
        return NULL;
    if (n)
        memcpy(w, v, (size_t)n * elem);
    *cap = (uint32_t)want;
    return w;
}
