/* dtypes.c -- dtypes as script values: by name, by class, as each library prints and compares them. */
#include "script/engine/engine.h"

#include <stdio.h>

const char *const en_dtype_plain_names[WF_DTYPE_COUNT] = {
    [WF_BOOL] = "bool",     [WF_I8] = "int8",     [WF_I16] = "int16",
    [WF_I32] = "int32",     [WF_I64] = "int64",   [WF_U8] = "uint8",
    [WF_U16] = "uint16",    [WF_U32] = "uint32",  [WF_U64] = "uint64",
    [WF_F16] = "float16",   [WF_BF16] = "bfloat16", [WF_F32] = "float32",
    [WF_F64] = "float64",   [WF_C64] = "complex64", [WF_C128] = "complex128",
    [WF_F8E4M3FN] = "float8_e4m3fn", [WF_F8E5M2] = "float8_e5m2", [WF_F8E4M3FNUZ] = "float8_e4m3fnuz",
    [WF_F8E5M2FNUZ] = "float8_e5m2fnuz", [WF_F8E8M0FNU] = "float8_e8m0fnu", [WF_I4] = "int4", [WF_U4] = "uint4",
};

wf_dtype en_narrow(const Front *f, wf_dtype d)
{
    return f->means.narrow ? dtype_narrowed(d) : d;
}

/* By its name; "<f4" has the machine's order of bytes, "|" and "=" any. */
static wf_dtype dtype_named(const char *s)
{
    static const struct {
        const char *name;
        wf_dtype d;
    } other[] = {{"float", WF_F64}, {"double", WF_F64}, {"half", WF_F16}, {"int", WF_I64},
                 {"long", WF_I64},  {"bool_", WF_BOOL}, {"f4", WF_F32},   {"f8", WF_F64},
                 {"i4", WF_I32},    {"i8", WF_I64},     {"u1", WF_U8},
                 {"f2", WF_F16},    {"i1", WF_I8},      {"i2", WF_I16},   {"u2", WF_U16},
                 {"u4", WF_U32},    {"u8", WF_U64},     {"complex", WF_C128}, {"cfloat", WF_C64},
                 {"cdouble", WF_C128}, {"c8", WF_C64},  {"c16", WF_C128},
                 {"?", WF_BOOL},    {"b", WF_I8},       {"B", WF_U8},     {"h", WF_I16}, /* NumPy's letters */
                 {"H", WF_U16},     {"i", WF_I32},      {"I", WF_U32},    {"l", WF_I64},
                 {"L", WF_U64},     {"q", WF_I64},      {"Q", WF_U64},    {"e", WF_F16},
                 {"f", WF_F32},     {"d", WF_F64},      {"F", WF_C64},    {"D", WF_C128},
                 {"single", WF_F32}, {"intc", WF_I32},  {"uint", WF_U64}, {"short", WF_I16},
                 {"b1", WF_BOOL}};

    if (*s && s[1] && strchr("<=|", *s))
        s++;
    for (int d = 1; d < WF_DTYPE_COUNT; d++)
        if (en_dtype_plain_names[d] && !strcmp(en_dtype_plain_names[d], s))
            return (wf_dtype)d;
    for (int i = 0; i < COUNT(other); i++)
        if (!strcmp(other[i].name, s))
            return other[i].d;
    return WF_INVALID;
}

/* np.float32 and its kin are classes. */
static wf_dtype dtype_of_class(Vm *vm, Value v)
{
    const Front *f = vm->engine ? &vm->engine->front[FRONT_NUMPY] : NULL;

    for (int d = 1; f && v.tag == T_OBJ && d < WF_DTYPE_COUNT; d++)
        if (f->scalar_cls[d] && v.o == (Obj *)(void *)f->scalar_cls[d])
            return (wf_dtype)d;
    return WF_INVALID;
}

/* An object whose attribute dtype is one, which NumPy's scalars are: that. */
static wf_dtype dtype_of_object(En *e, Value v)
{
    Vm *vm = e->vm;
    wf_dtype d = WF_INVALID;
    Value own;
    Str *name;

    if (e->f != &vm->engine->front[FRONT_NUMPY] || v.tag != T_OBJ || (is_tensor(vm, v) && !is_scalar(vm, v)) ||
        !(name = sc_intern(vm, "dtype", 5)))
        return WF_INVALID;
    own = sc_getattr_opt(vm, v, name);
    obj_drop(vm, name);
    if (own.tag == T_OBJ && sc_is_subclass(own.o->cls, vm->engine->dtype))
        d = ((DTypeObj *)(void *)own.o)->dtype;
    sc_drop(vm, own);
    return d;
}

