/* tensorflow.h -- TensorFlow's graphs as programs, and programs as graphs.
 *
 *     bytes ─ onnx/proto.c ─▶ messages ─ graph.c ─▶ graphs in order ─ onnx/run.c ─▶ tensor functions ─▶ program
 *
 *   schema.c     the messages: tables of fields
 *   graph.c      nodes of a GraphDef or a function in the order they run, as a graph of onnx/run.c
 *   frames.c     loops and branches of the old kind (Enter, Merge, Switch, Exit ..) as bodies
 *   data.c       TensorProto as numbers
 *   bundle.c     checkpoints: TensorBundle, an index in LevelDB's table layout and shards of numbers; crc.c
 *   ops.c        the table of ops; ops_<family>.c their rules; nums.c those on sizes
 *   lists.c      TensorList and TensorArray
 *   import.c     GraphDef and SavedModel as a wf_model
 *   write.c      a program as a GraphDef; write_ops.c its primitives, write_flow.c its loops and branches
 *
 * Graphs are run by the machinery of onnx/: its values, sizes, programs, state. A file is hostile until it is read, as there.
 */
#ifndef WEFT_TENSORFLOW_H
#define WEFT_TENSORFLOW_H

#include "onnx/ops.h"

/* ---- schema.c: messages -------------------------------------------------------------------------- */

typedef struct TgDim {
    uint64_t has;
    int64_t size;
} TgDim;

typedef struct TgShape {
    uint64_t has;
    OX_LIST(TgDim *) dims;
    int64_t unknown_rank;
} TgShape;

typedef struct TgTensor {
    uint64_t has;
    int64_t type;
    TgShape *shape;
    OxBytes content;
    OX_LIST(float) floats, complexes;
    OX_LIST(double) doubles, dcomplexes;
    OX_LIST(int64_t) halves, ints, longs, bools, uints, ulongs;
    OX_LIST(OxBytes) strings;
} TgTensor;

typedef struct TgFunc {
    uint64_t has;
    const char *name;
} TgFunc;

typedef struct TgList {
    uint64_t has;
    OX_LIST(OxBytes) s;
    OX_LIST(int64_t) i, b, type;
    OX_LIST(float) f;
    OX_LIST(TgShape *) shape;
    OX_LIST(TgFunc *) func;
} TgList;

typedef struct TgAttr {
    uint64_t has;
    OxBytes s;
    int64_t i, b, type;
    float f;
    TgShape *shape;
    TgTensor *tensor;
    TgList *list;
    TgFunc *func;
} TgAttr;

typedef struct TgAttrEntry {
    uint64_t has;
    const char *key;
    TgAttr *value;
} TgAttrEntry;

typedef struct TgNode {
    uint64_t has;
    const char *name, *op;
    OX_LIST(const char *) in;
    OX_LIST(TgAttrEntry *) attrs;
} TgNode;

typedef struct TgArg {
    uint64_t has;
    const char *name;
    int64_t type;
} TgArg;

typedef struct TgOpDef {
    uint64_t has;
    const char *name;
    OX_LIST(TgArg *) in, out;
} TgOpDef;

typedef struct TgText { /* an entry of a map of texts */
    uint64_t has;
    const char *key, *value;
} TgText;

typedef struct TgArgAttrs {
    uint64_t has;
    OX_LIST(TgAttrEntry *) attrs;
} TgArgAttrs;
typedef struct TgArgEntry {
    uint64_t has;
    int64_t key;
    TgArgAttrs *value;
} TgArgEntry;

typedef struct TgFunction {
    uint64_t has;
    TgOpDef *signature;
    OX_LIST(TgNode *) nodes;
    OX_LIST(TgText *) ret, control_ret;
    OX_LIST(TgArgEntry *) arg_attrs;
    OxGraph *graph; /* made at need */
    bool busy;      /* being made or run: a function that calls itself */
} TgFunction;

typedef struct TgLibrary {
    uint64_t has;
    OX_LIST(TgFunction *) functions;
} TgLibrary;

typedef struct TgGraphDef {
    uint64_t has;
    OX_LIST(TgNode *) nodes;
    TgLibrary *library;
} TgGraphDef;

typedef struct TgInfo { /* TensorInfo */
    uint64_t has;
    const char *name;
    int64_t type;
    TgShape *shape;
} TgInfo;
typedef struct TgInfoEntry {
    uint64_t has;
    const char *key;
    TgInfo *value;
} TgInfoEntry;
typedef struct TgSignature {
    uint64_t has;
    OX_LIST(TgInfoEntry *) in, out;
} TgSignature;
typedef struct TgSignatureEntry {
    uint64_t has;
    const char *key;
    TgSignature *value;
} TgSignatureEntry;

typedef struct TgSaver {
    uint64_t has;
    const char *filename, *restore;
} TgSaver;

