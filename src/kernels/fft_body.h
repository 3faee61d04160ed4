/* fft_body.h -- Fourier transforms of REAL: columns, lines, blocks. See fft.h.
 *
 * Columns are [n, w] in two planes, real and imaginary parts, so that every loop runs along
 * neighbours and is done by vectors whatever the radix. A pass of radix r at length n' = r m,
 * s being w times the radices before:
 *
 *   y[p, k, q] = w^(pk) sum_j x[j, p, q] u^(jk)      x [r, m, s], y [m, r, s], w^n' = u^r = 1
 *
 * Backwards is forwards with the planes exchanged, before and after.
 */
#include "fft.h"
#include "real.h"
#include "stage.h"

typedef struct Planes {
    REAL *re, *im;
} Planes;

static Planes exchanged(Planes z) { return (Planes){z.im, z.re}; }

#define LOOP for (int64_t q = 0; q < s; q++)
#define P(name, base, at)                                                                \
    const REAL *restrict name##r = (base).re + (at), *restrict name##i = (base).im + (at)
#define Q(name, base, at)                                                                \
    REAL *restrict name##r = (base).re + (at), *restrict name##i = (base).im + (at)
/* y[q] = (re + i im) (wr + i wi) */
#define PUT(y, re_, im_, wr, wi)                                                         \
    do {                                                                                 \
        REAL pr_ = (re_), pi_ = (im_);                                                   \
        y##r[q] = pr_ * (wr)-pi_ * (wi);                                                 \
        y##i[q] = pr_ * (wi) + pi_ * (wr);                                               \
    } while (0)

NOINLINE void pass_2(int64_t m, int64_t s, const REAL *w, Planes x, Planes y)
{
    for (int64_t p = 0; p < m; p++, w += 2) {
        const REAL wr = w[0], wi = w[1];
        P(a, x, p * s);
        P(b, x, (p + m) * s);
        Q(c, y, 2 * p * s);
        Q(d, y, (2 * p + 1) * s);

        LOOP
        {
            REAL tr = ar[q] - br[q], ti = ai[q] - bi[q];

            cr[q] = ar[q] + br[q];
            ci[q] = ai[q] + bi[q];
            PUT(d, tr, ti, wr, wi);
        }
    }
}

NOINLINE void pass_3(int64_t m, int64_t s, const REAL *w, Planes x, Planes y)
{
    const REAL h = (REAL)0.86602540378443864676;

    for (int64_t p = 0; p < m; p++, w += 4) {
        const REAL w1r = w[0], w1i = w[1], w2r = w[2], w2i = w[3];
        P(a, x, p * s);
        P(b, x, (p + m) * s);
        P(c, x, (p + 2 * m) * s);
        Q(d, y, 3 * p * s);
        Q(e, y, (3 * p + 1) * s);
        Q(f, y, (3 * p + 2) * s);

        LOOP
        {
            REAL sr = br[q] + cr[q], si = bi[q] + ci[q];
            REAL tr = ar[q] - (REAL)0.5 * sr, ti = ai[q] - (REAL)0.5 * si;
            REAL ur = h * (bi[q] - ci[q]), ui = h * (cr[q] - br[q]);

            dr[q] = ar[q] + sr;
            di[q] = ai[q] + si;
            PUT(e, tr + ur, ti + ui, w1r, w1i);
            PUT(f, tr - ur, ti - ui, w2r, w2i);
        }
    }
}

NOINLINE void pass_4(int64_t m, int64_t s, const REAL *w, Planes x, Planes y)
{
    for (int64_t p = 0; p < m; p++, w += 6) {
        const REAL w1r = w[0], w1i = w[1], w2r = w[2], w2i = w[3], w3r = w[4], w3i = w[5];
        P(a, x, p * s);
        P(b, x, (p + m) * s);
        P(c, x, (p + 2 * m) * s);
        P(d, x, (p + 3 * m) * s);
        Q(e, y, 4 * p * s);
        Q(f, y, (4 * p + 1) * s);
        Q(g, y, (4 * p + 2) * s);
        Q(h, y, (4 * p + 3) * s);

        LOOP
        {
            REAL t0r = ar[q] + cr[q], t0i = ai[q] + ci[q], t1r = ar[q] - cr[q],
                 t1i = ai[q] - ci[q];
            REAL t2r = br[q] + dr[q], t2i = bi[q] + di[q], t3r = bi[q] - di[q],
                 t3i = dr[q] - br[q]; /* -i (b - d) */

            er[q] = t0r + t2r;
            ei[q] = t0i + t2i;
            PUT(f, t1r + t3r, t1i + t3i, w1r, w1i);
            PUT(g, t0r - t2r, t0i - t2i, w2r, w2i);
            PUT(h, t1r - t3r, t1i - t3i, w3r, w3i);
        }
    }
}

