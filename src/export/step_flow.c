/* step_flow.c -- kernels and sub-programs: call cond while scan; and assert.
 *
 * A sub-program is a function that gets its inputs, results and memory by address. Carries
 * of a loop lie in one of two places in turn, or in one, as step_flow.c of the runtime has
 * it.
 */
#include "export/export.h"

/* ---- kernels ----------------------------------------------------------------------- */

/* forward_hidden, forward_mul_add_tanh */
static const char *kernel_name(Func *f, const Program *p)
{
    Text t;
    uint32_t n = 0;

    text_init(&t, f->a);
    text_printf(&t, "%s", f->name);
    for (uint32_t j = 0; j < f->e->nout && n < 2; j++) {
        uint32_t name = f->p->vals[f->e->out + j].name;

        if (name && ++n)
            text_printf(&t, "_%s", c_identifier(f->a, f->p->names[name]));
    }
    for (uint32_t i = 0; i < p->neqns && !n; i++) {
        static const unsigned dull = OPF_VIEW | OPF_SAME;
        uint32_t k = 0, at = 0;

        for (uint32_t j = 0; j < p->neqns; j++) /* the last three */
            k += !op_has(p->eqns[j].op, dull) && p->eqns[j].op != OP_const;
        for (uint32_t j = 0; j < p->neqns; j++)
            if (!op_has(p->eqns[j].op, dull) && p->eqns[j].op != OP_const && ++at + 3 > k)
                text_printf(&t, "_%s", op_name(p->eqns[j].op));
        n = 1;
    }
    return text_str(&t);
}

static const int64_t *most_binds(Func *f, const Sub *s)
{
    int64_t *most = arena_array(f->a, s->binds.n + 1, sizeof *most);

    for (uint32_t i = 0; i < s->binds.n; i++)
        most[i] = s->binds.v[i] == DIM_NONE ? -1 : c_most_of(f, c_dim_of(f, s->binds.v[i]));
    return most;
}

/* A dim of a kernel in terms of the sizes here. */
static Dim kernel_dim(Func *f, const Kernel *k, const Sub *s, Dim d)
{
    Dim *map = arena_array(f->a, s->binds.n + 1, sizeof *map);

    for (uint32_t i = 0; i < s->binds.n; i++)
        map[i] = c_dim_of(f, s->binds.v[i]);
    return d >= 0 ? d : dim_subst(&f->dims, &k->dims, d, map);
}

static void add_argument(Text *t, const char *x)
{
    text_printf(t, "%s%s", t->n ? ", " : "", x);
}

static bool call_kernel(Func *f, const Kernel *k, const Sub *s)
{
    const char *name = c_kernel(f->c, k, kernel_name(f, k->p));
    const int64_t *most = most_binds(f, s);
    Text args;

    text_init(&args, f->a);
    for (uint32_t i = 0; i < f->e->nin; i++)
        add_argument(&args, c_at_of(f, in_of(f, i)));
    for (uint32_t j = 0; j < f->e->nout; j++)
        add_argument(&args, c_at_of(f, out_of(f, j)));
    if (c_kernel_buffers(k->code))
        add_argument(&args,
                     step_memory(f, c_kernel_buffer_bytes(k, most), "unsigned char"));
    for (uint32_t i = 0; i < k->nparams; i++)
        add_argument(&args, c_dim_in(f, kernel_dim(f, k, s, k->params[i])));
    c_put_line(f, "%s(%s);", name, text_str(&args));
    return !failed(f->c->cx);
}

/* ---- sub-programs ------------------------------------------------------------------ */

typedef struct Called {
    SubName fn;
    const char *memory; /* of it, as C */
} Called;

static bool open_sub(Func *f, const Sub *s, const char *what, Called *out)
{
    const char *wish = arena_printf(f->a, "%s_%s", f->name, what);

    for (uint32_t i = 0; i < s->binds.n; i++)
        if (s->binds.v[i] == DIM_NONE || !c_dim_grows(&f->dims, c_dim_of(f, s->binds.v[i])))
            return refuse_step(f, "a size of '%s' is not bounded by the largest sizes",
                               s->p->name);
    if (!func_sub(f->c, plan_sub(f->plan, s->p), most_binds(f, s), wish, &out->fn))
        return false;
    out->memory = step_memory(f, out->fn.memory, "unsigned char");
    return true;
}

