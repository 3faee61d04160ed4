/* functions_state.c -- natives that are one tensor function each: writing, histories, and what a front is told. */
#include "script/engine/engine.h"

/* ---- writing, histories ------------------------------------------------------------ */

static Value n_write(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, v;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &v))
        return en_fail(&e);
    wf_write(e.c, x, v);
    return en_end_value(&e, sc_ref(a->v[0]));
}

/* v is the object by which its tensor is known, unless there is one. */
static void set_face(En *e, Value v)
{
    Tensor *t = is_tensor(e->vm, v) ? tensor_get(e->c, as_tensor(v)->t, "face") : NULL;

    if (!t)
        return;
    as_tensor(v)->is_face = true;
    if (!t->symbolic && !t->face)
        t->face = v.o;
}

static Value n_requires_grad(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    bool on = true;
    wf_tensor x;

    if (!en_tensor(&e, a->v[0], &x) || !en_bool(&e, a->v[1], &on))
        return en_fail(&e);
    wf_requires_grad(e.c, x, on);
    if (on && !failed(e.c))
        set_face(&e, a->v[0]);
    return en_end_value(&e, sc_ref(a->v[0]));
}

static Value n_grad_of(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, g;
    Tensor *t;
    Value v;

    if (!en_tensor(&e, a->v[0], &x))
        return en_fail(&e);
    g = wf_grad_of(e.c, x);
    if (wf_is_none(g))
        return en_end_value(&e, NONE);
    t = tensor_get(e.c, g, "grad_of");
    if (t && t->face)
        return en_end_value(&e, sc_ref(v_obj(t->face)));
    v = en_end(&e, g);
    if (is_tensor(vm, v))
        set_face(&e, v);
    return v;
}

static Value n_set_grad(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, g = WF_NONE;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor_opt(&e, a->v[1], &g))
        return en_fail(&e);
    wf_set_grad(e.c, x, g);
    if (!failed(e.c) && !wf_is_none(g))
        set_face(&e, a->v[1]);
    return en_end_value(&e, NONE);
}

/* add_grad(x, g, create): g goes into the gradient that x has, or becomes it; create: derivatives of the sum may be asked for */
static Value n_add_grad(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, g;
    bool create;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &g) || !en_bool(&e, a->v[2], &create))
        return en_fail(&e);
    grad_accumulate(e.c, x, g, create ? WF_GRAD_CREATE : 0u);
    return en_end_value(&e, NONE);
}

/* backward(y, gy=None, keep=False, create=False) */
static Value n_backward(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor y, gy = WF_NONE;
    bool keep = false, create = false;

    if (!en_tensor(&e, a->v[0], &y) || !en_tensor_opt(&e, a->v[1], &gy) ||
        !en_bool(&e, a->v[2], &keep) || !en_bool(&e, a->v[3], &create))
        return en_fail(&e);
    wf_backward(e.c, y, gy, (keep ? WF_GRAD_KEEP : 0u) | (create ? WF_GRAD_CREATE : 0u));
    return en_end_value(&e, NONE);
}

