/* lines.cuh -- kernels of what goes along an axis, and of matrices: running sums and the like, sorting, Cholesky,
 * triangular systems; text, behind native.cuh. Arguments are structs that cuda/lines.c fills. */

/* ---- running: y[i] is x[0..i] joined ------------------------------------------------------- */

struct NScan { /* [outer, n, inner] */
    const void *x, *b;
    void *y;
    int64_t *place; /* or NULL */
    int64_t outer, n, inner, reverse;
};

/* A thread for each line. */
template <class V, class Load, class Join, class Store>
static void n_scan_lines(const NScan &k, Load load, Join join, Store store)
{
    N_EACH(line, k.outer * k.inner)
    {
        const int64_t at = line / k.inner * k.n * k.inner + line % k.inner;
        V sum;

        for (int64_t j = 0; j < k.n; j++) {
            const int64_t i = k.reverse ? k.n - 1 - j : j;
            const V v = load(at + i * k.inner, i);

            sum = j ? join(sum, v) : v;
            store(at + i * k.inner, sum);
        }
    }
}

/* A block for each line: four elements a thread, then the sums of the threads, always in the same order. */
template <class V, class Load, class Join, class Store>
static void n_scan_block(const NScan &k, Load load, Join join, Store store)
{
    __shared__ V part[256];
    const int me = threadIdx.x;

    for (int64_t line = blockIdx.x; line < k.outer * k.inner; line += gridDim.x) {
        const int64_t at = line / k.inner * k.n * k.inner + line % k.inner;
        V carry;

        for (int64_t base = 0; base < k.n; base += 1024) {
            const int64_t first = base + me * 4, left = k.n - first;
            const int m = left < 0 ? 0 : left < 4 ? (int)left : 4;
            const int64_t last = (k.n - base - 1) / 4;
            V v[4], before;

            for (int e = 0; e < m; e++) {
                const int64_t i = k.reverse ? k.n - 1 - (first + e) : first + e;

                v[e] = load(at + i * k.inner, i);
                if (e)
                    v[e] = join(v[e - 1], v[e]);
            }
            __syncthreads();
            if (m)
                part[me] = v[m - 1];
            __syncthreads();
            for (int step = 1; step < 256; step *= 2) {
                V sum;

                if (me >= step && m)
                    sum = join(part[me - step], part[me]);
                __syncthreads();
                if (me >= step && m)
                    part[me] = sum;
                __syncthreads();
            }
            if (me)
                before = base ? join(carry, part[me - 1]) : part[me - 1];
            else if (base)
                before = carry;
            for (int e = 0; e < m; e++) {
                const int64_t i = k.reverse ? k.n - 1 - (first + e) : first + e;

                store(at + i * k.inner, me || base ? join(before, v[e]) : v[e]);
            }
            const V all = part[last < 255 ? last : 255];
            carry = base ? join(carry, all) : all;
        }
    }
}

static double n_mul(double x, double y) { return x * y; }
template <class V> static V n_mul(V x, V y) { return (V)((uint64_t)x * (uint64_t)y); }
static double n_log_sum(double x, double y)
{
    const double hi = x > y ? x : y, lo = x > y ? y : x;

    if (x != x || y != y)
        return x + y;
    return isinf(hi) ? hi : hi + log1p(exp(lo - hi));
}
template <class V> struct NPair { /* y -> a y + b */
    V a, b;
};
template <class T> struct NBest {
    T x;
    int64_t at;
};

/* Of and To: from what is stored to what is computed with, and back. */
#define N_SCAN(V, load, join, store)                                                     \
    if (BLOCK)                                                                           \
        n_scan_block<V>(k, load, join, store);                                           \
    else                                                                                 \
        n_scan_lines<V>(k, load, join, store)

template <bool BLOCK, int OP, class T, class Of, class To>
static void n_cum(const NScan &k, Of of, To to)
{
    typedef decltype(n_wide(of(T()))) V;
    const auto load = [&](int64_t at, int64_t i) { return n_wide(of(((const T *)k.x)[at])); };
    const auto join = [](V x, V y) {
        return OP == 0 ? n_add(x, y) : OP == 1 ? n_mul(x, y) : (V)n_log_sum((double)x, (double)y);
    };
    const auto store = [&](int64_t at, V x) { ((T *)k.y)[at] = to(x); };

    N_SCAN(V, load, join, store);
}

