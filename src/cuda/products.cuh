/* products.cuh -- products that are not the library's: text, behind native.cuh. Arguments are NDot, which cuda/dot.c fills.
 *
 *   n_dot    any strides; tiles of 16 x 16
 *   n_thin   few columns, a long sum: a block for a few rows, its threads share the sum
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

enum { N_B_ROWS = 1, N_B_TURNED }; /* four rows of b are whole pieces of 16 bytes; its columns have no gaps; 0: however it likes */

/* y[q * N + c] = b[j + q, c], four rows of b. Rows of all the warp's threads, G groups of four, come through shared memory, so that threads
 * side by side load what lies side by side; groups are an odd number of pieces apart there. */
template <int FORM, int G, int N, class T> VINLINE void n_rows_of_b(T (&y)[4 * N], const NDot &k, int64_t j, int group, uint4 *stage)
{
    constexpr int pieces = 4 * N * sizeof(T) / 16, apart = pieces | 1;
    const T *b = (const T *)k.b;

    if (FORM == N_B_ROWS) {
        const uint4 *from = (const uint4 *)(b + (j - 4 * group) * N);

        __syncwarp();
#pragma unroll
        for (int p = threadIdx.x % 32; p < G * pieces; p += 32)
            stage[p / pieces * apart + p % pieces] = from[p];
        __syncwarp();
        memcpy(y, stage + group * apart, sizeof y);
    }
#pragma unroll
    for (int c = 0; c < (FORM == N_B_ROWS ? 0 : N); c++) {
        T part[4];

        if (FORM == N_B_TURNED)
            wk_take(part, b + j + c * k.b_col);
#pragma unroll
        for (int q = 0; q < 4; q++)
            y[q * N + c] = FORM == N_B_TURNED ? part[q] : b[(j + q) * k.b_row + c * k.b_col];
    }
}

/* sum[i * N + c] += sum over l < 4 of a[row + i, j + l] b[j + l, c], for four rows. All are there, and those of a (TURNED: four rows lie
 * together, else four terms) and of b can be loaded at once. */
template <bool TURNED, int FORM, int N, class T, class K, class Of>
VINLINE void n_tile(K (&sum)[4 * N], const NDot &k, int64_t row, int64_t j, int group, uint4 *stage, Of of)
{
    const T *a = (const T *)k.a + row * k.a_row + j * k.a_col;
    T x[4][4], y[4 * N];

#pragma unroll
    for (int q = 0; q < 4; q++)
        wk_take(x[q], a + q * (TURNED ? k.a_col : k.a_row));
    n_rows_of_b<FORM, TURNED ? 8 : 32, N>(y, k, j, group, stage);
#pragma unroll
    for (int l = 0; l < 4; l++)
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int c = 0; c < N; c++)
                sum[i * N + c] += of(TURNED ? x[l][i] : x[i][l]) * of(y[l * N + c]);
}

/* The same for one term, and as many rows as are left. */
template <int N, class T, class K, class Of>
VINLINE void n_term(K (&sum)[4 * N], const NDot &k, int64_t row, int rows, int64_t l, Of of)
{
    K x[4];

#pragma unroll
    for (int i = 0; i < 4; i++)
        x[i] = i < rows ? of(((const T *)k.a)[(row + i) * k.a_row + l * k.a_col]) : 0;
#pragma unroll
    for (int c = 0; c < N; c++) {
        const K y = of(((const T *)k.b)[l * k.b_row + c * k.b_col]);

#pragma unroll
        for (int i = 0; i < 4; i++)
            sum[i * N + c] += x[i] * y;
    }
}

/* Of 2 H values those of the lane's own half, each with what the lane at `bit` from here has of it. */
template <int H, class K> VINLINE void n_halve(K *v, int bit)
{
    const bool upper = threadIdx.x & bit;

#pragma unroll
    for (int i = 0; i < H; i++) {
        const K other = wk_other(upper ? v[i] : v[i + H], 0xffffffffu, bit);

        v[i] = (upper ? v[i + H] : v[i]) + other;
    }
}

