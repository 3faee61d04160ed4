/* layers_recurrent.c -- RNN, LSTM, GRU and their cells.
 *
 *   a = W_ih x + b_ih,  b = W_hh h + b_hh, rows in gates
 *   RNN    h' = tanh(a + b), or relu
 *   LSTM   i f g o = a + b;  c' = sigmoid(f) c + sigmoid(i) tanh(g);
 *          h' = sigmoid(o) tanh(c'), with a projection W_hr of that
 *   GRU    r = sigmoid(a_r + b_r), z = sigmoid(a_z + b_z), n = tanh(a_n + r b_n);
 *          h' = (1 - z) n + z h
 *
 * W_ih x is one product for all times, and W_hh is turned once; the steps are a scan, so
 * the time may be symbolic and a program does not grow with it. A layer in both directions is two scans, the
 * second from the end.
 */
#include "nn/nn.h"

#include <math.h>
#include <stdio.h>

typedef struct Recurrent {
    char kind; /* 'r'nn, 'l'stm, 'g'ru */
    bool relu, batch_first;
    int layers, directions;
    int64_t hidden, projection; /* projection 0: none */
    wf_module *dropout;         /* between layers; NULL: none. Owned. */
} Recurrent;

enum { W_IH, W_HH, B_IH, B_HH, W_HR, WEIGHTS }; /* places of a layer in one direction */

static int gates_of(char kind) { return kind == 'l' ? 4 : kind == 'g' ? 3 : 1; }
static int states_of(char kind) { return kind == 'l' ? 2 : 1; }

typedef struct Weights { /* that a step uses */
    const Recurrent *v;
    wf_tensor w, b, r; /* W_hh^T; b_hh, or none if a has it already; W_hr^T */
} Weights;

static wf_tensor turned(wf_ctx *c, wf_tensor w)
{
    return wf_is_none(w) ? w : wf_swap_axes(c, w, 0, 1);
}

/* The weights of step k, and a = W_ih x + b_ih. Where the gates are functions of a + b,
 * b_hh is added to a, for all times at once. */
static Weights weights_of(wf_ctx *c, const wf_module *m, const Recurrent *v, int k,
                          wf_tensor x, wf_tensor *a)
{
    int at = k * WEIGHTS;
    Weights u = {v, turned(c, wf_module_value(m, at + W_HH)),
                 wf_module_value(m, at + B_HH), turned(c, wf_module_value(m, at + W_HR))};

    *a = wf_linear(c, x, wf_module_value(m, at + W_IH), wf_module_value(m, at + B_IH));
    if (v->kind != 'g' && !wf_is_none(u.b)) {
        *a = wf_add(c, *a, u.b);
        u.b = WF_NONE;
    }
    return u;
}

/* One step; h and cell are replaced. */
static void step(wf_ctx *c, const Weights *u, wf_tensor a, wf_tensor *h, wf_tensor *cell)
{
    wf_tensor hh = wf_matmul(c, *h, u->w), x[4], y[4], z;

    if (!wf_is_none(u->b))
        hh = wf_add(c, hh, u->b);
    if (u->v->kind == 'r') {
        z = wf_add(c, a, hh);
        *h = u->v->relu ? wf_relu(c, z) : wf_tanh(c, z);
    } else if (u->v->kind == 'l') {
        wf_tensor product, new, shown;

        if (wf_split_equal(c, wf_add(c, a, hh), -1, x, 4))
            return;
        new = wf_tanh(c, x[2]);
        product = wf_mul(c, wf_sigmoid(c, x[0]), new);
        *cell = wf_add(c, wf_mul(c, wf_sigmoid(c, x[1]), *cell), product);
        shown = wf_tanh(c, *cell);
        *h = wf_mul(c, wf_sigmoid(c, x[3]), shown);
        if (u->v->projection)
            *h = wf_matmul(c, *h, u->r);
    } else {
        wf_tensor scaled;

        if (wf_split_equal(c, a, -1, x, 3) || wf_split_equal(c, hh, -1, y, 3))
            return;
        z = wf_sigmoid(c, wf_add(c, x[1], y[1]));
        x[2] = wf_tanh(
            c, wf_add(c, x[2], wf_mul(c, wf_sigmoid(c, wf_add(c, x[0], y[0])), y[2])));
        scaled = wf_mul(c, z, *h);
        *h = wf_add(c, wf_mul(c, wf_sub(c, wf_float(c, 1), z), x[2]), scaled);
    }
}

