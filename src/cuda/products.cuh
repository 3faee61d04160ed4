/* products.cuh -- products that are not the library's: text, behind native.cuh. Arguments are NDot, which cuda/dot.c fills.
 *
 *   n_dot    any strides; tiles of 16 x 16
 *   n_thin   few columns, a long sum: a block for four rows, its warps share the sum, a lane for each column
 *   n_flat   a short sum: all of it in shared memory, a thread for 4 x 4 elements
 *
 * Each sums in an order of its own that is the same in every run.
 */

struct NDot { /* c[i,j] = sum_l a[i,l] b[l,j] */
    const void *a, *b;
    void *c;
    int64_t m, n, k, a_row, a_col, b_row, b_col, c_row, c_col, turned; /* turned: a and b have changed places */
};

static int n_left(int64_t n, int most) { return n >= most ? most : n > 0 ? (int)n : 0; }

/* DOT(n_dot, bf16, uint16_t, float, f32, float): operands t, sums in K, a result z. */
#define DOT(name, t, T, K, z, Z)                                                         \
    extern "C" __global__ void __launch_bounds__(256) n_kernel(WK_ARGS(NDot) k)          \
    {                                                                                    \
        name<T, K, Z>(                                                                   \
            k, [](T x) { return (K)s_splat_##t(x); }, [](K x) { return s_first_##z(x); }); \
    }

template <class T, class K, class Z, class Of, class To>
static void n_dot(const NDot &k, Of of, To to)
{
    __shared__ K x[16][17], y[16][17];
    const int r = threadIdx.x / 16, c = threadIdx.x % 16;
    const int64_t col = (int64_t)blockIdx.x * 16 + c;

    for (int64_t row0 = (int64_t)blockIdx.y * 16; row0 < k.m; row0 += (int64_t)gridDim.y * 16) {
        const int64_t row = row0 + r;
        K sum = 0;

        for (int64_t j = 0; j < k.k; j += 16) {
            __syncthreads();
            x[r][c] = row < k.m && j + c < k.k
                          ? of(((const T *)k.a)[row * k.a_row + (j + c) * k.a_col])
                          : 0;
            y[r][c] = j + r < k.k && col < k.n
                          ? of(((const T *)k.b)[(j + r) * k.b_row + col * k.b_col])
                          : 0;
            __syncthreads();
            for (int i = 0; i < 16; i++)
                sum += x[r][i] * y[i][c];
        }
        if (row < k.m && col < k.n)
            ((Z *)k.c)[row * k.c_row + col * k.c_col] = to(sum);
    }
}

/* ---- few columns ------------------------------------------------------------------------- */

#define N_THIN_WARPS 16 /* what a warp waits for is more than what it does */

/* sum[i] += sum over l < 4 of a[row0 + i, j + l] b[j + l, c]. Four pieces of a are loaded, of terms or, where it is the rows that lie
 * together, of rows; WHOLE: all of them are there, and lie as they can be loaded at once, without a question that would keep
 * the loads of the next turns waiting. */
template <bool WHOLE, class T, class K, class Of>
VINLINE void n_tile(K (&sum)[4], const NDot &k, const T *b, int64_t row0, int64_t j, int rows, int left, Of of)
{
    const bool turned = k.a_col != 1;
    const int64_t step = turned ? k.a_col : k.a_row;
    const T *a = (const T *)k.a + row0 * k.a_row + j * k.a_col;
    T x[4][4], y[4];

#pragma unroll
    for (int q = 0; q < 4; q++) {
        if (WHOLE)
            wk_take(x[q], a + q * step);
        else
            wk_load(x[q], a + q * step, turned ? (q < left ? rows : 0) : q < rows ? left : 0);
        y[q] = WHOLE || q < left ? b[(j + q) * k.b_row] : T();
    }
#pragma unroll
    for (int l = 0; l < 4; l++)
#pragma unroll
        for (int i = 0; i < 4; i++)
            sum[i] += (turned ? of(x[l][i]) : of(x[i][l])) * of(y[l]);
}

template <int N, class T, class K, class Z, class Of, class To>
static void n_thin(const NDot &k, Of of, To to)
{
    constexpr int groups = 32 / N < 4 ? 32 / N : 4, parts = N_THIN_WARPS * groups;
    __shared__ K part[parts][4][N];
    const int lane = threadIdx.x % 32, group = lane / N, c = lane % N;
    const int mine = threadIdx.x / 32 * groups + group;
    const T *b = (const T *)k.b + c * k.b_col;
    const bool even = (uintptr_t)k.a % (4 * sizeof(T)) == 0 && (k.a_col == 1 ? k.a_row : k.a_col) % 4 == 0;

    for (int64_t row0 = (int64_t)blockIdx.x * 4; row0 < k.m; row0 += (int64_t)gridDim.x * 4) {
        const int rows = n_left(k.m - row0, 4);
        K sum[4] = {0, 0, 0, 0};
        int64_t j = 4 * mine;

        __syncthreads();
        if (group < groups) {
            if (even && rows == 4)
#pragma unroll 4
                for (; j + 4 <= k.k; j += 4 * parts)
                    n_tile<true>(sum, k, b, row0, j, 4, 4, of);
#pragma unroll 1
            for (; j < k.k; j += 4 * parts)
                n_tile<false>(sum, k, b, row0, j, rows, n_left(k.k - j, 4), of);
#pragma unroll
            for (int i = 0; i < 4; i++)
                part[mine][i][c] = sum[i];
        }
        __syncthreads();
        for (int t = threadIdx.x; t < rows * N; t += N_THIN_WARPS * 32) {
            K all = 0;

#pragma unroll 8
            for (int p = 0; p < parts; p++)
                all += part[p][t / N][t % N];
            ((Z *)k.c)[(row0 + t / N) * k.c_row + t % N * k.c_col] = to(all);
        }
    }
}

/* ---- a short sum -------------------------------------------------------------------------- */

#define N_FLAT_ROWS 16
#define N_FLAT_COLS 256

template <int L, class T, class K, class Z, class Of, class To>
static void n_flat(const NDot &k, Of of, To to)
{
    __shared__ K x[N_FLAT_ROWS][L];
    alignas(16) __shared__ K y[L][N_FLAT_COLS];
    const int64_t col0 = (int64_t)blockIdx.x * N_FLAT_COLS;
    const int cols = n_left(k.n - col0, N_FLAT_COLS), c = 4 * (threadIdx.x % 64), r = 4 * (threadIdx.x / 64);
    const bool turned = k.b_row == 1;

    for (int t = threadIdx.x; t < L * N_FLAT_COLS; t += 256) {
        const int j = turned ? t % L : t / N_FLAT_COLS, e = turned ? t / L : t % N_FLAT_COLS;

        y[j][e] = e < cols ? of(((const T *)k.b)[j * k.b_row + (col0 + e) * k.b_col]) : 0;
    }
    for (int64_t row0 = (int64_t)blockIdx.y * N_FLAT_ROWS; row0 < k.m; row0 += (int64_t)gridDim.y * N_FLAT_ROWS) {
        const int rows = n_left(k.m - row0, N_FLAT_ROWS);

        __syncthreads();
        for (int t = threadIdx.x; t < N_FLAT_ROWS * L; t += 256)
            x[t / L][t % L] = t / L < rows ? of(((const T *)k.a)[(row0 + t / L) * k.a_row + t % L * k.a_col]) : 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 4; i++) {
            K sum[4] = {0, 0, 0, 0};
            Z out[4];

#pragma unroll
            for (int j = 0; j < L; j++)
#pragma unroll
                for (int e = 0; e < 4; e++)
                    sum[e] += x[r + i][j] * y[j][c + e];
#pragma unroll
            for (int e = 0; e < 4; e++)
                out[e] = to(sum[e]);
            if (r + i < rows)
                wk_store((Z *)k.c + (row0 + r + i) * k.c_row + col0 + c, out, n_left(cols - c, 4));
        }
    }
}

/* DOT_OF(n_thin, 20, bf16, uint16_t, float, f32, float): so many columns, or terms of a sum. */
#define DOT_OF(name, n, t, T, K, z, Z)                                                   \
    extern "C" __global__ void __launch_bounds__(N_THIN_WARPS * 32) n_kernel(WK_ARGS(NDot) k) \
    {                                                                                    \
        name<n, T, K, Z>(                                                                \
            k, [](T x) { return (K)s_splat_##t(x); }, [](K x) { return s_first_##z(x); }); \
    }
