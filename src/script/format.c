/* format.c -- numbers as text, format specs, % formatting and str.format.
 *
 * Fixed digits come from snprintf, which is exact in glibc and rounds to even as Python
 * does; a decimal comma of the locale is turned back into a point.
 */
#include "script.h"
#include "long.h"
#include "dunder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

Value sc_float_repr(Vm *vm, double x)
{
    char s[NUMBER_MAX + 4];
    int n = number_f64(s, x);

    if (isfinite(x) && !strpbrk(s, ".e")) {
        s[n++] = '.';
        s[n++] = '0';
    }
    return v_obj(sc_str_n(vm, s, (size_t)n));
}

double sc_round_digits(double x, int64_t digits)
{
    char s[400];

    if (!isfinite(x) || digits > 330)
        return x;
    if (digits < -330)
        return copysign(0, x);
    if (digits < 0) {
        double p = pow(10, (double)-digits), q = x / p, r = nearbyint(q);

        return r * p;
    }
    snprintf(s, sizeof s, "%.*f", (int)digits, x);
    for (char *p = s; *p; p++)
        if (*p == ',')
            *p = '.';
    number_parse_f64(s, s + strlen(s), &x);
    return x;
}

/* ---- specs ------------------------------------------------------------------------- */

typedef struct FormatSpec { /* [[fill]align][sign][#][0][width][,_][.prec][type] */
    char fill[5];
    char align, sign, group, type;
    bool alt;
    int64_t width, prec; /* -1: none */
    int64_t min_digits;  /* of an integer, by zeros */
} FormatSpec;

static const char *read_number(const char *s, int64_t *out)
{
    for (*out = 0; *s >= '0' && *s <= '9'; s++)
        if (*out < 1000000)
            *out = *out * 10 + (*s - '0');
    return s;
}

/* Which presentation types take digits in groups: , and _ in decimals, _ also in bits. */
static bool check_group(Vm *vm, const FormatSpec *f, bool is_str)
{
    char type = f->type ? f->type : is_str ? 's' : 'd';

    if (!f->group || strchr("deEfFgG%", type) || (f->group == '_' && strchr("boxX", type)))
        return true;
    return sc_fail(vm, C_ValueError, "Cannot specify '%c' with '%c'.", f->group, type);
}

/* [[fill]align][sign][#][0][width][group][.precision][type] */
static bool parse_spec(Vm *vm, Str *text, bool is_str, FormatSpec *f)
{
    const char *s = text->s;
    int len = text->n ? utf8_len(s, text->n) : 0;
    bool filled = false;

    *f = (FormatSpec){.fill = " ", .width = -1, .prec = -1};
    if (len && s[len] && strchr("<>=^", s[len])) {
        memcpy(f->fill, s, (size_t)len);
        f->fill[len] = 0;
        f->align = s[len];
        filled = true;
        s += len + 1;
    } else if (*s && strchr("<>=^", *s)) {
        f->align = *s++;
    }
    if (*s && strchr("+- ", *s))
        f->sign = *s++;
    if (*s == '#') {
        f->alt = true;
        s++;
    }
    if (*s == '0' && !filled) {
        strcpy(f->fill, "0");
        if (!f->align)
            f->align = is_str ? '<' : '=';
        s++;
    }
    if (*s >= '0' && *s <= '9')
        s = read_number(s, &f->width);
    if (*s == ',' || *s == '_')
        f->group = *s++;
    if (f->group && (*s == ',' || *s == '_'))
        return *s == f->group ? sc_fail(vm, C_ValueError, "Cannot specify '%c' with '%c'.", *s, *s)
                              : sc_fail(vm, C_ValueError, "Cannot specify both ',' and '_'.");
    if (*s == '.') {
        if (s[1] < '0' || s[1] > '9')
            return sc_fail(vm, C_ValueError, "Format specifier missing precision");
        s = read_number(s + 1, &f->prec);
    }
    if (*s)
        f->type = *s++;
    if (*s || f->width > 500000 || f->prec > 500000)
        return sc_fail(vm, C_ValueError, "Invalid format specifier");
    return check_group(vm, f, is_str);
}

