/* func.c -- a plan as a function of C: where its values are, and its steps in order.
 *
 *   requires   a plan whose calls of kernels have code; the largest size of every symbol
 *   method     As frame.c binds a segment: results get memory, from the block m or where
 *              the caller wants them, the step is written, and what the plan says is free
 *              after it goes back. Offsets are numbers, for the largest sizes; sizes and
 *              strides are dims. Sub-programs are functions of their own, whose memory is
 *              that of the step that calls them.
 */
#include "export/export.h"

/* ---- text -------------------------------------------------------------------------- */

static void add_line(Func *f, const char *text)
{
    text_printf(&f->body, "%*s%s\n", *text == '#' ? 0 : 4 * f->depth, "", text);
}

void c_put_line(Func *f, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    add_line(f, arena_vprintf(f->a, fmt, ap));
    va_end(ap);
}

void c_open_block(Func *f, const char *fmt, ...)
{
    va_list ap;
    const char *text;

    va_start(ap, fmt);
    text = arena_vprintf(f->a, fmt, ap);
    va_end(ap);
    add_line(f, arena_printf(f->a, "%s%s{", text, *text ? " " : ""));
    f->depth++;
}

void c_close_block(Func *f)
{
    f->depth--;
    add_line(f, "}");
}

void c_close_blocks(Func *f, uint32_t n)
{
    while (n--)
        c_close_block(f);
}

void c_open_for(Func *f, const char *i, const char *n)
{
    c_open_block(f, "for (ptrdiff_t %s = 0; %s < %s; %s++)", i, i, n, i);
}

void c_fail_if(Func *f, const char *what, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    c_put_line(f, "if (%s)", arena_vprintf(f->a, fmt, ap));
    va_end(ap);
    c_put_line(f, "    return %s_%s;", f->c->macro, what);
    f->fails = true;
}

bool refuse_step(Func *f, const char *fmt, ...)
{
    va_list ap;
    const char *text;

    va_start(ap, fmt);
    text = arena_vprintf(f->a, fmt, ap);
    va_end(ap);
    return fail(f->c->cx, WF_ERR_UNSUPPORTED, eqn_place(f->p, f->e), "export: %s: %s",
                op_name(f->e->op), text);
}

/* ---- sizes ------------------------------------------------------------------------- */

Dim c_dim_of(Func *f, Dim d)
{
    return d >= 0 ? d : dim_subst(&f->dims, &f->p->dims, d, f->map);
}

const char *c_dim_in(Func *f, Dim d) { return c_dim(f->c, &f->dims, d); }

Dim c_size_of(Func *f, Val v, uint32_t axis)
{
    return c_dim_of(f, val_type(f->p, v).dims[axis]);
}

Dim c_count_of(Func *f, Val v)
{
    Dim n = 1;

    for (uint32_t i = 0; i < rank_of(f, v); i++)
        n = dim_mul(&f->dims, n, c_size_of(f, v, i));
    return n;
}

int64_t c_most_of(Func *f, Dim d)
{
    int64_t n = 0;

    if (d == DIM_NONE || !dim_eval(&f->dims, d, f->most, &n))
        return 0;
    return n < 0 ? 0 : n;
}

const Dim *c_row_major(Func *f, uint32_t rank, const Dim *dims)
{
    Dim *stride = arena_array(f->a, rank + 1, sizeof *stride), step = 1;

    for (uint32_t i = rank; i-- > 0; step = dim_mul(&f->dims, step, dims[i]))
        stride[i] = step;
    return stride;
}

const Dim *c_stride_of(Func *f, Val v)
{
    uint32_t rank = rank_of(f, v);
    Dim *dims = arena_array(f->a, rank + 1, sizeof *dims);

    if (f->val[v].stride)
        return f->val[v].stride;
    for (uint32_t i = 0; i < rank; i++)
        dims[i] = c_size_of(f, v, i);
    return c_row_major(f, rank, dims);
}

const char *c_index(Func *f, uint32_t n, const char *const *i, const Dim *stride)
{
    Text t;

    text_init(&t, f->a);
    for (uint32_t k = 0; k < n; k++) {
        if (!stride[k])
            continue;
        text_add(&t, t.n ? " + " : "");
        if (stride[k] != 1)
            text_printf(&t, "%s * ", c_dim_in(f, stride[k]));
        text_add(&t, i[k]);
    }
    return t.n ? text_str(&t) : "0";
}

