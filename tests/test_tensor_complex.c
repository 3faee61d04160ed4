/* test_tensor_complex.c -- complex tensors: parts, promotion, items, gradients, Fourier transforms. */
#include "test.h"

#include "weft.h"

#include <math.h>
#include <string.h>

static wf_tensor complex_from(wf_ctx *c, const double *v, int64_t n)
{
    return wf_from(c, WF_C128, &n, 1, v);
}

static void check_pairs(wf_ctx *c, wf_tensor t, const double *want, int n)
{
    double got[32];

    REQUIRE(wf_read(c, t, got, (size_t)n * 2 * sizeof *got) == WF_OK);
    for (int i = 0; i < 2 * n; i++)
        if (!(fabs(got[i] - want[i]) <= 1e-12))
            FAIL("number %d is %g, needs %g", i, got[i], want[i]);
}

static void check_reals(wf_ctx *c, wf_tensor t, const double *want, int n)
{
    double got[32];

    REQUIRE(wf_read_f64(c, t, got, n) == WF_OK);
    for (int i = 0; i < n; i++)
        if (!(fabs(got[i] - want[i]) <= 1e-12))
            FAIL("number %d is %g, needs %g", i, got[i], want[i]);
}

static const double two[] = {1, 2, 3, -4};

TEST(parts_conjugates_and_angles)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tensor z = complex_from(c, two, 2);

    check_reals(c, wf_real(c, z), (double[]){1, 3}, 2);
    check_reals(c, wf_imag(c, z), (double[]){2, -4}, 2);
    check_reals(c, wf_abs(c, z), (double[]){sqrt(5), 5}, 2);
    check_reals(c, wf_angle(c, z), (double[]){atan2(2, 1), atan2(-4, 3)}, 2);
    check_pairs(c, wf_conj(c, z), (double[]){1, -2, 3, 4}, 2);
    check_pairs(c, wf_complex(c, wf_imag(c, z), wf_real(c, z)), (double[]){2, 1, -4, 3}, 2);
    check_pairs(c, wf_polar(c, wf_abs(c, z), wf_angle(c, z)), two, 2);
    check_pairs(c, wf_sign(c, z), (double[]){1 / sqrt(5), 2 / sqrt(5), 0.6, -0.8}, 2);
    check_reals(c, wf_angle(c, wf_cast(c, wf_imag(c, z), WF_F64)), (double[]){0, acos(-1)}, 2);
    CHECK_EQ_INT(wf_ctx_status(c), WF_OK);
    wf_ctx_free(c);
}

TEST(host_numbers_promote_as_the_libraries_do)
{
    static const struct {
        wf_promotion rules;
        wf_dtype a, b, want;
    } cases[] = {
        {WF_PROMOTE_TORCH, WF_F32, WF_C64, WF_C64},   {WF_PROMOTE_TORCH, WF_F64, WF_C64, WF_C128},
        {WF_PROMOTE_TORCH, WF_I64, WF_C64, WF_C64},   {WF_PROMOTE_NUMPY, WF_I32, WF_C64, WF_C128},
        {WF_PROMOTE_NUMPY, WF_I16, WF_C64, WF_C64},   {WF_PROMOTE_NUMPY, WF_F64, WF_C64, WF_C128},
        {WF_PROMOTE_NUMPY, WF_BOOL, WF_C64, WF_C64},  {WF_PROMOTE_JAX, WF_I64, WF_C64, WF_C64},
        {WF_PROMOTE_JAX, WF_F64, WF_C64, WF_C128},    {WF_PROMOTE_JAX, WF_BF16, WF_C64, WF_C64},
    };
    wf_ctx *c = wf_ctx_new(NULL);
    double re = 0, im = 0;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_EQ_INT(wf_promote(cases[i].rules, cases[i].a, false, false, cases[i].b, false, false),
                     cases[i].want);
        CHECK_EQ_INT(wf_promote(cases[i].rules, cases[i].b, false, false, cases[i].a, false, false),
                     cases[i].want);
    }
    CHECK_EQ_INT(wf_dtype_of(c, wf_mul(c, wf_ones(c, WF_F32, (int64_t[]){2}, 1), wf_complex_number(c, 0, 1))),
                 WF_C64);
    CHECK_EQ_INT(wf_item_complex(c, wf_complex_number(c, 1.5, -2), &re, &im), WF_OK);
    CHECK(re == 1.5 && im == -2);
    wf_item(c, wf_complex_number(c, 1, 1));
    CHECK_HAS(wf_ctx_message(c), "wf_item: needs real numbers");
    wf_ctx_free(c);
}

/* d |z|^2 = Re(2 conj(z) dz): the cotangent is not conjugated */
TEST(gradients_pair_without_conjugation)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tensor z = complex_from(c, two, 2), y;

    wf_requires_grad(c, z, true);
    y = wf_sum(c, wf_real(c, wf_mul(c, z, wf_conj(c, z))), NULL, 0, false);
    wf_backward(c, y, WF_NONE, 0);
    check_pairs(c, wf_grad_of(c, z), (double[]){2, -4, 6, 8}, 2);
    wf_ctx_free(c);
}

TEST(transforms_take_lengths_axes_and_norms)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tensor x = wf_from(c, WF_F64, (int64_t[]){2, 2}, 2, (double[]){1, 2, 3, 4});

    check_pairs(c, wf_fft(c, x, WF_FFT, NULL, NULL, 1, WF_NORM_BACKWARD), (double[]){3, 0, -1, 0, 7, 0, -1, 0}, 4);
    check_pairs(c, wf_fft(c, x, WF_FFT, (int[]){0}, NULL, 1, WF_NORM_FORWARD),
                (double[]){2, 0, 3, 0, -1, 0, -1, 0}, 4);
    check_pairs(c, wf_fft(c, x, WF_RFFT, (int[]){1}, (int64_t[]){4}, 1, WF_NORM_BACKWARD),
                (double[]){3, 0, 1, -2, -1, 0, 7, 0, 3, -4, -1, 0}, 6);
    check_reals(c,
                wf_fft(c, wf_fft(c, x, WF_RFFT, NULL, NULL, 2, WF_NORM_ORTHO), WF_IRFFT, NULL,
                       (int64_t[]){2, 2}, 2, WF_NORM_ORTHO),
                (double[]){1, 2, 3, 4}, 4);
    CHECK_EQ_INT(wf_ctx_status(c), WF_OK);
    wf_fft(c, wf_cast(c, x, WF_C128), WF_RFFT, NULL, NULL, 1, WF_NORM_BACKWARD);
    CHECK_HAS(wf_ctx_message(c), "rfft needs real numbers");
    wf_ctx_free(c);
}

