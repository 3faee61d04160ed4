/* kernel_print.c -- a kernel as text, for people.
 *
 *   kernel 3: rows
 *   for i0 < N
 *     walk 0: for j < 1024
 *       v0 = load f32 in0[1024*i0 + j]
 *       v1 = reduce max over cols v0
 *   ..
 */
#include "codegen/render.h"

static void print_access(const Kernel *k, const Access *at, Text *t)
{
    bool any = at->offset != 0;

    text_char(t, '[');
    if (at->offset)
        dim_print(&k->dims, at->offset, t);
    for (uint32_t l = 0; l < k->nloops; l++) {
        Dim s = at->stride[l];

        if (!s)
            continue;
        text_add(t, any ? " + " : "");
        any = true;
        if (s != 1) {
            dim_print(&k->dims, s, t);
            text_char(t, '*');
        }
        if (l + 1 == k->nloops)
            text_char(t, 'j');
        else
            text_printf(t, "i%u", l);
    }
    text_add(t, any ? "]" : "0]");
}

static void print_node(const Kernel *k, uint32_t i, Text *t)
{
    static const char *const over[] = {"cols", "rows", "all"};
    const Node *n = &k->nodes[i];

    text_printf(t, "v%u: %s = ", i, wf_dtype_name((wf_dtype)n->dtype));
    switch (n->kind) {
    case NODE_LOAD:
        if (n->at.array == k->p->nin + k->p->nout)
            text_add(t, "load product");
        else
            text_printf(t, "load in%u", n->at.array);
        print_access(k, &n->at, t);
        if (n->nin) {
            text_printf(t, " of row v%u %s ", n->in[0], n->fill ? "inside" : "clipped to");
            dim_print(&k->dims, n->bound, t);
        }
        break;
    case NODE_CONST: {
        char x[64];

        number_f64(x, element_as_f64((wf_dtype)n->dtype, &n->bits));
        text_printf(t, "const %s", x);
        break;
    }
    case NODE_IOTA:
        text_add(t, "index ");
        print_access(k, &n->at, t);
        break;
    case NODE_DIM:
        text_add(t, "dim ");
        dim_print(&k->dims, n->dim, t);
        break;
    case NODE_REDUCE:
        text_printf(t, "%s over %s v%u", op_name(n->op), over[n->over], n->in[0]);
        break;
    case NODE_RESULT:
        text_printf(t, "result %u of v%u", n->which, n->in[0]);
        break;
    default:
        text_add(t, op_name(n->op));
        for (uint32_t j = 0; j < n->nin; j++)
            text_printf(t, " v%u", n->in[j]);
    }
    if (n->saved >= 0)
        text_printf(t, "   kept in b%d", n->saved);
    text_char(t, '\n');
}

static void print_level(const Kernel *k, NodeLevel level, uint32_t stage,
                        const char *lead, Text *t)
{
    for (uint32_t i = 0; i < k->nnodes; i++)
        if (k->nodes[i].level == level && node_walk(&k->nodes[i]) == stage) {
            text_add(t, lead);
            print_node(k, i, t);
        }
}

static void print_loops(const Kernel *k, bool col, Text *t)
{
    bool first = true;

    for (uint32_t l = 0; l < k->nloops; l++) {
        if (k->loops[l].col != col)
            continue;
        text_add(t, first ? "for " : ", ");
        first = false;
        if (l + 1 == k->nloops)
            text_add(t, "j < ");
        else
            text_printf(t, "i%u < ", l);
        dim_print(&k->dims, k->loops[l].size, t);
    }
}

void kernel_print(const Kernel *k, Text *t)
{
    static const char *const forms[] = {"map", "rows", "columns"};

    if (k->dot) {
        text_printf(t, "kernel %u%s: product %lld x %lld, %lld summed\n", k->id, k->part,
                    (long long)k->dot->m, (long long)k->dot->n, (long long)k->dot->k);
        return;
    }
    text_printf(t, "kernel %u%s: %s\n", k->id, k->part,
                k->straight ? "straight"
                : k->scalar ? "scalars"
                            : forms[k->form]);
    if (k->product)
        text_printf(t, "  product = %s in0 in1, and on each piece of it, [..row, j]:\n",
                    op_name(k->product->op));
    if (k->straight)
        render_straight_text(k, t);
    if (k->scalar || k->straight)
        return;
    print_level(k, LEVEL_ONCE, 0, "  ", t);
    text_add(t, "  ");
    print_loops(k, false, t);
    text_add(t, k->nrows ? "  (parallel)\n" : "one row\n");
    for (uint32_t s = 0; s < k->nstages; s++) {
        print_level(k, LEVEL_ROW, s, "    ", t);
        text_add(t, "    ");
        print_loops(k, true, t);
        text_add(t, "  (vector)\n");
        print_level(k, LEVEL_EACH, s, "      ", t);
    }
    for (uint32_t j = 0; j < k->p->nout; j++) {
        text_printf(t, "  out%u", j);
        if (k->product && !j && !product_is_apart(k->p, k->product))
            text_add(t, ", where product is, ");
        print_access(k, &k->outs[j].at, t);
        text_printf(t, " = v%u\n", k->outs[j].node);
    }
}
