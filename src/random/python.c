/* python.c -- Python's module random: the Mersenne twister, seeded with integers or text.
 *
 * An integer seed is the 32-bit words of its absolute value; text (and bytes) is the integer, high byte
 * first, of the text followed by its SHA-512 digest (FIPS 180-4). Bounded integers take the fewest bits
 * that can hold the bound, again until they are below it.
 */
#include "random/random.h"

#include <math.h>

#define TAU 6.283185307179586476925

/* ---- SHA-512 --------------------------------------------------------------------------------- */

/* Fractional parts of the cube roots of the first 80 primes. */
static const uint64_t sha_round[80] = {
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
    0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
    0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
    0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
    0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
    0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4,
    0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
    0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
    0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30,
    0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
    0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8,
    0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3,
    0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b,
    0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178,
    0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
    0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c,
    0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
};

/* Fractional parts of the square roots of the first 8. */
static const uint64_t sha_start[8] = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};

static uint64_t rotr(uint64_t x, int n) { return x >> n | x << (64 - n); }

static void sha_block(uint64_t h[8], const uint8_t *p)
{
    uint64_t w[80], v[8];

    for (int i = 0; i < 16; i++) {
        w[i] = 0;
        for (int j = 0; j < 8; j++)
            w[i] = w[i] << 8 | p[8 * i + j];
    }
    for (int i = 16; i < 80; i++) {
        uint64_t a = w[i - 15], b = w[i - 2];

        w[i] = w[i - 16] + (rotr(a, 1) ^ rotr(a, 8) ^ a >> 7) + w[i - 7] +
               (rotr(b, 19) ^ rotr(b, 61) ^ b >> 6);
    }
    memcpy(v, h, sizeof v);
    for (int i = 0; i < 80; i++) {
        uint64_t a = v[0], e = v[4], choose = (e & v[5]) ^ (~e & v[6]);
        uint64_t most = (a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]);
        uint64_t t = v[7] + (rotr(e, 14) ^ rotr(e, 18) ^ rotr(e, 41)) + choose +
                     sha_round[i] + w[i];

        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t;
        v[0] = t + (rotr(a, 28) ^ rotr(a, 34) ^ rotr(a, 39)) + most;
    }
    for (int i = 0; i < 8; i++)
        h[i] += v[i];
}

static void sha512(const char *s, size_t n, uint64_t h[8])
{
    uint8_t last[256] = {0};
    size_t whole = n / 128 * 128, rest = n - whole, room = rest < 112 ? 128 : 256;

    memcpy(h, sha_start, sizeof sha_start);
    for (size_t i = 0; i < whole; i += 128)
        sha_block(h, (const uint8_t *)s + i);
    memcpy(last, s + whole, rest);
    last[rest] = 0x80;
    for (size_t i = 0; i < 8; i++)
        last[room - 1 - i] = (uint8_t)((uint64_t)n * 8 >> 8 * i);
    for (size_t i = 0; i < room; i += 128)
        sha_block(h, last + i);
}

/* ---- seeding ----------------------------------------------------------------------------------- */

void python_seed_words(PythonRng *r, const uint32_t *words, size_t n)
{
    static const uint32_t zero = 0;

    while (n > 0 && words[n - 1] == 0)
        n--;
    r->has_gauss = false;
    r->gauss = 0;
    mt_seed_words(&r->mt, n ? words : &zero, n ? n : 1);
}

static void seed_u64(PythonRng *r, uint64_t x)
{
    python_seed_words(r, (uint32_t[]){(uint32_t)x, (uint32_t)(x >> 32)}, 2);
}

void python_seed_int(PythonRng *r, int64_t seed)
{
    seed_u64(r, seed < 0 ? 0 - (uint64_t)seed : (uint64_t)seed);
}

void python_seed_bytes(PythonRng *r, Arena *a, const char *s, size_t n)
{
    size_t total = n + 64, nwords = (total + 3) / 4;
    uint32_t *words = arena_array(a, nwords, sizeof *words);
    uint64_t h[8];

    sha512(s, n, h);
    memset(words, 0, nwords * sizeof *words);
    for (size_t i = 0; i < total; i++) {
        uint8_t byte =
            i < n ? (uint8_t)s[i] : (uint8_t)(h[(i - n) / 8] >> (56 - 8 * ((i - n) % 8)));
        size_t place = total - 1 - i;

        words[place / 4] |= (uint32_t)byte << 8 * (place % 4);
    }
    python_seed_words(r, words, nwords);
}

/* The hash of a float: its value modulo 2^61 - 1, where division is by inverse. Integral floats hash as
 * the integers they are. */
void python_seed_float(PythonRng *r, double x)
{
    const uint64_t prime = (UINT64_C(1) << 61) - 1;
    uint64_t hash = 0;
    int e;
    double m;

    if (isinf(x)) {
        seed_u64(r, x > 0 ? 314159 : 0 - UINT64_C(314159));
        return;
    }
    if (isnan(x)) { /* Python hashes the object's address; any fixed value will do */
        seed_u64(r, 0);
        return;
    }
    m = frexp(fabs(x), &e);
    while (m != 0) {
        hash = (hash << 28 & prime) | hash >> (61 - 28);
        m *= 268435456.0;
        e -= 28;
        uint64_t y = (uint64_t)m;
        m -= (double)y;
        hash += y;
        if (hash >= prime)
            hash -= prime;
    }
    e = e >= 0 ? e % 61 : 60 - (-1 - e) % 61;
    hash = (hash << e & prime) | (e ? hash >> (61 - e) : 0);
    if (x < 0) /* as bits of a negative number; -1 is no hash and becomes -2 */
        hash = 0 - (hash == 1 ? 2 : hash);
    seed_u64(r, hash);
}

