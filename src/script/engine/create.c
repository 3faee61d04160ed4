/* create.c -- tensors from nested lists, ranges and random numbers. */
#include "script/engine/engine.h"
#include "script/long.h"

#include <stdio.h>

/* ---- from nested lists ------------------------------------------------------------- */

typedef struct Scan {
    En *e;
    int64_t dims[WF_MAX_RANK];
    int rank;
    bool has_float, has_int, has_bool, has_tensor, has_complex;
    bool has_wide;    /* ints from 2**63 on */
    wf_dtype dtype;   /* that is asked for, or WF_INVALID */
    wf_tensor *parts; /* of a list that holds tensors: gathered and stacked */
    double *data;
    int64_t *ints;
    int64_t at;
} Scan;

static bool is_seq(Vm *vm, Value v)
{
    return v.tag == T_OBJ && (sc_is(vm, v, C_list) || sc_is(vm, v, C_tuple));
}

static Value *seq_items(Vm *vm, Value v, int64_t *n)
{
    if (sc_is(vm, v, C_list)) {
        *n = ((List *)(void *)v.o)->n;
        return ((List *)(void *)v.o)->v;
    }
    *n = ((Tuple *)(void *)v.o)->n;
    return ((Tuple *)(void *)v.o)->v;
}

/* An int of NumPy's from 2**63 on, which uint64 holds. */
bool en_wide_int(const En *e, Value v, uint64_t *out)
{
    const Long *n;

    if (e->f != &e->vm->engine->front[FRONT_NUMPY] || !is_long(e->vm, v))
        return false;
    n = (const Long *)(const void *)v.o;
    if (n->neg || n->n != 2)
        return false;
    *out = (uint64_t)n->d[1] << 32 | n->d[0];
    return true;
}

bool en_big_int(const En *e, Value v)
{
    int64_t i;

    return e->f == &e->vm->engine->front[FRONT_NUMPY] && is_long(e->vm, v) && !long_fits(v, &i);
}

bool en_too_large(En *e, wf_dtype d, Value v)
{
    uint64_t wide;

    if (d == WF_U32 && en_wide_int(e, v, &wide)) /* NumPy reads it as an unsigned long first */
        return sc_fail(e->vm, C_OverflowError, "Python integer %llu out of bounds for uint32", (unsigned long long)wide);
    return sc_fail(e->vm, C_OverflowError, e->f == &e->vm->engine->front[FRONT_TORCH] ? "int too big to convert"
                                                                                        : "Python int too large to convert to C long");
}

bool en_fits(const En *e, wf_dtype d, int64_t i)
{
    const Front *f = e->vm->engine->front;
    int bits = 8 * (int)wf_dtype_size(d);

    if (!dtype_is_int(d) || (e->f != &f[FRONT_NUMPY] && e->f != &f[FRONT_JAX] && e->f != &f[FRONT_TORCH]))
        return true;
    if (!dtype_is_unsigned(d))
        return bits == 64 || (i >= -((int64_t)1 << (bits - 1)) && i < (int64_t)1 << (bits - 1));
    if (e->f == &f[FRONT_TORCH] && i < 0)
        return bits == 64 || i > -((int64_t)1 << bits);
    return i >= 0 && (bits == 64 || i < (int64_t)1 << bits);
}

bool en_check_fits(En *e, wf_dtype d, int64_t i, bool filled)
{
    const char *name = e->f->dtype_names[d];

    if (en_fits(e, d, i))
        return true;
    if (e->f != &e->vm->engine->front[FRONT_TORCH])
        return sc_fail(e->vm, C_OverflowError, "Python integer %lld out of bounds for %s", (long long)i, name);
    return sc_fail(e->vm, C_RuntimeError, "value cannot be converted to type %s%s without overflow",
                   filled && d == WF_I32 ? "int" : name, filled && d != WF_I32 ? "_t" : "");
}

