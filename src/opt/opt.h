/* opt.h -- the optimiser: passes from program to program, run in the order of one table.
 *
 *   passes.def   the table of all passes, those of codegen and compile too
 *   pipeline.c   those of the optimiser, again and again until nothing changes
 *   target.c     what is compiled for, which the passes ask
 *   rewrite.c    what passes share: a program copied equation by equation, rules applied
 *   inline.c planes.c bytes.c fold.c simplify.c cse.c dce.c early.c contract.c scale.c loops.c onehot.c layout.c outer.c   one pass each;
 *   join.c is a part of cse, accumulate.c of loops, pattern.c and recognise_attention.c of recognise.c
 *
 * Programs are immutable, so a pass builds a new one (or gives back the same, when it
 * finds nothing to do). It is built by a B_OPTIMISE builder, which merges equal
 * equations, folds what the rows' own fold rules know and drops what nobody reads: every
 * pass leaves a program tidy, and cse and dce add what a builder cannot see.
 *
 * All passes keep inputs, results, their types, places, effects and the order of effects.
 * What they give is to be run: markers that only transforms read (stop_gradient, name,
 * checkpoint, custom rules) are gone, so derivatives are taken before.
 */
#ifndef WEFT_OPT_H
#define WEFT_OPT_H

#include "op/control.h"
#include "opt/target.h"

/* ---- pipeline.c -------------------------------------------------------------------- */

typedef struct Opt {
    wf_ctx *cx;
    const Target *target; /* what it is for; NULL: target_library */
    bool fast; /* also rules that do not keep NaN, inf, -0 and the last bits; or
                  wf_options.fast_math */
} Opt;

static inline const Target *opt_target(const Opt *o)
{
    return o->target ? o->target : &target_library;
}

typedef struct Pass {
    const char *name;
    const Program *(*run)(const Opt *o, const Program *p);
} Pass;

/* How many the table has of them. */
#define COUNT_ROUND   +1
#define COUNT_LIBRARY +1
#define COUNT_CODE
#define PASS(name, when, what, requires, keeps, breaks) COUNT_##when
enum {
    OPT_PASSES = 0
#include "opt/passes.def"
    ,
    OPT_RECOGNISE = OPT_PASSES - 1, /* the last, which runs once */
    OPT_ALL = (1 << OPT_PASSES) - 1,
    OPT_PLAIN = OPT_ALL & ~(1 << OPT_RECOGNISE), /* for fusion */
    OPT_ROUNDS = 8
};
#undef PASS
#undef COUNT_ROUND
#undef COUNT_LIBRARY
#undef COUNT_CODE
extern const Pass opt_pipeline[OPT_PASSES];

int opt_find(const char *name); /* the index of a pass; -1 if there is none */
/* The passes whose bits are set, in order, again until a round changes nothing, at most
 * OPT_ROUNDS times. NULL after an error. */
const Program *opt_run(const Opt *o, const Program *p, unsigned set);

/* ---- the passes -------------------------------------------------------------------- */

const Program *opt_inline(const Opt *o, const Program *p);
const Program *opt_planes(const Opt *o, const Program *p);
const Program *opt_bytes(const Opt *o, const Program *p);
const Program *opt_fold(const Opt *o, const Program *p);
const Program *opt_simplify(const Opt *o, const Program *p);
const Program *opt_contract(const Opt *o, const Program *p);
const Program *opt_scale(const Opt *o, const Program *p);
const Program *opt_loops(const Opt *o, const Program *p);
const Program *opt_cse(const Opt *o, const Program *p);
const Program *opt_dce(const Opt *o, const Program *p);
const Program *opt_early(const Opt *o, const Program *p);
const Program *opt_recognise(const Opt *o, const Program *p);
/* For code: gathers and scatters of one element of every short row as arithmetic, which fuses. */
const Program *opt_onehot(const Opt *o, const Program *p);
/* Images between convolutions with their channels last. */
const Program *opt_layout(const Opt *o, const Program *p);
const Program *opt_outer(const Opt *o, const Program *p);

/* ---- rewrite.c --------------------------------------------------------------------- */

/* A map from pointers to pointers, in an arena. */
typedef struct PtrMap {
    Arena *a;
    const void **slots; /* key, value; open addressing */
    uint32_t n, cap;
} PtrMap;
const void *ptrmap_get(const PtrMap *m, const void *key); /* NULL: not there */
void ptrmap_put(PtrMap *m, const void *key, const void *value);

