/* queue.c -- requests that wait to be run together: a worker takes the oldest, then those behind it that fit (the same instance, rows
 * of the same sizes), up to so many rows; it waits for more until the oldest has waited its delay. */
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
    pthread_t *workers;
    int64_t nworkers;
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

/* Those of the queue that go with w, w among them, up to the bound of rows; unlinked. The lock is held. */
static Waiting *gather(RequestQueue *q, int64_t *out_rows)
{
    Waiting *w = q->first, *group = w, **end = &w->next;

    q->first = w->next;
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

static int64_t waiting_rows(const RequestQueue *q)
{
    int64_t n = 0;

    for (const Waiting *w = q->first; w; w = w->next)
        n += fits(q->first->r, w->r) || w == q->first ? w->r->rows : 0;
    return n;
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
static bool run_together(wf_ctx *cx, Waiting *group, int64_t rows)
{
    ModelInstance *x = group->r->instance;
    wf_array *in[SERVE_TENSORS] = {NULL}, *out[SERVE_TENSORS] = {NULL};
    uint64_t now = serve_clock();
    bool ok = true;

    for (int i = 0; i < x->nin && ok; i++)
        ok = (in[i] = join(cx, group, i, rows)) != NULL;
    ok = ok && wf_run(cx, x->exec, in, x->nin, out, x->nout) == WF_OK;
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

static void run_group(RequestQueue *q, wf_ctx *cx, Waiting *group, int64_t rows)
{
    uint64_t now = serve_clock();
    bool late = false; /* one of them: the others are run alone */

    for (Waiting *w = group; w; w = w->next)
        if (now - w->r->arrived > (uint64_t)q->o->timeout * 1000000u)
            late = !infer_fail(w->r, 503, "the request waited longer than %lld ms",
                               (long long)q->o->timeout);
    if (late || !group->next || !run_together(cx, group, rows))
        for (Waiting *w = group; w; w = w->next)
            if (!w->r->status)
                infer_run(cx, w->r);
    for (Waiting *w = group, *next; w; w = next) {
        next = w->next; /* done may free it */
        w->done(w->user);
    }
}

/* Until the oldest is due, or enough rows are there. The lock is held. */
static void wait_for_more(RequestQueue *q)
{
    while (q->first && !q->closing && q->first->r->instance->batches &&
           waiting_rows(q) < q->o->batch) {
        uint64_t due = q->first->r->arrived + (uint64_t)q->o->delay * 1000u;
        struct timespec t = {(time_t)(due / 1000000000u), (long)(due % 1000000000u)};

        if (serve_clock() >= due || pthread_cond_timedwait(&q->more, &q->lock, &t) != 0)
            return;
    }
}

static void *work(void *user)
{
    RequestQueue *q = user;
    wf_options o = {
        .size = sizeof o, .runtime = q->runtime, .threads = q->o->workers > 1 ? 1 : 0};
    wf_ctx *cx = wf_ctx_new(&o);
    int64_t rows;

    pthread_mutex_lock(&q->lock);
    while (cx) {
        while (!q->first && !q->closing)
            pthread_cond_wait(&q->more, &q->lock);
        if (!q->first)
            break;
        wait_for_more(q);
        if (q->first) {
            Waiting *group = gather(q, &rows);

            pthread_mutex_unlock(&q->lock);
            run_group(q, cx, group, rows);
            pthread_mutex_lock(&q->lock);
        }
    }
    pthread_mutex_unlock(&q->lock);
    wf_ctx_free(cx);
    return NULL;
}

RequestQueue *serve_queue_open(const ServeOptions *o, wf_runtime *runtime)
{
    RequestQueue *q = calloc(1, sizeof *q);
    pthread_condattr_t monotonic;

    if (!q || !(q->workers = calloc((size_t)o->workers, sizeof *q->workers))) {
        free(q);
        return NULL;
    }
    q->o = o;
    q->runtime = runtime;
    q->last = &q->first;
    pthread_mutex_init(&q->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&q->more, &monotonic);
    pthread_condattr_destroy(&monotonic);
    while (q->nworkers < o->workers &&
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
    for (int64_t i = 0; i < q->nworkers; i++)
        pthread_join(q->workers[i], NULL);
    pthread_mutex_destroy(&q->lock);
    pthread_cond_destroy(&q->more);
    free(q->workers);
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