/* Lists whose lengths differ at a depth, as NumPy says it; true: another library, which has words of its own. */
static bool ragged(const Scan *s, int depth)
{
    char shape[24 * WF_MAX_RANK] = "";
    size_t n = 0;

    if (s->e->f != &s->e->vm->engine->front[FRONT_NUMPY])
        return true;
    for (int i = 0; i < depth && i < s->rank; i++)
        n += (size_t)snprintf(shape + n, sizeof shape - n, i ? ", %lld" : "%lld", (long long)s->dims[i]);
    return sc_fail(s->e->vm, C_ValueError, "setting an array element with a sequence. The requested array has an inhomogeneous shape after "
                   "%d dimensions. The detected shape was (%s%s) + inhomogeneous part.", depth, shape, depth == 1 ? "," : "");
}

/* An int of more than 64 bits among NumPy's elements: uint64 holds it, or a float that is asked for, or nothing does. */
static bool measure_big(Scan *s, Value v)
{
    uint64_t wide;
    double f;

    if ((!s->dtype || s->dtype == WF_U64) && en_wide_int(s->e, v, &wide))
        return s->has_wide = true;
    if (!s->dtype || dtype_is_int(s->dtype))
        return en_too_large(s->e, s->dtype, v);
    return (s->has_float = true) && long_to_double(s->e->vm, v, &f);
}

/* Sizes by the first element at each depth; every other must agree. */
static bool measure(Scan *s, Value v, int depth)
{
    Vm *vm = s->e->vm;
    int64_t n;
    Value *items;

    if (is_tensor(vm, v) || is_size(vm, v) || (depth && sc_is(vm, v, C_range))) {
        s->has_tensor = true;
        return true;
    }
    if (!is_seq(vm, v)) {
        double re, im;

        if (sc_is_complex(vm, v, &re, &im))
            s->has_complex = true;
        else if (v.tag == T_FLOAT)
            s->has_float = true;
        else if (v.tag == T_INT)
            s->has_int = true;
        else if (v.tag == T_BOOL)
            s->has_bool = true;
        else if (is_long(vm, v) && !en_big_int(s->e, v))
            return s->e->f == &vm->engine->front[FRONT_TORCH] ? sc_fail(vm, C_ValueError, "Overflow when unpacking long long")
                                                              : en_too_large(s->e, s->dtype, v);
        else if (!is_long(vm, v))
            return sc_fail(vm, C_TypeError, "cannot make a tensor of '%s'",
                           sc_type_name(vm, v));
        else if (!measure_big(s, v))
            return false;
        if (depth != s->rank)
            return ragged(s, depth) && sc_fail(vm, C_ValueError, "the nested lists are not of one depth");
        return true;
    }
    items = seq_items(vm, v, &n);
    if (depth >= s->rank || s->dims[depth] != n)
        return ragged(s, depth) && sc_fail(vm, C_ValueError,
                       "expected sequence of length %lld at dim %d (got %lld)",
                       (long long)(depth < s->rank ? s->dims[depth] : 0), depth, (long long)n);
    for (int64_t i = 0; i < n; i++)
        if (!measure(s, items[i], depth + 1))
            return false;
    return true;
}

static void fill(Scan *s, Value v)
{
    int64_t n;
    Value *items;

    if (!is_seq(s->e->vm, v)) {
        double re, im, real = v.tag == T_FLOAT ? v.f : (double)v.i;
        uint64_t wide = 0;

        if (v.tag == T_OBJ && en_big_int(s->e, v)) {
            en_wide_int(s->e, v, &wide);
            long_to_double(s->e->vm, v, &real); /* measured before */
        } else {
            wide = (uint64_t)v.i;
        }
        if (s->has_complex) {
            double *to = s->data + 2 * s->at;

            to[0] = real;
            to[1] = 0;
            if (sc_is_complex(s->e->vm, v, &re, &im)) {
                to[0] = re;
                to[1] = im;
            }
        } else if (s->ints)
            s->ints[s->at] = (int64_t)wide;
        else
            s->data[s->at] = real;
        s->at++;
        return;
    }
    items = seq_items(s->e->vm, v, &n);
    for (int64_t i = 0; i < n; i++)
        fill(s, items[i]);
}

