/* import.c -- a model file as a wf_model.
 *
 *   programs   "forward": inputs are the tensors it uses, then those of the graph, as the
 *              method says; "forward_train" if training does something else, with new values
 *              of running statistics behind its results
 *   tensors    initialisers, by name: floats that have more than one element, and large ones.
 *              Others are constants
 *   metadata   method.NAME, tree (as of any module), onnx.* (what the file says of itself)
 */
#include "onnx/onnx.h"
#include "onnx/write.h"

#include <ctype.h>
#include <stdio.h>

#define NEWEST_IR 14
#define NEWEST_OPSET 28
#define LARGE 64 /* elements of integers that are a tensor of the model */

/* ---- inputs -------------------------------------------------------------------------------- */

/* A name that text forms allow, in memory. */
char *ox_plain_name(OxRun *r, const char *name)
{
    char *s = ox_alloc(&r->mem, strlen(name) + 2, 1), *to = s;

    if (!s)
        return NULL;
    if (!isalpha((unsigned char)*name) && *name != '_')
        *to++ = '_';
    for (; *name; name++)
        *to++ = isalnum((unsigned char)*name) || *name == '_' || *name == '.' ? *name : '_';
    return s;
}

static wf_dtype narrow_dtype(int64_t elem)
{
    wf_dtype d = ox_dtype(elem);

    return d != WF_INVALID                                       ? d
           : elem == OX_INT4 || elem == OX_INT2                  ? WF_I8
           : ox_bits(elem) && ox_bits(elem) <= 8 && d != WF_BOOL ? WF_U8
                                                                 : WF_INVALID;
}

static const char *shown(const OxInfo *info) { return info->shown ? info->shown : info->name; }

/* "f32[N,3]" of the type in the file. */
static const char *type_text(OxRun *r, const OxInfo *in, const OxTensorType *t)
{
    wf_dtype dtype = narrow_dtype(t->elem);
    size_t room = 64, n;
    char *s;

    if (dtype == WF_INVALID)
        return ox_fail(r, WF_ERR_UNSUPPORTED, "input '%.80s' is of type %s", shown(in), ox_elem_name(t->elem)), NULL;
    if (!t->shape)
        return ox_fail(r, WF_ERR_UNSUPPORTED, "input '%.80s' has no shape in the file: give its type", shown(in)), NULL;
    if (t->shape->dims.n > WF_MAX_RANK)
        return ox_fail(r, WF_ERR_LIMIT, "input '%.80s' has rank %zu", shown(in), t->shape->dims.n), NULL;
    for (size_t i = 0; i < t->shape->dims.n; i++)
        room += 24 + (t->shape->dims.v[i]->param ? strlen(t->shape->dims.v[i]->param) + 2 : 0);
    if (!(s = ox_alloc(&r->mem, room, 1)))
        return NULL;
    n = (size_t)snprintf(s, room, "%s[", wf_dtype_name(dtype));
    for (size_t i = 0; i < t->shape->dims.n; i++) {
        const OxDim *d = t->shape->dims.v[i];

        n += (size_t)snprintf(s + n, room - n, "%s", i ? "," : "");
        if (d->has & 2 && d->value >= 0)
            n += (size_t)snprintf(s + n, room - n, "%lld", (long long)d->value);
        else
            n += (size_t)snprintf(s + n, room - n, "%s", d->param && *d->param ? ox_plain_name(r, d->param) : "?");
    }
    snprintf(s + n, room - n, "]");
    return s;
}

typedef struct Inputs { /* of the program */
    wf_tensor *v;
    int n, room;
    const char **names;
} Inputs;

static wf_tensor add_symbol(OxRun *r, Inputs *in, const char *name, const char *type)
{
    const char *plain = ox_plain_name(r, name);
    wf_tensor t = plain ? wf_symbol(r->c, r->graph, plain, type) : WF_NONE;

    if (in->n < in->room) {
        in->names[in->n] = name;
        in->v[in->n++] = t;
    }
    return t;
}

