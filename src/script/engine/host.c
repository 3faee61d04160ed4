/* host.c -- steps of a history that a script differentiates itself: torch.autograd.Function
 * and hooks.
 *
 * The result of such a step is a leaf to the histories, and its node holds an object of the
 * script, the record. Who derives asks for the hosts behind a result, takes gradients up to
 * them, lets the records turn those into gradients of their inputs, and goes on from there
 * (namespaces/torch/_grad.py).
 */
#include "script/engine/engine.h"

typedef struct ScriptHost {
    Host h;
    struct ScriptHost *next, *prev; /* of the engine */
    Vm *vm;                         /* NULL: has ended before the tensors did */
    Value record;
    Tensor *like; /* the result without history */
} ScriptHost;

static void host_release(wf_ctx *c, Host *h)
{
    ScriptHost *s = (ScriptHost *)h;

    if (s->vm) {
        if (s->prev)
            s->prev->next = s->next;
        else
            s->vm->engine->hosts = s->next;
        if (s->next)
            s->next->prev = s->prev;
        sc_drop(s->vm, s->record);
    }
    tensor_release(c, s->like);
    mem_free(&c->al, s, sizeof *s);
}

/* Before the script's objects go: a history that outlives them holds none of them. */
void hosts_end(Vm *vm)
{
    ScriptHost *s;

    if (vm->cx->tensors) /* memory may have run out before there were any */
        vm->cx->tensors->packer = NULL;
    sc_drop(vm, vm->engine->packer.pack);
    sc_drop(vm, vm->engine->packer.unpack);
    vm->engine->packer = (ScriptPacker){0};
    while ((s = vm->engine->hosts) != NULL) {
        Value record = s->record;

        vm->engine->hosts = s->next;
        if (s->next)
            s->next->prev = NULL;
        s->vm = NULL;
        s->record = NIL;
        sc_drop(vm, record);
    }
}

/* A leaf is the object that asked for its gradient, as long as there is one. */
static Value box_leaf(En *e, Tensor *t)
{
    return t->face ? sc_ref(v_obj(t->face)) : en_box(e, tensor_handle(e->c, tensor_retain(t)));
}

static ScriptHost *new_host(wf_ctx *c, Vm *vm, Value record)
{
    ScriptHost *s = mem_alloc(&c->al, sizeof *s);

    if (!s)
        return NULL;
    *s = (ScriptHost){.h = {.release = host_release}, .vm = vm, .record = sc_ref(record), .next = vm->engine->hosts};
    if (s->next)
        s->next->prev = s;
    vm->engine->hosts = s;
    return s;
}

/* host(y, record): y, without its history, as the result of the step that record is */
static Value n_host(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    ScriptHost *s;
    wf_tensor y, h;
    Tensor *x, *t;

    if (!en_tensor(&e, a->v[0], &y) || !(x = tensor_get(e.c, y, "host")))
        return en_fail(&e);
    if (x->symbolic || !dtype_is_float((wf_dtype)x->dtype)) {
        sc_fail(vm, C_TypeError, "host: needs a concrete tensor of floats");
        return en_fail(&e);
    }
    t = tensor_alias(e.c, x);
    h = tensor_handle(e.c, t);
    if (!t || failed(e.c) || !record_leaf(e.c, t))
        return en_fail(&e);
    if (!(s = new_host(e.c, vm, a->v[1])) || !(s->like = tensor_alias(e.c, x))) {
        if (s)
            host_release(e.c, &s->h);
        sc_raise_memory(vm);
        return en_fail(&e);
    }
    t->node->host = &s->h;
    t->need |= 1;
    return en_end(&e, h);
}

