/* test_kernels_conv.c -- convolution kernels against the definition in f64, for every instruction set of the machine, any
 * strides, types and thread counts, as test_kernels_mm.c does it. */
#include "lib_kernels.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- convolution ------------------------------------------------------------------ */

typedef struct ConvCase {
    KConv x;
    Buf in, w, out, bias;
    double *sum, *size; /* by conv_at, made at the first need */
    char text[400];
} ConvCase;

/* Dense strides in a random order of dimensions, with gaps now and then; returns
 * elements. */
static int64_t random_strides(int n, const int64_t *size, int64_t **step)
{
    int order[8];
    int64_t total = 1;

    for (int i = 0; i < n; i++)
        order[i] = i;
    if (rand_chance(2)) { /* channels last: dimension 1 becomes the innermost */
        for (int i = 1; i + 1 < n; i++)
            order[i] = i + 1;
        order[n - 1] = 1;
    } else if (rand_chance(3)) {
        for (int i = n - 1; i > 0; i--) {
            int j = (int)rand_below(i + 1), s = order[i];

            order[i] = order[j];
            order[j] = s;
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        *step[order[i]] = total;
        total *= MAX(1, size[order[i]]);
        if (rand_chance(12))
            total += rand_below(4);
    }
    return total;
}

/* Images as large as layers have them, or filters as large as images. */
static void conv_sizes_large(KConv *x, bool filter)
{
    for (int d = 0; d < x->spatial; d++) {
        int64_t large = rand_between(9, 36), small = rand_between(1, 5);

        x->stride[d] = rand_chance(3) ? rand_between(1, 3) : 1;
        x->w_dilation[d] = rand_chance(3) ? rand_between(1, 3) : 1;
        x->x_dilation[d] = 1;
        x->w_size[d] = filter ? large : small;
        x->out_size[d] = filter ? small : large;
        x->pad_lo[d] = rand_chance(3) ? 0 : rand_between(-1, 3);
        x->x_size[d] = (x->out_size[d] - 1) * x->stride[d] +
                       (x->w_size[d] - 1) * x->w_dilation[d] + 1 - rand_between(0, 3);
        x->x_size[d] = MAX(1, x->x_size[d]);
        if (!filter && rand_chance(3)) { /* phases as wide as vectors */
            x->x_dilation[d] = rand_between(2, 3);
            x->x_size[d] = x->x_size[d] / x->x_dilation[d] + 1;
        }
    }
}

static void conv_sizes(KConv *x)
{
    if (x->spatial < 3 && rand_chance(3)) {
        conv_sizes_large(x, rand_chance(2));
        return;
    }
    for (int d = 0; d < x->spatial; d++) {
        x->x_size[d] = rand_between(rand_chance(30) ? 0 : 1, x->spatial == 3 ? 7 : 13);
        x->w_size[d] = rand_between(rand_chance(30) ? 0 : 1, rand_chance(5) ? 9 : 3);
        x->stride[d] = rand_chance(2) ? 1 : rand_between(1, 3);
        x->w_dilation[d] = rand_chance(2) ? 1 : rand_between(1, 3);
        x->x_dilation[d] = rand_chance(2) ? 1 : rand_between(1, 4);
        x->pad_lo[d] = rand_chance(2) ? x->w_size[d] / 2 : rand_between(-2, 4);
        x->out_size[d] = rand_between(rand_chance(30) ? 0 : 1, x->spatial == 3 ? 6 : 12);
    }
}

/* As the layers that have vectors along their channels, but for odd sizes. */
static void conv_layer(KConv *x)
{
    x->groups = rand_chance(3) ? 2 : 1;
    x->in_channels = x->groups * rand_between(15, 20);
    x->out_channels = x->groups * rand_between(15, 50);
    for (int d = 0; d < x->spatial; d++) {
        x->out_size[d] = rand_between(1, d + 1 < x->spatial ? 9 : 20);
        x->w_size[d] = d && x->w_size[0] < 4 ? x->w_size[0] : rand_chance(2) ? 3 : 1;
        x->stride[d] = rand_chance(3) ? 2 : 1;
        x->w_dilation[d] = x->x_dilation[d] = 1;
        x->pad_lo[d] = x->w_size[d] == 1 ? 0 : rand_between(-1, 2);
        x->x_size[d] = MAX(1, x->out_size[d] * x->stride[d] + rand_between(0, 2) -
                                  (x->w_size[d] == 1 ? 0 : x->pad_lo[d]));
        if (rand_chance(2))
            x->x_size[d] = x->out_size[d];
    }
}

static void conv_make(ConvCase *t, bool f64)
{
    static const KType narrow[] = {KT_F32, KT_F16, KT_BF16};
    KConv *x = &t->x;
    int64_t xs[5], ws[5], os[5], *xp[5], *wp[5], *op[5];

    memset(t, 0, sizeof *t);
    x->x_type = f64 ? KT_F64 : rand_chance(4) ? narrow[rand_below(3)] : KT_F32;
    x->w_type = f64 ? KT_F64 : rand_chance(4) ? narrow[rand_below(3)] : KT_F32;
    x->out_type = f64 ? KT_F64 : rand_chance(4) ? narrow[rand_below(3)] : KT_F32;
    x->spatial = (int)rand_between(1, 3);
    x->batch = rand_between(rand_chance(30) ? 0 : 1, rand_chance(4) ? 9 : 4);
    x->groups = rand_chance(2) ? 1 : rand_between(1, 6);
    x->in_channels = x->groups * (rand_chance(2) ? 1 : rand_between(1, 6));
    x->out_channels = x->groups * (rand_chance(2) ? 1 : rand_between(1, 20));
    conv_sizes(x);
    if (x->spatial < 3 && rand_chance(6))
        conv_layer(x);
    xs[0] = x->batch, xs[1] = x->in_channels, xp[0] = &x->x_batch, xp[1] = &x->x_channel;
    ws[0] = x->out_channels, ws[1] = x->in_channels / x->groups;
    wp[0] = &x->w_out, wp[1] = &x->w_in;
    os[0] = x->batch, os[1] = x->out_channels, op[0] = &x->out_batch,
    op[1] = &x->out_channel;
    for (int d = 0; d < x->spatial; d++) {
        xs[2 + d] = x->x_size[d], xp[2 + d] = &x->x_step[d];
        ws[2 + d] = x->w_size[d], wp[2 + d] = &x->w_step[d];
        os[2 + d] = x->out_size[d], op[2 + d] = &x->out_step[d];
    }
    t->in = buf_random(x->x_type, random_strides(2 + x->spatial, xs, xp));
    t->w = buf_random(x->w_type, random_strides(2 + x->spatial, ws, wp));
    t->out = buf_random_guarded(x->out_type, random_strides(2 + x->spatial, os, op));
    t->bias = buf_random(f64 ? KT_F64 : KT_F32, x->out_channels);
    x->x = t->in.p, x->w = t->w.p, x->out = t->out.p;
    if (rand_chance(2))
        x->epilogue.bias_m = t->bias.p;
    x->epilogue.relu = rand_chance(3);
    snprintf(t->text, sizeof t->text,
             "%dd types %d %d %d n=%d g=%d c=%d o=%d x=%d,%d,%d w=%d,%d,%d out=%d,%d,%d "
             "stride %d,%d,%d pad %d,%d,%d xdil %d,%d,%d wdil %d,%d,%d",
             x->spatial, x->x_type, x->w_type, x->out_type, (int)x->batch, (int)x->groups,
             (int)x->in_channels, (int)x->out_channels, (int)x->x_size[0],
             (int)x->x_size[1], (int)x->x_size[2], (int)x->w_size[0], (int)x->w_size[1],
             (int)x->w_size[2], (int)x->out_size[0], (int)x->out_size[1],
             (int)x->out_size[2], (int)x->stride[0], (int)x->stride[1], (int)x->stride[2],
             (int)x->pad_lo[0], (int)x->pad_lo[1], (int)x->pad_lo[2],
             (int)x->x_dilation[0], (int)x->x_dilation[1], (int)x->x_dilation[2],
             (int)x->w_dilation[0], (int)x->w_dilation[1], (int)x->w_dilation[2]);
}

static void conv_case_free(ConvCase *t)
{
    room_free(&t->in), room_free(&t->w), room_free(&t->out), room_free(&t->bias);
}

/* One output element by the definition in kernels.h. */
static double conv_at(const ConvCase *t, int64_t n, int64_t o, const int64_t *p,
                      double *out_size)
{
    const KConv *x = &t->x;
    int64_t per_in = x->in_channels / x->groups, per_out = x->out_channels / x->groups;
    int64_t taps = 1;
    double sum = 0;

    *out_size = 0;
    for (int d = 0; d < x->spatial; d++)
        taps *= x->w_size[d];
    for (int64_t c = 0; c < per_in; c++) {
        for (int64_t e = 0; e < taps; e++) {
            int64_t rest = e,
                    xo = n * x->x_batch + (o / per_out * per_in + c) * x->x_channel;
            int64_t wo = o * x->w_out + c * x->w_in;
            bool inside = true;

            for (int d = x->spatial - 1; d >= 0; d--) {
                int64_t tap = rest % x->w_size[d];
                int64_t at = p[d] * x->stride[d] + tap * x->w_dilation[d] - x->pad_lo[d];

                rest /= x->w_size[d];
                inside = inside && at >= 0 && at % x->x_dilation[d] == 0 &&
                         at / x->x_dilation[d] < x->x_size[d];
                xo += at / x->x_dilation[d] * x->x_step[d];
                wo += tap * x->w_step[d];
            }
            if (inside) {
                double v = ktype_get(x->x_type, x->x, xo) * ktype_get(x->w_type, x->w, wo);

                sum += v;
                *out_size += fabs(v);
            }
        }
    }
    return sum;
}

static void conv_check(ConvCase *t, const char *before, const char *got, const char *isa)
{
    const KConv *x = &t->x;
    int64_t count = x->batch * x->out_channels, terms = x->in_channels / x->groups;
    int64_t o0 = t->out.p - t->out.mem, size = ktype_size(x->out_type);
    char *mask = calloc(1, t->out.size);
    bool first = !t->sum;
    int64_t pixels = 1;

    for (int d = 0; d < x->spatial; d++)
        count *= x->out_size[d], pixels *= x->out_size[d], terms *= x->w_size[d];
    if (first) {
        t->sum = malloc((size_t)(count + 1) * 8);
        t->size = malloc((size_t)(count + 1) * 8);
    }
    for (int64_t e = 0; e < count; e++) {
        int64_t rest = e, p[3] = {0}, off = 0, n, o;
        double want, sizes, have, unit = x->out_type == KT_F64 ? 0x1p-53 : 0x1p-24;

        for (int d = x->spatial - 1; d >= 0; d--) {
            p[d] = rest % x->out_size[d];
            rest /= x->out_size[d];
            off += p[d] * x->out_step[d];
        }
        o = rest % x->out_channels, n = rest / x->out_channels;
        off += n * x->out_batch + o * x->out_channel;
        if (first)
            t->sum[e] = conv_at(t, n, o, p, &t->size[e]);
        want = t->sum[e], sizes = t->size[e];
        if (x->epilogue.bias_m)
            want += ktype_get(t->bias.type, t->bias.p, o);
        if (x->epilogue.relu && want < 0)
            want = 0;
        if (x->epilogue.tile)
            want = twice_plus_place(want, n, o, e % pixels), sizes *= 4;
        have = ktype_get(x->out_type, got + o0, off);
        memset(mask + o0 + off * size, 1, (size_t)size);
        if (!(fabs(have - want) <= unit * (double)(terms + 8) * (sizes + fabs(want) + 8) +
                                       2 * unit_of(x->out_type) * fabs(want) +
                                       (x->out_type == KT_F64 ? 0 : 1e-7))) {
            FAIL("%s %s: out[%d,%d,(%d,%d,%d)] is %.9g, not %.9g", isa, t->text, (int)n,
                 (int)o, (int)p[0], (int)p[1], (int)p[2], have, want);
            break;
        }
    }
    for (size_t i = 0; i < t->out.size; i++) {
        if (!mask[i] && got[i] != before[i]) {
            FAIL("%s %s: byte %d outside the output changed", isa, t->text,
                 (int)i - (int)o0);
            break;
        }
    }
    free(mask);
}

/* By one instruction set, with 1 to 3 and 5 threads: the definition, and equal bits. first:
 * room for the results. */
static void conv_case_threads(ConvCase *t, int isa, const char *before, char *first)
{
    static const int some[] = {1, 2, 3, 5};
    const Kernels *k = kernels_for(isa);

    for (int i = 0; i < COUNT(some); i++) {
        KPar par = par_of(some[i]);
        Workspace w = workspace_new(kernels_conv_workspace(k, &t->x, some[i]));

        memcpy(t->out.mem, before, t->out.size);
        CHECK(kernels_conv(k, &t->x, &par, w.p) == 1);
        workspace_check(&w, t->text);
        if (i == 0) {
            memcpy(first, t->out.mem, t->out.size);
            conv_check(t, before, first, isa_name((Isa)isa));
        } else if (memcmp(first, t->out.mem, t->out.size)) {
            FAIL("%s %s%s: other bits with %d threads", isa_name((Isa)isa), t->text,
                 t->x.packed ? " packed" : "", some[i]);
        }
    }
}

#define CONV_RUNS 4 /* of conv_case_threads */

/* Returns how often the convolution ran. */
static int64_t conv_case_run(ConvCase *t)
{
    char *before = malloc(t->out.size), *first = malloc(t->out.size);
    int64_t runs = 0;

    memcpy(before, t->out.mem, t->out.size);
    for (int isa = 0; isa < ISA_COUNT; isa++) {
        const Kernels *k = kernels_for(isa);
        size_t size = k ? kernels_conv_packed_size(k, &t->x) : 0;
        const void *w = t->x.w;

        if (!k)
            continue;
        conv_case_threads(t, isa, before, first);
        runs += CONV_RUNS;
        if (size) { /* the same with packed filters, packed by any number of threads */
            KPar par = par_of((int)rand_between(1, 3));
            Workspace packed = workspace_new(size);

            kernels_conv_pack(k, &t->x, &par, packed.p);
            t->x.packed = packed.p;
            t->x.w = NULL;
            conv_case_threads(t, isa, before, first);
            t->x.packed = NULL;
            t->x.w = w;
            workspace_check(&packed, t->text);
            runs += CONV_RUNS;
        }
    }
    free(before);
    free(t->sum), free(t->size);
    free(first);
    return runs;
}

TEST(convolution_of_random_attributes_matches_its_definition)
{
    for (int i = 0; i < 1200 && check_ok(); i++) {
        ConvCase t;

        conv_make(&t, rand_chance(3));
        conv_case_run(&t);
        conv_case_free(&t);
    }
}

TEST(convolution_calls_back_once_for_every_element)
{
    for (int i = 0; i < 150 && check_ok(); i++) {
        ConvCase t;
        Seen s = {.n = 1, .f64 = rand_chance(3)};
        int64_t total, runs;

        conv_make(&t, s.f64);
        t.x.epilogue.tile = on_tile;
        t.x.epilogue.user = &s;
        if (!s.f64 && t.x.out_type != KT_F32) {
            conv_case_free(&t);
            continue;
        }
        for (int d = 0; d < t.x.spatial; d++)
            s.n *= t.x.out_size[d];
        s.m = t.x.out_channels;
        total = t.x.batch * s.m * s.n;
        s.count = calloc((size_t)total + 1, sizeof *s.count);
        runs = conv_case_run(&t);
        for (int64_t e = 0; e < total && check_ok(); e++)
            CHECK_EQ_INT(s.count[e], runs);
        free(s.count);
        conv_case_free(&t);
    }
}

/* Forward and both gradients, as the transforms express them, for one layer in both
 * layouts. */
static void check_layer(int64_t n, int64_t c, int64_t o, int64_t hw, int64_t f, int64_t s,
                        bool last)
{
    int64_t pad = f / 2, out = (hw + 2 * pad - f) / s + 1;
    int64_t cs = last ? 1 : hw * hw, ws = last ? c : 1, hs = ws * hw; /* x */
    int64_t gc = last ? 1 : out * out, gw = last ? o : 1, gh = gw * out;
    int64_t ko = last ? 1 : c * f * f, ki = last ? o : f * f, kw = last ? o * c : 1,
            kh = kw * f;
    Buf x = buf_random(KT_F32, n * c * hw * hw), w = buf_random(KT_F32, o * c * f * f);
    Buf g = buf_random(KT_F32, n * o * out * out);

    for (int form = 0; form < 3; form++) {
        ConvCase t = {.x = {KT_F32,
                            KT_F32,
                            KT_F32,
                            2,
                            n,
                            1,
                            c,
                            o,
                            {hw, hw},
                            {f, f},
                            {out, out},
                            {s, s},
                            {pad, pad},
                            {1, 1},
                            {1, 1},
                            .x = x.p,
                            .w = w.p}};
        KConv *q = &t.x;

        snprintf(t.text, sizeof t.text,
                 "layer form %d last %d n=%d c=%d o=%d hw=%d f=%d s=%d", form, last,
                 (int)n, (int)c, (int)o, (int)hw, (int)f, (int)s);
        q->x_batch = c * hw * hw, q->x_channel = cs, q->x_step[0] = hs, q->x_step[1] = ws;
        q->w_out = ko, q->w_in = ki, q->w_step[0] = kh, q->w_step[1] = kw;
        q->out_batch = o * out * out, q->out_channel = gc;
        q->out_step[0] = gh, q->out_step[1] = gw;
        if (form ==
            1) { /* gradient of x: g dilated by s, w flipped, channels exchanged */
            *q = (KConv){KT_F32,
                         KT_F32,
                         KT_F32,
                         2,
                         n,
                         1,
                         o,
                         c,
                         {out, out},
                         {f, f},
                         {hw, hw},
                         {1, 1},
                         {f - 1 - pad, f - 1 - pad},
                         {s, s},
                         {1, 1},
                         .x = g.p};
            q->x_batch = o * out * out, q->x_channel = gc, q->x_step[0] = gh,
            q->x_step[1] = gw;
            q->w = w.p + 4 * ((f - 1) * kh + (f - 1) * kw);
            q->w_out = ki, q->w_in = ko, q->w_step[0] = -kh, q->w_step[1] = -kw;
            q->out_batch = c * hw * hw, q->out_channel = cs;
            q->out_step[0] = hs, q->out_step[1] = ws;
        } else if (form == 2) { /* gradient of w: the batch is summed, g is the filter */
            *q = (KConv){KT_F32,     KT_F32, KT_F32,   2,          c,       1,
                         n,          o,      {hw, hw}, {out, out}, {f, f},  {1, 1},
                         {pad, pad}, {1, 1}, {s, s},   .x = x.p,   .w = g.p};
            q->x_batch = cs, q->x_channel = c * hw * hw, q->x_step[0] = hs,
            q->x_step[1] = ws;
            q->w_out = gc, q->w_in = o * out * out, q->w_step[0] = gh, q->w_step[1] = gw;
            q->out_batch = ki, q->out_channel = ko, q->out_step[0] = kh,
            q->out_step[1] = kw;
        }
        t.out = buf_new(KT_F32, form == 0   ? n * o * out * out
                                : form == 1 ? n * c * hw * hw
                                            : o * c * f * f);
        q->out = t.out.p;
        conv_case_run(&t);
        room_free(&t.out);
    }
    room_free(&x), room_free(&w), room_free(&g);
}

TEST(convolution_layers_and_their_gradients_match_the_definition)
{
    for (int last = 0; last < 2; last++) {
        check_layer(2, 5, 7, 9, 3, 1, last);
        check_layer(2, 16, 17, 14, 3, 2, last);
        check_layer(3, 3, 20, 17, 7, 2, last);
        check_layer(2, 24, 40, 24, 1, 1, last);
        check_layer(1, 33, 34, 8, 5, 1, last);
        check_layer(4, 8, 16, 7, 1, 2, last);
        check_layer(1, 40, 20, 30, 3, 1, last);
        check_layer(9, 6, 10, 28, 5, 1, last);
        check_layer(9, 1, 20, 28, 3, 1, last);
        check_layer(1, 16, 70, 32, 1, 1, last);
        check_layer(1, 17, 53, 13, 1, 1, last);
        check_layer(5, 20, 33, 7, 3, 1, last);
        check_layer(1, 18, 16, 130, 3, 1, last);
    }
}

/* Channels first, one input channel a group and `outs` outputs, with relu, on an image of hw rows and hw+1 columns. */
static void check_depthwise(int64_t c, int64_t outs, int64_t hw, int64_t f, int64_t s,
                            int64_t dilation, int64_t pad)
{
    int64_t reach = (f - 1) * dilation + 1, wide = hw + 1;
    int64_t oh = (hw + 2 * pad - reach) / s + 1, ow = (wide + 2 * pad - reach) / s + 1;
    Buf x = buf_random(KT_F32, 2 * c * hw * wide),
        w = buf_random(KT_F32, c * outs * f * f);
    ConvCase t = {.x = {.x_type = KT_F32,
                        .w_type = KT_F32,
                        .out_type = KT_F32,
                        .spatial = 2,
                        .batch = 2,
                        .groups = c,
                        .in_channels = c,
                        .out_channels = c * outs,
                        .x_size = {hw, wide},
                        .w_size = {f, f},
                        .out_size = {oh, ow},
                        .stride = {s, s},
                        .pad_lo = {pad, pad},
                        .x_dilation = {1, 1},
                        .w_dilation = {dilation, dilation},
                        .x = x.p,
                        .x_batch = c * hw * wide,
                        .x_channel = hw * wide,
                        .x_step = {wide, 1},
                        .w = w.p,
                        .w_out = f * f,
                        .w_in = f * f,
                        .w_step = {f, 1},
                        .out_batch = c * outs * oh * ow,
                        .out_channel = oh * ow,
                        .out_step = {ow, 1},
                        .epilogue.relu = 1}};

    snprintf(t.text, sizeof t.text,
             "depthwise c=%d outs=%d hw=%d f=%d s=%d dilation=%d pad=%d", (int)c,
             (int)outs, (int)hw, (int)f, (int)s, (int)dilation, (int)pad);
    t.out = buf_new(KT_F32, 2 * c * outs * oh * ow);
    t.x.out = t.out.p;
    conv_case_run(&t);
    room_free(&t.out), room_free(&x), room_free(&w);
}

TEST(depthwise_convolutions_match_the_definition)
{
    static const int64_t sizes[] = {7, 14, 23, 35};

    for (int i = 0; i < 4; i++)
        for (int64_t f = 2; f <= 5; f++)
            for (int64_t s = 1; s <= 3; s++) {
                check_depthwise(5, 1, sizes[i], f, s, 1, f / 2);
                check_depthwise(3, 2, sizes[i], f, s, 1, 0);
            }
    check_depthwise(4, 1, 20, 3, 1, 2, 2);
    check_depthwise(3, 3, 20, 5, 2, 2, 4);
    check_depthwise(2, 1, 19, 7, 1, 1, 3);
}
