/* show_page.c -- weft show --as=html: a program as a page: its stages from first to last pass, the kernels and the C of its groups,
 * the user's source. The page itself is pages/show.html.
 */
#include "cli.h"
#include "pages/pages.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { STAGES = 64, SOURCE_MAX = 1 << 21 };

typedef struct Stage {
    char pass[32];
    const wf_program *program; /* held */
} Stage;

typedef struct ShowPage {
    wf_ctx *cx;
    const wf_program *program;
    const char *title;
    Stage stages[STAGES];
    int n;
    wf_model *fused; /* the program with its groups as sub-programs; NULL: none */
    FILE *times;     /* JSON of the last stage's times; NULL: not measured */
    int status;
} ShowPage;

static void add_stage(ShowPage *s, const char *pass, size_t n, const wf_program *p)
{
    if (s->n == STAGES || (s->n && wf_program_equal(s->stages[s->n - 1].program, p)))
        return;
    snprintf(s->stages[s->n].pass, sizeof s->stages[0].pass, "%.*s", (int)n, pass);
    s->stages[s->n++].program = wf_program_retain(p);
}

/* The program after each pass that changes it. Their names are the lines of the table that are indented by two. */
static void add_stages(ShowPage *s)
{
    const char *table;
    char *copy;

    add_stage(s, "as written", 10, s->program);
    if (wf_passes_text(s->cx, &table) != WF_OK || !(copy = strdup(table)))
        return;
    for (const char *line = copy; *line;
         line += strcspn(line, "\n"), line += *line == '\n') {
        size_t n = strcspn(line + 2, " \n");
        const wf_program *p = NULL;
        char pass[32];

        if (strncmp(line, "  ", 2) != 0 || line[2] == ' ' || n >= sizeof pass)
            continue;
        memcpy(pass, line + 2, n);
        pass[n] = 0;
        if (wf_optimise(s->cx, s->program, pass, &p) == WF_OK)
            add_stage(s, pass, n, p);
        else
            wf_clear(s->cx); /* a program that a pass does not take is shown without it */
        wf_program_release(p);
    }
    free(copy);
}

/* The groups as programs of their own, from the text of what compilation makes. */
static void add_groups(ShowPage *s)
{
    const char *text;
    char *copy;

    if (wf_program_code(s->cx, s->program, WF_CODE_FUSED, NULL, &text) == WF_OK &&
        (copy = strdup(text))) {
        wf_model_parse(s->cx, "fused", copy, strlen(copy), &s->fused);
        free(copy);
    }
    wf_clear(s->cx);
}

static void put_code(FILE *f, ShowPage *s, const char *key, const wf_program *p,
                     wf_code_form form)
{
    const char *text = "";

    fprintf(f, "\"%s\":", key);
    if (wf_program_code(s->cx, p, form, NULL, &text) != WF_OK)
        text = wf_ctx_message(s->cx);
    page_string(f, text);
    wf_clear(s->cx);
}

/* Kernels and C of each group, by its name. */
static void put_kernels(FILE *f, ShowPage *s)
{
    fputs(",\"kernels\":{", f);
    for (int i = 0; i + 1 < wf_model_programs(s->fused); i++) {
        const wf_program *p = wf_model_program(s->fused, i);

        fputs(i ? ",\n" : "", f);
        page_string(f, wf_program_name(p));
        fputs(":{", f);
        put_code(f, s, "kernels", p, WF_CODE_KERNELS);
        fputc(',', f);
        put_code(f, s, "c", p, WF_CODE_C);
        fputc('}', f);
    }
    fputc('}', f);
}

/* JSON inside <script>: "<" only stands in strings there. */
static void put_json(FILE *f, const char *s)
{
    for (; *s; s++) {
        if (*s == '<')
            fputs("\\u003c", f);
        else
            fputc(*s, f);
    }
}

static void copy_file(FILE *to, FILE *from)
{
    rewind(from);
    for (int c; (c = fgetc(from)) != EOF;)
        fputc(c, to);
}

