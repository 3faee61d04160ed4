/* recognise.h -- pieces of programs that are well-known functions.
 *
 *   recognise.c             the pass: pieces become calls of a known kind
 *   recognise_attention.c   attention and its gradient
 *   recognise_codes.c       products with weights of 4 bits
 *   pattern.c               patterns as text
 *
 * A recognised piece is an ordinary call of an ordinary sub-program that holds the plain
 * computation, so whoever does not know the kind just runs it. Who does know it (a step
 * of the runtime) asks piece_read, opt_attention_read or opt_codes_read what the body is: the kind, which can
 * be written by hand in text, proves nothing.
 */
#ifndef WEFT_RECOGNISE_H
#define WEFT_RECOGNISE_H

#include "opt/pattern.h"

/* ---- recognise.c ------------------------------------------------------------------- */

/* A body that is one piece, of inputs and constants alone. */
typedef struct Piece {
    CallKind kind;
    int32_t x, weight, bias, index; /* numbers of inputs; -1: none */
    uint32_t axes;                  /* of reductions, as bits */
    double eps, mean;               /* norms: mean is 1 / elements of a row */
    bool guarded;                   /* softmax: a shift that is not finite is 0 */
} Piece;

bool piece_read(const Program *body, CallKind kind, Piece *out);

enum {
    RECOGNISE_PIECES = 1,
    RECOGNISE_ATTENTION = 2,
    RECOGNISE_CODES = 8,
    RECOGNISE_FUSED = 4 /* what is left will be fused: only where that is slower */
};
/* Of those that the target has calls for. */
const Program *opt_recognise_all(const Opt *o, const Program *p, unsigned what);
/* Products with codes alone, for programs that run as they are: written out, the codes take eight times the memory. */
const Program *opt_recognise_codes(const Opt *o, const Program *p);
/* Calls with a kind become what their bodies say. */
const Program *opt_take_apart(wf_ctx *cx, const Program *p);
/* The bodies of calls with a kind in p and its sub-programs, each with its CallAttr. */
void recognised_bodies(const Program *p, PtrMap *out);

/* ---- recognise_attention.c --------------------------------------------------------- */

#define ATTENTION_RANK 6 /* most axes of scores: two and those of the batch */
#define ATTENTION_OPS  6

/* Axes by meaning: 0.. are the axes of the scores; */
enum { LABEL_DEPTH = 30, LABEL_WIDTH = 31, LABEL_NONE = -1 };

typedef struct Labelled { /* a value and what each of its axes is */
    Val v;
    int8_t label[MAX_RANK];
} Labelled;

typedef enum ScoreKind {
    SCORE_SCALE,
    SCORE_ADD,
    SCORE_KEEP,
    SCORE_CAUSAL,
    SCORE_CAST /* of half floats to f32 */
} ScoreKind;

typedef struct ScoreOp { /* in order from the product to the softmax */
    ScoreKind kind;
    double value;   /* SCALE: factor; KEEP CAUSAL: what masked scores become */
    bool keep_if;   /* KEEP */
    int64_t offset; /* CAUSAL: keys <= query + offset are kept */
    Val whole;      /* the mask in the shape of the scores */
    Labelled mask;  /* ADD KEEP: before it is broadcast; axes of size 1 have LABEL_NONE */
} ScoreOp;

typedef struct ScaledResult { /* of a product, scaled, then transposed */
    Labelled at;
    double times;
} ScaledResult;

typedef struct Attention {
    uint32_t rank;       /* of the scores */
    uint32_t query, key; /* axes of them; the others are the batch */
    Labelled q, k, v;
    ScoreOp op[ATTENTION_OPS];
    uint32_t nops;
    Val scores, weights, exps;
    Val read; /* the weights as products read them: cast, or as they are */
    Val shift, sum; /* by row: [batch.., query], axes in order of the scores' */
    bool forward, gradient;
    ScaledResult out; /* of the forward part; v VAL_NONE: not in the program, only its gradient */
    Labelled dout;
    ScaledResult dq, dk, dv; /* of the gradient; v VAL_NONE: not there */
    Match fore, back;  /* equations: of scores, weights and out; of the gradient */
} Attention;

/* What the division that makes `weights` is a part of. Both parts are found if both are
 * there, else the forward part, or the gradient of one whose result nobody reads. */
bool opt_attention_find(const Uses *u, const Eqn *weights, Attention *out);
/* What the body of a call of that kind is: one part. The gradient's last input is
 * the forward result, with axes in the order of dout's. */
bool opt_attention_read(Arena *a, const Program *body, CallKind kind, Attention *out);
bool opt_is_attention(Arena *a, const CallAttr *call);
/* Is the body of the call (NULL: of none) such, or a product with codes? It is left as it is: there is a step for
 * all of it. */
bool opt_has_step(Arena *a, const CallAttr *call);

/* ---- recognise_codes.c ------------------------------------------------------------- */

#define MOVED_RANK   8
#define MOVED_DIGITS 6

typedef struct MovedDigit {
    int64_t size, step; /* of elements of the source, or of halves of bytes */
} MovedDigit;

typedef struct MovedAxis {
    uint32_t n;
    int64_t size; /* the product of the digits' sizes, or less: */
    bool cut;
    MovedDigit digit[MOVED_DIGITS]; /* the last one runs fastest */
} MovedAxis;

typedef struct Moved { /* a value whose elements are those of another one */
    Val leaf, of;
    enum { HALF_NONE, HALF_LOW, HALF_HIGH, HALF_BOTH } part; /* of its bytes; halves count as places */
    bool is_signed;                                          /* halves: -8 to 7 */
    uint32_t rank;
    MovedAxis axis[MOVED_RANK];
} Moved;

typedef struct Codes { /* x[.., k] times (code - zero) scale */
    Val x;
    Moved code, scale, zero; /* of rank 2 */
    bool has_zeros;
    double zero_number; /* otherwise */
    uint32_t sum;       /* the axis of them that is k; the other one is the result's last */
} Codes;

bool opt_codes_find(const Program *p, const Eqn *dot, Codes *out);
/* Is the body of a call of that kind such a product of its inputs? */
bool opt_codes_read(const Program *body, CallKind kind, Codes *out);
/* Where element i of an axis is. */
int64_t opt_codes_place(const MovedAxis *a, int64_t i);

#endif
