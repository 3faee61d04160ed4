/* move.c -- copies between arrays of any strides: transposes, slices, broadcasts, pads.
 *
 * Axes are put in the order of the destination's strides and merged. The two innermost
 * are copied by tiles when source and destination run along different ones, so that both
 * are read and written by whole cache lines.
 */
#include "stage.h"

#define TILE 32
#define TASK 16384
#define ROWS 256 /* of a plane in one piece, at least: the source is read along them */

void k_row_major(int rank, const int64_t *dims, int64_t *stride)
{
    uint64_t s = 1; /* may wrap for empty arrays, whose strides nobody uses */

    for (int i = rank; i-- > 0; s *= dims[i] > 0 ? (uint64_t)dims[i] : 1)
        stride[i] = (int64_t)s;
}

int64_t k_count(int rank, const int64_t *dims)
{
    int64_t n = 1;

    for (int i = 0; i < rank; i++)
        if (dims[i] == 0)
            return 0;
    for (int i = 0; i < rank; i++)
        n *= dims[i];
    return n;
}

static int64_t magnitude(int64_t x) { return x < 0 ? -x : x; }

static void swap_axes(KMove *m, int i, int j)
{
    int64_t d = m->dims[i], t = m->to[i], f = m->from[i];

    m->dims[i] = m->dims[j], m->to[i] = m->to[j], m->from[i] = m->from[j];
    m->dims[j] = d, m->to[j] = t, m->from[j] = f;
}

static void add_axis(KMove *m, int64_t dim, int64_t to, int64_t from)
{
    m->dims[m->rank] = dim;
    m->to[m->rank] = to;
    m->from[m->rank] = from;
    for (int i = m->rank++; i > 0 && magnitude(m->to[i - 1]) < magnitude(m->to[i]); i--)
        swap_axes(m, i - 1, i);
}

static void merge_axes(KMove *m)
{
    int n = 0;

    for (int i = 0; i < m->rank; i++) {
        if (n && m->to[n - 1] == m->to[i] * m->dims[i] &&
            m->from[n - 1] == m->from[i] * m->dims[i]) {
            m->dims[n - 1] *= m->dims[i];
            m->to[n - 1] = m->to[i];
            m->from[n - 1] = m->from[i];
            continue;
        }
        m->dims[n] = m->dims[i];
        m->to[n] = m->to[i];
        m->from[n++] = m->from[i];
    }
    m->rank = n;
}

void kmove_init(KMove *m, size_t size, int rank, const int64_t *dims, const int64_t *to,
                const int64_t *from)
{
    m->size = size;
    m->rank = 0;
    m->count = k_count(rank, dims);
    for (int i = 0; i < rank && m->count; i++) {
        if (dims[i] != 1)
            add_axis(m, dims[i], to[i], from[i]);
    }
    merge_axes(m);
    /* next to the innermost, the axis along which the source is contiguous */
    for (int i = 0; i + 2 < m->rank; i++)
        if (m->from[i] == 1 && m->from[m->rank - 1] != 1) {
            for (; i + 2 < m->rank; i++)
                swap_axes(m, i, i + 1);
            break;
        }
}

/* ---- two axes ---------------------------------------------------------------------- */

typedef struct MovePlane { /* n1 x n0; strides in elements */
    int64_t n1, n0, t1, t0, f1, f0;
} MovePlane;

typedef struct Sixteen { /* a complex number of two doubles */
    uint64_t part[2];
} Sixteen;

/* A square tile, one cache line by as many: rows of src become columns of buf. */
#define TURN_TILE(name, T)                                                               \
    static void name##_tile(T *buf, const T *src, int64_t step)                          \
    {                                                                                    \
        enum { LINE = 64 / sizeof(T) };                                                  \
        for (int j = 0; j < LINE; j++, src += step)                                      \
            for (int i = 0; i < LINE; i++)                                               \
                buf[i * LINE + j] = src[i];                                              \
    }
TURN_TILE(plane_1, uint8_t)
TURN_TILE(plane_2, uint16_t)
TURN_TILE(plane_8, uint64_t)
TURN_TILE(plane_16, Sixteen)

