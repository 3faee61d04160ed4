/* onnx.h -- ONNX files as programs, and programs as ONNX files.
 *
 *     bytes ─ proto.c ─▶ messages ─ import.c, run.c ─▶ tensor functions ─▶ program, tensors
 *
 *   proto.c      the wire format; the schema as tables of fields
 *   data.c       TensorProto as numbers: inline, raw, in files beside the model
 *   value.c      what a name stands for while a graph is run; attributes; memory
 *   nums.c       integers that are made of sizes: chains of Shape, Gather, Concat ..
 *   agree.c      sizes that only a run knows, where tensors meet
 *   order.c      nodes behind those that make their inputs
 *   run.c        graphs, nodes, functions, one after the other
 *   ops.c        the table of ops, one line each; ops_<family>.c their rules
 *   import.c     a model file as a wf_model
 *   write.c      a program as a model file; write_ops.c its primitives
 *
 * A graph is run once, with the functions of weft_tensor.h: what depends on inputs becomes
 * a program, what does not is computed at once. Only the writer knows primitives of the IR.
 * A file is hostile until it is read: no size of it is trusted, messages nest
 * to a bound, and what is made of it lies in memory proportional to the file.
 *
 * Errors stick in the context, as everywhere; a function that gives a pointer gives NULL
 * then, one that gives a tensor WF_NONE.
 */
#ifndef WEFT_ONNX_H
#define WEFT_ONNX_H

#include "io/io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- value.c: memory ---------------------------------------------------------------- */

typedef struct OxChunk OxChunk;
typedef struct OxMemory { /* given back all at once */
    wf_ctx *c;
    OxChunk *chunks;
    char *at, *end;
} OxMemory;

void *ox_alloc(OxMemory *m, size_t n, size_t size); /* zeroed; NULL with an error */
char *ox_string(OxMemory *m, const char *s, size_t n);
void ox_memory_free(OxMemory *m);

/* ---- proto.c: messages -------------------------------------------------------------- */

typedef struct OxBytes {
    const char *data;
    size_t size;
} OxBytes;

#define OX_LIST(type)                                                                    \
    struct {                                                                             \
        type *v;                                                                         \
        size_t n;                                                                        \
    }

/* Every message begins with the set of fields it has, by number. */
typedef struct OxEntry {
    uint64_t has;
    const char *key, *value;
} OxEntry;

typedef struct OxTensor {
    uint64_t has;
    OX_LIST(int64_t) dims;
    int64_t type, location;
    const char *name;
    OxBytes raw;
    OX_LIST(float) floats;
    OX_LIST(double) doubles;
    OX_LIST(int64_t) ints32, ints64, uints64;
    OX_LIST(OxBytes) strings;
    OX_LIST(OxEntry *) external;
} OxTensor;

typedef struct OxSparse {
    uint64_t has;
    OxTensor *values, *indices;
    OX_LIST(int64_t) dims;
} OxSparse;

typedef struct OxDim {
    uint64_t has;
    int64_t value;
    const char *param;
} OxDim;

typedef struct OxShape {
    uint64_t has;
    OX_LIST(OxDim *) dims;
} OxShape;

typedef struct OxType OxType;
typedef struct OxTensorType {
    uint64_t has;
    int64_t elem;
    OxShape *shape;
} OxTensorType;
typedef struct OxElemType { /* of sequences and optional values */
    uint64_t has;
    OxType *elem;
} OxElemType;
struct OxType {
    uint64_t has;
    OxTensorType *tensor;
    OxElemType *sequence, *map, *optional;
};

typedef struct OxInfo { /* ValueInfoProto */
    uint64_t has;
    const char *name;
    OxType *type;
    const char *shown; /* what it is called outside; NULL: the same */
} OxInfo;

typedef struct OxGraph OxGraph;
typedef struct OxAttr {
    uint64_t has;
    const char *name, *ref;
    int64_t type, i;
    float f;
    OxBytes s;
    OxTensor *t;
    OxGraph *g;
    OxSparse *sparse;
    OX_LIST(float) floats;
    OX_LIST(int64_t) ints;
    OX_LIST(OxBytes) strings;
    OX_LIST(OxTensor *) tensors;
} OxAttr;

