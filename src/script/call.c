/* call.c -- calls: binding arguments to parameters, natives, classes, frames.
 *
 * Arguments come as an Args: n values by place, then nkw by name, borrowed from the caller for as long as the call runs.
 *
 *   natives    have their parameters as a text, `self,x|y$z`: behind | they may be missing, behind $ they go by name alone.
 *              Each has its place in an array, NIL where it is missing, which the native borrows as well.
 *   functions  own what is in their frame: values are counted there, or moved from the registers of the caller (move).
 *              sc_frame_for has a short way for what most calls are, places and defaults alone; bind_slow is the rest.
 *   relays     stand for something else that is called in their place with the same arguments (sc_relayed): how a module's
 *              call goes straight to its forward, as long as nothing was hooked into it.
 *
 * A frame is freed by who runs it: by the machine when it returns, by its generator, or here if it never ran.
 */
#include "ast.h"

/* ---- natives ----------------------------------------------------------------------- */

typedef struct ParamName {
    const char *s;
    size_t n;
} ParamName;

static int split_params(const char *params, ParamName *out, int *nreq, int *nmax)
{
    int n = 0;
    bool kwonly = false, optional = false;

    *nreq = *nmax = 0;
    while (*params) {
        size_t len = strcspn(params, ",|$");

        if (len && n < PARAMS_MAX) {
            out[n++] = (ParamName){params, len};
            *nreq += !optional && !kwonly;
            *nmax += !kwonly;
        }
        params += len;
        if (*params == '|')
            optional = true;
        if (*params == '$')
            kwonly = true;
        params += *params != 0;
    }
    return n;
}

static bool wrong_count(Vm *vm, const char *fname, const ParamName *p, int nreq, int nmax,
                        int given, int skip)
{
    if (given > nmax)
        return sc_fail(vm, C_TypeError,
                       "%s() takes %s%d positional argument%s but %d %s given", fname,
                       nreq < nmax ? "at most " : "", nmax - skip,
                       nmax - skip == 1 ? "" : "s", given - skip,
                       given - skip == 1 ? "was" : "were");
    return sc_fail(vm, C_TypeError, "%s() missing required argument '%.*s' (pos %d)", fname,
                   (int)p[given].n, p[given].s, given + 1 - skip);
}

static int param_index(const ParamName *p, int n, const char *name)
{
    int i = 0;

    while (i < n && (strncmp(p[i].s, name, p[i].n) || name[p[i].n]))
        i++;
    return i;
}

bool sc_bind_native(Vm *vm, const char *fname, const char *params, const Args *a, Value *out)
{
    ParamName p[PARAMS_MAX];
    const char *other;
    int nreq, nmax, n, i, k;

    if (params[0] == '*')
        return true;
    n = split_params(params, p, &nreq, &nmax);
    int skip = n > 0 && p[0].n == 4 && memcmp(p[0].s, "self", 4) == 0;

    if (a->n > nmax)
        return wrong_count(vm, fname, p, nreq, nmax, a->n, skip);
    for (i = 0; i < n; i++)
        out[i] = i < a->n ? a->v[i] : NIL;
    for (k = 0; k < a->nkw; k++) {
        Str *s = as_str(a->names[k]);

        i = param_index(p, n, s->s);
        if (i == n && a->user && (other = engine_keyword(vm, a->user, s->s)))
            i = param_index(p, n, other);
        if (i == n) {
            const char *list[PARAMS_MAX], *hint;
            char names[PARAMS_MAX][32];

            for (i = 0; i < n; i++) {
                size_t m = MIN(p[i].n, sizeof names[i] - 1);

                memcpy(names[i], p[i].s, m);
                names[i][m] = 0;
                list[i] = names[i];
            }
            hint = nearest_name(s->s, list, n);
            sc_raise(vm, C_TypeError, "%s() got an unexpected keyword argument '%s'", fname, s->s);
            return sc_hint(vm, ". Did you mean ", hint);
        }
        if (out[i].tag != T_NIL)
            return sc_fail(vm, C_TypeError, "%s() got multiple values for argument '%s'",
                           fname, s->s);
        out[i] = a->v[a->n + k];
    }
    for (i = 0; i < nreq; i++)
        if (out[i].tag == T_NIL)
            return wrong_count(vm, fname, p, nreq, nmax, i, skip);
    return true;
}

