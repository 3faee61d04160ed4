/* parallel_gpt.c -- a small GPT trained by several processes: batches divided among some, heads and hidden units among others.
 *
 *   weft launch -n 4 build/examples/parallel_gpt [DATA MODEL]       4 = DATA * MODEL; else all are for data
 *   mpirun -n 4 build/examples/parallel_gpt 2 2
 *
 * A process has DIM/MODEL columns of the weights that make queries, keys, values and hidden units, and those rows of the
 * weights that bring them back: two sums a block. The loss is that of one process, to rounding.
 */
#include "weft.h"

#include <stdio.h>
#include <stdlib.h>

enum { DIM = 32, HEADS = 4, HIDDEN = 64, TIME = 16, BATCH = 16, STEPS = 60, VOCAB = 27, BLOCKS = 2 };

static const char text[] = "she sells sea shells by the sea shore the shells she sells are sea shells for sure ";

typedef struct Weight {
    wf_tensor w;
    bool divided; /* over the axis `model`; else all processes have the same */
} Weight;

typedef struct Gpt {
    Weight v[4 + 6 * BLOCKS];
    int n, data, model, my_data, my_model;
} Gpt;

/* All processes draw the whole weight, so that they have the same numbers, and keep their part along an axis. */
static wf_tensor weight(wf_ctx *c, Gpt *g, int64_t rows, int64_t columns, int axis)
{
    wf_tensor w = wf_mul(c, wf_randn(c, NULL, WF_F32, (int64_t[]){rows, columns}, 2), wf_float(c, 0.1));
    int64_t part = (axis == 1 ? columns : rows) / g->model;

    if (axis >= 0)
        w = wf_copy(c, wf_narrow(c, w, axis, g->my_model * part, part));
    wf_requires_grad(c, w, true);
    g->v[g->n++] = (Weight){w, axis >= 0};
    return w;
}

static void make(wf_ctx *c, Gpt *g)
{
    weight(c, g, VOCAB, DIM, -1);
    weight(c, g, TIME, DIM, -1);
    for (int b = 0; b < BLOCKS; b++) {
        for (int k = 0; k < 3; k++)
            weight(c, g, DIM, DIM, 1);
        weight(c, g, DIM, DIM, 0);
        weight(c, g, DIM, HIDDEN, 1);
        weight(c, g, HIDDEN, DIM, 0);
    }
    weight(c, g, DIM, VOCAB, -1);
}

/* [N, TIME, columns] as [N, heads, TIME, size] */
static wf_tensor heads(wf_ctx *c, const Gpt *g, wf_tensor x)
{
    x = wf_reshape(c, x, (int64_t[]){WF_INFER, TIME, HEADS / g->model, DIM / HEADS}, 4);
    return wf_permute(c, x, (int[]){0, 2, 1, 3}, 4);
}

static wf_tensor block(wf_ctx *c, const Gpt *g, const Weight *w, wf_tensor x)
{
    wf_tensor h = wf_layer_norm(c, x, 1, WF_NONE, WF_NONE, 1e-5);
    wf_tensor a = wf_attention(c, heads(c, g, wf_matmul(c, h, w[0].w)), heads(c, g, wf_matmul(c, h, w[1].w)),
                     heads(c, g, wf_matmul(c, h, w[2].w)), WF_NONE, true, 0.35);
    a = wf_reshape(c, wf_permute(c, a, (int[]){0, 2, 1, 3}, 4), (int64_t[]){WF_INFER, TIME, DIM / g->model}, 3);
    x = wf_add(c, x, wf_psum(c, wf_matmul(c, a, w[3].w), "model"));
    h = wf_gelu(c, wf_matmul(c, wf_layer_norm(c, x, 1, WF_NONE, WF_NONE, 1e-5), w[4].w), true);
    return wf_add(c, x, wf_psum(c, wf_matmul(c, h, w[5].w), "model"));
}

