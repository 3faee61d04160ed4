/* transform.h -- program -> program. One derivative rule per op gives every mode:
 *
 *   jvp        forward mode, rule by rule                                    jvp.c
 *   partition  split a program by what is known first                        partition.c
 *   transpose  run a linear program backwards                                transpose.c
 *   vjp        = jvp, partition, transpose; linearize, grad                  vjp.c
 *   jacobians, hessian, hvp                                                  jacobian.c
 *   vmap       a batch axis through every op                                 vmap.c
 *   shard      how values lie on a mesh                                      shard.c
 *   spread     the work of a program divided among its devices               spread.c
 *   vary       what differs from device to device, and where it begins      vary.c
 *   split      ahead-of-time forward and backward, min-cut of what to save   split.c
 *   record     the same for forward and derivative, of calls that are recorded
 *   bind       inputs become constants                                       bind.c
 *
 * The four program-level functions that rules of control flow need (xf_jvp, xf_partition,
 * xf_transpose, xf_batch) are declared in ir/ir.h. All results are held by the pool of
 * the current API call.
 */
#ifndef WEFT_TRANSFORM_H
#define WEFT_TRANSFORM_H

#include "op/op.h"

/* ---- partition.c: what the partition rule of an op with sub-programs sees ---------- */

/* The equation has some known operands, some not. The rule emits what is known into
 * `known`, the rest into `rest`, and says for each result where it is. `known` and `rest`
 * may be one and the same builder (vjp.c splits in place); a rule sees no difference if
 * it takes values from one to the other only by partition_residual, dims by
 * partition_dim, and keeps to ek when it emits into known, er into rest. */
struct PartitionRule {
    wf_ctx *cx;
    Builder *known, *rest;
    EqnView ek; /* values, types and dims of `known`; in[i] VAL_NONE where the operand is
                   unknown */
    EqnView er; /* of `rest`; in[i] VAL_NONE where the operand is known
                   (partition_residual of ek.in[i] brings it) */
    Val *out_known; /* result j in `known`, or VAL_NONE (as given) if it is unknown */
    Val *out_rest;  /* result j in `rest`, for the unknown ones */
};
/* A value of `known` made available in `rest` (a residual, each once; constants and what
 * is cheaper to make again than to keep, a broadcast say, are copied instead). */
Val partition_residual(PartitionRule *r, Val known_value);
/* A dim of `known` as a dim of `rest`: symbols by name, also those defined by equations
 * of `known`. */
Dim partition_dim(PartitionRule *r, Dim known_dim);

/* ---- what the drivers share -------------------------------------------------------- */

/* common.c: "f" + "grad" -> "f_grad", in scratch */
const char *xf_name(wf_ctx *cx, const char *base, const char *suffix);
/* "d" + the name of value v of p -> "d_x"; NULL if v has no name */
const char *xf_val_name(wf_ctx *cx, const Program *p, const char *prefix, Val v);
/* Every index of wrt is an input, once, and a float; wrt as flags, one for each input, or
 * NULL after an error that begins with what. */
bool *xf_wrt(wf_ctx *cx, const Program *p, const int *wrt, int nwrt, const char *what);
/* A rule made something of the wrong type: WF_ERR_INTERNAL. Always false. */
bool xf_bad_rule(Builder *b, unsigned op, const char *rule, Place place, Type got,
                 Type want);
/* For a program made by a transform and inlined into b: its symbols by name among those
 * of b, or by `fresh` (the dim of symbol fresh_name). In b's arena. */
const Dim *xf_binds(Builder *b, const Program *p, const char *fresh_name, Dim fresh);

/* Two programs, the last results of first being the first nres inputs of second: make
 * sure that second has every symbol it uses bare in an input's shape. A symbol that has
 * not gets an input bool[N,0], which first makes; it stands behind the others and holds
 * no bytes. */
bool xf_close(wf_ctx *cx, const Program *first, const Program *second, uint32_t nres,
              const Program **out_first, const Program **out_second);
/* Symbols of a program that some equations define, and who uses them. */
typedef struct SymbolMarks {
    const Program *p;
    bool *sym,
        *node; /* for each symbol, for each dim: is it, does it mention, a marked one? */
    bool any;
} SymbolMarks;
void marks_init(SymbolMarks *m, const Program *p, Arena *a);
void marks_add(SymbolMarks *m, const Eqn *e);         /* mark what e defines */
bool marks_touch(const SymbolMarks *m, const Eqn *e); /* does e use a marked one? */
/* p with only these results, in this order */
const Program *xf_select(wf_ctx *cx, const Program *p, const uint32_t *outs, uint32_t n);

/* jvp.c: emit the equations of c->from and their tangents. tangent: for each value of
 * c->from, those of the inputs given; VAL_NONE is zero. */
bool jvp_emit(Copier *c, Val *tangent);
/* (x.., dx in the given order) -> (y.. if with_y, dy for each j with out_nz[j]); want as
 * in xf_jvp */
