/* rows_small.c -- see rows_small.h. The same shapes as in rows.py where the row's program
 * has them in its text, else odd ones; batches of two or three. */
#include "rows_small.h"

#include <math.h>
#include <string.h>

/* Inputs under way. */
typedef struct Inputs {
    wf_ctx *c;
    wf_array **v;
    int n;
    uint64_t seed;
} Inputs;

static double unit(Inputs *s) /* -1 .. 1 */
{
    s->seed = s->seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(s->seed ^ s->seed >> 29) * 0x1p-63;
}

/* Around `centre`, as far as `spread`. */
static void floats(Inputs *s, double centre, double spread, int rank, const int64_t *dims)
{
    wf_array *a = NULL;
    float *x;

    if (wf_array_new(s->c, WF_F32, dims, rank, &a) != WF_OK)
        return;
    x = wf_array_data_mutable(a);
    for (int64_t i = 0; i < wf_array_count(a); i++)
        x[i] = (float)(centre + spread * unit(s));
    s->v[s->n++] = a;
}
#define FLOATS(s, spread, ...)                                                           \
    floats(s, 0, spread, (int)(sizeof(int64_t[]){__VA_ARGS__} / sizeof(int64_t)),        \
           (int64_t[]){__VA_ARGS__})

/* Numbers of classes; n2 0: of rank 1 */
static void classes(Inputs *s, int64_t most, int64_t n1, int64_t n2)
{
    int64_t dims[] = {n1, n2};
    wf_array *a = NULL;
    int64_t *x;

    if (wf_array_new(s->c, WF_I64, dims, n2 ? 2 : 1, &a) != WF_OK)
        return;
    x = wf_array_data_mutable(a);
    for (int64_t i = 0; i < wf_array_count(a); i++)
        x[i] = (int64_t)(fabs(unit(s)) * (double)most) % most;
    s->v[s->n++] = a;
}

static void linear(Inputs *s, int64_t out, int64_t in)
{
    FLOATS(s, 1 / sqrt((double)in), out, in);
    FLOATS(s, 0.1, out);
}

static void norm(Inputs *s, int64_t n)
{
    floats(s, 1, 0.1, 1, &n);
    FLOATS(s, 0.1, n);
}

static void mlp(Inputs *s, const int64_t *sizes, int n, int64_t batch)
{
    for (int i = 0; i + 1 < n; i++)
        linear(s, sizes[i + 1], sizes[i]);
    FLOATS(s, 1, batch, sizes[0]);
    classes(s, sizes[n - 1], batch, 0);
}

/* ---- networks of convolutions ------------------------------------------------------ */

/* Which part: parameters come first, then the buffers of all. */
typedef void Part(Inputs *s, int64_t out, int64_t in, int64_t side);

static void conv_params(Inputs *s, int64_t out, int64_t in, int64_t side)
{
    FLOATS(s, sqrt(3.0 / (double)(in * side * side)), out, in, side, side);
    norm(s, out);
}

static void conv_buffers(Inputs *s, int64_t out, int64_t in, int64_t side)
{
    (void)in, (void)side;
    FLOATS(s, 0.1, out);
    floats(s, 1, 0.5, 1, &out);
}

static void inception(Inputs *s, Part *part, const int64_t k[7])
{
    part(s, k[1], k[0], 1);
    part(s, k[2], k[0], 1);
    part(s, k[3], k[2], 3);
    part(s, k[4], k[0], 1);
    part(s, k[5], k[4], 3);
    part(s, k[6], k[0], 1);
}

static void small_net(Inputs *s, Part *part)
{
    part(s, 32, 1, 3);
    inception(s, part, (int64_t[]){32, 16, 16, 24, 4, 8, 16});
    inception(s, part, (int64_t[]){64, 32, 32, 48, 8, 16, 24});
}

static void large_net(Inputs *s, Part *part)
{
    static const int64_t blocks[9][7] = {
        {192, 64, 96, 128, 16, 32, 32},    {256, 128, 128, 192, 32, 96, 64},
        {480, 192, 96, 208, 16, 48, 64},   {512, 160, 112, 224, 24, 64, 64},
        {512, 128, 128, 256, 24, 64, 64},  {512, 112, 144, 288, 32, 64, 64},
        {528, 256, 160, 320, 32, 128, 128}, {832, 256, 160, 320, 32, 128, 128},
        {832, 384, 192, 384, 48, 128, 128}};

    part(s, 64, 3, 7);
    part(s, 64, 64, 1);
    part(s, 192, 64, 3);
    for (int i = 0; i < 9; i++)
        inception(s, part, blocks[i]);
}