/* What a question about a tensor gives: has_history, is_leaf, is_symbolic, is_weak, version ... */
static Value n_about(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    const char *what = "";
    wf_tensor x;
    Tensor *t;
    Value v = NONE;

    if (!en_tensor(&e, a->v[0], &x) || !en_str(&e, a->v[1], &what))
        return en_fail(&e);
    if (!strcmp(what, "requires_grad"))
        v = v_bool(wf_has_grad_history(e.c, x));
    else if (!strcmp(what, "leaf"))
        v = v_bool(wf_is_leaf(e.c, x));
    else if (!strcmp(what, "symbolic"))
        v = v_bool(wf_is_symbolic(e.c, x));
    else if (!strcmp(what, "weak"))
        v = v_bool(wf_is_weak(e.c, x));
    else if (!strcmp(what, "version"))
        v = v_int(wf_write_count(e.c, x));
    else if (!strcmp(what, "op") && (t = tensor_get(e.c, x, "about")) != NULL)
        v = v_obj(sc_str(vm, t->node && t->node->label ? t->node->label
                                                       : wf_history_op(e.c, x)));
    else if (!strcmp(what, "named") && (t = tensor_get(e.c, x, "about")) != NULL) /* its last step, by a function of the script */
        v = v_bool(!t->node || t->node->label);
    else if (!strcmp(what, "step") && (t = tensor_get(e.c, x, "about")) != NULL) /* which step made it */
        v = v_int((int64_t)(uintptr_t)t->node);
    else if (!strcmp(what, "serial") && (t = tensor_get(e.c, x, "about")) != NULL) /* by which steps are in order */
        v = v_int(t->node ? (int64_t)t->node->serial : 0);
    else if (!strcmp(what, "need") && (t = tensor_get(e.c, x, "about")) != NULL)
        v = v_int((int64_t)t->need);
    else if (!strcmp(what, "packed") && (t = tensor_get(e.c, x, "about")) != NULL)
        v = v_bool(t->symbolic ? view_is_packed(e.c, t) : t->packed);
    else if (!strcmp(what, "followed") && (t = tensor_get(e.c, x, "about")) != NULL) /* is a derivative being taken by it? */
        v = v_bool(tensor_is_followed(e.c, t));
    else if (!strcmp(what, "inference") && (t = tensor_get(e.c, x, "about")) != NULL)
        v = v_bool(t->store && t->store->inference);
    else if (!strcmp(what, "locked") && (t = tensor_get(e.c, x, "about")) != NULL)
        v = v_bool(t->locked);
    else if (!strcmp(what, "offset") && (t = tensor_get(e.c, x, "about")) != NULL)
        v = v_int(t->symbolic ? 0 : t->offset);
    else if (!strcmp(what, "address") && (t = tensor_get(e.c, x, "about")) != NULL)
        v = v_int(t->symbolic ? 0 : (int64_t)(uintptr_t)tensor_data(t));
    else if (!strcmp(what, "memory") && (t = tensor_get(e.c, x, "about")) != NULL) /* bytes, of all that it is a view of */
        v = v_int((t->root ? t->root : t)->count * (int64_t)wf_dtype_size((wf_dtype)(t->root ? t->root : t)->dtype));
    else if (!strcmp(what, "view") && (t = tensor_get(e.c, x, "about")) != NULL)
        v = v_bool(t->root || t->base);
    else if (!strcmp(what, "level") && (t = tensor_get(e.c, x, "about")) != NULL)
        v = t->symbolic ? v_int((int64_t)t->trace) : NONE; /* as trace_level counts */
    else if (!strcmp(what, "count"))
        v = en_dim(vm, e.f, wf_count(e.c, x));
    else
        sc_fail(vm, C_ValueError, "about: '%s' is not a question", what);
    return v.tag == T_NIL || sc_failed(vm) ? en_fail(&e) : en_end_value(&e, v);
}

/* strides(x): a tuple, in elements */
static Value n_strides(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    Tensor *t;
    Tuple *r = NULL;
    int64_t step = 1;

    if (en_tensor(&e, a->v[0], &x) && (t = tensor_get(e.c, x, "strides")) != NULL &&
        (r = sc_tuple(vm, t->rank)) != NULL)
        for (int i = t->rank; i-- > 0;) {
            r->v[i] = v_int(t->symbolic ? step : t->strides[i]);
            step *= t->dims[i] > 0 ? t->dims[i] : 1;
        }
    return r ? en_end_value(&e, v_obj(r)) : en_fail(&e);
}

/* label(x, name): what the last step of x's history is called */
static Value n_label(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    const char *name = NULL;
    wf_tensor x;
    Tensor *t;

    if (!en_tensor(&e, a->v[0], &x) || !en_str(&e, a->v[1], &name) ||
        !(t = tensor_get(e.c, x, "label")))
        return en_fail(&e);
    if (name && t->node && t->node->prim && !(name = sc_vm_intern(vm, name, strlen(name))))
        return en_fail(&e);
    if (t->node && t->node->prim && !e.c->tensors->no_grad) /* else the step is an older one */
        t->node->label = name;
    return en_end_value(&e, sc_ref(a->v[0]));
}

/* same(x, y): are they one tensor, whatever objects hold it? */
static Value n_same(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, y;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &y))
        return en_fail(&e);
    return en_end_value(&e, v_bool(tensor_get(e.c, x, "same") == tensor_get(e.c, y, "same")));
}

/* set_data(x, y): x holds the memory of y from now on; its gradient and history stay */
static Value n_set_data(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, y;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &y))
        return en_fail(&e);
    tensor_set_data(e.c, x, y);
    return en_end_value(&e, NONE);
}

