/* script.h -- the Python-subset language: values, objects, the interpreter, and the
 * interface through which other parts of Weft add modules and types to it.
 *
 *   text --lexer--> tokens --parser--> Ast --scope, compile--> ByteCode --vm--> effects
 *
 * One Vm is one interpreter: it is bound to one wf_ctx and one thread at a time, and
 * holds all state. Any number of them can live in a process.
 *
 * Values and ownership
 *   A Value is a tag and a payload; T_OBJ points at a counted object. Functions borrow
 *   their arguments and return owned values, unless their comment says otherwise. sc_ref
 *   takes another count, sc_drop gives one back. T_NIL is "no value": an argument left
 *   out, an unset variable, or, from a function, that an exception is pending in vm->exc.
 *   Functions that give bool return false with an exception pending.
 *
 * Adding a module and a type
 *
 *   typedef struct Counter { int64_t n; } Counter;
 *
 *   static bool counter_make(Vm *vm, Value self, const Args *a)     Counter(start=0)
 *   {
 *       Counter *c = sc_native_new(vm, self, sizeof *c);       zeroed; freed with self
 *
 *       return c && (a->v[0].tag == T_NIL || sc_to_int(vm, a->v[0], &c->n));
 *   }
 *   static Value counter_step(Vm *vm, const Args *a)              c.step(by=1)
 *   {
 *       Counter *c = sc_native(a->v[0]);                  self is the first argument
 *       int64_t by = 1;
 *
 *       if (a->v[1].tag != T_NIL && !sc_to_int(vm, a->v[1], &by))
 *           return NIL;
 *       return v_int(c->n += by);
 *   }
 *   static Value counter_get_n(Vm *vm, Value self) { return v_int(...); }
 *
 *   static const NativeDef methods[] = {{"step", counter_step, "self|by"}, {0}};
 *   static const PropertyDef properties[] = {{"n", counter_get_n, NULL}, {0}};
 *   static const ClassDef counter_def = {
 *       .name = "Counter", .init = counter_make, .init_params = "|start",
 *       .methods = methods, .properties = properties};
 *
 *   bool open_counter(Vm *vm, ScModule *m)        called at the first `import counter`
 *   {
 *       return sc_module_class(vm, m, &counter_def, NULL, NULL) &&
 *              sc_module_set(vm, m, "limit", v_int(10));
 *   }
 *   sc_vm_add_module(vm, &(ModuleDef){"counter", open_counter});
 *
 * Operators, items, iteration and so on are the other fields of ClassDef. Script classes
 * may inherit from such a class. sc_call calls any callable, a script function included;
 * natives and script code may call each other to any depth up to the recursion limit.
 */
#ifndef WEFT_SCRIPT_H
#define WEFT_SCRIPT_H

#include "base/base.h"

typedef struct Vm Vm;
typedef struct Obj Obj;
typedef struct Class Class;
typedef struct Str Str;
typedef struct List List;
typedef struct Tuple Tuple;
typedef struct Dict Dict;
typedef struct VmFrame VmFrame;
typedef struct ByteCode ByteCode;
typedef struct Unit Unit;
typedef struct Function Function;
typedef struct ScModule ScModule;
typedef struct Exc Exc;
typedef struct WeakRef WeakRef;
typedef struct Ast Ast;

/* ---- values ------------------------------------------------------------------------ */

typedef enum Tag {
    T_NIL,      /* no value */
    T_NONE,
    T_BOOL,     /* payload i: 0 or 1 */
    T_INT,
    T_FLOAT,
    T_ELLIPSIS,
    T_NOTIMPL,  /* NotImplemented: an operator declines */
    T_OBJ
} Tag;

typedef struct Value {
    uint32_t tag;
    union {
        int64_t i;
        double f;
        Obj *o;
    };
} Value;

#define NIL ((Value){T_NIL, {0}})
#define NONE ((Value){T_NONE, {0}})
#define NOTIMPL ((Value){T_NOTIMPL, {0}})
static inline Value v_bool(bool b) { return (Value){T_BOOL, {.i = b}}; }
static inline Value v_int(int64_t i) { return (Value){T_INT, {.i = i}}; }
static inline Value v_float(double f) { return (Value){T_FLOAT, {.f = f}}; }
/* An object, or NIL for a NULL pointer. */
#define v_obj(p) sc_wrap((Obj *)(p))

struct Obj {
    uint32_t refs;
    uint32_t flags; /* OBJ_ */
    Class *cls;
};
enum {
    OBJ_GC = 1, /* in the collector's list */
    OBJ_INTERNED = 2,
    OBJ_ASCII = 4,
    OBJ_FINALIZED = 256, /* its __del__ has run, which happens once */
    OBJ_MARKED = 1024,   /* a string whose code points are indexed in vm->marks */
    OBJ_CONFINED = 2048, /* it calls later, and code of a file made it: confine.c */
    OBJ_WEAK = 4096,     /* something refers to it weakly: weak.c */
    OBJ_HELD = 512       /* garbage that the collector holds while it runs __del__ methods */
};

typedef struct GcObj { /* what may be part of a cycle */
    Obj h;
    struct GcObj *next, *prev;
    int64_t gc; /* the collector's count */
} GcObj;

static inline Value sc_wrap(Obj *o)
{
    return o ? (Value){T_OBJ, {.o = o}} : NIL;
}
void sc_obj_free(Vm *vm, Obj *o);
static inline Value sc_ref(Value v)
{
    if (v.tag == T_OBJ)
        v.o->refs++;
    return v;
}
static inline void sc_drop(Vm *vm, Value v)
{
    if (v.tag == T_OBJ && --v.o->refs == 0)
        sc_obj_free(vm, v.o);
}
#define obj_ref(p) ((p)->h.refs++, (p))
#define gc_ref(p) ((p)->h.h.refs++, (p))
#define obj_drop(vm, p) sc_drop(vm, v_obj(p))
/* Overwrite a slot that owns its value. */
static inline void sc_put(Vm *vm, Value *slot, Value owned)
{
    Value old = *slot;

    *slot = owned;
    sc_drop(vm, old);
}