bool en_dtype(En *e, Value v, wf_dtype *out)
{
    Vm *vm = e->vm;

    if (LEFT_OUT(v))
        return true;
    *out = WF_INVALID;
    if (v.tag == T_OBJ && vm->engine && sc_is_subclass(v.o->cls, vm->engine->dtype))
        *out = ((DTypeObj *)(void *)v.o)->dtype;
    else if (v.tag == T_OBJ && v.o == (Obj *)vm->cls[C_float])
        *out = e->f->means.promotion == WF_PROMOTE_TORCH || e->f->means.narrow ? e->f->means.default_float : WF_F64;
    else if (v.tag == T_OBJ && v.o == (Obj *)vm->cls[C_complex])
        *out = e->f->means.promotion == WF_PROMOTE_TORCH ? dtype_pair(e->f->means.default_float) : WF_C128;
    else if (v.tag == T_OBJ && v.o == (Obj *)vm->cls[C_int])
        *out = e->f->int_dtype;
    else if (v.tag == T_OBJ && v.o == (Obj *)vm->cls[C_bool])
        *out = WF_BOOL;
    else if (v.tag == T_OBJ && is_str(v)) /* TensorFlow's "float" is of 32 bits */
        *out = e->f == &vm->engine->front[FRONT_TF] && !strcmp(as_str(v)->s, "float")
                   ? WF_F32
                   : dtype_named(as_str(v)->s);
    else
        *out = dtype_of_class(vm, v);
    if (!*out)
        *out = dtype_of_object(e, v);
    if (!*out && e->f == &vm->engine->front[FRONT_NUMPY] && v.tag == T_OBJ && is_str(v))
        return sc_fail(vm, C_TypeError, "data type '%s' not understood", as_str(v)->s);
    if (!*out)
        return sc_fail(vm, C_TypeError, "%s is not a dtype", sc_type_name(vm, v));
    *out = en_narrow(e->f, *out);
    return true;
}

Value en_dtype_box(Vm *vm, Front *f, wf_dtype d)
{
    if (!f->dtypes[d]) {
        DTypeObj *o = sc_gc_new(vm, f->engine->dtype, sizeof *o);

        if (!o)
            return NIL;
        o->dtype = d;
        o->front = f;
        f->dtypes[d] = o;
    }
    return v_obj(gc_ref(f->dtypes[d]));
}

static Value dtype_name(Vm *vm, Value self)
{
    return v_obj(sc_str(vm, en_dtype_plain_names[((DTypeObj *)(void *)self.o)->dtype]));
}

static Value dtype_repr(Vm *vm, Value self)
{
    DTypeObj *o = (DTypeObj *)(void *)self.o;

    /* the formats are those of the table above */
    char text[64];
    const char *f = o->front->dtype_format, *at = strstr(f, "%s");

    if (dtype_is_storage(o->dtype) && at != f && at[-1] == '\'') { /* names that are none of NumPy's stand bare */
        snprintf(text, sizeof text, "%.*s%s)", (int)(at - f) - 1, f, en_dtype_plain_names[o->dtype]);
        return v_obj(sc_str(vm, text));
    }
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - f), f, en_dtype_plain_names[o->dtype], at + 2);
    return v_obj(sc_str(vm, text));
}

/* Of NumPy and its kin str(dtype) is the bare name; TensorFlow has a form of its own. */
static Value dtype_str(Vm *vm, Value self)
{
    DTypeObj *o = (DTypeObj *)(void *)self.o;

    if (o->front == &vm->engine->front[FRONT_TF])
        return sc_strf(vm, "<dtype: '%s'>", en_dtype_plain_names[o->dtype]);
    return strstr(o->front->dtype_format, "dtype('") ? dtype_name(vm, self)
                                                     : dtype_repr(vm, self);
}

/* JAX's dtypes are NumPy's: what narrows new arrays says nothing of which dtypes are equal. */
static Value dtype_compare(Vm *vm, CmpOp op, Value a, Value b)
{
    Front *own = ((DTypeObj *)(void *)a.o)->front;
    bool jax = own == &vm->engine->front[FRONT_JAX];
    En e = {.vm = vm, .c = vm->cx, .f = jax ? &vm->engine->front[FRONT_NUMPY] : own};
    wf_dtype y = WF_INVALID;
    bool same;

    if (op != CMP_EQ && op != CMP_NE)
        return NOTIMPL;
    if (LEFT_OUT(b) || !en_dtype(&e, b, &y))
        sc_clear_exc(vm);
    same = y == ((DTypeObj *)(void *)a.o)->dtype;
    return v_bool(same == (op == CMP_EQ));
}

static bool dtype_hash(Vm *vm, Value self, uint64_t *out)
{
    (void)vm;
    *out = ((DTypeObj *)(void *)self.o)->dtype;
    return true;
}

