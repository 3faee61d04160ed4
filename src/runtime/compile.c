/* compile.c -- programs with machine code: optimised, fused, rendered as C, compiled.
 *
 * Units of text are compiled side by side. Without a compiler the optimised program is
 * interpreted.
 */
#include "opt/recognise.h"
#include "runtime/compiler.h"
#include "runtime/runtime.h"

static const char *const flags_any[] = {
    "-O2",
    "-w",
    "-fwrapv",
    "-fno-strict-aliasing",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fvisibility=default",
    "-fno-schedule-insns2", /* 5 % of the compiler's time, and the machine reorders */
    "-fno-asynchronous-unwind-tables",
};
static const char *const flags_isa[ISA_COUNT][8] = {
    [ISA_BASE] = {NULL},
    [ISA_AVX2] = {"-mavx2", "-mfma", "-mf16c", NULL},
    [ISA_AVX512] = {"-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512dq", "-mfma",
                    "-mf16c", "-mprefer-vector-width=512", NULL},
};

static void set_exact(Kernel *k, bool exact)
{
    k->exact = exact;
    for (uint32_t i = 0; k->straight && i < k->straight->nparts; i++)
        k->straight->part[i]->exact = exact;
}

/* Those that have text of their own. */
static Kernel **unshared(Arena *a, Kernel *const *k, uint32_t *n)
{
    Kernel **v = arena_array(a, *n + 1, sizeof(Kernel *));
    uint32_t count = 0;

    for (uint32_t i = 0; i < *n; i++)
        if (!k[i]->shared)
            v[count++] = k[i];
    *n = count;
    return v;
}

bool compile_load(wf_ctx *cx, Kernel *const *all, uint32_t n, bool exact, Code **out)
{
    Arena *a = &cx->scratch;
    Kernel **k = unshared(a, all, &n);
    Isa isa = cpu_isa();
    uint32_t nunits, nf = 0;
    CodeUnit *units;
    const char *flags[32];
    Text *text;

    for (uint32_t i = 0; i < n; i++)
        set_exact(k[i], exact);
    text = render_units(k, n, isa, (uint32_t)cpu_count(), a, &nunits);
    units = arena_array(a, nunits + 1, sizeof *units);
    for (uint32_t u = 0; u < nunits; u++)
        units[u] = (CodeUnit){text_str(&text[u]), text[u].n};
    for (size_t i = 0; i < sizeof flags_any / sizeof *flags_any; i++)
        flags[nf++] = flags_any[i];
    for (const char *const *f = flags_isa[isa]; *f; f++)
        flags[nf++] = *f;
    flags[nf++] = exact ? "-ffp-contract=off" : "-ffp-contract=fast";
    flags[nf] = NULL;
    return code_load(cx, units, (int)nunits, flags, out);
}

static void find_functions(wf_ctx *cx, const Code *code, PlanCode *c)
{
    c->run = (KernelRun *)(uintptr_t)code_symbol(
        code, arena_printf(&cx->scratch, "wk%u", c->kernel->id));
    if (c->kernel->product)
        c->tile = (KernelTile *)(uintptr_t)code_symbol(
            code, arena_printf(&cx->scratch, "wk%u_tile", c->kernel->id));
    if (c->kernel->parts)
        c->end = (KernelEnd *)(uintptr_t)code_symbol(
            code, arena_printf(&cx->scratch, "wk%u_end", c->kernel->id));
}

/* Parts of a straight function that are functions of their own. */
static void find_parts(wf_ctx *cx, Arena *a, const Code *code, PlanCode *c)
{
    const Straight *s = c->kernel->straight;

    if (!s || s->loops)
        return;
    c->call = arena_zalloc(a, (2 * s->nparts + 1) * sizeof *c->call);
    for (uint32_t i = 0; i < s->nparts; i++) {
        PlanCode part = {.kernel = s->part[i]};

        find_functions(cx, code, &part);
        memcpy(&c->call[2 * i], &part.run, sizeof part.run);
        memcpy(&c->call[2 * i + 1], &part.end, sizeof part.end);
        if (!part.run || (part.kernel->parts && !part.end))
            c->run = NULL;
    }
}

static void share_functions(Kernel **k, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < i && !k[i]->shared; j++)
            if (kernel_same(k[i], k[j])) {
                k[i]->shared = true;
                k[i]->id = k[j]->id;
            }
}

