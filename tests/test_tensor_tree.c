/* test_tensor_tree.c -- functions of trees: a model with its parameters in a dict, in
 * every transform. */
#include "lib_tensor.h"

#include <math.h>
#include <string.h>

static wf_tree *leaf(wf_ctx *c, double x)
{
    return wf_tree_leaf(c, wf_scalar(c, WF_F64, x));
}

/* ({'w': w, 'b': b}, x) */
static wf_tree *arguments(wf_ctx *c, double w, double b, wf_tensor x)
{
    wf_tree *kids[2] = {wf_tree_dict(c, (const char *[]){"w", "b"},
                                     (wf_tree *[]){leaf(c, w), leaf(c, b)}, 2),
                        wf_tree_leaf(c, x)};
    return wf_tree_tuple(c, kids, 2);
}

static wf_tensor part(const wf_tree *t, const char *key)
{
    return wf_tree_tensor(wf_tree_get(t, key));
}

/* {'loss': sum (w x + b)^2, 'parts': [w x, {}]}: the loss is the first leaf */
static wf_status model(wf_ctx *c, void *user, const wf_tree *in, wf_tree **out)
{
    const wf_tree *p = wf_tree_at(in, 0);
    wf_tensor wx = wf_mul(c, part(p, "w"), wf_tree_tensor(wf_tree_at(in, 1))), y, loss;
    wf_tree *list[2];
    int *calls = user;

    if (calls)
        ++*calls;
    y = wf_add(c, wx, part(p, "b"));
    loss = wf_sum(c, wf_square(c, y), NULL, 0, false);
    list[0] = wf_tree_leaf(c, wx);
    list[1] = wf_tree_dict(c, NULL, NULL, 0);
    *out =
        wf_tree_dict(c, (const char *[]){"parts", "loss"},
                     (wf_tree *[]){wf_tree_list(c, list, 2), wf_tree_leaf(c, loss)}, 2);
    return wf_ctx_status(c);
}

static double value(wf_ctx *c, const wf_tree *t, const char *key)
{
    return wf_item(c, part(t, key));
}

TEST(functions_of_trees_keep_their_structure_in_every_transform)
{
    wf_ctx *c = wf_ctx_new(NULL);
    int calls = 0;
    wf_tree_function f = WF_TREE_FUNCTION(model, &calls, "model");
    wf_tensor x = wf_scalar(c, WF_F64, 3);
    wf_tree *in = arguments(c, 2, 1, x), *y, *g, *dy, *like;
    const wf_program *p;
    const char *text;
    wf_jit_tree *jit;
    wf_record *rec;

    wf_grad_tree(c, &f, in, 0, &y, &g); /* y = 7, d/dw = 2 y x, d/db = 2 y */
    REQUIRE(check_context(c, "tree", "grad"));
    CHECK_NEAR(value(c, y, "loss"), 49, 0);
    CHECK_NEAR(value(c, g, "w"), 42, 0);
    CHECK_NEAR(value(c, g, "b"), 14, 0);
    wf_tree_structure(c, y, &text);
    CHECK_STR(text, "{'loss': *, 'parts': [*, {}]}");
    wf_tree_free(c, y);
    wf_tree_free(c, g);
    wf_grad_tree(c, &f, in, -1, NULL, &g);
    wf_tree_structure(c, g, &text);
    CHECK_STR(text, "({'b': *, 'w': *}, *)");
    CHECK_NEAR(wf_item(c, wf_tree_tensor(wf_tree_at(g, 1))), 28, 0);
    wf_jvp_tree(c, &f, in, g, &y, &dy); /* along the gradient: its square */
    REQUIRE(check_context(c, "tree", "jvp"));
    CHECK_NEAR(value(c, dy, "loss"), 42 * 42 + 14 * 14 + 28 * 28, 1e-9);
    wf_tree_free(c, y);
    wf_tree_free(c, g);
    wf_tree_free(c, dy);

    wf_jit_tree_new(c, &f, &jit);
    calls = 0;
    for (int i = 0; i < 3; i++) {
        wf_jit_tree_call(c, jit, in, "a", 1, &y);
        CHECK_NEAR(value(c, y, "loss"), 49, 0);
        wf_tree_free(c, y);
    }
    CHECK_EQ_INT(calls, 1);
    wf_jit_tree_call(c, jit, in, "b", 1, &y); /* other static bytes */
    wf_tree_free(c, y);
    CHECK_EQ_INT(calls, 2);
    wf_tree *other =
        arguments(c, 2, 1, wf_ones(c, WF_F64, (int64_t[]){4}, 1)); /* another shape */
    wf_jit_tree_call(c, jit, other, "a", 1, &y);
    CHECK_NEAR(value(c, y, "loss"), 36, 0);
    CHECK_EQ_INT(wf_jit_tree_traces(jit), 3);
    wf_tree_free(c, y);

    wf_vmap_tree(c, &f, other, (int[]){WF_UNMAPPED, WF_UNMAPPED, 0}, 3, 0, NULL, &y);
    REQUIRE(check_context(c, "tree", "vmap"));
    CHECK_EQ_INT(wf_count(c, part(y, "loss")), 4);
    wf_tree_free(c, y);
    wf_vjp_tree(c, &f, in, &y, &rec);
    wf_tensor gy[2] = {wf_scalar(c, WF_F64, 1), wf_scalar(c, WF_F64, 0)}, gx[3];
    wf_record_vjp(c, rec, gy, 2, gx, 3);
    CHECK_NEAR(wf_item(c, gx[1]), 42, 0); /* leaves in order: b, w, x */
    wf_record_free(c, rec);
    wf_tree_free(c, y);
    wf_trace_tree(c, &f, in, &p, &like);
    CHECK_EQ_INT(wf_program_outputs(p), 2);
    wf_tree_structure(c, like, &text);
    CHECK_STR(text, "{'loss': *, 'parts': [*, {}]}");
    CHECK(check_context(c, "tree", "all"));
    wf_program_release(p);
    wf_tree_free(c, like);
    wf_tree_free(c, other);
    wf_tree_free(c, in);
    wf_jit_tree_free(c, jit);
    wf_ctx_free(c);
}

