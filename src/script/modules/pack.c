/* pack.c -- the module _pack: numbers as bytes for struct, checksums and hashes for zlib and hashlib,
 * deflate in both directions. Their Python names are in namespaces/.
 */
#include "modules.h"

#include <math.h>

/* ---- numbers ----------------------------------------------------------------------- */

/* pack_float(x, size, big): 2, 4 or 8 bytes of IEEE */
static uint16_t half_bits(double x)
{
    uint16_t sign = signbit(x) ? 0x8000 : 0;
    int e;
    double m;

    if (isnan(x))
        return sign | 0x7E00;
    x = fabs(x);
    if (isinf(x))
        return sign | 0x7C00;
    m = frexp(x, &e); /* x = m * 2**e, m in [0.5, 1) */
    if (x == 0 || e < -24)
        return sign;
    if (e < -13) /* subnormal */
        return sign | (uint16_t)nearbyint(ldexp(x, 24));
    return (uint16_t)(sign + ((uint32_t)(e + 14) << 10) + (uint16_t)nearbyint(ldexp(m, 11)) - 1024);
}

static double half_value(uint16_t h)
{
    int e = h >> 10 & 31;
    double m = h & 1023, x = e == 31 ? (m != 0 ? NAN : INFINITY) : e ? ldexp(m + 1024, e - 25) : ldexp(m, -24);

    return h >> 15 ? -x : x;
}

static Value m_pack_float(Vm *vm, const Args *a)
{
    double x;
    int64_t size;
    bool big;
    uint64_t bits = 0;
    uint8_t out[8];
    float f;

    if (!sc_to_double(vm, a->v[0], &x) || !sc_to_int(vm, a->v[1], &size) || !sc_to_bool(vm, a->v[2], &big))
        return NIL;
    if (size != 8 && size != 4 && size != 2)
        return sc_raise(vm, C_ValueError, "pack: there is no float of %lld bytes", (long long)size);
    if (size == 8) {
        memcpy(&bits, &x, 8);
    } else if (size == 4) {
        f = (float)x;
        if (isinf(f) && isfinite(x))
            return sc_raise(vm, C_OverflowError, "float too large to pack with f format");
        memcpy(&bits, &f, 4);
    } else {
        bits = half_bits(x);
    }
    for (int i = 0; i < size; i++)
        out[i] = (uint8_t)(bits >> 8 * (big ? (int)size - 1 - i : i));
    return sc_bytes(vm, out, size);
}

/* unpack_float(bytes, offset, size, big) */
static Value m_unpack_float(Vm *vm, const Args *a)
{
    const uint8_t *p;
    int64_t n, at, size;
    uint64_t bits = 0;
    bool big;
    double x;
    float f;

    if (!sc_bytes_view(vm, a->v[0], &p, &n) || !sc_to_int(vm, a->v[1], &at) || !sc_to_int(vm, a->v[2], &size) ||
        !sc_to_bool(vm, a->v[3], &big) || at < 0 || at > n || size > n - at)
        return sc_failed(vm) ? NIL : sc_raise(vm, C_ValueError, "unpack: not enough bytes");
    if (size != 8 && size != 4 && size != 2)
        return sc_raise(vm, C_ValueError, "unpack: there is no float of %lld bytes", (long long)size);
    for (int i = 0; i < size; i++)
        bits |= (uint64_t)p[at + (big ? size - 1 - i : i)] << 8 * i;
    if (size == 8) {
        memcpy(&x, &bits, 8);
    } else if (size == 4) {
        memcpy(&f, &bits, 4);
        x = f;
    } else {
        x = half_value((uint16_t)bits);
    }
    return v_float(x);
}

/* ---- checksums and hashes ---------------------------------------------------------- */

static bool bytes_arg(Vm *vm, Value v, const uint8_t **p, int64_t *n)
{
    return sc_bytes_view(vm, v, p, n) ||
           sc_fail(vm, C_TypeError, "a bytes-like object is required, not '%s'", sc_type_name(vm, v));
}

