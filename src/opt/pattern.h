/* pattern.h -- shapes of computation written as text, found in programs.
 *
 *   div(e=exp(sub(x, along(m))), along(reduce_sum(e)))
 *
 *   op(..)     a value made by that op of operands that match; either order where the op
 *              is commutative
 *   x          a letter: any value, the same one wherever the letter stands
 *   x=..       a value that matches, called x
 *   0.5        a constant whose elements are all that number, in the value's dtype
 *   #k         a constant whose elements are all one number, called k, the same wherever
 *              #k stands
 *   [..|..]    the first that matches
 *   along(..)  a broadcast of it along the axes of the pattern's reductions
 *
 * Reductions of a pattern all run over the same axes; the first one met, or `along`, says
 * which.
 */
#ifndef WEFT_PATTERN_H
#define WEFT_PATTERN_H

#include "opt/opt.h"

typedef struct Uses { /* of the values of a program */
    const Program *p;
    uint32_t *at, *users; /* equations that read v: users[at[v] .. at[v+1]-1] */
    bool *is_out;
} Uses;

void uses_init(Uses *u, Arena *a, const Program *p);
static inline uint32_t uses_count(const Uses *u, Val v)
{
    return u->at[v + 1] - u->at[v] + u->is_out[v];
}
/* The only equation that reads v; NULL if there are more, or v is a result. */
const Eqn *uses_only(const Uses *u, Val v);

#define PATTERN_EQNS 64

typedef struct Match {
    const Program *p;
    Val val[26];       /* by letter; VAL_NONE: not met */
    double number[26]; /* by letter */
    uint32_t numbers;  /* bits of those met */
    bool axes_known;
    uint32_t axes; /* of reductions, as bits; ranks above 32 do not match */
    uint32_t eqns[PATTERN_EQNS], n; /* that were matched; repeated ones stand once */
} Match;

#define LETTER(c) ((c) - 'a')

void match_init(Match *m, const Program *p);
/* Does v match? If not, m is as before. */
bool pattern_match(Match *m, const char *pattern, Val v);
bool match_take(Match *m, uint32_t eqn); /* counts the equation as matched */
/* The equation that makes v if it is of that op, else NULL. */
const Eqn *match_made(const Program *p, Val v, unsigned op);
/* A splat constant's number. */
bool match_number(const Program *p, Val v, double *out);

/* v, a bool value, is true exactly where col <= row + offset, for two of its axes and
 * whatever the others are. Its equations are not counted. */
typedef struct Triangle {
    uint32_t row, col; /* axes of v */
    int64_t offset;
    bool inverse; /* true exactly elsewhere */
} Triangle;
bool match_triangle(const Program *p, Val v, Triangle *out);

#endif
