/* render.c -- kernels as C.
 *
 *   void wk7(const WkArgs *k, int64_t begin, int64_t end)
 *       arrays, partial results set to the identity, what is computed once
 *       for each unit of work: a row, or a block of one (FORM_MAP)
 *           what is computed once a row
 *           a walk over the row, vector by vector; the last one not full
 *           reductions folded; what depends on them; the next walk ..
 *       partial results to memory
 *   void wk7_end(const WkArgs *k, int64_t n)
 *       partial results of n tasks joined in order, and stored
 *
 * Names: a<i> arrays, v<i> nodes, s<i>_<u> sums in registers, S<i> in memory, b<i> row
 * buffers, i<l> loop indices, j the vector loop's.
 */
#include "codegen/render.h"

#define LAST(k) ((k)->nloops - 1)

/* ---- names and sizes --------------------------------------------------------------- */

const char *render_dim(Render *r, Dim d)
{
    uint32_t i = 0;

    if (d >= 0)
        return arena_printf(r->a, "%lld", (long long)d);
    while (r->k->params[i] != d)
        i++;
    return arena_printf(r->a, "d%u", i);
}

static const char *node_name(const Render *r, uint32_t n)
{
    return arena_printf(r->a, "v%u", n);
}

static void indent(Render *r, int depth)
{
    for (int i = 0; i < depth; i++)
        text_add(r->t, "    ");
}

static bool unit_dim(Dim d) { return d == 1; }

/* "a3 + 4 * i0 + .." without the part of the loop that vectors are taken along */
const char *render_address(Render *r, const Access *at)
{
    Text t;

    text_init(&t, r->a);
    text_printf(&t, "a%u", at->array);
    if (at->offset)
        text_printf(&t, " + %s", render_dim(r, at->offset));
    for (uint32_t l = 0; l < r->k->nloops; l++) {
        if (!at->stride[l] || l == r->vec)
            continue;
        if (unit_dim(at->stride[l]))
            text_printf(&t, " + i%u", l);
        else
            text_printf(&t, " + %s * i%u", render_dim(r, at->stride[l]), l);
    }
    return text_str(&t);
}

/* The place of the element in a row, for row buffers. */
static const char *place_in_row(Render *r)
{
    const Kernel *k = r->k;
    Text t;

    text_init(&t, r->a);
    for (uint32_t l = k->nrows; l < LAST(k); l++) {
        text_printf(&t, "i%u", l);
        for (uint32_t n = l + 1; n < k->nloops; n++)
            text_printf(&t, " * %s", render_dim(r, k->loops[n].size));
        text_add(&t, " + ");
    }
    text_add(&t, "x");
    return text_str(&t);
}

static const char *cols_text(Render *r)
{
    const Kernel *k = r->k;
    Text t;

    text_init(&t, r->a);
    for (uint32_t l = k->nrows; l < k->nloops; l++)
        text_printf(&t, "%s%s", l > k->nrows ? " * " : "", render_dim(r, k->loops[l].size));
    return text_str(&t);
}

/* ---- values ------------------------------------------------------------------------ */

/* From `at` on, which is known by row: a vector along the vector loop. */
static void render_load_at(Render *r, const Node *n, const char *at)
{
    const char *name = wf_dtype_name((wf_dtype)n->dtype);
    Dim step = n->at.stride[r->vec];

    if (!step)
        text_printf(r->t, "%c_splat_%s((%s)[0])", r->set, name, at);
    else if (unit_dim(step))
        text_printf(r->t, "%c_ld_%s(%s + x, m)", r->set, name, at);
    else
        text_printf(r->t, "%c_lds_%s(%s + %s * x, %s, m)", r->set, name, at,
                    render_dim(r, step), render_dim(r, step));
}

/* A row by number: of one number for all lanes, or of one for each. */
static void render_gather(Render *r, const Node *n)
{
    const Node *i = &r->k->nodes[n->in[0]];
    const char *name = wf_dtype_name((wf_dtype)n->dtype), *at = render_address(r, &n->at),
               *index = wf_dtype_name((wf_dtype)i->dtype), *bound = render_dim(r, n->bound),
               *step = render_dim(r, n->at.stride[r->vec]);
    const char *row = arena_printf(r->a, "(int64_t)%c_first_%s(v%u), %s", r->set, index,
                                   n->in[0], bound);

    if (!r->narrow && !(i->kind != NODE_REDUCE && i->level == LEVEL_EACH)) {
        if (n->fill)
            text_printf(r->t, "wk_inside(%s) ? ", row);
        render_load_at(r, n,
                       arena_printf(r->a, "%s + %s * wk_clip(%s)", at,
                                    render_dim(r, n->step), row));
        if (n->fill) {
            text_add(r->t, " : ");
            render_const(r, (wf_dtype)n->dtype, n->bits);
        }
        return;
    }
    if (n->fill)
        text_printf(r->t, "%c_select_%s(%c_inside_%s(v%u, %s), ", r->set, name, r->set,
                    index, n->in[0], bound);
    text_printf(r->t, "%c_gat_%s(%s, %c_at_%s(v%u, %s, %s, %s * x, %s), m)", r->set, name,
                at, r->set, index, n->in[0], bound, render_dim(r, n->step), step, step);
    if (n->fill) {
        text_add(r->t, ", ");
        render_const(r, (wf_dtype)n->dtype, n->bits);
        text_char(r->t, ')');
    }
}

