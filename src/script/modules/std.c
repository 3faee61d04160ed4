/* std.c -- the table of standard modules: what `import` knows without a file. */
#include "modules.h"

/*   name   C part   script part */
const ModuleDef sc_std_modules[] = {
    {"math", open_math, NULL},
    {"cmath", open_cmath, NULL},
    {"time", open_time, source_time},
    {"sys", open_sys, source_sys},
    {"os", open_os, source_os},
    {"os.path", open_os_path, source_os_path},
    {"random", open_random, source_random},
    {"functools", NULL, source_functools},
    {"itertools", NULL, source_itertools},
    {"collections", NULL, source_collections},
    {"dataclasses", NULL, source_dataclasses},
    {"copy", NULL, source_copy},
    {"tempfile", open_tempfile, source_tempfile},
    {"contextlib", NULL, source_contextlib},
    {"_host", open_host, NULL},
    {"_pack", open_pack, NULL},
    {"_image", open_image, NULL},
    {"_re", open_re, NULL},
    {0},
};
