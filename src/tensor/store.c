/* store.c -- memory of tensors, tensor objects, strided views, and reading them.
 *
 * A Storage is a counted block with a version; tensors are windows on it. Small blocks and tensor
 * objects go to free lists of the context, so that a loop of small ops takes no memory from the
 * allocator. A result of the runtime stays in the array it came in.
 */
#include "runtime/array.h"
#include "tensor/tensor.h"

/* ---- storage ---- */

#define HEAD ((sizeof(Storage) + 63) & ~(size_t)63)

static int size_class(size_t bytes)
{
    for (int k = 0; k < FREE_SIZES; k++)
        if (bytes <= (size_t)64 << k)
            return k;
    return FREE_SIZES;
}

static Storage *store_new(wf_ctx *c, size_t bytes)
{
    Tensors *s = c->tensors;
    int k = size_class(bytes);
    size_t room = k < FREE_SIZES ? (size_t)64 << k : bytes;
    Storage *b;

    if (k < FREE_SIZES && (b = s->free_stores[k]) != NULL) {
        s->free_stores[k] = b->next;
    } else {
        b = mem_alloc(&c->al, HEAD + room + 48);
        if (!b) {
            fail_memory(c);
            return NULL;
        }
        b->bytes = HEAD + room + 48;
        b->data = (void *)(((uintptr_t)b + sizeof *b + 63) & ~(uintptr_t)63);
    }
    b->refs = 1;
    b->version = 0;
    b->written = NOWHERE;
    b->born = s->trace ? s->trace->id : 0;
    b->inference = s->inference;
    b->array = NULL;
    b->part = NULL;
    b->cx = c;
    s->live_bytes += (int64_t)room;
    return b;
}

static void store_release(wf_ctx *c, Storage *b)
{
    Tensors *s = c->tensors;
    int k;

    if (--b->refs)
        return;
    if (b->array) {
        tensor_release(c, b->part);
        s->live_bytes -= (int64_t)b->bytes;
        wf_array_release(b->array);
        b->next = s->free_heads;
        s->free_heads = b;
        return;
    }
    s->live_bytes -= (int64_t)(b->bytes - HEAD - 48);
    k = size_class(b->bytes - HEAD - 48);
    if (k == FREE_SIZES) {
        mem_free(&c->al, b, b->bytes);
        return;
    }
    b->next = s->free_stores[k];
    s->free_stores[k] = b;
}

/* ---- tensor objects ---- */

static Tensor *tensor_blank(wf_ctx *c, wf_dtype dtype, uint32_t rank)
{
    Tensors *s = ts(c);
    Tensor *t;

    if (!s)
        return NULL;
    if ((t = s->free_tensors) != NULL) {
        s->free_tensors = t->next;
    } else if (!(t = mem_alloc(&c->al, sizeof *t))) {
        fail_memory(c);
        return NULL;
    }
    memset(t, 0, sizeof *t);
    t->refs = 1;
    t->dtype = (uint8_t)dtype;
    t->rank = (uint8_t)rank;
    t->dims = t->room;
    t->strides = t->room + 4;
    if (rank > 4) {
        t->dims = mem_alloc(&c->al, 2 * rank * sizeof *t->dims);
        if (!t->dims) {
            fail_memory(c);
            t->next = s->free_tensors;
            s->free_tensors = t;
            return NULL;
        }
        t->strides = t->dims + rank;
    }
    return t;
}

Tensor *tensor_retain(Tensor *t)
{
    t->refs++;
    return t;
}

void tensor_release(wf_ctx *c, Tensor *t)
{
    RecordNode *node;

    if (!t || --t->refs)
        return;
    node = t->node;
    if (node && node->leaf == t)
        node->leaf = NULL;
    if (t->grad)
        tensor_release(c, t->grad);
    tensor_release(c, t->root);
    tensor_release(c, t->base);
    wf_array_release(t->array);
    if (t->store)
        store_release(c, t->store);
    if (t->rank > 4)
        mem_free(&c->al, t->dims, 2 * t->rank * sizeof *t->dims);
    t->next = c->tensors->free_tensors;
    c->tensors->free_tensors = t;
    if (node)
        node_release(c, node);
}