/* ---- memory ------------------------------------------------------------------------ */

static int64_t most_bytes(Func *f, Val v)
{
    return c_most_of(f, c_count_of(f, v)) * (int64_t)wf_dtype_size(dtype_of(f, v));
}

const char *step_memory(Func *f, int64_t bytes, const char *type)
{
    int64_t off = parts_take(f->c->cx, &f->mem, bytes);

    vec_push(f->a, &f->temps, ((BlockPart){off, bytes}));
    if (!strcmp(type, "unsigned char"))
        return arena_printf(f->a, "m + %lld", (long long)off);
    return arena_printf(f->a, "(%s *)(void *)(m + %lld)", type, (long long)off);
}

/* Elements before the store's own in the concatenation it is part of. */
static Dim part_offset(Func *f, const Store *s)
{
    const Eqn *e = &f->p->eqns[s->concat];
    Dim off = 0;

    for (uint32_t i = 0; i < s->operand; i++)
        off = dim_add(&f->dims, off, c_count_of(f, eqn_in(f->p, e)[i]));
    return off;
}

static bool is_placed(const Func *f, Val v, uint32_t s)
{
    for (Val u = f->e->out; u < v; u++) {
        uint32_t t = f->plan->val[u].store;

        while (t != s && f->plan->store[t].inside)
            t = f->plan->store[t].inside - 1;
        if (t == s)
            return true;
    }
    return false;
}

static const char *value_name(Func *f, Val v)
{
    uint32_t name = f->p->vals[v].name;
    const char *wish = name ? c_identifier(f->a, f->p->names[name])
                            : arena_printf(f->a, "%s%u", op_name(f->e->op), v);

    return c_unique(f->a, &f->names, c_identifier(f->a, wish));
}

void c_declare_at(Func *f, const char *name, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    add_line(f, arena_vprintf(f->a, fmt, ap));
    va_end(ap);
    vec_push(f->a, &f->declared, ((Declared){name, f->body.n}));
}

/* Pointers that nothing was written by, or read, as to arrays without elements. */
static void void_declared(Func *f)
{
    for (uint32_t i = 0; i < f->declared.n; i++)
        if (!c_mentions(text_str(&f->body) + f->declared.v[i].end, f->declared.v[i].name))
            c_put_line(f, "(void)%s;", f->declared.v[i].name);
}

/* Where a value that its equation writes is: a pointer is declared, if it is in m. */
static void place_own(Func *f, Val v)
{
    uint32_t s = f->plan->val[v].store;
    const Store *st = &f->plan->store[s];
    const char *type = c_type(dtype_of(f, v)), *base, *name;
    Dim off = 0;

    while (st->inside) {
        off = dim_add(&f->dims, off, part_offset(f, st));
        s = st->inside - 1;
        st = &f->plan->store[s];
    }
    if (st->kind == STORE_OUT || st->kind == STORE_IN) {
        Val whole = st->kind == STORE_OUT ? f->p->outs[st->index] : st->index + 1;

        base = st->kind == STORE_OUT ? f->out[st->index] : f->in[st->index];
        if (strcmp(type, c_type(dtype_of(f, whole))) != 0) {
            f->val[v].at = name = value_name(f, v);
            c_declare_at(f, name, "%s *const %s = (%s *)(void *)%s + %s;", type, name, type, base,
                    c_dim_in(f, off));
            return;
        }
        f->val[v].at = off ? arena_printf(f->a, "(%s + %s)", base, c_dim_in(f, off)) : base;
        return;
    }
    if (st->first == f->eqn && !is_placed(f, v, s)) {
        f->home_bytes[s] = most_bytes(f, st->val);
        f->home[s] = parts_take(f->c->cx, &f->mem, f->home_bytes[s]);
    }
    name = value_name(f, v);
    f->val[v].at = name;
    if (off)
        c_declare_at(f, name, "%s *const %s = (%s *)(void *)(m + %lld) + %s;", type, name, type,
                (long long)f->home[s], c_dim_in(f, off));
    else
        c_declare_at(f, name, "%s *const %s = (%s *)(void *)(m + %lld);", type, name, type,
                (long long)f->home[s]);
}

