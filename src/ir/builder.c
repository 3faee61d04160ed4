/* builder.c -- makes programs, one equation at a time.
 *
 *   method   Each equation goes through: value numbering (an equal one stands already), fold (it is trivially
 *            some other value), type inference, append. In B_VERBATIM mode only the last two.
 *   keeps    sticky: after an error in the context nothing happens any more
 */
#include "op/op.h"

#include <math.h>
#include <stdio.h>

static void free_builder(void *obj)
{
    Builder *b = obj;
    wf_allocator al = b->arena.al;

    arena_free(&b->arena);
    mem_free(&al, b, sizeof *b);
}

Builder *builder_new(wf_ctx *cx, const char *name, BuilderMode mode)
{
    Builder *b = mem_alloc(&cx->al, sizeof *b);

    if (!b)
        ctx_out_of_memory(cx);
    memset(b, 0, sizeof *b);
    b->cx = cx;
    b->mode = mode;
    arena_init(&b->arena, &cx->al, cx);
    pool_defer(cx, free_builder, b);
    b->name = arena_strdup(&b->arena, name ? name : "f");
    dims_init(&b->dims, cx, &b->arena);
    intern_init(&b->strings, &b->arena);
    intern_init(&b->taken, &b->arena);
    vec_push(&b->arena, &b->vals, ((ValInfo){0}));
    vec_push(&b->arena, &b->names, "");
    vec_push(&b->arena, &b->places, NOWHERE);
    vec_push(&b->arena, &b->types, ((Type){0})); /* the type of VAL_NONE */
    return b;
}

static Place current_place(const Builder *b) { return b->places.v[b->place]; }

void b_at(Builder *b, Place place)
{
    const Place *last = &b->places.v[b->places.n - 1];

    if (place.file && place.file != last->file)
        place.file = intern_name(&b->strings, place.file);
    place.via = place.via ? intern_name(&b->strings, place.via) : NULL;
    if (place.line == 0)
        b->place = 0;
    else if (last->file == place.file && last->line == place.line && last->col == place.col &&
             last->len == place.len && last->via == place.via)
        b->place = b->places.n - 1;
    else {
        b->place = b->places.n;
        vec_push(&b->arena, &b->places, place);
    }
}

/* ---- types ---- */

static uint64_t type_hash(wf_dtype dtype, const Dim *dims, uint32_t rank)
{
    uint64_t h = hash_mix(dtype, rank);

    for (uint32_t i = 0; i < rank; i++)
        h = hash_mix(h, (uint64_t)dims[i]);
    return h;
}

static void grow_type_slots(Builder *b)
{
    uint32_t n = b->ntype_slots ? b->ntype_slots * 2 : 32;

    b->type_slots = arena_zalloc(&b->arena, n * sizeof *b->type_slots);
    b->ntype_slots = n;
    for (uint32_t i = 1; i < b->types.n; i++) {
        Type t = b->types.v[i];
        uint64_t h = type_hash((wf_dtype)t.dtype, t.dims, t.rank);
        while (b->type_slots[h & (n - 1)])
            h++;
        b->type_slots[h & (n - 1)] = i + 1;
    }
}

/* The index of the type in b->types, or 0; *out_slot: where it is or belongs. */
static uint32_t find_type(const Builder *b, wf_dtype dtype, const Dim *dims, uint32_t rank,
                          uint64_t *out_slot)
{
    uint64_t h = type_hash(dtype, dims, rank), mask = b->ntype_slots - 1;

    for (; b->type_slots[h & mask]; h++) {
        uint32_t i = b->type_slots[h & mask] - 1;
        Type x = b->types.v[i];
        if (x.dtype == dtype && x.rank == rank &&
            (rank == 0 || x.dims == dims || !memcmp(x.dims, dims, rank * sizeof *dims)))
            return i;
    }
    *out_slot = h & mask;
    return 0;
}

