/* draw.c -- a program as a Graphviz drawing: `weft show --as=dot`, and svg through dot.
 *
 * A node for each input, equation and result, an edge for each operand, labelled with its
 * type. Constants are small, stand beside each of their users and have no frame. Colours
 * tell families of ops. A sub-program is a frame of its own, drawn once, with a dashed line
 * from every equation that uses it.
 */
#include "ir/parse.h"

#include "op/op.h"

typedef struct Drawing {
    Text *out;
    Arena *a;
    VEC(const Program *) done; /* its index is the number of the frame */
} Drawing;

typedef struct Colour {
    const char *family, *colour;
} Colour;

static const char *family_colour(const char *family)
{
    static const Colour colours[] = {
        {"map", "#dbe9f6"},     {"random", "#e8e0f3"},   {"reduce", "#fde3c8"},
        {"sort", "#fde3c8"},    {"window", "#fde3c8"},   {"shape", "#eeeeee"},
        {"index", "#fbf3c4"},   {"contract", "#f6cfcf"}, {"linalg", "#f6cfcf"},
        {"control", "#d5ecd4"}, {"effect", "#ffd6ec"},   {"collective", "#cfeeee"},
    };

    for (int i = 0; i < COUNT(colours); i++)
        if (!strcmp(colours[i].family, family))
            return colours[i].colour;
    return "#ffffff";
}

/* ---- labels ---------------------------------------------------------------------- */

#define LABEL_MAX 60 /* characters of an equation in a node */

/* s between double quotes; long ones are cut. */
static void add_label(Drawing *d, const char *s, size_t max)
{
    size_t n = strlen(s), cut = MIN(n, max);

    while (cut < n && cut > 0 && ((unsigned char)s[cut] & 0xC0) == 0x80)
        cut--;
    text_char(d->out, '"');
    for (size_t i = 0; i < cut; i++) {
        if (s[i] == '"' || s[i] == '\\')
            text_char(d->out, '\\');
        text_char(d->out, (unsigned char)s[i] < ' ' ? ' ' : s[i]);
    }
    text_add(d->out, cut < n ? "..." : "");
    text_char(d->out, '"');
}

static const char *value_label(Drawing *d, const Program *p, Val v)
{
    if (p->vals[v].name)
        return p->names[p->vals[v].name];
    return arena_printf(d->a, "%%%u", v);
}

/* The equation without its results and operands: op and attributes. */
static const char *eqn_label(Drawing *d, const Program *p, const Eqn *e)
{
    Eqn bare = *e;
    Text t;

    text_init(&t, d->a);
    if (e->op == OP_dot_general && /* whether it is short depends on the operands */
        dot_is_short(e->attr, val_type(p, eqn_in(p, e)[0]), val_type(p, eqn_in(p, e)[1])))
        return "dot";
    bare.nin = 0;
    bare.nout = 0;
    eqn_print(p, &bare, &t);
    return text_str(&t);
}

static const char *result_label(Drawing *d, const Program *p, const Eqn *e)
{
    Text t;

    text_init(&t, d->a);
    for (uint32_t i = 0; i < e->nout; i++) {
        text_add(&t, i ? ", " : "");
        text_add(&t, value_label(d, p, e->out + i));
    }
    return text_str(&t);
}

/* ---- nodes and edges ------------------------------------------------------------- */

static const Eqn *maker(const Program *p, Val v)
{
    return p->vals[v].eqn == EQN_INPUT ? NULL : &p->eqns[p->vals[v].eqn];
}

/* An edge to node `to` from the node of v: an input, an equation, or a constant's copy. */
static void draw_edge(Drawing *d, uint32_t frame, const Program *p, Val v, const char *to,
                      uint32_t at)
{
    const Eqn *e = maker(p, v);
    const char *type = type_str(&p->dims, val_type(p, v), d->a);

    if (e && e->op == OP_const) {
        text_printf(d->out, "  c%u_%s_%u [shape=plaintext fontsize=9 label=", frame, to,
                    at);
        add_label(d, eqn_label(d, p, e) + strlen("const "), 28);
        text_printf(d->out, "]\n  c%u_%s_%u -> p%u_%s [arrowsize=0.5]\n", frame, to, at,
                    frame, to);
        return;
    }
    if (e)
        text_printf(d->out, "  p%u_e%u -> p%u_%s [label=", frame, p->vals[v].eqn, frame,
                    to);
    else
        text_printf(d->out, "  p%u_i%u -> p%u_%s [label=", frame, v, frame, to);
    add_label(d, type, LABEL_MAX);
    text_add(d->out, "]\n");
}