static Value pad_out(Vm *vm, const FormatSpec *f, const char *sign, const char *body, size_t n,
                     int64_t chars, char align)
{
    Buf b = {.vm = vm};
    int64_t room = f->width - chars - (int64_t)strlen(sign), left;

    if (room < 0)
        room = 0;
    left = align == '<' ? 0 : align == '^' ? room / 2 : align == '=' ? 0 : room;
    buf_pad(&b, f->fill, left);
    buf_str(&b, sign);
    if (align == '=')
        buf_pad(&b, f->fill, room);
    buf_add(&b, body, n);
    if (align == '<' || align == '^')
        buf_pad(&b, f->fill, room - left);
    return buf_done(&b);
}

/* Digits with a separator every `every` from the right; minimum width for zero padding. */
static void group_digits(Buf *b, const char *digits, size_t n, char sep, int every,
                         int64_t min_width)
{
    int64_t len = (int64_t)n, total;

    for (;; len++) {
        total = len + (len - 1) / every;
        if (len >= (int64_t)n && total >= min_width)
            break;
    }
    for (int64_t i = 0; i < len; i++) {
        int64_t left = len - i;

        buf_char(b, i < len - (int64_t)n ? '0' : digits[i - (len - (int64_t)n)]);
        if (left > 1 && (left - 1) % every == 0)
            buf_char(b, sep);
    }
}

static Value format_int(Vm *vm, Value v, const FormatSpec *f)
{
    char sign[8] = "", small[72], *digits = small + sizeof small;
    int n = 0, base = 10, k = 0;
    int64_t x;
    Buf b = {.vm = vm};
    Value r, text = NIL;
    bool neg;
    bool zero = f->align == '=' && f->fill[0] == '0';

    switch (f->type) {
    case 'b': base = 2; break;
    case 'o': base = 8; break;
    case 'x':
    case 'X': base = 16; break;
    case 'c': {
        char out[5];
        int len;

        if (f->prec >= 0)
            break;
        if (f->sign || f->alt)
            return sc_raise(vm, C_ValueError,
                            f->sign ? "Sign not allowed with integer format specifier 'c'"
                                    : "Alternate form (#) not allowed with integer format specifier 'c'");
        if (!long_fits(v, &x) || x < 0 || x > 0x10FFFF)
            return sc_raise(vm, C_OverflowError, "%%c arg not in range(0x110000)");
        len = sc_utf8_write(out, (uint32_t)x);
        return pad_out(vm, f, "", out, (size_t)len, 1, f->align ? f->align : '<');
    }
    default: break;
    }
    if (f->prec >= 0)
        return sc_raise(vm, C_ValueError, "Precision not allowed in integer format specifier");
    if (v.tag == T_OBJ) {
        text = long_digits(vm, v, base, &neg);
        if (text.tag == T_NIL)
            return NIL;
        digits = as_str(text)->s;
        n = (int)as_str(text)->n;
    } else {
        uint64_t u = v.i < 0 ? 0 - (uint64_t)v.i : (uint64_t)v.i;

        neg = v.i < 0;
        for (; u || n == 0; u /= (uint64_t)base, n++)
            *--digits = "0123456789abcdef"[u % (uint64_t)base];
    }
    if (neg)
        sign[k++] = '-';
    else if (f->sign == '+' || f->sign == ' ')
        sign[k++] = f->sign;
    if (f->alt && base != 10) {
        sign[k++] = '0';
        sign[k++] = f->type;
    }
    buf_pad(&b, "0", f->min_digits - n);
    if (f->group)
        group_digits(&b, digits, (size_t)n, f->group, base == 10 ? 3 : 4,
                     zero ? f->width - k : 0);
    else
        buf_add(&b, digits, (size_t)n);
    sc_drop(vm, text);
    for (int64_t i = 0; f->type == 'X' && i < b.n; i++)
        b.s[i] = (char)(b.s[i] >= 'a' ? b.s[i] - 32 : b.s[i]);
    if (b.failed) {
        buf_free(&b);
        return NIL;
    }
    r = pad_out(vm, f, sign, b.s, (size_t)b.n, b.n, f->align ? f->align : '>');
    buf_free(&b);
    return r;
}

static void fix_point(char *s)
{
    for (; *s; s++)
        if (*s == ',')
            *s = '.';
}

