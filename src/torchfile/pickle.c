/* pickle.c -- the machine that pickles are programs of (PEP 307, 3154, 574), for data alone.
 *
 * A stack of values, marks on it, and a memo by number. Values are made and put together; REDUCE, NEWOBJ and BUILD, which call
 * functions in Python, go to known.c, which knows a few names and calls nothing.
 */
#include "torchfile/torchfile.h"

#include <stdio.h>

typedef struct Machine {
    TfFile *f;
    const char *where;
    const unsigned char *p;
    size_t size, at, op_at; /* op_at: of the opcode at work */
    VEC(TfValue *) stack;
    VEC(TfValue *) memo;
} Machine;

static const TfValue none_value = {.kind = TF_NONE, .name = ""},
                     mark_value = {.kind = TF_MARK, .name = ""};

bool tf_fail(TfFile *f, const char *where, size_t at, const char *fmt, ...)
{
    char what[400];
    va_list args;

    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    return fail(f->cx, WF_ERR_FORMAT, in_file(f->file), "PyTorch file: %s, byte %zu: %s",
                where, at, what);
}

#define BAD(m, ...) tf_fail((m)->f, (m)->where, (m)->op_at, __VA_ARGS__)

TfValue *tf_value(TfFile *f, TfKind kind)
{
    TfValue *v = arena_zalloc(f->a, sizeof *v);

    v->kind = kind;
    v->number = ++f->nvalues;
    v->name = "";
    return v;
}

/* ---- bytes and the stack ------------------------------------------------------------------ */

static bool need_bytes(Machine *m, size_t n)
{
    return n <= m->size - m->at || BAD(m, "the pickle ends too early");
}

static bool take_number(Machine *m, int bytes, uint64_t *out)
{
    *out = 0;
    if (!need_bytes(m, (size_t)bytes))
        return false;
    for (int i = 0; i < bytes; i++)
        *out |= (uint64_t)m->p[m->at++] << 8 * i;
    return true;
}

static bool push(Machine *m, TfValue *v)
{
    vec_push(m->f->a, &m->stack, v);
    return true;
}

static TfValue *pop(Machine *m)
{
    TfValue *v = m->stack.n ? m->stack.v[m->stack.n - 1] : NULL;

    if (!v || v->kind == TF_MARK)
        return BAD(m, "the stack is empty"), NULL;
    m->stack.n--;
    return v;
}

static TfValue *top(Machine *m)
{
    TfValue *v = pop(m);

    m->stack.n += v != NULL;
    return v;
}

/* What is above the mark; the mark and it are taken off. */
static bool pop_mark(Machine *m, TfValue ***out, uint32_t *n)
{
    uint32_t k = m->stack.n;

    while (k && m->stack.v[k - 1]->kind != TF_MARK)
        k--;
    if (!k)
        return BAD(m, "there is no mark on the stack");
    *out = m->stack.v + k;
    *n = m->stack.n - k;
    m->stack.n = k - 1;
    return true;
}

static TfValue *of_items(Machine *m, TfKind kind, TfValue **v, uint32_t n)
{
    TfValue *t = tf_value(m->f, kind);

    if (n)
        memcpy(vec_extend(m->f->a, &t->items, n), v, n * sizeof *v);
    return t;
}

/* ---- families of opcodes --------------------------------------------------------------------- */

static bool push_int(Machine *m, int64_t i)
{
    TfValue *v = tf_value(m->f, TF_INT);

    v->i = i;
    return push(m, v);
}

static bool push_bool(Machine *m, bool b)
{
    TfValue *v = tf_value(m->f, TF_BOOL);

    v->i = b;
    return push(m, v);
}

