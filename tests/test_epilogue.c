/* test_epilogue.c -- what follows a product, compiled into it: every form of product and
 * of what follows, at sizes that tiles have trouble with, against the interpreter; the same
 * bits for any number of threads; what is left apart. */
#include "lib_check.h"
#include "lib_target.h"
#include "runtime/compiler.h"
#include "compile/compile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_IO = 8 };

static const wf_program *parse(wf_ctx *cx, const char *text)
{
    wf_model *m = NULL;
    const wf_program *p = NULL;
    char lines[2000];
    size_t n = 0;

    for (; *text && n + 1 < sizeof lines; text++) /* a semicolon ends a line */
        lines[n++] = *text == ';' ? '\n' : *text;
    if (wf_model_parse(cx, "test", lines, n, &m) == WF_OK)
        p = wf_program_retain(wf_model_program(m, wf_model_programs(m) - 1));
    CHECK_STR(wf_ctx_message(cx), "");
    wf_model_free(m);
    return p;
}

static double element(const wf_array *a, int64_t i)
{
    const void *d = wf_array_data(a);
    uint32_t bits;
    float f;

    switch (wf_array_dtype(a)) {
    case WF_F32: return (double)((const float *)d)[i];
    case WF_F64: return ((const double *)d)[i];
    case WF_BOOL:
    case WF_U8: return ((const uint8_t *)d)[i];
    case WF_I8: return ((const int8_t *)d)[i];
    case WF_I32: return ((const int32_t *)d)[i];
    case WF_BF16:
        bits = (uint32_t)((const uint16_t *)d)[i] << 16;
        memcpy(&f, &bits, sizeof f);
        return (double)f;
    default: return (double)((const uint16_t *)d)[i]; /* f16: bits, about in order */
    }
}

/* Inputs of p, symbols being the sizes given: N, M, K, B. */
static bool inputs(wf_ctx *cx, const wf_program *p, const int64_t *sizes, wf_array **in)
{
    for (int i = 0; i < wf_program_inputs(p); i++) {
        const char *type, *at;
        char text[200];
        size_t n;

        if (wf_program_input_type(cx, p, i, &type) != WF_OK)
            return false;
        n = (size_t)snprintf(text, sizeof text, "%s",
                             strncmp(type, "i32", 3) == 0 ? "iota:" : "randn:");
        for (at = type; *at; at++) {
            const char *sym = strchr("NMKB", *at);

            if (sym && at[-1] != 'f')
                n += (size_t)snprintf(text + n, sizeof text - n, "%lld",
                                      (long long)sizes[sym - "NMKB"]);
            else
                n += (size_t)snprintf(text + n, sizeof text - n, "%c", *at);
        }
        if (wf_array_parse(cx, text, wf_program_input_dtype(p, i), (uint64_t)i, &in[i]) != WF_OK)
            return false;
    }
    return true;
}

static void release(wf_array **a, int n)
{
    for (int i = 0; i < n; i++) {
        wf_array_release(a[i]);
        a[i] = NULL;
    }
}

static void release_code(void *code) { code_release(code); }

static bool near(const wf_array *x, const wf_array *y, double tol, int64_t *out_at)
{
    if (wf_array_count(x) != wf_array_count(y) || wf_array_dtype(x) != wf_array_dtype(y))
        return false;
    for (*out_at = 0; *out_at < wf_array_count(x); ++*out_at) {
        double a = element(x, *out_at), b = element(y, *out_at);

        if (!(fabs(a - b) <= tol * (1 + fabs(b))) && !(isnan(a) && isnan(b)) && a != b)
            return false;
    }
    return true;
}

