/* fuzz_script.c -- libFuzzer target for the script language.
 *
 * Any bytes: parse, compile and run, with output thrown away, until a timer cancels the
 * context for good: then the next call or loop ends it. Nothing may crash, hang or leak; what
 * asks for much memory at once gets none.
 * Files are out of reach: their names and modules are removed first.
 */
#include "limits.h"
#include "script/script.h"

#define MAX_TEXT 20000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void discard(void *user, const char *s, size_t n, bool err)
{
    long *left = user;

    (void)s;
    (void)err;
    *left -= (long)n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const gone[] = {"open", "input"};
    long left = 1000000;
    VmOptions opt = {.write = discard, .write_user = &left, .max_depth = 60,
                     .stay_cancelled = true};
    wf_ctx *cx;
    Vm *vm;

    if (size > MAX_TEXT)
        return 0;
    cx = wf_ctx_new(&(wf_options){.size = sizeof(wf_options), .allocator = {resize, NULL}});
    vm = cx ? sc_vm_new(cx, &opt) : NULL;
    if (!vm)
        abort();
    vm->ndefs = 1; /* math only */
    vm->nspaces = 0;
    for (int i = 0; i < COUNT(gone); i++) {
        Str *s = sc_intern(vm, gone[i], strlen(gone[i]));

        sc_dict_remove(vm, vm->builtins, v_obj(s));
        obj_drop(vm, s);
    }
    timer(cx);
    sc_run_text(vm, "fuzz.py", (const char *)data, size);
    timer(NULL);
    wf_ctx_message(cx);
    sc_vm_free(vm);
    wf_ctx_free(cx);
    return 0;
}
