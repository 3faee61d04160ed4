/* loop.c -- a training: epochs of batches in an order of their own, a rate for each step, validation, checkpoints, the end. */
#include "train/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct TrainLoop {
    wf_ctx *cx;
    const TrainOptions *o;
    const volatile sig_atomic_t *stop;
    TrainRows train, valid;
    Trainer t;
    Progress at;
    TrainLog log;
    int64_t *order;
    int64_t batch, batches,
        total; /* rows of a batch; batches of an epoch; steps in all */
    double start,
        saved;    /* clock: of this run, less what was before; of the last checkpoint */
    int64_t here; /* steps of this run */
    char settings[2000];
} TrainLoop;

/* ---- rates ------------------------------------------------------------------------- */

/* The number behind a colon, or other. */
static double field(const char *s, size_t n, int k, double other)
{
    const char *end = s + n;

    for (; k && (s = memchr(s, ':', (size_t)(end - s))); k--)
        s++;
    return s ? strtod(s, NULL) : other;
}

/* One part of a schedule, of n bytes: what the rate is multiplied with. */
static bool factor_of(const char *s, size_t n, int64_t step, int64_t total,
                      int64_t per_epoch, double *out)
{
    size_t k = 0;
    double every, steps;

    while (k < n && s[k] != ':')
        k++;
    *out = 1;
    if (k == 8 && memcmp(s, "constant", k) == 0)
        return true;
    if (k == 6 && memcmp(s, "cosine", k) == 0)
        *out = wf_lr_cosine(1, step, total, 0);
    else if (k == 6 && memcmp(s, "linear", k) == 0)
        *out = total > 0 ? 1 - (double)step / (double)total : 1;
    else if (k == 4 && memcmp(s, "step", k) == 0) {
        every = field(s, n, 1, 10);
        if (!(every >= 1))
            return false;
        *out = pow(field(s, n, 2, 0.1),
                   floor((double)(per_epoch > 0 ? step / per_epoch : 0) / every));
    } else if (k == 6 && memcmp(s, "warmup", k) == 0) {
        steps = field(s, n, 1, 100);
        *out = steps > 0 && (double)step < steps ? ((double)step + 1) / steps : 1;
    } else {
        return false;
    }
    return true;
}

bool train_rate(const char *schedule, double lr, int64_t step, int64_t total,
                int64_t per_epoch, double *out)
{
    double factor;

    *out = lr;
    for (const char *s = schedule; *s; s += *s == ',') {
        size_t n = strcspn(s, ",");

        if (!factor_of(s, n, step, total, per_epoch, &factor))
            return false;
        *out *= factor;
        s += n;
    }
    return true;
}

/* ---- data -------------------------------------------------------------------------- */

/* "0.1": a part of the data; else files */
static wf_status load_validation(TrainLoop *l)
{
    const char *text = l->o->validation, *words[TRAIN_COLUMNS];
    char *end, *copy;
    double part = text ? strtod(text, &end) : 0;
    int n = 0;

    if (!text)
        return WF_OK;
    if (!*end) {
        int64_t keep = l->train.count - (int64_t)llround(part * (double)l->train.count);

        if (!(part > 0 && part < 1) || keep < 1 || keep == l->train.count)
            return train_fail(l->cx, WF_ERR_VALUE,
                              "--validation=%s of %lld rows leaves one side empty", text,
                              (long long)l->train.count);
        return train_rows_split(l->cx, &l->train, keep, l->o->seed, &l->valid);
    }
    if (!(copy = strdup(text)))
        return train_fail(l->cx, WF_ERR_MEMORY, "out of memory");
    for (char *s = copy, *save;
         n < TRAIN_COLUMNS && (s = strtok_r(n ? NULL : copy, ",", &save)); n++)
        words[n] = s;
    train_rows_load(l->cx, l->o, words, n, &l->valid);
    free(copy);
    return wf_ctx_status(l->cx);
}

/* What decides the numbers, a line each. */
static void write_settings(TrainLoop *l)
{
    const TrainOptions *o = l->o;
    size_t n = 0, room = sizeof l->settings;
    char hash[33];

    wf_program_hash(wf_model_find(l->t.work, "step"), hash, sizeof hash);
    n += (size_t)snprintf(l->settings, room,
                          "program %s\nrows %lld\nvalidation rows %lld\nbatch "
                          "%lld\nepochs %lld\nsteps %lld\nseed %lld\norder %s\n",
                          hash, (long long)l->train.count, (long long)l->valid.count,
                          (long long)l->batch, (long long)o->epochs, (long long)o->steps,
                          (long long)o->seed, o->keep_order ? "kept" : "shuffled");
    snprintf(l->settings + n, room - n, "rate %a\nschedule %.200s\npatience %lld\ndevice %s\n",
             o->lr, o->schedule, (long long)o->patience, wf_device_name(l->t.device));
}

