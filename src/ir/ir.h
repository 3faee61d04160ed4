/* ir.h -- the program: typed, pure, first-order SSA. Every front ends here, every back end starts here.
 *
 *   Dims      symbolic dimensions, interned in one canonical form         dim.c dim_use.c
 *   Program   immutable once built: arrays in one arena                   program.c
 *   Op table  one row per primitive; ir/ declares it, op/ defines it      ../op/ops.def
 *   Builder   makes programs: infers types, numbers values, folds         builder.c finish.c
 *   Attr      attribute structs described by field tables                 attr.c
 *   text      print.c parse.c      checks verify.c      surgery clone.c dce.c      pictures draw.c
 *   eval      the slow, obvious oracle, one equation at a time            eval.c
 */
#ifndef WEFT_IR_H
#define WEFT_IR_H

#include "base/base.h"

#include <stdatomic.h>

#define MAX_RANK 32      /* of a type; more is WF_ERR_LIMIT */
#define MAX_NESTING 64   /* of sub-programs; more is WF_ERR_LIMIT */
#define MAX_GUARDS 256   /* of a program; more is WF_ERR_LIMIT: proofs try them all */
#define TEXT_VERSION 1   /* the N of "weft N" */

typedef struct wf_program Program;
typedef struct Builder Builder;
typedef struct OpRow OpRow;
typedef struct Batch Batch;
typedef struct PartitionRule PartitionRule;

/* A borrowed list of integers, or of Dims. */
typedef struct Ints {
    uint32_t n;
    const int64_t *v;
} Ints;

#define INTS(n_, ...) ((Ints){(n_), (const int64_t[]){__VA_ARGS__}})
/* Where x is the first time, or -1. Mostly: an axis. */
static inline int ints_find(Ints list, int64_t x)
{
    for (uint32_t i = 0; i < list.n; i++)
        if (list.v[i] == x)
            return (int)i;
    return -1;
}
static inline bool ints_have(Ints list, int64_t x) { return ints_find(list, x) >= 0; }

/* ---- dim.c, dim_use.c: dimensions ----------------------------------------------------------------------------
 *
 * A Dim is an int64. Not negative: that constant. Negative: node -d-1 of its program's Dims, an
 * expression in canonical form, so that equal dims are equal integers (sound, not complete):
 *
 *   SYM       a named symbol, a size, so >= 0
 *   POLY      constant + sum of coefficient * product of atoms, terms sorted, coefficients not 0;
 *             never a bare atom or a constant >= 0 (a negative constant, which pads and starts
 *             may have, is a POLY without terms)
 *   FLOORDIV  floor(a / b)         mod(a, b) is written a - b*floor(a/b)
 *   MIN MAX   of two, in the order of terms; a constant last
 *
 * Operations on DIM_NONE give DIM_NONE; overflow records WF_ERR_LIMIT and gives DIM_NONE. */
typedef int64_t Dim;
#define DIM_NONE INT64_MIN
#define DIM_MAX_ATOMS 32 /* in one term; more is WF_ERR_LIMIT */
#define DIM_MAX_WEIGHT 16384 /* of one dim: parts are shared, but it is read as it is written; more is WF_ERR_LIMIT */

typedef enum DimKind { DIM_SYM, DIM_POLY, DIM_FLOORDIV, DIM_MIN, DIM_MAX } DimKind;

typedef struct DimTerm { /* coef * product of atoms */
    int64_t coef;
    uint32_t natoms;
    const Dim *atoms; /* sorted, repeated for powers */
} DimTerm;

typedef struct DimNode {
    uint8_t kind;
    uint32_t sym;         /* SYM: index into syms */
    uint32_t nterms;      /* POLY */
    int64_t constant;     /* POLY */
    const DimTerm *terms; /* POLY */
    Dim a, b;             /* FLOORDIV MIN MAX */
    uint32_t weight;      /* symbols and constants in it when it is written out, shared parts each time they come */
    uint64_t hash;
} DimNode;

typedef enum SymOrigin {
    SYM_INPUT, /* stands bare in the shape of an input, bound at the call */
    SYM_PARAM, /* a free symbol of a sub-program, bound by the equation that holds it */
    SYM_EQN    /* defined by an equation (nonzero, size, while), known at run time only */
} SymOrigin;

typedef struct Symbol {
    const char *name; /* unique in its program */
    Dim dim;          /* its node */
    uint8_t origin;   /* SymOrigin; INPUT and PARAM are told apart when the program is finished */
    int64_t hint;     /* a likely size (a trace's example), 0 unknown; not part of the content */
} Symbol;

typedef struct Guard { /* lhs == rhs, or lhs >= rhs; checked when symbols are bound */
    Dim lhs, rhs;
    bool is_eq;
} Guard;

typedef struct Multiple { /* a is a multiple of b, by a guard a % b == 0 */
    Dim a;
    int64_t b;
} Multiple;

