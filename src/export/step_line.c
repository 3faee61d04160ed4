/* step_line.c -- what goes along one axis: argmax, cumsum and its like, sort, top_k. */
#include "export/export.h"

/* ---- along one axis ---------------------------------------------------------------- */

typedef struct MapLines { /* element k of line (o, i) is number (o*n + k)*inner + i */
    const char *outer, *n, *inner;
} MapLines;

static MapLines lines_along(Func *f, Val x, int64_t axis)
{
    Dim outer = 1, inner = 1;

    for (uint32_t i = 0; i < rank_of(f, x); i++)
        if (i < axis)
            outer = dim_mul(&f->dims, outer, c_size_of(f, x, i));
        else if (i > axis)
            inner = dim_mul(&f->dims, inner, c_size_of(f, x, i));
    return (MapLines){c_dim_in(f, outer), c_dim_in(f, c_size_of(f, x, (uint32_t)axis)),
                   c_dim_in(f, inner)};
}

static void open_lines(Func *f, const MapLines *l)
{
    c_open_for(f, "i0", l->outer);
    c_open_for(f, "i1", l->inner);
    c_put_line(f, "const ptrdiff_t first = i0 * %s * %s + i1;", l->n, l->inner);
}

bool step_arg(Func *f)
{
    const ArgAttr *a = f->e->attr;
    Val x = in_of(f, 0), y = out_of(f, 0);
    Dim n = c_size_of(f, x, (uint32_t)a->axis);
    MapLines l = lines_along(f, x, a->axis);
    wf_dtype t = dtype_of(f, x);
    const char *v = c_value(t), *way = f->e->op == OP_argmax ? ">" : "<";

    if (!dim_known_ge(&f->dims, n, 1))
        c_fail_if(f, "SIZE", "%s < 1", l.n);
    open_lines(f, &l);
    c_put_line(f, "%s best = %s;", v,
             c_load(f->c, t, arena_printf(f->a, "%s[first]", c_at_of(f, x))));
    c_put_line(f, "ptrdiff_t row = 0;");
    c_open_block(f, "for (ptrdiff_t i2 = 1; i2 < %s; i2++)", l.n);
    c_put_line(
        f, "const %s v0 = %s;", v,
        c_load(f->c, t, arena_printf(f->a, "%s[first + i2 * %s]", c_at_of(f, x), l.inner)));
    c_open_block(f,
               dtype_is_float(t) ? "if (v0 %s best || (v0 != v0 && best == best))"
                                 : "if (v0 %s best)",
               way);
    c_put_line(f, "best = v0;");
    c_put_line(f, "row = i2;");
    c_close_blocks(f, 2);
    c_put_line(f, "%s[i0 * %s + i1] = (%s)row;", c_at_of(f, y), l.inner,
             c_type(dtype_of(f, y)));
    c_close_blocks(f, 2);
    return true;
}

/* ---- cumulative -------------------------------------------------------------------- */

/* Element `place`, which is in row `row` of its line, from the first on or from the last. */
static void open_cumulative(Func *f, const MapLines *l, const char *declared)
{
    bool reverse = ((const CumAttr *)f->e->attr)->reverse;

    open_lines(f, l);
    c_put_line(f, "%s", declared);
    c_open_for(f, "i2", l->n);
    c_put_line(f, "const ptrdiff_t row = %s, place = first + row * %s;",
               reverse ? arena_printf(f->a, "%s - 1 - i2", l->n) : "i2", l->inner);
}

/* const TYPE v<i> = element `place` of operand i; kept: as it is computed with */
static void load_place(Func *f, uint32_t i, wf_dtype kept)
{
    wf_dtype t = dtype_of(f, in_of(f, i));
    const char *x = arena_printf(f->a, "%s[place]", c_at_of(f, in_of(f, i)));

    c_put_line(f, "const %s v%u = %s;", c_value(kept), i,
               c_cast(f->c, t, kept, c_load(f->c, t, x)));
}

/* sum and the next element v0; of recur v0 * sum + v1 */
static const char *next_sum(Func *f, wf_dtype t)
{
    const wf_dtype both[] = {t, t};
    const char *args[] = {"sum", "v0"};

    if (f->e->op == OP_cumlogsumexp)
        return arena_printf(f->a, "%s(sum, v0)", c_need(f->c, "log_sum"));
    if (f->e->op != OP_recur)
        return c_map(f->c, op_row(f->e->op)->lower.combine, t, both, args, 2);
    args[0] = c_map(f->c, OP_mul, t, both, args, 2);
    args[1] = "v1";
    return c_map(f->c, OP_add, t, both, args, 2);
}

