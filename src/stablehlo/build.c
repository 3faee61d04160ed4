/* build.c -- functions and regions as programs.
 *
 * A function is a program, made once; a call of a short one is put in line, another is a call. Regions see the values around
 * them, programs do not: what a region takes from outside becomes an input of its program and an operand of the equation that
 * holds it, but for constants of one number, which are made again inside.
 */
#include "stablehlo/stablehlo.h"

#define INLINE_MOST 48    /* equations of a function that is put in line */
#define DEEPEST     60    /* functions that call functions; programs nest to MAX_NESTING */
#define STEPS       400000 /* ops of one text, those of bodies as often as they are built */

bool hlo_op_fail(Hlo *h, wf_status status, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    fail(h->cx, status, h->op->place, "StableHLO: %.60s: %s", h->op->name, arena_vprintf(h->t->a, fmt, ap));
    va_end(ap);
    return false;
}

/* ---- names ------------------------------------------------------------------------------------------------ */

static uint32_t slot_of(const HloScope *s, const char *name)
{
    uint32_t i = (uint32_t)hash_mix(0, (uint64_t)(uintptr_t)name) & (s->nslots - 1);

    while (s->slots[i].name && s->slots[i].name != name)
        i = (i + 1) & (s->nslots - 1);
    return i;
}

static void grow(Hlo *h, HloScope *s)
{
    HloSlot *old = s->slots;
    uint32_t n = s->nslots;

    s->nslots = n ? n * 2 : 32;
    s->slots = arena_zalloc(h->t->a, s->nslots * sizeof *s->slots);
    for (uint32_t i = 0; i < n; i++)
        if (old[i].name)
            s->slots[slot_of(s, old[i].name)] = old[i];
}

static void define(Hlo *h, const char *name, const Val *v, uint32_t n)
{
    HloScope *s = h->s;

    if (s->nused * 2 >= s->nslots)
        grow(h, s);
    uint32_t i = slot_of(s, name);
    s->nused += !s->slots[i].name;
    s->slots[i] = (HloSlot){name, n, arena_dup(h->t->a, v, n * sizeof *v)};
}

static Type type_in(Builder *b, Type t) { return b_make_type(b, (wf_dtype)t.dtype, t.dims, t.rank); }

/* A value of the scope around s as one of s. */
static Val take(Hlo *h, HloScope *s, Val v)
{
    const void *bits;
    Builder *from = s->outer->b;
    Val in;

    if (b_splat(from, v, &bits))
        return b_splat_bits(s->b, type_in(s->b, b_type(from, v)), bits);
    in = b_input(s->b, NULL, type_in(s->b, b_type(from, v)));
    vec_push(h->t->a, &s->taken, in);
    vec_push(h->t->a, &s->taken_from, v);
    return in;
}

/* The values of a name in s, NULL: there is no such name. Those from outside are taken in. */
static const HloSlot *look_up(Hlo *h, HloScope *s, const char *name)
{
    const HloSlot *found;
    HloScope *inner = h->s;
    Val *v;

    if (!s)
        return NULL;
    if (s->nslots && s->slots[slot_of(s, name)].name)
        return &s->slots[slot_of(s, name)];
    if (!(found = look_up(h, s->outer, name)))
        return NULL;
    v = arena_array(h->t->a, found->n, sizeof *v);
    for (uint32_t i = 0; i < found->n; i++)
        v[i] = take(h, s, found->v[i]);
    h->s = s;
    define(h, name, v, found->n);
    h->s = inner;
    return &s->slots[slot_of(s, name)];
}

static const HloSlot *values_of(Hlo *h, HloName n)
{
    const HloSlot *s = look_up(h, h->s, n.name);

    if (!s)
        hlo_op_fail(h, WF_ERR_FORMAT, "there is no value %%%.60s here", n.name);
    else if (n.part != UINT32_MAX && n.part >= s->n)
        hlo_op_fail(h, WF_ERR_FORMAT, "%%%.60s has %u values, not a number %u", n.name, s->n, n.part);
    else
        return s;
    return NULL;
}

Val hlo_in(Hlo *h, uint32_t i)
{
    const HloSlot *s;

    if (failed(h->cx))
        return VAL_NONE;
    if (i >= h->op->in.n)
        return hlo_op_fail(h, WF_ERR_FORMAT, "has %u operands, needs more", h->op->in.n), VAL_NONE;
    if (!(s = values_of(h, h->op->in.v[i])))
        return VAL_NONE;
    if (!s->n)
        return hlo_op_fail(h, WF_ERR_FORMAT, "operand %u is no value", i), VAL_NONE;
    return s->v[h->op->in.v[i].part == UINT32_MAX ? 0 : h->op->in.v[i].part];
}

