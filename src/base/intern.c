/* intern.c -- equal strings become equal pointers.
 *
 * A hash table with linear probing, at most two thirds full. In front of each string's
 * bytes stand its hash and its length, so that neither probing nor growing reads the
 * strings again.
 */
#include "base.h"

#include <stddef.h>

typedef struct Entry {
    uint32_t hash, len;
    char s[];
} Entry;

static const Entry *entry_of(const char *s)
{
    return (const Entry *)(const void *)(s - offsetof(Entry, s));
}

static uint32_t hash_string(const char *s, size_t n)
{
    uint64_t h = n, w;

    for (; n >= 8; s += 8, n -= 8) {
        memcpy(&w, s, 8);
        h = hash_mix(h, w);
    }
    w = 0;
    if (n)
        memcpy(&w, s, n);
    h = hash_mix(h, w);
    return (uint32_t)(h ^ h >> 32);
}

void intern_init(Interner *in, Arena *a)
{
    *in = (Interner){.a = a};
}

static bool grow(Interner *in)
{
    uint32_t cap = in->cap ? in->cap * 2 : 64, i, k;
    const char **slots = arena_array(in->a, cap, sizeof *slots);

    if (!slots)
        return false;
    memset(slots, 0, cap * sizeof *slots);
    for (i = 0; i < in->cap; i++) {
        if (!in->slots[i])
            continue;
        for (k = entry_of(in->slots[i])->hash & (cap - 1); slots[k];
             k = (k + 1) & (cap - 1))
            ;
        slots[k] = in->slots[i];
    }
    in->slots = slots;
    in->cap = cap;
    return true;
}

/* NULL only in an arena that returns NULL when memory is exhausted. */
const char *intern_n(Interner *in, const char *s, size_t n)
{
    uint32_t hash = hash_string(s, n), k;
    Entry *e;

    if ((uint64_t)in->n * 3 >= (uint64_t)in->cap * 2 && !grow(in))
        return NULL;
    for (k = hash & (in->cap - 1); in->slots[k]; k = (k + 1) & (in->cap - 1)) {
        const Entry *old = entry_of(in->slots[k]);

        if (old->hash == hash && old->len == n && memcmp(old->s, s, n) == 0)
            return old->s;
    }
    e = n < UINT32_MAX ? arena_alloc(in->a, sizeof *e + n + 1)
                       : arena_array(in->a, SIZE_MAX, 2); /* fails */
    if (!e)
        return NULL;
    e->hash = hash;
    e->len = (uint32_t)n;
    memcpy(e->s, s, n);
    e->s[n] = '\0';
    in->slots[k] = e->s;
    in->n++;
    return e->s;
}

const char *intern_name(Interner *in, const char *s)
{
    return intern_n(in, s, strlen(s));
}
