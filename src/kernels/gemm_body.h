/* gemm_body.h -- the blocked product: the loops, and what happens to finished tiles.
 *
 * Method: C is cut into strips of at most MR rows and slivers of NR columns; k into
 * blocks of at most KC. For each group of slivers (as many as the cache holds), for each
 * block of k: pack B's slivers (all threads), then let each thread take blocks of strips
 * x slivers: it packs A's strips and runs the tiles. Operands that the caches hold
 * anyway are not packed. When C is too small to share out but k is long, k is split into
 * parts that are summed in order at the end.
 *
 * Which blocks of k and which parts there are depends on the shape alone, and an element
 * of C is summed the same way in any tile, so the bits do not depend on the number of
 * threads.
 */
#define GEMM_TILES
#include "gemm_pack.h"
#include "gemm_plan.h"

typedef struct Run {
    APART const Gemm *g;
    const GemmPlan *p;
    char *b_panels, *a_panels, *workers;
    REAL *sums;
    int64_t k0, kc;     /* the block of k */
    int64_t j0, j1;     /* the group of slivers */
    int64_t s0, s1;     /* the strips */
    int add, last;      /* is there a sum in C already; is this the last block of k */
    APART int64_t next; /* next task, taken atomically */
} Run;

/* ---- finished tiles --------------------------------------------------------------- */

INLINE int has_epilogue(const Gemm *g)
{
    return g->scale != 0 || g->bias_m || g->bias_n || g->relu || g->tile;
}

/* The epilogue, in place on a tile that is in the nearest cache. */
NOINLINE void finish_tile(const Gemm *g, REAL *c, int64_t ld, int64_t i0, int rows,
                          int64_t j0, int cols)
{
    if (g->scale != 0 || g->bias_m || g->bias_n || g->relu) {
        V scale = real_splat(g->scale);

        for (int i = 0; i < rows; i++) {
            V bm = real_splat(g->bias_m ? g->bias_m[i0 + i] : 0);

            for (int j = 0; j < cols; j += VL) {
                int n = cols - j < VL ? cols - j : VL;
                V x = real_load_n(c + i * ld + j, n);

                if (g->scale != 0)
                    x *= scale;
                if (g->bias_m)
                    x += bm;
                if (g->bias_n)
                    x += real_load_n(g->bias_n + j0 + j, n);
                if (g->relu)
                    x = (V)((VI)x & ~(VI)(x < 0));
                real_store_n(c + i * ld + j, x, n);
            }
        }
    }
    if (g->tile) {
        KTile t = {c, ld, i0, j0, rows, cols, g->batch};

        g->tile(g->tile_user, &t);
    }
}

typedef struct Places { /* of one tile's rows and columns in C */
    int64_t row[MR], col[NR];
} Places;

static void find_places(const Gemm *g, int64_t i0, int rows, int64_t j0, int cols,
                        Places *at)
{
    if (g->map && g->map_rows)
        g->map(g->map_user, i0, rows, at->row);
    else
        for (int i = 0; i < rows; i++)
            at->row[i] = (i0 + i) * g->c_row;
    if (g->map && !g->map_rows)
        g->map(g->map_user, j0, cols, at->col);
    else
        for (int j = 0; j < cols; j++)
            at->col[j] = (j0 + j) * g->c_col;
}

INLINE int is_run(const int64_t *off, int n, int64_t step)
{
    for (int i = 1; i < n; i++) {
        if (off[i] != off[0] + i * step)
            return 0;
    }
    return 1;
}

