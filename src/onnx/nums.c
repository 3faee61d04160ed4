/* nums.c -- integers that are made of sizes.
 *
 * Exporters compute shapes: Shape, Gather, Concat, Reshape. Here such integers stay what they
 * are, sizes: so what is reshaped has a size the program knows, and one program serves all.
 * An integer is a number, a size (perhaps symbolic, an expression of symbols), or, where it
 * comes out of data, an i64 scalar of the program, which ox_size turns into a size that is
 * known at run time only.
 */
#include "onnx/onnx.h"

OxNum ox_number(int64_t v) { return (OxNum){OX_NUMBER, v, WF_NONE}; }
OxNum ox_num_size(int64_t size) { return (OxNum){size < 0 ? OX_SIZE : OX_NUMBER, size, WF_NONE}; }

bool ox_is_number(OxNum n, int64_t *out)
{
    *out = n.v;
    return n.kind == OX_NUMBER;
}

wf_tensor ox_num_tensor(OxRun *r, OxNum n)
{
    return n.kind == OX_NUMBER ? wf_from(r->c, WF_I64, NULL, 0, &n.v)
           : n.kind == OX_SIZE ? wf_cast(r->c, wf_size_tensor(r->c, n.v), WF_I64)
                               : n.t;
}

int64_t ox_size(OxRun *r, OxNum n)
{
    if (n.kind == OX_DYNAMIC)
        return wf_size_from(r->c, n.t);
    if (n.kind == OX_NUMBER && n.v < 0)
        return ox_fail(r, WF_ERR_SHAPE, "a size of %lld", (long long)n.v), 0;
    return n.kind == OX_SIZE ? wf_size_add(r->c, n.v, 0) : n.v; /* of a graph around this one: as it is said here */
}

const OxNum *ox_nums_of(OxRun *r, const OxValue *v, int *n)
{
    wf_tensor t = WF_NONE, at;
    int64_t count, *read;
    OxNum *out;
    bool known;

    *n = v->nnums;
    if (v->nums)
        return v->nums;
    known = ox_concrete(r, v, &t);
    if (!known)
        t = ox_tensor_of(r, v);
    if (!ox_ok(r))
        return NULL;
    count = wf_rank(r->c, t) == 0 ? 1 : wf_size(r->c, t, 0);
    if (wf_rank(r->c, t) > 1 || count < 0 || count > OX_MAX)
        return ox_fail(r, WF_ERR_UNSUPPORTED, "needs a vector of integers whose length is known"), NULL;
    *n = (int)count;
    out = ox_alloc(&r->mem, (size_t)count + 1, sizeof *out);
    read = ox_alloc(&r->mem, (size_t)count + 1, sizeof *read);
    if (!out || !read)
        return NULL;
    if (known) {
        wf_read(r->c, wf_copy(r->c, wf_cast(r->c, t, WF_I64)), read, (size_t)count * 8);
        for (int64_t i = 0; i < count; i++)
            out[i] = ox_number(read[i]);
    } else {
        t = wf_cast(r->c, t, WF_I64);
        for (int64_t i = 0; i < count; i++) {
            at = wf_rank(r->c, t) ? wf_index_get(r->c, t, (wf_index[]){wf_at_int(i)}, 1) : t;
            out[i] = (OxNum){OX_DYNAMIC, 0, at};
        }
    }
    return ox_ok(r) ? out : NULL;
}

const OxNum *ox_nums(OxRun *r, size_t i, int *n)
{
    if (!ox_has(r, i))
        return ox_fail(r, WF_ERR_FORMAT, "input %zu is missing", i), NULL;
    return ox_nums_of(r, ox_value(r, i), n);
}

bool ox_numbers(OxRun *r, size_t i, int64_t *out, int room, int *n)
{
    const OxNum *v;

    *n = 0;
    if (!ox_has(r, i))
        return true;
    if (!(v = ox_nums(r, i, n)))
        return false;
    if (*n > room)
        return ox_fail(r, WF_ERR_LIMIT, "input %zu has %d elements, at most %d", i, *n, room);
    for (int k = 0; k < *n; k++)
        if (!ox_is_number(v[k], &out[k]))
            return ox_fail(r, WF_ERR_UNSUPPORTED,
                           "input %zu ('%.80s') must be known when the model is opened", i, r->node->in.v[i]);
    return true;
}

