/* world.c -- natives of processes that run together: the world of this process, and exchanges of tensors.
 *
 * An exchange copies what it sends when it starts and gives its result as a new tensor when it is waited for. What is in
 * progress is known by a number. Tensors of a device that has links stay there: the exchange is put into its queue. */
#include "script/engine/engine.h"
#include "world/world.h"

#include <stdlib.h>

typedef struct Sending { /* one exchange in progress, with the arrays it uses */
    struct Sending *next;
    int64_t number;
    Job job;
    wf_array *in, *out;
    Queue *queue; /* of the device they are on; NULL: the host */
    int64_t *sizes;
    wf_ctx *cx;
    Tensor **held; /* of an average: tensors that it changes */
    void **parts;
} Sending;

struct ScriptWorld {
    wf_comm *comm;
    Sending *going;
    int64_t count;
};

static struct ScriptWorld *world_of(En *e)
{
    Engine *g = e->f->engine;

    if (!g->world && !(g->world = calloc(1, sizeof *g->world)))
        fail_memory(e->c);
    return g->world;
}

static void free_sending(Sending *s)
{
    wf_array_release(s->in);
    wf_array_release(s->out);
    for (int k = 0; k < s->job.nparts; k++)
        tensor_release(s->cx, s->held[k]);
    free(s->held);
    free(s->parts);
    free(s->sizes);
    free(s);
}

/* What is still in progress is done first, or fails with the world. */
void engine_world_free(struct Engine *g, const char *why)
{
    struct ScriptWorld *w = g->world;

    if (!w)
        return;
    parted_meshes_forget(g->vm->cx);
    wf_comm_abort(w->comm, why);
    while (w->going && !why) {
        Sending *s = w->going;

        w->going = s->next;
        free_sending(s);
    }
    free(w);
    g->world = NULL;
}

/* comm_open(rank, size, key, timeout, patience): size 0: as the environment says */
static Value n_comm_open(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_comm_options o = {.size = sizeof o};
    struct ScriptWorld *w = world_of(&e);
    int64_t rank = 0, size = 0;

    if (!w || !sc_may(vm, "reach processes") || !en_int(&e, a->v[0], &rank) || !en_int(&e, a->v[1], &size) || !en_str(&e, a->v[2], &o.key) ||
        !en_float(&e, a->v[3], &o.timeout) || !en_float(&e, a->v[4], &o.patience))
        return en_fail(&e);
    o.rank = (int)rank;
    o.ranks = (int)size;
    wf_comm_open(e.c, &o, &w->comm);
    return en_end_value(&e, NONE);
}

/* comm_close(why): None: all went well */
static Value n_comm_close(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    const char *why = NULL;

    if (!en_str(&e, a->v[0], &why))
        return en_fail(&e);
    engine_world_free(e.f->engine, why);
    return en_end_value(&e, NONE);
}

/* comm_info(): (rank, size, engine); None without a world */
static Value n_comm_info(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    struct ScriptWorld *w = e.f->engine->world;
    Tuple *t;

    if (!w || !w->comm)
        return en_end_value(&e, NONE);
    if (!(t = sc_tuple(vm, 3)))
        return en_fail(&e);
    t->v[0] = v_int(wf_comm_rank(w->comm));
    t->v[1] = v_int(wf_comm_size(w->comm));
    t->v[2] = v_obj(sc_str(vm, wf_comm_engine(w->comm)));
    return en_end_value(&e, v_obj(t));
}

/* comm_use(mesh): collectives of programs over its axes are with the processes, one device each; None: no more */
static Value n_comm_use(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    struct ScriptWorld *w = e.f->engine->world;
    const char *mesh = NULL;

    if (!en_str(&e, a->v[0], &mesh))
        return en_fail(&e);
    if (!w || !w->comm)
        return sc_fail(vm, C_RuntimeError, "there is no world of processes"), en_fail(&e);
    wf_comm_use(e.c, mesh ? w->comm : NULL, mesh);
    return en_end_value(&e, NONE);
}

