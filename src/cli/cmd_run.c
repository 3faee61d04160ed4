/* cmd_run.c -- weft run FILE.py [ARG...], weft run -m MODULE [ARG...]: run a script. */
#include "cli.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static wf_ctx *running; /* for the signal handler: the one context that runs scripts */

static void on_interrupt(int sig)
{
    (void)sig;
    if (running)
        wf_cancel(running);
}

void cancel_on_interrupt(wf_ctx *cx)
{
    struct sigaction sa = {.sa_handler = on_interrupt};

    running = cx;
    sigaction(SIGINT, &sa, NULL);
}

/* argv: the file, or with is_module the module, and its arguments */
/* profiled: the file for a profile; NULL: none. device: where tensors of the fronts are at
 * first; NULL: as each library has it */
static int run_main(int argc, char **argv, bool is_module, const char *profiled,
                    const char *device)
{
    wf_profile *profile = NULL;
    wf_ctx *cx;
    wf_status s;
    int code = 0;

    cx = new_context(0);
    if (!cx)
        return ENVIRONMENT;
    if (device) {
        wf_device *d = pick_device(cx, device, NULL, &code);

        if (!d || setenv("WEFT_DEVICE", wf_device_name(d), 1)) {
            wf_ctx_free(cx);
            return d ? ENVIRONMENT : code;
        }
    }
    cancel_on_interrupt(cx);
    if (profiled)
        wf_profile_begin(cx, &profile);
    s = is_module ? wf_script_run_module(cx, argv[0], argc, argv, &code)
                  : wf_script_run(cx, argv[0], argc, argv, &code);
    fflush(stdout);
    wf_profile_end(cx, profile);
    if (s != WF_OK)
        code = cli_report(cx);
    if (profile && cli_profile_file(profiled, profile, argv[0]) != DONE)
        code = ENVIRONMENT;
    wf_profile_free(profile);
    running = NULL;
    wf_ctx_free(cx);
    return code;
}

int run_script(int argc, char **argv) { return run_main(argc, argv, false, NULL, NULL); }

/* One more folder where import looks, after those of WEFT_PATH. */
static int add_site(const char *folder)
{
    const char *old = getenv("WEFT_PATH");
    size_t n = (old ? strlen(old) : 0) + strlen(folder) + 2;
    char *both = malloc(n);
    int code = 0;

    if (!both)
        return ENVIRONMENT;
    snprintf(both, n, "%s%s%s", old ? old : "", old && *old ? ":" : "", folder);
    if (setenv("WEFT_PATH", both, 1))
        code = ENVIRONMENT;
    free(both);
    return code;
}

/* Options come before the file: what follows it is the script's own. */
static int run(CliArgs *a)
{
    const char *profiled = NULL, *device = NULL;
    bool is_module = false;
    int at = 2, code = 0;

    for (; at < a->argc && a->argv[at][0] == '-' && a->argv[at][1] && !code; at++) {
        if (strcmp(a->argv[at], "-m") == 0) {
            is_module = true;
            at++;
            break;
        }
        if (strncmp(a->argv[at], "--site=", 7) == 0)
            code = add_site(a->argv[at] + 7);
        else if (strncmp(a->argv[at], "--profile=", 10) == 0 && a->argv[at][10])
            profiled = a->argv[at] + 10;
        else if (strncmp(a->argv[at], "--device=", 9) == 0)
            device = a->argv[at] + 9;
        else
            return usage_error(a->command, "unknown option '%s'", a->argv[at]);
    }
    if (code)
        return code;
    if (at >= a->argc)
        return usage_error(a->command, is_module ? "which module?" : "which file?");
    return run_main(a->argc - at, a->argv + at, is_module, profiled, device);
}

const Command cmd_run = {
    .name = "run",
    .usage = "[--device=NAME] [--site=FOLDER] [--profile=FILE] FILE.py | -m MODULE [ARG...]",
    .summary = "run a script; weft FILE.py is the same",
    .help = "Runs a file of the Python subset that docs/script.md describes, with no Python installed.\n"
            "What follows FILE or MODULE is the script's own. import looks beside the file, in the folders of the\n"
            "environment variable WEFT_PATH, and in FOLDER: packages that are Python alone run from their source.\n"
            "--device=cuda puts new tensors of torch, jax and tensorflow on the first GPU (weft devices lists them).\n"
            "--profile=FILE.html writes where the time went, as a page with a timeline; FILE.json as Chrome's trace.",
    .run = run,
};
