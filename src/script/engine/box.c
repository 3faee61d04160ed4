/* box.c -- tensors as script values, script values as arguments of tensor
 * functions, and how the errors of tensor functions become exceptions. */
#include "script/engine/engine.h"

#include "script/ast.h"
#include "script/long.h"

#include <stdio.h>

/* ---- the fronts -------------------------------------------------------------------- */

#define MEANS(dtype, ...) {sizeof(wf_semantics), .default_float = dtype, __VA_ARGS__}
static const Front fronts[FRONT_COUNT] = {
    [FRONT_TORCH] = {"_torch", MEANS(WF_F32, .promotion = WF_PROMOTE_TORCH, .strict = true), WF_I64, .views_write = true,
                     .dtype_names = en_dtype_plain_names, .dtype_format = "torch.%s",
                     .shape_error = C_RuntimeError, .type_error = C_RuntimeError,
                     .value_error = C_RuntimeError},
    [FRONT_JAX] = {"_jax", MEANS(WF_F32, .promotion = WF_PROMOTE_JAX, .narrow = true, .bounded_loops = true), WF_I32,
                   .dtype_names = en_dtype_plain_names, .dtype_format = "dtype('%s')",
                   .shape_error = C_TypeError, .type_error = C_TypeError,
                   .value_error = C_ValueError},
    [FRONT_NUMPY] = {"_numpy", MEANS(WF_F64, .promotion = WF_PROMOTE_NUMPY), WF_I64, .lists = true, .stays = true,
                     .views_write = true, .dtype_names = en_dtype_plain_names,
                     .dtype_format = "dtype('%s')", .shape_error = C_ValueError,
                     .type_error = C_TypeError, .value_error = C_ValueError},
    [FRONT_TF] = {"_tf", MEANS(WF_F32, .promotion = WF_PROMOTE_TORCH), WF_I32, .lists = true,
                  .dtype_names = en_dtype_plain_names, .dtype_format = "tf.%s",
                  .shape_error = C_ValueError, .type_error = C_TypeError,
                  .value_error = C_ValueError},
    [FRONT_AESARA] = {"_aesara", MEANS(WF_F64, .promotion = WF_PROMOTE_NUMPY), WF_I64, .lists = true,
                      .dtype_names = en_dtype_plain_names, .dtype_format = "%s",
                      .shape_error = C_ValueError, .type_error = C_TypeError,
                      .value_error = C_ValueError},
};

Engine *engine_of(Vm *vm)
{
    Engine *g = vm->engine;

    if (g)
        return g;
    if (!(g = sc_alloc(vm, sizeof *g)))
        return NULL;
    memset(g, 0, sizeof *g);
    g->vm = vm;
    g->host = vm->cx->semantics;
    g->host_place = vm->cx->tensors ? vm->cx->tensors->place : NOWHERE;
    for (int i = 0; i < FRONT_COUNT; i++) {
        g->front[i] = fronts[i];
        g->front[i].engine = g;
    }
    vm->engine = g;
    g->tensor = sc_class_native(vm, &en_tensor_def, vm->cls[C_object]);
    g->dtype = g->tensor ? sc_class_native(vm, &en_dtype_def, vm->cls[C_object]) : NULL;
    g->program = g->dtype ? sc_class_native(vm, &en_program_def, vm->cls[C_object]) : NULL;
    g->record = g->program ? sc_class_native(vm, &en_record_def, vm->cls[C_object]) : NULL;
    g->slot = g->record ? sc_class_native(vm, &slot_def, vm->cls[C_object]) : NULL;
    g->size = g->slot ? sc_class_native(vm, &en_size_def, vm->cls[C_object]) : NULL;
    g->dispatch = g->size ? sc_class_native(vm, &dispatch_def, vm->cls[C_object]) : NULL;
    g->replay = g->dispatch ? sc_class_native(vm, &en_replay_def, vm->cls[C_object]) : NULL;
    vm->replay = en_replay;
    if (!g->replay || !ts(vm->cx)) {
        engine_free(vm);
        return NULL;
    }
    for (int i = 0; i < FRONT_COUNT; i++)
        g->front[i].cls = gc_ref(g->tensor);
    return g;
}

/* Before the objects of the vm go: gives back what it holds of them. Native classes, which
 * objects do not count, stay to the end. */
