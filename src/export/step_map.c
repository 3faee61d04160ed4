/* step_map.c -- elementwise ops and reductions that are in no kernel; argmax, cumsum, sort. */
#include "export/export.h"

/* Loops over the axes of v, i0 i1 ..; their names. */
static const char **open_loops(Func *f, Val v)
{
    uint32_t rank = rank_of(f, v);
    const char **i = arena_array(f->a, rank + 1, sizeof *i);

    c_open_block(f, "%s", "");
    for (uint32_t k = 0; k < rank; k++) {
        i[k] = arena_printf(f->a, "i%u", k);
        if (k + 1 == rank)
            c_put_line(f, "WX_VECTOR");
        c_open_for(f, i[k], c_dim_in(f, c_size_of(f, v, k)));
    }
    return i;
}

static void close_loops(Func *f, uint32_t n)
{
    while (n--)
        c_close_block(f);
}

static const char *element(Func *f, Val v, const char *const *i)
{
    return arena_printf(f->a, "%s[%s]", c_at_of(f, v),
                        c_index(f, rank_of(f, v), i, c_stride_of(f, v)));
}

/* ---- elementwise ------------------------------------------------------------------- */

bool step_map(Func *f)
{
    Val y = out_of(f, 0);
    const char **i = open_loops(f, y), **args;
    wf_dtype *types = arena_array(f->a, f->e->nin + 1u, sizeof *types);

    args = arena_array(f->a, f->e->nin + 1u, sizeof *args);
    if (f->e->nout != 1)
        return refuse_step(f, "%s", "it has several results and is in no kernel");
    for (uint32_t k = 0; k < f->e->nin; k++) {
        wf_dtype t = types[k] = dtype_of(f, in_of(f, k));

        args[k] = arena_printf(f->a, "v%u", k);
        c_put_line(f, "const %s v%u = %s;", c_value(t), k,
                 c_load(f->c, t, element(f, in_of(f, k), i)));
    }
    c_put_line(f, "%s = %s;", element(f, y, i),
             c_store(f->c, dtype_of(f, y),
                     c_map(f->c, f->e->op, dtype_of(f, y), types, args, f->e->nin)));
    close_loops(f, rank_of(f, y) + 1);
    return true;
}

/* ---- reductions -------------------------------------------------------------------- */

bool step_reduce(Func *f)
{
    Ints axes = ((const ReduceAttr *)f->e->attr)->axes;
    Val x = in_of(f, 0), y = out_of(f, 0);
    wf_dtype t = dtype_of(f, x), sum = dtype_is_float(t) ? WF_F64 : t,
             both[] = {sum, sum};
    unsigned op = op_row(f->e->op)->lower.combine;
    const char **outer = open_loops(f, y), *i[MAX_RANK], *args[2];
    uint32_t kept = 0, at = 0;

    c_put_line(f, "%s sum = %s;", c_value(sum), c_nothing(f->c, op, sum));
    for (uint32_t k = 0; k < rank_of(f, x); k++) {
        if (at < axes.n && axes.v[at] == k) {
            i[k] = arena_printf(f->a, "j%u", k);
            c_open_for(f, i[k], c_dim_in(f, c_size_of(f, x, k)));
            at++;
        } else {
            i[k] = outer[kept++];
        }
    }
    args[0] = "sum";
    args[1] = "v0";
    c_put_line(f, "const %s v0 = %s;", c_value(sum),
             c_cast(f->c, t, sum, c_load(f->c, t, element(f, x, i))));
    c_put_line(f, "sum = %s;", c_map(f->c, op, sum, both, args, 2));
    close_loops(f, axes.n);
    c_put_line(f, "%s = %s;", element(f, y, outer),
             c_store(f->c, t, c_cast(f->c, sum, t, "sum")));
    close_loops(f, rank_of(f, y) + 1);
    return true;
}

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
    close_loops(f, 2);
    c_put_line(f, "%s[i0 * %s + i1] = (%s)row;", c_at_of(f, y), l.inner,
             render_type(dtype_of(f, y)));
    close_loops(f, 2);
    return true;
}

bool step_cumsum(Func *f)
{
    const CumAttr *a = f->e->attr;
    Val x = in_of(f, 0), y = out_of(f, 0);
    MapLines l = lines_along(f, x, a->axis);
    wf_dtype t = dtype_of(f, x), sum = dtype_is_float(t) ? WF_F64 : t,
             both[] = {sum, sum};
    const char *args[] = {"sum", "v0"};

    open_lines(f, &l);
    c_put_line(f, "%s sum = 0;", c_value(sum));
    c_open_for(f, "i2", l.n);
    if (a->reverse)
        c_put_line(f, "const ptrdiff_t place = first + (%s - 1 - i2) * %s;", l.n, l.inner);
    else
        c_put_line(f, "const ptrdiff_t place = first + i2 * %s;", l.inner);
    c_put_line(f, "const %s v0 = %s;", c_value(sum),
             c_cast(f->c, t, sum,
                    c_load(f->c, t, arena_printf(f->a, "%s[place]", c_at_of(f, x)))));
    c_put_line(f, "sum = i2 ? %s : v0;", c_map(f->c, OP_add, sum, both, args, 2));
    c_put_line(f, "%s[place] = %s;", c_at_of(f, y),
             c_store(f->c, t, c_cast(f->c, sum, t, "sum")));
    close_loops(f, 3);
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
                    render_type(dtype_of(f, in_of(f, (uint32_t)k))), (long long)k);
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
    close_loops(f, 2);
    c_put_line(f, "from = to;");
    c_put_line(f, "to = swap;");
    c_close_block(f);
    c_open_for(f, "i2", l.n);
    for (uint32_t j = 0; j < f->e->nin; j++)
        c_put_line(f, "%s[first + i2 * %s] = %s[from[i2]];", c_at_of(f, out_of(f, j)),
                 l.inner, c_at_of(f, in_of(f, j)));
    close_loops(f, 3);
    return true;
}
