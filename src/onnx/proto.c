/* proto.c -- protocol buffers: bytes as messages, by a table of fields for each kind.
 *
 *   message = { key value }        key = field number << 3 | wire type, a varint
 *   wire types   0 varint: seven bits a byte, low ones first, the last byte below 128
 *                1 eight bytes    2 a varint of a length, then so many bytes    5 four bytes
 *   2 holds texts, bytes, messages, and lists of numbers without keys ("packed"), which may
 *   also be written one by one. A field that comes twice: the last one counts, lists grow.
 *   Fields that are not in the table are passed over.
 *
 * A message is read twice: once to count, so that lists are made in their size, and once to
 * fill. So memory is at most the size of one struct for each two bytes of the file.
 */
#include "onnx/onnx.h"

/* ---- the schema: onnx.proto, as far as it is used ------------------------------------- */

#define F OX_FIELD
#define M OX_FIELD_OF
#define END OX_FIELD_END

static const OxField entry_fields[] = {F(1, TEXT, OxEntry, key), F(2, TEXT, OxEntry, value), END};
static const OxMessage entry_message = {"StringStringEntryProto", sizeof(OxEntry), entry_fields};

static const OxField tensor_fields[] = {
    F(1, INTS, OxTensor, dims),      F(2, INT, OxTensor, type),
    F(4, FLOATS, OxTensor, floats),  F(5, INTS, OxTensor, ints32),
    F(6, BYTE_LIST, OxTensor, strings), F(7, INTS, OxTensor, ints64),
    F(8, TEXT, OxTensor, name),      F(9, BYTES, OxTensor, raw),
    F(10, DOUBLES, OxTensor, doubles), F(11, INTS, OxTensor, uints64),
    M(13, MESSAGES, OxTensor, external, entry_message), F(14, INT, OxTensor, location), END};
const OxMessage ox_tensor_message = {"TensorProto", sizeof(OxTensor), tensor_fields};

static const OxField sparse_fields[] = {M(1, MESSAGE, OxSparse, values, ox_tensor_message),
                                      M(2, MESSAGE, OxSparse, indices, ox_tensor_message),
                                      F(3, INTS, OxSparse, dims), END};
static const OxMessage sparse_message = {"SparseTensorProto", sizeof(OxSparse), sparse_fields};

static const OxField dim_fields[] = {F(1, INT, OxDim, value), F(2, TEXT, OxDim, param), END};
static const OxMessage dim_message = {"Dimension", sizeof(OxDim), dim_fields};
static const OxField shape_fields[] = {M(1, MESSAGES, OxShape, dims, dim_message), END};
static const OxMessage shape_message = {"TensorShapeProto", sizeof(OxShape), shape_fields};
static const OxField tensor_type_fields[] = {F(1, INT, OxTensorType, elem),
                                           M(2, MESSAGE, OxTensorType, shape, shape_message), END};
static const OxMessage tensor_type_message = {"TypeProto.Tensor", sizeof(OxTensorType), tensor_type_fields};
static const OxMessage type_message;
static const OxField elem_type_fields[] = {M(1, MESSAGE, OxElemType, elem, type_message), END};
static const OxMessage elem_type_message = {"TypeProto.Sequence", sizeof(OxElemType), elem_type_fields};
static const OxField no_fields[] = {END};
static const OxMessage map_type_message = {"TypeProto.Map", sizeof(OxElemType), no_fields};
static const OxField type_fields[] = {M(1, MESSAGE, OxType, tensor, tensor_type_message),
                                    M(4, MESSAGE, OxType, sequence, elem_type_message),
                                    M(5, MESSAGE, OxType, map, map_type_message),
                                    M(9, MESSAGE, OxType, optional, elem_type_message), END};
static const OxMessage type_message = {"TypeProto", sizeof(OxType), type_fields};
static const OxField info_fields[] = {F(1, TEXT, OxInfo, name), M(2, MESSAGE, OxInfo, type, type_message), END};
static const OxMessage info_message = {"ValueInfoProto", sizeof(OxInfo), info_fields};

