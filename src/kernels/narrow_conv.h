/* narrow_conv.h -- convolution of small integers.
 *
 * The channels of some images are zipped into planes of groups (4 or 2 channels of a pixel side by side), with their
 * borders filled in. A panel is COLS pixels of the result, over all images at hand: the groups that each tap reads
 * of them, copied by the runs that lie side by side; or, if there is one tap and no stride, the planes themselves. Filters
 * are packed by strips of ROWS. Groups of one channel each are walked tap by tap, without products of vectors.
 */
#define PASS_BYTES  (1 << 20)    /* of zipped planes at a time */
#define PANEL_BYTES (192 << 10)  /* of the panels that all strips go over */
#define MOST_PANELS 12

typedef struct Conv {
    const KConv *x;
    int per, moved;
    Tiles tiles;
    int64_t xs[3], ks[3], os[3], stride[3], pad[3], dil[3], xstep[3], kstep[3], ostep[3]; /* three axes */
    int64_t ps[3], plane, row; /* a plane with borders; its groups; groups from one plane to the next */
    int64_t c, o, channels, taps, groups, strips; /* of one group of channels: in, out; groups of them */
    int64_t pixels, images, panels, chunk;        /* chunk: panels at a time */
    int64_t row_chunk, row_parts, items;
    int direct;
    int32_t *strip, *sums, *planes, *work; /* packed filters, their sums; scratch of tasks */
    size_t work_bytes;
    int64_t image, group; /* first image at hand, how many; group of channels */
    int64_t here;
    _Alignas(64) int64_t next;
} Conv;

static void conv_axes(Conv *v)
{
    const KConv *x = v->x;

    for (int i = 0; i < 3; i++) {
        int j = i - (3 - x->spatial);

        v->xs[i] = j < 0 ? 1 : x->x_size[j];
        v->ks[i] = j < 0 ? 1 : x->w_size[j];
        v->os[i] = j < 0 ? 1 : x->out_size[j];
        v->stride[i] = j < 0 ? 1 : x->stride[j];
        v->pad[i] = j < 0 ? 0 : x->pad_lo[j];
        v->dil[i] = j < 0 ? 1 : x->w_dilation[j];
        v->xstep[i] = j < 0 ? 0 : x->x_step[j];
        v->kstep[i] = j < 0 ? 0 : x->w_step[j];
        v->ostep[i] = j < 0 ? 0 : x->out_step[j];
        v->ps[i] = (v->os[i] - 1) * v->stride[i] + (v->ks[i] - 1) * v->dil[i] + 1;
    }
    v->plane = v->ps[0] * v->ps[1] * v->ps[2];
    v->pixels = v->os[0] * v->os[1] * v->os[2];
    v->taps = v->ks[0] * v->ks[1] * v->ks[2];
    v->direct = v->plane == v->pixels && v->taps == 1;
}

static int is_depthwise(const KConv *x) { return x->in_channels == x->groups && x->groups > 1; }

static void conv_open(Conv *v, const KConv *x, int threads)
{
    int bytes = x->x_type != KT_I16 && x->w_type == KT_I8 && has_quads();
    int64_t columns, each;

    *v = (Conv){.x = x, .per = bytes ? 4 : 2, .moved = bytes && x->x_type == KT_I8};
    v->tiles = tiles_of(v->per, 1);
    conv_axes(v);
    v->c = x->in_channels / x->groups;
    v->o = x->out_channels / x->groups;
    v->channels = ceil_quotient(v->c, v->per);
    v->groups = v->channels * v->taps;
    v->strips = ceil_quotient(v->o, ROWS);
    v->images = PASS_BYTES / (v->channels * v->plane * 4 + 1);
    v->images = v->images < 1 ? 1 : least(v->images, x->batch);
    v->row = v->images * v->plane + COLS; /* loads go past the last pixel */
    v->panels = ceil_quotient(v->images * v->pixels, COLS);
    columns = PANEL_BYTES / (v->groups * COLS * 4);
    v->chunk = columns < 1 ? 1 : least(columns, MOST_PANELS);
    v->items = ceil_quotient(v->panels, v->chunk);
    v->row_parts = least(v->strips, v->items >= 2 * threads ? 1 : ceil_quotient(2 * threads, v->items));
    v->row_chunk = ceil_quotient(v->strips, v->row_parts);
    each = v->chunk * COLS * 4;
    v->work_bytes = is_depthwise(x) ? whole_lines((size_t)(v->plane * 2)) + whole_lines((size_t)v->pixels * 4)
                                    : whole_lines((size_t)((v->direct ? 0 : v->groups) * each)) +
                                          whole_lines((size_t)(ROWS * each));
}