typedef struct OxNode {
    uint64_t has;
    OX_LIST(const char *) in, out;
    const char *name, *op, *domain, *overload;
    OX_LIST(OxAttr *) attrs;
    const void *source; /* of a dialect: the node it was made of */
} OxNode;

typedef struct OxSlot { /* a name of a graph: hash table */
    const char *name;
    uint32_t number;
} OxSlot;

struct OxGraph {
    uint64_t has;
    const char *name;
    OX_LIST(OxNode *) nodes;
    OX_LIST(OxTensor *) init;
    OX_LIST(OxSparse *) sparse_init;
    OX_LIST(OxInfo *) in, out, infos;
    /* made at need by graph_names */
    OxSlot *slots;
    uint32_t mask, nnames;
};

typedef struct OxOpset {
    uint64_t has;
    const char *domain;
    int64_t version;
} OxOpset;

typedef struct OxFunction {
    uint64_t has;
    const char *name, *domain, *overload;
    OX_LIST(const char *) in, out, attr_names;
    OX_LIST(OxAttr *) attrs; /* with their defaults */
    OX_LIST(OxNode *) nodes;
    OX_LIST(OxOpset *) opsets;
    OxGraph *graph; /* the nodes as a graph, made at need */
} OxFunction;

typedef struct OxModel {
    uint64_t has;
    int64_t ir_version, model_version;
    const char *producer, *producer_version, *domain, *doc;
    OxGraph *graph;
    OX_LIST(OxOpset *) opsets;
    OX_LIST(OxEntry *) metas;
    OX_LIST(OxFunction *) functions;
} OxModel;

typedef struct OxSequence OxSequence;
struct OxSequence { /* SequenceProto, and OptionalProto, whose numbers are the same */
    uint64_t has;
    int64_t elem;
    OX_LIST(OxTensor *) tensors;
    OX_LIST(OxSequence *) sequences, optionals;
};

/* The schema of a kind of message: where each field goes. */
typedef enum OxFieldKind {
    OX_F_INT, OX_F_FLOAT, OX_F_TEXT, OX_F_BYTES, OX_F_MESSAGE,                     /* one */
    OX_F_INTS, OX_F_FLOATS, OX_F_DOUBLES, OX_F_TEXTS, OX_F_BYTE_LIST, OX_F_MESSAGES /* a list */
} OxFieldKind;
typedef struct OxMessage OxMessage;
typedef struct OxField {
    int number; /* 0 ends a table */
    OxFieldKind kind;
    size_t offset;
    const OxMessage *of;
} OxField;
struct OxMessage {
    const char *name;
    size_t size;
    const OxField *fields;
};
#define OX_FIELD(number, kind, type, member) {number, OX_F_##kind, offsetof(type, member), NULL}
#define OX_FIELD_OF(number, kind, type, member, of) {number, OX_F_##kind, offsetof(type, member), &of}
#define OX_FIELD_END {0, OX_F_INT, 0, NULL}

extern const OxMessage ox_model_message, ox_tensor_message, ox_sequence_message;
/* The bytes as a message of that kind, in m; strings of bytes stay where they are. NULL with
 * WF_ERR_FORMAT that names the file, the format ("an ONNX file") and the place. */
void *ox_read(OxMemory *m, const char *file, const char *format, const OxMessage *kind, const char *data,
              size_t size);
bool ox_is_model(const char *data, size_t size); /* do the outermost fields fit? */
/* Do the outermost fields fit the kind, and is field `must` among them? */
bool ox_fits(const OxMessage *kind, int must, const char *data, size_t size);

/* ---- value.c: what names stand for --------------------------------------------------- */

/* Element types of ONNX, numbered as in the file. */
typedef enum OxElem {
    OX_FLOAT = 1, OX_UINT8, OX_INT8, OX_UINT16, OX_INT16, OX_INT32, OX_INT64, OX_STRING, OX_BOOL, OX_FLOAT16,
    OX_DOUBLE, OX_UINT32, OX_UINT64, OX_COMPLEX64, OX_COMPLEX128, OX_BFLOAT16, OX_F8E4M3FN, OX_F8E4M3FNUZ,
    OX_F8E5M2, OX_F8E5M2FNUZ, OX_UINT4, OX_INT4, OX_F4E2M1, OX_F8E8M0, OX_UINT2, OX_INT2,
    OX_ELEMS
} OxElem;