/* Of four bytes, what most arrays are made of: four by four in registers. */
static void plane_4_tile(uint32_t *buf, const uint32_t *src, int64_t step)
{
    typedef uint32_t Four __attribute__((vector_size(16)));

    for (int j = 0; j < 16; j += 4, src += 4 * step)
        for (int i = 0; i < 16; i += 4) {
            const uint32_t *from = src + i;
            uint32_t *to = buf + i * 16 + j;
            Four x0, x1, x2, x3, lo, hi;

            memcpy(&x0, from, sizeof x0);
            memcpy(&x1, from + step, sizeof x1);
            memcpy(&x2, from + 2 * step, sizeof x2);
            memcpy(&x3, from + 3 * step, sizeof x3);
            lo = __builtin_shufflevector(x0, x1, 0, 4, 1, 5);
            hi = __builtin_shufflevector(x2, x3, 0, 4, 1, 5);
            x0 = __builtin_shufflevector(x0, x1, 2, 6, 3, 7);
            x2 = __builtin_shufflevector(x2, x3, 2, 6, 3, 7);
            x1 = __builtin_shufflevector(lo, hi, 0, 1, 4, 5);
            lo = __builtin_shufflevector(lo, hi, 2, 3, 6, 7);
            x3 = __builtin_shufflevector(x0, x2, 0, 1, 4, 5);
            hi = __builtin_shufflevector(x0, x2, 2, 3, 6, 7);
            memcpy(to, &x1, sizeof x1);
            memcpy(to + 16, &lo, sizeof lo);
            memcpy(to + 32, &x3, sizeof x3);
            memcpy(to + 48, &hi, sizeof hi);
        }
}

/* A true transpose, dst contiguous along axis 0 and src along axis 1: by tiles, through a
 * buffer. Every line is read and written once, whatever the strides collide with, and
 * asked for a tile ahead. */
#define COPY_PLANE(name, T)                                                              \
    static void name##_turn(const MovePlane *p, void *dst, const void *src)                  \
    {                                                                                    \
        enum { LINE = 64 / sizeof(T) };                                                  \
        T buf[LINE * LINE];                                                              \
        for (int64_t i1 = 0; i1 < p->n1; i1 += LINE)                                     \
            for (int64_t j1 = 0; j1 < p->n0; j1 += LINE) {                               \
                int64_t ni = least(LINE, p->n1 - i1), nj = least(LINE, p->n0 - j1);      \
                const T *from = (const T *)src + i1 + j1 * p->f0;                        \
                T *to = (T *)dst + i1 * p->t1 + j1;                                      \
                if (ni == LINE && nj == LINE) {                                          \
                    for (int k = 0; k < LINE; k++) {                                     \
                        __builtin_prefetch(from + (LINE + k) * p->f0);                   \
                        __builtin_prefetch(to + LINE + k * p->t1, 1);                    \
                    }                                                                    \
                    name##_tile(buf, from, p->f0);                                       \
                    for (int i = 0; i < LINE; i++)                                       \
                        memcpy(to + i * p->t1, buf + i * LINE, 64);                      \
                    continue;                                                            \
                }                                                                        \
                for (int64_t j = 0; j < nj; j++)                                         \
                    memcpy(buf + j * LINE, from + j * p->f0, (size_t)ni * sizeof(T));    \
                for (int64_t i = 0; i < ni; i++)                                         \
                    for (int64_t j = 0; j < nj; j++)                                     \
                        to[i * p->t1 + j] = buf[j * LINE + i];                           \
            }                                                                            \
    }                                                                                    \
    static void name(const MovePlane *p, void *dst, const void *src)                         \
    {                                                                                    \
        if (p->t0 == 1 && p->f1 == 1) {                                                  \
            name##_turn(p, dst, src);                                                    \
            return;                                                                      \
        }                                                                                \
        for (int64_t i1 = 0; i1 < p->n1; i1 += TILE)                                     \
            for (int64_t j1 = 0; j1 < p->n0; j1 += TILE)                                 \
                for (int64_t i = i1; i < least(i1 + TILE, p->n1); i++) {                 \
                    T *to = (T *)dst + i * p->t1;                                        \
                    const T *from = (const T *)src + i * p->f1;                          \
                    int64_t end = least(j1 + TILE, p->n0);                               \
                    for (int64_t j = j1; j < end; j++)                                   \
                        to[j * p->t0] = from[j * p->f0];                                 \
                }                                                                        \
    }                                                                                    \
    static void name##_row(const MovePlane *p, void *dst, const void *src)                   \
    {                                                                                    \
        T *to = dst;                                                                     \
        const T *from = src;                                                             \
        for (int64_t j = 0; j < p->n0; j++)                                              \
            to[j * p->t0] = from[j * p->f0];                                             \
    }
COPY_PLANE(plane_1, uint8_t)
COPY_PLANE(plane_2, uint16_t)
COPY_PLANE(plane_4, uint32_t)
COPY_PLANE(plane_8, uint64_t)
COPY_PLANE(plane_16, Sixteen)

