/* attr.c -- attribute structs, handled through the field tables of the op rows.
 *
 * One walk over the fields serves hashing, comparing, copying between programs and evaluating
 * dims; an op only lists its fields.
 */
#include "ir/ir.h"

#define AT(attr, f, T) ((T const *)(const void *)((const char *)(attr) + (f)->offset))
#define AT_MUT(attr, f, T) ((T *)(void *)((char *)(attr) + (f)->offset))

static const AttrField no_fields[] = {{0}};

static const AttrField *fields_of(const OpRow *row) { return row->attrs ? row->attrs : no_fields; }

static uint64_t hash_ints(uint64_t h, Ints v)
{
    h = hash_mix(h, v.n);
    for (uint32_t i = 0; i < v.n; i++)
        h = hash_mix(h, (uint64_t)v.v[i]);
    return h;
}

/* ---- the content hash: dims by structure (node holds a hash for each), subs and constants by content ---- */

static void content_dims(Hasher *h, const uint64_t *node, Ints v)
{
    hash_u64(h, v.n);
    for (uint32_t i = 0; i < v.n; i++)
        hash_u64(h, v.v[i] >= 0 || v.v[i] == DIM_NONE ? (uint64_t)v.v[i] : node[-v.v[i] - 1]);
}

static void content_sub(Hasher *h, const uint64_t *node, const Sub *s)
{
    hash_u64(h, s->p ? s->p->hash.lo : 0);
    hash_u64(h, s->p ? s->p->hash.hi : 0);
    content_dims(h, node, s->binds);
}

void attr_content(const OpRow *row, const void *attr, Hasher *h, const uint64_t *node)
{
    for (const AttrField *f = fields_of(row); attr && f->name; f++)
        switch ((AttrKind)f->kind) {
        case A_INT:
            hash_u64(h, (uint64_t)*AT(attr, f, int64_t));
            break;
        case A_DIM:
        case A_SYM:
            content_dims(h, node, (Ints){1, AT(attr, f, Dim)});
            break;
        case A_BOOL:
            hash_u64(h, *AT(attr, f, bool));
            break;
        case A_ENUM:
        case A_DTYPE:
            hash_u64(h, (uint64_t)*AT(attr, f, int32_t));
            break;
        case A_F64:
            hash_bytes(h, AT(attr, f, double), 8);
            break;
        case A_STR:
            hash_bytes(h, *AT(attr, f, const char *), strlen(*AT(attr, f, const char *)) + 1);
            break;
        case A_INTS:
            hash_u64(h, AT(attr, f, Ints)->n);
            for (uint32_t i = 0; i < AT(attr, f, Ints)->n; i++)
                hash_u64(h, (uint64_t)AT(attr, f, Ints)->v[i]);
            break;
        case A_DIMS:
            content_dims(h, node, *AT(attr, f, Ints));
            break;
        case A_TYPE:
            hash_u64(h, AT(attr, f, Type)->dtype);
            content_dims(h, node, (Ints){AT(attr, f, Type)->rank, AT(attr, f, Type)->dims});
            break;
        case A_SUB:
            content_sub(h, node, AT(attr, f, Sub));
            break;
        case A_SUBS:
            hash_u64(h, AT(attr, f, Subs)->n);
            for (uint32_t i = 0; i < AT(attr, f, Subs)->n; i++)
                content_sub(h, node, &AT(attr, f, Subs)->v[i]);
            break;
        case A_CONST: {
            Hash c = const_data_hash(*AT(attr, f, const ConstData *));
            hash_u64(h, c.lo);
            hash_u64(h, c.hi);
            break;
        }
        }
}

/* ---- hash and equality for value numbering, within one program: dims are integers ---- */

static uint64_t hash_sub(uint64_t h, const Sub *s)
{
    h = hash_mix(h, s->p ? s->p->hash.lo : 0);
    return hash_ints(h, s->binds);
}

