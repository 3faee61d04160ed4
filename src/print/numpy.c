/* numpy.c -- arrays as NumPy writes them, and as JAX and TensorFlow do, which wrap that.
 *
 * Floats have one format for all elements shown: points are aligned, digits are the fewest that tell
 * numbers apart, at most `precision` of them after the point; exponents where numbers are large for
 * their dtype, small, or far apart. Words are wrapped at the line width. bfloat16 and what is only stored are no
 * numbers of NumPy's own: their elements are written one by one, as C's %g does it, and not aligned.
 */
#include "print/print.h"

#include <math.h>
#include <stdio.h>

/* Of ml_dtypes, not of NumPy. */
static bool is_foreign(wf_dtype t) { return t == WF_BF16 || dtype_is_storage(t); }
static bool is_float(wf_dtype t) { return t == WF_F16 || t == WF_F32 || t == WF_F64; }

const char *print_numpy_dtype(wf_dtype dtype)
{
    static const char *const names[WF_DTYPE_COUNT] = {
        [WF_BOOL] = "bool",   [WF_I8] = "int8",       [WF_I16] = "int16",
        [WF_I32] = "int32",   [WF_I64] = "int64",     [WF_U8] = "uint8",
        [WF_U16] = "uint16",  [WF_U32] = "uint32",    [WF_U64] = "uint64",
        [WF_F16] = "float16", [WF_BF16] = "bfloat16", [WF_F32] = "float32",
        [WF_F64] = "float64", [WF_C64] = "complex64", [WF_C128] = "complex128",
        [WF_F8E4M3FN] = "float8_e4m3fn", [WF_F8E5M2] = "float8_e5m2", [WF_F8E4M3FNUZ] = "float8_e4m3fnuz",
        [WF_F8E5M2FNUZ] = "float8_e5m2fnuz", [WF_F8E8M0FNU] = "float8_e8m0fnu", [WF_I4] = "int4", [WF_U4] = "uint4",
    };

    return dtype > WF_INVALID && dtype < WF_DTYPE_COUNT && names[dtype] ? names[dtype]
                                                                        : "?";
}

/* From this on floats of the dtype need an exponent: their whole part has more digits than they hold. */
static double large(wf_dtype t, bool scalar)
{
    return t == WF_F16 ? 1e3 : t == WF_F32 ? 1e6 : scalar ? 1e16 : 1e8;
}

static double round_to(wf_dtype t, double x)
{
    return t == WF_F64   ? x
           : t == WF_F32 ? (double)(float)x
                         : (double)f16_to_f32(f16_from_f64(x));
}

/* ---- the format of elements ---------------------------------------------------------------------------- */

typedef struct Form Form;
struct Form {
    const PrintArray *a;
    const ArrayStyle *opts;
    bool any, sci; /* finite numbers that are not 0; exponents */
    bool finite, inf, neg_inf, nan;
    double least, most; /* of the magnitudes */
    int left, right;    /* columns before and after the point */
    int exp_digits;
    int width; /* integers */
    bool plus; /* numbers that are not negative have a sign, too */
    const Form *re, *im; /* of a complex array: its parts' */
};

static void look_at(void *user, int64_t at)
{
    Form *f = user;
    double x = print_f64(f->a, at), m = fabs(x);

    f->nan = f->nan || isnan(x);
    f->inf = f->inf || isinf(x);
    f->neg_inf = f->neg_inf || (isinf(x) && x < 0);
    f->finite = f->finite || isfinite(x);
    if (!isfinite(x) || x == 0)
        return;
    f->least = f->any ? fmin(f->least, m) : m;
    f->most = f->any ? fmax(f->most, m) : m;
    f->any = true;
}

/* The sign of the imaginary part. */
static int add_plus(const Form *f, double x, int n, char *text)
{
    if (!f->plus || (signbit(x) && !isnan(x)))
        return n;
    memmove(text + 1, text, (size_t)n + 1);
    text[0] = '+';
    return n + 1;
}