#define DIM_BITS 20 /* a table has no more nodes than this many bits count */

typedef struct Dims {
    wf_ctx *cx; /* NULL once the program is finished */
    Arena *a;
    Dim base; /* the first node is -1 - base: builders that live side by side tell their dims apart; 0 in programs */
    VEC(DimNode) nodes;
    VEC(Symbol) syms;
    VEC(Guard) guards;
    VEC(Multiple) multiples;
    uint32_t *slots; /* hash table of nodes: index + 1; NULL once finished */
    uint32_t nslots;
    uint32_t *names; /* hash table of symbols by name: index + 1; NULL once finished */
    uint32_t nnames;
} Dims;

void dims_init(Dims *t, wf_ctx *cx, Arena *a);
Dim dim_symbol(Dims *t, const char *name, SymOrigin origin); /* a new symbol; renamed N_1 .. if taken */
Dim dim_find(const Dims *t, const char *name);               /* DIM_NONE if there is none */
Dim dim_const(Dims *t, int64_t v);                           /* any sign */
Dim dim_add(Dims *t, Dim a, Dim b);
Dim dim_sub(Dims *t, Dim a, Dim b);
Dim dim_mul(Dims *t, Dim a, Dim b);
Dim dim_div(Dims *t, Dim a, Dim b); /* floor; b > 0 */
Dim dim_mod(Dims *t, Dim a, Dim b);
Dim dim_min(Dims *t, Dim a, Dim b);
Dim dim_max(Dims *t, Dim a, Dim b);
Dim dim_prod(Dims *t, const Dim *d, uint32_t n);
/* a == q * b for a provable q (guards such as N % 8 == 0 help). b may be 0 only if a is 0. */
bool dim_exact(Dims *t, Dim a, Dim b, Dim *out_q);
/* Known constant, any sign. */
bool dim_value(const Dims *t, Dim d, int64_t *out);
bool dim_known_ge(Dims *t, Dim a, Dim b); /* a >= b provably */
/* lhs == rhs / lhs >= rhs as a guard, unless it is provable. False (with an error) if provably not so. */
bool dim_guard(Dims *t, Dim lhs, bool is_eq, Dim rhs, Place place);
/* d with symbol i (of from) replaced by map[i] (dims of t). from may be t itself. */
Dim dim_subst(Dims *t, const Dims *from, Dim d, const Dim *map);
/* The value once symbols have values; false on overflow, division by zero or a symbol < 0 (unbound). */
bool dim_eval_open(const Dims *t, Dim d, const int64_t *symvals, int64_t *out);
static inline bool dim_eval(const Dims *t, Dim d, const int64_t *symvals, int64_t *out)
{
    if (d < 0) /* not a number */
        return dim_eval_open(t, d, symvals, out);
    *out = d;
    return true;
}
/* The values of all nodes at once (vals has nodes.n entries; DIM_NONE where it has none). */
void dims_eval_all(const Dims *t, const int64_t *symvals, int64_t *vals);
/* Equal in structure, symbols compared by number: for dims of two finished programs. */
bool dim_same(const Dims *ta, Dim a, const Dims *tb, Dim b);
bool dim_mentions(const Dims *t, Dim d, SymOrigin origin); /* a symbol of that origin */
void dim_print(const Dims *t, Dim d, Text *out); /* N*64, N-1, floor(N/2), min(N,8) */
const char *dim_str(const Dims *t, Dim d, Arena *a);
static inline bool dim_is_const(Dim d) { return d >= 0; }
static inline uint32_t dim_index(const Dims *t, Dim d) { return (uint32_t)(-d - 1 - t->base); }
static inline const DimNode *dim_node(const Dims *t, Dim d) { return &t->nodes.v[dim_index(t, d)]; }
/* Is d, a symbolic one, a node of t? */
static inline bool dim_is_of(const Dims *t, Dim d)
{
    return d != DIM_NONE && -d - 1 >= t->base && -d - 1 - t->base < (Dim)t->nodes.n;
}

/* ---- program.c --------------------------------------------------------------------------------------- */

typedef uint32_t Val; /* a value of a program; inputs are 1..nin */
#define VAL_NONE 0    /* no value: after an error, and for symbolic zeros */

/* Types are interned: in one program (or builder) equal types share dims, so type_eq compares two words. */
typedef struct Type {
    uint8_t dtype; /* wf_dtype */
    uint8_t rank;
    const Dim *dims;
} Type;

static inline bool type_eq(Type a, Type b)
{
    return a.dtype == b.dtype && a.rank == b.rank && a.dims == b.dims;
}

static inline bool type_same_shape(Type a, Type b) /* dtypes may differ */
{
    return a.rank == b.rank &&
           (a.dims == b.dims || a.rank == 0 || !memcmp(a.dims, b.dims, a.rank * sizeof(Dim)));
}

