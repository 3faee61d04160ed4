/* dnn_graph.c -- graphs of cuDNN by its back end's interface: descriptors with attributes. */
#include "cuda/dnn_graph.h"

enum { /* of the library's headers: descriptors, */
    IS_POINTWISE = 0,
    IS_CONFIG = 3,
    IS_HEURISTIC = 4,
    IS_PLAN = 5,
    IS_POINTWISE_OP = 13,
    IS_GRAPH = 15,
    IS_PACK = 16,
    IS_TENSOR = 17,
    IS_MATMUL = 18,
    IS_MATMUL_OP = 19,
    IS_REDUCTION = 21,
    IS_REDUCTION_OP = 22,
    IS_RESHAPE_OP = 31,
    /* their attributes, */
    POINTWISE_MODE = 0,
    POINTWISE_TYPE = 1,
    POINTWISE_AXIS = 9,
    HEURISTIC_MODE = 200,
    HEURISTIC_GRAPH = 201,
    HEURISTIC_RESULTS = 202,
    PLAN_HANDLE = 400,
    PLAN_CONFIG = 401,
    PLAN_MEMORY = 402,
    POINTWISE_OP_DESC = 750,
    POINTWISE_OP_X = 751,
    POINTWISE_OP_B = 752,
    POINTWISE_OP_Y = 753,
    POINTWISE_OP_T = 758,
    GRAPH_HANDLE = 800,
    GRAPH_OPS = 801,
    TENSOR_ALIGNMENT = 900,
    TENSOR_TYPE = 901,
    TENSOR_DIMS = 902,
    TENSOR_STRIDES = 903,
    TENSOR_NUMBER = 906,
    TENSOR_NOWHERE = 907,
    TENSOR_BY_VALUE = 908,
    PACK_NUMBERS = 1000,
    PACK_POINTERS = 1001,
    PACK_WORK = 1003,
    MATMUL_TYPE = 1500,
    MATMUL_OP_A = 1520,
    MATMUL_OP_B = 1521,
    MATMUL_OP_C = 1522,
    MATMUL_OP_DESC = 1523,
    REDUCTION_MODE = 1600,
    REDUCTION_TYPE = 1601,
    REDUCTION_OP_X = 1610,
    REDUCTION_OP_Y = 1611,
    REDUCTION_OP_DESC = 1612,
    RESHAPE_OP_X = 2200,
    RESHAPE_OP_Y = 2201,
    /* and types of those */
    OF_HANDLE = 0,
    OF_TYPE = 1,
    OF_BOOL = 2,
    OF_INT = 3,
    OF_POINTER = 6,
    OF_HEURISTIC_MODE = 8,
    OF_POINTWISE_MODE = 14,
    OF_DESC = 15,
    OF_REDUCTION_MODE = 18,
    BEST_GUESS = 3 /* heuristic mode A */
};
#define ALIGNMENT 16
#define PROPOSALS 8
#define FREE_NUMBERS 1000 /* those from here on */

void dnn_graph_open(DnnGraph *g, const CudaDnn *dnn)
{
    *g = (DnnGraph){.dnn = dnn, .ok = true, .nowhere = FREE_NUMBERS};
}

void dnn_graph_close(DnnGraph *g)
{
    while (g->nparts)
        g->dnn->cudnnBackendDestroyDescriptor(g->part[--g->nparts]);
}

static CuHandle make(DnnGraph *g, int kind)
{
    CuHandle d = NULL;

    g->ok = g->ok && g->nparts < DNN_PARTS &&
            g->dnn->cudnnBackendCreateDescriptor(kind, &d) == 0;
    if (d)
        g->part[g->nparts++] = d;
    return d;
}

static void set(DnnGraph *g, CuHandle d, int attribute, int type, int64_t n, const void *v)
{
    g->ok = g->ok && g->dnn->cudnnBackendSetAttribute(d, attribute, type, n, v) == 0;
}

static void set_desc(DnnGraph *g, CuHandle d, int attribute, CuHandle v)
{
    set(g, d, attribute, OF_DESC, 1, &v);
}