/* ---- types, results ------------------------------------------------------------------------------------------ */

Type hlo_make_type(Hlo *h, const HloType *t)
{
    int64_t count, bytes;

    if (t->dtype == WF_INVALID)
        hlo_op_fail(h, WF_ERR_UNSUPPORTED, "values of type %s", t->text);
    else if (!type_size(t->dtype, t->dims, t->rank, &count, &bytes))
        hlo_op_fail(h, WF_ERR_LIMIT, "%s has more elements than there can be", t->text);
    else
        return b_make_type(h->s->b, t->dtype, t->dims, t->rank);
    return b_make_type(h->s->b, WF_F32, NULL, 0);
}

Type hlo_out_type(Hlo *h, uint32_t i)
{
    static const HloType none = {.text = "that is not said"};

    /* without an arrow the last of the types is that of the result */
    if (h->op->results.n == 1 && h->op->results.v[0].n == 1 && h->op->out_types.n)
        i = h->op->out_types.n - 1;
    return hlo_make_type(h, i < h->op->out_types.n ? &h->op->out_types.v[i] : &none);
}

bool hlo_outs(Hlo *h, const Val *v, uint32_t n)
{
    const HloOp *op = h->op;
    Builder *b = h->s->b;
    uint32_t k = 0, all = 0;

    if (failed(h->cx))
        return false;
    for (uint32_t i = 0; i < op->results.n; i++)
        all += op->results.v[i].n;
    if (all > n)
        return hlo_op_fail(h, WF_ERR_FORMAT, "has %u results, %u are named", n, all);
    for (uint32_t i = 0; i < all; i++) {
        Type said = hlo_out_type(h, i);

        if (failed(h->cx))
            return false;
        if (!type_eq(said, b_type(b, v[i])))
            return hlo_op_fail(h, WF_ERR_FORMAT, "result %u is %s, the text says %s", i, type_str(&b->dims, b_type(b, v[i]), h->t->a),
                               type_str(&b->dims, said, h->t->a));
    }
    for (uint32_t i = 0; i < op->results.n; i++) {
        define(h, op->results.v[i].name, v + k, op->results.v[i].n);
        k += op->results.v[i].n;
    }
    return true;
}

bool hlo_out(Hlo *h, Val v) { return hlo_outs(h, &v, 1); }

/* ---- regions --------------------------------------------------------------------------------------------------- */

static bool open_scope(Hlo *h, HloScope *s, const HloRegion *r, const char *name, Val **out_params)
{
    *s = (HloScope){.outer = h->s, .b = builder_new(h->cx, name, B_OPTIMISE)};
    h->s = s;
    *out_params = arena_array(h->t->a, r->params.n, sizeof(Val));
    for (uint32_t i = 0; i < r->params.n && !failed(h->cx); i++) {
        const HloParam *p = &r->params.v[i];

        (*out_params)[i] = b_input(s->b, p->label ? p->label : s->outer ? NULL : p->name, hlo_make_type(h, &p->type));
        define(h, p->name, &(*out_params)[i], 1);
    }
    return !failed(h->cx);
}

bool hlo_region_open(Hlo *h, HloScope *s, const HloRegion *r, Val **out_params)
{
    if (++h->depth > DEEPEST)
        return hlo_op_fail(h, WF_ERR_LIMIT, "regions and functions are nested too deep");
    return open_scope(h, s, r, "body", out_params);
}

void hlo_region_leave(Hlo *h)
{
    h->s = h->s->outer;
    h->depth--;
}

static bool build_op(Hlo *h, const HloOp *op)
{
    const HloOp *outer = h->op;
    const HloRule *r;
    bool ok;

    h->op = op;
    if (++h->steps > STEPS)
        return hlo_op_fail(h, WF_ERR_LIMIT, "the text has too many ops");
    b_at(h->s->b, op->place);
    if (!(r = hlo_rule(op->name)))
        return hlo_op_fail(h, WF_ERR_UNSUPPORTED, "the op is not supported");
    if ((int)op->in.n < r->least || (r->most >= 0 && (int)op->in.n > r->most))
        return hlo_op_fail(h, WF_ERR_FORMAT, "has %u operands", op->in.n);
    ok = r->build(h, r) && !failed(h->cx);
    h->op = outer;
    return ok;
}