static wf_status open_all(TrainLoop *l)
{
    const TrainOptions *o = l->o;

    if (train_rows_load(l->cx, o, o->data, o->ndata, &l->train) || load_validation(l) ||
        trainer_open(&l->t, l->cx, o, &l->train, &l->valid))
        return wf_ctx_status(l->cx);
    l->batch = l->t.fixed ? l->t.fixed : o->batch;
    l->batches = l->t.fixed ? l->train.count / l->batch
                            : (l->train.count + l->batch - 1) / l->batch;
    if (l->batches < 1)
        return train_fail(l->cx, WF_ERR_VALUE,
                          "the model takes %lld rows at once, the data has %lld",
                          (long long)l->batch, (long long)l->train.count);
    l->total = o->epochs * l->batches;
    if (o->steps && o->steps < l->total)
        l->total = o->steps;
    write_settings(l);
    if (!(l->order = malloc((size_t)l->train.count * sizeof *l->order)))
        return train_fail(l->cx, WF_ERR_MEMORY, "out of memory");
    return WF_OK;
}

/* ---- an epoch ---------------------------------------------------------------------- */

/* The order of the rows is a function of the seed and the epoch. */
static wf_status order_rows(TrainLoop *l)
{
    wf_generator *g = NULL;

    for (int64_t i = 0; i < l->train.count; i++)
        l->order[i] = i;
    if (l->o->keep_order)
        return WF_OK;
    if (!wf_generator_new(l->cx, (uint64_t)l->o->seed * 1000003u + (uint64_t)l->at.epoch,
                          &g))
        wf_permute_numbers(l->cx, g, l->order, l->train.count);
    wf_generator_free(g);
    return wf_ctx_status(l->cx);
}

static double spent(const TrainLoop *l) { return log_clock() - l->start; }

static wf_status save_now(TrainLoop *l)
{
    l->at.seconds = spent(l);
    l->saved = log_clock();
    return l->o->checkpoint ? checkpoint_save(&l->t, &l->at, &l->log, l->settings)
                            : WF_OK;
}

static void show_bar(TrainLoop *l)
{
    double now = log_clock() - l->start, here = now - l->at.seconds;
    double rate = here > 0 ? (double)l->here / here : 0;

    if (!l->o->quiet)
        log_bar(&l->log, l->at.epoch, l->o->epochs, l->at.at, l->batches,
                rate * (double)l->batch, l->at.at ? l->at.sum / (double)l->at.at : 0,
                rate > 0 ? (double)(l->total - l->at.step) / rate : 0);
}

static wf_status one_step(TrainLoop *l)
{
    int64_t from = l->at.at * l->batch,
            n = l->train.count - from < l->batch ? l->train.count - from : l->batch;
    wf_array *batch[TRAIN_COLUMNS];
    double lr, loss = 0;

    if (!train_rate(l->o->schedule, l->o->lr, l->at.step, l->total, l->batches, &lr))
        return train_fail(l->cx, WF_ERR_VALUE, "--schedule=%s cannot be read",
                          l->o->schedule);
    if (train_rows_batch(l->cx, &l->train, l->order, from, n, batch))
        return wf_ctx_status(l->cx);
    trainer_step(&l->t, lr, batch, l->train.n, &loss);
    for (int i = 0; i < l->train.n; i++)
        wf_array_release(batch[i]);
    if (wf_ctx_status(l->cx))
        return wf_ctx_status(l->cx);
    l->at.step++;
    l->at.at++;
    l->at.sum += loss;
    l->here++;
    if (!isfinite(loss))
        return train_fail(
            l->cx, WF_ERR_VALUE,
            "the loss is %s in step %lld: a smaller --lr, --clip or other data may help",
            isnan(loss) ? "not a number" : "infinite", (long long)l->at.step);
    return WF_OK;
}

