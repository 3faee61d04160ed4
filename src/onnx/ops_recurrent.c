/* ops_recurrent.c -- RNN, GRU, LSTM: a scan over time, for each direction.
 *
 *   X [T,B,I]   W [D,G*H,I]   R [D,G*H,H]   B [D,2*G*H]   h, c [D,B,H]   P [D,3*H]
 *   Y [T,D,B,H]   Y_h, Y_c [D,B,H]
 *
 * DynamicQuantizeLSTM has W [D,I,G*H] and R [D,H,G*H] in bytes; X, and h in every step, are quantised by their own range.
 *
 * The products with X are made for all times at once. Behind the end of a sequence that is
 * shorter than others states stay and outputs are 0.
 */
#include "onnx/ops.h"

typedef enum Cell { CELL_RNN, CELL_GRU, CELL_LSTM } Cell;

typedef struct Layer { /* one direction */
    OxRun *r;
    Cell cell;
    int64_t hidden;
    const char *act[3];
    double alpha[3], beta[3], clip;
    bool input_forget, reset_after, masked;
    wf_tensor rec;  /* [H, G*H] */
    wf_tensor bias; /* of the recurrence, [G*H]; WF_NONE: none */
    wf_tensor peep; /* [3*H] */
    wf_tensor lens; /* [B, 1] */
    wf_tensor in[8]; /* of the node; WF_NONE: left out */
    bool bytes;      /* weights are integers */
    OxQuant quant[2]; /* of this direction: those of X, of the recurrence; with their zeros and scales */
    OxValue zeros[2];
    wf_tensor scales[2];
} Layer;

static wf_tensor recurrence(Layer *l, wf_tensor h)
{
    return l->bytes ? ox_quant_dynamic(l->r, h, &l->quant[1], l->scales[1]) : wf_matmul(l->r->c, h, l->rec);
}

static wf_tensor part(Layer *l, wf_tensor x, int64_t k)
{
    return wf_narrow(l->r->c, x, wf_rank(l->r->c, x) - 1, k * l->hidden, l->hidden);
}

static wf_tensor act(Layer *l, int k, wf_tensor x)
{
    if (l->clip > 0)
        x = wf_maximum(l->r->c, ox_like(l->r, -l->clip, x), wf_minimum(l->r->c, ox_like(l->r, l->clip, x), x));
    return ox_map_activation(l->r, l->act[k], x, l->alpha[k], l->beta[k]);
}

static wf_tensor peephole(Layer *l, wf_tensor x, int64_t k, wf_tensor c)
{
    return wf_is_none(l->peep) ? x : wf_add(l->r->c, x, wf_mul(l->r->c, part(l, l->peep, k), c));
}

static void step_lstm(Layer *l, wf_tensor x, wf_tensor h, wf_tensor cell, wf_tensor *new_h, wf_tensor *new_c)
{
    wf_ctx *c = l->r->c;
    wf_tensor g = wf_add(c, x, recurrence(l, h));
    wf_tensor i = act(l, 0, peephole(l, part(l, g, 0), 0, cell));
    wf_tensor f = l->input_forget ? wf_sub(c, ox_like(l->r, 1, i), i) : act(l, 0, peephole(l, part(l, g, 2), 2, cell));
    wf_tensor product = wf_mul(c, i, act(l, 1, part(l, g, 3)));
    wf_tensor shown;

    *new_c = wf_add(c, wf_mul(c, f, cell), product);
    shown = ox_map_activation(l->r, l->act[2], *new_c, l->alpha[2], l->beta[2]);
    *new_h = wf_mul(c, act(l, 0, peephole(l, part(l, g, 1), 1, *new_c)), shown);
}

static wf_tensor step_gru(Layer *l, wf_tensor x, wf_tensor h)
{
    wf_ctx *c = l->r->c;
    int64_t n = l->hidden;
    wf_tensor rec = l->rec, gates = wf_matmul(c, h, wf_narrow(c, rec, 1, 0, 2 * n)), last = wf_narrow(c, rec, 1, 2 * n, n);
    wf_tensor b = l->bias, bz = wf_is_none(b) ? WF_NONE : wf_narrow(c, b, 0, 0, 2 * n);
    wf_tensor bh = wf_is_none(b) ? WF_NONE : wf_narrow(c, b, 0, 2 * n, n), z, reset, cand;
    wf_tensor product;

    gates = wf_add(c, gates, wf_narrow(c, x, wf_rank(c, x) - 1, 0, 2 * n));
    if (!wf_is_none(bz))
        gates = wf_add(c, gates, bz);
    z = act(l, 0, part(l, gates, 0));
    reset = act(l, 0, part(l, gates, 1));
    cand = wf_matmul(c, l->reset_after ? h : wf_mul(c, reset, h), last);
    if (!wf_is_none(bh))
        cand = wf_add(c, cand, bh);
    if (l->reset_after)
        cand = wf_mul(c, reset, cand);
    cand = act(l, 1, wf_add(c, cand, part(l, x, 2)));
    product = wf_mul(c, z, h);
    return wf_add(c, wf_mul(c, wf_sub(c, ox_like(l->r, 1, z), z), cand), product);
}