typedef struct ValInfo {
    uint32_t type; /* in p->types */
    uint32_t name; /* in p->names; 0: none, printed as %7 */
    uint32_t eqn;  /* that defines it; EQN_INPUT for inputs */
} ValInfo;
#define EQN_INPUT UINT32_MAX

typedef struct Eqn {
    uint16_t op;      /* OP_add .. */
    uint16_t nout;
    uint32_t nin;
    uint32_t args;    /* operands are p->args[args .. args+nin-1] */
    Val out;          /* results are out .. out+nout-1 */
    uint32_t place;   /* in p->places; 0: nowhere */
    const void *attr; /* the op's attribute struct, see op.h; NULL if it has none */
} Eqn;

/* The bytes of a constant, shared between programs, never written after it is made. */
typedef struct ConstData {
    atomic_int refs;
    wf_allocator al;
    size_t alloc_size;
    size_t size;      /* of data; for a splat one element */
    const char *name; /* of a tensor of the file, for large shared ones; else NULL (after data) */
    void (*drop)(void *owner); /* when data is someone else's memory */
    void *owner;
    const void *data; /* 16-byte aligned */
    atomic_bool hashed; /* hash is known */
    _Atomic uint64_t hash[2];
} ConstData;

/* Data the caller owns until the last release, then drop(owner). drop NULL: data is copied. */
const ConstData *const_data_new(wf_ctx *cx, const void *data, size_t size, const char *name,
                                void (*drop)(void *owner), void *owner);
const ConstData *const_data_retain(const ConstData *d);
void const_data_release(const ConstData *d);
Hash const_data_hash(const ConstData *d); /* of size and bytes; computed once */

/* A sub-program at its place of use: what each of its free symbols (INPUT and PARAM) stands for. */
typedef struct Sub {
    const Program *p; /* NULL: none */
    Ints binds;       /* a dim of the enclosing program for each symbol of p, in order; DIM_NONE
                         for SYM_EQN ones. n 0 before type inference: all are inferred from operands */
} Sub;

typedef struct Subs {
    uint32_t n;
    const Sub *v;
} Subs;

struct wf_program {
    atomic_int refs;
    Arena arena;
    const char *name;
    uint32_t nin, nout, nvals, neqns, nargs, ntypes, nplaces, nnames, nsubs, nconsts;
    Dims dims;            /* symbols, expressions, guards */
    Type *types;
    ValInfo *vals;        /* vals[0] unused */
    Eqn *eqns;            /* in order: operands are defined before use; effects happen in this order */
    Val *args;
    Val *outs;
    const char **names;   /* names[0] unused */
    Place *places;        /* places[0] is NOWHERE */
    const Program **subs; /* each held once: what attrs point to */
    const ConstData **consts;
    Hash hash;            /* of the content: names and places left out */
    bool effects;         /* prints or asserts, here or in a sub-program */
    uint16_t depth;       /* 1 + that of the deepest sub-program */
};

const Program *program_retain(const Program *p);
void program_release(const Program *p); /* NULL is fine */
bool program_equal(const Program *a, const Program *b); /* content, not just hash */
bool program_has(const Program *p, bool (*is)(wf_dtype)); /* a value of such a dtype, also in what it calls */
void program_hash(Program *p); /* sets p->hash */

static inline Type val_type(const Program *p, Val v) { return p->types[p->vals[v].type]; }
static inline const Val *eqn_in(const Program *p, const Eqn *e) { return p->args + e->args; }
bool eqn_is_odd(const Program *p, const Eqn *e); /* reads or makes complex numbers or storage: no kernels for its dtype */
static inline Place eqn_place(const Program *p, const Eqn *e) { return p->places[e->place]; }
static inline Val program_in(const Program *p, uint32_t i) { (void)p; return i + 1; }

bool type_size(wf_dtype dtype, const int64_t *dims, uint32_t rank, int64_t *out_count,
               int64_t *out_bytes); /* concrete; false on overflow */
void type_print(const Dims *t, Type type, Text *out); /* f32[N,784] */
const char *type_str(const Dims *t, Type type, Arena *a);

/* Bind the symbols of p from the shapes of its inputs (ranks and constant dims checked, guards
 * checked). symvals has p->dims.syms.n entries; SYM_EQN ones are set to -1. */
bool program_bind(wf_ctx *cx, const Program *p, const int64_t *const *in_dims, int64_t *symvals);

/* ---- attr.c: attribute structs, described by tables ----------------------------------------------------- */

typedef enum AttrKind {
    A_INT,   /* int64_t */
    A_BOOL,  /* bool */
    A_ENUM,  /* int32_t, names in the field */
    A_DTYPE, /* int32_t, a wf_dtype */
    A_F64,   /* double, compared by bits */
    A_STR,   /* const char *, never NULL */
    A_DIM,   /* Dim */
    A_SYM,   /* Dim: a symbol that this equation defines, or DIM_NONE */
    A_INTS,  /* Ints */
    A_DIMS,  /* Ints of dims */
    A_TYPE,  /* Type */
    A_SUB,   /* Sub */
    A_SUBS,  /* Subs */
    A_CONST  /* const ConstData *, printed after an A_TYPE */
} AttrKind;