static const OxMessage graph_message;
static const OxField attr_fields[] = {
    F(1, TEXT, OxAttr, name),        F(2, FLOAT, OxAttr, f),
    F(3, INT, OxAttr, i),            F(4, BYTES, OxAttr, s),
    M(5, MESSAGE, OxAttr, t, ox_tensor_message), M(6, MESSAGE, OxAttr, g, graph_message),
    F(7, FLOATS, OxAttr, floats),    F(8, INTS, OxAttr, ints),
    F(9, BYTE_LIST, OxAttr, strings), M(10, MESSAGES, OxAttr, tensors, ox_tensor_message),
    F(20, INT, OxAttr, type),        F(21, TEXT, OxAttr, ref),
    M(22, MESSAGE, OxAttr, sparse, sparse_message), END};
static const OxMessage attr_message = {"AttributeProto", sizeof(OxAttr), attr_fields};

static const OxField node_fields[] = {F(1, TEXTS, OxNode, in),
                                    F(2, TEXTS, OxNode, out),
                                    F(3, TEXT, OxNode, name),
                                    F(4, TEXT, OxNode, op),
                                    M(5, MESSAGES, OxNode, attrs, attr_message),
                                    F(7, TEXT, OxNode, domain),
                                    F(8, TEXT, OxNode, overload), END};
static const OxMessage node_message = {"NodeProto", sizeof(OxNode), node_fields};

static const OxField graph_fields[] = {M(1, MESSAGES, OxGraph, nodes, node_message),
                                     F(2, TEXT, OxGraph, name),
                                     M(5, MESSAGES, OxGraph, init, ox_tensor_message),
                                     M(11, MESSAGES, OxGraph, in, info_message),
                                     M(12, MESSAGES, OxGraph, out, info_message),
                                     M(13, MESSAGES, OxGraph, infos, info_message),
                                     M(15, MESSAGES, OxGraph, sparse_init, sparse_message), END};
static const OxMessage graph_message = {"GraphProto", sizeof(OxGraph), graph_fields};

static const OxField opset_fields[] = {F(1, TEXT, OxOpset, domain), F(2, INT, OxOpset, version), END};
static const OxMessage opset_message = {"OperatorSetIdProto", sizeof(OxOpset), opset_fields};

static const OxField function_fields[] = {
    F(1, TEXT, OxFunction, name),     F(4, TEXTS, OxFunction, in),
    F(5, TEXTS, OxFunction, out),     F(6, TEXTS, OxFunction, attr_names),
    M(7, MESSAGES, OxFunction, nodes, node_message), M(9, MESSAGES, OxFunction, opsets, opset_message),
    F(10, TEXT, OxFunction, domain),  M(11, MESSAGES, OxFunction, attrs, attr_message),
    F(13, TEXT, OxFunction, overload), END};
static const OxMessage function_message = {"FunctionProto", sizeof(OxFunction), function_fields};

static const OxField model_fields[] = {F(1, INT, OxModel, ir_version),
                                     F(2, TEXT, OxModel, producer),
                                     F(3, TEXT, OxModel, producer_version),
                                     F(4, TEXT, OxModel, domain),
                                     F(5, INT, OxModel, model_version),
                                     F(6, TEXT, OxModel, doc),
                                     M(7, MESSAGE, OxModel, graph, graph_message),
                                     M(8, MESSAGES, OxModel, opsets, opset_message),
                                     M(14, MESSAGES, OxModel, metas, entry_message),
                                     M(25, MESSAGES, OxModel, functions, function_message), END};
const OxMessage ox_model_message = {"ModelProto", sizeof(OxModel), model_fields};

static const OxField sequence_fields[] = {F(2, INT, OxSequence, elem),
                                        M(3, MESSAGES, OxSequence, tensors, ox_tensor_message),
                                        M(5, MESSAGES, OxSequence, sequences, ox_sequence_message),
                                        M(7, MESSAGES, OxSequence, optionals, ox_sequence_message), END};
const OxMessage ox_sequence_message = {"SequenceProto", sizeof(OxSequence), sequence_fields};

/* ---- the wire -------------------------------------------------------------------------- */

#define DEEPEST 96 /* messages inside messages */

typedef struct Wire {
    OxMemory *m;
    const char *file, *format, *begin;
    int depth;
} Wire;

