/* test_tensor_nn.c -- the functions of neural networks in every style, and their gradients. */
#include "lib_tensor.h"

#define I64(...)                                                                         \
    (const int64_t[]) { __VA_ARGS__ }

BODY(relu, wf_relu(c, in[0]))
BODY(gelu, wf_gelu(c, in[0], false))
BODY(gelu_tanh, wf_gelu(c, in[0], true))
BODY(silu, wf_silu(c, in[0]))
BODY(softplus, wf_softplus(c, in[0], 2))
BODY(log_sigmoid, wf_log_sigmoid(c, in[0]))
BODY(elu, wf_elu(c, in[0], 1.5))
BODY(leaky_relu, wf_leaky_relu(c, in[0], 0.1))
BODY(softmax, wf_softmax(c, in[0], 0))
BODY(log_softmax, wf_log_softmax(c, in[0], -1))
BODY(layer_norm, wf_layer_norm(c, in[0], 2, in[1], in[2], 1e-5))
BODY(rms_norm, wf_rms_norm(c, in[0], 1, in[1], 1e-5))
BODY(batch_norm,
     wf_batch_norm(c, in[0], WF_NONE, WF_NONE, in[1], in[2], true, 1e-5, NULL, NULL))
BODY(batch_norm_eval, wf_batch_norm(c, in[0], in[1], wf_square(c, in[2]), WF_NONE, in[3],
                                    false, 1e-2, NULL, NULL))
BODY(group_norm, wf_group_norm(c, in[0], 2, in[1], in[2], 1e-5))
BODY(mse, wf_mse_loss(c, in[0], in[1], WF_MEAN))
BODY(l1, wf_l1_loss(c, in[0], in[1], WF_SUM))
BODY(smooth_l1, wf_smooth_l1_loss(c, in[0], in[1], 0.8, WF_NO_REDUCTION))
BODY(ce, wf_cross_entropy(c, in[0], in[1], WF_NONE, -100, 0, WF_MEAN))
BODY(ce_weight, wf_cross_entropy(c, in[0], in[1], wf_abs(c, in[2]), 1, 0.1, WF_MEAN))
BODY(ce_prob,
     wf_cross_entropy(c, in[0], wf_softmax(c, in[1], 1), WF_NONE, -100, 0.2, WF_SUM))
BODY(ce_none, wf_cross_entropy(c, in[0], in[1], WF_NONE, -100, 0.3, WF_NO_REDUCTION))
BODY(nll, wf_nll_loss(c, wf_log_softmax(c, in[0], 1), in[1], WF_NONE, 0, WF_MEAN))
BODY(bce, wf_bce_loss(c, in[0], in[1], WF_MEAN))
BODY(bce_logits, wf_bce_with_logits(c, in[0], in[1], WF_SUM))
BODY(kl, wf_kl_div(c, in[0], wf_softmax(c, in[1], 1), WF_MEAN))
BODY(conv1, wf_conv(c, in[0], in[1], in[2], 1, I64(2), I64(1), NULL, 1))
BODY(conv2, wf_conv(c, in[0], in[1], WF_NONE, 2, NULL, I64(1, 0), I64(1, 2), 2))
BODY(conv3, wf_conv(c, in[0], in[1], WF_NONE, 3, NULL, NULL, NULL, 1))
BODY(convt1,
     wf_conv_transpose(c, in[0], in[1], in[2], 1, I64(2), I64(1), I64(1), NULL, 1))
BODY(convt2,
     wf_conv_transpose(c, in[0], in[1], WF_NONE, 2, I64(2, 1), I64(0, 2), NULL, NULL, 2))
BODY(max_pool, wf_max_pool(c, in[0], 2, I64(2, 3), I64(1, 2), I64(1, 0), NULL))
BODY(avg_pool, wf_avg_pool(c, in[0], 2, I64(2, 2), NULL, I64(1, 1), false))
BODY(avg_pool_padded, wf_avg_pool(c, in[0], 1, I64(3), I64(1), I64(1), true))
BODY(adaptive_avg, wf_adaptive_avg_pool(c, in[0], 2, I64(2, 3)))
BODY(adaptive_max, wf_adaptive_max_pool(c, in[0], 2, I64(3, 2)))
BODY(adaptive_even, wf_adaptive_avg_pool(c, in[0], 2, I64(1, 1)))
BODY(linear, wf_linear(c, in[0], in[1], in[2]))
BODY(embedding, wf_embedding(c, in[0], in[1]))
BODY(dropout, wf_dropout(c, in[0], in[1], 0.25))
BODY(attention, wf_attention(c, in[0], in[1], in[2], WF_NONE, true, 0))
BODY(attention_mask, wf_attention(c, in[0], in[1], in[2], in[3], false, 0.7))

