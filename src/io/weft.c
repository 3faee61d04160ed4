/* weft.c -- .weft: a model in a safetensors file, where every reader of safetensors finds
 * its tensors.
 *
 * Metadata (further keys are the user's):
 *   weft.format     "1"
 *   weft.programs   the text form of all programs and their sub-programs, places included
 *   weft.methods    a JSON list: the names of those programs that are methods, in order
 *   weft.ops        "add=1,tanh=1": the ops used, each with the version of its meaning
 * Tensors: the model's own by name; and the constants of programs of more than
 * CONST_INLINE bytes, as "weft.const.K", to which the text refers: const f32[784,10]
 * tensor("weft.const.0"). A constant that is one of the model's tensors refers to that. Machine code is bytes,
 * "weft.code.avx2.<key>" (runtime/codefile.c).
 *
 * Names that begin with "weft." are reserved. A file of a later format, or with an op
 * unknown here or of a later version, is refused by name. Versions of ops that are older
 * than the table's would be rewritten by read_ops; as yet every op is at its first.
 */
#include "io/io.h"

#include "op/op.h"

#include <stdlib.h>

#define FORMAT       "1"
#define CONST_INLINE 1024
#define RESERVED     "weft."
#define CONST_PREFIX "weft.const."
#define CODE_PREFIX  "weft.code."