/* An integer as far as it is known: a number, a size (perhaps symbolic), or an i64 scalar. */
typedef enum OxNumKind { OX_NUMBER, OX_SIZE, OX_DYNAMIC } OxNumKind;
typedef struct OxNum {
    OxNumKind kind;
    int64_t v;
    wf_tensor t;
} OxNum;

typedef enum OxKind {
    OX_NOTHING, OX_TENSOR, OX_SEQUENCE, OX_STRINGS,
    OX_RESOURCE, /* a variable: state says which */
    OX_LIST      /* tensors of one type, of TensorFlow: see tensorflow/lists.c */
} OxKind;

typedef struct OxValue OxValue;
struct OxValue {
    OxKind kind;
    OxElem narrow;  /* a type Weft has no dtype for: t holds its codes (f8 ..) or values (int4 ..); 0: none */
    bool optional;  /* an optional type, with or without (OX_NOTHING) a value */
    wf_tensor t;    /* WF_NONE: made of nums at need */
    struct OxState *state; /* of an initialiser that is a symbol, or a variable */
    bool is_ref;           /* a variable that is read wherever it is used */
    const OxNum *nums; /* its elements, where they are known as sizes; NULL: not */
    int nnums, num_rank;
    OxElem num_elem;
    const OxValue *items; /* of a sequence */
    int nitems;
    const OxBytes *strings; /* nitems of them */
    const struct OxQuant *quant; /* the integers that t is made of; NULL: none */
};

typedef struct OxEnv OxEnv;
struct OxEnv { /* a graph being run */
    OxEnv *outer;
    OxGraph *graph;
    OxValue *v;             /* by number of name */
    const OxNode *call;     /* of a function: where its attributes come from */
    const OxFunction *function;
    OxEnv *caller;          /* of a function */
};

typedef struct OxBlobs OxBlobs;
typedef struct OxState OxState;
struct OxState { /* a tensor of the model that programs take as input */
    const char *name;
    const char *place; /* its name in the graph; NULL: the same; "^node": a variable */
    wf_array *array;
    wf_tensor symbol;
    wf_tensor update; /* its value after a step; WF_NONE: it stays */
    const OxTensor *halves; /* two integers of 4 bits a byte, of these sizes; NULL: it is as it is */
    bool is_param, used, kept; /* by this program; by any */
};

/* A format whose graphs are run here: what its nodes mean. */
typedef struct OxOp OxOp;
typedef struct OxRun OxRun;
typedef struct OxNumOp { /* a node on sizes; false: it is not one of those */
    const char *name;
    bool (*run)(OxRun *r);
} OxNumOp;
typedef struct OxDialect {
    const char *title, *prefix; /* "ONNX"; "onnx", of its metadata */
    const OxOp *(*find)(const char *domain, const char *name);
    const OxNumOp *nums;
    size_t nnums;
} OxDialect;
extern const OxDialect onnx_dialect;

struct OxRun { /* one import */
    wf_ctx *c;
    const OxDialect *dialect;
    void *more; /* of the dialect */
    const char *file;
    Blob *blob;
    OxMemory mem;
    OxModel *model;
    OxBlobs *blobs; /* files beside the model */
    wf_graph *graph;
    OxEnv *env;       /* innermost */
    const OxNode *node; /* the one being run */
    int number, depth;
    int nodes;        /* run so far */
    bool training;    /* BatchNormalization and Dropout do what they do in training */
    wf_tensor key;    /* of random numbers; WF_NONE: none was asked for yet */
    wf_tensor given_key; /* the symbol it is at first */
    bool wants_key;   /* a node needed it */
    OxState *state;
    int nstate, state_room;
    const wf_import_options *given;
    bool (*preset)(OxRun *r, OxEnv *env); /* values that are there when a program begins; may be NULL */
};