#define F "f64[3,4]"
static const BodyCase cases[] = {
    {"relu", f_relu, {F}, 0, 0, 0},
    {"gelu", f_gelu, {F}, 0, 0, 0},
    {"gelu_tanh", f_gelu_tanh, {F}, 0, 0, 0},
    {"silu", f_silu, {F}, 0, 0, 0},
    {"softplus", f_softplus, {F}, 0, 0, 0},
    {"log_sigmoid", f_log_sigmoid, {F}, 0, 0, 0},
    {"elu", f_elu, {F}, 0, 0, 0},
    {"leaky_relu", f_leaky_relu, {F}, 0, 0, 0},
    {"softmax", f_softmax, {F}, 0, 0, 0},
    {"log_softmax", f_log_softmax, {F}, 0, 0, 0},
    {"layer_norm", f_layer_norm, {"f64[2,3,4]", "f64[3,4]", "f64[3,4]"}, 0, 0, 0},
    {"rms_norm", f_rms_norm, {F, "f64[4]"}, 0, 0, 0},
    {"batch_norm", f_batch_norm, {"f64[4,3,2]", "f64[3]", "f64[3]"}, 0, 0, 0},
    {"batch_norm_eval",
     f_batch_norm_eval,
     {"f64[2,3,2]", "f64[3]", "f64[3]", "f64[3]"},
     0,
     0.5,
     2},
    {"group_norm", f_group_norm, {"f64[2,4,3]", "f64[4]", "f64[4]"}, 0, 0, 0},
    {"mse", f_mse, {F, F}, 0, 0, 0},
    {"l1", f_l1, {F, F}, 0, 0, 0},
    {"smooth_l1", f_smooth_l1, {F, F}, 0, 0, 0},
    {"ce", f_ce, {F, "i64[3]"}, 0, 0, 3.9},
    {"ce_image", f_ce, {"f64[2,3,2,2]", "i64[2,2,2]"}, 0, 0, 2.9},
    {"ce_row", f_ce, {"f64[3]", "i64[]"}, 0, 0, 2.9},
    {"ce_weight", f_ce_weight, {"f64[6,3]", "i64[6]", "f64[3]"}, 0, 0, 2.9},
    {"ce_prob", f_ce_prob, {F, F}, 0, 0, 0},
    {"ce_none", f_ce_none, {F, "i64[3]"}, 0, 0, 3.9},
    {"nll", f_nll, {"f64[6,3]", "i32[6]"}, 0, 0, 2.9},
    {"bce", f_bce, {F, F}, 0, 0.1, 0.9},
    {"bce_logits", f_bce_logits, {F, F}, 0, 0, 0},
    {"kl", f_kl, {F, F}, 0, 0, 0},
    {"conv1", f_conv1, {"f64[2,2,5]", "f64[3,2,3]", "f64[3]"}, 0, 0, 0},
    {"conv2", f_conv2, {"f64[1,4,4,5]", "f64[2,2,3,2]"}, 0, 0, 0},
    {"conv3", f_conv3, {"f64[1,2,3,3,2]", "f64[1,2,2,2,1]"}, 0, 0, 0},
    {"convt1", f_convt1, {"f64[2,2,3]", "f64[2,3,3]", "f64[3]"}, 0, 0, 0},
    {"convt2", f_convt2, {"f64[1,4,3,4]", "f64[4,1,2,2]"}, 0, 0, 0},
    {"max_pool", f_max_pool, {"f64[1,2,4,5]"}, 0, 0, 0},
    {"avg_pool", f_avg_pool, {"f64[1,2,4,5]"}, 0, 0, 0},
    {"avg_pool_padded", f_avg_pool_padded, {"f64[1,2,5]"}, 0, 0, 0},
    {"adaptive_avg", f_adaptive_avg, {"f64[1,2,5,4]"}, 0, 0, 0},
    {"adaptive_max", f_adaptive_max, {"f64[1,2,5,3]"}, 0, 0, 0},
    {"adaptive_even", f_adaptive_even, {"f64[1,2,4,3]"}, 0, 0, 0},
    {"linear", f_linear, {"f64[2,3,4]", "f64[5,4]", "f64[5]"}, 0, 0, 0},
    {"embedding", f_embedding, {"f64[4,3]", "i64[2,5]"}, 0, 0, 3.9},
    {"dropout", f_dropout, {F, "bool[3,4]"}, 0, 0, 0},
    {"attention", f_attention, {"f64[2,3,4]", "f64[2,3,4]", "f64[2,3,2]"}, 0, 0, 0},
    {"attention_mask",
     f_attention_mask,
     {"f64[2,3,4]", "f64[2,5,4]", "f64[2,5,2]", "f64[3,5]"},
     0,
     0,
     0},
};

TEST(functions_of_neural_networks_agree_in_every_style)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_body(&cases[i]);
}

TEST(results_are_those_of_pytorch)
{
    CHECK_EQ_INT(check_goldens(cases, sizeof cases / sizeof *cases), 34);
}
