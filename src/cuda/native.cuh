/* native.cuh -- kernels of the steps that are not generated: text, behind gpu.h's types.
 *
 * Arguments are structs that cuda/step.c fills; those of the same name there must agree.
 * Elements are moved as unsigned integers of their size. Each kernel is a macro of the
 * types it is for, and compiled with those when it is first needed.
 */
#define N_RANK 8

struct NMove { /* to[i..] = from[i..] by strides, in elements */
    void *to;
    const void *from;
    int64_t count;
    int64_t rank;
    int64_t dims[N_RANK], to_step[N_RANK], from_step[N_RANK];
};

/* Where element i of the array lies at both ends. */
static void n_places(const NMove &k, int64_t i, int64_t *to, int64_t *from)
{
    *to = *from = 0;
#pragma unroll
    for (int a = N_RANK - 1; a >= 0; a--) {
        if (a >= k.rank)
            continue;
        int64_t q, rest;
        wk_split(i, k.dims[a], &q, &rest);
        *to += rest * k.to_step[a];
        *from += rest * k.from_step[a];
        i = q;
    }
}

#define N_EACH(i, n)                                                                     \
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < (n);            \
         i += (int64_t)gridDim.x * blockDim.x)

template <class T> static void n_move(const NMove &k, int64_t to0, int64_t from0)
{
    N_EACH(i, k.count)
    {
        int64_t to, from;
        n_places(k, i, &to, &from);
        ((T *)k.to)[to0 + to] = ((const T *)k.from)[from0 + from];
    }
}

template <class T> static void n_copy(const NMove &k) { n_move<T>(k, 0, 0); }

/* A matrix turned, in tiles through shared memory: dims [batch.., r, c], of which the target
 * has c and the source r in neighbouring elements. */
template <class T> static void n_turn(const NMove &k)
{
    __shared__ T tile[32][33];
    const int64_t rows = k.dims[k.rank - 2], cols = k.dims[k.rank - 1];
    const int64_t across = (cols + 31) / 32, down = (rows + 31) / 32;
    const int64_t tr = k.to_step[k.rank - 2], fc = k.from_step[k.rank - 1];
    int64_t tiles = across * down;

    for (int a = 0; a < k.rank - 2; a++)
        tiles *= k.dims[a];
    for (int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        int64_t rest = t / (across * down), at = t % (across * down);
        const int64_t r0 = at / across * 32, c0 = at % across * 32;
        int64_t to = 0, from = 0;

        for (int a = (int)k.rank - 3; a >= 0; a--) {
            to += rest % k.dims[a] * k.to_step[a];
            from += rest % k.dims[a] * k.from_step[a];
            rest /= k.dims[a];
        }
        __syncthreads();
        for (int y = threadIdx.x / 32; y < 32; y += 8) { /* along r */
            const int64_t c = c0 + y, r = r0 + threadIdx.x % 32;

            if (c < cols && r < rows)
                tile[y][threadIdx.x % 32] = ((const T *)k.from)[from + r + c * fc];
        }
        __syncthreads();
        for (int y = threadIdx.x / 32; y < 32; y += 8) { /* along c */
            const int64_t r = r0 + y, c = c0 + threadIdx.x % 32;

            if (c < cols && r < rows)
                ((T *)k.to)[to + r * tr + c] = tile[threadIdx.x % 32][y];
        }
    }
}

struct NFill {
    void *to;
    const void *with;
    int64_t count;
};
template <class T> static void n_fill(const NFill &k)
{
    constexpr int v = sizeof(T) < 16 ? 16 / sizeof(T) : 1;
    T x[v];

#pragma unroll
    for (int e = 0; e < v; e++)
        x[e] = *(const T *)k.with;
    N_EACH(i, (k.count + v - 1) / v)
    {
        const int64_t left = k.count - i * v;
        wk_store(((T *)k.to) + i * v, x, left < v ? (int)left : v);
    }
}

struct NSet {
    int64_t *to;
    int64_t value;
};

/* ---- windows ------------------------------------------------------------------------- */

static int64_t n_int(const void *p, int64_t type, int64_t i)
{
    switch (type) {
    case 1: return ((const uint8_t *)p)[i];
    case 2: return ((const int8_t *)p)[i];
    case 3: return ((const int16_t *)p)[i];
    case 4: return ((const int32_t *)p)[i];
    case 5: return ((const int64_t *)p)[i];
    case 6: return ((const uint8_t *)p)[i];
    case 7: return ((const uint16_t *)p)[i];
    case 8: return ((const uint32_t *)p)[i];
    default: {
        const uint64_t x = ((const uint64_t *)p)[i];
        return x > (uint64_t)INT64_MAX ? INT64_MAX : (int64_t)x;
    }
    }
}