static CuHandle finish(DnnGraph *g, CuHandle d)
{
    g->ok = g->ok && g->dnn->cudnnBackendFinalize(d) == 0;
    return d;
}

static void add_op(DnnGraph *g, CuHandle op)
{
    finish(g, op);
    g->ok = g->ok && g->nops < DNN_OPS;
    if (g->ok)
        g->op[g->nops++] = op;
}

CuHandle dnn_tensor(DnnGraph *g, int64_t number, int type, const int64_t *dims,
                    const int64_t *strides, bool by_value)
{
    CuHandle d = make(g, IS_TENSOR);
    int64_t alignment = ALIGNMENT;
    bool nowhere = !number;

    if (nowhere)
        number = g->nowhere++;
    set(g, d, TENSOR_TYPE, OF_TYPE, 1, &type);
    set(g, d, TENSOR_DIMS, OF_INT, 4, dims);
    set(g, d, TENSOR_STRIDES, OF_INT, 4, strides);
    set(g, d, TENSOR_NUMBER, OF_INT, 1, &number);
    set(g, d, TENSOR_ALIGNMENT, OF_INT, 1, &alignment);
    if (nowhere)
        set(g, d, TENSOR_NOWHERE, OF_BOOL, 1, &nowhere);
    if (by_value)
        set(g, d, TENSOR_BY_VALUE, OF_BOOL, 1, &by_value);
    return finish(g, d);
}

void dnn_matmul(DnnGraph *g, CuHandle a, CuHandle b, CuHandle c)
{
    CuHandle d = make(g, IS_MATMUL), op;
    int type = DNN_F32;

    set(g, d, MATMUL_TYPE, OF_TYPE, 1, &type);
    finish(g, d);
    op = make(g, IS_MATMUL_OP);
    set_desc(g, op, MATMUL_OP_A, a);
    set_desc(g, op, MATMUL_OP_B, b);
    set_desc(g, op, MATMUL_OP_C, c);
    set_desc(g, op, MATMUL_OP_DESC, d);
    add_op(g, op);
}

void dnn_map(DnnGraph *g, int mode, CuHandle x, CuHandle b, CuHandle t, CuHandle y, int axis)
{
    CuHandle d = make(g, IS_POINTWISE), op;
    int type = mode == DNN_CMP_GE ? DNN_BOOL : DNN_F32;
    int64_t along = axis;

    set(g, d, POINTWISE_MODE, OF_POINTWISE_MODE, 1, &mode);
    set(g, d, POINTWISE_TYPE, OF_TYPE, 1, &type);
    if (mode == DNN_GEN_INDEX)
        set(g, d, POINTWISE_AXIS, OF_INT, 1, &along);
    finish(g, d);
    op = make(g, IS_POINTWISE_OP);
    set_desc(g, op, POINTWISE_OP_DESC, d);
    set_desc(g, op, POINTWISE_OP_X, x);
    if (b)
        set_desc(g, op, POINTWISE_OP_B, b);
    if (t)
        set_desc(g, op, POINTWISE_OP_T, t);
    set_desc(g, op, POINTWISE_OP_Y, y);
    add_op(g, op);
}

void dnn_reduce(DnnGraph *g, int mode, CuHandle x, CuHandle y)
{
    CuHandle d = make(g, IS_REDUCTION), op;
    int type = DNN_F32;

    set(g, d, REDUCTION_MODE, OF_REDUCTION_MODE, 1, &mode);
    set(g, d, REDUCTION_TYPE, OF_TYPE, 1, &type);
    finish(g, d);
    op = make(g, IS_REDUCTION_OP);
    set_desc(g, op, REDUCTION_OP_DESC, d);
    set_desc(g, op, REDUCTION_OP_X, x);
    set_desc(g, op, REDUCTION_OP_Y, y);
    add_op(g, op);
}

