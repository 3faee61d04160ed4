/* render.h -- what the renderers share: names, types and ops of the generated C.
 *
 * Vectors are those of lanes.h, of the set 's' (as many lanes as a vector has f32) or 'd'
 * (f64).
 */
#ifndef WEFT_RENDER_H
#define WEFT_RENDER_H

#include "codegen/codegen.h"

typedef struct Render {
    const Kernel *k;
    Arena *a;
    Text *t;
    char set; /* 's' or 'd' */
    int lanes;
    uint32_t tags; /* programs named so far */
    uint32_t vec;  /* the loop that vectors are taken along */
    bool narrow;   /* that is the rows' (render_narrow.c) */
} Render;

/* ---- render.c, for render_narrow.c and render_cuda.c ------------------------------- */

const char *render_dim(Render *r, Dim d);
/* "a3 + 4 * i0 + .." without the part of the loop that vectors are taken along */
const char *render_address(Render *r, const Access *at);
void define_node(Render *r, int depth, uint32_t i); /* const s_f32 v3 = ..; */
/* Nodes of a level (ONCE, ROW) known before walk `stage` and not earlier. */
void define_level(Render *r, int depth, NodeLevel level, uint32_t stage);
/* The reciprocal of a node, where some division wants it; and whether it can be used. */
void define_reciprocal(Render *r, int depth, uint32_t i);
void store_value(Render *r, int depth, const KernelOut *o, const char *v);
void point_to_arrays(Render *r);
void point_to_parts(Render *r);

/* ---- render_narrow.c --------------------------------------------------------------- */

void render_narrow(Render *r);

/* ---- render_op.c ------------------------------------------------------------------- */

/* Has the equation (LOWER_MAP, reduction, constant, iota, dim) a form in C? */
bool render_has(const Target *t, const Program *p, const Eqn *e);
/* render_unit.c: what ops of these kernels are that say it in C, for plain.h. */
void render_spelled_plain(const Kernel *const *k, uint32_t n, Text *out);
wf_dtype kept_dtype(wf_dtype t); /* in row buffers: f32 for half floats */
/* "s_f32": the vector of a dtype. */
const char *lane_type(const Render *r, wf_dtype t);
/* A vector of equal elements, from the bits of one. */
void render_const(const Render *r, wf_dtype t, uint64_t bits);
void render_identity(const Render *r, unsigned op, wf_dtype t);
/* op(args..), rounded to dtype `out` if that is a half float. in: dtypes of the args. */
void render_map(const Render *r, unsigned op, wf_dtype out, const wf_dtype *in,
                const char *const *args, uint32_t n);
/* Two kept values combined by a reduction's op. */
void render_combine(const Render *r, unsigned op, wf_dtype t, const char *x,
                    const char *y);

/* ---- render_cuda.c ----------------------------------------------------------------- */

void render_cuda(const Kernel *k, Arena *a, Text *out);
void render_cuda_head(const Kernel *const *k, uint32_t n, Text *out);
/* shape_cuda.c */
/* Is it an element for each of the last loop, one after the other? A load that a thread makes of V at once? */
bool render_cuda_is_vector(const Kernel *k, const Access *at);
bool render_cuda_is_loaded(const Kernel *k, const Node *n);
/* Is result j so large that none of it is in a cache when it is read? */
bool render_cuda_is_far(const Kernel *k, uint32_t j);
int64_t render_cuda_tasks(const Kernel *k, int64_t cols, double work); /* Target.tasks_of */

/* ---- render_scalar.c --------------------------------------------------------------- */

void render_scalar(Render *r);

/* ---- render_straight.c, render_dot.c ----------------------------------------------- */

void render_straight(Render *r);
void render_straight_text(const Kernel *k, Text *out);
void render_dot(Render *r); /* WkDot */
bool render_dot_fits(const Target *t, const KMatmul *d);

/* render_unit.c: what a unit of these kernels, of vectors, begins with; and what units of
 * any C do: WkArgs and little functions. */
extern const char render_args[];
void render_head(const Kernel *const *k, uint32_t n, Text *out);

#endif
