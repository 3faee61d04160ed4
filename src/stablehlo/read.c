/* read.c -- StableHLO text as functions, ops and regions: the parts of MLIR's syntax that JAX and StableHLO print.
 *
 *     text     = { "#" LINE } ( module | { func } ) [ "{-#" resources "#-}" ] .
 *     module   = "module" [ "@" WORD ] [ "attributes" dict ] "{" { func | other } "}" [ loc ] .
 *     func     = "func.func" [ "public" | "private" ] "@" WORD "(" [ param { "," param } ] ")" [ "->" types ]
 *                [ "attributes" dict ] [ region ] [ loc ] .
 *     param    = "%" NAME ":" type [ dict ] [ loc ] .
 *     region   = "{" [ "^" WORD [ "(" params ")" ] ":" ] { op } "}" .
 *     op       = [ result { "," result } "=" ] ( generic | pretty ) [ loc ] .
 *     result   = "%" NAME [ ":" INT ] .
 *     generic  = STRING "(" [ value { "," value } ] ")" [ "<" dict ">" ] [ "(" region { "," region } ")" ] [ dict ] ":" types "->" types .
 *     pretty   = WORD { item } [ ":" types [ "->" types ] ] { [ "cond" | "do" | "reducer" params.. | "attributes" dict ] region } .
 *     item     = value | value "=" value | "@" WORD | STRING | list | dict | KEY "=" attr | WORD | "(" | ")" | "," .
 *     value    = "%" NAME [ "#" INT ] .
 *     loc      = "loc" "(" .. ")" .
 *
 * Pretty forms are many and print the same parts in other orders; this reads the parts, and each rule in ops_*.c asks for those it
 * needs. `reduce(..) applies op` has the attribute applies. A pretty op without a colon ends with its line.
 */
#include "stablehlo/stablehlo.h"

#define DEEPEST_REGION 48

/* ---- characters ---------------------------------------------------------------------------------------- */

Place hlo_place(const HloText *t)
{
    return (Place){.file = t->file, .line = t->line, .col = (uint32_t)(t->at - t->line_begin) + 1};
}

bool hlo_fail(HloText *t, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    fail(t->cx, WF_ERR_FORMAT, hlo_place(t), "StableHLO: %s", arena_vprintf(t->a, fmt, ap));
    va_end(ap);
    return false;
}

static void new_line(HloText *t)
{
    t->line++;
    t->line_begin = t->at;
}

static void skip_blanks(HloText *t)
{
    while (t->at < t->end && (*t->at == ' ' || *t->at == '\t' || *t->at == '\r'))
        t->at++;
    if (t->end - t->at > 1 && t->at[0] == '/' && t->at[1] == '/')
        while (t->at < t->end && *t->at != '\n')
            t->at++;
}

void hlo_skip(HloText *t)
{
    for (skip_blanks(t); t->at < t->end && *t->at == '\n'; skip_blanks(t)) {
        t->at++;
        new_line(t);
    }
}

bool hlo_line_ends(HloText *t)
{
    skip_blanks(t);
    return t->at >= t->end || *t->at == '\n';
}

bool hlo_take(HloText *t, const char *s)
{
    size_t n = strlen(s);

    hlo_skip(t);
    if ((size_t)(t->end - t->at) < n || memcmp(t->at, s, n))
        return false;
    t->at += n;
    return true;
}

