/* render_cuda.c -- kernels as CUDA C++.
 *
 *   MAP    a thread for V elements along the last loop; totals: a sum a thread, then a
 *          block, then (wk7_end) one of all blocks, always in the same order
 *   ROWS   T threads a row, in as many walks as the kernel has; what is loaded stays in
 *          registers for later walks where the row is short enough. Sums over the rows
 *          are kept by the threads that own the columns, one partial result a block
 *   COLS   as many threads along the columns as there are, up to 32, the others of a block
 *          along the rows of a task
 *
 * How many of each is CudaShape's, which the launch reads too. Names are those of render.c;
 * elements are those of plain.h, one by one: inside the loop over the V elements of a
 * thread the text of a node is the same as in C. l<i> are loaded elements, o<j> those to
 * be stored, w counts vectors of V along the columns.
 */
#include "codegen/render.h"

#define LAST(k)    ((k)->nloops - 1)
#define MAP_BLOCK  256
#define SAME_MOST  64   /* and from row to row */

extern const char *const plain_lines[], *const gpu_lines[]; /* by the Makefile */

/* ---- text --------------------------------------------------------------------------- */

typedef struct CudaRender {
    Render r;
    const Kernel *k;
    CudaShape s;
    bool *have; /* loads that are in registers already, of an earlier walk */
    bool *same; /* COLS: nodes that are the same for every row, computed once; NULL: none */
} CudaRender;

static void line(CudaRender *c, int depth, const char *fmt, ...) PRINTF(3, 4);

static void line(CudaRender *c, int depth, const char *fmt, ...)
{
    va_list args;

    text_printf(c->r.t, "%*s", 4 * depth, "");
    va_start(args, fmt);
    text_vprintf(c->r.t, fmt, args);
    va_end(args);
    text_char(c->r.t, '\n');
}

static const char *type_of(const Node *n) { return render_type((wf_dtype)n->dtype); }
static const char *kept_type(const Node *n)
{
    return render_type(kept_dtype((wf_dtype)n->dtype));
}
static const char *lane_of(CudaRender *c, const Node *n)
{
    return lane_type(&c->r, kept_dtype((wf_dtype)n->dtype));
}
static const char *last_text(CudaRender *c)
{
    return render_dim(&c->r, c->k->loops[LAST(c->k)].size);
}

/* "s_add_f32(x, y)" */
static const char *combine(CudaRender *c, const Node *n, const char *x, const char *y)
{
    Render r = c->r;
    Text t;

    text_init(&t, r.a);
    r.t = &t;
    render_combine(&r, n->op, (wf_dtype)n->dtype, x, y);
    return text_str(&t);
}

static const char *identity(CudaRender *c, const Node *n)
{
    Render r = c->r;
    Text t;

    text_init(&t, r.a);
    r.t = &t;
    render_identity(&r, n->op, (wf_dtype)n->dtype);
    return text_str(&t);
}

/* The joining of values of T threads, as a value. */
static const char *all_of(CudaRender *c, const Node *n, int threads, const char *x)
{
    const char *type = lane_of(c, n);

    return arena_printf(c->r.a, "wk_all<%d>(%s, [](%s x, %s y) { return %s; })", threads,
                        x, type, type, combine(c, n, "x", "y"));
}

/* Indices of loops from..to-1 out of `name`, which counts them; the first needs no rest. */
static void split_loops(CudaRender *c, int depth, const char *name, uint32_t from, uint32_t to)
{
    while (to-- > from) {
        if (to == from)
            line(c, depth, "const I i%u = %s;", to, name);
        else
            line(c, depth, "I i%u; wk_split(%s, (I)%s, &%s, &i%u);", to, name,
                 render_dim(&c->r, c->k->loops[to].size), name, to);
    }
}

/* ---- functions ---------------------------------------------------------------------- */

static void open_function(CudaRender *c, const char *end, int threads)
{
    const Kernel *k = c->k;
    const Program *p = k->p;

    text_printf(c->r.t,
                "extern \"C\" __global__ void __launch_bounds__(%d)\n"
                "wk%u%s(WK_ARGS(Wk%u) k)\n{\n",
                threads, k->id, end, k->id);
    line(c, 1, "typedef %s I;", c->s.small ? "int" : "int64_t");
    for (uint32_t i = 0; i < k->nparams; i++)
        line(c, 1, "const I d%u = (I)k.d[%u];", i, i);
    for (uint32_t i = 0; i < p->nin; i++) {
        const char *type = render_type((wf_dtype)val_type(p, i + 1).dtype);

        line(c, 1, "const %s *const a%u = (const %s *)k.p[%u];", type, i, type, i);
    }
    for (uint32_t j = 0; j < p->nout; j++) {
        const char *type = render_type((wf_dtype)val_type(p, p->outs[j]).dtype);

        line(c, 1, "%s *const a%u = (%s *)k.p[%u];", type, p->nin + j, type, p->nin + j);
    }
    line(c, 1, "const I vectors_last = (%s + %d) / %d;", last_text(c), c->s.vec - 1,
         c->s.vec);
}