/* A list with tensors in it: its elements stacked. */
static wf_tensor stacked(En *e, Value v, wf_dtype dtype)
{
    int64_t n;
    Value *items = seq_items(e->vm, v, &n);
    wf_tensor *parts = sc_alloc(e->vm, ((size_t)n + 1) * sizeof *parts), r;

    if (!parts)
        return WF_NONE;
    for (int64_t i = 0; i < n; i++) {
        parts[i] = en_tensor_from(e, items[i], dtype);
        if (sc_failed(e->vm) || failed(e->c)) {
            sc_free(e->vm, parts, ((size_t)n + 1) * sizeof *parts);
            return WF_NONE;
        }
    }
    r = wf_stack(e->c, parts, (int)n, 0);
    sc_free(e->vm, parts, ((size_t)n + 1) * sizeof *parts);
    return r;
}

wf_tensor en_tensor_from(En *e, Value v, wf_dtype dtype)
{
    Scan s = {.e = e, .dtype = dtype};
    int64_t count = 1, n;
    bool tf = e->f == &e->vm->engine->front[FRONT_TF]; /* its complex numbers are wide, its integers as wide as they must be */
    wf_dtype d;
    wf_tensor t;
    Value range = NIL;
    void *block;

    if (is_tensor(e->vm, v)) {
        if (!en_tensor(e, v, &t))
            return WF_NONE;
        return dtype && wf_dtype_of(e->c, t) != dtype ? wf_cast(e->c, t, dtype) : t;
    }
    if (v.tag == T_OBJ && !is_seq(e->vm, v) && !sc_is(e->vm, v, C_complex) && !en_big_int(e, v)) {
        if (!sc_is(e->vm, v, C_range)) {
            if (!en_tensor(e, v, &t))
                return WF_NONE;
            return dtype ? wf_cast(e->c, t, dtype) : t;
        }
        range = v_obj(sc_tuple_from(e->vm, v));
        if (range.tag == T_NIL)
            return WF_NONE;
        v = range;
    }
    for (Value w = v; is_seq(e->vm, w) && s.rank < WF_MAX_RANK;) {
        Value *items = seq_items(e->vm, w, &n);

        s.dims[s.rank++] = n;
        count *= n;
        if (n == 0)
            break;
        w = items[0];
    }
    if (!measure(&s, v, 0) && !s.has_tensor) {
        sc_drop(e->vm, range);
        return WF_NONE;
    }
    if (s.has_tensor) {
        sc_clear_exc(e->vm);
        t = stacked(e, v, dtype);
        sc_drop(e->vm, range);
        return t;
    }
    if (s.has_wide && s.has_int && !dtype) /* uint64 and int64: NumPy's answer is float64 */
        s.has_float = true;
    d = s.has_complex ? tf ? WF_C128 : dtype_pair(e->f->means.default_float)
        : s.has_float ? e->f->means.default_float
        : s.has_wide ? WF_U64
        : s.has_int ? e->f->int_dtype
        : s.has_bool ? WF_BOOL
                     : e->f->means.default_float;
    if (dtype)
        d = dtype;
    block = sc_alloc(e->vm, (size_t)(count + 1) * 16);
    if (!block) {
        sc_drop(e->vm, range);
        return WF_NONE;
    }
    if (s.has_float || s.has_complex)
        s.data = block;
    else
        s.ints = block;
    fill(&s, v);
    if (!dtype && s.ints && d == WF_I32 && tf)
        for (int64_t i = 0; i < count && d == WF_I32; i++)
            d = s.ints[i] == (int32_t)s.ints[i] ? WF_I32 : WF_I64;
    for (int64_t i = 0; i < count && s.ints && !s.has_wide; i++)
        if (!en_check_fits(e, d, s.ints[i], false)) {
            sc_free(e->vm, block, (size_t)(count + 1) * 16);
            sc_drop(e->vm, range);
            return WF_NONE;
        }
    t = wf_from(e->c, s.has_complex ? WF_C128 : s.has_float ? WF_F64 : s.has_wide ? WF_U64 : WF_I64, s.dims, s.rank, block);
    sc_free(e->vm, block, (size_t)(count + 1) * 16);
    sc_drop(e->vm, range);
    return wf_dtype_of(e->c, t) == d ? t : wf_cast(e->c, t, d);
}