bool sc_check_self(Vm *vm, const Native *f, Value self)
{
    Class *c = f->owner;
    bool ok;

    if (f->self_is == SELF_ANY)
        return true;
    if (self.tag == T_NIL)
        return sc_fail(vm, C_TypeError, "unbound method %s.%s() needs an argument", c->name->s,
                       f->def->name);
    if (f->self_is == SELF_CLASS)
        ok = sc_is_class(self) &&
             sc_is_subclass((Class *)self.o, c);
    else
        ok = sc_is_instance(vm, self, c);
    if (!ok)
        return sc_fail(vm, C_TypeError, "descriptor '%s' for '%s' objects doesn't apply to a '%s' object",
                       f->def->name, c->name->s, sc_type_name(vm, self));
    if (f->self_is == SELF_FILLED && !sc_native(self))
        return sc_fail(vm, C_TypeError, "%s.__init__() was not called", c->name->s);
    return true;
}

/* Every path to a native goes through here, after its arguments are in place. */
static Value run_native(Vm *vm, const Native *f, const Args *a)
{
    if (f->self_is != SELF_ANY && !sc_check_self(vm, f, a->n ? a->v[0] : NIL))
        return NIL;
    return f->def->fn(vm, a);
}

static Value call_native(Vm *vm, Native *f, const Args *a)
{
    Value v[PARAMS_MAX], shifted[16], *heap = NULL, r;
    Args b = *a;

    if (f->self.tag != T_NIL) {
        int total = a->n + a->nkw;
        Value *w = shifted;

        if (total + 1 > COUNT(shifted)) {
            w = heap = sc_alloc(vm, (size_t)(total + 1) * sizeof *w);
            if (!heap)
                return NIL;
        }
        w[0] = f->self;
        if (total)
            memcpy(w + 1, a->v, (size_t)total * sizeof *w);
        b.v = w;
        b.n++;
    }
    b.user = f->user;
    b.def = f->def;
    if (f->nmax < 0) {
        r = run_native(vm, f, &b);
    } else if (b.nkw == 0 && b.n == f->nall && f->nmax == f->nall) {
        r = run_native(vm, f, &b);
    } else if (b.nkw == 0 && b.n >= f->nreq && b.n <= f->nmax) { /* the rest is left out */
        Args c = {v, f->nall, 0, NULL, f->user, f->def};

        if (b.n)
            memcpy(v, b.v, (size_t)b.n * sizeof *v);
        for (int i = b.n; i < f->nall; i++)
            v[i] = NIL;
        r = run_native(vm, f, &c);
    } else if (!sc_bind_native(vm, f->def->name, f->def->params, &b, v)) {
        r = NIL;
    } else {
        Args c = {v, f->nall, 0, NULL, f->user, f->def};

        r = run_native(vm, f, &c);
    }
    if (heap)
        sc_free(vm, heap, (size_t)(a->n + a->nkw + 1) * sizeof *heap);
    return r;
}

Native *sc_native_fn(Vm *vm, const NativeDef *def, Value self, void *user)
{
    Native *f = sc_gc_new(vm, vm->cls[C_builtin_function_or_method], sizeof *f);
    ParamName p[PARAMS_MAX];
    int nreq = 0, nmax = -1, nall = -1;

    if (!f)
        return NULL;
    if (def->params[0] != '*')
        nall = split_params(def->params, p, &nreq, &nmax);
    f->def = def;
    f->self = sc_ref(self);
    f->user = user;
    f->nreq = (int16_t)nreq;
    f->nmax = (int16_t)nmax;
    f->nall = (int16_t)nall;
    return f;
}

/* ---- script functions -------------------------------------------------------------- */

static void missing_args(Vm *vm, Function *f, const Value *regs)
{
    const ByteCode *c = f->code;
    uint32_t n = c->npos - f->ndefaults, k = 0, i, total = 0;
    char text[400];
    size_t at = 0;

    for (i = 0; i < n; i++)
        total += regs[i].tag == T_NIL;
    text[0] = 0;
    for (i = 0; i < n && at + 80 < sizeof text; i++)
        if (regs[i].tag == T_NIL) {
            const char *sep = k == 0 ? "" : k + 1 < total ? ", " : total == 2 ? " and " : ", and ";
            size_t m = strlen(c->param_names[i]->s);

            k++;
            memcpy(text + at, sep, strlen(sep));
            at += strlen(sep);
            m = MIN(m, (size_t)60);
            text[at++] = '\'';
            memcpy(text + at, c->param_names[i]->s, m);
            at += m;
            text[at++] = '\'';
            text[at] = 0;
        }
    sc_raise(vm, C_TypeError, "%s() missing %u required positional argument%s: %s",
             f->qualname->s, total, total == 1 ? "" : "s", text);
}

