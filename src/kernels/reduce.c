/* reduce.c -- sums, products, extremes over any axes; places of extremes.
 *
 * Two ways through memory. Rows: each result folds its own elements, block by block, the
 * folds of blocks combined in f64 (or 64-bit integers). Columns: when the innermost axis
 * is kept, whole rows are combined elementwise, 64 at a time before they join the others,
 * which keeps rounding small. Large reductions to few results are cut into parts, joined
 * at the end in order. All cuts depend on the shape alone.
 */
#include "base/base.h"
#include "stage.h"

#include <math.h>

#define BLOCK 1024  /* elements of a fold that had to be gathered */
#define STRIP 512   /* columns worked on together */
#define BUNCH 64    /* rows that join each other first */
#define PART  32768 /* elements of a part, about */
#define WIDE  4096  /* elements of a fold that are contiguous */

/* ---- set-up ------------------------------------------------------------------------ */

static int64_t magnitude(int64_t x) { return x < 0 ? -x : x; }

/* Reduced axes with the largest strides first. */
static void sort_axes(int n, int64_t *dims, int64_t *stride)
{
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && magnitude(stride[j - 1]) < magnitude(stride[j]); j--) {
            int64_t d = dims[j], s = stride[j];

            dims[j] = dims[j - 1], stride[j] = stride[j - 1];
            dims[j - 1] = d, stride[j - 1] = s;
        }
}

static int64_t space_count(const KSpace *s) { return k_count(s->rank, s->dims); }

void kreduce_init(KReduce *r, const KLoops *loops, KFoldOp op, KType type, int rank,
                  const int64_t *dims, const int64_t *stride, const uint8_t *reduced)
{
    int64_t kept[K_RANK], kept_stride[K_RANK], red[K_RANK], red_stride[K_RANK], inner;
    int nkept = 0, nred = 0;

    *r = (KReduce){.loops = loops, .op = op, .type = type};
    r->acc = type == KT_F16 || type == KT_BF16 ? KT_F32 : type;
    for (int i = 0; i < rank; i++) {
        r->empty |= dims[i] == 0 && !reduced[i];
        r->none |= dims[i] == 0 && reduced[i];
    }
    for (int i = 0; i < rank; i++)
        if (reduced[i])
            red[nred] = dims[i], red_stride[nred++] = stride[i];
        else
            kept[nkept] = dims[i], kept_stride[nkept++] = stride[i];
    if (r->empty || r->none)
        nred = 0; /* products of other sizes may overflow */
    if (r->empty)
        nkept = 0;
    sort_axes(nred, red, red_stride);
    space_init(&r->kept, nkept, kept, kept_stride);
    space_init(&r->red, nred, red, red_stride);
    r->nout = space_count(&r->kept);
    r->nin = space_count(&r->red);
    r->units = r->nout;
    r->parts = 1;
    if (r->kept.rank && r->kept.dims[r->kept.rank - 1] >= 16 && r->nin > 1) {
        inner = magnitude(r->kept.stride[r->kept.rank - 1]);
        r->columns = !r->red.rank || inner < magnitude(r->red.stride[r->red.rank - 1]);
    }
    if (r->columns) {
        r->strips = ceil_quotient(r->kept.dims[r->kept.rank - 1], STRIP);
        r->units = r->nout / r->kept.dims[r->kept.rank - 1] * r->strips;
    }
    if (r->empty || r->none)
        return;
    if (r->units < 16) {
        int64_t width = r->columns ? least(STRIP, r->kept.dims[r->kept.rank - 1]) : 1;

        r->part = ceil_quotient(PART, width);
        r->parts = ceil_quotient(r->nin, r->part);
    }
    if (r->parts > 1)
        r->workspace = (size_t)(r->units * r->parts) * (r->columns ? STRIP : 1) * 8 + 8;
}

/* ---- combining --------------------------------------------------------------------- */

typedef union Acc {
    double f;
    int64_t i;
    uint64_t u;
} Acc;

static double larger(double x, double y)
{
    if (x != x || y != y)
        return x != x ? x : y;
    return x > y || (x == y && !signbit(x)) ? x : y;
}

static double smaller(double x, double y)
{
    if (x != x || y != y)
        return x != x ? x : y;
    return x < y || (x == y && signbit(x)) ? x : y;
}

static Acc combine_floats(KFoldOp op, Acc x, Acc y)
{
    switch (op) {
    case KF_SUM: return (Acc){.f = x.f + y.f};
    case KF_PROD: return (Acc){.f = x.f * y.f};
    case KF_MAX: return (Acc){.f = larger(x.f, y.f)};
    default: return (Acc){.f = smaller(x.f, y.f)};
    }
}

