/* import.c -- a GraphDef or a SavedModel as a wf_model.
 *
 *   GraphDef    a program "forward": inputs are its Placeholders, results what nobody uses. Constants that are floats of more
 *               than one element are tensors of the model, as are variables that the graph itself gives first values
 *   SavedModel  FOLDER/saved_model.pb, and FOLDER/variables: a program for each signature by its name, "forward" for
 *               serving_default; one for each function of the saved object by its name. Variables are tensors of the model,
 *               their first values what the file's own restore op assigns
 *
 * What cannot be made of a SavedModel (a signature that takes strings) is left out, and "tensorflow.refused.NAME" says why.
 */
#include "tensorflow/tensorflow.h"
#include "tensorflow/write.h"

#include <sys/stat.h>

static const char *text(const char *s) { return s ? s : ""; }

static bool is_variable(const TgNode *n)
{
    return strcmp(n->op, "VarHandleOp") == 0 || strcmp(n->op, "VariableV2") == 0 ||
           strcmp(n->op, "Variable") == 0;
}

/* ---- the file -------------------------------------------------------------------------------------------------------- */

static int compare_functions(const void *a, const void *b)
{
    return strcmp((*(TgFunction *const *)a)->signature->name,
                  (*(TgFunction *const *)b)->signature->name);
}

static bool find_functions(OxRun *r, TgFile *f)
{
    const TgLibrary *l = f->graph->library;

    if (!l || !l->functions.n)
        return true;
    if (!(f->functions = ox_alloc(&r->mem, l->functions.n, sizeof *f->functions)))
        return false;
    for (size_t i = 0; i < l->functions.n; i++) {
        if (!l->functions.v[i]->signature || !l->functions.v[i]->signature->name)
            return ox_fail(r, WF_ERR_FORMAT, "function %zu has no name", i);
        f->functions[f->nfunctions++] = l->functions.v[i];
    }
    qsort(f->functions, f->nfunctions, sizeof *f->functions, compare_functions);
    for (size_t i = 1; i < f->nfunctions; i++)
        if (strcmp(f->functions[i - 1]->signature->name,
                   f->functions[i]->signature->name) == 0)
            return ox_fail(r, WF_ERR_FORMAT, "two functions are called '%.80s'",
                           f->functions[i]->signature->name);
    return true;
}

/* The checkpoint beside the file, if there is one. */
static bool open_variables(OxRun *r, TgFile *f)
{
    const char *slash = strrchr(r->file, '/'), *name = "variables/variables";
    size_t folder = slash ? (size_t)(slash - r->file) + 1 : 0,
           n = folder + strlen(name) + 8;
    char *prefix = ox_alloc(&r->mem, n, 1), *index = ox_alloc(&r->mem, n, 1);
    struct stat st;

    if (!prefix || !index)
        return false;
    snprintf(prefix, n, "%.*s%s", (int)folder, r->file, name);
    snprintf(index, n, "%s.index", prefix);
    if (lstat(index, &st) != 0) /* a link is followed by what opens it, and only there */
        return true;
    f->bundle = tg_bundle_of_model(r->c, r->file, r->blob, prefix);
    return f->bundle != NULL;
}

/* The graph with the tag "serve", or the first. */
static bool open_file(OxRun *r, TgFile *f)
{
    if (ox_fits(&tg_saved_message, 2, r->blob->data, r->blob->size)) {
        const TgSavedModel *m = ox_read(&r->mem, r->file, "a SavedModel",
                                        &tg_saved_message, r->blob->data, r->blob->size);

        if (!m)
            return false;
        if (!m->metas.n || !m->metas.v[0]->graph)
            return ox_fail(r, WF_ERR_FORMAT, "a SavedModel without a graph");
        f->meta = m->metas.v[0];
        f->graph = f->meta->graph;
        if (!open_variables(r, f))
            return false;
    } else {
        f->graph = ox_read(&r->mem, r->file, "a GraphDef", &tg_graph_message,
                           r->blob->data, r->blob->size);
    }
    return f->graph && find_functions(r, f) &&
           tg_source(r, &f->source, f->graph->nodes.v, f->graph->nodes.n, NULL);
}

/* ---- state ------------------------------------------------------------------------------------------------------------- */

