/* method.c -- a program of a model as a public function: its state in the caller's struct,
 * its other inputs and its results as arguments.
 *
 * New values of the state are written where the old ones are, if the plan finds that they
 * may be (Plan.heir); else into memory of their own, and copied at the end.
 */
#include "export/export.h"

#include "compile/compile.h"
#include "opt/opt.h"

/* ---- what the file says of a method (nn/module_file.c) ------------------------------- */

static uint32_t member_of(CFile *c, const wf_model *model, Members *members,
                          const char *tensor)
{
    Names taken = {0};
    wf_array *a = wf_model_find_tensor(model, tensor);

    for (uint32_t i = 0; i < members->n; i++) {
        if (!strcmp(members->v[i].tensor, tensor))
            return i;
        vec_push(c->a, &taken, members->v[i].name);
    }
    if (!a) {
        fail(c->cx, WF_ERR_NAME, NOWHERE, "export: the file has no tensor '%s'", tensor);
        return 0;
    }
    vec_push(c->a, members,
             ((ModelMember){arena_strdup(c->a, tensor), c_unique(c->a, &taken, c_identifier(c->a, tensor)), a,
                            PACK_NOT, wf_array_data(a), k_count(wf_array_rank(a), wf_array_dims(a))}));
    return members->n - 1;
}

/* Lines "state NAME" and "update NAME". */
static bool read_state(CFile *c, const wf_model *model, const Program *p,
                       Members *members, ExportMethod *out)
{
    const char *s = wf_model_meta(model, arena_printf(c->a, "method.%s", p->name));

    out->state = arena_array(c->a, p->nin + 1, sizeof *out->state);
    out->update = arena_array(c->a, p->nout + 1, sizeof *out->update);
    for (; s && *s; s += strcspn(s, "\n"), s += *s == '\n') {
        bool update = !strncmp(s, "update ", 7);
        const char *name = s + (update ? 7 : 6);
        uint32_t k, *n = update ? &out->nupdate : &out->nstate;

        if (!update && strncmp(s, "state ", 6) != 0)
            continue;
        if (*n >= (update ? p->nout : p->nin))
            return fail(c->cx, WF_ERR_FORMAT, NOWHERE,
                        "export: method '%s' has more state than inputs or results",
                        p->name);
        k = member_of(c, model, members,
                      arena_printf(c->a, "%.*s", (int)strcspn(name, "\n"), name));
        (update ? out->update : out->state)[(*n)++] = k;
    }
    return !failed(c->cx);
}

/* ---- sizes --------------------------------------------------------------------------- */

static const Program *fix_sizes(CFile *c, const Program *p, const Sizes *fixed)
{
    bool any = false;

    for (uint32_t i = 0; i < p->dims.syms.n; i++)
        for (int k = 0; k < fixed->n; k++)
            any = any || !strcmp(fixed->symbols[k], p->dims.syms.v[i].name);
    return any ? program_specialise(c->cx, p, fixed->symbols, fixed->sizes,
                                    (uint32_t)fixed->n)
               : p;
}

static const int64_t *largest(CFile *c, const Program *p, const Sizes *most)
{
    int64_t *size = arena_array(c->a, p->dims.syms.n + 1, sizeof *size);

    for (uint32_t i = 0; i < p->dims.syms.n; i++) {
        size[i] = -1;
        for (int k = 0; k < most->n; k++)
            if (most->symbols[k] ? !strcmp(most->symbols[k], p->dims.syms.v[i].name)
                                 : size[i] < 0)
                size[i] = most->sizes[k];
        if (size[i] < 0 && p->dims.syms.v[i].origin != SYM_EQN) {
            fail(c->cx, WF_ERR_VALUE, NOWHERE,
                 "export: '%s' has a size %s; say how large it is (--size=%s=32) or can "
                 "be "
                 "(--max=%s=32)",
                 p->name, p->dims.syms.v[i].name, p->dims.syms.v[i].name,
                 p->dims.syms.v[i].name);
            return NULL;
        }
    }
    return size;
}

/* ---- the plan ------------------------------------------------------------------------ */

static void no_run(const KernelArgs *k, int64_t begin, int64_t end)
{
    (void)k, (void)begin, (void)end;
}