void engine_free(Vm *vm)
{
    Engine *g = vm->engine;

    if (!g)
        return;
    hosts_end(vm);
    vm->cx->semantics = g->host;
    if (vm->cx->tensors)
        vm->cx->tensors->place = g->host_place;
    sc_drop(vm, g->drawer);
    g->drawer = NIL;
    engine_composed_free(vm);
    effects_end(vm);
    engine_world_free(g, failed(vm->cx) ? vm->cx->error.text : NULL);
    for (int i = 0; i < FRONT_COUNT; i++) {
        for (int d = 0; d < WF_DTYPE_COUNT; d++)
            if (g->front[i].dtypes[d])
                obj_drop(vm, g->front[i].dtypes[d]);
        if (g->front[i].cls && g->front[i].cls->script)
            obj_drop(vm, g->front[i].cls);
        if (g->front[i].shape_cls)
            obj_drop(vm, g->front[i].shape_cls);
        for (int d = 0; d < WF_DTYPE_COUNT; d++)
            if (g->front[i].scalar_cls[d])
                obj_drop(vm, g->front[i].scalar_cls[d]);
        sc_drop(vm, g->front[i].error_text);
        sc_drop(vm, g->front[i].watcher);
        wf_generator_free(g->front[i].generator);
    }
    vm->engine = NULL;
    sc_free(vm, g, sizeof *g);
}

/* ---- a call ------------------------------------------------------------------------ */

bool en_place_now(Vm *vm, Place *out)
{
    if (vm->engine && vm->engine->place.line) {
        *out = vm->engine->place;
        return true;
    }
    for (const VmFrame *f = vm->frame; f; f = f->back)
        if (!f->code->unit->hidden) {
            const CodePos *p = &f->code->pos[f->pc - f->code->ins - 1];

            *out = (Place){.file = f->code->unit->file, .line = p->line, .col = p->col,
                           .len = p->len};
            return true;
        }
    *out = NOWHERE;
    return false;
}

En en_begin_front(Vm *vm, Front *f)
{
    en_place_now(vm, &vm->cx->tensors->place);
    vm->cx->semantics = &f->means;
    scope_open(vm->cx);
    return (En){.vm = vm, .c = vm->cx, .f = f};
}

En en_begin(Vm *vm, const Args *a)
{
    En e = en_begin_front(vm, a->user);

    e.label = a->def ? a->def->name : NULL;
    e.anywhere = e.f->one_device;
    if (e.f->casts)
        e.cast = autocast_row(e.label);
    return e;
}

void *en_alloc(En *e, size_t size)
{
    void *p = NULL;

    if (e->nmem == COUNT(e->mem))
        sc_raise(e->vm, C_RuntimeError, "a native call holds too many blocks");
    else
        p = sc_alloc(e->vm, size ? size : 1);
    if (!p)
        return NULL;
    e->mem[e->nmem] = p;
    e->size[e->nmem++] = size ? size : 1;
    return p;
}

void en_free(En *e)
{
    while (e->nmem > 0) {
        e->nmem--;
        sc_free(e->vm, e->mem[e->nmem], e->size[e->nmem]);
    }
}

void en_close(En *e, const wf_tensor *keep, int n)
{
    scope_close_n(e->c, keep, n);
    en_free(e);
}

static void done(En *e) { en_close(e, NULL, 0); }

/* The kind of exception a library raises for a status. */
bool en_raise(En *e)
{
    wf_ctx *c = e->c;
    wf_status s = c->status;
    Place from = s == WF_ERR_NORULE ? c->error.place : NOWHERE;
    char text[600], file[512];
    const char *at;
    Value arg[2], r = NIL;
    KnownClass k;

    if (s == WF_OK)
        return false;
    if (sc_failed(e->vm)) { /* the exception came first, inside a callback */
        wf_clear(c);
        return false;
    }
    /* A rule of the script for reverse mode alone met forward mode, or a loop without end reverse mode: the library has words for that. */
    if (s == WF_ERR_NORULE && e->f->error_text.tag != T_NIL && c->error.text &&
        (!strncmp(c->error.text, "custom_lin:", 11) || (e->f == &e->vm->engine->front[FRONT_JAX] && strstr(c->error.text, "while loop of unknown length"))))
        s = WF_ERR_TYPE;
    if (s != WF_ERR_SHAPE && s != WF_ERR_TYPE && s != WF_ERR_VALUE && s != WF_ERR_ARG &&
        s != WF_ERR_INDEX && s != WF_ERR_UNSUPPORTED) {
        sc_raise_ctx(e->vm);
        return false;
    }
    k = c->error.kind && !strcmp(c->error.kind, "RuntimeError") ? C_RuntimeError
        : s == WF_ERR_SHAPE ? e->f->shape_error
        : s == WF_ERR_INDEX ? C_IndexError
        : s == WF_ERR_UNSUPPORTED ? C_NotImplementedError
        : s == WF_ERR_TYPE ? e->f->type_error
                           : e->f->value_error;
    snprintf(text, sizeof text, "%s", c->error.text ? c->error.text : "");
    snprintf(file, sizeof file, "%s", from.file ? from.file : "");
    from.file = file[0] ? file : NULL;
    wf_clear(c);
    /* names of the C interface mean nothing to a script */
    at = strncmp(text, "wf_", 3) ? text : text + 3;
    if (e->f->error_text.tag == T_NIL)
        return sc_fail(e->vm, k, "%s", at);
    arg[0] = v_obj(sc_str(e->vm, at));
    arg[1] = v_obj(sc_str(e->vm, e->label ? e->label : ""));
    if (arg[0].tag != T_NIL && arg[1].tag != T_NIL)
        r = sc_call(e->vm, e->f->error_text, arg, 2);
    sc_drop(e->vm, arg[0]);
    sc_drop(e->vm, arg[1]);
    if (sc_is(e->vm, r, C_str))
        sc_raise_value(e->vm, k, r);
    else if (r.tag == T_OBJ)
        sc_set_exc(e->vm, r, NIL);
    sc_place_first(e->vm, from);
    sc_drop(e->vm, r);
    return false;
}