typedef struct Part { /* what is left of a message */
    const unsigned char *at, *end;
} Part;

typedef struct Item { /* a field as it stands there */
    int number, wire;
    uint64_t value; /* wire 0, 1, 5 */
    Part bytes;     /* wire 2 */
} Item;

static bool varint(Part *p, uint64_t *out)
{
    uint64_t v = 0;

    for (int shift = 0; shift < 70 && p->at < p->end; shift += 7) {
        unsigned char b = *p->at++;

        if (shift < 64)
            v |= (uint64_t)(b & 127) << shift;
        if (b < 128) {
            *out = v;
            return true;
        }
    }
    return false;
}

static bool fixed(Part *p, size_t n, uint64_t *out)
{
    *out = 0;
    if ((size_t)(p->end - p->at) < n)
        return false;
    memcpy(out, p->at, n);
    p->at += n;
    return true;
}

static bool next_item(Part *p, Item *it)
{
    uint64_t key, n;

    if (!varint(p, &key) || key >> 3 == 0 || key >> 3 > 1u << 29)
        return false;
    it->number = (int)(key >> 3);
    it->wire = (int)(key & 7);
    switch (it->wire) {
    case 0: return varint(p, &it->value);
    case 1: return fixed(p, 8, &it->value);
    case 5: return fixed(p, 4, &it->value);
    case 2:
        if (!varint(p, &n) || n > (size_t)(p->end - p->at))
            return false;
        it->bytes = (Part){p->at, p->at + n};
        p->at += n;
        return true;
    default: return false;
    }
}

static bool bad(Wire *w, const OxMessage *kind, const unsigned char *at, const char *what)
{
    char text[400];

    snprintf(text, sizeof text, "%.200s: not %s: %s in a %s at byte %zu", w->file, w->format, what, kind->name,
             (size_t)((const char *)at - w->begin));
    wf_raise(w->m->c, WF_ERR_FORMAT, text);
    return false;
}

static const OxField *field_of(const OxMessage *kind, int number)
{
    for (const OxField *f = kind->fields; f->number; f++)
        if (f->number == number)
            return f;
    return NULL;
}

static size_t item_size(OxFieldKind k)
{
    return k == OX_F_FLOATS ? sizeof(float) : k == OX_F_BYTE_LIST ? sizeof(OxBytes) : 8;
}

/* Which wire type a field has; lists of numbers also have 2. */
static int wire_of(OxFieldKind k)
{
    return k == OX_F_INT || k == OX_F_INTS ? 0 : k == OX_F_FLOAT || k == OX_F_FLOATS ? 5 : k == OX_F_DOUBLES ? 1 : 2;
}

/* How many numbers a packed list has; -1: its size does not fit. */
static int64_t packed_count(const OxField *f, Part p)
{
    size_t size = f->kind == OX_F_FLOATS ? 4 : 8;
    int64_t n = 0;

    if (f->kind != OX_F_INTS)
        return (size_t)(p.end - p.at) % size ? -1 : (int64_t)((size_t)(p.end - p.at) / size);
    for (const unsigned char *s = p.at; s < p.end; s++)
        n += *s < 128;
    return n;
}

typedef struct AnyList {
    void *v;
    size_t n;
} AnyList;

/* First pass: the lengths of lists, as n; then their memory. */
static bool count_lists(Wire *w, const OxMessage *kind, Part p, void *msg)
{
    Item it;

    while (p.at < p.end) {
        const unsigned char *at = p.at;
        const OxField *f;

        if (!next_item(&p, &it))
            return bad(w, kind, at, "a broken field");
        if (!(f = field_of(kind, it.number)))
            continue;
        bool packed = it.wire == 2 && f->kind >= OX_F_INTS && f->kind <= OX_F_DOUBLES;
        int64_t n = packed ? packed_count(f, it.bytes) : 1;
        if ((!packed && it.wire != wire_of(f->kind)) || n < 0)
            return bad(w, kind, at, "a field of another kind");
        if (f->kind >= OX_F_INTS)
            ((AnyList *)(void *)((char *)msg + f->offset))->n += (size_t)n;
    }
    for (const OxField *f = kind->fields; f->number; f++) {
        AnyList *l = (AnyList *)(void *)((char *)msg + f->offset);

        if (f->kind < OX_F_INTS || !l->n)
            continue;
        if (!(l->v = ox_alloc(w->m, l->n, item_size(f->kind))))
            return false;
        l->n = 0;
    }
    return true;
}

