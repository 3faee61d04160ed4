/* progress.c -- one line that says how far a loop is, on a terminal. */
#include "nn/nn.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct wf_progress {
    char *name; /* NULL: out of memory */
    int64_t total, done;
    double start, shown; /* seconds */
    bool on;
};

wf_progress *wf_progress_new(wf_ctx *c, const char *name, int64_t total)
{
    wf_progress *p = nn_alloc(c, sizeof *p);

    if (p)
        *p = (wf_progress){nn_copy_text(c, name ? name : ""), total, 0, now(), 0,
                           isatty(STDERR_FILENO) == 1};
    return p;
}

/*   name  123/450 [#####---------------]  310.5/s  loss 0.1234  0:01 left */
static void show(wf_progress *p, double loss, double t)
{
    double rate = t > p->start ? (double)p->done / (t - p->start) : 0;
    int64_t left = rate > 0 ? (int64_t)((double)(p->total - p->done) / rate) : 0;
    int filled = p->total > 0 ? (int)(20 * p->done / p->total) : 20;
    char bar[21];

    for (int i = 0; i < 20; i++)
        bar[i] = i < filled ? '#' : '-';
    bar[20] = 0;
    fprintf(stderr, "\r%s %lld/%lld [%s] %.1f/s  loss %.4f  %lld:%02lld left \033[K",
            p->name ? p->name : "", (long long)p->done, (long long)p->total, bar, rate,
            loss, (long long)(left / 60), (long long)(left % 60));
    fflush(stderr);
}

void wf_progress_step(wf_progress *p, double loss)
{
    double t;

    if (!p)
        return;
    p->done++;
    if (!p->on)
        return;
    t = now();
    if (t - p->shown < 0.1 && p->done < p->total)
        return;
    p->shown = t;
    show(p, loss, t);
}

void wf_progress_free(wf_ctx *c, wf_progress *p)
{
    if (!c || !p)
        return;
    if (p->on && p->done)
        fputc('\n', stderr);
    nn_free_text(c, p->name);
    nn_free(c, p, sizeof *p);
}
