/* files.c -- PyTorch's files as script values, and archives written: what torch.save, torch.load and torch.jit.load stand on.
 *
 * Values of a file that are plain (numbers, texts, lists, dicts, tensors) are made here; for all others a function of the
 * library's is called, make(kind, name, arguments, state), which knows what they are there. Tensors of one storage are views of
 * one memory.
 */
#include "script/engine/engine.h"
#include "torchfile/torchfile.h"

#include <stdio.h>

typedef struct Reader {
    En *e;
    TfFile f;
    Value make;      /* borrowed */
    Value *made;     /* by number of value; T_NIL: not yet */
    wf_tensor *base; /* by number of storage: a tensor on all of it; none yet: WF_NONE */
} Reader;

static Value of_value(Reader *r, const TfValue *v);

static Value text_value(Vm *vm, const char *s, size_t n)
{
    return v_obj(sc_str_n(vm, s, n));
}

/* make(kind, name, a, b), of owned values */
static Value call_make(Reader *r, const char *kind, const char *name, Value a, Value b)
{
    Vm *vm = r->e->vm;
    Value args[4] = {v_obj(sc_str(vm, kind)), v_obj(sc_str(vm, name)), a, b}, v = NIL;

    if (args[0].tag != T_NIL && args[1].tag != T_NIL && a.tag != T_NIL && b.tag != T_NIL)
        v = sc_call(vm, r->make, args, 4);
    for (int i = 0; i < 4; i++)
        sc_drop(vm, args[i]);
    return v;
}

static bool is_whole(const TfTensor *t)
{
    int64_t step = 1;

    for (int i = t->rank; i-- > 0; step *= t->dims[i])
        if (t->dims[i] != 1 && t->strides[i] != step)
            return false;
    return t->offset == 0 &&
           step * (t->storage->dtype == WF_INVALID ? (int64_t)wf_dtype_size(t->dtype)
                                                   : 1) ==
               t->storage->count;
}

static wf_tensor tensor_of(Reader *r, const TfTensor *t)
{
    wf_ctx *c = r->e->c;
    wf_tensor *base = &r->base[t->storage->number];
    const TfStorage *s = t->storage;

    if (wf_is_none(*base)) {
        int64_t count =
            s->count / (s->dtype == WF_INVALID ? (int64_t)wf_dtype_size(t->dtype) : 1);

        if (is_whole(
                t)) { /* the base itself stays without what the tensor may be given */
            *base = wf_from(c, t->dtype, t->dims, t->rank, s->data);
            return wf_is_none(*base)
                       ? WF_NONE
                       : tensor_handle(c, tensor_alias(c, tensor_get(c, *base, "load")));
        }
        *base = wf_from(c, t->dtype, &count, 1, s->data);
    } else if (wf_dtype_of(c, *base) != t->dtype) {
        wf_raise(c, WF_ERR_UNSUPPORTED,
                 "torch.load: two tensors see one storage as different types");
        return WF_NONE;
    }
    return strided_view(c, *base, t->dims, t->strides, (uint32_t)t->rank, t->offset);
}

static Value of_tensor(Reader *r, const TfTensor *t)
{
    Vm *vm = r->e->vm;
    Tuple *how = sc_tuple(vm, 2);
    wf_tensor x = tensor_of(r, t);
    Value boxed = wf_is_none(x) ? (en_raise(r->e), NIL) : en_box(r->e, x);

    if (how) {
        how->v[0] = v_bool(t->requires_grad);
        how->v[1] = v_bool(t->is_param);
    }
    return call_make(r, "tensor", t->storage->device, boxed, v_obj(how));
}

static Value of_tuple(Reader *r, const TfValue *v)
{
    Vm *vm = r->e->vm;
    Tuple *t = sc_tuple(vm, v->items.n);

    for (uint32_t i = 0; t && i < v->items.n; i++)
        if ((t->v[i] = of_value(r, v->items.v[i])).tag == T_NIL) {
            for (uint32_t k = i; k < v->items.n; k++)
                t->v[k] = NONE;
            obj_drop(vm, t);
            return NIL;
        }
    return v_obj(t);
}

/* A list is known before it is filled: it may contain itself. */
static Value of_list(Reader *r, const TfValue *v)
{
    Vm *vm = r->e->vm;
    List *l = sc_list(vm, 0);

    if (!l)
        return NIL;
    r->made[v->number] = v_obj(l);
    for (uint32_t i = 0; i < v->items.n; i++) {
        Value x = of_value(r, v->items.v[i]);
        bool ok = x.tag != T_NIL && sc_list_push(vm, l, x);

        sc_drop(vm, x);
        if (!ok)
            return NIL;
    }
    return sc_ref(v_obj(l));
}