NOINLINE void pass_5(int64_t m, int64_t s, const REAL *w, Planes x, Planes y)
{
    const REAL c1 = (REAL)0.30901699437494742410, c2 = (REAL)-0.80901699437494742410,
               s1 = (REAL)0.95105651629515357212, s2 = (REAL)0.58778525229247312917;

    for (int64_t p = 0; p < m; p++, w += 8) {
        P(a, x, p * s);
        P(b, x, (p + m) * s);
        P(c, x, (p + 2 * m) * s);
        P(d, x, (p + 3 * m) * s);
        P(e, x, (p + 4 * m) * s);
        Q(f, y, 5 * p * s);
        Q(g, y, (5 * p + 1) * s);
        Q(h, y, (5 * p + 2) * s);
        Q(k, y, (5 * p + 3) * s);
        Q(l, y, (5 * p + 4) * s);
        const REAL w1r = w[0], w1i = w[1], w2r = w[2], w2i = w[3], w3r = w[4], w3i = w[5],
                   w4r = w[6], w4i = w[7];

        LOOP
        {
            REAL b1r = br[q] + er[q], b1i = bi[q] + ei[q], b4r = br[q] - er[q],
                 b4i = bi[q] - ei[q];
            REAL b2r = cr[q] + dr[q], b2i = ci[q] + di[q], b3r = cr[q] - dr[q],
                 b3i = ci[q] - di[q];
            REAL ur = ar[q] + c1 * b1r + c2 * b2r, ui = ai[q] + c1 * b1i + c2 * b2i;
            REAL vr = ar[q] + c2 * b1r + c1 * b2r, vi = ai[q] + c2 * b1i + c1 * b2i;
            REAL tr = s1 * b4i + s2 * b3i, ti = -s1 * b4r - s2 * b3r;
            REAL zr = s2 * b4i - s1 * b3i, zi = -s2 * b4r + s1 * b3r;

            fr[q] = ar[q] + b1r + b2r;
            fi[q] = ai[q] + b1i + b2i;
            PUT(g, ur + tr, ui + ti, w1r, w1i);
            PUT(h, vr + zr, vi + zi, w2r, w2i);
            PUT(k, vr - zr, vi - zi, w3r, w3i);
            PUT(l, ur - tr, ui - ti, w4r, w4i);
        }
    }
}

/* Any radix, by the sum itself. */
NOINLINE void pass_any(int64_t r, int64_t m, int64_t s, const REAL *w, const REAL *unit,
                       Planes x, Planes y)
{
    for (int64_t p = 0; p < m; p++, w += 2 * (r - 1))
        for (int64_t k = 0; k < r; k++) {
            REAL wr = k ? w[2 * k - 2] : 1, wi = k ? w[2 * k - 1] : 0;
            Q(z, y, (r * p + k) * s);

            LOOP
            {
                zr[q] = x.re[p * s + q];
                zi[q] = x.im[p * s + q];
            }
            for (int64_t j = 1; j < r; j++) {
                REAL ur = unit[2 * (j * k % r)], ui = unit[2 * (j * k % r) + 1];
                P(a, x, (p + j * m) * s);

                LOOP
                {
                    zr[q] += ar[q] * ur - ai[q] * ui;
                    zi[q] += ar[q] * ui + ai[q] * ur;
                }
            }
            if (k && m > 1)
                LOOP
                {
                    REAL tr = zr[q], ti = zi[q];
                    PUT(z, tr, ti, wr, wi);
                }
        }
}

static Planes columns(const KFftPlan *p, int64_t w, Planes x, Planes y);
static void line(const KFftPlan *p, Planes x, Planes y, REAL *spare, Planes *out);

