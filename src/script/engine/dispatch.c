/* dispatch.c -- the class Dispatch: a callable that knows programs by the types of its
 * arguments. A call with arguments of types seen before runs the program at once, without the
 * script machine; any other goes to the method slow(*args, **kwargs) of the subclass, which may
 * say remember(args, program, single).
 *
 *   class ScriptFunction(_w.Dispatch):
 *       def slow(self, *args, **kwargs): ...
 *
 * Arguments are concrete tensors. If results are remembered as a tree (out), they may also be
 * numbers, None, and lists, tuples and dicts with strings as keys of all these: the program's
 * inputs are the leaves in order, those of a dict in the order of its keys, as JAX has it.
 *
 * A module's program has its parameters and buffers as first inputs: `state` says in which
 * dicts they stand under which names, and they are read there at each call. changed() says that
 * a tree of modules is no longer what it was: programs with a state are forgotten.
 *
 * Guards are what a program holds for besides: (where, key, value) in turn. At each call the entry
 * of a dict, item of a list or free variable of a function must be the same value still; with None
 * as key, the length of a dict or list.
 */
#include "script/engine/engine.h"

#define KEY_MAX  1024 /* numbers in a key: arguments of more are always slow */
#define LEAF_MAX 256  /* tensors of a state and arguments */
#define DICT_MAX 64   /* entries of one */
#define ENTRIES  16   /* the oldest goes */

/* What the arguments of a call are: their types as numbers, and the leaves. */
typedef struct Taken {
    Vm *vm;
    bool trees; /* numbers and containers are taken, too */
    int nkey, nleaves, nnames;
    int64_t key[KEY_MAX];
    Value leaf[LEAF_MAX]; /* borrowed */
    Str *name[LEAF_MAX];  /* keys of dicts, borrowed: the key has their hashes only */
} Taken;

typedef struct KnownCall {
    int64_t *key;
    Str **name;
    int nkey, nnames;
    Front *front;  /* whose tensors the results are */
    bool narrow;   /* its numbers were, then */
    wf_precision precision; /* of its products, then */
    bool single;   /* the one result itself, not a tuple */
    bool *donated; /* which leaves are given away, of ndonated; NULL: none */
    int ndonated;
    Value out;     /* the tree of the results, with their numbers as leaves; NIL: flat */
    Value program; /* owned, as the others */
    Value state;   /* a tuple of dicts and names in turn; NIL: none */
    Value guards;  /* a tuple of places, keys and values in turn; NIL: none */
    int64_t age;   /* of the modules, where there is a state */
} KnownCall;

typedef struct Dispatch {
    KnownCall known[ENTRIES];
    int n, next;
    bool trees; /* one of them has a tree */
} Dispatch;

static bool dispatch_init(Vm *vm, Value self, const Args *a)
{
    (void)a;
    return sc_native(self) || sc_native_new(vm, self, sizeof(Dispatch));
}

static void forget_one(Vm *vm, KnownCall *k)
{
    for (int i = 0; i < k->nnames; i++)
        obj_drop(vm, k->name[i]);
    sc_free(vm, k->name, (size_t)k->nnames * sizeof *k->name);
    sc_free(vm, k->key, (size_t)k->nkey * sizeof *k->key);
    sc_free(vm, k->donated, (size_t)k->ndonated);
    sc_drop(vm, k->program);
    sc_drop(vm, k->state);
    sc_drop(vm, k->guards);
    sc_drop(vm, k->out);
    *k = (KnownCall){.key = NULL};
}

static void dispatch_free(Vm *vm, void *native)
{
    Dispatch *d = native;

    for (int i = 0; i < d->n; i++)
        forget_one(vm, &d->known[i]);
    d->n = d->next = 0;
}

static void dispatch_visit(void *native, VisitFn fn, void *user)
{
    Dispatch *d = native;

    for (int i = 0; i < d->n; i++) {
        fn(d->known[i].program, user);
        fn(d->known[i].state, user);
        fn(d->known[i].guards, user);
        fn(d->known[i].out, user);
    }
}

/* ---- types of arguments --------------------------------------------------------------- */

/* What a number of the key begins with; tensors have their dtype there. */
enum { KEY_NONE = 64, KEY_NUMBER, KEY_LIST, KEY_TUPLE, KEY_DICT };

static bool take(Taken *t, Value v);

static bool put(Taken *t, int64_t number)
{
    if (t->nkey == KEY_MAX)
        return false;
    t->key[t->nkey++] = number;
    return true;
}

static bool put_leaf(Taken *t, Value v)
{
    if (t->nleaves == LEAF_MAX)
        return false;
    t->leaf[t->nleaves++] = v;
    return true;
}

