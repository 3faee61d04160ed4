/* json.c -- JSON read where it lies, and written into memory that grows. */
#include "serve/serve.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 64 };

static void space(JsonText *j)
{
    while (j->p < j->end &&
           (*j->p == ' ' || *j->p == '\n' || *j->p == '\t' || *j->p == '\r'))
        j->p++;
}

bool request_take(JsonText *j, char c)
{
    space(j);
    if (j->bad || j->p >= j->end || *j->p != c)
        return false;
    j->p++;
    return true;
}

bool request_need(JsonText *j, char c)
{
    if (!request_take(j, c))
        j->bad = true;
    return !j->bad;
}

/* \uXXXX as UTF-8; half of a pair stands for itself as '?' */
static size_t put_escape(const char *s, char *out)
{
    unsigned v = (unsigned)strtoul((char[5]){s[0], s[1], s[2], s[3], 0}, NULL, 16);

    if (v < 0x80)
        return out[0] = (char)v, 1;
    if (v >= 0xD800 && v < 0xE000)
        return out[0] = '?', 1;
    if (v < 0x800)
        return out[0] = (char)(0xC0 | v >> 6), out[1] = (char)(0x80 | (v & 63)), 2;
    out[0] = (char)(0xE0 | v >> 12);
    out[1] = (char)(0x80 | (v >> 6 & 63));
    out[2] = (char)(0x80 | (v & 63));
    return 3;
}

bool request_text(JsonText *j, char *out, size_t room)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    size_t n = 0;

    if (!request_need(j, '"'))
        return false;
    while (j->p < j->end && *j->p != '"') {
        const char *e =
            *j->p == '\\' && j->p + 1 < j->end && j->p[1] ? strchr(from, j->p[1]) : NULL;

        if (n + 4 >= room || (unsigned char)*j->p < 0x20 ||
            (*j->p == '\\' && !e && (j->p + 6 > j->end || j->p[1] != 'u'))) {
            j->bad = true;
            return false;
        }
        if (*j->p != '\\') {
            out[n++] = *j->p++;
        } else if (e) {
            out[n++] = to[e - from];
            j->p += 2;
        } else {
            n += put_escape(j->p + 2, out + n);
            j->p += 6;
        }
    }
    out[n] = 0;
    return request_need(j, '"');
}

bool request_key(JsonText *j, char *out, size_t room, bool *first)
{
    if (j->bad || request_take(j, '}'))
        return false;
    if (!*first && !request_need(j, ','))
        return false;
    *first = false;
    return request_text(j, out, room) && request_need(j, ':');
}

/* strtod and its like take more than JSON has: "inf", "0x1". */
static bool begins_number(JsonText *j)
{
    space(j);
    if (j->p < j->end && (*j->p == '-' || (*j->p >= '0' && *j->p <= '9')) &&
        !(j->p[0] == '0' && (j->p[1] | 32) == 'x') &&
        !(j->p[0] == '-' && !(j->p[1] >= '0' && j->p[1] <= '9')))
        return true;
    j->bad = true;
    return false;
}

bool request_integer(JsonText *j, int64_t *out)
{
    char *end;

    if (!begins_number(j))
        return false;
    *out = strtoll(j->p, &end, 10);
    j->p = end;
    return true;
}

static bool word(JsonText *j, const char *s)
{
    size_t n = strlen(s);

    space(j);
    if ((size_t)(j->end - j->p) < n || memcmp(j->p, s, n) != 0)
        return false;
    j->p += n;
    return true;
}

bool request_bool(JsonText *j, bool *out)
{
    *out = word(j, "true");
    if (!*out && !word(j, "false"))
        j->bad = true;
    return !j->bad;
}

/* A text of any length. */
static void skip_text(JsonText *j)
{
    for (j->p++; j->p < j->end && *j->p != '"'; j->p++)
        if (*j->p == '\\')
            j->p++;
    request_need(j, '"');
}

static void skip(JsonText *j, int depth)
{
    double ignored;
    char *end;

    space(j);
    if (depth > DEPTH || j->p >= j->end) {
        j->bad = true;
    } else if (*j->p == '"') {
        skip_text(j);
    } else if (*j->p == '{' || *j->p == '[') {
        char close = *j->p++ == '{' ? '}' : ']';

        for (bool first = true; !j->bad && !request_take(j, close); first = false) {
            if (!first && !request_need(j, ','))
                return;
            if (close == '}') {
                space(j);
                if (j->p >= j->end || *j->p != '"') {
                    j->bad = true;
                    return;
                }
                skip_text(j);
                request_need(j, ':');
            }
            skip(j, depth + 1);
        }
    } else if (!word(j, "true") && !word(j, "false") && !word(j, "null") &&
               begins_number(j)) {
        ignored = strtod(j->p, &end);
        (void)ignored;
        j->p = end;
    }
}

void request_skip(JsonText *j) { skip(j, 0); }

