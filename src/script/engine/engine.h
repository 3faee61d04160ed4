/* engine.h -- tensors in scripts: what every library front (torch, jax, numpy ..) stands on.
 *
 *   namespaces/NAME.py   a library's names, written in the language itself, over a table
 *                        of natives; embedded in the program at build time
 *   _torch _jax _numpy _tf _aesara      those tables: the same natives, each seen by one
 *                        library (Front): its promotion, its dtypes, its tensor class
 *
 *   box.c        tensors and dtypes as script values; values as tensors; errors; places
 *   operate.c    operators, items, truth, iteration of tensors
 *   values.c     tensors as numbers, lists and text; methods and properties that every tensor has
 *   functions*.c natives that are one tensor function each, by table
 *   composed.c   functions of many ops, called over and over, as programs
 *   create.c     tensors from nested lists, ranges, files and random numbers
 *   program.c    programs as script values: trace, apply, transforms
 *   syntax.c     functions as syntax trees: the module _syntax
 *   definitions.c  is the source that a file brings only definitions?
 *   stage.c      natives for compiling source to programs
 *   optimise.c   natives for steps of optimisers over lists of parameters
 *   graphs.c     natives for graphs of expressions: programs of symbols with types alone
 *   size.c       sizes that are symbols
 *   dispatch.c   callables that know programs by the types of their arguments
 *   replay.c     calls of modules that come again, as the program that they are
 *   devices.c    natives of devices, and of where tensors are
 *   world.c      natives of processes that run together
 *   control.c    natives that take functions: derivatives, batches, control flow, rules
 *   effects.c    natives for programs that print, and that call functions of the script
 *   equations.c  ops by name, and the equations of a program as script values
 *   keys.c       random numbers by key, as JAX has them
 *
 * A native is written as
 *
 *   static Value n_tril(Vm *vm, const Args *a)                    tril(x, k=0)
 *   {
 *       wf_tensor x;
 *       int64_t k = 0;
 *       En e = en_begin(vm, a);
 *
 *       if (!en_tensor(&e, a->v[0], &x) || !en_int(&e, a->v[1], &k))
 *           return en_fail(&e);
 *       return en_end(&e, wf_tril(e.c, x, (int)k));
 *   }
 *
 * en_begin notes the user's place, takes the front from a->user and opens a scope; en_end
 * boxes the result, closes the scope and turns an error of the context into an exception.
 * Tensors of any front are accepted everywhere and share memory.
 */
#ifndef WEFT_ENGINE_H
#define WEFT_ENGINE_H

#include "functions/functions.h"
#include "higher/higher.h"
#include "script/script.h"

typedef struct Front Front;
typedef struct Autocast {
    bool on;
    wf_dtype low; /* of what gains from a lower precision */
} Autocast;

struct Front { /* one library's view */
    const char *module; /* "_torch" */
    wf_semantics means; /* what functions mean; narrow: 64-bit types become 32-bit ones (jax without x64) */
    wf_dtype int_dtype; /* of host integers */
    bool lists;         /* lists and tuples are accepted where tensors are */
    bool views_write;   /* x[i] = v is allowed */
    const char *const *dtype_names; /* by wf_dtype */
    const char *dtype_format;       /* "torch.%s" */
    KnownClass shape_error, type_error, value_error;
    Class *cls;         /* of its tensors; a script may put a subclass here */
    Class *shape_cls;   /* of x.shape; NULL: tuple */
    Class *scalar_cls[WF_DTYPE_COUNT]; /* of results of rank 0, as NumPy has; NULL: cls */
    struct DTypeObj *dtypes[WF_DTYPE_COUNT];
    wf_generator *generator;
    Value error_text;   /* fn(text, label): an error as the library words it; T_NIL: as it is */
    Value watcher;      /* fn(name, x, y, result): told what an operator has computed; T_NIL: nobody */
    struct Engine *engine;
    wf_device *home;    /* where results on the host go; NULL: they stay */
    bool stays;         /* its arrays are the host's */
    uint32_t lies;      /* the layout of results that have none, by its number (tensor/layout.c); 0: none */
    bool one_device;    /* tensors of two devices in one call are an error */
    Autocast autocast[2]; /* of tensors of the host, of GPUs; autocast.c */
    bool casts;         /* one of them is on */
    bool watch_nan, watch_inf; /* a result that has one is an error */
};

enum { FRONT_TORCH, FRONT_JAX, FRONT_NUMPY, FRONT_TF, FRONT_AESARA, FRONT_COUNT };

