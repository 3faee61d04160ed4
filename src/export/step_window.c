/* step_window.c -- reduce_window_max, reduce_window_sum.
 *
 * y[o] = combination over k of x[(o*stride + k*dilation - lo) / base], where that is exact
 * and inside. Without base dilation the windows' elements go outside and the places along
 * the last axis inside, each range of them as far as it is inside x, so that a compiler
 * can take vectors; else every result is computed for itself. A maximum whose place nobody
 * wants is taken of whole rows first, then along the row that they give.
 */
#include "export/export.h"

typedef struct Axis {
    Dim x, y, lo;
    int64_t window, stride, dilation, base;
} Axis;

typedef struct Window {
    uint32_t rank;
    Axis *axis;
    Val x, y, place; /* place: 0 if nobody wants it */
    wf_dtype t, acc;
    bool max, fast;
} Window;

static int64_t entry(Ints list, uint32_t i, int64_t standard)
{
    return list.n ? list.v[i] : standard;
}

static Window window_of(Func *f)
{
    const WindowAttr *a = f->e->attr;
    Window w = {
        .x = in_of(f, 0), .y = out_of(f, 0), .max = f->e->op == OP_reduce_window_max};

    w.rank = rank_of(f, w.x);
    w.axis = arena_zalloc(f->a, (w.rank + 1) * sizeof *w.axis);
    w.t = dtype_of(f, w.x);
    w.place = w.max && f->read[out_of(f, 1)] ? out_of(f, 1) : 0;
    w.fast = w.rank > 0 &&
             (w.max || !dtype_is_float(w.t) || w.t == WF_F32 || w.t == WF_F64) &&
             w.t != WF_F16 && w.t != WF_BF16;
    w.acc = !w.max && dtype_is_float(w.t) && !w.fast ? WF_F64 : w.t;
    for (uint32_t i = 0; i < w.rank; i++) {
        w.axis[i] = (Axis){c_size_of(f, w.x, i),
                           c_size_of(f, w.y, i),
                           a->pad_lo.n ? c_dim_of(f, a->pad_lo.v[i]) : 0,
                           a->window.v[i],
                           entry(a->stride, i, 1),
                           entry(a->window_dilation, i, 1),
                           entry(a->base_dilation, i, 1)};
        w.fast = w.fast && w.axis[i].base == 1;
    }
    if (!w.fast && !w.max && dtype_is_float(w.t))
        w.acc = WF_F64;
    return w;
}

/* The number of x that a window's element is along an axis: "o0 * 2 + k0 - 1". */
static const char *position(Func *f, const Axis *a, uint32_t i)
{
    Text t;

    text_init(&t, f->a);
    text_printf(&t, a->stride == 1 ? "o%u" : "o%u * %lld", i, (long long)a->stride);
    if (a->window != 1)
        text_printf(&t, a->dilation == 1 ? " + k%u" : " + k%u * %lld", i,
                    (long long)a->dilation);
    if (a->lo)
        text_printf(&t, " - %s", c_dim_in(f, a->lo));
    return text_str(&t);
}

static const char *lowest(Func *f, const Window *w)
{
    return c_nothing(f->c, w->max ? OP_max : OP_add,
                     w->t == WF_F16 || w->t == WF_BF16 ? WF_F32 : w->acc);
}

/* ---- one result after the other ------------------------------------------------------ */

static void take_element(Func *f, const Window *w, const char *at, const char *place)
{
    wf_dtype both[] = {w->acc, w->acc};
    const char *args[] = {"best", "v0"};

    c_put_line(f, "const %s v0 = %s;", c_value(w->acc),
             c_cast(f->c, w->t, w->acc, c_load(f->c, w->t, at)));
    if (!w->max) {
        c_put_line(f, "best = %s;", c_map(f->c, OP_add, w->acc, both, args, 2));
        return;
    }
    c_open_block(f, dtype_is_float(w->t)
                      ? "if (row < 0 || v0 > best || (v0 != v0 && best == best))"
                      : "if (row < 0 || v0 > best)");
    c_put_line(f, "best = v0;");
    c_put_line(f, "row = %s;", place);
    c_close_block(f);
}