static const char *array_type(OxRun *r, const wf_array *a)
{
    size_t room = 32 + 24 * WF_MAX_RANK, n;
    char *s = ox_alloc(&r->mem, room, 1);

    if (!s)
        return NULL;
    n = (size_t)snprintf(s, room, "%s[", wf_dtype_name(wf_array_dtype(a)));
    for (int i = 0; i < wf_array_rank(a); i++)
        n += (size_t)snprintf(s + n, room - n, "%s%lld", i ? "," : "", (long long)wf_array_dims(a)[i]);
    snprintf(s + n, room - n, "]");
    return s;
}

/* What the caller said of the input: the k-th entry of its name, or -1. */
static int given_entry(const OxRun *r, const char *name, int k)
{
    const wf_import_options *o = r->given;

    for (int i = 0; o && i < o->n; i++)
        if (o->names && o->names[i] && strcmp(o->names[i], name) == 0 && k-- == 0)
            return i;
    return -1;
}

static OxValue given_value(OxRun *r, Inputs *in, const char *name, int e, OxElem narrow)
{
    const wf_import_options *o = r->given;
    OxValue v = {.kind = OX_TENSOR, .narrow = narrow};

    if (o->values && o->values[e])
        v.t = wf_from_array(r->c, o->values[e]);
    else if (o->types && o->types[e])
        v.t = add_symbol(r, in, name, o->types[e]);
    else
        ox_fail(r, WF_ERR_ARG, "neither a type nor numbers are given for '%.80s'", name);
    return v;
}

static OxValue input_value(OxRun *r, Inputs *in, const OxInfo *info, const OxType *type)
{
    int e = given_entry(r, shown(info), 0), n = 0;
    OxElem narrow = type && type->tensor && ox_dtype(type->tensor->elem) == WF_INVALID ? (OxElem)type->tensor->elem : 0;
    OxValue v = {.kind = OX_TENSOR, .narrow = narrow}, *items;
    const char *text;

    if (type && type->optional) {
        if (e < 0)
            return (OxValue){.kind = OX_NOTHING, .optional = true};
        v = input_value(r, in, info, type->optional->elem);
        v.optional = true;
        return v;
    }
    if (type && type->sequence) {
        while (given_entry(r, shown(info), n) >= 0)
            n++;
        if (!(items = ox_alloc(&r->mem, (size_t)n + 1, sizeof *items)))
            return v;
        for (int k = 0; k < n; k++)
            items[k] = given_value(r, in, shown(info), given_entry(r, shown(info), k), 0);
        return (OxValue){.kind = OX_SEQUENCE, .items = items, .nitems = n};
    }
    if (e >= 0)
        return given_value(r, in, shown(info), e, narrow);
    if (!type || !type->tensor)
        ox_fail(r, WF_ERR_UNSUPPORTED, "input '%.80s' is no tensor", shown(info));
    else if ((text = type_text(r, info, type->tensor)))
        v.t = add_symbol(r, in, shown(info), text);
    return v;
}

/* ---- initialisers ---------------------------------------------------------------------------- */

static bool is_half(const OxTensor *t) { return t->type == OX_INT4 || t->type == OX_UINT4; }

static bool is_state(const OxTensor *t)
{
    int64_t count = 1;

    for (size_t i = 0; i < t->dims.n; i++)
        count = t->dims.v[i] < 0 || t->dims.v[i] > INT32_MAX || count > INT32_MAX ? INT32_MAX : count * t->dims.v[i];
    if (!t->name || !*t->name || !t->dims.n || count < 2 || (ox_dtype(t->type) == WF_INVALID && !is_half(t)) || strpbrk(t->name, "\t\n") ||
        strncmp(t->name, "weft.", 5) == 0 || strcmp(t->name, "__metadata__") == 0)
        return false;
    return (!is_half(t) && wf_dtype_is_float(ox_dtype(t->type))) || count >= LARGE;
}

/* Running statistics are no parameters. */
static bool is_statistic(const OxGraph *g, const char *name)
{
    for (size_t i = 0; i < g->nodes.n; i++) {
        const OxNode *n = g->nodes.v[i];

        if (n->op && strcmp(n->op, "BatchNormalization") == 0)
            for (size_t k = 3; k < n->in.n && k < 5; k++)
                if (strcmp(n->in.v[k], name) == 0)
                    return true;
    }
    return false;
}