/* ---- objects ----------------------------------------------------------------------- */

struct Str { /* UTF-8 */
    Obj h;
    uint64_t hash;  /* 0: not yet computed */
    uint32_t n;     /* bytes */
    uint32_t chars; /* code points; OBJ_ASCII: chars == n */
    char s[];       /* NUL-terminated */
};
/* Where an instance of a class derived from str keeps its Dict *attrs: behind its n bytes. */
#define STR_ATTRS_AT(n) ((offsetof(Str, s) + (n) + 8) & ~(size_t)7)
#define ATTRS_BEHIND 1 /* the attrs_at of such a class */

struct Tuple {
    GcObj h;
    Dict *attrs; /* of instances of subclasses */
    int64_t n;
    Value v[];
};

struct List {
    GcObj h;
    Dict *attrs;
    Value *v;
    int64_t n, cap;
    int64_t changes; /* counts changes of size, so that sorting can notice */
};

typedef struct DictEntry {
    Value key, val; /* key T_NIL: removed */
    uint64_t hash;
} DictEntry;

struct Dict { /* also sets: val is NONE */
    GcObj h;
    Dict *attrs;
    DictEntry *e;    /* in order of insertion */
    uint32_t *index; /* entry + 1, open addressing; NULL while cap <= DICT_SMALL */
    uint32_t n, cap; /* entries used, allocated */
    uint32_t live;   /* entries not removed */
    uint32_t slots;  /* of index, a power of two */
    uint32_t keys;   /* changes whenever a key comes or goes */
    uint32_t table;  /* of sets: slots that CPython's table had at some time; 0: as few as it begins with */
};
#define DICT_SMALL 8

typedef struct Instance { /* of script classes and of native types */
    GcObj h;
    Dict *attrs;       /* NULL: none yet */
    void *native;      /* by sc_native_new, or an object by sc_put_behind; NULL: nothing */
    size_t native_size; /* 0: an object */
} Instance;

typedef struct CallPlace {
    const char *file; /* interned in the vm */
    uint32_t line, col, len;
    Str *name; /* of the function; NULL: the module */
} CallPlace;

struct Exc {
    Instance h;
    Value args;  /* a tuple */
    Value cause;   /* raise .. from cause, or NIL */
    Value context; /* what was being handled when it was raised, or NIL */
    Value hint;    /* what may have been meant, a text that reports add; or NIL */
    CallPlace *trace; /* innermost first */
    uint32_t ntrace, captrace;
};

typedef struct Args {
    Value *v;     /* n by position, then nkw by keyword */
    int n, nkw;
    Value *names; /* of the keywords, strings */
    void *user;   /* of the NativeDef's function object */
    const struct NativeDef *def; /* of the function called; NULL: not known */
} Args;

typedef Value (*NativeFn)(Vm *vm, const Args *a);

/* params: "a,b|c,d$e": a and b are required, c and d may be left out (T_NIL), e is by
 * keyword only; every one is in a->v at its place. "*": anything, as it came. For a
 * method the first is self. */
typedef struct NativeDef {
    const char *name;
    NativeFn fn;
    const char *params;
} NativeDef;

#define PARAMS_MAX 48 /* parameters of a NativeDef */

typedef struct Native {
    GcObj h;
    const NativeDef *def;
    Value self;     /* bound; T_NIL: none */
    Str *name;      /* another than def's; NULL: that */
    Class *owner;   /* of a method, else NULL; not counted */
    void *user;
    int16_t nreq, nmax, nall; /* required, by position, all; nmax -1: anything */
    uint8_t self_is;          /* SELF_: what the first argument must be */
} Native;

/* What a native method relies on without looking: checked wherever it is called. */
enum {
    SELF_ANY,      /* nothing: a plain function, or a method of object */
    SELF_INSTANCE, /* an instance of owner */
    SELF_FILLED,   /* an instance of owner that has its native part: __init__ was called */
    SELF_CLASS     /* owner or a class derived from it */
};

typedef struct Method { /* a function and its self */
    GcObj h;
    Value fn, self;
} Method;

typedef struct Cell {
    GcObj h;
    Value v; /* T_NIL: unset */
} Cell;

/* What calls of a function come to whose body would do no more, without its frame: library code alone has one. A callable gets the
 * same arguments; a method of the first argument, while its attributes of these names are empty dicts; or neither, and the
 * function is a __getattr__ that looks in these dicts first. */
typedef struct Relay {
    Value to;      /* T_NIL: none */
    Str *method;   /* in the argument's own attributes, then without it, or a function of its class; NULL: none */
    Tuple *dicts;  /* names, interned */
    Value record;  /* what a method of the class is given to when calls of it come again (engine/replay.c); T_NIL: nothing */
} Relay;

struct Function {
    GcObj h;
    Dict *attrs;
    const ByteCode *code;
    Unit *unit; /* keeps code and ast alive */
    Str *name, *qualname;
    ScModule *module; /* its globals */
    Value *defaults;  /* ndefaults of positional ones, then one per keyword-only, T_NIL: none */
    uint32_t ndefaults, nkwdefaults;
    Cell **cells;     /* free variables */
    uint32_t ncells;
    Relay *relay;     /* owned; NULL: none */
};

struct ScModule {
    GcObj h;
    Dict *attrs; /* the globals */
    Str *name;
    const char *file; /* interned; NULL: native; "": made by the script */
};

typedef struct Range {
    Obj h;
    int64_t start, stop, step;
} Range;

typedef struct Slice {
    GcObj h;
    Value start, stop, step;
} Slice;

typedef struct Property {
    GcObj h;
    Value get, set, del, doc;
    Dict *attrs; /* of those of classes derived from it */
} Property;

