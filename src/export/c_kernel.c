/* c_kernel.c -- a kernel (codegen.h) as a function of C for single elements.
 *
 *   static void forward_relu(const float *a0, float *a1, ptrdiff_t d0)
 *       what is computed once; sums of everything
 *       loops over rows
 *           what is computed once a row
 *           a walk over the row: sums in several variables at once, so that a compiler
 *           can take vectors; then the next walk
 *
 * Names: a<i> arrays, v<i> nodes, s<i> sums, b<i> row buffers, i<l> indices, x the
 * innermost, d<i> sizes. Results may lie where operands do (kernel_in_place).
 */
#include "export/export.h"

#define LANES   16 /* sums that are taken side by side */
#define LAST(k) ((k)->nloops - 1)

typedef struct CRender {
    CFile *c;
    const Kernel *k;
    Text t;
    int depth;
    const char *x; /* the innermost index */
    bool *used;    /* nodes that others, or results, read */
} CRender;

static wf_dtype kept(const Node *n)
{
    return n->dtype == WF_F16 || n->dtype == WF_BF16 ? WF_F32 : (wf_dtype)n->dtype;
}

static void put(CRender *r, const char *fmt, ...) PRINTF(2, 3);
static void put(CRender *r, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    text_printf(&r->t, "%*s%s\n", 4 * r->depth, "", arena_vprintf(r->c->a, fmt, ap));
    va_end(ap);
}

static const char *dim_text(CRender *r, Dim d)
{
    uint32_t i = 0;

    if (d >= 0)
        return arena_printf(r->c->a, "%lld", (long long)d);
    while (r->k->params[i] != d)
        i++;
    return arena_printf(r->c->a, "d%u", i);
}

static const char *loop_name(const CRender *r, uint32_t l)
{
    return l == LAST(r->k) ? r->x : arena_printf(r->c->a, "i%u", l);
}

/* offset + strides; 0 if there is nothing */
static const char *index_text(CRender *r, const Access *at)
{
    Text t;

    text_init(&t, r->c->a);
    if (at->offset)
        text_add(&t, dim_text(r, at->offset));
    for (uint32_t l = 0; l < r->k->nloops; l++) {
        if (!at->stride[l])
            continue;
        text_add(&t, t.n ? " + " : "");
        if (at->stride[l] != 1)
            text_printf(&t, "%s * ", dim_text(r, at->stride[l]));
        text_add(&t, loop_name(r, l));
    }
    return t.n ? text_str(&t) : "0";
}

/* ---- values ------------------------------------------------------------------------ */

static const char *arg_text(CRender *r, uint32_t i)
{
    const Node *n = &r->k->nodes[i];

    return n->kind == NODE_CONST ? c_literal(r->c->a, (wf_dtype)n->dtype, &n->bits)
                                 : arena_printf(r->c->a, "v%u", i);
}

static const char *load_text(CRender *r, const Node *n)
{
    wf_dtype t = (wf_dtype)n->dtype, it;
    const char *at = index_text(r, &n->at), *row, *bound, *x;

    if (!n->nin)
        return c_load(r->c, t, arena_printf(r->c->a, "a%u[%s]", n->at.array, at));
    it = (wf_dtype)r->k->nodes[n->in[0]].dtype; /* a row by number */
    row = arg_text(r, n->in[0]);
    bound = dim_text(r, n->bound);
    x = c_load(r->c, t,
               arena_printf(r->c->a, "a%u[%s + %s * %s(%s, %s)]", n->at.array, at,
                            dim_text(r, n->step),
                            c_need(r->c, it == WF_U64 ? "clip_wide" : "clip"), row,
                            bound));
    if (!n->fill)
        return x;
    return arena_printf(r->c->a, "%s((int64_t)%s, %s) ? %s : %s", c_need(r->c, "inside"),
                        row, bound, x, c_literal(r->c->a, t, &n->bits));
}

static const char *iota_text(CRender *r, const Node *n)
{
    wf_dtype t = (wf_dtype)n->dtype;
    const char *x = arena_printf(r->c->a, "(%s)", index_text(r, &n->at));

    return t == WF_BOOL
               ? arena_printf(r->c->a, "%s != 0", x)
               : c_cast(r->c, WF_I64, t, arena_printf(r->c->a, "(int64_t)%s", x));
}

