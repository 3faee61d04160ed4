/* attention.cuh -- softmax(ops(Q K^T)) V and its gradient, of any float types, masks and strides: text,
 * behind native.cuh. kernels/attention.h says what is computed.
 *
 *   method   A block has N rows of what it makes (queries for the result and dQ, keys for dK and dV), C columns
 *            of it in registers, and walks over tiles of N rows of the others: scores of [N queries, N keys]
 *            by pieces of the depth that pass through shared memory, weights or dS of them in shared memory, then
 *            their product with what the result is made of. Nothing is added by two blocks: results are the same
 *            in every run.
 *   causal   Tiles all of whose keys are masked are left out: their weights are 0.
 */
#define N_SCORE_OPS 6
#define N_BATCH     4
#define N_PIECE     32 /* of the depth; of rows of the second factor */

enum { N_F16 = 10, N_BF16, N_F32, N_F64 }; /* wf_dtype */
enum { N_OUT, N_DQ, N_DK, N_DV };
enum { N_SCALE, N_ADD, N_KEEP, N_CAUSAL };

struct NPlane {
    void *p;
    int64_t batch[N_BATCH], row, col;
};
struct NScore {
    int64_t kind, keep_if, offset, type;
    double value;
    NPlane at;
};
struct NAttention {
    int64_t mode, queries, keys, depth, width, entries, stat_type, skip; /* skip: causal, at N_CAUSAL's offset */
    int64_t nops, nbatch, batch[N_BATCH];
    double times;
    NPlane q, k, v, out, shift, sum, dout, to;
    NScore op[N_SCORE_OPS];
};

static int64_t n_entry(const NAttention &k, const NPlane &m, int64_t index)
{
    int64_t at = 0;

    for (int a = (int)k.nbatch - 1; a >= 0; a--) {
        at += index % k.batch[a] * m.batch[a];
        index /= k.batch[a];
    }
    return at;
}

static double n_real(const void *p, int64_t type, int64_t i)
{
    switch (type) {
    case N_F16: return s_splat_f16(((const uint16_t *)p)[i]);
    case N_BF16: return s_splat_bf16(((const uint16_t *)p)[i]);
    case N_F32: return ((const float *)p)[i];
    default: return ((const double *)p)[i];
    }
}

static void n_put_real(void *p, int64_t type, int64_t i, double x)
{
    switch (type) {
    case N_F16: ((uint16_t *)p)[i] = s_first_f16((float)x); break;
    case N_BF16: ((uint16_t *)p)[i] = s_first_bf16((float)x); break;
    case N_F32: ((float *)p)[i] = (float)x; break;
    default: ((double *)p)[i] = x;
    }
}

static float n_exp(float x) { return expf(x); }
static double n_exp(double x) { return exp(x); }

/* The larger, or NaN. */
template <class K> static K n_largest(K x, K y) { return x != x || x > y ? x : y; }

/* Scores of query i and key j of product s. *factor: dS / d product, 0 where it is masked. */
template <class K>
static K n_score(const NAttention &k, const int64_t *mask, int64_t i, int64_t j, K s, K *factor)
{
    K f = 1;

#pragma unroll
    for (int n = 0; n < N_SCORE_OPS; n++) {
        if (n >= k.nops)
            break;
        const NScore &o = k.op[n];
        const int64_t at = mask[n] + i * o.at.row + j * o.at.col;
        bool masked = false;

        if (o.kind == N_SCALE) {
            s *= (K)o.value;
            f *= (K)o.value;
        } else if (o.kind == N_ADD) {
            s += (K)n_real(o.at.p, o.type, at);
        } else if (o.kind == N_KEEP) {
            masked = (((const uint8_t *)o.at.p)[at] != 0) != (o.keep_if != 0);
        } else {
            masked = j > i + o.offset;
        }
        if (masked) {
            s = (K)o.value;
            f = 0;
        }
    }
    *factor = f;
    return s;
}

/* What a block has in shared memory. */
template <class K, int N, int C> struct NTiles {
    union {
        struct {
            K x[N][N_PIECE + 1], y[N][N_PIECE + 1];
        };
        K z[N_PIECE][C + 1];
    };
    K w[N][N + 1]; /* [query, key] */
};

