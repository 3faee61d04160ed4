/* inflate.c -- the data of zlib, gzip, zip and PNG: deflate, RFC 1951. */
#include "base/base.h"

typedef struct Inflate {
    const wf_allocator *al;
    const uint8_t *p;
    size_t n, at;
    uint32_t bits; /* read and not used */
    int have;
    Inflated *out;
    bool bad, lost; /* lost: out of memory */
} Inflate;

typedef struct Huffman { /* canonical: how many codes of each length, symbols in order */
    uint16_t count[16], symbol[288];
} Huffman;

static void put(Inflate *z, uint8_t c)
{
    Inflated *o = z->out;

    if (o->size == o->most) {
        z->bad = true;
        return;
    }
    if (o->size == o->room) {
        size_t room = o->room ? 2 * o->room : 4096;
        uint8_t *grown = z->al->resize(z->al->user, o->data, o->room, room);

        if (!grown) {
            z->lost = true;
            return;
        }
        o->data = grown;
        o->room = room;
    }
    o->data[o->size++] = c;
}

static uint32_t take(Inflate *z, int n)
{
    uint32_t v;

    while (z->have < n) {
        if (z->at >= z->n) {
            z->bad = true;
            return 0;
        }
        z->bits |= (uint32_t)z->p[z->at++] << z->have;
        z->have += 8;
    }
    v = z->bits & ((1u << n) - 1);
    z->bits >>= n;
    z->have -= n;
    return v;
}

static void build(Huffman *h, const uint8_t *lengths, int n)
{
    uint16_t at[16] = {0};

    memset(h->count, 0, sizeof h->count);
    for (int i = 0; i < n; i++)
        h->count[lengths[i]]++;
    h->count[0] = 0;
    for (int i = 1; i < 15; i++)
        at[i + 1] = (uint16_t)(at[i] + h->count[i]);
    for (int i = 0; i < n; i++)
        if (lengths[i])
            h->symbol[at[lengths[i]]++] = (uint16_t)i;
}

static int decode(Inflate *z, const Huffman *h)
{
    int code = 0, first = 0, index = 0;

    for (int len = 1; len < 16 && !z->bad; len++) {
        code |= (int)take(z, 1);
        if (code - h->count[len] < first)
            return h->symbol[index + code - first];
        index += h->count[len];
        first = (first + h->count[len]) << 1;
        code <<= 1;
    }
    z->bad = true;
    return -1;
}

const uint16_t deflate_length_base[] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                        15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                        67, 83, 99, 115, 131, 163, 195, 227, 258};
const uint8_t deflate_length_bits[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                       2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
const uint16_t deflate_far_base[] = {1,    2,    3,    4,     5,     7,    9,    13,
                                     17,   25,   33,   49,    65,    97,   129,  193,
                                     257,  385,  513,  769,   1025,  1537, 2049, 3073,
                                     4097, 6145, 8193, 12289, 16385, 24577};
const uint8_t deflate_far_bits[] = {0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                    6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};

static void inflate_codes(Inflate *z, const Huffman *lit, const Huffman *far)
{
    while (!z->bad && !z->lost) {
        int s = decode(z, lit), d;
        size_t len, back;

        if (s < 256) {
            if (s >= 0)
                put(z, (uint8_t)s);
            continue;
        }
        if (s == 256)
            return;
        if (s > 285) {
            z->bad = true;
            return;
        }
        len = deflate_length_base[s - 257] + take(z, deflate_length_bits[s - 257]);
        d = decode(z, far);
        if (d < 0 || d > 29) {
            z->bad = true;
            return;
        }
        back = deflate_far_base[d] + take(z, deflate_far_bits[d]);
        if (back > z->out->size) {
            z->bad = true;
            return;
        }
        while (len-- > 0 && !z->lost && !z->bad)
            put(z, z->out->data[z->out->size - back]);
    }
}

static void fixed_codes(Huffman *lit, Huffman *far)
{
    uint8_t len[288];

    for (int i = 0; i < 288; i++)
        len[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    build(lit, len, 288);
    memset(len, 5, 30);
    build(far, len, 30);
}

static void dynamic_codes(Inflate *z, Huffman *lit, Huffman *far)
{
    static const uint8_t order[] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                    11, 4,  12, 3, 13, 2, 14, 1, 15};
    int nlit = 257 + (int)take(z, 5), nfar = 1 + (int)take(z, 5),
        ncode = 4 + (int)take(z, 4), n = 0;
    uint8_t len[320] = {0};
    Huffman h;

    for (int i = 0; i < ncode; i++)
        len[order[i]] = (uint8_t)take(z, 3);
    build(&h, len, 19);
    memset(len, 0, sizeof len);
    while (n < nlit + nfar && !z->bad) {
        int s = decode(z, &h), times = 1;
        uint8_t what = (uint8_t)s;

        if (s == 16) {
            what = n ? len[n - 1] : 0;
            z->bad |= n == 0;
            times = 3 + (int)take(z, 2);
        } else if (s == 17 || s == 18) {
            what = 0;
            times = s == 17 ? 3 + (int)take(z, 3) : 11 + (int)take(z, 7);
        }
        if (n + times > nlit + nfar)
            z->bad = true;
        while (times-- && !z->bad)
            len[n++] = what;
    }
    if (nlit > 286 || nfar > 30)
        z->bad = true;
    if (z->bad)
        return;
    build(lit, len, nlit);
    build(far, len + nlit, nfar);
}

static void inflate_stored(Inflate *z)
{
    size_t n;

    z->bits = 0;
    z->have = 0;
    if (z->at + 4 > z->n) {
        z->bad = true;
        return;
    }
    n = (size_t)(z->p[z->at] | z->p[z->at + 1] << 8);
    z->at += 4;
    if (z->at + n > z->n) {
        z->bad = true;
        return;
    }
    for (; n && !z->lost && !z->bad; n--)
        put(z, z->p[z->at++]);
}

wf_status inflate_bytes(const wf_allocator *al, const uint8_t *p, size_t n, Inflated *out)
{
    Inflate z = {.al = al, .p = p, .n = n, .out = out};
    Huffman lit, far;
    bool last = false;

    if (!out->most)
        out->most = SIZE_MAX;
    while (!last && !z.bad && !z.lost) {
        uint32_t kind;

        if (out->go_on && !out->go_on(out->user))
            return WF_ERR_CANCELLED;
        last = take(&z, 1);
        kind = take(&z, 2);
        if (z.bad || kind == 3) {
            z.bad = true;
        } else if (kind == 0) {
            inflate_stored(&z);
        } else {
            if (kind == 1)
                fixed_codes(&lit, &far);
            else
                dynamic_codes(&z, &lit, &far);
            if (!z.bad)
                inflate_codes(&z, &lit, &far);
        }
    }
    out->used = z.at - (size_t)z.have / 8;
    return z.lost ? WF_ERR_MEMORY : z.bad ? WF_ERR_FORMAT : WF_OK;
}