static const char *value_text(CRender *r, const Node *n)
{
    Arena *a = r->c->a;
    wf_dtype *in = arena_array(a, n->nin + 1u, sizeof *in);
    const char **args = arena_array(a, n->nin + 1u, sizeof *args);

    switch (n->kind) {
    case NODE_LOAD: return load_text(r, n);
    case NODE_CONST: return c_literal(a, (wf_dtype)n->dtype, &n->bits);
    case NODE_IOTA: return iota_text(r, n);
    case NODE_DIM: return arena_printf(a, "(int64_t)%s", dim_text(r, n->dim));
    case NODE_RESULT: return arena_printf(a, "v%u[%u]", n->in[0], n->which);
    default: break;
    }
    for (uint32_t i = 0; i < n->nin; i++) {
        in[i] = (wf_dtype)r->k->nodes[n->in[i]].dtype;
        args[i] = arg_text(r, n->in[i]);
    }
    return c_map(r->c, n->op, (wf_dtype)n->dtype, in, args, n->nin);
}

static void define_node(CRender *r, uint32_t i)
{
    const Node *n = &r->k->nodes[i];
    const char *type = c_value((wf_dtype)n->dtype);
    Text args;

    if (n->kind == NODE_CONST || !r->used[i])
        return;
    if (n->kind == NODE_MAP && n->nout > 1) {
        text_init(&args, r->c->a);
        for (uint32_t j = 0; j < n->nin; j++)
            text_printf(&args, ", %s", arg_text(r, n->in[j]));
        put(r, "%s v%u[%u];", type, i, n->nout);
        put(r, "%s(v%u%s);", c_need_of(r->c, op_name(n->op), (wf_dtype)n->dtype), i,
            text_str(&args));
        return;
    }
    put(r, "const %s v%u = %s;", type, i, value_text(r, n));
}

static void define_level(CRender *r, NodeLevel level, uint32_t stage)
{
    for (uint32_t i = 0; i < r->k->nnodes; i++) {
        const Node *n = &r->k->nodes[i];

        if (n->kind != NODE_REDUCE && n->level == level && n->stage == stage)
            define_node(r, i);
    }
}

static void store(CRender *r, const KernelOut *o, const char *v)
{
    put(r, "a%u[%s] = %s;", o->at.array, index_text(r, &o->at),
        c_store(r->c, (wf_dtype)r->k->nodes[o->node].dtype, v));
}

static const char *combined(CRender *r, const Node *n, const char *x, const char *y)
{
    wf_dtype t = kept(n), in[] = {t, t};
    const char *args[] = {x, y};

    return c_map(r->c, n->op, t, in, args, 2);
}

/* ---- row buffers and sums by column ------------------------------------------------ */

static const char *cols_text(CRender *r)
{
    const Kernel *k = r->k;
    Text t;

    text_init(&t, r->c->a);
    for (uint32_t l = k->nrows; l < k->nloops; l++)
        text_printf(&t, "%s%s", l > k->nrows ? " * " : "", dim_text(r, k->loops[l].size));
    return text_str(&t);
}

static const char *place_in_row(CRender *r)
{
    const Kernel *k = r->k;
    Text t;

    text_init(&t, r->c->a);
    for (uint32_t l = k->nrows; l < LAST(k); l++) {
        text_printf(&t, "i%u", l);
        for (uint32_t n = l + 1; n < k->nloops; n++)
            text_printf(&t, " * %s", dim_text(r, k->loops[n].size));
        text_add(&t, " + ");
    }
    text_add(&t, r->x);
    return text_str(&t);
}

static bool is_columns(const Node *n)
{
    return n->kind == NODE_REDUCE && n->over == OVER_ROWS;
}

bool c_kernel_buffers(const Kernel *k)
{
    bool any = k->nsaved != 0;

    for (uint32_t i = 0; i < k->nnodes && !k->scalar; i++)
        any = any || is_columns(&k->nodes[i]);
    return any;
}

/* As point_to_buffers lays them out. */
int64_t c_kernel_buffer_bytes(const Kernel *k, const int64_t *symvals)
{
    int64_t bytes = 0;
    KernelSize z;

    if (!c_kernel_buffers(k) || !kernel_size(k, symvals, &z))
        return 0;
    for (uint32_t i = 0; i < k->nnodes; i++)
        if (k->nodes[i].saved >= 0 || is_columns(&k->nodes[i]))
            bytes += z.cols * 8 + 64;
    return bytes;
}

