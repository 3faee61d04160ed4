/* test_dot_known.c -- products with an operand that stays the same, which is packed once:
 * a constant of the program, and what does not change from turn to turn of a loop.
 * Products beside those with an operand that is an input, to the bit; loops beside loops
 * in f64 here; prepared and compiled, when sizes and operands change between runs, and
 * for any number of threads. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static wf_exec *make(wf_ctx *cx, const wf_program *p, int compiled)
{
    wf_exec *x = NULL;

    CHECK_EQ_INT(compiled ? wf_compile(cx, p, 0, &x) : wf_prepare(cx, p, &x), WF_OK);
    CHECK_STR(wf_ctx_message(cx), "");
    return x;
}

/* A run by so many threads. */
static wf_array *run(wf_exec *x, wf_array *const *in, int threads)
{
    wf_ctx *c = wf_ctx_new(&(wf_options){.size = sizeof(wf_options), .threads = threads});
    wf_array *out = NULL;

    CHECK_EQ_INT(wf_run(c, x, in, wf_exec_inputs(x), &out, 1), WF_OK);
    CHECK_STR(wf_ctx_message(c), "");
    wf_ctx_free(c);
    return out;
}

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))
static const int threads_of[] = {1, 2, 5};

/* ---- constants --------------------------------------------------------------------- */

typedef struct Layer {
    const char *dtype;
    wf_dtype type;
    int in, out;
    bool turned; /* the weights are [out,in] */
} Layer;

static void check_sizes(wf_ctx *cx, const Layer *l, wf_exec *known, wf_exec *plain,
                        wf_array *w)
{
    static const int rows[] = {1, 40, 7, 17, 300, 32, 0, 40};
    char text[100];

    for (int i = 0; i < COUNT(rows) && check_ok(); i++) {
        wf_array *in[2] = {NULL, w}, *want;

        snprintf(text, sizeof text, "randn:%s[%d,%d]", l->dtype, rows[i], l->in);
        in[0] = test_array(cx, text, l->type, (uint64_t)i);
        want = run(plain, in, 2);
        for (int t = 0; t < COUNT(threads_of) && check_ok(); t++) {
            wf_array *got = run(known, in, threads_of[t]);

            CHECK_EQ_INT(wf_array_count(got), (int64_t)rows[i] * l->out);
            CHECK(memcmp(wf_array_data(got), wf_array_data(want),
                         (size_t)wf_array_count(want) * wf_dtype_size(l->type)) == 0);
            wf_array_release(got);
        }
        wf_array_release(in[0]);
        wf_array_release(want);
    }
}

/* A program of one equation, so that nothing is fused in one and not in the other. */
static void check_layer(const Layer *l)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    int first = l->turned ? l->out : l->in, last = l->turned ? l->in : l->out;
    const wf_program *p, *bound = NULL;
    wf_array *w;
    char text[300];

    snprintf(text, sizeof text,
             "f(x: %s[N,%d], w: %s[%d,%d]) {\n y = dot_general x w lhs=[1] rhs=[%d] "
             "acc=%s\n ret y\n}\n",
             l->dtype, l->in, l->dtype, first, last, l->turned,
             l->type == WF_F64 ? "f64" : l->dtype);
    p = test_program(cx, text);
    snprintf(text, sizeof text, "randn:%s[%d,%d]", l->dtype, first, last);
    w = test_array(cx, text, l->type, 9);
    CHECK_EQ_INT(wf_bind(cx, p, (int[]){1}, &w, 1, &bound), WF_OK);
    for (int compiled = 0; compiled < 2 && check_ok(); compiled++) {
        wf_exec *plain = make(cx, p, 0), *known = make(cx, bound, compiled);

        check_sizes(cx, l, known, plain, w);
        wf_exec_release(plain);
        wf_exec_release(known);
    }
    wf_program_release(bound);
    wf_program_release(p);
    wf_array_release(w);
    wf_ctx_free(cx);
}

TEST(known_operands_give_the_same_bits)
{
    check_layer(&(Layer){"f32", WF_F32, 256, 513, false});
    check_layer(&(Layer){"f32", WF_F32, 130, 300, false});
    check_layer(&(Layer){"f32", WF_F32, 70, 1024, true});
    check_layer(&(Layer){"f64", WF_F64, 131, 190, false});
    check_layer(&(Layer){"f64", WF_F64, 140, 150, true});
}

TEST(known_operands_of_half_floats_give_the_same_bits)
{
    check_layer(&(Layer){"f16", WF_F16, 170, 330, false});
    check_layer(&(Layer){"bf16", WF_BF16, 170, 330, true});
}

/* ---- loops ------------------------------------------------------------------------- */