/* rebind(x, y): the object x stands for the array y from now on; what was made of x before stays as it was */
static Value n_rebind(Vm *vm, const Args *a)
{
    En e;
    wf_tensor x, y, old = WF_NONE;

    if (!is_tensor(vm, a->v[0]))
        return sc_raise(vm, C_TypeError, "rebind: needs an array");
    e = en_begin(vm, a);
    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &y))
        return en_fail(&e);
    if (!wf_is_none(y = wf_keep(e.c, y))) {
        old = as_tensor(a->v[0])->t;
        as_tensor(a->v[0])->t = y;
    }
    wf_drop(e.c, old);
    return en_end_value(&e, NONE);
}

/* lock(x, on): may x, and views made of it from now on, only be read? */
static Value n_lock(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    Tensor *t;

    if (!en_tensor(&e, a->v[0], &x))
        return en_fail(&e);
    if ((t = tensor_get(e.c, x, "lock")) != NULL)
        t->locked = sc_truth(vm, a->v[1]) > 0;
    return en_end_value(&e, sc_ref(a->v[0]));
}

/* set_error(fn): fn(text) gives an error as the library words it, or an exception */
static Value n_set_error(Vm *vm, const Args *a)
{
    Front *f = a->user;

    sc_put(vm, &f->error_text, sc_ref(a->v[0]));
    return NONE;
}

static Value n_set_watcher(Vm *vm, const Args *a)
{
    Front *f = a->user;

    sc_put(vm, &f->watcher, a->v[0].tag == T_NONE ? NIL : sc_ref(a->v[0]));
    return NONE;
}

static Value n_set_weak(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    bool weak = true;

    if (!en_tensor(&e, a->v[0], &x) || !en_bool(&e, a->v[1], &weak))
        return en_fail(&e);
    return en_end(&e, wf_set_weak(e.c, x, weak));
}

static Value n_shares_memory(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, y;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &y))
        return en_fail(&e);
    return en_end_value(&e, v_bool(wf_shares_memory(e.c, x, y)));
}

/* apart(x, values): none of the values is a tensor that may not be read while x is written */
static Value n_apart(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    const Tuple *t = (const Tuple *)(const void *)a->v[1].o;
    wf_tensor x;

    if (!sc_is(vm, a->v[1], C_tuple))
        sc_fail(vm, C_TypeError, "apart: needs a tuple");
    if (sc_failed(vm) || !en_tensor(&e, a->v[0], &x))
        return en_fail(&e);
    for (size_t i = 0; i < (size_t)t->n && !failed(e.c); i++)
        if (is_tensor(vm, t->v[i]))
            en_apart(&e, x, as_tensor(t->v[i])->t);
    return en_end_value(&e, NONE);
}

/* own(x, y): y, or a copy of it if it shares x's memory */
static Value n_own(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x, y;

    if (!en_tensor(&e, a->v[0], &x) || !en_tensor(&e, a->v[1], &y))
        return en_fail(&e);
    return en_end(&e, own_result_of(e.c, x, y));
}

static Value n_no_grad(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    bool on = true;

    if (!sc_to_bool(vm, a->v[0], &on))
        return en_fail(&e);
    if (on)
        wf_no_grad_begin(e.c);
    else
        wf_no_grad_end(e.c);
    return en_end_value(&e, NONE);
}

/* wrap(x): the same tensor in this front's class, sharing memory and history */
static Value n_wrap(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;

    return en_tensor(&e, a->v[0], &x) ? en_end(&e, x) : en_fail(&e);
}

/* set_class(cls): results of this front are of this class, a subclass of Tensor */
static Value n_set_class(Vm *vm, const Args *a)
{
    Front *f = a->user;
    Class *c = (Class *)(void *)a->v[0].o;

    if (!sc_is_class(a->v[0]) ||
        !sc_is_subclass(c, f->engine->tensor))
        return sc_raise(vm, C_TypeError, "set_class: needs a subclass of Tensor");
    obj_drop(vm, f->cls);
    f->cls = gc_ref(c);
    return NONE;
}

static Value n_set_shape_class(Vm *vm, const Args *a)
{
    Front *f = a->user;

    if (!sc_is_class(a->v[0]))
        return sc_raise(vm, C_TypeError, "set_shape_class: needs a class");
    if (f->shape_cls)
        obj_drop(vm, f->shape_cls);
    f->shape_cls = gc_ref((Class *)(void *)a->v[0].o);
    return NONE;
}