static void inception_inputs(Inputs *s)
{
    small_net(s, conv_params);
    linear(s, 10, 120);
    small_net(s, conv_buffers);
    FLOATS(s, 1, 3, 1, 28, 28);
    classes(s, 10, 3, 0);
}

static void googlenet_inputs(Inputs *s)
{
    large_net(s, conv_params);
    linear(s, 1000, 1024);
    large_net(s, conv_buffers);
    FLOATS(s, 1, 1, 3, 65, 65);
}

/* ---- the others -------------------------------------------------------------------- */

static void ew_inputs(Inputs *s)
{
    for (int i = 0; i < 3; i++)
        FLOATS(s, 2, 5003);
}

static void softmax_inputs(Inputs *s) { FLOATS(s, 2, 37, 131); }

static void layernorm_inputs(Inputs *s)
{
    FLOATS(s, 2, 37, 131);
    FLOATS(s, 1, 131);
    FLOATS(s, 1, 131);
}

static void matmul_inputs(Inputs *s)
{
    FLOATS(s, 1, 67, 45);
    FLOATS(s, 1, 45, 83);
}

static void square_inputs(Inputs *s) { FLOATS(s, 1, 41, 41); }

/* Definite by its diagonal. */
static void solve_inputs(Inputs *s)
{
    float *a;

    FLOATS(s, 0.1, 41, 41);
    a = wf_array_data_mutable(s->v[0]);
    for (int i = 0; i < 41; i++)
        a[i * 42] = 9;
    FLOATS(s, 1, 41, 41);
}

static void mlp_inputs(Inputs *s) { mlp(s, (int64_t[]){79, 51, 33, 10}, 4, 13); }
static void tiny_inputs(Inputs *s) { mlp(s, (int64_t[]){64, 128, 10}, 3, 32); }
static void persample_inputs(Inputs *s) { mlp(s, (int64_t[]){784, 512, 10}, 3, 64); }

static void infer_inputs(Inputs *s)
{
    mlp(s, (int64_t[]){64, 128, 10}, 3, 1);
    wf_array_release(s->v[--s->n]); /* no labels */
}

static void hvp_inputs(Inputs *s)
{
    mlp(s, (int64_t[]){79, 51, 10}, 3, 13);
    linear(s, 51, 79);
    linear(s, 10, 51);
}

static void gpt_inputs(Inputs *s)
{
    enum { D = 256 };

    FLOATS(s, 0.5, 256, D);
    FLOATS(s, 0.5, 128, D);
    for (int i = 0; i < 4; i++) {
        norm(s, D);
        linear(s, 3 * D, D);
        linear(s, D, D);
        norm(s, D);
        linear(s, 4 * D, D);
        linear(s, D, 4 * D);
    }
    norm(s, D);
    linear(s, 256, D);
    classes(s, 256, 2, 101); /* as many keys as attention has a kernel for */
    classes(s, 256, 202, 0);
}

static void lstm_inputs(Inputs *s)
{
    FLOATS(s, 1, 128, 32, 256);
    FLOATS(s, 1.0 / 16, 1024, 256);
    FLOATS(s, 1.0 / 16, 1024, 256);
    FLOATS(s, 1.0 / 16, 1024);
    FLOATS(s, 1.0 / 16, 1024);
}

static void while_inputs(Inputs *s) { floats(s, 2.7, 0, 0, NULL); }
static void one_inputs(Inputs *s) { FLOATS(s, 0.9, 1); }

int small_inputs(wf_ctx *c, const char *row, wf_array **in)
{
    static const struct {
        const char *name;
        void (*make)(Inputs *s);
    } rows[] = {
        {"ew", ew_inputs},
        {"softmax", softmax_inputs},
        {"layernorm", layernorm_inputs},
        {"layernorm_grad", layernorm_inputs},
        {"matmul", matmul_inputs},
        {"eigh", square_inputs},
        {"svd", square_inputs},
        {"qr", square_inputs},
        {"solve", solve_inputs},
        {"mlp_train", mlp_inputs},
        {"tiny_train", tiny_inputs},
        {"tiny_infer", infer_inputs},
        {"inception_train", inception_inputs},
        {"googlenet", googlenet_inputs},
        {"transformer_train", gpt_inputs},
        {"lstm", lstm_inputs},
        {"lstm_train", lstm_inputs},
        {"hvp", hvp_inputs},
        {"persample", persample_inputs},
        {"while", while_inputs},
        {"dispatch", one_inputs},
        {"tape", one_inputs},
    };
    Inputs s = {c, in, 0, 7};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, row) == 0)
            rows[i].make(&s);
    return s.n;
}
