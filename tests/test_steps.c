/* test_steps.c -- what steps say that they read and write: true of every plan of random
 * programs, their gradients and their batches; and a plan in which it is not is found out.
 */
#include "lib_random.h"
#include "compile/compile.h"

#include <stdio.h>
#include <string.h>

/* ---- plans of random programs -------------------------------------------------------- */

static wf_array **inputs_of(wf_ctx *cx, const Program *p, uint64_t seed)
{
    Case c = case_of(cx, p, seed);
    Rng rng = {seed};
    Nd *nd = case_inputs(cx, &c, &rng);
    wf_array **in = arena_zalloc(&cx->scratch, (p->nin + 1) * sizeof *in);

    for (uint32_t i = 0; i < p->nin; i++)
        wf_array_from(cx, nd[i].dtype, nd[i].dims, (int)nd[i].rank, nd[i].data, &in[i]);
    return in;
}

static void release_all(wf_array **a, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        wf_array_release(a[i]);
}

static int good; /* runs */

/* Every run checks the plans it bound. Errors of the program itself are none of ours. */
static const char *check_plans(wf_ctx *cx, const Program *p, uint64_t seed, bool donate)
{
    wf_array **in = inputs_of(cx, p, seed);
    wf_array **out = arena_zalloc(&cx->scratch, (p->nout + 1) * sizeof *out);
    int *all = arena_array(&cx->scratch, p->nin + 1, sizeof *all);
    wf_exec *e = NULL, *d = NULL;
    const char *why = NULL;

    for (uint32_t i = 0; i < p->nin; i++)
        all[i] = (int)i;
    wf_prepare(cx, p, &e);
    if (donate)
        wf_donate(cx, e, all, (int)p->nin, &d);
    if (wf_run(cx, donate ? d : e, in, (int)p->nin, out, (int)p->nout) == WF_ERR_INTERNAL)
        why = arena_strdup(&cx->scratch, wf_ctx_message(cx));
    good += wf_ctx_status(cx) == WF_OK;
    wf_clear(cx);
    release_all(in, p->nin);
    release_all(out, p->nout);
    wf_exec_release(d);
    wf_exec_release(e);
    return why;
}

static const char *check_program(wf_ctx *cx, const Program *p, uint64_t seed)
{
    int axes[64];
    const Program *q = NULL;
    const char *why = check_plans(cx, p, seed, seed % 3 == 0);

    for (int i = 0; i < COUNT(axes); i++)
        axes[i] = -1;
    if (!why && wf_value_and_grad(cx, p, NULL, 0, &q) == WF_OK)
        why = check_plans(cx, q, seed, false);
    wf_clear(cx);
    wf_program_release(q);
    q = NULL;
    axes[0] = 0;
    if (!why && p->nin && p->nin < COUNT(axes) &&
        wf_vmap(cx, p, axes, (int)p->nin, NULL, 3, &q) == WF_OK)
        why = check_plans(cx, q, seed, false);
    wf_clear(cx);
    wf_program_release(q);
    return why;
}

static void check_random(uint64_t first, uint64_t n, bool nets)
{
    good = 0;
    for (uint64_t seed = first; seed < first + n && check_ok(); seed++) {
        BENCH_OPEN(b);
        Rng rng = {seed};
        const Program *p = nets ? random_net(b.cx, &rng, seed % 2 ? WF_F32 : WF_BF16,
                                             3 + (int)(seed % 6))
                                : random_program(b.cx, &rng, 4 + (int)(seed % 36),
                                                 seed % 2 ? RANDOM_PLAIN : RANDOM_CUSTOM);
        const char *why = p ? check_program(b.cx, p, seed) : wf_ctx_message(b.cx);

        if (why)
            check_fail(__FILE__, __LINE__, "seed %d: %s", (int)seed, why);
        BENCH_CLOSE(b);
    }
    CHECK(good > 2 * (int)n);
}

TEST(steps_of_random_programs_read_what_was_written) { check_random(1, 200, false); }
TEST(steps_of_random_networks_read_what_was_written) { check_random(1, 60, true); }

/* ---- plans that are wrong ------------------------------------------------------------ */

typedef struct Steps {
    Arena *a;
    VEC(Op *) v;
} Steps;

static bool collect(void *user, Frame *f, const Op *op)
{
    Steps *s = user;

    (void)f;
    vec_push(s->a, &s->v, (Op *)(uintptr_t)op);
    return true;
}

/* The use is made wrong: is that seen? It is as it was afterwards. */
static bool is_found(Frame *f, Use *u, Use wrong)
{
    wf_ctx *cx = f->root->cx;
    Use right = *u;
    bool found;

    *u = wrong;
    found = !plan_check(f);
    *u = right;
    if (found)
        CHECK_EQ_INT(wf_ctx_status(cx), WF_ERR_INTERNAL);
    wf_clear(cx);
    return found;
}

/* Shifted beyond its base; written as another value than readers want; read as another
 * than was written; a workspace in the place of what is still wanted. */