static void render_load(Render *r, const Node *n)
{
    if (n->nin)
        render_gather(r, n);
    else
        render_load_at(r, n, render_address(r, &n->at));
}

static void render_iota(Render *r, const Node *n)
{
    const char *name = wf_dtype_name(kept_dtype((wf_dtype)n->dtype));
    bool half = kept_dtype((wf_dtype)n->dtype) != n->dtype;
    Dim step = n->at.stride[r->vec];

    if (half)
        text_printf(r->t, "%c_narrow_%s(", r->set, wf_dtype_name((wf_dtype)n->dtype));
    text_printf(r->t, "%c_iota_%s(%s", r->set, name, render_dim(r, n->at.offset));
    for (uint32_t l = 0; l < r->k->nloops; l++)
        if (n->at.stride[l] && l != r->vec)
            text_printf(r->t, " + %s * i%u", render_dim(r, n->at.stride[l]), l);
    if (step)
        text_printf(r->t, " + %s * x", render_dim(r, step));
    text_printf(r->t, ", %s)%s", render_dim(r, step), half ? ")" : "");
}

/* ---- bounds that are known --------------------------------------------------------- */

/* Is operand `which` of n a finite f32 that is known? */
static bool has_known(const Render *r, const Node *n, uint32_t which, double *out)
{
    const Node *c = &r->k->nodes[n->in[which]];

    if (c->kind != NODE_CONST || c->dtype != WF_F32)
        return false;
    *out = element_as_f64(WF_F32, &c->bits);
    return *out - *out == 0;
}

/* The smaller or larger of a value and a number that is known, not 0 for `min`: one instruction, or two. */
static bool render_bound(const Render *r, const Node *n)
{
    uint32_t at;
    double c;

    if (n->kind != NODE_MAP || (n->op != OP_max && n->op != OP_min) || n->dtype != WF_F32)
        return false;
    for (at = 0; at < 2 && !has_known(r, n, at, &c);)
        at++;
    if (at == 2 || (c == 0 && n->op == OP_min))
        return false;
    text_printf(r->t, "%c_%s_f32(v%u, v%u)", r->set, n->op == OP_min ? "at_most" : c == 0 ? "not_below_0" : "at_least",
                n->in[!at], n->in[at]);
    return true;
}

/* Is n the bound `op` of a value of its own walk? */
static bool is_bound(const Render *r, const Node *n, const Node *of, unsigned op, double *out, uint32_t *x)
{
    for (uint32_t i = 0; i < 2 && n->kind == NODE_MAP && n->op == op && n->stage == of->stage && n->level == of->level; i++)
        if (has_known(r, n, i, out)) {
            *x = n->in[!i];
            return true;
        }
    return false;
}

/* A cast to 8 bits of what two bounds keep within them: no need of bounds of its own. */
static bool render_rounded(const Render *r, const Node *n)
{
    const Node *outer = n->nin == 1 ? &r->k->nodes[n->in[0]] : NULL;
    double lo, hi, least = n->dtype == WF_U8 ? 0 : -128, most = n->dtype == WF_U8 ? 255 : 127;
    uint32_t x;

    if (n->kind != NODE_MAP || n->op != OP_cast || (n->dtype != WF_U8 && n->dtype != WF_I8) || outer->dtype != WF_F32 ||
        n->level != LEVEL_EACH)
        return false;
    if (!(is_bound(r, outer, n, OP_min, &hi, &x) && is_bound(r, &r->k->nodes[x], n, OP_max, &lo, &x)) &&
        !(is_bound(r, outer, n, OP_max, &lo, &x) && is_bound(r, &r->k->nodes[x], n, OP_min, &hi, &x)))
        return false;
    if (!(lo <= hi && lo >= least && hi <= most && lo == (int)lo && hi == (int)hi))
        return false;
    text_printf(r->t, "TO_BYTES(%c, %s, v%u, %d.0f, %d.0f)", r->set, wf_dtype_name((wf_dtype)n->dtype), x, (int)lo, (int)hi);
    return true;
}

