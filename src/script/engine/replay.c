/* replay.c -- calls of modules that come again, as the program that they are.
 *
 * A module that is called over and over where nothing is recorded (no_grad, inference_mode) runs the same ops each time, of
 * which each costs more than the numbers of a small network. After REPEATS calls the library is asked for the program of its
 * forward (torch.nn.modules._replay), which it gives only where the source can do nothing but compute one tensor; from then on
 * such calls run that program. It is never compiled: it is the very ops, each as it is run alone, so that no bit of a result
 * tells. Functions that are programs already (composed.c) have no place in it, since those are compiled.
 *
 * What it holds for is held against what is there at each call:
 *
 *   spots    the dicts of the tree of modules: attributes, parameters, buffers, children, hooks. Their keys are what they were,
 *            in the same order, and so are classes of modules and values that do not change within themselves
 *   state    tensors of those dicts, fetched anew, and arguments: of the types of then, packed, on the host
 *   guards   what else was read: globals, free variables, items of lists
 *   version  of all classes and of what names of the library mean (Vm.version)
 *
 * It is kept behind the module (sc_behind) and goes with it; modules are not referred to, so that none lives longer.
 */
#include "compile/compile.h"
#include "script/engine/engine.h"

#define REPEATS   1000       /* calls before a program is made, which costs as much as thousands do */
#define ATTEMPTS  8          /* programs for one module: its calls may change their types */
#define BYTES_MAX (1 << 18)  /* of all values: in larger ones the time is that of the numbers, and their memory would stay taken */
#define SPOTS_MAX 512
#define LEAF_MAX  128        /* tensors of state and arguments */
#define RANK_MAX  8          /* of each of them */

typedef struct Held {
    int32_t from; /* the dict in which it stands; -1: the attributes of the module itself */
    uint32_t at;  /* the entry there */
    Class *cls;   /* it has the attributes of a module of this class; NULL: it is the entry */
    uint32_t n;
    Str **names;
    Value *want; /* T_NIL: anything */
} Held;

typedef struct Replayed {
    wf_exec *exec;
    Held *spots;
    int nspots, nstate, nargs;
    int32_t (*state)[2]; /* spot and entry of each */
    int64_t *key;        /* types of state and arguments */
    int nkey;
    Value guards; /* NIL: none */
    uint32_t version;
    wf_precision precision; /* of its products */
    Dict **found;  /* room for a check */
    Tensor **leaf; /* what it found: the inputs of the call that follows */
} Replayed;

typedef struct Replay {
    int calls, attempts; /* calls since the last program was made or was good for one */
    Replayed *known;     /* NULL: none */
} Replay;

/* ---- what it holds for ------------------------------------------------------------------------------------------------ */

static void known_free(Vm *vm, Replayed *k)
{
    for (int i = 0; i < k->nspots; i++) {
        Held *s = &k->spots[i];

        for (uint32_t j = 0; j < s->n; j++) {
            obj_drop(vm, s->names[j]);
            sc_drop(vm, s->want[j]);
        }
        sc_free(vm, s->names, s->n * sizeof *s->names);
        sc_free(vm, s->want, s->n * sizeof *s->want);
        if (s->cls)
            obj_drop(vm, s->cls);
    }
    sc_free(vm, k->spots, SPOTS_MAX * sizeof *k->spots);
    sc_free(vm, k->found, SPOTS_MAX * sizeof *k->found);
    sc_free(vm, k->state, LEAF_MAX * sizeof *k->state);
    sc_free(vm, k->leaf, LEAF_MAX * sizeof *k->leaf);
    sc_free(vm, k->key, LEAF_MAX * (RANK_MAX + 2) * sizeof *k->key);
    sc_drop(vm, k->guards);
    wf_exec_release(k->exec);
    sc_free(vm, k, sizeof *k);
}

static bool same_value(Vm *vm, Value a, Value b)
{
    if (a.tag != b.tag)
        return false;
    return a.tag == T_NONE || a.i == b.i || (a.tag == T_OBJ && is_str(a) && is_str(b) && sc_str_eq(as_str(a), as_str(b)));
}

static bool held_holds(Vm *vm, const Held *s, const Dict *d)
{
    if (!d || d->n != s->n || d->live != s->n)
        return false;
    for (uint32_t j = 0; j < s->n; j++)
        if (d->e[j].key.tag != T_OBJ || d->e[j].key.o != (Obj *)s->names[j] ||
            (s->want[j].tag != T_NIL && !same_value(vm, d->e[j].val, s->want[j])))
            return false;
    return true;
}

