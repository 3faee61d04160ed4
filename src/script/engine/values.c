/* values.c -- what a tensor is as values of scripts: a number, nested lists, text, its shape and dtype. */
#include <stdio.h>

#include "script/engine/engine.h"
#include "script/long.h"

/* The bits of an integer of the dtype as a number: those of u64 beyond i64 are long. */
static Value int_value(Vm *vm, wf_dtype d, int64_t bits)
{
    char text[24];

    if (d != WF_U64 || bits >= 0)
        return v_int(bits);
    return sc_long_parse(vm, text, (size_t)snprintf(text, sizeof text, "%llu", (unsigned long long)bits), 10);
}

static Value item_of(Vm *vm, const Tensor *x, wf_tensor t)
{
    wf_dtype d = (wf_dtype)x->dtype;
    double f;
    int64_t i;

    if (d == WF_BOOL)
        return v_bool(wf_item(vm->cx, t) != 0);
    if (dtype_is_complex(d)) {
        double im = 0;

        f = 0;
        wf_item_complex(vm->cx, t, &f, &im);
        return failed(vm->cx) ? NIL : sc_complex(vm, f, im);
    }
    if (dtype_is_float(dtype_wide(d))) {
        f = wf_item(vm->cx, t);
        return v_float(f);
    }
    i = wf_item_int(vm->cx, t);
    return int_value(vm, d, i);
}

static Value number_as(Vm *vm, const Args *a, const char *what)
{
    En e = en_begin_front(vm, as_tensor(a->v[0])->front);
    wf_tensor t = en_to_read(vm, a->v[0], what);
    Tensor *x = tensor_get(e.c, t, "item");
    Value v = NIL;

    if (x && x->symbolic)
        sc_fail(vm, C_RuntimeError, "a traced tensor has no concrete value to read while "
                                    "tracing: return it, or compute with it as a tensor");
    else if (x && x->count != 1 && e.f == &vm->engine->front[FRONT_NUMPY])
        sc_fail(vm, C_TypeError, "only 0-dimensional arrays can be converted to Python scalars");
    else if (x && x->count != 1)
        sc_fail(vm,
                e.f == &vm->engine->front[FRONT_TORCH] ? C_RuntimeError
                : e.f == &vm->engine->front[FRONT_TF]  ? C_TypeError
                                                       : C_ValueError,
                "a Tensor with %lld elements cannot be converted to Scalar",
                (long long)x->count);
    else if (x)
        v = item_of(vm, x, t);
    return v.tag == T_NIL ? en_fail(&e) : en_end_value(&e, v);
}

static Value m_item(Vm *vm, const Args *a) { return number_as(vm, a, "number"); }

/* float() and int() of more than one number, in PyTorch's words. */
static Value to_number(Vm *vm, const Args *a, const char *what)
{
    const Tensor *x = tensor_get(vm->cx, as_tensor(a->v[0])->t, "item");

    if (x && !x->symbolic && x->count != 1 &&
        as_tensor(a->v[0])->front == &vm->engine->front[FRONT_TORCH])
        return sc_raise(vm, C_ValueError,
                        "only one element tensors can be converted to Python scalars");
    return number_as(vm, a, what);
}

/* The same of a real number. */
static Value real_number(Vm *vm, const Args *a, const char *to)
{
    Value v = to_number(vm, a, !strcmp(to, "int") ? "integer" : to);

    if (v.tag != T_OBJ)
        return v;
    sc_drop(vm, v);
    if (as_tensor(a->v[0])->front == &vm->engine->front[FRONT_TORCH])
        return sc_raise(vm, C_RuntimeError,
                        "value cannot be converted to type %s without overflow",
                        !strcmp(to, "int") ? "int64_t" : "double");
    return sc_raise(vm, C_TypeError, "%s() argument must be a string or a real number, not 'complex'", to);
}

bool en_tensor_hash_complex(Vm *vm, wf_tensor t, uint64_t *out)
{
    double re = 0, im = 0;
    Value z;
    bool ok;

    wf_item_complex(vm->cx, t, &re, &im);
    z = sc_complex(vm, re, im);
    ok = z.tag != T_NIL && sc_hash(vm, z, out);
    sc_drop(vm, z);
    return ok;
}

static Value m_complex(Vm *vm, const Args *a)
{
    Value v = to_number(vm, a, "complex");
    double re, im = 0;

    if (v.tag == T_NIL || v.tag == T_OBJ)
        return v;
    re = v.tag == T_FLOAT ? v.f : (double)v.i;
    return sc_complex(vm, re, im);
}

static Value m_float(Vm *vm, const Args *a)
{
    Value v = real_number(vm, a, "float");

    return v.tag == T_INT || v.tag == T_BOOL ? v_float((double)v.i) : v;
}

static Value m_int(Vm *vm, const Args *a)
{
    Value v = real_number(vm, a, "int");

    if (v.tag == T_FLOAT) {
        if (!(v.f > -9.3e18 && v.f < 9.3e18))
            return sc_raise(vm, C_OverflowError, "cannot convert the number to an integer");
        return v_int((int64_t)v.f);
    }
    return v.tag == T_BOOL ? v_int(v.i) : v;
}

static Value m_index(Vm *vm, const Args *a)
{
    if (dtype_is_inexact(dtype_wide(wf_dtype_of(vm->cx, as_tensor(a->v[0])->t))))
        return sc_raise(vm, C_TypeError, "only integer tensors of a single element can be "
                                         "converted to an index");
    return m_int(vm, a);
}