/* x conv chirp, by products of spectra; x and y have p->room elements a column. */
static Planes bluestein(const KFftPlan *p, int64_t w, Planes x, Planes y, REAL *spare)
{
    const REAL *cr = p->chirp, *ci = cr + p->n, *sr = p->spectrum, *si = sr + p->whole->n;
    int64_t n = p->n, size = p->whole->n, s = w;
    Planes z;

    for (int64_t j = 0; j < n; j++) {
        REAL wr = cr[j], wi = ci[j];
        Q(a, x, j * w);

        LOOP
        {
            REAL tr = ar[q], ti = ai[q];
            PUT(a, tr, ti, wr, wi);
        }
    }
    memset(x.re + n * w, 0, (size_t)((size - n) * w) * sizeof(REAL));
    memset(x.im + n * w, 0, (size_t)((size - n) * w) * sizeof(REAL));
    if (w == 1 && p->whole->first)
        line(p->whole, x, y, spare, &z);
    else
        z = columns(p->whole, w, x, y);
    for (int64_t j = 0; j < size; j++) {
        REAL wr = sr[j], wi = si[j];
        Q(a, z, j * w);

        LOOP
        {
            REAL tr = ar[q], ti = ai[q];
            PUT(a, tr, ti, wr, wi);
        }
    }
    y = exchanged(z.re == x.re ? y : x); /* and back */
    x = exchanged(z);
    if (w == 1 && p->whole->first)
        line(p->whole, x, y, spare, &z);
    else
        z = columns(p->whole, w, x, y);
    z = exchanged(z);
    for (int64_t j = 0; j < n; j++) {
        REAL wr = cr[j], wi = ci[j];
        Q(a, z, j * w);

        LOOP
        {
            REAL tr = ar[q], ti = ai[q];
            PUT(a, tr, ti, wr, wi);
        }
    }
    return z;
}

/* In x or in y. */
static Planes columns(const KFftPlan *p, int64_t w, Planes x, Planes y)
{
    int64_t m = p->n, s = w;

    for (int i = 0; i < p->nfactors; i++) {
        int r = p->factor[i];
        Planes t = x;

        m /= r;
        switch (r) {
        case 2: pass_2(m, s, p->roots[i], x, y); break;
        case 3: pass_3(m, s, p->roots[i], x, y); break;
        case 4: pass_4(m, s, p->roots[i], x, y); break;
        case 5: pass_5(m, s, p->roots[i], x, y); break;
        default: pass_any(r, m, s, p->roots[i], p->unit[i], x, y); break;
        }
        s *= r;
        x = y;
        y = t;
    }
    return x;
}

/* ---- one line, as a matrix --------------------------------------------------------- */

/* The columns of x [n, width], times turn; to y, turned if there is one. */
static void matrix_columns(const KFftPlan *p, int64_t width, Planes x, const REAL *turn,
                           int64_t total, Planes y, REAL *spare)
{
    int64_t n = p->n, wide = FFT_SPARE / 4 / n;

    wide = least(wide < FFT_LANES ? FFT_LANES : wide, width);
    for (int64_t c = 0; c < width; c += wide) {
        int64_t w = least(wide, width - c), size = n * w;
        Planes a = {spare, spare + size}, b = {spare + 2 * size, spare + 3 * size}, r;

        for (int64_t k = 0; k < n; k++) {
            memcpy(a.re + k * w, x.re + k * width + c, (size_t)w * sizeof(REAL));
            memcpy(a.im + k * w, x.im + k * width + c, (size_t)w * sizeof(REAL));
        }
        r = columns(p, w, a, b);
        for (int64_t k = 0; !turn && k < n; k++) {
            memcpy(y.re + k * width + c, r.re + k * w, (size_t)w * sizeof(REAL));
            memcpy(y.im + k * width + c, r.im + k * w, (size_t)w * sizeof(REAL));
        }
        if (!turn)
            continue;
        for (int64_t k = 0; k < n; k++) {
            const REAL *restrict tr = turn + k * width + c, *restrict ti = tr + total;
            REAL *restrict zr = r.re + k * w, *restrict zi = r.im + k * w;

            for (int64_t q = 0; q < w; q++) {
                REAL re = zr[q] * tr[q] - zi[q] * ti[q];

                zi[q] = zr[q] * ti[q] + zi[q] * tr[q];
                zr[q] = re;
            }
        }
        for (int64_t q = 0; q < w; q++)
            for (int64_t k = 0; k < n; k++) {
                y.re[(c + q) * n + k] = r.re[k * w + q];
                y.im[(c + q) * n + k] = r.im[k * w + q];
            }
    }
}

static void line(const KFftPlan *p, Planes x, Planes y, REAL *spare, Planes *out)
{
    matrix_columns(p->first, p->second->n, x, p->turn, p->n, y, spare);
    matrix_columns(p->second, p->first->n, y, NULL, p->n, x, spare);
    *out = x;
}

static Planes transform(const KFftPlan *p, int64_t w, Planes x, Planes y, REAL *spare)
{
    Planes z;

    if (p->whole)
        return bluestein(p, w, x, y, spare);
    if (w > 1 || !p->first)
        return columns(p, w, x, y);
    line(p, x, y, spare, &z);
    return z;
}

