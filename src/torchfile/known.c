/* known.c -- the names a pickle may use, and what each makes. A list: what is not on it is refused.
 *
 *   tensors      torch._utils._rebuild_tensor_v2 (storage, offset, sizes, strides, requires_grad, hooks ..) and its kin
 *   containers   OrderedDict, defaultdict, Counter, set, frozenset; lists with type tags of TorchScript
 *   plain        torch.Size, torch.device, dtypes, complex, bytes; numpy's scalars and arrays
 *   classes      of an archive's own code (__torch__ ..): objects with a state, nothing of which is run
 */
#include "torchfile/torchfile.h"

/* ---- types ----------------------------------------------------------------------------- */

static const struct {
    const char *storage, *name;
    wf_dtype dtype;
} types[] = {
    {"FloatStorage", "float32", WF_F32},
    {"DoubleStorage", "float64", WF_F64},
    {"HalfStorage", "float16", WF_F16},
    {"BFloat16Storage", "bfloat16", WF_BF16},
    {"ByteStorage", "uint8", WF_U8},
    {"CharStorage", "int8", WF_I8},
    {"ShortStorage", "int16", WF_I16},
    {"IntStorage", "int32", WF_I32},
    {"LongStorage", "int64", WF_I64},
    {"BoolStorage", "bool", WF_BOOL},
    {"ComplexFloatStorage", "complex64", WF_C64},
    {"ComplexDoubleStorage", "complex128", WF_C128},
    {"", "uint16", WF_U16},
    {"", "uint32", WF_U32},
    {"", "uint64", WF_U64},
    {"", "float8_e4m3fn", WF_F8E4M3FN},
    {"", "float8_e5m2", WF_F8E5M2},
    {"", "float8_e4m3fnuz", WF_F8E4M3FNUZ},
    {"", "float8_e5m2fnuz", WF_F8E5M2FNUZ},
    {"", "float8_e8m0fnu", WF_F8E8M0FNU},
};

wf_dtype tf_dtype(const char *name)
{
    for (int i = 0; i < COUNT(types); i++)
        if (strcmp(types[i].name, name) == 0)
            return types[i].dtype;
    return WF_INVALID;
}

const char *tf_dtype_name(wf_dtype dtype)
{
    for (int i = 0; i < COUNT(types); i++)
        if (types[i].dtype == dtype)
            return types[i].name;
    return "";
}

/* ---- arguments ---------------------------------------------------------------------------- */

static bool is_int(const TfValue *v, int64_t *out)
{
    if (v->kind != TF_INT)
        return false;
    *out = v->i;
    return true;
}

static bool is_name(const TfValue *v, const char *name)
{
    return v->kind == TF_GLOBAL && strcmp(v->name, name) == 0;
}

static TfValue *copy_as(TfFile *f, const TfValue *of, TfKind kind, const char *name)
{
    TfValue *v = tf_value(f, kind);

    if (of->items.n)
        memcpy(vec_extend(f->a, &v->items, of->items.n), of->items.v,
               of->items.n * sizeof *of->items.v);
    v->name = name;
    return v;
}

static bool is_sequence(const TfValue *v)
{
    return v->kind == TF_TUPLE || v->kind == TF_LIST;
}

/* ---- tensors -------------------------------------------------------------------------------- */

static bool read_dims(const TfValue *v, int64_t *out, int *rank)
{
    if (v->kind == TF_CALL && strcmp(v->name, "torch.Size") == 0 && v->items.n == 1)
        v = v->items.v[0];
    if (!is_sequence(v) || v->items.n > WF_MAX_RANK)
        return false;
    *rank = (int)v->items.n;
    for (uint32_t i = 0; i < v->items.n; i++)
        if (!is_int(v->items.v[i], &out[i]) || out[i] < 0)
            return false;
    return true;
}

/* Every element lies in the storage. */
static bool fits(const TfTensor *t)
{
    int64_t last = t->offset, step, count = 1, room = t->storage->count;

    if (t->storage->dtype == WF_INVALID)
        room /= (int64_t)wf_dtype_size(t->dtype);
    for (int i = 0; i < t->rank; i++)
        if (!mul_i64(count, t->dims[i], &count))
            return false;
    if (count == 0)
        return t->offset <= room;
    for (int i = 0; i < t->rank; i++)
        if (!mul_i64(t->dims[i] - 1, t->strides[i], &step) || !add_i64(last, step, &last))
            return false;
    return last < room;
}

