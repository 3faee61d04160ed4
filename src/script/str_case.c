/* str_case.c -- letters: their cases, and the tests on them.
 *
 * No tables of Unicode: what is known are the alphabets where cases follow a rule, the letters
 * beside it, and the few that become several.
 */
#include "script.h"
#include "str.h"

#define SELF as_str(a->v[0])

/* Letters whose cases lie side by side: the upper one is even, or in `odd` odd. */
static bool in_pairs(uint32_t c, bool *odd)
{
    *odd = (c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17E) || (c >= 0x1CD && c <= 0x1DC);
    return *odd || (c >= 0x100 && c <= 0x12F) || (c >= 0x132 && c <= 0x137) ||
           (c >= 0x14A && c <= 0x177) || (c >= 0x1DE && c <= 0x1EF) ||
           (c >= 0x1F8 && c <= 0x21F) || (c >= 0x222 && c <= 0x233) ||
           (c >= 0x460 && c <= 0x481) || (c >= 0x48A && c <= 0x4BF) ||
           (c >= 0x4D0 && c <= 0x52F) || (c >= 0x1E00 && c <= 0x1E95) ||
           (c >= 0x1EA0 && c <= 0x1EFF);
}

/* Latin, Greek, Cyrillic and Armenian letters change case; other characters stay. */
static uint32_t upper(uint32_t c)
{
    static const uint32_t alone[][2] = {
        {0xB5, 0x39C},   {0xFF, 0x178},   {0x131, 'I'},    {0x17F, 'S'},   {0x3AC, 0x386},
        {0x3AD, 0x388},  {0x3AE, 0x389},  {0x3AF, 0x38A},  {0x3C2, 0x3A3}, {0x3CC, 0x38C},
        {0x3CD, 0x38E},  {0x3CE, 0x38F},  {0x1C6, 0x1C4},  {0x1C9, 0x1C7}, {0x1CC, 0x1CA},
        {0x1F3, 0x1F1},  {0x1C5, 0x1C4},  {0x1C8, 0x1C7},  {0x1CB, 0x1CA}, {0x1F2, 0x1F1},
    };
    bool odd;

    if ((c >= 'a' && c <= 'z') || (c >= 0xE0 && c <= 0xFE && c != 0xF7) ||
        (c >= 0x3B1 && c <= 0x3CB && c != 0x3C2) || (c >= 0x430 && c <= 0x44F))
        return c - 32;
    if (c < 128)
        return c;
    if (c >= 0x450 && c <= 0x45F)
        return c - 80;
    if (c >= 0x561 && c <= 0x586)
        return c - 48;
    for (int i = 0; i < COUNT(alone); i++)
        if (alone[i][0] == c)
            return alone[i][1];
    return in_pairs(c, &odd) && (c & 1) != odd ? c - 1 : c;
}

static uint32_t lower(uint32_t c)
{
    static const uint32_t alone[][2] = {
        {0x178, 0xFF},  {0x386, 0x3AC},  {0x388, 0x3AD},  {0x389, 0x3AE},  {0x38A, 0x3AF},
        {0x38C, 0x3CC}, {0x38E, 0x3CD},  {0x38F, 0x3CE},  {0x1C4, 0x1C6},  {0x1C7, 0x1C9},
        {0x1CA, 0x1CC}, {0x1F1, 0x1F3},  {0x1C5, 0x1C6},  {0x1C8, 0x1C9},  {0x1CB, 0x1CC},
        {0x1F2, 0x1F3}, {0x1E9E, 0xDF},
    };
    bool odd;

    if ((c >= 'A' && c <= 'Z') || (c >= 0xC0 && c <= 0xDE && c != 0xD7) ||
        (c >= 0x391 && c <= 0x3AB && c != 0x3A2) || (c >= 0x410 && c <= 0x42F))
        return c + 32;
    if (c < 128)
        return c;
    if (c >= 0x400 && c <= 0x40F)
        return c + 80;
    if (c >= 0x531 && c <= 0x556)
        return c + 48;
    for (int i = 0; i < COUNT(alone); i++)
        if (alone[i][0] == c)
            return alone[i][1];
    return in_pairs(c, &odd) && (c & 1) == odd ? c + 1 : c;
}

/* Characters that become several: text of the upper, title or lower form, or NULL. */
static const char *special_case(uint32_t c, bool up, bool title)
{
    static const struct {
        uint32_t c;
        const char *upper, *title;
    } t[] = {
        {0xDF, "SS", "Ss"},     {0x149, "\u02bcN", "\u02bcN"}, {0x1F0, "J\u030c", "J\u030c"},
        {0xFB00, "FF", "Ff"},   {0xFB01, "FI", "Fi"},           {0xFB02, "FL", "Fl"},
        {0xFB03, "FFI", "Ffi"}, {0xFB04, "FFL", "Ffl"},         {0xFB05, "ST", "St"},
        {0xFB06, "ST", "St"},
    };

    for (int i = 0; up && i < COUNT(t); i++)
        if (t[i].c == c)
            return title ? t[i].title : t[i].upper;
    if (up && title && ((c >= 0x1C4 && c <= 0x1CC) || (c >= 0x1F1 && c <= 0x1F3)))
        return c >= 0x1F1 ? "\u01f2" : c >= 0x1CA ? "\u01cb" : c >= 0x1C7 ? "\u01c8" : "\u01c5";
    return !up && c == 0x130 ? "i\u0307" : NULL;
}