static Dict *attrs_of(Obj *o) { return o->cls->d.attrs_at ? *(Dict **)(void *)((char *)o + o->cls->d.attrs_at) : NULL; }

/* The dict of a spot now; NULL: there is none. */
static Dict *spot_dict(Vm *vm, const Replayed *k, const Held *s, Value self)
{
    Value v = s->from < 0 ? self : k->found[s->from]->e[s->at].val;

    if (v.tag != T_OBJ || (s->cls ? v.o->cls != s->cls : !sc_is(vm, v, C_dict)))
        return NULL;
    return s->cls ? attrs_of(v.o) : (Dict *)(void *)v.o;
}

/* The tensor, and its type behind the n numbers of key; NULL: not one for a program. */
static Tensor *take_leaf(Vm *vm, Value v, int64_t *key, int *n)
{
    const Tensors *s = vm->cx->tensors;
    Tensor *t;
    wf_tensor h;

    if (!is_tensor(vm, v) || as_tensor(v)->front != &vm->engine->front[FRONT_TORCH] || *n > LEAF_MAX * (RANK_MAX + 2) - RANK_MAX - 2)
        return NULL;
    h = as_tensor(v)->t;
    t = h.index < s->nslots && s->slots[h.index].gen == h.gen ? s->slots[h.index].t : NULL;
    if (!t || t->symbolic || t->gone || !t->packed || t->rank > RANK_MAX || t->weak || t->layout || tensor_device(t) || view_is_old(t))
        return NULL;
    key[(*n)++] = (int64_t)(uintptr_t)v.o->cls; /* one of a class of the user's sees what is done with it */
    key[(*n)++] = t->dtype | (int64_t)t->rank << 16;
    for (uint32_t i = 0; i < t->rank; i++)
        key[(*n)++] = t->dims[i];
    return t;
}

/* Are the inputs of the types of then? They are in k->leaf. */
static bool inputs_hold(Vm *vm, Replayed *k, const Value *args)
{
    int64_t key[LEAF_MAX * (RANK_MAX + 2)];
    int n = 0;

    for (int i = 0; i < k->nstate + k->nargs; i++) {
        Value v = i < k->nstate ? k->found[k->state[i][0]]->e[k->state[i][1]].val : args[i - k->nstate];

        if (!(k->leaf[i] = take_leaf(vm, v, key, &n)))
            return false;
    }
    return n == k->nkey && !memcmp(key, k->key, (size_t)n * sizeof *key);
}

static bool known_holds(Vm *vm, Replayed *k, Value self, const Value *args, int nargs)
{
    if (k->version != vm->version || k->nargs != nargs || k->precision != vm->engine->front[FRONT_TORCH].means.precision)
        return false;
    for (int i = 0; i < k->nspots; i++) {
        k->found[i] = spot_dict(vm, k, &k->spots[i], self);
        if (!held_holds(vm, &k->spots[i], k->found[i]))
            return false;
    }
    return inputs_hold(vm, k, args) && (k->guards.tag == T_NIL || en_guards_hold(vm, (Tuple *)(void *)k->guards.o));
}

/* ---- what is there now -------------------------------------------------------------------------------------------------- */

/* A value that is what it is for as long as it is the same; others are held by what was read of them. */
static bool stays(Vm *vm, Value v)
{
    return v.tag != T_OBJ || is_str(v) || v.o->cls == vm->cls[C_tuple] || v.o->cls == vm->cls[C_function] ||
           v.o->cls == vm->cls[C_builtin_function_or_method];
}

/* The number of a dict of the tree; -1: it is none. */
static int32_t find_spot(const Replayed *k, Value dict)
{
    for (int i = 0; i < k->nspots; i++)
        if (dict.tag == T_OBJ && (Obj *)k->found[i] == dict.o)
            return i;
    return -1;
}

