/* kernel_share.c -- kernels that differ in sizes and strides alone are one function.
 *
 * The compiler's time is nearly all of what a first call takes, and grows with the text.
 *
 *   method   A kernel is its data: loops, nodes, accesses. Where in it dims stand is a
 *            list of places. Kernels are equal if all else is, and if dims that say what
 *            is done (steps of 0 and 1, no offset) are the same. Of those that are equal, a
 *            copy is made, in which every dim that differs, or is no number, is a symbol:
 *            parameters by place. Places that agree in every kernel are one parameter.
 *            Each kernel keeps its own loops and nodes, and has as params what the symbols
 *            are in it.
 */
#include "codegen/codegen.h"

/* ---- places of dims ---------------------------------------------------------------- */

typedef enum PlaceKind { PLACE_SIZE, PLACE_STEP, PLACE_OFFSET } PlaceKind;

typedef struct DimPlace {
    Dim *at;
    PlaceKind kind;
} DimPlace;
typedef VEC(DimPlace) DimPlaces;

static void add_access(const Kernel *k, Arena *a, Access *at, DimPlaces *out)
{
    vec_push(a, out, ((DimPlace){&at->offset, PLACE_OFFSET}));
    for (uint32_t l = 0; l < k->nloops; l++)
        vec_push(a, out, ((DimPlace){&at->stride[l], PLACE_STEP}));
}

static bool has_access(const Node *n)
{
    return n->kind == NODE_LOAD || n->kind == NODE_IOTA;
}

static DimPlaces places_of(Kernel *k, Arena *a)
{
    DimPlaces out = {0};

    for (uint32_t l = 0; l < k->nloops; l++)
        vec_push(a, &out, ((DimPlace){&k->loops[l].size, PLACE_SIZE}));
    for (uint32_t i = 0; i < k->nnodes; i++) {
        Node *n = &k->nodes[i];

        if (has_access(n))
            add_access(k, a, &n->at, &out);
        if (n->kind == NODE_LOAD && n->nin) {
            vec_push(a, &out, ((DimPlace){&n->step, PLACE_SIZE}));
            vec_push(a, &out, ((DimPlace){&n->bound, PLACE_SIZE}));
        }
        if (n->kind == NODE_DIM)
            vec_push(a, &out, ((DimPlace){&n->dim, PLACE_SIZE}));
    }
    for (uint32_t j = 0; j < k->p->nout; j++)
        add_access(k, a, &k->outs[j].at, &out);
    return out;
}

/* Is the dim part of what the kernel is? Others stand for themselves. */
static bool is_fixed(PlaceKind kind, Dim d)
{
    return (kind == PLACE_STEP && (d == 0 || d == 1)) || (kind == PLACE_OFFSET && d == 0);
}

static bool place_equal(PlaceKind kind, Dim x, Dim y)
{
    return x == y || (!is_fixed(kind, x) && !is_fixed(kind, y));
}

/* ---- equality ---------------------------------------------------------------------- */

static bool access_equal(const Kernel *k, const Access *x, const Access *y)
{
    for (uint32_t l = 0; l < k->nloops; l++)
        if (!place_equal(PLACE_STEP, x->stride[l], y->stride[l]))
            return false;
    return x->array == y->array && place_equal(PLACE_OFFSET, x->offset, y->offset);
}

static bool node_equal(const Kernel *k, const Node *x, const Node *y)
{
    return x->kind == y->kind && x->dtype == y->dtype && x->level == y->level &&
           x->over == y->over && x->op == y->op && x->stage == y->stage &&
           x->nin == y->nin && x->nout == y->nout && x->which == y->which && x->fetch == y->fetch && x->bits == y->bits &&
           x->saved == y->saved && x->fill == y->fill &&
           (!x->nin || !memcmp(x->in, y->in, x->nin * sizeof *x->in)) &&
           (!has_access(x) || access_equal(k, &x->at, &y->at));
}

static bool arrays_equal(const Program *x, const Program *y)
{
    if (x->nin != y->nin || x->nout != y->nout)
        return false;
    for (uint32_t i = 1; i <= x->nin; i++)
        if (val_type(x, i).dtype != val_type(y, i).dtype)
            return false;
    return true;
}

