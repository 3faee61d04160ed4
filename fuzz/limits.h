/* limits.h -- what inputs that are run may take: time, by cancelling, and memory at once. */
#include "weft.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

#define RUN_US 30000 /* of running time */
#define MOST ((size_t)256 << 20)

static wf_ctx *running;

static void on_timer(int sig)
{
    (void)sig;
    if (running)
        wf_cancel(running);
}

/* Cancels cx again and again; NULL: no more. */
static void timer(wf_ctx *cx)
{
    struct itimerval t = {{0, cx ? RUN_US : 0}, {0, cx ? RUN_US : 0}};

    running = cx;
    signal(SIGPROF, on_timer);
    setitimer(ITIMER_PROF, &t, NULL);
}

static void *resize(void *user, void *ptr, size_t old_size, size_t new_size)
{
    (void)user, (void)old_size;
    if (!new_size) {
        free(ptr);
        return NULL;
    }
    return new_size > MOST ? NULL : realloc(ptr, new_size);
}
