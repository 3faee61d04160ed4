/* step_map.c -- elementwise ops and reductions that are in no kernel. */
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
    c_close_blocks(f, rank_of(f, y) + 1);
    return true;
}

/* ---- reductions -------------------------------------------------------------------- */

bool step_reduce(Func *f)
{
    Ints axes = ((const ReduceAttr *)f->e->attr)->axes;
    Val x = in_of(f, 0), y = out_of(f, 0);
    wf_dtype t = dtype_of(f, x),
             sum = dtype_is_complex(t) ? WF_C128 : dtype_is_float(t) ? WF_F64 : t,
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
    c_close_blocks(f, axes.n);
    c_put_line(f, "%s = %s;", element(f, y, outer),
             c_store(f->c, t, c_cast(f->c, sum, t, "sum")));
    c_close_blocks(f, rank_of(f, y) + 1);
    return true;
}