struct NWindow { /* m moves a window whose place in one end is computed */
    NMove m;
    int64_t starts, to_moves; /* how many; the place is in the target */
    const void *start[N_RANK];
    int64_t type[N_RANK], last[N_RANK], step[N_RANK]; /* step: elements */
};
template <class T> static void n_window(const NWindow &k)
{
    int64_t off = 0;

    for (int a = 0; a < k.starts; a++) {
        int64_t s = n_int(k.start[a], k.type[a], 0);

        s = s < 0 ? 0 : s > k.last[a] ? k.last[a] : s;
        off += s * k.step[a];
    }
    n_move<T>(k.m, k.to_moves ? off : 0, k.to_moves ? 0 : off);
}

/* ---- rows by number -------------------------------------------------------------------- */

enum { N_CLIP, N_FILL, N_DROP, N_PROMISED };

struct NIndex {
    NMove m; /* one window: result <- operand, or operand <- updates */
    const void *indices;
    int64_t mode, itype, rank, nbatch, nmap, npairs, rows;
    uint64_t fill;
    int64_t map[N_RANK], pair_axis[N_RANK], pair_batch[N_RANK];
    int64_t last[N_RANK], step[N_RANK];        /* of the operand's axes; elements */
    int64_t batch[N_RANK], batch_step[N_RANK]; /* of the result's or updates' */
};

/* Of one index vector: elements; false: it is left out. */
static bool n_find(const NIndex &k, int64_t row, int64_t *operand, int64_t *shape,
                   int64_t *start)
{
    int64_t at[N_RANK], rest = row;

    *operand = *shape = 0;
#pragma unroll
    for (int a = N_RANK - 1; a >= 0; a--) {
        start[a] = 0;
        if (a < k.nbatch) {
            int64_t q;
            wk_split(rest, k.batch[a], &q, &at[a]);
            rest = q;
            *shape += at[a] * k.batch_step[a];
        }
    }
    for (int i = 0; i < k.nmap; i++)
        start[k.map[i]] = n_int(k.indices, k.itype, row * k.nmap + i);
    for (int j = 0; j < k.npairs; j++)
        start[k.pair_axis[j]] = at[k.pair_batch[j]];
    for (int a = 0; a < k.rank; a++) {
        if (start[a] < 0 || start[a] > k.last[a]) {
            if (k.mode != N_CLIP)
                return false;
            start[a] = start[a] < 0 ? 0 : k.last[a];
        }
        *operand += start[a] * k.step[a];
    }
    return true;
}

/* As many bits of x as there are, again and again. */
template <class T> static T n_bits(uint64_t x)
{
    T y;

    for (int i = 0; i < (int)sizeof y; i += 8)
        memcpy((char *)&y + i, &x, sizeof y < 8 ? sizeof y : 8);
    return y;
}

template <class T> static void n_gather(const NIndex &k)
{
    const int64_t n = k.m.count;

    N_EACH(i, k.rows * n)
    {
        int64_t row, e, to, from, operand, shape, start[N_RANK];
        wk_split(i, n, &row, &e);
        const bool in = n_find(k, row, &operand, &shape, start);
        n_places(k.m, e, &to, &from);
        ((T *)k.m.to)[shape + to] =
            in ? ((const T *)k.m.from)[operand + from] : n_bits<T>(k.fill);
    }
}

#define N_PIECE 256 /* elements of a row that a warp moves */

/* The same of long windows: where one is, is found once for a piece. */
template <class T> static void n_gather_long(const NIndex &k)
{
    const int64_t n = k.m.count, pieces = (n + N_PIECE - 1) / N_PIECE, warps = (int64_t)gridDim.x * 8;

    for (int64_t w = (int64_t)blockIdx.x * 8 + threadIdx.x / 32; w < k.rows * pieces; w += warps) {
        int64_t row, piece, to, from, operand, shape, start[N_RANK];
        wk_split(w, pieces, &row, &piece);
        const bool in = n_find(k, row, &operand, &shape, start);
        const int64_t begin = piece * N_PIECE, end = begin + N_PIECE < n ? begin + N_PIECE : n;

        for (int64_t e = begin + threadIdx.x % 32; e < end; e += 32) {
            n_places(k.m, e, &to, &from);
            ((T *)k.m.to)[shape + to] = in ? ((const T *)k.m.from)[operand + from] : n_bits<T>(k.fill);
        }
    }
}

