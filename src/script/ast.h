/* ast.h -- syntax trees, and what turns text into them and them into code. */
#ifndef WEFT_SCRIPT_AST_H
#define WEFT_SCRIPT_AST_H

#include "script.h"

/* ---- trees ------------------------------------------------------------------------- */

/* One struct for all nodes; the legend says what a, b, c, list, more and the payload
 * hold. Positions are those of the source: line and col from 1, col and len in bytes, len
 * up to the end of the node's first line. */
typedef enum AstKind {
    /* expressions */
    E_NAME,      /* name */
    E_INT,       /* i */
    E_FLOAT,     /* f */
    E_IMAG,      /* f, the imaginary part */
    E_STR,       /* name, n bytes */
    E_BYTES,     /* the same */
    E_BIG,       /* name, n: digits of an int beyond 64 bits, as int(name, 0) reads them */
    E_NONE, E_TRUE, E_FALSE, E_ELLIPSIS,
    E_FSTR,      /* list of E_STR and E_FMT */
    E_FMT,       /* {a!op:b}; b an E_FSTR or NULL */
    E_BIN,       /* a op b (BinOp) */
    E_UN,        /* op a (UnOp) */
    E_AND, E_OR, /* list */
    E_CMP,       /* a, then ops[i] list[i] */
    E_COND,      /* b if a else c */
    E_CALL,      /* a(list), of expressions, E_STAR, E_DSTAR, E_KW */
    E_KW,        /* name=a */
    E_STAR,      /* *a */
    E_DSTAR,     /* **a */
    E_ATTR,      /* a.name */
    E_INDEX,     /* a[b] */
    E_SLICE,     /* a:b:c, each may be NULL */
    E_TUPLE, E_LIST, E_SET, /* list */
    E_DICT,      /* list[i]: more[i]; list[i] NULL: **more[i] */
    E_LISTCOMP, E_SETCOMP, E_GENEXP, /* a, list of E_FOR; def of a generator */
    E_DICTCOMP,  /* a: b, list of E_FOR */
    E_FOR,       /* for a in b if list .. */
    E_LAMBDA,    /* def */
    E_YIELD,     /* a or NULL */
    E_YIELDFROM, /* a */
    E_WALRUS,    /* a := b */
    /* statements */
    S_EXPR,      /* a */
    S_ASSIGN,    /* list = .. = a */
    S_AUG,       /* a op= b */
    S_ANN,       /* a: b = c; c may be NULL */
    S_IF,        /* a: list else more */
    S_WHILE,     /* the same */
    S_FOR,       /* a in b: list else more */
    S_DEF,       /* def; list: decorators */
    S_CLASS,     /* class name(list): more; a: E_TUPLE of decorators; scope */
    S_RETURN,    /* a or NULL */
    S_RAISE,     /* a or NULL, from b or NULL */
    S_TRY,       /* list, more: S_EXCEPT; a: S_BLOCK else, b: S_BLOCK finally */
    S_EXCEPT,    /* a or NULL as name or NULL: list */
    S_WITH,      /* list of S_ITEM: more */
    S_ITEM,      /* a as b or NULL */
    S_ASSERT,    /* a, b or NULL */
    S_IMPORT,    /* list of S_ALIAS */
    S_FROM,      /* from name import list of S_ALIAS, empty: *; i: leading dots */
    S_ALIAS,     /* name as a (E_NAME) or NULL */
    S_GLOBAL, S_NONLOCAL, /* list of E_NAME */
    S_DEL,       /* list */
    S_PASS, S_BREAK, S_CONTINUE,
    S_BLOCK      /* list */
} AstKind;

typedef struct AstList {
    Ast **v;
    uint32_t n;
} AstList;

typedef struct Scope Scope;

typedef enum ParamKind { PARAM_POS, PARAM_STAR, PARAM_KW, PARAM_DSTAR } ParamKind;

typedef struct Param {
    const char *name;
    Ast *at; /* an E_NAME */
    Ast *ann, *value; /* or NULL */
    ParamKind kind;
} Param;

