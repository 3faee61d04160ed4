/* slots.c -- the special methods of built-in classes as functions: [].__len__, int.__add__, super().__setitem__.
 *
 * Built-in classes have slots (ClassDef), no methods of these names: operators need none. Who asks for one by
 * name gets a native function made for the occasion, which does what the slot of that class does, whatever a
 * class derived from it says. The table says which classes have which; a name that is not in it is not there.
 */
#include "ast.h"
#include "dunder.h"

/* Who has a slot: by the slot itself, or the built-in classes that a set of bits names. */
enum {
    HAS_INT = 1,
    HAS_FLOAT = 2,
    HAS_COMPLEX = 4,
    HAS_STR = 8,
    HAS_LIST = 16,
    HAS_TUPLE = 32,
    HAS_DICT = 64,
    HAS_SET = 128,
    HAS_FROZEN = 256,
    HAS_BYTES = 512,
    HAS_ARRAY = 1024,
    HAS_NONE = 2048,
    HAS_RANGE = 4096,
    HAS_ALL = 1 << 20, /* any object */
    NUMBERS = HAS_INT | HAS_FLOAT | HAS_COMPLEX,
    REALS = HAS_INT | HAS_FLOAT,
    SETS = HAS_SET | HAS_FROZEN,
    TEXTS = HAS_STR | HAS_BYTES | HAS_ARRAY,
    SEQUENCES = TEXTS | HAS_LIST | HAS_TUPLE
};

static int bit_of(Vm *vm, const Class *c)
{
    static const KnownClass known[] = {
        C_int, C_float,     C_complex, C_str,       C_list,     C_tuple, C_dict,
        C_set, C_frozenset, C_bytes,   C_bytearray, C_NoneType, C_range};

    if (c == vm->cls[C_bool])
        return HAS_INT;
    for (int i = 0; i < COUNT(known); i++)
        if (c == vm->cls[known[i]])
            return 1 << i;
    return 0;
}

typedef struct Slot {
    NativeDef def;
    int who;      /* HAS_ bits; 0: whoever has the slot `kind` */
    uint8_t kind; /* KIND_ */
    uint8_t op;
    bool reflected, inplace;
} Slot;
enum {
    KIND_NONE,
    KIND_LEN,
    KIND_GETITEM,
    KIND_SETITEM,
    KIND_CONTAINS,
    KIND_ITER,
    KIND_NEXT,
    KIND_CALL,
    KIND_COMPARE,
    KIND_HASH,
    KIND_REPR,
    KIND_STR,
    KIND_BINARY
};

static bool is_number(Value v) { return v.tag >= T_BOOL && v.tag <= T_FLOAT; }

static const Slot *slot_of(const Args *a) { return (const Slot *)(const void *)a->def; }

static Class *class_of(const Args *a) { return (Class *)a->user; }

static bool applies(Vm *vm, const Args *a)
{
    Class *c = class_of(a);

    return sc_is_instance(vm, a->v[0], c) ||
           sc_fail(vm, C_TypeError,
                   "descriptor '%s' requires a '%s' object but received a '%s'",
                   a->def->name, c->name->s, sc_type_name(vm, a->v[0]));
}

/* ---- what they do ------------------------------------------------------------------ */

static Value s_repr(Vm *vm, const Args *a)
{
    Class *c = class_of(a);

    return !applies(vm, a)                     ? NIL
           : a->v[0].tag == T_OBJ && c->d.repr ? c->d.repr(vm, a->v[0])
                                               : sc_repr(vm, a->v[0]);
}

/* Without a slot of its own it is the repr, by whichever class has that. */
static Value s_str(Vm *vm, const Args *a)
{
    Class *c = class_of(a);

    if (!applies(vm, a))
        return NIL;
    if (a->v[0].tag != T_OBJ || c == vm->cls[C_str])
        return is_str(a->v[0]) && a->v[0].o->cls->script
                   ? v_obj(sc_str_n(vm, as_str(a->v[0])->s, as_str(a->v[0])->n))
                   : sc_to_str(vm, a->v[0]);
    return c->d.str ? c->d.str(vm, a->v[0]) : sc_repr(vm, a->v[0]);
}

