/* module_method.c -- programs of a module for a file: any function of it, or a whole
 * training step, with notes of which tensors of the file they take and change.
 *
 * A graph is opened whose first inputs stand for the state; the module runs with them
 * lent to its places; places that hold something else afterwards have changed. What draws
 * random numbers draws them by a key, a tensor of the file.
 */
#include "nn/nn.h"

#include <stdio.h>
#include <string.h>

typedef struct Maker { /* of one method */
    wf_ctx *c;
    wf_module *m;
    wf_graph *graph;
    TensorList own; /* all state of m */
    char **path;    /* of each, the first one */
    wf_tensor *in;  /* symbols: the state, and what else the method takes */
    wf_tensor *out; /* results, then new values */
    wf_tensor *new_state;
    wf_tensor key;             /* by which it draws random numbers, if it does */
    int nin, nargs, nout, room; /* nargs: the last of in; room: of in and out */
    NnText text;            /* method.NAME */
} Maker;

static wf_status find_path(void *user, const char *path, wf_tensor t, bool is_param)
{
    Maker *k = user;

    (void)is_param;
    for (int i = 0; i < k->own.n; i++)
        if (nn_same(k->own.v[i], t) && !k->path[i])
            return (k->path[i] = nn_copy_text(k->c, path)) ? WF_OK : nn_gave_up(k->c);
    return WF_OK;
}

static void put_line(NnText *b, const char *kind, const char *name)
{
    nn_put_field(b, kind, " ");
    nn_put_field(b, name, "\n");
}

/* A symbol for the program's input, by a name that its text form allows. */
static wf_tensor symbol(wf_ctx *c, wf_graph *g, const char *name, const char *type)
{
    char s[120];
    size_t n = 0;
    bool letter = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z');

    if (!letter)
        s[n++] = 'p';
    for (; *name && n < sizeof s - 1; name++)
        s[n++] = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
                         (*name >= '0' && *name <= '9') || *name == '.'
                     ? *name
                     : '_';
    s[n] = 0;
    return wf_symbol(c, g, s, type);
}

/* An input that is the file's tensor of that name, of the type of t. */
#define ARGUMENTS 65536 /* of a method, at most */

static wf_tensor add_state(Maker *k, const char *name, wf_tensor t)
{
    char type[40 + 24 * WF_MAX_RANK];
    int rank = wf_rank(k->c, t), n;

    n = snprintf(type, sizeof type, "%s[", wf_dtype_name(wf_dtype_of(k->c, t)));
    for (int i = 0; i < rank; i++)
        n += snprintf(type + n, sizeof type - (size_t)n, "%s%lld", i ? "," : "",
                      (long long)wf_size(k->c, t, i));
    snprintf(type + n, sizeof type - (size_t)n, "]");
    put_line(&k->text, "state", name);
    return k->in[k->nin++] = symbol(k->c, k->graph, name, type);
}

static void add_update(Maker *k, const char *name, wf_tensor value)
{
    put_line(&k->text, "update", name);
    k->out[k->nout++] = value;
}

typedef struct Changed {
    Maker *k;
    wf_tensor of, to;
} Changed;

static wf_status add_if_changed(void *user, const char *path, wf_tensor t, bool is_param)
{
    const Changed *u = user;

    (void)is_param;
    if (nn_same(t, u->of))
        add_update(u->k, path, u->to);
    return WF_OK;
}

/* A new value of state i, under every path where it stands. */
static void add_new_state(Maker *k, int i, wf_tensor value)
{
    wf_module_visit_state(k->c, k->m, add_if_changed, &(Changed){k, k->own.v[i], value});
}

static void maker_free(Maker *k)
{
    for (int i = 0; k->path && i < k->own.n; i++)
        nn_free_text(k->c, k->path[i]);
    nn_free(k->c, k->path, (size_t)k->own.n * sizeof *k->path);
    nn_free(k->c, k->in, (size_t)k->room * sizeof *k->in);
    nn_free(k->c, k->out, (size_t)k->room * sizeof *k->out);
    nn_free(k->c, k->new_state, (size_t)k->own.n * sizeof *k->new_state);
    nn_free(k->c, k->text.s, k->text.cap);
    nn_list_free(k->c, &k->own);
}

