/* lib_target.c -- targets for tests. */
#include "lib_target.h"

const Target *target_eager(void)
{
    static Target t;

    t = *target_cpu();
    t.fuse_least = 1;
    t.tile_rows = t.tile_columns = -1;
    t.tile_arrays_dot = t.tile_arrays_conv = UINT32_MAX;
    t.join_rows = 1;
    t.join_copy = 0;
    return &t;
}

const Target *target_again(bool eager, bool epilogues)
{
    static Target all[2][2];
    Target *t = &all[eager][epilogues];

    *t = eager ? *target_eager() : *target_cpu();
    t->recompute = 1e9;
    if (!epilogues)
        t->has_tiles = NULL;
    return t;
}

const Target *target_strict_c(void)
{
    static const char *const flags[] = {"-std=c11", "-pedantic-errors", "-O0", NULL};
    static Target t;

    t = target_c;
    t.flags = flags;
    return &t;
}