/* Rows row0.. of a plane, piece c0.. of their columns. */
template <class T, class K, int N, class Of>
static void n_piece(K (*to)[N_PIECE + 1], const T *p, const NPlane &m, int64_t row0, int64_t rows, int64_t c0,
                    int64_t cols, Of of)
{
    for (int e = threadIdx.x; e < N * N_PIECE; e += 256) {
        const int64_t r = row0 + e / N_PIECE, c = c0 + e % N_PIECE;

        to[e / N_PIECE][e % N_PIECE] = r < rows && c < cols ? of(p[r * m.row + c * m.col]) : K(0);
    }
}

/* s[i][j] = sum_d x[i, d] y[j, d]: thread t has rows t / 16 + 16 i and columns t % 16 + 16 j. */
template <class T, class K, int N, int C, class Of>
static void n_scores(NTiles<K, N, C> &t, const T *xp, const NPlane &x, int64_t i0, int64_t ni, const T *yp,
                     const NPlane &y, int64_t j0, int64_t nj, int64_t depth, K (&s)[N / 16][N / 16], Of of)
{
    const int r = threadIdx.x / 16, c = threadIdx.x % 16;

#pragma unroll
    for (int i = 0; i < N / 16; i++)
#pragma unroll
        for (int j = 0; j < N / 16; j++)
            s[i][j] = 0;
    __syncthreads(); /* w is free */
    for (int64_t d = 0; d < depth; d += N_PIECE) {
        __syncthreads();
        n_piece<T, K, N>(t.x, xp, x, i0, ni, d, depth, of);
        n_piece<T, K, N>(t.y, yp, y, j0, nj, d, depth, of);
        __syncthreads();
        for (int e = 0; e < N_PIECE; e++) {
            K a[N / 16], b[N / 16];
#pragma unroll
            for (int i = 0; i < N / 16; i++) {
                a[i] = t.x[r + 16 * i][e];
                b[i] = t.y[c + 16 * i][e];
            }
#pragma unroll
            for (int i = 0; i < N / 16; i++)
#pragma unroll
                for (int j = 0; j < N / 16; j++)
                    s[i][j] += a[i] * b[j];
        }
    }
}

/* sum[i][j] += sum_e w[i, e] z[e, j], or of w turned; rows z0.. of z. */
template <class T, class K, int N, int C, class Of>
static void n_weigh(NTiles<K, N, C> &t, bool turned, const T *zp, const NPlane &z, int64_t z0, int64_t nz, int64_t c0,
                    int64_t cols, K (&sum)[N / 16][C / 16], Of of)
{
    const int r = threadIdx.x / 16, c = threadIdx.x % 16;

    for (int part = 0; part < N; part += N_PIECE) {
        __syncthreads();
        for (int e = threadIdx.x; e < N_PIECE * C; e += 256) {
            const int64_t at = z0 + part + e / C, col = c0 + e % C;

            t.z[e / C][e % C] = at < nz && col < cols ? of(zp[at * z.row + col * z.col]) : K(0);
        }
        __syncthreads();
        for (int e = 0; e < N_PIECE; e++) {
            K a[N / 16], b[C / 16];
#pragma unroll
            for (int i = 0; i < N / 16; i++)
                a[i] = turned ? t.w[part + e][r + 16 * i] : t.w[r + 16 * i][part + e];
#pragma unroll
            for (int j = 0; j < C / 16; j++)
                b[j] = t.z[e][c + 16 * j];
#pragma unroll
            for (int i = 0; i < N / 16; i++)
#pragma unroll
                for (int j = 0; j < C / 16; j++)
                    sum[i][j] += a[i] * b[j];
        }
    }
}