static bool push_text(Machine *m, TfKind kind, int length_bytes)
{
    TfValue *v = tf_value(m->f, kind);
    uint64_t n;

    if (!take_number(m, length_bytes, &n) || !need_bytes(m, n))
        return false;
    v->n = (size_t)n;
    if (kind == TF_BYTES || kind == TF_LONG) {
        v->s = (const char *)m->p + m->at;
    } else { /* with a NUL behind it; bytes that are not UTF-8 are none of ours */
        char *s = arena_alloc(m->f->a, (size_t)n + 1);

        memcpy(s, m->p + m->at, (size_t)n);
        s[n] = 0;
        v->s = s;
        for (size_t k = 0, len; k < n; k += len)
            if (!(len = (size_t)utf8_len(s + k, (size_t)n - k)))
                return BAD(m, "a text that is not UTF-8");
    }
    m->at += (size_t)n;
    return push(m, v);
}

/* Integers of any length. */
static bool push_long(Machine *m, int length_bytes)
{
    TfValue *v;
    uint64_t x = 0;

    if (!push_text(m, TF_LONG, length_bytes))
        return false;
    v = m->stack.v[m->stack.n - 1];
    if (v->n > 8)
        return v->n <= 256 || BAD(m, "an integer of %zu bytes", v->n);
    for (size_t i = 0; i < 8; i++)
        x |= (uint64_t)(unsigned char)(i < v->n ? v->s[i]
                                       : v->n && ((unsigned char)v->s[v->n - 1] & 0x80)
                                           ? 0xFF
                                           : 0)
             << 8 * i;
    v->kind = TF_INT;
    v->i = (int64_t)x;
    return true;
}

static bool push_float(Machine *m)
{
    TfValue *v = tf_value(m->f, TF_FLOAT);
    uint64_t x = 0;

    if (!need_bytes(m, 8))
        return false;
    for (int i = 0; i < 8; i++) /* big-endian */
        x = x << 8 | m->p[m->at++];
    memcpy(&v->f, &x, 8);
    return push(m, v);
}

static bool push_tuple(Machine *m, uint32_t n)
{
    TfValue *t;

    if (m->stack.n < n)
        return BAD(m, "the stack is empty");
    for (uint32_t i = 1; i <= n; i++)
        if (m->stack.v[m->stack.n - i]->kind == TF_MARK)
            return BAD(m, "a mark inside a tuple");
    t = of_items(m, TF_TUPLE, n ? m->stack.v + m->stack.n - n : NULL, n);
    m->stack.n -= n;
    return push(m, t);
}

static bool push_marked(Machine *m, TfKind kind, const char *name)
{
    TfValue **v, *t;
    uint32_t n;

    if (!pop_mark(m, &v, &n))
        return false;
    if (kind == TF_DICT && n % 2)
        return BAD(m, "a key without a value");
    t = of_items(m, kind, v, n);
    t->name = name;
    return push(m, t);
}

/* A list, set or dict takes n values that stand above it. */
static bool add_items(Machine *m, TfValue **v, uint32_t n, TfKind kind)
{
    TfValue *to = top(m);

    if (!to)
        return false;
    if (to->kind != kind)
        return BAD(m, "values are added to what is no %s",
                   kind == TF_DICT  ? "dict"
                   : kind == TF_SET ? "set"
                                    : "list");
    if (kind == TF_DICT && n % 2)
        return BAD(m, "a key without a value");
    if (n)
        memcpy(vec_extend(m->f->a, &to->items, n), v, n * sizeof *v);
    return true;
}

static bool add_marked(Machine *m, TfKind kind)
{
    TfValue **v;
    uint32_t n;

    return pop_mark(m, &v, &n) && add_items(m, v, n, kind);
}

static bool add_some(Machine *m, uint32_t n, TfKind kind)
{
    TfValue *v[2];

    for (uint32_t i = n; i-- > 0;)
        if (!(v[i] = pop(m)))
            return false;
    return add_items(m, v, n, kind);
}

static bool memo_put(Machine *m, uint64_t k)
{
    TfValue *v = top(m);

    if (!v)
        return false;
    if (k > m->size)
        return BAD(m, "a memo number of %llu", (unsigned long long)k);
    while (m->memo.n <= k)
        vec_push(m->f->a, &m->memo, (TfValue *)NULL);
    m->memo.v[k] = v;
    return true;
}

