/* program.c -- what a finished program can be asked: types, binding of symbols, constants, content.
 */
#include "op/op.h"

/* ---- constants ---- */

#define LARGE_CONST 4096 /* bytes of data that are aligned for vectors */

static void free_const(void *obj) { const_data_release(obj); }

const ConstData *const_data_new(wf_ctx *cx, const void *data, size_t size, const char *name,
                                void (*drop)(void *owner), void *owner)
{
    size_t head = (sizeof(ConstData) + 15) & ~(size_t)15, body = drop ? 0 : (size + 15) & ~(size_t)15;
    size_t tail = name ? strlen(name) + 1 : 0, shift = 0;
    ConstData *d;

    if (body >= LARGE_CONST)
        body += 64;
    d = mem_alloc(&cx->al, head + body + tail);
    if (!d) {
        if (drop)
            drop(owner);
        ctx_out_of_memory(cx);
    }
    memset(d, 0, sizeof *d);
    atomic_init(&d->refs, 1);
    d->al = cx->al;
    d->size = size;
    d->alloc_size = head + body + tail;
    d->drop = drop;
    d->owner = owner;
    if (body >= LARGE_CONST) /* in whole cache lines */
        shift = -((uintptr_t)d + head) & 63;
    d->data = drop ? data : memcpy((char *)d + head + shift, data, size);
    if (name)
        d->name = memcpy((char *)d + head + body, name, tail);
    pool_defer(cx, free_const, d);
    return d;
}

void const_data_release(const ConstData *c)
{
    ConstData *d = (ConstData *)(uintptr_t)c;

    if (atomic_fetch_sub_explicit(&d->refs, 1, memory_order_acq_rel) != 1)
        return;
    if (d->drop)
        d->drop(d->owner);
    wf_allocator al = d->al;
    mem_free(&al, d, d->alloc_size);
}

const ConstData *const_data_retain(const ConstData *c)
{
    atomic_fetch_add_explicit(&((ConstData *)(uintptr_t)c)->refs, 1, memory_order_relaxed);
    return c;
}

/* Two threads that come here at once find the same. */
Hash const_data_hash(const ConstData *c)
{
    ConstData *d = (ConstData *)(uintptr_t)c;
    Hasher hasher;
    Hash h;

    if (atomic_load_explicit(&d->hashed, memory_order_acquire))
        return (Hash){.lo = atomic_load_explicit(&d->hash[0], memory_order_relaxed),
                      .hi = atomic_load_explicit(&d->hash[1], memory_order_relaxed)};
    hash_init(&hasher, d->size);
    hash_bytes(&hasher, d->data, d->size);
    h = hash_done(&hasher);
    atomic_store_explicit(&d->hash[0], h.lo, memory_order_relaxed);
    atomic_store_explicit(&d->hash[1], h.hi, memory_order_relaxed);
    atomic_store_explicit(&d->hashed, true, memory_order_release);
    return h;
}

/* ---- types ---- */

static bool is_odd(const Program *p, Val v)
{
    wf_dtype t = (wf_dtype)val_type(p, v).dtype;

    return dtype_is_complex(t) || dtype_is_storage(t);
}

bool eqn_is_odd(const Program *p, const Eqn *e)
{
    for (uint32_t i = 0; i < e->nin; i++)
        if (is_odd(p, eqn_in(p, e)[i]))
            return true;
    for (uint32_t j = 0; j < e->nout; j++)
        if (is_odd(p, e->out + j))
            return true;
    return false;
}

bool type_size(wf_dtype dtype, const int64_t *dims, uint32_t rank, int64_t *out_count, int64_t *out_bytes)
{
    int64_t count = 1, bytes;

    for (uint32_t i = 0; i < rank; i++) /* an empty array is empty, whatever its other axes are */
        if (dims[i] == 0)
            count = 0;
    for (uint32_t i = 0; i < rank && count; i++)
        if (dims[i] < 0 || !mul_i64(count, dims[i], &count))
            return false;
    if (!mul_i64(count, (int64_t)wf_dtype_size(dtype), &bytes) || bytes > INT64_MAX - 64)
        return false;
    *out_count = count;
    *out_bytes = bytes;
    return true;
}

void type_print(const Dims *t, Type type, Text *out)
{
    text_add(out, wf_dtype_name((wf_dtype)type.dtype));
    text_char(out, '[');
    for (uint32_t i = 0; i < type.rank; i++) {
        text_add(out, i ? "," : "");
        dim_print(t, type.dims[i], out);
    }
    text_char(out, ']');
}

