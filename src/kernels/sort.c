/* sort.c -- arrays sorted together along an axis, by any number of keys.
 *
 * Every key becomes an unsigned number of the same order (NaN the largest, -0 equal to 0,
 * all bits turned where it descends), which stands in an item beside the place it came
 * from. Items are sorted by radix, by the last key first: each sort is stable, so that
 * the earlier keys decide. Lines are shared out to threads; a single long line is cut
 * into one run for each thread, which are sorted and then merged in pairs, every merge
 * itself cut up. The order is the only one that a stable sort can give, so results do not
 * depend on how the work was split.
 */
#include "base/base.h"
#include "sort.h"
#include "stage.h"

#include <string.h>

#define SMALL_PLACES ((int64_t)1 << 32)

typedef struct Pair {
    uint64_t key, place;
} Pair;

/* A key of at most 32 bits above a place of 32. */
#define ITEM         uint64_t
#define ITEM_KEY(x)  ((x) >> 32)
#define ITEM_NAME(f) KERNEL_CAT(f, _packed)
#include "sort_items.h"

#define ITEM         Pair
#define ITEM_KEY(x)  ((x).key)
#define ITEM_NAME(f) KERNEL_CAT(f, _pairs)
#include "sort_items.h"

/* ---- keys ---------------------------------------------------------------------------- */

static inline uint64_t ordered_int(uint64_t v, uint64_t sign, uint64_t mask, int down)
{
    return ((v ^ sign) ^ (down ? mask : 0)) & mask;
}

/* v: the bits; inf: those of infinity. */
static inline uint64_t ordered_float(uint64_t v, uint64_t sign, uint64_t inf, int down)
{
    uint64_t mask = sign | (sign - 1), size = v & (sign - 1);

    if (size > inf)
        return mask;
    if (!size)
        v = 0;
    v = v & sign ? ~v & mask : v | sign;
    return down ? ~v & mask : v;
}

#define KEYS(T, EXPR)                                                                    \
    for (int64_t i = first; i < last; i++) {                                             \
        uint64_t place = fresh  ? (uint64_t)i                                            \
                         : wide ? pairs[i].place                                         \
                                : (uint32_t)packed[i];                                   \
        T stored;                                                                        \
        uint64_t v;                                                                      \
                                                                                         \
        memcpy(&stored, (const T *)x + (int64_t)place * step, sizeof stored);            \
        v = stored;                                                                      \
        v = (EXPR);                                                                      \
        if (wide)                                                                        \
            pairs[i] = (Pair){v, place};                                                 \
        else                                                                             \
            packed[i] = v << 32 | place;                                                 \
    }                                                                                    \
    break

/* Items first .. last-1 get the keys of their places in x, elements `step` apart. fresh:
 * their places are their own numbers. */
static void load_keys(KType type, int down, const void *x, int64_t step, int wide,
                      int fresh, void *items, int64_t first, int64_t last)
{
    Pair *pairs = items;
    uint64_t *packed = items;

    switch (type) {
    case KT_BOOL: KEYS(uint8_t, ordered_int(v != 0, 0, 0xff, down));
    case KT_U8: KEYS(uint8_t, ordered_int(v, 0, 0xff, down));
    case KT_I8: KEYS(uint8_t, ordered_int(v, 0x80, 0xff, down));
    case KT_U16: KEYS(uint16_t, ordered_int(v, 0, 0xffff, down));
    case KT_I16: KEYS(uint16_t, ordered_int(v, 0x8000, 0xffff, down));
    case KT_U32: KEYS(uint32_t, ordered_int(v, 0, UINT32_MAX, down));
    case KT_I32: KEYS(uint32_t, ordered_int(v, 1u << 31, UINT32_MAX, down));
    case KT_U64: KEYS(uint64_t, ordered_int(v, 0, UINT64_MAX, down));
    case KT_I64: KEYS(uint64_t, ordered_int(v, 1ull << 63, UINT64_MAX, down));
    case KT_F16: KEYS(uint16_t, ordered_float(v, 0x8000, 0x7c00, down));
    case KT_BF16: KEYS(uint16_t, ordered_float(v, 0x8000, 0x7f80, down));
    case KT_F32: KEYS(uint32_t, ordered_float(v, 1u << 31, 0x7f800000, down));
    case KT_F64: KEYS(uint64_t, ordered_float(v, 1ull << 63, 0x7ffull << 52, down));
    }
}

#define MOVE(T)                                                                          \
    for (int64_t k = first; k < last; k++) {                                             \
        uint64_t place = wide ? pairs[k].place : (uint32_t)packed[k];                    \
                                                                                         \
        ((T *)y)[k * step] = ((const T *)x)[(int64_t)place * step];                      \
    }                                                                                    \
    break

static void move_items(size_t size, const void *x, void *y, int64_t step, int wide,
                       const void *items, int64_t first, int64_t last)
{
    const Pair *pairs = items;
    const uint64_t *packed = items;

    switch (size) {
    case 1: MOVE(uint8_t);
    case 2: MOVE(uint16_t);
    case 4: MOVE(uint32_t);
    default: MOVE(uint64_t);
    }
}

