/* print.c -- programs as text, which parse.c reads back bit for bit.
 *
 *   requires   a finished program
 *   method     Sub-programs come before their users, each once: programs of equal content
 *              are one program. Names of programs are made unique (f, f_1). Values without
 *              a name are %7, the number being the value's; names that are no identifiers
 *              are quoted.
 *   exact      numbers have the shortest digits that read back to the same bits; a NaN
 *              other than the usual one is bits(0x..)
 */
#include "ir/parse.h"

#include "op/op.h"

#include <math.h>

/* ---- names ------------------------------------------------------------------------- */

static bool is_plain_name(const char *s, size_t n)
{
    if (n == 0 || !name_is_start((unsigned char)s[0]))
        return false;
    for (size_t i = 1; i < n; i++)
        if (!name_is_byte((unsigned char)s[i]))
            return false;
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)s[i] >= 0x80) { /* bytes of broken UTF-8 are escaped */
            int len = utf8_len(s + i, n - i);

            if (len == 0)
                return false;
            i += (size_t)len - 1;
        }
    return !(n == 3 && memcmp(s, "ret", 3) == 0) &&
           !(n == 5 && memcmp(s, "guard", 5) == 0);
}

void name_text(Text *out, const char *name)
{
    size_t n = strlen(name);

    if (is_plain_name(name, n))
        text_addn(out, name, n);
    else
        text_quoted(out, name, n);
}

/* A name that begins with % would be taken for a number: such a value goes without. */
static void print_value(const Program *p, Val v, Text *out)
{
    if (p->vals[v].name && p->names[p->vals[v].name][0] != '%') {
        name_text(out, p->names[p->vals[v].name]);
    } else {
        text_char(out, '%');
        text_int(out, v);
    }
}

/* ---- the names of programs: those of one text ---- */

typedef struct Listed {
    const Program *p;
    const char *name; /* unique in the text */
} Listed;

typedef struct Printer {
    const PrintOptions *o;
    Text *out;
    Arena *a;
    VEC(Listed) list;     /* in the order of printing */
    const Program **keys; /* hash set of pointers: seen, or asked for by the caller */
    uint32_t *by_pointer; /* list index + 1 for each; 0: asked for, not yet listed */
    uint32_t *by_content; /* hash table of list indices + 1 */
    uint32_t nkeys, cap;
    ParseNames names; /* taken -> the last number tried behind it */
} Printer;

static uint32_t pointer_slot(const Printer *r, const Program *p)
{
    uint32_t k = (uint32_t)(hash_mix(1, (uint64_t)(uintptr_t)p) >> 32) & (r->cap - 1);

    while (r->keys[k] && r->keys[k] != p)
        k = (k + 1) & (r->cap - 1);
    return k;
}

static uint32_t content_slot(const Printer *r, const Program *p)
{
    uint32_t k = (uint32_t)p->hash.lo & (r->cap - 1);

    while (r->by_content[k] && !program_equal(r->list.v[r->by_content[k] - 1].p, p))
        k = (k + 1) & (r->cap - 1);
    return k;
}

static void grow_tables(Printer *r)
{
    Printer old = *r;

    r->cap = old.cap ? old.cap * 2 : 32;
    r->by_pointer = arena_zalloc(r->a, r->cap * sizeof *r->by_pointer);
    r->by_content = arena_zalloc(r->a, r->cap * sizeof *r->by_content);
    r->keys = arena_zalloc(r->a, r->cap * sizeof *r->keys);
    for (uint32_t i = 0; i < old.cap; i++)
        if (old.keys[i]) {
            uint32_t k = pointer_slot(r, old.keys[i]);

            r->keys[k] = old.keys[i];
            r->by_pointer[k] = old.by_pointer[i];
        }
    for (uint32_t i = 0; i < r->list.n; i++) {
        uint32_t k = content_slot(r, r->list.v[i].p);

        if (!r->by_content[k])
            r->by_content[k] = i + 1;
    }
}

static uint32_t enter_key(Printer *r, const Program *p)
{
    uint32_t k;

    if ((r->nkeys + 1) * 2 > r->cap)
        grow_tables(r);
    k = pointer_slot(r, p);
    r->nkeys += !r->keys[k];
    r->keys[k] = p;
    return k;
}

/* Put p and, before it, its sub-programs into the list. A program asked for by the caller
 * is listed even if one of equal content is there: it has a name of its own. */
