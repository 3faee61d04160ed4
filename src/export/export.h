/* export.h -- programs as C that stands alone: no library, no malloc, no written globals.
 *
 *     Program --passes, fuse--> Plan, Kernels --func, step_*, c_kernel--> NAME.c NAME.h
 *
 *   c_text.c    names, numbers, dims and types of C
 *   c_op.c      one op as an expression
 *   c_kernel.c  a fused kernel as a function
 *   routine.c   functions that the file needs, each once, from elements.in, products.in
 *   func.c      a plan as a function: where values are, and its steps in order
 *   step_*.c    one equation as C
 *   pack.c      filters of convolutions in the order they are multiplied in
 *   file.c      the files around it: state, header, example, Makefile
 *   export.c    wf_export
 *
 * Sizes are dims: a number, or an expression of the arguments that give sizes. Memory is
 * laid out for the largest sizes, once, when the file is written: the caller gives one
 * block. What a plan says of stores, views and results in place (runtime.h) is done here
 * as frames do it.
 */
#ifndef WEFT_EXPORT_H
#define WEFT_EXPORT_H

#include "runtime/runtime.h"

/* ---- the C file -------------------------------------------------------------------- */

typedef struct KernelName {
    const Kernel *code;
    const char *name;
} KernelName;

typedef struct SubName { /* a sub-program at its largest sizes, as a function */
    const Plan *plan;
    const int64_t *most;
    const char *name;
    int64_t memory;
    bool fails;
} SubName;

typedef struct ConstName {
    const void *data;
    uint8_t dtype;
    const char *name, *text; /* its definition */
} ConstName;

typedef struct CFile {
    wf_ctx *cx;
    Arena *a;
    const char *name, *macro; /* of public names: digits_, DIGITS_ */
    Text routines, functions;
    VEC(const char *) needed; /* routines that are in, by the name of the function */
    VEC(const char *) names;  /* taken, at file scope */
    VEC(KernelName) kernels;
    VEC(SubName) subs;
    VEC(ConstName) constants;
} CFile;

/* ---- c_text.c ---------------------------------------------------------------------- */

/* In memory; in expressions: int for bool, float for half floats. */
const char *c_type(wf_dtype t);
const char *c_value(wf_dtype t);
bool c_has_dtype(wf_dtype t);
/* "x.0 weight" -> "x_0_weight"; c_identifier: never a word of C, nor what generated code calls its own */
const char *c_plain(Arena *a, const char *name);
const char *c_identifier(Arena *a, const char *name);
/* A name that is not among those taken, which it enters. */
typedef VEC(const char *) Names;
const char *c_unique(Arena *a, void *names, const char *wish);
const char *c_upper(Arena *a, const char *s);
/* A text of the model's where nothing of it is code: inside a comment; as a string, with its quotes. */
const char *c_comment(Arena *a, const char *s);
const char *c_string(Arena *a, const char *s);
/* Is the word in the text, but for lines that are comments? */
bool c_mentions(const char *text, const char *word);
/* One element as C, exactly; a complex one as what initialises it. bits: as stored. */
const char *c_literal(Arena *a, wf_dtype t, const void *element);
/* The same as it is stored: half floats as their bits. */
const char *c_stored_literal(Arena *a, wf_dtype t, const void *element);
/* d of t, whose symbols are named as C calls them. c_dim is safe inside products. */
const char *c_dim(CFile *c, const Dims *t, Dim d);
/* Does d grow (or stay) when symbols grow? */
bool c_dim_grows(const Dims *t, Dim d);

/* ---- routine.c --------------------------------------------------------------------- */

/* The function wx_<name>, or of a dtype wx_<name>_<dtype>, is in the file from now on; the
 * name of it. NULL, with an error: there is none. */
const char *c_need(CFile *c, const char *name);
const char *c_need_of(CFile *c, const char *name, wf_dtype t);

/* ---- c_op.c ------------------------------------------------------------------------ */

/* op(args..) as an expression of c_value(out); NULL with an error: there is no C of it. */
const char *c_map(CFile *c, unsigned op, wf_dtype out, const wf_dtype *in,
                  const char *const *args, uint32_t n);
const char *c_cast(CFile *c, wf_dtype from, wf_dtype to, const char *x);
/* An element in memory as a value, and back. */
const char *c_load(CFile *c, wf_dtype t, const char *x);
const char *c_store(CFile *c, wf_dtype t, const char *x);
/* Of the elements of a reduction, the one that changes nothing. t: as it is summed in. */
const char *c_nothing(CFile *c, unsigned op, wf_dtype t);

