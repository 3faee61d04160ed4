/* keys.c -- tensors of random numbers by key.
 *
 * A call is a small program of the key and other operands (threefry.c). It is built once for each set of
 * arguments and kept, and applied like any other program: it runs, is recorded, or is copied into the
 * program that is being built. Where the shape has sizes of that program, its equations go there directly.
 */
#include "random/random.h"
#include "tensor/tensor.h"

typedef enum KeyFn {
    KEY_SPLIT,
    KEY_AT,
    KEY_FOLD_IN,
    KEY_BITS,
    KEY_UNIFORM,
    KEY_NORMAL,
    KEY_TRUNCATED,
    KEY_EXPONENTIAL,
    KEY_GUMBEL,
    KEY_LAPLACE,
    KEY_LOGISTIC,
    KEY_CAUCHY,
    KEY_RADEMACHER,
    KEY_RANDINT,
    KEY_BERNOULLI,
    KEY_CATEGORICAL,
    KEY_PERMUTATION,
    KEY_PERMUTATION_N
} KeyFn;

typedef struct KeyCall {
    KeyFn fn;
    const char *name; /* for messages */
    wf_dtype dtype;
    const int64_t *dims;
    int rank;
    double low, high;
    int64_t from, to; /* integers; an index; a size */
    uint32_t axis;
    wf_tensor in[2]; /* the key, and another operand */
    uint32_t nin;
} KeyCall;

static Val build(Builder *b, const KeyCall *k, const Val *in)
{
    const Dim *d = k->dims;
    uint32_t rank = (uint32_t)k->rank;
    wf_dtype t = k->dtype;
    Val high;

    switch (k->fn) {
    case KEY_SPLIT: return b_key_split(b, in[0], (Dim[]){k->from}, 1);
    case KEY_AT: return b_key_at(b, in[0], k->from);
    case KEY_FOLD_IN: return b_key_fold_in(b, in[0], in[1]);
    case KEY_BITS: return b_random_bits(b, in[0], t, d, rank);
    case KEY_UNIFORM:
        high = b_scalar(b, t, k->high);
        return b_random_uniform(b, in[0], t, d, rank, b_scalar(b, t, k->low), high);
    case KEY_NORMAL: return b_random_normal(b, in[0], t, d, rank);
    case KEY_TRUNCATED:
        high = b_scalar(b, t, k->high);
        return b_random_truncated_normal(b, in[0], t, d, rank, b_scalar(b, t, k->low), high);
    case KEY_EXPONENTIAL: return b_random_exponential(b, in[0], t, d, rank);
    case KEY_GUMBEL: return b_random_gumbel(b, in[0], t, d, rank);
    case KEY_LAPLACE: return b_random_laplace(b, in[0], t, d, rank);
    case KEY_LOGISTIC: return b_random_logistic(b, in[0], t, d, rank);
    case KEY_CAUCHY: return b_random_cauchy(b, in[0], t, d, rank);
    case KEY_RADEMACHER: return b_random_rademacher(b, in[0], t, d, rank);
    case KEY_RANDINT:
        high = b_int(b, WF_I64, k->to);
        return b_random_randint(b, in[0], t, d, rank, b_int(b, WF_I64, k->from), high);
    case KEY_BERNOULLI: return b_random_bernoulli(b, in[0], in[1], d, rank);
    case KEY_CATEGORICAL:
        return b_random_categorical(b, in[0], in[1], k->axis, d, rank, t);
    case KEY_PERMUTATION: return b_random_permutation(b, in[0], in[1], k->axis);
    case KEY_PERMUTATION_N: return b_random_permutation_n(b, in[0], t, k->from);
    }
    return VAL_NONE;
}

/* ---- programs ------------------------------------------------------------------------------------ */

static Hash signature(const KeyCall *k, Tensor *const *in)
{
    Hasher h;

    hash_init(&h, 0);
    hash_u64(&h, (uint64_t)k->fn << 32 | (uint64_t)k->dtype << 16 | (uint64_t)k->rank);
    for (int i = 0; i < k->rank; i++)
        hash_u64(&h, (uint64_t)k->dims[i]);
    hash_bytes(&h, &k->low, sizeof k->low);
    hash_bytes(&h, &k->high, sizeof k->high);
    hash_u64(&h, (uint64_t)k->from);
    hash_u64(&h, (uint64_t)k->to);
    hash_u64(&h, k->axis);
    for (uint32_t i = 0; i < k->nin; i++) {
        hash_u64(&h, (uint64_t)in[i]->dtype << 8 | in[i]->rank);
        for (uint32_t j = 0; j < in[i]->rank; j++)
            hash_u64(&h, (uint64_t)in[i]->dims[j]);
    }
    return hash_done(&h);
}

