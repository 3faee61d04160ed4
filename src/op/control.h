/* control.h -- what the rules of ops with sub-programs share.
 *
 *   Nest      builds a sub-program over values and symbols around it    op_control.c
 *   sub_*     a sub-program transformed, for use at the same place      op_control.c
 *   split_*   a sub-program split into known and rest                   op_split.c
 *   loop_*    what scan and while do alike                              op_loop.c
 *   custom_*  rules that refer to themselves                            transform/custom.c
 */
#ifndef WEFT_CONTROL_H
#define WEFT_CONTROL_H

#include "transform/transform.h"

#include <stddef.h>

/* ---- op_control.c: sub-programs over the symbols of the program around them ---- */

/* A sub-program under construction whose symbols are those of `outer`, by name, so that
 * types and dims of outer can be said in it, and several sub-programs inlined into it. */
typedef struct Nest {
    Builder *outer, *b;
    Dim *map; /* outer symbol -> dim of b; DIM_NONE: not yet there */
    uint32_t nmap;
} Nest;

void nest_begin(Nest *n, Builder *outer, const char *name, Place place);
Dim nest_dim(Nest *n, Dim outer_dim);
Type nest_type(Nest *n, Type outer_type); /* its dims need not be interned */
Val nest_input(Nest *n, Type outer_type, const char *name);
Sub nest_sub(Nest *n, const Sub *s); /* binds said in n->b */
/* The equations of s (binds in outer) on values of n->b. */
bool nest_inline(Nest *n, const Sub *s, const Val *in, Val *out);
Sub nest_end(Nest *n, const Val *outs, uint32_t nouts);

const char *input_name(const Program *p, uint32_t i);     /* NULL: none */
Type elem_type(Type stacked);                             /* without its first axis */
Type stack_type(Builder *b, Type type, Dim length);       /* with one more */
Type op_sub_type(Builder *b, const Sub *s, Type of_program); /* a type of s->p, in b */
bool type_has_symbol(const Program *p, Type type, SymOrigin origin);
void op_used_inputs(const Program *p, bool *used);

/* Scratch arrays that live as long as the builder. */
#define NEW(b, n, T) ((T *)arena_zalloc(&(b)->arena, ((size_t)(n) + 1) * sizeof(T)))
uint32_t count_true(const bool *v, uint32_t n);
Val zeros_if_none(Builder *b, Val v, Type type);
void nonzero_of(const Val *v, uint32_t n, bool *out); /* out[i] = v[i] != VAL_NONE */
/* v followed by those of dv that are there; returns how many in all. */
uint32_t join_nonzero(const Val *v, uint32_t n, const Val *dv, Val *out);
/* Hands out tangents (or cotangents) that stand in v in order, to the places where nz. */
uint32_t op_spread(const Val *v, const bool *nz, uint32_t n, Val *out);

/* s batched. axis, want, out_axis as for xf_batch. */
Sub op_sub_batch(Builder *b, const Sub *s, const Batch *bt, const int *axis,
              const bool *want, int *out_axis);
/* Axis `axis` (-1: none) of v moved to the front; broadcast there if it has none and all.
 */
Val batch_to_front(Builder *b, Val v, int axis, Dim size, bool all);

/* The same sub-program, its binds said in rest. */
Sub op_sub_rest(PartitionRule *r, const Sub *s);
/* partition, transpose of "call s" on operands of the equation from `first` on. */
bool partition_sub(PartitionRule *r, const Sub *s, uint32_t first);
void transpose_sub(Builder *b, const Sub *s, const Val *in, uint32_t nin, const Val *gy,
                   Val *gx);
/* The transpose of an equation by splitting it into what depends on the linear operands
 * and what does not, and transposing the former. False when the rest of the split is no
 * simpler. */
bool transpose_by_split(Builder *b, const EqnView *e, const Val *gy, Val *gx);
/* The equation alone, as a program of its operands. */
Sub equation_as_sub(Builder *b, const EqnView *e);

/* ---- op_split.c ---- */

/* xf_partition for a sub-program whose residuals must leave it: where the size of one is
 * a symbol that the sub-program itself defines, which has no meaning outside, rest
 * computes from the known inputs instead. */