bool ox_axes(OxRun *r, size_t i, const char *attr, int rank, int *axes, int *n)
{
    int64_t v[WF_MAX_RANK];
    const int64_t *given = v;
    bool none = false;

    if (ox_has(r, i)) {
        if (!ox_numbers(r, i, v, WF_MAX_RANK, n))
            return false;
    } else {
        given = ox_ints(r, attr, n);
        none = !given;
    }
    if (*n > WF_MAX_RANK)
        return ox_fail(r, WF_ERR_LIMIT, "%d axes", *n);
    for (int k = 0; k < *n; k++) {
        int64_t a = given[k] < 0 ? given[k] + rank : given[k];

        if (a < 0 || a >= rank)
            return ox_fail(r, WF_ERR_VALUE, "axis %lld of a tensor of rank %d", (long long)given[k], rank);
        axes[k] = (int)a;
    }
    if (none)
        *n = -1;
    return true;
}

void ox_set_nums(OxRun *r, size_t i, const OxNum *v, int n, int rank, OxElem elem)
{
    ox_put_value(r, i,
                 (OxValue){.kind = OX_TENSOR, .nums = v, .nnums = n, .num_rank = rank, .num_elem = elem});
}

/* ---- arithmetic ---------------------------------------------------------------------------- */

typedef OxNum (*NumOp)(OxRun *r, OxNum a, OxNum b);

static OxNum dynamic(OxRun *r, OxNum a, OxNum b, wf_tensor (*fn)(wf_ctx *, wf_tensor, wf_tensor))
{
    wf_tensor factor = ox_num_tensor(r, b);

    return (OxNum){OX_DYNAMIC, 0, fn(r->c, ox_num_tensor(r, a), factor)};
}

static bool numbers(OxNum a, OxNum b) { return a.kind == OX_NUMBER && b.kind == OX_NUMBER; }
/* a size each, and no negative number */
static bool sizes(OxNum a, OxNum b)
{
    return a.kind != OX_DYNAMIC && b.kind != OX_DYNAMIC && (a.kind == OX_SIZE || a.v >= 0) &&
           (b.kind == OX_SIZE || b.v >= 0);
}

OxNum ox_num_add(OxRun *r, OxNum a, OxNum b)
{
    if (numbers(a, b))
        return ox_number((int64_t)((uint64_t)a.v + (uint64_t)b.v));
    if (b.kind == OX_NUMBER && b.v < 0 && b.v > INT64_MIN)
        return ox_num_sub(r, a, ox_number(-b.v));
    if (a.kind == OX_NUMBER && a.v < 0 && a.v > INT64_MIN)
        return ox_num_sub(r, b, ox_number(-a.v));
    return sizes(a, b) ? ox_num_size(wf_size_add(r->c, a.v, b.v)) : dynamic(r, a, b, wf_add);
}

OxNum ox_num_sub(OxRun *r, OxNum a, OxNum b)
{
    if (numbers(a, b))
        return ox_number((int64_t)((uint64_t)a.v - (uint64_t)b.v));
    if (b.kind == OX_NUMBER && b.v < 0 && b.v > INT64_MIN)
        return ox_num_add(r, a, ox_number(-b.v));
    return sizes(a, b) ? ox_num_size(wf_size_sub(r->c, a.v, b.v)) : dynamic(r, a, b, wf_sub);
}

OxNum ox_num_mul(OxRun *r, OxNum a, OxNum b)
{
    if (numbers(a, b))
        return ox_number((int64_t)((uint64_t)a.v * (uint64_t)b.v));
    return sizes(a, b) ? ox_num_size(wf_size_mul(r->c, a.v, b.v)) : dynamic(r, a, b, wf_mul);
}

static OxNum num_div(OxRun *r, OxNum a, OxNum b)
{
    if (numbers(a, b) && b.v != 0 && b.v != -1)
        return ox_number(a.v / b.v);
    if (sizes(a, b) && !(b.kind == OX_NUMBER && b.v == 0))
        return ox_num_size(wf_size_div(r->c, a.v, b.v));
    return dynamic(r, a, b, ox_trunc_div);
}