static bool name_allowed(const char *name)
{
    return *name && !strpbrk(name, "\t\n") && strncmp(name, "weft.", 5) != 0 &&
           strcmp(name, "__metadata__") != 0;
}

/* Is it among those that training changes? As the file says; else floats. */
static bool is_trainable(OxRun *r, const TgFile *f, const char *name)
{
    bool listed = false;

    for (size_t i = 0; f->meta && f->meta->objects && i < f->meta->objects->nodes.n;
         i++) {
        const TgSavedVariable *v = f->meta->objects->nodes.v[i]->variable;

        if (v && v->name && strcmp(v->name, name) == 0)
            return v->trainable != 0;
    }
    for (size_t i = 0; f->meta && i < f->meta->collections.n; i++) {
        const TgCollectionEntry *e = f->meta->collections.v[i];

        if (!e->key || strcmp(e->key, "trainable_variables") != 0 || !e->value ||
            !e->value->bytes)
            continue;
        listed = true;
        for (size_t k = 0; k < e->value->bytes->values.n; k++) {
            OxBytes b = e->value->bytes->values.v[k];
            const TgVariableDef *d = ox_read(&r->mem, r->file, "a SavedModel",
                                             &tg_variable_message, b.data, b.size);
            size_t n = strlen(name);

            if (!d)
                return false;
            if (d->name && strncmp(d->name, name, n) == 0 &&
                (!d->name[n] || d->name[n] == ':'))
                return true;
        }
    }
    return !listed && !(f->meta && f->meta->objects);
}

static bool find_state(OxRun *r, const TgFile *f)
{
    const TgGraphDef *g = f->graph;

    if (!(r->state = ox_alloc(&r->mem, g->nodes.n + 2, sizeof *r->state)))
        return false;
    for (size_t i = 0; i < g->nodes.n && ox_ok(r); i++) {
        const TgNode *n = g->nodes.v[i];
        const TgAttr *value =
            strcmp(n->op, "Const") == 0 ? tg_node_attr(n, "value") : NULL;
        OxState *s = &r->state[r->nstate];

        if (!name_allowed(n->name))
            continue;
        if (is_variable(n)) {
            size_t size = strlen(n->name) + 2;
            char *place = ox_alloc(&r->mem, size, 1);

            if (!place)
                return false;
            snprintf(place, size, "^%s", n->name);
            *s = (OxState){
                .name = n->name, .place = place, .symbol = WF_NONE, .update = WF_NONE};
            s->is_param = is_trainable(r, f, n->name);
            r->nstate++;
        } else if (!f->meta && value && value->tensor && tg_is_weight(value->tensor)) {
            size_t size = strlen(n->name) + 3;
            char *place = ox_alloc(&r->mem, size, 1);

            if (!place)
                return false;
            snprintf(place, size, "%s:0", n->name);
            *s = (OxState){.name = n->name,
                           .place = place,
                           .symbol = WF_NONE,
                           .update = WF_NONE,
                           .is_param = true};
            s->array = tg_array(r, value->tensor);
            r->nstate += s->array != NULL;
        }
    }
    return ox_ok(r);
}

/* A node run for what it assigns. input: a name that is given as a text, or NULL. */
static bool run_for_state(OxRun *r, TgFile *f, const char *input, const char *node)
{
    size_t n = strlen(node) + 2;
    char *name = ox_alloc(&r->mem, n, 1);
    OxValue given = {.kind = OX_STRINGS}, *out = ox_alloc(&r->mem, 1, sizeof *out);
    TgPoint root;
    OxGraph *g;
    bool ok;

    if (!name || !out)
        return false;
    snprintf(name, n, "^%s", node);
    root = tg_point(r, &f->source, name);
    if (!ox_ok(r) ||
        !(g = tg_graph(r, &f->source, &input, input != NULL, NULL, 0, &root, 1)))
        return false;
    f->restoring = true;
    wf_scope_begin(r->c);
    ok = ox_run_body(r, g, NULL, &given, input != NULL, out);
    wf_scope_end(r->c);
    f->restoring = false;
    r->node = NULL;
    return ok;
}

