/* units.c -- the C of many kernels as translation units, to be compiled side by side.
 *
 * The compiler's time is nearly all of what a first call takes, and grows with the text:
 *
 *   - Kernels whose C is the same but for sizes are compiled once, as a function of the
 *     sizes that differ; each kernel is then a call of it:
 *
 *         static void wk3_any(const int64_t *q, const WkArgs *k, int64_t begin, ..
 *         void wk5(const WkArgs *k, int64_t begin, int64_t end)
 *         {
 *             static const int64_t q[] = {49, 784};
 *             wk3_any(q, k, begin, end);
 *         }
 *
 *     The C is compared as text: a *form* is the text with # for every plain number and @
 *     for the kernel's own name.
 *   - Units get about equal amounts of text: longest first, to the unit with the least.
 */
#include "codegen/render.h"

#include <ctype.h>
#include <stdlib.h>

#define UNIT_LEAST 2000   /* bytes: a unit of fewer is not worth a process of its own */
#define UNIT_MOST  200000 /* more take too long to compile in one go */

static const char head[] = "void @"; /* of a function, at the beginning of a line */

/* The C of a kernel. */
typedef struct Piece {
    Kernel *k;
    const char *text;
    size_t size;
    const char *form; /* NULL: it is not shared */
    size_t form_size;
    Hash hash;
    VEC(int64_t) number; /* for each # */
    uint32_t next;       /* piece of the same form + 1 */
    bool first;          /* of its form */
} Piece;

/* ---- forms ------------------------------------------------------------------------- */

static bool in_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '.'; }

/* A number that can be a parameter: digits alone. */
static bool is_number(const char *s, size_t n, int64_t *out)
{
    *out = 0;
    for (size_t i = 0; i < n; i++)
        if (!isdigit((unsigned char)s[i]) || !mul_i64(*out, 10, out) ||
            !add_i64(*out, s[i] - '0', out))
            return false;
    return n > 0;
}

static void find_form(Piece *x, Arena *a)
{
    const char *own = arena_printf(a, "wk%u", x->k->id), *at = strstr(x->text, "*/\n");
    size_t k = strlen(own);
    Hasher h;
    Text t;

    if (x->k->scalar || x->k->straight || x->k->dot || *x->k->part || !at ||
        strstr(at, "wk_mix"))
        return;
    text_init(&t, a);
    for (at += 3; *at;) {
        size_t n = 0;
        int64_t number;

        while (in_word(at[n]))
            n++;
        if (n >= k && strncmp(at, own, k) == 0 && !isdigit((unsigned char)at[k])) {
            text_printf(&t, "@%.*s", (int)(n - k), at + k);
        } else if (is_number(at, n, &number)) {
            text_char(&t, '#');
            vec_push(a, &x->number, number);
        } else {
            n = MAX(n, 1);
            text_printf(&t, "%.*s", (int)n, at);
        }
        at += n;
    }
    x->form = text_str(&t);
    x->form_size = t.n;
    hash_init(&h, 5);
    hash_bytes(&h, x->form, x->form_size);
    x->hash = hash_done(&h);
}

static bool same_form(const Piece *x, const Piece *y)
{
    return x->form && y->form && hash_eq(x->hash, y->hash) &&
           x->form_size == y->form_size && memcmp(x->form, y->form, x->form_size) == 0;
}

/* Chains pieces of one form, in order. */
static void find_equals(Piece *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = 0;

        while (j < i && !(x[j].first && same_form(&x[i], &x[j])))
            j++;
        x[i].first = j == i;
        if (j == i)
            continue;
        while (x[j].next)
            j = x[j].next - 1;
        x[j].next = i + 1;
    }
}

/* ---- a function for all pieces of a form --------------------------------------------- */

/* Which parameter number i of the form is; pieces that agree in it have it as it is: -1.
 * Numbers that are equal in each piece are one parameter. */