static void collect(Printer *r, const Program *p)
{
    uint32_t k = r->cap ? pointer_slot(r, p) : 0, c;
    bool asked = r->cap && r->keys[k];

    if (asked && r->by_pointer[k])
        return;
    for (uint32_t i = 0; i < p->nsubs; i++)
        collect(r, p->subs[i]);
    k = enter_key(r, p);
    c = content_slot(r, p);
    if (r->by_content[c] && !asked) {
        r->by_pointer[k] = r->by_content[c];
        return;
    }
    vec_push(r->a, &r->list, ((Listed){p, NULL}));
    r->by_pointer[k] = r->list.n;
    if (!r->by_content[c])
        r->by_content[c] = r->list.n;
}

/* A name not yet taken: base, or base_1, base_2 .. */
static const char *unique_name(Printer *r, const char *base)
{
    const char *s = base;
    NameSlot *taken, *old;

    while (!names_add(&r->names, s, (uint32_t)strlen(s), 0, &old)) {
        taken = names_find(&r->names, base, (uint32_t)strlen(base));
        s = arena_printf(r->a, "%s_%u", base, (unsigned)++taken->value);
    }
    return s;
}

/* The programs asked for keep their names where they can, so they choose first. */
static void choose_names(Printer *r, const Program *const *tops, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        Listed *l = &r->list.v[r->by_pointer[pointer_slot(r, tops[i])] - 1];

        if (!l->name)
            l->name = unique_name(r, l->p->name);
    }
    for (uint32_t i = 0; i < r->list.n; i++)
        if (!r->list.v[i].name)
            r->list.v[i].name = unique_name(r, r->list.v[i].p->name);
}

/* ---- constants --------------------------------------------------------------------- */

static void print_hex(Text *out, uint64_t v, int digits)
{
    static const char hex[] = "0123456789abcdef";
    char buf[16];

    for (int i = digits; i > 0; i--, v >>= 4)
        buf[i - 1] = hex[v & 15];
    text_add(out, "bits(0x");
    text_addn(out, buf, (size_t)digits);
    text_char(out, ')');
}

static void print_f64(Text *out, double x)
{
    char buf[NUMBER_MAX];
    uint64_t bits;

    memcpy(&bits, &x, 8);
    if (x != x && bits != UINT64_C(0x7ff8000000000000))
        print_hex(out, bits, 16);
    else
        text_addn(out, buf, (size_t)number_f64(buf, x));
}

static void print_f32(Text *out, float x)
{
    char buf[NUMBER_MAX];
    uint32_t bits;

    memcpy(&bits, &x, 4);
    if (x != x && bits != 0x7fc00000)
        print_hex(out, bits, 8);
    else
        text_addn(out, buf, (size_t)number_f32(buf, x));
}

static void print_half(Text *out, wf_dtype dtype, uint16_t bits)
{
    char buf[NUMBER_MAX];
    bool bf = dtype == WF_BF16;
    uint16_t infinity = bf ? 0x7f80 : 0x7c00, nan = bf ? 0x7fc0 : 0x7e00;

    if ((bits & 0x7fff) > infinity && bits != nan)
        print_hex(out, bits, 4);
    else
        text_addn(out, buf,
                  (size_t)(bf ? number_bf16(buf, bits) : number_f16(buf, bits)));
}

/* As its number; NaNs but the usual one as bits. */
static void print_stored(Text *out, wf_dtype dtype, const uint8_t *at)
{
    uint8_t nan;

    element_from_f64(dtype, (double)NAN, &nan);
    if (dtype_wide(dtype) != WF_F32)
        text_int(out, (int64_t)element_as_f64(dtype, at));
    else if (f8_is_nan(dtype, *at) && *at != nan)
        print_hex(out, *at, 2);
    else
        print_f32(out, f8_is_nan(dtype, *at) ? (float)NAN : f8_to_f32(dtype, *at));
}

static void print_element(Text *out, wf_dtype dtype, const void *at)
{
    char buf[NUMBER_MAX];
    union {
        uint8_t u8;
        int8_t i8;
        uint16_t u16;
        int16_t i16;
        uint32_t u32;
        int32_t i32;
        uint64_t u64;
        int64_t i64;
        float f32;
        double f64;
    } x;

    if (dtype_is_complex(dtype)) {
        wf_dtype part = dtype_part(dtype);

        text_char(out, '(');
        print_element(out, part, at);
        text_add(out, ", ");
        print_element(out, part, (const char *)at + wf_dtype_size(part));
        text_char(out, ')');
        return;
    }
    if (dtype_is_storage(dtype)) {
        print_stored(out, dtype, at);
        return;
    }
    memcpy(&x, at, wf_dtype_size(dtype));
    switch (dtype) {
    case WF_BOOL: text_add(out, x.u8 ? "true" : "false"); return;
    case WF_F16:
    case WF_BF16: print_half(out, dtype, x.u16); return;
    case WF_F32: print_f32(out, x.f32); return;
    case WF_F64: print_f64(out, x.f64); return;
    case WF_U64: text_addn(out, buf, (size_t)number_u64(buf, x.u64)); return;
    default: break;
    }
    text_int(out, dtype == WF_I8    ? x.i8
                  : dtype == WF_I16 ? x.i16
                  : dtype == WF_I32 ? x.i32
                  : dtype == WF_U8  ? (int64_t)x.u8
                  : dtype == WF_U16 ? (int64_t)x.u16
                  : dtype == WF_U32 ? (int64_t)x.u32
                                    : x.i64);
}

