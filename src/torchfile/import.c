/* import.c -- a PyTorch file as a wf_model, and the tensors of a model as a state dict.
 *
 *   tensors    by the path of keys that leads to them: "model.conv1.weight", "optimizer.state.0.exp_avg". Those that share a
 *              storage share memory. One that is there twice has two names.
 *   metadata   texts, numbers and bools the same way: "epoch" -> "3"
 *
 * Written is one dict of all tensors by name, which torch.load(.., weights_only=True) gives.
 */
#include "torchfile/torchfile.h"

#define DEEPEST 100
#define MOST    4000000 /* values met: one that is shared is met by every path */

static void drop_blob(void *b) { blob_release(b); }

wf_array *tf_array(TfFile *f, const TfTensor *t, Blob *blob)
{
    wf_array *a = NULL;
    size_t size = wf_dtype_size(t->dtype);
    const char *data = t->storage->data + (size_t)t->offset * size;

    if ((uintptr_t)data % size ||
        !(t->storage->data >= blob->data && t->storage->data < blob->data + blob->size)) {
        /* unpacked, or not aligned: a copy of the part it uses */
        int64_t last = 0;
        char *copy;

        for (int i = 0; i < t->rank; i++)
            last = t->dims[i] ? last + (t->dims[i] - 1) * t->strides[i] : -1;
        for (int i = 0; i < t->rank; i++)
            if (!t->dims[i])
                last = -1;
        if (wf_array_new(f->cx, t->dtype, (int64_t[]){last + 1}, 1, &a) != WF_OK)
            return NULL;
        array_held(f->cx, a);
        copy = wf_array_data_mutable(a);
        if (last >= 0)
            memcpy(copy, data, (size_t)(last + 1) * size);
        wf_array *view = NULL;
        if (wf_array_wrap(f->cx, t->dtype, t->dims, t->rank, t->strides, copy, array_drop,
                          wf_array_retain(a), &view) != WF_OK)
            wf_array_release(a);
        return view;
    }
    if (wf_array_wrap(f->cx, t->dtype, t->dims, t->rank, t->strides,
                      (char *)(uintptr_t)data, drop_blob, blob_retain(blob), &a) != WF_OK)
        blob_release(blob);
    return a;
}

/* ---- reading ----------------------------------------------------------------------------- */

typedef struct Walk {
    TfFile *f;
    Blob *blob;
    wf_model *m;
    int depth, met;
} Walk;

static const char *key_text(Arena *a, const TfValue *k)
{
    return k->kind == TF_STR    ? k->s
           : k->kind == TF_INT  ? arena_printf(a, "%lld", (long long)k->i)
           : k->kind == TF_BOOL ? (k->i ? "True" : "False")
                                : NULL;
}

static bool is_reserved(const char *name)
{
    return !*name || strncmp(name, "weft.", 5) == 0 ||
           strcmp(name, "__metadata__") == 0 || strpbrk(name, "\t\n");
}

static void add_meta(Walk *w, const char *path, const TfValue *v)
{
    Arena *a = w->f->a;
    const char *text = v->kind == TF_STR ? v->s : key_text(a, v);
    char number[NUMBER_MAX];

    if (v->kind == TF_FLOAT) {
        number_f64(number, v->f);
        text = number;
    }
    if (text && !is_reserved(path))
        model_set_meta(w->f->cx, w->m, path, text);
}

static bool add_tensor(Walk *w, const char *path, const TfTensor *t)
{
    wf_array *a = tf_array(w->f, t, w->blob);

    if (!a)
        return false;
    array_held(w->f->cx, a);
    if (is_reserved(path))
        path = *path ? arena_printf(w->f->a, "_%s", path) : "tensor";
    if (strpbrk(path, "\t\n"))
        return fail(w->f->cx, WF_ERR_UNSUPPORTED, in_file(w->f->file),
                    "PyTorch file: the name of a tensor has several lines");
    model_set_tensor(w->f->cx, w->m, path, a);
    return true;
}

static bool walk(Walk *w, const char *path, const TfValue *v);

