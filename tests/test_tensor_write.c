/* test_tensor_write.c -- writing into tensors, through views, eagerly, recorded and
 * traced.
 *
 * One body does it in place; its oracle does the same without writing. Values and
 * gradients must agree in every way of running. */
#include "lib_tensor.h"

#include <string.h>

#define AT(...)                                                                          \
    (wf_index[]){__VA_ARGS__}, (int)(sizeof((wf_index[]){__VA_ARGS__}) / sizeof(wf_index))

typedef wf_call Body;

/* in[0]: f64[4,3], in[1]: f64[3], in[2]: bool[4,3]. A body gets a copy of in[0] to write
 * to. */
#define WRITES(name, ...)                                                                \
    static wf_status w_##name(wf_ctx *c, void *user, const wf_tensor *in, int nin,       \
                              wf_tensor *out, int nout)                                  \
    {                                                                                    \
        wf_tensor x = wf_mul(c, in[0], wf_float(c, 1)), w = in[1], m = in[2];            \
        (void)user, (void)w, (void)m, (void)nin, (void)nout;                             \
        __VA_ARGS__;                                                                     \
        out[0] = x;                                                                      \
        return wf_ctx_status(c);                                                         \
    }
#define ORACLE(name, expr)                                                               \
    static wf_status o_##name(wf_ctx *c, void *user, const wf_tensor *in, int nin,       \
                              wf_tensor *out, int nout)                                  \
    {                                                                                    \
        wf_tensor x = in[0], w = in[1], m = in[2];                                       \
        (void)user, (void)w, (void)m, (void)nin, (void)nout;                             \
        out[0] = (expr);                                                                 \
        return wf_ctx_status(c);                                                         \
    }

#define ROWS wf_at_slice(1, 3)
#define ALL  wf_at_all()

static wf_tensor get(wf_ctx *c, wf_tensor x, const wf_index *ix, int n)
{
    return wf_index_get(c, x, ix, n);
}

WRITES(whole, wf_mul_in(c, x, w))
ORACLE(whole, wf_mul(c, x, w))

/* x[1:3] += 1, as Python does it: the view, then the assignment of the view to itself */
WRITES(slice_add, wf_tensor v = get(c, x, AT(ROWS)); wf_add_in(c, v, w);
       wf_index_write(c, x, AT(ROWS), v))
ORACLE(slice_add, wf_index_add(c, x, AT(ROWS), w))

WRITES(flat_first,
       wf_write(c, get(c, wf_reshape(c, x, (int64_t[]){12}, 1), AT(wf_at_int(0))),
                wf_sum(c, w, NULL, 0, false)))
ORACLE(flat_first,
       wf_index_set(c, x, AT(wf_at_int(0), wf_at_int(0)), wf_sum(c, w, NULL, 0, false)))

/* rows 0 and 2 as [2,1,3], read as [6]: the stride of an axis of size 1 says nothing */
WRITES(stepped_reshape,
       wf_tensor v = get(c, wf_reshape(c, x, (int64_t[]){2, 2, 3}, 3),
                         AT(ALL, wf_at_slice_step(WF_NOT, WF_NOT, 2)));
       wf_mul_in(c, x, get(c, wf_reshape(c, v, (int64_t[]){6}, 1), AT(wf_at_int(4)))))
ORACLE(stepped_reshape, wf_mul(c, x, get(c, x, AT(wf_at_int(2), wf_at_int(1)))))

/* the diagonal, below the first row */
WRITES(diagonal, wf_mul_in(c, wf_diagonal(c, x, -1), w))
ORACLE(diagonal, wf_where(c, wf_eye(c, WF_BOOL, 4, 3, -1), wf_mul(c, x, w), x))

WRITES(column_of_transpose,
       wf_fill_in(c, get(c, wf_swap_axes(c, x, 0, 1), AT(wf_at_int(1))), 0))
ORACLE(column_of_transpose, wf_index_set(c, x, AT(ALL, wf_at_int(1)), wf_float(c, 0)))

/* every other row, backwards */
WRITES(strided, wf_mul_in(c, get(c, x, AT(wf_at_slice_step(WF_NOT, WF_NOT, -2))), w))
ORACLE(strided,
       wf_index_set(c, x, AT(wf_at_slice_step(WF_NOT, WF_NOT, -2)),
                    wf_mul(c, get(c, x, AT(wf_at_slice_step(WF_NOT, WF_NOT, -2))), w)))

/* a view made before the base is written to sees it, numbers and history */
WRITES(base_then_view, wf_tensor v = get(c, x, AT(ROWS)); wf_mul_in(c, x, w);
       x = wf_exp(c, v))
