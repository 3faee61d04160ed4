/* k_map_int.c -- elementwise loops and sums of integers, and random bits. Of AVX-512 random bits alone gain, which are of u32:
 * see isas.h for the others. */
#include "vec.h"

/* ---- random bits ------------------------------------------------------------------- */

/* Threefry-2x32: 20 rounds of add, rotate, xor; key words after every four. */
static void loop_threefry(int64_t n, const void *const *in, void *const *out)
{
    static const int rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
    const uint32_t *k0 = in[0], *k1 = in[1], *c0 = in[2], *c1 = in[3];
    uint32_t *o0 = out[0], *o1 = out[1];

    EACH_ALONE
    for (int64_t i = 0; i < n; i++) {
        uint32_t key[3] = {k0[i], k1[i], k0[i] ^ k1[i] ^ 0x1BD11BDA};
        uint32_t a = c0[i] + key[0], c = c1[i] + key[1];

#pragma GCC unroll 5
        for (uint32_t group = 0; group < 5; group++) {
#pragma GCC unroll 4
            for (int r = 0; r < 4; r++) {
                int s = rotations[group % 2][r];

                a += c;
                c = (c << s | c >> (32 - s)) ^ a;
            }
            a += key[(group + 1) % 3];
            c += key[(group + 2) % 3] + group + 1;
        }
        o0[i] = a;
        o1[i] = c;
    }
}

/* Philox-4x32: 10 rounds of two 64-bit products; the key grows by constants. */
static void loop_philox(int64_t n, const void *const *in, void *const *out)
{
    const uint32_t *k0 = in[0], *k1 = in[1], *c0 = in[2], *c1 = in[3], *c2 = in[4],
                   *c3 = in[5];
    uint32_t *o0 = out[0], *o1 = out[1], *o2 = out[2], *o3 = out[3];

    EACH_ALONE
    for (int64_t i = 0; i < n; i++) {
        uint32_t a = c0[i], b = c1[i], c = c2[i], d = c3[i], key0 = k0[i], key1 = k1[i];

#pragma GCC unroll 10
        for (int round = 0; round < 10; round++) {
            uint64_t p = (uint64_t)0xD2511F53 * a, q = (uint64_t)0xCD9E8D57 * c;

            a = (uint32_t)(q >> 32) ^ b ^ key0;
            b = (uint32_t)q;
            c = (uint32_t)(p >> 32) ^ d ^ key1;
            d = (uint32_t)p;
            key0 += 0x9E3779B9;
            key1 += 0xBB67AE85;
        }
        o0[i] = a;
        o1[i] = b;
        o2[i] = c;
        o3[i] = d;
    }
}

#if KERNEL_ISA < 2
#define T        uint8_t
#define UT       uint8_t
#define TNAME(x) x##_u8
#define UNAME(x) x##_u8
#define TSIGNED  0
#include "map_int.h"

#define T        int8_t
#define UT       uint8_t
#define TNAME(x) x##_i8
#define UNAME(x) x##_u8
#define TSIGNED  1
#include "map_int.h"

#define T        uint16_t
#define UT       uint16_t
#define TNAME(x) x##_u16
#define UNAME(x) x##_u16
#define TSIGNED  0
#include "map_int.h"

#define T        int16_t
#define UT       uint16_t
#define TNAME(x) x##_i16
#define UNAME(x) x##_u16
#define TSIGNED  1
#include "map_int.h"
#endif

#define T        uint32_t
#define UT       uint32_t
#define TNAME(x) x##_u32
#define UNAME(x) x##_u32
#define TSIGNED  0
#define TEXTRA   [KM_threefry2x32] = loop_threefry, [KM_philox4x32] = loop_philox
#include "map_int.h"

#if KERNEL_ISA < 2
#define T        int32_t
#define UT       uint32_t
#define TNAME(x) x##_i32
#define UNAME(x) x##_u32
#define TSIGNED  1
#include "map_int.h"

#define T        uint64_t
#define UT       uint64_t
#define TNAME(x) x##_u64
#define UNAME(x) x##_u64
#define TSIGNED  0
#include "map_int.h"

#define T        int64_t
#define UT       uint64_t
#define TNAME(x) x##_i64
#define UNAME(x) x##_u64
#define TSIGNED  1
#include "map_int.h"
#endif