static wf_tensor loss_of(wf_ctx *c, const Gpt *g, wf_tensor ids, wf_tensor next)
{
    wf_tensor x = wf_add(c, wf_embedding(c, g->v[0].w, ids), g->v[1].w);

    for (int b = 0; b < BLOCKS; b++)
        x = block(c, g, g->v + 2 + 6 * b, x);
    x = wf_flatten(c, wf_matmul(c, x, g->v[g->n - 1].w), 0, 1);
    return wf_cross_entropy(c, x, next, WF_NONE, -100, 0, WF_MEAN);
}

/* Pieces of the text, of which each process takes its share. */
static void batch(wf_ctx *c, const Gpt *g, int step, wf_tensor *ids, wf_tensor *next)
{
    int64_t in[BATCH * TIME], out[BATCH * TIME], n = BATCH / g->data;

    for (int i = 0; i < BATCH * TIME; i++) {
        size_t at = ((size_t)step * 31 + (size_t)(i / TIME) * 7 + (size_t)(i % TIME)) % (sizeof text - 2);

        in[i] = text[at] == ' ' ? 26 : text[at] - 'a';
        out[i] = text[at + 1] == ' ' ? 26 : text[at + 1] - 'a';
    }
    *ids = wf_from(c, WF_I64, (int64_t[]){n, TIME}, 2, in + g->my_data * n * TIME);
    *next = wf_from(c, WF_I64, (int64_t[]){n * TIME}, 1, out + g->my_data * n * TIME);
}

/* What is differentiated is the sum of what all processes have: gradients of a weight that all have are added up over both
 * axes, those of a part over data. */
static double step(wf_ctx *c, Gpt *g, int i)
{
    wf_tensor ids, next, loss;
    double value;

    wf_scope_begin(c);
    batch(c, g, i, &ids, &next);
    loss = loss_of(c, g, ids, next);
    wf_backward(c, wf_div(c, loss, wf_float(c, g->data * g->model)), WF_NONE, 0);
    wf_no_grad_begin(c);
    for (int k = 0; k < g->n; k++) {
        wf_tensor grad = wf_psum(c, wf_grad_of(c, g->v[k].w), g->v[k].divided ? "data" : "data,model");

        wf_sub_in(c, g->v[k].w, wf_mul(c, grad, wf_float(c, 0.1)));
        wf_set_grad(c, g->v[k].w, WF_NONE);
    }
    value = wf_item(c, wf_pmean(c, wf_detach(c, loss), "data"));
    wf_no_grad_end(c);
    wf_scope_end(c);
    return value;
}

int main(int argc, char **argv)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_comm *w = NULL;
    Gpt g = {0};
    char mesh[64];
    double loss = 0;

    if (wf_comm_open(c, NULL, &w))
        return fprintf(stderr, "%s\n", wf_ctx_message(c)), 1;
    g.data = argc > 2 ? atoi(argv[1]) : wf_comm_size(w);
    g.model = argc > 2 && atoi(argv[2]) > 0 ? atoi(argv[2]) : 1;
    snprintf(mesh, sizeof mesh, "data:%d,model:%d", g.data, g.model);
    wf_comm_use(c, w, mesh);
    g.my_data = wf_comm_rank(w) / g.model;
    g.my_model = wf_comm_rank(w) % g.model;
    wf_manual_seed(c, 0);
    if (!wf_ctx_status(c))
        make(c, &g);
    for (int i = 0; i < STEPS && !wf_ctx_status(c); i++)
        loss = step(c, &g, i);
    if (wf_ctx_status(c) || wf_comm_rank(w) == 0)
        printf("%s over %s: after %d steps%s\nloss %.4f\n", mesh, wf_comm_engine(w), STEPS, wf_ctx_message(c), loss);
    wf_comm_use(c, NULL, NULL);
    wf_ctx_free(c);
    wf_comm_close(w);
    return loss > 0 && loss < 2.5 ? 0 : 1;
}
