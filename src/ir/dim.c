/* dim.c -- symbolic dimensions in one canonical form.
 *
 *   method   Every expression is a polynomial over atoms (symbols, floor-divisions, mins, maxes). Polynomials
 *            are kept sorted and interned, children before parents, so that equal canonical forms are equal
 *            integers. mod(a,b) becomes a - b*floor(a/b), so only one of the two exists.
 *   limits   MAX_TERMS terms in a polynomial; coefficients are checked 64-bit numbers.
 */
#include "ir/ir.h"

#define MAX_TERMS 128

#define MAX_NODES (1u << DIM_BITS)

typedef struct Poly { /* unsorted while it is made */
    int64_t c;
    uint32_t n;
    DimTerm t[MAX_TERMS];
} Poly;

void dims_init(Dims *t, wf_ctx *cx, Arena *a)
{
    *t = (Dims){.cx = cx, .a = a};
}

static Dim too_big(Dims *t)
{
    fail(t->cx, WF_ERR_LIMIT, NOWHERE, "a dimension is too large or too complicated");
    return DIM_NONE;
}

/* ---- interning ---- */

static uint64_t node_hash(const DimNode *n)
{
    uint64_t h = hash_mix(n->kind, n->kind == DIM_SYM ? n->sym : 0);

    if (n->kind == DIM_POLY) {
        h = hash_mix(h, (uint64_t)n->constant);
        for (uint32_t i = 0; i < n->nterms; i++) {
            h = hash_mix(h, (uint64_t)n->terms[i].coef);
            for (uint32_t j = 0; j < n->terms[i].natoms; j++)
                h = hash_mix(h, (uint64_t)n->terms[i].atoms[j]);
        }
    } else if (n->kind != DIM_SYM) {
        h = hash_mix(hash_mix(h, (uint64_t)n->a), (uint64_t)n->b);
    }
    return h;
}

static bool same_atoms(const DimTerm *x, const DimTerm *y)
{
    return x->natoms == y->natoms &&
           (x->natoms == 0 || memcmp(x->atoms, y->atoms, x->natoms * sizeof(Dim)) == 0);
}

static bool same_node(const DimNode *x, const DimNode *y)
{
    if (x->hash != y->hash || x->kind != y->kind)
        return false;
    if (x->kind == DIM_SYM)
        return x->sym == y->sym;
    if (x->kind != DIM_POLY)
        return x->a == y->a && x->b == y->b;
    if (x->constant != y->constant || x->nterms != y->nterms)
        return false;
    for (uint32_t i = 0; i < x->nterms; i++)
        if (x->terms[i].coef != y->terms[i].coef || !same_atoms(&x->terms[i], &y->terms[i]))
            return false;
    return true;
}

static void grow_slots(Dims *t)
{
    uint32_t n = t->nslots ? t->nslots * 2 : 64;
    uint32_t *slots = arena_zalloc(t->a, n * sizeof *slots);

    for (uint32_t i = 0; i < t->nodes.n; i++) {
        uint64_t h = t->nodes.v[i].hash;
        while (slots[h & (n - 1)])
            h++;
        slots[h & (n - 1)] = i + 1;
    }
    t->slots = slots;
    t->nslots = n;
}

/* The terms of a new POLY are copied into the table's arena. */
static uint32_t weight_of(const Dims *t, Dim d) { return d >= 0 ? 1 : dim_node(t, d)->weight; }

/* Of a new node; each of its parts has DIM_MAX_WEIGHT at most. */
static uint64_t weigh(const Dims *t, const DimNode *n)
{
    uint64_t w = 1;

    if (n->kind == DIM_SYM)
        return w;
    if (n->kind != DIM_POLY)
        return w + weight_of(t, n->a) + weight_of(t, n->b);
    for (uint32_t i = 0; i < n->nterms; i++)
        for (uint32_t k = 0; k < n->terms[i].natoms; k++)
            w += weight_of(t, n->terms[i].atoms[k]);
    return w;
}

