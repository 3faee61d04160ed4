/* operate.c -- operators, comparisons, items, truth and iteration of tensors. */
#include <math.h>

#include "script/engine/engine.h"
#include "script/long.h"

typedef wf_tensor (*Binary)(wf_ctx *c, wf_tensor x, wf_tensor y);

static const Binary binary_fn[OP2_COUNT] = {
    [OP2_ADD] = wf_add,          [OP2_SUB] = wf_sub,
    [OP2_MUL] = wf_mul,          [OP2_DIV] = wf_div,
    [OP2_FLOORDIV] = wf_floor_div, [OP2_MOD] = wf_remainder,
    [OP2_POW] = wf_pow,          [OP2_LSHIFT] = wf_shift_left,
    [OP2_RSHIFT] = wf_shift_right, [OP2_AND] = wf_bitwise_and,
    [OP2_OR] = wf_bitwise_or,    [OP2_XOR] = wf_bitwise_xor,
    [OP2_MATMUL] = wf_matmul,
};

const char *const binary_label[OP2_COUNT] = {
    [OP2_ADD] = "add",       [OP2_SUB] = "sub",          [OP2_MUL] = "mul",
    [OP2_DIV] = "div",       [OP2_FLOORDIV] = "floor_div", [OP2_MOD] = "remainder",
    [OP2_POW] = "pow",       [OP2_LSHIFT] = "shift_left", [OP2_RSHIFT] = "shift_right",
    [OP2_AND] = "bitwise_and", [OP2_OR] = "bitwise_or",  [OP2_XOR] = "bitwise_xor",
    [OP2_MATMUL] = "matmul",
};

/* May v stand next to a tensor of this front? */
static bool operand(En *e, Value v, wf_tensor *out)
{
    if (v.tag == T_NONE || v.tag == T_NIL || v.tag == T_ELLIPSIS || v.tag == T_NOTIMPL)
        return false;
    if (v.tag == T_OBJ && !is_tensor(e->vm, v)) {
        Vm *vm = e->vm;
        bool seq = sc_is(vm, v, C_list) || sc_is(vm, v, C_tuple);

        if (is_str(v) || (seq && !e->f->lists) || sc_is(vm, v, C_dict))
            return false;
        if (!seq && e->f == &vm->engine->front[FRONT_NUMPY] && !sc_is(vm, v, C_complex) && !en_big_int(e, v))
            return false; /* variables and symbols of other libraries take over */
    }
    if (en_big_int(e, v)) { /* by the dtype of the other operand: beside() */
        *out = wf_int(e->c, 0);
        return true;
    }
    if (en_tensor(e, v, out))
        return true;
    if (!sc_exc_is(e->vm, C_OverflowError)) /* a number that is too large is an error of its own */
        sc_clear_exc(e->vm);
    return false;
}

/* Where the front wants that; false with the library's error. */
static bool on_one_device(En *e, Value a, wf_tensor x, Value b, wf_tensor y)
{
    e->anywhere = e->f->one_device;
    return !e->f->one_device || (en_same_device(e, a, x) && en_same_device(e, b, y));
}

bool en_apart(En *e, wf_tensor x, wf_tensor y)
{
    Tensor *to, *from;

    if (e->f != &e->vm->engine->front[FRONT_TORCH] || !(to = tensor_get(e->c, x, "write")) ||
        !(from = tensor_get(e->c, y, "write")) || !view_laps(to, from))
        return !failed(e->c);
    return tensor_fail(e->c, WF_ERR_VALUE, "write: some elements of what is read are those of what is written"), false;
}

/* Writes the result into x: x += y. */
static Value in_place(En *e, BinOp op, Value self, wf_tensor x, wf_tensor y)
{
    switch (op) {
    case OP2_ADD: wf_add_in(e->c, x, y); break;
    case OP2_SUB: wf_sub_in(e->c, x, y); break;
    case OP2_MUL: wf_mul_in(e->c, x, y); break;
    case OP2_DIV: wf_div_in(e->c, x, y); break;
    default: wf_write(e->c, x, binary_fn[op](e->c, x, y));
    }
    return en_end_value(e, sc_ref(self));
}

static bool is_numpy(Vm *vm, Value v)
{
    return is_tensor(vm, v) && as_tensor(v)->front == &vm->engine->front[FRONT_NUMPY];
}

/* Whether TensorFlow takes a host number of dtype p beside a tensor of dtype q. */
static bool strict_takes(wf_dtype p, wf_dtype q)
{
    if (q == WF_BOOL)
        return p == WF_BOOL;
    if (p == WF_BOOL)
        return q == WF_I32 || q == WF_I64 || dtype_is_inexact(q);
    return dtype_is_inexact(q) || !dtype_is_float(p);
}

/* TensorFlow mixes no dtypes: a host number or an array of NumPy takes the dtype of the tensor
 * if it can, and integers divide as floats, of 64 bits if they have more than 16. Bools are not
 * computed with, nor ordered (ordered: op is an order, not == or !=). */