/* |x| in the given form, into b. */
void sc_format_double(Buf *b, double x, char code, int prec, bool alt, char group)
{
    char small[512], *s = small;
    size_t need = (size_t)(prec < 0 ? 6 : prec) + 350;
    char fmt[8] = {'%', alt ? '#' : '.', alt ? '.' : '*', alt ? '*' : code, alt ? code : 0, 0};
    size_t n, whole;

    x = fabs(x);
    if (!isfinite(x)) {
        buf_str(b, isnan(x) ? (code == 'F' || code == 'E' || code == 'G' ? "NAN" : "nan")
                            : (code == 'F' || code == 'E' || code == 'G' ? "INF" : "inf"));
        return;
    }
    if (need > sizeof small) {
        s = sc_alloc(b->vm, need);
        if (!s) {
            b->failed = true;
            return;
        }
    }
    snprintf(s, need > sizeof small ? need : sizeof small, fmt, prec < 0 ? 6 : prec, x);
    fix_point(s);
    n = strlen(s);
    whole = strcspn(s, ".eE");
    if (group && s[0] >= '0' && s[0] <= '9') {
        group_digits(b, s, whole, group, 3, 0);
        buf_add(b, s + whole, n - whole);
    } else {
        buf_add(b, s, n);
    }
    if (s != small)
        sc_free(b->vm, s, need);
}

/* No type: the shortest repr, or with precision like g but with at least one decimal. */
static void format_general(Buf *b, double x, const FormatSpec *f)
{
    char s[NUMBER_MAX + 24], *e, *keep;
    int64_t at = b->n;
    int prec;

    if (f->prec < 0) {
        int n = number_f64(s, fabs(x));

        if (isfinite(x) && !strpbrk(s, ".e")) {
            s[n++] = '.';
            s[n++] = '0';
            s[n] = 0;
        }
        if (f->group && isfinite(x) && !strchr(s, 'e')) {
            size_t w = strcspn(s, ".");

            group_digits(b, s, w, f->group, 3, 0);
            buf_str(b, s + w);
        } else {
            buf_add(b, s, (size_t)n);
        }
        return;
    }
    /* one decimal needs a digit: a number with as many digits before the point as there are in all has an exponent */
    prec = (int)(f->prec ? f->prec : 1);
    if (isfinite(x) && prec < (int)sizeof s - 8) {
        snprintf(s, sizeof s, "%.*e", prec - 1, fabs(x));
        fix_point(s);
        e = strchr(s, 'e');
        if (atoi(e + 1) == prec - 1) {
            keep = e;
            while (!f->alt && strchr(s, '.') && keep > s && (keep[-1] == '0' || keep[-1] == '.'))
                if (*--keep == '.')
                    break;
            buf_add(b, s, (size_t)(keep - s));
            if (f->alt && prec == 1)
                buf_char(b, '.');
            buf_str(b, e);
            return;
        }
    }
    sc_format_double(b, x, 'g', prec, f->alt, f->group);
    if (isfinite(x) && !b->failed && !memchr(b->s + at, '.', (size_t)(b->n - at)) &&
        !memchr(b->s + at, 'e', (size_t)(b->n - at)))
        buf_str(b, ".0");
}

static Value format_float(Vm *vm, double x, const FormatSpec *f)
{
    char sign[4] = "", align = f->align ? f->align : '>';
    Buf b = {.vm = vm};
    Value r;
    bool neg = signbit(x) && !isnan(x);

    if (neg)
        strcpy(sign, "-");
    else if (f->sign == '+' || f->sign == ' ')
        sign[0] = f->sign;
    switch (f->type) {
    case 0: format_general(&b, x, f); break;
    case '%':
        sc_format_double(&b, x * 100, 'f', (int)f->prec, f->alt, f->group);
        buf_char(&b, '%');
        break;
    case 'n':
    case 'g':
    case 'G':
        sc_format_double(&b, x, f->type == 'n' ? 'g' : f->type, f->prec == 0 ? 1 : (int)f->prec,
                         f->alt, f->group);
        break;
    case 'e':
    case 'E':
    case 'f':
    case 'F': sc_format_double(&b, x, f->type, (int)f->prec, f->alt, f->group); break;
    default:
        return sc_raise(vm, C_ValueError, "Unknown format code '%c' for object of type 'float'",
                        f->type);
    }
    if (b.failed) {
        buf_free(&b);
        return NIL;
    }
    if (f->group && align == '=' && f->fill[0] == '0' && isfinite(x)) { /* 0,012.5 */
        Buf c = {.vm = vm};
        size_t w = 0, i;
        char digits[400];
        size_t nd = 0;

        while ((int64_t)w < b.n && !strchr(".eE%", b.s[w]))
            w++;
        for (i = 0; i < w && nd < sizeof digits; i++)
            if (b.s[i] != f->group)
                digits[nd++] = b.s[i];
        group_digits(&c, digits, nd, f->group, 3,
                     f->width - (int64_t)strlen(sign) - (b.n - (int64_t)w));
        buf_add(&c, b.s + w, (size_t)b.n - w);
        buf_free(&b);
        b = c;
    }
    r = b.failed ? NIL : pad_out(vm, f, sign, b.s, (size_t)b.n, b.n, align);
    buf_free(&b);
    return r;
}

