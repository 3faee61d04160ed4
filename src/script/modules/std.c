/* std.c -- the table of standard modules: what `import` knows without a file. */
#include "modules.h"

bool open_weakref(Vm *vm, ScModule *m) { return sc_module_class(vm, m, &sc_weakref_def, NULL, NULL); }

/* What of them is written in the language itself stands in namespaces/. */
const ModuleDef sc_std_modules[] = {
    {"math", open_math},
    {"cmath", open_cmath},
    {"time", open_time},
    {"sys", open_sys},
    {"os", open_os},
    {"os.path", open_os_path},
    {"random", open_random},
    {"tempfile", open_tempfile},
    {"weakref", open_weakref},
    {"_host", open_host},
    {"_pack", open_pack},
    {"_image", open_image},
    {"_re", open_re},
    {0},
};