typedef struct Wrapped { /* staticmethod, classmethod */
    GcObj h;
    Value fn;
} Wrapped;

typedef struct Iter { /* over anything built in; what a, b and i mean depends on the class */
    GcObj h;
    Value a, b;
    int64_t i, stop, step;
} Iter;

typedef struct Gen {
    GcObj h;
    VmFrame *frame;  /* NULL: finished */
    Value result;  /* of return */
    Str *name;
    bool running;
} Gen;

/* ---- classes ----------------------------------------------------------------------- */

typedef enum BinOp {
    OP2_ADD, OP2_SUB, OP2_MUL, OP2_DIV, OP2_FLOORDIV, OP2_MOD, OP2_POW, OP2_LSHIFT,
    OP2_RSHIFT, OP2_AND, OP2_OR, OP2_XOR, OP2_MATMUL, OP2_COUNT
} BinOp;
typedef enum UnOp { OP1_NEG, OP1_POS, OP1_INVERT, OP1_NOT } UnOp;
typedef enum CmpOp {
    CMP_LT, CMP_LE, CMP_EQ, CMP_NE, CMP_GT, CMP_GE, CMP_IS, CMP_ISNOT, CMP_IN, CMP_NOTIN
} CmpOp;

typedef void (*VisitFn)(Value v, void *user);

typedef struct PropertyDef {
    const char *name;
    Value (*get)(Vm *vm, Value self);
    bool (*set)(Vm *vm, Value self, Value v); /* NULL: read only; T_NIL deletes */
} PropertyDef;

/* What a type does. Everything but the name may be left out and is then inherited. */
typedef struct ClassDef {
    const char *name;
    size_t size;        /* of an instance; 0: Instance */
    size_t attrs_at;    /* offset of its Dict *attrs; 0: none (with size 0: Instance's); ATTRS_BEHIND */
    bool sealed;        /* script classes may not inherit */
    const NativeDef *methods;
    const NativeDef *statics; /* static methods */
    const NativeDef *classmethods; /* the class comes first */
    const PropertyDef *properties;
    /* Calling the class: make gives the finished object (for sealed value types) ... */
    Value (*make)(Vm *vm, Class *cls, const Args *a);
    const char *make_params;
    /* ... or init fills a fresh instance, also as __init__ of script subclasses. */
    bool (*init)(Vm *vm, Value self, const Args *a);
    const char *init_params; /* without self */
    void (*fresh)(Vm *vm, Obj *o);    /* what a zeroed instance needs before its init */
    void (*destroy)(Vm *vm, Obj *o);  /* release contents, not the memory of o */
    void (*visit)(Obj *o, VisitFn fn, void *user); /* every owned value, once per count */
    void (*native_free)(Vm *vm, void *native); /* before the memory of native goes */
    void (*native_visit)(void *native, VisitFn fn, void *user);
    Value (*repr)(Vm *vm, Value self); /* a string */
    Value (*str)(Vm *vm, Value self);
    bool (*hash)(Vm *vm, Value self, uint64_t *out);
    Value (*compare)(Vm *vm, CmpOp op, Value a, Value b); /* LT..GE; may give NOTIMPL */
    /* reflected: b is the one of this class. inplace: a may be changed and returned. */
    Value (*binary)(Vm *vm, BinOp op, Value a, Value b, bool reflected, bool inplace);
    Value (*unary)(Vm *vm, UnOp op, Value a); /* NEG POS INVERT */
    Value (*call)(Vm *vm, Value self, const Args *a);
    Value (*getattr)(Vm *vm, Value self, Str *name); /* when nothing else has it; NIL without
                                                        exception: not there */
    bool (*setattr)(Vm *vm, Value self, Str *name, Value v); /* instead of the attrs */
    Value (*getitem)(Vm *vm, Value self, Value key);
    bool (*setitem)(Vm *vm, Value self, Value key, Value v); /* T_NIL deletes */
    bool (*len)(Vm *vm, Value self, int64_t *out);
    int (*truth)(Vm *vm, Value self);            /* 0, 1, or -1 with an exception */
    int (*contains)(Vm *vm, Value self, Value v);/* the same */
    Value (*iter)(Vm *vm, Value self);
    Value (*next)(Vm *vm, Value self); /* NIL without exception: the end */
} ClassDef;

struct Class {
    GcObj h;
    Dict *attrs;
    ClassDef d;    /* with what was inherited filled in */
    const char *shown; /* module-qualified name for repr */
    Str *name;
    Str *module;   /* __module__ or NULL */
    Class **mro;   /* itself first; counted */
    uint32_t nmro;
    Class *base;   /* whose layout it has */
    Tuple *bases;
    bool script;   /* made by a class statement */
    bool is_exc, is_tuple;
    bool is_base;  /* of some class of the script, or was */
    bool is_type;  /* its instances are classes: type and what derives from it */
    bool is_abstract; /* __abstractmethods__ is not empty: no instances */
    bool has_del;  /* __del__ somewhere in the mro */
    bool closed;   /* its objects have no attributes but those that __slots__ name, here and in all bases */
    bool asks;     /* a __getattribute__ of the script is asked for every attribute */
    bool plain_setattr; /* likewise; not closed */
    Value init_fn; /* cache of __init__, borrowed; valid when init_version matches */
    uint32_t init_version;
};

/* ---- the interpreter --------------------------------------------------------------- */

#define POOL_CLASSES 33 /* free lists for 16, 32 .. 512 bytes */

typedef enum KnownStr {
#define KNOWN(id, text) S_##id,
#include "known.def"
#undef KNOWN
    S_COUNT
} KnownStr;

typedef enum KnownClass {
#define CLASS(id) C_##id,
#include "classes.def"
#undef CLASS
    C_COUNT
} KnownClass;

typedef struct ModuleDef {
    const char *name;
    bool (*open)(Vm *vm, ScModule *m);
} ModuleDef;