/* Elements of the columns, all loops of them. */
static const char *columns(CudaRender *c)
{
    const char *n = "(int64_t)1";

    for (uint32_t l = c->k->nrows; l < c->k->nloops; l++)
        n = arena_printf(c->r.a, "%s * %s", n, render_dim(&c->r, c->k->loops[l].size));
    return n;
}

static void count_vectors(CudaRender *c)
{
    const char *n = "vectors_last";

    for (uint32_t l = c->k->nrows; l < LAST(c->k); l++)
        n = arena_printf(c->r.a, "%s * %s", n, render_dim(&c->r, c->k->loops[l].size));
    line(c, 1, "const I vectors = %s;", n);
}

/* S<i>: where partial results of task `task` are; laid out as kernel_size has it. */
static void point_to_acc(CudaRender *c, const char *task)
{
    line(c, 1, "char *acc = k.acc + %s * k.part;", task);
    for (uint32_t i = 0; i < c->k->nnodes; i++) {
        const Node *n = &c->k->nodes[i];

        if (!node_is_part(n))
            continue;
        line(c, 1, "%s *const S%u = (%s *)acc;", kept_type(n), i, kept_type(n));
        line(c, 1, "acc += (%s * (int64_t)sizeof *S%u + 63) & ~(int64_t)63;",
             n->over == OVER_ALL ? "1" : columns(c), i);
    }
    line(c, 1, "(void)acc;");
}

/* ---- V elements of a thread ----------------------------------------------------------- */

static bool keeps(const CudaRender *c) { return c->s.chunks && c->k->nstages > 1; }

/* "l3" or, kept from walk to walk, "l3[c]" */
static const char *loaded(CudaRender *c, uint32_t i)
{
    return arena_printf(c->r.a, keeps(c) ? "l%u[c]" : "l%u", i);
}

static void load_all(CudaRender *c, int depth, const bool *need)
{
    const Kernel *k = c->k;

    for (uint32_t i = 0; i < k->nnodes; i++) {
        const Node *n = &k->nodes[i];

        if (!need[i] || !render_cuda_is_loaded(k, n) || c->have[i] || (c->same && c->same[i]))
            continue;
        if (!keeps(c))
            line(c, depth, "%s l%u[%d];", type_of(n), i, c->s.vec);
        line(c, depth, "wk_load(%s, %s + x0, m);", loaded(c, i), render_address(&c->r, &n->at));
    }
}

/* Is it gathered in o<j> first? */
static bool is_stored(const Kernel *k, uint32_t j)
{
    return render_cuda_is_vector(k, &k->outs[j].at);
}

static void take_sum(CudaRender *c, int depth, uint32_t i)
{
    const Node *n = &c->k->nodes[i];
    const char *v = arena_printf(c->r.a, "v%u", n->in[0]);
    const char *s = n->over != OVER_ROWS ? arena_printf(c->r.a, "s%u", i)
                    : c->k->form == FORM_COLS
                        ? arena_printf(c->r.a, "s%u[e]", i)
                    : c->s.chunks ? arena_printf(c->r.a, "s%u[c][e]", i)
                                  : arena_printf(c->r.a, "S%u[at + e]", i);

    line(c, depth, "if (e < m)");
    line(c, depth + 1, "%s = %s;", s, combine(c, n, s, v));
}

/* Does what differs from row to row read it? */
static bool is_read_by_rows(const CudaRender *c, uint32_t i)
{
    const Kernel *k = c->k;

    for (uint32_t j = i + 1; j < k->nnodes; j++)
        for (uint32_t a = 0; a < k->nodes[j].nin && !c->same[j]; a++)
            if (k->nodes[j].in[a] == i)
                return true;
    for (uint32_t j = 0; j < k->p->nout; j++)
        if (k->outs[j].node == i)
            return true;
    return false;
}

static void use_same(CudaRender *c, int depth, uint32_t i)
{
    if (is_read_by_rows(c, i))
        line(c, depth, "const auto v%u = h%u[e];", i, i);
}

