/* optimise.c -- natives for steps of optimisers over lists of parameters: one call for all of them, in place of some for each.
 *
 * An optimiser's rule is traced once, on tensors of any size, with its numbers as inputs; update() runs that program on
 * each parameter, where the results take the memory of the parameter and its state (tensor/update.c).
 */
#include "script/engine/engine.h"

static Tuple *only_tensors(Vm *vm, Value v, const char *fn)
{
    Tuple *t = sc_tuple_from(vm, v);

    for (int64_t i = 0; t && i < t->n; i++)
        if (!is_tensor(vm, t->v[i])) {
            sc_fail(vm, C_TypeError, "%s: needs tensors", fn);
            obj_drop(vm, t);
            return NULL;
        }
    return t;
}

/* with_grad(params): those that have a gradient */
static Value n_with_grad(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    Tuple *in = only_tensors(vm, a->v[0], "with_grad");
    List *out = in ? sc_list(vm, 0) : NULL;
    bool ok = out != NULL;

    for (int64_t i = 0; ok && i < in->n; i++) {
        const Tensor *t = tensor_get(e.c, as_tensor(in->v[i])->t, "with_grad");

        ok = t && (!t->grad || sc_list_push(vm, out, in->v[i]));
    }
    if (in)
        obj_drop(vm, in);
    if (ok)
        return en_end_value(&e, v_obj(out));
    if (out)
        obj_drop(vm, out);
    return en_fail(&e);
}

/* drop_grads(params) */
static Value n_drop_grads(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    Tuple *in = only_tensors(vm, a->v[0], "drop_grads");

    for (int64_t i = 0; in && i < in->n; i++)
        wf_set_grad(e.c, as_tensor(in->v[i])->t, WF_NONE);
    if (in)
        obj_drop(vm, in);
    return in && !failed(e.c) ? en_end_value(&e, NONE) : en_fail(&e);
}

/* What an update is traced for, as a number: dtype and rank. -1: not on the host, or not of f32 or f64. */
static int64_t kind_of(const Tensor *t)
{
    return t->symbolic || !tensor_is_here(t) || (t->dtype != WF_F32 && t->dtype != WF_F64) ? -1
           : (t->dtype == WF_F64) << 8 | t->rank;
}

/* An f32 scalar of its own? */
static Tensor *step_of(En *e, const Value *v)
{
    Tensor *t = v && is_tensor(e->vm, *v) ? tensor_get(e->c, as_tensor(*v)->t, "batches") : NULL;

    return t && !t->symbolic && t->dtype == WF_F32 && t->count == 1 && tensor_is_here(t) && t->store->refs == 1 ? t : NULL;
}

/* (p, *[state[k] for k in slots]); NIL: they are not all there. state[steps], if there must be one, goes up. */
static Value row_of(En *e, Value p, Dict *state, const Tuple *slots, Value steps, double *step)
{
    Tensor *count = NULL;
    Tuple *row;

    *step = 0;
    if (steps.tag != T_NONE && !(count = state ? step_of(e, sc_dict_find(e->vm, state, steps)) : NULL))
        return NIL;
    if (!(row = sc_tuple(e->vm, slots->n + 1)))
        return NIL;
    row->v[0] = sc_ref(p);
    for (int64_t i = 0; i < slots->n; i++) {
        Value *x = state ? sc_dict_find(e->vm, state, slots->v[i]) : NULL;

        if (!x || !is_tensor(e->vm, *x)) {
            obj_drop(e->vm, row);
            return NIL;
        }
        row->v[i + 1] = sc_ref(*x);
    }
    if (count) {
        float *x = tensor_data(count);

        *step = *x += 1;
        count->store->version++;
    }
    return v_obj(row);
}

/* Rows of one kind and step are one batch: [kind, step, rows]. */
static bool put_row(Vm *vm, List *batches, int64_t kind, double step, Value row)
{
    List *rows = NULL, *batch;
    bool ok;

    for (int64_t i = 0; i < batches->n && !rows; i++) {
        const List *b = (List *)(void *)batches->v[i].o;

        if (b->v[0].i == kind && b->v[1].f == step)
            rows = (List *)(void *)b->v[2].o;
    }
    if (rows)
        return sc_list_push(vm, rows, row);
    if (!(rows = sc_list(vm, 0)))
        return false;
    if (!(batch = sc_list(vm, 3))) {
        obj_drop(vm, rows);
        return false;
    }
    batch->v[0] = v_int(kind);
    batch->v[1] = v_float(step);
    batch->v[2] = v_obj(rows);
    ok = sc_list_push(vm, rows, row) && sc_list_push(vm, batches, v_obj(batch));
    obj_drop(vm, batch);
    return ok;
}

/* Puts p, which has a gradient, into a batch or the rest. */
static bool put_param(En *e, Value p, Dict *states, const Tuple *slots, Value steps, List *batches, List *rest)
{
    Tensor *t = tensor_get(e->c, as_tensor(p)->t, "batches");
    Value *of, row = NIL;
    double step = 0;
    bool ok;

    if (!t || !t->grad)
        return t != NULL;
    of = sc_dict_find(e->vm, states, p);
    if (kind_of(t) >= 0)
        row = row_of(e, p, of && of->tag == T_OBJ && sc_is(e->vm, *of, C_dict) ? (Dict *)(void *)of->o : NULL, slots, steps, &step);
    if (sc_failed(e->vm))
        return false;
    if (row.tag == T_NIL)
        return sc_list_push(e->vm, rest, p);
    ok = put_row(e->vm, batches, kind_of(t), step, row);
    sc_drop(e->vm, row);
    return ok;
}

