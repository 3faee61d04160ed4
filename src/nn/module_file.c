/* module_file.c -- a tree in a model file: its numbers, its shape, and programs made of
 * it, so that another program can run, derive and train it knowing only the file.
 *
 * Numbers are tensors under their paths. Metadata:
 *
 *   tree          a line for each part, in the order of the state dict; fields end in tabs
 *                   module PATH TYPE TEXT
 *                   param PATH [SAME]   frozen PATH [SAME]   buffer PATH [SAME]
 *                 SAME: the path of an earlier one that is the very same tensor
 *   method.NAME   how program NAME is called, a line for each tensor of the file
 *                   state NAME      the first inputs; what follows them are arguments
 *                   update NAME     the last results are its new values
 */
#include "nn/nn.h"

#include <stdio.h>
#include <string.h>

/* ---- numbers ----------------------------------------------------------------------- */

typedef struct Files {
    wf_ctx *c;
    wf_model *to;
    const wf_model *from;
    wf_module *tree;
    Buf text;
} Files;

static void put_field(Buf *b, const char *s, const char *end)
{
    nn_put(b, s, strlen(s));
    nn_put(b, end, 1);
}

static void store_array(wf_ctx *c, wf_model *file, const char *name, wf_tensor t)
{
    wf_array *a = NULL;
    wf_tensor copy;

    wf_no_grad_begin(c); /* a copy: training goes on, the file stays as it was */
    copy = wf_copy(c, t);
    wf_no_grad_end(c);
    if (!wf_to_array(c, copy, &a))
        wf_model_set_tensor(c, file, name, a);
    wf_array_release(a);
}

typedef struct Sought { /* the first path of a tensor */
    wf_tensor t;
    Buf path;
} Sought;

static bool seek(void *user, const char *path, wf_tensor t, bool is_param)
{
    Sought *s = user;

    (void)is_param;
    if (!nn_same(t, s->t))
        return true;
    nn_put(&s->path, path, strlen(path));
    return false;
}

static bool store_one(void *user, const char *path, wf_tensor t, bool is_param)
{
    Files *f = user;
    Sought s = {t, {.c = f->c}};
    bool trained = wf_has_grad_history(f->c, t);

    store_array(f->c, f->to, path, t);
    if (wf_ctx_status(f->c) || wf_module_visit_state(f->c, f->tree, seek, &s))
        return false;
    put_field(&f->text, is_param ? trained ? "param" : "frozen" : "buffer", "\t");
    put_field(&f->text, path, strcmp(s.path.s, path) ? "\t" : "\n");
    if (strcmp(s.path.s, path))
        put_field(&f->text, s.path.s, "\n");
    nn_free(f->c, s.path.s, s.path.cap);
    return !wf_ctx_status(f->c);
}

/* A module's line, then those of its own places, so that loading can go line by line. */
static bool store_module(void *user, const char *path, wf_module *m)
{
    Files *f = user;

    if (strpbrk(path, "\t\n") || strpbrk(m->type, "\t\n") || strpbrk(m->text, "\t\n")) {
        wf_raise(f->c, WF_ERR_NAME,
                 "wf_module_store: a name, type or text has a tab or a new line");
        return false;
    }
    put_field(&f->text, "module", "\t");
    put_field(&f->text, path, "\t");
    put_field(&f->text, m->type, "\t");
    put_field(&f->text, m->text, "\n");
    return !f->text.lost;
}

wf_status wf_module_store(wf_ctx *c, wf_module *m, wf_model *file)
{
    Files f = {c, file, NULL, m, {.c = c}};

    if (nn_null(c, m, "wf_module_store", "module") ||
        nn_null(c, file, "wf_module_store", "file"))
        return wf_ctx_status(c);
    wf_scope_begin(c);
    if (!wf_module_visit(c, m, store_module, &f) &&
        !wf_module_visit_state(c, m, store_one, &f))
        wf_model_set_meta(c, file, "tree", f.text.s);
    wf_scope_end(c);
    nn_free(c, f.text.s, f.text.cap);
    return wf_ctx_status(c);
}

