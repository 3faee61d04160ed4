/* conv.c -- convolutions by cuDNN, and what it cannot do by a kernel of our own.
 *
 * Convolutions of few channels are conv_few.c's. Others are one of three of the library's, by
 * what they look like:
 *
 *   input dilated                  the gradient of an input: the result is that of a strided one
 *   filters larger than the        the gradient of filters: batch and channels of the input
 *   result                         change places
 *   else                           a convolution
 *
 * Input and result are given by their strides; filters (or the result, where that is the
 * filters') are copied into the library's order where they lie otherwise. The first
 * algorithm that always gives the same bits is taken. Asking for it takes the library long, so
 * that calls are kept by what they are for.
 */
#include "cuda/conv.h"
#include "cuda/dnn_graph.h"
#include "codegen/render.h"

#include <stdio.h>

enum { /* of the library's headers */
    DNN_NCHW = 0,
    DNN_NHWC = 1,
    MODE_CONVOLUTION = 0,
    MODE_CORRELATION = 1,
    MATH_DEFAULT = 0,
    MATH_FMA = 3
};
#define WORK_MOST ((size_t)1 << 30)
#define PROPOSALS 10

typedef struct AlgoPerf { /* as the library fills it */
    int algo, status;
    float time;
    size_t memory;
    int determinism, math, reserved[3];
} AlgoPerf;

typedef enum Way { WAY_FORWARD, WAY_DATA, WAY_FILTER } Way;

typedef struct Call { /* one of the library's */
    Way way;
    bool last; /* channels are neighbours, in filters too */
    CuHandle x, w, y, conv;
    int algo, math;
    size_t memory;
} Call;

static int dnn_type(KType t)
{
    return t == KT_F64 ? DNN_F64 : t == KT_F16 ? DNN_F16 : t == KT_BF16 ? DNN_BF16 : DNN_F32;
}

bool cuda_has_conv(const Program *p, const Eqn *e)
{
    unsigned x = val_type(p, eqn_in(p, e)[0]).dtype, w = val_type(p, eqn_in(p, e)[1]).dtype,
             z = val_type(p, e->out).dtype;
    bool narrow = (x == WF_F32 || x == WF_F16 || x == WF_BF16) &&
                  (w == WF_F32 || w == WF_F16 || w == WF_BF16) &&
                  (z == WF_F32 || z == WF_F16 || z == WF_BF16);

    return (narrow || (x == WF_F64 && w == x && z == x)) &&
           val_type(p, e->out).rank <= 2 + K_SPATIAL;
}

/* ---- by a kernel of our own ------------------------------------------------------------ */

NConv cuda_conv_args(const KConv *c)
{
    NConv n = {.x = c->x,
               .w = c->w,
               .out = c->out,
               .count = c->batch * c->out_channels,
               .batch = c->batch,
               .groups = c->groups,
               .in_channels = c->in_channels,
               .out_channels = c->out_channels,
               .spatial = c->spatial};

    for (int i = 0; i < c->spatial; i++) {
        n.count *= c->out_size[i];
        n.x_size[i] = c->x_size[i], n.w_size[i] = c->w_size[i];
        n.out_size[i] = c->out_size[i], n.stride[i] = c->stride[i];
        n.pad[i] = c->pad_lo[i], n.x_dil[i] = c->x_dilation[i];
        n.w_dil[i] = c->w_dilation[i], n.x_step[i] = c->x_step[i];
        n.w_step[i] = c->w_step[i], n.out_step[i] = c->out_step[i];
    }
    n.x_batch = c->x_batch, n.x_channel = c->x_channel;
    n.w_out = c->w_out, n.w_in = c->w_in;
    n.out_batch = c->out_batch, n.out_channel = c->out_channel;
    return n;
}

static bool put_plain(CudaQueue *q, wf_ctx *cx, const KConv *c)
{
    NConv n = cuda_conv_args(c);
    wf_dtype t = (wf_dtype)c->x_type, u = (wf_dtype)c->w_type, z = (wf_dtype)c->out_type;
    char what[128];

    snprintf(what, sizeof what, "CONV(%s, %s, %s, %s, %s, %s, %s)", wf_dtype_name(t),
             render_type(t), wf_dtype_name(u), render_type(u), z == WF_F64 ? "double" : "float",
             wf_dtype_name(z), render_type(z));
    return cuda_launch(q, cuda_native(q->d, cx, what), (n.count + 255) / 256, 1, 256, &n);
}