static const Program *make_program(wf_ctx *c, const KeyCall *k, Tensor *const *in)
{
    const Program *p = NULL;
    Val vals[2], result;
    Builder *b;

    T_ENTER(c, NULL)
    b = builder_new(c, k->name, B_OPTIMISE);
    b_at(b, c->tensors->place);
    for (uint32_t i = 0; i < k->nin; i++)
        vals[i] = b_input(
            b, NULL, b_make_type(b, (wf_dtype)in[i]->dtype, in[i]->dims, in[i]->rank));
    result = build(b, k, vals);
    if ((p = builder_finish(b, &result, 1)))
        program_retain(p);
    T_LEAVE(c);
    return p;
}

/* Borrowed from the cache; NULL after an error. */
static const Program *find_program(wf_ctx *c, const KeyCall *k, Tensor *const *in)
{
    RandomState *s = random_state(c);
    KeyPrograms *kept = s ? &s->programs : NULL;
    Hash h;
    const Program *p;

    if (!s)
        return NULL;
    h = signature(k, in);
    for (int i = 0; i < KEY_PROGRAMS; i++)
        if (kept->v[i].program && hash_eq(kept->v[i].signature, h))
            return kept->v[i].program;
    if (!(p = make_program(c, k, in)))
        return NULL;
    KeyProgram *slot = &kept->v[kept->next++ % KEY_PROGRAMS];

    program_release(slot->program);
    *slot = (KeyProgram){h, p};
    return p;
}

static Dim symbolic_size(const KeyCall *k)
{
    for (int i = 0; i < k->rank; i++)
        if (k->dims[i] < 0)
            return k->dims[i];
    return 0;
}

/* Into the program that is being built, because the shape is of that program or of one around it. */
static wf_tensor emit(wf_ctx *c, const KeyCall *k, Tensor *const *in)
{
    IN_GRAPH_OF_SIZE(c, symbolic_size(k));
    Trace *tr = c->tensors->trace;
    Dim dims[WF_MAX_RANK];
    KeyCall own = *k; /* its sizes those of tr */
    Tensor *out;
    Val vals[2], result;

    if (!tr || tr->broken)
        return tensor_fail(c, WF_ERR_SHAPE, "%s: a size is negative, and no program is being built", k->name);
    for (int i = 0; i < k->rank; i++)
        if (!trace_of_size(tr, k->dims[i]))
            return tensor_fail(c, WF_ERR_SHAPE, "%s: size %lld of axis %d is negative", k->name, (long long)k->dims[i], i);
    T_ENTER(c, WF_NONE)
    out = NULL;
    own.dims = dims;
    for (int i = 0; i < k->rank; i++) {
        dims[i] = k->dims[i];
        trace_size(c, tr, &dims[i]);
        dims[i] = hint_size(c, tr, dims[i]);
    }
    tr->broken = true;
    b_at(tr->b, c->tensors->place);
    for (uint32_t i = 0; i < k->nin && !failed(c); i++)
        vals[i] = trace_value(c, tr, in[i]);
    result = failed(c) ? VAL_NONE : build(tr->b, &own, vals);
    trace_hold(tr);
    tr->broken = false;
    if (!failed(c))
        out = tensor_symbol(c, tr, result);
    T_LEAVE(c);
    return tensor_handle(c, out);
}

/* ---- checks -------------------------------------------------------------------------------------------- */

static bool check_key(wf_ctx *c, const KeyCall *k, const Tensor *key)
{
    uint32_t rank = k->fn == KEY_AT ? 2 : 1;

    if (key->dtype == WF_U32 && key->rank == rank && key->dims[rank - 1] == 2)
        return true;
    tensor_fail(c, WF_ERR_TYPE, "%s: needs a key, u32[%s2], got %s", k->name,
          rank == 2 ? "n," : "", shape_text(c, key));
    return false;
}