static void measure_float(void *user, int64_t at)
{
    char text[PRINT_NUMBER_MAX], *point, *e;
    Form *f = user;
    double x = print_f64(f->a, at);
    int n;

    if (!isfinite(x))
        return;
    if (f->sci)
        n = print_shortest_exponent(f->a->dtype, x, f->opts->precision, 0, 0, text);
    else
        n = print_shortest(f->a->dtype, x, f->opts->precision, text);
    n = add_plus(f, x, n, text);
    point = strchr(text, '.');
    e = f->sci ? strchr(text, 'e') : text + n;
    f->left = MAX(f->left, (int)(point - text));
    f->right = MAX(f->right, (int)(e - point) - 1);
    if (f->sci)
        f->exp_digits = MAX(f->exp_digits, (int)(text + n - e) - 2);
}

static void measure_int(void *user, int64_t at)
{
    char text[PRINT_NUMBER_MAX];
    Form *f = user;

    f->width = MAX(f->width, print_int(f->a, at, text));
}

/* Columns after the point, exponent included. */
static int columns_right(const Form *f)
{
    return f->right + (f->sci ? f->exp_digits + 2 : 0);
}

static Form choose(Arena *arena, const PrintArray *a, bool summarise, const ArrayStyle *opts,
                   bool plus)
{
    Form f = {.a = a, .opts = opts, .plus = plus}, *parts;
    wf_dtype t = a->dtype;
    PrintParts *p;

    if (dtype_is_complex(t)) {
        p = arena_alloc(arena, sizeof *p);
        parts = arena_alloc(arena, 2 * sizeof *parts);
        print_parts(a, p);
        parts[0] = choose(arena, &p->re, summarise, opts, false);
        parts[1] = choose(arena, &p->im, summarise, opts, true);
        f.re = &parts[0];
        f.im = &parts[1];
    } else if (is_float(t)) {
        print_each(a, summarise, opts->edgeitems, look_at, &f);
        f.sci = f.any && (f.most >= large(t, false) ||
                          (!opts->suppress && (f.least < round_to(t, 1e-4) ||
                                               round_to(t, f.most / f.least) > 1000)));
        print_each(a, summarise, opts->edgeitems, measure_float, &f);
        if (f.nan || f.inf)
            f.left = MAX(f.left, 3 + (f.inf && (f.neg_inf || plus)) - (columns_right(&f) + 1));
    } else if (t != WF_BOOL && !is_foreign(t)) {
        print_each(a, summarise, opts->edgeitems, measure_int, &f);
    }
    return f;
}

/* n characters at the right end of so many columns. */
static int right_align(char *s, int n, int columns)
{
    int pad = MAX(columns - n, 0);

    memmove(s + pad, s, (size_t)n + 1);
    memset(s, ' ', (size_t)pad);
    return n + pad;
}

static int write_float(const Form *f, double x, char *out)
{
    int n, before;

    if (!isfinite(x)) {
        n = snprintf(out, PRINT_NUMBER_MAX, "%s",
                     isnan(x) ? "nan"
                     : x < 0  ? "-inf"
                              : "inf");
        n = add_plus(f, x, n, out);
        return right_align(out, n, f->left + columns_right(f) + 1);
    }
    if (f->sci)
        n = print_shortest_exponent(f->a->dtype, x, f->right, f->right, f->exp_digits,
                                    out);
    else
        n = print_shortest(f->a->dtype, x, f->opts->precision, out);
    n = add_plus(f, x, n, out);
    before = (int)(strchr(out, '.') - out);
    n = right_align(out, n, n + f->left - before);
    while (n < f->left + 1 + columns_right(f))
        out[n++] = ' ';
    out[n] = 0;
    return n;
}

static int write_foreign(double x, char *out)
{
    char *p = out;

    if (!isfinite(x))
        return snprintf(out, PRINT_NUMBER_MAX, "%s",
                        isnan(x) ? "nan"
                        : x < 0  ? "-inf"
                                 : "inf");
    snprintf(out, PRINT_NUMBER_MAX, "%g", x);
    for (; *p; p++) /* the locale's point */
        if (!strchr("0123456789+-e", *p))
            *p = '.';
    return (int)(p - out);
}

/* The j stands behind the digits, before the columns that are empty. */
static int write_complex(const Form *f, int64_t at, char *out)
{
    int n = write_float(f->re, print_f64(f->re->a, 2 * at), out), end;

    end = n += write_float(f->im, print_f64(f->im->a, 2 * at), out + n);
    while (out[end - 1] == ' ')
        end--;
    memmove(out + end + 1, out + end, (size_t)(n - end) + 1);
    out[end] = 'j';
    return n + 1;
}