/* ---- lines --------------------------------------------------------------------------- */

typedef struct SortRun {
    const KSort *s;
    const void *const *in;
    void *const *out;
    char *work;
    /* a long line: */
    int64_t line, run; /* run: items of a sorted run, before merging */
    char *from, *to;
    int key;
} SortRun;

static const void *line_of(const KSort *s, const void *x, size_t size, int64_t line)
{
    int64_t first = line / s->inner * s->n * s->inner + line % s->inner;

    return (const char *)x + first * (int64_t)size;
}

static void load_range(const SortRun *r, int64_t line, int key, void *items,
                       int64_t first, int64_t last)
{
    const KSort *s = r->s;

    load_keys(s->type[key], s->down[key],
              line_of(s, r->in[key], k_size(s->type[key]), line), s->inner, s->wide,
              key == s->keys - 1, items, first, last);
}

static void move_range(const SortRun *r, int64_t line, const void *items, int64_t first,
                       int64_t last)
{
    const KSort *s = r->s;

    for (int i = 0; i < s->count; i++) {
        size_t size = k_size(s->type[i]);

        move_items(size, line_of(s, r->in[i], size, line),
                   (void *)line_of(s, r->out[i], size, line), s->inner, s->wide, items,
                   first, last);
    }
}

static void sort_range(const KSort *s, int key, char *items, char *spare, int64_t n)
{
    int bits = 8 * (int)k_size(s->type[key]);

    if (s->wide)
        sort_pairs((Pair *)(void *)items, (Pair *)(void *)spare, n, bits);
    else /* the key is above the place */
        sort_packed((uint64_t *)(void *)items, (uint64_t *)(void *)spare, n, bits);
}

static void lines_task(void *user, int task)
{
    const SortRun *r = user;
    const KSort *s = r->s;
    size_t bytes = (size_t)s->n * s->item;
    char *items = r->work + (size_t)task * 2 * bytes;
    int64_t group = ceil_quotient(s->lines, s->tasks);

    for (int64_t line = task * group; line < least((task + 1) * group, s->lines);
         line++) {
        for (int key = s->keys; key-- > 0;) {
            load_range(r, line, key, items, 0, s->n);
            sort_range(s, key, items, items + bytes, s->n);
        }
        move_range(r, line, items, 0, s->n);
    }
}

/* ---- one long line ------------------------------------------------------------------- */

static void run_task(void *user, int task)
{
    const SortRun *r = user;
    const KSort *s = r->s;
    int64_t first = task * r->run, last = least(first + r->run, s->n);
    size_t at = (size_t)first * s->item;

    load_range(r, r->line, r->key, r->from, first, last);
    sort_range(s, r->key, r->from + at, r->to + at, last - first);
}

/* A part of all that is merged in this round, which lies in one pair of runs. */
static void merge_task(void *user, int task)
{
    const SortRun *r = user;
    const KSort *s = r->s;
    int64_t part = s->part, begin = task * part, end = least(begin + part, s->n);
    int64_t pair = begin / (2 * r->run) * (2 * r->run);
    int64_t na = least(r->run, s->n - pair), nb = least(r->run, s->n - pair - na);
    size_t a = (size_t)pair * s->item, b = a + (size_t)na * s->item;

    if (s->wide)
        merge_pairs((Pair *)(void *)(r->from + a), na, (Pair *)(void *)(r->from + b), nb,
                    (Pair *)(void *)(r->to + a), begin - pair, end - pair);
    else
        merge_packed((uint64_t *)(void *)(r->from + a), na,
                     (uint64_t *)(void *)(r->from + b), nb,
                     (uint64_t *)(void *)(r->to + a), begin - pair, end - pair);
}

static void move_task(void *user, int task)
{
    const SortRun *r = user;
    int64_t first = task * r->s->part;

    move_range(r, r->line, r->from, first, least(first + r->s->part, r->s->n));
}

static void sort_long(SortRun *r, const KPar *par)
{
    const KSort *s = r->s;
    int tasks = (int)ceil_quotient(s->n, s->part);

    r->from = r->work;
    r->to = r->work + (size_t)s->n * s->item;
    for (r->key = s->keys; r->key-- > 0;) {
        r->run = s->part;
        run_tasks(par, tasks, run_task, r);
        for (; r->run < s->n; r->run *= 2) {
            char *swap = r->from;

            run_tasks(par, tasks, merge_task, r);
            r->from = r->to;
            r->to = swap;
        }
    }
    run_tasks(par, tasks, move_task, r);
}

/* ---- the step ------------------------------------------------------------------------ */

