/* generator.c -- PyTorch's generator as a public object, and what a context keeps for random numbers. */
#include "random/random.h"
#include "tensor/tensor.h"

struct wf_generator {
    TorchRng rng;
    wf_allocator al;
};

wf_status wf_generator_new(wf_ctx *c, uint64_t seed, wf_generator **out_generator)
{
    wf_generator *g;

    if (!SET_OUT(c, out_generator))
        return ctx_status(c);
    g = c->al.resize(c->al.user, NULL, 0, sizeof *g);
    if (!g) {
        fail_memory(c);
        return ctx_status(c);
    }
    memset(g, 0, sizeof *g);
    g->al = c->al;
    torch_seed(&g->rng, seed);
    *out_generator = g;
    return WF_OK;
}

void wf_generator_free(wf_generator *g)
{
    if (g)
        g->al.resize(g->al.user, g, sizeof *g, 0);
}

void wf_generator_seed(wf_generator *g, uint64_t seed)
{
    if (g)
        torch_seed(&g->rng, seed);
}

/* ---- the context's own random state ---- */

static const uint64_t first_seed = 67280421310721u; /* PyTorch's default seed */

static void free_state(wf_ctx *c)
{
    RandomState *s = c->tensors->random;

    wf_generator_free(s->generator);
    for (int i = 0; i < KEY_PROGRAMS; i++)
        program_release(s->programs.v[i].program);
    mem_free(&c->al, s, sizeof *s);
}

RandomState *random_state(wf_ctx *c)
{
    Tensors *t = failed(c) ? NULL : ts(c);

    if (!t || t->random)
        return t ? t->random : NULL;
    if (!(t->random = mem_alloc(&c->al, sizeof *t->random))) {
        fail_memory(c);
        return NULL;
    }
    memset(t->random, 0, sizeof *t->random);
    t->random_free = free_state;
    return t->random;
}

wf_generator *wf_ctx_generator(wf_ctx *c)
{
    RandomState *s = random_state(c);

    if (s && !s->generator)
        wf_generator_new(c, first_seed, &s->generator);
    return s ? s->generator : NULL;
}

wf_status wf_manual_seed(wf_ctx *c, uint64_t seed)
{
    IN_CALL(c);
    wf_generator *g = wf_ctx_generator(c);

    if (g)
        wf_generator_seed(g, seed);
    return ctx_status(c);
}

wf_status wf_random_key_begin(wf_ctx *c, wf_tensor key)
{
    RandomState *s = random_state(c);

    if (!s || !tensor_get(c, key, "wf_random_key_begin"))
        return ctx_status(c);
    if (s->nkeys == (int)COUNT(s->keys))
        tensor_fail(c, WF_ERR_LIMIT, "wf_random_key_begin: more than %d inside each other",
              (int)COUNT(s->keys));
    else {
        s->keys[s->nkeys].key = wf_keep(c, key);
        s->keys[s->nkeys++].used = 0;
    }
    return ctx_status(c);
}

/* Also after an error: begin may have failed, so an end too many is no error then. */
void wf_random_key_end(wf_ctx *c)
{
    RandomState *s = c && c->tensors ? c->tensors->random : NULL;

    if (s && s->nkeys > 0)
        wf_drop(c, s->keys[--s->nkeys].key);
    else if (!failed(c))
        tensor_fail(c, WF_ERR_ARG, "wf_random_key_end: none is open");
}

wf_tensor wf_random_key_next(wf_ctx *c)
{
    RandomState *s = failed(c) || !ts(c) ? NULL : c->tensors->random;
    int i = s ? s->nkeys - 1 : -1;

    if (i < 0)
        return WF_NONE;
    return wf_key_fold_in(c, s->keys[i].key, wf_scalar(c, WF_U32, (double)s->keys[i].used++));
}

int64_t wf_random_key_count(wf_ctx *c)
{
    const RandomState *s = c && !ctx_elsewhere(c) && c->tensors ? c->tensors->random : NULL;

    return s && s->nkeys > 0 ? s->keys[s->nkeys - 1].used : 0;
}

/* ---- draws ---- */

/* A new tensor to be filled from *g (NULL: the context's), or NULL after an error. */
static Tensor *room(wf_ctx *c, const char *fn, wf_generator **g, wf_dtype dtype,
                    const int64_t *dims, int rank, bool real)
{
    if (failed(c) || !ts(c) || (!*g && !(*g = wf_ctx_generator(c))))
        return NULL;
    if (!dtype_is_usable(dtype) || (real && !dtype_is_float(dtype))) {
        tensor_fail(c, WF_ERR_TYPE, "%s: found dtype %s, needed %s", fn, wf_dtype_name(dtype),
              real ? "a float" : "a number or bool");
        return NULL;
    }
    if (rank < 0 || rank > WF_MAX_RANK) {
        tensor_fail(c, WF_ERR_LIMIT, "%s: rank %d is not in 0..%d", fn, rank, WF_MAX_RANK);
        return NULL;
    }
    if (!has_n(dims, rank)) {
        arg_fail(c, fn, "sizes");
        return NULL;
    }
    for (int i = 0; i < rank; i++)
        if (dims[i] < 0) {
            tensor_fail(c, WF_ERR_SHAPE, "%s: size %lld of axis %d is not a constant >= 0", fn,
                  (long long)dims[i], i);
            return NULL;
        }
    return tensor_new(c, dtype, dims, (uint32_t)rank);
}