static Value format_str(Vm *vm, Str *s, const FormatSpec *f)
{
    Value cut = NIL, r;

    if (f->type && f->type != 's')
        return sc_raise(vm, C_ValueError, "Unknown format code '%c' for object of type 'str'",
                        f->type);
    if (f->sign)
        return sc_raise(vm, C_ValueError, "%s not allowed in string format specifier",
                        f->sign == ' ' ? "Space" : "Sign");
    if (f->alt)
        return sc_raise(vm, C_ValueError,
                        "Alternate form (#) not allowed in string format specifier");
    if (f->align == '=')
        return sc_raise(vm, C_ValueError, "'=' alignment not allowed in string format specifier");
    if (f->prec >= 0 && f->prec < s->chars) {
        cut = sc_str_slice(vm, s, 0, f->prec);
        if (cut.tag == T_NIL)
            return NIL;
        s = as_str(cut);
    }
    r = pad_out(vm, f, "", s->s, s->n, s->chars, f->align ? f->align : '<');
    sc_drop(vm, cut);
    return r;
}

/* A part of a complex number with its sign. r: the shortest digits, without .0 */
static void format_part(Buf *b, double x, char type, const FormatSpec *f, char plus)
{
    char s[NUMBER_MAX];

    if (signbit(x) && !isnan(x))
        buf_char(b, '-');
    else if (plus == '+' || plus == ' ')
        buf_char(b, plus);
    if (type == 'r')
        buf_add(b, s, (size_t)number_f64(s, fabs(x)));
    else
        sc_format_double(b, x, type, (int)f->prec, f->alt, f->group);
}

/* Without a type as str() has it: in parentheses, and no real part that is 0. */
static Value format_complex(Vm *vm, double re, double im, const FormatSpec *f)
{
    bool plain = !f->type, skip = plain && re == 0 && !signbit(re);
    char type = !plain ? (f->type == 'n' ? 'g' : f->type) : f->prec < 0 ? 'r' : 'g';
    Buf b = {.vm = vm};
    Value r;

    if (!strchr("reEfFgG", type))
        return sc_raise(vm, C_ValueError, "Unknown format code '%c' for object of type 'complex'",
                        f->type);
    if (f->fill[0] == '0')
        return sc_raise(vm, C_ValueError,
                        "Zero padding is not allowed in complex format specifier");
    if (f->align == '=')
        return sc_raise(vm, C_ValueError,
                        "'=' alignment flag is not allowed in complex format specifier");
    if (plain && !skip)
        buf_char(&b, '(');
    if (!skip)
        format_part(&b, re, type, f, f->sign);
    format_part(&b, im, type, f, skip ? f->sign : '+');
    buf_str(&b, plain && !skip ? "j)" : "j");
    r = b.failed ? NIL : pad_out(vm, f, "", b.s, (size_t)b.n, b.n, f->align ? f->align : '>');
    buf_free(&b);
    return r;
}