static Value call_builtin(Vm *vm, const char *name, Value *args, int n)
{
    Str *s = sc_intern(vm, name, strlen(name));
    Value *f = s ? sc_dict_find_str(vm->builtins, s) : NULL;

    if (s)
        obj_drop(vm, s);
    return f ? sc_call(vm, *f, args, n) : NIL;
}

/* That of the built-in class: an int's is its value's, whatever a class derived from it says */
static Value s_hash(Vm *vm, const Args *a)
{
    Class *c = class_of(a);
    uint64_t h;
    Value plain, r;

    if (!applies(vm, a))
        return NIL;
    if (c == vm->cls[C_int] || c == vm->cls[C_float]) {
        plain = a->v[0].tag == T_OBJ ? c->d.unary(vm, OP1_POS, a->v[0]) : a->v[0];
        r = plain.tag == T_NIL ? NIL : call_builtin(vm, "hash", &plain, 1);
        sc_drop(vm, plain);
        return r;
    }
    if (a->v[0].tag == T_OBJ && a->v[0].o->cls->script && c->d.hash)
        return c->d.hash(vm, a->v[0], &h) ? v_int(sc_hash_public(h)) : NIL;
    return call_builtin(vm, "hash", a->v, 1);
}

static Value s_compare(Vm *vm, const Args *a)
{
    Class *c = class_of(a);
    CmpOp op = (CmpOp)slot_of(a)->op;
    Value x = a->v[0], y = a->v[1];

    if (!applies(vm, a))
        return NIL;
    if (x.tag != T_OBJ) /* a plain number, or None */
        return (is_number(x) && is_number(y)) || x.tag == y.tag ? sc_compare(vm, op, x, y)
                                                                : NOTIMPL;
    if (c->d.compare)
        return c->d.compare(vm, op, x, y);
    return op == CMP_EQ && sc_same(x, y)   ? v_bool(true)
           : op == CMP_NE && sc_same(x, y) ? v_bool(false)
                                           : NOTIMPL;
}

static Value s_binary(Vm *vm, const Args *a)
{
    Class *c = class_of(a);
    const Slot *s = slot_of(a);
    Value x = s->reflected ? a->v[1] : a->v[0], y = s->reflected ? a->v[0] : a->v[1];

    if (!applies(vm, a))
        return NIL;
    if (a->v[0].tag !=
        T_OBJ) /* an int declines floats: int.__add__(1, 2.5) is NotImplemented */
        return is_number(a->v[1]) && (a->v[0].tag == T_FLOAT || a->v[1].tag != T_FLOAT)
                   ? sc_binary(vm, (BinOp)s->op, x, y, false)
                   : NOTIMPL;
    return c->d.binary ? c->d.binary(vm, (BinOp)s->op, x, y, s->reflected, s->inplace)
                       : NOTIMPL;
}

static Value s_unary(Vm *vm, const Args *a)
{
    Class *c = class_of(a);

    return !applies(vm, a) ? NIL
           : a->v[0].tag == T_OBJ && c->d.unary
               ? c->d.unary(vm, (UnOp)slot_of(a)->op, a->v[0])
               : sc_unary(vm, (UnOp)slot_of(a)->op, a->v[0]);
}

static Value s_len(Vm *vm, const Args *a)
{
    int64_t n = 0;

    return applies(vm, a) && class_of(a)->d.len(vm, a->v[0], &n) ? v_int(n) : NIL;
}

static Value s_getitem(Vm *vm, const Args *a)
{
    return applies(vm, a) ? class_of(a)->d.getitem(vm, a->v[0], a->v[1]) : NIL;
}

static Value s_setitem(Vm *vm, const Args *a)
{
    return applies(vm, a) && class_of(a)->d.setitem(vm, a->v[0], a->v[1], a->v[2]) ? NONE
                                                                                   : NIL;
}

static Value s_delitem(Vm *vm, const Args *a)
{
    return applies(vm, a) && class_of(a)->d.setitem(vm, a->v[0], a->v[1], NIL) ? NONE
                                                                               : NIL;
}