/* batches(params, states, slots, steps): the parameters that have a gradient, as rows for update(), those of one dtype, rank
 * and step together: [[kind, step, rows], ..], and the others, without their state or for which there is no program.
 * steps: under which name a state has its steps, a scalar that goes up by one; None: they are not counted. */
static Value n_batches(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    Tuple *params = only_tensors(vm, a->v[0], "batches"), *slots = params ? sc_tuple_from(vm, a->v[2]) : NULL;
    List *batches = slots ? sc_list(vm, 0) : NULL, *rest = batches ? sc_list(vm, 0) : NULL;
    Tuple *out = rest ? sc_tuple(vm, 2) : NULL;
    bool ok = out != NULL;

    if (ok && (a->v[1].tag != T_OBJ || !sc_is(vm, a->v[1], C_dict)))
        ok = sc_fail(vm, C_TypeError, "batches: needs a dict of states");
    for (int64_t i = 0; ok && i < params->n; i++)
        ok = put_param(&e, params->v[i], (Dict *)(void *)a->v[1].o, slots, a->v[3], batches, rest);
    if (params)
        obj_drop(vm, params);
    if (slots)
        obj_drop(vm, slots);
    if (out) {
        out->v[0] = v_obj(batches);
        out->v[1] = v_obj(rest);
        if (ok)
            return en_end_value(&e, v_obj(out));
        obj_drop(vm, out);
    } else {
        if (batches)
            obj_drop(vm, batches);
        if (rest)
            obj_drop(vm, rest);
    }
    return en_fail(&e);
}

/* The operands of the program for a row: its tensors, the gradient of the first; the numbers are there already. */
static bool update_row(En *e, ProgramObj *g, const Tuple *row, wf_tensor *in, bool *done)
{
    for (int64_t i = 0; i < row->n; i++)
        if (is_tensor(e->vm, row->v[i]))
            in[i] = as_tensor(row->v[i])->t;
        else
            return true;
    in[row->n] = wf_grad_of(e->c, in[0]);
    return wf_is_none(in[row->n]) || tensor_update(e->c, g->p, &g->update, in, done);
}

/* The last operands. */
static bool numbers_of(En *e, const ProgramObj *g, const Tuple *numbers, wf_tensor *in)
{
    for (int64_t i = 0; i < numbers->n; i++) {
        uint32_t at = g->p->nin - (uint32_t)(numbers->n - i);
        double x;

        if (!sc_to_double(e->vm, numbers->v[i], &x))
            return false;
        in[at] = wf_scalar(e->c, (wf_dtype)val_type(g->p, program_in(g->p, at)).dtype, x);
    }
    return !failed(e->c);
}

static bool is_program(Vm *vm, Value v)
{
    return (v.tag == T_OBJ && sc_is_subclass(v.o->cls, vm->engine->program)) || sc_fail(vm, C_TypeError, "update: needs a Program");
}

/* update(program, rows, numbers): a row is a tuple of a parameter and the tensors of its state, which become the results of
 * program(*row, gradient, *numbers), in their memory. Gives the places of rows for which that cannot be, whose tensors are
 * as they were. */
static Value n_update(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    ProgramObj *g = as_program(a->v[0]);
    List *rest = is_program(vm, a->v[0]) ? sc_list(vm, 0) : NULL;
    Tuple *rows = rest ? sc_tuple_from(vm, a->v[1]) : NULL;
    Tuple *numbers = rows ? sc_tuple_from(vm, a->v[2]) : NULL;
    wf_tensor *in = numbers ? en_alloc(&e, (g->p->nin + (size_t)numbers->n + 1) * sizeof *in) : NULL;
    bool ok = in && numbers->n < g->p->nin && numbers_of(&e, g, numbers, in);

    for (int64_t k = 0; ok && k < rows->n; k++) {
        bool done = false;

        ok = rows->v[k].tag == T_OBJ && sc_is(vm, rows->v[k], C_tuple) &&
             ((Tuple *)(void *)rows->v[k].o)->n + 1 + numbers->n == g->p->nin;
        if (!ok)
            sc_fail(vm, C_TypeError, "update: needs tuples of as many tensors as the program takes");
        ok = ok && update_row(&e, g, (Tuple *)(void *)rows->v[k].o, in, &done) &&
             (done || sc_list_push(vm, rest, v_int(k)));
    }
    if (rows)
        obj_drop(vm, rows);
    if (numbers)
        obj_drop(vm, numbers);
    if (ok && !failed(e.c))
        return en_end_value(&e, v_obj(rest));
    if (rest)
        obj_drop(vm, rest);
    return en_fail(&e);
}

const NativeDef engine_optimise[] = {
    {"with_grad", n_with_grad, "params"},
    {"drop_grads", n_drop_grads, "params"},
    {"batches", n_batches, "params,states,slots,steps"},
    {"update", n_update, "program,rows,numbers"},
    {0},
};
