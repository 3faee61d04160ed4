/* test_ops.c -- every op, from the case files in tests/ops/: type against result, text round trip, jvp
 * against central differences, vjp against jvp, second order, narrower floats against f64, vmap against a
 * loop; and that no row and no column of the table is left out.
 */
#include "lib_check.h"

#include <dirent.h>
#include <stdlib.h>

/* The program with f64 everywhere replaced by another float, through its text; NULL if it does not type. */
static const Program *with_float(wf_ctx *cx, const Program *p, const char *to)
{
    Text before, after;
    const Program **ps;
    uint32_t n;

    text_init(&before, &cx->scratch);
    text_init(&after, &cx->scratch);
    program_print(p, &(PrintOptions){0}, &before);
    const char *text = text_str(&before), *body = strchr(text, '(');
    text_addn(&after, text, (size_t)(body - text)); /* the program's name may contain a type */
    for (const char *hit; (hit = strstr(body, "f64")); body = hit + 3) {
        text_addn(&after, body, (size_t)(hit - body));
        text_add(&after, to);
    }
    text_add(&after, body);
    if (!programs_parse(cx, "narrow.wir", text_str(&after), after.n, NULL, &ps, &n))
        return NULL;
    return ps[n - 1];
}

static bool is_f64_case(const Program *p)
{
    for (uint32_t i = 1; i < p->nvals; i++) {
        wf_dtype t = (wf_dtype)val_type(p, i).dtype;
        if (dtype_is_inexact(t) && dtype_part(t) != WF_F64)
            return false;
    }
    return true;
}

static const char *check_types(wf_ctx *cx, const Case *c, const Nd *in)
{
    Nd *out = arena_zalloc(&cx->scratch, (c->p->nout + 1) * sizeof *out);

    if (!eval_program(cx, c->p, in, out, &cx->scratch))
        return wf_ctx_message(cx);
    for (uint32_t j = 0; j < c->p->nout; j++) {
        Type t = val_type(c->p, c->p->outs[j]);
        if (out[j].dtype != (wf_dtype)t.dtype || out[j].rank != t.rank)
            return "a result has another type than the type rule says";
        for (uint32_t k = 0; k < t.rank; k++) {
            int64_t d = 0;
            if (dim_eval(&c->p->dims, t.dims[k], c->sizes, &d) && out[j].dims[k] != d)
                return "a result has another shape than the type rule says";
        }
    }
    return NULL;
}

static const char *check_case(wf_ctx *cx, const Case *c, Rng *rng)
{
    Nd *in = case_inputs(cx, c, rng);
    const char *why = check_text(cx, c->p);

    if (!why)
        why = check_types(cx, c, in);
    if (!why && !c->nograd && is_f64_case(c->p)) {
        why = check_jvp(cx, c->p, in, rng);
        if (!why)
            why = check_vjp(cx, c->p, in, rng);
        if (!why)
            why = check_second(cx, c->p, in, rng);
    }
    if (!why && !c->novmap)
        why = check_vmap(cx, c, rng);
    return why;
}

static void check_file(const char *path)
{
    BENCH_OPEN(b);
    Case *cases = NULL;
    uint32_t n = 0;
    Rng rng = {7};

    if (!cases_load(b.cx, path, &cases, &n))
        check_fail(__FILE__, __LINE__, "%s", wf_ctx_message(b.cx));
    for (uint32_t i = 0; i < n; i++) {
        Region inner;
        api_enter_(b.cx, &inner);
        Case c = cases[i];
        const char *why = check_text(b.cx, c.p);
        if (!why && !case_batch(b.cx, &c))
            why = wf_ctx_message(b.cx);
        if (!why)
            why = check_case(b.cx, &c, &rng);
        if (why)
            check_fail(path, 0, "%s: %s", cases[i].p->name, why);
        wf_clear(b.cx);
        api_leave(b.cx, &inner);
    }
    CHECK(n > 0);
    BENCH_CLOSE(b);
}