static Dim intern_node(Dims *t, DimNode n)
{
    uint64_t h, weight = weigh(t, &n);

    n.hash = node_hash(&n);
    if ((t->nodes.n + 1) * 2 > t->nslots)
        grow_slots(t);
    for (h = n.hash; t->slots[h & (t->nslots - 1)]; h++) {
        uint32_t i = t->slots[h & (t->nslots - 1)] - 1;
        if (same_node(&t->nodes.v[i], &n))
            return -(Dim)i - 1 - t->base;
    }
    if (t->nodes.n >= MAX_NODES || weight > DIM_MAX_WEIGHT)
        return too_big(t);
    n.weight = (uint32_t)weight;
    if (n.kind == DIM_POLY) {
        DimTerm *terms = arena_array(t->a, n.nterms, sizeof *terms);
        for (uint32_t i = 0; i < n.nterms; i++) {
            terms[i] = n.terms[i];
            terms[i].atoms = arena_dup(t->a, n.terms[i].atoms, n.terms[i].natoms * sizeof(Dim));
        }
        n.terms = terms;
    }
    t->slots[h & (t->nslots - 1)] = t->nodes.n + 1;
    vec_push(t->a, &t->nodes, n);
    return -(Dim)t->nodes.n - t->base;
}

/* ---- polynomials ---- */

static int compare_terms(const Dims *t, const DimTerm *x, const DimTerm *y);

/* A total order by structure alone, so that it does not depend on what was made first: symbols by
 * number, sums, floors, mins, maxes; constants last. Equal dims are equal integers, so at each level
 * only the first difference is followed. */
static int compare_dims(const Dims *t, Dim x, Dim y)
{
    const DimNode *a, *b;
    int c = 0;

    if (x == y)
        return 0;
    if (x >= 0 || y >= 0)
        return y < 0 || (x >= 0 && x > y) ? 1 : -1;
    a = dim_node(t, x);
    b = dim_node(t, y);
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->kind == DIM_SYM)
        return a->sym < b->sym ? -1 : 1;
    if (a->kind != DIM_POLY) {
        c = compare_dims(t, a->a, b->a);
        return c ? c : compare_dims(t, a->b, b->b);
    }
    for (uint32_t i = 0; !c && i < a->nterms && i < b->nterms; i++) {
        c = compare_terms(t, &a->terms[i], &b->terms[i]);
        if (!c && a->terms[i].coef != b->terms[i].coef)
            c = a->terms[i].coef < b->terms[i].coef ? -1 : 1;
    }
    if (!c && a->nterms != b->nterms)
        c = a->nterms < b->nterms ? -1 : 1;
    return c ? c : a->constant < b->constant ? -1 : 1;
}

/* Higher degree first, then by atoms: also the order of polynomial division. */
static int compare_terms(const Dims *t, const DimTerm *x, const DimTerm *y)
{
    if (x->natoms != y->natoms)
        return x->natoms > y->natoms ? -1 : 1;
    for (uint32_t i = 0; i < x->natoms; i++) {
        int c = compare_dims(t, x->atoms[i], y->atoms[i]);
        if (c)
            return c;
    }
    return 0;
}

static bool poly_add_term(Dims *t, Poly *p, int64_t coef, const Dim *atoms, uint32_t natoms)
{
    DimTerm x = {coef, natoms, atoms};
    uint32_t i = 0;

    if (natoms == 0)
        return add_i64(p->c, coef, &p->c);
    if (coef == 0)
        return true;
    for (; i < p->n; i++) {
        int c = compare_terms(t, &p->t[i], &x);
        if (c == 0) {
            if (!add_i64(p->t[i].coef, coef, &p->t[i].coef))
                return false;
            if (p->t[i].coef == 0) {
                memmove(&p->t[i], &p->t[i + 1], (p->n - i - 1) * sizeof p->t[0]);
                p->n--;
            }
            return true;
        }
        if (c > 0)
            break;
    }
    if (p->n == MAX_TERMS)
        return false;
    memmove(&p->t[i + 1], &p->t[i], (p->n - i) * sizeof p->t[0]);
    p->t[i] = x;
    p->n++;
    return true;
}

