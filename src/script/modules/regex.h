/* regex.h -- what the two halves of regular expressions share: regex.c parses, regex_run.c matches. */
#ifndef WEFT_SCRIPT_REGEX_H
#define WEFT_SCRIPT_REGEX_H

#include "modules.h"

enum { RE_I = 2, RE_M = 8, RE_S = 16, RE_X = 64, RE_ASCII = 256 }; /* flags, numbered as Python does */

typedef enum Rop {
    R_CHAR,  /* a: code point */
    R_ANY,   /* any but newline; x 1: any */
    R_SET,   /* a: first range, b: how many; x 1: not in it */
    R_SPLIT, /* try a, then b */
    R_JMP,   /* a */
    R_SAVE,  /* slot a */
    R_BOL, R_EOL, /* x 1: of lines */
    R_START, R_END,
    R_WORD,  /* a boundary; x 1: none */
    R_BACK,  /* what group a matched */
    R_LOOK,  /* a: where its body ends; x: 1 negative, 2 behind; b: width of a lookbehind */
    R_ATOM,  /* (?>..): a: where its body ends */
    R_COND,  /* if group a is set go on, else to b */
    R_EMPTY, /* slot a: leave a loop whose body matched nothing */
    R_MARK,  /* slot a = place */
    R_MATCH
} Rop;

typedef struct Rins {
    uint8_t op, x;
    bool fold; /* case does not matter */
    int32_t a, b;
} Rins;

typedef struct Rrange {
    uint32_t lo, hi; /* lo 0xFFFFFFFF: class hi (d w s, capitals for their complement) */
} Rrange;

typedef struct Regex {
    Rins *ins;
    int64_t nins, capins;
    Rrange *ranges;
    int64_t nranges, capranges;
    int ngroups, nslots; /* groups with the whole match; slots with those of loops */
    int flags;
    bool plain; /* memory of failures is allowed */
} Regex;

#define CLASS_OF 0xFFFFFFFFu


/* regex_run.c; the method find(self, text, start, end, mode) of a Program */
Value regex_find(Vm *vm, const Args *a);

#endif
