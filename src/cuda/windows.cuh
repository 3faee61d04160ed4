/* windows.cuh -- windows reduced, and the way back from the largest of each; text, behind native.cuh.
 *
 * Sizes of large ones are numbers in the code (SIZES sets them). A thread has V neighbours along the last axis: more than one where nothing happens along it (images
 * whose channels are last), so that they have the same windows.
 */
struct NReduceWindow {
    const void *x;
    void *y;
    int64_t *place; /* of the largest, or NULL */
    int64_t rank, count, sum;
    int64_t xs[N_RANK], ys[N_RANK], window[N_RANK], stride[N_RANK], lo[N_RANK], base[N_RANK],
        dilation[N_RANK];
};

/* The place p of the window in an operand of n elements with holes; false: it is in none. */
template <class I> static bool n_inside(I p, I base, I n, I *at)
{
    I rest = 0;

    if (p < 0)
        return false;
    *at = p;
    if (base != 1)
        wk_split(p, base, at, &rest);
    return !rest && *at < n;
}

/* Element i of an array whose last axis is counted in Vs: its place along each axis. */
template <int RANK, int V, class I> static void n_axes(I i, const int64_t *sizes, I *at)
{
#pragma unroll
    for (int a = RANK - 1; a >= 0; a--) {
        I q;

        wk_split(i, a == RANK - 1 ? (I)sizes[a] / V : (I)sizes[a], &q, &at[a]);
        i = q;
    }
    at[RANK - 1] *= V;
}

/* I: of indices; int where all are small. W: elements of a window, if that is known and they are few. */
template <int RANK, int V, int W, class I, class T, class Of, class To>
static void n_reduce_window(const NReduceWindow &k, T lowest, Of of, To to)
{
    N_EACH(i, k.count / V)
    {
        I at[RANK], in[RANK], windows = 1, best[V]; /* at: where the window begins; in: in it */
        decltype(of(lowest)) largest[V], sum[V];
        T x[V];
        int64_t places[V];

        n_axes<RANK, V, I>((I)i, k.ys, at);
#pragma unroll
        for (int a = 0; a < RANK; a++) {
            at[a] = at[a] * (I)k.stride[a] - (I)k.lo[a];
            in[a] = 0;
            windows *= (I)k.window[a];
        }
#pragma unroll
        for (int e = 0; e < V; e++) {
            best[e] = -1;
            largest[e] = of(lowest);
            sum[e] = of(T());
        }
#pragma unroll(W ? W : 1)
        for (I w = 0; w < (W ? W : windows); w++) {
            I place = 0;
            bool inside = true, next = true;

#pragma unroll
            for (int a = 0; a < RANK; a++) {
                I p = 0;

                inside = inside && n_inside<I>(at[a] + in[a] * (I)k.dilation[a], (I)k.base[a], (I)k.xs[a], &p);
                place = place * (I)k.xs[a] + p;
            }
#pragma unroll
            for (int a = RANK - 1; a >= 0; a--) { /* the next place in the window */
                in[a] += next;
                next = next && in[a] == (I)k.window[a];
                in[a] = next ? 0 : in[a];
            }
            if (!inside)
                continue;
            wk_load(x, (const T *)k.x + place, V);
#pragma unroll
            for (int e = 0; e < V; e++) {
                const auto v = of(x[e]);

                sum[e] = n_add(sum[e], v);
                if (best[e] < 0 || n_before(v, largest[e], 1)) {
                    best[e] = place + e;
                    largest[e] = v;
                }
            }
        }
#pragma unroll
        for (int e = 0; e < V; e++) {
            x[e] = k.sum ? to(sum[e]) : to(largest[e]);
            places[e] = best[e];
        }
        wk_store((T *)k.y + i * V, x, V);
        if (k.place)
            wk_store(k.place + i * V, places, V);
    }
}

/* REDUCE_WINDOW(f32, float, 4, 4, 9, int, lowest, sizes): of rank 4, 4 neighbours a thread, 9 in a window */
#define REDUCE_WINDOW(t, T, rank, V, W, I, lowest, SIZES)                                \
    extern "C" __global__ void __launch_bounds__(256) n_kernel(WK_ARGS(NReduceWindow) k) \
    {                                                                                    \
        NReduceWindow n = k;                                                             \
        SIZES                                                                            \
        n_reduce_window<rank, V, W, I, T>(                                               \
            n, lowest, [](T x) { return s_splat_##t(x); },                               \
            [](auto x) { return s_first_##t(x); });                                      \
    }

/* y[place[w]] joined with g[w], for all windows w in order: every element asks the windows that it is in. */
struct NWindowBack {
    const void *x; /* what y begins with; NULL: zeros */
    const void *g;
    const int64_t *place;
    void *y;
    int64_t count;
    int64_t xs[N_RANK], ys[N_RANK], window[N_RANK], stride[N_RANK], lo[N_RANK], base[N_RANK],
        dilation[N_RANK];
};

template <int RANK, int V, class I, class T, class F>
static void n_window_back(const NWindowBack &k, F join)
{
    N_EACH(i, k.count / V)
    {
        I at[RANK], first[RANK], last[RANK], windows = 1;
        T y[V], g[V];
        int64_t place[V];

        n_axes<RANK, V, I>((I)i, k.xs, at);
#pragma unroll
        for (int a = 0; a < RANK; a++) { /* windows y with  y stride <= p + lo <= y stride + length - 1 */
            const I p = at[a] * (I)k.base[a] + (I)k.lo[a], stride = (I)k.stride[a];
            const I before = p - ((I)k.window[a] - 1) * (I)k.dilation[a];
            I q, rest;

            wk_split(p, stride, &q, &rest); /* a negative p is in none: dropped below */
            last[a] = p < 0 ? -1 : q < (I)k.ys[a] ? q : (I)k.ys[a] - 1;
            wk_split(before > 0 ? before + stride - 1 : (I)0, stride, &q, &rest);
            first[a] = q;
            windows *= last[a] >= first[a] ? last[a] - first[a] + 1 : (I)0;
            at[a] = first[a];
        }
        if (k.x)
            wk_load(y, (const T *)k.x + i * V, V);
        else
#pragma unroll
            for (int e = 0; e < V; e++)
                y[e] = T();
        for (I n = 0; n < windows; n++) {
            I w = 0;
            bool next = true;

#pragma unroll
            for (int a = 0; a < RANK; a++)
                w = w * (I)k.ys[a] + at[a];
#pragma unroll
            for (int a = RANK - 1; a >= 0; a--) {
                at[a] += next;
                next = next && at[a] > last[a];
                at[a] = next ? first[a] : at[a];
            }
            wk_load(place, k.place + w, V);
            wk_load(g, (const T *)k.g + w, V);
#pragma unroll
            for (int e = 0; e < V; e++)
                if (place[e] == i * V + e)
                    y[e] = join(y[e], g[e]);
        }
        wk_store((T *)k.y + i * V, y, V);
    }
}

/* WINDOW_BACK(f32, float, f32, add, 4, 4, int, sizes) */
#define WINDOW_BACK(t, T, kept, op, rank, V, I, SIZES)                                   \
    extern "C" __global__ void __launch_bounds__(256) n_kernel(WK_ARGS(NWindowBack) k)   \
    {                                                                                    \
        NWindowBack n = k;                                                               \
        SIZES                                                                            \
        n_window_back<rank, V, I, T>(n, [](T x, T y) {                                   \
            return s_first_##t(s_##op##_##kept(s_splat_##t(x), s_splat_##t(y)));         \
        });                                                                              \
    }