/* b<i> what later walks need, s<i> sums by column. */
static void point_to_buffers(CRender *r)
{
    const Kernel *k = r->k;

    for (uint32_t i = 0; i < k->nnodes; i++) {
        const Node *n = &k->nodes[i];
        const char *type = c_value(kept(n));

        if (n->saved < 0 && !is_columns(n))
            continue;
        put(r, "%s *const %c%u = (%s *)(void *)tmp;", type, is_columns(n) ? 's' : 'b', i,
            type);
        put(r, "tmp += (%s * (ptrdiff_t)sizeof(%s) + 63) / 64 * 64;", cols_text(r), type);
    }
}

static int open_cols(CRender *r)
{
    const Kernel *k = r->k;
    int n = 0;

    for (uint32_t l = k->nrows; l < LAST(k); l++, n++) {
        put(r, "for (ptrdiff_t i%u = 0; i%u < %s; i%u++) {", l, l,
            dim_text(r, k->loops[l].size), l);
        r->depth++;
    }
    return n;
}

static void close_loops(CRender *r, int n)
{
    while (n-- > 0) {
        r->depth--;
        put(r, "}");
    }
}

static void start_columns(CRender *r)
{
    const Kernel *k = r->k;

    for (uint32_t i = 0; i < k->nnodes; i++) {
        if (!is_columns(&k->nodes[i]))
            continue;
        put(r, "for (ptrdiff_t x = 0; x < %s; x++)", cols_text(r));
        put(r, "    s%u[x] = %s;", i,
            c_nothing(r->c, k->nodes[i].op, kept(&k->nodes[i])));
    }
}

/* ---- walks ------------------------------------------------------------------------- */

/* A sum of what is computed for each element, in variables. */
static bool is_sum(const Node *n)
{
    return n->kind == NODE_REDUCE && n->over != OVER_ROWS;
}

/* Sums of rows as long as this, or of a length nobody knows, are taken side by side. */
static bool is_wide(const Kernel *k)
{
    Dim n = k->loops[LAST(k)].size;

    return n < 0 || n >= 2 * LANES;
}

static bool has_lanes(const Kernel *k, const Node *n)
{
    return is_sum(n) && n->level == LEVEL_EACH && is_wide(k);
}

static void start_sum(CRender *r, uint32_t i)
{
    const Node *n = &r->k->nodes[i];
    const char *type = c_value(kept(n)), *zero = c_nothing(r->c, n->op, kept(n));

    if (!has_lanes(r->k, n)) {
        put(r, "%s s%u = %s;", type, i, zero);
        return;
    }
    put(r, "%s s%u[%d];", type, i, LANES);
    put(r, "for (int l = 0; l < %d; l++)", LANES);
    put(r, "    s%u[l] = %s;", i, zero);
}

/* The sum as one number, of its dtype: v<i>. */
static void end_sum(CRender *r, uint32_t i)
{
    const Node *n = &r->k->nodes[i];
    const char *name = arena_printf(r->c->a, "s%u", i);

    if (has_lanes(r->k, n)) {
        for (int step = LANES / 2; step; step /= 2) {
            put(r, "for (int l = 0; l < %d; l++)", step);
            put(r, "    s%u[l] = %s;", i,
                combined(r, n, arena_printf(r->c->a, "s%u[l]", i),
                         arena_printf(r->c->a, "s%u[l + %d]", i, step)));
        }
        name = arena_printf(r->c->a, "s%u[0]", i);
    }
    put(r, "const %s v%u = %s;", c_value((wf_dtype)n->dtype), i,
        c_cast(r->c, kept(n), (wf_dtype)n->dtype, name));
}

static void add_to_sum(CRender *r, uint32_t i, const char *lane)
{
    const Node *n = &r->k->nodes[i];
    const char *s = is_columns(n) ? arena_printf(r->c->a, "s%u[%s]", i, place_in_row(r))
                    : has_lanes(r->k, n) ? arena_printf(r->c->a, "s%u[%s]", i, lane)
                                         : arena_printf(r->c->a, "s%u", i);

    put(r, "%s = %s;", s, combined(r, n, s, arg_text(r, n->in[0])));
}

static void walk_node(CRender *r, uint32_t stage, uint32_t i)
{
    const Node *n = &r->k->nodes[i];

    if (n->saved >= 0 && n->stage < stage) {
        put(r, "const %s v%u = b%u[%s];", c_value((wf_dtype)n->dtype), i, i,
            place_in_row(r));
        return;
    }
    define_node(r, i);
    if (n->saved >= 0)
        put(r, "b%u[%s] = v%u;", i, place_in_row(r), i);
}