static void copy_rows(const MovePlane *p, size_t size, char *dst, const char *src)
{
    MovePlane row = *p;
    int64_t to = p->t1 * (int64_t)size, from = p->f1 * (int64_t)size;

    for (int64_t i = 0; i < p->n1; i++, dst += to, src += from) {
        if (p->t0 == 1 && p->f0 == 1)
            memcpy(dst, src, (size_t)p->n0 * size);
        else if (p->t0 == 1 && p->f0 == 0 && p->n0 >= 32)
            repeat(size, p->n0, src, dst);
        else if (size == 1)
            plane_1_row(&row, dst, src);
        else if (size == 2)
            plane_2_row(&row, dst, src);
        else if (size == 4)
            plane_4_row(&row, dst, src);
        else if (size == 8)
            plane_8_row(&row, dst, src);
        else
            plane_16_row(&row, dst, src);
    }
}

static void copy_plane(const MovePlane *p, size_t size, void *dst, const void *src)
{
    int tiles = p->n1 > 4 && p->n0 > 4 && magnitude(p->f1) < magnitude(p->f0);

    if (!tiles)
        copy_rows(p, size, dst, src);
    else if (size == 1)
        plane_1(p, dst, src);
    else if (size == 2)
        plane_2(p, dst, src);
    else if (size == 4)
        plane_4(p, dst, src);
    else if (size == 8)
        plane_8(p, dst, src);
    else
        plane_16(p, dst, src);
}

/* ---- all axes ---------------------------------------------------------------------- */

typedef struct MoveRun {
    const KMove *m;
    char *dst;
    const char *src;
    int outer;            /* axes before the plane */
    int64_t n1, n0;       /* of the plane */
    int64_t rows, pieces; /* rows of a piece, pieces of a plane */
    int64_t units, task;  /* pieces in all, and of a task */
} MoveRun;

static void move_unit(const MoveRun *r, int64_t unit)
{
    const KMove *m = r->m;
    int64_t first = unit % r->pieces * r->rows, rest = unit / r->pieces, to = 0, from = 0;
    MovePlane p = {least(r->rows, r->n1 - first), r->n0, 0, 0, 0, 0};

    for (int i = r->outer - 1; i >= 0; i--) {
        int64_t at = rest % m->dims[i];

        rest /= m->dims[i];
        to += at * m->to[i];
        from += at * m->from[i];
    }
    if (m->rank >= 1)
        p.t0 = m->to[m->rank - 1], p.f0 = m->from[m->rank - 1];
    if (m->rank >= 2)
        p.t1 = m->to[m->rank - 2], p.f1 = m->from[m->rank - 2];
    to += first * p.t1;
    from += first * p.f1;
    copy_plane(&p, m->size, r->dst + to * (int64_t)m->size,
               r->src + from * (int64_t)m->size);
}

static void move_task(void *user, int i)
{
    const MoveRun *r = user;

    for (int64_t u = i * r->task; u < least((i + 1) * r->task, r->units); u++)
        move_unit(r, u);
}

typedef struct LineRun {
    const KMove *m;
    char *dst;
    const char *src;
} LineRun;

static void line_task(void *user, int i)
{
    const LineRun *r = user;
    const KMove *m = r->m;
    int64_t pos = (int64_t)i * K_TASK;
    MovePlane p = {1, least(K_TASK, m->count - pos), 0, m->to[0], 0, m->from[0]};

    copy_rows(&p, m->size, r->dst + pos * m->to[0] * (int64_t)m->size,
              r->src + pos * m->from[0] * (int64_t)m->size);
}

void kmove_run(const KMove *m, void *dst, const void *src, const KPar *par)
{
    MoveRun r = {.m = m, .dst = dst, .src = src};

    if (m->count <= 0)
        return;
    if (m->rank <= 1) {
        LineRun line = {m, dst, src};
        MovePlane p = {1, m->count, 0, m->rank ? m->to[0] : 1, 0, m->rank ? m->from[0] : 1};

        if (m->count < K_TASK)
            copy_rows(&p, m->size, dst, src);
        else
            run_tasks(par, ceil_quotient(m->count, K_TASK), line_task, &line);
        return;
    }
    r.outer = m->rank - 2;
    r.n1 = m->dims[m->rank - 2];
    r.n0 = m->dims[m->rank - 1];
    r.rows =
        m->count < K_TASK ? r.n1 : ceil_quotient(ceil_quotient(TASK, r.n0), ROWS) * ROWS;
    r.pieces = ceil_quotient(r.n1, r.rows);
    r.units = m->count / (r.n1 * r.n0) * r.pieces;
    r.task = ceil_quotient(TASK, least(r.rows, r.n1) * r.n0);
    if (m->count < K_TASK)
        r.task = r.units;
    run_tasks(par, ceil_quotient(r.units, r.task), move_task, &r);
}

void kmove_fill(size_t size, int64_t n, void *dst, const void *element, const KPar *par)
{
    KMove m = {1, size, n, {n}, {1}, {0}};

    kmove_run(&m, dst, element, par);
}
