/* random_torch.c -- random numbers as PyTorch's generators draw them: torch.Generator, of the CPU
 * or of GPUs, and the natives that fill tensors from one. The host draws for GPUs, too. */
#include <math.h>

#include "script/engine/engine.h"
#include "random/random.h"
#include "runtime/runtime.h"

/* ---- Generator --------------------------------------------------------------------- */

#define FIRST_SEED 67280421310721 /* of a Generator that was not seeded */

/* "cuda:0", or a device of that type? */
static bool is_gpu(Vm *vm, Value device, bool *out)
{
    Value type = device.tag == T_NIL || is_str(device) ? sc_ref(device)
                                                       : sc_getattr_s(vm, device, "type");

    *out = is_str(type) && !strncmp(as_str(type)->s, "cuda", 4);
    sc_drop(vm, type);
    return !sc_failed(vm);
}

static bool generator_init(Vm *vm, Value self, const Args *a)
{
    TorchRng *r = sc_native_new(vm, self, sizeof *r);
    bool gpu;

    if (!r || !is_gpu(vm, a->v[0], &gpu))
        return false;
    torch_seed(r, (uint64_t)FIRST_SEED);
    r->gpu = gpu;
    return true;
}

static TorchRng *rng_of(Value v) { return ((Instance *)(void *)v.o)->native; }

static Value g_manual_seed(Vm *vm, const Args *a)
{
    int64_t seed;

    if (!sc_to_int(vm, a->v[1], &seed))
        return NIL;
    torch_seed_again(rng_of(a->v[0]), (uint64_t)seed);
    return sc_ref(a->v[0]);
}

static Value g_initial_seed(Vm *vm, const Args *a)
{
    (void)vm;
    return v_int((int64_t)rng_of(a->v[0])->seed);
}

static Value g_get_state(Vm *vm, const Args *a)
{
    En e = en_begin_front(vm, &vm->engine->front[FRONT_TORCH]);
    uint8_t state[TORCH_STATE_BYTES];
    const TorchRng *r = rng_of(a->v[0]);
    int64_t n = r->gpu ? TORCH_GPU_STATE_BYTES : TORCH_STATE_BYTES;

    if (r->gpu)
        torch_gpu_state_save(r, state);
    else
        torch_state_save(r, state);
    return en_end(&e, wf_from(e.c, WF_U8, &n, 1, state));
}

static Value g_set_state(Vm *vm, const Args *a)
{
    En e = en_begin_front(vm, &vm->engine->front[FRONT_TORCH]);
    uint8_t state[TORCH_STATE_BYTES];
    TorchRng *r = rng_of(a->v[0]);
    int n = r->gpu ? TORCH_GPU_STATE_BYTES : TORCH_STATE_BYTES;
    wf_tensor t;

    if (!en_tensor(&e, a->v[1], &t))
        return en_fail(&e);
    if (wf_dtype_of(e.c, t) != WF_U8 || wf_count(e.c, t) != n) {
        sc_fail(vm, C_TypeError, "RNG state must be a torch.ByteTensor of %d elements", n);
        return en_fail(&e);
    }
    if (wf_read(e.c, t, state, (size_t)n) != WF_OK)
        return en_fail(&e);
    if (!(r->gpu ? torch_gpu_state_load(r, state) : torch_state_load(r, state))) {
        sc_fail(vm, C_RuntimeError, "Invalid RNG state");
        return en_fail(&e);
    }
    return en_end_value(&e, sc_ref(a->v[0]));
}

static const NativeDef generator_methods[] = {
    {"manual_seed", g_manual_seed, "self,seed"},
    {"initial_seed", g_initial_seed, "self"},
    {"get_state", g_get_state, "self"},
    {"set_state", g_set_state, "self,state"},
    {0},
};

const ClassDef en_torch_generator_def = {
    .name = "Generator",
    .init = generator_init,
    .init_params = "|device",
    .methods = generator_methods,
};

static TorchRng *generator_arg(En *e, Value v)
{
    if (v.tag == T_OBJ && v.o->cls->d.init == generator_init && rng_of(v)) {
        TorchRng *r = rng_of(v);
        wf_device *gpu = NULL;

        if (r->gpu && !r->blocks && wf_device_count(e->c) > 1 && wf_device_find(e->c, "cuda", &gpu) == WF_OK)
            r->blocks = gpu->blocks;
        return r;
    }
    sc_fail(e->vm, C_TypeError, "generator must be a Generator, got %s",
            v.tag == T_NIL ? "nothing" : sc_type_name(e->vm, v));
    return NULL;
}

