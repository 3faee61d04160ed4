/* run.c -- one run of an executable; the public way to run programs.
 *
 * A run takes an idle Root (or makes one), binds symbols, passes inputs by address
 * (copies of those that are not row-major, not aligned, or on a device the host cannot
 * read), allocates the results and runs. Afterwards the root is idle again. When memory
 * runs out in between, the root is taken down.
 *
 * Donated inputs: the plan says which results lie in the memory of which inputs. That of
 * an array nobody else holds becomes the result's; any other is copied first.
 */
#include "compile/compile.h"
#include "runtime/comm.h"

#include <pthread.h>

#define IDLE_MAX     16    /* roots kept */
#define WORK_OF_RUN (64 << 20) /* so much of it counts as one run more: ten of them take as long as a compiler */

/* ---- roots ------------------------------------------------------------------------- */

/* The root's memory may still be in use in the queue of another context. */
static bool take_queue(wf_ctx *cx, Root *r, Device *d)
{
    Queue *q;

    if (!queue_of_ctx(cx, d, &q))
        return false;
    if (q == r->queue)
        return true;
    if (!queue_join(cx, q, r->queue))
        return false;
    queue_release(r->queue);
    r->queue = queue_retain(q);
    return true;
}

static Root *take_root(wf_ctx *cx, wf_exec *e)
{
    Root *r = NULL;

    pthread_mutex_lock(e->lock);
    for (Root **at = &e->idle; *at && !r; at = &(*at)->next)
        if ((*at)->wish == ctx_wish(cx)) { /* workspaces depend on it */
            r = *at;
            *at = r->next;
            break;
        }
    pthread_mutex_unlock(e->lock);
    if (!r)
        r = root_new(cx, &e->al, e->plans.v.n, e->p->nin, e->p->nout);
    if (r) {
        r->cx = cx;
        r->scratch.cx = cx;
        r->next = NULL;
    }
    return r;
}

static void give_root(wf_exec *e, Root *r)
{
    uint32_t n = 0;

    r->cx = NULL;
    pthread_mutex_lock(e->lock);
    for (Root *i = e->idle; i; i = i->next)
        n++;
    if (n < IDLE_MAX) {
        r->next = e->idle;
        e->idle = r;
        r = NULL;
    }
    pthread_mutex_unlock(e->lock);
    root_free(r);
}

size_t wf_exec_memory(wf_exec *e)
{
    size_t bytes = 0;

    if (!e)
        return 0;
    if (e->fast)
        return wf_exec_memory(e->fast);
    pthread_mutex_lock(e->lock);
    for (const Root *r = e->idle; r; r = r->next)
        bytes += root_bytes(r);
    pthread_mutex_unlock(e->lock);
    return bytes;
}

/* ---- a run ------------------------------------------------------------------------- */

typedef struct Run {
    wf_ctx *cx;
    wf_exec *e;
    Root *root;
    wf_array *const *in;
    wf_array **out;
    bool into;      /* out are arrays of the caller's */
    Array **copies; /* the root's: of inputs, for this run; NULL where none was needed; of a
                       donated input that needs no copy, itself */
    bool started;   /* memory of donated inputs may have changed */
} Run;

static const char *input_title(const Program *p, uint32_t i)
{
    return p->vals[i + 1].name ? p->names[p->vals[i + 1].name] : "";
}

static bool check_inputs(Run *r)
{
    const Program *p = r->e->p;

    for (uint32_t i = 0; i < p->nin; i++) {
        Type t = val_type(p, i + 1);
        if (!r->in || !r->in[i])
            return fail(r->cx, WF_ERR_ARG, NOWHERE, "%s: input %u '%s' is NULL", p->name,
                        i, input_title(p, i));
        if (array_is_gone(r->in[i]))
            return fail(r->cx, WF_ERR_ARG, NOWHERE,
                        "%s: input %u '%s' was donated to an earlier run, which took its "
                        "memory",
                        p->name, i, input_title(p, i));
        if (r->in[i]->dtype != t.dtype || r->in[i]->rank != t.rank)
            return fail(r->cx, WF_ERR_TYPE, NOWHERE,
                        "%s: input %u '%s' needs %s, got %s of rank %d", p->name, i,
                        input_title(p, i), type_str(&p->dims, t, &r->cx->scratch),
                        wf_dtype_name((wf_dtype)r->in[i]->dtype), r->in[i]->rank);
    }
    return true;
}