/* The arrays of the state are read once, for all programs. */
static bool read_state(OxRun *r)
{
    const OxGraph *g = r->model->graph;

    if (!(r->state = ox_alloc(&r->mem, g->init.n + 2, sizeof *r->state)))
        return false;
    for (size_t i = 0; i < g->init.n && ox_ok(r); i++) {
        const OxTensor *t = g->init.v[i];

        if (!is_state(t))
            continue;
        OxState *s = &r->state[r->nstate];
        *s = (OxState){.name = t->name, .halves = is_half(t) ? t : NULL};
        s->array = s->halves ? ox_halves(r, t) : ox_array(r, t);
        r->nstate += s->array != NULL;
        s->is_param = !s->halves && wf_dtype_is_float(ox_dtype(t->type)) && !is_statistic(g, t->name);
    }
    return ox_ok(r);
}

static bool set_state(OxRun *r, OxEnv *env)
{
    for (int i = 0; i < r->nstate && ox_ok(r); i++) {
        OxState *s = &r->state[i];
        const char *type, *name;

        s->symbol = s->update = WF_NONE;
        s->used = false;
        if (!s->array) /* a variable that was never given a value */
            continue;
        if (!(type = array_type(r, s->array)) || !(name = ox_plain_name(r, s->name)))
            return false;
        s->symbol = wf_symbol(r->c, r->graph, name, type);
        if (!ox_name_value(env, s->place ? s->place : s->name))
            continue;
        *ox_name_value(env, s->place ? s->place : s->name) =
            (OxValue){.kind = OX_TENSOR,
                      .narrow = s->halves ? (OxElem)s->halves->type : 0,
                      .t = s->halves ? ox_halves_apart(r, s->symbol, s->halves) : s->symbol,
                      .state = s};
    }
    return ox_ok(r);
}

/* Random numbers: a key among the state, which every run changes. */
static const char *key_name(OxRun *r)
{
    size_t n = strlen(r->dialect->prefix) + 8;
    char *s = ox_alloc(&r->mem, n, 1);

    if (s)
        snprintf(s, n, "%s.key", r->dialect->prefix);
    return s ? s : "";
}

wf_tensor ox_key(OxRun *r)
{
    wf_tensor keys;

    if (wf_is_none(r->key)) {
        r->wants_key = true;
        r->key = r->given_key;
    }
    keys = wf_key_split(r->c, r->key, 2);
    r->key = wf_key_at(r->c, keys, 0);
    return wf_key_at(r->c, keys, 1);
}

/* ---- programs ----------------------------------------------------------------------------------- */

typedef struct OxResults {
    wf_tensor *v;
    OxElem *elems;
    int n, room;
} OxResults;

static void add_results(OxRun *r, OxResults *out, const OxValue *v)
{
    if (v->kind == OX_SEQUENCE) {
        for (int i = 0; i < v->nitems; i++)
            add_results(r, out, &v->items[i]);
        return;
    }
    if (v->kind == OX_NOTHING && v->optional)
        return;
    if (out->n == out->room) {
        size_t room = (size_t)out->room * 2 + 8;
        wf_tensor *more = ox_alloc(&r->mem, room, sizeof *more);
        OxElem *elems = ox_alloc(&r->mem, room, sizeof *elems);
        if (!more || !elems)
            return;
        if (out->n) {
            memcpy(more, out->v, (size_t)out->n * sizeof *more);
            memcpy(elems, out->elems, (size_t)out->n * sizeof *elems);
        }
        out->v = more;
        out->elems = elems;
        out->room = out->room * 2 + 8;
    }
    out->v[out->n] = ox_tensor_of(r, v);
    out->elems[out->n] = v->narrow ? v->narrow : ox_elem(wf_dtype_of(r->c, out->v[out->n]));
    out->n++;
}

/* PREFIX.key of what the file says of itself. */
static void set_meta(OxRun *r, wf_model *m, const char *key, const char *value)
{
    char name[64];

    snprintf(name, sizeof name, "%.20s.%.30s", r->dialect->prefix, key);
    wf_model_set_meta(r->c, m, name, value);
}