/* An open graph whose first inputs are the module's state. more: room for others */
static bool maker_begin(Maker *k, const char *name, int more)
{
    wf_ctx *c = k->c;

    k->own = nn_list(c, k->m, true);
    if (!k->own.v)
        return false;
    k->text.c = c;
    k->room = k->own.room + more + 1; /* own.room: places, some of the same tensor */
    k->path = nn_alloc(c, (size_t)k->own.n * sizeof *k->path);
    k->in = nn_alloc(c, (size_t)k->room * sizeof *k->in);
    k->out = nn_alloc(c, (size_t)k->room * sizeof *k->out);
    k->new_state = nn_alloc(c, (size_t)k->own.n * sizeof *k->new_state);
    if (wf_ctx_status(c) || wf_module_visit_state(c, k->m, find_path, k) ||
        wf_graph_new(c, name, NULL, &k->graph) || wf_graph_enter(c, k->graph))
        return false;
    for (int i = 0; i < k->own.n && !wf_ctx_status(c); i++)
        add_state(k, k->path[i], k->own.v[i]);
    k->key = symbol(c, k->graph, NN_KEY, "u32[2]");
    wf_random_key_begin(c, k->key);
    return true;
}

static void add_arguments(Maker *k, const char *const *types, int nin)
{
    char name[16];

    for (int i = 0; nn_count(k->c, types, nin, "method") && i < nin; i++) {
        snprintf(name, sizeof name, "x%d", i);
        k->in[k->nin++] = wf_symbol(k->c, k->graph, name, types[i]);
        k->nargs++;
    }
}

/* The key as a tensor of the file, the last of the state, which every run changes. */
static void add_key(Maker *k, wf_model *file)
{
    wf_ctx *c = k->c;
    wf_tensor *at = k->in + k->nin - k->nargs;
    wf_array *a = NULL;

    for (int i = 0; i < k->own.n; i++)
        if (nn_refuse(c, !strcmp(k->path[i], NN_KEY), "a method that draws random numbers: the name " NN_KEY " is taken"))
            return;
    memmove(at + 1, at, (size_t)k->nargs * sizeof *at);
    *at = k->key;
    k->nin++;
    put_line(&k->text, "state", NN_KEY);
    add_update(k, NN_KEY, wf_random_key_next(c));
    if (!wf_model_find_tensor(file, NN_KEY) && !wf_array_from(c, WF_U32, (int64_t[]){2}, 1, (uint32_t[]){0, 0}, &a))
        wf_model_set_tensor(c, file, NN_KEY, a);
    wf_array_release(a);
}

static void maker_end(Maker *k, const char *name, wf_model *file)
{
    wf_ctx *c = k->c;
    const wf_program *p = NULL;
    char key[200];

    snprintf(key, sizeof key, "method.%s", name);
    if (wf_random_key_count(c))
        add_key(k, file);
    wf_random_key_end(c);
    if (!wf_ctx_status(c) && !wf_graph_close(c, k->graph, k->in, k->nin, k->out, k->nout, &p) &&
        !wf_model_add(c, file, p))
        wf_model_set_meta(c, file, key, k->text.s ? k->text.s : "");
    wf_program_release(p);
    wf_graph_leave(c, k->graph);
    wf_graph_free(c, k->graph);
}

static wf_status call_method(wf_ctx *c, wf_module *m, wf_method fn, void *user,
                             const wf_tensor *in, int nin, wf_tensor *out, int nout)
{
    wf_status s;

    if (!fn)
        return wf_module_call(c, m, in, nin, out, nout);
    s = fn(c, user, m, in, nin, out, nout);
    if (s && !wf_ctx_status(c))
        wf_raise(c, s, "the method gave up without an error");
    return wf_ctx_status(c);
}

wf_status wf_module_add_method(wf_ctx *c, wf_module *m, wf_model *file, const char *name,
                               wf_method fn, void *user, const char *const *types,
                               int nin, int nout)
{
    Maker k = {.c = c, .m = m};

    if (nn_null(c, m, "wf_module_add_method", "module") ||
        nn_null(c, file, "wf_module_add_method", "file") ||
        nn_refuse(c,
                  nin < 0 || nin > ARGUMENTS || nout < 1 || nout > ARGUMENTS || !name ||
                      strlen(name) > 100,
                  "wf_module_add_method: needs a name and a result"))
        return wf_ctx_status(c);
    wf_scope_begin(c);
    if (maker_begin(&k, name, nin + nout)) {
        add_arguments(&k, types, nin);
        if (!wf_ctx_status(c)) {
            nn_lend(m, &k.own, k.in);
            call_method(c, m, fn, user, k.in + k.own.n, nin, k.out, nout);
            nn_take_back(m, &k.own, k.new_state);
        }
        k.nout = nout;
        for (int i = 0; i < k.own.n && !wf_ctx_status(c); i++)
            if (!nn_same(k.new_state[i], k.in[i]))
                add_new_state(&k, i, k.new_state[i]);
        maker_end(&k, name, file);
    }
    maker_free(&k);
    wf_scope_end(c);
    return wf_ctx_status(c);
}