/* Not arrays of NumPy, which a library may see as another dtype. */
static bool take_tensor(Taken *t, Value v)
{
    Tensor *x = en_is_donated(t->vm, v) ? NULL : tensor_get(t->vm->cx, as_tensor(v)->t, "call");

    if (as_tensor(v)->attrs && as_tensor(v)->front == &t->vm->engine->front[FRONT_JAX])
        return false; /* it lies on several devices */
    if (!x || x->symbolic || as_tensor(v)->front == &t->vm->engine->front[FRONT_NUMPY] ||
        t->nkey + 1 + x->rank > KEY_MAX || !put_leaf(t, v))
        return false;
    t->key[t->nkey++] = x->dtype | x->weak << 8 | (int64_t)x->rank << 16;
    memcpy(t->key + t->nkey, x->dims, x->rank * sizeof *t->key);
    t->nkey += x->rank;
    return true;
}

static bool take_items(Taken *t, int kind, const Value *v, int64_t n)
{
    if (!put(t, kind | n << 8))
        return false;
    for (int64_t i = 0; i < n; i++)
        if (!take(t, v[i]))
            return false;
    return true;
}

/* Entries of a dict by their keys, which are strings. */
static int sort_entries(Vm *vm, const Dict *d, const DictEntry **out)
{
    int n = 0;

    if (d->live > DICT_MAX)
        return -1;
    for (uint32_t i = 0; i < d->n; i++) {
        const DictEntry *e = &d->e[i];
        int at = n;

        if (e->key.tag == T_NIL)
            continue;
        if (e->key.tag != T_OBJ || !is_str(e->key))
            return -1;
        for (; at > 0 && strcmp(as_str(e->key)->s, as_str(out[at - 1]->key)->s) < 0; at--)
            out[at] = out[at - 1];
        out[at] = e;
        n++;
    }
    return n;
}

static bool take_dict(Taken *t, const Dict *d)
{
    const DictEntry *e[DICT_MAX];
    int n = sort_entries(t->vm, d, e);

    if (n < 0 || !put(t, KEY_DICT | (int64_t)n << 8))
        return false;
    for (int i = 0; i < n; i++) {
        if (t->nnames == LEAF_MAX || !put(t, (int64_t)e[i]->hash))
            return false;
        t->name[t->nnames++] = as_str(e[i]->key);
        if (!take(t, e[i]->val))
            return false;
    }
    return true;
}

/* False: not all of it is what programs are remembered for. */
static bool take(Taken *t, Value v)
{
    Vm *vm = t->vm;
    bool ok = false;

    if (is_tensor(vm, v))
        return take_tensor(t, v);
    if (!t->trees)
        return false;
    if (v.tag == T_NONE)
        return put(t, KEY_NONE);
    if (v.tag == T_FLOAT || v.tag == T_INT || v.tag == T_BOOL)
        return put(t, KEY_NUMBER | (int64_t)v.tag << 8) && put_leaf(t, v);
    if (v.tag != T_OBJ || !sc_enter(vm))
        return false;
    if (v.o->cls == vm->cls[C_tuple])
        ok = take_items(t, KEY_TUPLE, ((Tuple *)(void *)v.o)->v,
                        ((Tuple *)(void *)v.o)->n);
    else if (v.o->cls == vm->cls[C_list])
        ok = take_items(t, KEY_LIST, ((List *)(void *)v.o)->v, ((List *)(void *)v.o)->n);
    else if (v.o->cls == vm->cls[C_dict])
        ok = take_dict(t, (Dict *)(void *)v.o);
    sc_leave(vm);
    return ok;
}

static bool take_args(Taken *t, const Value *v, int n)
{
    for (int i = 0; i < n; i++)
        if (!take(t, v[i]))
            return false;
    return t->nleaves > 0;
}

static bool is_known(const KnownCall *k, const Taken *t)
{
    if (k->nkey != t->nkey || k->nnames != t->nnames ||
        memcmp(k->key, t->key, (size_t)t->nkey * sizeof *t->key) != 0)
        return false;
    for (int i = 0; i < k->nnames; i++)
        if (k->name[i] != t->name[i] && strcmp(k->name[i]->s, t->name[i]->s) != 0)
            return false;
    return true;
}

/* ---- calls ---------------------------------------------------------------------------- */

