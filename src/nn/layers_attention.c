/* layers_attention.c -- multi-head attention.
 *
 *   q k v = x W_i^T + b_i, cut into heads of size d
 *   w = dropout(softmax(q k^T / sqrt(d) + mask));  y = (w v) W_o^T + b_o
 */
#include "nn/nn.h"

#include <math.h>

typedef struct AttentionLayer {
    int64_t size, heads;
    bool batch_first;
    wf_module *dropout; /* NULL: none. Owned. */
} AttentionLayer;

enum { IN_WEIGHT, IN_BIAS };

/* Part i (0 query, 1 key, 2 value) of x [batch, time, size] as [batch, heads, time, d] */
static wf_tensor project(wf_ctx *c, const wf_module *m, const AttentionLayer *v, wf_tensor x,
                         int i)
{
    wf_tensor w = wf_narrow(c, wf_module_value(m, IN_WEIGHT), 0, i * v->size, v->size);
    wf_tensor b = wf_module_value(m, IN_BIAS);
    wf_tensor y =
        wf_linear(c, x, w, wf_is_none(b) ? b : wf_narrow(c, b, 0, i * v->size, v->size));
    int64_t dims[4] = {wf_size(c, y, 0), wf_size(c, y, 1), v->heads, v->size / v->heads};

    return wf_swap_axes(c, wf_reshape(c, y, dims, 4), 1, 2);
}

static wf_status forward_attention(wf_ctx *c, wf_module *m, const wf_tensor *in, int nin,
                                   wf_tensor *out, int nout)
{
    const AttentionLayer *v = wf_module_data(m);
    wf_tensor part[3], w, y, swapped;
    int64_t d = v->size / v->heads;

    if ((nin != 3 && nin != 4) || nout < 1 || nout > 2)
        return nn_gave_up(c);
    for (int i = 0; i < 3; i++) {
        if (nn_refuse(c, wf_rank(c, in[i]) != 3,
                      "MultiheadAttention: needs query, key and value of three axes"))
            return nn_gave_up(c);
        part[i] =
            project(c, m, v, v->batch_first ? in[i] : wf_swap_axes(c, in[i], 0, 1), i);
    }
    swapped = wf_swap_axes(c, part[1], 2, 3);
    w = wf_matmul(c, wf_mul(c, part[0], wf_float(c, 1 / sqrt((double)d))), swapped);
    if (nin == 4)
        w = wf_dtype_of(c, in[3]) == WF_BOOL ? wf_masked_fill(c, w, in[3], -INFINITY)
                                             : wf_add(c, w, in[3]);
    w = wf_softmax(c, w, -1);
    if (v->dropout) {
        wf_module_train(v->dropout, wf_module_training(m));
        w = wf_forward_one(c, v->dropout, w);
    }
    y = wf_flatten(c, wf_swap_axes(c, wf_matmul(c, w, part[2]), 1, 2), 2, 3);
    y = wf_forward_one(c, wf_module_child(m, 0), y);
    out[0] = v->batch_first ? y : wf_swap_axes(c, y, 0, 1);
    if (nout > 1)
        out[1] = wf_mean(c, w, (int[]){1}, 1, false);
    return WF_OK;
}

static void drop_attention(wf_ctx *c, void *data)
{
    wf_module_release(c, ((AttentionLayer *)data)->dropout);
}

wf_module *wf_nn_attention(wf_ctx *c, wf_generator *g, int64_t size, int64_t heads,
                           const wf_attention_options *given)
{
    wf_attention_options o;
    wf_module *m, *project_out;
    int64_t rows[2] = {0, size};

    if (!nn_options(c, "MultiheadAttention", given, &o, sizeof o) ||
        nn_refuse(c, size < 1 || heads < 1 || size % heads,
                  "MultiheadAttention: the size is no multiple of heads") ||
        nn_refuse(c, size > NN_MOST, "MultiheadAttention: the size is too large"))
        return NULL;
    rows[0] = 3 * size;
    m = wf_module_new(c, "MultiheadAttention", forward_attention, sizeof(AttentionLayer));
    if (!m)
        return NULL;
    m->drop = drop_attention;
    *(AttentionLayer *)m->data = (AttentionLayer){size, heads, o.batch_first, NULL};
    if (o.dropout != 0)
        ((AttentionLayer *)m->data)->dropout = wf_nn_dropout(c, g, o.dropout);
    /* draws first, as PyTorch does, and has PyTorch's name */
    project_out =
        nn_linear(c, g, "NonDynamicallyQuantizableLinear", size, size, !o.no_bias);
    wf_scope_begin(c);
    wf_module_add_param(c, m, "in_proj_weight", wf_init_xavier_uniform(c, g, rows, 2, 1));
    wf_module_add_param(c, m, "in_proj_bias",
                        o.no_bias ? WF_NONE : wf_zeros(c, WF_F32, rows, 1));
    if (project_out && !o.no_bias)
        wf_module_set_value(c, project_out, 1, wf_zeros(c, WF_F32, &size, 1));
    wf_scope_end(c);
    wf_module_add(c, m, "out_proj", project_out);
    return nn_done(c, m);
}
