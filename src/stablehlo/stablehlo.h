/* stablehlo.h -- StableHLO text, as jax.jit(f).lower(..).as_text() gives it, as programs.
 *
 *     text ─ read.c ─▶ functions, ops, regions ─ build.c, ops.c ─▶ programs
 *
 *   read.c         the text; attr.c its attributes, types and literals
 *   build.c        functions and regions as programs: values by name, what regions take from outside
 *   ops.c          the table of ops, one line each; ops_<family>.c their rules
 *   import.c       a text as a wf_model
 *
 * An op becomes primitives of the same meaning; most are one. Sizes are numbers: what JAX lowered for. The text is hostile
 * until it is read: it nests to a bound, no size in it is trusted, and the type that it says a value has is held against
 * the one the value has.
 *
 * Errors stick in the context; a function that gives a pointer gives NULL then, one that gives a value VAL_NONE.
 */
#ifndef WEFT_STABLEHLO_H
#define WEFT_STABLEHLO_H

#include "io/io.h"
#include "op/op.h"

/* ---- attr.c: types, attributes ---------------------------------------------------------------- */

typedef struct HloType {
    wf_dtype dtype; /* WF_INVALID: a tuple, a token, or an element Weft has not; `text` says which */
    uint32_t rank;
    const int64_t *dims;
    const char *text;
} HloType;

typedef enum HloAttrKind {
    HLO_WORD,  /* true, DEFAULT, FFT; text without quotes; @name */
    HLO_INT,   /* also of `72 : ui8` */
    HLO_LIST,  /* [1, 2], array<i64: 1, 2>, [0:2:1], [b, 0, 1, f] and its like: words; [1] x [0]: a list of lists */
    HLO_DICT,  /* {a = 1}, #stablehlo.gather<a = 1> */
    HLO_DENSE  /* dense<..> : type */
} HloAttrKind;

typedef struct HloAttr HloAttr;
typedef struct HloField {
    const char *key;
    const HloAttr *value;
} HloField;
struct HloAttr {
    HloAttrKind kind;
    const char *text;          /* WORD; DENSE: the literal, n bytes */
    size_t n;
    int64_t i;                 /* INT */
    VEC(const HloAttr *) items; /* LIST */
    VEC(HloField) fields;      /* DICT */
    HloType type;              /* DENSE */
    bool resource;             /* DENSE: the literal is the name of one */
};

/* ---- read.c: the text ---------------------------------------------------------------------------- */

typedef struct HloName { /* %3, %3#1; equal names are equal pointers */
    const char *name;
    uint32_t part; /* behind #; UINT32_MAX: none */
} HloName;

typedef struct HloResult { /* %3, or %3:2 */
    const char *name;
    uint32_t n;
} HloResult;

typedef struct HloParam {
    const char *name;
    const char *label; /* the name the user gave it, of loc("x"); NULL: none */
    HloType type;
} HloParam;

typedef struct HloOp HloOp;
typedef struct HloRegion {
    VEC(HloParam) params;
    VEC(HloOp *) ops; /* the last one is a return */
} HloRegion;

struct HloOp {
    const char *name; /* "stablehlo." is left out: "add", "chlo.erf", "func.call" */
    Place place;
    VEC(HloResult) results;
    VEC(HloName) in;
    VEC(HloType) in_types, out_types;
    VEC(HloField) attrs; /* what has no key has the key "" */
    VEC(const char *) words;
    const char *symbol; /* @callee; NULL: none */
    VEC(HloParam) params; /* of while: %iterArg = %c */
    VEC(HloRegion *) regions;
};

typedef struct HloFunc {
    const char *name;
    Place place;
    bool is_public;
    HloRegion *body;
    VEC(HloType) results;
    const Program *program; /* once it is built */
    bool building;
} HloFunc;

typedef struct HloText { /* one text being read, and what was read */
    wf_ctx *cx;
    Arena *a;
    const char *file;
    const char *begin, *at, *end;
    const char *line_begin;
    uint32_t line, depth;
    Interner names;
    VEC(HloFunc *) funcs;
    VEC(HloField) resources; /* of {-# .. #-}: WORDs */
} HloText;

bool hlo_read(HloText *t); /* all of it */
HloFunc *hlo_find(const HloText *t, const char *name);

/* What reading is made of: white space and comments are skipped before. */
bool hlo_fail(HloText *t, const char *fmt, ...) PRINTF(2, 3); /* at this place; always false */
Place hlo_place(const HloText *t);
void hlo_skip(HloText *t);
bool hlo_line_ends(HloText *t);       /* nothing but blanks is left on the line */
bool hlo_take(HloText *t, const char *s); /* is s next? then it is read */
bool hlo_need(HloText *t, const char *s);
const char *hlo_word(HloText *t);     /* [A-Za-z_][A-Za-z0-9_.$-]*; NULL: none is next, no error */
bool hlo_string(HloText *t, const char **out);
bool hlo_balanced(HloText *t); /* skips from a bracket to the one that closes it */

const HloAttr *hlo_attr(HloText *t);
bool hlo_dict(HloText *t, const char *close, HloAttr *out); /* behind the opening bracket */
bool hlo_type(HloText *t, HloType *out);
bool hlo_types(HloText *t, bool *parens, HloType **v, uint32_t *n); /* a list, with parentheses or without */

/* ---- build.c: programs ------------------------------------------------------------------------------ */

typedef struct HloSlot { /* what a name stands for */
    const char *name;
    uint32_t n;
    const Val *v;
} HloSlot;

