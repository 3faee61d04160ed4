/* test_random.c -- the random numbers of PyTorch, NumPy, Python and JAX, against the libraries' own.
 *
 * The goldens are lines of tests/golden/random/LIBRARY.txt (see tools/golden_random.py): a seed, then
 * calls on one generator, each with the bits it gave. What libm or an approximation may round otherwise
 * is compared within a few ulps, the rest bit for bit.
 */
#include "lib_check.h"
#include "random/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define WORDS 512

typedef struct Line { /* one line, split */
    const char *path;
    int number;
    char *word[WORDS];
    int n;
    int args; /* words before the sign */
    bool exact;
    int values; /* first word after the sign */
} Line;

typedef struct Golden {
    Line line;
    Arena arena;
    wf_ctx *cx;
    TorchRng torch;
    NumpyRng numpy;
    PythonRng python;
    uint64_t seed; /* jax */
    int ulps;      /* allowed where a line is not exact */
    bool jax;
    int64_t checked;
} Golden;

static const double test_weights[] = {0.1, 3.0, 0.0, 2.0, 0.7, 1.0, 5.5};
static const double numpy_weights[] = {0.1, 0.3, 0.0, 0.2, 0.25, 0.15};

static wf_dtype dtype_named(const char *s)
{
    for (int t = 1; t < WF_DTYPE_COUNT; t++)
        if (!strcmp(wf_dtype_name((wf_dtype)t), s))
            return (wf_dtype)t;
    return WF_INVALID;
}

static double arg_f64(const Golden *g, int i) { return strtod(g->line.word[i], NULL); }
static int64_t arg_i64(const Golden *g, int i)
{
    return (int64_t)strtoll(g->line.word[i], NULL, 10);
}
static uint64_t arg_bits(const Golden *g,
                         int i) /* an integer of 64 bits, of either sign */
{
    const char *s = g->line.word[i];

    return s[0] == '-' ? (uint64_t)strtoll(s, NULL, 10) : strtoull(s, NULL, 10);
}

/* ---- comparing ---------------------------------------------------------------------------------- */

static uint64_t element(wf_dtype t, const void *p, int64_t i)
{
    switch (wf_dtype_size(t)) {
    case 1: return ((const uint8_t *)p)[i];
    case 2: return ((const uint16_t *)p)[i];
    case 4: return ((const uint32_t *)p)[i];
    default: return ((const uint64_t *)p)[i];
    }
}

/* Bits of a float as an integer in the order of the numbers. */
static int64_t ordered(wf_dtype t, uint64_t bits)
{
    int width = (int)wf_dtype_size(t) * 8;
    int64_t magnitude = (int64_t)(bits & (~UINT64_C(0) >> (65 - width)));

    return bits >> (width - 1) & 1 ? -magnitude : magnitude;
}

static double as_f64(wf_dtype t, uint64_t bits)
{
    union {
        uint64_t u;
        double d;
    } wide = {bits};
    union {
        uint32_t u;
        float f;
    } narrow = {(uint32_t)bits};

    return t == WF_F64   ? wide.d
           : t == WF_F32 ? (double)narrow.f
           : t == WF_F16 ? (double)f16_to_f32((uint16_t)bits)
                         : (double)bf16_to_f32((uint16_t)bits);
}

static double eps(wf_dtype t)
{
    return t == WF_F64 ? 0x1p-52 : t == WF_F32 ? 0x1p-23 : t == WF_F16 ? 0x1p-10 : 0x1p-7;
}

static bool agrees(const Golden *g, wf_dtype t, uint64_t got, uint64_t want)
{
    int64_t apart;
    double slack;

    if (got == want)
        return true;
    if (g->line.exact)
        return false;
    apart = ordered(t, got) - ordered(t, want);
    /* near 0 the error is that of the terms that cancelled there; XLA's log1p of f64 is good to 80 ulps */
    slack = !g->jax ? 0 : t == WF_F64 ? 128 : 2;
    return llabs(apart) <= g->ulps + (t == WF_F64) ||
           fabs(as_f64(t, got) - as_f64(t, want)) <= slack * eps(t);
}