Value en_fail(En *e)
{
    if (failed(e->c))
        en_raise(e);
    done(e);
    return NIL;
}

/* x is what t stands for. */
static Value box_known(En *e, wf_tensor t, Tensor *x, Class *cls)
{
    TensorObj *o;

    if (x && !x->symbolic && (e->f->home || e->f->stays)) {
        t = en_at_home(e, t);
        x = tensor_get(e->c, t, "box");
    }
    if (x && x->node && e->f == &e->f->engine->front[FRONT_NUMPY]) { /* arrays have no history */
        t = wf_detach(e->c, t);
        x = tensor_get(e->c, t, "box");
    }
    if (!x) { /* it failed before this, or on the way home */
        en_raise(e);
        return NIL;
    }
    if (e->f->lies && !x->layout && !x->symbolic)
        x->layout = e->f->lies;
    o = sc_gc_new(e->vm, cls, sizeof *o);
    if (!o)
        return NIL;
    if (x->node && x->node->prim && !x->node->label)
        x->node->label = e->label;
    o->t = tensor_keep(e->c, t);
    o->front = e->f;
    o->anywhere = e->anywhere && !x->symbolic && tensor_is_here(x);
    return v_obj(o);
}

Value en_box_as(En *e, wf_tensor t, Class *cls)
{
    return box_known(e, t, tensor_get(e->c, t, "box"), cls);
}

/* False: x has a NaN or an infinity that is watched for, and FloatingPointError is raised. */
static bool passes_watch(En *e, wf_tensor x)
{
    static wf_tensor (*const is[2])(wf_ctx *, wf_tensor) = {wf_is_nan, wf_is_inf};
    bool on[2] = {e->f->watch_nan, e->f->watch_inf};

    if (!tensor_has_numbers(e->c, x) || !dtype_is_inexact(wf_dtype_of(e->c, x)))
        return true;
    for (int i = 0; i < 2 && !failed(e->c); i++)
        if (on[i] && wf_item(e->c, wf_any(e->c, is[i](e->c, wf_detach(e->c, x)), NULL, 0, false)) != 0)
            return sc_fail(e->vm, C_FloatingPointError, "invalid value (%s) encountered in %s", i ? "inf" : "nan",
                           e->label ? e->label : "a function");
    return !failed(e->c);
}

Value en_box(En *e, wf_tensor t)
{
    Tensor *x = tensor_get(e->c, t, "result");
    Class *k = x && x->rank == 0 && !x->symbolic ? e->f->scalar_cls[x->dtype] : NULL;

    if (k && x->root) { /* a scalar has memory of its own: it does not follow the array */
        t = wf_copy(e->c, t);
        x = tensor_get(e->c, t, "result");
    }
    if ((e->f->watch_nan || e->f->watch_inf) && !failed(e->c) && !passes_watch(e, t)) {
        en_raise(e);
        return NIL;
    }
    return box_known(e, t, x, k ? k : e->f->cls);
}

bool is_scalar(Vm *vm, Value v)
{
    Class *k = is_tensor(vm, v)
                   ? as_tensor(v)->front->scalar_cls[wf_dtype_of(vm->cx, as_tensor(v)->t)]
                   : NULL;

    return k && sc_is_subclass(v.o->cls, k);
}

bool engine_poses_as(Vm *vm, Value v, const Class *c)
{
    if (c == vm->cls[C_complex])
        return is_scalar(vm, v) && wf_dtype_of(vm->cx, as_tensor(v)->t) == WF_C128;
    return c == vm->cls[C_float] && is_scalar(vm, v) &&
           wf_dtype_of(vm->cx, as_tensor(v)->t) == WF_F64;
}

