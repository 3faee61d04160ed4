/* lib_text.c -- see lib_text.h */
#include "lib_text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

/* A number at s, not part of a name; its end in *end. */
static bool number_at(const char *start, const char *s, char **end, double *x)
{
    if (!isdigit((unsigned char)*s) &&
        !((*s == '-' || *s == '+' || *s == '.') && (isdigit((unsigned char)s[1]) || s[1] == '.')))
        return false;
    if (s > start && (isalpha((unsigned char)s[-1]) || s[-1] == '_'))
        return false;
    *x = strtod(s, end);
    return *end > s;
}

static const char *skip_space(const char *s)
{
    while (isspace((unsigned char)*s))
        s++;
    return s;
}

bool test_same_text(const char *want, const char *got, const char **at)
{
    const char *w = want, *g = got;

    for (;;) {
        char *we, *ge;
        double x, y;

        w = skip_space(w);
        *at = g = skip_space(g);
        if (!*w || !*g)
            return !*w && !*g;
        if (number_at(want, w, &we, &x) && number_at(got, g, &ge, &y)) {
            if (!(x == y || fabs(x - y) <= 1e-6 + 2e-5 * fabs(x)))
                return false;
            w = we;
            g = ge;
        } else if (*w++ != *g++) {
            return false;
        }
    }
}