typedef struct Namespace { /* a module, or the rest of one with a ModuleDef, in the language itself */
    const char *name;
    const char *text;
    size_t size;
    const char *packed; /* its code: pack.h */
} Namespace;

typedef struct VmOptions {
    bool plain_alloc; /* no pools: every allocation goes to the context's allocator */
    int max_depth;    /* of script calls; 0: 1000 */
    bool stay_cancelled; /* handlers are interrupted again: a script cannot go on */
    void (*write)(void *user, const char *s, size_t n, bool err); /* NULL: stdio */
    void *write_user;
    wf_model *programs; /* gets those that graphs are made into; NULL: nobody asks */
    int argc;
    char **argv; /* of the script, its own name first */
} VmOptions;

typedef struct StrMarks { /* str.c: where code points of a string start */
    Str *of; /* not counted; NULL: free */
    uint32_t *at;
} StrMarks;

struct Vm {
    wf_ctx *cx;
    VmOptions opt;
    Value exc; /* pending exception, or NIL */
    VmFrame *frame; /* running, or NULL */
    int depth, max_depth; /* script frames */
    int cdepth;           /* C recursion */
    const char *stack_floor; /* what it may not pass; asked for once it is deep */
    bool has_confined;     /* code of a file was defined here */
    int confined, loading; /* confine.c: trees of a file's source that are walked; such sources that are being defined */
    uint32_t version;     /* changes whenever a class changes, or what a name of a library means */
    /* What is called, without args[0], in the place of a method of args[0] with a record (Relay); NIL: the method. NULL: no such calls. */
    Value (*replay)(Vm *vm, Value record, const Value *args, int n);

    GcObj gc_list;      /* head of all objects that can form cycles */
    int64_t gc_count;   /* made since the last collection, less those freed */
    int64_t gc_limit;
    bool collecting;
    bool closing;       /* the interpreter ends: no __del__ runs any more */
    WeakRef *weak[1024]; /* all weak references, by the address of what they refer to */
    GcObj *trash;       /* to be freed when the stack is shallow again */
    int free_depth;

    void *pool[POOL_CLASSES];
    char *chunk_at, *chunk_end;
    struct PoolChunk *chunks;
    char *reserve;      /* released when memory is exhausted, so that unwinding can go on */

    Str **strs;         /* interned; open addressing */
    uint32_t nstrs, capstrs;
    Str *known[S_COUNT];
    Str *chars[128];    /* one-character strings */
    Str *empty_str;
    StrMarks marks[4];  /* of long strings indexed last */
    uint32_t next_mark;
    Tuple *empty_tuple;
    Class *cls[C_COUNT];
    Dict *builtins, *modules;
    ScModule *main;
    Exc *memory_error;  /* made in advance */
    Value handled;      /* the exception caught last, for a bare raise */
    ModuleDef *defs;    /* what import knows */
    uint32_t ndefs, capdefs;
    uint32_t nspaces;   /* of sc_namespaces, those that it knows too */
    List *path;         /* sys.path: folders where import looks for files */
    List *meta_path;    /* sys.meta_path: who is asked for a module; its class PathFinder is what import.c does itself */
    Arena names;        /* file names, C strings that live as long as the vm */
    Unit *units;        /* all loaded, newest first */
    Exc *exit;          /* SystemExit */
    void *random;       /* modules/random.c */
    struct Engine *engine; /* engine/: tensors; NULL until a library is imported */
    uint64_t hash_seed;
    bool out_dirty;
    int64_t next_id;
    Value held[8];      /* texts of paths that natives look at: the last few */
    uint32_t next_held;
};

/* ---- mem.c: memory ----------------------------------------------------------------- */

void *sc_alloc(Vm *vm, size_t size); /* NULL: MemoryError is pending */
void sc_free(Vm *vm, void *p, size_t size);
/* n elements grow to at least need; keeps the old block when it fails. */
bool sc_grow(Vm *vm, void *slot, int64_t *cap, int64_t need, size_t elem);
Obj *sc_obj_new(Vm *vm, Class *cls, size_t size); /* zeroed after the header */
void *sc_gc_new(Vm *vm, Class *cls, size_t size); /* the same, seen by the collector */
void sc_collect(Vm *vm);
/* Collect if enough was made since the last time. It runs __del__ methods, so only where
 * code of the script may run: between instructions, never inside an allocation. */
static inline void sc_collect_if_due(Vm *vm);
void sc_memory_done(Vm *vm);

/* ---- str.c, str_methods.c, str_case.c: strings ------------------------------------- */

Str *sc_str(Vm *vm, const char *s);
Str *sc_str_n(Vm *vm, const char *s, size_t n); /* bytes that are not UTF-8 become '?' */
Str *sc_intern(Vm *vm, const char *s, size_t n);
Str *sc_intern_str(Vm *vm, Str *s); /* the interned equal; borrowed */
Value sc_strf(Vm *vm, const char *fmt, ...) PRINTF(2, 3);
uint64_t sc_str_hash(Str *s);
bool sc_str_eq(const Str *a, const Str *b);
int sc_str_cmp(const Str *a, const Str *b);
Value sc_str_char_at(Vm *vm, Str *s, int64_t i); /* 0 <= i < chars */
Value sc_str_slice(Vm *vm, Str *s, int64_t start, int64_t stop); /* code points */
Value sc_str_concat(Vm *vm, Str *a, Str *b);
uint32_t sc_utf8_read(const char *s, int *len);
int sc_utf8_write(char *out, uint32_t c);
#define is_str(v) sc_is(vm, v, C_str)
#define as_str(v) ((Str *)(v).o)
extern const ClassDef sc_str_def;

/* bytes.c */
Value sc_bytes(Vm *vm, const void *p, int64_t n); /* a bytes object; p NULL: zeros */
/* Those of bytes or a bytearray, borrowed; false, without an exception: it is neither */
bool sc_bytes_view(Vm *vm, Value v, const uint8_t **out, int64_t *n);