static void strict_operands(En *e, BinOp op, bool ordered, Value u, Value v, wf_tensor *x,
                            wf_tensor *y)
{
    Tensor *a = tensor_get(e->c, *x, "operand"), *b = tensor_get(e->c, *y, "operand");
    bool logical = op == OP2_AND || op == OP2_OR || op == OP2_XOR;
    wf_dtype p, q;

    if (!a || !b)
        return;
    p = (wf_dtype)a->dtype;
    q = (wf_dtype)b->dtype;
    if (p != q && dtype_is_float(q) && is_numpy(e->vm, u)) {
        *x = wf_cast(e->c, *x, p = q);
        return;
    }
    if (p != q && dtype_is_float(p) && is_numpy(e->vm, v)) {
        *y = wf_cast(e->c, *y, q = p);
        return;
    }
    if (p != q && a->weak != b->weak) {
        if (!strict_takes(a->weak ? p : q, a->weak ? q : p)) {
            tensor_fail(e->c, WF_ERR_TYPE,
                        "%s: Cannot convert a number of %s to a tensor of %s",
                        op == OP2_ADD ? "dtype" : "type", wf_dtype_name(a->weak ? p : q),
                        wf_dtype_name(a->weak ? q : p));
            return;
        }
        if (p == WF_BOOL)
            *x = wf_cast(e->c, *x, q);
        if (q == WF_BOOL)
            *y = wf_cast(e->c, *y, p);
        p = q = a->weak ? q : p;
    }
    if (p != q && !(a->weak && b->weak)) {
        tensor_fail(e->c, WF_ERR_TYPE,
                    "dtype: cannot compute %s as input #1(zero-based) was expected to be "
                    "a %s tensor "
                    "but is a %s tensor",
                    op < OP2_COUNT ? binary_label[op] : "Compare", wf_dtype_name(p),
                    wf_dtype_name(q));
        return;
    }
    if (p == WF_BOOL && op == OP2_DIV) {
        tensor_fail(e->c, WF_ERR_TYPE,
                    "type: `x` and `y` of dtype bool cannot be divided");
        return;
    }
    if (p == WF_BOOL && (ordered || op < OP2_COUNT) && !logical) {
        tensor_fail(
            e->c, WF_ERR_TYPE,
            "dtype: Value for attr 'T' of bool is not in the list of allowed values");
        return;
    }
    if (op == OP2_POW && !dtype_is_inexact(p) &&
        (p == WF_U8 || (v.tag == T_INT && v.i < 0))) {
        tensor_fail(
            e->c, WF_ERR_TYPE, "dtype: %s",
            p == WF_U8
                ? "Value for attr 'T' of uint8 is not in the list of allowed values"
                : "Integers to negative integer powers are not allowed");
        return;
    }
    if (op == OP2_DIV && !dtype_is_inexact(p)) {
        wf_dtype as = wf_dtype_size(p) <= 2 ? WF_F32 : WF_F64;

        *x = wf_cast(e->c, *x, as);
        *y = wf_cast(e->c, *y, as);
    }
}

static bool is_strict(const En *e) { return e->f == &e->vm->engine->front[FRONT_TF]; }

/* The front whose rules hold: that of self, but arrays of NumPy yield to any other. */
static Front *front_of(Vm *vm, Value self, Value other)
{
    Front *numpy = &vm->engine->front[FRONT_NUMPY];
    Front *f = as_tensor(self)->front;

    return f == numpy && is_tensor(vm, other) ? as_tensor(other)->front : f;
}

/* Sums, differences, products and quotients of two small tensors of one type that nobody
 * follows: without a scope. NULL: the long way. */
static TensorObj *plain_binary(Vm *vm, BinOp op, Value a, Value b)
{
    static const OpCode ops[] = {OP_add, OP_sub, OP_mul, OP_div};
    Tensors *s = vm->cx->tensors;
    Front *f;
    Tensor *in[2], *t;
    TensorObj *o;

    if (op > OP2_DIV || s->trace || b.tag != T_OBJ || a.tag != T_OBJ ||
        a.o->cls != b.o->cls || failed(vm->cx))
        return NULL;
    f = as_tensor(a)->front;
    if (f->cls != a.o->cls ||
        (f != &vm->engine->front[FRONT_TORCH] && f != &vm->engine->front[FRONT_JAX]))
        return NULL;
    in[0] = tensor_get(vm->cx, as_tensor(a)->t, "operand");
    in[1] = tensor_get(vm->cx, as_tensor(b)->t, "operand");
    if (!in[0] || !in[1] || in[0]->symbolic || in[1]->symbolic || in[0]->weak || in[1]->weak ||
        view_is_old(in[0]) || view_is_old(in[1]) || in[0]->layout || in[1]->layout ||
        ((in[0]->need | in[1]->need) & s->recorders && !s->no_grad) ||
        !(t = fast_map(vm->cx, ops[op], in, 2, true)))
        return NULL;
    o = sc_gc_new(vm, f->cls, sizeof *o);
    if (!o) {
        tensor_release(vm->cx, t);
        sc_clear_exc(vm);
        return NULL;
    }
    o->front = f;
    o->t = tensor_handle_kept(vm->cx, t);
    return o;
}

