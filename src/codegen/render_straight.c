/* render_straight.c -- a whole small program as one function of C.
 *
 *   static void wk0_0(..), wk0_0_end(..)      its kernels and products
 *   void wk0(const WkArgs *k, ..)
 *       pointers to arrays; then the steps in order: calls of those above, copies, and
 *       loops and branches around them
 *
 * Where there are no loops, kernels and products are functions of their own, which can be
 * compiled side by side, and are called by address.
 *
 * Names: q<i> blocks of memory, t<i> turns of loops, wk<id>_<i> kernels and products.
 */
#include "codegen/render.h"

typedef struct StraightWriter {
    Render *r;
    Text *t;
    const Straight *s;
    uint32_t loops; /* named so far */
} StraightWriter;

static void indent(StraightWriter *w, int depth)
{
    for (int i = 0; i < depth; i++)
        text_add(w->t, "    ");
}

static const char *spot(StraightWriter *w, Spot s)
{
    return s.off ? arena_printf(w->r->a, "q%u + %lld", s.block, (long long)s.off)
                 : arena_printf(w->r->a, "q%u", s.block);
}

/* ---- steps ------------------------------------------------------------------------- */

/* How the part is called. */
static const char *part_name(StraightWriter *w, int64_t i, const char *kind)
{
    const Kernel *k = w->s->part[i];
    bool end = !strcmp(kind, "End");

    if (w->s->loops)
        return arena_printf(w->r->a, "wk%u%s%s", k->id, k->part, end ? "_end" : "");
    return arena_printf(w->r->a, "((Wk%s *)k->call[%lld] /* wk%u%s */)", kind,
                        (long long)(2 * i + end), k->code->id, end ? "_end" : "");
}

static void write_kernel(StraightWriter *w, int depth, const Flat *f)
{
    const Kernel *k = w->s->part[f->n];

    indent(w, depth);
    text_add(w->t, "{\n");
    indent(w, depth + 1);
    text_add(w->t, "void *const p[] = {");
    for (uint32_t i = 0; i < f->narrays; i++)
        text_printf(w->t, "%s%s", i ? ", " : "", spot(w, f->array[i]));
    text_add(w->t, "};\n");
    if (k->nparams) { /* of a function that serves other kernels, too */
        indent(w, depth + 1);
        text_add(w->t, "static const int64_t d[] = {");
        for (uint32_t i = 0; i < k->nparams; i++)
            text_printf(w->t, "%s%lld", i ? ", " : "", (long long)k->params[i]);
        text_add(w->t, "};\n");
    }
    indent(w, depth + 1);
    text_printf(w->t, "const WkArgs args = {p, %s, %s, %s, k->stop};\n",
                k->nparams ? "d" : "k->d", spot(w, f->with), spot(w, f->from));
    indent(w, depth + 1);
    text_printf(w->t, "%s(&args, 0, %lld);\n", part_name(w, f->n, "Run"),
                (long long)f->units);
    if (k->parts) {
        indent(w, depth + 1);
        text_printf(w->t, "%s(&args, 1);\n", part_name(w, f->n, "End"));
    }
    indent(w, depth);
    text_add(w->t, "}\n");
}

static void write_dot(StraightWriter *w, int depth, const Flat *f)
{
    indent(w, depth);
    text_printf(w->t, "%s(%s, %s, %s, q0 + %lld);\n", part_name(w, f->n, "Dot"),
                spot(w, f->from), spot(w, f->with), spot(w, f->to),
                (long long)w->s->pack);
}

static const char *word_of(size_t size)
{
    switch (size) {
    case 1: return "uint8_t";
    case 2: return "uint16_t";
    case 4: return "uint32_t";
    case 8: return "uint64_t";
    default: return "double _Complex"; /* sixteen bytes that begin where eight may */
    }
}

static const char *strides(StraightWriter *w, const int64_t *stride, int rank)
{
    Text t;

    text_init(&t, w->r->a);
    for (int i = 0; i < rank; i++)
        if (stride[i])
            text_printf(&t, "%s%lld * i%d", t.n ? " + " : "", (long long)stride[i], i);
    return t.n ? text_str(&t) : "0";
}

static void write_move(StraightWriter *w, int depth, const Flat *f)
{
    const KMove *m = f->move;
    const char *word = word_of(m->size);

    if (!m->count)
        return;
    for (int i = 0; i < m->rank; i++) {
        indent(w, depth + i);
        text_printf(w->t, "for (int64_t i%d = 0; i%d < %lld; i%d++)\n", i, i,
                    (long long)m->dims[i], i);
    }
    indent(w, depth + m->rank);
    text_printf(w->t, "((%s *)(%s))[%s] = ((const %s *)(%s))[%s];\n", word,
                spot(w, f->to), strides(w, m->to, m->rank), word, spot(w, f->from),
                strides(w, m->from, m->rank));
}