typedef struct Buf { /* growing text */
    Vm *vm;
    char *s;
    int64_t n, cap;
    bool failed;
} Buf;
void buf_add(Buf *b, const char *s, size_t n);
void buf_str(Buf *b, const char *s);
void buf_char(Buf *b, char c);
void buf_pad(Buf *b, const char *fill, int64_t times); /* fill: one UTF-8 character */
bool buf_value(Buf *b, Value v, bool repr); /* str(v) or repr(v) */
Value buf_done(Buf *b); /* the string; frees */
void buf_free(Buf *b);

/* ---- format.c: numbers and format specs -------------------------------------------- */

Value sc_float_repr(Vm *vm, double x);
Value sc_format(Vm *vm, Value v, Str *spec); /* format(v, spec) */
Value sc_percent(Vm *vm, Str *fmt, Value args); /* fmt % args */
Value sc_str_format(Vm *vm, const Args *a); /* str.format */
Value sc_str_format_map(Vm *vm, const Args *a);
Value sc_ascii(Vm *vm, Value v); /* repr(v) with escapes for what is not ASCII */
Value sc_convert(Vm *vm, Value v, char conv); /* s: str, a: ascii, r: repr */
/* A double with a format code (e f g E F G %) and precision -1: default; see the file */
void sc_format_double(Buf *b, double x, char code, int prec, bool alt, char group);
Value sc_parse_int(Vm *vm, Str *s, int64_t base);
/* long.c: digits that are known to be right; base 0: by their prefix */
Value sc_long_parse(Vm *vm, const char *s, size_t n, int base);
Value sc_parse_float(Vm *vm, Str *s);
double sc_round_digits(double x, int64_t digits);

/* ---- list.c, tuple.c --------------------------------------------------------------- */

List *sc_list(Vm *vm, int64_t n); /* n elements, all T_NIL, to be filled at once */
bool sc_list_push(Vm *vm, List *l, Value v); /* takes another count of v */
bool sc_list_extend(Vm *vm, List *l, Value iterable);
bool sc_sort(Vm *vm, List *l, Value key, bool reverse);
Tuple *sc_tuple(Vm *vm, int64_t n);
Tuple *sc_tuple_of(Vm *vm, const Value *v, int64_t n);
Tuple *sc_tuple_from(Vm *vm, Value iterable);
/* Indices a slice picks from *length elements; step != 0. The length is read after the
 * bounds, whose __index__ may change it. */
bool sc_slice_indices(Vm *vm, Slice *s, const int64_t *length, int64_t *start, int64_t *stop,
                      int64_t *step, int64_t *count);
Value sc_slice(Vm *vm, Value start, Value stop, Value step);
Value sc_range(Vm *vm, int64_t start, int64_t stop, int64_t step);
int64_t sc_range_len(const Range *r);
/* ---- complex.c --------------------------------------------------------------------- */

Value sc_complex(Vm *vm, double re, double im);
bool sc_is_complex(Vm *vm, Value v, double *re, double *im); /* of that class; no exception */
/* Any number, or what has __complex__, __float__ or __index__. */
bool sc_to_complex(Vm *vm, Value v, double *re, double *im);
Value sc_complex_pow(Vm *vm, double a, double b); /* of a < 0 to a fraction */

extern const ClassDef sc_list_def, sc_tuple_def, sc_range_def, sc_slice_def;

/* ---- dict.c, set.c ----------------------------------------------------------------- */

Dict *sc_dict(Vm *vm);
Dict *sc_set(Vm *vm);
/* Borrowed value; NULL: absent, or an exception pending when hashing or comparing failed. */
Value *sc_dict_find(Vm *vm, Dict *d, Value key);
Value *sc_dict_find_str(Dict *d, const Str *key); /* key interned; never fails */
bool sc_dict_put(Vm *vm, Dict *d, Value key, Value v); /* counts of both are taken */
bool sc_dict_put_hashed(Vm *vm, Dict *d, Value key, Value v, uint64_t hash); /* known hash */
bool sc_dict_put_str(Vm *vm, Dict *d, Str *key, Value v);
int sc_dict_remove(Vm *vm, Dict *d, Value key); /* 1 removed, 0 absent, -1 exception */
void sc_dict_clear(Vm *vm, Dict *d);
Dict *sc_dict_copy(Vm *vm, Dict *d, Class *cls);
bool sc_dict_update(Vm *vm, Dict *d, Value other);
bool sc_dict_find_entry(Vm *vm, Dict *d, Value key, uint32_t *out_entry, bool *found);
bool sc_set_add_all(Vm *vm, Dict *set, Value iterable);
int sc_dict_equal(Vm *vm, Dict *a, Dict *b);
/* for (i = 0; dict_next(d, &i, &e);) */
static inline bool dict_next(Dict *d, uint32_t *i, DictEntry **out)
{
    for (; *i < d->n; ++*i)
        if (d->e[*i].key.tag != T_NIL) {
            *out = &d->e[(*i)++];
            return true;
        }
    return false;
}
extern const ClassDef sc_dict_def, sc_set_def, sc_frozenset_def, sc_keys_def,
    sc_values_def, sc_items_def;

/* ---- class.c, attr.c, object.c: classes, attributes, instances --------------------- */

