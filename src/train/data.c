/* data.c -- columns of rows from files: npy, npz (and whatever else holds tensors by name), CSV, IDX, folders of pictures.
 *
 *   FOLDER         a folder for each class, in the order of their names, with pictures of one size: x, y
 *   FILE.csv       numbers; a first line of names is known by not being numbers: all columns but the target, the target
 *   FILE.npz ..    tensors by name: all but "y", "target", "label" (or the last), then that
 *   digits         the 8x8 digits that are in the library: x, y
 *   FILE.npy, IDX  one column each, in the order given; the last is the target
 */
#include "train/train.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

wf_status train_fail(wf_ctx *cx, wf_status status, const char *fmt, ...)
{
    char text[1000];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return wf_raise(cx, status, text);
}

void train_rows_free(TrainRows *r)
{
    for (int i = 0; i < r->n; i++)
        wf_array_release(r->v[i]);
    *r = (TrainRows){.n = 0};
}

/* One more column; the reference is taken over. */
static wf_status add_column(wf_ctx *cx, TrainRows *r, wf_array *a, const char *name)
{
    int64_t count = a && wf_array_rank(a) > 0 ? wf_array_dims(a)[0] : -1;
    wf_status s = wf_ctx_status(cx);

    if (s == WF_OK && count < 0)
        s = train_fail(cx, WF_ERR_SHAPE, "%s: a single number has no rows", name);
    else if (s == WF_OK && r->n && count != r->count)
        s = train_fail(cx, WF_ERR_SHAPE, "%s has %lld rows, what comes before %lld", name,
                       (long long)count, (long long)r->count);
    else if (s == WF_OK && r->n == TRAIN_COLUMNS)
        s = train_fail(cx, WF_ERR_LIMIT, "more than %d columns of data", TRAIN_COLUMNS);
    if (s != WF_OK) {
        wf_array_release(a);
        return s;
    }
    r->bytes[r->n] = wf_array_dtype(a) == WF_U8;
    r->v[r->n++] = a;
    r->count = count;
    return WF_OK;
}

static wf_status add_tensor(wf_ctx *cx, TrainRows *r, wf_tensor t, const char *name)
{
    wf_array *a = NULL, *whole = NULL;

    if (wf_ctx_status(cx) == WF_OK && wf_to_array(cx, t, &a) == WF_OK)
        wf_array_contiguous(cx, a, &whole);
    wf_array_release(a);
    return add_column(cx, r, whole, name);
}

static bool ends_in(const char *s, const char *end)
{
    size_t n = strlen(s), k = strlen(end);

    return n >= k && strcmp(s + n - k, end) == 0;
}

/* ---- CSV --------------------------------------------------------------------------- */

/* The first line of the file, malloc'ed, without its end. */
static char *first_line(wf_ctx *cx, const char *path)
{
    FILE *f = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;

    if (!f || getline(&line, &room, f) < 0) {
        train_fail(cx, WF_ERR_IO, "%s: %s", path,
                   f && !ferror(f) ? "is empty" : strerror(errno));
        free(line);
        line = NULL;
    } else {
        line[strcspn(line, "\r\n")] = 0;
    }
    if (f)
        fclose(f);
    return line;
}

static bool is_number(const char *s, size_t n)
{
    char text[64], *end;

    if (n == 0 || n >= sizeof text)
        return false;
    memcpy(text, s, n);
    text[n] = 0;
    strtod(text, &end);
    return end[strspn(end, " ")] == 0;
}

/* Which column the target is: by its name in the first line, by its number from 1, or the last. -1: there is none. */
static int64_t find_target(const char *line, char separator, const char *target,
                           bool *out_named)
{
    int64_t n = 0, found = -1;
    size_t k;

    *out_named = false;
    for (const char *s = line;; s += k + 1) {
        const char *end = strchr(s, separator);

        k = end ? (size_t)(end - s) : strlen(s);
        *out_named |= !is_number(s, k);
        if (target && strlen(target) == k && memcmp(target, s, k) == 0)
            found = n;
        n++;
        if (!end)
            break;
    }
    if (!target)
        return n - 1;
    if (found < 0 && is_number(target, strlen(target)) && atoll(target) >= 1 &&
        atoll(target) <= n)
        found = atoll(target) - 1;
    return found;
}

