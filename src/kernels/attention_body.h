/* attention_body.h -- attention for one REAL, forward and gradient.
 *
 *   method   Queries are lanes. A panel of NR queries walks over blocks of BK keys; what
 *            it holds of a block is turned, [keys, NR]: scores K Q^T, then weights. So
 *            the largest score and the sum of a query are plain vector operations, K and
 *            V are read by broadcasts where they lie, by any strides, and the sums of
 *            outputs, [width, NR], grow in the nearest cache. When a block raises the
 *            largest score of a query, what was summed before is scaled down.
 *   causal   Keys behind the last query of a panel are not looked at. Their weights are 0
 *            exactly, which cannot be told from nothing unless what they meet is not
 *            finite, or a row has no other keys: then all are looked at (may_skip).
 *   threads  take entries of the batch or, where those are few, ranges of panels, whose
 *            parts of dK and dV are added in order.
 */
#include "gemm_tile.h"

#include "attention.h"

/* real.h and vec.h both call their half vectors VH. */
#define VH VecHalf
#include "vmath.h"
#undef VH

#define BK          64     /* keys of a block */
#define PARTS_LEAST 16     /* pieces of the work, if the batch has fewer entries */
#define SMALL_WORK  200000 /* multiply-adds that are not worth another thread */

#if REAL_F64
#define real_exp  vd_exp
#define REAL_DEEP 800 /* exp(-REAL_DEEP) is 0 */
#else
#define real_exp  vf_exp
#define REAL_DEEP 120
#endif

/* ---- vectors ----------------------------------------------------------------------- */

INLINE V real_pick(VI m, V a, V b) { return (V)((m & (VI)a) | (~m & (VI)b)); }

/* The larger; y where x is NaN. */
INLINE V real_max(V x, V y)
{
#if KERNEL_ISA == 2 && !REAL_F64
    return (V)_mm512_max_ps((__m512)x, (__m512)y);
#elif KERNEL_ISA == 2
    return (V)_mm512_max_pd((__m512d)x, (__m512d)y);
#elif KERNEL_ISA == 1 && !REAL_F64
    return (V)_mm256_max_ps((__m256)x, (__m256)y);
#elif KERNEL_ISA == 1
    return (V)_mm256_max_pd((__m256d)x, (__m256d)y);
#else
    return real_pick(x > y, x, y);
#endif
}

/* x where it is finite, else 0 */
INLINE V real_finite_or_0(V x) { return real_pick(x - x == (V){0}, x, (V){0}); }

INLINE int any_lane(VI m)
{
    RealInt any = 0;

    for (int i = 0; i < VL; i++)
        any |= m[i];
    return any != 0;
}

/* ---- small products ---------------------------------------------------------------- */

/* C[rows, nv vectors] (+)= A[rows, k] B[k, nv vectors] */
static void product(int64_t rows, int nv, int64_t k, const REAL *a, int64_t a_row,
                    int64_t a_k, const REAL *b, int64_t b_k, REAL *c, int64_t c_row,
                    int accumulate)
{
    int64_t strips = ceil_div(rows, MR), r;

    for (; strips > 0; strips--, rows -= r, a += r * a_row, c += r * c_row) {
        r = ceil_div(rows, strips);
        tile_table[r - 1][nv - 1](k, a, a_row, a_k, b, b_k, c, c_row, VL, accumulate);
    }
}

/* The same with many columns, ld of B and C a multiple of NR. */
static void product_wide(int64_t rows, int64_t cols, int64_t k, const REAL *a,
                         int64_t a_row, int64_t a_k, const REAL *b, REAL *c)
{
    for (int64_t j = 0; j < cols; j += NR)
        product(rows, NV, k, a, a_row, a_k, b + j, cols, c + j, cols, 1);
}

/* ---- planes ------------------------------------------------------------------------ */