/* Duplicates apply in the order of the rows. Rows that go to one place are a list: head[place],
 * then next[row], in whatever order they came. The block of the row at its head sorts them and
 * does the work of all. */
struct NScatter {
    NIndex i;
    int64_t *place; /* of each row, or -1 */
    int *head;      /* of each place; -1: none */
    int *next;      /* of each row */
};

/* A window's place, counted over all there are. */
template <class T> static void n_link(const NScatter &k)
{
    N_EACH(row, k.i.rows)
    {
        int64_t start[N_RANK], operand, shape, place = 0;

        k.place[row] = -1;
        k.next[row] = -1;
        if (!n_find(k.i, row, &operand, &shape, start))
            continue;
        for (int a = 0; a < k.i.rank; a++)
            place = place * (k.i.last[a] + 1) + start[a];
        k.place[row] = place;
        k.next[row] = atomicExch(&k.head[place], (int)row);
    }
}

#define N_LIST 2048

/* The next rows of a list that are larger than `after`, at most N_LIST, in order; how many. */
static int n_rows(const NScatter &k, int first, int after, int *rows)
{
    __shared__ int count, larger;
    const int me = threadIdx.x;

    if (me == 0) {
        count = 0;
        larger = INT32_MAX; /* rows from here on must wait */
        for (int r = first; r >= 0; r = k.next[r]) {
            if (r <= after || r >= larger)
                continue;
            if (count == N_LIST) { /* full: the largest leaves */
                int most = rows[0];

                for (int j = 1; j < count; j++)
                    most = rows[j] > most ? rows[j] : most;
                larger = most;
                for (int j = 0; j < count; j++)
                    if (rows[j] == most)
                        rows[j--] = rows[--count];
                if (r >= larger)
                    continue;
            }
            rows[count++] = r;
        }
        for (int j = count; j & (j - 1) || j == 0; j++) /* to a power of two */
            rows[j] = INT32_MAX;
    }
    __syncthreads();
    int size = 1;
    while (size < count)
        size *= 2;
    for (int run = 2; run <= size; run *= 2)
        for (int step = run / 2; step; step /= 2) {
            for (int j = me; j < size; j += 256) {
                const int other = j ^ step;

                if (other > j && (rows[j] > rows[other]) == !(j & run)) {
                    const int keep = rows[j];
                    rows[j] = rows[other];
                    rows[other] = keep;
                }
            }
            __syncthreads();
        }
    return count;
}

/* All of a list by the block. */
template <class T, class F>
static void n_join_list(const NScatter &k, int64_t row, int *rows, int64_t *shapes, F join)
{
    int64_t operand, shape, start[N_RANK];
    int after = -1, n;

    n_find(k.i, row, &operand, &shape, start); /* the same place for all of them */
    do {
        int64_t unused;

        __syncthreads();
        n = n_rows(k, (int)row, after, rows);
        for (int j = threadIdx.x; j < n; j += 256) {
            n_find(k.i, rows[j], &unused, &shape, start);
            shapes[j] = shape;
        }
        __syncthreads();
        for (int64_t e = threadIdx.x; e < k.i.m.count; e += 256) {
            int64_t to, from;

            n_places(k.i.m, e, &to, &from);
            T *const y = (T *)k.i.m.to + operand + to;
            const T *const u = (const T *)k.i.m.from + from;
            T x = *y;
            for (int j = 0; j < n; j++)
                x = join(x, u[shapes[j]]);
            *y = x;
        }
        after = n ? rows[n - 1] : after;
    } while (n == N_LIST);
}

template <class T, class F> static void n_scatter(const NScatter &k, F join)
{
    __shared__ int rows[N_LIST];
    __shared__ int64_t shapes[N_LIST];

    for (int64_t row = blockIdx.x; row < k.i.rows; row += gridDim.x) {
        const int64_t place = k.place[row];

        if (place >= 0 && k.head[place] == row)
            n_join_list<T>(k, row, rows, shapes, join);
    }
}

#define N_FEW 32

