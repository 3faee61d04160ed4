/* event.c -- points in queues of devices: the public functions. On the host, whose work is done when a call is back, a
 * point is the time. */
#include "runtime/runtime.h"

struct wf_event {
    Device *device;
    Queue *queue; /* retained: it holds the device */
    void *mark;   /* NULL: it was reached at once, */
    double at;    /* then */
    wf_allocator al;
};

wf_status wf_event_record(wf_ctx *cx, wf_device *d, wf_event **out_event)
{
    wf_event *e;
    Queue *q;

    if (!SET_OUT(cx, out_event) || !NEEDS(cx, d) || !queue_of_ctx(cx, d, &q))
        return ctx_status(cx);
    if (!(e = mem_alloc(&cx->al, sizeof *e))) {
        fail_memory(cx);
        return ctx_status(cx);
    }
    *e = (wf_event){.device = d, .at = clock_seconds(), .al = cx->al};
    e->queue = queue_retain(q);
    if (q && d->mark && !(e->mark = d->mark(d, q->impl)))
        device_fail(cx, d, "no mark can be made");
    if (failed(cx))
        wf_event_free(e);
    else
        *out_event = e;
    return ctx_status(cx);
}

bool wf_event_reached(const wf_event *e)
{
    return e && (!e->mark || e->device->mark_reached(e->device, e->mark, false));
}

wf_status wf_event_wait(wf_ctx *cx, const wf_event *e)
{
    if (NEEDS(cx, e) && e->mark && !e->device->mark_reached(e->device, e->mark, true))
        device_fail(cx, e->device, "what was put into a queue failed");
    return ctx_status(cx);
}

wf_status wf_event_seconds(wf_ctx *cx, const wf_event *from, const wf_event *to, double *out_seconds)
{
    if (!NEEDS(cx, from && to && out_seconds))
        return ctx_status(cx);
    *out_seconds = 0;
    if (from->device != to->device || !wf_event_reached(from) || !wf_event_reached(to))
        fail(cx, WF_ERR_VALUE, NOWHERE, "wf_event_seconds: %s",
             from->device != to->device ? "the points are of two devices" : "a point is not reached yet");
    else if (from->mark && to->mark)
        *out_seconds = from->device->mark_seconds(from->device, from->mark, to->mark);
    else
        *out_seconds = to->at - from->at;
    return ctx_status(cx);
}

void wf_event_free(wf_event *e)
{
    wf_allocator al;

    if (!e)
        return;
    if (e->mark)
        e->device->mark_free(e->device, e->mark);
    queue_release(e->queue);
    al = e->al;
    mem_free(&al, e, sizeof *e);
}