typedef struct AttrField {
    const char *name;  /* the key in text; NULL ends a table */
    uint8_t kind;      /* AttrKind */
    bool positional;   /* printed without its key, after the operands, in table order */
    uint16_t offset;   /* in the struct */
    int64_t standard;  /* INT BOOL ENUM DIM: value that is left out of the text; INTS DIMS STR: empty is
                          left out. ATTR_REQUIRED: always printed, must be given */
    const char *const *names; /* ENUM: NULL-terminated */
} AttrField;
#define ATTR_REQUIRED (INT64_MIN + 1)

uint64_t attr_hash(const OpRow *row, const void *attr);   /* within one program */
bool attr_equal(const OpRow *row, const void *a, const void *b); /* within one program */
bool attr_same(const OpRow *row, const void *a, const Dims *da, const void *b, const Dims *db); /* between two */
void attr_content(const OpRow *row, const void *attr, Hasher *h, const uint64_t *node_hashes);
/* A deep copy in arena a; dims of `from` become dims of `to` by map (NULL map: same program, dims kept). */
void *attr_copy(const OpRow *row, const void *attr, Arena *a, Dims *to, const Dims *from, const Dim *map);
/* A copy in which every dim is its value: what eval rules see. */
bool attr_concrete(const OpRow *row, const void *attr, Arena *a, const Dims *dims,
                   const int64_t *symvals, void **out);
/* Calls fn for every sub-program / every dim (by address of the copy) of the attribute. */
void attr_each_sub(const OpRow *row, const void *attr, void (*fn)(void *user, const Sub *s), void *user);
/* Does an equation of it do something besides giving results? custom_lin does not: its rule runs where it is transposed. */
bool attr_has_effects(unsigned op, const void *attr);
void attr_each_dim(const OpRow *row, const void *attr, void (*fn)(void *user, Dim d, bool defines), void *user);

/* ---- the op table: declared here, defined by op/ ------------------------------------------------------------ */

/* What a rule sees of an equation. Values, types and dims are those of the program being built. */
typedef struct EqnView {
    uint16_t op;
    uint16_t nout;
    uint32_t nin;
    const OpRow *row;
    const Val *in;        /* operands. transpose: VAL_NONE for the linear ones. batch: batched values */
    const Val *out;       /* jvp of rows not flagged S: the results, already computed; otherwise NULL */
    const Type *in_type;  /* batch: without the batch axis */
    const Type *out_type; /* likewise */
    const void *attr;
    Place place;
} EqnView;

/* Type inference: read in, attr; call type_out for each result; fail with type_fail. */
typedef struct TypeRule {
    Builder *b;
    Dims *dims;
    uint16_t op;
    const OpRow *row;
    uint32_t nin;
    const Type *in;
    void *attr; /* the builder's own copy: inference may complete it (binds of subs) */
    Place place;
    VEC(Type) out;
} TypeRule;

void type_out(TypeRule *t, wf_dtype dtype, const Dim *dims, uint32_t rank);
void type_out_like(TypeRule *t, Type type);
/* "op: message" at the equation's place; fmt may not contain floats. Always false. */
bool type_fail(TypeRule *t, wf_status status, const char *fmt, ...) PRINTF(3, 4);
const char *type_show(TypeRule *t, Type type); /* f32[N,10] for a message */
const char *dim_show(TypeRule *t, Dim d);
/* Match the operand types in[0..n-1] with the inputs of s->p: completes s->binds, or fails naming input
 * and types. out[j] receives the type of output j in this program (NULL: not wanted). */
bool sub_bind(TypeRule *t, Sub *s, const char *what, const Type *in, uint32_t n, Type *out);

/* A concrete array in row-major order, as eval sees it. */
typedef struct Nd {
    wf_dtype dtype;
    uint32_t rank;
    const int64_t *dims;
    int64_t count;
    void *data;
} Nd;

/* Evaluation of one equation. attr holds plain numbers where it had dims. out[j] is allocated (not
 * zeroed) unless its shape depends on a symbol this equation defines: then eval_define first. */
typedef struct Eval {
    wf_ctx *cx;
    Arena *a;            /* lives until the enclosing program's evaluation ends */
    const OpRow *row;
    uint16_t op;
    uint32_t nin, nout;
    const Nd *in;
    Nd *out;
    const void *attr;
    Place place;
    struct EvalEnv *env;
    const Eqn *eqn;
} Eval;