/* First values of variables that no checkpoint has: what the graph assigns to them. */
static void run_initialisers(OxRun *r, TgFile *f)
{
    for (size_t i = 0; i < f->graph->nodes.n && ox_ok(r); i++) {
        const TgNode *n = f->graph->nodes.v[i];
        TgPoint to;
        OxState *s;

        if ((strcmp(n->op, "Assign") != 0 && strcmp(n->op, "AssignVariableOp") != 0) ||
            n->in.n < 2)
            continue;
        to = tg_point(r, &f->source, n->in.v[0]);
        s = to.node >= 0 ? tg_variable(r, f->graph->nodes.v[to.node]->name) : NULL;
        if (s && !s->array && !run_for_state(r, f, NULL, n->name) &&
            wf_ctx_status(r->c) == WF_ERR_UNSUPPORTED)
            wf_clear(r->c); /* it says so where it is used */
    }
}

static bool read_state(OxRun *r, TgFile *f)
{
    const TgSaver *s = f->meta ? f->meta->saver : NULL;
    const char *file = s ? s->filename : NULL;

    if (!find_state(r, f))
        return false;
    if (f->bundle && s && s->restore && *s->restore &&
        !run_for_state(r, f,
                       file && *file ? ox_string(&r->mem, file, strlen(file)) : NULL,
                       s->restore))
        return false;
    run_initialisers(r, f);
    for (int i = 0; i < r->nstate; i++)
        if (r->state[i].array && !wf_dtype_is_float(wf_array_dtype(r->state[i].array)))
            r->state[i].is_param = false;
    return ox_ok(r);
}

/* ---- variables of the saved object ------------------------------------------------------------------------------------ */

/* Which variable of the graph an object is: calls of functions in the graph pass what their concrete function is bound to. */
static bool match_calls(OxRun *r, TgFile *f)
{
    const TgObjectGraph *o = f->meta->objects;

    for (size_t i = 0; i < f->graph->nodes.n && ox_ok(r); i++) {
        const TgNode *n = f->graph->nodes.v[i];
        const TgAttr *a = strstr(n->op, "PartitionedCall") ? tg_node_attr(n, "f") : NULL;
        const TgConcrete *k = NULL;
        size_t nin = n->in.n;

        for (size_t c = 0; a && a->func && a->func->name && c < o->concrete.n; c++)
            if (o->concrete.v[c]->key &&
                strcmp(o->concrete.v[c]->key, a->func->name) == 0)
                k = o->concrete.v[c]->value;
        while (nin && *n->in.v[nin - 1] == '^')
            nin--;
        if (!k || k->bound.n > nin)
            continue;
        for (size_t b = 0; b < k->bound.n; b++) {
            TgPoint p = tg_point(r, &f->source, n->in.v[nin - k->bound.n + b]);
            int64_t id = k->bound.v[b];

            if (p.node >= 0 && id >= 0 && id < (int64_t)o->nodes.n &&
                o->nodes.v[id]->variable)
                f->variables[id] = tg_variable(r, f->graph->nodes.v[p.node]->name);
        }
    }
    return ox_ok(r);
}

static OxState *named(OxRun *r, const char *name)
{
    for (int i = 0; i < r->nstate; i++)
        if (r->state[i].array && strcmp(r->state[i].name, name) == 0)
            return &r->state[i];
    return NULL;
}

/* Objects and variables: by calls, else by name, the k-th of a name that several have being NAME_k. Variables are called as
 * the object says, where no other is. */
static bool match_variables(OxRun *r, TgFile *f)
{
    const TgObjectGraph *o = f->meta ? f->meta->objects : NULL;

    if (!o)
        return true;
    if (!(f->variables = ox_alloc(&r->mem, o->nodes.n + 1, sizeof *f->variables)) ||
        !match_calls(r, f))
        return false;
    for (size_t i = 0; i < o->nodes.n; i++) {
        const TgSavedVariable *v = o->nodes.v[i]->variable;
        OxState *s = v ? f->variables[i] : NULL;

        if (!v || !v->name)
            continue;
        for (int k = 0; !s && k < 8; k++) {
            size_t room = strlen(v->name) + 16;
            char *name = ox_alloc(&r->mem, room, 1);

            if (!name)
                return false;
            snprintf(name, room, k ? "%s_%d" : "%s", v->name, k);
            s = tg_variable(r, name);
            for (size_t j = 0; s && j < i; j++)
                if (f->variables[j] == s)
                    s = NULL; /* another object's */
        }
        f->variables[i] = s;
        if (!s || !s->array)
            continue;
        s->is_param = v->trainable && wf_dtype_is_float(wf_array_dtype(s->array));
        if (!named(r, v->name) && name_allowed(v->name))
            s->name = v->name;
    }
    return true;
}

