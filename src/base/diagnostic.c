/* diagnostic.c -- what an error looks like, and which name was probably meant.
 *
 *   model.py:14:9: shape error: reshape: f32[32,28,28] has 25088 elements, but ...
 *       h = x.reshape(32, 700)
 *           ^~~~~~~~~~~~~~~~~~
 *   model.py:14:9: note: in code derived from this line by grad
 *   model.py:31:12: note: in call to 'forward'
 *
 * The line is shown without its indentation, tabs inside it are repeated under it,
 * control bytes and broken UTF-8 show as '?', and one longer than SHOWN characters is cut
 * around the caret.
 */
#include "base.h"

#define SHOWN ((size_t)120)
#define BEFORE 60 /* characters kept before the caret when a line is cut */
#define DOTS ((size_t)3)

/* ---- the source line and its caret ------------------------------------------------- */

typedef struct Line {
    const char *s;
    size_t n;
} Line;

static bool find_line(const Source *src, uint32_t number, Line *out)
{
    const char *s = src->text, *end = src->text + src->size, *nl;

    for (; number > 1; number--) {
        nl = s < end ? memchr(s, '\n', (size_t)(end - s)) : NULL;
        if (!nl)
            return false;
        s = nl + 1;
    }
    nl = s < end ? memchr(s, '\n', (size_t)(end - s)) : NULL;
    *out = (Line){s, (size_t)((nl ? nl : end) - s)};
    if (out->n && s[out->n - 1] == '\r')
        out->n--;
    return true;
}

/* Bytes of the character at i: one for a byte that is not UTF-8. */
static size_t step(Line l, size_t i)
{
    int len = utf8_len(l.s + i, l.n - i);

    return len ? (size_t)len : 1;
}

static size_t count_chars(Line l, size_t from, size_t to)
{
    size_t n = 0;

    for (; from < to; from += step(l, from))
        n++;
    return n;
}

static size_t skip_chars(Line l, size_t from, size_t n)
{
    for (; n > 0 && from < l.n; n--)
        from += step(l, from);
    return from;
}

static void add_shown(Text *t, Line l, size_t from, size_t to)
{
    size_t len;

    for (; from < to; from += len) {
        unsigned char c = (unsigned char)l.s[from];
        bool plain =
            c != 0x7F && (c >= 0x20 || c == '\t' || c == '\n') && utf8_len(l.s + from, l.n - from);

        len = step(l, from);
        text_addn(t, plain ? l.s + from : "?", plain ? len : 1);
    }
}

static void add_source_line(Text *t, const Place *p, Line l)
{
    size_t caret = p->col ? MIN(p->col - 1, l.n) : 0;
    size_t from = 0, to = l.n, total, mark, first, k;
    bool cut_left = false, cut_right = false;

    while (from < l.n && (l.s[from] == ' ' || l.s[from] == '\t') &&
           (!p->col || from < caret))
        from++;
    total = count_chars(l, from, l.n);
    if (total > SHOWN) {
        k = count_chars(l, from, MAX(caret, from));
        first = MIN(k > BEFORE ? k - BEFORE : 0, total - SHOWN);
        cut_left = first > 0;
        cut_right = first + SHOWN < total;
        from = skip_chars(l, from, first + (cut_left ? DOTS : 0));
        to = skip_chars(l, from, SHOWN - (cut_left ? DOTS : 0) - (cut_right ? DOTS : 0));
    }
    text_add(t, cut_left ? "\n    ..." : "\n    ");
    add_shown(t, l, from, to);
    text_add(t, cut_right ? "..." : "");
    if (!p->col)
        return;
    text_add(t, cut_left ? "\n       " : "\n    ");
    for (; from < caret; from += step(l, from))
        text_char(t, l.s[from] == '\t' ? '\t' : ' ');
    text_char(t, '^');
    if (from >= to || p->len < 2)
        return;
    mark = MIN(to, caret + p->len);
    for (from += step(l, from); from < mark; from += step(l, from))
        text_char(t, '~');
}

/* ---- the whole --------------------------------------------------------------------- */