static void write_plain(StraightWriter *w, int depth, const Flat *f)
{
    const char *to = spot(w, f->to), *from = spot(w, f->from), *word = word_of(f->size);
    long long n = (long long)f->n;

    indent(w, depth);
    if (f->kind == FLAT_SET)
        text_printf(w->t, "*(int64_t *)(%s) = %lld;\n", to, n);
    else if (f->kind == FLAT_FILL)
        text_printf(w->t,
                    "for (int64_t i = 0; i < %lld; i++)\n%*s((%s *)(%s))[i] = *(const %s "
                    "*)(%s);\n",
                    n, 4 * depth + 4, "", word, to, word, from);
    else if (f->to.block == f->from.block)
        text_printf(w->t, "memcpy(%s, %s, %lld);\n", to, from, n);
    else
        text_printf(w->t, "if (%s != %s)\n%*smemcpy(%s, %s, %lld);\n", to, from,
                    4 * depth + 4, "", to, from, n);
}

/* ---- branches and loops ------------------------------------------------------------ */

static void write_steps(StraightWriter *w, int depth, const FlatList *l);

static void write_cond(StraightWriter *w, int depth, const Flat *f)
{
    const char *at = spot(w, f->from);

    indent(w, depth);
    if (f->dtype == WF_BOOL)
        text_printf(w->t, "switch (*(const uint8_t *)(%s) != 0) {\n", at);
    else
        text_printf(w->t, "switch (wk_branch(*(const int32_t *)(%s), %lld)) {\n", at,
                    (long long)f->n);
    for (int64_t i = 0; i < f->n; i++) {
        indent(w, depth);
        if (i + 1 < f->n)
            text_printf(w->t, "case %lld: {\n", (long long)i);
        else
            text_add(w->t, "default: {\n");
        write_steps(w, depth + 1, &f->branch[i]);
        indent(w, depth + 1);
        text_add(w->t, "break;\n");
        indent(w, depth);
        text_add(w->t, "}\n");
    }
    indent(w, depth);
    text_add(w->t, "}\n");
}

/* Rows of stacked arrays, and where a turn writes its carries. */
static void point_to_rows(StraightWriter *w, int depth, const FlatLoop *l, uint32_t t)
{
    const char *row = l->reverse
                          ? arena_printf(w->r->a, "(%lld - t%u)",
                                         (long long)l->length - 1, t)
                          : arena_printf(w->r->a, "t%u", t);

    for (uint32_t i = 0; i < l->nxs + l->nys; i++) {
        indent(w, depth);
        text_printf(w->t, "char *const q%u = %s + %lld * %s;\n", l->rows[i].block,
                    spot(w, l->rows[i].at), (long long)l->rows[i].bytes, row);
    }
}

static void write_scan(StraightWriter *w, int depth, const FlatLoop *l)
{
    uint32_t t = w->loops++;
    long long n = (long long)l->length;

    indent(w, depth);
    text_printf(w->t, "for (int64_t t%u = 0; t%u < %lld && !*k->stop; t%u++) {\n", t, t,
                n, t);
    for (uint32_t i = 0; i < l->ncarry; i++) {
        const FlatCarry *c = &l->carry[i];
        const char *out = spot(w, c->out), *spare = spot(w, c->spare);

        indent(w, depth + 1);
        text_printf(w->t, "char *const q%u = !t%u ? %s : (%lld - t%u) %% 2 ? %s : %s;\n",
                    c->before, t, spot(w, c->start), n, t, spare, out);
        indent(w, depth + 1);
        text_printf(w->t, "char *const q%u = (%lld - t%u) %% 2 ? %s : %s;\n", c->after,
                    n - 1, t, spare, out);
    }
    point_to_rows(w, depth + 1, l, t);
    write_steps(w, depth + 1, &l->body);
    indent(w, depth);
    text_add(w->t, "}\n");
}

static const char *carry_before(StraightWriter *w, const FlatCarry *c, uint32_t t)
{
    return arena_printf(w->r->a, "!t%u ? %s : t%u %% 2 ? %s : %s", t, spot(w, c->start),
                        t, spot(w, c->out), spot(w, c->spare));
}

/* Carries to their results; rows that were not reached are zero. */
static void end_while(StraightWriter *w, int depth, const FlatLoop *l, uint32_t t)
{
    for (uint32_t i = 0; i < l->ncarry; i++) {
        const FlatCarry *c = &l->carry[i];

        indent(w, depth);
        text_printf(w->t, "{\n%*schar *const last = %s;\n", 4 * depth + 4, "",
                    carry_before(w, c, t));
        indent(w, depth + 1);
        text_printf(w->t, "if (last != %s)\n%*smemcpy(%s, last, %lld);\n",
                    spot(w, c->out), 4 * depth + 8, "", spot(w, c->out),
                    (long long)c->bytes);
        indent(w, depth);
        text_add(w->t, "}\n");
    }
    for (uint32_t j = l->nxs; j < l->nxs + l->nys; j++) {
        indent(w, depth);
        text_printf(w->t, "memset(%s + %lld * t%u, 0, %lld * (%lld - t%u));\n",
                    spot(w, l->rows[j].at), (long long)l->rows[j].bytes, t,
                    (long long)l->rows[j].bytes, (long long)l->length, t);
    }
}

