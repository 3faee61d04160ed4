/* map.c -- elementwise ops on arrays of any strides.
 *
 * Results are walked in row-major order. Operands in that order already are passed to the
 * inner loop as they are; others, and half floats, are brought block by block into
 * buffers first. Blocks are small enough for the first-level cache.
 */
#include "stage.h"

#define BLOCK 512
#define TASK  16384

static int is_half(KType t) { return t == KT_F16 || t == KT_BF16; }

static int select_index(size_t size)
{
    return size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
}

static void init_shape(KMap *m, int rank, const int64_t *dims,
                       const int64_t *const *stride, KSpace *room)
{
    int64_t dense[K_RANK];

    k_row_major(rank, dims, dense);
    m->dense = 0;
    m->count = k_count(rank, dims);
    m->task = TASK;
    if (!m->count)
        rank = 0;
    for (int k = 0; k < m->nin; k++) {
        KSpace *s = &room[k];

        space_init(s, rank, dims, stride[k] ? stride[k] : dense);
        m->space[k] = s;
        if (m->count <= 1 || (s->rank == 1 && s->stride[0] == 1))
            m->dense |= 1 << k;
    }
}

int kmap_init(KMap *m, const KLoops *loops, KMapOp op, KEach each, int nin, int nout,
              const KType *in_type, KType out_type, int rank, const int64_t *dims,
              const int64_t *const *stride, KSpace *room)
{
    KType t = op == KM_select ? in_type[1] : in_type[0];

    m->nin = (uint8_t)nin;
    m->nout = (uint8_t)nout;
    m->narrow = NULL;
    m->out_size = m->work_out = (uint8_t)k_size(out_type);
    for (int i = 0; i < nin; i++) {
        m->in_size[i] = m->work_in[i] = (uint8_t)k_size(in_type[i]);
        m->widen[i] = NULL;
    }
    m->loop = op == KM_select ? loops->half->select[select_index(k_size(t))]
                              : loops->type[t]->map[op];
    m->each = (KEach){NULL, NULL};
    m->type = m->work = t;
    if (!m->loop && is_half(t)) {
        m->loop = loops->type[KT_F32]->map[op];
        m->work = KT_F32;
        for (int i = 0; i < nin; i++) {
            m->widen[i] = k_cast(loops, t, KT_F32);
            m->work_in[i] = 4;
        }
        if (out_type == t) {
            m->narrow = k_cast(loops, KT_F32, t);
            m->work_out = 4;
        }
    }
    if (!m->loop && nin <= 2 && nout == 1 && out_type == t)
        m->each = each;
    m->staged = m->narrow || m->widen[0];
    init_shape(m, rank, dims, stride, room);
    return m->loop || (t >= KT_F16 ? m->each.real != NULL : m->each.whole != NULL);
}

/* A cast is a map without a loop: widened, and that is all. */
int kmap_init_cast(KMap *m, const KLoops *loops, KType from, KType to, int rank,
                   const int64_t *dims, const int64_t *stride, KSpace *room)
{
    m->nin = m->nout = 1;
    m->loop = NULL;
    m->each = (KEach){NULL, NULL};
    m->narrow = NULL;
    m->widen[0] = k_cast(loops, from, to);
    m->in_size[0] = (uint8_t)k_size(from);
    m->out_size = m->work_out = m->work_in[0] = (uint8_t)k_size(to);
    m->staged = 1;
    init_shape(m, rank, dims, &stride, room);
    return m->widen[0] != NULL;
}

static int is_cast(const KMap *m) { return !m->loop && !m->each.real && !m->each.whole; }

typedef struct MapRun {
    const KMap *m;
    const void *const *in;
    void *const *out;
} MapRun;

/* One element after the other, by the function of the op's row. */
#define EACH(T, V, call, cut)                                                            \
    for (int64_t i = 0; i < n; i++) {                                                    \
        V x = (V)((const T *)in[0])[i], y = (V)((const T *)in[m->nin - 1])[i];           \
        ((T *)out[0])[i] = (T)(call((unsigned)m->type, x, y) cut);                            \
    }                                                                                    \
    break
