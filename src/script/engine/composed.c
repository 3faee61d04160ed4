/* composed.c -- functions of many ops that are called over and over, as one program.
 *
 * A loss is two dozen ops; run one by one, each costs more than its numbers. Called with tensors of the same types for the
 * third time, such a function becomes a jit, so that it is one step of a history and one run, compiled if that pays. Where
 * sizes change from call to call nothing is traced, and no more than some are kept. Functions that look at numbers (are
 * all classes in range?) have the library do so before.
 */
#include "script/engine/engine.h"

#define ENOUGH 3  /* calls with the same types */
#define TRACES 32 /* of one function */
#define SEEN   64 /* types that are counted at a time */

typedef struct ComposedFn {
    ComposedCall call;
    const Front *front; /* whose rules for dtypes hold in it */
    int nin, nout;
    wf_jit *jit;
    const void *statics; /* of the call that is traced */
    struct ComposedFn *next;
} ComposedFn;

struct ScriptComposed {
    ComposedFn *fns;
    struct {
        uint64_t hash;
        int count;
    } seen[SEEN];
};

static wf_status traced_call(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out, int nout)
{
    ComposedFn *f = user;

    (void)nin, (void)nout;
    f->call(c, in, f->statics, out);
    return ctx_status(c);
}

static ComposedFn *find_fn(En *e, ComposedCall call, int nin, int nout)
{
    struct ScriptComposed *s = e->vm->engine->composed;
    ComposedFn *f;

    for (f = s->fns; f; f = f->next)
        if (f->call == call && f->nin == nin && f->nout == nout && f->front == e->f)
            return f;
    if (!(f = sc_alloc(e->vm, sizeof *f)))
        return NULL;
    *f = (ComposedFn){.call = call, .front = e->f, .nin = nin, .nout = nout, .next = s->fns};
    s->fns = f;
    return f;
}

/* Of the types of the operands and the statics; 0: one of them is symbolic. */
static uint64_t hash_call(En *e, ComposedCall call, const wf_tensor *in, int nin, const void *statics, size_t size)
{
    uint64_t h = hash_mix(hash_mix((uint64_t)nin, (uint64_t)(uintptr_t)call), (uint64_t)(uintptr_t)e->f);

    for (int i = 0; i < nin; i++) {
        const Tensor *t = tensor_get(e->c, in[i], e->label ? e->label : "a function");

        if (!t || t->symbolic)
            return 0;
        h = hash_mix(h, (uint64_t)t->dtype | (uint64_t)t->weak << 8 | (uint64_t)t->rank << 16);
        for (uint32_t k = 0; k < t->rank; k++)
            h = hash_mix(h, (uint64_t)t->dims[k]);
    }
    for (size_t i = 0; i < size; i++)
        h = hash_mix(h, ((const unsigned char *)statics)[i]);
    return h | 1;
}

void en_composed(En *e, ComposedCall call, const wf_tensor *in, int nin, const void *statics, size_t size, wf_tensor *out, int nout)
{
    Engine *g = e->vm->engine;
    uint64_t h = e->c->tensors->trace || g->paused ? 0 : hash_call(e, call, in, nin, statics, size);
    ComposedFn *f = NULL;
    int *count = NULL;

    g->met_composed |= e->c->tensors->trace != NULL;
    for (int i = 0; i < nout; i++)
        out[i] = WF_NONE;
    if (failed(e->c))
        return;
    if (h && !g->composed && (g->composed = sc_alloc(e->vm, sizeof *g->composed)))
        memset(g->composed, 0, sizeof *g->composed);
    if (h && g->composed) {
        count = &g->composed->seen[h % SEEN].count;
        if (g->composed->seen[h % SEEN].hash != h) {
            g->composed->seen[h % SEEN].hash = h;
            *count = 0;
        }
        if (*count < ENOUGH)
            ++*count;
        f = *count == ENOUGH ? find_fn(e, call, nin, nout) : NULL;
    }
    if (f && !f->jit) {
        wf_function fn = WF_FUNCTION(traced_call, f, nin, nout, e->label);

        wf_jit_new(e->c, &fn, &f->jit);
    }
    if (!f || !f->jit || wf_jit_traces(f->jit) >= TRACES) {
        call(e->c, in, statics, out);
        return;
    }
    f->statics = statics;
    wf_jit_call(e->c, f->jit, in, nin, out, nout, statics, size);
}

Value en_end_composed(En *e, ComposedCall call, const wf_tensor *in, int nin, const void *statics, size_t size)
{
    wf_tensor out;

    en_composed(e, call, in, nin, statics, size, &out, 1);
    return en_end(e, out);
}

void engine_composed_free(Vm *vm)
{
    struct ScriptComposed *s = vm->engine->composed;

    for (ComposedFn *f; s && (f = s->fns) != NULL;) {
        s->fns = f->next;
        wf_jit_free(vm->cx, f->jit);
        sc_free(vm, f, sizeof *f);
    }
    if (s)
        sc_free(vm, s, sizeof *s);
    vm->engine->composed = NULL;
}
