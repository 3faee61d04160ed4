/* test_control_mistakes.c -- what is said of wrong control flow, custom derivatives, effects and collectives. */
#include "lib_check.h"

#define parse parse_lines

static const struct {
    const char *eqn; /* of f(x: f64[2], p: bool[], i: i32[], n: i64[]) */
    wf_status status;
    const char *text;
} mistakes[] = {
    {"y = call x body=nosuch", WF_ERR_NAME, "nosuch"},
    {"y = call p body=id2", WF_ERR_TYPE,
     "call: input 0 of body 'id2' needs f64[2], got bool[]"},
    {"y = call x x body=id2", WF_ERR_TYPE, "call: body 'id2' takes 1 inputs, got 2"},
    {"y = cond n x branches=[id2]", WF_ERR_TYPE,
     "cond: the index is i64[], needs bool[] or i32[]"},
    {"y = cond x x branches=[id2]", WF_ERR_TYPE,
     "cond: the index is f64[2], needs bool[] or i32[]"},
    {"y = cond branches=[id2]", WF_ERR_TYPE, "cond: the index is missing"},
    {"y = cond p x branches=[]", WF_ERR_VALUE,
     "cond: has no branches, needs at least one"},
    {"y = cond p x branches=[id2,total]", WF_ERR_SHAPE,
     "cond: result 0 is f64[2] in branch 0, but f64[] in branch 1"},
    {"y = cond p x branches=[id2,signs]", WF_ERR_TYPE,
     "cond: result 0 is f64[2] in branch 0, but bool[2] in branch 1"},
    {"y = cond p x branches=[id2,both]", WF_ERR_TYPE,
     "cond: branch 1 has 2 results, branch 0 has 1"},
    {"y = scan x body=id2 ncarry=1", WF_ERR_VALUE,
     "scan: has no operand to go along, so needs length="},
    {"y = scan x body=id2 ncarry=2 length=3", WF_ERR_VALUE,
     "scan: nconst=0 ncarry=2, but there are 1 operands"},
    {"y = scan x body=id2 ncarry=-1 length=3", WF_ERR_VALUE, "scan: nconst=0 ncarry=-1"},
    {"y = scan p body=id0", WF_ERR_SHAPE,
     "scan: operand 0 is bool[], needs an axis to go along"},
    {"y = scan x body=id0 length=3", WF_ERR_SHAPE,
     "scan: operand 0 is f64[2], needs length 3"},
    {"y = scan x body=total ncarry=1 length=3", WF_ERR_SHAPE,
     "scan: carry 0 begins as f64[2], but the body makes it f64[]"},
    {"y = scan x body=signs ncarry=1 length=3", WF_ERR_TYPE,
     "scan: carry 0 begins as f64[2], but the body makes it bool[2]"},
    {"y = scan x body=nothing ncarry=1 length=3", WF_ERR_TYPE,
     "scan: body 'nothing' has 0 results, needs at least the 1 carries"},
    {"y = while x cond=total body=id2", WF_ERR_TYPE,
     "while: cond 'total' gives f64[], needs one bool[]"},
    {"y = while x cond=nothing body=id2", WF_ERR_TYPE,
     "while: cond 'nothing' gives not one result, needs one bool[]"},
    {"y = while x cond=any2 body=total", WF_ERR_SHAPE,
     "while: carry 0 begins as f64[2], but the body makes it f64[]"},
    {"y = while x cond=any2 body=signs", WF_ERR_TYPE,
     "while: carry 0 begins as f64[2], but the body makes it bool[2]"},
    {"y = while x cond=any2 body=nothing", WF_ERR_TYPE,
     "while: body 'nothing' has 0 results, needs at least the 1 carries"},
    {"y = while x cond=any2 body=id2 nbody=2", WF_ERR_VALUE,
     "while: ncond=0 nbody=2, but there are 1 operands"},
    {"y, z = while x cond=any2 body=both", WF_ERR_VALUE,
     "while: stacks 1 rows a turn without a bound, so it needs trips="},
    {"y, z = while x cond=any2 body=both bound=3 trips=K", WF_ERR_VALUE,
     "while: has a bound, so it cannot define trips as well"},
    {"y = custom_jvp x primal=id2", WF_ERR_VALUE, "custom_jvp: rule is missing"},
    {"y = custom_jvp x primal=id2 rule=id2", WF_ERR_TYPE,
     "custom_jvp: rule 'id2' takes 1 inputs, got 2"},
    {"y = custom_jvp x primal=id2 rule=first", WF_ERR_TYPE,
     "custom_jvp: rule has 1 results, needs 2"},
    {"y = custom_jvp x primal=id2 rule=odd", WF_ERR_TYPE,
     "custom_jvp: result 1 of rule is bool[2], needs f64[2]"},
    {"y = custom_vjp x primal=id2 fwd=id2", WF_ERR_VALUE, "custom_vjp: bwd is missing"},
    {"y = custom_vjp x primal=id2 bwd=id2", WF_ERR_VALUE, "custom_vjp: fwd is missing"},
    {"y = custom_vjp x primal=id2 fwd=nothing bwd=id2", WF_ERR_TYPE,
     "custom_vjp: fwd has 0 results, needs at least 1"},
    {"y = custom_vjp x primal=id2 fwd=total bwd=id2", WF_ERR_SHAPE,
     "custom_vjp: result 0 of fwd is f64[], needs f64[2]"},
    {"y = custom_vjp x primal=id2 fwd=id2 bwd=total", WF_ERR_SHAPE,
     "custom_vjp: result 0 of bwd is f64[], needs f64[2]"},
    {"y = custom_lin x bwd=id2 nres=2", WF_ERR_VALUE,
     "custom_lin: nres=2, but there are 1 operands"},
    {"y = custom_lin x x bwd=id2", WF_ERR_TYPE, "custom_lin: bwd has 1 results, needs 2"},
    {"print x format=\"none\"", WF_ERR_VALUE,
     "print: the format has 0 {} for 1 operands"},
    {"print x format=\"{\"", WF_ERR_VALUE, "print: a lone '{' in the format"},
    {"print x format=\"{} }\"", WF_ERR_VALUE, "print: a lone '}' in the format"},
    {"assert x message=\"no\"", WF_ERR_TYPE,
     "assert: the condition is f64[2], needs bool"},
    {"assert message=\"no\"", WF_ERR_TYPE,
     "assert: the condition is missing, needs bool"},
    {"assert p message=\"{}\"", WF_ERR_VALUE,
     "assert: the format has 1 {} for 0 operands"},
    {"y = psum x axis=\"\"", WF_ERR_VALUE, "psum: the axis has no name"},
    {"y = psum p axis=\"i\"", WF_ERR_TYPE, "psum: operand is bool[], needs a number"},
    {"y = pmax p axis=\"i\"", WF_ERR_TYPE, "pmax: operand is bool[], needs a number"},
    {"y = all_gather x axis=\"i\" size=2 at=2", WF_ERR_VALUE,
     "all_gather: at=2, but the operand is f64[2]; needs 0 to 1"},
    {"y = ppermute x axis=\"i\" size=2 perm=[0]", WF_ERR_VALUE,
     "ppermute: perm has 1 numbers, needs pairs"},
    {"y = ppermute x axis=\"i\" size=2 perm=[0,2]", WF_ERR_VALUE,
     "ppermute: perm has row 2 of 2"},
    {"y = ppermute x axis=\"i\" size=2 perm=[0,1,0,0]", WF_ERR_VALUE,
     "ppermute: perm has row 0 twice as a source"},
    {"y = ppermute x axis=\"i\" size=2 perm=[0,1,1,1]", WF_ERR_VALUE,
     "ppermute: perm has row 1 twice as a target"},
    {"y = psum x axis=\"i,\"", WF_ERR_VALUE, "psum: the axis has no name"},
    {"y = psum x axis=\"i\" groups=[0,1,1] parts=[1,2]", WF_ERR_VALUE,
     "psum: groups must cover all indices exactly once"},
    {"y = psum x axis=\"i\" groups=[0,1] parts=[1]", WF_ERR_VALUE,
     "psum: the parts of groups are 1 of 2 members"},
    {"y = psum x axis=\"i\" groups=[0,1] parts=[2] inv=true", WF_ERR_VALUE,
     "psum: with groups the result varies over the axis"},
    {"y = all_gather x axis=\"i\" size=2 groups=[0,1] parts=[1,1]", WF_ERR_VALUE,
     "all_gather: a group has 1 members, needs size=2"},
    {"y = reduce_scatter x axis=\"i\" size=3", WF_ERR_SHAPE,
     "reduce_scatter: operand is f64[2], needs 3 elements along axis 0"},
    {"y = all_to_all x axis=\"i\" size=2 to=1", WF_ERR_VALUE,
     "all_to_all: to=1, needs 0 to 0"},
};

