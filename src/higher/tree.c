/* tree.c -- tuples, lists and dicts of tensors, and their flat form.
 *
 * Functions take and give flat lists; a tree is flattened before the call and put together again
 * after it. Dicts are kept in the order of their keys. The structure as text, "({'b': *, 'w': *}, *)",
 * tells trees of equal structure apart from others, and can be the static bytes of a jit.
 */
#include "higher/higher.h"

struct wf_tree {
    wf_tree_kind kind;
    wf_tensor leaf; /* kept */
    int n;
    wf_tree **kids; /* owned */
    char **keys;    /* of a dict, sorted */
};

void wf_tree_free(wf_ctx *c, wf_tree *t)
{
    IN_CALL(c);
    if (!c || ctx_elsewhere(c) || !t)
        return;
    if (t->kind == WF_TREE_LEAF && wf_is_alive(c, t->leaf))
        wf_drop(c, t->leaf);
    for (int i = 0; i < t->n; i++) {
        wf_tree_free(c, t->kids[i]);
        if (t->keys && t->keys[i])
            mem_free(&c->al, t->keys[i], strlen(t->keys[i]) + 1);
    }
    if (t->kids)
        mem_free(&c->al, t->kids, ((size_t)t->n + 1) * sizeof *t->kids);
    if (t->keys)
        mem_free(&c->al, t->keys, ((size_t)t->n + 1) * sizeof *t->keys);
    mem_free(&c->al, t, sizeof *t);
}

static wf_tree *node_of(wf_ctx *c, wf_tree_kind kind, int n, bool keys)
{
    wf_tree *t = mem_alloc(&c->al, sizeof *t);
    size_t room = ((size_t)n + 1) * sizeof(void *);

    if (!t) {
        fail_memory(c);
        return NULL;
    }
    memset(t, 0, sizeof *t);
    t->kind = kind;
    t->n = n;
    if (n && !(t->kids = mem_alloc(&c->al, room))) {
        mem_free(&c->al, t, sizeof *t);
        fail_memory(c);
        return NULL;
    }
    if (n)
        memset(t->kids, 0, room);
    if (keys && n && !(t->keys = mem_alloc(&c->al, room))) {
        wf_tree_free(c, t);
        fail_memory(c);
        return NULL;
    }
    if (t->keys)
        memset(t->keys, 0, room);
    return t;
}

wf_tree *wf_tree_leaf(wf_ctx *c, wf_tensor x)
{
    wf_tree *t;

    if (!tensor_get(c, x, "wf_tree_leaf") || !(t = node_of(c, WF_TREE_LEAF, 0, false)))
        return NULL;
    t->leaf = wf_keep(c, x);
    return t;
}

/* The children are taken over, also when it fails. */
static wf_tree *sequence(wf_ctx *c, wf_tree_kind kind, wf_tree *const *kids, int n)
{
    wf_tree *t = NULL;
    bool ok = !failed(c) && ts(c) && has_n(kids, n);

    for (int i = 0; i < n && ok; i++)
        ok = kids[i] != NULL;
    if (!ok && !failed(c))
        tensor_fail(c, WF_ERR_ARG, "wf_tree: a child is NULL");
    if (!kids)
        n = 0;
    if (ok)
        t = node_of(c, kind, n, false);
    for (int i = 0; i < n; i++)
        if (t)
            t->kids[i] = kids[i];
        else
            wf_tree_free(c, kids[i]);
    return t;
}

wf_tree *wf_tree_tuple(wf_ctx *c, wf_tree *const *kids, int n)
{
    return sequence(c, WF_TREE_TUPLE, kids, n);
}

wf_tree *wf_tree_list(wf_ctx *c, wf_tree *const *kids, int n)
{
    return sequence(c, WF_TREE_LIST, kids, n);
}

static char *keep_key(wf_ctx *c, const char *s)
{
    size_t n = strlen(s) + 1;
    char *p = mem_alloc(&c->al, n);

    if (p)
        memcpy(p, s, n);
    else
        fail_memory(c);
    return p;
}

wf_tree *wf_tree_dict(wf_ctx *c, const char *const *keys, wf_tree *const *kids, int n)
{
    wf_tree *t = sequence(c, WF_TREE_DICT, kids, n);

    if (!t || !n)
        return t;
    t->keys = mem_alloc(&c->al, ((size_t)n + 1) * sizeof *t->keys);
    if (!t->keys) {
        fail_memory(c);
        wf_tree_free(c, t);
        return NULL;
    }
    memset(t->keys, 0, ((size_t)n + 1) * sizeof *t->keys);
    for (int i = 0; i < n; i++)
        if (!keys || !keys[i])
            tensor_fail(c, WF_ERR_ARG, "wf_tree_dict: a key is NULL");
    for (int i = 0; i < n && !failed(c); i++) { /* insertion sort: dicts are small */
        char *key = keep_key(c, keys[i]);
        int k = i;
        wf_tree *kid = t->kids[i];
        for (; key && k > 0 && strcmp(t->keys[k - 1], key) > 0; k--) {
            t->keys[k] = t->keys[k - 1];
            t->kids[k] = t->kids[k - 1];
        }
        t->keys[k] = key;
        t->kids[k] = kid;
        if (key && k > 0 && !strcmp(t->keys[k - 1], key))
            tensor_fail(c, WF_ERR_NAME, "wf_tree_dict: key '%s' stands twice", key);
    }
    if (!failed(c))
        return t;
    wf_tree_free(c, t);
    return NULL;
}