static inline Class *sc_class_of(Vm *vm, Value v);
bool sc_is_subclass(const Class *c, const Class *of);
static inline bool sc_is_class(Value v);
int sc_issubclass_of(Vm *vm, Class *c, Value spec); /* class or tuple; -1 exception */
static inline bool sc_is(Vm *vm, Value v, KnownClass k); /* instance of it or a subclass */
bool sc_is_instance(Vm *vm, Value v, Class *c);
int sc_isinstance_of(Vm *vm, Value v, Value spec); /* class or tuple; -1 exception */
Class *sc_class_native(Vm *vm, const ClassDef *def, Class *base);
/* Takes namespace as the class's attrs. bases: tuple of classes. meta: type or derived. */
Class *sc_class_new(Vm *vm, Class *meta, Str *name, Tuple *bases, Dict *ns);
Value *sc_class_find(Class *c, const Str *name); /* through the mro; borrowed, or NULL */
Value sc_getattr(Vm *vm, Value v, Str *name);
Value sc_getattr_s(Vm *vm, Value v, const char *name);
/* NIL without exception when it is not there. */
Value sc_getattr_opt(Vm *vm, Value v, Str *name);
bool sc_setattr(Vm *vm, Value v, Str *name, Value x); /* x T_NIL: delete */
bool sc_setattr_s(Vm *vm, Value v, const char *name, Value x);
/* The method and whether self goes before the arguments: no bound method is made. */
Value sc_getmethod(Vm *vm, Value v, Str *name, bool *out_unbound);
Value sc_bind(Vm *vm, Value attr, Value self, Class *cls); /* descriptors: from a class */
Dict **sc_attrs_of(Value v); /* where its attribute dict is kept, or NULL */
Value sc_new_instance(Vm *vm, Class *c);
/* __set_name__ of attributes, then __init_subclass__ with the keywords of a (may be NULL). */
bool sc_subclass_hooks(Vm *vm, Class *c, const Args *a);
/* The one of meta and the classes of bases that derives from all others; NULL: TypeError */
Class *sc_metaclass(Vm *vm, Class *meta, const Tuple *bases);
Value sc_super(Vm *vm, Class *after, Value self);
Value sc_dir(Vm *vm, Value v);
/* Raises AttributeError or NameError with the nearest name as a hint. */
void sc_raise_no_attr(Vm *vm, Value v, Str *name);
const char *sc_nearest(Vm *vm, Str *name, Dict *const *dicts, int n);
extern const ClassDef sc_type_def, sc_object_def, sc_super_def;
void sc_class_refresh(Vm *vm, Class *c);
void sc_weak_forget(Vm *vm, Obj *o); /* weak.c: o, which is marked OBJ_WEAK, dies */
extern const ClassDef sc_weakref_def;
/* For the start: complete a class made raw; methods and properties come with finish. */
bool sc_class_fill(Vm *vm, Class *c, const ClassDef *def, Class *base);
bool sc_class_finish(Vm *vm);

void *sc_native_new(Vm *vm, Value self, size_t size); /* zeroed, owned by self */
/* An object of the interpreter's own that goes with an instance of a script class, which no attribute shows. NIL: none. False: there is
 * no room for one in such an object. */
Value sc_behind(Value self);
bool sc_put_behind(Value self, Value v);
static inline void *sc_native(Value self) { return ((Instance *)self.o)->native; }

/* ---- ops.c: what operators do ------------------------------------------------------ */

const char *sc_type_name(Vm *vm, Value v);
Value sc_binary(Vm *vm, BinOp op, Value a, Value b, bool inplace);
Value sc_unary(Vm *vm, UnOp op, Value a);
Value sc_compare(Vm *vm, CmpOp op, Value a, Value b); /* any object: == may give tensors */
int sc_equal(Vm *vm, Value a, Value b); /* identity first; -1 exception */
int sc_less(Vm *vm, Value a, Value b);
bool sc_same(Value a, Value b); /* is */
bool sc_hash(Vm *vm, Value v, uint64_t *out);
int64_t sc_hash_public(uint64_t h);
int sc_truth_slow(Vm *vm, Value v);
static inline int sc_truth(Vm *vm, Value v);
Value sc_getitem(Vm *vm, Value v, Value key);
bool sc_setitem(Vm *vm, Value v, Value key, Value x); /* x T_NIL: delete */
bool sc_len(Vm *vm, Value v, int64_t *out);
int sc_contains(Vm *vm, Value v, Value x);
Value sc_iter(Vm *vm, Value v);
Value sc_next(Vm *vm, Value it); /* NIL without exception: the end */
Value sc_repr(Vm *vm, Value v);
Value sc_to_str(Vm *vm, Value v);
bool sc_to_int(Vm *vm, Value v, int64_t *out);     /* int, bool, __index__ */
bool sc_to_bound(Vm *vm, Value v, int64_t *out);   /* the same, as a bound: larger numbers are the largest there is */
/* The same without bound: an int of whatever size in out, owned */
bool sc_to_whole(Vm *vm, Value v, Value *out);
/* How often a sequence is repeated by v: 1; 0: v is no whole number; -1: exception */
bool sc_has_index(Vm *vm, Value v); /* has its class __index__? */
int sc_repeat_count(Vm *vm, Value v, int64_t *out);
bool sc_float_value(Vm *vm, Value v, double *out); /* a float or an instance of a derived class; false: neither */
bool sc_to_double(Vm *vm, Value v, double *out);   /* int, float, bool, __float__ */
bool sc_to_bool(Vm *vm, Value v, bool *out);
const char *sc_to_cstr(Vm *vm, Value v, const char *what); /* borrowed; else TypeError */
Value sc_int_pow(Vm *vm, int64_t a, int64_t b);
double sc_float_mod(double a, double b);
double sc_float_floordiv(double a, double b);
bool sc_enter(Vm *vm); /* one level of C recursion; false: RecursionError */
static inline void sc_leave(Vm *vm) { vm->cdepth--; }

/* ---- iter.c, func.c ---------------------------------------------------------------- */