/* few: room for FEW_SYMS values, so that a small program's run needs no arena. */
#define FEW_SYMS 16
static bool bind_symbols(Run *r, int64_t *few, int64_t **out)
{
    const Program *p = r->e->p;
    const int64_t *few_dims[FEW_SYMS], **dims = few_dims;

    *out = few;
    if (p->nin > FEW_SYMS)
        dims = arena_array(&r->cx->scratch, p->nin, sizeof *dims);
    if (p->dims.syms.n > FEW_SYMS)
        *out = arena_array(&r->cx->scratch, p->dims.syms.n, sizeof **out);
    for (uint32_t i = 0; i < p->nin; i++)
        dims[i] = array_dims(r->in[i]);
    return program_bind(r->cx, p, dims, *out);
}

static bool can_pass(const Run *r, const Array *a)
{
    const Device *d = a->buf->device;

    return (d == r->e->plan->device ||
            (d->host_reads && r->e->plan->device->host_reads)) &&
           array_is_dense(a) &&
           (uintptr_t)array_at(a) % wf_dtype_size((wf_dtype)a->dtype) == 0;
}

/* A donated input whose memory can be had. */
static bool can_take(const Run *r, uint32_t i)
{
    if (!r->e->donated || !r->e->donated[i] || !can_pass(r, r->in[i]) ||
        (!r->e->updates && !array_is_sole(r->in[i])))
        return false;
    for (uint32_t k = 0; k < r->e->p->nin; k++)
        if (k != i && r->in[k] == r->in[i])
            return false;
    return true;
}

/* The copy of a donated one becomes a result: its memory is kept like theirs. */
static bool copy_input(Run *r, const Frame *f, uint32_t i)
{
    const Array *a = r->in[i];
    uint32_t j = 0;
    bool ok;

    while (j < r->e->p->nout && f->plan->out_from[j] != i + 1)
        j++;
    if (j < r->e->p->nout)
        ok = array_new_kept(r->cx, f->plan->device, (wf_dtype)a->dtype, array_dims(a),
                            a->rank, r->root->kept + (size_t)j * KEPT, &r->copies[i]);
    else
        ok = array_new_on(r->cx, f->plan->device, (wf_dtype)a->dtype, array_dims(a),
                          a->rank, &r->copies[i]);
    return ok && array_copy_to(r->cx, a, r->copies[i]);
}

static bool pass_inputs(Run *r, Frame *f)
{
    for (uint32_t i = 0; i < r->e->p->nin; i++) {
        Array *a = r->in[i];
        if (can_take(r, i))
            r->copies[i] = wf_array_retain(a);
        else if ((f->plan->in_taken[i] || !can_pass(r, a)) && !copy_input(r, f, i))
            return false;
        if (r->copies[i])
            a = r->copies[i];
        if (!queue_join(r->cx, r->root->queue, a->buf->queue))
            return false;
        f->base[base_in(f->plan, i)] = (uintptr_t)array_at(a);
    }
    return true;
}

static bool result_dims(const Run *r, const int64_t *symvals, uint32_t j, int64_t *dims)
{
    const Program *p = r->e->p;
    Type t = val_type(p, p->outs[j]);
    int64_t count, bytes;

    for (uint32_t k = 0; k < t.rank; k++)
        if (!dim_eval(&p->dims, t.dims[k], symvals, &dims[k]) || dims[k] < 0)
            return false;
    return type_size((wf_dtype)t.dtype, dims, t.rank, &count, &bytes);
}