typedef struct TgRef {
    uint64_t has;
    int64_t node;
    const char *name;
} TgRef;
typedef struct TgSavedFunction {
    uint64_t has;
    OX_LIST(const char *) concrete;
} TgSavedFunction;
typedef struct TgBareFunction {
    uint64_t has;
    const char *concrete;
} TgBareFunction;
typedef struct TgSavedVariable {
    uint64_t has;
    int64_t type, trainable;
    TgShape *shape;
    const char *name;
} TgSavedVariable;
typedef struct TgSavedConstant {
    uint64_t has;
    const char *operation;
} TgSavedConstant;
typedef struct TgObject {
    uint64_t has;
    OX_LIST(TgRef *) children;
    TgSavedFunction *function;
    TgBareFunction *bare;
    TgSavedVariable *variable;
    TgSavedConstant *constant;
} TgObject;
typedef struct TgConcrete {
    uint64_t has;
    OX_LIST(int64_t) bound;
} TgConcrete;
typedef struct TgConcreteEntry {
    uint64_t has;
    const char *key;
    TgConcrete *value;
} TgConcreteEntry;
typedef struct TgObjectGraph {
    uint64_t has;
    OX_LIST(TgObject *) nodes;
    OX_LIST(TgConcreteEntry *) concrete;
} TgObjectGraph;

typedef struct TgBytesList {
    uint64_t has;
    OX_LIST(OxBytes) values;
} TgBytesList;
typedef struct TgCollection {
    uint64_t has;
    TgBytesList *bytes;
} TgCollection;
typedef struct TgCollectionEntry {
    uint64_t has;
    const char *key;
    TgCollection *value;
} TgCollectionEntry;
typedef struct TgVariableDef {
    uint64_t has;
    const char *name;
} TgVariableDef;

typedef struct TgMeta { /* MetaGraphDef */
    uint64_t has;
    TgGraphDef *graph;
    TgSaver *saver;
    OX_LIST(TgCollectionEntry *) collections;
    OX_LIST(TgSignatureEntry *) signatures;
    TgObjectGraph *objects;
} TgMeta;

typedef struct TgSavedModel {
    uint64_t has;
    int64_t version;
    OX_LIST(TgMeta *) metas;
} TgSavedModel;

typedef struct TgHeader { /* of a bundle */
    uint64_t has;
    int64_t shards, endian;
} TgHeader;
typedef struct TgEntry {
    uint64_t has;
    int64_t type, shard, offset, size;
    TgShape *shape;
    uint32_t crc;
    OX_LIST(OxBytes) slices;
} TgEntry;

extern const OxMessage tg_graph_message, tg_saved_message, tg_header_message,
    tg_entry_message, tg_tensor_message, tg_node_message, tg_variable_message;

/* ---- one import ----------------------------------------------------------------------------------- */

/* Element types, numbered as in the file; a type + 100 is a reference to a variable of that type. */
enum { TG_STRING = 7, TG_RESOURCE = 20, TG_VARIANT = 21 };
OxElem tg_elem(int64_t type);    /* 0: none of ONNX's */
wf_dtype tg_dtype(int64_t type); /* WF_INVALID: Weft has none */
int64_t tg_type(wf_dtype dtype); /* the other way */
const char *tg_type_name(int64_t type);

typedef struct TgSource { /* nodes by name: a graph or the body of a function */
    OX_LIST(TgNode *) nodes;
    const TgFunction *function; /* NULL: a graph */
    OxSlot *slots;              /* name -> number + 1 */
    uint32_t mask;
    int *outs;    /* how many results of each node are used */
    int64_t work; /* places for nodes in bodies that were made so far */
    int depth;
} TgSource;

typedef struct TgBundle TgBundle;
typedef struct TgFile {
    const TgGraphDef *graph;
    const TgMeta *meta;     /* NULL: a GraphDef alone */
    TgSource source;        /* of the graph */
    TgFunction **functions; /* by name, sorted */
    size_t nfunctions;
    TgBundle *bundle; /* its variables; NULL: none */
    bool restoring;   /* variables get their first values */
    const TgConcrete
        *concrete;       /* the function that a program is made of: what it is bound to */
    OxState **variables; /* by object; NULL: none */
    int randoms;
} TgFile;

static inline TgFile *tg_file(const OxRun *r) { return r->more; }

extern const OxDialect tg_dialect;

/* ---- graph.c, frames.c ------------------------------------------------------------------------------ */

typedef struct TgPoint { /* what an input of a node refers to */
    int node;            /* number; -1: an argument of the function, -2: nothing */
    int out;             /* of its results; -1: the node itself (a control input) */
    const char *name;    /* as names are in an OxGraph: "node:0", or the argument */
} TgPoint;

typedef struct TgBody { /* nodes being put in order */
    OxRun *r;
    TgSource *s;
    struct TgBody *outer;
    unsigned char *seen; /* by node: 0 no, 1 it waits for others, 2 done */
    OxNode **nodes;
    size_t n, room;
    /* where it ends: nodes that are inputs, or whose inputs are looked up outside */
    const int *inputs;
    int ninputs;
    const char *frame; /* of constants that enter it; NULL: none */
    TgPoint pred;      /* of a branch; node -2: none */
    int side;
    OX_LIST(const char *) outside; /* names that are looked up there */
    size_t outside_room;
} TgBody;

