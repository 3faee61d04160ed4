/* profile.c -- where the time of a run goes: each step on the clock.
 *
 * While a context has a profile, frame_steps runs its steps through profile_op. A step
 * that runs others (a loop and its body) counts only what is not theirs. Steps are told
 * apart by plan, equation and line; the same body in two loops is one. An op that runs by itself
 * stands where profile_stand says.
 */
#include "runtime/comm.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define EVENTS (1 << 18) /* kept at most */
#define SPANS  4096      /* of the pool's threads within one step, at most */
#define SAMPLE 1e-3      /* seconds between two looks at memory */

typedef struct Entry {
    const Plan *plan;
    uint32_t eqn, op, line;
    const char *file;
    uint32_t number; /* in the order of the steps, at the end */
    bool outer;      /* other steps ran inside it */
    wf_profile_step step;
} Entry;

typedef struct Event {
    Entry *entry;
    double start, seconds;
    int depth; /* of a share: the thread */
} Event;

struct wf_profile {
    wf_allocator al;
    wf_ctx *cx; /* while it is under way; NULL */
    Arena arena; /* of entries and texts */
    VEC(Entry *) entries;
    Entry **slots; /* open addressing, by plan and equation */
    uint32_t nslots;
    double inner; /* seconds of the steps inside the current one */
    double seconds;
    int runs, depth;
    double begin; /* clock: when it began */
    const Place *at; /* where the op stands that runs by itself; NULL: where its program says */
    PoolWatch watch;
    VEC(Event) events, shares;
    VEC(wf_profile_sample) samples;
};

/* ---- entries ----------------------------------------------------------------------- */

static Entry **find_slot(const wf_profile *p, const Plan *plan, uint32_t eqn, uint32_t line, const char *file)
{
    uint64_t h = hash_mix(hash_mix(line, (uint64_t)(uintptr_t)plan), eqn);

    for (uint32_t k = (uint32_t)(h >> 32) & (p->nslots - 1);;
         k = (k + 1) & (p->nslots - 1)) {
        Entry *e = p->slots[k];

        if (!e || (e->plan == plan && e->eqn == eqn && e->line == line && !strcmp(e->file, file)))
            return &p->slots[k];
    }
}

static void grow(wf_profile *p)
{
    p->nslots = p->nslots ? p->nslots * 2 : 64;
    p->slots = arena_zalloc(&p->arena, p->nslots * sizeof *p->slots);
    for (uint32_t i = 0; i < p->entries.n; i++) {
        Entry *e = p->entries.v[i];

        *find_slot(p, e->plan, e->eqn, e->line, e->file) = e;
    }
}

/* "f32[64,512]" with the sizes of this run; "" for a step without results. */
static const char *result_type(wf_profile *p, const Frame *f, const Eqn *e)
{
    Text t;
    Type ty;

    if (!e->nout)
        return "";
    ty = val_type(f->plan->p, e->out);
    text_init(&t, &p->arena);
    text_printf(&t, "%s[", wf_dtype_name((wf_dtype)ty.dtype));
    for (uint32_t k = 0; k < ty.rank; k++) {
        int64_t n = -1;

        dim_eval(&f->plan->p->dims, ty.dims[k], f->symvals, &n);
        text_printf(&t, "%s%lld", k ? "," : "", (long long)n);
    }
    text_char(&t, ']');
    return text_str(&t);
}

/* The op's name; of a call its kind, or the name of the program called. */
static const char *step_name(wf_profile *p, const Eqn *e)
{
    const Sub *body = e->op == OP_call ? reuse_call_body(e->op, e->attr) : NULL;

    if (body && ((const CallAttr *)e->attr)->kind != KIND_PLAIN)
        return op_call_kinds[((const CallAttr *)e->attr)->kind];
    return body ? arena_strdup(&p->arena, body->p->name) : op_name(e->op);
}

static Place place_of(const Frame *f, const Op *op)
{
    const Program *p = f->plan->p;
    const Place *now = f->root->cx->profile->at;

    return now && now->line && p->neqns == 1 ? *now : op->eqn < p->neqns ? eqn_place(p, &p->eqns[op->eqn]) : NOWHERE;
}