static int write_element(const Form *f, int64_t at, char *out)
{
    wf_dtype t = f->a->dtype;

    if (f->re)
        return write_complex(f, at, out);
    if (t == WF_BOOL) {
        bool v = ((const uint8_t *)f->a->data)[at] != 0;

        return snprintf(out, PRINT_NUMBER_MAX, "%s",
                        !v           ? "False"
                        : f->a->rank ? " True"
                                     : "True");
    }
    if (is_float(t))
        return write_float(f, print_f64(f->a, at), out);
    if (is_foreign(t))
        return write_foreign(print_f64(f->a, at), out);
    return right_align(out, print_int(f->a, at, out), f->width);
}

/* ---- nests and lines ---------------------------------------------------------------------------------------- */

typedef struct PrintNest {
    Text *t;
    Form form;
    bool summarise;
    const char *separator; /* " " or ", " */
    int prefix;            /* columns that lines begin with */
    size_t line;           /* where the current line begins in t */
} PrintNest;

static void add_spaces(Text *t, int64_t n)
{
    while (n-- > 0)
        text_char(t, ' ');
}

static void cut_spaces(Text *t)
{
    while (t->n > 0 && t->s[t->n - 1] == ' ')
        t->s[--t->n] = 0;
}

/* A word on the current line, which holds `column` characters counted as if it began with the hanging
 * indent; wrapped if it goes past the width, unless the line has nothing yet. */
static int64_t add_word(PrintNest *s, const char *word, int n, int64_t column, int64_t indent,
                        int64_t width)
{
    if (column + n > width && column > indent) {
        cut_spaces(s->t);
        text_char(s->t, '\n');
        add_spaces(s->t, indent);
        column = indent;
    }
    text_addn(s->t, word, (size_t)n);
    return column + n;
}

static void add_row(PrintNest *s, int64_t at, int64_t indent, int64_t width)
{
    const PrintArray *a = s->form.a;
    int64_t n = a->dims[a->rank - 1], edge = s->form.opts->edgeitems,
            stride = a->strides[a->rank - 1];
    int64_t column = indent;
    char word[PRINT_WORD_MAX];

    width -= 1; /* "," or "]" */
    for (int64_t i = 0; i < n; i++) {
        bool cut = print_cuts(n, s->summarise, edge) && i == edge;

        if (i > 0) {
            text_add(s->t, s->separator);
            column += (int64_t)strlen(s->separator);
        }
        if (cut) {
            column = add_word(s, "...", 3, column, indent, width);
            i = n - edge - 1;
        } else {
            column = add_word(s, word, write_element(&s->form, at + i * stride, word),
                              column, indent, width);
        }
    }
}

/* indent: columns that the lines inside this list begin with. */
static void add_nest(PrintNest *s, int axis, int64_t at, int64_t indent, int64_t width)
{
    const PrintArray *a = s->form.a;
    int left = a->rank - axis;
    int64_t n, edge = s->form.opts->edgeitems;
    char word[PRINT_WORD_MAX];

    if (left == 0) {
        text_addn(s->t, word, (size_t)write_element(&s->form, at, word));
        return;
    }
    n = a->dims[axis];
    text_char(s->t, '[');
    if (left == 1) {
        add_row(s, at, indent, width);
        text_char(s->t, ']');
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        bool cut = print_cuts(n, s->summarise, edge) && i == edge;

        if (i > 0) {
            if (s->separator[0] == ',')
                text_char(s->t, ',');
            for (int k = 1; k < left; k++)
                text_char(s->t, '\n');
            add_spaces(s->t, indent);
        }
        if (cut) {
            text_add(s->t, "...");
            i = n - edge - 1;
        } else {
            add_nest(s, axis + 1, at + i * a->strides[axis], indent + 1, width - 1);
        }
    }
    text_char(s->t, ']');
}

/* The nested lists alone. prefix: columns already used on the first line; suffix: to be left free. */
static void add_body(Text *t, const PrintArray *a, const ArrayStyle *opts,
                     const char *separator, int prefix, int suffix)
{
    bool summarise = print_count(a) > opts->threshold;
    PrintNest s = {.t = t, .summarise = summarise, .separator = separator, .prefix = prefix};

    if (print_count(a) == 0) {
        text_add(t, "[]");
        return;
    }
    s.form = choose(t->a, a, summarise, opts, false);
    add_nest(&s, 0, 0, prefix + 1, opts->linewidth - suffix);
}