static bool pack_strides(Tensor *t)
{
    int64_t n = 1, bytes;

    for (uint32_t i = t->rank; i-- > 0;) {
        t->strides[i] = n;
        n = t->dims[i] > 0 && n <= INT64_MAX / t->dims[i] ? n * t->dims[i] : n;
    }
    t->packed = true;
    return type_size((wf_dtype)t->dtype, t->dims, t->rank, &t->count, &bytes);
}

Tensor *tensor_new(wf_ctx *c, wf_dtype dtype, const int64_t *dims, uint32_t rank)
{
    Tensor *t = tensor_blank(c, dtype, rank);

    if (!t)
        return NULL;
    if (rank)
        memcpy(t->dims, dims, rank * sizeof *dims);
    if (!pack_strides(t)) {
        tensor_release(c, t);
        tensor_fail(c, WF_ERR_LIMIT, "a shape has too many elements");
        return NULL;
    }
    t->store = store_new(c, (size_t)t->count * wf_dtype_size(dtype));
    if (!t->store) {
        tensor_release(c, t);
        return NULL;
    }
    return t;
}

static bool is_packed(const Tensor *t)
{
    int64_t n = 1;

    for (uint32_t i = t->rank; t->count && i-- > 0; n *= t->dims[i])
        if (t->dims[i] != 1 && t->strides[i] != n)
            return false;
    return true;
}

Tensor *tensor_view(wf_ctx *c, Tensor *base, wf_dtype dtype, const int64_t *dims,
                    const int64_t *strides, uint32_t rank, int64_t offset)
{
    Tensor *t = tensor_blank(c, dtype, rank);
    int64_t bytes;

    if (!t)
        return NULL;
    if (rank) {
        memcpy(t->dims, dims, rank * sizeof *dims);
        memcpy(t->strides, strides, rank * sizeof *strides);
    }
    t->offset = offset;
    t->locked = base->locked;
    type_size(dtype, dims, rank, &t->count, &bytes);
    t->packed = is_packed(t);
    t->store = base->store;
    t->store->refs++;
    return t;
}

Tensor *tensor_alias(wf_ctx *c, Tensor *t)
{
    Tensor *v;

    if (t->symbolic) {
        v = tensor_blank(c, (wf_dtype)t->dtype, t->rank);
        if (!v)
            return NULL;
        if (t->rank)
            memcpy(v->dims, t->dims, t->rank * sizeof *t->dims);
        v->symbolic = true;
        v->trace = t->trace;
        v->val = t->val;
    } else {
        v = tensor_view(c, t, (wf_dtype)t->dtype, t->dims, t->strides, t->rank,
                        t->offset);
    }
    if (v) {
        v->weak = t->weak;
        v->layout = t->layout;
    }
    return v;
}

/* What of a tensor is memory and the view of it changes places. */
static void swap_memory(Tensor *a, Tensor *b)
{
    Tensor t = *a;
    bool own_a = a->dims == a->room, own_b = b->dims == b->room;

    a->dtype = b->dtype, b->dtype = t.dtype;
    a->rank = b->rank, b->rank = t.rank;
    a->packed = b->packed, b->packed = t.packed;
    a->root = b->root, b->root = t.root; /* y's alias has none */
    a->count = b->count, b->count = t.count;
    a->offset = b->offset, b->offset = t.offset;
    a->store = b->store, b->store = t.store;
    a->array = b->array, b->array = t.array;
    memcpy(a->room, b->room, sizeof a->room);
    a->dims = own_b ? a->room : b->dims;
    a->strides = own_b ? a->room + 4 : b->strides;
    memcpy(b->room, t.room, sizeof b->room);
    b->dims = own_a ? b->room : t.dims;
    b->strides = own_a ? b->room + 4 : t.strides;
}

bool tensor_set_data(wf_ctx *c, wf_tensor hx, wf_tensor hy)
{
    IN_CALL(c);
    Tensor *x = tensor_get(c, hx, "set_data"), *y = tensor_get(c, hy, "set_data"), *v;

    if (!x || !y)
        return false;
    if (x->symbolic || y->symbolic || (x->node && x->node->prim)) {
        tensor_fail(c, WF_ERR_VALUE, "set_data: needs concrete tensors, the first a leaf");
        return false;
    }
    if (!(v = tensor_alias(c, y)))
        return false;
    swap_memory(x, v);
    tensor_release(c, v);
    return true;
}