/* set_scalar_class(dtype, cls): results of rank 0 and that dtype are of this class */
static Value n_set_scalar_class(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_dtype d = WF_INVALID;
    Class *c = (Class *)(void *)a->v[1].o;

    if (!en_dtype(&e, a->v[0], &d))
        return en_fail(&e);
    if (!sc_is_class(a->v[1]) ||
        !sc_is_subclass(c, e.f->engine->tensor)) {
        sc_fail(vm, C_TypeError, "set_scalar_class: needs a subclass of Tensor");
        return en_fail(&e);
    }
    if (e.f->scalar_cls[d])
        obj_drop(vm, e.f->scalar_cls[d]);
    e.f->scalar_cls[d] = gc_ref(c);
    return en_end_value(&e, NONE);
}

/* array(x): x in the front's own class, also of rank 0 */
static Value n_array(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;

    if (!en_tensor(&e, a->v[0], &x))
        return en_fail(&e);
    return en_end_value(&e, en_box_as(&e, x, e.f->cls));
}

/* method(fn): a native that binds self when it is found in a class */
static Value n_method(Vm *vm, const Args *a)
{
    Front *f = a->user;
    Native *n = (Native *)(void *)a->v[0].o, *m;

    if (a->v[0].tag != T_OBJ || !sc_is(vm, a->v[0], C_builtin_function_or_method))
        return sc_raise(vm, C_TypeError, "method: needs a native function");
    m = sc_native_fn(vm, n->def, NIL, n->user);
    if (m)
        m->owner = f->engine->tensor;
    return v_obj(m);
}

/* set_float(dtype): the dtype of host floats; set_narrow(False): 64-bit types stay */
static Value n_set_float(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_dtype d = e.f->means.default_float;

    if (!en_dtype(&e, a->v[0], &d))
        return en_fail(&e);
    e.f->means.default_float = d;
    return en_end_value(&e, NONE);
}

static Value n_set_narrow(Vm *vm, const Args *a)
{
    Front *f = a->user;
    bool on;

    if (!sc_to_bool(vm, a->v[0], &on))
        return NIL;
    f->means.narrow = on;
    f->means.default_float = on ? WF_F32 : WF_F64;
    f->int_dtype = on ? WF_I32 : WF_I64;
    return NONE;
}

/* set_watch(nan, inf): results that have such an element are errors */
static Value n_set_watch(Vm *vm, const Args *a)
{
    Front *f = a->user;

    if (!sc_to_bool(vm, a->v[0], &f->watch_nan) || !sc_to_bool(vm, a->v[1], &f->watch_inf))
        return NIL;
    return NONE;
}

const NativeDef engine_state[] = {
    {"write", n_write, "x,v"},
    {"requires_grad", n_requires_grad, "x|on"},
    {"grad_of", n_grad_of, "x"},
    {"set_grad", n_set_grad, "x|grad"},
    {"add_grad", n_add_grad, "x,grad,create"},
    {"backward", n_backward, "y|gy,keep,create"},
    {"about", n_about, "x,what"},
    {"strides", n_strides, "x"},
    {"label", n_label, "x,name"},
    {"same", n_same, "x,y"},
    {"lock", n_lock, "x,on"},
    {"set_data", n_set_data, "x,y"},
    {"rebind", n_rebind, "x,y"},
    {"set_error", n_set_error, "fn"},
    {"set_watcher", n_set_watcher, "fn"},
    {"set_weak", n_set_weak, "x|weak"},
    {"shares_memory", n_shares_memory, "x,y"},
    {"apart", n_apart, "x,values"},
    {"own", n_own, "x,y"},
    {"no_grad", n_no_grad, "on"},
    {"wrap", n_wrap, "x"},
    {"set_class", n_set_class, "cls"},
    {"set_shape_class", n_set_shape_class, "cls"},
    {"set_scalar_class", n_set_scalar_class, "dtype,cls"},
    {"array", n_array, "x"},
    {"method", n_method, "fn"},
    {"set_float", n_set_float, "dtype"},
    {"set_narrow", n_set_narrow, "on"},
    {"set_watch", n_set_watch, "nan,inf"},
    {0},
};
