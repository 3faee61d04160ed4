/* data.c -- data sets: embedded digits, IDX, CSV and npy files, and a loader of batches.
 *
 * IDX     two zero bytes, a dtype byte, the rank, then big-endian u32 sizes and
 *         big-endian numbers
 * CSV     lines of numbers; blank lines are skipped; all rows have the same length
 */
#include "nn/nn.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nn/digits.h"

enum { DIGITS = 1797, PIXELS = 64 };

static wf_tensor refuse(wf_ctx *c, wf_status status, const char *path, const char *text)
{
    char message[600];

    snprintf(message, sizeof message, "%s: %s", path, text);
    wf_raise(c, status, message);
    return WF_NONE;
}

wf_status wf_data_digits(wf_ctx *c, wf_tensor *out_x, wf_tensor *out_y)
{
    const size_t x_bytes = sizeof(float) * DIGITS * PIXELS,
                 y_bytes = sizeof(int64_t) * DIGITS;
    float *x;
    int64_t *y;

    if (nn_null(c, out_x, "wf_data_digits", "place of the pictures") ||
        nn_null(c, out_y, "wf_data_digits", "place of the labels"))
        return wf_ctx_status(c);
    x = nn_alloc(c, x_bytes);
    y = nn_alloc(c, y_bytes);
    *out_x = *out_y = WF_NONE;
    for (int i = 0; x && y && i < DIGITS; i++) {
        for (int j = 0; j < PIXELS; j++)
            x[i * PIXELS + j] = (float)(digits[i][j] - 'A') / 16;
        y[i] = digits[i][PIXELS] - '0';
    }
    if (!wf_ctx_status(c)) {
        wf_scope_begin(c);
        *out_x = wf_from(c, WF_F32, (int64_t[]){DIGITS, PIXELS}, 2, x);
        *out_y = wf_from(c, WF_I64, (int64_t[]){DIGITS}, 1, y);
        if (wf_ctx_status(c)) {
            *out_x = *out_y = WF_NONE;
        } else {
            wf_keep(c, *out_x);
            wf_keep(c, *out_y);
        }
        wf_scope_end(c);
    }
    nn_free(c, x, x_bytes);
    nn_free(c, y, y_bytes);
    return wf_ctx_status(c);
}

typedef struct FileText { /* a file in memory, with a NUL behind it */
    char *s;          /* NULL after an error */
    size_t n, cap;
} FileText;

static void blob_free(wf_ctx *c, FileText *b) { nn_free(c, b->s, b->cap); }

static FileText slurp(wf_ctx *c, const char *path)
{
    FILE *f = wf_ctx_status(c) ? NULL : fopen(path, "rb");
    FileText b = {NULL, 0, 0};

    if (!f) {
        if (!wf_ctx_status(c))
            refuse(c, WF_ERR_IO, path, strerror(errno));
        return b;
    }
    while (b.n + 1 >= b.cap) { /* room for more than was there: the end is not seen yet */
        size_t cap = b.cap ? 2 * b.cap : 1 << 16;
        char *grown = wf_memory(c, b.s, b.cap, cap);
        if (!grown)
            break;
        b.s = grown;
        b.cap = cap;
        b.n += fread(b.s + b.n, 1, b.cap - b.n - 1, f);
    }
    if (ferror(f))
        refuse(c, WF_ERR_IO, path, "cannot be read");
    fclose(f);
    if (wf_ctx_status(c)) {
        blob_free(c, &b);
        return (FileText){NULL, 0, 0};
    }
    b.s[b.n] = 0;
    return b;
}

/* ---- IDX --------------------------------------------------------------------------- */

static wf_dtype idx_dtype(int code)
{
    switch (code) {
    case 0x08: return WF_U8;
    case 0x09: return WF_I8;
    case 0x0B: return WF_I16;
    case 0x0C: return WF_I32;
    case 0x0D: return WF_F32;
    case 0x0E: return WF_F64;
    default: return WF_INVALID;
    }
}

static bool is_little_endian(void) { return *(const char *)&(const int){1} == 1; }