/* The elements from x0 on of the columns, m of them: nodes, sums, results of a walk. */
static void render_elements(CudaRender *c, int depth, uint32_t stage)
{
    const Kernel *k = c->k;
    bool *need = arena_zalloc(c->r.a, k->nnodes + 1);

    kernel_walk_needs(k, stage, need);
    load_all(c, depth, need);
    for (uint32_t j = 0; j < k->p->nout; j++)
        if (kernel_stores_in(k, &k->outs[j], stage) && is_stored(k, j))
            line(c, depth, "%s o%u[%d];", type_of(&k->nodes[k->outs[j].node]), j,
                 c->s.vec);
    line(c, depth - 1, "#pragma unroll");
    line(c, depth, "for (int e = 0; e < %d; e++) {", c->s.vec);
    line(c, depth + 1, "const I x = x0 + (e < m ? e : 0);");
    for (uint32_t i = 0; i < k->nnodes; i++) {
        const Node *n = &k->nodes[i];

        if (need[i] && c->same && c->same[i])
            use_same(c, depth + 1, i);
        else if (need[i] && render_cuda_is_loaded(k, n))
            line(c, depth + 1, "const %s v%u = s_splat_%s(%s[e]);",
                 lane_type(&c->r, (wf_dtype)n->dtype), i, wf_dtype_name((wf_dtype)n->dtype),
                 loaded(c, i));
        else if (need[i])
            define_node(&c->r, depth + 1, i);
        else if (node_reduces_in(n, stage))
            take_sum(c, depth + 1, i);
    }
    for (uint32_t j = 0; j < k->p->nout; j++) {
        const KernelOut *o = &k->outs[j];
        const Node *n = &k->nodes[o->node];

        if (!kernel_stores_in(k, o, stage))
            continue;
        if (is_stored(k, j)) {
            line(c, depth + 1, "o%u[e] = s_first_%s(v%u);", j,
                 wf_dtype_name((wf_dtype)n->dtype), o->node);
        } else {
            line(c, depth + 1, "if (e < m)");
            store_value(&c->r, depth + 2, o, arena_printf(c->r.a, "v%u", o->node));
        }
    }
    line(c, depth, "}");
    for (uint32_t j = 0; j < k->p->nout; j++)
        if (kernel_stores_in(k, &k->outs[j], stage) && is_stored(k, j))
            line(c, depth, "wk_store%s(%s + x0, o%u, m);", render_cuda_is_far(k, j) ? "<true>" : "",
                 render_address(&c->r, &k->outs[j].at), j);
    for (uint32_t i = 0; i < k->nnodes; i++)
        if (need[i] && keeps(c))
            c->have[i] = true;
}

/* How many of the V elements from x0 on are there. */
static void count_elements(CudaRender *c, int depth)
{
    Dim size = c->k->loops[LAST(c->k)].size;

    if (size >= 0 && size % c->s.vec == 0)
        line(c, depth, "const int m = %d;", c->s.vec);
    else
        line(c, depth, "const int m = wk_left(%s - x0, %d);", last_text(c), c->s.vec);
}

/* Vector w of the columns: indices of their loops, x0, m, and `at`, its place in them. */
static void open_vector(CudaRender *c, int depth)
{
    const Kernel *k = c->k;

    if (LAST(k) > k->nrows) {
        line(c, depth, "I outer, inner; wk_split(w, vectors_last, &outer, &inner);");
        line(c, depth, "const I at = outer * %s + inner * %d, x0 = inner * %d;",
             last_text(c), c->s.vec, c->s.vec);
        split_loops(c, depth, "outer", k->nrows, LAST(k));
    } else {
        line(c, depth, "const I x0 = w * %d, at = x0;", c->s.vec);
    }
    count_elements(c, depth);
    line(c, depth, "(void)at;");
}

/* Results known by row, of the last walk. */
static void store_rows(CudaRender *c, int depth, const char *who)
{
    const Kernel *k = c->k;

    for (uint32_t j = 0; j < k->p->nout; j++) {
        const KernelOut *o = &k->outs[j];

        if (node_is_part(&k->nodes[o->node]) || kernel_out_is_each(k, o))
            continue;
        line(c, depth, "if (%s)", who);
        store_value(&c->r, depth + 1, o, arena_printf(c->r.a, "v%u", o->node));
    }
}

/* Sums of what is known by row. */
static void take_row_sums(CudaRender *c, int depth, const char *who)
{
    for (uint32_t i = 0; i < c->k->nnodes; i++) {
        const Node *n = &c->k->nodes[i];
        const char *s = arena_printf(c->r.a, "s%u", i);

        if (!node_is_part(n) || n->level == LEVEL_EACH)
            continue;
        line(c, depth, "if (%s)", who);
        line(c, depth + 1, "%s = %s;", s,
             combine(c, n, s, arena_printf(c->r.a, "v%u", n->in[0])));
    }
}

/* ---- totals ---------------------------------------------------------------------------- */