static bool fill_dict(Reader *r, const TfValue *v, Dict *d)
{
    Vm *vm = r->e->vm;

    for (uint32_t i = 0; i + 1 < v->items.n; i += 2) {
        Value key = of_value(r, v->items.v[i]),
              x = key.tag == T_NIL ? NIL : of_value(r, v->items.v[i + 1]);
        bool ok = x.tag != T_NIL && sc_dict_put(vm, d, key, x);

        sc_drop(vm, key);
        sc_drop(vm, x);
        if (!ok)
            return false;
    }
    return true;
}

static Value state_of(Reader *r, const TfValue *v)
{
    return v->state ? of_value(r, v->state) : NONE;
}

static Value of_dict(Reader *r, const TfValue *v)
{
    Vm *vm = r->e->vm;
    Dict *d = sc_dict(vm);
    Value state;

    if (!d)
        return NIL;
    if (!*v->name)
        r->made[v->number] = sc_ref(v_obj(d));
    if (!fill_dict(r, v, d)) {
        obj_drop(vm, d);
        return NIL;
    }
    if (!*v->name)
        return v_obj(d);
    state = state_of(r, v);
    return call_make(r, "dict", v->name, v_obj(d), state);
}

static Value of_set(Reader *r, const TfValue *v)
{
    Value items = of_tuple(r, v);

    return items.tag == T_NIL ? NIL : call_make(r, "set", v->name, items, NONE);
}

static Value of_kind(Reader *r, const TfValue *v)
{
    Vm *vm = r->e->vm;

    switch (v->kind) {
    case TF_BOOL: return v_bool(v->i != 0);
    case TF_INT: return v_int(v->i);
    case TF_FLOAT: return v_float(v->f);
    case TF_STR: return text_value(vm, v->s, v->n);
    case TF_BYTES: return sc_bytes(vm, v->s, (int64_t)v->n);
    case TF_LONG:
        return call_make(r, "long", "", sc_bytes(vm, v->s, (int64_t)v->n), NONE);
    case TF_TUPLE: return of_tuple(r, v);
    case TF_LIST: return of_list(r, v);
    case TF_DICT: return of_dict(r, v);
    case TF_SET: return of_set(r, v);
    case TF_GLOBAL: return call_make(r, "name", v->name, NONE, NONE);
    case TF_CALL:
    case TF_OBJECT: {
        Value items = of_tuple(r, v), state = items.tag == T_NIL ? NIL : state_of(r, v);

        return call_make(r, v->kind == TF_CALL ? "call" : "object", v->name, items,
                         state);
    }
    case TF_TENSOR: return of_tensor(r, v->tensor);
    case TF_STORAGE:
        sc_fail(vm, C_RuntimeError,
                "torch.load: the file holds a storage without a tensor");
        return NIL;
    case TF_NONE:
    case TF_MARK: break;
    }
    return NONE;
}

static Value of_value(Reader *r, const TfValue *v)
{
    Vm *vm = r->e->vm;
    Value made;

    if (v->number && r->made[v->number].tag != T_NIL)
        return sc_ref(r->made[v->number]);
    if (!sc_enter(vm))
        return NIL;
    made = of_kind(r, v);
    sc_leave(vm);
    if (made.tag != T_NIL && v->number && r->made[v->number].tag == T_NIL)
        r->made[v->number] = sc_ref(made);
    return made;
}

/* ---- reading -------------------------------------------------------------------------------- */

typedef struct Opened { /* the file, and what was read of it */
    Arena a;
    Blob *blob;
    TfValue *root, *constants;
} Opened;

static wf_status open_torch(wf_ctx *cx, const char *path, const uint8_t *bytes, int64_t n,
                            Opened *o, TfFile *f)
{
    API_ENTER(cx);
    const char *data = (const char *)bytes;
    size_t size = (size_t)n, at = 0;

    if (!bytes && (o->blob = blob_open(cx, path))) {
        blob_retain(o->blob);
        data = o->blob->data;
        size = o->blob->size;
    }
    if (!failed(cx) && tf_open(cx, &o->a, path, data, size, f)) {
        o->root = tf_root(f);
        if (o->root && f->is_script && (data = tf_entry(f, "constants.pkl", &size))) {
            f->store = "constants/";
            o->constants = tf_unpickle(f, "constants.pkl", data, size, &at);
        }
    }
    API_RETURN(cx);
}

/* One entry's bytes, unpacked at need; NIL without exception: it failed in the context. */
static wf_status entry_bytes(wf_ctx *cx, const Zip *z, const ZipEntry *entry,
                             const char **out)
{
    API_ENTER(cx);
    *out = zip_bytes(z, entry);
    API_RETURN(cx);
}