/* Calls fn on every node behind the tensors; the nodes' own links are the stack. */
static bool walk(En *e, const wf_tensor *y, int n, bool (*fn)(En *, RecordNode *, void *), void *user)
{
    Tensors *s = e->c->tensors;
    RecordNode *stack = NULL;
    bool ok = true;

    s->epoch += 2;
    for (int i = 0; i < n; i++) {
        Tensor *t = tensor_get(e->c, y[i], "hosts");

        if (t && t->node && t->node->epoch != s->epoch) {
            t->node->epoch = s->epoch;
            t->node->next = stack;
            stack = t->node;
        }
    }
    while (stack) {
        RecordNode *k = stack;

        stack = k->next;
        for (uint32_t i = 0; i < k->nin; i++) {
            RecordNode *m = k->in[i].node;

            if (!m || m->epoch == s->epoch)
                continue;
            m->epoch = s->epoch;
            m->next = stack;
            stack = m;
        }
        ok = ok && fn(e, k, user);
    }
    return ok && !failed(e->c);
}

static bool push(En *e, List *l, Value owned)
{
    bool ok = owned.tag != T_NIL && sc_list_push(e->vm, l, owned);

    sc_drop(e->vm, owned);
    return ok;
}

/* A tensor that stands for the result of the node. */
static Value stand_in(En *e, RecordNode *n)
{
    ScriptHost *s = (ScriptHost *)n->host;
    Tensor *t = tensor_alias(e->c, s->like);

    if (!t)
        return NIL;
    t->node = n;
    n->refs++;
    t->need = 1;
    return en_box(e, tensor_handle(e->c, t));
}

static bool add_host(En *e, RecordNode *n, void *user)
{
    Tuple *pair;

    if (!n->host)
        return true;
    if (!(pair = sc_tuple(e->vm, 2)))
        return false;
    pair->v[0] = sc_ref(((ScriptHost *)n->host)->record);
    pair->v[1] = stand_in(e, n);
    if (pair->v[1].tag == T_NIL) {
        pair->v[1] = NONE;
        obj_drop(e->vm, pair);
        return false;
    }
    return push(e, user, v_obj(pair));
}

static bool add_leaf(En *e, RecordNode *n, void *user)
{
    if (!n->leaf || !n->leaf->wants_grad || n->host)
        return true;
    return push(e, user, box_leaf(e, n->leaf));
}

static bool free_saved(En *e, RecordNode *n, void *user)
{
    (void)user;
    if (n->prim) {
        n->refs++; /* its saved values may be the last to hold it */
        node_free_saved(e->c, n);
        node_release(e->c, n);
    }
    return true;
}

static Value gathered(Vm *vm, const Args *a, bool (*fn)(En *, RecordNode *, void *))
{
    En e = en_begin(vm, a);
    List *l = sc_list(vm, 0);
    wf_tensor *y;
    int n;

    e.label = NULL;
    if (!l || !en_tensors(&e, a->v[0], &y, &n) || !walk(&e, y, n, fn, l)) {
        if (l)
            obj_drop(vm, l);
        return en_fail(&e);
    }
    return en_end_value(&e, v_obj(l));
}
/* hosts(ys): (record, result) for each such step behind the ys */
static Value n_hosts(Vm *vm, const Args *a) { return gathered(vm, a, add_host); }
static bool is_no_host(En *e, RecordNode *n, void *user)
{
    (void)e;
    (void)user;
    return !n->host;
}

/* backward_plain(y): backward of one real number, by gradient 1, none of whose steps is a script's. False: it is not such. */
static Value n_backward_plain(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor y;
    Tensor *t = en_tensor(&e, a->v[0], &y) ? tensor_get(e.c, y, "backward") : NULL;
    bool plain = t && !t->symbolic && t->count == 1 && (t->dtype == WF_F32 || t->dtype == WF_F64) && t->node && t->need & 1 &&
                 !t->layout && walk(&e, &y, 1, is_no_host, NULL);

    if (!t || failed(e.c))
        return en_fail(&e);
    if (plain)
        wf_backward(e.c, y, WF_NONE, 0);
    return en_end_value(&e, v_bool(plain));
}

/* leaves(ys): the tensors whose gradients backward accumulates */
static Value n_leaves(Vm *vm, const Args *a) { return gathered(vm, a, add_leaf); }

/* history_free(ys): what the histories saved is given back */
static Value n_history_free(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor *y;
    int n;

    if (!en_tensors(&e, a->v[0], &y, &n) || !walk(&e, y, n, free_saved, NULL))
        return en_fail(&e);
    return en_end_value(&e, NONE);
}

