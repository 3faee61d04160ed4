/* cmd_info.c -- weft info: what a file holds. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

/* 1536 -> "1.5 KiB". In memory of its own until the next call. */
static const char *human(double bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    static char text[32];
    int k = 0;

    while (bytes >= 1024 && k < 4) {
        bytes /= 1024;
        k++;
    }
    snprintf(text, sizeof text, k ? "%.1f %s" : "%.0f %s", bytes, units[k]);
    return text;
}

/* Has the type a symbol among its sizes? */
static bool is_symbolic(const char *type)
{
    const char *s = strchr(type, '[');

    for (; s && *s; s++)
        if ((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') ||
            (unsigned char)*s >= 0x80 || *s == '_')
            return true;
    return false;
}

static const struct {
    wf_role role;
    const char *name;
} roles[] = {{WF_ROLE_PARAMETER, "parameter"}, {WF_ROLE_BUFFER, "buffer"}, {WF_ROLE_STATE, "other tensor"}};

enum { ROLES = sizeof roles / sizeof *roles };

/* "4 parameters, 1 buffer": the inputs or results of p, from..to, that are tensors of the file. */
static int print_roles(wf_ctx *cx, const wf_model *m, const wf_program *p, bool output, int from, int to)
{
    wf_value_info info = {.size = sizeof info};
    int count[ROLES] = {0};
    const char *between = " ";

    for (int i = from; i < to; i++) {
        if ((output ? wf_model_output_info : wf_model_input_info)(cx, m, wf_program_name(p), i, &info) != WF_OK)
            return cli_report(cx);
        for (int k = 0; k < ROLES; k++)
            count[k] += roles[k].role == info.role;
    }
    for (int k = 0; k < ROLES; k++)
        if (count[k]) {
            printf("%s%d %s%s", between, count[k], roles[k].name, count[k] > 1 ? "s" : "");
            between = ", ";
        }
    return DONE;
}

/* A method's own inputs and results; then, on a line of their own, what it takes of the file and changes there. */
static int print_interface(wf_ctx *cx, const wf_model *m, const wf_program *p)
{
    int state = wf_model_method_state(cx, m, wf_program_name(p), NULL, 0), outputs = wf_program_outputs(p);
    int results = cli_count_results(cx, m, p), status;

    if (state < 0 || wf_ctx_status(cx) != WF_OK)
        return cli_report(cx);
    if (state > wf_program_inputs(p)) /* a file that contradicts itself */
        state = 0;
    printf("  ");
    status = cli_print_signature(cx, p, state, results, stdout);
    if (status != DONE || (!state && results == outputs))
        return status;
    printf("    takes");
    status = print_roles(cx, m, p, false, 0, state);
    if (status == DONE && results < outputs) {
        printf("; changes");
        status = print_roles(cx, m, p, true, results, outputs);
    }
    putchar('\n');
    return status;
}

static int print_program(wf_ctx *cx, const wf_model *m, const wf_program *p)
{
    wf_cost c = {.size = sizeof c};
    bool symbolic = false;
    const char *type;
    int status = print_interface(cx, m, p);

    if (status != DONE)
        return status;
    for (int i = 0; i < wf_program_inputs(p); i++) {
        if (wf_program_input_type(cx, p, i, &type) != WF_OK)
            return cli_report(cx);
        symbolic = symbolic || is_symbolic(type);
    }
    if (wf_program_cost(cx, p, NULL, NULL, 0, &c) != WF_OK)
        return cli_report(cx);
    printf("    %d equations, %.3g flops, memory %s%s\n", wf_program_equations(p),
           c.map_flops + c.contraction_flops, human(c.live_bytes),
           symbolic ? ", each symbol being 64" : "");
    return DONE;
}

static void print_tensors(const wf_model *m)
{
    double total = 0;
    int width = 0;

    for (int i = 0; i < wf_model_tensors(m); i++) {
        int n = cli_name_width(wf_model_tensor_name(m, i));

        width = n > width && n <= 60 ? n : width;
    }
    for (int i = 0; i < wf_model_tensors(m); i++) {
        wf_array *a = wf_model_tensor(m, i);
        double bytes =
            (double)wf_array_count(a) * (double)wf_dtype_size(wf_array_dtype(a));
        int n;

        printf("  ");
        n = cli_put_name(stdout, wf_model_tensor_name(m, i));
        printf("%*s  %s[", width > n ? width - n : 0, "", wf_dtype_name(wf_array_dtype(a)));
        for (int k = 0; k < wf_array_rank(a); k++)
            printf("%s%lld", k ? "," : "", (long long)wf_array_dims(a)[k]);
        printf("]  %s", human(bytes));
        for (int k = 0; wf_model_has_meta(m, "tree") && k < ROLES; k++)
            if (roles[k].role == wf_model_tensor_role(m, i) && roles[k].role != WF_ROLE_STATE)
                printf("  %s", roles[k].name);
        putchar('\n');
        total += bytes;
    }
    printf("  together %s\n", human(total));
}

/* "machine code: avx2, 3 units, 41.2 KiB", a line for each instruction set. */
static void print_code(const wf_model *m)
{
    static const char *const isas[] = {"base", "avx2", "avx512"};

    for (size_t k = 0; k < sizeof isas / sizeof *isas; k++) {
        double bytes = 0;
        int n = 0;

        for (int i = 0; i < wf_model_codes(m); i++)
            if (strcmp(wf_model_code_isa(m, i), isas[k]) == 0) {
                bytes += (double)wf_model_code_bytes(m, i);
                n++;
            }
        if (n)
            printf("machine code: %s, %d unit%s, %s\n", isas[k], n, n > 1 ? "s" : "", human(bytes));
    }
}

static int print_model(wf_ctx *cx, const char *path, const wf_model *m)
{
    int status = DONE, programs = wf_model_programs(m), tensors = wf_model_tensors(m);

    printf("%s\n", strcmp(path, "-") == 0 ? "<stdin>" : path);
    printf("programs: %d\n", programs);
    for (int i = 0; i < programs && status == DONE; i++)
        status = print_program(cx, m, wf_model_program(m, i));
    printf("tensors: %d\n", tensors);
    if (tensors)
        print_tensors(m);
    print_code(m);
    return status;
}

static int run(CliArgs *a)
{
    const char *path = NULL;
    int status = DONE, k;
    wf_model *m;
    wf_ctx *cx;

    while ((k = args_next(a)) != ARG_END) {
        if (k != ARG_WORD)
            return USAGE;
        if (path)
            return usage_error(a->command, "one file at a time, found '%s' too",
                               a->value);
        path = a->value;
    }
    if (!path)
        return usage_error(a->command, "which file?");
    if (!(cx = new_context(1)))
        return ENVIRONMENT;
    m = load_model(cx, path, &status);
    if (m)
        status = print_model(cx, path, m);
    wf_model_free(m);
    wf_ctx_free(cx);
    return status;
}

const Command cmd_info = {
    .name = "info",
    .usage = "FILE",
    .summary = "programs, signatures, tensors and sizes of a file",
    .help = "Prints what FILE (.wir, .weft, safetensors; - is standard input) holds: the "
            "programs with their\n"
            "signatures, operations and the memory a run needs, and the tensors with "
            "their sizes.",
    .run = run,
};
