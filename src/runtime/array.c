/* array.c -- buffers and arrays: counted memory on a device, and a shape with strides on
 * it.
 *
 * Nothing here jumps: allocations are checked, and WF_ERR_MEMORY is recorded.
 */
#include "runtime/runtime.h"

/* ---- buffers ----------------------------------------------------------------------- */

/* On the host the data is in the buffer's own block. */
static size_t block_size(const Device *d, size_t size)
{
    return sizeof(Buffer) + (d == &device_host ? ALIGN + size : 0);
}

Buffer *buffer_new(const wf_allocator *al, Device *d, Queue *q, size_t size)
{
    size_t block = block_size(d, size);
    Buffer *b = block < sizeof *b ? NULL : mem_alloc(al, block); /* the sum overflowed */

    if (!b)
        return NULL;
    *b = (Buffer){.device = d, .al = *al, .size = size};
    atomic_init(&b->refs, 1);
    b->data = d == &device_host ? (void *)(((uintptr_t)(b + 1) + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1)) : device_alloc(d, q, al, size);
    if (!b->data) {
        mem_free(al, b, block);
        return NULL;
    }
    b->queue = queue_retain(q);
    return b;
}

void buffer_release(Buffer *b)
{
    wf_allocator al;
    size_t block;

    if (!b || atomic_fetch_sub(&b->refs, 1) != 1)
        return;
    al = b->al;
    block = b->wrapped ? sizeof *b : block_size(b->device, b->size);
    if (b->wrapped && b->drop)
        b->drop(b->owner);
    else if (!b->wrapped && b->device != &device_host)
        device_free(b->device, b->queue, &al, b->data, b->size);
    queue_release(b->queue);
    mem_free(&al, b, block);
}

void buffer_unkeep(Buffer *b)
{
    if (b)
        atomic_fetch_sub(&b->kept, 1); /* first, so that nobody takes b for his alone */
    buffer_release(b);
}

/* ---- arrays ------------------------------------------------------------------------ */

static size_t array_size(int rank)
{
    return sizeof(Array) + 2 * (size_t)rank * sizeof(int64_t);
}

static bool check_shape(wf_ctx *cx, const char *who, wf_dtype dtype, const int64_t *dims,
                        int rank, int64_t *out_count, int64_t *out_bytes)
{
    if (!dtype_is_usable(dtype))
        return fail(cx, WF_ERR_TYPE, NOWHERE, "%s: %s is not a dtype of arrays", who,
                    wf_dtype_name(dtype));
    if (rank < 0 || rank > WF_MAX_RANK)
        return fail(cx, WF_ERR_LIMIT, NOWHERE, "%s: rank %d, but 0 to %d are allowed",
                    who, rank, WF_MAX_RANK);
    if (rank && !dims)
        return fail(cx, WF_ERR_ARG, NOWHERE, "%s: dims is NULL, but the rank is %d", who,
                    rank);
    for (int i = 0; i < rank; i++)
        if (dims[i] < 0)
            return fail(cx, WF_ERR_SHAPE, NOWHERE,
                        "%s: size %d is %lld, but sizes are not negative", who, i,
                        (long long)dims[i]);
    if (!type_size(dtype, dims, (uint32_t)rank, out_count, out_bytes))
        return fail(cx, WF_ERR_LIMIT, NOWHERE, "%s: the array has too many elements",
                    who);
    return true;
}

/* Takes the buffer, also when it fails. */
static bool make_array(wf_ctx *cx, Buffer *buf, wf_dtype dtype, const int64_t *dims,
                       const int64_t *strides, int rank, int64_t count, Array **out)
{
    Array *a = mem_alloc(&cx->al, array_size(rank));

    if (!a) {
        buffer_release(buf);
        return fail_memory(cx);
    }
    *a = (Array){.al = cx->al,
                 .buf = buf,
                 .count = count,
                 .dtype = (uint8_t)dtype,
                 .rank = (uint8_t)rank};
    atomic_init(&a->refs, 1);
    if (rank)
        memcpy(a->v, dims, (size_t)rank * sizeof *dims);
    if (strides)
        memcpy(a->v + rank, strides, (size_t)rank * sizeof *strides);
    else
        k_row_major(rank, dims, a->v + rank);
    *out = a;
    return true;
}

static Buffer *new_buffer(wf_ctx *cx, Device *d, size_t bytes)
{
    Buffer *buf;
    Queue *q;

    if (!queue_of_ctx(cx, d, &q))
        return NULL;
    buf = buffer_new(&cx->al, d, q, bytes);
    if (!buf)
        device_no_memory(cx, d, bytes);
    return buf;
}