/* ---- NumPy -------------------------------------------------------------------------------------------------- */

static void add_scalar(Text *t, const PrintArray *a);

/* A part of a complex scalar: without .0 */
static void add_scalar_part(Text *t, const PrintArray *a)
{
    add_scalar(t, a);
    if (t->n > 2 && t->s[t->n - 1] == '0' && t->s[t->n - 2] == '.')
        t->s[t->n -= 2] = 0;
}

/* (1+2j), or 2j where the real part is 0 */
static void add_scalar_complex(Text *t, const PrintArray *a)
{
    PrintParts p;
    double re, im;

    print_parts(a, &p);
    re = print_f64(&p.re, 0);
    im = print_f64(&p.im, 0);
    if (re == 0 && !signbit(re)) {
        add_scalar_part(t, &p.im);
        text_char(t, 'j');
        return;
    }
    text_char(t, '(');
    add_scalar_part(t, &p.re);
    if (!signbit(im) || isnan(im))
        text_char(t, '+');
    add_scalar_part(t, &p.im);
    text_add(t, "j)");
}

/* A scalar: as Python's repr of a float, but exponents begin where the dtype's digits end. */
static void add_scalar(Text *t, const PrintArray *a)
{
    char text[PRINT_NUMBER_MAX];
    double x, m;
    int n;

    if (a->dtype == WF_BOOL) {
        text_add(t, *(const uint8_t *)a->data ? "True" : "False");
        return;
    }
    if (dtype_is_complex(a->dtype)) {
        add_scalar_complex(t, a);
        return;
    }
    if (!is_float(a->dtype)) {
        n = is_foreign(a->dtype) ? write_foreign(print_f64(a, 0), text)
                                : print_int(a, 0, text);
        text_addn(t, text, (size_t)n);
        return;
    }
    x = print_f64(a, 0);
    m = fabs(x);
    if (!isfinite(x)) {
        text_add(t, isnan(x) ? "nan" : x < 0 ? "-inf" : "inf");
        return;
    }
    if (m == 0 || (m < large(a->dtype, true) && m >= 1e-4)) {
        n = print_shortest(a->dtype, x, 100, text);
        text_addn(t, text, (size_t)n);
        if (text[n - 1] == '.')
            text_char(t, '0');
        return;
    }
    n = print_shortest_exponent(a->dtype, x, 100, 0, 0, text);
    for (int i = 0; i < n; i++) /* 1.e+16 is 1e+16 here */
        if (text[i] != '.' || text[i + 1] != 'e')
            text_char(t, text[i]);
}

void print_numpy_str(Text *t, const PrintArray *a, const ArrayStyle *opts)
{
    const ArrayStyle standard = PRINT_NUMPY;

    if (a->rank == 0)
        add_scalar(t, a);
    else
        add_body(t, a, opts ? opts : &standard, " ", 0, 0);
}

static int64_t last_line(const Text *t, size_t from)
{
    size_t n = t->n;

    while (n > from && t->s[n - 1] != '\n')
        n--;
    return (int64_t)(t->n - n);
}

void print_numpy_repr(Text *t, const PrintArray *a, const ArrayStyle *opts)
{
    const ArrayStyle standard = PRINT_NUMPY;
    size_t from = t->n;
    int64_t count = print_count(a);
    bool shape, dtype = count == 0 ||
                        (a->dtype != WF_BOOL && a->dtype != WF_I64 && a->dtype != WF_F64 &&
                         a->dtype != WF_C128),
         quoted = dtype_is_storage(a->dtype) && dtype_wide(a->dtype) == WF_F32;
    Text extra;

    opts = opts ? opts : &standard;
    shape = (count == 0 && !(a->rank == 1)) || count > opts->threshold;
    text_add(t, "array(");
    add_body(t, a, opts, ", ", (int)strlen("array("), 1);
    if (shape || dtype) {
        text_init(&extra, t->a);
        if (shape) {
            text_add(&extra, "shape=");
            print_shape(&extra, a);
        }
        if (dtype)
            text_printf(&extra, quoted ? "%sdtype='%s'" : "%sdtype=%s", shape ? ", " : "",
                        print_numpy_dtype(a->dtype));
        text_char(&extra, ')');
        text_char(t, ',');
        if (last_line(t, from) + (int64_t)extra.n + 1 > opts->linewidth)
            text_add(t, "\n      ");
        else
            text_char(t, ' ');
        text_add(t, text_str(&extra));
    } else {
        text_char(t, ')');
    }
}