static Entry *new_entry(wf_profile *p, const Frame *f, const Op *op, Place at)
{
    const Program *prog = f->plan->p;
    const Eqn *e = &prog->eqns[op->eqn];
    Entry *x = arena_zalloc(&p->arena, sizeof *x);

    x->plan = f->plan;
    x->eqn = op->eqn;
    x->op = e->op;
    x->line = at.line;
    x->file = arena_strdup(&p->arena, at.file ? at.file : "");
    x->step.op = step_name(p, e);
    if (f->plan->staged && f->plan->staged[op->eqn])
        x->step.op = arena_printf(&p->arena, "%s (host)", x->step.op);
    x->step.program = arena_strdup(&p->arena, prog->name);
    x->step.type = result_type(p, f, e);
    x->step.place =
        at.line ? arena_printf(&p->arena, "%s:%u", at.file ? at.file : "", at.line) : "";
    eqn_cost(f->root->cx, prog, e, f->symvals, &x->step.flops, &x->step.bytes);
    return x;
}

static bool is_other(const Entry *x, const Program *p, const Op *op)
{
    const Eqn *e = op->eqn < p->neqns ? &p->eqns[op->eqn] : NULL;

    return !e || e->op != x->op || strcmp(p->name, x->step.program) != 0;
}

/* Bytes of memory that the process holds; 0: the system does not say. */
static size_t resident(void)
{
    unsigned long size = 0, pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");

    if (f && fscanf(f, "%lu %lu", &size, &pages) != 2)
        pages = 0;
    if (f)
        fclose(f);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void keep_event(wf_profile *p, Entry *e, double start, double t)
{
    wf_profile_sample now = {.at = start + t - p->begin};

    if (p->events.n < EVENTS)
        vec_push(&p->arena, &p->events, ((Event){e, start - p->begin, t, p->depth}));
    if (p->samples.n < EVENTS && (!p->samples.n || now.at - p->samples.v[p->samples.n - 1].at > SAMPLE)) {
        now.resident = resident();
        vec_push(&p->arena, &p->samples, now);
    }
}

/* What the pool's threads did for e, which has ended. */
static void keep_shares(wf_profile *p, Entry *e)
{
    uint32_t n = atomic_exchange(&p->watch.n, 0);

    for (const PoolSpan *s = p->watch.v, *end = s + MIN(n, p->watch.room); s < end && p->shares.n < EVENTS; s++)
        vec_push(&p->arena, &p->shares, ((Event){e, s->start - p->begin, s->end - s->start, s->thread}));
}

static Entry *entry_of(wf_profile *p, const Frame *f, const Op *op)
{
    Place at = place_of(f, op);
    Entry **slot;

    if ((p->entries.n + 1) * 2 > p->nslots)
        grow(p);
    slot = find_slot(p, f->plan, op->eqn, at.line, at.file ? at.file : "");
    if (!*slot || is_other(*slot, f->plan->p, op)) { /* of a plan that is gone, at its address */
        *slot = new_entry(p, f, op, at);
        vec_push(&p->arena, &p->entries, *slot);
    }
    return *slot;
}

void profile_stand(wf_ctx *cx, const Place *at)
{
    if (cx->profile)
        cx->profile->at = at;
}

void profile_lend(wf_ctx *cx, wf_ctx *to)
{
    if (!cx->profile)
        return;
    cx->profile->arena.cx = to ? to : cx; /* whose thread notices that memory is exhausted */
    if (to)
        to->profile = cx->profile;
}

/* An exchange with other devices that the step itself carries out. */
static bool is_exchange(const Frame *f, const Op *op)
{
    return op->kind == OP_RUNS_COLLECTIVE && f->root->cx->comm && !f->root->cx->comm->begin;
}

bool profile_op(Frame *f, const Op *op)
{
    wf_profile *p = f->root->cx->profile;
    Entry *e = entry_of(p, f, op);
    double outer = p->inner, start = clock_seconds(), t;
    PoolWatch *old = pool_watch(&p->watch);
    bool ok;

    p->inner = 0;
    p->depth++;
    ok = frame_is_away(f) ? frame_run_op(f, op) && queue_sync(f->root->cx, f->root->queue)
                          : op->run(f, op);
    t = clock_seconds() - start;
    pool_watch(old);
    keep_shares(p, e);
    p->depth--;
    if (is_exchange(f, op))
        profile_beside(f, op, start, start + t);
    else
        keep_event(p, e, start, t);
    e->step.calls++;
    e->step.seconds += t - p->inner;
    e->outer |= p->inner > 0;
    p->inner = outer + t;
    return ok;
}

void profile_beside(Frame *f, const Op *op, double start, double end)
{
    wf_profile *p = f->root->cx->profile;
    int depth = p->depth;

    p->depth = -1;
    keep_event(p, entry_of(p, f, op), start, end - start);
    p->depth = depth;
}

/* ---- the public functions ---------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
    double x = (*(Entry *const *)a)->step.seconds, y = (*(Entry *const *)b)->step.seconds;

    return (x < y) - (x > y);
}

/* Costs were counted for one call; what runs other steps does nothing itself. */
static void finish(wf_profile *p)
{
    for (uint32_t i = 0; i < p->entries.n; i++) {
        Entry *e = p->entries.v[i];

        e->step.flops *= e->outer ? 0 : (double)e->step.calls;
        e->step.bytes *= e->outer ? 0 : (double)e->step.calls;
    }
    qsort(p->entries.v, p->entries.n, sizeof *p->entries.v, by_time);
    for (uint32_t i = 0; i < p->entries.n; i++)
        p->entries.v[i]->number = i;
}

static void leave_context(wf_ctx *cx)
{
    cx->profile->cx = NULL;
    cx->profile = NULL;
}

wf_status wf_profile_begin(wf_ctx *cx, wf_profile **out_profile)
{
    wf_profile *p;

    if (!SET_OUT(cx, out_profile))
        return ctx_status(cx);
    if (cx->profile) {
        fail(cx, WF_ERR_ARG, NOWHERE, "wf_profile_begin: one is under way");
        return ctx_status(cx);
    }
    if (!(p = mem_alloc(&cx->al, sizeof *p))) {
        fail_memory(cx);
        return ctx_status(cx);
    }
    *p = (wf_profile){.al = cx->al, .runs = 1, .begin = clock_seconds()};
    arena_init(&p->arena, &cx->al, cx);
    p->watch.v = arena_alloc(&p->arena, SPANS * sizeof *p->watch.v);
    p->watch.room = p->watch.v ? SPANS : 0;
    p->cx = cx;
    cx->profile_leave = leave_context;
    *out_profile = cx->profile = p;
    return WF_OK;
}

void wf_profile_end(wf_ctx *cx, wf_profile *p)
{
    if (!cx || ctx_elsewhere(cx) || !p || cx->profile != p)
        return;
    leave_context(cx);
    p->seconds = clock_seconds() - p->begin;
    finish(p);
}

void profile_of_runs(wf_profile *p, int runs, double seconds)
{
    p->runs = runs;
    p->seconds = seconds;
}

int wf_profile_events(const wf_profile *p) { return p ? (int)p->events.n : 0; }

wf_profile_event wf_profile_event_at(const wf_profile *p, int i)
{
    const Event *e = p && i >= 0 && (uint32_t)i < p->events.n ? &p->events.v[i] : NULL;

    return e ? (wf_profile_event){(int)e->entry->number, e->depth, e->start, e->seconds} : (wf_profile_event){.step = -1};
}

int wf_profile_shares(const wf_profile *p) { return p ? (int)p->shares.n : 0; }

wf_profile_share wf_profile_share_at(const wf_profile *p, int i)
{
    const Event *e = p && i >= 0 && (uint32_t)i < p->shares.n ? &p->shares.v[i] : NULL;

    return e ? (wf_profile_share){(int)e->entry->number, e->depth, e->start, e->seconds} : (wf_profile_share){.step = -1};
}

int wf_profile_samples(const wf_profile *p) { return p ? (int)p->samples.n : 0; }

wf_profile_sample wf_profile_sample_at(const wf_profile *p, int i)
{
    return p && i >= 0 && (uint32_t)i < p->samples.n ? p->samples.v[i] : (wf_profile_sample){0, 0};
}

int wf_profile_steps(const wf_profile *p) { return p ? (int)p->entries.n : 0; }

const wf_profile_step *wf_profile_step_at(const wf_profile *p, int i)
{
    return p && i >= 0 && (uint32_t)i < p->entries.n ? &p->entries.v[i]->step : NULL;
}

double wf_profile_seconds(const wf_profile *p) { return p ? p->seconds : 0; }
int wf_profile_runs(const wf_profile *p) { return p ? p->runs : 0; }

void wf_profile_free(wf_profile *p)
{
    wf_allocator al;

    if (!p)
        return;
    if (p->cx)
        leave_context(p->cx);
    al = p->al;
    arena_free(&p->arena);
    mem_free(&al, p, sizeof *p);
}