/* The program with all products that can be inside kernels; *inside: how many are. */
static wf_exec *compiled(wf_ctx *cx, const wf_program *p, int *inside)
{
    Arena *a = codegen_arena(cx);
    Code *code = NULL;
    Lowered l;
    Compiled c;

    *inside = 0;
    if (!compile_lower(cx, a, target_eager(), p, false, 0, &l) ||
        !compile_load(cx, l.k, l.n, &code))
        return NULL;
    for (uint32_t i = 0; i < l.n; i++)
        *inside += l.k[i]->product != NULL;
    compile_bind(cx, a, &l, code, &c);
    if (code)
        pool_defer(cx, release_code, code);
    return exec_compiled(cx, &c);
}

/* The program, compiled, gives what it gives interpreted, with 1, 2 and 5 threads the same
 * bits. products: how many must have become part of a kernel. */
static void check(const char *text, const int64_t *sizes, int products, double tol)
{
    BENCH_OPEN(b);
    wf_ctx *cx = b.cx;
    const wf_program *p = parse(cx, text);
    int nin = wf_program_inputs(p), nout = wf_program_outputs(p), inside = 0;
    wf_array *in[MAX_IO] = {0}, *want[MAX_IO] = {0}, *first[MAX_IO] = {0}, *got[MAX_IO] = {0};
    wf_exec *e = NULL;
    int64_t at = 0;

    CHECK(inputs(cx, p, sizes, in));
    CHECK_EQ_INT(wf_eval(cx, p, in, wf_program_inputs(p), want, wf_program_outputs(p)),
                 WF_OK);
    e = compiled(cx, p, &inside);
    CHECK_STR(wf_ctx_message(cx), "");
    CHECK_EQ_INT(inside, products);
    for (int threads = 1; e && threads < 6 && check_ok(); threads += 1 + threads / 2 * 2) {
        wf_ctx *c = wf_ctx_new(&(wf_options){.size = sizeof(wf_options), .threads = threads});

        for (int run = 0; run < 2; run++) {
            CHECK_EQ_INT(wf_run(c, e, in, wf_exec_inputs(e), got, wf_exec_outputs(e)),
                         WF_OK);
            CHECK_STR(wf_ctx_message(c), "");
            for (int j = 0; j < nout && check_ok(); j++) {
                if (!near(got[j], want[j], tol, &at))
                    FAIL("%s\n sizes %d %d %d %d, %d threads: result %d, element %d: %g, not %g",
                         text, (int)sizes[0], (int)sizes[1], (int)sizes[2], (int)sizes[3],
                         threads, j, (int)at, element(got[j], at), element(want[j], at));
                if (first[j])
                    CHECK(!memcmp(wf_array_data(first[j]), wf_array_data(got[j]),
                                  (size_t)wf_array_count(got[j]) *
                                      wf_dtype_size(wf_array_dtype(got[j]))));
                else
                    first[j] = wf_array_retain(got[j]);
            }
            release(got, nout);
        }
        wf_ctx_free(c);
    }
    release(in, nin);
    release(want, nout);
    release(first, nout);
    wf_program_release(p);
    BENCH_CLOSE(b);
}

/* rows, columns, contracted, batch */
static const int64_t sizes[][4] = {
    {65, 17, 5, 2},   {100, 96, 33, 3}, {129, 70, 300, 1}, {1, 40, 7, 2},
    {64, 64, 64, 1},  {70, 1, 9, 2},    {0, 5, 3, 1},      {66, 33, 0, 2},
    {300, 31, 40, 0}, {15, 200, 600, 5}, {1, 1, 1, 1},
};
#define FOR_SIZES(s)                                                                     \
    for (int row_ = 0; row_ < COUNT(sizes); row_++)                                      \
        for (const int64_t *s = sizes[row_]; s; s = NULL)

TEST(bias_and_relu_follow_a_product)
{
    FOR_SIZES(s)
        check("f(x: f32[N,K], w: f32[K,M], b: f32[M]) { h = dot x w; c = broadcast b [N,M] "
              "dims=[1]; a = add h c; z = const f32[N,M] 0; y = max a z; ret y }",
              s, 1, 1e-4);
}