static void write_slow(Func *f, const Window *w)
{
    const char **o = arena_array(f->a, w->rank + 1, sizeof *o);
    const char **p = arena_array(f->a, w->rank + 1, sizeof *p), *at;
    const Dim *to = c_stride_of(f, w->y), *from = c_stride_of(f, w->x);

    for (uint32_t i = 0; i < w->rank; i++) {
        o[i] = arena_printf(f->a, "o%u", i);
        c_open_for(f, o[i], c_dim_in(f, w->axis[i].y));
    }
    c_put_line(f, "%s best = %s;", c_value(w->acc), lowest(f, w));
    if (w->max)
        c_put_line(f, "ptrdiff_t row = -1;");
    for (uint32_t i = 0; i < w->rank; i++) {
        const Axis *a = &w->axis[i];

        p[i] = arena_printf(f->a, "p%u", i);
        c_open_for(f, arena_printf(f->a, "k%u", i),
                 arena_printf(f->a, "%lld", (long long)a->window));
        c_put_line(f, "const ptrdiff_t q%u = %s, p%u = q%u / %lld;", i, position(f, a, i),
                 i, i, (long long)a->base);
        c_put_line(f, "if (q%u < 0 || q%u %% %lld || p%u >= %s)", i, i, (long long)a->base,
                 i, c_dim_in(f, a->x));
        c_put_line(f, "    continue;");
    }
    at = c_index(f, w->rank, p, from);
    take_element(f, w, arena_printf(f->a, "%s[%s]", c_at_of(f, w->x), at), at);
    for (uint32_t i = 0; i < w->rank; i++)
        c_close_block(f);
    at = c_index(f, w->rank, o, to);
    c_put_line(f, "%s[%s] = %s;", c_at_of(f, w->y), at,
             c_store(f->c, w->t, c_cast(f->c, w->acc, w->t, "best")));
    if (w->place)
        c_put_line(f, "%s[%s] = row;", c_at_of(f, w->place), at);
    for (uint32_t i = 0; i < w->rank; i++)
        c_close_block(f);
}

/* ---- rows of results at once --------------------------------------------------------- */

static void write_start(Func *f, const Window *w)
{
    c_open_for(f, "i0", c_dim_in(f, c_count_of(f, w->y)));
    c_put_line(f, "%s[i0] = %s;", c_at_of(f, w->y), c_store(f->c, w->t, lowest(f, w)));
    if (w->place)
        c_put_line(f, "%s[i0] = -1;", c_at_of(f, w->place));
    c_close_block(f);
}

/* Places o along the last axis whose element k is inside x: from first to end-1. */
static void write_range(Func *f, const Axis *a, uint32_t i)
{
    const char *k = a->window == 1 ? "0"
                    : a->dilation == 1
                        ? arena_printf(f->a, "k%u", i)
                        : arena_printf(f->a, "k%u * %lld", i, (long long)a->dilation);
    const char *lo = c_dim_in(f, a->lo);

    c_put_line(f, "const ptrdiff_t gap = %s - %s;", lo, k);
    c_put_line(f, "const ptrdiff_t begin = gap > 0 ? (gap + %lld) / %lld : 0;",
             (long long)a->stride - 1, (long long)a->stride);
    c_put_line(f,
             "const ptrdiff_t end = %s + gap > 0 ? %s((%s + gap + %lld) / %lld, %s) : 0;",
             c_dim_in(f, a->x), c_need(f->c, "least"), c_dim_in(f, a->x),
             (long long)a->stride - 1, (long long)a->stride, c_dim_in(f, a->y));
}