struct OxOp {
    const char *name;
    bool (*run)(OxRun *r, const OxOp *op);
    wf_tensor (*map1)(wf_ctx *c, wf_tensor x);
    wf_tensor (*map2)(wf_ctx *c, wf_tensor x, wf_tensor y);
    int arg;
};
const OxOp *ox_find_op(const char *domain, const char *name);

/* WF_ERR_UNSUPPORTED or another, with the file and the node; always false. */
bool ox_fail(OxRun *r, wf_status status, const char *fmt, ...) PRINTF(3, 4);
wf_dtype ox_dtype(int64_t elem); /* WF_INVALID: Weft has none */
OxElem ox_elem(wf_dtype dtype);
const char *ox_elem_name(int64_t elem);
int ox_bits(int64_t elem); /* of one element */

/* Inputs of the node being run, by number; results. */
bool ox_has(OxRun *r, size_t i);
const OxValue *ox_value(OxRun *r, size_t i); /* never NULL; OX_NOTHING if it is left out */
wf_tensor ox_in(OxRun *r, size_t i);         /* must be a tensor */
wf_tensor ox_opt(OxRun *r, size_t i);        /* WF_NONE if it is left out */
wf_tensor ox_tensor_of(OxRun *r, const OxValue *v);
wf_tensor ox_state_value(OxRun *r, OxState *s); /* as it is now */
bool ox_put(OxRun *r, size_t i, wf_tensor t);
bool ox_put_value(OxRun *r, size_t i, OxValue v);
bool ox_wants(OxRun *r, size_t i); /* is result i named? */
OxElem ox_elem_of(OxRun *r, size_t i);
size_t ox_nin(OxRun *r);
/* Numbers of a tensor that does not depend on inputs; false: it does, or there is none. */
bool ox_concrete(OxRun *r, const OxValue *v, wf_tensor *out);
bool ox_floats(OxRun *r, size_t i, double *out, int room, int *n);

const OxAttr *ox_attr(OxRun *r, const char *name); /* NULL: not given */
int64_t ox_int(OxRun *r, const char *name, int64_t otherwise);
double ox_float(OxRun *r, const char *name, double otherwise);
bool ox_text_is(OxRun *r, const char *name, const char *otherwise, const char *is);
const char *ox_text(OxRun *r, const char *name, const char *otherwise);
const int64_t *ox_ints(OxRun *r, const char *name, int *n); /* NULL: not given */
int64_t ox_opset(OxRun *r); /* version of the node's domain */

#define OX_MAX 1024 /* numbers that a shape, axes, repeats .. may have */

/* ---- nums.c ---------------------------------------------------------------------------- */

/* Input i, of rank 0 or 1, as integers: n of them. */
const OxNum *ox_nums(OxRun *r, size_t i, int *n);
const OxNum *ox_nums_of(OxRun *r, const OxValue *v, int *n);
int64_t ox_size(OxRun *r, OxNum n); /* as a size; one of numbers in the data is known at run time only */
bool ox_is_number(OxNum n, int64_t *out);
OxNum ox_number(int64_t v);
OxNum ox_num_size(int64_t size);
wf_tensor ox_num_tensor(OxRun *r, OxNum n); /* i64 scalar */
/* Axes, numbers for sure, counted from 0; of input i, or else of the attribute. n -1: neither is given. */
bool ox_axes(OxRun *r, size_t i, const char *attr, int rank, int *axes, int *n);
bool ox_numbers(OxRun *r, size_t i, int64_t *out, int room, int *n); /* numbers for sure */
/* The node on sizes: true if it was one of those, and is done. */
bool ox_try_nums(OxRun *r);
OxNum ox_num_add(OxRun *r, OxNum a, OxNum b);
OxNum ox_num_sub(OxRun *r, OxNum a, OxNum b);
OxNum ox_num_mul(OxRun *r, OxNum a, OxNum b);
OxNum ox_num_min(OxRun *r, OxNum a, OxNum b);
OxNum ox_num_max(OxRun *r, OxNum a, OxNum b);
/* Those that dialects share. */
bool ox_nums_add(OxRun *r);
bool ox_nums_sub(OxRun *r);
bool ox_nums_mul(OxRun *r);
bool ox_nums_div(OxRun *r);
bool ox_nums_mod(OxRun *r);
bool ox_nums_max(OxRun *r);
bool ox_nums_min(OxRun *r);
bool ox_nums_where(OxRun *r);
bool ox_nums_equal(OxRun *r);
bool ox_nums_gather(OxRun *r);
bool ox_nums_unsqueeze(OxRun *r);
bool ox_nums_squeeze(OxRun *r);
bool ox_nums_reshape(OxRun *r);
bool ox_nums_identity(OxRun *r);
bool ox_nums_product(OxRun *r, bool keep);
void ox_set_nums(OxRun *r, size_t i, const OxNum *v, int n, int rank, OxElem elem);