Value sc_format(Vm *vm, Value v, Str *spec)
{
    double re, im;
    FormatSpec f;
    Value r, s = v_obj(spec);
    double x;

    if (spec->n && sc_is_complex(vm, v, &re, &im))
        return parse_spec(vm, spec, false, &f) ? format_complex(vm, re, im, &f) : NIL;
    if (v.tag == T_OBJ && !is_str(v) && v.o->cls != vm->cls[C_int]) {
        Value *own = sc_class_find(v.o->cls, vm->known[S_format]);
        bool plain = own && sc_is_exact(vm, *own, C_builtin_function_or_method) &&
                     ((Native *)own->o)->owner == vm->cls[C_object];

        r = own && !(plain && (is_long(vm, v) || sc_float_value(vm, v, &x))) && (v.o->cls->script || !plain)
                ? dunder_call(vm, v, S_format, &s, 1)
                : NIL;
        if (r.tag != T_NIL && !is_str(r)) {
            sc_fail(vm, C_TypeError, "__format__ must return a str, not %s", sc_type_name(vm, r));
            sc_drop(vm, r);
            return NIL;
        }
        if (r.tag != T_NIL || sc_failed(vm))
            return r;
        if (spec->n == 0)
            return sc_to_str(vm, v);
        if (is_long(vm, v) && parse_spec(vm, spec, false, &f))
            return format_int(vm, v, &f);
        if (sc_float_value(vm, v, &x) && parse_spec(vm, spec, false, &f))
            return format_float(vm, x, &f);
        return sc_failed(vm) ? NIL : sc_raise(vm, C_TypeError, "unsupported format string passed to %s.__format__",
                        sc_type_name(vm, v));
    }
    if (spec->n == 0)
        return sc_to_str(vm, v);
    if (!parse_spec(vm, spec, is_str(v), &f))
        return NIL;
    if (is_str(v))
        return format_str(vm, as_str(v), &f);
    switch (v.tag) {
    case T_OBJ: /* a long int */
        if (f.type && strchr("eEfFgG%", f.type))
            return long_to_double(vm, v, &x) ? format_float(vm, x, &f) : NIL;
        return format_int(vm, v, &f);
    case T_BOOL:
        if (!f.type || f.type == 's') {
            Value t = sc_repr(vm, v);

            if (t.tag == T_NIL)
                return NIL;
            r = f.type == 's' ? format_str(vm, as_str(t), &f) : format_int(vm, v, &f);
            sc_drop(vm, t);
            return r;
        }
        /* fall through */
    case T_INT:
        if (f.type && strchr("eEfFgG%", f.type))
            return format_float(vm, (double)v.i, &f);
        if (f.type && !strchr("bcdoxXn", f.type))
            return sc_raise(vm, C_ValueError, "Unknown format code '%c' for object of type 'int'",
                            f.type);
        return format_int(vm, v, &f);
    case T_FLOAT: return format_float(vm, v.f, &f);
    default:
        return sc_raise(vm, C_TypeError, "unsupported format string passed to %s.__format__",
                        sc_type_name(vm, v));
    }
}

Value sc_ascii(Vm *vm, Value v)
{
    Value text = sc_repr(vm, v);
    Buf b = {.vm = vm};

    if (text.tag == T_NIL || (text.o->flags & OBJ_ASCII))
        return text;
    for (const char *s = as_str(text)->s, *end = s + as_str(text)->n; s < end;) {
        char code[16];
        int len;
        uint32_t c = sc_utf8_read(s, &len);

        snprintf(code, sizeof code, c < 256 ? "\\x%02x" : c < 65536 ? "\\u%04x" : "\\U%08x", c);
        if (c < 128)
            buf_char(&b, (char)c);
        else
            buf_str(&b, code);
        s += len;
    }
    sc_drop(vm, text);
    return buf_done(&b);
}

Value sc_convert(Vm *vm, Value v, char conv)
{
    return conv == 's' ? sc_to_str(vm, v) : conv == 'a' ? sc_ascii(vm, v) : sc_repr(vm, v);
}

/* ---- % ----------------------------------------------------------------------------- */

typedef struct Percent {
    Vm *vm;
    Value args;
    int64_t next;
    bool by_name;
} Percent;

/* What may be looked into by name need not be used up. */
static bool is_mapping(Vm *vm, Value v)
{
    return v.tag == T_OBJ && v.o->cls->d.getitem && !is_str(v) && !v.o->cls->is_type;
}

static Value percent_next(Percent *p)
{
    Vm *vm = p->vm;

    if (sc_is(vm, p->args, C_tuple)) {
        Tuple *t = (Tuple *)p->args.o;

        if (p->next < t->n)
            return sc_ref(t->v[p->next++]);
    } else if (p->next++ == 0) {
        return sc_ref(p->args);
    }
    return sc_raise(vm, C_TypeError, "not enough arguments for format string");
}