static void walk_body(CRender *r, uint32_t stage, const bool *need_, const char *lane)
{
    const Kernel *k = r->k;

    for (uint32_t i = 0; i < k->nnodes; i++)
        if (need_[i])
            walk_node(r, stage, i);
        else if (node_reduces_in(&k->nodes[i], stage))
            add_to_sum(r, i, lane);
    for (uint32_t j = 0; j < k->p->nout; j++)
        if (kernel_stores_in(k, &k->outs[j], stage))
            store(r, &k->outs[j], arg_text(r, k->outs[j].node));
}

static void write_walk(CRender *r, uint32_t stage)
{
    const Kernel *k = r->k;
    bool *needs = arena_zalloc(r->c->a, k->nnodes + 1), lanes = false;
    Dim size = k->loops[LAST(k)].size;
    const char *n = dim_text(r, size);
    int outer;

    if (!kernel_walk_needs(k, stage, needs))
        return;
    for (uint32_t i = 0; i < k->nnodes; i++)
        if (node_reduces_in(&k->nodes[i], stage)) {
            lanes = lanes || has_lanes(k, &k->nodes[i]);
            if (k->nodes[i].over == OVER_COLS)
                start_sum(r, i);
        }
    outer = open_cols(r);
    if (lanes) {
        put(r, "for (ptrdiff_t j = 0; j + %d <= %s; j += %d) {", LANES, n, LANES);
        r->depth++;
        put(r, "WX_VECTOR");
        put(r, "for (int l = 0; l < %d; l++) {", LANES);
        r->depth++;
        r->x = "(j + l)";
        walk_body(r, stage, needs, "l");
        r->x = "x";
        close_loops(r, 2);
    }
    if (!lanes || size < 0 || size % LANES) {
        if (!lanes)
            put(r, "WX_VECTOR");
        put(r, "for (ptrdiff_t x = %s; x < %s; x++) {",
            lanes ? arena_printf(r->c->a, "%s / %d * %d", n, LANES, LANES) : "0", n);
        r->depth++;
        walk_body(r, stage, needs, "0");
        close_loops(r, 1);
    }
    close_loops(r, outer);
    for (uint32_t i = 0; i < k->nnodes; i++)
        if (node_reduces_in(&k->nodes[i], stage) && k->nodes[i].over == OVER_COLS)
            end_sum(r, i);
}

/* ---- the function ------------------------------------------------------------------ */

static void add_rows(CRender *r) /* to sums of everything, what is known by row */
{
    for (uint32_t i = 0; i < r->k->nnodes; i++)
        if (node_is_part(&r->k->nodes[i]) && r->k->nodes[i].level != LEVEL_EACH)
            add_to_sum(r, i, "0");
}

static void end_parts(CRender *r)
{
    const Kernel *k = r->k;

    for (uint32_t i = 0; i < k->nnodes; i++) {
        const Node *n = &k->nodes[i];
        int outer = 0;

        if (!node_is_part(n))
            continue;
        if (n->over == OVER_ALL) {
            end_sum(r, i);
        } else {
            outer = open_cols(r);
            put(r, "for (ptrdiff_t x = 0; x < %s; x++) {",
                dim_text(r, k->loops[LAST(k)].size));
            r->depth++;
            put(r, "const %s v%u = %s;", c_value((wf_dtype)n->dtype), i,
                c_cast(r->c, kept(n), (wf_dtype)n->dtype,
                       arena_printf(r->c->a, "s%u[%s]", i, place_in_row(r))));
        }
        for (uint32_t j = 0; j < k->p->nout; j++)
            if (k->outs[j].node == i)
                store(r, &k->outs[j], arena_printf(r->c->a, "v%u", i));
        close_loops(r, n->over == OVER_ALL ? 0 : outer + 1);
    }
}

static void write_loops(CRender *r)
{
    const Kernel *k = r->k;

    for (uint32_t i = 0; i < k->nnodes; i++)
        if (node_is_part(&k->nodes[i]) && k->nodes[i].over == OVER_ALL)
            start_sum(r, i);
    start_columns(r);
    define_level(r, LEVEL_ONCE, 0);
    for (uint32_t l = 0; l < k->nrows; l++) {
        put(r, "for (ptrdiff_t i%u = 0; i%u < %s; i%u++) {", l, l,
            dim_text(r, k->loops[l].size), l);
        r->depth++;
    }
    for (uint32_t stage = 0; stage < k->nstages; stage++) {
        if (stage)
            define_level(r, LEVEL_ONCE, stage);
        define_level(r, LEVEL_ROW, stage);
        write_walk(r, stage);
    }
    add_rows(r);
    for (uint32_t j = 0; j < k->p->nout; j++)
        if (!node_is_part(&k->nodes[k->outs[j].node]) &&
            !kernel_out_is_each(k, &k->outs[j]))
            store(r, &k->outs[j], arg_text(r, k->outs[j].node));
    close_loops(r, (int)k->nrows);
    end_parts(r);
}

