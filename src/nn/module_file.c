/* module_file.c -- a tree in a model file: its numbers and its shape, out and back, and
 * runs of the programs made of it (module_method.c).
 *
 * Numbers are tensors under their paths. Metadata:
 *
 *   tree          a line for each part, in the order of the state dict; tabs between
 *                   module PATH TYPE TEXT
 *                   param PATH [SAME]   frozen PATH [SAME]   buffer PATH [SAME]
 *                 SAME: the path of an earlier one that is the very same tensor
 *   no_train.forward   why there is no forward_train although forward depends on the mode: calls in training fail
 *   method.NAME   how program NAME is called, a line for each tensor of the file
 *                   state NAME      the first inputs; what follows them are arguments
 *                   update NAME     the last results are its new values
 */
#include "nn/nn.h"

#include <stdio.h>
#include <string.h>

/* ---- numbers ----------------------------------------------------------------------- */

typedef struct Files {
    wf_ctx *c;
    wf_model *to;
    const wf_model *from;
    wf_module *tree;
    NnText text;
} Files;

static void store_array(wf_ctx *c, wf_model *file, const char *name, wf_tensor t)
{
    wf_array *a = NULL;
    wf_tensor copy;

    wf_no_grad_begin(c); /* a copy: training goes on, the file stays as it was */
    copy = wf_copy(c, t);
    wf_no_grad_end(c);
    if (!wf_to_array(c, copy, &a))
        wf_model_set_tensor(c, file, name, a);
    wf_array_release(a);
}

typedef struct Sought { /* the first path of a tensor */
    wf_tensor t;
    NnText path;
} Sought;

static wf_status seek(void *user, const char *path, wf_tensor t, bool is_param)
{
    Sought *s = user;

    (void)is_param;
    if (!s->path.s && nn_same(t, s->t))
        nn_put(&s->path, path, strlen(path));
    return WF_OK;
}

static wf_status store_one(void *user, const char *path, wf_tensor t, bool is_param)
{
    Files *f = user;
    Sought s = {t, {.c = f->c}};
    bool trained = wf_has_grad_history(f->c, t);

    store_array(f->c, f->to, path, t);
    if (wf_ctx_status(f->c) || wf_module_visit_state(f->c, f->tree, seek, &s) ||
        s.path.lost) {
        nn_free(f->c, s.path.s, s.path.cap);
        return nn_gave_up(f->c);
    }
    nn_put_field(&f->text, is_param ? trained ? "param" : "frozen" : "buffer", "\t");
    nn_put_field(&f->text, path, strcmp(s.path.s, path) ? "\t" : "\n");
    if (strcmp(s.path.s, path))
        nn_put_field(&f->text, s.path.s, "\n");
    nn_free(f->c, s.path.s, s.path.cap);
    return wf_ctx_status(f->c);
}

/* A module's line, then those of its own places, so that loading can go line by line. */
static wf_status store_module(void *user, const char *path, wf_module *m)
{
    Files *f = user;

    if (strpbrk(path, "\t\n") || strpbrk(m->type, "\t\n") || strpbrk(m->text, "\t\n")) {
        wf_raise(f->c, WF_ERR_NAME,
                 "wf_module_store: a name, type or text has a tab or a new line");
        return wf_ctx_status(f->c);
    }
    nn_put_field(&f->text, "module", "\t");
    nn_put_field(&f->text, path, "\t");
    nn_put_field(&f->text, m->type, "\t");
    nn_put_field(&f->text, m->text, "\n");
    return f->text.lost ? nn_gave_up(f->c) : WF_OK;
}

wf_status wf_module_store(wf_ctx *c, wf_module *m, wf_model *file)
{
    Files f = {c, file, NULL, m, {.c = c}};

    if (nn_null(c, m, "wf_module_store", "module") ||
        nn_null(c, file, "wf_module_store", "file"))
        return wf_ctx_status(c);
    wf_scope_begin(c);
    if (!wf_module_visit(c, m, store_module, &f) &&
        !wf_module_visit_state(c, m, store_one, &f))
        wf_model_set_meta(c, file, "tree", f.text.s);
    wf_scope_end(c);
    nn_free(c, f.text.s, f.text.cap);
    return wf_ctx_status(c);
}