/* The index of the type in b->types. Types of one shape share its dims, whatever their dtypes. */
static uint32_t intern_type(Builder *b, wf_dtype dtype, const Dim *dims, uint32_t rank)
{
    Type t = {(uint8_t)dtype, (uint8_t)rank, NULL};
    uint64_t slot, other;
    uint32_t i;

    if (b->types.n * 2 >= b->ntype_slots)
        grow_type_slots(b);
    if ((i = find_type(b, dtype, dims, rank, &slot)) != 0)
        return i;
    for (int d = WF_BOOL; d <= WF_C128 && !t.dims; d++)
        if ((i = find_type(b, (wf_dtype)d, dims, rank, &other)) != 0)
            t.dims = b->types.v[i].dims;
    if (!t.dims)
        t.dims = arena_dup(&b->arena, dims, rank * sizeof *dims);
    b->type_slots[slot] = b->types.n + 1;
    vec_push(&b->arena, &b->types, t);
    return b->types.n - 1;
}

static bool check_type(Builder *b, wf_dtype dtype, const Dim *dims, uint32_t rank)
{
    int64_t count = 1, v;

    if (!dtype_is_usable(dtype))
        return fail(b->cx, WF_ERR_TYPE, current_place(b), "dtype %s cannot be used yet", wf_dtype_name(dtype));
    if (rank > MAX_RANK)
        return fail(b->cx, WF_ERR_LIMIT, current_place(b), "rank %u is more than %d", rank, MAX_RANK);
    for (uint32_t i = 0; i < rank; i++) {
        if (dims[i] == DIM_NONE)
            return fail(b->cx, WF_ERR_INTERNAL, current_place(b), "a dimension is missing");
        if (dims[i] < 0 && dim_value(&b->dims, dims[i], &v))
            return fail(b->cx, WF_ERR_SHAPE, current_place(b), "dimension %u would be %lld", i, (long long)v);
        if (dims[i] > 0 && !mul_i64(count, dims[i], &count))
            return fail(b->cx, WF_ERR_LIMIT, current_place(b), "a shape has too many elements");
    }
    if (!mul_i64(count, 8, &count))
        return fail(b->cx, WF_ERR_LIMIT, current_place(b), "a shape has too many elements");
    return true;
}

Type b_make_type(Builder *b, wf_dtype dtype, const Dim *dims, uint32_t rank)
{
    uint32_t type;

    if (b_failed(b) || !check_type(b, dtype, dims, rank))
        return b->types.v[0];
    type = intern_type(b, dtype, dims, rank); /* may move types.v */
    return b->types.v[type];
}

/* ---- values ---- */

static Val new_value(Builder *b, uint32_t type, uint32_t eqn)
{
    vec_push(&b->arena, &b->vals, ((ValInfo){type, 0, eqn}));
    return b->vals.n - 1;
}

Val b_input(Builder *b, const char *name, Type type)
{
    Val v;

    if (b_failed(b) || type.dtype == WF_INVALID)
        return VAL_NONE;
    v = new_value(b, intern_type(b, (wf_dtype)type.dtype, type.dims, type.rank), EQN_INPUT);
    vec_push(&b->arena, &b->inputs, v);
    if (name)
        b_name(b, v, name);
    return v;
}

Dim b_symbol(Builder *b, const char *name)
{
    return b_failed(b) ? DIM_NONE : dim_symbol(&b->dims, name, SYM_INPUT);
}

void b_name(Builder *b, Val v, const char *name)
{
    uint32_t before = b->taken.n;
    const char *s;

    if (v == VAL_NONE || b->vals.v[v].name || !name || !*name)
        return;
    s = intern_name(&b->taken, name);
    while (b->taken.n == before) /* the name is taken: number it */
        s = intern_name(&b->taken, arena_printf(&b->arena, "%s_%u", name, ++b->renames));
    b->vals.v[v].name = b->names.n;
    vec_push(&b->arena, &b->names, s);
}

/* ---- value numbering ---- */

static uint32_t eqn_hash(const OpRow *row, OpCode op, const Val *in, uint32_t nin, const void *attr)
{
    uint64_t h = hash_mix(op, nin);

    if (nin == 2 && op_has(op, OPF_COMM)) {
        h = hash_mix(hash_mix(h, MIN(in[0], in[1])), MAX(in[0], in[1]));
    } else {
        for (uint32_t i = 0; i < nin; i++)
            h = hash_mix(h, in[i]);
        if (attr)
            h = hash_mix(h, attr_hash(row, attr));
    }
    return (uint32_t)(h >> 32);
}

/* Nor are two custom_vjp, or what they become: a backward rule need not be linear, so that what it makes of two
 * cotangents is not what it makes of their sum. */
