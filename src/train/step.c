/* step.c -- the programs of a training: step(values.., batch..) -> (loss, new values..), which has loss, gradients and update
 * in one, and check(values.., batch..) -> (loss, metric). Both are made of the model's own programs by the functions that make
 * methods of files (wf_optim_add_step, wf_module_add_method), so a step here is a step of a C program.
 */
#include "train/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const train_losses[] = {"cross_entropy", "nll", "mse",        "l1",
                                    "smooth_l1",     "bce", "bce_logits", NULL};
const char *const train_optimizers[] = {"adam",    "adamw",   "sgd",
                                        "rmsprop", "adagrad", NULL};

bool train_counts_classes(const char *loss)
{
    return loss && (strcmp(loss, "cross_entropy") == 0 || strcmp(loss, "nll") == 0);
}

/* ---- losses ------------------------------------------------------------------------ */

wf_tensor train_loss_of(wf_ctx *c, const char *name, wf_tensor y, wf_tensor t)
{
    if (strcmp(name, "cross_entropy") == 0)
        return wf_cross_entropy(c, y, t, WF_NONE, -100, 0, WF_MEAN);
    if (strcmp(name, "nll") == 0)
        return wf_nll_loss(c, y, t, WF_NONE, -100, WF_MEAN);
    if (strcmp(name, "mse") == 0)
        return wf_mse_loss(c, y, t, WF_MEAN);
    if (strcmp(name, "l1") == 0)
        return wf_l1_loss(c, y, t, WF_MEAN);
    if (strcmp(name, "smooth_l1") == 0)
        return wf_smooth_l1_loss(c, y, t, 1, WF_MEAN);
    return strcmp(name, "bce") == 0 ? wf_bce_loss(c, y, t, WF_MEAN)
                                    : wf_bce_with_logits(c, y, t, WF_MEAN);
}

/* How many lines of a method's text are of that kind. */
static int lines_of(const wf_model *m, const char *method, const char *kind)
{
    char key[200];
    int n = 0;

    snprintf(key, sizeof key, "method.%s", method);
    for (const char *s = wf_model_meta(m, key); *s; s += *s == '\n') {
        n += strncmp(s, kind, strlen(kind)) == 0;
        s += strcspn(s, "\n");
    }
    return n;
}

int train_results(const wf_model *m, const char *method)
{
    return wf_program_outputs(wf_model_find(m, method)) - lines_of(m, method, "update ");
}

/* The program that is called in this mode. */
static const char *method_of(const Trainer *t, bool training)
{
    static const char *const names[2][2] = {{"forward", "forward_train"},
                                            {"loss", "loss_train"}};
    const char *name = names[t->loss == NULL][training];

    return wf_model_find(t->file, name) ? name : names[t->loss == NULL][0];
}

static wf_status call_model(wf_ctx *c, Trainer *t, wf_module *m, const wf_tensor *in,
                            int nin, wf_tensor *out)
{
    wf_tensor all[TRAIN_COLUMNS];
    const char *name = method_of(t, wf_module_training(m));
    int n = train_results(t->file, name);

    if (n < 1 || n > TRAIN_COLUMNS)
        return train_fail(c, WF_ERR_VALUE, "%s gives %d results; 1 to %d can be", name, n,
                          TRAIN_COLUMNS);
    if (!wf_module_run(c, m, name, in, nin, all, n))
        *out = all[0];
    return wf_ctx_status(c);
}

/* Losses of numbers want a number for each: broadcasting [N,1] over [N,10] is never meant. */
static wf_status same_shape(wf_ctx *c, wf_tensor y, wf_tensor t)
{
    bool same = wf_rank(c, y) == wf_rank(c, t);

    for (int i = 0; same && i < wf_rank(c, y); i++)
        same = wf_size_equal(c, wf_size(c, y, i), wf_size(c, t, i));
    if (!same && !wf_ctx_status(c))
        train_fail(
            c, WF_ERR_SHAPE,
            "the target has other sizes than the results of the model (ranks %d and %d)",
            wf_rank(c, t), wf_rank(c, y));
    return wf_ctx_status(c);
}

