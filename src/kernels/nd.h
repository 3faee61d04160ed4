/* nd.h -- kernels over n-dimensional arrays: elementwise, casts, reductions, copies,
 * windows.
 *
 * Two parts, under the contracts of kernels.h. Inner loops work on contiguous elements
 * and are built for each instruction set (k_map_*.c, k_half.c). Drivers walk shapes and
 * strides, bring what is not contiguous into small blocks, and split large work into
 * tasks (map.c, reduce.c, move.c, window.c, scatter.c). How the work is split depends on
 * shapes alone, so results have equal bits for any number of threads.
 */
#ifndef WEFT_KERNELS_ND_H
#define WEFT_KERNELS_ND_H

#include "kernels.h"

#define K_RANK  32
#define K_TYPES (KT_F64 + 1)
#define K_TASK  32768 /* elements; arrays of fewer stay on the caller's thread */

static inline size_t k_size(KType t)
{
    return t == KT_BOOL || t == KT_I8 || t == KT_U8                    ? 1
           : t == KT_I16 || t == KT_U16 || t == KT_F16 || t == KT_BF16 ? 2
           : t == KT_I32 || t == KT_U32 || t == KT_F32                 ? 4
                                                                       : 8;
}

/* ---- inner loops: k_map_f32.c k_map_f64.c k_map_int.c k_half.c, cast.c ------------- */

/* The ops, by the names and in the order of the op table. */
typedef enum KMapOp {
#define OP(name, ver, nin, nout, family, flags) KM_##name,
#include "op/ops.def"
#undef OP
    KM_COUNT
} KMapOp;

#define K_MAP_IN  6
#define K_MAP_OUT 4

/* n elements, each operand and result contiguous; a result may be an operand. */
typedef void (*KLoop)(int64_t n, const void *const *in, void *const *out);
typedef void (*KCast)(int64_t n, const void *in, void *out);
/* One element of an op that has no loop, as its row has them (Lower in ir.h). t: the
 * stored type, a KType. */
typedef struct KEach {
    double (*real)(unsigned t, double x, double y);
    uint64_t (*whole)(unsigned t, uint64_t x, uint64_t y);
} KEach;
/* The sum, product, largest .. of n >= 1 elements: floats as a double, integers as 64
 * bits. */
typedef void (*KFold)(int64_t n, const void *x, void *out64);

typedef enum KFoldOp { KF_SUM, KF_PROD, KF_MAX, KF_MIN, KF_AND, KF_OR, KF_COUNT } KFoldOp;

/* Of one type of operands. NULL: no such op. f16 and bf16 have few and go through f32. */
typedef struct KTypeLoops {
    KLoop map[KM_COUNT];
    KFold fold[KF_COUNT];
} KTypeLoops;

typedef struct KHalf {
    KCast from_f16, from_bf16, to_f16, to_bf16; /* f32 on the other side */
    KLoop select[4]; /* by size of the elements: 1, 2, 4, 8 bytes */
} KHalf;

/* Windows over the two innermost axes of row-major planes, sizes below 2^31. */
typedef struct KPool {
    int64_t x[2], y[2]; /* sizes of a plane */
    int64_t window[2], stride[2], lo[2], dilation[2];
} KPool;

/* Planes first .. last-1 of x to y; place: of maxima, flat; not used by others. */
typedef void (*KPoolFn)(const KPool *p, int64_t first, int64_t last, const void *x,
                        void *y, int64_t *place);
typedef struct KPools { /* k_pool_f32.c k_pool_f64.c */
    KPoolFn max, max_only, sum; /* max_only: without places */
} KPools;

struct KFft; /* fft.h */

typedef struct KLoops {
    const KTypeLoops *type[K_TYPES];
    const KHalf *half;
    const KPools *pools[2]; /* of f32, of f64 */
    void (*const *fft[2])(const struct KFft *f, const void *x, void *y, const KPar *par, void *workspace);
} KLoops;

const KLoops *k_loops(void);        /* of the best instruction set of this machine */
const KLoops *k_loops_for(int isa); /* NULL when this build or machine does not have it */
KCast k_cast(const KLoops *loops, KType from, KType to);

/* ---- stage.h: parts of strided arrays made contiguous ------------------------------ */

/* An index space walked in row-major order. */
typedef struct KSpace {
    int rank;
    int64_t dims[K_RANK], stride[K_RANK]; /* no axes of size 1, merged where possible */
} KSpace;

/* ---- map.c: elementwise with broadcasting ------------------------------------------ */

/* out[i..] = op(in[i..]): results row-major, operands by strides. */
typedef struct KMap {
    KLoop loop; /* NULL: each, or a cast */
    KEach each;
    KType type, work; /* of operands as stored, and as each sees them */
    KCast widen[K_MAP_IN]; /* into what the loop works in, or NULL */
    KCast narrow;          /* back, for all results, or NULL */
    uint8_t nin, nout;
    uint8_t in_size[K_MAP_IN], out_size; /* of stored elements */
    uint8_t work_in[K_MAP_IN], work_out; /* of those the loop sees */
    uint8_t staged;                      /* something is widened or narrowed */
    int dense;                           /* bit i: operand i is row-major */
    int64_t count, task;                 /* elements, in all and of a task */
    const KSpace *space[K_MAP_IN];       /* of operands that are not dense */
} KMap;