static void start_totals(CudaRender *c)
{
    for (uint32_t i = 0; i < c->k->nnodes; i++) {
        const Node *n = &c->k->nodes[i];

        if (node_is_part(n) && n->over == OVER_ALL)
            line(c, 1, "%s s%u = %s;", lane_of(c, n), i, identity(c, n));
    }
}

static void end_totals(CudaRender *c, int threads)
{
    for (uint32_t i = 0; i < c->k->nnodes; i++) {
        const Node *n = &c->k->nodes[i];

        if (!node_is_part(n) || n->over != OVER_ALL)
            continue;
        line(c, 1, "{");
        line(c, 2, "const %s total = %s;", lane_of(c, n),
             all_of(c, n, threads, arena_printf(c->r.a, "s%u", i)));
        line(c, 2, "if (threadIdx.x == 0)");
        line(c, 3, "S%u[0] = s_first_%s(total);", i,
             wf_dtype_name(kept_dtype((wf_dtype)n->dtype)));
        line(c, 1, "}");
    }
}

/* ---- forms ------------------------------------------------------------------------------ */

static void render_map_form(CudaRender *c)
{
    const Kernel *k = c->k;

    open_function(c, "", MAP_BLOCK);
    if (k->parts)
        point_to_acc(c, "blockIdx.x");
    start_totals(c);
    define_level(&c->r, 1, LEVEL_ONCE, 0);
    line(c, 1, "const I total = (I)k.rows * vectors_last, step = (I)gridDim.x * %d;",
         MAP_BLOCK);
    line(c, 1, "for (I u = (I)blockIdx.x * %d + threadIdx.x; u < total; u += step) {",
         MAP_BLOCK);
    if (k->nloops > 1)
        line(c, 2, "I row, w; wk_split(u, vectors_last, &row, &w);");
    else
        line(c, 2, "const I w = u;");
    line(c, 2, "const I x0 = w * %d;", c->s.vec);
    count_elements(c, 2);
    split_loops(c, 2, "row", 0, LAST(k));
    define_level(&c->r, 2, LEVEL_ROW, 0);
    render_elements(c, 2, 0);
    take_row_sums(c, 2, "x0 == 0");
    store_rows(c, 2, "x0 == 0");
    line(c, 1, "}");
    end_totals(c, MAP_BLOCK);
    text_add(c->r.t, "}\n\n");
}

/* Sums over the rows, by the thread that owns the columns. */
static void start_columns(CudaRender *c)
{
    for (uint32_t i = 0; i < c->k->nnodes; i++) {
        const Node *n = &c->k->nodes[i];

        if (!node_is_part(n) || n->over != OVER_ROWS)
            continue;
        if (c->s.chunks) {
            line(c, 1, "%s s%u[%d][%d];", lane_of(c, n), i, c->s.chunks, c->s.vec);
            text_add(c->r.t, "#pragma unroll\n");
            line(c, 1, "for (int c = 0; c < %d; c++)", c->s.chunks);
            line(c, 2, "for (int e = 0; e < %d; e++)", c->s.vec);
            line(c, 3, "s%u[c][e] = %s;", i, identity(c, n));
            continue;
        }
        line(c, 1, "for (I w = lane; w < vectors; w += %d) {", c->s.threads);
        open_vector(c, 2);
        line(c, 2, "for (int e = 0; e < m; e++)");
        line(c, 3, "S%u[at + e] = %s;", i, identity(c, n));
        line(c, 1, "}");
    }
}

static void end_columns(CudaRender *c)
{
    for (uint32_t i = 0; i < c->k->nnodes && c->s.chunks; i++) {
        const Node *n = &c->k->nodes[i];

        if (!node_is_part(n) || n->over != OVER_ROWS)
            continue;
        text_add(c->r.t, "#pragma unroll\n");
        line(c, 1, "for (int c = 0; c < %d; c++) {", c->s.chunks);
        line(c, 2, "const I w = lane + c * %d;", c->s.threads);
        line(c, 2, "if (w < vectors) {");
        open_vector(c, 3);
        line(c, 3, "for (int e = 0; e < %d; e++)", c->s.vec);
        line(c, 4, "if (e < m)");
        line(c, 5, "S%u[at + e] = s_first_%s(s%u[c][e]);", i,
             wf_dtype_name(kept_dtype((wf_dtype)n->dtype)), i);
        line(c, 2, "}");
        line(c, 1, "}");
    }
}

