/* parse_value.c -- dims, types and attribute values of the text form.
 *
 * What kind of value stands after a key is known from the op's field table, so values need
 * no marks of their own: `acc=f32` is a dtype because acc is one.
 */
#include "ir/parse.h"

/* ---- integers ---------------------------------------------------------------------- */

/* A number token as an integer that is not negative. */
static bool token_int(Parser *p, uint64_t *out)
{
    Token t = p->tok;
    const char *end;
    bool overflow = false;

    if (t.kind != TOK_NUMBER)
        return parse_fail_expected(p, "an integer");
    end = number_parse_u64(t.s, t.s + t.n, out, &overflow);
    if (overflow)
        return parse_fail_at(p, t, WF_ERR_LIMIT, "the number %s is too large", token_str(p, t));
    if (end != t.s + t.n)
        return parse_fail_at(p, t, WF_ERR_SYNTAX, "'%s' is not an integer", token_str(p, t));
    next_token(p);
    return true;
}

/* int = [ "-" ] INT . */
bool parse_int(Parser *p, int64_t *out)
{
    Token t = p->tok;
    bool negative = parse_take(p, '-');
    uint64_t v;

    if (!token_int(p, &v))
        return false;
    if (v > (uint64_t)INT64_MAX + negative)
        return parse_fail_at(p, t, WF_ERR_LIMIT, "the number is beyond 64 bits");
    *out = negative ? (int64_t)(0 - v) : (int64_t)v;
    return true;
}

/* ---- dims -------------------------------------------------------------------------- */

typedef struct DimParser {
    Parser *p;
    Dims *dims;
    uint32_t depth;
} DimParser;

static bool dim_sum(DimParser *d, Dim *out);

static bool dim_symbol_ref(DimParser *d, Dim *out)
{
    Parser *p = d->p;
    Token t;
    const char *s, *near;
    uint32_t n;
    NameSlot *slot;

    if (!parse_name(p, "a dimension", &t, &s, &n))
        return false;
    slot = names_find(&p->syms, s, n);
    if (slot) {
        *out = slot->value;
        return true;
    }
    near = names_nearest(&p->syms, s, n);
    if (near)
        return parse_fail_unknown(p, t, "symbol", near);
    return parse_fail_at(p, t, WF_ERR_NAME,
                   "unknown symbol '%s': no input has it bare, and no equation before "
                   "defines it",
                   token_str(p, t));
}

/* call = "floor" "(" dim "/" dim ")" | ( "min" | "max" | "mod" ) "(" dim "," dim ")" . */
static bool dim_call(DimParser *d, Dim *out)
{
    Parser *p = d->p;
    Token name = p->tok;
    bool div = token_is(name, "floor");
    Dim a, b;

    next_token(p);
    if (!parse_need(p, '(', "'('") || !dim_sum(d, &a))
        return false;
    if (!parse_need(p, div ? '/' : ',', div ? "'/' in floor(a/b)" : "','") || !dim_sum(d, &b) ||
        !parse_need(p, ')', "')'"))
        return false;
    if ((div || token_is(name, "mod")) && dim_is_const(b) && b == 0)
        return parse_fail_at(p, name, WF_ERR_VALUE, "division of a dimension by zero");
    *out = div                     ? dim_div(d->dims, a, b)
           : token_is(name, "mod") ? dim_mod(d->dims, a, b)
           : token_is(name, "min") ? dim_min(d->dims, a, b)
                                   : dim_max(d->dims, a, b);
    return *out != DIM_NONE || parse_fail_here(p, name);
}

static bool is_dim_call(const Parser *p)
{
    return lex_peek(&p->lex) == '(' &&
           (token_is(p->tok, "floor") || token_is(p->tok, "min") ||
            token_is(p->tok, "max") || token_is(p->tok, "mod"));
}