Value en_end(En *e, wf_tensor t)
{
    Value v = en_box(e, t);

    done(e);
    return v;
}

Value en_end_tuple(En *e, const wf_tensor *t, int n)
{
    Tuple *r = failed(e->c) ? NULL : sc_tuple(e->vm, n);

    for (int i = 0; r && i < n; i++)
        if ((r->v[i] = en_box(e, t[i])).tag == T_NIL) {
            obj_drop(e->vm, r);
            r = NULL;
        }
    return r ? en_end_value(e, v_obj(r)) : en_fail(e);
}

Value en_end_list(En *e, const wf_tensor *t, int n)
{
    List *r = failed(e->c) ? NULL : sc_list(e->vm, n);

    for (int i = 0; r && i < n; i++)
        if ((r->v[i] = en_box(e, t[i])).tag == T_NIL) {
            obj_drop(e->vm, r);
            r = NULL;
        }
    return r ? en_end_value(e, v_obj(r)) : en_fail(e);
}

Value en_end_value(En *e, Value v)
{
    if (failed(e->c)) {
        en_raise(e);
        sc_drop(e->vm, v);
        v = NIL;
    }
    done(e);
    return v;
}

/* ---- values as arguments ----------------------------------------------------------- */

bool is_tensor(Vm *vm, Value v)
{
    return v.tag == T_OBJ && vm->engine && sc_is_subclass(v.o->cls, vm->engine->tensor);
}

/* What a class of the script offers instead of a tensor: __tensor__(), as variables and
 * parameters of some libraries do, JAX's __jax_array__() or NumPy's __array__(). */
static bool converted(En *e, Value v, wf_tensor *out)
{
    static const char *const names[] = {"__tensor__", "__jax_array__", "__array__"};
    Value f = NIL, r;
    bool ok = false;

    for (int i = 0; i < COUNT(names) && f.tag == T_NIL && v.tag == T_OBJ && !sc_failed(e->vm); i++) {
        Str *name = sc_intern(e->vm, names[i], strlen(names[i]));

        f = name ? sc_getattr_opt(e->vm, v, name) : NIL;
        if (name)
            obj_drop(e->vm, name);
        if (f.tag == T_NIL && sc_failed(e->vm) && sc_exc_is(e->vm, C_AttributeError))
            sc_clear_exc(e->vm); /* of a __getattr__ that has no such name */
    }
    if (f.tag == T_NIL)
        return false;
    r = sc_call(e->vm, f, NULL, 0);
    sc_drop(e->vm, f);
    if (is_tensor(e->vm, r)) { /* lives on with the scope */
        Tensor *t = tensor_get(e->c, as_tensor(r)->t, "tensor");

        *out = t ? tensor_handle(e->c, tensor_retain(t)) : WF_NONE;
        ok = t != NULL;
    }
    sc_drop(e->vm, r);
    return ok;
}

/* Host numbers: weak, and where 64-bit types are narrowed as wide as the front's own. */
static wf_tensor host_number(En *e, wf_dtype d, const void *bits)
{
    Tensor *t = failed(e->c) ? NULL : tensor_new(e->c, d, NULL, 0);

    if (!t)
        return WF_NONE;
    memcpy(tensor_data(t), bits, wf_dtype_size(d));
    t->weak = true;
    return tensor_handle(e->c, t);
}

static wf_tensor host_float(En *e, double x)
{
    float f = (float)x;

    return e->f->means.narrow ? host_number(e, WF_F32, &f) : wf_float(e->c, x);
}

static wf_tensor host_int(En *e, int64_t x)
{
    int32_t i = (int32_t)x;

    if (e->f->means.narrow && i != x) {
        sc_fail(e->vm, C_OverflowError, "Python int %lld too large to convert to int32", (long long)x);
        return WF_NONE;
    }
    return e->f->means.narrow ? host_number(e, WF_I32, &i) : wf_int(e->c, x);
}

static wf_tensor host_complex(En *e, double re, double im)
{
    float f[2] = {(float)re, (float)im};

    return e->f->means.narrow ? host_number(e, WF_C64, f) : wf_complex_number(e->c, re, im);
}

/* JAX's arrays never change: of an array of NumPy, which may, they have a copy. */
static bool is_foreign(const En *e, Value v)
{
    const Front *f = e->vm->engine->front;

    return e->f == &f[FRONT_JAX] && as_tensor(v)->front == &f[FRONT_NUMPY] &&
           !wf_is_symbolic(e->c, as_tensor(v)->t);
}

