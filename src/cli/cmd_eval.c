/* cmd_eval.c -- weft eval: run a program on arguments of the command line. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPT_OUT, OPT_REFERENCE, OPT_SEED, OPT_THREADS };

typedef struct Run {
    Steps steps;
    const char *file;
    const char **words; /* after the file: perhaps a name, then arguments */
    int nwords;
    const char **outs; /* -o, for the first results */
    int nouts;
    bool reference;
    int64_t seed, threads;
} Run;

bool is_array_word(const char *s)
{
    static const char *const generated[] = {
        "zeros:", "ones:", "iota:", "rand:", "randn:"};
    size_t n = strlen(s);

    if (strchr("+-.[0123456789", *s) || (n > 4 && strcmp(s + n - 4, ".npy") == 0))
        return true;
    for (size_t i = 0; i < sizeof generated / sizeof *generated; i++)
        if (strncmp(s, generated[i], strlen(generated[i])) == 0)
            return true;
    return strcmp(s, "true") == 0 || strcmp(s, "false") == 0 || strcmp(s, "inf") == 0 ||
           strcmp(s, "nan") == 0 || strchr(s, '[') != NULL;
}

static void release_all(wf_array **a, int n)
{
    for (int i = 0; i < n; i++)
        wf_array_release(a[i]);
    free(a);
}

int parse_inputs(wf_ctx *cx, const wf_program *p, const char **words, int n, int64_t seed,
                 wf_array **in)
{
    int inputs = wf_program_inputs(p), given = 0, k = 0;

    for (int i = 0; i < inputs; i++)
        given += in[i] != NULL;
    if (n != inputs - given) {
        complain("'%s' takes %d arguments, found %d", wf_program_name(p), inputs - given,
                 n);
        print_signature(cx, p, stderr);
        return USER;
    }
    for (int i = 0; i < inputs; i++)
        if (!in[i] &&
            wf_array_parse(cx, words[k++], wf_program_input_dtype(p, i),
                           (uint64_t)seed * 1000003u + (uint64_t)i, &in[i]) != WF_OK) {
            int status = report(cx);

            complain("in argument %d, '%s'", k, wf_program_input_name(p, i));
            return status;
        }
    return DONE;
}

static int give_results(wf_ctx *cx, const Run *r, wf_array **out, int n)
{
    const char *text;

    if (r->nouts > n) {
        complain("-o %s: there are only %d results", r->outs[n], n);
        return USER;
    }
    for (int i = 0; i < n; i++)
        if (i < r->nouts) {
            if (wf_npy_save(cx, r->outs[i], out[i]) != WF_OK)
                return report(cx);
        } else {
            if (wf_array_text(cx, out[i], &text) != WF_OK)
                return report(cx);
            puts(text);
        }
    return DONE;
}

/* Tensors of the file that a method takes need no words, unless there are words for all
 * inputs. m NULL: they are bound already. */
static int take_state(wf_ctx *cx, const wf_model *m, const char *name, int inputs, int n,
                      wf_array **in)
{
    int taken = m && n < inputs ? wf_model_method_state(cx, m, name, in, inputs) : 0;

    for (int i = 0; i < inputs; i++)
        in[i] = i < taken ? wf_array_retain(in[i]) : NULL;
    return taken < 0 ? report(cx) : DONE;
}

static int run_program(wf_ctx *cx, const Run *r, const wf_model *m, const char *name,
                       const wf_program *p, const char **words, int n)
{
    int inputs = wf_program_inputs(p), outputs = wf_program_outputs(p);
    wf_array **in = need_memory((size_t)inputs * sizeof *in);
    wf_array **out = need_memory((size_t)outputs * sizeof *out);
    int status = take_state(cx, m, name, inputs, n, in);

    if (status == DONE)
        status = parse_inputs(cx, p, words, n, r->seed, in);
    if (status == DONE) {
        if ((r->reference ? wf_eval_reference(cx, p, in, inputs, out, outputs)
                          : wf_eval(cx, p, in, inputs, out, outputs)) == WF_OK)
            status = give_results(cx, r, out, outputs);
        else
            status = report(cx);
    }
    release_all(in, inputs);
    release_all(out, outputs);
    return status;
}

