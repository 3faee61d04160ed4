/* step_index.c -- windows at computed places: dynamic_slice dynamic_update_slice gather
 * scatter. op/index.h says how axes are numbered. */
#include "export/export.h"
#include "op/index.h"

/* ---- one window -------------------------------------------------------------------- */

/* Declares `first`, the number of the window's first element; starts are clamped. */
static bool write_start(Func *f, uint32_t first, const Dim *stride, Val window)
{
    Val x = in_of(f, 0);

    for (uint32_t i = 0; i < rank_of(f, x); i++) {
        Dim size = c_size_of(f, x, i),
            last = dim_sub(&f->dims, size, c_size_of(f, window, i));

        if (!dim_known_ge(&f->dims, last, 0))
            c_fail_if(f, "SIZE", "%s < 0", c_dim_in(f, last));
    }
    c_put_line(f, "ptrdiff_t first = 0;");
    for (uint32_t i = 0; i < rank_of(f, x); i++) {
        Val v = in_of(f, first + i);
        Dim room = dim_add(&f->dims,
                           dim_sub(&f->dims, c_size_of(f, x, i), c_size_of(f, window, i)), 1);

        c_put_line(f, "first += %s(%s[0], %s) * %s;",
                 c_need(f->c, dtype_of(f, v) == WF_U64 ? "clip_wide" : "clip"),
                 c_at_of(f, v), c_dim_in(f, room), c_dim_in(f, stride[i]));
    }
    c_put_line(f, "(void)first;"); /* there may be nothing to move */
    return true;
}

static const Dim *dims_of(Func *f, Val v)
{
    Dim *dims = arena_array(f->a, rank_of(f, v) + 1, sizeof *dims);

    for (uint32_t i = 0; i < rank_of(f, v); i++)
        dims[i] = c_size_of(f, v, i);
    return dims;
}

bool step_dynamic_slice(Func *f)
{
    Val x = in_of(f, 0), y = out_of(f, 0);
    const Dim *stride = c_stride_of(f, x);

    c_open_block(f, "%s", "");
    write_start(f, 1, stride, y);
    write_move(f, rank_of(f, y), dims_of(f, y), dtype_of(f, y), c_at_of(f, y),
               c_stride_of(f, y), arena_printf(f->a, "(%s + first)", c_at_of(f, x)), stride);
    c_close_block(f);
    return true;
}

/* The operand where the result is, if it is not there already. */
static void copy_operand(Func *f)
{
    Val x = in_of(f, 0), y = out_of(f, 0);

    if (!strcmp(c_at_of(f, x), c_at_of(f, y)))
        return;
    c_put_line(f, "if ((const void *)%s != (const void *)%s)", c_at_of(f, y), c_at_of(f, x));
    c_put_line(f, "    memcpy(%s, %s, (size_t)(%s) * sizeof(%s));", c_at_of(f, y),
             c_at_of(f, x), c_dim_in(f, c_count_of(f, y)), c_type(dtype_of(f, y)));
}

bool step_dynamic_update(Func *f)
{
    Val y = out_of(f, 0), u = in_of(f, 1);

    copy_operand(f);
    c_open_block(f, "%s", "");
    write_start(f, 2, c_stride_of(f, y), u);
    write_move(f, rank_of(f, u), dims_of(f, u), dtype_of(f, y),
               arena_printf(f->a, "(%s + first)", c_at_of(f, y)), c_stride_of(f, y),
               c_at_of(f, u), c_stride_of(f, u));
    c_close_block(f);
    return true;
}

/* ---- many windows ------------------------------------------------------------------ */

typedef struct Index {
    Numbering n;
    Axes ax;
    int32_t mode;
    Val x, indices, shape; /* shape: the result of a gather, the updates of a scatter */
    Dim *size;             /* of a window, along each axis of x */
} Index;

static Index index_of(Func *f, Numbering n, int32_t mode, Val shape)
{
    Index k = {
        .n = n, .mode = mode, .x = in_of(f, 0), .indices = in_of(f, 1), .shape = shape};
    uint32_t rank = rank_of(f, k.x);

    numbering_axes(&n, rank, rank_of(f, shape), &k.ax);
    k.size = arena_array(f->a, rank + 1, sizeof *k.size);
    for (uint32_t i = 0; i < rank; i++)
        k.size[i] = 1;
    for (uint32_t i = 0; i < k.ax.nwindow; i++)
        k.size[k.ax.operand[i]] = c_size_of(f, shape, (uint32_t)n.window.v[i]);
    return k;
}

/* Loops over the index vectors: b0 b1 ..; declares `row`, the number of the vector, and
 * `first`, where its window is in the operand, and `in`, whether it fits. */
