/* import.c -- files whose programs are source: TorchScript archives as wf_models.
 *
 * An interpreter is made for the file and torch.jit._import run in it, which loads the archive and fills the model. Code of the
 * file is definitions alone (definitions.c), and is run only on symbols, to become programs.
 */
#include "script/engine/engine.h"
#include "torchfile/torchfile.h"

#include <stdio.h>

static void write_errors(void *user, const char *s, size_t n, bool err)
{
    (void)user;
    if (err)
        fwrite(s, 1, n, stderr);
}

/* What is given of inputs: {name: type}. NIL with an exception: numbers, which are not taken. */
static Value given_types(Vm *vm, const wf_import_options *given)
{
    Dict *d = sc_dict(vm);

    for (int i = 0; d && given && i < given->n; i++) {
        const char *type = given->types ? given->types[i] : NULL;
        Value key = v_obj(sc_str(vm, given->names[i])), v = v_obj(sc_str(vm, type ? type : ""));
        bool ok = type ? key.tag != T_NIL && v.tag != T_NIL && sc_dict_put(vm, d, key, v)
                       : sc_fail(vm, C_ValueError, "input '%s': a type is wanted, not numbers", given->names[i]);

        sc_drop(vm, key);
        sc_drop(vm, v);
        if (!ok) {
            obj_drop(vm, d);
            return NIL;
        }
    }
    return v_obj(d);
}

static void fill_model(Vm *vm, const char *file, const Blob *blob, const wf_import_options *given)
{
    bool mapped = blob->size && !blob->room;
    Str *name = sc_intern(vm, "torch.jit._import", 17);
    Value module = name ? sc_import(vm, name) : NIL, last = NIL, fill = NIL, r = NIL;
    Value args[3] = {v_obj(sc_str(vm, file)), mapped ? NONE : sc_bytes(vm, blob->data, (int64_t)blob->size), given_types(vm, given)};
    Value *found;

    sc_drop(vm, module);
    if (module.tag != T_NIL && (found = sc_dict_find(vm, vm->modules, v_obj(name))) && args[0].tag != T_NIL && args[1].tag != T_NIL &&
        args[2].tag != T_NIL) {
        last = sc_ref(*found);
        fill = sc_getattr_s(vm, last, "fill");
        if (fill.tag != T_NIL)
            r = sc_call(vm, fill, args, 3);
    }
    sc_drop(vm, r);
    sc_drop(vm, fill);
    sc_drop(vm, last);
    for (int i = 0; i < 3; i++)
        sc_drop(vm, args[i]);
    if (name)
        obj_drop(vm, name);
    if (sc_failed(vm))
        sc_report(vm);
}

bool torchscript_read(wf_ctx *cx, const char *file, Blob *blob, const wf_import_options *given, wf_model *m)
{
    VmOptions opt = {.write = write_errors, .programs = m};
    Vm *vm = sc_vm_new(cx, &opt);

    if (vm) {
        fill_model(vm, file, blob, given);
        sc_vm_free(vm);
    }
    return !failed(cx);
}