static void too_many(Vm *vm, Function *f, int n)
{
    const ByteCode *c = f->code;

    if (f->ndefaults)
        sc_raise(vm, C_TypeError, "%s() takes from %u to %u positional arguments but %d were given",
                 f->qualname->s, c->npos - f->ndefaults, c->npos, n);
    else
        sc_raise(vm, C_TypeError, "%s() takes %u positional argument%s but %d %s given",
                 f->qualname->s, c->npos, c->npos == 1 ? "" : "s", n, n == 1 ? "was" : "were");
}

/* What a function calls the keyword, by the names that its module gives: __keywords__ = {"axis": "dim"}. */
static Dict *other_names(Vm *vm, const Function *f)
{
    Value *names = sc_dict_find_str(f->module->attrs, vm->known[S_keywords]);

    return names && sc_is(vm, *names, C_dict) ? (Dict *)names->o : NULL;
}

static Str *other_name(Vm *vm, Dict *names, Str *name)
{
    Value *other = names ? sc_dict_find(vm, names, v_obj(name)) : NULL;

    return other && is_str(*other) ? as_str(*other) : NULL;
}

static bool bind_keyword(Vm *vm, Function *f, VmFrame *fr, Str *name, Value v, Dict *extra)
{
    const ByteCode *c = f->code;
    uint32_t i, n = c->npos + c->nkwonly;

    for (i = c->nposonly; i < n; i++)
        if (c->param_names[i] == name || sc_str_eq(c->param_names[i], name))
            break;
    if (i < n) {
        if (fr->regs[i].tag != T_NIL)
            return sc_fail(vm, C_TypeError, "%s() got multiple values for argument '%s'",
                           f->qualname->s, name->s);
        fr->regs[i] = sc_ref(v);
        return true;
    }
    if (extra)
        return sc_dict_put(vm, extra, v_obj(name), v);
    for (i = 0; i < c->nposonly; i++)
        if (sc_str_eq(c->param_names[i], name))
            return sc_fail(vm, C_TypeError,
                           "%s() got some positional-only arguments passed as keyword "
                           "arguments: '%s'",
                           f->qualname->s, name->s);
    Dict *names = other_names(vm, f);
    Str *other = other_name(vm, names, name);

    for (i = 0; other && i < n; i++)
        if (sc_str_eq(c->param_names[i], other))
            return bind_keyword(vm, f, fr, other, v, extra);
    if (c->has_star && names && sc_str_eq(c->param_names[n], other ? other : name) &&
        ((Tuple *)fr->regs[n].o)->n == 0) { /* torch.flip(x, dims=[0]) of flip(x, *dims) */
        Tuple *t = sc_tuple_of(vm, &v, 1);

        sc_drop(vm, fr->regs[n]);
        fr->regs[n] = t ? v_obj(t) : NIL;
        return t != NULL;
    }
    const char *list[256];
    uint32_t k = MIN(n, (uint32_t)COUNT(list));
    const char *hint;

    for (i = 0; i < k; i++)
        list[i] = c->param_names[i]->s;
    hint = nearest_name(name->s, list, (int)k);
    sc_raise(vm, C_TypeError, "%s() got an unexpected keyword argument '%s'", f->qualname->s, name->s);
    return sc_hint(vm, ". Did you mean ", hint);
}