/* NumPy takes the numbers of JAX's arrays, and one that is traced or differentiated has none to give. */
static bool is_without_numbers(En *e, Value v)
{
    const Front *f = e->vm->engine->front;
    const Tensor *t;

    if (e->f != &f[FRONT_NUMPY] || as_tensor(v)->front != &f[FRONT_JAX])
        return false;
    t = tensor_get(e->c, as_tensor(v)->t, "array");
    return t && (t->symbolic || t->need & e->c->tensors->recorders);
}

/* Where JAX's arrays lie is nothing of an array of NumPy's. */
static wf_tensor lying_nowhere(En *e, wf_tensor x)
{
    Tensor *t = tensor_get(e->c, x, "array"), *a;

    if (!t || !t->layout || t->symbolic || tensor_is_parted(t) || !(a = tensor_alias(e->c, t)))
        return x;
    a->layout = 0;
    return tensor_handle(e->c, a);
}

bool en_tensor(En *e, Value v, wf_tensor *out)
{
    double re, im;
    uint64_t wide;

    e->taken++;
    switch (v.tag) {
    case T_FLOAT: *out = host_float(e, v.f); return true;
    case T_INT: *out = host_int(e, v.i); return !sc_failed(e->vm);
    case T_BOOL: *out = wf_bool(e->c, v.i != 0); return true;
    default: break;
    }
    if (is_tensor(e->vm, v)) {
        wf_dtype d = wf_dtype_of(e->c, *out = as_tensor(v)->t);

        if (is_without_numbers(e, v)) {
            tensor_fail(e->c, WF_ERR_TYPE, "numbers of a traced array: %s", shape_text(e->c, tensor_get(e->c, *out, "array")));
            return false;
        }
        /* an array that JAX made with x64 keeps its type without it */
        if (as_tensor(v)->front != e->f && en_narrow(e->f, d) != d)
            *out = wf_cast(e->c, *out, en_narrow(e->f, d));
        else if (is_foreign(e, v))
            *out = wf_copy(e->c, *out);
        if (e->c->tensors->nlayouts && as_tensor(v)->front != e->f && e->f == &e->vm->engine->front[FRONT_NUMPY])
            *out = lying_nowhere(e, *out);
        if (e->cast)
            *out = autocast_tensor(e, *out);
        return !e->f->one_device || en_same_device(e, v, *out);
    }
    if (sc_is_complex(e->vm, v, &re, &im)) {
        *out = host_complex(e, re, im);
        return true;
    }
    if (v.tag == T_OBJ && en_wide_int(e, v, &wide)) {
        *out = wf_from(e->c, WF_U64, NULL, 0, &wide);
        return true;
    }
    if (is_long(e->vm, v))
        return en_too_large(e, WF_INVALID, v);
    if (v.tag == T_OBJ && e->f->lists && (sc_is(e->vm, v, C_list) || sc_is(e->vm, v, C_tuple) || sc_is(e->vm, v, C_range))) {
        *out = en_tensor_from(e, v, WF_INVALID);
        return !failed(e->c) && !sc_failed(e->vm);
    }
    if (converted(e, v, out))
        return true;
    if (sc_failed(e->vm))
        return false;
    if (e->f == &e->vm->engine->front[FRONT_JAX]) { /* in its words */
        tensor_fail(e->c, WF_ERR_TYPE, "expected a tensor, got %s as operand %d", v.tag == T_NIL ? "nothing" : sc_type_name(e->vm, v),
                    e->taken - 1);
        return false;
    }
    return sc_fail(e->vm, C_TypeError, "expected a tensor, got %s",
                   v.tag == T_NIL ? "nothing" : sc_type_name(e->vm, v));
}

bool en_tensor_opt(En *e, Value v, wf_tensor *out)
{
    return LEFT_OUT(v) || en_tensor(e, v, out);
}

bool en_tensors(En *e, Value v, wf_tensor **out, int *n)
{
    Tuple *t;
    bool ok;

    if (is_tensor(e->vm, v))
        return sc_fail(e->vm, C_TypeError, "expected a list of tensors, got a tensor");
    t = sc_tuple_from(e->vm, v);
    if (!t)
        return false;
    *n = (int)t->n;
    *out = en_alloc(e, ((size_t)t->n + 1) * sizeof **out);
    ok = *out != NULL;
    for (int i = 0; ok && i < *n; i++)
        ok = en_tensor(e, t->v[i], &(*out)[i]);
    if (ok) /* the handles must outlive the tuple, which may own the last tensors */
        for (int i = 0; i < *n; i++) {
            Tensor *x = tensor_get(e->c, (*out)[i], "tensors");

            if (x)
                (*out)[i] = tensor_handle(e->c, tensor_retain(x));
        }
    obj_drop(e->vm, t);
    return ok;
}