const Program *jvp_program(wf_ctx *cx, const Program *p, const int *order, int nwrt,
                           bool with_y, const bool *want, bool *out_nz, const char *via);

/* linear.c: which values of a builder depend on its linear inputs. */
typedef struct Linear {
    Builder *b;
    VEC(bool) is; /* for each value of b */
    uint32_t eqn; /* equations below this are marked */
} Linear;
void linear_init(Linear *l, Builder *b);
void linear_add(Linear *l, Val v); /* v, not made by an equation yet, is linear */
void linear_mark(Linear *l); /* mark what depends on them, up to the newest equation */
static inline bool is_linear(const Linear *l, Val v) { return v < l->is.n && l->is.v[v]; }
/* Copy all equations of c->from into l->b; control flow that mixes results which depend
 * on linear values with results which do not is split by its partition rule, in place. */
bool linear_copy(Linear *l, Copier *c);

/* transpose.c: run the linear equations of l->b backwards. ct: for each value of l->b, as
 * many as there are; those of the results given, those of the linear inputs found,
 * VAL_NONE is zero. */
bool transpose_emit(Linear *l, Val *ct);

/* flow.c: maximum flow and minimum cut (Dinic's algorithm). */
typedef struct FlowEdge {
    uint32_t to, next; /* next edge of the same node, + 1 */
    int64_t room;      /* capacity left; the edge back is at index ^ 1 */
} FlowEdge;
typedef struct Flow {
    Arena *a;
    uint32_t nnodes;
    uint32_t *head; /* first edge of each node, + 1 */
    VEC(FlowEdge) edges;
} Flow;
#define FLOW_INFINITE (INT64_MAX / 4)
void flow_init(Flow *f, Arena *a, uint32_t nnodes);
void flow_edge(Flow *f, uint32_t from, uint32_t to, int64_t capacity);
/* Find the flow, looking at no more than `budget` edges; false: it would take more. */
bool flow_run(Flow *f, uint32_t source, uint32_t sink, uint64_t budget);
/* After flow_run: which nodes can still reach the sink. The edges that lead there from
 * other nodes are the minimum cut nearest to the sink. */
bool *flow_sink_side(Flow *f, uint32_t sink);

/* vjp.c: seed[j] (NULL: all float outputs): outputs that have a cotangent, an input of
 * the result. (x.., gy for the seeded ..) -> (y.. if with_y, gx for wrt..) */
const Program *vjp_program(wf_ctx *cx, const Program *p, const bool *wrt,
                           const int *order, int nwrt, const bool *seed, bool with_y,
                           const char *via);

/* (x.., dx for wrt..) -> (y.., dy for each j with out_nz[j]): forward mode in which no
 * equation makes results of both kinds, as far as it can be split */
const Program *linear_program(wf_ctx *cx, const Program *p, const bool *wrt, bool *out_nz,
                              const char *via);

/* ---- jvp.c, vjp.c, jacobian.c, vmap.c: the transforms users see -------------------- */

/* custom.c: products of f32 round their operands to dtype */
/* The program without its effects; one whose results are used is an error. */
const Program *xf_pure(wf_ctx *cx, const Program *p);
const Program *xf_mixed(wf_ctx *cx, const Program *p, wf_dtype dtype);
/* (x.., dx for i in wrt) -> (y.., dy for each float result), zeros made */
const Program *xf_jvp_user(wf_ctx *cx, const Program *p, const int *wrt, int nwrt);
/* (x.., gy for each float result) -> (y.., gx for i in wrt) */
const Program *xf_vjp(wf_ctx *cx, const Program *p, const int *wrt, int nwrt);
/* forward: x.. -> (y.., residuals..);  linear: (residuals.., dx for wrt) -> dy for each
 * float result */
bool xf_linearize(wf_ctx *cx, const Program *p, const int *wrt, int nwrt,
                  const Program **out_forward, const Program **out_linear);
/* y a float scalar. with_value: (y.., gx..) else gx.. ; further outputs of p are
 * auxiliary (kept with_value). */
const Program *xf_grad(wf_ctx *cx, const Program *p, const int *wrt, int nwrt,
                       bool with_value);
/* dy/dx of shape y.shape + x.shape for i in wrt (outer) and each float output (inner) */
const Program *xf_jacfwd(wf_ctx *cx, const Program *p, const int *wrt, int nwrt);
const Program *xf_jacrev(wf_ctx *cx, const Program *p, const int *wrt, int nwrt);
/* jacfwd of jacrev: blocks of shape y.shape + x_a.shape + x_b.shape for a in wrt (outer),
 * b in wrt, each float output */
const Program *xf_hessian(wf_ctx *cx, const Program *p, const int *wrt, int nwrt);
/* (x.., v for wrt) -> H v for wrt, forward over reverse */
const Program *xf_hvp(wf_ctx *cx, const Program *p, const int *wrt, int nwrt);
/* axes[i] >= 0: input i gains an axis there, the batch; -1: not batched. Results are
 * batched at axis 0. size < 0: the batch is a fresh symbol, named as the axis, or "B".
 * want[j] false: result j has the axis only if it depends on the batch; NULL: all have it. */
