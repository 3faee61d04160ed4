/* value.c -- memory, element types, and what nodes ask for: inputs, attributes, results. */
#include "onnx/onnx.h"

/* ---- memory ---------------------------------------------------------------------------- */

struct OxChunk {
    OxChunk *next;
    size_t size;
};

#define CHUNK 65536

void *ox_alloc(OxMemory *m, size_t n, size_t size)
{
    size_t bytes;
    OxChunk *chunk;
    void *p;

    if (__builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX / 2) {
        wf_raise(m->c, WF_ERR_MEMORY, "onnx: out of memory");
        return NULL;
    }
    bytes = (bytes + 15) & ~(size_t)15;
    if (bytes > (size_t)(m->end - m->at)) {
        size_t all = (bytes > CHUNK / 2 ? bytes : CHUNK) + 16;

        if (!(chunk = wf_memory(m->c, NULL, 0, all)))
            return NULL;
        memset(chunk, 0, all);
        *chunk = (OxChunk){m->chunks, all};
        m->chunks = chunk;
        p = (char *)chunk + 16;
        if (bytes <= CHUNK / 2) {
            m->at = (char *)p + bytes;
            m->end = (char *)chunk + all;
        }
        return p;
    }
    p = m->at;
    m->at += bytes;
    return p;
}

char *ox_string(OxMemory *m, const char *s, size_t n)
{
    char *p = ox_alloc(m, n + 1, 1);

    return p && n ? memcpy(p, s, n) : p;
}

void ox_memory_free(OxMemory *m)
{
    for (OxChunk *k = m->chunks, *next; k; k = next) {
        next = k->next;
        wf_memory(m->c, k, k->size, 0);
    }
    *m = (OxMemory){m->c, NULL, NULL, NULL};
}

/* ---- element types ------------------------------------------------------------------------ */

static const struct {
    const char *name;
    wf_dtype dtype;
    int bits;
} elems[OX_ELEMS] = {
    {"undefined", WF_INVALID, 0}, {"float", WF_F32, 32},          {"uint8", WF_U8, 8},
    {"int8", WF_I8, 8},           {"uint16", WF_U16, 16},         {"int16", WF_I16, 16},
    {"int32", WF_I32, 32},        {"int64", WF_I64, 64},          {"string", WF_INVALID, 0},
    {"bool", WF_BOOL, 8},         {"float16", WF_F16, 16},        {"double", WF_F64, 64},
    {"uint32", WF_U32, 32},       {"uint64", WF_U64, 64},         {"complex64", WF_INVALID, 64},
    {"complex128", WF_INVALID, 128}, {"bfloat16", WF_BF16, 16},   {"float8e4m3fn", WF_INVALID, 8},
    {"float8e4m3fnuz", WF_INVALID, 8}, {"float8e5m2", WF_INVALID, 8}, {"float8e5m2fnuz", WF_INVALID, 8},
    {"uint4", WF_INVALID, 4},     {"int4", WF_INVALID, 4},        {"float4e2m1", WF_INVALID, 4},
    {"float8e8m0", WF_INVALID, 8}, {"uint2", WF_INVALID, 2},      {"int2", WF_INVALID, 2},
};

static bool is_elem(int64_t e) { return e > 0 && e < OX_ELEMS; }
wf_dtype ox_dtype(int64_t e) { return is_elem(e) ? elems[e].dtype : WF_INVALID; }
const char *ox_elem_name(int64_t e) { return is_elem(e) ? elems[e].name : "undefined"; }
int ox_bits(int64_t e) { return is_elem(e) ? elems[e].bits : 0; }

OxElem ox_elem(wf_dtype dtype)
{
    for (int i = 1; i < OX_ELEMS; i++)
        if (elems[i].dtype == dtype)
            return (OxElem)i;
    return 0;
}

/* ---- errors ---------------------------------------------------------------------------------- */

bool ox_fail(OxRun *r, wf_status status, const char *fmt, ...)
{
    char what[300], text[700];
    va_list args;

    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    if (r->node)
        snprintf(text, sizeof text, "%.200s: node %d '%.80s' (%.40s): %s", r->file, r->number,
                 r->node->name ? r->node->name : "", r->node->op ? r->node->op : "", what);
    else
        snprintf(text, sizeof text, "%.200s: %s", r->file, what);
    wf_raise(r->c, status, text);
    return false;
}

/* ---- inputs and results -------------------------------------------------------------------------- */

static const OxValue nothing = {0};

size_t ox_nin(OxRun *r)
{
    size_t n = r->node->in.n;

    while (n && !*r->node->in.v[n - 1])
        n--;
    return n;
}