INLINE void emit_row(KType type, const Gemm *g, REAL *src, int64_t row,
                     const int64_t *col, int cols, int contiguous, int load)
{
    int j = 0;

    if (contiguous) {
        for (; j < cols; j += VL) {
            int n = cols - j < VL ? cols - j : VL;

            if (load) {
                V x = real_load_n(src + j, n), old = real_load_as(type, g->c, row + col[j], n);

                real_store_n(src + j, load < 0 ? old - x : old + x, n);
            } else
                real_store_as(type, g->c, row + col[j], real_load_n(src + j, n), n);
        }
        return;
    }
    for (; j < cols; j++) {
        if (load)
            src[j] = real_get_as(type, g->c, row + col[j]) + (load < 0 ? -src[j] : src[j]);
        else if (type == REAL_TYPE)
            ((REAL *)g->c)[row + col[j]] = src[j];
        else
            real_store_as(type, g->c, row + col[j], real_splat(src[j]), 1);
    }
}

/* Where C is contiguous along its columns: VL of them at a time, turned in registers. */
static void emit_turned(const Gemm *g, const REAL *src, int64_t ld, int rows, int cols,
                        const Places *at)
{
    for (int j = 0; j < cols; j += VL) {
        int n = cols - j < VL ? cols - j : VL;
        V x[VL];

        for (int i = 0; i < VL; i++)
            x[i] = i < rows ? real_load_n(src + i * ld + j, n) : (V){0};
        real_transpose(x);
        for (int k = 0; k < n; k++)
            real_store_n((REAL *)g->c + at->row[0] + at->col[j + k], x[k], rows);
    }
}

static void emit_rows(const Gemm *g, REAL *src, int64_t ld, int rows, int cols,
                      const Places *at, int load)
{
    int contiguous = is_run(at->col, cols, 1);

    if (!contiguous && !load && g->c_type == REAL_TYPE && rows > 1 && rows <= VL &&
        is_run(at->row, rows, 1)) {
        emit_turned(g, src, ld, rows, cols, at);
        return;
    }

    for (int i = 0; i < rows; i++, src += ld) {
#if !REAL_F64
        if (g->c_type == KT_F16)
            emit_row(KT_F16, g, src, at->row[i], at->col, cols, contiguous, load);
        else if (g->c_type == KT_BF16)
            emit_row(KT_BF16, g, src, at->row[i], at->col, cols, contiguous, load);
        else
#endif
            emit_row(REAL_TYPE, g, src, at->row[i], at->col, cols, contiguous, load);
    }
}

/* A tile of sums beside C: add what C holds (add < 0: C less them), apply the epilogue if this is the last
 * block of k, and put it into C. */
NOINLINE void emit_tile(const Gemm *g, REAL *src, int64_t ld, int64_t i0, int rows,
                        int64_t j0, int cols, int add, int last)
{
    Places at;

    find_places(g, i0, rows, j0, cols, &at);
    if (add)
        emit_rows(g, src, ld, rows, cols, &at, add);
    if (last && has_epilogue(g))
        finish_tile(g, src, ld, i0, rows, j0, cols);
    emit_rows(g, src, ld, rows, cols, &at, 0);
}

void REAL_NAME(gemm_emit)(const Gemm *g, REAL *src, int64_t ld, int64_t i0, int64_t rows,
                          int64_t j0, int64_t cols)
{
    if (g->c_type == REAL_TYPE && g->c_col == 1 && !g->map && !g->accumulate && !g->tile) {
        if (has_epilogue(g)) /* in place, of any size where no tile is handed out */
            finish_tile(g, src, ld, i0, (int)rows, j0, (int)cols);
        for (int64_t i = 0; i < rows; i++)
            memcpy((REAL *)g->c + (i0 + i) * g->c_row + j0, src + i * ld,
                   (size_t)cols * sizeof(REAL));
        return;
    }
    for (int64_t i = 0; i < rows; i += MR) {
        for (int64_t j = 0; j < cols; j += NR)
            emit_tile(g, src + i * ld + j, ld, i0 + i, (int)min64(MR, rows - i), j0 + j,
                      (int)min64(NR, cols - j), g->accumulate, 1);
    }
}

/* ---- the loops -------------------------------------------------------------------- */