static int64_t entry_of(const KAttention *x, const KPlane *m, int64_t index)
{
    int64_t at = 0;

    for (int d = x->nbatch - 1; d >= 0; d--) {
        at += index % x->batch[d] * m->batch[d];
        index /= x->batch[d];
    }
    return at;
}

static REAL *plane_at(const KAttention *x, const KPlane *m, int64_t index)
{
    return m->p ? (REAL *)m->p + entry_of(x, m, index) : NULL;
}

/* Rows i0.. of the plane as lanes: dst[c*NR + i], 0 in lanes that are no rows. */
static void load_turned(const KPlane *m, const REAL *p, int64_t i0, int rows,
                        int64_t cols, REAL *dst)
{
    REAL_NAME(gemm_pack)
    (REAL_TYPE, p + i0 * m->row, m->row, m->col, rows, cols, dst, NR);
}

/* And back, times a factor. */
static void store_turned(const KPlane *m, REAL *p, int64_t i0, int rows, int64_t cols,
                         const REAL *src, REAL times)
{
    for (int64_t c = 0; c < cols; c += VL)
        for (int i = 0; i < rows; i += VL) {
            int nc = (int)min64(VL, cols - c), ni = (int)min64(VL, rows - i);
            V x[VL];

            for (int k = 0; k < VL; k++)
                x[k] = k < nc ? real_load(src + (c + k) * NR + i) * times : (V){0};
            real_transpose(x);
            for (int k = 0; k < ni; k++) {
                REAL *to = p + (i0 + i + k) * m->row + c * m->col;

                if (m->col == 1)
                    real_store_n(to, x[k], nc);
                else
                    for (int e = 0; e < nc; e++)
                        to[e * m->col] = x[k][e];
            }
        }
}

/* Rows i0.. of the plane, each widened with zeros to ld. */
static void load_rows(const KPlane *m, const REAL *p, int64_t i0, int rows, int64_t cols,
                      REAL *dst, int64_t ld)
{
    for (int i = 0; i < rows; i++, dst += ld) {
        const REAL *from = p + (i0 + i) * m->row;

        if (m->col == 1)
            memcpy(dst, from, (size_t)cols * sizeof *dst);
        else
            for (int64_t c = 0; c < cols; c++)
                dst[c] = from[c * m->col];
        memset(dst + cols, 0, (size_t)(ld - cols) * sizeof *dst);
    }
}

static void store_rows(const KPlane *m, REAL *p, int64_t rows, int64_t cols,
                       const REAL *src, int64_t ld, REAL times)
{
    for (int64_t i = 0; i < rows; i++, src += ld) {
        REAL *to = p + i * m->row;
        int64_t c = 0;

        if (m->col == 1)
            for (; c + VL <= cols; c += VL)
                real_store(to + c, real_load(src + c) * times);
        for (; c < cols; c++)
            to[c * m->col] = src[c] * times;
    }
}

static void load_lanes(const KPlane *m, const REAL *p, int64_t i0, int rows, REAL fill,
                       V out[NV])
{
    REAL room[NR];

    for (int i = 0; i < NR; i++)
        room[i] = i < rows ? p[(i0 + i) * m->row] : fill;
    for (int v = 0; v < NV; v++)
        out[v] = real_load(room + v * VL);
}

static void store_lanes(const KPlane *m, REAL *p, int64_t i0, int rows, const V in[NV])
{
    for (int i = 0; m->p && i < rows; i++)
        p[(i0 + i) * m->row] = in[i / VL][i % VL];
}

/* Is every element of the plane finite? */
static int all_finite(const KPlane *m, const REAL *p, int64_t rows, int64_t cols)
{
    V sum = {0};
    REAL rest = 0;

    for (int64_t i = 0; i < rows; i++) {
        const REAL *row = p + i * m->row;
        int64_t c = 0;

        if (m->col == 1)
            for (; c + VL <= cols; c += VL)
                sum += real_load(row + c) * 0;
        for (; c < cols; c++)
            rest += row[c * m->col] * 0;
    }
    return !any_lane(sum != (V){0}) && rest == 0;
}