TEST(one_op_is_enough)
{
    FOR_SIZES(s)
        check("f(x: f32[N,K], w: f32[K,M]) { h = dot x w; y = tanh h; ret y }", s, 1, 1e-4);
}

TEST(a_residual_a_mask_and_other_dtypes_are_written_too)
{
    FOR_SIZES(s)
        check("f(x: f32[N,K], w: f32[K,M], r: f32[N,M], b: f32[N]) { h = dot x w; a = add h r;"
              " c = broadcast b [N,M] dims=[0]; d = mul a c; g = lt d r; i = cast d i32;"
              " k = cast d bf16; e = logistic d; ret g, i, k, e }",
              s, 1, 2e-2);
}

/* The product itself is read by others, or none of the results can take its place. */
TEST(the_product_may_be_a_result)
{
    FOR_SIZES(s) {
        check("f(x: f32[N,K], w: f32[K,M]) { h = dot x w; y = tanh h; ret y, h }", s, 1, 1e-4);
        check("f(x: f32[N,K], w: f32[K,M]) { h = dot x w; z = const f32[N,M] 0; g = gt h z; "
              "ret g }",
              s, 1, 0);
        check("f(x: f32[N,K], w: f32[K,N]) { h = dot x w; t = exp h; u = transpose h perm=[1,0];"
              " y = add t u; ret y }",
              s, 1, 1e-3); /* u is a product of its own */
    }
}

TEST(batches_and_other_orders_of_axes_are_products_too)
{
    FOR_SIZES(s) {
        check("f(x: f32[B,N,K], w: f32[B,K,M], b: f32[B,M]) { h = dot_general x w lhs=[2] rhs=[1] "
              "lhs_batch=[0] rhs_batch=[0] acc=f32; c = broadcast b [B,N,M] dims=[0,2]; y = add h "
              "c; z = abs y; ret z }",
              s, 1, 1e-4);
        check("f(x: f32[K,N], w: f32[M,K], b: f32[M]) { h = dot_general x w lhs=[0] rhs=[1] "
              "acc=f32; c = broadcast b [N,M] dims=[1]; y = add h c; z = neg y; ret z }",
              s, 1, 1e-4);
        check("f(x: f32[B,N,K], w: f32[K,M], b: f32[N]) { h = dot_general x w lhs=[2] rhs=[0] "
              "acc=f32; c = broadcast b [B,N,M] dims=[1]; y = add h c; z = neg y; ret z }",
              s, 1, 1e-4);
        check("f(x: f32[B,N,K], w: f32[K,M], b: f32[M]) { h = dot_general x w lhs=[2] rhs=[0] "
              "acc=f32; r = reshape h [B*N,M]; c = broadcast b [B*N,M] dims=[1]; y = add r c; z = "
              "neg y; ret z }",
              s, 1, 1e-4);
    }
}

TEST(the_columns_may_be_several_axes_that_are_walked_as_one)
{
    FOR_SIZES(s) {
        check("f(x: f32[N,K], w: f32[K,3,M], b: f32[3,M]) { h = dot_general x w lhs=[1] rhs=[0] "
              "acc=f32; c = broadcast b [N,3,M] dims=[1,2]; y = add h c; z = tanh y; ret z }",
              s, 1, 1e-4);
        check("f(x: f32[N,K], w: f32[K,3,M], b: f32[M]) { h = dot_general x w lhs=[1] rhs=[0] "
              "acc=f32; c = broadcast b [N,3,M] dims=[2]; y = add h c; z = tanh y; ret z }",
              s, 0, 1e-4);
    }
}

