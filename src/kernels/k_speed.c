/* k_speed.c -- what the machine could do at most: multiply-adds from registers, and
 * streams through memory. For reports, not for work. */
#include "vec.h"

#if KERNEL_ISA == 2
#define NAME(x) x##_avx512
#elif KERNEL_ISA == 1
#define NAME(x) x##_avx2
#else
#define NAME(x) x##_base
#endif

#define CHAINS 10 /* enough to fill the pipelines, few enough for the registers */

float NAME(speed_fma)(int64_t turns);
int64_t NAME(speed_fma_flops)(int64_t turns);
void NAME(speed_stream)(float *to, const float *from, int64_t n);

int64_t NAME(speed_fma_flops)(int64_t turns)
{
    return turns * CHAINS * VFL * 2;
}

float NAME(speed_fma)(int64_t turns)
{
    VF sum[CHAINS], a = vf_splat(0.999f), b = vf_splat(0.001f), all = {0};
    float y = 0;

    for (int i = 0; i < CHAINS; i++)
        sum[i] = vf_splat((float)i);
    for (int64_t k = 0; k < turns; k++)
        for (int i = 0; i < CHAINS; i++)
            sum[i] = sum[i] * a + b;
    for (int i = 0; i < CHAINS; i++)
        all += sum[i];
    for (int i = 0; i < VFL; i++)
        y += all[i];
    return y;
}

/* Reads and writes n floats each, n a multiple of the lanes. */
void NAME(speed_stream)(float *to, const float *from, int64_t n)
{
    for (int64_t i = 0; i + VFL <= n; i += VFL)
        vf_store(to + i, vf_load(from + i) + 1.0f);
}
