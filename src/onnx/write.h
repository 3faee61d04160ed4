/* write.h -- what the files that write ONNX models share, and those of TensorFlow: the wire, names, graphs (write.c). */
#ifndef WEFT_ONNX_WRITE_H
#define WEFT_ONNX_WRITE_H

#include "op/op.h"

typedef struct Wire { /* a message being written */
    Arena *a;
    char *v;
    size_t n, cap;
} Wire;

typedef struct Writing Writing;
struct Writing { /* a program as a graph */
    wf_ctx *cx;
    Arena *a;
    const Program *p;
    Writing *root;     /* the outermost: initialisers and names are its */
    const char **val;  /* the name of each value */
    const char **syms; /* that of each symbol's size, i64[1]; NULL: none */
    Wire graph;        /* nodes */
    Wire init, ends;   /* root: initialisers; inputs and results */
    uint32_t names;    /* given so far */
};

void wire_put(Wire *w, const void *data, size_t n);
void wire_int(Wire *w, int field, int64_t v);
void wire_float(Wire *w, int field, float v);
void wire_bytes(Wire *w, int field, const void *data, size_t n);
void wire_text(Wire *w, int field, const char *s);
void wire_message(Wire *w, int field, const Wire *m);

const char *w_name(Writing *w, const char *hint);
void w_node_as(Writing *w, const char *op, const char *const *in, uint32_t nin, const Wire *attrs, const char *const *out,
               uint32_t nout);
const char *w_node(Writing *w, const char *op, const char *const *in, uint32_t nin, const Wire *attrs);
const char *w_op1(Writing *w, const char *op, const char *x);
const char *w_op2(Writing *w, const char *op, const char *x, const char *y);
void w_attr_int(Writing *w, Wire *attrs, const char *name, int64_t v);
void w_attr_ints(Writing *w, Wire *attrs, const char *name, const int64_t *v, uint32_t n);
void w_attr_text(Writing *w, Wire *attrs, const char *name, const char *s);
void w_attr_graph(Writing *w, Wire *attrs, const char *name, const Wire *g);
const char *w_const(Writing *w, wf_dtype dtype, const int64_t *dims, uint32_t rank, const void *data, size_t size);
const char *w_ints(Writing *w, const int64_t *v, uint32_t n); /* i64[n] */
const char *w_number(Writing *w, wf_dtype dtype, double x);
const char *w_dim(Writing *w, Dim d); /* i64[1] */
const char *w_dims(Writing *w, const Dim *d, uint32_t n);
void w_bind_symbols(Writing *w);
/* The body in line, on values of these names; its results' names in out. */
bool w_inline(Writing *w, const Sub *s, const char *const *in, const char **out);
void w_info(Writing *w, Wire *to, int field, const char *name, Type t); /* a value's name and type */
bool w_body(Writing *w, const Sub *s, const char *const *outer, uint32_t nouter, Wire *out_graph);
bool w_equations(Writing *w);
bool onnx_write(wf_ctx *cx, wf_model *m, const char *path);

#endif