static bool is_mergeable(OpCode op)
{
    return op_has(op, OPF_PURE) && !op_has(op, OPF_DEFINES) && op != OP_custom_vjp &&
           op != OP_custom_lin;
}

static bool same_operands(const Builder *b, const Eqn *e, const Val *in, uint32_t nin)
{
    const Val *x;

    if (e->nin != nin || nin == 0)
        return e->nin == nin;
    x = b->args.v + e->args;
    if (!memcmp(x, in, nin * sizeof *in))
        return true;
    return nin == 2 && op_has(e->op, OPF_COMM) && x[0] == in[1] && x[1] == in[0];
}

/* The equation that stands already, or NULL. */
static const Eqn *find_eqn(Builder *b, const OpRow *row, OpCode op, const Val *in, uint32_t nin,
                           const void *attr, uint32_t h)
{
    uint32_t mask = b->nslots - 1;

    if (!b->nslots)
        return NULL;
    for (uint32_t i = h & mask; b->slots[i].eqn; i = (i + 1) & mask) {
        const Eqn *e = &b->eqns.v[b->slots[i].eqn - 1];
        if (b->slots[i].hash == h && e->op == op && same_operands(b, e, in, nin) &&
            attr_equal(row, e->attr, attr))
            return e;
    }
    return NULL;
}

static void put_slot(Builder *b, EqnSlot slot)
{
    uint32_t mask = b->nslots - 1, i = slot.hash & mask;

    while (b->slots[i].eqn)
        i = (i + 1) & mask;
    b->slots[i] = slot;
}

static void remember_eqn(Builder *b, uint32_t h, uint32_t index)
{
    if ((b->nused + 1) * 2 > b->nslots) {
        EqnSlot *old = b->slots;
        uint32_t n = b->nslots;
        b->nslots = n ? n * 2 : 128;
        b->slots = arena_zalloc(&b->arena, b->nslots * sizeof *b->slots);
        for (uint32_t i = 0; i < n; i++)
            if (old[i].eqn)
                put_slot(b, old[i]);
    }
    put_slot(b, (EqnSlot){h, index + 1});
    b->nused++;
}

/* ---- substitution ---- */

static void substitute_types(Builder *b, const Dim *map)
{
    uint32_t n = b->types.n, *to = arena_array(&b->arena, n, sizeof *to);
    Type *old = arena_dup(&b->arena, b->types.v, n * sizeof *old);
    Dim dims[MAX_RANK];

    b->types.n = 1;
    memset(b->type_slots, 0, b->ntype_slots * sizeof *b->type_slots);
    to[0] = 0;
    for (uint32_t i = 1; i < n; i++) {
        for (uint32_t k = 0; k < old[i].rank; k++)
            dims[k] = dim_subst(&b->dims, &b->dims, old[i].dims[k], map);
        to[i] = b_failed(b) ? 0 : intern_type(b, (wf_dtype)old[i].dtype, dims, old[i].rank);
    }
    for (uint32_t v = 0; v < b->vals.n; v++)
        b->vals.v[v].type = to[b->vals.v[v].type];
}

void b_substitute(Builder *b, const Dim *map)
{
    uint32_t n = b->dims.guards.n;
    Guard *g = arena_dup(&b->arena, b->dims.guards.v, n * sizeof *g);

    if (b->ntype_slots)
        substitute_types(b, map);
    for (uint32_t i = 0; i < b->eqns.n; i++) {
        Eqn *e = &b->eqns.v[i];
        if (e->attr)
            e->attr = attr_copy(op_row(e->op), e->attr, &b->arena, &b->dims, &b->dims, map);
    }
    b->dims.guards.n = b->dims.multiples.n = 0;
    for (uint32_t i = 0; i < n; i++)
        dim_guard(&b->dims, dim_subst(&b->dims, &b->dims, g[i].lhs, map), g[i].is_eq,
                  dim_subst(&b->dims, &b->dims, g[i].rhs, map), NOWHERE);
    if (b->nslots) /* equations are numbered anew */
        memset(b->slots, 0, b->nslots * sizeof *b->slots);
    b->nused = 0;
}

/* ---- type inference ---- */

