/* unpack.c -- code of the namespaces, read from its bytes when it is needed; pack.h says which bytes, and why.
 *
 * Memory is the unit's arena. Where there is none left, or an object cannot be made, the reader jumps to u->jump with
 * the exception pending; the code stays as it was, and the next call tries again.
 */
#include "pack.h"
#include "long.h"

typedef struct Reader {
    Unit *u;
    const uint8_t *at;
} Reader;

static uint64_t get(Reader *r)
{
    uint64_t v = *r->at & 0x7F;

    for (int k = 7; *r->at++ & 0x80; k += 7)
        v |= (uint64_t)(*r->at & 0x7F) << k;
    return v;
}

static uint32_t get32(Reader *r) { return (uint32_t)get(r); }

static int64_t get_signed(Reader *r)
{
    uint64_t v = get(r);

    return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}

static double get_double(Reader *r)
{
    double f;

    memcpy(&f, r->at, sizeof f);
    r->at += sizeof f;
    return f;
}

static void *take(Unit *u, size_t n, size_t elem)
{
    void *p = arena_alloc(&u->arena, n * elem + !n);

    if (!p) {
        sc_raise_memory(u->vm);
        longjmp(u->jump, 1);
    }
    return memset(p, 0, n * elem);
}

/* ---- objects ----------------------------------------------------------------------- */

static Value object(Unit *u, uint32_t index);

static Value make_tuple(Unit *u, Reader r, const uint8_t *end)
{
    uint32_t n = 0;
    Tuple *t;

    for (Reader k = r; k.at < end; n++)
        get(&k);
    t = sc_tuple(u->vm, n);
    for (uint32_t i = 0; t && i < n; i++)
        t->v[i] = sc_ref(u->consts.v[get32(&r)]);
    return v_obj(t);
}

static Value make_object(Unit *u, const uint8_t *at)
{
    Reader r = {u, at + 1};
    size_t n = get(&r);
    const char *s = (const char *)r.at;
    double re;

    switch (*at) {
    case PACK_STR:
        return n <= 64 ? v_obj(sc_intern(u->vm, s, n)) : v_obj(sc_str_n(u->vm, s, n));
    case PACK_BYTES: return sc_bytes(u->vm, s, (int64_t)n);
    case PACK_INT: return long_from_bytes(u->vm, r.at, (int64_t)n, false, true);
    case PACK_COMPLEX: re = get_double(&r); return sc_complex(u->vm, re, get_double(&r));
    default:
        for (Reader k = r; k.at < r.at + n;)
            object(u, get32(&k));
        return make_tuple(u, r, r.at + n);
    }
}

/* Borrowed: the unit keeps it. */
static Value object(Unit *u, uint32_t index)
{
    Value *v = &u->consts.v[index];

    if (v->tag == T_NIL) {
        *v = make_object(u, u->packed + u->objects_at[index]);
        if (v->tag == T_NIL)
            longjmp(u->jump, 1);
    }
    return *v;
}

static Str *get_str(Reader *r) { return as_str(object(r->u, get32(r))); }

static Value get_const(Reader *r)
{
    uint32_t k = get32(r);

    switch (k) {
    case PACK_NONE: return NONE;
    case PACK_FALSE: return v_bool(false);
    case PACK_TRUE: return v_bool(true);
    case PACK_ELLIPSIS: return (Value){T_ELLIPSIS, {0}};
    case PACK_SMALL: return v_int(get_signed(r));
    case PACK_FLOAT: return v_float(get_double(r));
    default: return object(r->u, k - PACK_OBJ);
    }
}

/* ---- code -------------------------------------------------------------------------- */

static Ins get_ins(Reader *r)
{
    Ins i = {.op = *r->at & 0x7F};
    const char *kinds = sc_op_kinds[i.op];

    if (*r->at++ & 0x80)
        i.x = (uint8_t)get(r);
    if (kinds[0] != '-')
        i.a = (uint16_t)get(r);
    if (kinds[1] == '-' && kinds[2] == '-') {
        i.jump = (int32_t)get_signed(r);
        return i;
    }
    if (kinds[1] != '-')
        i.b = (uint16_t)get(r);
    if (kinds[2] != '-')
        i.c = (uint16_t)get(r);
    return i;
}

