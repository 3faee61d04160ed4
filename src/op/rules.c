/* rules.c -- the table of what transforms ask for, apart from table.c: who only runs programs does not link it.
 */
#include "op/op.h"

#define OP(name, ver, nin, nout, family, flags) [OP_##name] = &op_rules_##name,
const OpRules *const op_rule_table[OP_COUNT] = {
#include "op/ops.def"
};
#undef OP
