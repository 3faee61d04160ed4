/* layers_recurrent.c -- RNN, LSTM, GRU and their cells.
 *
 *   a = W_ih x + b_ih,  b = W_hh h + b_hh, rows in gates
 *   RNN    h' = tanh(a + b)
 *   LSTM   i f g o = a + b;  c' = sigmoid(f) c + sigmoid(i) tanh(g);  h' = sigmoid(o)
 *          tanh(c')
 *   GRU    r = sigmoid(a_r + b_r), z = sigmoid(a_z + b_z), n = tanh(a_n + r b_n);  h' =
 *          (1 - z) n + z h
 *
 * Layers are unrolled over time.
 */
#include "nn/nn.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Recurrent {
    char kind; /* 'r'nn, 'l'stm, 'g'ru */
    int layers;
    int64_t hidden;
    bool batch_first;
} Recurrent;

static int gates_of(char kind) { return kind == 'l' ? 4 : kind == 'g' ? 3 : 1; }

/* One step: a = W_ih x + b_ih is given; w, b: W_hh, b_hh. h and c are replaced. */
static void step(wf_ctx *c, char kind, wf_tensor a, wf_tensor w, wf_tensor b,
                 wf_tensor *h, wf_tensor *cell)
{
    wf_tensor hh = wf_linear(c, *h, w, b), x[4], y[4], z;

    if (kind == 'r') {
        *h = wf_tanh(c, wf_add(c, a, hh));
    } else if (kind == 'l') {
        if (wf_split_equal(c, wf_add(c, a, hh), 4, -1, x))
            return;
        *cell = wf_add(c, wf_mul(c, wf_sigmoid(c, x[1]), *cell),
                       wf_mul(c, wf_sigmoid(c, x[0]), wf_tanh(c, x[2])));
        *h = wf_mul(c, wf_sigmoid(c, x[3]), wf_tanh(c, *cell));
    } else {
        if (wf_split_equal(c, a, 3, -1, x) || wf_split_equal(c, hh, 3, -1, y))
            return;
        z = wf_sigmoid(c, wf_add(c, x[1], y[1]));
        x[2] = wf_tanh(
            c, wf_add(c, x[2], wf_mul(c, wf_sigmoid(c, wf_add(c, x[0], y[0])), y[2])));
        *h = wf_add(c, wf_mul(c, wf_sub(c, wf_float(c, 1), z), x[2]), wf_mul(c, z, *h));
    }
}

static void add_weights(wf_ctx *c, wf_generator *g, wf_module *m, char kind, int64_t in,
                        int64_t hidden, const char *suffix)
{
    static const char *const names[] = {"weight_ih", "weight_hh", "bias_ih", "bias_hh"};
    int64_t rows = gates_of(kind) * hidden;
    double bound = 1 / sqrt((double)hidden);
    char name[40];

    wf_scope_begin(c);
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "%s%s", names[i], suffix);
        wf_module_add_param(c, m, name,
                            wf_init_uniform(c, g, (int64_t[]){rows, i ? hidden : in},
                                            i < 2 ? 2 : 1, -bound, bound));
    }
    wf_scope_end(c);
}

/* ---- layers over time -------------------------------------------------------------- */

/* One layer over x [time, batch, in]: gives y [time, batch, hidden], h and cell after the
 * last step. */
static wf_tensor run_layer(wf_ctx *c, const wf_module *m, const Recurrent *v, int layer,
                           wf_tensor x, wf_tensor *h, wf_tensor *cell)
{
    int64_t time = wf_size(c, x, 0);
    wf_tensor a =
        wf_linear(c, x, wf_module_value(m, layer * 4), wf_module_value(m, layer * 4 + 2));
    wf_tensor *y = malloc((size_t)(time + 1) * sizeof *y), out;

    if (!y) {
        wf_raise(c, WF_ERR_MEMORY, "out of memory");
        return WF_NONE;
    }
    for (int64_t t = 0; t < time && !wf_ctx_status(c); t++) {
        wf_tensor at = wf_index_get(c, a, (wf_index[]){wf_at_int(t)}, 1);
        step(c, v->kind, at, wf_module_value(m, layer * 4 + 1),
             wf_module_value(m, layer * 4 + 3), h, cell);
        y[t] = *h;
    }
    out = wf_stack(c, y, (int)time, 0);
    free(y);
    return out;
}

/* State number i of all layers, or zeros [layers, batch, hidden]. */
static wf_tensor first_state(wf_ctx *c, const Recurrent *v, wf_tensor x,
                             const wf_tensor *given)
{
    int64_t dims[3] = {v->layers, wf_size(c, x, 1), v->hidden};

    return given ? *given : wf_zeros(c, wf_dtype_of(c, x), dims, 3);
}

