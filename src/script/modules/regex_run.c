/* regex_run.c -- the backtracking machine of regular expressions; see regex.c. */
#include "regex.h"
#include "script/str.h"

typedef struct Subject { /* code points of the subject */
    const Str *s;
    const uint8_t *at; /* bytes of ASCII text */
    uint32_t *wide;    /* or code points of any other */
    int64_t n;
} Subject;

typedef struct Try {
    int32_t pc;
    int32_t slot; /* >= 0: no branch, but the old value of a slot to put back */
    int64_t at;
} Try;

typedef struct Run {
    Vm *vm;
    const Regex *r;
    Subject t;
    int64_t *slot;
    Try *stack;
    int64_t n, cap;
    int64_t steps, limit;
    uint8_t *seen; /* bits of (instruction, place) that failed, or NULL */
    size_t nseen;
    int64_t begin, stop; /* where text begins and ends for the pattern */
    int64_t not_at;      /* the whole may not end here; -1 */
    bool failed;
} Run;

static uint32_t char_at(const Run *m, int64_t i) { return m->t.wide ? m->t.wide[i] : m->t.at[i]; }

static uint32_t fold(uint32_t c)
{
    if (c < 128)
        return c >= 'A' && c <= 'Z' ? c + 32 : c;
    return (c >= 0xC0 && c <= 0xDE && c != 0xD7) || (c >= 0x391 && c <= 0x3A9) || (c >= 0x410 && c <= 0x42F) ? c + 32 : c;
}

static bool is_word(const Regex *r, uint32_t c)
{
    if (c < 128)
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    /* letters beyond ASCII: all but punctuation and spaces of Latin-1, and the private area */
    return !(r->flags & RE_ASCII) && (c >= 0xC0 || c == 0xAA || c == 0xB5 || c == 0xBA) && c != 0xD7 && c != 0xF7 &&
           !(c >= 0x2000 && c <= 0x2BFF) && !(c >= 0x3000 && c <= 0x303F) && !(c >= 0xE000 && c <= 0xF8FF) && c < 0x1F000;
}

static bool in_class(const Regex *r, uint32_t c, uint32_t cls)
{
    bool in = (cls | 32) == 'd'   ? c >= '0' && c <= '9'
              : (cls | 32) == 'w' ? is_word(r, c)
                                  : (c >= 9 && c <= 13) || c == ' ' || (!(r->flags & RE_ASCII) && ((c >= 0x1C && c <= 0x1F) || str_is_space(c)));

    return in != (cls < 'a');
}

static bool in_set(const Regex *r, const Rins *k, uint32_t c)
{
    for (int pass = 0; pass <= (k->fold ? 1 : 0); pass++) {
        uint32_t v = pass ? (fold(c) != c ? fold(c) : c >= 'a' && c <= 'z' ? c - 32 : c >= 0xE0 && c <= 0xFE ? c - 32 : c) : c;

        for (int32_t i = 0; i < k->b; i++) {
            const Rrange *q = &r->ranges[k->a + i];

            if (q->lo == CLASS_OF ? in_class(r, v, q->hi) : v >= q->lo && v <= q->hi)
                return !k->x;
        }
    }
    return k->x;
}

static bool push(Run *m, int32_t pc, int64_t at, int32_t slot)
{
    if (m->n == m->cap && !sc_grow(m->vm, &m->stack, &m->cap, m->n + 1, sizeof *m->stack)) {
        m->failed = true;
        return false;
    }
    m->stack[m->n++] = (Try){pc, slot, at};
    return true;
}

static void set_slot(Run *m, int32_t slot, int64_t v)
{
    if (push(m, 0, m->slot[slot], slot))
        m->slot[slot] = v;
}

static int64_t run_at(Run *m, int32_t pc, int64_t at);

/* A body of its own, whose branches are forgotten when it matches; -1: it does not */
static int64_t run_inside(Run *m, int32_t pc, int64_t at, bool keep)
{
    int64_t floor = m->n, end, kept;
    Try *t;

    if (!sc_enter(m->vm)) {
        m->failed = true;
        return -1;
    }
    if (!push(m, -1, 0, -1)) { /* a wall */
        sc_leave(m->vm);
        return -1;
    }
    end = run_at(m, pc, at);
    sc_leave(m->vm);
    kept = floor;
    for (int64_t i = floor; i < m->n; i++) { /* old values of slots stay, to be put back later */
        t = &m->stack[i];
        if (t->slot >= 0 && keep && end >= 0)
            m->stack[kept++] = *t;
    }
    if (!keep || end < 0)
        while (m->n > floor) {
            t = &m->stack[--m->n];
            if (t->slot >= 0)
                m->slot[t->slot] = t->at;
        }
    m->n = kept;
    return end;
}

