/* describe.c -- a program as JSON, for programs that draw or count: `weft show --as=json`.
 *
 *   {"files": [name..],
 *    "programs": [{"name": .., "in": [value..], "ret": [id..], "eqns": [eqn..]}..]}     the first is the program itself
 *   value = [id, name or "", type]
 *   eqn   = {"op": .., "family": .., "text": op and attributes, "in": [id..], "out": [value..], "subs": [number of a program..],
 *            "at": [number of a file, line, column], "via": transforms, "flops": .., "bytes": ..}
 *
 * Ids are of values within their program. Numbers of constants are left out. Costs are of one run, symbols at their hints or 64;
 * those of control flow are of what it runs.
 */
#include "ir/parse.h"

#include "op/op.h"

typedef struct Teller {
    wf_ctx *cx;
    Text *out;
    Arena *a;
    VEC(const Program *) programs;
    VEC(const char *) files;
} Teller;

static void put_string(Text *out, const char *s)
{
    text_char(out, '"');
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;

        if (c == '"' || c == '\\')
            text_char(out, '\\');
        if (c < 0x20)
            text_printf(out, "\\u%04x", c);
        else
            text_char(out, *s);
    }
    text_char(out, '"');
}

static uint32_t file_number(Teller *t, const char *name)
{
    uint32_t i = 0;

    while (i < t->files.n && strcmp(t->files.v[i], name) != 0)
        i++;
    if (i == t->files.n)
        vec_push(t->a, &t->files, name);
    return i;
}

static uint32_t program_number(Teller *t, const Program *p)
{
    uint32_t i = 0;

    while (i < t->programs.n && t->programs.v[i] != p)
        i++;
    if (i == t->programs.n)
        vec_push(t->a, &t->programs, p);
    return i;
}

static void put_value(Teller *t, const Program *p, Val v)
{
    text_printf(t->out, "[%u,", v);
    put_string(t->out, p->vals[v].name ? p->names[p->vals[v].name] : "");
    text_char(t->out, ',');
    put_string(t->out, type_str(&p->dims, val_type(p, v), t->a));
    text_char(t->out, ']');
}

typedef struct Subbing {
    Teller *t;
    int n;
} Subbing;

static void put_sub(void *user, const Sub *s)
{
    Subbing *k = user;

    if (s->p)
        text_printf(k->t->out, "%s%u", k->n++ ? "," : "", program_number(k->t, s->p));
}

/* The equation without its results and operands; without numbers for a constant. */
static void put_text(Teller *t, const Program *p, const Eqn *e)
{
    Eqn bare = *e;
    Text text;

    text_init(&text, t->a);
    if (e->op == OP_const)
        text_add(&text, "const");
    else if (e->op == OP_dot_general &&
             dot_is_short(e->attr, val_type(p, eqn_in(p, e)[0]),
                          val_type(p, eqn_in(p, e)[1])))
        text_add(&text, "dot");
    else {
        bare.nin = bare.nout = 0;
        eqn_print(p, &bare, &text);
    }
    put_string(t->out, text_str(&text));
}

static void put_costs(Teller *t, const Program *p, const Eqn *e, const int64_t *sizes)
{
    double flops, bytes;

    eqn_cost(t->cx, p, e, sizes, &flops, &bytes);
    text_printf(t->out, ",\"flops\":%lld,\"bytes\":%lld}", (long long)MIN(flops, 9e18),
                e->op == OP_const ? 0LL : (long long)MIN(bytes, 9e18));
}

static void put_eqn(Teller *t, const Program *p, const Eqn *e, const int64_t *sizes)
{
    Place at = eqn_place(p, e);
    Subbing subs = {t, 0};

    text_printf(t->out,
                "{\"op\":\"%s\",\"family\":\"%s\",\"text\":", op_table[e->op].name,
                op_table[e->op].family);
    put_text(t, p, e);
    text_add(t->out, ",\"in\":[");
    for (uint32_t i = 0; i < e->nin; i++)
        text_printf(t->out, "%s%u", i ? "," : "", eqn_in(p, e)[i]);
    text_add(t->out, "],\"out\":[");
    for (uint32_t i = 0; i < e->nout; i++) {
        text_add(t->out, i ? "," : "");
        put_value(t, p, e->out + i);
    }
    text_char(t->out, ']');
    if (op_has(e->op, OPF_CONTROL)) {
        text_add(t->out, ",\"subs\":[");
        attr_each_sub(op_row(e->op), e->attr, put_sub, &subs);
        text_char(t->out, ']');
    }
    if (at.line)
        text_printf(t->out, ",\"at\":[%u,%u,%u]",
                    file_number(t, at.file ? at.file : "<text>"), (unsigned)at.line,
                    (unsigned)at.col);
    if (at.line && at.via) {
        text_add(t->out, ",\"via\":");
        put_string(t->out, at.via);
    }
    put_costs(t, p, e, sizes);
}

static void put_program(Teller *t, const Program *p)
{
    int64_t *sizes = arena_array(t->a, p->dims.syms.n + 1, sizeof *sizes);

    for (uint32_t i = 0; i < p->dims.syms.n; i++)
        sizes[i] = p->dims.syms.v[i].hint > 0 ? p->dims.syms.v[i].hint : 64;
    text_add(t->out, "{\"name\":");
    put_string(t->out, p->name);
    text_add(t->out, ",\"in\":[");
    for (uint32_t i = 0; i < p->nin; i++) {
        text_add(t->out, i ? "," : "");
        put_value(t, p, program_in(p, i));
    }
    text_add(t->out, "],\"ret\":[");
    for (uint32_t i = 0; i < p->nout; i++)
        text_printf(t->out, "%s%u", i ? "," : "", p->outs[i]);
    text_add(t->out, "],\"eqns\":[");
    for (uint32_t i = 0; i < p->neqns; i++) {
        text_add(t->out, i ? ",\n" : "\n");
        put_eqn(t, p, &p->eqns[i], sizes);
    }
    text_add(t->out, "]}");
}

void program_json(wf_ctx *cx, const Program *p, Text *out)
{
    Teller t = {.cx = cx, .out = out, .a = out->a};

    text_add(out, "{\"programs\":[");
    vec_push(t.a, &t.programs, p);
    for (uint32_t i = 0; i < t.programs.n; i++) { /* which grows */
        text_add(out, i ? ",\n" : "");
        put_program(&t, t.programs.v[i]);
    }
    text_add(out, "],\n\"files\":[");
    for (uint32_t i = 0; i < t.files.n; i++) {
        text_add(out, i ? "," : "");
        put_string(out, t.files.v[i]);
    }
    text_add(out, "]}\n");
}