template <class T, class K, int N, int C, class Of, class To> struct NAttend {
    const NAttention &k;
    NTiles<K, N, C> &t;
    Of of;
    To to;
    int64_t entry, c0, mask[N_SCORE_OPS];
    K sum[N / 16][C / 16]; /* of the result */

    const T *at(const NPlane &m) const { return (const T *)m.p + n_entry(k, m, entry); }
    static int row() { return threadIdx.x / 16; }
    static int col() { return threadIdx.x % 16; }

    /* Queries i0.., keys j0..: weights (and rows' largest score and sum so far). */
    void forward(int64_t i0, int64_t j0, K (&most)[N / 16], K (&total)[N / 16])
    {
        K s[N / 16][N / 16], unused;

        n_scores<T, K, N, C>(t, at(k.q), k.q, i0, k.queries, at(k.k), k.k, j0, k.keys, k.depth, s, of);
        for (int i = 0; i < N / 16; i++) {
            const int64_t query = i0 + row() + 16 * i;
            K high = -INFINITY, add = 0;

            for (int j = 0; j < N / 16; j++) {
                const int64_t key = j0 + col() + 16 * j;

                if (query < k.queries && key < k.keys)
                    high = n_largest(s[i][j] = n_score(k, mask, query, key, s[i][j], &unused), high);
            }
            for (int step = 8; step; step /= 2)
                high = n_largest(wk_other(high, 0xffffffffu, step), high);
            high = n_largest(most[i], high);
            const K shift = high - high == 0 ? high : K(0);
            const K scale = most[i] == high ? K(1) : n_exp(most[i] - shift);

            for (int j = 0; j < N / 16; j++) {
                const int64_t key = j0 + col() + 16 * j;
                const K p = query < k.queries && key < k.keys ? n_exp(s[i][j] - shift) : K(0);

                t.w[row() + 16 * i][col() + 16 * j] = p;
                add += p;
            }
            for (int step = 8; step; step /= 2)
                add += wk_other(add, 0xffffffffu, step);
            total[i] = total[i] * scale + add;
            most[i] = high;
            for (int j = 0; j < C / 16; j++)
                sum[i][j] *= scale;
        }
        n_weigh<T, K, N, C>(t, false, at(k.v), k.v, j0, k.keys, c0, k.width, sum, of);
    }

    /* rowsum(dO O) of a query */
    K delta(int64_t query) const
    {
        const T *o = at(k.out) + query * k.out.row, *d = at(k.dout) + query * k.dout.row;
        K s = 0;

        for (int64_t c = col(); c < k.width && query < k.queries; c += 16)
            s += of(o[c * k.out.col]) * of(d[c * k.dout.col]);
        for (int step = 8; step; step /= 2)
            s += wk_other(s, 0xffffffffu, step);
        return s;
    }

    /* Weights (dV), or dS. */
    void backward(int64_t i0, int64_t j0)
    {
        K s[N / 16][N / 16], d[N / 16][N / 16];

        n_scores<T, K, N, C>(t, at(k.q), k.q, i0, k.queries, at(k.k), k.k, j0, k.keys, k.depth, s, of);
        if (k.mode != N_DV)
            n_scores<T, K, N, C>(t, at(k.dout), k.dout, i0, k.queries, at(k.v), k.v, j0, k.keys, k.width, d, of);
        for (int i = 0; i < N / 16; i++) {
            const int64_t query = i0 + row() + 16 * i, stat = n_entry(k, k.shift, entry) + query * k.shift.row,
                          part = n_entry(k, k.sum, entry) + query * k.sum.row;
            const bool there = query < k.queries;
            const K shift = there ? (K)n_real(k.shift.p, k.stat_type, stat) : K(0),
                    total = there ? (K)n_real(k.sum.p, k.stat_type, part) : K(1),
                    mean = k.mode == N_DV ? K(0) : delta(query);

            for (int j = 0; j < N / 16; j++) {
                const int64_t key = j0 + col() + 16 * j;
                K p = 0, factor;

                if (there && key < k.keys) {
                    p = n_exp(n_score(k, mask, query, key, s[i][j], &factor) - shift) / total;
                    if (k.mode != N_DV)
                        p = factor == 0 ? K(0) : p * (d[i][j] - mean) * factor;
                }
                t.w[row() + 16 * i][col() + 16 * j] = p;
            }
        }
        if (k.mode == N_DQ)
            n_weigh<T, K, N, C>(t, false, at(k.k), k.k, j0, k.keys, c0, k.depth, sum, of);
        else if (k.mode == N_DK)
            n_weigh<T, K, N, C>(t, true, at(k.q), k.q, i0, k.queries, c0, k.depth, sum, of);
        else
            n_weigh<T, K, N, C>(t, true, at(k.dout), k.dout, i0, k.queries, c0, k.width, sum, of);
    }

    void store(int64_t row0, int64_t rows, int64_t cols, const K (&by)[N / 16])
    {
        T *p = (T *)k.to.p + n_entry(k, k.to, entry);

        for (int i = 0; i < N / 16; i++)
            for (int j = 0; j < C / 16; j++) {
                const int64_t r = row0 + row() + 16 * i, c = c0 + col() + 16 * j;

                if (r < rows && c < cols)
                    p[r * k.to.row + c * k.to.col] = to(k.mode == N_OUT ? sum[i][j] / by[i] : sum[i][j] * by[i]);
            }
    }

    void put_stats(int64_t i0, const K (&most)[N / 16], const K (&total)[N / 16])
    {
        for (int i = 0; i < N / 16; i++) {
            const int64_t query = i0 + row() + 16 * i;

            if (col() != 0 || c0 != 0 || query >= k.queries || !k.shift.p)
                continue;
            n_put_real(k.shift.p, k.stat_type, n_entry(k, k.shift, entry) + query * k.shift.row,
                       most[i] - most[i] == 0 ? most[i] : K(0));
            n_put_real(k.sum.p, k.stat_type, n_entry(k, k.sum, entry) + query * k.sum.row, total[i]);
        }
    }

    /* Rows row0.. of the result. */
    void run(int64_t row0)
    {
        const bool by_query = k.mode == N_OUT || k.mode == N_DQ;
        const int64_t rows = by_query ? k.queries : k.keys, others = by_query ? k.keys : k.queries,
                      cols = k.mode == N_OUT || k.mode == N_DV ? k.width : k.depth;
        int64_t from = 0, end = others;
        K most[N / 16], total[N / 16];

        for (int i = 0; i < N / 16; i++) {
            most[i] = -INFINITY;
            total[i] = 0;
            for (int j = 0; j < C / 16; j++)
                sum[i][j] = 0;
        }
#pragma unroll
        for (int n = 0; n < N_SCORE_OPS; n++) {
            const int64_t offset = k.op[n].offset;

            mask[n] = n_entry(k, k.op[n].at, entry);
            if (n != k.skip)
                continue;
            if (by_query)
                end = row0 + N + offset < others ? row0 + N + offset : others;
            else
                from = row0 > offset ? (row0 - offset) / N * N : 0;
        }
        for (int64_t other = from; other < end; other += N)
            if (k.mode == N_OUT)
                forward(row0, other, most, total);
            else
                backward(by_query ? row0 : other, by_query ? other : row0);
        if (k.mode == N_OUT) {
            store(row0, rows, cols, total);
            put_stats(row0, most, total);
        } else {
            for (int i = 0; i < N / 16; i++)
                total[i] = (K)k.times;
            store(row0, rows, cols, total);
        }
    }
};