/* cumsum, cumprod, cumlogsumexp, recur: floats in f64, each result rounded once. */
bool step_cum(Func *f)
{
    Val x = in_of(f, 0), y = out_of(f, 0);
    MapLines l = lines_along(f, x, ((const CumAttr *)f->e->attr)->axis);
    wf_dtype t = dtype_of(f, x), sum = dtype_is_float(t) ? WF_F64 : t;

    open_cumulative(f, &l, arena_printf(f->a, "%s sum = 0;", c_value(sum)));
    for (uint32_t i = 0; i < f->e->nin; i++)
        load_place(f, i, sum);
    c_put_line(f, "sum = i2 ? %s : v%d;", next_sum(f, sum), f->e->nin - 1);
    c_put_line(f, "%s[place] = %s;", c_at_of(f, y),
               c_store(f->c, t, c_cast(f->c, sum, t, "sum")));
    c_close_blocks(f, 3);
    return true;
}

/* cummax, cummin: the last of equals, and of NaN. */
bool step_cum_extreme(Func *f)
{
    Val x = in_of(f, 0), y = out_of(f, 0), places = out_of(f, 1);
    MapLines l = lines_along(f, x, ((const CumAttr *)f->e->attr)->axis);
    wf_dtype t = dtype_of(f, x);
    const char *way = f->e->op == OP_cummax ? ">=" : "<=";

    open_cumulative(f, &l, arena_printf(f->a, "%s best = 0; ptrdiff_t best_row = 0;", c_value(t)));
    load_place(f, 0, t);
    c_open_block(f, dtype_is_float(t) ? "if (!i2 || v0 != v0 || v0 %s best)" : "if (!i2 || v0 %s best)", way);
    c_put_line(f, "best = v0;");
    c_put_line(f, "best_row = row;");
    c_close_block(f);
    c_put_line(f, "%s[place] = %s;", c_at_of(f, y), c_store(f->c, t, "best"));
    c_put_line(f, "%s[place] = best_row;", c_at_of(f, places));
    c_close_blocks(f, 3);
    return true;
}

/* ---- sort -------------------------------------------------------------------------- */

/* Is the element at p strictly behind that at q, by the keys? */
static const char *write_after(Func *f, const char *inner)
{
    const SortAttr *a = f->e->attr;
    const char *name =
        c_unique(f->a, &f->c->names, arena_printf(f->a, "%s_after", f->name));
    Text t;

    text_init(&t, f->a);
    text_printf(&t,
                "/* Does element p come after element q? NaN is last. */\n"
                "static inline int %s(",
                name);
    for (int64_t k = 0; k < a->keys; k++)
        text_printf(&t, "%sconst %s *a%lld", k ? ", " : "",
                    c_type(dtype_of(f, in_of(f, (uint32_t)k))), (long long)k);
    text_add(&t, ", ptrdiff_t p, ptrdiff_t q)\n{\n");
    for (int64_t k = 0; k < a->keys; k++) {
        wf_dtype d = dtype_of(f, in_of(f, (uint32_t)k));
        bool down = a->descending.n && a->descending.v[k];

        text_printf(
            &t, "    const %s x%lld = %s, y%lld = %s;\n", c_value(d), (long long)k,
            c_load(f->c, d, arena_printf(f->a, "a%lld[p]", (long long)k)), (long long)k,
            c_load(f->c, d, arena_printf(f->a, "a%lld[q]", (long long)k)));
        if (dtype_is_float(d))
            text_printf(&t,
                        "    if ((x%lld != x%lld) != (y%lld != y%lld))\n"
                        "        return x%lld != x%lld;\n",
                        (long long)k, (long long)k, (long long)k, (long long)k,
                        (long long)k, (long long)k);
        text_printf(
            &t,
            "    if (x%lld < y%lld || x%lld > y%lld)\n        return x%lld %c y%lld;\n",
            (long long)k, (long long)k, (long long)k, (long long)k, (long long)k,
            down ? '<' : '>', (long long)k);
    }
    text_add(&t, "    return 0;\n}\n\n");
    text_add(&f->c->functions, text_str(&t));
    (void)inner;
    return name;
}

static const char *keys_text(Func *f)
{
    const SortAttr *a = f->e->attr;
    Text t;

    text_init(&t, f->a);
    for (int64_t k = 0; k < a->keys; k++)
        text_printf(&t, "%s, ", c_at_of(f, in_of(f, (uint32_t)k)));
    return text_str(&t);
}

