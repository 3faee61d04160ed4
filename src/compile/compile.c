/* compile.c -- programs with machine code: optimised, fused, rendered as C, compiled.
 *
 * Units of text are compiled side by side. Without a compiler the optimised program is
 * interpreted.
 */
#include "compile/compile.h"
#include "opt/opt.h"
#include "runtime/compiler.h"

/* Units of text for as many cores, and the flags they are compiled with. */
static CodeUnit *make_units(wf_ctx *cx, Kernel *const *k, uint32_t n, int cores, uint32_t *out_n, const char ***out_flags)
{
    Arena *a = &cx->scratch;
    const Target *t = k[0]->target;
    Text *text = render_units(k, n, (uint32_t)cores, a, out_n);
    CodeUnit *units = arena_array(a, *out_n + 1, sizeof *units);
    uint32_t nf = 0;

    for (uint32_t u = 0; u < *out_n; u++)
        units[u] = (CodeUnit){text_str(&text[u]), text[u].n};
    while (t->flags[nf])
        nf++;
    *out_flags = arena_zalloc(a, (nf + 2) * sizeof **out_flags);
    memcpy(*out_flags, t->flags, nf * sizeof **out_flags);
    (*out_flags)[nf] = k[0]->exact ? "-ffp-contract=off" : "-ffp-contract=fast";
    return units;
}

/* Code that files have is in units for one core, whoever made it. */
bool compile_load(wf_ctx *cx, Kernel *const *k, uint32_t n, Code **out)
{
    const char **flags;
    CodeUnit *units;
    uint32_t nunits;

    *out = NULL;
    if (!n)
        return true;
    if (codefile_any(cx)) {
        units = make_units(cx, k, n, 1, &nunits, &flags);
        if (codefile_load(cx, units, (int)nunits, flags, out))
            return true;
        ctx_log(cx, WF_LOG_DEBUG, "no file has machine code of '%s' for %s", k[0]->p ? k[0]->p->name : "a program",
                isa_name((Isa)k[0]->target->isa));
    }
    units = make_units(cx, k, n, cpu_count(), &nunits, &flags);
    return code_load(cx, units, (int)nunits, flags, out);
}

typedef struct Held { /* bytes until the call ends */
    wf_allocator al;
    char *bytes;
    size_t size;
} Held;

static void free_held(void *held)
{
    Held *h = held;
    wf_allocator al = h->al;

    mem_free(&al, h->bytes, h->size);
    mem_free(&al, h, sizeof *h);
}

bool compile_for_file(wf_ctx *cx, const Target *t, const Program *p, bool (*take)(void *user, const char *bytes, size_t size),
                      void *user)
{
    Arena *a = codegen_arena(cx);
    const char **flags;
    CodeUnit *units;
    uint32_t n;
    Lowered l;

    if (!compile_lower(cx, a, t, p, false, 0, &l))
        return false;
    units = l.n ? make_units(cx, l.k, l.n, 1, &n, &flags) : NULL;
    for (uint32_t u = 0; units && u < n; u++) {
        Held *h = mem_alloc(&cx->al, sizeof *h);

        if (!h)
            ctx_out_of_memory(cx);
        *h = (Held){.al = cx->al};
        pool_defer(cx, free_held, h);
        if (!codefile_make(cx, &units[u], flags, &h->bytes, &h->size))
            return fail(cx, WF_ERR_UNSUPPORTED, NOWHERE,
                        "'%s' cannot be compiled: there is no C compiler here, or it failed", p->name);
        if (!take(user, h->bytes, h->size))
            return false;
    }
    return true;
}

static void find_functions(wf_ctx *cx, const Code *code, PlanCode *c)
{
    c->run = (KernelRun *)(uintptr_t)code_symbol(
        code, arena_printf(&cx->scratch, "wk%u", c->kernel->code->id));
    if (c->kernel->product)
        c->tile = (KernelTile *)(uintptr_t)code_symbol(
            code, arena_printf(&cx->scratch, "wk%u_tile", c->kernel->code->id));
    if (c->kernel->parts)
        c->end = (KernelEnd *)(uintptr_t)code_symbol(
            code, arena_printf(&cx->scratch, "wk%u_end", c->kernel->code->id));
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
        out->codes[i].kernel = l->k[i];
        find_functions(cx, code, &out->codes[i]);
        find_parts(cx, a, code, &out->codes[i]);
    }
}

static void release_code(void *code) { code_release(code); }

bool compile_program(wf_ctx *cx, Arena *a, const Program *p, bool exact, Compiled *out)
{
    Lowered l;
    Code *code = NULL;

    if (!codefile_any(cx) && !code_possible(cx)) {
        *out = (Compiled){.p = opt_run(&(Opt){.cx = cx}, p, exact ? OPT_PLAIN : OPT_ALL)};
        return out->p != NULL;
    }
    if (!compile_lower(cx, a, target_cpu(), p, exact, 0, &l))
        return false;
    if (compile_load(cx, l.k, l.n, &code))
        pool_defer(cx, release_code, code);
    compile_bind(cx, a, &l, code, out);
    return true;
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

/* Is kernel i the first that its code serves? */
static bool is_first(const Lowered *l, uint32_t i)
{
    for (uint32_t j = 0; j < i; j++)
        if (l->k[j]->code == l->k[i]->code)
            return false;
    return true;
}

static void show_code(wf_ctx *cx, const Target *target, const Program *p,
                      wf_code_form form, Text *t)
{
    Arena *a = codegen_arena(cx);
    Lowered l;

    if (!compile_lower(cx, a, target, p, false, 0, &l))
        return;
    if (form == WF_CODE_FUSED)
        program_print(l.fused.p, &(PrintOptions){.header = true}, t);
    for (uint32_t i = 0; i < l.n && form != WF_CODE_FUSED; i++)
        if (form == WF_CODE_KERNELS)
            show_kernel(l.k[i], t);
        else if (is_first(&l, i))
            l.k[i]->target->render(l.k[i]->code, a, t);
}

wf_status wf_program_code(wf_ctx *cx, const wf_program *p, wf_code_form form,
                          const char *target, const char **out_text)
{
    const Target *to = target ? target_find(target) : target_cpu();
    Text t;

    if (!SET_OUT(cx, out_text))
        return ctx_status(cx);
    API_ENTER(cx);
    answer_init(&t, cx);
    if (!p)
        fail(cx, WF_ERR_ARG, NOWHERE, "wf_program_code: the program is NULL");
    else if (!to)
        fail(cx, WF_ERR_NAME, NOWHERE,
             "no target is called '%s'; there are 'cpu', 'c' and 'cuda'", target);
    else
        show_code(cx, to, p, form, &t);
    *out_text = failed(cx) ? NULL : text_str(&t);
    API_RETURN(cx);
}