ORACLE(base_then_view, wf_exp(c, get(c, wf_mul(c, x, w), AT(ROWS))))

/* and a view when another view is written to */
WRITES(view_then_view, wf_tensor v = get(c, x, AT(ROWS)), u = wf_swap_axes(c, x, 0, 1);
       wf_mul_in(c, v, w); wf_add_in(c, v, w); x = wf_sin(c, u))
ORACLE(view_then_view,
       wf_swap_axes(c,
                    wf_sin(c,
                           wf_index_set(c, x, AT(ROWS),
                                        wf_add(c, wf_mul(c, get(c, x, AT(ROWS)), w), w))),
                    0, 1))

/* a view times another view of the same base, many times: histories make no cycle */
WRITES(view_by_view, for (int k = 0; k < 3; k++) wf_mul_in(c, get(c, x, AT(wf_at_int(0))),
                                                           get(c, x, AT(wf_at_int(1)))))
static wf_tensor by_view(wf_ctx *c, wf_tensor x)
{
    for (int k = 0; k < 3; k++)
        x = wf_index_set(
            c, x, AT(wf_at_int(0)),
            wf_mul(c, get(c, x, AT(wf_at_int(0))), get(c, x, AT(wf_at_int(1)))));
    return x;
}
ORACLE(view_by_view, by_view(c, x))

WRITES(self_product, wf_mul_in(c, x, wf_mul(c, x, x)))
ORACLE(self_product, wf_mul(c, x, wf_mul(c, x, x)))

WRITES(mask_scalar,
       wf_index_write(c, x, AT(wf_at_tensor(m)), wf_sum(c, w, NULL, 0, false)))
ORACLE(mask_scalar, wf_where(c, m, wf_sum(c, w, NULL, 0, false), x))

WRITES(mask_rows,
       wf_index_write(c, x, AT(wf_at_tensor(get(c, m, AT(ALL, wf_at_int(0))))), w))
ORACLE(mask_rows,
       wf_where(c, wf_expand_dims(c, get(c, m, AT(ALL, wf_at_int(0))), 1), w, x))

WRITES(mask_columns,
       wf_index_write(c, x, AT(ALL, wf_at_tensor(get(c, m, AT(wf_at_int(0))))),
                      wf_sum(c, w, NULL, 0, true)))
ORACLE(mask_columns,
       wf_where(c, get(c, m, AT(wf_at_int(0))), wf_sum(c, w, NULL, 0, false), x))

/* x[m] *= sum w: as many values as there are true elements */
WRITES(mask_own, wf_tensor v = get(c, x, AT(wf_at_tensor(m)));
       wf_index_write(c, x, AT(wf_at_tensor(m)),
                      wf_mul(c, v, wf_sum(c, w, NULL, 0, false))))
ORACLE(mask_own, wf_where(c, m, wf_mul(c, x, wf_sum(c, w, NULL, 0, false)), x))

/* detached memory: numbers change, histories do not */
WRITES(detached, wf_fill_in(c, get(c, x, AT(wf_at_int(0))), 0);
       wf_tensor y = wf_detach(c, x); wf_mul_in(c, x, wf_float(c, 2)); (void)y)
ORACLE(detached,
       wf_mul(c, wf_index_set(c, x, AT(wf_at_int(0)), wf_float(c, 0)), wf_float(c, 2)))

typedef struct WriteCase {
    const char *name;
    Body does, oracle;
} WriteCase;
#define ROW(name)                                                                        \
    {                                                                                    \
#name, w_##name, o_##name                                                        \
    }
static const WriteCase cases[] = {
    ROW(whole),        ROW(slice_add),      ROW(flat_first),     ROW(column_of_transpose),
    ROW(strided),      ROW(base_then_view), ROW(view_then_view), ROW(view_by_view),
    ROW(self_product), ROW(mask_scalar),    ROW(mask_rows),      ROW(mask_columns),
    ROW(mask_own),     ROW(detached),       ROW(stepped_reshape), ROW(diagonal),
};

typedef struct Loss {
    Body body;
} Loss;

static wf_status loss(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out,
                      int nout)
{
    Loss *l = user;

    if (l->body(c, NULL, in, nin, out, nout))
        return wf_ctx_status(c);
    out[0] = wf_sum(c, wf_sin(c, wf_mul(c, out[0], out[0])), NULL, 0, false);
    return wf_ctx_status(c);
}