static bool memo_get(Machine *m, uint64_t k)
{
    if (k >= m->memo.n || !m->memo.v[k])
        return BAD(m, "memo %llu has no value", (unsigned long long)k);
    return push(m, m->memo.v[k]);
}

static bool push_global(Machine *m, const char *module, const char *name)
{
    TfValue *v = tf_value(m->f, TF_GLOBAL);

    v->name = arena_printf(m->f->a, "%s.%s", module, name);
    if (!tf_is_known(m->f, v->name))
        return BAD(m,
                   "it names '%.200s', which is none of the names that are data; nothing "
                   "of a file is called. Save "
                   "state_dict() or plain values instead of objects",
                   v->name);
    return push(m, v);
}

static const char *take_line(Machine *m)
{
    const unsigned char *end = memchr(m->p + m->at, '\n', m->size - m->at);
    char *s;

    if (!end)
        return BAD(m, "the pickle ends too early"), NULL;
    s = arena_printf(m->f->a, "%.*s", (int)MIN(end - (m->p + m->at), 1000),
                     (const char *)m->p + m->at);
    m->at = (size_t)(end - m->p) + 1;
    return s;
}

static bool do_global(Machine *m)
{
    const char *module = take_line(m), *name = module ? take_line(m) : NULL;

    return name && push_global(m, module, name);
}

static bool do_stack_global(Machine *m)
{
    TfValue *name = pop(m), *module = name ? pop(m) : NULL;

    if (!module)
        return false;
    if (name->kind != TF_STR || module->kind != TF_STR)
        return BAD(m, "a name that is no text");
    return push_global(m, module->s, name->s);
}

/* ---- calls, which known.c makes values of -------------------------------------------------------- */

static bool do_reduce(Machine *m, bool has_kwargs)
{
    TfValue *kw = has_kwargs ? pop(m) : NULL, *args = has_kwargs && !kw ? NULL : pop(m),
            *fn = args ? pop(m) : NULL, *v;
    const char *why = "its arguments are not what it takes";

    if (!fn)
        return false;
    if (fn->kind == TF_GLOBAL && args->kind != TF_TUPLE && tf_is_class(m->f, fn->name)) { /* an enum: PyTorch writes its value alone */
        v = tf_value(m->f, TF_TUPLE);
        vec_push(m->f->a, &v->items, args);
        args = v;
    }
    if (fn->kind != TF_GLOBAL || args->kind != TF_TUPLE ||
        (kw && (kw->kind != TF_DICT || kw->items.n)))
        return BAD(m, "a call of what is no known name");
    v = tf_call(m->f, fn, args, &why);
    return v ? push(m, v) : !failed(m->f->cx) && BAD(m, "%.200s: %s", fn->name, why);
}

static bool do_build(Machine *m)
{
    TfValue *state = pop(m), *v = state ? top(m) : NULL;
    const char *why = "it takes no state";

    if (!v)
        return false;
    return tf_build(m->f, v, state, &why) ||
           (!failed(m->f->cx) &&
            BAD(m, "%.200s: %s", *v->name ? v->name : "a value", why));
}

static bool do_persistent(Machine *m)
{
    TfValue *id = pop(m), *v;
    const char *why = "it is not what PyTorch writes";

    if (!id)
        return false;
    v = tf_persistent(m->f, id, &why);
    return v ? push(m, v) : !failed(m->f->cx) && BAD(m, "a storage: %s", why);
}

/* ---- the loop ---------------------------------------------------------------------------------------- */