static bool forward_recurrent(wf_ctx *c, wf_module *m, const wf_tensor *in, int nin,
                              wf_tensor *out, int nout)
{
    const Recurrent *v = wf_module_data(m);
    int states = v->kind == 'l' ? 2 : 1;
    wf_tensor x, first[2], last[2][32], h, cell = WF_NONE;

    if ((nin != 1 && nin != 1 + states) || nout < 1 || nout > 1 + states)
        return false;
    if (nn_refuse(c, wf_rank(c, in[0]) != 3, "recurrent layer: needs x of three axes"))
        return false;
    x = v->batch_first ? wf_swap_axes(c, in[0], 0, 1) : in[0];
    if (nn_refuse(c, wf_size(c, x, 0) < 1,
                  "recurrent layer: needs a time that is a constant and at least 1"))
        return false;
    for (int i = 0; i < states; i++)
        first[i] = first_state(c, v, x, nin > 1 ? &in[1 + i] : NULL);
    for (int l = 0; l < v->layers && !wf_ctx_status(c); l++) {
        h = wf_index_get(c, first[0], (wf_index[]){wf_at_int(l)}, 1);
        if (states == 2)
            cell = wf_index_get(c, first[1], (wf_index[]){wf_at_int(l)}, 1);
        x = run_layer(c, m, v, l, x, &h, &cell);
        last[0][l] = h;
        last[1][l] = cell;
    }
    out[0] = v->batch_first ? wf_swap_axes(c, x, 0, 1) : x;
    for (int i = 1; i < nout; i++)
        out[i] = wf_stack(c, last[i - 1], v->layers, 0);
    return true;
}

static wf_module *recurrent(wf_ctx *c, wf_generator *g, const char *type, char kind,
                            int64_t in, int64_t hidden, int layers, bool batch_first)
{
    wf_module *m;
    char suffix[16], more[32] = "";

    if (nn_refuse(c, in < 1 || hidden < 1 || layers < 1 || layers > 32,
                  "recurrent layer: sizes must be positive, and layers at most 32"))
        return NULL;
    m = wf_module_new(c, type, forward_recurrent, sizeof(Recurrent));
    if (!m)
        return NULL;
    *(Recurrent *)wf_module_data(m) = (Recurrent){kind, layers, hidden, batch_first};
    for (int l = 0; l < layers; l++) {
        snprintf(suffix, sizeof suffix, "_l%d", l);
        add_weights(c, g, m, kind, l ? hidden : in, hidden, suffix);
    }
    if (layers > 1)
        snprintf(more, sizeof more, ", num_layers=%d", layers);
    nn_text(c, m, "%lld, %lld%s%s", (long long)in, (long long)hidden, more,
            batch_first ? ", batch_first=True" : "");
    return nn_done(c, m);
}

wf_module *wf_nn_rnn(wf_ctx *c, wf_generator *g, int64_t in, int64_t hidden, int layers,
                     bool batch_first)
{
    return recurrent(c, g, "RNN", 'r', in, hidden, layers, batch_first);
}

wf_module *wf_nn_lstm(wf_ctx *c, wf_generator *g, int64_t in, int64_t hidden, int layers,
                      bool batch_first)
{
    return recurrent(c, g, "LSTM", 'l', in, hidden, layers, batch_first);
}

wf_module *wf_nn_gru(wf_ctx *c, wf_generator *g, int64_t in, int64_t hidden, int layers,
                     bool batch_first)
{
    return recurrent(c, g, "GRU", 'g', in, hidden, layers, batch_first);
}

/* ---- cells ------------------------------------------------------------------------- */

static bool forward_cell(wf_ctx *c, wf_module *m, const wf_tensor *in, int nin,
                         wf_tensor *out, int nout)
{
    const Recurrent *v = wf_module_data(m);
    int states = v->kind == 'l' ? 2 : 1;
    wf_tensor h, cell, zeros = WF_NONE, a;

    if ((nin != 1 && nin != 1 + states) || nout < 1 || nout > states)
        return false;
    if (nn_refuse(c, wf_rank(c, in[0]) != 2, "recurrent cell: needs x [batch, in]"))
        return false;
    if (nin == 1)
        zeros = wf_zeros(c, wf_dtype_of(c, in[0]),
                         (int64_t[]){wf_size(c, in[0], 0), v->hidden}, 2);
    h = nin > 1 ? in[1] : zeros;
    cell = nin > 2 ? in[2] : zeros;
    a = wf_linear(c, in[0], wf_module_value(m, 0), wf_module_value(m, 2));
    step(c, v->kind, a, wf_module_value(m, 1), wf_module_value(m, 3), &h, &cell);
    out[0] = h;
    if (nout > 1)
        out[1] = cell;
    return true;
}

static wf_module *cell(wf_ctx *c, wf_generator *g, const char *type, char kind,
                       int64_t in, int64_t hidden)
{
    wf_module *m;

    if (nn_refuse(c, in < 1 || hidden < 1, "recurrent cell: sizes must be positive"))
        return NULL;
    m = wf_module_new(c, type, forward_cell, sizeof(Recurrent));
    if (!m)
        return NULL;
    *(Recurrent *)wf_module_data(m) = (Recurrent){kind, 1, hidden, false};
    add_weights(c, g, m, kind, in, hidden, "");
    nn_text(c, m, "%lld, %lld", (long long)in, (long long)hidden);
    return nn_done(c, m);
}

wf_module *wf_nn_rnn_cell(wf_ctx *c, wf_generator *g, int64_t in, int64_t hidden)
{
    return cell(c, g, "RNNCell", 'r', in, hidden);
}

wf_module *wf_nn_lstm_cell(wf_ctx *c, wf_generator *g, int64_t in, int64_t hidden)
{
    return cell(c, g, "LSTMCell", 'l', in, hidden);
}

wf_module *wf_nn_gru_cell(wf_ctx *c, wf_generator *g, int64_t in, int64_t hidden)
{
    return cell(c, g, "GRUCell", 'g', in, hidden);
}
