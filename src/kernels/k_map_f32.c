/* k_map_f32.c -- elementwise loops and sums of f32. */
#include "vmath.h"

#define T         float
#define UT        uint32_t
#define TNAME(x)  x##_f32
#define SCALAR(x) x##f
#define VEC       VF
#define VINT      VFI
#define VL_       VFL
#define VCALL(f)  vf_##f
#define VSELECT   vf_select
#define vload     vf_load
#define vstore    vf_store

static void loop_pow_f32(int64_t n, const void *const *in, void *const *out)
{
    const float *a = in[0], *b = in[1];
    float *o = out[0];
    int64_t i = 0;

    for (; i + VFL <= n; i += VFL)
        vf_store(o + i, vf_pow(vf_load(a + i), vf_load(b + i)));
    if (i < n) {
        VF x = {0}, y = {0};
        for (int64_t j = 0; j < n - i; j++) {
            x[j] = a[i + j];
            y[j] = b[i + j];
        }
        x = vf_pow(x, y);
        for (int64_t j = 0; j < n - i; j++)
            o[i + j] = x[j];
    }
}

#include "map_float.h"