static void spoil(Frame *f, const Op *op, uint32_t i)
{
    Use *u = &op->use.v[i], w = *u;
    int64_t bytes = frame_base_bytes(f, u->at.base);

    if (!u->kind || u->high <= u->low || u->high == USE_TO_END)
        return;
    if (bytes >= 0) {
        w.high = bytes - w.at.off + 1;
        CHECK(is_found(f, u, w));
        w = *u;
        w.low = -w.at.off - 1;
        CHECK(is_found(f, u, w));
        w = *u;
    }
    if (u->at.base == base_const(f->plan) || !u->val)
        return;
    if (u->kind == USE_READ && f->plan->p->eqns[op->eqn].op != OP_concat) {
        w.val = f->plan->p->eqns[op->eqn].out; /* not there before this step */
        CHECK(is_found(f, u, w));
    } else if (u->kind == USE_WRITE) {
        w.val = 0; /* whoever reads the result finds a workspace */
        CHECK(is_found(f, u, w));
        w = *u;
        w.kind = USE_WORK;
        CHECK(is_found(f, u, w));
    }
}

static const char *const texts[] = {
    "f(x: f32[8,16], w: f32[16,4], b: f32[4]) {\n"
    "  h = dot_general x w lhs=[1] rhs=[0] acc=f32\n"
    "  c = broadcast b [8,4] dims=[1]\n"
    "  y = add h c\n"
    "  z = tanh y\n"
    "  s = reduce_sum z axes=[0]\n"
    "  ret z, s\n}\n",
    "f(x: f64[6,5]) {\n"
    "  a = exp x\n"
    "  b = transpose a perm=[1,0]\n"
    "  c = cumsum b axis=0\n"
    "  r = rev c axes=[1]\n"
    "  d = concat r c axis=0\n"
    "  e = sin d\n"
    "  ret e, a\n}\n",
};

static void check_spoiled(const char *text)
{
    BENCH_OPEN(b);
    wf_ctx *cx = b.cx;
    Steps steps = {.a = &cx->scratch};
    const Program *p = parse_lines(cx, text);
    wf_array **in, *out[4] = {NULL};
    wf_exec *e = NULL;

    if (!p) {
        check_fail(__FILE__, __LINE__, "%s", wf_ctx_message(cx));
        return;
    }
    in = inputs_of(cx, p, 3);
    wf_prepare(cx, p, &e);
    if (wf_run(cx, e, in, wf_exec_inputs(e), out, wf_exec_outputs(e)) != WF_OK)
        check_fail(__FILE__, __LINE__, "%s", wf_ctx_message(cx));
    else {
        Frame *f = e->idle->frames[e->plan->index * ROOT_FRAMES];

        f->root->cx = cx;
        CHECK(plan_check(f));
        frame_walk(f, collect, &steps);
        CHECK(steps.v.n >= 4);
        for (uint32_t n = 0; n < steps.v.n; n++)
            for (uint32_t i = 0; i < steps.v.v[n]->use.n; i++)
                spoil(f, steps.v.v[n], i);
        f->root->cx = NULL;
    }
    release_all(in, p->nin);
    release_all(out, p->nout);
    wf_exec_release(e);
    BENCH_CLOSE(b);
}

TEST(a_use_that_is_wrong_is_found)
{
    for (int i = 0; i < COUNT(texts); i++)
        check_spoiled(texts[i]);
}

/* Two values that are both wanted are laid into the same memory. */
XTEST(memory_written_over_while_it_is_wanted_is_found)
{
    const Program *p =
        parse_lines(cx, "f(x: f32[64]) {; a = sin x; b = cos x; c = reshape a "
                        "[8,8]; d = reshape b [8,8]; "
                        "e = dot_general c d lhs=[1] rhs=[0] acc=f32; ret e; }");
    wf_array **in, *out[1] = {NULL};
    wf_exec *e = NULL;

    if (!p) {
        check_fail(__FILE__, __LINE__, "%s", wf_ctx_message(cx));
        return;
    }
    in = inputs_of(cx, p, 3);
    wf_prepare(cx, p, &e);
    CHECK_EQ_INT(wf_run(cx, e, in, wf_exec_inputs(e), out, 1), WF_OK);
    if (!failed(cx)) {
        Frame *f = e->idle->frames[e->plan->index * ROOT_FRAMES];
        Segment *s = &f->seg[0];
        Use *write_b = &s->ops.v[1].use.v[1], *read_b = &s->ops.v[2].use.v[1];
        Ref right = write_b->at;

        f->root->cx = cx;
        CHECK(plan_check(f));
        write_b->at = read_b->at = s->ops.v[0].use.v[1].at; /* where a is */
        CHECK(!plan_check(f));
        check_error(cx, WF_ERR_INTERNAL, "there is value");
        write_b->at = read_b->at = right;
        f->root->cx = NULL;
    }
    release_all(in, p->nin);
    release_all(out, 1);
    wf_exec_release(e);
}

/* ---- what the eval rules still run ----------------------------------------------------- */

/* Effects run once and talk to the user, so that a kernel would gain nothing. The results of eig are complex in a way of
 * their own: its rule is the algorithm itself. */
static const char *const by_eval[] = {"print", "assert", "host", "callback", "eig"};

TEST(only_effects_and_kernels_of_the_host_are_run_by_their_eval_rules)
{
    int found = 0;

    for (unsigned op = 0; op < OP_COUNT; op++) {
        const char *name = op_name(op);
        bool listed = false;

        for (int i = 0; i < COUNT(by_eval); i++)
            listed |= strcmp(by_eval[i], name) == 0;
        found += listed;
        if (!op_has(op, OPF_NOEVAL) && !bind_row(op).bind && !listed)
            check_fail(__FILE__, __LINE__, "%s has no kernel", name);
        if (listed && bind_row(op).bind)
            check_fail(__FILE__, __LINE__, "%s has a kernel: take it off the list", name);
    }
    CHECK_EQ_INT(found, COUNT(by_eval));
}