static bool at_boundary(const Run *m, int64_t at)
{
    bool a = at > m->begin && is_word(m->r, char_at(m, at - 1)), b = at < m->stop && is_word(m->r, char_at(m, at));

    return a != b;
}

static bool seen_before(Run *m, int32_t pc, int64_t at)
{
    size_t bit = (size_t)pc * (size_t)(m->t.n + 1) + (size_t)at;

    if (m->seen[bit / 8] >> (bit % 8) & 1)
        return true;
    m->seen[bit / 8] |= (uint8_t)(1 << (bit % 8));
    return false;
}

static bool same_back(Run *m, const Rins *k, int64_t *at)
{
    int64_t from = m->slot[2 * k->a], to = m->slot[2 * k->a + 1];

    if (from < 0 || to < 0 || to - from > m->stop - *at)
        return false;
    for (int64_t i = from; i < to; i++, ++*at) {
        uint32_t x = char_at(m, i), y = char_at(m, *at);

        if (x != y && !(k->fold && fold(x) == fold(y)))
            return false;
    }
    return true;
}

/* What matches no character: beginnings, ends and boundaries */
static bool holds(const Run *m, const Rins *k, int64_t at)
{
    switch ((Rop)k->op) {
    case R_BOL: return at == m->begin || (k->x && char_at(m, at - 1) == '\n');
    case R_EOL:
        return at == m->stop || (at == m->stop - 1 && char_at(m, at) == '\n') || (k->x && char_at(m, at) == '\n');
    case R_START: return at == m->begin;
    case R_END: return at == m->stop;
    default: return at_boundary(m, at) != k->x;
    }
}

/* One instruction at *at: 1 go on, 0 fail; *pc is the next. Branches are pushed. */
static int step(Run *m, int32_t *pc, int64_t *at)
{
    const Rins *k = &m->r->ins[*pc];
    int64_t end;

    switch ((Rop)k->op) {
    case R_CHAR:
        if (*at >= m->stop)
            return 0;
        end = char_at(m, *at);
        if (end != k->a && !(k->fold && fold((uint32_t)end) == fold((uint32_t)k->a)))
            return 0;
        ++*at;
        break;
    case R_ANY:
        if (*at >= m->stop || (!k->x && char_at(m, *at) == '\n'))
            return 0;
        ++*at;
        break;
    case R_SET:
        if (*at >= m->stop || !in_set(m->r, k, char_at(m, *at)))
            return 0;
        ++*at;
        break;
    case R_SPLIT:
        if (m->seen && seen_before(m, *pc, *at))
            return 0;
        push(m, k->b, *at, -1);
        *pc = k->a;
        return 1;
    case R_JMP: *pc = k->a; return 1;
    case R_SAVE:
    case R_MARK: set_slot(m, k->a, *at); break;
    case R_EMPTY:
        if (m->slot[k->a] == *at) { /* nothing was matched: out of the loop */
            *pc += 2;
            return 1;
        }
        break;
    case R_BOL:
    case R_EOL:
    case R_START:
    case R_END:
    case R_WORD:
        if (!holds(m, k, *at))
            return 0;
        break;
    case R_BACK:
        if (!same_back(m, k, at))
            return 0;
        break;
    case R_LOOK:
        end = (k->x & 2) && *at - k->b < m->begin ? -1 : run_inside(m, *pc + 1, k->x & 2 ? *at - k->b : *at, !(k->x & 1));
        if ((end >= 0) == (k->x & 1))
            return 0;
        *pc = k->a;
        return 1;
    case R_ATOM:
        end = run_inside(m, *pc + 1, *at, true);
        if (end < 0)
            return 0;
        *at = end;
        *pc = k->a;
        return 1;
    case R_COND:
        *pc = m->slot[2 * k->a + 1] >= 0 ? *pc + 1 : k->b;
        return 1;
    case R_MATCH: break;
    }
    ++*pc;
    return 1;
}

/* Where a match from `at` ends, or -1 */
static int64_t run_at(Run *m, int32_t pc, int64_t at)
{
    for (;;) {
        if (m->failed || ++m->steps > m->limit)
            return -1;
        if ((m->steps & 0xFFFF) == 0 && sc_interrupted(m->vm)) {
            m->failed = true;
            return -1;
        }
        if (m->r->ins[pc].op == R_MATCH) {
            if (at != m->not_at || pc + 1 < m->r->nins)
                return at;
        } else if (step(m, &pc, &at)) {
            continue;
        }
        for (;;) { /* back to the last branch */
            Try *t = &m->stack[--m->n];

            if (t->slot >= 0) {
                m->slot[t->slot] = t->at;
                continue;
            }
            if (t->pc < 0) {
                m->n++; /* the wall stays for its owner */
                return -1;
            }
            pc = t->pc;
            at = t->at;
            break;
        }
    }
}