/* The keys of a dict, and those values that are to stay. Its number; -1: too much, or no memory. */
static int note_dict(Vm *vm, Replayed *k, int from, uint32_t at, Class *cls, Dict *d)
{
    Held *s = &k->spots[k->nspots];

    if (!d || k->nspots == SPOTS_MAX || d->live != d->n || find_spot(k, v_obj(d)) >= 0) /* in two places: one of them may change */
        return -1;
    *s = (Held){.from = from, .at = at};
    s->names = sc_alloc(vm, d->n * sizeof *s->names);
    s->want = sc_alloc(vm, d->n * sizeof *s->want);
    if (d->n && (!s->names || !s->want)) {
        sc_free(vm, s->names, d->n * sizeof *s->names);
        sc_free(vm, s->want, d->n * sizeof *s->want);
        return -1;
    }
    s->cls = cls ? gc_ref(cls) : NULL;
    s->n = d->n;
    k->found[k->nspots] = d;
    for (uint32_t j = 0; j < d->n; j++) {
        s->names[j] = (Str *)(void *)sc_ref(d->e[j].key).o;
        s->want[j] = stays(vm, d->e[j].val) ? sc_ref(d->e[j].val) : NIL;
    }
    return k->nspots++;
}

static bool note_module(Vm *vm, Replayed *k, int from, uint32_t at, Obj *module, int deep)
{
    static const char *const parts[] = {"_parameters", "_buffers", "_modules", "_forward_hooks", "_forward_pre_hooks", "_backward_hooks"};
    Dict *d = attrs_of(module);
    int own = note_dict(vm, k, from, at, module->cls, d);

    if (own < 0 || deep > 32)
        return false;
    for (uint32_t j = 0; j < d->n; j++) {
        Value v = d->e[j].val;
        bool part = false;
        int i;

        for (size_t p = 0; p < COUNT(parts) && !part; p++)
            part = is_str(d->e[j].key) && !strcmp(as_str(d->e[j].key)->s, parts[p]);
        if (!part)
            continue;
        if (v.tag != T_OBJ || !sc_is(vm, v, C_dict) || (i = note_dict(vm, k, own, j, NULL, (Dict *)(void *)v.o)) < 0)
            return false;
        if (strcmp(as_str(d->e[j].key)->s, "_modules") != 0)
            continue;
        for (uint32_t m = 0; m < k->found[i]->n; m++) {
            Value child = k->found[i]->e[m].val;

            if (child.tag == T_OBJ && !note_module(vm, k, i, m, child.o, deep + 1))
                return false;
        }
    }
    return true;
}

/* The entry of this name, which is there, or -1. */
static int32_t find_name(Vm *vm, const Held *s, Value name)
{
    for (uint32_t j = 0; is_str(name) && j < s->n; j++)
        if (sc_str_eq(s->names[j], as_str(name)))
            return (int32_t)j;
    return -1;
}

/* places: dicts and names of the inputs before the arguments, in turn. */
static bool note_state(Vm *vm, Replayed *k, Value places)
{
    Tuple *t = sc_tuple_from(vm, places);
    bool ok = t && t->n / 2 + k->nargs <= LEAF_MAX;

    for (int64_t i = 0; ok && i < t->n; i += 2, k->nstate++) {
        int32_t *at = k->state[k->nstate];

        at[0] = find_spot(k, t->v[i]);
        ok = at[0] >= 0 && (at[1] = find_name(vm, &k->spots[at[0]], t->v[i + 1])) >= 0;
    }
    if (t)
        obj_drop(vm, t);
    return ok;
}

/* Places, keys and values in turn: those of the tree are its own to hold, the others are k's guards. */
static bool note_guards(Vm *vm, Replayed *k, Value guards)
{
    Tuple *t = sc_tuple_from(vm, guards);
    List *rest = sc_list(vm, 0);
    bool ok = t && rest, any = false;

    for (int64_t i = 0; ok && i + 2 < t->n; i += 3) {
        int32_t at = find_spot(k, t->v[i]), name = at < 0 ? -1 : find_name(vm, &k->spots[at], t->v[i + 1]);

        if (name >= 0 && k->spots[at].cls)
            sc_put(vm, &k->spots[at].want[name], sc_ref(t->v[i + 2]));
        if (at >= 0) { /* its keys are held, and what it has of tensors and modules is not what they are but of what types */
            ok = name >= 0 || t->v[i + 1].tag == T_NONE;
            continue;
        }
        any = true;
        for (int64_t j = i; ok && j < i + 3; j++)
            ok = sc_list_push(vm, rest, t->v[j]);
    }
    ok = ok && (!any || en_take_guards(vm, v_obj(rest), &k->guards));
    if (t)
        obj_drop(vm, t);
    if (rest)
        obj_drop(vm, rest);
    return ok;
}

