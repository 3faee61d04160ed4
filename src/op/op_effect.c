/* op_effect.c -- print and assert: the two effects a program can have, in the order of
 * its equations. */
#include "op/op.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- formats: "x = {} y = {}", {{ and }} are braces; {numpy} {torch} {tf}: as that library
 * prints it, where the host of the context can ---- */

#define STYLE_MAX 16

/* The length of a placeholder at s; 0: none. style: its name. */
static size_t placeholder(const char *s, char style[STYLE_MAX])
{
    size_t n = s[0] == '{' ? strspn(s + 1, "abcdefghijklmnopqrstuvwxyz") : STYLE_MAX;

    if (n >= STYLE_MAX || s[n + 1] != '}')
        return 0;
    memcpy(style, s + 1, n);
    style[n] = 0;
    return n + 2;
}

static bool check_format(TypeRule *t, const char *format, uint32_t nargs)
{
    char style[STYLE_MAX];
    uint32_t n = 0;
    size_t k;

    for (const char *s = format; *s; s++) {
        if ((s[0] == '{' && s[1] == '{') || (s[0] == '}' && s[1] == '}')) {
            s++;
        } else if ((k = placeholder(s, style)) > 0) {
            n++;
            s += k - 1;
        } else if (s[0] == '{' || s[0] == '}') {
            return type_fail(
                t, WF_ERR_VALUE,
                "a lone '%c' in the format; write {} for a value, %c%c for the character",
                s[0], s[0], s[0]);
        }
    }
    if (n != nargs)
        return type_fail(t, WF_ERR_VALUE, "the format has %u {} for %u operands", n,
                         nargs);
    return true;
}

static void text_element(Text *out, wf_dtype t, const void *p)
{
    char s[NUMBER_MAX];

    if (dtype_is_complex(t)) {
        wf_dtype part = dtype_part(t);

        text_char(out, '(');
        text_element(out, part, p);
        text_add(out, ", ");
        text_element(out, part, (const char *)p + wf_dtype_size(part));
        text_char(out, ')');
        return;
    }
    switch (t) {
    case WF_BOOL: text_add(out, *(const uint8_t *)p ? "true" : "false"); return;
    case WF_I8: number_i64(s, *(const int8_t *)p); break;
    case WF_I16: number_i64(s, *(const int16_t *)p); break;
    case WF_I32: number_i64(s, *(const int32_t *)p); break;
    case WF_I64: number_i64(s, *(const int64_t *)p); break;
    case WF_U8: number_u64(s, *(const uint8_t *)p); break;
    case WF_U16: number_u64(s, *(const uint16_t *)p); break;
    case WF_U32: number_u64(s, *(const uint32_t *)p); break;
    case WF_U64: number_u64(s, *(const uint64_t *)p); break;
    case WF_F16: number_f16(s, *(const uint16_t *)p); break;
    case WF_BF16: number_bf16(s, *(const uint16_t *)p); break;
    case WF_F32: number_f32(s, *(const float *)p); break;
    case WF_F64: number_f64(s, *(const double *)p); break;
    default:
        number_f64(s, element_as_f64(t, p)); /* storage */
        break;
    }
    text_add(out, s);
}

/* As nested lists; which brackets open and close at an element is read off its index. */
static void text_value(Text *out, const Nd *x)
{
    size_t size = wf_dtype_size(x->dtype);

    if (x->count == 0 && x->rank) {
        text_add(out, "[]");
        return;
    }
    for (int64_t i = 0; i < x->count; i++) {
        uint32_t open = 0;
        int64_t span = 1;
        for (uint32_t k = x->rank; k-- > 0;) {
            span *= x->dims[k];
            open += i % span == 0;
        }
        text_add(out, i ? ", " : "");
        for (uint32_t k = 0; k < open; k++)
            text_char(out, '[');
        text_element(out, x->dtype, (const char *)x->data + (size_t)i * size);
        span = 1;
        for (uint32_t k = x->rank; k-- > 0;) {
            span *= x->dims[k];
            if ((i + 1) % span == 0)
                text_char(out, ']');
        }
    }
}

