/* render_op.c -- one op in C, on vectors. */
#include "codegen/render.h"
#include "op/scalar.h"

static bool is_half(wf_dtype t) { return t == WF_F16 || t == WF_BF16; }

const char *render_type(wf_dtype t)
{
    static const char *const names[] = {
        [WF_BOOL] = "uint8_t", [WF_I8] = "int8_t",     [WF_I16] = "int16_t",
        [WF_I32] = "int32_t",  [WF_I64] = "int64_t",   [WF_U8] = "uint8_t",
        [WF_U16] = "uint16_t", [WF_U32] = "uint32_t",  [WF_U64] = "uint64_t",
        [WF_F16] = "uint16_t", [WF_BF16] = "uint16_t", [WF_F32] = "float",
        [WF_F64] = "double"};

    return names[t];
}

wf_dtype kept_dtype(wf_dtype t) { return is_half(t) ? WF_F32 : t; }

const char *lane_type(const Render *r, wf_dtype t)
{
    if (t == WF_BOOL)
        return arena_printf(r->a, "%c_b", r->set);
    return arena_printf(r->a, "%c_%s", r->set, wf_dtype_name(kept_dtype(t)));
}

/* ---- which ops there are ----------------------------------------------------------- */

static bool cast_has(wf_dtype from, wf_dtype to)
{
    if (!is_half(to))
        return true;
    return from == WF_F32 || is_half(from) || wf_dtype_size(from) <= 2;
}

bool render_has(const Target *t, const Program *p, const Eqn *e)
{
    wf_dtype x, y;

    (void)t;
    if (eqn_is_odd(p, e))
        return false;
    if (op_row(e->op)->lower.kind != LOWER_MAP) /* all there are */
        return true;
    x = (wf_dtype)val_type(p, eqn_in(p, e)[0]).dtype;
    y = (wf_dtype)val_type(p, e->out).dtype;
    switch (e->op) {
    case OP_cast: return cast_has(x, y);
    case OP_bitcast:
        return !is_half(x) && !is_half(y) && x != WF_BOOL && y != WF_BOOL &&
               wf_dtype_size(x) == wf_dtype_size(y);
    default: return !(op_row(e->op)->lower.by_width && is_half(x));
    }
}

/* ---- constants --------------------------------------------------------------------- */

static void render_float(const Render *r, wf_dtype t, uint64_t bits)
{
    char text[64];
    double x = element_as_f64(t, &bits);

    if (x - x != 0) { /* infinities and NaN, with their bits */
        text_printf(r->t, "%c_bits_%s(0x%llxu)", r->set, wf_dtype_name(t),
                    (unsigned long long)bits);
        return;
    }
    if (t == WF_F32)
        number_f32(text, (float)x);
    else
        number_f64(text, x);
    text_printf(r->t, "%c_splat_%s(%s%s%s)", r->set, wf_dtype_name(t), text,
                strpbrk(text, ".e") ? "" : ".0", t == WF_F32 ? "f" : "");
}

void render_const(const Render *r, wf_dtype t, uint64_t bits)
{
    if (t == WF_F32 || t == WF_F64)
        render_float(r, t, bits);
    else
        text_printf(r->t, "%c_splat_%s((%s)0x%llxu)", r->set, wf_dtype_name(t), render_type(t),
                    (unsigned long long)bits);
}

void render_identity(const Render *r, unsigned op, wf_dtype t)
{
    uint64_t bits = 0;

    t = kept_dtype(t);
    scalar_store(t, &bits, 0, scalar_identity(op, t));
    render_const(r, t, bits);
}

/* ---- casts ------------------------------------------------------------------------- */

static void render_to_int(const Render *r, wf_dtype to, const char *x)
{
    int width = 8 * (int)wf_dtype_size(to);
    bool is_signed = dtype_is_signed(to);

    text_printf(r->t, "TO_INTEGER(%c, %s, %s, %s, %s0x1p%d, 0x1p%d, %sINT%d_MAX)", r->set,
                wf_dtype_name(to), x, render_type(to), is_signed ? "-" : "0 * ",
                width - is_signed, width - is_signed, is_signed ? "" : "U", width);
}

static void render_to_float(const Render *r, wf_dtype from, wf_dtype to, const char *x)
{
    wf_dtype kept = kept_dtype(to);

    if (is_half(to) && from != to)
        text_printf(r->t, "%c_narrow_%s(", r->set, wf_dtype_name(to));
    if (kept_dtype(from) == kept)
        text_add(r->t, x);
    else if (dtype_is_int(from) && wf_dtype_size(from) < 4)
        text_printf(r->t, "wk_widen(%c, %s, %s, %s)", r->set, wf_dtype_name(from), x, lane_type(r, kept));
    else
        text_printf(r->t, "wk_convert(%s, %s)", x, lane_type(r, kept));
    if (is_half(to) && from != to)
        text_char(r->t, ')');
}

static void render_cast(const Render *r, wf_dtype from, wf_dtype to, const char *x)
{
    if (from == to)
        text_add(r->t, x);
    else if (to == WF_BOOL)
        text_printf(r->t, "wk_convert(%s != 0, %c_b)", x, r->set);
    else if (from == WF_BOOL) {
        wf_dtype kept = kept_dtype(to);
        const char *name = wf_dtype_name(kept);

        text_printf(r->t, "%c_select_%s(%s, %c_splat_%s(1), %c_splat_%s(0))", r->set,
                    name, x, r->set, name, r->set, name);
    } else if (dtype_is_float(to))
        render_to_float(r, from, to, x);
    else if (dtype_is_float(from))
        render_to_int(r, to, x);
    else
        text_printf(r->t, "wk_convert(%s, %s)", x, lane_type(r, to));
}

/* ---- ops --------------------------------------------------------------------------- */

static const char *infix_of(unsigned op)
{
    switch (op) {
    case OP_add: return "+";
    case OP_sub: return "-";
    case OP_mul: return "*";
    case OP_div: return "/";
    default: return NULL;
    }
}

void render_map(const Render *r, unsigned op, wf_dtype out, const wf_dtype *in,
                const char *const *args, uint32_t n)
{
    wf_dtype t = kept_dtype(op == OP_select ? out : in[0]);
    const char *infix = dtype_is_float(t) && n == 2 ? infix_of(op) : NULL;
    bool narrow = is_half(out) && op != OP_cast && op != OP_select;

    if (op == OP_cast) {
        render_cast(r, in[0], out, args[0]);
        return;
    }
    if (op == OP_bitcast) {
        text_printf(r->t, "WK_BITCAST(%c, %s, %s, %s)", r->set, wf_dtype_name(in[0]),
                    wf_dtype_name(out), args[0]);
        return;
    }
    if (narrow)
        text_printf(r->t, "%c_narrow_%s(", r->set, wf_dtype_name(out));
    if (infix) {
        text_printf(r->t, "%s %s %s", args[0], infix, args[1]);
    } else {
        text_printf(r->t, "%c_%s_%s(", r->set, op_name(op), wf_dtype_name(t));
        for (uint32_t i = 0; i < n; i++)
            text_printf(r->t, "%s%s", i ? ", " : "", args[i]);
        text_char(r->t, ')');
    }
    if (narrow)
        text_char(r->t, ')');
}

void render_combine(const Render *r, unsigned op, wf_dtype t, const char *x,
                    const char *y)
{
    text_printf(r->t, "%c_%s_%s(%s, %s)", r->set, op_name(op),
                wf_dtype_name(kept_dtype(t)), x, y);
}
