/* ops.h -- the rules of ops, by family: what the table in ops.c refers to. */
#ifndef WEFT_ONNX_OPS_H
#define WEFT_ONNX_OPS_H

#include "onnx/onnx.h"

#define OX_RULE(name) bool oxr_##name(OxRun *r, const OxOp *op)

/* ops_map.c */
OX_RULE(map1); OX_RULE(map2); OX_RULE(div); OX_RULE(mod); OX_RULE(pow); OX_RULE(variadic); OX_RULE(clip);
OX_RULE(where); OX_RULE(cast); OX_RULE(cast_like); OX_RULE(bitcast); OX_RULE(shift); OX_RULE(prelu); OX_RULE(is_inf);
OX_RULE(activation); OX_RULE(softmax); OX_RULE(hardmax); OX_RULE(identity);
/* ops_shape.c */
OX_RULE(shape); OX_RULE(size_op); OX_RULE(reshape); OX_RULE(flatten); OX_RULE(transpose); OX_RULE(squeeze);
OX_RULE(unsqueeze); OX_RULE(expand); OX_RULE(tile); OX_RULE(concat); OX_RULE(split); OX_RULE(slice); OX_RULE(pad);
OX_RULE(constant); OX_RULE(constant_of_shape); OX_RULE(range); OX_RULE(eye_like); OX_RULE(trilu);
OX_RULE(depth_to_space); OX_RULE(space_to_depth); OX_RULE(center_crop_pad);
/* ops_index.c */
OX_RULE(gather); OX_RULE(gather_elements); OX_RULE(gather_nd); OX_RULE(scatter_elements); OX_RULE(scatter_nd);
OX_RULE(one_hot); OX_RULE(compress); OX_RULE(nonzero); OX_RULE(unique); OX_RULE(top_k); OX_RULE(reverse_sequence);
OX_RULE(tensor_scatter); OX_RULE(nms);
/* ops_reduce.c */
OX_RULE(reduce); OX_RULE(arg); OX_RULE(cum); OX_RULE(einsum); OX_RULE(matmul); OX_RULE(gemm); OX_RULE(det);
OX_RULE(lp_normalization);
/* ops_nn.c */
OX_RULE(conv); OX_RULE(conv_transpose); OX_RULE(pool); OX_RULE(global_pool); OX_RULE(lp_pool); OX_RULE(max_unpool);
OX_RULE(batch_norm); OX_RULE(instance_norm); OX_RULE(layer_norm); OX_RULE(rms_norm); OX_RULE(group_norm); OX_RULE(mvn);
OX_RULE(lrn); OX_RULE(dropout); OX_RULE(nll_loss); OX_RULE(cross_entropy); OX_RULE(col2im); OX_RULE(deform_conv);
OX_RULE(causal_conv);
/* ops_flow.c */
OX_RULE(if); OX_RULE(loop); OX_RULE(scan); OX_RULE(sequence); OX_RULE(sequence_map); OX_RULE(optional);
/* ops_recurrent.c */
OX_RULE(rnn); OX_RULE(gru); OX_RULE(lstm); OX_RULE(quant_lstm);
/* ops_quant.c */
OX_RULE(quantize); OX_RULE(dequantize); OX_RULE(dynamic_quantize); OX_RULE(matmul_integer); OX_RULE(conv_integer);
OX_RULE(qlinear_matmul); OX_RULE(qlinear_conv);
/* ops_image.c */
OX_RULE(resize); OX_RULE(upsample); OX_RULE(grid_sample); OX_RULE(affine_grid); OX_RULE(roi_align);
/* ops_signal.c */
OX_RULE(dft); OX_RULE(stft); OX_RULE(window); OX_RULE(mel);
/* ops_attention.c */
OX_RULE(attention); OX_RULE(rotary); OX_RULE(linear_attention); OX_RULE(swiglu);
/* ops_train.c */
OX_RULE(gradient); OX_RULE(adagrad); OX_RULE(adam); OX_RULE(momentum); OX_RULE(random); OX_RULE(bernoulli);
OX_RULE(multinomial);

/* ops_ms.c */
OX_RULE(fused_conv); OX_RULE(fused_gemm); OX_RULE(fused_matmul); OX_RULE(gelu_of); OX_RULE(skip_norm); OX_RULE(multi_head);
OX_RULE(ms_attention); OX_RULE(ms_rotary); OX_RULE(group_query); OX_RULE(embed_norm); OX_RULE(inverse); OX_RULE(cdist); OX_RULE(expand_dims);
/* ops_msquant.c */
OX_RULE(qgemm); OX_RULE(qlinear_where); OX_RULE(qlinear_map); OX_RULE(qlinear_concat); OX_RULE(matmul_to_float); OX_RULE(dynamic_matmul);
OX_RULE(matmul_bits); OX_RULE(gather_bits);