static OxNum num_mod(OxRun *r, OxNum a, OxNum b)
{
    if (numbers(a, b) && b.v > 0)
        return ox_number(((a.v % b.v) + b.v) % b.v);
    if (sizes(a, b) && !(b.kind == OX_NUMBER && b.v == 0))
        return ox_num_size(wf_size_mod(r->c, a.v, b.v));
    return dynamic(r, a, b, wf_remainder);
}

OxNum ox_num_max(OxRun *r, OxNum a, OxNum b)
{
    return numbers(a, b) ? ox_number(MAX(a.v, b.v))
           : a.kind == OX_NUMBER && a.v <= 0 && b.kind == OX_SIZE ? b
           : b.kind == OX_NUMBER && b.v <= 0 && a.kind == OX_SIZE ? a
                                                                  : dynamic(r, a, b, wf_maximum);
}

OxNum ox_num_min(OxRun *r, OxNum a, OxNum b)
{
    return numbers(a, b) ? ox_number(MIN(a.v, b.v)) : dynamic(r, a, b, wf_minimum);
}

/* Elementwise on vectors and scalars. */
static bool nums_binary(OxRun *r, NumOp fn)
{
    const OxValue *x = ox_value(r, 0), *y = ox_value(r, 1);
    int na, nb, n;
    const OxNum *a = ox_nums_of(r, x, &na), *b = ox_nums_of(r, y, &nb);
    OxNum *out;
    bool vector = (x->nums ? x->num_rank : wf_rank(r->c, x->t)) || (y->nums ? y->num_rank : wf_rank(r->c, y->t));

    if (!a || !b || (na != nb && na != 1 && nb != 1))
        return false;
    n = na == 1 ? nb : na;
    if (!(out = ox_alloc(&r->mem, (size_t)n + 1, sizeof *out)))
        return false;
    for (int i = 0; i < n; i++)
        out[i] = fn(r, a[na == 1 ? 0 : i], b[nb == 1 ? 0 : i]);
    ox_set_nums(r, 0, out, n, vector, ox_elem_of(r, 0));
    return true;
}

bool ox_nums_add(OxRun *r) { return nums_binary(r, ox_num_add); }
bool ox_nums_sub(OxRun *r) { return nums_binary(r, ox_num_sub); }
bool ox_nums_mul(OxRun *r) { return nums_binary(r, ox_num_mul); }
bool ox_nums_div(OxRun *r) { return nums_binary(r, num_div); }
bool ox_nums_mod(OxRun *r) { return !ox_int(r, "fmod", 0) && nums_binary(r, num_mod); }
bool ox_nums_max(OxRun *r) { return ox_nin(r) == 2 && nums_binary(r, ox_num_max); }
bool ox_nums_min(OxRun *r) { return ox_nin(r) == 2 && nums_binary(r, ox_num_min); }

/* Where(cond, x, y) with a condition that is known. */
bool ox_nums_where(OxRun *r)
{
    int nc, na, nb, n;
    const OxNum *c = ox_nums(r, 0, &nc), *a = ox_nums(r, 1, &na), *b = ox_nums(r, 2, &nb);
    OxNum *out;
    int64_t is;

    if (!c || !a || !b)
        return false;
    n = MAX(nc, MAX(na, nb));
    if ((nc != n && nc != 1) || (na != n && na != 1) || (nb != n && nb != 1) ||
        !(out = ox_alloc(&r->mem, (size_t)n + 1, sizeof *out)))
        return false;
    for (int i = 0; i < n; i++) {
        if (!ox_is_number(c[nc == 1 ? 0 : i], &is))
            return false;
        out[i] = is ? a[na == 1 ? 0 : i] : b[nb == 1 ? 0 : i];
    }
    ox_set_nums(r, 0, out, n, 1, ox_elem_of(r, 1));
    return true;
}