bool eval_define(Eval *e, Dim sym, int64_t value); /* a symbol of this equation; then outs are allocated */
bool eval_fail(Eval *e, wf_status status, const char *fmt, ...) PRINTF(3, 4);
/* Run a sub-program (binds already numbers). out[j] with data NULL is allocated in e->a, else filled. */
bool eval_sub(Eval *e, const Sub *s, const Nd *in, Nd *out);
/* eval.c: run a whole program by the eval rules alone. out: p->nout entries, allocated in a. */
bool eval_program(wf_ctx *cx, const Program *p, const Nd *in, Nd *out, Arena *a);

/* How targets render an op. They read the attributes; the op touches no target. */
typedef enum LowerKind {
    LOWER_MAP,      /* elementwise; scalar = the op itself */
    LOWER_REDUCE,   /* over attr axes, by the scalar op `combine` */
    LOWER_CUM,      /* prefix combination along one axis by `combine` */
    LOWER_WINDOW,   /* over windows by `combine` */
    LOWER_INDEX,    /* result element = some operand element: an index map read off the op */
    LOWER_LIBRARY,  /* a kernel of the library */
    LOWER_ALIAS,    /* results are the operands */
    LOWER_CONTROL,  /* sub-programs */
    LOWER_EFFECT,   /* print, assert */
    LOWER_NONE      /* gone before code is made (custom_lin) */
} LowerKind;

/* Every target has the ops of arithmetic, bits, comparisons, choice and the functions of kernels/vmath.h; an
 * elementwise op beyond those says in C what it is, which the interpreter calls and a target prints:
 *   floats     of double x and y; T is the type of the element
 *   integers   of uint64_t x and y, sign- or zero-extended, and w, the number of bits */
typedef struct Lower {
    uint8_t kind;       /* LowerKind */
    uint16_t combine;   /* REDUCE CUM WINDOW, scatters: OP_add .. */
    uint8_t cost;       /* MAP: of an element, about in additions; 0: one */
    uint8_t whole_cost; /* of an integer; 0: as cost */
    bool by_width;      /* MAP: f16 and bf16 are not what f32 gives, rounded */
    double (*real)(wf_dtype t, double x, double y);        /* MAP: of floats, not yet rounded */
    uint64_t (*whole)(wf_dtype t, uint64_t x, uint64_t y); /* MAP: of integers and bool, not yet cut */
    double _Complex (*pair)(double _Complex x, double _Complex y); /* MAP: of complex numbers */
    const char *c;                                         /* MAP: in C; NULL: every target has it */
} Lower;

/* An equation at given sizes of the program's symbols (-1: not known), for what it costs. */
typedef struct SizedEqn {
    const Program *p;
    const Eqn *e;
    const int64_t *sizes;
} SizedEqn;

int64_t sized_dim(const SizedEqn *s, Dim d);  /* 0 if it cannot be computed */
double sized_count(const SizedEqn *s, Type t); /* elements */

/* Where an axis of an operand goes (op/along.c). */
typedef enum AlongKind {
    ALONG_NONE,  /* nowhere, or nobody says so */
    ALONG_EACH,  /* axis `to` of every result, element by element: may be done on parts */
    ALONG_MIXED, /* axis `to` of the results, each of whose elements takes all of it: done on the whole */
    ALONG_SUM,   /* gone; results of parts are added up. Axes of operands with the same `to` go together */
    ALONG_MAX,
    ALONG_MIN,
} AlongKind;
typedef struct Along {
    AlongKind kind;
    uint32_t to;
} Along;

/* Row flags. */
enum {
    OPF_PURE = 1,      /* P  no effect: may be dropped, moved, merged */
    OPF_COMM = 2,      /* C  commutative in its two operands */
    OPF_LINEAR = 4,    /* L  linear in all operands together */
    OPF_ZERO = 8,      /* Z  derivative zero everywhere (integer or piecewise constant results) */
    OPF_DEFINES = 16,  /* D  defines a symbol: never merged */
    OPF_EFFECT = 32,   /* E  print, assert, callback: kept, in order */
    OPF_BILINEAR = 64, /* B  linear in each operand when the others are fixed */
    OPF_NOEVAL = 128,  /* N  has no eval: says why in its doc */
    OPF_CONTROL = 256, /* S  carries sub-programs: transforms recurse */
    OPF_VIEW = 512,    /* V  the result is operand 1 by other strides, nothing to compute */
    OPF_SAME = 1024,   /* A  result j is operand j, element by element in order, nothing to compute */
    OPF_FAILS = 2048,  /* F  may fail at run time, for some numbers in its operands */
    OPF_SIZES = 4096   /* G  may fail at run time, for sizes that are not known before, or of nothing */
};

/* One row per primitive: what it takes to read programs and run them. fold and flops may be NULL, and eval if N or S. */
struct OpRow {
    const AttrField *attrs;  /* NULL-name-terminated; NULL: no attributes */
    size_t attr_size;        /* of the struct */

