/* pack.c -- a unit's code as bytes; pack.h says which. */
#include "pack.h"
#include "bytes.h"
#include "long.h"

typedef struct CodePacker {
    Vm *vm;
    Buf objects; /* as written */
    Value *seen; /* those in it, owned, by index */
    int64_t n, cap;
    uint32_t *slots; /* index + 1 by address, open addressing */
    uint32_t nslots;
    bool failed;
} CodePacker;

/* ---- numbers ----------------------------------------------------------------------- */

static void put(Buf *b, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        buf_char(b, (char)(v | 0x80));
    buf_char(b, (char)v);
}

static void put_signed(Buf *b, int64_t v)
{
    put(b, ((uint64_t)v << 1) ^ (uint64_t)(v >> 63));
}

static void put_double(Buf *b, double f) { buf_add(b, (const char *)&f, sizeof f); }

/* Takes the part. */
static void put_part(CodePacker *p, Buf *b, Buf *part)
{
    put(b, (uint64_t)part->n);
    buf_add(b, part->s, (size_t)part->n);
    p->failed |= part->failed;
    buf_free(part);
}

/* ---- objects ----------------------------------------------------------------------- */

static uint32_t slot_of(const CodePacker *p, const Obj *o)
{
    uint32_t k = (uint32_t)((uintptr_t)o >> 4) * 0x9E3779B1u & (p->nslots - 1);

    while (p->slots[k] && p->seen[p->slots[k] - 1].o != o)
        k = (k + 1) & (p->nslots - 1);
    return k;
}

static bool grow(CodePacker *p)
{
    uint32_t old = p->nslots;

    if (!sc_grow(p->vm, &p->seen, &p->cap, p->n + 1, sizeof *p->seen))
        return false;
    if ((uint64_t)p->n * 2 < old)
        return true;
    sc_free(p->vm, p->slots, old * sizeof *p->slots);
    p->nslots = old ? old * 2 : 256;
    p->slots = sc_alloc(p->vm, p->nslots * sizeof *p->slots);
    if (!p->slots)
        return false;
    memset(p->slots, 0, p->nslots * sizeof *p->slots);
    for (int64_t i = 0; i < p->n; i++)
        p->slots[slot_of(p, p->seen[i].o)] = (uint32_t)i + 1;
    return true;
}

static uint32_t object(CodePacker *p, Value v);

static uint8_t payload(CodePacker *p, Value v, Buf *out)
{
    Vm *vm = p->vm;
    const uint8_t *bytes;
    double re, im;
    int64_t n;
    Value r;

    if (sc_is(vm, v, C_str)) {
        buf_add(out, as_str(v)->s, as_str(v)->n);
        return PACK_STR;
    }
    if (sc_is_complex(vm, v, &re, &im)) {
        put_double(out, re);
        put_double(out, im);
        return PACK_COMPLEX;
    }
    if (is_long(vm, v)) {
        r = long_to_bytes(vm, v, long_bits(v) / 8 + 1, false, true);
        p->failed |= !sc_bytes_view(vm, r, &bytes, &n);
        if (!p->failed)
            buf_add(out, (const char *)bytes, (size_t)n);
        sc_drop(vm, r);
        return PACK_INT;
    }
    if (sc_bytes_view(vm, v, &bytes, &n)) {
        buf_add(out, (const char *)bytes, (size_t)n);
        return PACK_BYTES;
    }
    for (int64_t i = 0; i < ((Tuple *)v.o)->n; i++)
        put(out, object(p, ((Tuple *)v.o)->v[i]));
    return PACK_TUPLE;
}

/* Its index; it is written if it is new, after what is in it. */
static uint32_t object(CodePacker *p, Value v)
{
    Buf part = {.vm = p->vm};
    uint8_t kind;

    if (p->failed || !grow(p)) {
        p->failed = true;
        return 0;
    }
    if (p->slots[slot_of(p, v.o)])
        return p->slots[slot_of(p, v.o)] - 1;
    kind = payload(p, v, &part);
    if (p->failed || !grow(p)) {
        p->failed = true;
        buf_free(&part);
        return 0;
    }
    buf_char(&p->objects, (char)kind);
    put_part(p, &p->objects, &part);
    p->seen[p->n++] = sc_ref(v); /* held: another must not get its address */
    p->slots[slot_of(p, v.o)] = (uint32_t)p->n;
    return (uint32_t)p->n - 1;
}

static void put_str(CodePacker *p, Buf *b, const Str *s) { put(b, object(p, v_obj(s))); }

/* A name or nothing */
static void put_name(CodePacker *p, Buf *b, const char *name)
{
    Str *s = name ? sc_intern(p->vm, name, strlen(name)) : NULL;

    p->failed |= name && !s;
    put(b, s ? object(p, v_obj(s)) + 1u : 0);
    if (s)
        obj_drop(p->vm, s);
}

/* ---- code -------------------------------------------------------------------------- */

