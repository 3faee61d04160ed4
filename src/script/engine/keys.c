/* keys.c -- random numbers by key, as JAX has them; one native for each function of
 * weft_keys.h. A key is a tensor u32[2]. */
#include "script/engine/engine.h"

static Value n_key(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    int64_t seed = 0;

    if (!en_int(&e, a->v[0], &seed))
        return en_fail(&e);
    return en_end(&e, wf_key(e.c, e.f->means.narrow ? (uint32_t)seed : (uint64_t)seed));
}

static Value n_key_split(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor key;
    int64_t n = 2;

    if (!en_tensor(&e, a->v[0], &key) || !en_int(&e, a->v[1], &n))
        return en_fail(&e);
    return en_end(&e, wf_key_split(e.c, key, n));
}

static Value n_key_fold_in(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor key, data;

    if (!en_tensor(&e, a->v[0], &key) || !en_tensor(&e, a->v[1], &data))
        return en_fail(&e);
    return en_end(&e, wf_key_fold_in(e.c, key, data));
}

typedef struct Draw { /* what most take */
    wf_tensor key;
    int64_t dims[WF_MAX_RANK];
    int rank;
    wf_dtype dtype;
} Draw;

static bool draw_args(En *e, const Args *a, Draw *d, wf_dtype dtype)
{
    d->dtype = dtype;
    return en_tensor(e, a->v[0], &d->key) && en_shape(e, a->v[1], d->dims, &d->rank) &&
           en_dtype(e, a->v[2], &d->dtype);
}

/* f(key, shape, dtype) */
static Value drawn(Vm *vm, const Args *a, wf_dtype std,
                   wf_tensor (*fn)(wf_ctx *, wf_tensor, wf_dtype, const int64_t *, int))
{
    En e = en_begin(vm, a);
    Draw d;

    if (!draw_args(&e, a, &d, std ? std : e.f->means.default_float))
        return en_fail(&e);
    return en_end(&e, fn(e.c, d.key, d.dtype, d.dims, d.rank));
}

#define DRAW_ROWS(X)                                                                     \
    X(bits, WF_U32) X(normal, WF_INVALID) X(exponential, WF_INVALID)                     \
    X(gumbel, WF_INVALID) X(laplace, WF_INVALID) X(logistic, WF_INVALID)                 \
    X(cauchy, WF_INVALID) X(rademacher, WF_I32)
#define DEFINE(name, std)                                                                \
    static Value n_key_##name(Vm *vm, const Args *a)                                     \
    {                                                                                    \
        return drawn(vm, a, std, wf_key_##name);                                         \
    }
DRAW_ROWS(DEFINE)
#undef DEFINE

/* f(key, shape, dtype, low, high) */
static Value ranged(Vm *vm, const Args *a, double low, double high,
                    wf_tensor (*fn)(wf_ctx *, wf_tensor, wf_dtype, const int64_t *, int,
                                    double, double))
{
    En e = en_begin(vm, a);
    Draw d;

    if (!draw_args(&e, a, &d, e.f->means.default_float) || !en_float(&e, a->v[3], &low) ||
        !en_float(&e, a->v[4], &high))
        return en_fail(&e);
    return en_end(&e, fn(e.c, d.key, d.dtype, d.dims, d.rank, low, high));
}
static Value n_key_uniform(Vm *vm, const Args *a) { return ranged(vm, a, 0, 1, wf_key_uniform); }
static Value n_key_truncated_normal(Vm *vm, const Args *a)
{
    return ranged(vm, a, -2, 2, wf_key_truncated_normal);
}

static Value n_key_randint(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    Draw d;
    int64_t low = 0, high = 0;

    if (!draw_args(&e, a, &d, e.f->int_dtype) || !en_int(&e, a->v[3], &low) ||
        !en_int(&e, a->v[4], &high))
        return en_fail(&e);
    return en_end(&e, wf_key_randint(e.c, d.key, d.dtype, d.dims, d.rank, low, high));
}

/* key_bernoulli(key, p, shape) */
static Value n_key_bernoulli(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor key, p;
    int64_t dims[WF_MAX_RANK];
    int rank;

    if (!en_tensor(&e, a->v[0], &key) || !en_tensor(&e, a->v[1], &p) ||
        !en_shape(&e, a->v[2], dims, &rank))
        return en_fail(&e);
    return en_end(&e, wf_key_bernoulli(e.c, key, p, dims, rank));
}

/* key_categorical(key, logits, axis, shape) */
static Value n_key_categorical(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor key, logits;
    int64_t dims[WF_MAX_RANK], axis = -1;
    int rank;

    if (!en_tensor(&e, a->v[0], &key) || !en_tensor(&e, a->v[1], &logits) ||
        !en_int(&e, a->v[2], &axis) || !en_shape(&e, a->v[3], dims, &rank))
        return en_fail(&e);
    return en_end(&e, wf_key_categorical(e.c, key, logits, (int)axis, dims, rank,
                                         e.f->int_dtype));
}

static Value n_key_permutation(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor key, x;
    int64_t axis = 0;

    if (!en_tensor(&e, a->v[0], &key) || !en_tensor(&e, a->v[1], &x) ||
        !en_int(&e, a->v[2], &axis))
        return en_fail(&e);
    return en_end(&e, wf_key_permutation(e.c, key, x, (int)axis));
}

#define ROW(name, std) {"key_" #name, n_key_##name, "key,shape|dtype"},
const NativeDef engine_keys[] = {
    DRAW_ROWS(ROW)
    {"key", n_key, "seed"},
    {"key_split", n_key_split, "key|n"},
    {"key_fold_in", n_key_fold_in, "key,data"},
    {"key_uniform", n_key_uniform, "key,shape|dtype,low,high"},
    {"key_truncated_normal", n_key_truncated_normal, "key,shape|dtype,low,high"},
    {"key_randint", n_key_randint, "key,shape|dtype,low,high"},
    {"key_bernoulli", n_key_bernoulli, "key,p,shape"},
    {"key_categorical", n_key_categorical, "key,logits,axis,shape"},
    {"key_permutation", n_key_permutation, "key,x|axis"},
    {0},
};
