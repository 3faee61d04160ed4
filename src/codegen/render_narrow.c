/* render_narrow.c -- kernels over rows shorter than a vector: every lane is a row.
 *
 * What is known by row is a vector of rows; reductions over a row are sums of vectors,
 * and no lanes are folded or left empty. A row is walked element by element; what a later
 * walk needs of an earlier one is kept in an array of vectors. Sums over rows are vectors
 * until the end.
 *
 * Names as in render.c, and k<i> kept vectors, S<i>v sums over rows, i1 the element.
 */
#include "codegen/render.h"

static void indent(Render *r, int depth)
{
    for (int i = 0; i < depth; i++)
        text_add(r->t, "    ");
}

/* ---- what is kept from one walk to the next ---------------------------------------- */

static bool is_kept(const Kernel *k, uint32_t i)
{
    const Node *n = &k->nodes[i];

    if (!node_is_each(n) || n->kind == NODE_IOTA)
        return false;
    for (uint32_t u = i + 1; u < k->nnodes; u++)
        for (uint32_t j = 0; j < k->nodes[u].nin; j++)
            if (k->nodes[u].in[j] == i && k->nodes[u].level == LEVEL_EACH &&
                node_walk(&k->nodes[u]) > n->stage)
                return true;
    return false;
}

static void need(const Kernel *k, uint32_t stage, uint32_t i, bool *needed)
{
    const Node *n = &k->nodes[i];

    if (!node_is_each(n) || needed[i])
        return;
    needed[i] = true;
    for (uint32_t j = 0; j < n->nin && !(n->stage < stage && is_kept(k, i)); j++)
        need(k, stage, n->in[j], needed);
}

/* The nodes of a walk; false: there are none. */
static bool plan_walk(const Kernel *k, uint32_t stage, bool *needed)
{
    bool any = false;

    for (uint32_t i = 0; i < k->nnodes; i++) {
        const Node *n = &k->nodes[i];
        bool sums = node_reduces_in(n, stage);

        if (!sums && !(n->stage == stage && is_kept(k, i)))
            continue;
        need(k, stage, sums ? n->in[0] : i, needed);
        any = true;
    }
    for (uint32_t j = 0; j < k->p->nout; j++) {
        const KernelOut *o = &k->outs[j];

        if (!kernel_stores_in(k, o, stage))
            continue;
        need(k, stage, o->node, needed);
        any = true;
    }
    return any;
}

/* ---- a walk ------------------------------------------------------------------------ */

/* s = s op v in the lanes that are rows. */
static void add_to(Render *r, int depth, const char *s, uint32_t i, bool full)
{
    const Node *n = &r->k->nodes[i];
    wf_dtype t = kept_dtype((wf_dtype)n->dtype);
    bool all = full || n->over == OVER_COLS;

    indent(r, depth);
    text_printf(r->t, "%s = ", s);
    if (!all)
        text_printf(r->t, "%c_select_%s(in, ", r->set, wf_dtype_name(t));
    render_combine(r, n->op, t, s, arena_printf(r->a, "v%u", n->in[0]));
    text_printf(r->t, "%s;\n", all ? "" : arena_printf(r->a, ", %s)", s));
}

static void walk_nodes(Render *r, int depth, uint32_t stage, const bool *needed,
                       bool full)
{
    const Kernel *k = r->k;

    for (uint32_t i = 0; i < k->nnodes; i++) {
        const Node *n = &k->nodes[i];

        if (node_reduces_in(n, stage))
            add_to(r, depth,
                   n->over == OVER_ROWS ? arena_printf(r->a, "S%uv[i1]", i)
                                        : arena_printf(r->a, "s%u", i),
                   i, full);
        if (!needed[i])
            continue;
        if (n->stage < stage && is_kept(k, i)) {
            indent(r, depth);
            text_printf(r->t, "const %s v%u = k%u[i1];\n",
                        lane_type(r, (wf_dtype)n->dtype), i, i);
            continue;
        }
        define_node(r, depth, i);
        if (n->stage == stage && is_kept(k, i)) {
            indent(r, depth);
            text_printf(r->t, "k%u[i1] = v%u;\n", i, i);
        }
    }
}

static void render_walk(Render *r, int depth, uint32_t stage, bool full)
{
    const Kernel *k = r->k;
    bool *needed = arena_zalloc(r->a, k->nnodes + 1);

    if (!plan_walk(k, stage, needed))
        return;
    for (uint32_t i = 0; i < k->nnodes; i++) {
        const Node *n = &k->nodes[i];

        if (!node_reduces_in(n, stage) || n->over != OVER_COLS)
            continue;
        indent(r, depth);
        text_printf(r->t, "%s s%u = ", lane_type(r, (wf_dtype)n->dtype), i);
        render_identity(r, n->op, (wf_dtype)n->dtype);
        text_add(r->t, ";\n");
    }
    indent(r, depth);
    text_printf(r->t, "for (int64_t i1 = 0; i1 < %lld; i1++) {\n",
                (long long)k->loops[1].size);
    walk_nodes(r, depth + 1, stage, needed, full);
    for (uint32_t j = 0; j < k->p->nout; j++) {
        const KernelOut *o = &k->outs[j];

        if (kernel_stores_in(k, o, stage))
            store_value(r, depth + 1, o, arena_printf(r->a, "v%u", o->node));
    }
    indent(r, depth);
    text_add(r->t, "}\n");
    for (uint32_t i = 0; i < k->nnodes; i++) {
        const Node *n = &k->nodes[i];
        bool half = kept_dtype((wf_dtype)n->dtype) != n->dtype;

        if (!node_reduces_in(n, stage) || n->over != OVER_COLS)
            continue;
        indent(r, depth);
        text_printf(r->t, "const %s v%u = ", lane_type(r, (wf_dtype)n->dtype), i);
        if (half)
            text_printf(r->t, "%c_narrow_%s(s%u);\n", r->set,
                        wf_dtype_name((wf_dtype)n->dtype), i);
        else
            text_printf(r->t, "s%u;\n", i);
    }
}