/* tensor(data, dtype=None, copy=True) */
static Value n_tensor(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_dtype d = WF_INVALID;
    bool copy = true;
    wf_tensor t;

    if (!en_dtype(&e, a->v[1], &d) || !en_bool(&e, a->v[2], &copy))
        return en_fail(&e);
    t = en_tensor_from(&e, a->v[0], d);
    if (sc_failed(vm) || failed(e.c))
        return en_fail(&e);
    if (copy && is_tensor(vm, a->v[0]) && !wf_is_symbolic(e.c, t))
        t = wf_copy(e.c, wf_detach(e.c, t));
    return en_end(&e, t);
}

/* ---- filled ------------------------------------------------------------------------ */

/* full(shape, value, dtype=None): the dtype of the value if none is given */
static Value n_full(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    int64_t dims[WF_MAX_RANK];
    int rank;
    wf_dtype d = WF_INVALID;
    wf_tensor x;

    if (!en_shape(&e, a->v[0], dims, &rank) || !en_dtype(&e, a->v[2], &d))
        return en_fail(&e);
    if (a->v[1].tag == T_FLOAT || a->v[1].tag == T_INT || a->v[1].tag == T_BOOL) {
        if (!d)
            d = a->v[1].tag == T_FLOAT ? e.f->means.default_float
                : a->v[1].tag == T_INT ? e.f->int_dtype
                                       : WF_BOOL;
        if (a->v[1].tag == T_INT && e.f->views_write && !en_check_fits(&e, d, a->v[1].i, true)) /* JAX wraps */
            return en_fail(&e);
        if (a->v[1].tag != T_INT || (a->v[1].i <= (int64_t)1 << 53 && a->v[1].i >= -((int64_t)1 << 53)))
            return en_end(&e, wf_full(e.c, d, dims, rank,
                                      a->v[1].tag == T_FLOAT ? a->v[1].f : (double)a->v[1].i));
    }
    if (a->v[1].tag == T_INT)
        x = wf_from(e.c, WF_I64, NULL, 0, &a->v[1].i); /* more digits than a double has */
    else if (en_big_int(&e, a->v[1]))
        x = d == WF_BOOL ? (en_too_large(&e, d, a->v[1]), WF_NONE) : en_tensor_from(&e, a->v[1], d);
    else if (!en_tensor(&e, a->v[1], &x))
        return en_fail(&e);
    if (sc_failed(vm))
        return en_fail(&e);
    if (!d)
        d = wf_dtype_of(e.c, x);
    return en_end(&e, wf_copy(e.c, wf_broadcast_to(e.c, wf_cast(e.c, x, d), dims, rank)));
}

/* blank(shape, dtype): on the meta device */
static Value n_blank(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    int64_t dims[WF_MAX_RANK];
    wf_dtype d = e.f->means.default_float;
    int rank;

    if (!en_shape(&e, a->v[0], dims, &rank) || !en_dtype(&e, a->v[1], &d))
        return en_fail(&e);
    return en_end(&e, tensor_meta(e.c, d, dims, rank));
}

