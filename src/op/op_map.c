/* op_map.c -- rules that the elementwise rows share. See op_map.h. */
#include "op/op_map.h"

#include <math.h>

/* ---- types ------------------------------------------------------------------------- */

enum { BOOLS = 1, INTS_ = 2, FLOATS = 4, PAIRS = 8, REALS = INTS_ | FLOATS };

static unsigned kind_of(wf_dtype t)
{
    return dtype_is_float(t) ? FLOATS
           : dtype_is_int(t) ? INTS_
           : t == WF_BOOL    ? BOOLS
           : dtype_is_complex(t) ? PAIRS
                             : 0;
}

static const char *kinds_text(unsigned kinds)
{
    switch (kinds) {
    case FLOATS: return "a float dtype";
    case INTS_: return "an integer dtype";
    case REALS: return "an integer or float dtype";
    case FLOATS | PAIRS: return "a float or complex dtype";
    case REALS | PAIRS: return "an integer, float or complex dtype";
    case REALS | BOOLS: return "a dtype with an order";
    case INTS_ | BOOLS: return "bool or an integer dtype";
    default: return "a dtype in use";
    }
}

bool type_equal_operands(TypeRule *t, uint32_t from)
{
    for (uint32_t i = from + 1; i < t->nin; i++) {
        Type x = t->in[from], y = t->in[i];

        if (type_eq(x, y))
            continue;
        return type_fail(t, x.dtype != y.dtype ? WF_ERR_TYPE : WF_ERR_SHAPE,
                         "operands are %s and %s, needs equal types", type_show(t, x),
                         type_show(t, y));
    }
    return true;
}

static bool check_operands(TypeRule *t, unsigned kinds)
{
    for (uint32_t i = 0; i < t->nin; i++)
        if (!(kind_of((wf_dtype)t->in[i].dtype) & kinds))
            return type_fail(t, WF_ERR_TYPE, "operand %u is %s, needs %s", i + 1,
                             type_show(t, t->in[i]), kinds_text(kinds));
    return type_equal_operands(t, 0);
}

static bool type_map(TypeRule *t, unsigned kinds)
{
    if (!check_operands(t, kinds))
        return false;
    type_out_like(t, t->in[0]);
    return true;
}

bool type_map_float(TypeRule *t) { return type_map(t, FLOATS); }
bool type_map_inexact(TypeRule *t) { return type_map(t, FLOATS | PAIRS); }
bool type_map_real(TypeRule *t) { return type_map(t, REALS); }
bool type_map_number(TypeRule *t) { return type_map(t, REALS | PAIRS); }
bool type_map_int(TypeRule *t) { return type_map(t, INTS_); }
bool type_map_bits(TypeRule *t) { return type_map(t, BOOLS | INTS_); }
bool type_map_ordered(TypeRule *t) { return type_map(t, BOOLS | INTS_ | FLOATS); }

static bool type_test(TypeRule *t, unsigned kinds)
{
    if (!check_operands(t, kinds))
        return false;
    type_out(t, WF_BOOL, t->in[0].dims, t->in[0].rank);
    return true;
}

bool type_map_compare(TypeRule *t) { return type_test(t, BOOLS | REALS); }
bool type_map_equal(TypeRule *t) { return type_test(t, BOOLS | REALS | PAIRS); }
bool type_map_float_test(TypeRule *t) { return type_test(t, FLOATS); }

/* ---- oracle ------------------------------------------------------------------------ */

bool eval_map(Eval *e)
{
    Nd *out = &e->out[0];

    for (int64_t i = 0; i < out->count; i++) {
        Scalar x[3];

        for (uint32_t k = 0; k < e->nin; k++)
            x[k] = scalar_load(e->in[k].dtype, e->in[k].data, e->in[k].rank ? i : 0);
        scalar_store(out->dtype, out->data, i, scalar_apply(e->op, e->in[0].dtype, x));
    }
    return true;
}

double flops_map(const SizedEqn *s)
{
    Type y = val_type(s->p, s->e->out);

    return dtype_is_inexact((wf_dtype)y.dtype) ? sized_count(s, y) : 0;
}

/* ---- folding ----------------------------------------------------------------------- */

bool fold_splats(Builder *b, const EqnView *e, Val *out)
{
    Type to = e->out_type[0];
    Scalar x[3];
    uint64_t element[2] = {0};

    for (uint32_t i = 0; i < e->nin; i++) {
        const void *p;

        if (!b_splat(b, e->in[i], &p))
            return false;
        x[i] = scalar_load((wf_dtype)e->in_type[i].dtype, p, 0);
    }
    scalar_store((wf_dtype)to.dtype, element, 0,
                 scalar_apply(e->op, (wf_dtype)e->in_type[0].dtype, x));
    out[0] = b_splat_bits(b, to, element);
    return true;
}

bool op_is_splat(const Builder *b, Val v, double x)
{
    wf_dtype t = b_dtype(b, v);
    const void *p;
    Scalar s;

    if (!b_splat(b, v, &p))
        return false;
    s = scalar_load(t, p, 0);
    if (dtype_is_complex(t)) /* -0 in either part is another number */
        return s.f == x && s.im == 0 && !signbit(s.f) == !signbit(x) && !signbit(s.im);
    if (dtype_is_float(t))
        return s.f == x && !signbit(s.f) == !signbit(x);
    return s.u == scalar_cast(WF_F64, t, (Scalar){.f = x}).u;
}

Val operand_of(const Builder *b, Val v, OpCode op)
{
    uint32_t k = b->vals.v[v].eqn;

    if (k == EQN_INPUT || b->eqns.v[k].op != op || b->eqns.v[k].nin != 1)
        return VAL_NONE;
    return b->args.v[b->eqns.v[k].args];
}