static bool restore_one(void *user, const char *path, wf_tensor t, bool is_param)
{
    Files *f = user;
    wf_array *a = wf_model_find_tensor(f->from, path);
    char text[256];
    bool fits = a && wf_array_rank(a) == wf_rank(f->c, t);

    (void)is_param;
    for (int i = 0; fits && i < wf_array_rank(a); i++)
        fits = wf_array_dims(a)[i] == wf_size(f->c, t, i);
    if (!fits) {
        snprintf(text, sizeof text, "wf_module_restore: the file's tensor %s %s", path,
                 a ? "has another shape" : "is missing");
        wf_raise(f->c, a ? WF_ERR_SHAPE : WF_ERR_NAME, text);
        return false;
    }
    return !wf_write(f->c, t,
                     wf_cast(f->c, wf_from_array(f->c, a), wf_dtype_of(f->c, t)));
}

wf_status wf_module_restore(wf_ctx *c, wf_module *m, const wf_model *file)
{
    if (nn_null(c, m, "wf_module_restore", "module") ||
        nn_null(c, file, "wf_module_restore", "file"))
        return wf_ctx_status(c);
    wf_scope_begin(c);
    wf_no_grad_begin(c);
    wf_module_visit_state(c, m, restore_one, &(Files){.c = c, .from = file});
    wf_no_grad_end(c);
    wf_scope_end(c);
    return wf_ctx_status(c);
}

/* ---- running a method -------------------------------------------------------------- */

/* The names of a method's lines of one kind, cut out of a copy of its text. */
typedef struct Names {
    char *copy, **v;
    size_t bytes;
    int n, room;
} Names;

static void names_free(wf_ctx *c, Names *l)
{
    nn_free(c, l->copy, l->bytes);
    nn_free(c, l->v, (size_t)l->room * sizeof *l->v);
}

/* text may be NULL: none */
static Names names_of(wf_ctx *c, const char *text, const char *kind)
{
    Names l = {0};
    size_t k = strlen(kind);

    if (!text || !(l.copy = nn_copy_text(c, text)))
        return l;
    l.bytes = strlen(text) + 1;
    for (const char *s = text; *s; s += *s == '\n')
        s += strcspn(s, "\n"), l.room++;
    if (!(l.v = nn_alloc(c, (size_t)l.room * sizeof *l.v)))
        return l;
    for (char *s = l.copy, *end; *s; s = end) {
        end = s + strcspn(s, "\n");
        if (*end)
            *end++ = 0;
        if (!strncmp(s, kind, k) && s[k] == ' ')
            l.v[l.n++] = s + k + 1;
    }
    return l;
}

/* Where a method's tensors are. */
typedef struct Holder {
    wf_module *tree; /* a loaded one; NULL: the file */
    wf_model *file;
} Holder;

static wf_tensor held(wf_ctx *c, const Holder *h, const char *name)
{
    wf_array *a = h->tree ? NULL : wf_model_find_tensor(h->file, name);
    wf_tensor t = a ? wf_from_array(c, a)
                    : (h->tree ? wf_module_tensor(h->tree, name) : WF_NONE);
    char text[256];

    if (wf_is_none(t)) {
        snprintf(text, sizeof text, "the method needs the tensor %s, which is missing",
                 name);
        wf_raise(c, WF_ERR_NAME, text);
    }
    return t;
}

static void update(wf_ctx *c, const Holder *h, const char *name, wf_tensor t)
{
    const char *dot = strrchr(name, '.');
    size_t n = dot ? (size_t)(dot - name) : 0;
    wf_module *m = h->tree;
    char path[512];

    if (!h->tree) {
        store_array(c, h->file, name, t);
        return;
    }
    snprintf(path, sizeof path, "%.*s", (int)n, name);
    m = wf_module_find(m, path);
    for (int i = 0; m && i < m->nplaces; i++)
        if (!strcmp(m->places[i].name, name + n + (dot != NULL)))
            wf_module_set_value(c, m, i, wf_stop_gradient(c, t));
}

static bool right_counts(wf_ctx *c, const wf_program *p, int nstate, int nupdate, int nin,
                         int nout)
{
    char text[200];

    if (wf_program_inputs(p) == nstate + nin && wf_program_outputs(p) == nout + nupdate)
        return true;
    snprintf(text, sizeof text,
             "method %.60s: takes %d tensors and gives %d, found %d and %d",
             wf_program_name(p), wf_program_inputs(p) - nstate,
             wf_program_outputs(p) - nupdate, nin, nout);
    wf_raise(c, WF_ERR_ARG, text);
    return false;
}