static bool check_dtype(wf_ctx *c, const KeyCall *k)
{
    bool ok;

    switch (k->fn) {
    case KEY_BITS: ok = dtype_is_unsigned(k->dtype); break;
    case KEY_RANDINT:
    case KEY_PERMUTATION_N: ok = dtype_is_int(k->dtype); break;
    case KEY_CATEGORICAL: ok = k->dtype == WF_I32 || k->dtype == WF_I64; break;
    case KEY_RADEMACHER:
        ok = dtype_is_float(k->dtype) || dtype_is_signed(k->dtype);
        break;
    case KEY_SPLIT:
    case KEY_AT:
    case KEY_FOLD_IN:
    case KEY_BERNOULLI:
    case KEY_PERMUTATION: return true;
    default: ok = dtype_is_float(k->dtype); break;
    }
    if (!ok)
        tensor_fail(c, WF_ERR_TYPE, "%s: dtype %s does not fit", k->name,
              wf_dtype_name(k->dtype));
    return ok;
}

static bool check_operand(wf_ctx *c, const KeyCall *k, const Tensor *x)
{
    bool ok = true;

    switch (k->fn) {
    case KEY_FOLD_IN: ok = x->rank == 0 && dtype_is_int((wf_dtype)x->dtype); break;
    case KEY_BERNOULLI:
        ok = dtype_is_float((wf_dtype)x->dtype) &&
             (x->rank == 0 ||
              (x->rank == k->rank &&
               !memcmp(x->dims, k->dims, (size_t)k->rank * sizeof *x->dims)));
        break;
    case KEY_CATEGORICAL: ok = dtype_is_float((wf_dtype)x->dtype); break;
    default: break;
    }
    if (!ok)
        tensor_fail(c, WF_ERR_TYPE, "%s: the operand of type %s%s does not fit", k->name,
              wf_dtype_name((wf_dtype)x->dtype), shape_text(c, x));
    return ok;
}

static wf_tensor apply(wf_ctx *c, KeyCall k, wf_tensor key)
{
    IN_CALL(c);
    Tensor *in[2] = {NULL, NULL};
    const Program *p;
    wf_tensor out;
    bool symbolic = false;

    if (failed(c) || !ts(c))
        return WF_NONE;
    k.in[0] = key;
    k.nin = k.nin ? k.nin : 1;
    if (k.rank < 0 || k.rank >= WF_MAX_RANK)
        return tensor_fail(c, WF_ERR_LIMIT, "%s: rank %d is not in 0..%d", k.name, k.rank,
                     WF_MAX_RANK - 1);
    for (uint32_t i = 0; i < k.nin; i++) {
        if (!(in[i] = tensor_get(c, k.in[i], k.name)))
            return WF_NONE;
        for (uint32_t j = 0; j < in[i]->rank; j++)
            symbolic = symbolic || in[i]->dims[j] < 0;
    }
    if (!check_key(c, &k, in[0]) || !check_dtype(c, &k) ||
        (in[1] && !check_operand(c, &k, in[1])))
        return WF_NONE;
    for (int i = 0; i < k.rank; i++)
        symbolic = symbolic || k.dims[i] < 0;
    if (symbolic)
        return emit(c, &k, in);
    if (!(p = find_program(c, &k, in)) || !tensor_call(c, p, k.in, k.nin, &out, 1))
        return WF_NONE;
    return out;
}

/* ---- the functions ------------------------------------------------------------------------------------- */

wf_tensor wf_key(wf_ctx *c, uint64_t seed)
{
    uint32_t words[2];
    int64_t two = 2;

    key_words(seed, words);
    return wf_from(c, WF_U32, &two, 1, words);
}

wf_tensor wf_key_split(wf_ctx *c, wf_tensor key, int64_t n)
{
    if (!failed(c) && n < 0)
        return tensor_fail(c, WF_ERR_VALUE, "wf_key_split: cannot make %lld keys",
                     (long long)n);
    return apply(c, (KeyCall){.fn = KEY_SPLIT, .name = "wf_key_split", .from = n}, key);
}

wf_tensor wf_key_at(wf_ctx *c, wf_tensor keys, int64_t i)
{
    int64_t n = failed(c) ? 0 : wf_size(c, keys, 0);

    if (!failed(c) && n >= 0 && (i < 0 || i >= n))
        return tensor_fail(c, WF_ERR_INDEX, "wf_key_at: there is no key %lld of %lld",
                     (long long)i, (long long)n);
    return apply(c, (KeyCall){.fn = KEY_AT, .name = "wf_key_at", .from = i}, keys);
}

wf_tensor wf_key_fold_in(wf_ctx *c, wf_tensor key, wf_tensor data)
{
    return apply(
        c,
        (KeyCall){
            .fn = KEY_FOLD_IN, .name = "wf_key_fold_in", .in = {{0}, data}, .nin = 2},
        key);
}