typedef struct FuncDef { /* def and lambda */
    const char *name;
    Param *params;
    uint32_t nparams;
    uint32_t nposonly; /* before a / */
    AstList body; /* of a lambda: one S_RETURN */
    Ast *returns; /* annotation or NULL */
    bool is_lambda, is_generator;
    bool is_async; /* its body is read, then is an exception */
    Scope *scope;
    const char *doc;
    uint32_t ndoc;
} FuncDef;

struct Ast {
    uint8_t kind, op;
    bool paren; /* written in parentheses */
    uint32_t line, col, len;
    Ast *a, *b, *c;
    AstList list, more;
    union {
        const char *name; /* interned in the unit */
        int64_t i;
        double f;
        const uint8_t *ops; /* CmpOp */
    };
    union {
        FuncDef *def;
        Scope *scope;
        uint32_t n;
    };
};

/* A source text, its tree and its code: what an import makes. Counted; functions keep
 * their unit. Everything in it is in one arena. */
struct Unit {
    uint32_t refs;
    Vm *vm;
    Unit *next, *prev; /* in vm->units */
    Arena arena;
    Interner names;
    const char *file; /* interned in the vm */
    const char *text;
    size_t size;
    AstList body;
    const ByteCode *code;      /* of the module's body */
    VEC(const ByteCode *) codes; /* all, by Code.index */
    const uint8_t *packed; /* its code as bytes, not text that was parsed: pack.h; else NULL */
    uint32_t *objects_at;  /* where those of consts stand in packed */
    Unit *source;          /* of packed code: its text compiled, once a tree was asked for */
    bool hidden;           /* of the language itself: not shown in errors */
    bool confined;         /* of a file's own source: confine.c */
    bool text_annotations; /* from __future__ import annotations: they are not evaluated */
    bool shown;            /* of a prompt: values of expressions are printed */
    uint8_t cut;           /* CUT_: does the text end where more of it must follow? */
    VEC(Value) consts;     /* owned; of packed code: T_NIL until it is needed */
    bool ok;
    const char *error;     /* of the parser or compiler */
    KnownClass error_kind;
    uint32_t line, col, len;
    jmp_buf jump;          /* where a syntax error goes */
    int depth;             /* of nesting while parsing */
    uint32_t nmatch;       /* hidden names of match statements */
};

enum { CUT_NOT, CUT_BLOCK /* a block, or a part of a statement */, CUT_TOKEN /* within brackets or a string */ };
void unit_release(Unit *u);
_Noreturn void unit_error(Unit *u, KnownClass kind, uint32_t line, uint32_t col,
                          uint32_t len, const char *fmt, ...) PRINTF(6, 7);
#define AST_MAX_DEPTH 200

/* ---- lexer.c ----------------------------------------------------------------------- */

typedef enum TokenKind {
    TK_EOF, TK_NEWLINE, TK_INDENT, TK_DEDENT, TK_NAME, TK_INT, TK_FLOAT, TK_IMAG, TK_STR, TK_OP,
    TK_KEYWORD /* op is a Keyword */
} TokenKind;

typedef enum Keyword {
#define KEYWORD(id) KW_##id,
#include "keywords.def"
#undef KEYWORD
    KW_COUNT
} Keyword;

typedef struct ScToken {
    uint8_t kind;
    uint32_t op; /* of TK_OP: its characters, first lowest */
    uint32_t line, col, n;
    const char *s;    /* in the text */
    const char *name; /* TK_NAME: interned */
} ScToken;

#define OPC1(a) ((uint32_t)(a))
#define OPC2(a, b) ((uint32_t)(a) | (uint32_t)(b) << 8)
#define OPC3(a, b, c) (OPC2(a, b) | (uint32_t)(c) << 16)

typedef VEC(ScToken) ScTokens;
/* Tokens of text[from, to). inside: a part of an f-string, in parentheses as it were. */
ScTokens sc_lex(Unit *u, size_t from, size_t to, uint32_t line, uint32_t col, bool inside);
const char *sc_keyword_name(Keyword k);

/* ---- parser.c, parser_expr.c ------------------------------------------------------- */