bool split_sub(wf_ctx *cx, const Program *p, const bool *in_known,
               const bool *want_unknown, Split *out);
/* The residuals of a split become known inputs, and the results that policy lets it keep;
 * rest computes everything else again. */
bool split_recompute(wf_ctx *cx, const Program *p, const bool *in_known, int policy,
                     Split *s);

/* ---- op_loop.c: loops with carries ---- */

/* The body of a scan or while: (constants.., carries.., slices..) -> (carries.., rows..).
 */
typedef struct Loop {
    Builder *b;
    const Sub *body;
    uint32_t nconst, ncarry, nxs, nys;
} Loop;

/* The jvp of the body with the carries that get a tangent found: in_nz is extended to
 * them. */
const Program *loop_jvp(const Loop *l, bool *in_nz, bool *out_nz);
/* As inputs and outputs in order, tangents behind their part:
 * (c, dc, x, dx, s, ds) -> (x, dx, y, dy); in_type in b, of slices. */
Sub loop_jvp_body(const Loop *l, const Program *jvp, const Type *in_type,
                  const bool *in_nz, const bool *out_nz, Place place);

enum {
    RES_INPUT, /* a constant or slice of the body: the rest takes that operand itself */
    RES_INVARIANT, /* depends on constants only: computed once, before the loop */
    RES_STACKED    /* differs from turn to turn: the known loop stacks it */
};
typedef struct LoopSplit {
    Split s;
    bool *in_known;  /* inputs of the body */
    uint32_t nknown; /* results of the body that are known */
    uint8_t *res;    /* RES_ of each residual */
    uint32_t nstacked;
} LoopSplit;

/* Split the body; carries that become unknown found. known[i]: operand i is known at the
 * start. */
bool loop_split(const Loop *l, const bool *known, LoopSplit *out);
/* The invariant residuals, computed in l->b from the operands `in` (VAL_NONE where
 * unknown). */
void loop_invariants(const Loop *l, const LoopSplit *ls, const Val *in, Val *out);

/* A turn that may not be made. In n->b: cond(flag, x..) of [hold, s], s: (x..) ->
 * (carries.., rows..), binds of s in n->outer; its carries are the ncarry inputs from
 * `first` on. Not made, carries stay and rows are zero. */
bool loop_guarded_turn(Nest *n, Val flag, const Sub *s, const Val *x, uint32_t nin,
                       uint32_t first, uint32_t ncarry, Place place, Val *out);

/* Operands of a loop that is being made, and the inputs of its body (in nest) that they
 * are. */
typedef struct LoopArgs {
    Nest nest;
    Val *arg, *in;
    uint32_t n, nconst, ncarry;
} LoopArgs;
Val loop_arg(LoopArgs *w, Val v, bool slice,
             const char *name); /* one more; gives the input */
/* The results of the loop that is left of a partitioned one: those that are not known, in order. False after an error. */
bool loop_rest(PartitionRule *r, const bool *known, const Val *out);

/* ---- op_scan.c, op_scan_split.c ---- */

Loop scan_loop(Builder *b, const ScanAttr *a);
Type *scan_slice_types(
    Builder *b,
    const EqnView *e); /* of the body's inputs: slices without the first axis */
bool partition_scan(PartitionRule *r);

/* ---- op_while.c, op_while_batch.c, op_while_split.c ---- */

/* The operands from the body's constants on are the inputs of the body. */
Loop while_loop(Builder *b, const WhileAttr *a, uint32_t nin);
void batch_while(Builder *b, const EqnView *e, const Batch *bt, Val *out, int *out_axis);
bool partition_while(PartitionRule *r);

/* ---- op_spmd.c ---- */

/* The results of an spmd as those of one program: its body batched over the devices. */
bool op_spmd_as_batch(Builder *b, const SpmdAttr *a, const Val *in, uint32_t nin, Val *out);

/* ---- transform/custom.c ---- */

/* A program with every `self` equation of this op given the rules of attr. */
const Program *custom_fill(wf_ctx *cx, const Program *p, OpCode op, const void *attr);
bool custom_has_self(const Program *p, OpCode op);
/* copier_eqn without prints and asserts, in sub-programs too. */
bool xf_copy_pure(Copier *c, const Eqn *e);

#endif