static void compare(Golden *g, wf_dtype t, const void *data, int64_t n)
{
    const Line *l = &g->line;
    int64_t at = 0;

    for (int i = l->values; i < l->n; i++) {
        if (!strcmp(l->word[i], "...")) {
            at = n - (l->n - i - 1 - (l->word[l->n - 1][0] == '#'));
            continue;
        }
        if (l->word[i][0] == '#') {
            uint64_t c = 0, want = strtoull(l->word[i] + 1, NULL, 16);

            for (int64_t j = 0; j < n; j++)
                c = c * 0x9E3779B97F4A7C15u + element(t, data, j);
            if (c != want)
                check_fail(l->path, l->number, "%s %s %s: the checksum differs",
                           l->word[0], l->word[1], l->word[2]);
            continue;
        }
        uint64_t want = strtoull(l->word[i], NULL, 16);

        if (at >= n) {
            check_fail(l->path, l->number, "%s: %lld elements are too few", l->word[0],
                       (long long)n);
            return;
        }
        g->checked++;
        if (!agrees(g, t, element(t, data, at), want)) {
            check_fail(
                l->path, l->number, "%s %s %s: element %lld is %llx, should be %llx",
                l->word[0], l->word[1], l->word[2], (long long)at,
                (unsigned long long)element(t, data, at), (unsigned long long)want);
            return;
        }
        at++;
    }
    if (at != n)
        check_fail(l->path, l->number, "%s: %lld elements are too many", l->word[0],
                   (long long)n);
}

/* ---- reading ---------------------------------------------------------------------------------------- */

static bool split_line(Line *l, char *text)
{
    l->n = 0;
    l->args = 0;
    l->values = 0;
    for (char *s = strtok(text, " "); s && l->n < WORDS; s = strtok(NULL, " ")) {
        if (!l->values && (!strcmp(s, "=") || !strcmp(s, "~"))) {
            l->exact = s[0] == '=';
            l->args = l->n;
            l->values = l->n + 1;
        }
        l->word[l->n++] = s;
    }
    if (!l->values)
        l->args = l->n;
    return l->n > 0 && l->word[0][0] != '#';
}

static bool jax_line(Golden *g);

/* Every line of the file through run; counts what was compared. */
static void each_line(const char *path, int ulps, bool (*run)(Golden *g))
{
    Golden *g = calloc(1, sizeof *g);
    size_t size;
    char *text = read_text(path, &size), *next;
    BENCH_OPEN(bench);

    REQUIRE(g && text);
    g->cx = bench.cx;
    g->ulps = ulps;
    g->jax = run == jax_line;
    g->line.path = path;
    arena_init(&g->arena, &alloc_default, bench.cx);
    for (char *s = text; *s; s = next) {
        char *end = strchr(s, '\n');

        next = end ? end + 1 : s + strlen(s);
        if (end)
            *end = 0;
        g->line.number++;
        arena_clear(&g->arena);
        if (split_line(&g->line, s) && !run(g))
            check_fail(path, g->line.number, "what is '%s'?", g->line.word[0]);
    }
    CHECK(g->checked > 500);
    arena_free(&g->arena);
    free(g);
    free(text);
    BENCH_CLOSE(bench);
}

/* ---- PyTorch ------------------------------------------------------------------------------------------ */

static bool is(const Golden *g, const char *name)
{
    return !strcmp(g->line.word[0], name);
}

static void *ramp(Golden *g, wf_dtype t, int64_t n)
{
    void *p = arena_array(&g->arena, (size_t)n, 8);

    for (int64_t i = 0; i < n; i++) {
        float x = ((float)i + 0.5f) / (float)MAX(n, 1);

        if (t == WF_F64)
            ((double *)p)[i] = (double)x;
        else
            ((float *)p)[i] = x;
    }
    return p;
}