static wf_status restore_one(void *user, const char *path, wf_tensor t, bool is_param)
{
    Files *f = user;
    wf_array *a = wf_model_find_tensor(f->from, path);
    char text[256];
    bool fits = a && wf_array_rank(a) == wf_rank(f->c, t);

    (void)is_param;
    for (int i = 0; fits && i < wf_array_rank(a); i++)
        fits = wf_array_dims(a)[i] == wf_size(f->c, t, i);
    if (!fits) {
        snprintf(text, sizeof text, "wf_module_restore: the file's tensor %s %s", path,
                 a ? "has another shape" : "is missing");
        return wf_raise(f->c, a ? WF_ERR_SHAPE : WF_ERR_NAME, text);
    }
    return wf_write(f->c, t, wf_cast(f->c, wf_from_array(f->c, a), wf_dtype_of(f->c, t)));
}

wf_status wf_module_restore(wf_ctx *c, wf_module *m, const wf_model *file)
{
    if (nn_null(c, m, "wf_module_restore", "module") ||
        nn_null(c, file, "wf_module_restore", "file"))
        return wf_ctx_status(c);
    wf_scope_begin(c);
    wf_no_grad_begin(c);
    wf_module_visit_state(c, m, restore_one, &(Files){.c = c, .from = file});
    wf_no_grad_end(c);
    wf_scope_end(c);
    return wf_ctx_status(c);
}

/* ---- running a method -------------------------------------------------------------- */

/* The names of a method's lines of one kind, cut out of a copy of its text. */
typedef struct FileNames {
    char *copy, **v;
    size_t bytes;
    int n, room;
} FileNames;

static void names_free(wf_ctx *c, FileNames *l)
{
    nn_free(c, l->copy, l->bytes);
    nn_free(c, l->v, (size_t)l->room * sizeof *l->v);
}

static FileNames names_of(wf_ctx *c, const char *text, const char *kind)
{
    FileNames l = {0};
    size_t k = strlen(kind);

    if (!*text || !(l.copy = nn_copy_text(c, text)))
        return l;
    l.bytes = strlen(text) + 1;
    for (const char *s = text; *s; s += *s == '\n')
        s += strcspn(s, "\n"), l.room++;
    if (!(l.v = nn_alloc(c, (size_t)l.room * sizeof *l.v)))
        return l;
    for (char *s = l.copy, *end; *s; s = end) {
        end = s + strcspn(s, "\n");
        if (*end)
            *end++ = 0;
        if (!strncmp(s, kind, k) && s[k] == ' ')
            l.v[l.n++] = s + k + 1;
    }
    return l;
}

/* Where a method's tensors are. */
typedef struct Holder {
    wf_module *tree; /* a loaded one; NULL: the file */
    wf_model *file;
} Holder;

static void no_tensor(wf_ctx *c, const char *name)
{
    char text[256];

    snprintf(text, sizeof text, "the method needs the tensor %s, which is missing", name);
    wf_raise(c, WF_ERR_NAME, text);
}

static wf_tensor held(wf_ctx *c, const Holder *h, const char *name)
{
    wf_array *a = h->tree ? NULL : wf_model_find_tensor(h->file, name);
    wf_tensor t =
        a ? wf_from_array(c, a) : (h->tree ? wf_module_tensor(h->tree, name) : WF_NONE);

    if (wf_is_none(t))
        no_tensor(c, name);
    return t;
}

/* Where a loaded tree has a tensor; *out_at -1: nowhere. */
static wf_module *place_of(const Holder *h, const char *name, int *out_at)
{
    const char *dot = strrchr(name, '.');
    size_t n = dot ? (size_t)(dot - name) : 0;
    wf_module *m;
    char path[512];

    snprintf(path, sizeof path, "%.*s", (int)n, name);
    m = wf_module_find(h->tree, path);
    *out_at = m ? m->nplaces - 1 : -1;
    while (*out_at >= 0 && strcmp(m->places[*out_at].name, name + n + (dot != NULL)))
        --*out_at;
    return m;
}

