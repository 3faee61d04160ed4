/* test_target.c -- a target is data: one that no pass knows of goes through all of them.
 *
 * The toy renders a few ops of f32 in one form of kernel, has vectors of three elements,
 * thresholds of its own and no library. What the passes make for it keeps to that, and is
 * still the same program.
 */
#include "lib_random.h"
#include "lib_target.h"
#include "opt/opt.h"
#include "compile/compile.h"

#define PROGRAMS 150

static bool toy_renders(const Target *t, const Program *p, const Eqn *e)
{
    (void)t;
    for (uint32_t i = 0; i < e->nin; i++)
        if (val_type(p, eqn_in(p, e)[i]).dtype != WF_F32)
            return false;
    return (e->op == OP_const || e->op == OP_add || e->op == OP_mul || e->op == OP_neg) &&
           val_type(p, e->out).dtype == WF_F32;
}

static void toy_render(const Kernel *k, Arena *a, Text *out)
{
    (void)a;
    text_printf(out, "toy %d\n", k->lanes);
    kernel_print(k, out);
}

static void toy_head(const Kernel *const *k, uint32_t n, Text *out)
{
    text_printf(out, "%s, %u kernels\n", k[0]->target->name, n);
}

static const Target toy = {
    .name = "toy",
    .forms = RENDER_MAP,
    .vector = 12,
    .renders = toy_renders,
    .render = toy_render,
    .render_head = toy_head,
    .join_rows = 1,
    .join_columns = 9,
    .fuse_least = 2,
    .fuse_members = 3,
    .fuse_arrays = 4,
    .cheap_again = 1,
    .block = 7,
    .task = 10,
    .tasks_most = 2,
};

/* Is everything in the kernel what the toy renders? */
static void check_kernel(const Kernel *k)
{
    uint32_t computed = 0;

    for (uint32_t i = 0; i < k->p->neqns; i++) {
        const Eqn *e = &k->p->eqns[i];
        FuseKind kind = fuse_kind(&toy, k->p, e);

        CHECK(kind == FUSE_FREE || kind == FUSE_INDEX || kind == FUSE_MAP);
        computed += kind == FUSE_MAP;
    }
    CHECK(computed >= 2 && computed <= 3 && k->p->nin + k->p->nout <= 4);
    CHECK(k->form == FORM_MAP && k->lanes == 3 && !k->straight && !k->product);
}

static const char *differ(wf_ctx *cx, const Program *p, const Program *q, const Nd *in)
{
    const Nd *x = run_program(cx, p, in), *y = x ? run_program(cx, q, in) : NULL;
    const char *why = x && y ? NULL : wf_ctx_message(cx);

    for (uint32_t j = 0; j < p->nout && !why; j++)
        why = nd_differ(cx, &y[j], &x[j], x[j].dtype == WF_F64 ? 1e-9 : 1e-4);
    return why;
}

TEST(programs_go_through_all_passes_for_a_target_no_pass_knows)
{
    uint32_t kernels = 0;

    for (uint64_t seed = 1; seed <= PROGRAMS && check_ok(); seed++) {
        BENCH_OPEN(b);
        wf_ctx *cx = b.cx;
        Arena *a = codegen_arena(cx);
        Rng rng = {seed * 7919};
        const Program *p = seed % 3 ? random_net(cx, &rng, WF_F32, 4)
                                    : random_program(cx, &rng, 12, RANDOM_PLAIN);
        const char *why = "it does not lower";
        Lowered l;
        Case c;

        if (!p) { /* the largest of no elements, say, which has no type */
            wf_clear(cx);
            BENCH_CLOSE(b);
            continue;
        }
        c = case_of(cx, p, seed);
        if (compile_lower(cx, a, &toy, p, true, 0, &l) && is_valid(cx, l.fused.p))
            why = differ(cx, p, l.fused.p, case_inputs(cx, &c, &rng));
        if (why)
            check_fail(__FILE__, __LINE__, "seed %d: %s", (int)seed, why);
        for (uint32_t i = 0; i < l.n && !why; i++)
            check_kernel(l.k[i]);
        kernels += why ? 0 : l.n;
        wf_clear(cx);
        BENCH_CLOSE(b);
    }
    CHECK(kernels > PROGRAMS / 4);
}

XTEST(thresholds_are_the_targets)
{
    const Program *p = parse_lines(
        cx, "f(x: f32[33,6], v: f32[6,9], w: f32[6,9]) { a = dot x v; b = dot x w; "
            "c = add a b; d = neg c; e = mul d c; g = add e a; ret g; }");
    const Program *q = opt_run(&(Opt){.cx = cx, .target = &toy}, p, OPT_PLAIN),
                  *r = opt_run(&(Opt){.cx = cx, .target = target_cpu()}, p, OPT_PLAIN);
    uint32_t dots[2] = {0, 0}, nunits;
    Arena *a = codegen_arena(cx);
    Lowered l;
    Text *text;

    for (uint32_t i = 0; i < q->neqns; i++)
        dots[0] += q->eqns[i].op == OP_dot_general;
    for (uint32_t i = 0; i < r->neqns; i++)
        dots[1] += r->eqns[i].op == OP_dot_general;
    CHECK_EQ_INT(dots[0], 1); /* joined: the copy costs it nothing */
    CHECK_EQ_INT(dots[1], 2);
    CHECK(compile_lower(cx, a, &toy, p, false, 0, &l) && l.n == 1);
    text = render_units(l.k, l.n, 4, a, &nunits);
    CHECK_EQ_INT(nunits, 1);
    CHECK(!strncmp(text_str(&text[0]), "toy, 1 kernels\ntoy 3\nkernel 0: map\n", 35));
}
