/* test_verify.c -- the verifier finds every promise that is broken; the drawing of a program. */
#include "op/op.h"
#include "test.h"

#include <stdlib.h>

/* ---- the verifier: one promise broken at a time ---------------------------------- */

static const char verified[] = "inner[K](v: f32[M]) {\n"
                               "  z = const f32[K] 0\n"
                               "  ret z\n"
                               "}\n"
                               "main(x: f32[N], y: f32[N]) {\n"
                               "  guard N >= 2\n"
                               "  a = add x y\n"
                               "  b = tanh a\n"
                               "  i = nonzero b as=Q\n"
                               "  d = dim Q+N\n"
                               "  r = iota i32[Q]\n"
                               "  c = call x body=inner[K=N+1]\n"
                               "  ret b, d, i, r, c\n"
                               "}\n";

enum { EQ_ADD, EQ_TANH, EQ_NONZERO, EQ_DIM, EQ_IOTA, EQ_CALL };

typedef struct Damage {
    const char *name;
    void (*break_it)(Program *p);
    const char *message; /* part of it */
} Damage;

static uint32_t scalar_type(Program *p)
{
    uint32_t i = 0;

    while (p->types[i].rank != 0)
        i++;
    return i;
}

static void use_itself(Program *p)
{
    p->args[p->eqns[EQ_TANH].args] = p->eqns[EQ_TANH].out;
}
static void use_later(Program *p)
{
    p->args[p->eqns[EQ_ADD].args] = p->eqns[EQ_IOTA].out;
}
static void use_nothing(Program *p) { p->args[p->eqns[EQ_TANH].args] = VAL_NONE; }
static void use_wild(Program *p) { p->args[p->eqns[EQ_TANH].args] = 1u << 30; }
static void wrong_op(Program *p) { p->eqns[EQ_TANH].op = OP_COUNT; }
static void wrong_args(Program *p) { p->eqns[EQ_CALL].args = p->nargs; }
static void wrong_out(Program *p) { p->eqns[EQ_DIM].out++; }
static void wrong_nout(Program *p) { p->eqns[EQ_TANH].nout = 0; }
static void wrong_place(Program *p) { p->eqns[EQ_TANH].place = p->nplaces; }
static void no_attr(Program *p) { p->eqns[EQ_IOTA].attr = NULL; }
static void wrong_type(Program *p)
{
    p->vals[p->eqns[EQ_TANH].out].type = scalar_type(p);
}
static void wild_type(Program *p) { p->vals[1].type = p->ntypes; }
static void bad_rule(Program *p) { p->eqns[EQ_TANH].op = OP_not; }
static void wrong_result(Program *p) { p->outs[1] = p->nvals; }
static void wrong_value(Program *p) { p->vals[p->eqns[EQ_TANH].out].eqn = EQ_ADD; }
static void same_names(Program *p) { p->names[2] = p->names[1]; }
static void wrong_origin(Program *p) { p->dims.syms.v[0].origin = SYM_PARAM; }
static void no_origin(Program *p) { p->dims.syms.v[0].origin = SYM_EQN; }
static void eqn_symbol_free(Program *p) { p->dims.syms.v[1].origin = SYM_INPUT; }
static void same_symbols(Program *p) { p->dims.syms.v[1].name = p->dims.syms.v[0].name; }
static void wild_dim(Program *p) { *(Dim *)(uintptr_t)&p->types[0].dims[0] = -1000; }
static void wild_node(Program *p) { p->dims.nodes.v[0].kind = 99; }
static void guard_on_run_time(Program *p)
{
    p->dims.guards.v[0].lhs = p->dims.syms.v[1].dim;
}
static void
late_symbol(Program *p) /* swap nonzero and dim: Q is used before it is there */
{
    Eqn e = p->eqns[EQ_NONZERO];

    p->eqns[EQ_NONZERO].op = OP_dim;
    p->eqns[EQ_NONZERO].attr = p->eqns[EQ_DIM].attr;
    p->eqns[EQ_NONZERO].nin = 0;
    p->eqns[EQ_DIM].op = OP_nonzero;
    p->eqns[EQ_DIM].attr = e.attr;
    p->eqns[EQ_DIM].nin = 1;
    p->eqns[EQ_DIM].args = e.args;
}
static void define_twice(Program *p)
{
    p->eqns[EQ_TANH].op = OP_size;
    p->eqns[EQ_TANH].attr = p->eqns[EQ_NONZERO].attr;
}
static void no_binds(Program *p)
{
    ((CallAttr *)(uintptr_t)p->eqns[EQ_CALL].attr)->body.binds.n = 0;
}
static void wrong_binds(Program *p) /* M is bound to another size than the operand has */
{
    Ints b = ((CallAttr *)(uintptr_t)p->eqns[EQ_CALL].attr)->body.binds;

    *(int64_t *)(uintptr_t)&b.v[0] = 7;
}
static void foreign_sub(Program *p) { p->nsubs = 0; }
static void wrong_effects(Program *p) { p->effects = true; }
static void wrong_depth(Program *p) { p->depth = 7; }
static void wrong_hash(Program *p) { p->hash.lo ^= 1; }