/* Ops alone, of one tensor, none of which looks at numbers or is a program of its own, and little memory. */
static bool is_small(const ProgramObj *g, uint32_t inputs)
{
    const Program *p = g->p;
    int64_t bytes = 0;

    if (p->nsubs || p->effects || p->nout != 1 || p->nin != inputs || p->dims.syms.n || g->ncaptures || !p->neqns ||
        (g->nweak && g->weak[0]) || p->outs[0] <= p->nin)
        return false;
    for (uint32_t i = 0; i < p->neqns; i++)
        for (uint32_t j = 0; j < p->eqns[i].nout; j++) {
            Type t = val_type(p, p->eqns[i].out + j);
            int64_t n = (int64_t)wf_dtype_size((wf_dtype)t.dtype);

            for (uint32_t a = 0; a < t.rank && n <= BYTES_MAX; a++)
                n *= t.dims[a];
            if ((bytes += n) > BYTES_MAX)
                return false;
        }
    return true;
}

/* What the library said of a module: (program, places, guards). NULL: it is not to be replayed. */
static Replayed *known_new(Vm *vm, Value said, Value self, const Value *args, int nargs)
{
    Tuple *t = said.tag == T_OBJ && said.o->cls == vm->cls[C_tuple] ? (Tuple *)(void *)said.o : NULL;
    Replayed *k = t && t->n == 3 ? sc_alloc(vm, sizeof *k) : NULL;
    bool ok;

    if (!k)
        return NULL;
    *k = (Replayed){.nargs = nargs, .guards = NIL, .version = vm->version, .precision = vm->engine->front[FRONT_TORCH].means.precision};
    k->spots = sc_alloc(vm, SPOTS_MAX * sizeof *k->spots);
    k->found = sc_alloc(vm, SPOTS_MAX * sizeof *k->found);
    k->state = sc_alloc(vm, LEAF_MAX * sizeof *k->state);
    k->leaf = sc_alloc(vm, LEAF_MAX * sizeof *k->leaf);
    k->key = sc_alloc(vm, LEAF_MAX * (RANK_MAX + 2) * sizeof *k->key);
    ok = k->spots && k->found && k->state && k->leaf && k->key && note_module(vm, k, -1, 0, self.o, 0) &&
         note_state(vm, k, t->v[1]) && note_guards(vm, k, t->v[2]) && is_small(as_program(t->v[0]), (uint32_t)(k->nstate + nargs));
    for (int i = 0; ok && i < k->nstate + nargs; i++)
        ok = take_leaf(vm, i < k->nstate ? k->found[k->state[i][0]]->e[k->state[i][1]].val : args[i - k->nstate], k->key, &k->nkey) != NULL;
    if (!ok || !known_holds(vm, k, self, args, nargs) || exec_prepare_plain(vm->cx, as_program(t->v[0])->p, &k->exec) != WF_OK) {
        known_free(vm, k);
        return NULL;
    }
    return k;
}

/* ---- calls -------------------------------------------------------------------------------------------------------------- */

static Value run_known(Vm *vm, const Replayed *k)
{
    En e = en_begin_front(vm, &vm->engine->front[FRONT_TORCH]);

    return en_end(&e, tensor_run_plain(e.c, k->exec, k->leaf, (uint32_t)(k->nstate + k->nargs)));
}

/* Are x and y, both tensors, the same to the last bit? */
static bool same_result(Vm *vm, Value x, Value y)
{
    Tensor *a, *b;

    if (!is_tensor(vm, x) || !is_tensor(vm, y) || x.o->cls != y.o->cls)
        return false;
    a = tensor_get(vm->cx, as_tensor(x)->t, "call");
    b = tensor_get(vm->cx, as_tensor(y)->t, "call");
    return a && b && a->dtype == b->dtype && a->rank == b->rank && a->packed && b->packed && !a->root && a->weak == b->weak &&
           tensor_is_here(a) && tensor_is_here(b) && a->count == b->count &&
           !memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) &&
           !memcmp(tensor_data(a), tensor_data(b), (size_t)a->count * wf_dtype_size((wf_dtype)a->dtype));
}