/* ---- c_kernel.c -------------------------------------------------------------------- */

/* The function of k->code; wish: what it is called, if it is made now. Arguments: arrays
 * in, arrays out, row buffers if c_kernel_buffers is not 0, params. */
const char *c_kernel(CFile *c, const Kernel *k, const char *wish);
bool c_kernel_buffers(const Kernel *k);
int64_t c_kernel_buffer_bytes(const Kernel *k, const int64_t *symvals);

/* ---- func.c ------------------------------------------------------------------------ */

typedef struct ValueAt { /* of a value */
    const char *at;    /* its first element, as C; NULL: not yet written down */
    const Dim *stride; /* of Func.dims, in elements; NULL: row-major */
} ValueAt;

typedef struct Declared { /* a pointer, and where in the body its declaration ends */
    const char *name;
    size_t end;
} Declared;

typedef struct Func {
    CFile *c;
    Arena *a;
    const Plan *plan;
    const Program *p;
    const char *name; /* prefix of the names of its kernels */
    Dims dims;        /* symbols as in p, named as C names them */
    Dim *map;         /* symbol of p -> dim */
    const int64_t *most; /* of each symbol */
    ValueAt *val;
    int64_t *home; /* of each store: its offset */
    int64_t *home_bytes;
    const char **in, **out; /* pointers as C */
    Names names;
    Parts mem;
    VEC(BlockPart) temps; /* of the step */
    Text body;
    int depth;
    const Eqn *e;
    uint32_t eqn;
    VEC(Declared) declared;
    bool fails;
    bool *read; /* values that somebody reads */
    const uint8_t *packing; /* Packing of each input; NULL: none is packed */
} Func;

/* The body of a program into f->body; f->in and f->out are set, f->names has them. */
bool func_write(Func *f);
void func_init(Func *f, CFile *c, const Plan *plan, const char *name, const int64_t *most);
void func_free(Func *f);
/* The function of a sub-program. */
bool func_sub(CFile *c, const Plan *plan, const int64_t *most, const char *wish,
              SubName *out);

/* Lines of the body. */
void c_put_line(Func *f, const char *fmt, ...) PRINTF(2, 3);
void c_declare_at(Func *f, const char *name, const char *fmt, ...) PRINTF(3, 4);
void c_open_block(Func *f, const char *fmt, ...) PRINTF(2, 3); /* and its brace */
void c_close_block(Func *f);
void c_close_blocks(Func *f, uint32_t n);
void c_open_for(Func *f, const char *i, const char *n); /* for (ptrdiff_t i = 0; i < n; i++) { */

/* Values: the pointer to the first element (declared now if it is the first time), sizes
 * and strides. */
const char *c_at_of(Func *f, Val v);
Dim c_size_of(Func *f, Val v, uint32_t axis);
const Dim *c_stride_of(Func *f, Val v);
Dim c_count_of(Func *f, Val v);
int64_t c_most_of(Func *f, Dim d); /* at the largest sizes */
static inline wf_dtype dtype_of(const Func *f, Val v)
{
    return (wf_dtype)val_type(f->p, v).dtype;
}
static inline uint32_t rank_of(const Func *f, Val v) { return val_type(f->p, v).rank; }
static inline Val in_of(const Func *f, uint32_t i) { return eqn_in(f->p, f->e)[i]; }
static inline Val out_of(const Func *f, uint32_t j) { return f->e->out + j; }
const Dim *c_row_major(Func *f, uint32_t rank, const Dim *dims);
Dim c_dim_of(Func *f, Dim d); /* a dim of p */
const char *c_dim_in(Func *f, Dim d); /* as C, safe in products */
/* "i0*64 + i1": 0 if there is nothing. */
const char *c_index(Func *f, uint32_t n, const char *const *i, const Dim *stride);
/* What write writes, which fails nowhere and needs no memory, as a function of its own that the step
 * calls. */
void write_function(Func *f, void (*write)(Func *f));
/* The value, row-major, to another place. */
void c_copy_to(Func *f, Val v, const char *to);
/* Memory of the step alone: the pointer as C, of elements of a dtype. */
const char *step_memory(Func *f, int64_t bytes, const char *type);
/* The C of a failure, NAME_<what>: returned. */
void c_fail_if(Func *f, const char *what, const char *fmt, ...) PRINTF(3, 4);
bool refuse_step(Func *f, const char *fmt, ...) PRINTF(2, 3); /* "op: .." ; false */
const char *c_constant(CFile *c, const ConstAttr *a);