/* parents(x): for each operand of the step that made x, a tensor with that operand's history */
static Value n_parents(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    List *l = sc_list(vm, 0);
    wf_tensor x;
    Tensor *t, *p;
    RecordNode *n;
    bool ok = l && en_tensor(&e, a->v[0], &x) && (t = tensor_get(e.c, x, "parents")) != NULL;

    n = ok ? t->node : NULL;
    e.label = NULL;
    for (uint32_t i = 0; ok && n && n->prim && i < n->nin; i++) {
        const PType *type = &n->prim->in[i];

        if (!n->in[i].node)
            continue;
        ok = (p = tensor_new(e.c, (wf_dtype)type->dtype, type->dims, type->rank)) != NULL;
        if (ok) {
            p->node = n->in[i].node;
            p->node->refs++;
            p->out = n->in[i].out;
            p->need = 1;
            ok = push(&e, l, en_box(&e, tensor_handle(e.c, p)));
        }
    }
    if (ok)
        return en_end_value(&e, v_obj(l));
    if (l)
        obj_drop(vm, l);
    return en_fail(&e);
}

/* ---- saved values as functions of the script keep them ---- */

/* After a call of the script: its exception is an error of the context, too. */
static bool called(wf_ctx *c, Vm *vm, Value r)
{
    if (r.tag == T_NIL && !failed(c))
        tensor_fail(c, WF_ERR_VALUE, "an exception in a function of the script");
    return r.tag != T_NIL && !sc_failed(vm);
}

static Host *pack_value(wf_ctx *c, Packer *p, Tensor *t)
{
    ScriptPacker *s = (ScriptPacker *)p;
    Vm *vm = s->vm;
    const wf_semantics *means = c->semantics;
    Place place = c->tensors->place;
    En e = en_begin_front(vm, &vm->engine->front[FRONT_TORCH]);
    Value x = box_leaf(&e, t), r = x.tag == T_NIL ? NIL : sc_call(vm, s->pack, &x, 1);
    Tuple *record = called(c, vm, r) ? sc_tuple(vm, 2) : NULL;
    ScriptHost *h = NULL;

    if (record) {
        record->v[0] = sc_ref(s->unpack);
        record->v[1] = sc_ref(r);
        h = new_host(c, vm, v_obj(record));
        obj_drop(vm, record);
    }
    sc_drop(vm, r);
    sc_drop(vm, x);
    en_close(&e, NULL, 0);
    c->semantics = means;
    c->tensors->place = place;
    return h ? &h->h : NULL;
}

static Tensor *unpack_value(wf_ctx *c, Host *host)
{
    ScriptHost *h = (ScriptHost *)host;
    Vm *vm = h->vm;
    const wf_semantics *means = c->semantics;
    Place place = c->tensors->place;
    Tensor *t = NULL;
    const Tuple *record;
    Value r;
    En e;

    if (!vm) {
        tensor_fail(c, WF_ERR_VALUE, "the script that packed a saved value has ended");
        return NULL;
    }
    e = en_begin_front(vm, &vm->engine->front[FRONT_TORCH]);
    record = (const Tuple *)(void *)h->record.o;
    r = sc_call(vm, record->v[0], &record->v[1], 1);
    if (called(c, vm, r) && !is_tensor(vm, r)) {
        sc_fail(vm, C_TypeError, "Output of saved tensor unpack_hook expected to be a Tensor but got result of type %s",
                sc_type_name(vm, r));
        tensor_fail(c, WF_ERR_VALUE, "an exception in a function of the script");
    } else if (r.tag != T_NIL && (t = tensor_get(c, as_tensor(r)->t, "unpack")) != NULL) {
        t = t->node && !t->wants_grad ? tensor_alias(c, t) : tensor_retain(t);
    }
    sc_drop(vm, r);
    en_close(&e, NULL, 0);
    c->semantics = means;
    c->tensors->place = place;
    return t;
}