static const char *const kinds[] = {"reduce", "scatter_reduce", "gather", "broadcast", "all_to_all", "average", "send", "receive"};
static const char *const hows[] = {"SUM", "PRODUCT", "MAX", "MIN", "BAND", "BOR", "BXOR"};

static int find_name(En *e, const char *const *names, int n, const char *name)
{
    for (int k = 0; k < n; k++)
        if (name && !strcmp(names[k], name))
            return k;
    sc_fail(e->vm, C_ValueError, "no exchange '%s'", name ? name : "");
    return -1;
}

/* The group of the ranks in v, None: all. */
static Group *group_of(En *e, wf_comm *w, Value v)
{
    int64_t *r = en_alloc(e, (size_t)wf_comm_size(w) * sizeof *r);
    int *ranks = en_alloc(e, (size_t)wf_comm_size(w) * sizeof *ranks), n = wf_comm_size(w);

    if (!r || !ranks)
        return NULL;
    for (int k = 0; k < n; k++)
        r[k] = k;
    if (!en_ints(e, v, r, &n, n))
        return NULL;
    for (int k = 0; k < n; k++)
        ranks[k] = (int)r[k];
    return world_group(e->c, w, ranks, n);
}

static wf_array *array_on_host(En *e, wf_tensor x)
{
    wf_array *a = NULL, *whole = NULL;
    wf_device *host = NULL;

    wf_device_get(e->c, 0, &host);
    wf_to_array(e->c, wf_to_device(e->c, x, host), &a);
    if (a)
        wf_array_contiguous(e->c, a, &whole);
    wf_array_release(a);
    return whole;
}

/* The tensor where it is, if its device may have links. */
static wf_array *array_there(En *e, Sending *s, wf_tensor x)
{
    Tensor *t = tensor_get(e->c, x, "exchange");
    wf_array *a, *whole = NULL;
    Device *d = t && !t->symbolic && !tensor_is_here(t) ? tensor_device(t) : NULL;

    if (d && d->link && queue_of_ctx(e->c, d, &s->queue) && (a = tensor_array(e->c, t)))
        wf_array_contiguous(e->c, a, &whole);
    return whole;
}

static bool new_result(En *e, Sending *s, const int64_t *dims, int rank)
{
    if (s->queue)
        return array_new_on(e->c, s->queue->device, wf_array_dtype(s->in), dims, rank, &s->out);
    return wf_array_new(e->c, wf_array_dtype(s->in), dims, rank, &s->out) == WF_OK;
}

/* The array for the result; false with an error. What the exchange is about is in s->job. */
static bool result_for(En *e, Sending *s)
{
    Job *j = &s->job;
    int64_t dims[WF_MAX_RANK + 1];
    int rank = wf_array_rank(s->in), n = j->group ? j->group->n : 1;
    const int64_t *in = wf_array_dims(s->in);

    for (int i = 0; i < rank; i++)
        dims[i] = in[i];
    switch (j->kind) {
    case JOB_SCATTER_REDUCE:
        if (rank < 1 || in[0] != n)
            return fail(e->c, WF_ERR_SHAPE, NOWHERE, "reduce_scatter: needs a first axis of %d", n);
        rank--;
        memmove(dims, dims + 1, (size_t)rank * sizeof *dims);
        break;
    case JOB_GATHER:
        if (j->root >= 0 && j->root != j->group->me)
            return true;
        memmove(dims + 1, dims, (size_t)rank * sizeof *dims);
        dims[0] = n;
        rank++;
        break;
    case JOB_ALL_TO_ALL:
        dims[0] = 0;
        for (int k = 0; k < n; k++)
            dims[0] += s->sizes[n + k] / (int64_t)wf_dtype_size(wf_array_dtype(s->in));
        rank = 1;
        break;
    case JOB_SEND: return true;
    default: break;
    }
    return new_result(e, s, dims, rank);
}

