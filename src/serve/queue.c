/* queue.c -- requests that wait to be run together: the worker of a lane takes the oldest that is due, then those behind it that fit (the
 * same instance, rows of the same sizes), up to so many rows. Due is what cannot be batched, has enough rows behind it, or has waited its
 * delay: nobody waits for the company of another model. */
#include "serve/serve.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

struct RequestQueue {
    const ServeOptions *o;
    wf_runtime *runtime;
    pthread_mutex_t lock;
    pthread_cond_t more;
    Waiting *first, **last;
    int64_t n;
    bool closing;
    pthread_t workers[SERVE_LANES];
    int nworkers, started; /* started: lanes that have a worker */
};

/* Rows of both can stand in one array. */
static bool fits(const Infer *a, const Infer *b)
{
    if (a->instance != b->instance || !a->instance->batches)
        return false;
    for (int i = 0; i < a->instance->nin; i++)
        for (int k = 1; k < wf_array_rank(a->in[i]); k++)
            if (wf_array_dims(a->in[i])[k] != wf_array_dims(b->in[i])[k])
                return false;
    return true;
}

/* All inputs of one request have as many rows. */
static bool is_regular(const Infer *r)
{
    for (int i = 0; i < r->instance->nin; i++)
        if (wf_array_rank(r->in[i]) < 1 || wf_array_dims(r->in[i])[0] != r->rows)
            return false;
    return r->instance->batches;
}

/* Those of the queue that go with the one at *place, it among them, up to the bound of rows; unlinked. The lock is held. */
static Waiting *gather(RequestQueue *q, Waiting **place, int64_t *out_rows)
{
    Waiting *w = *place, *group = w, **end = &w->next;

    *place = w->next;
    q->n--;
    *out_rows = w->r->rows;
    w->next = NULL;
    if (is_regular(w->r))
        for (Waiting **at = &q->first; *at;) {
            Waiting *x = *at;

            if (!fits(w->r, x->r) || !is_regular(x->r) ||
                *out_rows + x->r->rows > q->o->batch) {
                at = &x->next;
                continue;
            }
            *at = x->next;
            x->next = NULL;
            *end = x;
            end = &x->next;
            *out_rows += x->r->rows;
            q->n--;
        }
    q->last = &q->first;
    while (*q->last)
        q->last = &(*q->last)->next;
    return group;
}

/* When the request at w is to be run, nanoseconds; 0: now. */
static uint64_t due_of(const RequestQueue *q, const Waiting *w)
{
    int64_t rows = w->r->rows;

    if (q->closing || !w->r->instance->batches)
        return 0;
    for (const Waiting *x = w->next; x && rows < q->o->batch; x = x->next)
        rows += fits(w->r, x->r) ? x->r->rows : 0;
    return rows < q->o->batch ? w->r->arrived + (uint64_t)q->o->delay * 1000u : 0;
}

/* The oldest that is due, or NULL: then *out_due is when the first will be. The lock is held. */
static Waiting **find_due(RequestQueue *q, uint64_t *out_due)
{
    uint64_t now = serve_clock();
    const Waiting *seen = NULL; /* the first of those that wait: what fits it is due no earlier */

    *out_due = UINT64_MAX;
    for (Waiting **at = &q->first; *at; at = &(*at)->next) {
        uint64_t due;

        if (seen && fits(seen->r, (*at)->r))
            continue;
        due = due_of(q, *at);
        if (due <= now)
            return at;
        seen = seen ? seen : *at;
        if (due < *out_due)
            *out_due = due;
    }
    return NULL;
}

/* Input i of all, one behind the other. */
static wf_array *join(wf_ctx *cx, const Waiting *group, int i, int64_t rows)
{
    wf_array *first = group->r->in[i], *all = NULL;
    int64_t dims[WF_MAX_RANK];
    char *to;

    memcpy(dims, wf_array_dims(first), (size_t)wf_array_rank(first) * sizeof *dims);
    dims[0] = rows;
    if (wf_array_new(cx, wf_array_dtype(first), dims, wf_array_rank(first), &all) !=
        WF_OK)
        return NULL;
    to = wf_array_data_mutable(all);
    for (const Waiting *w = group; w; w = w->next) {
        size_t n =
            (size_t)wf_array_count(w->r->in[i]) * wf_dtype_size(wf_array_dtype(first));

        memcpy(to, wf_array_data(w->r->in[i]), n);
        to += n;
    }
    return all;
}

/* The rows of result i for each. */
static bool part(wf_ctx *cx, Waiting *group, int i, wf_array *all, int64_t rows)
{
    wf_array *whole = NULL;
    const char *from;
    bool ok = wf_array_rank(all) > 0 && wf_array_dims(all)[0] == rows &&
              wf_array_contiguous(cx, all, &whole) == WF_OK;

    from = ok ? wf_array_data(whole) : NULL;
    for (Waiting *w = group; ok && w; w = w->next) {
        int64_t dims[WF_MAX_RANK];

        memcpy(dims, wf_array_dims(whole), (size_t)wf_array_rank(whole) * sizeof *dims);
        dims[0] = w->r->rows;
        ok = wf_array_from(cx, wf_array_dtype(whole), dims, wf_array_rank(whole), from,
                           &w->r->out[i]) == WF_OK;
        if (ok)
            from += (size_t)wf_array_count(w->r->out[i]) *
                    wf_dtype_size(wf_array_dtype(whole));
    }
    wf_array_release(whole);
    return ok;
}

