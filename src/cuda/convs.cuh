/* convs.cuh -- convolutions of few channels, and the gradient of their filters; text, behind native.cuh.
 *
 * Libraries cut such convolutions into tiles that are mostly empty. Here arithmetic is in f32, and
 * memory is what they take time for.
 */

struct alignas(16) NFour { /* in one access */
    float v[4];
};

/* ---- V results of a pixel a thread, filters in shared memory ------------------------------- */

#define FEW_FILTERS 2048

/* What a tap adds to a pixel: its place, and the offset of the input there. */
struct alignas(16) NTap {
    int y[3], at;
};

/* Tap t of axes of these sizes; coordinates have a factor. */
static NTap n_tap(int t, int spatial, const int64_t *sizes, const int64_t *by, const int64_t *steps)
{
    NTap n = {{0, 0, 0}, 0};

    for (int a = 2; a >= 0; a--)
        if (a < spatial) {
            n.y[a] = t % (int)sizes[a] * (int)by[a];
            t /= (int)sizes[a];
            n.at += n.y[a] * (int)steps[a];
        }
    return n;
}

/* Is it inside the input? Axes that are not there have size 1. */
static bool n_meets(const NTap &pixel, const NTap &tap, const int *size)
{
    const unsigned y0 = pixel.y[0] + tap.y[0], y1 = pixel.y[1] + tap.y[1], y2 = pixel.y[2] + tap.y[2];

    return y0 < (unsigned)size[0] && y1 < (unsigned)size[1] && y2 < (unsigned)size[2];
}

/* C neighbouring channels of the input at a time. */
template <int V, int C> static void n_conv_few(const NConv &k)
{
    __shared__ NFour fours[FEW_FILTERS / 4];
    __shared__ NTap tap[FEW_FILTERS / 4];
    float *const w = fours[0].v; /* [taps, in channels, out channels] */
    const int in = (int)k.in_channels, out = (int)k.out_channels, groups = out / V;
    const int size[3] = {(int)k.x_size[0], k.spatial > 1 ? (int)k.x_size[1] : 1,
                         k.spatial > 2 ? (int)k.x_size[2] : 1};
    int taps = 1;

    for (int a = 0; a < k.spatial; a++)
        taps *= (int)k.w_size[a];
    for (int t = threadIdx.x; t < taps; t += 256)
        tap[t] = n_tap(t, (int)k.spatial, k.w_size, k.w_dil, k.x_step);
    for (int i = threadIdx.x; i < taps * in * out; i += 256) {
        const int o = i % out, c = i / out % in;
        const int64_t one[3] = {1, 1, 1};

        w[i] = ((const float *)k.w)[o * k.w_out + c * k.w_in +
                                    n_tap(i / out / in, (int)k.spatial, k.w_size, one, k.w_step).at];
    }
    __syncthreads();
    N_EACH(i, k.count / V)
    {
        int rest = (int)i / groups, to;
        const int o = ((int)i - rest * groups) * V;
        NTap pixel = {{0, 0, 0}, 0};
        float sum[V];

        to = o;
#pragma unroll
        for (int a = 2; a >= 0; a--)
            if (a < k.spatial) {
                int q, p;

                wk_split(rest, (int)k.out_size[a], &q, &p);
                to += p * (int)k.out_step[a];
                pixel.y[a] = p * (int)k.stride[a] - (int)k.pad[a];
                pixel.at += pixel.y[a] * (int)k.x_step[a];
                rest = q;
            }
        to += rest * (int)k.out_batch;
        pixel.at += rest * (int)k.x_batch;
#pragma unroll
        for (int e = 0; e < V; e++)
            sum[e] = 0;
#pragma unroll 3
        for (int t = 0; t < taps; t++) {
            const NTap n = tap[t];
            const float *const x = (const float *)k.x + (pixel.at + n.at);
            const bool inside = n_meets(pixel, n, size);

            for (int z = 0; z < in; z += C) {
                float v[C] = {};

                if (inside)
                    wk_load(v, x + z, C);
#pragma unroll
                for (int j = 0; j < C; j++) {
                    const NFour *const f = (const NFour *)(w + (t * in + z + j) * out + o);

#pragma unroll
                    for (int e = 0; e < V; e++)
                        sum[e] += v[j] * f[e / 4].v[e % 4];
                }
            }
        }
        wk_store((float *)k.out + to, sum, V);
    }
}