Tensor *tensor_symbol(wf_ctx *c, Trace *tr, Val v)
{
    Type type = b_type(tr->b, v);
    Tensor *t = tensor_blank(c, (wf_dtype)type.dtype, type.rank);

    if (!t)
        return NULL;
    if (type.rank)
        memcpy(t->dims, type.dims, type.rank * sizeof *type.dims);
    t->symbolic = true;
    t->trace = tr->id;
    t->val = v;
    t->count = -1;
    return t;
}

void tensor_become(wf_ctx *c, Tensor *t, const Tensor *y)
{
    wf_array_release(t->array);
    store_release(c, t->store);
    tensor_release(c, t->root);
    t->array = NULL;
    t->store = NULL;
    t->root = NULL;
    t->packed = false;
    t->symbolic = true;
    t->count = -1;
    t->trace = y->trace;
    t->val = y->val;
    t->base = y->base ? tensor_retain(y->base) : NULL;
    t->stamp = y->stamp;
    t->view_op = y->view_op;
    t->view_attr = y->view_attr;
    t->view_index = y->view_index;
    t->view_unsure = y->view_unsure;
}

Tensor *tensor_from_array(wf_ctx *c, wf_array *a)
{
    uint32_t rank = (uint32_t)wf_array_rank(a);
    Tensor *t = tensor_blank(c, wf_array_dtype(a), rank);
    Storage *b = t ? c->tensors->free_heads : NULL;

    if (b)
        c->tensors->free_heads = b->next;
    else if (!t || !(b = mem_alloc(&c->al, sizeof *b))) {
        fail_memory(c);
        tensor_release(c, t);
        wf_array_release(a);
        return NULL;
    }
    *b = (Storage){.refs = 1,
                   .cx = c,
                   .array = a,
                   .born = c->tensors->trace ? c->tensors->trace->id : 0,
                   .inference = c->tensors->inference};
    b->data = (void *)(uintptr_t)wf_array_data(a); /* may_write asks whether it may be */
    if (rank) {
        memcpy(t->dims, wf_array_dims(a), rank * sizeof *t->dims);
        memcpy(t->strides, wf_array_strides(a), rank * sizeof *t->strides);
    }
    t->count = wf_array_count(a);
    t->packed = is_packed(t);
    t->store = b;
    t->array = wf_array_retain(a);
    b->bytes = (size_t)t->count * wf_dtype_size(wf_array_dtype(a));
    c->tensors->live_bytes += (int64_t)b->bytes;
    return t;
}

static void drop_store(void *owner)
{
    Storage *b = owner;

    store_release(b->cx, b);
}

wf_array *tensor_array(wf_ctx *c, Tensor *t)
{
    if (t->array)
        return t->array;
    if (!tensor_is_here(t)) {
        array_view(c, t->store->array, (wf_dtype)t->dtype, t->dims, t->strides, t->rank,
                   t->offset, &t->array);
        return t->array;
    }
    t->store->refs++; /* the array's own */
    if (wf_array_wrap(c, (wf_dtype)t->dtype, t->dims, t->rank, t->strides, tensor_data(t),
                      drop_store, t->store, &t->array) != WF_OK)
        t->store->refs--;
    return t->array;
}

/* ---- elements ---- */

static void copy_elements(const Tensor *t, char *packed, bool to_packed)
{
    size_t size = wf_dtype_size((wf_dtype)t->dtype);
    char *data = tensor_data(t);
    int64_t at[MAX_RANK] = {0}, off = 0;

    if (t->packed) {
        if (t->count)
            memcpy(to_packed ? packed : data, to_packed ? data : packed,
                   (size_t)t->count * size);
        return;
    }
    for (int64_t i = 0; i < t->count; i++) {
        char *p = data + off * (int64_t)size;
        memcpy(to_packed ? packed + (size_t)i * size : p,
               to_packed ? p : packed + (size_t)i * size, size);
        for (uint32_t k = t->rank; k-- > 0;) {
            off += t->strides[k];
            if (++at[k] < t->dims[k])
                break;
            off -= t->strides[k] * t->dims[k];
            at[k] = 0;
        }
    }
}