/* ---- descriptors ------------------------------------------------------------------------- */

static void free_call(const CudaDnn *dnn, Call *c)
{
    CuHandle filters = c->way == WAY_FILTER ? c->y : c->w;
    CuHandle tensor = c->way == WAY_FILTER ? c->w : c->y;

    if (c->x)
        dnn->cudnnDestroyTensorDescriptor(c->x);
    if (tensor)
        dnn->cudnnDestroyTensorDescriptor(tensor);
    if (filters)
        dnn->cudnnDestroyFilterDescriptor(filters);
    if (c->conv)
        dnn->cudnnDestroyConvolutionDescriptor(c->conv);
}

/* The library wants two spatial axes at least. */
static int axes_of(const KConv *c) { return MAX(c->spatial, 2); }

static bool tensor_desc(const CudaDnn *dnn, CuHandle *out, KType type, const KConv *c,
                        int64_t batch, int64_t channels, const int64_t *size,
                        int64_t batch_step, int64_t channel_step, const int64_t *step)
{
    int dims[2 + K_SPATIAL] = {(int)batch, (int)channels, 1, 1, 1};
    int strides[2 + K_SPATIAL] = {(int)batch_step, (int)channel_step, 1, 1, 1};
    int at = 2 + axes_of(c) - c->spatial;

    for (int i = 0; i < c->spatial; i++) {
        dims[at + i] = (int)size[i];
        strides[at + i] = (int)step[i];
    }
    for (int i = at - 1; i >= 2; i--)
        strides[i] = dims[i + 1] * strides[i + 1];
    return dnn->cudnnCreateTensorDescriptor(out) == 0 &&
           dnn->cudnnSetTensorNdDescriptor(*out, dnn_type(type), 2 + axes_of(c), dims,
                                           strides) == 0;
}

static bool filter_desc(const CudaDnn *dnn, CuHandle *out, KType type, const KConv *c,
                        bool last, int64_t first, int64_t second, const int64_t *size)
{
    int dims[2 + K_SPATIAL] = {(int)first, (int)second, 1, 1, 1};
    int at = 2 + axes_of(c) - c->spatial;

    for (int i = 0; i < c->spatial; i++)
        dims[at + i] = (int)size[i];
    return dnn->cudnnCreateFilterDescriptor(out) == 0 &&
           dnn->cudnnSetFilterNdDescriptor(*out, dnn_type(type), last ? DNN_NHWC : DNN_NCHW,
                                           2 + axes_of(c), dims) == 0;
}

static bool conv_desc(const CudaDnn *dnn, Call *call, const KConv *c, const int64_t *pad,
                      const int64_t *stride, const int64_t *dilation, int mode, int math)
{
    int p[K_SPATIAL] = {0, 0, 0}, s[K_SPATIAL] = {1, 1, 1}, d[K_SPATIAL] = {1, 1, 1};
    int at = axes_of(c) - c->spatial;

    for (int i = 0; i < c->spatial; i++) {
        p[at + i] = (int)pad[i];
        s[at + i] = (int)stride[i];
        d[at + i] = (int)dilation[i];
    }
    return dnn->cudnnCreateConvolutionDescriptor(&call->conv) == 0 &&
           dnn->cudnnSetConvolutionNdDescriptor(
               call->conv, axes_of(c), p, s, d, mode,
               c->out_type == KT_F64 ? DNN_F64 : DNN_F32) == 0 &&
           dnn->cudnnSetConvolutionGroupCount(call->conv, (int)c->groups) == 0 &&
           dnn->cudnnSetConvolutionMathType(call->conv, math) == 0;
}

/* ---- which way ----------------------------------------------------------------------------- */

static bool all_are(const int64_t *v, int n, int64_t x)
{
    for (int i = 0; i < n; i++)
        if (v[i] != x)
            return false;
    return true;
}

