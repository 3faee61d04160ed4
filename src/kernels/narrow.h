/* narrow.h -- sums of products of small integers: groups, tiles, and lines packed for them.
 *
 * What is summed lies in groups of 32 bits: four integers of 8 bits where the machine multiplies u8 by i8 and adds
 * four products in one instruction (VNNI), else two of 16, for which every machine has one. A tile
 * is up to ROWS rows, whose groups are spread, by one or two vectors of columns. All is exact modulo 2^32, so nothing
 * depends on how the work is cut.
 *
 * Four at once want one side unsigned and the other signed. A side that is not is moved by 128:
 *   sum a b = sum (a + p)(b - q) + q sum a - p sum b + k p q       p, q: 128 or 0
 */
#ifndef WEFT_KERNEL_NARROW_H
#define WEFT_KERNEL_NARROW_H

#include "stage.h"
#include "vec.h"

#if KERNEL_ISA == 2
#define ROWS 12
#else
#define ROWS 6
#endif
#define COLS (2 * VFL)
#define THIN 4 /* columns that are summed along the rows */

static int has_quads(void)
{
#if KERNEL_ISA == 2
    return __builtin_cpu_supports("avx512vnni") != 0;
#else
    return 0;
#endif
}

/* ---- tiles ------------------------------------------------------------------------- */

typedef int32_t Loose __attribute__((vector_size(VEC_BYTES), aligned(4), may_alias)); /* anywhere in memory */

/* c[rows][vecs vectors] = sum over groups of a[group][row] * b[group][column]; step: from group to group of b. */
#define TILE_KIND(kind, TARGET, ADD)                                                                                 \
    TARGET VINLINE void kind##_body(int rows, int vecs, const int32_t *a, const int32_t *b, int64_t step,            \
                                    int64_t groups, int32_t *c, int64_t ld)                                          \
    {                                                                                                                \
        VFI s[ROWS][2];                                                                                              \
                                                                                                                     \
        _Pragma("GCC unroll 16") for (int i = 0; i < rows; i++) s[i][0] = s[i][1] = (VFI){0};                        \
        for (int64_t g = 0; g < groups; g++, a += ROWS, b += step) {                                                 \
            VFI x0 = *(const Loose *)b, x1 = *(const Loose *)(b + (vecs == 2 ? VFL : 0));                            \
            __builtin_prefetch(a + 40 * ROWS);                                                                       \
                                                                                                                     \
            _Pragma("GCC unroll 16") for (int i = 0; i < rows; i++)                                                  \
            {                                                                                                        \
                VFI y = (VFI){0} + a[i];                                                                             \
                                                                                                                     \
                s[i][0] = ADD(s[i][0], y, x0);                                                                       \
                if (vecs == 2)                                                                                       \
                    s[i][1] = ADD(s[i][1], y, x1);                                                                   \
            }                                                                                                        \
        }                                                                                                            \
        _Pragma("GCC unroll 16") for (int i = 0; i < rows; i++)                                                      \
        {                                                                                                            \
            *(Loose *)(c + i * ld) = s[i][0];                                                                        \
            if (vecs == 2)                                                                                           \
                *(Loose *)(c + i * ld + VFL) = s[i][1];                                                              \
        }                                                                                                            \
    }                                                                                                                \
    TARGET static void kind##_tile(int64_t rows, int vecs, const int32_t *a, const int32_t *b, int64_t step,         \
                                   int64_t groups, int32_t *c, int64_t ld)                                           \
    {                                                                                                                \
        if (vecs == 2)                                                                                               \
            rows <= 1   ? kind##_body(1, 2, a, b, step, groups, c, ld)                                               \
            : rows <= 2 ? kind##_body(2, 2, a, b, step, groups, c, ld)                                               \
            : rows <= 4 ? kind##_body(4, 2, a, b, step, groups, c, ld)                                               \
            : rows <= 6 ? kind##_body(6, 2, a, b, step, groups, c, ld)                                               \
            : rows <= 8 && ROWS > 8 ? kind##_body(ROWS < 8 ? ROWS : 8, 2, a, b, step, groups, c, ld)                 \
                        : kind##_body(ROWS, 2, a, b, step, groups, c, ld);                                           \
        else                                                                                                         \
            rows <= 1   ? kind##_body(1, 1, a, b, step, groups, c, ld)                                               \
            : rows <= 4 ? kind##_body(4, 1, a, b, step, groups, c, ld)                                               \
                        : kind##_body(ROWS, 1, a, b, step, groups, c, ld);                                           \
    }                                                                                                                \
    /* Up to THIN columns, for which vectors of columns would stay empty: vectors of rows. Of one column THIN groups at a\
     * time, as no sum can wait for the one before it. */                                                            \
    TARGET static void kind##_thin(int64_t cols, const int32_t *a, const int32_t *b, int64_t step, int64_t groups,   \
                                   int32_t *c, int64_t ld)                                                           \
    {                                                                                                                \
        VFI s[THIN][(ROWS + VFL - 1) / VFL] = {{{0}}};                                                               \
        int64_t at_once = cols == 1 ? THIN : 1, next_a = cols == 1 ? ROWS : 0, next_b = cols == 1 ? step : 1, g = 0; \
                                                                                                                     \
        for (; g + at_once <= groups; g += at_once, a += at_once * ROWS, b += at_once * step)                        \
            _Pragma("GCC unroll 4") for (int j = 0; j < THIN; j++)                                                   \
            {                                                                                                        \
                VFI x = (VFI){0} + b[j * next_b];                                                                    \
                                                                                                                     \
                _Pragma("GCC unroll 4") for (int v = 0; v * VFL < ROWS; v++)                                         \
                    s[j][v] = ADD(s[j][v], *(const Loose *)(a + j * next_a + v * VFL), x);                           \
            }                                                                                                        \
        for (; g < groups; g++, a += ROWS, b += step)                                                                \
            _Pragma("GCC unroll 4") for (int v = 0; v * VFL < ROWS; v++)                                             \
                s[0][v] = ADD(s[0][v], *(const Loose *)(a + v * VFL), (VFI){0} + *b);                                \
        for (int v = 0; v * VFL < ROWS && cols == 1; v++)                                                            \
            s[0][v] = (VFI)((VFU)s[0][v] + (VFU)s[1][v] + (VFU)s[2][v] + (VFU)s[3][v]);                              \
        for (int64_t j = 0; j < cols; j++)                                                                           \
            for (int i = 0; i < ROWS; i++)                                                                           \
                c[i * ld + j] = s[j][i / VFL][i % VFL];                                                              \
    }