/* Elements for each, and from each, of an all_to_all, in bytes. */
static bool read_sizes(En *e, Sending *s, Value give, Value take)
{
    int n = s->job.group->n, m = n;
    int64_t size = (int64_t)wf_dtype_size(wf_array_dtype(s->in));

    if (!(s->sizes = malloc((size_t)(2 * n) * sizeof *s->sizes)))
        return fail_memory(e->c);
    if (!en_ints(e, give, s->sizes, &m, n) || !en_ints(e, take, s->sizes + n, &m, n))
        return false;
    for (int k = 0; k < 2 * n; k++)
        s->sizes[k] *= size;
    s->job.give = s->sizes;
    s->job.take = s->sizes + n;
    return true;
}

/* What the root sends is its result, too. */
static bool copy_own(En *e, Sending *s)
{
    Job *j = &s->job;
    size_t bytes = (size_t)j->count * wf_dtype_size(j->dtype);

    if (j->kind != JOB_BROADCAST || j->group->me != j->root || !bytes)
        return true;
    if (s->queue)
        return queue_copy(e->c, s->queue->device, s->queue, j->out, j->in, bytes, COPY_INSIDE);
    memcpy(j->out, j->in, bytes);
    return true;
}

/* The same in all who mean the same. */
static uint64_t what_of(const Job *j)
{
    return hash_mix(hash_mix((uint64_t)j->kind << 8 | j->dtype, j->kind == JOB_ALL_TO_ALL ? 0 : (uint64_t)j->count),
                    (uint64_t)(j->root + 2) << 8 | (uint64_t)j->how);
}

static bool prepare(En *e, Sending *s, const Args *a, bool there)
{
    struct ScriptWorld *w = e->f->engine->world;
    const char *kind = NULL, *how = NULL;
    int64_t root = -1, tag = 0;
    Job *j = &s->job;
    wf_tensor x;
    int k, h = 0;

    if (!w || !w->comm)
        return sc_fail(e->vm, C_RuntimeError, "there is no world of processes");
    if (!en_str(e, a->v[0], &kind) || (k = find_name(e, kinds, (int)COUNT(kinds), kind)) < 0 || !en_tensor(e, a->v[1], &x) ||
        !en_str(e, a->v[3], &how) || (how && (h = find_name(e, hows, (int)COUNT(hows), how)) < 0) || !en_int(e, a->v[4], &root) ||
        !en_int(e, a->v[5], &tag))
        return false;
    if (there && k < JOB_SEND && !(s->in = array_there(e, s, x)) && e->c->status != WF_OK)
        return false;
    if (!s->in && !(s->in = array_on_host(e, x)))
        return false;
    j->kind = (JobKind)k;
    j->how = (Combine)h;
    j->root = (int)root;
    j->tag = (int)tag;
    j->dtype = wf_array_dtype(s->in);
    if (k < JOB_SEND && !(j->group = group_of(e, w->comm, a->v[2])))
        return false;
    if ((k == JOB_ALL_TO_ALL && !read_sizes(e, s, a->v[6], a->v[7])) || !result_for(e, s))
        return false;
    j->in = s->queue ? array_at(s->in) : wf_array_data(s->in);
    j->out = !s->out ? NULL : s->queue ? array_at(s->out) : wf_array_data_mutable(s->out);
    j->count = wf_array_count(k == JOB_SCATTER_REDUCE ? s->out : s->in);
    if (!copy_own(e, s))
        return false;
    if (k != JOB_REDUCE && k != JOB_SCATTER_REDUCE)
        j->count *= (int64_t)wf_dtype_size(j->dtype);
    j->what = what_of(j);
    return true;
}

/* Ready to be done by the host; *out_done: or done, or in the queue of the device. */
static bool begin(En *e, Sending *s, const Args *a, bool *out_done)
{
    if (!prepare(e, s, a, true))
        return false;
    *out_done = false;
    if (!s->queue)
        return true;
    if (!link_do(e->c, e->f->engine->world->comm, &s->job, s->queue, NOWHERE, out_done) || *out_done)
        return *out_done;
    wf_array_release(s->in);
    wf_array_release(s->out);
    free(s->sizes);
    *s = (Sending){0};
    return prepare(e, s, a, false);
}