static void place_results(Func *f)
{
    for (uint32_t j = 0; j < f->e->nout; j++) {
        Val v = f->e->out + j;
        const PlanVal *pv = &f->plan->val[v];

        if (pv->kind == VAL_ALIAS && f->e->nin)
            f->val[v] = f->val[in_of(f, j)];
        else if (pv->kind == VAL_OWN)
            place_own(f, v);
    }
}

static void free_after(Func *f)
{
    const Plan *plan = f->plan;

    for (uint32_t i = 0; i < f->temps.n; i++)
        parts_give(&f->mem, f->temps.v[i].off, f->temps.v[i].size);
    f->temps.n = 0;
    for (uint32_t i = plan->free_at[f->eqn]; i < plan->free_at[f->eqn + 1]; i++)
        parts_give(&f->mem, f->home[plan->free_list[i]],
                   f->home_bytes[plan->free_list[i]]);
}

const char *c_at_of(Func *f, Val v) { return f->val[v].at; }

/* ---- a function -------------------------------------------------------------------- */

static void find_read(Func *f)
{
    const Program *p = f->p;

    f->read = arena_zalloc(f->a, p->nvals + 1);
    for (uint32_t i = 0; i < p->nargs; i++)
        f->read[p->args[i]] = true;
    for (uint32_t j = 0; j < p->nout; j++)
        f->read[p->outs[j]] = true;
}

void func_init(Func *f, CFile *c, const Plan *plan, const char *name, const int64_t *most)
{
    const Program *p = plan->p;

    *f = (Func){.c = c, .a = c->a, .plan = plan, .p = p, .name = name, .most = most};
    f->depth = 1;
    text_init(&f->body, f->a);
    dims_init(&f->dims, c->cx, f->a);
    f->map = arena_array(f->a, p->dims.syms.n + 1, sizeof *f->map);
    f->val = arena_zalloc(f->a, (p->nvals + 1) * sizeof *f->val);
    f->home = arena_zalloc(f->a, (plan->nstores + 1) * sizeof *f->home);
    f->home_bytes = arena_zalloc(f->a, (plan->nstores + 1) * sizeof *f->home_bytes);
    f->in = arena_zalloc(f->a, (p->nin + 1) * sizeof *f->in);
    f->out = arena_zalloc(f->a, (p->nout + 1) * sizeof *f->out);
    f->mem.free = arena_array(f->a, PARTS_MOST, sizeof *f->mem.free);
    for (uint32_t i = 0; i < p->dims.syms.n; i++)
        f->map[i] = dim_symbol(
            &f->dims,
            c_unique(f->a, &f->names, c_identifier(f->a, p->dims.syms.v[i].name)),
            (SymOrigin)p->dims.syms.v[i].origin);
    find_read(f);
}

void c_copy_to(Func *f, Val v, const char *to)
{
    uint32_t rank = rank_of(f, v);
    Dim *dims = arena_array(f->a, rank + 1, sizeof *dims);

    for (uint32_t i = 0; i < rank; i++)
        dims[i] = c_size_of(f, v, i);
    write_move(f, rank, dims, dtype_of(f, v), to, c_row_major(f, rank, dims), c_at_of(f, v),
               c_stride_of(f, v));
}

/* Results that no equation writes to their places. */
static void copy_results(Func *f)
{
    for (uint32_t j = 0; j < f->p->nout; j++) {
        Val v = f->p->outs[j];

        if (f->plan->out_direct[j] || !f->out[j])
            continue;
        c_copy_to(f, v, f->out[j]);
    }
}

/* At the first equation that has elements of the type. */
static bool refuse_dtype(Func *f, uint32_t type)
{
    const Program *p = f->p;
    const char *name = wf_dtype_name((wf_dtype)p->types[type].dtype);

    for (uint32_t n = 0; n < p->neqns; n++) {
        const Eqn *e = f->e = &p->eqns[n];

        for (uint32_t i = 0; i < e->nin + e->nout; i++) {
            Val v = i < e->nin ? eqn_in(p, e)[i] : e->out + i - e->nin;

            if (p->vals[v].type == type)
                return refuse_step(f, "elements of %s have no C yet", name);
        }
    }
    return fail(f->c->cx, WF_ERR_UNSUPPORTED, NOWHERE,
                "export: '%s' has elements of %s, which have no C yet", p->name, name);
}