/* The caller's array for a result has its type, now that sizes are known. */
static bool takes_result(const Run *r, uint32_t j, Type t, const int64_t *dims)
{
    const Array *a = r->out[j];

    if (a->dtype == t.dtype && a->rank == t.rank &&
        (!t.rank || !memcmp(array_dims(a), dims, t.rank * sizeof *dims)))
        return true;
    return fail(
        r->cx, a->dtype == t.dtype ? WF_ERR_SHAPE : WF_ERR_TYPE, NOWHERE,
        "%s: result %u is %s, the array for it %s", r->e->p->name, j,
        type_str(&r->e->p->dims, (Type){.dtype = t.dtype, .rank = t.rank, .dims = dims},
                 &r->cx->scratch),
        type_str(&r->e->p->dims,
                 (Type){.dtype = a->dtype, .rank = a->rank, .dims = array_dims(a)},
                 &r->cx->scratch));
}

/* Before the run those results that equations write into; after it the rest. A size that
 * cannot be computed is left to the equation, which will fail at its place. */
static bool make_results(Run *r, Frame *f, bool after)
{
    const Program *p = r->e->p;

    for (uint32_t j = 0; j < p->nout; j++) {
        Type t = val_type(p, p->outs[j]);
        int64_t dims[MAX_RANK];
        if ((r->out[j] && !r->into) || (!after && !f->plan->out_direct[j]))
            continue;
        if (!result_dims(r, f->symvals, j, dims)) {
            if (after)
                return fail(r->cx, WF_ERR_SHAPE, NOWHERE,
                            "%s: the size of result %u cannot be computed", p->name, j);
            continue;
        }
        if (r->into) {
            if (!takes_result(r, j, t, dims))
                return false;
            f->base[base_out(f->plan, j)] = (uintptr_t)array_at(r->out[j]);
            continue;
        }
        if (f->plan->out_from[j] && r->e->updates) {
            r->out[j] = wf_array_retain(r->copies[f->plan->out_from[j] - 1]);
            continue;
        }
        if (f->plan->out_from[j]) {
            Buffer *buf = r->copies[f->plan->out_from[j] - 1]->buf;
            if (!array_new_in(r->cx, buf, (wf_dtype)t.dtype, dims, t.rank, &r->out[j]))
                return false;
            continue;
        }
        if (!array_new_kept(r->cx, f->plan->device, (wf_dtype)t.dtype, dims, t.rank,
                            r->root->kept + (size_t)j * KEPT, &r->out[j]))
            return false;
        f->base[base_out(f->plan, j)] = (uintptr_t)array_at(r->out[j]);
    }
    return true;
}

/* What owns inputs in other queues may free or change them: not before this run is done
 * with them. */
static bool leave_inputs(Run *r)
{
    Queue *q = r->root->queue;

    for (uint32_t i = 0; q && i < r->e->p->nin; i++) {
        Queue *own = r->copies[i] ? NULL : r->in[i]->buf->queue;

        if (own && own != q && !queue_join(r->cx, own, q))
            return false;
    }
    return true;
}

/* A plan that cannot be on the device of its executable: results go there. */
static bool move_results(Run *r)
{
    for (uint32_t j = 0; r->e->device != r->e->plan->device && j < r->e->p->nout; j++) {
        wf_array *there;

        if (wf_array_to(r->cx, r->out[j], r->e->device, &there) != WF_OK)
            return false;
        wf_array_release(r->out[j]);
        r->out[j] = there;
    }
    return true;
}

static bool run_frame(Frame *f)
{
    Device *d = f->plan->device;

    return d->put_frame ? d->put_frame(d, f->root->queue->impl, f) : frame_steps(f);
}

static bool run_exec(Run *r)
{
    int64_t few[FEW_SYMS], *symvals;
    Frame *f;

    if (!check_inputs(r) || !bind_symbols(r, few, &symvals) ||
        !take_queue(r->cx, r->root, r->e->plan->device))
        return false;
    f = root_frame(r->root, r->e->plan, symvals);
    if (!pass_inputs(r, f) || !make_results(r, f, false))
        return false;
    r->started = true;
    if (!run_frame(f) || !make_results(r, f, true))
        return false;
    if (!frame_results(f) || !leave_inputs(r) || !move_results(r))
        return false;
    return !UNLIKELY(r->root->checks) || root_check(r->root, f);
}