#define ONE_LINE 16 /* longer lists break into lines: rows, and so many elements */

/* Nested lists, row by row: element i opens a list for each axis it is the first of. */
static void print_list(const ConstAttr *a, int64_t max, Text *out)
{
    wf_dtype dtype = (wf_dtype)a->type.dtype;
    size_t size = wf_dtype_size(dtype);
    int64_t count = (int64_t)(a->data->size / size), rank = a->type.rank, inner[MAX_RANK];
    const char *at = a->data->data;
    bool many = count > ONE_LINE;

    for (int64_t k = rank - 1, n = 1; k >= 0; k--)
        inner[k] = n *= a->type.dims[k];
    text_char(out, '[');
    for (int64_t i = 0; i < count; i++, at += size) {
        int64_t opens = 0; /* of the lists inside the outermost */

        while (opens < rank - 1 && i % inner[rank - 1 - opens] == 0)
            opens++;
        if (max > 0 && i == max) {
            text_add(out, ", ...");
            break;
        }
        text_add(out, i ? "," : "");
        if (many && (opens || i % inner[rank - 1] % ONE_LINE == 0))
            text_add(out, "\n    ");
        else if (i)
            text_char(out, ' ');
        for (int64_t k = 0; k < opens; k++)
            text_char(out, '[');
        print_element(out, dtype, at);
        for (int64_t k = rank - 1; k > 0 && (i + 1) % inner[k] == 0; k--)
            text_char(out, ']');
    }
    text_char(out, ']');
}

static const char *tensor_name(const Printer *r, const ConstData *data)
{
    return r && r->o->tensor ? r->o->tensor(r->o->user, data) : data->name;
}

static void print_const(const Printer *r, const Program *p, const ConstAttr *a,
                        int64_t max_const, Text *out)
{
    wf_dtype dtype = (wf_dtype)a->type.dtype;
    const char *tensor = tensor_name(r, a->data);

    text_char(out, ' ');
    type_print(&p->dims, a->type, out);
    text_char(out, ' ');
    if (tensor) {
        text_add(out, "tensor(");
        text_quoted(out, tensor, strlen(tensor));
        text_char(out, ')');
    } else if (a->data->size == wf_dtype_size(dtype)) {
        print_element(out, dtype, a->data->data);
    } else {
        print_list(a, max_const, out);
    }
}

/* ---- attributes -------------------------------------------------------------------- */

static const char *program_name(const Printer *r, const Program *p)
{
    return r ? r->list.v[r->by_pointer[pointer_slot(r, p)] - 1].name : p->name;
}

/* Symbols that the operands determine need not be said: those of bare sizes of inputs,
 * where the operands are the inputs. */
static bool is_said(const AttrField *f, SymOrigin origin)
{
    bool by_rule =
        !strcmp(f->name, "rule") || !strcmp(f->name, "fwd") || !strcmp(f->name, "bwd");

    return origin == SYM_PARAM || (origin == SYM_INPUT && by_rule);
}

static void print_sub(const Printer *r, const Program *p, const AttrField *f,
                      const Sub *s, Text *out)
{
    const char *between = "[";

    name_text(out, program_name(r, s->p));
    for (uint32_t i = 0; i < s->binds.n; i++) {
        const Symbol *sym = &s->p->dims.syms.v[i];

        if (!is_said(f, (SymOrigin)sym->origin) || s->binds.v[i] == DIM_NONE)
            continue;
        text_add(out, between);
        between = ",";
        name_text(out, sym->name);
        text_char(out, '=');
        dim_print(&p->dims, s->binds.v[i], out);
    }
    if (*between == ',')
        text_char(out, ']');
}

static void print_ints(const Program *p, Ints v, bool dims, Text *out)
{
    text_char(out, '[');
    for (uint32_t i = 0; i < v.n; i++) {
        if (i)
            text_char(out, ',');
        if (dims)
            dim_print(&p->dims, v.v[i], out);
        else
            text_int(out, v.v[i]);
    }
    text_char(out, ']');
}