static size_t strip_bytes(const Conv *v)
{
    return whole_lines((size_t)(v->x->groups * v->strips * ROWS * (v->groups + 1)) * 4);
}
static size_t plane_bytes(const Conv *v) { return whole_lines((size_t)(v->channels * v->row) * 4); }

/* ---- filters ----------------------------------------------------------------------- */

/* Strip s of all groups of channels: [channels][taps][ROWS], the order of a panel. */
static void pack_filters(void *user, int s)
{
    const Conv *v = user;
    const KConv *x = v->x;
    int64_t g = s / v->strips, first = s % v->strips * ROWS, n = least(ROWS, v->o - first);
    size_t size = x->w_type == KT_I16 ? 2 : 1;
    int32_t *to = v->strip + s * v->groups * ROWS;

    for (int64_t i = 0; i < ROWS; i++)
        v->sums[s * ROWS + i] = 0;
    for (int64_t t = 0; t < v->taps; t++) {
        int64_t at = t / (v->ks[1] * v->ks[2]) * v->kstep[0] + t / v->ks[2] % v->ks[1] * v->kstep[1] +
                     t % v->ks[2] * v->kstep[2];
        PackLines l = {(const char *)x->w + (size_t)(at + g * v->o * x->w_out) * size, x->w_type, x->w_out, x->w_in, v->c, v->per, 0};

        for (int64_t i = 0; i < n && v->moved; i++)
            v->sums[s * ROWS + i] = (int32_t)((uint32_t)v->sums[s * ROWS + i] + line_sum(&l, first + i));
        for (int64_t k = 0; k < v->channels; k++) {
            int32_t *row = to + (k * v->taps + t) * ROWS;
            const uint8_t *w = (const uint8_t *)l.p + first * l.line + k * 4 * l.step;
            int64_t i = 0;

            for (; i < n && v->per == 4 && v->c - k * 4 >= 4; i++, w += l.line) /* as group_at */
                row[i] = (int32_t)(w[0] | (uint32_t)w[l.step] << 8 | (uint32_t)w[2 * l.step] << 16 | (uint32_t)w[3 * l.step] << 24);
            for (; i < ROWS; i++)
                row[i] = i < n ? (int32_t)group_at(&l, (first + i) * l.line + k * v->per * l.step,
                                                   least(v->per, v->c - k * v->per))
                               : 0;
        }
    }
}

static void pack_all_filters(Conv *v, const KPar *par, void *to)
{
    v->strip = to;
    v->sums = v->strip + v->x->groups * v->strips * ROWS * v->groups;
    if (par)
        run_tasks(par, v->x->groups * v->strips, pack_filters, v);
}

/* ---- planes ------------------------------------------------------------------------ */

/* A row of pixels: channels k.. of it, as groups. */
static void zip_row(const Conv *v, const char *from, int64_t have, int64_t n, int32_t *to)
{
    const KConv *x = v->x;
    PackLines l = {from, x->x_type, v->xstep[2], x->x_channel, have, v->per, v->moved};

    if (v->per == 4 && have == 4 && v->xstep[2] == 1)
        zip_bytes((const uint8_t *)from, x->x_channel, n, v->moved ? 0x80808080u : 0, to);
    else
        for (int64_t i = 0; i < n; i++)
            to[i] = (int32_t)group_at(&l, i * l.line, have);
}

/* Are planes taken as they are, without borders, from dense ones? */
static int is_whole(const Conv *v)
{
    int64_t step = 1;

    for (int i = 2; i >= 0; step *= v->xs[i--])
        if (v->ps[i] != v->xs[i] || v->pad[i] || (v->xs[i] > 1 && v->xstep[i] != step))
            return 0;
    return 1;
}

