/* mesh_cost.c -- what a program that is one spmd costs each device: work, memory, what it exchanges, and how long that takes by
 * a model of latency and bandwidth.
 *
 *   n devices along the axes, S bytes of the operand, a latency, b seconds a byte
 *   psum pmax pmin    the quicker of a ring, 2 (n-1) a + 2 (n-1)/n S b, and a pipelined tree, 2 lg n a + 2 S b
 *   all_gather        (n-1) a + (n-1) S b
 *   reduce_scatter all_to_all     (n-1) a + (n-1)/n S b
 *   ppermute          a + S b
 *
 * Loops count as often as they turn, where that is known, else once; of branches the dearest counts.
 */
#include "op/control.h"
#include "op/mesh.h"
#include "transform/transform.h"

#include <math.h>

typedef struct Sent {
    double bytes, count, seconds;
} Sent;

typedef struct Counter {
    wf_ctx *cx;
    const Mesh *mesh;
    double latency, byte; /* seconds */
} Counter;

static Sent count_program(const Counter *c, const Program *p);

static void add_times(Sent *to, Sent s, double times)
{
    to->bytes += s.bytes * times;
    to->count += s.count * times;
    to->seconds += s.seconds * times;
}

static Sent takes(const Counter *c, double turns, double bytes)
{
    return (Sent){bytes, 1, turns * c->latency + bytes * c->byte};
}

static Sent exchange(const Counter *c, const Program *p, const Eqn *e)
{
    const CollectiveAttr *a = e->attr;
    Type x = val_type(p, eqn_in(p, e)[0]);
    double size = (double)wf_dtype_size((wf_dtype)x.dtype), n;
    const char *rest;
    AxisList axes;
    Sent ring, tree;

    for (uint32_t k = 0; k < x.rank; k++)
        size *= dim_is_const(x.dims[k]) ? (double)x.dims[k] : 64;
    mesh_find(&c->cx->scratch, c->mesh, a->axis, &axes, &rest);
    n = (double)mesh_count(c->mesh, axes);
    if (n < 2)
        return (Sent){0};
    switch (e->op) {
    case OP_all_gather: return takes(c, n - 1, (n - 1) * size);
    case OP_reduce_scatter:
    case OP_all_to_all: return takes(c, n - 1, (n - 1) / n * size);
    case OP_ppermute: return takes(c, 1, size);
    default: break;
    }
    ring = takes(c, 2 * (n - 1), 2 * (n - 1) / n * size);
    tree = takes(c, 2 * ceil(log2(n)), 2 * size);
    return ring.seconds <= tree.seconds ? ring : tree;
}

static Sent control(const Counter *c, const Eqn *e)
{
    Sent sum = {0}, one;
    const CondAttr *branches = e->attr;
    const WhileAttr *loop = e->attr;
    const ScanAttr *scan = e->attr;

    switch (e->op) {
    case OP_cond:
        for (uint32_t k = 0; k < branches->branches.n; k++)
            if ((one = count_program(c, branches->branches.v[k].p)).seconds >=
                sum.seconds)
                sum = one;
        break;
    case OP_scan:
        add_times(&sum, count_program(c, scan->body.p),
                  dim_is_const(scan->length) ? (double)scan->length : 1);
        break;
    case OP_while:
        one = count_program(c, loop->cond.p);
        add_times(&one, count_program(c, loop->body.p), 1);
        add_times(&sum, one,
                  loop->bound != DIM_NONE && dim_is_const(loop->bound)
                      ? (double)loop->bound
                      : 1);
        break;
    case OP_spmd: break;
    default:
        add_times(&sum, count_program(c, ((const CallAttr *)e->attr)->body.p), 1);
        break;
    }
    return sum;
}

static Sent count_program(const Counter *c, const Program *p)
{
    Sent sum = {0};

    for (uint32_t i = 0; i < p->neqns; i++) {
        const Eqn *e = &p->eqns[i];

        switch (e->op) {
        case OP_psum:
        case OP_pmax:
        case OP_pmin:
        case OP_all_gather:
        case OP_reduce_scatter:
        case OP_all_to_all:
        case OP_ppermute: add_times(&sum, exchange(c, p, e), 1); break;
        default:
            if (op_has(e->op, OPF_CONTROL))
                add_times(&sum, control(c, e), 1);
        }
    }
    return sum;
}

const SpmdAttr *xf_program_spmd(wf_ctx *cx, const Program *p, Mesh *m)
{
    const Eqn *found = NULL;

    for (uint32_t i = 0; i < p->neqns; i++)
        if (p->eqns[i].op == OP_spmd)
            found = &p->eqns[i];
    if (found && !mesh_parse(&cx->scratch, ((const SpmdAttr *)found->attr)->mesh, m))
        return found->attr;
    fail(cx, WF_ERR_VALUE, NOWHERE, "'%s' is not divided among the devices of a mesh",
         p->name);
    return NULL;
}

static double over(double amount, double rate) { return rate > 0 ? amount / rate : 0; }

wf_status wf_program_mesh_cost(wf_ctx *cx, const wf_program *p, const wf_machine *machine,
                               wf_mesh_cost *out_cost)
{
    wf_cost own = {.size = sizeof own};
    const SpmdAttr *a;
    Mesh m;

    if (!cx)
        return WF_ERR_ARG;
    if (!p || !machine || machine->size < sizeof *machine || !out_cost ||
        out_cost->size < sizeof out_cost->size) {
        fail(cx, WF_ERR_ARG, NOWHERE,
             "wf_program_mesh_cost: an argument is NULL, or a size not set");
        return ctx_status(cx);
    }
    API_ENTER(cx);
    if ((a = xf_program_spmd(cx, p, &m)) &&
        wf_program_cost(cx, a->body.p, NULL, NULL, 0, &own) == WF_OK) {
        Counter c = {cx, &m, machine->latency, over(1, machine->link)};
        Sent s = count_program(&c, a->body.p);
        wf_mesh_cost r = {.size = out_cost->size,
                          .devices = m.devices,
                          .flops = own.map_flops + own.contraction_flops,
                          .bytes = own.bytes,
                          .live_bytes = own.live_bytes,
                          .sent_bytes = s.bytes,
                          .exchanges = s.count,
                          .compute_seconds = over(own.contraction_flops, machine->flops) +
                                             over(own.bytes, machine->memory),
                          .sent_seconds = s.seconds};

        memcpy(out_cost, &r, MIN(out_cost->size, sizeof r));
    }
    API_RETURN(cx);
}