/* The weights of one layer in one direction, drawn in PyTorch's order. */
static void add_weights(wf_ctx *c, wf_generator *g, wf_module *m, const Recurrent *v,
                        int64_t in, bool bias, const char *suffix)
{
    static const char *const names[] = {"weight_ih", "weight_hh", "bias_ih", "bias_hh",
                                        "weight_hr"};
    int64_t rows = gates_of(v->kind) * v->hidden;
    int64_t size = v->projection ? v->projection : v->hidden;
    int64_t dims[WEIGHTS][2] = {
        {rows, in}, {rows, size}, {rows}, {rows}, {size, v->hidden}};
    double bound = 1 / sqrt((double)v->hidden);
    char name[40];

    wf_scope_begin(c);
    for (int i = 0; i < WEIGHTS; i++) {
        bool is_bias = i == B_IH || i == B_HH;
        bool absent = (is_bias && !bias) || (i == W_HR && !v->projection);
        snprintf(name, sizeof name, "%s%s", names[i], suffix);
        wf_module_add_param(
            c, m, name,
            absent ? WF_NONE
                   : wf_init_uniform(c, g, dims[i], is_bias ? 1 : 2, -bound, bound));
    }
    wf_scope_end(c);
}

/* ---- layers over time -------------------------------------------------------------- */

/* (h, [cell,] a of one time) -> (h, [cell,] h) */
static wf_status scan_step(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                           wf_tensor *out, int nout)
{
    const Weights *u = user;
    int states = states_of(u->v->kind);
    wf_tensor h = in[0], cell = in[1];

    (void)nin, (void)nout;
    step(c, u, in[states], &h, &cell);
    out[0] = out[states] = h;
    if (states == 2)
        out[1] = cell;
    return wf_ctx_status(c);
}

/* One layer in one direction over x [time, batch, in]: gives y [time, batch, hidden], and
 * replaces the states [batch, hidden] by those after the last step. */
static wf_tensor run_direction(wf_ctx *c, const wf_module *m, const Recurrent *v, int k,
                               wf_tensor x, wf_tensor *state)
{
    int states = states_of(v->kind);
    wf_tensor in[3] = {state[0], state[1]}, out[3];
    Weights u = weights_of(c, m, v, k, x, &in[states]);
    wf_function f = WF_FUNCTION(scan_step, &u, states + 1, states + 1, "step");

    if (wf_scan_call(c, &f, states, in, states + 1, WF_UNBOUNDED, k % v->directions == 1,
                     out, states + 1))
        return WF_NONE;
    for (int i = 0; i < states; i++)
        state[i] = out[i];
    return out[states];
}

/* State i of layer and direction k: given [layers * directions, batch, size], or zeros */
static wf_tensor first_state(wf_ctx *c, const Recurrent *v, wf_tensor x,
                             const wf_tensor *given, int i, int k)
{
    int64_t size = i == 0 && v->projection ? v->projection : v->hidden;

    if (given)
        return wf_index_get(c, given[i], (wf_index[]){wf_at_int(k)}, 1);
    return wf_zeros(c, wf_dtype_of(c, x), (int64_t[]){wf_size(c, x, 1), size}, 2);
}

/* All layers over x [time, batch, in]. last[i][k]: the states after them. */
static wf_tensor run_layers(wf_ctx *c, const wf_module *m, const Recurrent *v,
                            wf_tensor x, const wf_tensor *given, wf_tensor last[2][64])
{
    for (int l = 0, k = 0; l < v->layers && !wf_ctx_status(c); l++) {
        wf_tensor y[2];
        if (l && v->dropout)
            x = wf_forward_one(c, v->dropout, x);
        for (int d = 0; d < v->directions; d++, k++) {
            wf_tensor state[2] = {WF_NONE, WF_NONE};
            for (int i = 0; i < states_of(v->kind); i++)
                state[i] = first_state(c, v, x, given, i, k);
            y[d] = run_direction(c, m, v, k, x, state);
            last[0][k] = state[0];
            last[1][k] = state[1];
        }
        x = v->directions == 2 ? wf_concat(c, y, 2, -1) : y[0];
    }
    return x;
}