static wf_tensor parse_idx(wf_ctx *c, const char *path, unsigned char *s, size_t size)
{
    wf_dtype dtype = size >= 4 && !s[0] && !s[1] ? idx_dtype(s[2]) : WF_INVALID;
    size_t item = wf_dtype_size(dtype), head = size >= 4 ? 4 + 4 * (size_t)s[3] : 0,
           count = 1;
    int64_t dims[WF_MAX_RANK];

    if (dtype == WF_INVALID)
        return refuse(c, WF_ERR_FORMAT, path,
                      size >= 2 && s[0] == 0x1f && s[1] == 0x8b
                          ? "is compressed: unpack it with gunzip"
                          : "is not an IDX file");
    if (s[3] > WF_MAX_RANK || head > size)
        return refuse(c, WF_ERR_FORMAT, path, "is cut short");
    for (int i = 0; i < s[3]; i++) {
        const unsigned char *p = s + 4 + 4 * i;
        dims[i] = (int64_t)p[0] << 24 | (int64_t)p[1] << 16 | (int64_t)p[2] << 8 | p[3];
        if (dims[i] && count > size / (size_t)dims[i])
            return refuse(c, WF_ERR_FORMAT, path, "is cut short");
        count *= (size_t)dims[i];
    }
    if (count != (size - head) / item || (size - head) % item)
        return refuse(c, WF_ERR_FORMAT, path,
                      "has more or fewer numbers than its shape says");
    for (size_t i = 0; i < count && item > 1 && is_little_endian(); i++)
        for (size_t j = 0; j < item / 2; j++) {
            unsigned char *a = s + head + i * item + j,
                          *b = s + head + (i + 1) * item - 1 - j, t = *a;
            *a = *b;
            *b = t;
        }
    return wf_from(c, dtype, dims, s[3], s + head);
}

wf_tensor wf_data_idx(wf_ctx *c, const char *path)
{
    FileText b = slurp(c, path);
    wf_tensor t = b.s ? parse_idx(c, path, (unsigned char *)b.s, b.n) : WF_NONE;

    blob_free(c, &b);
    return t;
}

/* ---- CSV --------------------------------------------------------------------------- */

static wf_tensor bad_csv(wf_ctx *c, const char *path, long line, const char *text)
{
    char message[120];

    snprintf(message, sizeof message, "line %ld: %s", line, text);
    return refuse(c, WF_ERR_FORMAT, path, message);
}

static wf_tensor parse_csv(wf_ctx *c, const char *path, char *s, char separator, int skip,
                           locale_t locale, double *x)
{
    int64_t rows = 0, columns = 0;
    size_t n = 0;
    long line = 1;

    for (; skip > 0 && *s; skip--, line++)
        s += strcspn(s, "\n"), s += *s == '\n';
    for (; *s; line++) {
        int64_t k = 0;
        size_t blank = strspn(s, " \t\r");
        if (s[blank] == '\n' || !s[blank]) {
            s += blank + (s[blank] == '\n');
            continue;
        }
        for (;;) {
            char *end;
            x[n++] = strtod_l(s, &end, locale);
            if (end == s)
                return bad_csv(c, path, line, "needed a number");
            k++;
            s = end + strspn(end, separator == '\t' ? " \r" : " \t\r");
            if (*s != separator)
                break;
            s++;
        }
        if (*s && *s != '\n')
            return bad_csv(c, path, line, "needed the separator or the end of the line");
        if (rows++ && k != columns)
            return bad_csv(c, path, line,
                           "has more or fewer numbers than the lines before");
        columns = k;
        s += *s == '\n';
    }
    return wf_from(c, WF_F64, (int64_t[]){rows, columns}, 2, x);
}

wf_tensor wf_data_csv(wf_ctx *c, const char *path, char separator, int skip)
{
    FileText b = slurp(c, path);
    /* a number and its separator: two bytes at least */
    size_t bytes = (b.n / 2 + 2) * sizeof(double);
    double *x = b.s ? nn_alloc(c, bytes) : NULL;
    locale_t locale = x ? newlocale(LC_NUMERIC_MASK, "C", (locale_t)0) : (locale_t)0;
    wf_tensor t = WF_NONE;

    if (locale) {
        t = parse_csv(c, path, b.s, separator, skip, locale, x);
        freelocale(locale);
    } else if (x) {
        wf_raise(c, WF_ERR_MEMORY, "out of memory");
    }
    nn_free(c, x, bytes);
    blob_free(c, &b);
    return t;
}