/* ---- programs of scalars ------------------------------------------------------------ */

typedef struct Scalars { /* the values of a program, as C */
    const Program *p;
    const char **v;
} Scalars;

static void scalar_eqns(CRender *r, Scalars *n, uint32_t *tags);

static Scalars scalars_new(CRender *r, const Program *p)
{
    return (Scalars){p, arena_zalloc(r->c->a, (p->nvals + 1) * sizeof(char *))};
}

static const char *new_scalar(CRender *r, uint32_t *tags)
{
    return arena_printf(r->c->a, "v%u", (*tags)++);
}

static void scalar_while(CRender *r, Scalars *n, const Eqn *e, uint32_t *tags)
{
    const WhileAttr *a = e->attr;
    const Val *in = eqn_in(n->p, e);
    uint32_t nc = (uint32_t)a->ncond, nb = (uint32_t)a->nbody;
    Scalars cond = scalars_new(r, a->cond.p), body = scalars_new(r, a->body.p);
    const char **next = arena_array(r->c->a, e->nout + 1u, sizeof *next);

    for (uint32_t i = 0; i < e->nout; i++) {
        n->v[e->out + i] = new_scalar(r, tags);
        put(r, "%s %s = %s;", c_value((wf_dtype)val_type(n->p, e->out + i).dtype),
            n->v[e->out + i], n->v[in[nc + nb + i]]);
    }
    for (uint32_t i = 0; i < nc; i++)
        cond.v[i + 1] = n->v[in[i]];
    for (uint32_t i = 0; i < nb; i++)
        body.v[i + 1] = n->v[in[nc + i]];
    for (uint32_t i = 0; i < e->nout; i++)
        cond.v[nc + i + 1] = body.v[nb + i + 1] = n->v[e->out + i];
    put(r, "for (;;) {");
    r->depth++;
    scalar_eqns(r, &cond, tags);
    put(r, "if (!%s)", cond.v[a->cond.p->outs[0]]);
    put(r, "    break;");
    scalar_eqns(r, &body, tags);
    for (uint32_t i = 0; i < e->nout; i++) { /* all carries change at once */
        next[i] = new_scalar(r, tags);
        put(r, "const %s %s = %s;", c_value((wf_dtype)val_type(n->p, e->out + i).dtype),
            next[i], body.v[a->body.p->outs[i]]);
    }
    for (uint32_t i = 0; i < e->nout; i++)
        put(r, "%s = %s;", n->v[e->out + i], next[i]);
    r->depth--;
    put(r, "}");
}

static void scalar_eqn(CRender *r, Scalars *n, const Eqn *e, uint32_t *tags)
{
    const Val *in = eqn_in(n->p, e);
    wf_dtype *types = arena_array(r->c->a, e->nin + 1u, sizeof *types);
    wf_dtype t = (wf_dtype)val_type(n->p, e->out).dtype;
    const char **args = arena_array(r->c->a, e->nin + 1u, sizeof *args);

    if (e->op == OP_while) {
        scalar_while(r, n, e, tags);
        return;
    }
    if (e->op == OP_const) {
        n->v[e->out] = c_literal(r->c->a, t, ((const ConstAttr *)e->attr)->data->data);
        return;
    }
    if (fuse_kind(r->k->target, n->p, e) == FUSE_INDEX) {
        n->v[e->out] = n->v[in[0]];
        return;
    }
    for (uint32_t i = 0; i < e->nin; i++) {
        types[i] = (wf_dtype)val_type(n->p, in[i]).dtype;
        args[i] = n->v[in[i]];
    }
    n->v[e->out] = new_scalar(r, tags);
    put(r, "const %s %s = %s;", c_value(t), n->v[e->out],
        c_map(r->c, e->op, t, types, args, e->nin));
}

static void scalar_eqns(CRender *r, Scalars *n, uint32_t *tags)
{
    for (uint32_t i = 0; i < n->p->neqns; i++)
        scalar_eqn(r, n, &n->p->eqns[i], tags);
}