typedef struct ScriptPacker { /* functions of the script that pack saved values, and unpack them */
    Packer p;
    Vm *vm;
    Value pack, unpack; /* T_NIL: none */
} ScriptPacker;

typedef struct Engine { /* of one Vm: vm->engine */
    Vm *vm;
    int64_t age; /* of trees of modules: see dispatch.c */
    bool paused;        /* no program is run for its types alone; dispatch.c */
    int no_random; /* > 0: a program is made that must not hold numbers drawn now */
    int no_draws;  /* > 0: none may be drawn at all */
    int64_t refused; /* draws refused for these reasons */
    Value drawer; /* fn(name, *args): what a native that draws gives inside a trace; T_NIL: its numbers */
    Place place; /* where natives stand while a function is compiled; else nowhere */
    Front front[FRONT_COUNT];
    const wf_semantics *host; /* what functions meant before there was an engine */
    Place host_place;         /* where the context's tensor functions were called then */
    bool example_reads; /* the numbers of a symbolic tensor are those of the trace's example */
    Value reader; /* fn(what): told when they are read; T_NIL: nobody. Borrowed while the trace runs */
    List *called; /* effects.c: functions that programs call; NULL: none yet */
    uint64_t mark[2]; /* what their names begin with */
    struct ScriptHost *hosts; /* host.c: alive */
    ScriptPacker packer;      /* the same: in force where Tensors.packer says so */
    struct ScriptComposed *composed; /* composed.c; NULL: none yet */
    struct ScriptWorld *world; /* world.c: the processes this one runs with, or NULL */
    Class *tensor, *dtype, *program, *record, *slot, *size, *dispatch, *replay; /* base classes */
    int no_replay;      /* > 0: calls of modules are neither counted nor replayed */
    bool met_composed;  /* a function of many ops was called in a trace; composed.c */
} Engine;

typedef struct TensorObj {
    GcObj h;
    Dict *attrs;
    wf_tensor t; /* kept */
    Front *front;
    bool anywhere; /* on the host, made by a library for itself: it goes with tensors of any device */
    bool is_face;  /* it asked for the gradient of its tensor, which knows it by Tensor.face */
} TensorObj;

typedef struct DTypeObj {
    GcObj h;
    Dict *attrs;
    wf_dtype dtype;
    Front *front;
} DTypeObj;

/* ---- box.c ------------------------------------------------------------------------- */

typedef struct En { /* one native call */
    Vm *vm;
    wf_ctx *c;
    Front *f;
    const char *label; /* of the step in histories: the native's name */
    int taken;         /* operands so far */
    int device; /* 2 + that of the tensors so far; 0: none yet */
    bool anywhere; /* of nothing but tensors that are, or of none */
    const struct CastRow *cast; /* how its tensors are cast on the way in; NULL: not at all */
    void *mem[8]; /* blocks that live until the end */
    size_t size[8];
    int nmem;
} En;

Engine *engine_of(Vm *vm); /* made at need; NULL: exception */
En en_begin(Vm *vm, const Args *a);      /* a->user is the Front */
/* The same for what is no native's call: notes the place, opens a scope, and from here on numbers mean what f says. Every one that is
 * begun is ended, by one of those below. */
En en_begin_front(Vm *vm, Front *f);
/* Box the result, close the scope. NIL with an exception after an error. */
Value en_end(En *e, wf_tensor t);
/* program.c: what `one` makes of each entry of a sequence, boxed in a tuple; NULL:
 * exception. */
Tuple *en_box_each(En *e, Value of, wf_tensor (*one)(En *e, Value v));
/* Several results, as a tuple or a list, none of them WF_NONE. */
Value en_end_tuple(En *e, const wf_tensor *t, int n);
Value en_end_list(En *e, const wf_tensor *t, int n);
Value en_end_value(En *e, Value v); /* any other result; dropped after an error */
void en_free(En *e); /* the blocks alone */
void en_close(En *e, const wf_tensor *keep, int n); /* only the scope; keep live on outside */
Value en_fail(En *e);               /* close the scope: the exception, or the context's error */
bool en_raise(En *e);               /* the context's error becomes an exception; false */