static void render_value(Render *r, const Node *n)
{
    wf_dtype *in = arena_array(r->a, n->nin + 1u, sizeof *in);
    const char **args = arena_array(r->a, n->nin + 1u, sizeof *args);

    switch (n->kind) {
    case NODE_LOAD: render_load(r, n); return;
    case NODE_CONST: render_const(r, (wf_dtype)n->dtype, n->bits); return;
    case NODE_IOTA: render_iota(r, n); return;
    case NODE_DIM:
        text_printf(r->t, "%c_splat_i64(%s)", r->set, render_dim(r, n->dim));
        return;
    default: break;
    }
    if (r->k->target->vector && (render_bound(r, n) || render_rounded(r, n)))
        return;
    for (uint32_t i = 0; i < n->nin; i++) {
        in[i] = (wf_dtype)r->k->nodes[n->in[i]].dtype;
        args[i] = node_name(r, n->in[i]);
    }
    render_map(r, n->op, (wf_dtype)n->dtype, in, args, n->nin);
}

/* x / y for each x, y known by row, as a product with its reciprocal: to 1.5 ulp. */
static bool is_by_reciprocal(const Render *r, const Node *n)
{
    const Kernel *k = r->k;

    return !k->exact && !r->narrow && n->kind == NODE_MAP && n->op == OP_div &&
           n->level == LEVEL_EACH && (n->dtype == WF_F32 || n->dtype == WF_F64) &&
           k->nodes[n->in[1]].kind != NODE_CONST &&
           (k->nodes[n->in[1]].kind == NODE_REDUCE ||
            k->nodes[n->in[1]].level != LEVEL_EACH);
}

/* The reciprocal of a node, where some division wants it; and whether it can be used. */
void define_reciprocal(Render *r, int depth, uint32_t i)
{
    const Kernel *k = r->k;
    const char *type = lane_type(r, (wf_dtype)k->nodes[i].dtype);

    for (uint32_t j = i + 1; j < k->nnodes; j++) {
        if (!is_by_reciprocal(r, &k->nodes[j]) || k->nodes[j].in[1] != i)
            continue;
        indent(r, depth);
        text_printf(r->t, "const %s r%u = 1 / v%u;\n", type, i, i);
        indent(r, depth);
        text_printf(r->t, "const int ok%u = wk_usable((double)%c_first_%s(r%u));\n", i,
                    r->set, wf_dtype_name((wf_dtype)k->nodes[i].dtype), i);
        return;
    }
}

/* s_u32 v7[2]; s_threefry2x32_u32(v7, v1, v2, v3, v4); */
static void define_results(Render *r, uint32_t i)
{
    const Node *n = &r->k->nodes[i];

    text_printf(r->t, "%s v%u[%u]; ", lane_type(r, (wf_dtype)n->dtype), i, n->nout);
    text_printf(r->t, "%c_%s_%s(v%u", r->set, op_name(n->op),
                wf_dtype_name((wf_dtype)n->dtype), i);
    for (uint32_t j = 0; j < n->nin; j++)
        text_printf(r->t, ", v%u", n->in[j]);
    text_add(r->t, ");\n");
}

void define_node(Render *r, int depth, uint32_t i)
{
    const Node *n = &r->k->nodes[i];

    if (is_by_reciprocal(r, n)) {
        uint32_t x = n->in[0], y = n->in[1];

        indent(r, depth);
        text_printf(r->t, "const %s v%u = ok%u ? v%u * r%u : v%u / v%u;\n",
                    lane_type(r, (wf_dtype)n->dtype), i, y, x, y, x, y);
        return;
    }
    indent(r, depth);
    if (n->kind == NODE_MAP && n->nout > 1) {
        define_results(r, i);
        return;
    }
    text_printf(r->t, "const %s v%u = ", lane_type(r, (wf_dtype)n->dtype), i);
    if (n->kind == NODE_RESULT)
        text_printf(r->t, "v%u[%u]", n->in[0], n->which);
    else
        render_value(r, n);
    text_add(r->t, ";\n");
}

/* Nodes of a level (ONCE, ROW) known before walk `stage` and not earlier. */
void define_level(Render *r, int depth, NodeLevel level, uint32_t stage)
{
    for (uint32_t i = 0; i < r->k->nnodes; i++) {
        const Node *n = &r->k->nodes[i];

        if (n->kind != NODE_REDUCE && n->level == level && n->stage == stage) {
            define_node(r, depth, i);
            define_reciprocal(r, depth, i);
        }
    }
}

void store_value(Render *r, int depth, const KernelOut *o, const char *v)
{
    wf_dtype t = (wf_dtype)r->k->nodes[o->node].dtype;
    const char *name = wf_dtype_name(t), *at = render_address(r, &o->at);
    Dim step = o->at.stride[r->vec];

    indent(r, depth);
    if (!step)
        text_printf(r->t, "(%s)[0] = %c_first_%s(%s);\n", at, r->set, name, v);
    else if (o->stream)
        text_printf(r->t,
                    "if (w%u && m == %s)\n%*swk_stream(%s + x, %s);\n%*selse\n%*s"
                    "%c_st_%s(%s + x, m, %s);\n",
                    o->at.array, r->set == 's' ? "VFL" : "VDL", 4 * depth + 4, "", at, v,
                    4 * depth, "", 4 * depth + 4, "", r->set, name, at, v);
    else if (unit_dim(step))
        text_printf(r->t, "%c_st_%s(%s + x, m, %s);\n", r->set, name, at, v);
    else
        text_printf(r->t, "%c_sts_%s(%s + %s * x, %s, m, %s);\n", r->set, name, at,
                    render_dim(r, step), render_dim(r, step), v);
}

