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
} Render;

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

#endif