static void update(wf_ctx *c, const Holder *h, const char *name, wf_tensor t)
{
    wf_module *m;
    wf_array *a = NULL;
    int at;

    if (!h->tree) { /* t is the run's own result: its memory is the file's now */
        if (!wf_to_array(c, t, &a))
            wf_model_set_tensor(c, h->file, name, a);
        wf_array_release(a);
        return;
    }
    m = place_of(h, name, &at);
    if (at >= 0)
        wf_module_set_value(c, m, at, wf_stop_gradient(c, t));
}

/* What a program reads: of a buffer that it changes a copy, since a derivative may read what stood there (the key of what was
 * drawn, say), and an update writes there. */
static wf_tensor operand(wf_ctx *c, const Holder *h, const FileNames *updates, const char *name)
{
    wf_tensor t = held(c, h, name);
    bool changes = false;
    wf_module *m;
    int at;

    for (int i = 0; h->tree && i < updates->n && !changes; i++)
        changes = strcmp(updates->v[i], name) == 0;
    if (!changes || wf_ctx_status(c))
        return t;
    m = place_of(h, name, &at);
    return at < 0 || m->lent || m->places[at].is_param ? t : wf_copy(c, t);
}

static bool right_counts(wf_ctx *c, const wf_program *p, int nstate, int nupdate, int nin,
                         int nout)
{
    char text[200];

    if (wf_program_inputs(p) == nstate + nin && wf_program_outputs(p) == nout + nupdate)
        return true;
    snprintf(text, sizeof text,
             "method %.60s: takes %d tensors and gives %d, found %d and %d",
             wf_program_name(p), wf_program_inputs(p) - nstate,
             wf_program_outputs(p) - nupdate, nin, nout);
    wf_raise(c, WF_ERR_ARG, text);
    return false;
}

static void run_method(wf_ctx *c, const Holder *h, const wf_program *p, const char *text,
                       const wf_tensor *in, int nin, wf_tensor *out, int nout)
{
    FileNames state = names_of(c, text, "state"), updates = names_of(c, text, "update");
    size_t bytes = (size_t)(state.n + nin + nout + updates.n) * sizeof(wf_tensor);
    wf_tensor *io = wf_ctx_status(c) ? NULL : nn_alloc(c, bytes), *results;

    if (io && right_counts(c, p, state.n, updates.n, nin, nout)) {
        results = io + state.n + nin;
        for (int i = 0; i < state.n && !wf_ctx_status(c); i++)
            io[i] = operand(c, h, &updates, state.v[i]);
        for (int i = 0; i < nin; i++)
            io[state.n + i] = in[i];
        if (!wf_ctx_status(c) &&
            !wf_apply(c, p, io, state.n + nin, results, nout + updates.n)) {
            for (int i = 0; i < nout; i++)
                out[i] = results[i];
            for (int i = 0; i < updates.n; i++)
                update(c, h, updates.v[i], results[nout + i]);
        }
    }
    nn_free(c, io, bytes);
    names_free(c, &state);
    names_free(c, &updates);
}

static const char *method_text(const wf_model *file, const char *name)
{
    char key[200];

    snprintf(key, sizeof key, "method.%s", name);
    return wf_model_meta(file, key);
}

static wf_status no_method(wf_ctx *c, const char *name)
{
    char text[200];

    snprintf(text, sizeof text, "there is no method %.100s", name);
    return wf_raise(c, WF_ERR_NAME, text);
}

wf_status wf_model_run(wf_ctx *c, wf_model *file, const char *name, const wf_tensor *in,
                       int nin, wf_tensor *out, int nout)
{
    const wf_program *p;

    if (!nn_call(c, "wf_model_run", in, nin, out, nout) ||
        nn_null(c, file, "wf_model_run", "file") ||
        nn_null(c, name, "wf_model_run", "name"))
        return wf_ctx_status(c);
    if (!(p = wf_model_find(file, name)))
        return no_method(c, name);
    run_method(c, &(Holder){NULL, file}, p, method_text(file, name), in, nin, out, nout);
    return wf_ctx_status(c);
}