static bool check_sizes(Func *f)
{
    const Program *p = f->p;

    for (uint32_t i = 0; i < p->ntypes; i++) {
        if (!c_has_dtype((wf_dtype)p->types[i].dtype))
            return refuse_dtype(f, i);
        for (uint32_t d = 0; d < p->types[i].rank; d++) {
            Dim n = c_dim_of(f, p->types[i].dims[d]);

            if (!c_dim_grows(&f->dims, n))
                return fail(f->c->cx, WF_ERR_UNSUPPORTED, NOWHERE,
                            "export: '%s' has an array whose size %s may grow when the "
                            "sizes it depends on get smaller; fix them (--size)",
                            p->name, c_dim_in(f, n));
        }
    }
    return true;
}

bool func_write(Func *f)
{
    const Program *p = f->p;

    if (!check_sizes(f))
        return false;
    for (uint32_t i = 0; i < p->nin; i++)
        f->val[i + 1].at = f->in[i];
    for (f->eqn = 0; f->eqn < p->neqns; f->eqn++) {
        f->e = &p->eqns[f->eqn];
        place_results(f);
        if (!step_write(f) || failed(f->c->cx))
            return false;
        free_after(f);
    }
    copy_results(f);
    void_declared(f);
    return !failed(f->c->cx);
}

/* ---- sub-programs ------------------------------------------------------------------ */

static bool is_same(const SubName *s, const Plan *plan, const int64_t *most)
{
    return s->plan == plan &&
           (!plan->p->dims.syms.n ||
            !memcmp(s->most, most, plan->p->dims.syms.n * sizeof *most));
}

static void sub_arguments(Func *f, Text *head)
{
    const Program *p = f->p;

    for (uint32_t i = 0; i < p->dims.syms.n; i++)
        text_printf(head, "ptrdiff_t %s, ", c_dim_in(f, f->map[i]));
    for (uint32_t i = 0; i < p->nin; i++)
        text_printf(head, "const %s *%s, ", c_type(dtype_of(f, i + 1)), f->in[i]);
    for (uint32_t j = 0; j < p->nout; j++)
        text_printf(head, "%s *%s, ", c_type(dtype_of(f, p->outs[j])), f->out[j]);
    text_add(head, "unsigned char *m");
}

static void sub_names(Func *f)
{
    const Program *p = f->p;

    for (uint32_t i = 0; i < p->nin; i++) {
        uint32_t name = p->vals[i + 1].name;

        f->in[i] = c_unique(f->a, &f->names,
                            name ? c_identifier(f->a, p->names[name])
                                 : arena_printf(f->a, "in%u", i));
    }
    for (uint32_t j = 0; j < p->nout; j++)
        f->out[j] = c_unique(f->a, &f->names, arena_printf(f->a, "out%u", j));
}

/* Parameters that the body does not name. */
static void void_unused(Func *f, Text *out)
{
    const Program *p = f->p;
    const char *body = text_str(&f->body);

    for (uint32_t i = 0; i < p->dims.syms.n; i++)
        if (!c_mentions(body, c_dim_in(f, f->map[i])))
            text_printf(out, "    (void)%s;\n", c_dim_in(f, f->map[i]));
    for (uint32_t i = 0; i < p->nin; i++)
        if (!c_mentions(body, f->in[i]))
            text_printf(out, "    (void)%s;\n", f->in[i]);
    for (uint32_t j = 0; j < p->nout; j++)
        if (!c_mentions(body, f->out[j]))
            text_printf(out, "    (void)%s;\n", f->out[j]);
    if (!c_mentions(body, "m"))
        text_add(out, "    (void)m;\n");
}

bool func_sub(CFile *c, const Plan *plan, const int64_t *most, const char *wish,
              SubName *out)
{
    Func f;
    Text head;

    for (uint32_t i = 0; i < c->subs.n; i++)
        if (is_same(&c->subs.v[i], plan, most)) {
            *out = c->subs.v[i];
            return true;
        }
    func_init(&f, c, plan, wish, most);
    sub_names(&f);
    if (!func_write(&f))
        return false;
    *out = (SubName){plan, most, c_unique(c->a, &c->names, wish), f.mem.top, f.fails};
    vec_push(c->a, &c->subs, *out);
    text_init(&head, c->a);
    text_printf(&head, "static %s %s(", f.fails ? "int" : "void", out->name);
    sub_arguments(&f, &head);
    text_add(&head, ")\n{\n");
    void_unused(&f, &head);
    text_printf(&c->functions, "%s%s%s}\n\n", text_str(&head), text_str(&f.body),
                f.fails ? "    return 0;\n" : "");
    return true;
}

