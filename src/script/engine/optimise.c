/* optimise.c -- natives for steps of optimisers over lists of parameters: one call for all of them, in place of some for each.
 *
 * An optimiser's rule is traced once, on tensors of any size, with its numbers as inputs; step() runs that program on
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
    Tensor *t = v && is_tensor(e->vm, *v) ? tensor_get(e->c, as_tensor(*v)->t, "step") : NULL;

    return t && !t->symbolic && t->dtype == WF_F32 && t->count == 1 && tensor_is_here(t) && t->store->refs == 1 ? t : NULL;
}

/* ---- a step ------------------------------------------------------------------------------------------------------------ */

/* A parameter that has a gradient. */
typedef struct Row {
    Value p;
    int64_t kind;  /* -1: there is no program for it */
    double step;   /* of its state, after this one */
    wf_tensor *of; /* itself and its state */
} Row;

typedef struct Step {
    En *e;
    Value optimiser, group;
    Dict *states, *programs;
    Value way;      /* what the rule depends on besides numbers */
    Value numbers;  /* of all steps, where those do not count; NIL: not asked yet */
    Tuple *slots;
    Value steps; /* under which name a state has its steps, a scalar that goes up by one; None: they are not counted */
    Row *rows;
    int64_t n;
    List *rest, *undone; /* made when there is something for them */
} Step;

/* The row's tensors, if all of its state is there; state[steps], if there must be one, goes up. */
static bool fill_row(const Step *s, Row *r)
{
    Vm *vm = s->e->vm;
    Value *of = s->slots->n || s->steps.tag != T_NONE ? sc_dict_find(vm, s->states, r->p) : NULL;
    Dict *state = of && of->tag == T_OBJ && sc_is(vm, *of, C_dict) ? (Dict *)(void *)of->o : NULL;
    Tensor *count = NULL;

    r->of[0] = as_tensor(r->p)->t;
    if (s->steps.tag != T_NONE && !(count = state ? step_of(s->e, sc_dict_find(vm, state, s->steps)) : NULL))
        return false;
    for (int64_t i = 0; i < s->slots->n; i++) {
        Value *x = state ? sc_dict_find(vm, state, s->slots->v[i]) : NULL;

        if (!x || !is_tensor(vm, *x))
            return false;
        r->of[i + 1] = as_tensor(*x)->t;
    }
    if (count) {
        float *x = tensor_data(count);

        r->step = *x += 1;
        count->store->version++;
    }
    return true;
}

static bool put_value(Vm *vm, List **list, Value v)
{
    return (*list || (*list = sc_list(vm, 0)) != NULL) && sc_list_push(vm, *list, v);
}

static bool gather_rows(Step *s, const Tuple *params, wf_tensor *room)
{
    for (int64_t i = 0; i < params->n; i++) {
        Tensor *t = tensor_get(s->e->c, as_tensor(params->v[i])->t, "step");
        Row *r = &s->rows[s->n];

        if (!t)
            return false;
        if (!t->grad)
            continue;
        *r = (Row){.p = params->v[i], .kind = kind_of(t), .of = room + s->n * (s->slots->n + 1)};
        if (r->kind >= 0 && fill_row(s, r))
            s->n++;
        else if (sc_failed(s->e->vm) || failed(s->e->c) || !put_value(s->e->vm, &s->rest, r->p))
            return false;
    }
    return true;
}

