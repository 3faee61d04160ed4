/* table.c -- the op table: ops.def joined with the rows of the op_<family>.c files.
 */
#include "op/op.h"

#define OP(name, ver, nin, nout, family, flags)                                          \
    [OP_##name] = {#name, family, ver, nin, nout, flags, &op_row_##name},
const OpInfo op_table[OP_COUNT] = {
#include "op/ops.def"
};
#undef OP

int op_find(const char *name)
{
    size_t n = strlen(name);

    for (int i = 0; i < OP_COUNT; i++)
        if (op_table[i].name[0] == name[0] && !strncmp(op_table[i].name, name, n + 1))
            return i;
    return -1;
}

bool op_may_fail(unsigned op, Type in, Type out)
{
    bool empty = false, known = true;

    if (op_has(op, OPF_FAILS | OPF_CONTROL) || !op_has(op, OPF_SIZES))
        return op_has(op, OPF_FAILS | OPF_CONTROL);
    for (uint32_t i = 0; i < in.rank; i++) {
        empty = empty || in.dims[i] == 0;
        known = known && dim_is_const(in.dims[i]);
    }
    for (uint32_t i = 0; i < out.rank; i++)
        known = known && dim_is_const(out.dims[i]);
    return empty || !known;
}

bool op_is_cheap(unsigned op)
{
    return op_table[op].nin == 1 &&
           (op_has(op, OPF_VIEW | OPF_SAME) ||
            (op_row(op)->lower.kind == LOWER_MAP && op_cost(op, WF_F32) <= 1));
}

double op_cost(unsigned op, wf_dtype t)
{
    const Lower *l = &op_row(op)->lower;

    return MAX(1, l->whole_cost && !dtype_is_float(t) ? l->whole_cost : l->cost);
}