int wf_model_method_state(wf_ctx *c, const wf_model *file, const char *name,
                          wf_array **out, int room)
{
    FileNames state;
    int n;

    if (nn_null(c, file, "wf_model_method_state", "file") ||
        nn_null(c, name, "wf_model_method_state", "name"))
        return -1;
    state = names_of(c, method_text(file, name), "state");
    n = state.n;
    for (int i = 0; out && i < n && i < room; i++)
        if (!(out[i] = wf_model_find_tensor(file, state.v[i])))
            no_tensor(c, state.v[i]);
    names_free(c, &state);
    return wf_ctx_status(c) ? -1 : n;
}

wf_status wf_model_bind(wf_ctx *c, const wf_model *file, const char *name,
                        const wf_program **out)
{
    const wf_program *p = file && name ? wf_model_find(file, name) : NULL;
    int n = nn_null(c, out, "wf_model_bind", "result")
                ? -1
                : wf_model_method_state(c, file, name, NULL, 0);
    wf_array **state;
    int *which;

    if (out)
        *out = NULL;
    if (n < 0 || !p)
        return n < 0 ? wf_ctx_status(c) : no_method(c, name);
    state = nn_alloc(c, (size_t)(n + 1) * sizeof *state);
    which = nn_alloc(c, (size_t)(n + 1) * sizeof *which);
    if (state && which && wf_model_method_state(c, file, name, state, n) == n) {
        for (int i = 0; i < n; i++)
            which[i] = i;
        wf_bind(c, p, which, state, n, out);
    }
    nn_free(c, state, (size_t)(n + 1) * sizeof *state);
    nn_free(c, which, (size_t)(n + 1) * sizeof *which);
    return wf_ctx_status(c);
}

static wf_status add_method_code(wf_ctx *c, wf_model *file, const char *name, const char *isa)
{
    const wf_program *bound = NULL;

    if (!wf_model_add_code(c, file, wf_model_find(file, name), isa) &&
        wf_model_method_state(c, file, name, NULL, 0) > 0 && !wf_model_bind(c, file, name, &bound))
        wf_model_add_code(c, file, bound, isa);
    wf_program_release(bound);
    return wf_ctx_status(c);
}

wf_status wf_model_compile(wf_ctx *c, wf_model *file, const char *const *isas, int n)
{
    static const char *const all[] = {"base", "avx2", "avx512"};
    const char *mine = strstr(wf_build_info(), "set: ");

    if (nn_null(c, file, "wf_model_compile", "file") || !nn_count(c, isas, n, "wf_model_compile"))
        return wf_ctx_status(c);
    wf_model_drop_code(file);
    if (!n) {
        isas = all;
        while (n < 3 && (!n || !mine || strncmp(mine + 5, all[n - 1], strcspn(mine + 5, "\n"))))
            n++;
    }
    for (int k = 0; k < n && !wf_ctx_status(c); k++)
        for (int i = 0; i < wf_model_programs(file) && !wf_ctx_status(c); i++)
            add_method_code(c, file, wf_program_name(wf_model_program(file, i)), isas[k] ? isas[k] : "");
    return wf_ctx_status(c);
}

/* ---- a tree from a file ------------------------------------------------------------ */

typedef struct FileMethod {
    char *name, *text; /* text: method.NAME */
    const wf_program *program;
} FileMethod;

typedef struct Loaded { /* data of the root */
    FileMethod *v;
    int n;
    char *no_train; /* why forward has no form for training although it should; NULL: it needs none */
} Loaded;

static void drop_loaded(wf_ctx *c, void *data)
{
    Loaded *l = data;

    nn_free_text(c, l->no_train);
    for (int i = 0; i < l->n; i++) {
        nn_free_text(c, l->v[i].name);
        nn_free_text(c, l->v[i].text);
        wf_program_release(l->v[i].program);
    }
    nn_free(c, l->v, (size_t)l->n * sizeof *l->v);
}

static const FileMethod *find_method(const wf_module *m, const char *name)
{
    const Loaded *l = m->data;

    for (int i = 0; m->drop == drop_loaded && i < l->n; i++)
        if (!strcmp(l->v[i].name, name))
            return &l->v[i];
    return NULL;
}

