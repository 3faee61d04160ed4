/* ffts.cuh -- Fourier transforms along one axis, a pass for each factor of its length (Stockham's, as kernels/fft.h
 * has it: in order at the end); text, behind native.cuh. Roots of unity are computed in double. */
struct NFft { /* of lines in [outer, n, inner] */
    const void *x;
    void *y;
    int64_t outer, n, inner;
    int64_t x_n, y_n;    /* elements of a line there: n/2+1 of a half */
    int64_t left, done;  /* n = left * done: what the passes before have not, and have, taken apart */
    int64_t r;           /* factor of this pass */
    int64_t back;
    double scale;        /* of results */
};
enum { N_COMPLEX, N_REAL, N_HALF }; /* what an end of the transform holds; half: the rest is its mirror */

template <class T> struct NComplex {
    T re, im;
};
template <class T> static NComplex<T> operator+(NComplex<T> a, NComplex<T> b) { return {a.re + b.re, a.im + b.im}; }
template <class T> static NComplex<T> operator*(NComplex<T> a, NComplex<T> b)
{
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* e^(-+ 2 pi i k/n), 0 <= k < n */
template <class T> static NComplex<T> n_root(int64_t k, int64_t n, bool back)
{
    double re, im;

    sincospi(2.0 * (double)(2 * k > n ? k - n : k) / (double)n, &im, &re);
    return {(T)re, (T)(back ? im : -im)};
}

template <class T, int KIND> static NComplex<T> n_take(const NFft &k, int64_t o, int64_t e, int64_t i)
{
    const bool mirrored = KIND == N_HALF && e > k.n / 2;
    const int64_t at = (o * k.x_n + (mirrored ? k.n - e : e)) * k.inner + i;

    if (KIND == N_REAL)
        return {((const T *)k.x)[at], 0};
    NComplex<T> z = ((const NComplex<T> *)k.x)[at];
    if (KIND == N_HALF)
        z.im = e == 0 || 2 * e == k.n ? 0 : mirrored ? -z.im : z.im;
    return z;
}

template <class T, int KIND> static void n_give(const NFft &k, int64_t o, int64_t e, int64_t i, NComplex<T> z)
{
    const int64_t at = (o * k.y_n + e) * k.inner + i;

    if (KIND == N_REAL)
        ((T *)k.y)[at] = z.re * (T)k.scale;
    else if (KIND == N_COMPLEX || e < k.y_n)
        ((NComplex<T> *)k.y)[at] = {z.re * (T)k.scale, z.im * (T)k.scale};
}

/* Of R factors a thread has all results, of any other number (R is 0) one. */
template <class T, int FROM, int TO, int R> static void n_fft(const NFft &k)
{
    const int64_t r = R ? R : k.r, parts = k.n / r, each = R ? 1 : r;

    N_EACH(t, k.outer * parts * each * k.inner)
    {
        const int64_t i = t % k.inner, b = t / k.inner % parts, j0 = R ? 0 : t / k.inner / parts % r,
                      o = t / k.inner / parts / each, q = b % k.done, p = b / k.done;
        NComplex<T> x[R ? R : 1], w[R ? R : 1];

#pragma unroll
        for (int c = 0; c < R; c++) {
            x[c] = n_take<T, FROM>(k, o, q + k.done * (p + k.left / r * c), i);
            w[c] = n_root<T>(c, R, k.back);
        }
#pragma unroll
        for (int j = 0; j < (R ? R : 1); j++) {
            NComplex<T> sum = {0, 0};

            if (R) {
#pragma unroll
                for (int c = 0; c < R; c++)
                    sum = sum + x[c] * w[j * c % (R ? R : 1)];
            } else {
                for (int64_t c = 0; c < r; c++)
                    sum = sum + n_take<T, FROM>(k, o, q + k.done * (p + k.left / r * c), i) *
                                    n_root<T>(j0 * c % r, r, k.back);
            }
            n_give<T, TO>(k, o, q + k.done * (r * p + j0 + j), i, sum * n_root<T>(p * (j0 + j) % k.left, k.left, k.back));
        }
    }
}

/* FFT(float, N_REAL, N_HALF, 4) */
#define FFT(T, from, to, R)                                                              \
    extern "C" __global__ void __launch_bounds__(256) n_kernel(WK_ARGS(NFft) k)          \
    {                                                                                    \
        n_fft<T, from, to, R>(k);                                                        \
    }
