/* cmd_convert.c -- weft convert: a model from one kind of file into another. */
#include "cli.h"

static int convert(const char *from, const char *to)
{
    wf_ctx *cx = new_context(0);
    int status = DONE;
    wf_model *m;

    if (!cx)
        return ENVIRONMENT;
    m = load_model(cx, from, &status);
    if (m && wf_model_save(cx, m, to) != WF_OK)
        status = cli_report(cx);
    wf_model_free(m);
    wf_ctx_free(cx);
    return status;
}

static int run(CliArgs *a)
{
    const char *files[2] = {NULL, NULL};
    int n = 0, k;

    while ((k = args_next(a)) != ARG_END) {
        if (k != ARG_WORD)
            return USAGE;
        if (n == 2)
            return usage_error(a->command, "two files, found '%s' too", a->value);
        files[n++] = a->value;
    }
    if (n < 2)
        return usage_error(a->command, n ? "into which file?" : "which files?");
    return convert(files[0], files[1]);
}

const Command cmd_convert = {
    .name = "convert",
    .usage = "FROM TO",
    .summary = "a model from one kind of file into another",
    .help = "Reads FROM (- is standard input) and writes TO, as the end of its name says: .weft, .wir, .onnx.\n"
            "What each kind of file gives and takes: docs/formats.md.",
    .run = run,
};