static Acc combine_ints(KFoldOp op, KType t, Acc x, Acc y)
{
    int less = t == KT_U64 ? x.u < y.u : x.i < y.i;

    switch (op) {
    case KF_SUM: return (Acc){.u = x.u + y.u};
    case KF_PROD: return (Acc){.u = x.u * y.u};
    case KF_MAX: return less ? y : x;
    case KF_MIN: return less ? x : y;
    case KF_AND: return (Acc){.u = x.u & y.u};
    default: return (Acc){.u = x.u | y.u};
    }
}

static Acc combine(const KReduce *r, Acc x, Acc y)
{
    return r->type >= KT_F16 ? combine_floats(r->op, x, y)
                             : combine_ints(r->op, r->type, x, y);
}

static void store_acc(const KReduce *r, Acc x, void *y, int64_t at)
{
    k_cast(r->loops, r->type >= KT_F16 ? KT_F64 : KT_I64,
           r->type)(1, &x, (char *)y + at * (int64_t)k_size(r->type));
}

/* The lowest (highest) number of a type. */
static Acc extreme(KType t, int low)
{
    int width = (int)k_size(t) * 8, is_signed = t >= KT_I8 && t <= KT_I64;

    if (t >= KT_F16)
        return (Acc){.f = low ? -(double)INFINITY : (double)INFINITY};
    if (t == KT_BOOL)
        return (Acc){.i = !low};
    if (is_signed)
        return (Acc){.i = low ? INT64_MIN >> (64 - width) : INT64_MAX >> (64 - width)};
    return (Acc){.u = low ? 0 : UINT64_MAX >> (64 - width)};
}

static Acc identity(const KReduce *r)
{
    switch (r->op) {
    case KF_PROD: return r->type >= KT_F16 ? (Acc){.f = 1} : (Acc){.i = 1};
    case KF_MAX: return extreme(r->type, 1);
    case KF_MIN: return extreme(r->type, 0);
    case KF_AND: return (Acc){.i = r->type == KT_BOOL ? 1 : -1};
    default: return (Acc){.u = 0};
    }
}

/* ---- rows -------------------------------------------------------------------------- */

static int64_t offset_of(const KSpace *s, int rank, int64_t index)
{
    int64_t offset = 0;

    for (int i = rank - 1; i >= 0; i--) {
        offset += index % s->dims[i] * s->stride[i];
        index /= s->dims[i];
    }
    return offset;
}

/* Elements pos .. end-1 of what is reduced into one result. */
static Acc fold_range(const KReduce *r, const char *x, int64_t pos, int64_t end)
{
    size_t size = k_size(r->type);
    KFold fold = r->loops->type[r->acc]->fold[r->op];
    KCast widen = r->acc != r->type ? k_cast(r->loops, r->type, r->acc) : NULL;
    int direct = !widen && r->red.rank == 1 && r->red.stride[0] == 1;
    int64_t step = direct ? WIDE : BLOCK;
    uint64_t buf[BLOCK], wide[BLOCK];
    Acc acc = {0}, one;

    for (int64_t at = pos; at < end; at += step) {
        int64_t n = least(step, end - at);
        const void *p =
            direct ? x + at * (int64_t)size : stage(&r->red, size, x, at, n, buf);

        if (widen) {
            widen(n, p, wide);
            p = wide;
        }
        fold(n, p, &one);
        acc = at == pos ? one : combine(r, acc, one);
    }
    return acc;
}

typedef struct ReduceRun {
    const KReduce *r;
    const char *x;
    void *y;
    void *partial; /* [units][parts] */
    int64_t group; /* units of a task */
} ReduceRun;

static void row_unit(const ReduceRun *run, int64_t unit)
{
    const KReduce *r = run->r;
    const char *x =
        run->x + offset_of(&r->kept, r->kept.rank, unit) * (int64_t)k_size(r->type);

    store_acc(r, fold_range(r, x, 0, r->nin), run->y, unit);
}

static void row_part(void *user, int i)
{
    const ReduceRun *run = user;
    const KReduce *r = run->r;
    int64_t unit = i / r->parts, first = i % r->parts * r->part;
    const char *x =
        run->x + offset_of(&r->kept, r->kept.rank, unit) * (int64_t)k_size(r->type);
    Acc acc = fold_range(r, x, first, least(first + r->part, r->nin));

    memcpy((char *)run->partial + (size_t)i * sizeof acc, &acc, sizeof acc);
}