static wf_status load_csv(wf_ctx *cx, const TrainOptions *o, const char *path, bool alone,
                          TrainRows *r)
{
    char *line = first_line(cx, path), separator = line && strchr(line, ';')    ? ';'
                                                   : line && strchr(line, '\t') ? '\t'
                                                                                : ',';
    bool named = false;
    int64_t target = line ? find_target(line, separator, o->target, &named) : 0;
    wf_tensor all, x;

    free(line);
    if (wf_ctx_status(cx))
        return wf_ctx_status(cx);
    if (alone && target < 0)
        return train_fail(cx, WF_ERR_NAME, "%s has no column '%s'", path, o->target);
    all = wf_data_csv(cx, path, separator, named);
    if (!alone)
        return add_tensor(cx, r, all, path);
    if (wf_ctx_status(cx) == WF_OK && wf_size(cx, all, 1) < 2)
        return train_fail(
            cx, WF_ERR_SHAPE,
            "%s has one column: numbers to learn from and a target are needed", path);
    x = wf_concat(cx,
                  (wf_tensor[]){wf_narrow(cx, all, 1, 0, target),
                                wf_narrow(cx, all, 1, target + 1,
                                          wf_size(cx, all, 1) - target - 1)},
                  2, 1);
    if (add_tensor(cx, r, x, path))
        return wf_ctx_status(cx);
    x = wf_reshape(cx, wf_narrow(cx, all, 1, target, 1), (int64_t[]){wf_size(cx, all, 0)},
                   1);
    return add_tensor(cx, r, x, path);
}

/* ---- folders of pictures ----------------------------------------------------------- */

/* folder/name, malloc'ed; NULL after an error */
static char *path_in(wf_ctx *cx, const char *folder, const char *name)
{
    size_t n = strlen(folder) + strlen(name) + 2;
    char *path = malloc(n);

    if (path)
        snprintf(path, n, "%s/%s", folder, name);
    else
        train_fail(cx, WF_ERR_MEMORY, "out of memory");
    return path;
}

static int visible(const struct dirent *e) { return e->d_name[0] != '.'; }

static bool is_picture(const char *name)
{
    static const char *const ends[] = {".png", ".ppm", ".pgm", ".pbm", ".pnm", ".PNG"};

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends_in(name, ends[i]))
            return true;
    return false;
}

typedef struct Pictures {
    unsigned char *pixels; /* malloc'ed; row after row of [channels,height,width] */
    int64_t *classes, n, room;
    int64_t dims[3]; /* height, width, channels; 0: none yet */
} Pictures;

static wf_status add_picture(wf_ctx *cx, Pictures *p, const char *path, int64_t label)
{
    wf_array *a = NULL;
    const unsigned char *from;
    const int64_t *d;
    int64_t size;

    if (wf_image_load(cx, path, &a))
        return wf_ctx_status(cx);
    d = wf_array_dims(a);
    if (!p->n)
        memcpy(p->dims, d, sizeof p->dims);
    size = p->dims[0] * p->dims[1] * p->dims[2];
    if (memcmp(p->dims, d, sizeof p->dims) != 0)
        train_fail(
            cx, WF_ERR_SHAPE,
            "%s is %lldx%lld with %lld channels, the first picture %lldx%lld with %lld",
            path, (long long)d[1], (long long)d[0], (long long)d[2],
            (long long)p->dims[1], (long long)p->dims[0], (long long)p->dims[2]);
    if (wf_ctx_status(cx) == WF_OK && p->n == p->room) {
        int64_t room = p->room ? 2 * p->room : 64;
        unsigned char *pixels = realloc(p->pixels, (size_t)(room * size));
        int64_t *classes;

        p->pixels = pixels ? pixels : p->pixels;
        classes = realloc(p->classes, (size_t)room * sizeof *classes);
        p->classes = classes ? classes : p->classes;
        p->room = room;
        if (!pixels || !classes)
            train_fail(cx, WF_ERR_MEMORY, "out of memory");
    }
    if (wf_ctx_status(cx) == WF_OK) {
        from = wf_array_data(a);
        for (int64_t i = 0; i < size;
             i++) /* [height,width,channels] -> [channels,height,width] */
            p->pixels[p->n * size + i % d[2] * (d[0] * d[1]) + i / d[2]] = from[i];
        p->classes[p->n++] = label;
    }
    wf_array_release(a);
    return wf_ctx_status(cx);
}

