/* parts.c -- memory of a plan: one block, given out in parts and taken back. */
#include "runtime/runtime.h"

static int64_t aligned(int64_t size)
{
    return (size + (size == 0) + ALIGN - 1) / ALIGN * ALIGN;
}

static void remove_part(Parts *m, uint32_t i)
{
    memmove(m->free + i, m->free + i + 1, (m->nfree - i - 1) * sizeof *m->free);
    m->nfree--;
}

int64_t parts_take(wf_ctx *cx, Parts *m, int64_t size)
{
    uint32_t best = UINT32_MAX;
    int64_t off;

    size = aligned(size);
    for (uint32_t i = 0; i < m->nfree; i++)
        if (m->free[i].size >= size &&
            (best == UINT32_MAX || m->free[i].size < m->free[best].size))
            best = i;
    if (best == UINT32_MAX && m->nfree &&
        m->free[m->nfree - 1].off + m->free[m->nfree - 1].size == m->top) {
        best = m->nfree - 1; /* the last part grows */
        m->top = m->free[best].off + size;
        m->free[best].size = size;
    }
    if (best == UINT32_MAX) {
        off = m->top;
        if (!add_i64(m->top, size, &m->top))
            ctx_out_of_memory(cx);
        return off;
    }
    off = m->free[best].off;
    m->free[best].off += size;
    m->free[best].size -= size;
    if (!m->free[best].size)
        remove_part(m, best);
    return off;
}

/* Parts are sorted by offset and do not touch. When there are too many, the part is
 * forgotten. */
void parts_give(Parts *m, int64_t off, int64_t size)
{
    uint32_t lo = 0, hi = m->nfree;

    size = aligned(size);
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        if (m->free[mid].off < off)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo < m->nfree && off + size == m->free[lo].off) {
        m->free[lo].off = off;
        m->free[lo].size += size;
    } else if (lo && m->free[lo - 1].off + m->free[lo - 1].size == off) {
        m->free[--lo].size += size;
    } else if (m->nfree < PARTS_MOST) {
        memmove(m->free + lo + 1, m->free + lo, (m->nfree - lo) * sizeof *m->free);
        m->free[lo] = (BlockPart){off, size};
        m->nfree++;
    }
    if (lo && lo < m->nfree &&
        m->free[lo - 1].off + m->free[lo - 1].size == m->free[lo].off) {
        m->free[lo - 1].size += m->free[lo].size;
        remove_part(m, lo);
    }
}
