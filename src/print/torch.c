/* torch.c -- tensors as PyTorch writes them.
 *
 * One format for all elements, chosen from those shown that are finite and not 0: without places if all
 * are whole, with exponents if they are far apart, large or small. The width comes from the same
 * elements only, so zeros and infinities may stick out. What follows the numbers (dtype, grad_fn ...) goes
 * on a line of its own where it does not fit.
 */
#include "print/print.h"

#include <math.h>
#include <stdio.h>

typedef struct Form {
    const PrintArray *a;
    const ArrayStyle *opts;
    bool is_float, whole, sci, any;
    double least, most; /* of the magnitudes */
    int width;
    const PrintArray *shown; /* whose elements are walked: a, or what it is a part of */
    const struct Form *im; /* of a complex array: this is its real part's */
} Form;

static bool is_float(wf_dtype t)
{
    t = dtype_wide(t);
    return t == WF_F16 || t == WF_BF16 || t == WF_F32 || t == WF_F64;
}

const char *print_torch_dtype(wf_dtype dtype)
{
    static const char *const names[WF_DTYPE_COUNT] = {
        [WF_BOOL] = "torch.bool",       [WF_I8] = "torch.int8",
        [WF_I16] = "torch.int16",       [WF_I32] = "torch.int32",
        [WF_I64] = "torch.int64",       [WF_U8] = "torch.uint8",
        [WF_U16] = "torch.uint16",      [WF_U32] = "torch.uint32",
        [WF_U64] = "torch.uint64",      [WF_F16] = "torch.float16",
        [WF_BF16] = "torch.bfloat16",   [WF_F32] = "torch.float32",
        [WF_F64] = "torch.float64",     [WF_C64] = "torch.complex64",
        [WF_C128] = "torch.complex128", [WF_F8E4M3FN] = "torch.float8_e4m3fn",
        [WF_F8E5M2] = "torch.float8_e5m2", [WF_F8E4M3FNUZ] = "torch.float8_e4m3fnuz",
        [WF_F8E5M2FNUZ] = "torch.float8_e5m2fnuz", [WF_F8E8M0FNU] = "torch.float8_e8m0fnu",
    };

    return dtype > WF_INVALID && dtype < WF_DTYPE_COUNT && names[dtype] ? names[dtype]
                                                                        : "?";
}

/* ---- the format -------------------------------------------------------------------------------------- */

static int write_element(const Form *f, int64_t at, char *out)
{
    int n;

    if (f->a->dtype == WF_BOOL) {
        bool v = ((const uint8_t *)f->a->data)[at] != 0;

        return snprintf(out, PRINT_NUMBER_MAX, "%s", v ? "True" : "False");
    }
    if (!f->is_float)
        return print_int(f->a, at, out);
    double x = print_f64(f->a, at);

    if (f->sci)
        return print_exponent(x, f->opts->precision, out);
    if (!f->whole)
        return print_fixed(x, f->opts->precision, out);
    n = print_fixed(x, 0, out);
    if (isfinite(x)) {
        out[n++] = '.';
        out[n] = 0;
    }
    return n;
}

static void look_at(void *user, int64_t at)
{
    Form *f = user;
    double x = print_f64(f->a, at), m = fabs(x);

    if (!isfinite(x) || x == 0)
        return;
    f->least = f->any ? fmin(f->least, m) : m;
    f->most = f->any ? fmax(f->most, m) : m;
    f->any = true;
    f->whole = f->whole && x == ceil(x);
}

static void measure(void *user, int64_t at)
{
    char text[PRINT_NUMBER_MAX];
    Form *f = user;

    if (f->is_float) {
        double x = print_f64(f->a, at);

        if (!isfinite(x) || x == 0)
            return;
    }
    f->width = MAX(f->width, write_element(f, at, text));
}

static Form choose(const PrintArray *a, bool summarise, const ArrayStyle *opts)
{
    Form f = {
        .a = a, .opts = opts, .is_float = is_float(a->dtype), .whole = true, .width = 1};

    if (f.is_float) {
        print_each(a, summarise, opts->edgeitems, look_at, &f);
        if (!f.any)
            return f;
        f.sci = opts->sci_mode < 0
                    ? f.most / f.least > 1000 || f.most > 1e8 || f.least < 1e-4
                    : opts->sci_mode > 0;
    }
    print_each(a, summarise, opts->edgeitems, measure, &f);
    return f;
}

/* ---- the nest ------------------------------------------------------------------------------------------ */

static void add_spaces(Text *t, int64_t n)
{
    while (n-- > 0)
        text_char(t, ' ');
}

static void add_element(Text *t, const Form *f, int64_t at)
{
    char text[PRINT_NUMBER_MAX];
    int n = write_element(f, f->im ? 2 * at : at, text);

    add_spaces(t, f->width - n);
    text_addn(t, text, (size_t)n);
    if (!f->im)
        return;
    n = write_element(f->im, 2 * at, text);
    text_add(t, text[0] == '-' ? "" : "+");
    text_addn(t, text, (size_t)n);
    text_char(t, 'j');
}