typedef struct ScParser {
    Unit *u;
    ScTokens t;
    uint32_t at;
    FuncDef *def; /* innermost, or NULL */
    bool in_class;
    const char *cls; /* name of the innermost class around, or NULL: what private names get */
    int loops;    /* around, within the function */
    bool in_async; /* inside an async def, where await may stand */
} ScParser;

void sc_parse(Unit *u); /* fills u->body; errors jump */
Ast *ast_new(ScParser *p, AstKind k, const ScToken *from);
Ast *ast_like(ScParser *p, AstKind k, const Ast *from);
void ast_end(ScParser *p, Ast *a); /* sets len: it ends with the token before */
static inline ScToken *tok(ScParser *p) { return &p->t.v[p->at]; }
static inline bool at_op(ScParser *p, uint32_t op)
{
    return tok(p)->kind == TK_OP && tok(p)->op == op;
}
static inline bool at_kw(ScParser *p, Keyword k)
{
    return tok(p)->kind == TK_KEYWORD && tok(p)->op == k;
}
bool sc_take_op(ScParser *p, uint32_t op);
bool sc_take_kw(ScParser *p, Keyword k);
void sc_need_op(ScParser *p, uint32_t op, const char *what);
_Noreturn void sc_parse_fail(ScParser *p, const ScToken *t, const char *fmt, ...) PRINTF(3, 4);
void sc_parse_deeper(ScParser *p);
void sc_mangle(ScParser *p, ScToken *t); /* a private name in a class: __x of C is _C__x */
Ast *sc_parse_expr(ScParser *p);       /* one expression, no tuple without parentheses */
Ast *sc_parse_exprs(ScParser *p);      /* with commas: a tuple; stars allowed */
Ast *sc_parse_atom(ScParser *p);       /* a name, a literal, a display */
Ast *sc_parse_strings(ScParser *p);    /* parser_str.c */
/* parser_match.c: does a match statement begin here? block parses ':' and what follows it */
bool sc_match_begins(ScParser *p);
Ast *sc_parse_match(ScParser *p, void (*block)(ScParser *p, AstList *out, const char *what, uint32_t line));
Ast *sc_parse_named(ScParser *p);      /* with := */
Ast *sc_parse_target_list(ScParser *p);/* of for */
void sc_parse_params(ScParser *p, FuncDef *d, uint32_t close);
void sc_check_target(ScParser *p, Ast *a, const char *verb);
void list_push(ScParser *p, AstList *l, uint32_t *cap, Ast *a);
Ast *sc_parse_args(ScParser *p, Ast *call);

/* ---- ast.c ------------------------------------------------------------------------- */

/* The S-expression of a function, as (def (ident f) (decl ..) (list ..)). */
void ast_print_def(const FuncDef *d, Text *t);
void ast_print_stmts(const AstList *l, Text *t);

/* ---- scope.c: which variable a name is --------------------------------------------- */

typedef enum VarKind { VAR_GLOBAL, VAR_LOCAL, VAR_CELL, VAR_FREE, VAR_CLASS } VarKind;
typedef enum ScopeKind { SCOPE_MODULE, SCOPE_CLASS, SCOPE_FUNC, SCOPE_COMP } ScopeKind;

typedef struct Var {
    const char *name;
    uint8_t kind;
    bool bound, used, is_param, is_global, is_nonlocal, deleted;
    uint32_t reg; /* VAR_LOCAL, VAR_CELL: register; VAR_FREE: index of the cell */
    Ast *at;
} Var;

struct Scope {
    ScopeKind kind;
    Scope *parent;
    Var *vars;
    uint32_t n, cap;
    uint32_t *slots; /* open addressing on the interned name; entry + 1 */
    uint32_t nslots;
    uint32_t nfree;
    bool needs_class; /* a class scope with the cell __class__ */
    bool has_walrus;
    bool is_genexp; /* a function scope that a := passes through */
    Scope *next; /* all scopes of the unit, inner after outer */
};

Scope *sc_scan(Unit *u); /* the module's scope; others hang on the nodes */
Var *sc_scope_find(Scope *s, const char *name);