/* (the result or None, who sent it) */
static Value outcome(En *e, Sending *s)
{
    Tuple *t = sc_tuple(e->vm, 2);
    Value v = t && s->out ? en_box(e, wf_from_array(e->c, s->out)) : NONE;

    if (!t || v.tag == T_NIL) {
        if (t)
            obj_drop(e->vm, t);
        return en_fail(e);
    }
    t->v[0] = v;
    t->v[1] = v_int(s->job.root);
    return en_end_value(e, v_obj(t));
}

/* comm_do(kind, x, ranks, how, root, tag, give, take): done when it returns */
static Value n_comm_do(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    Sending *s = calloc(1, sizeof *s);
    bool done;
    Value v;

    if (!s)
        fail_memory(e.c);
    if (s && begin(&e, s, a, &done) && (done || world_do(e.c, e.f->engine->world->comm, &s->job, NOWHERE)))
        v = outcome(&e, s);
    else
        v = en_fail(&e);
    if (s)
        free_sending(s);
    return v;
}

/* comm_start(the same): its number */
static Value n_comm_start(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    Sending *s = calloc(1, sizeof *s);
    struct ScriptWorld *w = e.f->engine->world;
    bool done = false;

    if (!s)
        fail_memory(e.c);
    if (!s || !begin(&e, s, a, &done)) {
        if (s)
            free_sending(s);
        return en_fail(&e);
    }
    s->number = ++w->count;
    s->next = w->going;
    w->going = s;
    if (!done)
        world_start(w->comm, &s->job);
    return en_end_value(&e, v_int(s->number));
}

/* A tensor of floats of one type, on the host and without gaps, may be averaged where it is. */
static bool hold(En *e, Sending *s, wf_tensor x)
{
    Tensor *t = tensor_get(e->c, x, "average");
    Job *j = &s->job;

    if (!t)
        return false;
    if (t->symbolic || !t->packed || (t->dtype != WF_F32 && t->dtype != WF_F64) || (j->nparts && t->dtype != j->dtype))
        return sc_fail(e->vm, C_ValueError, "average: tensors of one type, float32 or float64, without gaps");
    j->dtype = (wf_dtype)t->dtype;
    s->held[j->nparts] = tensor_retain(t);
    s->parts[j->nparts] = tensor_data(t);
    s->sizes[j->nparts] = 1;
    for (uint32_t k = 0; k < t->rank; k++)
        s->sizes[j->nparts] *= t->dims[k];
    j->count += s->sizes[j->nparts++];
    t->store->version++;
    return true;
}

/* Tensors that an exchange among ranks changes where they are. */
static bool hold_all(En *e, Sending *s, const wf_tensor *x, int n, Value ranks)
{
    struct ScriptWorld *w = e->f->engine->world;
    bool ok;

    if (!w || !w->comm)
        return sc_fail(e->vm, C_RuntimeError, "there is no world of processes");
    if (!(s->job.group = group_of(e, w->comm, ranks)))
        return false;
    s->cx = e->c;
    s->held = calloc((size_t)n + 1, sizeof(Tensor *));
    s->parts = calloc((size_t)n + 1, sizeof(void *));
    s->sizes = calloc((size_t)n + 1, sizeof *s->sizes);
    ok = (s->held && s->parts && s->sizes) || fail_memory(e->c);
    for (int k = 0; ok && k < n; k++)
        ok = hold(e, s, x[k]);
    s->job.parts = s->parts;
    s->job.counts = s->sizes;
    s->job.root = -1;
    return ok;
}

/* comm_average(xs, ranks): the number of an exchange after which each is the average of those of all */
static Value n_comm_average(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    struct ScriptWorld *w = e.f->engine->world;
    Sending *s = calloc(1, sizeof *s);
    wf_tensor *x;
    int n = 0;

    if (!s)
        fail_memory(e.c);
    if (!s || !en_tensors(&e, a->v[0], &x, &n) || !hold_all(&e, s, x, n, a->v[1])) {
        if (s)
            free_sending(s);
        return en_fail(&e);
    }
    s->job.kind = JOB_AVERAGE;
    s->job.what = hash_mix((uint64_t)JOB_AVERAGE << 8 | s->job.dtype, (uint64_t)s->job.count);
    s->number = ++w->count;
    s->next = w->going;
    w->going = s;
    world_start(w->comm, &s->job);
    return en_end_value(&e, v_int(s->number));
}