/* ---- the function ------------------------------------------------------------------ */

static void start_sums(Render *r)
{
    const Kernel *k = r->k;

    for (uint32_t i = 0; i < k->nnodes; i++) {
        const Node *n = &k->nodes[i];
        const char *type = lane_type(r, (wf_dtype)n->dtype);

        if (is_kept(k, i))
            text_printf(r->t, "    %s k%u[%lld];\n", type, i,
                        (long long)k->loops[1].size);
        if (!node_is_part(n))
            continue;
        if (n->over == OVER_ROWS)
            text_printf(r->t,
                        "    %s S%uv[%lld];\n"
                        "    for (int64_t i1 = 0; i1 < %lld; i1++)\n        S%uv[i1] = ",
                        type, i, (long long)k->loops[1].size,
                        (long long)k->loops[1].size, i);
        else
            text_printf(r->t, "    %s s%u = ", type, i);
        render_identity(r, n->op, (wf_dtype)n->dtype);
        text_add(r->t, ";\n");
    }
}

/* Lanes together, to memory. */
static void end_sums(Render *r)
{
    const Kernel *k = r->k;

    for (uint32_t i = 0; i < k->nnodes; i++) {
        const Node *n = &k->nodes[i];
        const char *t = wf_dtype_name(kept_dtype((wf_dtype)n->dtype));

        if (!node_is_part(n))
            continue;
        if (n->over == OVER_ROWS)
            text_printf(r->t,
                        "    for (int64_t i1 = 0; i1 < %lld; i1++)\n"
                        "        S%u[i1] = %c_first_%s(%c_fold_%s_%s(S%uv[i1]));\n",
                        (long long)k->loops[1].size, i, r->set, t, r->set, op_name(n->op),
                        t, i);
        else
            text_printf(r->t, "    S%u[0] = %c_first_%s(%c_fold_%s_%s(s%u));\n", i,
                        r->set, t, r->set, op_name(n->op), t, i);
    }
}

/* What happens to as many rows as there are lanes; or to the rest of them. */
static void render_rows(Render *r, bool full)
{
    const Kernel *k = r->k;

    text_printf(r->t, "    for (; %s; x += %d) {\n",
                full ? arena_printf(r->a, "x + %d <= end", r->lanes) : "x < end",
                r->lanes);
    if (full)
        text_printf(r->t, "        const int m = %d;\n", r->lanes);
    else
        text_printf(r->t,
                    "        const int m = wk_left(end - x, %d);\n"
                    "        const %c_b in = %c_lanes(m);\n",
                    r->lanes, r->set, r->set);
    for (uint32_t stage = 0; stage < k->nstages; stage++) {
        if (stage)
            define_level(r, 2, LEVEL_ONCE, stage);
        define_level(r, 2, LEVEL_ROW, stage);
        render_walk(r, 2, stage, full);
    }
    for (uint32_t i = 0; i < k->nnodes; i++)
        if (node_is_part(&k->nodes[i]) && k->nodes[i].level != LEVEL_EACH)
            add_to(r, 2, arena_printf(r->a, "s%u", i), i, full);
    for (uint32_t j = 0; j < k->p->nout; j++)
        if (!node_is_part(&k->nodes[k->outs[j].node]) && !kernel_out_is_each(k, &k->outs[j]))
            store_value(r, 2, &k->outs[j], arena_printf(r->a, "v%u", k->outs[j].node));
    text_add(r->t, "    }\n");
}

void render_narrow(Render *r)
{
    const Kernel *k = r->k;

    r->vec = 0;
    r->narrow = true;
    text_printf(r->t, "%svoid wk%u%s(const WkArgs *k, int64_t begin, int64_t end)\n{\n",
                *k->part ? "static " : "", k->id, k->part);
    point_to_arrays(r);
    point_to_parts(r);
    start_sums(r);
    define_level(r, 1, LEVEL_ONCE, 0);
    text_add(r->t, "    int64_t x = begin;\n");
    render_rows(r, true);
    if (!k->whole_rows)
        render_rows(r, false);
    end_sums(r);
    text_add(r->t, "}\n\n");
    r->vec = k->nloops - 1;
    r->narrow = false;
}