Value en_box(En *e, wf_tensor t);   /* keeps t; an owned value */
Value en_box_as(En *e, wf_tensor t, Class *cls); /* as an instance of cls, a class of tensors of the front */
bool is_scalar(Vm *vm, Value v);    /* of a class of Front.scalar_cls: never changed in place */
bool is_tensor(Vm *vm, Value v);
static inline TensorObj *as_tensor(Value v) { return (TensorObj *)(void *)v.o; }

/* Values as arguments. False with an exception pending. T_NIL and None leave *out of the
 * optional kinds as it is. */
bool en_tensor(En *e, Value v, wf_tensor *out);     /* tensors, numbers, (lists) */
bool en_tensor_opt(En *e, Value v, wf_tensor *out);
bool en_tensors(En *e, Value v, wf_tensor **out, int *n); /* any iterable; lives until en_end */
void *en_alloc(En *e, size_t size); /* lives until en_end; NULL: exception */
bool en_int(En *e, Value v, int64_t *out);          /* optional; also tensors of one integer */
bool en_float(En *e, Value v, double *out);         /* optional */
bool en_bool(En *e, Value v, bool *out);            /* optional */
bool en_str(En *e, Value v, const char **out);      /* optional */
bool en_dtype(En *e, Value v, wf_dtype *out);       /* optional: dtypes, names, int float bool */
bool en_ints(En *e, Value v, int64_t *out, int *n, int room); /* an int or a sequence; optional: *n stays */
bool en_all_ints(En *e, Value v, int64_t **out, int *n); /* the same, however many; none where it is left out */
bool en_alike(En *e, const char *what, wf_tensor x, wf_tensor y); /* of one dtype, where PyTorch asks for it */
bool en_axes(En *e, Value v, int *out, int *n); /* optional; room for WF_MAX_RANK */
bool en_size(En *e, Value v, int64_t *out); /* optional; a symbol where no example tells its number */
bool en_shape(En *e, Value v, int64_t *dims, int *rank); /* an int or a sequence of sizes */
wf_dtype en_narrow(const Front *f, wf_dtype d); /* d, or the dtype of 32 bits that stands for it where the front has none of 64 (JAX) */

Value en_dtype_box(Vm *vm, Front *f, wf_dtype d); /* the dtype object; owned */
Value en_dim(Vm *vm, Front *f, int64_t size);     /* a size as a script value */
#define LEFT_OUT(v) ((v).tag == T_NIL || (v).tag == T_NONE) /* an argument */
extern const ClassDef en_tensor_def, en_dtype_def;
extern const char *const en_dtype_plain_names[WF_DTYPE_COUNT]; /* as NumPy and the libraries name them */
bool en_place_now(Vm *vm, Place *out); /* of the innermost line of the user's own files */

/* ---- operate.c --------------------------------------------------------------------- */

bool en_index(En *e, Value key, wf_index *out, int *n); /* room for 2*WF_MAX_RANK */
extern const char *const binary_label[OP2_COUNT]; /* names of the natives */
const char *en_matmul_label(En *e, wf_tensor x, wf_tensor y); /* of a product's step, as PyTorch names it */
/* What operators, indices and the built-in functions do to tensors. Owned values; NIL, false or -1 with an exception. A binary one and a
 * comparison give NOTIMPL for what is no operand, so that the other side is asked; reflected: b is the one whose method it is. inplace
 * writes into a and gives a. A truth value is 0 or 1. */
Value en_tensor_binary(Vm *vm, BinOp op, Value a, Value b, bool reflected, bool inplace);
Value en_tensor_unary(Vm *vm, UnOp op, Value a);
Value en_tensor_compare(Vm *vm, CmpOp op, Value a, Value b);
Value en_tensor_getitem(Vm *vm, Value self, Value key);
bool en_tensor_setitem(Vm *vm, Value self, Value key, Value v);
int en_tensor_truth(Vm *vm, Value self);
Value en_tensor_iter(Vm *vm, Value self);
bool en_tensor_len(Vm *vm, Value self, int64_t *out);
/* self, whose numbers are to be read: in a trace that allows it, those of the example. what: as what they are read. */
wf_tensor en_to_read(Vm *vm, Value self, const char *what);

/* ---- values.c ---------------------------------------------------------------------- */

bool en_tensor_hash_complex(Vm *vm, wf_tensor t, uint64_t *out); /* of a scalar, as the number it is */

/* ---- functions.c, create.c, program.c, control.c, keys.c ---------------------------------------------- */