/* A walk over the row, then what it has reduced. */
static void walk_row(CudaRender *c, uint32_t stage)
{
    const Kernel *k = c->k;
    bool *need = arena_zalloc(c->r.a, k->nnodes + 1);

    if (!kernel_walk_needs(k, stage, need))
        return;
    for (uint32_t i = 0; i < k->nnodes; i++)
        if (node_reduces_in(&k->nodes[i], stage) && k->nodes[i].over == OVER_COLS)
            line(c, 2, "%s s%u = %s;", lane_of(c, &k->nodes[i]), i,
                 identity(c, &k->nodes[i]));
    if (c->s.chunks) {
        text_add(c->r.t, "#pragma unroll\n");
        line(c, 2, "for (int c = 0; c < %d; c++) {", c->s.chunks);
        line(c, 3, "const I w = lane + c * %d;", c->s.threads);
        line(c, 3, "if (w < vectors) {");
    } else {
        line(c, 2, "{");
        line(c, 3, "for (I w = lane; w < vectors; w += %d) {", c->s.threads);
    }
    open_vector(c, 4);
    render_elements(c, 4, stage);
    line(c, 3, "}");
    line(c, 2, "}");
    for (uint32_t i = 0; i < k->nnodes; i++) {
        const Node *n = &k->nodes[i];
        bool half = kept_dtype((wf_dtype)n->dtype) != n->dtype;

        if (!node_reduces_in(n, stage) || n->over != OVER_COLS)
            continue;
        line(c, 2, "const %s v%u = %s%s%s%s%s;", lane_of(c, n), i,
             half ? "s_narrow_" : "", half ? wf_dtype_name((wf_dtype)n->dtype) : "",
             half ? "(" : "",
             all_of(c, n, c->s.threads, arena_printf(c->r.a, "s%u", i)), half ? ")" : "");
        define_reciprocal(&c->r, 2, i);
    }
}

/* The same for every row? */
static bool is_of_columns(const Kernel *k, const Node *n)
{
    for (uint32_t l = 0; l < k->nrows; l++)
        if (n->at.stride[l])
            return false;
    return true;
}

/* Room for what stays in registers from walk to walk; what is the same for every row is
 * loaded before the first. */
static void keep_loads(CudaRender *c, int depth, bool of_columns)
{
    const Kernel *k = c->k;
    bool any = false;

    for (uint32_t i = 0; i < k->nnodes && keeps(c); i++)
        if (render_cuda_is_loaded(k, &k->nodes[i]) && is_of_columns(k, &k->nodes[i]) == of_columns) {
            line(c, depth, "%s l%u[%d][%d];", type_of(&k->nodes[i]), i, c->s.chunks,
                 c->s.vec);
            any = true;
        }
    if (!of_columns || !any)
        return;
    text_add(c->r.t, "#pragma unroll\n");
    line(c, depth, "for (int c = 0; c < %d; c++) {", c->s.chunks);
    line(c, depth + 1, "const I w = lane + c * %d;", c->s.threads);
    line(c, depth + 1, "if (w < vectors) {");
    open_vector(c, depth + 2);
    for (uint32_t i = 0; i < k->nnodes; i++)
        if (render_cuda_is_loaded(k, &k->nodes[i]) && is_of_columns(k, &k->nodes[i])) {
            line(c, depth + 2, "wk_load(l%u[c], %s + x0, m);", i,
                 render_address(&c->r, &k->nodes[i].at));
            c->have[i] = true;
        }
    line(c, depth + 1, "}");
    line(c, depth, "}");
}

static void render_rows_form(CudaRender *c)
{
    const Kernel *k = c->k;

    open_function(c, "", c->s.threads * c->s.rows);
    count_vectors(c);
    line(c, 1, "const int lane = threadIdx.x %% %d;", c->s.threads);
    if (k->parts) {
        point_to_acc(c, "blockIdx.x");
        start_columns(c);
        start_totals(c);
        line(c, 1, "int64_t begin, end;");
        line(c, 1, "wk_part(k.rows, k.tasks, blockIdx.x, &begin, &end);");
    } else {
        line(c, 1, "const int64_t begin = (int64_t)blockIdx.x * %d + threadIdx.x / %d;",
             c->s.rows, c->s.threads);
        line(c, 1, "const int64_t end = k.rows;");
    }
    define_level(&c->r, 1, LEVEL_ONCE, 0);
    keep_loads(c, 1, true);
    line(c, 1, "for (int64_t u = begin; u < end; u += %s) {",
         k->parts ? "1" : arena_printf(c->r.a, "(int64_t)gridDim.x * %d", c->s.rows));
    line(c, 2, "I row = (I)u;");
    split_loops(c, 2, "row", 0, k->nrows);
    keep_loads(c, 2, false);
    for (uint32_t stage = 0; stage < k->nstages; stage++) {
        if (stage)
            define_level(&c->r, 2, LEVEL_ONCE, stage);
        define_level(&c->r, 2, LEVEL_ROW, stage);
        walk_row(c, stage);
    }
    take_row_sums(c, 2, "lane == 0");
    store_rows(c, 2, "lane == 0");
    line(c, 1, "}");
    if (k->parts) {
        end_columns(c);
        end_totals(c, c->s.threads);
    }
    text_add(c->r.t, "}\n\n");
}

