/* models.c -- the Inception block, a small Inception network, GoogLeNet, a small GPT.
 *
 * Names of parts are torchvision's (Szegedy et al. 2014, with batch norm). */
#include "nn/nn.h"

#include <stdio.h>

static wf_status forward_basic(wf_ctx *c, wf_module *m, const wf_tensor *in, int nin,
                               wf_tensor *out, int nout)
{
    if (nin != 1 || nout != 1)
        return nn_gave_up(c);
    out[0] = wf_relu(c, wf_forward_one(c, wf_module_child(m, 1),
                                       wf_forward_one(c, wf_module_child(m, 0), in[0])));
    return WF_OK;
}

/* convolution without bias, batch norm, relu */
static wf_module *basic(wf_ctx *c, wf_generator *g, int64_t in, int64_t out,
                        int64_t kernel, int64_t stride, int64_t padding)
{
    wf_module *m = wf_module_new(c, "BasicConv2d", forward_basic, 0);
    wf_conv_options o = {
        .size = sizeof o, .stride = stride, .padding = padding, .no_bias = true};

    wf_module_add(c, m, "conv", wf_nn_conv2d(c, g, in, out, kernel, &o));
    wf_module_add(c, m, "bn", wf_nn_batch_norm2d(c, out, 0.001, 0.1));
    return nn_done(c, m);
}

static wf_status forward_inception(wf_ctx *c, wf_module *m, const wf_tensor *in, int nin,
                                   wf_tensor *out, int nout)
{
    wf_tensor y[4];

    if (nin != 1 || nout != 1)
        return nn_gave_up(c);
    for (int i = 0; i < 4; i++)
        y[i] = wf_forward_one(c, wf_module_child(m, i), in[0]);
    out[0] = wf_concat(c, y, 4, 1);
    return WF_OK;
}

wf_module *wf_nn_inception(wf_ctx *c, wf_generator *g, int64_t in, int64_t ch1,
                           int64_t ch3_reduce, int64_t ch3, int64_t ch5_reduce,
                           int64_t ch5, int64_t pool)
{
    wf_module *m = wf_module_new(c, "Inception", forward_inception, 0), *a, *b;

    wf_module_add(c, m, "branch1", basic(c, g, in, ch1, 1, 1, 0));
    a = basic(c, g, in, ch3_reduce, 1, 1,
              0); /* one after the other: arguments have no order, draws do */
    b = basic(c, g, ch3_reduce, ch3, 3, 1, 1);
    wf_module_add(c, m, "branch2", wf_nn_sequential(c, 2, a, b));
    a = basic(c, g, in, ch5_reduce, 1, 1, 0);
    b = basic(c, g, ch5_reduce, ch5, 3, 1, 1);
    wf_module_add(c, m, "branch3", wf_nn_sequential(c, 2, a, b));
    wf_module_add(c, m, "branch4",
                  wf_nn_sequential(c, 2, wf_nn_max_pool2d(c, 3, 1, 1, true),
                                   basic(c, g, in, pool, 1, 1, 0)));
    return nn_done(c, m);
}

/* The children one after the other; all axes but the first become one before the last. */
static wf_status forward_chain(wf_ctx *c, wf_module *m, const wf_tensor *in, int nin,
                               wf_tensor *out, int nout)
{
    int n = wf_module_children(m);
    wf_tensor x;

    if (nin != 1 || nout != 1)
        return nn_gave_up(c);
    x = in[0];
    for (int i = 0; i < n && !wf_ctx_status(c); i++)
        x = wf_forward_one(c, wf_module_child(m, i),
                           i == n - 1 ? wf_flatten(c, x, 1, -1) : x);
    out[0] = x;
    return WF_OK;
}

