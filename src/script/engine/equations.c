/* equations.c -- ops by name, and the equations of a program as script values.
 *
 *   op(name, xs, attrs)    one primitive applied to tensors: operands must have the types the
 *                          op wants; attrs is a dict with the keys of the text form
 *   Program.view()         (values, inputs, equations, results): values[v] is (dtype, shape);
 *                          an equation is (op, operands, results, attrs), values by number
 *   Program.equation(k)    the k-th of these alone, a program of its operands
 *
 * Both go by the tables of attribute fields (ir/attr.c), so every op there is works.
 */
#include "script/engine/engine.h"

#include "op/op.h"

#include <stdio.h>

/* ---- attributes from a dict -------------------------------------------------------- */

#define ATTR_ROOM 512 /* bytes of an attribute struct */
#define ATTR_INTS 256 /* numbers in its lists */

typedef struct AttrBox {
    _Alignas(16) char data[ATTR_ROOM];
    int64_t ints[ATTR_INTS];
    int at;
} AttrBox;

static bool take_ints(En *e, AttrBox *b, Value v, Ints *out, bool dims)
{
    int n = 0;

    if (!en_ints(e, v, b->ints + b->at, &n, ATTR_INTS - b->at))
        return false;
    for (int i = 0; dims && i < n; i++)
        if (b->ints[b->at + i] < 0 && !e->c->tensors->trace)
            return sc_fail(e->vm, C_ValueError, "a size must not be negative, got %lld",
                           (long long)b->ints[b->at + i]);
    *out = (Ints){(uint32_t)n, b->ints + b->at};
    b->at += n;
    return true;
}

static bool take_enum(En *e, const AttrField *f, Value v, int32_t *out)
{
    const char *s = NULL;

    if (!en_str(e, v, &s))
        return false;
    for (int k = 0; s && f->names[k]; k++)
        if (!strcmp(f->names[k], s)) {
            *out = k;
            return true;
        }
    return sc_fail(e->vm, C_ValueError, "'%s' is not a %s", s ? s : "None", f->name);
}

static bool take_field(En *e, AttrBox *b, const AttrField *f, Value v)
{
    void *at = b->data + f->offset;
    wf_dtype d = WF_INVALID;
    int64_t i = 0;

    switch ((AttrKind)f->kind) {
    case A_INT:
    case A_DIM: return en_int(e, v, at);
    case A_BOOL: return en_bool(e, v, at);
    case A_F64: return en_float(e, v, at);
    case A_STR: return en_str(e, v, at);
    case A_ENUM: return take_enum(e, f, v, at);
    case A_INTS: return take_ints(e, b, v, at, false);
    case A_DIMS: return take_ints(e, b, v, at, true);
    case A_DTYPE:
        if (!en_dtype(e, v, &d))
            return false;
        i = d;
        *(int32_t *)at = (int32_t)i;
        return true;
    default:
        return sc_fail(e->vm, C_ValueError, "attribute '%s' cannot be given here", f->name);
    }
}

static void set_standard(AttrBox *b, const AttrField *f)
{
    void *at = b->data + f->offset;
    int64_t v = f->standard == ATTR_REQUIRED ? 0 : f->standard;

    switch ((AttrKind)f->kind) {
    case A_INT:
    case A_DIM: *(int64_t *)at = v; break;
    case A_SYM: *(int64_t *)at = DIM_NONE; break;
    case A_BOOL: *(bool *)at = v != 0; break;
    case A_ENUM: *(int32_t *)at = (int32_t)v; break;
    case A_STR: *(const char **)at = ""; break;
    default: break;
    }
}

static bool attrs_from(En *e, const OpRow *row, Value attrs, AttrBox *b)
{
    const AttrField *f;
    DictEntry *entry;
    Dict *d;

    memset(b, 0, sizeof *b);
    if (row->attr_size > sizeof b->data)
        return sc_fail(e->vm, C_ValueError, "the op cannot be applied by name");
    for (f = row->attrs; f && f->name; f++)
        set_standard(b, f);
    if (attrs.tag == T_NIL || attrs.tag == T_NONE)
        return true;
    if (!sc_is(e->vm, attrs, C_dict))
        return sc_fail(e->vm, C_TypeError, "op: attrs must be a dict");
    d = (Dict *)(void *)attrs.o;
    for (uint32_t i = 0; dict_next(d, &i, &entry);) {
        const char *key = sc_to_cstr(e->vm, entry->key, "a string");

        if (!key)
            return false;
        for (f = row->attrs; f && f->name && strcmp(f->name, key); f++)
            ;
        if (!f || !f->name)
            return sc_fail(e->vm, C_ValueError, "op: there is no attribute '%s'", key);
        if (!take_field(e, b, f, entry->val))
            return false;
    }
    return true;
}

