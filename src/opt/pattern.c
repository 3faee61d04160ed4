/* pattern.c -- patterns of text matched against the equations behind a value.
 *
 *   method   The text is walked and matched at once; where there is a choice (operands of
 *            a commutative op, alternatives) what was found so far is kept and restored.
 *            A pattern is a constant of the source: errors in it end in no match.
 */
#include "opt/pattern.h"

#include <stdlib.h>

/* ---- uses -------------------------------------------------------------------------- */

void uses_init(Uses *u, Arena *a, const Program *p)
{
    uint32_t *next;

    *u = (Uses){.p = p};
    u->at = arena_zalloc(a, (p->nvals + 2) * sizeof *u->at);
    u->users = arena_array(a, p->nargs + 1, sizeof *u->users);
    u->is_out = arena_zalloc(a, p->nvals + 1);
    for (uint32_t i = 0; i < p->nargs; i++)
        u->at[p->args[i] + 1]++;
    for (uint32_t v = 0; v < p->nvals; v++)
        u->at[v + 1] += u->at[v];
    next = arena_dup(a, u->at, (p->nvals + 1) * sizeof *next);
    for (uint32_t e = 0; e < p->neqns; e++)
        for (uint32_t i = 0; i < p->eqns[e].nin; i++)
            u->users[next[eqn_in(p, &p->eqns[e])[i]]++] = e;
    for (uint32_t j = 0; j < p->nout; j++)
        u->is_out[p->outs[j]] = true;
}

const Eqn *uses_only(const Uses *u, Val v)
{
    uint32_t from = u->at[v], to = u->at[v + 1];

    if (u->is_out[v] || from == to)
        return NULL;
    for (uint32_t i = from + 1; i < to; i++)
        if (u->users[i] != u->users[from])
            return NULL;
    return &u->p->eqns[u->users[from]];
}

/* ---- values ------------------------------------------------------------------------ */

const Eqn *match_made(const Program *p, Val v, unsigned op)
{
    uint32_t i = p->vals[v].eqn;

    return i != EQN_INPUT && p->eqns[i].op == op ? &p->eqns[i] : NULL;
}

bool match_number(const Program *p, Val v, double *out)
{
    const Eqn *e = match_made(p, v, OP_const);
    const ConstAttr *c = e ? e->attr : NULL;

    if (!c || !(c->splat || c->data->size == wf_dtype_size((wf_dtype)c->type.dtype)))
        return false;
    *out = element_as_f64((wf_dtype)c->type.dtype, c->data->data);
    return true;
}

bool match_take(Match *m, uint32_t eqn)
{
    for (uint32_t i = 0; i < m->n; i++)
        if (m->eqns[i] == eqn)
            return true;
    if (m->n == PATTERN_EQNS)
        return false;
    m->eqns[m->n++] = eqn;
    return true;
}

static bool take_value(Match *m, Val v) { return match_take(m, m->p->vals[v].eqn); }

/* x rounded as a constant of v's dtype would be */
static bool same_number(const Program *p, Val v, double x)
{
    wf_dtype t = (wf_dtype)val_type(p, v).dtype;
    uint8_t room[16];
    double y;

    if (!dtype_is_float(t) || !match_number(p, v, &y))
        return false;
    element_from_f64(t, x, room);
    return y == element_as_f64(t, room);
}

/* ---- axes -------------------------------------------------------------------------- */

static bool fix_axes(Match *m, uint32_t axes)
{
    if (m->axes_known)
        return m->axes == axes;
    m->axes_known = true;
    m->axes = axes;
    return axes != 0;
}

static uint32_t bits_of(Ints axes)
{
    uint32_t bits = 0;

    for (uint32_t i = 0; i < axes.n; i++)
        bits |= 1u << (axes.v[i] & 31);
    return bits;
}

/* The broadcast's new axes; 0 if it also stretches. */
static uint32_t new_axes(const Program *p, const Eqn *e)
{
    const BroadcastAttr *a = e->attr;
    Type from = val_type(p, eqn_in(p, e)[0]);
    uint32_t all = a->shape.n >= 32 ? 0 : (1u << a->shape.n) - 1;

    for (uint32_t i = 0; i < a->dims.n; i++)
        if (from.dims[i] != a->shape.v[a->dims.v[i]])
            return 0;
    return all & ~bits_of(a->dims);
}

