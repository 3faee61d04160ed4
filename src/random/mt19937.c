/* mt19937.c -- the Mersenne twister.
 *
 * Matsumoto and Nishimura, "Mersenne Twister: A 623-dimensionally equidistributed uniform
 * pseudorandom number generator" (1998), with the seeding of 2002. 624 words of state:
 *
 *   s[i+624] = s[i+397] ^ twist(top bit of s[i], low 31 bits of s[i+1])
 *
 * computed for all 624 at once, in place; a tempering of each word is what is given out.
 */
#include "random/random.h"

#define MT_SHIFT 397

void mt_seed(Mt19937 *m, uint32_t seed)
{
    m->s[0] = seed;
    for (uint32_t i = 1; i < MT_WORDS; i++)
        m->s[i] = 1812433253u * (m->s[i - 1] ^ m->s[i - 1] >> 30) + i;
    m->at = MT_WORDS;
}

/* Two passes over the state, one that mixes the words of the key in and one that spreads them. */
void mt_seed_words(Mt19937 *m, const uint32_t *key, size_t n)
{
    uint32_t *s = m->s, i = 1;
    size_t j = 0, turns = n > MT_WORDS ? n : MT_WORDS;

    mt_seed(m, 19650218u);
    for (; turns > 0; turns--) {
        s[i] = (s[i] ^ (s[i - 1] ^ s[i - 1] >> 30) * 1664525u) + key[j] + (uint32_t)j;
        if (++i == MT_WORDS) {
            s[0] = s[MT_WORDS - 1];
            i = 1;
        }
        j = j + 1 == n ? 0 : j + 1;
    }
    for (turns = MT_WORDS - 1; turns > 0; turns--) {
        s[i] = (s[i] ^ (s[i - 1] ^ s[i - 1] >> 30) * 1566083941u) - i;
        if (++i == MT_WORDS) {
            s[0] = s[MT_WORDS - 1];
            i = 1;
        }
    }
    s[0] = 0x80000000u;
}

INLINE uint32_t twist(uint32_t high, uint32_t low)
{
    uint32_t y = (high & 0x80000000u) | (low & 0x7fffffffu);

    return y >> 1 ^ (-(y & 1) & 0x9908b0dfu);
}

INLINE void refill_words(uint32_t *s)
{
    uint32_t i;

    for (i = 0; i < MT_WORDS - MT_SHIFT; i++)
        s[i] = s[i + MT_SHIFT] ^ twist(s[i], s[i + 1]);
    for (; i < MT_WORDS - 1; i++)
        s[i] = s[i - (MT_WORDS - MT_SHIFT)] ^ twist(s[i], s[i + 1]);
    s[i] = s[MT_SHIFT - 1] ^ twist(s[i], s[0]);
}

INLINE uint32_t temper(uint32_t y)
{
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

INLINE void temper_words(uint32_t *restrict out, const uint32_t *restrict s, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        out[i] = temper(s[i]);
}

/* The same with vectors of eight words, where the machine has them. */
#if defined(__x86_64__)
VECTORS __attribute__((target("avx2"))) static void refill_avx2(uint32_t *s) { refill_words(s); }

VECTORS __attribute__((target("avx2"))) static void temper_avx2(uint32_t *restrict out, const uint32_t *restrict s, int64_t n)
{
    temper_words(out, s, n);
}
#else
#define refill_avx2 refill_words
#define temper_avx2 temper_words
#endif

static void refill(Mt19937 *m)
{
    if (has_avx2())
        refill_avx2(m->s);
    else
        refill_words(m->s);
    m->at = 0;
}

uint32_t mt_u32(Mt19937 *m)
{
    if (m->at >= MT_WORDS)
        refill(m);
    return temper(m->s[m->at++]);
}

void mt_fill(Mt19937 *m, uint32_t *out, int64_t n)
{
    while (n > 0) {
        int64_t k;

        if (m->at >= MT_WORDS)
            refill(m);
        k = MIN(n, (int64_t)(MT_WORDS - m->at));
        if (has_avx2())
            temper_avx2(out, m->s + m->at, k);
        else
            temper_words(out, m->s + m->at, k);
        m->at += (uint32_t)k;
        out += k;
        n -= k;
    }
}

uint64_t mt_u64(Mt19937 *m)
{
    uint64_t high = mt_u32(m);

    return high << 32 | mt_u32(m);
}

double mt_unit(Mt19937 *m)
{
    uint32_t a = mt_u32(m) >> 5, b = mt_u32(m) >> 6;

    return ((double)a * 0x1p26 + (double)b) * 0x1p-53;
}