/* ---- a walk ------------------------------------------------------------------------ */

typedef struct WalkPlan {
    uint32_t stage;
    bool *need; /* nodes computed in it */
    KernelWalk walk;
    bool full; /* what is rendered now takes whole vectors only */
} WalkPlan;

/* False: there is nothing to do. */
static bool plan_walk(Render *r, WalkPlan *w, uint32_t stage)
{
    *w = (WalkPlan){stage, arena_zalloc(r->a, r->k->nnodes + 1), r->k->walks[stage], false};
    return kernel_walk_needs(r->k, stage, w->need);
}

static void start_sums(Render *r, int depth, const WalkPlan *w)
{
    const Kernel *k = r->k;

    for (uint32_t i = 0; i < k->nnodes; i++) {
        const Node *n = &k->nodes[i];

        if (!node_reduces_in(n, w->stage) || n->over != OVER_COLS)
            continue;
        for (int u = 0; u < w->walk.unroll; u++) {
            indent(r, depth);
            text_printf(r->t, "%s s%u_%d = ", lane_type(r, (wf_dtype)n->dtype), i, u);
            render_identity(r, n->op, (wf_dtype)n->dtype);
            text_add(r->t, ";\n");
        }
    }
}

static void add_to_sum(Render *r, int depth, const WalkPlan *w, uint32_t i, int u)
{
    const Node *n = &r->k->nodes[i];
    wf_dtype t = kept_dtype((wf_dtype)n->dtype);
    const char *v = node_name(r, n->in[0]);
    const char *s = n->over == OVER_ROWS
                        ? arena_printf(r->a, "%c_ld_%s(S%u + %s, m)", r->set,
                                       wf_dtype_name(t), i, place_in_row(r))
                        : arena_printf(r->a, "s%u_%d", i, u);

    indent(r, depth);
    if (n->over == OVER_ROWS) {
        text_printf(r->t, "%c_st_%s(S%u + %s, m, ", r->set, wf_dtype_name(t), i,
                    place_in_row(r));
        render_combine(r, n->op, t, s, v);
        text_add(r->t, ");\n");
        return;
    }
    text_printf(r->t, "%s = ", s);
    if (!w->full)
        text_printf(r->t, "%c_select_%s(in, ", r->set, wf_dtype_name(t));
    render_combine(r, n->op, t, s, v);
    text_printf(r->t, "%s;\n", w->full ? "" : arena_printf(r->a, ", %s)", s));
}

static void walk_node(Render *r, int depth, const WalkPlan *w, uint32_t i)
{
    const Node *n = &r->k->nodes[i];
    const char *name = wf_dtype_name(kept_dtype((wf_dtype)n->dtype));

    if (n->saved >= 0 && n->stage < w->stage) {
        indent(r, depth);
        text_printf(r->t, "const %s v%u = %c_ld_%s(b%d + %s, m);\n",
                    lane_type(r, (wf_dtype)n->dtype), i, r->set, name, n->saved,
                    place_in_row(r));
        return;
    }
    define_node(r, depth, i);
    if (n->saved >= 0) {
        indent(r, depth);
        text_printf(r->t, "%c_st_%s(b%d + %s, m, v%u);\n", r->set, name, n->saved,
                    place_in_row(r), i);
    }
}

/* The same place of the next row, or of the next piece of a product, while this one is computed. */
static void fetch_rows(Render *r, int depth, const WalkPlan *w)
{
    const Kernel *k = r->k;

    for (uint32_t i = 0; i < k->nnodes; i++) {
        const Node *n = &k->nodes[i];

        if (!w->need[i] || n->stage != w->stage || !n->fetch)
            continue;
        indent(r, depth);
        text_printf(r->t, "__builtin_prefetch(%s + %s + x);\n", render_address(r, &n->at),
                    k->product ? "(j1 - j0)" : render_dim(r, n->at.stride[LAST(k) - 1]));
    }
}

/* Is the result the product itself, where it lies? */
static bool is_there(const Kernel *k, const KernelOut *o)
{
    const Node *n = &k->nodes[o->node];

    return k->product && n->kind == NODE_LOAD && n->at.array == o->at.array;
}