/* PyTorch subtracts no bools. */
static bool torch_subtracts(En *e, Value a, Value b, wf_tensor x, wf_tensor y)
{
    bool first = a.tag == T_BOOL || wf_dtype_of(e->c, x) == WF_BOOL;
    bool second = b.tag == T_BOOL || wf_dtype_of(e->c, y) == WF_BOOL;

    if (!first && !second)
        return true;
    return sc_fail(e->vm, C_NotImplementedError,
                   "Subtraction, the `-` operator, with %s not supported. %s operator instead.",
                   first && second ? "two bool tensors is" : "a bool tensor is",
                   first && second ? "Use the `^` or `logical_xor()`"
                                   : "If you are trying to invert a mask, use the `~` or `logical_not()`");
}

/* Integers to negative powers: PyTorch takes those of tensors, NumPy none. */
static bool may_raise(En *e, Value exponent, wf_tensor x, wf_tensor y)
{
    const Front *f = e->vm->engine->front;
    wf_dtype d = wf_dtype_of(e->c, y);
    bool is_numpy = e->f == &f[FRONT_NUMPY], low = exponent.tag == T_INT && exponent.i < 0;

    if ((!is_numpy && e->f != &f[FRONT_TORCH]) || !dtype_is_int(wf_dtype_of(e->c, x)))
        return true;
    if (is_numpy && dtype_is_int(d) && dtype_is_signed(d) && !wf_is_symbolic(e->c, y) && wf_count(e->c, y) > 0)
        low = wf_count(e->c, x) != 0 && wf_item_int(e->c, wf_min(e->c, y, NULL, 0, false)) < 0;
    return !low || sc_fail(e->vm, is_numpy ? C_ValueError : C_RuntimeError, "Integers to negative integer powers are not allowed.");
}

bool en_beside(En *e, Beside how, Value number, wf_tensor x, wf_tensor *out)
{
    wf_dtype d = wf_dtype_of(e->c, x);
    bool big = en_big_int(e, number);
    uint64_t wide;
    double f;

    if (is_strict(e) && how == BESIDE_QUOTIENT && number.tag == T_INT && dtype_is_int(d))
        *out = wf_cast(e->c, *out, d);
    if (e->f != &e->vm->engine->front[FRONT_NUMPY] || (!big && number.tag != T_INT))
        return true;
    if (dtype_is_inexact(d) || how == BESIDE_QUOTIENT) {
        if (!big)
            return true;
        if (!long_to_double(e->vm, number, &f))
            return false;
        *out = wf_float(e->c, f);
        return true;
    }
    if (big && d == WF_U64 && en_wide_int(e, number, &wide)) {
        *out = wf_from(e->c, WF_U64, NULL, 0, &wide);
        return true;
    }
    if (!big && en_fits(e, d, number.i))
        return true;
    if (how == BESIDE_SUM || d == WF_BOOL)
        return big ? en_too_large(e, d, number) : en_check_fits(e, d, number.i, false);
    *out = wf_float(e->c, long_compare(e->vm, number, v_int(0)) < 0 ? -INFINITY : INFINITY);
    return true;
}

/* beside(number, x, how): the number as an operand of the array x */
Value en_number_beside(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, y = WF_NONE;
    int64_t how = BESIDE_SUM;

    if (!en_int(&e, a->v[2], &how) || !en_tensor(&e, a->v[1], &x) || !operand(&e, a->v[0], &y) ||
        !en_beside(&e, (Beside)how, a->v[0], x, &y))
        return en_fail(&e);
    return en_end(&e, y);
}

/* A product with a list, tuple or text that is none of arrays: NumPy's integer scalars repeat it,
 * its others refuse, as JAX and arrays beside a text do. NONE: let the array decide. */
static Value beside_sequence(Vm *vm, Value a, Value b, bool reflected)
{
    Value self = reflected ? b : a, v = reflected ? a : b;

    if (v.tag != T_OBJ || !(is_str(v) || sc_is(vm, v, C_list) || sc_is(vm, v, C_tuple)))
        return NONE;
    if (is_str(v) ? as_tensor(self)->front->lists && !is_scalar(vm, self)
                  : as_tensor(self)->front == &vm->engine->front[FRONT_JAX])
        return sc_raise(vm, C_TypeError, "unsupported operand type(s) for *: '%s' and '%s'",
                        sc_type_name(vm, a), sc_type_name(vm, b));
    if (!is_scalar(vm, self))
        return NONE;
    if (dtype_is_int(wf_dtype_of(vm->cx, as_tensor(self)->t)))
        return NOTIMPL;
    return sc_raise(vm, C_TypeError, "can't multiply sequence by non-int of type 'numpy.%s'",
                    sc_type_name(vm, self));
}

/* What PyTorch calls the step of a product: it folds axes into one product of matrices, or takes them as a batch. */
const char *en_matmul_label(En *e, wf_tensor x, wf_tensor y)
{
    int m = wf_rank(e->c, x), n = wf_rank(e->c, y);

    if (m <= 2 && n <= 2)
        return m == 1 ? n == 1 ? "dot" : "squeeze4" : n == 1 ? "mv" : "mm";
    return m == 2 && wf_has_grad_history(e->c, x) ? "clone" : "unsafe_view";
}