/* p += k * d */
static bool poly_add_dim(Dims *t, Poly *p, int64_t k, Dim d)
{
    int64_t c;

    if (d >= 0)
        return mul_i64(k, d, &c) && add_i64(p->c, c, &p->c);
    const DimNode *n = dim_node(t, d);
    if (n->kind != DIM_POLY) {
        Dim *atom = arena_dup(t->a, &d, sizeof d);
        return poly_add_term(t, p, k, atom, 1);
    }
    if (!mul_i64(k, n->constant, &c) || !add_i64(p->c, c, &p->c))
        return false;
    for (uint32_t i = 0; i < n->nterms; i++)
        if (!mul_i64(k, n->terms[i].coef, &c) ||
            !poly_add_term(t, p, c, n->terms[i].atoms, n->terms[i].natoms))
            return false;
    return true;
}

/* p += k * x * y, atoms merged in order */
static bool poly_add_product(Dims *t, Poly *p, int64_t k, const DimTerm *x, const DimTerm *y)
{
    Dim *atoms = arena_array(t->a, x->natoms + y->natoms, sizeof *atoms);
    uint32_t i = 0, j = 0, n = 0;

    if (x->natoms + y->natoms > DIM_MAX_ATOMS)
        return false;
    while (i < x->natoms || j < y->natoms) {
        bool left = j == y->natoms ||
                    (i < x->natoms && compare_dims(t, x->atoms[i], y->atoms[j]) <= 0);
        atoms[n++] = left ? x->atoms[i++] : y->atoms[j++];
    }
    return mul_i64(k, x->coef, &k) && mul_i64(k, y->coef, &k) && poly_add_term(t, p, k, atoms, n);
}

static bool is_multiple(const Dims *t, Dim a, int64_t b)
{
    for (uint32_t i = 0; i < t->multiples.n; i++)
        if (t->multiples.v[i].a == a && t->multiples.v[i].b % b == 0)
            return true;
    return false;
}

/* b*floor(a/b) is a where a guard says that a is a multiple of b: rewrite the first such term. */
static bool use_multiple(Dims *t, Poly *p, bool *out_changed)
{
    *out_changed = false;
    for (uint32_t i = 0; i < p->n && t->multiples.n; i++)
        for (uint32_t j = 0; j < p->t[i].natoms; j++) {
            DimTerm term = p->t[i], rest = {1, 0, NULL};
            const DimNode *n = dim_node(t, term.atoms[j]);
            if (n->kind != DIM_FLOORDIV || n->b <= 0 || term.coef % n->b || !is_multiple(t, n->a, n->b))
                continue;
            Dim *others = arena_array(t->a, term.natoms, sizeof *others);
            for (uint32_t k = 0; k < term.natoms; k++)
                if (k != j)
                    others[rest.natoms++] = term.atoms[k];
            rest.atoms = others;
            rest.coef = term.coef / n->b;
            Dim a = n->a;
            if (!poly_add_term(t, p, -term.coef, term.atoms, term.natoms))
                return false;
            Poly pa = {0};
            if (!poly_add_dim(t, &pa, 1, a) || pa.n == MAX_TERMS)
                return false;
            pa.t[pa.n++] = (DimTerm){pa.c, 0, NULL};
            for (uint32_t k = 0; k < pa.n; k++)
                if (!poly_add_product(t, p, 1, &pa.t[k], &rest))
                    return false;
            *out_changed = true;
            return true;
        }
    return true;
}

static Dim poly_done(Dims *t, Poly *p)
{
    bool changed = t->multiples.n > 0;

    while (changed)
        if (!use_multiple(t, p, &changed))
            return too_big(t);
    if (p->n == 0 && p->c >= 0)
        return p->c;
    if (p->n == 1 && p->c == 0 && p->t[0].coef == 1 && p->t[0].natoms == 1)
        return p->t[0].atoms[0];
    return intern_node(t, (DimNode){.kind = DIM_POLY, .nterms = p->n, .constant = p->c, .terms = p->t});
}