/* The call, its failure handed on. in, out: pointers as C. */
static void write_call(Func *f, const Called *c, const Sub *s, const char *const *in,
                       const char *const *out)
{
    Text args;

    text_init(&args, f->a);
    for (uint32_t i = 0; i < s->binds.n; i++)
        add_argument(&args, c_dim_in(f, c_dim_of(f, s->binds.v[i])));
    for (uint32_t i = 0; i < s->p->nin; i++)
        add_argument(&args, in[i]);
    for (uint32_t j = 0; j < s->p->nout; j++)
        add_argument(&args, out[j]);
    add_argument(&args, c->memory);
    if (!c->fn.fails) {
        c_put_line(f, "%s(%s);", c->fn.name, text_str(&args));
        return;
    }
    f->fails = true;
    c_open_block(f, "%s", "");
    c_put_line(f, "const int rc = %s(%s);", c->fn.name, text_str(&args));
    c_put_line(f, "if (rc)");
    c_put_line(f, "    return rc;");
    c_close_block(f);
}

static const char **operands(Func *f, uint32_t first)
{
    const char **in = arena_array(f->a, f->e->nin + 1u, sizeof *in);

    for (uint32_t i = first; i < f->e->nin; i++)
        in[i - first] = c_at_of(f, in_of(f, i));
    return in;
}

static const char **results(Func *f)
{
    const char **out = arena_array(f->a, f->e->nout + 1u, sizeof *out);

    for (uint32_t j = 0; j < f->e->nout; j++)
        out[j] = c_at_of(f, out_of(f, j));
    return out;
}

bool step_call(Func *f)
{
    const Sub *s = reuse_call_body(f->e->op, f->e->attr);
    const PlanCode *code = plan_sub(f->plan, s->p)->code;
    Called c;

    if (code)
        return call_kernel(f, code->kernel, s);
    if (!open_sub(f, s, c_identifier(f->a, s->p->name), &c))
        return false;
    write_call(f, &c, s, operands(f, 0), results(f));
    return true;
}

bool step_cond(Func *f)
{
    Subs branches = ((const CondAttr *)f->e->attr)->branches;
    Val i = in_of(f, 0);
    Called *c = arena_array(f->a, branches.n + 1, sizeof *c);

    for (uint32_t b = 0; b < branches.n; b++)
        if (!open_sub(f, &branches.v[b], arena_printf(f->a, "branch%u", b), &c[b]))
            return false;
    if (dtype_of(f, i) == WF_BOOL && branches.n == 2) {
        c_open_block(f, "if (%s[0])", c_at_of(f, i));
        write_call(f, &c[1], &branches.v[1], operands(f, 1), results(f));
        f->depth--;
        c_put_line(f, "} else {");
        f->depth++;
        write_call(f, &c[0], &branches.v[0], operands(f, 1), results(f));
        c_close_block(f);
        return true;
    }
    c_open_block(f, "switch (%s(%s[0], %u))", c_need(f->c, "clip"), c_at_of(f, i), branches.n);
    for (uint32_t b = 0; b < branches.n; b++) {
        if (b + 1 < branches.n)
            c_put_line(f, "case %u:", b);
        else
            c_put_line(f, "default:");
        f->depth++;
        write_call(f, &c[b], &branches.v[b], operands(f, 1), results(f));
        c_put_line(f, "break;");
        f->depth--;
    }
    c_close_block(f);
    return true;
}

/* ---- loops ------------------------------------------------------------------------- */

typedef struct FlowLoop {
    const Sub *body;
    uint32_t nconst, first, ncarry; /* of the body; operand of the first carry */
    const char **spare;             /* second place of each carry; = its result: one */
    const char *t;                  /* the turn, as C */
} FlowLoop;