/* t, h, [c,] x -> t + 1, h, [c,] y */
static wf_status step(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out, int nout)
{
    Layer *l = user;
    bool lstm = l->cell == CELL_LSTM;
    wf_tensor x = in[2 + lstm], h = in[1], cell = lstm ? in[2] : WF_NONE, new_h, new_c = WF_NONE, on;

    (void)nin, (void)nout;
    if (lstm) {
        step_lstm(l, x, h, cell, &new_h, &new_c);
    } else if (l->cell == CELL_GRU) {
        new_h = step_gru(l, x, h);
    } else {
        new_h = act(l, 0, wf_add(c, x, wf_matmul(c, h, l->rec)));
    }
    out[2 + lstm] = new_h;
    if (l->masked) {
        on = wf_lt(c, in[0], l->lens);
        out[2 + lstm] = wf_where(c, on, new_h, ox_like(l->r, 0, new_h));
        new_h = wf_where(c, on, new_h, h);
        new_c = lstm ? wf_where(c, on, new_c, cell) : new_c;
    }
    out[0] = in[0];
    out[1] = new_h;
    if (lstm)
        out[2] = new_c;
    return wf_ctx_status(c);
}

/* The same with the time as it goes: it counts up or down. */
typedef struct Timed {
    Layer *l;
    bool back;
} Timed;

static wf_status timed_step(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out, int nout)
{
    const Timed *t = user;

    if (step(c, t->l, in, nin, out, nout))
        return wf_ctx_status(c);
    out[0] = wf_add(c, in[0], wf_scalar(c, WF_I64, t->back ? -1 : 1));
    return wf_ctx_status(c);
}

static wf_tensor direction(OxRun *r, wf_tensor x, int d) /* of [D, ..] */
{
    return wf_is_none(x) ? x : wf_index_get(r->c, x, (wf_index[]){wf_at_int(d)}, 1);
}

static void activations(OxRun *r, Layer *l, int d, int per)
{
    static const char *const standard[] = {"Sigmoid", "Tanh", "Tanh"};
    const OxAttr *names = ox_attr(r, "activations"), *a = ox_attr(r, "activation_alpha"), *b = ox_attr(r, "activation_beta");

    for (int k = 0; k < per; k++) {
        size_t i = (size_t)(d * per + k);

        l->act[k] = per == 1 ? "Tanh" : standard[k];
        if (names && i < names->strings.n)
            l->act[k] = ox_string(&r->mem, names->strings.v[i].data, names->strings.v[i].size);
        l->alpha[k] = a && i < a->floats.n ? (double)a->floats.v[i] : NAN;
        l->beta[k] = b && i < b->floats.n ? (double)b->floats.v[i] : NAN;
        if (!l->act[k])
            l->act[k] = "";
    }
}

/* The integers of a direction: inputs 1 and 2, each with a scale and a zero from input 8 on, of one number or of columns. */
static void integers(OxRun *r, Layer *l, int d)
{
    for (size_t k = 0; k < 2; k++) {
        wf_tensor zero = direction(r, ox_in(r, 9 + 2 * k), d);

        l->scales[k] = direction(r, ox_in(r, 8 + 2 * k), d);
        l->zeros[k] = (OxValue){.kind = OX_TENSOR, .t = zero};
        l->quant[k] = (OxQuant){.q = direction(r, l->in[1 + k], d), .zero = ox_quant_spread(r, zero, 1, 2), .zero_value = &l->zeros[k]};
    }
}