static void put_line(OxRun *r, Text *t, const char *kind, const char *name)
{
    (void)r;
    text_add(t, kind);
    text_add(t, name);
    text_char(t, '\n');
}

/* method.NAME: the state that is used, in order; then what is changed. */
static wf_status add_method(OxRun *r, wf_model *m, const char *name, OxResults *out, const Inputs *in)
{
    wf_ctx *cx = r->c;
    API_ENTER(cx);
    wf_tensor *all = arena_array(&cx->scratch, (size_t)(r->nstate + in->n) + 2, sizeof *all);
    wf_tensor *results = arena_array(&cx->scratch, (size_t)(out->n + r->nstate) + 2, sizeof *results);
    const wf_program *p = NULL;
    int nall = 0, nresults = 0;
    char key[64];
    Text t;

    text_init(&t, &cx->scratch);
    if (out->n)
        memcpy(results, out->v, (size_t)out->n * sizeof *results);
    nresults = out->n;
    for (int i = 0; i < r->nstate; i++)
        if (r->state[i].used) {
            put_line(r, &t, "state ", r->state[i].name);
            all[nall++] = r->state[i].symbol;
        }
    if (r->wants_key) {
        put_line(r, &t, "state ", key_name(r));
        all[nall++] = r->given_key;
    }
    for (int i = 0; i < r->nstate; i++)
        if (!wf_is_none(r->state[i].update)) {
            put_line(r, &t, "update ", r->state[i].name);
            results[nresults++] = r->state[i].update;
        }
    if (r->wants_key) {
        put_line(r, &t, "update ", key_name(r));
        results[nresults++] = r->key;
    }
    memcpy(all + nall, in->v, (size_t)in->n * sizeof *all);
    snprintf(key, sizeof key, "method.%s", name);
    const char *lines = text_str(&t);
    if (!wf_graph_close(cx, r->graph, all, nall + in->n, results, nresults, &p) && !wf_model_add(cx, m, p) && nall)
        wf_model_set_meta(cx, m, key, lines);
    wf_program_release(p);
    text_init(&t, &cx->scratch);
    for (int i = 0; i < out->n; i++)
        put_line(r, &t, "", ox_elem_name(out->elems[i]));
    set_meta(r, m, "types", text_str(&t));
    API_RETURN(cx);
}

/* The graph once, in the mode of r, as a program of that name. */
bool ox_make_program(OxRun *r, wf_model *m, const char *name)
{
    OxGraph *g = r->model->graph;
    Inputs in = {.room = (int)MIN(g->in.n, (size_t)INT32_MAX / 64) + (r->given ? r->given->n : 0)};
    OxEnv *env;
    OxResults out = {0};
    bool ok = false;

    r->key = r->given_key = WF_NONE;
    r->wants_key = false;
    in.v = ox_alloc(&r->mem, (size_t)in.room + 1, sizeof *in.v);
    in.names = ox_alloc(&r->mem, (size_t)in.room + 1, sizeof *in.names);
    if (!in.v || !in.names ||
        wf_graph_new(r->c, name, &(wf_graph_options){sizeof(wf_graph_options), true}, &r->graph))
        return false;
    wf_scope_begin(r->c);
    if (!wf_graph_enter(r->c, r->graph)) {
        env = ox_env(r, g, NULL);
        r->given_key = wf_symbol(r->c, r->graph, key_name(r), "u32[2]");
        if (env && set_state(r, env) && (!r->preset || r->preset(r, env))) {
            for (size_t i = 0; i < g->in.n && ox_ok(r); i++) {
                const OxInfo *info = g->in.v[i];
                OxValue *v = info->name && *info->name ? ox_name_value(env, info->name) : NULL;
                bool has = v && v->kind != OX_NOTHING;

                for (size_t k = 0; v && k < g->init.n && !has; k++) /* initialisers may be inputs: IR 3 */
                    has = g->init.v[k]->name && strcmp(g->init.v[k]->name, info->name) == 0;
                if (v && !has)
                    *v = input_value(r, &in, info, info->type);
            }
            if (ox_ok(r) && ox_run_graph(r, env)) {
                r->env = env;
                for (size_t i = 0; i < g->out.n && ox_ok(r); i++) {
                    const OxValue *v = g->out.v[i]->name ? ox_lookup(r, g->out.v[i]->name) : NULL;
                    if (v)
                        add_results(r, &out, v);
                }
                r->env = NULL;
                ok = ox_ok(r) && !add_method(r, m, name, &out, &in);
            }
        }
        wf_graph_leave(r->c, r->graph);
    }
    wf_scope_end(r->c);
    wf_graph_free(r->c, r->graph);
    r->graph = NULL;
    return ok && ox_ok(r);
}