static void open_loop(Func *f, FlowLoop *l)
{
    const Plan *plan = plan_sub(f->plan, l->body->p);

    l->spare = arena_array(f->a, l->ncarry + 1, sizeof *l->spare);
    l->t = c_unique(f->a, &f->names, "turn");
    for (uint32_t i = 0; i < l->ncarry; i++) {
        Val v = out_of(f, i);
        const char *type = c_type(dtype_of(f, v));

        l->spare[i] = c_at_of(f, v);
        if (plan_carry_in_place(plan, l->nconst + i, i))
            continue;
        l->spare[i] = c_unique(f->a, &f->names, "spare");
        c_put_line(f, "%s *const %s = %s;", type, l->spare[i],
                 step_memory(f,
                             c_most_of(f, c_count_of(f, v)) *
                                 (int64_t)wf_dtype_size(dtype_of(f, v)),
                             type));
    }
}

/* The place that is a when the C condition holds. */
static const char *either(Func *f, const char *condition, const char *a, const char *b)
{
    return !strcmp(a, b) ? a : arena_printf(f->a, "%s ? %s : %s", condition, a, b);
}

/* Row `row` of a stacked array. */
static const char *row_at(Func *f, Val v, const char *row)
{
    Dim n = 1;

    for (uint32_t i = 1; i < rank_of(f, v); i++)
        n = dim_mul(&f->dims, n, c_size_of(f, v, i));
    return arena_printf(f->a, "%s + %s * %s", c_at_of(f, v), row, c_dim_in(f, n));
}

/* Declares before<i> and after<i>, and calls the body. */
static void write_turn(Func *f, const FlowLoop *l, const Called *c, const char *row,
                       const char *odd_before, const char *odd_after)
{
    const char **in = arena_array(f->a, l->body->p->nin + 1, sizeof *in);
    const char **out = arena_array(f->a, l->body->p->nout + 1, sizeof *out);
    uint32_t nxs = l->body->p->nin - l->nconst - l->ncarry;

    for (uint32_t i = 0; i < l->nconst; i++)
        in[i] = c_at_of(f, in_of(f, l->first - l->nconst + i));
    for (uint32_t i = 0; i < l->ncarry; i++) {
        Val v = out_of(f, i);
        const char *start = c_at_of(f, in_of(f, l->first + i));

        in[l->nconst + i] = arena_printf(f->a, "before%u", i);
        out[i] = arena_printf(f->a, "after%u", i);
        if (odd_before)
            c_put_line(f, "const %s *const before%u = %s == 0 ? %s : %s;",
                     c_type(dtype_of(f, v)), i, l->t, start,
                     either(f, odd_before, l->spare[i], c_at_of(f, v)));
        c_put_line(f, "%s *const after%u = %s;", c_type(dtype_of(f, v)), i,
                 either(f, odd_after, l->spare[i], c_at_of(f, v)));
    }
    for (uint32_t i = 0; i < nxs; i++)
        in[l->nconst + l->ncarry + i] =
            row_at(f, in_of(f, l->first + l->ncarry + i), row);
    for (uint32_t j = l->ncarry; j < f->e->nout; j++)
        out[j] = row_at(f, out_of(f, j), row);
    write_call(f, c, l->body, in, out);
}

static void copy_carry(Func *f, Val v, const char *from)
{
    c_put_line(f, "memmove(%s, %s, (size_t)(%s) * sizeof(%s));", c_at_of(f, v), from,
             c_dim_in(f, c_count_of(f, v)), c_type(dtype_of(f, v)));
}

bool step_scan(Func *f)
{
    const ScanAttr *a = f->e->attr;
    FlowLoop l = {
        &a->body, (uint32_t)a->nconst, (uint32_t)a->nconst, (uint32_t)a->ncarry, NULL,
        NULL};
    Dim length = c_dim_of(f, a->length);
    const char *n = c_dim_in(f, length);
    Called c;

    if (!open_sub(f, l.body, "body", &c))
        return false;
    open_loop(f, &l);
    c_open_for(f, l.t, n);
    write_turn(f, &l, &c, a->reverse ? arena_printf(f->a, "(%s - 1 - %s)", n, l.t) : l.t,
               arena_printf(f->a, "(%s - %s) %% 2", n, l.t),
               arena_printf(f->a, "(%s - 1 - %s) %% 2", n, l.t));
    c_close_block(f);
    if (l.ncarry && !dim_known_ge(&f->dims, length, 1)) {
        c_open_block(f, "if (%s == 0)", n);
        for (uint32_t i = 0; i < l.ncarry; i++)
            copy_carry(f, out_of(f, i), c_at_of(f, in_of(f, l.first + i)));
        c_close_block(f);
    }
    return true;
}

