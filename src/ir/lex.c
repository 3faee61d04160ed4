/* lex.c -- the tokens of the text form, and the table of names.
 *
 *   name     letter { letter | digit | "." }   letter: A-Z a-z _ and UTF-8 sequences
 *   number   a digit, or "." and one, then { letter | digit | "." | sign after e }
 *   string   '"' { byte | escape } '"'            on one line; \n \t \\ \" \xNN
 *   comment  "#" to the end of the line
 *
 * Lines end equations, but not inside ( ) and [ ]. The text is valid UTF-8 without NUL:
 * parse.c has looked.
 */
#include "ir/parse.h"

/* ---- tokens ------------------------------------------------------------------------ */

enum { C_OTHER, C_LETTER = 1, C_DIGIT = 2, C_DOT = 4, C_BLANK = 8 };

/* What a byte can be, by value. */
#define L   C_LETTER
#define D   C_DIGIT
#define L16 L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L
/* clang-format off */
static const uint8_t class_of[256] = {
    ['\t'] = C_BLANK, ['\r'] = C_BLANK, [' '] = C_BLANK, ['.'] = C_DOT,
    ['0'] = D, D, D, D, D, D, D, D, D, D,
    ['A'] = L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L,
    ['_'] = L,
    ['a'] = L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L,
    [0x80] = L16, L16, L16, L16, L16, L16, L16, L16,
};
/* clang-format on */
#undef L
#undef D
#undef L16

static unsigned class_at(const char *s) { return class_of[(unsigned char)*s]; }

bool name_is_start(unsigned char c) { return class_of[c] == C_LETTER; }
bool name_is_byte(unsigned char c)
{
    return (class_of[c] & (C_LETTER | C_DIGIT | C_DOT)) != 0;
}

static const char *scan_number(const char *s, const char *end)
{
    bool hex = end - s > 1 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X');

    for (; s < end; s++) {
        bool sign =
            (*s == '+' || *s == '-') &&
            ((!hex && (s[-1] == 'e' || s[-1] == 'E')) || s[-1] == 'p' || s[-1] == 'P');

        if (!sign && !name_is_byte((unsigned char)*s))
            break;
    }
    return s;
}

/* From the opening quote; NULL without a closing one on the line. */
static const char *scan_string(const char *s, const char *end)
{
    for (s++; s < end && *s != '\n'; s++) {
        if (*s == '"')
            return s + 1;
        if (*s == '\\' && s + 1 < end && s[1] != '\n')
            s++;
    }
    return NULL;
}

static int scan_punctuation(Lex *l, const char **at)
{
    const char *s = *at;
    bool equal = l->end - s > 1 && s[1] == '=';

    *at = s + 1 + (equal && (*s == '=' || *s == '>' || *s == '<'));
    switch (*s) {
    case '(':
    case '[': l->depth++; return *s;
    case ')':
    case ']': l->depth -= l->depth > 0; return *s;
    case '{':
    case '}': l->depth = 0; return *s;
    case '=': return equal ? TOK_EQ : '=';
    case '>': return equal ? TOK_GE : '>';
    case '<': return equal ? TOK_LE : '<';
    case ',':
    case ':':
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
    case '@':
    case '!': return *s;
    default: return TOK_BAD;
    }
}

/* Past blanks, comments and, inside brackets, lines. False: a line ends here. */
static bool skip_blank(Lex *l)
{
    for (;;) {
        while (l->at < l->end && class_at(l->at) == C_BLANK)
            l->at++;
        if (l->at == l->end)
            return true;
        if (*l->at == '#') {
            const char *nl = memchr(l->at, '\n', (size_t)(l->end - l->at));

            l->at = nl ? nl : l->end;
        } else if (*l->at != '\n') {
            return true;
        } else {
            if (l->depth == 0)
                return false;
            l->at++;
            l->row++;
            l->line = l->at;
        }
    }
}