void dnn_reshape(DnnGraph *g, CuHandle x, CuHandle y)
{
    CuHandle op = make(g, IS_RESHAPE_OP);

    set_desc(g, op, RESHAPE_OP_X, x);
    set_desc(g, op, RESHAPE_OP_Y, y);
    add_op(g, op);
}

/* ---- plans ----------------------------------------------------------------------------- */

static bool plan_of(const CudaDnn *dnn, CuHandle handle, CuHandle config, DnnPlan *out)
{
    int64_t n = 0;

    *out = (DnnPlan){.config = config};
    if (dnn->cudnnBackendCreateDescriptor(IS_PLAN, &out->plan) != 0)
        return false;
    dnn->cudnnBackendSetAttribute(out->plan, PLAN_HANDLE, OF_HANDLE, 1, &handle);
    if (dnn->cudnnBackendSetAttribute(out->plan, PLAN_CONFIG, OF_DESC, 1, &config) == 0 &&
        dnn->cudnnBackendFinalize(out->plan) == 0 &&
        dnn->cudnnBackendGetAttribute(out->plan, PLAN_MEMORY, OF_INT, 1, &n,
                                      &out->memory) == 0)
        return true;
    dnn->cudnnBackendDestroyDescriptor(out->plan);
    return false;
}

bool dnn_plan(DnnGraph *g, CuHandle handle, DnnPlan *out)
{
    const CudaDnn *dnn = g->dnn;
    CuHandle graph = make(g, IS_GRAPH), heuristic, config[PROPOSALS] = {0};
    int mode = BEST_GUESS;
    int64_t n = 0, made = 0;
    bool found = false;

    set(g, graph, GRAPH_OPS, OF_DESC, g->nops, g->op);
    if (g->ok) /* new versions need none */
        dnn->cudnnBackendSetAttribute(graph, GRAPH_HANDLE, OF_HANDLE, 1, &handle);
    finish(g, graph);
    heuristic = make(g, IS_HEURISTIC);
    set_desc(g, heuristic, HEURISTIC_GRAPH, graph);
    set(g, heuristic, HEURISTIC_MODE, OF_HEURISTIC_MODE, 1, &mode);
    finish(g, heuristic);
    while (g->ok && made < PROPOSALS &&
           dnn->cudnnBackendCreateDescriptor(IS_CONFIG, &config[made]) == 0)
        made++;
    if (g->ok && dnn->cudnnBackendGetAttribute(heuristic, HEURISTIC_RESULTS, OF_DESC, made, &n,
                                               config) == 0)
        for (int64_t i = 0; i < MIN(n, made) && !found; i++)
            if ((found = plan_of(dnn, handle, config[i], out)))
                config[i] = NULL;
    for (int64_t i = 0; i < made; i++)
        if (config[i])
            dnn->cudnnBackendDestroyDescriptor(config[i]);
    return found;
}

void dnn_plan_free(const CudaDnn *dnn, DnnPlan *p)
{
    if (p->plan)
        dnn->cudnnBackendDestroyDescriptor(p->plan);
    if (p->config)
        dnn->cudnnBackendDestroyDescriptor(p->config);
    *p = (DnnPlan){0};
}

bool dnn_run(const CudaDnn *dnn, CuHandle handle, const DnnPlan *p, DnnData *data, void *work)
{
    CuHandle pack = NULL;
    bool ok = dnn->cudnnBackendCreateDescriptor(IS_PACK, &pack) == 0 &&
              dnn->cudnnBackendSetAttribute(pack, PACK_POINTERS, OF_POINTER, data->n,
                                            data->at) == 0 &&
              dnn->cudnnBackendSetAttribute(pack, PACK_NUMBERS, OF_INT, data->n,
                                            data->number) == 0 &&
              dnn->cudnnBackendSetAttribute(pack, PACK_WORK, OF_POINTER, 1, &work) == 0 &&
              dnn->cudnnBackendFinalize(pack) == 0 &&
              dnn->cudnnBackendExecute(handle, p->plan, pack) == 0;

    if (pack)
        dnn->cudnnBackendDestroyDescriptor(pack);
    return ok;
}