/* The result, once who watches has seen it. Into `to`, if that is a tensor: written there after that. */
static Value watched(Vm *vm, const char *name, Value a, Value b, Value r, Value to)
{
    Value see[4] = {v_obj(sc_str(vm, name)), a, b, r}, none = NIL;

    if (see[0].tag != T_NIL && r.tag != T_NIL) {
        Value fn = sc_ref(as_tensor(r)->front->watcher);

        none = sc_call(vm, fn, see, 4);
        sc_drop(vm, fn);
    }
    if (none.tag != T_NIL && to.tag != T_NIL) {
        En e = en_begin_front(vm, as_tensor(to)->front);

        wf_write(e.c, as_tensor(to)->t, as_tensor(r)->t);
        sc_drop(vm, none);
        none = en_end_value(&e, NONE);
        sc_put(vm, &r, sc_ref(to));
    }
    sc_drop(vm, see[0]);
    sc_drop(vm, none);
    if (none.tag != T_NIL)
        return r;
    sc_drop(vm, r);
    return NIL;
}

/* x, as its own square root where x and y are 0: the slope there is infinite. */
static wf_tensor zero_by_root(wf_ctx *c, wf_tensor x, wf_tensor y)
{
    wf_tensor cast = wf_cast(c, y, WF_BOOL);
    wf_tensor some = wf_logical_or(c, wf_cast(c, x, WF_BOOL), cast);

    return wf_where(c, some, x, wf_sqrt(c, wf_where(c, some, wf_cast(c, wf_float(c, 1), wf_dtype_of(c, x)), x)));
}

/* Where a library means something of its own. TensorFlow: the whole quotient of floats is the floor of the quotient
 * as it is rounded, and the slope of x^y at 0 to the 0 is NaN, 0 times that of x^-1, which is infinite. NumPy: a bool
 * to a bool, and an array of them squared, is an int8. */
static wf_tensor own_binary(En *e, BinOp op, Value a, Value b, wf_tensor x, wf_tensor y)
{
    wf_ctx *c = e->c;
    bool real = dtype_is_float(wf_dtype_of(c, x));

    if (is_strict(e) && op == OP2_FLOORDIV && real)
        return wf_floor(c, wf_div(c, x, y));
    if (is_strict(e) && op == OP2_POW && real && !(b.tag == T_FLOAT && b.f != 0) && !(b.tag == T_INT && b.i))
        x = zero_by_root(c, x, y);
    if (op == OP2_POW && e->f == &e->vm->engine->front[FRONT_NUMPY] && wf_dtype_of(c, x) == WF_BOOL &&
        (wf_dtype_of(c, y) == WF_BOOL || (b.tag == T_INT && b.i == 2 && !is_scalar(e->vm, a)))) {
        x = wf_cast(c, x, WF_I8);
        y = wf_cast(c, y, WF_I8);
    }
    return binary_fn[op](c, x, y);
}

Value en_tensor_binary(Vm *vm, BinOp op, Value a, Value b, bool reflected, bool inplace)
{
    Value rule = op == OP2_MUL ? beside_sequence(vm, a, b, reflected) : NONE;
    TensorObj *plain = inplace ? NULL : plain_binary(vm, op, a, b);
    En e;
    wf_tensor x, y, r;

    if (plain)
        return v_obj(plain);
    if (rule.tag != T_NONE)
        return rule;
    e = en_begin_front(vm, reflected ? front_of(vm, b, a) : front_of(vm, a, b));
    if (!operand(&e, a, &x) || !operand(&e, b, &y)) {
        en_end_value(&e, NONE);
        return sc_failed(vm) ? NIL : NOTIMPL;
    }
    if (!en_beside(&e, op == OP2_DIV ? BESIDE_QUOTIENT : BESIDE_SUM, a, y, &x) ||
        !en_beside(&e, op == OP2_DIV ? BESIDE_QUOTIENT : BESIDE_SUM, b, x, &y))
        return en_fail(&e);
    e.label = reflected && op == OP2_SUB ? "rsub" : binary_label[op];
    if (e.f->casts && (e.cast = autocast_row(e.label)) != NULL && !inplace) {
        x = autocast_tensor(&e, x);
        y = autocast_tensor(&e, y);
    }
    if (!on_one_device(&e, a, x, b, y))
        return en_fail(&e);
    if (op == OP2_SUB && e.f == &vm->engine->front[FRONT_TORCH] && !torch_subtracts(&e, a, b, x, y))
        return en_fail(&e);
    if (op == OP2_POW && !may_raise(&e, b, x, y))
        return en_fail(&e);
    if (op == OP2_MATMUL && !en_alike(&e, "matmul", x, y))
        return en_fail(&e);
    if (is_strict(&e))
        strict_operands(&e, op, false, a, b, &x, &y);
    if (op == OP2_POW && e.f->means.promotion == WF_PROMOTE_JAX && b.tag == T_INT && b.i < 0 &&
        dtype_is_int(wf_dtype_of(e.c, x))) {
        tensor_fail(e.c, WF_ERR_TYPE, "Integers cannot be raised to negative powers, got integer_pow(%s%s, %lld)",
              e.f->dtype_names[wf_dtype_of(e.c, x)],
              strchr(shape_text(e.c, tensor_get(e.c, x, "pow")), '['),
              (long long)b.i);
        return en_fail(&e);
    }
    inplace = inplace && !reflected && e.f->views_write && !is_scalar(vm, a) && en_apart(&e, x, y);
    if (inplace && e.f->watcher.tag == T_NIL)
        return in_place(&e, op, a, x, y);
    r = own_binary(&e, op, a, b, x, y);
    if (op == OP2_MATMUL && !failed(e.c))
        e.label = en_matmul_label(&e, x, y);
    if (e.f->watcher.tag == T_NIL)
        return en_end(&e, r);
    return watched(vm, binary_label[op], a, b, en_end(&e, r), inplace ? a : NIL);
}