bool hlo_region_ops(Hlo *h, const HloRegion *r, Val **out, uint32_t *n)
{
    for (uint32_t i = 0; i < r->ops.n; i++) {
        const HloOp *op = r->ops.v[i], *outer = h->op;

        if (strcmp(op->name, "return") && strcmp(op->name, "func.return") && strcmp(op->name, "stablehlo.return")) {
            if (!build_op(h, op))
                return false;
            continue;
        }
        h->op = op;
        *out = arena_array(h->t->a, op->in.n, sizeof(Val));
        *n = op->in.n;
        for (uint32_t k = 0; k < *n; k++)
            (*out)[k] = hlo_in(h, k);
        h->op = outer;
        return !failed(h->cx);
    }
    return fail(h->cx, WF_ERR_FORMAT, h->op ? h->op->place : NOWHERE, "StableHLO: a region without a return");
}

const Program *hlo_region_program(Hlo *h, const HloRegion *r)
{
    HloScope s;
    Val *params, *outs;
    uint32_t n;
    const Program *p = NULL;

    if (!hlo_region_open(h, &s, r, &params))
        return NULL;
    if (hlo_region_ops(h, r, &outs, &n)) {
        if (s.taken.n)
            hlo_op_fail(h, WF_ERR_UNSUPPORTED, "its region uses values from outside");
        else
            p = builder_finish(s.b, outs, n);
    }
    hlo_region_leave(h);
    for (uint32_t i = 0; p && i < p->nin; i++)
        if (val_type(p, i + 1).rank)
            return hlo_op_fail(h, WF_ERR_FORMAT, "its region is not one of scalars"), NULL;
    return p;
}

