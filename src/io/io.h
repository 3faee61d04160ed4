/* io.h -- files: one format, one source; its specification stands on top of it.
 *
 *   Blob, Writer   bytes of a file in memory; files written whole or not at all   file.c
 *   Json           the few parts of JSON that headers need                        json.c
 *   St             safetensors: tensors by name, and metadata
 *                  safetensors.c
 *   Zip            archives of files                                              zip.c
 *   npy            NumPy's arrays                                                 npy.c
 *   image          pictures, PNM and PNG                                          image.c
 *   Model          programs, tensors and metadata by name                         model.c
 *   .weft          a model in a safetensors file                                  weft.c
 *   Format         the table of formats, by which models are opened and saved     formats.c
 *   foreign        formats of other systems, which build programs                 import.c
 *   .npz, index    of sharded safetensors: tensors alone                          tensors.c
 *   GGUF           ggml's tensors, its blocks unpacked                            gguf.c
 *   array text     "f32[2] [1.5, 2.5]" and back
 *                  arraytext.c
 *   public.c       the functions of weft.h
 *
 * A file is hostile until it is read: every size is checked before it is used, and what
 * is wrong is WF_ERR_FORMAT with a reason. Everything here runs inside a protected
 * region.
 */
#ifndef WEFT_IO_H
#define WEFT_IO_H

#include "ir/ir.h"

#include <sys/types.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "files are little-endian and read as they are");

/* ---- file.c ------------------------------------------------------------------------ */

/* The bytes of a file, mapped or read. Counted; never written. */
typedef struct Blob {
    atomic_int refs;
    wf_allocator al;
    const char *data;
    size_t size;
    size_t room; /* memory taken for data; 0: it is mapped */
    bool copied; /* for a caller who wants no maps, of files that this one names either */
    dev_t device; /* which file it is; 0: none */
    ino_t number;
} Blob;

/* "FILE: input/output error: cannot WHAT: REASON". Always false. */
bool blob_fail(wf_ctx *cx, const char *path, const char *what, int error);
/* The whole file, held by the pool of the current call; NULL after an error. What cannot
 * be mapped (a pipe, a device) is read to its end. */
Blob *blob_open(wf_ctx *cx, const char *path);
Blob *blob_read(wf_ctx *cx, const char *path); /* never mapped */
Blob *blob_of(wf_ctx *cx, const char *path, int fd, bool map); /* the same of an open file, which is the pool's then */
Blob *blob_copy(wf_ctx *cx, const void *data, size_t size);
Blob *blob_retain(Blob *b);
void blob_release(void *blob);

/* A file being written: under another name beside the target, which it replaces at the
 * end. A target that is no plain file (a device, a pipe) is written directly. If
 * writer_commit is not reached, nothing is left behind. */
typedef struct Writer Writer;
Writer *writer_open(wf_ctx *cx,
                    const char *path); /* held by the pool; NULL after an error */
bool writer_put(Writer *w, const void *data, size_t size);
bool writer_commit(Writer *w);

/* ---- json.c ------------------------------------------------------------------------ */

/* A reader that is told what to expect. Strict: RFC 8259, UTF-8, no byte order mark. */
typedef struct Json {
    wf_ctx *cx;
    const char *file; /* for messages */
    const char *begin, *at, *end;
} Json;

bool json_fail(Json *j, const char *fmt, ...)
    PRINTF(2, 3);                /* at this place; always false */
bool json_take(Json *j, char c); /* is c next? then it is read */
bool json_need(Json *j, char c); /* c must be next */
bool json_end(Json *j);          /* nothing but white space is left */
/* In scratch, NUL-terminated; a string with a zero in it is refused. */
bool json_string(Json *j, const char **out);
bool json_size(Json *j, int64_t *out);   /* an integer from 0 to 2^63-1 */
void json_quote(Text *t, const char *s); /* "s", escaped */

/* ---- safetensors.c
 * ------------------------------------------------------------------ */

typedef struct StTensor {
    const char *name;
    wf_dtype dtype;
    uint32_t rank;
    const int64_t *dims;
    int64_t count;
    size_t begin, size; /* bytes, from the start of the data */
} StTensor;

typedef struct StMeta {
    const char *key, *value;
} StMeta;