Dim dim_const(Dims *t, int64_t v)
{
    Poly p = {.c = v};
    return v >= 0 ? v : poly_done(t, &p);
}

static Dim combine(Dims *t, Dim a, int64_t k, Dim b)
{
    Poly p;

    if (a == DIM_NONE || b == DIM_NONE)
        return DIM_NONE;
    p.c = 0;
    p.n = 0;
    if (!poly_add_dim(t, &p, 1, a) || !poly_add_dim(t, &p, k, b))
        return too_big(t);
    return poly_done(t, &p);
}

Dim dim_add(Dims *t, Dim a, Dim b)
{
    int64_t c;

    if (a >= 0 && b >= 0 && add_i64(a, b, &c))
        return c;
    return combine(t, a, 1, b);
}

Dim dim_sub(Dims *t, Dim a, Dim b)
{
    if (a >= 0 && b >= 0 && a >= b)
        return a - b;
    return a == b && a != DIM_NONE ? 0 : combine(t, a, -1, b);
}

Dim dim_mul(Dims *t, Dim a, Dim b)
{
    int64_t c;
    Poly x, y, p;

    if (a >= 0 && b >= 0 && mul_i64(a, b, &c))
        return c;
    if (a == DIM_NONE || b == DIM_NONE)
        return DIM_NONE;
    if (a == 1 || b == 1)
        return a == 1 ? b : a;
    x.c = y.c = p.c = 0;
    x.n = y.n = p.n = 0;
    if (!poly_add_dim(t, &x, 1, a) || !poly_add_dim(t, &y, 1, b) || x.n == MAX_TERMS || y.n == MAX_TERMS)
        return too_big(t);
    x.t[x.n++] = (DimTerm){x.c, 0, NULL};
    y.t[y.n++] = (DimTerm){y.c, 0, NULL};
    for (uint32_t i = 0; i < x.n; i++)
        for (uint32_t j = 0; j < y.n; j++)
            if (x.t[i].coef && y.t[j].coef && !poly_add_product(t, &p, 1, &x.t[i], &y.t[j]))
                return too_big(t);
    return poly_done(t, &p);
}

Dim dim_prod(Dims *t, const Dim *d, uint32_t n)
{
    Dim r = 1;

    for (uint32_t i = 0; i < n; i++) /* an empty shape may have any other axes */
        if (d[i] == 0)
            return 0;
    for (uint32_t i = 0; i < n; i++)
        r = dim_mul(t, r, d[i]);
    return r;
}

/* ---- division ---- */

/* x / y as terms: coefficient and atoms divide. */
static bool divide_term(Dims *t, const DimTerm *x, const DimTerm *y, DimTerm *out)
{
    Dim *atoms = arena_array(t->a, x->natoms, sizeof *atoms);
    uint32_t j = 0, n = 0;

    if (y->coef == 0 || (y->coef == -1 && x->coef == INT64_MIN) || x->coef % y->coef)
        return false;
    for (uint32_t i = 0; i < x->natoms; i++)
        if (j < y->natoms && x->atoms[i] == y->atoms[j])
            j++;
        else
            atoms[n++] = x->atoms[i];
    *out = (DimTerm){x->coef / y->coef, n, atoms};
    return j == y->natoms;
}

static bool poly_terms(Poly *p) /* the constant becomes a last term */
{
    if (p->c && p->n == MAX_TERMS)
        return false;
    if (p->c)
        p->t[p->n++] = (DimTerm){p->c, 0, NULL};
    p->c = 0;
    return true;
}

