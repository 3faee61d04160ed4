/* cmd_run.c -- weft run FILE.py [ARG...]: run a script. */
#include "cli.h"

#include <signal.h>

static wf_ctx *running; /* for the signal handler: the one context of the process */

static void on_interrupt(int sig)
{
    (void)sig;
    if (running)
        wf_cancel(running);
}

int run_script(int argc, char **argv)
{
    struct sigaction sa = {.sa_handler = on_interrupt};
    wf_ctx *cx;
    wf_status s;
    int code = 0;

    cx = new_context(0);
    if (!cx)
        return ENVIRONMENT;
    running = cx;
    sigaction(SIGINT, &sa, NULL);
    s = wf_script_run(cx, argv[0], argc, argv, &code);
    fflush(stdout);
    if (s != WF_OK)
        code = report(cx);
    running = NULL;
    wf_ctx_free(cx);
    return code;
}

static int run(Args *a)
{
    if (a->argc < 3)
        return usage_error(a->command, "which file?");
    return run_script(a->argc - 2, a->argv + 2);
}

const Command cmd_run = {
    .name = "run",
    .usage = "FILE.py [ARG...]",
    .summary = "run a script; weft FILE.py is the same",
    .help = "Runs a file of the Python subset that docs/script.md describes, with no Python installed.\n"
            "What follows FILE is the script's own.",
    .run = run,
};
