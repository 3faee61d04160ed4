/* size.c -- sizes that are symbols while a function is traced, as script values: arithmetic
 * gives sizes again; where a number is needed (a comparison, an index, a loop), the size takes
 * that of the example, for good (tensor/hint.c). */
#include "script/engine/engine.h"

typedef struct SizeObj {
    Obj h;
    int64_t dim; /* negative: of the trace in which it was made */
    Front *front;
} SizeObj;

static SizeObj *as_size(Value v) { return (SizeObj *)(void *)v.o; }

bool is_size(Vm *vm, Value v)
{
    return v.tag == T_OBJ && vm->engine && v.o->cls == vm->engine->size;
}

int64_t en_size_dim(Value v) { return as_size(v)->dim; }

Value en_dim(Vm *vm, Front *f, int64_t size)
{
    SizeObj *o;

    if (size >= 0)
        return v_int(size);
    o = (SizeObj *)(void *)sc_obj_new(vm, vm->engine->size, sizeof *o);
    if (!o)
        return NIL;
    o->dim = size;
    o->front = f;
    return v_obj(o);
}

/* The number it has in the example, which it keeps from now on. */
static bool value(Vm *vm, Value v, int64_t *out)
{
    if (!is_size(vm, v))
        return sc_to_int(vm, v, out);
    *out = wf_size_value(vm->cx, as_size(v)->dim);
    if (!failed(vm->cx))
        return true;
    sc_raise_ctx(vm);
    return false;
}

static bool dim_arg(Vm *vm, Value v, int64_t *out)
{
    if (is_size(vm, v)) {
        *out = as_size(v)->dim;
        return true;
    }
    if (v.tag != T_INT || v.i < 0)
        return false;
    *out = v.i;
    return true;
}

static bool is_repeated(Vm *vm, Value v)
{
    return sc_is(vm, v, C_list) || sc_is(vm, v, C_tuple) || sc_is(vm, v, C_str) || sc_is(vm, v, C_bytes);
}

static Value size_binary(Vm *vm, BinOp op, Value a, Value b, bool reflected, bool inplace)
{
    Front *f = as_size(reflected ? b : a)->front;
    wf_ctx *c = vm->cx;
    int64_t x, y, r = 0;

    (void)inplace;
    if (is_tensor(vm, a) || is_tensor(vm, b))
        return NOTIMPL;
    if (op == OP2_DIV || a.tag == T_FLOAT || b.tag == T_FLOAT) { /* a number of the program */
        En e = en_begin_front(vm, f);
        wf_tensor s = is_size(vm, a) ? wf_size_tensor(c, as_size(a)->dim) : WF_NONE;
        wf_tensor t = is_size(vm, b) ? wf_size_tensor(c, as_size(b)->dim) : WF_NONE;
        Value sa = wf_is_none(s) ? sc_ref(a) : en_box(&e, s);
        Value sb = wf_is_none(t) ? sc_ref(b) : en_box(&e, t), v;

        v = sa.tag == T_NIL || sb.tag == T_NIL ? NIL : sc_binary(vm, op, sa, sb, false);
        sc_drop(vm, sa);
        sc_drop(vm, sb);
        return v.tag == T_NIL ? en_fail(&e) : en_end_value(&e, v);
    }
    if (op == OP2_ADD && a.tag == T_INT && a.i < 0 && is_size(vm, b)) { /* -1 + n */
        Value n = b;

        b = a;
        a = n;
    }
    if ((op == OP2_ADD || op == OP2_SUB) && b.tag == T_INT && b.i < 0 && b.i > INT64_MIN) { /* n + -1 */
        op = op == OP2_ADD ? OP2_SUB : OP2_ADD;
        b = v_int(-b.i);
    }
    if (dim_arg(vm, a, &x) && dim_arg(vm, b, &y)) {
        switch (op) {
        case OP2_ADD: r = wf_size_add(c, x, y); break;
        case OP2_SUB: r = wf_size_sub(c, x, y); break;
        case OP2_MUL: r = wf_size_mul(c, x, y); break;
        case OP2_FLOORDIV: r = y == 0 ? 0 : wf_size_div(c, x, y); break;
        case OP2_MOD: r = y == 0 ? 0 : wf_size_mod(c, x, y); break;
        default: goto numbers;
        }
        if (!failed(c) && !((op == OP2_FLOORDIV || op == OP2_MOD) && y == 0))
            return en_dim(vm, f, r);
        wf_clear(c); /* such as a difference that may be negative: with numbers, then */
    }
numbers:
    if (op == OP2_MUL && is_repeated(vm, is_size(vm, a) ? b : a)) /* so many of it */
        return !value(vm, is_size(vm, a) ? a : b, &x) ? NIL
                                                      : sc_binary(vm, op, is_size(vm, a) ? b : a, v_int(x), false);
    if ((a.tag == T_OBJ && !is_size(vm, a)) || (b.tag == T_OBJ && !is_size(vm, b)))
        return NOTIMPL;
    if (!value(vm, a, &x) || !value(vm, b, &y))
        return NIL;
    return sc_binary(vm, op, v_int(x), v_int(y), false);
}

