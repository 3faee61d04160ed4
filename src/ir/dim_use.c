/* dim_use.c -- what is done with dimensions once they are in canonical form: guards, substitution, evaluation,
 * comparison between programs, text.
 */
#include "ir/ir.h"

/* ---- guards ---- */

/* a - b*floor(a/b) == 0 with constant b: remember that a is a multiple of b. */
static void note_multiple(Dims *t, Dim d)
{
    const DimNode *n = d < 0 ? dim_node(t, d) : NULL;

    for (uint32_t i = 0; n && n->kind == DIM_POLY && i < n->nterms; i++) {
        const DimNode *f = n->terms[i].natoms == 1 ? dim_node(t, n->terms[i].atoms[0]) : NULL;
        if (f && f->kind == DIM_FLOORDIV && f->b > 0 && n->terms[i].coef == -f->b) {
            Dim a = f->a;
            int64_t b = f->b;
            Dim back = dim_sub(t, a, dim_mul(t, b, n->terms[i].atoms[0]));
            if (back == d)
                vec_push(t->a, &t->multiples, ((Multiple){a, b}));
            return;
        }
    }
}

bool dim_guard(Dims *t, Dim lhs, bool is_eq, Dim rhs, Place place)
{
    int64_t v;
    Dim diff;

    if (lhs == DIM_NONE || rhs == DIM_NONE)
        return false;
    diff = dim_sub(t, lhs, rhs);
    if (diff == DIM_NONE)
        return false;
    if (dim_value(t, diff, &v)) {
        if (is_eq ? v == 0 : v >= 0)
            return true;
        Text s;
        text_init(&s, t->a);
        dim_print(t, lhs, &s);
        text_add(&s, is_eq ? " == " : " >= ");
        dim_print(t, rhs, &s);
        return fail(t->cx, WF_ERR_GUARD, place, "guard %s never holds", text_str(&s));
    }
    if (!is_eq && dim_known_ge(t, lhs, rhs))
        return true;
    for (uint32_t i = 0; i < t->guards.n; i++)
        if (t->guards.v[i].lhs == lhs && t->guards.v[i].rhs == rhs && t->guards.v[i].is_eq == is_eq)
            return true;
    if (t->guards.n == MAX_GUARDS)
        return fail(t->cx, WF_ERR_LIMIT, place, "more than %d guards", MAX_GUARDS);
    vec_push(t->a, &t->guards, ((Guard){lhs, rhs, is_eq}));
    if (is_eq)
        note_multiple(t, diff);
    return true;
}

/* ---- substitution and evaluation ---- */

typedef struct Subst {
    Dims *to;
    const Dims *from;
    const Dim *map;
    uint32_t visits;
    Dim *memo; /* made when the expression turns out not to be small: nodes may be shared */
} Subst;
#define FEW_VISITS 64

static void subst_memo(Subst *s)
{
    s->memo = arena_array(s->to->cx ? &s->to->cx->scratch : s->to->a, s->from->nodes.n, sizeof *s->memo);
    for (uint32_t i = 0; i < s->from->nodes.n; i++)
        s->memo[i] = DIM_NONE;
}

static Dim subst(Subst *s, Dim d)
{
    const DimNode *n;
    Dim r = 0;

    if (d >= 0 || d == DIM_NONE)
        return d;
    if (++s->visits == FEW_VISITS)
        subst_memo(s);
    if (s->memo && s->memo[dim_index(s->from, d)] != DIM_NONE)
        return s->memo[dim_index(s->from, d)];
    n = dim_node(s->from, d);
    if (n->kind == DIM_SYM) {
        r = s->map[n->sym];
    } else if (n->kind == DIM_POLY) {
        r = dim_const(s->to, n->constant);
        for (uint32_t i = 0; i < n->nterms; i++) {
            DimTerm term = n->terms[i]; /* from may be to, whose nodes move */
            Dim x = dim_const(s->to, term.coef);
            for (uint32_t j = 0; j < term.natoms; j++)
                x = dim_mul(s->to, x, subst(s, term.atoms[j]));
            r = dim_add(s->to, r, x);
            n = dim_node(s->from, d);
        }
    } else {
        DimKind kind = (DimKind)n->kind;
        Dim nb = n->b, a = subst(s, n->a), b = subst(s, nb);
        r = kind == DIM_FLOORDIV ? dim_div(s->to, a, b) : kind == DIM_MIN ? dim_min(s->to, a, b) : dim_max(s->to, a, b);
    }
    if (s->memo)
        s->memo[dim_index(s->from, d)] = r;
    return r;
}