template <bool BLOCK, class T, class Of, class To> static void n_recur(const NScan &k, Of of, To to)
{
    typedef decltype(n_wide(of(T()))) V;
    typedef NPair<V> P;
    const auto load = [&](int64_t at, int64_t i) {
        return P{n_wide(of(((const T *)k.x)[at])), n_wide(of(((const T *)k.b)[at]))};
    };
    const auto join = [](P x, P y) { return P{n_mul(x.a, y.a), n_add(n_mul(y.a, x.b), y.b)}; };
    const auto store = [&](int64_t at, P x) { ((T *)k.y)[at] = to(x.b); };

    N_SCAN(P, load, join, store);
}

/* The last of equals takes over, and of NaN; what is stored is the element itself. */
template <bool BLOCK, bool MOST, class T, class Of> static void n_extreme(const NScan &k, Of of)
{
    typedef NBest<T> B;
    const auto load = [&](int64_t at, int64_t i) { return B{((const T *)k.x)[at], i}; };
    const auto join = [&](B x, B y) {
        const auto a = of(x.x), b = of(y.x);

        return b != b || (a == a && (MOST ? b >= a : b <= a)) ? y : x;
    };
    const auto store = [&](int64_t at, B x) {
        ((T *)k.y)[at] = x.x;
        if (k.place)
            k.place[at] = x.at;
    };

    N_SCAN(B, load, join, store);
}