static void put_stage(FILE *f, ShowPage *s, int i)
{
    bool last = i == s->n - 1;
    const char *text;

    fputs("{\"pass\":", f);
    page_string(f, s->stages[i].pass);
    fputs(",\"program\":", f);
    if (wf_program_json(s->cx, s->stages[i].program, &text) == WF_OK)
        put_json(f, text);
    else
        s->status = cli_report(s->cx);
    if (last && s->times) {
        fputs(",\"times\":", f);
        copy_file(f, s->times);
    }
    fputc('}', f);
}

bool show_page_source(FILE *f, const char *path, bool first)
{
    struct stat st;
    size_t n;
    char *text, *whole;

    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > SOURCE_MAX ||
        !(text = load_text(path, &n)))
        return false;
    whole = cli_need_memory(n + 1);
    memcpy(whole, text, n);
    free(text);
    if (memchr(whole, 0, n) == NULL) { /* text */
        fputs(first ? "" : ",\n", f);
        page_string(f, path);
        fputc(':', f);
        page_string(f, whole);
        first = false;
    }
    free(whole);
    return !first;
}

/* The files that places name, where they are there. */
static void put_sources(FILE *f, ShowPage *s)
{
    const char *json, *at;
    bool any = false;

    fputs(",\"sources\":{", f);
    if (wf_program_json(s->cx, s->program, &json) == WF_OK &&
        (at = strstr(json, "\n\"files\":["))) {
        char *copy = strdup(at + 10), *path;

        for (char *q = copy; q && (path = strchr(q, '"')); q = path + strlen(path) + 1) {
            path[1 + strcspn(path + 1, "\"")] = 0;
            path++;
            any |= show_page_source(f, path, !any);
        }
        free(copy);
    }
    fputc('}', f);
}

static void put_data(FILE *f, void *user)
{
    ShowPage *s = user;

    fputs("{\"title\":", f);
    page_string(f, s->title);
    fputs(",\"stages\":[", f);
    for (int i = 0; i < s->n; i++) {
        fputs(i ? ",\n" : "", f);
        put_stage(f, s, i);
    }
    fputc(']', f);
    if (s->fused)
        put_kernels(f, s);
    put_sources(f, s);
    fputs("}\n", f);
}

/* One run of the compiled program on numbers made up: seconds by op (of groups their name) and place. */
static FILE *measure(wf_ctx *cx, const wf_program *p, const CliSizes *sizes)
{
    int n = wf_program_inputs(p);
    wf_array **in = cli_need_memory((size_t)(n + 1) * sizeof *in);
    FILE *f = tmpfile();
    wf_exec *e = NULL;
    wf_profile *profile = NULL;

    if (f && generate_inputs(cx, p, sizes, 0, in) == DONE &&
        wf_compile(cx, p, 0, &e) == WF_OK &&
        wf_profile_new(cx, e, in, n, 3, &profile) == WF_OK) {
        fputc('[', f);
        for (int i = 0; i < wf_profile_steps(profile); i++) {
            const wf_profile_step *s = wf_profile_step_at(profile, i);

            fputs(i ? ",[" : "[", f);
            page_string(f, s->op);
            fputc(',', f);
            page_string(f, s->place);
            fputc(',', f);
            page_number(f, s->seconds / wf_profile_runs(profile));
            fputc(']', f);
        }
        fputc(']', f);
    } else if (f) {
        fclose(f);
        f = NULL;
    }
    wf_profile_free(profile);
    wf_exec_release(e);
    for (int i = 0; i < n; i++)
        wf_array_release(in[i]);
    free(in);
    return f;
}

int show_page(wf_ctx *cx, const wf_program *p, const CliSizes *sizes, bool time)
{
    ShowPage s = {.cx = cx, .program = p, .title = wf_program_name(p)};

    add_stages(&s);
    add_groups(&s);
    if (time && !(s.times = measure(cx, p, sizes)))
        s.status = wf_ctx_status(cx) ? cli_report(cx) : USER;
    if (s.status == DONE)
        page_write(stdout, page_show, s.title, put_data, &s);
    if (s.times)
        fclose(s.times);
    for (int i = 0; i < s.n; i++)
        wf_program_release(s.stages[i].program);
    wf_model_free(s.fused);
    return s.status;
}
