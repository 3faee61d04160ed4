/* cuda.h -- NVIDIA GPUs as devices of the runtime.
 *
 *   driver.c    libcuda, NVRTC, cuBLASLt, cuDNN: opened at run time, by name; nothing of
 *               CUDA is needed to build or to start
 *   device.c    the Device: memory, queues (streams), copies; finding the GPUs
 *   code.c      CUDA C++ to machine code: NVRTC, and the code cache
 *   step.c      bound steps as launches: fused kernels, copies, fills, windows, rows by
 *               number
 *   lines.c     running sums and the like, sort, top_k, cholesky, triangular systems (lines.cuh)
 *   fft.c       Fourier transforms (ffts.cuh)
 *   window.c    windows reduced, and the gradient of the largest (windows.cuh)
 *   product.c   products by cuBLASLt
 *   tail.c      what follows a product in the same call: bias, relu, gelu, a sum
 *   conv.c      convolutions by cuDNN; those of few channels by kernels of our own (conv_few.c, convs.cuh)
 *   attention.c attention and its gradient by cuDNN (dnn_graph.c: its graphs), or by a
 *               kernel of our own (attention.cuh)
 *   graph.c     a whole run as one CUDA graph, replayed; branch.c: which of its steps wait for which
 *   nccl.c      exchanges with GPUs of other processes by NCCL, which is opened when the first is made
 *   native.cuh  kernels of steps that are not generated; text, each compiled when it is
 *               first used
 *
 * Errors of the driver stay with the device (a lost GPU answers every call with an error):
 * functions give false, the device keeps what the first one was (Device.why), the runtime
 * says it, and the host's memory is untouched.
 */
#ifndef WEFT_CUDA_H
#define WEFT_CUDA_H

#include "runtime/runtime.h"

#include <pthread.h>

/* ---- driver.c ---------------------------------------------------------------------- */

typedef uint64_t CuPtr;
typedef void *CuHandle; /* contexts, streams, modules .. */

/* The functions used, with the names they have in the library; types as its headers have
 * them, but for handles and enums. */
typedef struct CudaNode { /* a kernel in a graph, as the driver has it */
    CuHandle function;
    unsigned grid[3], block[3], shared;
    void **params, **extra;
    CuHandle kernel, context;
} CudaNode;

