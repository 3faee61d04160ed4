/* write.h -- what the files that write GraphDefs share: write.c, write_ops.c. */
#ifndef WEFT_TENSORFLOW_WRITE_H
#define WEFT_TENSORFLOW_WRITE_H

#include "onnx/write.h"

typedef struct Pivot { /* what nodes without inputs wait for, inside a loop or branch */
    const char *from;  /* it passes this on; made when somebody asks */
    wf_dtype type;
    const char *node; /* "^node" */
} Pivot;

typedef struct GraphNode { /* a node that was made; it is written if a result needs it */
    const char *name, **in;
    uint32_t nin;
    Wire text;
    bool live;
} GraphNode;

typedef struct Graphing Graphing;
struct Graphing { /* a program as nodes */
    wf_ctx *cx;
    Arena *a;
    const Program *p;
    Graphing *root;    /* the outermost: nodes and names are its */
    const char **val;  /* the name of each value: "node" or "node:1" */
    const char **syms; /* that of each symbol's size, i64 scalar; NULL: none */
    Pivot *pivot;      /* NULL: outside of loops and branches */
    GraphNode *nodes;  /* root */
    uint32_t nnodes, room, names, frames;
};

/* Attributes of a node being made, one after the other. */
void g_attr_type(Graphing *g, Wire *attrs, const char *name, wf_dtype d);
void g_attr_int(Graphing *g, Wire *attrs, const char *name, int64_t v);
void g_attr_bool(Graphing *g, Wire *attrs, const char *name, bool v);
void g_attr_text(Graphing *g, Wire *attrs, const char *name, const char *s);
void g_attr_ints(Graphing *g, Wire *attrs, const char *name, const int64_t *v,
                 uint32_t n);
const char *g_name(Graphing *g, const char *hint);
/* A node; T is its type attribute (WF_INVALID: none). Its name. */
const char *g_node(Graphing *g, const char *op, const char *const *in, uint32_t nin,
                   wf_dtype T, const Wire *attrs);
const char *g_node_as(Graphing *g, const char *name, const char *op,
                      const char *const *in, uint32_t nin, wf_dtype T, const Wire *attrs);
const char *g_op1(Graphing *g, const char *op, const char *x, wf_dtype T);
const char *g_op2(Graphing *g, const char *op, const char *x, const char *y, wf_dtype T);
const char *g_const(Graphing *g, const char *name, wf_dtype d, const int64_t *dims,
                    uint32_t rank, const void *data, size_t size);
const char *g_ints(Graphing *g, const int64_t *v, uint32_t n); /* i64[n] */
const char *g_int(Graphing *g, int64_t v);                     /* i64 */
const char *g_number(Graphing *g, wf_dtype d, double x);
const char *g_dim(Graphing *g, Dim d);                     /* i64 */
const char *g_dims(Graphing *g, const Dim *d, uint32_t n); /* i64[n] */
Graphing g_inner(Graphing *g, const Sub *s, const char *const *in, Pivot *pivot);
const char *g_pivot(Graphing *g); /* "^node" */
bool g_equations(Graphing *g);
void g_equation(Graphing *g, const Eqn *e); /* write_ops.c */
void g_refuse(Graphing *g, const Eqn *e, const char *why);
bool g_flow(Graphing *g, const Eqn *e); /* write_flow.c; false: none of its */
bool tg_write(wf_ctx *cx, wf_model *m, const char *path);

#endif