static void pack_operand(const Operand *o, int64_t i0, int w, int64_t k0, int64_t kc,
                         REAL *dst, int ld)
{
    if (o->pack)
        o->pack(o, i0, w, k0, kc, dst, ld);
    else
        REAL_NAME(gemm_pack)
    (o->type,
     (const char *)o->p + (i0 * o->si + k0 * o->sk) * (int64_t)real_type_size(o->type),
     o->si, o->sk, w, kc, dst, ld);
}

#define PACK_TOGETHER 4 /* slivers packed by one task */

static void pack_slivers(void *user, int task)
{
    Run *r = user;
    const Operand *b = &r->g->b;
    int64_t n = r->g->n, size = NR * r->kc;
    int64_t from = r->j0 + (int64_t)task * PACK_TOGETHER,
            to = min64(r->j1, from + PACK_TOGETHER);
    REAL *dst = (REAL *)r->b_panels + (from - r->j0) * size;

    if (is_plain(b) && b->si == 1 && to - from == 4 && to * NR <= n) {
        pack_copy4((const REAL *)b->p + from * NR + r->k0 * b->sk, b->sk, r->kc, dst, NR,
                   size);
        return;
    }
    for (int64_t j = from; j < to; j++, dst += size)
        pack_operand(b, j * NR, (int)min64(NR, n - j * NR), r->k0, r->kc, dst, NR);
}

typedef struct Block { /* what one task works on */
    const Run *r;
    int64_t strip0, strip1;
    REAL *panels; /* A's packed strips, AW*kc each */
    REAL *spare;  /* MR*NR, for tiles that do not go straight to C */
} Block;

/* STRIPS strips of an A whose rows are next to each other in memory: whole vectors, which
 * may reach into the next strip. Reading on along i, few pages and lines are met twice. */
#define STRIPS 4
static void pack_strips_wide(const Block *b, int64_t s)
{
    const Run *r = b->r;
    const Operand *a = &r->g->a;
    REAL *dst = b->panels + (s - b->strip0) * AW * r->kc;
    const REAL *src[STRIPS];

    for (int q = 0; q < STRIPS; q++)
        src[q] = (const REAL *)a->p + strip_begin(r->p, s + q) + r->k0 * a->sk;
    for (int64_t kk = 0; kk < r->kc; kk++, dst += AW) {
        UNROLL
        for (int q = 0; q < STRIPS; q++) {
            UNROLL
            for (int v = 0; v < AW; v += VL)
                real_store(dst + q * AW * r->kc + v, real_load(src[q] + kk * a->sk + v));
        }
    }
}

static void pack_strips(const Block *b)
{
    const Run *r = b->r;
    const Gemm *g = r->g;
    int64_t s = b->strip0;

    if (is_plain(&g->a) && g->a.si == 1)
        for (; s + STRIPS <= b->strip1 && strip_begin(r->p, s + STRIPS - 1) + AW <= g->m;
             s += STRIPS)
            pack_strips_wide(b, s);
    for (; s < b->strip1; s++) {
        int64_t i0 = strip_begin(r->p, s), i1 = strip_begin(r->p, s + 1);

        pack_operand(&g->a, i0, (int)(i1 - i0), r->k0, r->kc,
                     b->panels + (s - b->strip0) * AW * r->kc, AW);
    }
}

/* Where a tile can go straight to C through a map: its columns are a run and its rows
 * evenly spaced. */
static int is_straight(const Gemm *g, int64_t i0, int rows, int64_t j0, int cols,
                       int64_t *at, int64_t *row_step)
{
    int64_t off[MR > NR ? MR : NR];

    if (g->map_rows) {
        if (g->c_col != 1)
            return 0;
        g->map(g->map_user, i0, rows, off);
        *row_step = rows > 1 ? off[1] - off[0] : 0;
        *at = off[0] + j0;
        return is_run(off, rows, *row_step);
    }
    g->map(g->map_user, j0, cols, off);
    *row_step = g->c_row;
    *at = off[0] + i0 * g->c_row;
    return is_run(off, cols, 1);
}

