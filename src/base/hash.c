/* hash.c -- a streaming 128-bit content hash.
 *
 * MurmurHash3 for 64-bit machines (Appleby, public domain).
 *
 * The same on every machine: bytes are read in little-endian order whatever the machine's
 * is. Good for finding equal things, no defence against somebody who makes collisions:
 * whoever relies on equality compares what was found.
 */
#include "base.h"

#define K1 0x87c37b91114253d5u
#define K2 0x4cf5ad432745937fu

static uint64_t rotl(uint64_t x, int k)
{
    return x << k | x >> (64 - k);
}

static uint64_t read_le(const uint8_t *p)
{
    return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 |
           (uint64_t)p[3] << 24 | (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 |
           (uint64_t)p[6] << 48 | (uint64_t)p[7] << 56;
}

static uint64_t scramble_lo(uint64_t x)
{
    return rotl(x * K1, 31) * K2;
}

static uint64_t scramble_hi(uint64_t x)
{
    return rotl(x * K2, 33) * K1;
}

static void mix_block(Hasher *h, const uint8_t *p)
{
    h->a = rotl(h->a ^ scramble_lo(read_le(p)), 27) + h->b;
    h->a = h->a * 5 + 0x52dce729;
    h->b = rotl(h->b ^ scramble_hi(read_le(p + 8)), 31) + h->a;
    h->b = h->b * 5 + 0x38495ab5;
}

void hash_init(Hasher *h, uint64_t seed)
{
    *h = (Hasher){.a = seed, .b = seed};
}

void hash_bytes(Hasher *h, const void *data, size_t n)
{
    const uint8_t *p = data;
    size_t have = h->n & 15, k;

    h->n += n;
    if (have) {
        k = MIN(n, 16 - have);
        memcpy(h->tail + have, p, k);
        if (have + k < 16)
            return;
        mix_block(h, h->tail);
        p += k;
        n -= k;
    }
    for (; n >= 16; p += 16, n -= 16)
        mix_block(h, p);
    if (n)
        memcpy(h->tail, p, n);
}

void hash_u64(Hasher *h, uint64_t v)
{
    uint8_t p[8];
    int i;

    for (i = 0; i < 8; i++)
        p[i] = (uint8_t)(v >> 8 * i);
    if (h->n & 7) {
        hash_bytes(h, p, 8);
        return;
    }
    memcpy(h->tail + (h->n & 8), p, 8);
    h->n += 8;
    if ((h->n & 8) == 0)
        mix_block(h, h->tail);
}

/* Every bit of x changes every bit of the result with probability near one half. */
static uint64_t avalanche(uint64_t x)
{
    x = (x ^ x >> 33) * 0xff51afd7ed558ccdu;
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53u;
    return x ^ x >> 33;
}

/* The hash of all bytes so far; the hasher is left as it was. */
Hash hash_done(Hasher *h)
{
    uint64_t a = h->a, b = h->b;
    size_t have = h->n & 15;
    uint8_t t[16] = {0};

    memcpy(t, h->tail, have);
    if (have > 8)
        b ^= scramble_hi(read_le(t + 8));
    if (have > 0)
        a ^= scramble_lo(read_le(t));
    a ^= h->n;
    b ^= h->n;
    a += b;
    b += a;
    a = avalanche(a);
    b = avalanche(b);
    a += b;
    b += a;
    return (Hash){a, b};
}

/* ---- the checksum of zip and gzip ----------------------------------------------------- */

static uint32_t crc_of_byte(uint32_t c)
{
    for (int k = 0; k < 8; k++)
        c = c >> 1 ^ (0xEDB88320u & (0 - (c & 1)));
    return c;
}

/* Four bytes at a time where there are many: tables[k][b] is the checksum of b and k zeros behind it. */
uint32_t crc32_add(uint32_t crc, const void *data, size_t n)
{
    const uint8_t *p = data;
    uint32_t tables[4][256], c = ~crc;

    if (n >= 1024) {
        for (uint32_t b = 0; b < 256; b++)
            tables[0][b] = crc_of_byte(b);
        for (uint32_t b = 0; b < 256; b++)
            for (int k = 1; k < 4; k++)
                tables[k][b] = tables[k - 1][b] >> 8 ^ tables[0][tables[k - 1][b] & 255];
        for (; n >= 4; n -= 4, p += 4) {
            c ^= (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
            c = tables[3][c & 255] ^ tables[2][c >> 8 & 255] ^ tables[1][c >> 16 & 255] ^ tables[0][c >> 24];
        }
    }
    for (; n; n--)
        c = crc_of_byte(c ^ *p++);
    return ~c;
}
