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

static void no_values(Program *p) { p->nvals = p->nin; }
static void more_values(Program *p) { p->nvals--; }
static void no_result(Program *p) { p->outs[0] = VAL_NONE; }
static void many_operands(Program *p) { p->eqns[EQ_CALL].nin = (uint16_t)(p->nargs + 1); }
static void wild_args(Program *p) { p->eqns[EQ_CALL].args = p->nargs + 1; }
static void many_results(Program *p) { p->eqns[EQ_CALL].nout = (uint16_t)(p->nvals + 1); }
static void wild_name(Program *p) { p->vals[1].name = p->nnames; }
static void input_of_eqn(Program *p) { p->vals[1].eqn = EQ_ADD; }
static void wild_eqn(Program *p) { p->vals[p->eqns[EQ_TANH].out].eqn = p->neqns; }
static void wrong_dtype(Program *p) { p->types[1].dtype = WF_DTYPE_COUNT; }
static void wrong_rank(Program *p) { p->types[1].rank = MAX_RANK + 1; }
static void constant_symbol(Program *p) { p->dims.syms.v[0].dim = 3; }
static void wild_symbol(Program *p) { p->dims.syms.v[0].dim = -1000; }
static void other_symbol(Program *p) { p->dims.syms.v[0].dim = p->dims.syms.v[1].dim; }
static void wild_guard(Program *p) { p->dims.guards.v[0].rhs = -1000; }
static void late_guard(Program *p) { p->dims.guards.v[0].rhs = p->dims.syms.v[1].dim; }
static void bind_none(Program *p)
{
    *(int64_t *)(uintptr_t) &
        ((CallAttr *)(uintptr_t)p->eqns[EQ_CALL].attr)->body.binds.v[0] = DIM_NONE;
}
static DimNode *sum_node(Program *p) /* Q+N */
{
    uint32_t i = 0;

    while (p->dims.nodes.v[i].kind != DIM_POLY)
        i++;
    return &p->dims.nodes.v[i];
}
static void wild_atom(Program *p)
{
    *(Dim *)(uintptr_t)&sum_node(p)->terms[0].atoms[0] = -1000;
}
static void constant_atom(Program *p)
{
    *(Dim *)(uintptr_t)&sum_node(p)->terms[0].atoms[0] = 2;
}
static void nodes_of_itself(Program *p)
{
    DimNode *n = sum_node(p);

    n->kind = DIM_MAX;
    n->a = n->b = -(Dim)(n - p->dims.nodes.v) - 1;
}
static void attr_without_dims(Program *p)
{
    *(Dim *)(uintptr_t) & ((const DimAttr *)p->eqns[EQ_DIM].attr)->dim = -1000;
}
static void defines_a_sum(Program *p)
{
    *(Dim *)(uintptr_t) & ((const SymAttr *)p->eqns[EQ_NONZERO].attr)->sym =
        -(Dim)(sum_node(p) - p->dims.nodes.v) - 1;
}

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
    {"no values", no_values, "verify: main"},
    {"more values", more_values, "verify: main"},
    {"no result", no_result, "a result that is not there"},
    {"many operands", many_operands, "equation 5 (call): an operand is out of range"},
    {"wild args", wild_args, "equation 5 (call): an operand is out of range"},
    {"many results", many_results, "equation 5 (call): a result is out of range"},
    {"wild name", wild_name, "a value without its type or name"},
    {"input", input_of_eqn, "verify: main"},
    {"wild eqn", wild_eqn, "verify: main"},
    {"dtype", wrong_dtype, "verify: main"},
    {"rank", wrong_rank, "verify: main"},
    {"constant symbol", constant_symbol, "a symbol without its dim"},
    {"wild symbol", wild_symbol, "a symbol without its dim"},
    {"other symbol", other_symbol, "a symbol without its dim"},
    {"wild guard", wild_guard, "verify: main"},
    {"late guard", late_guard, "a guard on a symbol that is known at run time only"},
    {"bind none", bind_none, "verify: main: equation 5"},
    {"wild atom", wild_atom, "verify: main"},
    {"constant atom", constant_atom, "verify: main"},
    {"itself", nodes_of_itself, "verify: main"},
    {"attribute", attr_without_dims, "equation 3 (dim): a dim of the attribute is out of range"},
    {"defines a sum", defines_a_sum, "verify: main: equation 2"},
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

/* ---- as JSON, and as a drawing: names that must be escaped, sub-programs, places of transforms ----------------- */

TEST(a_program_as_json_has_its_values_equations_and_places)
{
    static const char text[] =
        "\"odd \\\"name\\\"\\n\"(v: f32[M]) {\n  y = sin v\n  ret y\n}\n"
        "main(x: f32[N,3], w: f32[3,2], p: bool[]) {\n"
        "  k = const f32[2] [1, 2]\n"
        "  d = dot x w\n"
        "  e = dot_general x w lhs=[1] rhs=[0] acc=f64\n"
        "  s = reduce_sum d axes=[1]\n"
        "  c = cond p s branches=[\"odd \\\"name\\\"\\n\", \"odd \\\"name\\\"\\n\"]\n"
        "  t = reduce_sum c axes=[0]\n"
        "  ret t, k, e\n"
        "}\n";
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_model *m = NULL;
    const wf_program *g = NULL;
    const char *out = "";

    if (wf_model_parse(cx, "t.wir", text, sizeof text - 1, &m) != WF_OK)
        FAIL("%s", wf_ctx_message(cx));
    REQUIRE(wf_grad(cx, wf_model_find(m, "main"), NULL, 0, &g) == WF_OK);
    CHECK_EQ_INT(wf_program_json(cx, g, &out), WF_OK);
    CHECK_HAS(out, "\"odd \\\"name\\\"\\u000a");
    CHECK_HAS(out, "[1,\"x\",\"f32[N,3]\"]");
    CHECK_HAS(out, "\"t.wir\"");
    CHECK_EQ_INT(wf_program_json(cx, wf_model_find(m, "main"), &out), WF_OK);
    CHECK_HAS(out, "const");
    CHECK_EQ_INT(wf_program_dot(cx, g, &out), WF_OK);
    CHECK_HAS(out, "odd \\\"name\\\"");
    wf_program_release(g);
    wf_model_free(m);
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