/* op(name, xs, attrs=None): a list of results */
static Value n_op(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    const char *name = "";
    wf_tensor *in, *out;
    AttrBox box;
    int n = 0, k, nout;

    if (!en_str(&e, a->v[0], &name) || !en_tensors(&e, a->v[1], &in, &n))
        return en_fail(&e);
    k = op_find(name);
    if (k < 0 || op_has((unsigned)k, OPF_CONTROL) || k == OP_const || k == OP_iota ||
        (op_table[k].nin >= 0 && op_table[k].nin != n)) {
        sc_fail(vm, C_ValueError, k < 0 ? "op: there is no op '%s'"
                                        : "op: '%s' cannot be applied to these operands",
                name);
        return en_fail(&e);
    }
    nout = op_table[k].nout >= 0 ? op_table[k].nout : k == OP_sort ? n : 1;
    if (!attrs_from(&e, op_row((unsigned)k), a->v[2], &box) ||
        !(out = en_alloc(&e, ((size_t)nout + 1) * sizeof *out)))
        return en_fail(&e);
    for (int j = 0; j < nout; j++)
        out[j] = WF_NONE;
    tensor_op(e.c, (OpCode)k, in, (uint32_t)n, op_row((unsigned)k)->attrs ? box.data : NULL,
              out, (uint32_t)nout);
    return en_end_list(&e, out, failed(e.c) ? 0 : nout);
}

/* iota(dtype, shape, axis) */
static Value n_iota(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_dtype d = e.f->int_dtype;
    int64_t dims[WF_MAX_RANK], axis = 0;
    int rank;

    if (!en_dtype(&e, a->v[0], &d) || !en_shape(&e, a->v[1], dims, &rank) ||
        !en_int(&e, a->v[2], &axis))
        return en_fail(&e);
    return en_end(&e, wf_iota(e.c, d, dims, rank, (int)axis));
}

/* signature(xs): equal for tensors of equal dtypes, shapes and weak bits, where equal named
 * axes are in force */
static Value n_signature(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    Buf b = {.vm = vm};
    wf_tensor *x;
    int n = 0;
    char text[64];

    if (!en_tensors(&e, a->v[0], &x, &n))
        return en_fail(&e);
    for (int i = 0; i < n; i++) {
        Tensor *t = tensor_get(e.c, x[i], "signature");

        if (!t)
            break;
        snprintf(text, sizeof text, "%d%s", (int)t->dtype, t->weak ? "w[" : "[");
        buf_str(&b, text);
        for (int k = 0; k < t->rank; k++) {
            snprintf(text, sizeof text, "%lld,", (long long)t->dims[k]);
            buf_str(&b, text);
        }
        buf_char(&b, ']');
    }
    for (const Trace *tr = e.c->tensors->trace; tr; tr = tr->outer)
        if (tr->axis.name) {
            snprintf(text, sizeof text, ";%lld ", (long long)tr->axis.size);
            buf_str(&b, text);
            buf_str(&b, tr->axis.name);
        }
    return en_end_value(&e, buf_done(&b));
}

/* ---- attributes as a dict ---------------------------------------------------------- */

static Value dim_value_of(Vm *vm, const Program *p, Dim d)
{
    int64_t v;
    Arena scratch = {0};
    const char *text;
    Value s;

    if (dim_value(&p->dims, d, &v))
        return v_int(v);
    if (d == DIM_NONE)
        return NONE;
    arena_init(&scratch, &vm->cx->al, NULL); /* no jump: NULL when memory is out */
    text = dim_str(&p->dims, d, &scratch);
    s = text ? v_obj(sc_str(vm, text)) : sc_raise_memory(vm);
    arena_free(&scratch);
    return s;
}