/* Items of a row: elements, with " ..." as one more where it is cut. */
static void add_row(Text *t, const Form *f, bool summarise, int64_t at, int indent)
{
    const PrintArray *a = f->shown;
    int64_t n = a->dims[a->rank - 1], edge = f->opts->edgeitems,
            stride = a->strides[a->rank - 1], items = 0;
    int64_t per_line = MAX(1, (f->opts->linewidth - indent) /
                             (f->width + (f->im ? f->im->width + 1 : 0) + 2));

    if (f->opts->linewidth < indent)
        per_line = 1;
    text_char(t, '[');
    for (int64_t i = 0; i < n; i++, items++) {
        bool cut = print_cuts(n, summarise, edge) && i == edge;

        if (items > 0 && items % per_line == 0) {
            text_add(t, ",\n");
            add_spaces(t, indent + 1);
        } else if (items > 0) {
            text_add(t, ", ");
        }
        if (cut) {
            text_add(t, edge ? " ..." : "...");
            i = n - edge - 1;
        } else {
            add_element(t, f, at + i * stride);
        }
    }
    text_char(t, ']');
}

static void add_nest(Text *t, const Form *f, bool summarise, int axis, int64_t at,
                     int indent)
{
    const PrintArray *a = f->shown;
    int left = a->rank - axis;
    int64_t n, edge = f->opts->edgeitems;

    if (left == 0) {
        add_element(t, f, at);
        return;
    }
    if (left == 1) {
        add_row(t, f, summarise, at, indent);
        return;
    }
    n = a->dims[axis];
    text_char(t, '[');
    for (int64_t i = 0; i < n; i++) {
        bool cut = print_cuts(n, summarise, edge) && i == edge;

        if (i > 0) {
            text_char(t, ',');
            for (int k = 1; k < left; k++)
                text_char(t, '\n');
            add_spaces(t, indent + 1);
        }
        if (cut) {
            text_add(t, "...");
            i = n - edge - 1;
        } else {
            add_nest(t, f, summarise, axis + 1, at + i * a->strides[axis], indent + 1);
        }
    }
    text_char(t, ']');
}

/* ---- what follows ----------------------------------------------------------------------------------------- */

typedef struct Tail {
    Text *t;
    int64_t column; /* length of the last line and 2, as PyTorch counts it */
    int indent, linewidth;
} Tail;

static void add_tail(Tail *tail, const char *s)
{
    int64_t n = (int64_t)strlen(s);

    if (tail->column + n + 2 > tail->linewidth) {
        text_add(tail->t, ",\n");
        add_spaces(tail->t, tail->indent);
        tail->column = tail->indent + n;
    } else {
        text_add(tail->t, ", ");
        tail->column += n + 2;
    }
    text_add(tail->t, s);
}

static int64_t last_line(const Text *t, size_t from)
{
    size_t n = t->n;

    while (n > from && t->s[n - 1] != '\n')
        n--;
    return (int64_t)(t->n - n) + 2;
}

static void add_tails(Text *t, size_t from, const PrintArray *a, const TorchPrint *what,
                      const ArrayStyle *opts)
{
    Tail tail = {t, last_line(t, from), (int)strlen("tensor("), opts->linewidth};
    wf_dtype standard = what->default_dtype ? what->default_dtype : WF_F32;
    bool empty = print_count(a) == 0;

    if (what->device)
        add_tail(&tail, arena_printf(t->a, "device='%s'", what->device));
    if (what->blank || (empty && a->rank != 1) || (!empty && opts->edgeitems == 0)) {
        Text shape;

        text_init(&shape, t->a);
        text_add(&shape, "size=");
        print_shape(&shape, a);
        add_tail(&tail, text_str(&shape));
    }
    if (a->dtype != standard && a->dtype != dtype_pair(standard) && (empty || what->blank || (a->dtype != WF_I64 && a->dtype != WF_BOOL)))
        add_tail(&tail, arena_printf(t->a, "dtype=%s", print_torch_dtype(a->dtype)));
    if (what->grad_fn)
        add_tail(&tail, arena_printf(t->a, "grad_fn=<%s>", what->grad_fn));
    else if (what->requires_grad)
        add_tail(&tail, "requires_grad=True");
}

void print_torch(Text *t, const PrintArray *a, const TorchPrint *what,
                 const ArrayStyle *opts)
{
    const ArrayStyle standard = PRINT_TORCH;
    const TorchPrint plain = {0};
    size_t from;

    opts = opts ? opts : &standard;
    what = what ? what : &plain;
    if (what->parameter)
        text_add(t, "Parameter containing:\n");
    from = t->n;
    text_add(t, "tensor(");
    if (what->blank) {
        text_add(t, "...");
    } else if (print_count(a) == 0) {
        text_add(t, "[]");
    } else {
        bool summarise = print_count(a) > opts->threshold;
        PrintParts parts;
        Form f, im;

        if (dtype_is_complex(a->dtype)) {
            print_parts(a, &parts);
            f = choose(&parts.re, summarise, opts);
            im = choose(&parts.im, summarise, opts);
            f.im = &im;
        } else {
            f = choose(a, summarise, opts);
        }
        f.shown = a;

        add_nest(t, &f, summarise, 0, 0, (int)strlen("tensor("));
    }
    add_tails(t, from, a, what, opts);
    text_char(t, ')');
}