/* Gives everything back but the results of a good run. */
static void end_run(Run *r, bool ok)
{
    const Program *p = r->e->p;

    if (!ok && r->cx->comm && r->cx->comm->settle)
        r->cx->comm->settle(r->cx->comm); /* exchanges that go on use its memory */
    for (uint32_t i = 0; i < p->nin; i++) {
        if (!r->copies[i])
            continue;
        if (r->started && r->copies[i] == r->in[i] && !r->e->updates)
            array_forget(r->in[i]);
        wf_array_release(r->copies[i]);
        r->copies[i] = NULL; /* for the root's next run */
    }
    for (uint32_t j = 0; !ok && !r->into && j < p->nout; j++) {
        wf_array_release(r->out[j]);
        r->out[j] = NULL;
    }
}

static wf_status run_served(wf_ctx *cx, wf_exec *e, wf_array *const *in, wf_array **out,
                            bool into)
{
    Region region;
    Run r = {.cx = cx, .e = e, .in = in, .out = out, .into = into};
    int64_t work;
    bool ok;

    r.root = take_root(cx, e);
    if (!r.root) {
        fail_memory(cx);
        return ctx_status(cx);
    }
    r.copies = r.root->copies;
    if (!api_enter_(cx, &region)) {
        give_root(e, r.root);
        return WF_ERR_ARG;
    }
    if (setjmp(region.jump)) { /* nothing in r changed since it was filled */
        end_run(&r, false);
        root_free(r.root);
        return api_out_of_memory(cx, &region);
    }
    work = r.root->work;
    ok = run_exec(&r);
    end_run(&r, ok);
    if (ok && e->after && !atomic_load(&e->settled))
        atomic_fetch_add(&e->runs,
                         (int)MIN((r.root->work - work) / WORK_OF_RUN, e->after));
    if (cx->status == WF_ERR_MEMORY)
        root_free(r.root);
    else
        give_root(e, r.root);
    arena_reset(&cx->scratch, region.scratch_mark); /* also inside another region */
    return api_leave(cx, &region);
}

/* Where arrays have no numbers nothing runs: results are of the sizes that the inputs say. */
static bool make_blanks(Run *r)
{
    const Program *p = r->e->p;
    int64_t few[FEW_SYMS], *symvals, dims[MAX_RANK];

    if (!check_inputs(r) || !bind_symbols(r, few, &symvals))
        return false;
    for (uint32_t j = 0; j < p->nout; j++) {
        Type t = val_type(p, p->outs[j]);

        if (!result_dims(r, symvals, j, dims))
            return fail(r->cx, WF_ERR_UNSUPPORTED, NOWHERE,
                        "%s: the size of its result depends on numbers, which a meta tensor does not have", p->name);
        if (!array_new_on(r->cx, r->e->device, (wf_dtype)t.dtype, dims, t.rank, &r->out[j]))
            return false;
    }
    return true;
}

static wf_status run_blank(wf_ctx *cx, wf_exec *e, wf_array *const *in, wf_array **out)
{
    Run r = {.cx = cx, .e = e, .in = in, .out = out};

    API_ENTER(cx);
    if (!make_blanks(&r))
        for (uint32_t j = 0; j < e->p->nout; j++) {
            wf_array_release(out[j]);
            out[j] = NULL;
        }
    API_RETURN(cx);
}

wf_status exec_run(wf_ctx *cx, wf_exec *e, wf_array *const *in, wf_array **out, bool into)
{
    if (e->device->blank)
        return run_blank(cx, e, in, out);
    e = exec_serving(cx, e, in);
    return failed(cx) ? cx->status : run_served(cx, e, in, out, into);
}

static void clear_outputs(wf_array **out, int nout)
{
    for (int j = 0; out && j < nout; j++)
        out[j] = NULL;
}