/* {name: bytes} of the entries under these folders of an archive */
static Value entries_of(Reader *r)
{
    static const char *const wanted[] = {"code/", "extra/", "version"};
    Vm *vm = r->e->vm;
    Dict *d = sc_dict(vm);

    for (uint32_t i = 0; d && r->f.is_zip && i < r->f.zip.entries.n; i++) {
        const ZipEntry *z = &r->f.zip.entries.v[i];
        const char *name = z->name + strlen(r->f.folder), *bytes = NULL;
        bool wants = false, ok;
        Value key, v;

        if (strncmp(z->name, r->f.folder, strlen(r->f.folder)) != 0)
            continue;
        for (int k = 0; k < COUNT(wanted); k++)
            wants = wants || strncmp(name, wanted[k], strlen(wanted[k])) == 0;
        if (!wants ||
            (strlen(name) > 10 && strcmp(name + strlen(name) - 10, ".debug_pkl") == 0))
            continue;
        if (entry_bytes(r->e->c, &r->f.zip, z, &bytes)) {
            obj_drop(vm, d);
            return NIL;
        }
        key = v_obj(sc_str(vm, name));
        v = sc_bytes(vm, bytes, (int64_t)z->size);
        ok = key.tag != T_NIL && v.tag != T_NIL && sc_dict_put(vm, d, key, v);
        sc_drop(vm, key);
        sc_drop(vm, v);
        if (!ok) {
            obj_drop(vm, d);
            return NIL;
        }
    }
    return v_obj(d);
}

