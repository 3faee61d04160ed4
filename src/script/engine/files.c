/* files.c -- tensors in safetensors files: what torch.save and torch.load stand on. */
#include "script/engine/engine.h"

/* save_tensors(path, names, tensors, key, text): text is metadata under the key */
static Value n_save_tensors(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    const char *path = NULL, *key = NULL, *text = NULL;
    wf_model *m = NULL;
    wf_tensor *t;
    Tuple *names = NULL;
    int n = 0;
    bool ok;

    ok = en_str(&e, a->v[0], &path) && en_tensors(&e, a->v[2], &t, &n) &&
         en_str(&e, a->v[3], &key) && en_str(&e, a->v[4], &text) &&
         (names = sc_tuple_from(vm, a->v[1])) != NULL &&
         (names->n == n || sc_fail(vm, C_ValueError, "save_tensors: a name for each tensor"));
    ok = ok && wf_model_new(e.c, &m) == WF_OK;
    for (int i = 0; ok && i < n; i++) {
        const char *name = sc_to_cstr(vm, names->v[i], "a name");
        wf_array *array = NULL;

        ok = name && wf_to_array(e.c, wf_copy(e.c, t[i]), &array) == WF_OK &&
             wf_model_set_tensor(e.c, m, name, array) == WF_OK;
        wf_array_release(array);
    }
    if (ok && text)
        ok = wf_model_set_meta(e.c, m, key, text) == WF_OK;
    if (ok)
        wf_model_save(e.c, m, path);
    wf_model_free(m);
    if (names)
        obj_drop(vm, names);
    return sc_failed(vm) || failed(e.c) ? en_fail(&e) : en_end_value(&e, NONE);
}

/* load_tensors(path, key): (names, tensors, the metadata or None) */
static Value n_load_tensors(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    const char *path = NULL, *key = NULL;
    wf_model *m = NULL;
    Tuple *out = NULL;
    List *names, *tensors;
    int n = 0;
    bool ok;

    if (!en_str(&e, a->v[0], &path) || !en_str(&e, a->v[1], &key) ||
        wf_model_load(e.c, path, &m) != WF_OK || !(out = sc_tuple(vm, 3)))
        goto no;
    n = wf_model_tensors(m);
    out->v[0] = v_obj(names = sc_list(vm, n));
    out->v[1] = v_obj(tensors = sc_list(vm, n));
    out->v[2] =
        wf_model_has_meta(m, key) ? v_obj(sc_str(vm, wf_model_meta(m, key))) : NONE;
    ok = names && tensors && out->v[2].tag != T_NIL;
    for (int i = 0; ok && i < n; i++) { /* copies: the file is mapped, tensors are written to */
        names->v[i] = v_obj(sc_str(vm, wf_model_tensor_name(m, i)));
        tensors->v[i] = en_box(&e, wf_copy(e.c, wf_from_array(e.c, wf_model_tensor(m, i))));
        ok = names->v[i].tag != T_NIL && tensors->v[i].tag != T_NIL;
    }
    wf_model_free(m);
    if (ok)
        return en_end_value(&e, v_obj(out));
    obj_drop(vm, out);
    return en_fail(&e);
no:
    wf_model_free(m);
    return en_fail(&e);
}

const NativeDef engine_files[] = {
    {"save_tensors", n_save_tensors, "path,names,tensors,key,text"},
    {"load_tensors", n_load_tensors, "path,key"},
    {0},
};