static void run_method(wf_ctx *c, const Holder *h, const wf_program *p, const char *text,
                       const wf_tensor *in, int nin, wf_tensor *out, int nout)
{
    Names state = names_of(c, text, "state"), updates = names_of(c, text, "update");
    size_t bytes = (size_t)(state.n + nin + nout + updates.n) * sizeof(wf_tensor);
    wf_tensor *io = wf_ctx_status(c) ? NULL : nn_alloc(c, bytes), *results;

    if (io && right_counts(c, p, state.n, updates.n, nin, nout)) {
        results = io + state.n + nin;
        for (int i = 0; i < state.n && !wf_ctx_status(c); i++)
            io[i] = held(c, h, state.v[i]);
        memcpy(io + state.n, in, (size_t)nin * sizeof *io);
        if (!wf_ctx_status(c) && !wf_apply(c, p, io, results)) {
            memcpy(out, results, (size_t)nout * sizeof *io);
            for (int i = 0; i < updates.n; i++)
                update(c, h, updates.v[i], results[nout + i]);
        }
    }
    nn_free(c, io, bytes);
    names_free(c, &state);
    names_free(c, &updates);
}

static const char *method_text(const wf_model *file, const char *name)
{
    char key[200];

    snprintf(key, sizeof key, "method.%s", name);
    return wf_model_meta(file, key);
}

static wf_status no_method(wf_ctx *c, const char *name)
{
    char text[200];

    snprintf(text, sizeof text, "there is no method %.100s", name);
    return wf_raise(c, WF_ERR_NAME, text);
}

wf_status wf_model_run(wf_ctx *c, wf_model *file, const char *name, const wf_tensor *in,
                       int nin, wf_tensor *out, int nout)
{
    const wf_program *p;

    for (int i = 0; i < nout; i++)
        out[i] = WF_NONE;
    if (nn_null(c, file, "wf_model_run", "file") ||
        nn_null(c, name, "wf_model_run", "name"))
        return wf_ctx_status(c);
    if (!(p = wf_model_find(file, name)))
        return no_method(c, name);
    run_method(c, &(Holder){NULL, file}, p, method_text(file, name), in, nin, out, nout);
    return wf_ctx_status(c);
}

/* ---- making a method --------------------------------------------------------------- */

typedef struct Maker { /* of one method */
    wf_ctx *c;
    wf_module *m;
    TensorList own; /* all state of m */
    char **path;    /* of each, the first one */
    wf_tensor *in;  /* symbols: the state, and what else the method takes */
    wf_tensor *out; /* results, then new values */
    wf_tensor *new_state;
    int nin, nout, room; /* of in and out */
    Buf text;            /* method.NAME */
} Maker;

static bool find_path(void *user, const char *path, wf_tensor t, bool is_param)
{
    Maker *k = user;

    (void)is_param;
    for (int i = 0; i < k->own.n; i++)
        if (nn_same(k->own.v[i], t) && !k->path[i])
            return (k->path[i] = nn_copy_text(k->c, path)) != NULL;
    return true;
}

static void put_line(Buf *b, const char *kind, const char *name)
{
    put_field(b, kind, " ");
    put_field(b, name, "\n");
}

/* A symbol for the program's input, by a name that its text form allows. */
static wf_tensor symbol(wf_ctx *c, const char *name, const char *type)
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
    return wf_symbol(c, s, type);
}

/* An input that is the file's tensor of that name, of the type of t. */
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
    return k->in[k->nin++] = symbol(k->c, name, type);
}