/* Two that agree in the example are one from now on, and need no numbers. */
static bool alike(wf_ctx *c, int64_t x, int64_t y)
{
    return wf_size_hint(c, x) >= 0 && size_same(c, x, y);
}

static Value size_compare(Vm *vm, CmpOp op, Value a, Value b)
{
    int64_t x, y;

    if (is_tensor(vm, a) || is_tensor(vm, b))
        return NOTIMPL;
    if (dim_arg(vm, a, &x) && dim_arg(vm, b, &y) &&
        (wf_size_equal(vm->cx, x, y) || (x < 0 && y < 0 && alike(vm->cx, x, y))))
        return v_bool(op == CMP_EQ || op == CMP_LE || op == CMP_GE);
    if ((op == CMP_EQ || op == CMP_NE) && ((a.tag == T_INT && a.i < 1 && (a.i < 0 || size_is_positive(vm->cx, as_size(b)->dim))) ||
                                           (b.tag == T_INT && b.i < 1 && (b.i < 0 || size_is_positive(vm->cx, as_size(a)->dim)))))
        return v_bool(op == CMP_NE);
    if (a.tag == T_FLOAT || b.tag == T_FLOAT) {
        if (is_size(vm, a))
            return value(vm, a, &x) ? sc_compare(vm, op, v_int(x), b) : NIL;
        return value(vm, b, &y) ? sc_compare(vm, op, a, v_int(y)) : NIL;
    }
    if ((!is_size(vm, a) && a.tag != T_INT && a.tag != T_BOOL) ||
        (!is_size(vm, b) && b.tag != T_INT && b.tag != T_BOOL))
        return NOTIMPL;
    if (!value(vm, a, &x) || !value(vm, b, &y))
        return NIL;
    return sc_compare(vm, op, v_int(x), v_int(y));
}

static Value size_unary(Vm *vm, UnOp op, Value a)
{
    int64_t x;

    return value(vm, a, &x) ? sc_unary(vm, op, v_int(x)) : NIL;
}

static int size_truth(Vm *vm, Value self)
{
    int64_t x;

    if (size_is_positive(vm->cx, as_size(self)->dim))
        return 1;
    return value(vm, self, &x) ? x != 0 : -1; /* n % 2, n - 4 */
}

static bool size_hash(Vm *vm, Value self, uint64_t *out)
{
    int64_t x;

    return value(vm, self, &x) && sc_hash(vm, v_int(x), out);
}

static Value size_repr(Vm *vm, Value self)
{
    int64_t x = wf_size_hint(vm->cx, as_size(self)->dim);

    return x >= 0 ? sc_repr(vm, v_int(x)) : v_obj(sc_str(vm, "?"));
}

static Value m_value(Vm *vm, const Args *a)
{
    int64_t x;

    return value(vm, a->v[0], &x) ? v_int(x) : NIL;
}

static Value m_float(Vm *vm, const Args *a)
{
    int64_t x;

    return value(vm, a->v[0], &x) ? v_float((double)x) : NIL;
}

static Value m_tensor(Vm *vm, const Args *a)
{
    En e = en_begin_front(vm, as_size(a->v[0])->front);

    return en_end(&e, wf_size_tensor(e.c, as_size(a->v[0])->dim));
}

static const NativeDef methods[] = {
    {"__index__", m_value, "self"},
    {"__int__", m_value, "self"},
    {"__float__", m_float, "self"},
    {"__tensor__", m_tensor, "self"},
    {0},
};

const ClassDef en_size_def = {
    .name = "int", .size = sizeof(SizeObj), .sealed = true, .binary = size_binary,
    .compare = size_compare, .unary = size_unary, .truth = size_truth, .hash = size_hash,
    .repr = size_repr, .methods = methods,
};