/* ---- a training step --------------------------------------------------------------- */

typedef struct MethodStep {
    Maker k;
    const wf_optim *o;
    wf_method loss;
    void *user;
    const wf_tensor *args;
    wf_tensor lr, steps, scale, good; /* scale, good: WF_NONE if the loss is not scaled */
    int nin, ntrained;
    int *trained, *number; /* of each trained parameter: in own, in o */
    wf_tensor *state;      /* of a call */
    bool *changed;         /* by a call; of own */
} MethodStep;

/* (trained parameters) -> loss, state after it */
static wf_status loss_of(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                         wf_tensor *out, int nout)
{
    MethodStep *s = user;
    const TensorList *own = &s->k.own;
    wf_status status;

    (void)nin, (void)nout;
    memcpy(s->state, s->k.in, (size_t)own->n * sizeof *in);
    for (int i = 0; i < s->ntrained; i++)
        s->state[s->trained[i]] = in[i];
    nn_lend(s->k.m, own, s->state);
    status = call_method(c, s->k.m, s->loss, s->user, s->args, s->nin, out, 1);
    nn_take_back(s->k.m, own, out + 1);
    for (int i = 0; i < own->n; i++)
        s->changed[i] = !nn_same(out[1 + i], s->state[i]);
    if (!status && !wf_is_none(s->scale))
        out[0] = wf_mul(c, out[0], wf_cast(c, s->scale, wf_dtype_of(c, out[0])));
    return status;
}

/* The parameters that require gradients, with their numbers in the optimiser. */
static bool find_trained(wf_ctx *c, MethodStep *s)
{
    for (int i = 0; i < s->k.own.n; i++) {
        int j = nn_optim_find(s->o, s->k.own.v[i]);
        if (j < 0 || !wf_has_grad_history(c, s->k.own.v[i]))
            continue;
        s->trained[s->ntrained] = i;
        s->number[s->ntrained++] = j;
    }
    return !nn_refuse(c, !s->ntrained, "wf_optim_add_step: nothing is to be trained");
}

/* Optimiser state, rate, step number and arguments as further inputs. st: symbols of the
 * state, as wf_optim_update wants it */
static void add_inputs(wf_ctx *c, MethodStep *s, wf_tensor *st, const char *const *types)
{
    char name[40];

    for (int i = 0; i < s->o->per * s->ntrained && !wf_ctx_status(c); i++) {
        int j = s->number[i % s->ntrained];
        snprintf(name, sizeof name, "optim.state.%d", i / s->ntrained * s->o->n + j);
        st[i] = add_state(&s->k, name, s->o->params[j]);
    }
    s->lr = add_state(&s->k, "optim.lr", wf_scalar(c, WF_F64, 0));
    s->steps = add_state(&s->k, "optim.steps", wf_scalar(c, WF_I64, 0));
    if (s->o->scale > 0) {
        s->scale = add_state(&s->k, "optim.scale", wf_scalar(c, WF_F32, 0));
        s->good = add_state(&s->k, "optim.good", wf_scalar(c, WF_I64, 0));
    }
    s->args = s->k.in + s->k.nin;
    add_arguments(&s->k, types, s->nin);
}

static void add_updates(MethodStep *s, const wf_tensor *params, const wf_tensor *st,
                        const wf_tensor *state_after, wf_tensor steps)
{
    char name[40];

    for (int i = 0; i < s->ntrained; i++)
        add_new_state(&s->k, s->trained[i], params[i]);
    for (int i = 0; i < s->o->per * s->ntrained; i++) {
        int j = s->number[i % s->ntrained];
        snprintf(name, sizeof name, "optim.state.%d", i / s->ntrained * s->o->n + j);
        add_update(&s->k, name, st[i]);
    }
    for (int i = 0; i < s->k.own.n; i++)
        if (s->changed[i])
            add_new_state(&s->k, i, state_after[i]);
    add_update(&s->k, "optim.steps", steps);
}

#define SCALE_STEPS 2000 /* after which the scale is doubled, as torch.amp.GradScaler has it */

/* ---- a scaled loss ---- */

static wf_tensor unscaled(wf_ctx *c, const MethodStep *s, wf_tensor x)
{
    return wf_div(c, x, wf_cast(c, s->scale, wf_dtype_of(c, x)));
}

/* Gradients as they are without the scale; true if all are finite. */
static wf_tensor unscale(wf_ctx *c, const MethodStep *s, wf_tensor *g)
{
    wf_tensor ok = wf_scalar(c, WF_BOOL, 1);

    for (int i = 0; i < s->ntrained; i++) {
        g[i] = unscaled(c, s, g[i]);
        ok = wf_logical_and(c, ok, wf_all(c, wf_is_finite(c, g[i]), NULL, 0, false));
    }
    return ok;
}

