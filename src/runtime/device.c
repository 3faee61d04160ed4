/* device.c -- the host as a device.
 *
 * A device is a table of functions for its memory. What the host can read is used in
 * place; arrays elsewhere are copied in and out. Other devices are given by who has them
 * (a GPU, a test).
 */
#include "runtime/runtime.h"

#define ALIGN 64

/* The allocator aligns to 16 bytes: the block's own address is kept before the aligned
 * one. */
static void *host_alloc(const Device *d, const wf_allocator *al, size_t size)
{
    size_t all = size + ALIGN + sizeof(void *);
    char *block, *p;

    (void)d;
    if (all < size || !(block = mem_alloc(al, all)))
        return NULL;
    p = block + sizeof(void *);
    p += (ALIGN - (uintptr_t)p % ALIGN) % ALIGN;
    memcpy(p - sizeof(void *), &block, sizeof block);
    return p;
}

static void host_free(const Device *d, const wf_allocator *al, void *p, size_t size)
{
    void *block;

    (void)d;
    if (!p)
        return;
    memcpy(&block, (char *)p - sizeof(void *), sizeof block);
    mem_free(al, block, size + ALIGN + sizeof(void *));
}

static bool host_copy(const Device *d, void *to, const void *from, size_t size)
{
    (void)d;
    if (size)
        memcpy(to, from, size);
    return true;
}

const Device device_host = {
    .name = "host",
    .host_reads = true,
    .alloc = host_alloc,
    .free = host_free,
    .copy_in = host_copy,
    .copy_out = host_copy,
};
