/* table.c -- the op table: ops.def joined with the rows of the op_<family>.c files.
 */
#include "op/op.h"

#define OP(name, ver, nin, nout, family, flags) [OP_##name] = {#name, family, ver, nin, nout, flags, &op_row_##name},
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
