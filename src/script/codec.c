/* codec.c -- encodings: utf-8, ascii, latin-1, utf-16 and utf-32 in both byte orders.
 *
 * What does not fit is an error ('strict'), left out ('ignore'), a question mark or U+FFFD
 * ('replace'), or written as an escape ('backslashreplace', 'xmlcharrefreplace').
 */
#include "bytes.h"

#include <ctype.h>
#include <stdio.h>

typedef enum Enc { ENC_UTF8, ENC_ASCII, ENC_LATIN1, ENC_UTF16, ENC_UTF32, ENC_BAD } Enc;
typedef enum Errors { ON_STRICT, ON_IGNORE, ON_REPLACE, ON_BACKSLASH, ON_XML } Errors;

typedef struct Codec {
    Vm *vm;
    Enc enc;
    bool big, bom; /* byte order; written and looked for */
    Errors on;
    const char *name; /* as messages have it */
} Codec;

static bool find_codec(Vm *vm, Value encoding, Value errors, Codec *out)
{
    static const struct {
        const char *name, *shown;
        Enc enc;
        bool big, bom;
    } table[] = {
        {"utf8", "utf-8", ENC_UTF8, false, false},
        {"u8", "utf-8", ENC_UTF8, false, false},
        {"utf8sig", "utf-8", ENC_UTF8, false, true},
        {"ascii", "ascii", ENC_ASCII, false, false},
        {"usascii", "ascii", ENC_ASCII, false, false},
        {"latin1", "latin-1", ENC_LATIN1, false, false},
        {"latin", "latin-1", ENC_LATIN1, false, false},
        {"iso88591", "latin-1", ENC_LATIN1, false, false},
        {"l1", "latin-1", ENC_LATIN1, false, false},
        {"utf16", "utf-16", ENC_UTF16, false, true},
        {"utf16le", "utf-16-le", ENC_UTF16, false, false},
        {"utf16be", "utf-16-be", ENC_UTF16, true, false},
        {"utf32", "utf-32", ENC_UTF32, false, true},
        {"utf32le", "utf-32-le", ENC_UTF32, false, false},
        {"utf32be", "utf-32-be", ENC_UTF32, true, false},
    };
    static const char *const ways[] = {"strict", "ignore", "replace", "backslashreplace", "xmlcharrefreplace"};
    const char *s = encoding.tag == T_NIL || encoding.tag == T_NONE ? "utf8" : sc_to_cstr(vm, encoding, "encoding");
    const char *e = errors.tag == T_NIL || errors.tag == T_NONE ? "strict" : sc_to_cstr(vm, errors, "errors");
    char plain[32];
    size_t n = 0;

    if (!s || !e)
        return false;
    *out = (Codec){.vm = vm, .enc = ENC_BAD};
    for (const char *p = s; *p && n < sizeof plain - 1; p++)
        if (*p != '-' && *p != '_' && *p != ' ')
            plain[n++] = (char)tolower((unsigned char)*p);
    plain[n] = 0;
    for (int i = 0; i < COUNT(table); i++)
        if (strcmp(table[i].name, plain) == 0)
            *out = (Codec){vm, table[i].enc, table[i].big, table[i].bom, ON_STRICT, table[i].shown};
    if (out->enc == ENC_BAD)
        return sc_fail(vm, C_LookupError, "unknown encoding: %s", s);
    for (int i = 0; i < COUNT(ways); i++)
        if (strcmp(ways[i], e) == 0) {
            out->on = (Errors)i;
            return true;
        }
    return sc_fail(vm, C_LookupError, "unknown error handler name '%s'", e);
}

/* ---- str to bytes ------------------------------------------------------------------ */

static void put_unit(Buf *b, uint32_t c, int size, bool big)
{
    for (int i = 0; i < size; i++)
        buf_char(b, (char)(c >> 8 * (big ? size - 1 - i : i)));
}

