/* mesh_draw.c -- a drawing of a mesh of devices, and of which of them have which parts of the inputs and results of an spmd. */
#include "op/control.h"
#include "op/mesh.h"
#include "transform/transform.h"

enum {
    CELL_W = 56,
    CELL_H = 30,
    GAP = 40,
    HEAD = 46,
    SHOWN = 8
}; /* more parts than SHOWN along an axis are cut */

typedef struct Drawing {
    wf_ctx *cx;
    const Mesh *mesh;
    Text *t;
    int64_t x, high; /* where the next picture goes; the highest so far */
} Drawing;

/* A colour for each part, the same for the same number. */
static void cell(Drawing *d, int64_t x, int64_t y, int64_t part, int64_t parts,
                 const char *label)
{
    text_printf(d->t,
                "<rect x=\"%lld\" y=\"%lld\" width=\"%d\" height=\"%d\" "
                "fill=\"hsl(%lld,55%%,85%%)\" stroke=\"#555\"/>"
                "<text x=\"%lld\" y=\"%lld\">%s</text>\n",
                (long long)x, (long long)y, CELL_W, CELL_H,
                (long long)(parts > 1 ? part * 300 / parts : 210),
                (long long)(x + CELL_W / 2), (long long)(y + CELL_H / 2 + 4), label);
}

/* A name of the program's, of whatever characters: no tag, no end of a line. */
static const char *label_of(Drawing *d, const char *s)
{
    Text t;

    text_init(&t, &d->cx->scratch);
    for (; *s; s++)
        if (*s == '<' || *s == '&')
            text_add(&t, *s == '<' ? "&lt;" : "&amp;");
        else
            text_char(&t, (unsigned char)*s < ' ' || *s == 127 ? ' ' : *s);
    return text_str(&t);
}

static void head(Drawing *d, const char *name, const char *what)
{
    text_printf(d->t,
                "<text class=\"n\" x=\"%lld\" y=\"16\">%s</text><text class=\"s\" "
                "x=\"%lld\" y=\"34\">%s</text>\n",
                (long long)d->x, label_of(d, name), (long long)d->x, label_of(d, what));
}

/* Columns and rows of a picture have been drawn. */
static void drawn(Drawing *d, int64_t rows, int64_t columns, const char *what)
{
    int64_t text = (int64_t)strlen(what) * 8;

    d->x += MAX(columns * CELL_W, text) + GAP;
    d->high = MAX(d->high, HEAD + rows * CELL_H);
}

/* Its first axis down, the others across. */
static void draw_mesh(Drawing *d, const char *text)
{
    int64_t rows = d->mesh->n > 1 ? d->mesh->size[0] : 1,
            columns = d->mesh->devices / MAX(rows, 1);
    int64_t shown = MIN(rows, SHOWN), across = MIN(columns, SHOWN);

    head(d, "mesh", text);
    for (int64_t i = 0; i < shown; i++)
        for (int64_t k = 0; k < across; k++)
            cell(d, d->x + k * CELL_W, HEAD + i * CELL_H, i * columns + k,
                 d->mesh->devices,
                 arena_printf(&d->cx->scratch, "%lld", (long long)(i * columns + k)));
    drawn(d, shown, across, text);
}

/* The devices that have part (i, k) of the two axes. */
static const char *owners(Drawing *d, const Spec *s, uint32_t down, uint32_t across,
                          int64_t i, int64_t k)
{
    Text t;
    int n = 0;

    text_init(&t, &d->cx->scratch);
    for (int64_t dev = 0; dev < d->mesh->devices && n <= 3; dev++) {
        if (down < s->rank && mesh_position(d->mesh, dev, s->dim[down]) != i)
            continue;
        if (across < s->rank && mesh_position(d->mesh, dev, s->dim[across]) != k)
            continue;
        text_printf(&t, n == 3 ? ".." : n ? ",%lld" : "%lld", (long long)dev);
        n++;
    }
    return text_str(&t);
}