Token lex_next(Lex *l)
{
    bool more = skip_blank(l);
    const char *s = l->at;
    Token t = {.s = s, .line = l->line, .row = l->row};

    if (!more) {
        t.kind = TOK_LINE;
        l->at = l->line = s + 1;
        l->row++;
        return t;
    }
    if (s == l->end) {
        t.kind = TOK_END;
        return t;
    }
    if (class_at(s) == C_LETTER) {
        t.kind = TOK_NAME;
        for (s++; s < l->end && name_is_byte((unsigned char)*s); s++)
            ;
    } else if (class_at(s) == C_DIGIT ||
               (*s == '.' && s + 1 < l->end && class_at(s + 1) == C_DIGIT)) {
        t.kind = TOK_NUMBER;
        s = scan_number(s, l->end);
    } else if (*s == '"') {
        const char *end = scan_string(s, l->end);

        t.kind = end ? TOK_STRING : TOK_BAD;
        s = end ? end : s + 1;
    } else {
        t.kind = scan_punctuation(l, &s);
    }
    l->at = s;
    t.n = (uint32_t)MIN(s - t.s, (ptrdiff_t)UINT32_MAX);
    return t;
}

static const char *after_blanks(const Lex *l)
{
    const char *s = l->at;

    while (s < l->end && class_at(s) == C_BLANK)
        s++;
    return s;
}

char lex_peek(const Lex *l)
{
    const char *s = after_blanks(l);

    return s < l->end ? *s : '\0';
}

bool lex_peek_assign(const Lex *l)
{
    const char *s = after_blanks(l);

    return s < l->end && *s == '=' && !(l->end - s > 1 && s[1] == '=');
}

/* ---- names ------------------------------------------------------------------------- */

static uint32_t hash_name(const char *s, uint32_t n)
{
    uint64_t h = n, w;

    for (; n >= 8; s += 8, n -= 8) {
        memcpy(&w, s, 8);
        h = hash_mix(h, w);
    }
    w = 0;
    for (uint32_t i = 0; i < n; i++)
        w = w << 8 | (unsigned char)s[i];
    h = hash_mix(h, w);
    return (uint32_t)(h ^ h >> 32);
}

static NameSlot *slot_of(const ParseNames *t, const char *s, uint32_t n, uint32_t hash)
{
    uint32_t k = hash & (t->cap - 1);

    while (t->slots[k].s && (t->slots[k].hash != hash || t->slots[k].n != n ||
                             memcmp(t->slots[k].s, s, n) != 0))
        k = (k + 1) & (t->cap - 1);
    return &t->slots[k];
}

NameSlot *names_find(const ParseNames *t, const char *s, uint32_t n)
{
    NameSlot *slot = t->cap ? slot_of(t, s, n, hash_name(s, n)) : NULL;

    return slot && slot->s ? slot : NULL;
}

static void grow_names(ParseNames *t, uint32_t cap)
{
    ParseNames bigger = {.a = t->a, .n = t->n, .cap = cap};

    bigger.slots = arena_zalloc(t->a, bigger.cap * sizeof *bigger.slots);
    for (uint32_t i = 0; i < t->cap; i++)
        if (t->slots[i].s)
            *slot_of(&bigger, t->slots[i].s, t->slots[i].n, t->slots[i].hash) =
                t->slots[i];
    *t = bigger;
}

void names_reserve(ParseNames *t, uint32_t n)
{
    uint32_t cap = 16;

    while (cap / 2 < n && cap < UINT32_C(1) << 30)
        cap *= 2;
    if (cap > t->cap)
        grow_names(t, cap);
}

bool names_add(ParseNames *t, const char *s, uint32_t n, int64_t value, NameSlot **out_old)
{
    uint32_t hash = hash_name(s, n);
    NameSlot *slot;

    if ((uint64_t)t->n * 2 >= t->cap)
        grow_names(t, t->cap ? t->cap * 2 : 16);
    slot = slot_of(t, s, n, hash);
    if (slot->s) {
        *out_old = slot;
        return false;
    }
    *slot = (NameSlot){s, n, hash, value};
    t->n++;
    return true;
}

#define NEAREST_AMONG 10000

const char *names_nearest(const ParseNames *t, const char *s, uint32_t n)
{
    const char **all = arena_array(t->a, MIN(t->n, NEAREST_AMONG), sizeof *all);
    char *wanted;
    int k = 0;

    if (n > 64)
        return NULL;
    wanted = arena_alloc(t->a, n + 1);
    memcpy(wanted, s, n);
    wanted[n] = '\0';
    for (uint32_t i = 0; i < t->cap && k < NEAREST_AMONG; i++) {
        const NameSlot *slot = &t->slots[i];
        char *name;

        if (!slot->s || slot->n > 64)
            continue;
        name = arena_alloc(t->a, slot->n + 1);
        memcpy(name, slot->s, slot->n);
        name[slot->n] = '\0';
        all[k++] = name;
    }
    return nearest_name(wanted, all, k);
}
