/* gguf_blocks.c -- blocks of GGUF's types of 1 to 3 bits: 256 elements each, by rows of code books, or in base 3.
 *
 * IQ2, IQ3: groups of 8 elements are a row of a book (or two rows of 4), with a sign for each. Where signs are 7 bits, the
 * eighth makes their number even. IQ1: rows of -1, 0, 1, moved up or down by an eighth. All products are in the order of
 * ggml's own, so the bits are the same.
 */
#include "io/gguf_books.h"
#include "io/io.h"

typedef const uint8_t *Block;

static float half_of(uint32_t bits) { return f16_to_f32((uint16_t)bits); }
static uint32_t u16_at(Block b) { return (uint32_t)b[0] | (uint32_t)b[1] << 8; }
static uint32_t u32_at(Block b) { return u16_at(b) | u16_at(b + 2) << 16; }

/* 7 signs, and the eighth. */
static uint32_t even_signs(uint32_t s)
{
    uint32_t n = s;

    n ^= n >> 4;
    n ^= n >> 2;
    n ^= n >> 1;
    return s | (n & 1) << 7;
}

/* y[i] = d * entry i of the row, negative by sign i */
static void put_eight(float d, uint32_t row, uint32_t signs, float *y)
{
    static const float entry[4] = {8, 25, 43, 0};

    for (int i = 0; i < 8; i++)
        y[i] = d * entry[row >> 2 * i & 3] * (signs >> i & 1 ? -1.0f : 1.0f);
}

static void put_four(float d, const uint8_t *entry, uint32_t row, uint32_t signs, float *y)
{
    for (int i = 0; i < 4; i++)
        y[i] = d * (float)entry[row >> 4 * i & 7] * (signs >> i & 1 ? -1.0f : 1.0f);
}

/* f16, then for each 32 elements 4 rows of a byte, 4 times 7 signs and a scale of 4 bits */
void gguf_unpack_iq2_xxs(Block b, float *y)
{
    float d = half_of(u16_at(b));

    b += 2;
    for (int k = 0; k < 8; k++, b += 8) {
        uint32_t s = u32_at(b + 4);
        float scale = d * (0.5f + (float)(s >> 28)) * 0.25f;

        for (int j = 0; j < 4; j++, y += 8)
            put_eight(scale, book_iq2_xxs[b[j]], even_signs(s >> 7 * j & 127), y);
    }
}

/* f16, 32 times a row of 9 bits and 7 signs, 16 scales of 4 bits */
void gguf_unpack_iq2_xs(Block b, float *y)
{
    float d = half_of(u16_at(b));
    Block scales = b + 66;

    for (int k = 0; k < 32; k++, y += 8) {
        uint32_t q = u16_at(b + 2 + 2 * k);
        float scale = d * (0.5f + (float)(scales[k / 4] >> k / 2 % 2 * 4 & 15)) * 0.25f;

        put_eight(scale, book_iq2_xs[q & 511], even_signs(q >> 9), y);
    }
}

/* f16, 32 rows' low bytes, 32 times 8 signs, 2 high bits of each row, 16 scales of 4 bits */
void gguf_unpack_iq2_s(Block b, float *y)
{
    float d = half_of(u16_at(b));
    Block low = b + 2, signs = b + 34, high = b + 66, scales = b + 74;

    for (int k = 0; k < 32; k++, y += 8) {
        uint32_t row = low[k] | (uint32_t)(high[k / 4] >> k % 4 * 2 & 3) << 8;
        float scale = d * (0.5f + (float)(scales[k / 4] >> k / 2 % 2 * 4 & 15)) * 0.25f;

        put_eight(scale, book_iq2_s[row], signs[k], y);
    }
}

