/* collective.c -- talking over the named axis of a vmap; and the two effects, print and
 * assert.
 *
 * A vmap, or an spmd, traces its function with the name and size of its axis, or its mesh, on the trace; a
 * collective looks for the name from the innermost trace outwards and enters the
 * program, also when its operand is concrete.
 *
 * A context that runs as one of several processes has their mesh, outside of all traces; a collective over its axes
 * happens at once where no trace is open.
 *
 * Effects with a trace open are part of the program, whatever their operands are.
 */
#include "op/mesh.h"
#include "runtime/comm.h"
#include "functions/functions.h"
#include "higher/higher.h"

/* A size of a trace around, in the innermost. */
static Dim brought(wf_ctx *c, Trace *from, Dim d)
{
    Dim r;

    T_ENTER(c, DIM_NONE)
    r = trace_dim(c, c->tensors->trace->b, from, d);
    T_LEAVE(c);
    return r;
}

static Dim axis_of_mesh(const Mesh *m, const char *name, size_t n)
{
    for (uint32_t k = 0; m && k < m->n; k++)
        if (strlen(m->name[k]) == n && !memcmp(m->name[k], name, n))
            return m->size[k];
    return DIM_NONE;
}

/* Of one axis, in the innermost trace; DIM_NONE: it is not bound. *by: who binds it, NULL: the processes' mesh. */
static Dim axis_in(wf_ctx *c, const char *name, size_t n, const Trace **by)
{
    Dim d = DIM_NONE;

    for (const Trace *tr = c->tensors->trace; tr && d == DIM_NONE; tr = tr->outer) {
        const Mesh *m = tr->axis.mesh;

        d = axis_of_mesh(m, name, n);
        if (!m && tr->axis.name && strlen(tr->axis.name) == n &&
            !memcmp(tr->axis.name, name, n))
            d = tr->axis.size;
        *by = tr;
    }
    if (d == DIM_NONE && c->comm) {
        *by = NULL;
        return axis_of_mesh(c->comm->mesh, name, n);
    }
    return d >= 0 || d == DIM_NONE || !(*by)->outer ? d : brought(c, (*by)->outer, d);
}

const TraceAxis *collective_axis(wf_ctx *c, const char *axis)
{
    const Trace *by = NULL;

    return !axis || axis_in(c, axis, strcspn(axis, ","), &by) == DIM_NONE || !by ? NULL : &by->axis;
}

/* The size of the axes in the innermost trace; false with an error. *out_inv: what does not vary over them is known. */
static bool find_axes(wf_ctx *c, const char *fn, const char *axes, Dim *out,
                      bool *out_inv)
{
    const Trace *by = NULL;

    *out = 1;
    *out_inv = false;
    if (failed(c) || !ts(c))
        return false;
    for (const char *s = axes; s; s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL) {
        size_t n = strcspn(s, ",");
        Dim d = axis_in(c, s, n, &by);

        if (d == DIM_NONE) {
            tensor_fail(c, WF_ERR_NAME,
                  "%s: axis '%.*s' is not bound: needs a vmap over an axis of that name",
                  fn, (int)n, s);
            return false;
        }
        *out = size_mul(c, *out, d);
        *out_inv = by && by->axis.check;
    }
    if (!axes)
        tensor_fail(c, WF_ERR_NAME, "%s: axis '(null)' is not bound", fn);
    return !failed(c);
}

static wf_tensor emit(wf_ctx *c, OpCode op, const wf_tensor *in, uint32_t nin,
                      const void *attr, const char *fn)
{
    Tensor *x = nin ? tensor_get(c, in[0], fn) : NULL, *out = NULL;
    bool weak;

    if (failed(c) || (nin && !x))
        return WF_NONE;
    weak = x && x->weak;
    if (!c->tensors->trace) {
        wf_tensor y = WF_NONE;

        tensor_op(c, op, in, nin, attr, &y, 1);
        return y;
    }
    if (!trace_emit(c, op, &x, nin, attr, &out, 1))
        return WF_NONE;
    out->weak = weak;
    return tensor_handle(c, out);
}

