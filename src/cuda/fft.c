/* fft.c -- Fourier transforms on a GPU (ffts.cuh): axis by axis, factor by factor. */
#include "cuda/cuda.h"
#include "runtime/step.h"

#include <stdio.h>

#define ALONE 8 /* factors up to this: a thread has all results of a sum */

typedef struct NFft { /* as in ffts.cuh */
    const void *x;
    void *y;
    int64_t outer, n, inner;
    int64_t x_n, y_n;
    int64_t left, done;
    int64_t r;
    int64_t back;
    double scale;
} NFft;

bool cuda_has_fft(const Program *p, const Eqn *e)
{
    unsigned t = dtype_part((wf_dtype)val_type(p, eqn_in(p, e)[0]).dtype);

    return t == WF_F32 || t == WF_F64;
}

/* The next factor of n: few passes, of those that a thread does alone. */
static int64_t factor_of(int64_t n)
{
    static const int best[] = {8, 4, 2, 3, 5, 7};
    int64_t r = 11;

    for (size_t i = 0; i < sizeof best / sizeof *best; i++)
        if (n % best[i] == 0)
            return best[i];
    while (r * r <= n && n % r)
        r += 2;
    return n % r ? n : r;
}

static bool put_pass(CudaQueue *q, const Frame *f, KType type, const char *from, const char *to, NFft *n)
{
    int64_t threads = n->outer * n->inner * (n->n / n->r);
    char what[96];

    if (n->r > ALONE)
        threads *= n->r;
    snprintf(what, sizeof what, "FFT(%s, %s, %s, %d)", type == KT_F64 ? "double" : "float", from, to,
             n->r > ALONE ? 0 : (int)n->r);
    return cuda_launch(q, cuda_native(q->d, f->root->cx, what),
                       MIN((threads + CUDA_BLOCK - 1) / CUDA_BLOCK, 132 * 64), 1, CUDA_BLOCK, n);
}

/* Is the pass for factor r the last one, into y? Threads that have one result each do not write where others read. */
static bool is_last(const NFft *n, int64_t r, const void *y) { return r == n->left && (r <= ALONE || n->x != y); }

static bool put_axis(CudaQueue *q, const Frame *f, const KFft *k, const void *x, void *y)
{
    static const char *const from[] = {"N_COMPLEX", "N_COMPLEX", "N_REAL", "N_HALF"};
    static const char *const to[] = {"N_COMPLEX", "N_COMPLEX", "N_HALF", "N_REAL"};
    size_t bytes = (size_t)(k->outer * k->n * k->inner) * 2 * k_size(k->type);
    char *work = NULL;
    NFft n = {.x = x,
              .outer = k->outer,
              .n = k->n,
              .inner = k->inner,
              .x_n = k->kind == KFFT_TO_REAL ? k->n / 2 + 1 : k->n,
              .left = k->n,
              .done = 1,
              .back = k->kind == KFFT_BACKWARD || k->kind == KFFT_TO_REAL};

    if (!bytes)
        return true;
    if (!is_last(&n, factor_of(k->n), y) && !(work = (char *)(uintptr_t)cuda_work(q, 2 * bytes)))
        return cuda_ok(q->d, 2, "a Fourier transform's memory");
    for (bool first = true, last = false, flip = false; !last; first = false, flip = !flip) {
        n.r = factor_of(n.left);
        last = is_last(&n, n.r, y);
        n.y = last ? y : work + (flip ? bytes : 0);
        n.y_n = last && k->kind == KFFT_FROM_REAL ? k->n / 2 + 1 : k->n;
        n.scale = last ? k->scale : 1;
        if (!put_pass(q, f, k->type, first ? from[k->kind] : "N_COMPLEX", last ? to[k->kind] : "N_COMPLEX", &n))
            return false;
        n.left /= n.r;
        n.done *= n.r;
        n.x = n.y;
        n.x_n = k->n;
    }
    return true;
}

bool cuda_put_fft(CudaQueue *q, const Frame *f, const Op *op)
{
    const FftStep *s = op->data;
    const void *from = op_at(f, op, 0);

    for (uint32_t i = 0; i < s->n; i++) {
        void *to = op_at(f, op, s->apart && i + 1 < s->n ? 3 : 1);

        if (!put_axis(q, f, &s->axis[i], from, to))
            return false;
        from = to;
    }
    return true;
}
