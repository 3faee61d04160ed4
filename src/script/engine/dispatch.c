/* dispatch.c -- the class Dispatch: a callable that knows programs by the types of its
 * arguments. A call with tensors of types seen before runs the program at once, without the
 * script machine; any other goes to the method slow(*args, **kwargs) of the subclass, which may
 * say remember(args, program, single).
 *
 *   class ScriptFunction(_w.Dispatch):
 *       def slow(self, *args, **kwargs): ...
 *
 * A module's program has its parameters and buffers as first inputs: `state` says in which
 * dicts they stand under which names, and they are read there at each call. changed() says that
 * a tree of modules is no longer what it was: programs with a state are forgotten.
 */
#include "script/engine/engine.h"

#define KEY_MAX 64 /* numbers in a key: arguments of more are always slow */
#define ENTRIES 16 /* the oldest goes */
#define STATE_MAX 256 /* tensors of a state and arguments */

typedef struct Known {
    int64_t key[KEY_MAX];
    int n;
    bool single;      /* the one result itself, not a tuple */
    Value program;    /* owned */
    Value state;      /* a tuple of dicts and names in turn, owned; NIL: none */
    int64_t age;      /* of the modules, where there is a state */
} Known;

typedef struct Dispatch {
    Known known[ENTRIES];
    int n, next;
} Dispatch;

static bool dispatch_init(Vm *vm, Value self, const Args *a)
{
    (void)a;
    return sc_native(self) || sc_native_new(vm, self, sizeof(Dispatch));
}

static void dispatch_free(Vm *vm, void *native)
{
    Dispatch *d = native;

    for (int i = 0; i < d->n; i++) {
        sc_drop(vm, d->known[i].program);
        sc_drop(vm, d->known[i].state);
    }
    d->n = d->next = 0;
}

static void dispatch_visit(void *native, VisitFn fn, void *user)
{
    Dispatch *d = native;

    for (int i = 0; i < d->n; i++) {
        fn(d->known[i].program, user);
        fn(d->known[i].state, user);
    }
}

/* dtype, weak bit, rank and sizes of each argument; 0: not all are concrete tensors, or some are
 * arrays of NumPy, which a library may see as another dtype. */
static int key_of(Vm *vm, const Value *v, int n, int64_t *key)
{
    int at = 0;

    for (int i = 0; i < n; i++) {
        Tensor *x = is_tensor(vm, v[i]) ? tensor_get(vm->cx, as_tensor(v[i])->t, "call") : NULL;

        if (!x || x->symbolic || as_tensor(v[i])->front == &vm->engine->front[FRONT_NUMPY] || at + 1 + x->rank > KEY_MAX)
            return 0;
        key[at++] = x->dtype | x->weak << 8 | (int64_t)x->rank << 16;
        memcpy(key + at, x->dims, x->rank * sizeof *key);
        at += x->rank;
    }
    return at;
}

/* The tensors of the state, then the arguments. False: not all are there. */
static bool with_state(Vm *vm, const Known *k, const Args *a, Value *v, int *n)
{
    Tuple *t = (Tuple *)(void *)k->state.o;

    *n = (int)(t->n / 2) + a->n;
    if (k->age != vm->engine->age || *n > STATE_MAX)
        return false;
    for (int64_t i = 0; i + 1 < t->n; i += 2) {
        Value *x = sc_dict_find_str((Dict *)(void *)t->v[i].o, as_str(t->v[i + 1]));

        if (!x || !is_tensor(vm, *x))
            return false;
        v[i / 2] = *x;
    }
    memcpy(v + t->n / 2, a->v, (size_t)a->n * sizeof *v);
    return true;
}

static Value known_call(Vm *vm, const Known *k, const Args *a)
{
    Front *f = as_tensor(a->v[0])->front;
    Value v[STATE_MAX];
    int n;

    if (k->state.tag == T_NIL)
        return program_call(vm, f, k->program, a->v, a->n, k->single);
    return with_state(vm, k, a, v, &n) ? program_call(vm, f, k->program, v, n, k->single)
                                       : NOTIMPL;
}