/* storage, offset, sizes, strides[, requires_grad, hooks, dtype or metadata] */
static TfValue *rebuild_tensor(TfFile *f, const TfValue *args, const char **why,
                               bool typed)
{
    TfValue *v, **a = args->items.v;
    TfTensor *t;
    int strides = 0;

    if (args->items.n < (typed ? 7u : 4u) || a[0]->kind != TF_STORAGE)
        return NULL;
    v = tf_value(f, TF_TENSOR);
    t = v->tensor = arena_zalloc(f->a, sizeof *t);
    t->storage = a[0]->storage;
    t->dtype = t->storage->dtype;
    if (typed) {
        const char *name =
            a[6]->kind == TF_GLOBAL && strncmp(a[6]->name, "torch.", 6) == 0
                ? a[6]->name + 6
                : "";

        t->dtype = tf_dtype(name);
        if (t->dtype == WF_INVALID) {
            *why =
                arena_printf(f->a, "a tensor of dtype '%.40s', which Weft has not", name);
            return NULL;
        }
        if (t->storage->dtype != WF_INVALID && t->storage->dtype != t->dtype)
            return *why = "the dtype is not that of its storage", NULL;
    } else if (t->dtype == WF_INVALID) {
        return *why = "a storage without a type", NULL;
    }
    if (!is_int(a[1], &t->offset) || t->offset < 0 ||
        !read_dims(a[2], t->dims, &t->rank) || !read_dims(a[3], t->strides, &strides) ||
        strides != t->rank)
        return *why = "offset, sizes and strides are not what they should be", NULL;
    if (!fits(t))
        return *why = "the tensor does not lie in its storage", NULL;
    t->requires_grad = args->items.n > 4 && a[4]->kind == TF_BOOL && a[4]->i;
    return v;
}

/* A parameter: data, requires_grad, hooks[, state] */
static TfValue *rebuild_parameter(TfFile *f, const TfValue *args)
{
    TfValue *v;

    if (args->items.n < 2 || args->items.v[0]->kind != TF_TENSOR ||
        args->items.v[1]->kind != TF_BOOL)
        return NULL;
    v = tf_value(f, TF_TENSOR);
    v->tensor = arena_dup(f->a, args->items.v[0]->tensor, sizeof *v->tensor);
    v->tensor->is_param = true;
    v->tensor->requires_grad = args->items.v[1]->i != 0;
    return v;
}

/* function, class, its arguments, state: of a tensor of a subclass or with attributes, which are left behind */
static TfValue *rebuild_from_type(TfFile *f, const TfValue *args, const char **why)
{
    TfValue **a = args->items.v, *v;

    if (args->items.n < 3 || a[0]->kind != TF_GLOBAL || a[2]->kind != TF_TUPLE)
        return NULL;
    if (is_name(a[0], "torch._tensor._rebuild_from_type_v2"))
        return NULL;
    if ((v = tf_call(f, a[0], a[2], why)) && v->kind == TF_TENSOR &&
        is_name(a[1], "torch.nn.parameter.Parameter"))
        v->tensor->is_param = true;
    return v;
}

/* "storage", its type, key, device, count[, view] */
TfValue *tf_persistent(TfFile *f, TfValue *id, const char **why)
{
    TfValue *v, **a = id->items.v;
    const char *name;
    wf_dtype dtype = WF_INVALID;
    int64_t count;
    bool found;

    if (id->kind != TF_TUPLE || id->items.n < 5 || a[0]->kind != TF_STR ||
        strcmp(a[0]->s, "storage") != 0 || a[1]->kind != TF_GLOBAL ||
        a[2]->kind != TF_STR || a[3]->kind != TF_STR || !is_int(a[4], &count) ||
        count < 0)
        return NULL;
    if (id->items.n > 5 && a[5]->kind != TF_NONE)
        return *why = "a view of another storage, as PyTorch 0.1 wrote it", NULL;
    name = strrchr(a[1]->name, '.') + 1;
    found = strcmp(name, "UntypedStorage") == 0;
    for (int i = 0; i < COUNT(types) && !found; i++)
        if (strcmp(types[i].storage, name) == 0)
            dtype = types[i].dtype, found = true;
    if (!found)
        return *why = arena_printf(f->a, "its type is '%.40s', which Weft has not", name),
               NULL;
    v = tf_value(f, TF_STORAGE);
    v->storage = tf_storage(f, a[2]->s, dtype, count, a[3]->s, why);
    return v->storage ? v : NULL;
}

/* ---- the list ----------------------------------------------------------------------------------- */

typedef enum Make {
    REFUSED, /* it is said why */
    PLAIN,   /* a name alone: a dtype, a class as an argument */
    HOST,    /* a value that the host makes: TF_CALL */
    DICT,
    SET,
    LIST,
    SAME, /* its first argument */
    TENSOR,
    TENSOR3,
    PARAMETER,
    FROM_TYPE,
    ENCODE
} Make;