/* Plane of channels k of image n. */
static void zip_plane(void *user, int task)
{
    const Conv *v = user;
    const KConv *x = v->x;
    int64_t k = task / v->here, n = task % v->here, have = least(v->per, v->c - k * v->per), lo, hi;
    size_t size = x->x_type == KT_I16 ? 2 : 1;
    int32_t *to = v->planes + k * v->row + n * v->plane, fill = v->moved ? (int32_t)0x80808080u : 0;
    const char *from = (const char *)x->x + (size_t)((v->image + n) * x->x_batch + (v->group * v->c + k * v->per) * x->x_channel) * size;

    if (is_whole(v)) { /* rows follow each other on both sides */
        zip_row(v, from, have, v->plane, to);
        return;
    }
    lo = v->pad[2] > 0 ? least(v->pad[2], v->ps[2]) : 0;
    hi = v->xs[2] + v->pad[2];
    hi = hi < lo ? lo : least(hi, v->ps[2]);
    for (int64_t z = 0; z < v->ps[0]; z++)
        for (int64_t y = 0; y < v->ps[1]; y++, to += v->ps[2]) {
            int64_t iz = z - v->pad[0], iy = y - v->pad[1];
            int inside = iz >= 0 && iz < v->xs[0] && iy >= 0 && iy < v->xs[1];

            for (int64_t i = 0; i < (inside ? lo : v->ps[2]); i++)
                to[i] = fill;
            if (!inside)
                continue;
            zip_row(v, from + (int64_t)size * (iz * v->xstep[0] + iy * v->xstep[1] + (lo - v->pad[2]) * v->xstep[2]), have,
                    hi - lo, to + lo);
            for (int64_t i = hi; i < v->ps[2]; i++)
                to[i] = fill;
        }
}

/* ---- panels ------------------------------------------------------------------------ */

typedef struct Runs { /* pixels of a panel that lie side by side, or by the stride */
    int n;
    int64_t from[COLS], count[COLS];
} Runs;

static void find_runs(const Conv *v, int64_t first, int64_t n, Runs *r)
{
    int64_t p = first, end = first + n;

    for (r->n = 0; p < end; r->n++) {
        int64_t image = p / v->pixels, i = p % v->pixels, x = i % v->os[2], y = i / v->os[2] % v->os[1],
                z = i / (v->os[2] * v->os[1]), len = least(v->os[2] - x, end - p);

        r->from[r->n] = image * v->plane + (z * v->stride[0] * v->ps[1] + y * v->stride[1]) * v->ps[2] + x * v->stride[2];
        r->count[r->n] = len;
        p += len;
    }
}

/* Whole vectors: what is written behind the last of them is written again, or is scratch. */
VINLINE void copy_groups(int32_t *to, const int32_t *from, int64_t n, int64_t step)
{
    if (step == 1) {
        for (int64_t i = 0; i < n; i += VFL)
            *(Loose *)(to + i) = *(const Loose *)(from + i);
        return;
    }
#if KERNEL_ISA == 2
    if (step == 2) {
        const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);

        for (int64_t i = 0; i < n; i += 16) {
            __m512i a = _mm512_loadu_si512(from + 2 * i), b = _mm512_loadu_si512(from + 2 * i + 16);

            _mm512_storeu_si512(to + i, _mm512_permutex2var_epi32(a, even, b));
        }
        return;
    }
#endif
    for (int64_t i = 0; i < n; i++)
        to[i] = from[i * step];
}

/* One tap of a group of channels. */
VINLINE void copy_runs(const Runs *r, const int32_t *from, int64_t step, int32_t *to)
{
    for (int i = 0; i < r->n; to += r->count[i++])
        copy_groups(to, from + r->from[i], r->count[i], step);
}

static void pack_pixels(const Conv *v, int64_t first, int64_t n, int32_t *to)
{
    int64_t step = v->stride[2];
    Runs r;

    find_runs(v, first, n, &r);
    for (int64_t k = 0; k < v->channels; k++)
        for (int64_t t0 = 0; t0 < v->ks[0]; t0++)
            for (int64_t t1 = 0; t1 < v->ks[1]; t1++) {
                const int32_t *from =
                    v->planes + k * v->row + (t0 * v->dil[0] * v->ps[1] + t1 * v->dil[1]) * v->ps[2];

                for (int64_t t2 = 0; t2 < v->ks[2]; t2++, from += v->dil[2], to += COLS)
                    copy_runs(&r, from, step, to);
            }
}