/* The sums of the threads along the rows, joined in halves. */
static void join_rows(CudaRender *c, int depth, const Node *n, int rows, int vec)
{
    const char *mine = vec ? "of[lane_row][lane][e]" : "of[lane_row][lane]";
    const char *other = vec ? "of[lane_row + half][lane][e]" : "of[lane_row + half][lane]";

    line(c, depth, "for (int half = %d; half; half /= 2) {", rows / 2);
    line(c, depth + 1, "__syncthreads();");
    line(c, depth + 1, "if (lane_row < half)");
    if (vec)
        line(c, depth + 2, "for (int e = 0; e < %d; e++)", vec);
    line(c, depth + 2 + !!vec, "%s = %s;", mine, combine(c, n, mine, other));
    line(c, depth, "}");
}

static void join_column_sums(CudaRender *c, int depth)
{
    for (uint32_t i = 0; i < c->k->nnodes; i++) {
        const Node *n = &c->k->nodes[i];

        if (!node_is_part(n) || n->over != OVER_ROWS)
            continue;
        line(c, depth, "{");
        line(c, depth + 1, "__shared__ %s of[%d][%d][%d];", lane_of(c, n), c->s.rows,
             c->s.threads, c->s.vec);
        line(c, depth + 1, "__syncthreads();");
        line(c, depth + 1, "for (int e = 0; e < %d; e++)", c->s.vec);
        line(c, depth + 2, "of[lane_row][lane][e] = s%u[e];", i);
        join_rows(c, depth + 1, n, c->s.rows, c->s.vec);
        line(c, depth + 1, "if (lane_row == 0 && w < vectors) {");
        open_vector(c, depth + 2);
        line(c, depth + 2, "for (int e = 0; e < m; e++)");
        line(c, depth + 3, "S%u[at + e] = s_first_%s(of[0][lane][e]);", i,
             wf_dtype_name(kept_dtype((wf_dtype)n->dtype)));
        line(c, depth + 1, "}");
        line(c, depth, "}");
    }
}

/* Nodes that are the same for every row of the columns that a thread has. NULL: none, or too
 * many for its registers. */
static bool *find_same(CudaRender *c)
{
    const Kernel *k = c->k;
    int n = 0;

    c->same = arena_zalloc(c->r.a, k->nnodes + 1);
    for (uint32_t i = 0; i < k->nnodes; i++) {
        const Node *node = &k->nodes[i];
        bool same = node->kind == NODE_MAP && node->nout == 1 && node->nin > 0 && node->level == LEVEL_EACH;

        for (uint32_t a = 0; a < node->nin && same; a++)
            same = c->same[node->in[a]] || (k->nodes[node->in[a]].level == LEVEL_ONCE &&
                                            k->nodes[node->in[a]].kind != NODE_REDUCE);
        c->same[i] = same || (render_cuda_is_loaded(k, node) && is_of_columns(k, node));
    }
    for (uint32_t i = 0; i < k->nnodes; i++)
        n += c->same[i] && is_read_by_rows(c, i);
    return n && n * c->s.vec <= SAME_MOST ? c->same : NULL;
}

/* Their values for the columns of w, before the rows. */
static void compute_same(CudaRender *c, int depth)
{
    const Kernel *k = c->k;

    for (uint32_t i = 0; i < k->nnodes; i++)
        if (c->same[i] && is_read_by_rows(c, i))
            line(c, depth, "%s h%u[%d];", lane_type(&c->r, (wf_dtype)k->nodes[i].dtype), i,
                 c->s.vec);
    line(c, depth, "if (w < vectors) {");
    open_vector(c, depth + 1);
    for (uint32_t i = 0; i < k->nnodes; i++)
        if (c->same[i] && render_cuda_is_loaded(k, &k->nodes[i])) {
            line(c, depth + 1, "%s l%u[%d];", type_of(&k->nodes[i]), i, c->s.vec);
            line(c, depth + 1, "wk_load(l%u, %s + x0, m);", i,
                 render_address(&c->r, &k->nodes[i].at));
        }
    line(c, depth, "#pragma unroll");
    line(c, depth + 1, "for (int e = 0; e < %d; e++) {", c->s.vec);
    line(c, depth + 2, "const I x = x0 + (e < m ? e : 0);");
    line(c, depth + 2, "(void)x;");
    for (uint32_t i = 0; i < k->nnodes; i++) {
        const Node *n = &k->nodes[i];

        if (!c->same[i])
            continue;
        if (render_cuda_is_loaded(k, n))
            line(c, depth + 2, "const auto v%u = s_splat_%s(l%u[e]);", i,
                 wf_dtype_name((wf_dtype)n->dtype), i);
        else
            define_node(&c->r, depth + 2, i);
        if (is_read_by_rows(c, i))
            line(c, depth + 2, "h%u[e] = v%u;", i, i);
    }
    line(c, depth + 1, "}");
    line(c, depth, "}");
}