    bool (*type)(TypeRule *t);
    bool (*eval)(Eval *e);
    /* NULL: elementwise, if the row is lowered so or flagged A; else not known. */
    Along (*along)(const Program *p, const Eqn *e, uint32_t operand, uint32_t axis);
    /* The value(s) this equation is trivially equal to: set out[0..nout-1] and return true. */
    bool (*fold)(Builder *b, const EqnView *e, Val *out);
    /* Operations on floats of one run of the equation; NULL: none. */
    double (*flops)(const SizedEqn *s);
    Lower lower;
};

/* What it takes to derive other programs, to evaluate those with sub-programs by the book, and to read about them: a table of its
 * own, so that who only runs models is linked without these. Which may be NULL:
 *   eval       unless S; if N
 *   jvp        if Z or E
 *   transpose  unless the op can be linear in an operand
 *   partition  most
 * `weft ops` and a test check this. */
typedef struct OpRules {
    const char *doc;       /* DOC of one or more lines: formula, dtypes, and what edge cases do */
    bool (*eval)(Eval *e); /* of rows flagged S: the runtime has steps for them, of which this is the oracle */
    /* dx[i] VAL_NONE: zero tangent (also for every non-float operand). Set dy[j]; leave VAL_NONE for zero.
     * Rows flagged S compute results and tangents together: out is NULL, and the rule also sets the results,
     * y into dy[nout + j] (so that a loop is not run, nor its effects had, twice). */
    void (*jvp)(Builder *b, const EqnView *e, const Val *dx, Val *dy);
    /* gy[j] VAL_NONE: zero. Set gx[i] for each operand with in[i] == VAL_NONE (or leave VAL_NONE: zero). */
    void (*transpose)(Builder *b, const EqnView *e, const Val *gy, Val *gx);
    /* axis[i]: the batch axis of in[i], -1: not batched (at least one is). Set out[j], out_axis[j]. */
    void (*batch)(Builder *b, const EqnView *e, const Batch *bt, Val *out, int *out_axis);
    bool (*partition)(PartitionRule *r);
} OpRules;

/* A text that is gone where the row is: a literal would stay with the others of its source. */
#define DOC(...) ((const char[]){__VA_ARGS__})

typedef struct OpInfo { /* the columns that stand in ops.def */
    const char *name;
    const char *family;
    uint16_t version;
    int16_t nin, nout; /* -1: any number */
    uint16_t flags;
    const OpRow *row;
} OpInfo;

typedef enum OpCode {
#define OP(name, ver, nin, nout, family, flags) OP_##name,
#include "op/ops.def"
#undef OP
    OP_COUNT
} OpCode;

extern const OpInfo op_table[OP_COUNT];
static inline const OpRow *op_row(unsigned op) { return op_table[op].row; }
extern const OpRules *const op_rule_table[OP_COUNT];
static inline const OpRules *op_rules(unsigned op) { return op_rule_table[op]; }
static inline const char *op_name(unsigned op) { return op_table[op].name; }
static inline bool op_has(unsigned op, unsigned flag) { return (op_table[op].flags & flag) != 0; }
int op_find(const char *name); /* -1 if there is none */
/* Can an equation fail at run time? in, out: its first operand and result. */
bool op_may_fail(unsigned op, Type in, Type out);
/* Made again from its one operand at about no cost? */
bool op_is_cheap(unsigned op);
/* What an elementwise op costs for an element, about in additions. */
double op_cost(unsigned op, wf_dtype t);

/* ---- builder.c ---------------------------------------------------------------------------------------------------
 *
 * Sticky: after the first error (in its context) every call does nothing and gives VAL_NONE, and
 * builder_finish gives NULL. Released with the call that made it (pool_defer); nobody frees it. */
typedef enum BuilderMode {
    B_OPTIMISE, /* number values, fold identities, drop dead equations at the end: transforms */
    B_VERBATIM  /* keep every equation as given: the parser, tests */
} BuilderMode;

typedef struct EqnSlot {
    uint32_t hash;
    uint32_t eqn; /* index + 1; 0: free */
} EqnSlot;

struct Builder {
    wf_ctx *cx;
    BuilderMode mode;
    Arena arena;       /* everything below; the finished program gets a tight copy */
    const char *name;
    Dims dims;
    Interner strings;
    VEC(Type) types;
    VEC(ValInfo) vals;
    VEC(Eqn) eqns;
    VEC(Val) args;
    VEC(const char *) names;
    VEC(Place) places;
    VEC(Val) inputs;   /* in order of b_input; renumbered 1..nin when finished */
    uint32_t place;    /* given to new equations; see b_at */
    Interner taken;    /* names of values in use */
    uint32_t renames;  /* numbers given to names that were taken */
    EqnSlot *slots;    /* value numbering, open addressing */
    uint32_t nslots, nused;
    uint32_t *type_slots; /* interned types: index + 1 */
    uint32_t ntype_slots;
};