Iter *sc_iter_new(Vm *vm, KnownClass k, Value a); /* takes another count of a */
Value sc_iter_calls(Vm *vm, Iter *it, Value b);   /* with b, of one that calls a function: who made it is remembered (confine.c) */
Value sc_method(Vm *vm, Value fn, Value self);
Value sc_property_get(Vm *vm, const Property *p, Value self);
Native *sc_native_fn(Vm *vm, const NativeDef *def, Value self, void *user);
const char *sc_name_of(Vm *vm, Value fn);    /* of a function, of the script or native */
Value sc_named(Vm *vm, Value fn, Str *name); /* the same function under another name */
/* Natives among the built-in functions; {0} ends them. */
bool sc_add_builtins(Vm *vm, const NativeDef *defs);
Cell *sc_cell(Vm *vm);
extern const ClassDef sc_func_def, sc_native_def, sc_method_def, sc_cell_def,
    sc_property_def, sc_staticmethod_def, sc_classmethod_def, sc_gen_def,
    sc_list_iter_def, sc_range_iter_def, sc_str_iter_def, sc_dict_key_iter_def,
    sc_dict_value_iter_def, sc_dict_item_iter_def, sc_set_iter_def,
    sc_tuple_iter_def, sc_seq_iter_def, sc_enumerate_def, sc_zip_def, sc_map_def, sc_filter_def,
    sc_reversed_def, sc_call_iter_def, sc_module_def, sc_getset_def;

/* ---- call.c: calls ----------------------------------------------------------------- */

Value sc_call(Vm *vm, Value fn, const Value *args, int n);
Value sc_call_args(Vm *vm, Value fn, const Args *a);
Value sc_call_method(Vm *vm, Value self, const char *name, const Value *args, int n);
/* Arguments by a parameter list as in NativeDef; out has a place for each. Borrowed. */
bool sc_bind_native(Vm *vm, const char *fname, const char *params, const Args *a, Value *out);
/* Is self what f relies on? false: TypeError. NIL: none was given. */
bool sc_check_self(Vm *vm, const Native *f, Value self);
/* A frame for f with a's arguments moved or copied in; NULL: exception. */
VmFrame *sc_frame_for(Vm *vm, Function *f, Value *args, int n, int nkw, Value *names, bool move);
/* What is called in the place of f, which has a relay, with the arguments from *skip on, a count of the caller's; NIL: f itself. */
Value sc_relayed(Vm *vm, const Function *f, const Value *args, int n, int nkw, int *skip);
/* An attribute of self by the relay of its class's __getattr__; NIL: not there. */
Value sc_relayed_attr(Vm *vm, const Function *f, Value self, Str *name);
/* Gives f a relay, in the place of one it has: to a callable, the method of this name, or None. */
bool sc_relay(Vm *vm, Function *f, Value to, Tuple *dicts, Value record);
void sc_frame_free(Vm *vm, VmFrame *f);
Value sc_run(Vm *vm, VmFrame *f); /* vm.c: run until f returns */
Value sc_new_generator(Vm *vm, VmFrame *f); /* takes the frame */
Value sc_gen_next(Vm *vm, Gen *g, Value send);
/* StopIteration at its end. The result goes with the first; later ones have none. */
Value sc_gen_stop(Vm *vm, Gen *g);
Value sc_gen_throw(Vm *vm, Gen *g, Value exc);
Value sc_gen_close(Vm *vm, Gen *g);
bool sc_gen_in_block(const Gen *g); /* it waits within a try or a with */
/* Call the class body: its namespace. */
Value sc_call_class(Vm *vm, Class *c, const Args *a);
Value sc_make_value(Vm *vm, Class *c, const Args *a); /* by c's make, its arguments bound */

/* ---- code.c: code and frames as objects; compile, exec, eval ------------------------ */

bool sc_open_code(Vm *vm);
Value sc_code_of_func(Vm *vm, const Function *f);
Value sc_frame_object(Vm *vm, int64_t depth); /* 0: of the script that runs */
Value sc_frame_passed(Vm *vm, const CallPlace *p); /* with the name and line alone */
Value sc_frame_locals(Vm *vm, const VmFrame *f);
/* The source of annotation at, up to one of the characters in ends. */
const char *sc_annotation_text(const Unit *u, const Ast *at, const char *ends, size_t *out_n);
Value sc_annotations_of(Vm *vm, Function *f); /* a dict, which it keeps */

/* ---- exc.c: exceptions ------------------------------------------------------------- */

/* Set the pending exception. Always NIL, so that `return sc_raise(..)` reads well. */
Value sc_raise(Vm *vm, KnownClass k, const char *fmt, ...) PRINTF(3, 4);
bool sc_hint(Vm *vm, const char *before, const char *hint); /* false, as sc_fail; hint may be NULL */
bool sc_fail(Vm *vm, KnownClass k, const char *fmt, ...) PRINTF(3, 4); /* always false */
Value sc_raise_value(Vm *vm, KnownClass k, Value arg);
Value sc_raise_memory(Vm *vm);
/* The sticky error of the context becomes a pending exception, and is cleared. */
/* The exception that is raised has another place in the script than the call that is running, such as an equation made
 * earlier: its report begins there. */
void sc_place_first(Vm *vm, Place at);
Value sc_raise_ctx(Vm *vm);
bool sc_set_exc(Vm *vm, Value exc_or_class, Value cause);
Value sc_take_exc(Vm *vm);          /* the pending one, now handled: owned */
Value sc_new_given(Vm *vm, Class *c, const Args *a); /* an instance; an exception's args are what it is called with, whatever __init__ does */
Value sc_exc_name(Vm *vm, Str *name); /* the pending exception gets the attribute name; NIL */
bool sc_exc_is(Vm *vm, KnownClass k); /* is one of this class pending? */
void sc_clear_exc(Vm *vm);
/* wf_cancel was called: KeyboardInterrupt is pending, and the call has had its effect.
 * Whatever loops asks: the machine at jumps back and calls, natives by sc_next. */
static inline bool sc_interrupted(Vm *vm);
bool sc_interrupt(Vm *vm); /* always true */
void sc_trace_add(Vm *vm, Exc *e, const VmFrame *f);
void sc_report(Vm *vm); /* the pending exception as the context's error; clears it */
extern const ClassDef sc_exc_def;
bool sc_open_exceptions(Vm *vm);

