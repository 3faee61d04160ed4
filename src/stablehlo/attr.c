/* attr.c -- types, attributes and literals of StableHLO text.
 *
 *     type  = "tensor" "<" { INT "x" } elem [ "," encoding ] ">" | "tuple" "<" .. ">" | "!" WORD [ "<" .. ">" ] | elem .
 *     elem  = "f32" | "i1" | "ui8" | "complex" "<" elem ">" | ..
 *     attr  = INT [ ":" type ] | NUMBER [ ":" type ] | STRING | WORD | "@" WORD | list { "x" list | "->" list }
 *           | "{" fields "}" | "dense" "<" .. ">" ":" type | "array" "<" WORD [ ":" items ] ">"
 *           | "#" WORD "<" fields ">" | "#" WORD "<" WORD WORD ">" | "#" WORD [ "<" .. ">" ] .
 *     list  = "[" [ attr { ( "," | ":" ) attr } ] "]" .
 *     fields = [ KEY [ "=" attr ] { "," .. } ] .
 *
 * A range 0:6:2 of a slice is a list of three. Brackets of dialects that mean nothing here (shardings, layouts) are skipped.
 */
#include "stablehlo/stablehlo.h"

#define DEEPEST 64

static const struct {
    const char *name;
    wf_dtype dtype;
} elements[] = {{"i1", WF_BOOL}, {"i8", WF_I8}, {"i16", WF_I16}, {"i32", WF_I32}, {"i64", WF_I64}, {"ui8", WF_U8}, {"ui16", WF_U16},
                {"ui32", WF_U32}, {"ui64", WF_U64}, {"f16", WF_F16}, {"bf16", WF_BF16}, {"f32", WF_F32}, {"f64", WF_F64}, {"index", WF_I64},
                {"f8E4M3FN", WF_F8E4M3FN}, {"f8E5M2", WF_F8E5M2}, {"f8E4M3FNUZ", WF_F8E4M3FNUZ}, {"f8E5M2FNUZ", WF_F8E5M2FNUZ},
                {"f8E8M0FNU", WF_F8E8M0FNU}, {"i4", WF_I4}, {"ui4", WF_U4}};

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool read_element(HloText *t, wf_dtype *out)
{
    const char *from = t->at;

    *out = WF_INVALID;
    if (hlo_take(t, "complex<")) {
        wf_dtype part;
        if (!read_element(t, &part) || !hlo_need(t, ">"))
            return false;
        *out = part == WF_F32 ? WF_C64 : part == WF_F64 ? WF_C128 : WF_INVALID;
        return true;
    }
    while (t->at < t->end && is_word(*t->at))
        t->at++;
    for (size_t k = 0; k < sizeof elements / sizeof *elements; k++)
        if (strlen(elements[k].name) == (size_t)(t->at - from) && !memcmp(from, elements[k].name, (size_t)(t->at - from)))
            *out = elements[k].dtype;
    return t->at > from || hlo_fail(t, "needed a type");
}

/* Behind "tensor<". */
static bool read_tensor(HloText *t, HloType *out)
{
    VEC(int64_t) dims = {0};
    bool overflow = false;

    for (;;) {
        int64_t v;
        const char *end;

        hlo_skip(t);
        if (t->at < t->end && *t->at == '?')
            return hlo_fail(t, "a size that is not a number: shapes of another size need another text");
        if (t->at >= t->end || *t->at < '0' || *t->at > '9')
            break;
        /* decimal digits alone: 0x would be a number of its own */
        for (end = t->at, v = 0; end < t->end && *end >= '0' && *end <= '9'; end++)
            if (!mul_i64(v, 10, &v) || !add_i64(v, *end - '0', &v))
                overflow = true;
        if (overflow || end >= t->end || *end != 'x')
            return hlo_fail(t, "a size that is no number");
        t->at = end + 1;
        if (dims.n == MAX_RANK)
            return hlo_fail(t, "more than %d axes", MAX_RANK);
        vec_push(t->a, &dims, v);
    }
    out->rank = dims.n;
    out->dims = dims.v;
    if (!read_element(t, &out->dtype))
        return false;
    if (hlo_take(t, ","))
        while (t->at < t->end && *t->at != '>')
            if (*t->at == '<' || *t->at == '[' || *t->at == '{' ? !hlo_balanced(t) : !t->at++)
                return false;
    return hlo_need(t, ">");
}