/* All the forms: more or fewer arguments than parameters, keywords, stars. */
static bool bind_slow(Vm *vm, Function *f, VmFrame *fr, Value *args, int n, int nkw, Value *names)
{
    const ByteCode *c = f->code;
    uint32_t npos = c->npos, i, at = npos + c->nkwonly;
    Dict *extra = NULL;
    int k;

    for (i = 0; i < npos && i < (uint32_t)n; i++)
        fr->regs[i] = sc_ref(args[i]);
    if (c->has_star) {
        int rest = (uint32_t)n > npos ? n - (int)npos : 0;
        Tuple *t = rest ? sc_tuple_of(vm, args + npos, rest) : gc_ref(vm->empty_tuple);

        if (!t)
            return false;
        fr->regs[at++] = v_obj(t);
    } else if ((uint32_t)n > npos) {
        too_many(vm, f, n);
        return false;
    }
    if (c->has_dstar) {
        extra = sc_dict(vm);
        if (!extra)
            return false;
        fr->regs[at++] = v_obj(extra);
    }
    for (k = 0; k < nkw; k++)
        if (!bind_keyword(vm, f, fr, as_str(names[k]), args[n + k], extra))
            return false;
    for (i = 0; i < npos; i++) {
        if (fr->regs[i].tag != T_NIL)
            continue;
        if (i < npos - f->ndefaults) {
            missing_args(vm, f, fr->regs);
            return false;
        }
        fr->regs[i] = sc_ref(f->defaults[i - (npos - f->ndefaults)]);
    }
    for (i = 0; i < c->nkwonly; i++) {
        if (fr->regs[npos + i].tag != T_NIL)
            continue;
        if (f->defaults[f->ndefaults + i].tag == T_NIL)
            return sc_fail(vm, C_TypeError,
                           "%s() missing 1 required keyword-only argument: '%s'",
                           f->qualname->s, c->param_names[npos + i]->s);
        fr->regs[npos + i] = sc_ref(f->defaults[f->ndefaults + i]);
    }
    return true;
}

VmFrame *sc_frame_for(Vm *vm, Function *f, Value *args, int n, int nkw, Value *names, bool move)
{
    const ByteCode *c = f->code;
    VmFrame *fr;
    uint32_t i = 0;

    if ((UNLIKELY(!c->ins) && !sc_code_load(c)) || (UNLIKELY(vm->loading) && !sc_may_call(vm, c)))
        return NULL;
    fr = sc_alloc(vm, sizeof *fr + c->nregs * sizeof(Value));
    if (!fr)
        return NULL;
    *fr = (VmFrame){.code = c, .pc = c->ins, .fn = gc_ref(f), .module = f->module};
    if (nkw == 0 && (uint32_t)n <= c->npos && (uint32_t)n + f->ndefaults >= c->npos && !c->has_star && !c->has_dstar &&
        !c->nkwonly) {
        uint32_t first = c->npos - f->ndefaults; /* parameter that has a default */

        if (move)
            for (; i < (uint32_t)n; i++) {
                fr->regs[i] = args[i];
                args[i].tag = T_NIL;
            }
        else
            for (; i < (uint32_t)n; i++)
                fr->regs[i] = sc_ref(args[i]);
        for (; i < c->npos; i++)
            fr->regs[i] = sc_ref(f->defaults[i - first]);
        for (; i < c->nregs; i++)
            fr->regs[i].tag = T_NIL;
        return fr;
    }
    for (i = 0; i < c->nregs; i++)
        fr->regs[i] = NIL;
    if (!bind_slow(vm, f, fr, args, n, nkw, names)) {
        sc_frame_free(vm, fr);
        return NULL;
    }
    return fr;
}

void sc_frame_free(Vm *vm, VmFrame *fr)
{
    const ByteCode *c = fr->code;
    uint32_t n = c->nregs, i;

    for (i = 0; i < n; i++)
        if (fr->regs[i].tag == T_OBJ)
            sc_drop(vm, fr->regs[i]);
    if (fr->ns)
        obj_drop(vm, fr->ns);
    sc_drop(vm, fr->self);
    Function *fn = fr->fn;

    sc_free(vm, fr, sizeof *fr + n * sizeof(Value));
    obj_drop(vm, fn);
}

/* ---- classes ----------------------------------------------------------------------- */