static void join_rows(const ReduceRun *run)
{
    const KReduce *r = run->r;
    const char *at = run->partial;

    for (int64_t unit = 0; unit < r->units; unit++) {
        Acc acc, one;

        for (int64_t i = 0; i < r->parts; i++, at += sizeof one) {
            memcpy(&one, at, sizeof one);
            acc = i ? combine(r, acc, one) : one;
        }
        store_acc(r, acc, run->y, unit);
    }
}

/* ---- columns ----------------------------------------------------------------------- */

static const KMapOp map_of[KF_COUNT] = {KM_add, KM_mul, KM_max, KM_min, KM_and, KM_or};

typedef struct Strip {
    const char *x; /* its first element */
    int64_t n, at; /* columns; where they are in y */
} Strip;

static Strip strip_of(const ReduceRun *run, int64_t unit)
{
    const KReduce *r = run->r;
    int inner = r->kept.rank - 1;
    int64_t row = unit / r->strips, col = unit % r->strips * STRIP;
    int64_t offset = offset_of(&r->kept, inner, row) + col * r->kept.stride[inner];

    return (Strip){run->x + offset * (int64_t)k_size(r->type),
                   least(STRIP, r->kept.dims[inner] - col),
                   row * r->kept.dims[inner] + col};
}

/* Row i of the strip as numbers to add; buf has room for STRIP of them. */
static const void *strip_row(const KReduce *r, const Strip *s, int64_t i, void *raw,
                             void *buf)
{
    size_t size = k_size(r->type);
    int64_t stride = r->kept.stride[r->kept.rank - 1];
    int64_t row = r->red.rank == 1 ? i * r->red.stride[0]
                                   : offset_of(&r->red, r->red.rank, i);
    const void *p = s->x + row * (int64_t)size;

    if (stride != 1) {
        gather_row(size, s->n, p, stride, raw);
        p = raw;
    }
    if (r->acc == r->type)
        return p;
    k_cast(r->loops, r->type, r->acc)(s->n, p, buf);
    return buf;
}

/* Rows first .. end-1 into acc. */
static void fold_strip(const KReduce *r, const Strip *s, int64_t first, int64_t end,
                       void *acc)
{
    uint64_t raw[STRIP], wide[STRIP], bunch[STRIP];
    KLoop loop = r->loops->type[r->acc]->map[map_of[r->op]];
    size_t bytes = (size_t)s->n * k_size(r->acc);

    for (int64_t i = first; i < end; i += BUNCH) {
        void *to = i == first ? acc : (void *)bunch;

        memcpy(to, strip_row(r, s, i, raw, wide), bytes);
        for (int64_t k = i + 1; k < least(i + BUNCH, end); k++)
            loop(s->n, (const void *[]){to, strip_row(r, s, k, raw, wide)}, &to);
        if (i != first)
            loop(s->n, (const void *[]){acc, bunch}, &acc);
    }
}

static void store_strip(const ReduceRun *run, const Strip *s, const void *acc)
{
    const KReduce *r = run->r;
    char *y = (char *)run->y + s->at * (int64_t)k_size(r->type);

    k_cast(r->loops, r->acc, r->type)(s->n, acc, y);
}

static void column_unit(const ReduceRun *run, int64_t unit)
{
    uint64_t acc[STRIP];
    Strip s = strip_of(run, unit);

    fold_strip(run->r, &s, 0, run->r->nin, acc);
    store_strip(run, &s, acc);
}

static void column_part(void *user, int i)
{
    const ReduceRun *run = user;
    const KReduce *r = run->r;
    int64_t first = i % r->parts * r->part;
    Strip s = strip_of(run, i / r->parts);

    fold_strip(r, &s, first, least(first + r->part, r->nin),
               (char *)run->partial + (size_t)i * STRIP * 8);
}

static void join_columns(const ReduceRun *run)
{
    const KReduce *r = run->r;
    KLoop loop = r->loops->type[r->acc]->map[map_of[r->op]];

    for (int64_t unit = 0; unit < r->units; unit++) {
        Strip s = strip_of(run, unit);
        char *part = (char *)run->partial + (size_t)(unit * r->parts) * STRIP * 8;
        void *acc = part;

        for (int64_t i = 1; i < r->parts; i++)
            loop(s.n, (const void *[]){acc, part + (size_t)i * STRIP * 8}, &acc);
        store_strip(run, &s, acc);
    }
}

/* ---- all --------------------------------------------------------------------------- */

static void unit_task(void *user, int i)
{
    const ReduceRun *run = user;
    const KReduce *r = run->r;
    int64_t end = least((i + 1) * run->group, r->units);

    for (int64_t unit = i * run->group; unit < end; unit++)
        if (r->columns)
            column_unit(run, unit);
        else
            row_unit(run, unit);
}

