/* codes.c -- the kernels of packed codes of each instruction set. */
#include "codes.h"

#include "base/base.h"
#include "kernels/isas.h"

#define DECLARE(isa, narrow) extern const KCodesTable codes_table_##isa;
ISAS(DECLARE)

#define ROW(isa, narrow) &codes_table_##isa,
static const KCodesTable *const tables[] = {ISAS(ROW)};

const KCodesTable *codes_for(int isa)
{
    return isa < 0 || isa >= (int)COUNT(tables) || isa > (int)cpu_isa() ? NULL : tables[isa];
}

const KCodesTable *codes_best(void) { return codes_for(MIN((int)cpu_isa(), (int)COUNT(tables) - 1)); }