/* By __index__, or where decimals may be dropped (d, i, u) by __int__. */
static bool whole_number(Vm *vm, Value v, char type, Value *out)
{
    Value r;
    bool ok;

    if (sc_to_whole(vm, v, out))
        return true;
    if (v.tag != T_OBJ || !strchr("diu", type) || is_str(v))
        return false;
    sc_clear_exc(vm);
    r = sc_call_method(vm, v, "__int__", NULL, 0);
    ok = r.tag != T_NIL && sc_to_whole(vm, r, out);
    sc_drop(vm, r);
    return ok;
}

static Value percent_number(Vm *vm, Value v, char type, FormatSpec *f)
{
    double x;

    if (strchr("diu", type)) {
        f->type = 'd';
        if (v.tag == T_FLOAT && isfinite(v.f)) {
            Value i = long_from_double(vm, v.f), r;

            f->min_digits = f->prec;
            f->prec = -1;
            r = i.tag == T_NIL ? NIL : format_int(vm, i, f);
            sc_drop(vm, i);
            return r;
        }
    } else {
        f->type = type;
    }
    if (strchr("diuoxX", type)) {
        Value i = NIL, r;

        if (!whole_number(vm, v, type, &i)) {
            sc_clear_exc(vm);
            if (v.tag == T_FLOAT && f->type == 'd')
                return isnan(v.f) ? sc_raise(vm, C_ValueError, "cannot convert float NaN to integer")
                                  : sc_raise(vm, C_OverflowError, "cannot convert float infinity to integer");
            return sc_raise(vm, C_TypeError, "%%%c format: %s is required, not %s", type,
                            f->type == 'd' ? "a real number" : "an integer", sc_type_name(vm, v));
        }
        f->min_digits = f->prec; /* %.3d: at least so many */
        f->prec = -1;
        r = format_int(vm, i, f);
        sc_drop(vm, i);
        return r;
    }
    if (!sc_to_double(vm, v, &x)) {
        sc_clear_exc(vm);
        return sc_raise(vm, C_TypeError, "must be real number, not %s", sc_type_name(vm, v));
    }
    return format_float(vm, x, f);
}

/* What numbers take, and texts in % do without a word. */
static void as_text(FormatSpec *f)
{
    f->type = 's';
    f->sign = 0;
    f->alt = false;
    if (f->align == '=')
        f->align = '>';
    strcpy(f->fill, " ");
}

static Value percent_one(Vm *vm, Value v, char type, FormatSpec *f, bool left)
{
    Value s, r;

    if (!f->align || left)
        f->align = left ? '<' : '>';
    if (left)
        strcpy(f->fill, " ");
    if (type == 'r' || type == 's' || type == 'a') {
        s = type == 's' ? sc_to_str(vm, v) : type == 'r' ? sc_repr(vm, v) : sc_ascii(vm, v);
        if (s.tag == T_NIL)
            return NIL;
        as_text(f);
        r = format_str(vm, as_str(s), f);
        sc_drop(vm, s);
        return r;
    }
    if (type == 'c') {
        as_text(f);
        f->prec = -1;
        f->type = is_str(v) ? 's' : 'c';
        return is_str(v) && as_str(v)->chars == 1 ? format_str(vm, as_str(v), f)
               : v.tag == T_INT ? format_int(vm, v, f)
                                : sc_raise(vm, C_TypeError, "%%c requires int or char");
    }
    if (!strchr("diuoxXeEfFgG", type))
        return sc_raise(vm, C_ValueError, "unsupported format character '%c' (0x%x)", type, (unsigned char)type);
    return percent_number(vm, v, type, f);
}

/* width or precision: a number or * */
static const char *percent_size(Percent *p, const char *s, int64_t *out)
{
    Value v;
    bool ok;

    if (*s != '*')
        return *s >= '0' && *s <= '9' ? read_number(s, out) : s;
    v = percent_next(p);
    if (v.tag == T_NIL)
        return NULL;
    ok = v.tag == T_INT || v.tag == T_BOOL ? (*out = v.i, true)
                                           : sc_fail(p->vm, C_TypeError, "* wants int");
    sc_drop(p->vm, v);
    return ok ? s + 1 : NULL;
}