/* ---- steps as functions ---------------------------------------------------------------- */

/* The arrays of the step under names of a function's own; what they were called. */
static const char **rename_arrays(Func *f)
{
    uint32_t n = f->e->nin + f->e->nout;
    const char **old = arena_array(f->a, n + 1, sizeof *old);

    for (uint32_t i = 0; i < n; i++) {
        Val v = i < f->e->nin ? in_of(f, i) : out_of(f, i - f->e->nin);

        old[i] = c_at_of(f, v);
        f->val[v].at = i < f->e->nin ? arena_printf(f->a, "in%u", i)
                                     : arena_printf(f->a, "out%u", i - f->e->nin);
    }
    return old;
}

/* Parameters, and what they are called with: sizes and arrays that the body names. */
static void function_arguments(Func *f, const char *body, const char **old, Text *params,
                               Text *args)
{
    uint32_t n = f->e->nin + f->e->nout;

    for (uint32_t i = 0; i < f->p->dims.syms.n; i++)
        if (c_mentions(body, c_dim_in(f, f->map[i]))) {
            text_printf(params, "%sptrdiff_t %s", params->n ? ", " : "", c_dim_in(f, f->map[i]));
            text_printf(args, "%s%s", args->n ? ", " : "", c_dim_in(f, f->map[i]));
        }
    for (uint32_t i = 0; i < n; i++) {
        Val v = i < f->e->nin ? in_of(f, i) : out_of(f, i - f->e->nin);
        const char *name = f->val[v].at;

        f->val[v].at = old[i];
        if (!c_mentions(body, name))
            continue;
        text_printf(params, "%s%s%s *%s", params->n ? ", " : "", i < f->e->nin ? "const " : "",
                    c_type(dtype_of(f, v)), name);
        text_printf(args, "%s%s", args->n ? ", " : "", old[i]);
    }
}

void write_function(Func *f, void (*write)(Func *f))
{
    Text body = f->body, params, args;
    int depth = f->depth;
    const char **old = rename_arrays(f), *text, *name;

    text_init(&f->body, f->a);
    f->depth = 1;
    write(f);
    text = text_str(&f->body);
    f->body = body;
    f->depth = depth;
    text_init(&params, f->a);
    text_init(&args, f->a);
    function_arguments(f, text, old, &params, &args);
    name = c_unique(f->a, &f->c->names,
                    arena_printf(f->a, "%s_%s", f->name, op_name(f->e->op)));
    text_printf(&f->c->functions, "WX_HOT static void %s(%s)\n{\n%s}\n\n", name,
                params.n ? text_str(&params) : "void", text);
    c_put_line(f, "%s(%s);", name, text_str(&args));
}

/* ---- constants --------------------------------------------------------------------- */

static const char *constant_text(CFile *c, const char *name, wf_dtype t,
                                 const ConstData *d)
{
    size_t size = wf_dtype_size(t), n = d->size / size;
    Text out;

    text_init(&out, c->a);
    text_printf(&out, "static const %s %s[%zu] = {", c_type(t), name, n ? n : 1);
    for (size_t i = 0; i < n; i++) {
        text_add(&out, i ? i % 8 ? ", " : ",\n    " : "\n    ");
        text_add(&out, c_stored_literal(c->a, t, (const char *)d->data + i * size));
    }
    text_add(&out, n ? "\n};\n\n" : "0};\n\n");
    return text_str(&out);
}

const char *c_constant(CFile *c, const ConstAttr *a)
{
    wf_dtype t = (wf_dtype)a->type.dtype;
    const char *name;

    for (uint32_t i = 0; i < c->constants.n; i++)
        if (c->constants.v[i].data == a->data->data && c->constants.v[i].dtype == t)
            return c->constants.v[i].name;
    name = c_unique(c->a, &c->names,
                    a->data->name ? c_identifier(c->a, a->data->name)
                                  : arena_printf(c->a, "const_%u", c->constants.n));
    vec_push(c->a, &c->constants,
             ((ConstName){a->data->data, (uint8_t)t, name,
                          constant_text(c, name, t, a->data)}));
    return name;
}
