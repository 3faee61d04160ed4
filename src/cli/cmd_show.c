/* cmd_show.c -- weft show: a program as text, as a drawing, or what it costs; transforms
 * applied first. */
#include "cli.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OPT_AS, OPT_TARGET, OPT_PASSES, OPT_COST, OPT_SIZE, OPT_PLACES, OPT_TYPES, OPT_SHORT, OPT_TIME, OPT_MACHINE };

typedef struct Show {
    Steps steps;
    const char *file, *name;
    int as;
    const char *target; /* NULL: this machine */
    bool cost, passes;
    unsigned flags;
    CliSizes sizes; /* --size */
    bool time;
    const char *machine; /* NULL: this one, measured */
} Show;

enum { AS_TEXT, AS_DOT, AS_SVG, AS_AST, AS_JSON, AS_HTML, AS_FUSED, AS_KERNELS, AS_C, AS_COUNT };
static const char *const forms[] = {"text", "dot", "svg", "ast", "json", "html", "fused", "kernels", "c"};

/* ---- svg --------------------------------------------------------------------------- */

extern char **environ;

/* Give text to the standard input of `dot -Tsvg`, which writes to our standard output. */
static int draw_svg(const char *text)
{
    static const char *const argv[] = {"dot", "-Tsvg", NULL};
    posix_spawn_file_actions_t actions;
    int fds[2], status = 0, error;
    size_t n = strlen(text);
    pid_t pid;

    fflush(stdout);
    if (pipe(fds) != 0) {
        cli_complain("cannot make a pipe: %s", strerror(errno));
        return ENVIRONMENT;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fds[0], STDIN_FILENO);
    posix_spawn_file_actions_addclose(&actions, fds[0]);
    posix_spawn_file_actions_addclose(&actions, fds[1]);
    error = posix_spawnp(&pid, "dot", &actions, NULL, (char *const *)(uintptr_t)argv,
                         environ);
    posix_spawn_file_actions_destroy(&actions);
    close(fds[0]);
    if (error) {
        close(fds[1]);
        if (error == ENOENT)
            cli_complain("--as=svg needs the program 'dot'; install Graphviz (package "
                     "graphviz), or use --as=dot");
        else
            cli_complain("cannot run 'dot': %s", strerror(error));
        return ENVIRONMENT;
    }
    while (n) {
        ssize_t put = write(fds[1], text, n);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            break; /* dot's status tells */
        text += put;
        n -= (size_t)put;
    }
    close(fds[1]);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (n || !WIFEXITED(status) || WEXITSTATUS(status)) {
        cli_complain("the program 'dot' failed");
        return ENVIRONMENT;
    }
    return DONE;
}

/* ---- cost -------------------------------------------------------------------------- */

/* What a gradient of all float inputs would keep between its passes; false: there is
 * none. */
static bool residuals(wf_ctx *cx, const Show *s, const wf_program *p, double *out_bytes,
                      int *out_count)
{
    const wf_program *forward = NULL, *backward = NULL;
    wf_cost saved = {.size = sizeof saved}, own = {.size = sizeof own};
    int n = 0, inputs = wf_program_inputs(p);
    int *wrt = cli_need_memory((size_t)(inputs + 1) * sizeof *wrt);
    bool ok = false;

    for (int i = 0; i < inputs; i++)
        if (wf_dtype_is_float(wf_program_input_dtype(p, i)))
            wrt[n++] = i;
    if (n && wf_partition(cx, p, wrt, n, &forward, &backward) == WF_OK) {
        ok = wf_program_cost(cx, forward, (const char *const *)s->sizes.names, s->sizes.values, s->sizes.n, &saved) ==
                 WF_OK &&
             wf_program_cost(cx, p, (const char *const *)s->sizes.names, s->sizes.values, s->sizes.n, &own) == WF_OK;
        *out_bytes = saved.output_bytes - own.output_bytes;
        *out_count = wf_program_outputs(forward) - wf_program_outputs(p);
    }
    wf_clear(cx); /* no derivative is an answer */
    wf_program_release(forward);
    wf_program_release(backward);
    free(wrt);
    return ok;
}