static void render_cols_form(CudaRender *c)
{
    const Kernel *k = c->k;

    open_function(c, "", CUDA_TILE);
    count_vectors(c);
    line(c, 1, "const int lane = threadIdx.x %% %d, lane_row = threadIdx.x / %d;",
         c->s.threads, c->s.threads);
    point_to_acc(c, "blockIdx.y");
    start_totals(c);
    line(c, 1, "int64_t begin, end;");
    line(c, 1, "wk_part(k.rows, k.tasks, blockIdx.y, &begin, &end);");
    define_level(&c->r, 1, LEVEL_ONCE, 0);
    line(c, 1, "for (I w0 = (I)blockIdx.x * %d; w0 < vectors; w0 += (I)gridDim.x * %d) {",
         c->s.threads, c->s.threads);
    line(c, 2, "const I w = w0 + lane;");
    for (uint32_t i = 0; i < k->nnodes; i++)
        if (node_is_part(&k->nodes[i]) && k->nodes[i].over == OVER_ROWS) {
            line(c, 2, "%s s%u[%d];", lane_of(c, &k->nodes[i]), i, c->s.vec);
            line(c, 2, "for (int e = 0; e < %d; e++)", c->s.vec);
            line(c, 3, "s%u[e] = %s;", i, identity(c, &k->nodes[i]));
        }
    if ((c->same = find_same(c)))
        compute_same(c, 2);
    line(c, 2, "if (w < vectors)");
    text_add(c->r.t, "#pragma unroll 2\n");
    line(c, 2, "for (int64_t u = begin + lane_row; u < end; u += %d) {", c->s.rows);
    open_vector(c, 3);
    line(c, 3, "I row = (I)u;");
    split_loops(c, 3, "row", 0, k->nrows);
    for (uint32_t stage = 0; stage < k->nstages; stage++) {
        define_level(&c->r, 3, LEVEL_ROW, stage);
        line(c, 3, "{");
        render_elements(c, 4, stage);
        line(c, 3, "}");
    }
    take_row_sums(c, 3, "w == 0");
    store_rows(c, 3, "w == 0");
    line(c, 2, "}");
    join_column_sums(c, 2);
    line(c, 1, "}");
    end_totals(c, CUDA_TILE);
    text_add(c->r.t, "}\n\n");
}

/* ---- the end: partial results of all tasks ----------------------------------------------- */

/* Threads of the columns share the tasks, as rows before. */
static void end_of_columns(CudaRender *c, uint32_t i)
{
    const Kernel *k = c->k;
    const Node *n = &k->nodes[i];
    const char *kept = wf_dtype_name(kept_dtype((wf_dtype)n->dtype));
    int rows = CUDA_END / c->s.ends;

    line(c, 1, "for (int64_t q0 = (int64_t)blockIdx.x * %d; q0 < %s; q0 += (int64_t)gridDim.x * %d) {",
         c->s.ends, columns(c), c->s.ends);
    line(c, 2, "__shared__ %s of[%d][%d];", lane_of(c, n), rows, c->s.ends);
    line(c, 2, "const int64_t q = q0 + lane;");
    line(c, 2, "%s v%u = %s;", lane_of(c, n), i, identity(c, n));
    line(c, 2, "if (q < %s)", columns(c));
    text_add(c->r.t, "#pragma unroll 4\n");
    line(c, 2, "for (int64_t t = lane_row; t < k.tasks; t += %d)", rows);
    line(c, 3, "v%u = %s;", i,
         combine(c, n, arena_printf(c->r.a, "v%u", i),
                 arena_printf(c->r.a,
                              "s_splat_%s(((const %s *)((const char *)S%u + t * "
                              "k.part))[q])",
                              kept, kept_type(n), i)));
    line(c, 2, "__syncthreads();");
    line(c, 2, "of[lane_row][lane] = v%u;", i);
    join_rows(c, 2, n, rows, 0);
    line(c, 2, "if (lane_row || q >= %s)", columns(c));
    line(c, 3, "continue;");
    line(c, 2, "v%u = of[0][lane];", i);
    line(c, 2, "I x, outer;");
    line(c, 2, "wk_split((I)q, (I)%s, &outer, &x);", last_text(c));
    split_loops(c, 2, "outer", k->nrows, LAST(k));
    line(c, 2, "const int m = 1;");
    for (uint32_t j = 0; j < k->p->nout; j++)
        if (k->outs[j].node == i)
            store_value(&c->r, 2, &k->outs[j], arena_printf(c->r.a, "v%u", i));
    line(c, 1, "}");
}

