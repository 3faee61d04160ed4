/* tree_call.c -- functions of trees: trace, jit, vmap, grad, jvp, vjp.
 *
 * A function of trees is one of its leaves: they are put together before it is called,
 * and what it gives is taken apart (WF_ANY), its structure kept. A jit has one entry for
 * each signature: the structure and the types of the leaves, and the static bytes.
 */
#include "higher/higher.h"

typedef struct TreeCall {
    wf_tree_function f;
    const wf_tree *in; /* the structure of the arguments */
    wf_tree *out;      /* of the results, once it was called */
} TreeCall;

static wf_status call_on_leaves(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                                wf_tensor *out, int nout)
{
    TreeCall *t = user;
    wf_tree *args = wf_tree_unflatten(c, t->in, in, nin), *res = NULL;
    wf_tensor *leaves = NULL;
    wf_status status;
    int n;

    (void)out, (void)nout;
    if (args && (status = t->f.call(c, t->f.user, args, &res)) != WF_OK && !failed(c))
        tensor_fail(c, status, "%s: the function gave up without an error",
              t->f.name ? t->f.name : "f");
    else if (args && !res && !failed(c))
        tensor_fail(c, WF_ERR_ARG, "%s: the function made no tree of results",
              t->f.name ? t->f.name : "f");
    n = res ? wf_tree_leaves(res) : 0;
    if (!failed(c) && !(leaves = mem_alloc(&c->al, ((size_t)n + 1) * sizeof *leaves)))
        fail_memory(c);
    if (!failed(c)) {
        wf_tree_free(c, t->out);
        t->out = tree_shape(c, res);
        wf_tree_flatten(res, leaves, n);
        for (int i = 0; i < n && !failed(c);
             i++) /* the tree's own hold on them ends with it */
            leaves[i] =
                tensor_handle(c, tensor_retain(tensor_get(c, leaves[i], "result")));
        wf_give(c, leaves, n);
    }
    if (leaves)
        mem_free(&c->al, leaves, ((size_t)n + 1) * sizeof *leaves);
    wf_tree_free(c, res);
    wf_tree_free(c, args);
    return wf_ctx_status(c);
}

/* A call; of nothing where there is no function, or no room for its result. */
static TreeCall tree_call(const wf_tree_function *f, const wf_tree *in, const void *out)
{
    return (TreeCall){f && out ? *f : (wf_tree_function){0}, in, NULL};
}

/* The leaves of a tree in memory of n + 1, and the function of them. */
static wf_tensor *leaves_of(wf_ctx *c, const char *fn, TreeCall *t, wf_function *out)
{
    int n;
    wf_tensor *v;

    if (failed(c) || !ts(c))
        return NULL;
    if (!t->f.call || t->f.size < sizeof t->f || !t->in) {
        tensor_fail(c, WF_ERR_ARG,
              "%s: the function, its argument or the place of its result is NULL", fn);
        return NULL;
    }
    n = wf_tree_leaves(t->in);
    if (!(v = mem_alloc(&c->al, ((size_t)n + 1) * sizeof *v))) {
        fail_memory(c);
        return NULL;
    }
    wf_tree_flatten(t->in, v, n);
    *out = (wf_function)WF_FUNCTION(call_on_leaves, t, n, WF_ANY, t->f.name);
    return v;
}

static void leaves_free(wf_ctx *c, wf_tensor *v, int n)
{
    if (v)
        mem_free(&c->al, v, ((size_t)n + 1) * sizeof *v);
}

/* What was given, from the k-th on, in the structure of the results. */
static wf_tree *given_tree(wf_ctx *c, const TreeCall *t, int from)
{
    int n;
    const wf_tensor *v = wf_given(c, &n);
    static const wf_tensor none;

    return failed(c) || !t->out ? NULL
                                : wf_tree_unflatten(c, t->out, v ? v + from : &none,
                                                    wf_tree_leaves(t->out));
}

/* ---- trace ---- */