/* ---- a panel of queries ------------------------------------------------------------ */

typedef struct Panel {
    const KAttention *x;
    int64_t index; /* of the entry of the batch */
    int64_t i0;    /* first query */
    int rows, nv;  /* queries, and vectors they fill */
    KPlane k, v;   /* of the entry */
    REAL *kv;      /* room for copies of both */
    REAL *qt;      /* [depth, NR] */
    REAL *s;       /* [BK, NR] */
    REAL *mask;    /* [BK, NR] */
} Panel;

INLINE V lane_numbers(int v)
{
    V x;

    for (int i = 0; i < VL; i++)
        x[i] = (REAL)(v * VL + i);
    return x;
}

static void op_scale(const Panel *p, REAL by, int64_t n, REAL *s)
{
    for (int64_t j = 0; j < n; j++)
        for (int v = 0; v < p->nv; v++)
            real_store(s + j * NR + v * VL, real_load(s + j * NR + v * VL) * by);
}

static void op_add(const Panel *p, const KScoreOp *o, int64_t j0, int64_t n, REAL *s)
{
    int64_t at = entry_of(p->x, &o->at, p->index) + p->i0 * o->at.row + j0 * o->at.col;
    const char *from = (const char *)o->at.p + at * (int64_t)real_type_size(o->type);

    REAL_NAME(gemm_pack)
    (o->type, from, o->at.row, o->at.col, p->rows, n, p->mask, NR);
    for (int64_t j = 0; j < n; j++)
        for (int v = 0; v < p->nv; v++) {
            REAL *e = s + j * NR + v * VL;

            real_store(e, real_load(e) + real_load(p->mask + j * NR + v * VL));
        }
}

static void op_keep(const Panel *p, const KScoreOp *o, REAL low, int64_t j0, int64_t n,
                    REAL *s)
{
    const uint8_t *from = (const uint8_t *)o->at.p + entry_of(p->x, &o->at, p->index) +
                          p->i0 * o->at.row + j0 * o->at.col;

    for (int i = 0; i < p->rows; i++, from += o->at.row)
        for (int64_t j = 0; j < n; j++)
            s[j * NR + i] = from[j * o->at.col] == o->keep_if ? s[j * NR + i] : low;
}

static void op_causal(const Panel *p, const KScoreOp *o, REAL low, int64_t j0, int64_t n,
                      REAL *s)
{
    V lane[NV];
    int64_t first = max64(0, p->i0 + o->offset + 1 - j0); /* key that a query lacks */

    for (int v = 0; v < NV; v++)
        lane[v] = lane_numbers(v);
    for (int64_t j = first; j < n; j++) {
        /* the first query that has it, as a lane */
        V from = real_splat((REAL)min64(NR, j0 + j - o->offset - p->i0));

        for (int v = 0; v < p->nv; v++) {
            REAL *e = s + j * NR + v * VL;

            real_store(e, real_pick(lane[v] >= from, real_load(e), real_splat(low)));
        }
    }
}

/* The score's ops on a block; of the gradient: their derivatives, backwards. */
static void apply_ops(const Panel *p, int64_t j0, int64_t n, REAL *s, int gradient)
{
    for (int i = 0; i < p->x->nops; i++) {
        const KScoreOp *o = &p->x->op[gradient ? p->x->nops - 1 - i : i];
        REAL low = gradient ? 0 : (REAL)o->value;

        switch (o->kind) {
        case KS_SCALE: op_scale(p, (REAL)o->value, n, s); break;
        case KS_ADD:
            if (!gradient)
                op_add(p, o, j0, n, s);
            break;
        case KS_KEEP: op_keep(p, o, low, j0, n, s); break;
        case KS_CAUSAL: op_causal(p, o, low, j0, n, s); break;
        }
    }
}

