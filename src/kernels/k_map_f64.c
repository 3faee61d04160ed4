/* k_map_f64.c -- elementwise loops and sums of f64. */
#include "vmath.h"

#define T         double
#define UT        uint64_t
#define TNAME(x)  x##_f64
#define SCALAR(x) x
#define VEC       VD
#define VINT      VDI
#define VL_       VDL
#define VCALL(f)  vd_##f
#define VSELECT   vd_select
#define vload     vd_load
#define vstore    vd_store

static void loop_pow_f64(int64_t n, const void *const *in, void *const *out)
{
    const double *a = in[0], *b = in[1];
    double *o = out[0];

    for (int64_t i = 0; i < n; i++)
        o[i] = pow(a[i], b[i]);
}

#include "map_float.h"