wf_status wf_trace_tree(wf_ctx *c, const wf_tree_function *f, const wf_tree *example,
                        const wf_program **out, wf_tree **out_results)
{
    TreeCall t = tree_call(f, example, out);
    wf_function g;
    wf_tensor *v = leaves_of(c, "wf_trace_tree", &t, &g);

    if (out)
        *out = NULL;
    if (out_results)
        *out_results = NULL;
    if (v)
        wf_trace(c, &g, v, g.inputs, out);
    if (out_results && !failed(c)) {
        *out_results = t.out;
        t.out = NULL;
    }
    wf_tree_free(c, t.out);
    leaves_free(c, v, v ? g.inputs : 0);
    return ctx_status(c);
}

/* ---- jit ---- */

typedef struct TreeEntry {
    struct TreeEntry *next;
    char *key; /* structure and static bytes */
    size_t size;
    TreeCall t; /* its `in` is owned */
    wf_jit *jit;
} TreeEntry;

struct wf_jit_tree {
    wf_tree_function f;
    TreeEntry *entries;
};

wf_status wf_jit_tree_new(wf_ctx *c, const wf_tree_function *f, wf_jit_tree **out)
{
    if (!SET_OUT(c, out) || !ts(c))
        return ctx_status(c);
    if (!f || !f->call || f->size < sizeof *f)
        tensor_fail(c, WF_ERR_ARG, "wf_jit_tree_new: needs a function");
    else if (!(*out = mem_alloc(&c->al, sizeof **out)))
        fail_memory(c);
    else
        **out = (wf_jit_tree){*f, NULL};
    return ctx_status(c);
}

static void entry_free(wf_ctx *c, TreeEntry *e)
{
    wf_jit_free(c, e->jit);
    wf_tree_free(c, e->t.out);
    wf_tree_free(c, (wf_tree *)(uintptr_t)e->t.in);
    if (e->key)
        mem_free(&c->al, e->key, e->size + 1);
    mem_free(&c->al, e, sizeof *e);
}

void wf_jit_tree_free(wf_ctx *c, wf_jit_tree *j)
{
    if (!c || ctx_elsewhere(c) || !j)
        return;
    for (TreeEntry *e; (e = j->entries) != NULL;) {
        j->entries = e->next;
        entry_free(c, e);
    }
    mem_free(&c->al, j, sizeof *j);
}

int wf_jit_tree_traces(const wf_jit_tree *j)
{
    int n = 0;

    for (const TreeEntry *e = j ? j->entries : NULL; e; e = e->next)
        n += wf_jit_traces(e->jit);
    return n;
}

/* Structure, types of the leaves and static bytes: what the structure of the results may
 * depend on. */
static char *signature(wf_ctx *c, const wf_tree *in, const wf_tensor *v, int n,
                       const void *statics, size_t size, size_t *out_size)
{
    const char *text;
    InType *t = function_types(c, "wf_jit_tree_call", v, n);
    size_t length, at;
    char *key = NULL;

    if (t && wf_tree_structure(c, in, &text) == WF_OK) {
        length = strlen(text) + 1;
        *out_size = length + (size_t)n * sizeof *t + size;
        if (!(key = mem_alloc(&c->al, *out_size + 1)))
            fail_memory(c);
    }
    if (key) {
        memset(key, 0, *out_size + 1);
        memcpy(key, text, length);
        at = length;
        for (int i = 0; i < n; i++, at += sizeof *t) {
            InType clean;
            memset(&clean, 0, sizeof clean); /* no bytes that mean nothing */
            clean.dtype = t[i].dtype;
            clean.weak = t[i].weak;
            clean.s.rank = t[i].s.rank;
            memcpy(clean.s.d, t[i].s.d, t[i].s.rank * sizeof(Dim));
            memcpy(key + at, &clean, sizeof clean);
        }
        if (size)
            memcpy(key + at, statics, size);
    }
    if (t)
        mem_free(&c->al, t, ((size_t)n + 1) * sizeof *t);
    return key;
}