static wf_status add_class(wf_ctx *cx, Pictures *p, const char *folder, int64_t label)
{
    struct dirent **names = NULL;
    int n = scandir(folder, &names, visible, alphasort);

    for (int i = 0; i < n; i++) {
        char *path = is_picture(names[i]->d_name) && !wf_ctx_status(cx)
                         ? path_in(cx, folder, names[i]->d_name)
                         : NULL;

        if (path)
            add_picture(cx, p, path, label);
        free(path);
        free(names[i]);
    }
    free(names);
    return wf_ctx_status(cx);
}

static wf_status load_pictures(wf_ctx *cx, const char *folder, TrainRows *r)
{
    struct dirent **names = NULL;
    int n = scandir(folder, &names, visible, alphasort);
    int64_t label = 0;
    Pictures p = {.n = 0};
    struct stat st;

    for (int i = 0; i < n; i++) {
        char *path = wf_ctx_status(cx) ? NULL : path_in(cx, folder, names[i]->d_name);

        if (path && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
            add_class(cx, &p, path, label++);
        free(path);
        free(names[i]);
    }
    free(names);
    if (!wf_ctx_status(cx) && (label < 2 || !p.n))
        train_fail(cx, WF_ERR_VALUE,
                   "%s: a folder for each class with PNG or PNM pictures in it is "
                   "needed, found %lld "
                   "folders with %lld pictures",
                   folder, (long long)label, (long long)p.n);
    wf_scope_begin(cx);
    if (!wf_ctx_status(cx)) {
        add_tensor(cx, r,
                   wf_from(cx, WF_U8, (int64_t[]){p.n, p.dims[2], p.dims[0], p.dims[1]},
                           4, p.pixels),
                   folder);
        add_tensor(cx, r, wf_from(cx, WF_I64, &p.n, 1, p.classes), folder);
    }
    wf_scope_end(cx);
    free(p.pixels);
    free(p.classes);
    return wf_ctx_status(cx);
}

/* ---- tensors by name --------------------------------------------------------------- */

static bool is_target_name(const char *s)
{
    static const char *const names[] = {"y",     "Y",      "target", "targets",
                                        "label", "labels", "y_train"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(s, names[i]) == 0)
            return true;
    return false;
}

static wf_status load_named(wf_ctx *cx, const TrainOptions *o, const char *path, TrainRows *r)
{
    wf_model *m = NULL;
    int n, target = -1;

    if (wf_model_load(cx, path, &m))
        return wf_ctx_status(cx);
    n = wf_model_tensors(m);
    for (int i = 0; i < n; i++)
        if (o->target ? strcmp(wf_model_tensor_name(m, i), o->target) == 0
                      : is_target_name(wf_model_tensor_name(m, i)))
            target = i;
    if (n < 2)
        train_fail(cx, WF_ERR_NAME,
                   "%s: an input and a target are needed, it has %d tensors", path, n);
    else if (target < 0 && o->target)
        train_fail(cx, WF_ERR_NAME, "%s has no target '%s'", path, o->target);
    if (target < 0)
        target = n - 1;
    for (int i = 0; i <= n && !wf_ctx_status(cx); i++) {
        int k = i == n ? target : i;
        wf_array *whole = NULL;

        if (i == target || wf_array_contiguous(cx, wf_model_tensor(m, k), &whole))
            continue;
        add_column(cx, r, whole, wf_model_tensor_name(m, k));
    }
    wf_model_free(m);
    return wf_ctx_status(cx);
}

/* ---- all kinds --------------------------------------------------------------------- */

static wf_status load_digits(wf_ctx *cx, TrainRows *r)
{
    wf_tensor x, y;

    if (wf_data_digits(cx, &x, &y))
        return wf_ctx_status(cx);
    add_tensor(cx, r, x, "digits");
    add_tensor(cx, r, y, "digits");
    wf_drop(cx, x);
    wf_drop(cx, y);
    return wf_ctx_status(cx);
}

static wf_status load_word(wf_ctx *cx, const TrainOptions *o, const char *word,
                           bool alone, TrainRows *r)
{
    struct stat st;

    if (alone && strcmp(word, "digits") == 0 && stat(word, &st) != 0)
        return load_digits(cx, r);
    if (stat(word, &st) != 0)
        return train_fail(cx, WF_ERR_IO, "%s: %s", word, strerror(errno));
    if (S_ISDIR(st.st_mode))
        return alone ? load_pictures(cx, word, r)
                     : train_fail(cx, WF_ERR_VALUE,
                                  "%s: a folder of pictures has its targets; no "
                                  "other data goes with it",
                                  word);
    if (ends_in(word, ".csv") || ends_in(word, ".tsv"))
        return load_csv(cx, o, word, alone, r);
    if (ends_in(word, ".npy"))
        return add_tensor(cx, r, wf_data_npy(cx, word), word);
    if (ends_in(word, ".npz") || ends_in(word, ".safetensors") || ends_in(word, ".weft"))
        return load_named(cx, o, word, r);
    return add_tensor(cx, r, wf_data_idx(cx, word), word);
}

wf_status train_rows_load(wf_ctx *cx, const TrainOptions *o, const char *const *words, int n,
                    TrainRows *out)
{
    *out = (TrainRows){.n = 0};
    wf_scope_begin(cx);
    for (int i = 0; i < n && !wf_ctx_status(cx); i++)
        load_word(cx, o, words[i], n == 1, out);
    wf_scope_end(cx);
    if (!wf_ctx_status(cx) && out->n < 2)
        train_fail(cx, WF_ERR_VALUE, "%s is one column: targets are needed, too",
                   words[0]);
    if (!wf_ctx_status(cx) && out->count < 1)
        train_fail(cx, WF_ERR_VALUE, "%s has no rows", words[0]);
    if (wf_ctx_status(cx))
        train_rows_free(out);
    return wf_ctx_status(cx);
}

/* ---- as the model takes it --------------------------------------------------------- */

/* "0.48,0.45,0.4" as a tensor [n,1,1] for n channels, or a number */
static wf_tensor channels(wf_ctx *cx, const char *text, int rank, const char *option)
{
    double v[64];
    int64_t n = 0, dims[WF_MAX_RANK] = {0};
    char *end;

    for (const char *s = text; n < 64; s = end + 1) {
        v[n++] = strtod(s, &end);
        if (end == s || (*end && *end != ',')) {
            train_fail(cx, WF_ERR_VALUE, "--%s=%s: needs numbers with commas between",
                       option, text);
            return WF_NONE;
        }
        if (!*end)
            break;
    }
    dims[0] = n;
    for (int i = 1; i < rank - 1; i++)
        dims[i] = 1;
    return wf_cast(cx, wf_from(cx, WF_F64, dims, rank > 1 ? rank - 1 : 1, v), WF_F32);
}

static wf_tensor scaled(wf_ctx *cx, const TrainOptions *o, wf_tensor x, bool bytes)
{
    double scale = o->scale != 0 ? o->scale : bytes ? 255 : 1;
    int rank = wf_rank(cx, x);

    if (scale != 1)
        x = wf_div(cx, x, wf_float(cx, scale));
    if (o->mean)
        x = wf_sub(cx, x, channels(cx, o->mean, rank, "mean"));
    if (o->std)
        x = wf_div(cx, x, channels(cx, o->std, rank, "std"));
    return x;
}

wf_status train_rows_fit(wf_ctx *cx, const TrainOptions *o, TrainRows *r, int i, wf_dtype dtype,
                   const int64_t *dims, int rank, bool is_input)
{
    int64_t to[WF_MAX_RANK] = {r->count},
            each = r->count ? wf_array_count(r->v[i]) / r->count : 0, known = 1;
    bool open = false; /* a size that is free */
    wf_array *a = NULL, *whole = NULL;
    wf_tensor x;

    for (int k = 1; k < rank; k++) {
        open |= dims[k] < 0;
        known *= to[k] = dims[k];
    }
    wf_scope_begin(cx);
    x = wf_from_array(cx, r->v[i]);
    if (rank > 0 && !open && known == each)
        x = wf_reshape(cx, x, to, rank);
    if (wf_dtype_of(cx, x) != dtype)
        x = wf_cast(cx, x, dtype);
    if (is_input && wf_dtype_is_float(dtype))
        x = wf_cast(cx, scaled(cx, o, x, r->bytes[i]), dtype);
    if (!wf_ctx_status(cx) && !wf_to_array(cx, x, &a) &&
        !wf_array_contiguous(cx, a, &whole)) {
        wf_array_release(r->v[i]);
        r->v[i] = whole;
    }
    wf_array_release(a);
    wf_scope_end(cx);
    return wf_ctx_status(cx);
}

wf_status train_rows_batch(wf_ctx *cx, const TrainRows *r, const int64_t *order, int64_t from,
                     int64_t n, wf_array **out)
{
    int64_t dims[WF_MAX_RANK];

    memset(out, 0, (size_t)r->n * sizeof *out);
    for (int i = 0; i < r->n && !wf_ctx_status(cx); i++) {
        wf_array *a = r->v[i];
        size_t row = (size_t)wf_array_count(a) * wf_dtype_size(wf_array_dtype(a)) /
                     (size_t)r->count;
        char *to;

        memcpy(dims, wf_array_dims(a), (size_t)wf_array_rank(a) * sizeof *dims);
        dims[0] = n;
        if (wf_array_new(cx, wf_array_dtype(a), dims, wf_array_rank(a), &out[i]))
            break;
        to = wf_array_data_mutable(out[i]);
        for (int64_t k = 0; k < n; k++)
            memcpy(to + (size_t)k * row,
                   (const char *)wf_array_data(a) +
                       (size_t)(order ? order[from + k] : from + k) * row,
                   row);
    }
    for (int i = 0; wf_ctx_status(cx) && i < r->n; i++) {
        wf_array_release(out[i]);
        out[i] = NULL;
    }
    return wf_ctx_status(cx);
}

wf_status train_rows_split(wf_ctx *cx, TrainRows *r, int64_t n, int64_t seed, TrainRows *out_rest)
{
    int64_t *order = malloc((size_t)r->count * sizeof *order);
    TrainRows first = *r, rest = *r;
    wf_generator *g = NULL;

    *out_rest = (TrainRows){.n = 0};
    if (!order)
        return train_fail(cx, WF_ERR_MEMORY, "out of memory");
    if (!wf_generator_new(cx, (uint64_t)seed, &g) &&
        !wf_permute_numbers(cx, g, order, r->count) &&
        !train_rows_batch(cx, r, order, 0, n, first.v) &&
        !train_rows_batch(cx, r, order, n, r->count - n, rest.v)) {
        first.count = n;
        rest.count = r->count - n;
        train_rows_free(r);
        *r = first;
        *out_rest = rest;
    }
    wf_generator_free(g);
    free(order);
    return wf_ctx_status(cx);
}