/* Rows of sums, n pixels from `first` on of the images at hand, to where they go. */
static void finish_pixels(const Conv *v, int32_t *c, int64_t ld, int64_t row, int64_t rows, int64_t first, int64_t n)
{
    const KConv *x = v->x;
    int64_t end = first + n;
    int dense = (v->ostep[2] == 1 || v->os[2] == 1) && (v->ostep[1] == v->os[2] || v->os[1] == 1) &&
                (v->ostep[0] == v->os[1] * v->os[2] || v->os[0] == 1);

    for (int64_t i = 0; i < rows && v->moved; i++) {
        uint32_t more = 128 * (uint32_t)v->sums[v->group * v->strips * ROWS + row + i];

        for (int64_t j = 0; j < n; j++)
            c[i * ld + j] = (int32_t)((uint32_t)c[i * ld + j] - more);
    }
    for (int64_t p = first, len; p < end; p += len, c += len) {
        int64_t image = p / v->pixels, at = p % v->pixels, channel = v->group * v->o + row;
        KTile t = {c, ld, channel, at, rows, len = least(v->pixels - at, end - p), v->image + image};

        if (x->epilogue.tile) {
            x->epilogue.tile(x->epilogue.user, &t);
            continue;
        }
        for (int64_t i = 0; i < rows; i++) {
            int32_t *out = (int32_t *)x->out + t.batch * x->out_batch + (channel + i) * x->out_channel;

            if (dense)
                memcpy(out + at, c + i * ld, (size_t)len * 4);
            for (int64_t j = at; j < at + len && !dense; j++)
                out[j / (v->os[1] * v->os[2]) * v->ostep[0] + j / v->os[2] % v->os[1] * v->ostep[1] +
                    j % v->os[2] * v->ostep[2]] = c[i * ld + j - at];
        }
    }
}

static void run_panels(void *user, int task)
{
    Conv *v = user;
    int32_t *panel = (int32_t *)((char *)v->work + (size_t)task * v->work_bytes), *c;
    int64_t ld = v->chunk * COLS, all = v->here * v->pixels, item;
    const int32_t *strip = v->strip + v->group * v->strips * v->groups * ROWS;

    c = (int32_t *)((char *)panel + whole_lines((size_t)((v->direct ? 0 : v->groups) * ld * 4)));
    while ((item = __atomic_fetch_add(&v->next, 1, __ATOMIC_RELAXED)) < v->items * v->row_parts) {
        int64_t first = item / v->row_parts * ld, n = least(ld, all - first), s0 = item % v->row_parts * v->row_chunk,
                s1 = least(s0 + v->row_chunk, v->strips);

        for (int64_t p = 0; p < n && !v->direct && s0 < s1; p += COLS)
            pack_pixels(v, first + p, least(COLS, n - p), panel + p * v->groups);
        for (int64_t s = s0; s < s1 && n > 0; s++) {
            int64_t rows = least(ROWS, v->o - s * ROWS);

            for (int64_t p = 0; p < n; p += COLS)
                run_tile(&v->tiles, rows, least(COLS, n - p), strip + s * v->groups * ROWS,
                         v->direct ? v->planes + first + p : panel + p * v->groups, v->direct ? v->row : COLS, v->groups,
                         c + p, ld);
            finish_pixels(v, c, ld, s * ROWS, rows, first, n); /* while it is in the nearest cache */
        }
    }
}

/* ---- one channel in each group ----------------------------------------------------- */

static void widen_plane(const Conv *v, const char *from, int16_t *to)
{
    const KConv *x = v->x;

    for (int64_t z = 0; z < v->ps[0]; z++)
        for (int64_t y = 0; y < v->ps[1]; y++, to += v->ps[2]) {
            int64_t iz = z - v->pad[0], iy = y - v->pad[1], at = iz * v->xstep[0] + iy * v->xstep[1];
            int inside = iz >= 0 && iz < v->xs[0] && iy >= 0 && iy < v->xs[1];

            for (int64_t i = 0; i < v->ps[2]; i++) {
                int64_t ix = i - v->pad[2];

                to[i] = (int16_t)(inside && ix >= 0 && ix < v->xs[2] ? element(x->x_type, from, at + ix * v->xstep[2]) : 0);
            }
        }
}