/* ---- the model ------------------------------------------------------------------------------------ */

static bool nodes_differ(OxNode *const *v, size_t n, int depth)
{
    for (size_t i = 0; i < n; i++) {
        if (v[i]->op && (strcmp(v[i]->op, "BatchNormalization") == 0 || strcmp(v[i]->op, "Dropout") == 0))
            return true;
        for (size_t k = 0; k < v[i]->attrs.n && depth < 32; k++)
            if (v[i]->attrs.v[k]->g && nodes_differ(v[i]->attrs.v[k]->g->nodes.v, v[i]->attrs.v[k]->g->nodes.n, depth + 1))
                return true;
    }
    return false;
}

/* Does training do something else? */
static bool has_training(const OxModel *m)
{
    for (size_t i = 0; i < m->functions.n; i++)
        if (nodes_differ(m->functions.v[i]->nodes.v, m->functions.v[i]->nodes.n, 0))
            return true;
    return nodes_differ(m->graph->nodes.v, m->graph->nodes.n, 0);
}

static bool check_model(OxRun *r)
{
    const OxModel *m = r->model;

    if (!m->graph)
        return ox_fail(r, WF_ERR_FORMAT, "the model has no graph");
    if (m->ir_version > NEWEST_IR)
        return ox_fail(r, WF_ERR_UNSUPPORTED, "IR version %lld is newer than %d", (long long)m->ir_version, NEWEST_IR);
    for (size_t i = 0; i < m->opsets.n; i++) {
        const char *d = m->opsets.v[i]->domain;
        if ((!d || !*d || strcmp(d, "ai.onnx") == 0) && m->opsets.v[i]->version > NEWEST_OPSET)
            return ox_fail(r, WF_ERR_UNSUPPORTED, "opset %lld is newer than %d", (long long)m->opsets.v[i]->version,
                           NEWEST_OPSET);
    }
    return true;
}

/* Modules for all that stands before a dot, so that the model can be loaded as a module; none if names do not allow it. */
static const char *tree_text(OxRun *r, Arena *a)
{
    Text t, seen;

    text_init(&t, a);
    text_init(&seen, a);
    text_printf(&t, "module\t\t%s\t\n", r->dialect->title);
    text_char(&seen, '\n');
    for (int i = 0; i < r->nstate; i++) {
        const char *name = r->state[i].name;

        if (*name == '.' || strstr(name, "..") || name[strlen(name) - 1] == '.')
            return NULL;
        for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.')) {
            Text line;
            text_init(&line, a);
            text_printf(&line, "\n%.*s\n", (int)(dot - name), name);
            if (strstr(text_str(&seen), text_str(&line)))
                continue;
            text_printf(&seen, "%.*s\n", (int)(dot - name), name);
            text_printf(&t, "module\t%.*s\tModule\t\n", (int)(dot - name), name);
        }
    }
    for (int i = 0; i < r->nstate; i++)
        if (r->state[i].array)
            text_printf(&t, "%s\t%s\n", r->state[i].is_param ? "param" : "buffer", r->state[i].name);
    return text_str(&t);
}