static void scores_of(const Panel *p, int64_t j0, int64_t n)
{
    const KPlane *k = &p->k;

    product(n, p->nv, p->x->depth, (const REAL *)k->p + j0 * k->row, k->row, k->col,
            p->qt, NR, p->s, NR, 0);
    apply_ops(p, j0, n, p->s, 0);
}

static const KScoreOp *causal_op(const KAttention *x)
{
    for (int i = x->nops - 1; i >= 0; i--)
        if (x->op[i].kind == KS_CAUSAL)
            return &x->op[i];
    return NULL;
}

/* Keys that the panel's queries see. */
static int64_t keys_seen(const Panel *p)
{
    const KScoreOp *o = causal_op(p->x);
    int64_t n = o ? p->i0 + p->rows + o->offset : p->x->keys;

    return max64(0, min64(n, p->x->keys));
}

/* May what is behind the seen keys be taken for weights of 0? Not where a query has
 * nothing above the masked scores: those then count. (An op behind the causal one may
 * raise masked scores.) */
static int may_skip(const KAttention *x, const V *shift, const V *sum, int nv)
{
    const KScoreOp *o = causal_op(x);

    if (o != &x->op[x->nops - 1])
        return 0;
    for (int v = 0; v < nv; v++) {
        V low = real_splat((REAL)o->value);

        if (any_lane(~(shift[v] - low > REAL_DEEP)) || any_lane(~(sum[v] > 0)) ||
            any_lane(~(sum[v] - sum[v] == (V){0})))
            return 0;
    }
    return 1;
}

/* Rows that lie far apart, at round distances, share few lines of the nearest cache: they
 * are copied closer. */
#define COPY_LD(cols)                                                                    \
    (round_up(cols, 64 / (int64_t)sizeof(REAL)) + 64 / (int64_t)sizeof(REAL))

static int is_apart(const KPlane *m, int64_t cols)
{
    return m->col != 1 || (m->row != cols && m->row * (int64_t)sizeof(REAL) % 512 == 0);
}

static KPlane brought(const KAttention *x, const KPlane *m, int64_t index, int64_t cols,
                      REAL *room)
{
    KPlane near = {room, {0}, COPY_LD(cols), 1};

    if (!is_apart(m, cols))
        return (KPlane){plane_at(x, m, index), {0}, m->row, m->col};
    for (int64_t j = 0; j < x->keys; j += NR)
        load_rows(m, plane_at(x, m, index), j, (int)min64(NR, x->keys - j), cols,
                  room + j * near.row, near.row);
    return near;
}

static int64_t copies_of(const KAttention *x)
{
    return (is_apart(&x->k, x->depth) ? x->keys * COPY_LD(x->depth) : 0) +
           (is_apart(&x->v, x->width) ? x->keys * COPY_LD(x->width) : 0);
}

static void open_entry(Panel *p, int64_t index)
{
    const KAttention *x = p->x;
    int64_t first = is_apart(&x->k, x->depth) ? x->keys * COPY_LD(x->depth) : 0;

    p->index = index;
    p->k = brought(x, &x->k, index, x->depth, p->kv);
    p->v = brought(x, &x->v, index, x->width, p->kv + first);
}

static void open_panel(Panel *p, int64_t panel)
{
    const KAttention *x = p->x;

    p->i0 = panel * NR;
    p->rows = (int)min64(NR, x->queries - p->i0);
    p->nv = p->rows > VL ? NV : 1;
    load_turned(&x->q, plane_at(x, &x->q, p->index), p->i0, p->rows, x->depth, p->qt);
}

/* ---- forward ----------------------------------------------------------------------- */

typedef struct Forward {
    Panel p;
    REAL *ot; /* [width, NR] */
    V top[NV], shift[NV], sum[NV];
} Forward;