wf_module *wf_nn_small_inception(wf_ctx *c, wf_generator *g, int64_t channels,
                                 int64_t classes)
{
    wf_module *m = wf_module_new(c, "SmallInception", forward_chain, 0);

    wf_module_add(c, m, "stem", basic(c, g, channels, 16, 3, 1, 1));
    wf_module_add(c, m, "pool1", wf_nn_max_pool2d(c, 2, 2, 0, false));
    wf_module_add(c, m, "block1", wf_nn_inception(c, g, 16, 8, 8, 16, 4, 8, 8));
    wf_module_add(c, m, "pool2", wf_nn_max_pool2d(c, 2, 2, 0, false));
    wf_module_add(c, m, "block2", wf_nn_inception(c, g, 40, 16, 16, 32, 8, 16, 16));
    wf_module_add(c, m, "avgpool", wf_nn_adaptive_avg_pool2d(c, 1));
    wf_module_add(c, m, "fc", wf_nn_linear(c, g, 80, classes, true));
    return nn_done(c, m);
}

wf_module *wf_nn_googlenet(wf_ctx *c, wf_generator *g, int64_t classes)
{
    static const struct {
        const char *name;
        int64_t ch[7];
        const char *pool; /* that follows */
        int64_t window;
    } blocks[] = {
        {"inception3a", {192, 64, 96, 128, 16, 32, 32}, NULL, 0},
        {"inception3b", {256, 128, 128, 192, 32, 96, 64}, "maxpool3", 3},
        {"inception4a", {480, 192, 96, 208, 16, 48, 64}, NULL, 0},
        {"inception4b", {512, 160, 112, 224, 24, 64, 64}, NULL, 0},
        {"inception4c", {512, 128, 128, 256, 24, 64, 64}, NULL, 0},
        {"inception4d", {512, 112, 144, 288, 32, 64, 64}, NULL, 0},
        {"inception4e", {528, 256, 160, 320, 32, 128, 128}, "maxpool4", 2},
        {"inception5a", {832, 256, 160, 320, 32, 128, 128}, NULL, 0},
        {"inception5b", {832, 384, 192, 384, 48, 128, 128}, NULL, 0},
    };
    wf_module *m = wf_module_new(c, "GoogLeNet", forward_chain, 0);

    wf_module_add(c, m, "conv1", basic(c, g, 3, 64, 7, 2, 3));
    wf_module_add(c, m, "maxpool1", wf_nn_max_pool2d(c, 3, 2, 0, true));
    wf_module_add(c, m, "conv2", basic(c, g, 64, 64, 1, 1, 0));
    wf_module_add(c, m, "conv3", basic(c, g, 64, 192, 3, 1, 1));
    wf_module_add(c, m, "maxpool2", wf_nn_max_pool2d(c, 3, 2, 0, true));
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        const int64_t *n = blocks[i].ch;
        wf_module_add(c, m, blocks[i].name,
                      wf_nn_inception(c, g, n[0], n[1], n[2], n[3], n[4], n[5], n[6]));
        if (blocks[i].pool)
            wf_module_add(c, m, blocks[i].pool,
                          wf_nn_max_pool2d(c, blocks[i].window, 2, 0, true));
    }
    wf_module_add(c, m, "avgpool", wf_nn_adaptive_avg_pool2d(c, 1));
    wf_module_add(c, m, "dropout", wf_nn_dropout(c, g, 0.2));
    wf_module_add(c, m, "fc", wf_nn_linear(c, g, 1024, classes, true));
    return nn_done(c, m);
}

/* ---- a small GPT ----------------------------------------------------------------------
 *
 *   block   x += attn(ln1(x), causal);  x += mlp(ln2(x))
 *   gpt     head(ln_f(blocks(tok[i] + pos[0..time-1]))) */

enum { LN1, ATTN, LN2, MLP };
enum { TOK, POS, DROP, BLOCKS, LN_F, HEAD };

static wf_status forward_block(wf_ctx *c, wf_module *m, const wf_tensor *in, int nin,
                               wf_tensor *out, int nout)
{
    wf_tensor h, y, x;

    if (nin != 2 || nout != 1) /* x, mask */
        return nn_gave_up(c);
    h = wf_forward_one(c, wf_module_child(m, LN1), in[0]);
    if (wf_module_call(c, wf_module_child(m, ATTN), (wf_tensor[]){h, h, h, in[1]}, 4, &y,
                       1))
        return nn_gave_up(c);
    x = wf_add(c, in[0], y);
    h = wf_forward_one(c, wf_module_child(m, LN2), x);
    out[0] = wf_add(c, x, wf_forward_one(c, wf_module_child(m, MLP), h));
    return WF_OK;
}

