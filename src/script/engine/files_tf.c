/* files_tf.c -- TensorFlow's checkpoints as script values: tensors and strings by name. */
#include "script/engine/engine.h"

#ifndef WEFT_NO_ONNX
#include "tensorflow/tensorflow.h"

/* One entry of a checkpoint: a tensor, or bytes. */
static Value entry_value(En *e, TgBundle *b, int i)
{
    const OxBytes *s;
    wf_array *a;
    wf_tensor t;
    int64_t n;

    if (tg_bundle_entry(b, i)->type == TG_STRING) {
        if (!(s = tg_bundle_strings(b, i, &n)))
            return NIL;
        return n == 1 ? sc_bytes(e->vm, s[0].data, (int64_t)s[0].size) : NONE;
    }
    if (!(a = tg_bundle_array(b, i)))
        return NIL;
    t = wf_copy(e->c,
                wf_from_array(e->c, a)); /* its own: the file may be written again */
    wf_array_release(a);
    return failed(e->c) ? NIL : en_box(e, t);
}

/* read_bundle(prefix): {name: tensor or bytes} */
static Value n_read_bundle(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    const char *prefix = NULL;
    Dict *d = sc_dict(vm);
    TgBundle *b = NULL;
    bool ok =
        d && sc_may(vm, "reach files") && en_str(&e, a->v[0], &prefix) && (b = tg_bundle_open(e.c, prefix)) != NULL;

    for (int i = 0; ok && i < tg_bundle_count(b); i++) {
        Value key = v_obj(sc_str(vm, tg_bundle_name(b, i))), v = entry_value(&e, b, i);

        ok = key.tag != T_NIL && v.tag != T_NIL && sc_dict_put(vm, d, key, v);
        sc_drop(vm, key);
        sc_drop(vm, v);
    }
    tg_bundle_free(b);
    if (!ok) {
        if (d)
            obj_drop(vm, d);
        return en_fail(&e);
    }
    return en_end_value(&e, v_obj(d));
}

/* write_bundle(prefix, names, contents): tensors and bytes */
static Value n_write_bundle(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    Tuple *names = sc_tuple_from(vm, a->v[1]),
          *contents = names ? sc_tuple_from(vm, a->v[2]) : NULL;
    TgSaved *saved =
        contents ? en_alloc(&e, ((size_t)names->n + 1) * sizeof *saved) : NULL;
    wf_array **arrays =
        saved ? en_alloc(&e, ((size_t)names->n + 1) * sizeof *arrays) : NULL;
    const char *prefix = NULL;
    bool ok =
        arrays && sc_may(vm, "reach files") && en_str(&e, a->v[0], &prefix) &&
        (names->n == contents->n || sc_fail(vm, C_ValueError, "a name for each content"));
    int64_t n = 0;

    for (; ok && n < names->n; n++) {
        const uint8_t *p = NULL;
        int64_t size = 0;
        wf_tensor t;

        arrays[n] = NULL;
        saved[n] = (TgSaved){.name = sc_to_cstr(vm, names->v[n], "a name")};
        ok = saved[n].name != NULL;
        if (ok && sc_bytes_view(vm, contents->v[n], &p, &size))
            saved[n].text = (OxBytes){(const char *)p, (size_t)size};
        else if (ok && (ok = en_tensor(&e, contents->v[n], &t)))
            ok = wf_to_array(e.c, wf_copy(e.c, t), &arrays[n]) == WF_OK;
        saved[n].array = arrays[n];
    }
    ok = ok && tg_bundle_write(e.c, prefix, saved, (size_t)n);
    for (int64_t i = 0; arrays && i < n; i++)
        wf_array_release(arrays[i]);
    if (names)
        obj_drop(vm, names);
    if (contents)
        obj_drop(vm, contents);
    return ok ? en_end_value(&e, NONE) : en_fail(&e);
}

const NativeDef engine_files_tf[] = {
    {"read_bundle", n_read_bundle, "prefix"},
    {"write_bundle", n_write_bundle, "prefix,names,contents"},
    {0},
};
#else
const NativeDef engine_files_tf[] = {{0}};
#endif