TEST(doubles_and_half_floats_are_multiplied)
{
    FOR_SIZES(s) {
        check("f(x: f64[N,K], w: f64[K,M], b: f64[M]) { h = dot x w; c = broadcast b [N,M] "
              "dims=[1]; a = add h c; y = exp a; k = cast y f32; ret k, y }",
              s, 1, 1e-5);
        check("f(x: bf16[N,K], w: bf16[K,M], b: f32[M]) { h = dot_general x w lhs=[1] rhs=[0] "
              "acc=f32; c = broadcast b [N,M] dims=[1]; a = add h c; y = cast a bf16; ret y }",
              s, 1, 1e-2);
        check("f(x: f16[N,K], w: f32[K,M], b: f32[M]) { h = dot_general x w lhs=[1] rhs=[0] "
              "acc=f32; c = broadcast b [N,M] dims=[1]; a = add h c; y = mul a a; ret y }",
              s, 1, 1e-2);
        check("f(x: bf16[N,K], w: bf16[K,M], b: bf16[M]) { h = dot_general x w lhs=[1] rhs=[0] "
              "acc=bf16; c = broadcast b [N,M] dims=[1]; a = add h c; y = neg a; ret y }",
              s, 0, 2e-2);
        check("f(x: i32[N,K], w: i32[K,M], b: i32[M]) { h = dot x w; c = broadcast b [N,M] "
              "dims=[1]; a = add h c; y = neg a; ret y }",
              s, 0, 0);
    }
}

/* What is computed from sizes and places. */
TEST(places_and_sizes_may_be_asked_for)
{
    FOR_SIZES(s)
        check("f(x: f32[N,K], w: f32[K,M]) { h = dot x w; i = iota i32[N,M] axis=0; j = iota "
              "i32[N,M] axis=1; m = ge i j; n = const f32[N,M] -1e9; y = select m h n; d = dim M; e "
              "= cast d f32; g = broadcast e [N,M] dims=[]; z = div y g; ret z }",
              s, 1, 1e-4);
}

#define CONV(shape_x, shape_w, attrs, shape_y, rest)                                     \
    "f(x: " shape_x ", w: " shape_w ", b: f32[7]) { h = conv_general x w " attrs         \
    " acc=f32; c = broadcast b " shape_y " dims=[1]; a = add h c; z = const f32" shape_y \
    " 0; y = max a z; " rest "}"

TEST(bias_and_relu_follow_a_convolution)
{
    static const int64_t planes[][4] = {
        {1, 9, 9, 2}, {2, 14, 14, 1}, {1, 40, 33, 1}, {0, 8, 8, 1}, {3, 3, 5, 1}};

    for (size_t i = 0; i < sizeof planes / sizeof *planes; i++) {
        const int64_t *s = planes[i]; /* N images of M x K */

        check(CONV("f32[N,5,M,K]", "f32[7,5,3,3]", "pad_lo=[1,1] pad_hi=[1,1]", "[N,7,M,K]",
                   "ret y"),
              s, 1, 1e-4);
        check(CONV("f32[N,5,M,K]", "f32[7,5,1,1]", "", "[N,7,M,K]", "ret y"), s, 1, 1e-4);
        check(CONV("f32[N,40,M,K]", "f32[7,40,3,3]", "pad_lo=[1,1] pad_hi=[1,1]", "[N,7,M,K]",
                   "g = gt a z; k = cast y bf16; ret y, g, k"),
              s, 1, 1e-2);
        check(CONV("f32[N,7,M,K]", "f32[7,1,3,3]", "groups=7 pad_lo=[1,1] pad_hi=[1,1]",
                   "[N,7,M,K]", "ret y, h"),
              s, 1, 1e-4);
        check(CONV("f32[N,5,M,K]", "f32[7,5,2,1]", "stride=[2,1] pad_lo=[1,0] pad_hi=[1,0]",
                   "[N,7,floor(M/2)+1,K]", "ret y"),
              s, 1, 1e-4);
        check(CONV("f32[N,5,M]", "f32[7,5,3]", "pad_lo=[1] pad_hi=[1]", "[N,7,M]", "ret y"), s, 1,
              1e-4);
        check("f(x: f32[N,M,K,5], w: f32[3,3,5,7], b: f32[7]) { h = conv_general x w "
              "lhs_spec=[0,3,1,2] rhs_spec=[3,2,0,1] out_spec=[0,3,1,2] pad_lo=[1,1] pad_hi=[1,1] "
              "acc=f32; c = broadcast b [N,M,K,7] dims=[3]; y = add h c; z = neg y; ret z }",
              s, 0, 1e-4);
    }
}

