/* pipeline.c -- the passes of the optimiser, in the order of passes.def.
 *
 *   method   Rounds: all passes one after the other, until a round changes nothing. A
 *            program that has been through it comes out of it the same. Then the last
 *            one, once: it makes calls, which are taken apart before the others.
 */
#include "opt/recognise.h"

#define ROW_ROUND(name)   {#name, opt_##name},
#define ROW_LIBRARY(name) ROW_ROUND(name)
#define ROW_CODE(name)
#define PASS(name, when, what, requires, keeps, breaks) ROW_##when(name)

const Pass opt_pipeline[OPT_PASSES] = {
#include "opt/passes.def"
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
    if (set >> OPT_RECOGNISE & 1 && !(p = opt_take_apart(o->cx, p)))
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