/* drawn false: the generator has no numbers of that dtype. */
static wf_tensor filled(wf_ctx *c, const char *fn, Tensor *t, bool drawn)
{
    if (t && !drawn)
        tensor_fail(c, WF_ERR_TYPE, "%s: dtype %s has no random numbers", fn,
              wf_dtype_name((wf_dtype)t->dtype));
    return tensor_handle(c, t);
}

wf_tensor wf_uniform(wf_ctx *c, wf_generator *g, wf_dtype dtype, const int64_t *dims,
                     int rank, double from, double to)
{
    IN_CALL(c);
    Tensor *t = room(c, "wf_uniform", &g, dtype, dims, rank, true);

    if (t && !(from <= to))
        tensor_fail(c, WF_ERR_VALUE, "wf_uniform: needs from <= to");
    return filled(c, "wf_uniform", t,
                  t && torch_uniform(&g->rng, dtype, tensor_data(t), t->count, from, to));
}

wf_tensor wf_normal(wf_ctx *c, wf_generator *g, wf_dtype dtype, const int64_t *dims,
                    int rank, double mean, double std)
{
    IN_CALL(c);
    Tensor *t = room(c, "wf_normal", &g, dtype, dims, rank, true);

    if (t && !(std >= 0))
        tensor_fail(c, WF_ERR_VALUE, "wf_normal: needs std >= 0");
    return filled(c, "wf_normal", t,
                  t && torch_normal(&g->rng, dtype, tensor_data(t), t->count, mean, std));
}

wf_tensor wf_rand(wf_ctx *c, wf_generator *g, wf_dtype dtype, const int64_t *dims,
                  int rank)
{
    return wf_uniform(c, g, dtype, dims, rank, 0, 1);
}

wf_tensor wf_randn(wf_ctx *c, wf_generator *g, wf_dtype dtype, const int64_t *dims,
                   int rank)
{
    return wf_normal(c, g, dtype, dims, rank, 0, 1);
}

wf_tensor wf_randint(wf_ctx *c, wf_generator *g, wf_dtype dtype, const int64_t *dims,
                     int rank, int64_t low, int64_t high)
{
    IN_CALL(c);
    Tensor *t;

    if (!failed(c) && low >= high)
        return tensor_fail(c, WF_ERR_VALUE,
                     "wf_randint: found low %lld and high %lld, needed low < high",
                     (long long)low, (long long)high);
    t = room(c, "wf_randint", &g, dtype, dims, rank, false);
    return filled(c, "wf_randint", t,
                  t &&
                      torch_randint(&g->rng, dtype, tensor_data(t), t->count, low, high));
}

wf_tensor wf_bernoulli(wf_ctx *c, wf_generator *g, wf_dtype dtype, const int64_t *dims,
                       int rank, double p)
{
    IN_CALL(c);
    Tensor *t;

    if (!failed(c) && !(p >= 0 && p <= 1))
        return tensor_fail(c, WF_ERR_VALUE, "wf_bernoulli: the probability is not in 0..1");
    t = room(c, "wf_bernoulli", &g, dtype, dims, rank, false);
    return filled(c, "wf_bernoulli", t,
                  t && torch_bernoulli(&g->rng, dtype, tensor_data(t), t->count, p));
}

wf_tensor wf_randperm(wf_ctx *c, wf_generator *g, int64_t n)
{
    IN_CALL(c);
    Tensor *t = room(c, "wf_randperm", &g, WF_I64, &n, 1, false);

    if (t)
        torch_randperm(&g->rng, tensor_data(t), n);
    return tensor_handle(c, t);
}

wf_status wf_permute_numbers(wf_ctx *c, wf_generator *g, int64_t *out, int64_t n)
{
    IN_CALL(c);
    if (failed(c))
        return ctx_status(c);
    if (n < 0 || (n && !out)) {
        tensor_fail(c, WF_ERR_ARG, "wf_permute_numbers: needs n >= 0 and room for n numbers");
        return ctx_status(c);
    }
    if (g || (g = wf_ctx_generator(c)))
        torch_randperm(&g->rng, out, n);
    return ctx_status(c);
}