/* Sums of small integers lie in no array, unless they are a result. */
TEST(small_integers_are_multiplied_and_rounded_to_small_ones)
{
#define ROUNDED(shape, axis, ret)                                                                    \
    " f = cast h f32; c = broadcast s " shape " dims=[" axis "]; a = mul f c; r = round a;"          \
    " z = const f32" shape " 0; m = max r z; t = const f32" shape " 255; n = min m t; y = cast n u8; " ret " }"
#define NARROW "f(x: i32[N,K], w: i32[K,M], s: f32[M], e: i32[N,M]) { p = cast x u8; q = cast w i8;"                   \
               " h = dot_general p q lhs=[1] rhs=[0] acc=i32;"
    FOR_SIZES(s) {
        check(NARROW ROUNDED("[N,M]", "1", "ret y"), s, 1, 0);
        check(NARROW ROUNDED("[N,M]", "1", "ret y, h"), s, 1, 0);
        check(NARROW ROUNDED("[N,M]", "1", "i = cast e u8; j = cast i f32; l = cast y f32; o = add j l; k = cast o i8; ret k"), s, 1, 0);
        check("f(x: i32[B,N,K], w: i32[B,K,M]) { p = cast x i8; q = cast w i16; h = dot_general p q lhs=[2] rhs=[1] "
              "lhs_batch=[0] rhs_batch=[0] acc=i32; f = cast h f32; y = tanh f; ret y }",
              s, 1, 1e-5);
        check("f(x: i32[N,3,M], w: i32[6,3,3], s: f32[6]) { p = cast x u8; q = cast w i8; "
              "h = conv_general p q pad_lo=[1] pad_hi=[1] acc=i32;" ROUNDED("[N,6,M]", "1", "ret y"),
              s, 1, 0);
    }
}

/* What wf_compile itself takes in: bias and activation; not, what has more arrays as large
 * as the product, or a product of few rows. */
static int taken(const char *text)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    const wf_program *p = parse(cx, text);
    const char *code, *at;
    int n = 0;

    CHECK_EQ_INT(wf_program_code(cx, p, WF_CODE_KERNELS, NULL, &code), WF_OK);
    for (at = code; at && (at = strstr(at, "  product = ")); at++)
        n++;
    wf_program_release(p);
    wf_ctx_free(cx);
    return n;
}

/* Two branches of a quantised block: their sum is part of what follows one of the convolutions, and what leaves is bytes,
 * once, though two read it. */
TEST(the_sum_of_quantised_branches_follows_a_convolution)
{
#define ROUND_OF(h, y, lo)                                                                           \
    " f" y " = cast " h " f32; k" y " = const f32[1,6,M] 0.03; a" y " = mul f" y " k" y "; r" y " = round a" y ";" \
    " z" y " = const f32[1,6,M] " lo "; m" y " = max r" y " z" y "; t" y " = const f32[1,6,M] 100; n" y " = min m" y " t" y "; " \
    y " = cast n" y " u8;"
#define BRANCHES(lo)                                                                                 \
    "f(x: i32[1,3,M], v: i32[6,3,1], w: i32[6,3,3], u: i32[6,6,1]) { p = cast x u8; q = cast v i8; o = cast w i8; e = cast u i8;" \
    " h = conv_general p q acc=i32; g = conv_general p o pad_lo=[1] pad_hi=[1] acc=i32;"             \
    ROUND_OF("h", "i", lo) ROUND_OF("g", "j", lo)                                                    \
    " b = cast i f32; c = cast j f32; s = add b c;" ROUND_OF("s", "l", "0")                          \
    " d = conv_general l e acc=i32; aa = cast d f32; bb = cast l f32; y = add aa bb; ret y }"
    FOR_SIZES(s) {
        check(BRANCHES("0"), s, 3, 0);
        check(BRANCHES("7"), s, 3, 0);
    }
    CHECK_EQ_INT(taken(BRANCHES("0")), 3);
}

