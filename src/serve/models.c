/* models.c -- the folder of models.
 *
 *   FOLDER/NAME.weft (.onnx, .wir)         version 1 of NAME
 *   FOLDER/NAME/VERSION/FILE.weft (..)     VERSION is a whole number; the first file of a known kind
 *
 * What is served is the method "forward", else "main", else the last program, with the tensors of the file as constants. A file is
 * loaded again when its time or size changes; while that fails, the old one serves on. Requests hold what they run.
 */
#include "serve/serve.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct Kept { /* statistics outlive what is loaded */
    char name[128], version[32];
    Stats stats;
    struct Kept *next;
} Kept;

struct Models {
    const ServeOptions *o;
    wf_ctx *cx; /* for loading */
    FILE *errors;
    pthread_rwlock_t lock; /* of v, n */
    ModelInstance **v;
    int n, room;
    bool *seen; /* by a scan */
    Kept *kept;
    char failed
        [2048]; /* the last file that could not be loaded, as it was: not tried again */
};

void instance_release(ModelInstance *i)
{
    if (!i || atomic_fetch_sub(&i->refs, 1) != 1)
        return;
    for (int k = 0; k < SERVE_LANES; k++)
        wf_exec_release(i->exec[k]);
    for (int k = 0; k < i->nkept; k++)
        wf_array_release(i->kept[k]);
    pthread_mutex_destroy(&i->lock);
    free(i);
}

static Stats *stats_of(Models *m, const char *name, const char *version)
{
    Kept *k = m->kept;

    while (k && (strcmp(k->name, name) != 0 || strcmp(k->version, version) != 0))
        k = k->next;
    if (!k && (k = calloc(1, sizeof *k))) {
        snprintf(k->name, sizeof k->name, "%s", name);
        snprintf(k->version, sizeof k->version, "%s", version);
        k->next = m->kept;
        m->kept = k;
    }
    return k ? &k->stats : NULL;
}

/* ---- loading ----------------------------------------------------------------------- */

/* Line i of a text, or other. */
static void line_of(const char *text, int i, const char *other, char *out, size_t room)
{
    for (; i && *text; i--)
        text += strcspn(text, "\n"), text += *text == '\n';
    snprintf(out, room, "%.*s", (int)strcspn(text, "\n"), text);
    if (!*out)
        snprintf(out, room, "%s", other);
}

static bool describe(Models *m, const wf_model *file, const wf_program *p, ModelInstance *x)
{
    char other[32], first[64] = "";
    bool same = true; /* the first axis of all is one symbol */

    x->nin = wf_program_inputs(p) - x->nkept;
    x->nout = wf_program_outputs(p) - x->nupdates;
    if (x->nin + x->nkept > SERVE_TENSORS || x->nout + x->nupdates > SERVE_TENSORS || x->nin > SERVE_TENSORS || x->nout > SERVE_TENSORS)
        return wf_raise(m->cx, WF_ERR_LIMIT, "more inputs or results than can be served"),
               false;
    for (int i = 0; i < x->nin + x->nout; i++) {
        bool out = i >= x->nin;
        int k = out ? i - x->nin : i;
        SignatureTensor *t = out ? &x->out[k] : &x->in[k];
        wf_value_info info = {.size = sizeof info};

        if (out ? wf_program_output_info(m->cx, p, k, &info)
                : wf_program_input_info(m->cx, p, x->nkept + k, &info))
            return false;
        snprintf(other, sizeof other, "%s%d", out ? "output" : "input", k);
        if (out)
            line_of(wf_model_meta(file, "onnx.outputs"), k, other, t->name,
                    sizeof t->name);
        else
            snprintf(t->name, sizeof t->name, "%s", *info.name ? info.name : other);
        t->dtype = info.dtype;
        t->rank = info.rank;
        memcpy(t->dims, info.dims, sizeof t->dims);
        if (!serve_type(t->dtype))
            return wf_raise(m->cx, WF_ERR_TYPE,
                            "the protocol has no type for one of its tensors"),
                   false;
        if (i == 0 && info.rank && info.dims[0] < 0)
            snprintf(first, sizeof first, "%s", info.sizes[0]);
        same &= info.rank > 0 && info.dims[0] < 0 && strcmp(first, info.sizes[0]) == 0;
    }
    x->batches = same && x->nin > 0 && *first && !strpbrk(first, "+-*/ (");
    return true;
}