/* Long division by the leading term; exact or nothing. */
static bool divide_exactly(Dims *t, Dim a, Dim b, Dim *out_q)
{
    Poly rest, by, q;

    rest.c = by.c = q.c = 0;
    rest.n = by.n = q.n = 0;
    if (!poly_add_dim(t, &rest, 1, a) || !poly_add_dim(t, &by, 1, b) || !poly_terms(&by))
        return false;
    for (int turn = 0; turn < MAX_TERMS; turn++) {
        DimTerm lead, k;
        if (rest.n == 0 && rest.c == 0) {
            *out_q = poly_done(t, &q);
            return *out_q != DIM_NONE;
        }
        lead = rest.n ? rest.t[0] : (DimTerm){rest.c, 0, NULL};
        if (by.n == 0 || !divide_term(t, &lead, &by.t[0], &k) ||
            !poly_add_term(t, &q, k.coef, k.atoms, k.natoms))
            return false;
        for (uint32_t i = 0; i < by.n; i++)
            if (!poly_add_product(t, &rest, -1, &k, &by.t[i]))
                return false;
    }
    return false;
}

bool dim_exact(Dims *t, Dim a, Dim b, Dim *out_q)
{
    if (a == DIM_NONE || b == DIM_NONE)
        return false;
    if (a == 0 || b == 0) {
        *out_q = 0;
        return a == 0;
    }
    if (a > 0 && b > 0) {
        *out_q = a / b;
        return a % b == 0;
    }
    if (divide_exactly(t, a, b, out_q))
        return true;
    if (b > 0 && t->multiples.n) {
        Dim q = dim_div(t, a, b);
        *out_q = q;
        return q != DIM_NONE && dim_mul(t, q, b) == a;
    }
    return false;
}

/* Lower and upper bounds; INT64_MIN and INT64_MAX where unknown. */
static void bounds(const Dims *t, Dim d, int depth, int64_t *lo, int64_t *hi);

static void term_bounds(const Dims *t, const DimTerm *x, int depth, int64_t *lo, int64_t *hi)
{
    int64_t l = 1, h = 1;

    for (uint32_t i = 0; i < x->natoms; i++) {
        int64_t al, ah;
        bounds(t, x->atoms[i], depth + 1, &al, &ah);
        if (al < 0) {
            *lo = INT64_MIN;
            *hi = INT64_MAX;
            return;
        }
        if (!mul_i64(l, al, &l))
            l = 0;
        if (h == INT64_MAX || ah == INT64_MAX || !mul_i64(h, ah, &h))
            h = INT64_MAX;
    }
    int64_t a = 0, b = 0;
    bool la = mul_i64(x->coef, l, &a), hb = h != INT64_MAX && mul_i64(x->coef, h, &b);
    if (x->coef >= 0) {
        *lo = la ? a : INT64_MIN;
        *hi = hb ? b : INT64_MAX;
    } else {
        *lo = hb ? b : INT64_MIN;
        *hi = la ? a : INT64_MAX;
    }
}

static void sum_bounds(const Dims *t, int64_t constant, const DimTerm *x, uint32_t n, int depth, int64_t *lo,
                       int64_t *hi)
{
    *lo = *hi = constant;
    for (uint32_t i = 0; i < n; i++) {
        int64_t l, h;
        term_bounds(t, &x[i], depth, &l, &h);
        if (*lo == INT64_MIN || l == INT64_MIN || !add_i64(*lo, l, lo))
            *lo = INT64_MIN;
        if (*hi == INT64_MAX || h == INT64_MAX || !add_i64(*hi, h, hi))
            *hi = INT64_MAX;
    }
}