/* ---- step_*.c: the equation f->e ---------------------------------------------------- */

bool step_write(Func *f); /* step.c: by op */
/* NULL: the op is written; else why there is no C of it. */
const char *export_refusal(unsigned op);
bool step_map(Func *f); /* step_map.c: what is in no kernel */
bool step_reduce(Func *f);
bool step_arg(Func *f); /* step_line.c */
bool step_cum(Func *f);
bool step_cum_extreme(Func *f);
bool step_sort(Func *f);
bool step_top_k(Func *f);
bool step_fft(Func *f); /* step_fourier.c */
bool step_view(Func *f); /* step_move.c */
bool step_const(Func *f);
bool step_reshape(Func *f);
bool step_bitcast(Func *f);
bool step_iota(Func *f);
bool step_dim(Func *f);
bool step_pad(Func *f);
bool step_concat(Func *f);
/* to[i..] = from[i..], for sizes dims. */
void write_move(Func *f, uint32_t rank, const Dim *dims, wf_dtype t, const char *to,
                const Dim *to_stride, const char *from, const Dim *from_stride);
bool step_window(Func *f); /* step_window.c */
bool step_gather(Func *f); /* step_index.c */
bool step_scatter(Func *f);
bool step_dynamic_slice(Func *f);
bool step_dynamic_update(Func *f);
bool step_dot(Func *f); /* step_dot.c */
bool step_conv(Func *f);
bool step_call(Func *f); /* step_flow.c */
bool step_cond(Func *f);
bool step_scan(Func *f);
bool step_while(Func *f);
bool step_assert(Func *f);
bool step_linalg(Func *f); /* step_linalg.c */

/* ---- pack.c ------------------------------------------------------------------------ */

typedef enum Packing { PACK_NOT, PACK_PANELS, PACK_WINOGRAD } Packing;

int64_t filter_columns(wf_dtype t); /* of a panel */
/* What serves a convolution best, if its filters are known. */
Packing c_packing(const Program *p, const Eqn *e);
bool c_packed_alike(const Program *p, const Eqn *e, const Program *q, const Eqn *d);
int64_t c_packed_group(const Program *p, const Eqn *e); /* elements of the filters of a group */
int64_t c_packed_work(const Program *p, const Eqn *e);  /* elements of workspace */
const void *c_pack_filters(Arena *mem, const Program *p, const Eqn *e, const void *filters);

/* ---- method.c ---------------------------------------------------------------------- */

typedef struct ModelMember { /* a tensor of the model, in the caller's struct */
    const char *tensor, *name;
    wf_array *array;
    Packing packing;
    const void *data; /* packed or not */
    int64_t count;
} ModelMember;

typedef VEC(ModelMember) Members;

typedef struct ExportMethod {
    const char *name, *macro;    /* as C: forward, DIGITS_FORWARD */
    const Program *source, *p;   /* as it was given; of the sizes that are fixed, fused */
    uint32_t nstate, nupdate;    /* first inputs; last results */
    uint32_t *state, *update;    /* members */
    const int64_t *most;         /* of each symbol of p */
    const Plan *plan;
    Func f;                      /* in and out: how the caller's arrays are called */
    const char *head;            /* int digits_forward(..), without what follows */
} ExportMethod;

typedef struct Sizes { /* by name */
    const char *const *symbols;
    const int64_t *sizes;
    int n;
} Sizes;

/* The method of that program: what it becomes, and, when members are packed, its functions written to c. */
bool method_plan(CFile *c, const wf_model *model, const Program *p, Members *members,
                 const Sizes *fixed, const Sizes *most, ExportMethod *out);
void methods_pack(CFile *c, Members *members, const ExportMethod *methods, uint32_t n);
bool method_write(CFile *c, const Members *members, ExportMethod *m);

/* ---- file.c ------------------------------------------------------------------------ */

typedef struct Output {
    CFile c;
    const char *dir;
    const wf_model *model;
    Members members;
    ExportMethod *method;
    uint32_t nmethods;
    wf_export_weights weights;
} Output;

bool output_write(Output *o); /* all files */

/* ---- file_load.c: weights from memory ------------------------------------------------ */

void write_loaders(Output *o, Text *source, Text *header);

#endif