/* Opcodes that push a value, or add to one. */
static bool step_value(Machine *m, int op, bool *known)
{
    uint64_t x = 0;

    switch (op) {
    case 'N': return push(m, (TfValue *)(uintptr_t)&none_value);
    case 0x88: return push_bool(m, true);
    case 0x89: return push_bool(m, false);
    case 'K': return take_number(m, 1, &x) && push_int(m, (int64_t)x);
    case 'M': return take_number(m, 2, &x) && push_int(m, (int64_t)x);
    case 'J': return take_number(m, 4, &x) && push_int(m, (int32_t)(uint32_t)x);
    case 0x8a: return push_long(m, 1);
    case 0x8b: return push_long(m, 4);
    case 'G': return push_float(m);
    case 'X': return push_text(m, TF_STR, 4);
    case 0x8c: return push_text(m, TF_STR, 1);
    case 0x8d: return push_text(m, TF_STR, 8);
    case 'U': return push_text(m, TF_STR, 1); /* of Python 2 */
    case 'T': return push_text(m, TF_STR, 4);
    case 'C': return push_text(m, TF_BYTES, 1);
    case 'B': return push_text(m, TF_BYTES, 4);
    case 0x8e:
    case 0x96: return push_text(m, TF_BYTES, 8);
    case ')': return push_tuple(m, 0);
    case 0x85: return push_tuple(m, 1);
    case 0x86: return push_tuple(m, 2);
    case 0x87: return push_tuple(m, 3);
    case 't': return push_marked(m, TF_TUPLE, "");
    case ']': return push(m, tf_value(m->f, TF_LIST));
    case 'l': return push_marked(m, TF_LIST, "");
    case '}': return push(m, tf_value(m->f, TF_DICT));
    case 'd': return push_marked(m, TF_DICT, "");
    case 0x8f: return push(m, tf_value(m->f, TF_SET));
    case 0x91: return push_marked(m, TF_SET, "frozenset");
    case 'a': return add_some(m, 1, TF_LIST);
    case 'e': return add_marked(m, TF_LIST);
    case 's': return add_some(m, 2, TF_DICT);
    case 'u': return add_marked(m, TF_DICT);
    case 0x90: return add_marked(m, TF_SET);
    default: *known = false; return true;
    }
}

static bool step_other(Machine *m, int op)
{
    TfValue **v;
    uint64_t x = 0;
    uint32_t n;

    switch (op) {
    case 0x80:
        return take_number(m, 1, &x) &&
               (x <= 5 || BAD(m, "pickle protocol %d; up to 5 is known", (int)x));
    case 0x95: return take_number(m, 8, &x); /* a frame says only how long it is */
    case '(': return push(m, (TfValue *)(uintptr_t)&mark_value);
    case '0': return pop(m) != NULL;
    case '1': return pop_mark(m, &v, &n);
    case '2': return top(m) && push(m, top(m));
    case 'q': return take_number(m, 1, &x) && memo_put(m, x);
    case 'r': return take_number(m, 4, &x) && memo_put(m, x);
    case 0x94: return memo_put(m, m->memo.n);
    case 'h': return take_number(m, 1, &x) && memo_get(m, x);
    case 'j': return take_number(m, 4, &x) && memo_get(m, x);
    case 'c': return do_global(m);
    case 0x93: return do_stack_global(m);
    case 'R':
    case 0x81: return do_reduce(m, false);
    case 0x92: return do_reduce(m, true);
    case 'b': return do_build(m);
    case 'Q': return do_persistent(m);
    default: return BAD(m, "opcode 0x%02x is none that PyTorch writes", op);
    }
}

TfValue *tf_unpickle(TfFile *f, const char *where, const char *data, size_t size,
                     size_t *at)
{
    Machine m = {.f = f,
                 .where = where,
                 .p = (const unsigned char *)data,
                 .size = size,
                 .at = *at};

    for (;;) {
        bool known = true;
        int op;

        m.op_at = m.at;
        if (!need_bytes(&m, 1))
            return NULL;
        op = m.p[m.at++];
        if (op == '.')
            break;
        if (!step_value(&m, op, &known) || (!known && !step_other(&m, op)))
            return NULL;
    }
    *at = m.at;
    return pop(&m);
}
