/* stage.h -- what the drivers share: axes merged, parts of strided arrays made
 * contiguous, tasks. */
#ifndef WEFT_KERNEL_STAGE_H
#define WEFT_KERNEL_STAGE_H

#include <string.h>

#include "nd.h"

static inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t ceil_quotient(int64_t a, int64_t b) { return (a + b - 1) / b; }

static inline void run_tasks(const KPar *par, int64_t n, void (*fn)(void *user, int i),
                             void *user)
{
    if (n > 1 && par && par->run && par->threads > 1)
        par->run(par->ctx, (int)n, fn, user);
    else
        for (int i = 0; i < (int)n; i++)
            fn(user, i);
}

/* Axes of size 1 dropped, neighbours that one stride can walk merged. */
static inline void space_init(KSpace *s, int rank, const int64_t *dims,
                              const int64_t *stride)
{
    s->rank = 0;
    for (int i = 0; i < rank; i++) {
        int last = s->rank - 1;

        if (dims[i] == 1)
            continue;
        if (last >= 0 && s->stride[last] == stride[i] * dims[i]) {
            s->dims[last] *= dims[i];
            s->stride[last] = stride[i];
            continue;
        }
        s->dims[s->rank] = dims[i];
        s->stride[s->rank++] = stride[i];
    }
}

#define GATHER(T)                                                                        \
    for (int64_t i = 0; i < n; i++)                                                      \
        ((T *)to)[i] = ((const T *)from)[i * stride];                                    \
    break

/* The element n times: what is there is copied behind itself by the wide moves of memcpy, from the nearest cache. */
static inline void repeat(size_t size, int64_t n, const void *from, void *to)
{
    memcpy(to, from, (size_t)least(n, 1) * size);
    for (int64_t have = 1, more; have < n; have += more) {
        more = least(least(have, 1024), n - have);
        memcpy((char *)to + (size_t)have * size, to, (size_t)more * size);
    }
}

static inline void gather_row(size_t size, int64_t n, const void *from, int64_t stride,
                              void *to)
{
    if (stride == 1) {
        memcpy(to, from, (size_t)n * size);
        return;
    }
    if (stride == 0) {
        repeat(size, n, from, to);
        return;
    }
    switch (size) {
    case 1: GATHER(uint8_t);
    case 2: GATHER(uint16_t);
    case 4: GATHER(uint32_t);
    default: GATHER(uint64_t);
    }
}
#undef GATHER

/* Elements pos .. pos+n-1 of the space: where they are if contiguous, else copied into
 * buf. */
static inline const void *stage(const KSpace *s, size_t size, const void *base,
                                int64_t pos, int64_t n, void *buf)
{
    int64_t at[K_RANK], offset = 0, rest = pos, inner;
    char *to = buf;

    if (s->rank == 0) {
        gather_row(size, n, base, 0, buf);
        return n == 1 ? base : buf;
    }
    for (int i = s->rank - 1; i > 0; i--) {
        at[i] = rest % s->dims[i];
        rest /= s->dims[i];
        offset += at[i] * s->stride[i];
    }
    at[0] = rest;
    offset += rest * s->stride[0];
    inner = s->rank - 1;
    if (s->stride[inner] == 1 && at[inner] + n <= s->dims[inner])
        return (const char *)base + offset * (int64_t)size;
    for (;;) {
        int64_t run = least(n, s->dims[inner] - at[inner]);

        gather_row(size, run, (const char *)base + offset * (int64_t)size,
                   s->stride[inner], to);
        n -= run;
        if (n <= 0)
            return buf;
        to += run * (int64_t)size;
        offset -= at[inner] * s->stride[inner];
        at[inner] = 0;
        for (int i = (int)inner - 1; i >= 0; i--) {
            offset += s->stride[i];
            if (++at[i] < s->dims[i])
                break;
            offset -= at[i] * s->stride[i];
            at[i] = 0;
        }
    }
}

#endif
