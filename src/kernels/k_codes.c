/* k_codes.c -- products with codes of 4 bits, see codes.h.
 *
 * Weights lie in panels of COLS columns. A block of a panel is VFL bytes for each k, the low half of byte j the code of column j,
 * the high half that of column VFL + j; then the scales of the columns and, what is added to the sum of the block's A for zeros other
 * than 8, (8 - zero) scale. Blocks are filled up to whole steps of STEP with codes of 8, which are 0.
 *
 *   sum (code - zero) scale a = scale sum (code - 8) a + (8 - zero) scale sum a
 *
 * A is packed in strips of up to ROWS rows, [k][rows], with the sums of each block behind it.
 */
#include "codes.h"
#include "stage.h"
#include "vec.h"

#if KERNEL_ISA == 2
#define ROWS 12
#else
#define ROWS 4
#endif
#define COLS (2 * VFL)
#define STEP 4 /* k at once, where few rows leave registers for several sums */

typedef struct Product {
    const KCodes *x;
    int64_t block, blocks; /* filled up */
    int64_t panels, strips, panel_bytes, block_bytes;
    char *packed;
    float *strip; /* of A */
    int64_t strip_floats;
    _Alignas(64) int64_t next;
} Product;

static void product_open(Product *p, const KCodes *x)
{
    *p = (Product){.x = x, .blocks = x->blocks};
    p->block = ceil_quotient(x->block, STEP) * STEP;
    p->block_bytes = p->block * VFL + COLS * (x->zero.p || x->zero.value != 8 ? 2 : 1) * 4;
    p->panels = ceil_quotient(x->n, COLS);
    p->panel_bytes = p->block_bytes * p->blocks;
    p->strips = ceil_quotient(x->m, ROWS);
    p->strip_floats = p->blocks * (p->block + 1) * ROWS;
}

/* ---- weights ------------------------------------------------------------------------ */

static unsigned half_at(const KCodesPart *s, int64_t at)
{
    return ((unsigned)((const uint8_t *)s->p)[at >> 1] >> (at & 1) * 4 & 15) ^ (unsigned)s->flip;
}

static float number_at(const KCodesPart *s, int64_t block, int64_t col)
{
    int64_t at;

    if (!s->p)
        return s->value;
    at = s->at_block[block] + s->at_col[col];
    return s->value + (s->type == KT_U8 ? (float)half_at(s, at) : ((const float *)s->p)[at]);
}

static void pack_panel(void *user, int panel)
{
    Product *p = user;
    const KCodes *x = p->x;
    int64_t first = (int64_t)panel * COLS, cols = least(COLS, x->n - first);
    char *to = p->packed + panel * p->panel_bytes;

    for (int64_t b = 0; b < p->blocks; b++, to += p->block_bytes) {
        int64_t there = least(x->block, x->k - b * x->block);
        float *scale = (float *)(to + p->block * VFL);

        memset(to, 0x88, (size_t)(p->block * VFL));
        memset(scale, 0, (size_t)(p->block_bytes - p->block * VFL));
        for (int64_t k = 0; k < there; k++) {
            uint8_t *line = (uint8_t *)to + k * VFL;
            int64_t at = x->code.at_block[b * x->block + k];

            for (int64_t j = 0; j < cols; j++) {
                unsigned code = half_at(&x->code, at + x->code.at_col[first + j]);

                line[j % VFL] = (uint8_t)(j < VFL ? (line[j] & 0xf0) | code : (line[j - VFL] & 15) | code << 4);
            }
        }
        for (int64_t j = 0; j < cols; j++) {
            scale[j] = number_at(&x->scale, b, first + j);
            if (x->zero.p || x->zero.value != 8)
                scale[COLS + j] = (8 - number_at(&x->zero, b, first + j)) * scale[j];
        }
    }
}

static size_t codes_packed_size(const KCodes *x)
{
    Product p;

    product_open(&p, x);
    return (size_t)(p.panels * p.panel_bytes);
}

static void codes_pack(const KCodes *x, const KPar *par, void *to)
{
    Product p;

    product_open(&p, x);
    p.packed = to;
    run_tasks(par, p.panels, pack_panel, &p);
}

/* ---- A -------------------------------------------------------------------------------- */

/* Rows that a strip is packed for: those the tiles have. */
static int64_t strip_rows(int64_t rows) { return rows <= 2 ? rows : rows <= 4 ? 4 : rows <= 8 && ROWS > 8 ? 8 : ROWS; }

static void pack_strip(void *user, int s)
{
    Product *p = user;
    const KCodes *x = p->x;
    int64_t there = least(ROWS, x->m - (int64_t)s * ROWS), rows = strip_rows(there);
    const float *from = x->a + (int64_t)s * ROWS * x->k;
    float *to = p->strip + s * p->strip_floats;

    memset(to, 0, (size_t)(p->blocks * (p->block + 1) * rows) * sizeof *to);
    for (int64_t b = 0; b < p->blocks; b++, to += (p->block + 1) * rows) {
        int64_t n = least(x->block, x->k - b * x->block);

        for (int64_t i = 0; i < there; i++) {
            const float *a = from + i * x->k + b * x->block;
            float sum = 0;

            for (int64_t k = 0; k < n; k++) {
                to[k * rows + i] = a[k];
                sum += a[k];
            }
            to[p->block * rows + i] = sum;
        }
    }
}