#define CUDA_DRIVER(F)                                                                   \
    F(cuInit, (unsigned flags))                                                          \
    F(cuDriverGetVersion, (int *version))                                                \
    F(cuDeviceGetCount, (int *n))                                                        \
    F(cuDeviceGet, (int *device, int i))                                                 \
    F(cuDeviceGetName, (char *name, int n, int device))                                  \
    F(cuDeviceGetAttribute, (int *value, int attribute, int device))                     \
    F(cuDeviceTotalMem_v2, (size_t *bytes, int device))                                  \
    F(cuDeviceGetUuid_v2, (void *uuid, int device))                                      \
    F(cuDevicePrimaryCtxRetain, (CuHandle * context, int device))                        \
    F(cuDevicePrimaryCtxRelease_v2, (int device))                                        \
    F(cuDeviceGetDefaultMemPool, (CuHandle * pool, int device))                          \
    F(cuMemPoolSetAttribute, (CuHandle pool, int attribute, void *value))                \
    F(cuMemPoolTrimTo, (CuHandle pool, size_t keep))                                     \
    F(cuCtxSetCurrent, (CuHandle context))                                               \
    F(cuCtxGetStreamPriorityRange, (int *least, int *greatest))                          \
    F(cuMemGetInfo_v2, (size_t *idle, size_t *total))                                    \
    F(cuMemAllocAsync, (CuPtr * p, size_t size, CuHandle stream))                        \
    F(cuMemFreeAsync, (CuPtr p, CuHandle stream))                                        \
    F(cuMemcpyHtoDAsync_v2, (CuPtr to, const void *from, size_t n, CuHandle stream))     \
    F(cuMemcpyDtoHAsync_v2, (void *to, CuPtr from, size_t n, CuHandle stream))           \
    F(cuMemcpyDtoDAsync_v2, (CuPtr to, CuPtr from, size_t n, CuHandle stream))           \
    F(cuMemcpyPeerAsync, (CuPtr to, CuHandle to_context, CuPtr from,                     \
                          CuHandle from_context, size_t n, CuHandle stream))             \
    F(cuMemsetD8Async, (CuPtr to, unsigned char byte, size_t n, CuHandle stream))        \
    F(cuStreamCreate, (CuHandle * stream, unsigned flags))                               \
    F(cuStreamDestroy_v2, (CuHandle stream))                                             \
    F(cuStreamSynchronize, (CuHandle stream))                                            \
    F(cuStreamWaitEvent, (CuHandle stream, CuHandle event, unsigned flags))              \
    F(cuStreamBeginCapture_v2, (CuHandle stream, int mode))                              \
    F(cuStreamEndCapture, (CuHandle stream, CuHandle * graph))                           \
    F(cuStreamGetCaptureInfo_v2,                                                         \
      (CuHandle stream, int *status, uint64_t *id, CuHandle *graph, const CuHandle **nodes, \
       size_t *n))                                                                       \
    F(cuStreamUpdateCaptureDependencies,                                                 \
      (CuHandle stream, CuHandle * nodes, size_t n, unsigned flags))                     \
    F(cuGraphGetNodes, (CuHandle graph, CuHandle * nodes, size_t *n))                    \
    F(cuGraphNodeGetType, (CuHandle node, int *type))                                    \
    F(cuGraphKernelNodeSetAttribute, (CuHandle node, int attribute, const void *value))  \
    F(cuGraphInstantiateWithFlags, (CuHandle * exec, CuHandle graph, uint64_t flags))    \
    F(cuGraphCreate, (CuHandle * graph, unsigned flags))                                 \
    F(cuGraphAddKernelNode_v2, (CuHandle * node, CuHandle graph, const CuHandle *waits,  \
                                size_t n, const CudaNode *what))                         \
    F(cuGraphExecKernelNodeSetParams_v2,                                                 \
      (CuHandle exec, CuHandle node, const CudaNode *what))                              \
    F(cuGraphExecDestroy, (CuHandle exec))                                               \
    F(cuGraphDestroy, (CuHandle graph))                                                  \
    F(cuGraphLaunch, (CuHandle exec, CuHandle stream))                                   \
    F(cuEventCreate, (CuHandle * event, unsigned flags))                                 \
    F(cuEventDestroy_v2, (CuHandle event))                                               \
    F(cuEventRecord, (CuHandle event, CuHandle stream))                                  \
    F(cuEventQuery, (CuHandle event))                                                    \
    F(cuEventElapsedTime, (float *ms, CuHandle from, CuHandle to))                       \
    F(cuEventSynchronize, (CuHandle event))                                              \
    F(cuModuleLoadData, (CuHandle * module, const void *image))                          \
    F(cuModuleUnload, (CuHandle module))                                                 \
    F(cuModuleGetFunction, (CuHandle * function, CuHandle module, const char *name))     \
    F(cuLaunchKernel, (CuHandle function, unsigned gx, unsigned gy, unsigned gz,         \
                       unsigned bx, unsigned by, unsigned bz, unsigned shared,           \
                       CuHandle stream, void **params, void **extra))                    \
    F(cuGetErrorString, (int error, const char **text))

#define CUDA_NVRTC(F)                                                                    \
    F(nvrtcVersion, (int *major, int *minor))                                            \
    F(nvrtcCreateProgram,                                                                \
      (CuHandle * program, const char *text, const char *name, int nheaders,             \
       const char *const *headers, const char *const *names))                            \
    F(nvrtcDestroyProgram, (CuHandle * program))                                         \
    F(nvrtcCompileProgram, (CuHandle program, int n, const char *const *options))        \
    F(nvrtcGetCUBINSize, (CuHandle program, size_t *n))                                  \
    F(nvrtcGetCUBIN, (CuHandle program, char *to))                                       \
    F(nvrtcGetProgramLogSize, (CuHandle program, size_t *n))                             \
    F(nvrtcGetProgramLog, (CuHandle program, char *to))