/* refused: what may not type in f16 and bf16. */
static void check_narrow_file(const char *path, const char *refused)
{
    BENCH_OPEN(b);
    Case *cases = NULL;
    uint32_t n = 0, checked = 0;
    Rng rng = {11};

    if (!cases_load(b.cx, path, &cases, &n))
        FAIL("%s", wf_ctx_message(b.cx));
    for (uint32_t i = 0; i < n; i++)
        for (int k = 0; k < 3 && is_f64_case(cases[i].p) && !cases[i].nograd; k++) {
            Region inner;
            api_enter_(b.cx, &inner);
            Nd *in = case_inputs(b.cx, &cases[i], &rng);
            const Program *narrow = with_float(b.cx, cases[i].p, (const char *[]){"f32", "f16", "bf16"}[k]);
            const char *why = narrow ? check_narrow(b.cx, cases[i].p, narrow, in, &rng)
                              : refused && strstr(cases[i].p->name, refused) ? NULL : wf_ctx_message(b.cx);
            if (why)
                check_fail(path, 0, "%s: %s", cases[i].p->name, why);
            checked += narrow != NULL;
            wf_clear(b.cx);
            api_leave(b.cx, &inner);
        }
    CHECK(checked > 0);
    BENCH_CLOSE(b);
}

#define FAMILY(name)                                                                             \
    TEST(rules_of_##name##_hold) { check_file("tests/ops/" #name ".wir"); }
FAMILY(map)
FAMILY(random)
FAMILY(reduce)
FAMILY(sort)
FAMILY(window)
FAMILY(shape)
FAMILY(index)
FAMILY(contract)
FAMILY(linalg)
FAMILY(control)
FAMILY(effect)
FAMILY(collective)
FAMILY(complex)
FAMILY(fourier)

#define NARROW(name, refused)                                                                    \
    TEST(derivatives_of_##name##_hold_in_every_float)                                            \
    {                                                                                            \
        check_narrow_file("tests/ops/" #name ".wir", refused);                                   \
    }
NARROW(map, "bitcast")
NARROW(reduce, NULL)
NARROW(window, NULL)
NARROW(shape, NULL)
NARROW(index, NULL)
NARROW(contract, NULL)
NARROW(control, NULL)

/* ---- completeness ---- */

static void mark_used(const Program *p, bool *used)
{
    for (uint32_t i = 0; i < p->neqns; i++)
        used[p->eqns[i].op] = true;
    for (uint32_t i = 0; i < p->nsubs; i++)
        mark_used(p->subs[i], used);
}

TEST(every_op_has_a_case)
{
    BENCH_OPEN(b);
    bool used[OP_COUNT] = {0};
    DIR *dir = opendir("tests/ops");
    REQUIRE(dir);
    for (struct dirent *d; (d = readdir(dir));) {
        Case *cases;
        uint32_t n;
        if (!strstr(d->d_name, ".wir"))
            continue;
        if (!cases_load(b.cx, arena_printf(&b.cx->scratch, "tests/ops/%s", d->d_name), &cases, &n))
            wf_clear(b.cx);
        for (uint32_t i = 0; i < n; i++)
            mark_used(cases[i].p, used);
    }
    closedir(dir);
    for (int i = 0; i < OP_COUNT; i++)
        if (!used[i] && i != OP_host && i != OP_callback) /* need a kernel: test_kernel.c */
            check_fail(__FILE__, __LINE__, "no case in tests/ops uses %s", op_name((unsigned)i));
    BENCH_CLOSE(b);
}

TEST(every_row_has_the_columns_its_flags_ask_for)
{
    for (int i = 0; i < OP_COUNT; i++) {
        const OpInfo *o = &op_table[i];
        const OpRow *row = o->row;
        const OpRules *rules = op_rules((unsigned)i);
#define HAS(where, column, unless)                                                               \
    if (!where->column && !(unless))                                                                 \
        check_fail(__FILE__, __LINE__, "%s has no " #column, o->name)
        HAS(rules, doc, false);
        HAS(row, type, false);
        HAS(row, eval, o->flags & (OPF_NOEVAL | OPF_CONTROL));
        HAS(rules, eval, !(o->flags & OPF_CONTROL) || o->flags & OPF_NOEVAL);
        HAS(rules, jvp, o->flags & (OPF_ZERO | OPF_EFFECT));
        HAS(rules, transpose, !(o->flags & (OPF_LINEAR | OPF_BILINEAR)));
        HAS(rules, batch, o->nin == 0 && !(o->flags & OPF_NOEVAL));
#undef HAS
        CHECK(o->version >= 1);
    }
}
