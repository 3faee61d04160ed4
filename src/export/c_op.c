/* c_op.c -- one op on single elements, as an expression of C.
 *
 * Bools are ints, 0 or 1. Half floats are floats, rounded after every op. What C has no
 * operator for is a routine, or what the op's row says in C (Lower.c).
 */
#include "export/export.h"
#include "op/scalar.h"

#include <stdlib.h>

static bool is_half(wf_dtype t) { return t == WF_F16 || t == WF_BF16; }
static wf_dtype kept(wf_dtype t) { return is_half(t) ? WF_F32 : t; }

/* ---- memory ------------------------------------------------------------------------ */

const char *c_load(CFile *c, wf_dtype t, const char *x)
{
    if (t == WF_BOOL)
        return arena_printf(c->a, "(%s != 0)", x);
    return is_half(t) ? arena_printf(c->a, "%s(%s)", c_need_of(c, "of", t), x) : x;
}

const char *c_store(CFile *c, wf_dtype t, const char *x)
{
    if (t == WF_BOOL)
        return arena_printf(c->a, "(uint8_t)(%s)", x);
    return is_half(t) ? arena_printf(c->a, "%s(%s)", c_need_of(c, "to", t), x) : x;
}

const char *c_nothing(CFile *c, unsigned op, wf_dtype t)
{
    uint64_t bits[2] = {0, 0};
    Scalar nothing = dtype_is_complex(t) ? (Scalar){.f = op == OP_mul} : scalar_identity(op, t);

    scalar_store(t, bits, 0, nothing);
    return c_literal(c->a, t, bits);
}

/* ---- casts ------------------------------------------------------------------------- */

/* A float that holds no more than f32 does before it is rounded to a half. */
static const char *cast_to_half(CFile *c, wf_dtype from, wf_dtype to, const char *x)
{
    if (from == WF_F64 || wf_dtype_size(from) >= 4) {
        if (from != WF_F32)
            x = arena_printf(c->a, "%s((double)(%s))", c_need(c, "to_odd"), x);
    } else if (!is_half(from)) {
        x = arena_printf(c->a, "(float)(%s)", x);
    }
    return arena_printf(c->a, "%s(%s)", c_need_of(c, "round", to), x);
}

const char *c_cast(CFile *c, wf_dtype from, wf_dtype to, const char *x)
{
    if (from == to)
        return x;
    if (dtype_is_complex(to)) /* the pass planes has done the others */
        return arena_printf(c->a, "%s((%s)%s.re, (%s)%s.im)", c_need_of(c, "complex", to),
                            c_type(dtype_part(to)), x, c_type(dtype_part(to)), x);
    if (to == WF_BOOL)
        return arena_printf(c->a, "%s != 0", x);
    if (is_half(to))
        return cast_to_half(c, from, to, x);
    if (dtype_is_float(from) && !dtype_is_float(to))
        return arena_printf(c->a, "%s((double)%s)", c_need_of(c, "truncate", to), x);
    if (kept(from) == to)
        return x;
    return arena_printf(c->a, "(%s)%s", c_value(to), x);
}

static const char *c_bitcast(CFile *c, wf_dtype from, wf_dtype to, const char *x)
{
    if (from == to)
        return x;
    if (dtype_is_float(from) || dtype_is_float(to))
        return arena_printf(
            c->a, "%s(%s)",
            c_need_of(c, arena_printf(c->a, "bits_%s", wf_dtype_name(from)), to), x);
    return arena_printf(c->a, "(%s)%s", c_value(to), x);
}

/* ---- ops --------------------------------------------------------------------------- */

static const char *infix_of(unsigned op, wf_dtype t)
{
    bool real = dtype_is_float(t), flag = t == WF_BOOL;

    switch (op) {
    case OP_add: return real ? "+" : NULL;
    case OP_sub: return real ? "-" : NULL;
    case OP_mul: return real ? "*" : NULL;
    case OP_div: return real ? "/" : NULL;
    case OP_and: return flag ? "&" : NULL;
    case OP_or: return flag ? "|" : NULL;
    case OP_xor: return flag ? "^" : NULL;
    case OP_max: return flag ? "|" : NULL;
    case OP_min: return flag ? "&" : NULL;
    case OP_eq: return "==";
    case OP_ne: return "!=";
    case OP_lt: return "<";
    case OP_le: return "<=";
    case OP_gt: return ">";
    case OP_ge: return ">=";
    default: return NULL;
    }
}