Value sc_percent(Vm *vm, Str *fmt, Value args)
{
    Percent p = {vm, args, 0, false};
    Buf b = {.vm = vm};
    const char *s = fmt->s, *end = s + fmt->n;

    while (s < end && !b.failed) {
        const char *k = memchr(s, '%', (size_t)(end - s));
        FormatSpec f = {.fill = " ", .width = -1, .prec = -1};
        bool left = false, star;
        Value v = NIL, r;

        buf_add(&b, s, (size_t)((k ? k : end) - s));
        if (!k)
            break;
        s = k + 1;
        if (*s == '%') {
            buf_char(&b, '%');
            s++;
            continue;
        }
        if (*s == '(') {
            const char *e = memchr(s, ')', (size_t)(end - s));
            Value key = e ? v_obj(sc_str_n(vm, s + 1, (size_t)(e - s) - 1)) : NIL;

            if (!e)
                sc_raise(vm, C_ValueError, "incomplete format key");
            v = key.tag == T_NIL ? NIL : sc_getitem(vm, args, key);
            sc_drop(vm, key);
            p.by_name = true;
            if (v.tag == T_NIL)
                goto fail;
            s = e + 1;
        }
        for (; *s && strchr("-+ #0", *s); s++) {
            left |= *s == '-';
            if (*s == '+' || (*s == ' ' && !f.sign))
                f.sign = *s;
            f.alt |= *s == '#';
            if (*s == '0') {
                f.align = '=';
                strcpy(f.fill, "0");
            }
        }
        star = *s == '*';
        s = percent_size(&p, s, &f.width);
        if (s && star && f.width < 0) {
            left = true;
            f.width = f.width < -INT64_MAX ? INT64_MAX : -f.width;
        }
        if (s && *s == '.') {
            f.prec = 0;
            s = percent_size(&p, s + 1, &f.prec);
            f.prec = MAX(f.prec, 0);
        }
        if (!s)
            goto fail;
        if (!*s) {
            sc_raise(vm, C_ValueError, "incomplete format");
            goto fail;
        }
        if (v.tag == T_NIL && (v = percent_next(&p)).tag == T_NIL)
            goto fail;
        r = percent_one(vm, v, *s++, &f, left);
        sc_drop(vm, v);
        if (r.tag == T_NIL)
            goto fail;
        buf_add(&b, as_str(r)->s, as_str(r)->n);
        sc_drop(vm, r);
    }
    if (b.failed)
        goto fail;
    if (!p.by_name && (sc_is(vm, args, C_tuple) ? p.next < ((Tuple *)args.o)->n
                                                : p.next == 0 && !is_mapping(vm, args))) {
        sc_raise(vm, C_TypeError, "not all arguments converted during string formatting");
        goto fail;
    }
    return buf_done(&b);
fail:
    buf_free(&b);
    return NIL;
}

/* ---- str.format -------------------------------------------------------------------- */

typedef struct Fields {
    Vm *vm;
    const Args *a;
    Value map;   /* format_map: where names are looked up, else NIL */
    int next;    /* field without a number */
    bool manual; /* fields have numbers */
} Fields;

/* name(.attr | [index])* */
static Value field_value(Fields *f, const char *s, const char *end)
{
    Vm *vm = f->vm;
    const char *e = s;
    Value v = NIL, n;
    int64_t i;

    while (e < end && *e != '.' && *e != '[')
        e++;
    if (e == s || (*s >= '0' && *s <= '9')) {
        if (e == s ? f->manual : f->next > 0)
            return sc_raise(vm, C_ValueError,
                            e == s ? "cannot switch from manual field specification to automatic "
                                     "field numbering"
                                   : "cannot switch from automatic field numbering to manual "
                                     "field specification");
        f->manual = e != s;
        if (e == s)
            i = f->next++;
        else
            read_number(s, &i);
        if (f->map.tag != T_NIL)
            return sc_raise(vm, C_ValueError, "Format string contains positional fields");
        if (i + 1 >= f->a->n)
            return sc_raise(vm, C_IndexError,
                            "Replacement index %lld out of range for positional args tuple",
                            (long long)i);
        v = sc_ref(f->a->v[i + 1]);
    } else if (f->map.tag != T_NIL) {
        Value key = v_obj(sc_str_n(vm, s, (size_t)(e - s)));

        v = key.tag == T_NIL ? NIL : sc_getitem(vm, f->map, key);
        sc_drop(vm, key);
    } else {
        for (int k = 0; k < f->a->nkw; k++) {
            Str *name = as_str(f->a->names[k]);

            if (name->n == (size_t)(e - s) && memcmp(name->s, s, name->n) == 0)
                v = sc_ref(f->a->v[f->a->n + k]);
        }
        if (v.tag == T_NIL) {
            Value key = v_obj(sc_str_n(vm, s, (size_t)(e - s)));

            if (key.tag != T_NIL)
                sc_raise_value(vm, C_KeyError, key);
            sc_drop(vm, key);
            return NIL;
        }
    }
    while (e < end && v.tag != T_NIL) {
        const char *q = e + 1;

        if (*e == '.') {
            for (e = q; e < end && *e != '.' && *e != '[';)
                e++;
            Str *name = sc_intern(vm, q, (size_t)(e - q));

            n = name && (*q != '_' || sc_may(vm, "format such an attribute")) ? sc_getattr(vm, v, name) : NIL;
            if (name)
                obj_drop(vm, name);
        } else {
            Value key;

            for (e = q; e < end && *e != ']';)
                e++;
            if (e > q && *q >= '0' && *q <= '9') {
                read_number(q, &i);
                key = v_int(i);
            } else {
                key = v_obj(sc_str_n(vm, q, (size_t)(e - q)));
            }
            n = key.tag == T_NIL ? NIL : sc_getitem(vm, v, key);
            sc_drop(vm, key);
            e += e < end;
        }
        sc_drop(vm, v);
        v = n;
    }
    return v;
}

