/* compile.h -- what the two halves of the compiler share. */
#ifndef WEFT_SCRIPT_COMPILE_H
#define WEFT_SCRIPT_COMPILE_H

#include "ast.h"

#define TEMP        0x8000 /* temporaries while compiling; moved behind the locals at the end */
#define NOREG       0xFFFF
#define ANY         (-1)
#define BIN_INPLACE 0x80
#define MAX_REGS    0x7000
#define MAX_INDEX   0xFFF0

typedef enum ExitKind { EXIT_LOOP, EXIT_FINALLY, EXIT_WITH, EXIT_HANDLER } ExitKind;

typedef VEC(uint32_t) Jumps;

typedef struct Exit { /* a statement around that break, continue, return must know of */
    ExitKind kind;
    struct Exit *outer;
    Jumps breaks;
    uint32_t start;   /* continue goes here */
    const Ast *final; /* EXIT_FINALLY */
    int mgr;          /* EXIT_WITH: register of the manager; EXIT_HANDLER: of what was
                            handled before */
    uint32_t from;    /* start of the range protected now */
    Jumps ranges;     /* pairs from, to: already closed */
    const Ast *at;
} Exit;

typedef struct Known { /* which locals are certainly set */
    uint8_t *set;
    uint32_t n;
} Known;

typedef struct Comp {
    Unit *u;
    Vm *vm;
    struct Comp *outer;
    Scope *scope; /* innermost, may be a comprehension */
    Scope *host;  /* of the function, class or module */
    ByteCode *code;
    VEC(Ins) ins;
    VEC(CodePos) pos;
    VEC(Value) consts;
    VEC(Cache) caches;
    VEC(const ByteCode *) codes;
    VEC(Handler) handlers;
    VEC(const char *) locals; /* name or NULL of each local register */
    VEC(int) spare;           /* hidden locals not in use */
    uint8_t *known;           /* per local: certainly set here */
    uint32_t cap_known;
    int ntemps, max_temps;
    CodePos at;
    Exit *exits;
    const char *qualname;
} Comp;

/* compile.c: instructions, registers, constants, names */
Str *unit_str(Comp *c, const char *s); /* interned, kept by the unit */
int comp_new_local(Comp *c, const char *name);
uint32_t comp_emit(Comp *c, Opcode op, int x, int a, int b, int cc);
uint32_t comp_emit_jump(Comp *c, Opcode op, int a);
void comp_patch(Comp *c, uint32_t at); /* to here */
void comp_patch_all(Comp *c, Jumps *j);
void jump_back(Comp *c, uint32_t to);
void comp_jumps_add(Comp *c, Jumps *j, uint32_t at);
int comp_temp(Comp *c);
int comp_temps(Comp *c, int n);
int comp_hidden(Comp *c);
void comp_unhide(Comp *c, int reg);
int comp_konst(Comp *c, Value v); /* takes the count */
int comp_konst_str(Comp *c, const char *s, size_t n);
int comp_cache(Comp *c, const char *name);
void comp_place(Comp *c, const Ast *a);
_Noreturn void comp_error(Comp *c, const Ast *a, const char *text);
const char *comp_passed_name(Comp *c, const char *name);
Var *comp_lookup(Comp *c, const char *name, Scope **out_scope);
int comp_var_local(Comp *c, const Ast *a); /* its register if it is a plain local, else -1 */
void comp_load_name(Comp *c, const char *name, int dst);
void comp_store_name(Comp *c, const char *name, int src);
void comp_delete_name(Comp *c, const char *name);
const ByteCode *comp_function(Comp *c, FuncDef *d, const Ast *a);
const ByteCode *comp_genexp(Comp *c, Ast *a);
void comp_make_function(Comp *c, const ByteCode *code, FuncDef *d, int dst);
Known known_save(Comp *c);
void known_set(Comp *c, Known k);
void known_meet(Comp *c, Known k);
void comp_bind_scope(Comp *c, Scope *s);
int comp_code_index(Comp *c, const ByteCode *code);
void comp_block(Comp *c, const AstList *l);
Comp *comp_begin(Comp *outer, Unit *u, Scope *s, const char *name);
const ByteCode *comp_end(Comp *c);

/* compile_code.c */
void comp_def(Comp *c, Ast *s);
void comp_class(Comp *c, Ast *s);

/* compile_expr.c */
int comp_expr(Comp *c, Ast *a, int want);      /* register with the value */
int comp_operand(Comp *c, Ast *a, int prefer); /* a local as it is, else a temporary */
void jump_if(Comp *c, Ast *a, bool when, Jumps *out);
void comp_assign(Comp *c, Ast *target, int src);
void comp_comp_loop(Comp *c, Ast *a, uint32_t i, int acc, int first_iter);

#endif
