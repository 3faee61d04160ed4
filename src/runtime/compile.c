/* compile.c -- programs with machine code: optimised, fused, rendered as C, compiled.
 *
 * Units of text are compiled side by side. Without a compiler the optimised program is
 * interpreted.
 */
#include "opt/opt.h"
#include "runtime/compiler.h"
#include "runtime/runtime.h"

#define UNIT_KERNELS 4 /* a unit of fewer is not worth a process of its own */

static const char *const flags_any[] = {"-O2",          "-w",
                                        "-fwrapv",      "-fno-strict-aliasing",
                                        "-fno-math-errno", "-fno-trapping-math",
                                        "-fvisibility=default"};
static const char *const flags_isa[ISA_COUNT][8] = {
    [ISA_BASE] = {NULL},
    [ISA_AVX2] = {"-mavx2", "-mfma", "-mf16c", NULL},
    [ISA_AVX512] = {"-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512dq", "-mfma", "-mf16c",
                    "-mprefer-vector-width=512", NULL},
};

/* The kernels in as many units as pay, dealt out in turn. */
static bool load_kernels(wf_ctx *cx, Kernel *const *k, uint32_t n, bool exact, Code **out)
{
    Arena *a = &cx->scratch;
    Isa isa = cpu_isa();
    uint32_t nunits = MAX(1, MIN((uint32_t)cpu_count(), n / UNIT_KERNELS)), nf = 0;
    CodeUnit *units = arena_array(a, nunits, sizeof *units);
    const char *flags[24];

    for (uint32_t u = 0; u < nunits; u++) {
        Kernel **mine = arena_array(a, n, sizeof(Kernel *));
        uint32_t count = 0;
        Text t;

        for (uint32_t i = u; i < n; i += nunits)
            mine[count++] = k[i];
        text_init(&t, a);
        render_unit(mine, count, isa, a, &t);
        units[u] = (CodeUnit){text_str(&t), t.n};
    }
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
    if (c->kernel->parts)
        c->end = (KernelEnd *)(uintptr_t)code_symbol(
            code, arena_printf(&cx->scratch, "wk%u_end", c->kernel->id));
}

bool compile_program(wf_ctx *cx, Arena *a, const Program *p, bool exact, Compiled *out)
{
    Fused fused;
    Kernel **k;
    uint32_t n = 0;

    *out = (Compiled){0};
    if (!(p = opt_run(&(Opt){.cx = cx}, p, OPT_ALL)))
        return false;
    out->p = p;
    if (!code_possible(cx))
        return true;
    if (!codegen_fuse(cx, p, &fused))
        return false;
    k = arena_array(&cx->scratch, fused.nkernels + 1, sizeof(Kernel *));
    for (uint32_t i = 0; i < fused.nkernels; i++) {
        Kernel *made = kernel_make(cx, a, fused.kernels[i], n);

        if (failed(cx))
            return false;
        if (made)
            k[n++] = made;
    }
    if (!n || !load_kernels(cx, k, n, exact, &out->code))
        return true;
    out->p = fused.p;
    out->codes = arena_zalloc(a, n * sizeof *out->codes);
    out->ncodes = n;
    for (uint32_t i = 0; i < n; i++) {
        out->codes[i].kernel = k[i];
        find_functions(cx, out->code, &out->codes[i]);
    }
    return true;
}