VINLINE VFI add_pairs(VFI s, VFI a, VFI b)
{
#if KERNEL_ISA == 2
    return (VFI)((VFU)s + (VFU)_mm512_madd_epi16((__m512i)a, (__m512i)b));
#elif KERNEL_ISA == 1
    return (VFI)((VFU)s + (VFU)_mm256_madd_epi16((__m256i)a, (__m256i)b));
#elif defined(__SSE2__)
    return (VFI)((VFU)s + (VFU)_mm_madd_epi16((__m128i)a, (__m128i)b));
#else
    return (VFI)((VFU)s + (VFU)(((VFI)((VFU)a << 16) >> 16) * ((VFI)((VFU)b << 16) >> 16)) + (VFU)((a >> 16) * (b >> 16)));
#endif
}

TILE_KIND(pairs, , add_pairs)

#if KERNEL_ISA == 2
#define VNNI __attribute__((target("avx512vnni")))
#define ADD_PAIRS(s, a, b)  (VFI)_mm512_dpwssd_epi32((__m512i)(s), (__m512i)(a), (__m512i)(b))
#define ADD_QUADS(s, a, b)  (VFI)_mm512_dpbusd_epi32((__m512i)(s), (__m512i)(a), (__m512i)(b))
#define ADD_TURNED(s, a, b) (VFI)_mm512_dpbusd_epi32((__m512i)(s), (__m512i)(b), (__m512i)(a))
TILE_KIND(fast_pairs, VNNI, ADD_PAIRS)
TILE_KIND(quads, VNNI, ADD_QUADS)         /* rows unsigned, columns signed */
TILE_KIND(turned_quads, VNNI, ADD_TURNED) /* rows signed, columns unsigned */
#endif

typedef void Tile(int64_t rows, int vecs, const int32_t *a, const int32_t *b, int64_t step, int64_t groups, int32_t *c,
                  int64_t ld);

typedef void Thin(int64_t cols, const int32_t *a, const int32_t *b, int64_t step, int64_t groups, int32_t *c, int64_t ld);