static void write_fast(Func *f, const Window *w)
{
    uint32_t last = w->rank - 1;
    const char **o = arena_array(f->a, w->rank + 1, sizeof *o);
    const char **p = arena_array(f->a, w->rank + 1, sizeof *p), *y, *x;
    int blocks = 0;

    write_start(f, w);
    for (uint32_t i = 0; i < w->rank; i++) {
        o[i] = arena_printf(f->a, "o%u", i);
        p[i] = arena_printf(f->a, "(%s)", position(f, &w->axis[i], i));
        if (i == last)
            break;
        c_open_for(f, o[i], c_dim_in(f, w->axis[i].y));
        blocks++;
    }
    for (uint32_t i = 0; i < w->rank; i++) {
        const Axis *a = &w->axis[i];

        if (a->window != 1) {
            c_open_for(f, arena_printf(f->a, "k%u", i),
                     arena_printf(f->a, "%lld", (long long)a->window));
            blocks++;
        }
        if (i == last || (a->window == 1 && a->stride == 1 && !a->lo && a->x == a->y))
            continue;
        c_put_line(f, "if (%s >= 0 && %s < %s)", p[i], p[i], c_dim_in(f, a->x));
    }
    c_open_block(f, "%s", "");
    write_range(f, &w->axis[last], last);
    c_put_line(f, "WX_VECTOR");
    c_open_block(f, "for (ptrdiff_t o%u = begin; o%u < end; o%u++)", last, last, last);
    y = c_index(f, w->rank, o, c_stride_of(f, w->y));
    x = c_index(f, w->rank, p, c_stride_of(f, w->x));
    c_put_line(f, "const %s v0 = %s;", c_value(w->t),
             c_load(f->c, w->t, arena_printf(f->a, "%s[%s]", c_at_of(f, w->x), x)));
    c_put_line(f, "const %s v1 = %s;", c_value(w->t),
             c_load(f->c, w->t, arena_printf(f->a, "%s[%s]", c_at_of(f, w->y), y)));
    if (!w->max) {
        wf_dtype both[] = {w->t, w->t};
        const char *args[] = {"v1", "v0"};

        c_put_line(f, "%s[%s] = %s;", c_at_of(f, w->y), y,
                 c_store(f->c, w->t, c_map(f->c, OP_add, w->t, both, args, 2)));
    } else if (w->place) {
        c_put_line(f,
                 dtype_is_float(w->t)
                     ? "const int take = %s[%s] < 0 || v0 > v1 || (v0 != v0 && v1 == v1);"
                     : "const int take = %s[%s] < 0 || v0 > v1;",
                 c_at_of(f, w->place), y);
        c_put_line(f, "%s[%s] = %s;", c_at_of(f, w->y), y,
                 c_store(f->c, w->t, "take ? v0 : v1"));
        c_put_line(f, "%s[%s] = take ? %s : %s[%s];", c_at_of(f, w->place), y, x,
                 c_at_of(f, w->place), y);
    } else {
        c_put_line(f, "%s[%s] = %s;", c_at_of(f, w->y), y,
                 c_store(f->c, w->t,
                         dtype_is_float(w->t) ? "v0 > v1 || v0 != v0 ? v0 : v1"
                                              : "v0 > v1 ? v0 : v1"));
    }
    c_close_block(f);
    c_close_block(f);
    while (blocks--)
        c_close_block(f);
}

/* ---- the maximum of rows, then along it ------------------------------------------------ */

#define LONGEST 4096 /* rows that are kept on the stack */

/* Elements of a row of x with what is around it; 0: not known, or too many. */
static int64_t line_length(const Window *w)
{
    const Axis *a = &w->axis[w->rank - 1];
    int64_t n;

    if (a->x < 1 || a->y < 1 || a->lo < 0)
        return 0;
    n = MAX(a->lo + a->x, (a->y - 1) * a->stride + (a->window - 1) * a->dilation + 1);
    return n <= LONGEST ? n : 0;
}

