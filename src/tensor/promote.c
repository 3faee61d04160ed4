/* promote.c -- which dtype an operation on two operands has, by the rules of three libraries.
 *
 *   JAX       a lattice with weak int, weak float and weak complex; the result is the least upper bound
 *   PyTorch   by category (bool < integer < float < complex); of the operands of the highest category those with
 *             dimensions count before those without, and both before host numbers
 *   NumPy     the smallest dtype that holds both (NEP 50: host numbers are weak)
 */
#include "tensor/tensor.h"

/* ---- JAX: nodes 0 bool, 1 weak int, 2.. u8 u16 u32 u64, 6.. i8 i16 i32 i64, 10 weak float, f16 bf16 f32 f64,
 * weak complex, c64 c128 ---- */

enum {
    J_BOOL,
    J_INT,
    J_U8,
    J_U16,
    J_U32,
    J_U64,
    J_I8,
    J_I16,
    J_I32,
    J_I64,
    J_FLOAT,
    J_F16,
    J_BF16,
    J_F32,
    J_F64,
    J_COMPLEX,
    J_C64,
    J_C128,
    J_N
};

static const uint32_t jax_up[J_N] = {
    /* direct successors */
    [J_BOOL] = 1 << J_INT,
    [J_INT] = 1 << J_U8 | 1 << J_I8,
    [J_U8] = 1 << J_U16 | 1 << J_I16,
    [J_U16] = 1 << J_U32 | 1 << J_I32,
    [J_U32] = 1 << J_U64 | 1 << J_I64,
    [J_U64] = 1 << J_FLOAT,
    [J_I8] = 1 << J_I16,
    [J_I16] = 1 << J_I32,
    [J_I32] = 1 << J_I64,
    [J_I64] = 1 << J_FLOAT,
    [J_FLOAT] = 1 << J_F16 | 1 << J_BF16 | 1 << J_COMPLEX,
    [J_F16] = 1 << J_F32,
    [J_BF16] = 1 << J_F32,
    [J_F32] = 1 << J_F64 | 1 << J_C64,
    [J_F64] = 1 << J_C128,
    [J_COMPLEX] = 1 << J_C64,
    [J_C64] = 1 << J_C128,
};

static int jax_node(wf_dtype t, bool weak)
{
    if (t == WF_BOOL)
        return J_BOOL;
    if (weak)
        return dtype_is_int(t) ? J_INT : dtype_is_complex(t) ? J_COMPLEX : J_FLOAT;
    if (dtype_is_complex(t))
        return t == WF_C64 ? J_C64 : J_C128;
    if (dtype_is_unsigned(t))
        return J_U8 + (int)(t - WF_U8);
    if (dtype_is_signed(t))
        return J_I8 + (int)(t - WF_I8);
    return t == WF_F16 ? J_F16 : t == WF_BF16 ? J_BF16 : t == WF_F32 ? J_F32 : J_F64;
}

static uint32_t above(int node)
{
    uint32_t set = 1u << node;

    for (int i = 0; i < J_N;
         i++) /* successors have higher numbers but for u -> i, so run to a fixpoint */
        for (int k = 0; k < J_N; k++)
            if (set >> k & 1)
                set |= jax_up[k];
    return set;
}

static wf_dtype promote_jax(wf_dtype a, bool aw, wf_dtype b, bool bw)
{
    static const wf_dtype of[J_N] = {WF_BOOL, 0,      WF_U8,   WF_U16, WF_U32,
                                     WF_U64,  WF_I8,  WF_I16,  WF_I32, WF_I64,
                                     0,       WF_F16, WF_BF16, WF_F32, WF_F64,
                                     0,       WF_C64, WF_C128};
    int na = jax_node(a, aw), nb = jax_node(b, bw), join = -1;
    uint32_t both = above(na) & above(nb);

    for (int i = 0; i < J_N && join < 0; i++)
        if (both >> i & 1 && (above(i) & both) == both)
            join = i;
    if (join == J_INT || join == J_FLOAT || join == J_COMPLEX) { /* weak results keep the dtype of the operand that is of that kind */
        wf_dtype want_a = na == join ? a : WF_INVALID,
                 want_b = nb == join ? b : WF_INVALID;
        if (want_a && want_b)
            return wf_dtype_size(want_a) >= wf_dtype_size(want_b) ? want_a : want_b;
        return want_a ? want_a : want_b ? want_b : join == J_COMPLEX ? WF_C64 : WF_F32;
    }
    return of[join];
}

/* ---- PyTorch ---- */

static int category(wf_dtype t)
{
    return t == WF_BOOL ? 0 : dtype_is_int(t) ? 1 : dtype_is_complex(t) ? 3 : 2;
}
static bool is_bare_unsigned(wf_dtype t)
{
    return t == WF_U16 || t == WF_U32 || t == WF_U64;
}

/* Both count alike. WF_INVALID: PyTorch has no such promotion. */
static wf_dtype torch_pair(wf_dtype a, wf_dtype b)
{
    int ca = category(a), cb = category(b);

    if (a == b)
        return a;
    if (ca == 3 || cb == 3) /* as wide as the floats among them */
        return dtype_pair(ca < 2   ? b
                          : cb < 2 ? a
                                   : torch_pair(dtype_part(a), dtype_part(b)));
    if (ca < 2 && cb < 2 && (is_bare_unsigned(a) || is_bare_unsigned(b)))
        return WF_INVALID;
    if (ca != cb)
        return ca > cb ? a : b;
    if (ca == 2) {
        if ((a == WF_F16 && b == WF_BF16) || (a == WF_BF16 && b == WF_F16))
            return WF_F32;
        return wf_dtype_size(a) > wf_dtype_size(b) ? a : b;
    }
    if (a == WF_U8 || b == WF_U8) { /* with a signed one */
        wf_dtype i = a == WF_U8 ? b : a;
        return i == WF_I8 ? WF_I16 : i;
    }
    return wf_dtype_size(a) > wf_dtype_size(b) ? a : b;
}

