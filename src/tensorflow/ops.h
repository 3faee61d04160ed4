/* ops.h -- the rules of ops, by family: what the table in ops.c refers to. */
#ifndef WEFT_TENSORFLOW_OPS_H
#define WEFT_TENSORFLOW_OPS_H

#include "tensorflow/tensorflow.h"

#define TG_RULE(name) bool tgr_##name(OxRun *r, const OxOp *op)

/* ops_map.c */
TG_RULE(identity);
TG_RULE(constant);
TG_RULE(nothing);
TG_RULE(cast);
TG_RULE(bitcast);
TG_RULE(unary);
TG_RULE(binary);
TG_RULE(select);
TG_RULE(clip);
TG_RULE(add_n);
TG_RULE(bias_add);
TG_RULE(map_grad);
TG_RULE(assertion);
TG_RULE(softmax);
TG_RULE(cross_entropy);
TG_RULE(l2_loss);
TG_RULE(switch);
/* ops_shape.c */
TG_RULE(shape);
TG_RULE(size);
TG_RULE(rank);
TG_RULE(reshape);
TG_RULE(squeeze);
TG_RULE(expand_dims);
TG_RULE(transpose);
TG_RULE(concat);
TG_RULE(pack);
TG_RULE(unpack);
TG_RULE(split);
TG_RULE(split_v);
TG_RULE(slice);
TG_RULE(strided_slice);
TG_RULE(pad);
TG_RULE(fill);
TG_RULE(like);
TG_RULE(reverse);
TG_RULE(roll);
TG_RULE(lin_space);
TG_RULE(depth_space);
TG_RULE(batch_space);
TG_RULE(strided_slice_grad);
TG_RULE(placeholder_default);
TG_RULE(broadcast_args);
TG_RULE(invert_permutation);
TG_RULE(range);
TG_RULE(broadcast_grad_args);
TG_RULE(concat_offset);
/* ops_index.c */
TG_RULE(gather);
TG_RULE(scatter_nd);
TG_RULE(tensor_scatter);
TG_RULE(one_hot);
TG_RULE(where);
TG_RULE(top_k);
TG_RULE(in_top_k);
TG_RULE(diagonal);
TG_RULE(band_part);
TG_RULE(segment);
TG_RULE(fourier);
TG_RULE(dynamic_stitch);
TG_RULE(unique);
TG_RULE(reverse_sequence);
/* ops_reduce.c */
TG_RULE(reduce);
TG_RULE(arg);
TG_RULE(cum);
TG_RULE(matmul);
TG_RULE(einsum);
TG_RULE(linalg);
/* ops_nn.c */
TG_RULE(conv);
TG_RULE(pool);
TG_RULE(batch_norm);
TG_RULE(batch_norm_grad);
TG_RULE(lrn);
TG_RULE(resize);
TG_RULE(conv_grad);
TG_RULE(pool_grad);
TG_RULE(fused);
/* ops_flow.c */
TG_RULE(call);
TG_RULE(if);
TG_RULE(case);
TG_RULE(while);
/* ops_state.c */
TG_RULE(handle);
TG_RULE(read);
TG_RULE(assign);
TG_RULE(apply);
TG_RULE(resource_gather);
TG_RULE(resource_scatter);
TG_RULE(initialized);
TG_RULE(restore);
TG_RULE(random);
TG_RULE(stateless_random);
TG_RULE(random_shuffle);
TG_RULE(multinomial);
/* lists.c */
TG_RULE(list_new);
TG_RULE(list_from);
TG_RULE(list_stack);
TG_RULE(list_get);
TG_RULE(list_set);
TG_RULE(list_length);
TG_RULE(list_push);
TG_RULE(list_pop);
TG_RULE(list_gather);
TG_RULE(list_scatter);
TG_RULE(list_shape);
TG_RULE(list_concat);
TG_RULE(array_new);
TG_RULE(array_size);

/* ---- shared by families ---------------------------------------------------------------------------------- */

/* Another node in place of the one being run: a rule of ONNX, with these inputs (numbers of the node's own; -1: left out). */
bool tg_as(OxRun *r, bool (*rule)(OxRun *r, const OxOp *op), int arg, const int *in,
           int nin, OxAttr *attrs, int nattrs);
OxAttr tg_attr_int(const char *name, int64_t v);
OxAttr tg_attr_text(const char *name, const char *v);

bool tg_dims(OxRun *r, size_t i, int64_t *dims,
             int *rank); /* input i as sizes; -1 stays WF_INFER */
bool tg_axis_in(OxRun *r, size_t i, int rank, int *axis); /* input i, one number */
wf_tensor tg_zeros(OxRun *r, wf_dtype dtype, const int64_t *dims, int rank);
wf_tensor tg_times(OxRun *r, wf_tensor x, double a);
/* The derivative of f at x.. with respect to input k, weighted by gy. */
wf_tensor tg_vjp(OxRun *r, wf_call f, void *user, const wf_tensor *x, int n, int k,
                 wf_tensor gy);

/* ---- lists.c: a list as it is carried through loops ------------------------------------------------------- */

/* A list is its elements as one tensor [n, ..] (t), or items that are not of one tensor yet (items, nitems; an element that
 * was not set is OX_NOTHING), with n in nums[0]. An element's shape may be open until one is set. */
wf_tensor tg_list_tensor(OxRun *r,
                         const OxValue *v); /* WF_NONE: elements are not known yet */
OxValue tg_list_of(OxRun *r, wf_tensor t, OxNum n);
OxNum tg_list_length(OxRun *r, const OxValue *v);

#endif