void kreduce_run(const KReduce *r, const void *x, void *y, const KPar *par,
                 void *workspace)
{
    ReduceRun run = {r, x, y, NULL, 1};
    int64_t width = r->columns ? STRIP : 1;

    if (r->empty)
        return;
    if (r->none) {
        Acc none = identity(r);

        store_acc(r, none, y, 0);
        kmove_fill(k_size(r->type), r->nout - 1, (char *)y + k_size(r->type), y, par);
        return;
    }
    if (r->parts > 1) {
        /* aligned for any element */
        run.partial = (void *)(((uintptr_t)workspace + 7) & ~(uintptr_t)7);
        run_tasks(par, r->units * r->parts, r->columns ? column_part : row_part, &run);
        if (r->columns)
            join_columns(&run);
        else
            join_rows(&run);
        return;
    }
    run.group = ceil_quotient(PART, r->nin * width);
    if (r->nout * r->nin < K_TASK)
        run.group = r->units;
    run_tasks(par, ceil_quotient(r->units, run.group), unit_task, &run);
}

/* ---- places of extremes ---------------------------------------------- */

typedef struct LineRun {
    int largest;
    KType type, out_type;
    int64_t n, inner, lines, group;
    const char *x;
    char *y;
} LineRun;

static void store_place(const LineRun *r, int64_t line, int64_t place)
{
    if (r->out_type == KT_I32)
        ((int32_t *)r->y)[line] = (int32_t)place;
    else
        ((int64_t *)r->y)[line] = place;
}

#define ARG_LINE(T, LOAD, V)                                                             \
    do {                                                                                 \
        const T *a = (const T *)r->x + first;                                            \
        V top = LOAD(a[0]);                                                              \
        for (int64_t k = 1; k < r->n && top == top; k++) {                               \
            V v = LOAD(a[k * r->inner]);                                                 \
            if (v != v || (r->largest ? v > top : v < top)) {                            \
                top = v;                                                                 \
                best = k;                                                                \
            }                                                                            \
        }                                                                                \
    } while (0)
#define AS_IS(v)   (v)
#define AS_BOOL(v) ((v) != 0)

static int64_t arg_line(const LineRun *r, int64_t first)
{
    int64_t best = 0;

    switch (r->type) {
    case KT_BOOL: ARG_LINE(uint8_t, AS_BOOL, int); break;
    case KT_I8: ARG_LINE(int8_t, AS_IS, int8_t); break;
    case KT_I16: ARG_LINE(int16_t, AS_IS, int16_t); break;
    case KT_I32: ARG_LINE(int32_t, AS_IS, int32_t); break;
    case KT_I64: ARG_LINE(int64_t, AS_IS, int64_t); break;
    case KT_U8: ARG_LINE(uint8_t, AS_IS, uint8_t); break;
    case KT_U16: ARG_LINE(uint16_t, AS_IS, uint16_t); break;
    case KT_U32: ARG_LINE(uint32_t, AS_IS, uint32_t); break;
    case KT_U64: ARG_LINE(uint64_t, AS_IS, uint64_t); break;
    case KT_F16: ARG_LINE(uint16_t, f16_to_f32, float); break;
    case KT_BF16: ARG_LINE(uint16_t, bf16_to_f32, float); break;
    case KT_F32: ARG_LINE(float, AS_IS, float); break;
    case KT_F64: ARG_LINE(double, AS_IS, double); break;
    }
    return best;
}

static void line_task(void *user, int i)
{
    const LineRun *r = user;
    int64_t end = least((i + 1) * r->group, r->lines);

    for (int64_t line = i * r->group; line < end; line++) {
        int64_t first = line / r->inner * r->n * r->inner + line % r->inner;

        store_place(r, line, arg_line(r, first));
    }
}

static void run_lines(LineRun *r, const KPar *par)
{
    r->group = r->lines * r->n < K_TASK ? r->lines : ceil_quotient(PART, r->n);
    if (r->lines > 0)
        run_tasks(par, ceil_quotient(r->lines, r->group), line_task, r);
}

void k_arg(int largest, KType type, KType out_type, int64_t outer, int64_t n,
           int64_t inner, const void *x, void *out, const KPar *par)
{
    LineRun r = {.largest = largest,
                 .type = type,
                 .out_type = out_type,
                 .n = n,
                 .inner = inner,
                 .lines = outer * inner,
                 .x = x,
                 .y = out};

    run_lines(&r, par);
}