/* A stable merge sort of places, from runs of one on. */
bool step_sort(Func *f)
{
    const SortAttr *a = f->e->attr;
    Val x = in_of(f, 0);
    MapLines l = lines_along(f, x, a->axis);
    const char *after, *keys = keys_text(f), *order, *spare;
    int64_t bytes = c_most_of(f, c_size_of(f, x, (uint32_t)a->axis)) * 8;

    after = write_after(f, l.inner);
    order = step_memory(f, bytes, "ptrdiff_t");
    spare = step_memory(f, bytes, "ptrdiff_t");
    open_lines(f, &l);
    c_put_line(f, "ptrdiff_t *from = %s, *to = %s;", order, spare);
    c_put_line(f, "for (ptrdiff_t i2 = 0; i2 < %s; i2++)", l.n);
    c_put_line(f, "    from[i2] = first + i2 * %s;", l.inner);
    c_open_block(f, "for (ptrdiff_t run = 1; run < %s; run *= 2)", l.n);
    c_put_line(f, "ptrdiff_t *const swap = from;");
    c_open_block(f, "for (ptrdiff_t lo = 0; lo < %s; lo += 2 * run)", l.n);
    c_put_line(f, "const ptrdiff_t mid = %s(lo + run, %s), hi = %s(lo + 2 * run, %s);",
             c_need(f->c, "least"), l.n, c_need(f->c, "least"), l.n);
    c_put_line(f, "ptrdiff_t left = lo, right = mid;");
    c_open_block(f, "for (ptrdiff_t i2 = lo; i2 < hi; i2++)");
    c_put_line(
        f,
        "const int take = left == mid || (right < hi && %s(%sfrom[left], from[right]));",
        after, keys);
    c_put_line(f, "to[i2] = take ? from[right++] : from[left++];");
    c_close_blocks(f, 2);
    c_put_line(f, "from = to;");
    c_put_line(f, "to = swap;");
    c_close_block(f);
    c_open_for(f, "i2", l.n);
    for (uint32_t j = 0; j < f->e->nin; j++)
        c_put_line(f, "%s[first + i2 * %s] = %s[from[i2]];", c_at_of(f, out_of(f, j)),
                 l.inner, c_at_of(f, in_of(f, j)));
    c_close_blocks(f, 3);
    return true;
}

/* ---- top_k ------------------------------------------------------------------------- */

/* By insertion among the best so far. NaN is largest. */
bool step_top_k(Func *f)
{
    const TopAttr *a = f->e->attr;
    Val x = in_of(f, 0), y = out_of(f, 0), places = out_of(f, 1);
    MapLines l = lines_along(f, x, a->axis);
    wf_dtype t = dtype_of(f, x);
    bool real = dtype_is_float(t);
    const char *best = "best", *v = a->largest ? "v0" : "v1", *u = a->largest ? "v1" : "v0";

    if (!dim_known_ge(&f->dims, c_size_of(f, x, (uint32_t)a->axis), a->k))
        c_fail_if(f, "SIZE", "%s < %lld", l.n, (long long)a->k);
    if (a->k == 0)
        return true;
    c_open_block(f, "%s", "");
    c_put_line(f, "ptrdiff_t *const %s = %s;", best, step_memory(f, a->k * 8, "ptrdiff_t"));
    open_lines(f, &l);
    c_put_line(f, "ptrdiff_t count = 0;");
    c_open_for(f, "i2", l.n);
    c_put_line(f, "const %s v0 = %s;", c_value(t),
               c_load(f->c, t, arena_printf(f->a, "%s[first + i2 * %s]", c_at_of(f, x), l.inner)));
    c_put_line(f, "ptrdiff_t at = count;");
    c_open_block(f, "while (at > 0)");
    c_put_line(f, "const %s v1 = %s;", c_value(t),
               c_load(f->c, t, arena_printf(f->a, "%s[first + %s[at - 1] * %s]", c_at_of(f, x), best, l.inner)));
    if (real)
        c_put_line(f, "if (!(%s > %s || (%s != %s && %s == %s)))", v, u, v, v, u, u);
    else
        c_put_line(f, "if (!(%s > %s))", v, u);
    c_put_line(f, "    break;");
    c_put_line(f, "at--;");
    c_close_block(f);
    c_open_block(f, "if (at < %lld)", (long long)a->k);
    c_put_line(f, "count = %s(count + 1, %lld);", c_need(f->c, "least"), (long long)a->k);
    c_put_line(f, "for (ptrdiff_t i3 = count - 1; i3 > at; i3--)");
    c_put_line(f, "    %s[i3] = %s[i3 - 1];", best, best);
    c_put_line(f, "%s[at] = i2;", best);
    c_close_blocks(f, 2);
    c_open_for(f, "i2", arena_printf(f->a, "%lld", (long long)a->k));
    c_put_line(f, "const ptrdiff_t to = (i0 * %lld + i2) * %s + i1;", (long long)a->k, l.inner);
    c_put_line(f, "%s[to] = %s[first + %s[i2] * %s];", c_at_of(f, y), c_at_of(f, x), best, l.inner);
    c_put_line(f, "%s[to] = %s[i2];", c_at_of(f, places), best);
    c_close_blocks(f, 4);
    return true;
}