static void put_wide(const Codec *k, Buf *b, uint32_t c)
{
    if (k->enc == ENC_UTF32) {
        put_unit(b, c, 4, k->big);
    } else if (c >= 0x10000) {
        put_unit(b, 0xD800 + ((c - 0x10000) >> 10), 2, k->big);
        put_unit(b, 0xDC00 + ((c - 0x10000) & 0x3FF), 2, k->big);
    } else {
        put_unit(b, c, 2, k->big);
    }
}

static bool put_unfit(const Codec *k, Buf *b, uint32_t c, int64_t at)
{
    char esc[16];

    switch (k->on) {
    case ON_IGNORE: return true;
    case ON_REPLACE: buf_char(b, '?'); return true;
    case ON_BACKSLASH:
        snprintf(esc, sizeof esc, c < 256 ? "\\x%02x" : c < 65536 ? "\\u%04x" : "\\U%08x", c);
        buf_str(b, esc);
        return true;
    case ON_XML:
        snprintf(esc, sizeof esc, "&#%u;", c);
        buf_str(b, esc);
        return true;
    default: break;
    }
    snprintf(esc, sizeof esc, c < 256 ? "\\x%02x" : c < 65536 ? "\\u%04x" : "\\U%08x", c);
    return sc_fail(k->vm, C_UnicodeEncodeError,
                   "'%s' codec can't encode character '%s' in position %lld: ordinal not in range(%d)",
                   k->name, esc, (long long)at, k->enc == ENC_ASCII ? 128 : 256);
}

static Value bytes_done(Vm *vm, Buf *b, bool ok)
{
    Value r = ok && !b->failed ? v_obj(bytes_new(vm, vm->cls[C_bytes], b->s, b->n)) : NIL;

    buf_free(b);
    return r;
}

Value codec_encode(Vm *vm, Str *s, Value encoding, Value errors)
{
    Codec k;
    Buf b = {.vm = vm};
    bool ok = true;
    int64_t at = 0;
    int len;

    if (!find_codec(vm, encoding, errors, &k))
        return NIL;
    if (k.bom && k.enc == ENC_UTF8)
        buf_add(&b, "\xef\xbb\xbf", 3);
    else if (k.bom)
        put_wide(&k, &b, 0xFEFF);
    if (k.enc == ENC_UTF8 || (s->h.flags & OBJ_ASCII && k.enc <= ENC_LATIN1)) {
        buf_add(&b, s->s, s->n);
        return bytes_done(vm, &b, true);
    }
    for (uint32_t i = 0; ok && i < s->n; i += (uint32_t)len, at++) {
        uint32_t c = sc_utf8_read(s->s + i, &len);

        if (k.enc >= ENC_UTF16)
            put_wide(&k, &b, c);
        else if (c < (k.enc == ENC_ASCII ? 128u : 256u))
            buf_char(&b, (char)c);
        else
            ok = put_unfit(&k, &b, c, at);
    }
    return bytes_done(vm, &b, ok);
}

/* ---- bytes to str ------------------------------------------------------------------ */

/* The code point at p and its length; 0: none begins here, and *bad bytes are wrong. */
static int read_utf8(const uint8_t *p, int64_t n, uint32_t *c, int *bad)
{
    int need = p[0] < 0x80 ? 1 : p[0] >= 0xC2 && p[0] < 0xE0 ? 2 : (p[0] & 0xF0) == 0xE0 ? 3
               : p[0] >= 0xF0 && p[0] < 0xF5                 ? 4
                                                             : 0;
    uint32_t v;

    *bad = 1;
    if (need <= 1) {
        *c = p[0];
        return need;
    }
    v = p[0] & (0xFFu >> (need + 1));
    for (int i = 1; i < need; i++) {
        bool ok = i < n && (p[i] & 0xC0) == 0x80;

        if (ok && i == 1) /* overlong forms, surrogates, beyond U+10FFFF */
            ok = !(p[0] == 0xE0 && p[1] < 0xA0) && !(p[0] == 0xED && p[1] >= 0xA0) &&
                 !(p[0] == 0xF0 && p[1] < 0x90) && !(p[0] == 0xF4 && p[1] >= 0x90);
        if (!ok) {
            *bad = i;
            return 0;
        }
        v = v << 6 | (p[i] & 0x3F);
    }
    *c = v;
    return need;
}