static Value s_contains(Vm *vm, const Args *a)
{
    int r = applies(vm, a) ? class_of(a)->d.contains(vm, a->v[0], a->v[1]) : -1;

    return r < 0 ? NIL : v_bool(r);
}

static Value s_iter(Vm *vm, const Args *a)
{
    return applies(vm, a) ? class_of(a)->d.iter(vm, a->v[0]) : NIL;
}

static Value s_next(Vm *vm, const Args *a)
{
    Value r = applies(vm, a) ? class_of(a)->d.next(vm, a->v[0]) : NIL;

    return r.tag == T_NIL && !sc_failed(vm) ? sc_raise_value(vm, C_StopIteration, NIL)
                                            : r;
}

static Value s_call(Vm *vm, const Args *a)
{
    Args rest;

    if (a->n < 1)
        return sc_raise(vm, C_TypeError, "unbound method __call__() needs an argument");
    rest = (Args){a->v + 1, a->n - 1, a->nkw, a->names, NULL, NULL};
    return applies(vm, a) ? sc_call_args(vm, a->v[0], &rest) : NIL;
}

static Value s_bool(Vm *vm, const Args *a)
{
    Class *c = class_of(a);
    int r = !applies(vm, a)                      ? -1
            : a->v[0].tag == T_OBJ && c->d.truth ? c->d.truth(vm, a->v[0])
                                                 : sc_truth(vm, a->v[0]);

    return r < 0 ? NIL : v_bool(r);
}

/* What a built-in function makes of it: `fn(self)`, with what else there is */
static Value by_builtin(Vm *vm, const Args *a, const char *fn)
{
    int n = a->n;

    while (n > 1 && a->v[n - 1].tag == T_NIL)
        n--;
    return applies(vm, a) ? call_builtin(vm, fn, a->v, n) : NIL;
}

static Value s_int(Vm *vm, const Args *a) { return by_builtin(vm, a, "int"); }
static Value s_float(Vm *vm, const Args *a) { return by_builtin(vm, a, "float"); }
static Value s_round(Vm *vm, const Args *a) { return by_builtin(vm, a, "round"); }
static Value s_abs(Vm *vm, const Args *a) { return by_builtin(vm, a, "abs"); }
static Value s_iter_bytes(Vm *vm, const Args *a) { return by_builtin(vm, a, "iter"); }
static Value s_reversed(Vm *vm, const Args *a) { return by_builtin(vm, a, "reversed"); }

static Value by_math(Vm *vm, const Args *a, const char *fn)
{
    Str *s = applies(vm, a) ? sc_intern(vm, "math", 4) : NULL;
    Value m = s ? sc_import(vm, s) : NIL,
          r = m.tag == T_NIL ? NIL : sc_call_method(vm, m, fn, a->v, 1);

    if (s)
        obj_drop(vm, s);
    sc_drop(vm, m);
    return r;
}

static Value s_floor(Vm *vm, const Args *a) { return by_math(vm, a, "floor"); }
static Value s_ceil(Vm *vm, const Args *a) { return by_math(vm, a, "ceil"); }

static Value s_format(Vm *vm, const Args *a)
{
    if (!is_str(a->v[1]))
        return sc_raise(vm, C_TypeError, "__format__() argument must be str, not %s",
                        sc_type_name(vm, a->v[1]));
    return applies(vm, a) ? sc_format(vm, a->v[0], as_str(a->v[1])) : NIL;
}

static Value divmod_of(Vm *vm, Value x, Value y)
{
    Value v[2], r;

    v[0] = sc_binary(vm, OP2_FLOORDIV, x, y, false);
    v[1] = v[0].tag == T_NIL ? NIL : sc_binary(vm, OP2_MOD, x, y, false);
    r = v[1].tag == T_NIL ? NIL : v_obj(sc_tuple_of(vm, v, 2));
    sc_drop(vm, v[0]);
    sc_drop(vm, v[1]);
    return r;
}

static Value s_divmod(Vm *vm, const Args *a)
{
    if (!applies(vm, a))
        return NIL;
    if (!is_number(a->v[1]))
        return NOTIMPL;
    return slot_of(a)->reflected ? divmod_of(vm, a->v[1], a->v[0])
                                 : divmod_of(vm, a->v[0], a->v[1]);
}