const OxValue *ox_value(OxRun *r, size_t i)
{
    const OxValue *v = i < r->node->in.n && *r->node->in.v[i] ? ox_lookup(r, r->node->in.v[i]) : NULL;

    return v ? v : &nothing;
}

bool ox_has(OxRun *r, size_t i) { return ox_value(r, i)->kind != OX_NOTHING; }

wf_tensor ox_state_value(OxRun *r, OxState *s)
{
    if (!wf_is_none(s->update))
        return s->update;
    if (wf_is_none(s->symbol) && !s->array)
        return ox_fail(r, WF_ERR_UNSUPPORTED, "variable '%.80s' has no value in the file", s->name), WF_NONE;
    s->used = true;
    return wf_is_none(s->symbol) ? wf_from_array(r->c, s->array) : s->symbol;
}

wf_tensor ox_tensor_of(OxRun *r, const OxValue *v)
{
    wf_tensor *parts, t;

    if (v->kind == OX_RESOURCE && v->state)
        return ox_state_value(r, v->state);
    if (v->kind != OX_TENSOR)
        return ox_fail(r, WF_ERR_TYPE, "needs a tensor, found %s",
                       v->kind == OX_SEQUENCE  ? "a sequence"
                       : v->kind == OX_STRINGS ? "strings"
                       : v->kind == OX_LIST    ? "a list of tensors"
                                               : "nothing"),
               WF_NONE;
    if (v->state)
        v->state->used = true;
    if (!wf_is_none(v->t) || !v->nums)
        return v->t;
    if (!(parts = ox_alloc(&r->mem, (size_t)v->nnums + 1, sizeof *parts)))
        return WF_NONE;
    for (int k = 0; k < v->nnums; k++)
        parts[k] = ox_num_tensor(r, v->nums[k]);
    t = v->num_rank == 0 ? parts[0]
        : v->nnums       ? wf_stack(r->c, parts, v->nnums, 0)
                         : wf_zeros(r->c, WF_I64, (int64_t[]){0}, 1);
    return wf_cast(r->c, t, ox_dtype(v->num_elem));
}

wf_tensor ox_in(OxRun *r, size_t i)
{
    const OxValue *v = ox_value(r, i);

    if (v->kind == OX_NOTHING)
        return ox_fail(r, WF_ERR_FORMAT, "input %zu is missing", i), WF_NONE;
    if (v->narrow)
        return ox_fail(r, WF_ERR_UNSUPPORTED, "does not take %s", ox_elem_name(v->narrow)), WF_NONE;
    return ox_tensor_of(r, v);
}

wf_tensor ox_opt(OxRun *r, size_t i) { return ox_has(r, i) ? ox_in(r, i) : WF_NONE; }

OxElem ox_elem_of(OxRun *r, size_t i)
{
    const OxValue *v = ox_value(r, i);

    return v->kind != OX_TENSOR ? 0
           : v->narrow          ? v->narrow
           : wf_is_none(v->t)   ? v->num_elem
                                : ox_elem(wf_dtype_of(r->c, v->t));
}

bool ox_wants(OxRun *r, size_t i) { return i < r->node->out.n && *r->node->out.v[i]; }

bool ox_put_value(OxRun *r, size_t i, OxValue v)
{
    OxValue *to;

    if (!ox_ok(r))
        return false;
    if (!ox_wants(r, i))
        return true;
    if (!(to = ox_name_value(r->env, r->node->out.v[i])))
        return ox_fail(r, WF_ERR_INTERNAL, "result %zu has no place", i);
    *to = v;
    return true;
}

bool ox_put(OxRun *r, size_t i, wf_tensor t)
{
    return ox_put_value(r, i, (OxValue){.kind = OX_TENSOR, .t = t});
}

bool ox_concrete(OxRun *r, const OxValue *v, wf_tensor *out)
{
    if (v->kind != OX_TENSOR)
        return false;
    if (v->state) {
        *out = wf_from_array(r->c, v->state->array);
        *out = v->state->halves && ox_ok(r) ? ox_halves_apart(r, *out, v->state->halves) : *out;
        return !wf_is_none(*out);
    }
    if (wf_is_none(v->t))
        for (int i = 0; i < v->nnums; i++)
            if (v->nums[i].kind != OX_NUMBER)
                return false;
    *out = ox_tensor_of(r, v);
    return ox_ok(r) && !wf_is_symbolic(r->c, *out);
}