/* ---- drawing ----------------------------------------------------------------------- */

typedef bool (*Draw)(TorchRng *r, wf_dtype dtype, void *out, int64_t n, double a, double b);

static bool one_number(TorchRng *r, wf_dtype d, void *out, int64_t n, double a, int which)
{
    return which == 0   ? torch_exponential(r, d, out, n, a)
           : which == 1 ? torch_geometric(r, d, out, n, a)
                        : torch_bernoulli(r, d, out, n, a);
}
static bool exponential(TorchRng *r, wf_dtype d, void *out, int64_t n, double a, double b)
{
    (void)b;
    return one_number(r, d, out, n, a, 0);
}
static bool geometric(TorchRng *r, wf_dtype d, void *out, int64_t n, double a, double b)
{
    (void)b;
    return one_number(r, d, out, n, a, 1);
}
static bool bernoulli(TorchRng *r, wf_dtype d, void *out, int64_t n, double a, double b)
{
    (void)b;
    return one_number(r, d, out, n, a, 2);
}
static bool all_values(TorchRng *r, wf_dtype d, void *out, int64_t n, double a, double b)
{
    (void)a;
    (void)b;
    return torch_random(r, d, out, n);
}

static const struct {
    const char *name;
    Draw draw;
} draws[] = {
    {"uniform", torch_uniform},       {"normal", torch_normal},
    {"cauchy", torch_cauchy},         {"log_normal", torch_log_normal},
    {"exponential", exponential},     {"geometric", geometric},
    {"bernoulli", bernoulli},         {"random", all_values},
};

/* A new tensor of the shape; its memory in *out. */
static Tensor *fresh(En *e, Value shape, wf_dtype d, wf_tensor *h)
{
    int64_t dims[WF_MAX_RANK];
    Tensor *t;
    int rank;

    if (!en_shape(e, shape, dims, &rank))
        return NULL;
    *h = wf_zeros(e->c, d, dims, rank); /* checks the sizes */
    t = failed(e->c) ? NULL : tensor_get(e->c, *h, "random");
    if (!t || !t->symbolic)
        return t;
    sc_fail(e->vm, C_RuntimeError, "random numbers need sizes that are known");
    return NULL;
}

/* No generator: numbers of the meta device, which has none. */
static Value blanks(En *e, Value shape, wf_dtype d)
{
    int64_t dims[WF_MAX_RANK];
    int rank;

    return en_shape(e, shape, dims, &rank) ? en_end(e, tensor_meta(e->c, d, dims, rank)) : en_fail(e);
}

/* draw(kind, shape, dtype, a, b, generator) */
static Value n_draw(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    const char *kind = "";
    wf_dtype d = e.f->means.default_float;
    double p = 0, q = 0;
    wf_tensor h;
    Tensor *t;
    TorchRng *r;

    if (en_draws_later(vm))
        return en_end_value(&e, en_drawn(vm, "draw", a));
    if (!en_may_draw(vm))
        return en_fail(&e);
    if (!en_str(&e, a->v[0], &kind) || !en_dtype(&e, a->v[2], &d) ||
        !en_float(&e, a->v[3], &p) || !en_float(&e, a->v[4], &q))
        return en_fail(&e);
    if (a->v[5].tag == T_NONE)
        return blanks(&e, a->v[1], d);
    if (!(r = generator_arg(&e, a->v[5])) || !(t = fresh(&e, a->v[1], d, &h)))
        return en_fail(&e);
    for (int i = 0; i < COUNT(draws); i++)
        if (!strcmp(draws[i].name, kind)) {
            if (!draws[i].draw(r, d, tensor_data(t), t->count, p, q))
                sc_fail(vm, C_RuntimeError, "%s is not implemented for %s", kind,
                        wf_dtype_name(d));
            return sc_failed(vm) ? en_fail(&e) : en_end(&e, h);
        }
    sc_fail(vm, C_ValueError, "draw: no numbers of the kind '%s'", kind);
    return en_fail(&e);
}