typedef struct HloScope HloScope;
struct HloScope { /* a function or region being built */
    HloScope *outer; /* NULL: a function */
    Builder *b;
    HloSlot *slots; /* open addressing, power of two */
    uint32_t nslots, nused;
    VEC(Val) taken;  /* inputs of b that stand for values of outer: */
    VEC(Val) taken_from;
};

typedef struct Hlo { /* one import */
    wf_ctx *cx;
    HloText *t;
    HloScope *s; /* innermost */
    const HloOp *op; /* the one being built */
    uint32_t depth;
    uint64_t steps; /* ops built so far */
} Hlo;

typedef struct HloRule HloRule;
struct HloRule {
    const char *name;
    bool (*build)(Hlo *h, const HloRule *r);
    int op;       /* of rules for many: a primitive */
    int least, most; /* operands; most -1: any number */
};
const HloRule *hlo_rule(const char *name);

const Program *hlo_function(Hlo *h, HloFunc *f);
/* WF_ERR_UNSUPPORTED or another, with the place and the op; always false. */
bool hlo_op_fail(Hlo *h, wf_status status, const char *fmt, ...) PRINTF(3, 4);

/* Operands and results of the op being built. */
Val hlo_in(Hlo *h, uint32_t i);
bool hlo_out(Hlo *h, Val v); /* the one result */
bool hlo_outs(Hlo *h, const Val *v, uint32_t n);
Type hlo_make_type(Hlo *h, const HloType *t);
Type hlo_out_type(Hlo *h, uint32_t i); /* as the text says it */

/* A region as a program. open: its params are inputs of a builder of its own; ops: builds them, gives what it returns;
 * close: the program of inputs (all of s->taken among them) and results. Without a call of close nothing is left. */
bool hlo_region_open(Hlo *h, HloScope *s, const HloRegion *r, Val **out_params);
bool hlo_region_ops(Hlo *h, const HloRegion *r, Val **out, uint32_t *n);
void hlo_region_leave(Hlo *h);
/* A region of scalars that takes nothing from outside but constants. */
const Program *hlo_region_program(Hlo *h, const HloRegion *r);
/* The results of a program of scalars on n values each of one shape, element by element. */
bool hlo_apply(Hlo *h, const Program *p, const Val *in, uint32_t n, Val *out);
bool hlo_call(Hlo *h, const Program *p, const Val *in, uint32_t nin, Val *out, uint32_t nout);

/* Attributes of the op. */
const HloAttr *hlo_get(Hlo *h, const char *key);                   /* NULL: not given */
const HloAttr *hlo_field(const HloAttr *a, const char *key);       /* of a dict; NULL: not given */
bool hlo_ints_of(Hlo *h, const HloAttr *a, int64_t *v, uint32_t *n); /* at most MAX_RANK; NULL: none */
bool hlo_ints(Hlo *h, const char *key, int64_t *v, uint32_t *n);
bool hlo_int(Hlo *h, const char *key, int64_t otherwise, int64_t *out);
bool hlo_is_true(Hlo *h, const char *key);
const char *hlo_text(Hlo *h, const char *key); /* "": not given */
Val hlo_constant(Hlo *h, const HloAttr *dense);

/* ---- ops.c ------------------------------------------------------------------------------------------- */

#define HLO_RULE(name) bool hlo_##name(Hlo *h, const HloRule *r)
/* ops_map.c */
HLO_RULE(map1); HLO_RULE(map2); HLO_RULE(logic); HLO_RULE(compare); HLO_RULE(select); HLO_RULE(clamp); HLO_RULE(convert);
HLO_RULE(bitcast); HLO_RULE(round_away); HLO_RULE(square); HLO_RULE(reduce_precision); HLO_RULE(identity); HLO_RULE(barrier);
HLO_RULE(bessel); HLO_RULE(zeta); HLO_RULE(is_inf);
/* ops_shape.c */
HLO_RULE(constant_op); HLO_RULE(iota); HLO_RULE(broadcast); HLO_RULE(reshape); HLO_RULE(transpose); HLO_RULE(reverse);
HLO_RULE(slice); HLO_RULE(dynamic_slice); HLO_RULE(dynamic_update_slice); HLO_RULE(concatenate); HLO_RULE(pad);
HLO_RULE(gather); HLO_RULE(scatter); HLO_RULE(tuple); HLO_RULE(get_tuple_element);
/* ops_reduce.c */
HLO_RULE(reduce); HLO_RULE(reduce_window); HLO_RULE(select_and_scatter);
/* ops_sort.c */
HLO_RULE(sort); HLO_RULE(top_k);
/* ops_contract.c */
HLO_RULE(dot_general); HLO_RULE(convolution); HLO_RULE(fft);
/* ops_flow.c */
HLO_RULE(while); HLO_RULE(case); HLO_RULE(if); HLO_RULE(call_op); HLO_RULE(composite); HLO_RULE(map);
/* ops_linalg.c */
HLO_RULE(cholesky); HLO_RULE(triangular_solve); HLO_RULE(custom_call); HLO_RULE(rng);

/* What a program of two scalars does: OP_add .. of its inputs in any order; OP_const: gives the second; -1: something else. */
int hlo_kind(const Program *p);
bool hlo_is_identity(Hlo *h, int op, Val v); /* is v, a constant, what op leaves alone? */
Val hlo_like(Hlo *h, Val like, double x);    /* that number in the type of a value */
Val hlo_spread(Hlo *h, Val scalar, Val like); /* a scalar in its shape */

#endif