/* Name i behind `kind` among the lines of a method's text; false: there are fewer. */
static bool named(const char *text, const char *kind, int i, char out[512])
{
    size_t n = strlen(kind);

    for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
        if (!strncmp(text, kind, n) && i-- == 0) {
            snprintf(out, 512, "%.*s", (int)strcspn(text + n, "\n"), text + n);
            return true;
        }
    return false;
}

/* The method with the tensors of the file as constants, but for those that it changes: their values are kept from run to run. */
static bool bind_method(Models *m, const wf_model *file, const char *method, ModelInstance *x, const wf_program **out)
{
    char key[300], name[512], other[512];
    const char *text;
    int n = 0, which[4096];
    wf_array *bound[4096];

    snprintf(key, sizeof key, "method.%s", method);
    text = wf_model_meta(file, key);
    for (; x->nupdates < SERVE_TENSORS && named(text, "update ", x->nupdates, name); x->nupdates++)
        x->update[x->nupdates] = -1;
    if (!x->nupdates)
        return wf_model_bind(m->cx, file, method, out) == WF_OK;
    for (int i = 0; named(text, "state ", i, name); i++) {
        wf_array *a = wf_model_find_tensor(file, name);
        int changed = -1;

        for (int j = 0; j < x->nupdates; j++)
            if (named(text, "update ", j, other) && !strcmp(name, other))
                changed = j;
        if (!a || n == 4096)
            return wf_raise(m->cx, a ? WF_ERR_LIMIT : WF_ERR_NAME, "a method that changes tensors has too many, or one is missing"), false;
        if (changed < 0) {
            which[n] = i;
            bound[n++] = a;
        } else {
            x->update[changed] = x->nkept;
            x->kept[x->nkept++] = wf_array_retain(a);
        }
    }
    return wf_bind(m->cx, wf_model_find(file, method), which, bound, n, out) == WF_OK;
}

/* An executable for each lane. */
static bool compile(Models *m, const wf_program *p, ModelInstance *x)
{
    for (int i = 0; i < m->o->nlanes; i++) {
        wf_device *d;
        int k = 0;

        if (wf_device_find(m->cx, m->o->lanes[i].device, &d))
            return false;
        while (k < i && wf_exec_device(x->exec[k]) != d)
            k++;
        if (k < i)
            x->exec[i] = wf_exec_retain(x->exec[k]);
        else if (wf_device_ordinal(d) ? wf_prepare_on(m->cx, p, d, &x->exec[i]) : wf_compile(m->cx, p, 0, &x->exec[i]))
            return false;
    }
    return true;
}

static const char *method_of(const wf_model *file)
{
    int n = wf_model_programs(file);

    return wf_model_find(file, "forward") ? "forward"
           : wf_model_find(file, "main")  ? "main"
           : n                            ? wf_program_name(wf_model_program(file, n - 1))
                                          : "";
}

static void file_stamp(const char *path, const struct stat *st, char *out, size_t room)
{
    snprintf(out, room, "%s %lld %lld %ld", path, (long long)st->st_size,
             (long long)st->st_mtim.tv_sec, st->st_mtim.tv_nsec);
}