/* draw_int(low, high, shape, dtype, generator) */
static Value n_draw_int(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_dtype d = e.f->int_dtype;
    int64_t low = 0, high = 1;
    wf_tensor h;
    Tensor *t;
    TorchRng *r;

    if (en_draws_later(vm))
        return en_end_value(&e, en_drawn(vm, "draw_int", a));
    if (!en_may_draw(vm))
        return en_fail(&e);
    if (!en_int(&e, a->v[0], &low) || !en_int(&e, a->v[1], &high) ||
        !en_dtype(&e, a->v[3], &d))
        return en_fail(&e);
    if (low >= high) {
        sc_fail(vm, C_RuntimeError,
                "random_ expects 'from' to be less than 'to', but got from=%lld >= to=%lld",
                (long long)low, (long long)high);
        return en_fail(&e);
    }
    if (a->v[4].tag == T_NONE)
        return blanks(&e, a->v[2], d);
    if (!(r = generator_arg(&e, a->v[4])) || !(t = fresh(&e, a->v[2], d, &h)))
        return en_fail(&e);
    torch_randint(r, d, tensor_data(t), t->count, low, high);
    return en_end(&e, h);
}

/* draw_bernoulli(p, generator): for each element of p */
static Value n_draw_bernoulli(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    TorchRng *r = generator_arg(&e, a->v[1]);
    wf_tensor p, h;
    Tensor *x, *t;
    wf_dtype d, wide;

    if (en_draws_later(vm))
        return en_end_value(&e, en_drawn(vm, "draw_bernoulli", a));
    if (!en_may_draw(vm))
        return en_fail(&e);
    if (!r || !en_tensor(&e, a->v[0], &p) || wf_is_symbolic(e.c, p))
        return en_fail(&e);
    d = wf_dtype_of(e.c, p);
    wide = d == WF_F64 ? WF_F64 : WF_F32;
    if (!(x = en_on_host(&e, wf_cast(e.c, p, wide))))
        return en_fail(&e);
    h = wf_zeros(e.c, d, x->dims, x->rank);
    if (!(t = tensor_get(e.c, h, "bernoulli")))
        return en_fail(&e);
    torch_bernoulli_each(r, d, tensor_data(t), t->count, wide, tensor_data(x));
    return en_end(&e, h);
}

/* draw_each(kind, a, b, generator): gamma, poisson and binomial numbers, for each element of a (and b, of its shape) */
static Value n_draw_each(Vm *vm, const Args *a)
{
    static const char *const kinds[] = {"gamma", "poisson", "binomial"};
    En e = en_begin(vm, a);
    TorchRng *r = generator_arg(&e, a->v[3]);
    const char *kind = "";
    Tensor *x, *y, *t;
    wf_tensor p, q, h;
    wf_dtype d, wide;
    int which = 0;

    if (en_draws_later(vm))
        return en_end_value(&e, en_drawn(vm, "draw_each", a));
    if (!en_may_draw(vm))
        return en_fail(&e);
    if (!r || !en_str(&e, a->v[0], &kind) || !en_tensor(&e, a->v[1], &p) || !en_tensor(&e, a->v[2], &q) ||
        wf_is_symbolic(e.c, p))
        return en_fail(&e);
    while (which < COUNT(kinds) - 1 && strcmp(kinds[which], kind))
        which++;
    d = wf_dtype_of(e.c, p);
    wide = d == WF_F64 ? WF_F64 : WF_F32;
    if (!(x = en_on_host(&e, wf_cast(e.c, p, wide))) || !(y = en_on_host(&e, wf_cast(e.c, q, wide))))
        return en_fail(&e);
    if (x->count != y->count) {
        sc_fail(vm, C_RuntimeError, "%s: parameters of one shape, got %lld and %lld numbers", kind,
                (long long)x->count, (long long)y->count);
        return en_fail(&e);
    }
    h = wf_zeros(e.c, d, x->dims, x->rank);
    if (!(t = tensor_get(e.c, h, kind)))
        return en_fail(&e);
    if (!torch_draw_each(r, (TorchEach)which, d, wide, tensor_data(t), t->count, tensor_data(x), tensor_data(y))) {
        sc_fail(vm, C_RuntimeError, "invalid Poisson rate, expected rate to be non-negative");
        return en_fail(&e);
    }
    return en_end(&e, h);
}

static Value n_draw_permutation(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    TorchRng *r = generator_arg(&e, a->v[1]);
    wf_tensor h;
    Tensor *t;

    if (en_draws_later(vm))
        return en_end_value(&e, en_drawn(vm, "draw_permutation", a));
    if (!en_may_draw(vm))
        return en_fail(&e);
    if (!r || !(t = fresh(&e, a->v[0], WF_I64, &h)))
        return en_fail(&e);
    torch_randperm(r, tensor_data(t), t->count);
    return en_end(&e, h);
}