/* CUM(true, 0, f32, float, f32)   RECUR(..)   EXTREME(true, true, f32, float) */
#define CUM(block, op, t, T, kept)                                                       \
    extern "C" __global__ void __launch_bounds__(256) n_kernel(WK_ARGS(NScan) k)         \
    {                                                                                    \
        n_cum<block, op, T>(                                                             \
            k, [](T x) { return s_splat_##t(x); },                                       \
            [](auto x) { return s_first_##t((s_##kept)x); });                            \
    }
#define RECUR(block, t, T, kept)                                                         \
    extern "C" __global__ void __launch_bounds__(256) n_kernel(WK_ARGS(NScan) k)         \
    {                                                                                    \
        n_recur<block, T>(                                                               \
            k, [](T x) { return s_splat_##t(x); },                                       \
            [](auto x) { return s_first_##t((s_##kept)x); });                            \
    }
#define EXTREME(block, most, t, T)                                                       \
    extern "C" __global__ void __launch_bounds__(256) n_kernel(WK_ARGS(NScan) k)         \
    {                                                                                    \
        n_extreme<block, most, T>(k, [](T x) { return s_splat_##t(x); });                \
    }

/* ---- sorting ------------------------------------------------------------------------------ */

#define N_SORTED 8    /* most arrays */
#define N_TILE   1024 /* elements that a block sorts */
#define N_NONE   0xffffffffu

/* Lines are sorted as pairs of a key, an unsigned number of the same order, and a place in the line; equal keys by the
 * other keys, then by place, so that no two are equal. */
struct NSort {
    const void *in[N_SORTED];
    int64_t type[N_SORTED], down[N_SORTED];
    int64_t keys, lines, n, inner, nan_first, run;
    uint64_t *key, *to_key;
    uint32_t *place, *to_place;
};

static uint64_t n_order_float(uint64_t bits, uint64_t sign, uint64_t infinity, int64_t down, int64_t nan_first)
{
    const uint64_t size = bits & ~sign;

    if (size > infinity)
        return nan_first ? 0 : ~0ull;
    bits = size == 0 ? sign : bits & sign ? ~bits & (sign | (sign - 1)) : bits | sign;
    bits++; /* 0 is NaN's */
    return down ? 2 * sign - bits : bits;
}

static uint64_t n_order(const NSort &k, int64_t j, int64_t line, uint32_t place)
{
    const int64_t i = line / k.inner * k.n * k.inner + (int64_t)place * k.inner + line % k.inner;
    const void *p = k.in[j];
    const int64_t down = k.down[j];
    uint64_t x;

    switch (k.type[j]) {
    case 1: x = ((const uint8_t *)p)[i] != 0; break;
    case 2: x = (uint64_t)(int64_t)((const int8_t *)p)[i] ^ 1ull << 63; break;
    case 3: x = (uint64_t)(int64_t)((const int16_t *)p)[i] ^ 1ull << 63; break;
    case 4: x = (uint64_t)(int64_t)((const int32_t *)p)[i] ^ 1ull << 63; break;
    case 5: x = (uint64_t)((const int64_t *)p)[i] ^ 1ull << 63; break;
    case 6: x = ((const uint8_t *)p)[i]; break;
    case 7: x = ((const uint16_t *)p)[i]; break;
    case 8: x = ((const uint32_t *)p)[i]; break;
    case 9: x = ((const uint64_t *)p)[i]; break;
    case 10: return n_order_float(((const uint16_t *)p)[i], 1u << 15, 0x7c00, down, k.nan_first);
    case 11: return n_order_float(((const uint16_t *)p)[i], 1u << 15, 0x7f80, down, k.nan_first);
    case 12: return n_order_float(((const uint32_t *)p)[i], 1u << 31, 0x7f800000, down, k.nan_first);
    default:
        return n_order_float(((const uint64_t *)p)[i], 1ull << 63, 0x7ff0000000000000ull, down, k.nan_first);
    }
    return down ? ~x : x;
}

static bool n_first(const NSort &k, int64_t line, uint64_t a, uint32_t pa, uint64_t b, uint32_t pb)
{
    if (a != b)
        return a < b;
    if (pa != N_NONE && pb != N_NONE)
        for (int64_t j = 1; j < k.keys; j++) {
            const uint64_t x = n_order(k, j, line, pa), y = n_order(k, j, line, pb);

            if (x != y)
                return x < y;
        }
    return pa < pb;
}

/* Tiles of each line, by a block each. */
template <class T> static void n_sort_tiles(const NSort &k)
{
    __shared__ uint64_t key[N_TILE];
    __shared__ uint32_t place[N_TILE];
    const int64_t tiles = (k.n + N_TILE - 1) / N_TILE;
    const int me = threadIdx.x;

    for (int64_t t = blockIdx.x; t < k.lines * tiles; t += gridDim.x) {
        const int64_t line = t / tiles, first = t % tiles * N_TILE, left = k.n - first;
        const int n = left < N_TILE ? (int)left : N_TILE;
        int size = 1;

        while (size < n)
            size *= 2;
        __syncthreads();
        for (int i = me; i < size; i += 256) {
            place[i] = i < n ? (uint32_t)(first + i) : N_NONE;
            key[i] = i < n ? n_order(k, 0, line, place[i]) : ~0ull;
        }
        for (int run = 2; run <= size; run *= 2)
            for (int step = run / 2; step; step /= 2) {
                __syncthreads();
                for (int i = me; i < size / 2; i += 256) {
                    const int a = i / step * 2 * step + i % step, b = a + step;

                    if (n_first(k, line, key[b], place[b], key[a], place[a]) == !(a & run)) {
                        const uint64_t kept = key[a];
                        const uint32_t at = place[a];

                        key[a] = key[b], place[a] = place[b];
                        key[b] = kept, place[b] = at;
                    }
                }
            }
        __syncthreads();
        for (int i = me; i < n; i += 256) {
            k.to_key[line * k.n + first + i] = key[i];
            k.to_place[line * k.n + first + i] = place[i];
        }
    }
}

/* Neighbouring runs become one: each element goes as far as the other run has elements before it. */
template <class T> static void n_sort_merge(const NSort &k)
{
    N_EACH(u, k.lines * k.n)
    {
        const int64_t line = u / k.n, i = u % k.n, mine = i / k.run * k.run;
        const bool second = mine / k.run % 2;
        const int64_t other = second ? mine - k.run : mine + k.run;
        int64_t lo = other < k.n ? other : k.n, hi = lo + k.run < k.n ? lo + k.run : k.n;
        const int64_t begin = lo, row = line * k.n;
        const uint64_t key = k.key[u];
        const uint32_t place = k.place[u];

        while (lo < hi) {
            const int64_t mid = (lo + hi) / 2;

            if (n_first(k, line, k.key[row + mid], k.place[row + mid], key, place))
                lo = mid + 1;
            else
                hi = mid;
        }
        const int64_t to = row + (second ? other : mine) + (i - mine) + (lo - begin);
        k.to_key[to] = key;
        k.to_place[to] = place;
    }
}

struct NTake { /* the first `count` of each line, by place; from NULL: the places */
    const void *from;
    void *to;
    const uint32_t *place;
    int64_t lines, n, inner, count;
};
template <class T> static void n_take(const NTake &k)
{
    N_EACH(u, k.lines * k.count)
    {
        const int64_t inner = u % k.inner, i = u / k.inner % k.count, outer = u / k.inner / k.count;
        const int64_t place = k.place[(outer * k.inner + inner) * k.n + i];

        ((T *)k.to)[u] = k.from ? ((const T *)k.from)[(outer * k.n + place) * k.inner + inner] : (T)place;
    }
}

/* ---- matrices ----------------------------------------------------------------------------- */

struct NMatrix {
    const void *a, *y;
    void *x;
    int64_t count, n, m, left, lower, turned, unit;
};

/* The sum over the lanes of a warp, to all of them. */
static double n_warp_sum(double x)
{
    for (int s = 16; s; s /= 2)
        x += wk_other(x, 0xffffffffu, s);
    return x;
}

/* A block for each matrix, a column after the other, a warp for each row of it. */
template <class T> static void n_cholesky(const NMatrix &k)
{
    __shared__ int bad;
    const int me = threadIdx.x, lane = me % 32, warps = 8;
    const int64_t n = k.n;

    for (int64_t c = blockIdx.x; c < k.count; c += gridDim.x) {
        const T *const a = (const T *)k.a + c * n * n;
        T *const l = (T *)k.x + c * n * n;

        __syncthreads();
        if (!me)
            bad = 0;
        for (int64_t j = 0; j < n; j++) {
            for (int64_t i = j + me / 32; i < n; i += warps) {
                double s = 0;

                for (int64_t t = lane; t < j; t += 32)
                    s += (double)l[i * n + t] * (double)l[j * n + t];
                s = (double)a[i * n + j] - n_warp_sum(s);
                if (!lane)
                    l[i * n + j] = (T)s;
            }
            __syncthreads();
            const double d = (double)l[j * n + j], root = sqrt(d);
            __syncthreads();
            for (int64_t i = j + me; i < n; i += 256)
                l[i * n + j] = (T)(i == j ? root : (double)l[i * n + j] / root);
            for (int64_t i = j + 1 + me; i < n; i += 256)
                l[j * n + i] = 0;
            if (!me && !(d > 0))
                bad = 1;
            __syncthreads();
        }
        for (int64_t i = me; bad && i < n * n; i += 256)
            if (i % n <= i / n)
                l[i] = (T)NAN;
    }
}

/* A warp for each column of the right side. turned: rows and columns of A change places, which the kind of system and
 * op(A) come down to; lower: of A as it is then. */
template <class T> static void n_solve(const NMatrix &k)
{
    const int lane = threadIdx.x % 32;
    const int64_t n = k.n, m = k.m;

    for (int64_t u = (int64_t)blockIdx.x * 8 + threadIdx.x / 32; u < k.count * m; u += (int64_t)gridDim.x * 8) {
        const int64_t c = u / m, col = u % m;
        const T *const a = (const T *)k.a + c * n * n;
        const int64_t step = k.left ? m : 1, first = c * n * m + (k.left ? col : col * n);
        const T *const y = (const T *)k.y + first;
        T *const x = (T *)k.x + first;
        const int64_t row = k.turned ? 1 : n, across = k.turned ? n : 1;

        for (int64_t s = 0; s < n; s++) {
            const int64_t i = k.lower ? s : n - 1 - s;
            double sum = 0;

            for (int64_t t = lane; t < s; t += 32) {
                const int64_t j = k.lower ? t : n - 1 - t;

                sum += (double)a[i * row + j * across] * (double)x[j * step];
            }
            sum = (double)y[i * step] - n_warp_sum(sum);
            if (!lane)
                x[i * step] = (T)(k.unit ? sum : sum / (double)a[i * row + i * across]);
            __syncwarp();
        }
    }
}