wf_status wf_module_run(wf_ctx *c, wf_module *m, const char *name, const wf_tensor *in,
                        int nin, wf_tensor *out, int nout)
{
    const FileMethod *k;

    if (!nn_call(c, "wf_module_run", in, nin, out, nout) ||
        nn_null(c, m, "wf_module_run", "module") ||
        nn_null(c, name, "wf_module_run", "name"))
        return wf_ctx_status(c);
    if (!(k = find_method(m, name)))
        return no_method(c, name);
    run_method(c, &(Holder){m, NULL}, k->program, k->text, in, nin, out, nout);
    return wf_ctx_status(c);
}

static wf_status forward_loaded(wf_ctx *c, wf_module *m, const wf_tensor *in, int nin,
                                wf_tensor *out, int nout)
{
    const Loaded *l = m->data;
    bool train = m->training && find_method(m, "forward_train");

    if (m->training && !train && l->no_train) {
        char text[300];
        snprintf(text, sizeof text,
                 "in training this module does something else, for which its file has no program: %s",
                 l->no_train);
        wf_raise(c, WF_ERR_UNSUPPORTED, text);
        return nn_gave_up(c);
    }
    return wf_module_run(c, m, train ? "forward_train" : "forward", in, nin, out, nout);
}

static bool add_method(wf_ctx *c, Loaded *l, const wf_program *p, const char *text)
{
    FileMethod k = {nn_copy_text(c, wf_program_name(p)), nn_copy_text(c, text), p};

    if (!k.name || !k.text || !nn_one_more(c, &l->v, l->n, sizeof *l->v)) {
        nn_free_text(c, k.name);
        nn_free_text(c, k.text);
        return false;
    }
    wf_program_retain(p);
    l->v[l->n++] = k;
    return true;
}

/* The part that holds path, and the last name of path. */
static wf_module *part_of(wf_module *root, char *path, const char **out_name)
{
    char *dot = strrchr(path, '.');
    wf_module *m;

    *out_name = dot ? dot + 1 : path;
    if (!dot)
        return root;
    *dot = 0;
    m = wf_module_find(root, path);
    *dot = '.';
    return m;
}

/* One line: kind, path and up to two more fields. False: it makes no sense. */
static bool load_line(wf_ctx *c, const wf_model *file, wf_module **root, char **field,
                      int n)
{
    const char *name;
    wf_module *m;
    wf_array *a = NULL;
    wf_tensor t;
    bool buffer = !strcmp(field[0], "buffer");

    if (!strcmp(field[0], "module") && n == 4) {
        m = wf_module_new(c, field[2], NULL, *root ? 0 : sizeof(Loaded));
        wf_module_set_text(c, m, field[3]);
        if (!m)
            return false;
        if (*root) {
            wf_module *part = part_of(*root, field[1], &name);
            return wf_module_add(c, part, name, m) != NULL;
        }
        m->forward = forward_loaded;
        m->drop = drop_loaded;
        *root = m;
        return !*field[1];
    }
    if (!*root || n > 3 || n < 2 || !(m = part_of(*root, field[1], &name)) ||
        (n < 3 && !(a = wf_model_find_tensor(file, field[1]))))
        return false;
    t = n == 3 ? wf_module_tensor(*root, field[2]) : wf_copy(c, wf_from_array(c, a));
    if (wf_is_none(t))
        return false;
    if (buffer)
        return wf_module_add_buffer(c, m, name, t) >= 0;
    return wf_module_add_param(c, m, name, t) >= 0 &&
           (strcmp(field[0], "frozen") || !wf_requires_grad(c, t, false));
}

static bool load_tree(wf_ctx *c, const wf_model *file, wf_module **root, char *text)
{
    bool ok = true;

    for (char *s = text, *end; *s && ok; s = end) {
        char *field[5] = {s};
        int n = 1;
        end = s + strcspn(s, "\n");
        if (*end)
            *end++ = 0;
        while (n < 5 && (s = strchr(field[n - 1], '\t'))) {
            *s++ = 0;
            field[n++] = s;
        }
        ok = load_line(c, file, root, field, n) && !wf_ctx_status(c);
    }
    if (!ok && !wf_ctx_status(c))
        wf_raise(c, WF_ERR_FORMAT, "wf_module_load: the file's tree makes no sense");
    return ok;
}