static void put_const(CodePacker *p, Buf *b, Value v)
{
    switch (v.tag) {
    case T_NONE: put(b, PACK_NONE); break;
    case T_BOOL: put(b, v.i ? PACK_TRUE : PACK_FALSE); break;
    case T_ELLIPSIS: put(b, PACK_ELLIPSIS); break;
    case T_INT:
        put(b, PACK_SMALL);
        put_signed(b, v.i);
        break;
    case T_FLOAT:
        put(b, PACK_FLOAT);
        put_double(b, v.f);
        break;
    default: put(b, PACK_OBJ + (uint64_t)object(p, v)); break;
    }
}

_Static_assert(OPC_COUNT <= 0x80, "an instruction's first byte is its op and a bit");

static void put_ins(CodePacker *p, Buf *b, const Ins *i)
{
    const char *kinds = sc_op_kinds[i->op];
    const uint16_t v[] = {i->a, i->b, i->c};
    bool jumps = kinds[1] == '-' && kinds[2] == '-';

    buf_char(b, (char)(i->op | (i->x ? 0x80 : 0)));
    if (i->x)
        put(b, i->x);
    for (int k = 0; k < (jumps ? 1 : 3); k++)
        if (kinds[k] != '-')
            put(b, v[k]);
        else
            p->failed |= v[k] != 0;
    if (jumps)
        put_signed(b, i->jump);
}

static void put_lines(Buf *b, const ByteCode *c)
{
    uint32_t line = c->line, n;

    for (uint32_t i = 0; i < c->nins; i += n) {
        for (n = 1; i + n < c->nins && c->pos[i + n].line == c->pos[i].line; n++)
            ;
        put(b, n);
        put_signed(b, (int64_t)c->pos[i].line - line);
        line = c->pos[i].line;
    }
}

static void put_code(CodePacker *p, Buf *b, const ByteCode *c);

static void put_body(CodePacker *p, Buf *b, const ByteCode *c)
{
    uint32_t nparams = c->npos + c->nkwonly + c->has_star + c->has_dstar, i;

    put(b, c->nregs);
    put(b, c->nlocals);
    for (i = 0; i < nparams; i++)
        put_str(p, b, c->param_names[i]);
    for (i = 0; i < c->nlocals; i++)
        put_name(p, b, c->local_names[i]);
    put(b, c->nconsts);
    for (i = 0; i < c->nconsts; i++)
        put_const(p, b, c->consts[i]);
    put(b, c->ncaches);
    for (i = 0; i < c->ncaches; i++)
        put_str(p, b, c->caches[i].name);
    put(b, c->nhandlers);
    for (i = 0; i < c->nhandlers; i++) {
        put(b, c->handlers[i].from);
        put(b, c->handlers[i].to);
        put(b, c->handlers[i].pc);
        put(b, c->handlers[i].reg);
    }
    put(b, c->nins);
    for (i = 0; i < c->nins; i++)
        put_ins(p, b, &c->ins[i]);
    put_lines(b, c);
    put(b, c->ncodes);
    for (i = 0; i < c->ncodes; i++)
        put_code(p, b, c->codes[i]);
}

static void put_code(CodePacker *p, Buf *b, const ByteCode *c)
{
    Buf body = {.vm = p->vm};
    const uint32_t head[] = {c->line,     c->index,     c->npos,        c->nkwonly,
                             c->nposonly, c->ndefaults, c->nkwdefaults, c->nfree};

    put(b, (c->is_func ? PACK_FUNC : 0u) | (c->is_class ? PACK_CLASS : 0u) |
               (c->is_generator ? PACK_GENERATOR : 0u) | (c->has_star ? PACK_STAR : 0u) |
               (c->has_dstar ? PACK_DSTAR : 0u));
    put_str(p, b, c->name);
    put_str(p, b, c->qualname);
    put(b, c->doc ? object(p, v_obj(c->doc)) + 1u : 0);
    for (int i = 0; i < COUNT(head); i++)
        put(b, head[i]);
    for (uint32_t i = 0; i < c->nfree; i++)
        put(b, c->free_from[i]);
    put_body(p, &body, c);
    put_part(p, b, &body);
}

bool sc_pack(Vm *vm, const Unit *u, Buf *out)
{
    CodePacker p = {.vm = vm, .objects = {.vm = vm}};
    Buf code = {.vm = vm};

    put_code(&p, &code, u->code);
    put(out, (uint64_t)p.n);
    buf_add(out, p.objects.s, (size_t)p.objects.n);
    buf_add(out, code.s, (size_t)code.n);
    p.failed |= code.failed || p.objects.failed || out->failed;
    buf_free(&code);
    buf_free(&p.objects);
    for (int64_t i = 0; i < p.n; i++)
        sc_drop(vm, p.seen[i]);
    sc_free(vm, p.seen, (size_t)p.cap * sizeof *p.seen);
    sc_free(vm, p.slots, p.nslots * sizeof *p.slots);
    return !p.failed;
}