Value en_tensor_unary(Vm *vm, UnOp op, Value a)
{
    En e = en_begin_front(vm, as_tensor(a)->front);
    wf_tensor x = as_tensor(a)->t;

    if (op == OP1_POS && is_strict(&e)) {
        sc_fail(vm, C_TypeError, "bad operand type for unary +: '%s'", sc_type_name(vm, a));
        return en_fail(&e);
    }
    if (op == OP1_NEG && is_strict(&e) && dtype_is_unsigned(wf_dtype_of(e.c, x))) {
        tensor_fail(e.c, WF_ERR_TYPE, "dtype: Value for attr 'T' of %s is not in the list of allowed values",
                    wf_dtype_name(wf_dtype_of(e.c, x)));
        return en_fail(&e);
    }
    if (op == OP1_POS && e.f == &vm->engine->front[FRONT_TORCH] && wf_dtype_of(e.c, x) == WF_BOOL) {
        sc_fail(vm, C_NotImplementedError, "The `+` operator, on a bool tensor is not supported.");
        return en_fail(&e);
    }
    e.label = op == OP1_NEG ? "neg" : NULL;
    e.anywhere = as_tensor(a)->anywhere;
    return en_end(&e, op == OP1_NEG   ? wf_neg(e.c, x)
                      : op == OP1_POS ? wf_positive(e.c, x)
                                      : wf_bitwise_not(e.c, x));
}

Value en_tensor_compare(Vm *vm, CmpOp op, Value a, Value b)
{
    static const Binary fn[] = {[CMP_LT] = wf_lt, [CMP_LE] = wf_le, [CMP_EQ] = wf_eq,
                                [CMP_NE] = wf_ne, [CMP_GT] = wf_gt, [CMP_GE] = wf_ge};
    En e = en_begin_front(vm, is_tensor(vm, a) ? front_of(vm, a, b) : as_tensor(b)->front);
    wf_tensor x, y;

    if (!operand(&e, a, &x) || !operand(&e, b, &y)) {
        en_end_value(&e, NONE);
        return sc_failed(vm) ? NIL : NOTIMPL;
    }
    e.label = "compare";
    if (!en_beside(&e, BESIDE_ORDER, a, y, &x) || !en_beside(&e, BESIDE_ORDER, b, x, &y))
        return en_fail(&e);
    if (!on_one_device(&e, a, x, b, y))
        return en_fail(&e);
    if (is_strict(&e))
        strict_operands(&e, OP2_COUNT, op != CMP_EQ && op != CMP_NE, a, b, &x, &y);
    return en_end(&e, fn[op](e.c, x, y));
}

/* ---- items ------------------------------------------------------------------------- */

static bool slice_bound(En *e, Value v, bool *has, int64_t *out)
{
    int64_t i;

    *has = v.tag != T_NONE && v.tag != T_NIL;
    if (is_long(e->vm, v) && !long_fits(v, &i)) { /* past every end, as in Python */
        *out = long_compare(e->vm, v, v_int(0)) < 0 ? -((int64_t)1 << 40) : (int64_t)1 << 40;
        return true;
    }
    return en_int(e, v, out);
}

/* Numbers of NumPy are integers, and PyTorch selects by a tensor of one integer (bytes are masks): what they give is a view. */
static bool is_place(En *e, Value k)
{
    wf_tensor t = as_tensor(k)->t;
    bool torch = e->f == &e->vm->engine->front[FRONT_TORCH];
    wf_dtype d = wf_dtype_of(e->c, t);

    return (is_scalar(e->vm, k) || torch) && dtype_is_int(d) && wf_rank(e->c, t) == 0 && !wf_is_symbolic(e->c, t) &&
           !(torch && d == WF_U8);
}

/* A bound that is a size left open stays one, if neither counts from the end. The program then asserts that it lies inside. */
static bool open_bound(En *e, Value v, int64_t *out)
{
    *out = v.tag == T_NONE ? WF_NOT : is_size(e->vm, v) ? en_size_dim(v) : v.tag == T_INT ? v.i : -1;
    return v.tag == T_NONE || *out >= 0 || is_size(e->vm, v);
}

static bool open_slice(En *e, const Slice *s, wf_index *out)
{
    int64_t from, to;

    if ((!is_size(e->vm, s->start) && !is_size(e->vm, s->stop)) || (s->step.tag != T_NONE && (s->step.tag != T_INT || s->step.i != 1)) ||
        !open_bound(e, s->start, &from) || !open_bound(e, s->stop, &to))
        return false;
    *out = wf_at_sizes(from, to);
    return true;
}

/* PyTorch's slices go forwards. */
static bool may_step(En *e, const wf_index *k)
{
    if (!k->has_step || k->step > 0 || e->f != &e->vm->engine->front[FRONT_TORCH])
        return true;
    return sc_fail(e->vm, C_ValueError, k->step ? "step must be greater than zero" : "slice step cannot be zero");
}