#define CONV_FEW(V, C)                                                                   \
    extern "C" __global__ void __launch_bounds__(256) n_kernel(WK_ARGS(NConv) k)         \
    {                                                                                    \
        n_conv_few<V, C>(k);                                                             \
    }

/* ---- the gradient of filters ---------------------------------------------------------------
 *
 *   out[c, o, t] = sum over images n and pixels q of  x[n, c, q w_dil + t stride - pad] w[n, o, q]
 *
 * As NConv has it: c is the batch, n the input's channels, w the gradient of the result. A matrix [c t, o] as
 * a sum over pixels: every block takes its part of them, a piece at a time, in shared memory;
 * threads have 4 x 4 elements, and where these are few, groups of threads take turns with the pixels.
 */
#define FILTER_ROOM 9216 /* floats of a piece */
#define FILTER_PIECE 64  /* most pixels */

struct NFilters {
    NConv c;
    float *part; /* [blocks, rows * cols] */
    int64_t pixels, rows, cols, piece, blocks;
};

/* The least power of two that is n or more. */
static int n_power(int n)
{
    int p = 1;

    while (p < n)
        p *= 2;
    return p;
}

/* C neighbouring channels at a time, and O of the gradient. */
template <int C, int O> static void n_filters(const NFilters &k)
{
    __shared__ NFour fours[FILTER_ROOM / 4];
    __shared__ NTap pixel[FILTER_PIECE];
    __shared__ int w_at[FILTER_PIECE];
    const NConv &c = k.c;
    const int me = threadIdx.x, rows = (int)k.rows, cols = (int)k.cols, batch = (int)c.batch;
    const int mt = (rows + 3) / 4, nt = (cols + 3) / 4, tiles = mt * nt, groups = 256 / tiles;
    const int group = me / tiles, m0 = me % tiles / nt * 4, n0 = me % tiles % nt * 4;
    const int xw = mt * 4, ww = nt * 4, piece = (int)k.piece;
    /* who loads what: pixels x_first, x_first + x_step .. of row r; the same of columns o on */
    const int across = n_power(rows / C), r = me % across * C, x_first = me / across, x_step = 256 / across;
    const int w_across = n_power(cols / O), o = me % w_across * O, w_first = me / w_across,
              w_step = 256 / w_across;
    const int size[3] = {(int)c.x_size[0], c.spatial > 1 ? (int)c.x_size[1] : 1,
                         c.spatial > 2 ? (int)c.x_size[2] : 1};
    float *const room = fours[0].v, *const xs = room, *const ws = room + piece * xw;
    NTap tap = n_tap(r / batch, (int)c.spatial, c.out_size, c.stride, c.x_step);
    float sum[4][4] = {};
    int64_t begin, end;

    tap.at += r % batch * (int)c.x_batch;
    for (int i = me; i < piece * (xw + ww); i += 256)
        room[i] = 0;
    wk_part((k.pixels + piece - 1) / piece, k.blocks, blockIdx.x, &begin, &end);
    for (int64_t at = begin; at < end; at++) {
        const int n = (int)(k.pixels - at * piece < piece ? k.pixels - at * piece : piece);

        __syncthreads();
        if (me < n) {
            int rest = (int)(at * piece) + me, from = 0;
            NTap p = {{0, 0, 0}, 0};

#pragma unroll
            for (int a = 2; a >= 0; a--)
                if (a < c.spatial) {
                    int q, y;

                    wk_split(rest, (int)c.w_size[a], &q, &y);
                    rest = q;
                    p.y[a] = y * (int)c.w_dil[a] - (int)c.pad[a];
                    p.at += p.y[a] * (int)c.x_step[a];
                    from += y * (int)c.w_step[a];
                }
            p.at += rest * (int)c.x_channel;
            pixel[me] = p;
            w_at[me] = from + rest * (int)c.w_in;
        }
        __syncthreads();
        if (r < rows)
            for (int p = x_first; p < n; p += x_step) {
                const NTap from = pixel[p];
                float v[C] = {};

                if (n_meets(from, tap, size))
                    wk_load(v, (const float *)c.x + (from.at + tap.at), C);
                wk_store(xs + p * xw + r, v, C);
            }
        if (o < cols)
            for (int p = w_first; p < n; p += w_step) {
                float v[O];

                wk_load(v, (const float *)c.w + (w_at[p] + o), O);
                wk_store(ws + p * ww + o, v, O);
            }
        __syncthreads();
        if (group < groups)
#pragma unroll 2
            for (int p = group; p < n; p += groups) {
                const NFour a = *(const NFour *)(xs + p * xw + m0), b = *(const NFour *)(ws + p * ww + n0);

#pragma unroll
                for (int i = 0; i < 4; i++)
#pragma unroll
                    for (int j = 0; j < 4; j++)
                        sum[i][j] += a.v[i] * b.v[j];
            }
    }
    for (int g = 1; g < groups; g++) { /* in the order of the groups */
        __syncthreads();
        if (group == g)
#pragma unroll
            for (int i = 0; i < 16; i++)
                room[me % tiles * 16 + i] = sum[i / 4][i % 4];
        __syncthreads();
        if (group == 0)
#pragma unroll
            for (int i = 0; i < 16; i++)
                sum[i / 4][i % 4] += room[me * 16 + i];
    }
    if (group == 0)
#pragma unroll
        for (int i = 0; i < 16; i++)
            if (m0 + i / 4 < rows && n0 + i % 4 < cols)
                k.part[blockIdx.x * k.rows * k.cols + (m0 + i / 4) * k.cols + n0 + i % 4] = sum[i / 4][i % 4];
}

