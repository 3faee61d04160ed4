/* public.c -- the functions of weft.h that files and texts of arrays are reached by. */
#include "io/io.h"

static wf_status bad_arg(wf_ctx *cx, const char *what)
{
    if (!cx)
        return WF_ERR_ARG;
    fail(cx, WF_ERR_ARG, NOWHERE, "%s", what);
    return ctx_status(cx);
}

/* ---- arrays ------------------------------------------------------------------------ */

wf_status wf_array_text(wf_ctx *cx, wf_array *a, const char **out_text)
{
    Text t;

    if (out_text)
        *out_text = NULL;
    if (!cx || !a || !out_text)
        return bad_arg(cx, "wf_array_text: an argument is NULL");
    API_ENTER(cx);
    answer_init(&t, cx);
    if (arraytext_print(cx, a, &t))
        *out_text = text_str(&t);
    API_RETURN(cx);
}

wf_status wf_array_parse(wf_ctx *cx, const char *text, wf_dtype dtype, uint64_t seed,
                         wf_array **out_array)
{
    if (out_array)
        *out_array = NULL;
    if (!cx || !text || !out_array)
        return bad_arg(cx, "wf_array_parse: an argument is NULL");
    if (dtype != WF_INVALID && !dtype_is_usable(dtype))
        return bad_arg(cx, "wf_array_parse: the dtype is reserved or not one");
    API_ENTER(cx);
    arraytext_parse(cx, text, dtype, seed, out_array);
    API_RETURN(cx);
}

wf_status wf_npy_load(wf_ctx *cx, const char *path, wf_array **out_array)
{
    Blob *b;

    if (out_array)
        *out_array = NULL;
    if (!cx || !path || !out_array)
        return bad_arg(cx, "wf_npy_load: an argument is NULL");
    API_ENTER(cx);
    if ((b = blob_open(cx, path)))
        npy_read(cx, path, b->data, b->size, out_array);
    API_RETURN(cx);
}

wf_status wf_image_load(wf_ctx *cx, const char *path, wf_array **out_array)
{
    Blob *b;

    if (out_array)
        *out_array = NULL;
    if (!cx || !path || !out_array)
        return bad_arg(cx, "wf_image_load: an argument is NULL");
    API_ENTER(cx);
    if ((b = blob_open(cx, path)))
        image_read(cx, path, b->data, b->size, out_array);
    API_RETURN(cx);
}

wf_status wf_npy_save(wf_ctx *cx, const char *path, wf_array *a)
{
    if (!cx || !path || !a)
        return bad_arg(cx, "wf_npy_save: an argument is NULL");
    API_ENTER(cx);
    npy_write(cx, path, a);
    API_RETURN(cx);
}

/* ---- models ------------------------------------------------------------------------ */

static void keep_model(wf_model *m, wf_model **out)
{
    m->refs++;
    *out = m;
}

wf_status wf_model_new(wf_ctx *cx, wf_model **out_model)
{
    if (out_model)
        *out_model = NULL;
    if (!cx || !out_model)
        return bad_arg(cx, "wf_model_new: an argument is NULL");
    API_ENTER(cx);
    keep_model(model_new(cx), out_model);
    API_RETURN(cx);
}

void wf_model_free(wf_model *m)
{
    if (m)
        model_release(m);
}

/* What a model has of each kind; nothing of a NULL model. */
static const NameTable none;
#define OF(m, kind) ((m) ? &(m)->kind : &none)

static const Named *entry(const NameTable *t, int i)
{
    return i >= 0 && (uint32_t)i < t->n ? &t->v[i] : NULL;
}

int wf_model_programs(const wf_model *m) { return (int)OF(m, programs)->n; }

const wf_program *wf_model_program(const wf_model *m, int i)
{
    const Named *e = entry(OF(m, programs), i);

    return e ? e->item : NULL;
}

const wf_program *wf_model_find(const wf_model *m, const char *name)
{
    return model_get(OF(m, programs), name);
}

wf_status wf_model_add(wf_ctx *cx, wf_model *m, const wf_program *p)
{
    if (!cx || !m || !p)
        return bad_arg(cx, "wf_model_add: an argument is NULL");
    API_ENTER(cx);
    model_add_program(cx, m, p);
    API_RETURN(cx);
}

int wf_model_tensors(const wf_model *m) { return (int)OF(m, tensors)->n; }

const char *wf_model_tensor_name(const wf_model *m, int i)
{
    const Named *e = entry(OF(m, tensors), i);

    return e ? e->name : "";
}

wf_array *wf_model_tensor(const wf_model *m, int i)
{
    const Named *e = entry(OF(m, tensors), i);

    return e ? e->item : NULL;
}

wf_array *wf_model_find_tensor(const wf_model *m, const char *name)
{
    return model_get(OF(m, tensors), name);
}

static bool check_utf8(wf_ctx *cx, const char *what, const char *s)
{
    size_t n = strlen(s), k = 0;
    int len;

    while (k < n && (len = utf8_len(s + k, n - k)) > 0)
        k += (size_t)len;
    return k == n || fail(cx, WF_ERR_VALUE, NOWHERE, "%s is not UTF-8", what);
}

static bool check_name(wf_ctx *cx, const char *what, const char *name)
{
    if (strncmp(name, "weft.", 5) == 0 || strcmp(name, "__metadata__") == 0)
        return fail(cx, WF_ERR_NAME, NOWHERE, "%s '%s' is reserved", what, name);
    return check_utf8(cx, what, name);
}

/* Files have the host's memory; where a tensor was is said in their metadata. */
wf_status wf_model_set_tensor(wf_ctx *cx, wf_model *m, const char *name, wf_array *a)
{
    const wf_device *d = wf_array_device(a);
    wf_device *host = NULL;
    wf_array *here = NULL;

    if (!cx || !m || !name || !a)
        return bad_arg(cx, "wf_model_set_tensor: an argument is NULL");
    if (!wf_device_host_reads(d)) {
        if (wf_device_get(cx, 0, &host) != WF_OK || wf_array_to(cx, a, host, &here) != WF_OK)
            return ctx_status(cx);
        wf_model_set_meta(cx, m, "device", wf_device_name(d));
        wf_model_set_tensor(cx, m, name, here);
        wf_array_release(here);
        return ctx_status(cx);
    }
    API_ENTER(cx);
    if (check_name(cx, "the name of a tensor", name))
        model_set_tensor(cx, m, name, a);
    API_RETURN(cx);
}

const char *wf_model_meta(const wf_model *m, const char *key)
{
    const char *value = model_get(OF(m, metas), key);

    return value ? value : "";
}

bool wf_model_has_meta(const wf_model *m, const char *key)
{
    return model_get(OF(m, metas), key) != NULL;
}

wf_status wf_model_set_meta(wf_ctx *cx, wf_model *m, const char *key, const char *value)
{
    if (!cx || !m || !key || !value)
        return bad_arg(cx, "wf_model_set_meta: an argument is NULL");
    API_ENTER(cx);
    if (check_name(cx, "the key", key) && check_utf8(cx, "the value", value))
        model_set_meta(cx, m, key, value);
    API_RETURN(cx);
}
