/* test_slices.c -- parts of sums computed by parts: which are, and that they give the same.
 *
 * Each program says how many elementwise equations, and how many slices of elementwise
 * results, there are after compile_slices; compiled, it gives what the interpreter gives.
 */
#include "compile/compile.h"
#include "lib_check.h"
#include "opt/opt.h"
#include "test.h"

#include <stdlib.h>

typedef struct Sliced {
    const char *text;
    int maps, slices; /* after the pass; slices: of results of maps */
} Sliced;

#define HEAD "f(x: f32[6,12], y: f32[6,12], b: f32[12], c: f32[1,12], s: f32[])"

static const Sliced cases[] = {
    {HEAD " { z = add x y; p = slice z start=[0,0] limit=[6,4]; q = slice z start=[0,4] "
          "limit=[6,12]; e = exp p; t = tanh q; ret e, t; }",
     4, 0},
    /* through two ops, broadcasts of a row and of one that is stretched, and a number */
    {HEAD
     " { bb = broadcast b [6,12] dims=[1]; cb = broadcast c [6,12] dims=[0,1]; sb = "
     "broadcast s [6,12] dims=[]; w = mul x bb; z = add w cb; k = mul z sb; p = "
     "slice k start=[1,2] limit=[5,7]; q = slice k start=[0,7] limit=[6,12]; e = exp "
     "p; t = tanh q; ret e, t; }",
     8, 0},
    /* every second row, of what is broadcast, too */
    {"f(x: f32[6,12], r: f32[6]) { rb = broadcast r [6,12] dims=[0]; z = add x rb; "
     "p = slice z start=[1,0] limit=[6,12] stride=[2,1]; e = exp p; ret e; }",
     2, 0},
    /* the same value twice */
    {HEAD " { z = mul x x; p = slice z start=[0,3] limit=[6,9]; e = exp p; ret e; }", 2,
     0},
    /* a choice: three operands, one of them bool */
    {HEAD
     " { m = gt x y; z = select m x y; p = slice z start=[2,0] limit=[6,12]; e = exp "
     "p; ret e; }",
     3, 0},
    /* left alone: more would be computed; others read it whole; a product reads a part; a
     * number of the place */
    {HEAD " { z = add x y; p = slice z start=[0,0] limit=[6,8]; q = slice z start=[0,4] "
          "limit=[6,12]; e = exp p; t = tanh q; ret e, t; }",
     3, 2},
    {HEAD " { z = add x y; p = slice z start=[0,0] limit=[6,4]; e = exp p; ret e, z; }",
     2, 1},
    {HEAD " { z = add x y; p = slice z start=[0,0] limit=[6,6]; d = dot p p; ret d; }", 1,
     1},
    {HEAD " { n = iota f32[6,12] axis=1; z = add x n; p = slice z start=[0,0] "
          "limit=[6,6]; e = exp p; ret e; }",
     2, 1},
    {"f(x: f32[N,12], y: f32[N,12]) { z = add x y; p = slice z start=[0,0] limit=[N,4]; "
     "q "
     "= slice z start=[0,4] limit=[N,12]; e = exp p; t = tanh q; ret e, t; }",
     4, 0},
    /* in a loop */
    {"step(c: f32[6,4], z: f32[6,12]) { w = neg z; p = slice w start=[0,0] limit=[6,4]; "
     "q "
     "= slice w start=[0,8] limit=[6,12]; e = exp p; t = tanh q; u = mul c e; v = add u "
     "t; ret v, v; }\n"
     "f(x: f32[5,6,12], c: f32[6,4]) { a, b = scan c x body=step nconst=0 ncarry=1 "
     "length=5; ret a, b; }",
     6, 0},
};

static void count_eqns(const Program *p, int *maps, int *slices)
{
    for (uint32_t i = 0; i < p->neqns; i++) {
        const Eqn *e = &p->eqns[i];
        uint32_t d = e->op == OP_slice ? p->vals[eqn_in(p, e)[0]].eqn : EQN_INPUT;

        *maps += op_row(e->op)->lower.kind == LOWER_MAP;
        *slices += d != EQN_INPUT && op_row(p->eqns[d].op)->lower.kind == LOWER_MAP;
    }
    for (uint32_t i = 0; i < p->nsubs; i++)
        count_eqns(p->subs[i], maps, slices);
}

static wf_array *array_of(wf_ctx *cx, const Program *p, uint32_t i)
{
    Type t = val_type(p, i + 1);
    int64_t dims[4], n = 1;
    wf_array *a = NULL;
    float *v;

    for (uint32_t k = 0; k < t.rank; k++) {
        dims[k] = dim_is_const(t.dims[k]) ? t.dims[k] : 7;
        n *= dims[k];
    }
    v = malloc((size_t)n * sizeof *v);
    for (int64_t k = 0; k < n; k++)
        v[k] = (float)((k * 37 + 11 * i) % 101) / 40 - 1.2f;
    wf_array_from(cx, WF_F32, dims, (int)t.rank, v, &a);
    free(v);
    return a;
}

/* Compiled, p gives what the interpreter gives. */
static void check_run(wf_ctx *cx, const Program *p)
{
    wf_array *in[8] = {0}, *got[4] = {0}, *need[4] = {0};
    wf_exec *e = NULL;

    for (uint32_t i = 0; i < p->nin; i++)
        in[i] = array_of(cx, p, i);
    CHECK(wf_compile(cx, p, 0, &e) == WF_OK);
    CHECK(wf_eval(cx, p, in, wf_program_inputs(p), need, (int)p->nout) == WF_OK &&
          wf_run(cx, e, in, wf_exec_inputs(e), got, (int)p->nout) == WF_OK);
    for (uint32_t j = 0; j < p->nout && check_ok(); j++) {
        const float *g = wf_array_data(got[j]), *w = wf_array_data(need[j]);

        CHECK(wf_array_count(got[j]) == wf_array_count(need[j]));
        for (int64_t k = 0; k < wf_array_count(need[j]); k++)
            CHECK(g[k] - w[k] <= 2e-6f * (1 + w[k] * w[k]) &&
                  w[k] - g[k] <= 2e-6f * (1 + w[k] * w[k]));
    }
    for (int i = 0; i < 8; i++)
        wf_array_release(in[i]);
    for (int j = 0; j < 4; j++) {
        wf_array_release(got[j]);
        wf_array_release(need[j]);
    }
    wf_exec_release(e);
}

XTEST(parts_are_computed_by_parts)
{
    Opt o = {.cx = cx, .target = target_cpu()};

    for (int i = 0; i < COUNT(cases); i++) {
        const Program *p = parse_lines(cx, cases[i].text), *q;
        int maps = 0, slices = 0;

        if (!is_valid(cx, p) || !is_valid(cx, q = compile_slices(&o, p)))
            break;
        count_eqns(q, &maps, &slices);
        if (maps != cases[i].maps || slices != cases[i].slices)
            check_fail(__FILE__, __LINE__, "case %d: %d maps, %d slices", i, maps,
                       slices);
        check_run(cx, p);
        CHECK(compile_slices(&o, q) == q);
    }
}
