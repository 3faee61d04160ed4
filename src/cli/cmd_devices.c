/* cmd_devices.c -- weft devices: where programs can run; and the one that --device names. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

static void print_device(wf_ctx *cx, wf_device *d, const char *indent)
{
    wf_memory_stats s = {.size = sizeof s};
    const char *name = wf_device_name(d), *label = wf_device_label(d);

    printf("%s%-7s %s", indent, name, strcmp(label, name) == 0 ? "this machine's processor" : label);
    if (wf_device_memory(cx, d, &s) == WF_OK && s.total)
        printf(", %.1f of %.1f GiB free", (double)s.free / (1 << 30), (double)s.total / (1 << 30));
    putchar('\n');
    if (*wf_device_features(d))
        printf("%s%-7s %s\n", indent, "", wf_device_features(d));
}

void cli_print_devices(wf_ctx *cx, const char *indent)
{
    int n = wf_device_count(cx);
    wf_device *d = NULL;

    for (int i = 0; i < n; i++)
        if (wf_device_get(cx, i, &d) == WF_OK)
            print_device(cx, d, indent);
}

wf_device *pick_device(wf_ctx *cx, const char *name, const wf_model *m, int *out_status)
{
    const char *said = m ? wf_model_meta(m, "device") : "";
    wf_device *d = NULL;

    if (name ? wf_device_find(cx, name, &d) == WF_OK
             : *said && wf_device_find(cx, said, &d) == WF_OK)
        return d;
    if (name) {
        *out_status = cli_report(cx);
        return NULL;
    }
    if (*said)
        cli_complain("the file names device '%s', which is not here: it runs on the host", said);
    wf_clear(cx);
    wf_device_get(cx, 0, &d);
    return d;
}

/* What a GPU would need, where there is none. */
static void print_none(wf_ctx *cx)
{
    wf_device *d;

    if (wf_device_find(cx, "cuda", &d) != WF_OK)
        fprintf(stderr, "%s\n", wf_ctx_message(cx));
    wf_clear(cx);
}

static int run(CliArgs *a)
{
    int k = args_next(a);
    wf_ctx *cx;

    if (k != ARG_END)
        return k == ARG_WRONG ? USAGE : usage_error(a->command, "it takes no '%s'", a->value);
    if (!(cx = new_context(1)))
        return ENVIRONMENT;
    cli_print_devices(cx, "");
    print_none(cx);
    wf_ctx_free(cx);
    return DONE;
}

const Command cmd_devices = {
    .name = "devices",
    .usage = "",
    .summary = "where programs can run: the host and the GPUs",
    .help = "Prints a line for each device: its name, as --device takes it, what it is, how much of its memory is\n"
            "free; for GPUs also which libraries were found. Where there is no GPU it says why. WEFT_CUDA=off hides\n"
            "GPUs, CUDA_VISIBLE_DEVICES chooses among them.",
    .run = run,
};