bool hlo_apply(Hlo *h, const Program *p, const Val *in, uint32_t n, Val *out)
{
    Builder *b = h->s->b;
    Arena *a = h->t->a;
    int *axis = arena_zalloc(a, (n + 1) * sizeof *axis), *out_axis = arena_zalloc(a, (p->nout + 1) * sizeof *axis);
    bool *want = arena_alloc(a, p->nout + 1);
    Val *flat = arena_array(a, n, sizeof *flat);
    Type t = b_type(b, in[0]);
    Dim dims[MAX_RANK];
    int64_t count, bytes;
    const Program *q;

    memcpy(dims, t.dims, t.rank * sizeof *dims);
    memset(want, true, p->nout);
    if (p->nin != n || !type_size((wf_dtype)t.dtype, dims, t.rank, &count, &bytes))
        return hlo_op_fail(h, WF_ERR_FORMAT, "its region takes %u values, there are %u", p->nin, n);
    if (!(q = xf_batch(h->cx, p, count, NULL, NULL, axis, want, out_axis)))
        return false;
    for (uint32_t i = 0; i < n; i++)
        flat[i] = b_reshape(b, in[i], &count, 1);
    if (!b_inline(b, q, NULL, flat, out, NULL))
        return false;
    for (uint32_t i = 0; i < p->nout; i++)
        out[i] = b_reshape(b, out[i], dims, t.rank);
    return !failed(h->cx);
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

const Program *hlo_function(Hlo *h, HloFunc *f)
{
    HloScope s, *outer = h->s;
    const HloOp *op = h->op, at = {.name = f->name, .place = f->place};
    Val *params, *outs;
    uint32_t n;

    if (f->program)
        return f->program;
    if (f->building)
        return fail(h->cx, WF_ERR_UNSUPPORTED, f->place, "StableHLO: function '%.80s' calls itself", f->name), NULL;
    if (++h->depth > DEEPEST)
        return fail(h->cx, WF_ERR_LIMIT, f->place, "StableHLO: functions are nested too deep"), NULL;
    f->building = true;
    h->s = NULL;
    h->op = &at;
    if (open_scope(h, &s, f->body, f->name, &params) && hlo_region_ops(h, f->body, &outs, &n)) {
        for (uint32_t i = 0; i < n && i < f->results.n; i++)
            if (!type_eq(hlo_make_type(h, &f->results.v[i]), b_type(s.b, outs[i])))
                hlo_op_fail(h, WF_ERR_FORMAT, "result %u is %s, the text says %s", i, type_str(&s.b->dims, b_type(s.b, outs[i]), h->t->a),
                            f->results.v[i].text);
        if (n != f->results.n)
            hlo_op_fail(h, WF_ERR_FORMAT, "returns %u values, the text says %u", n, f->results.n);
        f->program = builder_finish_as(s.b, params, f->body->params.n, outs, n);
    }
    f->building = false;
    h->s = outer;
    h->op = op;
    h->depth--;
    return f->program;
}

bool hlo_call(Hlo *h, const Program *p, const Val *in, uint32_t nin, Val *out, uint32_t nout)
{
    Builder *b = h->s->b;
    uint32_t n = 0;
    Val *v;

    if (failed(h->cx))
        return false;
    if (p->nin != nin || p->nout < nout)
        return hlo_op_fail(h, WF_ERR_FORMAT, "takes %u values and gives %u, the text has %u and %u", p->nin, p->nout, nin, nout);
    for (uint32_t i = 0; i < nin; i++)
        if (!type_eq(type_in(b, val_type(p, i + 1)), b_type(b, in[i])))
            return hlo_op_fail(h, WF_ERR_FORMAT, "operand %u is %s, needed %s", i, type_str(&b->dims, b_type(b, in[i]), h->t->a),
                               type_str(&p->dims, val_type(p, i + 1), h->t->a));
    if (p->neqns <= INLINE_MOST) {
        v = arena_array(h->t->a, p->nout, sizeof *v);
        if (!b_inline(b, p, NULL, in, v, NULL))
            return false;
    } else if (!(v = b_call(b, &(Sub){.p = p}, in, nin, &n)) || n < nout) {
        return false;
    }
    memcpy(out, v, nout * sizeof *v);
    return !failed(h->cx);
}

/* ---- attributes --------------------------------------------------------------------------------------------------- */

const HloAttr *hlo_get(Hlo *h, const char *key)
{
    for (uint32_t i = 0; i < h->op->attrs.n; i++)
        if (!strcmp(h->op->attrs.v[i].key, key))
            return h->op->attrs.v[i].value;
    return NULL;
}

const HloAttr *hlo_field(const HloAttr *a, const char *key)
{
    for (uint32_t i = 0; a && a->kind == HLO_DICT && i < a->fields.n; i++)
        if (!strcmp(a->fields.v[i].key, key))
            return a->fields.v[i].value;
    return NULL;
}

/* The integers of dense<[1, 2]>, dense<1>: brackets are of no matter, one number stands for all. */
static bool dense_ints(Hlo *h, const HloAttr *a, int64_t *v, uint32_t *n)
{
    int64_t count, bytes, one;
    bool overflow;

    *n = 0;
    if (!type_size(WF_I64, a->type.dims, a->type.rank, &count, &bytes) || count > 2 * MAX_RANK)
        return hlo_op_fail(h, WF_ERR_FORMAT, "more numbers than axes");
    for (const char *s = a->text, *end = a->text + a->n; s < end;) {
        if (strchr("[], \n\t", *s) && *s) {
            s++;
            continue;
        }
        if (!(s = number_parse_i64(s, end, &one, &overflow)) || *n == 2 * MAX_RANK)
            return hlo_op_fail(h, WF_ERR_FORMAT, "needed integers");
        v[(*n)++] = one;
    }
    if (*n == 1)
        for (; *n < count; (*n)++)
            v[*n] = v[0];
    return *n == count || hlo_op_fail(h, WF_ERR_FORMAT, "%u integers, needed %lld", *n, (long long)count);
}

bool hlo_ints_of(Hlo *h, const HloAttr *a, int64_t *v, uint32_t *n)
{
    *n = 0;
    if (!a)
        return true;
    if (a->kind == HLO_DENSE)
        return dense_ints(h, a, v, n);
    if (a->kind != HLO_LIST || a->items.n > MAX_RANK)
        return hlo_op_fail(h, WF_ERR_FORMAT, "needed a list of at most %d integers", MAX_RANK);
    for (; *n < a->items.n; (*n)++) {
        const HloAttr *e = a->items.v[*n];

        if (e->kind != HLO_INT && !(e->kind == HLO_WORD && (!strcmp(e->text, "true") || !strcmp(e->text, "false"))))
            return hlo_op_fail(h, WF_ERR_FORMAT, "needed a list of integers");
        v[*n] = e->kind == HLO_INT ? e->i : e->text[0] == 't';
    }
    return true;
}

bool hlo_ints(Hlo *h, const char *key, int64_t *v, uint32_t *n) { return hlo_ints_of(h, hlo_get(h, key), v, n); }

bool hlo_int(Hlo *h, const char *key, int64_t otherwise, int64_t *out)
{
    const HloAttr *a = hlo_get(h, key);

    *out = a && a->kind == HLO_INT ? a->i : otherwise;
    return !a || a->kind == HLO_INT || hlo_op_fail(h, WF_ERR_FORMAT, "%s is no integer", key);
}

const char *hlo_text(Hlo *h, const char *key)
{
    const HloAttr *a = hlo_get(h, key);

    return a && a->kind == HLO_WORD ? a->text : "";
}

bool hlo_is_true(Hlo *h, const char *key) { return !strcmp(hlo_text(h, key), "true"); }