/* Takes over key. */
static TreeEntry *new_entry(wf_ctx *c, wf_jit_tree *j, const wf_tree *in, int n,
                            char *key, size_t size)
{
    TreeEntry *e = mem_alloc(&c->al, sizeof *e);

    if (!e) {
        fail_memory(c);
        mem_free(&c->al, key, size + 1);
        return NULL;
    }
    *e = (TreeEntry){.key = key, .size = size, .t = {j->f, tree_shape(c, in), NULL}};
    if (e->t.in)
        wf_jit_new(c,
                   &(wf_function)WF_FUNCTION(call_on_leaves, &e->t, n, WF_ANY, j->f.name),
                   &e->jit);
    if (failed(c)) {
        entry_free(c, e);
        return NULL;
    }
    e->next = j->entries;
    return j->entries = e;
}

wf_status wf_jit_tree_call(wf_ctx *c, wf_jit_tree *j, const wf_tree *in,
                           const void *statics, size_t size, wf_tree **out)
{
    TreeCall t = tree_call(j ? &j->f : NULL, in, out);
    wf_function f;
    wf_tensor *v = leaves_of(c, "wf_jit_tree_call", &t, &f);
    TreeEntry *e = NULL;
    size_t n = 0;
    char *key = v && NEEDS(c, has_n(statics, (int64_t)size))
                    ? signature(c, in, v, f.inputs, statics, size, &n)
                    : NULL;

    if (out)
        *out = NULL;
    if (key) {
        for (e = j->entries; e; e = e->next)
            if (e->size == n && !memcmp(e->key, key, n))
                break;
        if (e)
            mem_free(&c->al, key, n + 1);
        else
            e = new_entry(c, j, in, f.inputs, key, n);
    }
    if (e && wf_jit_call(c, e->jit, v, f.inputs, NULL, 0, NULL, 0) == WF_OK)
        *out = given_tree(c, &e->t, 0);
    leaves_free(c, v, v ? f.inputs : 0);
    return ctx_status(c);
}

/* ---- vmap ---- */

wf_status wf_vmap_tree(wf_ctx *c, const wf_tree_function *f, const wf_tree *in,
                       const int *axes, int n, int out_axis, const char *axis_name,
                       wf_tree **out)
{
    TreeCall t = tree_call(f, in, out);
    wf_function g;
    wf_tensor *v = leaves_of(c, "wf_vmap_tree", &t, &g);
    size_t room = v ? ((size_t)g.inputs + 1) * sizeof(int) : 0;
    int *zeros = v && !axes ? mem_alloc(&c->al, room) : NULL;

    if (out)
        *out = NULL;
    if (v && !axes && !zeros)
        fail_memory(c);
    if (v && (axes || n))
        has_count(c, "wf_vmap_tree", "axes", axes, n, g.inputs);
    if (zeros)
        memset(zeros, 0, room);
    if (v && !failed(c) &&
        wf_vmap_call(c, &g, v, axes ? axes : zeros, g.inputs, &out_axis, axis_name, NULL,
                     0) == WF_OK)
        *out = given_tree(c, &t, 0);
    if (zeros)
        mem_free(&c->al, zeros, room);
    wf_tree_free(c, t.out);
    leaves_free(c, v, v ? g.inputs : 0);
    return ctx_status(c);
}

/* ---- derivatives ---- */

/* Leaves first .. first + n - 1 belong to child `wrt` of the tree; -1: all. */
static bool leaf_range(wf_ctx *c, const wf_tree *in, int wrt, int *first, int *n)
{
    *first = 0;
    *n = wf_tree_leaves(in);
    if (wrt < 0)
        return true;
    if (wrt >= wf_tree_count(in)) {
        tensor_fail(c, WF_ERR_INDEX, "wf_grad_tree: the arguments have no child %d", wrt);
        return false;
    }
    for (int i = 0; i < wrt; i++)
        *first += wf_tree_leaves(wf_tree_at(in, i));
    *n = wf_tree_leaves(wf_tree_at(in, wrt));
    return true;
}

/* first, first + 1, ..: n + 1 of them */
static int *range(wf_ctx *c, int first, int n)
{
    int *v = mem_alloc(&c->al, ((size_t)n + 1) * sizeof *v);

    if (!v)
        fail_memory(c);
    for (int i = 0; v && i < n; i++)
        v[i] = first + i;
    return v;
}