wf_module *wf_module_load(wf_ctx *c, const wf_model *file)
{
    const char *tree, *text;
    wf_module *root = NULL;
    wf_array *key;
    size_t bytes;
    char *copy;

    if (nn_null(c, file, "wf_module_load", "file"))
        return NULL;
    tree = wf_model_meta(file, "tree");
    if (nn_refuse(c, !*tree, "wf_module_load: the file has no tree") ||
        !(copy = nn_copy_text(c, tree)))
        return NULL;
    bytes = strlen(copy) + 1;
    wf_scope_begin(c);
    if (load_tree(c, file, &root, copy) && root)
        for (int i = 0; i < wf_model_programs(file) && !wf_ctx_status(c); i++) {
            const wf_program *p = wf_model_program(file, i);
            add_method(c, root->data, p, method_text(file, wf_program_name(p)));
        }
    key = wf_model_find_tensor(file, NN_KEY);
    if (root && key && !wf_ctx_status(c) && wf_is_none(wf_module_tensor(root, NN_KEY)))
        wf_module_add_buffer(c, root, NN_KEY, wf_copy(c, wf_from_array(c, key)));
    text = wf_model_meta(file, "no_train.forward");
    if (root && *text)
        ((Loaded *)root->data)->no_train = nn_copy_text(c, text);
    wf_scope_end(c);
    nn_free(c, copy, bytes);
    return nn_done(c, root);
}

/* ---- signatures -------------------------------------------------------------------- */

/* The role of a tensor of the file: what its tree says of it. */
static wf_role role_of(const wf_model *file, const char *name)
{
    static const struct {
        const char *kind;
        wf_role role;
    } kinds[] = {{"param\t", WF_ROLE_PARAMETER},
                 {"frozen\t", WF_ROLE_PARAMETER},
                 {"buffer\t", WF_ROLE_BUFFER}};
    size_t n = strlen(name);

    for (const char *s = wf_model_meta(file, "tree"); *s; s += *s == '\n') {
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            size_t m = strlen(kinds[k].kind);

            if (!strncmp(s, kinds[k].kind, m) && !strncmp(s + m, name, n) &&
                (s[m + n] == '\t' || s[m + n] == '\n' || !s[m + n]))
                return kinds[k].role;
        }
        s += strcspn(s, "\n");
    }
    return WF_ROLE_STATE;
}

wf_role wf_model_tensor_role(const wf_model *file, int i)
{
    return role_of(file, wf_model_tensor_name(file, i));
}

/* Tensors of the file stand first among inputs and last among results. */
static wf_status method_info(wf_ctx *c, const wf_model *file, const char *name, int i,
                             bool output, wf_value_info *out)
{
    const wf_program *p = file && name ? wf_model_find(file, name) : NULL;
    wf_value_info info = {.size = sizeof info};
    const char *tensor;
    FileNames l;
    int k;

    if (nn_null(c, file, "wf_model_input_info", "file") ||
        nn_null(c, name, "wf_model_input_info", "name") ||
        nn_null(c, out, "wf_model_input_info", "place of the result"))
        return wf_ctx_status(c);
    if (!p)
        return no_method(c, name);
    if (output ? wf_program_output_info(c, p, i, out)
               : wf_program_input_info(c, p, i, out))
        return wf_ctx_status(c);
    memcpy(&info, out, out->size < sizeof info ? out->size : sizeof info);
    l = names_of(c, method_text(file, name), output ? "update" : "state");
    k = output ? i - (wf_program_outputs(p) - l.n) : i;
    if (k >= 0 && k < l.n && !wf_ctx_status(c)) {
        info.role = role_of(file, l.v[k]);
        for (int j = 0; j < wf_model_tensors(file);
             j++) /* a name that lives as long as the file */
            if (!strcmp(tensor = wf_model_tensor_name(file, j), l.v[k]))
                info.name = tensor;
        memcpy(out, &info, out->size < sizeof info ? out->size : sizeof info);
    }
    names_free(c, &l);
    return wf_ctx_status(c);
}

wf_status wf_model_input_info(wf_ctx *c, const wf_model *file, const char *name, int i,
                              wf_value_info *out_info)
{
    return method_info(c, file, name, i, false, out_info);
}

wf_status wf_model_output_info(wf_ctx *c, const wf_model *file, const char *name, int i,
                               wf_value_info *out_info)
{
    return method_info(c, file, name, i, true, out_info);
}