static void draw_eqn(Drawing *d, uint32_t frame, const Program *p, uint32_t i)
{
    const Eqn *e = &p->eqns[i];
    const char *label;

    if (e->op == OP_const)
        return;
    label = e->nout
                ? arena_printf(d->a, "%s = %s", result_label(d, p, e), eqn_label(d, p, e))
                : eqn_label(d, p, e);
    text_printf(d->out, "  p%u_e%u [fillcolor=\"%s\" label=", frame, i,
                family_colour(op_table[e->op].family));
    add_label(d, label, LABEL_MAX);
    text_add(d->out, "]\n");
    for (uint32_t k = 0; k < e->nin; k++)
        draw_edge(d, frame, p, eqn_in(p, e)[k], arena_printf(d->a, "e%u", i), k);
}

/* ---- programs -------------------------------------------------------------------- */

static uint32_t frame_of(const Drawing *d, const Program *p)
{
    uint32_t i = 0;

    while (i < d->done.n && d->done.v[i] != p)
        i++;
    return i;
}

typedef struct SubLine {
    Drawing *d;
    uint32_t frame, eqn;
} SubLine;

static void draw_sub_line(void *user, const Sub *s)
{
    SubLine *l = user;
    uint32_t to = frame_of(l->d, s->p);

    text_printf(l->d->out,
                "  p%u_e%u -> p%u_top [style=dashed arrowhead=none lhead=cluster_%u]\n",
                l->frame, l->eqn, to, to);
}

static void draw_program(Drawing *d, uint32_t frame, const Program *p)
{
    text_printf(d->out,
                "subgraph cluster_%u {\n  style=rounded color=\"#888888\" label=", frame);
    add_label(d, p->name, LABEL_MAX);
    text_printf(d->out, "\n  p%u_top [style=invis shape=point width=0 height=0]\n",
                frame);
    for (uint32_t i = 1; i <= p->nin; i++) {
        text_printf(d->out,
                    "  p%u_i%u [shape=ellipse fillcolor=\"#ffffff\" label=", frame, i);
        add_label(d, value_label(d, p, i), LABEL_MAX);
        text_add(d->out, "]\n");
    }
    for (uint32_t i = 0; i < p->neqns; i++)
        draw_eqn(d, frame, p, i);
    for (uint32_t i = 0; i < p->nout; i++) {
        text_printf(d->out,
                    "  p%u_o%u [shape=ellipse peripheries=2 fillcolor=\"#ffffff\" label=",
                    frame, i);
        add_label(d, arena_printf(d->a, "ret %u", i), LABEL_MAX);
        text_add(d->out, "]\n");
        draw_edge(d, frame, p, p->outs[i], arena_printf(d->a, "o%u", i), 0);
    }
    text_add(d->out, "}\n");
}

static void draw_all(Drawing *d, const Program *p)
{
    uint32_t frame = d->done.n;

    vec_push(d->a, &d->done, p);
    for (uint32_t i = 0; i < p->nsubs; i++)
        if (frame_of(d, p->subs[i]) == d->done.n)
            draw_all(d, p->subs[i]);
    draw_program(d, frame, p);
    for (uint32_t i = 0; i < p->neqns; i++) {
        SubLine l = {d, frame, i};

        if (op_has(p->eqns[i].op, OPF_CONTROL))
            attr_each_sub(op_row(p->eqns[i].op), p->eqns[i].attr, draw_sub_line, &l);
    }
}

void program_dot(const Program *p, Text *out)
{
    Drawing d = {.out = out, .a = out->a};

    text_add(
        out,
        "digraph weft {\n"
        "compound=true\n"
        "node [shape=box style=\"filled,rounded\" fontname=\"Helvetica\" fontsize=11]\n"
        "edge [fontname=\"Helvetica\" fontsize=9 color=\"#555555\"]\n");
    draw_all(&d, p);
    text_add(out, "}\n");
}
