/* rows.c -- the kernels of rows of each instruction set. */
#include "rows.h"

#include "base/base.h"
#include "kernels/isas.h"

#define DECLARE(isa, narrow) extern KRowsRun rows_run_f32_##isa, rows_run_f64_##isa;
ISAS(DECLARE)

#define ROW(isa, narrow) {rows_run_f32_##isa, rows_run_f64_##isa},
static KRowsRun *const tables[][2] = {ISAS(ROW)};

KRowsRun *rows_for(int isa, KType type)
{
    if (isa < 0 || isa >= (int)COUNT(tables) || isa > (int)cpu_isa())
        return NULL;
    return tables[isa][type == KT_F64];
}

KRowsRun *rows_best(KType type)
{
    return rows_for(MIN((int)cpu_isa(), (int)COUNT(tables) - 1), type);
}