/* ---- data.c ------------------------------------------------------------------------------ */

struct OxBlobs {
    OxBlobs *next;
    const char *name;
    Blob *blob;
};
/* The numbers of a tensor, held by the caller; of a type Weft has not: as OxValue.narrow says. */
wf_array *ox_array(OxRun *r, const OxTensor *t);
OxValue ox_constant(OxRun *r, const OxTensor *t);
/* Of integers of 4 bits the bytes as they are, i8 or u8; and what stands in such bytes, one a byte. */
wf_array *ox_halves(OxRun *r, const OxTensor *t);
wf_tensor ox_halves_apart(OxRun *r, wf_tensor bytes, const OxTensor *t);
wf_array *ox_sparse(OxRun *r, const OxSparse *t);
void ox_blobs_free(OxRun *r);

/* ---- import.c ---------------------------------------------------------------------------- */

/* The graph of r->model once, as a program of that name with what the method says. */
bool ox_make_program(OxRun *r, wf_model *m, const char *name);
void ox_add_tensors(OxRun *r, wf_model *m); /* the state, its tree, names of inputs and results */
bool ox_add_key(OxRun *r, wf_model *m);     /* of random numbers */
char *ox_plain_name(OxRun *r, const char *name); /* one that text forms allow */

bool onnx_read(wf_ctx *cx, const char *file, Blob *blob, const wf_import_options *given, wf_model *m);

/* ---- run.c ---------------------------------------------------------------------------------- */

bool ox_names(OxRun *r, OxGraph *g); /* its names numbered, its nodes in order */
uint32_t ox_name_number(const OxGraph *g, const char *name); /* UINT32_MAX: not one of its names */
bool ox_order(OxRun *r, OxGraph *g);
bool ox_run_graph(OxRun *r, OxEnv *env); /* inputs of the env are set */
OxValue *ox_lookup(OxRun *r, const char *name);
OxEnv *ox_env(OxRun *r, OxGraph *g, OxEnv *outer);
OxValue *ox_name_value(OxEnv *env, const char *name); /* of that graph alone; NULL: not one */
wf_tensor ox_key(OxRun *r); /* a new key of random numbers */
/* The body once: in are its inputs, out its results; names it has not are looked up in outer. */
bool ox_run_body(OxRun *r, OxGraph *g, OxEnv *outer, const OxValue *in, size_t nin, OxValue *out);

/* ---- what families share ---------------------------------------------------------------------- */

static inline bool ox_ok(OxRun *r) { return !wf_ctx_status(r->c); }
wf_tensor ox_like(OxRun *r, double x, wf_tensor t); /* a scalar of t's dtype */
wf_tensor ox_trunc_div(wf_ctx *c, wf_tensor x, wf_tensor y); /* integers, towards 0 */
/* Are these sizes ones that a file may ask for, though it is small? */
enum { OX_FILLED = 1 << 24, OX_SPREAD = 1 << 27 }; /* elements of what takes memory, and of one number for all */
bool ox_bounded(OxRun *r, const int64_t *dims, int rank, int64_t most);
/* x with negative indices of an axis of that size moved inside */
wf_tensor ox_wrap(OxRun *r, wf_tensor index, int64_t size);

/* ---- lower.c: equations that ONNX has no node for as those it has; NULL after an error. has: what the writer has all the same, by op
 * (OP_complex: complex numbers, OP_cast: arithmetic of narrow types); NULL: nothing ---- */

const Program *onnx_lower(wf_ctx *cx, const Program *p, bool (*has)(unsigned op));

#endif