#define FEW_STEPS 20000 /* before memory of failures is worth its price */
#define SEEN_MAX ((size_t)64 << 20)

/* mode 0 search, 1 match, 3 search for one that is not empty if it is at `from` */
static int64_t try_all(Run *m, int64_t from, int mode)
{
    const Rins *first = &m->r->ins[1];
    int64_t end = -1;

    for (int64_t at = from; at <= m->stop && end < 0 && !m->failed; at++) {
        if (mode == 0 && first->op == R_CHAR && !first->fold) { /* on to where it can begin */
            while (at < m->stop && char_at(m, at) != (uint32_t)first->a)
                at++;
            if (at >= m->stop)
                break;
        }
        for (int i = 0; i < m->r->nslots; i++)
            m->slot[i] = -1;
        m->n = 0;
        if (!push(m, -1, 0, -1))
            break;
        if (m->seen)
            memset(m->seen, 0, m->nseen);
        m->not_at = mode == 3 && at == from ? at : -1;
        end = run_at(m, 0, at);
        if (m->steps > m->limit || mode == 1)
            break;
    }
    return end;
}

static bool find(Run *m, int64_t from, int mode)
{
    int64_t end;

    m->steps = 0;
    m->limit = m->r->plain ? FEW_STEPS + 20 * m->t.n : INT64_MAX;
    end = try_all(m, from, mode);
    if (end < 0 && m->steps > m->limit && !m->failed) {
        m->nseen = (size_t)m->r->nins * (size_t)(m->t.n + 1) / 8 + 1;
        if (m->nseen <= SEEN_MAX)
            m->seen = sc_alloc(m->vm, m->nseen);
        m->limit = INT64_MAX;
        m->steps = 0;
        if (!m->failed && !sc_failed(m->vm))
            end = try_all(m, from, mode);
        if (m->seen)
            sc_free(m->vm, m->seen, m->nseen);
        m->seen = NULL;
    }
    return end >= 0;
}

static bool subject_of(Vm *vm, Value v, Subject *t)
{
    Str *s;
    int len;
    int64_t k = 0;

    if (!is_str(v))
        return sc_fail(vm, C_TypeError, "expected string or bytes-like object, got '%s'", sc_type_name(vm, v));
    s = as_str(v);
    *t = (Subject){.s = s, .at = (const uint8_t *)s->s, .n = s->chars};
    if (s->h.flags & OBJ_ASCII || s->chars == s->n)
        return true;
    t->wide = sc_alloc(vm, (size_t)(t->n + 1) * sizeof *t->wide);
    if (!t->wide)
        return false;
    for (uint32_t i = 0; i < s->n; i += (uint32_t)len)
        t->wide[k++] = sc_utf8_read(s->s + i, &len);
    return true;
}

/* find(text, from, to, mode): [start, end, ..] of the groups, -1 where not set; None: no match.
 * mode: see try_all */
Value regex_find(Vm *vm, const Args *a)
{
    Regex *r = sc_native(a->v[0]);
    Run m = {.vm = vm, .r = r};
    int64_t from, to, mode;
    List *l = NULL;
    bool ok;

    if (!sc_to_int(vm, a->v[2], &from) || !sc_to_int(vm, a->v[3], &to) || !sc_to_int(vm, a->v[4], &mode) ||
        !subject_of(vm, a->v[1], &m.t))
        return NIL;
    from = MAX(0, MIN(from, m.t.n));
    m.stop = MAX(0, MIN(to, m.t.n));
    m.slot = sc_alloc(vm, (size_t)r->nslots * sizeof *m.slot);
    ok = m.slot && from <= m.stop && find(&m, from, (int)mode);
    if (ok && !sc_failed(vm)) {
        l = sc_list(vm, 0);
        for (int i = 0; l && i < 2 * r->ngroups; i++)
            if (!sc_list_push(vm, l, v_int(m.slot[i]))) {
                obj_drop(vm, l);
                l = NULL;
            }
    }
    sc_free(vm, m.slot, (size_t)r->nslots * sizeof *m.slot);
    sc_free(vm, m.stack, (size_t)m.cap * sizeof *m.stack);
    if (m.t.wide)
        sc_free(vm, m.t.wide, (size_t)(m.t.n + 1) * sizeof *m.t.wide);
    return sc_failed(vm) ? NIL : l ? v_obj(l) : NONE;
}
