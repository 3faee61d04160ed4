/* spmd.c -- a function on every device of a mesh.
 *
 * It is traced once, on the parts that a device has; what it captures from outside is whole
 * on all of them. With check its program says where values begin to vary (vary.c).
 */
#include "op/mesh.h"
#include "higher/flow.h"

typedef struct SpmdCall {
    const wf_function *f;
    const wf_tensor *in;
    const char *mesh_text, *in_text;
    const char *const *out_text; /* there once f has run */
    TraceAxis axis;
    Mesh mesh;
    uint32_t *vary; /* of inputs */
    const char **specs;
    SpmdAttr a;
    Arena texts; /* of all that; f runs outside of any region */
} SpmdCall;

static bool bad_spec(wf_ctx *c, const char *what, uint32_t i, const char *spec,
                     const char *why)
{
    tensor_fail(c, WF_ERR_VALUE, "wf_spmd_call: %s %u has the layout \"%s\": %s", what, i, spec,
          why);
    return false;
}

/* The type of input i on one device. */
static bool part_of(wf_ctx *c, SpmdCall *s, uint32_t i, InType *t)
{
    Spec spec;
    const char *why = spec_parse(&s->texts, &s->mesh, s->specs[i], t->s.rank, &spec);

    if (why)
        return bad_spec(c, "input", i, s->specs[i], why);
    for (uint32_t k = 0; k < t->s.rank; k++) {
        int64_t n = mesh_count(&s->mesh, spec.dim[k]);

        if (!size_exact(c, t->s.d[k], n, &t->s.d[k])) {
            tensor_fail(
                c, WF_ERR_SHAPE,
                "wf_spmd_call: input %u has %s elements along axis %u, for %lld devices",
                i, size_text(c, t->s.d[k]), k, (long long)n);
            return false;
        }
    }
    t->vary = s->vary[i] = spec.used;
    t->layout = 0;
    return true;
}

static bool parse_texts(wf_ctx *c, SpmdCall *s)
{
    uint32_t n = (uint32_t)s->f->inputs;
    const char *why;

    T_ENTER(c, false)
    why = mesh_parse(&s->texts, s->mesh_text, &s->mesh);
    s->vary = arena_zalloc(&s->texts, (n + 1) * sizeof *s->vary);
    s->specs = specs_split(&s->texts, s->in_text, n);
    T_LEAVE(c);
    if (why)
        tensor_fail(c, WF_ERR_VALUE, "wf_spmd_call: mesh \"%s\": %s", s->mesh_text, why);
    else if (!s->specs)
        tensor_fail(c, WF_ERR_VALUE,
              "wf_spmd_call: \"%s\" is not a layout for each of %u inputs", s->in_text,
              n);
    s->axis = (TraceAxis){s->mesh_text, s->mesh.devices, &s->mesh, s->a.check};
    return !failed(c);
}

static bool trace_parts(wf_ctx *c, SpmdCall *s, Body *b)
{
    uint32_t n = (uint32_t)s->f->inputs;
    InType *t = function_types(c, "wf_spmd_call", s->in, (int)n);
    bool ok = t != NULL;

    for (uint32_t i = 0; i < n && ok; i++)
        ok = part_of(c, s, i, &t[i]);
    ok = ok && function_trace(c, s->f, t, TRACE_OPEN, &s->axis, &b->t);
    if (t)
        mem_free(&c->al, t, (n + 1) * sizeof *t);
    return ok;
}

/* b->p with pvary, if it is to be checked; conditions around collectives are in any case. */
static bool finish_body(wf_ctx *c, SpmdCall *s, Body *b, const char **outs)
{
    const Program *p = b->p;
    uint32_t *in = arena_zalloc(&c->scratch, (p->nin + 1) * sizeof *in);
    uint32_t *out = arena_array(&c->scratch, p->nout + 1, sizeof *out);
    uint32_t *want = arena_array(&c->scratch, p->nout + 1, sizeof *want);
    Spec spec;
    const char *why;

    memcpy(in, s->vary, (size_t)s->f->inputs * sizeof *in);
    if (!vary_program(c, &s->mesh, p, in, out))
        return false;
    for (uint32_t j = 0; j < p->nout; j++) {
        if ((why = spec_parse(&c->scratch, &s->mesh, outs[j],
                              val_type(p, p->outs[j]).rank, &spec)))
            return bad_spec(c, "result", j, outs[j], why);
        want[j] = spec.used;
        if (s->a.check && out[j] & ~spec.used)
            return bad_spec(
                c, "result", j, outs[j],
                arena_printf(&c->scratch, "but it varies over %s",
                             axes_of_bits(&c->scratch, &s->mesh, out[j] & ~spec.used)));
    }
    if (!s->a.check)
        return true;
    p = xf_vary(c, &s->mesh, p, in, want);
    if (!p)
        return false;
    program_retain(p);
    program_release(b->p); /* its symbols are those of p, by name and in order */
    b->p = p;
    return true;
}