/* All of a list by one thread; false: it is too long. */
template <class T, class F> static bool n_join_few(const NScatter &k, int64_t row, F join)
{
    int64_t operand, shape, start[N_RANK];
    int rows[N_FEW], n = 0;

    for (int r = (int)row; r >= 0; r = k.next[r]) { /* in order, the first at the end */
        int at = n++;

        if (n > N_FEW)
            return false;
        for (; at && rows[at - 1] < r; at--)
            rows[at] = rows[at - 1];
        rows[at] = r;
    }
    while (n--) {
        n_find(k.i, rows[n], &operand, &shape, start);
        for (int64_t e = 0; e < k.i.m.count; e++) {
            int64_t to, from;

            n_places(k.i.m, e, &to, &from);
            T *const y = (T *)k.i.m.to + operand + to;
            *y = join(*y, ((const T *)k.i.m.from)[shape + from]);
        }
    }
    return true;
}

/* Small windows: a thread for each row, which does its list, if it is the head of one; long lists are left to the block. */
template <class T, class F> static void n_scatter_few(const NScatter &k, F join)
{
    __shared__ int rows[N_LIST];
    __shared__ int64_t shapes[N_LIST];
    __shared__ int heads[256], count;
    const int me = threadIdx.x;

    for (int64_t row0 = (int64_t)blockIdx.x * 256; row0 < k.i.rows; row0 += (int64_t)gridDim.x * 256) {
        const int64_t row = row0 + me, place = row < k.i.rows ? k.place[row] : -1;

        __syncthreads();
        if (!me)
            count = 0;
        __syncthreads();
        if (place >= 0 && k.head[place] == row && !n_join_few<T>(k, row, join))
            heads[atomicAdd(&count, 1)] = (int)row;
        __syncthreads();
        for (int h = 0; h < count; h++)
            n_join_list<T>(k, heads[h], rows, shapes, join);
    }
}

/* Windows that overlap: one row after the other, by one block. */
template <class T, class F> static void n_in_order(const NIndex &k, F join)
{
    for (int64_t row = 0; row < k.rows; row++) {
        int64_t to, from, operand, shape, start[N_RANK];

        __syncthreads();
        if (!n_find(k, row, &operand, &shape, start))
            continue;
        for (int64_t e = threadIdx.x; e < k.m.count; e += 256) {
            n_places(k.m, e, &to, &from);
            T *y = (T *)k.m.to + operand + to;
            *y = join(*y, ((const T *)k.m.from)[shape + from]);
        }
    }
}

template <class T, class F> static void n_put(const NIndex &k, F join)
{
    N_EACH(i, k.rows * k.m.count)
    {
        int64_t row, e, to, from, operand, shape, start[N_RANK];
        wk_split(i, k.m.count, &row, &e);
        n_places(k.m, e, &to, &from);
        if (n_find(k, row, &operand, &shape, start)) {
            T *y = (T *)k.m.to + operand + to;
            *y = join(*y, ((const T *)k.m.from)[shape + from]);
        }
    }
}

/* ---- by size, and by type ------------------------------------------------------------- */

/* KERNEL(n_move, uint32_t, NMove): the kernel n_move<uint32_t>, called n_kernel. */
#define KERNEL(name, T, Args)                                                            \
    extern "C" __global__ void __launch_bounds__(256) n_kernel(WK_ARGS(Args) k)          \
    {                                                                                    \
        name<T>(k);                                                                      \
    }
/* SCATTER(n_scatter, NScatter, f32, float, f32, add): of elements t, joined in `kept`. */
#define SCATTER(name, Args, t, T, kept, op)                                              \
    extern "C" __global__ void __launch_bounds__(256) n_kernel(WK_ARGS(Args) k)          \
    {                                                                                    \
        name<T>(k, [](T x, T y) {                                                        \
            return s_first_##t(s_##op##_##kept(s_splat_##t(x), s_splat_##t(y)));         \
        });                                                                              \
    }
#define SCATTER_SET(name, Args, T)                                                       \
    extern "C" __global__ void __launch_bounds__(256) n_kernel(WK_ARGS(Args) k)          \
    {                                                                                    \
        name<T>(k, [](T x, T y) { return y; });                                          \
    }
#define SET                                                                              \
    extern "C" __global__ void n_kernel(WK_ARGS(NSet) k) { *k.to = k.value; }

/* ---- lines: the largest of each -------------------------------------------- */

struct NLine { /* [outer, n, inner] */
    const void *x;
    void *y;
    int64_t outer, n, inner, flag; /* flag: the largest */
};