/* The tree with results in the place of their numbers. */
static Value fill(Vm *vm, Value tree, const Tuple *results)
{
    Value r = NIL;

    if (tree.tag == T_INT)
        return sc_ref(results->v[tree.i]);
    if (tree.tag == T_NONE)
        return tree;
    if (!sc_enter(vm))
        return NIL;
    if (tree.o->cls == vm->cls[C_dict]) {
        Dict *from = (Dict *)(void *)tree.o, *to = sc_dict(vm);
        bool ok = to != NULL;

        for (uint32_t i = 0; ok && i < from->n; i++) {
            Value x = fill(vm, from->e[i].val, results);

            ok = x.tag != T_NIL && sc_dict_put_str(vm, to, as_str(from->e[i].key), x);
            sc_drop(vm, x);
        }
        r = v_obj(to);
        if (!ok) {
            sc_drop(vm, r);
            r = NIL;
        }
    } else {
        bool list = tree.o->cls == vm->cls[C_list];
        int64_t n = list ? ((List *)(void *)tree.o)->n : ((Tuple *)(void *)tree.o)->n;
        const Value *from =
            list ? ((List *)(void *)tree.o)->v : ((Tuple *)(void *)tree.o)->v;
        List *l = list ? sc_list(vm, n) : NULL;
        Tuple *t = list ? NULL : sc_tuple(vm, n);
        Value *to = l ? l->v : t ? t->v : NULL;

        r = list ? v_obj(l) : v_obj(t);
        for (int64_t i = 0; to && i < n; i++)
            if ((to[i] = fill(vm, from[i], results)).tag == T_NIL) {
                sc_drop(vm, r);
                r = NIL;
                break;
            }
    }
    sc_leave(vm);
    return r;
}

/* The tensors of the state, then the arguments. False: not all are there. */
static bool with_state(Vm *vm, const KnownCall *k, Taken *t)
{
    Tuple *s = (Tuple *)(void *)k->state.o;
    int n = (int)(s->n / 2);

    if ((k->guards.tag == T_NIL && k->age != vm->engine->age) ||
        n + t->nleaves > LEAF_MAX)
        return false;
    memmove(t->leaf + n, t->leaf, (size_t)t->nleaves * sizeof *t->leaf);
    for (int i = 0; i < n; i++) {
        Value *x =
            sc_dict_find_str((Dict *)(void *)s->v[2 * i].o, as_str(s->v[2 * i + 1]));

        if (!x || !is_tensor(vm, *x)) {
            memmove(t->leaf, t->leaf + n, (size_t)t->nleaves * sizeof *t->leaf);
            return false;
        }
        t->leaf[i] = *x;
    }
    t->nleaves += n;
    return true;
}

/* Is what stands at the place still the value? */
static bool guard_holds(Vm *vm, Value where, Value key, Value value)
{
    const Value *v = NULL;

    if (sc_is(vm, where, C_dict)) {
        Dict *d = (Dict *)(void *)where.o;

        if (key.tag == T_NONE)
            return value.tag == T_INT && d->live == (uint64_t)value.i;
        v = sc_dict_find_str(d, as_str(key));
    } else if (where.o->cls == vm->cls[C_list]) {
        const List *l = (List *)(void *)where.o;

        if (key.tag == T_NONE)
            return value.tag == T_INT && l->n == value.i;
        v = key.i < l->n ? &l->v[key.i] : NULL;
    } else {
        v = en_func_free((Function *)(void *)where.o, as_str(key)->s);
    }
    return v && (sc_same(*v, value) ||
                 (v->tag == T_OBJ && value.tag == T_OBJ && is_str(*v) && is_str(value) &&
                  strcmp(as_str(*v)->s, as_str(value)->s) == 0));
}

bool en_guards_hold(Vm *vm, const Tuple *g)
{
    for (int64_t i = 0; i < g->n; i += 3)
        if (!guard_holds(vm, g->v[i], g->v[i + 1], g->v[i + 2]))
            return false;
    return true;
}

static Value known_call(Vm *vm, const KnownCall *k, Taken *t)
{
    Value r, tree;

    if (k->guards.tag != T_NIL && !en_guards_hold(vm, (Tuple *)(void *)k->guards.o))
        return NOTIMPL;
    if (k->narrow != k->front->means.narrow || k->precision != k->front->means.precision ||
        (k->state.tag != T_NIL && !with_state(vm, k, t)))
        return NOTIMPL;
    r = en_program_call(vm, k->front, k->program, t->leaf, t->nleaves, k->donated, k->single);
    if (r.tag == T_NIL || k->out.tag == T_NIL)
        return r;
    tree = fill(vm, k->out, (Tuple *)(void *)r.o);
    sc_drop(vm, r);
    return tree;
}