/* in: the inputs, then the target. */
static wf_status loss_of(wf_ctx *c, void *user, wf_module *m, const wf_tensor *in,
                         int nin, wf_tensor *out, int nout)
{
    Trainer *t = user;
    wf_tensor y = WF_NONE, target = in[nin - 1];

    if (call_model(c, t, m, in, t->loss ? nin - 1 : nin, &y))
        return wf_ctx_status(c);
    if (t->loss && !train_counts_classes(t->loss) && wf_rank(c, target) + 1 == wf_rank(c, y))
        target = wf_expand_dims(c, target, -1); /* numbers [N] for results [N,1] */
    if (t->loss && !train_counts_classes(t->loss) && same_shape(c, y, target))
        return wf_ctx_status(c);
    out[0] = t->loss ? wf_cast(c, train_loss_of(c, t->loss, y, target), WF_F32) : y;
    if (nout > 1) { /* the metric: how many are right */
        if (train_counts_classes(t->loss)) {
            y = wf_argmax(c, y, (int[]){1}, false);
        } else {
            target = wf_gt(c, target, wf_float(c, 0.5));
            y = wf_gt(c, y, wf_float(c, strcmp(t->loss, "bce") == 0 ? 0.5 : 0));
        }
        y = wf_eq(c, y, target);
        out[1] = wf_mean(c, wf_cast(c, y, WF_F32), NULL, 0, false);
    }
    return wf_ctx_status(c);
}

/* ---- data for the model ------------------------------------------------------------ */

static wf_status check_classes(Trainer *t, const TrainRows *r, int64_t classes)
{
    const int64_t *v = wf_array_data(r->v[r->n - 1]);

    for (int64_t i = 0; i < wf_array_count(r->v[r->n - 1]); i++)
        if ((v[i] < 0 || v[i] >= classes) && v[i] != -100)
            return train_fail(
                t->cx, WF_ERR_VALUE,
                "target %lld of row %lld is no class: the model has 0 to %lld",
                (long long)v[i], (long long)i, (long long)classes - 1);
    return WF_OK;
}

/* Whole numbers as targets of classes: those that are not are an error, not rounded. */
static wf_status check_whole(Trainer *t, TrainRows *r)
{
    wf_tensor x, bad;
    double n;

    wf_scope_begin(t->cx);
    x = wf_cast(t->cx, wf_from_array(t->cx, r->v[r->n - 1]), WF_F64);
    bad = wf_ne(t->cx, x, wf_floor(t->cx, x));
    n = wf_item(t->cx, wf_sum(t->cx, wf_cast(t->cx, bad, WF_F64), NULL, 0, false));
    wf_scope_end(t->cx);
    if (!wf_ctx_status(t->cx) && n > 0)
        train_fail(t->cx, WF_ERR_VALUE, "loss %s: %g targets are no whole numbers",
                   t->loss, n);
    return wf_ctx_status(t->cx);
}

static wf_status fit_target(Trainer *t, TrainRows *r, wf_dtype dtype)
{
    wf_value_info info = {.size = sizeof info};
    int last = r->n - 1;
    int64_t flat[2] = {-1, -1};

    if (!t->loss)
        return WF_OK;
    if (wf_model_output_info(t->cx, t->file, method_of(t, false), 0, &info))
        return wf_ctx_status(t->cx);
    if (!train_counts_classes(t->loss))
        return train_rows_fit(t->cx, t->o, r, last, dtype, info.dims, info.rank, false);
    if (wf_array_rank(r->v[last]) == 2 && wf_array_dims(r->v[last])[1] == 1)
        flat[0] = r->count; /* [N,1] as [N] */
    if (check_whole(t, r) ||
        train_rows_fit(t->cx, t->o, r, last, WF_I64, flat, flat[0] > 0 ? 1 : 0, false))
        return wf_ctx_status(t->cx);
    return info.rank > 1 && info.dims[1] > 0 ? check_classes(t, r, info.dims[1]) : WF_OK;
}

