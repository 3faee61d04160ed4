/* fft.c -- plans of Fourier transforms: factors, roots of unity, sizes of blocks. See fft.h. */
#include "fft.h"

#include <math.h>

#define BLOCK_BYTES (128 << 10) /* of the four planes of a block */
#define LONG_LINE   2048 /* from this on a line is transformed alone, as a matrix */

typedef struct Maker {
    int wide; /* doubles, not floats */
    KFftAlloc alloc;
    void *ctx;
} Maker;

static size_t real_size(const Maker *m)
{
    return m->wide ? sizeof(double) : sizeof(float);
}

static void put(const Maker *m, void *to, int64_t i, double x)
{
    if (m->wide)
        ((double *)to)[i] = x;
    else
        ((float *)to)[i] = (float)x;
}

/* e^(-2 pi i k/n), exact where it is, and as exact as cos and sin of less than pi/4. */
static void root(int64_t k, int64_t n, double *re, double *im)
{
    const double pi = 3.14159265358979323846;
    int64_t o = 8 * (k % n) / n, r = 8 * (k % n) - o * n; /* octant, and 8k - o n < n */
    double a = (o & 1 ? (double)(n - r) : (double)r) / (double)n * (pi / 4);
    double c = cos(a), s = sin(a), t;

    if ((o + 1) & 2) /* octants 1 2 5 6: nearer to the other axis */
        t = c, c = s, s = t;
    *re = o >= 2 && o < 6 ? -c : c;
    *im = o < 4 ? -s : s;
}

/* w_n^(p k) for p < rows, from..to-1 for k: pairs */
static void *root_table(const Maker *m, int64_t n, int64_t rows, int64_t from, int64_t to)
{
    void *t = m->alloc(m->ctx, (size_t)(2 * rows * (to - from) + 1) * real_size(m));
    double re, im;

    for (int64_t p = 0, at = 0; p < rows; p++)
        for (int64_t k = from; k < to; k++, at += 2) {
            root(p * k % n, n, &re, &im); /* k is less than a radix */
            put(m, t, at, re);
            put(m, t, at + 1, im);
        }
    return t;
}

static void *new_planes(const Maker *m, int64_t n)
{
    return m->alloc(m->ctx, (size_t)(2 * n + 1) * real_size(m));
}

/* The largest factor that is left is 1, or beyond FFT_PRIME. */
static int64_t take_factors(KFftPlan *p, int64_t n)
{
    static const int radix[] = {4, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31};

    for (int i = 0; i < (int)(sizeof radix / sizeof *radix); i++)
        while (n % radix[i] == 0) {
            p->factor[p->nfactors++] = radix[i];
            n /= radix[i];
        }
    return n;
}

static KFftPlan *make_plan(const Maker *m, int64_t n, int deep);

/* The least length from n on that is a product of 2, 3 and 5. */
static int64_t smooth_from(int64_t n)
{
    for (;; n++) {
        int64_t r = n;

        for (int f = 2; f <= 5; f += f == 2 ? 1 : 2)
            while (r % f == 0)
                r /= f;
        if (r == 1)
            return n;
    }
}

/* chirp_j = e^(-pi i j^2/n); the spectrum of its conjugate, wrapped round, over the length. Computed by sums of roots
 * in doubles would take n^2, so by a plan in doubles. */
static void fill_spectrum(const Maker *m, KFftPlan *p)
{
    Maker wide = {1, m->alloc, m->ctx};
    int64_t n = p->n, size = p->whole->n;
    const KFftPlan *q = m->wide ? p->whole : make_plan(&wide, size, 0);
    double *z = m->alloc(m->ctx, (size_t)(4 * size + 1) * sizeof *z), re, im;
    int64_t square = 0; /* of j, modulo 2n */
    void *chirp = new_planes(m, n), *spectrum = new_planes(m, size);

    for (int64_t i = 0; i < 2 * size; i++)
        z[i] = 0;
    for (int64_t j = 0; j < n; j++) {
        root(square, 2 * n, &re, &im);
        square = (square + 2 * j + 1) % (2 * n);
        put(m, chirp, j, re);
        put(m, chirp, n + j, im);
        z[j] = z[(size - j) % size] = re;
        z[size + j] = z[size + (size - j) % size] = -im;
    }
    kfft_columns_f64(q, 1, z);
    for (int64_t j = 0; j < 2 * size; j++)
        put(m, spectrum, j, z[j] / (double)size);
    p->chirp = chirp;
    p->spectrum = spectrum;
}