static ModelInstance *load(Models *m, const char *path, const char *name, const char *version,
                      const struct stat *st)
{
    ModelInstance *x = calloc(1, sizeof *x);
    const wf_program *p = NULL;
    wf_model *file = NULL;
    const char *dot = strrchr(path, '.');
    bool ok = false;

    if (!x)
        return NULL;
    atomic_init(&x->refs, 1);
    pthread_mutex_init(&x->lock, NULL);
    snprintf(x->name, sizeof x->name, "%s", name);
    snprintf(x->version, sizeof x->version, "%s", version);
    snprintf(x->path, sizeof x->path, "%s", path);
    snprintf(x->platform, sizeof x->platform, "weft%s%s", dot ? "_" : "",
             dot ? dot + 1 : "");
    x->time = st->st_mtim;
    x->size = st->st_size;
    x->stats = stats_of(m, name, version);
    if (x->stats && wf_model_load_copy(m->cx, path, &file) == WF_OK &&
        bind_method(m, file, method_of(file), x, &p))
        ok = describe(m, file, p, x) && compile(m, p, x);
    if (!ok) {
        fprintf(m->errors, "weft serve: %s: %s\n", path, wf_ctx_message(m->cx));
        fflush(m->errors);
        file_stamp(path, st, m->failed, sizeof m->failed);
        instance_release(x);
        x = NULL;
    }
    wf_clear(m->cx);
    wf_program_release(p);
    wf_model_free(file);
    return x;
}

/* ---- the folder -------------------------------------------------------------------- */

static bool is_model(const char *s)
{
    static const char *const ends[] = {".weft", ".onnx", ".wir"};
    size_t n = strlen(s);

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (n > strlen(ends[i]) && strcmp(s + n - strlen(ends[i]), ends[i]) == 0)
            return true;
    return false;
}

/* Puts x in place of number k, or behind all others: the old one lives as long as requests hold it. */
static void put(Models *m, int k, ModelInstance *x)
{
    ModelInstance *old = NULL;

    pthread_rwlock_wrlock(&m->lock);
    if (k < m->n) {
        old = m->v[k];
        m->v[k] = x;
    } else {
        if (m->n == m->room) {
            int room = m->room ? 2 * m->room : 16;
            ModelInstance **v = realloc(m->v, (size_t)room * sizeof *v);
            bool *seen = v ? realloc(m->seen, (size_t)room * sizeof *seen) : NULL;

            m->v = v ? v : m->v;
            m->seen = seen ? seen : m->seen;
            m->room = v && seen ? room : m->room;
        }
        if (m->n < m->room)
            m->v[m->n++] = x;
        else
            old = x;
    }
    if (k < m->n)
        m->seen[k] = true;
    pthread_rwlock_unlock(&m->lock);
    instance_release(old);
}

static void see(Models *m, const char *path, const char *name, const char *version)
{
    char stamp[sizeof m->failed];
    struct stat st;
    ModelInstance *x;
    int k = 0;

    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return;
    while (k < m->n &&
           (strcmp(m->v[k]->name, name) != 0 || strcmp(m->v[k]->version, version) != 0))
        k++;
    if (k < m->n)
        m->seen[k] = true;
    if (k < m->n && strcmp(m->v[k]->path, path) == 0 && m->v[k]->size == st.st_size &&
        m->v[k]->time.tv_sec == st.st_mtim.tv_sec &&
        m->v[k]->time.tv_nsec == st.st_mtim.tv_nsec)
        return;
    file_stamp(path, &st, stamp, sizeof stamp);
    if (strcmp(stamp, m->failed) != 0 && (x = load(m, path, name, version, &st)))
        put(m, k, x);
}

static int visible(const struct dirent *e) { return e->d_name[0] != '.'; }

static void see_versions(Models *m, const char *folder, const char *name)
{
    struct dirent **versions = NULL, **files = NULL;
    int n = scandir(folder, &versions, visible, alphasort);

    for (int i = 0; i < n; i++) {
        const char *v = versions[i]->d_name;
        char path[1024];
        int k = strspn(v, "0123456789") == strlen(v) && strlen(v) < 20 &&
                        snprintf(path, sizeof path, "%s/%s", folder, v) < (int)sizeof path
                    ? scandir(path, &files, visible, alphasort)
                    : -1;
        bool found = false;

        for (int j = 0; j < k; j++) {
            char file[2048];

            if (!found && is_model(files[j]->d_name) &&
                snprintf(file, sizeof file, "%s/%s", path, files[j]->d_name) < 1024) {
                see(m, file, name, v);
                found = true;
            }
            free(files[j]);
        }
        if (k >= 0)
            free(files);
        free(versions[i]);
    }
    free(versions);
}