Builder *builder_new(wf_ctx *cx, const char *name, BuilderMode mode);
/* The program with these results; retained by the pool (program_retain it to keep it longer). NULL after
 * an error. Free symbols that are bare in no input become SYM_PARAM. */
const Program *builder_finish(Builder *b, const Val *outs, uint32_t nouts);
/* The same with the inputs in another order: ins lists them all, but for inputs nothing depends on, which
 * may be left out and are dropped. */
const Program *builder_finish_as(Builder *b, const Val *ins, uint32_t nins, const Val *outs, uint32_t nouts);

static inline bool b_failed(const Builder *b) { return failed(b->cx); }
Type b_make_type(Builder *b, wf_dtype dtype, const Dim *dims, uint32_t rank); /* interned */
Val b_input(Builder *b, const char *name, Type type); /* at any time; name NULL: none */
Dim b_symbol(Builder *b, const char *name);           /* a new symbol, SYM_INPUT until an equation defines it */
static inline Type b_type(const Builder *b, Val v) { return b->types.v[b->vals.v[v].type]; }
static inline wf_dtype b_dtype(const Builder *b, Val v) { return (wf_dtype)b_type(b, v).dtype; }
static inline uint32_t b_rank(const Builder *b, Val v) { return b_type(b, v).rank; }
static inline Dim b_dim(const Builder *b, Val v, uint32_t i) { return b_type(b, v).dims[i]; }
/* Replace symbols in all that was built so far, map[i] for symbol i: types, attributes, guards. Values keep their numbers,
 * and dims made before stay valid, but still speak of the old symbols. */
void b_substitute(Builder *b, const Dim *map);
void b_name(Builder *b, Val v, const char *name); /* if it has none yet; made unique */
void b_at(Builder *b, Place place);               /* for the equations that follow */

/* Append an equation: infer types, number, fold. Results in out[0..]; returns how many (0 after an
 * error or for ops without results). attr is copied. */
uint32_t b_eqn(Builder *b, OpCode op, const Val *in, uint32_t nin, const void *attr, Val *out, uint32_t max_out);
Val b_eqn1(Builder *b, OpCode op, const Val *in, uint32_t nin, const void *attr); /* for one result */
/* As b_eqn with an out array allocated in the builder's arena: for ops with any number of results. */
Val *b_eqn_n(Builder *b, OpCode op, const Val *in, uint32_t nin, const void *attr, uint32_t *out_n);

/* The constant element of a value that is a splat constant (any shape): its bits. */
bool b_splat(const Builder *b, Val v, const void **out_element);
bool b_is_number(const Builder *b, Val v, double x); /* a splat of exactly x (-0 is not 0) */

/* ---- clone.c: copying between programs ------------------------------------------------------------------------------ */

/* Copies equations of a program into a builder: keeps value and symbol maps, and makes views. */
typedef struct Copier {
    Builder *b;
    const Program *from;
    Val *val;      /* from-value -> b-value; VAL_NONE where not (yet) there */
    Dim *sym;      /* from-symbol -> b-dim; DIM_NONE where not yet there */
    Dim *memo;     /* from-dim-node -> b-dim */
    uint32_t *type; /* from-type -> index+1 in b->types */
    const char *via; /* appended to places, NULL: kept as they are */
    uint32_t last_place, placed_as; /* the last place copied, so that runs of one place cost nothing */
    bool placed;
} Copier;

/* Symbols: taken from the same-named ones of b where given by binds (a Dim for each symbol, DIM_NONE: make
 * anew), so inlining passes Sub.binds and transforms pass NULL. */
void copier_init(Copier *c, Builder *b, const Program *from, const Dim *binds, const char *via);
Type copier_type(Copier *c, Type t);
Dim copier_dim(Copier *c, Dim d);
/* The attribute with dims of b and fresh symbols for those the equation defines. */
void *copier_attr(Copier *c, const Eqn *e);
Place copier_place(Copier *c, const Eqn *e); /* also becomes b's current place */
/* The equation as it is, operands mapped; results enter the map. */
bool copier_eqn(Copier *c, const Eqn *e);
/* A view of e with mapped operands (NULL in: from the map) and types. Arrays live in b's arena. */
void copier_view(Copier *c, const Eqn *e, EqnView *out);
/* Add the inputs of from as inputs of b, with their names. */
void copier_inputs(Copier *c);
/* Copy all equations of p into b, given values for its inputs and dims for its symbols. */
bool b_inline(Builder *b, const Program *p, const Dim *binds, const Val *in, Val *out, const char *via);
bool b_inline_sub(Builder *b, const Sub *s, const Val *in, Val *out, const char *via);
/* s with its program replaced by p, made from it by a transform: binds by symbol name, DIM_NONE (to be
 * inferred) for new symbols. */
Sub sub_like(Builder *b, const Sub *s, const Program *p);
/* p with input symbols replaced: constants or other symbols, by name. */
const Program *program_specialise(wf_ctx *cx, const Program *p, const char *const *names, const int64_t *values, uint32_t n);