bool hlo_type(HloText *t, HloType *out)
{
    const char *from;
    bool ok;

    hlo_skip(t);
    from = t->at;
    *out = (HloType){.dtype = WF_INVALID};
    if (hlo_take(t, "tensor<"))
        ok = read_tensor(t, out);
    else if (hlo_take(t, "tuple")) {
        ok = hlo_balanced(t);
    } else if (hlo_take(t, "!")) {
        ok = hlo_word(t) || hlo_fail(t, "needed a type");
        if (ok && t->at < t->end && *t->at == '<')
            ok = hlo_balanced(t);
    } else {
        ok = read_element(t, &out->dtype);
    }
    out->text = ok ? arena_printf(t->a, "%.*s", (int)(t->at - from > 80 ? 80 : t->at - from), from) : "";
    return ok;
}

bool hlo_types(HloText *t, bool *parens, HloType **v, uint32_t *n)
{
    VEC(HloType) list = {0};
    HloType one;

    *parens = hlo_take(t, "(");
    if (!(*parens && hlo_take(t, ")"))) {
        do {
            if (!hlo_type(t, &one))
                return false;
            vec_push(t->a, &list, one);
            if (*parens && hlo_take(t, "{") && !hlo_dict(t, "}", &(HloAttr){0})) /* attributes of a result */
                return false;
            if (*parens && hlo_take(t, "loc") && !hlo_balanced(t))
                return false;
        } while (hlo_take(t, ","));
        if (*parens && !hlo_need(t, ")"))
            return false;
    }
    *v = list.v;
    *n = list.n;
    return true;
}

/* ---- attributes ------------------------------------------------------------------------------------- */

static HloAttr *new_attr(HloText *t, HloAttrKind kind)
{
    HloAttr *a = arena_zalloc(t->a, sizeof *a);

    a->kind = kind;
    return a;
}

static const HloAttr *word_attr(HloText *t, const char *text)
{
    HloAttr *a = new_attr(t, HLO_WORD);

    a->text = text;
    return a;
}

/* Behind the bracket. */
static bool read_items(HloText *t, const char *close, HloAttr *out)
{
    if (hlo_take(t, close))
        return true;
    do {
        const HloAttr *a = hlo_attr(t);

        if (!a)
            return false;
        if (hlo_take(t, ":")) { /* from:to, from:to:step */
            HloAttr *range = new_attr(t, HLO_LIST);

            do {
                vec_push(t->a, &range->items, a);
                if (!(a = hlo_attr(t)))
                    return false;
            } while (hlo_take(t, ":"));
            vec_push(t->a, &range->items, a);
            a = range;
        }
        vec_push(t->a, &out->items, a);
    } while (hlo_take(t, ","));
    return hlo_need(t, close);
}

static const HloAttr *read_list(HloText *t)
{
    HloAttr *a = new_attr(t, HLO_LIST), *pair;

    if (!read_items(t, "]", a))
        return NULL;
    hlo_skip(t);
    if (!(t->end - t->at > 1 && ((t->at[0] == 'x' && (t->at[1] == '[' || t->at[1] == ' ')) || (t->at[0] == '-' && t->at[1] == '>'))))
        return a;
    pair = new_attr(t, HLO_LIST); /* [1] x [0]; [b, f]x[i, o]->[b, f] */
    vec_push(t->a, &pair->items, a);
    while (hlo_take(t, "x") || hlo_take(t, "->")) {
        a = new_attr(t, HLO_LIST);
        if (!hlo_need(t, "[") || !read_items(t, "]", a))
            return NULL;
        vec_push(t->a, &pair->items, a);
        if (t->at < t->end && *t->at == ' ')
            break; /* the x of [1] x [0] stands apart, and there is one */
    }
    return pair;
}

bool hlo_dict(HloText *t, const char *close, HloAttr *out)
{
    if (hlo_take(t, close))
        return true;
    do {
        HloField f = {0};

        hlo_skip(t);
        if (t->at < t->end && *t->at == '"') {
            if (!hlo_string(t, &f.key))
                return false;
        } else if (!(f.key = hlo_word(t))) {
            return hlo_fail(t, "needed a name");
        }
        f.value = hlo_take(t, "=") ? hlo_attr(t) : word_attr(t, "true");
        if (!f.value)
            return false;
        vec_push(t->a, &out->fields, f);
    } while (hlo_take(t, ","));
    return hlo_need(t, close);
}

/* dense<literal> : type, behind "dense"; the literal is read when it is built */
static const HloAttr *read_dense(HloText *t, bool resource)
{
    HloAttr *a = new_attr(t, HLO_DENSE);
    const char *from = t->at;

    a->resource = resource;
    if (t->at >= t->end || *t->at != '<')
        return hlo_fail(t, "needed <"), NULL;
    if (!hlo_balanced(t))
        return NULL;
    a->text = from + 1;
    a->n = (size_t)(t->at - from) - 2;
    return hlo_need(t, ":") && hlo_type(t, &a->type) ? a : NULL;
}