bool compile_lower(wf_ctx *cx, Arena *a, const Program *p, bool exact, uint32_t least,
                   uint32_t first, Lowered *out)
{
    Opt o = {.cx = cx};
    const Program *plain = opt_run(&o, p, OPT_PLAIN);

    *out = (Lowered){.p = plain && !exact ? opt_recognise(&o, plain) : plain};
    if (!out->p || !(p = codegen_onehot(cx, plain)) ||
        (p != plain && !(p = opt_run(&o, p, OPT_PLAIN))) ||
        (!exact && !(p = recognise(cx, p, RECOGNISE_ATTENTION | RECOGNISE_FUSED))) ||
        !(p = codegen_slices(cx, p)) || !codegen_fuse(cx, p, least, &out->fused))
        return false;
    out->k = arena_array(a, out->fused.nkernels + 1, sizeof(Kernel *));
    for (uint32_t i = 0; i < out->fused.nkernels; i++) {
        Kernel *k = kernel_make(cx, a, out->fused.kernels[i], first + out->n);

        if (failed(cx))
            return false;
        if (k)
            out->k[out->n++] = k;
    }
    p = straight_program(cx, a, out->fused.p, &out->k, &out->n, first);
    out->fused.p = p;
    if (p)
        share_functions(out->k, out->n);
    return p != NULL;
}

void compile_bind(wf_ctx *cx, Arena *a, const Lowered *l, Code *code, Compiled *out)
{
    *out = (Compiled){.p = l->p};
    if (!code)
        return;
    out->p = l->fused.p;
    out->code = code;
    out->codes = arena_zalloc(a, (l->n + 1) * sizeof *out->codes);
    out->ncodes = l->n;
    for (uint32_t i = 0; i < l->n; i++) {
        Kernel *k = l->k[i];

        /* found while the text was made, in memory that is not kept */
        k->params.v = arena_dup(a, k->params.v, k->params.n * sizeof *k->params.v);
        out->codes[i].kernel = k;
        find_functions(cx, code, &out->codes[i]);
        find_parts(cx, a, code, &out->codes[i]);
    }
}

static void release_code(void *code) { code_release(code); }

bool compile_program(wf_ctx *cx, Arena *a, const Program *p, bool exact, Compiled *out)
{
    Lowered l;
    Code *code = NULL;

    if (!code_possible(cx)) {
        *out = (Compiled){.p = opt_run(&(Opt){.cx = cx}, p, exact ? OPT_PLAIN : OPT_ALL)};
        return out->p != NULL;
    }
    if (!compile_lower(cx, a, p, exact, FUSE_LEAST, 0, &l))
        return false;
    if (l.n && compile_load(cx, l.k, l.n, exact, &code))
        pool_defer(cx, release_code, code);
    compile_bind(cx, a, &l, code, out);
    return true;
}

const Program *opt_fuse(wf_ctx *cx, const Program *p)
{
    Lowered l;

    return compile_lower(cx, codegen_arena(cx), p, false, FUSE_LEAST, 0, &l) ? l.fused.p
                                                                             : NULL;
}

/* ---- to look at -------------------------------------------------------------------- */

/* For people, with the names of sizes, which the kernel itself does not know. */
static void show_kernel(const Kernel *k, Text *t)
{
    const Dims *d = k->p ? &k->p->dims : NULL;

    kernel_print(k, t);
    for (uint32_t i = 0; d && i < d->syms.n; i++) {
        text_printf(t, i ? ", n%u = " : "  n%u = ", i);
        dim_print(d, d->syms.v[i].dim, t);
    }
    if (d && d->syms.n)
        text_char(t, '\n');
}

static void show_code(wf_ctx *cx, const Program *p, wf_code_form form, Text *t)
{
    Arena *a = codegen_arena(cx);
    Lowered l;

    if (!compile_lower(cx, a, p, false, FUSE_LEAST, 0, &l))
        return;
    if (form == WF_CODE_FUSED)
        program_print(l.fused.p, &(PrintOptions){.header = true}, t);
    for (uint32_t i = 0; i < l.n && form != WF_CODE_FUSED; i++)
        if (form == WF_CODE_KERNELS)
            show_kernel(l.k[i], t);
        else if (!l.k[i]->shared)
            render_kernel(l.k[i], cpu_isa(), a, t);
}

wf_status wf_program_code(wf_ctx *cx, const wf_program *p, wf_code_form form,
                          const char **out_text)
{
    Text t;

    *out_text = NULL;
    API_ENTER(cx);
    answer_init(&t, cx);
    if (!p)
        fail(cx, WF_ERR_ARG, NOWHERE, "wf_program_code: the program is NULL");
    else
        show_code(cx, p, form, &t);
    *out_text = failed(cx) ? NULL : text_str(&t);
    API_RETURN(cx);
}