static Value s_sizeof(Vm *vm, const Args *a)
{
    return v_int((int64_t)(a->v[0].tag == T_OBJ ? sc_class_of(vm, a->v[0])->d.size : 16));
}

/* ---- the table --------------------------------------------------------------------- */

#define BINARY(text, num, who_)                                                          \
    {                                                                                    \
        {"__" text "__", s_binary, "self,value"}, (who_), KIND_BINARY, (num), false,     \
            false                                                                        \
    }
#define REFLECTED(text, num, who_)                                                       \
    {                                                                                    \
        {"__r" text "__", s_binary, "self,value"}, (who_), KIND_BINARY, (num), true,     \
            false                                                                        \
    }
#define INPLACE(text, num, who_)                                                         \
    {                                                                                    \
        {"__i" text "__", s_binary, "self,value"}, (who_), KIND_BINARY, (num), false,    \
            true                                                                         \
    }
#define COMPARE(text, num)                                                               \
    {                                                                                    \
        {"__" text "__", s_compare, "self,value"}, HAS_ALL, KIND_COMPARE, (num), false,  \
            false                                                                        \
    }
#define PLAIN(text, fn, params, who_, kind_)                                             \
    {                                                                                    \
        {"__" text "__", fn, params}, (who_), (kind_), 0, false, false                   \
    }

static const Slot slots[] = {
    PLAIN("repr", s_repr, "self", 0, KIND_REPR),
    PLAIN("str", s_str, "self", 0, KIND_STR),
    PLAIN("hash", s_hash, "self", 0, KIND_HASH),
    PLAIN("format", s_format, "self,spec", NUMBERS | HAS_STR, KIND_NONE),
    COMPARE("lt", CMP_LT),
    COMPARE("le", CMP_LE),
    COMPARE("eq", CMP_EQ),
    COMPARE("ne", CMP_NE),
    COMPARE("gt", CMP_GT),
    COMPARE("ge", CMP_GE),
    PLAIN("len", s_len, "self", 0, KIND_LEN),
    PLAIN("getitem", s_getitem, "self,key", 0, KIND_GETITEM),
    PLAIN("setitem", s_setitem, "self,key,value", 0, KIND_SETITEM),
    PLAIN("delitem", s_delitem, "self,key", 0, KIND_SETITEM),
    PLAIN("contains", s_contains, "self,key", 0, KIND_CONTAINS),
    PLAIN("iter", s_iter, "self", 0, KIND_ITER),
    PLAIN("iter", s_iter_bytes, "self", HAS_BYTES | HAS_ARRAY, KIND_NONE),
    PLAIN("next", s_next, "self", 0, KIND_NEXT),
    PLAIN("call", s_call, "*", 0, KIND_CALL),
    PLAIN("reversed", s_reversed, "self", HAS_LIST | HAS_DICT | HAS_RANGE, KIND_NONE),
    PLAIN("bool", s_bool, "self", NUMBERS | HAS_NONE | HAS_RANGE, KIND_NONE),
    PLAIN("int", s_int, "self", REALS, KIND_NONE),
    PLAIN("trunc", s_int, "self", REALS, KIND_NONE),
    PLAIN("float", s_float, "self", REALS, KIND_NONE),
    PLAIN("round", s_round, "self|ndigits", REALS, KIND_NONE),
    PLAIN("abs", s_abs, "self", NUMBERS, KIND_NONE),
    PLAIN("floor", s_floor, "self", REALS, KIND_NONE),
    PLAIN("ceil", s_ceil, "self", REALS, KIND_NONE),
    PLAIN("sizeof", s_sizeof, "self", HAS_ALL, KIND_NONE),
    {{"__neg__", s_unary, "self"}, NUMBERS, KIND_NONE, OP1_NEG, false, false},
    {{"__pos__", s_unary, "self"}, NUMBERS, KIND_NONE, OP1_POS, false, false},
    {{"__invert__", s_unary, "self"}, HAS_INT, KIND_NONE, OP1_INVERT, false, false},
    {{"__divmod__", s_divmod, "self,value"}, REALS, KIND_NONE, 0, false, false},
    {{"__rdivmod__", s_divmod, "self,value"}, REALS, KIND_NONE, 0, true, false},
    BINARY("add", OP2_ADD, NUMBERS | SEQUENCES),
    REFLECTED("add", OP2_ADD, NUMBERS),
    INPLACE("add", OP2_ADD, HAS_LIST | HAS_ARRAY),
    BINARY("sub", OP2_SUB, NUMBERS | SETS),
    REFLECTED("sub", OP2_SUB, NUMBERS | SETS),
    INPLACE("sub", OP2_SUB, HAS_SET),
    BINARY("mul", OP2_MUL, NUMBERS | SEQUENCES),
    REFLECTED("mul", OP2_MUL, NUMBERS | SEQUENCES),
    INPLACE("mul", OP2_MUL, HAS_LIST | HAS_ARRAY),
    BINARY("truediv", OP2_DIV, NUMBERS),
    REFLECTED("truediv", OP2_DIV, NUMBERS),
    BINARY("floordiv", OP2_FLOORDIV, REALS),
    REFLECTED("floordiv", OP2_FLOORDIV, REALS),
    BINARY("mod", OP2_MOD, REALS | TEXTS),
    REFLECTED("mod", OP2_MOD, REALS | TEXTS),
    BINARY("pow", OP2_POW, NUMBERS),
    REFLECTED("pow", OP2_POW, NUMBERS),
    BINARY("lshift", OP2_LSHIFT, HAS_INT),
    REFLECTED("lshift", OP2_LSHIFT, HAS_INT),
    BINARY("rshift", OP2_RSHIFT, HAS_INT),
    REFLECTED("rshift", OP2_RSHIFT, HAS_INT),
    BINARY("and", OP2_AND, HAS_INT | SETS),
    REFLECTED("and", OP2_AND, HAS_INT | SETS),
    INPLACE("and", OP2_AND, HAS_SET),
    BINARY("or", OP2_OR, HAS_INT | SETS | HAS_DICT),
    REFLECTED("or", OP2_OR, HAS_INT | SETS | HAS_DICT),
    INPLACE("or", OP2_OR, HAS_SET | HAS_DICT),
    BINARY("xor", OP2_XOR, HAS_INT | SETS),
    REFLECTED("xor", OP2_XOR, HAS_INT | SETS),
    INPLACE("xor", OP2_XOR, HAS_SET),
};

