/* parse.h -- what the files of the text reader share.
 *
 *   lex.c           bytes -> tokens, names, strings, places
 *   parse.c         programs, names, messages
 *   parse_eqn.c     equations, guards, places
 *   parse_value.c   dims, types, attribute values
 *   parse_const.c   the elements of constants
 *
 * Every function that returns bool returns false after an error, which is then in the
 * context.
 */
#ifndef WEFT_IR_PARSE_H
#define WEFT_IR_PARSE_H

#include "ir/ir.h"

#define MAX_PARENS 200 /* nesting of a dim expression */

/* ---- lex.c ------------------------------------------------------------------------- */

/* Kinds of token; punctuation is its own character. */
enum {
    TOK_END = 256, /* of the text */
    TOK_LINE,      /* the end of a line, outside brackets */
    TOK_NAME,      /* x, layer.0.w */
    TOK_NUMBER,    /* without its sign */
    TOK_STRING,    /* with its quotes */
    TOK_EQ,        /* == */
    TOK_GE,        /* >= */
    TOK_LE,        /* <= */
    TOK_BAD        /* a byte no token begins with, or a string without its end */
};

typedef struct Token {
    const char *s;    /* in the text */
    const char *line; /* where its line begins */
    uint32_t n;       /* bytes */
    uint32_t row;     /* number of its line, from 1 */
    int kind;
} Token;

typedef struct Lex {
    const char *at, *end;
    const char *line;
    uint32_t row;
    uint32_t depth; /* of open brackets, inside which lines do not end */
} Lex;

bool name_is_start(unsigned char c); /* a letter, _, or a byte of a UTF-8 sequence */
bool name_is_byte(unsigned char c);  /* those, digits and dots */
Token lex_next(Lex *l);
/* The first byte after blanks that follows, 0 at the end: one character of lookahead. */
char lex_peek(const Lex *l);
/* The byte after that one, for telling = from ==. */
bool lex_peek_assign(const Lex *l);

/* ---- names of a program, or of a text ---- */

typedef struct NameSlot {
    const char *s; /* NULL: free */
    uint32_t n;
    uint32_t hash;
    int64_t value;
} NameSlot;

typedef struct ParseNames {
    Arena *a;
    NameSlot *slots; /* open addressing, a power of two, at most half full */
    uint32_t n, cap;
} ParseNames;

void names_reserve(ParseNames *t, uint32_t n); /* room for that many before the table grows */
NameSlot *names_find(const ParseNames *t, const char *s, uint32_t n); /* NULL: not there */
/* False if it is there already (*out_old is its slot). The text of the name must stay. */
bool names_add(ParseNames *t, const char *s, uint32_t n, int64_t value, NameSlot **out_old);
/* The name nearest to s for "did you mean", NULL if none is near. */
const char *names_nearest(const ParseNames *t, const char *s, uint32_t n);

/* ---- parse.c ---- */

typedef enum EntryState { ENTRY_NEW, ENTRY_ACTIVE, ENTRY_DONE } EntryState;

typedef struct ParseEntry { /* a program of the text */
    Token name;        /* where it is defined */
    const char *text;  /* its name */
    Lex lex;           /* after the name; once done, after the program */
    uint32_t rows;     /* lines of its text, which tells how many names to expect */
    EntryState state;
    const Program *p;
    struct ParseEntry *user; /* whose equation made the reader come here first */
} ParseEntry;

typedef struct Parser {
    wf_ctx *cx;
    Arena *a;         /* scratch */
    const char *file; /* for places */
    const ParseEnv *env;
    Lex lex;
    Token tok;        /* the current one */
    const char *last; /* the end of the one before */
    ParseEntry *entries;
    uint32_t nentries;
    ParseNames programs;     /* -> index of the entry */
    const int16_t *ops; /* see parse_make_op_slots */
    uint32_t nesting;   /* of programs being read */

    ParseEntry *entry; /* the program being read, and what follows is its own: */
    Builder *b;
    ParseNames vals;  /* -> Val */
    ParseNames syms;  /* -> Dim */
    VEC(Val) in; /* operands of the current equation */
} Parser;

Place place_of(const Parser *p, Token t);
bool parse_fail_at(Parser *p, Token t, wf_status status, const char *fmt, ...) PRINTF(4, 5);
/* "expected WHAT, found TOKEN" at the current token. */
bool parse_fail_expected(Parser *p, const char *what);
/* Give the recorded error, if it has no place yet, that of t. Always false. */
bool parse_fail_here(Parser *p, Token t);
void next_token(Parser *p);
bool parse_take(Parser *p, int kind); /* the current token, if it is of that kind */
bool parse_need(Parser *p, int kind, const char *what);
bool token_is(Token t, const char *word);
const char *token_str(Parser *p, Token t); /* its text, cut if long: for messages */
/* A name as it was meant: plain, %7, or a string. The text is in the source or scratch. */
bool parse_name(Parser *p, const char *what, Token *out_tok, const char **out,
                uint32_t *out_n);
/* The contents of a string token, NUL-terminated. */
bool string_text(Parser *p, Token t, const char **out, uint32_t *out_n);
bool name_is_token(const Parser *p); /* can a name begin here? */
const char *copy_name(Parser *p, const char *s,
                      uint32_t n); /* NUL-terminated, in scratch */
bool parse_fail_unknown(Parser *p, Token t, const char *kind, const char *near);
/* The program of that name, read now if it was not read yet. */
bool parse_program_ref(Parser *p, const Program **out);

/* ---- parse_eqn.c ---- */

bool parse_eqn(Parser *p);
bool parse_guard(Parser *p);
bool parse_value(Parser *p, Val *out); /* the name of a value that is there */
bool parse_define_value(Parser *p, Token t, const char *s, uint32_t n, Val v);
bool parse_at_end(const Parser *p);           /* of an equation */
const int16_t *parse_make_op_slots(Arena *a); /* hash table of op names */

/* ---- parse_value.c ---- */

bool parse_int(Parser *p, int64_t *out); /* with an optional sign */
bool parse_dim(Parser *p, Dim *out);
bool parse_dtype(Parser *p, wf_dtype *out);
bool parse_type(Parser *p, Type *out);
/* A value for field f into the attribute struct at attr. */
bool parse_field(Parser *p, const AttrField *f, void *attr);
/* Every field as if it were left out of the text. */
void attr_set_standard(const AttrField *fields, void *attr);

/* ---- parse_const.c ---- */

/* The elements that follow the type of a const: a number, a list, or tensor("name"). */
bool parse_const(Parser *p, Type type, const ConstData **out, bool *out_splat);
/* One number of that dtype at the current token, sign included, as bits. */
bool parse_number(Parser *p, wf_dtype dtype, void *out);

#endif