typedef struct StFile {    /* in scratch */
    VEC(StTensor) tensors; /* in the order of the header */
    VEC(StMeta) metas;
    const char *data; /* where the data begins */
} StFile;

/* What is to be written: one of array and data. */
typedef struct StSource {
    const char *name;
    wf_dtype dtype;
    uint32_t rank;
    const int64_t *dims;
    wf_array *array;
    const void *data;
} StSource;

bool st_read(wf_ctx *cx, const char *file, const char *bytes, size_t size, StFile *out);
bool st_write(wf_ctx *cx, const char *path, const StSource *tensors, uint32_t ntensors,
              const StMeta *metas, uint32_t nmetas);

/* ---- zip.c -------------------------------------------------------------------------- */

typedef struct ZipEntry {
    const char *name;
    size_t at, packed, size; /* where its data is, and how long: in the archive, and unpacked */
    uint32_t crc;
    int method; /* 0: stored; 8: deflated */
} ZipEntry;

typedef struct Zip {
    wf_ctx *cx;
    Arena *a; /* what is unpacked lies here */
    const char *file, *data;
    size_t size;
    VEC(ZipEntry) entries; /* in the order of the directory */
} Zip;

bool zip_is(const char *data, size_t size); /* does it begin so? */
bool zip_has(const char *data, size_t size, const char *end); /* an entry whose name ends so; nothing is said of the rest */
bool zip_open(wf_ctx *cx, Arena *a, const char *file, const char *data, size_t size, Zip *out);
const ZipEntry *zip_find(const Zip *z, const char *name); /* NULL: absent */
/* Its e->size bytes: of a stored one those of the archive, else unpacked. NULL after an error. */
const char *zip_bytes(const Zip *z, const ZipEntry *e);

/* An archive being written, every entry stored, piece by piece through `put`. */
typedef struct ZipPut {
    const char *name;
    const void *data;
    size_t size;
    uint64_t at;
    uint32_t crc;
} ZipPut;

typedef struct ZipWriter {
    wf_ctx *cx;
    bool (*put)(struct ZipWriter *w, const void *data, size_t size);
    void *user;
    uint64_t at;
    VEC(ZipPut) entries;
} ZipWriter;

bool zip_put(ZipWriter *w, const char *name, const void *data, size_t size);
bool zip_end(ZipWriter *w); /* the directory */

/* ---- npy.c ------------------------------------------------------------------------- */

bool npy_read(wf_ctx *cx, const char *file, const char *bytes, size_t size,
              wf_array **out);
bool npy_write(wf_ctx *cx, const char *path, wf_array *a);
bool npy_head(wf_ctx *cx, const char *path, wf_array *a, Text *t); /* what stands before the numbers, added to t */

/* ---- image.c ----------------------------------------------------------------------- */

/* u8[height,width,channels] */
bool image_read(wf_ctx *cx, const char *file, const char *bytes, size_t size,
                wf_array **out);
/* Undo the filter of a line of n bytes of a PNG, of `pixel` bytes a pixel; up: the line before, NULL for the first. False:
 * there is no such filter. */
bool png_unfilter(int filter, unsigned char *line, const unsigned char *up, size_t n, size_t pixel);

/* ---- model.c ----------------------------------------------------------------------- */

typedef struct Named {
    char *name; /* in memory of its own */
    void *item;
} Named;

/* Things by name, in order. */
typedef struct NameTable {
    Named *v; /* one block with slots */
    uint32_t n, cap;
    uint32_t *slots; /* open addressing, 2 * cap entries: number + 1 */
} NameTable;

struct wf_model {
    wf_allocator al;
    int refs;           /* the caller's, and that of the pool of the call that makes it */
    NameTable programs; /* const Program */
    NameTable tensors;  /* wf_array */
    NameTable metas;    /* char, in memory of its own */
    NameTable codes;    /* wf_array of bytes; "avx2.<key>" */
};

wf_model *model_new(wf_ctx *cx); /* held by the pool */
void model_release(void *model);
void *model_get(const NameTable *t, const char *name); /* NULL: absent */
const Program *model_main(const wf_model *m); /* "main", else "forward", else the last; NULL: there is none */
/* What stands behind `kind` in the i-th line of a text (NULL: none) that begins so; NULL: there is no such line. */
const char *model_line(const char *text, const char *kind, uint32_t i, Arena *a);
void model_add_program(wf_ctx *cx, wf_model *m, const Program *p);
void model_set_tensor(wf_ctx *cx, wf_model *m, const char *name, wf_array *a);
void model_set_meta(wf_ctx *cx, wf_model *m, const char *key, const char *value);
void model_set_code(wf_ctx *cx, wf_model *m, const char *name, wf_array *a);