/* ---- types of inputs ------------------------------------------------------------------------------------------------------ */

/* The type as ONNX's messages say it; NULL with an error. */
static OxType *type_of(OxRun *r, int64_t type, const TgShape *shape)
{
    OxType *t = ox_alloc(&r->mem, 1, sizeof *t);
    OxTensorType *tt = ox_alloc(&r->mem, 1, sizeof *tt);
    OxDim *dims;

    if (!t || !tt)
        return NULL;
    t->tensor = tt;
    tt->elem = tg_elem(type);
    if (!shape || shape->unknown_rank)
        return t;
    tt->shape = ox_alloc(&r->mem, 1, sizeof *tt->shape);
    dims = ox_alloc(&r->mem, shape->dims.n + 1, sizeof *dims);
    if (!tt->shape || !dims ||
        !(tt->shape->dims.v =
              ox_alloc(&r->mem, shape->dims.n + 1, sizeof *tt->shape->dims.v)))
        return NULL;
    for (size_t i = 0; i < shape->dims.n; i++) {
        dims[i] = (OxDim){.has = shape->dims.v[i]->size >= 0 ? 2 : 0,
                          .value = shape->dims.v[i]->size};
        tt->shape->dims.v[i] = &dims[i];
    }
    tt->shape->dims.n = shape->dims.n;
    return t;
}

/* ---- programs ---------------------------------------------------------------------------------------------------------------- */

/* One program; a model may have others if this one cannot be made. */
static bool try_program(OxRun *r, wf_model *m, OxGraph *g, const char *name, bool must)
{
    char key[200], why[400];

    if (g && ox_ok(r)) {
        r->model->graph = g;
        ox_make_program(r, m, name);
    }
    r->node = NULL;
    r->env = NULL;
    r->depth = r->nodes = 0;
    for (int i = 0; i < r->nstate && ox_ok(r); i++)
        r->state[i].kept =
            r->state[i].kept || r->state[i].used || !wf_is_none(r->state[i].update);
    if (ox_ok(r))
        return true;
    if (must || (wf_ctx_status(r->c) != WF_ERR_UNSUPPORTED &&
                 wf_ctx_status(r->c) != WF_ERR_SHAPE))
        return false;
    snprintf(key, sizeof key, "tensorflow.refused.%.100s", name);
    snprintf(why, sizeof why, "%s", wf_ctx_message(r->c));
    why[strcspn(why, "\n")] = 0;
    wf_clear(r->c);
    wf_model_set_meta(r->c, m, key, why);
    return false;
}

static bool is_result(const TgNode *n)
{
    static const char *const none[] = {
        "Const",      "Placeholder",      "PlaceholderWithDefault",
        "NoOp",       "Assert",           "VarHandleOp",
        "VariableV2", "Variable",         "SaveV2",
        "PrintV2",    "AssignVariableOp", "MergeV2Checkpoints"};

    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (strcmp(n->op, none[i]) == 0)
            return false;
    return strncmp(n->op, "Assign", 6) != 0;
}