INLINE void run_tile(const Block *b, int64_t i0, int rows, const REAL *a, int64_t a_row,
                     int64_t a_k, int64_t j0, int cols, const REAL *bp, int64_t b_k)
{
    const Run *r = b->r;
    const Gemm *g = r->g;
    int nv = (cols + VL - 1) / VL, tail = cols - (nv - 1) * VL;
    TileFn *fn = tile_table[rows - 1][nv - 1 + (nv == 2 && tail < VL)];
    int64_t at, step = g->c_row;
    int straight = g->c_type == REAL_TYPE && (TILE_MASKED || tail == VL);

    if (straight && g->map)
        straight = is_straight(g, i0, rows, j0, cols, &at, &step);
    else if (straight)
        straight = g->c_col == 1 || g->n == 1, at = i0 * step + j0;
    if (straight) {
        REAL *c = (REAL *)g->c + at;

        if (r->p->fetch_c) /* the next tile's rows, while this one is made */
            for (int i = rows; i < 2 * rows; i++) {
                __builtin_prefetch(c + i * step, 1, 2);
                __builtin_prefetch(c + i * step + VL, 1, 2);
            }
        fn(r->kc, a, a_row, a_k, bp, b_k, c, step, tail, r->add);
        if (r->last && has_epilogue(g))
            finish_tile(g, c, step, i0, rows, j0, cols);
    } else if (r->sums) {
        REAL *c = r->sums + i0 * r->p->sum_ld + j0;

        fn(r->kc, a, a_row, a_k, bp, b_k, c, r->p->sum_ld, VL, r->k0 > 0);
        if (r->last)
            emit_tile(g, c, r->p->sum_ld, i0, rows, j0, cols, g->accumulate, 1);
    } else {
        fn(r->kc, a, a_row, a_k, bp, b_k, b->spare, NR, TILE_MASKED ? tail : VL, 0);
        emit_tile(g, b->spare, NR, i0, rows, j0, cols, r->add, r->last);
    }
}

INLINE void run_strip(const Block *b, int64_t s, int64_t sliver)
{
    const Run *r = b->r;
    const Gemm *g = r->g;
    const GemmPlan *p = r->p;
    int64_t j0 = sliver * NR, b_k = NR, a_row = 1, a_k = AW;
    int64_t i0 = strip_begin(p, s);
    int rows = (int)(strip_begin(p, s + 1) - i0), cols = (int)min64(NR, g->n - j0);
    const REAL *a = b->panels + (s - b->strip0) * AW * r->kc;
    const REAL *bp = (const REAL *)r->b_panels + (sliver - r->j0) * NR * r->kc;

    if (p->direct_a) {
        a_row = g->a.si;
        a_k = g->a.sk;
        a = (const REAL *)g->a.p + i0 * a_row + r->k0 * a_k;
    }
    if (g->panels) {
        bp = g->panels + j0 * g->k + r->k0 * NR;
    } else if (p->direct_b) {
        b_k = g->b.sk;
        bp = (const REAL *)g->b.p + j0 + r->k0 * b_k;
    }
    run_tile(b, i0, rows, a, a_row, a_k, j0, cols, bp, b_k);
}

#define STRIPS_TOGETHER 4 /* packed by one task */

/* Slivers of B, then strips of A. */
static void pack_both(void *user, int task)
{
    Run *r = user;
    int64_t of_b = ceil_div(r->j1 - r->j0, PACK_TOGETHER);

    if (task < of_b) {
        pack_slivers(r, task);
    } else {
        int64_t from = r->s0 + (task - of_b) * STRIPS_TOGETHER;

        pack_strips(&(Block){.r = r,
                             .strip0 = from,
                             .strip1 = min64(r->s1, from + STRIPS_TOGETHER),
                             .panels = (REAL *)r->a_panels + (from - r->s0) * AW * r->kc});
    }
}

