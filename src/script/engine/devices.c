/* devices.c -- natives of devices: which there are, where tensors are, bringing them elsewhere.
 *
 * Devices are numbers here, as the library has them: 0 is the host, -1 that of tensors without numbers. A front may have a home: what its natives give
 * and is on the host goes there (jax and tensorflow, whose arrays live on the first GPU).
 */
#include "script/engine/engine.h"

static wf_device *device_of(En *e, int64_t i)
{
    wf_device *d = NULL;

    if (i == -1)
        wf_device_find(e->c, "meta", &d);
    else if (i < 0 || i >= wf_device_count(e->c))
        sc_fail(e->vm, C_ValueError, "there is no device %lld", (long long)i);
    else
        wf_device_get(e->c, (int)i, &d);
    return d;
}

static Value n_device_count(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);

    return en_end_value(&e, v_int(wf_device_count(e.c) - 1));
}

static Value n_device_label(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    int64_t i = 0;
    wf_device *d;

    if (!en_int(&e, a->v[0], &i) || !(d = device_of(&e, i)))
        return en_fail(&e);
    return en_end_value(&e, v_obj(sc_str(vm, wf_device_label(d))));
}

/* (held, peak, free, total, reserved) */
static Value n_device_memory(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    int64_t i = 0;
    wf_device *d;
    wf_memory_stats s = {.size = sizeof s};
    Tuple *t;

    if (!en_int(&e, a->v[0], &i) || !(d = device_of(&e, i)) ||
        wf_device_memory(e.c, d, &s) != WF_OK || !(t = sc_tuple(vm, 5)))
        return en_fail(&e);
    t->v[0] = v_int((int64_t)s.held);
    t->v[1] = v_int((int64_t)s.peak);
    t->v[2] = v_int((int64_t)s.free);
    t->v[3] = v_int((int64_t)s.total);
    t->v[4] = v_int((int64_t)s.reserved);
    return en_end_value(&e, v_obj(t));
}

static Value on_device(Vm *vm, const Args *a, wf_status (*f)(wf_ctx *cx, wf_device *d))
{
    En e = en_begin(vm, a);
    int64_t i = 0;
    wf_device *d;

    if (!en_int(&e, a->v[0], &i) || !(d = device_of(&e, i)) || f(e.c, d) != WF_OK)
        return en_fail(&e);
    return en_end_value(&e, NONE);
}

static Value n_device_sync(Vm *vm, const Args *a) { return on_device(vm, a, wf_device_sync); }
static Value n_device_trim(Vm *vm, const Args *a) { return on_device(vm, a, wf_device_trim); }
static Value n_device_reset_peak(Vm *vm, const Args *a)
{
    return on_device(vm, a, wf_device_reset_peak);
}

/* ---- points in a queue ---- */

typedef struct Mark {
    wf_event *event; /* NULL: none was recorded */
} Mark;

static bool mark_init(Vm *vm, Value self, const Args *a)
{
    (void)a;
    return sc_native_new(vm, self, sizeof(Mark)) != NULL;
}

static void mark_free(Vm *vm, void *native)
{
    (void)vm;
    wf_event_free(((Mark *)native)->event);
}

static Mark *mark_of(Value v) { return ((Instance *)(void *)v.o)->native; }

static Value m_record(Vm *vm, const Args *a)
{
    En e = en_begin_front(vm, &vm->engine->front[FRONT_TORCH]);
    Mark *m = mark_of(a->v[0]);
    wf_event *event = NULL;
    int64_t i = 0;
    wf_device *d;

    if (!en_int(&e, a->v[1], &i) || !(d = device_of(&e, i)) ||
        wf_event_record(e.c, d, &event) != WF_OK)
        return en_fail(&e);
    wf_event_free(m->event);
    m->event = event;
    return en_end_value(&e, NONE);
}

static Value m_wait(Vm *vm, const Args *a)
{
    En e = en_begin_front(vm, &vm->engine->front[FRONT_TORCH]);
    Mark *m = mark_of(a->v[0]);

    if (m->event && wf_event_wait(e.c, m->event) != WF_OK)
        return en_fail(&e);
    return en_end_value(&e, NONE);
}

static Value m_reached(Vm *vm, const Args *a)
{
    Mark *m = mark_of(a->v[0]);

    (void)vm;
    return v_bool(!m->event || wf_event_reached(m->event));
}

/* Milliseconds to another; None: one of them was not recorded. */
static Value m_elapsed(Vm *vm, const Args *a)
{
    En e = en_begin_front(vm, &vm->engine->front[FRONT_TORCH]);
    Mark *m = mark_of(a->v[0]);
    Mark *to = a->v[1].tag == T_OBJ && a->v[1].o->cls->d.init == mark_init ? mark_of(a->v[1]) : NULL;
    double seconds = 0;

    if (!to || !m->event || !to->event)
        return en_end_value(&e, NONE);
    if (wf_event_seconds(e.c, m->event, to->event, &seconds) != WF_OK)
        return en_fail(&e);
    return en_end_value(&e, v_float(1e3 * seconds));
}

static const NativeDef mark_methods[] = {
    {"record", m_record, "self,device"},
    {"wait", m_wait, "self"},
    {"reached", m_reached, "self"},
    {"elapsed", m_elapsed, "self,to"},
    {0},
};

static const ClassDef mark_def = {
    .name = "Mark",
    .init = mark_init,
    .init_params = "",
    .native_free = mark_free,
    .methods = mark_methods,
};