/* A thread has four rows, all columns and a share of the terms. Where rows lie together, four threads are side by side along them. */
template <int WARPS, bool TURNED, int FORM, int N, class T, class K, class Z, class Of, class To>
static void n_thin(const NDot &k, Of of, To to)
{
    constexpr int across = TURNED ? 4 : 1, height = 4 * across, groups = 32 / across, parts = WARPS * groups;
    constexpr int staged = FORM == N_B_ROWS ? groups * (4 * N * sizeof(T) / 16 | 1) : 0, kept = 32 * N * sizeof(K) / 16;
    __shared__ uint4 room[WARPS][staged > kept ? staged : kept]; /* of each warp: rows of b, later its sums */
    const int t = threadIdx.x, mine = t / across, group = t % 32 / across;
    const bool even = ((uintptr_t)k.a | (FORM ? (uintptr_t)k.b : 0)) % 16 == 0 && (TURNED ? k.a_col : k.a_row) % 4 == 0 &&
                      (FORM != N_B_TURNED || k.b_col % 4 == 0) && k.m % height == 0;

    for (int64_t row0 = (int64_t)blockIdx.x * height; row0 < k.m; row0 += (int64_t)gridDim.x * height) {
        const int64_t row = row0 + 4 * (t % across);
        const int rows = n_left(k.m - row, 4);
        K sum[4 * N] = {};
        int64_t j = 4 * mine;

        if (even) /* as long as all terms of the warp are there */
#pragma unroll 1
            for (; j + 4 * (groups - group) <= k.k; j += 4 * parts)
                n_tile<TURNED, FORM, N, T>(sum, k, row, j, group, room[t / 32], of);
#pragma unroll 1
        for (; j < k.k; j += 4 * parts)
#pragma unroll 1
            for (int64_t l = j; l < j + 4 && l < k.k; l++)
                n_term<N, T>(sum, k, row, rows, l, of);
        n_halve<2 * N>(sum, 16);
        n_halve<N>(sum, 8); /* now a lane has one row, by these two bits */
        __syncwarp();
#pragma unroll
        for (int c = 0; c < N; c++)
            ((K *)room[t / 32])[t % 32 * N + c] = sum[c];
        __syncthreads();
        for (int o = t; o < n_left(k.m - row0, height) * N; o += WARPS * 32) {
            const int r = o / N, c = o % N, from = r % 4 * 8 + r / 4;
            K all = 0;

#pragma unroll 8
            for (int p = 0; p < parts / 4; p++)
                all += ((const K *)room[p / (groups / 4)])[(from + p % (groups / 4) * across) * N + c];
            ((Z *)k.c)[(row0 + r) * k.c_row + c * k.c_col] = to(all);
        }
        __syncthreads();
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

/* DOT_FLAT(16, bf16, uint16_t, float, f32, float): so many terms; DOT_THIN(8, true, N_B_ROWS, 20, ..): so many warps and columns. */
#define DOT_FLAT(n, t, T, K, z, Z)                                                       \
    extern "C" __global__ void __launch_bounds__(256) n_kernel(WK_ARGS(NDot) k)          \
    {                                                                                    \
        n_flat<n, T, K, Z>(                                                              \
            k, [](T x) { return (K)s_splat_##t(x); }, [](K x) { return s_first_##z(x); }); \
    }
#define DOT_THIN(warps, turned, form, n, t, T, K, z, Z)                                  \
    extern "C" __global__ void __launch_bounds__((warps) * 32) n_kernel(WK_ARGS(NDot) k) \
    {                                                                                    \
        n_thin<warps, turned, form, n, T, K, Z>(                                         \
            k, [](T x) { return (K)s_splat_##t(x); }, [](K x) { return s_first_##z(x); }); \
    }
