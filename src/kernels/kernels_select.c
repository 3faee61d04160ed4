/* kernels_select.c -- the kernels of each instruction set as one table, and the choice
 * of type. */
#include "kernels.h"

#include "base/base.h"
#include "kernels/isas.h"

_Static_assert((int)KT_BOOL == WF_BOOL && (int)KT_I8 == WF_I8 && (int)KT_U64 == WF_U64 &&
                   (int)KT_F16 == WF_F16 && (int)KT_BF16 == WF_BF16 &&
                   (int)KT_F32 == WF_F32 && (int)KT_F64 == WF_F64,
               "KType has wf_dtype's codes");

#define DECLARE(isa, narrow)                                                                     \
    extern const KMatmulTable matmul_table_f32_##isa, matmul_table_f64_##isa;            \
    extern const KConvTable conv_table_f32_##isa, conv_table_f64_##isa;                  \
    extern const KMatmulTable matmul_table_narrow_##isa;                                 \
    extern const KConvTable conv_table_narrow_##isa;                                     \
    extern const struct KLinalgTable linalg_table_f32_##isa, linalg_table_f64_##isa;
ISAS(DECLARE)

#define TABLE(isa, narrow)                                                                       \
    {                                                                                    \
        .matmul_f32 = &matmul_table_f32_##isa,                                           \
        .matmul_f64 = &matmul_table_f64_##isa,                                           \
        .conv_f32 = &conv_table_f32_##isa,                                               \
        .conv_f64 = &conv_table_f64_##isa,                                               \
        .matmul_narrow = &matmul_table_narrow_##isa,                                     \
        .conv_narrow = &conv_table_narrow_##isa,                                         \
        .linalg_f32 = &linalg_table_f32_##isa,                                           \
        .linalg_f64 = &linalg_table_f64_##isa,                                           \
    },
static const Kernels tables[] = {ISAS(TABLE)};

const Kernels *kernels_for(int isa)
{
    return isa >= 0 && isa < COUNT(tables) && isa <= (int)cpu_isa() ? &tables[isa] : NULL;
}

const Kernels *kernels_best(void)
{
    return &tables[MIN((int)cpu_isa(), COUNT(tables) - 1)];
}

static bool is_small(KType t) { return t == KT_I8 || t == KT_U8 || t == KT_I16; }

/* The type that products of these are summed in; 0 when there is no kernel. */
static int sum_type(KType a, KType b, KType c)
{
    if (a == KT_F64 && b == KT_F64 && c == KT_F64)
        return KT_F64;
    if (a >= KT_F16 && a <= KT_F32 && b >= KT_F16 && b <= KT_F32 && c >= KT_F16 &&
        c <= KT_F32)
        return KT_F32;
    return is_small(a) && is_small(b) && c == KT_I32 ? KT_I32 : 0;
}

static const KMatmulTable *matmul_table(const Kernels *k, const KMatmul *x)
{
    int type = sum_type(x->a_type, x->b_type, x->c_type);

    return type == KT_F64   ? k->matmul_f64
           : type == KT_F32 ? k->matmul_f32
           : type == KT_I32 ? k->matmul_narrow
                            : NULL;
}

static const KConvTable *conv_table(const Kernels *k, const KConv *x)
{
    int type = sum_type(x->x_type, x->w_type, x->out_type);

    return type == KT_F64   ? k->conv_f64
           : type == KT_F32 ? k->conv_f32
           : type == KT_I32 ? k->conv_narrow
                            : NULL;
}

size_t kernels_matmul_workspace(const Kernels *k, const KMatmul *x, int threads)
{
    const KMatmulTable *t = matmul_table(k, x);

    return t ? t->workspace(x, threads) : 0;
}

int kernels_matmul(const Kernels *k, const KMatmul *x, const KPar *par, void *workspace)
{
    const KMatmulTable *t = matmul_table(k, x);

    if (!t)
        return 0;
    t->run(x, par, workspace);
    return 1;
}

size_t kernels_matmul_packed_size(const Kernels *k, const KMatmul *x)
{
    const KMatmulTable *t = matmul_table(k, x);

    return t ? t->packed_size(x) : 0;
}

void kernels_matmul_pack(const Kernels *k, const KMatmul *x, const KPar *par, void *to)
{
    const KMatmulTable *t = matmul_table(k, x);

    if (t)
        t->pack(x, par, to);
}

size_t kernels_conv_workspace(const Kernels *k, const KConv *x, int threads)
{
    const KConvTable *t = conv_table(k, x);

    return t ? t->workspace(x, threads) : 0;
}

int kernels_conv(const Kernels *k, const KConv *x, const KPar *par, void *workspace)
{
    const KConvTable *t = conv_table(k, x);

    if (!t)
        return 0;
    t->run(x, par, workspace);
    return 1;
}

size_t kernels_conv_packed_size(const Kernels *k, const KConv *x)
{
    const KConvTable *t = conv_table(k, x);

    return t ? t->packed_size(x) : 0;
}

void kernels_conv_pack(const Kernels *k, const KConv *x, const KPar *par, void *to)
{
    const KConvTable *t = conv_table(k, x);

    if (t)
        t->pack(x, par, to);
}
