/* text.c -- growable text in an arena.
 *
 * In an arena that jumps when memory is exhausted nothing here fails. In one that returns
 * NULL (see arena.c) a text that could not grow keeps what it had, drops what follows,
 * and has a == NULL, by which its owner knows.
 */
#include "base.h"

#include <stdio.h>

void text_init(Text *t, Arena *a)
{
    *t = (Text){.a = a};
}

/* Room for n more bytes and the NUL. */
static bool reserve(Text *t, size_t n)
{
    size_t want, cap;
    uint32_t grown = 0;
    char *s;

    if (t->cap > t->n && n < t->cap - t->n)
        return true;
    if (!t->a)
        return false;
    want = n < SIZE_MAX / 4 && t->n < SIZE_MAX / 4 ? t->n + n + 1 : SIZE_MAX;
    cap = MAX(want, MAX(t->cap * 2, (size_t)64));
    if (cap <= UINT32_MAX && t->cap <= UINT32_MAX) {
        grown = (uint32_t)t->cap;
        s = vec_grow(t->a, t->s, (uint32_t)t->n, &grown, (uint32_t)(cap - t->n), 1);
        cap = grown;
    } else {
        s = arena_alloc(t->a, cap);
        if (s && t->n)
            memcpy(s, t->s, t->n);
    }
    if (!s) {
        t->a = NULL;
        return false;
    }
    t->s = s;
    t->cap = cap;
    return true;
}

void text_addn(Text *t, const char *s, size_t n)
{
    if (!reserve(t, n))
        return;
    if (n)
        memcpy(t->s + t->n, s, n);
    t->n += n;
    t->s[t->n] = '\0';
}

void text_add(Text *t, const char *s)
{
    text_addn(t, s, strlen(s));
}

void text_char(Text *t, char c)
{
    text_addn(t, &c, 1);
}

void text_int(Text *t, int64_t v)
{
    char buf[NUMBER_MAX];

    text_addn(t, buf, (size_t)number_i64(buf, v));
}

void text_vprintf(Text *t, const char *fmt, va_list args)
{
    va_list ap;
    int n;

    if (!reserve(t, 80))
        return;
    va_copy(ap, args);
    n = vsnprintf(t->s + t->n, t->cap - t->n, fmt, ap);
    va_end(ap);
    if (n >= 0 && (size_t)n >= t->cap - t->n) {
        t->s[t->n] = '\0';
        if (!reserve(t, (size_t)n))
            return;
        va_copy(ap, args);
        n = vsnprintf(t->s + t->n, t->cap - t->n, fmt, ap);
        va_end(ap);
    }
    t->n += n > 0 ? (size_t)n : 0;
    t->s[t->n] = '\0';
}

void text_printf(Text *t, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    text_vprintf(t, fmt, args);
    va_end(args);
}

/* Columns are characters: bytes that go on a UTF-8 sequence do not count. */
void text_pad(Text *t, size_t column)
{
    static const char spaces[] = "                                ";
    size_t at = 0, i = t->n, k;

    for (; i > 0 && t->s[i - 1] != '\n'; i--)
        at += ((unsigned char)t->s[i - 1] & 0xC0) != 0x80;
    for (; at < column; at += k) {
        k = MIN(column - at, sizeof spaces - 1);
        text_addn(t, spaces, k);
    }
}

const char *text_str(Text *t)
{
    return t->s ? t->s : "";
}

/* The number of bytes of the valid UTF-8 sequence at s, or 0: no overlong forms, no
 * surrogates, nothing above U+10FFFF. */
int utf8_len(const char *s, size_t n)
{
    const unsigned char *u = (const unsigned char *)s;
    uint32_t c, least;
    int len, i;

    if (n == 0)
        return 0;
    if (u[0] < 0x80)
        return 1;
    len = u[0] >= 0xF0 ? 4 : u[0] >= 0xE0 ? 3 : 2;
    if (u[0] < 0xC2 || u[0] > 0xF4 || n < (size_t)len)
        return 0;
    c = u[0] & (0x7Fu >> len);
    for (i = 1; i < len; i++) {
        if ((u[i] & 0xC0) != 0x80)
            return 0;
        c = c << 6 | (u[i] & 0x3Fu);
    }
    least = len == 2 ? 0x80 : len == 3 ? 0x800 : 0x10000;
    return c >= least && c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF) ? len : 0;
}

void text_quoted(Text *t, const char *s, size_t n)
{
    static const char hex[] = "0123456789abcdef";
    size_t i = 0;

    text_char(t, '"');
    while (i < n) {
        unsigned char c = (unsigned char)s[i];
        int len = utf8_len(s + i, n - i);

        if (c == '\n' || c == '\t' || c == '\\' || c == '"') {
            text_char(t, '\\');
            text_char(t, c == '\n' ? 'n' : c == '\t' ? 't' : (char)c);
        } else if (len == 0 || c < 0x20 || c == 0x7F) {
            text_add(t, "\\x");
            text_char(t, hex[c >> 4]);
            text_char(t, hex[c & 15]);
        } else {
            text_addn(t, s + i, (size_t)len);
        }
        i += len ? (size_t)len : 1;
    }
    text_char(t, '"');
}