static const struct {
    const char *name;
    Make make;
    const char *why;
} known[] = {
    {"torch._utils._rebuild_tensor", TENSOR, NULL},
    {"torch._utils._rebuild_tensor_v2", TENSOR, NULL},
    {"torch._utils._rebuild_tensor_v3", TENSOR3, NULL},
    {"torch._utils._rebuild_parameter", PARAMETER, NULL},
    {"torch._utils._rebuild_parameter_with_state", PARAMETER, NULL},
    {"torch._tensor._rebuild_from_type_v2", FROM_TYPE, NULL},
    {"torch._utils._rebuild_qtensor", REFUSED,
     "quantised tensors are refused: dequantize() them before saving"},
    {"torch._utils._rebuild_sparse_tensor", HOST, NULL},
    {"torch._utils._rebuild_nested_tensor", REFUSED, "nested tensors are refused"},
    {"torch._utils._rebuild_meta_tensor_no_storage", REFUSED,
     "a tensor without numbers (device meta)"},
    {"torch._utils._rebuild_device_tensor_from_numpy", REFUSED,
     "a tensor of a device that PyTorch writes by NumPy"},
    {"torch.nn.parameter.Parameter", PLAIN, NULL},
    {"torch.nn.parameter.Buffer", PLAIN, NULL},
    {"torch.Tensor", PLAIN, NULL},
    {"torch.Size", HOST, NULL},
    {"torch.device", HOST, NULL},
    {"torch.torch_version.TorchVersion", SAME, NULL},
    {"torch.serialization._get_layout", HOST, NULL},
    {"collections.OrderedDict", DICT, NULL},
    {"collections.defaultdict", DICT, NULL},
    {"collections.Counter", DICT, NULL},
    {"builtins.set", SET, NULL},
    {"builtins.frozenset", SET, NULL},
    {"builtins.list", LIST, NULL},
    {"builtins.dict", DICT, NULL},
    {"builtins.tuple", PLAIN, NULL},
    {"builtins.int", PLAIN, NULL},
    {"builtins.float", PLAIN, NULL},
    {"builtins.bool", PLAIN, NULL},
    {"builtins.str", PLAIN, NULL},
    {"builtins.complex", HOST, NULL},
    {"builtins.bytearray", HOST, NULL},
    {"_codecs.encode", ENCODE, NULL},
    {"numpy.core.multiarray._reconstruct", HOST, NULL},
    {"numpy.core.multiarray.scalar", HOST, NULL},
    {"numpy.dtype", HOST, NULL},
    {"numpy.ndarray", PLAIN, NULL},
    {"torch.jit._pickle.build_intlist", SAME, NULL},
    {"torch.jit._pickle.build_doublelist", SAME, NULL},
    {"torch.jit._pickle.build_boollist", SAME, NULL},
    {"torch.jit._pickle.build_tensorlist", SAME, NULL},
    {"torch.jit._pickle.restore_type_tag", SAME, NULL},
};

/* One spelling of names that have several. */
static const char *plain_name(Arena *a, const char *name)
{
    static const char *const ways[][2] = {{"__builtin__.", "builtins."},
                                          {"numpy._core.", "numpy.core."}};

    for (int i = 0; i < COUNT(ways); i++)
        if (strncmp(name, ways[i][0], strlen(ways[i][0])) == 0)
            return arena_printf(a, "%s%s", ways[i][1], name + strlen(ways[i][0]));
    return name;
}

bool tf_is_class(const TfFile *f, const char *name)
{
    return f->is_script && strncmp(name, "__torch__.", 10) == 0;
}

/* torch.float32, torch.FloatStorage, torch.storage.UntypedStorage; types Weft has not are met when they are used. */
static bool is_type(const char *name)
{
    static const char *const begins[] = {"float", "bfloat",  "int",   "uint",
                                         "bool",  "complex", "quint", "qint"};
    const char *last = strrchr(name, '.') + 1;
    size_t n = strlen(last);

    if (strncmp(name, "torch.", 6) != 0 ||
        (last != name + 6 && strncmp(name, "torch.storage.", 14) != 0))
        return false;
    if (n > 7 && strcmp(last + n - 7, "Storage") == 0)
        return true;
    for (int i = 0; i < COUNT(begins); i++)
        if (strncmp(last, begins[i], strlen(begins[i])) == 0)
            return true;
    return false;
}

