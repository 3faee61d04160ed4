/* shared.c -- rules that many rows share: linear and bilinear derivatives, batching element by element,
 * batching by a loop.
 */
#include "op/op.h"

/* ---- derivatives ---- */

/* f linear in all operands together: df = f(dx0, dx1, ..), a missing tangent is a zero operand. */
void jvp_linear(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Val *in = arena_array(&b->arena, e->nin, sizeof *in);

    for (uint32_t i = 0; i < e->nin; i++)
        in[i] = dx[i] ? dx[i] : b_zeros(b, e->in_type[i]);
    b_eqn(b, (OpCode)e->op, in, e->nin, e->attr, dy, e->nout);
}

/* f linear in each operand: df = f(dx, y) + f(x, dy) */
void jvp_bilinear(Builder *b, const EqnView *e, const Val *dx, Val *dy)
{
    Val in[2];

    for (int i = 0; i < 2; i++) {
        if (!dx[i])
            continue;
        in[i] = dx[i];
        in[1 - i] = e->in[1 - i];
        Val d = b_eqn1(b, (OpCode)e->op, in, 2, e->attr);
        dy[0] = dy[0] ? b_add(b, dy[0], d) : d;
    }
}

/* ---- batching ---- */

void batch_front(Builder *b, const EqnView *e, const Batch *bt, bool broadcast_all, Val *in)
{
    for (uint32_t i = 0; i < e->nin; i++)
        if (bt->axis[i] >= 0)
            in[i] = b_move_axis(b, e->in[i], (uint32_t)bt->axis[i], 0);
        else
            in[i] = broadcast_all ? b_broadcast_axis(b, e->in[i], 0, bt->size) : e->in[i];
}

/* When every operand is batched at the same axis nothing moves. */
void batch_map(Builder *b, const EqnView *e, const Batch *bt, Val *out, int *out_axis)
{
    Val *in = arena_array(&b->arena, e->nin, sizeof *in);
    int axis = -1;
    bool moved = false;

    for (uint32_t i = 0; i < e->nin; i++) {
        if (bt->axis[i] < 0)
            continue;
        moved |= axis >= 0 && axis != bt->axis[i];
        axis = bt->axis[i];
    }
    for (uint32_t i = 0; i < e->nin; i++)
        if (e->in_type[i].rank == 0 && bt->axis[i] < 0 && e->op == OP_clamp)
            in[i] = e->in[i]; /* scalar bounds stay scalars */
        else if (bt->axis[i] < 0)
            in[i] = b_broadcast_axis(b, e->in[i], moved ? 0 : (uint32_t)axis, bt->size);
        else
            in[i] = moved ? b_move_axis(b, e->in[i], (uint32_t)bt->axis[i], 0) : e->in[i];
    b_eqn(b, (OpCode)e->op, in, e->nin, e->attr, out, e->nout);
    for (uint32_t j = 0; j < e->nout; j++)
        out_axis[j] = moved ? 0 : axis;
}

/* The equation alone, as a program: what a loop over the batch repeats. */
static const Program *one_equation(Builder *b, const EqnView *e)
{
    Builder *body = builder_new(b->cx, op_name(e->op), B_VERBATIM);
    Dim *map = arena_array(&b->arena, b->dims.syms.n + 1, sizeof *map);
    Val *in = arena_array(&b->arena, e->nin, sizeof *in);
    uint32_t n;

    for (uint32_t i = 0; i < b->dims.syms.n; i++)
        map[i] = b_symbol(body, b->dims.syms.v[i].name);
    for (uint32_t i = 0; i < e->nin; i++) {
        Dim dims[MAX_RANK];
        Type t = e->in_type[i];
        for (uint32_t k = 0; k < t.rank; k++)
            dims[k] = dim_subst(&body->dims, &b->dims, t.dims[k], map);
        in[i] = b_input(body, NULL, b_make_type(body, (wf_dtype)t.dtype, dims, t.rank));
    }
    b_at(body, e->place);
    void *attr = attr_copy(e->row, e->attr, &body->arena, &body->dims, &b->dims, map);
    Val *out = b_eqn_n(body, (OpCode)e->op, in, e->nin, attr, &n);
    return builder_finish(body, out, n);
}

void batch_loop(Builder *b, const EqnView *e, const Batch *bt, Val *out, int *out_axis)
{
    const Program *body = one_equation(b, e);
    Val *in = arena_array(&b->arena, e->nin, sizeof *in);
    Sub self = {NULL, {0, NULL}};
    ScanAttr a = {.length = bt->size};
    uint32_t n;

    if (!body)
        return;
    /* unbatched operands are constants of the scan, the batched ones are scanned: constants come first */
    Builder *wrap = builder_new(b->cx, body->name, B_VERBATIM);
    Val *args = arena_array(&b->arena, e->nin, sizeof *args), *res = arena_array(&b->arena, e->nout + 1u, sizeof *res);
    Copier c;
    copier_init(&c, wrap, body, NULL, NULL);
    for (int scanned = 0; scanned < 2; scanned++)
        for (uint32_t i = 0; i < e->nin; i++)
            if ((bt->axis[i] >= 0) == scanned) {
                args[i] = b_input(wrap, NULL, copier_type(&c, val_type(body, i + 1)));
                in[a.nconst] = scanned ? b_move_axis(b, e->in[i], (uint32_t)bt->axis[i], 0) : e->in[i];
                a.nconst++;
            }
    uint32_t nin = (uint32_t)a.nconst;
    a.nconst = 0;
    for (uint32_t i = 0; i < e->nin; i++)
        a.nconst += bt->axis[i] < 0;
    b_inline(wrap, body, c.sym, args, res, NULL);
    const Program *loop = builder_finish(wrap, res, e->nout);
    if (!loop)
        return;
    self.p = loop;
    if (loop->dims.syms.n) { /* symbols keep their names, so they bind to the enclosing program's own */
        Dim *binds = arena_array(&b->arena, loop->dims.syms.n, sizeof *binds);
        for (uint32_t i = 0; i < loop->dims.syms.n; i++)
            binds[i] = loop->dims.syms.v[i].origin == SYM_EQN ? DIM_NONE : dim_find(&b->dims, loop->dims.syms.v[i].name);
        self.binds = (Ints){loop->dims.syms.n, binds};
    }
    a.body = self;
    Val *ys = b_eqn_n(b, OP_scan, in, nin, &a, &n);
    for (uint32_t j = 0; j < e->nout && j < n; j++) {
        out[j] = ys[j];
        out_axis[j] = 0;
    }
}
