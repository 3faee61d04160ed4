/* kernels.h -- hand-tuned kernels, compiled once for each instruction set and chosen at
 * run time.
 *
 * Every source k_<job>.c is built three times on x86-64 (KERNEL_ISA 0 baseline, 1
 * AVX2+FMA, 2 AVX-512 f/bw/vl/dq) and once (0) elsewhere, and exports one const table
 * whose name ends in the instruction set. kernels_select.c gathers the tables. The
 * sources need nothing but <stdint.h>, <stddef.h>, <string.h> and the headers of this
 * folder, so that they can also be compiled inside generated programs.
 *
 * Contracts common to all kernels
 *   strides    in elements, may be 0 (broadcast) or negative for inputs
 *   alignment  of the element is enough
 *   memory     kernels allocate nothing: ask *_workspace, pass so many bytes, unaligned
 *   threads    equal bits for any thread count: sums are cut up by shape alone
 *   empty      sizes may be 0
 */
#ifndef WEFT_KERNELS_H
#define WEFT_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#ifndef KERNEL_ISA
#define KERNEL_ISA 0
#endif
#define KERNEL_CAT_(a, b) a##b
#define KERNEL_CAT(a, b)  KERNEL_CAT_(a, b)
#if KERNEL_ISA == 0
#define KERNEL_NAME(x) KERNEL_CAT(x, _base)
#elif KERNEL_ISA == 1
#define KERNEL_NAME(x) KERNEL_CAT(x, _avx2)
#else
#define KERNEL_NAME(x) KERNEL_CAT(x, _avx512)
#endif

/* ---- types and threads ------------------------------------------------------------ */

/* The codes of wf_dtype (kernels_select.c checks that they agree). */
typedef enum KType {
    KT_BOOL = 1,
    KT_I8,
    KT_I16,
    KT_I32,
    KT_I64,
    KT_U8,
    KT_U16,
    KT_U32,
    KT_U64,
    KT_F16,
    KT_BF16,
    KT_F32,
    KT_F64
} KType;

/* How to run tasks: run(ctx, n, fn, user) calls fn(user, i) for i in 0..n-1 on any
 * threads and returns when all are done. run NULL: on the caller's thread. */
typedef struct KPar {
    void *ctx;
    int threads; /* how many tasks can run at once, at least 1 */
    void (*run)(void *ctx, int n, void (*fn)(void *user, int i), void *user);
} KPar;

/* ---- k_matmul_*.c: C = A·B -------------------------------------------------------- */

#define K_BATCH 4 /* most batch dimensions; callers merge or loop over further ones */

/* A finished piece of C, of the type of the sums, before narrowing to c_type. */
typedef struct KTile {
    void *c;            /* element (row, col); unit column stride */
    int64_t ld;         /* row stride */
    int64_t row, col;   /* its place in C */
    int64_t rows, cols; /* its size */
    int64_t batch;      /* index over all batch dimensions, row-major */
} KTile;

/* What happens to C after the sum: * scale, + bias, then relu (NaN stays NaN), then
 * tile(), each optional. tile() may change the piece in place while it is in the nearest
 * cache; it is called exactly once for every element, from several threads at a time. */
typedef struct KEpilogue {
    double scale;       /* 0: none */
    const void *bias_m; /* [m], one for each row of C, of the accumulation type */
    const void *bias_n; /* [n], one for each column */
    int relu;
    void (*tile)(void *user, const KTile *tile);
    void *user;
} KEpilogue;

/* Products of more rows and columns than these hand out their result in pieces; others
 * have kernels that do not. */
#define K_PIECE_ROWS    64
#define K_PIECE_COLUMNS 16

/* C[b,i,j] = epilogue(sum_k A[b,i,k] * B[b,k,j] (+ C[b,i,j]))
 * Types: all f64; or a, b and c each of f32, f16, bf16, summed in f32; or a and b each of
 * i8, u8, i16 and c i32, modulo 2^32, where accumulate is 0, the epilogue has a tile() alone
 * and, if it has one, c is not written. C's elements must not overlap each other or the
 * inputs. */
typedef struct KMatmul {
    KType a_type, b_type, c_type;
    int accumulate; /* 1: add to what C holds; -1: C less the sum */
    int64_t m, n, k;
    const void *a;
    int64_t a_row, a_col; /* strides of i and k */
    const void *b;
    int64_t b_row, b_col; /* strides of k and j */
    void *c;
    int64_t c_row, c_col;
    int nbatch; /* 0..K_BATCH */
    int64_t batch[K_BATCH], a_batch[K_BATCH], b_batch[K_BATCH], c_batch[K_BATCH];
    KEpilogue epilogue;
    const void *packed; /* not NULL: what pack() made of b, which is then not read */
} KMatmul;