static void add_tap(const Conv *v, int64_t t, const int16_t *plane, int32_t w, int32_t *c)
{
    int64_t step = v->stride[2];

    for (int64_t z = 0; z < v->os[0]; z++)
        for (int64_t y = 0; y < v->os[1]; y++, c += v->os[2]) {
            const int16_t *row = plane +
                                 ((z * v->stride[0] + t / (v->ks[1] * v->ks[2]) * v->dil[0]) * v->ps[1] + y * v->stride[1] +
                                  t / v->ks[2] % v->ks[1] * v->dil[1]) *
                                     v->ps[2] +
                                 t % v->ks[2] * v->dil[2];

            if (step == 1)
                for (int64_t i = 0; i < v->os[2]; i++)
                    c[i] = (int32_t)((uint32_t)c[i] + (uint32_t)(row[i] * w));
            else
                for (int64_t i = 0; i < v->os[2]; i++)
                    c[i] = (int32_t)((uint32_t)c[i] + (uint32_t)(row[i * step] * w));
        }
}

/* Items: image and input channel. */
static void run_channels(void *user, int task)
{
    Conv *v = user;
    const KConv *x = v->x;
    int16_t *plane = (int16_t *)((char *)v->work + (size_t)task * v->work_bytes);
    int32_t *c = (int32_t *)((char *)plane + whole_lines((size_t)v->plane * 2));
    int64_t size = x->x_type == KT_I16 ? 2 : 1, item;
    Conv one = *v;

    one.moved = 0;
    while ((item = __atomic_fetch_add(&v->next, 1, __ATOMIC_RELAXED)) < x->batch * x->groups) {
        one.image = item / x->groups;
        one.group = item % x->groups;
        widen_plane(v, (const char *)x->x + size * (one.image * x->x_batch + one.group * x->x_channel), plane);
        for (int64_t o = 0; o < v->o; o++) {
            memset(c, 0, (size_t)v->pixels * 4);
            for (int64_t t = 0; t < v->taps; t++)
                add_tap(v, t, plane,
                        element(x->w_type, x->w, (one.group * v->o + o) * x->w_out + t / (v->ks[1] * v->ks[2]) * v->kstep[0] +
                                                     t / v->ks[2] % v->ks[1] * v->kstep[1] + t % v->ks[2] * v->kstep[2]),
                        c);
            finish_pixels(&one, c, v->pixels, o, 1, 0, v->pixels);
        }
    }
}

/* ---- all of it --------------------------------------------------------------------- */

static size_t narrow_conv_workspace(const KConv *x, int threads)
{
    Conv v;

    conv_open(&v, x, threads);
    return (is_depthwise(x) ? 0 : plane_bytes(&v) + (x->packed ? 0 : strip_bytes(&v))) + (size_t)threads * v.work_bytes + 64;
}

static void narrow_conv_run(const KConv *x, const KPar *par, void *workspace)
{
    Conv v;
    char *w = line_start(workspace);
    int threads = par && par->run ? par->threads : 1;

    conv_open(&v, x, threads);
    if (x->batch == 0 || v.pixels == 0 || v.o == 0)
        return;
    if (is_depthwise(x)) {
        v.work = (int32_t *)w;
        run_tasks(par, least(threads, x->batch * x->groups), run_channels, &v);
        return;
    }
    v.planes = (int32_t *)w;
    w += plane_bytes(&v);
    if (x->packed) {
        pack_all_filters(&v, NULL, (void *)(uintptr_t)x->packed);
    } else {
        pack_all_filters(&v, par, w);
        w += strip_bytes(&v);
    }
    v.work = (int32_t *)w;
    for (v.image = 0; v.image < x->batch; v.image += v.images)
        for (v.group = 0; v.group < x->groups; v.group++) {
            v.here = least(v.images, x->batch - v.image);
            run_tasks(par, v.channels * v.here, zip_plane, &v);
            v.next = 0;
            run_tasks(par, least(threads, v.items * v.row_parts), run_panels, &v);
        }
}

static size_t narrow_conv_packed_size(const KConv *x)
{
    Conv v;

    conv_open(&v, x, 1);
    return is_depthwise(x) ? 0 : strip_bytes(&v);
}

static void narrow_conv_pack(const KConv *x, const KPar *par, void *to)
{
    Conv v;

    conv_open(&v, x, 1);
    pack_all_filters(&v, par ? par : &(KPar){.threads = 1}, to);
}
