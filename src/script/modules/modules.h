/* modules.h -- the standard modules: one file each, gathered in std.c. */
#ifndef WEFT_SCRIPT_MODULES_H
#define WEFT_SCRIPT_MODULES_H

#include "script/script.h"

bool open_math(Vm *vm, ScModule *m);
bool open_cmath(Vm *vm, ScModule *m);
bool open_time(Vm *vm, ScModule *m);
bool open_sys(Vm *vm, ScModule *m);
bool open_os(Vm *vm, ScModule *m);
bool open_os_path(Vm *vm, ScModule *m);
bool open_random(Vm *vm, ScModule *m);
bool open_tempfile(Vm *vm, ScModule *m);
bool open_weakref(Vm *vm, ScModule *m);
bool open_files(Vm *vm); /* file.c: open() */
bool file_add_stdin(Vm *vm, ScModule *sys); /* sys.stdin */
bool open_host(Vm *vm, ScModule *m);
bool open_re(Vm *vm, ScModule *m);
bool open_pack(Vm *vm, ScModule *m);
bool open_image(Vm *vm, ScModule *m);
/* The text of a path: str, bytes, or what has __fspath__. Borrowed until some calls later; NULL: exception */
const char *os_path(Vm *vm, Value v);
extern const NativeDef os_descriptors[]; /* descriptor.c */
Value os_raise_errno(Vm *vm, const char *path); /* os.c: errno as an OSError; NIL */

#endif
