/* cmd_eval.c -- weft eval: run a program on arguments of the command line. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPT_DEVICE, OPT_OUT, OPT_REFERENCE, OPT_SEED, OPT_THREADS, OPT_WRITE };

typedef struct Run {
    Steps steps;
    const char *file;
    const char **words; /* after the file: perhaps a name, then arguments */
    int nwords;
    const char **outs; /* -o, for the first results */
    int nouts;
    bool reference, write;
    const char *device; /* NULL: as the file says */
    const char *target; /* of --write; NULL: the state is not written */
    int64_t seed, threads;
} Run;

bool cli_is_array_word(const char *s)
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

/* The input that the word names, and its text behind the =; -1: it names none. */
static int named_input(const wf_program *p, const char *word, const char **out_text)
{
    const char *equals = strchr(word, '=');
    int n = wf_program_inputs(p);

    for (int i = 0; equals && i < n; i++) {
        const char *name = wf_program_input_name(p, i);

        if (*name && strlen(name) == (size_t)(equals - word) &&
            memcmp(name, word, strlen(name)) == 0) {
            *out_text = equals + 1;
            return i;
        }
    }
    *out_text = word;
    return -1;
}

static int parse_input(wf_ctx *cx, const wf_program *p, const char *text, int number,
                       int64_t seed, int i, wf_array **in)
{
    int status;

    wf_array_release(in[i]); /* a word for a tensor of the file */
    if (wf_array_parse(cx, text, wf_program_input_dtype(p, i),
                       (uint64_t)seed * 1000003u + (uint64_t)i, &in[i]) == WF_OK)
        return DONE;
    status = cli_report(cx);
    cli_complain("in argument %d, '%s'", number, wf_program_input_name(p, i));
    return status;
}

int cli_parse_inputs(wf_ctx *cx, const wf_program *p, const char **words, int n, int64_t seed,
                 int results, wf_array **in)
{
    int inputs = wf_program_inputs(p), state = 0, status = DONE, open = 0, left = 0, i;
    bool *named = cli_need_memory((size_t)inputs + 1);
    const char *text;

    memset(named, 0, (size_t)inputs + 1);
    while (state < inputs && in[state])
        state++;
    for (int k = 0; k < n && status == DONE; k++) {
        if ((i = named_input(p, words[k], &text)) < 0) {
            left++;
        } else if (named[i]) {
            cli_complain("'%s' is given twice", wf_program_input_name(p, i));
            status = USER;
        } else {
            named[i] = true;
            status = parse_input(cx, p, text, k + 1, seed, i, in);
        }
    }
    free(named);
    if (status != DONE)
        return status;
    for (i = 0; i < inputs; i++)
        open += !in[i];
    if (left != open) {
        cli_complain("'%s' takes %d arguments, found %d", wf_program_name(p), inputs - state, n);
        cli_print_signature(cx, p, state, results, stderr);
        return USER;
    }
    i = 0;
    for (int k = 0; k < n && status == DONE; k++) {
        if (named_input(p, words[k], &text) >= 0)
            continue;
        while (in[i])
            i++;
        status = parse_input(cx, p, text, k + 1, seed, i, in);
    }
    return status;
}

/* The new values of tensors of the file, which are the results from `first` on, into it. */
static int write_state(wf_ctx *cx, const Run *r, wf_model *m, const char *name,
                       wf_array **out, int first, int n)
{
    wf_value_info info = {.size = sizeof info};

    if (first == n) {
        cli_complain("'%s' changes no tensors of %s: there is nothing to write", name, r->file);
        return USER;
    }
    for (int i = first; i < n; i++)
        if (wf_model_output_info(cx, m, name, i, &info) != WF_OK ||
            wf_model_set_tensor(cx, m, info.name, out[i]) != WF_OK)
            return cli_report(cx);
    return wf_model_save(cx, m, r->target) == WF_OK ? DONE : cli_report(cx);
}