const char *type_str(const Dims *t, Type type, Arena *a)
{
    Text s;

    text_init(&s, a);
    type_print(t, type, &s);
    return text_str(&s);
}

/* ---- binding ---- */

static const char *input_name(const Program *p, uint32_t i)
{
    uint32_t name = p->vals[i + 1].name;

    return name ? p->names[name] : "?";
}

static bool bad_dim(wf_ctx *cx, const Program *p, uint32_t i, uint32_t k, Dim d, int64_t got, int64_t want)
{
    Text s;

    text_init(&s, &cx->errors);
    dim_print(&p->dims, d, &s);
    if (d < 0)
        return fail(cx, WF_ERR_SHAPE, NOWHERE, "%s: axis %u of input '%s' is %lld, but needs %s = %lld",
                    p->name, k, input_name(p, i), (long long)got, text_str(&s), (long long)want);
    return fail(cx, WF_ERR_SHAPE, NOWHERE, "%s: axis %u of input '%s' is %lld, but needs %s", p->name, k,
                input_name(p, i), (long long)got, text_str(&s));
}

static bool check_guards(wf_ctx *cx, const Program *p, const int64_t *symvals)
{
    for (uint32_t i = 0; i < p->dims.guards.n; i++) {
        Guard g = p->dims.guards.v[i];
        int64_t l, r;
        bool ok = dim_eval(&p->dims, g.lhs, symvals, &l) && dim_eval(&p->dims, g.rhs, symvals, &r);
        if (ok && (g.is_eq ? l == r : l >= r))
            continue;
        Text s;
        text_init(&s, &cx->errors);
        dim_print(&p->dims, g.lhs, &s);
        text_add(&s, g.is_eq ? " == " : " >= ");
        dim_print(&p->dims, g.rhs, &s);
        if (!ok)
            return fail(cx, WF_ERR_GUARD, NOWHERE, "%s: guard %s cannot be evaluated", p->name, text_str(&s));
        return fail(cx, WF_ERR_GUARD, NOWHERE, "%s: guard %s does not hold: %lld and %lld", p->name,
                    text_str(&s), (long long)l, (long long)r);
    }
    return true;
}

bool program_bind(wf_ctx *cx, const Program *p, const int64_t *const *in_dims, int64_t *symvals)
{
    for (uint32_t i = 0; i < p->dims.syms.n; i++)
        symvals[i] = -1;
    for (uint32_t i = 0; i < p->nin; i++) {
        Type t = val_type(p, i + 1);
        for (uint32_t k = 0; k < t.rank; k++) {
            if (t.dims[k] >= 0 || dim_node(&p->dims, t.dims[k])->kind != DIM_SYM)
                continue;
            int64_t *v = &symvals[dim_node(&p->dims, t.dims[k])->sym];
            if (*v < 0)
                *v = in_dims[i][k];
        }
    }
    for (uint32_t i = 0; i < p->dims.syms.n; i++)
        if (p->dims.syms.v[i].origin == SYM_PARAM && symvals[i] < 0)
            return fail(cx, WF_ERR_SHAPE, NOWHERE, "%s: no input has the bare size %s, so it cannot be run by itself",
                        p->name, p->dims.syms.v[i].name);
    for (uint32_t i = 0; i < p->nin; i++) {
        Type t = val_type(p, i + 1);
        for (uint32_t k = 0; k < t.rank; k++) {
            int64_t want = -1;
            if (!dim_eval(&p->dims, t.dims[k], symvals, &want) || want != in_dims[i][k])
                return bad_dim(cx, p, i, k, t.dims[k], in_dims[i][k], want);
        }
    }
    return check_guards(cx, p, symvals);
}

/* ---- content ---- */

/* A structural hash for each dim node; symbols by number. Sums and products in any order. */
static void hash_nodes(const Dims *t, uint64_t *out)
{
#define OF(d) ((d) >= 0 ? hash_mix(7, (uint64_t)(d)) : out[-(d)-1])
    for (uint32_t i = 0; i < t->nodes.n; i++) {
        const DimNode *n = &t->nodes.v[i];
        uint64_t h = hash_mix(0x9d, n->kind);
        if (n->kind == DIM_SYM) {
            h = hash_mix(h, n->sym);
        } else if (n->kind == DIM_POLY) {
            uint64_t sum = hash_mix(3, (uint64_t)n->constant);
            for (uint32_t k = 0; k < n->nterms; k++) {
                uint64_t product = 1;
                for (uint32_t j = 0; j < n->terms[k].natoms; j++)
                    product *= OF(n->terms[k].atoms[j]) | 1;
                sum += hash_mix(product, (uint64_t)n->terms[k].coef);
            }
            h = hash_mix(h, sum);
        } else if (n->kind == DIM_FLOORDIV) {
            h = hash_mix(hash_mix(h, OF(n->a)), OF(n->b));
        } else {
            h = hash_mix(h, OF(n->a) + OF(n->b));
        }
        out[i] = h | (UINT64_C(1) << 63);
    }
#undef OF
}