/* ---- blocks ------------------------------------------------------------------------ */

typedef struct Block {
    const KFft *f;
    int64_t w;   /* columns */
    Planes x, y; /* backwards: exchanged */
    REAL *spare;
} Block;

/* Element j of column c is at from[2 (j sn + c sc)]. */
static void take_complex(const Block *b, const REAL *from, int64_t n, int64_t sn,
                         int64_t sc)
{
    int64_t w = b->w;

    if (sc == 1 || w == 1) {
        for (int64_t j = 0; j < n; j++) {
            const REAL *restrict a = from + 2 * j * sn;
            REAL *restrict re = b->x.re + j * w, *restrict im = b->x.im + j * w;

            for (int64_t c = 0; c < w; c++) {
                re[c] = a[2 * c];
                im[c] = a[2 * c + 1];
            }
        }
        return;
    }
    for (int64_t c = 0; c < w; c++)
        for (int64_t j = 0; j < n; j++) {
            b->x.re[j * w + c] = from[2 * (j * sn + c * sc)];
            b->x.im[j * w + c] = from[2 * (j * sn + c * sc) + 1];
        }
}

static void give_complex(const Block *b, Planes z, REAL *to, int64_t n, int64_t sn,
                         int64_t sc)
{
    const REAL by = (REAL)b->f->scale;
    int64_t w = b->w;

    if (sc == 1 || w == 1) {
        for (int64_t j = 0; j < n; j++) {
            REAL *restrict a = to + 2 * j * sn;
            const REAL *restrict re = z.re + j * w, *restrict im = z.im + j * w;

            for (int64_t c = 0; c < w; c++) {
                a[2 * c] = re[c] * by;
                a[2 * c + 1] = im[c] * by;
            }
        }
        return;
    }
    for (int64_t c = 0; c < w; c++)
        for (int64_t j = 0; j < n; j++) {
            to[2 * (j * sn + c * sc)] = z.re[j * w + c] * by;
            to[2 * (j * sn + c * sc) + 1] = z.im[j * w + c] * by;
        }
}

static void run_complex(Block b, const REAL *x, REAL *y, int64_t sn, int64_t sc)
{
    int64_t n = b.f->n;
    Planes z;

    take_complex(&b, x, n, sn, sc);
    if (b.f->kind == KFFT_BACKWARD)
        z = exchanged(transform(b.f->plan, b.w, exchanged(b.x), exchanged(b.y), b.spare));
    else
        z = transform(b.f->plan, b.w, b.x, b.y, b.spare);
    give_complex(&b, z, y, n, sn, sc);
}

/* Lines of n real numbers to lines of n/2+1 complex ones. Of even n, z_j = x_2j + i x_(2j+1) has all:
 *   X_k = E + w^k O,   E = (Z_k + conj Z_(h-k)) / 2,   O = -i (Z_k - conj Z_(h-k)) / 2,   h = n/2 */
static void run_from_real(Block b, const REAL *x, REAL *y)
{
    int64_t n = b.f->n, h = n / 2, w = b.w, out = h + 1;
    const REAL *wr = b.f->half, *wi = wr ? wr + h + 1 : NULL;
    const REAL by = (REAL)b.f->scale;
    Planes z;

    for (int64_t c = 0; c < w; c++)
        for (int64_t j = 0; j < (wr ? h : n); j++) {
            b.x.re[j * w + c] = wr ? x[c * n + 2 * j] : x[c * n + j];
            b.x.im[j * w + c] = wr ? x[c * n + 2 * j + 1] : 0;
        }
    z = transform(b.f->plan, w, b.x, b.y, b.spare);
    if (!wr) {
        for (int64_t c = 0; c < w; c++)
            for (int64_t k = 0; k < out; k++) {
                y[2 * (c * out + k)] = z.re[k * w + c] * by;
                y[2 * (c * out + k) + 1] = z.im[k * w + c] * by;
            }
        return;
    }
    for (int64_t c = 0; c < w; c++)
        for (int64_t k = 0; k < out; k++) {
            int64_t i = (k == h ? 0 : k) * w + c, j = (k == 0 ? 0 : h - k) * w + c;
            REAL er = z.re[i] + z.re[j], ei = z.im[i] - z.im[j];
            REAL fr = z.im[i] + z.im[j], fi = z.re[j] - z.re[i];

            y[2 * (c * out + k)] = (er + wr[k] * fr - wi[k] * fi) * (REAL)0.5 * by;
            y[2 * (c * out + k) + 1] = (ei + wr[k] * fi + wi[k] * fr) * (REAL)0.5 * by;
        }
}

