/* units.c -- the C of many kernels as translation units, to be compiled side by side.
 *
 * The compiler's time is nearly all of what a first call takes, and grows with the text:
 * units get about equal amounts of it, longest first, to the unit with the least.
 */
#include "codegen/codegen.h"

#include <stdlib.h>

#define UNIT_LEAST 2000   /* bytes: a unit of fewer is not worth a process of its own */
#define UNIT_MOST  200000 /* more take too long to compile in one go */

typedef struct UnitPiece { /* the text of a kernel */
    const Kernel *k;
    const char *text;
    size_t size;
} UnitPiece;

typedef struct UnitText {
    VEC(const UnitPiece *) piece;
    VEC(const Kernel *) kernels;
    size_t size;
} UnitText;

/* Kernels that have code of their own, each once. */
static UnitPiece *make_pieces(Kernel *const *k, uint32_t n, Arena *a, uint32_t *out_n,
                          size_t *out_size)
{
    UnitPiece *all = arena_zalloc(a, (n + 1) * sizeof *all);
    uint32_t count = 0;

    *out_size = 0;
    for (uint32_t i = 0; i < n; i++) {
        const Kernel *code = k[i]->code;
        uint32_t j = 0;
        Text t;

        while (j < count && all[j].k != code)
            j++;
        if (j < count)
            continue;
        text_init(&t, a);
        code->target->render(code, a, &t);
        all[count++] = (UnitPiece){code, text_str(&t), t.n};
        *out_size += t.n;
    }
    *out_n = count;
    return all;
}

static int by_size(const void *a, const void *b)
{
    const UnitPiece *x = *(const UnitPiece *const *)a, *y = *(const UnitPiece *const *)b;

    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return (x > y) - (x < y);
}

/* Longest first, each to the unit that has least. */
static void spread(const UnitPiece *all, uint32_t n, UnitText *units, uint32_t nunits, Arena *a)
{
    const UnitPiece **order = arena_array(a, n + 1, sizeof *order);

    for (uint32_t i = 0; i < n; i++)
        order[i] = &all[i];
    qsort(order, n, sizeof *order, by_size);
    for (uint32_t i = 0; i < n; i++) {
        UnitText *least = units;

        for (uint32_t u = 1; u < nunits; u++)
            if (units[u].size < least->size)
                least = &units[u];
        vec_push(a, &least->piece, order[i]);
        vec_push(a, &least->kernels, order[i]->k);
        least->size += order[i]->size;
    }
}

Text *render_units(Kernel *const *k, uint32_t n, uint32_t cores, Arena *a,
                   uint32_t *out_n)
{
    size_t size;
    UnitPiece *all = make_pieces(k, n, a, &n, &size);
    uint32_t nunits =
        (uint32_t)MAX(1, MAX(MIN((size_t)cores, size / UNIT_LEAST), size / UNIT_MOST));
    UnitText *units = arena_zalloc(a, nunits * sizeof *units);
    Text *text = arena_array(a, nunits, sizeof *text);

    spread(all, n, units, nunits, a);
    *out_n = 0;
    for (uint32_t u = 0; u < nunits; u++) {
        Text *t = &text[*out_n];

        if (!units[u].piece.n)
            continue;
        text_init(t, a);
        k[0]->target->render_head(units[u].kernels.v, units[u].kernels.n, t);
        for (uint32_t i = 0; i < units[u].piece.n; i++)
            text_addn(t, units[u].piece.v[i]->text, units[u].piece.v[i]->size);
        (*out_n)++;
    }
    return text;
}