/* Does a convolution with equal padding at both ends give these sizes? */
static bool fits(const KConv *c, const int64_t *x, const int64_t *w, const int64_t *y,
                 const int64_t *pad, const int64_t *stride, const int64_t *dilation)
{
    for (int i = 0; i < c->spatial; i++)
        if (pad[i] < 0 || x[i] + 2 * pad[i] < (w[i] - 1) * dilation[i] + 1 ||
            (x[i] + 2 * pad[i] - ((w[i] - 1) * dilation[i] + 1)) / stride[i] + 1 != y[i])
            return false;
    return true;
}

static int64_t product(const int64_t *v, int n)
{
    int64_t p = 1;

    for (int i = 0; i < n; i++)
        p *= v[i];
    return p;
}

bool cuda_conv_is_filters(const KConv *c)
{
    return product(c->w_size, c->spatial) > product(c->out_size, c->spatial);
}

static bool describe(const CudaDnn *dnn, Call *call, const KConv *c, int math)
{
    int64_t back[K_SPATIAL];
    int n = c->spatial;

    if (!all_are(c->x_dilation, n, 1)) {
        if (!all_are(c->stride, n, 1) || c->groups != 1)
            return false;
        for (int i = 0; i < n; i++)
            back[i] = (c->w_size[i] - 1) * c->w_dilation[i] - c->pad_lo[i];
        call->way = WAY_DATA;
        call->last = c->x_channel == 1 && c->out_channel == 1;
        return fits(c, c->out_size, c->w_size, c->x_size, back, c->x_dilation,
                    c->w_dilation) &&
               tensor_desc(dnn, &call->x, c->x_type, c, c->batch, c->in_channels, c->x_size,
                           c->x_batch, c->x_channel, c->x_step) &&
               filter_desc(dnn, &call->w, c->w_type, c, call->last, c->in_channels,
                           c->out_channels, c->w_size) &&
               tensor_desc(dnn, &call->y, c->out_type, c, c->batch, c->out_channels,
                           c->out_size, c->out_batch, c->out_channel, c->out_step) &&
               conv_desc(dnn, call, c, back, c->x_dilation, c->w_dilation, MODE_CONVOLUTION,
                         math);
    }
    if (c->groups == 1 && cuda_conv_is_filters(c) &&
        fits(c, c->x_size, c->out_size, c->w_size, c->pad_lo, c->w_dilation, c->stride)) {
        call->way = WAY_FILTER;
        call->last = c->x_batch == 1 && c->w_out == 1;
        return tensor_desc(dnn, &call->x, c->x_type, c, c->in_channels, c->batch, c->x_size,
                           c->x_channel, c->x_batch, c->x_step) &&
               tensor_desc(dnn, &call->w, c->w_type, c, c->in_channels, c->out_channels,
                           c->w_size, c->w_in, c->w_out, c->w_step) &&
               filter_desc(dnn, &call->y, c->out_type, c, call->last, c->out_channels,
                           c->batch, c->out_size) &&
               conv_desc(dnn, call, c, c->pad_lo, c->w_dilation, c->stride, MODE_CORRELATION,
                         math);
    }
    call->way = WAY_FORWARD;
    call->last = c->x_channel == 1 && c->out_channel == 1;
    return fits(c, c->x_size, c->w_size, c->out_size, c->pad_lo, c->stride, c->w_dilation) &&
           tensor_desc(dnn, &call->x, c->x_type, c, c->batch, c->in_channels, c->x_size,
                       c->x_batch, c->x_channel, c->x_step) &&
           filter_desc(dnn, &call->w, c->w_type, c, call->last, c->out_channels,
                       c->in_channels / c->groups, c->w_size) &&
           tensor_desc(dnn, &call->y, c->out_type, c, c->batch, c->out_channels, c->out_size,
                       c->out_batch, c->out_channel, c->out_step) &&
           conv_desc(dnn, call, c, c->pad_lo, c->stride, c->w_dilation, MODE_CORRELATION,
                     math);
}

/* ---- algorithms ------------------------------------------------------------------------------ */