/* level 0: has dimensions, 1: has none, 2: a host number */
static wf_dtype promote_torch(wf_dtype a, int la, wf_dtype b, int lb)
{
    int ca = category(a), cb = category(b);

    if (la == lb)
        return torch_pair(a, b);
    if (la < lb)
        return ca >= cb ? a : torch_pair(a, b);
    return cb >= ca ? b : torch_pair(a, b);
}

/* ---- NumPy ---- */

static wf_dtype numpy_pair(wf_dtype a, wf_dtype b)
{
    int ca = category(a), cb = category(b);
    size_t sa = wf_dtype_size(a), sb = wf_dtype_size(b);

    if (a == b)
        return a;
    if (ca == 0 || cb == 0)
        return ca == 0 ? b : a;
    if (ca == 3 || cb == 3)
        return dtype_pair(numpy_pair(dtype_part(a), dtype_part(b)));
    if (ca == 2 && cb == 2)
        return sa == sb ? WF_F32 : sa > sb ? a : b; /* f16 with bf16: f32 */
    if (ca == 2 || cb == 2) {
        wf_dtype f = ca == 2 ? a : b;
        size_t si = ca == 2 ? sb : sa;
        wf_dtype need = si == 1 ? WF_F16 : si == 2 ? WF_F32 : WF_F64;
        return wf_dtype_size(f) >= wf_dtype_size(need) ? f : need;
    }
    if (dtype_is_signed(a) == dtype_is_signed(b))
        return sa > sb ? a : b;
    if (!dtype_is_unsigned(a)) { /* make a the unsigned one */
        wf_dtype t = a;
        a = b;
        b = t;
        sa = wf_dtype_size(a);
        sb = wf_dtype_size(b);
    }
    if (sb > sa)
        return b;
    return sa == 1 ? WF_I16 : sa == 2 ? WF_I32 : sa == 4 ? WF_I64 : WF_F64;
}

static wf_dtype promote_numpy(wf_dtype a, bool aw, wf_dtype b, bool bw)
{
    if (aw == bw)
        return numpy_pair(a, b);
    if (aw) {
        wf_dtype t = a;
        a = b;
        b = t;
    }
    /* b is the host number: only its category matters */
    if (category(b) <= category(a))
        return a;
    if (category(b) == 3)
        return dtype_is_float(a) ? dtype_pair(a) : WF_C128;
    return category(b) == 1 ? WF_I64 : dtype_is_int(a) || a == WF_BOOL ? WF_F64 : a;
}

/* ---- dtypes that only store ---- */

/* One of them with another: itself with the same and with host numbers and integers that its kind has room for;
 * by NumPy's rules else what its wider dtype gives (of integers a signed one). WF_INVALID: nothing is both. */
static wf_dtype promote_storage(wf_promotion rules, wf_dtype a, wf_dtype b, bool b_weak)
{
    bool is_float = dtype_wide(a) == WF_F32, numpy = rules == WF_PROMOTE_NUMPY;

    if (a == b || b == WF_BOOL)
        return a;
    if (b_weak && (numpy ? is_float && dtype_is_int(b) : dtype_is_int(b) || (is_float && dtype_is_float(b))))
        return a;
    if (numpy)
        return promote_numpy(is_float ? WF_F32 : WF_I8, false, dtype_wide(b), b_weak);
    return is_float && dtype_is_int(b) ? a : WF_INVALID;
}

wf_dtype wf_promote(wf_promotion rules, wf_dtype a, bool a_weak, bool a_zero, wf_dtype b,
                    bool b_weak, bool b_zero)
{
    if (!dtype_is_usable(a) || !dtype_is_usable(b))
        return WF_INVALID;
    if (dtype_is_storage(a))
        return promote_storage(rules, a, b, b_weak);
    if (dtype_is_storage(b))
        return promote_storage(rules, b, a, a_weak);
    switch (rules) {
    case WF_PROMOTE_JAX: return promote_jax(a, a_weak, b, b_weak);
    case WF_PROMOTE_NUMPY: return promote_numpy(a, a_weak, b, b_weak);
    default: return promote_torch(a, a_weak ? 2 : a_zero, b, b_weak ? 2 : b_zero);
    }
}

wf_dtype tensor_promoted(const wf_ctx *c, wf_dtype a, bool a_weak, bool a_zero, wf_dtype b, bool b_weak,
                  bool b_zero)
{
    wf_dtype d = wf_promote(c->semantics->promotion, a, a_weak, a_zero, b, b_weak, b_zero);

    if (c->semantics->promotion == WF_PROMOTE_JAX && dtype_is_float(d) && !dtype_is_float(a) &&
        !dtype_is_float(b))
        d = c->semantics->default_float; /* no integer holds both: the float of host numbers */
    return c->semantics->narrow && (a != b || wf_dtype_size(a) < 8) ? dtype_narrowed(d) : d;
}