static bool begins(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

static bool ends(const char *s, const char *suffix)
{
    size_t n = strlen(s), k = strlen(suffix);

    return n >= k && strcmp(s + n - k, suffix) == 0;
}

/* ---- reading ----------------------------------------------------------------------- */

typedef struct Loader {
    wf_ctx *cx;
    const char *file;
    Blob *blob;
    StFile st;
    const StTensor **by_name; /* sorted */
    const ConstData **consts; /* of each of these, made when first referred to */
    wf_model *m;
    bool weft; /* not just any safetensors file */
} Loader;

static const char *find_meta(const StFile *st, const char *key)
{
    for (uint32_t i = 0; i < st->metas.n; i++)
        if (strcmp(st->metas.v[i].key, key) == 0)
            return st->metas.v[i].value;
    return NULL;
}

static bool add_tensor(Loader *l, const StTensor *t)
{
    const char *data = l->st.data + t->begin;
    bool aligned = (uintptr_t)data % wf_dtype_size(t->dtype) == 0;
    wf_array *a;

    if (!aligned) {
        if (wf_array_from(l->cx, t->dtype, t->dims, (int)t->rank, data, &a) != WF_OK)
            return false;
    } else if (wf_array_wrap(l->cx, t->dtype, t->dims, (int)t->rank, NULL,
                             (char *)(uintptr_t)data, blob_release, blob_retain(l->blob),
                             &a) != WF_OK) {
        blob_release(l->blob);
        return false;
    }
    if (l->weft && begins(t->name, CODE_PREFIX))
        model_set_code(l->cx, l->m, t->name + strlen(CODE_PREFIX), array_held(l->cx, a));
    else
        model_set_tensor(l->cx, l->m, t->name, array_held(l->cx, a));
    return true;
}

static int by_name(const void *x, const void *y)
{
    return strcmp((*(const StTensor *const *)x)->name,
                  (*(const StTensor *const *)y)->name);
}

static void index_tensors(Loader *l)
{
    uint32_t n = l->st.tensors.n;

    l->by_name = arena_array(&l->cx->scratch, n, sizeof *l->by_name);
    l->consts = arena_zalloc(&l->cx->scratch, n * sizeof *l->consts);
    for (uint32_t i = 0; i < n; i++)
        l->by_name[i] = &l->st.tensors.v[i];
    if (n)
        qsort(l->by_name, n, sizeof *l->by_name, by_name);
}

/* What the parser asks for `tensor("name")`: the tensor as it is, or reshaped. */
static bool find_const(void *user, const char *name, Type type, const ConstData **out)
{
    Loader *l = user;
    const StTensor key = {.name = name}, *k = &key, **hit = NULL;
    const ConstData **c;
    const char *data;
    int64_t count, bytes;

    if (l->st.tensors.n)
        hit = bsearch(&k, l->by_name, l->st.tensors.n, sizeof k, by_name);
    if (!hit || (*hit)->dtype != (wf_dtype)type.dtype)
        return false;
    for (uint32_t i = 0; i < type.rank; i++)
        if (!dim_is_const(type.dims[i]))
            return false;
    if (!type_size((*hit)->dtype, type.dims, type.rank, &count, &bytes) ||
        count != (*hit)->count)
        return false;
    data = l->st.data + (*hit)->begin;
    c = &l->consts[hit - l->by_name];
    if (!*c && (uintptr_t)data % 16 == 0)
        *c = const_data_new(l->cx, data, (*hit)->size, name, blob_release,
                            blob_retain(l->blob));
    else if (!*c)
        *c = const_data_new(l->cx, data, (*hit)->size, name, NULL, NULL);
    *out = *c;
    return true;
}

/* "add=1,tanh=1" */
static bool read_ops(Loader *l, const char *s)
{
    while (*s) {
        size_t n = strcspn(s, "=,");
        const char *name =
            arena_printf(&l->cx->scratch, "%.*s", (int)MIN(n, (size_t)200), s);
        int op = op_find(name);
        int64_t version;
        bool overflow;
        const char *e =
            s[n] == '=' ? number_parse_i64(s + n + 1, s + strlen(s), &version, &overflow)
                        : NULL;

        if (!e || version < 1 || (*e && *e != ','))
            return fail(l->cx, WF_ERR_FORMAT, in_file(l->file),
                        "metadata weft.ops is not a list such as add=1,mul=1");
        if (op < 0)
            return fail(l->cx, WF_ERR_FORMAT, in_file(l->file),
                        "the file needs op '%s', which Weft " WF_VERSION " does not have",
                        name);
        if (version > op_table[op].version)
            return fail(l->cx, WF_ERR_FORMAT, in_file(l->file),
                        "the file needs version %lld of op '%s', Weft " WF_VERSION
                        " has version %d",
                        (long long)version, name, op_table[op].version);
        s = e + (*e == ',');
    }
    return true;
}

static bool add_methods(Loader *l, const char *list, const Program *const *ps, uint32_t n)
{
    Json j = {.cx = l->cx,
              .file = l->file,
              .begin = list,
              .at = list,
              .end = list + strlen(list)};
    const char *name;

    if (!json_need(&j, '['))
        return false;
    if (json_take(&j, ']'))
        return json_end(&j);
    do {
        uint32_t i = 0;

        if (!json_string(&j, &name))
            return false;
        while (i < n && strcmp(ps[i]->name, name) != 0)
            i++;
        if (i == n)
            return fail(
                l->cx, WF_ERR_FORMAT, in_file(l->file),
                "metadata weft.methods names '%s', which is no program of the file",
                name);
        model_add_program(l->cx, l->m, ps[i]);
    } while (json_take(&j, ','));
    return json_need(&j, ']') && json_end(&j);
}

static bool read_programs(Loader *l)
{
    const char *text = find_meta(&l->st, "weft.programs"),
               *ops = find_meta(&l->st, "weft.ops");
    const char *methods = find_meta(&l->st, "weft.methods");
    ParseEnv env = {find_const, l};
    const Program **ps;
    uint32_t n;

    if (!text)
        return true;
    if (ops && !read_ops(l, ops))
        return false;
    index_tensors(l);
    if (!programs_parse(l->cx, l->file, text, strlen(text), &env, &ps, &n))
        return false;
    if (methods)
        return add_methods(l, methods, ps, n);
    for (uint32_t i = 0; i < n; i++)
        model_add_program(l->cx, l->m, ps[i]);
    return true;
}

static bool read_tensors(wf_ctx *cx, const char *file, Blob *blob, wf_model *m)
{
    Loader l = {.cx = cx, .file = file, .blob = blob, .m = m};
    const char *format;

    if (!st_read(cx, file, blob->data, blob->size, &l.st))
        return false;
    format = find_meta(&l.st, "weft.format");
    l.weft = format != NULL;
    if (l.weft && strcmp(format, FORMAT) != 0)
        return fail(cx, WF_ERR_FORMAT, in_file(file),
                    "a file of format '%s'; Weft " WF_VERSION " reads format " FORMAT,
                    format);
    for (uint32_t i = 0; i < l.st.tensors.n; i++)
        if (!(l.weft && begins(l.st.tensors.v[i].name, CONST_PREFIX)) &&
            !add_tensor(&l, &l.st.tensors.v[i]))
            return false;
    for (uint32_t i = 0; i < l.st.metas.n; i++)
        if (!(l.weft && begins(l.st.metas.v[i].key, RESERVED)))
            model_set_meta(cx, m, l.st.metas.v[i].key, l.st.metas.v[i].value);
    return !l.weft || read_programs(&l);
}

bool model_read(wf_ctx *cx, const char *file, Blob *blob, wf_model *m)
{
    const Program **ps;
    uint32_t n;

    if (blob->size >= 6 && memcmp(blob->data, "\x93NUMPY", 6) == 0)
        return fail(cx, WF_ERR_FORMAT, in_file(file),
                    "a .npy array, not programs or tensors by name");
    if (blob->size >= 4 && memcmp(blob->data, "PK\3\4", 4) == 0)
        return fail(cx, WF_ERR_FORMAT, in_file(file),
                    "a zip archive, not programs or tensors by name");
    /* the size of a safetensors header has a zero byte, text has none */
    if (blob->size && memchr(blob->data, 0, MIN(blob->size, (size_t)8)))
        return read_tensors(cx, file, blob, m);
    if (!programs_parse(cx, file, blob->data, blob->size, NULL, &ps, &n))
        return false;
    for (uint32_t i = 0; i < n; i++)
        model_add_program(cx, m, ps[i]);
    return true;
}

/* ---- writing ----------------------------------------------------------------------- */

typedef struct Large { /* a constant that becomes a tensor */
    const ConstData *data;
    Type type;
    uint32_t number;  /* of its own tensor, + 1; 0: it has none */
    const char *name; /* NULL: used with several dtypes, so it stays in the text */
} Large;

typedef struct MapSlot {
    uint64_t key;
    uint32_t value; /* + 1 */
} MapSlot;

typedef struct Map { /* number -> number */
    MapSlot *slots;
    uint32_t n, cap;
} Map;

typedef struct Saver {
    wf_ctx *cx;
    wf_model *m;
    Arena *a;
    Map seen;       /* programs, by address */
    Map by_address; /* constants */
    Map by_content; /* those with a name of their own */
    VEC(Large) large;
    uint32_t nconsts; /* names given */
    bool ops[OP_COUNT];
} Saver;

static MapSlot *map_slot(const Map *m, uint64_t key)
{
    uint32_t k = (uint32_t)(hash_mix(1, key) >> 32) & (m->cap - 1);

    while (m->slots[k].value && m->slots[k].key != key)
        k = (k + 1) & (m->cap - 1);
    return &m->slots[k];
}

/* The value of key; 0 for one that was not there, whose value is now v (not 0). */
static uint32_t map_enter(Arena *a, Map *m, uint64_t key, uint32_t v)
{
    MapSlot *s;

    if ((m->n + 1) * 2 > m->cap) {
        Map old = *m;

        m->cap = old.cap ? old.cap * 2 : 32;
        m->slots = arena_zalloc(a, m->cap * sizeof *m->slots);
        for (uint32_t i = 0; i < old.cap; i++)
            if (old.slots[i].value)
                *map_slot(m, old.slots[i].key) = old.slots[i];
    }
    s = map_slot(m, key);
    if (s->value)
        return s->value;
    *s = (MapSlot){key, v};
    m->n++;
    return 0;
}

static bool same_bytes(const Large *x, const Large *y)
{
    return x->type.dtype == y->type.dtype && x->data->size == y->data->size &&
           memcmp(x->data->data, y->data->data, x->data->size) == 0;
}

/* Is the constant that tensor of the model? */
static bool is_tensor(Saver *s, const Large *c, wf_array *a)
{
    size_t bytes = (size_t)wf_array_count(a) * wf_dtype_size(wf_array_dtype(a));
    wf_array *host;
    bool same;

    if (wf_array_dtype(a) != (wf_dtype)c->type.dtype || bytes != c->data->size ||
        wf_array_contiguous(s->cx, a, &host) != WF_OK)
        return false;
    same = wf_array_data(host) == c->data->data ||
           memcmp(wf_array_data(host), c->data->data, bytes) == 0;
    wf_array_release(host);
    return same;
}

static void add_const(Saver *s, const ConstAttr *attr)
{
    Large c = {.data = attr->data, .type = attr->type};
    uint32_t k =
        map_enter(s->a, &s->by_address, (uint64_t)(uintptr_t)c.data, s->large.n + 1);
    Hasher h;
    wf_array *a;

    if (k) {
        Large *old = &s->large.v[k - 1];

        if (old->type.dtype != c.type.dtype) {
            old->name = NULL;
            old->number = 0;
        }
        return;
    }
    a = c.data->name ? model_get(&s->m->tensors, c.data->name) : NULL;
    if (a && is_tensor(s, &c, a)) {
        c.name = c.data->name;
    } else {
        hash_init(&h, c.type.dtype);
        hash_bytes(&h, c.data->data, c.data->size);
        k = map_enter(s->a, &s->by_content, hash_done(&h).lo, s->large.n + 1);
        c.number = k && s->large.v[k - 1].number && same_bytes(&c, &s->large.v[k - 1])
                       ? s->large.v[k - 1].number
                       : ++s->nconsts;
        c.name = arena_printf(s->a, CONST_PREFIX "%u", c.number - 1);
    }
    vec_push(s->a, &s->large, c);
}

static void collect(Saver *s, const Program *p)
{
    if (map_enter(s->a, &s->seen, (uint64_t)(uintptr_t)p, 1))
        return;
    for (uint32_t i = 0; i < p->nsubs; i++)
        collect(s, p->subs[i]);
    for (uint32_t i = 0; i < p->neqns; i++) {
        const Eqn *e = &p->eqns[i];

        s->ops[e->op] = true;
        if (e->op == OP_const && ((const ConstAttr *)e->attr)->data->size > CONST_INLINE &&
            ((const ConstAttr *)e->attr)->type.dtype != WF_C128) /* which safetensors lacks */
            add_const(s, e->attr);
    }
}

static const char *const_name(void *user, const ConstData *data)
{
    Saver *s = user;
    uint32_t k =
        s->by_address.n ? map_slot(&s->by_address, (uint64_t)(uintptr_t)data)->value : 0;

    return k ? s->large.v[k - 1].name : NULL;
}

static const char *ops_text(Saver *s)
{
    Text t;

    text_init(&t, s->a);
    for (int i = 0; i < OP_COUNT; i++)
        if (s->ops[i])
            text_printf(&t, "%s%s=%d", t.n ? "," : "", op_table[i].name,
                        op_table[i].version);
    return text_str(&t);
}

static const char *methods_text(Saver *s)
{
    Text t;

    text_init(&t, s->a);
    text_char(&t, '[');
    for (uint32_t i = 0; i < s->m->programs.n; i++) {
        text_add(&t, i ? "," : "");
        json_quote(&t, s->m->programs.v[i].name);
    }
    text_char(&t, ']');
    return text_str(&t);
}

static const char *programs_text(Saver *s, bool places)
{
    PrintOptions o = {.header = true, .places = places, .tensor = const_name, .user = s};
    uint32_t n = s->m->programs.n;
    const Program **ps = arena_array(s->a, n, sizeof *ps);
    Text t;

    for (uint32_t i = 0; i < n; i++)
        ps[i] = s->m->programs.v[i].item;
    text_init(&t, s->a);
    programs_print(ps, n, &o, &t);
    return text_str(&t);
}

static bool write_text(Saver *s, const char *path)
{
    const char *text;
    Writer *w;

    if (s->m->tensors.n)
        return fail(s->cx, WF_ERR_VALUE, in_file(path),
                    "a text file holds programs only, but the model has %u tensors; save "
                    "it as .weft",
                    s->m->tensors.n);
    text = programs_text(s, false);
    w = writer_open(s->cx, path);
    return w && writer_put(w, text, strlen(text)) && writer_commit(w);
}

static StSource array_source(const char *name, wf_array *a)
{
    return (StSource){.name = name,
                      .dtype = wf_array_dtype(a),
                      .rank = (uint32_t)wf_array_rank(a),
                      .dims = wf_array_dims(a),
                      .array = a};
}

/* The model's tensors, its code, then one of each name among the constants. */
static uint32_t list_tensors(Saver *s, StSource *out)
{
    bool *done = arena_zalloc(s->a, s->nconsts + 1);
    const wf_model *m = s->m;
    uint32_t n = 0;

    for (uint32_t i = 0; i < m->tensors.n; i++)
        out[n++] = array_source(m->tensors.v[i].name, m->tensors.v[i].item);
    for (uint32_t i = 0; i < m->codes.n; i++)
        out[n++] = array_source(arena_printf(s->a, CODE_PREFIX "%s", m->codes.v[i].name), m->codes.v[i].item);
    for (uint32_t i = 0; i < s->large.n; i++) {
        const Large *c = &s->large.v[i];

        if (!c->number || done[c->number])
            continue;
        done[c->number] = true;
        out[n++] = (StSource){.name = c->name,
                              .dtype = (wf_dtype)c->type.dtype,
                              .rank = c->type.rank,
                              .dims = c->type.dims,
                              .data = c->data->data};
    }
    return n;
}

bool model_write(wf_ctx *cx, wf_model *m, const char *path)
{
    Saver s = {.cx = cx, .m = m, .a = &cx->scratch};
    StMeta *metas = arena_array(s.a, m->metas.n + 4, sizeof *metas);
    StSource *tensors;
    uint32_t nmetas = 0;

    if (ends(path, ".wir"))
        return write_text(&s, path);
    for (uint32_t i = 0; i < m->tensors.n; i++)
        if (begins(m->tensors.v[i].name, RESERVED))
            return fail(cx, WF_ERR_VALUE, in_file(path),
                        "tensor '%s': names that begin with " RESERVED " are reserved",
                        m->tensors.v[i].name);
    for (uint32_t i = 0; i < m->programs.n; i++)
        collect(&s, m->programs.v[i].item);
    metas[nmetas++] = (StMeta){"weft.format", FORMAT};
    if (m->programs.n) {
        metas[nmetas++] = (StMeta){"weft.methods", methods_text(&s)};
        metas[nmetas++] = (StMeta){"weft.ops", ops_text(&s)};
        metas[nmetas++] = (StMeta){"weft.programs", programs_text(&s, true)};
    }
    for (uint32_t i = 0; i < m->metas.n; i++)
        if (!begins(m->metas.v[i].name, RESERVED))
            metas[nmetas++] = (StMeta){m->metas.v[i].name, m->metas.v[i].item};
    tensors = arena_array(s.a, m->tensors.n + m->codes.n + s.large.n, sizeof *tensors);
    return st_write(cx, path, tensors, list_tensors(&s, tensors), metas, nmetas);
}