#define CUDA_BLAS(F)                                                                     \
    F(cublasLtCreate, (CuHandle * handle))                                               \
    F(cublasLtDestroy, (CuHandle handle))                                                \
    F(cublasLtGetVersion, (void))                                                        \
    F(cublasLtMatmulAlgoCheck,                                                           \
      (CuHandle handle, CuHandle desc, CuHandle a, CuHandle b, CuHandle c, CuHandle d,   \
       const void *algo, void *result))                                                  \
    F(cublasLtMatmulDescCreate, (CuHandle * desc, int compute, int scale))               \
    F(cublasLtMatmulDescDestroy, (CuHandle desc))                                        \
    F(cublasLtMatmulDescSetAttribute,                                                    \
      (CuHandle desc, int attribute, const void *value, size_t size))                    \
    F(cublasLtMatrixLayoutCreate,                                                        \
      (CuHandle * layout, int type, uint64_t rows, uint64_t cols, int64_t ld))           \
    F(cublasLtMatrixLayoutDestroy, (CuHandle layout))                                    \
    F(cublasLtMatrixLayoutSetAttribute,                                                  \
      (CuHandle layout, int attribute, const void *value, size_t size))                  \
    F(cublasLtMatmulPreferenceCreate, (CuHandle * preference))                           \
    F(cublasLtMatmulPreferenceDestroy, (CuHandle preference))                            \
    F(cublasLtMatmulPreferenceSetAttribute,                                              \
      (CuHandle preference, int attribute, const void *value, size_t size))              \
    F(cublasLtMatmulAlgoGetHeuristic,                                                    \
      (CuHandle handle, CuHandle desc, CuHandle a, CuHandle b, CuHandle c, CuHandle d,   \
       CuHandle preference, int most, void *results, int *n))                            \
    F(cublasLtMatmul,                                                                    \
      (CuHandle handle, CuHandle desc, const void *alpha, const void *a, CuHandle ad,    \
       const void *b, CuHandle bd, const void *beta, const void *c, CuHandle cd,         \
       void *d, CuHandle dd, const void *algo, void *work, size_t size,                  \
       CuHandle stream))