static Value m_crc32(Vm *vm, const Args *a)
{
    const uint8_t *p;
    int64_t n, start = 0;

    if (!bytes_arg(vm, a->v[0], &p, &n) || (a->v[1].tag != T_NIL && !sc_to_int(vm, a->v[1], &start)))
        return NIL;
    return v_int(crc32_add((uint32_t)start, p, (size_t)n));
}

static Value m_adler32(Vm *vm, const Args *a)
{
    const uint8_t *p;
    int64_t n, start = 1;
    uint32_t s, t;

    if (!bytes_arg(vm, a->v[0], &p, &n) || (a->v[1].tag != T_NIL && !sc_to_int(vm, a->v[1], &start)))
        return NIL;
    s = (uint32_t)start & 0xFFFF;
    t = (uint32_t)start >> 16;
    for (int64_t i = 0; i < n; i++) {
        s = (s + p[i]) % 65521;
        t = (t + s) % 65521;
    }
    return v_int((int64_t)t << 16 | s);
}

static uint32_t rol(uint32_t x, int k) { return x << k | x >> (32 - k); }
static uint32_t ror(uint32_t x, int k) { return x >> k | x << (32 - k); }

static uint32_t word(const uint8_t *p, bool big)
{
    return big ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]
               : (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

/* floor(abs(sin(i + 1)) * 2**32), RFC 1321 */
static void md5_block(uint32_t *h, const uint8_t *p)
{
    static const uint8_t turns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    uint32_t a = h[0], b = h[1], c = h[2], d = h[3];

    for (int i = 0; i < 64; i++) {
        uint32_t f, t;
        int g;

        if (i < 16) {
            f = (b & c) | (~b & d);
            g = i;
        } else if (i < 32) {
            f = (d & b) | (~d & c);
            g = (5 * i + 1) % 16;
        } else if (i < 48) {
            f = b ^ c ^ d;
            g = (3 * i + 5) % 16;
        } else {
            f = c ^ (b | ~d);
            g = 7 * i % 16;
        }
        t = d;
        d = c;
        c = b;
        b += rol(a + f + (uint32_t)(int64_t)floor(fabs(sin(i + 1)) * 4294967296.0) + word(p + 4 * g, false),
                 turns[i / 16][i % 4]);
        a = t;
    }
    h[0] += a;
    h[1] += b;
    h[2] += c;
    h[3] += d;
}

static void sha1_block(uint32_t *h, const uint8_t *p)
{
    uint32_t w[80], a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];

    for (int i = 0; i < 80; i++)
        w[i] = i < 16 ? word(p + 4 * i, true) : rol(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    for (int i = 0; i < 80; i++) {
        uint32_t f = i < 20 ? ((b & c) | (~b & d)) + 0x5A827999u
                     : i < 40 ? (b ^ c ^ d) + 0x6ED9EBA1u
                     : i < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8F1BBCDCu
                              : (b ^ c ^ d) + 0xCA62C1D6u;
        uint32_t t = rol(a, 5) + f + e + w[i];

        e = d;
        d = c;
        c = rol(b, 30);
        b = a;
        a = t;
    }
    h[0] += a;
    h[1] += b;
    h[2] += c;
    h[3] += d;
    h[4] += e;
}

/* The first 32 bits of the fractions of cube roots of the first 64 primes, FIPS 180-4 */
static uint32_t sha256_constant(int i)
{
    static const uint16_t primes[] = {
        2,   3,   5,   7,   11,  13,  17,  19,  23,  29,  31,  37,  41,  43,  47,  53,  59,  61,  67,  71,  73,  79,
        83,  89,  97,  101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167, 173, 179, 181, 191, 193,
        197, 199, 211, 223, 227, 229, 233, 239, 241, 251, 257, 263, 269, 271, 277, 281, 283, 293, 307, 311};
    long double r = cbrtl((long double)primes[i]);

    return (uint32_t)((r - floorl(r)) * 4294967296.0L);
}

static void sha256_block(uint32_t *h, const uint8_t *p)
{
    uint32_t w[64], v[8];

    for (int i = 0; i < 64; i++)
        w[i] = i < 16 ? word(p + 4 * i, true)
                      : w[i - 16] + (ror(w[i - 15], 7) ^ ror(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 7] +
                            (ror(w[i - 2], 17) ^ ror(w[i - 2], 19) ^ w[i - 2] >> 10);
    memcpy(v, h, sizeof v);
    for (int i = 0; i < 64; i++) {
        uint32_t t1 = v[7] + (ror(v[4], 6) ^ ror(v[4], 11) ^ ror(v[4], 25)) + ((v[4] & v[5]) ^ (~v[4] & v[6])) +
                      sha256_constant(i) + w[i];
        uint32_t t2 = (ror(v[0], 2) ^ ror(v[0], 13) ^ ror(v[0], 22)) + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));

        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        h[i] += v[i];
}

/* digest(name, data): md5, sha1 or sha256 */
static Value m_digest(Vm *vm, const Args *a)
{
    static const struct {
        const char *name;
        void (*block)(uint32_t *h, const uint8_t *p);
        int words;
        bool big;
        uint32_t start[8];
    } kinds[] = {
        {"md5", md5_block, 4, false, {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476}},
        {"sha1", sha1_block, 5, true, {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0}},
        {"sha256",
         sha256_block,
         8,
         true,
         {0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19}}};
    const char *name = sc_to_cstr(vm, a->v[0], "name");
    const uint8_t *p;
    uint8_t tail[128] = {0}, out[32];
    uint32_t h[8];
    int64_t n, rest, k = 0;

    if (!name || !bytes_arg(vm, a->v[1], &p, &n))
        return NIL;
    while (k < COUNT(kinds) && strcmp(kinds[k].name, name) != 0)
        k++;
    if (k == COUNT(kinds))
        return sc_raise(vm, C_ValueError, "unsupported hash type %s", name);
    memcpy(h, kinds[k].start, sizeof h);
    for (int64_t i = 0; i + 64 <= n; i += 64)
        kinds[k].block(h, p + i);
    rest = n % 64;
    if (rest)
        memcpy(tail, p + n - rest, (size_t)rest);
    tail[rest] = 0x80;
    int64_t end = rest < 56 ? 64 : 128;

    for (int i = 0; i < 8; i++)
        tail[end - 8 + i] = (uint8_t)((uint64_t)n * 8 >> 8 * (kinds[k].big ? 7 - i : i));
    for (int64_t i = 0; i < end; i += 64)
        kinds[k].block(h, tail + i);
    for (int i = 0; i < kinds[k].words * 4; i++)
        out[i] = (uint8_t)(h[i / 4] >> 8 * (kinds[k].big ? 3 - i % 4 : i % 4));
    return sc_bytes(vm, out, kinds[k].words * 4);
}

/* ---- deflate, RFC 1951 ------------------------------------------------------------- */

static bool go_on(void *vm) { return !sc_interrupted(vm); }

/* inflate(data, start) -> (bytes, where it ended) */
static Value m_inflate(Vm *vm, const Args *a)
{
    const wf_allocator *al = &vm->cx->al;
    Inflated z = {.go_on = go_on, .user = vm};
    const uint8_t *p;
    int64_t n, start;
    Value v[2], r = NIL;

    if (!bytes_arg(vm, a->v[0], &p, &n) || !sc_to_int(vm, a->v[1], &start))
        return NIL;
    if (start < 0 || start > n)
        start = n;
    switch (inflate_bytes(al, p + start, (size_t)(n - start), &z)) {
    case WF_OK:
        v[0] = sc_bytes(vm, z.data, (int64_t)z.size);
        v[1] = v_int(start + (int64_t)z.used);
        r = v[0].tag == T_NIL ? NIL : v_obj(sc_tuple_of(vm, v, 2));
        sc_drop(vm, v[0]);
        break;
    case WF_ERR_MEMORY: sc_raise_memory(vm); break;
    case WF_ERR_FORMAT:
        sc_raise(vm, C_ValueError, "Error -3 while decompressing data: invalid or incomplete deflate data");
        break;
    default: break; /* interrupted: sc_interrupted has raised */
    }
    mem_free(al, z.data, z.room);
    return r;
}

typedef struct Deflate {
    Buf out;
    uint32_t bits;
    int have;
} Deflate;

static void give(Deflate *z, uint32_t v, int n)
{
    z->bits |= v << z->have;
    z->have += n;
    while (z->have >= 8) {
        buf_char(&z->out, (char)z->bits);
        z->bits >>= 8;
        z->have -= 8;
    }
}

/* A code is written from its highest bit. */
static void give_code(Deflate *z, uint32_t code, int n)
{
    uint32_t r = 0;

    for (int i = 0; i < n; i++)
        r |= (code >> i & 1) << (n - 1 - i);
    give(z, r, n);
}

static void give_literal(Deflate *z, int s) /* the fixed code */
{
    if (s < 144)
        give_code(z, 0x30u + (uint32_t)s, 8);
    else if (s < 256)
        give_code(z, 0x190u + (uint32_t)s - 144, 9);
    else if (s < 280)
        give_code(z, (uint32_t)s - 256, 7);
    else
        give_code(z, 0xC0u + (uint32_t)s - 280, 8);
}

static void give_match(Deflate *z, int64_t len, int64_t back)
{
    int s = 28, d = 29;

    while (deflate_length_base[s] > len)
        s--;
    while (deflate_far_base[d] > back)
        d--;
    give_literal(z, 257 + s);
    give(z, (uint32_t)(len - deflate_length_base[s]), deflate_length_bits[s]);
    give_code(z, (uint32_t)d, 5);
    give(z, (uint32_t)(back - deflate_far_base[d]), deflate_far_bits[d]);
}

/* deflate(data): one block by the fixed code; matches by the last place of each hash of three bytes */
static Value m_deflate(Vm *vm, const Args *a)
{
    Deflate z = {.out = {.vm = vm}};
    const uint8_t *p;
    int64_t n, i = 0, *last;
    Value r;

    if (!bytes_arg(vm, a->v[0], &p, &n))
        return NIL;
    last = sc_alloc(vm, 32768 * sizeof *last);
    if (!last)
        return NIL;
    memset(last, 255, 32768 * sizeof *last);
    give(&z, 1, 1);
    give(&z, 1, 2);
    while (i < n && !z.out.failed) {
        int64_t len = 0, from = -1;

        if (i + 3 <= n) {
            uint32_t h = (p[i] * 2654435761u ^ p[i + 1] * 40503u ^ p[i + 2] * 2246822519u) >> 7 & 32767;

            from = last[h];
            last[h] = i;
        }
        if (from >= 0 && i - from <= 32768)
            while (len < 258 && i + len < n && p[from + len] == p[i + len])
                len++;
        if (len >= 3) {
            give_match(&z, len, i - from);
            i += len;
        } else {
            give_literal(&z, p[i++]);
        }
    }
    give_literal(&z, 256);
    give(&z, 0, (8 - z.have) % 8);
    sc_free(vm, last, 32768 * sizeof *last);
    r = z.out.failed ? NIL : sc_bytes(vm, z.out.s, z.out.n);
    buf_free(&z.out);
    return r;
}

static const NativeDef functions[] = {
    {"pack_float", m_pack_float, "x,size,big"}, {"unpack_float", m_unpack_float, "data,at,size,big"},
    {"crc32", m_crc32, "data|value"}, {"adler32", m_adler32, "data|value"},
    {"digest", m_digest, "name,data"}, {"inflate", m_inflate, "data,start"},
    {"deflate", m_deflate, "data"}, {0}};

bool open_pack(Vm *vm, ScModule *m) { return sc_module_natives(vm, m, functions); }