static wf_status gives_nothing(wf_ctx *c, void *user, const wf_tree *in, wf_tree **out)
{
    (void)c, (void)user, (void)in, (void)out;
    return WF_OK;
}

TEST(functions_of_trees_say_what_is_missing)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_tree_function f = WF_TREE_FUNCTION(model, NULL, "model"),
                     g = WF_TREE_FUNCTION(gives_nothing, NULL, "nothing");
    wf_tree *in = arguments(c, 2, 1, wf_scalar(c, WF_F64, 3)), *y, *d;

    wf_grad_tree(c, &f, in, 5, NULL, &y);
    CHECK_HAS(wf_ctx_message(c), "wf_grad_tree: the arguments have no child 5");
    wf_clear(c);
    wf_grad_tree(c, &g, in, 0, NULL, &y);
    CHECK_HAS(wf_ctx_message(c), "nothing: the function made no tree of results");
    wf_clear(c);
    wf_jvp_tree(c, &f, in, wf_tree_at(in, 0), &y, &d);
    CHECK_HAS(wf_ctx_message(c), "another structure");
    wf_clear(c);
    wf_tree_free(c, in);
    wf_ctx_free(c);
}

static wf_status trees(wf_ctx *c)
{
    wf_tree_function f = WF_TREE_FUNCTION(model, NULL, "model");
    wf_tree *in = arguments(c, 2, 1, wf_scalar(c, WF_F64, 3)), *y = NULL, *g = NULL;
    wf_jit_tree *jit = NULL;
    wf_status st;

    if (in) {
        wf_grad_tree(c, &f, in, 0, &y, &g);
        wf_tree_free(c, y);
        wf_tree_free(c, g);
        if (wf_jit_tree_new(c, &f, &jit) == WF_OK) {
            wf_jit_tree_call(c, jit, in, NULL, 0, &y);
            wf_tree_free(c, y);
        }
    }
    st = wf_ctx_status(c);
    wf_jit_tree_free(c, jit);
    wf_tree_free(c, in);
    return st;
}

TEST(functions_of_trees_survive_every_failing_allocation) { check_faults(trees, 3); }
