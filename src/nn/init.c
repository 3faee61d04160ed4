/* init.c -- initial numbers.
 *
 *   fan_in = dims[1] * prod(dims[2..]),  fan_out = dims[0] * prod(dims[2..])
 *   xavier    std = gain * sqrt(2 / (fan_in + fan_out)),  uniform in +- sqrt(3) std
 *   kaiming   std = sqrt(2 / (1 + slope^2)) / sqrt(fan_in), uniform in +- sqrt(3) std
 */
#include "nn/nn.h"

#include <math.h>

wf_tensor wf_init_uniform(wf_ctx *c, wf_generator *g, const int64_t *dims, int rank,
                          double from, double to)
{
    return wf_uniform(c, g, WF_F32, dims, rank, from, to);
}

wf_tensor wf_init_normal(wf_ctx *c, wf_generator *g, const int64_t *dims, int rank,
                         double mean, double std)
{
    return wf_normal(c, g, WF_F32, dims, rank, mean, std);
}

static bool fans(wf_ctx *c, const int64_t *dims, int rank, double *in, double *out)
{
    double field = 1;

    if (nn_refuse(c, rank < 2 || !dims, "init: fans need a tensor of at least 2 axes"))
        return false;
    for (int i = 2; i < rank; i++)
        field *= (double)dims[i];
    *in = (double)dims[1] * field;
    *out = (double)dims[0] * field;
    return true;
}

wf_tensor wf_init_xavier_uniform(wf_ctx *c, wf_generator *g, const int64_t *dims,
                                 int rank, double gain)
{
    double in, out, bound;

    if (!fans(c, dims, rank, &in, &out))
        return WF_NONE;
    bound = sqrt(3.0) * (gain * sqrt(2.0 / (in + out)));
    return wf_init_uniform(c, g, dims, rank, -bound, bound);
}

wf_tensor wf_init_xavier_normal(wf_ctx *c, wf_generator *g, const int64_t *dims, int rank,
                                double gain)
{
    double in, out;

    if (!fans(c, dims, rank, &in, &out))
        return WF_NONE;
    return wf_init_normal(c, g, dims, rank, 0, gain * sqrt(2.0 / (in + out)));
}

wf_tensor wf_init_kaiming_uniform(wf_ctx *c, wf_generator *g, const int64_t *dims,
                                  int rank, double slope)
{
    double in, out, bound;

    if (!fans(c, dims, rank, &in, &out))
        return WF_NONE;
    bound = in > 0 ? sqrt(3.0) * (sqrt(2.0 / (1 + slope * slope)) / sqrt(in)) : 0;
    return wf_init_uniform(c, g, dims, rank, -bound, bound);
}

wf_tensor wf_init_kaiming_normal(wf_ctx *c, wf_generator *g, const int64_t *dims,
                                 int rank, double slope)
{
    double in, out;

    if (!fans(c, dims, rank, &in, &out))
        return WF_NONE;
    return wf_init_normal(c, g, dims, rank, 0,
                          in > 0 ? sqrt(2.0 / (1 + slope * slope)) / sqrt(in) : 0);
}
