/* walk.c -- going through the steps of any plan: in order, with those of the sub-programs
 * that they run. What a step does is in its uses and callees (runtime.h). */
#include "runtime/runtime.h"

typedef struct Walk {
    StepFn *fn;
    void *user;
    Arena *a;
    VEC(const Frame *) done;
} Walk;

static bool walk_frame(Walk *w, Frame *f);

static bool walk_step(Walk *w, Frame *f, const Op *op)
{
    if (!w->fn(w->user, f, op))
        return false;
    for (uint32_t i = 0; i < op->ncallees; i++) {
        Frame *g = root_find(f->root, op->callee[i].plan, op->callee[i].symvals);

        if (g && !walk_frame(w, g))
            return false;
    }
    return true;
}

static bool walk_frame(Walk *w, Frame *f)
{
    for (uint32_t i = 0; i < w->done.n; i++)
        if (w->done.v[i] == f)
            return true;
    vec_push(w->a, &w->done, f);
    for (uint32_t s = 0; s < f->plan->nsegs; s++)
        for (uint32_t i = 0; f->seg[s].bound && i < f->seg[s].ops.n; i++)
            if (!walk_step(w, f, &f->seg[s].ops.v[i]))
                return false;
    return true;
}

bool frame_walk(Frame *f, StepFn *fn, void *user)
{
    Arena *a = &f->root->scratch;
    ArenaMark mark = arena_mark(a);
    Walk w = {.fn = fn, .user = user, .a = a};
    bool ok = walk_frame(&w, f);

    arena_reset(a, mark);
    return ok;
}

int64_t frame_base_bytes(const Frame *f, uint32_t base)
{
    const Plan *plan = f->plan;
    const Program *p = plan->p;
    Val v;

    if (base < plan->nsegs)
        return (int64_t)f->seg[base].mem_size;
    if (base == base_const(plan))
        return -1;
    if (base >= base_dyn(plan, 0))
        return (int64_t)f->dyn[base - base_dyn(plan, 0)].size;
    v = base < base_out(plan, 0) ? base - base_in(plan, 0) + 1
                                 : p->outs[base - base_out(plan, 0)];
    if (!f->dims[p->vals[v].type])
        return -1;
    return k_count((int)val_type(p, v).rank, f->dims[p->vals[v].type]) *
           (int64_t)wf_dtype_size((wf_dtype)val_type(p, v).dtype);
}