/* Rows that cannot be what the input takes are refused in the user's words. */
static wf_status check_input(Trainer *t, const wf_array *a, const wf_value_info *info, const char *name, int i)
{
    bool ok = wf_array_rank(a) == info->rank;
    char found[400] = "", wanted[400] = "";
    size_t n = 0, m = 0;

    for (int k = 1; ok && k < info->rank; k++)
        ok = info->dims[k] < 0 || info->dims[k] == wf_array_dims(a)[k];
    for (int k = 1; !ok && k < wf_array_rank(a) && n < sizeof found; k++)
        n += (size_t)snprintf(found + n, sizeof found - n, "%s%lld", k > 1 ? "," : "", (long long)wf_array_dims(a)[k]);
    for (int k = 1; !ok && k < info->rank && m < sizeof wanted; k++)
        m += (size_t)snprintf(wanted + m, sizeof wanted - m, "%s%s", k > 1 ? "," : "", info->sizes[k]);
    return ok ? WF_OK
              : train_fail(t->cx, WF_ERR_SHAPE, "a row of column %d is [%s], input %d of '%s' takes [%s]", i + 1, found, i, name,
                           wanted);
}

/* Columns of the types and shapes that the program takes. */
static wf_status fit_rows(Trainer *t, TrainRows *r)
{
    const char *name = method_of(t, false);
    const wf_program *p = wf_model_find(t->file, name);
    int state = lines_of(t->file, name, "state "), nin = wf_program_inputs(p) - state,
        wanted = nin + (t->loss != NULL);
    wf_value_info info = {.size = sizeof info};

    if (r->n != wanted)
        return train_fail(t->cx, WF_ERR_VALUE,
                          "%s takes %d inputs%s; the data has %d columns", name, nin,
                          t->loss ? " and a target goes with them" : "", r->n);
    for (int i = 0; i < nin; i++) {
        if (wf_model_input_info(t->cx, t->file, name, state + i, &info) ||
            train_rows_fit(t->cx, t->o, r, i, info.dtype, info.dims, info.rank, i + 1 < nin || t->loss) ||
            wf_model_input_info(t->cx, t->file, name, state + i, &info) || /* its texts are gone by now */
            check_input(t, r->v[i], &info, name, i))
            return wf_ctx_status(t->cx);
        if (info.rank > 0 && info.dims[0] > 0)
            t->fixed = info.dims[0];
    }
    return fit_target(t, r, nin ? info.dtype : WF_F32);
}

/* ---- values ------------------------------------------------------------------------ */

int trainer_value(const Trainer *t, const char *name)
{
    for (int i = 0; i < t->nvalues; i++)
        if (strcmp(t->values[i].name, name) == 0)
            return i;
    return -1;
}

void trainer_set(Trainer *t, int value, wf_array *a)
{
    wf_array_release(t->values[value].array);
    t->values[value].array = a;
}

/* Its first number: of the optimiser, of the module, or a tensor of the file. */
static wf_array *first_array(Trainer *t, const char *name)
{
    wf_array *a = wf_model_find_tensor(t->work, name), *copy = NULL;
    wf_tensor m;

    a = a ? a : wf_model_find_tensor(t->file, name);
    wf_scope_begin(t->cx);
    wf_no_grad_begin(t->cx);
    m = a ? wf_from_array(t->cx, a) : wf_module_tensor(t->module, name);
    wf_to_array(t->cx, wf_copy(t->cx, m), &copy);
    wf_no_grad_end(t->cx);
    wf_scope_end(t->cx);
    return copy;
}

/* The number of a value, which is new if it has to be; -1 after an error. */
static int need_value(Trainer *t, const char *name, size_t n)
{
    char text[600];
    int k;
    TrainValue *grown;

    snprintf(text, sizeof text, "%.*s", (int)n, name);
    if ((k = trainer_value(t, text)) >= 0)
        return k;
    grown = realloc(t->values, (size_t)(t->nvalues + 1) * sizeof *grown);
    if (grown)
        t->values = grown;
    if (!grown || !(grown[t->nvalues].name = strdup(text))) {
        train_fail(t->cx, WF_ERR_MEMORY, "out of memory");
        return -1;
    }
    grown[t->nvalues].array = first_array(t, text);
    return wf_ctx_status(t->cx) ? t->nvalues++, -1 : t->nvalues++;
}

/* The numbers of the values that the lines of a kind name. */
static wf_status values_of(Trainer *t, const char *method, const char *kind, int **out,
                           int *out_n)
{
    int n = lines_of(t->work, method, kind);
    char key[200];

    snprintf(key, sizeof key, "method.%s", method);
    *out_n = 0;
    if (!(*out = malloc((size_t)(n + 1) * sizeof **out)))
        return train_fail(t->cx, WF_ERR_MEMORY, "out of memory");
    for (const char *s = wf_model_meta(t->work, key); *s; s += *s == '\n') {
        size_t k = strcspn(s, "\n"), skip = strlen(kind);

        if (strncmp(s, kind, skip) == 0 &&
            ((*out)[(*out_n)++] = need_value(t, s + skip, k - skip)) < 0)
            return wf_ctx_status(t->cx);
        s += k;
    }
    return WF_OK;
}