static bool fits_program(wf_ctx *cx, const char *fn, const Program *p,
                         wf_array *const *in, int nin, wf_array **out, int nout)
{
    return has_count(cx, fn, "inputs", in, nin, p->nin) &&
           has_count(cx, fn, "places of results", out, nout, p->nout);
}

int wf_exec_inputs(const wf_exec *e) { return e ? (int)e->p->nin : 0; }
int wf_exec_outputs(const wf_exec *e) { return e ? (int)e->p->nout : 0; }

wf_status wf_run(wf_ctx *cx, wf_exec *e, wf_array *const *in, int nin, wf_array **out,
                 int nout)
{
    if (failed(cx))
        return ctx_status(cx);
    clear_outputs(out, nout);
    if (!NEEDS(cx, e) || !fits_program(cx, "wf_run", e->p, in, nin, out, nout))
        return ctx_status(cx);
    return exec_run(cx, e, in, out, false);
}

wf_status wf_eval(wf_ctx *cx, const wf_program *p, wf_array *const *in, int nin,
                  wf_array **out, int nout)
{
    wf_exec *e;

    clear_outputs(out, nout);
    if (!NEEDS(cx, p) || !fits_program(cx, "wf_eval", p, in, nin, out, nout) ||
        wf_prepare(cx, p, &e) != WF_OK)
        return ctx_status(cx);
    wf_run(cx, e, in, nin, out, nout);
    wf_exec_release(e);
    return ctx_status(cx);
}

/* ---- the oracle -------------------------------------------------------------------- */

static Nd *inputs_as_nd(wf_ctx *cx, const Program *p, wf_array *const *in)
{
    Nd *x = arena_zalloc(&cx->scratch, (p->nin + 1) * sizeof *x);

    for (uint32_t i = 0; i < p->nin; i++) {
        const Array *a = in[i];
        x[i] = (Nd){(wf_dtype)a->dtype, a->rank, array_dims(a), a->count, NULL};
        x[i].data =
            arena_array(&cx->scratch, (size_t)a->count, wf_dtype_size(x[i].dtype));
        if (!array_copy_out(cx, a, x[i].data))
            return NULL;
    }
    return x;
}

static bool reference(wf_ctx *cx, const Program *p, wf_array *const *in, wf_array **out)
{
    Nd *x, *y = arena_zalloc(&cx->scratch, (p->nout + 1) * sizeof *y);

    for (uint32_t i = 0; i < p->nin; i++)
        if (!in || !in[i])
            return fail(cx, WF_ERR_ARG, NOWHERE, "%s: input %u '%s' is NULL", p->name, i,
                        input_title(p, i));
    x = inputs_as_nd(cx, p, in);
    if (!x || !eval_program(cx, p, x, y, &cx->scratch))
        return false;
    for (uint32_t j = 0; j < p->nout; j++)
        if (wf_array_from(cx, y[j].dtype, y[j].dims, (int)y[j].rank, y[j].data,
                          &out[j]) != WF_OK)
            return false;
    return true;
}

wf_status wf_eval_reference(wf_ctx *cx, const wf_program *p, wf_array *const *in, int nin,
                            wf_array **out, int nout)
{
    Region region;
    bool ok;

    if (failed(cx))
        return ctx_status(cx);
    clear_outputs(out, nout);
    if (!NEEDS(cx, p) || !fits_program(cx, "wf_eval_reference", p, in, nin, out, nout))
        return ctx_status(cx);
    if (!api_enter_(cx, &region))
        return WF_ERR_ARG;
    if (setjmp(region.jump)) {
        for (uint32_t j = 0; j < p->nout; j++) {
            wf_array_release(out[j]);
            out[j] = NULL;
        }
        return api_out_of_memory(cx, &region);
    }
    ok = reference(cx, p, in, out);
    for (uint32_t j = 0; !ok && j < p->nout; j++) {
        wf_array_release(out[j]);
        out[j] = NULL;
    }
    return api_leave(cx, &region);
}
