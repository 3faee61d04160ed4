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
    int64_t left = n % VFL, whole = n - left;
    const float *a = in[0], *b = in[1];
    float *o = out[0], rest[2][VFL] = {{0}};

    KEPT_LOOP
    for (int last = left == 0; last < 2; last++) {
        for (int64_t i = 0; i < whole; i += VFL)
            vf_store(o + i, vf_pow(vf_load(a + i), vf_load(b + i)));
        if (last)
            break;
        for (int64_t k = 0; k < left; k++) {
            rest[0][k] = a[whole + k];
            rest[1][k] = b[whole + k];
        }
        a = o = rest[0];
        b = rest[1];
        whole = VFL;
    }
    if (left)
        memcpy((float *)out[0] + n - left, rest[0], sizeof(float) * (size_t)left);
}

#include "map_float.h"
