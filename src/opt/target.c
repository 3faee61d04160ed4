/* target.c -- the target that makes no code: everything is run by the library. */
#include "opt/target.h"

static bool renders_nothing(const Target *t, const Program *p, const Eqn *e)
{
    (void)t;
    (void)p;
    (void)e;
    return false;
}

const Target target_library = {
    .name = "library",
    .calls = CALL_ATTENTION | CALL_ROWS | CALL_HALF | CALL_CODES,
    .renders = renders_nothing,
    TARGET_THRESHOLDS,
    .fuse_least = UINT32_MAX,
};