bool array_new_on(wf_ctx *cx, Device *d, wf_dtype dtype, const int64_t *dims, int rank,
                  Array **out)
{
    int64_t count, bytes;
    Buffer *buf;

    *out = NULL;
    if (!check_shape(cx, "array", dtype, dims, rank, &count, &bytes))
        return false;
    buf = new_buffer(cx, d, (size_t)bytes);
    return buf && make_array(cx, buf, dtype, dims, NULL, rank, count, out);
}

bool array_new_kept(wf_ctx *cx, Device *d, wf_dtype dtype, const int64_t *dims, int rank,
                    Buffer **kept, Array **out)
{
    int64_t count, bytes;
    Buffer *buf = NULL;

    *out = NULL;
    if (!check_shape(cx, "array", dtype, dims, rank, &count, &bytes))
        return false;
    if (bytes < KEPT_BYTES) {
        buf = new_buffer(cx, d, (size_t)bytes);
        return buf && make_array(cx, buf, dtype, dims, NULL, rank, count, out);
    }
    for (int i = 0; i < KEPT && !buf; i++)
        if (kept[i] && kept[i]->size == (size_t)bytes && atomic_load(&kept[i]->refs) == 1)
            buf = kept[i];
    if (!buf) {
        buf = new_buffer(cx, d, (size_t)bytes);
        if (!buf)
            return false;
        buffer_unkeep(kept[KEPT - 1]);
        memmove(kept + 1, kept, (KEPT - 1) * sizeof *kept);
        kept[0] = buf;
        atomic_fetch_add(&buf->kept, 1);
    }
    atomic_fetch_add(&buf->refs, 1);
    return make_array(cx, buf, dtype, dims, NULL, rank, count, out);
}

bool array_new_in(wf_ctx *cx, Buffer *buf, wf_dtype dtype, const int64_t *dims, int rank,
                  Array **out)
{
    atomic_fetch_add(&buf->refs, 1);
    return make_array(cx, buf, dtype, dims, NULL, rank, k_count(rank, dims), out);
}

bool array_view(wf_ctx *cx, const Array *a, wf_dtype dtype, const int64_t *dims,
                const int64_t *strides, int rank, int64_t offset, Array **out)
{
    atomic_fetch_add(&a->buf->refs, 1);
    if (!make_array(cx, a->buf, dtype, dims, strides, rank, k_count(rank, dims), out))
        return false;
    (*out)->offset = (size_t)offset * wf_dtype_size(dtype);
    return true;
}

/* ---- donation ---------------------------------------------------------------------- */

static Device device_gone = {.name = "none"};
static Buffer gone = {.refs = 1, .device = &device_gone, .wrapped = true};

bool array_is_sole(const Array *a)
{
    const Buffer *b = a->buf;

    return atomic_load(&a->refs) == 1 && !b->wrapped &&
           atomic_load(&b->refs) - atomic_load(&b->kept) == 1 && a->offset == 0 &&
           b->size == (size_t)a->count * wf_dtype_size((wf_dtype)a->dtype) &&
           array_is_dense(a);
}

void array_forget(Array *a)
{
    Buffer *b = a->buf;

    atomic_fetch_add(&gone.refs, 1);
    a->buf = &gone;
    a->offset = 0;
    buffer_release(b);
}

bool array_is_gone(const Array *a) { return a->buf == &gone; }

/* ---- elements ---------------------------------------------------------------------- */

bool array_is_dense(const Array *a)
{
    const int64_t *dims = array_dims(a), *strides = array_strides(a);
    int64_t s = 1;

    for (int i = a->rank; i-- > 0 && a->count;) {
        if (dims[i] != 1 && strides[i] != s)
            return false;
        s *= dims[i];
    }
    return true;
}

/* The elements lie between low and high (both included), counted from the first one. */
static void array_span(const Array *a, int64_t *low, int64_t *high)
{
    *low = *high = 0;
    for (int i = 0; i < a->rank; i++) {
        int64_t reach = (array_dims(a)[i] - 1) * array_strides(a)[i];

        *(reach < 0 ? low : high) += reach;
    }
}

static void gather(const Array *a, const char *first, void *dst)
{
    int64_t to[WF_MAX_RANK];
    KMove m;

    k_row_major(a->rank, array_dims(a), to);
    kmove_init(&m, wf_dtype_size((wf_dtype)a->dtype), a->rank, array_dims(a), to,
               array_strides(a));
    kmove_run(&m, dst, first, NULL);
}

static bool is_there(wf_ctx *cx, const Array *a)
{
    return !array_is_gone(a) ||
           fail(cx, WF_ERR_ARG, NOWHERE,
                "array: it was donated to a run, which took its memory");
}