/* False: something went wrong, each is to be run alone, so that a wrong one fails alone. */
static bool run_together(wf_ctx *cx, int lane, Waiting *group, int64_t rows)
{
    ModelInstance *x = group->r->instance;
    wf_array *in[SERVE_TENSORS] = {NULL}, *out[SERVE_TENSORS] = {NULL};
    uint64_t now = serve_clock();
    bool ok = true;

    for (int i = 0; i < x->nin && ok; i++)
        ok = (in[i] = join(cx, group, i, rows)) != NULL;
    ok = ok && instance_run(cx, x, lane, in, out) == WF_OK;
    for (int i = 0; i < x->nout && ok; i++)
        ok = part(cx, group, i, out[i], rows);
    for (Waiting *w = group; ok && w; w = w->next) {
        w->r->status = 200;
        w->r->began = now;
    }
    if (ok)
        atomic_fetch_add(&x->stats->runs, 1);
    for (Waiting *w = group; !ok && w; w = w->next)
        for (int i = 0; i < x->nout; i++) {
            wf_array_release(w->r->out[i]);
            w->r->out[i] = NULL;
        }
    for (int i = 0; i < SERVE_TENSORS; i++) {
        wf_array_release(in[i]);
        wf_array_release(out[i]);
    }
    wf_clear(cx);
    return ok;
}

static void run_group(RequestQueue *q, wf_ctx *cx, int lane, Waiting *group, int64_t rows)
{
    uint64_t now = serve_clock();
    bool late = false; /* one of them: the others are run alone */

    for (Waiting *w = group; w; w = w->next)
        if (now - w->r->arrived > (uint64_t)q->o->timeout * 1000000u)
            late = !infer_fail(w->r, 503, "the request waited longer than %lld ms",
                               (long long)q->o->timeout);
    if (late || !group->next || !run_together(cx, lane, group, rows))
        for (Waiting *w = group; w; w = w->next)
            if (!w->r->status)
                infer_run(cx, w->r, lane);
    for (Waiting *w = group, *next; w; w = next) {
        next = w->next; /* done may free it */
        w->done(w->user);
    }
}

/* What is to be run next, in *out_rows rows; NULL: the end. The lock is held. */
static Waiting *next_group(RequestQueue *q, int64_t *out_rows)
{
    for (;;) {
        uint64_t due;
        Waiting **at = find_due(q, &due);
        struct timespec t = {(time_t)(due / 1000000000u), (long)(due % 1000000000u)};

        if (at)
            return gather(q, at, out_rows);
        if (q->closing)
            return NULL;
        if (q->first)
            pthread_cond_timedwait(&q->more, &q->lock, &t);
        else
            pthread_cond_wait(&q->more, &q->lock);
    }
}

static void *work(void *user)
{
    RequestQueue *q = user;
    wf_options o = {.size = sizeof o, .runtime = q->runtime};
    wf_ctx *cx;
    Waiting *group;
    int64_t rows;
    int lane;

    pthread_mutex_lock(&q->lock);
    lane = q->started++;
    o.threads = q->o->lanes[lane].threads;
    cx = wf_ctx_new(&o);
    while (cx && (group = next_group(q, &rows))) {
        pthread_mutex_unlock(&q->lock);
        run_group(q, cx, lane, group, rows);
        pthread_mutex_lock(&q->lock);
    }
    pthread_mutex_unlock(&q->lock);
    wf_ctx_free(cx);
    return NULL;
}

RequestQueue *serve_queue_open(const ServeOptions *o, wf_runtime *runtime)
{
    RequestQueue *q = calloc(1, sizeof *q);
    pthread_condattr_t monotonic;

    if (!q)
        return NULL;
    q->o = o;
    q->runtime = runtime;
    q->last = &q->first;
    pthread_mutex_init(&q->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&q->more, &monotonic);
    pthread_condattr_destroy(&monotonic);
    while (q->nworkers < o->nlanes &&
           pthread_create(&q->workers[q->nworkers], NULL, work, q) == 0)
        q->nworkers++;
    if (!q->nworkers) {
        serve_queue_close(q);
        return NULL;
    }
    return q;
}

void serve_queue_close(RequestQueue *q)
{
    pthread_mutex_lock(&q->lock);
    q->closing = true;
    pthread_cond_broadcast(&q->more);
    pthread_mutex_unlock(&q->lock);
    for (int i = 0; i < q->nworkers; i++)
        pthread_join(q->workers[i], NULL);
    pthread_mutex_destroy(&q->lock);
    pthread_cond_destroy(&q->more);
    free(q);
}

bool serve_queue_add(RequestQueue *q, Waiting *w)
{
    bool ok;

    pthread_mutex_lock(&q->lock);
    ok = q->n < q->o->queue && !q->closing;
    if (ok) {
        w->next = NULL;
        *q->last = w;
        q->last = &w->next;
        q->n++;
        pthread_cond_signal(&q->more);
    }
    pthread_mutex_unlock(&q->lock);
    return ok;
}

int64_t serve_queue_length(RequestQueue *q)
{
    int64_t n;

    pthread_mutex_lock(&q->lock);
    n = q->n;
    pthread_mutex_unlock(&q->lock);
    return n;
}