static bool one_index(En *e, Value k, wf_index *out)
{
    Vm *vm = e->vm;
    uint64_t wide;

    memset(out, 0, sizeof *out);
    if (k.tag == T_INT) {
        *out = wf_at_int(k.i);
        return true;
    }
    if (k.tag == T_NONE) {
        *out = wf_at_new();
        return true;
    }
    if (k.tag == T_ELLIPSIS) {
        *out = wf_at_rest();
        return true;
    }
    if (k.tag == T_OBJ && sc_is(vm, k, C_slice)) {
        Slice *s = (Slice *)(void *)k.o;

        if (open_slice(e, s, out))
            return true;
        out->kind = WF_INDEX_SLICE;
        return slice_bound(e, s->start, &out->has_start, &out->start) &&
               slice_bound(e, s->stop, &out->has_stop, &out->stop) &&
               slice_bound(e, s->step, &out->has_step, &out->step) && may_step(e, out);
    }
    if (is_tensor(vm, k) && is_place(e, k)) {
        int64_t at = 0;

        if (!en_int(e, k, &at))
            return false;
        *out = wf_at_int(at);
        return true;
    }
    out->kind = WF_INDEX_TENSOR;
    if (k.tag == T_BOOL) {
        out->tensor = wf_bool(e->c, k.i != 0);
        return true;
    }
    if (is_tensor(vm, k)) {
        out->tensor = as_tensor(k)->t;
        if (e->f->means.promotion == WF_PROMOTE_JAX && wf_is_symbolic(e->c, out->tensor) &&
            wf_dtype_of(e->c, out->tensor) == WF_BOOL) {
            tensor_fail(e->c, WF_ERR_INDEX, "Array boolean indices must be concrete; got a traced %s, whose values are not known while "
                                            "tracing: use where", shape_text(e->c, tensor_get(e->c, out->tensor, "index")));
            return false;
        }
        return true;
    }
    if (k.tag == T_OBJ && (sc_is(vm, k, C_list) || sc_is(vm, k, C_range) || sc_is(vm, k, C_tuple))) {
        out->tensor = en_tensor_from(e, k, WF_INVALID);
        if (!failed(e->c) && wf_count(e->c, out->tensor) == 0)
            out->tensor = wf_cast(e->c, out->tensor, WF_I64);
        return !sc_failed(vm) && !failed(e->c);
    }
    if ((k.tag == T_FLOAT || (k.tag == T_OBJ && (is_str(k) || (en_big_int(e, k) && !en_wide_int(e, k, &wide))))) &&
        e->f == &vm->engine->front[FRONT_NUMPY])
        return sc_fail(vm, C_IndexError, "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean "
                                         "arrays are valid indices");
    if (k.tag == T_OBJ && is_str(k) && e->f == &vm->engine->front[FRONT_TORCH])
        return sc_fail(vm, C_TypeError, "new(): invalid data type 'str'");
    if (k.tag == T_OBJ && is_str(k) && e->f == &vm->engine->front[FRONT_JAX])
        return sc_fail(vm, C_TypeError, "JAX does not support string indexing; got idx='%s'", as_str(k)->s);
    if (k.tag == T_FLOAT || (k.tag == T_OBJ && is_str(k)))
        return sc_fail(vm, C_IndexError,
                       "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got %s)",
                       sc_type_name(vm, k));
    return sc_to_int(vm, k, &out->start) && (*out = wf_at_int(out->start), true);
}

/* JAX refuses by a TypeError what is neither an integer nor a bool. */
static bool index_at(En *e, Value k, wf_index *out)
{
    bool jax = e->f->means.promotion == WF_PROMOTE_JAX;
    wf_dtype d = jax && k.tag == T_FLOAT ? WF_F64 : WF_BOOL;

    if (d == WF_BOOL && !one_index(e, k, out))
        return false;
    if (d == WF_BOOL && jax && out->kind == WF_INDEX_TENSOR)
        d = wf_dtype_of(e->c, out->tensor);
    return d == WF_BOOL || dtype_is_int(d) ||
           sc_fail(e->vm, C_TypeError,
                   "Indexer must have integer or boolean type, got indexer with type %s",
                   e->f->dtype_names[d]);
}

/* JAX takes no bounds of a slice that are traced. */
static bool slice_is_known(En *e, Value k, int at)
{
    const Slice *s = (const Slice *)(const void *)k.o;
    Vm *vm = e->vm;
    Value text;

    if (k.tag != T_OBJ || !sc_is(vm, k, C_slice) || e->f != &e->vm->engine->front[FRONT_JAX])
        return true;
    for (int i = 0; i < 3; i++) {
        Value v = i == 0 ? s->start : i == 1 ? s->stop : s->step;

        if (!is_tensor(vm, v) || !wf_is_symbolic(e->c, as_tensor(v)->t))
            continue;
        text = sc_repr(vm, k);
        if (is_str(text))
            sc_fail(vm, C_IndexError, "Slice entries must be static integers. Got %s at position %d", as_str(text)->s, at);
        sc_drop(vm, text);
        return false;
    }
    return true;
}

