/* passes.c -- the passes that make code of a program, in the order of opt/passes.def; and
 * the public functions that run all of them up to one.
 */
#include "compile/compile.h"
#include "opt/recognise.h"

typedef struct Lowering {
    Opt o;
    Arena *a; /* for what stays: kernels */
    bool exact;
    uint32_t first; /* number of the first kernel */
    int last;       /* pass */
    const Program *p;
    Lowered *out;
} Lowering;

enum {
#define PASS(name, when, what, requires, keeps, breaks) PASS_##name,
#include "opt/passes.def"
#undef PASS
    PASS_COUNT
};

/* ---- passes of code ---------------------------------------------------------------- */

static bool run_onehot(Lowering *l)
{
    const Program *q = opt_onehot(&l->o, l->p);

    l->p = q && q != l->p ? opt_run(&l->o, q, OPT_PLAIN) : q;
    return l->p != NULL;
}

static bool run_layout(Lowering *l)
{
    const Program *q = opt_layout(&l->o, l->p);
    unsigned set = OPT_PLAIN & ~(1u << opt_find("contract")); /* would put transposes of inputs into convolutions */

    l->p = q && q != l->p ? opt_run(&l->o, q, set) : q;
    return l->p != NULL;
}

static bool run_attention(Lowering *l)
{
    if (!l->exact)
        l->p = opt_recognise_all(&l->o, l->p, RECOGNISE_ATTENTION | RECOGNISE_CODES | RECOGNISE_FUSED);
    return l->p != NULL;
}

static bool run_outer(Lowering *l)
{
    return (l->p = opt_outer(&l->o, l->p)) != NULL;
}

static bool run_slices(Lowering *l)
{
    return (l->p = compile_slices(&l->o, l->p)) != NULL;
}

static bool run_fuse(Lowering *l)
{
    bool ok = codegen_fuse(l->o.cx, l->o.target, l->p, l->last >= PASS_epilogue,
                           &l->out->fused);

    l->p = l->out->fused.p;
    return ok;
}

static bool run_epilogue(Lowering *l) /* fuse has done it, while groups were made */
{
    return l->p != NULL;
}

static bool make_kernels(Lowering *l)
{
    Lowered *out = l->out;

    out->k = arena_array(l->a, out->fused.nkernels + 1, sizeof(Kernel *));
    for (uint32_t i = 0; i < out->fused.nkernels; i++) {
        Kernel *k = kernel_make(l->o.cx, l->a, l->o.target, out->fused.kernels[i],
                                l->exact, l->first + out->n);

        if (failed(l->o.cx))
            return false;
        if (k)
            out->k[out->n++] = k;
    }
    return true;
}

static bool run_straight(Lowering *l)
{
    Lowered *out = l->out;

    if (!make_kernels(l))
        return false;
    if (target_forms(l->o.target, RENDER_STRAIGHT))
        l->p = straight_program(l->o.cx, l->a, l->o.target, l->p, l->exact, &out->k,
                                &out->n, l->first);
    out->fused.p = l->p;
    if (l->p)
        kernel_share_code(l->o.cx, l->a, out->k, out->n);
    return l->p != NULL;
}

/* ---- the table --------------------------------------------------------------------- */

typedef bool RunPass(Lowering *l);
#define RUN_ROUND(name)   NULL
#define RUN_LIBRARY(name) NULL
#define RUN_CODE(name)    run_##name

static const struct PassRow {
    const char *name, *when, *what, *requires, *keeps, *breaks;
    RunPass *run; /* of CODE */
} passes[] = {
#define PASS(name, when, what, requires, keeps, breaks)                                  \
    {#name, #when, what, requires, keeps, breaks, RUN_##when(name)},
#include "opt/passes.def"
#undef PASS
};

static bool lower_to(Lowering *l)
{
    const Program *plain = opt_run(&l->o, l->p, OPT_PLAIN);

    *l->out = (Lowered){.p = plain && !l->exact ? opt_recognise(&l->o, plain) : plain};
    l->p = plain;
    for (int i = 0; i <= l->last && l->out->p; i++)
        if (passes[i].run && !passes[i].run(l))
            return false;
    return l->out->p != NULL && !failed(l->o.cx);
}

bool compile_lower(wf_ctx *cx, Arena *a, const Target *t, const Program *p, bool exact,
                   uint32_t first, Lowered *out)
{
    Lowering l = {.o = {.cx = cx, .target = t},
                  .a = a,
                  .exact = exact,
                  .first = first,
                  .last = PASS_COUNT - 1,
                  .p = p,
                  .out = out};

    return lower_to(&l);
}

/* ---- up to one --------------------------------------------------------------------- */

static int find_pass(const char *name)
{
    int i = 0;

    while (i < PASS_COUNT && strcmp(passes[i].name, name) != 0)
        i++;
    return i;
}

static const Program *run_up_to(wf_ctx *cx, const Program *p, const char *last)
{
    const char *names[PASS_COUNT], *near;
    int end = !last || !strcmp(last, "all") ? PASS_recognise : find_pass(last);
    Lowered out;
    Lowering l = {.o = {.cx = cx, .target = target_cpu()},
                  .a = codegen_arena(cx),
                  .last = end,
                  .p = p,
                  .out = &out};

    if (end <= PASS_recognise)
        return opt_run(&(Opt){.cx = cx}, p, (2u << end) - 1);
    if (end < PASS_COUNT)
        return lower_to(&l) ? l.p : NULL;
    for (int i = 0; i < PASS_COUNT; i++)
        names[i] = passes[i].name;
    near = nearest_name(last, names, PASS_COUNT);
    fail(cx, WF_ERR_NAME, NOWHERE, "no pass is called '%s'%s%s%s", last,
         near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return NULL;
}

wf_status wf_optimise(wf_ctx *cx, const wf_program *f, const char *last,
                      const wf_program **out)
{
    const Program *p;

    if (out)
        *out = NULL;
    if (!cx)
        return WF_ERR_ARG;
    if (!f || !out) {
        fail(cx, WF_ERR_ARG, NOWHERE, "wf_optimise: an argument is NULL");
        return ctx_status(cx);
    }
    API_ENTER(cx);
    p = run_up_to(cx, f, last);
    *out = p && !failed(cx) ? program_retain(p) : NULL;
    API_RETURN(cx);
}

static void print_passes(Text *t)
{
    const char *when = "";

    for (int i = 0; i < PASS_COUNT; i++) {
        const struct PassRow *r = &passes[i];

        if (strcmp(when, r->when) != 0)
            text_printf(t, "%s%s\n", i ? "\n" : "",
                        !strcmp(r->when, "ROUND") ? "in rounds, until nothing changes:"
                        : !strcmp(r->when, "LIBRARY") ? "then, for the library:"
                                                      : "or, for compiled code:");
        when = r->when;
        text_printf(t, "  %-10s %s\n", r->name, r->what);
        text_printf(t, "  %-10s   requires %s\n", "", r->requires);
        text_printf(t, "  %-10s   keeps    %s\n", "", r->keeps);
        text_printf(t, "  %-10s   breaks   %s\n", "", r->breaks);
    }
}

wf_status wf_passes_text(wf_ctx *cx, const char **out_text)
{
    Text t;

    if (!SET_OUT(cx, out_text))
        return ctx_status(cx);
    API_ENTER(cx);
    answer_init(&t, cx);
    print_passes(&t);
    *out_text = text_str(&t);
    API_RETURN(cx);
}