bool tensor_read(const Tensor *t, void *out)
{
    wf_ctx *c = t->store->cx;
    wf_array *a;

    if (tensor_is_here(t)) {
        copy_elements(t, out, true);
        return true;
    }
    if (t->store->part)
        return fail(c, WF_ERR_VALUE, NOWHERE, "a tensor of which this process has a part is read as a whole");
    a = tensor_array(c, (Tensor *)(uintptr_t)t);
    return a && array_copy_out(c, a, out);
}

Tensor *tensor_copy(wf_ctx *c, Tensor *t)
{
    Tensor *n;
    wf_array *a;

    if (tensor_is_parted(t))
        return c->tensors->parted->copy(c, t);
    if (!tensor_is_here(t)) {
        if (!(a = tensor_array(c, t)) || !array_copy(c, a, &a))
            return NULL;
        return tensor_from_array(c, a);
    }
    n = tensor_new(c, (wf_dtype)t->dtype, t->dims, t->rank);
    if (n)
        tensor_read(t, tensor_data(n));
    return n;
}

void tensor_write(Tensor *t, const void *data)
{
    copy_elements(t, (char *)(uintptr_t)data, false);
}

const char *size_text(wf_ctx *c, Dim d)
{
    IN_GRAPH_OF_SIZE(c, d);
    Text text;
    Trace *tr = c->tensors->trace;

    text_init(&text, &c->errors);
    if (d >= 0)
        text_int(&text, d);
    else if (tr && dim_is_of(&tr->b->dims, d))
        dim_print(&tr->b->dims, d, &text);
    else
        text_char(&text, '?');
    return text_str(&text);
}

const char *shape_text(wf_ctx *c, const Tensor *t)
{
    Text text;
    Trace *tr;

    if (!t) /* the context has failed already */
        return "?";
    tr = t->symbolic ? trace_find(c, t->trace) : NULL;
    text_init(&text, &c->errors);
    text_add(&text, wf_dtype_name((wf_dtype)t->dtype));
    text_char(&text, '[');
    for (uint32_t i = 0; i < t->rank; i++) {
        if (i)
            text_char(&text, ',');
        if (t->dims[i] >= 0)
            text_int(&text, t->dims[i]);
        else if (tr)
            dim_print(&tr->b->dims, t->dims[i], &text);
        else
            text_char(&text, '?');
    }
    text_char(&text, ']');
    return text_str(&text);
}

/* ---- what users ask ---- */

wf_dtype wf_dtype_of(wf_ctx *c, wf_tensor h)
{
    Tensor *t = tensor_get(c, h, "wf_dtype_of");
    return t ? (wf_dtype)t->dtype : WF_INVALID;
}

int wf_rank(wf_ctx *c, wf_tensor h)
{
    Tensor *t = tensor_get(c, h, "wf_rank");
    return t ? t->rank : -1;
}

int64_t wf_size(wf_ctx *c, wf_tensor h, int axis)
{
    Shape s;
    uint32_t k;

    if (!shape_of(c, h, "wf_size", &s) || !axis_of(c, "wf_size", axis, s.rank, &k))
        return 0;
    return s.d[k];
}

wf_status wf_shape(wf_ctx *c, wf_tensor h, int64_t *dims, int rank)
{
    Shape s;

    if (shape_of(c, h, "wf_shape", &s) &&
        has_count(c, "wf_shape", "sizes", dims, rank, s.rank) && rank)
        memcpy(dims, s.d, s.rank * sizeof *dims);
    return ctx_status(c);
}

int64_t wf_count(wf_ctx *c, wf_tensor h)
{
    Shape s;

    return shape_of(c, h, "wf_count", &s) ? size_prod(c, s.d, s.rank) : 0;
}

bool wf_is_symbolic(wf_ctx *c, wf_tensor h)
{
    Tensor *t = tensor_get(c, h, "wf_is_symbolic");
    return t && t->symbolic;
}

bool wf_is_weak(wf_ctx *c, wf_tensor h)
{
    Tensor *t = tensor_get(c, h, "wf_is_weak");
    return t && t->weak;
}

bool wf_shares_memory(wf_ctx *c, wf_tensor a, wf_tensor b)
{
    Tensor *x = tensor_get(c, a, "wf_shares_memory"),
           *y = tensor_get(c, b, "wf_shares_memory");
    return x && y && x->store && x->store == y->store;
}