static int give_results(wf_ctx *cx, const Run *r, wf_array **out, int n)
{
    const char *text;

    if (r->nouts > n) {
        cli_complain("-o %s: there are only %d results", r->outs[n], n);
        return USER;
    }
    for (int i = 0; i < n; i++)
        if (i < r->nouts) {
            if (wf_npy_save(cx, r->outs[i], out[i]) != WF_OK)
                return cli_report(cx);
        } else {
            if (wf_array_text(cx, out[i], &text) != WF_OK)
                return cli_report(cx);
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
    return taken < 0 ? cli_report(cx) : DONE;
}

/* On that device; on the host as everywhere. */
static wf_status eval_on(wf_ctx *cx, const Run *r, wf_device *d, const wf_program *p,
                         wf_array **in, int nin, wf_array **out, int nout)
{
    wf_exec *e = NULL;

    if (r->reference)
        return wf_eval_reference(cx, p, in, nin, out, nout);
    if (!wf_device_ordinal(d))
        return wf_eval(cx, p, in, nin, out, nout);
    if (wf_prepare_on(cx, p, d, &e) == WF_OK)
        wf_run(cx, e, in, nin, out, nout);
    wf_exec_release(e);
    return wf_ctx_status(cx);
}

/* method: of m, what p was made of; NULL: its tensors are bound. Where p is the method
 * itself, new values of tensors of the file are no results. */
static int run_program(wf_ctx *cx, const Run *r, wf_model *m, const char *method,
                       const wf_program *p, const char **words, int n)
{
    int inputs = wf_program_inputs(p), outputs = wf_program_outputs(p);
    bool whole = method && !r->steps.n && n < inputs;
    int results = whole ? cli_count_results(cx, m, p) : outputs;
    wf_array **in = cli_need_memory((size_t)inputs * sizeof *in);
    wf_array **out = cli_need_memory((size_t)outputs * sizeof *out);
    int status = take_state(cx, method ? m : NULL, method, inputs, n, in);
    wf_device *d = status == DONE ? pick_device(cx, r->device, m, &status) : NULL;

    memset(out, 0, (size_t)outputs * sizeof *out);
    if (status == DONE)
        status = cli_parse_inputs(cx, p, words, n, r->seed, results, in);
    if (status == DONE && eval_on(cx, r, d, p, in, inputs, out, outputs) != WF_OK)
        status = cli_report(cx);
    if (status == DONE && r->target)
        status = write_state(cx, r, m, wf_program_name(p), out, results, outputs);
    if (status == DONE)
        status = give_results(cx, r, out, results);
    release_all(in, inputs);
    release_all(out, outputs);
    return status;
}

static int eval_file(const Run *r)
{
    wf_ctx *cx = new_context((int)r->threads);
    const wf_program *p;
    int status = DONE, named;
    wf_model *m;

    if (!cx)
        return ENVIRONMENT;
    m = load_method(cx, r->file, r->words, r->nwords, &p, &named, &status);
    const char *method = p ? wf_program_name(p) : NULL; /* transforms keep the inputs that are the file's */
    if (p && (p = steps_apply(cx, &r->steps, m, p, &status))) {
        status = run_program(cx, r, m, r->steps.bind ? NULL : method, p, r->words + named,
                             r->nwords - named);
        wf_program_release(p);
    }
    wf_model_free(m);
    wf_ctx_free(cx);
    return status;
}

static bool read_args(CliArgs *a, Run *r)
{
    size_t n;
    int k;

    while ((k = args_next(a)) != ARG_END) {
        if (k == ARG_WRONG)
            return false;
        if (steps_take(&r->steps, k, a->value))
            continue;
        switch (k) {
        case OPT_DEVICE: r->device = a->value; break;
        case OPT_OUT: r->outs[r->nouts++] = a->value; break;
        case OPT_REFERENCE: r->reference = true; break;
        case OPT_WRITE:
            r->write = true;
            r->target = a->value;
            break;
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
        return usage_error(a->command, "which file?"), false;
    if (r->reference && r->device)
        return usage_error(a->command, "--reference runs on the host alone"), false;
    if (r->write && (r->steps.n || r->steps.bind))
        return usage_error(a->command, "--write is for a method as it stands in the file"), false;
    if (r->write && !r->target)
        r->target = r->file;
    n = r->write ? strlen(r->target) : 5;
    if (r->write && (n < 5 || strcmp(r->target + n - 5, ".weft") != 0))
        return usage_error(a->command, "--write: %s is no .weft file", r->target), false;
    return true;
}

static int run(CliArgs *a)
{
    Run r = {.words = cli_need_memory((size_t)a->argc * sizeof *r.words),
             .outs = cli_need_memory((size_t)a->argc * sizeof *r.outs)};
    int status = read_args(a, &r) ? eval_file(&r) : USAGE;

    free(r.words);
    free(r.outs);
    steps_free(&r.steps);
    return status;
}

static const Option options[] = {
    {"device", OPT_VALUE, OPT_DEVICE, "NAME", "where: cpu, cuda, cuda:1 .. (weft devices lists them); as FILE says, or cpu"},
    {"o", OPT_VALUE, OPT_OUT, "OUT.npy",
     "save the first result instead of printing it; again for the next"},
    {"reference", OPT_FLAG, OPT_REFERENCE, NULL, "by the op table's own slow rules"},
    {"seed", OPT_VALUE, OPT_SEED, "S", "of rand: and randn:, 0"},
    {"threads", OPT_VALUE, OPT_THREADS, "N", "how many; as many as the machine has"},
    {"write", OPT_OPTIONAL, OPT_WRITE, "OUT.weft",
     "save the tensors that the method changed: in FILE, or with all else in OUT.weft"},
    {NULL, OPT_FLAG, 0, NULL, NULL},
};

const Command cmd_eval = {
    .name = "eval",
    .usage = "FILE [NAME] ARG... [OPTION...]",
    .summary = "run a program, transformed if wished",
    .help = "Runs program NAME of FILE (- is standard input) and prints a line for each "
            "result: its type and\n"
            "its value. NAME may be left out: then it is the only program, or 'main', or 'forward', or "
            "the last.\n"
            "\n"
            "An ARG is a number, a nested list such as [[1, 2], [3, 4]], a file x.npy, "
            "or a generated array:\n"
            "zeros: ones: iota: rand: randn: and a type, such as rand:f32[8,64]; "
            "NAME=ARG is for the input of that\n"
            "name. Tensors of FILE that a method takes need no ARG; new values of them "
            "are not printed, --write\n"
            "saves them. Transforms are applied in the order given. What reads as a "
            "number (-1.5, -inf) is never\n"
            "an option.",
    .options = options,
    .more = steps_options,
    .run = run,
};