Dim dim_subst(Dims *t, const Dims *from, Dim d, const Dim *map)
{
    return subst(&(Subst){.to = t, .from = from, .map = map}, d);
}

/* vals: of all nodes, where they are known; else nodes are evaluated as they are met, FEW_VISITS of them at most. */
typedef struct DimEval {
    const Dims *t;
    const int64_t *symvals, *vals;
    uint32_t visits;
} DimEval;

static bool eval_node(DimEval *e, const DimNode *n, int64_t *out);

static bool value_of(DimEval *e, Dim d, int64_t *out)
{
    if (d >= 0 || d == DIM_NONE) {
        *out = d;
        return d >= 0;
    }
    if (e->vals) {
        *out = e->vals[dim_index(e->t, d)];
        return *out != DIM_NONE;
    }
    return ++e->visits <= FEW_VISITS && eval_node(e, dim_node(e->t, d), out);
}

static bool eval_node(DimEval *e, const DimNode *n, int64_t *out)
{
    int64_t a, b;

    if (n->kind == DIM_SYM) {
        *out = e->symvals[n->sym];
        return *out >= 0;
    }
    if (n->kind == DIM_POLY) {
        *out = n->constant;
        for (uint32_t i = 0; i < n->nterms; i++) {
            int64_t x = n->terms[i].coef, v;
            for (uint32_t j = 0; j < n->terms[i].natoms; j++)
                if (!value_of(e, n->terms[i].atoms[j], &v) || !mul_i64(x, v, &x))
                    return false;
            if (!add_i64(*out, x, out))
                return false;
        }
        return true;
    }
    if (!value_of(e, n->a, &a) || !value_of(e, n->b, &b) || (n->kind == DIM_FLOORDIV && b <= 0))
        return false;
    *out = n->kind == DIM_FLOORDIV ? floordiv_i64(a, b) : n->kind == DIM_MIN ? MIN(a, b) : MAX(a, b);
    return true;
}

void dims_eval_all(const Dims *t, const int64_t *symvals, int64_t *vals)
{
    DimEval e = {t, symvals, vals, 0};

    for (uint32_t i = 0; i < t->nodes.n; i++) /* children come before parents */
        if (!eval_node(&e, &t->nodes.v[i], &vals[i]))
            vals[i] = DIM_NONE;
}

bool dim_eval_open(const Dims *t, Dim d, const int64_t *symvals, int64_t *out)
{
    DimEval e = {t, symvals, NULL, 0};
    size_t size = t->nodes.n * sizeof(int64_t);
    int64_t *vals;

    if (value_of(&e, d, out))
        return true;
    if (e.visits <= FEW_VISITS) /* it has no value */
        return false;
    if (!(vals = mem_alloc(&alloc_default, size)))
        return false;
    dims_eval_all(t, symvals, vals);
    *out = vals[dim_index(t, d)];
    mem_free(&alloc_default, vals, size);
    return *out != DIM_NONE;
}

static bool same_term(const Dims *ta, const DimTerm *x, const Dims *tb, const DimTerm *y)
{
    bool used[DIM_MAX_ATOMS] = {0};

    if (x->coef != y->coef || x->natoms != y->natoms)
        return false;
    for (uint32_t i = 0; i < x->natoms; i++) { /* other atoms than symbols may stand in another order */
        uint32_t j = 0;
        while (j < y->natoms && (used[j] || !dim_same(ta, x->atoms[i], tb, y->atoms[j])))
            j++;
        if (j == y->natoms)
            return false;
        used[j] = true;
    }
    return true;
}