bool en_int(En *e, Value v, int64_t *out)
{
    if (LEFT_OUT(v))
        return true;
    if (is_tensor(e->vm, v)) {
        if (dtype_is_inexact(wf_dtype_of(e->c, as_tensor(v)->t)))
            return sc_fail(e->vm, C_TypeError,
                           "only integer tensors of a single element can be converted to an index");
        *out = wf_item_int(e->c, as_tensor(v)->t);
        return failed(e->c) ? en_raise(e) : true;
    }
    return sc_to_int(e->vm, v, out);
}

bool en_float(En *e, Value v, double *out)
{
    if (LEFT_OUT(v))
        return true;
    if (is_tensor(e->vm, v)) {
        *out = wf_item(e->c, as_tensor(v)->t);
        return failed(e->c) ? en_raise(e) : true;
    }
    return sc_to_double(e->vm, v, out);
}

bool en_bool(En *e, Value v, bool *out)
{
    return LEFT_OUT(v) || sc_to_bool(e->vm, v, out);
}

bool en_str(En *e, Value v, const char **out)
{
    if (LEFT_OUT(v))
        return true;
    *out = sc_to_cstr(e->vm, v, "a string");
    return *out != NULL;
}

bool en_ints(En *e, Value v, int64_t *out, int *n, int room)
{
    Tuple *t;
    bool ok = true;

    if (LEFT_OUT(v))
        return true;
    if (v.tag == T_INT || v.tag == T_BOOL || is_tensor(e->vm, v)) {
        if (!is_tensor(e->vm, v) || wf_rank(e->c, as_tensor(v)->t) == 0) {
            *n = 1;
            return en_int(e, v, out);
        }
    }
    t = sc_tuple_from(e->vm, v);
    if (!t)
        return false;
    if (t->n > room)
        ok = sc_fail(e->vm, C_ValueError, "%lld numbers where at most %d can stand",
                     (long long)t->n, room);
    for (int64_t i = 0; ok && i < t->n; i++)
        ok = LEFT_OUT(t->v[i]) ? sc_fail(e->vm, C_TypeError, "expected an int, got None")
                               : en_int(e, t->v[i], &out[i]);
    *n = (int)t->n;
    obj_drop(e->vm, t);
    return ok;
}

bool en_all_ints(En *e, Value v, int64_t **out, int *n)
{
    Value one = v;
    Tuple *t = NULL;
    bool ok;

    if (v.tag == T_OBJ && !is_tensor(e->vm, v)) { /* once, so that an iterator is read once */
        if (!(t = sc_tuple_from(e->vm, v)))
            return false;
        one = v_obj(t);
    }
    *n = 0;
    ok = (!t || t->n < INT32_MAX) &&
         (*out = en_alloc(e, (t ? (size_t)t->n : 1) * sizeof **out)) != NULL &&
         en_ints(e, one, *out, n, t ? (int)t->n : 1);
    if (t)
        obj_drop(e->vm, t);
    return ok;
}

/* torch.exp(input=x), torch.pow(x, exponent=2): natives are shared, and call their tensors x and y. */
const char *engine_keyword(const Vm *vm, const void *user, const char *name)
{
    static const char *const names[][2] = {{"input", "x"}, {"other", "y"}, {"exponent", "y"}, {"weight", "w"}};

    for (int i = 0; vm->engine && user == &vm->engine->front[FRONT_TORCH] && i < COUNT(names); i++)
        if (!strcmp(names[i][0], name))
            return names[i][1];
    return NULL;
}

bool en_alike(En *e, const char *what, wf_tensor x, wf_tensor y)
{
    wf_dtype a = wf_dtype_of(e->c, x), b = wf_dtype_of(e->c, y);

    if (a == b || e->f != &e->vm->engine->front[FRONT_TORCH])
        return true;
    tensor_fail(e->c, WF_ERR_TYPE, "%s: dtypes %s and %s differ", what, wf_dtype_name(a), wf_dtype_name(b));
    return false;
}

bool en_axes(En *e, Value v, int *out, int *n)
{
    int64_t wide[WF_MAX_RANK];

    if (!en_ints(e, v, wide, n, WF_MAX_RANK))
        return false;
    for (int i = 0; !LEFT_OUT(v) && i < *n; i++)
        out[i] = (int)(wide[i] < -1000 ? -1000 : wide[i] > 1000 ? 1000 : wide[i]);
    return true;
}