/* ---- the walk ---------------------------------------------------------------------- */

static bool match_at(Match *m, const char **s, Val v);

static void skip_space(const char **s)
{
    while (**s == ' ')
        ++*s;
}

/* Behind the pattern that begins at s. */
static const char *behind(const char *s)
{
    int depth = 0;

    for (; *s; s++) {
        if (depth == 0 && (*s == ',' || *s == ')' || *s == '|' || *s == ']'))
            break;
        depth += (*s == '(' || *s == '[') - (*s == ')' || *s == ']');
    }
    return s;
}

static bool match_letter(Match *m, char c, Val v)
{
    Val *at = &m->val[LETTER(c)];

    if (*at == VAL_NONE)
        *at = v;
    return *at == v;
}

static bool match_any_number(Match *m, char c, Val v)
{
    double x, *at = &m->number[LETTER(c)];
    uint32_t bit = 1u << LETTER(c);

    if (!match_number(m->p, v, &x) || (m->numbers & bit && *at != x))
        return false;
    m->numbers |= bit;
    *at = x;
    return take_value(m, v);
}

static bool match_choice(Match *m, const char **s, Val v)
{
    const char *end = behind(*s) + 0, *at = *s + 1;
    bool found = false;

    while (!found && *at && *at != ']') {
        Match before = *m;
        const char *one = at;

        skip_space(&one);
        found = match_at(m, &one, v);
        if (!found)
            *m = before;
        at = behind(at);
        at += *at == '|';
    }
    *s = end;
    return found;
}

/* Operands in the order given by the pattern, or (swap) the first two exchanged. */
static bool match_operands(Match *m, const char *s, const Eqn *e, bool swap)
{
    const Val *in = eqn_in(m->p, e);

    for (uint32_t i = 0; i < e->nin; i++) {
        const char *at = s;

        skip_space(&at);
        if (!match_at(m, &at, in[swap && i < 2 ? 1 - i : i]))
            return false;
        s = behind(s);
        if (*s != (i + 1 < e->nin ? ',' : ')'))
            return false;
        s++;
    }
    return true;
}

/* along: a broadcast along the pattern's axes */
static bool match_eqn(Match *m, const char *args, const Eqn *e, bool along)
{
    Match before = *m;
    unsigned op = e->op;

    if ((op == OP_reduce_sum || op == OP_reduce_max) &&
        !fix_axes(m, bits_of(((const ReduceAttr *)e->attr)->axes)))
        return false;
    if (along && !fix_axes(m, new_axes(m->p, e)))
        return false;
    if (!match_take(m, (uint32_t)(e - m->p->eqns)))
        return false;
    before.axes = m->axes;
    before.axes_known = m->axes_known;
    if (match_operands(m, args, e, false))
        return true;
    *m = before;
    return op_has(op, OPF_COMM) && e->nin == 2 &&
           match_take(m, (uint32_t)(e - m->p->eqns)) && match_operands(m, args, e, true);
}

static bool match_op(Match *m, const char **s, Val v)
{
    const char *open = strchr(*s, '(');
    char name[32];
    size_t n = open ? (size_t)(open - *s) : sizeof name;
    const Eqn *e;
    bool along;
    int op;

    if (n >= sizeof name)
        return false;
    memcpy(name, *s, n);
    name[n] = 0;
    along = !strcmp(name, "along");
    op = along ? OP_broadcast : op_find(name);
    *s = behind(*s);
    if (op < 0 || !(e = match_made(m->p, v, (unsigned)op)))
        return false;
    return match_eqn(m, open + 1, e, along);
}

static bool match_at(Match *m, const char **s, Val v)
{
    char c = **s, next = (*s)[1];
    double x;

    if (c == '[')
        return match_choice(m, s, v);
    if (c == '#') {
        *s += 2;
        return match_any_number(m, next, v);
    }
    if (c >= '0' && c <= '9') {
        x = strtod(*s, (char **)(uintptr_t)s);
        return same_number(m->p, v, x) && take_value(m, v);
    }
    if (next == '=') {
        *s += 2;
        return match_at(m, s, v) && match_letter(m, c, v);
    }
    if (c >= 'a' && c <= 'z' && !(next >= 'a' && next <= 'z') && next != '_') {
        ++*s;
        return match_letter(m, c, v);
    }
    return match_op(m, s, v);
}

