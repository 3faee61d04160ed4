/* util.c -- memory, text and refusals, for all files of nn. */
#include "nn/nn.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ------------------------------------------------------------------------ */

void *nn_alloc(wf_ctx *c, size_t size)
{
    void *p = wf_memory(c, NULL, 0, size + !size);

    return p ? memset(p, 0, size) : NULL;
}

void nn_free(wf_ctx *c, void *p, size_t size)
{
    if (p)
        wf_memory(c, p, size + !size, 0);
}

char *nn_copy_text(wf_ctx *c, const char *s)
{
    size_t n = s ? strlen(s) + 1 : 0;
    char *copy = nn_null(c, s, "module", "text") ? NULL : nn_alloc(c, n);

    return copy ? memcpy(copy, s, n) : NULL;
}

void nn_free_text(wf_ctx *c, char *s)
{
    if (s)
        nn_free(c, s, strlen(s) + 1);
}

bool nn_one_more(wf_ctx *c, void *list, int n, size_t size)
{
    void *at, *grown;

    memcpy(&at, list, sizeof at); /* a pointer to any type */
    grown = wf_memory(c, at, (size_t)n * size, (size_t)(n + 1) * size);
    if (grown)
        memcpy(list, &grown, sizeof grown);
    return grown != NULL;
}

/* ---- text -------------------------------------------------------------------------- */

void nn_put(NnText *b, const char *s, size_t n)
{
    if (b->n + n + 1 > b->cap) {
        size_t cap = (b->n + n + 1) * 2;
        char *grown = wf_memory(b->c, b->s, b->cap, cap);
        if (!grown) {
            b->lost = true;
            return;
        }
        b->s = grown;
        b->cap = cap;
    }
    memcpy(b->s + b->n, s, n);
    b->n += n;
    b->s[b->n] = 0;
}

void nn_put_field(NnText *b, const char *s, const char *end)
{
    nn_put(b, s, strlen(s));
    nn_put(b, end, 1);
}

FloatText nn_float(double x)
{
    FloatText t;

    if (x == floor(x) && fabs(x) < 1e16) {
        snprintf(t.s, sizeof t.s, "%.1f", x);
    } else {
        for (int digits = 1; digits <= 17; digits++) {
            snprintf(t.s, sizeof t.s, "%.*g", digits, x);
            if (strtod(t.s, NULL) == x)
                break;
        }
    }
    for (char *p = t.s; *p; p++)
        if (*p == ',')
            *p = '.';
    return t;
}

void nn_text(wf_ctx *c, wf_module *m, const char *fmt, ...)
{
    char text[400];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (m)
        wf_module_set_text(c, m, text);
}

bool nn_refuse(wf_ctx *c, bool bad, const char *text)
{
    if (bad && !wf_ctx_status(c))
        wf_raise(c, WF_ERR_VALUE, text);
    return bad || wf_ctx_status(c);
}

bool nn_count(wf_ctx *c, const void *v, int n, const char *function)
{
    char text[120];

    if ((n < 0 || (n && !v)) && !wf_ctx_status(c)) {
        snprintf(text, sizeof text, "%s: %d of them at %s", function, n,
                 v ? "a place" : "NULL");
        wf_raise(c, WF_ERR_ARG, text);
    }
    return !wf_ctx_status(c);
}

bool nn_call(wf_ctx *c, const char *function, const wf_tensor *in, int nin,
             wf_tensor *out, int nout)
{
    for (int i = 0; out && i < nout; i++)
        out[i] = WF_NONE;
    return nn_count(c, in, nin, function) && nn_count(c, out, nout, function);
}

wf_status nn_gave_up(wf_ctx *c)
{
    return wf_ctx_status(c) ? wf_ctx_status(c) : WF_ERR_ARG;
}

bool nn_options(wf_ctx *c, const char *function, const void *given, void *out,
                size_t size)
{
    size_t theirs = size;
    char text[100];

    memset(out, 0, size);
    if (!given)
        return true;
    memcpy(&theirs, given, sizeof theirs); /* the first field of all */
    if (theirs <= sizeof theirs) {
        snprintf(text, sizeof text, "%.60s: the options do not say their size", function);
        wf_raise(c, WF_ERR_ARG, text);
        return false;
    }
    memcpy(out, given, theirs < size ? theirs : size);
    return true;
}

bool nn_null(wf_ctx *c, const void *p, const char *function, const char *what)
{
    char text[120];

    if (!p && !wf_ctx_status(c)) {
        snprintf(text, sizeof text, "%s: the %s is NULL", function, what);
        wf_raise(c, WF_ERR_ARG, text);
    }
    return wf_ctx_status(c);
}

wf_module *nn_done(wf_ctx *c, wf_module *m)
{
    if (!wf_ctx_status(c))
        return m;
    wf_module_release(c, m);
    return NULL;
}