/* The texts of the equation, and its body. */
static bool make_attr(wf_ctx *c, SpmdCall *s, Body *b)
{
    uint32_t nin = b->t.nin + b->t.ncaptures;
    const char **outs, **ins;

    T_ENTER(c, false)
    outs = specs_split(&s->texts, *s->out_text, b->t.nout);
    if (!outs)
        tensor_fail(c, WF_ERR_VALUE,
              "wf_spmd_call: \"%s\" is not a layout for each of %u results", *s->out_text,
              b->t.nout);
    if (outs && finish_body(c, s, b, outs)) {
        ins = arena_array(&s->texts, nin + 1, sizeof *ins);
        memcpy(ins, s->specs, b->t.nin * sizeof *ins);
        for (uint32_t i = b->t.nin; i < nin; i++) {
            ins[i] = "";
            for (uint32_t k = 0; k < b->t.captures[i - b->t.nin]->rank; k++)
                ins[i] = spec_insert(&s->texts, ins[i], k, k);
        }
        s->a.mesh = s->mesh_text;
        s->a.in = specs_join(&s->texts, ins, nin);
        s->a.out = specs_join(&s->texts, outs, b->t.nout);
        s->a.body = body_sub(b);
    }
    T_LEAVE(c);
    return !failed(c);
}

wf_status spmd_call(wf_ctx *c, const wf_function *f, const char *mesh,
                    const char *in_specs, const wf_tensor *in, int nin,
                    const char *const *out_specs, bool check, wf_tensor *out, int nout)
{
    SpmdCall s = {.f = f,
                  .in = in,
                  .mesh_text = mesh,
                  .in_text = in_specs,
                  .out_text = out_specs,
                  .a.check = check};
    Body b = {0};

    IN_GRAPH_(graph_enter_handles(c, in, nin));
    if (!function_check_call(c, f, in, nin, out, nout, "wf_spmd_call"))
        return ctx_status(c);
    if (innermost_mesh(c)) {
        tensor_fail(c, WF_ERR_VALUE, "wf_spmd_call: inside another one");
        return ctx_status(c);
    }
    arena_init(&s.texts, &c->al, c);
    if (parse_texts(c, &s) && trace_parts(c, &s, &b) &&
        body_close(c, &b, b.t.captures, b.t.ncaptures, false) && make_attr(c, &s, &b)) {
        FlowOperands o = {
            .in = in, .nin = b.t.nin, .after = b.t.captures, .nafter = b.t.ncaptures};
        body_apply(c, OP_spmd, &s.a, &o, b.t.nout, b.t.weak, f, out);
    }
    body_free(c, &b);
    arena_free(&s.texts);
    return ctx_status(c);
}

wf_status wf_spmd_call(wf_ctx *c, const wf_function *f, const char *mesh,
                       const char *in_specs, const wf_tensor *in, int nin,
                       const char *out_specs, bool check, wf_tensor *out, int nout)
{
    if (!NEEDS(c, mesh && in_specs && out_specs))
        return ctx_status(c);
    return spmd_call(c, f, mesh, in_specs, in, nin, &out_specs, check, out, nout);
}

bool traced_mark_vary(wf_ctx *c, Traced *t, const wf_tensor *in)
{
    const TraceAxis *a = innermost_mesh(c);
    const Program *p;

    if (failed(c) || !a || !a->check)
        return !failed(c);
    T_ENTER(c, false)
    p = xf_vary(c, a->mesh, t->p, tensor_vary_all(c, in, t->nin, t->captures, t->ncaptures),
                NULL);
    if (p) {
        program_retain(p);
        program_release(t->p);
        t->p = p;
    }
    T_LEAVE(c);
    return !failed(c);
}