#define CUDA_DNN(F)                                                                      \
    F(cudnnCreate, (CuHandle * handle))                                                  \
    F(cudnnDestroy, (CuHandle handle))                                                   \
    F(cudnnSetStream, (CuHandle handle, CuHandle stream))                                \
    F(cudnnCreateTensorDescriptor, (CuHandle * desc))                                    \
    F(cudnnDestroyTensorDescriptor, (CuHandle desc))                                     \
    F(cudnnSetTensorNdDescriptor,                                                        \
      (CuHandle desc, int type, int n, const int *dims, const int *strides))             \
    F(cudnnCreateFilterDescriptor, (CuHandle * desc))                                    \
    F(cudnnDestroyFilterDescriptor, (CuHandle desc))                                     \
    F(cudnnSetFilterNdDescriptor,                                                        \
      (CuHandle desc, int type, int format, int n, const int *dims))                     \
    F(cudnnCreateConvolutionDescriptor, (CuHandle * desc))                               \
    F(cudnnDestroyConvolutionDescriptor, (CuHandle desc))                                \
    F(cudnnSetConvolutionNdDescriptor,                                                   \
      (CuHandle desc, int n, const int *pad, const int *stride, const int *dilation,     \
       int mode, int type))                                                              \
    F(cudnnSetConvolutionGroupCount, (CuHandle desc, int groups))                        \
    F(cudnnSetConvolutionMathType, (CuHandle desc, int math))                            \
    F(cudnnGetConvolutionForwardAlgorithm_v7,                                            \
      (CuHandle handle, CuHandle x, CuHandle w, CuHandle conv, CuHandle y, int most,     \
       int *n, void *results))                                                           \
    F(cudnnGetConvolutionBackwardDataAlgorithm_v7,                                       \
      (CuHandle handle, CuHandle w, CuHandle dy, CuHandle conv, CuHandle dx, int most,   \
       int *n, void *results))                                                           \
    F(cudnnGetConvolutionBackwardFilterAlgorithm_v7,                                     \
      (CuHandle handle, CuHandle x, CuHandle dy, CuHandle conv, CuHandle dw, int most,   \
       int *n, void *results))                                                           \
    F(cudnnConvolutionForward,                                                           \
      (CuHandle handle, const void *alpha, CuHandle xd, const void *x, CuHandle wd,      \
       const void *w, CuHandle conv, int algo, void *work, size_t size,                  \
       const void *beta, CuHandle yd, void *y))                                          \
    F(cudnnConvolutionBackwardData,                                                      \
      (CuHandle handle, const void *alpha, CuHandle wd, const void *w, CuHandle dyd,     \
       const void *dy, CuHandle conv, int algo, void *work, size_t size,                 \
       const void *beta, CuHandle dxd, void *dx))                                        \
    F(cudnnConvolutionBackwardFilter,                                                    \
      (CuHandle handle, const void *alpha, CuHandle xd, const void *x, CuHandle dyd,     \
       const void *dy, CuHandle conv, int algo, void *work, size_t size,                 \
       const void *beta, CuHandle dwd, void *dw))                                        \
    F(cudnnBackendCreateDescriptor, (int kind, CuHandle *desc))                          \
    F(cudnnBackendDestroyDescriptor, (CuHandle desc))                                    \
    F(cudnnBackendSetAttribute,                                                          \
      (CuHandle desc, int attribute, int type, int64_t n, const void *v))                \
    F(cudnnBackendGetAttribute,                                                          \
      (CuHandle desc, int attribute, int type, int64_t most, int64_t *n, void *v))       \
    F(cudnnBackendFinalize, (CuHandle desc))                                             \
    F(cudnnBackendExecute, (CuHandle handle, CuHandle plan, CuHandle pack))

typedef struct NcclId { /* given by value */
    char bytes[128];
} NcclId;

#define CUDA_NCCL(F)                                                                     \
    F(ncclGetVersion, (int *version))                                                    \
    F(ncclGetUniqueId, (NcclId * id))                                                    \
    F(ncclCommInitRankConfig, (CuHandle * comm, int n, NcclId id, int rank, void *config)) \
    F(ncclCommGetAsyncError, (CuHandle comm, int *state))                                \
    F(ncclCommFinalize, (CuHandle comm))                                                 \
    F(ncclCommDestroy, (CuHandle comm))                                                  \
    F(ncclCommAbort, (CuHandle comm))                                                    \
    F(ncclAllReduce, (const void *in, void *out, size_t n, int type, int op, CuHandle comm, \
                      CuHandle stream))                                                  \
    F(ncclReduce, (const void *in, void *out, size_t n, int type, int op, int root,      \
                   CuHandle comm, CuHandle stream))                                      \
    F(ncclReduceScatter, (const void *in, void *out, size_t n, int type, int op,         \
                          CuHandle comm, CuHandle stream))                               \
    F(ncclAllGather, (const void *in, void *out, size_t n, int type, CuHandle comm,      \
                      CuHandle stream))                                                  \
    F(ncclBroadcast, (const void *in, void *out, size_t n, int type, int root,           \
                      CuHandle comm, CuHandle stream))                                   \
    F(ncclSend, (const void *in, size_t n, int type, int to, CuHandle comm,              \
                 CuHandle stream))                                                       \
    F(ncclRecv, (void *out, size_t n, int type, int from, CuHandle comm, CuHandle stream)) \
    F(ncclGroupStart, (void))                                                            \
    F(ncclGroupEnd, (void))