/* The scale and the number of steps since it changed, after a step. */
static void add_scale(wf_ctx *c, MethodStep *s, wf_tensor ok)
{
    wf_tensor good = wf_add(c, s->good, wf_int(c, 1)), enough = wf_ge(c, good, wf_int(c, SCALE_STEPS)),
              none = wf_scalar(c, WF_I64, 0);
    wf_tensor product = wf_mul(c, s->scale, wf_float(c, 0.5));

    add_update(&s->k, "optim.scale",
               wf_where(c, ok, wf_where(c, enough, wf_mul(c, s->scale, wf_float(c, 2)), s->scale),
                        product));
    add_update(&s->k, "optim.good", wf_where(c, wf_logical_and(c, ok, wf_logical_not(c, enough)), good, none));
}

/* Loss, gradients and update, into the open graph. t: room for tensors */
static void build_step(wf_ctx *c, MethodStep *s, const char *const *types, wf_tensor *t)
{
    int n = s->ntrained, per = s->o->per, *wrt = s->number + s->k.own.n;
    wf_tensor *p = t, *g = p + n, *st = g + n, *new_p = st + per * n, *new_st = new_p + n,
              *y = new_st + per * n, step, after, ok = WF_NONE; /* y: the loss, the state after it */
    wf_function f = WF_FUNCTION(loss_of, s, n, 1 + s->k.own.n, "loss");

    for (int i = 0; i < n; i++)
        p[wrt[i] = i] = s->k.in[s->trained[i]];
    add_inputs(c, s, st, types);
    step = wf_add(c, wf_cast(c, s->steps, WF_F64), wf_scalar(c, WF_F64, 1));
    if (wf_ctx_status(c) || wf_grad_call(c, &f, p, n, wrt, n, y, 1 + s->k.own.n, g))
        return;
    if (!wf_is_none(s->scale)) {
        y[0] = unscaled(c, s, y[0]);
        ok = unscale(c, s, g);
    }
    if (nn_optim_update(c, s->o, s->number, s->lr, step, p, g, st, n, new_p, new_st))
        return;
    after = wf_add(c, s->steps, wf_int(c, 1));
    if (!wf_is_none(s->scale)) { /* a step with gradients that are not finite is none */
        for (int i = 0; i < n; i++)
            new_p[i] = wf_where(c, ok, new_p[i], p[i]);
        for (int i = 0; i < per * n; i++)
            new_st[i] = wf_where(c, ok, new_st[i], st[i]);
        after = wf_where(c, ok, after, s->steps);
    }
    s->k.out[s->k.nout++] = y[0];
    add_updates(s, new_p, new_st, y + 1, after);
    if (!wf_is_none(s->scale))
        add_scale(c, s, ok);
}

wf_status wf_optim_add_step(wf_ctx *c, wf_optim *o, wf_module *m, wf_model *file,
                            const char *name, wf_method loss, void *user,
                            const char *const *types, int nin)
{
    MethodStep s = {
        .k = {.c = c, .m = m}, .o = o, .loss = loss, .user = user, .nin = nin, .scale = WF_NONE, .good = WF_NONE};
    wf_tensor *t = NULL;
    size_t numbers = 0, tensors = 0, n;

    if (nn_null(c, o, "wf_optim_add_step", "optimiser") ||
        nn_null(c, m, "wf_optim_add_step", "module") ||
        nn_null(c, file, "wf_optim_add_step", "file") ||
        nn_refuse(c, nin < 0 || nin > ARGUMENTS || !name || strlen(name) > 100,
                  "wf_optim_add_step: needs a name"))
        return wf_ctx_status(c);
    wf_scope_begin(c);
    if (maker_begin(&s.k, name, (1 + o->per) * o->n + nin + 5)) {
        n = (size_t)s.k.own.n;
        numbers = 3 * n * sizeof(int);
        tensors = ((size_t)(5 + 2 * o->per) * n + 1) * sizeof *t;
        s.trained = nn_alloc(c, numbers);
        s.changed = nn_alloc(c, n);
        t = nn_alloc(c, tensors);
        if (!wf_ctx_status(c)) {
            s.number = s.trained + n;
            s.state = t;
            if (find_trained(c, &s))
                build_step(c, &s, types, t + n);
        }
        maker_end(&s.k, name, file);
        nn_free(c, s.trained, numbers);
        nn_free(c, s.changed, n);
        nn_free(c, t, tensors);
    }
    maker_free(&s.k);
    wf_scope_end(c);
    return wf_ctx_status(c);
}