enum { ROWS = 10, SIZE = 150 };

/* h = h·w/20 + x[t], from 0, for so many turns; then once more with v in place of w, and
 * a last turn, by a call, with w. */
static void loop_text(char *text, size_t room, int turns)
{
    snprintf(text, room,
             "step(w: f32[%d,%d], h: f32[%d,%d], x: f32[%d,%d]) {\n"
             "  p = dot_general h w lhs=[1] rhs=[0] acc=f32\n"
             "  s = const f32[%d,%d] 0.05\n  q = mul p s\n  r = add q x\n  ret r\n}\n"
             "f(w: f32[%d,%d], v: f32[%d,%d], x: f32[%d,%d,%d], l: f32[%d,%d]) {\n"
             "  z = const f32[%d,%d] 0\n"
             "  a = scan w z x body=step nconst=1 ncarry=1 length=%d\n"
             "  b = scan v a x body=step nconst=1 ncarry=1 length=%d\n"
             "  c = call w b l body=step\n  ret c\n}\n",
             SIZE, SIZE, ROWS, SIZE, ROWS, SIZE, ROWS, SIZE, SIZE, SIZE, SIZE, SIZE,
             turns, ROWS, SIZE, ROWS, SIZE, ROWS, SIZE, turns, turns);
}

static void turn(const float *w, const float *x, double *h)
{
    double next[SIZE];

    for (int i = 0; i < ROWS; i++, h += SIZE, x += SIZE) {
        for (int j = 0; j < SIZE; j++) {
            next[j] = 0;
            for (int k = 0; k < SIZE; k++)
                next[j] += h[k] * (double)w[k * SIZE + j];
            next[j] = next[j] * 0.05 + (double)x[j];
        }
        memcpy(h, next, sizeof next);
    }
}

static void check_result(const wf_array *got, wf_array *const *in, int turns)
{
    static double h[ROWS * SIZE];

    memset(h, 0, sizeof h);
    for (int t = 0; t < 2 * turns; t++)
        turn(wf_array_data(in[t / turns]),
             (const float *)wf_array_data(in[2]) + t % turns * ROWS * SIZE, h);
    turn(wf_array_data(in[0]), wf_array_data(in[3]), h);
    for (int i = 0; i < ROWS * SIZE && check_ok(); i++) {
        double y = (double)((const float *)wf_array_data(got))[i];

        if (!(fabs(y - h[i]) <= 1e-4 * (1 + fabs(h[i]))))
            FAIL("%d turns: element %d is %g, not %g", turns, i, y, h[i]);
    }
}

/* The first `bound` inputs are constants. Weights that are inputs differ from run to run
 * and lie where those of the run before lay. one: v is w. */
static void check_loop(int turns, int bound, int compiled, bool one)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    const wf_program *p, *q = NULL;
    wf_array *in[4];
    wf_exec *x;
    char text[1000];

    loop_text(text, sizeof text, turns);
    p = test_program(cx, text);
    snprintf(text, sizeof text, "randn:f32[%d,%d]", SIZE, SIZE);
    in[0] = test_array(cx, text, WF_F32, 1);
    in[1] = one ? wf_array_retain(in[0]) : test_array(cx, text, WF_F32, 2);
    snprintf(text, sizeof text, "randn:f32[%d,%d,%d]", turns, ROWS, SIZE);
    in[2] = test_array(cx, text, WF_F32, 3);
    snprintf(text, sizeof text, "randn:f32[%d,%d]", ROWS, SIZE);
    in[3] = test_array(cx, text, WF_F32, 4);
    CHECK_EQ_INT(wf_bind(cx, p, (int[]){0, 1}, in, bound, &q), WF_OK);
    x = make(cx, q, compiled);
    for (int round = 0; round < 4 && check_ok(); round++) {
        wf_array *got = run(x, in + bound, threads_of[round % COUNT(threads_of)]);

        check_result(got, in, turns);
        wf_array_release(got);
        for (int i = bound; i < 2 && !(one && i); i++)
            for (int j = 0; j < SIZE * SIZE; j++)
                ((float *)wf_array_data(in[i]))[j] *= -0.9f;
    }
    wf_exec_release(x);
    wf_program_release(q);
    wf_program_release(p);
    for (int i = 0; i < 4; i++)
        wf_array_release(in[i]);
    wf_ctx_free(cx);
}

TEST(loops_pack_what_is_the_same_in_every_turn)
{
    for (int compiled = 0; compiled < 2; compiled++)
        for (int bound = 0; bound <= 2 && check_ok(); bound++) {
            check_loop(20, bound, compiled, false);
            check_loop(17, bound, compiled, true);
            check_loop(3, bound, compiled, false);
        }
}