/* read_torch(path, bytes, make): (what was saved, constants of TorchScript or None, {name: bytes} of code and the like) */
static Value n_read_torch(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    Reader r = {.e = &e, .make = a->v[2]};
    Opened o = {0};
    const char *path = NULL;
    const uint8_t *bytes = NULL;
    int64_t n = 0;
    Tuple *out = NULL;
    size_t room = 0;
    bool ok;

    arena_init(&o.a, &e.c->al, e.c);
    ok = (a->v[1].tag != T_NONE || sc_may(vm, "reach files")) && en_str(&e, a->v[0], &path) &&
         (a->v[1].tag == T_NONE || sc_bytes_view(vm, a->v[1], &bytes, &n)) &&
         open_torch(e.c, path, bytes, n, &o, &r.f) == WF_OK &&
         (out = sc_tuple(vm, 3)) != NULL;
    if (ok) {
        room = (r.f.nvalues + 1) * sizeof *r.made;
        r.made = sc_alloc(vm, room);
        r.base = en_alloc(&e, (r.f.storages.n + 1) * sizeof *r.base);
        for (int i = 0; i < 3; i++)
            out->v[i] = NONE;
        ok = r.made && r.base;
    }
    if (ok) {
        memset(r.made, 0, room);
        memset(r.base, 0, (r.f.storages.n + 1) * sizeof *r.base);
        out->v[0] = of_value(&r, o.root);
        if (out->v[0].tag != T_NIL && o.constants)
            out->v[1] = of_value(&r, o.constants);
        if (out->v[0].tag != T_NIL && out->v[1].tag != T_NIL)
            out->v[2] = entries_of(&r);
        for (int i = 0; i < 3; i++)
            if (out->v[i].tag == T_NIL) {
                out->v[i] = NONE;
                ok = false;
            }
    }
    for (size_t i = 0; r.made && i <= r.f.nvalues; i++)
        sc_drop(vm, r.made[i]);
    sc_free(vm, r.made, room);
    if (o.blob)
        blob_release(o.blob);
    arena_free(&o.a);
    if (ok)
        return en_end_value(&e, v_obj(out));
    if (out)
        obj_drop(vm, out);
    return en_fail(&e);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* storage_of(t): (identity, base, offset, strides). base: a vector on all the memory that t and its like are views of */
static Value n_storage_of(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor h;
    Tensor *t, *root, *view;
    Value v[4];
    Tuple *strides;
    int64_t count, lo, hi;
    bool shares = true;

    if (!en_tensor(&e, a->v[0], &h) || !(t = tensor_get(e.c, h, "save")))
        return en_fail(&e);
    if (t->symbolic) {
        wf_raise(e.c, WF_ERR_VALUE, "save: a tensor of a program has no numbers");
        return en_fail(&e);
    }
    root = t->root ? t->root : t;
    lo = hi = root->offset;
    for (uint32_t k = 0; k < root->rank; k++) {
        shares = shares && root->strides[k] >= 0;
        hi += (root->dims[k] - 1) * root->strides[k];
    }
    for (uint32_t k = 0; k < t->rank; k++)
        shares = shares && t->strides[k] >= 0;
    if (!shares || root->dtype != t->dtype) { /* its own memory */
        h = wf_copy(e.c, wf_detach(e.c, h));
        if (!(t = root = tensor_get(e.c, h, "save")))
            return en_fail(&e);
        lo = t->offset;
        hi = lo + t->count - 1;
    }
    count = root->count ? hi - lo + 1 : 0;
    if (!(view = tensor_view(e.c, root, (wf_dtype)root->dtype, &count, (int64_t[]){1}, 1,
                             lo)))
        return en_fail(&e);
    v[0] = v_int((int64_t)(uintptr_t)root->store);
    v[1] = en_box(&e, tensor_handle(e.c, view));
    v[2] = v_int(t->offset - lo);
    v[3] = v_obj(strides = sc_tuple(vm, t->rank));
    for (uint32_t k = 0; strides && k < t->rank; k++)
        strides->v[k] = v_int(t->strides[k]);
    Value out = v[1].tag == T_NIL || !strides ? NIL : v_obj(sc_tuple_of(vm, v, 4));
    sc_drop(vm, v[1]);
    sc_drop(vm, v[3]);
    return out.tag == T_NIL ? en_fail(&e) : en_end_value(&e, out);
}

typedef struct Part { /* of an archive */
    const char *name;
    const void *data;
    size_t size;
} Part;

static bool put_file(ZipWriter *z, const void *data, size_t size)
{
    return writer_put(z->user, data, size);
}

static bool put_text(ZipWriter *z, const void *data, size_t size)
{
    text_addn(z->user, data, size);
    return true;
}

static wf_status write_parts(wf_ctx *cx, const char *path, const Part *parts, int64_t n,
                             Text *text)
{
    API_ENTER(cx);
    ZipWriter z = {.cx = cx, .put = path ? put_file : put_text, .user = text};
    bool ok = !path || (z.user = writer_open(cx, path)) != NULL;

    for (int64_t i = 0; i < n && ok; i++)
        ok = zip_put(&z, parts[i].name, parts[i].data, parts[i].size);
    if (ok && zip_end(&z) && path)
        writer_commit(z.user);
    API_RETURN(cx);
}

/* write_zip(path, names, contents): an archive of bytes and tensors, stored; path None: its bytes */
static Value n_write_zip(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    Tuple *names = sc_tuple_from(vm, a->v[1]),
          *contents = names ? sc_tuple_from(vm, a->v[2]) : NULL;
    const char *path = NULL;
    Arena arena;
    Text text;
    Part *parts = contents ? en_alloc(&e, ((size_t)names->n + 1) * sizeof *parts) : NULL;
    bool ok = parts && (a->v[0].tag == T_NONE || sc_may(vm, "reach files")) && en_str(&e, a->v[0], &path) &&
              (names->n == contents->n ||
               sc_fail(vm, C_ValueError, "write_zip: a name for each content"));
    Value out = NIL;

    arena_init(&arena, &e.c->al, e.c);
    text_init(&text, &arena);
    for (int64_t i = 0; ok && i < names->n; i++) {
        const uint8_t *p = NULL;
        int64_t size = 0;
        wf_tensor t;
        Tensor *x;

        ok = (parts[i].name = sc_to_cstr(vm, names->v[i], "a name")) != NULL;
        if (ok && sc_bytes_view(vm, contents->v[i], &p, &size)) {
            parts[i].data = p;
            parts[i].size = (size_t)size;
        } else if (ok && (ok = en_tensor(&e, contents->v[i], &t))) {
            if ((ok = (x = en_on_host(&e, t)) != NULL)) {
                parts[i].data = tensor_data(x);
                parts[i].size = (size_t)x->count * wf_dtype_size((wf_dtype)x->dtype);
            }
        }
    }
    if (ok && write_parts(e.c, path, parts, names->n, &text) == WF_OK)
        out = path ? NONE : sc_bytes(vm, text.s, (int64_t)text.n);
    arena_free(&arena);
    if (names)
        obj_drop(vm, names);
    if (contents)
        obj_drop(vm, contents);
    return out.tag == T_NIL ? en_fail(&e) : en_end_value(&e, out);
}

const NativeDef engine_files[] = {
    {"read_torch", n_read_torch, "path,data,make"},
    {"storage_of", n_storage_of, "tensor"},
    {"write_zip", n_write_zip, "path,names,contents"},
    {0},
};

/* ---- TorchScript archives as wf_models -------------------------------------------------------
 *
 * An interpreter is made for the file and torch.jit._import run in it, which loads the archive and fills the model. Code of the
 * file is definitions alone (definitions.c), and is run only on symbols, to become programs. */

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