/* comm_reduce(x, ranks, how): x, which may be averaged where it is, is combined so; as comm_do("reduce", ..) for the others */
static Value n_comm_reduce(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    Sending s = {0};
    const char *name = NULL;
    wf_tensor x;
    bool ok;
    int h = 0;

    ok = en_tensor(&e, a->v[0], &x) && en_str(&e, a->v[2], &name) && (h = find_name(&e, hows, (int)COUNT(hows), name)) >= 0 &&
         hold_all(&e, &s, &x, 1, a->v[1]);
    s.job.kind = JOB_REDUCE;
    s.job.how = (Combine)MAX(h, 0);
    s.job.what = what_of(&s.job);
    ok = ok && world_do(e.c, e.f->engine->world->comm, &s.job, NOWHERE);
    for (int k = 0; k < s.job.nparts; k++)
        tensor_release(e.c, s.held[k]);
    free(s.held);
    free(s.parts);
    free(s.sizes);
    return ok ? en_end_value(&e, NONE) : en_fail(&e);
}

static Sending **find_sending(En *e, Value v)
{
    struct ScriptWorld *w = e->f->engine->world;
    int64_t number = 0;

    if (!en_int(e, v, &number))
        return NULL;
    for (Sending **at = w ? &w->going : NULL; at && *at; at = &(*at)->next)
        if ((*at)->number == number)
            return at;
    sc_fail(e->vm, C_RuntimeError, "the exchange is over, or its world is closed");
    return NULL;
}

static Value n_comm_done(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    Sending **s = find_sending(&e, a->v[0]);

    return s ? en_end_value(&e, v_bool(world_done(e.f->engine->world->comm, &(*s)->job))) : en_fail(&e);
}

static Value n_comm_wait(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    Sending **at = find_sending(&e, a->v[0]), *s = at ? *at : NULL;
    Value v;

    if (!s)
        return en_fail(&e);
    if (world_wait(e.c, e.f->engine->world->comm, &s->job, NOWHERE))
        v = outcome(&e, s);
    else
        v = en_fail(&e);
    if (s->job.done) {
        *at = s->next;
        free_sending(s);
    }
    return v;
}

/* device_link(device): None: devices of it can exchange without the host; else why not */
static Value n_device_link(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    unsigned char who[16];
    char why[256] = "";
    wf_device *d = NULL;
    int64_t i = 0;

    if (!en_int(&e, a->v[0], &i) || wf_device_get(e.c, (int)i, &d) != WF_OK)
        return en_fail(&e);
    if (!d || !d->link)
        return en_end_value(&e, v_obj(sc_str(vm, "it is the host")));
    if (d->link->ready(d, e.c, who, why, sizeof why))
        return en_end_value(&e, NONE);
    return en_end_value(&e, v_obj(sc_str(vm, why)));
}

/* among(xs, ys): of each of xs, is it one of ys? */
static Value n_among(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_tensor *x, *y;
    int nx, ny;
    List *out;

    if (!en_tensors(&e, a->v[0], &x, &nx) || !en_tensors(&e, a->v[1], &y, &ny) || !(out = sc_list(vm, nx)))
        return en_fail(&e);
    for (int i = 0; i < nx; i++) {
        bool found = false;

        for (int k = 0; k < ny && !found; k++)
            found = tensor_get(e.c, x[i], "among") == tensor_get(e.c, y[k], "among");
        out->v[i] = v_bool(found);
    }
    return en_end_value(&e, v_obj(out));
}

/* ---- tensors that processes hold together ---- */

/* part_mesh(head, mesh): layouts that begin so are divided among the processes, along these axes */
static Value n_part_mesh(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    struct ScriptWorld *w = e.f->engine->world;
    const char *head = "", *mesh = "";

    if (!en_str(&e, a->v[0], &head) || !en_str(&e, a->v[1], &mesh))
        return en_fail(&e);
    if (!w || !w->comm)
        return sc_fail(vm, C_RuntimeError, "there is no world of processes"), en_fail(&e);
    return parted_mesh(e.c, head, mesh, w->comm) ? en_end_value(&e, NONE) : en_fail(&e);
}