static wf_status forward_recurrent(wf_ctx *c, wf_module *m, const wf_tensor *in, int nin,
                                   wf_tensor *out, int nout)
{
    const Recurrent *v = wf_module_data(m);
    int states = states_of(v->kind), rank = nin > 0 ? wf_rank(c, in[0]) : 0;
    wf_tensor x, given[2], last[2][64];
    bool swap = v->batch_first && rank == 3;

    if ((nin != 1 && nin != 1 + states) || nout < 1 || nout > 1 + states)
        return nn_gave_up(c);
    if (nn_refuse(c, rank != 2 && rank != 3,
                  "recurrent layer: needs x [time, batch, in] or [time, in]"))
        return nn_gave_up(c);
    x = rank == 2 ? wf_expand_dims(c, in[0], 1)
        : swap    ? wf_swap_axes(c, in[0], 0, 1)
                  : in[0];
    if (nn_refuse(c, wf_size(c, x, 0) == 0, "recurrent layer: needs at least one time"))
        return nn_gave_up(c);
    for (int i = 1; i < nin; i++)
        given[i - 1] = rank == 2 ? wf_expand_dims(c, in[i], 1) : in[i];
    if (v->dropout)
        wf_module_train(v->dropout, wf_module_training(m));
    x = run_layers(c, m, v, x, nin > 1 ? given : NULL, last);
    out[0] = swap ? wf_swap_axes(c, x, 0, 1) : x;
    for (int i = 1; i < nout; i++)
        out[i] = wf_stack(c, last[i - 1], v->layers * v->directions, 0);
    for (int i = 0; i < nout && rank == 2; i++)
        out[i] = wf_squeeze(c, out[i], (int[]){1}, 1);
    return WF_OK;
}

static void drop_recurrent(wf_ctx *c, void *data)
{
    wf_module_release(c, ((Recurrent *)data)->dropout);
}

/* What PyTorch prints: sizes, then what differs from its defaults */
static void text_recurrent(wf_ctx *c, wf_module *m, int64_t in, int64_t hidden,
                           const wf_rnn_options *o)
{
    char projection[40] = "", layers[40] = "", dropout[60] = "";

    if (o->projection)
        snprintf(projection, sizeof projection, ", proj_size=%lld",
                 (long long)o->projection);
    if (o->layers > 1)
        snprintf(layers, sizeof layers, ", num_layers=%d", o->layers);
    if (o->dropout != 0)
        snprintf(dropout, sizeof dropout, ", dropout=%s", nn_float(o->dropout).s);
    nn_text(c, m, "%lld, %lld%s%s%s%s%s%s", (long long)in, (long long)hidden, projection,
            layers, o->no_bias ? ", bias=False" : "",
            o->batch_first ? ", batch_first=True" : "", dropout,
            o->bidirectional ? ", bidirectional=True" : "");
}

static wf_module *recurrent(wf_ctx *c, wf_generator *g, const char *type, char kind,
                            int64_t in, int64_t hidden, const wf_rnn_options *given)
{
    wf_rnn_options o;
    bool well = nn_options(c, type, given, &o, sizeof o);
    int layers = o.layers ? o.layers : 1, directions = o.bidirectional ? 2 : 1;
    Recurrent v = {kind,       o.relu, o.batch_first, layers,
                   directions, hidden, o.projection,  NULL};
    int64_t size = o.projection ? o.projection : hidden;
    char suffix[32];
    wf_module *m;

    if (!well ||
        nn_refuse(c, in < 1 || hidden < 1 || hidden > NN_MOST || layers < 1 || layers > 32,
                  "recurrent layer: sizes must be positive and not too large, and layers at most 32") ||
        nn_refuse(c,
                  o.projection < 0 || (o.projection && kind != 'l') ||
                      (o.projection && o.projection >= hidden),
                  "recurrent layer: only LSTM has a projection, of less than hidden") ||
        nn_refuse(c, o.relu && kind != 'r', "recurrent layer: only RNN has a relu"))
        return NULL;
    m = wf_module_new(c, type, forward_recurrent, sizeof v);
    if (!m)
        return NULL;
    m->drop = drop_recurrent;
    *(Recurrent *)m->data = v;
    if (o.dropout != 0)
        ((Recurrent *)m->data)->dropout = wf_nn_dropout(c, g, o.dropout);
    for (int k = 0; k < layers * directions && !wf_ctx_status(c); k++) {
        int l = k / directions;
        snprintf(suffix, sizeof suffix, "_l%d%s", l, k % directions ? "_reverse" : "");
        add_weights(c, g, m, &v, l ? size * directions : in, !o.no_bias, suffix);
    }
    text_recurrent(c, m, in, hidden, &o);
    return nn_done(c, m);
}