static int32_t *find_params(const Piece *all, const Piece *x, Arena *a, uint32_t *out_n)
{
    int32_t *param = arena_array(a, x->number.n + 1, sizeof *param);

    *out_n = 0;
    for (uint32_t i = 0; i < x->number.n; i++) {
        bool differs = false;
        uint32_t same = 0;

        for (uint32_t y = x->next; y; y = all[y - 1].next)
            differs = differs || all[y - 1].number.v[i] != x->number.v[i];
        param[i] = -1;
        for (; differs && same < i; same++) {
            bool equal = param[same] >= 0 && x->number.v[same] == x->number.v[i];

            for (uint32_t y = x->next; equal && y; y = all[y - 1].next)
                equal = all[y - 1].number.v[same] == all[y - 1].number.v[i];
            if (equal)
                break;
        }
        if (differs)
            param[i] = same < i ? param[same] : (int32_t)(*out_n)++;
    }
    return param;
}

/* The next line that is a function's head; NULL: there is none. */
static const char *find_head(const char *form, const char *from)
{
    const char *at = from;

    while ((at = strstr(at, head)) && at != form && at[-1] != '\n')
        at++;
    return at;
}

static void render_shared(const Piece *x, const int32_t *param, uint32_t nparams,
                          Text *out)
{
    const char *at = x->form, *next = find_head(at, at);
    uint32_t number = 0;

    while (*at) {
        if (at == next) { /* void @_end(const WkArgs *k, ..)\n{\n */
            const char *suffix = at + strlen(head), *open = strchr(suffix, '('),
                       *body = strstr(open, "{\n") + 2;

            text_printf(
                out,
                "static __attribute__((noinline)) void wk%u_any%.*s(const int64_t "
                "*q, %.*s",
                x->k->id, (int)(open - suffix), suffix, (int)(body - open) - 1, open + 1);
            for (uint32_t i = 0; i < nparams; i++)
                text_printf(out, "    const int64_t q%u = q[%u];\n", i, i);
            at = body;
            next = find_head(x->form, at);
        } else if (*at == '#') {
            if (param[number] < 0)
                text_int(out, x->number.v[number]);
            else
                text_printf(out, "q%d", param[number]);
            number++;
            at++;
        } else if (*at == '@') { /* one of its functions calls another */
            size_t n = strcspn(at, "(");

            text_printf(out, "wk%u_any%.*s(q, ", x->k->id, (int)n - 1, at + 1);
            at += n + 1;
        } else {
            size_t n = strcspn(at, "#@\n");

            n += at[n] == '\n';
            text_addn(out, at, n);
            at += n;
        }
    }
}

static void render_numbers(const Piece *x, const int32_t *param, uint32_t nparams,
                           Text *out)
{
    uint32_t next = 0;

    text_add(out, "{\n    static const int64_t q[] = {");
    if (!nparams) /* the same but for the name */
        text_char(out, '0');
    for (uint32_t i = 0; i < x->number.n && next < nparams; i++)
        if (param[i] == (int32_t)next) {
            text_printf(out, "%s%lld", next ? ", " : "", (long long)x->number.v[i]);
            next++;
        }
    text_add(out, "};\n\n");
}

/* "const WkArgs *k, int64_t n)" -> "k, n)" */
static void render_names(const char *params, Text *out)
{
    for (const char *at = params; *at && *at != '\n';) {
        size_t n = strcspn(at, ",)"), name = n;

        while (name > 0 && in_word(at[name - 1]))
            name--;
        text_printf(out, "%.*s%s", (int)(n - name), at + name,
                    at[n] == ',' ? ", " : ");\n}\n\n");
        if (at[n] != ',')
            return;
        at += n + 1;
    }
}

static void render_call(const Piece *x, const Piece *shared, const int32_t *param,
                        uint32_t nparams, Text *out)
{
    for (const char *at = find_head(x->form, x->form); at;
         at = find_head(x->form, at + 1)) {
        const char *suffix = at + strlen(head), *open = strchr(suffix, '(');

        text_printf(out, "void wk%u%.*s\n", x->k->id, (int)strcspn(suffix, "\n"), suffix);
        render_numbers(x, param, nparams, out);
        text_printf(out, "    wk%u_any%.*s(q, ", shared->k->id, (int)(open - suffix),
                    suffix);
        render_names(open + 1, out);
    }
}

