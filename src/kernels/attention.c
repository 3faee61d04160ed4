/* attention.c -- the attention kernels of each instruction set. */
#include "attention.h"

#include "base/base.h"
#include "kernels/isas.h"

#define DECLARE(isa, narrow)                                                                     \
    extern const KAttentionTable attention_table_f32_##isa, attention_table_f64_##isa;
ISAS(DECLARE)

#define ROW(isa, narrow) {&attention_table_f32_##isa, &attention_table_f64_##isa},
static const KAttentionTable *const tables[][2] = {ISAS(ROW)};

const KAttentionTable *attention_for(int isa, KType type)
{
    if (isa < 0 || isa >= (int)COUNT(tables) || isa > (int)cpu_isa())
        return NULL;
    return tables[isa][type == KT_F64];
}

const KAttentionTable *attention_best(KType type)
{
    return attention_for(MIN((int)cpu_isa(), (int)COUNT(tables) - 1), type);
}