/* ---- code -------------------------------------------------------------------------- */

typedef struct Ins {
    uint8_t op, x;
    uint16_t a;
    union {
        struct {
            uint16_t b, c;
        };
        int32_t jump;
    };
} Ins;

typedef struct CodePos {
    uint32_t line, col, len;
} CodePos;

typedef struct Cache { /* of one instruction that looks a name up */
    Str *name;
    Class *cls;        /* for which fn, or the entry of its objects' own dict, was found; or NULL */
    Class *of;         /* for which fn was found in the class when an attribute was read; or NULL */
    uint32_t version;  /* vm->version then; of globals: the dict's keys */
    uint32_t hint;     /* entry where the name was last found in the dict */
    Value fn;          /* borrowed from the class; of a call of an object's own attribute: nothing */
    Dict *dict;
} Cache;

typedef struct Handler { /* instructions from..to-1 jump to pc with the exception in reg */
    uint32_t from, to, pc;
    uint16_t reg;
} Handler;

struct ByteCode {
    Ins *ins;
    CodePos *pos; /* one per instruction; NULL: sc_code_line knows the lines */
    uint32_t nins;
    uint32_t nregs, nlocals; /* registers from nlocals on are temporaries, read once */
    Value *consts;
    Cache *caches;
    uint32_t nconsts, ncaches, ncodes;
    const ByteCode **codes; /* of nested functions and classes */
    Handler *handlers;  /* inner before outer */
    uint32_t nhandlers;
    Str *name, *qualname, *doc;
    const char **local_names; /* nlocals; NULL for hidden ones */
    const FuncDef *def;       /* NULL: module or class body, or packed: see sc_code_tree */
    const uint8_t *packed, *lines; /* of packed code: its body, which is read when ins is NULL; its lines */
    Unit *unit;
    uint32_t index;           /* among the unit's codes */
    uint32_t line;            /* where it begins */
    uint32_t npos, nkwonly;   /* parameters; their names come first in param_names */
    uint32_t nposonly;        /* of npos, those that have no keyword */
    uint32_t ndefaults, nkwdefaults;
    Str **param_names;
    bool has_star, has_dstar, is_generator, is_class, is_func; /* is_func: def or lambda */
    uint32_t nfree;
    uint16_t *free_from;      /* for each free variable: where the maker finds it: register,
                                 or with FREE_OUTER its own free variable */
};
#define FREE_OUTER 0x8000u

typedef enum Opcode {
#define OPC(id, kinds) OPC_##id,
#include "opcodes.def"
#undef OPC
    OPC_COUNT
} Opcode;
extern const char sc_op_kinds[][4]; /* what the operands are: opcodes.def */

struct VmFrame {
    VmFrame *back;
    const ByteCode *code;
    const Ins *pc; /* next instruction while another frame runs */
    Function *fn;      /* counted */
    ScModule *module;
    Dict *ns;      /* of a class body, else NULL */
    Gen *gen;      /* whose frame this is; not counted */
    Value self;    /* __init__: the instance that the call returns */
    uint32_t ret;  /* register of back that takes the result */
    uint32_t sent; /* generator: 1 + register that takes what is sent; 0: not started */
    uint8_t enter; /* FRAME_: how it was entered */
    bool confined; /* of a generator that code of a file made: confine.c */
    Value regs[];
};
enum { FRAME_C, FRAME_CALL, FRAME_INIT, FRAME_FOR };

const ByteCode *sc_compile(Unit *u, Scope *module);

/* ---- unpack.c: code of the namespaces ---------------------------------------------- */

bool sc_unpack(Unit *u);                            /* fills u->code from u->packed; false: exception */
bool sc_code_load(const ByteCode *c);                      /* everything but its head is there; the same */
uint32_t sc_code_line(const ByteCode *c, uint32_t at);     /* of an instruction; before it is loaded the first */
const FuncDef *sc_code_tree(const ByteCode *c);             /* its tree; NULL: none, or an exception is pending */

/* ---- prompt.c ---------------------------------------------------------------------- */

void prompt_show(Unit *u); /* expression statements become calls that print their values */

#endif
