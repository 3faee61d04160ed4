/* nd_select.c -- the inner loops of each instruction set as one table. */
#include "fft.h"

#include "base/base.h"
#include "kernels/isas.h"

#define DECLARE(isa, narrow)                                                             \
    extern const KTypeLoops loops_bool_##isa, loops_half_##isa, loops_i8_##isa,          \
        loops_i16_##isa, loops_i32_##isa, loops_i64_##isa, loops_u8_##isa,               \
        loops_u16_##isa, loops_u32_##isa, loops_u64_##isa, loops_f32_##isa,              \
        loops_f64_##isa;                                                                 \
    extern const KHalf half_##isa;                                                       \
    extern const KPools pools_f32_##isa, pools_f64_##isa;                                \
    extern const KFftRun fft_f32_##isa, fft_f64_##isa;
ISAS(DECLARE)

#define TABLE(isa, narrow)                                                               \
    {                                                                                    \
        .type = {[KT_BOOL] = &loops_bool_##isa,                                          \
                 [KT_I8] = &loops_i8_##narrow,                                           \
                 [KT_I16] = &loops_i16_##narrow,                                         \
                 [KT_I32] = &loops_i32_##narrow,                                         \
                 [KT_I64] = &loops_i64_##narrow,                                         \
                 [KT_U8] = &loops_u8_##narrow,                                           \
                 [KT_U16] = &loops_u16_##narrow,                                         \
                 [KT_U32] = &loops_u32_##isa,                                            \
                 [KT_U64] = &loops_u64_##narrow,                                         \
                 [KT_F16] = &loops_half_##isa,                                           \
                 [KT_BF16] = &loops_half_##isa,                                          \
                 [KT_F32] = &loops_f32_##isa,                                            \
                 [KT_F64] = &loops_f64_##isa},                                           \
        .half = &half_##isa,                                                             \
        .pools = {&pools_f32_##isa, &pools_f64_##isa},                                   \
        .fft = {&fft_f32_##narrow, &fft_f64_##narrow},                                   \
    },
static const KLoops tables[] = {ISAS(TABLE)};

const KLoops *k_loops_for(int isa)
{
    return isa >= 0 && isa < COUNT(tables) && isa <= (int)cpu_isa() ? &tables[isa] : NULL;
}

const KLoops *k_loops(void) { return &tables[MIN((int)cpu_isa(), COUNT(tables) - 1)]; }