static Value call_init(Vm *vm, Class *c, Value self, const Args *a)
{
    Value *init = sc_class_find(c, vm->known[S_init]), m, r, v[PARAMS_MAX];

    if (!c->script && c->d.init) {
        if (c->d.init_params[0] == '*')
            return c->d.init(vm, self, a) ? NONE : NIL;
        if (!sc_bind_native(vm, c->name->s, c->d.init_params, a, v))
            return NIL;
        return c->d.init(vm, self, &(Args){.v = v}) ? NONE : NIL;
    }
    if (!init)
        return NONE;
    if (sc_is_exact(vm, *init, C_builtin_function_or_method) &&
        ((Native *)init->o)->owner == vm->cls[C_object]) {
        Value *nw = sc_class_find(c, vm->known[S_new]);

        if ((a->n || a->nkw) && !c->is_tuple && !c->d.make &&
            !(nw && sc_is_exact(vm, *nw, C_staticmethod) &&
              sc_is_exact(vm, ((Wrapped *)nw->o)->fn, C_function)))
            return sc_raise(vm, C_TypeError, "%s() takes no arguments", c->name->s);
        return NONE;
    }
    m = sc_bind(vm, *init, self, c);
    if (m.tag == T_NIL)
        return NIL;
    r = sc_call_args(vm, m, a);
    sc_drop(vm, m);
    if (r.tag != T_NIL && r.tag != T_NONE) {
        sc_raise(vm, C_TypeError, "__init__() should return None, not '%s'",
                 sc_type_name(vm, r));
        sc_drop(vm, r);
        return NIL;
    }
    return r;
}

/* __new__ written in script, or of a native class that makes values itself */
static Value call_new(Vm *vm, Class *c, Value fn, const Args *a)
{
    Value v[40], r, *names = a->names;
    int i, total = a->n + a->nkw;

    if (total + 1 > COUNT(v))
        return sc_raise(vm, C_TypeError, "%s(): too many arguments", c->name->s);
    v[0] = v_obj(c);
    for (i = 0; i < total; i++)
        v[i + 1] = a->v[i];
    r = sc_call_args(vm, fn, &(Args){v, a->n + 1, a->nkw, names, NULL, NULL});
    return r;
}

Value sc_make_value(Vm *vm, Class *c, const Args *a)
{
    Value v[PARAMS_MAX];

    if (c->d.make_params[0] == '*')
        return c->d.make(vm, c, a);
    return sc_bind_native(vm, c->name->s, c->d.make_params, a, v)
               ? c->d.make(vm, c, &(Args){.v = v})
               : NIL;
}

Value sc_call_class(Vm *vm, Class *c, const Args *a)
{
    Value *nw = c->script ? sc_class_find(c, vm->known[S_new]) : NULL, self, r, fn;

    fn = nw ? *nw : NIL;
    if (sc_is_exact(vm, fn, C_staticmethod))
        fn = ((Wrapped *)fn.o)->fn;
    if (fn.tag == T_OBJ && !(sc_is_exact(vm, fn, C_builtin_function_or_method) && !c->is_tuple)) {
        self = call_new(vm, c, fn, a);
        if (self.tag == T_NIL || !sc_is_instance(vm, self, c))
            return self;
    } else if (c->d.make) {
        self = sc_make_value(vm, c, a);
        if (c == vm->cls[C_type] && a->n == 3 && self.tag != T_NIL)
            c = self.o->cls; /* the metaclass of its bases */
        if (self.tag == T_NIL || !c->script || !sc_is_instance(vm, self, c))
            return self;
    } else {
        self = sc_new_given(vm, c, a);
    }
    if (self.tag == T_NIL)
        return NIL;
    r = call_init(vm, c, self, a);
    if (r.tag == T_NIL) {
        sc_drop(vm, self);
        return NIL;
    }
    sc_drop(vm, r);
    return self;
}

/* ---- anything ---------------------------------------------------------------------- */

static Value call_method(Vm *vm, Method *m, const Args *a)
{
    Value small[12], *v = small, r;
    int total = a->n + a->nkw;

    if (total + 1 > COUNT(small)) {
        v = sc_alloc(vm, (size_t)(total + 1) * sizeof *v);
        if (!v)
            return NIL;
    }
    v[0] = m->self;
    if (total)
        memcpy(v + 1, a->v, (size_t)total * sizeof *v);
    r = sc_call_args(vm, m->fn, &(Args){v, a->n + 1, a->nkw, a->names, NULL, NULL});
    if (v != small)
        sc_free(vm, v, (size_t)(total + 1) * sizeof *v);
    return r;
}