/* Is the text a number that is neither NaN nor -0? Then max and min are one comparison. */
static bool is_plain_number(const char *s)
{
    s += *s == '(' && s[1] == '-';
    s += *s == '-';
    return *s >= '0' && *s <= '9' && strcmp(s, "0.0f)") != 0 && strcmp(s, "0.0)") != 0;
}

/* max(x, 2) = x < 2 ? 2 : x, which keeps NaN; of 0, -0 becomes 0. */
static const char *c_bounded(CFile *c, unsigned op, const char *x, const char *bound)
{
    bool zero = *bound == '0' && strtod(bound, NULL) == 0;

    return arena_printf(c->a, "%s %s %s ? %s : %s", x,
                        op == OP_max ? zero ? "<=" : "<" : ">", bound, bound, x);
}

/* wx_<op>_<dtype>, written from what the op's row says. */
static const char *spelled(CFile *c, unsigned op, wf_dtype t, uint32_t n)
{
    const char *name = arena_printf(c->a, "wx_%s_%s", op_name(op), wf_dtype_name(t));

    for (uint32_t i = 0; i < c->needed.n; i++)
        if (!strcmp(c->needed.v[i], name))
            return name;
    if (!op_row(op)->lower.c || !dtype_is_float(t))
        return NULL;
    vec_push(c->a, &c->needed, name);
    text_printf(&c->routines, "static inline %s %s(%s v%s%s)\n{\n", c_value(t), name,
                c_value(t), n > 1 ? ", " : "",
                n > 1 ? arena_printf(c->a, "%s u", c_value(t)) : "");
    text_printf(&c->routines,
                "    const double x = (double)v%s;\n\n    return (%s)(%s);\n}\n\n",
                n > 1 ? ", y = (double)u" : "", c_value(t), op_row(op)->lower.c);
    return name;
}

static const char *c_call(CFile *c, unsigned op, wf_dtype t, const char *const *args,
                          uint32_t n)
{
    const char *name = c_need_of(c, op_name(op), t);
    Text out;

    if (!name)
        name = spelled(c, op, t, n);
    if (!name) {
        fail(c->cx, WF_ERR_UNSUPPORTED, NOWHERE, "export: %s of %s has no C", op_name(op),
             wf_dtype_name(t));
        return "0";
    }
    text_init(&out, c->a);
    text_printf(&out, "%s(", name);
    for (uint32_t i = 0; i < n; i++)
        text_printf(&out, "%s%s", i ? ", " : "", args[i]);
    text_char(&out, ')');
    return text_str(&out);
}

static const char *c_apply(CFile *c, unsigned op, wf_dtype t, const char *const *args,
                           uint32_t n)
{
    const char *infix = n == 2 ? infix_of(op, t) : NULL;

    if (infix)
        return arena_printf(c->a, "%s %s %s", args[0], infix, args[1]);
    if (op == OP_select)
        return arena_printf(c->a, "%s ? %s : %s", args[0], args[1], args[2]);
    if (op == OP_neg && dtype_is_float(t))
        return arena_printf(c->a, "-%s", args[0]);
    if (op == OP_not && t == WF_BOOL)
        return arena_printf(c->a, "!%s", args[0]);
    if ((op == OP_max || op == OP_min) && dtype_is_float(t))
        for (uint32_t i = 0; i < 2; i++)
            if (is_plain_number(args[i]) && !is_plain_number(args[1 - i]))
                return c_bounded(c, op, args[1 - i], args[i]);
    return c_call(c, op, t, args, n);
}

const char *c_map(CFile *c, unsigned op, wf_dtype out, const wf_dtype *in,
                  const char *const *args, uint32_t n)
{
    wf_dtype t = op == OP_select || op == OP_complex ? out : in[0];
    const char *y;

    if (op == OP_cast)
        return c_cast(c, in[0], out, args[0]);
    if (op == OP_bitcast)
        return c_bitcast(c, in[0], out, args[0]);
    if (op == OP_real || op == OP_imag)
        return arena_printf(c->a, "%s.%s", args[0], op == OP_real ? "re" : "im");
    if (is_half(t) && op_row(op)->lower.by_width)
        return c_call(c, op, t, args, n);
    y = c_apply(c, op, kept(t), args, n);
    return is_half(out) && op != OP_select
               ? arena_printf(c->a, "%s(%s)", c_need_of(c, "round", out), y)
               : y;
}