static void end_of_total(CudaRender *c, uint32_t i)
{
    const Kernel *k = c->k;
    const Node *n = &k->nodes[i];
    const char *kept = wf_dtype_name(kept_dtype((wf_dtype)n->dtype));

    line(c, 1, "if (blockIdx.x == 0) {");
    line(c, 2, "%s s = %s;", lane_of(c, n), identity(c, n));
    line(c, 2, "for (int64_t t = threadIdx.x; t < k.tasks; t += %d)",
         CUDA_END);
    line(c, 3, "s = %s;",
         combine(c, n, "s",
                 arena_printf(c->r.a,
                              "s_splat_%s(*(const %s *)((const char *)S%u + t * k.part))",
                              kept, kept_type(n), i)));
    line(c, 2, "const %s v%u = %s;", lane_of(c, n), i,
         all_of(c, n, CUDA_END, "s"));
    line(c, 2, "const int m = 1; const I x = 0;");
    line(c, 2, "if (threadIdx.x == 0 && m && !x) {");
    for (uint32_t j = 0; j < k->p->nout; j++)
        if (k->outs[j].node == i)
            store_value(&c->r, 3, &k->outs[j], arena_printf(c->r.a, "v%u", i));
    line(c, 2, "}");
    line(c, 1, "}");
}

static void render_cuda_end(CudaRender *c)
{
    open_function(c, "_end", CUDA_END);
    line(c, 1, "const int lane = threadIdx.x %% %d, lane_row = threadIdx.x / %d;",
         c->s.ends, c->s.ends);
    line(c, 1, "(void)lane; (void)lane_row; (void)vectors_last;");
    point_to_acc(c, "(int64_t)0");
    for (uint32_t i = 0, n = 0; i < c->k->nnodes; i++)
        if (node_is_part(&c->k->nodes[i])) {
            line(c, 1, "if (blockIdx.y == %u) {", n++);
            if (c->k->nodes[i].over == OVER_ALL)
                end_of_total(c, i);
            else
                end_of_columns(c, i);
            line(c, 1, "}");
        }
    text_add(c->r.t, "}\n\n");
}

/* ---- a kernel ------------------------------------------------------------------------------ */

/* Scalars: one thread, and the text that C has. */
static void render_cuda_scalar(CudaRender *c)
{
    Kernel inner = *c->k;

    inner.part = "_run";
    c->r.k = &inner;
    render_scalar(&c->r);
    text_printf(c->r.t,
                "extern \"C\" __global__ void wk%u(WK_ARGS(Wk%u) k)\n{\n"
                "    const int stop = 0;\n"
                "    const WkArgs args = {k.p, 0, 0, 0, &stop, 0};\n\n"
                "    wk%u_run(&args, 0, 1);\n}\n\n",
                c->k->id, c->k->id, c->k->id);
}

void render_cuda(const Kernel *k, Arena *a, Text *out)
{
    CudaRender c = {.r = {.k = k, .a = a, .t = out, .set = 's', .lanes = 1,
                    .vec = k->scalar ? 0 : LAST(k)},
              .k = k,
              .s = render_cuda_shape(k),
              .have = arena_zalloc(a, k->nnodes + 1)};

    text_add(out, "\n/*\n");
    kernel_print(k, out);
    text_add(out, " */\n");
    text_printf(out,
                "struct Wk%u {\n    void *p[%u];\n    char *acc;\n"
                "    int64_t part, rows, tasks, d[%u];\n};\n\n",
                k->id, MAX(k->p->nin + k->p->nout, 1), MAX(k->nparams, 1));
    if (k->scalar)
        render_cuda_scalar(&c);
    else if (k->form == FORM_MAP)
        render_map_form(&c);
    else if (k->form == FORM_ROWS)
        render_rows_form(&c);
    else
        render_cols_form(&c);
    if (k->parts)
        render_cuda_end(&c);
}

void render_cuda_head(const Kernel *const *k, uint32_t n, Text *out)
{
    text_add(out, "#define WK_TYPES\n");
    for (const char *const *l = gpu_lines; *l; l++)
        text_add(out, *l);
    for (const char *const *l = plain_lines; *l; l++)
        text_add(out, *l);
    render_spelled_plain(k, n, out);
    text_add(out, render_args);
    for (const char *const *l = gpu_lines; *l; l++)
        text_add(out, *l);
}