/* A path leads from the product through something else back into what follows it. */
TEST(what_comes_back_another_way_is_left_apart)
{
    FOR_SIZES(s) {
        check("f(x: f32[N,K], w: f32[K,M], v: f32[M,M]) { h = dot x w; a = sort h axis=1; y = add h "
              "a; z = neg y; ret z }",
              s, 0, 1e-4);
        check("f(x: f32[N,K], w: f32[K,M], v: f32[M,M]) { h = dot x w; a = tanh h; g = dot a v; y = "
              "add g a; ret y }",
              s, 2, 1e-4);
    }
}

TEST(a_product_of_one_array_with_itself_is_left_apart)
{
    FOR_SIZES(s)
        check("f(x: f32[N,K]) { h = dot_general x x lhs=[1] rhs=[1] acc=f32; y = tanh h; z = neg y; "
              "ret z }",
              s, 0, 1e-4);
}

TEST(only_what_pays_is_taken_in)
{
    CHECK_EQ_INT(taken("f(x: f32[N,256], w: f32[256,512], b: f32[512]) { h = dot x w; c = "
                       "broadcast b [N,512] dims=[1]; y = add h c; z = tanh y; ret z }"),
                 1);
    CHECK_EQ_INT(taken("f(x: f32[32,2560], w: f32[2560,512], b: f32[512]) { h = dot x w; c = "
                       "broadcast b [32,512] dims=[1]; y = add h c; z = tanh y; ret z }"),
                 0);
    CHECK_EQ_INT(taken("f(x: f32[N,256], w: f32[256,512], r: f32[N,512]) { h = dot x w; "
                       "y = add h r; z = tanh y; ret z }"),
                 0);
    CHECK_EQ_INT(taken("f(x: f32[N,5,M,M], w: f32[7,5,1,1], r: f32[N,7,M,M]) { h = conv_general x "
                       "w acc=f32; y = add h r; z = tanh y; ret z }"),
                 1);
}

static void compile_and_run(wf_allocator al, void *user)
{
    wf_options o = {.size = sizeof o, .allocator = al, .threads = 1};
    wf_ctx *cx = wf_ctx_new(&o);
    static const char text[] =
        "f(x: f32[N,40], w: f32[40,70], b: f32[70]) {\n h = dot x w\n"
        " c = broadcast b [N,70] dims=[1]\n a = add h c\n y = tanh a\n ret y\n}\n";
    wf_array *in[3] = {NULL, NULL, NULL}, *y = NULL;
    wf_model *m = NULL;
    wf_exec *e = NULL;

    (void)user;
    if (!cx)
        return;
    if (wf_model_parse(cx, "f", text, sizeof text - 1, &m) == WF_OK &&
        wf_array_parse(cx, "ones:f32[100,40]", WF_F32, 0, &in[0]) == WF_OK &&
        wf_array_parse(cx, "ones:f32[40,70]", WF_F32, 0, &in[1]) == WF_OK &&
        wf_array_parse(cx, "ones:f32[70]", WF_F32, 0, &in[2]) == WF_OK &&
        wf_compile(cx, wf_model_program(m, 0), 0, &e) == WF_OK)
        wf_run(cx, e, in, 3, &y, 1);
    release(in, 3);
    wf_array_release(y);
    wf_exec_release(e);
    wf_model_free(m);
    wf_ctx_free(cx);
}

TEST(compiling_survives_every_allocation_that_fails)
{
    CHECK(fault_each(compile_and_run, NULL) > 20);
}