/* array<i64: 1, 2>, behind "array" */
static const HloAttr *read_array(HloText *t)
{
    HloAttr *a = new_attr(t, HLO_LIST);

    if (!hlo_need(t, "<") || !hlo_word(t))
        return hlo_fail(t, "needed the type of an array"), NULL;
    if (hlo_take(t, ">"))
        return a;
    return hlo_need(t, ":") && read_items(t, ">", a) ? a : NULL;
}

/* #stablehlo<precision DEFAULT>: the last word; #stablehlo.gather<a = 1>: a dict; others: skipped. Behind "#" */
static const HloAttr *read_dialect(HloText *t)
{
    const char *name = hlo_word(t), *word = "";
    HloAttr *a = new_attr(t, HLO_DICT);

    if (!name)
        return hlo_fail(t, "needed the name of an attribute"), NULL;
    if (t->at >= t->end || *t->at != '<')
        return word_attr(t, name);
    if (strncmp(name, "stablehlo", 9) && strncmp(name, "chlo", 4) && strncmp(name, "mhlo", 4))
        return hlo_balanced(t) ? word_attr(t, name) : NULL;
    if (strchr(name, '.'))
        return hlo_need(t, "<") && hlo_dict(t, ">", a) ? a : NULL;
    t->at++;
    for (const char *w; (w = hlo_word(t)) != NULL;)
        word = w;
    return hlo_need(t, ">") ? word_attr(t, word) : NULL;
}

static const HloAttr *read_number(HloText *t)
{
    const char *from = t->at;
    bool overflow;
    HloAttr *a = new_attr(t, HLO_INT);
    const char *end = number_parse_i64(t->at, t->end, &a->i, &overflow);
    double x;

    if (!end || (end < t->end && (*end == '.' || *end == 'e' || *end == 'E'))) {
        if (!(end = number_parse_f64(t->at, t->end, &x)))
            return hlo_fail(t, "needed an attribute"), NULL;
        a->kind = HLO_WORD;
        a->text = arena_printf(t->a, "%.*s", (int)(end - from > 60 ? 60 : end - from), from);
    }
    t->at = end;
    hlo_skip(t);
    /* 72 : ui8, but not the colon of a slice, of ops, or of arrays */
    if (t->end - t->at > 2 && t->at[0] == ':' && t->at[1] == ' ' && (t->at[2] == 'i' || t->at[2] == 'u' || t->at[2] == 'f') &&
        !hlo_type((t->at++, t), &(HloType){0}))
        return NULL;
    return a;
}

static const HloAttr *read_attr(HloText *t)
{
    const char *word;
    HloAttr *a;

    hlo_skip(t);
    if (t->at >= t->end)
        return hlo_fail(t, "the text ends within an attribute"), NULL;
    switch (*t->at) {
    case '"':
        return hlo_string(t, &word) ? word_attr(t, word) : NULL;
    case '@':
        t->at++;
        return (word = hlo_word(t)) ? word_attr(t, word) : (hlo_fail(t, "needed a name"), NULL);
    case '[':
        t->at++;
        return read_list(t);
    case '{':
        t->at++;
        a = new_attr(t, HLO_DICT);
        return hlo_dict(t, "}", a) ? a : NULL;
    case '#':
        t->at++;
        return read_dialect(t);
    case '<':
        return hlo_balanced(t) ? word_attr(t, "") : NULL;
    case '?':
        t->at++;
        return word_attr(t, "?");
    default:
        break;
    }
    if (*t->at == '-' || (*t->at >= '0' && *t->at <= '9'))
        return read_number(t);
    if (t->end - t->at > 7 && !memcmp(t->at, "tensor<", 7))
        return hlo_type(t, &(HloType){0}) ? word_attr(t, "") : NULL;
    if (!(word = hlo_word(t)))
        return hlo_fail(t, "needed an attribute"), NULL;
    if (!strcmp(word, "dense") || !strcmp(word, "dense_resource"))
        return read_dense(t, word[5] == '_');
    if (!strcmp(word, "array"))
        return read_array(t);
    return word_attr(t, word);
}

const HloAttr *hlo_attr(HloText *t)
{
    const HloAttr *a;

    if (++t->depth > DEEPEST)
        return hlo_fail(t, "nested too deep"), NULL;
    a = read_attr(t);
    t->depth--;
    return a;
}