/* The first two axes that are divided, or the first two: one down, one across; the others are told in words. */
static void draw_value(Drawing *d, const char *name, Type type, const Spec *s)
{
    uint32_t down = 0, across = 1, n = 0;
    int64_t rows, columns, shown, wide;
    const char *what;
    Text t;

    for (uint32_t k = 0; k < s->rank; k++)
        if (s->dim[k].n && n < 2)
            *(n++ ? &across : &down) = k;
    if (n == 1)
        across = down ? 0 : 1, n = 2;
    if (down > across)
        n = down, down = across, across = n;
    rows = down < s->rank ? mesh_count(d->mesh, s->dim[down]) : 1;
    columns = across < s->rank ? mesh_count(d->mesh, s->dim[across]) : 1;
    shown = MIN(rows, SHOWN);
    wide = MIN(columns, SHOWN);
    text_init(&t, &d->cx->scratch);
    text_printf(&t, "%s[", wf_dtype_name((wf_dtype)type.dtype));
    for (uint32_t k = 0; k < type.rank; k++)
        text_printf(&t, "%s%lld", k ? "," : "", (long long)type.dims[k]);
    text_printf(&t, "] by %s", s->rank ? xf_spec_text(&d->cx->scratch, d->mesh, s) : "-");
    what = text_str(&t);
    head(d, name, what);
    for (int64_t i = 0; i < shown; i++)
        for (int64_t k = 0; k < wide; k++)
            cell(d, d->x + k * CELL_W, HEAD + i * CELL_H, i * columns + k, rows * columns,
                 owners(d, s, down, across, i, k));
    drawn(d, shown, wide, what);
}

static bool draw(Drawing *d, const Program *p, const SpmdAttr *a)
{
    Arena *s = &d->cx->scratch;
    const Program *body = a->body.p;
    const char **in = specs_split(s, a->in, body->nin),
               **out = specs_split(s, a->out, body->nout), *why;
    Spec spec;

    draw_mesh(d, a->mesh);
    for (uint32_t i = 0; in && i < body->nin && i < p->nin; i++) {
        Type t = val_type(p, program_in(p, i));
        const char *name = input_name(p, i);

        if ((why = spec_parse(s, d->mesh, in[i], t.rank, &spec)))
            return fail(d->cx, WF_ERR_VALUE, NOWHERE, "\"%s\": %s", in[i], why);
        draw_value(d, name ? name : arena_printf(s, "input %u", i), t, &spec);
    }
    for (uint32_t j = 0; out && j < body->nout && j < p->nout; j++) {
        Type t = val_type(p, p->outs[j]);

        if ((why = spec_parse(s, d->mesh, out[j], t.rank, &spec)))
            return fail(d->cx, WF_ERR_VALUE, NOWHERE, "\"%s\": %s", out[j], why);
        draw_value(d, arena_printf(s, "result %u", j), t, &spec);
    }
    return true;
}

wf_status wf_program_mesh_svg(wf_ctx *cx, const wf_program *p, const char **out_text)
{
    Text whole, inner;
    const SpmdAttr *a;
    Mesh m;

    if (out_text)
        *out_text = NULL;
    if (!cx)
        return WF_ERR_ARG;
    if (!p || !out_text) {
        fail(cx, WF_ERR_ARG, NOWHERE, "wf_program_mesh_svg: an argument is NULL");
        return ctx_status(cx);
    }
    API_ENTER(cx);
    answer_init(&whole, cx);
    text_init(&inner, &cx->scratch);
    if ((a = xf_program_spmd(cx, p, &m))) {
        Drawing d = {cx, &m, &inner, 10, 0};

        if (draw(&d, p, a)) {
            text_printf(
                &whole,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %lld %lld\" "
                "width=\"%lld\" height=\"%lld\">\n"
                "<style>text{font:12px "
                "sans-serif;text-anchor:middle}.n{font-weight:bold;text-anchor:start}"
                ".s{text-anchor:start}</style>\n<rect width=\"100%%\" height=\"100%%\" "
                "fill=\"white\"/>\n%s</svg>\n",
                (long long)(d.x - GAP + 10), (long long)(d.high + 10),
                (long long)(d.x - GAP + 10), (long long)(d.high + 10), text_str(&inner));
            *out_text = text_str(&whole);
        }
    }
    API_RETURN(cx);
}
