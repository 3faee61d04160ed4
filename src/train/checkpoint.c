/* checkpoint.c -- all that a training is, in a file: its values and those of the best epoch as tensors, where it is and what was
 * logged as metadata. Written beside the old one and renamed, so that a training killed at any moment has a whole one.
 *
 *   tensors    value.NAME, best.NAME
 *   metadata   train.settings   the options that decide the numbers
 *              train.progress   epoch at step sum best best_epoch waited seconds, floats in hexadecimal
 *              train.log        a line for each row
 */
#include "train/train.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const progress_form =
    "%" SCNd64 " %" SCNd64 " %" SCNd64 " %la %la %" SCNd64 " %" SCNd64 " %la";
static const char *const row_form = "%" SCNd64 " %" SCNd64 " %la %la %la %la %la";

static wf_status put_array(Trainer *t, wf_model *m, const char *kind, const char *name,
                           wf_array *a)
{
    char key[700];

    snprintf(key, sizeof key, "%s.%s", kind, name);
    return trainer_store(t, m, key, a);
}

static wf_status put_log(Trainer *t, wf_model *m, const TrainLog *l)
{
    size_t room = (size_t)l->n * 220 + 1, n = 0;
    char *text = malloc(room);

    if (!text)
        return train_fail(t->cx, WF_ERR_MEMORY, "out of memory");
    text[0] = 0;
    for (int i = 0; i < l->n; i++) {
        const TrainRow *r = &l->v[i];

        n += (size_t)snprintf(text + n, room - n,
                              "%" PRId64 " %" PRId64 " %a %a %a %a %a\n", r->epoch,
                              r->step, r->loss, r->valid, r->metric, r->lr, r->seconds);
    }
    wf_model_set_meta(t->cx, m, "train.log", text);
    free(text);
    return wf_ctx_status(t->cx);
}

wf_status checkpoint_save(Trainer *t, const Progress *p, const TrainLog *l,
                          const char *settings)
{
    wf_model *m = NULL;
    char text[400];

    if (wf_model_new(t->cx, &m))
        return wf_ctx_status(t->cx);
    for (int i = 0; i < t->nvalues && !wf_ctx_status(t->cx); i++) {
        put_array(t, m, "value", t->values[i].name, t->values[i].array);
        if (p->best_values)
            put_array(t, m, "best", t->values[i].name, p->best_values[i]);
    }
    snprintf(text, sizeof text,
             "%" PRId64 " %" PRId64 " %" PRId64 " %a %a %" PRId64 " %" PRId64 " %a",
             p->epoch, p->at, p->step, p->sum, p->best, p->best_epoch, p->waited,
             p->seconds);
    if (!wf_ctx_status(t->cx) &&
        !wf_model_set_meta(t->cx, m, "train.settings", settings) &&
        !wf_model_set_meta(t->cx, m, "train.progress", text) && !put_log(t, m, l))
        wf_model_save(t->cx, m, t->o->checkpoint);
    wf_model_free(m);
    return wf_ctx_status(t->cx);
}

static bool fits(const wf_array *a, const wf_array *b)
{
    return a && wf_array_dtype(a) == wf_array_dtype(b) &&
           wf_array_rank(a) == wf_array_rank(b) &&
           memcmp(wf_array_dims(a), wf_array_dims(b),
                  (size_t)wf_array_rank(a) * sizeof(int64_t)) == 0;
}

static wf_status take_values(Trainer *t, Progress *p, const wf_model *m, bool best)
{
    char key[700];

    if (best && !(p->best_values = calloc((size_t)t->nvalues, sizeof *p->best_values)))
        return train_fail(t->cx, WF_ERR_MEMORY, "out of memory");
    for (int i = 0; i < t->nvalues && !wf_ctx_status(t->cx); i++) {
        wf_array *a;

        snprintf(key, sizeof key, "%s.%s", best ? "best" : "value", t->values[i].name);
        a = wf_model_find_tensor(m, key);
        if (!fits(a, t->values[i].array))
            return train_fail(t->cx, WF_ERR_VALUE,
                              "%s: the tensor %s is missing or of another type",
                              t->o->checkpoint, key);
        if (best)
            p->best_values[i] = wf_array_retain(a);
        else
            trainer_set(t, i, wf_array_retain(a));
    }
    return wf_ctx_status(t->cx);
}

static wf_status take_log(Trainer *t, TrainLog *l, const char *text)
{
    TrainRow r;

    for (; *text; text += strcspn(text, "\n") + 1)
        if (sscanf(text, row_form, &r.epoch, &r.step, &r.loss, &r.valid, &r.metric, &r.lr,
                   &r.seconds) != 7 ||
            !log_add(t->cx, l, r))
            return wf_ctx_status(t->cx)
                       ? wf_ctx_status(t->cx)
                       : train_fail(t->cx, WF_ERR_FORMAT, "%s: its log makes no sense",
                                    t->o->checkpoint);
    return WF_OK;
}

/* The first line that differs. */
static wf_status other_settings(Trainer *t, const char *then, const char *now)
{
    size_t a = 0, b = 0;

    for (;;) {
        a = strcspn(then, "\n");
        b = strcspn(now, "\n");
        if (a != b || memcmp(then, now, a) != 0 || !then[a] || !now[b])
            break;
        then += a + 1;
        now += b + 1;
    }
    return train_fail(t->cx, WF_ERR_VALUE,
                      "%s is of another training: it had %.*s, this has %.*s",
                      t->o->checkpoint, (int)a, then, (int)b, now);
}

wf_status checkpoint_load(Trainer *t, Progress *p, TrainLog *l, const char *settings)
{
    wf_model *m = NULL;

    if (wf_model_load_copy(t->cx, t->o->checkpoint, &m))
        return wf_ctx_status(t->cx);
    if (strcmp(wf_model_meta(m, "train.settings"), settings) != 0)
        other_settings(t, wf_model_meta(m, "train.settings"), settings);
    else if (sscanf(wf_model_meta(m, "train.progress"), progress_form, &p->epoch, &p->at,
                    &p->step, &p->sum, &p->best, &p->best_epoch, &p->waited,
                    &p->seconds) != 8)
        train_fail(t->cx, WF_ERR_FORMAT, "%s is no checkpoint of a training",
                   t->o->checkpoint);
    else if (!take_log(t, l, wf_model_meta(m, "train.log")) &&
             !take_values(t, p, m, false) && t->o->patience && p->best_epoch > 0)
        take_values(t, p, m, true);
    wf_model_free(m);
    return wf_ctx_status(t->cx);
}

wf_status progress_keep(Trainer *t, Progress *p)
{
    if (!p->best_values &&
        !(p->best_values = calloc((size_t)t->nvalues + 1, sizeof *p->best_values)))
        return train_fail(t->cx, WF_ERR_MEMORY, "out of memory");
    for (int i = 0; i < t->nvalues; i++) {
        wf_array_release(p->best_values[i]);
        p->best_values[i] = wf_array_retain(t->values[i].array);
    }
    return WF_OK;
}

void progress_free(Trainer *t, Progress *p)
{
    for (int i = 0; p->best_values && i < t->nvalues; i++)
        wf_array_release(p->best_values[i]);
    free(p->best_values);
    p->best_values = NULL;
}