/* ---- the programs ------------------------------------------------------------------ */

/* "f32[N,3,8,8]", malloc'ed by need */
static void type_of(const Trainer *t, const wf_array *a, char *out, size_t room)
{
    size_t n = (size_t)snprintf(out, room, "%s[", wf_dtype_name(wf_array_dtype(a)));

    for (int i = 0; i < wf_array_rank(a) && n < room; i++)
        n += i || t->fixed
                 ? (size_t)snprintf(out + n, room - n, "%s%lld", i ? "," : "",
                                    (long long)(i ? wf_array_dims(a)[i] : t->fixed))
                 : (size_t)snprintf(out + n, room - n, "N");
    if (n < room)
        snprintf(out + n, room - n, "]");
}

static wf_status make_programs(Trainer *t, const TrainRows *rows)
{
    char text[TRAIN_COLUMNS][200];
    const char *types[TRAIN_COLUMNS];

    for (int i = 0; i < rows->n; i++) {
        type_of(t, rows->v[i], text[i], sizeof text[i]);
        types[i] = text[i];
    }
    wf_module_train(t->module, true);
    if (wf_optim_add_step(t->cx, t->optim, t->module, t->work, "step", loss_of, t, types,
                          rows->n) ||
        wf_optim_store(t->cx, t->optim, t->work))
        return wf_ctx_status(t->cx);
    wf_module_train(t->module, false);
    return wf_module_add_method(t->cx, t->module, t->work, "check", loss_of, t, types,
                                rows->n, t->metric ? 2 : 1);
}

static wf_status prepare(Trainer *t, const char *name, wf_exec **out)
{
    const wf_program *p = wf_model_find(t->work, name);

    return wf_device_ordinal(t->device) ? wf_prepare_on(t->cx, p, t->device, out) : wf_compile(t->cx, p, 0, out);
}

/* What a step changes is given away to it. */
static wf_status compile(Trainer *t)
{
    int *given = malloc((size_t)(t->nstep_in + 1) * sizeof *given), n = 0;
    wf_exec *e = NULL;

    if (!given)
        return train_fail(t->cx, WF_ERR_MEMORY, "out of memory");
    for (int i = 0; i < t->nstep_in; i++)
        for (int k = 0; k < t->nstep_out; k++)
            if (t->step_in[i] == t->step_out[k]) {
                given[n++] = i;
                break;
            }
    if (!prepare(t, "step", &e) && !wf_donate(t->cx, e, given, n, &t->step))
        prepare(t, "check", &t->check);
    wf_exec_release(e);
    free(given);
    return wf_ctx_status(t->cx);
}

/* ---- opening ----------------------------------------------------------------------- */

static wf_status choose_loss(Trainer *t)
{
    const char *why;

    t->loss = t->o->loss;
    if (!t->loss && !wf_model_find(t->file, "loss"))
        return train_fail(
            t->cx, WF_ERR_NAME,
            "%s has no method 'loss': name one for 'forward' with --loss=NAME",
            t->o->model);
    if (!wf_model_find(t->file, method_of(t, false)))
        return train_fail(t->cx, WF_ERR_NAME,
                          "%s has no program 'forward': torch.jit.save writes one for a "
                          "module that has been called",
                          t->o->model);
    why = wf_model_meta(t->file, t->loss ? "no_train.forward" : "no_train.loss");
    if (*why)
        return train_fail(t->cx, WF_ERR_UNSUPPORTED,
                          "%s has no form for training of '%s': %s", t->o->model,
                          method_of(t, false), why);
    if (train_counts_classes(t->loss) || (t->loss && strncmp(t->loss, "bce", 3) == 0))
        t->metric = "accuracy";
    return WF_OK;
}

static wf_status freeze_one(void *user, const char *path, wf_tensor x, bool is_param)
{
    Trainer *t = user;

    for (const char *s = t->o->freeze; is_param && *s; s += *s == ',') {
        size_t n = strcspn(s, ",");

        if (n && strncmp(path, s, n) == 0)
            wf_requires_grad(t->cx, x, false);
        s += n;
    }
    return wf_ctx_status(t->cx);
}