bool dim_same(const Dims *ta, Dim a, const Dims *tb, Dim b)
{
    const DimNode *x, *y;

    if (a >= 0 || b >= 0 || a == DIM_NONE || b == DIM_NONE)
        return a == b;
    x = dim_node(ta, a);
    y = dim_node(tb, b);
    if (x->kind != y->kind || x->nterms != y->nterms || x->constant != y->constant)
        return false;
    if (x->kind == DIM_SYM)
        return x->sym == y->sym;
    if (x->kind != DIM_POLY)
        return (dim_same(ta, x->a, tb, y->a) && dim_same(ta, x->b, tb, y->b)) ||
               (x->kind != DIM_FLOORDIV && dim_same(ta, x->a, tb, y->b) && dim_same(ta, x->b, tb, y->a));
    for (uint32_t i = 0; i < x->nterms; i++) {
        uint32_t j = 0;
        while (j < y->nterms && !same_term(ta, &x->terms[i], tb, &y->terms[j]))
            j++;
        if (j == y->nterms)
            return false;
    }
    return true;
}

/* ---- text ---- */

static bool needs_parens(const Dims *t, Dim d)
{
    return d < 0 && dim_node(t, d)->kind == DIM_POLY;
}

static void print_operand(const Dims *t, Dim d, Text *out)
{
    bool parens = needs_parens(t, d);

    text_add(out, parens ? "(" : "");
    dim_print(t, d, out);
    text_add(out, parens ? ")" : "");
}

static void print_poly(const Dims *t, const DimNode *n, Text *out)
{
    for (uint32_t i = 0; i < n->nterms; i++) {
        const DimTerm *x = &n->terms[i];
        text_add(out, x->coef < 0 ? "-" : i ? "+" : "");
        for (uint32_t j = 0; j < x->natoms; j++) {
            text_add(out, j ? "*" : "");
            dim_print(t, x->atoms[j], out);
        }
        if (x->coef != 1 && x->coef != -1) {
            text_add(out, "*");
            char buf[NUMBER_MAX];
            number_u64(buf, x->coef < 0 ? 0 - (uint64_t)x->coef : (uint64_t)x->coef);
            text_add(out, buf);
        }
    }
    if (n->constant || !n->nterms) {
        text_add(out, n->constant > 0 && n->nterms ? "+" : "");
        text_int(out, n->constant);
    }
}

void dim_print(const Dims *t, Dim d, Text *out)
{
    const DimNode *n;

    if (d == DIM_NONE) {
        text_add(out, "?");
    } else if (d >= 0) {
        text_int(out, d);
    } else if ((n = dim_node(t, d))->kind == DIM_SYM) {
        name_text(out, t->syms.v[n->sym].name);
    } else if (n->kind == DIM_POLY) {
        print_poly(t, n, out);
    } else {
        bool div = n->kind == DIM_FLOORDIV;
        text_add(out, div ? "floor(" : n->kind == DIM_MIN ? "min(" : "max(");
        (div ? print_operand : dim_print)(t, n->a, out);
        text_add(out, div ? "/" : ",");
        (div ? print_operand : dim_print)(t, n->b, out);
        text_add(out, ")");
    }
}

const char *dim_str(const Dims *t, Dim d, Arena *a)
{
    Text s;

    text_init(&s, a);
    dim_print(t, d, &s);
    return text_str(&s);
}

bool dim_mentions(const Dims *t, Dim d, SymOrigin origin)
{
    const DimNode *n;

    if (d >= 0 || d == DIM_NONE)
        return false;
    n = dim_node(t, d);
    if (n->kind == DIM_SYM)
        return t->syms.v[n->sym].origin == origin;
    if (n->kind != DIM_POLY)
        return dim_mentions(t, n->a, origin) || dim_mentions(t, n->b, origin);
    for (uint32_t i = 0; i < n->nterms; i++)
        for (uint32_t k = 0; k < n->terms[i].natoms; k++)
            if (dim_mentions(t, n->terms[i].atoms[k], origin))
                return true;
    return false;
}