static void add_update(Maker *k, const char *name, wf_tensor value)
{
    put_line(&k->text, "update", name);
    k->out[k->nout++] = value;
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

/* An open graph whose first inputs are the module's state. more: room for other tensors */
static bool maker_begin(Maker *k, const char *name, int more)
{
    wf_ctx *c = k->c;

    k->own = nn_list(c, k->m, true);
    if (!k->own.v)
        return false;
    k->text.c = c;
    k->room = k->own.n + more;
    k->path = nn_alloc(c, (size_t)k->own.n * sizeof *k->path);
    k->in = nn_alloc(c, (size_t)k->room * sizeof *k->in);
    k->out = nn_alloc(c, (size_t)k->room * sizeof *k->out);
    k->new_state = nn_alloc(c, (size_t)k->own.n * sizeof *k->new_state);
    if (wf_ctx_status(c) || wf_module_visit_state(c, k->m, find_path, k) ||
        wf_graph_begin(c, name))
        return false;
    for (int i = 0; i < k->own.n && !wf_ctx_status(c); i++)
        add_state(k, k->path[i], k->own.v[i]);
    return true;
}

static void add_arguments(Maker *k, const char *const *types, int nin)
{
    char name[16];

    for (int i = 0; i < nin && !wf_ctx_status(k->c); i++) {
        snprintf(name, sizeof name, "x%d", i);
        k->in[k->nin++] = wf_symbol(k->c, name, types[i]);
    }
}

static void maker_end(Maker *k, const char *name, wf_model *file)
{
    wf_ctx *c = k->c;
    const wf_program *p = NULL;
    char key[200];

    snprintf(key, sizeof key, "method.%s", name);
    if (!wf_ctx_status(c) &&
        !wf_graph_close(c, k->in, k->nin, k->out, k->nout, &p) &&
        !wf_model_add(c, file, p))
        wf_model_set_meta(c, file, key, k->text.s ? k->text.s : "");
    wf_program_release(p);
    wf_graph_end(c);
}

static bool call_method(wf_ctx *c, wf_module *m, wf_method fn, void *user,
                        const wf_tensor *in, int nin, wf_tensor *out, int nout)
{
    if (!fn)
        return !wf_module_call(c, m, in, nin, out, nout);
    if (!fn(c, user, m, in, out) && !wf_ctx_status(c))
        wf_raise(c, WF_ERR_VALUE, "the method gave up without an error");
    return !wf_ctx_status(c);
}

wf_status wf_module_add_method(wf_ctx *c, wf_module *m, wf_model *file, const char *name,
                               wf_method fn, void *user, const char *const *types,
                               int nin, int nout)
{
    Maker k = {.c = c, .m = m};

    if (nn_null(c, m, "wf_module_add_method", "module") ||
        nn_null(c, file, "wf_module_add_method", "file") ||
        nn_refuse(c, nin < 0 || nout < 1 || !name || strlen(name) > 100,
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
                add_update(&k, k.path[i], k.new_state[i]);
        maker_end(&k, name, file);
    }
    maker_free(&k);
    wf_scope_end(c);
    return wf_ctx_status(c);
}

/* ---- a training step --------------------------------------------------------------- */

typedef struct Step {
    Maker k;
    const wf_optim *o;
    wf_method loss;
    void *user;
    const wf_tensor *args;
    wf_tensor lr, steps;
    int nin, ntrained;
    int *trained, *number; /* of each trained parameter: in own, in o */
    wf_tensor *state;      /* of a call */
    bool *changed;         /* by a call; of own */
} Step;

/* (trained parameters) -> loss, state after it */
static bool loss_of(wf_ctx *c, void *user, const wf_tensor *in, wf_tensor *out)
{
    Step *s = user;
    const TensorList *own = &s->k.own;
    bool ok;

    memcpy(s->state, s->k.in, (size_t)own->n * sizeof *in);
    for (int i = 0; i < s->ntrained; i++)
        s->state[s->trained[i]] = in[i];
    nn_lend(s->k.m, own, s->state);
    ok = call_method(c, s->k.m, s->loss, s->user, s->args, s->nin, out, 1);
    nn_take_back(s->k.m, own, out + 1);
    for (int i = 0; i < own->n; i++)
        s->changed[i] = !nn_same(out[1 + i], s->state[i]);
    return ok;
}

/* The parameters that require gradients, with their numbers in the optimiser. */
static bool find_trained(wf_ctx *c, Step *s)
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
static void add_inputs(wf_ctx *c, Step *s, wf_tensor *st, const char *const *types)
{
    char name[40];

    for (int i = 0; i < s->o->per * s->ntrained && !wf_ctx_status(c); i++) {
        int j = s->number[i % s->ntrained];
        snprintf(name, sizeof name, "optim.state.%d", i / s->ntrained * s->o->n + j);
        st[i] = add_state(&s->k, name, s->o->params[j]);
    }
    s->lr = add_state(&s->k, "optim.lr", wf_scalar(c, WF_F64, 0));
    s->steps = add_state(&s->k, "optim.steps", wf_scalar(c, WF_I64, 0));
    s->args = s->k.in + s->k.nin;
    add_arguments(&s->k, types, s->nin);
}

static void add_updates(wf_ctx *c, Step *s, const wf_tensor *params, const wf_tensor *st,
                        const wf_tensor *state_after, wf_tensor steps)
{
    char name[40];

    for (int i = 0; i < s->ntrained; i++)
        add_update(&s->k, s->k.path[s->trained[i]], params[i]);
    for (int i = 0; i < s->o->per * s->ntrained; i++) {
        int j = s->number[i % s->ntrained];
        snprintf(name, sizeof name, "optim.state.%d", i / s->ntrained * s->o->n + j);
        add_update(&s->k, name, st[i]);
    }
    for (int i = 0; i < s->k.own.n; i++)
        if (s->changed[i])
            add_update(&s->k, s->k.path[i], state_after[i]);
    add_update(&s->k, "optim.steps", wf_add(c, steps, wf_int(c, 1)));
}

/* Loss, gradients and update, into the open graph. t: room for tensors */
static void build_step(wf_ctx *c, Step *s, const char *const *types, wf_tensor *t)
{
    int n = s->ntrained, per = s->o->per, *wrt = s->number + s->k.own.n;
    wf_tensor *p = t, *g = p + n, *st = g + n, *new_p = st + per * n, *new_st = new_p + n,
              *y = new_st + per * n, step; /* y: the loss, the state after it */
    wf_function f = {loss_of, s, n, 1 + s->k.own.n, "loss"};

    for (int i = 0; i < n; i++)
        p[wrt[i] = i] = s->k.in[s->trained[i]];
    add_inputs(c, s, st, types);
    step = wf_add(c, wf_cast(c, s->steps, WF_F64), wf_scalar(c, WF_F64, 1));
    if (wf_ctx_status(c) || wf_grad_call(c, &f, p, wrt, n, y, g) ||
        nn_optim_update(c, s->o, s->number, s->lr, step, p, g, st, n, new_p, new_st))
        return;
    s->k.out[s->k.nout++] = y[0];
    add_updates(c, s, new_p, new_st, y + 1, s->steps);
}

wf_status wf_optim_add_step(wf_ctx *c, wf_optim *o, wf_module *m, wf_model *file,
                            const char *name, wf_method loss, void *user,
                            const char *const *types, int nin)
{
    Step s = {.k = {.c = c, .m = m}, .o = o, .loss = loss, .user = user, .nin = nin};
    wf_tensor *t = NULL;
    size_t numbers = 0, tensors = 0, n;

    if (nn_null(c, o, "wf_optim_add_step", "optimiser") ||
        nn_null(c, m, "wf_optim_add_step", "module") ||
        nn_null(c, file, "wf_optim_add_step", "file") ||
        nn_refuse(c, nin < 0 || !name || strlen(name) > 100,
                  "wf_optim_add_step: needs a name"))
        return wf_ctx_status(c);
    wf_scope_begin(c);
    if (maker_begin(&s.k, name, (1 + o->per) * o->n + nin + 3)) {
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

/* ---- a tree from a file ------------------------------------------------------------ */

typedef struct Method {
    char *name, *text; /* text: method.NAME */
    const wf_program *program;
} Method;

typedef struct Loaded { /* data of the root */
    Method *v;
    int n;
} Loaded;

static void drop_loaded(wf_ctx *c, void *data)
{
    Loaded *l = data;

    for (int i = 0; i < l->n; i++) {
        nn_free_text(c, l->v[i].name);
        nn_free_text(c, l->v[i].text);
        wf_program_release(l->v[i].program);
    }
    nn_free(c, l->v, (size_t)l->n * sizeof *l->v);
}

static const Method *find_method(const wf_module *m, const char *name)
{
    const Loaded *l = m->data;

    for (int i = 0; m->drop == drop_loaded && i < l->n; i++)
        if (!strcmp(l->v[i].name, name))
            return &l->v[i];
    return NULL;
}

wf_status wf_module_run(wf_ctx *c, wf_module *m, const char *name, const wf_tensor *in,
                        int nin, wf_tensor *out, int nout)
{
    const Method *k;

    for (int i = 0; i < nout; i++)
        out[i] = WF_NONE;
    if (nn_null(c, m, "wf_module_run", "module"))
        return wf_ctx_status(c);
    if (!(k = find_method(m, name)))
        return no_method(c, name);
    run_method(c, &(Holder){m, NULL}, k->program, k->text, in, nin, out, nout);
    return wf_ctx_status(c);
}

static bool forward_loaded(wf_ctx *c, wf_module *m, const wf_tensor *in, int nin,
                           wf_tensor *out, int nout)
{
    bool train = m->training && find_method(m, "forward_train");

    return !wf_module_run(c, m, train ? "forward_train" : "forward", in, nin, out, nout);
}

static bool add_method(wf_ctx *c, Loaded *l, const wf_program *p, const char *text)
{
    Method k = {nn_copy_text(c, wf_program_name(p)), nn_copy_text(c, text), p};

    if (!k.name || !k.text || !nn_one_more(c, &l->v, l->n, sizeof *l->v)) {
        nn_free_text(c, k.name);
        nn_free_text(c, k.text);
        return false;
    }
    wf_program_retain(p);
    l->v[l->n++] = k;
    return true;
}

/* The part that holds path, and the last name of path. */
static wf_module *part_of(wf_module *root, char *path, const char **out_name)
{
    char *dot = strrchr(path, '.');
    wf_module *m;

    *out_name = dot ? dot + 1 : path;
    if (!dot)
        return root;
    *dot = 0;
    m = wf_module_find(root, path);
    *dot = '.';
    return m;
}

/* One line: kind, path and up to two more fields. False: it makes no sense. */
static bool load_line(wf_ctx *c, const wf_model *file, wf_module **root, char **field,
                      int n)
{
    const char *name;
    wf_module *m;
    wf_array *a;
    wf_tensor t;
    bool buffer = !strcmp(field[0], "buffer");

    if (!strcmp(field[0], "module") && n == 4) {
        m = wf_module_new(c, field[2], NULL, *root ? 0 : sizeof(Loaded));
        wf_module_set_text(c, m, field[3]);
        if (!m)
            return false;
        if (*root) {
            wf_module *part = part_of(*root, field[1], &name);
            return wf_module_add(c, part, name, m) != NULL;
        }
        m->forward = forward_loaded;
        m->drop = drop_loaded;
        *root = m;
        return !*field[1];
    }
    if (!*root || n > 3 || n < 2 || !(m = part_of(*root, field[1], &name)) ||
        !(a = wf_model_find_tensor(file, field[1])))
        return false;
    t = n == 3 ? wf_module_tensor(*root, field[2]) : wf_copy(c, wf_from_array(c, a));
    if (wf_is_none(t))
        return false;
    if (buffer)
        return wf_module_add_buffer(c, m, name, t) >= 0;
    return wf_module_add_param(c, m, name, t) >= 0 &&
           (strcmp(field[0], "frozen") || !wf_requires_grad(c, t, false));
}

static bool load_tree(wf_ctx *c, const wf_model *file, wf_module **root, char *text)
{
    bool ok = true;

    for (char *s = text, *end; *s && ok; s = end) {
        char *field[5] = {s};
        int n = 1;
        end = s + strcspn(s, "\n");
        if (*end)
            *end++ = 0;
        while (n < 5 && (s = strchr(field[n - 1], '\t'))) {
            *s++ = 0;
            field[n++] = s;
        }
        ok = load_line(c, file, root, field, n) && !wf_ctx_status(c);
    }
    if (!ok && !wf_ctx_status(c))
        wf_raise(c, WF_ERR_FORMAT, "wf_module_load: the file's tree makes no sense");
    return ok;
}

wf_module *wf_module_load(wf_ctx *c, const wf_model *file)
{
    const char *tree, *text;
    wf_module *root = NULL;
    size_t bytes;
    char *copy;

    if (nn_null(c, file, "wf_module_load", "file"))
        return NULL;
    tree = wf_model_meta(file, "tree");
    if (nn_refuse(c, !tree, "wf_module_load: the file has no tree") ||
        !(copy = nn_copy_text(c, tree)))
        return NULL;
    bytes = strlen(copy) + 1;
    wf_scope_begin(c);
    if (load_tree(c, file, &root, copy) && root)
        for (int i = 0; i < wf_model_programs(file) && !wf_ctx_status(c); i++) {
            const wf_program *p = wf_model_program(file, i);
            text = method_text(file, wf_program_name(p));
            add_method(c, root->data, p, text ? text : "");
        }
    wf_scope_end(c);
    nn_free(c, copy, bytes);
    return nn_done(c, root);
}
