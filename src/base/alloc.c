/* alloc.c -- the replaceable allocator: its default, and the two calls all others make.
 *
 * An allocator is one function like realloc (see wf_allocator). The callers pass the size
 * of what they free, so an allocator needs no headers of its own.
 */
#include "base.h"

#include <stdlib.h>

static void *default_resize(void *user, void *ptr, size_t old_size, size_t new_size)
{
    (void)user;
    (void)old_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    return realloc(ptr, new_size);
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