#define CUDA_POINTER(name, args) int(*name) args;
typedef struct CudaDriver { CUDA_DRIVER(CUDA_POINTER) } CudaDriver;
typedef struct CudaNvrtc { CUDA_NVRTC(CUDA_POINTER) } CudaNvrtc;
typedef struct CudaBlas { CUDA_BLAS(CUDA_POINTER) } CudaBlas;
typedef struct CudaDnn { CUDA_DNN(CUDA_POINTER) } CudaDnn;
typedef struct CudaNccl { CUDA_NCCL(CUDA_POINTER) } CudaNccl;

/* What could be opened; shared by the devices of a runtime. */
typedef struct CudaLibraries {
    int refs; /* devices, behind the runtime's lock or while there is one user */
    CudaDriver cu;
    CudaNvrtc rtc;
    CudaNvrtc spare; /* the same compiler again, since each compiles one text at a time */
    pthread_mutex_t rtc_lock, spare_lock; /* held by who compiles, in that order */
    bool spare_tried, has_spare;
    CudaBlas lt;
    CudaDnn dnn;
    bool has_rtc, has_lt, has_dnn;
    int driver, rtc_major, rtc_minor; /* versions */
    pthread_mutex_t nccl_lock; /* of what follows */
    CudaNccl nccl;
    bool nccl_tried;
    int nccl_version; /* 0: it is not there, or too old: */
    char nccl_why[160];
} CudaLibraries;

/* False: there is no driver, or it is too old, or it has no GPUs; the runtime is told which. */
bool cuda_open_driver(wf_ctx *cx, wf_runtime *r, CudaLibraries *l);
/* The others, when a device is there. */
void cuda_open_libraries(wf_ctx *cx, CudaLibraries *l);
/* The compiler again, when the first is at work: CUDA has it twice since 13. Behind spare_lock. */
bool cuda_open_spare(wf_ctx *cx, CudaLibraries *l);
/* NCCL, when it is first needed; what is wrong with it is in nccl_why. */
bool cuda_open_nccl(wf_ctx *cx, CudaLibraries *l);

/* ---- device.c ---------------------------------------------------------------------- */

#define CUDA_RANK 8 /* most axes of arrays in native kernels */

typedef struct CudaPlans CudaPlans;
typedef struct CudaConv CudaConv;
typedef struct CudaAttention CudaAttention;
typedef struct CudaNative CudaNative;
typedef struct CudaBranches CudaBranches;
typedef struct CudaSingles CudaSingles;
typedef struct CudaLink CudaLink;

typedef struct Cuda {
    Device device;
    CudaLibraries *l;
    wf_allocator al;
    char name[32], label[128], features[256]; /* cuda:0; what it is; what serves it */
    int number; /* of the driver */
    int major, minor, cores;
    CuHandle context;
    pthread_mutex_t lock;  /* of what follows */
    CudaNative *native;    /* kernels of native.cuh, as needed so far */
    CuHandle blas;         /* handle of cuBLASLt; */
    CudaPlans *plans;      /* of products, as found so far; of convolutions; of attention */
    CudaConv *convs;
    CudaAttention *attentions;
    CudaLink *links; /* to GPUs of other processes */
    atomic_uint unloads;   /* how often code was unloaded */
    atomic_bool said;      /* an error was kept: */
    char why[160];
} Cuda;

/* Freed memory of a queue, by size: what is freed and asked for in one stream needs no
 * call of the driver. */
#define CUDA_SIZES 144 /* four sizes to a power of two */
typedef struct CudaFree {
    CuPtr *v;
    int n, room;
} CudaFree;

#define CUDA_WORKS    4
#define CUDA_OUTGROWN (40 * CUDA_WORKS) /* each is twice as large as the one before */