/* One number as an element of the type; false: it is none, or does not fit. */
static bool put_element(JsonText *j, wf_dtype dtype, void *out, int64_t i)
{
    char *end = NULL;
    bool truth;
    int64_t v;
    double x;

    if (dtype == WF_BOOL) {
        space(j);
        if (j->p < j->end && (*j->p == '0' || *j->p == '1'))
            truth = *j->p++ == '1';
        else if (!request_bool(j, &truth))
            return false;
        ((unsigned char *)out)[i] = truth;
        return true;
    }
    if (!begins_number(j))
        return false;
    if (dtype == WF_F32 || dtype == WF_F64) {
        x = strtod(j->p, &end);
        j->p = end;
        if (dtype == WF_F32)
            ((float *)out)[i] = (float)x;
        else
            ((double *)out)[i] = x;
        return true;
    }
    if (dtype == WF_U64) {
        ((uint64_t *)out)[i] = strtoull(j->p, &end, 10);
        v = *j->p == '-' ? -1 : 0;
    } else {
        v = strtoll(j->p, &end, 10);
    }
    j->p = end;
    if (j->p < j->end && (*j->p == '.' || *j->p == 'e' || *j->p == 'E'))
        return !(j->bad = true); /* a fraction is no integer */
    switch (dtype) {
    case WF_I8: ((int8_t *)out)[i] = (int8_t)v; return !(j->bad |= v != (int8_t)v);
    case WF_I16: ((int16_t *)out)[i] = (int16_t)v; return !(j->bad |= v != (int16_t)v);
    case WF_I32: ((int32_t *)out)[i] = (int32_t)v; return !(j->bad |= v != (int32_t)v);
    case WF_I64: ((int64_t *)out)[i] = v; return true;
    case WF_U8: ((uint8_t *)out)[i] = (uint8_t)v; return !(j->bad |= v != (uint8_t)v);
    case WF_U16: ((uint16_t *)out)[i] = (uint16_t)v; return !(j->bad |= v != (uint16_t)v);
    case WF_U32: ((uint32_t *)out)[i] = (uint32_t)v; return !(j->bad |= v != (uint32_t)v);
    default: return !(j->bad |= v < 0);
    }
}

static int64_t numbers(JsonText *j, wf_dtype dtype, void *out, int64_t at, int64_t n,
                       int depth)
{
    if (depth > WF_MAX_RANK || !request_need(j, '['))
        return j->bad = true, at;
    for (bool first = true; !j->bad && !request_take(j, ']'); first = false) {
        if (!first && !request_need(j, ','))
            return at;
        space(j);
        if (j->p < j->end && *j->p == '[')
            at = numbers(j, dtype, out, at, n, depth + 1);
        else if (at == n)
            return j->bad = true, at;
        else if (!put_element(j, dtype, out, at++))
            j->bad = true;
    }
    return at;
}

int64_t request_numbers(JsonText *j, wf_dtype dtype, void *out, int64_t n)
{
    return numbers(j, dtype, out, 0, n, 1);
}

/* ---- writing ----------------------------------------------------------------------- */

void out_bytes(Out *o, const void *s, size_t n)
{
    if (o->room - o->n < n + 1) {
        size_t room = (o->n + n + 1) * 2;
        char *grown = room > o->n ? realloc(o->s, room) : NULL;

        if (!grown) {
            o->lost = true;
            return;
        }
        o->s = grown;
        o->room = room;
    }
    memcpy(o->s + o->n, s, n);
    o->n += n;
    o->s[o->n] = 0;
}

void out_text(Out *o, const char *s) { out_bytes(o, s, strlen(s)); }

void out_printf(Out *o, const char *fmt, ...)
{
    char text[2048];
    va_list args;
    int n;

    va_start(args, fmt);
    n = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    out_bytes(o, text, n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

void out_string(Out *o, const char *s)
{
    out_bytes(o, "\"", 1);
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            out_bytes(o, "\\", 1);
        if ((unsigned char)*s < 0x20)
            out_printf(o, "\\u%04x", (unsigned)*s);
        else
            out_bytes(o, s, 1);
    }
    out_bytes(o, "\"", 1);
}

void out_number(Out *o, wf_dtype dtype, const void *at)
{
    char text[40];
    double x = dtype == WF_F32   ? (double)*(const float *)at
               : dtype == WF_F64 ? *(const double *)at
                                 : 0;

    switch (dtype) {
    case WF_BOOL: out_text(o, *(const unsigned char *)at ? "true" : "false"); return;
    case WF_I8: snprintf(text, sizeof text, "%d", *(const int8_t *)at); break;
    case WF_I16: snprintf(text, sizeof text, "%d", *(const int16_t *)at); break;
    case WF_I32: snprintf(text, sizeof text, "%d", *(const int32_t *)at); break;
    case WF_I64:
        snprintf(text, sizeof text, "%lld", (long long)*(const int64_t *)at);
        break;
    case WF_U8: snprintf(text, sizeof text, "%u", *(const uint8_t *)at); break;
    case WF_U16: snprintf(text, sizeof text, "%u", *(const uint16_t *)at); break;
    case WF_U32: snprintf(text, sizeof text, "%u", *(const uint32_t *)at); break;
    case WF_U64:
        snprintf(text, sizeof text, "%llu", (unsigned long long)*(const uint64_t *)at);
        break;
    default:
        if (!isfinite(x)) /* JSON has no such number */
            snprintf(text, sizeof text, "null");
        else
            snprintf(text, sizeof text, dtype == WF_F32 ? "%.9g" : "%.17g", x);
    }
    out_text(o, text);
}