/* devices.c: is the tensor on the device of those before it, where the front wants that? */
bool en_same_device(En *e, Value v, wf_tensor x);
/* operate.c: may y be read for what is written into x? PyTorch refuses where a part of their memory is the same. */
bool en_apart(En *e, wf_tensor x, wf_tensor y);
/* x, or a copy of it: packed, and on the host, so that its elements can be read; no history. NULL after an error. */
Tensor *en_on_host(En *e, wf_tensor x);
wf_tensor en_at_home(En *e, wf_tensor t); /* a result where the front has its arrays */
extern const NativeDef engine_devices[];
bool engine_open_devices(Vm *vm, ScModule *m); /* torch's classes of them */

/* ---- composed.c -------------------------------------------------------------------- */

/* A function of tensors and of the bytes at statics, all of whose numbers count as they are. */
typedef void (*ComposedCall)(wf_ctx *c, const wf_tensor *in, const void *statics, wf_tensor *out);
/* call(c, in, statics, out), by a program where it was called with such tensors before; WF_NONE after an error. */
void en_composed(En *e, ComposedCall call, const wf_tensor *in, int nin, const void *statics, size_t size, wf_tensor *out, int nout);
Value en_end_composed(En *e, ComposedCall call, const wf_tensor *in, int nin, const void *statics, size_t size); /* of one result */
void engine_composed_free(Vm *vm);

/* ---- world.c ----------------------------------------------------------------------- */

extern const NativeDef engine_world[];
/* why: what others are told of a process that ends badly; NULL: all went well. */
void engine_world_free(Engine *g, const char *why);
extern const NativeDef engine_functions[], engine_shape[], engine_nn[], engine_state[], engine_optimise[],
    engine_create[], engine_programs[],
    engine_control[], engine_effects[], engine_keys[];
extern const NativeDef en_tensor_methods[];
extern const PropertyDef en_tensor_properties[];
bool en_wide_int(const En *e, Value v, uint64_t *out); /* an int that only uint64 holds */
bool en_big_int(const En *e, Value v);                 /* an int of NumPy's that int64 does not hold */
bool en_too_large(En *e, wf_dtype d, Value v);         /* the error of such an int for d; false */
/* A tensor of nested sequences, numbers or whatever en_tensor takes; a tensor stays itself, but for its dtype. dtype WF_INVALID: bool, the
 * front's int, or its float, by what the lists hold. WF_NONE with an exception. */
wf_tensor en_tensor_from(En *e, Value v, wf_dtype dtype);
/* Does the library make an integer of this dtype of a host integer? NumPy and JAX of those it holds, PyTorch of negative ones for
 * unsigned too; the others wrap all. */
bool en_fits(const En *e, wf_dtype d, int64_t i);
/* Or the library's error. filled: where memory is written to, for which PyTorch has other words. */
bool en_check_fits(En *e, wf_dtype d, int64_t i, bool filled);
typedef enum Beside { BESIDE_SUM, BESIDE_ORDER, BESIDE_QUOTIENT } Beside; /* what is computed of an array and a number */
Value en_number_beside(Vm *vm, const Args *a); /* the native beside(number, x, how) */
/* NumPy's x beside a Python int, *out: what the dtype of x does not hold is an error in sums and the like, lies beyond every
 * element in an order, and is a float in a quotient. TensorFlow's: an int takes the dtype of x in a quotient, too, before both are floats. */
bool en_beside(En *e, Beside how, Value number, wf_tensor x, wf_tensor *out);
/* random_torch.c, host.c, files.c: of PyTorch's front alone */
extern const NativeDef engine_random_torch[], engine_hosts[], engine_files[];
/* random_tf.c, files_tf.c: of TensorFlow's */
extern const NativeDef engine_random_tf[], engine_files_tf[];
extern const ClassDef en_torch_generator_def;
extern const ClassDef en_program_def, en_record_def, slot_def;
extern const NativeDef engine_stage[]; /* stage.c */
extern const NativeDef engine_autocast[]; /* autocast.c */
const struct CastRow *autocast_row(const char *native); /* NULL: it casts nothing */
wf_tensor autocast_tensor(En *e, wf_tensor x); /* x as a tensor for e, which casts */
extern const NativeDef engine_graphs[]; /* graphs.c */
bool en_may_draw(Vm *vm); /* false with an exception: see Engine.no_random */
const Value *en_func_free(const Function *f, const char *name); /* a free variable's value; NULL: none */
bool en_draws_later(Vm *vm); /* is a trace made whose draws are inputs? then each is */
/* What such a draw by that native gives: what the drawer, a function of the script, says. Owned. */
Value en_drawn(Vm *vm, const char *native, const Args *a);

