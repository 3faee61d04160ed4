/* cmd_bench.c -- weft bench: where the time of a program goes, step by step, beside what
 * the machine could do. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPT_AS, OPT_DEVICE, OPT_INTERPRET, OPT_RUNS, OPT_SEED, OPT_SIZE, OPT_THREADS, OPT_TOP };

typedef struct Bench {
    Steps steps;
    const char *file;
    const char **words; /* after the file: perhaps a name, then arguments */
    int nwords;
    CliSizes sizes;
    bool interpret;
    const char *as; /* NULL: a table */
    const char *device; /* NULL: as the file says */
    int64_t runs, seed, threads, top;
} Bench;

/* ---- inputs ------------------------------------------------------------------------ */

static int64_t size_of(const CliSizes *s, const char *name, size_t length)
{
    for (int i = 0; i < s->n; i++)
        if (strlen(s->names[i]) == length && memcmp(s->names[i], name, length) == 0)
            return s->values[i];
    return 64;
}

/* "f32[N,784]" becomes "randn:f32[64,784]", and what are no floats zeros. False: a size
 * is more than a symbol. */
static bool generated(const CliSizes *s, const char *type, char *out, size_t room)
{
    size_t n = (size_t)snprintf(
        out, room, "%s:", strchr("fb", *type) && type[1] != 'o' ? "randn" : "zeros");

    while (*type && n + 32 < room) {
        size_t k = strcspn(type, ",[]");

        if (k && n && (out[n - 1] == '[' || out[n - 1] == ',')) {
            if (strspn(type, "0123456789") == k)
                n += (size_t)snprintf(out + n, room - n, "%.*s", (int)k, type);
            else if (strcspn(type, "+-*/%() ,]") == k)
                n += (size_t)snprintf(out + n, room - n, "%lld",
                                      (long long)size_of(s, type, k));
            else
                return false;
        } else {
            n += (size_t)snprintf(out + n, room - n, "%.*s", (int)k, type);
        }
        type += k;
        if (*type)
            out[n++] = *type++;
    }
    out[n] = 0;
    return *type == 0;
}

int generate_inputs(wf_ctx *cx, const wf_program *p, const CliSizes *sizes, int64_t seed,
                    wf_array **in)
{
    char text[512];
    const char *type;

    for (int i = 0; i < wf_program_inputs(p); i++) {
        if (wf_program_input_type(cx, p, i, &type) != WF_OK)
            return cli_report(cx);
        if (!generated(sizes, type, text, sizeof text)) {
            cli_complain("no input can be made for '%s' of type %s: give arguments",
                     wf_program_input_name(p, i), type);
            return USER;
        }
        if (wf_array_parse(cx, text, wf_program_input_dtype(p, i),
                           (uint64_t)seed * 1000003u + (uint64_t)i, &in[i]) != WF_OK)
            return cli_report(cx);
    }
    return DONE;
}

/* ---- the table ----------------------------------------------------------------------- */

typedef struct Machine {
    double flops, bytes; /* a second */
} Machine;

/* "123 (45%)", or nothing for what has none */
static void print_rate(double amount, double seconds, double peak)
{
    double rate = seconds > 0 ? amount / seconds : 0;

    if (amount > 0 && peak > 0)
        printf(" %9.2f (%3.0f%%)", rate * 1e-9, 100 * rate / peak);
    else if (amount > 0)
        printf(" %9.2f       ", rate * 1e-9);
    else
        printf(" %16s", "");
}

static void print_line(const char *op, const char *type, int64_t calls, double seconds,
                       double share, double flops, double bytes, const Machine *m,
                       const char *place)
{
    printf("%-16.16s %-28.28s %8lld %11.4f %5.1f%%", op, type, (long long)calls,
           1e3 * seconds, 100 * share);
    print_rate(flops, seconds, m->flops);
    print_rate(bytes, seconds, m->bytes);
    printf("%s%s\n", *place ? "  " : "", place);
}