/* ---- draws --------------------------------------------------------------------------------------- */

double python_random(PythonRng *r) { return mt_unit(&r->mt); }

uint64_t python_bits(PythonRng *r, int k)
{
    if (k <= 0)
        return 0;
    if (k <= 32)
        return mt_u32(&r->mt) >> (32 - k);
    uint64_t low = mt_u32(&r->mt);

    return low | (uint64_t)(mt_u32(&r->mt) >> (64 - k)) << 32;
}

uint64_t python_below(PythonRng *r, uint64_t n)
{
    int bits = 0;
    uint64_t x;

    if (n == 0)
        return 0;
    while (bits < 64 && n >> bits)
        bits++;
    do
        x = python_bits(r, bits);
    while (x >= n);
    return x;
}

int64_t python_randint(PythonRng *r, int64_t a, int64_t b)
{
    uint64_t n =
        (uint64_t)b - (uint64_t)a + 1; /* 0: all of 2^64, which need 65 bits in Python */
    uint64_t x;

    if (n)
        return (int64_t)((uint64_t)a + python_below(r, n));
    do
        x = python_bits(r, 64);
    while (mt_u32(&r->mt) >> 31);
    return (int64_t)((uint64_t)a + x);
}

int64_t python_randrange(PythonRng *r, int64_t start, int64_t stop, int64_t step)
{
    uint64_t width =
        step > 0 ? (uint64_t)stop - (uint64_t)start : (uint64_t)start - (uint64_t)stop;
    uint64_t size = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
    uint64_t n = width / size + (width % size != 0);

    return (int64_t)((uint64_t)start + (uint64_t)step * python_below(r, n));
}

double python_uniform(PythonRng *r, double a, double b)
{
    return a + (b - a) * mt_unit(&r->mt);
}

double python_triangular(PythonRng *r, double low, double high, double mode)
{
    double u = mt_unit(&r->mt), c;

    if (high == low)
        return low;
    c = (mode - low) / (high - low);
    if (u > c) {
        double t = low;

        u = 1.0 - u;
        c = 1.0 - c;
        low = high;
        high = t;
    }
    return low + (high - low) * sqrt(u * c);
}

double python_gauss(PythonRng *r, double mu, double sigma)
{
    double z = r->gauss;

    if (!r->has_gauss) {
        double angle = mt_unit(&r->mt) * TAU,
               radius = sqrt(-2.0 * log(1.0 - mt_unit(&r->mt)));

        z = cos(angle) * radius;
        r->gauss = sin(angle) * radius;
    }
    r->has_gauss = !r->has_gauss;
    return mu + z * sigma;
}

/* Kinderman and Monahan: the ratio of two uniforms. */
double python_normalvariate(PythonRng *r, double mu, double sigma)
{
    const double magic = 4 * exp(-0.5) / sqrt(2.0);
    double u, v, z;

    do {
        u = mt_unit(&r->mt);
        v = 1.0 - mt_unit(&r->mt);
        z = magic * (u - 0.5) / v;
    } while (z * z / 4.0 > -log(v));
    return mu + z * sigma;
}

double python_expovariate(PythonRng *r, double lambda)
{
    return -log(1.0 - mt_unit(&r->mt)) / lambda;
}

/* ---- sequences -------------------------------------------------------------------------------------- */

void python_shuffle(PythonRng *r, int64_t *out, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        out[i] = i;
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = (int64_t)python_below(r, (uint64_t)i + 1), t = out[i];

        out[i] = out[j];
        out[j] = t;
    }
}

/* From a pool that shrinks where the population is small, else by drawing until one is new: the choice,
 * and so the numbers, depend on what a set of k would cost in CPython. */
void python_sample(PythonRng *r, Arena *a, int64_t *out, int64_t k, int64_t n)
{
    int64_t set_size = 21;

    if (k > 5)
        set_size += (int64_t)pow(4, ceil(log((double)k * 3) / log(4)));
    if (n <= set_size) {
        int64_t *pool = arena_array(a, (size_t)n, sizeof *pool);

        for (int64_t i = 0; i < n; i++)
            pool[i] = i;
        for (int64_t i = 0; i < k; i++) {
            int64_t j = (int64_t)python_below(r, (uint64_t)(n - i));

            out[i] = pool[j];
            pool[j] = pool[n - i - 1];
        }
        return;
    }
    uint64_t mask = 1;

    while (mask < 2 * (uint64_t)k)
        mask = mask << 1;
    mask -= 1;
    int64_t *set = arena_array(a, (size_t)mask + 1, sizeof *set);

    for (uint64_t i = 0; i <= mask; i++)
        set[i] = -1;
    for (int64_t i = 0; i < k;) {
        int64_t j = (int64_t)python_below(r, (uint64_t)n);
        uint64_t at = hash_mix(0, (uint64_t)j) & mask;

        while (set[at] >= 0 && set[at] != j)
            at = (at + 1) & mask;
        if (set[at] < 0)
            set[at] = out[i++] = j;
    }
}

void python_choices(PythonRng *r, Arena *a, int64_t *out, int64_t k, int64_t n,
                    const double *weights)
{
    double *sums = weights ? arena_array(a, (size_t)n, sizeof *sums) : NULL, total = 0;

    for (int64_t i = 0; sums && i < n; i++)
        sums[i] = total += weights[i];
    for (int64_t i = 0; i < k; i++) {
        int64_t low = 0, high = n - 1;

        if (!sums) {
            out[i] = (int64_t)floor(mt_unit(&r->mt) * (double)n);
            continue;
        }
        double u = mt_unit(&r->mt) * total;

        while (low < high) {
            int64_t mid = low + (high - low) / 2;

            if (u < sums[mid])
                high = mid;
            else
                low = mid + 1;
        }
        out[i] = low;
    }
}