static wf_status add_all(OxRun *r, wf_model *m)
{
    wf_ctx *cx = r->c;
    API_ENTER(cx);
    const char *tree = tree_text(r, &cx->scratch);
    Text t;

    for (int i = 0; i < r->nstate; i++)
        if (r->state[i].array)
            wf_model_set_tensor(cx, m, r->state[i].name, r->state[i].array);
    if (tree)
        wf_model_set_meta(cx, m, "tree", tree);
    text_init(&t, &cx->scratch);
    for (size_t i = 0; i < r->model->graph->out.n; i++)
        put_line(r, &t, "", r->model->graph->out.v[i]->name ? shown(r->model->graph->out.v[i]) : "");
    set_meta(r, m, "outputs", text_str(&t));
    text_init(&t, &cx->scratch);
    for (size_t i = 0; i < r->model->graph->in.n; i++)
        put_line(r, &t, "", r->model->graph->in.v[i]->name ? shown(r->model->graph->in.v[i]) : "");
    set_meta(r, m, "inputs", text_str(&t));
    if (r->model->producer && *r->model->producer)
        set_meta(r, m, "producer", r->model->producer);
    for (size_t i = 0; i < r->model->metas.n; i++)
        if (r->model->metas.v[i]->key && r->model->metas.v[i]->value && !strchr(r->model->metas.v[i]->key, '.'))
            wf_model_set_meta(cx, m, r->model->metas.v[i]->key, r->model->metas.v[i]->value);
    API_RETURN(cx);
}

void ox_add_tensors(OxRun *r, wf_model *m) { add_all(r, m); }

/* The key is a tensor of the model and a buffer of its tree, so that modules made of it can draw, too. */
bool ox_add_key(OxRun *r, wf_model *m)
{
    uint32_t zero[2] = {0, 0};
    const char *tree = wf_model_meta(m, "tree");
    size_t n = strlen(tree) + 80;
    char *text = *tree ? ox_alloc(&r->mem, n, 1) : NULL;
    wf_array *a = NULL;

    if (text) {
        char module[48];
        snprintf(module, sizeof module, "module\t%.20s\t", r->dialect->prefix);
        snprintf(text, n, "%s%s%sbuffer\t%s\n", tree, strstr(tree, module) ? "" : module,
                 strstr(tree, module) ? "" : "Module\t\n", key_name(r));
        wf_model_set_meta(r->c, m, "tree", text);
    }
    if (!wf_array_from(r->c, WF_U32, (int64_t[]){2}, 1, zero, &a))
        wf_model_set_tensor(r->c, m, key_name(r), a);
    wf_array_release(a);
    return ox_ok(r);
}

/* The program of training, before the one that commands take. One that cannot be made is not missed until somebody trains:
 * the model says why. */
static bool train_program(OxRun *r, wf_model *m)
{
    char why[300] = "";

    r->training = true;
    ox_make_program(r, m, "forward_train");
    r->training = false;
    r->nodes = 0;
    r->node = NULL;
    r->env = NULL;
    r->depth = 0;
    if (wf_ctx_status(r->c) == WF_ERR_UNSUPPORTED) {
        snprintf(why, sizeof why, "%s", wf_ctx_message(r->c));
        why[strcspn(why, "\n")] = 0;
        wf_clear(r->c);
        wf_model_set_meta(r->c, m, "no_train.forward", why);
    }
    return r->wants_key;
}

bool onnx_read(wf_ctx *cx, const char *file, Blob *blob, const wf_import_options *given, wf_model *m)
{
    OxRun r = {.c = cx, .dialect = &onnx_dialect, .file = file, .blob = blob, .mem = {.c = cx}, .given = given};
    bool keyed = false;

    r.model = ox_read(&r.mem, file, "an ONNX file", &ox_model_message, blob->data, blob->size);
    if (r.model && check_model(&r) && read_state(&r)) {
        if (has_training(r.model))
            keyed = train_program(&r, m);
        if (ox_ok(&r) && ox_make_program(&r, m, "forward")) {
            ox_add_tensors(&r, m);
            if (keyed || r.wants_key)
                ox_add_key(&r, m);
        }
    }
    wf_set_place(cx, NULL, 0, 0);
    for (int i = 0; i < r.nstate; i++)
        wf_array_release(r.state[i].array);
    ox_blobs_free(&r);
    ox_memory_free(&r.mem);
    return !wf_ctx_status(cx);
}

const Format onnx_format = {"ONNX", ".onnx", ox_is_model, onnx_read, onnx_write};