/* draw_multinomial(weights, m, replacement, generator): i64[m] or i64[rows,m] */
/* What PyTorch asks of weights (f32 or f64, packed), in its words. */
static bool may_choose(Vm *vm, const Tensor *x, int64_t m, bool again)
{
    const int64_t n = x->rank > 0 ? x->dims[x->rank - 1] : 0;

    if (x->rank < 1 || x->rank > 2)
        return sc_fail(vm, C_RuntimeError, "prob_dist must be 1 or 2 dim");
    if (m <= 0)
        return sc_fail(vm, C_RuntimeError, "cannot sample n_sample <= 0 samples");
    if (!again && m > n)
        return sc_fail(vm, C_RuntimeError, "cannot sample n_sample > prob_dist.size(-1) samples without replacement");
    for (int64_t row = 0; n > 0 && row < x->count / n; row++) {
        double sum = 0;

        for (int64_t i = row * n; i < (row + 1) * n; i++) {
            double w = x->dtype == WF_F64 ? ((const double *)tensor_data(x))[i] : (double)((const float *)tensor_data(x))[i];

            if (!(w >= 0) || isinf(w))
                return sc_fail(vm, C_RuntimeError,
                               !again || m == 1 ? "probability tensor contains either `inf`, `nan` or element < 0"
                               : w < 0          ? "invalid multinomial distribution (encountering probability entry < 0)"
                                                : "invalid multinomial distribution (encountering probability entry = infinity or NaN)");
            sum += w;
        }
        if (sum <= 0)
            return sc_fail(vm, C_RuntimeError, "invalid multinomial distribution (sum of probabilities <= 0)");
    }
    return true;
}

static Value n_draw_multinomial(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    TorchRng *r = generator_arg(&e, a->v[3]);
    int64_t m = 1, dims[2], k, rows;
    bool again = false;
    wf_tensor w, h;
    Tensor *x, *t;
    double *scratch;
    wf_dtype d;

    if (en_draws_later(vm))
        return en_end_value(&e, en_drawn(vm, "draw_multinomial", a));
    if (!en_may_draw(vm))
        return en_fail(&e);
    if (!r || !en_tensor(&e, a->v[0], &w) || !en_int(&e, a->v[1], &m) ||
        !en_bool(&e, a->v[2], &again))
        return en_fail(&e);
    d = wf_dtype_of(e.c, w) == WF_F64 ? WF_F64 : WF_F32;
    wf_no_grad_begin(e.c);
    w = wf_cast(e.c, w, d);
    wf_no_grad_end(e.c);
    if (!(x = wf_is_symbolic(e.c, w) ? tensor_get(e.c, w, "multinomial") : en_on_host(&e, w)))
        return en_fail(&e);
    if (e.f == &vm->engine->front[FRONT_TORCH] && !x->symbolic && !may_choose(vm, x, m, again))
        return en_fail(&e);
    if (x->symbolic || x->rank < 1 || x->rank > 2 || x->dims[x->rank - 1] < 1 || m < 1 ||
        (!again && m > x->dims[x->rank - 1])) {
        sc_fail(vm, C_RuntimeError, "multinomial: needs 1 or 2 axes of weights, and %s",
                !again ? "no more draws than weights (without replacement)"
                       : "at least one draw");
        return en_fail(&e);
    }
    k = x->dims[x->rank - 1];
    rows = x->rank == 2 ? x->dims[0] : 1;
    dims[0] = rows;
    dims[x->rank - 1] = m;
    h = wf_zeros(e.c, WF_I64, dims, x->rank);
    scratch = en_alloc(&e, (size_t)k * sizeof *scratch);
    if (failed(e.c) || !scratch)
        return en_fail(&e);
    t = tensor_get(e.c, h, "multinomial");
    for (int64_t i = 0; i < rows; i++)
        torch_multinomial(r, d, (char *)tensor_data(x) + i * k * (int64_t)wf_dtype_size(d), k,
                          m, again, (int64_t *)tensor_data(t) + i * m, scratch);
    return en_end(&e, h);
}

const NativeDef engine_random_torch[] = {
    {"draw", n_draw, "kind,shape,dtype,a,b,generator"},
    {"draw_int", n_draw_int, "low,high,shape,dtype,generator"},
    {"draw_bernoulli", n_draw_bernoulli, "p,generator"},
    {"draw_each", n_draw_each, "kind,a,b,generator"},
    {"draw_permutation", n_draw_permutation, "n,generator"},
    {"draw_multinomial", n_draw_multinomial, "weights,m,replacement,generator"},
    {0},
};