static Value dispatch_call(Vm *vm, Value self, const Args *a)
{
    Dispatch *d = sc_native(self);
    Value slow, r;

    if (d && d->n && !vm->engine->paused && !a->nkw && !failed(vm->cx) &&
        !vm->cx->tensors->trace) {
        Taken t;

        t.vm = vm;
        t.trees = d->trees;
        t.nkey = t.nleaves = t.nnames = 0;
        for (int i = 0, n = take_args(&t, a->v, a->n) ? d->n : 0; i < n; i++)
            if (is_known(&d->known[i], &t) &&
                (r = known_call(vm, &d->known[i], &t)).tag != T_NOTIMPL)
                return r;
    }
    slow = sc_getattr_s(vm, self, "slow");
    if (slow.tag == T_NIL)
        return NIL;
    r = sc_call_args(vm, slow, a);
    sc_drop(vm, slow);
    return r;
}

/* ---- what is remembered --------------------------------------------------------------- */

/* Dicts and strings in turn? Strings are interned, as dicts look them up. */
static bool take_state(Vm *vm, Value v, Value *out)
{
    Tuple *t = sc_tuple_from(vm, v);
    bool ok = t && t->n % 2 == 0;

    for (int64_t i = 0; ok && i < t->n; i += 2) {
        ok = t->v[i].tag == T_OBJ && sc_is(vm, t->v[i], C_dict) &&
             t->v[i + 1].tag == T_OBJ && is_str(t->v[i + 1]);
        if (ok)
            sc_put(vm, &t->v[i + 1],
                   sc_ref(v_obj(sc_intern_str(vm, as_str(t->v[i + 1])))));
    }
    if (ok) {
        *out = v_obj(t);
        return true;
    }
    if (t)
        obj_drop(vm, t);
    return sc_failed(vm)
               ? false
               : sc_fail(vm, C_TypeError, "remember: a state is dicts and names in turn");
}

/* Places, keys and values in turn? */
bool en_take_guards(Vm *vm, Value v, Value *out)
{
    Tuple *t = sc_tuple_from(vm, v);
    bool ok = t && t->n % 3 == 0;

    for (int64_t i = 0; ok && i < t->n; i += 3) {
        Value where = t->v[i], *key = &t->v[i + 1];
        bool named = key->tag == T_OBJ && is_str(*key);

        if (named)
            sc_put(vm, key, sc_ref(v_obj(sc_intern_str(vm, as_str(*key)))));
        ok = where.tag == T_OBJ &&
             (where.o->cls == vm->cls[C_dict] ? named || key->tag == T_NONE
              : sc_is(vm, where, C_dict) ? key->tag == T_NONE /* of others the number of entries alone */
              : where.o->cls == vm->cls[C_list]
                  ? (key->tag == T_INT && key->i >= 0) || key->tag == T_NONE
                  : where.o->cls == vm->cls[C_function] && named);
    }
    if (ok) {
        *out = v_obj(t);
        return true;
    }
    if (t)
        obj_drop(vm, t);
    return sc_failed(vm)
               ? false
               : sc_fail(vm, C_TypeError,
                         "remember: guards are places, keys and values in turn");
}

/* A tree that fill can fill with n results? */
static bool is_tree(Vm *vm, Value v, int64_t n)
{
    bool ok = true;

    if (v.tag == T_INT)
        return v.i >= 0 && v.i < n;
    if (v.tag != T_OBJ || !sc_enter(vm))
        return v.tag == T_NONE;
    if (v.o->cls == vm->cls[C_tuple] || v.o->cls == vm->cls[C_list]) {
        bool list = v.o->cls == vm->cls[C_list];
        int64_t count = list ? ((List *)(void *)v.o)->n : ((Tuple *)(void *)v.o)->n;
        const Value *x = list ? ((List *)(void *)v.o)->v : ((Tuple *)(void *)v.o)->v;

        for (int64_t i = 0; ok && i < count; i++)
            ok = is_tree(vm, x[i], n);
    } else if (v.o->cls == vm->cls[C_dict]) {
        const Dict *d = (Dict *)(void *)v.o;

        ok = d->live == d->n;
        for (uint32_t i = 0; ok && i < d->n; i++)
            ok = d->e[i].key.tag == T_OBJ && is_str(d->e[i].key) &&
                 is_tree(vm, d->e[i].val, n);
    } else {
        ok = false;
    }
    sc_leave(vm);
    return ok;
}