bool hlo_need(HloText *t, const char *s)
{
    hlo_skip(t);
    return hlo_take(t, s) || hlo_fail(t, "needed '%s'", s);
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_inner(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '$'; }

/* A NAME of values and functions: digits, or a word, whose parts may be joined by -; or a string */
static const char *read_name(HloText *t)
{
    const char *from = t->at, *quoted;

    if (from < t->end && *from == '"')
        return hlo_string(t, &quoted) ? intern_name(&t->names, quoted) : NULL;

    while (t->at < t->end && (is_inner(*t->at) || *t->at == '-'))
        t->at++;
    if (t->at == from)
        return hlo_fail(t, "needed a name"), NULL;
    return intern_n(&t->names, from, (size_t)(t->at - from));
}

const char *hlo_word(HloText *t)
{
    const char *from;

    hlo_skip(t);
    from = t->at;
    if (from >= t->end || !is_letter(*from))
        return NULL;
    while (t->at < t->end && is_inner(*t->at))
        t->at++;
    return intern_n(&t->names, from, (size_t)(t->at - from));
}

bool hlo_string(HloText *t, const char **out)
{
    Text s;

    if (!hlo_need(t, "\""))
        return false;
    text_init(&s, t->a);
    for (; t->at < t->end && *t->at != '"' && *t->at != '\n'; t->at++) {
        if (*t->at == '\\' && t->end - t->at > 2)
            t->at++;
        if (!*t->at)
            return hlo_fail(t, "a zero in a string");
        text_char(&s, *t->at);
    }
    *out = text_str(&s);
    return hlo_need(t, "\"");
}

bool hlo_balanced(HloText *t)
{
    int deep = 0;

    do {
        hlo_skip(t);
        if (t->at >= t->end)
            return hlo_fail(t, "the text ends within brackets");
        if (*t->at == '"') {
            for (t->at++; t->at < t->end && *t->at != '"'; t->at++)
                if (*t->at == '\n')
                    return hlo_fail(t, "a string that does not end");
                else if (*t->at == '\\' && t->at + 1 < t->end)
                    t->at++;
            if (t->at >= t->end)
                return hlo_fail(t, "a string that does not end");
        } else if (t->end - t->at > 1 && t->at[0] == '-' && t->at[1] == '>') {
            t->at++; /* an arrow is no bracket */
        } else {
            deep += strchr("([{<", *t->at) && *t->at ? 1 : strchr(")]}>", *t->at) && *t->at ? -1 : 0;
        }
        t->at++;
    } while (deep > 0);
    return true;
}

static bool skip_loc(HloText *t) { return !hlo_take(t, "loc(") || (t->at--, hlo_balanced(t)); }

/* ---- ops -------------------------------------------------------------------------------------------------- */

static bool read_number(HloText *t, uint32_t *out)
{
    uint64_t v = 0;
    const char *from = t->at;

    while (t->at < t->end && *t->at >= '0' && *t->at <= '9' && v < 100000)
        v = v * 10 + (uint64_t)(*t->at++ - '0');
    *out = (uint32_t)v;
    return (t->at > from && v < 100000) || hlo_fail(t, "needed a number");
}

/* Behind the %. */
static bool read_value(HloText *t, HloName *out)
{
    out->part = UINT32_MAX;
    out->name = read_name(t);
    if (out->name && t->at < t->end && *t->at == '#') {
        t->at++;
        return read_number(t, &out->part);
    }
    return out->name != NULL;
}

static bool read_params(HloText *t, const char *close, HloRegion *r)
{
    if (hlo_take(t, close))
        return true;
    do {
        HloParam p = {0};

        if (!hlo_need(t, "%") || !(p.name = read_name(t)) || !hlo_need(t, ":") || !hlo_type(t, &p.type))
            return false;
        if (hlo_take(t, "{") && !hlo_dict(t, "}", &(HloAttr){0}))
            return false;
        if (hlo_take(t, "loc(")) {
            if (t->at < t->end && *t->at == '"' && !hlo_string(t, &p.label))
                return false;
            while (t->at < t->end && *t->at != ')' && *t->at != '\n')
                t->at++;
            if (!hlo_need(t, ")"))
                return false;
        }
        vec_push(t->a, &r->params, p);
    } while (hlo_take(t, ","));
    return hlo_need(t, close);
}

static HloOp *read_op(HloText *t);

/* Behind the opening brace. */
static bool read_body(HloText *t, HloRegion *r)
{
    if (++t->depth > DEEPEST_REGION)
        return hlo_fail(t, "regions are nested too deep");
    if (hlo_take(t, "^")) {
        if (!read_name(t) || (hlo_take(t, "(") && !read_params(t, ")", r)) || !hlo_need(t, ":"))
            return false;
    }
    while (!hlo_take(t, "}")) {
        HloOp *op;

        if (t->at < t->end && *t->at == '^')
            return hlo_fail(t, "a region of several blocks");
        if (t->at >= t->end)
            return hlo_fail(t, "the text ends within a region");
        if (!(op = read_op(t)))
            return false;
        vec_push(t->a, &r->ops, op);
    }
    t->depth--;
    return true;
}

static bool add_region(HloText *t, HloOp *op, HloRegion *r)
{
    if (!hlo_need(t, "{") || !read_body(t, r))
        return false;
    vec_push(t->a, &op->regions, r);
    return true;
}

static HloRegion *new_region(HloText *t) { return arena_zalloc(t->a, sizeof(HloRegion)); }

static void add_fields(HloText *t, HloOp *op, const HloAttr *dict)
{
    for (uint32_t i = 0; i < dict->fields.n; i++)
        vec_push(t->a, &op->attrs, dict->fields.v[i]);
}

static bool read_signature(HloText *t, HloOp *op)
{
    bool parens;
    HloType *v;
    uint32_t n;

    if (!hlo_types(t, &parens, &v, &n))
        return false;
    op->in_types.v = op->out_types.v = v;
    op->in_types.n = op->out_types.n = n;
    if (hlo_take(t, "->")) {
        if (!hlo_types(t, &parens, &v, &n))
            return false;
        op->out_types.v = v;
        op->out_types.n = n;
    }
    return true;
}

static bool read_generic(HloText *t, HloOp *op)
{
    HloAttr dict = {0};
    HloName v;

    if (!hlo_need(t, "("))
        return false;
    while (!hlo_take(t, ")")) {
        if (!hlo_need(t, "%") || !read_value(t, &v))
            return false;
        vec_push(t->a, &op->in, v);
        hlo_take(t, ",");
    }
    if (hlo_take(t, "<{") && (!hlo_dict(t, "}", &dict) || !hlo_need(t, ">")))
        return false;
    if (hlo_take(t, "(")) {
        do {
            if (!add_region(t, op, new_region(t)))
                return false;
        } while (hlo_take(t, ","));
        if (!hlo_need(t, ")"))
            return false;
    }
    if (hlo_take(t, "{") && !hlo_dict(t, "}", &dict))
        return false;
    add_fields(t, op, &dict);
    return hlo_need(t, ":") && read_signature(t, op);
}

/* A word among the items: of a key, of `init:`, of `applies op`, or one by itself. */
static bool read_item_word(HloText *t, HloOp *op)
{
    HloField f = {.key = hlo_word(t)};

    if (!f.key)
        return hlo_fail(t, "'%c' is not expected here", t->at < t->end ? *t->at : ' ');
    if (!strcmp(f.key, "init"))
        return hlo_need(t, ":");
    if (!strcmp(f.key, "dense") || !strcmp(f.key, "dense_resource")) { /* of constants */
        t->at -= strlen(f.key);
        f.key = "";
        if ((f.value = hlo_attr(t)) != NULL)
            vec_push(t->a, &op->out_types, f.value->type);
    } else if (!strcmp(f.key, "applies")) {
        HloAttr *a = arena_zalloc(t->a, sizeof *a);

        f.value = a;
        if (!(a->text = hlo_word(t)))
            return hlo_fail(t, "needed the name of an op");
    } else if (!hlo_line_ends(t) && hlo_take(t, "=")) {
        f.value = hlo_attr(t);
    } else {
        vec_push(t->a, &op->words, f.key);
        return true;
    }
    if (!f.value)
        return false;
    vec_push(t->a, &op->attrs, f);
    return true;
}

static bool read_item_value(HloText *t, HloOp *op)
{
    HloName v;
    HloParam p = {0};

    if (!read_value(t, &v))
        return false;
    if (hlo_take(t, "=")) { /* %iterArg = %c of while */
        p.name = v.name;
        vec_push(t->a, &op->params, p);
        if (!hlo_need(t, "%") || !read_value(t, &v))
            return false;
    }
    vec_push(t->a, &op->in, v);
    return true;
}

/* The items up to the colon; sets *typed if there is one, or a constant, which says its own type. */
static bool read_items(HloText *t, HloOp *op, bool *typed)
{
    HloAttr dict = {0};
    HloField f = {.key = ""};
    const char *s;
    int deep = 0;

    for (*typed = false; deep > 0 || !hlo_line_ends(t);) {
        hlo_skip(t);
        if (t->at >= t->end)
            return hlo_fail(t, "the text ends within an op");
        if ((*typed = hlo_take(t, ":")) || *t->at == '}' || (*t->at == ')' && deep == 0))
            break;
        if (hlo_take(t, "%")) {
            if (!read_item_value(t, op))
                return false;
        } else if (hlo_take(t, "@")) {
            if (!(op->symbol = read_name(t)))
                return false;
        } else if (*t->at == '"') {
            if (!hlo_string(t, &s))
                return false;
            vec_push(t->a, &op->words, s);
        } else if (*t->at == '[') {
            if (!(f.value = hlo_attr(t)))
                return false;
            vec_push(t->a, &op->attrs, f);
        } else if (hlo_take(t, "{")) {
            if (!hlo_dict(t, "}", &dict))
                return false;
        } else if (*t->at == 'l' && t->end - t->at > 4 && !memcmp(t->at, "loc(", 4)) {
            break;
        } else if (*t->at == '(' || *t->at == ')') {
            deep += *t->at++ == '(' ? 1 : -1;
        } else if (!hlo_take(t, ",") && !read_item_word(t, op)) {
            return false;
        }
    }
    add_fields(t, op, &dict);
    return true;
}

/* reducer(%a: t, %b: t) (%c: t, %d: t) { .. }: pairs, of which the region has all first ones first */
static bool read_reducer(HloText *t, HloOp *op)
{
    HloRegion *r = new_region(t), pairs = {0};

    while (hlo_take(t, "("))
        if (!read_params(t, ")", &pairs))
            return false;
    if (pairs.params.n % 2)
        return hlo_fail(t, "a reducer of an odd number of values");
    for (uint32_t side = 0; side < 2; side++)
        for (uint32_t k = side; k < pairs.params.n; k += 2)
            vec_push(t->a, &r->params, pairs.params.v[k]);
    return add_region(t, op, r);
}

static bool read_while(HloText *t, HloOp *op)
{
    if (hlo_take(t, "attributes") && (!hlo_need(t, "{") || !hlo_dict(t, "}", &(HloAttr){0})))
        return false;
    for (int k = 0; k < 2; k++) {
        HloRegion *r = new_region(t);

        if (op->params.n != op->in_types.n)
            return hlo_fail(t, "a while of %u values and %u types", op->params.n, op->in_types.n);
        for (uint32_t i = 0; i < op->params.n; i++) {
            op->params.v[i].type = op->in_types.v[i];
            vec_push(t->a, &r->params, op->params.v[i]);
        }
        if (!hlo_need(t, k ? "do" : "cond") || !add_region(t, op, r))
            return false;
    }
    return true;
}

static bool read_pretty(HloText *t, HloOp *op)
{
    bool typed;

    if (!read_items(t, op, &typed) || (typed && !read_signature(t, op)))
        return false;
    if (!strcmp(op->name, "while"))
        return read_while(t, op);
    if (!strcmp(op->name, "reduce") && hlo_take(t, "reducer"))
        return read_reducer(t, op);
    return true;
}

static bool read_results(HloText *t, HloOp *op)
{
    do {
        HloResult r = {.n = 1};

        if (!hlo_need(t, "%") || !(r.name = read_name(t)))
            return false;
        if (t->at < t->end && *t->at == ':') {
            t->at++;
            if (!read_number(t, &r.n))
                return false;
        }
        vec_push(t->a, &op->results, r);
    } while (hlo_take(t, ","));
    return hlo_need(t, "=");
}

static HloOp *read_op(HloText *t)
{
    HloOp *op = arena_zalloc(t->a, sizeof *op);
    const char *name;
    bool generic;

    hlo_skip(t);
    op->place = hlo_place(t);
    if (t->at < t->end && *t->at == '%' && !read_results(t, op))
        return NULL;
    hlo_skip(t);
    generic = t->at < t->end && *t->at == '"';
    if (generic ? !hlo_string(t, &name) : !(name = hlo_word(t)))
        return hlo_fail(t, "needed an op"), NULL;
    op->name = strncmp(name, "stablehlo.", 10) ? name : name + 10;
    if (!(generic ? read_generic(t, op) : read_pretty(t, op)) || !skip_loc(t))
        return NULL;
    op->place.len = 0;
    return op;
}

/* ---- functions, modules --------------------------------------------------------------------------------------- */

static bool read_func(HloText *t)
{
    HloFunc *f = arena_zalloc(t->a, sizeof *f);
    HloRegion *r = new_region(t);
    bool parens;

    f->place = hlo_place(t);
    f->is_public = !hlo_take(t, "private");
    hlo_take(t, "public");
    if (!hlo_need(t, "@") || !(f->name = read_name(t)) || !hlo_need(t, "(") || !read_params(t, ")", r))
        return false;
    if (hlo_take(t, "->") && !hlo_types(t, &parens, &f->results.v, &f->results.n))
        return false;
    if (hlo_take(t, "attributes") && (!hlo_need(t, "{") || !hlo_dict(t, "}", &(HloAttr){0})))
        return false;
    if (hlo_take(t, "{")) {
        f->body = r;
        if (!read_body(t, r))
            return false;
        if (hlo_find(t, f->name))
            return hlo_fail(t, "two functions are called '%.80s'", f->name);
        vec_push(t->a, &t->funcs, f);
    }
    return skip_loc(t);
}

HloFunc *hlo_find(const HloText *t, const char *name)
{
    for (uint32_t i = 0; i < t->funcs.n; i++)
        if (!strcmp(t->funcs.v[i]->name, name))
            return t->funcs.v[i];
    return NULL;
}

/* {-# dialect_resources: { builtin: { name: "0x.." } } #-}: every string by the name before it */
static bool read_resources(HloText *t)
{
    const char *key = "";
    HloField f;
    HloAttr *a;

    while (!hlo_take(t, "#-}")) {
        hlo_skip(t);
        if (t->at >= t->end)
            return hlo_fail(t, "the text ends within its resources");
        if (*t->at == '"') {
            a = arena_zalloc(t->a, sizeof *a);
            if (!hlo_string(t, &a->text))
                return false;
            a->n = strlen(a->text);
            f = (HloField){key, a};
            vec_push(t->a, &t->resources, f);
        } else if (is_inner(*t->at)) {
            if (!(key = read_name(t)))
                return false;
        } else {
            t->at++;
        }
    }
    return true;
}

static bool read_top(HloText *t, bool inside)
{
    for (;;) {
        hlo_skip(t);
        if (inside && hlo_take(t, "}"))
            return skip_loc(t);
        if (t->at >= t->end)
            return !inside || hlo_fail(t, "the text ends within its module");
        if (hlo_take(t, "{-#")) {
            if (!read_resources(t))
                return false;
        } else if (hlo_take(t, "func.func")) {
            if (!read_func(t))
                return false;
        } else if (!inside && hlo_take(t, "module")) {
            if (hlo_take(t, "@") && !read_name(t))
                return false;
            if (hlo_take(t, "attributes") && (!hlo_need(t, "{") || !hlo_dict(t, "}", &(HloAttr){0})))
                return false;
            if (!hlo_need(t, "{") || !read_top(t, true))
                return false;
        } else if (*t->at == '#' || (t->end - t->at > 4 && !memcmp(t->at, "sdy.", 4))) {
            while (t->at < t->end && *t->at != '\n') /* names of places and meshes */
                t->at++;
        } else {
            return hlo_fail(t, "needed a module or a function");
        }
    }
}

bool hlo_read(HloText *t)
{
    t->at = t->line_begin = t->begin;
    t->line = 1;
    intern_init(&t->names, t->a);
    return read_top(t, false);
}
