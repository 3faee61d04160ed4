/* gemm_plan.h -- how a product is cut up: blocks of k, what is packed, who does what.
 *
 * Four ways to use several threads: chunks of columns or of rows that are products of
 * their own (large C), blocks of rows that share a packed B (small C), cells of a grid that
 * share a packed A and B (small C, many threads), and parts of k summed at the end (small C,
 * long k).
 */
#ifndef WEFT_KERNEL_GEMM_PLAN_H
#define WEFT_KERNEL_GEMM_PLAN_H

#include "gemm_tile.h"

#define KC          512         /* most k of a block */
#define BLOCK_A     (384 << 10) /* bytes of A a thread keeps packed: a share of L2 */
#define BLOCK_B     (4 << 20)   /* bytes of B kept packed: a share of L3 */
#define KEEP_A      (96 << 10)  /* operands no larger than this are used where they are */
#define KEEP_B      (192 << 10)
#define FEW_STRIPS  5           /* B read so often is not worth a copy */
#define NEAR_B      (20 << 10)  /* B this small stays in L1 */
#define FAR_C       (512 << 10) /* C this large does not stay in the caches */
#define SHORT_K     128         /* up to here tiles are smaller: their ends overlap */
#define STRIP_ROWS  (MR < 8 ? MR : 8)
#define SMALL_ROWS  (MR < 6 ? MR : 6) /* in run_small */
#define SMALL_M     256
#define SERIAL_WORK (1 << 17) /* multiply-adds below which threads do not pay */
#define CHUNK       128       /* least columns or rows of a chunk */
#define GRID_THREADS                                                                     \
    12 /* from here on, cells of a grid: a thread reads less of what others packed */
#define SPLIT_TILES 24   /* fewer tiles than this: split k */
#define SPLIT_K     1024 /* least length of a part */
#define SPLIT_PARTS 16   /* most parts */

typedef struct GemmPlan {
    APART int64_t strips;
    int64_t slivers;
    int64_t strip_rows;  /* of a strip */
    int64_t strip_extra; /* so many first strips have one row more */
    int64_t kc, kblocks;
    int64_t group;                  /* slivers packed together */
    int64_t row_blocks, col_blocks; /* tasks for each group and block of k */
    int64_t chunks;                 /* one thread each; 1: all share C */
    int by_rows;                    /* chunks are of rows, not of columns */
    int64_t parts, part_k;          /* of k; 1: no split */
    int direct_a, direct_b;
    int share_b;      /* B is read where it is, a part of its columns by each thread */
    int fetch_c;      /* C is not in the caches: fetch it ahead */
    int share_a;      /* A is packed by all threads, for the cells of a grid */
    int strips_outer; /* B is in the nearest cache: go along it strip by strip */
    int workers;
    int64_t sum_ld; /* row stride of the f32 sums of a narrow C; 0: none */
    size_t b_size, a_size, worker_size, sum_size, part_size,
        size; /* bytes, multiples of 64 */
} GemmPlan;

/* ---- planning --------------------------------------------------------------------- */

INLINE size_t align64(size_t n) { return (n + 63) & ~(size_t)63; }

INLINE int is_plain(const Operand *o) { return !o->pack && o->type == REAL_TYPE; }

static void plan_direct(const Gemm *g, GemmPlan *p)
{
    int64_t bytes_a = g->m * p->kc * (int64_t)sizeof(REAL);
    int64_t bytes_b = g->n * p->kc * (int64_t)sizeof(REAL);
    /* rows a multiple of 4 KB apart fall into the same cache sets */
    int clash_a = g->a.si * (int64_t)sizeof(REAL) % 4096 == 0 && g->m > 8;
    int clash_b = g->b.sk * (int64_t)sizeof(REAL) % 2048 == 0 && p->kc > 16;

    p->direct_a = is_plain(&g->a) &&
                  (p->slivers <= 2 || (bytes_a <= KEEP_A && !clash_a) || g->m <= 2);
    p->direct_b =
        g->panels || (is_plain(&g->b) && (g->b.si == 1 || g->n == 1) &&
                      (TILE_MASKED || g->n % VL == 0) &&
                      (g->m <= FEW_STRIPS * MR || (bytes_b <= KEEP_B && !clash_b)));
    p->strips_outer = bytes_b <= NEAR_B;
    p->fetch_c = g->m * g->n * (int64_t)sizeof(REAL) > FAR_C;
}