/* The program of calls like this one, if it gives what the module does. */
static Replayed *record_call(Vm *vm, Value record, const Value *args, int n)
{
    Tuple *rest = sc_tuple(vm, n - 1);
    Value said = NIL, plain = NIL, replayed = NIL;
    Replayed *k = NULL;

    for (int i = 1; rest && i < n; i++)
        rest->v[i - 1] = sc_ref(args[i]);
    vm->engine->no_replay++;
    if (rest)
        said = sc_call(vm, record, (Value[]){args[0], v_obj(rest)}, 2);
    if (said.tag != T_NIL && (k = known_new(vm, said, args[0], args + 1, n - 1)) != NULL)
        plain = sc_call(vm, args[0], args + 1, n - 1);
    if (plain.tag != T_NIL && known_holds(vm, k, args[0], args + 1, n - 1))
        replayed = run_known(vm, k);
    vm->engine->no_replay--;
    if (k && (replayed.tag == T_NIL || !same_result(vm, plain, replayed))) {
        known_free(vm, k);
        k = NULL;
    }
    if (k)
        ctx_log(vm->cx, WF_LOG_DEBUG, "calls of a %s are replayed from now on", sc_type_name(vm, args[0]));
    if (sc_failed(vm))
        sc_clear_exc(vm); /* the call itself raises it again */
    if (failed(vm->cx))
        wf_clear(vm->cx);
    sc_drop(vm, said);
    sc_drop(vm, plain);
    sc_drop(vm, replayed);
    if (rest)
        obj_drop(vm, rest);
    return k;
}

/* Behind a module that has others in it; NIL: it has none, or there is no room. */
static Value replay_of(Vm *vm, Value module)
{
    Value *modules, v = sc_behind(module);
    Dict *attrs = attrs_of(module.o);

    if (v.tag != T_NIL || !attrs)
        return v;
    modules = sc_dict_find_str(attrs, vm->known[S_modules]);
    if (!modules || !sc_is_exact(vm, *modules, C_dict) || !((Dict *)(void *)modules->o)->live)
        return NIL;
    v = sc_new_instance(vm, vm->engine->replay);
    if (v.tag != T_NIL && sc_native_new(vm, v, sizeof(Replay)) && sc_put_behind(module, v))
        sc_drop(vm, v); /* the module has it */
    else
        sc_put(vm, &v, NIL);
    if (sc_failed(vm))
        sc_clear_exc(vm);
    return v;
}

Value en_replay(Vm *vm, Value record, const Value *args, int n)
{
    const Tensors *s = vm->cx->tensors;
    const Engine *g = vm->engine;
    const Front *f = g ? &g->front[FRONT_TORCH] : NULL;
    Replay *r;
    Value v;

    if (!g || !s || !s->no_grad || s->trace || s->nlayouts || g->no_replay || g->paused || failed(vm->cx) || vm->cx->profile || n < 2 ||
        f->watcher.tag != T_NIL || f->home || f->casts)
        return NIL;
    v = replay_of(vm, args[0]);
    if (v.tag == T_NIL || !(r = sc_native(v)))
        return NIL;
    if (r->known && known_holds(vm, r->known, args[0], args + 1, n - 1)) {
        r->calls = 0;
        return sc_ref(v);
    }
    if (r->attempts == ATTEMPTS || ++r->calls < REPEATS)
        return NIL;
    r->calls = 0;
    r->attempts++;
    if (r->known)
        known_free(vm, r->known);
    r->known = NULL;
    r->known = record_call(vm, record, args, n);
    return r->known && known_holds(vm, r->known, args[0], args + 1, n - 1) ? sc_ref(v) : NIL;
}

/* What en_replay gave, with the inputs that it found. */
static Value replay_call(Vm *vm, Value self, const Args *a)
{
    const Replay *r = sc_native(self);

    (void)a;
    return r && r->known ? run_known(vm, r->known) : sc_raise(vm, C_TypeError, "a replay is not called by itself");
}

static void replay_free(Vm *vm, void *native)
{
    Replay *r = native;

    if (r->known)
        known_free(vm, r->known);
    r->known = NULL;
}

static void replay_visit(void *native, VisitFn fn, void *user)
{
    const Replay *r = native;

    for (int i = 0; r->known && i < r->known->nspots; i++) {
        const Held *s = &r->known->spots[i];

        if (s->cls)
            fn(v_obj(s->cls), user);
        for (uint32_t j = 0; j < s->n; j++)
            fn(s->want[j], user);
    }
    if (r->known)
        fn(r->known->guards, user);
}

const ClassDef en_replay_def = {
    .name = "Replay",
    .call = replay_call,
    .native_free = replay_free,
    .native_visit = replay_visit,
};
