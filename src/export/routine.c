/* routine.c -- functions that a file needs, each once: the sections of elements.in, products.in and op/factors*.h.
 *
 * A section begins with a line `@ NAME [CLASS]` and has the text of wx_NAME, or, with a
 * class (a dtype, `float`, `half`, `int`, `complex`, `any`), of wx_NAME_<dtype>. In it stand
 *
 *   $t    the dtype: f32             $T    its type in expressions: float
 *   $M    its type in memory         $f    the suffix of math.h: f, or nothing
 *   $U $S the integers of its width, unsigned and signed       $w    its bits
 *   $P    of a complex dtype the type of its parts
 *
 * What the text names, wx_.., comes before it.
 */
#include "export/export.h"

extern const char *const routine_lines[]; /* of both, by the Makefile */

/* ---- sections ---------------------------------------------------------------------- */

static bool is_class(const char *class, wf_dtype t, bool exact)
{
    bool half = t == WF_F16 || t == WF_BF16, real = t == WF_F32 || t == WF_F64;

    if (exact)
        return !strcmp(class, wf_dtype_name(t));
    return (!strcmp(class, "float") && real) || (!strcmp(class, "half") && half) ||
           !strcmp(class, "any") || (!strcmp(class, "complex") && dtype_is_complex(t)) ||
           (!strcmp(class, "int") && dtype_is_int(t));
}

/* The first line of the section's text; -1. */
static int find_class(CFile *c, const char *name, wf_dtype t, bool exact)
{
    for (int i = 0; routine_lines[i]; i++) {
        const char *s = routine_lines[i], *end;
        size_t n;

        if (strncmp(s, "@ ", 2) != 0)
            continue;
        s += 2;
        n = strcspn(s, " \n");
        if (strlen(name) != n || strncmp(s, name, n) != 0)
            continue;
        s += n + (s[n] == ' ');
        end = s + strcspn(s, "\n");
        if (!t ? s == end
               : s != end &&
                     is_class(arena_printf(c->a, "%.*s", (int)(end - s), s), t, exact))
            return i + 1;
    }
    return -1;
}

/* That of the dtype alone, or of its class. */
static int find_section(CFile *c, const char *name, wf_dtype t)
{
    int first = find_class(c, name, t, true);

    return first < 0 ? find_class(c, name, t, false) : first;
}

/* ---- text -------------------------------------------------------------------------- */

static void add_sign(Text *out, const char *kind, wf_dtype t)
{
    int bits = 8 * (int)wf_dtype_size(t);

    switch (*kind) {
    case 't': text_add(out, wf_dtype_name(t)); break;
    case 'T': text_add(out, c_value(t)); break;
    case 'M': text_add(out, c_type(t)); break;
    case 'P': text_add(out, c_type(dtype_part(t))); break;
    case 'f': text_add(out, t == WF_F64 ? "" : "f"); break;
    case 'U': text_printf(out, "uint%d_t", bits); break;
    case 'S': text_printf(out, "int%d_t", bits); break;
    case 'w': text_printf(out, "%d", bits); break;
    default: text_char(out, '$'); text_char(out, *kind);
    }
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           (c >= 'A' && c <= 'Z');
}

static const char *need_function(CFile *c, const char *function);

/* What a text names must be there before it. */
static void need_named(CFile *c, const char *text, const char *self)
{
    for (const char *s = strstr(text, "wx_"); s; s = strstr(s + 3, "wx_")) {
        size_t n = 3;
        const char *name;

        if (s > text && is_word(s[-1]))
            continue;
        while (is_word(s[n]))
            n++;
        name = arena_printf(c->a, "%.*s", (int)n, s);
        if (strcmp(name, self) != 0)
            need_function(c, name);
    }
}

static void add_section(CFile *c, int first, wf_dtype t, const char *function)
{
    Text out;

    text_init(&out, c->a);
    for (int i = first; routine_lines[i] && strncmp(routine_lines[i], "@ ", 2) != 0; i++)
        for (const char *s = routine_lines[i]; *s; s++)
            if (*s == '$' && s[1])
                add_sign(&out, ++s, t);
            else
                text_char(&out, *s);
    need_named(c, text_str(&out), function);
    text_add(&c->routines, text_str(&out));
}

/* ---- needs ------------------------------------------------------------------------- */

static wf_dtype dtype_named(const char *name)
{
    for (wf_dtype t = WF_BOOL; t < WF_DTYPE_COUNT; t++)
        if (c_has_dtype(t) && !strcmp(wf_dtype_name(t), name))
            return t;
    return (wf_dtype)0;
}

/* wx_<name> or wx_<name>_<dtype>, if there is such a section. */
static const char *need_function(CFile *c, const char *function)
{
    const char *name = function + 3, *last = strrchr(name, '_');
    wf_dtype t = last ? dtype_named(last + 1) : (wf_dtype)0;
    int first;

    for (uint32_t i = 0; i < c->needed.n; i++)
        if (!strcmp(c->needed.v[i], function))
            return c->needed.v[i];
    first = t ? find_section(c, arena_printf(c->a, "%.*s", (int)(last - name), name), t)
              : find_section(c, name, (wf_dtype)0);
    if (first < 0)
        return NULL;
    vec_push(c->a, &c->needed, function);
    add_section(c, first, t, function);
    return function;
}

const char *c_need(CFile *c, const char *name)
{
    const char *function = need_function(c, arena_printf(c->a, "wx_%s", name));

    if (!function)
        fail(c->cx, WF_ERR_INTERNAL, NOWHERE, "export: there is no routine '%s'", name);
    return function;
}

const char *c_need_of(CFile *c, const char *name, wf_dtype t)
{
    return need_function(c, arena_printf(c->a, "wx_%s_%s", name, wf_dtype_name(t)));
}