static void plan_tasks(GemmPlan *p, int threads)
{
    int64_t strip_bytes = AW * p->kc * (int64_t)sizeof(REAL);
    int64_t per_block = p->strips;

    /* strips packed together; unpacked ones are in the cache already */
    if (!p->direct_a && per_block * strip_bytes > BLOCK_A)
        per_block = max64(1, BLOCK_A / strip_bytes);
    p->workers = threads;
    p->row_blocks = p->strips <= per_block ? 1 : ceil_div(p->strips, per_block);
    p->col_blocks = 1;
    if (p->share_b) {
        p->col_blocks = threads;
    } else if (threads > 1) {
        p->row_blocks = min64(p->strips, round_up(p->row_blocks, threads));
        if (p->row_blocks % threads)
            p->col_blocks =
                min64(p->group, p->row_blocks < threads ? 2 * threads : threads);
    }
}

/* A grid of as many cells as threads, whose sides are as even as may be: a thread reads its
 * rows of A and its columns of B, which others packed for the most part. */
static void plan_grid(GemmPlan *p, const Gemm *g)
{
    int64_t bytes = p->strips * AW * p->kc * (int64_t)sizeof(REAL), rows = 1;

    if (p->workers < GRID_THREADS || p->direct_a || p->direct_b ||
        bytes > p->workers * BLOCK_A)
        return;
    for (int64_t r = 2; r <= p->workers; r++)
        if (p->workers % r == 0 &&
            g->m / r + g->n * r / p->workers < g->m / rows + g->n * rows / p->workers)
            rows = r;
    if (p->strips < rows || p->group < p->workers / rows)
        return;
    p->share_a = 1;
    p->row_blocks = rows;
    p->col_blocks = p->workers / rows;
    p->a_size = align64((size_t)bytes);
}

/* Of a worker: a tile, and the packed strips of a block, of so many in row_blocks. */
static size_t worker_bytes(const GemmPlan *p, int64_t strips)
{
    int64_t each = ceil_div(strips, max64(1, p->row_blocks)) * AW * p->kc;

    return align64(
        sizeof(REAL) * (size_t)(MR * NR + (p->direct_a || p->share_a ? 0 : each)) + 64);
}

/* Blocks of k and parts depend on the shape alone; how C is cut may depend on threads. */
static void plan_make(GemmPlan *p, const Gemm *g, int64_t k, int threads)
{
    *p = (GemmPlan){.slivers = ceil_div(g->n, NR), .kblocks = 1, .kc = k};
    if (k > KC) {
        p->kc = round_up(ceil_div(k, ceil_div(k, KC)), 8);
        p->kblocks = ceil_div(k, p->kc);
    }
    p->parts = p->chunks = 1;
    p->part_k = k;
    plan_direct(g, p);
    p->share_b = threads > 1 && p->direct_b && p->slivers >= 4 * threads &&
                 g->n * p->kc * (int64_t)sizeof(REAL) > KEEP_B;
    p->strips = ceil_div(g->m, k <= SHORT_K ? STRIP_ROWS : MR);
    if (threads > 1 && p->strips > threads && !p->share_b) /* as many for each */
        p->strips = min64(g->m, round_up(p->strips, threads));
    if (p->strips) {
        p->strip_rows = g->m / p->strips;
        p->strip_extra = g->m - p->strips * p->strip_rows;
    }
    p->group = p->slivers;
    if (!p->direct_b && p->group * NR * p->kc * (int64_t)sizeof(REAL) > BLOCK_B)
        p->group = max64(1, BLOCK_B / (NR * p->kc * (int64_t)sizeof(REAL)));
    plan_tasks(p, g->m * g->n * k < SERIAL_WORK ? 1 : threads);
    plan_grid(p, g);

    p->b_size = p->direct_b ? 0 : align64((size_t)(p->group * NR * p->kc) * sizeof(REAL));
    p->worker_size = worker_bytes(p, p->strips);
    p->sum_ld = g->c_type != REAL_TYPE && p->kblocks > 1 ? round_up(g->n, VL) : 0;
    p->sum_size = align64((size_t)(g->m * p->sum_ld) * sizeof(REAL));
    p->part_size = 0;
    p->size = p->b_size + p->a_size + p->worker_size * (size_t)p->workers + p->sum_size;
}