static void walk_body(Render *r, int depth, const WalkPlan *w, int u)
{
    const Kernel *k = r->k;

    indent(r, depth);
    text_printf(r->t, "const int64_t x = j + %d;\n", u * r->lanes);
    indent(r, depth);
    if (w->full)
        text_printf(r->t, "const int m = %d;\n", r->lanes);
    else
        text_printf(r->t, "const int m = wk_left(j1 - x, %d);\n", r->lanes);
    for (uint32_t i = 0; i < k->nnodes; i++)
        if (node_reduces_in(&k->nodes[i], w->stage) && !w->full &&
            k->nodes[i].over != OVER_ROWS) {
            indent(r, depth);
            text_printf(r->t, "const %c_b in = %c_lanes(m);\n", r->set, r->set);
            break;
        }
    fetch_rows(r, depth, w);
    for (uint32_t i = 0; i < k->nnodes; i++)
        if (w->need[i])
            walk_node(r, depth, w, i);
        else if (node_reduces_in(&k->nodes[i], w->stage))
            add_to_sum(r, depth, w, i, u);
    for (uint32_t j = 0; j < k->p->nout; j++) {
        const KernelOut *o = &k->outs[j];

        if (kernel_stores_in(k, o, w->stage) && !is_there(k, o))
            store_value(r, depth, o, node_name(r, o->node));
    }
}

static void end_sums(Render *r, int depth, const WalkPlan *w)
{
    const Kernel *k = r->k;

    for (uint32_t i = 0; i < k->nnodes; i++) {
        const Node *n = &k->nodes[i];
        wf_dtype t = kept_dtype((wf_dtype)n->dtype);

        if (!node_reduces_in(n, w->stage) || n->over != OVER_COLS)
            continue;
        for (int step = w->walk.unroll / 2; step; step /= 2)
            for (int u = 0; u < step; u++) {
                const char *x = arena_printf(r->a, "s%u_%d", i, u);

                indent(r, depth);
                text_printf(r->t, "%s = ", x);
                render_combine(r, n->op, t, x, arena_printf(r->a, "s%u_%d", i, u + step));
                text_add(r->t, ";\n");
            }
        indent(r, depth);
        text_printf(r->t, "const %s v%u = ", lane_type(r, t), i);
        if (t != n->dtype)
            text_printf(r->t, "%c_narrow_%s(", r->set, wf_dtype_name((wf_dtype)n->dtype));
        text_printf(r->t, "%c_fold_%s_%s(s%u_0)%s;\n", r->set, op_name(n->op),
                    wf_dtype_name(t), i, t != n->dtype ? ")" : "");
        define_reciprocal(r, depth, i);
    }
}

/* Loops over the columns but for the vector loop; gives the depth inside. */
static int open_col_loops(Render *r, int depth)
{
    const Kernel *k = r->k;

    for (uint32_t l = k->nrows; l < LAST(k); l++) {
        indent(r, depth++);
        text_printf(r->t, "for (int64_t i%u = 0; i%u < %s; i%u++) {\n", l, l,
                    render_dim(r, k->loops[l].size), l);
    }
    return depth;
}

static void close_loops(Render *r, int depth, int until)
{
    while (depth > until) {
        indent(r, --depth);
        text_add(r->t, "}\n");
    }
}

/* The vector loop: of whole vectors, `unroll` at a time; or of the rest. */
static void vector_loop(Render *r, int depth, const WalkPlan *w, bool main_loop)
{
    int unroll = main_loop ? w->walk.unroll : 1;
    const char *from = w->walk.apart ? "" : "int64_t j = j0";

    indent(r, depth);
    if (main_loop && w->walk.apart)
        text_printf(r->t, "for (; j + %d <= j1; j += %d) {\n", unroll * r->lanes,
                    unroll * r->lanes);
    else
        text_printf(r->t, "for (%s; j < j1; j += %d) {\n", from, unroll * r->lanes);
    for (int u = 0; u < unroll; u++) {
        if (unroll > 1) {
            indent(r, depth + 1);
            text_add(r->t, "{\n");
        }
        walk_body(r, depth + 1 + (unroll > 1), w, u);
        if (unroll > 1) {
            indent(r, depth + 1);
            text_add(r->t, "}\n");
        }
    }
    indent(r, depth);
    text_add(r->t, "}\n");
}

static void render_walk(Render *r, int depth, uint32_t stage)
{
    WalkPlan w;
    int inner;

    if (!plan_walk(r, &w, stage))
        return;
    start_sums(r, depth, &w);
    inner = open_col_loops(r, depth);
    if (w.walk.apart && inner == depth) {
        indent(r, inner++);
        text_add(r->t, "{\n");
    }
    if (w.walk.apart) {
        indent(r, inner);
        text_add(r->t, "int64_t j = j0;\n");
    }
    w.full = w.walk.apart || w.walk.whole;
    vector_loop(r, inner, &w, true);
    if (w.walk.apart) {
        w.full = w.walk.whole;
        vector_loop(r, inner, &w, false);
    }
    close_loops(r, inner, depth);
    end_sums(r, depth, &w);
}

/* ---- partial results --------------------------------------------------------------- */

/* In registers: as many as the walk is unrolled, which is known from the walk alone. */
static int part_registers(Render *r, const Node *n)
{
    if (n->over == OVER_ROWS || n->level != LEVEL_EACH)
        return n->over == OVER_ROWS ? 0 : 1;
    return r->k->walks[n->stage].unroll;
}