/* What all threads share, before they go their ways. */
static void pack_shared(Run *r, const KPar *par)
{
    int64_t tasks = ceil_div(r->j1 - r->j0, PACK_TOGETHER);

    if (r->p->share_a)
        par_run(par, tasks + ceil_div(r->s1 - r->s0, STRIPS_TOGETHER), pack_both, r);
    else if (!r->p->direct_b)
        par_run(par, tasks, pack_slivers, r);
}

static void run_block(const Run *r, int worker, int64_t task)
{
    const GemmPlan *p = r->p;
    int64_t col = task < p->row_blocks ? 0 : task / p->row_blocks;
    int64_t row = task - col * p->row_blocks;
    int64_t slivers = r->j1 - r->j0;
    int64_t from = r->j0 + part_begin(slivers, p->col_blocks, col);
    int64_t to = r->j0 + part_begin(slivers, p->col_blocks, col + 1);
    Block b = {.r = r,
               .strip0 = r->s0 + part_begin(r->s1 - r->s0, p->row_blocks, row),
               .strip1 = r->s0 + part_begin(r->s1 - r->s0, p->row_blocks, row + 1),
               .spare = (REAL *)(r->workers + p->worker_size * (size_t)worker)};

    b.panels = p->share_a ? (REAL *)r->a_panels + (b.strip0 - r->s0) * AW * r->kc : b.spare + MR * NR;
    if (from == to)
        return;
    if (!p->direct_a && !p->share_a)
        pack_strips(&b);
    if (p->strips_outer) {
        for (int64_t s = b.strip0; s < b.strip1; s++)
            for (int64_t j = from; j < to; j++)
                run_strip(&b, s, j);
    } else {
        for (int64_t j = from; j < to; j++)
            for (int64_t s = b.strip0; s < b.strip1; s++)
                run_strip(&b, s, j);
    }
}

static void run_blocks(void *user, int worker)
{
    Run *r = user;
    int64_t tasks = r->p->row_blocks * r->p->col_blocks, t;

    while ((t = __atomic_fetch_add(&r->next, 1, __ATOMIC_RELAXED)) < tasks)
        run_block(r, worker, t);
}

typedef struct Range { /* of strips, slivers and k */
    int64_t s0, s1, j0, j1, k0, k1;
} Range;

/* The product of a range. ws: b_size bytes and worker_size for each worker. */
static void run_range(const Gemm *g, const GemmPlan *p, const KPar *par, char *ws, REAL *sums,
                      Range range)
{
    Run r = {.g = g,
             .p = p,
             .b_panels = ws,
             .a_panels = ws + p->b_size,
             .workers = ws + p->b_size + p->a_size,
             .sums = sums,
             .s0 = range.s0,
             .s1 = range.s1};
    int64_t tasks = p->row_blocks * p->col_blocks;

    for (r.j0 = range.j0; r.j0 < range.j1; r.j0 = r.j1) {
        r.j1 = min64(range.j1, r.j0 + p->group);
        r.k0 = range.k0;
        do {
            r.kc = min64(p->kc, range.k1 - r.k0);
            r.add = g->accumulate ? g->accumulate : r.k0 > range.k0;
            r.last = r.k0 + r.kc >= range.k1;
            r.next = 0;
            pack_shared(&r, par);
            if (par->threads == 1)
                for (int64_t t = 0; t < tasks; t++)
                    run_block(&r, 0, t);
            else
                par_run(par, p->workers, run_blocks, &r);
            r.k0 += r.kc;
        } while (r.k0 < range.k1);
    }
}

static const KPar serial = {NULL, 1, NULL};

typedef struct Chunks {
    APART const Gemm *g;
    const GemmPlan *p;
    char *ws;
    REAL *sums;
    APART int64_t next;
} Chunks;