int64_t wf_write_count(wf_ctx *c, wf_tensor h)
{
    Tensor *t = tensor_get(c, h, "wf_write_count");
    return t && t->store ? t->store->version : 0;
}

static Tensor *concrete(wf_ctx *c, wf_tensor h, const char *fn)
{
    Tensor *t = tensor_get(c, h, fn);

    if (t && t->symbolic) {
        tensor_fail(c, WF_ERR_VALUE,
              "%s: a symbolic tensor of type %s has no numbers yet: it stands for a "
              "value of a "
              "program that is being built",
              fn, shape_text(c, t));
        return NULL;
    }
    return t;
}

wf_status wf_read(wf_ctx *c, wf_tensor h, void *out, size_t bytes)
{
    IN_CALL(c);
    Tensor *t = concrete(c, h, "wf_read");
    size_t need = t ? (size_t)t->count * wf_dtype_size((wf_dtype)t->dtype) : 0;

    if (t && need != bytes)
        tensor_fail(c, WF_ERR_ARG, "wf_read: %s takes %zu bytes, got room for %zu",
              shape_text(c, t), need, bytes);
    else if (t && NEEDS(c, has_n(out, t->count)))
        tensor_read(t, out);
    return ctx_status(c);
}

/* A real number, or an error. */
static bool is_real(wf_ctx *c, const Tensor *t, const char *fn)
{
    if (!dtype_is_complex((wf_dtype)t->dtype))
        return true;
    tensor_fail(c, WF_ERR_TYPE, "%s: needs real numbers, got %s", fn, shape_text(c, t));
    return false;
}

wf_status wf_read_f64(wf_ctx *c, wf_tensor h, double *out, int64_t n)
{
    IN_CALL(c);
    Tensor *t = concrete(c, h, "wf_read_f64");
    size_t size;
    char *raw;

    if (!t || !is_real(c, t, "wf_read_f64"))
        return ctx_status(c);
    if (!NEEDS(c, has_n(out, n)))
        return ctx_status(c);
    if (t->count != n) {
        tensor_fail(c, WF_ERR_ARG, "wf_read_f64: %s has %lld elements, got room for %lld",
              shape_text(c, t), (long long)t->count, (long long)n);
        return ctx_status(c);
    }
    size = wf_dtype_size((wf_dtype)t->dtype);
    raw = mem_alloc(&c->al, (size_t)n * size + 1);
    if (!raw) {
        fail_memory(c);
        return ctx_status(c);
    }
    tensor_read(t, raw);
    for (int64_t i = 0; i < n; i++)
        out[i] = element_as_f64((wf_dtype)t->dtype, raw + (size_t)i * size);
    mem_free(&c->al, raw, (size_t)n * size + 1);
    return ctx_status(c);
}

static Tensor *one_element(wf_ctx *c, wf_tensor h, const char *fn)
{
    Tensor *t = concrete(c, h, fn);

    if (t && t->count != 1) {
        tensor_fail(c, WF_ERR_SHAPE, "%s: needs one element, got %s", fn, shape_text(c, t));
        return NULL;
    }
    return t;
}

wf_status wf_item_complex(wf_ctx *c, wf_tensor h, double *out_re, double *out_im)
{
    IN_CALL(c);
    Tensor *t = one_element(c, h, "wf_item_complex");
    _Alignas(16) char room[16];
    wf_dtype d;

    if (!NEEDS(c, out_re && out_im) || !t || !tensor_read(t, room))
        return ctx_status(c);
    d = (wf_dtype)t->dtype;
    *out_re = element_as_f64(dtype_part(d), room);
    *out_im = dtype_is_complex(d)
                  ? element_as_f64(dtype_part(d), room + wf_dtype_size(dtype_part(d)))
                  : 0;
    return ctx_status(c);
}

double wf_item(wf_ctx *c, wf_tensor h)
{
    IN_CALL(c);
    Tensor *t = one_element(c, h, "wf_item");
    _Alignas(16) char room[16];

    return t && is_real(c, t, "wf_item") && tensor_read(t, room) ? element_as_f64((wf_dtype)t->dtype, room)
                                     : (double)__builtin_nanf("");
}