static Value nested(Vm *vm, const Tensor *x, wf_dtype d, const char *data, int axis, int64_t *at)
{
    List *l;

    if (axis == x->rank) {
        int64_t i = (*at)++;

        switch ((wf_dtype)x->dtype) {
        case WF_BOOL: return v_bool(data[i] != 0);
        case WF_F64: return v_float(((const double *)(const void *)data)[i]);
        case WF_C128:
            return sc_complex(vm, ((const double *)(const void *)data)[2 * i],
                              ((const double *)(const void *)data)[2 * i + 1]);
        default: return int_value(vm, d, ((const int64_t *)(const void *)data)[i]);
        }
    }
    l = sc_list(vm, x->dims[axis]);
    for (int64_t i = 0; l && i < x->dims[axis]; i++)
        if ((l->v[i] = nested(vm, x, d, data, axis + 1, at)).tag == T_NIL) {
            obj_drop(vm, l);
            return NIL;
        }
    return v_obj(l);
}

static Value m_tolist(Vm *vm, const Args *a)
{
    En e = en_begin_front(vm, as_tensor(a->v[0])->front);
    wf_tensor t = en_to_read(vm, a->v[0], "list"), d;
    Tensor *x = tensor_get(e.c, t, "tolist");
    wf_dtype dt = x ? (wf_dtype)x->dtype : WF_INVALID;
    Value v;
    int64_t at = 0;
    char *data;

    if (x && x->symbolic) {
        sc_fail(vm, C_RuntimeError, "a traced tensor has no concrete values to read");
        return en_fail(&e);
    }
    if (x && x->rank == 0)
        return en_end_value(&e, item_of(vm, x, t));
    wf_no_grad_begin(e.c);
    d = wf_detach(e.c, t);
    if (dt != WF_BOOL)
        d = wf_cast(e.c, d, dtype_is_complex(dt) ? WF_C128 : dtype_is_float(dtype_wide(dt)) ? WF_F64 : WF_I64);
    wf_no_grad_end(e.c);
    x = tensor_get(e.c, d, "tolist");
    data = x ? en_alloc(&e, (size_t)x->count * 16) : NULL;
    if (!data)
        return en_fail(&e);
    tensor_read(x, data);
    v = nested(vm, x, dt, data, 0, &at);
    return v.tag == T_NIL ? en_fail(&e) : en_end_value(&e, v);
}

/* Of one number as of that number, all of its digits; else as str(). */
static Value m_format(Vm *vm, const Args *a)
{
    Tensor *x = tensor_get(vm->cx, as_tensor(a->v[0])->t, "format");
    Value v, r;

    if (!x)
        return sc_raise_ctx(vm);
    if (!sc_to_cstr(vm, a->v[1], "__format__() argument"))
        return NIL;
    if (x->symbolic || x->rank > 0)
        v = sc_to_str(vm, a->v[0]);
    else
        v = m_item(vm, a);
    r = v.tag == T_NIL ? NIL : sc_format(vm, v, as_str(a->v[1]));
    sc_drop(vm, v);
    return r;
}

const NativeDef en_tensor_methods[] = {
    {"item", m_item, "self"},         {"tolist", m_tolist, "self"},
    {"__float__", m_float, "self"}, {"__complex__", m_complex, "self"},   {"__int__", m_int, "self"},
    {"__index__", m_index, "self"},   {"__format__", m_format, "self,spec"},
    {0},
};

static Value get_shape(Vm *vm, Value self)
{
    TensorObj *o = as_tensor(self);
    Tensor *x = tensor_get(vm->cx, o->t, "shape");
    Tuple *t = x ? sc_tuple(vm, x->rank) : NULL;
    Value v, r;

    if (!x)
        return sc_raise_ctx(vm);
    for (int i = 0; t && i < x->rank; i++)
        t->v[i] = en_dim(vm, o->front, x->dims[i]);
    v = v_obj(t);
    if (v.tag == T_NIL || !o->front->shape_cls)
        return v;
    r = sc_call(vm, v_obj(o->front->shape_cls), &v, 1);
    sc_drop(vm, v);
    return r;
}

/* x.shape = sizes, of classes that have a method for it (NumPy's) */
static bool set_shape(Vm *vm, Value self, Value v)
{
    Value fn = v.tag == T_NIL ? NIL : sc_getattr_s(vm, self, "_take_shape"), r;

    if (fn.tag == T_NIL) {
        if (v.tag != T_NIL)
            sc_clear_exc(vm);
        return sc_fail(vm, C_AttributeError, "attribute 'shape' of '%s' objects is not writable", sc_type_name(vm, self)), false;
    }
    r = sc_call(vm, fn, &v, 1);
    sc_drop(vm, fn);
    sc_drop(vm, r);
    return r.tag != T_NIL;
}

static Value get_ndim(Vm *vm, Value self)
{
    return v_int(wf_rank(vm->cx, as_tensor(self)->t));
}

static Value get_dtype(Vm *vm, Value self)
{
    return en_dtype_box(vm, as_tensor(self)->front, wf_dtype_of(vm->cx, as_tensor(self)->t));
}

const PropertyDef en_tensor_properties[] = {
    {"shape", get_shape, set_shape}, {"ndim", get_ndim, NULL}, {"dtype", get_dtype, NULL}, {0},
};