/* From the device to host memory, when all that writes it is done. */
static bool fetch(wf_ctx *cx, const Array *a, const char *from, void *to, size_t bytes)
{
    Device *d = a->buf->device;
    Queue *q;

    return queue_of_ctx(cx, d, &q) && queue_join(cx, q, a->buf->queue) &&
           queue_copy(cx, d, q, to, from, bytes, COPY_OUT) && queue_sync(cx, q);
}

bool array_copy_out(wf_ctx *cx, const Array *a, void *dst)
{
    size_t size = wf_dtype_size((wf_dtype)a->dtype), bytes;
    int64_t low, high;
    char *host;
    bool ok;

    if (a->count == 0)
        return true;
    if (!is_there(cx, a))
        return false;
    if (a->buf->device->blank)
        return fail(cx, WF_ERR_UNSUPPORTED, NOWHERE, "Cannot copy out of meta tensor; no data!");
    if (a->buf->device->host_reads && (uintptr_t)array_at(a) % size == 0) {
        gather(a, array_at(a), dst);
        return true;
    }
    if (array_is_dense(a))
        return fetch(cx, a, array_at(a), dst, (size_t)a->count * size);
    array_span(a, &low, &high);
    bytes = (size_t)(high - low + 1) * size;
    host = mem_alloc(&cx->al, bytes);
    if (!host)
        return fail_memory(cx);
    ok = fetch(cx, a, array_at(a) + low * (int64_t)size, host, bytes);
    if (ok)
        gather(a, host - low * (int64_t)size, dst);
    mem_free(&cx->al, host, bytes);
    return ok;
}

/* a is row-major on another device: straight from there, or on its own. */
static bool copy_across(wf_ctx *cx, const Array *a, Array *b, size_t bytes,
                        bool *out_done)
{
    Device *from = a->buf->device, *to = b->buf->device;
    Queue *q = b->buf->queue;

    *out_done = true;
    if (from == to)
        return queue_join(cx, q, a->buf->queue) &&
               queue_copy(cx, to, q, array_at(b), array_at(a), bytes, COPY_INSIDE) &&
               queue_join(cx, a->buf->queue, q);
    *out_done = !from->host_reads && to->put_copy_from;
    if (!*out_done)
        return true;
    return queue_sync(cx, a->buf->queue) &&
           (to->put_copy_from(to, q->impl, array_at(b), from, array_at(a), bytes) ||
            device_fail(cx, to, "memory of another device cannot be copied"));
}

bool array_move(wf_ctx *cx, const Array *a, Array *b, bool *out_done)
{
    Device *d = b->buf->device;
    Queue *q = b->buf->queue;
    KMove m;
    bool ok;

    *out_done = false;
    if (a->buf->device != d || !d->put_move)
        return true;
    kmove_init(&m, wf_dtype_size((wf_dtype)a->dtype), a->rank, array_dims(a),
               array_strides(b), array_strides(a));
    ok = queue_join(cx, q, a->buf->queue) &&
         (d->put_move(d, q->impl, cx, &m, array_at(b), array_at(a), out_done) ||
          device_fail(cx, d, "its memory cannot be copied"));
    return ok && queue_join(cx, a->buf->queue, q);
}

bool array_copy_to(wf_ctx *cx, const Array *a, Array *b)
{
    size_t bytes = (size_t)a->count * wf_dtype_size((wf_dtype)a->dtype);
    Device *d = b->buf->device;
    char *host;
    bool ok, done;

    if (!bytes || d->host_reads)
        return array_copy_out(cx, a, array_at(b));
    if (!is_there(cx, a))
        return false;
    if (d->blank)
        return true;
    if (array_is_dense(a) && !a->buf->device->host_reads) {
        ok = copy_across(cx, a, b, bytes, &done);
        if (!ok || done)
            return ok;
    }
    if (!array_is_dense(a)) {
        ok = array_move(cx, a, b, &done);
        if (!ok || done)
            return ok;
    }
    if (array_is_dense(a) && a->buf->device->host_reads)
        return queue_copy(cx, d, b->buf->queue, array_at(b), array_at(a), bytes, COPY_IN);
    host = mem_alloc(&cx->al, bytes);
    if (!host)
        return fail_memory(cx);
    ok = array_copy_out(cx, a, host) &&
         queue_copy(cx, d, b->buf->queue, array_at(b), host, bytes, COPY_IN);
    mem_free(&cx->al, host, bytes);
    return ok;
}