static void torch_draw_multinomial(Golden *g, wf_dtype t, int64_t m, int64_t *out)
{
    float narrow[COUNT(test_weights)];
    double scratch[COUNT(test_weights)];

    for (int i = 0; i < COUNT(test_weights); i++)
        narrow[i] = (float)test_weights[i];
    torch_multinomial(&g->torch, t, t == WF_F64 ? (const void *)test_weights : narrow,
                      COUNT(test_weights), m, arg_i64(g, 3) != 0, out, scratch);
}

static bool torch_line(Golden *g)
{
    if (is(g, "seed")) {
        torch_seed(&g->torch, strtoull(g->line.word[1], NULL, 10));
        return true;
    }
    wf_dtype t = dtype_named(g->line.word[1]);
    int64_t n = arg_i64(g, 2);
    void *out = arena_array(&g->arena, (size_t)n, 8);
    TorchRng *r = &g->torch;
    bool ok = true;

    if (is(g, "uniform"))
        ok = torch_uniform(r, t, out, n, arg_f64(g, 3), arg_f64(g, 4));
    else if (is(g, "normal"))
        ok = torch_normal(r, t, out, n, arg_f64(g, 3), arg_f64(g, 4));
    else if (is(g, "exponential"))
        ok = torch_exponential(r, t, out, n, arg_f64(g, 3));
    else if (is(g, "cauchy"))
        ok = torch_cauchy(r, t, out, n, arg_f64(g, 3), arg_f64(g, 4));
    else if (is(g, "log_normal"))
        ok = torch_log_normal(r, t, out, n, arg_f64(g, 3), arg_f64(g, 4));
    else if (is(g, "geometric"))
        ok = torch_geometric(r, t, out, n, arg_f64(g, 3));
    else if (is(g, "bernoulli"))
        ok = torch_bernoulli(r, t, out, n, arg_f64(g, 3));
    else if (is(g, "bernoulli_each"))
        ok = torch_bernoulli_each(r, t, out, n, t, ramp(g, t, n));
    else if (is(g, "randint"))
        ok = torch_randint(r, t, out, n, arg_i64(g, 3), arg_i64(g, 4));
    else if (is(g, "random"))
        ok = torch_random(r, t, out, n);
    else if (is(g, "randperm"))
        torch_randperm(r, out, n);
    else if (is(g, "multinomial"))
        torch_draw_multinomial(g, t, n, out);
    else if (is(g, "state"))
        torch_state_save(r, out);
    else
        return false;
    CHECK(ok);
    compare(g, is(g, "multinomial") ? WF_I64 : t, out, n);
    return true;
}

TEST(torch_numbers_are_pytorchs)
{
    each_line("tests/golden/random/torch.txt", 0, torch_line);
}

TEST(torch_state_saved_and_loaded_goes_on_as_before)
{
    static const int64_t draws[] = {0, 1, 15, 16, 17, 622, 623, 624, 625, 5000};
    TorchRng a, b;
    uint8_t state[TORCH_STATE_BYTES];

    for (int i = 0; i < COUNT(draws); i++)
        for (int half = 0; half < 2; half++) {
            double x;

            torch_seed(&a, 77);
            for (int64_t k = 0; k < draws[i]; k++)
                (void)torch_u32(&a);
            if (half)
                CHECK(torch_normal(&a, WF_F64, &x, 1, 0, 1));
            torch_state_save(&a, state);
            memset(&b, 0xa5, sizeof b);
            REQUIRE(torch_state_load(&b, state));
            for (int k = 0; k < 700; k++) {
                double y = 0, z = 1;

                CHECK(torch_normal(&a, WF_F64, &y, 1, 0, 1) &&
                      torch_normal(&b, WF_F64, &z, 1, 0, 1));
                REQUIRE(y == z);
                REQUIRE(torch_u32(&a) == torch_u32(&b));
            }
        }
}

/* The first numbers of torch.rand(10) and torch.randn(10) on a GPU, seed 0, as PyTorch prints them; a GPU of one block makes
 * the others of four words 256 elements apart, and a round more for what is beyond 1024. */