void type_out(TypeRule *t, wf_dtype dtype, const Dim *dims, uint32_t rank)
{
    uint32_t type;

    if (b_failed(t->b) || !check_type(t->b, dtype, dims, rank))
        return;
    type = intern_type(t->b, dtype, dims, rank); /* may move types.v */
    vec_push(&t->b->arena, &t->out, t->b->types.v[type]);
}

void type_out_like(TypeRule *t, Type type) { vec_push(&t->b->arena, &t->out, type); }

bool type_fail(TypeRule *t, wf_status status, const char *fmt, ...)
{
    char text[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return fail(t->b->cx, status, t->place, "%s: %s", op_name(t->op), text);
}

const char *type_show(TypeRule *t, Type type) { return type_str(t->dims, type, &t->b->arena); }
const char *dim_show(TypeRule *t, Dim d) { return dim_str(t->dims, d, &t->b->arena); }

static void mark_defined(void *user, Dim d, bool defines)
{
    Dims *dims = user;

    if (defines && d != DIM_NONE)
        dims->syms.v[dim_node(dims, d)->sym].origin = SYM_EQN;
}

static bool check_arity(Builder *b, OpCode op, const Val *in, uint32_t nin, const void *attr)
{
    const OpInfo *info = &op_table[op];

    if (info->nin >= 0 && (uint32_t)info->nin != nin)
        return fail(b->cx, WF_ERR_TYPE, current_place(b), "%s: takes %d operand%s, got %u", info->name,
                    info->nin, info->nin == 1 ? "" : "s", nin);
    for (uint32_t i = 0; i < nin; i++)
        if (in[i] == VAL_NONE || in[i] >= b->vals.n)
            return fail(b->cx, WF_ERR_INTERNAL, current_place(b), "%s: operand %u is missing", info->name, i);
    if (info->row->attrs && !attr)
        return fail(b->cx, WF_ERR_INTERNAL, current_place(b), "%s: attributes are missing", info->name);
    return true;
}

static uint32_t append_eqn(Builder *b, OpCode op, const Val *in, uint32_t nin, TypeRule *t)
{
    Eqn e = {.op = (uint16_t)op, .nout = (uint16_t)t->out.n, .nin = nin, .args = b->args.n,
             .out = b->vals.n, .place = b->place, .attr = t->attr};

    if (nin)
        memcpy(vec_extend(&b->arena, &b->args, nin), in, nin * sizeof *in);
    for (uint32_t i = 0; i < t->out.n; i++) {
        Type x = t->out.v[i];
        new_value(b, intern_type(b, (wf_dtype)x.dtype, x.dims, x.rank), b->eqns.n);
    }
    if (op_has(op, OPF_DEFINES))
        attr_each_dim(t->row, t->attr, mark_defined, &b->dims);
    vec_push(&b->arena, &b->eqns, e);
    return b->eqns.n - 1;
}

static bool infer(Builder *b, TypeRule *t)
{
    const OpInfo *info = &op_table[t->op];

    if (!t->row->type(t))
        return b_failed(b) ? false : type_fail(t, WF_ERR_INTERNAL, "the type rule gave up without a reason");
    if (b_failed(b))
        return false;
    if (info->nout >= 0 && t->out.n != (uint32_t)info->nout)
        return type_fail(t, WF_ERR_INTERNAL, "the type rule gave %u results", t->out.n);
    if (t->out.n > UINT16_MAX)
        return type_fail(t, WF_ERR_LIMIT, "more than %d results", UINT16_MAX);
    return true;
}

static uint32_t give(const Eqn *e, Val *out, uint32_t max_out)
{
    for (uint32_t i = 0; i < e->nout && i < max_out; i++)
        out[i] = e->out + i;
    return e->nout;
}

/* Tries the row's fold; the results must be there and of the inferred types. */
static bool try_fold(Builder *b, TypeRule *t, const Val *in, Val *out, uint32_t max_out)
{
    EqnView e = {.op = t->op, .nin = t->nin, .row = t->row, .in = in, .in_type = t->in,
                 .out_type = t->out.v, .nout = (uint16_t)t->out.n, .attr = t->attr, .place = t->place};
    Val *vals = arena_zalloc(&b->arena, (t->out.n + 1) * sizeof *vals);

    if (!t->row->fold(b, &e, vals) || b_failed(b))
        return false;
    for (uint32_t i = 0; i < t->out.n; i++) {
        if (vals[i] == VAL_NONE || !type_eq(b_type(b, vals[i]), t->out.v[i]))
            return false;
        if (i < max_out)
            out[i] = vals[i];
    }
    return true;
}

static uint32_t add_eqn(Builder *b, OpCode op, const Val *in, uint32_t nin, const void *attr, Val *out,
                        uint32_t max_out, Val **out_all)
{
    const OpRow *row = op_row(op);
    bool merge = b->mode == B_OPTIMISE && is_mergeable(op);
    Type few[8];
    TypeRule t = {.b = b, .dims = &b->dims, .op = (uint16_t)op, .row = row, .nin = nin,
                  .place = current_place(b), .in = few};
    const Eqn *e;
    uint32_t h = 0;

    for (uint32_t i = 0; i < max_out; i++)
        out[i] = VAL_NONE;
    if (b_failed(b) || !check_arity(b, op, in, nin, attr))
        return 0;
    if (!row->attrs)
        attr = NULL;
    if (merge && !op_has(op, OPF_CONTROL)) { /* binds of sub-programs are known only after inference */
        h = eqn_hash(row, op, in, nin, attr);
        if ((e = find_eqn(b, row, op, in, nin, attr, h))) {
            if (out_all)
                *out_all = out = arena_array(&b->arena, e->nout, sizeof *out), max_out = e->nout;
            return give(e, out, max_out);
        }
    }
    Type *in_type = nin <= 8 ? few : arena_array(&b->arena, nin, sizeof *in_type);
    for (uint32_t i = 0; i < nin; i++)
        in_type[i] = b_type(b, in[i]);
    t.in = in_type;
    t.attr = attr_copy(row, attr, &b->arena, NULL, NULL, NULL);
    if (!infer(b, &t))
        return 0;
    if (out_all)
        *out_all = out = arena_zalloc(&b->arena, (t.out.n + 1) * sizeof *out), max_out = t.out.n;
    if (b->mode == B_OPTIMISE && row->fold && try_fold(b, &t, in, out, max_out))
        return t.out.n;
    if (b_failed(b))
        return 0;
    merge = merge && !attr_has_effects(op, t.attr); /* as little as print itself */
    if (merge && op_has(op, OPF_CONTROL)) {
        h = eqn_hash(row, op, in, nin, t.attr);
        if ((e = find_eqn(b, row, op, in, nin, t.attr, h)))
            return give(e, out, max_out);
    }
    uint32_t index = append_eqn(b, op, in, nin, &t);
    if (merge)
        remember_eqn(b, h, index);
    return give(&b->eqns.v[index], out, max_out);
}

uint32_t b_eqn(Builder *b, OpCode op, const Val *in, uint32_t nin, const void *attr, Val *out, uint32_t max_out)
{
    return add_eqn(b, op, in, nin, attr, out, max_out, NULL);
}

Val b_eqn1(Builder *b, OpCode op, const Val *in, uint32_t nin, const void *attr)
{
    Val out = VAL_NONE;

    add_eqn(b, op, in, nin, attr, &out, 1, NULL);
    return out;
}

Val *b_eqn_n(Builder *b, OpCode op, const Val *in, uint32_t nin, const void *attr, uint32_t *out_n)
{
    Val *out = NULL;

    *out_n = add_eqn(b, op, in, nin, attr, NULL, 0, &out);
    return out ? out : arena_zalloc(&b->arena, sizeof *out);
}

/* ---- looking at constants ---- */

bool b_splat(const Builder *b, Val v, const void **out_element)
{
    const Eqn *e;
    const ConstAttr *a;

    if (v == VAL_NONE || b->vals.v[v].eqn == EQN_INPUT)
        return false;
    e = &b->eqns.v[b->vals.v[v].eqn];
    if (e->op == OP_broadcast) /* of a constant */
        return b_splat(b, b->args.v[e->args], out_element);
    if (e->op != OP_const)
        return false;
    a = e->attr;
    if (a->data->size != wf_dtype_size((wf_dtype)a->type.dtype))
        return false;
    *out_element = a->data->data;
    return true;
}

bool b_is_number(const Builder *b, Val v, double x)
{
    const void *p;
    double y;

    if (!b_splat(b, v, &p))
        return false;
    y = element_as_f64(b_dtype(b, v), p);
    return y == x && (y != 0 || (1 / y > 0) == (1 / x > 0));
}