static void end_while(Func *f, const FlowLoop *l, const char *bound)
{
    for (uint32_t i = 0; i < l->ncarry; i++) {
        Val v = out_of(f, i);
        const char *start = c_at_of(f, in_of(f, l->first + i));

        c_open_block(f, "if (%s == 0)", l->t);
        copy_carry(f, v, start);
        f->depth--;
        if (strcmp(l->spare[i], c_at_of(f, v)) != 0) {
            c_put_line(f, "} else if (%s %% 2 == 0) {", l->t);
            f->depth++;
            copy_carry(f, v, l->spare[i]);
            f->depth--;
        }
        c_put_line(f, "}");
    }
    for (uint32_t j = l->ncarry; j < f->e->nout; j++) {
        Val v = out_of(f, j);
        Dim n = 1;

        for (uint32_t i = 1; i < rank_of(f, v); i++)
            n = dim_mul(&f->dims, n, c_size_of(f, v, i));
        c_put_line(f, "memset(%s, 0, (size_t)((%s - %s) * %s) * sizeof(%s));",
                 row_at(f, v, l->t), bound, l->t, c_dim_in(f, n), c_type(dtype_of(f, v)));
    }
}

/* The condition of a turn: leaves the loop. */
static void write_condition(Func *f, const FlowLoop *l, const Called *cond, uint32_t ncond)
{
    const Sub *s = &((const WhileAttr *)f->e->attr)->cond;
    const char **in = arena_array(f->a, s->p->nin + 1, sizeof *in), *out[] = {"&go_on"};

    for (uint32_t i = 0; i < ncond; i++)
        in[i] = c_at_of(f, in_of(f, i));
    for (uint32_t i = 0; i < l->ncarry; i++) {
        Val v = out_of(f, i);

        in[ncond + i] = arena_printf(f->a, "before%u", i);
        c_put_line(f, "const %s *const before%u = %s == 0 ? %s : %s;",
                 c_type(dtype_of(f, v)), i, l->t, c_at_of(f, in_of(f, l->first + i)),
                 either(f, arena_printf(f->a, "%s %% 2 == 0", l->t), l->spare[i],
                        c_at_of(f, v)));
    }
    c_put_line(f, "uint8_t go_on = 0;");
    write_call(f, cond, s, in, out);
    c_put_line(f, "if (!go_on)");
    c_put_line(f, "    break;");
}

bool step_while(Func *f)
{
    const WhileAttr *a = f->e->attr;
    uint32_t ncond = (uint32_t)a->ncond, nbody = (uint32_t)a->nbody;
    FlowLoop l = {&a->body, nbody, ncond + nbody, f->e->nin - ncond - nbody, NULL, NULL};
    const char *bound = a->bound == DIM_NONE ? NULL : c_dim_in(f, c_dim_of(f, a->bound));
    Called body, cond;

    if (a->trips != DIM_NONE)
        return refuse_step(f, "%s",
                           "it keeps a row of every turn, and how many there are is "
                           "known only when it runs; give it a bound");
    if (!open_sub(f, &a->body, "body", &body) || !open_sub(f, &a->cond, "cond", &cond))
        return false;
    open_loop(f, &l);
    c_put_line(f, "ptrdiff_t %s = 0;", l.t);
    if (bound)
        c_open_block(f, "for (; %s < %s; %s++)", l.t, bound, l.t);
    else
        c_open_block(f, "for (;; %s++)", l.t);
    write_condition(f, &l, &cond, ncond);
    write_turn(f, &l, &body, l.t, NULL, arena_printf(f->a, "%s %% 2", l.t));
    c_close_block(f);
    end_while(f, &l, bound);
    return true;
}

/* ---- effects ----------------------------------------------------------------------- */

bool step_assert(Func *f)
{
    Val ok = in_of(f, 0);

    c_open_for(f, "i0", c_dim_in(f, c_count_of(f, ok)));
    c_fail_if(f, "ASSERT", "!%s[i0]", c_at_of(f, ok));
    c_close_block(f);
    return true;
}
