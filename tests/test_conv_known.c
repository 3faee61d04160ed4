/* test_conv_known.c -- convolutions whose filters are constants, which are packed once:
 * the same numbers as with filters that are inputs, prepared and compiled, in every way of
 * computing, when sizes change between runs, and for any number of threads. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Layer {
    const char *dtype;
    int in, out, filter, groups, stride;
} Layer;

enum { SIZES = 7 };
static const int sizes[SIZES][2] = {{1, 7},  {2, 14}, {1, 28}, {3, 9},
                                    {1, 14}, {5, 4},  {1, 1}}; /* images, rows */

/* relu(conv(x, w) + b), with as many images and rows of 12 or more pixels as x has */
static const wf_program *program(wf_ctx *cx, const Layer *l)
{
    char text[1000], shape[100];

    if (l->stride == 1)
        snprintf(shape, sizeof shape, "[N,%d,M,M]", l->out);
    else
        snprintf(shape, sizeof shape, "[N,%d,floor((M-1)/%d)+1,floor((M-1)/%d)+1]",
                 l->out, l->stride, l->stride);
    snprintf(
        text, sizeof text,
        "f(x: %s[N,%d,M,M], w: %s[%d,%d,%d,%d], b: %s[%d]) {\n"
        "h = conv_general x w groups=%d stride=[%d,%d] pad_lo=[%d,%d] pad_hi=[%d,%d] "
        "acc=%s\nc = broadcast b %s dims=[1]\na = add h c\nz = const %s%s 0\n"
        "y = max a z\nret y\n}\n",
        l->dtype, l->in, l->dtype, l->out, l->in / l->groups, l->filter, l->filter,
        l->dtype, l->out, l->groups, l->stride, l->stride, l->filter / 2, l->filter / 2,
        l->filter / 2, l->filter / 2, l->dtype, shape, l->dtype, shape);
    return test_program(cx, text);
}

static void compare(const wf_array *got, const wf_array *want, double tol)
{
    CHECK_EQ_INT(wf_array_count(got), wf_array_count(want));
    for (int64_t i = 0; i < wf_array_count(want) && check_ok(); i++) {
        bool wide = wf_array_dtype(want) == WF_F64;
        double a = wide ? ((const double *)wf_array_data(got))[i]
                        : (double)((const float *)wf_array_data(got))[i];
        double b = wide ? ((const double *)wf_array_data(want))[i]
                        : (double)((const float *)wf_array_data(want))[i];

        if (!(fabs(a - b) <= tol * (1 + fabs(b))))
            FAIL("element %d is %g, not %g", (int)i, a, b);
    }
}

/* Every size twice in turn, so that frames are found again and replaced. */
static void check_runs(wf_ctx *cx, const Layer *l, wf_exec *known, wf_exec *plain,
                       wf_array **weights)
{
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < SIZES && check_ok(); i++) {
            wf_array *in[3] = {NULL, weights[0], weights[1]}, *want = NULL, *first = NULL;
            char text[100];

            snprintf(text, sizeof text, "randn:%s[%d,%d,%d,%d]", l->dtype, sizes[i][0],
                     l->in, sizes[i][1], sizes[i][1]);
            in[0] = test_array(cx, text, wf_array_dtype(weights[0]), 5);
            CHECK_EQ_INT(wf_run(cx, plain, in, 3, &want, 1), WF_OK);
            CHECK_STR(wf_ctx_message(cx), "");
            for (int threads = 1; threads <= 5 && check_ok();
                 threads += 1 + threads % 4) {
                wf_ctx *c = wf_ctx_new(
                    &(wf_options){.size = sizeof(wf_options), .threads = threads});
                wf_array *got = NULL;

                CHECK_EQ_INT(wf_run(c, known, in, 1, &got, 1), WF_OK);
                compare(got, want, wf_array_dtype(want) == WF_F64 ? 1e-12 : 2e-4);
                if (!first)
                    first = wf_array_retain(got);
                CHECK(memcmp(wf_array_data(first), wf_array_data(got),
                             (size_t)wf_array_count(got) *
                                 wf_dtype_size(wf_array_dtype(got))) == 0);
                wf_array_release(got);
                wf_ctx_free(c);
            }
            wf_array_release(in[0]);
            wf_array_release(want);
            wf_array_release(first);
        }
    }
}

static void check_layer(const Layer *l)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    const wf_program *p = program(cx, l), *bound = NULL;
    wf_dtype t = strcmp(l->dtype, "f64") == 0 ? WF_F64 : WF_F32;
    wf_array *w[2];
    wf_exec *plain = NULL, *known = NULL;
    char text[100];

    snprintf(text, sizeof text, "randn:%s[%d,%d,%d,%d]", l->dtype, l->out,
             l->in / l->groups, l->filter, l->filter);
    w[0] = test_array(cx, text, t, 1);
    snprintf(text, sizeof text, "randn:%s[%d]", l->dtype, l->out);
    w[1] = test_array(cx, text, t, 2);
    CHECK_EQ_INT(wf_prepare(cx, p, &plain), WF_OK);
    CHECK_EQ_INT(wf_bind(cx, p, (int[]){1, 2}, w, 2, &bound), WF_OK);
    for (int compiled = 0; compiled < 2 && check_ok(); compiled++) {
        CHECK_EQ_INT(compiled ? wf_compile(cx, bound, 0, &known)
                              : wf_prepare(cx, bound, &known),
                     WF_OK);
        check_runs(cx, l, known, plain, w);
        wf_exec_release(known);
    }
    wf_exec_release(plain);
    wf_program_release(bound);
    wf_program_release(p);
    wf_array_release(w[0]);
    wf_array_release(w[1]);
    wf_ctx_free(cx);
}

TEST(known_filters_of_three_by_three)
{
    check_layer(&(Layer){"f32", 17, 37, 3, 1, 1});
    check_layer(&(Layer){"f32", 40, 64, 3, 2, 1});
    check_layer(&(Layer){"f32", 17, 18, 3, 1, 2});
    check_layer(&(Layer){"f64", 17, 18, 3, 1, 1});
}

TEST(known_filters_of_one_tap)
{
    check_layer(&(Layer){"f32", 30, 49, 1, 1, 1});
    check_layer(&(Layer){"f32", 30, 60, 1, 3, 1});
    check_layer(&(Layer){"f64", 9, 20, 1, 1, 1});
    check_layer(&(Layer){"f32", 16, 3, 1, 1, 1});
    check_layer(&(Layer){"f32", 16, 20, 1, 1, 2});
}

TEST(known_filters_of_other_sizes)
{
    check_layer(&(Layer){"f32", 5, 23, 5, 1, 1});
    check_layer(&(Layer){"f32", 3, 20, 7, 1, 2});
    check_layer(&(Layer){"f32", 8, 8, 3, 8, 1});
}