static bool choose(CudaQueue *q, Call *c)
{
    const CudaDnn *dnn = &q->d->l->dnn;
    AlgoPerf found[PROPOSALS];
    int n = 0, bad;

    switch (c->way) {
    case WAY_DATA:
        bad = dnn->cudnnGetConvolutionBackwardDataAlgorithm_v7(q->dnn, c->w, c->x, c->conv,
                                                               c->y, PROPOSALS, &n, found);
        break;
    case WAY_FILTER:
        bad = dnn->cudnnGetConvolutionBackwardFilterAlgorithm_v7(
            q->dnn, c->x, c->w, c->conv, c->y, PROPOSALS, &n, found);
        break;
    default:
        bad = dnn->cudnnGetConvolutionForwardAlgorithm_v7(q->dnn, c->x, c->w, c->conv, c->y,
                                                          PROPOSALS, &n, found);
    }
    for (int i = 0; i < n && !bad; i++)
        if (!found[i].status && found[i].determinism && found[i].memory <= WORK_MOST) {
            c->algo = found[i].algo;
            c->math = found[i].math;
            c->memory = found[i].memory;
            return true;
        }
    return false;
}

/* ---- filters in the library's order ------------------------------------------------------------ */

typedef struct Order { /* axes: first, second, then space; or second at the end */
    int64_t dims[2 + K_SPATIAL], steps[2 + K_SPATIAL];
    int rank;
} Order;

static Order order_of(const KConv *c, bool last, int64_t first, int64_t second, const int64_t *size,
                      int64_t first_step, int64_t second_step, const int64_t *step)
{
    Order o = {.rank = 2 + c->spatial};
    int channel = last ? 1 + c->spatial : 1, space = last ? 1 : 2;

    o.dims[0] = first, o.steps[0] = first_step;
    o.dims[channel] = second, o.steps[channel] = second_step;
    for (int i = 0; i < c->spatial; i++) {
        o.dims[space + i] = size[i];
        o.steps[space + i] = step[i];
    }
    return o;
}

static Order filters_of(const Call *call, const KConv *c)
{
    bool last = call->last;

    return call->way == WAY_FILTER
               ? order_of(c, last, c->out_channels, c->batch, c->out_size, c->out_channel,
                          c->out_batch, c->out_step)
           : call->way == WAY_DATA
               ? order_of(c, last, c->in_channels, c->out_channels, c->w_size, c->w_in,
                          c->w_out, c->w_step)
               : order_of(c, last, c->out_channels, c->in_channels / c->groups, c->w_size,
                          c->w_out, c->w_in, c->w_step);
}

/* The copy between where they lie and the library's order; false: there is none to make. */
static bool filter_move(const Order *o, size_t size, bool out, KMove *m)
{
    int64_t dense[2 + K_SPATIAL];

    k_row_major(o->rank, o->dims, dense);
    kmove_init(m, size, o->rank, o->dims, out ? o->steps : dense, out ? dense : o->steps);
    for (int i = 0; i < o->rank; i++)
        if (o->dims[i] != 1 && o->steps[i] != dense[i])
            return true;
    return false;
}

/* ---- steps --------------------------------------------------------------------------------- */

static bool call_library(CudaQueue *q, const Call *call, const KConv *c, CuPtr work,
                         const void *filters, void *result)
{
    static const float one = 1, zero = 0;
    static const double one_64 = 1, zero_64 = 0;
    const CudaDnn *dnn = &q->d->l->dnn;
    bool wide = c->out_type == KT_F64;
    const void *alpha = wide ? (const void *)&one_64 : &one,
               *beta = wide ? (const void *)&zero_64 : &zero;
    void *w = (void *)(uintptr_t)work;

    dnn->cudnnSetConvolutionMathType(call->conv, call->math);
    switch (call->way) {
    case WAY_DATA:
        return dnn->cudnnConvolutionBackwardData(q->dnn, alpha, call->w, filters, call->x,
                                                 c->x, call->conv, call->algo, w,
                                                 call->memory, beta, call->y, result) == 0;
    case WAY_FILTER:
        return dnn->cudnnConvolutionBackwardFilter(q->dnn, alpha, call->x, c->x, call->w,
                                                   c->w, call->conv, call->algo, w,
                                                   call->memory, beta, call->y,
                                                   result) == 0;
    default:
        return dnn->cudnnConvolutionForward(q->dnn, alpha, call->x, c->x, call->w, filters,
                                            call->conv, call->algo, w, call->memory, beta,
                                            call->y, result) == 0;
    }
}

struct CudaConv {
    KConv key; /* without addresses */
    int precision;
    bool usable;
    Call call;
    CudaConv *next;
};