/* Scores become exp(score - shift); the sums so far follow a new shift. */
static void take_block(Forward *f, int64_t n, int first)
{
    const Panel *p = &f->p;

    for (int v = 0; v < p->nv; v++) {
        V top = f->top[v], sum = {0}, shift, scale;
        REAL *s = p->s + v * VL;

        for (int64_t j = 0; j < n; j++)
            top = real_max(real_load(s + j * NR), top);
        shift = real_finite_or_0(top);
        for (int64_t j = 0; j < n; j++) {
            V e = real_exp(real_load(s + j * NR) - shift);

            sum += e;
            real_store(s + j * NR, e);
        }
        scale = real_pick(f->top[v] == real_splat(-(REAL)INFINITY), real_splat(1),
                          real_exp(f->shift[v] - shift));
        f->sum[v] = f->sum[v] * scale + sum;
        if (!first && any_lane(scale != real_splat(1)))
            for (int64_t e = 0; e < p->x->width; e++) {
                REAL *o = f->ot + e * NR + v * VL;

                real_store(o, real_load(o) * scale);
            }
        f->top[v] = top;
        f->shift[v] = shift;
    }
}

/* The shift as it will be when it is read again, and the sum that belongs to it. */
static void round_stats(Forward *f)
{
#if !REAL_F64
    KType type = f->p.x->stat_type;

    if (type != KT_F16 && type != KT_BF16)
        return;
    for (int v = 0; v < f->p.nv; v++) {
        V near = type == KT_F16 ? real_from_f16(real_to_f16(f->shift[v]))
                                : real_from_bf16(real_to_bf16(f->shift[v]));

        f->sum[v] *= real_exp(f->shift[v] - near);
        f->shift[v] = near;
    }
#else
    (void)f;
#endif
}

static void walk_keys(Forward *f, int64_t from, int64_t to)
{
    const Panel *p = &f->p;
    const KPlane *v = &p->v;

    for (int64_t j0 = from; j0 < to; j0 += BK) {
        int64_t n = min64(BK, to - j0);

        scores_of(p, j0, n);
        take_block(f, n, j0 == 0);
        product(p->x->width, p->nv, n, (const REAL *)v->p + j0 * v->row, v->col, v->row,
                p->s, NR, f->ot, NR, j0 > 0);
    }
}

static void forward_panel(Forward *f, int finite)
{
    Panel *p = &f->p;
    const KAttention *x = p->x;
    int64_t seen = keys_seen(p);

    for (int v = 0; v < NV; v++) {
        f->top[v] = real_splat(-(REAL)INFINITY);
        f->shift[v] = f->sum[v] = (V){0};
    }
    memset(f->ot, 0, (size_t)(x->width * NR) * sizeof *f->ot);
    walk_keys(f, 0, seen);
    if (seen < x->keys && !(finite && may_skip(x, f->shift, f->sum, p->nv)))
        walk_keys(f, seen, x->keys);
    for (int64_t e = 0; e < x->width; e++)
        for (int v = 0; v < p->nv; v++) {
            REAL *o = f->ot + e * NR + v * VL;

            if (x->keys) /* else it is a sum of nothing */
                real_store(o, real_load(o) / f->sum[v]);
        }
    store_turned(&x->out, plane_at(x, &x->out, p->index), p->i0, p->rows, x->width, f->ot,
                 1);
    round_stats(f);
    store_lanes(&x->shift, plane_at(x, &x->shift, p->index), p->i0, p->rows, f->shift);
    store_lanes(&x->sum, plane_at(x, &x->sum, p->index), p->i0, p->rows, f->sum);
}

/* ---- threads ----------------------------------------------------------------------- */

typedef struct Pool {
    APART const KAttention *x;
    int64_t entries, panels, parts, tasks; /* parts: of an entry, ranges of panels */
    char *ws;
    size_t each;   /* bytes of a worker */
    char *finite;  /* of each entry: what skipped keys would meet is finite */
    REAL *partial; /* of each task [keys, ld]; NULL: the worker's own */
    int64_t ld_k, ld_v;
    APART int64_t next;
} Pool;

static int64_t count_entries(const KAttention *x)
{
    int64_t n = 1;

    for (int d = 0; d < x->nbatch; d++)
        n *= x->batch[d];
    return n;
}