XTEST(mistakes_say_what_was_found_and_what_was_needed)
{
    for (int k = 0; k < COUNT(mistakes); k++) {
        const Program *p = parse(
            cx,
            arena_printf(&cx->scratch,
                         "id2(x: f64[2]) { ret x }\n"
                         "id0(x: bool[]) { ret x }\n"
                         "nothing(x: f64[2]) { ret }\n"
                         "both(x: f64[2]) { ret x, x }\n"
                         "first(x: f64[2], y: f64[2]) { ret x }\n"
                         "odd(x: f64[2], y: f64[2]) { b = lt x y; ret x, b }\n"
                         "total(x: f64[2]) { y = reduce_sum x axes=[0]; ret y }\n"
                         "signs(x: f64[2]) { z = const f64[2] 0; y = lt x z; ret y }\n"
                         "any2(x: f64[2]) { z = const f64[2] 0; y = lt x z; a = "
                         "reduce_or y axes=[0]; ret a }\n"
                         "f(x: f64[2], p: bool[], i: i32[], n: i64[]) { %s; ret x }",
                         mistakes[k].eqn));
        CHECK(p == NULL);
        check_error(cx, mistakes[k].status, mistakes[k].text);
        if (!check_ok()) {
            FAIL("in: %s", mistakes[k].eqn);
            return;
        }
    }
}