void cuda_free_convs(Cuda *d)
{
    for (CudaConv *v = d->convs, *next; v; v = next) {
        next = v->next;
        free_call(&d->l->dnn, &v->call);
        mem_free(&d->al, v, sizeof *v);
    }
    d->convs = NULL;
}

/* The call for a convolution, made if there is none yet; NULL: the library cannot do it. */
static const Call *call_for(CudaQueue *q, const KConv *c, int precision)
{
    Cuda *d = q->d;
    KConv key = *c;
    CudaConv *v;

    key.x = key.w = key.packed = NULL;
    key.out = NULL;
    pthread_mutex_lock(&d->lock);
    for (v = d->convs; v && (v->precision != precision || memcmp(&v->key, &key, sizeof key));)
        v = v->next;
    if (!v && (v = mem_alloc(&d->al, sizeof *v))) {
        memset(v, 0, sizeof *v);
        memcpy(&v->key, &key, sizeof key);
        v->precision = precision;
        v->usable = c->x_type == c->w_type && c->x_type == c->out_type &&
                    describe(&d->l->dnn, &v->call, c,
                             precision == WF_PRECISION_HIGHEST && c->x_type == KT_F32
                                 ? MATH_FMA
                                 : MATH_DEFAULT) &&
                    choose(q, &v->call);
        v->next = d->convs;
        d->convs = v;
    }
    pthread_mutex_unlock(&d->lock);
    return v && v->usable ? &v->call : NULL;
}

CuHandle cuda_dnn(CudaQueue *q)
{
    const CudaDnn *dnn = &q->d->l->dnn;

    if (!q->dnn && q->d->l->has_dnn &&
        (dnn->cudnnCreate(&q->dnn) != 0 || dnn->cudnnSetStream(q->dnn, q->stream) != 0))
        q->dnn = NULL;
    return q->dnn;
}

static bool put_library(CudaQueue *q, wf_ctx *cx, const KConv *c, int precision)
{
    const Call *call;
    size_t size = k_size(c->w_type), bytes;
    bool done = false, ok, copied, filter;
    void *temp, *result;
    CuPtr work;
    KMove m;
    Order o;

    if (!cuda_dnn(q))
        return false;
    if (!(call = call_for(q, c, precision)))
        return false;
    filter = call->way == WAY_FILTER;
    o = filters_of(call, c);
    copied = filter_move(&o, size, filter, &m);
    bytes = copied ? ((size_t)m.count * size + 255) / 256 * 256 : 0;
    work = cuda_work(q, bytes + call->memory + 256);
    temp = (void *)(uintptr_t)work;
    result = filter && copied ? temp : c->out;
    ok = work != 0;
    if (ok && copied && !filter)
        ok = cuda_put_move(&q->d->device, q, cx, &m, temp, c->w, &done) && done;
    ok = ok && call_library(q, call, c, work + bytes, copied && !filter ? temp : c->w, result);
    if (ok && copied && filter)
        ok = cuda_put_move(&q->d->device, q, cx, &m, c->out, temp, &done) && done;
    return ok;
}

/* Sums over nothing, which the library does not know; of no results there is nothing to do. */
static bool is_empty(const KConv *c)
{
    return !c->batch || !c->in_channels || !c->out_channels || !product(c->x_size, c->spatial) ||
           !product(c->w_size, c->spatial) || !product(c->out_size, c->spatial);
}

bool cuda_put_conv(CudaQueue *q, const Frame *f, const Op *op)
{
    const ConvStep *s = op->data;
    int precision = ((const ConvAttr *)f->plan->p->eqns[op->eqn].attr)->precision;

    for (int64_t g = 0; g < s->groups; g++) {
        KConv c = s->c;

        c.x = (const char *)op_at(f, op, DOT_X) + g * s->x_step;
        c.w = (const char *)op_at(f, op, DOT_Y) + g * s->w_step;
        c.out = (char *)op_at(f, op, DOT_OUT) + g * s->out_step;
        if (!is_empty(&c) && cuda_conv_is_few(q, &c)) {
            if (!cuda_put_conv_few(q, f->root->cx, &c))
                return false;
            continue;
        }
        if (!(q->d->l->has_dnn && !is_empty(&c) && put_library(q, f->root->cx, &c, precision)) &&
            !put_plain(q, f->root->cx, &c))
            return false;
    }
    return true;
}
