/* cmd_run.c -- weft run FILE.py [ARG...]: run a script. */
#include "weft.h"

#include <signal.h>
#include <stdio.h>

int cmd_run(int argc, char **argv);

static wf_ctx *running; /* for the signal handler: the one context of the process */

static void on_interrupt(int sig)
{
    (void)sig;
    if (running)
        wf_cancel(running);
}

/* 1: the script is wrong; 3: memory, files, an interrupt. */
static int status_of(wf_status s)
{
    return s == WF_OK ? 0 : s >= WF_ERR_MEMORY && s < WF_ERR_INTERNAL ? 3 : 1;
}

int cmd_run(int argc, char **argv)
{
    struct sigaction sa = {.sa_handler = on_interrupt};
    wf_ctx *cx;
    wf_status s;
    int code = 0;

    if (argc < 2) {
        fprintf(stderr, "weft: run: needs a file\nusage: weft run FILE.py [ARG...]\n");
        return 2;
    }
    cx = wf_ctx_new(NULL);
    if (!cx) {
        fprintf(stderr, "weft: out of memory\n");
        return 3;
    }
    running = cx;
    sigaction(SIGINT, &sa, NULL);
    s = wf_script_run(cx, argv[1], argc - 1, argv + 1, &code);
    fflush(stdout);
    if (s != WF_OK)
        fprintf(stderr, "%s\n", wf_ctx_message(cx));
    running = NULL;
    wf_ctx_free(cx);
    return s == WF_OK ? code : status_of(s);
}