wf_tree_kind wf_tree_kind_of(const wf_tree *t) { return t ? t->kind : WF_TREE_TUPLE; }
int wf_tree_count(const wf_tree *t) { return t ? t->n : 0; }

const wf_tree *wf_tree_at(const wf_tree *t, int i)
{
    return t && i >= 0 && i < t->n ? t->kids[i] : NULL;
}

const wf_tree *wf_tree_get(const wf_tree *t, const char *key)
{
    for (int i = 0; t && key && t->keys && i < t->n; i++)
        if (!strcmp(t->keys[i], key))
            return t->kids[i];
    return NULL;
}

wf_tensor wf_tree_tensor(const wf_tree *t)
{
    return t && t->kind == WF_TREE_LEAF ? t->leaf : WF_NONE;
}

int wf_tree_leaves(const wf_tree *t)
{
    int n = t && t->kind == WF_TREE_LEAF;

    for (int i = 0; t && i < t->n; i++)
        n += wf_tree_leaves(t->kids[i]);
    return n;
}

static int flatten(const wf_tree *t, wf_tensor *out, int room, int at)
{
    if (t->kind == WF_TREE_LEAF) {
        if (at < room)
            out[at] = t->leaf;
        at++;
    }
    for (int i = 0; i < t->n; i++)
        at = flatten(t->kids[i], out, room, at);
    return at;
}

int wf_tree_flatten(const wf_tree *t, wf_tensor *out, int room)
{
    return t ? flatten(t, out, out ? room : 0, 0) : 0;
}

static wf_tree *rebuild(wf_ctx *c, const wf_tree *like, const wf_tensor *leaves, int *at)
{
    wf_tree *t;

    if (like->kind == WF_TREE_LEAF)
        return leaves ? wf_tree_leaf(c, leaves[(*at)++])
                      : node_of(c, WF_TREE_LEAF, 0, false);
    if (!(t = node_of(c, like->kind, like->n, like->kind == WF_TREE_DICT)))
        return NULL;
    for (int i = 0; i < like->n && !failed(c); i++) {
        t->kids[i] = rebuild(c, like->kids[i], leaves, at);
        if (t->keys && !failed(c))
            t->keys[i] = keep_key(c, like->keys[i]);
    }
    if (!failed(c))
        return t;
    wf_tree_free(c, t);
    return NULL;
}

wf_tree *wf_tree_unflatten(wf_ctx *c, const wf_tree *like, const wf_tensor *leaves, int n)
{
    int at = 0;

    return !NEEDS(c, like) ||
                   !has_count(c, "wf_tree_unflatten", "leaves", leaves, n,
                              wf_tree_leaves(like)) ||
                   !ts(c)
               ? NULL
               : rebuild(c, like, leaves, &at);
}

wf_tree *tree_shape(wf_ctx *c, const wf_tree *t)
{
    int at = 0;

    return !NEEDS(c, t) || !ts(c) ? NULL : rebuild(c, t, NULL, &at);
}

static void describe(const wf_tree *t, Text *out)
{
    static const char *const ends[] = {"  ", "()", "[]", "{}"};
    const char *b = ends[t->kind];

    if (t->kind == WF_TREE_LEAF) {
        text_char(out, '*');
        return;
    }
    text_char(out, b[0]);
    for (int i = 0; i < t->n; i++) {
        if (i)
            text_add(out, ", ");
        if (t->keys) {
            text_char(out, '\'');
            for (const char *s = t->keys[i]; *s; s++) {
                if (*s == '\'' || *s == '\\')
                    text_char(out, '\\');
                text_char(out, *s);
            }
            text_add(out, "': ");
        }
        describe(t->kids[i], out);
    }
    if (t->kind == WF_TREE_TUPLE && t->n == 1)
        text_char(out, ',');
    text_char(out, b[1]);
}

wf_status wf_tree_structure(wf_ctx *c, const wf_tree *t, const char **out_text)
{
    Text text;

    if (!NEEDS(c, t && out_text))
        return ctx_status(c);
    *out_text = "";
    T_ENTER(c, ctx_status(c))
    answer_init(&text, c);
    describe(t, &text);
    *out_text = text_str(&text);
    T_LEAVE(c);
    return ctx_status(c);
}