/* Equal, where it is known: of numbers, of equal sizes, of a size and a negative number. */
bool ox_nums_equal(OxRun *r)
{
    int na, nb, n;
    const OxNum *a = ox_nums(r, 0, &na), *b = ox_nums(r, 1, &nb);
    OxNum *out;

    if (!a || !b || (na != nb && na != 1 && nb != 1))
        return false;
    n = na == 1 ? nb : na;
    if (!(out = ox_alloc(&r->mem, (size_t)n + 1, sizeof *out)))
        return false;
    for (int i = 0; i < n; i++) {
        OxNum x = a[na == 1 ? 0 : i], y = b[nb == 1 ? 0 : i];

        if (numbers(x, y))
            out[i] = ox_number(x.v == y.v);
        else if (x.kind == OX_DYNAMIC || y.kind == OX_DYNAMIC)
            return false;
        else if ((x.kind == OX_NUMBER && x.v < 0) || (y.kind == OX_NUMBER && y.v < 0))
            out[i] = ox_number(0);
        else if (wf_size_equal(r->c, x.v, y.v))
            out[i] = ox_number(1);
        else
            return false;
    }
    ox_set_nums(r, 0, out, n, na > 1 || nb > 1 || ox_value(r, 0)->num_rank || ox_value(r, 1)->num_rank, OX_BOOL);
    return true;
}

/* ---- rearranging --------------------------------------------------------------------------- */

bool ox_nums_gather(OxRun *r)
{
    const OxValue *ix = ox_value(r, 1);
    int n, k;
    const OxNum *v = ox_nums(r, 0, &n), *at = v ? ox_nums_of(r, ix, &k) : NULL;
    OxNum *out;
    int64_t i;
    int rank = !at ? 0 : ix->nums ? ix->num_rank : wf_rank(r->c, ix->t);

    if (!at || !ox_value(r, 0)->num_rank || !(out = ox_alloc(&r->mem, (size_t)k + 1, sizeof *out)))
        return false;
    for (int j = 0; j < k; j++) {
        if (!ox_is_number(at[j], &i) || i < -n || i >= n)
            return false;
        out[j] = v[i < 0 ? i + n : i];
    }
    ox_set_nums(r, 0, out, k, rank, ox_value(r, 0)->num_elem);
    return true;
}

static bool nums_concat(OxRun *r)
{
    size_t nin = ox_nin(r);
    OxNum *out = ox_alloc(&r->mem, OX_MAX, sizeof *out);
    int total = 0, n;

    for (size_t i = 0; i < nin && out; i++) {
        const OxNum *v = ox_nums(r, i, &n);

        if (!v || total + n > OX_MAX)
            return false;
        memcpy(out + total, v, (size_t)n * sizeof *v);
        total += n;
    }
    if (out)
        ox_set_nums(r, 0, out, total, 1, ox_elem_of(r, 0));
    return out != NULL;
}

/* Input i, one number; *out stays if it is left out. False: it is something else. */
static bool one_number(OxRun *r, size_t i, int64_t *out)
{
    const OxNum *v;
    int n;

    return !ox_has(r, i) || ((v = ox_nums(r, i, &n)) && n == 1 && ox_is_number(v[0], out));
}

static bool nums_slice(OxRun *r)
{
    int64_t start = 0, stop = INT64_MAX, step = 1, axis = 0;
    int n, count = 0;
    const OxNum *v = ox_nums(r, 0, &n);
    OxNum *out;

    if (!v || !ox_value(r, 0)->num_rank || ox_opset(r) < 10 || !one_number(r, 1, &start) ||
        !one_number(r, 2, &stop) || !one_number(r, 3, &axis) || !one_number(r, 4, &step) ||
        step == 0 || !(out = ox_alloc(&r->mem, (size_t)n + 1, sizeof *out)))
        return false;
    int64_t lo = step < 0 ? -1 : 0, hi = step < 0 ? n - 1 : n;
    start = start < -n ? lo : start < 0 ? start + n : MIN(start, hi);
    stop = stop < -n ? lo : stop < 0 ? stop + n : MIN(stop, hi);
    for (int64_t i = start; step > 0 ? i < stop : i > stop; i += step)
        out[count++] = v[i];
    ox_set_nums(r, 0, out, count, 1, ox_value(r, 0)->num_elem);
    return true;
}