static const Plan *plan_method(CFile *c, ExportMethod *m)
{
    Lowered l;
    PlanCode *codes;
    bool *donated;
    uint32_t *heir;
    Plans plans = {.a = c->a};

    m->p = opt_planes(&(Opt){.cx = c->cx}, m->p);
    if (!m->p || !compile_lower(c->cx, c->a, &target_c, m->p, false, 0, &l))
        return NULL;
    m->p = l.fused.p;
    codes = arena_zalloc(c->a, (l.n + 1) * sizeof *codes);
    for (uint32_t i = 0; i < l.n; i++)
        codes[i] = (PlanCode){.kernel = l.k[i], .run = no_run};
    donated = arena_zalloc(c->a, m->p->nin + 1);
    heir = arena_zalloc(c->a, (m->p->nin + 1) * sizeof *heir);
    for (uint32_t i = 0; i < m->nstate; i++)
        for (uint32_t j = 0; j < m->nupdate; j++)
            if (m->state[i] == m->update[j]) {
                donated[i] = true;
                heir[i] = m->p->nout - m->nupdate + j + 1;
            }
    plans.codes = codes;
    plans.ncodes = l.n;
    plans.heir = heir;
    return plan_make(c->cx, &plans, m->p, donated, &device_host);
}

/* ---- the function -------------------------------------------------------------------- */

static void name_arrays(ExportMethod *m, const Members *members)
{
    Func *f = &m->f;
    const Program *p = f->p;

    vec_push(f->a, &f->names, "s");
    for (uint32_t i = 0; i < p->nin; i++)
        f->in[i] = i < m->nstate
                       ? arena_printf(f->a, "s->%s", members->v[m->state[i]].name)
                       : c_unique(f->a, &f->names,
                                  input_name(m->source, i)
                                      ? c_identifier(f->a, input_name(m->source, i))
                                      : arena_printf(f->a, "in%u", i - m->nstate));
    for (uint32_t j = 0; j + m->nupdate < p->nout; j++) {
        const Program *q = m->source;
        uint32_t name = q->vals[q->outs[j]].name;

        f->out[j] = c_unique(f->a, &f->names,
                             name ? c_identifier(f->a, q->names[name])
                                  : arena_printf(f->a, "out%u", j));
    }
}

/* int digits_forward(digits_state *s, ptrdiff_t N, const float *x, float *y, void *arena) */
static void write_head(CFile *c, ExportMethod *m)
{
    Func *f = &m->f;
    const Program *p = f->p;
    Text t;

    text_init(&t, c->a);
    text_printf(&t, "int %s_%s(", c->name, m->name);
    if (m->nstate + m->nupdate)
        text_printf(&t, "%s%s_state *s, ", m->nupdate ? "" : "const ", c->name);
    for (uint32_t i = 0; i < p->dims.syms.n; i++)
        text_printf(&t, "ptrdiff_t %s, ", c_dim_in(f, f->map[i]));
    for (uint32_t i = m->nstate; i < p->nin; i++)
        text_printf(&t, "const %s *%s, ", c_type(dtype_of(f, i + 1)), f->in[i]);
    for (uint32_t j = 0; j + m->nupdate < p->nout; j++)
        text_printf(&t, "%s *%s, ", c_type(dtype_of(f, p->outs[j])), f->out[j]);
    text_add(&t, "void *arena)");
    m->head = text_str(&t);
}

/* Sizes and what the program asks of them. */
static void write_checks(ExportMethod *m)
{
    Func *f = &m->f;
    const Dims *d = &f->p->dims;

    for (uint32_t i = 0; i < d->syms.n; i++) {
        const char *n = c_dim_in(f, f->map[i]);

        c_fail_if(f, "SIZE", "%s < 0 || %s > %s_MAX_%s", n, n, m->macro, n);
    }
    for (uint32_t i = 0; i < d->guards.n; i++)
        c_fail_if(
            f, "SIZE", "!(%s %s %s)", c_dim_in(f, c_dim_of(f, d->guards.v[i].lhs)),
            d->guards.v[i].is_eq ? "==" : ">=", c_dim_in(f, c_dim_of(f, d->guards.v[i].rhs)));
}

/* New values that cannot be written over the old ones get memory of their own. */
static void place_updates(ExportMethod *m)
{
    Func *f = &m->f;
    const Program *p = f->p;

    for (uint32_t j = p->nout - m->nupdate; j < p->nout; j++) {
        Val v = p->outs[j];
        const char *type = c_type(dtype_of(f, v));
        int64_t bytes =
            c_most_of(f, c_count_of(f, v)) * (int64_t)wf_dtype_size(dtype_of(f, v));

        if (f->plan->out_from[j] ||
            (v <= m->nstate && m->state[v - 1] == m->update[j - (p->nout - m->nupdate)]))
            continue; /* it is there */
        f->out[j] = c_unique(f->a, &f->names, "next");
        c_put_line(f, "%s *const %s = (%s *)(void *)(m + %lld);", type, f->out[j], type,
                 (long long)parts_take(f->c->cx, &f->mem, bytes));
    }
}

static void copy_updates(ExportMethod *m, const Members *members)
{
    Func *f = &m->f;
    const Program *p = f->p;

    for (uint32_t j = p->nout - m->nupdate; j < p->nout; j++)
        if (f->out[j])
            c_put_line(f, "memcpy(s->%s, %s, sizeof s->%s);",
                     members->v[m->update[j - (p->nout - m->nupdate)]].name, f->out[j],
                     members->v[m->update[j - (p->nout - m->nupdate)]].name);
}