static Value ints_value(Vm *vm, const Program *p, Ints v, bool dims)
{
    Tuple *t = sc_tuple(vm, v.n);

    for (uint32_t i = 0; t && i < v.n; i++)
        if ((t->v[i] = dims ? dim_value_of(vm, p, v.v[i]) : v_int(v.v[i])).tag == T_NIL) {
            obj_drop(vm, t);
            return NIL;
        }
    return v_obj(t);
}

static Value type_value(Vm *vm, Front *f, const Program *p, Type type)
{
    Tuple *t = sc_tuple(vm, 2);

    if (!t)
        return NIL;
    t->v[0] = en_dtype_box(vm, f, (wf_dtype)type.dtype);
    t->v[1] = ints_value(vm, p, (Ints){type.rank, type.dims}, true);
    if (t->v[0].tag != T_NIL && t->v[1].tag != T_NIL)
        return v_obj(t);
    obj_drop(vm, t);
    return NIL;
}

static Value sub_value(Vm *vm, const Sub *s)
{
    return s->p ? box_program(vm, program_retain(s->p), s->p->nin, NULL, 0, NULL, 0) : NONE;
}

static Value field_value(Vm *vm, Front *f, const Program *p, const AttrField *a, const void *at)
{
    const Subs *subs = at;
    Tuple *t;

    switch ((AttrKind)a->kind) {
    case A_INT: return v_int(*(const int64_t *)at);
    case A_BOOL: return v_bool(*(const bool *)at);
    case A_ENUM: return v_obj(sc_str(vm, a->names[*(const int32_t *)at]));
    case A_DTYPE: return en_dtype_box(vm, f, (wf_dtype) * (const int32_t *)at);
    case A_F64: return v_float(*(const double *)at);
    case A_STR: return v_obj(sc_str(vm, *(const char *const *)at));
    case A_DIM:
    case A_SYM: return dim_value_of(vm, p, *(const Dim *)at);
    case A_INTS: return ints_value(vm, p, *(const Ints *)at, false);
    case A_DIMS: return ints_value(vm, p, *(const Ints *)at, true);
    case A_TYPE: return type_value(vm, f, p, *(const Type *)at);
    case A_SUB: return sub_value(vm, at);
    case A_SUBS:
        t = sc_tuple(vm, subs->n);
        for (uint32_t i = 0; t && i < subs->n; i++)
            if ((t->v[i] = sub_value(vm, &subs->v[i])).tag == T_NIL) {
                obj_drop(vm, t);
                return NIL;
            }
        return v_obj(t);
    case A_CONST: return NONE;
    }
    return NONE;
}

/* The tensor of a const equation. */
static Value const_value(Vm *vm, Front *f, const ConstAttr *a)
{
    En e = en_begin_front(vm, f);
    Type t = a->type;
    wf_tensor x;
    int64_t one[WF_MAX_RANK] = {0};

    if (!a->splat)
        return en_end(&e, wf_from(e.c, (wf_dtype)t.dtype, t.dims, t.rank, a->data->data));
    x = wf_from(e.c, (wf_dtype)t.dtype, one, 0, a->data->data);
    for (int i = 0; i < t.rank; i++)
        if (t.dims[i] < 0)
            return en_end(&e, x);
    return en_end(&e, t.rank ? wf_broadcast_to(e.c, x, t.dims, t.rank) : x);
}

static Dict *attrs_value(Vm *vm, Front *f, const Program *p, const Eqn *eqn)
{
    Dict *d = sc_dict(vm);
    const AttrField *a = op_row(eqn->op)->attrs;
    bool ok = d != NULL;

    for (; ok && a && a->name; a++) {
        Str *key = sc_str(vm, a->name);
        Value v = a->kind == A_CONST
                      ? const_value(vm, f, eqn->attr)
                      : field_value(vm, f, p, a, (const char *)eqn->attr + a->offset);

        ok = key && v.tag != T_NIL && sc_dict_put(vm, d, v_obj(key), v);
        if (key)
            obj_drop(vm, key);
        sc_drop(vm, v);
    }
    if (ok)
        return d;
    if (d)
        obj_drop(vm, d);
    return NULL;
}

/* ---- view -------------------------------------------------------------------------- */

static Tuple *vals(Vm *vm, const Val *v, Val first, uint32_t n)
{
    Tuple *t = sc_tuple(vm, n);

    for (uint32_t i = 0; t && i < n; i++)
        t->v[i] = v_int(v ? v[i] : first + i);
    return t;
}

