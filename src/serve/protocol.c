/* protocol.c -- requests of the Open Inference Protocol to arrays, and arrays to responses.
 *
 *   request    {"id", "parameters": {"binary_data_output"}, "inputs": [{"name", "shape", "datatype", "parameters":
 *              {"binary_data_size"}, "data"}..], "outputs": [{"name", "parameters": {"binary_data"}}..]}
 *   binary     the bytes of such inputs follow the JSON, in their order
 */
#include "serve/serve.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct {
    const char *name;
    wf_dtype dtype;
} types[] = {{"BOOL", WF_BOOL},  {"UINT8", WF_U8}, {"UINT16", WF_U16}, {"UINT32", WF_U32},
             {"UINT64", WF_U64}, {"INT8", WF_I8},  {"INT16", WF_I16},  {"INT32", WF_I32},
             {"INT64", WF_I64},  {"FP16", WF_F16}, {"BF16", WF_BF16},  {"FP32", WF_F32},
             {"FP64", WF_F64}};

const char *serve_type(wf_dtype dtype)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].dtype == dtype)
            return types[i].name;
    return NULL;
}

uint64_t serve_clock(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

bool infer_fail(Infer *r, int status, const char *fmt, ...)
{
    va_list args;

    if (r->status == 0) {
        r->status = status;
        va_start(args, fmt);
        vsnprintf(r->error, sizeof r->error, fmt, args);
        va_end(args);
    }
    return false;
}

void infer_free(Infer *r)
{
    for (int i = 0; i < SERVE_TENSORS; i++) {
        wf_array_release(r->in[i]);
        wf_array_release(r->out[i]);
        r->in[i] = r->out[i] = NULL;
    }
    instance_release(r->instance);
    r->instance = NULL;
}

/* ---- reading ----------------------------------------------------------------------- */

typedef struct Given { /* an input, as the JSON says it */
    char name[128], type[16];
    int64_t shape[WF_MAX_RANK], binary; /* bytes; -1: in the JSON */
    int rank;
    JsonText data; /* where it begins */
} Given;

static void read_parameters(JsonText *j, const char *wanted, int64_t *number, bool *flag)
{
    char key[64];

    request_need(j, '{');
    for (bool first = true; request_key(j, key, sizeof key, &first);) {
        if (strcmp(key, wanted) != 0)
            request_skip(j);
        else if (number)
            request_integer(j, number);
        else
            request_bool(j, flag);
    }
}

static void read_shape(JsonText *j, Given *g)
{
    request_need(j, '[');
    for (g->rank = 0; !j->bad && !request_take(j, ']'); g->rank++) {
        if ((g->rank && !request_need(j, ',')) || g->rank == WF_MAX_RANK) {
            j->bad = true;
            return;
        }
        request_integer(j, &g->shape[g->rank]);
    }
}

static bool read_given(JsonText *j, Given *g)
{
    char key[64];

    *g = (Given){.binary = -1, .rank = -1};
    request_need(j, '{');
    for (bool first = true; request_key(j, key, sizeof key, &first);) {
        if (strcmp(key, "name") == 0) {
            request_text(j, g->name, sizeof g->name);
        } else if (strcmp(key, "datatype") == 0) {
            request_text(j, g->type, sizeof g->type);
        } else if (strcmp(key, "shape") == 0) {
            read_shape(j, g);
        } else if (strcmp(key, "parameters") == 0) {
            read_parameters(j, "binary_data_size", &g->binary, NULL);
        } else {
            if (strcmp(key, "data") == 0)
                g->data = *j;
            request_skip(j);
        }
    }
    return !j->bad;
}

static int find_tensor(const SignatureTensor *t, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (strcmp(t[i].name, name) == 0)
            return i;
    return -1;
}

/* The array of an input; bytes: what is left of the binary part. */
static bool make_input(wf_ctx *cx, Infer *r, const Given *g, char **bytes, size_t *left)
{
    int k = find_tensor(r->instance->in, r->instance->nin, g->name);
    const SignatureTensor *t = &r->instance->in[k < 0 ? 0 : k];
    int64_t count = 1, got;
    size_t size;
    JsonText data = g->data;

    if (k < 0 || r->in[k])
        return infer_fail(r, 400,
                          k < 0 ? "model '%s' has no input '%s'"
                                : "model '%s': input '%s' is given twice",
                          r->instance->name, g->name);
    if (!serve_type(t->dtype) || strcmp(g->type, serve_type(t->dtype)) != 0)
        return infer_fail(r, 400, "input '%s' is %s, the model takes %s", g->name,
                          g->type, serve_type(t->dtype));
    if (g->rank != t->rank)
        return infer_fail(r, 400, "input '%s' has %d axes, the model takes %d", g->name,
                          g->rank, t->rank);
    for (int i = 0; i < g->rank; i++)
        if (g->shape[i] < 0 || (t->dims[i] >= 0 && g->shape[i] != t->dims[i]) ||
            __builtin_mul_overflow(count, g->shape[i], &count) || count > INT64_MAX / 16)
            return infer_fail(
                r, 400, "input '%s': size %lld of axis %d is not what the model takes",
                g->name, (long long)g->shape[i], i);
    size = (size_t)count * wf_dtype_size(t->dtype);
    /* an element takes two bytes of JSON at least: a shape cannot ask for more memory than was sent */
    if (g->binary >= 0 ? (size_t)g->binary != size || size > *left
                       : !g->data.p || (size_t)count > (size_t)(g->data.end - g->data.p))
        return infer_fail(r, 400, "input '%s': its data is not as much as its shape says",
                          g->name);
    if (g->binary < 0 && (t->dtype == WF_F16 || t->dtype == WF_BF16))
        return infer_fail(r, 400,
                          "input '%s': %s has no form in JSON; send it as binary data",
                          g->name, g->type);
    if (wf_array_new(cx, t->dtype, g->shape, g->rank, &r->in[k]) != WF_OK)
        return infer_fail(r, 503, "out of memory");
    if (g->binary >= 0) {
        memcpy(wf_array_data_mutable(r->in[k]), *bytes, size);
        *bytes += size;
        *left -= size;
        return true;
    }
    got = request_numbers(&data, t->dtype, wf_array_data_mutable(r->in[k]), count);
    if (data.bad || got != count)
        return infer_fail(r, 400, "input '%s': needed %lld numbers of type %s", g->name,
                          (long long)count, g->type);
    return true;
}

static void read_outputs(JsonText *j, Infer *r)
{
    char key[64], name[128];

    memset(r->wanted, 0, sizeof r->wanted);
    request_need(j, '[');
    for (bool any = false; !j->bad && !request_take(j, ']'); any = true) {
        bool binary = false, has_binary = false;
        int k;

        if (any && !request_need(j, ','))
            return;
        name[0] = 0;
        request_need(j, '{');
        for (bool first = true; request_key(j, key, sizeof key, &first);) {
            if (strcmp(key, "name") == 0) {
                request_text(j, name, sizeof name);
            } else if (strcmp(key, "parameters") == 0) {
                read_parameters(j, "binary_data", NULL, &binary);
                has_binary = true;
            } else {
                request_skip(j);
            }
        }
        k = find_tensor(r->instance->out, r->instance->nout, name);
        if (k < 0) {
            infer_fail(r, 400, "model '%s' has no output '%s'", r->instance->name, name);
            return;
        }
        r->wanted[k] = true;
        if (has_binary)
            r->binary[k] = binary;
    }
}

/* All but what is in other places of the request: inputs follow binary_data_output and outputs, whatever their order. */
static bool read_all(wf_ctx *cx, Infer *r, JsonText *j, char *bytes, size_t left)
{
    JsonText outputs = {.p = NULL};
    Given g;
    char key[64];
    bool binary = false;

    request_need(j, '{');
    for (bool first = true; request_key(j, key, sizeof key, &first) && !r->status;) {
        if (strcmp(key, "id") == 0) {
            request_text(j, r->id, sizeof r->id);
        } else if (strcmp(key, "parameters") == 0) {
            read_parameters(j, "binary_data_output", NULL, &binary);
        } else if (strcmp(key, "inputs") == 0) {
            request_need(j, '[');
            for (bool any = false; !j->bad && !request_take(j, ']'); any = true)
                if ((any && !request_need(j, ',')) || !read_given(j, &g) ||
                    !make_input(cx, r, &g, &bytes, &left))
                    break;
        } else {
            if (strcmp(key, "outputs") == 0)
                outputs = *j;
            request_skip(j);
        }
        if (j->bad || r->status)
            break;
    }
    for (int i = 0; i < SERVE_TENSORS; i++) {
        r->wanted[i] = true;
        r->binary[i] = binary;
    }
    if (outputs.p && !j->bad && !r->status) {
        read_outputs(&outputs, r);
        j->bad |= outputs.bad;
    }
    return !r->status && !j->bad;
}

bool infer_read(wf_ctx *cx, Infer *r, char *body, size_t size, int64_t header)
{
    size_t text = header < 0 ? size : (size_t)header;
    char kept;
    JsonText j;

    if (header >= 0 && (size_t)header > size)
        return infer_fail(
            r, 400, "Inference-Header-Content-Length is past the end of the request");
    kept = body[text];
    body[text] = 0; /* numbers end there */
    j = (JsonText){body, body + text, false};
    /* the first binary byte is behind the text: put back before it is read */
    if (kept && text < size) {
        char *copy = malloc(text + 1);

        if (!copy)
            return infer_fail(r, 503, "out of memory");
        memcpy(copy, body, text + 1);
        body[text] = kept;
        j = (JsonText){copy, copy + text, false};
        read_all(cx, r, &j, body + text, size - text);
        free(copy);
    } else {
        read_all(cx, r, &j, body + text, size - text);
    }
    if (!r->status && j.bad)
        infer_fail(r, 400, "the request is no JSON as it should be, near byte %td",
                   j.p - (j.end - text));
    for (int i = 0; i < r->instance->nin && !r->status; i++)
        if (!r->in[i])
            infer_fail(r, 400, "model '%s' needs the input '%s'", r->instance->name,
                       r->instance->in[i].name);
    if (!r->status)
        r->rows =
            r->instance->nin && r->instance->in[0].rank ? wf_array_dims(r->in[0])[0] : 1;
    wf_clear(cx);
    return !r->status;
}

/* ---- running, writing -------------------------------------------------------------- */

static wf_status to_host(wf_ctx *cx, wf_array **out, int n)
{
    wf_device *host;

    if (wf_device_get(cx, 0, &host))
        return wf_ctx_status(cx);
    for (int i = 0; i < n; i++) {
        wf_array *there = out[i];

        if (wf_array_device(there) == host)
            continue;
        out[i] = NULL;
        wf_array_to(cx, there, host, &out[i]);
        wf_array_release(there);
    }
    return wf_ctx_status(cx);
}

/* What it keeps before the inputs, and what that becomes behind the results. */
static wf_status run_kept(wf_ctx *cx, ModelInstance *x, int lane, wf_array **in, wf_array **out)
{
    wf_array *all_in[SERVE_TENSORS], *all_out[SERVE_TENSORS] = {NULL};
    int n = x->nout + x->nupdates;

    memcpy(all_in, x->kept, (size_t)x->nkept * sizeof *all_in);
    memcpy(all_in + x->nkept, in, (size_t)x->nin * sizeof *all_in);
    if (!wf_run(cx, x->exec[lane], all_in, x->nkept + x->nin, all_out, n))
        to_host(cx, all_out, n);
    for (int i = 0; i < n; i++) {
        wf_array **to = i < x->nout ? &out[i] : x->update[i - x->nout] < 0 ? NULL : &x->kept[x->update[i - x->nout]];

        if (wf_ctx_status(cx) || !to) {
            wf_array_release(all_out[i]);
            continue;
        }
        wf_array_release(*to);
        *to = all_out[i];
    }
    return wf_ctx_status(cx);
}

wf_status instance_run(wf_ctx *cx, ModelInstance *x, int lane, wf_array **in, wf_array **out)
{
    if (x->nupdates) {
        pthread_mutex_lock(&x->lock);
        run_kept(cx, x, lane, in, out);
        pthread_mutex_unlock(&x->lock);
    } else if (!wf_run(cx, x->exec[lane], in, x->nin, out, x->nout)) {
        to_host(cx, out, x->nout);
    }
    return wf_ctx_status(cx);
}

void infer_run(wf_ctx *cx, Infer *r, int lane)
{
    ModelInstance *i = r->instance;

    r->began = serve_clock();
    if (instance_run(cx, i, lane, r->in, r->out) == WF_OK) {
        r->status = 200;
    } else {
        wf_status s = wf_ctx_status(cx);

        infer_fail(r,
                   s < WF_ERR_MEMORY    ? 400
                   : s == WF_ERR_MEMORY ? 503
                                        : 500,
                   "%s", wf_ctx_message(cx));
        wf_clear(cx);
    }
    atomic_fetch_add(&i->stats->runs, 1);
}

void infer_count(const Infer *r, uint64_t now)
{
    Stats *s = r->instance->stats;
    uint64_t took = now - r->arrived;
    int k = 0;

    while (k < SERVE_BUCKETS - 1 && took > (uint64_t)1000 << k)
        k++;
    atomic_fetch_add(r->status == 200 ? &s->success : &s->failure, 1);
    atomic_fetch_add(&s->count, r->status == 200 ? (unsigned long long)r->rows : 0);
    atomic_fetch_add(&s->request_ns, took);
    atomic_fetch_add(&s->queue_ns, r->began > r->arrived ? r->began - r->arrived : 0);
    atomic_fetch_add(&s->compute_ns, r->began && now > r->began ? now - r->began : 0);
    atomic_fetch_add(&s->bucket[k], 1);
}

void infer_write(wf_ctx *cx, const Infer *r, Out *o, size_t *out_header)
{
    const ModelInstance *m = r->instance;
    wf_array *whole[SERVE_TENSORS] = {NULL};
    bool any = false, binary = false;

    out_text(o, "{\"model_name\":");
    out_string(o, m->name);
    out_text(o, ",\"model_version\":");
    out_string(o, m->version);
    if (r->id[0]) {
        out_text(o, ",\"id\":");
        out_string(o, r->id);
    }
    out_text(o, ",\"outputs\":[");
    for (int i = 0; i < m->nout; i++) {
        wf_dtype dtype = m->out[i].dtype;
        size_t item = wf_dtype_size(dtype);
        const int64_t *dims;
        bool raw = r->binary[i] || dtype == WF_F16 ||
                   dtype == WF_BF16; /* which have no form in JSON */

        if (!r->wanted[i] || wf_array_contiguous(cx, r->out[i], &whole[i]) != WF_OK)
            continue;
        dims = wf_array_dims(whole[i]);
        out_text(o, any ? ",{\"name\":" : "{\"name\":");
        any = true;
        out_string(o, m->out[i].name);
        out_printf(o, ",\"datatype\":\"%s\",\"shape\":[", serve_type(dtype));
        for (int k = 0; k < wf_array_rank(whole[i]); k++)
            out_printf(o, "%s%lld", k ? "," : "", (long long)dims[k]);
        out_text(o, "]");
        if (raw) {
            out_printf(o, ",\"parameters\":{\"binary_data_size\":%zu}}",
                       (size_t)wf_array_count(whole[i]) * item);
            binary = true;
            continue;
        }
        out_text(o, ",\"data\":[");
        for (int64_t k = 0; k < wf_array_count(whole[i]); k++) {
            if (k)
                out_bytes(o, ",", 1);
            out_number(o, dtype,
                       (const char *)wf_array_data(whole[i]) + (size_t)k * item);
        }
        out_text(o, "]}");
    }
    out_text(o, "]}");
    *out_header = binary ? o->n : 0;
    for (int i = 0; i < m->nout; i++) {
        if (whole[i] &&
            (r->binary[i] || m->out[i].dtype == WF_F16 || m->out[i].dtype == WF_BF16))
            out_bytes(o, wf_array_data(whole[i]),
                      (size_t)wf_array_count(whole[i]) * wf_dtype_size(m->out[i].dtype));
        wf_array_release(whole[i]);
    }
    wf_clear(cx);
}
