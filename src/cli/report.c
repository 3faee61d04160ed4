/* report.c -- what is said on standard error, with colours where a person looks at it. */
#include "cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool use_colours(void)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

    return isatty(STDERR_FILENO) && !(no && *no) && !(term && strcmp(term, "dumb") == 0);
}

void cli_complain(const char *fmt, ...)
{
    va_list ap;

    fputs("weft: ", stderr);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
}

int usage_error(const Command *c, const char *fmt, ...)
{
    va_list ap;

    fprintf(stderr, "weft%s%s: ", c ? " " : "", c ? c->name : "");
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fprintf(stderr, "\nTry 'weft help%s%s'.\n", c ? " " : "", c ? c->name : "");
    return USAGE;
}

/* Is the line one of spaces, carets and tildes? */
static bool is_caret_line(const char *s, size_t n)
{
    return n && strspn(s, " \t^~") >= n && memchr(s, '^', n);
}

/* The kind of error in red, carets in green. */
static void print_coloured(const char *text, const char *kind)
{
    const char *at = strstr(text, kind), *nl = strchr(text, '\n');

    if (at && (!nl || at < nl)) {
        fprintf(stderr, "%.*s\033[1;31m%s\033[0m", (int)(at - text), text, kind);
        text = at + strlen(kind);
    }
    while (*text) {
        size_t n = strcspn(text, "\n");
        bool caret = is_caret_line(text, n);

        fprintf(stderr, "%s%.*s%s\n", caret ? "\033[1;32m" : "", (int)n, text,
                caret ? "\033[0m" : "");
        text += n + (text[n] == '\n');
    }
}

int cli_name_width(const char *s)
{
    int n = 0;

    for (; *s; s++)
        n += (unsigned char)*s < ' ' || *s == 127 ? 4 : ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

int cli_put_name(FILE *f, const char *s)
{
    for (const char *c = s; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            fprintf(f, "\\x%02x", (unsigned char)*c);
        else
            putc(*c, f);
    return cli_name_width(s);
}

int cli_report(wf_ctx *cx)
{
    wf_status status = wf_ctx_status(cx);
    const char *text = wf_ctx_message(cx);

    if (use_colours())
        print_coloured(text, wf_status_name(status));
    else
        fprintf(stderr, "%s\n", text);
    return status == WF_OK ? DONE : status < WF_ERR_MEMORY ? USER : ENVIRONMENT;
}

void *cli_need_memory(size_t size)
{
    void *p = calloc(1, size ? size : 1);

    if (!p) {
        cli_complain("out of memory");
        exit(ENVIRONMENT);
    }
    return p;
}

/* ---- suggestions ------------------------------------------------------------------- */

#define LONGEST 63

static int least(int a, int b, int c)
{
    int m = a < b ? a : b;

    return m < c ? m : c;
}

/* Insertions, deletions and changes that make b of a. */
static int distance(const char *a, const char *b)
{
    int row[LONGEST + 2], n = (int)strlen(b);

    for (int j = 0; j <= n; j++)
        row[j] = j;
    for (int i = 1; a[i - 1]; i++) {
        int diagonal = row[0];

        row[0] = i;
        for (int j = 1; j <= n; j++) {
            int up = row[j];

            row[j] = least(up + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = up;
        }
    }
    return row[n];
}

const char *cli_suggest(const char *name, const char *const *names, int n)
{
    static char text[LONGEST + 32];
    int best = (int)strlen(name) / 3 + 1;
    const char *found = NULL;

    for (int i = 0; i < n && strlen(name) <= LONGEST; i++) {
        int d = strlen(names[i]) > LONGEST ? best + 1 : distance(name, names[i]);

        if (d < best + (found == NULL) && d < (int)strlen(names[i]) &&
            strlen(names[i]) > 2) {
            best = d;
            found = names[i];
        }
    }
    text[0] = '\0';
    if (found)
        snprintf(text, sizeof text, "; did you mean '%s'?", found);
    return text;
}
