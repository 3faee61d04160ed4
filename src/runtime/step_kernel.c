/* step_kernel.c -- calls of fused sub-programs that have machine code.
 *
 * The work of a kernel is so many units (codegen.h), split into tasks. Where tasks leave
 * partial results, how many there are depends on sizes alone, so that results are the
 * same for any number of threads. Little work stays on the caller's thread. Straight
 * programs are one call.
 */
#include "runtime/step.h"

#define ARRAYS_MOST 64

typedef struct KernelTasks {
    const KernelStep *s;
    KernelArgs args; /* of the first task */
} KernelTasks;

static void run_task(void *user, int i)
{
    const KernelTasks *t = user;
    const KernelStep *s = t->s;
    KernelArgs a = t->args;
    int64_t n = s->size.units, each = n / s->tasks, more = n % s->tasks;
    int64_t begin = each * i + MIN(i, more);

    a.tmp += i * s->size.tmp_bytes;
    a.acc += i * s->size.acc_bytes;
    s->code->run(&a, begin, begin + each + (i < more));
}

bool bind_run_kernel(Frame *f, const Op *op)
{
    const KernelStep *s = op->data;
    void *array[ARRAYS_MOST];
    KernelTasks t = {s,
                     {.p = array,
                      .d = s->d,
                      .tmp = op_at(f, op, s->first + s->narrays),
                      .acc = op_at(f, op, s->first + s->narrays + 1),
                      .stop = &f->root->cx->cancelled}};

    for (uint32_t i = 0; i < s->narrays; i++)
        array[i] = op_at(f, op, s->first + i);
    if (s->tasks == 1)
        run_task(&t, 0);
    else
        f->root->par.run(f->root->par.ctx, (int)s->tasks, run_task, &t);
    if (s->code->end)
        s->code->end(&t.args, s->tasks);
    if (s->code->kernel->scalar && cancelled(f->root->cx))
        return op_fail(f, op, WF_ERR_CANCELLED, "the run was cancelled");
    return true;
}

static int64_t count_tasks(const Bind *b, const PlanCode *c, const KernelSize *z)
{
    double work = (double)z->rows * (double)z->cols * c->kernel->cost;
    const Target *t = c->kernel->target;
    int64_t n;

    if (c->kernel->parts && t->tasks_of)
        n = t->tasks_of(c->kernel, z->cols, work);
    else if (c->kernel->parts)
        n = work < t->task ? 1 : (int64_t)MIN(work / t->task, (double)t->tasks_most);
    else
        n = work < t->task || b->root->threads == 1 ? 1 : 4 * b->root->threads;
    return MAX(1, MIN(n, z->units));
}

/* ---- straight programs ------------------------------------------------------------- */

static bool run_straight(Frame *f, const Op *op)
{
    const KernelStep *s = op->data;
    const Straight *flat = s->code->kernel->straight;
    void *array[STRAIGHT_ARRAYS];
    KernelArgs args = {.p = array,
                       .tmp = op_at(f, op, s->narrays),
                       .stop = &f->root->cx->cancelled,
                       .call = s->code->call};

    for (uint32_t i = 0; i < s->narrays; i++)
        array[i] = op_at(f, op, i);
    s->code->run(&args, 0, 1);
    if (flat->loops && cancelled(f->root->cx))
        return op_fail(f, op, WF_ERR_CANCELLED, "the run was cancelled");
    return true;
}

/* Operands are read; results written. */
static void add_arrays(Bind *b, Op *op, UseKind first_out)
{
    for (uint32_t i = 0; i < b->e->nin; i++)
        bind_use(b, op, bind_in(b, i), USE_READ);
    for (uint32_t j = 0; j < b->e->nout; j++)
        bind_use(b, op, bind_out(b, j), j ? USE_WRITE : first_out);
}

static bool bind_straight(Bind *b, const PlanCode *c)
{
    const Straight *flat = c->kernel->straight;
    uint32_t n = b->e->nin + b->e->nout;
    KernelStep *s = arena_zalloc(b->a, sizeof *s);
    Op *op;

    if (n + flat->nconsts > STRAIGHT_ARRAYS)
        return false;
    s->code = c;
    s->narrays = n + flat->nconsts;
    op = bind_op(b, run_straight, s);
    add_arrays(b, op, USE_WRITE);
    for (uint32_t i = 0; i < flat->nconsts; i++) {
        Ref at = {base_const(b->plan), (int64_t)(uintptr_t)flat->consts[i]};

        bind_use_bytes(b, op, at, 0, 0, USE_READ);
    }
    bind_use_bytes(b, op, bind_workspace(b, (size_t)flat->tmp_bytes), flat->tmp_bytes, 0,
                   USE_WORK);
    return true;
}

void bind_kernel_uses(Bind *b, Op *op, const KernelStep *s, UseKind first_out)
{
    add_arrays(b, op, first_out);
    bind_use_bytes(b, op, s->tmp, s->size.tmp_bytes * s->tasks, 0, USE_WORK);
    bind_use_bytes(b, op, s->acc, s->size.acc_bytes * s->tasks, 0, USE_WORK);
}

bool bind_kernel(Bind *b, const PlanCode *c, const Sub *body)
{
    const Kernel *k = c->kernel;
    uint32_t n = b->e->nin + b->e->nout;
    KernelStep *s = arena_zalloc(b->a, sizeof *s);
    Op *op;
    int64_t *d = arena_array(b->a, k->nparams + 1, sizeof *d);

    if (k->straight)
        return bind_straight(b, c);
    s->code = c;
    s->d = d;
    s->narrays = n;
    s->tasks = 1;
    if (n > ARRAYS_MOST)
        return false;
    if (!k->scalar) {
        if (!kernel_size(k, body->binds.v, &s->size))
            return false;
        for (uint32_t i = 0; i < k->nparams; i++)
            if (!dim_eval(&k->dims, k->params[i], body->binds.v, &d[i]))
                return false;
        s->tasks = count_tasks(b, c, &s->size);
        if (!s->size.units && !k->parts)
            return true;
    }
    s->tmp = bind_workspace(b, (size_t)(s->size.tmp_bytes * s->tasks));
    s->acc = bind_workspace(b, (size_t)(s->size.acc_bytes * s->tasks));
    if (k->product)
        return bind_product(b, s, body);
    op = bind_op(b, bind_run_kernel, s);
    op->kind = OP_RUNS_KERNEL;
    bind_kernel_uses(b, op, s, USE_WRITE);
    return true;
}