#define FILTERS(C, O)                                                                    \
    extern "C" __global__ void __launch_bounds__(256) n_kernel(WK_ARGS(NFilters) k)      \
    {                                                                                    \
        n_filters<C, O>(k);                                                              \
    }

/* The parts of all blocks: 32 elements of the result a block, 8 threads each. */
static void n_filters_end(const NFilters &k)
{
    __shared__ float of[8][32];
    const int lane = threadIdx.x % 32, turn = threadIdx.x / 32;
    const int64_t i = (int64_t)blockIdx.x * 32 + lane, n = k.rows * k.cols;
    float sum = 0;

    if (i < n)
#pragma unroll 8
        for (int64_t b = turn; b < k.blocks; b += 8)
            sum += k.part[b * n + i];
    of[turn][lane] = sum;
    __syncthreads();
    if (turn || i >= n)
        return;
    for (int t = 1; t < 8; t++)
        sum += of[t][lane];
    int64_t rest = i / k.cols / k.c.batch;
    int64_t to = i / k.cols % k.c.batch * k.c.out_batch + i % k.cols * k.c.out_channel;
    for (int a = (int)k.c.spatial - 1; a >= 0; a--) {
        to += rest % k.c.out_size[a] * k.c.out_step[a];
        rest /= k.c.out_size[a];
    }
    ((float *)k.c.out)[to] = sum;
}

#define FILTERS_END                                                                      \
    extern "C" __global__ void __launch_bounds__(256) n_kernel(WK_ARGS(NFilters) k)      \
    {                                                                                    \
        n_filters_end(k);                                                                \
    }