static int worker_count(const KAttention *x, int64_t tasks, int threads)
{
    double work = (double)count_entries(x) * (double)x->queries * (double)x->keys *
                  (double)(x->depth + x->width);

    return work < SMALL_WORK ? 1 : (int)max64(1, min64(threads, tasks));
}

static size_t rounded(int64_t elements)
{
    return (size_t)round_up(elements * (int64_t)sizeof(REAL), 64);
}

static REAL *carve(char **ws, int64_t elements)
{
    char *p = *ws;

    *ws += rounded(elements);
    return (REAL *)(void *)p;
}

static int64_t take_task(Pool *o)
{
    return __atomic_fetch_add(&o->next, 1, __ATOMIC_RELAXED);
}

static void run_workers(Pool *o, const KPar *par, void (*fn)(void *user, int i), int n)
{
    o->next = 0;
    par_run(par, n, fn, o);
}

static size_t panel_bytes(const KAttention *x)
{
    return rounded(x->depth * NR) + 2 * rounded(BK * NR) + rounded(copies_of(x));
}

static void carve_panel(Panel *p, const KAttention *x, char **ws)
{
    p->x = x;
    p->qt = carve(ws, x->depth * NR);
    p->s = carve(ws, BK * NR);
    p->mask = carve(ws, BK * NR);
    p->kv = carve(ws, copies_of(x));
}

/* Ranges of panels that an entry is cut into. */
static int64_t part_count(const KAttention *x)
{
    int64_t n = count_entries(x), panels = ceil_div(x->queries, NR);

    return n >= PARTS_LEAST || n == 0 ? 1
                                      : max64(1, min64(panels, ceil_div(PARTS_LEAST, n)));
}

static int64_t part_begin(const Pool *o, int64_t part)
{
    return o->panels * part / o->parts;
}

static size_t forward_bytes(const KAttention *x)
{
    return panel_bytes(x) + rounded(x->width * NR);
}

static size_t attention_workspace(const KAttention *x, int threads)
{
    int64_t tasks = count_entries(x) * part_count(x);

    return forward_bytes(x) * (size_t)worker_count(x, tasks, threads) +
           (size_t)count_entries(x) + 128;
}

static void forward_task(void *user, int worker)
{
    Pool *o = user;
    char *ws = o->ws + (size_t)worker * o->each;
    Forward f;
    int64_t t;

    carve_panel(&f.p, o->x, &ws);
    f.ot = carve(&ws, o->x->width * NR);
    while ((t = take_task(o)) < o->tasks) {
        int64_t index = t / o->parts, part = t % o->parts;

        open_entry(&f.p, index);
        for (int64_t i = part_begin(o, part); i < part_begin(o, part + 1); i++) {
            open_panel(&f.p, i);
            forward_panel(&f, o->finite[index]);
        }
    }
}

static void attention_run(const KAttention *x, const KPar *par, void *workspace)
{
    char *ws = (char *)workspace + (-(uintptr_t)workspace & 63);
    Pool o = {.x = x, .entries = count_entries(x), .panels = ceil_div(x->queries, NR)};
    int n;

    o.parts = part_count(x);
    o.tasks = o.entries * o.parts;
    n = worker_count(x, o.tasks, par->threads);
    o.each = forward_bytes(x);
    o.ws = ws;
    o.finite = ws + o.each * (size_t)n;
    for (int64_t i = 0; i < o.entries && o.tasks; i++)
        o.finite[i] = causal_op(x) &&
                      (char)all_finite(&x->v, plane_at(x, &x->v, i), x->keys, x->width);
    if (o.tasks)
        run_workers(&o, par, forward_task, n);
}

#include "attention_grad.h"

extern const KAttentionTable REAL_NAME(attention_table);
const KAttentionTable REAL_NAME(attention_table) = {attention_workspace, attention_run,
                                                    gradient_workspace, gradient_run};