/* Does x come before y: is it larger (smaller), or NaN where y is not? */
template <class V> static bool n_before(V x, V y, int64_t largest)
{
    return x != x ? y == y : largest ? x > y : x < y;
}
static float n_add(float x, float y) { return x + y; }
static double n_add(double x, double y) { return x + y; }
template <class V> static V n_add(V x, V y) { return (V)((uint64_t)x + (uint64_t)y); }
static double n_wide(float x) { return x; } /* running sums of floats are double */
template <class V> static V n_wide(V x) { return x; }

/* NaN comes first, then the first of the largest (smallest). A warp for each line. */
template <class T, class R, class Of> static void n_arg(const NLine &k, Of of)
{
    const int lane = threadIdx.x % 32;

    for (int64_t line = (int64_t)blockIdx.x * 8 + threadIdx.x / 32; line < k.outer * k.inner;
         line += (int64_t)gridDim.x * 8) {
        const T *x = (const T *)k.x + line / k.inner * k.n * k.inner + line % k.inner;
        int64_t best = -1;

        for (int64_t i = lane; i < k.n; i += 32)
            if (best < 0 || n_before(of(x[i * k.inner]), of(x[best * k.inner]), k.flag))
                best = i;
        for (int s = 16; s; s /= 2) {
            const int64_t other = wk_other(best, 0xffffffffu, s);

            if (other >= 0 && best >= 0) {
                const auto a = of(x[other * k.inner]), b = of(x[best * k.inner]);

                if (n_before(a, b, k.flag) || (other < best && !n_before(b, a, k.flag)))
                    best = other;
            } else if (other >= 0) {
                best = other;
            }
        }
        if (lane == 0)
            ((R *)k.y)[line] = (R)best;
    }
}

/* LINE_ARG(f32, float, int64_t) */
#define LINE_ARG(t, T, R)                                                                \
    extern "C" __global__ void __launch_bounds__(256) n_kernel(WK_ARGS(NLine) k)         \
    {                                                                                    \
        n_arg<T, R>(k, [](T x) { return s_splat_##t(x); });                              \
    }

/* ---- convolutions by any strides --------------------------------------------------------- */

/* A thread for each element of the result. */
template <class T, class W, class Z, class K, class OfX, class OfW, class To>
static void n_conv(const NConv &k, OfX of_x, OfW of_w, To to)
{
    const int64_t each = k.in_channels / k.groups, out_each = k.out_channels / k.groups;

    N_EACH(i, k.count)
    {
        int64_t p[3] = {0, 0, 0}, rest = i, out = 0;
        K sum = 0;

        for (int a = (int)k.spatial - 1; a >= 0; a--) {
            p[a] = rest % k.out_size[a];
            rest /= k.out_size[a];
            out += p[a] * k.out_step[a];
        }
        const int64_t o = rest % k.out_channels, n = rest / k.out_channels;
        const int64_t first = o / out_each * each;
        for (int64_t c = 0; c < each; c++)
            for (int64_t t0 = 0; t0 < k.w_size[0]; t0++)
                for (int64_t t1 = 0; t1 < (k.spatial > 1 ? k.w_size[1] : 1); t1++)
                    for (int64_t t2 = 0; t2 < (k.spatial > 2 ? k.w_size[2] : 1); t2++) {
                        const int64_t t[3] = {t0, t1, t2};
                        int64_t x = n * k.x_batch + (first + c) * k.x_channel,
                                w = o * k.w_out + c * k.w_in;
                        bool inside = true;

                        for (int a = 0; a < k.spatial; a++) {
                            const int64_t at = p[a] * k.stride[a] + t[a] * k.w_dil[a] - k.pad[a];

                            inside = inside && at >= 0 && at % k.x_dil[a] == 0 &&
                                     at / k.x_dil[a] < k.x_size[a];
                            x += at / k.x_dil[a] * k.x_step[a];
                            w += t[a] * k.w_step[a];
                        }
                        if (inside)
                            sum += of_x(((const T *)k.x)[x]) * of_w(((const W *)k.w)[w]);
                    }
        ((Z *)k.out)[n * k.out_batch + o * k.out_channel + out] = to(sum);
    }
}

/* CONV(bf16, uint16_t, bf16, uint16_t, float, f32, float): input, filters, sums, result */
#define CONV(t, T, u, U, K, z, Z)                                                        \
    extern "C" __global__ void __launch_bounds__(256) n_kernel(WK_ARGS(NConv) k)         \
    {                                                                                    \
        n_conv<T, U, Z, K>(                                                              \
            k, [](T x) { return (K)s_splat_##t(x); }, [](U x) { return (K)s_splat_##u(x); }, \
            [](K x) { return s_first_##z(x); });                                         \
    }