/* arange(start, stop, step, dtype=None), all numbers */
static Value n_arange(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    double start = 0, stop = 0, step = 1;
    wf_dtype d = WF_INVALID;
    bool real = false;

    for (int i = 0; i < 3; i++)
        real = real || a->v[i].tag == T_FLOAT ||
               (is_tensor(vm, a->v[i]) && dtype_is_float(wf_dtype_of(e.c, as_tensor(a->v[i])->t)));
    if (!en_float(&e, a->v[0], &start) || !en_float(&e, a->v[1], &stop) ||
        !en_float(&e, a->v[2], &step) || !en_dtype(&e, a->v[3], &d))
        return en_fail(&e);
    if (!d)
        d = real ? e.f->means.default_float : e.f->int_dtype;
    return en_end(&e, wf_arange(e.c, d, start, stop, step));
}

static Value n_linspace(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    double start = 0, stop = 0;
    int64_t n = 50;
    bool endpoint = true;
    wf_dtype d = e.f->means.default_float;

    if (!en_float(&e, a->v[0], &start) || !en_float(&e, a->v[1], &stop) ||
        !en_int(&e, a->v[2], &n) || !en_bool(&e, a->v[3], &endpoint) ||
        !en_dtype(&e, a->v[4], &d))
        return en_fail(&e);
    return en_end(&e, wf_linspace(e.c, d, start, stop, n, endpoint));
}

/* eye(n, m, k, dtype) and tri */
static Value square(Vm *vm, const Args *a,
                    wf_tensor (*fn)(wf_ctx *, wf_dtype, int64_t, int64_t, int))
{
    En e = en_begin(vm, a);
    int64_t n = 0, m, k = 0;
    wf_dtype d = e.f->means.default_float;

    if (!en_size(&e, a->v[0], &n) || (m = n, !en_size(&e, a->v[1], &m)) ||
        !en_int(&e, a->v[2], &k) || !en_dtype(&e, a->v[3], &d))
        return en_fail(&e);
    return en_end(&e, fn(e.c, d, n, m, (int)k));
}
static Value n_eye(Vm *vm, const Args *a) { return square(vm, a, wf_eye); }
static Value n_tri(Vm *vm, const Args *a) { return square(vm, a, wf_tri); }

/* ---- random numbers: the front's generator (PyTorch's) ----------------------------- */

static wf_generator *generator(En *e)
{
    if (!en_may_draw(e->vm))
        return NULL;
    if (!e->f->generator)
        wf_generator_new(e->c, 5489, &e->f->generator);
    return e->f->generator;
}

static Value n_manual_seed(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    int64_t seed = 0;

    if (!en_int(&e, a->v[0], &seed) || !generator(&e))
        return en_fail(&e);
    wf_generator_seed(generator(&e), (uint64_t)seed);
    return en_end_value(&e, NONE);
}

/* rand(shape, dtype), randn(shape, dtype) */
static Value drawn(Vm *vm, const Args *a,
                   wf_tensor (*fn)(wf_ctx *, wf_generator *, wf_dtype, const int64_t *, int))
{
    En e = en_begin(vm, a);
    int64_t dims[WF_MAX_RANK];
    int rank;
    wf_dtype d = e.f->means.default_float;

    if (!en_shape(&e, a->v[0], dims, &rank) || !en_dtype(&e, a->v[1], &d) || !generator(&e))
        return en_fail(&e);
    return en_end(&e, fn(e.c, generator(&e), d, dims, rank));
}
static Value n_rand(Vm *vm, const Args *a) { return drawn(vm, a, wf_rand); }
static Value n_randn(Vm *vm, const Args *a) { return drawn(vm, a, wf_randn); }