#define AT(attr, f, T) ((T const *)(const void *)((const char *)(attr) + (f)->offset))

/* The field has the value it has when the text does not say it. */
static bool is_standard(const AttrField *f, const void *attr)
{
    double x, zero = (double)f->standard;

    switch ((AttrKind)f->kind) {
    case A_SUB: return AT(attr, f, Sub)->p == NULL;
    case A_SYM: return *AT(attr, f, Dim) == DIM_NONE;
    default: break;
    }
    if (f->standard == ATTR_REQUIRED)
        return false;
    switch ((AttrKind)f->kind) {
    case A_INT:
    case A_DIM: return *AT(attr, f, int64_t) == f->standard;
    case A_BOOL: return *AT(attr, f, bool) == (f->standard != 0);
    case A_ENUM:
    case A_DTYPE: return *AT(attr, f, int32_t) == (int32_t)f->standard;
    case A_F64: x = *AT(attr, f, double); return memcmp(&x, &zero, 8) == 0;
    case A_STR: return **AT(attr, f, const char *) == '\0';
    case A_INTS:
    case A_DIMS: return AT(attr, f, Ints)->n == 0;
    case A_SUBS: return AT(attr, f, Subs)->n == 0;
    case A_SYM:
    case A_TYPE:
    case A_SUB:
    case A_CONST: break;
    }
    return false;
}

static void print_field(const Printer *r, const Program *p, const AttrField *f,
                        const void *attr, Text *out)
{
    switch ((AttrKind)f->kind) {
    case A_INT: text_int(out, *AT(attr, f, int64_t)); break;
    case A_BOOL: text_add(out, *AT(attr, f, bool) ? "true" : "false"); break;
    case A_ENUM: text_add(out, f->names[*AT(attr, f, int32_t)]); break;
    case A_DTYPE: text_add(out, wf_dtype_name((wf_dtype)*AT(attr, f, int32_t))); break;
    case A_F64: print_f64(out, *AT(attr, f, double)); break;
    case A_STR:
        text_quoted(out, *AT(attr, f, const char *), strlen(*AT(attr, f, const char *)));
        break;
    case A_DIM:
    case A_SYM: dim_print(&p->dims, *AT(attr, f, Dim), out); break;
    case A_INTS:
    case A_DIMS: print_ints(p, *AT(attr, f, Ints), f->kind == A_DIMS, out); break;
    case A_TYPE: type_print(&p->dims, *AT(attr, f, Type), out); break;
    case A_SUB: print_sub(r, p, f, AT(attr, f, Sub), out); break;
    case A_SUBS:
        text_char(out, '[');
        for (uint32_t i = 0; i < AT(attr, f, Subs)->n; i++) {
            text_add(out, i ? "," : "");
            print_sub(r, p, f, &AT(attr, f, Subs)->v[i], out);
        }
        text_char(out, ']');
        break;
    case A_CONST: /* printed by print_const */ break;
    }
}

static void print_attr(const Printer *r, const Program *p, const Eqn *e, Text *out)
{
    const AttrField *fields = op_row(e->op)->attrs;

    if (!fields || !e->attr)
        return;
    for (const AttrField *f = fields; f->name; f++)
        if (f->positional) {
            text_char(out, ' ');
            print_field(r, p, f, e->attr, out);
        }
    for (const AttrField *f = fields; f->name; f++)
        if (!f->positional && !is_standard(f, e->attr)) {
            text_char(out, ' ');
            text_add(out, f->name);
            text_char(out, '=');
            print_field(r, p, f, e->attr, out);
        }
}

/* ---- equations and programs -------------------------------------------------------- */

static void print_results(const Program *p, const Eqn *e, bool types, Text *out)
{
    for (uint32_t i = 0; i < e->nout; i++) {
        if (i)
            text_add(out, ", ");
        print_value(p, e->out + i, out);
        if (types) {
            text_add(out, ": ");
            type_print(&p->dims, val_type(p, e->out + i), out);
        }
    }
    if (e->nout)
        text_add(out, " = ");
}

static void print_eqn(const Printer *r, const Program *p, const Eqn *e, bool types,
                      int64_t max_const, Text *out)
{
    const Val *in = eqn_in(p, e);
    bool dot = e->op == OP_dot_general && e->nin == 2 &&
               dot_is_short(e->attr, val_type(p, in[0]), val_type(p, in[1]));

    print_results(p, e, types, out);
    text_add(out, dot ? "dot" : op_name(e->op));
    for (uint32_t i = 0; i < e->nin; i++) {
        text_char(out, ' ');
        print_value(p, in[i], out);
    }
    if (e->op == OP_const)
        print_const(r, p, e->attr, max_const, out);
    else if (!dot)
        print_attr(r, p, e, out);
}