static int find_known(const char *name)
{
    for (int i = 0; i < COUNT(known); i++)
        if (strcmp(known[i].name, name) == 0)
            return i;
    return -1;
}

bool tf_is_known(const TfFile *f, const char *name)
{
    return find_known(plain_name(f->a, name)) >= 0 || is_type(name) || tf_is_class(f, name);
}

/* Bytes of protocol 2: text whose characters are the bytes. */
static TfValue *encode_latin1(TfFile *f, const TfValue *args)
{
    TfValue *v, *s;
    char *to;

    if (args->items.n != 2 || (s = args->items.v[0])->kind != TF_STR ||
        args->items.v[1]->kind != TF_STR || strcmp(args->items.v[1]->s, "latin1") != 0)
        return NULL;
    v = tf_value(f, TF_BYTES);
    v->s = to = arena_alloc(f->a, s->n + 1);
    for (size_t i = 0; i < s->n;) {
        unsigned char c = (unsigned char)s->s[i++];

        if (c >= 0x80) {
            if ((c & 0xFC) != 0xC0)
                return NULL;
            c = (unsigned char)((c & 3) << 6 | ((unsigned char)s->s[i++] & 0x3F));
        }
        to[v->n++] = (char)c;
    }
    return v;
}

static TfValue *make_dict(TfFile *f, const char *name, const TfValue *args,
                          const char **why)
{
    const TfValue *from =
        args->items.n && args->items.v[args->items.n - 1]->kind == TF_DICT
            ? args->items.v[args->items.n - 1]
            : NULL;
    TfValue *v = from ? copy_as(f, from, TF_DICT, name) : tf_value(f, TF_DICT);

    v->name = strcmp(name, "builtins.dict") == 0 ? "" : name;
    if (strcmp(name, "collections.defaultdict") == 0) { /* its factory, a name, is kept */
        if (args->items.n && args->items.v[0]->kind != TF_GLOBAL &&
            args->items.v[0]->kind != TF_NONE)
            return *why = "a factory that is no name", NULL;
        v->state = args->items.n ? args->items.v[0] : NULL;
        return v;
    }
    if (args->items.n > 1)
        return NULL;
    if (args->items.n && !from) { /* a list of pairs, as Python 2 wrote them */
        if (!is_sequence(args->items.v[0]))
            return NULL;
        for (uint32_t i = 0; i < args->items.v[0]->items.n; i++) {
            const TfValue *pair = args->items.v[0]->items.v[i];

            if (!is_sequence(pair) || pair->items.n != 2)
                return NULL;
            vec_push(f->a, &v->items, pair->items.v[0]);
            vec_push(f->a, &v->items, pair->items.v[1]);
        }
    }
    return v;
}

TfValue *tf_call(TfFile *f, const TfValue *fn, TfValue *args, const char **why)
{
    const char *name = plain_name(f->a, fn->name);
    int k = find_known(name);
    TfValue *v;

    if (tf_is_class(f, name)) { /* an object; of an enum its value */
        v = copy_as(f, args, TF_OBJECT, name);
        return v;
    }
    switch (k < 0 ? REFUSED : known[k].make) {
    case TENSOR: return rebuild_tensor(f, args, why, false);
    case TENSOR3: return rebuild_tensor(f, args, why, true);
    case PARAMETER: return rebuild_parameter(f, args);
    case FROM_TYPE: return rebuild_from_type(f, args, why);
    case DICT: return make_dict(f, name, args, why);
    case SET:
    case LIST:
        if (args->items.n > 1 || (args->items.n && !is_sequence(args->items.v[0]) &&
                                  args->items.v[0]->kind != TF_SET))
            return NULL;
        v = args->items.n ? copy_as(f, args->items.v[0], TF_SET, "")
                          : tf_value(f, TF_SET);
        if (known[k].make == LIST)
            v->kind = TF_LIST;
        v->name = strcmp(name, "builtins.frozenset") == 0 ? "frozenset" : "";
        return v;
    case SAME: return args->items.n ? args->items.v[0] : NULL;
    case ENCODE: return encode_latin1(f, args);
    case HOST: return copy_as(f, args, TF_CALL, known[k].name);
    case PLAIN: *why = "it is not called in such files"; return NULL;
    case REFUSED: break;
    }
    *why = k >= 0 && known[k].why ? known[k].why : "it is not called in such files";
    return NULL;
}

bool tf_build(TfFile *f, TfValue *v, TfValue *state, const char **why)
{
    (void)f;
    (void)why;
    if (v->kind != TF_OBJECT && v->kind != TF_CALL && v->kind != TF_DICT)
        return false;
    v->state = state;
    return true;
}
