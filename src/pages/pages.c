/* pages.c -- a page is written: its lines, with a title and data in their places. */
#include "pages/pages.h"

#include <math.h>
#include <string.h>

void page_string(FILE *f, const char *s)
{
    fputc('"', f);
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;

        if (c == '"' || c == '\\')
            fprintf(f, "\\%c", c);
        else if (c == '\n')
            fputs("\\n", f);
        else if (c < 0x20 || c == '<' ||
                 c == 0x7f) /* '<': "</script>" must not end the script */
            fprintf(f, "\\u%04x", c);
        else
            fputc(c, f);
    }
    fputc('"', f);
}

void page_number(FILE *f, double x)
{
    if (isfinite(x))
        fprintf(f, "%.9g", x);
    else
        fputs("null", f);
}

static void put_escaped(FILE *f, const char *s)
{
    for (; *s; s++) {
        if (*s == '<')
            fputs("&lt;", f);
        else if (*s == '&')
            fputs("&amp;", f);
        else
            fputc(*s, f);
    }
}

void page_write(FILE *f, const char *const *page, const char *title,
                void (*put)(FILE *f, void *user), void *user)
{
    for (; *page; page++) {
        if (strcmp(*page, "@DATA@\n") == 0) {
            put(f, user);
        } else if (strcmp(*page, "@TITLE@\n") == 0) {
            fputs("<title>", f);
            put_escaped(f, title);
            fputs("</title>\n", f);
        } else {
            fputs(*page, f);
        }
    }
}