void program_hash(Program *p)
{
    wf_ctx *cx = p->arena.cx;
    uint64_t *node = arena_array(&cx->scratch, p->dims.nodes.n + 1, sizeof *node);
    Hasher h;

    hash_nodes(&p->dims, node);
    hash_init(&h, TEXT_VERSION);
    hash_u64(&h, ((uint64_t)p->nin << 32) | p->nout);
    for (uint32_t i = 0; i < p->nin; i++) {
        Type t = val_type(p, i + 1);
        hash_u64(&h, ((uint64_t)t.dtype << 32) | t.rank);
        for (uint32_t k = 0; k < t.rank; k++)
            hash_u64(&h, t.dims[k] >= 0 ? (uint64_t)t.dims[k] : node[-t.dims[k] - 1]);
    }
    for (uint32_t i = 0; i < p->dims.guards.n; i++) {
        Guard g = p->dims.guards.v[i];
        hash_u64(&h, g.is_eq);
        hash_u64(&h, g.lhs >= 0 ? (uint64_t)g.lhs : node[-g.lhs - 1]);
        hash_u64(&h, g.rhs >= 0 ? (uint64_t)g.rhs : node[-g.rhs - 1]);
    }
    for (uint32_t i = 0; i < p->neqns; i++) {
        const Eqn *e = &p->eqns[i];
        hash_u64(&h, ((uint64_t)e->op << 48) | ((uint64_t)op_table[e->op].version << 32) | e->nin);
        hash_bytes(&h, eqn_in(p, e), e->nin * sizeof(Val));
        attr_content(op_row(e->op), e->attr, &h, node);
    }
    hash_bytes(&h, p->outs, p->nout * sizeof(Val));
    p->hash = hash_done(&h);
}

static bool same_type(const Program *a, Type x, const Program *b, Type y)
{
    if (x.dtype != y.dtype || x.rank != y.rank)
        return false;
    for (uint32_t i = 0; i < x.rank; i++)
        if (!dim_same(&a->dims, x.dims[i], &b->dims, y.dims[i]))
            return false;
    return true;
}

static bool same_guards(const Program *a, const Program *b)
{
    for (uint32_t i = 0; i < a->dims.guards.n; i++) {
        Guard x = a->dims.guards.v[i], y = b->dims.guards.v[i];
        if (x.is_eq != y.is_eq || !dim_same(&a->dims, x.lhs, &b->dims, y.lhs) ||
            !dim_same(&a->dims, x.rhs, &b->dims, y.rhs))
            return false;
    }
    return true;
}

bool program_has(const Program *p, bool (*is)(wf_dtype))
{
    for (uint32_t i = 0; i < p->ntypes; i++)
        if (is((wf_dtype)p->types[i].dtype))
            return true;
    for (uint32_t i = 0; i < p->nsubs; i++)
        if (program_has(p->subs[i], is))
            return true;
    return false;
}

bool program_equal(const Program *a, const Program *b)
{
    if (a == b)
        return true;
    if (!hash_eq(a->hash, b->hash) || a->nin != b->nin || a->nout != b->nout || a->neqns != b->neqns ||
        a->nargs != b->nargs || a->nvals != b->nvals || a->dims.guards.n != b->dims.guards.n ||
        !same_guards(a, b) || memcmp(a->args, b->args, a->nargs * sizeof(Val)) ||
        memcmp(a->outs, b->outs, a->nout * sizeof(Val)))
        return false;
    for (uint32_t i = 1; i < a->nvals; i++)
        if (!same_type(a, val_type(a, i), b, val_type(b, i)))
            return false;
    for (uint32_t i = 0; i < a->neqns; i++) {
        const Eqn *x = &a->eqns[i], *y = &b->eqns[i];
        if (x->op != y->op || x->nin != y->nin || x->nout != y->nout ||
            !attr_same(op_row(x->op), x->attr, &a->dims, y->attr, &b->dims))
            return false;
    }
    return true;
}