static bool is_alpha(uint32_t c)
{
    bool for_own_use = c >= 0xE000 && c < 0xF900, pictures = c >= 0x1F000 && c < 0x20000;

    return c == 0xDF || upper(c) != c || lower(c) != c || (c >= 0x100 && c < 0x2000) || (c >= 0x3041 && !for_own_use && !pictures);
}
static bool is_num(uint32_t c) { return c >= '0' && c <= '9'; }
bool str_is_space(uint32_t c)
{
    return c == ' ' || (c >= 9 && c <= 13) || (c >= 28 && c <= 31) || c == 0x85 || c == 0xA0 ||
           c == 0x3000 || (c >= 0x2000 && c <= 0x200A) || c == 0x1680 || c == 0x2028 || c == 0x2029 || c == 0x202F ||
           c == 0x205F;
}

enum { CASE_UP, CASE_LOW, CASE_TITLE, CASE_CAPITAL, CASE_SWAP };

static Value change_case(Vm *vm, Str *s, int mode)
{
    Buf b = {.vm = vm};
    bool start = true;
    char out[4];

    for (uint32_t i = 0; i < s->n;) {
        int len;
        uint32_t c = sc_utf8_read(s->s + i, &len);
        bool title = start && (mode == CASE_TITLE || (mode == CASE_CAPITAL && i == 0));
        bool up = mode == CASE_UP || title ||
                  (mode == CASE_SWAP && (lower(c) == c || special_case(c, true, false)));
        const char *text = special_case(c, up, title);

        start = !is_alpha(c);
        if (text)
            buf_str(&b, text);
        else
            buf_add(&b, out, (size_t)sc_utf8_write(out, up ? upper(c) : lower(c)));
        i += (uint32_t)len;
    }
    return buf_done(&b);
}

/* What equal texts without case have in common: small letters of what the capitals are. */
Value str_casefold(Vm *vm, const Args *a)
{
    Str *s = SELF;
    Buf b = {.vm = vm};
    char out[4];

    for (uint32_t i = 0; i < s->n;) {
        int len, m;
        uint32_t c = sc_utf8_read(s->s + i, &len);
        const char *text = special_case(c, true, false), *low = special_case(c, false, false);

        for (; text && *text; text += m) {
            uint32_t part = sc_utf8_read(text, &m);

            buf_add(&b, out, (size_t)sc_utf8_write(out, lower(part)));
        }
        if (!text && low)
            buf_str(&b, low);
        else if (!text)
            buf_add(&b, out, (size_t)sc_utf8_write(out, c == 0x131 ? c : lower(upper(c))));
        i += (uint32_t)len;
    }
    return buf_done(&b);
}

Value str_upper(Vm *vm, const Args *a) { return change_case(vm, SELF, CASE_UP); }
Value str_lower(Vm *vm, const Args *a) { return change_case(vm, SELF, CASE_LOW); }
Value str_title(Vm *vm, const Args *a) { return change_case(vm, SELF, CASE_TITLE); }
Value str_capitalize(Vm *vm, const Args *a) { return change_case(vm, SELF, CASE_CAPITAL); }
Value str_swapcase(Vm *vm, const Args *a) { return change_case(vm, SELF, CASE_SWAP); }

static Value all_chars(const Str *s, bool (*test)(uint32_t c))
{
    int len;

    for (uint32_t i = 0; i < s->n; i += (uint32_t)len)
        if (!test(sc_utf8_read(s->s + i, &len)))
            return v_bool(false);
    return v_bool(s->n > 0);
}

static bool is_alnum(uint32_t c) { return is_alpha(c) || is_num(c); }
Value str_isdigit(Vm *vm, const Args *a) { (void)vm; return all_chars(SELF, is_num); }
Value str_isalpha(Vm *vm, const Args *a) { (void)vm; return all_chars(SELF, is_alpha); }
Value str_isalnum(Vm *vm, const Args *a) { (void)vm; return all_chars(SELF, is_alnum); }
Value str_isprintable(Vm *vm, const Args *a) { (void)vm; return v_bool(SELF->n == 0 || all_chars(SELF, str_is_printable).i); }
Value str_isspace(Vm *vm, const Args *a) { (void)vm; return all_chars(SELF, str_is_space); }

static Value cased(const Str *s, bool up)
{
    bool any = false;
    int len;

    for (uint32_t i = 0; i < s->n; i += (uint32_t)len) {
        uint32_t c = sc_utf8_read(s->s + i, &len);

        if ((up ? upper(c) != c : lower(c) != c) || special_case(c, up, false))
            return v_bool(false);
        any |= (up ? lower(c) != c : upper(c) != c) || special_case(c, !up, false);
    }
    return v_bool(any);
}

Value str_isupper(Vm *vm, const Args *a) { (void)vm; return cased(SELF, true); }
Value str_islower(Vm *vm, const Args *a) { (void)vm; return cased(SELF, false); }

Value str_isidentifier(Vm *vm, const Args *a)
{
    Str *s = SELF;

    (void)vm;
    for (uint32_t i = 0; i < s->n; i++) {
        unsigned char c = (unsigned char)s->s[i];

        if (!(is_alpha(c) || c == '_' || c >= 128 || (i > 0 && is_num(c))))
            return v_bool(false);
    }
    return v_bool(s->n > 0);
}

Value str_isascii(Vm *vm, const Args *a)
{
    (void)vm;
    return v_bool(SELF->h.flags & OBJ_ASCII);
}

/* Every word begins with an upper letter, and has no other. */
Value str_istitle(Vm *vm, const Args *a)
{
    bool inside = false, any = false;

    (void)vm;
    for (uint32_t i = 0; i < SELF->n;) {
        int len;
        uint32_t c = sc_utf8_read(SELF->s + i, &len);
        bool up = lower(c) != c || special_case(c, false, false), low = upper(c) != c || special_case(c, true, false);

        if (up ? inside : low && !inside)
            return v_bool(false);
        inside = up || low;
        any |= inside;
        i += (uint32_t)len;
    }
    return v_bool(any);
}
