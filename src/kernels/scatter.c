/* scatter.c -- single elements added at places given by indices: the gradient of maxima
 * over windows.
 *
 * Each thread owns a range of the result and takes the updates that go there, in their
 * order, so that bits do not depend on threads. Blocks of indices that are all elsewhere
 * are passed over after a look at their least and greatest.
 */
#include "base/base.h"
#include "stage.h"

#define BLOCK 1024

typedef struct ScatterRun {
    KType type;
    int64_t n, rows, group;
    const int64_t *at;
    void *y;
    const void *u;
} ScatterRun;

#define ADD_RANGE(T)                                                                     \
    do {                                                                                 \
        T *y = r->y;                                                                     \
        const T *u = r->u;                                                               \
                                                                                         \
        if (low >= begin && high < end)                                                  \
            for (int64_t i = from; i < to; i++)                                          \
                y[at[i]] += u[i];                                                        \
        else                                                                             \
            for (int64_t i = from; i < to; i++)                                          \
                if (at[i] >= begin && at[i] < end)                                       \
                    y[at[i]] += u[i];                                                    \
    } while (0)

static void scatter_task(void *user, int task)
{
    const ScatterRun *r = user;
    int64_t begin = task * r->group, end = least(begin + r->group, r->n);
    const int64_t *at = r->at;

    for (int64_t from = 0; from < r->rows; from += BLOCK) {
        int64_t to = least(from + BLOCK, r->rows), low = at[from], high = at[from];

        for (int64_t i = from; i < to; i++) {
            low = at[i] < low ? at[i] : low;
            high = at[i] > high ? at[i] : high;
        }
        if (high < begin || low >= end)
            continue;
        if (r->type == KT_F32)
            ADD_RANGE(float);
        else
            ADD_RANGE(double);
    }
}

int k_scatter_add(KType type, int64_t n, void *y, int64_t rows, const int64_t *at,
                  const void *u, const KPar *par)
{
    ScatterRun r = {type, n, rows, n, at, y, u};
    int64_t tasks = 1;

    if (type != KT_F32 && type != KT_F64)
        return 0;
    if (!n || !rows || !y)
        return 1;
    if (par && par->run && rows >= K_TASK && n >= K_TASK)
        tasks = par->threads;
    r.group = ceil_quotient(n, tasks);
    run_tasks(par, ceil_quotient(n, r.group), scatter_task, &r);
    return 1;
}