static wf_status run_batches(TrainLoop *l)
{
    if (order_rows(l))
        return wf_ctx_status(l->cx);
    while (l->at.at < l->batches && l->at.step < l->total) {
        if (one_step(l))
            return wf_ctx_status(l->cx);
        show_bar(l);
        if ((l->o->save_steps && l->at.step % l->o->save_steps == 0) ||
            log_clock() - l->saved > 60 * l->o->save_minutes)
            if (save_now(l))
                return wf_ctx_status(l->cx);
        if (*l->stop) {
            if (save_now(l))
                return wf_ctx_status(l->cx);
            return train_fail(l->cx, WF_ERR_CANCELLED,
                              l->o->checkpoint
                                  ? "stopped after step %lld; --resume goes on from there"
                                  : "stopped after step %lld",
                              (long long)l->at.step);
        }
    }
    return WF_OK;
}

/* A row of the log, and whether this epoch is the best. */
static wf_status end_epoch(TrainLoop *l)
{
    TrainRow row = {
        .epoch = l->at.epoch + 1, .step = l->at.step, .valid = NAN, .metric = NAN};
    double judged;

    row.loss = l->at.at ? l->at.sum / (double)l->at.at : NAN;
    train_rate(l->o->schedule, l->o->lr, l->at.step - 1, l->total, l->batches, &row.lr);
    if (l->valid.n && trainer_check(&l->t, &l->valid, &row.valid, &row.metric))
        return wf_ctx_status(l->cx);
    row.seconds = spent(l);
    if (!log_add(l->cx, &l->log, row))
        return wf_ctx_status(l->cx);
    log_clear_bar(&l->log);
    if (!l->o->quiet)
        log_print(&l->log, &l->t);
    judged = row.valid;
    l->at.waited++;
    if (l->valid.n && judged < l->at.best) {
        l->at.best = judged;
        l->at.best_epoch = row.epoch;
        l->at.waited = 0;
        if (l->o->patience && progress_keep(&l->t, &l->at))
            return wf_ctx_status(l->cx);
    }
    l->at.epoch++;
    l->at.at = 0;
    l->at.sum = 0;
    if (l->o->log && log_csv(l->cx, &l->log, l->o->log))
        return wf_ctx_status(l->cx);
    return l->o->html ? log_html(l->cx, &l->log, &l->t, l->o->html) : WF_OK;
}

/* ---- all of it --------------------------------------------------------------------- */

static wf_status finish(TrainLoop *l)
{
    if (l->o->patience && l->at.best_values)
        for (int i = 0; i < l->t.nvalues; i++)
            trainer_set(&l->t, i, wf_array_retain(l->at.best_values[i]));
    if (l->o->out && trainer_save(&l->t, l->o->out))
        return wf_ctx_status(l->cx);
    if (l->o->checkpoint)
        unlink(l->o->checkpoint); /* the training is over */
    if (l->o->out && !l->o->quiet)
        printf("%s written%s\n", l->o->out,
               l->o->patience && l->at.best_values
                   ? ", with the numbers of the best epoch"
                   : "");
    return WF_OK;
}

static wf_status run_epochs(TrainLoop *l)
{
    while (l->at.step < l->total && !(l->o->patience && l->at.waited >= l->o->patience)) {
        if (run_batches(l) || end_epoch(l) || save_now(l))
            return wf_ctx_status(l->cx);
    }
    if (l->o->patience && l->at.waited >= l->o->patience && !l->o->quiet)
        printf("no better for %lld epochs: ended; epoch %lld was the best, with %.6g\n",
               (long long)l->at.waited, (long long)l->at.best_epoch, l->at.best);
    return finish(l);
}

wf_status train_run(wf_ctx *cx, const TrainOptions *o, const volatile sig_atomic_t *stop)
{
    TrainLoop l = {.cx = cx,
              .o = o,
              .stop = stop,
              .at.best = INFINITY,
              .log.terminal = isatty(STDERR_FILENO) == 1};

    if (!open_all(&l)) {
        if (o->resume && o->checkpoint && access(o->checkpoint, F_OK) == 0 &&
            !checkpoint_load(&l.t, &l.at, &l.log, l.settings) && !o->quiet)
            printf("resumed after step %lld\n", (long long)l.at.step);
        l.saved = log_clock();
        l.start = l.saved - l.at.seconds;
        if (!wf_ctx_status(cx))
            run_epochs(&l);
        log_clear_bar(&l.log);
    }
    progress_free(&l.t, &l.at);
    trainer_close(&l.t);
    train_rows_free(&l.train);
    train_rows_free(&l.valid);
    log_free(&l.log);
    free(l.order);
    return wf_ctx_status(cx);
}