/* atom = INT | symbol | call | "-" atom | "(" dim ")" . */
static bool dim_atom(DimParser *d, Dim *out)
{
    Parser *p = d->p;
    Token t = p->tok;
    uint64_t v;

    if (d->depth >= MAX_PARENS)
        return parse_fail_at(p, t, WF_ERR_LIMIT, "dimension nested deeper than %d", MAX_PARENS);
    d->depth++;
    if (t.kind == TOK_NUMBER) {
        if (!token_int(p, &v))
            return false;
        if (v > INT64_MAX)
            return parse_fail_at(p, t, WF_ERR_LIMIT, "the number is beyond 64 bits");
        *out = (Dim)v;
    } else if (parse_take(p, '(')) {
        if (!dim_sum(d, out) || !parse_need(p, ')', "')'"))
            return false;
    } else if (parse_take(p, '-')) {
        if (!dim_atom(d, out))
            return false;
        *out = dim_sub(d->dims, 0, *out);
    } else if (t.kind == TOK_NAME && is_dim_call(p)) {
        if (!dim_call(d, out))
            return false;
    } else if (!dim_symbol_ref(d, out)) {
        return false;
    }
    d->depth--;
    return *out != DIM_NONE || parse_fail_here(p, t);
}

/* product = atom { ( "*" | "%" ) atom } . */
static bool dim_product(DimParser *d, Dim *out)
{
    Parser *p = d->p;
    Dim b;

    if (!dim_atom(d, out))
        return false;
    while (p->tok.kind == '*' || p->tok.kind == '%') {
        Token t = p->tok;

        next_token(p);
        if (!dim_atom(d, &b))
            return false;
        if (t.kind == '%' && dim_is_const(b) && b == 0)
            return parse_fail_at(p, t, WF_ERR_VALUE, "division of a dimension by zero");
        *out = t.kind == '*' ? dim_mul(d->dims, *out, b) : dim_mod(d->dims, *out, b);
        if (*out == DIM_NONE)
            return parse_fail_here(p, t);
    }
    return true;
}

/* dim = product { ( "+" | "-" ) product } . */
static bool dim_sum(DimParser *d, Dim *out)
{
    Parser *p = d->p;
    Dim b;

    if (!dim_product(d, out))
        return false;
    while (p->tok.kind == '+' || p->tok.kind == '-') {
        Token t = p->tok;

        next_token(p);
        if (!dim_product(d, &b))
            return false;
        *out = t.kind == '+' ? dim_add(d->dims, *out, b) : dim_sub(d->dims, *out, b);
        if (*out == DIM_NONE)
            return parse_fail_here(p, t);
    }
    return true;
}

bool parse_dim(Parser *p, Dim *out)
{
    DimParser d = {p, &p->b->dims, 0};

    if (!dim_sum(&d, out))
        return false;
    if (p->tok.kind == '/')
        return parse_fail_at(p, p->tok, WF_ERR_SYNTAX,
                       "a division of dimensions is written floor(a/b)");
    return true;
}

/* ---- types ------------------------------------------------------------------------- */