void point_to_parts(Render *r)
{
    const Kernel *k = r->k;

    if (!k->parts)
        return;
    text_add(r->t, "    char *acc = k->acc;\n");
    for (uint32_t i = 0; i < k->nnodes; i++) {
        const Node *n = &k->nodes[i];
        wf_dtype t = kept_dtype((wf_dtype)n->dtype);

        if (!node_is_part(n))
            continue;
        text_printf(r->t, "    %s *S%u = (%s *)acc;\n", render_type(t), i, render_type(t));
        text_printf(r->t, "    acc += (%s * (int64_t)sizeof *S%u + 63) & ~(int64_t)63;\n",
                    n->over == OVER_ALL ? "1" : cols_text(r), i);
    }
}

static void start_parts(Render *r)
{
    const Kernel *k = r->k;

    for (uint32_t i = 0; i < k->nnodes; i++) {
        const Node *n = &k->nodes[i];
        wf_dtype t = kept_dtype((wf_dtype)n->dtype);

        if (!node_is_part(n))
            continue;
        if (n->over == OVER_ROWS) {
            text_printf(r->t, "    for (int64_t x = 0; x < %s; x += %d)\n        ",
                        cols_text(r), r->lanes);
            text_printf(r->t, "%c_st_%s(S%u + x, wk_left(%s - x, %d), ", r->set,
                        wf_dtype_name(t), i, cols_text(r), r->lanes);
            render_identity(r, n->op, t);
            text_add(r->t, ");\n");
            continue;
        }
        for (int u = 0; u < part_registers(r, n); u++) {
            text_printf(r->t, "    %s s%u_%d = ", lane_type(r, t), i, u);
            render_identity(r, n->op, t);
            text_add(r->t, ";\n");
        }
    }
}

/* Sums of what is known by row. */
static void add_rows_to_parts(Render *r, int depth)
{
    const Kernel *k = r->k;

    for (uint32_t i = 0; i < k->nnodes; i++) {
        const Node *n = &k->nodes[i];
        const char *s = arena_printf(r->a, "s%u_0", i);

        if (!node_is_part(n) || n->level == LEVEL_EACH)
            continue;
        indent(r, depth);
        text_printf(r->t, "%s = ", s);
        render_combine(r, n->op, (wf_dtype)n->dtype, s, node_name(r, n->in[0]));
        text_add(r->t, ";\n");
    }
}

static void end_parts(Render *r)
{
    const Kernel *k = r->k;

    for (uint32_t i = 0; i < k->nnodes; i++) {
        const Node *n = &k->nodes[i];
        wf_dtype t = kept_dtype((wf_dtype)n->dtype);
        int regs;

        if (!node_is_part(n) || n->over != OVER_ALL)
            continue;
        regs = part_registers(r, n);
        for (int u = 1; u < regs; u++) {
            text_printf(r->t, "    s%u_0 = ", i);
            render_combine(r, n->op, t, arena_printf(r->a, "s%u_0", i),
                           arena_printf(r->a, "s%u_%d", i, u));
            text_add(r->t, ";\n");
        }
        if (n->level == LEVEL_EACH)
            text_printf(r->t, "    S%u[0] = %c_first_%s(%c_fold_%s_%s(s%u_0));\n", i,
                        r->set, wf_dtype_name(t), r->set, op_name(n->op),
                        wf_dtype_name(t), i);
        else
            text_printf(r->t, "    S%u[0] = %c_first_%s(s%u_0);\n", i, r->set,
                        wf_dtype_name(t), i);
    }
}

/* ---- functions --------------------------------------------------------------------- */

static void point_to_params(Render *r)
{
    for (uint32_t i = 0; i < r->k->nparams; i++)
        text_printf(r->t, "    const int64_t d%u = k->d[%u];\n", i, i);
}

void point_to_arrays(Render *r)
{
    const Program *p = r->k->p;

    point_to_params(r);
    for (uint32_t i = 0; i < p->nin; i++) {
        const char *type = render_type((wf_dtype)val_type(p, i + 1).dtype);

        text_printf(r->t, "    const %s *const a%u = k->p[%u];\n", type, i, i);
    }
    for (uint32_t j = 0; j < p->nout; j++) {
        const char *type = render_type((wf_dtype)val_type(p, p->outs[j]).dtype);

        text_printf(r->t, "    %s *const a%u = k->p[%u];\n", type, p->nin + j,
                    p->nin + j);
        if (r->k->outs[j].stream)
            text_printf(r->t, "    const int w%u = ((uintptr_t)a%u & 63) == 0;\n",
                        p->nin + j, p->nin + j);
    }
}