typedef struct Tiles {
    Tile *tile;
    Thin *thin; /* reads whole vectors of the last group's rows, which may go past them by less than ROWS */
} Tiles;

static Tiles tiles_of(int per, int turned)
{
#if KERNEL_ISA == 2
    if (has_quads())
        return per == 2 ? (Tiles){fast_pairs_tile, fast_pairs_thin}
               : turned ? (Tiles){turned_quads_tile, turned_quads_thin}
                        : (Tiles){quads_tile, quads_thin};
#endif
    (void)per;
    (void)turned;
    return (Tiles){pairs_tile, pairs_thin};
}

/* A strip of rows by up to COLS columns. */
static void run_tile(const Tiles *t, int64_t rows, int64_t cols, const int32_t *a, const int32_t *b, int64_t step,
                     int64_t groups, int32_t *c, int64_t ld)
{
    int64_t rest = cols % VFL, whole = rest && rest <= THIN && rows > THIN ? cols - rest : cols;

    if (whole > 0)
        t->tile(rows, whole > VFL ? 2 : 1, a, b, step, groups, c, ld);
    if (whole < cols)
        t->thin(rest, a, b + whole, step, groups, c + whole, ld);
}

/* ---- lines ------------------------------------------------------------------------- */

/* PackLines of elements that are summed: rows of the left operand, columns of the right one, filters. */
typedef struct PackLines {
    const void *p;
    KType type;         /* u8, i8, i16 */
    int64_t line, step; /* strides of lines, and along them, in elements */
    int64_t k;          /* elements of a line */
    int per;            /* elements of a group */
    int moved;          /* each of 4 in a group is moved by 128 */
} PackLines;

static int64_t groups_of(const PackLines *s) { return ceil_quotient(s->k, s->per); }

VINLINE int32_t element(KType type, const void *p, int64_t i)
{
    return type == KT_U8 ? ((const uint8_t *)p)[i] : type == KT_I8 ? ((const int8_t *)p)[i] : ((const int16_t *)p)[i];
}

/* The sum of a line, modulo 2^32. */
static uint32_t line_sum(const PackLines *s, int64_t line)
{
    uint32_t sum = 0;

    for (int64_t i = 0; i < s->k; i++)
        sum += (uint32_t)element(s->type, s->p, line * s->line + i * s->step);
    return sum;
}

/* Elements of up to `per` places as one group. */
VINLINE uint32_t group_at(const PackLines *s, int64_t at, int64_t n)
{
    int bits = 32 / s->per;
    uint32_t mask = bits == 8 ? 0xff : 0xffff, flip = s->moved ? 0x80 : 0, g = 0;

    for (int64_t e = 0; e < n; e++)
        g |= (((uint32_t)element(s->type, s->p, at + e * s->step) & mask) ^ flip) << (e * bits);
    return g;
}