static int eval_file(const Run *r)
{
    wf_ctx *cx = new_context((int)r->threads);
    const wf_program *p = NULL;
    const char *name = NULL;
    int status = DONE;
    wf_model *m;

    if (!cx)
        return ENVIRONMENT;
    m = load_model(cx, r->file, &status);
    if (m && r->nwords && (wf_model_find(m, r->words[0]) || !is_array_word(r->words[0])))
        name = r->words[0];
    if (m && !(p = pick_program(m, r->file, name)))
        status = USER;
    const char *method = p ? wf_program_name(p) : NULL; /* transforms keep the inputs that are the file's */
    if (p && (p = steps_apply(cx, &r->steps, m, p, &status))) {
        int skip = name != NULL;

        status = run_program(cx, r, r->steps.bind ? NULL : m, method, p, r->words + skip, r->nwords - skip);
        wf_program_release(p);
    }
    wf_model_free(m);
    wf_ctx_free(cx);
    return status;
}

static bool read_args(Args *a, Run *r)
{
    int k;

    while ((k = args_next(a)) != ARG_END) {
        if (k == ARG_WRONG)
            return false;
        if (steps_take(&r->steps, k, a->value))
            continue;
        switch (k) {
        case OPT_OUT: r->outs[r->nouts++] = a->value; break;
        case OPT_REFERENCE: r->reference = true; break;
        case OPT_SEED:
            if (!args_number(a, "seed", &r->seed))
                return false;
            break;
        case OPT_THREADS:
            if (!args_number(a, "threads", &r->threads))
                return false;
            if (r->threads > 4096)
                return usage_error(a->command, "--threads: at most 4096"), false;
            break;
        default:
            if (r->file)
                r->words[r->nwords++] = a->value;
            else
                r->file = a->value;
        }
    }
    if (!r->file)
        usage_error(a->command, "which file?");
    return r->file != NULL;
}

static int run(Args *a)
{
    Run r = {.words = need_memory((size_t)a->argc * sizeof *r.words),
             .outs = need_memory((size_t)a->argc * sizeof *r.outs)};
    int status = read_args(a, &r) ? eval_file(&r) : USAGE;

    free(r.words);
    free(r.outs);
    steps_free(&r.steps);
    return status;
}

static const Option options[] = {
    {"o", OPT_VALUE, OPT_OUT, "OUT.npy",
     "save the first result instead of printing it; again for the next"},
    {"reference", OPT_FLAG, OPT_REFERENCE, NULL, "by the op table's own slow rules"},
    {"seed", OPT_VALUE, OPT_SEED, "S", "of rand: and randn:, 0"},
    {"threads", OPT_VALUE, OPT_THREADS, "N", "how many; as many as the machine has"},
    {NULL, OPT_FLAG, 0, NULL, NULL},
};

const Command cmd_eval = {
    .name = "eval",
    .usage = "FILE [NAME] ARG... [OPTION...]",
    .summary = "run a program, transformed if wished",
    .help = "Runs program NAME of FILE (- is standard input) and prints a line for each "
            "result: its type and\n"
            "its value. NAME may be left out: then it is the only program, or 'main', or "
            "the last.\n"
            "\n"
            "An ARG is a number, a nested list such as [[1, 2], [3, 4]], a file x.npy, "
            "or a generated array:\n"
            "zeros: ones: iota: rand: randn: and a type, such as rand:f32[8,64]. "
            "Transforms are applied in\n"
            "the order given. What reads as a number (-1.5, -inf) is never an option.",
    .options = options,
    .more = step_options,
    .run = run,
};