/* ---- shared by families ----------------------------------------------------------------------- */

/* x at places idx (i64 vector, inside) of an axis. */
wf_tensor ox_take_axis(OxRun *r, wf_tensor x, wf_tensor idx, int axis);
wf_tensor ox_iota(OxRun *r, int64_t size); /* 0, 1, .. as i64 */
wf_tensor ox_reshape_to(OxRun *r, wf_tensor x, const int64_t *dims, int rank);
int ox_axis(OxRun *r, int64_t axis, int rank); /* counted from 0; -1 with an error */
wf_tensor ox_reduce_one(OxRun *r, int kind, wf_tensor x, const int *axes, int n, bool keep);
OxValue ox_cast_value(OxRun *r, const OxValue *v, OxElem to, bool saturate, const char *rounding);
wf_tensor ox_widen(OxRun *r, const OxValue *v); /* a narrow type as f32 or as integers */
typedef struct OxWindow { /* attributes of convolutions and pools; sizes may be symbolic */
    int n;
    int64_t kernel[WF_MAX_RANK], stride[WF_MAX_RANK], dilation[WF_MAX_RANK], lo[WF_MAX_RANK], hi[WF_MAX_RANK];
} OxWindow;
/* Input x, pooled as the attributes say. */
wf_tensor ox_pooled(OxRun *r, wf_tensor x, bool largest, bool channels_last);
bool ox_window(OxRun *r, wf_tensor x, const int64_t *kernel, OxWindow *w);
wf_tensor ox_conv_with(OxRun *r, wf_tensor x, wf_tensor w, wf_tensor bias, const OxWindow *win, int64_t groups);
wf_tensor ox_pad_window(OxRun *r, wf_tensor x, OxWindow *w, double value);
wf_tensor ox_map_activation(OxRun *r, const char *name, wf_tensor x, double alpha, double beta);
wf_tensor ox_product(OxRun *r, wf_tensor x, wf_tensor y);
wf_tensor ox_rotated(OxRun *r, wf_tensor x, wf_tensor cs, wf_tensor sn, int64_t dim, bool mixed);

/* ---- agree.c: sizes that only a run knows are made those of the others ---- */

void ox_agree(OxRun *r, wf_tensor *v, size_t n, int skip); /* all sizes but the skip-th from the end, 0: all; 1 goes with any */
void ox_agree_labels(OxRun *r, const char *spec, wf_tensor *v, size_t n); /* of einsum */
void ox_agree_product(OxRun *r, wf_tensor *x, wf_tensor *y);

/* ---- ops_quant.c: integers of 8 bits that stand for (q - zero) scale, and their products ---- */

typedef struct OxQuant {
    wf_tensor q, scale, zero;  /* zero, WF_NONE: 0, shaped to meet q */
    const OxValue *zero_value; /* as the graph has it; NULL: none */
    int axis;                  /* of a vector of scales */
    const OxEnv *env;          /* the graph that made it: inner ones do not see it */
} OxQuant;

/* Input i with the zero point that is input z; a vector of those goes along the axis. */
OxQuant ox_quant_of(OxRun *r, size_t i, size_t z, int axis);
wf_tensor ox_quant_spread(OxRun *r, wf_tensor v, int axis, int rank);
wf_tensor ox_quant_matmul(OxRun *r, const OxQuant *x, const OxQuant *w); /* sums, i32 */
/* a b in floats, a being quantised by its own range; b_scale: one number, or one for each column of b. */
wf_tensor ox_quant_dynamic(OxRun *r, wf_tensor a, const OxQuant *b, wf_tensor b_scale);
wf_tensor ox_quant_conv(OxRun *r, const OxQuant *x, const OxQuant *w);
/* A matrix and its zero points, transposed if `turn`. */
OxQuant ox_quant_turned(OxRun *r, const OxQuant *q, bool turn);
/* The product of inputs 0 and 1 by their integers, if both are made of such; else WF_NONE. */
wf_tensor ox_quant_product(OxRun *r);
wf_tensor ox_quant_gemm(OxRun *r);
wf_tensor ox_quant_images(OxRun *r);

#endif