static uint32_t get_unit(const uint8_t *p, int size, bool big)
{
    uint32_t c = 0;

    for (int i = 0; i < size; i++)
        c |= (uint32_t)p[i] << 8 * (big ? size - 1 - i : i);
    return c;
}

static int read_wide(const Codec *k, const uint8_t *p, int64_t n, uint32_t *c, int *bad)
{
    int size = k->enc == ENC_UTF16 ? 2 : 4;
    uint32_t lo;

    *bad = (int)MIN(n, size);
    if (n < size)
        return 0;
    *c = get_unit(p, size, k->big);
    if (size == 4)
        return *c < 0x110000 && !(*c >= 0xD800 && *c < 0xE000) ? 4 : 0;
    if (*c < 0xD800 || *c >= 0xE000)
        return 2;
    if (*c >= 0xDC00 || n < 4)
        return 0;
    lo = get_unit(p + 2, 2, k->big);
    if (lo < 0xDC00 || lo >= 0xE000)
        return 0;
    *c = 0x10000 + ((*c - 0xD800) << 10) + (lo - 0xDC00);
    return 4;
}

static bool put_undecoded(const Codec *k, Buf *b, const uint8_t *p, int64_t at, int bad)
{
    char esc[8];

    if (k->on == ON_IGNORE)
        return true;
    if (k->on == ON_REPLACE) {
        buf_str(b, "\xef\xbf\xbd");
        return true;
    }
    if (k->on == ON_BACKSLASH) {
        for (int i = 0; i < bad; i++) {
            snprintf(esc, sizeof esc, "\\x%02x", p[i]);
            buf_str(b, esc);
        }
        return true;
    }
    return sc_fail(k->vm, C_UnicodeDecodeError, "'%s' codec can't decode byte 0x%02x in position %lld: %s",
                   k->name, p[0], (long long)at,
                   k->enc == ENC_ASCII                ? "ordinal not in range(128)"
                   : k->enc != ENC_UTF8               ? "truncated data"
                   : p[0] < 0xC2 || p[0] > 0xF4       ? "invalid start byte"
                                                      : "invalid continuation byte");
}

Value codec_decode(Vm *vm, const uint8_t *p, int64_t n, Value encoding, Value errors)
{
    Codec k;
    Buf b = {.vm = vm};
    bool ok = true;
    char out[4];
    int len, bad;

    if (!find_codec(vm, encoding, errors, &k))
        return NIL;
    if (k.bom && k.enc == ENC_UTF8 && n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0) {
        p += 3;
        n -= 3;
    } else if (k.bom && n >= 2 && k.enc == ENC_UTF16 &&
               (get_unit(p, 2, false) == 0xFEFF || get_unit(p, 2, true) == 0xFEFF)) {
        k.big = p[0] == 0xFE;
        p += 2;
        n -= 2;
    } else if (k.bom && n >= 4 && k.enc == ENC_UTF32 &&
               (get_unit(p, 4, false) == 0xFEFF || get_unit(p, 4, true) == 0xFEFF)) {
        k.big = p[0] == 0;
        p += 4;
        n -= 4;
    }
    for (int64_t i = 0; ok && i < n;) {
        uint32_t c = p[i];

        bad = 1;
        len = k.enc == ENC_UTF8     ? read_utf8(p + i, n - i, &c, &bad)
              : k.enc == ENC_ASCII  ? c < 128
              : k.enc == ENC_LATIN1 ? 1
                                    : read_wide(&k, p + i, n - i, &c, &bad);
        if (len && c < 128)
            buf_char(&b, (char)c);
        else if (len)
            buf_add(&b, out, (size_t)sc_utf8_write(out, c));
        else
            ok = put_undecoded(&k, &b, p + i, i, bad);
        i += len ? len : bad;
    }
    if (!ok) {
        buf_free(&b);
        return NIL;
    }
    return buf_done(&b);
}