static void add_comment(CFile *c, const Program *p)
{
    Text t;

    text_init(&t, c->a);
    program_print(p, &(PrintOptions){.max_const = 8}, &t);
    text_printf(&c->functions, "/*\n%s*/\n", c_comment(c->a, text_str(&t)));
}

static void unused_arguments(ExportMethod *m, Text *out)
{
    Func *f = &m->f;
    const char *body = text_str(&f->body);

    for (uint32_t i = m->nstate; i < f->p->nin; i++)
        if (!c_mentions(body, f->in[i]))
            text_printf(out, "    (void)%s;\n", f->in[i]);
    for (uint32_t j = 0; j + m->nupdate < f->p->nout; j++)
        if (!c_mentions(body, f->out[j]))
            text_printf(out, "    (void)%s;\n", f->out[j]);
    if (m->nstate + m->nupdate && !c_mentions(body, "s"))
        text_add(out, "    (void)s;\n");
    text_add(out, c_mentions(body, "m") ? "    unsigned char *const m = arena;\n\n"
                                        : "    (void)arena;\n");
}

bool method_plan(CFile *c, const wf_model *model, const Program *p, Members *members,
                 const Sizes *fixed, const Sizes *most, ExportMethod *m)
{
    *m = (ExportMethod){.source = p, .p = fix_sizes(c, p, fixed)};
    m->name = c_plain(c->a, p->name);
    m->macro = c_upper(c->a, arena_printf(c->a, "%s_%s", c->name, m->name));
    if (!m->p || !read_state(c, model, p, members, m) ||
        !(m->most = largest(c, m->p, most)) || !(m->plan = plan_method(c, m)))
        return false;
    m->most = largest(c, m->p, most);
    return m->most != NULL;
}

/* ---- packed members ------------------------------------------------------------------ */

typedef struct ConvUse {
    const Program *p;
    const Eqn *e;
} ConvUse;

/* Equation e of p reads v. False: as something else than filters that are packed as those of *use. */
static bool reads_packed(const Program *p, const Eqn *e, Val v, ConvUse *use)
{
    for (uint32_t a = 0; a < e->nin; a++) {
        if (eqn_in(p, e)[a] != v)
            continue;
        if (e->op != OP_conv_general || a != 1 || !c_packing(p, e) ||
            (use->e && !c_packed_alike(p, e, use->p, use->e)))
            return false;
        *use = (ConvUse){p, e};
    }
    return true;
}

/* Convolutions alone read member i in this method, and nobody changes it. */
static bool is_packable(const ExportMethod *m, uint32_t i, ConvUse *use)
{
    for (uint32_t j = 0; j < m->nupdate; j++)
        if (m->update[j] == i)
            return false;
    for (Val v = 1; v <= m->nstate; v++) {
        if (m->state[v - 1] != i)
            continue;
        for (uint32_t j = 0; j < m->p->nout; j++)
            if (m->p->outs[j] == v)
                return false;
        for (uint32_t k = 0; k < m->p->neqns; k++)
            if (!reads_packed(m->p, &m->p->eqns[k], v, use))
                return false;
    }
    return true;
}

void methods_pack(CFile *c, Members *members, const ExportMethod *methods, uint32_t n)
{
    for (uint32_t i = 0; i < members->n; i++) {
        ModelMember *member = &members->v[i];
        ConvUse use = {NULL, NULL};
        bool all = true;

        for (uint32_t k = 0; k < n && all; k++)
            all = is_packable(&methods[k], i, &use);
        if (!all || !use.e)
            continue;
        member->packing = c_packing(use.p, use.e);
        member->data = c_pack_filters(c->a, use.p, use.e, member->data);
        member->count = ((const ConvAttr *)use.e->attr)->groups * c_packed_group(use.p, use.e);
    }
}

/* ---- the method ---------------------------------------------------------------------- */

bool method_write(CFile *c, const Members *members, ExportMethod *m)
{
    uint8_t *packing = arena_zalloc(c->a, m->p->nin + 1);
    Text head;

    func_init(&m->f, c, m->plan, m->name, m->most);
    for (uint32_t i = 0; i < m->nstate; i++)
        packing[i] = (uint8_t)members->v[m->state[i]].packing;
    m->f.packing = packing;
    name_arrays(m, members);
    write_checks(m);
    place_updates(m);
    m->f.fails = true;
    if (!func_write(&m->f))
        return false;
    copy_updates(m, members);
    write_head(c, m);
    text_init(&head, c->a);
    unused_arguments(m, &head);
    add_comment(c, m->source);
    text_printf(&c->functions, "%s\n{\n%s%s    return 0;\n}\n\n", m->head,
                text_str(&head), text_str(&m->f.body));
    return !failed(c->cx);
}