/* ---- beside.c ---------------------------------------------------------------------- */

/* The file `name` that a model names for data of its own: path is where the model was opened, own what was read there.
 * Mapped if that is, the caller's. WF_ERR_FORMAT where it is not in the model's folder, links followed. */
wf_status blob_open_beside(wf_ctx *cx, const char *path, const Blob *own, const char *name, Blob **out);

/* ---- code.c: what a model asks of its host ------------------------------------------- */

/* Machine code of m for the runtime of cx, where its options allow that; the log tells what is not taken. */
void model_use_code(wf_ctx *cx, const char *file, const wf_model *m);
/* Are all kernels of the host registered that programs of m call? */
bool model_has_kernels(wf_ctx *cx, const char *file, const wf_model *m);

/* ---- weft.c ------------------------------------------------------------------------ */

/* Text programs, .weft or safetensors, by content. */
bool model_read(wf_ctx *cx, const char *file, Blob *blob, wf_model *m);
bool model_write(wf_ctx *cx, wf_model *m, const char *path);

/* ---- formats.c --------------------------------------------------------------------- */

/* A kind of file, told by its content or by the end of its name. read and write run outside of any region, as functions of
 * the public headers do. */
typedef struct Format {
    const char *name;
    const char *suffix; /* ".onnx", or several: ".pt .pth" */
    bool (*is)(const char *data, size_t size); /* NULL: everything else */
    bool (*read)(wf_ctx *cx, const char *file, Blob *blob, const wf_import_options *given,
                 wf_model *m);
    bool (*write)(wf_ctx *cx, wf_model *m, const char *path); /* NULL: it cannot be written */
} Format;
extern const Format npz_format, st_index_format; /* tensors.c */
extern const Format gguf_format;      /* gguf.c */
/* A block of 256 elements (gguf_blocks.c). */
void gguf_unpack_iq1_m(const uint8_t *b, float *y), gguf_unpack_iq1_s(const uint8_t *b, float *y);
void gguf_unpack_iq2_s(const uint8_t *b, float *y), gguf_unpack_iq2_xs(const uint8_t *b, float *y);
void gguf_unpack_iq2_xxs(const uint8_t *b, float *y), gguf_unpack_iq3_s(const uint8_t *b, float *y);
void gguf_unpack_iq3_xxs(const uint8_t *b, float *y), gguf_unpack_tq1_0(const uint8_t *b, float *y);
extern const Format onnx_format;      /* onnx/import.c */
extern const Format ts_format; /* torchscript/write.c */
extern const Format stablehlo_format; /* stablehlo/import.c */
extern const Format tensorflow_format; /* tensorflow/import.c */
extern const Format torchfile_format; /* torchfile/import.c */
/* The model of a file, mapped or read, or of text where that is given. */
wf_status model_open(wf_ctx *cx, const char *path, bool map, const char *text, size_t size, const wf_import_options *o,
                     wf_model **out_model);

/* ---- import.c ------------------------------------------------------------------------ */

/* Files of other systems, up to a NULL. Not there, and NULL, in a static program that does not name wf_model_import or wf_model_parse_with. */
extern const Format *const foreign_formats[] __attribute__((weak));
#define FOREIGN_SUFFIXES ".onnx .pb .pt .pth .bin .gguf .mlir .ts .torchscript" /* what its rows have */

/* ---- arraytext.c ------------------------------------------------------------------- */

bool arraytext_print(wf_ctx *cx, wf_array *a, Text *out);
bool arraytext_parse(wf_ctx *cx, const char *text, wf_dtype dtype, uint64_t seed,
                 wf_array **out);

/* ---- what they share --------------------------------------------------------------- */

static inline Place in_file(const char *file) { return (Place){.file = file}; }

/* Release with the current call what a public function gave. */
static inline void array_drop(void *a) { wf_array_release(a); }
static inline wf_array *array_held(wf_ctx *cx, wf_array *a)
{
    pool_defer(cx, array_drop, a);
    return a;
}

#endif