static Value dispatch_call(Vm *vm, Value self, const Args *a)
{
    Dispatch *d = sc_native(self);
    int64_t key[KEY_MAX];
    int n = d && d->n && !a->nkw && !failed(vm->cx) && !vm->cx->tensors->trace
                ? key_of(vm, a->v, a->n, key)
                : 0;
    Value slow, r;

    for (int i = 0; n && i < d->n; i++) {
        const Known *k = &d->known[i];

        if (k->n == n && !memcmp(k->key, key, (size_t)n * sizeof *key) &&
            (r = known_call(vm, k, a)).tag != T_NOTIMPL)
            return r;
    }
    slow = sc_getattr_s(vm, self, "slow");
    if (slow.tag == T_NIL)
        return NIL;
    r = sc_call_args(vm, slow, a);
    sc_drop(vm, slow);
    return r;
}

/* Dicts and strings in turn? Strings are interned, as dicts look them up. */
static bool take_state(Vm *vm, Value v, Value *out)
{
    Tuple *t = sc_tuple_from(vm, v);
    bool ok = t && t->n % 2 == 0;

    for (int64_t i = 0; ok && i < t->n; i += 2) {
        ok = t->v[i].tag == T_OBJ && sc_is(vm, t->v[i], C_dict) && t->v[i + 1].tag == T_OBJ &&
             is_str(t->v[i + 1]);
        if (ok)
            sc_put(vm, &t->v[i + 1], sc_ref(v_obj(sc_intern_str(vm, as_str(t->v[i + 1])))));
    }
    if (ok) {
        *out = v_obj(t);
        return true;
    }
    if (t)
        obj_drop(vm, t);
    return sc_failed(vm) ? false
                         : sc_fail(vm, C_TypeError, "remember: a state is dicts and names in turn");
}

/* remember(args, program, single, state=None): for calls with tensors of the types of args */
static Value m_remember(Vm *vm, const Args *a)
{
    Dispatch *d = sc_native(a->v[0]);
    Tuple *t;
    Known k = {.n = 0, .age = vm->engine->age};

    if (!d || a->v[2].tag != T_OBJ || !sc_is_subclass(a->v[2].o->cls, vm->engine->program))
        return sc_raise(vm, C_TypeError, "remember: needs a Program");
    if (!sc_to_bool(vm, a->v[3], &k.single) || !(t = sc_tuple_from(vm, a->v[1])))
        return NIL;
    k.n = key_of(vm, t->v, (int)t->n, k.key);
    obj_drop(vm, t);
    if (!k.n)
        return NONE;
    if (a->v[4].tag != T_NIL && a->v[4].tag != T_NONE && !take_state(vm, a->v[4], &k.state))
        return NIL;
    k.program = sc_ref(a->v[2]);
    if (d->n < ENTRIES) {
        d->known[d->n++] = k;
    } else {
        sc_drop(vm, d->known[d->next].program);
        sc_drop(vm, d->known[d->next].state);
        d->known[d->next] = k;
        d->next = (d->next + 1) % ENTRIES;
    }
    return NONE;
}

static Value m_forget(Vm *vm, const Args *a)
{
    if (sc_native(a->v[0]))
        dispatch_free(vm, sc_native(a->v[0]));
    return NONE;
}

static Value s_changed(Vm *vm, const Args *a)
{
    (void)a;
    return v_int(++vm->engine->age);
}

static const NativeDef statics[] = {{"changed", s_changed, ""}, {0}};
static const NativeDef methods[] = {
    {"remember", m_remember, "self,args,program,single|state"},
    {"forget", m_forget, "self"},
    {0},
};

const ClassDef dispatch_def = {
    .name = "Dispatch", .init = dispatch_init, .init_params = "", .call = dispatch_call,
    .native_free = dispatch_free, .native_visit = dispatch_visit, .methods = methods,
    .statics = statics,
};