bool array_copy(wf_ctx *cx, const wf_array *a, wf_array **out)
{
    *out = NULL;
    if (!array_new_on(cx, a->buf->device, (wf_dtype)a->dtype, array_dims(a), a->rank, out))
        return false;
    if (array_copy_to(cx, a, *out))
        return true;
    wf_array_release(*out);
    *out = NULL;
    return false;
}

/* Through the host: all that b spans. */
static bool write_through_host(wf_ctx *cx, const Array *a, Array *b)
{
    size_t size = wf_dtype_size((wf_dtype)b->dtype), bytes;
    int64_t low, high, dense[MAX_RANK];
    char *host, *first;
    KMove m;
    bool ok;

    array_span(b, &low, &high);
    bytes = (size_t)(high - low + 1) * size;
    first = array_at(b) + low * (int64_t)size;
    if (!(host = mem_alloc(&cx->al, bytes + (size_t)a->count * size)))
        return fail_memory(cx);
    k_row_major(a->rank, array_dims(a), dense);
    kmove_init(&m, size, a->rank, array_dims(a), array_strides(b), dense);
    ok = fetch(cx, b, first, host, bytes) && array_copy_out(cx, a, host + bytes);
    if (ok)
        kmove_run(&m, host - low * (int64_t)size, host + bytes, NULL);
    ok = ok && queue_copy(cx, b->buf->device, b->buf->queue, first, host, bytes, COPY_IN);
    mem_free(&cx->al, host, bytes + (size_t)a->count * size);
    return ok;
}

bool array_write(wf_ctx *cx, wf_array *a, wf_array *b)
{
    wf_array *there = NULL;
    bool ok, done = false;

    if (!a->count)
        return true;
    if (!is_there(cx, a) || !is_there(cx, b))
        return false;
    if (b->buf->device->blank)
        return true;
    /* what is read may lie where it is written: a copy first */
    ok = a->buf->device == b->buf->device
             ? array_copy(cx, a, &there)
             : wf_array_to(cx, a, b->buf->device, &there) == WF_OK;
    if (ok && array_is_dense(b))
        ok = array_copy_to(cx, there, b);
    else if (ok)
        ok = array_move(cx, there, b, &done) && (done || write_through_host(cx, there, b));
    wf_array_release(there);
    return ok;
}

/* ---- public ------------------------------------------------------------------------ */

wf_status wf_array_new(wf_ctx *cx, wf_dtype dtype, const int64_t *dims, int rank,
                       wf_array **out_array)
{
    if (!SET_OUT(cx, out_array))
        return ctx_status(cx);
    if (array_new_on(cx, &device_host, dtype, dims, rank, out_array))
        memset(array_at(*out_array), 0, (*out_array)->buf->size);
    return ctx_status(cx);
}

wf_status wf_array_from(wf_ctx *cx, wf_dtype dtype, const int64_t *dims, int rank,
                        const void *data, wf_array **out_array)
{
    int64_t count, bytes;

    if (!SET_OUT(cx, out_array))
        return ctx_status(cx);
    if (!check_shape(cx, "array", dtype, dims, rank, &count, &bytes))
        return ctx_status(cx);
    if (bytes && !data)
        fail(cx, WF_ERR_ARG, NOWHERE, "array: data is NULL, but there are %lld elements",
             (long long)count);
    else if (array_new_on(cx, &device_host, dtype, dims, rank, out_array) && bytes)
        memcpy(array_at(*out_array), data, (size_t)bytes);
    return ctx_status(cx);
}

/* Strides whose reach does not overflow. */
static bool check_strides(wf_ctx *cx, wf_dtype dtype, const int64_t *dims,
                          const int64_t *strides, int rank)
{
    int64_t low = 0, high = 0, reach, size = (int64_t)wf_dtype_size(dtype);

    for (int i = 0; i < rank; i++) {
        if (dims[i] == 0)
            return true;
        if (!mul_i64(dims[i] - 1, strides[i], &reach) ||
            !add_i64(reach < 0 ? low : high, reach, reach < 0 ? &low : &high))
            return fail(cx, WF_ERR_LIMIT, NOWHERE,
                        "array: stride %d is %lld, which is too large", i,
                        (long long)strides[i]);
    }
    if (!mul_i64(low, size, &low) || !mul_i64(high, size, &high))
        return fail(cx, WF_ERR_LIMIT, NOWHERE, "array: the strides are too large");
    return true;
}