/* A piece and those of its form. */
static void render_pieces(const Piece *all, const Piece *x, Arena *a, Text *out)
{
    uint32_t nparams = 0;
    int32_t *param;

    if (!x->next) {
        text_addn(out, x->text, x->size);
        return;
    }
    param = find_params(all, x, a, &nparams);
    text_addn(out, x->text, (size_t)(strstr(x->text, "*/\n") + 3 - x->text));
    render_shared(x, param, nparams, out);
    for (const Piece *y = x;; y = &all[y->next - 1]) {
        render_call(y, x, param, nparams, out);
        if (!y->next)
            return;
    }
}

/* ---- units ------------------------------------------------------------------------- */

typedef struct Unit {
    VEC(uint32_t) piece; /* the first of each form */
    VEC(Kernel *) kernels;
    size_t size;
} Unit;

static int by_size(const void *a, const void *b)
{
    const Piece *x = *(const Piece *const *)a, *y = *(const Piece *const *)b;

    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return (x > y) - (x < y);
}

static void add_to_unit(Unit *u, const Piece *all, const Piece *x, Arena *a)
{
    vec_push(a, &u->piece, (uint32_t)(x - all));
    u->size += x->size;
    for (;; x = &all[x->next - 1]) {
        vec_push(a, &u->kernels, x->k);
        if (!x->next)
            return;
    }
}

/* Longest first, each to the unit that has least. */
static void spread(const Piece *all, uint32_t n, Unit *units, uint32_t nunits, Arena *a)
{
    const Piece **order = arena_array(a, n + 1, sizeof *order);
    uint32_t count = 0;

    for (uint32_t i = 0; i < n; i++)
        if (all[i].first)
            order[count++] = &all[i];
    qsort(order, count, sizeof *order, by_size);
    for (uint32_t i = 0; i < count; i++) {
        Unit *least = units;

        for (uint32_t u = 1; u < nunits; u++)
            if (units[u].size < least->size)
                least = &units[u];
        add_to_unit(least, all, order[i], a);
    }
}

static Piece *make_pieces(Kernel *const *k, uint32_t n, Isa isa, Arena *a, size_t *out)
{
    Piece *all = arena_zalloc(a, (n + 1) * sizeof *all);

    *out = 0;
    for (uint32_t i = 0; i < n; i++) {
        Text t;

        text_init(&t, a);
        render_kernel(k[i], isa, a, &t);
        all[i] = (Piece){.k = k[i], .text = text_str(&t), .size = t.n};
        find_form(&all[i], a);
    }
    find_equals(all, n);
    for (uint32_t i = 0; i < n; i++)
        *out += all[i].first ? all[i].size : 0;
    return all;
}

Text *render_units(Kernel *const *k, uint32_t n, Isa isa, uint32_t cores, Arena *a,
                   uint32_t *out_n)
{
    size_t size;
    Piece *all = make_pieces(k, n, isa, a, &size);
    uint32_t nunits =
        (uint32_t)MAX(1, MAX(MIN((size_t)cores, size / UNIT_LEAST), size / UNIT_MOST));
    Unit *units = arena_zalloc(a, nunits * sizeof *units);
    Text *text = arena_array(a, nunits, sizeof *text);

    spread(all, n, units, nunits, a);
    *out_n = 0;
    for (uint32_t u = 0; u < nunits; u++) {
        Text *t = &text[*out_n];

        if (!units[u].piece.n)
            continue;
        text_init(t, a);
        render_head(units[u].kernels.v, units[u].kernels.n, isa, t);
        for (uint32_t i = 0; i < units[u].piece.n; i++)
            render_pieces(all, &all[units[u].piece.v[i]], a, t);
        (*out_n)++;
    }
    return text;
}
