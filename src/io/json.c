/* json.c -- the parts of JSON (RFC 8259) that headers of files need: objects and lists
 * walked by the caller, strings, and sizes.
 *
 *   method   The caller says what must come next, so the depth is that of the caller and
 *            nothing recurses.
 *   strict   UTF-8, no control bytes in strings, surrogates in pairs, numbers as digits
 *            without leading zeros
 */
#include "io/io.h"

bool json_fail(Json *j, const char *fmt, ...)
{
    va_list ap;
    const char *text;

    va_start(ap, fmt);
    text = arena_vprintf(&j->cx->scratch, fmt, ap);
    va_end(ap);
    return fail(j->cx, WF_ERR_FORMAT, in_file(j->file), "header, byte %lld: %s",
                (long long)(j->at - j->begin), text);
}

static void skip_space(Json *j)
{
    while (j->at < j->end &&
           (*j->at == ' ' || *j->at == '\n' || *j->at == '\t' || *j->at == '\r'))
        j->at++;
}

bool json_take(Json *j, char c)
{
    skip_space(j);
    if (j->at == j->end || *j->at != c)
        return false;
    j->at++;
    return true;
}

/* What stands at this place, for a message. */
static const char *found(Json *j)
{
    unsigned char c;

    if (j->at == j->end)
        return "the end";
    c = (unsigned char)*j->at;
    return arena_printf(&j->cx->scratch, c > ' ' && c < 0x7f ? "'%c'" : "byte 0x%02x", c);
}

bool json_need(Json *j, char c)
{
    return json_take(j, c) || json_fail(j, "expected '%c', found %s", c, found(j));
}

bool json_end(Json *j)
{
    skip_space(j);
    return j->at == j->end || json_fail(j, "expected the end, found %s", found(j));
}

/* ---- strings ----------------------------------------------------------------------- */

static bool hex4(Json *j, uint32_t *out)
{
    uint32_t v = 0;

    if (j->end - j->at < 4)
        return json_fail(j, "the header ends inside a string");
    for (int i = 0; i < 4; i++) {
        char c = *j->at;
        int d = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : -1;
        if (d < 0)
            return json_fail(j, "expected four hexadecimal digits after \\u");
        v = v * 16 + (uint32_t)d;
        j->at++;
    }
    *out = v;
    return true;
}

static void add_utf8(Text *t, uint32_t c)
{
    if (c < 0x80) {
        text_char(t, (char)c);
    } else if (c < 0x800) {
        text_char(t, (char)(0xc0 | c >> 6));
        text_char(t, (char)(0x80 | (c & 63)));
    } else {
        if (c < 0x10000) {
            text_char(t, (char)(0xe0 | c >> 12));
        } else {
            text_char(t, (char)(0xf0 | c >> 18));
            text_char(t, (char)(0x80 | (c >> 12 & 63)));
        }
        text_char(t, (char)(0x80 | (c >> 6 & 63)));
        text_char(t, (char)(0x80 | (c & 63)));
    }
}

/* After "\u". */
static bool unicode_escape(Json *j, Text *t)
{
    uint32_t c, low;

    if (!hex4(j, &c))
        return false;
    if (c == 0)
        return json_fail(j, "a zero character in a string");
    if (c >= 0xd800 && c < 0xe000) {
        if (c >= 0xdc00 || j->end - j->at < 2 || j->at[0] != '\\' || j->at[1] != 'u')
            return json_fail(j, "half of a surrogate pair");
        j->at += 2;
        if (!hex4(j, &low))
            return false;
        if (low < 0xdc00 || low >= 0xe000)
            return json_fail(j, "half of a surrogate pair");
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    }
    add_utf8(t, c);
    return true;
}

static bool escape(Json *j, Text *t)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *k;

    if (j->at == j->end)
        return json_fail(j, "the header ends inside a string");
    if (*j->at == 'u') {
        j->at++;
        return unicode_escape(j, t);
    }
    k = *j->at ? strchr(from, *j->at) : NULL;
    if (!k)
        return json_fail(j, "unknown escape in a string");
    text_char(t, to[k - from]);
    j->at++;
    return true;
}

bool json_string(Json *j, const char **out)
{
    Text t;

    if (!json_take(j, '"'))
        return json_fail(j, "expected a string, found %s", found(j));
    text_init(&t, &j->cx->scratch);
    for (;;) {
        const char *s = j->at;

        while (s < j->end && (unsigned char)*s >= 0x20 && (unsigned char)*s < 0x80 &&
               *s != '"' && *s != '\\')
            s++;
        text_addn(&t, j->at, (size_t)(s - j->at));
        j->at = s;
        if (s == j->end)
            return json_fail(j, "the header ends inside a string");
        if (*s == '"') {
            j->at++;
            *out = text_str(&t);
            return true;
        }
        if (*s == '\\') {
            j->at++;
            if (!escape(j, &t))
                return false;
            continue;
        }
        int len = (unsigned char)*s < 0x20 ? 0 : utf8_len(s, (size_t)(j->end - s));
        if (!len)
            return json_fail(j, (unsigned char)*s < 0x20 ? "a control byte in a string"
                                                         : "bytes that are not UTF-8");
        text_addn(&t, s, (size_t)len);
        j->at += len;
    }
}

void json_quote(Text *t, const char *s)
{
    text_char(t, '"');
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;

        if (c == '"' || c == '\\') {
            text_char(t, '\\');
            text_char(t, (char)c);
        } else if (c == '\n') {
            text_add(t, "\\n");
        } else if (c < 0x20) {
            text_printf(t, "\\u%04x", c);
        } else {
            text_char(t, (char)c);
        }
    }
    text_char(t, '"');
}

/* ---- sizes ------------------------------------------------------------------------- */

bool json_size(Json *j, int64_t *out)
{
    int64_t v = 0;
    const char *s;

    skip_space(j);
    s = j->at;
    while (s < j->end && *s >= '0' && *s <= '9') {
        if (!mul_i64(v, 10, &v) || !add_i64(v, *s - '0', &v))
            return json_fail(j, "the number is too large");
        s++;
    }
    if (s == j->at || (s < j->end && strchr(".eE", *s) && *s))
        return json_fail(j, "expected a whole number that is not negative");
    if (*j->at == '0' && s > j->at + 1)
        return json_fail(j, "a number with a leading zero");
    j->at = s;
    *out = v;
    return true;
}
