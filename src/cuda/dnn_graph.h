/* dnn_graph.h -- graphs of cuDNN: what it shall compute, tensor by tensor, and a plan for it.
 *
 * Tensors have four axes. A tensor with a number is memory that is given to dnn_run by that
 * number; by_value: a float of the host's; those without are nowhere. The first failure stays
 * (ok), and what is built after it is nothing.
 */
#ifndef WEFT_DNN_GRAPH_H
#define WEFT_DNN_GRAPH_H

#include "cuda/cuda.h"

enum { /* of the library's headers */
    DNN_F32 = 0,
    DNN_F64 = 1,
    DNN_F16 = 2,
    DNN_I32 = 4,
    DNN_BF16 = 9,
    DNN_BOOL = 11,
    DNN_ADD = 0,
    DNN_MUL = 1,
    DNN_DIV = 6,
    DNN_SUB = 9,
    DNN_EXP = 13,
    DNN_LOG = 15,
    DNN_IDENTITY = 21,
    DNN_CMP_GE = 303,
    DNN_GEN_INDEX = 501,
    DNN_SELECT = 601,
    DNN_REDUCE_ADD = 0,
    DNN_REDUCE_MAX = 3
};

#define DNN_PARTS 128 /* descriptors of a graph */
#define DNN_OPS   32
#define DNN_DATA  16 /* tensors with memory */

typedef struct DnnGraph {
    const CudaDnn *dnn;
    bool ok;
    CuHandle part[DNN_PARTS], op[DNN_OPS];
    int nparts, nops;
    int64_t nowhere; /* number of the next tensor that is nowhere */
} DnnGraph;

typedef struct DnnPlan {
    CuHandle plan, config;
    int64_t memory; /* bytes of its workspace */
} DnnPlan;

typedef struct DnnData { /* for dnn_run */
    int64_t number[DNN_DATA];
    void *at[DNN_DATA];
    int n;
} DnnData;

void dnn_graph_open(DnnGraph *g, const CudaDnn *dnn);
void dnn_graph_close(DnnGraph *g);
/* number 0: nowhere. Strides in elements. */
CuHandle dnn_tensor(DnnGraph *g, int64_t number, int type, const int64_t *dims,
                    const int64_t *strides, bool by_value);
void dnn_matmul(DnnGraph *g, CuHandle a, CuHandle b, CuHandle c);
/* y = mode(x, b); b, and t of a selection, may be NULL. axis: of an index. */
void dnn_map(DnnGraph *g, int mode, CuHandle x, CuHandle b, CuHandle t, CuHandle y, int axis);
void dnn_reduce(DnnGraph *g, int mode, CuHandle x, CuHandle y);
/* Other axes and strides of the same elements. */
void dnn_reshape(DnnGraph *g, CuHandle x, CuHandle y);
/* The first plan of those the library proposes that it can make. False: none. */
bool dnn_plan(DnnGraph *g, CuHandle handle, DnnPlan *out);
void dnn_plan_free(const CudaDnn *dnn, DnnPlan *p);
bool dnn_run(const CudaDnn *dnn, CuHandle handle, const DnnPlan *p, DnnData *data, void *work);

#endif
