/* log.c -- what a training says: a line for each epoch, a bar on a terminal, a CSV file, a page with the curves. */
#include "pages/pages.h"
#include "train/train.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double log_clock(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool log_add(wf_ctx *cx, TrainLog *l, TrainRow row)
{
    TrainRow *grown = realloc(l->v, (size_t)(l->n + 1) * sizeof *grown);

    if (!grown) {
        train_fail(cx, WF_ERR_MEMORY, "out of memory");
        return false;
    }
    l->v = grown;
    l->v[l->n++] = row;
    return true;
}

void log_free(TrainLog *l)
{
    free(l->v);
    l->v = NULL;
    l->n = 0;
}

void log_print(const TrainLog *l, const Trainer *t)
{
    const TrainRow *r = &l->v[l->n - 1];

    printf("epoch %lld  step %lld  loss %.5g", (long long)r->epoch, (long long)r->step,
           r->loss);
    if (!isnan(r->valid))
        printf("  validation %.5g", r->valid);
    if (!isnan(r->metric))
        printf("  %s %.4f", t->metric, r->metric);
    putchar('\n');
    fflush(stdout);
}

/* ---- the bar ----------------------------------------------------------------------- */

/* The last losses of the epochs as blocks of eight heights. */
static void sparkline(const TrainLog *l, char *out, size_t room)
{
    static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    int from = l->n > 24 ? l->n - 24 : 0;
    double lo = INFINITY, hi = -INFINITY;
    size_t n = 0;

    out[0] = 0;
    for (int i = from; i < l->n; i++) {
        lo = fmin(lo, l->v[i].loss);
        hi = fmax(hi, l->v[i].loss);
    }
    for (int i = from; i < l->n && n + 4 < room; i++)
        n += (size_t)snprintf(
            out + n, room - n, "%s",
            blocks[hi > lo ? (int)(7.99 * (l->v[i].loss - lo) / (hi - lo)) : 0]);
}

void log_bar(TrainLog *l, int64_t epoch, int64_t epochs, int64_t done, int64_t all,
             double rows_a_second, double loss, double seconds_left)
{
    char bar[21], spark[120];
    int filled = all > 0 ? (int)(20 * done / all) : 20;
    int64_t left = (int64_t)seconds_left;
    double now = log_clock();

    if (!l->terminal || (now - l->shown < 0.1 && done < all))
        return;
    l->shown = now;
    for (int i = 0; i < 20; i++)
        bar[i] = i < filled ? '#' : '-';
    bar[20] = 0;
    sparkline(l, spark, sizeof spark);
    fprintf(stderr,
            "\repoch %lld/%lld [%s] %.0f rows/s  loss %.4f  %lld:%02lld left  %s\033[K",
            (long long)epoch + 1, (long long)epochs, bar, rows_a_second, loss,
            (long long)(left / 60), (long long)(left % 60), spark);
    fflush(stderr);
}

void log_clear_bar(const TrainLog *l)
{
    if (l->terminal && l->shown > 0)
        fputs("\r\033[K", stderr);
}

/* ---- files ------------------------------------------------------------------------- */

/* Written beside the target, which it replaces in the end. */
static wf_status write_file(wf_ctx *cx, const char *path,
                            void (*put)(FILE *f, void *user), void *user)
{
    char beside[4096];
    FILE *f;
    bool ok;

    if (snprintf(beside, sizeof beside, "%s.new", path) >= (int)sizeof beside)
        return train_fail(cx, WF_ERR_IO, "%s: the name is too long", path);
    if (!(f = fopen(beside, "w")))
        return train_fail(cx, WF_ERR_IO, "cannot write %s: %s", path, strerror(errno));
    put(f, user);
    ok = !ferror(f);
    if (fclose(f) != 0 || !ok || rename(beside, path) != 0) {
        train_fail(cx, WF_ERR_IO, "cannot write %s: %s", path, strerror(errno));
        remove(beside);
    }
    return wf_ctx_status(cx);
}

static void csv_number(FILE *f, double x)
{
    if (isnan(x))
        fputc(',', f);
    else
        fprintf(f, ",%.9g", x);
}

static void put_csv(FILE *f, void *user)
{
    const TrainLog *l = user;

    fputs("epoch,step,loss,validation,metric,rate,seconds\n", f);
    for (int i = 0; i < l->n; i++) {
        const TrainRow *r = &l->v[i];

        fprintf(f, "%lld,%lld", (long long)r->epoch, (long long)r->step);
        csv_number(f, r->loss);
        csv_number(f, r->valid);
        csv_number(f, r->metric);
        csv_number(f, r->lr);
        fprintf(f, ",%.3f\n", r->seconds);
    }
}

wf_status log_csv(wf_ctx *cx, const TrainLog *l, const char *path)
{
    return write_file(cx, path, put_csv, (TrainLog *)(uintptr_t)l);
}

typedef struct Page {
    const TrainLog *l;
    const Trainer *t;
} Page;

static void put_data(FILE *f, void *user)
{
    const Page *p = user;
    const TrainOptions *o = p->t->o;

    fputs("{\"model\":", f);
    page_string(f, o->model);
    fputs(",\"optimizer\":", f);
    page_string(f, o->optimizer);
    fputs(",\"schedule\":", f);
    page_string(f, o->schedule);
    fputs(",\"loss\":", f);
    page_string(f, p->t->loss ? p->t->loss : "of the model");
    fputs(",\"metric\":", f);
    page_string(f, p->t->metric ? p->t->metric : "");
    fputs(",\"lr\":", f);
    page_number(f, o->lr);
    fprintf(f, ",\"batch\":%lld,\"rows\":[",
            (long long)(p->t->fixed ? p->t->fixed : o->batch));
    for (int i = 0; i < p->l->n; i++) {
        const TrainRow *r = &p->l->v[i];
        const double v[] = {r->loss, r->valid, r->metric, r->lr, r->seconds};

        fprintf(f, "%s[%lld,%lld", i ? "," : "", (long long)r->epoch, (long long)r->step);
        for (size_t k = 0; k < sizeof v / sizeof *v; k++) {
            fputc(',', f);
            page_number(f, v[k]);
        }
        fputc(']', f);
    }
    fputs("]}\n", f);
}

static void put_page(FILE *f, void *user)
{
    const Page *p = user;

    page_write(f, page_train, p->t->o->model, put_data, user);
}

wf_status log_html(wf_ctx *cx, const TrainLog *l, const Trainer *t, const char *path)
{
    return write_file(cx, path, put_page, &(Page){l, t});
}