void models_scan(Models *m)
{
    struct dirent **names = NULL;
    int n = scandir(m->o->folder, &names, visible, alphasort);

    if (n < 0)
        return; /* the folder is away for a moment: what is loaded serves on */
    if (m->n)
        memset(m->seen, 0, (size_t)m->n * sizeof *m->seen);
    for (int i = 0; i < n; i++) {
        char path[1024], name[128];
        struct stat st;

        if (snprintf(path, sizeof path, "%s/%s", m->o->folder, names[i]->d_name) <
                (int)sizeof path &&
            stat(path, &st) == 0 && strlen(names[i]->d_name) < sizeof name) {
            memcpy(name, names[i]->d_name, strlen(names[i]->d_name) + 1);
            if (S_ISDIR(st.st_mode)) {
                see_versions(m, path, name);
            } else if (is_model(name)) {
                *strrchr(name, '.') = 0;
                see(m, path, name, "1");
            }
        }
        free(names[i]);
    }
    free(names);
    pthread_rwlock_wrlock(&m->lock);
    for (int i = m->n - 1; i >= 0; i--)
        if (!m->seen[i]) {
            instance_release(m->v[i]);
            m->v[i] = m->v[--m->n];
            m->seen[i] = m->seen[m->n];
        }
    pthread_rwlock_unlock(&m->lock);
}

Models *models_open(const ServeOptions *o, wf_runtime *runtime, FILE *errors)
{
    Models *m = calloc(1, sizeof *m);
    wf_options c = {.size = sizeof c, .runtime = runtime};

    if (!m)
        return NULL;
    m->o = o;
    m->errors = errors;
    pthread_rwlock_init(&m->lock, NULL);
    if (!(m->cx = wf_ctx_new(&c))) {
        free(m);
        return NULL;
    }
    models_scan(m);
    return m;
}

void models_close(Models *m)
{
    for (int i = 0; i < m->n; i++)
        instance_release(m->v[i]);
    for (Kept *k = m->kept, *next; k; k = next) {
        next = k->next;
        free(k);
    }
    free(m->v);
    free(m->seen);
    wf_ctx_free(m->cx);
    pthread_rwlock_destroy(&m->lock);
    free(m);
}

ModelInstance *models_get(Models *m, const char *name, const char *version)
{
    ModelInstance *found = NULL;

    pthread_rwlock_rdlock(&m->lock);
    for (int i = 0; i < m->n; i++)
        if (strcmp(m->v[i]->name, name) == 0 &&
            (version ? strcmp(m->v[i]->version, version) == 0
                     : !found || atoll(m->v[i]->version) > atoll(found->version)))
            found = m->v[i];
    if (found)
        atomic_fetch_add(&found->refs, 1);
    pthread_rwlock_unlock(&m->lock);
    return found;
}

static int by_name(const void *a, const void *b)
{
    const ModelInstance *x = *(ModelInstance *const *)a, *y = *(ModelInstance *const *)b;
    int k = strcmp(x->name, y->name);
    long long v = atoll(x->version), w = atoll(y->version);

    return k ? k : (v > w) - (v < w);
}

void models_each(Models *m, void (*fn)(void *user, const ModelInstance *i), void *user)
{
    pthread_rwlock_rdlock(&m->lock);
    ModelInstance **v = calloc((size_t)m->n + 1, sizeof *v);
    int n = v ? m->n : 0;

    for (int i = 0; i < n; i++) {
        v[i] = m->v[i];
        atomic_fetch_add(&v[i]->refs, 1);
    }
    pthread_rwlock_unlock(&m->lock);
    if (n)
        qsort(v, (size_t)n, sizeof *v, by_name);
    for (int i = 0; i < n; i++) {
        fn(user, v[i]);
        instance_release(v[i]);
    }
    free(v);
}