static void check_write(const WriteCase *k)
{
    wf_ctx *c = wf_ctx_new(NULL);
    uint64_t seed = 3;
    wf_tensor in[3] = {random_tensor(c, "f64[4,3]", -1, 1, &seed),
                       random_tensor(c, "f64[3]", -1, 1, &seed),
                       random_tensor(c, "bool[4,3]", 0, 2, &seed)};
    wf_tensor y, z, g[2], h[2], b[3];
    Loss a = {k->does}, o = {k->oracle};
    wf_function fa = WF_FUNCTION(loss, &a, 3, 1, NULL),
                fo = WF_FUNCTION(loss, &o, 3, 1, NULL),
                f = WF_FUNCTION(k->does, NULL, 3, 1, NULL),
                fz = WF_FUNCTION(k->oracle, NULL, 3, 1, NULL);
    wf_jit *jit, *grad = NULL;
    int64_t live;

    k->does(c, NULL, in, 3, &y, 1);
    k->oracle(c, NULL, in, 3, &z, 1);
    check_same(c, y, z, 1e-15, k->name, "eager");
    wf_grad_call(c, &fa, in, 3, (int[]){0, 1}, 2, &y, 1, g);
    wf_grad_call(c, &fo, in, 3, (int[]){0, 1}, 2, &z, 1, h);
    check_same(c, y, z, 1e-15, k->name, "recorded");
    for (int i = 0; i < 2; i++)
        check_same(c, g[i], h[i], 1e-13, k->name, "gradient");
    wf_jit_new(c, &f, &jit);
    wf_jit_call(c, jit, in, 3, &y, 1, NULL, 0);
    k->oracle(c, NULL, in, 3, &z, 1);
    check_same(c, y, z, 1e-15, k->name, "jit");
    for (int i = 0; i < 2; i++)
        wf_requires_grad(c, in[i], true);
    wf_jit_new(c, &fa, &grad); /* the whole function as one recorded step */
    wf_jit_call(c, grad, in, 3, &y, 1, NULL, 0);
    wf_gradients(c, &y, NULL, 1, in, 2, WF_GRAD_UNUSED_OK, g);
    for (int i = 0; i < 2; i++) /* none: the result does not depend on it */
        check_same(c, wf_is_alive(c, g[i]) ? g[i] : wf_zeros_like(c, in[i]), h[i], 1e-13, k->name,
                   "gradient of the jitted function");
    for (int i = 0; i < 2; i++)
        wf_requires_grad(c, in[i], false);
    for (int i = 0; i < 3; i++)
        b[i] = wf_stack(
            c, (wf_tensor[]){in[i], i == 2 ? wf_logical_not(c, in[i]) : wf_neg(c, in[i])},
            2, 0);
    if (strcmp(k->name, "mask_own") != 0) { /* sizes would differ from row to row */
        wf_vmap_call(c, &f, b, (int[]){0, 0, 0}, 3, NULL, NULL, &y, 1);
        wf_vmap_call(c, &fz, b, (int[]){0, 0, 0}, 3, NULL, NULL, &z, 1);
        check_same(c, y, z, 1e-15, k->name, "vmap");
    }
    live = wf_live_bytes(c);
    for (int i = 0; i < 3; i++) { /* nothing stays */
        wf_scope_begin(c);
        for (int j = 0; j < 2; j++)
            wf_requires_grad(c, in[j], true);
        loss(c, &a, in, i, &y, 1);
        wf_backward(c, y, WF_NONE, 0);
        for (int j = 0; j < 2; j++) {
            wf_set_grad(c, in[j], WF_NONE);
            wf_requires_grad(c, in[j], false);
        }
        wf_scope_end(c);
        if (i == 0)
            live = wf_live_bytes(c);
    }
    CHECK_EQ_INT(wf_live_bytes(c), live);
    check_context(c, k->name, "all");
    wf_jit_free(c, jit);
    wf_jit_free(c, grad);
    wf_ctx_free(c);
}

TEST(writes_are_the_same_as_new_values_in_every_way_of_running)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_write(&cases[i]);
}