/* One size: a number, a symbol, or -1 for the size that makes the count right. */
static bool one_size(En *e, Value v, int64_t *out)
{
    if (is_size(e->vm, v)) {
        *out = en_size_dim(v);
        return true;
    }
    if (LEFT_OUT(v))
        return sc_fail(e->vm, C_TypeError, "expected a size, got None");
    if (is_tensor(e->vm, v) && wf_is_symbolic(e->c, as_tensor(v)->t)) {
        Dim size;

        if (!tensor_measure(e->c, as_tensor(v)->t, true, out, &size))
            return en_raise(e);
        if (size != DIM_NONE) {
            *out = size;
            return true;
        }
    } else if (!en_int(e, v, out)) {
        return false;
    }
    if (*out < -1)
        return sc_fail(e->vm, e->f->value_error, "%lld is not a size", (long long)*out);
    if (*out == -1)
        *out = WF_INFER;
    return true;
}

bool en_size(En *e, Value v, int64_t *out)
{
    if (LEFT_OUT(v))
        return true;
    if (!hinted_trace(e->c) && (is_size(e->vm, v) || is_tensor(e->vm, v)))
        return one_size(e, v, out);
    return en_int(e, v, out);
}

bool en_shape(En *e, Value v, int64_t *dims, int *rank)
{
    Tuple *t;
    bool ok = true;

    *rank = 0;
    if (LEFT_OUT(v))
        return true;
    if (v.tag == T_INT || v.tag == T_BOOL || is_size(e->vm, v) ||
        (is_tensor(e->vm, v) && wf_rank(e->c, as_tensor(v)->t) == 0)) {
        *rank = 1;
        return one_size(e, v, dims);
    }
    if (!(t = sc_tuple_from(e->vm, v)))
        return false;
    if (t->n > WF_MAX_RANK)
        ok = sc_fail(e->vm, C_ValueError, "a shape of %lld axes; there can be %d",
                     (long long)t->n, WF_MAX_RANK);
    for (int64_t i = 0; ok && i < t->n; i++)
        ok = one_size(e, t->v[i], &dims[i]);
    *rank = (int)t->n;
    obj_drop(e->vm, t);
    return ok;
}

/* ---- the tensor class -------------------------------------------------------------- */

/* Let go of the tensor, which may have o for its face. */
static void leave_tensor(Vm *vm, TensorObj *o)
{
    if (o->is_face && !wf_is_none(o->t)) {
        Tensor *x = tensor_get(vm->cx, o->t, "destroy");

        if (x && x->face == o)
            x->face = NULL;
    }
    o->is_face = false;
    if (!wf_is_none(o->t))
        wf_drop(vm->cx, o->t);
    o->t = WF_NONE;
}

static void tensor_destroy(Vm *vm, Obj *o)
{
    TensorObj *t = (TensorObj *)(void *)o;

    leave_tensor(vm, t);
    if (t->attrs)
        obj_drop(vm, t->attrs);
    t->attrs = NULL;
}

static void tensor_visit(Obj *o, VisitFn fn, void *user)
{
    if (((TensorObj *)(void *)o)->attrs)
        fn(v_obj(((TensorObj *)(void *)o)->attrs), user);
}

static bool tensor_hash(Vm *vm, Value self, uint64_t *out)
{
    wf_tensor t = as_tensor(self)->t;

    if (is_scalar(vm, self) && dtype_is_complex(wf_dtype_of(vm->cx, t)))
        return en_tensor_hash_complex(vm, t, out);
    if (is_scalar(vm, self)) /* as the number it is */
        return sc_hash(vm, dtype_is_float(dtype_wide(wf_dtype_of(vm->cx, t)))
                               ? v_float(wf_item(vm->cx, t))
                               : v_int(wf_item_int(vm->cx, t)),
                       out);
    *out = (uint64_t)(uintptr_t)self.o >> 4;
    return true;
}

/* Until its __init__ a tensor is none of any library; what reads it finds an error. */
static void tensor_fresh(Vm *vm, Obj *o)
{
    ((TensorObj *)(void *)o)->t = WF_NONE;
    ((TensorObj *)(void *)o)->front = &vm->engine->front[FRONT_TORCH];
}

/* Tensor(x): the same tensor in another class, as nn.Parameter makes of one. */
static bool tensor_init(Vm *vm, Value self, const Args *a)
{
    TensorObj *o = as_tensor(self);
    Engine *g = engine_of(vm);
    En e;
    wf_tensor t;

    if (!g)
        return false;
    o->front = &g->front[FRONT_TORCH];
    for (int i = 0; i < FRONT_COUNT; i++)
        if (sc_is_subclass(self.o->cls, g->front[i].cls) && g->front[i].cls != g->tensor)
            o->front = &g->front[i];
    e = en_begin_front(vm, o->front);
    if (is_tensor(vm, a->v[0]))
        t = as_tensor(a->v[0])->t;
    else
        t = en_tensor_from(&e, a->v[0], WF_INVALID);
    if (sc_failed(vm) || failed(e.c)) {
        en_fail(&e);
        return false;
    }
    t = wf_keep(e.c, t);
    leave_tensor(vm, o);
    o->t = t;
    return en_end_value(&e, NONE).tag != T_NIL;
}