static void point_to_buffers(Render *r)
{
    const Kernel *k = r->k;

    if (!k->nsaved)
        return;
    text_add(r->t, "    char *tmp = k->tmp;\n");
    for (uint32_t i = 0; i < k->nnodes; i++) {
        const Node *n = &k->nodes[i];
        const char *type = render_type(kept_dtype((wf_dtype)n->dtype));

        if (n->saved < 0)
            continue;
        text_printf(r->t, "    %s *const b%d = (%s *)tmp;\n", type, n->saved, type);
        text_printf(r->t, "    tmp += (%s * (int64_t)sizeof *b%d + 63) & ~(int64_t)63;\n",
                    cols_text(r), n->saved);
    }
}

/* Which row, and which part of it, unit u is. */
static void open_unit(Render *r)
{
    const Kernel *k = r->k;
    const char *size = render_dim(r, k->loops[LAST(k)].size), *row = "u";
    long long block = (long long)k->target->block;

    text_add(r->t, "    for (int64_t u = begin; u < end; u++) {\n");
    if (k->blocks) {
        text_printf(r->t, "        const int64_t blocks = (%s + %lld) / %lld;\n", size,
                    block - 1, block);
        text_printf(r->t, "        const int64_t j0 = u %% blocks * %lld;\n", block);
        text_printf(r->t, "        const int64_t j1 = wk_least(j0 + %lld, %s);\n", block,
                    size);
        row = "u / blocks";
    } else {
        text_printf(r->t, "        const int64_t j0 = 0, j1 = %s;\n", size);
    }
    if (k->nrows > 1)
        text_printf(r->t, "        int64_t row = %s;\n", row);
    for (uint32_t l = k->nrows; l-- > 0;) {
        const char *from = k->nrows > 1 ? "row" : row;

        if (!l)
            text_printf(r->t, "        const int64_t i0 = %s;\n", from);
        else
            text_printf(r->t,
                        "        const int64_t i%u = row %% %s;\n        row /= %s;\n", l,
                        render_dim(r, k->loops[l].size), render_dim(r, k->loops[l].size));
    }
}

/* A number, of a row or a batch entry, as the indices of its loops. */
static void split_index(Render *r, int depth, TilePart part, const char *from)
{
    const Kernel *k = r->k;
    uint32_t l = 0, end;

    while (l < k->nloops && k->loops[l].tile != part)
        l++;
    for (end = l; end < k->nloops && k->loops[end].tile == part;)
        end++;
    if (l == end)
        return;
    indent(r, depth);
    text_printf(r->t, "int64_t n%d = %s;\n", (int)part, from);
    while (end-- > l) {
        const char *size = render_dim(r, k->loops[end].size);

        indent(r, depth);
        if (end == l)
            text_printf(r->t, "const int64_t i%u = n%d;\n", end, (int)part);
        else
            text_printf(r->t, "const int64_t i%u = n%d %% %s;\n%*sn%d /= %s;\n", end,
                        (int)part, size, 4 * depth, "", (int)part, size);
    }
}

/* What follows a product, on a piece of it; and on whole rows, for products that are not
 * handed out piece by piece. */
static void render_tile(Render *r)
{
    const Kernel *k = r->k;
    uint32_t array = k->p->nin + k->p->nout;
    const char *type = render_type((wf_dtype)val_type(k->p, k->product->out).dtype);
    const char *rows = "";

    text_printf(r->t, "void wk%u_tile(const WkArgs *k, const WkTile *t)\n{\n", k->id);
    point_to_arrays(r);
    split_index(r, 1, TILE_BATCH, "t->batch");
    define_level(r, 1, LEVEL_ONCE, 0);
    text_add(r->t, "    for (int64_t u = 0; u < t->rows; u++) {\n"
                   "        const int64_t j0 = t->col, j1 = t->col + t->cols;\n");
    text_printf(r->t, "        %s *const a%u = (%s *)t->c + (u * t->ld - j0);\n", type,
                array, type);
    split_index(r, 2, TILE_ROW, "t->row + u");
    define_level(r, 2, LEVEL_ROW, 0);
    render_walk(r, 2, 0);
    text_add(r->t, "    }\n}\n\n");
    if (product_is_apart(k->p, k->product)) { /* always handed out */
        text_printf(r->t, "void wk%u(const WkArgs *k, int64_t begin, int64_t end)\n{\n}\n\n", k->id);
        return;
    }
    for (uint32_t l = 0; l < k->nloops; l++)
        if (k->loops[l].tile == TILE_ROW)
            rows = arena_printf(r->a, "%s%s%s", rows, *rows ? " * " : "",
                                render_dim(r, k->loops[l].size));
    text_printf(r->t, "void wk%u(const WkArgs *k, int64_t begin, int64_t end)\n{\n",
                k->id);
    point_to_params(r);
    text_printf(r->t, "    const int64_t rows = %s, cols = %s;\n", *rows ? rows : "1",
                render_dim(r, k->loops[LAST(k)].size));
    text_printf(r->t,
                "    for (int64_t u = begin; u < end; u++) {\n"
                "        const WkTile t = {(%s *)k->p[%u] + u * cols, cols, u %% rows, 0,"
                " 1, cols, u / rows};\n\n"
                "        wk%u_tile(k, &t);\n    }\n}\n\n",
                type, k->p->nin, k->id);
}

