/* op_random.c -- random bits as arithmetic: keyed bijections of a counter, by element.
 *
 * Counter-based generators of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as
 * easy as 1, 2, 3" (2011). The same key and counter give the same bits everywhere, so
 * vmap, fusion and sharding need nothing special.
 */
#include "op/op_map.h"

static bool type_random(TypeRule *t)
{
    uint32_t nout = t->nin == 4 ? 2 : 4;

    for (uint32_t i = 0; i < t->nin; i++)
        if (t->in[i].dtype != WF_U32)
            return type_fail(t, WF_ERR_TYPE, "operand %u is %s, needs u32", i + 1,
                             type_show(t, t->in[i]));
    if (!type_equal_operands(t, 0))
        return false;
    while (nout-- > 0)
        type_out_like(t, t->in[0]);
    return true;
}

/* fn(key and counter words, result words) on every element */
static bool eval_random(Eval *e, void (*fn)(const uint32_t *in, uint32_t *out))
{
    for (int64_t i = 0; i < e->out[0].count; i++) {
        uint32_t in[6], out[4];

        for (uint32_t k = 0; k < e->nin; k++)
            in[k] = ((const uint32_t *)e->in[k].data)[i];
        fn(in, out);
        for (uint32_t k = 0; k < e->nout; k++)
            ((uint32_t *)e->out[k].data)[i] = out[k];
    }
    return true;
}

/* ---- threefry2x32: 20 rounds of add, rotate, xor; key words after every four ---- */

static uint32_t rotate(uint32_t x, int r) { return x << r | x >> (32 - r); }

static void threefry(const uint32_t *in, uint32_t *out)
{
    static const int rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
    uint32_t key[3] = {in[0], in[1], in[0] ^ in[1] ^ 0x1BD11BDA};
    uint32_t a = in[2] + key[0], c = in[3] + key[1];

    for (uint32_t group = 0; group < 5; group++) {
        for (int i = 0; i < 4; i++) {
            a += c;
            c = rotate(c, rotations[group % 2][i]) ^ a;
        }
        a += key[(group + 1) % 3];
        c += key[(group + 2) % 3] + group + 1;
    }
    out[0] = a;
    out[1] = c;
}

static bool eval_threefry(Eval *e) { return eval_random(e, threefry); }

const OpRow op_row_threefry2x32 = {
    .type = type_random,
    .eval = eval_threefry,
    .along = along_same,
    .lower = {LOWER_MAP, .cost = 80},
};
const OpRules op_rules_threefry2x32 = {
    .doc = DOC(
        "a, b = 64 random bits, the Threefry-2x32 cipher (20 rounds) of counter c0 c1 "
        "under key k0 k1: threefry2x32 k0 k1 c0 c1, all u32 of one shape."),
    .batch = batch_map,
};

/* ---- philox4x32: 10 rounds of two 64-bit products; the key grows by constants ---- */

static void philox(const uint32_t *in, uint32_t *out)
{
    uint32_t k0 = in[0], k1 = in[1], c[4] = {in[2], in[3], in[4], in[5]};

    for (int round = 0; round < 10; round++) {
        uint64_t p0 = (uint64_t)0xD2511F53 * c[0], p1 = (uint64_t)0xCD9E8D57 * c[2];

        c[0] = (uint32_t)(p1 >> 32) ^ c[1] ^ k0;
        c[1] = (uint32_t)p1;
        c[2] = (uint32_t)(p0 >> 32) ^ c[3] ^ k1;
        c[3] = (uint32_t)p0;
        k0 += 0x9E3779B9; /* golden ratio */
        k1 += 0xBB67AE85; /* sqrt(3) - 1 */
    }
    memcpy(out, c, sizeof c);
}

static bool eval_philox(Eval *e) { return eval_random(e, philox); }

const OpRow op_row_philox4x32 = {
    .type = type_random,
    .eval = eval_philox,
    .along = along_same,
    .lower = {LOWER_MAP, .cost = 80},
};
const OpRules op_rules_philox4x32 = {
    .doc = DOC(
        "a, b, c, d = 128 random bits, Philox-4x32 (10 rounds) of counter c0 .. c3 under "
        "key k0 k1: philox4x32 k0 k1 c0 c1 c2 c3, all u32 of one shape."),
    .batch = batch_map,
};
