/* stage.c -- steps of a frame whose memory is on a device: there, or by the host.
 *
 * A step the device has a kernel for is put into its queue. Any other is staged: what it
 * reads is copied to the host, it runs there as it would on the host, and what it writes
 * is copied back. Its uses say what that is, and nothing else about the step is known. The
 * host's copy of a base is as large as the base, so that offsets are the same (the
 * mirror). Steps that run sub-programs on the device run on the host, which puts the steps
 * of the sub-program into the queue.
 */
#include "runtime/comm.h"

static bool is_staged(const Frame *f, const Op *op)
{
    return f->plan->staged && f->plan->staged[op->eqn];
}

/* ---- memory by address -------------------------------------------------------------- */

bool frame_copy(Frame *f, void *to, const void *from, int64_t n)
{
    Root *r = f->root;

    if (n <= 0 || to == from)
        return true;
    if (frame_is_away(f))
        return queue_copy(r->cx, f->plan->device, r->queue, to, from, (size_t)n,
                          COPY_INSIDE);
    memcpy(to, from, (size_t)n);
    return true;
}

bool frame_zero(Frame *f, void *to, int64_t n)
{
    Device *d = f->plan->device;

    if (n <= 0)
        return true;
    if (frame_is_away(f))
        return d->put_zero(d, f->root->queue->impl, to, (size_t)n) ||
               device_fail(f->root->cx, d, "its memory cannot be written");
    memset(to, 0, (size_t)n);
    return true;
}

bool frame_read(Frame *f, const void *from, size_t n, void *to)
{
    Root *r = f->root;

    if (frame_is_away(f))
        return queue_copy(r->cx, f->plan->device, r->queue, to, from, n, COPY_OUT) &&
               queue_sync(r->cx, r->queue);
    memcpy(to, from, n);
    return true;
}

/* ---- mirrors ------------------------------------------------------------------------ */

static void need_mirror(Frame *f, uint32_t base)
{
    Root *r = f->root;
    Block *m = &f->mirrors[base];
    int64_t bytes = frame_base_bytes(f, base);

    if (base == base_const(f->plan) || bytes < 0 || (m->p && m->size >= (size_t)bytes))
        return;
    device_free(&device_host, NULL, &r->al, m->p, m->size);
    *m = (Block){device_alloc(&device_host, NULL, &r->al, (size_t)bytes), (size_t)bytes};
    f->mirror[base] = (uintptr_t)m->p;
    if (!m->p)
        ctx_out_of_memory(r->cx);
}

void frame_make_mirrors(Frame *f, uint32_t seg)
{
    const Segment *s = &f->seg[seg];

    for (uint32_t i = 0; i < s->ops.n; i++)
        for (uint32_t k = 0; is_staged(f, &s->ops.v[i]) && k < s->ops.v[i].use.n; k++)
            need_mirror(f, s->ops.v[i].use.v[k].at.base);
}

/* ---- steps -------------------------------------------------------------------------- */

/* The bytes of a use, between the device and the mirror. */
static bool copy_use(Frame *f, const Use *u, CopyKind kind)
{
    Root *r = f->root;
    intptr_t off = (intptr_t)(u->at.off + u->low);
    char *there = (char *)f->base[u->at.base] + off,
         *here = (char *)f->mirror[u->at.base] + off;

    if (u->at.base == base_const(f->plan))
        return true;
    return queue_copy(r->cx, f->plan->device, r->queue, kind == COPY_IN ? there : here,
                      kind == COPY_IN ? here : there, (size_t)(u->high - u->low), kind);
}

/* Writing a use with gaps must leave what lies in them. */
static bool is_fetched(const Use *u)
{
    return u->kind & USE_READ || (u->kind & USE_WRITE && u->gaps);
}

static bool run_staged(Frame *f, const Op *op)
{
    uintptr_t *base = f->base;
    bool ok = true;

    for (uint32_t i = 0; i < op->use.n && ok; i++)
        if (is_fetched(&op->use.v[i]))
            ok = copy_use(f, &op->use.v[i], COPY_OUT);
    if (!queue_sync(f->root->cx, f->root->queue) ||
        !ok)          /* also if a copy failed: others are */
        return false; /* still on their way */
    f->base = f->mirror;
    ok = op->run(f, op);
    f->base = base;
    for (uint32_t i = 0; i < op->use.n && ok; i++)
        if (op->use.v[i].kind & USE_WRITE)
            ok = copy_use(f, &op->use.v[i], COPY_IN);
    return ok;
}

static bool fail_step(Frame *f, const Op *op)
{
    const Device *d = f->plan->device;
    const char *why = atomic_load(&d->why);

    return op_fail(f, op, WF_ERR_DEVICE, "device '%s' failed%s%s", d->name,
                   why ? ": " : "", why ? why : "");
}

bool frame_run_op(Frame *f, const Op *op)
{
    Device *d = f->plan->device;

    if (op->kind == OP_RUNS_COLLECTIVE) {
        bool done = false;

        if (!frame_exchange(f, op, &done) || done)
            return done;
    }
    if (is_staged(f, op))
        return run_staged(f, op);
    if (op->ncallees || !op->use.n) /* the host's work: control flow, and errors */
        return op->run(f, op);
    return d->put_step(d, f->root->queue->impl, f, op) || fail_step(f, op);
}
