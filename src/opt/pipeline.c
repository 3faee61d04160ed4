/* pipeline.c -- the passes in order, and the public function that runs them.
 *
 *   method   Rounds: all passes one after the other, until a round changes nothing. A
 *            program that has been through it comes out of it the same. Then the last
 *            one, once: it makes calls, which are taken apart before the others.
 */
#include "opt/recognise.h"

const Pass opt_pipeline[OPT_PASSES] = {
    {"inline", opt_inline,
     "calls, decided branches and single turns become straight code"},
    {"fold", opt_fold, "constants are computed; chains of shape ops become one"},
    {"simplify", opt_simplify,
     "a table of identities; broadcasts move behind arithmetic"},
    {"contract", opt_contract, "transposes go into products; products side by side join"},
    {"scale", opt_scale, "constant scales behind a product go into its weights"},
    {"loops", opt_loops, "what every turn computes alike is computed once, before"},
    {"cse", opt_cse, "equal equations become one, across sub-programs too"},
    {"dce", opt_dce, "what nobody reads is dropped, carries and operands included"},
    {"recognise", opt_recognise,
     "softmax, norms, gelu, attention become calls of sub-programs of that name"},
};

int opt_find(const char *name)
{
    for (int i = 0; i < OPT_PASSES; i++)
        if (!strcmp(opt_pipeline[i].name, name))
            return i;
    return -1;
}

const Program *opt_run(const Opt *given, const Program *p, unsigned set)
{
    Opt opt = *given, *o = &opt;
    const Program *first = p;

    opt.fast |= o->cx->options.fast_math;
    if (set >> OPT_RECOGNISE & 1 && !(p = take_apart(o->cx, p)))
        return NULL;
    for (int round = 0; round < OPT_ROUNDS; round++) {
        const Program *before = p;

        for (int i = 0; i < OPT_RECOGNISE; i++)
            if (set >> i & 1 && !(p = opt_pipeline[i].run(o, p)))
                return NULL;
        if (p == before)
            break;
    }
    if (set >> OPT_RECOGNISE & 1)
        p = same_or(first, opt_recognise(o, p));
    return p;
}

static const Program *run_up_to(wf_ctx *cx, const Program *p, const char *last)
{
    const char *names[OPT_PASSES + 1], *near;
    int end = !last || !strcmp(last, "all") ? OPT_PASSES - 1 : opt_find(last);

    if (end >= 0)
        return opt_run(&(Opt){.cx = cx}, p, (2u << end) - 1);
    if (!strcmp(last, "fuse"))
        return opt_fuse(cx, p);
    for (int i = 0; i < OPT_PASSES; i++)
        names[i] = opt_pipeline[i].name;
    names[OPT_PASSES] = "fuse";
    near = nearest_name(last, names, OPT_PASSES + 1);
    fail(cx, WF_ERR_NAME, NOWHERE, "no pass is called '%s'%s%s%s", last,
         near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return NULL;
}

wf_status wf_optimise(wf_ctx *cx, const wf_program *f, const char *last,
                      const wf_program **out)
{
    const Program *p;

    if (out)
        *out = NULL;
    if (!cx)
        return WF_ERR_ARG;
    if (!f || !out) {
        fail(cx, WF_ERR_ARG, NOWHERE, "wf_optimise: an argument is NULL");
        return cx->status;
    }
    API_ENTER(cx);
    p = run_up_to(cx, f, last);
    *out = p && !failed(cx) ? program_retain(p) : NULL;
    API_RETURN(cx);
}