static wf_optim *make_optim(Trainer *t)
{
    const TrainOptions *o = t->o;
    wf_ctx *c = t->cx;

    if (strcmp(o->optimizer, "sgd") == 0)
        return wf_sgd(c, t->module, o->lr, o->momentum, false, o->decay);
    if (strcmp(o->optimizer, "adamw") == 0)
        return wf_adamw(c, t->module, o->lr, 0.9, 0.999, 1e-8, o->decay);
    if (strcmp(o->optimizer, "rmsprop") == 0)
        return wf_rmsprop(c, t->module, o->lr, 0.99, 1e-8, o->decay, o->momentum);
    if (strcmp(o->optimizer, "adagrad") == 0)
        return wf_adagrad(c, t->module, o->lr, 0, 1e-10, o->decay);
    return wf_adam(c, t->module, o->lr, 0.9, 0.999, 1e-8, o->decay);
}

/* The model with its programs in mixed precision: what is trained; what is saved stays as it is. */
static wf_module *load_mixed(Trainer *t)
{
    wf_module *m = NULL;
    wf_model *copy = NULL;

    if (wf_model_load_copy(t->cx, t->o->file, &copy))
        return NULL;
    for (int i = 0; i < wf_model_programs(copy) && !wf_ctx_status(t->cx); i++) {
        const wf_program *p = NULL;

        if (!wf_mixed(t->cx, wf_model_program(copy, i), t->o->precision, &p))
            wf_model_add(t->cx, copy, p);
        wf_program_release(p);
    }
    if (!wf_ctx_status(t->cx))
        m = wf_module_load(t->cx, copy);
    wf_model_free(copy);
    return m;
}

static wf_status make_module(Trainer *t)
{
    if (!*wf_model_meta(t->file, "tree"))
        return train_fail(t->cx, WF_ERR_VALUE,
                          "%s has programs, but no parameters that training could "
                          "change: a module saved by "
                          "torch.jit.save or wf_module_store, or an ONNX file, has them",
                          t->o->model);
    if (!(t->module = t->o->precision != WF_F32 ? load_mixed(t) : wf_module_load(t->cx, t->file)))
        return wf_ctx_status(t->cx);
    if (t->o->freeze && wf_module_visit_state(t->cx, t->module, freeze_one, t))
        return wf_ctx_status(t->cx);
    if ((t->optim = make_optim(t)) && t->o->clip > 0)
        wf_optim_set_clip(t->cx, t->optim, t->o->clip);
    if (t->optim && t->o->precision == WF_F16)
        wf_optim_set_scale(t->cx, t->optim, 65536);
    return wf_ctx_status(t->cx);
}

wf_status trainer_open(Trainer *t, wf_ctx *cx, const TrainOptions *o, TrainRows *train,
                       TrainRows *valid)
{
    *t = (Trainer){.cx = cx, .o = o};
    if (wf_device_find(cx, o->device ? o->device : "cpu", &t->device) || wf_model_load_copy(cx, o->file, &t->file) ||
        wf_model_new(cx, &t->work) ||
        choose_loss(t) || make_module(t) || fit_rows(t, train) ||
        (valid->n && fit_rows(t, valid)) || make_programs(t, train) ||
        values_of(t, "step", "state ", &t->step_in, &t->nstep_in) ||
        values_of(t, "step", "update ", &t->step_out, &t->nstep_out) ||
        values_of(t, "check", "state ", &t->check_in, &t->ncheck_in))
        return wf_ctx_status(cx);
    t->lr = trainer_value(t, "optim.lr");
    return compile(t);
}

void trainer_close(Trainer *t)
{
    for (int i = 0; i < t->nvalues; i++) {
        wf_array_release(t->values[i].array);
        free(t->values[i].name);
    }
    free(t->values);
    free(t->step_in);
    free(t->step_out);
    free(t->check_in);
    wf_exec_release(t->step);
    wf_exec_release(t->check);
    wf_optim_free(t->cx, t->optim);
    wf_module_release(t->cx, t->module);
    wf_model_free(t->work);
    wf_model_free(t->file);
}

/* ---- running ----------------------------------------------------------------------- */