static const Damage damages[] = {
    {"itself", use_itself,
     "t.wir:8:3: internal error: verify: main: equation 1, 'b = tanh b'"},
    {"later", use_later, "'a = add r y': an operand is used before it is defined"},
    {"nothing", use_nothing, "equation 1 (tanh): an operand is out of range"},
    {"wild", use_wild, "equation 1 (tanh): an operand is out of range"},
    {"op", wrong_op, "equation 1 (?): the op is out of range"},
    {"args", wrong_args, "equation 5 (call): an operand is out of range"},
    {"out", wrong_out, "equation 3 (dim): a result is out of range"},
    {"nout", wrong_nout, "equation 2 (nonzero): a result is out of range"},
    {"place", wrong_place, "equation 1 (tanh): the place is out of range"},
    {"attr", no_attr, "equation 4 (iota): the attribute is out of range"},
    {"type", wrong_type, "'b = tanh a': result 0 has type i64[], inferred is f32[N]"},
    {"wild type", wild_type, "a value without its type or name"},
    {"rule", bad_rule, "t.wir:8:3: note: verify: main: equation 1, 'b = not a'"},
    {"result", wrong_result, "a result that is not there"},
    {"value", wrong_value, "equation 1 (tanh): a result is out of range"},
    {"names", same_names, "two values have the name 'x'"},
    {"origin", wrong_origin, "symbol 'N' does not come from outside"},
    {"no origin", no_origin, "symbol 'N' does not come from any equation"},
    {"free", eqn_symbol_free, "defines a symbol that is free"},
    {"symbols", same_symbols, "two symbols of one name"},
    {"dim", wild_dim, "a type without its dims"},
    {"node", wild_node, "a symbol without its dim"},
    {"guard", guard_on_run_time, "a guard on a symbol that is known at run time only"},
    {"late", late_symbol, "before it is defined"},
    {"twice", define_twice, "defines a symbol that is defined already"},
    {"binds", no_binds, "symbols of a sub-program are not bound"},
    {"wrong binds", wrong_binds,
     "note: verify: main: equation 5, 'c = call x body=inner[K="},
    {"sub", foreign_sub, "a sub-program that the program does not hold"},
    {"effects", wrong_effects, "the flag for effects is wrong"},
    {"depth", wrong_depth, "the depth of sub-programs is wrong"},
    {"hash", wrong_hash, "the content hash is not that of the content"},
};

/* Breaks program `which` of the text, then verifies main. */
static wf_status verify_damaged(wf_ctx *cx, const Damage *d, uint32_t which)
{
    API_ENTER(cx);
    const Program **ps;
    Program *p, copy;
    uint32_t n;

    if (programs_parse(cx, "t.wir", verified, strlen(verified), NULL, &ps, &n)) {
        p = (Program *)(uintptr_t)ps[which];
        CHECK(program_verify(cx, ps[1]));
        copy = *p; /* so that what it holds is released */
        d->break_it(p);
        program_verify(cx, ps[1]);
        p->nsubs = copy.nsubs;
    }
    API_RETURN(cx);
}

TEST(the_verifier_names_what_is_broken_and_where)
{
    for (int i = 0; i < COUNT(damages); i++) {
        wf_ctx *cx = wf_ctx_new(NULL);

        verify_damaged(cx, &damages[i], 1);
        if (!strstr(wf_ctx_message(cx), damages[i].message))
            FAIL("%s: found\n%s\nneeded within\n%s", damages[i].name, wf_ctx_message(cx),
                 damages[i].message);
        wf_ctx_free(cx);
    }
}

TEST(the_verifier_looks_into_sub_programs)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    Damage d = {"hash", wrong_hash, NULL};

    verify_damaged(cx, &d, 0);
    CHECK_HAS(wf_ctx_message(cx), "verify: inner: the content hash");
    CHECK_HAS(wf_ctx_message(cx), "note: in a sub-program of 'main'");
    wf_ctx_free(cx);
}

/* ---- drawings -------------------------------------------------------------------- */

static wf_status draw(wf_ctx *cx, const char *text, char **out)
{
    API_ENTER(cx);
    const Program **ps;
    uint32_t n;
    Text t;

    if (programs_parse(cx, "t.wir", text, strlen(text), NULL, &ps, &n)) {
        text_init(&t, &cx->scratch);
        program_dot(ps[n - 1], &t);
        *out = strdup(text_str(&t));
    }
    API_RETURN(cx);
}

TEST(a_drawing_has_nodes_edges_with_types_and_frames_for_sub_programs)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    char *out = NULL;

    CHECK_EQ_INT(draw(cx, verified, &out), WF_OK);
    REQUIRE(out != NULL);
    CHECK_HAS(out, "digraph weft {");
    CHECK_HAS(out, "p0_e0 [fillcolor=\"#dbe9f6\" label=\"a = add\"]");
    CHECK_HAS(out, "p0_i1 -> p0_e0 [label=\"f32[N]\"]");
    CHECK_HAS(out, "p0_e0 -> p0_e1 [label=\"f32[N]\"]");
    CHECK_HAS(out, "subgraph cluster_1");
    CHECK_HAS(out, "label=\"inner\"");
    CHECK_HAS(out, "p0_e5 -> p1_top [style=dashed");
    CHECK_HAS(out, "label=\"f32[K] 0\"");
    free(out);
    wf_ctx_free(cx);
}