/* A frozen graph: from Placeholders to what nobody uses. */
static bool graph_program(OxRun *r, TgFile *f, wf_model *m)
{
    const TgGraphDef *g = f->graph;
    size_t n = g->nodes.n, nin = 0, nout = 0;
    const char **in = ox_alloc(&r->mem, n + 1, sizeof *in),
               **shown = ox_alloc(&r->mem, n + 1, sizeof *shown);
    const TgNode **from = ox_alloc(&r->mem, n + 1, sizeof *from),
                 **to = ox_alloc(&r->mem, n + 1, sizeof *to);
    TgPoint *out = ox_alloc(&r->mem, n + 1, sizeof *out);
    bool *used = ox_alloc(&r->mem, n + 1, sizeof *used);
    OxGraph *made;

    if (!in || !shown || !from || !to || !out || !used)
        return false;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < g->nodes.v[i]->in.n && ox_ok(r); k++) {
            TgPoint p = tg_point(r, &f->source, g->nodes.v[i]->in.v[k]);

            if (p.node >= 0)
                used[p.node] = true;
        }
    for (size_t i = 0; i < n && ox_ok(r); i++) {
        const TgNode *node = g->nodes.v[i];

        if (strcmp(node->op, "Placeholder") == 0 && used[i]) {
            in[nin] = tg_point(r, &f->source, node->name).name;
            from[nin++] = node;
        }
        if (!used[i] && is_result(node)) {
            to[nout] = node;
            out[nout++] = tg_point(r, &f->source, node->name);
        }
    }
    if (!nout)
        return ox_ok(r) ? ox_fail(r, WF_ERR_FORMAT, "a graph without results") : false;
    if (!ox_ok(r) || !(made = tg_graph(r, &f->source, in, nin, out, nout, NULL, 0)))
        return false;
    for (size_t i = 0; i < nin; i++) {
        const TgAttr *dtype = tg_node_attr(from[i], "dtype"),
                     *shape = tg_node_attr(from[i], "shape");

        made->in.v[i]->shown = from[i]->name;
        if (!(made->in.v[i]->type =
                  type_of(r, dtype ? dtype->type : 0, shape ? shape->shape : NULL)))
            return false;
    }
    for (size_t i = 0; i < nout; i++)
        made->out.v[i]->shown = to[i]->name;
    return try_program(r, m, made, "forward", true);
}

static int by_key(const void *a, const void *b)
{
    return strcmp(text((*(TgInfoEntry *const *)a)->key),
                  text((*(TgInfoEntry *const *)b)->key));
}

static bool complete(OxRun *r, const TgSignature *s)
{
    for (size_t i = 0; i < s->in.n; i++)
        if (!s->in.v[i]->key || !s->in.v[i]->value || !s->in.v[i]->value->name)
            return ox_fail(r, WF_ERR_UNSUPPORTED, "an input without a name");
    for (size_t i = 0; i < s->out.n; i++)
        if (!s->out.v[i]->key || !s->out.v[i]->value || !s->out.v[i]->value->name)
            return ox_fail(r, WF_ERR_UNSUPPORTED, "a result without a name");
    return true;
}

static OxGraph *signature_graph(OxRun *r, TgFile *f, TgSignature *s)
{
    const char **in = ox_alloc(&r->mem, s->in.n + 1, sizeof *in);
    TgPoint *out = ox_alloc(&r->mem, s->out.n + 1, sizeof *out);
    OxGraph *g;

    if (!in || !out || !complete(r, s))
        return NULL;
    if (s->in.n)
        qsort(s->in.v, s->in.n, sizeof *s->in.v, by_key);
    if (s->out.n)
        qsort(s->out.v, s->out.n, sizeof *s->out.v, by_key);
    for (size_t i = 0; i < s->in.n && ox_ok(r); i++)
        in[i] = tg_point(r, &f->source, s->in.v[i]->value->name).name;
    for (size_t i = 0; i < s->out.n && ox_ok(r); i++)
        out[i] = tg_point(r, &f->source, s->out.v[i]->value->name);
    if (!ox_ok(r) || !(g = tg_graph(r, &f->source, in, s->in.n, out, s->out.n, NULL, 0)))
        return NULL;
    for (size_t i = 0; i < s->in.n; i++) {
        g->in.v[i]->shown = s->in.v[i]->key;
        g->in.v[i]->type = type_of(r, s->in.v[i]->value->type, s->in.v[i]->value->shape);
    }
    for (size_t i = 0; i < s->out.n; i++)
        g->out.v[i]->shown = s->out.v[i]->key;
    return g;
}

/* ---- functions of the saved object ------------------------------------------------------------------------------------------------ */