/* Inputs that are used, then the rest. */
static void write_scalars(CRender *r)
{
    const Program *p = r->k->p;
    Scalars n = scalars_new(r, p);
    uint32_t tags = p->nin;
    Text rest;

    for (uint32_t i = 0; i < p->nin; i++)
        n.v[i + 1] = arena_printf(r->c->a, "v%u", i);
    scalar_eqns(r, &n, &tags);
    for (uint32_t j = 0; j < p->nout; j++)
        put(r, "a%u[0] = %s;", p->nin + j,
            c_store(r->c, (wf_dtype)val_type(p, p->outs[j]).dtype, n.v[p->outs[j]]));
    rest = r->t;
    text_init(&r->t, r->c->a);
    for (uint32_t i = 0; i < p->nin; i++) {
        wf_dtype t = (wf_dtype)val_type(p, i + 1).dtype;

        if (c_mentions(text_str(&rest), n.v[i + 1]))
            put(r, "const %s %s = %s;", c_value(t), n.v[i + 1],
                c_load(r->c, t, arena_printf(r->c->a, "a%u[0]", i)));
    }
    text_add(&r->t, text_str(&rest));
}

/* ---- a kernel ---------------------------------------------------------------------- */

/* Arguments that the body does not name would be warned about. */
static void write_unused(CRender *r, const char *body, Text *out)
{
    const Program *p = r->k->p;

    for (uint32_t i = 0; i < p->nin + p->nout; i++) {
        const char *name = arena_printf(r->c->a, "a%u", i);

        if (!c_mentions(body, name))
            text_printf(out, "    (void)%s;\n", name);
    }
    for (uint32_t i = 0; i < r->k->nparams; i++) {
        const char *name = arena_printf(r->c->a, "d%u", i);

        if (!c_mentions(body, name))
            text_printf(out, "    (void)%s;\n", name);
    }
}

static void write_head(CRender *r, const char *name, Text *out)
{
    const Program *p = r->k->p;
    uint32_t n = 0;

    text_add(out, "/* ");
    for (uint32_t i = 0; i < p->neqns; i++)
        if (!op_has(p->eqns[i].op, OPF_VIEW | OPF_SAME) && p->eqns[i].op != OP_const)
            text_printf(out, "%s%s", n++ ? n % 12 == 1 ? "\n * " : " " : "",
                        op_name(p->eqns[i].op));
    text_printf(out, " */\nWX_HOT static void %s(", name);
    for (uint32_t i = 0; i < p->nin; i++)
        text_printf(out, "%sconst %s *a%u", i ? ", " : "",
                    c_type((wf_dtype)val_type(p, i + 1).dtype), i);
    for (uint32_t j = 0; j < p->nout; j++)
        text_printf(out, "%s%s *a%u", p->nin + j ? ", " : "",
                    c_type((wf_dtype)val_type(p, p->outs[j]).dtype), p->nin + j);
    if (c_kernel_buffers(r->k))
        text_add(out, ", unsigned char *tmp");
    for (uint32_t i = 0; i < r->k->nparams; i++)
        text_printf(out, ", ptrdiff_t d%u", i);
    text_add(out, ")\n{\n");
}

static void find_used(CRender *r)
{
    const Kernel *k = r->k;

    r->used = arena_zalloc(r->c->a, k->nnodes + 1);
    for (uint32_t i = 0; i < k->nnodes; i++)
        for (uint32_t j = 0; j < k->nodes[i].nin; j++)
            r->used[k->nodes[i].in[j]] = true;
    for (uint32_t j = 0; !k->scalar && j < k->p->nout; j++)
        r->used[k->outs[j].node] = true;
}

const char *c_kernel(CFile *c, const Kernel *k, const char *wish)
{
    CRender r = {.c = c, .k = k->code, .depth = 1, .x = "x"};
    const char *name;
    Text head;

    k = k->code;
    for (uint32_t i = 0; i < c->kernels.n; i++)
        if (c->kernels.v[i].code == k)
            return c->kernels.v[i].name;
    name = c_unique(c->a, &c->names, wish);
    vec_push(c->a, &c->kernels, ((KernelName){k, name}));
    text_init(&r.t, c->a);
    text_init(&head, c->a);
    find_used(&r);
    if (k->scalar) {
        write_scalars(&r);
    } else {
        point_to_buffers(&r);
        write_loops(&r);
    }
    write_head(&r, name, &head);
    write_unused(&r, text_str(&r.t), &head);
    text_printf(&c->functions, "%s%s}\n\n", text_str(&head), text_str(&r.t));
    return name;
}