static Value int_tuple(Vm *vm, const int64_t *v, int n)
{
    Tuple *t = sc_tuple(vm, n);

    for (int k = 0; t && k < n; k++)
        t->v[k] = v_int(v[k]);
    return t ? v_obj(t) : NIL;
}

/* part_place(layout, dims): (starts, sizes) of the part of this process; None: it has the whole */
static Value n_part_place(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    int64_t dims[MAX_RANK], start[MAX_RANK], size[MAX_RANK];
    const char *layout = "";
    int n = 0;
    Tuple *t;

    if (!en_str(&e, a->v[0], &layout) || !en_ints(&e, a->v[1], dims, &n, MAX_RANK))
        return en_fail(&e);
    if (!parted_place(e.c, layout, dims, (uint32_t)n, start, size))
        return failed(e.c) ? en_fail(&e) : en_end_value(&e, NONE);
    if (!(t = sc_tuple(vm, 2)))
        return en_fail(&e);
    t->v[0] = int_tuple(vm, start, n);
    t->v[1] = int_tuple(vm, size, n);
    return en_end_value(&e, v_obj(t));
}

/* part_of(x): of a tensor that processes hold together the part of this one; else x */
static Value n_part_of(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    Tensor *t, *part;
    wf_tensor x;

    if (!en_tensor(&e, a->v[0], &x) || !(t = tensor_get(e.c, x, "part_of")))
        return en_fail(&e);
    if (!tensor_is_parted(t))
        return en_end(&e, x);
    return (part = parted_part(e.c, t)) ? en_end(&e, tensor_handle(e.c, tensor_alias(e.c, part))) : en_fail(&e);
}

static Value lying(En *e, Tensor *made, const Tensor *as)
{
    if (!made)
        return en_fail(e);
    made->weak = as->weak;
    return en_end(e, tensor_handle(e->c, made));
}

/* join_parts(part, layout, dims): the tensor of which every process has such a part */
static Value n_join_parts(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    int64_t dims[MAX_RANK];
    const char *layout = "";
    wf_tensor x;
    Tensor *t;
    int n = 0;

    if (!en_tensor(&e, a->v[0], &x) || !en_str(&e, a->v[1], &layout) || !en_ints(&e, a->v[2], dims, &n, MAX_RANK) ||
        !(t = tensor_get(e.c, x, "join_parts")))
        return en_fail(&e);
    return lying(&e, parted_join(e.c, t, layout, dims, (uint32_t)n), t);
}

/* part_lie(x, layout): x as it says; None: the whole, in every process */
static Value n_part_lie(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    const char *layout = NULL;
    wf_tensor x;
    Tensor *t;

    if (!en_tensor(&e, a->v[0], &x) || !en_str(&e, a->v[1], &layout) || !(t = tensor_get(e.c, x, "part_lie")))
        return en_fail(&e);
    return lying(&e, parted_lie(e.c, t, layout), t);
}

const NativeDef engine_world[] = {
    {"comm_open", n_comm_open, "rank,size,key,timeout,patience"},
    {"comm_close", n_comm_close, "why"},
    {"comm_info", n_comm_info, ""},
    {"comm_use", n_comm_use, "mesh"},
    {"comm_do", n_comm_do, "kind,x,ranks,how,root,tag,give,take"},
    {"comm_start", n_comm_start, "kind,x,ranks,how,root,tag,give,take"},
    {"comm_average", n_comm_average, "xs,ranks"},
    {"comm_reduce", n_comm_reduce, "x,ranks,how"},
    {"comm_done", n_comm_done, "job"},
    {"comm_wait", n_comm_wait, "job"},
    {"part_mesh", n_part_mesh, "head,mesh"},
    {"part_place", n_part_place, "layout,dims"},
    {"part_of", n_part_of, "x"},
    {"join_parts", n_join_parts, "part,layout,dims"},
    {"part_lie", n_part_lie, "x,layout"},
    {"device_link", n_device_link, "device"},
    {"among", n_among, "xs,ys"},
    {0},
};