/* A text that may hold a name of a foreign file, which no terminal shall obey. */
static void add_foreign(Text *t, const char *s)
{
    Line l = {s, strlen(s)};

    add_shown(t, l, 0, l.n);
}

static void add_place(Text *t, const Place *p)
{
    if (p->line == 0 && !p->file)
        return;
    add_foreign(t, p->file ? p->file : "<text>");
    if (p->line) {
        text_char(t, ':');
        text_int(t, p->line);
    }
    if (p->line && p->col) {
        text_char(t, ':');
        text_int(t, p->col);
    }
    text_add(t, ": ");
}

static void add_note(Text *t, const Diagnostic *d)
{
    text_char(t, '\n');
    add_place(t, &d->place);
    text_add(t, "note: ");
    add_foreign(t, d->text);
    if (d->place.via) {
        text_add(t, ", in code derived by ");
        text_add(t, d->place.via);
    }
}

static void add_via(Text *t, const Place *p)
{
    text_char(t, '\n');
    add_place(t, p);
    text_add(t, "note: in code derived ");
    text_add(t, p->line ? "from this line by " : "by ");
    text_add(t, p->via);
}

void diagnostic_render(wf_ctx *cx, Text *t)
{
    const Place *p = &cx->error.place;
    const Source *src = p->line && p->file ? ctx_find_source(cx, p->file) : NULL;
    Line line;
    int i;

    add_place(t, p);
    text_add(t, cx->error.kind ? cx->error.kind : wf_status_name(cx->status));
    if (cx->error.text[0]) {
        text_add(t, ": ");
        if (cx->error.kind) /* of a script's exception: as it is */
            text_add(t, cx->error.text);
        else
            add_foreign(t, cx->error.text);
    }
    if (src && find_line(src, p->line, &line))
        add_source_line(t, p, line);
    if (p->via)
        add_via(t, p);
    for (i = 0; i < MIN(cx->nnotes, CTX_NOTES); i++)
        add_note(t, &cx->notes[i]);
    if (cx->nnotes > CTX_NOTES)
        text_printf(t, "\nnote: and %d more", cx->nnotes - CTX_NOTES);
}

/* ---- nearest name ------------------------------------------------------------------ */

#define NAME_LONGEST 63

/* Edits that make b of a, at most limit + 1: insertions, deletions, changes, swaps of
 * neighbours. d[i][j] for the first i characters of a and j of b, three rows at a
 * time. */
static size_t edit_distance(const char *a, size_t na, const char *b, size_t nb,
                            size_t limit)
{
    size_t rows[3][NAME_LONGEST + 1], i, j, best;

    for (j = 0; j <= nb; j++)
        rows[0][j] = j;
    for (i = 1; i <= na; i++) {
        size_t *row = rows[i % 3], *up = rows[(i + 2) % 3], *up2 = rows[(i + 1) % 3];

        best = row[0] = i;
        for (j = 1; j <= nb; j++) {
            size_t d = up[j - 1] + (a[i - 1] != b[j - 1]);

            d = MIN(d, MIN(up[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d = MIN(d, up2[j - 2] + 1);
            row[j] = d;
            best = MIN(best, d);
        }
        if (best > limit + 1)
            return limit + 1;
    }
    return rows[na % 3][nb];
}

/* Near: at most a third of the name's characters edited, or one, and not all of them. */
const char *nearest_name(const char *name, const char *const *candidates, int n)
{
    size_t len = strlen(name), limit = MAX(len / 3, (size_t)1), best = limit + 1;
    size_t other, d;
    const char *found = NULL;
    int i;

    if (len > NAME_LONGEST)
        return NULL;
    for (i = 0; i < n; i++) {
        other = strlen(candidates[i]);
        if (other > NAME_LONGEST)
            continue;
        d = edit_distance(name, len, candidates[i], other, limit);
        /* equally near ones: the one of the length nearest to the name's */
        if (d < MAX(len, other) && (d < best || (d == best && found && other == len &&
                                                 strlen(found) != len))) {
            best = d;
            found = candidates[i];
        }
    }
    return found;
}