/* (program, which numbers it takes) of rows like r, which the optimiser traces when they come first. Borrowed from s->programs. */
static Tuple *program_of(const Step *s, const Row *r, int64_t nnumbers)
{
    Vm *vm = s->e->vm;
    Tuple *key = sc_tuple_of(vm, (Value[]){v_int(r->kind), s->way}, 2);
    Value *at = key ? sc_dict_find(vm, s->programs, v_obj(key)) : NULL, made;

    if (key && !at && !sc_failed(vm)) {
        made = sc_call_method(vm, s->optimiser, "_traced", (Value[]){v_int(r->kind), s->way, v_obj(s->slots), v_int(nnumbers)}, 4);
        if (made.tag != T_NIL && sc_dict_put(vm, s->programs, v_obj(key), made))
            at = sc_dict_find(vm, s->programs, v_obj(key));
        sc_drop(vm, made);
    }
    if (key)
        obj_drop(vm, key);
    if (at && (!sc_is_exact(vm, *at, C_tuple) || !sc_is_subclass(((Tuple *)(void *)at->o)->v[0].o->cls, vm->engine->program))) {
        sc_raise(vm, C_TypeError, "step: needs a Program");
        at = NULL;
    }
    return at ? (Tuple *)(void *)at->o : NULL;
}

/* The last operands of the program: those of the numbers that it takes. */
static bool put_numbers(const Step *s, const Program *p, const Tuple *all, Value read, wf_tensor *in)
{
    Vm *vm = s->e->vm;
    Tuple *which = sc_tuple_from(vm, read);
    uint32_t first = (uint32_t)s->slots->n + 2;
    bool ok = which && (which->n + first == p->nin || sc_fail(vm, C_TypeError, "step: the program takes %u tensors", p->nin));

    for (int64_t i = 0; ok && i < which->n; i++) {
        uint32_t at = first + (uint32_t)i;
        double x;

        ok = which->v[i].tag == T_INT && which->v[i].i >= 0 && which->v[i].i < all->n && sc_to_double(vm, all->v[which->v[i].i], &x);
        if (ok)
            in[at] = wf_scalar(s->e->c, (wf_dtype)val_type(p, program_in(p, at)).dtype, x);
    }
    if (which)
        obj_drop(vm, which);
    return ok && !failed(s->e->c);
}

/* One row by the program, or, where that cannot be, (parameter, numbers) into s->undone. */
static bool run_row(Step *s, ProgramObj *g, const Row *r, Value numbers, wf_tensor *in)
{
    Vm *vm = s->e->vm;
    bool done = false;
    Tuple *left;

    memcpy(in, r->of, ((size_t)s->slots->n + 1) * sizeof *in);
    in[s->slots->n + 1] = wf_grad_of(s->e->c, in[0]);
    if (wf_is_none(in[s->slots->n + 1]) || !tensor_update(s->e->c, g->p, &g->update, in, &done) || done)
        return !failed(s->e->c);
    left = sc_tuple_of(vm, (Value[]){r->p, numbers}, 2);
    done = left && put_value(vm, &s->undone, v_obj(left));
    if (left)
        obj_drop(vm, left);
    return done;
}

/* All rows of the kind and step of the first one. */
static bool run_batch(Step *s, Row *first)
{
    Vm *vm = s->e->vm;
    const Row like = *first;
    Value numbers = s->numbers.tag != T_NIL ? sc_ref(s->numbers)
                                            : sc_call_method(vm, s->optimiser, "numbers", (Value[]){s->group, v_float(like.step)}, 2);
    Tuple *count = numbers.tag == T_NIL ? NULL : sc_tuple_from(vm, numbers);
    Tuple *made = count ? program_of(s, &like, count->n) : NULL;
    size_t room = (size_t)(s->slots->n + (count ? count->n : 0) + 2) * sizeof(wf_tensor);
    wf_tensor *in = made ? sc_alloc(vm, room) : NULL;
    bool ok = in && put_numbers(s, as_program(made->v[0])->p, count, made->v[1], in);

    for (Row *r = first; ok && r < s->rows + s->n; r++)
        if (r->kind == like.kind && r->step == like.step) {
            ok = run_row(s, as_program(made->v[0]), r, numbers, in);
            r->kind = -1;
        }
    sc_free(vm, in, room);
    if (count)
        obj_drop(vm, count);
    sc_drop(vm, numbers);
    return ok;
}

/* ---- what a group says -------------------------------------------------------------------------------------------------
 *
 * way(group), slots(way) and, where steps are not counted, numbers(group, step) depend on nothing but the group's entries. So
 * they are kept by those, in optimiser._asked[address of the group]: (version, key, value, .., way, slots, numbers). Only where
 * all values are numbers and the like, which do not change within themselves, and for optimisers of the library, which
 * alone have _asked. The parameters are no part of it: their value there is their key.
 */