static void print_profile(const Bench *b, const wf_profile *p, const Machine *m)
{
    int n = wf_profile_steps(p), runs = wf_profile_runs(p);
    double all = 0, flops = 0, bytes = 0, rest = 0;
    int64_t calls = 0;

    for (int i = 0; i < n; i++) {
        const wf_profile_step *s = wf_profile_step_at(p, i);

        all += s->seconds / runs;
        flops += s->flops / runs;
        bytes += s->bytes / runs;
        calls += s->calls / runs;
    }
    printf("%-16s %-28s %8s %11s %6s %16s %16s\n", "step", "result", "calls", "ms", "",
           "GFLOP/s", "GB/s");
    for (int i = 0; i < n; i++) {
        const wf_profile_step *s = wf_profile_step_at(p, i);
        double t = s->seconds / runs;

        if (i < b->top)
            print_line(s->op, s->type, s->calls / runs, t, all > 0 ? t / all : 0,
                       s->flops / runs, s->bytes / runs, m, s->place);
        else
            rest += t;
    }
    if (n > b->top)
        printf("%-16s %-28s %8s %11.4f %5.1f%%\n", "others", "", "", 1e3 * rest,
               all > 0 ? 100 * rest / all : 0);
    print_line("all steps", "", calls, all, 1, flops, bytes, m, "");
    printf("one run takes %.4f ms; %d steps", 1e3 * wf_profile_seconds(p), n);
    if (m->flops > 0)
        printf("; this machine: %.1f GFLOP/s, %.1f GB/s", m->flops * 1e-9, m->bytes * 1e-9);
    putchar('\n');
}

/* ---- running ------------------------------------------------------------------------- */

static int measure(wf_ctx *cx, const Bench *b, const wf_program *p, wf_array **in,
                   wf_device *d)
{
    const wf_program *fast = NULL;
    wf_exec *e = NULL;
    wf_profile *profile = NULL;
    Machine m = {0};
    int status = DONE;

    if (wf_device_ordinal(d) || wf_machine_speed(cx, &m.flops, &m.bytes) == WF_OK) {
        if (wf_device_ordinal(d))
            wf_prepare_on(cx, p, d, &e);
        else if (!b->interpret)
            wf_compile(cx, p, 0, &e);
        else if (wf_optimise(cx, p, NULL, &fast) == WF_OK)
            wf_prepare(cx, fast, &e);
    }
    if (e && wf_profile_new(cx, e, in, wf_program_inputs(p), (int)b->runs, &profile) ==
                 WF_OK) {
        if (b->as)
            return cli_profile_page(stdout, profile, wf_program_name(p), strcmp(b->as, "trace") == 0),
                   wf_profile_free(profile), wf_exec_release(e), wf_program_release(fast), DONE;
        printf("%s, %s%s%s\n", wf_program_name(p),
               wf_exec_is_compiled(e) ? "compiled" : "interpreted",
               wf_device_ordinal(d) ? " on " : "", wf_device_ordinal(d) ? wf_device_name(d) : "");
        print_profile(b, profile, &m);
        printf("intermediate values take %.3f MB\n", (double)wf_exec_memory(e) * 1e-6);
    }
    if (wf_ctx_status(cx) != WF_OK)
        status = cli_report(cx);
    wf_profile_free(profile);
    wf_exec_release(e);
    wf_program_release(fast);
    return status;
}

static int bench_program(wf_ctx *cx, const Bench *b, const wf_model *m, const wf_program *p,
                         const char **words, int n)
{
    int inputs = wf_program_inputs(p), status;
    wf_array **in = cli_need_memory((size_t)(inputs + 1) * sizeof *in);

    status =
        n ? cli_parse_inputs(cx, p, words, n, b->seed, wf_program_outputs(p), in) : generate_inputs(cx, p, &b->sizes, b->seed, in);
    wf_device *d = status == DONE ? pick_device(cx, b->device, m, &status) : NULL;
    if (status == DONE)
        status = measure(cx, b, p, in, d);
    for (int i = 0; i < inputs; i++)
        wf_array_release(in[i]);
    free(in);
    return status;
}