static void run_chunk(void *user, int worker)
{
    Chunks *c = user;
    const GemmPlan *p = c->p;
    char *ws = c->ws + (p->b_size + p->worker_size) * (size_t)worker;
    int64_t t;

    while ((t = __atomic_fetch_add(&c->next, 1, __ATOMIC_RELAXED)) < p->chunks) {
        Range range = {0, p->strips, 0, p->slivers, 0, c->g->k};
        int64_t n = p->by_rows ? p->strips : p->slivers;
        int64_t from = part_begin(n, p->chunks, t), to = part_begin(n, p->chunks, t + 1);

        if (p->by_rows)
            range.s0 = from, range.s1 = to;
        else
            range.j0 = from, range.j1 = to;
        run_range(c->g, p, &serial, ws, c->sums, range);
    }
}

static void run_whole(const Gemm *g, const GemmPlan *p, const KPar *par, char *ws)
{
    REAL *sums = p->sum_ld ? (REAL *)(ws + p->size - p->sum_size) : NULL;

    if (p->chunks > 1) {
        Chunks c = {.g = g, .p = p, .ws = ws, .sums = sums};

        par_run(par, p->workers, run_chunk, &c);
    } else {
        run_range(g, p, p->workers > 1 ? par : &serial, ws, sums,
                  (Range){0, p->strips, 0, p->slivers, 0, g->k});
    }
}

/* ---- small products --------------------------------------------------------------- */

/* Products of operands that fit the nearest caches, on one thread: nothing to plan or
 * pack. The tiles are those of the general way. Returns 0 if g is not one. */
static int run_small(const Gemm *g)
{
    int64_t strips, rows, extra, i0 = 0;

    if (g->k > SHORT_K || g->m > SMALL_M || g->panels ||
        g->n * g->k > NEAR_B / (int64_t)sizeof(REAL) || !is_plain(&g->a) ||
        !is_plain(&g->b) || g->b.si != 1 || g->c_type != REAL_TYPE || g->c_col != 1 ||
        g->map || has_epilogue(g) || (!TILE_MASKED && g->n % VL))
        return 0;
    strips = (g->m + SMALL_ROWS - 1) / SMALL_ROWS;
    rows = (int)g->m / (int)strips;
    extra = g->m - rows * strips;
    for (int64_t s = 0; s < strips; s++) {
        int64_t h = rows + (s < extra);
        const REAL *a = (const REAL *)g->a.p + i0 * g->a.si, *b = g->b.p;
        REAL *c = (REAL *)g->c + i0 * g->c_row;
        int64_t j = g->n;

        for (; j >= NR; j -= NR, b += NR, c += NR)
            tile_table[h - 1][1](g->k, a, g->a.si, g->a.sk, b, g->b.sk, c, g->c_row, VL,
                                 g->accumulate);
        if (j > 0)
            tile_table[h - 1][j > VL ? 1 + (j < NR) : 0](
                g->k, a, g->a.si, g->a.sk, b, g->b.sk, c, g->c_row,
                (int)(j > VL ? j - VL : j), g->accumulate);
        i0 += h;
    }
    return 1;
}

/* ---- splitting k ------------------------------------------------------------------ */

typedef struct Split {
    APART const Gemm *g;
    const GemmPlan *p;
    char *workers; /* workspace of each */
    size_t each;
    REAL *parts;
    int64_t ld;
    APART int64_t next;
} Split;

static void run_parts(void *user, int worker)
{
    Split *s = user;
    const GemmPlan *p = s->p;
    Gemm g = *s->g;
    int64_t t;

    g.c_type = REAL_TYPE;
    g.c_row = s->ld;
    g.c_col = 1;
    g.map = NULL;
    g.accumulate = g.relu = 0;
    g.scale = 0;
    g.bias_m = g.bias_n = NULL;
    g.tile = NULL;
    while ((t = __atomic_fetch_add(&s->next, 1, __ATOMIC_RELAXED)) < p->parts) {
        g.c = (char *)s->parts + p->part_size * (size_t)t;
        run_range(&g, s->p, &serial, s->workers + s->each * (size_t)worker, NULL,
                  (Range){0, p->strips, 0, p->slivers, t * p->part_k,
                          min64(g.k, (t + 1) * p->part_k)});
    }
}

