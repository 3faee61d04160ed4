/* torchfile.h -- PyTorch's files as data.
 *
 *     bytes ─ archive.c ─▶ storages, pickle ─ pickle.c ─▶ values ─┬─ import.c ─▶ wf_model
 *                                                                └─ script/engine ─▶ what torch.load gives
 *
 *   pickle.c    the machine that pickles are programs of, with a list of the names it knows
 *   known.c     that list, and what each name makes
 *   archive.c   zip archives (torch.save since 1.6, TorchScript) and the older streams of pickles
 *   import.c    a file as a wf_model: tensors by name; and a model's tensors as a state dict
 *
 * A pickle says which functions to call. None is ever called: names on the list make values here, any other name is an error
 * that says it. What is read lies in an arena of the caller's; all of it runs inside a protected region.
 */
#ifndef WEFT_TORCHFILE_H
#define WEFT_TORCHFILE_H

#include "io/io.h"

typedef enum TfKind {
    TF_NONE,
    TF_BOOL,
    TF_INT,
    TF_LONG,    /* s: two's complement, the lowest byte first */
    TF_FLOAT,
    TF_STR,
    TF_BYTES,
    TF_TUPLE,
    TF_LIST,
    TF_DICT,    /* items: key, value, key, value ..; name: of its class, "" for dict */
    TF_SET,     /* name: "frozenset" or "" */
    TF_GLOBAL,  /* a name of the list: "torch.float32" */
    TF_CALL,    /* what the name made of items: torch.Size, torch.device, complex, numpy's arrays .. */
    TF_STORAGE,
    TF_TENSOR,
    TF_OBJECT,  /* of a class of the archive's own code; state: its attributes */
    TF_MARK
} TfKind;

typedef struct TfStorage {
    const char *key, *device;
    wf_dtype dtype; /* WF_INVALID: bytes without a type */
    int64_t count;  /* elements, or bytes */
    const char *data;
    uint32_t number; /* in the file */
} TfStorage;

typedef struct TfTensor {
    TfStorage *storage;
    wf_dtype dtype;
    int rank;
    int64_t offset; /* in elements */
    int64_t dims[WF_MAX_RANK], strides[WF_MAX_RANK];
    bool requires_grad, is_param;
} TfTensor;

typedef struct TfValue TfValue;
struct TfValue {
    TfKind kind;
    uint32_t number;      /* every value has one */
    int64_t i;            /* TF_BOOL, TF_INT */
    double f;
    const char *s;        /* TF_STR (NUL behind it), TF_BYTES, TF_LONG */
    size_t n;
    const char *name;     /* TF_DICT, TF_SET, TF_GLOBAL, TF_CALL, TF_OBJECT */
    VEC(TfValue *) items;
    TfValue *state;       /* what BUILD gave it; NULL: nothing */
    TfStorage *storage;
    TfTensor *tensor;
};

typedef struct TfFile {
    wf_ctx *cx;
    Arena *a; /* where all of it lies */
    const char *file;
    const char *data;
    size_t size;
    bool is_zip, is_script; /* script: it has code or a graph of its own */
    const char *folder;     /* in the archive, with its slash */
    Zip zip;
    const char *store;      /* folder of storages: "data/", "constants/" */
    Interner keys;
    VEC(TfStorage *) storages; /* of all pickles read so far, by number */
    TfStorage **slots;      /* by interned key: open addressing */
    uint32_t nslots;
    uint32_t nvalues;
} TfFile;

/* ---- pickle.c ------------------------------------------------------------------------ */

/* One pickle at *at of the bytes; *at is then behind it. where: for messages. NULL after an error. */
TfValue *tf_unpickle(TfFile *f, const char *where, const char *data, size_t size, size_t *at);
TfValue *tf_value(TfFile *f, TfKind kind);
bool tf_fail(TfFile *f, const char *where, size_t at, const char *fmt, ...) PRINTF(4, 5);

/* ---- known.c -------------------------------------------------------------------------- */

bool tf_is_known(const TfFile *f, const char *name); /* "torch._utils._rebuild_tensor_v2" */
bool tf_is_class(const TfFile *f, const char *name); /* a class of the archive's own code */
/* What a known name makes of its arguments, and how a value takes its state. NULL, false with a reason in *why. */
TfValue *tf_call(TfFile *f, const TfValue *fn, TfValue *args, const char **why);
bool tf_build(TfFile *f, TfValue *v, TfValue *state, const char **why);
TfValue *tf_persistent(TfFile *f, TfValue *id, const char **why); /* a storage */

/* ---- archive.c -------------------------------------------------------------------------- */

bool tf_is_file(const char *data, size_t size);
bool tf_open(wf_ctx *cx, Arena *a, const char *file, const char *data, size_t size, TfFile *out);
TfValue *tf_root(TfFile *f); /* what was saved. NULL after an error */
/* Bytes of an entry of an archive; NULL, without an error: there is none, or it is no archive. */
const char *tf_entry(TfFile *f, const char *name, size_t *size);
/* The storage of that key, entered at need. */
TfStorage *tf_storage(TfFile *f, const char *key, wf_dtype dtype, int64_t count, const char *device, const char **why);

/* ---- import.c ------------------------------------------------------------------------------ */

/* The tensor as an array on memory of the file, which blob holds. */
wf_array *tf_array(TfFile *f, const TfTensor *t, Blob *blob);
/* script/engine/files.c: an archive that has code; its programs are made by the script language. NULL in a static program that
 * does not call the script language: it need not have it. */
bool torchscript_read(wf_ctx *cx, const char *file, Blob *blob, const wf_import_options *given, wf_model *m)
    __attribute__((weak));
/* Writing pickles: a text; one tensor, row-major, on storage i; and ZipWriter.put into a Writer. */
void tf_put_text(Text *t, const char *s);
void tf_put_tensor(Text *t, wf_array *a, uint32_t i, bool grad);
bool tf_put_file(ZipWriter *z, const void *data, size_t size);
wf_dtype tf_dtype(const char *name); /* "float32"; WF_INVALID: Weft has none */
const char *tf_dtype_name(wf_dtype dtype);

#endif