static bool has_slot(Vm *vm, const Class *c, const Slot *s)
{
    const ClassDef *d = &c->d;

    if (s->who == HAS_ALL)
        return true;
    if (s->who)
        return s->who & bit_of(vm, c);
    switch (s->kind) {
    case KIND_LEN: return d->len;
    case KIND_GETITEM: return d->getitem && c != vm->cls[C_type];
    case KIND_SETITEM: return d->setitem;
    case KIND_CONTAINS: return d->contains;
    case KIND_ITER: return d->iter;
    case KIND_NEXT: return d->next;
    case KIND_CALL: return d->call;
    case KIND_HASH: return (d->hash || bit_of(vm, c)) && c != vm->cls[C_object];
    case KIND_REPR: return (d->repr || bit_of(vm, c)) && c != vm->cls[C_object];
    case KIND_STR: return (d->str || bit_of(vm, c)) && c != vm->cls[C_object];
    default: return false;
    }
}

Value sc_slot_method(Vm *vm, Class *c, const Str *name, Value self)
{
    Native *f;
    Value r;

    if (name->n < 6 || name->s[0] != '_' || name->s[1] != '_')
        return NIL;
    for (int i = 0; i < COUNT(slots); i++) {
        const Slot *s = &slots[i];

        if (s->def.name[2] != name->s[2] || strcmp(s->def.name, name->s) || !has_slot(vm, c, s))
            continue;
        f = sc_native_fn(vm, &s->def, NIL, c);
        if (!f)
            return NIL;
        f->owner = c;
        if (self.tag == T_NIL)
            return v_obj(f);
        r = sc_method(vm, v_obj(f), self);
        obj_drop(vm, f);
        return r;
    }
    return NIL;
}