/* And back: Z_k = X_k + conj X_(h-k) + i w^-k (X_k - conj X_(h-k)), twice what it was. */
static void run_to_real(Block b, const REAL *x, REAL *y)
{
    int64_t n = b.f->n, h = n / 2, w = b.w, in = h + 1;
    const REAL *wr = b.f->half, *wi = wr ? wr + h + 1 : NULL;
    const REAL by = (REAL)b.f->scale;
    Planes z;

    for (int64_t c = 0; c < w; c++) {
        const REAL *a = x + 2 * c * in;

        for (int64_t k = 0; wr && k < h; k++) {
            REAL ar = a[2 * k], ai = k ? a[2 * k + 1] : 0, dr = a[2 * (h - k)],
                 di = k ? a[2 * (h - k) + 1] : 0;
            REAL er = ar + dr, ei = ai - di, fr = ar - dr, fi = ai + di;
            REAL gr = fr * wr[k] + fi * wi[k], gi = fi * wr[k] - fr * wi[k];

            b.x.re[k * w + c] = er - gi;
            b.x.im[k * w + c] = ei + gr;
        }
        for (int64_t k = 0; !wr && k < n; k++) {
            int64_t j = k <= h ? k : n - k;

            b.x.re[k * w + c] = a[2 * j];
            b.x.im[k * w + c] = k == 0 ? 0 : k <= h ? a[2 * j + 1] : -a[2 * j + 1];
        }
    }
    z = exchanged(transform(b.f->plan, w, exchanged(b.x), exchanged(b.y), b.spare));
    for (int64_t c = 0; c < w; c++)
        for (int64_t j = 0; j < (wr ? h : n); j++)
            if (wr) {
                y[c * n + 2 * j] = z.re[j * w + c] * by;
                y[c * n + 2 * j + 1] = z.im[j * w + c] * by;
            } else {
                y[c * n + j] = z.re[j * w + c] * by;
            }
}

typedef struct Run {
    const KFft *f;
    const REAL *x;
    REAL *y;
    char *work;
} Run;

static void run_block(const Run *r, Block b, int64_t block)
{
    const KFft *f = r->f;
    int64_t per = (f->inner + f->width - 1) / f->width, first = block * f->width, at;

    if (f->inner > 1) {
        first = block % per * f->width;
        b.w = least(f->width, f->inner - first);
        at = 2 * (block / per * f->n * f->inner + first);
        run_complex(b, r->x + at, r->y + at, f->inner, 1);
        return;
    }
    b.w = least(f->width, f->outer - first);
    if (f->kind == KFFT_FROM_REAL)
        run_from_real(b, r->x + first * f->n, r->y + 2 * first * (f->n / 2 + 1));
    else if (f->kind == KFFT_TO_REAL)
        run_to_real(b, r->x + 2 * first * (f->n / 2 + 1), r->y + first * f->n);
    else
        run_complex(b, r->x + 2 * first * f->n, r->y + 2 * first * f->n, 1, f->n);
}

static void fft_task(void *user, int i)
{
    const Run *r = user;
    const KFft *f = r->f;
    REAL *work = (REAL *)(void *)(r->work + (size_t)i * f->task_bytes);
    int64_t size = f->plan->room * f->width, each = (f->blocks + f->tasks - 1) / f->tasks;
    Block b = {f,
               f->width,
               {work, work + size},
               {work + 2 * size, work + 3 * size},
               work + 4 * size};

    for (int64_t k = i * each; k < least((i + 1) * each, f->blocks); k++)
        run_block(r, b, k);
}

static void fft_run(const KFft *f, const void *x, void *y, const KPar *par,
                    void *workspace)
{
    Run r = {f, x, y, workspace};

    if (f->outer && f->inner)
        run_tasks(par, f->tasks, fft_task, &r);
}

extern const KFftRun REAL_NAME(fft);
const KFftRun REAL_NAME(fft) = fft_run;

#if REAL_F64 && KERNEL_ISA == 0
void kfft_columns_f64(const KFftPlan *p, int64_t w, double *planes)
{
    int64_t size = p->n * w;
    Planes x = {planes, planes + size},
           z = columns(p, w, x, (Planes){planes + 2 * size, planes + 3 * size});

    if (z.re != x.re)
        memcpy(planes, z.re, (size_t)(2 * size) * sizeof *planes);
}
#endif