wf_status wf_grad_tree(wf_ctx *c, const wf_tree_function *f, const wf_tree *in, int wrt,
                       wf_tree **out_y, wf_tree **out_grads)
{
    TreeCall t = tree_call(f, in, out_grads);
    wf_function g;
    wf_tensor *v = leaves_of(c, "wf_grad_tree", &t, &g), *grads = NULL;
    int first = 0, n = 0, *which = NULL;

    if (out_grads)
        *out_grads = NULL;
    if (out_y)
        *out_y = NULL;
    if (v && leaf_range(c, in, wrt, &first, &n)) {
        which = range(c, first, n);
        grads = mem_alloc(&c->al, ((size_t)n + 1) * sizeof *grads);
        if (!grads)
            fail_memory(c);
    }
    if (which && grads &&
        wf_grad_call(c, &g, v, g.inputs, which, n, NULL, 0, grads) == WF_OK) {
        if (out_y)
            *out_y = given_tree(c, &t, 0);
        *out_grads = wf_tree_unflatten(c, wrt < 0 ? in : wf_tree_at(in, wrt), grads, n);
    }
    if (which)
        mem_free(&c->al, which, ((size_t)n + 1) * sizeof *which);
    leaves_free(c, grads, n);
    wf_tree_free(c, t.out);
    leaves_free(c, v, v ? g.inputs : 0);
    return ctx_status(c);
}

wf_status wf_jvp_tree(wf_ctx *c, const wf_tree_function *f, const wf_tree *in,
                      const wf_tree *dx, wf_tree **out_y, wf_tree **out_dy)
{
    TreeCall t = tree_call(f, in, out_y ? out_dy : NULL);
    wf_function g;
    wf_tensor *v = leaves_of(c, "wf_jvp_tree", &t, &g), *d = NULL;
    int *which = v ? range(c, 0, g.inputs) : NULL, n;

    if (!NEEDS(c, out_y && out_dy))
        return ctx_status(c);
    *out_y = *out_dy = NULL;
    if (which && (!dx || wf_tree_leaves(dx) != g.inputs))
        tensor_fail(c, WF_ERR_ARG,
              "wf_jvp_tree: the tangents have another structure than the arguments");
    else if (which && !(d = mem_alloc(&c->al, ((size_t)g.inputs + 1) * sizeof *d)))
        fail_memory(c);
    if (d)
        wf_tree_flatten(dx, d, g.inputs);
    if (d &&
        wf_jvp_call(c, &g, v, g.inputs, which, g.inputs, d, NULL, NULL, 0) == WF_OK) {
        (void)wf_given(c, &n);
        *out_y = given_tree(c, &t, 0);
        *out_dy = given_tree(c, &t, n / 2);
    }
    leaves_free(c, d, v ? g.inputs : 0);
    if (which)
        mem_free(&c->al, which, ((size_t)g.inputs + 1) * sizeof *which);
    wf_tree_free(c, t.out);
    leaves_free(c, v, v ? g.inputs : 0);
    return ctx_status(c);
}

wf_status wf_vjp_tree(wf_ctx *c, const wf_tree_function *f, const wf_tree *in,
                      wf_tree **out_y, wf_record **out)
{
    TreeCall t = tree_call(f, in, out_y ? out : NULL);
    wf_function g;
    wf_tensor *v = leaves_of(c, "wf_vjp_tree", &t, &g);
    int *which = v ? range(c, 0, g.inputs) : NULL;

    if (!SET_OUT(c, out_y) || !SET_OUT(c, out))
        return ctx_status(c);
    if (which &&
        wf_record_new(c, &g, v, g.inputs, which, g.inputs, NULL, 0, out) == WF_OK)
        *out_y = given_tree(c, &t, 0);
    if (which)
        mem_free(&c->al, which, ((size_t)g.inputs + 1) * sizeof *which);
    wf_tree_free(c, t.out);
    leaves_free(c, v, v ? g.inputs : 0);
    return ctx_status(c);
}