/* layout, (indices, values, size ..) or, by rows, (crow_indices, col_indices, values, size): tensors of these names. */
static bool walk_sparse(Walk *w, const char *path, const TfValue *v)
{
    static const char *const names[] = {"indices", "values"}, *const by_row[] = {"crow_indices", "col_indices", "values"};
    const TfValue *parts = v->items.n == 2 && v->items.v[1]->kind == TF_TUPLE ? v->items.v[1] : NULL, *size;
    uint32_t n = parts && parts->items.n > 2 && parts->items.v[2]->kind == TF_TENSOR ? 3 : 2;
    Text t;

    text_init(&t, w->f->a);
    if (!parts || parts->items.n <= n)
        return fail(w->f->cx, WF_ERR_FORMAT, in_file(w->f->file), "PyTorch file: '%.200s' is no sparse tensor", path);
    for (uint32_t i = 0; i < n; i++)
        if (!walk(w, arena_printf(w->f->a, "%s%s%s", path, *path ? "." : "", (n == 3 ? by_row : names)[i]), parts->items.v[i]))
            return false;
    size = parts->items.v[n];
    if (size->kind == TF_CALL && size->items.n == 1 && size->items.v[0]->kind == TF_TUPLE)
        size = size->items.v[0];
    for (uint32_t i = 0; i < size->items.n; i++)
        if (size->items.v[i]->kind == TF_INT)
            text_printf(&t, "%s%lld", i ? "," : "", (long long)size->items.v[i]->i);
    path = arena_printf(w->f->a, "%s%ssize", path, *path ? "." : "");
    if (!is_reserved(path))
        model_set_meta(w->f->cx, w->m, path, text_str(&t));
    return true;
}

static bool walk(Walk *w, const char *path, const TfValue *v)
{
    Arena *a = w->f->a;
    const char *dot = *path ? "." : "";
    bool ok = true;

    if (w->depth > DEEPEST || ++w->met > MOST)
        return fail(
            w->f->cx, WF_ERR_LIMIT, in_file(w->f->file),
            "PyTorch file: containers are nested too deep, or contain themselves");
    w->depth++;
    if (v->kind == TF_TENSOR)
        ok = add_tensor(w, path, v->tensor);
    else if (v->kind == TF_DICT)
        for (uint32_t i = 0; i + 1 < v->items.n && ok; i += 2) {
            const char *key = key_text(a, v->items.v[i]);

            ok = !key ||
                 walk(w, arena_printf(a, "%s%s%s", path, dot, key), v->items.v[i + 1]);
        }
    else if (v->kind == TF_LIST || v->kind == TF_TUPLE)
        for (uint32_t i = 0; i < v->items.n && ok; i++)
            ok = walk(w, arena_printf(a, "%s%s%u", path, dot, i), v->items.v[i]);
    else if (v->kind == TF_OBJECT)
        ok = !v->state || walk(w, path, v->state);
    else if (v->kind == TF_CALL && strcmp(v->name, "torch._utils._rebuild_sparse_tensor") == 0)
        ok = walk_sparse(w, path, v);
    else
        add_meta(w, path, v);
    w->depth--;
    return ok;
}

static wf_status read_values(wf_ctx *cx, const char *file, Blob *blob, wf_model *m)
{
    API_ENTER(cx);
    TfFile f;
    TfValue *root =
        tf_open(cx, &cx->scratch, file, blob->data, blob->size, &f) ? tf_root(&f) : NULL;

    if (root)
        walk(&(Walk){.f = &f, .blob = blob, .m = m}, "", root);
    API_RETURN(cx);
}

/* Has the archive code of its own? */
static wf_status find_code(wf_ctx *cx, const char *file, const Blob *blob, bool *out)
{
    API_ENTER(cx);
    TfFile f;

    *out = tf_open(cx, &cx->scratch, file, blob->data, blob->size, &f) && f.is_script;
    API_RETURN(cx);
}

static bool torch_read(wf_ctx *cx, const char *file, Blob *blob, const wf_import_options *given, wf_model *m)
{
    bool has_code = false;

    if (find_code(cx, file, blob, &has_code) != WF_OK)
        return false;
    if (has_code && !torchscript_read)
        return fail(cx, WF_ERR_UNSUPPORTED, in_file(file),
                    "TorchScript needs the script language, which a static program has if it calls wf_script_run");
    if (has_code)
        return torchscript_read(cx, file, blob, given, m);
    if (given && given->n)
        return fail(cx, WF_ERR_ARG, in_file(file), "a PyTorch file of tensors has no inputs: no types or numbers are taken");
    return read_values(cx, file, blob, m) == WF_OK;
}

/* ---- writing ------------------------------------------------------------------------------- */

static void put_le(Text *t, uint64_t v, int bytes)
{
    for (int i = 0; i < bytes; i++)
        text_char(t, (char)(v >> 8 * i));
}

void tf_put_text(Text *t, const char *s)
{
    text_char(t, 'X');
    put_le(t, strlen(s), 4);
    text_add(t, s);
}

static void put_int(Text *t, int64_t v)
{
    text_addn(t, "\x8a\x08", 2);
    put_le(t, (uint64_t)v, 8);
}