/* Of a tensor in a program: the host. */
static Value n_device_at(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor x;
    Tensor *t;

    if (!en_tensor(&e, a->v[0], &x) || !(t = tensor_get(e.c, x, "device")))
        return en_fail(&e);
    return en_end_value(
        &e, v_int(t->symbolic || tensor_is_here(t) || tensor_is_parted(t) ? 0 : wf_device_ordinal(tensor_device(t))));
}

static Value n_to_device(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    Front *f = e.f;
    wf_device *home = f->home, *d;
    wf_tensor x;
    int64_t i = 0;
    Value v;

    if (!en_tensor(&e, a->v[0], &x) || !en_int(&e, a->v[1], &i) || !(d = device_of(&e, i)))
        return en_fail(&e);
    f->home = NULL;
    e.anywhere = false;
    v = en_end(&e, wf_is_symbolic(e.c, x) ? x : wf_to_device(e.c, x, d));
    f->home = home;
    return v;
}

static Value n_set_home(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    int64_t i = 0;
    wf_device *d;

    if (!en_int(&e, a->v[0], &i) || !(d = device_of(&e, i)))
        return en_fail(&e);
    e.f->home = i ? d : NULL;
    if (e.f == &vm->engine->front[FRONT_TF]) /* tf.device: results are there, wherever operands are */
        e.f->stays = !i;
    return en_end_value(&e, NONE);
}

/* one_device(on): tensors of two devices in one call are an error */
static Value n_one_device(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    bool on = true;

    if (!en_bool(&e, a->v[0], &on))
        return en_fail(&e);
    e.f->one_device = on;
    return en_end_value(&e, NONE);
}

/* Natives whose business are several devices, or that take indices from the host. */
static bool may_mix(const char *label)
{
    static const char *const names[] = {"write", "set_data",  "same",  "shares_memory", "own",
                                        "set_grad", "to_device", "index", "getitem", "setitem",
                                        "device_at", "save_model", "among", "leaves", "hosts", "gradients"};

    for (size_t i = 0; label && i < sizeof names / sizeof *names; i++)
        if (!strcmp(label, names[i]))
            return true;
    return !label;
}

static const char *device_name(En *e, int i)
{
    wf_device *d = device_of(e, i);

    return d ? wf_device_name(d) : "";
}

bool en_same_device(En *e, Value v, wf_tensor x)
{
    Tensor *t = tensor_get(e->c, x, "device");
    int at = !t || t->symbolic || tensor_is_here(t) ? 0 : wf_device_ordinal(tensor_device(t));

    if (!is_tensor(e->vm, v) || as_tensor(v)->anywhere)
        return true;
    e->anywhere = false;
    if (!t || t->symbolic || (!at && !t->rank))
        return true;
    if (!e->device)
        e->device = 2 + at;
    if (e->device == 2 + at || may_mix(e->label))
        return true;
    if (at < 0 || e->device == 1)
        return sc_fail(e->vm, C_RuntimeError, "Tensor on device %s is not on the expected device meta!",
                       device_name(e, MAX(e->device - 2, at)));
    return sc_fail(e->vm, C_RuntimeError,
                   "Expected all tensors to be on the same device, but found at least two devices, %s and %s!",
                   device_name(e, MAX(e->device - 2, at)), device_name(e, MIN(e->device - 2, at)));
}

Tensor *en_on_host(En *e, wf_tensor x)
{
    Tensor *t = tensor_get(e->c, x, "read");
    wf_device *host = NULL;

    if (!t || (t->packed && tensor_is_here(t)))
        return t;
    wf_no_grad_begin(e->c);
    x = wf_copy(e->c, x);
    if (!tensor_is_here(t) && wf_device_get(e->c, 0, &host) == WF_OK)
        x = wf_to_device(e->c, x, host);
    wf_no_grad_end(e->c);
    return tensor_get(e->c, x, "read");
}

wf_tensor en_at_home(En *e, wf_tensor t)
{
    wf_device *to = e->f->home, *at = wf_device_of(e->c, t);

    if (!to ? wf_device_host_reads(at) : !wf_device_host_reads(at))
        return t;
    if (!to)
        wf_device_get(e->c, 0, &to);
    return wf_to_device(e->c, t, to);
}

/* How many threads work is split for. */
static Value n_threads(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    int wish = ctx_wish(e.c);

    return en_end_value(&e, v_int(wish ? wish : cpu_count()));
}

/* 0: as many as there are cores. */
static Value n_set_threads(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    int64_t n = 0;

    if (!en_int(&e, a->v[0], &n))
        return en_fail(&e);
    ctx_set_wish(e.c, (int)MAX(0, MIN(n, THREADS_MAX)));
    return en_end_value(&e, NONE);
}

const NativeDef engine_devices[] = {
    {"device_count", n_device_count, ""},
    {"device_label", n_device_label, "i"},
    {"device_memory", n_device_memory, "i"},
    {"device_sync", n_device_sync, "i"},
    {"device_trim", n_device_trim, "i"},
    {"device_reset_peak", n_device_reset_peak, "i"},
    {"device_at", n_device_at, "x"},
    {"to_device", n_to_device, "x,i"},
    {"set_home", n_set_home, "i"},
    {"one_device", n_one_device, "on"},
    {"threads", n_threads, ""},
    {"set_threads", n_set_threads, "n"},
    {0},
};

bool engine_open_devices(Vm *vm, ScModule *m)
{
    return sc_module_class(vm, m, &mark_def, NULL, NULL) &&
           sc_module_set(vm, m, "OutOfMemoryError", v_obj(gc_ref(vm->cls[C_OutOfMemoryError])));
}