void eqn_print(const Program *p, const Eqn *e, Text *out)
{
    print_eqn(NULL, p, e, false, 8, out);
}

#define PLACE_COLUMN 40

static bool is_plain_path(const char *s)
{
    if (!*s)
        return false;
    for (; *s; s++)
        if ((unsigned char)*s <= ' ' || (unsigned char)*s >= 0x7f ||
            strchr(":\"#!{}", *s))
            return false;
    return true;
}

static bool is_plain_via(const char *s)
{
    if (!*s)
        return false;
    for (; *s; s++)
        if ((unsigned char)*s >= 0x80 || (*s != '/' && !name_is_byte((unsigned char)*s)))
            return false;
    return true;
}

static void print_place(Place place, Text *out)
{
    const char *file = place.file ? place.file : "<text>";

    text_char(out, ' ');
    text_pad(out, PLACE_COLUMN);
    text_char(out, '@');
    if (place.line == 0) { /* nowhere */
        text_char(out, '-');
        return;
    }
    if (is_plain_path(file))
        text_add(out, file);
    else
        text_quoted(out, file, strlen(file));
    text_char(out, ':');
    text_int(out, place.line);
    text_char(out, ':');
    text_int(out, place.col);
    if (place.len) {
        text_char(out, '+');
        text_int(out, place.len);
    }
    if (place.via) {
        text_char(out, '!');
        if (is_plain_via(place.via))
            text_add(out, place.via);
        else
            text_quoted(out, place.via, strlen(place.via));
    }
}

/* [K,M]: the symbols that no input has bare. */
static void print_symbols(const Program *p, Text *out)
{
    const char *between = "[";

    for (uint32_t i = 0; i < p->dims.syms.n; i++) {
        if (p->dims.syms.v[i].origin != SYM_PARAM)
            continue;
        text_add(out, between);
        name_text(out, p->dims.syms.v[i].name);
        between = ",";
    }
    if (*between == ',')
        text_char(out, ']');
}

static void print_program(const Printer *r, const Program *p, const char *name)
{
    Text *out = r->out;

    name_text(out, name);
    print_symbols(p, out);
    text_char(out, '(');
    for (uint32_t i = 0; i < p->nin; i++) {
        text_add(out, i ? ", " : "");
        print_value(p, program_in(p, i), out);
        text_add(out, ": ");
        type_print(&p->dims, val_type(p, program_in(p, i)), out);
    }
    text_add(out, ") {\n");
    for (uint32_t i = 0; i < p->dims.guards.n; i++) {
        text_add(out, "  guard ");
        dim_print(&p->dims, p->dims.guards.v[i].lhs, out);
        text_add(out, p->dims.guards.v[i].is_eq ? " == " : " >= ");
        dim_print(&p->dims, p->dims.guards.v[i].rhs, out);
        text_char(out, '\n');
    }
    for (uint32_t i = 0; i < p->neqns; i++) {
        text_add(out, "  ");
        print_eqn(r, p, &p->eqns[i], r->o->types, r->o->max_const, out);
        if (r->o->places)
            print_place(eqn_place(p, &p->eqns[i]), out);
        text_char(out, '\n');
    }
    text_add(out, "  ret");
    for (uint32_t i = 0; i < p->nout; i++) {
        text_add(out, i ? ", " : " ");
        print_value(p, p->outs[i], out);
    }
    text_add(out, "\n}\n");
}

void programs_print(const Program *const *ps, uint32_t n, const PrintOptions *o,
                    Text *out)
{
    static const PrintOptions plain = {0};
    Printer r = {.o = o ? o : &plain, .out = out, .a = out->a, .names = {.a = out->a}};

    for (uint32_t i = 0; i < n; i++)
        enter_key(&r, ps[i]);
    for (uint32_t i = 0; i < n; i++)
        collect(&r, ps[i]);
    choose_names(&r, ps, n);
    if (r.o->header)
        text_printf(out, "weft %d\n", TEXT_VERSION);
    for (uint32_t i = 0; i < r.list.n; i++) {
        if (i || r.o->header)
            text_char(out, '\n');
        print_program(&r, r.list.v[i].p, r.list.v[i].name);
    }
}

void program_print(const Program *p, const PrintOptions *o, Text *out)
{
    programs_print(&p, 1, o, out);
}
