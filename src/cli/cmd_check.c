/* cmd_check.c -- weft check: are these files well-formed? */
#include "cli.h"

#include <stdlib.h>

static int check_script(const char *path)
{
    wf_ctx *cx = new_context(1);
    size_t size;
    char *text = cx ? load_text(path, &size) : NULL;
    int status = text ? DONE : ENVIRONMENT;

    if (text && wf_script_check(cx, path, text, size) != WF_OK)
        status = cli_report(cx);
    free(text);
    wf_ctx_free(cx);
    return status;
}

static int check_file(const char *path)
{
    wf_ctx *cx = new_context(1);
    int status = DONE;
    wf_model *m;

    if (!cx)
        return ENVIRONMENT;
    m = load_model(cx, path, &status);
    for (int i = 0; m && i < wf_model_programs(m) && status == DONE; i++)
        if (wf_program_verify(cx, wf_model_program(m, i)) != WF_OK)
            status = cli_report(cx);
    wf_model_free(m);
    wf_ctx_free(cx);
    return status;
}

static int run(CliArgs *a)
{
    int status = DONE, files = 0, k;

    while ((k = args_next(a)) != ARG_END) {
        if (k != ARG_WORD)
            return USAGE;
        int s = cli_is_script(a->value) ? check_script(a->value) : check_file(a->value);

        files++;
        status = s > status ? s : status;
    }
    return files ? status : usage_error(a->command, "which file?");
}

const Command cmd_check = {
    .name = "check",
    .usage = "FILE...",
    .summary = "parse, type and verify files",
    .help = "Reads each FILE (scripts .py, text programs .wir, .weft, safetensors; - is\n"
            "standard input) and checks all\n"
            "that is in it. Says nothing when all is well.",
    .run = run,
};