static int bench_file(const Bench *b)
{
    wf_ctx *cx = new_context((int)b->threads);
    const wf_program *p;
    int status = DONE, named;
    wf_model *m;

    if (!cx)
        return ENVIRONMENT;
    m = load_method(cx, b->file, b->words, b->nwords, &p, &named, &status);
    if (p && (p = steps_apply(cx, &b->steps, m, p, &status))) {
        status = bench_program(cx, b, m, p, b->words + named, b->nwords - named);
        wf_program_release(p);
    }
    wf_model_free(m);
    wf_ctx_free(cx);
    return status;
}

/* ---- the command --------------------------------------------------------------------- */

static bool take_number(CliArgs *a, const char *option, int64_t least, int64_t most,
                        int64_t *out)
{
    if (!args_number(a, option, out))
        return false;
    if (*out < least || *out > most)
        return usage_error(a->command, "--%s: from %lld to %lld", option,
                           (long long)least, (long long)most),
               false;
    return true;
}

static bool read_args(CliArgs *a, Bench *b)
{
    int k;

    while ((k = args_next(a)) != ARG_END) {
        bool ok = true;

        if (k == ARG_WRONG)
            return false;
        if (steps_take(&b->steps, k, a->value))
            continue;
        switch (k) {
        case OPT_AS:
            b->as = strcmp(a->value, "text") ? a->value : NULL;
            if (b->as && strcmp(b->as, "html") != 0 && strcmp(b->as, "trace") != 0)
                return usage_error(a->command, "--as=%s: text, html or trace", a->value), false;
            break;
        case OPT_DEVICE: b->device = a->value; break;
        case OPT_INTERPRET: b->interpret = true; break;
        case OPT_RUNS: ok = take_number(a, "runs", 1, 1000000, &b->runs); break;
        case OPT_SEED: ok = args_number(a, "seed", &b->seed); break;
        case OPT_SIZE: ok = args_size(a, &b->sizes); break;
        case OPT_THREADS: ok = take_number(a, "threads", 0, 4096, &b->threads); break;
        case OPT_TOP: ok = take_number(a, "top", 1, 1000000, &b->top); break;
        default:
            if (b->file)
                b->words[b->nwords++] = a->value;
            else
                b->file = a->value;
        }
        if (!ok)
            return false;
    }
    if (!b->file)
        usage_error(a->command, "which file?");
    return b->file != NULL;
}

static int run(CliArgs *a)
{
    Bench b = {.words = cli_need_memory((size_t)a->argc * sizeof *b.words),
               .sizes = sizes_new(a->argc),
               .runs = 10,
               .top = 30};
    int status = read_args(a, &b) ? bench_file(&b) : USAGE;

    free(b.words);
    sizes_free(&b.sizes);
    steps_free(&b.steps);
    return status;
}

static const Option options[] = {
    {"as", OPT_VALUE, OPT_AS, "FORM", "text (the default), html (a page with a timeline), trace (Chrome's JSON)"},
    {"device", OPT_VALUE, OPT_DEVICE, "NAME", "where: cpu, cuda, cuda:1 .. (weft devices lists them); as FILE says, or cpu"},
    {"interpret", OPT_FLAG, OPT_INTERPRET, NULL, "without compiling"},
    {"runs", OPT_VALUE, OPT_RUNS, "N", "how often, 10"},
    {"seed", OPT_VALUE, OPT_SEED, "S", "of the inputs, 0"},
    {"size", OPT_VALUE, OPT_SIZE, "SYMBOL=N", "of a symbol in the inputs, 64"},
    {"threads", OPT_VALUE, OPT_THREADS, "N", "how many; as many as the machine has"},
    {"top", OPT_VALUE, OPT_TOP, "N", "how many steps to show, 30"},
    {NULL, OPT_FLAG, 0, NULL, NULL},
};

const Command cmd_bench = {
    .name = "bench",
    .usage = "FILE [NAME] [ARG...] [OPTION...]",
    .summary = "time a program, step by step",
    .help = "Runs program NAME of FILE several times and prints its steps, the dearest "
            "first: how often each ran,\n"
            "its time, operations and bytes a second, and their share of what this "
            "machine reaches. Transforms\n"
            "are applied in the order given. Without ARGs the inputs are generated: "
            "normal numbers, and zeros\n"
            "for integers.",
    .options = options,
    .more = steps_options,
    .run = run,
};