enum { WAY, SLOTS, NUMBERS, ANSWERS };

static bool is_same(Value a, Value b) { return a.tag == b.tag && (a.tag == T_NONE || a.i == b.i); }

static bool is_constant(Vm *vm, Value v)
{
    const Tuple *t = v.tag == T_OBJ && v.o->cls == vm->cls[C_tuple] ? (Tuple *)(void *)v.o : NULL;
    bool ok = v.tag != T_OBJ || is_str(v) || t;

    for (int64_t i = 0; ok && t && i < t->n; i++)
        ok = t->v[i].tag != T_OBJ;
    return ok;
}

/* Room for what the group says, with its entries; NULL: they are not constants, or no memory. */
static Tuple *new_answers(Vm *vm, const Dict *group)
{
    Tuple *t = group->live == group->n ? sc_tuple(vm, 1 + 2 * (int64_t)group->n + ANSWERS) : NULL;

    for (uint32_t i = 0; t && i < group->n; i++) {
        const DictEntry *e = &group->e[i];
        bool params = is_same(e->key, v_obj(vm->known[S_params]));

        if (!is_constant(vm, e->key) || (!params && (!is_constant(vm, e->val) || is_same(e->key, e->val)))) {
            obj_drop(vm, t);
            return NULL;
        }
        t->v[1 + 2 * i] = sc_ref(e->key);
        t->v[2 + 2 * i] = sc_ref(params ? e->key : e->val);
    }
    if (t)
        t->v[0] = v_int(vm->version);
    return t;
}

static bool still_hold(const Vm *vm, const Tuple *t, const Dict *group)
{
    if (t->n != 1 + 2 * (int64_t)group->n + ANSWERS || t->v[0].i != vm->version)
        return false;
    for (uint32_t i = 0; i < group->n; i++) {
        Value key = t->v[1 + 2 * i], val = t->v[2 + 2 * i];

        if (!is_same(key, group->e[i].key) || (!is_same(val, group->e[i].val) && !is_same(val, key)))
            return false;
    }
    return true;
}

static bool ask(Step *s, Value out[ANSWERS])
{
    Vm *vm = s->e->vm;
    Tuple *slots;

    out[WAY] = sc_call_method(vm, s->optimiser, "way", &s->group, 1);
    out[SLOTS] = out[WAY].tag == T_NIL ? NIL : sc_call_method(vm, s->optimiser, "slots", &out[WAY], 1);
    slots = out[SLOTS].tag == T_NIL ? NULL : sc_tuple_from(vm, out[SLOTS]);
    if (slots)
        sc_put(vm, &out[SLOTS], v_obj(slots));
    out[NUMBERS] = slots && s->steps.tag == T_NONE ? sc_call_method(vm, s->optimiser, "numbers", (Value[]){s->group, v_float(0)}, 2) : NONE;
    return slots && out[NUMBERS].tag != T_NIL;
}

/* s->way, slots and numbers, counted by out. */
static bool know_group(Step *s, Dict *asked, Value out[ANSWERS])
{
    Vm *vm = s->e->vm;
    const Dict *group = (Dict *)(void *)s->group.o;
    Value key = v_int((int64_t)(uintptr_t)group), *at = asked ? sc_dict_find(vm, asked, key) : NULL;
    Tuple *t = at && sc_is_exact(vm, *at, C_tuple) && still_hold(vm, (Tuple *)(void *)at->o, group) ? (Tuple *)(void *)at->o : NULL;
    bool ok = true;

    if (t)
        for (int i = 0; i < ANSWERS; i++)
            out[i] = sc_ref(t->v[t->n - ANSWERS + i]);
    else if ((ok = ask(s, out)) && asked && (t = new_answers(vm, group)) != NULL) {
        for (int i = 0; i < ANSWERS; i++)
            t->v[t->n - ANSWERS + i] = sc_ref(out[i]);
        ok = sc_dict_put(vm, asked, key, v_obj(t));
        obj_drop(vm, t);
    }
    s->way = out[WAY];
    s->slots = ok ? (Tuple *)(void *)out[SLOTS].o : NULL;
    s->numbers = out[NUMBERS].tag == T_NONE ? NIL : out[NUMBERS];
    return ok && !sc_failed(vm);
}