uint64_t attr_hash(const OpRow *row, const void *attr)
{
    uint64_t h = 1, bits;

    if (!attr)
        return 0;
    for (const AttrField *f = fields_of(row); f->name; f++)
        switch ((AttrKind)f->kind) {
        case A_INT:
        case A_DIM:
        case A_SYM:
            h = hash_mix(h, (uint64_t)*AT(attr, f, int64_t));
            break;
        case A_BOOL:
            h = hash_mix(h, *AT(attr, f, bool));
            break;
        case A_ENUM:
        case A_DTYPE:
            h = hash_mix(h, (uint64_t)*AT(attr, f, int32_t));
            break;
        case A_F64:
            memcpy(&bits, AT(attr, f, double), 8);
            h = hash_mix(h, bits);
            break;
        case A_STR:
            for (const char *s = *AT(attr, f, const char *); *s; s++)
                h = hash_mix(h, (unsigned char)*s);
            break;
        case A_INTS:
        case A_DIMS:
            h = hash_ints(h, *AT(attr, f, Ints));
            break;
        case A_TYPE: {
            Type t = *AT(attr, f, Type);
            h = hash_ints(hash_mix(h, t.dtype), (Ints){t.rank, t.dims});
            break;
        }
        case A_SUB:
            h = hash_sub(h, AT(attr, f, Sub));
            break;
        case A_SUBS:
            for (uint32_t i = 0; i < AT(attr, f, Subs)->n; i++)
                h = hash_sub(h, &AT(attr, f, Subs)->v[i]);
            break;
        case A_CONST: {
            const ConstData *d = *AT(attr, f, const ConstData *);
            Hasher hasher;
            h = hash_mix(h, d->size);
            if (d->size <= 64) {
                hash_init(&hasher, h);
                hash_bytes(&hasher, d->data, d->size);
                h = hash_done(&hasher).lo;
            } else if (d->size >= 8) { /* large ones merge only when shared or told apart by equal */
                memcpy(&bits, (const char *)d->data + d->size / 2, 8);
                h = hash_mix(h, bits);
            }
            break;
        }
        }
    return h;
}

/* Two programs' dims; equal pointers (or NULL): dims are equal integers. */
typedef struct DimPair {
    const Dims *a, *b;
} DimPair;

static bool dims_equal(DimPair d, Ints a, Ints b)
{
    if (a.n != b.n)
        return false;
    for (uint32_t i = 0; i < a.n; i++)
        if (d.a == d.b ? a.v[i] != b.v[i] : !dim_same(d.a, a.v[i], d.b, b.v[i]))
            return false;
    return true;
}

static bool sub_equal(DimPair d, const Sub *a, const Sub *b)
{
    return (a->p == b->p || (a->p && b->p && program_equal(a->p, b->p))) &&
           dims_equal(d, a->binds, b->binds);
}

static bool field_equal(DimPair d, const AttrField *f, const void *a, const void *b)
{
    const DimPair plain = {NULL, NULL};

    switch ((AttrKind)f->kind) {
    case A_INT:
    case A_F64:
        return memcmp(AT(a, f, int64_t), AT(b, f, int64_t), 8) == 0;
    case A_DIM:
    case A_SYM:
        return dims_equal(d, (Ints){1, AT(a, f, Dim)}, (Ints){1, AT(b, f, Dim)});
    case A_BOOL:
        return *AT(a, f, bool) == *AT(b, f, bool);
    case A_ENUM:
    case A_DTYPE:
        return *AT(a, f, int32_t) == *AT(b, f, int32_t);
    case A_STR:
        return !strcmp(*AT(a, f, const char *), *AT(b, f, const char *));
    case A_INTS:
    case A_DIMS:
        return dims_equal(f->kind == A_DIMS ? d : plain, *AT(a, f, Ints), *AT(b, f, Ints));
    case A_TYPE: {
        Type x = *AT(a, f, Type), y = *AT(b, f, Type);
        return x.dtype == y.dtype && dims_equal(d, (Ints){x.rank, x.dims}, (Ints){y.rank, y.dims});
    }
    case A_SUB:
        return sub_equal(d, AT(a, f, Sub), AT(b, f, Sub));
    case A_SUBS: {
        Subs x = *AT(a, f, Subs), y = *AT(b, f, Subs);
        if (x.n != y.n)
            return false;
        for (uint32_t i = 0; i < x.n; i++)
            if (!sub_equal(d, &x.v[i], &y.v[i]))
                return false;
        return true;
    }
    case A_CONST: {
        const ConstData *x = *AT(a, f, const ConstData *), *y = *AT(b, f, const ConstData *);
        return x == y || (x->size == y->size && memcmp(x->data, y->data, x->size) == 0);
    }
    }
    return false;
}

bool attr_same(const OpRow *row, const void *a, const Dims *da, const void *b, const Dims *db)
{
    if (!a || !b)
        return a == b;
    for (const AttrField *f = fields_of(row); f->name; f++)
        if (!field_equal((DimPair){da, db}, f, a, b))
            return false;
    return true;
}

bool attr_equal(const OpRow *row, const void *a, const void *b)
{
    return attr_same(row, a, NULL, b, NULL);
}

/* ---- copies ---- */

/* What happens to each dim on the way: kept, substituted, or evaluated. */
typedef struct DimMapper {
    Dims *to;
    const Dims *from;
    const Dim *map;         /* symbols -> dims of to; NULL: keep */
    const int64_t *symvals; /* evaluate instead */
    bool ok;
} DimMapper;

static Dim map_dim(DimMapper *m, Dim d)
{
    int64_t v;

    if (d == DIM_NONE)
        return d;
    if (m->symvals) {
        if (dim_eval(m->from, d, m->symvals, &v))
            return v;
        m->ok = false;
        return 0;
    }
    return m->map ? dim_subst(m->to, m->from, d, m->map) : d;
}