static void open_rows(Func *f, const Index *k, const Dim *stride)
{
    const char *b[MAX_RANK];
    Dim dims[MAX_RANK];
    bool drops = k->mode == INDEX_FILL || k->mode == INDEX_DROP;

    c_open_block(f, "%s", "");
    for (uint32_t i = 0; i < k->ax.nbatch; i++) {
        b[i] = arena_printf(f->a, "b%u", i);
        dims[i] = c_size_of(f, k->shape, (uint32_t)k->ax.batch[i]);
        c_open_for(f, b[i], c_dim_in(f, dims[i]));
    }
    c_put_line(f, "const ptrdiff_t row = %s;",
             c_index(f, k->ax.nbatch, b, c_row_major(f, k->ax.nbatch, dims)));
    c_put_line(f, "ptrdiff_t first = 0;");
    if (drops)
        c_put_line(f, "int in = 1;");
    for (uint32_t j = 0; j < k->n.operand_batching.n; j++)
        c_put_line(f, "first += %s * %s;", b[k->n.indices_batching.v[j]],
                 c_dim_in(f, stride[k->n.operand_batching.v[j]]));
    for (uint32_t i = 0; i < k->n.map.n; i++) {
        int64_t axis = k->n.map.v[i];
        Dim room = dim_add(
            &f->dims, dim_sub(&f->dims, c_size_of(f, k->x, (uint32_t)axis), k->size[axis]),
            1);
        bool wide = dtype_of(f, k->indices) == WF_U64;
        const char *at =
            arena_printf(f->a, "%s[row * %u + %u]", c_at_of(f, k->indices), k->n.map.n, i);

        if (drops)
            c_put_line(f, "in = in && %s((int64_t)%s, %s);", c_need(f->c, "inside"), at,
                     c_dim_in(f, room));
        else if (k->mode == INDEX_PROMISED)
            c_fail_if(f, "INDEX", "!%s((int64_t)%s, %s)", c_need(f->c, "inside"), at,
                    c_dim_in(f, room));
        else if (!dim_known_ge(&f->dims, room, 1))
            c_fail_if(f, "INDEX", "%s < 1", c_dim_in(f, room));
        c_put_line(f, "first += %s(%s, %s) * %s;",
                 c_need(f->c, wide ? "clip_wide" : "clip"), at, c_dim_in(f, room),
                 c_dim_in(f, stride[axis]));
    }
    c_put_line(f, "(void)row, (void)first;"); /* there may be nothing to move */
}

/* The number of a window's element in the result or the updates, and in the operand. */
static void window_index(Func *f, const Index *k, const Dim *stride, const char **here,
                         const char **there)
{
    const Dim *dense = c_stride_of(f, k->shape);
    const char *i[2 * MAX_RANK];
    Dim s[2 * MAX_RANK];
    uint32_t n = 0;

    for (uint32_t w = 0; w < k->ax.nwindow; w++, n++) {
        i[n] = arena_printf(f->a, "i%u", w);
        s[n] = stride[k->ax.operand[w]];
    }
    *there = c_index(f, n, i, s);
    for (uint32_t w = 0; w < k->ax.nwindow; w++)
        s[w] = dense[k->n.window.v[w]];
    for (uint32_t b = 0; b < k->ax.nbatch; b++, n++) {
        i[n] = arena_printf(f->a, "b%u", b);
        s[n] = dense[k->ax.batch[b]];
    }
    *here = c_index(f, n, i, s);
}

static void open_window(Func *f, const Index *k)
{
    for (uint32_t w = 0; w < k->ax.nwindow; w++)
        c_open_for(f, arena_printf(f->a, "i%u", w),
                 c_dim_in(f, c_size_of(f, k->shape, (uint32_t)k->n.window.v[w])));
}

static void close_all(Func *f, uint32_t n)
{
    while (n--)
        c_close_block(f);
}

static const char *fill_text(Func *f, double fill, wf_dtype t)
{
    uint64_t bits = 0;

    k_cast(k_loops(), KT_F64, (KType)t)(1, &fill, &bits);
    return c_stored_literal(f->a, t, &bits);
}

bool step_gather(Func *f)
{
    const GatherAttr *a = f->e->attr;
    Index k = index_of(f, numbering_gather(a), a->mode, out_of(f, 0));
    const Dim *stride = c_stride_of(f, k.x);
    const char *here, *there, *type = c_type(dtype_of(f, k.x));

    if (c_count_of(f, k.shape) == 0)
        return true;
    open_rows(f, &k, stride);
    window_index(f, &k, stride, &here, &there);
    open_window(f, &k);
    if (a->mode == INDEX_FILL)
        c_put_line(f, "%s[%s] = in ? %s[first + %s] : (%s)%s;", c_at_of(f, k.shape), here,
                 c_at_of(f, k.x), there, type, fill_text(f, a->fill, dtype_of(f, k.x)));
    else
        c_put_line(f, "%s[%s] = %s[first + %s];", c_at_of(f, k.shape), here, c_at_of(f, k.x),
                 there);
    close_all(f, k.ax.nwindow + k.ax.nbatch + 1);
    return true;
}

/* Windows one after the other, so that duplicates apply in order. */
bool step_scatter(Func *f)
{
    const ScatterAttr *a = f->e->attr;
    Index k = index_of(f, numbering_scatter(a), a->mode, in_of(f, 2));
    Val y = out_of(f, 0);
    const Dim *stride = c_stride_of(f, y);
    wf_dtype t = dtype_of(f, y), both[] = {t, t};
    const char *here, *there, *args[] = {"v0", "v1"}, *to;

    copy_operand(f);
    if (c_count_of(f, k.shape) == 0)
        return true;
    open_rows(f, &k, stride);
    window_index(f, &k, stride, &here, &there);
    if (a->mode == INDEX_DROP)
        c_open_block(f, "if (in)");
    open_window(f, &k);
    to = arena_printf(f->a, "%s[first + %s]", c_at_of(f, y), there);
    if (f->e->op == OP_scatter) {
        c_put_line(f, "%s = %s[%s];", to, c_at_of(f, k.shape), here);
    } else {
        c_put_line(f, "const %s v0 = %s;", c_value(t), c_load(f->c, t, to));
        c_put_line(f, "const %s v1 = %s;", c_value(t),
                 c_load(f->c, t, arena_printf(f->a, "%s[%s]", c_at_of(f, k.shape), here)));
        c_put_line(f, "%s = %s;", to,
                 c_store(f->c, t,
                         c_map(f->c, op_row(f->e->op)->lower.combine, t, both, args, 2)));
    }
    close_all(f, k.ax.nwindow + k.ax.nbatch + 1 + (a->mode == INDEX_DROP));
    return true;
}