/* A split: every part is a product of its own, run by one thread into sums of its own. */
static void plan_split(GemmPlan *p, const Gemm *g, int threads)
{
    int64_t tiles = ceil_div(g->m, MR) * p->slivers, parts = 1;
    Gemm part = *g;

    while (parts < SPLIT_PARTS && 2 * parts * SPLIT_K <= g->k)
        parts *= 2;
    if (tiles == 0 || tiles >= SPLIT_TILES || parts < 2)
        return;
    part.c_type = REAL_TYPE;
    part.map = NULL;
    plan_make(p, &part, ceil_div(g->k, parts), 1);
    p->part_k = ceil_div(g->k, parts);
    p->parts = ceil_div(g->k, p->part_k);
    p->workers = (int)min64(p->parts, threads);
    p->part_size = align64((size_t)(g->m * round_up(g->n, VL)) * sizeof(REAL));
    p->size = p->size * (size_t)p->workers + p->part_size * (size_t)p->parts;
}

/* What packing an element costs: a copy, a transpose, or a function. */
INLINE int64_t pack_cost(const Operand *o) { return o->pack ? 4 : o->si == 1 ? 1 : 2; }

/* C dealt out in chunks: each thread packs what it uses, nothing passes between them and
 * nobody waits. Of the operand that all chunks share each packs a copy. By columns, B's
 * share stays in the second cache; by rows where copies of A cost more than that. */
static void plan_chunks(GemmPlan *p, const Gemm *g, int threads)
{
    int by_rows = g->panels ||
                  (!p->direct_a && g->m * pack_cost(&g->a) > 2 * g->n * pack_cost(&g->b));

    if (by_rows ? g->m < CHUNK * threads : g->n < CHUNK * threads)
        by_rows = !by_rows;
    plan_make(p, g, g->k, 1);
    p->by_rows = by_rows;
    p->chunks = threads;
    if ((by_rows ? g->m / 2 : g->n) >= 4 * CHUNK * threads)
        p->chunks *= 2;
    if (by_rows) {
        int64_t strips = ceil_div(p->strips, p->chunks);

        p->row_blocks = ceil_div(strips * p->row_blocks, p->strips);
        p->worker_size = worker_bytes(p, strips);
    } else {
        p->group = min64(p->group, ceil_div(p->slivers, p->chunks));
    }
    if (!p->direct_b)
        p->b_size = align64((size_t)(p->group * NR * p->kc) * sizeof(REAL));
    p->workers = threads;
    p->size = (p->b_size + p->worker_size) * (size_t)threads + p->sum_size;
}

INLINE void plan_gemm(GemmPlan *p, const Gemm *g, int threads)
{
    plan_make(p, g, g->k, threads < 1 ? 1 : threads);
    if (g->k >= 2 * SPLIT_K)
        plan_split(p, g, threads < 1 ? 1 : threads);
    if (p->parts == 1 && p->workers > 1 &&
        (!p->direct_b || (g->panels && g->m >= CHUNK * p->workers)) &&
        max64(g->m, g->n) >= CHUNK * p->workers)
        plan_chunks(p, g, p->workers);
}

INLINE int64_t strip_begin(const GemmPlan *p, int64_t strip)
{
    return strip * p->strip_rows + min64(strip, p->strip_extra);
}

/* count things cut into n parts as evenly as possible: where part i begins */
INLINE int64_t part_begin(int64_t count, int64_t n, int64_t i)
{
    return n == 1 ? i * count : i * (count / n) + min64(i, count % n);
}

#endif