bool tg_source(OxRun *r, TgSource *s, TgNode **nodes, size_t n, const TgFunction *f);
TgPoint tg_point(OxRun *r, TgSource *s, const char *name);
bool tg_order(TgBody *b, const TgPoint *roots, size_t n); /* all that the roots need */
bool tg_body_init(TgBody *b, OxRun *r, TgSource *s, TgBody *outer);
OxGraph *tg_body_graph(TgBody *b, const char *const *in, size_t nin,
                       const char *const *out, size_t nout);
/* A graph of the source: inputs by name ("x:0", or arguments), results, and further nodes that must run. */
OxGraph *tg_graph(OxRun *r, TgSource *s, const char *const *in, size_t nin,
                  const TgPoint *out, size_t nout, const TgPoint *also, size_t nalso);
TgFunction *tg_find_function(OxRun *r, const char *name);
OxGraph *tg_function_graph(OxRun *r, const char *name);

/* A node of the old kind of control flow, as a node with bodies; *deps: what must run before. */
bool tg_is_flow(const TgSource *s, int node);
OxNode *tg_flow_node(TgBody *b, int node, TgPoint **deps, size_t *ndeps);
int tg_leaf(
    TgBody *b,
    int node); /* 0: no, 1: an input of the body, 2: a node whose inputs are outside */

/* ---- attributes, data.c ------------------------------------------------------------------------------- */

const TgAttr *tg_node_attr(const TgNode *n, const char *name);
const TgAttr *tg_attr(OxRun *r,
                      const char *name); /* of the node being run; NULL: not given */
int64_t tg_int(OxRun *r, const char *name, int64_t otherwise);
bool tg_bool(OxRun *r, const char *name, bool otherwise);
double tg_float(OxRun *r, const char *name, double otherwise);
const char *tg_text(OxRun *r, const char *name, const char *otherwise);
wf_dtype tg_type_attr(OxRun *r, const char *name);          /* WF_INVALID with an error */
const int64_t *tg_ints(OxRun *r, const char *name, int *n); /* NULL: not given */

OxValue tg_constant(OxRun *r, const TgTensor *t);
wf_array *tg_array(OxRun *r, const TgTensor *t); /* NULL with an error, or for strings */
bool tg_is_weight(
    const TgTensor *t); /* floats of more than one element, all of them there */

/* ---- bundle.c -------------------------------------------------------------------------------------------- */

/* The checkpoint of that prefix: PREFIX.index, PREFIX.data-00000-of-00001 .. */
TgBundle *tg_bundle_open(wf_ctx *c, const char *prefix);
TgBundle *tg_bundle_of(wf_ctx *c, const char *prefix,
                       Blob *index); /* the index is there already */
/* The variables of a SavedModel, of which own was read; prefix: FOLDER/variables/variables. The path is borrowed. */
TgBundle *tg_bundle_of_model(wf_ctx *c, const char *model, const Blob *own, const char *prefix);
void tg_bundle_free(TgBundle *b);
int tg_bundle_count(const TgBundle *b);
const char *tg_bundle_name(const TgBundle *b, int i);
int tg_bundle_find(const TgBundle *b, const char *name); /* -1: none */
const TgEntry *tg_bundle_entry(const TgBundle *b, int i);
wf_array *tg_bundle_array(TgBundle *b, int i); /* to be released */
/* The strings of an entry of that type; in memory of the bundle. */
const OxBytes *tg_bundle_strings(TgBundle *b, int i, int64_t *n);

typedef struct TgSaved { /* what is written */
    const char *name;
    const wf_array *array; /* contiguous, or NULL: a string */
    OxBytes text;
} TgSaved;
/* Entries in any order. */
bool tg_bundle_write(wf_ctx *c, const char *prefix, const TgSaved *entries, size_t n);

uint32_t tg_crc(uint32_t crc, const void *data, size_t n); /* CRC-32C, of 0 at first */
uint32_t tg_crc_mask(uint32_t crc); /* as tables and records keep it */

/* ---- ops.c -------------------------------------------------------------------------------------------------- */

enum { TG_NUM_OPS = 27 };
extern const OxNumOp tg_num_ops[TG_NUM_OPS]; /* nums.c */

typedef struct TgOutputs { /* names of results, of ops that have several */
    const char *op, *names;
} TgOutputs;
/* The number of the first result of that name; 0 where an op has one kind. */
int tg_output(const char *op, const char *name);

/* ---- import.c ------------------------------------------------------------------------------------------------- */

bool tg_is_file(const char *data, size_t size);
OxState *tg_variable(OxRun *r, const char *name); /* NULL: none of that name */

#endif