TEST(a_generator_of_a_gpu_has_the_numbers_of_pytorchs)
{
    static const double uniform[] = {0.3990, 0.5167, 0.0249, 0.9401, 0.9459, 0.7967, 0.4150, 0.8203, 0.2290, 0.9096};
    static const double normal[] = {-0.9247, -0.4253, -2.6438, 0.1452, -0.1209,
                                    -0.5797, -0.6229, -0.3284, -1.0745, -0.3631};
    static const uint32_t words[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
    TorchRng r, other;
    float x[1200];
    double y[10];
    int64_t k[8], more[8];
    uint8_t state[TORCH_GPU_STATE_BYTES], good[TORCH_GPU_STATE_BYTES];

    torch_seed(&r, 0);
    r.gpu = true;
    CHECK(torch_uniform(&r, WF_F32, x, 10, 0, 1));
    for (int i = 0; i < 10; i++)
        CHECK_NEAR((double)x[i], uniform[i], 0.5e-4);
    torch_seed_again(&r, 0);
    CHECK(torch_normal(&r, WF_F32, x, 10, 0, 1));
    for (int i = 0; i < 10; i++)
        CHECK_NEAR((double)x[i], normal[i], 0.5e-4);
    CHECK_EQ_INT((int64_t)r.count, 1);
    torch_seed_again(&r, 0);
    r.blocks = 1;
    CHECK(torch_uniform(&r, WF_F32, x, 1200, 0, 1));
    for (int i = 0; i < 4; i++)
        CHECK_NEAR((double)x[256 * i], words[i] * 0x1p-32, 1e-7);
    CHECK_EQ_INT((int64_t)r.count, 2);
    torch_gpu_state_save(&r, state);
    memcpy(good, state, sizeof good);
    torch_seed(&other, 5);
    other.gpu = true;
    CHECK(torch_gpu_state_load(&other, state));
    CHECK(torch_normal(&r, WF_F64, y, 4, 3, 2) && torch_normal(&other, WF_F64, y + 4, 4, 3, 2));
    CHECK(!memcmp(y, y + 4, 4 * sizeof *y));
    torch_seed_again(&r, 0);
    CHECK(torch_randint(&r, WF_I64, k, 1, -3, 7));
    CHECK_EQ_INT(k[0], (int64_t)(words[0] % 10) - 3);
    torch_gpu_state_save(&r, state);
    torch_randperm(&r, k, 8);
    CHECK(torch_gpu_state_load(&other, state));
    torch_randperm(&other, more, 8);
    CHECK(!memcmp(k, more, sizeof k));
    torch_seed_again(&r, 0);
    CHECK(torch_randint(&r, WF_I64, k, 1, 0, (int64_t)1 << 40)); /* from 64 bits */
    CHECK_EQ_INT(k[0], (int64_t)((((uint64_t)words[0] << 32) | words[1]) & (((uint64_t)1 << 40) - 1)));
    good[8] = 3;
    CHECK(!torch_gpu_state_load(&other, good));
}

TEST(torch_states_that_cannot_be_are_refused)
{
    TorchRng a, b;
    uint8_t good[TORCH_STATE_BYTES], bad[TORCH_STATE_BYTES];

    torch_seed(&a, 1);
    (void)torch_u32(&a);
    torch_state_save(&a, good);
    CHECK(torch_state_load(&b, good));
    for (int place = 8; place < 24;
         place++) { /* left, seeded, next: every other byte value */
        for (int v = 0; v < 256; v++) {
            memcpy(bad, good, sizeof bad);
            bad[place] = (uint8_t)v;
            if (v != good[place])
                CHECK(!torch_state_load(&b, bad));
        }
    }
}

TEST(torch_floats_have_no_integer_dtypes)
{
    TorchRng r;
    int32_t x[4];

    torch_seed(&r, 1);
    CHECK(!torch_uniform(&r, WF_I32, x, 4, 0, 1));
    CHECK(!torch_normal(&r, WF_I32, x, 4, 0, 1));
    CHECK(!torch_exponential(&r, WF_I32, x, 4, 1));
    CHECK(!torch_cauchy(&r, WF_I32, x, 4, 0, 1));
    CHECK(!torch_log_normal(&r, WF_I32, x, 4, 0, 1));
    CHECK(!torch_bernoulli_each(&r, WF_F32, x, 4, WF_I32, x));
    CHECK_EQ_INT(torch_u32(&r),
                 1791095845); /* the first word of seed 1: nothing was drawn */
}

/* ---- NumPy ---------------------------------------------------------------------------------------------- */

static bool numpy_reseed(Golden *g)
{
    uint32_t words[16];
    size_t n = 0;

    for (int i = 1; i < g->line.n && n < COUNT(words); i++)
        words[n++] = (uint32_t)strtoul(g->line.word[i], NULL, 16);
    if (is(g, "seed"))
        numpy_seed_int(&g->numpy, strtoull(g->line.word[1], NULL, 10));
    else if (is(g, "legacy"))
        numpy_seed_legacy(&g->numpy, (uint32_t)strtoul(g->line.word[1], NULL, 10));
    else if (is(g, "seed_words"))
        numpy_seed(&g->numpy, words, n);
    else if (is(g, "legacy_words"))
        numpy_seed_legacy_words(&g->numpy, words, n);
    else
        return false;
    return true;
}

static bool numpy_line(Golden *g)
{
    if (numpy_reseed(g))
        return true;
    wf_dtype t = dtype_named(g->line.word[1]);
    int64_t n = arg_i64(g, 2);
    void *out = arena_array(&g->arena, (size_t)n, 8);
    NumpyRng *r = &g->numpy;
    bool ok = true;

    if (is(g, "uniform"))
        ok = numpy_uniform(r, t, out, n, arg_f64(g, 3), arg_f64(g, 4));
    else if (is(g, "normal"))
        ok = numpy_normal(r, t, out, n, arg_f64(g, 3), arg_f64(g, 4));
    else if (is(g, "exponential"))
        for (int64_t i = 0; i < n; i++)
            ((double *)out)[i] = numpy_kind("exponential")->draw(r, (double[]){arg_f64(g, 3)});
    else if (is(g, "integers"))
        ok =
            numpy_integers(r, t, out, n, arg_bits(g, 3), arg_bits(g, 4) - arg_bits(g, 3));
    else if (is(g, "permutation"))
        numpy_permutation(r, out, n);
    else if (is(g, "choice"))
        numpy_choice(r, &g->arena, out, n, arg_i64(g, 3), arg_i64(g, 4) != 0,
                     arg_i64(g, 6) ? numpy_weights : NULL, arg_i64(g, 5) != 0);
    else
        return false;
    CHECK(ok);
    compare(g, t, out, n);
    return true;
}

TEST(numpy_numbers_are_numpys)
{
    each_line("tests/golden/random/numpy.txt", 0, numpy_line);
}

/* ---- Python ------------------------------------------------------------------------------------------------ */

static bool python_reseed(Golden *g)
{
    PythonRng *r = &g->python;

    if (is(g, "seed")) {
        python_seed_int(r, arg_i64(g, 1));
    } else if (is(g, "seed_float")) {
        python_seed_float(r, arg_f64(g, 1));
    } else if (is(g, "seed_text")) {
        const char *hex = g->line.word[1];
        size_t n = hex[0] == '-' ? 0 : strlen(hex) / 2;
        char *s = arena_alloc(&g->arena, n);

        for (size_t i = 0; i < n; i++)
            s[i] = (char)strtol((char[]){hex[2 * i], hex[2 * i + 1], 0}, NULL, 16);
        python_seed_bytes(r, &g->arena, s, n);
    } else if (is(g, "seed_words")) {
        uint32_t words[16];
        size_t n = 0;

        for (int i = 1; i < g->line.n && n < COUNT(words); i++)
            words[n++] = (uint32_t)strtoul(g->line.word[i], NULL, 16);
        python_seed_words(r, words, n);
    } else {
        return false;
    }
    return true;
}

/* Functions that draw one number. */
static bool python_one(Golden *g, void *out)
{
    PythonRng *r = &g->python;
    double *f = out;
    int64_t *v = out;

    if (is(g, "random"))
        *f = python_random(r);
    else if (is(g, "bits"))
        *v = (int64_t)python_bits(r, (int)arg_i64(g, 3));
    else if (is(g, "randint"))
        *v = python_randint(r, arg_i64(g, 3), arg_i64(g, 4));
    else if (is(g, "randrange"))
        *v = python_randrange(r, arg_i64(g, 3), arg_i64(g, 4), arg_i64(g, 5));
    else if (is(g, "uniform"))
        *f = python_uniform(r, arg_f64(g, 3), arg_f64(g, 4));
    else if (is(g, "triangular"))
        *f = python_triangular(r, arg_f64(g, 3), arg_f64(g, 4), arg_f64(g, 5));
    else if (is(g, "gauss"))
        *f = python_gauss(r, arg_f64(g, 3), arg_f64(g, 4));
    else if (is(g, "normalvariate"))
        *f = python_normalvariate(r, arg_f64(g, 3), arg_f64(g, 4));
    else if (is(g, "expovariate"))
        *f = python_expovariate(r, arg_f64(g, 3));
    else
        return false;
    return true;
}

static bool python_line(Golden *g)
{
    static const double weights[] = {1, 0, 2.5, 4};

    if (python_reseed(g))
        return true;
    wf_dtype t = dtype_named(g->line.word[1]);
    int64_t n = arg_i64(g, 2), *out = arena_array(&g->arena, (size_t)n, 8);

    if (is(g, "shuffle"))
        python_shuffle(&g->python, out, n);
    else if (is(g, "sample"))
        python_sample(&g->python, &g->arena, out, n, arg_i64(g, 3));
    else if (is(g, "choices"))
        python_choices(&g->python, &g->arena, out, n, arg_i64(g, 3),
                       arg_i64(g, 4) ? weights : NULL);
    else
        for (int64_t i = 0; i < n; i++)
            if (!python_one(g, out + i))
                return false;
    compare(g, t, out, n);
    return true;
}

TEST(python_numbers_are_pythons)
{
    each_line("tests/golden/random/python.txt", 0, python_line);
}

/* ---- JAX ------------------------------------------------------------------------------------------------------ */

/* "3x5" or "-" */
static uint32_t read_shape(const char *s, Dim *dims)
{
    uint32_t n = 0;

    while (*s && *s != '-') {
        char *end;

        dims[n++] = strtoll(s, &end, 10);
        s = *end == 'x' ? end + 1 : end;
    }
    return n;
}

static Val logits(Builder *b)
{
    float x[24];

    for (int i = 0; i < 24; i++)
        x[i] = (float)sin((double)i);
    return b_const(b, b_make_type(b, WF_F32, (Dim[]){4, 6}, 2), x);
}

static Val bound(Builder *b, const Golden *g, wf_dtype t, int i)
{
    return dtype_is_signed(t) || t == WF_U64 || t == WF_U32 || t == WF_U16 || t == WF_U8
               ? b_int(b, t, (int64_t)arg_bits(g, i))
               : b_scalar(b, t, arg_f64(g, i));
}

static Val key_distribution(Builder *b, Golden *g, Val key, wf_dtype t, const Dim *d,
                            uint32_t rank)
{
    if (is(g, "uniform"))
        return b_random_uniform(b, key, t, d, rank, bound(b, g, t, 3), bound(b, g, t, 4));
    if (is(g, "truncated_normal"))
        return b_random_truncated_normal(b, key, t, d, rank, bound(b, g, t, 3),
                                         bound(b, g, t, 4));
    if (is(g, "normal"))
        return b_random_normal(b, key, t, d, rank);
    if (is(g, "bernoulli"))
        return b_random_bernoulli(b, key, bound(b, g, t, 3), d, rank);
    if (is(g, "exponential"))
        return b_random_exponential(b, key, t, d, rank);
    if (is(g, "gumbel"))
        return b_random_gumbel(b, key, t, d, rank);
    if (is(g, "laplace"))
        return b_random_laplace(b, key, t, d, rank);
    if (is(g, "logistic"))
        return b_random_logistic(b, key, t, d, rank);
    if (is(g, "cauchy"))
        return b_random_cauchy(b, key, t, d, rank);
    if (is(g, "rademacher"))
        return b_random_rademacher(b, key, t, d, rank);
    if (is(g, "randint"))
        return b_random_randint(b, key, t, d, rank, bound(b, g, t, 3), bound(b, g, t, 4));
    return VAL_NONE;
}

static Val key_call(Builder *b, Golden *g, Val key)
{
    wf_dtype t = dtype_named(g->line.word[1]);
    Dim d[8];
    uint32_t rank = read_shape(g->line.word[2], d);

    if (is(g, "key"))
        return key;
    if (is(g, "split"))
        return b_key_split(b, key, d, rank);
    if (is(g, "fold_in"))
        return b_key_fold_in(b, key, b_int(b, WF_I32, arg_i64(g, 3)));
    if (is(g, "bits"))
        return b_random_bits(b, key, t, d, rank);
    if (is(g, "permutation_n"))
        return b_random_permutation_n(b, key, t, d[0]);
    if (is(g, "permutation")) {
        Val flat = b_iota(b, t, (Dim[]){60}, 1, 0);

        return b_random_permutation(b, key, b_reshape(b, flat, d, rank),
                                    (uint32_t)arg_i64(g, 3));
    }
    if (is(g, "categorical"))
        return b_random_categorical(b, key, logits(b), (uint32_t)arg_i64(g, 3), d, rank,
                                    t);
    return key_distribution(b, g, key, t, d, rank);
}

/* A program of the key, run by the rules of the table. */
static bool jax_line(Golden *g)
{
    if (is(g, "seed")) {
        g->seed = strtoull(g->line.word[1], NULL, 10);
        return true;
    }
    Builder *b = builder_new(g->cx, "f", B_OPTIMISE);
    Val key = b_input(b, "key", b_make_type(b, WF_U32, (Dim[]){2}, 1)),
        result = key_call(b, g, key);
    const Program *p;
    uint32_t words[2];
    int64_t two = 2;
    Nd in = {WF_U32, 1, &two, 2, words}, out = {0};

    if (!failed(g->cx) && result == VAL_NONE)
        return false;
    p = builder_finish(b, &result, 1);
    key_words(g->seed, words);
    if (!p || !eval_program(g->cx, p, &in, &out, &g->arena)) {
        check_fail(g->line.path, g->line.number, "%s", wf_ctx_message(g->cx));
        wf_clear(g->cx);
        return true;
    }
    compare(g, out.dtype, out.data, out.count);
    return true;
}

TEST(key_numbers_are_jaxs) { each_line("tests/golden/random/jax.txt", 6, jax_line); }

/* ---- laws of keys ----------------------------------------------------------------------------------------------- */

static const Program *normals_of(wf_ctx *cx, Dim n)
{
    Builder *b = builder_new(cx, "f", B_OPTIMISE);
    Val key = b_input(b, "key", b_make_type(b, WF_U32, (Dim[]){2}, 1));
    Val x = b_random_normal(b, key, WF_F32, (Dim[]){n, 3}, 2);

    return builder_finish(b, &x, 1);
}

TEST(vmap_over_keys_gives_what_each_key_gives_alone)
{
    BENCH_OPEN(bench);
    const Program *p = normals_of(bench.cx, 4), *batched;
    uint32_t words[3][2] = {{0, 1}, {7, 7}, {~0u, 5}};
    int64_t dims[2] = {3, 2};
    Nd all = {WF_U32, 2, dims, 6, words}, out = {0}, one = {0};

    REQUIRE(p && (batched = xf_vmap(bench.cx, p, (int[]){0}, NULL, 3, NULL)));
    REQUIRE(eval_program(bench.cx, batched, &all, &out, &bench.cx->scratch));
    CHECK_EQ_INT(out.count, 3 * 12);
    for (int i = 0; i < 3; i++) {
        Nd in = {WF_U32, 1, dims + 1, 2, words[i]};

        memset(&one, 0, sizeof one);
        REQUIRE(eval_program(bench.cx, p, &in, &one, &bench.cx->scratch));
        CHECK(!memcmp(one.data, (float *)out.data + 12 * i, 12 * sizeof(float)));
    }
    BENCH_CLOSE(bench);
}

TEST(a_symbolic_size_gives_the_numbers_of_a_constant_one)
{
    BENCH_OPEN(bench);
    wf_ctx *cx = bench.cx;
    Builder *b = builder_new(cx, "f", B_OPTIMISE);
    Dim n = b_symbol(b, "N");
    Val key = b_input(b, "key", b_make_type(b, WF_U32, (Dim[]){2}, 1));
    Val like = b_input(b, "like", b_make_type(b, WF_F32, &n, 1)), x;
    uint32_t words[2] = {0, 9};
    float unused[4] = {0};
    int64_t two = 2, four = 4;
    Nd in[2] = {{WF_U32, 1, &two, 2, words}, {WF_F32, 1, &four, 4, unused}}, out = {0},
       want = {0};

    x = b_random_normal(b, key, WF_F32, (Dim[]){b_dim(b, like, 0), 3}, 2);
    const Program *p = builder_finish(b, &x, 1), *q = normals_of(cx, 4);

    REQUIRE(p && q);
    REQUIRE(eval_program(cx, p, in, &out, &cx->scratch) &&
            eval_program(cx, q, in, &want, &cx->scratch));
    REQUIRE(out.count == want.count);
    CHECK(!memcmp(out.data, want.data, 12 * sizeof(float)));
    BENCH_CLOSE(bench);
}

TEST(seeds_as_values_make_the_keys_of_seeds_as_numbers)
{
    static const int64_t seeds[] = {0, 1, -1, INT64_C(1) << 40, INT64_MIN};

    for (int i = 0; i < COUNT(seeds); i++) {
        BENCH_OPEN(bench);
        Builder *b = builder_new(bench.cx, "f", B_OPTIMISE);
        Val x = b_key_seed(b, b_input(b, "seed", b_make_type(b, WF_I64, NULL, 0)));
        const Program *p = builder_finish(b, &x, 1);
        int64_t seed = seeds[i];
        uint32_t want[2];
        Nd in = {WF_I64, 0, NULL, 1, &seed}, out = {0};

        REQUIRE(p && eval_program(bench.cx, p, &in, &out, &bench.cx->scratch));
        key_words((uint64_t)seed, want);
        CHECK(!memcmp(out.data, want, sizeof want));
        BENCH_CLOSE(bench);
    }
}

TEST(permutations_of_a_symbolic_size_are_refused)
{
    BENCH_OPEN(bench);
    Builder *b = builder_new(bench.cx, "f", B_OPTIMISE);
    Dim n = b_symbol(b, "N");
    Val key = b_input(b, "key", b_make_type(b, WF_U32, (Dim[]){2}, 1));
    Val x = b_input(b, "x", b_make_type(b, WF_F32, &n, 1));

    CHECK_EQ_INT(b_random_permutation(b, key, x, 0), VAL_NONE);
    CHECK_HAS(wf_ctx_message(bench.cx), "permutation: needs a constant size");
    BENCH_CLOSE(bench);
}

TEST(categorical_needs_a_rank_that_fits)
{
    BENCH_OPEN(bench);
    Builder *b = builder_new(bench.cx, "f", B_OPTIMISE);
    Val key = b_input(b, "key", b_make_type(b, WF_U32, (Dim[]){2}, 1));

    CHECK_EQ_INT(b_random_categorical(b, key, logits(b), 1, NULL, 0, WF_I32), VAL_NONE);
    CHECK_HAS(wf_ctx_message(bench.cx),
              "logits of rank 2 give samples of rank 1 or more, not 0");
    BENCH_CLOSE(bench);
}