/* Copies of what t has. False with an exception: no memory. */
static bool keep_key(Vm *vm, KnownCall *k, const Taken *t)
{
    k->key = sc_alloc(vm, (size_t)t->nkey * sizeof *k->key);
    k->nkey = k->key ? t->nkey : 0;
    k->name = t->nnames ? sc_alloc(vm, (size_t)t->nnames * sizeof *k->name) : NULL;
    k->nnames = k->name ? t->nnames : 0;
    if (!k->key || (t->nnames && !k->name))
        return false;
    memcpy(k->key, t->key, (size_t)t->nkey * sizeof *k->key);
    for (int i = 0; i < t->nnames; i++)
        k->name[i] = obj_ref(t->name[i]);
    return true;
}

/* The front of results: that of the tensor `like`, else of an argument. */
static bool take_front(KnownCall *k, const Taken *t, Value like)
{
    for (int i = 0; i < t->nleaves && !is_tensor(t->vm, like); i++)
        like = t->leaf[i];
    if (!is_tensor(t->vm, like))
        return false;
    k->front = as_tensor(like)->front;
    k->narrow = k->front->means.narrow;
    k->precision = k->front->means.precision;
    return true;
}

/* A list of numbers of leaves, of n. */
static bool take_donated(Vm *vm, Value list, int n, KnownCall *k)
{
    Tuple *t = sc_tuple_from(vm, list);
    bool ok = t && (k->donated = sc_alloc(vm, (size_t)n)) != NULL;

    if (ok) {
        k->ndonated = n;
        memset(k->donated, 0, (size_t)n);
    }
    for (int64_t i = 0; ok && i < t->n; i++) {
        int64_t at;

        ok = sc_to_int(vm, t->v[i], &at);
        if (ok && at >= 0 && at < n)
            k->donated[at] = true;
    }
    if (t)
        obj_drop(vm, t);
    return ok;
}

/* remember(args, program, single, state=None, out=None, like=None, guards=None, donated=None): for calls with
 * arguments of the types of args. out: the tree of the results, their numbers in it. like: a tensor such as
 * they are, where no argument is one. guards: what it holds for besides. donated: numbers of leaves, without a state. */
static Value m_remember(Vm *vm, const Args *a)
{
    Dispatch *d = sc_native(a->v[0]);
    bool tree = a->v[5].tag != T_NIL && a->v[5].tag != T_NONE;
    KnownCall k = {.age = vm->engine->age};
    Taken t = {.vm = vm, .trees = tree};
    Tuple *args;
    bool ok;

    if (!d || a->v[2].tag != T_OBJ ||
        !sc_is_subclass(a->v[2].o->cls, vm->engine->program))
        return sc_raise(vm, C_TypeError, "remember: needs a Program");
    if (!sc_to_bool(vm, a->v[3], &k.single) || !(args = sc_tuple_from(vm, a->v[1])))
        return NIL;
    ok = take_args(&t, args->v, (int)args->n) && take_front(&k, &t, a->v[6]) &&
         (!tree || is_tree(vm, a->v[5], en_program_results(a->v[2])));
    if (!ok || !keep_key(vm, &k, &t)) {
        forget_one(vm, &k);
        obj_drop(vm, args);
        return sc_failed(vm) ? NIL : NONE;
    }
    obj_drop(vm, args);
    if ((a->v[4].tag != T_NIL && a->v[4].tag != T_NONE &&
         !take_state(vm, a->v[4], &k.state)) ||
        (a->v[7].tag != T_NIL && a->v[7].tag != T_NONE &&
         !en_take_guards(vm, a->v[7], &k.guards)) ||
        (a->v[8].tag != T_NIL && a->v[8].tag != T_NONE &&
         !take_donated(vm, a->v[8], t.nleaves, &k))) {
        forget_one(vm, &k);
        return NIL;
    }
    k.program = sc_ref(a->v[2]);
    k.out = tree ? sc_ref(a->v[5]) : NIL;
    d->trees = d->trees || tree;
    if (d->n < ENTRIES) {
        d->known[d->n++] = k;
    } else {
        forget_one(vm, &d->known[d->next]);
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

/* pause(on): every call is slow (jax.disable_jit) */
static Value s_pause(Vm *vm, const Args *a)
{
    return sc_to_bool(vm, a->v[0], &vm->engine->paused) ? NONE : NIL;
}

static const NativeDef statics[] = {
    {"changed", s_changed, ""}, {"pause", s_pause, "on"}, {0}};
static const NativeDef methods[] = {
    {"remember", m_remember, "self,args,program,single|state,out,like,guards,donated"},
    {"forget", m_forget, "self"},
    {0},
};

const ClassDef dispatch_def = {
    .name = "Dispatch",
    .init = dispatch_init,
    .init_params = "",
    .call = dispatch_call,
    .native_free = dispatch_free,
    .native_visit = dispatch_visit,
    .methods = methods,
    .statics = statics,
};