void print_numpy_scalar_repr(Text *t, const PrintArray *a)
{
    if (is_foreign(a->dtype)) { /* not NumPy's own */
        add_scalar(t, a);
        return;
    }
    if (a->dtype == WF_BOOL) {
        text_printf(t, "np.%s", *(const uint8_t *)a->data ? "True_" : "False_");
        return;
    }
    text_printf(t, "np.%s(", print_numpy_dtype(a->dtype));
    if (dtype_is_complex(a->dtype)) { /* in its parentheses, or those of the call */
        size_t from = t->n;

        add_scalar(t, a);
        if (t->s[from] == '(') {
            memmove(t->s + from - 1, t->s + from, t->n - from);
            t->s[--t->n] = 0;
            return;
        }
        text_char(t, ')');
        return;
    }
    add_scalar(t, a);
    text_char(t, ')');
}

/* ---- JAX ------------------------------------------------------------------------------------------------------- */

/* Where the dtype does not fit on the last line JAX puts six spaces before it, but no line break. */
void print_jax_repr(Text *t, const PrintArray *a, bool weak_type, const ArrayStyle *opts)
{
    const ArrayStyle standard = PRINT_NUMPY;
    const char *dtype = arena_printf(t->a, "dtype=%s%s", print_numpy_dtype(a->dtype),
                                     weak_type ? ", weak_type=True" : "");
    size_t from;

    opts = opts ? opts : &standard;
    text_add(t, "Array(");
    from = t->n;
    if (print_count(a) == 0) {
        text_add(t, "[], shape=");
        print_shape(t, a);
    } else {
        add_body(t, a, opts, ", ", (int)strlen("Array("), 1);
    }
    bool fits = last_line(t, from) + 2 + (int64_t)strlen(dtype) + 2 <= opts->linewidth;

    text_add(t, fits ? ", " : ",      ");
    text_add(t, dtype);
    text_char(t, ')');
}

/* ---- TensorFlow -------------------------------------------------------------------------------------------------- */

/* Text of more than one line begins on a new one. */
static void add_block(Text *t, Text *block)
{
    const char *s = text_str(block);

    if (strchr(s, '\n'))
        text_char(t, '\n');
    text_add(t, s);
}

void print_tf_str(Text *t, const PrintArray *a, const ArrayStyle *opts)
{
    Text body;

    text_init(&body, t->a);
    print_numpy_str(&body, a, opts);
    text_add(t, "tf.Tensor(");
    add_block(t, &body);
    text_add(t, ", shape=");
    print_shape(t, a);
    text_printf(t, ", dtype=%s)", print_numpy_dtype(a->dtype));
}

/* A scalar is a number of Python's here: floats of every dtype show the digits of an f64. */
static void add_tf_numpy(Text *t, const PrintArray *a, const ArrayStyle *opts)
{
    Text body;

    text_init(&body, t->a);
    if (a->rank > 0) {
        print_numpy_repr(&body, a, opts);
    } else if (is_float(a->dtype) || is_foreign(a->dtype)) {
        double x = print_f64(a, 0);

        add_scalar(&body, &(PrintArray){WF_F64, 0, NULL, NULL, &x});
    } else {
        add_scalar(&body, a);
    }
    text_add(t, "numpy=");
    add_block(t, &body);
    text_char(t, '>');
}

void print_tf_repr(Text *t, const PrintArray *a, const ArrayStyle *opts)
{
    text_add(t, "<tf.Tensor: shape=");
    print_shape(t, a);
    text_printf(t, ", dtype=%s, ", print_numpy_dtype(a->dtype));
    add_tf_numpy(t, a, opts);
}

void print_tf_variable(Text *t, const PrintArray *a, const char *name,
                       const ArrayStyle *opts)
{
    text_printf(t, "<tf.Variable '%s' shape=", name);
    print_shape(t, a);
    text_printf(t, " dtype=%s, ", print_numpy_dtype(a->dtype));
    add_tf_numpy(t, a, opts);
}