static wf_status first_number(wf_ctx *cx, wf_array *a, double *out)
{
    wf_scope_begin(cx);
    *out = wf_item(cx, wf_from_array(cx, a));
    wf_scope_end(cx);
    return wf_ctx_status(cx);
}

/* The values of these numbers and the batch; malloc'ed, borrowed */
static wf_array **inputs_of(Trainer *t, const int *which, int n, wf_array *const *batch,
                            int nbatch)
{
    wf_array **in = malloc((size_t)(n + nbatch + 1) * sizeof *in);

    if (!in)
        train_fail(t->cx, WF_ERR_MEMORY, "out of memory");
    for (int i = 0; in && i < n; i++)
        in[i] = t->values[which[i]].array;
    for (int i = 0; in && i < nbatch; i++)
        in[n + i] = batch[i];
    return in;
}

wf_status trainer_step(Trainer *t, double lr, wf_array *const *batch, int n,
                       double *out_loss)
{
    int nout = 1 + t->nstep_out;
    wf_array **in, **out = calloc((size_t)nout, sizeof *out), *rate = NULL;

    if (!out)
        return train_fail(t->cx, WF_ERR_MEMORY, "out of memory");
    if (!wf_array_from(t->cx, WF_F64, NULL, 0, &lr, &rate))
        trainer_set(t, t->lr, rate);
    in = inputs_of(t, t->step_in, t->nstep_in, batch, n);
    if (in && !wf_ctx_status(t->cx) &&
        !wf_run(t->cx, t->step, in, t->nstep_in + n, out, nout) &&
        !first_number(t->cx, out[0], out_loss))
        for (int i = 0; i < t->nstep_out; i++) {
            trainer_set(t, t->step_out[i], out[1 + i]);
            out[1 + i] = NULL;
        }
    for (int i = 0; i < nout; i++)
        wf_array_release(out[i]);
    free(in);
    free(out);
    return wf_ctx_status(t->cx);
}

wf_status trainer_check(Trainer *t, const TrainRows *rows, double *out_loss,
                        double *out_metric)
{
    int64_t size = t->fixed ? t->fixed : t->o->batch, done = 0;
    double loss = 0, metric = 0, v;

    for (int64_t at = 0; at < rows->count && !wf_ctx_status(t->cx); at += size) {
        int64_t n = rows->count - at < size ? rows->count - at : size;
        wf_array *batch[TRAIN_COLUMNS], *out[2] = {NULL, NULL}, **in;

        if (t->fixed && n < t->fixed) /* rows that fill no batch cannot be run */
            break;
        if (train_rows_batch(t->cx, rows, NULL, at, n, batch))
            break;
        in = inputs_of(t, t->check_in, t->ncheck_in, batch, rows->n);
        if (in && !wf_run(t->cx, t->check, in, t->ncheck_in + rows->n, out,
                          t->metric ? 2 : 1)) {
            if (!first_number(t->cx, out[0], &v))
                loss += v * (double)n;
            if (t->metric && !first_number(t->cx, out[1], &v))
                metric += v * (double)n;
            done += n;
        }
        free(in);
        for (int i = 0; i < rows->n; i++)
            wf_array_release(batch[i]);
        wf_array_release(out[0]);
        wf_array_release(out[1]);
    }
    *out_loss = done ? loss / (double)done : NAN;
    *out_metric = done && t->metric ? metric / (double)done : NAN;
    return wf_ctx_status(t->cx);
}

wf_status trainer_store(Trainer *t, wf_model *m, const char *name, wf_array *a)
{
    wf_array *here = NULL;
    wf_device *host;

    if (!wf_device_get(t->cx, 0, &host) && !wf_array_to(t->cx, a, host, &here))
        wf_model_set_tensor(t->cx, m, name, here);
    wf_array_release(here);
    return wf_ctx_status(t->cx);
}

wf_status trainer_save(Trainer *t, const char *path)
{
    for (int i = 0; i < t->nvalues && !wf_ctx_status(t->cx); i++)
        if (wf_model_find_tensor(t->file, t->values[i].name))
            trainer_store(t, t->file, t->values[i].name, t->values[i].array);
    return wf_ctx_status(t->cx) ? wf_ctx_status(t->cx)
                                : wf_model_save(t->cx, t->file, path);
}
