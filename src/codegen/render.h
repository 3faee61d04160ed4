/* render.h -- what the renderers share: names, types and ops of the generated C.
 *
 * Vectors are those of lanes.h, of the set 's' (as many lanes as a vector has f32) or 'd'
 * (f64).
 */
#ifndef WEFT_RENDER_H
#define WEFT_RENDER_H

#include "codegen/codegen.h"

typedef struct Render {
    Kernel *k;
    Arena *a;
    Text *t;
    char set; /* 's' or 'd' */
    int lanes;
    uint32_t tags; /* programs named so far */
    uint32_t vec;  /* the loop that vectors are taken along */
    bool narrow;   /* that is the rows' (render_narrow.c) */
} Render;

/* ---- render.c, for render_narrow.c ------------------------------------------------- */

void define_node(Render *r, int depth, uint32_t i); /* const s_f32 v3 = ..; */
void store_value(Render *r, int depth, const KernelOut *o, const char *v);
void point_to_arrays(Render *r);
void point_to_parts(Render *r);
bool is_final(const Kernel *k, uint32_t node); /* known when all rows are */
bool is_part(const Node *n);                   /* the same */
bool out_is_each(const Kernel *k, const KernelOut *o);
/* Does the reduction take its operand in this walk? */
bool reduces_in(const Node *n, uint32_t stage);

/* ---- render_narrow.c --------------------------------------------------------------- */

/* Rows shorter than a vector: are lanes to be rows? */
bool is_narrow(const Kernel *k, int lanes);
void render_narrow(Render *r);

/* ---- render_op.c ------------------------------------------------------------------- */

const char *c_type(wf_dtype t);  /* in memory: float, uint16_t for f16 .. */
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

/* ---- render_scalar.c --------------------------------------------------------------- */

void render_scalar(Render *r);
bool scalar_is_wide(const Program *p);

/* ---- render_straight.c, render_dot.c ----------------------------------------------- */

void render_straight(Render *r, Isa isa);
void print_straight(const Kernel *k, Text *out);
void render_dot(Render *r, Isa isa); /* WkDot */

/* render_unit.c: what a unit of these kernels begins with. */
void render_head(Kernel *const *k, uint32_t n, Isa isa, Text *out);

#endif
