/* ops.c -- the table of ops, sorted by domain and name.
 *
 *   name   rule   map1 or map2: the tensor function it is   arg: which of the rule's kinds
 */
#include "onnx/ops.h"

#define U(name, fn) {name, oxr_map1, fn, NULL, 0}
#define B(name, fn) {name, oxr_map2, NULL, fn, 0}
#define R(name, rule, arg) {name, oxr_##rule, NULL, NULL, arg}

static const OxOp standard[] = {
    U("Abs", wf_abs), U("Acos", wf_acos), U("Acosh", wf_acosh), B("Add", wf_add),
    R("AffineGrid", affine_grid, 0), B("And", wf_logical_and), R("ArgMax", arg, 1), R("ArgMin", arg, 0),
    U("Asin", wf_asin), U("Asinh", wf_asinh), U("Atan", wf_atan), U("Atanh", wf_atanh),
    R("Attention", attention, 0), R("AveragePool", pool, 1), R("BatchNormalization", batch_norm, 0),
    R("Bernoulli", bernoulli, 0), R("BitCast", bitcast, 0), R("BitShift", shift, 0),
    B("BitwiseAnd", wf_bitwise_and), U("BitwiseNot", wf_bitwise_not), B("BitwiseOr", wf_bitwise_or),
    B("BitwiseXor", wf_bitwise_xor), R("BlackmanWindow", window, 2), R("Cast", cast, 0),
    R("CastLike", cast_like, 0), R("CausalConvWithState", causal_conv, 0), U("Ceil", wf_ceil),
    R("Celu", activation, 0), R("CenterCropPad", center_crop_pad, 0), R("Clip", clip, 0), R("Col2Im", col2im, 0),
    R("Compress", compress, 0), R("Concat", concat, 0), R("ConcatFromSequence", sequence, 0),
    R("Constant", constant, 0), R("ConstantOfShape", constant_of_shape, 0), R("Conv", conv, 0),
    R("ConvInteger", conv_integer, 0), R("ConvTranspose", conv_transpose, 0), U("Cos", wf_cos), U("Cosh", wf_cosh),
    R("CumProd", cum, 1), R("CumSum", cum, 0), R("DFT", dft, 0), R("DeformConv", deform_conv, 0),
    R("DepthToSpace", depth_to_space, 0), R("DequantizeLinear", dequantize, 0), R("Det", det, 0), R("Div", div, 0),
    R("Dropout", dropout, 0), R("DynamicQuantizeLinear", dynamic_quantize, 0), R("Einsum", einsum, 0),
    R("Elu", activation, 0), B("Equal", wf_eq), U("Erf", wf_erf), U("Exp", wf_exp), R("Expand", expand, 0),
    R("EyeLike", eye_like, 0), R("Flatten", flatten, 0), U("Floor", wf_floor), R("GRU", gru, 0),
    R("Gather", gather, 0), R("GatherElements", gather_elements, 0), R("GatherND", gather_nd, 0),
    R("Gelu", activation, 0), R("Gemm", gemm, 0), R("GlobalAveragePool", global_pool, 0),
    R("GlobalLpPool", global_pool, 2), R("GlobalMaxPool", global_pool, 1), B("Greater", wf_gt),
    B("GreaterOrEqual", wf_ge), R("GridSample", grid_sample, 0), R("GroupNormalization", group_norm, 0),
    R("HammingWindow", window, 1), R("HannWindow", window, 0), R("HardSigmoid", activation, 0),
    R("HardSwish", activation, 0), R("Hardmax", hardmax, 0), R("Identity", identity, 0), R("If", if, 0),
    R("InstanceNormalization", instance_norm, 0), R("IsInf", is_inf, 0), U("IsNaN", wf_is_nan), R("LRN", lrn, 0),
    R("LSTM", lstm, 0), R("LayerNormalization", layer_norm, 0), R("LeakyRelu", activation, 0), B("Less", wf_lt),
    B("LessOrEqual", wf_le), R("LinearAttention", linear_attention, 0), U("Log", wf_log),
    R("LogSoftmax", softmax, 1), R("Loop", loop, 0), R("LpNormalization", lp_normalization, 0),
    R("LpPool", lp_pool, 0), R("MatMul", matmul, 0), R("MatMulInteger", matmul_integer, 0), R("Max", variadic, 0),
    R("MaxPool", pool, 0), R("MaxUnpool", max_unpool, 0), R("Mean", variadic, 3),
    R("MeanVarianceNormalization", mvn, 0), R("MelWeightMatrix", mel, 0), R("Min", variadic, 1),
    R("Mish", activation, 0), R("Mod", mod, 0), B("Mul", wf_mul), R("Multinomial", multinomial, 0), U("Neg", wf_neg),
    R("NegativeLogLikelihoodLoss", nll_loss, 0), R("NonMaxSuppression", nms, 0), R("NonZero", nonzero, 0),
    U("Not", wf_logical_not), R("OneHot", one_hot, 0), R("Optional", optional, 0),
    R("OptionalGetElement", optional, 1), R("OptionalHasElement", optional, 2), B("Or", wf_logical_or),
    R("PRelu", prelu, 0), R("Pad", pad, 0), R("Pow", pow, 0), R("QLinearConv", qlinear_conv, 0),
    R("QLinearMatMul", qlinear_matmul, 0), R("QuantizeLinear", quantize, 0), R("RMSNormalization", rms_norm, 0),
    R("RNN", rnn, 0), R("RandomNormal", random, 1), R("RandomNormalLike", random, 3), R("RandomUniform", random, 0),
    R("RandomUniformLike", random, 2), R("Range", range, 0), U("Reciprocal", wf_reciprocal), R("ReduceL1", reduce, 0),
    R("ReduceL2", reduce, 1), R("ReduceLogSum", reduce, 2), R("ReduceLogSumExp", reduce, 3), R("ReduceMax", reduce, 4),
    R("ReduceMean", reduce, 5), R("ReduceMin", reduce, 6), R("ReduceProd", reduce, 7), R("ReduceSum", reduce, 8),
    R("ReduceSumSquare", reduce, 9), R("Relu", activation, 0), R("Reshape", reshape, 0), R("Resize", resize, 0),
    R("ReverseSequence", reverse_sequence, 0), R("RoiAlign", roi_align, 0), R("RotaryEmbedding", rotary, 0),
    U("Round", wf_round), R("STFT", stft, 0), R("Scan", scan, 0), R("Scatter", scatter_elements, 0),
    R("ScatterElements", scatter_elements, 0), R("ScatterND", scatter_nd, 0), R("Selu", activation, 0),
    R("SequenceAt", sequence, 1), R("SequenceConstruct", sequence, 2), R("SequenceEmpty", sequence, 3),
    R("SequenceErase", sequence, 4), R("SequenceInsert", sequence, 5), R("SequenceLength", sequence, 6),
    R("SequenceMap", sequence_map, 0), R("Shape", shape, 0), R("Shrink", activation, 0), U("Sigmoid", wf_sigmoid),
    U("Sign", wf_sign), R("SimplifiedLayerNormalization", rms_norm, 0), U("Sin", wf_sin), U("Sinh", wf_sinh), R("Size", size_op, 0), R("Slice", slice, 0),
    R("Softmax", softmax, 0), R("SoftmaxCrossEntropyLoss", cross_entropy, 0), R("Softplus", activation, 0),
    R("Softsign", activation, 0), R("SpaceToDepth", space_to_depth, 0), R("Split", split, 0),
    R("SplitToSequence", sequence, 7), U("Sqrt", wf_sqrt), R("Squeeze", squeeze, 0), B("Sub", wf_sub),
    R("Sum", variadic, 2), R("SwiGLU", swiglu, 0), R("Swish", activation, 0), U("Tan", wf_tan), U("Tanh", wf_tanh),
    R("TensorScatter", tensor_scatter, 0), R("ThresholdedRelu", activation, 0), R("Tile", tile, 0),
    R("TopK", top_k, 0), R("Transpose", transpose, 0), R("Trilu", trilu, 0), R("Unique", unique, 0),
    R("Unsqueeze", unsqueeze, 0), R("Upsample", upsample, 0), R("Where", where, 0), B("Xor", wf_logical_xor),
};