static void run_each(const KMap *m, int64_t n, const void *const *in, void *const *out)
{
    switch (m->work) {
    case KT_I8: EACH(int8_t, uint64_t, m->each.whole, );
    case KT_I16: EACH(int16_t, uint64_t, m->each.whole, );
    case KT_I32: EACH(int32_t, uint64_t, m->each.whole, );
    case KT_BOOL: EACH(uint8_t, _Bool, m->each.whole, &1);
    case KT_U8: EACH(uint8_t, uint64_t, m->each.whole, );
    case KT_U16: EACH(uint16_t, uint64_t, m->each.whole, );
    case KT_U32: EACH(uint32_t, uint64_t, m->each.whole, );
    case KT_I64:
    case KT_U64: EACH(uint64_t, uint64_t, m->each.whole, );
    case KT_F32: EACH(float, double, m->each.real, );
    default: EACH(double, double, m->each.real, );
    }
}

static void run_dense(const MapRun *r, int64_t pos, int64_t n)
{
    const KMap *m = r->m;
    const void *in[K_MAP_IN];
    void *out[K_MAP_OUT];

    for (int i = 0; i < m->nin; i++)
        in[i] = (const char *)r->in[i] + pos * m->in_size[i];
    for (int i = 0; i < m->nout; i++)
        out[i] = (char *)r->out[i] + pos * m->out_size;
    if (is_cast(m))
        m->widen[0](n, in[0], out[0]);
    else if (m->loop)
        m->loop(n, in, out);
    else
        run_each(m, n, in, out);
}

/* Operand i at pos as the loop wants it. */
static const void *operand(const MapRun *r, int i, int64_t pos, int64_t n, void *raw,
                           void *buf)
{
    const KMap *m = r->m;
    const void *p = m->dense >> i & 1 ? (const char *)r->in[i] + pos * m->in_size[i]
                                      : stage(m->space[i], m->in_size[i], r->in[i], pos,
                                              n, m->widen[i] ? raw : buf);

    if (!m->widen[i])
        return p;
    m->widen[i](n, p, buf);
    return buf;
}

/* Where a block's operands and results are put together. */
typedef struct Bench {
    uint64_t raw[BLOCK], in[K_MAP_IN][BLOCK], out[K_MAP_OUT][BLOCK];
    const void *same[K_MAP_IN]; /* an operand of one element is laid out for the first block, which is the longest */
} Bench;

static int is_one_element(const KSpace *s) { return s->rank == 0 || (s->rank == 1 && s->stride[0] == 0); }

static void run_block(const MapRun *r, int64_t pos, int64_t n, Bench *b)
{
    const KMap *m = r->m;
    const void *in[K_MAP_IN];
    void *out[K_MAP_OUT];

    for (int i = 0; i < m->nout; i++)
        out[i] = m->narrow ? (void *)b->out[i] : (char *)r->out[i] + pos * m->out_size;
    if (is_cast(m)) {
        m->widen[0](n, stage(m->space[0], m->in_size[0], r->in[0], pos, n, b->raw), out[0]);
        return;
    }
    for (int i = 0; i < m->nin; i++) {
        in[i] = b->same[i] ? b->same[i] : operand(r, i, pos, n, b->raw, b->in[i]);
        if (!(m->dense >> i & 1) && is_one_element(m->space[i]))
            b->same[i] = in[i];
    }
    if (m->loop)
        m->loop(n, in, out);
    else
        run_each(m, n, in, out);
    for (int i = 0; m->narrow && i < m->nout; i++)
        m->narrow(n, out[i], (char *)r->out[i] + pos * m->out_size);
}

static void run_range(const MapRun *r, int64_t pos, int64_t end)
{
    const KMap *m = r->m;
    Bench b;

    if (m->dense == (1 << m->nin) - 1 && (!m->staged || is_cast(m))) {
        run_dense(r, pos, end - pos);
        return;
    }
    memset(b.same, 0, sizeof b.same);
    for (; pos < end; pos += BLOCK)
        run_block(r, pos, least(BLOCK, end - pos), &b);
}

static void map_task(void *user, int i)
{
    const MapRun *r = user;
    int64_t pos = i * r->m->task;

    run_range(r, pos, least(pos + r->m->task, r->m->count));
}

void kmap_run(const KMap *m, const void *const *in, void *const *out, const KPar *par)
{
    MapRun r = {m, in, out};

    if (m->count < K_TASK)
        run_range(&r, 0, m->count);
    else
        run_tasks(par, ceil_quotient(m->count, m->task), map_task, &r);
}