int64_t wf_item_int(wf_ctx *c, wf_tensor h)
{
    IN_CALL(c);
    Tensor *t = one_element(c, h, "wf_item_int");
    _Alignas(16) char room[16];
    int64_t v;
    double x;

    if (!t || !is_real(c, t, "wf_item_int") || !tensor_read(t, room))
        return 0;
    if (t->dtype == WF_I64 || t->dtype == WF_U64) {
        memcpy(&v, room, sizeof v);
        return v;
    }
    x = element_as_f64((wf_dtype)t->dtype, room);
    if (!(x >= -0x1p63 && x < 0x1p63)) {
        fail(c, WF_ERR_VALUE, NOWHERE, "wf_item_int: %g is no integer of 64 bits", x);
        return 0;
    }
    return (int64_t)x;
}

/* The array gets memory of its own unless the runtime made the memory: a tensor's block dies with its
 * context. */
wf_status wf_to_array(wf_ctx *c, wf_tensor h, wf_array **out_array)
{
    IN_CALL(c);
    Tensor *t = concrete(c, h, "wf_to_array"), *n;

    if (!SET_OUT(c, out_array))
        return ctx_status(c);
    if (!t)
        return ctx_status(c);
    if (t->store->array && t->array == t->store->array) {
        *out_array = wf_array_retain(t->array);
        return WF_OK;
    }
    if (wf_array_new(c, (wf_dtype)t->dtype, t->dims, t->rank, out_array) != WF_OK)
        return ctx_status(c);
    if (!tensor_read(t, wf_array_data_mutable(*out_array))) {
        wf_array_release(*out_array);
        *out_array = NULL;
        return ctx_status(c);
    }
    /* From now on the tensor lives there too, so that writes are seen on both sides. */
    if (t->store->data && t->packed && t->offset == 0 &&
        t->store->refs == 1 + (t->array != NULL) &&
        (n = tensor_from_array(c, wf_array_retain(*out_array))) != NULL) {
        Storage *old = t->store;
        n->store->version = old->version;
        t->store = n->store;
        n->store = old;
        wf_array_release(t->array);
        t->array = wf_array_retain(*out_array);
        tensor_release(c, n);
    }
    return ctx_status(c);
}

/* ---- devices ---- */

wf_device *wf_device_of(wf_ctx *c, wf_tensor h)
{
    Tensor *t = concrete(c, h, "wf_device_of");

    return !t ? NULL : t->store->array ? wf_array_device(t->store->array) : &device_host;
}

/* The memory of t, which only t has, goes elsewhere; its history stays. */
static bool move_to(wf_ctx *c, Tensor *t, wf_device *d)
{
    wf_array *a = tensor_array(c, t), *there;
    Tensor *n;
    Storage *old = t->store;

    if (!a || wf_array_to(c, a, d, &there) != WF_OK ||
        !(n = tensor_from_array(c, there)))
        return false;
    t->store = n->store;
    n->store = old;
    t->offset = 0;
    memcpy(t->strides, n->strides, t->rank * sizeof *t->strides);
    t->packed = n->packed;
    wf_array_release(t->array);
    t->array = NULL;
    tensor_release(c, n);
    return true;
}

wf_tensor wf_to_device(wf_ctx *c, wf_tensor h, wf_device *d)
{
    IN_CALL(c);
    Tensor *t = concrete(c, h, "wf_to_device");
    wf_array *a = t ? tensor_array(c, t) : NULL, *there;

    if (!a)
        return WF_NONE;
    if (tensor_is_parted(t) && d && !wf_device_ordinal(d)) /* where the parts are */
        return tensor_handle(c, tensor_alias(c, t));
    if (wf_array_device(a) != d && t->need & c->tensors->recorders && !c->tensors->no_grad) {
        wf_tensor r = wf_copy(c, h); /* an op, so that it has a history */
        Tensor *copy = tensor_get(c, r, "wf_to_device");

        return copy && move_to(c, copy, d) ? r : WF_NONE;
    }
    if (wf_array_to(c, a, d, &there) != WF_OK)
        return WF_NONE;
    if (there != a) {
        Tensor *moved = tensor_from_array(c, there);

        if (moved)
            moved->weak = t->weak;
        return tensor_handle(c, moved);
    }
    wf_array_release(there);
    return tensor_handle(c, tensor_alias(c, t));
}