wf_tensor wf_data_npy(wf_ctx *c, const char *path)
{
    wf_array *a = NULL;
    wf_tensor t = wf_npy_load(c, path, &a) ? WF_NONE : wf_from_array(c, a);

    wf_array_release(a);
    return t;
}

/* ---- loader ------------------------------------------------------------------------ */

struct wf_loader {
    wf_generator *g; /* borrowed; NULL: no shuffling */
    wf_tensor *data; /* kept */
    int n;
    int64_t rows, batch, at; /* at: rows given out in this epoch */
    int64_t *order;
    bool drop_last;
};

void wf_loader_free(wf_ctx *c, wf_loader *l)
{
    if (!l)
        return;
    for (int i = 0; l->data && i < l->n; i++)
        if (!wf_is_none(l->data[i]))
            wf_drop(c, l->data[i]);
    nn_free(c, l->data, (size_t)l->n * sizeof *l->data);
    nn_free(c, l->order, (size_t)(l->rows + 1) * sizeof *l->order);
    nn_free(c, l, sizeof *l);
}

wf_loader *wf_loader_new(wf_ctx *c, const wf_tensor *data, int n, int64_t batch,
                         wf_generator *g, bool drop_last)
{
    wf_loader *l;
    int64_t rows = 0;

    if (nn_refuse(c, n < 1 || !data || batch < 1,
                  "wf_loader_new: needs data and a batch >= 1"))
        return NULL;
    for (int i = 0; i < n; i++) {
        int64_t size = wf_rank(c, data[i]) > 0 ? wf_size(c, data[i], 0) : -1;
        if (nn_refuse(c, size < 0 || (i && size != rows),
                      "wf_loader_new: tensors need the same number of rows"))
            return NULL;
        rows = size;
    }
    l = nn_alloc(c, sizeof *l);
    if (!l)
        return NULL;
    *l =
        (wf_loader){.g = g, .n = n, .rows = rows, .batch = batch, .drop_last = drop_last};
    l->data = nn_alloc(c, (size_t)n * sizeof *l->data);
    l->order = nn_alloc(c, (size_t)(rows + 1) * sizeof *l->order);
    if (!l->data || !l->order) {
        wf_loader_free(c, l);
        return NULL;
    }
    for (int i = 0; i < n; i++)
        l->data[i] = wf_keep(c, data[i]);
    return l;
}

int64_t wf_loader_batches(const wf_loader *l)
{
    return !l ? 0 : (l->rows + (l->drop_last ? 0 : l->batch - 1)) / l->batch;
}

bool wf_loader_next(wf_ctx *c, wf_loader *l, wf_tensor *out, int n)
{
    int64_t size;
    wf_tensor index;

    if (nn_null(c, l, "wf_loader_next", "loader") ||
        nn_null(c, out, "wf_loader_next", "place of the batch"))
        return false;
    if (n != l->n) {
        wf_raise(c, WF_ERR_ARG,
                 "wf_loader_next: needs a place for each tensor of the loader");
        return false;
    }
    if (wf_ctx_status(c))
        return false;
    size = l->rows - l->at < l->batch ? l->rows - l->at : l->batch;
    if (size == 0 || (l->drop_last && size < l->batch)) {
        l->at = 0;
        return false;
    }
    if (l->at == 0 && l->g && wf_permute_numbers(c, l->g, l->order, l->rows))
        return false;
    if (l->g)
        index = wf_from(c, WF_I64, &size, 1, l->order + l->at);
    for (int i = 0; i < l->n; i++)
        out[i] = l->g ? wf_take(c, l->data[i], index, 0)
                      : wf_narrow(c, l->data[i], 0, l->at, size);
    l->at += size;
    return !wf_ctx_status(c);
}