static void put_dims(Text *t, const int64_t *v, int n)
{
    text_char(t, '(');
    for (int i = 0; i < n; i++)
        put_int(t, v[i]);
    text_char(t, 't');
}

static const char *storage_name(wf_dtype d)
{
    static const char *const names[WF_DTYPE_COUNT] = {
        [WF_F32] = "FloatStorage",        [WF_F64] = "DoubleStorage",
        [WF_F16] = "HalfStorage",         [WF_BF16] = "BFloat16Storage",
        [WF_U8] = "ByteStorage",          [WF_I8] = "CharStorage",
        [WF_I16] = "ShortStorage",        [WF_I32] = "IntStorage",
        [WF_I64] = "LongStorage",         [WF_BOOL] = "BoolStorage",
        [WF_C64] = "ComplexFloatStorage", [WF_C128] = "ComplexDoubleStorage"};

    return names[d];
}

/* Types without a storage class of their own go by bytes. */
void tf_put_tensor(Text *t, wf_array *a, uint32_t i, bool grad)
{
    const char *storage = storage_name(wf_array_dtype(a));
    int rank = wf_array_rank(a);
    int64_t strides[WF_MAX_RANK], step = 1;

    for (int k = rank; k-- > 0; step *= MAX(1, wf_array_dims(a)[k]))
        strides[k] = step;
    text_printf(t, "ctorch._utils\n_rebuild_tensor_v%d\n((", storage ? 2 : 3);
    tf_put_text(t, "storage");
    if (storage)
        text_printf(t, "ctorch\n%s\n", storage);
    else
        text_add(t, "ctorch.storage\nUntypedStorage\n");
    char key[16];
    number_i64(key, i);
    tf_put_text(t, key);
    tf_put_text(t, "cpu");
    put_int(t, wf_array_count(a) *
                   (storage ? 1 : (int64_t)wf_dtype_size(wf_array_dtype(a))));
    text_add(t, "tQ");
    put_int(t, 0);
    put_dims(t, wf_array_dims(a), rank);
    put_dims(t, strides, rank);
    text_char(t, grad ? '\x88' : '\x89');
    text_add(t, "ccollections\nOrderedDict\n)R");
    if (!storage)
        text_printf(t, "ctorch\n%s\n", tf_dtype_name(wf_array_dtype(a)));
    text_add(t, "tR");
}

bool tf_put_file(ZipWriter *z, const void *data, size_t size)
{
    return writer_put(z->user, data, size);
}

static wf_status write_model(wf_ctx *cx, wf_model *m, const char *path)
{
    API_ENTER(cx);
    ZipWriter z = {.cx = cx, .put = tf_put_file};
    wf_array **host = arena_zalloc(&cx->scratch, (m->tensors.n + 1) * sizeof *host);
    Text t;

    if (m->programs.n && !m->tensors.n)
        fail(cx, WF_ERR_VALUE, in_file(path),
             "a .pt file holds tensors, and the model has none");
    else if (m->programs.n)
        ctx_log(cx, WF_LOG_WARN, "%s: a .pt file holds tensors alone; %u programs are left out", path, m->programs.n);
    text_init(&t, &cx->scratch);
    text_add(&t, "\x80\x02"
                 "ccollections\nOrderedDict\n)R(");
    for (uint32_t i = 0; i < m->tensors.n && !failed(cx); i++) {
        if (wf_array_contiguous(cx, m->tensors.v[i].item, &host[i]) != WF_OK)
            break;
        array_held(cx, host[i]);
        tf_put_text(&t, m->tensors.v[i].name);
        tf_put_tensor(&t, host[i], i, false);
    }
    text_add(&t, "u.");
    if (!failed(cx) && (z.user = writer_open(cx, path))) {
        bool ok = zip_put(&z, "archive/data.pkl", t.s, t.n) &&
                  zip_put(&z, "archive/byteorder", "little", 6);

        for (uint32_t i = 0; i < m->tensors.n && ok; i++)
            ok = zip_put(&z, arena_printf(&cx->scratch, "archive/data/%u", i),
                         wf_array_data(host[i]),
                         (size_t)wf_array_count(host[i]) *
                             wf_dtype_size(wf_array_dtype(host[i])));
        ok = ok && zip_put(&z, "archive/version", "3\n", 2) && zip_end(&z) &&
             writer_commit(z.user);
    }
    API_RETURN(cx);
}

static bool torch_write(wf_ctx *cx, wf_model *m, const char *path)
{
    return write_model(cx, m, path) == WF_OK;
}

const Format torchfile_format = {"PyTorch", ".pt .pth .bin", tf_is_file, torch_read,
                                 torch_write};
