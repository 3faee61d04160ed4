/* reach.c -- which results of a program may have a derivative by which operands.
 *
 * Each value has a set of operands, as bits: those that it is computed of by steps that have derivatives. Bodies are gone into, loops until
 * their carries have all they will get: so a count of steps beside a loop of parameters follows none of them, as in the libraries.
 */
#include "op/op.h"
#include "tensor/tensor.h"

typedef struct Reach {
    Arena *a;
    uint32_t words; /* of a set */
} Reach;

static uint64_t *sets_of(const Reach *r, uint32_t n) { return arena_zalloc(r->a, (size_t)n * r->words * sizeof(uint64_t) + 1); }

/* Is anything new in `to`? */
static bool add(const Reach *r, uint64_t *to, const uint64_t *from)
{
    bool more = false;

    for (uint32_t w = 0; w < r->words; w++) {
        more |= (from[w] & ~to[w]) != 0;
        to[w] |= from[w];
    }
    return more;
}

static void reach(const Reach *r, const Program *p, const uint64_t *in, uint64_t *out);

/* Results of a body, of which the first are carries that come back as inputs from `at` on. */
static void reach_loop(const Reach *r, const Program *body, uint64_t *in, uint32_t at, uint32_t ncarry, uint64_t *out)
{
    for (bool more = true; more;) {
        reach(r, body, in, out);
        more = false;
        for (uint32_t k = 0; k < ncarry; k++)
            more |= add(r, in + (size_t)(at + k) * r->words, out + (size_t)k * r->words);
    }
    memcpy(out, in + (size_t)at * r->words, (size_t)ncarry * r->words * sizeof *out);
}

static void reach_control(const Reach *r, const Eqn *e, uint64_t *in, uint64_t *out)
{
    const ScanAttr *scan = e->attr;
    const WhileAttr *loop = e->attr;
    const CondAttr *cond = e->attr;
    uint64_t *one;

    switch (e->op) {
    case OP_call: reach(r, ((const CallAttr *)e->attr)->body.p, in, out); return;
    case OP_checkpoint: reach(r, ((const CheckpointAttr *)e->attr)->body.p, in, out); return;
    case OP_scan: reach_loop(r, scan->body.p, in, (uint32_t)scan->nconst, (uint32_t)scan->ncarry, out); return;
    case OP_while:
        reach_loop(r, loop->body.p, in + (size_t)loop->ncond * r->words, (uint32_t)loop->nbody,
                   e->nin - (uint32_t)(loop->ncond + loop->nbody), out);
        return;
    case OP_cond:
        one = sets_of(r, e->nout);
        for (uint32_t b = 0; b < cond->branches.n; b++) {
            reach(r, cond->branches.v[b].p, in + r->words, one);
            for (uint32_t j = 0; j < e->nout; j++)
                add(r, out + (size_t)j * r->words, one + (size_t)j * r->words);
        }
        return;
    default:
        for (uint32_t j = 0; j < e->nout; j++)
            for (uint32_t i = 0; i < e->nin; i++)
                add(r, out + (size_t)j * r->words, in + (size_t)i * r->words);
    }
}

static void reach(const Reach *r, const Program *p, const uint64_t *in, uint64_t *out)
{
    size_t size = r->words * sizeof(uint64_t);
    uint64_t *sets = sets_of(r, p->nvals + 1);

    for (uint32_t i = 0; i < p->nin; i++)
        if (dtype_is_differentiable(val_type(p, program_in(p, i)).dtype))
            memcpy(sets + (size_t)program_in(p, i) * r->words, in + (size_t)i * r->words, size);
    for (uint32_t k = 0; k < p->neqns; k++) {
        const Eqn *e = &p->eqns[k];
        uint64_t *of, *to;

        if (e->op == OP_stop_gradient)
            continue;
        of = sets_of(r, e->nin), to = sets_of(r, e->nout);
        for (uint32_t i = 0; i < e->nin; i++)
            memcpy(of + (size_t)i * r->words, sets + (size_t)eqn_in(p, e)[i] * r->words, size);
        reach_control(r, e, of, to);
        for (uint32_t j = 0; j < e->nout; j++)
            if (dtype_is_differentiable(val_type(p, e->out + j).dtype))
                memcpy(sets + (size_t)(e->out + j) * r->words, to + (size_t)j * r->words, size);
    }
    for (uint32_t j = 0; j < p->nout; j++)
        memcpy(out + (size_t)j * r->words, sets + (size_t)p->outs[j] * r->words, size);
}

void reach_program(Arena *a, const Program *p, bool *out_reaches)
{
    Reach r = {a, p->nin / 64 + 1};
    uint64_t *in = sets_of(&r, p->nin), *out = sets_of(&r, p->nout);

    for (uint32_t i = 0; i < p->nin; i++)
        in[(size_t)i * r.words + i / 64] = (uint64_t)1 << i % 64;
    reach(&r, p, in, out);
    for (uint32_t i = 0; i < p->nin; i++)
        for (uint32_t j = 0; j < p->nout; j++)
            out_reaches[(size_t)i * p->nout + j] = out[(size_t)j * r.words + i / 64] >> i % 64 & 1;
}