/* The head of a code; the reader goes on behind its body. */
static const ByteCode *get_code(Reader *r)
{
    ByteCode *c = take(r->u, 1, sizeof *c);
    uint32_t flags = get32(r),
             *head[] = {&c->line,     &c->index,     &c->npos,        &c->nkwonly,
                        &c->nposonly, &c->ndefaults, &c->nkwdefaults, &c->nfree};
    uint32_t doc;
    size_t size;

    c->unit = r->u;
    c->is_func = flags & PACK_FUNC;
    c->is_class = flags & PACK_CLASS;
    c->is_generator = flags & PACK_GENERATOR;
    c->has_star = flags & PACK_STAR;
    c->has_dstar = flags & PACK_DSTAR;
    c->name = get_str(r);
    c->qualname = get_str(r);
    doc = get32(r);
    c->doc = doc ? as_str(object(r->u, doc - 1)) : NULL;
    for (int i = 0; i < COUNT(head); i++)
        *head[i] = get32(r);
    c->free_from = c->nfree ? take(r->u, c->nfree, sizeof *c->free_from) : NULL;
    for (uint32_t i = 0; i < c->nfree; i++)
        c->free_from[i] = (uint16_t)get(r);
    size = get(r);
    c->packed = r->at;
    r->at += size;
    return c;
}

static void get_names(Reader *r, ByteCode *c)
{
    uint32_t nparams = c->npos + c->nkwonly + c->has_star + c->has_dstar, i, k;

    c->param_names = take(r->u, nparams, sizeof *c->param_names);
    for (i = 0; i < nparams; i++)
        c->param_names[i] = get_str(r);
    c->local_names = take(r->u, c->nlocals, sizeof *c->local_names);
    for (i = 0; i < c->nlocals; i++)
        if ((k = get32(r)))
            c->local_names[i] = as_str(object(r->u, k - 1))->s;
}

static void get_tables(Reader *r, ByteCode *c)
{
    uint32_t i;

    c->nconsts = get32(r);
    c->consts = take(r->u, c->nconsts, sizeof *c->consts);
    for (i = 0; i < c->nconsts; i++)
        c->consts[i] = get_const(r);
    c->ncaches = get32(r);
    c->caches = take(r->u, c->ncaches, sizeof *c->caches);
    for (i = 0; i < c->ncaches; i++)
        c->caches[i].name = get_str(r);
    c->nhandlers = get32(r);
    c->handlers = take(r->u, c->nhandlers, sizeof *c->handlers);
    for (i = 0; i < c->nhandlers; i++) {
        Handler *h = &c->handlers[i];

        h->from = get32(r);
        h->to = get32(r);
        h->pc = get32(r);
        h->reg = (uint16_t)get(r);
    }
}

static void get_body(Reader r, ByteCode *c)
{
    Ins *ins;
    uint32_t i;

    c->nregs = get32(&r);
    c->nlocals = get32(&r);
    get_names(&r, c);
    get_tables(&r, c);
    c->nins = get32(&r);
    ins = take(r.u, c->nins, sizeof *ins);
    for (i = 0; i < c->nins; i++)
        ins[i] = get_ins(&r);
    c->lines = r.at;
    for (i = 0; i < c->nins;) {
        i += get32(&r);
        get(&r);
    }
    c->ncodes = get32(&r);
    c->codes = take(r.u, c->ncodes, sizeof *c->codes);
    for (i = 0; i < c->ncodes; i++)
        c->codes[i] = get_code(&r);
    c->ins = ins; /* last: it is what tells that the rest is there */
}

bool sc_code_load(const ByteCode *code)
{
    Unit *u = code->unit;

    if (code->ins)
        return true;
    if (setjmp(u->jump))
        return false;
    get_body((Reader){u, code->packed}, (ByteCode *)code);
    return true;
}

uint32_t sc_code_line(const ByteCode *c, uint32_t at)
{
    Reader r = {c->unit, c->lines};
    uint32_t line = c->line, end = 0;

    if (c->pos)
        return c->pos[at].line;
    if (!c->lines)
        return line;
    do {
        end += get32(&r);
        line = (uint32_t)(line + get_signed(&r));
    } while (end <= at);
    return line;
}

const FuncDef *sc_code_tree(const ByteCode *c)
{
    Unit *u = c->unit;

    if (!u->packed)
        return c->def;
    if (!u->source)
        u->source = sc_compile_hidden(u->vm, u->file, u->text, u->size);
    return u->source ? u->source->codes.v[c->index]->def : NULL;
}

/* ---- units ------------------------------------------------------------------------- */

bool sc_unpack(Unit *u)
{
    Reader r = {u, u->packed};
    uint32_t n;

    if (setjmp(u->jump))
        return false;
    n = get32(&r);
    u->objects_at = take(u, n, sizeof *u->objects_at);
    u->consts.v = take(u, n, sizeof *u->consts.v);
    u->consts.n = n;
    for (uint32_t i = 0; i < n; i++) {
        size_t size;

        u->objects_at[i] = (uint32_t)(r.at - u->packed);
        r.at++;
        size = get(&r);
        r.at += size;
    }
    u->code = get_code(&r);
    return sc_code_load(u->code);
}