typedef struct CudaQueue {
    Cuda *d;
    pthread_mutex_t lock; /* of idle */
    CudaFree idle[CUDA_SIZES];
    CuHandle stream, event;
    /* Memory of library calls, in the order of the stream, of which steps side by side have a
     * piece each; and pieces that became too small, which graphs still know. */
    CuPtr works[CUDA_WORKS], outgrown[CUDA_OUTGROWN];
    size_t work_size; /* of each */
    int noutgrown;
    uint32_t piece; /* which is used */
    bool captured;  /* a graph knows works */
    CuHandle dnn; /* handle of cuDNN, on this stream */
    const Op *merged; /* the next step, which a product has done already; NULL: none */
    CudaBranches *branches; /* while a graph is captured (graph.c) */
    CudaSingles *singles;   /* kernels that come often (launch.c) */
} CudaQueue;

/* The GPUs of these libraries become devices of the runtime. */
void cuda_add_all(wf_ctx *cx, wf_runtime *r, const CudaLibraries *libraries);
/* Is the driver's answer success? The first that is not is kept. */
bool cuda_ok(Cuda *d, int answer, const char *what);
/* The device's context becomes the thread's. */
bool cuda_enter(Cuda *d);
/* Memory of library calls, at least so large; 0: there is none. */
CuPtr cuda_work(CudaQueue *q, size_t size);

/* ---- nccl.c ------------------------------------------------------------------------ */

extern const struct LinkRow cuda_link;
/* Until all before the event is done. While there are links, it is asked whether their other members still come: if not, they
 * are ended. */
bool cuda_wait(Cuda *d, CuHandle event);

/* ---- code.c ------------------------------------------------------------------------ */

typedef enum TailKind {
    TAIL_NONE,
    TAIL_ROW,  /* x + row */
    TAIL_RELU, /* relu(x), relu(x + row) */
    TAIL_GELU, /* by tanh */
    TAIL_GELU_GRADIENT, /* gelu'(x) y */
    TAIL_SUM /* a x + b y */
} TailKind;

typedef struct CudaTail { /* what a kernel computes of matrices of one shape, elementwise */
    TailKind kind;
    uint32_t dense[2], ndense; /* arrays */
    uint32_t row;              /* array, if has_row: the same for all rows */
    bool has_row;
    uint8_t of; /* GELU_GRADIENT: which of dense is x */
    double scale[2];
} CudaTail;

typedef struct CudaKernel { /* a kernel's code; PlanCode.there */
    CuHandle run, end;
    CudaShape shape;
    CudaTail tail;
} CudaKernel;

bool cuda_load(Device *d, wf_ctx *cx, Arena *a, Kernel *const *k, uint32_t n,
               const void **there, void **out_code);
void cuda_unload(Device *d, void *code);
/* A kernel of native.cuh, by the macro that makes it; NULL: it cannot be had. */
CuHandle cuda_native(Cuda *d, wf_ctx *cx, const char *what);
void cuda_free_native(Cuda *d);
/* CUDA C++ as a cubin for the device; NULL: it cannot be made, the log says why. */
void *cuda_compile(Cuda *d, wf_ctx *cx, const char *text, size_t size, bool exact,
                   size_t *out_size);

/* ---- step.c ------------------------------------------------------------------------ */

bool cuda_has(Device *d, const Program *p, const Eqn *e);
bool cuda_put_step(Device *d, void *queue, const Frame *f, const Op *op);
bool cuda_put_move(Device *d, void *queue, wf_ctx *cx, const KMove *m, void *to,
                   const void *from, bool *out_done);

#define CUDA_BLOCK 256 /* threads of a block of native kernels */

/* ---- launch.c ---------------------------------------------------------------------- */

bool cuda_launch(CudaQueue *q, CuHandle function, int64_t gx, int64_t gy, unsigned threads,
                 void *args);
void cuda_free_singles(CudaQueue *q);

/* ---- lines.c ----------------------------------------------------------------------- */

bool cuda_has_line(const Program *p, const Eqn *e);
bool cuda_put_cum(CudaQueue *q, const Frame *f, const Op *op);
bool cuda_put_sort(CudaQueue *q, const Frame *f, const Op *op);
bool cuda_put_top(CudaQueue *q, const Frame *f, const Op *op);
bool cuda_put_linalg(CudaQueue *q, const Frame *f, const Op *op);