static wf_module *new_block(wf_ctx *c, wf_generator *g, int64_t size, int64_t heads,
                            double dropout)
{
    wf_module *m = wf_module_new(c, "Block", forward_block, 0), *up, *down;

    wf_module_add(c, m, "ln1", wf_nn_layer_norm(c, &size, 1, 1e-5));
    wf_module_add(
        c, m, "attn",
        wf_nn_attention(c, g, size, heads,
                        &(wf_attention_options){.size = sizeof(wf_attention_options),
                                                .batch_first = true}));
    wf_module_add(c, m, "ln2", wf_nn_layer_norm(c, &size, 1, 1e-5));
    up = wf_nn_linear(c, g, size, 4 * size, true);
    down = wf_nn_linear(c, g, 4 * size, size, true);
    wf_module_add(c, m, "mlp",
                  wf_nn_sequential(c, 4, up, wf_nn_gelu(c, false), down,
                                   wf_nn_dropout(c, g, dropout)));
    return nn_done(c, m);
}

static wf_status forward_gpt(wf_ctx *c, wf_module *m, const wf_tensor *in, int nin,
                             wf_tensor *out, int nout)
{
    wf_module *blocks = wf_module_child(m, BLOCKS);
    int64_t time = nin == 1 && wf_rank(c, in[0]) == 2 ? wf_size(c, in[0], 1) : 0;
    wf_tensor x, mask, at;

    if (nin != 1 || nout != 1)
        return nn_gave_up(c);
    if (nn_refuse(c, wf_rank(c, in[0]) != 2 || time == 0, "GPT: needs tokens [N,time]") ||
        nn_refuse(c, time > wf_size(c, wf_module_tensor(m, "pos.weight"), 0),
                  "GPT: more tokens than its context"))
        return nn_gave_up(c);
    at = wf_iota(c, WF_I64, &time, 1, 0);
    x = wf_add(c, wf_forward_one(c, wf_module_child(m, TOK), in[0]),
               wf_forward_one(c, wf_module_child(m, POS), at));
    x = wf_forward_one(c, wf_module_child(m, DROP), x);
    mask = wf_gt(c, at, wf_expand_dims(c, at, 1)); /* not allowed: what comes later */
    for (int i = 0; i < wf_module_children(blocks) && !wf_ctx_status(c); i++)
        wf_module_call(c, wf_module_child(blocks, i), (wf_tensor[]){x, mask}, 2, &x, 1);
    out[0] = wf_forward_one(c, wf_module_child(m, HEAD),
                            wf_forward_one(c, wf_module_child(m, LN_F), x));
    return WF_OK;
}

wf_module *wf_nn_gpt(wf_ctx *c, wf_generator *g, int64_t vocab, int64_t context,
                     int64_t size, int64_t heads, int layers, double dropout)
{
    wf_module *m, *blocks;

    if (nn_refuse(c, size < 1 || size > NN_MOST, "GPT: the size is not positive, or too large"))
        return NULL;
    m = wf_module_new(c, "GPT", forward_gpt, 0);
    wf_module_add(c, m, "tok", wf_nn_embedding(c, g, vocab, size));
    wf_module_add(c, m, "pos", wf_nn_embedding(c, g, context, size));
    wf_module_add(c, m, "drop", wf_nn_dropout(c, g, dropout));
    blocks = wf_module_add(c, m, "blocks", wf_nn_list(c, 0));
    for (int i = 0; i < layers && blocks && !wf_ctx_status(c); i++)
        wf_module_append(c, blocks, new_block(c, g, size, heads, dropout));
    wf_module_add(c, m, "ln_f", wf_nn_layer_norm(c, &size, 1, 1e-5));
    wf_module_add(c, m, "head", wf_nn_linear(c, g, size, vocab, true));
    return nn_done(c, m);
}