/* Four rows of bytes, one behind the other in every group. */
VINLINE void zip_bytes(const uint8_t *p, int64_t row, int64_t n, uint32_t flip, int32_t *to)
{
    const uint8_t *q = p + row, *r = q + row, *t = r + row;
    int64_t i = 0;

#if KERNEL_ISA == 2
    for (; n - i > 16; i += 64) {
        __mmask64 m = n - i >= 64 ? ~(__mmask64)0 : ((__mmask64)1 << (n - i)) - 1;
        __m512i a = _mm512_maskz_loadu_epi8(m, p + i), b = _mm512_maskz_loadu_epi8(m, q + i),
                c = _mm512_maskz_loadu_epi8(m, r + i), d = _mm512_maskz_loadu_epi8(m, t + i),
                f = _mm512_set1_epi32((int)flip), ab = _mm512_unpacklo_epi8(a, b), cd = _mm512_unpacklo_epi8(c, d),
                v[4];

        v[0] = _mm512_unpacklo_epi16(ab, cd);
        v[1] = _mm512_unpackhi_epi16(ab, cd);
        ab = _mm512_unpackhi_epi8(a, b), cd = _mm512_unpackhi_epi8(c, d);
        v[2] = _mm512_unpacklo_epi16(ab, cd);
        v[3] = _mm512_unpackhi_epi16(ab, cd);
        /* v[j] has groups 4 j .. 4 j + 3 of every sixteen: a square of quarters to turn */
        a = _mm512_shuffle_i32x4(v[0], v[1], 0x88), b = _mm512_shuffle_i32x4(v[2], v[3], 0x88);
        c = _mm512_shuffle_i32x4(v[0], v[1], 0xdd), d = _mm512_shuffle_i32x4(v[2], v[3], 0xdd);
        v[0] = _mm512_shuffle_i32x4(a, b, 0x88), v[2] = _mm512_shuffle_i32x4(a, b, 0xdd);
        v[1] = _mm512_shuffle_i32x4(c, d, 0x88), v[3] = _mm512_shuffle_i32x4(c, d, 0xdd);
        _Pragma("GCC unroll 4") for (int j = 0; j < 4; j++)
            _mm512_mask_storeu_epi32(to + i + 16 * j, (__mmask16)(m >> (16 * j)), _mm512_xor_si512(v[j], f));
    }
    for (; i < n; i += 16) {
        __mmask16 m = (__mmask16)(n - i >= 16 ? 0xffff : (1 << (n - i)) - 1);
#define BYTES_AT(p) _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(m, (p) + i))
        __m512i v = BYTES_AT(p), w = BYTES_AT(q), x = BYTES_AT(r), y = BYTES_AT(t);
#undef BYTES_AT

        v = _mm512_or_si512(_mm512_or_si512(v, _mm512_slli_epi32(w, 8)),
                            _mm512_or_si512(_mm512_slli_epi32(x, 16), _mm512_slli_epi32(y, 24)));
        _mm512_mask_storeu_epi32(to + i, m, _mm512_xor_si512(v, _mm512_set1_epi32((int)flip)));
    }
#elif defined(__SSE2__)
    for (; i + 16 <= n; i += 16) {
        __m128i a = _mm_loadu_si128((const void *)(p + i)), b = _mm_loadu_si128((const void *)(q + i)),
                c = _mm_loadu_si128((const void *)(r + i)), d = _mm_loadu_si128((const void *)(t + i)),
                ab = _mm_unpacklo_epi8(a, b), cd = _mm_unpacklo_epi8(c, d), f = _mm_set1_epi32((int)flip);

        _mm_storeu_si128((void *)(to + i), _mm_xor_si128(_mm_unpacklo_epi16(ab, cd), f));
        _mm_storeu_si128((void *)(to + i + 4), _mm_xor_si128(_mm_unpackhi_epi16(ab, cd), f));
        ab = _mm_unpackhi_epi8(a, b), cd = _mm_unpackhi_epi8(c, d);
        _mm_storeu_si128((void *)(to + i + 8), _mm_xor_si128(_mm_unpacklo_epi16(ab, cd), f));
        _mm_storeu_si128((void *)(to + i + 12), _mm_xor_si128(_mm_unpackhi_epi16(ab, cd), f));
    }
#endif
    for (; i < n; i++)
        to[i] = (int32_t)((p[i] | (uint32_t)q[i] << 8 | (uint32_t)r[i] << 16 | (uint32_t)t[i] << 24) ^ flip);
}

/* n lines from `first` on as groups side by side: to[group * width + line]; the rest of width is 0. */
static void pack_lines(const PackLines *s, int64_t first, int64_t n, int width, int32_t *to)
{
    int64_t groups = groups_of(s);
    uint32_t flip = s->moved ? 0x80808080u : 0;
    int bytes = s->per == 4;

    for (int64_t g = 0; g < groups; g++, to += width) {
        int64_t at = first * s->line + g * s->per * s->step, have = least(s->per, s->k - g * s->per);

        if (bytes && have == 4 && s->step == 1) {
            for (int64_t i = 0; i < n; i++) {
                uint32_t v;

                memcpy(&v, (const uint8_t *)s->p + at + i * s->line, 4);
                to[i] = (int32_t)(v ^ flip);
            }
        } else if (bytes && have == 4 && s->line == 1) {
            zip_bytes((const uint8_t *)s->p + at, s->step, n, flip, to);
        } else {
            for (int64_t i = 0; i < n; i++)
                to[i] = (int32_t)group_at(s, at + i * s->line, have);
        }
        for (int64_t i = n; i < width; i++)
            to[i] = 0;
    }
}

/* ---- tasks ------------------------------------------------------------------------- */

static size_t whole_lines(size_t bytes) { return (bytes + 63) & ~(size_t)63; }

static void *line_start(void *p) { return (void *)(((uintptr_t)p + 63) & ~(uintptr_t)63); }

#endif