/* What the last arguments of a function are bound to: variables, constants. */
static bool bind_arguments(OxRun *r, OxEnv *env)
{
    const TgFile *f = tg_file(r);
    const TgObjectGraph *o = f->meta ? f->meta->objects : NULL;
    const TgConcrete *k = f->concrete;
    size_t first;

    if (!k || !o)
        return true;
    first = env->graph->in.n - k->bound.n;
    for (size_t i = 0; i < k->bound.n; i++) {
        const char *name = env->graph->in.v[first + i]->name;
        OxValue *v = name && *name ? ox_name_value(env, name) : NULL;
        int64_t id = k->bound.v[i];

        if (!v || id < 0 || id >= (int64_t)o->nodes.n)
            return ox_fail(r, WF_ERR_FORMAT, "a function is bound to object %lld",
                           (long long)id);
        const TgObject *what = o->nodes.v[id];
        if (what->variable) {
            OxState *s = f->variables ? f->variables[id] : NULL;

            if (!s)
                return ox_fail(r, WF_ERR_FORMAT, "there is no variable '%.80s'",
                               text(what->variable->name));
            *v = (OxValue){.kind = OX_RESOURCE, .state = s};
        } else if (what->constant && what->constant->operation) {
            TgSource *source = &tg_file(r)->source;
            TgPoint p = tg_point(r, source, what->constant->operation);
            const TgAttr *value =
                p.node >= 0 ? tg_node_attr(source->nodes.v[p.node], "value") : NULL;

            if (!value || !value->tensor)
                return ox_ok(r) ? ox_fail(r, WF_ERR_FORMAT, "'%.80s' is no constant",
                                          what->constant->operation)
                                : false;
            *v = tg_constant(r, value->tensor);
        } else {
            return ox_fail(r, WF_ERR_UNSUPPORTED,
                           "a function is bound to neither a variable nor a constant");
        }
    }
    return ox_ok(r);
}

static const TgAttr *arg_attr(const TgFunction *f, size_t i, const char *name)
{
    for (size_t k = 0; k < f->arg_attrs.n; k++)
        if (f->arg_attrs.v[k]->key == (int64_t)i && f->arg_attrs.v[k]->value)
            for (size_t a = 0; a < f->arg_attrs.v[k]->value->attrs.n; a++) {
                const TgAttrEntry *e = f->arg_attrs.v[k]->value->attrs.v[a];

                if (e->key && strcmp(e->key, name) == 0)
                    return e->value;
            }
    return NULL;
}

/* name: of the program. */
static bool function_program(OxRun *r, TgFile *f, wf_model *m, const char *name,
                             const char *concrete)
{
    const TgObjectGraph *o = f->meta->objects;
    TgFunction *fn = tg_find_function(r, concrete);
    const TgConcrete *k = NULL;
    OxGraph *g;
    bool ok;

    for (size_t i = 0; i < o->concrete.n; i++)
        if (o->concrete.v[i]->key && strcmp(o->concrete.v[i]->key, concrete) == 0)
            k = o->concrete.v[i]->value;
    if (!fn || !k || fn->signature->in.n < k->bound.n)
        return ox_fail(r, WF_ERR_FORMAT, "there is no function '%.80s'", concrete);
    if ((g = tg_function_graph(r, concrete)))
        for (size_t i = 0; i < g->in.n - k->bound.n; i++) {
            const TgAttr *shape = arg_attr(fn, i, "_output_shapes"),
                         *user = arg_attr(fn, i, "_user_specified_name");

            g->in.v[i]->type = type_of(r, fn->signature->in.v[i]->type,
                                       shape && shape->list && shape->list->shape.n
                                           ? shape->list->shape.v[0]
                                           : NULL);
            if (user)
                g->in.v[i]->shown = ox_string(&r->mem, user->s.data, user->s.size);
        }
    f->concrete = k;
    ok = try_program(r, m, g, name, false);
    f->concrete = NULL;
    return ok;
}

static bool is_word(const char *s)
{
    if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || *s == '_'))
        return false;
    for (; *s; s++)
        if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') ||
              (*s >= '0' && *s <= '9') || *s == '_'))
            return false;
    return true;
}

