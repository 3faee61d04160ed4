/* weft_random.h -- a generator with state, with the numbers of PyTorch's CPU generator.
 *
 *     wf_generator *g;
 *     wf_generator_new(c, 42, &g);                         torch.manual_seed(42)
 *     wf_tensor w = wf_randn(c, g, WF_F32, (int64_t[]){3, 4}, 2);
 *     wf_generator_free(g);
 *
 * The same seed and calls give the numbers PyTorch gives. A generator is used by one
 * thread at a time. The tensors are concrete: in a program they are constants.
 *
 * Where a generator is taken, NULL means the context's own, which begins with the same
 * seed in every context and is seeded by wf_manual_seed.
 */
#include "weft.h" /* brings this header in at its end */
#ifndef WEFT_PUBLIC_RANDOM_H
#define WEFT_PUBLIC_RANDOM_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wf_generator wf_generator;

WF_API wf_status wf_generator_new(wf_ctx *c, uint64_t seed, wf_generator **out_generator);
WF_API void wf_generator_free(wf_generator *g); /* NULL is fine */
WF_API void wf_generator_seed(wf_generator *g, uint64_t seed);

/* The context's own generator (borrowed; NULL when memory is exhausted), and its seed. */
WF_API wf_generator *wf_ctx_generator(wf_ctx *c);
WF_API wf_status wf_manual_seed(wf_ctx *c, uint64_t seed);

/* Between the two, modules that need random numbers when they are called draw them by
 * key, call i by fold_in(key, i), and not from a generator. So a traced function that
 * takes a key as input can drop out, and does so anew for every key. Nests, up to 16
 * deep (WF_ERR_LIMIT). */
WF_API wf_status wf_random_key_begin(wf_ctx *c, wf_tensor key);
WF_API void wf_random_key_end(wf_ctx *c);
/* The key of the next call; WF_NONE outside. For modules of the caller's own. */
WF_API wf_tensor wf_random_key_next(wf_ctx *c);
/* How many calls have drawn since the innermost wf_random_key_begin; 0 outside. */
WF_API int64_t wf_random_key_count(wf_ctx *c);

/* dtype: a float. WF_ERR_TYPE, WF_ERR_VALUE for bounds out of order. */
WF_API wf_tensor wf_uniform(wf_ctx *c, wf_generator *g, wf_dtype dtype,
                            const int64_t *dims, int rank, double from, double to);
WF_API wf_tensor wf_normal(wf_ctx *c, wf_generator *g, wf_dtype dtype,
                           const int64_t *dims, int rank, double mean, double std);
WF_API wf_tensor wf_rand(wf_ctx *c, wf_generator *g, wf_dtype dtype, const int64_t *dims,
                         int rank);
WF_API wf_tensor wf_randn(wf_ctx *c, wf_generator *g, wf_dtype dtype, const int64_t *dims,
                          int rank);
/* low .. high-1 and 0 or 1, in any dtype */
WF_API wf_tensor wf_randint(wf_ctx *c, wf_generator *g, wf_dtype dtype,
                            const int64_t *dims, int rank, int64_t low, int64_t high);
WF_API wf_tensor wf_bernoulli(wf_ctx *c, wf_generator *g, wf_dtype dtype,
                              const int64_t *dims, int rank, double p);
/* 0 .. n-1 in random order: as i64 tensor, and into the caller's memory */
WF_API wf_tensor wf_randperm(wf_ctx *c, wf_generator *g, int64_t n);
WF_API wf_status wf_permute_numbers(wf_ctx *c, wf_generator *g, int64_t *out, int64_t n);

#ifdef __cplusplus
}
#endif
#endif