/* ---- tiles ---------------------------------------------------------------------------- */

/* Codes as numbers, less 8: of the low halves, of the high ones. */
VINLINE void take_codes(const char *p, VF *low, VF *high)
{
#if KERNEL_ISA == 2
    __m512i w = _mm512_cvtepu8_epi32(_mm_loadu_si128((const void *)p));
    __m512 table = _mm512_setr_ps(-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7);

    *low = (VF)_mm512_permutexvar_ps(w, table); /* by the lowest four bits */
    *high = (VF)_mm512_permutexvar_ps(_mm512_srli_epi32(w, 4), table);
#else
    VFI w;

#if KERNEL_ISA == 1
    w = (VFI)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)p));
#else
    for (int i = 0; i < VFL; i++)
        w[i] = (uint8_t)p[i];
#endif
    *low = __builtin_convertvector((w & 15) - 8, VF);
    *high = __builtin_convertvector((w >> 4) - 8, VF);
#endif
}

/* c[rows][COLS] = a strip times a panel. at_once: k whose sums do not wait for each other. */
VINLINE void tile_body(int rows, int at_once, const Product *p, const float *a, const char *b, float *c)
{
    int64_t scales = p->block * VFL;
    int shifts = p->block_bytes > scales + COLS * 4;

    for (int i = 0; i < rows * COLS; i++)
        c[i] = 0;
    for (int64_t n = 0; n < p->blocks; n++, b += p->block_bytes, a += (p->block + 1) * rows) {
        const float *scale = (const float *)(b + scales), *x = a;
        VF s[ROWS > STEP ? ROWS : STEP][2];

        _Pragma("GCC unroll 16") for (int i = 0; i < rows * at_once; i++) s[i][0] = s[i][1] = (VF){0};
        for (int64_t k = 0; k < p->block; k += at_once) {
            _Pragma("GCC unroll 4") for (int q = 0; q < at_once; q++)
            {
                VF low, high;

                __builtin_prefetch(b + (k + q) * VFL + 1024);
                take_codes(b + (k + q) * VFL, &low, &high);
                _Pragma("GCC unroll 16") for (int i = 0; i < rows; i++)
                {
                    VF y = vf_splat(x[q * rows + i]);

                    s[q * rows + i][0] += y * low;
                    s[q * rows + i][1] += y * high;
                }
            }
            x += at_once * rows;
        }
        _Pragma("GCC unroll 16") for (int i = 0; i < rows; i++)
            _Pragma("GCC unroll 2") for (int v = 0; v < 2; v++)
            {
                VF sum = s[i][v];

                _Pragma("GCC unroll 4") for (int q = 1; q < at_once; q++) sum += s[q * rows + i][v];
                sum = vf_load(c + i * COLS + v * VFL) + sum * vf_load(scale + v * VFL);
                if (shifts)
                    sum += vf_splat(x[i]) * vf_load(scale + COLS + v * VFL);
                vf_store(c + i * COLS + v * VFL, sum);
            }
    }
}

static void run_tile(int64_t rows, const Product *p, const float *a, const char *b, float *c)
{
    switch (rows) {
    case 1: tile_body(1, 4, p, a, b, c); break;
    case 2: tile_body(2, 2, p, a, b, c); break;
    case 4: tile_body(4, 1, p, a, b, c); break;
#if ROWS > 8
    case 8: tile_body(8, 1, p, a, b, c); break;
#endif
    default: tile_body(ROWS, 1, p, a, b, c);
    }
}

static void run_tiles(void *user, int task)
{
    Product *p = user;
    const KCodes *x = p->x;
    _Alignas(64) float c[ROWS * COLS];
    int64_t item;

    (void)task;
    while ((item = __atomic_fetch_add(&p->next, 1, __ATOMIC_RELAXED)) < p->panels * p->strips) {
        int64_t panel = item / p->strips, s = item % p->strips, cols = least(COLS, x->n - panel * COLS),
                rows = least(ROWS, x->m - s * ROWS);

        run_tile(strip_rows(rows), p, p->strip + s * p->strip_floats, p->packed + panel * p->panel_bytes, c);
        for (int64_t i = 0; i < rows; i++)
            memcpy(x->c + (s * ROWS + i) * x->n + panel * COLS, c + i * COLS, (size_t)cols * sizeof *c);
    }
}

static size_t codes_workspace(const KCodes *x)
{
    Product p;

    product_open(&p, x);
    return (size_t)(p.strips * p.strip_floats) * sizeof(float) + 64;
}

static void codes_run(const KCodes *x, const KPar *par, void *workspace)
{
    Product p;
    int threads = par && par->run ? par->threads : 1;

    product_open(&p, x);
    if (!x->m || !x->n)
        return;
    p.packed = (char *)(uintptr_t)x->packed;
    p.strip = workspace;
    run_tasks(par, p.strips, pack_strip, &p);
    run_tasks(par, least(threads, p.panels * p.strips), run_tiles, &p);
}

extern const KCodesTable KERNEL_NAME(codes_table);
const KCodesTable KERNEL_NAME(codes_table) = {codes_packed_size, codes_pack, codes_workspace, codes_run};
