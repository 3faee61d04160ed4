/* test_rules.c -- a rule that fails is an error, wherever it fails.
 *
 * Type rules stand behind every equation that is made: here the n-th one asked refuses, for every n, while the cases of
 * tests/ops are read, verified, derived, batched and optimised. What was asked for is not there, the context says why in the words of
 * the rule, and nothing reads what was not made.
 */
#include "lib_check.h"
#include "codegen/codegen.h"
#include "opt/opt.h"

#include <glob.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PLANTED "this rule refuses"
#define MANY                                                                             \
    40 /* refusals in a row, the first ones; after them some of those that follow */
#define THE_OTHER 7

/* ---- refusing ---- */

static const OpRow *right[OP_COUNT];
static OpRow wrong[OP_COUNT];
static long left; /* rules to ask before the one that refuses */

static bool type_or_refuse(TypeRule *t)
{
    return left-- == 0 ? type_fail(t, WF_ERR_VALUE, PLANTED) : right[t->op]->type(t);
}

static void plant(void)
{
    long page = sysconf(_SC_PAGESIZE);
    uintptr_t at = (uintptr_t)op_table, from = at & ~(uintptr_t)(page - 1);
    OpInfo *volatile rows = (OpInfo *)at; /* a compiler takes const at its word, and drops writes */

    if (mprotect((void *)from, at + OP_COUNT * sizeof *op_table - from,
                 PROT_READ | PROT_WRITE))
        abort();
    for (int i = 0; i < OP_COUNT; i++) {
        right[i] = rows[i].row;
        wrong[i] = *right[i];
        wrong[i].type = type_or_refuse;
        rows[i].row = &wrong[i];
    }
}

/* ---- what is asked for ---- */

typedef struct Asked {
    wf_ctx *cx;
    const Program *p;
    const char *text; /* of p */
    int wrt[16], axes[16], n;
} Asked;

static bool ask_parse(const Asked *a)
{
    const Program **ps;
    uint32_t n;

    return programs_parse(a->cx, "case.wir", a->text, strlen(a->text), NULL, &ps, &n);
}

static bool ask_verify(const Asked *a) { return program_verify(a->cx, a->p); }
static bool ask_jvp(const Asked *a)
{
    return xf_jvp_user(a->cx, a->p, a->wrt, a->n) != NULL;
}
static bool ask_vjp(const Asked *a) { return xf_vjp(a->cx, a->p, a->wrt, a->n) != NULL; }
static bool ask_vmap(const Asked *a)
{
    return xf_vmap(a->cx, a->p, a->axes, "b", 3, NULL) != NULL;
}

static bool ask_split(const Asked *a)
{
    const Program *forward, *backward;

    return xf_split(a->cx, a->p, a->wrt, a->n, &forward, &backward);
}

static bool ask_opt(const Asked *a)
{
    return opt_run(&(Opt){.cx = a->cx, .target = target_cpu()}, a->p, OPT_ALL) != NULL;
}

static const struct {
    const char *name;
    bool (*ask)(const Asked *a);
} questions[] = {{"parse", ask_parse}, {"verify", ask_verify}, {"jvp", ask_jvp},
                 {"vjp", ask_vjp},     {"split", ask_split},   {"vmap", ask_vmap},
                 {"opt", ask_opt}};

/* ---- asking ---- */

/* Did it get to the rule that refuses? */
static bool ask_once(const Asked *a, int q, long n)
{
    wf_ctx *cx = a->cx;
    bool got, refused;
    Region inner;

    api_enter_(cx, &inner);
    left = n;
    got = questions[q].ask(a);
    refused = left < 0;
    left = -1;
    if (refused && (got || !failed(cx) || !strstr(wf_ctx_message(cx), PLANTED)))
        check_fail(__FILE__, __LINE__, "%s of %s, rule %ld: %s", questions[q].name,
                   a->p->name, n, got ? "it is there" : wf_ctx_message(cx));
    wf_clear(cx);
    api_leave(cx, &inner);
    return refused;
}

static int ask_all(const Asked *a)
{
    int refusals = 0;

    for (int q = 0; q < COUNT(questions) && check_ok(); q++)
        for (long n = 0; check_ok() && ask_once(a, q, n); n += n < MANY ? 1 : THE_OTHER)
            refusals++;
    return refusals;
}

static Asked asked_of(wf_ctx *cx, const Program *p)
{
    Asked a = {.cx = cx, .p = p};
    Text t;

    for (uint32_t i = 0; i < p->nin && i < COUNT(a.wrt); i++)
        if (dtype_is_float((wf_dtype)val_type(p, i + 1).dtype))
            a.wrt[a.n++] = (int)i;
    text_init(&t, &cx->scratch);
    program_print(p, &(PrintOptions){.header = true}, &t);
    a.text = text_str(&t);
    return a;
}

static int ask_file(const char *path)
{
    BENCH_OPEN(b);
    Case *cases = NULL;
    uint32_t n = 0;
    int refusals = 0;

    left = -1;
    if (!cases_load(b.cx, path, &cases, &n))
        check_fail(__FILE__, __LINE__, "%s", wf_ctx_message(b.cx));
    for (uint32_t i = 0; i < n && check_ok(); i++) {
        Asked a = asked_of(b.cx, cases[i].p);

        if (cases[i].p->nin <= COUNT(a.axes))
            refusals += ask_all(&a);
    }
    wf_clear(b.cx);
    BENCH_CLOSE(b);
    return refusals;
}

TEST(a_rule_that_refuses_anywhere_is_an_error_in_its_words)
{
    glob_t g;
    int refusals = 0;

    REQUIRE(glob("tests/ops/*.wir", 0, NULL, &g) == 0);
    plant();
    for (size_t i = 0; i < g.gl_pathc && check_ok(); i++)
        refusals += ask_file(g.gl_pathv[i]);
    globfree(&g);
    if (refusals <= 10000)
        FAIL("%d refusals", refusals);
}