const Program *xf_vmap(wf_ctx *cx, const Program *p, const int *axes,
                       const char *axis_name, int64_t size, const bool *want);

/* ---- bind.c ------------------------------------------------------------------------ */

/* p with input which[i] as a constant, the numbers of arrays[i]. */
const Program *xf_bind(wf_ctx *cx, const Program *p, const int *which,
                       wf_array *const *arrays, int n);

/* ---- split.c ----------------------------------------------------------------------- */
/* forward: x.. -> (y.., saved..); backward: (saved.., gy..) -> gx for wrt. What is saved
 * is a minimum cut in bytes between the forward values and the backward pass, cheap ops
 * recomputed. */
bool xf_split(wf_ctx *cx, const Program *p, const int *wrt, int nwrt,
              const Program **out_forward, const Program **out_backward);
/* A program as it is recorded: its results come with what its derivative reads. */
typedef struct Recording {
    const Program *forward; /* x.. -> (y.., extra..) */
    const Program *linear;  /* (taken.., dx for wrt) -> dy for each j with nz[j]; symbols
                               have the names they have in forward */
    uint32_t *taken; /* < nin: that input, else that result of forward, + nin */
    uint32_t ntaken;
    bool *nz; /* of each y: does it have a derivative? */
} Recording;
/* wrt: for each input of p, whether it has a tangent. Arrays are in scratch. WF_ERR_NORULE
 * where results cannot be computed ahead of their derivatives: by a `while`. */
bool xf_record(wf_ctx *cx, const Program *p, const bool *wrt, Recording *out);
/* vjp.c: the same for a program of which one result has a derivative (nz, as xf_record gives it), a number: forward gives its
 * gradients with the results, and dy = sum of g * dx. So forward and backward are one program, which pays where a derivative
 * by all of wrt follows the call. WF_ERR_NORULE: not such a program, or one that computes in f16, where a gradient that is
 * scaled afterwards is not what a scaled cotangent gives. */
bool xf_record_gradient(wf_ctx *cx, const Program *p, const bool *wrt, const bool *nz, Recording *out);

/* ---- shard.c ---- */

/* How results, or all values, lie on a mesh when inputs lie so: specs as in op/mesh.h, in scratch. typed: the axes that are a part
 * of types, as "x,y". NULL after an error. */
const char *xf_layouts(wf_ctx *cx, const Program *p, const char *mesh, const char *typed, const char *specs, bool all);
struct Mesh;
struct Spec;
/* The same of one equation; and the texts as data, each even for its value, of inputs or results. */
bool xf_layout_eqn(wf_ctx *cx, const struct Mesh *m, const Program *p, const Eqn *e, const struct Spec *in, struct Spec *out);
bool xf_layouts_parse(wf_ctx *cx, const Program *p, const char *mesh, const char *specs, bool inputs, struct Mesh *m,
                   struct Spec *out);
const char *xf_spec_text(Arena *a, const struct Mesh *m, const struct Spec *s);
/* explicit.c, of axes of the mesh that are a part of types: why operands that lie so are refused, NULL: they are not; and how the
 * first result lies where that is said for such axes in another way than for others. */
const char *xf_explicit(wf_ctx *cx, const struct Mesh *m, const Program *p, const Eqn *e, const struct Spec *in);
void xf_explicit_result(const struct Mesh *m, const Program *p, const Eqn *e, const struct Spec *in, struct Spec *out);
/* Is this spmd one over axes of the mesh? out_axes: those, by bits; in, out: its specs. */
bool xf_spmd_within(wf_ctx *cx, const struct Mesh *m, const Program *p, const Eqn *e, uint32_t *out_axes, struct Spec *in,
                 struct Spec *out);

/* ---- spread.c ---- */

/* p with its work divided among the devices of a mesh: one spmd. out_specs NULL: results lie as they come. */
const Program *xf_spread(wf_ctx *cx, const Program *p, const char *mesh, const char *in_specs, const char *out_specs);

/* ---- mesh_cost.c ---- */

struct SpmdAttr;
/* The spmd of a program that has one, and its mesh; NULL with an error. */
const struct SpmdAttr *xf_program_spmd(wf_ctx *cx, const Program *p, struct Mesh *m);

/* ---- vary.c ---- */

/* Over which axes of a mesh results vary, given over which inputs do: bits. False: a collective stands under a condition
 * that varies over its axes. */
bool vary_program(wf_ctx *cx, const struct Mesh *m, const Program *p, const uint32_t *in, uint32_t *out);
/* The same of the equations of a builder from `first` on, for all values by number. */
bool vary_builder(wf_ctx *cx, const struct Mesh *m, const Builder *b, uint32_t first, uint32_t *vary);
/* p with pvary where values that do not vary meet such that do. want (may be NULL): over what results are to vary. */
const Program *xf_vary(wf_ctx *cx, const struct Mesh *m, const Program *p, const uint32_t *in, const uint32_t *want);

#endif