const ClassDef en_tensor_def = {
    .name = "Tensor", .size = sizeof(TensorObj), .attrs_at = offsetof(TensorObj, attrs),
    .init = tensor_init, .init_params = "data", .fresh = tensor_fresh, .destroy = tensor_destroy,
    .visit = tensor_visit, .hash = tensor_hash, .binary = en_tensor_binary,
    .unary = en_tensor_unary, .compare = en_tensor_compare, .getitem = en_tensor_getitem,
    .setitem = en_tensor_setitem, .truth = en_tensor_truth, .iter = en_tensor_iter,
    .len = en_tensor_len, .methods = en_tensor_methods, .properties = en_tensor_properties,
};

/* ---- the modules ------------------------------------------------------------------- */

static bool open_table(Vm *vm, ScModule *m, const NativeDef *defs, Front *f)
{
    for (; defs->name; defs++) {
        Native *n = sc_native_fn(vm, defs, NIL, f);

        if (!n || !sc_module_set(vm, m, defs->name, v_obj(n)))
            return false;
    }
    return true;
}

bool engine_open(Vm *vm, ScModule *m)
{
    Engine *g = engine_of(vm);
    Front *f = NULL;

    for (int i = 0; g && i < FRONT_COUNT; i++)
        f = !strcmp(g->front[i].module, m->name->s) ? &g->front[i] : f;
    if (!f)
        return false;
    for (int d = 1; d < WF_DTYPE_COUNT; d++)
        if (en_dtype_plain_names[d]) {
            char name[24];

            snprintf(name, sizeof name, "%s%s", en_dtype_plain_names[d], d == WF_BOOL ? "_" : "");
            if (!sc_module_set(vm, m, name, en_dtype_box(vm, f, (wf_dtype)d)))
                return false;
        }
    if ((f == &g->front[FRONT_NUMPY] && !sc_module_class(vm, m, &rng_def, NULL, NULL)) ||
        (f == &g->front[FRONT_TF] && (!open_table(vm, m, engine_random_tf, f) || !open_table(vm, m, engine_files_tf, f))))
        return false;
    if (f == &g->front[FRONT_TORCH] &&
        (!sc_module_class(vm, m, &en_torch_generator_def, NULL, NULL) ||
         !sc_module_class(vm, m, &en_no_grad_def, NULL, NULL) || !sc_module_class(vm, m, &en_enable_grad_def, NULL, NULL) || !engine_open_devices(vm, m) ||
         !open_table(vm, m, engine_random_torch, f) || !open_table(vm, m, engine_hosts, f) ||
         !open_table(vm, m, engine_files, f)))
        return false;
    return sc_module_set(vm, m, "Tensor", v_obj(gc_ref(g->tensor))) &&
           sc_module_set(vm, m, "dtype", v_obj(gc_ref(g->dtype))) &&
           sc_module_set(vm, m, "Program", v_obj(gc_ref(g->program))) &&
           sc_module_set(vm, m, "Dispatch", v_obj(gc_ref(g->dispatch))) &&
           sc_module_set(vm, m, "Slot", v_obj(gc_ref(g->slot))) &&
           open_table(vm, m, engine_functions, f) && open_table(vm, m, engine_shape, f) &&
           open_table(vm, m, engine_nn, f) && open_table(vm, m, engine_state, f) && open_table(vm, m, engine_optimise, f) && open_table(vm, m, engine_devices, f) && open_table(vm, m, engine_world, f) && open_table(vm, m, engine_create, f) &&
           open_table(vm, m, engine_programs, f) && open_table(vm, m, engine_stage, f) &&
           open_table(vm, m, engine_autocast, f) && open_table(vm, m, engine_graphs, f) && open_table(vm, m, engine_control, f) && open_table(vm, m, engine_effects, f) &&
           open_table(vm, m, engine_keys, f) && open_table(vm, m, engine_equations, f);
}

const ModuleDef engine_modules[] = {
    {"_torch", engine_open}, {"_jax", engine_open}, {"_numpy", engine_open},
    {"_tf", engine_open},    {"_aesara", engine_open}, {"_syntax", syntax_open}, {0},
};