/* saved_hooks(pack, unpack): in force from now on; None: none are */
static Value n_saved_hooks(Vm *vm, const Args *a)
{
    ScriptPacker *s = &vm->engine->packer;
    bool on = a->v[0].tag != T_NONE;

    sc_drop(vm, s->pack);
    sc_drop(vm, s->unpack);
    *s = (ScriptPacker){.p = {pack_value, unpack_value},
                        .vm = vm,
                        .pack = on ? sc_ref(a->v[0]) : NIL,
                        .unpack = on ? sc_ref(a->v[1]) : NIL};
    vm->cx->tensors->packer = on ? &s->p : NULL;
    return NONE;
}

/* saved(x, at): what the step that made x saved of its operand `at`, of its result where at is -1; None: nothing */
static Value n_saved(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    int64_t at = 0;
    wf_tensor x;
    Tensor *t, *s;
    Value v = NONE;

    if (!en_tensor(&e, a->v[0], &x) || !en_int(&e, a->v[1], &at) || !(t = tensor_get(e.c, x, "saved")))
        return en_fail(&e);
    if (t->node && t->node->freed) {
        sc_fail(vm, C_RuntimeError, "%s", "the saved values are gone");
        return en_fail(&e);
    }
    s = t->node && t->node->prim ? saved_value(e.c, t->node, at < 0 ? t->node->nin + t->out : (uint32_t)at) : NULL;
    if (s) {
        v = s->face ? sc_ref(v_obj(s->face)) : en_box(&e, tensor_handle(e.c, tensor_retain(s)));
        tensor_release(e.c, s);
    }
    return failed(e.c) || v.tag == T_NIL ? en_fail(&e) : en_end_value(&e, v);
}

/* recording(on=None): is anything recorded? on: from now on; gives what was before */
static Value n_recording(Vm *vm, const Args *a)
{
    Tensors *s = vm->cx->tensors;
    bool was = s->no_grad == 0, on;

    if (a->v[0].tag == T_NIL || a->v[0].tag == T_NONE)
        return v_bool(was);
    if (!sc_to_bool(vm, a->v[0], &on))
        return NIL;
    s->no_grad = !on;
    return v_bool(was);
}

/* inference(): is what is made of no derivative's concern? inference(on): so it is from now on; what was before */
static Value n_inference(Vm *vm, const Args *a)
{
    Tensors *s = vm->cx->tensors;
    bool was = s->inference;

    if (a->v[0].tag != T_NIL && !sc_to_bool(vm, a->v[0], &s->inference))
        return NIL;
    return v_bool(was);
}

/* mode(on): as recording, for a block; 1 or 0, what was before. 2 more: derivatives may be taken by another way than
 * reverse mode alone, which such a block is not for. */
static Value n_mode(Vm *vm, const Args *a)
{
    const Tensors *s = vm->cx->tensors;
    int others = __builtin_popcountll(s->recorders & ~(uint64_t)1);
    Value was = n_recording(vm, a);

    return was.tag == T_NIL ? NIL : v_int(was.i + (others == 1 || (others == 0 && s->trace) ? 2 : 0));
}

/* met_composed(on): was a function that is a program of its own called in a trace since? Sets what is known. */
static Value n_met_composed(Vm *vm, const Args *a)
{
    bool was = vm->engine->met_composed;

    return sc_to_bool(vm, a->v[0], &vm->engine->met_composed) ? v_bool(was) : NIL;
}

/* relay(fn, to, dicts=(), record=None): see Relay */
static Value n_relay(Vm *vm, const Args *a)
{
    Tuple *dicts = a->v[2].tag == T_NIL ? sc_tuple(vm, 0) : sc_tuple_from(vm, a->v[2]);
    bool ok = dicts && sc_is_exact(vm, a->v[0], C_function);

    for (int64_t i = 0; ok && i < dicts->n; i++)
        ok = dicts->v[i].tag == T_OBJ && is_str(dicts->v[i]);
    if (!ok)
        sc_raise(vm, C_TypeError, "relay: needs a function and names");
    ok = ok && sc_relay(vm, (Function *)(void *)a->v[0].o, a->v[1], dicts, a->v[3].tag == T_NONE ? NIL : a->v[3]);
    if (dicts)
        obj_drop(vm, dicts);
    return ok ? NONE : NIL;
}