/* The same elements with another rank, 0 or 1. */
static bool nums_as(OxRun *r, int from, int to)
{
    int n;
    const OxNum *v = ox_nums(r, 0, &n);

    if (!v || ox_value(r, 0)->num_rank != from || (to == 0 && n != 1))
        return false;
    ox_set_nums(r, 0, v, n, to, ox_value(r, 0)->num_elem);
    return true;
}

bool ox_nums_unsqueeze(OxRun *r) { return nums_as(r, 0, 1); }
bool ox_nums_squeeze(OxRun *r) { return nums_as(r, 1, 0); }

bool ox_nums_reshape(OxRun *r)
{
    const OxNum *to;
    int64_t length;
    int n;

    if (!(to = ox_nums(r, 1, &n)) || n > 1 ||
        (n == 1 && (!ox_is_number(to[0], &length) || (length >= 0 && length != ox_value(r, 0)->nnums))))
        return false;
    return nums_as(r, ox_value(r, 0)->num_rank, n);
}

static bool nums_cast(OxRun *r)
{
    int64_t to = ox_int(r, "to", 0);
    const OxValue *v = ox_value(r, 0);

    if (to != OX_INT64 && to != OX_INT32)
        return false;
    ox_set_nums(r, 0, v->nums, v->nnums, v->num_rank, (OxElem)to);
    return true;
}

bool ox_nums_product(OxRun *r, bool keep)
{
    const OxValue *v = ox_value(r, 0);
    OxNum *p = ox_alloc(&r->mem, 1, sizeof *p);

    if (!p || !v->num_rank)
        return false;
    *p = ox_number(1);
    for (int i = 0; i < v->nnums; i++)
        *p = ox_num_mul(r, *p, v->nums[i]);
    ox_set_nums(r, 0, p, 1, keep, v->num_elem);
    return true;
}

static bool nums_prod(OxRun *r) { return ox_nums_product(r, ox_int(r, "keepdims", 1) != 0); }

bool ox_nums_identity(OxRun *r) { return nums_as(r, ox_value(r, 0)->num_rank, ox_value(r, 0)->num_rank); }

static const OxNumOp table[] = {
    {"Add", ox_nums_add},         {"Sub", ox_nums_sub},           {"Mul", ox_nums_mul},
    {"Div", ox_nums_div},         {"Mod", ox_nums_mod},           {"Max", ox_nums_max},
    {"Min", ox_nums_min},         {"Where", ox_nums_where},       {"Equal", ox_nums_equal},
    {"Gather", ox_nums_gather},   {"Concat", nums_concat},     {"Slice", nums_slice},
    {"Unsqueeze", ox_nums_unsqueeze}, {"Squeeze", ox_nums_squeeze}, {"Reshape", ox_nums_reshape},
    {"Cast", nums_cast},       {"ReduceProd", nums_prod},   {"Identity", ox_nums_identity},
};

/* Are all inputs integers of rank 0 or 1 that are known as sizes or numbers, at least one as sizes? */
static bool fits(OxRun *r)
{
    bool any = false;
    wf_tensor t;

    for (size_t i = 0; i < r->node->in.n; i++) {
        const OxValue *v = ox_value(r, i);

        if (v->kind == OX_NOTHING)
            continue;
        if (v->kind != OX_TENSOR || v->narrow)
            return false;
        if (v->nums) {
            any = true;
            continue;
        }
        if (!ox_concrete(r, v, &t) || wf_rank(r->c, t) > 1 || wf_count(r->c, t) > OX_MAX ||
            wf_dtype_is_float(wf_dtype_of(r->c, t)))
            return false;
    }
    return any;
}

bool ox_try_nums(OxRun *r)
{
    const OxDialect *d = r->dialect;
    const char *domain = r->node->domain;

    if ((domain && *domain && strcmp(domain, "ai.onnx") != 0) || r->node->out.n != 1)
        return false;
    for (size_t i = 0; i < d->nnums; i++)
        if (strcmp(d->nums[i].name, r->node->op) == 0)
            return fits(r) && d->nums[i].run(r) && ox_ok(r);
    return false;
}

const OxDialect onnx_dialect = {"ONNX", "onnx", ox_find_op, table, sizeof table / sizeof *table};