static const OxOp training[] = {
    R("Adagrad", adagrad, 0), R("Adam", adam, 0), R("Gradient", gradient, 0), R("Momentum", momentum, 0),
};

static const OxOp microsoft[] = {
    R("Attention", ms_attention, 0), R("BiasGelu", gelu_of, 1), R("CDist", cdist, 0),
    R("DequantizeLinear", dequantize, 0), R("DynamicQuantizeLSTM", quant_lstm, 0),
    R("DynamicQuantizeMatMul", dynamic_matmul, 0), R("EmbedLayerNormalization", embed_norm, 0),
    R("ExpandDims", expand_dims, 0), R("FastGelu", gelu_of, 2), R("FusedConv", fused_conv, 0),
    R("FusedGemm", fused_gemm, 0), R("FusedMatMul", fused_matmul, 0), R("GatherBlockQuantized", gather_bits, 0),
    R("GatherND", gather_nd, 0), R("Gelu", gelu_of, 0), R("GridSample", grid_sample, 0),
    R("GroupQueryAttention", group_query, 0), R("Inverse", inverse, 0), R("MatMulIntegerToFloat", matmul_to_float, 0),
    R("MatMulNBits", matmul_bits, 0), R("MultiHeadAttention", multi_head, 0), R("NhwcMaxPool", pool, 2),
    R("Pad", pad, 0), R("QAttention", ms_attention, 1), R("QEmbedLayerNormalization", embed_norm, 1),
    R("QGemm", qgemm, 0), R("QLinearAdd", qlinear_map, 0), R("QLinearAveragePool", qlinear_map, 6),
    R("QLinearConcat", qlinear_concat, 0), R("QLinearGlobalAveragePool", qlinear_map, 4),
    R("QLinearLeakyRelu", qlinear_map, 3), R("QLinearMul", qlinear_map, 1), R("QLinearSigmoid", qlinear_map, 2),
    R("QLinearSoftmax", qlinear_map, 5), R("QLinearWhere", qlinear_where, 0), R("QuantizeLinear", quantize, 0),
    R("QuickGelu", gelu_of, 3), R("Range", range, 0), R("RotaryEmbedding", ms_rotary, 0),
    R("SimplifiedLayerNormalization", rms_norm, 0), R("SkipLayerNormalization", skip_norm, 0),
    R("SkipSimplifiedLayerNormalization", skip_norm, 1), R("TransposeMatMul", fused_matmul, 0), R("Trilu", trilu, 0),
};

static const struct {
    const char *domain;
    const OxOp *ops;
    size_t n;
} domains[] = {
    {"", standard, sizeof standard / sizeof *standard},
    {"ai.onnx", standard, sizeof standard / sizeof *standard},
    {"ai.onnx.preview.training", training, sizeof training / sizeof *training},
    {"com.microsoft", microsoft, sizeof microsoft / sizeof *microsoft},
};

static int by_name(const void *key, const void *op) { return strcmp(key, ((const OxOp *)op)->name); }

const OxOp *ox_find_op(const char *domain, const char *name)
{
    for (size_t i = 0; i < sizeof domains / sizeof *domains; i++)
        if (strcmp(domains[i].domain, domain) == 0)
            return bsearch(name, domains[i].ops, domains[i].n, sizeof(OxOp), by_name);
    return NULL;
}
