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

static int print_program(wf_ctx *cx, const wf_program *p)
{
    wf_cost c = {.size = sizeof c};
    bool symbolic = false;
    const char *type;

    printf("  ");
    if (print_signature(cx, p, stdout) != DONE)
        return ENVIRONMENT;
    for (int i = 0; i < wf_program_inputs(p); i++) {
        if (wf_program_input_type(cx, p, i, &type) != WF_OK)
            return report(cx);
        symbolic = symbolic || is_symbolic(type);
    }
    if (wf_program_cost(cx, p, NULL, NULL, 0, &c) != WF_OK)
        return report(cx);
    printf("    %d equations, %.3g flops, memory %s%s\n", wf_program_equations(p),
           c.map_flops + c.contraction_flops, human(c.live_bytes),
           symbolic ? ", each symbol being 64" : "");
    return DONE;
}

static int characters(const char *s) /* of UTF-8 */
{
    int n = 0;

    for (; *s; s++)
        n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

static void print_tensors(const wf_model *m)
{
    double total = 0;
    int width = 0;

    for (int i = 0; i < wf_model_tensors(m); i++) {
        int n = characters(wf_model_tensor_name(m, i));

        width = n > width && n <= 60 ? n : width;
    }
    for (int i = 0; i < wf_model_tensors(m); i++) {
        wf_array *a = wf_model_tensor(m, i);
        double bytes =
            (double)wf_array_count(a) * (double)wf_dtype_size(wf_array_dtype(a));

        printf("  %s%*s  %s[", wf_model_tensor_name(m, i),
               width > characters(wf_model_tensor_name(m, i))
                   ? width - characters(wf_model_tensor_name(m, i))
                   : 0,
               "", wf_dtype_name(wf_array_dtype(a)));
        for (int k = 0; k < wf_array_rank(a); k++)
            printf("%s%lld", k ? "," : "", (long long)wf_array_dims(a)[k]);
        printf("]  %s\n", human(bytes));
        total += bytes;
    }
    printf("  together %s\n", human(total));
}

static int print_model(wf_ctx *cx, const char *path, const wf_model *m)
{
    int status = DONE, programs = wf_model_programs(m), tensors = wf_model_tensors(m);

    printf("%s\n", strcmp(path, "-") == 0 ? "<stdin>" : path);
    printf("programs: %d\n", programs);
    for (int i = 0; i < programs && status == DONE; i++)
        status = print_program(cx, wf_model_program(m, i));
    printf("tensors: %d\n", tensors);
    if (tensors)
        print_tensors(m);
    return status;
}

static int run(Args *a)
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