Value sc_relayed(Vm *vm, const Function *f, const Value *args, int n, int nkw, int *skip)
{
    const Relay *r = f->relay;
    const Value *own, *m;
    Class *cls;
    Value replay;
    Dict *d;

    *skip = 0;
    if (!r->method)
        return r->to.tag == T_NIL ? NIL : sc_ref(r->to);
    if (n < 1 || args[0].tag != T_OBJ || !(cls = args[0].o->cls)->script || !cls->d.attrs_at)
        return NIL;
    d = *(Dict **)(void *)((char *)args[0].o + cls->d.attrs_at);
    for (int64_t i = 0; d && i < r->dicts->n; i++) {
        const Value *v = sc_dict_find_str(d, as_str(r->dicts->v[i]));

        if (!v || !sc_is(vm, *v, C_dict) || ((Dict *)v->o)->live)
            return NIL;
    }
    m = sc_class_find(cls, r->method);
    if (!d || !m || !sc_is_exact(vm, *m, C_function))
        return NIL;
    own = sc_dict_find_str(d, r->method);
    *skip = own != NULL;
    if (r->record.tag != T_NIL && !own && !nkw && vm->replay && (replay = vm->replay(vm, r->record, args, n)).tag != T_NIL) {
        *skip = 1;
        return replay;
    }
    return sc_ref(own ? *own : *m);
}

Value sc_relayed_attr(Vm *vm, const Function *f, Value self, Str *name)
{
    const Relay *r = f->relay;
    Dict *d = r && !r->method && r->to.tag == T_NIL && self.o->cls->d.attrs_at
                  ? *(Dict **)(void *)((char *)self.o + self.o->cls->d.attrs_at)
                  : NULL;

    for (int64_t i = 0; d && i < r->dicts->n; i++) {
        const Value *in = sc_dict_find_str(d, as_str(r->dicts->v[i]));
        const Value *v = in && sc_is_exact(vm, *in, C_dict) ? sc_dict_find_str((Dict *)in->o, name) : NULL;

        if (v)
            return sc_ref(*v);
    }
    return NIL;
}

/* A function of the script: its frame, or what it relays to. */
static Value call_function(Vm *vm, Function *f, const Args *a)
{
    int skip;
    Value to = f->relay ? sc_relayed(vm, f, a->v, a->n, a->nkw, &skip) : NIL, r;
    VmFrame *fr;

    if (to.tag != T_NIL) {
        r = sc_call_args(vm, to, &(Args){a->v + skip, a->n - skip, a->nkw, a->names, NULL, NULL});
        sc_drop(vm, to);
        return r;
    }
    fr = sc_frame_for(vm, f, a->v, a->n, a->nkw, a->names, false);
    return !fr ? NIL : fr->code->is_generator ? sc_new_generator(vm, fr) : sc_run(vm, fr);
}

Value sc_call_args(Vm *vm, Value fn, const Args *a)
{
    Class *c = sc_class_of(vm, fn);
    Value r = NIL;

    if (!sc_enter(vm))
        return NIL;
    if (fn.tag == T_OBJ)
        sc_ref(fn); /* the call may drop the last other count */
    if (c == vm->cls[C_function]) {
        r = call_function(vm, (Function *)fn.o, a);
    } else if (c == vm->cls[C_builtin_function_or_method]) {
        r = call_native(vm, (Native *)fn.o, a);
    } else if (c == vm->cls[C_method]) {
        r = call_method(vm, (Method *)fn.o, a);
    } else if (c->is_type && c->d.call == vm->cls[C_type]->d.call) {
        r = sc_call_class(vm, (Class *)fn.o, a);
    } else if (c->d.call) {
        r = c->d.call(vm, fn, a);
    } else {
        sc_raise(vm, C_TypeError, "'%s' object is not callable", sc_type_name(vm, fn));
    }
    sc_drop(vm, fn);
    sc_leave(vm);
    return r;
}

Value sc_call(Vm *vm, Value fn, const Value *args, int n)
{
    return sc_call_args(vm, fn, &(Args){(Value *)(uintptr_t)args, n, 0, NULL, NULL, NULL});
}

Value sc_call_method(Vm *vm, Value self, const char *name, const Value *args, int n)
{
    Value m = sc_getattr_s(vm, self, name), r;

    if (m.tag == T_NIL)
        return NIL;
    r = sc_call(vm, m, args, n);
    sc_drop(vm, m);
    return r;
}