TEST(what_cannot_be_written_to_says_why)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tensor x = wf_ones(c, WF_F64, (int64_t[]){3, 2}, 2), v, y;

    v = wf_broadcast_to(c, wf_ones(c, WF_F64, (int64_t[]){1, 2}, 2), (int64_t[]){3, 2},
                        2);
    wf_add_in(c, v, x);
    CHECK_HAS(wf_ctx_message(c),
              "more than one element of the tensor stands for a single element");
    wf_clear(c);
    wf_requires_grad(c, x, true);
    wf_add_in(c, x, v);
    CHECK_HAS(wf_ctx_message(c), "a leaf that requires a gradient cannot be written to");
    wf_clear(c);
    wf_add_in(c, wf_index_get(c, x, AT(wf_at_int(0))), wf_float(c, 1));
    CHECK_HAS(wf_ctx_message(c),
              "a view of a leaf that requires a gradient cannot be written to");
    wf_clear(c);
    wf_no_grad_begin(c);
    wf_add_in(c, wf_index_get(c, x, AT(wf_at_int(0))), wf_float(c, 1));
    wf_no_grad_end(c);
    CHECK(check_context(c, "write", "no_grad"));
    CHECK_NEAR(wf_item(c, wf_sum(c, x, NULL, 0, false)), 8, 0);
    y = wf_mul(c, x, x); /* saves x, whose view is then written to */
    wf_no_grad_begin(c);
    wf_fill_in(c, wf_index_get(c, x, AT(wf_at_int(0))), 7);
    wf_no_grad_end(c);
    wf_backward(c, wf_sum(c, y, NULL, 0, false), WF_NONE, 0);
    CHECK_HAS(wf_ctx_message(c), "saved for its derivative was written to afterwards");
    wf_ctx_free(c);
}

BODY(take_rows, wf_take(c, in[0], in[1], 0))

TEST(programs_assert_that_indices_are_in_range_if_asked_to)
{
    for (int check = 0; check < 2; check++) {
        wf_ctx *c = wf_ctx_new(NULL);
        wf_function f = WF_FUNCTION(f_take_rows, NULL, 2, 1, NULL);
        wf_tensor in[2] = {wf_arange(c, WF_F64, 0, 3, 1),
                           wf_from(c, WF_I64, (int64_t[]){2}, 1, (int64_t[]){1, -1})},
                  y;
        wf_jit *jit;

        SET_MEANS(c, index_check, check);
        wf_jit_new(c, &f, &jit);
        wf_jit_call(c, jit, in, 2, &y, 1, NULL, 0);
        CHECK_NEAR(wf_item(c, wf_sum(c, y, NULL, 0, false)), 3, 0);
        in[1] = wf_from(c, WF_I64, (int64_t[]){2}, 1, (int64_t[]){1, 5});
        wf_jit_call(c, jit, in, 2, &y, 1, NULL, 0);
        if (check) {
            CHECK_EQ_INT(wf_ctx_status(c), WF_ERR_ASSERT);
            CHECK_HAS(wf_ctx_message(c), "index: out of range for an axis of size 3");
        } else {
            CHECK_NEAR(wf_item(c, wf_sum(c, y, NULL, 0, false)), 3, 0);
        }
        wf_jit_free(c, jit);
        wf_ctx_free(c);
    }
}

static const int64_t class_of_two[] = {1, -1};
BODY(loss_of_two, wf_cross_entropy(c, in[0], in[1], WF_NONE, -100, 0, WF_SUM))
BODY(smooth_loss_of_two, wf_cross_entropy(c, in[0], in[1], WF_NONE, -100, 0.1, WF_SUM))
BODY(nll_of_two, wf_nll_loss(c, in[0], in[1], WF_NONE, -100, WF_SUM))
BODY(nll_without_the_last, wf_nll_loss(c, in[0], in[1], WF_NONE, -1, WF_SUM))
BODY(rows_of_a_table, wf_embedding(c, in[0], in[1]))

/* A label or a row -1 is a mistake, which NumPy's reading would hide; as the number that does not count it is none. */
TEST(classes_and_rows_of_a_table_do_not_count_from_the_end)
{
    static const struct {
        wf_call call;
        const char *name;
    } calls[] = {{f_loss_of_two, "wf_nll_loss"}, {f_smooth_loss_of_two, "wf_nll_loss"}, {f_nll_of_two, "wf_nll_loss"}, {f_rows_of_a_table, "wf_embedding"}};

    for (int k = 0; k < (int)(sizeof calls / sizeof *calls); k++) {
        wf_ctx *c = wf_ctx_new(NULL);
        wf_function f = WF_FUNCTION(calls[k].call, NULL, 2, 1, NULL), none = WF_FUNCTION(f_nll_without_the_last, NULL, 2, 1, NULL);
        wf_tensor in[2] = {wf_ones(c, WF_F64, (int64_t[]){2, 3}, 2), wf_from(c, WF_I64, (int64_t[]){2}, 1, class_of_two)}, y;
        wf_jit *jit;

        calls[k].call(c, NULL, in, 2, &y, 1);
        CHECK_EQ_INT(wf_ctx_status(c), WF_ERR_INDEX);
        CHECK_HAS(wf_ctx_message(c), calls[k].name);
        CHECK_HAS(wf_ctx_message(c), "-1 is out of range");
        wf_clear(c);
        SET_MEANS(c, index_check, true);
        wf_jit_new(c, &f, &jit);
        wf_jit_call(c, jit, in, 2, &y, 1, NULL, 0);
        CHECK_EQ_INT(wf_ctx_status(c), WF_ERR_ASSERT);
        CHECK_HAS(wf_ctx_message(c), "it is negative");
        wf_clear(c);
        wf_jit_free(c, jit);
        none.call(c, NULL, in, 2, &y, 1);
        CHECK_NEAR(wf_item(c, y), -1, 0);
        wf_jit_new(c, &none, &jit);
        wf_jit_call(c, jit, in, 2, &y, 1, NULL, 0);
        CHECK_NEAR(wf_item(c, y), -1, 0);
        wf_jit_free(c, jit);
        wf_ctx_free(c);
    }
}