/* ---- fft.c ------------------------------------------------------------------------- */

bool cuda_has_fft(const Program *p, const Eqn *e);
bool cuda_put_fft(CudaQueue *q, const Frame *f, const Op *op);

/* ---- window.c ---------------------------------------------------------------------- */

bool cuda_put_reduce_window(CudaQueue *q, const Frame *f, const Op *op);
/* Is a scatter the gradient of the largest of each window? Then it has a kernel of its own. */
bool cuda_is_window_back(const Frame *f, const Op *op);
bool cuda_put_window_back(CudaQueue *q, const Frame *f, const Op *op);
/* Is a fill only what such scatters begin with? They need none. */
bool cuda_is_window_start(const Frame *f, const Op *op);

/* ---- graph.c ----------------------------------------------------------------------- */

bool cuda_put_frame(Device *d, void *queue, Frame *f);
void cuda_forget(Device *d, Frame *f);

/* ---- branch.c ---------------------------------------------------------------------- */

/* While a graph is captured: what comes next, which waits for what it must, and where that
 * ends; at other times they do nothing. False: the driver failed. */
bool cuda_branch_step(CudaQueue *q, const Frame *f, const Op *op);
bool cuda_branch_copy(CudaQueue *q, const void *to, const void *from, size_t size); /* or NULL, a fill */
bool cuda_branch_end(CudaQueue *q);
bool cuda_branches_open(CudaQueue *q); /* before the capture; false: there is no memory */
/* The capture's graph: kernels on the longest way through it come first. */
void cuda_branch_priorities(CudaQueue *q, CuHandle graph);
void cuda_branches_close(CudaQueue *q);

/* ---- dot.c ------------------------------------------------------------------------- */

typedef struct NDot { /* as in products.cuh */
    const void *a, *b;
    void *c;
    int64_t m, n, k, a_row, a_col, b_row, b_col, c_row, c_col, turned;
} NDot;

typedef struct CudaDot { /* a product without batch by a kernel of our own */
    CuHandle function;
    NDot args;
    int64_t gx, gy;
    unsigned threads;
} CudaDot;

/* narrow: by the kernel for few columns or a short sum, false if it has no such shape; else by that for any strides. */
bool cuda_dot(Cuda *d, wf_ctx *cx, const KMatmul *m, bool narrow, CudaDot *out);
bool cuda_put_dot(CudaQueue *q, const CudaDot *dot, const void *a, const void *b, void *c);

/* ---- product.c, conv.c, attention.c ------------------------------------------------ */

typedef struct TailCall { /* a kernel done by the product before it */
    const CudaTail *tail;
    const Op *next;
    void *product, *out; /* addresses: of the product's own result, of the kernel's */
    const void *other, *row;
    double alpha, beta;
    bool keeps; /* the product's own result is read by others, too */
} TailCall;

CudaTail cuda_tail(const Kernel *k);
/* Can the step behind the product be done by the same call? */
bool cuda_tail_behind(const Frame *f, const Op *op, const KMatmul *m, TailCall *out);
bool cuda_has_product(const Cuda *d, const Program *p, const Eqn *e);
bool cuda_put_product(CudaQueue *q, const Frame *f, const Op *op);
void cuda_free_plans(Cuda *d);
void cuda_free_convs(Cuda *d);
bool cuda_has_conv(const Program *p, const Eqn *e);
bool cuda_put_conv(CudaQueue *q, const Frame *f, const Op *op);
/* The queue's handle of cuDNN; NULL: there is none. */
CuHandle cuda_dnn(CudaQueue *q);
bool cuda_has_attention(const Program *p, const Eqn *e);
bool cuda_put_attention(CudaQueue *q, const Frame *f, const Op *op);
void cuda_free_attentions(Cuda *d);

#endif