static Ints copy_ints(DimMapper *m, Arena *a, Ints v, bool dims)
{
    int64_t *out = arena_dup(a, v.v, v.n * sizeof *v.v);

    for (uint32_t i = 0; dims && i < v.n; i++)
        out[i] = map_dim(m, out[i]);
    return (Ints){v.n, out};
}

static void *copy_attr(const OpRow *row, const void *attr, Arena *a, DimMapper *m)
{
    char *out = arena_dup(a, attr, row->attr_size);

    for (const AttrField *f = fields_of(row); f->name; f++)
        switch ((AttrKind)f->kind) {
        case A_DIM:
            *AT_MUT(out, f, Dim) = map_dim(m, *AT(attr, f, Dim));
            break;
        case A_SYM: /* no value before the equation has run */
            if (!m->symvals)
                *AT_MUT(out, f, Dim) = map_dim(m, *AT(attr, f, Dim));
            break;
        case A_STR:
            *AT_MUT(out, f, const char *) = arena_strdup(a, *AT(attr, f, const char *));
            break;
        case A_INTS:
        case A_DIMS:
            *AT_MUT(out, f, Ints) = copy_ints(m, a, *AT(attr, f, Ints), f->kind == A_DIMS);
            break;
        case A_TYPE: {
            Type *t = AT_MUT(out, f, Type);
            t->dims = copy_ints(m, a, (Ints){t->rank, t->dims}, true).v;
            break;
        }
        case A_SUB: {
            Sub *s = AT_MUT(out, f, Sub);
            s->binds = copy_ints(m, a, s->binds, true);
            break;
        }
        case A_SUBS: {
            Subs *s = AT_MUT(out, f, Subs);
            Sub *v = arena_dup(a, s->v, s->n * sizeof *v);
            for (uint32_t i = 0; i < s->n; i++)
                v[i].binds = copy_ints(m, a, v[i].binds, true);
            s->v = v;
            break;
        }
        case A_INT:
        case A_BOOL:
        case A_ENUM:
        case A_DTYPE:
        case A_F64:
        case A_CONST:
            break;
        }
    return out;
}

void *attr_copy(const OpRow *row, const void *attr, Arena *a, Dims *to, const Dims *from, const Dim *map)
{
    DimMapper m = {.to = to, .from = from, .map = map, .ok = true};

    return attr ? copy_attr(row, attr, a, &m) : NULL;
}

bool attr_concrete(const OpRow *row, const void *attr, Arena *a, const Dims *dims,
                   const int64_t *symvals, void **out)
{
    DimMapper m = {.from = dims, .symvals = symvals, .ok = true};

    *out = attr ? copy_attr(row, attr, a, &m) : NULL;
    return m.ok;
}

/* ---- visits ---- */

void attr_each_sub(const OpRow *row, const void *attr, void (*fn)(void *user, const Sub *s), void *user)
{
    for (const AttrField *f = fields_of(row); attr && f->name; f++)
        if (f->kind == A_SUB && AT(attr, f, Sub)->p)
            fn(user, AT(attr, f, Sub));
        else if (f->kind == A_SUBS)
            for (uint32_t i = 0; i < AT(attr, f, Subs)->n; i++)
                fn(user, &AT(attr, f, Subs)->v[i]);
}

static void find_effects(void *user, const Sub *s) { *(bool *)user |= s->p && s->p->effects; }

bool attr_has_effects(unsigned op, const void *attr)
{
    bool any = op_has(op, OPF_EFFECT);

    if (op_has(op, OPF_CONTROL) && op != OP_custom_lin)
        attr_each_sub(op_row(op), attr, find_effects, &any);
    return any;
}

static void each_int(Ints v, void (*fn)(void *user, Dim d, bool defines), void *user)
{
    for (uint32_t i = 0; i < v.n; i++)
        fn(user, v.v[i], false);
}

void attr_each_dim(const OpRow *row, const void *attr, void (*fn)(void *user, Dim d, bool defines), void *user)
{
    for (const AttrField *f = fields_of(row); attr && f->name; f++)
        switch ((AttrKind)f->kind) {
        case A_DIM:
        case A_SYM:
            fn(user, *AT(attr, f, Dim), f->kind == A_SYM);
            break;
        case A_DIMS:
            each_int(*AT(attr, f, Ints), fn, user);
            break;
        case A_TYPE:
            each_int((Ints){AT(attr, f, Type)->rank, AT(attr, f, Type)->dims}, fn, user);
            break;
        case A_SUB:
            each_int(AT(attr, f, Sub)->binds, fn, user);
            break;
        case A_SUBS:
            for (uint32_t i = 0; i < AT(attr, f, Subs)->n; i++)
                each_int(AT(attr, f, Subs)->v[i].binds, fn, user);
            break;
        case A_INT:
        case A_BOOL:
        case A_ENUM:
        case A_DTYPE:
        case A_F64:
        case A_STR:
        case A_INTS:
        case A_CONST:
            break;
        }
}