static Value dtype_itemsize(Vm *vm, Value self)
{
    (void)vm;
    return v_int((int64_t)wf_dtype_size(((DTypeObj *)(void *)self.o)->dtype));
}

#define DTYPE_IS(name, question)                                                         \
    static Value dtype_##name(Vm *vm, Value self)                                        \
    {                                                                                    \
        (void)vm;                                                                        \
        return v_bool(question(dtype_wide(((DTypeObj *)(void *)self.o)->dtype)));                    \
    }
DTYPE_IS(is_floating, dtype_is_float)
DTYPE_IS(complex, dtype_is_complex)
DTYPE_IS(inexact, dtype_is_inexact)

/* One letter, as NumPy's dtype.kind. */
static Value dtype_kind(Vm *vm, Value self)
{
    wf_dtype d = dtype_wide(((DTypeObj *)(void *)self.o)->dtype);

    return v_obj(sc_str(vm, d == WF_BOOL ? "b" : dtype_is_complex(d) ? "c" : dtype_is_float(d) ? "f" : dtype_is_unsigned(d) ? "u" : "i"));
}

/* jnp.float32(3), np.int64(5): a tensor of that dtype. */
static Value dtype_call(Vm *vm, Value self, const Args *a)
{
    DTypeObj *o = (DTypeObj *)(void *)self.o;
    En e = en_begin_front(vm, o->front);
    wf_tensor t;
    Value zero = v_int(0);

    if (a->nkw || a->n > 1) {
        sc_fail(vm, C_TypeError, "%s() takes one value", en_dtype_plain_names[o->dtype]);
        return en_fail(&e);
    }
    t = en_tensor_from(&e, a->n ? a->v[0] : zero, en_narrow(o->front, o->dtype));
    return sc_failed(vm) ? en_fail(&e) : en_end(&e, t);
}

/* jnp.float32.__name__: JAX's are classes; dtypes of the others have no such name */
static Value dtype_class_name(Vm *vm, Value self)
{
    DTypeObj *o = (DTypeObj *)(void *)self.o;

    if (o->front == &vm->engine->front[FRONT_JAX])
        return dtype_name(vm, self);
    sc_fail(vm, C_AttributeError, "'dtype' object has no attribute '__name__'");
    return NIL;
}

static void dtype_destroy(Vm *vm, Obj *o)
{
    DTypeObj *d = (DTypeObj *)(void *)o;

    if (d->attrs)
        obj_drop(vm, d->attrs);
    d->attrs = NULL;
}

static void dtype_visit(Obj *o, VisitFn fn, void *user)
{
    if (((DTypeObj *)(void *)o)->attrs)
        fn(v_obj(((DTypeObj *)(void *)o)->attrs), user);
}

/* dtype.type: the class of NumPy's scalars */
static Value dtype_type(Vm *vm, Value self)
{
    Class *k = vm->engine->front[FRONT_NUMPY].scalar_cls[((DTypeObj *)(void *)self.o)->dtype];

    return k ? v_obj(gc_ref(k)) : NONE;
}

/* What a function of one of NumPy's files makes of a value. */
static Value made_by(Vm *vm, const char *module, const char *fn, Value of)
{
    Str *name = sc_intern(vm, module, strlen(module));
    Value m = name ? sc_import(vm, name) : NIL, r = m.tag == T_NIL ? NIL : sc_call_method(vm, m, fn, &of, 1);

    if (name)
        obj_drop(vm, name);
    sc_drop(vm, m);
    return r;
}

/* Bytes in the other order than the machine's are a class of numpy/_bytes.py: buffers and files take it. */
static Value swapped(Vm *vm, Value of) { return made_by(vm, "numpy._bytes", "Swapped", of); }

/* Is it of a class of dtypes that is made in the language? */
static bool is_made(Vm *vm, Value v)
{
    static const char *const names[] = {"Swapped", "Float0", "ItemType", "DateType", "RecordType", "SubType"};

    for (int i = 0; v.tag == T_OBJ && i < COUNT(names); i++)
        if (!strcmp(sc_type_name(vm, v), names[i]))
            return true;
    return false;
}

/* str, bytes, object, "<U5", "S3", "O" and NumPy's names of them, "M8[s]", lists of fields: may it be a dtype of what is no number? */
static bool says_items(Vm *vm, Value v)
{
    static const char *const names[] = {"str_", "bytes_", "object_", "datetime64", "timedelta64"};
    const char *s;

    if (v.tag != T_OBJ)
        return false;
    if (is_str(v)) {
        s = as_str(v)->s + strspn(as_str(v)->s, "<=|>");
        return *s && (strchr("USOaobMmdt(", *s) != NULL || strchr(s, ',')) && strcmp(s, "bool") != 0;
    }
    if (v.o->cls == vm->cls[C_list] || v.o->cls == vm->cls[C_dict] || v.o->cls == vm->cls[C_tuple])
        return true;
    if (v.o == (Obj *)vm->cls[C_str] || v.o == (Obj *)vm->cls[C_bytes] || v.o == (Obj *)vm->cls[C_object])
        return true;
    if (v.o->cls != vm->cls[C_type])
        return false;
    for (int i = 0; i < COUNT(names); i++)
        if (!strcmp(((Class *)(void *)v.o)->name->s, names[i]))
            return true;
    return false;
}