static void bounds(const Dims *t, Dim d, int depth, int64_t *lo, int64_t *hi)
{
    const DimNode *n;
    int64_t la, ha, lb, hb;

    *lo = INT64_MIN;
    *hi = INT64_MAX;
    if (d >= 0) {
        *lo = *hi = d;
        return;
    }
    n = dim_node(t, d);
    if (n->kind == DIM_SYM) {
        *lo = 0;
        for (uint32_t i = 0; i < t->guards.n; i++) {
            Guard g = t->guards.v[i];
            if (g.lhs == d && g.rhs >= 0)
                *lo = MAX(*lo, g.rhs);
            if (g.rhs == d && g.lhs >= 0)
                *hi = MIN(*hi, g.lhs);
        }
        return;
    }
    if (depth > 8)
        return;
    if (n->kind == DIM_POLY) {
        sum_bounds(t, n->constant, n->terms, n->nterms, depth, lo, hi);
        return;
    }
    bounds(t, n->a, depth + 1, &la, &ha);
    bounds(t, n->b, depth + 1, &lb, &hb);
    if (n->kind == DIM_MIN) {
        *lo = MIN(la, lb);
        *hi = MIN(ha, hb);
    } else if (n->kind == DIM_MAX) {
        *lo = MAX(la, lb);
        *hi = MAX(ha, hb);
    } else if (n->b > 0) {
        *lo = la == INT64_MIN ? INT64_MIN : floordiv_i64(la, n->b);
        *hi = ha == INT64_MAX ? INT64_MAX : floordiv_i64(ha, n->b);
    } else if (la >= 0) {
        *lo = 0;
        *hi = ha;
    }
}

/* Bounds of a - b - (c - d), without making it a dim: a proof that is tried must neither fail nor leave nodes. */
static void difference_bounds(Dims *t, Dim a, Dim b, Dim c, Dim d, int64_t *lo, int64_t *hi)
{
    Poly p;

    p.c = 0;
    p.n = 0;
    *lo = INT64_MIN;
    *hi = INT64_MAX;
    if (poly_add_dim(t, &p, 1, a) && poly_add_dim(t, &p, -1, b) && poly_add_dim(t, &p, -1, c) && poly_add_dim(t, &p, 1, d))
        sum_bounds(t, p.c, p.t, p.n, 0, lo, hi);
}

bool dim_known_ge(Dims *t, Dim a, Dim b)
{
    int64_t lo, hi;

    if (a >= 0 && b >= 0)
        return a >= b;
    if (a == b || a == DIM_NONE || b == DIM_NONE)
        return a == b && a != DIM_NONE;
    if (t->cx && failed(t->cx))
        return false;
    difference_bounds(t, a, b, 0, 0, &lo, &hi);
    for (uint32_t i = 0; lo < 0 && i < t->guards.n; i++) {
        Guard g = t->guards.v[i];
        if (!g.is_eq && (g.lhs < 0 || g.rhs < 0)) /* a - b - (lhs - rhs) >= 0 is enough */
            difference_bounds(t, a, b, g.lhs, g.rhs, &lo, &hi);
    }
    return lo >= 0;
}

Dim dim_div(Dims *t, Dim a, Dim b)
{
    Poly q, r;
    Dim rest, out;
    int64_t lo, hi;

    if (a == DIM_NONE || b == DIM_NONE || b == 1)
        return b == 1 ? a : DIM_NONE;
    if (b == 0)
        return too_big(t);
    if (a >= 0 && b > 0)
        return a / b;
    if (divide_exactly(t, a, b, &out))
        return out;
    q.c = r.c = 0;
    q.n = r.n = 0;
    if (!poly_add_dim(t, &r, 1, a))
        return too_big(t);
    if (b > 0) { /* what b divides goes outside: floor((b*q + r)/b) = q + floor(r/b) */
        q.c = floordiv_i64(r.c, b);
        r.c = r.c % b + (r.c % b < 0 ? b : 0);
        for (uint32_t i = 0; i < r.n;) {
            DimTerm x = r.t[i];
            if (x.coef % b) {
                i++;
                continue;
            }
            if (!poly_add_term(t, &q, x.coef / b, x.atoms, x.natoms) ||
                !poly_add_term(t, &r, -x.coef, x.atoms, x.natoms))
                return too_big(t);
        }
    }
    rest = poly_done(t, &r);
    out = poly_done(t, &q);
    if (rest == DIM_NONE || out == DIM_NONE)
        return DIM_NONE;
    bounds(t, rest, 0, &lo, &hi);
    if (rest == 0 || (b > 0 && lo >= 0 && hi < b))
        return out;
    if (rest < 0 && b > 0) { /* floor(floor(x/c)/b) = floor(x/(c*b)) */
        const DimNode *n = dim_node(t, rest);
        int64_t cb;
        if (n->kind == DIM_FLOORDIV && n->b > 0 && mul_i64(n->b, b, &cb))
            return dim_add(t, out, dim_div(t, n->a, cb));
    }
    return dim_add(t, out, intern_node(t, (DimNode){.kind = DIM_FLOORDIV, .a = rest, .b = b}));
}

