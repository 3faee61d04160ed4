/* weft_keys.h -- random numbers by key, and tensors as text.
 *
 * A key is a tensor u32[2], as in JAX; the numbers are a function of the key and nothing else, so they work
 * under jit, grad and vmap, and are JAX's own.
 *
 *     wf_tensor keys = wf_key_split(c, wf_key(c, 0), 2);
 *     wf_tensor x = wf_key_normal(c, wf_key_at(c, keys, 0), WF_F32, (int64_t[]){8}, 1);
 *
 * A dtype or value out of range is WF_ERR_TYPE or WF_ERR_VALUE, naming the function.
 */
#include "weft.h" /* brings this header in at its end */
#ifndef WEFT_KEYS_H
#define WEFT_KEYS_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- keys -------------------------------------------------------------------------------------------- */

/* All 64 bits count. JAX without its 64-bit types keeps the low 32: pass (uint32_t)seed for its numbers. */
WF_API wf_tensor wf_key(wf_ctx *c, uint64_t seed);
WF_API wf_tensor wf_key_split(wf_ctx *c, wf_tensor key, int64_t n); /* u32[n,2] */
WF_API wf_tensor wf_key_at(wf_ctx *c, wf_tensor keys, int64_t i);
WF_API wf_tensor wf_key_fold_in(wf_ctx *c, wf_tensor key, wf_tensor data); /* data: an integer scalar */
/* Shapes may have symbolic sizes of the program that is being built. */
WF_API wf_tensor wf_key_bits(wf_ctx *c, wf_tensor key, wf_dtype dtype, const int64_t *dims, int rank);
WF_API wf_tensor wf_key_uniform(wf_ctx *c, wf_tensor key, wf_dtype dtype, const int64_t *dims, int rank, double low,
                                double high);
WF_API wf_tensor wf_key_normal(wf_ctx *c, wf_tensor key, wf_dtype dtype, const int64_t *dims, int rank);
WF_API wf_tensor wf_key_truncated_normal(wf_ctx *c, wf_tensor key, wf_dtype dtype, const int64_t *dims, int rank,
                                         double low, double high);
WF_API wf_tensor wf_key_exponential(wf_ctx *c, wf_tensor key, wf_dtype dtype, const int64_t *dims, int rank);
WF_API wf_tensor wf_key_gumbel(wf_ctx *c, wf_tensor key, wf_dtype dtype, const int64_t *dims, int rank);
WF_API wf_tensor wf_key_laplace(wf_ctx *c, wf_tensor key, wf_dtype dtype, const int64_t *dims, int rank);
WF_API wf_tensor wf_key_logistic(wf_ctx *c, wf_tensor key, wf_dtype dtype, const int64_t *dims, int rank);
WF_API wf_tensor wf_key_cauchy(wf_ctx *c, wf_tensor key, wf_dtype dtype, const int64_t *dims, int rank);
WF_API wf_tensor wf_key_rademacher(wf_ctx *c, wf_tensor key, wf_dtype dtype, const int64_t *dims, int rank);
WF_API wf_tensor wf_key_randint(wf_ctx *c, wf_tensor key, wf_dtype dtype, const int64_t *dims, int rank, int64_t low,
                                int64_t high);
/* bool; p: a float scalar, or of the shape. */
WF_API wf_tensor wf_key_bernoulli(wf_ctx *c, wf_tensor key, wf_tensor p, const int64_t *dims, int rank);
/* Indices along an axis of logits. dims: what stands before, then logits' shape without the axis. */
WF_API wf_tensor wf_key_categorical(wf_ctx *c, wf_tensor key, wf_tensor logits, int axis, const int64_t *dims,
                                    int rank, wf_dtype index_dtype);
WF_API wf_tensor wf_key_permutation(wf_ctx *c, wf_tensor key, wf_tensor x, int axis);
WF_API wf_tensor wf_key_permutation_n(wf_ctx *c, wf_tensor key, wf_dtype dtype, int64_t n);

/* ---- text ---------------------------------------------------------------------------------------------- */

typedef enum wf_style {
    WF_STYLE_NUMPY_STR,  /* [1. 2.] */
    WF_STYLE_NUMPY_REPR, /* array([1., 2.], dtype=float32) */
    WF_STYLE_TORCH,      /* tensor([1., 2.]) */
    WF_STYLE_JAX,        /* Array([1., 2.], dtype=float32); its str is NumPy's */
    WF_STYLE_TF_STR,     /* tf.Tensor([1. 2.], shape=(2,), dtype=float32) */
    WF_STYLE_TF_REPR     /* <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)> */
} wf_style;

typedef struct wf_text_options {
    size_t size;         /* sizeof(wf_text_options) */
    int precision;       /* 0 and more; -1: the library's own (also for the next three) */
    int64_t threshold, edgeitems;
    int linewidth;
    int sci_mode;        /* PyTorch: 1 always, 0 never, -1 as the numbers ask for */
    bool suppress;       /* NumPy: no exponents for small numbers */
    const char *grad_fn; /* PyTorch: "AddBackward0", or NULL */
    bool parameter;      /* PyTorch: "Parameter containing:" */
} wf_text_options;
/* wf_text_options o = WF_TEXT_OPTIONS; */
#define WF_TEXT_OPTIONS {sizeof(wf_text_options), -1, -1, -1, -1, -1, false, NULL, false}

/* A concrete tensor as the library prints it, with its weak type and whether it requires a gradient.
 * options NULL: the library's own. The text is the context's until the next call that gives text. */
WF_API wf_status wf_text(wf_ctx *c, wf_tensor t, wf_style style, const wf_text_options *options,
                         const char **out_text);

#ifdef __cplusplus
}
#endif
#endif