/* ---- dce.c ---- */
typedef struct LiveView { /* the arrays of a program or of a builder */
    const Eqn *eqns;
    uint32_t neqns;
    const Val *args;
    const ValInfo *vals;
    uint32_t nvals;
    const Type *types;
    const Dims *dims;
    const Val *outs;
    uint32_t nouts;
} LiveView;
/* keep[e] for each equation: effects, what the outputs need, and definitions of symbols they need. */
uint32_t live_equations(Arena *scratch, const LiveView *v, bool *keep);
const Program *program_dce(wf_ctx *cx, const Program *p);

/* ---- print.c, parse.c, verify.c, draw.c ---- */
typedef struct PrintOptions {
    bool places;       /* @file:line:col after each equation */
    bool header;       /* the "weft 1" line */
    bool types;        /* the type of every result, not only where it must be said */
    int64_t max_const; /* larger dense constants print as [...] of their first elements (not parsable); 0: all */
    /* The tensor of the file that holds the constant, NULL: its elements are printed. No function: a constant
     * that has the name of a tensor prints as that. */
    const char *(*tensor)(void *user, const ConstData *data);
    void *user;        /* of tensor */
} PrintOptions;
/* The program and, before it, its sub-programs, each once, names made unique. */
void program_print(const Program *p, const PrintOptions *o, Text *out);
void programs_print(const Program *const *ps, uint32_t n, const PrintOptions *o, Text *out);
void eqn_print(const Program *p, const Eqn *e, Text *out); /* one equation, for messages */
void name_text(Text *out, const char *name); /* as it is, or "quoted" if it is no identifier */

/* Looks up a tensor of the enclosing file for `const f32[784,10] tensor("w")`; false: no such tensor. */
typedef struct ParseEnv {
    bool (*tensor)(void *user, const char *name, Type type, const ConstData **out);
    void *user;
} ParseEnv;
/* All programs of a text, in order. name is the file's, for places. NULL env: no tensors. */
bool programs_parse(wf_ctx *cx, const char *name, const char *text, size_t size, const ParseEnv *env,
                    const Program ***out, uint32_t *out_n);
/* Everything a program promises, checked again from scratch; the error names equation and place. */
bool program_verify(wf_ctx *cx, const Program *p);
void program_dot(const Program *p, Text *out);
/* describe.c: as JSON; its form stands there */
void program_json(wf_ctx *cx, const Program *p, Text *out);
/* cost.c: operations of one equation, and bytes of its operands and results, at these sizes of the symbols. */
void eqn_cost(wf_ctx *cx, const Program *p, const Eqn *e, const int64_t *sizes, double *out_flops, double *out_bytes);

/* ---- transforms that rules of control-flow ops need; defined in transform/ ---------------------------------------------- */

/* jvp.c. Inputs (x.., dx for each i with in_nz[i]); outputs (y.., dy for each j with out_nz[j]).
 * want[j] (may be NULL): output tangents to have even if they are zero. out_nz: what came out. */
const Program *xf_jvp(wf_ctx *cx, const Program *p, const bool *in_nz, const bool *want, bool *out_nz);

/* vmap.c. */
struct Batch {
    Dim size;         /* in the program being built */
    const char *name; /* of the axis, or NULL; or the axes of a mesh, x:4,y:2, as whose devices the rows count */
    const int *axis;  /* of the operands of this equation; -1: not batched */
};
/* size >= 0: that constant; else a fresh symbol named size_name. in_axis[i] -1: not batched. want[j] (may be
 * NULL): outputs that must be batched at axis 0 even if they do not depend on the batch; out_axis[j]: 0 or -1. */
const Program *xf_batch(wf_ctx *cx, const Program *p, int64_t size, const char *size_name, const char *axis_name,
                        const int *in_axis, const bool *want, int *out_axis);

/* partition.c. known: (known ins) -> (known outs.., residuals..); rest: (residuals.., unknown ins) -> unknown outs. */
typedef struct Split {
    const Program *known, *rest;
    bool *out_known;   /* for each output of p, in scratch */
    uint32_t nres;
    /* residual k is known-side output (number of known outs) + k. A residual that is just an input of p: */
    int32_t *res_input; /* the index of that input, or -1 */
} Split;
/* want_unknown[j] (may be NULL): outputs to give in rest even if they are known. */
bool xf_partition(wf_ctx *cx, const Program *p, const bool *in_known, const bool *want_unknown, Split *out);

/* transpose.c. p linear in inputs with linear[i]. Result: (the other ins.., gy for each j with out_nz[j]) ->
 * (gx for each i with linear[i] and in_nz_out[i]). want[i] (may be NULL): cotangents to have even if zero. */
const Program *xf_transpose(wf_ctx *cx, const Program *p, const bool *linear, const bool *out_nz, const bool *want, bool *in_nz);

#endif