static bool loops_equal(const Kernel *x, const Kernel *y)
{
    if (x->nloops != y->nloops || x->nrows != y->nrows || x->nstages != y->nstages)
        return false;
    for (uint32_t l = 0; l < x->nloops; l++)
        if (x->loops[l].col != y->loops[l].col || x->loops[l].tile != y->loops[l].tile)
            return false;
    for (uint32_t s = 0; s < x->nstages; s++) {
        const KernelWalk *v = &x->walks[s], *w = &y->walks[s];

        if (v->any != w->any || v->whole != w->whole || v->apart != w->apart ||
            v->unroll != w->unroll)
            return false;
    }
    return !x->narrow || x->loops[1].size == y->loops[1].size; /* of its buffers */
}

/* Large kernels of a target that wants their sizes as numbers? */
static bool has_own_sizes(const Kernel *k)
{
    int64_t n = 1;

    for (uint32_t l = 0; l < k->nloops; l++)
        if (k->loops[l].size < 0 || !mul_i64(n, k->loops[l].size, &n))
            return false;
    return k->target->own_sizes && n >= k->target->own_sizes;
}

static bool sizes_equal(const Kernel *x, const Kernel *y)
{
    for (uint32_t l = 0; l < x->nloops; l++)
        if (x->loops[l].size != y->loops[l].size)
            return false;
    return true;
}

bool kernel_equal(const Kernel *x, const Kernel *y)
{
    if (x->target != y->target || x->form != y->form || x->exact != y->exact ||
        x->wide != y->wide || x->parts != y->parts || x->narrow != y->narrow ||
        x->whole_rows != y->whole_rows || x->blocks != y->blocks ||
        x->nsaved != y->nsaved || x->nnodes != y->nnodes || !x->product != !y->product ||
        !arrays_equal(x->p, y->p) || !loops_equal(x, y) ||
        ((has_own_sizes(x) || has_own_sizes(y)) && !sizes_equal(x, y)))
        return false;
    if (x->product &&
        val_type(x->p, x->product->out).dtype != val_type(y->p, y->product->out).dtype)
        return false;
    for (uint32_t i = 0; i < x->nnodes; i++)
        if (!node_equal(x, &x->nodes[i], &y->nodes[i]))
            return false;
    for (uint32_t j = 0; j < x->p->nout; j++)
        if (x->outs[j].node != y->outs[j].node ||
            x->outs[j].stream != y->outs[j].stream ||
            !access_equal(x, &x->outs[j].at, &y->outs[j].at))
            return false;
    return true;
}

Hash kernel_hash(const Kernel *k)
{
    Hasher h;

    hash_init(&h, 5);
    hash_u64(&h,
             k->form | (uint64_t)k->narrow << 8 | (uint64_t)(k->product != NULL) << 9);
    hash_u64(&h, (uint64_t)k->nloops << 32 | k->nnodes);
    hash_u64(&h, (uint64_t)k->p->nin << 32 | k->p->nout);
    for (uint32_t i = 0; i < k->nnodes; i++) {
        const Node *n = &k->nodes[i];

        hash_u64(&h, n->kind | (uint64_t)n->dtype << 8 | (uint64_t)n->level << 16 |
                         (uint64_t)n->op << 32);
        hash_u64(&h, n->bits);
        for (uint32_t j = 0; j < n->nin; j++)
            hash_u64(&h, n->in[j]);
    }
    return hash_done(&h);
}

/* ---- a function of the sizes ------------------------------------------------------- */

typedef struct ShareGroup { /* kernels that are equal, and their places */
    Kernel **k;
    DimPlaces *at;
    uint32_t n;
    bool general; /* every dim that is not fixed is a parameter */
} ShareGroup;

/* The dim is the same number in all kernels of the group. */
static bool is_number(const ShareGroup *g, uint32_t place)
{
    Dim d = *g->at[0].v[place].at;

    if (g->general && !is_fixed(g->at[0].v[place].kind, d))
        return false;
    for (uint32_t i = 0; i < g->n; i++)
        if (*g->at[i].v[place].at != d || d < 0)
            return false;
    return true;
}

static bool same_everywhere(const ShareGroup *g, uint32_t x, uint32_t y)
{
    for (uint32_t i = 0; i < g->n; i++)
        if (*g->at[i].v[x].at != *g->at[i].v[y].at)
            return false;
    return true;
}