bool ox_floats(OxRun *r, size_t i, double *out, int room, int *n)
{
    wf_tensor t = WF_NONE;
    int64_t count;

    *n = 0;
    if (!ox_has(r, i))
        return true;
    if (!ox_concrete(r, ox_value(r, i), &t))
        return ox_fail(r, WF_ERR_UNSUPPORTED, "input %zu must not depend on inputs of the model", i);
    count = wf_count(r->c, t);
    if (count < 0 || count > room)
        return ox_fail(r, WF_ERR_LIMIT, "input %zu has %lld elements, at most %d", i, (long long)count, room);
    *n = (int)count;
    return !wf_read_f64(r->c, t, out, count);
}

/* ---- attributes ---------------------------------------------------------------------------------- */

static const OxAttr *named(OxAttr *const *v, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (v[i]->name && strcmp(v[i]->name, name) == 0)
            return v[i];
    return NULL;
}

/* An attribute of a node in env; one that refers to the attribute of a function: what its caller gave. */
static const OxAttr *attr_in(const OxEnv *env, const OxNode *n, const char *name)
{
    const OxAttr *a = named(n->attrs.v, n->attrs.n, name), *given;

    while (a && a->ref && *a->ref) {
        while (env && !env->function)
            env = env->outer;
        if (!env)
            return NULL;
        given = named(env->call->attrs.v, env->call->attrs.n, a->ref);
        a = given ? given : named(env->function->attrs.v, env->function->attrs.n, a->ref);
        env = env->caller;
    }
    return a;
}

const OxAttr *ox_attr(OxRun *r, const char *name) { return attr_in(r->env, r->node, name); }

int64_t ox_int(OxRun *r, const char *name, int64_t otherwise)
{
    const OxAttr *a = ox_attr(r, name);

    return a ? a->i : otherwise;
}

double ox_float(OxRun *r, const char *name, double otherwise)
{
    const OxAttr *a = ox_attr(r, name);

    return a ? (double)a->f : otherwise;
}

const char *ox_text(OxRun *r, const char *name, const char *otherwise)
{
    const OxAttr *a = ox_attr(r, name);
    const char *s = a ? ox_string(&r->mem, a->s.data, a->s.size) : otherwise;

    return s ? s : "";
}

bool ox_text_is(OxRun *r, const char *name, const char *otherwise, const char *is)
{
    return strcmp(ox_text(r, name, otherwise), is) == 0;
}

const int64_t *ox_ints(OxRun *r, const char *name, int *n)
{
    static const int64_t none[1] = {0};
    const OxAttr *a = ox_attr(r, name);

    *n = a ? (int)MIN(a->ints.n, (size_t)OX_MAX) : 0;
    return a ? (a->ints.n ? a->ints.v : none) : NULL;
}

int64_t ox_opset(OxRun *r)
{
    const char *domain = r->node->domain ? r->node->domain : "";
    const OxEnv *env = r->env;

    if (strcmp(domain, "ai.onnx") == 0)
        domain = "";
    while (env && !env->function)
        env = env->outer;
    OxOpset *const *v = env ? env->function->opsets.v : r->model->opsets.v;
    size_t n = env ? env->function->opsets.n : r->model->opsets.n;
    for (size_t i = 0; i < n; i++) {
        const char *d = v[i]->domain ? v[i]->domain : "";

        if (strcmp(strcmp(d, "ai.onnx") == 0 ? "" : d, domain) == 0)
            return v[i]->version;
    }
    return 1;
}

/* ---- what families share ----------------------------------------------------------------------------- */

wf_tensor ox_like(OxRun *r, double x, wf_tensor t) { return wf_scalar(r->c, wf_dtype_of(r->c, t), x); }

bool ox_bounded(OxRun *r, const int64_t *dims, int rank, int64_t most)
{
    int64_t n = 1;

    for (int i = 0; i < rank; i++)
        if (dims[i] > 0 && (n = n > most / dims[i] ? most + 1 : n * dims[i]) > most)
            return ox_fail(r, WF_ERR_LIMIT, "a tensor of more than %lld elements that no data fills", (long long)most);
    return true;
}

wf_tensor ox_trunc_div(wf_ctx *c, wf_tensor x, wf_tensor y)
{
    return wf_floor_div(c, wf_sub(c, x, wf_fmod(c, x, y)), y);
}

wf_tensor ox_wrap(OxRun *r, wf_tensor index, int64_t size)
{
    wf_tensor i = wf_cast(r->c, index, WF_I64);
    wf_tensor sum = wf_add(r->c, i, wf_size_tensor(r->c, size));

    return wf_where(r->c, wf_lt(r->c, i, wf_int(r->c, 0)), sum, i);
}