wf_status array_wrap_on(wf_ctx *cx, Device *d, wf_dtype dtype, const int64_t *dims, int rank,
                        const int64_t *strides, void *data, bool read_only,
                        void (*drop)(void *owner), void *owner, wf_array **out_array)
{
    int64_t count, bytes;
    Buffer *buf;
    Queue *q = NULL;

    if (!SET_OUT(cx, out_array))
        return ctx_status(cx);
    if (!check_shape(cx, "array", dtype, dims, rank, &count, &bytes) ||
        (strides && !check_strides(cx, dtype, dims, strides, rank)))
        return ctx_status(cx);
    if (bytes && !data) {
        fail(cx, WF_ERR_ARG, NOWHERE, "array: data is NULL, but there are %lld elements",
             (long long)count);
        return ctx_status(cx);
    }
    if (!queue_of_ctx(cx, d, &q))
        return ctx_status(cx);
    buf = mem_alloc(&cx->al, sizeof *buf);
    if (!buf) {
        fail_memory(cx);
        return ctx_status(cx);
    }
    *buf = (Buffer){.device = d,
                    .queue = queue_retain(q),
                    .al = cx->al,
                    .data = data,
                    .size = (size_t)bytes,
                    .wrapped = true,
                    .read_only = read_only};
    atomic_init(&buf->refs, 1);
    if (make_array(cx, buf, dtype, dims, strides, rank, count, out_array)) {
        buf->drop = drop; /* only now: after an error the memory is still the caller's */
        buf->owner = owner;
    }
    return ctx_status(cx);
}

wf_status wf_array_wrap(wf_ctx *cx, wf_dtype dtype, const int64_t *dims, int rank,
                        const int64_t *strides, void *data, void (*drop)(void *owner),
                        void *owner, wf_array **out_array)
{
    return array_wrap_on(cx, &device_host, dtype, dims, rank, strides, data, false, drop, owner,
                         out_array);
}

wf_status wf_array_wrap_const(wf_ctx *cx, wf_dtype dtype, const int64_t *dims, int rank,
                              const int64_t *strides, const void *data,
                              void (*drop)(void *owner), void *owner,
                              wf_array **out_array)
{
    return array_wrap_on(cx, &device_host, dtype, dims, rank, strides, (void *)(uintptr_t)data,
                         true, drop, owner, out_array);
}

wf_array *wf_array_retain(wf_array *a)
{
    if (a)
        atomic_fetch_add(&a->refs, 1);
    return a;
}

void wf_array_release(wf_array *a)
{
    wf_allocator al;

    if (!a || atomic_fetch_sub(&a->refs, 1) != 1)
        return;
    al = a->al;
    buffer_release(a->buf);
    mem_free(&al, a, array_size(a->rank));
}

wf_dtype wf_array_dtype(const wf_array *a) { return a ? (wf_dtype)a->dtype : WF_INVALID; }
int wf_array_rank(const wf_array *a) { return a ? a->rank : 0; }
const int64_t *wf_array_dims(const wf_array *a) { return a ? array_dims(a) : NULL; }
const int64_t *wf_array_strides(const wf_array *a) { return a ? array_strides(a) : NULL; }
int64_t wf_array_count(const wf_array *a) { return a ? a->count : 0; }

wf_device *wf_array_device(const wf_array *a) { return a ? a->buf->device : NULL; }

const void *wf_array_data(const wf_array *a)
{
    return a && a->buf->device->host_reads ? array_at(a) : NULL;
}

void *wf_array_data_mutable(wf_array *a)
{
    return a && a->buf->device->host_reads && !a->buf->read_only ? array_at(a) : NULL;
}

wf_status wf_array_to(wf_ctx *cx, wf_array *a, wf_device *d, wf_array **out_array)
{
    Array *c;

    if (!SET_OUT(cx, out_array))
        return ctx_status(cx);
    if (!a || !d) {
        fail(cx, WF_ERR_ARG, NOWHERE, "wf_array_to: the %s is NULL",
             a ? "device" : "array");
        return ctx_status(cx);
    }
    if (a->buf->device == d && array_is_dense(a)) {
        *out_array = wf_array_retain(a);
        return WF_OK;
    }
    if (!array_new_on(cx, d, (wf_dtype)a->dtype, array_dims(a), a->rank, &c))
        return ctx_status(cx);
    if (array_copy_to(cx, a, c))
        *out_array = c;
    else
        wf_array_release(c);
    return ctx_status(cx);
}

wf_status wf_array_contiguous(wf_ctx *cx, wf_array *a, wf_array **out_array)
{
    if (!SET_OUT(cx, out_array))
        return ctx_status(cx);
    if (!a) {
        fail(cx, WF_ERR_ARG, NOWHERE, "wf_array_contiguous: the array is NULL");
        return ctx_status(cx);
    }
    return wf_array_to(cx, a, &device_host, out_array);
}