#define BY_SHAPE(name_, fn_)                                                             \
    wf_tensor name_(wf_ctx *c, wf_tensor key, wf_dtype dtype, const int64_t *dims,       \
                    int rank)                                                            \
    {                                                                                    \
        return apply(                                                                    \
            c,                                                                           \
            (KeyCall){                                                                   \
                .fn = fn_, .name = #name_, .dtype = dtype, .dims = dims, .rank = rank},  \
            key);                                                                        \
    }
BY_SHAPE(wf_key_bits, KEY_BITS)
BY_SHAPE(wf_key_normal, KEY_NORMAL)
BY_SHAPE(wf_key_exponential, KEY_EXPONENTIAL)
BY_SHAPE(wf_key_gumbel, KEY_GUMBEL)
BY_SHAPE(wf_key_laplace, KEY_LAPLACE)
BY_SHAPE(wf_key_logistic, KEY_LOGISTIC)
BY_SHAPE(wf_key_cauchy, KEY_CAUCHY)
BY_SHAPE(wf_key_rademacher, KEY_RADEMACHER)

wf_tensor wf_key_uniform(wf_ctx *c, wf_tensor key, wf_dtype dtype, const int64_t *dims,
                         int rank, double low, double high)
{
    KeyCall k = {.fn = KEY_UNIFORM,
                 .name = "wf_key_uniform",
                 .dtype = dtype,
                 .dims = dims,
                 .rank = rank};

    k.low = low;
    k.high = high;
    return apply(c, k, key);
}

wf_tensor wf_key_truncated_normal(wf_ctx *c, wf_tensor key, wf_dtype dtype,
                                  const int64_t *dims, int rank, double low, double high)
{
    KeyCall k = {.fn = KEY_TRUNCATED,
                 .name = "wf_key_truncated_normal",
                 .dtype = dtype,
                 .dims = dims,
                 .rank = rank};

    k.low = low;
    k.high = high;
    return apply(c, k, key);
}

wf_tensor wf_key_randint(wf_ctx *c, wf_tensor key, wf_dtype dtype, const int64_t *dims,
                         int rank, int64_t low, int64_t high)
{
    KeyCall k = {.fn = KEY_RANDINT,
                 .name = "wf_key_randint",
                 .dtype = dtype,
                 .dims = dims,
                 .rank = rank};

    k.from = low;
    k.to = high;
    return apply(c, k, key);
}

wf_tensor wf_key_bernoulli(wf_ctx *c, wf_tensor key, wf_tensor p, const int64_t *dims,
                           int rank)
{
    KeyCall k = {
        .fn = KEY_BERNOULLI, .name = "wf_key_bernoulli", .dims = dims, .rank = rank};

    k.in[1] = p;
    k.nin = 2;
    return apply(c, k, key);
}

wf_tensor wf_key_categorical(wf_ctx *c, wf_tensor key, wf_tensor logits, int axis,
                             const int64_t *dims, int rank, wf_dtype index_dtype)
{
    KeyCall k = {.fn = KEY_CATEGORICAL,
                 .name = "wf_key_categorical",
                 .dtype = index_dtype,
                 .dims = dims,
                 .rank = rank};
    int own = failed(c) ? 0 : wf_rank(c, logits);

    if (failed(c) || !axis_of(c, k.name, axis, (uint32_t)own, &k.axis))
        return WF_NONE;
    k.in[1] = logits;
    k.nin = 2;
    return apply(c, k, key);
}

wf_tensor wf_key_permutation(wf_ctx *c, wf_tensor key, wf_tensor x, int axis)
{
    KeyCall k = {.fn = KEY_PERMUTATION, .name = "wf_key_permutation"};
    int own = failed(c) ? 0 : wf_rank(c, x);

    if (failed(c) || !axis_of(c, k.name, axis, (uint32_t)own, &k.axis))
        return WF_NONE;
    k.in[1] = x;
    k.nin = 2;
    return apply(c, k, key);
}

wf_tensor wf_key_permutation_n(wf_ctx *c, wf_tensor key, wf_dtype dtype, int64_t n)
{
    if (!failed(c) && n < 0)
        return tensor_fail(c, WF_ERR_VALUE, "wf_key_permutation_n: there are no %lld numbers",
                     (long long)n);
    return apply(c,
                 (KeyCall){.fn = KEY_PERMUTATION_N,
                           .name = "wf_key_permutation_n",
                           .dtype = dtype,
                           .from = n},
                 key);
}