template <class T, class K, int N, int C, class Of, class To>
static void n_attention(const NAttention &k, Of of, To to)
{
    __shared__ NTiles<K, N, C> tiles;
    const bool by_query = k.mode == N_OUT || k.mode == N_DQ;
    const int64_t down = ((by_query ? k.queries : k.keys) + N - 1) / N;
    NAttend<T, K, N, C, Of, To> a{k, tiles, of, to};

    a.c0 = (int64_t)blockIdx.y * C;
    for (int64_t i = blockIdx.x; i < down * k.entries; i += gridDim.x) {
        a.entry = i / down;
        a.run((down - 1 - i % down) * N); /* with a triangle, the longest first */
    }
}

/* ATTENTION(bf16, uint16_t, float, 64, 128): elements, what is computed with, rows of a tile, columns of a block */
#define ATTENTION(t, T, K, N, C)                                                         \
    extern "C" __global__ void __launch_bounds__(256) n_kernel(WK_ARGS(NAttention) k)    \
    {                                                                                    \
        n_attention<T, K, N, C>(                                                         \
            k, [](T x) { return (K)s_splat_##t(x); }, [](K x) { return s_first_##t(x); }); \
    }

/* ---- rows' statistics as a library has them ------------------------------------------------- */

struct NStats { /* log(sum of exp) of each row, and what the program has: [entries, queries] */
    int64_t queries, count, type, to_log, nbatch, batch[N_BATCH];
    float *log_sum;
    NPlane shift, sum;
};

/* shift + log(sum), or a shift and a sum that give it. */
#define STATS                                                                            \
    extern "C" __global__ void __launch_bounds__(256) n_kernel(WK_ARGS(NStats) k) { n_stats(k); }

static void n_stats(const NStats &k)
{
    N_EACH(i, k.count)
    {
        int64_t index = i / k.queries, shift = i % k.queries * k.shift.row, sum = i % k.queries * k.sum.row;

        for (int a = (int)k.nbatch - 1; a >= 0; a--) {
            shift += index % k.batch[a] * k.shift.batch[a];
            sum += index % k.batch[a] * k.sum.batch[a];
            index /= k.batch[a];
        }
        if (k.to_log) {
            k.log_sum[i] = (float)(n_real(k.shift.p, k.type, shift) + log(n_real(k.sum.p, k.type, sum)));
        } else {
            n_put_real(k.shift.p, k.type, shift, k.log_sum[i]);
            n_put_real(k.sum.p, k.type, sum, exp((double)k.log_sum[i] - n_real(k.shift.p, k.type, shift)));
        }
    }
}