static void render_run(Render *r)
{
    const Kernel *k = r->k;

    text_printf(r->t, "%svoid wk%u%s(const WkArgs *k, int64_t begin, int64_t end)\n{\n",
                *k->part ? "static " : "", k->id, k->part);
    point_to_arrays(r);
    point_to_buffers(r);
    point_to_parts(r);
    start_parts(r);
    define_level(r, 1, LEVEL_ONCE, 0);
    open_unit(r);
    for (uint32_t stage = 0; stage < k->nstages; stage++) {
        if (stage)
            define_level(r, 2, LEVEL_ONCE, stage);
        define_level(r, 2, LEVEL_ROW, stage);
        render_walk(r, 2, stage);
    }
    add_rows_to_parts(r, 2);
    for (uint32_t j = 0; j < k->p->nout; j++)
        if (!node_is_part(&k->nodes[k->outs[j].node]) && !kernel_out_is_each(k, &k->outs[j]))
            store_value(r, 2, &k->outs[j], node_name(r, k->outs[j].node));
    text_add(r->t, "    }\n");
    end_parts(r);
    for (uint32_t j = 0; j < k->p->nout; j++)
        if (k->outs[j].stream) {
            text_add(r->t, "    wk_stream_end();\n");
            break;
        }
    text_add(r->t, "}\n\n");
}

static void join_parts(Render *r, int depth, uint32_t i, bool each)
{
    const Node *n = &r->k->nodes[i];
    wf_dtype t = kept_dtype((wf_dtype)n->dtype);
    const char *ld = each ? arena_printf(r->a, "%c_ld_%s(", r->set, wf_dtype_name(t))
                          : arena_printf(r->a, "%c_splat_%s(*", r->set, wf_dtype_name(t));
    const char *at = each ? arena_printf(r->a, " + %s, m)", place_in_row(r)) : ")";
    const char *v = node_name(r, i);

    indent(r, depth);
    text_printf(r->t, "%s %s = %sS%u%s;\n", lane_type(r, t), v, ld, i, at);
    indent(r, depth);
    text_add(r->t, "for (int64_t t = 1; t < n; t++)\n");
    indent(r, depth + 1);
    text_printf(r->t, "%s = ", v);
    render_combine(r, n->op, t, v,
                   arena_printf(r->a, "%s(const %s *)((const char *)S%u + t * part)%s",
                                ld, render_type(t), i, at));
    text_add(r->t, ";\n");
    for (uint32_t j = 0; j < r->k->p->nout; j++)
        if (r->k->outs[j].node == i)
            store_value(r, depth, &r->k->outs[j], v);
}

static void render_end(Render *r)
{
    const Kernel *k = r->k;

    text_printf(r->t, "%svoid wk%u%s_end(const WkArgs *k, int64_t n)\n{\n",
                *k->part ? "static " : "", k->id, k->part);
    point_to_arrays(r);
    point_to_parts(r);
    text_add(r->t, "    const int64_t part = acc - k->acc;\n");
    for (uint32_t i = 0; i < k->nnodes; i++) {
        const Node *x = &k->nodes[i];
        int depth;

        if (!node_is_part(x))
            continue;
        text_add(r->t, "    {\n");
        if (x->over == OVER_ALL) {
            join_parts(r, 2, i, false);
        } else {
            depth = open_col_loops(r, 2);
            indent(r, depth++);
            text_printf(r->t, "for (int64_t x = 0; x < %s; x += %d) {\n",
                        render_dim(r, k->loops[LAST(k)].size), r->lanes);
            indent(r, depth);
            text_printf(r->t, "const int m = wk_left(%s - x, %d);\n",
                        render_dim(r, k->loops[LAST(k)].size), r->lanes);
            join_parts(r, depth, i, true);
            close_loops(r, depth, 2);
        }
        text_add(r->t, "    }\n");
    }
    text_add(r->t, "}\n\n");
}

/* ---- a kernel ------------------------------------------------------------------------- */

void render_kernel(const Kernel *k, Arena *a, Text *out)
{
    Render r = {.k = k,
                .a = a,
                .t = out,
                .set = k->wide ? 'd' : 's',
                .lanes = k->lanes,
                .vec = k->nloops - 1};

    text_add(out, "\n/*\n");
    kernel_print(k, out);
    text_add(out, " */\n");
    if (k->dot)
        render_dot(&r);
    else if (k->straight)
        render_straight(&r);
    else if (k->scalar)
        render_scalar(&r);
    else if (k->product)
        render_tile(&r);
    else if (k->narrow)
        render_narrow(&r);
    else
        render_run(&r);
    if (k->parts)
        render_end(&r);
}
