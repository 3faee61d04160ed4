/* dot.c -- products by kernels of our own (products.cuh): those of any strides, for which the library has none, and narrow
 * ones, at which it may be slower: its tiles would be mostly empty.
 */
#include "cuda/cuda.h"
#include "codegen/render.h"

#include <stdio.h>

#define THIN_LEAST 4   /* columns */
#define THIN_MOST  20
#define THIN_SUM   64  /* terms, from which on it pays to share a sum */
#define FLAT_MOST  16  /* terms */
#define FLAT_SIDE  64  /* rows and columns, from which on */
#define THIN_ROWS  4   /* of a thread; as in products.cuh */
#define THIN_ROOM  320 /* bytes of a row of b, times warps that have room for theirs; at most 8 */
#define FLAT_ROWS  16
#define FLAT_COLS  256

static bool is_narrow(int64_t n) { return n >= THIN_LEAST && n <= THIN_MOST; }

/* The same product of both turned: C' = B' A'. */
static NDot turned(const NDot *x)
{
    return (NDot){.m = x->n, .n = x->m, .k = x->k, .a_row = x->b_col, .a_col = x->b_row, .b_row = x->a_col,
                  .b_col = x->a_row, .c_row = x->c_col, .c_col = x->c_row, .turned = 1};
}

/* What the macro of products.cuh is told of types. */
static void write_typed(char (*what)[128], const char *name, const KMatmul *m)
{
    wf_dtype t = (wf_dtype)m->a_type, z = (wf_dtype)m->c_type;

    snprintf(*what, sizeof *what, "%s, %s, %s, %s, %s, %s)", name, wf_dtype_name(t), render_type(t), render_type(kept_dtype(t)),
             wf_dtype_name(z), render_type(z));
}

/* A block for 4 rows, or 16 where rows lie together, of as many warps as have something to do and room for their rows of b. */
static void shape_thin(CudaDot *out, int64_t size, char (*name)[48])
{
    const NDot *x = &out->args;
    bool turns = x->a_col != 1, pieces = x->b_col == 1 && x->b_row == x->n && x->n * 4 * size % 16 == 0;
    int rows = turns ? 4 * THIN_ROWS : THIN_ROWS, warps = 1;
    int64_t terms = 4 * 32 * THIN_ROWS / rows; /* that a warp has at a time */

    while (2 * warps * MAX(x->n * size, THIN_ROOM / 8) <= THIN_ROOM && warps * terms < x->k)
        warps *= 2;
    snprintf(*name, sizeof *name, "DOT_THIN(%d, %s, %s, %d", warps, turns ? "true" : "false",
             pieces ? "N_B_ROWS" : x->b_row == 1 ? "N_B_TURNED" : "0", (int)x->n);
    out->gx = (x->m + rows - 1) / rows;
    out->gy = 1;
    out->threads = 32 * (unsigned)warps;
}

bool cuda_dot(Cuda *d, wf_ctx *cx, const KMatmul *m, bool narrow, CudaDot *out)
{
    NDot x = {.m = m->m, .n = m->n, .k = m->k, .a_row = m->a_row, .a_col = m->a_col, .b_row = m->b_row,
              .b_col = m->b_col, .c_row = m->n, .c_col = 1};
    char name[48], what[128];

    if (narrow && x.k >= THIN_SUM && is_narrow(x.m) && !is_narrow(x.n))
        x = turned(&x);
    *out = (CudaDot){.args = x, .threads = CUDA_BLOCK};
    if (!narrow) {
        write_typed(&what, "DOT(n_dot", m);
        out->gx = (x.n + 15) / 16;
        out->gy = (x.m + 15) / 16;
    } else if (x.k >= THIN_SUM && is_narrow(x.n) && x.m >= x.n && (x.a_row == 1 || x.a_col == 1)) {
        shape_thin(out, (int64_t)k_size(m->b_type), &name);
        write_typed(&what, name, m);
    } else if (x.k <= FLAT_MOST && x.m >= FLAT_SIDE && x.n >= FLAT_SIDE) {
        snprintf(name, sizeof name, "DOT_FLAT(%d", (int)x.k);
        write_typed(&what, name, m);
        out->gx = (x.n + FLAT_COLS - 1) / FLAT_COLS;
        out->gy = (x.m + FLAT_ROWS - 1) / FLAT_ROWS;
    } else {
        return false;
    }
    out->function = cuda_native(d, cx, what);
    return out->function || !narrow;
}

bool cuda_put_dot(CudaQueue *q, const CudaDot *dot, const void *a, const void *b, void *c)
{
    NDot x = dot->args;

    x.a = x.turned ? b : a;
    x.b = x.turned ? a : b;
    x.c = c;
    return cuda_launch(q, dot->function, dot->gx, dot->gy, dot->threads, &x);
}
