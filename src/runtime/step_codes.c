/* step_codes.c -- calls of sub-programs that multiply by weights of 4 bits.
 *
 * The body says what it is (opt/recognise.h). Weights that stay the same are put into the kernel's order once; it takes as
 * many bits. Others are put there at every run.
 */
#include "kernels/codes.h"
#include "opt/recognise.h"
#include "runtime/step.h"

enum { CODES_X, CODES_CODE, CODES_SCALE, CODES_OUT, CODES_WORK, CODES_PACKED, CODES_ZERO };

typedef struct CodesStep {
    KCodes k;
    const KCodesTable *table;
    const void *from[3]; /* what was packed; NULL: nothing yet */
    uint64_t entry;      /* when, as DotStep's */
} CodesStep;

/* Do all weights stay the same? */
static bool all_last(const Frame *f, const Op *op, const KCodes *k, uint64_t *since)
{
    uint64_t one, two, three = 0;
    bool last = frame_lasting(f, op->use.v[CODES_CODE].at, &one) && frame_lasting(f, op->use.v[CODES_SCALE].at, &two) &&
                (!k->zero.p || frame_lasting(f, op->use.v[CODES_ZERO].at, &three));

    if (last)
        *since = MAX(one, MAX(two, three));
    return last;
}

static bool run_codes(Frame *f, const Op *op)
{
    CodesStep *s = op->data;
    KCodes k = s->k;
    uint64_t since = 0;
    void *packed = op_at(f, op, CODES_PACKED);

    k.a = op_at(f, op, CODES_X);
    k.c = op_at(f, op, CODES_OUT);
    k.code.p = op_at(f, op, CODES_CODE);
    k.scale.p = op_at(f, op, CODES_SCALE);
    k.zero.p = k.zero.p ? op_at(f, op, CODES_ZERO) : NULL;
    if (!all_last(f, op, &s->k, &since) || s->from[0] != k.code.p || s->from[1] != k.scale.p || s->from[2] != k.zero.p ||
        s->entry != since) {
        s->table->pack(&k, &f->root->par, packed);
        memcpy(s->from, (const void *[]){k.code.p, k.scale.p, k.zero.p}, sizeof s->from);
        s->entry = since;
    }
    k.packed = packed;
    s->table->run(&k, &f->root->par, op_at(f, op, CODES_WORK));
    return true;
}

static const int64_t *places(Bind *b, const MovedAxis *a, int64_t step)
{
    int64_t n = (a->size + step - 1) / step, *at = arena_array(b->a, (size_t)n, sizeof *at);

    for (int64_t i = 0; i < n; i++)
        at[i] = opt_codes_place(a, i * step);
    return at;
}

/* Is the place the same for all of each block? */
static bool is_by_block(const MovedAxis *a, int64_t block)
{
    for (int64_t i = 0; i < a->size; i++)
        if (opt_codes_place(a, i) != opt_codes_place(a, i / block * block))
            return false;
    return true;
}

/* As many k as the scale and the zero stay the same for; 0: they do not by blocks. */
static int64_t block_of(const Codes *c)
{
    const MovedAxis *s = &c->scale.axis[c->sum], *z = c->has_zeros ? &c->zero.axis[c->sum] : NULL;
    int64_t n = 1;

    while (n < s->size && opt_codes_place(s, n) == opt_codes_place(s, 0) &&
           (!z || opt_codes_place(z, n) == opt_codes_place(z, 0)))
        n++;
    return is_by_block(s, n) && (!z || is_by_block(z, n)) ? n : 0;
}

static KCodesPart part_of(Bind *b, const Moved *s, uint32_t sum, int64_t block)
{
    return (KCodesPart){.p = b, /* any address */
                        .type = s->part == HALF_BOTH ? KT_U8 : KT_F32,
                        .flip = s->is_signed ? 8 : 0,
                        .at_block = places(b, &s->axis[sum], block),
                        .at_col = places(b, &s->axis[1 - sum], 1)};
}

/* Where the use of an operand is; views that are not one piece are not taken. */
static bool is_plain(Bind *b, Val v)
{
    int64_t room[MAX_RANK], want[MAX_RANK];
    const int64_t *have = bind_strides(b, v, room), *dims = bind_dims(b, v);

    k_row_major((int)bind_rank(b, v), dims, want);
    for (uint32_t i = 0; i < bind_rank(b, v); i++)
        if (dims[i] != 1 && have[i] != want[i])
            return false;
    return true;
}

bool bind_codes(Bind *b, const CallAttr *call)
{
    CodesStep *s;
    Codes c;
    int64_t block;
    size_t packed, work;
    uint64_t since;
    Val in[4];
    Ref at;
    Op *op;

    if (!opt_codes_read(call->body.p, (CallKind)call->kind, &c) || !(block = block_of(&c)))
        return false;
    in[0] = bind_in(b, c.x - 1);
    in[1] = bind_in(b, c.code.leaf - 1);
    in[2] = bind_in(b, c.scale.leaf - 1);
    in[3] = c.has_zeros ? bind_in(b, c.zero.leaf - 1) : in[2];
    for (int i = 0; i < 4; i++)
        if (!is_plain(b, in[i]))
            return false;
    s = arena_zalloc(b->a, sizeof *s);
    s->table = codes_best();
    s->k = (KCodes){.n = c.code.axis[1 - c.sum].size, .k = c.code.axis[c.sum].size, .block = block};
    s->k.m = s->k.k ? bind_count(b, in[0]) / s->k.k : 0;
    s->k.blocks = (s->k.k + block - 1) / block;
    s->k.code = part_of(b, &c.code, c.sum, 1);
    s->k.scale = part_of(b, &c.scale, c.sum, block);
    s->k.zero.value = (float)c.zero_number;
    if (c.has_zeros)
        s->k.zero = part_of(b, &c.zero, c.sum, block);
    /* a signed half is its bits, flipped, less 8 */
    s->k.zero.value += (c.code.is_signed ? 8.0f : 0.0f) - (c.has_zeros && c.zero.is_signed ? 8.0f : 0.0f);
    packed = s->table->packed_size(&s->k);
    work = s->table->workspace(&s->k);
    op = bind_op(b, run_codes, s);
    bind_use(b, op, in[0], USE_READ);
    bind_use(b, op, in[1], USE_READ);
    bind_use(b, op, in[2], USE_READ);
    bind_use(b, op, bind_out(b, 0), USE_WRITE);
    bind_use_bytes(b, op, bind_workspace(b, work), (int64_t)work, 0, USE_WORK);
    if (all_last(b->f, op, &(KCodes){0}, &since)) { /* of zeros it is asked when they are there */
        at = bind_kept(b, packed);
        bind_use_at(b, op, (Use){at, 0, (int64_t)packed, 0, USE_KEPT, false});
    } else {
        bind_use_bytes(b, op, bind_workspace(b, packed), (int64_t)packed, 0, USE_WORK);
    }
    if (c.has_zeros)
        bind_use(b, op, in[3], USE_READ);
    return true;
}