static void sum_parts(void *user, int strip)
{
    Split *s = user;
    const Gemm *g = s->g;
    const GemmPlan *p = s->p;
    int64_t i0 = strip_begin(p, strip), i1 = strip_begin(p, strip + 1);

    for (int64_t j0 = 0; j0 < g->n; j0 += NR) {
        int cols = (int)min64(NR, g->n - j0);
        REAL *first = s->parts + i0 * s->ld + j0;

        for (int64_t i = 0; i < i1 - i0; i++) {
            for (int j = 0; j < cols; j += VL) {
                REAL *at = first + i * s->ld + j;
                V x = real_load(at);

                for (int64_t t = 1; t < p->parts; t++)
                    x += real_load(at + (size_t)t * (p->part_size / sizeof(REAL)));
                real_store(at, x);
            }
        }
        emit_tile(g, first, s->ld, i0, (int)(i1 - i0), j0, cols, g->accumulate, 1);
    }
}

static void run_split(const Gemm *g, const GemmPlan *p, const KPar *par, char *ws)
{
    Split s = {.g = g, .p = p, .ld = round_up(g->n, VL)};

    s.parts = (REAL *)ws;
    s.workers = ws + p->part_size * (size_t)p->parts;
    s.each = (p->size - p->part_size * (size_t)p->parts) / (size_t)p->workers;
    par_run(par, p->workers, run_parts, &s);
    par_run(par, p->strips, sum_parts, &s);
}

/* ---- B packed once ---------------------------------------------------------------- */

typedef struct PackB {
    const Gemm *g;
    REAL *to;
} PackB;

static void pack_b_sliver(void *user, int sliver)
{
    const PackB *p = user;
    const Gemm *g = p->g;
    int64_t j0 = (int64_t)sliver * NR;

    pack_operand(&g->b, j0, (int)min64(NR, g->n - j0), 0, g->k, p->to + j0 * g->k, NR);
}

size_t REAL_NAME(gemm_packed_size)(int64_t n, int64_t k)
{
    return (size_t)(round_up(n, NR) * k) * sizeof(REAL);
}

void REAL_NAME(gemm_pack_b)(const Gemm *g, const KPar *par, REAL *to)
{
    par_run(par, ceil_div(g->n, NR), pack_b_sliver, &(PackB){g, to});
}

/* ---- the product ------------------------------------------------------------------ */

size_t REAL_NAME(gemm_workspace)(const Gemm *g, int threads)
{
    GemmPlan p;

    plan_gemm(&p, g, threads);
    return p.size + 64;
}

/* Of all threads the packed B, or its group; the packed strips; the parts of a split, which
 * has few tiles. */
size_t REAL_NAME(gemm_most)(int64_t m, int64_t n, int64_t k, int threads)
{
    int64_t kc = min64(k, KC + 8), size = (int64_t)sizeof(REAL);
    int64_t b = min64(BLOCK_B, round_up(n, NR) * kc * size) + NR * kc * size;
    int64_t strips = m / STRIP_ROWS + 2 + threads;
    int64_t a = min64(BLOCK_A, strips * AW * kc * size) + AW * kc * size;
    int64_t split = k < 2 * SPLIT_K ? 0 : SPLIT_PARTS * (SPLIT_TILES * MR * NR * size + 64);

    return (size_t)(threads * (a + b + MR * NR * size + 256) + split + 64);
}

void REAL_NAME(gemm)(const Gemm *g, const KPar *par, void *workspace)
{
    GemmPlan p;
    char *ws = (char *)workspace + (-(uintptr_t)workspace & 63);

    if (g->m == 0 || g->n == 0)
        return;
    if ((!par->run || par->threads == 1 || g->m * g->n * g->k < SERIAL_WORK) &&
        run_small(g))
        return;
    plan_gemm(&p, g, par->run ? par->threads : 1);
    if (p.parts > 1)
        run_split(g, &p, par, ws);
    else
        run_whole(g, &p, par, ws);
}
