/* alloc.c -- the replaceable allocator: its default, and the two calls all others make.
 *
 * An allocator is one function like realloc (see wf_allocator). The callers pass the size
 * of what they free, so an allocator needs no headers of its own.
 */
#include "base.h"

#include <stdlib.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#define HUGE_LEAST ((size_t)4 << 20)
#define HUGE_PAGE  ((size_t)2 << 20)

/* Large memory in large pages, where the system has them on request: walking through it
 * then misses few translations of addresses. */
static void ask_huge(void *p, size_t size)
{
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    uintptr_t from = ((uintptr_t)p + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
    uintptr_t to = ((uintptr_t)p + size) & ~(HUGE_PAGE - 1);

    if (from < to)
        madvise((void *)from, to - from, MADV_HUGEPAGE); /* a wish */
#else
    (void)p;
    (void)size;
#endif
}

static void *default_resize(void *user, void *ptr, size_t old_size, size_t new_size)
{
    (void)user;
    (void)old_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    ptr = realloc(ptr, new_size);
    if (ptr && new_size >= HUGE_LEAST)
        ask_huge(ptr, new_size);
    return ptr;
}

const wf_allocator alloc_default = {default_resize, NULL};

/* A size of 0 gives a valid pointer of its own; mem_free takes the same 0. */
void *mem_alloc(const wf_allocator *al, size_t size)
{
    return al->resize(al->user, NULL, 0, size ? size : 1);
}

void mem_free(const wf_allocator *al, void *p, size_t size)
{
    if (p)
        al->resize(al->user, p, size ? size : 1, 0);
}