static const char *larger(Func *f, const Window *w, const char *x, const char *than)
{
    return dtype_is_float(w->t) ? arena_printf(f->a, "%s > %s || %s != %s ? %s : %s", x, than, x, x, x, than)
                                : arena_printf(f->a, "%s > %s ? %s : %s", x, than, x, than);
}

/* line[lo + i] = the largest of the rows of x that the window has. */
static void write_rows(Func *f, const Window *w, int64_t n)
{
    uint32_t last = w->rank - 1;
    const Axis *a = &w->axis[last];
    const char **p = arena_array(f->a, w->rank + 1, sizeof *p), *row;
    int blocks = 0;

    c_put_line(f, "%s line[%lld];", c_type(w->t), (long long)n);
    c_open_for(f, "i0", arena_printf(f->a, "%lld", (long long)n));
    c_put_line(f, "line[i0] = %s;", lowest(f, w));
    c_close_block(f);
    for (uint32_t i = 0; i < last; i++) {
        p[i] = arena_printf(f->a, "(%s)", position(f, &w->axis[i], i));
        if (w->axis[i].window != 1) {
            c_open_for(f, arena_printf(f->a, "k%u", i), arena_printf(f->a, "%lld", (long long)w->axis[i].window));
            blocks++;
        }
        c_open_block(f, "if (%s >= 0 && %s < %s)", p[i], p[i], c_dim_in(f, w->axis[i].x));
        blocks++;
    }
    p[last] = "i0";
    row = c_index(f, w->rank, p, c_stride_of(f, w->x));
    c_put_line(f, "WX_VECTOR_SHORT");
    c_open_for(f, "i0", c_dim_in(f, a->x));
    c_put_line(f, "const %s v0 = %s[%s], v1 = line[i0 + %s];", c_value(w->t), c_at_of(f, w->x), row, c_dim_in(f, a->lo));
    c_put_line(f, "line[i0 + %s] = %s;", c_dim_in(f, a->lo), larger(f, w, "v0", "v1"));
    c_close_block(f);
    while (blocks--)
        c_close_block(f);
}

static void write_lines(Func *f, const Window *w, int64_t n)
{
    uint32_t last = w->rank - 1;
    const Axis *a = &w->axis[last];
    const char **o = arena_array(f->a, w->rank + 1, sizeof *o);

    for (uint32_t i = 0; i < w->rank; i++) {
        o[i] = arena_printf(f->a, "o%u", i);
        if (i < last)
            c_open_for(f, o[i], c_dim_in(f, w->axis[i].y));
    }
    if (!last)
        c_open_block(f, "%s", "");
    write_rows(f, w, n);
    c_put_line(f, "WX_VECTOR_SHORT");
    c_open_for(f, o[last], c_dim_in(f, a->y));
    c_put_line(f, "%s best = line[%s * %lld];", c_value(w->t), o[last], (long long)a->stride);
    for (int64_t k = 1; k < a->window; k++) {
        const char *v = arena_printf(f->a, "line[%s * %lld + %lld]", o[last], (long long)a->stride,
                                     (long long)(k * a->dilation));

        c_put_line(f, "best = %s;", larger(f, w, v, "best"));
    }
    c_put_line(f, "%s[%s] = best;", c_at_of(f, w->y), c_index(f, w->rank, o, c_stride_of(f, w->y)));
    for (uint32_t i = 0; i < w->rank + !last; i++)
        c_close_block(f);
}

static void write_window(Func *f)
{
    Window w = window_of(f);
    int64_t line = w.fast && w.max && !w.place && w.axis[w.rank - 1].window <= 16 ? line_length(&w) : 0;

    if (line)
        write_lines(f, &w, line);
    else if (w.fast)
        write_fast(f, &w);
    else
        write_slow(f, &w);
}

bool step_window(Func *f)
{
    write_function(f, write_window);
    return true;
}