static Value tuple_of(Vm *vm, Value *v, int n)
{
    Tuple *t = NULL;
    bool ok = true;

    for (int i = 0; i < n; i++)
        ok = ok && v[i].tag != T_NIL;
    if (ok)
        t = sc_tuple_of(vm, v, n);
    for (int i = 0; i < n; i++)
        sc_drop(vm, v[i]);
    return v_obj(t);
}

static Value eqn_value(Vm *vm, Front *f, const Program *p, const Eqn *e)
{
    Value v[4] = {v_obj(sc_str(vm, op_name(e->op))),
                  v_obj(vals(vm, eqn_in(p, e), 0, e->nin)),
                  v_obj(vals(vm, NULL, e->out, e->nout)), v_obj(attrs_value(vm, f, p, e))};

    return tuple_of(vm, v, 4);
}

static List *list_by(Vm *vm, Front *f, const Program *p, uint32_t n,
                     Value (*fn)(Vm *, Front *, const Program *, uint32_t))
{
    List *l = sc_list(vm, n);

    for (uint32_t i = 0; l && i < n; i++)
        if ((l->v[i] = fn(vm, f, p, i)).tag == T_NIL) {
            obj_drop(vm, l);
            return NULL;
        }
    return l;
}

static Value nth_value(Vm *vm, Front *f, const Program *p, uint32_t i)
{
    return i ? type_value(vm, f, p, val_type(p, i)) : NONE;
}

static Value nth_eqn(Vm *vm, Front *f, const Program *p, uint32_t i)
{
    return eqn_value(vm, f, p, &p->eqns[i]);
}

/* In JAX's terms, whose scripts walk programs. */
Value en_program_view(Vm *vm, const Args *a)
{
    const Program *p = as_program(a->v[0])->p;
    Front *f = &vm->engine->front[FRONT_JAX];
    Value v[4] = {v_obj(list_by(vm, f, p, p->nvals, nth_value)),
                  v_obj(vals(vm, NULL, 1, p->nin)),
                  v_obj(list_by(vm, f, p, p->neqns, nth_eqn)),
                  v_obj(vals(vm, p->outs, 0, p->nout))};

    return tuple_of(vm, v, 4);
}

static const Program *one_equation(wf_ctx *cx, const Program *p, const Eqn *e)
{
    Builder *b = builder_new(cx, op_name(e->op), 0);
    Val *in = arena_array(&b->arena, e->nin + 1u, sizeof *in);
    Val *out = arena_array(&b->arena, e->nout + 1u, sizeof *out);
    Copier c;

    copier_init(&c, b, p, NULL, NULL);
    for (uint32_t i = 0; i < e->nin; i++)
        in[i] = c.val[eqn_in(p, e)[i]] = b_input(b, NULL, copier_type(&c, val_type(p, eqn_in(p, e)[i])));
    copier_eqn(&c, e);
    for (uint32_t j = 0; j < e->nout && !b_failed(b); j++)
        out[j] = c.val[e->out + j];
    return b_failed(b) ? NULL : builder_finish_as(b, in, e->nin, out, e->nout);
}

/* equation(k): the k-th equation alone, a program of its operands */
Value en_program_equation(Vm *vm, const Args *a)
{
    const Program *p = as_program(a->v[0])->p, *q;
    En e = {.vm = vm, .c = vm->cx, .f = &vm->engine->front[FRONT_JAX]};
    Region region;
    int64_t k = 0;

    if (!en_int(&e, a->v[1], &k))
        return NIL;
    if (k < 0 || k >= (int64_t)p->neqns)
        return sc_fail(vm, C_IndexError, "equation: there is no equation %lld", (long long)k), NIL;
    api_enter_(vm->cx, &region);
    if (setjmp(region.jump)) {
        api_out_of_memory(vm->cx, &region);
        return en_raise(&e), NIL;
    }
    if ((q = one_equation(vm->cx, p, &p->eqns[k])) != NULL)
        program_retain(q);
    api_leave(vm->cx, &region);
    return q ? box_program(vm, q, q->nin, NULL, 0, NULL, 0) : (en_raise(&e), NIL);
}

const NativeDef engine_equations[] = {
    {"op", n_op, "name,xs|attrs"},
    {"iota", n_iota, "dtype,shape|axis"},
    {"signature", n_signature, "xs"},
    {0},
};