static int show_cost(wf_ctx *cx, const Show *s, const wf_program *p)
{
    wf_cost c = {.size = sizeof c};
    double bytes = 0;
    int count = 0;

    if (wf_program_cost(cx, p, (const char *const *)s->sizes.names, s->sizes.values, s->sizes.n, &c) != WF_OK)
        return cli_report(cx);
    printf("%-20s %.0f\n", "equations", (double)wf_program_equations(p));
    printf("%-20s %.0f\n", "elementwise flops", c.map_flops);
    printf("%-20s %.0f\n", "contraction flops", c.contraction_flops);
    printf("%-20s %.0f\n", "bytes moved", c.bytes);
    printf("%-20s %.0f\n", "live bytes", c.live_bytes);
    printf("%-20s %.0f\n", "input bytes", c.input_bytes);
    printf("%-20s %.0f\n", "result bytes", c.output_bytes);
    if (residuals(cx, s, p, &bytes, &count))
        printf("%-20s %.0f (%d values)\n", "residual bytes", bytes, count);
    else
        printf("%-20s none: no derivative\n", "residual bytes");
    return DONE;
}

/* ---- the command ------------------------------------------------------------------- */

static int show_program(wf_ctx *cx, const Show *s, const wf_program *p)
{
    const char *text;

    if (s->cost && steps_have_mesh(&s->steps))
        return show_mesh_cost(cx, p, s->machine);
    if (s->cost)
        return show_cost(cx, s, p);
    if (s->as == AS_HTML)
        return show_page(cx, p, &s->sizes, s->time);
    if (s->as >= AS_FUSED)
        wf_program_code(cx, p, (wf_code_form)(s->as - AS_FUSED), s->target, &text);
    else if (s->as == AS_JSON)
        wf_program_json(cx, p, &text);
    else if (s->as == AS_TEXT)
        wf_program_text(cx, p, s->flags, &text);
    else if (s->as == AS_SVG && steps_have_mesh(&s->steps))
        wf_program_mesh_svg(cx, p, &text);
    else
        wf_program_dot(cx, p, &text);
    if (wf_ctx_status(cx) != WF_OK)
        return cli_report(cx);
    if (s->as == AS_SVG && !steps_have_mesh(&s->steps))
        return draw_svg(text);
    fputs(text, stdout);
    return DONE;
}

/* The syntax tree of a script, or of one function in it. */
static int show_tree(const Show *s)
{
    wf_ctx *cx = new_context(1);
    size_t size;
    char *text = cx ? load_text(s->file, &size) : NULL;
    int status = text ? DONE : ENVIRONMENT;
    const char *tree;

    if (text && wf_script_tree(cx, s->file, text, size, s->name, &tree) != WF_OK)
        status = cli_report(cx);
    else if (text)
        puts(tree);
    free(text);
    wf_ctx_free(cx);
    return status;
}

static int show_steps(wf_ctx *cx, const Show *s, const wf_model *m, const wf_program *p)
{
    int status = DONE;

    if ((p = steps_apply(cx, &s->steps, m, p, &status))) {
        status = show_program(cx, s, p);
        wf_program_release(p);
    }
    return status;
}

/* One program; of a script all that it makes. */
static int show_file(const Show *s)
{
    wf_ctx *cx = new_context(1);
    const wf_program *p = NULL;
    int status = DONE;
    wf_model *m;

    if (!cx)
        return ENVIRONMENT;
    m = load_model(cx, s->file, &status);
    if (m && !(p = pick_program(m, s->file, s->name)))
        status = USER;
    else if (p && cli_is_script(s->file) && !s->name)
        for (int i = 0; i < wf_model_programs(m) && status == DONE; i++)
            status = show_steps(cx, s, m, wf_model_program(m, i));
    else if (p)
        status = show_steps(cx, s, m, p);
    wf_model_free(m);
    wf_ctx_free(cx);
    return status;
}

static int show_passes(void)
{
    wf_ctx *cx = new_context(1);
    const char *text;
    int status = DONE;

    if (!cx)
        return ENVIRONMENT;
    if (wf_passes_text(cx, &text) == WF_OK)
        fputs(text, stdout);
    else
        status = cli_report(cx);
    wf_ctx_free(cx);
    return status;
}

static bool read_form(CliArgs *a, Show *s)
{
    for (s->as = 0; s->as < AS_COUNT; s->as++)
        if (strcmp(a->value, forms[s->as]) == 0)
            return true;
    usage_error(a->command,
                "--as=%s: the forms are text, dot, svg, ast, json, html, fused, kernels and c%s",
                a->value, cli_suggest(a->value, forms, AS_COUNT));
    return false;
}