void match_init(Match *m, const Program *p) { *m = (Match){.p = p}; }

bool pattern_match(Match *m, const char *pattern, Val v)
{
    Match before = *m;

    if (match_at(m, &pattern, v))
        return true;
    *m = before;
    return false;
}

/* ---- triangles --------------------------------------------------------------------- */

/* x is the place along an axis of it, plus a constant. */
static bool match_place(const Program *p, Val x, uint32_t *axis, int64_t *plus)
{
    const Eqn *e;
    double k;

    *plus = 0;
    for (int depth = 0; depth < 8; depth++) {
        if ((e = match_made(p, x, OP_iota))) {
            *axis = (uint32_t)((const IotaAttr *)e->attr)->axis;
            return true;
        }
        if ((e = match_made(p, x, OP_add)) && match_number(p, eqn_in(p, e)[1], &k)) {
            x = eqn_in(p, e)[0];
            *plus += (int64_t)k;
        } else if (e && match_number(p, eqn_in(p, e)[0], &k)) {
            x = eqn_in(p, e)[1];
            *plus += (int64_t)k;
        } else if ((e = match_made(p, x, OP_sub)) &&
                   match_number(p, eqn_in(p, e)[1], &k)) {
            x = eqn_in(p, e)[0];
            *plus -= (int64_t)k;
        } else {
            return false;
        }
    }
    return false;
}

/* a >= b, and what else says so of whole numbers */
static bool triangle_of_places(const Program *p, const Eqn *e, Triangle *t)
{
    int64_t pa, pb;
    uint32_t a, b;

    if (!match_place(p, eqn_in(p, e)[0], &a, &pa) ||
        !match_place(p, eqn_in(p, e)[1], &b, &pb) || a == b)
        return false;
    switch (e->op) {
    case OP_ge: *t = (Triangle){a, b, pa - pb, false}; break;     /* b <= a + pa - pb */
    case OP_gt: *t = (Triangle){a, b, pa - pb - 1, false}; break; /* b < a + .. */
    case OP_le: *t = (Triangle){b, a, pb - pa, false}; break;
    default: *t = (Triangle){b, a, pb - pa - 1, false}; break;
    }
    if (t->row > t->col) /* col <= row + k: not (row <= col - k - 1) */
        *t = (Triangle){t->col, t->row, -t->offset - 1, true};
    return true;
}

/* Of the last two axes. */
static bool triangle_of_const(const ConstAttr *c, Triangle *t)
{
    uint32_t r = c->type.rank;
    const uint8_t *x = c->data->data;
    int64_t rows, cols, outer;

    if (r < 2 || c->splat || c->type.dtype != WF_BOOL)
        return false;
    rows = c->type.dims[r - 2];
    cols = c->type.dims[r - 1];
    if (rows < 1 || cols < 2 || (int64_t)c->data->size % (rows * cols))
        return false;
    outer = (int64_t)c->data->size / (rows * cols);
    *t = (Triangle){r - 2, r - 1, -1, !x[0] && x[cols - 1]};
    while (t->offset + 1 < cols && !x[t->offset + 1] == t->inverse)
        t->offset++;
    for (int64_t o = 0; o < outer; o++)
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < cols; j++, x++)
                if (*x != ((j <= i + t->offset) != t->inverse))
                    return false;
    return true;
}

bool match_triangle(const Program *p, Val v, Triangle *out)
{
    const Eqn *e = p->vals[v].eqn == EQN_INPUT ? NULL : &p->eqns[p->vals[v].eqn];
    const BroadcastAttr *b;

    switch (e ? e->op : OP_COUNT) {
    case OP_ge:
    case OP_gt:
    case OP_le:
    case OP_lt: return triangle_of_places(p, e, out);
    case OP_const: return triangle_of_const(e->attr, out);
    case OP_not:
        if (!match_triangle(p, eqn_in(p, e)[0], out))
            return false;
        out->inverse = !out->inverse;
        return true;
    case OP_broadcast:
        if (!new_axes(p, e) || !match_triangle(p, eqn_in(p, e)[0], out))
            return false;
        b = e->attr;
        out->row = (uint32_t)b->dims.v[out->row];
        out->col = (uint32_t)b->dims.v[out->col];
        return true;
    default: return false;
    }
}