/* torch takes a list for a tuple of steps where one of the list's is no number. */
static bool is_tuple_of_steps(En *e, Value key)
{
    const List *l = (const List *)(const void *)key.o;
    bool steps = false;

    if (e->f != &e->vm->engine->front[FRONT_TORCH] || key.tag != T_OBJ || !sc_is(e->vm, key, C_list) || l->n >= 32)
        return false;
    for (int64_t i = 0; i < l->n && !steps; i++)
        steps = l->v[i].tag == T_NONE || l->v[i].tag == T_ELLIPSIS ||
                (l->v[i].tag == T_OBJ && (is_tensor(e->vm, l->v[i]) || sc_is(e->vm, l->v[i], C_list) || sc_is(e->vm, l->v[i], C_tuple) ||
                                          sc_is(e->vm, l->v[i], C_range) || sc_is(e->vm, l->v[i], C_slice)));
    return steps;
}

static bool index_by(En *e, const Tuple *steps, wf_index *out, int *n)
{
    if (steps->n > 2 * WF_MAX_RANK)
        return sc_fail(e->vm, C_IndexError, "too many indices");
    *n = (int)steps->n;
    for (int i = 0; i < *n; i++)
        if (!slice_is_known(e, steps->v[i], i) || !index_at(e, steps->v[i], &out[i]))
            return false;
    return true;
}

bool en_index(En *e, Value key, wf_index *out, int *n)
{
    Tuple *steps;
    bool ok;

    if (e->f->means.promotion == WF_PROMOTE_JAX && key.tag == T_OBJ && sc_is(e->vm, key, C_list))
        return sc_fail(e->vm, C_TypeError,
                       "Using a non-tuple sequence for multidimensional indexing is not allowed; use "
                       "`arr[array(seq)]` instead of `arr[seq]`.");
    if (key.tag == T_OBJ && sc_is(e->vm, key, C_tuple))
        return index_by(e, (const Tuple *)(const void *)key.o, out, n);
    if (!is_tuple_of_steps(e, key)) {
        *n = 1;
        return slice_is_known(e, key, 0) && index_at(e, key, out);
    }
    steps = sc_tuple_from(e->vm, key); /* code of the script can change the list meanwhile */
    ok = steps && index_by(e, steps, out, n);
    if (steps)
        sc_drop(e->vm, v_obj(steps));
    return ok;
}

/* By the last step that is not the whole axis, as libraries name it. */
static const char *label_of_index(const wf_index *ix, int n)
{
    const char *label = "slice";

    for (int i = 0; i < n; i++) {
        if (ix[i].kind == WF_INDEX_TENSOR)
            return "index";
        if (ix[i].kind == WF_INDEX_INT)
            label = "select";
        else if (ix[i].kind == WF_INDEX_NEW)
            label = "expand_dims";
        else if (ix[i].has_start || ix[i].has_stop || ix[i].has_step)
            label = "slice";
    }
    return label;
}

Value en_tensor_getitem(Vm *vm, Value self, Value key)
{
    En e = en_begin_front(vm, as_tensor(self)->front);
    wf_index ix[2 * WF_MAX_RANK];
    int n = 0;
    bool dots = false;

    if (!en_index(&e, key, ix, &n))
        return en_fail(&e);
    e.label = label_of_index(ix, n);
    e.anywhere = as_tensor(self)->anywhere;
    for (int i = 0; i < n; i++)
        dots |= ix[i].kind == WF_INDEX_ELLIPSIS;
    if (dots && e.f->scalar_cls[wf_dtype_of(e.c, as_tensor(self)->t)]) /* NumPy: a view of rank 0 is no scalar */
        return en_end_value(&e, en_box_as(&e, wf_index_get(e.c, as_tensor(self)->t, ix, n), e.f->cls));
    return en_end(&e, wf_index_get(e.c, as_tensor(self)->t, ix, n));
}

/* Whether v may be written to these items of x: a view of it, or x itself where some are named by tensors. */
static bool items_apart(En *e, wf_tensor x, const wf_index *ix, int n, wf_tensor v)
{
    bool view = true;

    if (!wf_shares_memory(e->c, x, v))
        return true;
    for (int i = 0; i < n; i++)
        view &= ix[i].kind != WF_INDEX_TENSOR;
    return en_apart(e, view ? wf_index_get(e->c, x, ix, n) : x, v);
}

bool en_tensor_setitem(Vm *vm, Value self, Value key, Value v)
{
    En e = en_begin_front(vm, as_tensor(self)->front);
    wf_index ix[2 * WF_MAX_RANK];
    wf_tensor x = WF_NONE;
    int n = 0;

    if (!e.f->views_write)
        sc_fail(vm, C_TypeError,
                "'%s' object does not support item assignment: arrays are immutable; "
                "use x = x.at[idx].set(y)",
                sc_type_name(vm, self));
    else if (v.tag == T_NIL)
        sc_fail(vm, C_TypeError, "items of a tensor cannot be deleted");
    else if (en_index(&e, key, ix, &n)) {
        bool big = en_big_int(&e, v), seq = big || (v.tag == T_OBJ && (sc_is(vm, v, C_list) || sc_is(vm, v, C_tuple)));
        wf_dtype d = wf_dtype_of(e.c, as_tensor(self)->t);

        if (seq)
            x = en_tensor_from(&e, v, big || (e.f == &vm->engine->front[FRONT_NUMPY] && dtype_is_int(d)) ? d : WF_INVALID);
        if ((seq ? !failed(e.c) && !sc_failed(vm) : (v.tag != T_INT || en_check_fits(&e, d, v.i, true)) && en_tensor(&e, v, &x)) &&
            (!is_tensor(vm, v) || items_apart(&e, as_tensor(self)->t, ix, n, x)))
            wf_index_write(e.c, as_tensor(self)->t, ix, n, x);
    }
    if (sc_failed(vm)) {
        en_fail(&e);
        return false;
    }
    return en_end_value(&e, NONE).tag != T_NIL;
}