typedef struct Rewriter Rewriter;

/* What v, made by e (a copy of its equation in r->b), may be replaced by: a value of the
 * same type; VAL_NONE: nothing. New equations are made by rw_ functions, which apply the
 * rule to them in turn. */
typedef Val RewriteRule(Rewriter *r, Val v, Eqn e);
/* An equation not yet made, its sub-programs rewritten already: set all results and
 * return true, or leave it. */
typedef bool BeforeRule(Rewriter *r, const EqnView *e, Val *out);

struct Rewriter {
    const Opt *o;
    RewriteRule *rule;  /* NULL: none */
    BeforeRule *before; /* NULL: none */
    void *user;
    Builder *b;          /* being built */
    const Program *from; /* being copied */
    const Eqn *at;       /* its equation that is being copied */
    Copier *c;           /* by which */
    PtrMap done;         /* program -> what it became */
    PtrMap origin;       /* and back */
    uint32_t depth;      /* of rules within rules */
};

/* p and its sub-programs, each once, rewritten; p itself if nothing changed. */
const Program *rewrite_apply(Rewriter *r, const Program *p);
const Program *rewrite_with(const Opt *o, const Program *p, RewriteRule *rule,
                            BeforeRule *before);
/* p, if q is equal to it. */
const Program *same_or(const Program *p, const Program *q);

/* Every sub-program that attr has, fn(user, it) in its place. attr is b's own copy. False
 * after an error. */
typedef const Program *ReplaceProgram(void *user, const Program *p);
bool replace_subs(Builder *b, const OpRow *row, void *attr, ReplaceProgram *fn,
                  void *user);

/* As b_eqn1 and its like, the rule applied to the result. */
Val rw_eqn(Rewriter *r, OpCode op, const Val *in, uint32_t nin, const void *attr);
static inline Val rw_unary(Rewriter *r, OpCode op, Val x)
{
    return rw_eqn(r, op, &x, 1, NULL);
}
static inline Val rw_binary(Rewriter *r, OpCode op, Val x, Val y)
{
    return rw_eqn(r, op, (Val[]){x, y}, 2, NULL);
}
Val rw_broadcast(Rewriter *r, Val x, Ints shape, const int64_t *dims);
Val rw_reshape(Rewriter *r, Val x, const Dim *dims, uint32_t rank);
Val rw_transpose(Rewriter *r, Val x, const int64_t *perm);

/* The equation that makes v, if it is of that op; points into b, gone at the next
 * equation. */
static inline const Eqn *made_by(const Builder *b, Val v, OpCode op)
{
    uint32_t i = b->vals.v[v].eqn;

    return i != EQN_INPUT && b->eqns.v[i].op == op ? &b->eqns.v[i] : NULL;
}
static inline bool any_made_by(const Builder *b, const EqnView *e, OpCode op)
{
    for (uint32_t i = 0; i < e->nin; i++)
        if (made_by(b, e->in[i], op))
            return true;
    return false;
}
static inline Val arg(const Builder *b, const Eqn *e, uint32_t i)
{
    return b->args.v[e->args + i];
}
/* The operand of v, made by a one-operand op; VAL_NONE if v is not. */
static inline Val under(const Builder *b, Val v, OpCode op)
{
    const Eqn *e = made_by(b, v, op);

    return e ? arg(b, e, 0) : VAL_NONE;
}
static inline bool is_map(unsigned op) { return op_row(op)->lower.kind == LOWER_MAP; }

/* join.c, for cse.c: loops and choices that are partly the same. */
bool opt_join(Rewriter *r, PtrMap *joined, const EqnView *x, Val *out);
/* accumulate.c, for loops.c: products that a scan adds up become one behind it. */
bool accumulate_scan(Rewriter *r, const EqnView *e, Val *out);

/* ---- dce.c, cse.c, loops.c: sub-programs with other inputs and results ------------- */

/* p with only the inputs that are kept (input i that is not kept may be replaced by the
 * kept input same[i] >= 0; otherwise nothing may depend on it) and the results outs. */
const Program *opt_reshape_sub(wf_ctx *cx, const Program *p, const bool *keep,
                               const int32_t *same, const uint32_t *outs, uint32_t nouts);
/* Which inputs do these results (and the effects) of p need? */
void opt_needed_inputs(wf_ctx *cx, const Program *p, const uint32_t *outs, uint32_t nouts,
                       bool *need);

#endif