/* ---- no_grad and enable_grad: blocks in which recording is off, or on. One may be entered again within itself. */

typedef struct GradMode {
    bool on, first[6]; /* first: what was recorded outside each block, of few */
    bool *before;      /* the same */
    int n, room;
} GradMode;

/* An argument is a function that is decorated: it is the attribute fn. */
static bool mode_init(Vm *vm, Value self, const Args *a, bool on)
{
    GradMode *m = sc_native_new(vm, self, sizeof *m);

    if (!m)
        return false;
    m->on = on;
    m->before = m->first;
    m->room = COUNT(m->first);
    return a->v[0].tag == T_NIL || sc_setattr_s(vm, self, "fn", a->v[0]);
}

static bool no_grad_init(Vm *vm, Value self, const Args *a)
{
    return mode_init(vm, self, a, false);
}

static bool enable_grad_init(Vm *vm, Value self, const Args *a)
{
    return mode_init(vm, self, a, true);
}

static void mode_free(Vm *vm, void *native)
{
    GradMode *m = native;

    if (m->before != m->first)
        sc_free(vm, m->before, (size_t)m->room * sizeof *m->before);
}

/* __enter__(): where derivatives may be taken by another way than reverse mode alone, the method elsewhere(was) has a say. */
static Value mode_enter(Vm *vm, const Args *a)
{
    GradMode *m = sc_native(a->v[0]);
    Value on = v_bool(m->on), was;

    if (m->n == m->room) {
        int room = 2 * m->room;
        bool *before = sc_alloc(vm, (size_t)room * sizeof *before);

        if (!before)
            return NIL;
        memcpy(before, m->before, (size_t)m->n * sizeof *before);
        mode_free(vm, m);
        m->before = before;
        m->room = room;
    }
    was = n_mode(vm, &(Args){&on, 1, 0, NULL, NULL, NULL});
    if (was.i > 1 && !m->on) {
        Value outside = v_bool(was.i & 1), r = sc_call_method(vm, a->v[0], "elsewhere", &outside, 1);

        if (r.tag == T_NIL)
            return NIL;
        sc_drop(vm, r);
    }
    m->before[m->n++] = was.i & 1;
    return NONE;
}

static Value mode_exit(Vm *vm, const Args *a)
{
    GradMode *m = sc_native(a->v[0]);

    if (!m->n)
        return sc_raise(vm, C_IndexError, "pop from empty list");
    vm->cx->tensors->no_grad = !m->before[--m->n];
    return v_bool(false);
}

static const NativeDef mode_methods[] = {
    {"__enter__", mode_enter, "self"}, {"__exit__", mode_exit, "self,kind,value,trace"}, {0}};
const ClassDef en_no_grad_def = {.name = "NoGrad",
                                 .init = no_grad_init,
                                 .init_params = "|fn",
                                 .native_free = mode_free,
                                 .methods = mode_methods};
const ClassDef en_enable_grad_def = {.name = "EnableGrad",
                                     .init = enable_grad_init,
                                     .init_params = "|fn",
                                     .native_free = mode_free,
                                     .methods = mode_methods};

const NativeDef engine_hosts[] = {
    {"host", n_host, "y,record"},
    {"hosts", n_hosts, "ys"},
    {"leaves", n_leaves, "ys"},
    {"backward_plain", n_backward_plain, "y"},
    {"parents", n_parents, "x"},
    {"history_free", n_history_free, "ys"},
    {"saved_hooks", n_saved_hooks, "pack,unpack"},
    {"saved", n_saved, "x,at"},
    {"recording", n_recording, "|on"},
    {"inference", n_inference, "|on"},
    {"mode", n_mode, "on"},
    {"met_composed", n_met_composed, "on"},
    {"relay", n_relay, "fn,to|dicts,record"},
    {0},
};