/* np.dtype("float32"), np.dtype("<f4"): one object for each */
static Value dtype_make(Vm *vm, Class *cls, const Args *a)
{
    Engine *g = engine_of(vm);
    En e = {.vm = vm, .c = vm->cx, .f = g ? &g->front[FRONT_NUMPY] : NULL};
    const char *s = is_str(a->v[0]) ? as_str(a->v[0])->s : "";
    wf_dtype d = WF_F64; /* of None */
    Value own = s[0] == '>' ? v_obj(sc_str(vm, s + 1)) : sc_ref(a->v[0]), r = NIL;

    (void)cls;
    if (s[0] != '>' && is_made(vm, a->v[0]))
        return own;
    if (g && says_items(vm, own)) {
        r = made_by(vm, "numpy._objects", "own_type", own);
        if (r.tag != T_NONE) {
            sc_drop(vm, own);
            return r;
        }
        r = NIL;
    }
    if (g && own.tag != T_NIL && en_dtype(&e, own, &d))
        r = en_dtype_box(vm, e.f, d);
    sc_drop(vm, own);
    if (r.tag == T_NIL || s[0] != '>' || wf_dtype_size(d) == 1)
        return r;
    own = swapped(vm, r);
    sc_drop(vm, r);
    return own;
}

/* dtype.newbyteorder(">"): itself where that is the machine's order, which is the lowest byte first */
static Value dtype_newbyteorder(Vm *vm, const Args *a)
{
    const char *s = a->v[1].tag == T_NIL ? "S" : sc_to_cstr(vm, a->v[1], "new_order");
    bool one = wf_dtype_size(((DTypeObj *)(void *)a->v[0].o)->dtype) == 1;

    if (!s)
        return NIL;
    if (!*s || !strchr("<>=|SLBNIslbni", *s))
        return sc_raise(vm, C_ValueError, "byteorder not recognized (got '%s')", s);
    return one || strchr("<=|LNIlni", *s) ? sc_ref(a->v[0]) : swapped(vm, a->v[0]);
}

static Value dtype_byteorder(Vm *vm, Value self)
{
    return v_obj(sc_str(vm, wf_dtype_size(((DTypeObj *)(void *)self.o)->dtype) == 1 ? "|" : "="));
}

static Value dtype_text(Vm *vm, Value self) /* "<f4", as files have it */
{
    wf_dtype d = ((DTypeObj *)(void *)self.o)->dtype;
    Value kind = dtype_kind(vm, self), r = kind.tag == T_NIL ? NIL : sc_strf(vm, "%c%s%d", wf_dtype_size(d) == 1 ? '|' : '<', as_str(kind)->s, (int)wf_dtype_size(d));

    sc_drop(vm, kind);
    return r;
}

static Value dtype_isnative(Vm *vm, Value self)
{
    (void)vm;
    (void)self;
    return v_bool(true);
}

static const NativeDef dtype_methods[] = {{"newbyteorder", dtype_newbyteorder, "self|new_order"}, {0}};

static const PropertyDef dtype_properties[] = {
    {"type", dtype_type, NULL},
    {"name", dtype_name, NULL},
    {"__name__", dtype_class_name, NULL},
    {"itemsize", dtype_itemsize, NULL},
    {"is_floating_point", dtype_is_floating, NULL},
    {"is_floating", dtype_is_floating, NULL},
    {"is_complex", dtype_complex, NULL},
    {"is_inexact", dtype_inexact, NULL},
    {"kind", dtype_kind, NULL},
    {"str", dtype_text, NULL},
    {"byteorder", dtype_byteorder, NULL},
    {"isnative", dtype_isnative, NULL},
    {0},
};

const ClassDef en_dtype_def = {
    .name = "dtype", .size = sizeof(DTypeObj), .attrs_at = offsetof(DTypeObj, attrs),
    .make = dtype_make, .make_params = "dtype|align,copy", .methods = dtype_methods,
    .repr = dtype_repr, .str = dtype_str, .compare = dtype_compare, .hash = dtype_hash,
    .call = dtype_call, .properties = dtype_properties, .destroy = dtype_destroy,
    .visit = dtype_visit,
};