static bool format_into(Fields *f, Buf *b, const char *s, const char *end, int depth)
{
    Vm *vm = f->vm;

    while (s < end && !b->failed) {
        const char *name, *e;
        char conv = 0;
        Value v, spec, r;
        int open = 0;

        if ((*s == '{' || *s == '}') && s + 1 < end && s[1] == *s) {
            buf_char(b, *s);
            s += 2;
            continue;
        }
        if (*s == '}')
            return sc_fail(vm, C_ValueError, "Single '}' encountered in format string");
        if (*s != '{') {
            buf_char(b, *s++);
            continue;
        }
        name = ++s;
        for (e = s; e < end && (open || *e != '}'); e++)
            open += *e == '{' ? 1 : *e == '}' ? -1 : 0;
        if (e >= end)
            return sc_fail(vm, C_ValueError, "Single '{' encountered in format string");
        for (s = name; s < e && *s != '!' && *s != ':'; s++)
            if (*s == '[')
                while (s < e && *s != ']')
                    s++;
        v = field_value(f, name, s);
        if (v.tag == T_NIL)
            return false;
        if (s < e && *s == '!') {
            conv = s[1];
            s += 2;
        }
        if (conv && !strchr("rsa", conv)) {
            sc_drop(vm, v);
            return sc_fail(vm, C_ValueError, "Unknown conversion specifier %c", conv);
        }
        if (conv) {
            r = sc_convert(vm, v, conv);
            sc_drop(vm, v);
            v = r;
            if (v.tag == T_NIL)
                return false;
        }
        Buf sb = {.vm = vm};

        if (s < e && *s == ':') {
            if (depth > 1)
                sc_fail(vm, C_ValueError, "Max string recursion exceeded");
            if (depth > 1 || !format_into(f, &sb, s + 1, e, depth + 1)) {
                buf_free(&sb);
                sc_drop(vm, v);
                return false;
            }
        }
        spec = buf_done(&sb);
        r = spec.tag == T_NIL ? NIL : sc_format(vm, v, as_str(spec));
        sc_drop(vm, v);
        sc_drop(vm, spec);
        if (r.tag == T_NIL)
            return false;
        buf_add(b, as_str(r)->s, as_str(r)->n);
        sc_drop(vm, r);
        s = e + 1;
    }
    return !b->failed;
}

static Value format_fields(Vm *vm, const Args *a, Value map)
{
    Fields f = {.vm = vm, .a = a, .map = map};
    Buf b = {.vm = vm};
    Str *s = as_str(a->v[0]);

    if (!format_into(&f, &b, s->s, s->s + s->n, 0)) {
        buf_free(&b);
        return NIL;
    }
    return buf_done(&b);
}

Value sc_str_format(Vm *vm, const Args *a) { return format_fields(vm, a, NIL); }
Value sc_str_format_map(Vm *vm, const Args *a) { return format_fields(vm, a, a->v[1]); }
