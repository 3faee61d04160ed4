/* weft_rows.c -- the rows of the benchmark in Weft, as a user of the library writes them:
 * on the public headers alone.
 *
 *   weft_rows THREADS        answers the commands of worker.py, and `profile N`
 *   weft_rows save FILE      a tiny model
 *   weft_rows cold FILE      loads it and prints its first result
 *   weft_rows check ROW      a row (or all) on small inputs, compiled and interpreted
 *
 * A row is a function of tensors, traced, transformed and prepared; then it is run on
 * arrays. The results of a training step are the parameters of the next.
 */
#define _GNU_SOURCE
#include "rows_small.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define MAX_ARRAYS 512

/* A prepared row. */
typedef struct Case {
    wf_array *in[MAX_ARRAYS], *out[MAX_ARRAYS];
    int nin, nout;
    int first_state, nstate; /* results 1 .. nstate become inputs first_state .. */
    wf_exec *exec;
    const wf_program *program; /* that exec runs */
    void (*eager)(wf_ctx *c, struct Case *k); /* instead of a program */
} Case;

typedef struct Row {
    const char *name;
    void (*build)(wf_ctx *c, Case *k);
} Row;

/* Seconds; with WEFT_CLOCK=cpu those that the process and its children computed. */
static double now(void)
{
    const char *kind = getenv("WEFT_CLOCK");
    bool cpu = kind && strcmp(kind, "cpu") == 0;
    struct timespec t;
    struct rusage u;
    double seconds;

    clock_gettime(cpu ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    seconds = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
    if (cpu && getrusage(RUSAGE_CHILDREN, &u) == 0)
        seconds += (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
                   1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
    return seconds;
}

/* MB, the most so far. */
static double most_resident(void)
{
    FILE *f = fopen("/proc/self/status", "r");
    char line[256];
    long kb = 0;

    while (f && fgets(line, sizeof line, f))
        sscanf(line, "VmHWM: %ld", &kb);
    if (f)
        fclose(f);
    return (double)kb / 1000;
}

/* ---- programs ---------------------------------------------------------------------- */

/* Traces f at the types of n inputs. */
static const wf_program *trace(wf_ctx *c, const Case *k, wf_call call, void *user, int n,
                               int outputs)
{
    wf_function f = WF_FUNCTION(call, user, n, outputs, "f");
    wf_tensor *in = malloc(sizeof *in * (size_t)(n + 1));
    const wf_program *p = NULL;

    for (int i = 0; i < n; i++)
        in[i] = wf_from_array(c, k->in[i]);
    wf_trace(c, &f, in, n, &p);
    free(in);
    return p;
}

/* State is updated where it stands. */
static void use(wf_ctx *c, Case *k, const wf_program *p)
{
    int state[MAX_ARRAYS];
    wf_exec *e = NULL;

    k->nout = p ? wf_program_outputs(p) : 0;
    for (int i = 0; i < k->nstate; i++)
        state[i] = k->first_state + i;
    if (p && wf_compile(c, p, 0, &e) == WF_OK)
        wf_donate(c, e, state, k->nstate, &k->exec);
    wf_exec_release(e);
    k->program = p;
}

/* The function of the row's inputs, all of them. */
static void simple(wf_ctx *c, Case *k, wf_call call, int outputs)
{
    use(c, k, trace(c, k, call, NULL, k->nin, outputs));
}

/* ---- elementwise, rows, matmul, factorisations ---------------------------------------------- */

static wf_status f_ew(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out,
                      int nout)
{
    wf_tensor x = in[0], e = wf_exp(c, wf_neg(c, wf_mul(c, x, x)));

    (void)user, (void)nin, (void)nout;
    out[0] = wf_add(
        c, wf_add(c, wf_mul(c, wf_tanh(c, x), wf_sigmoid(c, x)), wf_mul(c, e, in[1])),
        in[2]);
    return WF_OK;
}

static wf_status f_softmax(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                           wf_tensor *out, int nout)
{
    (void)user, (void)nin, (void)nout;
    out[0] = wf_softmax(c, in[0], -1);
    return WF_OK;
}

static wf_status f_layernorm(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                             wf_tensor *out, int nout)
{
    (void)user, (void)nin, (void)nout;
    out[0] = wf_layer_norm(c, in[0], 1, in[1], in[2], 1e-5);
    return WF_OK;
}

static wf_status f_square_norm(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                               wf_tensor *out, int nout)
{
    wf_tensor y;

    (void)nin, (void)nout;
    f_layernorm(c, user, in, nin, &y, 1);
    out[0] = wf_sum(c, wf_mul(c, y, y), NULL, 0, false);
    return WF_OK;
}

static wf_status f_matmul(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                          wf_tensor *out, int nout)
{
    (void)user, (void)nin, (void)nout;
    out[0] = wf_matmul(c, in[0], in[1]);
    return WF_OK;
}

static wf_status f_eigh(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out,
                        int nout)
{
    wf_tensor v;

    (void)user, (void)nin, (void)nout;
    return wf_eigh(c, in[0], out, &v);
}

static wf_status f_svd(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out,
                       int nout)
{
    wf_tensor u, vt;

    (void)user, (void)nin, (void)nout;
    return wf_svd(c, in[0], &u, out, &vt);
}

static wf_status f_qr(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out,
                      int nout)
{
    wf_tensor q, r;

    (void)user, (void)nin, (void)nout;
    wf_qr(c, in[0], false, &q, &r);
    out[0] = wf_abs(c, r);
    return WF_OK;
}

static wf_status f_solve(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out,
                         int nout)
{
    (void)user, (void)nin, (void)nout;
    out[0] = wf_add(c, wf_solve(c, in[0], in[1]), wf_cholesky(c, in[0]));
    return WF_OK;
}

static void b_eigh(wf_ctx *c, Case *k) { simple(c, k, f_eigh, 1); }
static void b_svd(wf_ctx *c, Case *k) { simple(c, k, f_svd, 1); }
static void b_qr(wf_ctx *c, Case *k) { simple(c, k, f_qr, 1); }
static void b_solve(wf_ctx *c, Case *k) { simple(c, k, f_solve, 1); }
static void b_ew(wf_ctx *c, Case *k) { simple(c, k, f_ew, 1); }
static void b_softmax(wf_ctx *c, Case *k) { simple(c, k, f_softmax, 1); }
static void b_layernorm(wf_ctx *c, Case *k) { simple(c, k, f_layernorm, 1); }
static void b_matmul(wf_ctx *c, Case *k) { simple(c, k, f_matmul, 1); }

static void b_layernorm_grad(wf_ctx *c, Case *k)
{
    const wf_program *f = trace(c, k, f_square_norm, NULL, 3, 1), *g = NULL;

    if (f)
        wf_value_and_grad(c, f, (int[]){0, 1, 2}, 3, &g);
    wf_program_release(f);
    use(c, k, g);
}

/* ---- training: loss and parameters after a step of SGD ------------------------------ */

/* The first input is a parameter; then come the other parameters, buffers and data. */
typedef struct Training {
    wf_function loss; /* gives the loss, then the buffers after it */
    int params, buffers;
} Training;

static wf_status f_step(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                        wf_tensor *out, int nout)
{
    const Training *t = user;
    int wrt[MAX_ARRAYS];
    wf_tensor y[MAX_ARRAYS], g[MAX_ARRAYS], lr = wf_float(c, 0.01);

    (void)nout;
    for (int i = 0; i < t->params; i++)
        wrt[i] = i;
    if (wf_grad_call(c, &t->loss, in, nin, wrt, t->params, y, 1 + t->buffers, g) != WF_OK)
        return wf_ctx_status(c);
    out[0] = y[0];
    for (int i = 0; i < t->params; i++)
        out[1 + i] = wf_sub(c, in[i], wf_mul(c, lr, g[i]));
    for (int i = 0; i < t->buffers; i++)
        out[1 + t->params + i] = y[1 + i];
    return WF_OK;
}

static void training(wf_ctx *c, Case *k, Training *t)
{
    t->loss.inputs = k->nin;
    t->loss.outputs = 1 + t->buffers;
    k->nstate = t->params + t->buffers;
    use(c, k, trace(c, k, f_step, t, k->nin, 1 + k->nstate));
}

static wf_tensor net(wf_ctx *c, const wf_tensor *p, int n, wf_tensor x)
{
    for (int i = 0; i < n - 2; i += 2)
        x = wf_relu(c, wf_linear(c, x, p[i], p[i + 1]));
    return wf_linear(c, x, p[n - 2], p[n - 1]);
}

/* user: how many parameters */
static wf_status f_mlp_loss(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                            wf_tensor *out, int nout)
{
    int n = *(int *)user;

    (void)nin, (void)nout;
    out[0] =
        wf_cross_entropy(c, net(c, in, n, in[n]), in[n + 1], WF_NONE, -100, 0, WF_MEAN);
    return WF_OK;
}

static wf_status f_mlp(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                       wf_tensor *out, int nout)
{
    (void)user, (void)nin, (void)nout;
    out[0] = net(c, in, 4, in[4]);
    return WF_OK;
}

static void b_mlp_train(wf_ctx *c, Case *k)
{
    int n = k->nin - 2;

    training(c, k,
             &(Training){.loss = WF_FUNCTION(f_mlp_loss, &n, 0, 0, "loss"), .params = n});
}

static void b_tiny_infer(wf_ctx *c, Case *k) { simple(c, k, f_mlp, 1); }

/* ---- modules: parameters, batch-norm buffers, data ---------------------------------- */

typedef struct Net {
    wf_module *m;
    int params, buffers,
        steps;                /* steps: integer buffers, which are not among the inputs */
    bool is_step[MAX_ARRAYS]; /* of each buffer */
    int64_t flat;             /* axes of the logits to be joined */
} Net;

static void conv_bn(wf_ctx *c, wf_module *m, const char *name, int64_t in, int64_t out)
{
    wf_conv_options o = {.size = sizeof o, .padding = 1, .no_bias = true};

    wf_module_add(c, m, name,
                  wf_nn_sequential(c, 3, wf_nn_conv2d(c, NULL, in, out, 3, &o),
                                   wf_nn_batch_norm2d(c, out, 0.001, 0.1),
                                   wf_nn_relu(c)));
}

static wf_module *small_inception(wf_ctx *c)
{
    wf_module *m = wf_nn_sequential(c, 0);

    conv_bn(c, m, "0", 1, 32);
    wf_module_append(c, m, wf_nn_max_pool2d(c, 2, 2, 0, false));
    wf_module_append(c, m, wf_nn_inception(c, NULL, 32, 16, 16, 24, 4, 8, 16));
    wf_module_append(c, m, wf_nn_max_pool2d(c, 2, 2, 0, false));
    wf_module_append(c, m, wf_nn_inception(c, NULL, 64, 32, 32, 48, 8, 16, 24));
    wf_module_append(c, m, wf_nn_adaptive_avg_pool2d(c, 1));
    wf_module_append(c, m, wf_nn_flatten(c, 1, -1));
    wf_module_append(c, m, wf_nn_linear(c, NULL, 120, 10, true));
    return m;
}

/* Finds which buffers the inputs have: the floating-point ones. */
static void net_count(wf_ctx *c, Net *n)
{
    wf_tensor state[MAX_ARRAYS];
    int all = wf_module_state(n->m, state, MAX_ARRAYS);

    n->params = wf_module_parameters(n->m, NULL, 0);
    n->buffers = all - n->params;
    for (int i = 0; i < n->buffers; i++) {
        n->is_step[i] = wf_dtype_of(c, state[n->params + i]) != WF_F32;
        n->steps += n->is_step[i];
    }
}

/* The module on state and x of the inputs; the buffers after it, if out_buffers. */
static wf_tensor net_call(wf_ctx *c, const Net *n, const wf_tensor *in, wf_tensor x,
                          wf_tensor *out_buffers)
{
    wf_tensor state[MAX_ARRAYS], after[MAX_ARRAYS], y = WF_NONE;
    int given = n->params;

    for (int i = 0; i < n->params; i++)
        state[i] = in[i];
    for (int i = 0; i < n->buffers; i++)
        state[n->params + i] = n->is_step[i] ? wf_scalar(c, WF_I64, 0) : in[given++];
    wf_module_call_with(c, n->m, state, n->params + n->buffers, &x, 1, &y, 1, after);
    for (int i = 0; i < n->buffers && out_buffers; i++)
        if (!n->is_step[i])
            *out_buffers++ = after[n->params + i];
    return y;
}

static wf_status f_net_loss(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                            wf_tensor *out, int nout)
{
    const Net *n = user;
    int data = n->params + n->buffers - n->steps;
    wf_tensor y = net_call(c, n, in, in[data], out + 1);

    (void)nin, (void)nout;
    if (n->flat)
        y = wf_flatten(c, y, 0, 1);
    out[0] = wf_cross_entropy(c, y, in[data + 1], WF_NONE, -100, 0, WF_MEAN);
    return WF_OK;
}

static wf_status f_net(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                       wf_tensor *out, int nout)
{
    const Net *n = user;

    (void)nin, (void)nout;
    out[0] = net_call(c, n, in, in[n->params + n->buffers - n->steps], NULL);
    return WF_OK;
}

static void train_net(wf_ctx *c, Case *k, Net *n)
{
    net_count(c, n);
    training(c, k,
             &(Training){.loss = WF_FUNCTION(f_net_loss, n, 0, 0, "loss"),
                         .params = n->params,
                         .buffers = n->buffers - n->steps});
    wf_module_release(c, n->m);
}

static void b_inception_train(wf_ctx *c, Case *k)
{
    train_net(c, k, &(Net){.m = small_inception(c)});
}

static void b_transformer_train(wf_ctx *c, Case *k)
{
    train_net(c, k, &(Net){.m = wf_nn_gpt(c, NULL, 256, 128, 256, 4, 4, 0), .flat = 1});
}

/* All inputs but the last become constants, as initialisers of ONNX Runtime are. */
static const wf_program *bind_weights(wf_ctx *c, Case *k, const wf_program *p)
{
    const wf_program *bound = NULL;
    int n = k->nin - 1, *which;

    if (!p)
        return NULL;
    which = calloc((size_t)n + 1, sizeof *which);
    for (int i = 0; i < n; i++)
        which[i] = i;
    wf_bind(c, p, which, k->in, n, &bound);
    for (int i = 0; i < n; i++)
        wf_array_release(k->in[i]);
    k->in[0] = k->in[n];
    k->nin = 1;
    free(which);
    wf_program_release(p);
    return bound;
}

static void b_googlenet(wf_ctx *c, Case *k)
{
    Net n = {.m = wf_nn_googlenet(c, NULL, 1000)};

    wf_module_train(n.m, false);
    net_count(c, &n);
    use(c, k, bind_weights(c, k, trace(c, k, f_net, &n, k->nin, 1)));
    wf_module_release(c, n.m);
}

/* ---- loops --------------------------------------------------------------------------- */

/* (w_ih, w_hh, b_ih, b_hh, h, c, x) -> (h, c, y) */
static wf_status f_lstm_step(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                             wf_tensor *out, int nout)
{
    wf_tensor g[4], cell;
    wf_tensor a =
        wf_add(c, wf_linear(c, in[6], in[0], in[2]), wf_linear(c, in[4], in[1], in[3]));

    (void)user, (void)nin, (void)nout;
    if (wf_split_equal(c, a, -1, g, 4) != WF_OK)
        return wf_ctx_status(c);
    cell = wf_add(c, wf_mul(c, wf_sigmoid(c, g[1]), in[5]),
                  wf_mul(c, wf_sigmoid(c, g[0]), wf_tanh(c, g[2])));
    out[0] = out[2] = wf_mul(c, wf_sigmoid(c, g[3]), wf_tanh(c, cell));
    out[1] = cell;
    return WF_OK;
}

static const wf_program *parse(wf_ctx *c, const char *text, const char *name)
{
    wf_model *m = NULL;
    const wf_program *p = NULL;

    if (wf_model_parse(c, name, text, strlen(text), &m) == WF_OK)
        p = wf_program_retain(wf_model_find(m, name));
    wf_model_free(m);
    return p;
}

/* The text of the programs lstm and loss; to be freed. NULL after an error. */
static char *lstm_text(wf_ctx *c)
{
    static const char *const types[] = {"f32[1024,256]", "f32[1024,256]", "f32[1024]",
                                        "f32[1024]",     "f32[32,256]",   "f32[32,256]",
                                        "f32[32,256]"};
    static const char layers[] =
        "%s\nlstm(wi: f32[1024,256], wh: f32[1024,256], bi: f32[1024], bh: f32[1024], x: "
        "f32[128,32,256]) {\n"
        "  z = const f32[32,256] 0\n"
        "  h, c, y = scan wi wh bi bh z z x body=step nconst=4 ncarry=2 length=128\n"
        "  ret y\n}\n"
        "loss(wi: f32[1024,256], wh: f32[1024,256], bi: f32[1024], bh: f32[1024], x: "
        "f32[128,32,256]) {\n"
        "  z = const f32[32,256] 0\n"
        "  h, c, y = scan wi wh bi bh z z x body=step nconst=4 ncarry=2 length=128\n"
        "  s = mul y y\n  t = reduce_sum s axes=[0,1,2]\n  ret t\n}\n";
    wf_function f = WF_FUNCTION(f_lstm_step, NULL, 7, 3, "step");
    const wf_program *step = NULL;
    const char *text = NULL;
    char *all;

    if (wf_trace_types(c, &f, types, 7, &step) != WF_OK ||
        wf_program_text(c, step, 0, &text) != WF_OK)
        return NULL;
    all = malloc(strlen(text) + sizeof layers);
    sprintf(all, layers, text);
    wf_program_release(step);
    return all;
}

static void x_last(Case *k)
{
    wf_array *x = k->in[0];

    memmove(k->in, k->in + 1, 4 * sizeof *k->in);
    k->in[4] = x;
}

static void b_lstm(wf_ctx *c, Case *k)
{
    char *text = lstm_text(c);

    x_last(k);
    if (text)
        use(c, k, bind_weights(c, k, parse(c, text, "lstm")));
    free(text);
}

static void b_lstm_train(wf_ctx *c, Case *k)
{
    char *text = lstm_text(c);
    const wf_program *f = text ? parse(c, text, "loss") : NULL, *g = NULL;

    x_last(k);
    if (f)
        wf_value_and_grad(c, f, (int[]){0, 1, 2, 3}, 4, &g);
    wf_program_release(f);
    free(text);
    use(c, k, g);
}

static void b_while(wf_ctx *c, Case *k)
{
    use(c, k,
        parse(c,
              "go(x: f32[]) {\n  one = const f32[] 1\n  p = gt x one\n  ret p\n}\n"
              "shrink(x: f32[]) {\n  h = const f32[] 0.99999\n  y = mul x h\n  ret y\n}\n"
              "f(x: f32[]) {\n  y = while x cond=go body=shrink\n  ret y\n}\n",
              "f"));
}

/* ---- higher derivatives --------------------------------------------------------------- */

static void b_hvp(wf_ctx *c, Case *k)
{
    int n = 4;
    const wf_program *f = trace(c, k, f_mlp_loss, &n, 6, 1), *h = NULL;

    if (f)
        wf_hvp(c, f, (int[]){0, 1, 2, 3}, 4, &h);
    wf_program_release(f);
    use(c, k, h);
}

static void b_persample(wf_ctx *c, Case *k)
{
    static const char *const types[] = {"f32[512,784]", "f32[512]", "f32[10,512]",
                                        "f32[10]",      "f32[784]", "i64[]"};
    int n = 4;
    wf_function loss = WF_FUNCTION(f_mlp_loss, &n, 6, 1, "loss");
    const wf_program *f = NULL, *g = NULL, *v = NULL;

    if (wf_trace_types(c, &loss, types, 6, &f) == WF_OK &&
        wf_grad(c, f, (int[]){0, 1, 2, 3}, 4, &g) == WF_OK)
        wf_vmap(c, g, (int[]){-1, -1, -1, -1, 0, 0}, 6, NULL, 64, &v);
    wf_program_release(f);
    wf_program_release(g);
    use(c, k, v);
}

/* ---- one small operation after the other ------------------------------------------------ */

static void keep_result(wf_ctx *c, Case *k, int i, wf_tensor t)
{
    wf_array_release(k->out[i]);
    k->out[i] = NULL;
    wf_to_array(c, t, &k->out[i]);
}

static void e_dispatch(wf_ctx *c, Case *k)
{
    wf_tensor x, y;

    wf_scope_begin(c);
    x = y = wf_from_array(c, k->in[0]);
    for (int i = 0; i < 1000; i++)
        y = wf_add(c, y, x);
    keep_result(c, k, 0, y);
    wf_scope_end(c);
}

static void e_tape(wf_ctx *c, Case *k)
{
    wf_tensor x, y;

    wf_scope_begin(c);
    x = y = wf_from_array(c, k->in[0]);
    wf_requires_grad(c, x, true);
    for (int i = 0; i < 1000; i++)
        y = wf_add(c, wf_mul(c, y, x), x);
    wf_backward(c, wf_sum(c, y, NULL, 0, false), WF_NONE, 0);
    keep_result(c, k, 0, wf_detach(c, y));
    keep_result(c, k, 1, wf_grad_of(c, x));
    wf_scope_end(c);
}

static void b_dispatch(wf_ctx *c, Case *k)
{
    (void)c;
    k->eager = e_dispatch;
    k->nout = 1;
}

static void b_tape(wf_ctx *c, Case *k)
{
    (void)c;
    k->eager = e_tape;
    k->nout = 2;
}

static const Row rows[] = {
    {"ew", b_ew},
    {"softmax", b_softmax},
    {"layernorm", b_layernorm},
    {"layernorm_grad", b_layernorm_grad},
    {"matmul", b_matmul},
    {"eigh", b_eigh},
    {"svd", b_svd},
    {"qr", b_qr},
    {"solve", b_solve},
    {"mlp_train", b_mlp_train},
    {"tiny_train", b_mlp_train},
    {"tiny_infer", b_tiny_infer},
    {"inception_train", b_inception_train},
    {"googlenet", b_googlenet},
    {"transformer_train", b_transformer_train},
    {"lstm", b_lstm},
    {"lstm_train", b_lstm_train},
    {"hvp", b_hvp},
    {"persample", b_persample},
    {"while", b_while},
    {"dispatch", b_dispatch},
    {"tape", b_tape},
};

/* ---- running ------------------------------------------------------------------------------ */

static void run_once(wf_ctx *c, Case *k)
{
    if (k->eager) {
        k->eager(c, k);
        return;
    }
    for (int i = 0; i < k->nout; i++) {
        wf_array_release(k->out[i]);
        k->out[i] = NULL;
    }
    if (wf_run(c, k->exec, k->in, wf_exec_inputs(k->exec), k->out,
               wf_exec_outputs(k->exec)) != WF_OK)
        return;
    for (int i = 0; i < k->nstate; i++) {
        wf_array_release(k->in[k->first_state + i]);
        k->in[k->first_state + i] = wf_array_retain(k->out[1 + i]);
    }
}

static void case_clear(Case *k)
{
    for (int i = 0; i < k->nin; i++)
        wf_array_release(k->in[i]);
    for (int i = 0; i < k->nout; i++)
        wf_array_release(k->out[i]);
    wf_exec_release(k->exec);
    wf_program_release(k->program);
    memset(k, 0, sizeof *k);
}

static bool file_exists(const char *path)
{
    FILE *f = fopen(path, "rb");

    if (f)
        fclose(f);
    return f != NULL;
}

static void load_inputs(wf_ctx *c, Case *k, const char *folder)
{
    char path[4096];

    for (; k->nin < MAX_ARRAYS; k->nin++) {
        snprintf(path, sizeof path, "%s/in%03d.npy", folder, k->nin);
        if (!file_exists(path) || wf_npy_load(c, path, &k->in[k->nin]) != WF_OK)
            return;
    }
}

static const Row *find_row(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

static bool prepare_row(wf_ctx *c, Case *k, const char *name, const char *folder)
{
    const Row *row = find_row(name);
    char path[4096];
    double start;
    int results;

    case_clear(k);
    if (!row) {
        printf("fail no such row here\n");
        return true;
    }
    load_inputs(c, k, folder);
    start = now();
    wf_scope_begin(c);
    row->build(c, k);
    wf_scope_end(c);
    if (wf_ctx_status(c) == WF_OK && (k->exec || k->eager))
        run_once(c, k);
    if (wf_ctx_status(c) != WF_OK || !(k->exec || k->eager))
        return false;
    start = now() - start;
    /* peers give a loss and parameters, or all results */
    results = k->nstate && strcmp(name, "inception_train") == 0 ? 42 : k->nout;
    for (int i = 0; i < results; i++) {
        snprintf(path, sizeof path, "%s/weft.%03d.npy", folder, i);
        wf_npy_save(c, path, k->out[i]);
    }
    printf("ok %.6f\n", start);
    return wf_ctx_status(c) == WF_OK;
}

static void answer_speed(wf_ctx *c, bool flops)
{
    double f = 0, b = 0;

    wf_machine_speed(c, &f, &b);
    printf("ok %.3f\n", (flops ? f : b) * 1e-9);
}

/* The dearest steps, to standard error. */
static void show_profile(wf_ctx *c, Case *k, int runs)
{
    wf_profile *p = NULL;
    double all = 0;

    if (!k->exec ||
        wf_profile_new(c, k->exec, k->in, wf_exec_inputs(k->exec), runs, &p) != WF_OK)
        return;
    for (int i = 0; i < wf_profile_steps(p); i++)
        all += wf_profile_step_at(p, i)->seconds;
    fprintf(stderr, "%.4f ms a run, %d steps, %.1f MB of intermediate values\n",
            1e3 * wf_profile_seconds(p), wf_profile_steps(p),
            (double)wf_exec_memory(k->exec) * 1e-6);
    for (int i = 0; i < wf_profile_steps(p) && i < 25; i++) {
        const wf_profile_step *s = wf_profile_step_at(p, i);

        fprintf(stderr, "%5.1f%% %9.4f ms %6lld x %-24s %-24s %7.1f GFLOP/s %6.1f GB/s\n",
                100 * s->seconds / all, 1e3 * s->seconds / runs,
                (long long)(s->calls / runs), s->op, s->type,
                s->flops / s->seconds * 1e-9, s->bytes / s->seconds * 1e-9);
    }
    wf_profile_free(p);
}

static void answer(wf_ctx *c, Case *k, const char *line)
{
    char word[32] = "", name[64] = "", folder[4000] = "";
    bool ok = true;

    sscanf(line, "%31s %63s %3999s", word, name, folder);
    if (strcmp(word, "row") == 0) {
        ok = prepare_row(c, k, name, folder);
    } else if (strcmp(word, "time") == 0) {
        int n = atoi(name);
        double start = now();

        for (int i = 0; i < n && wf_ctx_status(c) == WF_OK; i++)
            run_once(c, k);
        ok = wf_ctx_status(c) == WF_OK;
        if (ok)
            printf("ok %.9f\n", (now() - start) / n);
    } else if (strcmp(word, "profile") == 0) {
        show_profile(c, k, atoi(name));
        ok = wf_ctx_status(c) == WF_OK;
        if (ok)
            printf("ok 0\n");
    } else if (strcmp(word, "memory") == 0) {
        printf("ok %.3f\n", most_resident());
    } else if (strcmp(word, "gflops") == 0 || strcmp(word, "gbytes") == 0) {
        answer_speed(c, word[1] == 'f');
    } else {
        printf("fail what is '%s'?\n", word);
    }
    if (!ok) {
        char *text = strdup(wf_ctx_message(c));

        for (char *s = text; *s; s++)
            if (*s == '\n')
                *s = ' ';
        printf("fail %s\n", text);
        free(text);
        wf_clear(c);
    }
    fflush(stdout);
}

/* ---- cold start ---------------------------------------------------------------------------- */

static wf_status f_tiny(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                        wf_tensor *out, int nout)
{
    const wf_tensor *p = user;

    (void)nin, (void)nout;
    out[0] = net(c, p, 4, in[0]);
    return WF_OK;
}

static int save_tiny(wf_ctx *c, const char *path)
{
    static const char *const types[] = {"f32[1,64]"};
    wf_generator *g = NULL;
    wf_model *m = NULL;
    const wf_program *p = NULL;
    wf_tensor w[4];
    wf_function f = WF_FUNCTION(f_tiny, w, 1, 1, "tiny");

    wf_generator_new(c, 0, &g);
    w[0] = wf_init_normal(c, g, (int64_t[]){128, 64}, 2, 0, 0.1);
    w[1] = wf_init_normal(c, g, (int64_t[]){128}, 1, 0, 0.1);
    w[2] = wf_init_normal(c, g, (int64_t[]){10, 128}, 2, 0, 0.1);
    w[3] = wf_init_normal(c, g, (int64_t[]){10}, 1, 0, 0.1);
    if (wf_trace_types(c, &f, types, 1, &p) == WF_OK && wf_model_new(c, &m) == WF_OK &&
        wf_model_add(c, m, p) == WF_OK)
        wf_model_save(c, m, path);
    wf_model_free(m);
    wf_program_release(p);
    return wf_ctx_status(c) != WF_OK;
}

static int cold_start(wf_ctx *c, const char *path)
{
    wf_model *m = NULL;
    wf_array *x = NULL, *y = NULL;
    float ones[64];

    for (int i = 0; i < 64; i++)
        ones[i] = 1;
    if (wf_model_load(c, path, &m) == WF_OK &&
        wf_array_from(c, WF_F32, (int64_t[]){1, 64}, 2, ones, &x) == WF_OK &&
        wf_eval(c, wf_model_find(m, "tiny"), &x, 1, &y, 1) == WF_OK)
        printf("%g\n", (double)*(const float *)wf_array_data(y)), fflush(stdout);
    wf_array_release(x);
    wf_array_release(y);
    wf_model_free(m);
    printf("%.3f\n", most_resident());
    return wf_ctx_status(c) != WF_OK;
}

/* ---- checking ------------------------------------------------------------------------------ */

/* The largest difference of two arrays of f32, in units of the largest element. */
static double difference(const wf_array *a, const wf_array *b)
{
    const float *x = wf_array_data(a), *y = wf_array_data(b);
    double worst = 0, size = 1e-3;

    if (wf_array_dtype(a) != WF_F32)
        return 0;
    for (int64_t i = 0; i < wf_array_count(a); i++) {
        double d = fabs((double)x[i] - (double)y[i]);

        worst = d > worst || isnan(d) ? d : worst;
        size = fabs((double)y[i]) > size ? fabs((double)y[i]) : size;
    }
    return worst / size;
}

/* The row compiled and the same program interpreted; the largest difference, or NAN after
 * an error. */
static double check_row(wf_ctx *c, Case *k, const Row *row)
{
    wf_array *need[MAX_ARRAYS] = {NULL};
    wf_exec *plain = NULL;
    double worst = 0;

    case_clear(k);
    k->nin = small_inputs(c, row->name, k->in);
    wf_scope_begin(c);
    row->build(c, k);
    wf_scope_end(c);
    if (k->program && wf_ctx_status(c) == WF_OK &&
        wf_prepare(c, k->program, &plain) == WF_OK)
        wf_run(c, plain, k->in, wf_exec_inputs(plain), need, wf_exec_outputs(plain));
    if (wf_ctx_status(c) == WF_OK)
        run_once(c, k);
    for (int i = 0; i < k->nout && wf_ctx_status(c) == WF_OK; i++) {
        double d = need[i] ? difference(k->out[i], need[i]) : 0;

        worst = d > worst || isnan(d) ? d : worst;
    }
    for (int i = 0; i < k->nout; i++)
        wf_array_release(need[i]);
    wf_exec_release(plain);
    return wf_ctx_status(c) == WF_OK ? worst : NAN;
}

static int check_rows(wf_ctx *c, Case *k, const char *name)
{
    int good = 0, bad = 0;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double d;

        if (strcmp(name, "all") != 0 && strcmp(name, rows[i].name) != 0)
            continue;
        d = check_row(c, k, &rows[i]);
        good += d < 2e-3;
        bad += !(d < 2e-3);
        printf("%-18s %s, differs by %.1e %s\n", rows[i].name,
               k->exec && wf_exec_is_compiled(k->exec) ? "compiled" : "not compiled", d,
               wf_ctx_message(c));
        wf_clear(c);
    }
    printf("%d passed, %d failed\n", good, bad);
    return bad != 0 || good == 0;
}

int main(int argc, char **argv)
{
    wf_options o = {.size = sizeof o, .threads = argc > 1 ? atoi(argv[1]) : 0};
    wf_ctx *c = wf_ctx_new(&o);
    static Case k;
    char line[8192];
    int status = 0;

    if (!c)
        return 3;
    if (argc > 2)
        status = strcmp(argv[1], "save") == 0    ? save_tiny(c, argv[2])
                 : strcmp(argv[1], "check") == 0 ? check_rows(c, &k, argv[2])
                                                 : cold_start(c, argv[2]);
    else
        while (fgets(line, sizeof line, stdin))
            answer(c, &k, line);
    if (status)
        fprintf(stderr, "%s\n", wf_ctx_message(c));
    case_clear(&k);
    wf_ctx_free(c);
    return status;
}
