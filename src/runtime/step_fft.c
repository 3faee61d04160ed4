/* step_fft.c -- Fourier transforms: one axis after the other. */
#include "runtime/step.h"

static bool run_fft(Frame *f, const Op *op)
{
    const FftStep *s = op->data;
    const void *from = op_at(f, op, 0);
    void *to = op_at(f, op, 1), *work = op_at(f, op, 2);

    for (uint32_t i = 0; i < s->n; i++) {
        void *at = s->apart && i + 1 < s->n ? op_at(f, op, 3) : to;

        s->axis[i].run(&s->axis[i], from, at, &f->root->par, work);
        from = at;
    }
    return true;
}

static void *plan_memory(void *arena, size_t bytes) { return arena_alloc(arena, bytes); }

/* The axis number k of those that are transformed, of an array of these dims. */
static void set_axis(Bind *b, KFft *f, uint32_t k, const int64_t *dims)
{
    const FftAttr *a = b->attr;
    Val x = bind_in(b, 0);
    uint32_t rank = bind_rank(b, x), axis = rank - a->lengths.n + k;
    bool last = k + 1 == a->lengths.n, back = a->kind == FFT_IFFT || a->kind == FFT_IRFFT;

    *f = (KFft){.type = (KType)dtype_part(bind_dtype(b, x)),
                .kind = last && a->kind == FFT_RFFT    ? KFFT_FROM_REAL
                        : last && a->kind == FFT_IRFFT ? KFFT_TO_REAL
                        : back                         ? KFFT_BACKWARD
                                                       : KFFT_FORWARD,
                .outer = k_count((int)axis, dims),
                .n = a->lengths.v[k],
                .inner = k_count((int)(rank - axis - 1), dims + axis + 1),
                .scale = back ? 1 / (double)a->lengths.v[k] : 1};
    kfft_init(f, b->root->loops, b->root->par.threads, plan_memory, b->a);
}

bool bind_fft(Bind *b)
{
    const FftAttr *a = b->attr;
    Val x = bind_in(b, 0), y = bind_out(b, 0);
    uint32_t n = a->lengths.n, rank = bind_rank(b, x);
    FftStep *s = arena_zalloc(b->a, sizeof *s + n * sizeof *s->axis);
    int64_t dims[MAX_RANK];
    size_t work = 0;
    Op *op;

    for (uint32_t i = 0; i < n; i++)
        if (a->lengths.v[i] < 1)
            return bind_fail(b, WF_ERR_SHAPE, "length 0, needs at least 1");
    memcpy(dims, bind_dims(b, x), rank * sizeof *dims);
    s->n = n;
    s->apart = a->kind == FFT_IRFFT && n > 1;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = a->kind == FFT_IRFFT
                         ? i
                         : n - 1 - i; /* the last axis is that of real numbers */

        set_axis(b, &s->axis[i], k, dims);
        if (a->kind == FFT_RFFT && k + 1 == n)
            dims[rank - 1] = a->lengths.v[k] / 2 + 1;
        work = MAX(work, s->axis[i].workspace);
    }
    op = bind_op(b, run_fft, s);
    op->kind = OP_RUNS_FFT;
    bind_use(b, op, x, USE_READ);
    bind_use(b, op, y, USE_WRITE);
    bind_use_bytes(b, op, bind_workspace(b, work), (int64_t)work, 0, USE_WORK);
    if (s->apart)
        bind_use_bytes(b, op, bind_workspace(b, (size_t)bind_bytes(b, x)),
                       bind_bytes(b, x), 0, USE_WORK);
    return true;
}
