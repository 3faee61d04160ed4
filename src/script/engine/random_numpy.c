/* random_numpy.c -- NumPy's generators as script values: class Rng on random/numpy.c.
 * The names and defaults of np.random are in namespaces/numpy/random.py; a shape of None
 * there becomes one number, here always a tensor. */
#include "script/engine/engine.h"

#include "random/random.h"

#include <time.h>

/* ---- making one -------------------------------------------------------------------- */

/* The 32-bit words of an integer, low first, without leading zeros. */
static size_t words_of(uint64_t x, uint32_t *out)
{
    out[0] = (uint32_t)x;
    out[1] = (uint32_t)(x >> 32);
    return out[1] ? 2 : 1;
}

/* Rng(seed=None, legacy=False): seed an int or a sequence of them; None: from the clock */
static bool rng_init(Vm *vm, Value self, const Args *a)
{
    NumpyRng *r = sc_native_new(vm, self, sizeof *r);
    Engine *g = engine_of(vm);
    En e = {.vm = vm, .c = vm->cx, .f = g ? &g->front[FRONT_NUMPY] : NULL};
    int64_t seed[64];
    uint32_t words[128];
    size_t nwords = 0;
    int n = 0;
    bool legacy = false, one = a->v[0].tag == T_INT;

    if (!r || !g || !en_ints(&e, a->v[0], seed, &n, 64) || !en_bool(&e, a->v[1], &legacy))
        return false;
    if (n == 0) {
        struct timespec t;

        clock_gettime(CLOCK_REALTIME, &t);
        seed[n++] = (int64_t)(((uint64_t)t.tv_sec << 20 ^ (uint64_t)t.tv_nsec) & 0xffffffffu);
        one = true;
    }
    for (int i = 0; i < n; i++) {
        if (seed[i] < 0 || (legacy && seed[i] > UINT32_MAX))
            return sc_fail(vm, C_ValueError, legacy ? "Seed must be between 0 and 2**32 - 1"
                                                    : "expected non-negative integer");
        nwords += words_of((uint64_t)seed[i], words + nwords);
    }
    if (!legacy)
        numpy_seed(r, words, nwords);
    else if (one || is_tensor(vm, a->v[0]))
        numpy_seed_legacy(r, words[0]);
    else
        numpy_seed_legacy_words(r, words, nwords);
    return true;
}

/* assign(other): goes on from where other stands */
static Value r_assign(Vm *vm, const Args *a)
{
    if (a->v[1].tag != T_OBJ || a->v[0].o->cls != a->v[1].o->cls || !sc_native(a->v[1]))
        return sc_raise(vm, C_TypeError, "assign: needs a generator");
    memcpy(sc_native(a->v[0]), sc_native(a->v[1]), sizeof(NumpyRng));
    return NONE;
}

/* words(): the 624 of the older generator's state */
static Value r_words(Vm *vm, const Args *a)
{
    En e = en_begin_front(vm, &vm->engine->front[FRONT_NUMPY]);
    int64_t n = MT_WORDS;

    return en_end(&e, wf_from(e.c, WF_U32, &n, 1, ((const NumpyRng *)sc_native(a->v[0]))->mt.s));
}

/* place(): which of the words is next, whether the second of a pair of normal numbers waits, and that one */
static Value r_place(Vm *vm, const Args *a)
{
    const NumpyRng *r = sc_native(a->v[0]);
    Tuple *t = sc_tuple(vm, 3);

    if (!t)
        return NIL;
    t->v[0] = v_int(r->mt.at);
    t->v[1] = v_int(r->has_gauss);
    t->v[2] = v_float(r->has_gauss ? r->gauss : 0);
    return v_obj(t);
}

/* go_on(words, at, has_gauss, gauss): from a state that words and place said */
static Value r_go_on(Vm *vm, const Args *a)
{
    En e = en_begin_front(vm, &vm->engine->front[FRONT_NUMPY]);
    NumpyRng *r = sc_native(a->v[0]);
    int64_t at = 0, waits = 0;
    double gauss = 0;
    uint32_t words[MT_WORDS];
    wf_tensor t;

    if (!en_tensor(&e, a->v[1], &t) || !en_int(&e, a->v[2], &at) || !en_int(&e, a->v[3], &waits) || !en_float(&e, a->v[4], &gauss))
        return en_fail(&e);
    if (wf_dtype_of(e.c, t) != WF_U32 || wf_count(e.c, t) != MT_WORDS || at < 0 || at > MT_WORDS) {
        sc_fail(vm, C_ValueError, "state must be %d long", MT_WORDS);
        return en_fail(&e);
    }
    if (wf_read(e.c, t, words, sizeof words) != WF_OK)
        return en_fail(&e);
    memcpy(r->mt.s, words, sizeof words);
    r->mt.at = (uint32_t)at;
    r->has_gauss = waits != 0;
    r->gauss = gauss;
    return en_end_value(&e, NONE);
}