/* One direction: y [T,B,H], h and c [B,H]. */
static bool run_direction(OxRun *r, Layer *l, wf_tensor x, int d, bool back, wf_tensor *y, wf_tensor *h, wf_tensor *cell)
{
    wf_ctx *c = r->c;
    bool lstm = l->cell == CELL_LSTM;
    int64_t gates = l->cell == CELL_LSTM ? 4 : l->cell == CELL_GRU ? 3 : 1, n = gates * l->hidden;
    wf_tensor b = direction(r, l->in[3], d), in[4], out[4];
    int64_t time = wf_size(c, x, 0), batch = wf_size(c, x, 1), dims[2] = {batch, l->hidden};
    Timed timed = {l, back};
    wf_function fn = WF_FUNCTION(timed_step, &timed, 3 + lstm, 3 + lstm, "cell");
    int k = 0;

    l->bias = WF_NONE;
    if (l->bytes) {
        integers(r, l, d);
        x = ox_quant_dynamic(r, x, &l->quant[0], l->scales[0]);
    } else {
        l->rec = wf_permute(c, direction(r, l->in[2], d), (int[]){1, 0}, 2);
        x = ox_product(r, x, wf_permute(c, direction(r, l->in[1], d), (int[]){1, 0}, 2));
    }
    if (!wf_is_none(b)) {
        x = wf_add(c, x, wf_narrow(c, b, 0, 0, n));
        if (l->cell == CELL_GRU)
            l->bias = wf_narrow(c, b, 0, n, n);
        else
            x = wf_add(c, x, wf_narrow(c, b, 0, n, n));
    }
    l->peep = lstm ? direction(r, l->in[7], d) : WF_NONE;
    in[k++] = back ? ox_num_tensor(r, ox_num_size(wf_size_sub(c, time, 1))) : wf_scalar(c, WF_I64, 0);
    for (size_t i = 5; i < 6u + lstm; i++)
        in[k++] = !wf_is_none(l->in[i]) ? direction(r, l->in[i], d) : wf_broadcast_to(c, ox_like(r, 0, x), dims, 2);
    in[k] = x;
    wf_scan_call(c, &fn, 2 + lstm, in, fn.inputs, WF_UNBOUNDED, back, out, fn.outputs);
    *h = out[1];
    *cell = lstm ? out[2] : WF_NONE;
    *y = out[2 + lstm];
    return ox_ok(r);
}

static bool recurrent(OxRun *r, Cell cell, bool bytes)
{
    wf_ctx *c = r->c;
    static const int swapped[] = {1, 0, 2}, y_first[] = {2, 0, 1, 3};
    wf_tensor x = ox_in(r, 0), lens = ox_opt(r, 4), y[2], h[2], cells[2], all;
    const char *way = ox_text(r, "direction", "forward");
    bool both = strcmp(way, "bidirectional") == 0, layout = ox_int(r, "layout", 0) != 0;
    int dirs = both ? 2 : 1, per = cell == CELL_LSTM ? 3 : cell == CELL_GRU ? 2 : 1;
    Layer l = {.r = r, .cell = cell, .bytes = bytes, .clip = ox_float(r, "clip", 0), .input_forget = ox_int(r, "input_forget", 0) != 0,
               .reset_after = ox_int(r, "linear_before_reset", 0) != 0};

    if (!ox_ok(r) || wf_rank(c, x) != 3 || wf_rank(c, ox_in(r, 2)) != 3)
        return ox_ok(r) ? ox_fail(r, WF_ERR_SHAPE, "the input and the weights have rank 3") : false;
    l.hidden = wf_size(c, ox_in(r, 2), bytes ? 1 : 2);
    for (size_t i = 0; i < 8; i++) {
        l.in[i] = ox_opt(r, i);
        if (layout && (i == 0 || i == 5 || i == 6) && ox_has(r, i)) /* the batch comes first */
            l.in[i] = wf_permute(c, l.in[i], swapped, 3);
    }
    x = l.in[0];
    if (!wf_is_none(lens)) {
        l.masked = true;
        l.lens = wf_expand_dims(c, wf_cast(c, lens, WF_I64), 1);
    }
    for (int d = 0; d < dirs; d++) {
        activations(r, &l, d, per);
        if (!run_direction(r, &l, x, d, both ? d == 1 : strcmp(way, "reverse") == 0, &y[d], &h[d], &cells[d]))
            return false;
    }
    all = wf_stack(c, y, dirs, 1);
    ox_put(r, 0, layout ? wf_permute(c, all, y_first, 4) : all);
    for (size_t i = 1; i < 2u + (cell == CELL_LSTM); i++) {
        all = wf_stack(c, i == 1 ? h : cells, dirs, 0);
        ox_put(r, i, layout ? wf_permute(c, all, swapped, 3) : all);
    }
    return ox_ok(r);
}

OX_RULE(rnn) { (void)op; return recurrent(r, CELL_RNN, false); }
OX_RULE(gru) { (void)op; return recurrent(r, CELL_GRU, false); }
OX_RULE(lstm) { (void)op; return recurrent(r, CELL_LSTM, false); }
OX_RULE(quant_lstm) { (void)op; return recurrent(r, CELL_LSTM, true); }