Dim dim_mod(Dims *t, Dim a, Dim b)
{
    return dim_sub(t, a, dim_mul(t, b, dim_div(t, a, b)));
}

static Dim min_max(Dims *t, DimKind kind, Dim a, Dim b)
{
    if (a == DIM_NONE || b == DIM_NONE)
        return DIM_NONE;
    if (dim_known_ge(t, a, b))
        return kind == DIM_MAX ? a : b;
    if (dim_known_ge(t, b, a))
        return kind == DIM_MAX ? b : a;
    if (failed(t->cx))
        return DIM_NONE;
    bool swap = compare_dims(t, a, b) > 0;
    return intern_node(t, (DimNode){.kind = (uint8_t)kind, .a = swap ? b : a, .b = swap ? a : b});
}

Dim dim_min(Dims *t, Dim a, Dim b) { return min_max(t, DIM_MIN, a, b); }
Dim dim_max(Dims *t, Dim a, Dim b) { return min_max(t, DIM_MAX, a, b); }

bool dim_value(const Dims *t, Dim d, int64_t *out)
{
    if (d == DIM_NONE || (d < 0 && (dim_node(t, d)->kind != DIM_POLY || dim_node(t, d)->nterms)))
        return false;
    *out = d >= 0 ? d : dim_node(t, d)->constant;
    return true;
}

/* ---- symbols and guards ---- */

static uint64_t name_hash(const char *s)
{
    uint64_t h = 1;

    for (; *s; s++)
        h = hash_mix(h, (unsigned char)*s);
    return h >> 16;
}

/* Where the symbol of that name is, or would be put. */
static uint32_t *name_slot(const Dims *t, const char *name)
{
    uint64_t i = name_hash(name);

    for (;; i++) {
        uint32_t *slot = &t->names[i & (t->nnames - 1)];
        if (!*slot || !strcmp(t->syms.v[*slot - 1].name, name))
            return slot;
    }
}

Dim dim_find(const Dims *t, const char *name)
{
    if (t->names) {
        uint32_t i = *name_slot(t, name);
        return i ? t->syms.v[i - 1].dim : DIM_NONE;
    }
    for (uint32_t i = 0; i < t->syms.n; i++)
        if (!strcmp(t->syms.v[i].name, name))
            return t->syms.v[i].dim;
    return DIM_NONE;
}

static void grow_names(Dims *t)
{
    t->nnames = t->nnames ? t->nnames * 2 : 16;
    t->names = arena_zalloc(t->a, t->nnames * sizeof *t->names);
    for (uint32_t i = 0; i < t->syms.n; i++)
        *name_slot(t, t->syms.v[i].name) = i + 1;
}

Dim dim_symbol(Dims *t, const char *name, SymOrigin origin)
{
    const char *unique = name;
    Dim d;

    if ((t->syms.n + 1) * 2 > t->nnames)
        grow_names(t);
    for (uint32_t i = 1; dim_find(t, unique) != DIM_NONE; i = i < 8 ? i + 1 : t->syms.n + i)
        unique = arena_printf(t->a, "%s_%u", name, i);
    d = intern_node(t, (DimNode){.kind = DIM_SYM, .sym = t->syms.n});
    vec_push(t->a, &t->syms,
             ((Symbol){.name = arena_strdup(t->a, unique), .dim = d, .origin = (uint8_t)origin}));
    *name_slot(t, unique) = t->syms.n;
    return d;
}