/* f16, 64 rows of a byte, then for each 32 elements 4 times 7 signs and a scale */
void gguf_unpack_iq3_xxs(Block b, float *y)
{
    static const uint8_t entry[8] = {4, 12, 20, 28, 36, 44, 52, 62};
    float d = half_of(u16_at(b));
    Block rows = b + 2;

    for (int k = 0; k < 32; k++, y += 8) {
        uint32_t s = u32_at(b + 66 + k / 4 * 4), signs = even_signs(s >> k % 4 * 7 & 127);
        float scale = d * (0.5f + (float)(s >> 28)) * 0.5f;

        put_four(scale, entry, book_iq3_xxs[rows[2 * k]], signs, y);
        put_four(scale, entry, book_iq3_xxs[rows[2 * k + 1]], signs >> 4, y + 4);
    }
}

/* f16, 64 rows' low bytes, a high bit of each, 32 times 8 signs, 8 scales of 4 bits */
void gguf_unpack_iq3_s(Block b, float *y)
{
    static const uint8_t entry[8] = {1, 3, 5, 7, 9, 11, 13, 15};
    float d = half_of(u16_at(b));
    Block low = b + 2, high = b + 66, signs = b + 74, scales = b + 106;

    for (int k = 0; k < 64; k++, y += 4) {
        uint32_t row = low[k] | (uint32_t)(high[k / 8] >> k % 8 & 1) << 8;
        float scale = d * (float)(1 + 2 * (scales[k / 16] >> k / 8 % 2 * 4 & 15));

        put_four(scale, entry, book_iq3_s[row], (uint32_t)signs[k / 2] >> k % 2 * 4, y);
    }
}

/* y[i] = d * (entry i of the row, -1 to 1, + moved) */
static void put_ones(float d, uint32_t row, float moved, float *y)
{
    for (int i = 0; i < 8; i++)
        y[i] = d * ((float)((int)(row >> 2 * i & 3) - 1) + moved);
}

/* f16, 32 rows' low bytes, then for each 32 elements 3 high bits of 4 rows, a scale of 3 bits and the direction */
void gguf_unpack_iq1_s(Block b, float *y)
{
    float d = half_of(u16_at(b));

    for (int k = 0; k < 32; k++, y += 8) {
        uint32_t h = u16_at(b + 34 + k / 4 * 2), row = b[2 + k] | (h >> k % 4 * 3 & 7) << 8;

        put_ones(d * (float)(2 * (h >> 12 & 7) + 1), book_iq1_s[row], h >> 15 ? -0.125f : 0.125f, y);
    }
}

/* 32 rows' low bytes, for each 3 high bits and the direction, then 4 times 4 scales of 3 bits and a quarter of an f16 */
void gguf_unpack_iq1_m(Block b, float *y)
{
    Block scales = b + 48;
    float d = half_of(u16_at(scales) >> 12 | (u16_at(scales + 2) >> 12) << 4 | (u16_at(scales + 4) >> 12) << 8 |
                      (u16_at(scales + 6) >> 12) << 12);

    for (int k = 0; k < 32; k++, y += 8) {
        uint32_t h = (uint32_t)b[32 + k / 2] >> k % 2 * 4 & 15, row = b[k] | (h & 7) << 8;
        float scale = d * (float)(2 * (u16_at(scales + k / 8 * 2) >> k / 2 % 4 * 3 & 7) + 1);

        put_ones(scale, book_iq1_s[row], h & 8 ? -0.125f : 0.125f, y);
    }
}

/* Digit k of a byte that holds five of base 3 as a fraction of 256, less 1. */
static float digit(uint8_t q, int k)
{
    static const uint8_t power[5] = {1, 3, 9, 27, 81};

    return (float)((uint8_t)(q * power[k]) * 3 >> 8) - 1;
}

/* 32 bytes of five digits, 16 of five, 4 of four, f16; digits of a place stand side by side */
void gguf_unpack_tq1_0(Block b, float *y)
{
    float d = half_of(u16_at(b + 52));

    for (int i = 0; i < 160; i++)
        y[i] = d * digit(b[i % 32], i / 32);
    for (int i = 0; i < 80; i++)
        y[160 + i] = d * digit(b[32 + i % 16], i / 16);
    for (int i = 0; i < 16; i++)
        y[240 + i] = d * digit(b[48 + i % 4], i / 4);
}