static void *read_message(Wire *w, const OxMessage *kind, Part p);

static bool put_packed(const OxField *f, Part p, AnyList *l)
{
    uint64_t v;

    while (p.at < p.end) {
        if (f->kind == OX_F_INTS) {
            if (!varint(&p, &v))
                return false;
            ((uint64_t *)l->v)[l->n++] = v;
        } else {
            size_t size = f->kind == OX_F_FLOATS ? 4 : 8, n = (size_t)(p.end - p.at) / size;
            memcpy((char *)l->v + l->n * size, p.at, n * size);
            l->n += n;
            p.at = p.end;
        }
    }
    return true;
}

/* One value into the place `to`. */
static bool put_value(Wire *w, const OxField *f, const Item *it, void *to)
{
    size_t n = it->wire == 2 ? (size_t)(it->bytes.end - it->bytes.at) : 0;
    OxBytes bytes = {(const char *)it->bytes.at, n};
    void *p;

    switch (f->kind) {
    case OX_F_INT:
    case OX_F_INTS:
    case OX_F_DOUBLES: memcpy(to, &it->value, 8); return true;
    case OX_F_FLOAT:
    case OX_F_FLOATS: memcpy(to, &it->value, 4); return true;
    case OX_F_BYTES:
    case OX_F_BYTE_LIST: memcpy(to, &bytes, sizeof bytes); return true;
    case OX_F_TEXT:
    case OX_F_TEXTS: p = ox_string(w->m, bytes.data, n); break;
    default: p = read_message(w, f->of, it->bytes);
    }
    memcpy(to, &p, sizeof p);
    return p != NULL;
}

static bool fill(Wire *w, const OxMessage *kind, Part p, void *msg)
{
    Item it = {0};

    while (p.at < p.end) {
        const unsigned char *at = p.at;
        const OxField *f;
        char *to;

        next_item(&p, &it);
        if (!(f = field_of(kind, it.number)))
            continue;
        if (f->number < 64)
            *(uint64_t *)msg |= UINT64_C(1) << f->number;
        to = (char *)msg + f->offset;
        if (f->kind >= OX_F_INTS) {
            AnyList *l = (AnyList *)(void *)to;

            if (it.wire == 2 && f->kind <= OX_F_DOUBLES) {
                if (!put_packed(f, it.bytes, l))
                    return bad(w, kind, at, "a broken number");
                continue;
            }
            to = (char *)l->v + l->n++ * item_size(f->kind);
        }
        if (!put_value(w, f, &it, to))
            return false;
    }
    return true;
}

static void *read_message(Wire *w, const OxMessage *kind, Part p)
{
    void *msg;

    if (w->depth == DEEPEST) {
        bad(w, kind, p.at, "messages nested too deep");
        return NULL;
    }
    w->depth++;
    msg = ox_alloc(w->m, 1, kind->size);
    if (msg && (!count_lists(w, kind, p, msg) || !fill(w, kind, p, msg)))
        msg = NULL;
    w->depth--;
    return msg;
}

void *ox_read(OxMemory *m, const char *file, const char *format, const OxMessage *kind, const char *data, size_t size)
{
    Wire w = {m, file, format, data, 0};
    const unsigned char *at = (const unsigned char *)data;

    return read_message(&w, kind, (Part){at, at + size});
}

bool ox_fits(const OxMessage *kind, int must, const char *data, size_t size)
{
    Part p = {(const unsigned char *)data, (const unsigned char *)data + size};
    bool found = false;
    Item it = {0};

    while (p.at < p.end) {
        const OxField *f;

        if (!next_item(&p, &it) || it.number > 30)
            return false;
        f = field_of(kind, it.number);
        if (f && it.wire != wire_of(f->kind))
            return false;
        found = found || it.number == must;
    }
    return found;
}

bool ox_is_model(const char *data, size_t size) { return ox_fits(&ox_model_message, 7, data, size); }