void ksort_init(KSort *s, int threads)
{
    s->wide = s->n >= SMALL_PLACES;
    for (int i = 0; i < s->keys; i++)
        s->wide |= k_size(s->type[i]) > 4;
    s->item = s->wide ? sizeof(Pair) : sizeof(uint64_t);
    s->tasks = 1;
    s->part = 0;
    if (s->n * s->lines >= K_TASK)
        s->tasks = (int)least(threads, s->lines);
    if (threads > 1 && s->lines < threads && s->n >= 2 * K_TASK) {
        int64_t runs = 2;

        while (runs < threads && s->n / runs >= 2 * K_TASK)
            runs *= 2;
        s->part = ceil_quotient(s->n, runs);
        s->tasks = 1;
    }
    s->workspace = s->lines ? 2 * (size_t)s->tasks * (size_t)s->n * s->item : 0;
}

void ksort_run(const KSort *s, const void *const *in, void *const *out, const KPar *par,
               void *workspace)
{
    SortRun r = {.s = s, .in = in, .out = out, .work = workspace};

    if (!s->n || !s->lines)
        return;
    if (!s->part)
        run_tasks(par, s->tasks, lines_task, &r);
    else
        for (r.line = 0; r.line < s->lines; r.line++)
            sort_long(&r, par);
}

/* ---- the first few ------------------------------------------------------------------- */

#define KEYS_OF 512 /* elements whose keys are made together */

typedef struct TopRun {
    const KTop *t;
    const void *x;
    void *y;
    int64_t *place;
    char *work;
} TopRun;

static inline int is_later(const Pair *a, const Pair *b)
{
    return a->key != b->key ? a->key > b->key : a->place > b->place;
}

/* heap[at] sinks in a heap of n pairs, the last of their order on top. */
static void sink(Pair *heap, int64_t n, int64_t at)
{
    Pair x = heap[at];

    for (int64_t child; (child = 2 * at + 1) < n; at = child) {
        child += child + 1 < n && is_later(&heap[child + 1], &heap[child]);
        if (!is_later(&heap[child], &x))
            break;
        heap[at] = heap[child];
    }
    heap[at] = x;
}

static void sort_heap(Pair *heap, int64_t n)
{
    for (int64_t end = n - 1; end > 0; end--) {
        Pair x = heap[0];

        heap[0] = heap[end];
        heap[end] = x;
        sink(heap, end, 0);
    }
}

/* NaN, which sorts last in both directions, comes first where it counts as largest. */
static uint64_t nan_key(KType type)
{
    switch (type) {
    case KT_F16:
    case KT_BF16: return 0xffff;
    case KT_F32: return UINT32_MAX;
    default: return UINT64_MAX;
    }
}

static void top_line(const KTop *t, const char *x, Pair *heap, Pair *keys)
{
    int64_t size = (int64_t)k_size(t->type), have = 0;
    int nan_first = t->largest && t->type >= KT_F16;
    uint64_t nan = nan_key(t->type);

    for (int64_t at = 0; at < t->n; at += KEYS_OF) {
        int64_t count = least(KEYS_OF, t->n - at);

        load_keys(t->type, t->largest, x + at * t->inner * size, t->inner, 1, 1, keys, 0,
                  count);
        for (int64_t i = 0; i < count; i++) {
            Pair p = {nan_first && keys[i].key == nan ? 0 : keys[i].key,
                      (uint64_t)(at + i)};

            if (have < t->k) {
                heap[have++] = p;
                for (int64_t j = have / 2; have == t->k && j-- > 0;)
                    sink(heap, have, j);
            } else if (p.key < heap[0].key) {
                heap[0] = p;
                sink(heap, have, 0);
            }
        }
    }
    sort_heap(heap, have);
}

static void top_task(void *user, int task)
{
    const TopRun *r = user;
    const KTop *t = r->t;
    size_t size = k_size(t->type);
    Pair *heap = (Pair *)(void *)(r->work +
                                  (size_t)task * (size_t)(t->k + KEYS_OF) * sizeof *heap);

    for (int64_t line = t->lines * task / t->tasks;
         line < t->lines * (task + 1) / t->tasks; line++) {
        int64_t from = line / t->inner * t->n * t->inner + line % t->inner,
                to = line / t->inner * t->k * t->inner + line % t->inner;
        const char *x = (const char *)r->x + from * (int64_t)size;

        top_line(t, x, heap, heap + t->k);
        for (int64_t j = 0; j < t->k; j++, to += t->inner) {
            memcpy((char *)r->y + to * (int64_t)size,
                   x + (int64_t)heap[j].place * t->inner * (int64_t)size, size);
            if (r->place)
                r->place[to] = (int64_t)heap[j].place;
        }
    }
}

void ktop_init(KTop *t, int threads)
{
    int64_t tasks = t->lines * t->n < K_TASK ? 1 : least(t->lines, 4 * (int64_t)threads);

    t->tasks = tasks < 1 ? 1 : (int)tasks;
    t->workspace = (size_t)t->tasks * (size_t)(t->k + KEYS_OF) * sizeof(Pair);
}

void ktop_run(const KTop *t, const void *x, void *y, int64_t *place, const KPar *par,
              void *workspace)
{
    TopRun r = {t, x, y, place, workspace};

    if (t->k > 0 && t->lines > 0)
        run_tasks(par, t->tasks, top_task, &r);
}
