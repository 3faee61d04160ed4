/* load.c -- files and programs that commands name. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Programs are compiled after so many runs; WEFT_COMPILE_AFTER says another number.
 * WEFT_FILE_CODE=1: machine code that files have may be run. */
#define COMPILE_AFTER 10

wf_ctx *new_context(int threads)
{
    const char *after = getenv("WEFT_COMPILE_AFTER"), *code = getenv("WEFT_FILE_CODE"), *wanted = getenv("WEFT_THREADS");
    int number = wanted ? atoi(wanted) : 0;
    wf_options o = {.size = sizeof o,
                    .threads = threads ? threads : number > 0 ? number : 0,
                    .compile_after = after ? atoi(after) : COMPILE_AFTER,
                    .file_code = code && strcmp(code, "1") == 0};
    wf_ctx *cx = wf_ctx_new(&o);

    if (!cx)
        cli_complain("out of memory");
    return cx;
}

bool cli_is_script(const char *path)
{
    size_t n = strlen(path);

    return n > 3 && strcmp(path + n - 3, ".py") == 0;
}

/* All that is left to read, malloc'ed; name is for messages. */
static char *read_all(int fd, const char *name, size_t *out_size)
{
    size_t room = 1 << 16, n = 0;
    char *p = cli_need_memory(room);

    for (;;) {
        ssize_t got = read(fd, p + n, room - n);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            cli_complain("cannot read %s: %s", name, strerror(errno));
            free(p);
            return NULL;
        }
        if (got == 0)
            break;
        n += (size_t)got;
        if (n == room) {
            char *q = realloc(p, room *= 2);

            if (!q) {
                cli_complain("out of memory");
                free(p);
                return NULL;
            }
            p = q;
        }
    }
    *out_size = n;
    return p;
}

char *load_text(const char *path, size_t *out_size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *text;

    if (fd < 0) {
        cli_complain("cannot open %s: %s", path, strerror(errno));
        return NULL;
    }
    text = read_all(fd, path, out_size);
    close(fd);
    return text;
}

/* FILE?x=f32[N,3]&y=i64[N]: the file, with types of inputs that it leaves open. NULL: path has no such part. */
static wf_model *load_typed(wf_ctx *cx, const char *path, bool *typed)
{
    const char *types[64], *names[64];
    wf_import_options o = {sizeof o, names, types, NULL, 0};
    wf_model *m = NULL;
    char *text, *at;

    *typed = strchr(path, '?') && access(path, F_OK) != 0;
    if (!*typed)
        return NULL;
    text = cli_need_memory(strlen(path) + 1);
    strcpy(text, path);
    at = strchr(text, '?');
    while (at && o.n < 64) {
        *at++ = 0;
        names[o.n] = at;
        at = strchr(at, '&');
        if (at)
            *at = 0;
        char *equals = strchr(names[o.n], '=');
        if (!equals) {
            cli_complain("%s: '%s' is not of the form input=type", path, names[o.n]);
            free(text);
            return NULL;
        }
        *equals = 0;
        types[o.n++] = equals + 1;
    }
    wf_model_import(cx, text, &o, &m);
    free(text);
    return m;
}

wf_model *load_model(wf_ctx *cx, const char *path, int *out_status)
{
    wf_model *m = NULL;
    size_t size;
    char *text;
    bool typed;

    if ((m = load_typed(cx, path, &typed)) || typed) {
        if (!m && wf_ctx_status(cx) == WF_OK) {
            *out_status = USAGE;
            return NULL;
        }
    } else if (cli_is_script(path)) {
        wf_script_programs(cx, path, 1, (char *[]){(char *)(uintptr_t)path, NULL}, &m);
    } else if (strcmp(path, "-") != 0) {
        wf_model_load(cx, path, &m);
    } else {
        text = read_all(STDIN_FILENO, "standard input", &size);
        if (!text) {
            *out_status = ENVIRONMENT;
            return NULL;
        }
        wf_model_parse(cx, "<stdin>", text, size, &m);
        free(text);
    }
    if (!m)
        *out_status = cli_report(cx);
    return m;
}

const wf_program *pick_program(const wf_model *m, const char *path, const char *name)
{
    int n = wf_model_programs(m);
    const wf_program *p;
    const char **names;

    if (n == 0) {
        const char *open = wf_model_meta(m, "inputs.forward");

        if (*open)
            cli_complain("%s leaves types of inputs open: give them, as '%s?%.*s=f32[N,3]'", path, path, (int)strcspn(open, "\n"), open);
        else
            cli_complain("%s has no programs", path);
        return NULL;
    }
    if (!name) {
        p = wf_model_find(m, "main");
        if (!p)
            p = wf_model_find(m, "forward");
        return p ? p : wf_model_program(m, n - 1);
    }
    p = wf_model_find(m, name);
    if (p)
        return p;
    names = cli_need_memory((size_t)n * sizeof *names);
    for (int i = 0; i < n; i++)
        names[i] = wf_program_name(wf_model_program(m, i));
    cli_complain("%s has no program '%s'%s", path, name, cli_suggest(name, names, n));
    if (!*cli_suggest(name, names, n)) {
        fputs("weft: it has", stderr);
        for (int i = 0; i < n && i < 20; i++)
            fprintf(stderr, "%s %s", i ? "," : "", names[i]);
        fputs(n > 20 ? ", ...\n" : "\n", stderr);
    }
    free(names);
    return NULL;
}

wf_model *load_method(wf_ctx *cx, const char *path, const char *const *words, int n,
                      const wf_program **out_p, int *out_named, int *out_status)
{
    wf_model *m = load_model(cx, path, out_status);

    *out_p = NULL;
    *out_named = m && n && (wf_model_find(m, words[0]) || !cli_is_array_word(words[0]));
    if (m && !(*out_p = pick_program(m, path, *out_named ? words[0] : NULL)))
        *out_status = USER;
    return m;
}

int cli_count_results(wf_ctx *cx, const wf_model *m, const wf_program *p)
{
    wf_value_info info = {.size = sizeof info};
    int n = wf_program_outputs(p);

    while (n && wf_model_output_info(cx, m, wf_program_name(p), n - 1, &info) == WF_OK &&
           info.role != WF_ROLE_RESULT)
        n--;
    return n;
}

int cli_print_signature(wf_ctx *cx, const wf_program *p, int state, int results, FILE *file)
{
    const char *type;

    cli_put_name(file, wf_program_name(p));
    putc('(', file);
    for (int i = state; i < wf_program_inputs(p); i++) {
        const char *name = wf_program_input_name(p, i);

        if (wf_program_input_type(cx, p, i, &type) != WF_OK)
            return cli_report(cx);
        fputs(i > state ? ", " : "", file);
        cli_put_name(file, name);
        fprintf(file, "%s%s", *name ? ": " : "", type);
    }
    fputs(") ->", file);
    for (int i = 0; i < results; i++) {
        if (wf_program_output_type(cx, p, i, &type) != WF_OK)
            return cli_report(cx);
        fprintf(file, "%s %s", i ? "," : "", type);
    }
    fputc('\n', file);
    return DONE;
}
