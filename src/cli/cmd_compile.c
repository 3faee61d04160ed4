/* cmd_compile.c -- weft compile: machine code for the methods of a file, put into it. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

enum { OPT_OUT, OPT_ISA };

enum { ISAS_MOST = 8 };

/* "avx2,avx512" cut into words, in place. */
static int split_names(char *text, const char *names[ISAS_MOST])
{
    char *save = NULL;
    int n = 0;

    for (char *s = strtok_r(text, ",", &save); s && n < ISAS_MOST; s = strtok_r(NULL, ",", &save))
        names[n++] = s;
    return n;
}

static int compile_file(const char *file, const char *target, const char *const *isas, int n)
{
    wf_ctx *cx = new_context(0);
    int status = DONE;
    wf_model *m;

    if (!cx)
        return ENVIRONMENT;
    m = load_model(cx, file, &status);
    if (m && wf_model_programs(m) == 0) {
        cli_complain("%s has no programs", file);
        status = USER;
    } else if (m && (wf_model_compile(cx, m, isas, n) != WF_OK || wf_model_save(cx, m, target) != WF_OK)) {
        status = cli_report(cx);
    }
    wf_model_free(m);
    wf_ctx_free(cx);
    return status;
}

static int run(CliArgs *a)
{
    const char *file = NULL, *target = NULL, *isas[ISAS_MOST];
    int k, n = 0, status;
    char *text = NULL;
    size_t length;

    while ((k = args_next(a)) != ARG_END) {
        if (k == ARG_WRONG) {
            free(text);
            return USAGE;
        }
        if (k == OPT_OUT) {
            target = a->value;
        } else if (k == OPT_ISA) {
            free(text);
            text = strcpy(cli_need_memory(strlen(a->value) + 1), a->value);
            n = split_names(text, isas);
        } else if (file) {
            free(text);
            return usage_error(a->command, "one file at a time, found '%s' too", a->value);
        } else {
            file = a->value;
        }
    }
    target = target ? target : file;
    length = target ? strlen(target) : 0;
    if (!file)
        status = usage_error(a->command, "which file?");
    else if (length < 5 || strcmp(target + length - 5, ".weft") != 0)
        status = usage_error(a->command, "%s is no .weft file; say another with -o", target);
    else
        status = compile_file(file, target, isas, n);
    free(text);
    return status;
}

static const Option options[] = {
    {"o", OPT_VALUE, OPT_OUT, "OUT.weft", "where to; else the file itself, which is replaced as a whole"},
    {"isa", OPT_VALUE, OPT_ISA, "A,B", "base, avx2, avx512; else all up to this machine's"},
    {NULL, OPT_FLAG, 0, NULL, NULL},
};

const Command cmd_compile = {
    .name = "compile",
    .usage = "FILE [-o OUT.weft] [--isa=A,B]",
    .summary = "machine code into a file, for machines without a C compiler",
    .help = "Compiles the methods of FILE, as they stand and with the tensors of the file as constants, and puts\n"
            "the machine code into it, in place of what there was. Who loads it says whether code in files may be\n"
            "run: WEFT_FILE_CODE=1 for this program, wf_options.file_code for others. It serves this version of\n"
            "Weft, on machines that have one of the instruction sets.",
    .options = options,
    .run = run,
};
