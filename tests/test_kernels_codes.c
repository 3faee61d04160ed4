/* test_kernels_codes.c -- products with codes of 4 bits against their definition in double precision: every instruction set,
 * sizes around tiles and blocks, places in any order, zeros of all kinds, several threads. */
#include "base/base.h"
#include "kernels/codes.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int64_t below(int64_t n) { return (int64_t)test_random_below((uint64_t)n); }
static int64_t between(int64_t lo, int64_t hi) { return lo + below(hi - lo + 1); }
static float number(void) { return (float)(below(2001) - 1000) / 512; }

static void run_pool(void *ctx, int n, void (*fn)(void *user, int i), void *user) { pool_run(ctx, n, fn, user); }

static void *room(int64_t n, size_t size) { return calloc((size_t)n + 1, size); }

/* Places of rows x cols elements: row by row, or column by column. */
static void set_places(KCodesPart *p, int64_t rows, int64_t cols, bool by_row)
{
    int64_t *row = room(rows, sizeof *row), *col = room(cols, sizeof *col);

    for (int64_t i = 0; i < rows; i++)
        row[i] = by_row ? i * cols : i;
    for (int64_t j = 0; j < cols; j++)
        col[j] = by_row ? j : j * rows;
    p->at_block = row;
    p->at_col = col;
}

static unsigned half(const KCodesPart *p, int64_t at)
{
    return ((unsigned)((const uint8_t *)p->p)[at / 2] >> (at % 2 ? 4 : 0) & 15) ^ (unsigned)p->flip;
}

static double part_at(const KCodesPart *p, int64_t row, int64_t col)
{
    int64_t at = p->p ? p->at_block[row] + p->at_col[col] : 0;

    return p->value + (!p->p ? 0 : p->type == KT_U8 ? (double)half(p, at) : (double)((const float *)p->p)[at]);
}

static uint8_t *random_halves(int64_t n)
{
    uint8_t *p = room(n / 2 + 1, 1);

    for (int64_t i = 0; i <= n / 2; i++)
        p[i] = (uint8_t)below(256);
    return p;
}

static float *random_floats(int64_t n)
{
    float *p = room(n, sizeof *p);

    for (int64_t i = 0; i < n; i++)
        p[i] = number();
    return p;
}

static void random_product(KCodes *x)
{
    int kind = (int)below(4);

    *x = (KCodes){.m = between(0, below(2) ? 27 : 4), .n = between(0, below(2) ? 140 : 20), .k = between(1, 150)};
    x->block = between(1, below(2) ? x->k : 32);
    x->blocks = (x->k + x->block - 1) / x->block;
    x->a = random_floats(x->m * x->k);
    x->code = (KCodesPart){.p = random_halves(x->k * x->n), .type = KT_U8, .flip = below(2) ? 8 : 0};
    x->scale = (KCodesPart){.p = random_floats(x->blocks * x->n), .type = KT_F32};
    set_places(&x->code, x->k, x->n, below(2) != 0);
    set_places(&x->scale, x->blocks, x->n, below(2) != 0);
    x->zero = (KCodesPart){.value = kind == 0 ? 8 : (float)between(0, 15)};
    if (kind > 1) {
        x->zero.type = kind == 2 ? KT_U8 : KT_F32;
        x->zero.p = kind == 2 ? (void *)random_halves(x->blocks * x->n) : random_floats(x->blocks * x->n);
        set_places(&x->zero, x->blocks, x->n, below(2) != 0);
    }
}

static void free_part(KCodesPart *p)
{
    free((void *)(uintptr_t)p->p);
    free((void *)(uintptr_t)p->at_block);
    free((void *)(uintptr_t)p->at_col);
}

static void check_product(const KCodes *x)
{
    int bad = 0;

    for (int64_t i = 0; i < x->m; i++)
        for (int64_t j = 0; j < x->n; j++) {
            double sum = 0, size = 0;

            for (int64_t k = 0; k < x->k; k++) {
                double w = (half(&x->code, x->code.at_block[k] + x->code.at_col[j]) - part_at(&x->zero, k / x->block, j)) *
                           part_at(&x->scale, k / x->block, j);

                sum += w * x->a[i * x->k + k];
                size += 32 * fabs(part_at(&x->scale, k / x->block, j) * x->a[i * x->k + k]);
            }
            bad += !(fabs(x->c[i * x->n + j] - sum) <= 1e-6 * size);
        }
    CHECK_EQ_INT(bad, 0);
}

TEST(products_with_codes_are_their_definition)
{
    Pool *pool = pool_new(&alloc_default, 3);
    KPar par = {pool, 3, run_pool};

    for (int turn = 0; turn < 300; turn++) {
        KCodes x;

        random_product(&x);
        for (int isa = 0; isa < 3; isa++) {
            const KCodesTable *t = codes_for(isa);
            void *packed, *work;

            if (!t)
                continue;
            x.packed = NULL;
            packed = room((int64_t)t->packed_size(&x), 1);
            work = room((int64_t)t->workspace(&x), 1);
            x.c = room(x.m * x.n, sizeof *x.c);
            t->pack(&x, turn % 2 ? &par : NULL, packed);
            x.packed = packed;
            t->run(&x, turn % 2 ? &par : NULL, work);
            check_product(&x);
            free(packed);
            free(work);
            free(x.c);
        }
        free((void *)(uintptr_t)x.a);
        free_part(&x.code);
        free_part(&x.scale);
        free_part(&x.zero);
    }
    pool_free(pool);
}