/* n = n1 n2, near its square root, where both are 8 and more. */
static void split(const Maker *m, KFftPlan *p)
{
    int64_t best = 0, n = p->n, n2;
    double re, im;
    void *turn;

    for (int64_t k = 8; k * k <= n; k++)
        if (n % k == 0)
            best = k;
    if (!best)
        return;
    n2 = n / best;
    p->first = make_plan(m, best, 0);
    p->second = make_plan(m, n2, 0);
    turn = new_planes(m, n);
    for (int64_t k = 0; k < best; k++)
        for (int64_t j = 0; j < n2; j++) {
            root(k * j % n, n, &re, &im);
            put(m, turn, k * n2 + j, re);
            put(m, turn, n + k * n2 + j, im);
        }
    p->turn = turn;
}

static KFftPlan *make_plan(const Maker *m, int64_t n, int deep)
{
    KFftPlan *p = m->alloc(m->ctx, sizeof *p);
    int64_t left = n;

    *p = (KFftPlan){.n = n, .room = n};
    if (take_factors(p, n) != 1) {
        p->nfactors = 0;
        p->whole = make_plan(m, smooth_from(2 * n - 1), deep);
        p->room = p->whole->n;
        fill_spectrum(m, p);
        return p;
    }
    for (int i = 0; i < p->nfactors; i++) {
        int r = p->factor[i];

        p->roots[i] = root_table(m, left, left / r, 1, r);
        if (r > 5)
            p->unit[i] = root_table(m, r, r, 1, 2);
        left /= r;
    }
    if (deep && n >= 64)
        split(m, p);
    return p;
}

/* A line alone goes as a matrix, or there is no other way to have columns. */
static int by_lines(const KFft *f, const KFftPlan *p, int64_t lanes)
{
    const KFftPlan *q = p->whole ? p->whole : p;

    if (f->inner > 1 || !q->first)
        return 0;
    return q->n >= LONG_LINE || f->outer * 4 <= lanes;
}

static int64_t spare_of(const KFftPlan *p)
{
    const KFftPlan *q = p->whole ? p->whole : p;
    int64_t n = q->first && q->second->n > q->first->n ? q->second->n
                : q->first                             ? q->first->n
                                                       : 0;

    return !q->first ? 0 : n * 4 * FFT_LANES > FFT_SPARE ? n * 4 * FFT_LANES : FFT_SPARE;
}

void kfft_init(KFft *f, const KLoops *loops, int threads, KFftAlloc alloc, void *ctx)
{
    Maker m = {f->type == KT_F64, alloc, ctx};
    int real = f->kind == KFFT_FROM_REAL || f->kind == KFFT_TO_REAL,
        even = real && f->n % 2 == 0;
    int64_t lanes = m.wide ? 8 : 16, lines, each;
    double re, im;
    void *half;

    f->plan = make_plan(&m, even ? f->n / 2 : f->n, 1);
    if (even) {
        half = new_planes(&m, f->n / 2 + 1);
        for (int64_t k = 0; k <= f->n / 2; k++) {
            root(k, f->n, &re, &im);
            put(&m, half, k, re);
            put(&m, half, f->n / 2 + 1 + k, im);
        }
        f->half = half;
    }
    lines = f->inner > 1 ? f->inner : f->outer;
    each = BLOCK_BYTES / (int64_t)(4 * (size_t)f->plan->room * real_size(&m));
    f->width = by_lines(f, f->plan, lanes) ? 1
               : each < lanes              ? lanes
                                           : each / lanes * lanes;
    if (f->inner == 1 && f->width > lanes)
        f->width = lanes; /* more are not read along lines */
    if (f->width > lines)
        f->width = lines > 0 ? lines : 1;
    f->blocks = (lines + f->width - 1) / f->width * (f->inner > 1 ? f->outer : 1);
    f->tasks = (int)(f->blocks < threads ? f->blocks : threads);
    if ((double)f->outer * (double)f->inner * (double)f->n < 16384)
        f->tasks = 1;
    if (f->tasks < 1)
        f->tasks = 1;
    /* two pairs of planes; of a line that goes as a matrix the block of its columns, too */
    f->task_bytes =
        (size_t)(4 * f->plan->room * f->width + 64 + spare_of(f->plan)) * real_size(&m);
    f->workspace = f->task_bytes * (size_t)f->tasks;
    f->run = *loops->fft[m.wide];
}