/* Which parameter each place is; -1: it is a number. */
static int32_t *find_places(const ShareGroup *g, Arena *a, uint32_t *out_n)
{
    uint32_t n = g->at[0].n;
    int32_t *param = arena_array(a, n + 1, sizeof *param);

    *out_n = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = 0;

        param[i] = -1;
        if (is_number(g, i))
            continue;
        while (j < i && !(param[j] >= 0 && same_everywhere(g, i, j)))
            j++;
        param[i] = j < i ? param[j] : (int32_t)(*out_n)++;
    }
    return param;
}

static void set_params(Kernel *k, Arena *a, const DimPlaces *at, const int32_t *param,
                       uint32_t n)
{
    k->nparams = n;
    k->params = arena_array(a, n + 1, sizeof *k->params);
    for (uint32_t i = 0; i < at->n; i++)
        if (param[i] >= 0)
            k->params[param[i]] = *at->v[i].at;
}

void kernel_find_params(Kernel *k, Arena *a)
{
    DimPlaces at = places_of(k, a);
    ShareGroup g = {.k = &k, .at = &at, .n = 1};
    uint32_t n;
    const int32_t *param = find_places(&g, a, &n);

    set_params(k, a, &at, param, n);
}

static void copy_access(const Kernel *k, Arena *a, Access *at)
{
    at->stride = arena_dup(a, at->stride, k->nloops * sizeof *at->stride);
}

/* A copy with loops, nodes and accesses of its own. */
static Kernel *copy_kernel(const Kernel *from, Arena *a)
{
    Kernel *k = arena_dup(a, from, sizeof *k);

    k->code = k;
    k->loops = arena_dup(a, k->loops, k->nloops * sizeof *k->loops);
    if (k->nnodes)
        k->nodes = arena_dup(a, k->nodes, k->nnodes * sizeof *k->nodes);
    k->outs = arena_dup(a, k->outs, k->p->nout * sizeof *k->outs);
    for (uint32_t i = 0; i < k->nnodes; i++)
        if (has_access(&k->nodes[i]))
            copy_access(k, a, &k->nodes[i].at);
    for (uint32_t j = 0; j < k->p->nout; j++)
        copy_access(k, a, &k->outs[j].at);
    return k;
}

static void share_group(wf_ctx *cx, Arena *a, ShareGroup *g)
{
    Kernel *code = copy_kernel(g->k[0], a);
    uint32_t n;
    int32_t *param;
    DimPlaces at = places_of(code, a);

    g->at = arena_array(a, g->n, sizeof *g->at);
    for (uint32_t i = 0; i < g->n; i++)
        g->at[i] = places_of(g->k[i], a);
    param = find_places(g, a, &n);
    dims_init(&code->dims, cx, a);
    for (uint32_t i = 0; i < n; i++)
        dim_symbol(&code->dims, arena_printf(a, "d%u", i), SYM_INPUT);
    for (uint32_t i = 0; i < at.n; i++)
        if (param[i] >= 0)
            *at.v[i].at = code->dims.syms.v[param[i]].dim;
    set_params(code, a, &at, param, n);
    for (uint32_t i = 0; i < g->n; i++) {
        set_params(g->k[i], a, &g->at[i], param, n);
        g->k[i]->code = code;
    }
}

void kernel_generalise(wf_ctx *cx, Arena *a, Kernel *k)
{
    ShareGroup g = {.k = &k, .n = 1, .general = true};

    if (k->nodes && k->code == k)
        share_group(cx, a, &g);
}

void kernel_share_code(wf_ctx *cx, Arena *a, Kernel *const *k, uint32_t n)
{
    Hash *hash = arena_array(a, n + 1, sizeof *hash);
    bool *taken = arena_zalloc(a, n + 1);
    ShareGroup g = {.k = arena_array(a, n + 1, sizeof(Kernel *))};

    for (uint32_t i = 0; i < n; i++) {
        taken[i] = !k[i]->nodes || *k[i]->part;
        if (!taken[i])
            hash[i] = kernel_hash(k[i]);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (taken[i])
            continue;
        g.n = 0;
        for (uint32_t j = i; j < n; j++)
            if (!taken[j] && hash_eq(hash[i], hash[j]) && kernel_equal(k[i], k[j])) {
                taken[j] = true;
                g.k[g.n++] = k[j];
            }
        if (g.n > 1)
            share_group(cx, a, &g);
    }
}