wf_tensor collective_op(wf_ctx *c, OpCode op, wf_tensor x, const CollectiveAttr *like,
                        const char *fn)
{
    CollectiveAttr a = *like;
    bool inv;

    if (!find_axes(c, fn, a.axis, &a.size, &inv))
        return WF_NONE;
    if (a.parts.n)
        a.size = a.parts.v[0];
    if (op == OP_psum || op == OP_pmax || op == OP_pmin) {
        a.inv = inv && !a.groups.n;
        a.size = DIM_NONE;
    }
    if (op == OP_psum && wf_dtype_of(c, x) == WF_BOOL)
        x = wf_cast(c, x, WF_I32);
    return emit(c, op, &x, op != OP_axis_index, &a, fn);
}

static wf_tensor over_axis(wf_ctx *c, OpCode op, wf_tensor x, const char *axis,
                           const char *fn)
{
    return collective_op(c, op, x, &(CollectiveAttr){.axis = axis}, fn);
}

wf_tensor wf_psum(wf_ctx *c, wf_tensor x, const char *axis)
{
    return over_axis(c, OP_psum, x, axis, "wf_psum");
}

wf_tensor wf_pmean(wf_ctx *c, wf_tensor x, const char *axis)
{
    Dim size;
    bool inv;
    wf_tensor count;

    if (!find_axes(c, "wf_pmean", axis, &size, &inv))
        return WF_NONE;
    x = float_cast(c, x, "wf_pmean");
    count = wf_set_weak(c, wf_cast(c, size_tensor(c, size), wf_dtype_of(c, x)), true);
    return wf_div(c, wf_psum(c, x, axis), count);
}

wf_tensor wf_pmax(wf_ctx *c, wf_tensor x, const char *axis)
{
    return over_axis(c, OP_pmax, x, axis, "wf_pmax");
}

wf_tensor wf_pmin(wf_ctx *c, wf_tensor x, const char *axis)
{
    return over_axis(c, OP_pmin, x, axis, "wf_pmin");
}

/* An axis of x, or, with one more, of what it becomes. */
static bool place_of(wf_ctx *c, const char *fn, wf_tensor x, int at, uint32_t more,
                     int64_t *out)
{
    uint32_t k;

    if (failed(c) || !axis_of(c, fn, at, (uint32_t)wf_rank(c, x) + more, &k))
        return false;
    *out = k;
    return true;
}

wf_tensor wf_all_gather(wf_ctx *c, wf_tensor x, const char *axis, int at)
{
    CollectiveAttr a = {.axis = axis};

    if (!place_of(c, "wf_all_gather", x, at, 1, &a.at))
        return WF_NONE;
    return collective_op(c, OP_all_gather, x, &a, "wf_all_gather");
}

wf_tensor wf_reduce_scatter(wf_ctx *c, wf_tensor x, const char *axis, int at)
{
    CollectiveAttr a = {.axis = axis};

    if (!place_of(c, "wf_reduce_scatter", x, at, 0, &a.at))
        return WF_NONE;
    return collective_op(c, OP_reduce_scatter, x, &a, "wf_reduce_scatter");
}

wf_tensor wf_all_to_all(wf_ctx *c, wf_tensor x, const char *axis, int at, int to)
{
    CollectiveAttr a = {.axis = axis};

    if (!place_of(c, "wf_all_to_all", x, at, 0, &a.at) ||
        !place_of(c, "wf_all_to_all", x, to, 0, &a.to))
        return WF_NONE;
    return collective_op(c, OP_all_to_all, x, &a, "wf_all_to_all");
}

wf_tensor wf_ppermute(wf_ctx *c, wf_tensor x, const char *axis, const int64_t *pairs,
                      int n)
{
    return collective_op(
        c, OP_ppermute, x,
        &(CollectiveAttr){.axis = axis, .perm = {2 * (uint32_t)n, pairs}}, "wf_ppermute");
}

wf_tensor wf_axis_index(wf_ctx *c, const char *axis)
{
    return over_axis(c, OP_axis_index, WF_NONE, axis, "wf_axis_index");
}

int64_t wf_axis_size(wf_ctx *c, const char *axis)
{
    Dim size;
    bool inv;

    return find_axes(c, "wf_axis_size", axis, &size, &inv) ? size : -1;
}
