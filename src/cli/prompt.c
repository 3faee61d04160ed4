/* prompt.c -- weft alone, on a terminal: a prompt for the script language (wf_prompt). Lines that were typed are kept in a file, in
 * WEFT_HISTORY, or else ~/.local/state/weft/history; WEFT_HISTORY= keeps none. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    KEPT = 1000
}; /* lines of the file that are read; twice as many are when it is made shorter */

typedef struct Prompt {
    wf_prompt *script;
    LineEditor editor;
    char history[4096]; /* file; "": none */
    char *piece;        /* the lines so far */
    size_t n, room;
} Prompt;

/* ---- the file of lines ----------------------------------------------------------------- */

static void find_history(Prompt *p)
{
    const char *given = getenv("WEFT_HISTORY"), *state = getenv("XDG_STATE_HOME"),
               *home = getenv("HOME");

    if (given)
        snprintf(p->history, sizeof p->history, "%s", given);
    else if (state && *state)
        snprintf(p->history, sizeof p->history, "%s/weft/history", state);
    else if (home && *home)
        snprintf(p->history, sizeof p->history, "%s/.local/state/weft/history", home);
}

static FILE *open_history(const Prompt *p, const char *mode)
{
    int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (*mode == 'a' ? O_APPEND : O_TRUNC), fd;
    char path[sizeof p->history];

    strcpy(path, p->history);
    for (char *s = strchr(path + 1, '/'); s; s = strchr(s + 1, '/')) {
        *s = '\0';
        mkdir(path, 0700);
        *s = '/';
    }
    fd = open(p->history, flags, 0600); /* what is typed is nobody else's */
    return fd < 0 ? NULL : fdopen(fd, mode);
}

static void read_history(Prompt *p)
{
    History *h = &p->editor.history;
    FILE *f = *p->history ? fopen(p->history, "re") : NULL;
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    int read = 0;

    while (f && (n = getline(&line, &room, f)) > 0) {
        line[n - (line[n - 1] == '\n')] = '\0';
        line_history_add(h, line);
        read++;
    }
    free(line);
    if (f)
        fclose(f);
    if (read <= 2 * KEPT || !(f = open_history(p, "w")))
        return;
    for (int i = h->n > KEPT ? h->n - KEPT : 0; i < h->n; i++)
        fprintf(f, "%s\n", h->v[i]);
    fclose(f);
}

/* At once: a prompt may end by any signal. */
static void keep_line(Prompt *p, const char *line)
{
    FILE *f;

    if (!line[strspn(line, " \t")])
        return;
    line_history_add(&p->editor.history, line);
    if (*p->history && (f = open_history(p, "a"))) {
        fprintf(f, "%s\n", line);
        fclose(f);
    }
}

/* ---- pieces ------------------------------------------------------------------------------ */

/* Names for the end of the line, which stands behind the lines before it. */
static const char *complete(void *user, const char *text, size_t n)
{
    Prompt *p = user;
    char *all = cli_need_memory(p->n + n + 1);
    const char *names;

    if (p->n)
        memcpy(all, p->piece, p->n);
    memcpy(all + p->n, text, n);
    names = wf_prompt_complete(p->script, all, p->n + n);
    free(all);
    return names;
}

static void add_line(Prompt *p, const char *line)
{
    size_t n = strlen(line);

    if (p->n + n + 2 > p->room) {
        char *grown = realloc(p->piece, p->room = 2 * (p->n + n + 2));

        if (!grown) {
            cli_complain("out of memory");
            exit(ENVIRONMENT);
        }
        p->piece = grown;
    }
    memcpy(p->piece + p->n, line, n);
    memcpy(p->piece + p->n + n, "\n", 2);
    p->n += n + 1;
}

/* false: the script has ended, with *status */
static bool take_line(Prompt *p, wf_ctx *cx, const char *line, int *status)
{
    bool more = false;
    int code = -1;

    keep_line(p, line);
    add_line(p, line);
    if (wf_prompt_run(p->script, p->piece, p->n, &more, &code) != WF_OK) {
        cli_report(cx);
        wf_clear(cx);
    }
    if (!more)
        p->n = 0;
    if (code >= 0)
        *status = code;
    return code < 0;
}

static int run_lines(Prompt *p, wf_ctx *cx)
{
    int status = DONE;
    bool on = true;

    printf("Weft %s. torch, jax, tensorflow, aesara and numpy can be imported; Ctrl-D "
           "ends, 'weft help' in a shell says what else there is.\n",
           wf_version());
    while (on) {
        char *line = NULL;

        fflush(stdout);
        switch (line_read(&p->editor, p->n ? "... " : ">>> ", &line)) {
        case LINE_DONE: on = take_line(p, cx, line, &status); break;
        case LINE_INTERRUPTED:
            puts("KeyboardInterrupt");
            p->n = 0;
            break;
        default: on = false;
        }
        free(line);
    }
    return status;
}

int run_prompt(void)
{
    Prompt p = {.editor = {.complete = complete, .user = &p}};
    wf_ctx *cx = new_context(0);
    int status;

    if (!cx)
        return ENVIRONMENT;
    if (wf_prompt_new(cx, &p.script) != WF_OK) {
        status = cli_report(cx);
    } else {
        find_history(&p);
        read_history(&p);
        cancel_on_interrupt(cx);
        status = run_lines(&p, cx);
        wf_prompt_free(p.script);
        if (wf_ctx_status(cx) != WF_OK)
            status = cli_report(cx);
        cancel_on_interrupt(NULL);
    }
    for (int i = 0; i < p.editor.history.n; i++)
        free(p.editor.history.v[i]);
    free(p.editor.history.v);
    free(p.piece);
    wf_ctx_free(cx);
    return status;
}
