/* fuzz_text.c -- libFuzzer target for the text form.
 *
 * Any bytes: parse. What parses must verify, print, and parse again to an equal program
 * that prints the same. Small programs are then run on made-up inputs, by the eval rules and by
 * the interpreter.
 */
#include "op/op.h"

#include <stdio.h>
#include <stdlib.h>

#define MAX_TEXT         20000
#define MAX_RUN_EQNS     40
#define MAX_RUN_ELEMENTS 2000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void broken(wf_ctx *cx, const char *what, const char *text)
{
    fprintf(stderr, "%s: %s\n%s\n", what, wf_ctx_message(cx), text);
    abort();
}

static void check_round_trip(wf_ctx *cx, const Program *const *ps, uint32_t n,
                             const PrintOptions *o)
{
    const Program **qs;
    uint32_t nq;
    Text t, u;

    text_init(&t, &cx->scratch);
    programs_print(ps, n, o, &t);
    if (!programs_parse(cx, "printed", text_str(&t), t.n, NULL, &qs, &nq))
        broken(cx, "what was printed does not parse", text_str(&t));
    text_init(&u, &cx->scratch);
    programs_print(qs, nq, o, &u);
    if (strcmp(text_str(&t), text_str(&u)) != 0)
        broken(cx, "printed again it differs", text_str(&u));
    for (uint32_t i = 0, j; i < n; i++) {
        for (j = 0; j < nq && !program_equal(ps[i], qs[j]); j++)
            ;
        if (j == nq)
            broken(cx, "not the same program", text_str(&t));
    }
}

/* ---- running --------------------------------------------------------------------- */

/* A loop may take long or for ever, and an array may be huge: both are left out. */
static bool is_runnable(const Program *p)
{
    if (p->neqns > MAX_RUN_EQNS)
        return false;
    for (uint32_t i = 0; i < p->neqns; i++) {
        const Eqn *e = &p->eqns[i];

        if (op_has(e->op, OPF_NOEVAL) || e->op == OP_while || e->op == OP_scan ||
            e->op == OP_size || e->op == OP_print)
            return false;
    }
    for (uint32_t i = 0; i < p->nsubs; i++)
        if (!is_runnable(p->subs[i]))
            return false;
    return true;
}

/* Sizes for the symbols that keep every value small, and the guards. */
static bool choose_sizes(const Program *p, int64_t *symvals)
{
    for (uint32_t i = 0; i < p->dims.syms.n; i++) {
        if (p->dims.syms.v[i].origin != SYM_INPUT)
            return false;
        symvals[i] = (int64_t)(i % 4) + 1;
    }
    for (uint32_t i = 1; i < p->nvals; i++) {
        Type t = val_type(p, i);
        int64_t count = 1, d;

        for (uint32_t k = 0; k < t.rank; k++)
            if (!dim_eval(&p->dims, t.dims[k], symvals, &d) || d < 0 ||
                !mul_i64(count, MAX(d, 1), &count) || count > MAX_RUN_ELEMENTS)
                return false;
    }
    return true;
}

static Nd make_input(wf_ctx *cx, const Program *p, uint32_t i, const int64_t *symvals)
{
    Type t = val_type(p, program_in(p, i));
    int64_t *dims = arena_array(&cx->scratch, t.rank, sizeof *dims), bytes;
    Nd x = {.dtype = (wf_dtype)t.dtype, .rank = t.rank, .dims = dims};
    uint8_t *data;

    for (uint32_t k = 0; k < t.rank; k++)
        dim_eval(&p->dims, t.dims[k], symvals, &dims[k]);
    type_size(x.dtype, dims, x.rank, &x.count, &bytes);
    x.data = data = arena_alloc(&cx->scratch, (size_t)bytes);
    for (int64_t k = 0; k < bytes; k++)
        data[k] = (uint8_t)(x.dtype == WF_BOOL ? k & 1 : (k * 37 + i * 11) & 0x3f);
    return x;
}

/* The interpreter on the same inputs: any status is right but a bug. */
static void interpret(wf_ctx *cx, const Program *p, const Nd *in)
{
    wf_array **x = arena_zalloc(&cx->scratch, (p->nin + 1) * sizeof *x);
    wf_array **y = arena_zalloc(&cx->scratch, (p->nout + 1) * sizeof *y);

    for (uint32_t i = 0; i < p->nin; i++)
        wf_array_from(cx, in[i].dtype, in[i].dims, (int)in[i].rank, in[i].data, &x[i]);
    if (wf_eval(cx, p, x, wf_program_inputs(p), y, wf_program_outputs(p)) == WF_ERR_INTERNAL)
        broken(cx, "interpreter", p->name);
    for (uint32_t i = 0; i < p->nin; i++)
        wf_array_release(x[i]);
    for (uint32_t j = 0; j < p->nout; j++)
        wf_array_release(y[j]);
    wf_clear(cx);
}

static void run(wf_ctx *cx, const Program *p)
{
    int64_t *symvals = arena_array(&cx->scratch, p->dims.syms.n + 1, sizeof *symvals);
    const int64_t **dims = arena_array(&cx->scratch, p->nin + 1, sizeof *dims);
    Nd *in = arena_array(&cx->scratch, p->nin + 1, sizeof *in);
    Nd *out = arena_zalloc(&cx->scratch, (p->nout + 1) * sizeof *out);

    if (!is_runnable(p) || !choose_sizes(p, symvals))
        return;
    for (uint32_t i = 0; i < p->nin; i++) {
        in[i] = make_input(cx, p, i, symvals);
        dims[i] = in[i].dims;
    }
    if (!program_bind(cx, p, dims, symvals) ||
        !eval_program(cx, p, in, out, &cx->scratch)) { /* a guard or an assert: fine */
        if (cx->status == WF_ERR_INTERNAL)
            broken(cx, "eval", p->name);
        wf_clear(cx);
    }
    interpret(cx, p, in);
}

static wf_status one_input(wf_ctx *cx, const char *text, size_t size)
{
    static const PrintOptions plain = {0},
                              full = {.header = true, .places = true, .types = true};

    API_ENTER(cx);
    const Program **ps;
    uint32_t n;

    if (programs_parse(cx, "fuzz", text, size, NULL, &ps, &n)) {
        for (uint32_t i = 0; i < n; i++)
            if (!program_verify(cx, ps[i]))
                broken(cx, "verify", ps[i]->name);
        check_round_trip(cx, ps, n, &plain);
        check_round_trip(cx, ps, n, &full);
        for (uint32_t i = 0; i < n; i++)
            run(cx, ps[i]);
    } else if (cx->status == WF_ERR_INTERNAL) {
        broken(cx, "parse", "");
    }
    API_RETURN(cx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wf_ctx *cx;

    if (size > MAX_TEXT || !(cx = wf_ctx_new(NULL)))
        return 0;
    one_input(cx, (const char *)data, size);
    wf_ctx_message(cx);
    wf_ctx_free(cx);
    return 0;
}