/* Functions of the saved object itself, by name; one that was traced for several types: NAME, NAME_1 .. */
static bool object_programs(OxRun *r, TgFile *f, wf_model *m, int *made)
{
    const TgObjectGraph *o = f->meta->objects;
    const TgObject *root = o && o->nodes.n ? o->nodes.v[0] : NULL;

    for (size_t i = 0; root && i < root->children.n; i++) {
        const TgRef *c = root->children.v[i];
        const TgObject *x =
            c->node >= 0 && c->node < (int64_t)o->nodes.n ? o->nodes.v[c->node] : NULL;

        if (!x || !x->function || !c->name || !is_word(c->name))
            continue;
        for (size_t k = 0; k < x->function->concrete.n && k < 16; k++) {
            char name[200];

            snprintf(name, sizeof name, k ? "%.180s_%zu" : "%.180s",
                     strcmp(c->name, "forward") == 0 ? "forward_" : c->name, k);
            *made += function_program(r, f, m, name, x->function->concrete.v[k]);
            if (!ox_ok(r))
                return false;
        }
    }
    return ox_ok(r);
}

static bool saved_programs(OxRun *r, TgFile *f, wf_model *m)
{
    int made = 0;
    size_t main = SIZE_MAX;

    if (!object_programs(r, f, m, &made))
        return false;
    for (size_t i = 0; i < f->meta->signatures.n; i++) {
        const TgSignatureEntry *s = f->meta->signatures.v[i];

        if (!s->key || !s->value || strncmp(s->key, "__", 2) == 0)
            continue;
        if (strcmp(s->key, "serving_default") == 0 || f->meta->signatures.n == 1) {
            main = i;
            continue;
        }
        made += try_program(r, m, signature_graph(r, f, s->value),
                            ox_plain_name(r, s->key), false);
        if (!ox_ok(r))
            return false;
    }
    if (main != SIZE_MAX)
        return try_program(r, m,
                           signature_graph(r, f, f->meta->signatures.v[main]->value),
                           "forward", !made) ||
               ox_ok(r);
    return made ||
           (ox_ok(r) &&
            ox_fail(r, WF_ERR_UNSUPPORTED,
                    "neither a signature nor a function of it can be made a program"));
}

/* ---- the model --------------------------------------------------------------------------------------------------------------------- */

/* A SavedModel begins with its version; a GraphDef with a node, of which name and op are there. */
bool tg_is_file(const char *data, size_t size)
{
    size_t n;

    if (size > 4 && data[0] == 8 && (unsigned char)data[1] < 16 && data[2] == 0x12)
        return ox_fits(&tg_saved_message, 2, data, size) && !ox_is_model(data, size);
    if (size < 8 || data[0] != 10 || !ox_fits(&tg_graph_message, 1, data, size) ||
        ox_is_model(data, size))
        return false;
    for (n = 1; n < 6 && (unsigned char)data[n] >= 128; n++)
        ;
    n++;
    return n + 2 < size && data[n] == 10 && n + 2 + (unsigned char)data[n + 1] < size &&
           data[n + 2 + (unsigned char)data[n + 1]] == 18;
}

static bool tg_read(wf_ctx *cx, const char *file, Blob *blob,
                    const wf_import_options *given, wf_model *m)
{
    TgFile f = {0};
    OxOpset newest = {.domain = "", .version = 21}, *opsets = &newest;
    OxModel model = {0};
    OxRun r = {.c = cx,
               .dialect = &tg_dialect,
               .more = &f,
               .file = file,
               .blob = blob,
               .mem = {.c = cx},
               .model = &model,
               .given = given,
               .preset = bind_arguments};

    model.opsets.v = &opsets;
    model.opsets.n = 1;
    if (open_file(&r, &f) && read_state(&r, &f) && match_variables(&r, &f) &&
        (f.meta ? saved_programs(&r, &f, m) : graph_program(&r, &f, m))) {
        for (int i = 0; i < r.nstate; i++)
            if (!r.state[i].kept) { /* what no program uses */
                wf_array_release(r.state[i].array);
                r.state[i].array = NULL;
            }
        ox_add_tensors(&r, m);
        if (r.wants_key)
            ox_add_key(&r, m);
    }
    wf_set_place(cx, NULL, 0, 0);
    for (int i = 0; i < r.nstate; i++)
        wf_array_release(r.state[i].array);
    tg_bundle_free(f.bundle);
    ox_memory_free(&r.mem);
    return !wf_ctx_status(cx);
}

const Format tensorflow_format = {"TensorFlow", ".pb", tg_is_file, tg_read, tg_write};