/* DTYPE = "bool" | "i8" .. "i64" | "u8" .. "u64" | "f16" | "bf16" | "f32" | "f64" | .. (base/dtype.c) . */
bool parse_dtype(Parser *p, wf_dtype *out)
{
    Token t = p->tok;
    const char *names[WF_DTYPE_COUNT], *near;
    int n = 0;

    if (t.kind != TOK_NAME)
        return parse_fail_expected(p, "a dtype");
    for (int i = WF_BOOL; i < WF_DTYPE_COUNT; i++) {
        names[n++] = wf_dtype_name((wf_dtype)i);
        if (!token_is(t, wf_dtype_name((wf_dtype)i)))
            continue;
        *out = (wf_dtype)i;
        next_token(p);
        return true;
    }
    near = nearest_name(token_str(p, t), names, n);
    return parse_fail_at(p, t, WF_ERR_TYPE, "unknown dtype '%s'%s%s%s", token_str(p, t),
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static bool check_size(Parser *p, Token t, wf_dtype dtype, const Dim *dims, uint32_t rank)
{
    int64_t count, bytes;

    for (uint32_t i = 0; i < rank; i++)
        if (!dim_is_const(dims[i]))
            return true;
    return type_size(dtype, dims, rank, &count, &bytes) ||
           parse_fail_at(p, t, WF_ERR_LIMIT, "the type has more elements than can be counted");
}

/* type = DTYPE "[" [ dim { "," dim } ] "]" . */
bool parse_type(Parser *p, Type *out)
{
    Token start = p->tok;
    Dim dims[MAX_RANK];
    uint32_t rank = 0;
    wf_dtype dtype;

    if (!parse_dtype(p, &dtype) || !parse_need(p, '[', "'[' and the shape"))
        return false;
    while (p->tok.kind != ']') {
        Token t = p->tok;
        int64_t v;

        if (rank && !parse_need(p, ',', "',' or ']'"))
            return false;
        if (rank == MAX_RANK)
            return parse_fail_at(p, t, WF_ERR_LIMIT, "rank above %d", MAX_RANK);
        t = p->tok;
        if (!parse_dim(p, &dims[rank]))
            return false;
        if (dim_value(&p->b->dims, dims[rank], &v) && v < 0)
            return parse_fail_at(p, t, WF_ERR_SHAPE, "the size of an axis is negative");
        rank++;
    }
    next_token(p);
    start.n = (uint32_t)MIN(p->last - start.s, (ptrdiff_t)UINT32_MAX);
    if (!check_size(p, start, dtype, dims, rank))
        return false;
    *out = b_make_type(p->b, dtype, dims, rank);
    return !failed(p->cx) || parse_fail_here(p, start);
}

/* ---- attribute values -------------------------------------------------------------- */

typedef VEC(int64_t) IntVec;

/* ints = "[" [ int { "," int } ] "]" , with dims for ints where is_dims. */
static bool parse_ints(Parser *p, bool is_dims, Ints *out)
{
    IntVec v = {0};

    if (!parse_need(p, '[', "'[' and a list"))
        return false;
    while (p->tok.kind != ']') {
        int64_t x;

        if (v.n && !parse_need(p, ',', "',' or ']'"))
            return false;
        if (!(is_dims ? parse_dim(p, &x) : parse_int(p, &x)))
            return false;
        vec_push(p->a, &v, x);
    }
    next_token(p);
    *out = (Ints){v.n, v.v};
    return true;
}

static bool parse_bool(Parser *p, bool *out)
{
    bool yes = token_is(p->tok, "true");

    if (!yes && !token_is(p->tok, "false"))
        return parse_fail_expected(p, "true or false");
    next_token(p);
    *out = yes;
    return true;
}

static bool parse_enum(Parser *p, const AttrField *f, int32_t *out)
{
    Token t = p->tok;
    const char *near;
    int n = 0;
    Text all;

    if (t.kind != TOK_NAME)
        return parse_fail_expected(p, "a word");
    for (; f->names[n]; n++)
        if (token_is(t, f->names[n])) {
            *out = n;
            next_token(p);
            return true;
        }
    near = nearest_name(token_str(p, t), f->names, n);
    if (near)
        return parse_fail_at(p, t, WF_ERR_VALUE, "unknown %s '%s'; did you mean '%s'?", f->name,
                       token_str(p, t), near);
    text_init(&all, p->a);
    for (int i = 0; i < n; i++)
        text_printf(&all, "%s%s", i ? ", " : "", f->names[i]);
    return parse_fail_at(p, t, WF_ERR_VALUE, "unknown %s '%s'; it can be %s", f->name,
                   token_str(p, t), text_str(&all));
}

/* A_SYM: a new symbol, which this equation defines. */
static bool parse_new_symbol(Parser *p, Dim *out)
{
    NameSlot *old;
    const char *s;
    uint32_t n;
    Token t;
    char *name;

    if (!parse_name(p, "the name of a new symbol", &t, &s, &n))
        return false;
    if (names_find(&p->syms, s, n))
        return parse_fail_at(p, t, WF_ERR_NAME, "symbol '%s' is defined already",
                       token_str(p, t));
    name = arena_alloc(p->a, n + 1);
    memcpy(name, s, n);
    name[n] = '\0';
    *out = b_symbol(p->b, name);
    names_add(&p->syms, s, n, *out, &old);
    return *out != DIM_NONE || parse_fail_here(p, t);
}

/* subref = NAME [ "[" NAME "=" dim { "," NAME "=" dim } "]" ] . */
static bool parse_sub(Parser *p, Sub *out)
{
    const Program *sub;
    int64_t *binds;

    *out = (Sub){0};
    if (!parse_program_ref(p, &sub))
        return false;
    out->p = sub;
    if (!parse_take(p, '['))
        return true;
    binds = arena_array(p->a, sub->dims.syms.n, sizeof *binds);
    for (uint32_t i = 0; i < sub->dims.syms.n; i++)
        binds[i] = DIM_NONE;
    do {
        const char *s;
        uint32_t n, i = 0;
        Token t;

        if (!parse_name(p, "a symbol of the program", &t, &s, &n))
            return false;
        for (; i < sub->dims.syms.n; i++)
            if (strlen(sub->dims.syms.v[i].name) == n &&
                !memcmp(sub->dims.syms.v[i].name, s, n))
                break;
        if (i == sub->dims.syms.n || sub->dims.syms.v[i].origin == SYM_EQN)
            return parse_fail_at(p, t, WF_ERR_NAME, "program '%s' has no free symbol '%s'",
                           sub->name, token_str(p, t));
        if (binds[i] != DIM_NONE)
            return parse_fail_at(p, t, WF_ERR_NAME, "symbol '%s' is given twice",
                           token_str(p, t));
        if (!parse_need(p, '=', "'='") || !parse_dim(p, &binds[i]))
            return false;
    } while (parse_take(p, ','));
    out->binds = (Ints){sub->dims.syms.n, binds};
    return parse_need(p, ']', "',' or ']'");
}

/* subs = "[" [ subref { "," subref } ] "]" . */
static bool parse_subs(Parser *p, Subs *out)
{
    VEC(Sub) v = {0};

    if (!parse_need(p, '[', "'[' and a list of programs"))
        return false;
    while (p->tok.kind != ']') {
        Sub s;

        if (v.n && !parse_need(p, ',', "',' or ']'"))
            return false;
        if (!parse_sub(p, &s))
            return false;
        vec_push(p->a, &v, s);
    }
    next_token(p);
    *out = (Subs){v.n, v.v};
    return true;
}

#define AT(attr, f, T) ((T *)(void *)((char *)(attr) + (f)->offset))

static bool parse_field_dtype(Parser *p, int32_t *out)
{
    wf_dtype t;

    if (!parse_dtype(p, &t))
        return false;
    *out = (int32_t)t;
    return true;
}

static bool parse_field_string(Parser *p, const char **out)
{
    Token t = p->tok;
    uint32_t n;

    if (t.kind != TOK_STRING)
        return parse_fail_expected(p, "a string in double quotes");
    next_token(p);
    return string_text(p, t, out, &n);
}

bool parse_field(Parser *p, const AttrField *f, void *attr)
{
    switch ((AttrKind)f->kind) {
    case A_INT: return parse_int(p, AT(attr, f, int64_t));
    case A_BOOL: return parse_bool(p, AT(attr, f, bool));
    case A_ENUM: return parse_enum(p, f, AT(attr, f, int32_t));
    case A_DTYPE: return parse_field_dtype(p, AT(attr, f, int32_t));
    case A_F64: return parse_number(p, WF_F64, AT(attr, f, double));
    case A_STR: return parse_field_string(p, AT(attr, f, const char *));
    case A_DIM: return parse_dim(p, AT(attr, f, Dim));
    case A_SYM: return parse_new_symbol(p, AT(attr, f, Dim));
    case A_INTS:
    case A_DIMS: return parse_ints(p, f->kind == A_DIMS, AT(attr, f, Ints));
    case A_TYPE: return parse_type(p, AT(attr, f, Type));
    case A_SUB: return parse_sub(p, AT(attr, f, Sub));
    case A_SUBS: return parse_subs(p, AT(attr, f, Subs));
    case A_CONST: break;
    }
    return parse_fail_expected(p, "an attribute that can be written");
}

void attr_set_standard(const AttrField *f, void *attr)
{
    for (; f && f->name; f++) {
        int64_t v = f->standard == ATTR_REQUIRED ? 0 : f->standard;

        switch ((AttrKind)f->kind) {
        case A_INT:
        case A_DIM: *AT(attr, f, int64_t) = v; break;
        case A_SYM: *AT(attr, f, Dim) = DIM_NONE; break;
        case A_BOOL: *AT(attr, f, bool) = v != 0; break;
        case A_ENUM:
        case A_DTYPE: *AT(attr, f, int32_t) = (int32_t)v; break;
        case A_F64: *AT(attr, f, double) = (double)v; break;
        case A_STR: *AT(attr, f, const char *) = ""; break;
        case A_INTS:
        case A_DIMS:
        case A_TYPE:
        case A_SUB:
        case A_SUBS:
        case A_CONST: /* empty, as the struct was zeroed */ break;
        }
    }
}