/* ---- drawing ----------------------------------------------------------------------- */

static bool rng_shape(En *e, Value v, wf_dtype d, Tensor **out, wf_tensor *t)
{
    int64_t dims[WF_MAX_RANK], count = 1;
    int rank = 0;

    if (!en_shape(e, v, dims, &rank))
        return false;
    for (int i = 0; i < rank; i++) {
        if (dims[i] < 0)
            return sc_fail(e->vm, C_ValueError, "negative dimensions are not allowed");
        if (dims[i] && count > INT64_MAX / 16 / dims[i])
            return sc_fail(e->vm, C_MemoryError, "the shape is too large");
        count *= dims[i] ? dims[i] : 1;
    }
    *out = tensor_new(e->c, d, dims, (uint32_t)rank);
    if (!*out)
        return en_raise(e);
    *t = tensor_handle(e->c, *out);
    return true;
}

/* uniform(shape, low=0, high=1, dtype=float64) and normal(shape, loc=0, scale=1, dtype) */
static Value drawn(Vm *vm, const Args *a,
                   bool (*fn)(NumpyRng *, wf_dtype, void *, int64_t, double, double))
{
    En e = en_begin_front(vm, &vm->engine->front[FRONT_NUMPY]);
    double p = 0, q = 1;
    wf_dtype d = WF_F64;
    Tensor *x;
    wf_tensor t;

    if (!en_float(&e, a->v[2], &p) || !en_float(&e, a->v[3], &q) ||
        !en_dtype(&e, a->v[4], &d) || !rng_shape(&e, a->v[1], d, &x, &t))
        return en_fail(&e);
    if (!fn(sc_native(a->v[0]), d, tensor_data(x), x->count, p, q)) {
        sc_fail(vm, C_TypeError, "Unsupported dtype dtype('%s')", wf_dtype_name(d));
        return en_fail(&e);
    }
    return en_end(&e, t);
}
static Value r_uniform(Vm *vm, const Args *a) { return drawn(vm, a, numpy_uniform); }
static Value r_normal(Vm *vm, const Args *a) { return drawn(vm, a, numpy_normal); }

/* One of a distribution's parameters: a number, or as many as numbers are drawn. */
static bool parameter(En *e, Value v, int64_t count, double *one, const double **many)
{
    Tensor *t;
    wf_tensor h;

    *many = NULL;
    if (!is_tensor(e->vm, v))
        return en_float(e, v, one);
    if (!en_tensor(e, v, &h) || !(t = en_on_host(e, wf_cast(e->c, h, WF_F64))))
        return false;
    if (t->count != count)
        return sc_fail(e->vm, C_ValueError, "draw: as many parameters as numbers");
    *many = tensor_data(t);
    return true;
}

/* draw(kind, shape, a, b, c): numbers of numpy_kinds.c */
static Value r_draw(Vm *vm, const Args *a)
{
    En e = en_begin_front(vm, &vm->engine->front[FRONT_NUMPY]);
    const char *name = "";
    const NumpyKind *kind;
    double p[3] = {0};
    const double *many[3];
    Tensor *x;
    wf_tensor t;

    if (!en_str(&e, a->v[1], &name))
        return en_fail(&e);
    if (!(kind = numpy_kind(name))) {
        sc_fail(vm, C_ValueError, "draw: no numbers of the kind '%s'", name);
        return en_fail(&e);
    }
    if (!rng_shape(&e, a->v[2], kind->whole ? WF_I64 : WF_F64, &x, &t))
        return en_fail(&e);
    for (int i = 0; i < 3; i++)
        if (!parameter(&e, a->v[3 + i], x->count, &p[i], &many[i]))
            return en_fail(&e);
    for (int64_t k = 0; k < x->count; k++) {
        double y;

        for (int i = 0; i < 3; i++)
            p[i] = many[i] ? many[i][k] : p[i];
        y = kind->draw(sc_native(a->v[0]), p);
        if (kind->whole)
            ((int64_t *)tensor_data(x))[k] = y >= 0x1p63 ? INT64_MAX : (int64_t)y;
        else
            ((double *)tensor_data(x))[k] = y;
    }
    return en_end(&e, t);
}

/* integers(shape, low, high, dtype=int64): low .. high-1 */
static Value r_integers(Vm *vm, const Args *a)
{
    En e = en_begin_front(vm, &vm->engine->front[FRONT_NUMPY]);
    int64_t low = 0, high = 0;
    wf_dtype d = WF_I64;
    Tensor *x;
    wf_tensor t;

    if (!en_int(&e, a->v[2], &low) || !en_int(&e, a->v[3], &high) ||
        !en_dtype(&e, a->v[4], &d) || !rng_shape(&e, a->v[1], d, &x, &t))
        return en_fail(&e);
    if (low >= high) {
        sc_fail(vm, C_ValueError, "low >= high");
        return en_fail(&e);
    }
    if (!numpy_integers(sc_native(a->v[0]), d, tensor_data(x), x->count, (uint64_t)low,
                        (uint64_t)high - 1 - (uint64_t)low)) {
        sc_fail(vm, C_TypeError, "Unsupported dtype dtype('%s')", wf_dtype_name(d));
        return en_fail(&e);
    }
    return en_end(&e, t);
}