static bool read_args(CliArgs *a, Show *s)
{
    int k;

    while ((k = args_next(a)) != ARG_END) {
        if (k == ARG_WRONG)
            return false;
        if (steps_take(&s->steps, k, a->value))
            continue;
        switch (k) {
        case OPT_AS:
            if (!read_form(a, s))
                return false;
            break;
        case OPT_PASSES: s->passes = true; break;
        case OPT_TARGET: s->target = a->value; break;
        case OPT_COST: s->cost = true; break;
        case OPT_SIZE:
            if (!args_size(a, &s->sizes))
                return false;
            break;
        case OPT_PLACES: s->flags |= WF_TEXT_PLACES; break;
        case OPT_TYPES: s->flags |= WF_TEXT_TYPES; break;
        case OPT_TIME: s->time = true; break;
        case OPT_MACHINE: s->machine = a->value; break;
        case OPT_SHORT: s->flags |= WF_TEXT_SHORT; break;
        default:
            if (s->name)
                return usage_error(a->command, "one program at a time, found '%s' too",
                                   a->value),
                       false;
            *(s->file ? &s->name : &s->file) = a->value;
        }
    }
    if (s->target && s->as < AS_FUSED)
        return usage_error(a->command, "--target goes with --as=fused, kernels or c"), false;
    if (s->machine && !(s->cost && steps_have_mesh(&s->steps)))
        return usage_error(a->command, "--machine goes with --mesh and --cost"), false;
    if (s->time && s->as != AS_HTML)
        return usage_error(a->command, "--time goes with --as=html"), false;
    if (!s->file && !s->passes)
        usage_error(a->command, "which file?");
    return s->file != NULL || s->passes;
}

static int run(CliArgs *a)
{
    Show s = {.sizes = sizes_new(a->argc)};
    int status = !read_args(a, &s) ? USAGE
                 : s.passes        ? show_passes()
                 : s.as == AS_AST  ? show_tree(&s)
                                   : show_file(&s);

    sizes_free(&s.sizes);
    steps_free(&s.steps);
    return status;
}

static const Option options[] = {
    {"as", OPT_VALUE, OPT_AS, "FORM", "text (the default), dot, svg (needs Graphviz; with --mesh: the devices and their parts), ast (of a script), json, html (a page to look at); or "
     "what compilation makes of it: fused, kernels, c"},
    {"target", OPT_VALUE, OPT_TARGET, "TARGET",
     "what for: cpu (this machine, the default), c (portable C) or cuda"},
    {"cost", OPT_FLAG, OPT_COST, NULL,
     "operations, bytes, and what a gradient would keep; with --mesh what each device does and exchanges, and how long that takes"},
    {"machine", OPT_VALUE, OPT_MACHINE, "flops:1e11,..",
     "for --mesh and --cost: flops, memory (bytes/s), latency (s) and link (bytes/s) of a device, instead of measuring them here"},
    {"size", OPT_VALUE, OPT_SIZE, "N=32",
     "the size of a symbol for --cost and --time; 64 if not given"},
    {"time", OPT_FLAG, OPT_TIME, NULL, "run it on numbers made up, and show where the time goes; for --as=html"},
    {"passes", OPT_FLAG, OPT_PASSES, NULL,
     "the table of passes; nothing else, and no FILE is needed"},
    {"places", OPT_FLAG, OPT_PLACES, NULL, "the source place of each equation"},
    {"types", OPT_FLAG, OPT_TYPES, NULL, "the type of each result"},
    {"short", OPT_FLAG, OPT_SHORT, NULL, "cut large constants"},
    {NULL, OPT_FLAG, 0, NULL, NULL},
};

const Command cmd_show = {
    .name = "show",
    .usage = "FILE [NAME] [OPTION...]",
    .summary = "print a program, transformed if wished",
    .help = "Prints program NAME of FILE (- is standard input). NAME may be left out: "
            "then it is the only\n"
            "program, or 'main', or 'forward', or the last; of a script (.py), which is run without its output, all "
            "that\n"
            "its graphs are made into. Transforms are applied in the order given.",
    .options = options,
    .more = steps_options,
    .run = run,
};