/* A B that stays the same can be packed once, for any a, c and number of threads:
 * packed_size (of 0: that would gain nothing, packed stays NULL) bytes, better at a
 * multiple of 64. Workspace is asked for with packed set. The bits are the same. */
typedef struct KMatmulTable {
    size_t (*workspace)(const KMatmul *x, int threads);
    void (*run)(const KMatmul *x, const KPar *par, void *workspace);
    size_t (*packed_size)(const KMatmul *x);
    void (*pack)(const KMatmul *x, const KPar *par, void *to);
    /* As many bytes as any product without batch of at most these sizes asks for. */
    size_t (*most)(int64_t m, int64_t n, int64_t k, int threads);
} KMatmulTable;

/* ---- k_conv_*.c: convolution ------------------------------------------------------ */

#define K_SPATIAL 3

/* out[n,o,p] = epilogue(sum_{c,t} x[n, g*C/groups + c, i] * w[o, c, t])   g = group of o
 *   i = (p*stride + t*w_dilation - pad_lo) / x_dilation, in every spatial dimension,
 *   where that division is exact and i lies inside the input; other terms are 0.
 * Types as for matmul; of integers x_dilation is 1. The epilogue's bias_m is one value for each output channel; scale
 * and bias_n are not used. tile() sees channels as rows, the pixels of one image (row-major) as
 * columns and the image as batch, and needs out_type to be the accumulation type. pad_lo
 * may be negative; the high padding is implied by out_size. */
typedef struct KConv {
    KType x_type, w_type, out_type;
    int spatial; /* 1..K_SPATIAL */
    int64_t batch, groups;
    int64_t in_channels;  /* in all groups; divisible by groups */
    int64_t out_channels; /* in all groups; divisible by groups */
    int64_t x_size[K_SPATIAL], w_size[K_SPATIAL], out_size[K_SPATIAL];
    int64_t stride[K_SPATIAL], pad_lo[K_SPATIAL], x_dilation[K_SPATIAL],
        w_dilation[K_SPATIAL];
    const void *x; /* [batch, in_channels, x_size], strides: */
    int64_t x_batch, x_channel, x_step[K_SPATIAL];
    const void *w; /* [out_channels, in_channels/groups, w_size] */
    int64_t w_out, w_in, w_step[K_SPATIAL];
    const void *packed; /* not NULL: what pack() made of w, which is then not read */
    void *out; /* [batch, out_channels, out_size] */
    int64_t out_batch, out_channel, out_step[K_SPATIAL];
    KEpilogue epilogue;
} KConv;

/* Filters that stay the same can be packed once, for any x, out and number of threads:
 * packed_size (of 0: there is nothing to pack, packed stays NULL) bytes, better at a
 * multiple of 64. Workspace is asked for with packed set. The way of computing may be
 * another than without. */
typedef struct KConvTable {
    size_t (*workspace)(const KConv *x, int threads);
    void (*run)(const KConv *x, const KPar *par, void *workspace);
    size_t (*packed_size)(const KConv *x);
    void (*pack)(const KConv *x, const KPar *par, void *to);
} KConvTable;

/* ---- kernels_select.c: the tables of one instruction set -------------------------- */

struct KLinalgTable; /* linalg.h */

typedef struct Kernels {
    const KMatmulTable *matmul_f32, *matmul_f64; /* by accumulation type */
    const KConvTable *conv_f32, *conv_f64;
    const KMatmulTable *matmul_narrow; /* of i8, u8, i16, summed in i32: k_narrow.c */
    const KConvTable *conv_narrow;
    const struct KLinalgTable *linalg_f32, *linalg_f64;
} Kernels;

/* isa is base.h's Isa. NULL when this build or this machine does not have it. */
const Kernels *kernels_for(int isa);
const Kernels *kernels_best(void);

/* The same by type. The workspace functions give 0 bytes and the others do nothing
 * (returning 0) when the types have no kernel; 1 when done. */
size_t kernels_matmul_workspace(const Kernels *k, const KMatmul *x, int threads);
int kernels_matmul(const Kernels *k, const KMatmul *x, const KPar *par, void *workspace);
size_t kernels_matmul_packed_size(const Kernels *k, const KMatmul *x);
void kernels_matmul_pack(const Kernels *k, const KMatmul *x, const KPar *par, void *to);
size_t kernels_conv_workspace(const Kernels *k, const KConv *x, int threads);
int kernels_conv(const Kernels *k, const KConv *x, const KPar *par, void *workspace);
size_t kernels_conv_packed_size(const Kernels *k, const KConv *x);
void kernels_conv_pack(const Kernels *k, const KConv *x, const KPar *par, void *to);

#endif