/* ---- builtins.c, interp.c, import.c ---------------------------------------------------------- */

bool sc_open_builtins(Vm *vm);
bool sc_open_match(Vm *vm); /* match.c */
Value sc_import(Vm *vm, Str *name);
/* `name` of an import statement in m: leading dots count from m's package. Owned. */
Str *sc_import_name(Vm *vm, ScModule *m, Str *name);
bool import_open_path(Vm *vm); /* sys.path of WEFT_PATH */
bool import_path_first(Vm *vm, const char *s, size_t n); /* one more folder, looked into first */
ScModule *sc_module(Vm *vm, const char *name, Dict *attrs);
bool sc_module_set(Vm *vm, ScModule *m, const char *name, Value owned);
bool sc_module_natives(Vm *vm, ScModule *m, const NativeDef *defs);
bool sc_module_class(Vm *vm, ScModule *m, const ClassDef *def, Class *base, Class **out);
bool sc_vm_add_module(Vm *vm, const ModuleDef *def);
const char *sc_vm_intern(Vm *vm, const char *s, size_t n); /* NULL: exception */
void sc_write(Vm *vm, const char *s, size_t n, bool err);
/* What a script has put in the place of sys.stdout, a stream of modules/sys.c; owned. T_NIL: nothing. */
Value sc_other_stdout(Vm *vm);
void sc_flush(Vm *vm);

Vm *sc_vm_new(wf_ctx *cx, const VmOptions *opt); /* NULL: cx has the error */
void sc_vm_free(Vm *vm);
/* Compile text into a unit whose top is a module body; NULL: SyntaxError pending. */
Unit *sc_compile_unit(Vm *vm, const char *file, const char *text, size_t size);
Value sc_run_unit(Vm *vm, Unit *u, ScModule *m);

/* ---- confine.c: code that a file brought ------------------------------------------- */

Value sc_run_confined(Vm *vm, Unit *u, ScModule *m); /* its definitions are made, and nothing of it is called */
bool sc_is_confined(const Vm *vm);                   /* is code of a file at work? */
bool sc_may(Vm *vm, const char *what); /* natives that reach beyond computing ask; false: no, an exception is pending */
bool sc_is_left_by_file(const Vm *vm); /* is what is made now, and called later, made by such code? */
bool sc_may_call(Vm *vm, const ByteCode *c);
bool sc_may_set(Vm *vm, Value v, const Str *name);

/* ---- interp.c, again ---------------------------------------------------------------- */

Unit *sc_unpack_unit(Vm *vm, const char *file, const Namespace *n); /* the same of what the build compiled */
Unit *sc_compile_hidden(Vm *vm, const char *file, const char *text, size_t size); /* frames not shown */
/* Of a prompt: values of expressions are printed. out_cut: CUT_ of ast.h, whether there is a result or not */
Unit *sc_compile_shown(Vm *vm, const char *file, const char *text, size_t size, int *out_cut);
bool sc_add_show(Vm *vm); /* the function that its values go through, among the built-in ones */
bool sc_run_file(Vm *vm, const char *path); /* as the main module */
bool sc_run_module(Vm *vm, const char *name); /* the same by its name, as python -m does */
bool sc_run_main(Vm *vm, Unit *u); /* takes u, which may be NULL */
/* public.c: a script whose output goes where the context's options say */
VmOptions sc_host_options(wf_ctx *cx, int argc, char **argv);
int sc_exit_code(Vm *vm); /* public.c: of vm->exit; says a text that it was given */
Value sc_run_at_exit(Vm *vm, Value r); /* what atexit has; r: how the program ended */
bool sc_run_text(Vm *vm, const char *name, const char *text, size_t size);
/* Tables that end with a NULL name: standard modules, the tensor engine's. */
extern const ModuleDef sc_std_modules[], engine_modules[];
/* Sorted by name; made by tools/pack of namespaces/. */
extern const Namespace sc_namespaces[];
extern const uint32_t sc_nnamespaces;
/* Names of the modules that are built in: for (i = 0; (s = sc_builtin_module(vm, i)); i++) */
const char *sc_builtin_module(const Vm *vm, uint32_t i);
bool sc_is_builtin_module(const Vm *vm, const char *name);
void engine_free(Vm *vm);
bool engine_poses_as(Vm *vm, Value v, const Class *c); /* np.float64 is a float */
const char *engine_keyword(const Vm *vm, const void *user, const char *name); /* another name of a native's parameter, or NULL */

/* ---- inline ------------------------------------------------------------------------ */

static inline Class *sc_class_of(Vm *vm, Value v)
{
    static const uint8_t by_tag[] = {C_NoneType, C_NoneType, C_bool, C_int, C_float,
                                     C_ellipsis, C_NotImplementedType};

    return v.tag == T_OBJ ? v.o->cls : vm->cls[by_tag[v.tag]];
}
static inline bool sc_is(Vm *vm, Value v, KnownClass k)
{
    return v.tag == T_OBJ &&
           (v.o->cls == vm->cls[k] || sc_is_subclass(v.o->cls, vm->cls[k]));
}
static inline bool sc_is_class(Value v) { return v.tag == T_OBJ && v.o->cls->is_type; }
static inline bool sc_is_exact(Vm *vm, Value v, KnownClass k)
{
    return v.tag == T_OBJ && v.o->cls == vm->cls[k];
}
static inline int sc_truth(Vm *vm, Value v)
{
    return v.tag <= T_INT && v.tag >= T_NONE ? v.i != 0 : sc_truth_slow(vm, v);
}
static inline bool sc_failed(const Vm *vm) { return vm->exc.tag != T_NIL; }
static inline void sc_collect_if_due(Vm *vm)
{
    if (UNLIKELY(vm->gc_count > vm->gc_limit) && !vm->collecting)
        sc_collect(vm);
}
static inline bool sc_interrupted(Vm *vm) { return cancelled(vm->cx) && sc_interrupt(vm); }

#endif