static void write_while(StraightWriter *w, int depth, const FlatLoop *l)
{
    uint32_t t = w->loops++;

    indent(w, depth);
    text_printf(w->t, "int64_t t%u = 0;\n", t);
    indent(w, depth);
    text_printf(w->t, "for (; ");
    if (l->length >= 0)
        text_printf(w->t, "t%u < %lld && ", t, (long long)l->length);
    text_printf(w->t, "!*k->stop; t%u++) {\n", t);
    for (uint32_t i = 0; i < l->ncarry; i++) {
        indent(w, depth + 1);
        text_printf(w->t, "char *const q%u = %s;\n", l->carry[i].before,
                    carry_before(w, &l->carry[i], t));
    }
    write_steps(w, depth + 1, &l->cond);
    indent(w, depth + 1);
    text_printf(w->t, "if (!*(const uint8_t *)(%s))\n", spot(w, l->flag));
    indent(w, depth + 2);
    text_add(w->t, "break;\n");
    for (uint32_t i = 0; i < l->ncarry; i++) {
        indent(w, depth + 1);
        text_printf(w->t, "char *const q%u = t%u %% 2 ? %s : %s;\n", l->carry[i].after,
                    t, spot(w, l->carry[i].spare), spot(w, l->carry[i].out));
    }
    point_to_rows(w, depth + 1, l, t);
    write_steps(w, depth + 1, &l->body);
    indent(w, depth);
    text_add(w->t, "}\n");
    end_while(w, depth, l, t);
}

static void write_step(StraightWriter *w, int depth, const Flat *f)
{
    switch (f->kind) {
    case FLAT_KERNEL: write_kernel(w, depth, f); break;
    case FLAT_DOT: write_dot(w, depth, f); break;
    case FLAT_MOVE: write_move(w, depth, f); break;
    case FLAT_COND: write_cond(w, depth, f); break;
    case FLAT_LOOP:
        if (f->loop->is_while)
            write_while(w, depth, f->loop);
        else
            write_scan(w, depth, f->loop);
        break;
    default: write_plain(w, depth, f); break;
    }
}

static void write_steps(StraightWriter *w, int depth, const FlatList *l)
{
    for (uint32_t i = 0; i < l->n; i++)
        write_step(w, depth, &l->v[i]);
}

/* ---- the function ------------------------------------------------------------------ */

void render_straight(Render *r)
{
    const Straight *s = r->k->straight;
    const Program *p = r->k->p;
    StraightWriter w = {.r = r, .t = r->t, .s = s};

    for (uint32_t i = 0; s->loops && i < s->nparts; i++)
        render_kernel(s->part[i], r->a, r->t);
    text_printf(r->t,
                "void wk%u(const WkArgs *k, int64_t begin, int64_t end)\n{\n"
                "    (void)begin;\n    (void)end;\n    char *const q0 = k->tmp;\n",
                r->k->id);
    for (uint32_t i = 0; i < p->nin + p->nout + s->nconsts; i++)
        text_printf(r->t, "    char *const q%u = k->p[%u];\n", i + 1, i);
    write_steps(&w, 1, &s->steps);
    text_add(r->t, "}\n\n");
}

/* ---- for people -------------------------------------------------------------------- */

static void print_steps(const Straight *s, const FlatList *l, int depth, Text *t)
{
    static const char *const plain[] = {[FLAT_MOVE] = "copy by strides",
                                        [FLAT_FILL] = "fill",
                                        [FLAT_SET] = "set",
                                        [FLAT_COPY] = "copy"};

    for (uint32_t i = 0; i < l->n; i++) {
        const Flat *f = &l->v[i];

        text_printf(t, "%*s", 2 * depth, "");
        if (f->kind == FLAT_KERNEL || f->kind == FLAT_DOT)
            text_printf(t, "kernel %u%s\n", s->part[f->n]->code->id, s->part[f->n]->part);
        else if (f->kind == FLAT_LOOP && f->loop->is_while)
            text_add(t, "while\n");
        else if (f->kind == FLAT_LOOP)
            text_printf(t, "%lld times\n", (long long)f->loop->length);
        else
            text_printf(t, "%s\n", f->kind == FLAT_COND ? "one of" : plain[f->kind]);
        for (int64_t k = 0; f->kind == FLAT_COND && k < f->n; k++) {
            text_printf(t, "%*sbranch %lld\n", 2 * depth + 2, "", (long long)k);
            print_steps(s, &f->branch[k], depth + 2, t);
        }
        if (f->kind == FLAT_LOOP) {
            print_steps(s, &f->loop->cond, depth + 1, t);
            print_steps(s, &f->loop->body, depth + 1, t);
        }
    }
}

void render_straight_text(const Kernel *k, Text *t)
{
    print_steps(k->straight, &k->straight->steps, 1, t);
    text_printf(t, "  with %lld bytes of memory\n", (long long)k->straight->tmp_bytes);
}