/* uniform(shape, from, to, dtype), normal(shape, mean, std, dtype) */
static Value ranged(Vm *vm, const Args *a,
                    wf_tensor (*fn)(wf_ctx *, wf_generator *, wf_dtype, const int64_t *, int,
                                    double, double))
{
    En e = en_begin(vm, a);
    int64_t dims[WF_MAX_RANK];
    int rank;
    double lo = 0, hi = 1;
    wf_dtype d = e.f->means.default_float;

    if (!en_shape(&e, a->v[0], dims, &rank) || !en_float(&e, a->v[1], &lo) ||
        !en_float(&e, a->v[2], &hi) || !en_dtype(&e, a->v[3], &d) || !generator(&e))
        return en_fail(&e);
    return en_end(&e, fn(e.c, generator(&e), d, dims, rank, lo, hi));
}
static Value n_uniform(Vm *vm, const Args *a) { return ranged(vm, a, wf_uniform); }
static Value n_normal(Vm *vm, const Args *a) { return ranged(vm, a, wf_normal); }

static Value n_randint(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    int64_t dims[WF_MAX_RANK], lo = 0, hi = 0;
    int rank;
    wf_dtype d = e.f->int_dtype;

    if (!en_int(&e, a->v[0], &lo) || !en_int(&e, a->v[1], &hi) ||
        !en_shape(&e, a->v[2], dims, &rank) || !en_dtype(&e, a->v[3], &d) || !generator(&e))
        return en_fail(&e);
    return en_end(&e, wf_randint(e.c, generator(&e), d, dims, rank, lo, hi));
}

static Value n_randperm(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    int64_t n = 0;

    if (!en_int(&e, a->v[0], &n) || !generator(&e))
        return en_fail(&e);
    return en_end(&e, wf_randperm(e.c, generator(&e), n));
}

/* ---- text -------------------------------------------------------------------------- */

/* text(x, style, options..): style is one of numpy numpy_repr torch jax tf tf_repr */
static Value n_text(Vm *vm, const Args *a)
{
    static const char *const styles[] = {"numpy", "numpy_repr", "torch", "jax", "tf", "tf_repr"};
    En e = en_begin(vm, a);
    wf_text_options o = WF_TEXT_OPTIONS;
    const char *style = "numpy", *text = NULL;
    int64_t precision = -1, threshold = -1, edge = -1, width = -1, sci = -1;
    int k;
    wf_tensor t;

    if (!en_tensor(&e, a->v[0], &t) || !en_str(&e, a->v[1], &style) ||
        !en_int(&e, a->v[2], &precision) || !en_int(&e, a->v[3], &threshold) ||
        !en_int(&e, a->v[4], &edge) || !en_int(&e, a->v[5], &width) ||
        !en_int(&e, a->v[6], &sci) || !en_bool(&e, a->v[7], &o.suppress) ||
        !en_str(&e, a->v[8], &o.grad_fn) || !en_bool(&e, a->v[9], &o.parameter))
        return en_fail(&e);
    o.precision = (int)precision;
    o.threshold = threshold;
    o.edgeitems = edge;
    o.linewidth = (int)width;
    o.sci_mode = (int)sci;
    for (k = 0; k < COUNT(styles) - 1 && strcmp(styles[k], style); k++)
        ;
    if (wf_text(e.c, t, (wf_style)k, &o, &text) != WF_OK)
        return en_fail(&e);
    return en_end_value(&e, v_obj(sc_str(vm, text)));
}

/* The digits that ship with the library: (x f32[1797,64] in 0..1, y i64[1797]) */
static Value n_digits(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor t[2] = {WF_NONE, WF_NONE};
    Value v;

    wf_data_digits(e.c, &t[0], &t[1]);
    v = en_end_tuple(&e, t, 2);
    for (int i = 0; i < 2; i++)
        if (!wf_is_none(t[i]))
            wf_drop(vm->cx, t[i]);
    return v;
}

/* ---- files ------------------------------------------------------------------------- */