/* permutation(n): where the elements of a shuffled sequence stood before */
static Value r_permutation(Vm *vm, const Args *a)
{
    En e = en_begin_front(vm, &vm->engine->front[FRONT_NUMPY]);
    Tensor *x;
    wf_tensor t;

    if (!rng_shape(&e, a->v[1], WF_I64, &x, &t))
        return en_fail(&e);
    numpy_permutation(sc_native(a->v[0]), tensor_data(x), x->count);
    return en_end(&e, t);
}

static bool choose(wf_ctx *c, NumpyRng *r, int64_t *out, int64_t m, int64_t n, bool replace,
                   const double *p, bool shuffle)
{
    T_ENTER(c, false)
    numpy_choice(r, &c->scratch, out, m, n, replace, p, shuffle);
    T_LEAVE(c);
    return true;
}

/* The probabilities of choice: n of them, not negative, of sum 1. */
static bool weights(En *e, Value v, int64_t n, int64_t m, bool replace, double **out)
{
    wf_tensor t = WF_NONE;
    double sum = 0;
    int64_t some = 0;

    *out = NULL;
    if (!en_tensor_opt(e, v, &t) || wf_is_none(t))
        return !sc_failed(e->vm);
    if (wf_count(e->c, t) != n || wf_rank(e->c, t) != 1)
        return sc_fail(e->vm, C_ValueError, "'a' and 'p' must have same size");
    if (!(*out = en_alloc(e, (size_t)n * sizeof **out)) ||
        wf_read_f64(e->c, t, *out, n) != WF_OK)
        return sc_failed(e->vm) ? false : en_raise(e);
    for (int64_t i = 0; i < n; i++) {
        if (!((*out)[i] >= 0))
            return sc_fail(e->vm, C_ValueError, "probabilities are not non-negative");
        sum += (*out)[i];
        some += (*out)[i] > 0;
    }
    if (!(sum > 1 - 1.5e-8 && sum < 1 + 1.5e-8))
        return sc_fail(e->vm, C_ValueError, "probabilities do not sum to 1");
    return replace || some >= m ||
           sc_fail(e->vm, C_ValueError, "Fewer non-zero entries in p than size");
}

/* choice(shape, n, replace=True, p=None, shuffle=True): places of 0 .. n-1 */
static Value r_choice(Vm *vm, const Args *a)
{
    En e = en_begin_front(vm, &vm->engine->front[FRONT_NUMPY]);
    int64_t n = 0;
    bool replace = true, shuffle = true, legacy;
    double *p;
    Tensor *x;
    wf_tensor t;

    if (!en_int(&e, a->v[2], &n) || !en_bool(&e, a->v[3], &replace) ||
        !en_bool(&e, a->v[5], &shuffle) || !rng_shape(&e, a->v[1], WF_I64, &x, &t))
        return en_fail(&e);
    legacy = ((const NumpyRng *)sc_native(a->v[0]))->legacy;
    if (n <= 0 && x->count > 0)
        sc_fail(vm, C_ValueError, "%s cannot be empty unless no samples are taken", legacy ? "'a'" : "a");
    else if (!replace && x->count > n)
        sc_fail(vm, C_ValueError, "Cannot take a larger sample than population when %s",
                legacy ? "'replace=False'" : "replace is False");
    if (sc_failed(vm) || !weights(&e, a->v[4], n, x->count, replace, &p) ||
        !choose(e.c, sc_native(a->v[0]), tensor_data(x), x->count, n, replace, p, shuffle))
        return en_fail(&e);
    return en_end(&e, t);
}

static const NativeDef rng_methods[] = {
    {"assign", r_assign, "self,other"},
    {"words", r_words, "self"},
    {"place", r_place, "self"},
    {"go_on", r_go_on, "self,words,at,has_gauss,gauss"},
    {"uniform", r_uniform, "self,shape|low,high,dtype"},
    {"normal", r_normal, "self,shape|loc,scale,dtype"},
    {"draw", r_draw, "self,kind,shape|a,b,c"},
    {"integers", r_integers, "self,shape,low,high|dtype"},
    {"permutation", r_permutation, "self,n"},
    {"choice", r_choice, "self,shape,n|replace,p,shuffle"},
    {0},
};
const ClassDef rng_def = {
    .name = "Rng", .init = rng_init, .init_params = "|seed,legacy", .methods = rng_methods,
};