/* ---- dispatch.c: callables that know programs by the types of their arguments ---- */

/* dispatch.c: guards, places, keys and values in turn. Do they hold? Is v such a list? (Then owned, in *out.) */
bool en_guards_hold(Vm *vm, const Tuple *guards);
bool en_take_guards(Vm *vm, Value v, Value *out);
/* replay.c: what is called, without arguments, in the place of a method of the module args[0] with the others, by the library's record
 * of it; owned. NIL: the method itself is. No exception is left behind. */
Value en_replay(Vm *vm, Value record, const Value *args, int n);
extern const ClassDef en_replay_def;
extern const ClassDef dispatch_def, en_no_grad_def, en_enable_grad_def;
/* program.c: the program on these tensors; single: its one result, else a tuple. donated: which of them give their memory away; NULL:
 * none. */
Value en_program_call(Vm *vm, Front *f, Value program, const Value *v, int n, const bool *donated, bool single);
/* Was it given to a program, so that it has no elements any more? */
bool en_is_donated(Vm *vm, Value tensor);
int64_t en_program_results(Value program); /* how many it has */

/* ---- size.c: sizes that are symbols ---- */

bool is_size(Vm *vm, Value v);
int64_t en_size_dim(Value v); /* of one that is_size: a Dim of the trace in which it was made */
extern const ClassDef en_size_def;
extern const ClassDef rng_def; /* random_numpy.c */

/* ---- program.c, equations.c -------------------------------------------------------- */

typedef struct ProgramObj {
    GcObj h;
    Dict *attrs;
    const Program *p;
    Tensor **captures;
    uint32_t ncaptures;
    uint32_t nargs; /* inputs before the captures */
    bool *weak;     /* of the first nweak results */
    uint32_t nweak;
    wf_exec *update; /* where it gives its operands new values; NULL: not yet. See update() */
} ProgramObj;

static inline ProgramObj *as_program(Value v) { return (ProgramObj *)(void *)v.o; }
/* Takes over the reference of p. Captures and weak bits are copied. */
/* What a traced function gave, as a program with the innermost trace's captures; nargs: inputs before those. */
Value en_traced(En *e, Value results, int nargs);
/* What `end` makes of fn(*args), in a trace that was begun after `outer`. Takes args (NULL: there was an error) and ends e. */
Value en_trace_call(En *e, Trace *outer, Value fn, Tuple *args, Value (*end)(En *, Value results, int nargs));
Value box_program(Vm *vm, const Program *p, uint32_t nargs, Tensor *const *captures,
                  uint32_t ncaptures, const bool *weak, uint32_t nweak);
/* of a trace that goes on, or ends: with what it took from outside */
Value box_traced(Vm *vm, const Program *p, const Trace *tr, uint32_t nargs, const bool *weak, uint32_t nweak);
Value en_program_view(Vm *vm, const Args *a);
Value en_program_equation(Vm *vm, const Args *a);
Value en_program_layouts(Vm *vm, const Args *a); /* program_mesh.c */
Value en_program_spread(Vm *vm, const Args *a);
Value en_program_has_rules(Vm *vm, const Args *a);
Value en_program_part(Vm *vm, const Args *a);
Value n_so_far(Vm *vm, const Args *a);
Value n_outside(Vm *vm, const Args *a);
extern const NativeDef engine_equations[];

/* ---- control.c --------------------------------------------------------------------- */

typedef struct ScriptCallee { /* a script function as the user of a wf_function */
    Vm *vm;
    Front *front;
    Value fn;         /* borrowed */
    int n;            /* inputs */
} ScriptCallee;

/* k must stay as long as the function is used. Its results are counted by the call. */
wf_function en_function(ScriptCallee *k, Vm *vm, Front *f, Value fn, int inputs, const char *name);

/* ---- the modules ------------------------------------------------------------------- */

void hosts_end(Vm *vm); /* host.c */
void effects_end(Vm *vm); /* effects.c */
bool engine_open(Vm *vm, ScModule *m); /* by m's name: _torch and so on */
bool syntax_open(Vm *vm, ScModule *m); /* syntax.c: _syntax */
/* definitions.c: false after an exception that says what else the text would do. */
bool definitions_check(Vm *vm, const Unit *u);
bool definitions_computes(const char *name); /* a public function of a library that knows no files, as far as its name says */

#endif