static Value n_load_npy(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    const char *path = NULL;
    wf_array *x = NULL;
    wf_tensor t = WF_NONE;

    if (!sc_may(vm, "reach files") || !en_str(&e, a->v[0], &path))
        return en_fail(&e);
    if (wf_npy_load(e.c, path, &x) == WF_OK) {
        t = wf_copy(e.c, wf_from_array(e.c, x));
        wf_array_release(x);
    }
    return en_end(&e, t);
}

static Value n_save_npy(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    const char *path = NULL;
    wf_array *x = NULL;
    wf_tensor t;

    if (!sc_may(vm, "reach files") || !en_str(&e, a->v[0], &path) || !en_tensor(&e, a->v[1], &t))
        return en_fail(&e);
    if (wf_to_array(e.c, wf_copy(e.c, t), &x) == WF_OK) {
        wf_npy_save(e.c, path, x);
        wf_array_release(x);
    }
    return en_end_value(&e, NONE);
}

/* ---- bytes: elements in the machine's order, row by row -------------------------------- */

/* from_bytes(data, dtype, offset, count): one axis; count -1: all that are there */
static Value n_from_bytes(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_dtype d = WF_U8;
    const uint8_t *p;
    int64_t n, at = 0, count = -1, size;

    if (!sc_bytes_view(vm, a->v[0], &p, &n) || !en_dtype(&e, a->v[1], &d) || !en_int(&e, a->v[2], &at) ||
        !en_int(&e, a->v[3], &count))
        return en_fail(&e);
    size = (int64_t)wf_dtype_size(d);
    if (at < 0 || at > n)
        sc_raise(vm, C_ValueError, "offset must be non-negative and no greater than buffer length (%lld)",
                 (long long)n);
    else if (count < 0 && (n - at) % size)
        sc_raise(vm, C_ValueError, "buffer size must be a multiple of element size");
    else if (count > (n - at) / size)
        sc_raise(vm, C_ValueError, "buffer is smaller than requested size");
    if (sc_failed(vm))
        return en_fail(&e);
    if (count < 0)
        count = (n - at) / size;
    return en_end(&e, wf_from(e.c, d, &count, 1, p + at));
}

static Value n_to_bytes(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor t;
    size_t n;
    void *p;

    if (!en_tensor(&e, a->v[0], &t))
        return en_fail(&e);
    n = (size_t)wf_count(e.c, t) * wf_dtype_size(wf_dtype_of(e.c, t));
    p = en_alloc(&e, n + 1);
    if (!p || wf_read(e.c, t, p, n) != WF_OK)
        return en_fail(&e);
    return en_end_value(&e, sc_bytes(vm, p, (int64_t)n));
}

const NativeDef engine_create[] = {
    {"from_bytes", n_from_bytes, "data,dtype|offset,count"},
    {"to_bytes", n_to_bytes, "x"},
    {"load_npy", n_load_npy, "path"},
    {"save_npy", n_save_npy, "path,x"},
    {"digits", n_digits, ""},
    {"tensor", n_tensor, "data|dtype,copy"},
    {"full", n_full, "shape,value|dtype"},
    {"beside", en_number_beside, "number,x,how"},
    {"blank", n_blank, "shape,dtype"},
    {"arange", n_arange, "start,stop|step,dtype"},
    {"linspace", n_linspace, "start,stop|n,endpoint,dtype"},
    {"eye", n_eye, "n|m,k,dtype"},
    {"tri", n_tri, "n|m,k,dtype"},
    {"manual_seed", n_manual_seed, "seed"},
    {"rand", n_rand, "shape|dtype"},
    {"randn", n_randn, "shape|dtype"},
    {"uniform", n_uniform, "shape|low,high,dtype"},
    {"normal", n_normal, "shape|mean,std,dtype"},
    {"randint", n_randint, "low,high,shape|dtype"},
    {"randperm", n_randperm, "n"},
    {"text", n_text,
     "x|style,precision,threshold,edgeitems,linewidth,sci_mode,suppress,grad_fn,parameter"},
    {0},
};