static const char *format_values(wf_ctx *cx, Arena *a, const char *format, const Nd *v)
{
    char style[STYLE_MAX];
    const char *shown;
    Text out;
    size_t k;

    text_init(&out, a);
    for (const char *s = format; *s; s++) {
        if ((s[0] == '{' && s[1] == '{') || (s[0] == '}' && s[1] == '}')) {
            text_char(&out, *s++);
        } else if ((k = placeholder(s, style)) > 0) {
            shown = style[0] && cx->print_value ? cx->print_value(cx, style, v, a) : NULL;
            if (shown)
                text_add(&out, shown);
            else
                text_value(&out, v);
            v++;
            s += k - 1;
        } else {
            text_char(&out, *s);
        }
    }
    return text_str(&out);
}

/* ---- print ---- */

static bool type_print_op(TypeRule *t)
{
    return check_format(t, ((PrintAttr *)t->attr)->format, t->nin);
}

static bool eval_print(Eval *e)
{
    const char *s =
        format_values(e->cx, e->a, ((const PrintAttr *)e->attr)->format, e->in);

    if (e->cx->print_line) {
        e->cx->print_line(e->cx->print_user, s);
        return true;
    }
    if (e->cx->options.print) {
        Text line;

        text_init(&line, e->a);
        text_printf(&line, "%s\n", s);
        e->cx->options.print(e->cx->options.print_user, text_str(&line), line.n);
        return true;
    }
    if (fputs(s, stdout) < 0 || fputc('\n', stdout) < 0)
        return eval_fail(e, WF_ERR_IO, "standard output cannot be written");
    return true;
}

static const AttrField attrs_print[] = {FIELD(PrintAttr, format, A_STR, ATTR_REQUIRED),
                                        FIELD_END};

const OpRow op_row_print = {
    .attrs = attrs_print,
    .attr_size = sizeof(PrintAttr),
    .type = type_print_op,
    .eval = eval_print,
    .lower = {.kind = LOWER_EFFECT},
};
const OpRules op_rules_print = {
    .doc =
        DOC("Writes a line to standard output: format with each {} replaced by an "
            "operand, any dtype, as a nested "
            "list of shortest digits ({{ and }} are braces). Under vmap a line for each "
            "row, in order; in forward mode "
            "the primals only; in reverse mode once, with the forward pass."),
    .batch = batch_loop,
};

/* ---- assert ---- */

static bool type_assert(TypeRule *t)
{
    if (t->nin < 1 || t->in[0].dtype != WF_BOOL)
        return type_fail(t, WF_ERR_TYPE, "the condition is %s, needs bool",
                         t->nin ? type_show(t, t->in[0]) : "missing");
    return check_format(t, ((PrintAttr *)t->attr)->format, t->nin - 1);
}

static bool eval_assert(Eval *e)
{
    const uint8_t *ok = e->in[0].data;

    for (int64_t i = 0; i < e->in[0].count && !e->cx->options.unchecked; i++)
        if (!ok[i])
            return eval_fail(e, WF_ERR_ASSERT, "%s",
                             format_values(e->cx, e->a,
                                           ((const PrintAttr *)e->attr)->format,
                                           e->in + 1));
    return true;
}

/* All elements must be true, so a batch is one assert, unless the message shows values of
 * a row. */
static void batch_assert(Builder *b, const EqnView *e, const Batch *bt, Val *out,
                         int *out_axis)
{
    if (e->nin == 1)
        b_eqn(b, OP_assert, e->in, 1, e->attr, NULL, 0);
    else
        batch_loop(b, e, bt, out, out_axis);
}

static bool is_all_true(Builder *b, Val v)
{
    const void *p;

    return b_splat(b, v, &p) && *(const uint8_t *)p;
}

static bool fold_assert(Builder *b, const EqnView *e, Val *out)
{
    (void)out;
    return b->cx->options.unchecked || is_all_true(b, e->in[0]);
}

static const AttrField attrs_assert[] = {
    FIELD_AS("message", PrintAttr, format, A_STR, ATTR_REQUIRED), FIELD_END};

const OpRow op_row_assert = {
    .attrs = attrs_assert,
    .attr_size = sizeof(PrintAttr),
    .type = type_assert,
    .eval = eval_assert,
    .fold = fold_assert,
    .lower = {.kind = LOWER_EFFECT},
};
const OpRules op_rules_assert = {
    .doc = DOC(
        "Stops the run with an assert error at this place, unless all elements of the "
        "first operand, bool of any "
        "shape, are true (an empty one is). message is a format, as of print, for the "
        "other operands."),
    .batch = batch_assert,
};