/* ---- truth and iteration ----------------------------------------------------------- */

wf_tensor en_to_read(Vm *vm, Value self, const char *what)
{
    wf_tensor t = as_tensor(self)->t, v;
    Value text, reader = vm->engine->reader;

    if (!vm->engine->example_reads || !wf_is_symbolic(vm->cx, t))
        return t;
    v = wf_trace_value(vm->cx, t);
    if (!failed(vm->cx)) {
        if (reader.tag != T_NIL && (text = v_obj(sc_str(vm, what))).tag == T_OBJ && text.o) {
            sc_drop(vm, sc_call(vm, reader, &text, 1));
            sc_drop(vm, text);
        }
        return v;
    }
    wf_clear(vm->cx);
    return t;
}

int en_tensor_truth(Vm *vm, Value self)
{
    wf_ctx *c = vm->cx;
    En e = en_begin_front(vm, as_tensor(self)->front);
    wf_tensor t = en_to_read(vm, self, "boolean");
    int r = -1;

    if (wf_is_symbolic(c, t))
        sc_fail(vm, e.f->means.promotion == WF_PROMOTE_TORCH ? C_RuntimeError : C_TypeError,
                "the truth value of a traced tensor is not known while tracing: it has no "
                "concrete value; use where, cond or while_loop, or script the function");
    else if (wf_count(c, t) != 1)
        sc_fail(vm, e.f == &vm->engine->front[FRONT_TORCH] ? C_RuntimeError : C_ValueError,
                e.f == &vm->engine->front[FRONT_TORCH]
                    ? "Boolean value of Tensor with more than one value is ambiguous"
                    : "The truth value of an array with more than one element is ambiguous. "
                      "Use a.any() or a.all()");
    else
        r = wf_item(c, wf_cast(c, t, WF_BOOL)) != 0;
    return en_end_value(&e, NONE).tag == T_NIL || sc_failed(vm) ? -1 : r;
}

/* Elements are taken of parts of so many, so that a long array needs no more programs than a part has elements. */
#define ITER_PART 1024

/* NumPy's words for what has no axes are JAX's, too. */
static bool is_of_numpy(Vm *vm, Value v)
{
    const Front *f = vm->engine->front;

    return as_tensor(v)->front == &f[FRONT_NUMPY] || as_tensor(v)->front == &f[FRONT_JAX];
}

static bool is_of_flow(Vm *vm, Value v) { return as_tensor(v)->front == &vm->engine->front[FRONT_TF]; }

Value en_tensor_iter(Vm *vm, Value self)
{
    En e = en_begin_front(vm, as_tensor(self)->front);
    wf_tensor t = as_tensor(self)->t, part = t;
    int64_t n = wf_rank(e.c, t) > 0 ? wf_size(e.c, t, 0) : -1;
    bool parts = n > ITER_PART && !wf_is_symbolic(e.c, t);
    List *l = NULL;
    Value it;

    if (wf_rank(e.c, t) == 0)
        sc_fail(vm, C_TypeError, "%s", is_of_flow(vm, self) ? "Cannot iterate over a scalar tensor."
                                     : is_of_numpy(vm, self) ? "iteration over a 0-d array" : "iteration over a 0-d tensor");
    else if (n < 0)
        sc_fail(vm, C_TypeError, "iteration over an axis whose size is not known while "
                                 "tracing: use scan, or give the size");
    else
        l = sc_list(vm, n);
    for (int64_t i = 0; l && i < n; i++) {
        wf_index ix = wf_at_int(parts ? i % ITER_PART : i), of = wf_at_slice(i, i + ITER_PART < n ? i + ITER_PART : n);

        if (parts && i % ITER_PART == 0)
            part = wf_index_get(e.c, t, &of, 1);
        l->v[i] = en_box(&e, wf_index_get(e.c, part, &ix, 1));
        if (l->v[i].tag == T_NIL) {
            obj_drop(vm, l);
            l = NULL;
        }
    }
    if (!l)
        return en_fail(&e);
    it = sc_iter(vm, v_obj(l));
    obj_drop(vm, l);
    return en_end_value(&e, it);
}

bool en_tensor_len(Vm *vm, Value self, int64_t *out)
{
    wf_tensor t = as_tensor(self)->t;

    if (wf_rank(vm->cx, t) < 1)
        return sc_fail(vm, C_TypeError, "%s", is_of_flow(vm, self) ? "Scalar tensor has no `len()`"
                                              : is_of_numpy(vm, self) ? "len() of unsized object" : "len() of a 0-d tensor");
    *out = wf_size(vm->cx, t, 0);
    return *out >= 0 ||
           sc_fail(vm, C_TypeError, "the size of this axis is not known while tracing");
}