TEST(masks_over_an_empty_axis_select_and_assign_nothing)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tensor x = wf_zeros(c, WF_F64, (int64_t[]){0, 3}, 2),
              m = wf_zeros(c, WF_BOOL, (int64_t[]){0}, 1), y;

    y = wf_index_get(c, x, AT(wf_at_tensor(m)));
    CHECK_EQ_INT(wf_size(c, y, 0), 0);
    CHECK_EQ_INT(wf_size(c, y, 1), 3);
    wf_index_write(c, x, AT(wf_at_tensor(m)), wf_float(c, 1));
    y = wf_masked_select(c, x, wf_zeros(c, WF_BOOL, (int64_t[]){0, 3}, 2));
    CHECK_EQ_INT(wf_count(c, y), 0);
    check_context(c, "masks", "empty");
    wf_ctx_free(c);
}

static wf_status tokens(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                        wf_tensor *out, int nout)
{
    (void)user, (void)nin,
        (void)nout; /* x[:, :-1] and x[:, 1:] meet; every other one; the last */
    out[0] = wf_sub(c, get(c, in[0], AT(ALL, wf_at_slice(1, WF_NOT))),
                    get(c, in[0], AT(ALL, wf_at_slice(WF_NOT, -1))));
    out[1] = get(c, in[0], AT(ALL, wf_at_slice_step(WF_NOT, WF_NOT, 2)));
    out[2] = get(c, in[0], AT(wf_at_rest(), wf_at_int(-1)));
    out[3] = get(c, in[0], AT(ALL, wf_at_slice_step(WF_NOT, WF_NOT, -1)));
    return WF_OK;
}

TEST(slices_of_symbolic_axes_count_from_the_end)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_function f = WF_FUNCTION(tokens, NULL, 1, 4, NULL);
    const wf_program *p;
    uint64_t seed = 1;

    wf_trace_types(c, &f, (const char *[]){"f64[N,T]"}, 1, &p);
    REQUIRE(check_context(c, "slices", "trace"));
    for (int t = 1; t < 6; t++) {
        const char *types[] = {"f64[2,1]", "f64[2,2]", "f64[1,3]", "f64[2,4]",
                               "f64[3,5]"};
        wf_tensor x = random_tensor(c, types[t - 1], -1, 1, &seed), y[4], z[4];
        wf_apply(c, p, &x, 1, y, wf_program_outputs(p));
        tokens(c, NULL, &x, 1, z, 1);
        for (int j = 0; j < 4; j++)
            check_same(c, y[j], z[j], 0, "slices", "applied");
    }
    wf_program_release(p);
    wf_ctx_free(c);
}

static wf_status writes(wf_ctx *c)
{
    uint64_t seed = 3;
    wf_tensor in[3] = {random_tensor(c, "f64[4,3]", -1, 1, &seed),
                       random_tensor(c, "f64[3]", -1, 1, &seed),
                       random_tensor(c, "bool[4,3]", 0, 2, &seed)},
              y, g;

    for (int i = 5; i < 8; i++) {
        Loss a = {cases[i].does};
        wf_function f = WF_FUNCTION(loss, &a, 3, 1, NULL);
        const wf_program *p = NULL;
        wf_grad_call(c, &f, in, 3, NULL, 0, &y, 1, &g);
        wf_trace(c, &f, in, 3, &p);
        wf_program_release(p);
    }
    return wf_ctx_status(c);
}

TEST(writes_survive_every_failing_allocation) { check_faults(writes, 11); }
