/* random.c -- the module random: Python's numbers.
 *
 * The core is that of random/python.c, seeded and drawn from as CPython does. The
 * distributions on top are script, each with the formulas CPython uses, so that a seeded
 * script draws the same numbers.
 */
#include "modules.h"
#include "random/random.h"

#include <time.h>
#include <unistd.h>

#define RNG ((PythonRng *)sc_native(a->v[0]))

static bool core_init(Vm *vm, Value self, const Args *a)
{
    PythonRng *r = sc_native_new(vm, self, sizeof *r);

    (void)a;
    if (r)
        python_seed_int(r, 0);
    return r != NULL;
}

static wf_status seed_text(wf_ctx *cx, PythonRng *r, const Str *s)
{
    API_ENTER(cx);
    python_seed_bytes(r, &cx->scratch, s->s, s->n);
    API_RETURN(cx);
}

static Value core_seed(Vm *vm, const Args *a)
{
    Value v = a->v[1];

    if (v.tag == T_NONE)
        python_seed_int(RNG, (int64_t)(clock_seconds() * 1e9) ^ ((int64_t)getpid() << 32) ^
                                 (int64_t)time(NULL));
    else if (v.tag == T_INT || v.tag == T_BOOL)
        python_seed_int(RNG, v.i);
    else if (v.tag == T_FLOAT)
        python_seed_float(RNG, v.f);
    else if (!is_str(v))
        return sc_raise(vm, C_TypeError, "The only supported seed types here are: None, int, "
                                         "float and str");
    else if (seed_text(vm->cx, RNG, as_str(v)) != WF_OK)
        return sc_raise_ctx(vm);
    return NONE;
}

static Value core_random(Vm *vm, const Args *a)
{
    (void)vm;
    return v_float(python_random(RNG));
}

static Value core_bits(Vm *vm, const Args *a)
{
    int64_t k;

    if (!sc_to_int(vm, a->v[1], &k))
        return NIL;
    if (k < 0 || k > 63)
        return sc_raise(vm, C_ValueError, "getrandbits: the number of bits must be from 0 to 63");
    return v_int((int64_t)python_bits(RNG, (int)k));
}

static Value core_state(Vm *vm, const Args *a)
{
    Mt19937 *m = &RNG->mt;
    Tuple *t = sc_tuple(vm, COUNT(m->s) + 1);

    for (int i = 0; t && i < COUNT(m->s); i++)
        t->v[i] = v_int(m->s[i]);
    if (t)
        t->v[COUNT(m->s)] = v_int(m->at);
    return v_obj(t);
}

static Value core_restore(Vm *vm, const Args *a)
{
    Mt19937 *m = &RNG->mt;
    Tuple *t = (Tuple *)a->v[1].o;
    int n = COUNT(m->s);

    if (!sc_is(vm, a->v[1], C_tuple) || t->n != n + 1 || t->v[n].i < 0 || t->v[n].i > n)
        return sc_raise(vm, C_ValueError, "state vector is the wrong size");
    for (int i = 0; i < n; i++)
        m->s[i] = (uint32_t)t->v[i].i;
    m->at = (uint32_t)t->v[n].i;
    return NONE;
}

static const NativeDef core_methods[] = {
    {"_seed", core_seed, "self,a"}, {"random", core_random, "self"},
    {"getrandbits", core_bits, "self,k"}, {"_state", core_state, "self"},
    {"_restore", core_restore, "self,state"}, {0},
};
static const ClassDef core_def = {
    .name = "_Core", .init = core_init, .init_params = "|x", .methods = core_methods};

bool open_random(Vm *vm, ScModule *m) { return sc_module_class(vm, m, &core_def, NULL, NULL); }