/* 0 when there is no such op for the types: no loop, nor `each` (of one result, at most two operands). in_type: of each operand, as stored.
 * stride[i] NULL: row-major. The spaces of operands that are not dense are put into room
 * (nin of them), which must stay. */
int kmap_init(KMap *m, const KLoops *loops, KMapOp op, KEach each, int nin, int nout,
              const KType *in_type, KType out_type, int rank, const int64_t *dims,
              const int64_t *const *stride, KSpace *room);
/* The same for a cast. */
int kmap_init_cast(KMap *m, const KLoops *loops, KType from, KType to, int rank,
                   const int64_t *dims, const int64_t *stride, KSpace *room);
void kmap_run(const KMap *m, const void *const *in, void *const *out, const KPar *par);

/* ---- move.c: copies ---------------------------------------------------------------- */

/* dst[i..] = src[i..] for elements of size bytes (1, 2, 4, 8, 16), strides in elements.
 * Regions do not overlap. */
typedef struct KMove {
    int rank; /* after merging; largest strides of dst first */
    size_t size;
    int64_t count;
    int64_t dims[K_RANK], to[K_RANK], from[K_RANK];
} KMove;

void kmove_init(KMove *m, size_t size, int rank, const int64_t *dims, const int64_t *to,
                const int64_t *from);
void kmove_run(const KMove *m, void *dst, const void *src, const KPar *par);
void kmove_fill(size_t size, int64_t n, void *dst, const void *element, const KPar *par);
void k_row_major(int rank, const int64_t *dims, int64_t *stride);
int64_t
k_count(int rank,
        const int64_t *dims); /* elements; 0 whatever the other sizes are if one is 0 */

/* ---- reduce.c ---------------------------------------------------------------------- */

/* y[kept..] = combination of x over the reduced axes; y row-major. Of nothing: the
 * identity. */
typedef struct KReduce {
    const KLoops *loops;
    KFoldOp op;
    KType type;
    KType acc;           /* what rows are combined in: f32 for f16 and bf16, else type */
    KSpace kept, red;    /* axes of x that y has, and those reduced */
    int empty, none;     /* y has no elements; nothing is reduced into each */
    int64_t nout, nin;   /* elements of y; of x for each of y */
    int columns;         /* the innermost axis is kept: rows are combined with rows */
    int64_t units;       /* results, or strips of them */
    int64_t strips;      /* of a row of results */
    int64_t parts, part; /* of the reduced range: how many, how long; joined at the end */
    size_t workspace;    /* bytes */
} KReduce;

void kreduce_init(KReduce *r, const KLoops *loops, KFoldOp op, KType type, int rank,
                  const int64_t *dims, const int64_t *stride, const uint8_t *reduced);
void kreduce_run(const KReduce *r, const void *x, void *y, const KPar *par,
                 void *workspace);

/* The place of the first largest (smallest) element along an axis; NaN counts as such. x
 * is [outer, n, inner], row-major, n >= 1; out i32 or i64 [outer, inner]. */
void k_arg(int largest, KType type, KType out_type, int64_t outer, int64_t n,
           int64_t inner, const void *x, void *out, const KPar *par);

/* ---- cumulate.c -------------------------------------------------------------------- */

typedef enum KCumOp { KC_SUM, KC_PROD, KC_LOG_SUM, KC_MAX, KC_MIN, KC_RECUR } KCumOp;

typedef struct KCum {
    KCumOp op;
    KType type;
    int reverse;
    int64_t outer, n, inner; /* of x [outer, n, inner], row-major, along n */
} KCum;

/* b: of KC_RECUR, y = x y + b. place: of KC_MAX and KC_MIN, or NULL. y may be x or b. */
void k_cumulate(const KCum *c, const void *x, const void *b, void *y, int64_t *place,
                const KPar *par);

/* ---- window.c ---------------------------------------------------------------------- */

typedef struct KWindow {
    const KLoops *loops;
    KType type;
    int rank;
    int64_t x[K_RANK], y[K_RANK]; /* sizes */
    int64_t window[K_RANK], stride[K_RANK], lo[K_RANK], base[K_RANK], dilation[K_RANK];
} KWindow;

void k_window_sum(const KWindow *w, const void *x, void *y, const KPar *par);
/* The largest of each window (the lowest value if it is empty) and its flat place (-1), if
 * place is not NULL. */
void k_window_max(const KWindow *w, const void *x, void *y, int64_t *place,
                  const KPar *par);

/* ---- scatter.c --------------------------------------------------------------------- */

/* y[at[i]] += u[i] for i in 0..rows-1 in order, where 0 <= at[i] < n. f32 and f64: 1; of
 * other types it does nothing: 0. */
int k_scatter_add(KType type, int64_t n, void *y, int64_t rows, const int64_t *at,
                  const void *u, const KPar *par);

#endif