static Dict *dict_attr(Vm *vm, Value v, const char *name)
{
    Value d = sc_getattr_s(vm, v, name);

    if (d.tag == T_OBJ && sc_is(vm, d, C_dict))
        return (Dict *)(void *)d.o;
    if (!sc_failed(vm))
        sc_raise(vm, C_TypeError, "step: %s is not a dict", name);
    sc_drop(vm, d);
    return NULL;
}

static bool step_rows(Step *s, const Tuple *params)
{
    size_t room = (size_t)params->n * (size_t)(s->slots->n + 1);
    wf_tensor *of = en_alloc(s->e, room * sizeof *of);
    bool ok = of && (s->rows = en_alloc(s->e, (size_t)params->n * sizeof *s->rows)) != NULL && gather_rows(s, params, of);

    for (int64_t i = 0; ok && i < s->n; i++)
        ok = s->rows[i].kind < 0 || run_batch(s, &s->rows[i]);
    return ok;
}

/* (rest, undone, way) */
static Value left_over(Step *s)
{
    Vm *vm = s->e->vm;
    Tuple *t;

    if ((!s->rest && !(s->rest = sc_list(vm, 0))) || (!s->undone && !(s->undone = sc_list(vm, 0))))
        return NIL;
    t = sc_tuple_of(vm, (Value[]){v_obj(s->rest), v_obj(s->undone), s->way}, 3);
    return t ? v_obj(t) : NIL;
}

/* step(optimiser, group, params): one step of those of the group's parameters that have a gradient, by the optimiser's
 * programs. None: all are done; else ([parameters without their state or for which there is no program],
 * [(parameter, numbers) whose memory a program may not write to], way of the group), as they were. */
static Value n_step(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    Step s = {.e = &e, .optimiser = a->v[0], .group = a->v[1], .numbers = NIL, .steps = NIL};
    Value said[ANSWERS] = {NIL, NIL, NIL}, asked = NIL, out = NIL;
    Tuple *params = only_tensors(vm, a->v[2], "step");
    bool ok = params && (sc_is(vm, s.group, C_dict) || sc_fail(vm, C_TypeError, "step: a group is a dict")) &&
              (s.states = dict_attr(vm, s.optimiser, "state")) != NULL && (s.programs = dict_attr(vm, s.optimiser, "_programs")) != NULL &&
              (s.steps = sc_getattr_s(vm, s.optimiser, "steps")).tag != T_NIL &&
              (asked = sc_getattr_s(vm, s.optimiser, "_asked")).tag != T_NIL &&
              know_group(&s, sc_is_exact(vm, asked, C_dict) ? (Dict *)(void *)asked.o : NULL, said) && step_rows(&s, params);

    if (ok)
        out = s.rest || s.undone ? left_over(&s) : NONE;
    for (size_t i = 0; i < 5; i++) {
        Obj *held[] = {(Obj *)params, (Obj *)s.states, (Obj *)s.programs, (Obj *)s.rest, (Obj *)s.undone};

        if (held[i])
            sc_drop(vm, v_obj(held[i]));
    }
    for (int i = 0; i < ANSWERS; i++)
        sc_drop(vm, said[i]);
    sc_drop(vm, s.steps);
    sc_drop(vm, asked);
    return out.tag == T_NIL ? en_fail(&e) : en_end_value(&e, out);
}

const NativeDef engine_optimise[] = {
    {"with_grad", n_with_grad, "params"},
    {"drop_grads", n_drop_grads, "params"},
    {"step", n_step, "optimiser,group,params"},
    {0},
};