wf_module *wf_nn_rnn(wf_ctx *c, wf_generator *g, int64_t in, int64_t hidden,
                     const wf_rnn_options *o)
{
    return recurrent(c, g, "RNN", 'r', in, hidden, o);
}

wf_module *wf_nn_lstm(wf_ctx *c, wf_generator *g, int64_t in, int64_t hidden,
                      const wf_rnn_options *o)
{
    return recurrent(c, g, "LSTM", 'l', in, hidden, o);
}

wf_module *wf_nn_gru(wf_ctx *c, wf_generator *g, int64_t in, int64_t hidden,
                     const wf_rnn_options *o)
{
    return recurrent(c, g, "GRU", 'g', in, hidden, o);
}

/* ---- cells ------------------------------------------------------------------------- */

static wf_status forward_cell(wf_ctx *c, wf_module *m, const wf_tensor *in, int nin,
                              wf_tensor *out, int nout)
{
    const Recurrent *v = wf_module_data(m);
    int states = states_of(v->kind);
    wf_tensor h, cell, zeros = WF_NONE, a;
    Weights u;

    if ((nin != 1 && nin != 1 + states) || nout < 1 || nout > states)
        return nn_gave_up(c);
    if (nn_refuse(c, wf_rank(c, in[0]) != 2, "recurrent cell: needs x [batch, in]"))
        return nn_gave_up(c);
    if (nin == 1)
        zeros = wf_zeros(c, wf_dtype_of(c, in[0]),
                         (int64_t[]){wf_size(c, in[0], 0), v->hidden}, 2);
    h = nin > 1 ? in[1] : zeros;
    cell = nin > 2 ? in[2] : zeros;
    u = weights_of(c, m, v, 0, in[0], &a);
    step(c, &u, a, &h, &cell);
    out[0] = h;
    if (nout > 1)
        out[1] = cell;
    return WF_OK;
}

static wf_module *new_cell(wf_ctx *c, wf_generator *g, const char *type, char kind,
                           int64_t in, int64_t hidden)
{
    Recurrent v = {kind, false, false, 1, 1, hidden, 0, NULL};
    wf_module *m;

    if (nn_refuse(c, in < 1 || hidden < 1 || hidden > NN_MOST, "recurrent cell: sizes must be positive and not too large"))
        return NULL;
    m = wf_module_new(c, type, forward_cell, sizeof v);
    if (!m)
        return NULL;
    *(Recurrent *)wf_module_data(m) = v;
    add_weights(c, g, m, &v, in, true, "");
    nn_text(c, m, "%lld, %lld", (long long)in, (long long)hidden);
    return nn_done(c, m);
}

wf_module *wf_nn_rnn_cell(wf_ctx *c, wf_generator *g, int64_t in, int64_t hidden)
{
    return new_cell(c, g, "RNNCell", 'r', in, hidden);
}

wf_module *wf_nn_lstm_cell(wf_ctx *c, wf_generator *g, int64_t in, int64_t hidden)
{
    return new_cell(c, g, "LSTMCell", 'l', in, hidden);
}

wf_module *wf_nn_gru_cell(wf_ctx *c, wf_generator *g, int64_t in, int64_t hidden)
{
    return new_cell(c, g, "GRUCell", 'g', in, hidden);
}
