/* module.c -- the tree: children, parameters, buffers, calls, state.
 *
 * A module owns one reference to each child and one keep of each tensor. Its places hold
 * parameters and buffers in the order they were added; an empty place holds WF_NONE.
 * wf_module_call_with lends other tensors to the places for the length of one call.
 */
#include "weft.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Place { /* of a parameter or a buffer */
    char *name;
    wf_tensor value, own; /* own: what value was before wf_module_call_with */
    bool is_param;
} Place;

typedef struct Child {
    char *name;
    wf_module *module;
} Child;

struct wf_module {
    int refs;
    bool training, lent; /* lent: inside wf_module_call_with */
    bool noted;          /* a failing part has said where it stands */
    char *type, *text, *printed;
    wf_forward forward;
    void *data;
    wf_module *parent; /* the one it was last added to, for messages */
    Place *places;
    Child *children;
    int nplaces, nchildren;
};

static void *need(wf_ctx *c, void *p)
{
    if (!p)
        wf_raise(c, WF_ERR_MEMORY, "out of memory");
    return p;
}

static char *copy_text(wf_ctx *c, const char *s) { return need(c, strdup(s)); }

wf_module *wf_module_new(wf_ctx *c, const char *type, wf_forward forward,
                         size_t data_size)
{
    wf_module *m = wf_ctx_status(c) ? NULL : need(c, calloc(1, sizeof *m));

    if (!m)
        return NULL;
    m->refs = 1;
    m->training = true;
    m->forward = forward;
    m->type = copy_text(c, type);
    m->text = copy_text(c, "");
    m->data = need(c, calloc(1, data_size + !data_size));
    if (!m->type || !m->text || !m->data) {
        wf_module_free(c, m);
        return NULL;
    }
    return m;
}

wf_module *wf_module_retain(wf_module *m)
{
    if (m)
        m->refs++;
    return m;
}

void wf_module_free(wf_ctx *c, wf_module *m)
{
    if (!m || --m->refs > 0)
        return;
    for (int i = 0; i < m->nchildren; i++) {
        if (m->children[i].module->parent == m)
            m->children[i].module->parent = NULL;
        wf_module_free(c, m->children[i].module);
        free(m->children[i].name);
    }
    for (int i = 0; i < m->nplaces; i++) {
        if (!wf_is_none(m->places[i].value))
            wf_drop(c, m->places[i].value);
        free(m->places[i].name);
    }
    free(m->children);
    free(m->places);
    free(m->type);
    free(m->text);
    free(m->printed);
    free(m->data);
    free(m);
}

void *wf_module_data(wf_module *m) { return m ? m->data : NULL; }
const char *wf_module_type(const wf_module *m) { return m->type; }
int wf_module_children(const wf_module *m) { return m->nchildren; }
wf_module *wf_module_child(const wf_module *m, int i)
{
    return i >= 0 && i < m->nchildren ? m->children[i].module : NULL;
}
const char *wf_module_child_name(const wf_module *m, int i)
{
    return i >= 0 && i < m->nchildren ? m->children[i].name : NULL;
}

void wf_module_set_text(wf_ctx *c, wf_module *m, const char *text)
{
    char *s = m ? copy_text(c, text) : NULL;

    if (s) {
        free(m->text);
        m->text = s;
    }
}

/* ---- building ---------------------------------------------------------------------- */

static bool has_name(const wf_module *m, const char *name)
{
    for (int i = 0; i < m->nchildren; i++)
        if (!strcmp(m->children[i].name, name))
            return true;
    for (int i = 0; i < m->nplaces; i++)
        if (!strcmp(m->places[i].name, name))
            return true;
    return false;
}

/* A name of its own without dots, or an error. */
static bool check_name(wf_ctx *c, const wf_module *m, const char *name)
{
    char text[256];

    if (*name && !strchr(name, '.') && !has_name(m, name))
        return true;
    snprintf(text, sizeof text, "%s: '%s' %s", m->type, name,
             !*name || strchr(name, '.') ? "is no name: it is empty or has a dot"
                                         : "is there already");
    wf_raise(c, WF_ERR_NAME, text);
    return false;
}

static bool is_inside(const wf_module *tree, const wf_module *m)
{
    if (tree == m)
        return true;
    for (int i = 0; i < tree->nchildren; i++)
        if (is_inside(tree->children[i].module, m))
            return true;
    return false;
}

wf_module *wf_module_add(wf_ctx *c, wf_module *m, const char *name, wf_module *child)
{
    Child *grown = NULL;
    char *copy = NULL;

    if (m && child && is_inside(child, m))
        wf_raise(c, WF_ERR_VALUE, "wf_module_add: a module cannot be inside itself");
    if (m && child && !wf_ctx_status(c) && check_name(c, m, name) &&
        (copy = copy_text(c, name)))
        grown = need(c, realloc(m->children, (size_t)(m->nchildren + 1) * sizeof *grown));
    if (!grown) {
        if (!wf_ctx_status(c))
            wf_raise(c, WF_ERR_ARG, "wf_module_add: the module or the child is NULL");
        free(copy);
        if (child && m != child)
            wf_module_free(c, child);
        return NULL;
    }
    m->children = grown;
    m->children[m->nchildren++] = (Child){copy, child};
    child->parent = m;
    return child;
}

wf_module *wf_module_append(wf_ctx *c, wf_module *m, wf_module *child)
{
    char name[16];

    snprintf(name, sizeof name, "%d", m ? m->nchildren : 0);
    return wf_module_add(c, m, name, child) ? m : NULL;
}

static int add_place(wf_ctx *c, wf_module *m, const char *name, wf_tensor value,
                     bool is_param)
{
    Place *grown;
    char *copy;

    if (!m || wf_ctx_status(c) || !check_name(c, m, name) || !(copy = copy_text(c, name)))
        return -1;
    grown = need(c, realloc(m->places, (size_t)(m->nplaces + 1) * sizeof *grown));
    if (grown)
        m->places = grown;
    if (!grown || (is_param && !wf_is_none(value) && wf_requires_grad(c, value, true))) {
        free(copy);
        return -1;
    }
    if (!wf_is_none(value))
        wf_keep(c, value);
    m->places[m->nplaces] = (Place){copy, value, WF_NONE, is_param};
    return m->nplaces++;
}

int wf_module_add_param(wf_ctx *c, wf_module *m, const char *name, wf_tensor value)
{
    return add_place(c, m, name, value, true);
}

int wf_module_add_buffer(wf_ctx *c, wf_module *m, const char *name, wf_tensor value)
{
    return add_place(c, m, name, value, false);
}

wf_tensor wf_module_value(const wf_module *m, int place)
{
    return place >= 0 && place < m->nplaces ? m->places[place].value : WF_NONE;
}

wf_status wf_module_set_value(wf_ctx *c, wf_module *m, int place, wf_tensor value)
{
    if (place < 0 || place >= m->nplaces || wf_is_none(m->places[place].value))
        return wf_raise(c, WF_ERR_ARG, "wf_module_set_value: there is no such place");
    if (m->lent) {
        m->places[place].value = value;
        return wf_ctx_status(c);
    }
    if (wf_is_symbolic(c, value))
        return wf_raise(c, WF_ERR_VALUE,
                        "a program cannot change a buffer: call the module with "
                        "wf_module_call_with, or in eval mode");
    wf_no_grad_begin(c);
    wf_write(c, m->places[place].value, value);
    wf_no_grad_end(c);
    return wf_ctx_status(c);
}

/* ---- finding ----------------------------------------------------------------------- */

static wf_module *find_child(const wf_module *m, const char *name, size_t n)
{
    for (int i = 0; i < m->nchildren; i++)
        if (strlen(m->children[i].name) == n && !strncmp(m->children[i].name, name, n))
            return m->children[i].module;
    return NULL;
}

wf_module *wf_module_find(wf_module *m, const char *path)
{
    while (m && *path) {
        size_t n = strcspn(path, ".");
        m = find_child(m, path, n);
        path += n + (path[n] == '.');
    }
    return m;
}

wf_tensor wf_module_tensor(wf_module *m, const char *path)
{
    for (const char *dot; m && (dot = strchr(path, '.')); path = dot + 1)
        m = find_child(m, path, (size_t)(dot - path));
    for (int i = 0; m && i < m->nplaces; i++)
        if (!strcmp(m->places[i].name, path))
            return m->places[i].value;
    return WF_NONE;
}

/* ---- calls ------------------------------------------------------------------------- */

static int write_path(const wf_module *m, char *out, int room)
{
    const wf_module *up = m->parent;
    int n = up ? write_path(up, out, room) : 0;

    for (int i = 0; up && i < up->nchildren; i++)
        if (up->children[i].module == m && n < room)
            return n + snprintf(out + n, (size_t)(room - n), "%s%s", n ? "." : "",
                                up->children[i].name);
    return n;
}

static void note_path(wf_ctx *c, wf_module *m)
{
    char path[400], text[480];

    path[0] = 0;
    write_path(m, path, sizeof path);
    snprintf(text, sizeof text, *path ? "in module %s (%s)" : "in module %s%s",
             *path ? path : "", m->type);
    wf_note(c, text);
    for (wf_module *up = m->parent; up; up = up->parent)
        up->noted = true;
}

wf_status wf_module_call(wf_ctx *c, wf_module *m, const wf_tensor *in, int nin,
                         wf_tensor *out, int nout)
{
    bool ok;

    for (int i = 0; i < nout; i++)
        out[i] = WF_NONE;
    if (wf_ctx_status(c))
        return wf_ctx_status(c);
    if (!m)
        return wf_raise(c, WF_ERR_ARG, "wf_module_call: the module is NULL");
    m->noted = false;
    ok = m->forward && m->forward(c, m, in, nin, out, nout);
    if (!ok && !wf_ctx_status(c))
        wf_raise(c, WF_ERR_ARG,
                 m->forward ? "the module takes other numbers of inputs and results"
                            : "the module cannot be called: it only holds others");
    if (wf_ctx_status(c) && !m->noted)
        note_path(c, m);
    return wf_ctx_status(c);
}

wf_tensor wf_forward_one(wf_ctx *c, wf_module *m, wf_tensor x)
{
    wf_tensor y;

    return wf_module_call(c, m, &x, 1, &y, 1) ? WF_NONE : y;
}

/* ---- state ------------------------------------------------------------------------- */

static bool same(wf_tensor a, wf_tensor b)
{
    return a.gen == b.gen && a.index == b.index && a.owner == b.owner;
}

/* Adds the places of one kind, each tensor once, to list[0..n-1] of the given room;
 * returns the count with them. Beyond the room a tensor counts as often as it comes. */
static int collect(wf_module *m, bool params, wf_tensor *list, int room, int n)
{
    for (int i = 0; i < m->nplaces; i++) {
        wf_tensor t = m->places[i].value;
        bool there = wf_is_none(t) || m->places[i].is_param != params;
        for (int j = 0; j < n && j < room && !there; j++)
            there = same(list[j], t);
        if (there)
            continue;
        if (n < room)
            list[n] = t;
        n++;
    }
    for (int i = 0; i < m->nchildren; i++)
        n = collect(m->children[i].module, params, list, room, n);
    return n;
}

int wf_module_parameters(wf_module *m, wf_tensor *out, int room)
{
    return collect(m, true, out, room, 0);
}

int wf_module_state(wf_module *m, wf_tensor *out, int room)
{
    return collect(m, false, out, room, collect(m, true, out, room, 0));
}

/* All state in new memory, to be freed; NULL after an error. */
static wf_tensor *state_list(wf_ctx *c, wf_module *m, int *out_n)
{
    int room = wf_module_state(m, NULL, 0);
    wf_tensor *list = need(c, malloc((size_t)(room + 1) * sizeof *list));

    *out_n = list ? wf_module_state(m, list, room) : 0;
    return list;
}

static void lend(wf_module *m, const wf_tensor *own, const wf_tensor *state, int n)
{
    m->lent = true;
    for (int i = 0; i < m->nplaces; i++) {
        Place *p = &m->places[i];
        p->own = p->value;
        for (int j = 0; j < n; j++)
            if (same(p->own, own[j]))
                p->value = state[j];
    }
    for (int i = 0; i < m->nchildren; i++)
        if (!m->children[i].module->lent) /* a module may stand at two places */
            lend(m->children[i].module, own, state, n);
}

static void take_back(wf_module *m, const wf_tensor *own, wf_tensor *out_state, int n)
{
    m->lent = false;
    for (int i = 0; i < m->nplaces; i++) {
        Place *p = &m->places[i];
        for (int j = 0; j < n && out_state; j++)
            if (same(p->own, own[j]))
                out_state[j] = p->value;
        p->value = p->own;
    }
    for (int i = 0; i < m->nchildren; i++)
        if (m->children[i].module->lent)
            take_back(m->children[i].module, own, out_state, n);
}

wf_status wf_module_call_with(wf_ctx *c, wf_module *m, const wf_tensor *state, int nstate,
                              const wf_tensor *in, int nin, wf_tensor *out, int nout,
                              wf_tensor *out_state)
{
    wf_tensor *own;
    char text[120];
    int n;

    for (int i = 0; i < nout; i++)
        out[i] = WF_NONE;
    if (wf_ctx_status(c))
        return wf_ctx_status(c);
    if (!m || m->lent)
        return wf_raise(c, WF_ERR_ARG,
                        m ? "wf_module_call_with: called inside itself"
                          : "wf_module_call_with: the module is NULL");
    if (!(own = state_list(c, m, &n)))
        return wf_ctx_status(c);
    if (n != nstate) {
        snprintf(text, sizeof text,
                 "wf_module_call_with: found %d tensors of state, needed %d", nstate, n);
        wf_raise(c, WF_ERR_ARG, text);
    } else {
        lend(m, own, state, n);
        wf_module_call(c, m, in, nin, out, nout);
        take_back(m, own, out_state, n);
    }
    free(own);
    return wf_ctx_status(c);
}

void wf_module_train(wf_module *m, bool on)
{
    m->training = on;
    for (int i = 0; i < m->nchildren; i++)
        wf_module_train(m->children[i].module, on);
}

bool wf_module_training(const wf_module *m) { return m->training; }

wf_status wf_module_freeze(wf_ctx *c, wf_module *m, bool frozen)
{
    for (int i = 0; i < m->nplaces; i++)
        if (m->places[i].is_param && !wf_is_none(m->places[i].value))
            wf_requires_grad(c, m->places[i].value, !frozen);
    for (int i = 0; i < m->nchildren; i++)
        wf_module_freeze(c, m->children[i].module, frozen);
    return wf_ctx_status(c);
}

wf_status wf_module_zero_grad(wf_ctx *c, wf_module *m)
{
    for (int i = 0; i < m->nplaces; i++)
        if (m->places[i].is_param && !wf_is_none(m->places[i].value))
            wf_set_grad(c, m->places[i].value, WF_NONE);
    for (int i = 0; i < m->nchildren; i++)
        wf_module_zero_grad(c, m->children[i].module);
    return wf_ctx_status(c);
}

/* Every place that holds `from` now holds `to`. */
static void replace(wf_ctx *c, wf_module *m, wf_tensor from, wf_tensor to)
{
    for (int i = 0; i < m->nplaces; i++)
        if (same(m->places[i].value, from)) {
            m->places[i].value = wf_keep(c, to);
            wf_drop(c, from);
        }
    for (int i = 0; i < m->nchildren; i++)
        replace(c, m->children[i].module, from, to);
}

wf_status wf_module_cast(wf_ctx *c, wf_module *m, wf_dtype dtype)
{
    int n;
    wf_tensor *list = wf_ctx_status(c) ? NULL : state_list(c, m, &n);

    if (!list)
        return wf_ctx_status(c);
    wf_no_grad_begin(c);
    for (int i = 0; i < n; i++) {
        wf_dtype t = wf_dtype_of(c, list[i]);
        bool wants = wf_has_grad_history(c, list[i]);
        if (t < WF_F16 || t > WF_F64 || t == dtype)
            continue;
        wf_tensor cast = wf_cast(c, list[i], dtype);
        if (wf_ctx_status(c))
            break;
        if (wants)
            wf_requires_grad(c, cast, true);
        replace(c, m, list[i], cast);
    }
    wf_no_grad_end(c);
    free(list);
    return wf_ctx_status(c);
}

int64_t wf_module_count(wf_ctx *c, wf_module *m, bool trainable_only)
{
    int room = wf_module_parameters(m, NULL, 0), n;
    wf_tensor *list = need(c, malloc((size_t)(room + 1) * sizeof *list));
    int64_t count = 0;

    if (!list)
        return 0;
    n = wf_module_parameters(m, list, room);
    for (int i = 0; i < n; i++)
        if (!trainable_only || wf_has_grad_history(c, list[i]))
            count += wf_count(c, list[i]);
    free(list);
    return count;
}

/* ---- visits ------------------------------------------------------------------------ */

/* "path.name", to be freed */
static char *join(wf_ctx *c, const char *path, const char *name)
{
    size_t n = strlen(path) + strlen(name) + 2;
    char *s = need(c, malloc(n));

    if (s)
        snprintf(s, n, "%s%s%s", path, *path ? "." : "", name);
    return s;
}

static bool visit(wf_ctx *c, wf_module *m, const char *path, wf_module_visitor fm,
                  wf_state_visitor fs, void *user)
{
    bool go = !fm || fm(user, path, m);

    for (int i = 0; fs && go && i < m->nplaces; i++) {
        const Place *p = &m->places[i];
        char *at = wf_is_none(p->value) ? NULL : join(c, path, p->name);
        if (at)
            go = fs(user, at, p->value, p->is_param);
        go = go && !wf_ctx_status(c);
        free(at);
    }
    for (int i = 0; go && i < m->nchildren; i++) {
        char *at = join(c, path, m->children[i].name);
        go = at && visit(c, m->children[i].module, at, fm, fs, user);
        free(at);
    }
    return go;
}

wf_status wf_module_visit(wf_ctx *c, wf_module *m, wf_module_visitor fn, void *user)
{
    visit(c, m, "", fn, NULL, user);
    return wf_ctx_status(c);
}

wf_status wf_module_visit_state(wf_ctx *c, wf_module *m, wf_state_visitor fn, void *user)
{
    visit(c, m, "", NULL, fn, user);
    return wf_ctx_status(c);
}

typedef struct Files {
    wf_ctx *c;
    wf_model *to;
    const wf_model *from;
} Files;

static bool store_one(void *user, const char *path, wf_tensor t, bool is_param)
{
    Files *f = user;
    wf_array *a = NULL;
    wf_tensor copy;

    (void)is_param;
    wf_no_grad_begin(f->c); /* a copy: training goes on, the file stays as it was */
    copy = wf_copy(f->c, t);
    wf_no_grad_end(f->c);
    if (!wf_to_array(f->c, copy, &a))
        wf_model_set_tensor(f->c, f->to, path, a);
    wf_array_release(a);
    return !wf_ctx_status(f->c);
}

wf_status wf_module_store(wf_ctx *c, wf_module *m, wf_model *file)
{
    wf_scope_begin(c);
    visit(c, m, "", NULL, store_one, &(Files){c, file, NULL});
    wf_scope_end(c);
    return wf_ctx_status(c);
}

static bool restore_one(void *user, const char *path, wf_tensor t, bool is_param)
{
    Files *f = user;
    wf_array *a = wf_model_find_tensor(f->from, path);
    char text[256];
    bool fits = a && wf_array_rank(a) == wf_rank(f->c, t);

    (void)is_param;
    for (int i = 0; fits && i < wf_array_rank(a); i++)
        fits = wf_array_dims(a)[i] == wf_size(f->c, t, i);
    if (!fits) {
        snprintf(text, sizeof text, "wf_module_restore: the file's tensor %s %s", path,
                 a ? "has another shape" : "is missing");
        wf_raise(f->c, a ? WF_ERR_SHAPE : WF_ERR_NAME, text);
        return false;
    }
    return !wf_write(f->c, t,
                     wf_cast(f->c, wf_from_array(f->c, a), wf_dtype_of(f->c, t)));
}

wf_status wf_module_restore(wf_ctx *c, wf_module *m, const wf_model *file)
{
    wf_scope_begin(c);
    wf_no_grad_begin(c);
    visit(c, m, "", NULL, restore_one, &(Files){c, NULL, file});
    wf_no_grad_end(c);
    wf_scope_end(c);
    return wf_ctx_status(c);
}

/* ---- print: PyTorch's Module.__repr__ -------------------------------------------------
 *
 * Type(text) without children; else one line a child, "(name): ", indented by two. A
 * ModuleList prints equal neighbours once: "(0-2): 3 x Linear(..)". */

typedef struct Buf {
    char *s;
    size_t n, cap;
    bool lost; /* memory was exhausted */
} Buf;

static void put(Buf *b, const char *s, size_t n)
{
    if (b->n + n + 1 > b->cap) {
        size_t cap = (b->n + n + 1) * 2;
        char *grown = realloc(b->s, cap);
        if (!grown) {
            b->lost = true;
            return;
        }
        b->s = grown;
        b->cap = cap;
    }
    memcpy(b->s + b->n, s, n);
    b->n += n;
    b->s[b->n] = 0;
}

static void print_tree(const wf_module *m, Buf *b);

/* "  (name): text", the lines of text after the first indented */
static void print_child(Buf *b, const char *name, const char *text)
{
    put(b, "  (", 3);
    put(b, name, strlen(name));
    put(b, "): ", 3);
    for (const char *s = text; *s;) {
        size_t n = strcspn(s, "\n");
        put(b, s, n);
        put(b, "\n", 1);
        s += n;
        if (*s == '\n' && *++s)
            put(b, "  ", 2);
    }
}

static void print_list(const wf_module *m, Buf *b)
{
    Buf one = {0}, next = {0};
    char name[40], head[24];

    for (int i = 0, j; i < m->nchildren && !b->lost; i = j) {
        one.n = 0;
        print_tree(m->children[i].module, &one);
        for (j = i + 1; j < m->nchildren; j++) {
            next.n = 0;
            print_tree(m->children[j].module, &next);
            if (one.lost || next.lost || strcmp(one.s, next.s))
                break;
        }
        if (j == i + 1) {
            snprintf(name, sizeof name, "%d", i);
        } else {
            snprintf(name, sizeof name, "%d-%d", i, j - 1);
            snprintf(head, sizeof head, "%d x ", j - i);
            next.n = 0;
            put(&next, head, strlen(head));
            put(&next, one.s, one.n);
        }
        b->lost |= one.lost || next.lost;
        if (!b->lost)
            print_child(b, name, j == i + 1 ? one.s : next.s);
    }
    free(one.s);
    free(next.s);
}

static void print_tree(const wf_module *m, Buf *b)
{
    Buf one = {0};

    put(b, m->type, strlen(m->type));
    put(b, "(", 1);
    if (!m->nchildren) {
        put(b, m->text, strlen(m->text));
        put(b, ")", 1);
        return;
    }
    put(b, "\n", 1);
    if (*m->text) {
        put(b, "  ", 2);
        put(b, m->text, strlen(m->text));
        put(b, "\n", 1);
    }
    if (!strcmp(m->type, "ModuleList")) {
        print_list(m, b);
    } else {
        for (int i = 0; i < m->nchildren && !b->lost; i++) {
            one.n = 0;
            print_tree(m->children[i].module, &one);
            b->lost |= one.lost;
            if (!b->lost)
                print_child(b, m->children[i].name, one.s);
        }
    }
    free(one.s);
    put(b, ")", 1);
}

const char *wf_module_text(wf_ctx *c, wf_module *m)
{
    Buf b = {0};

    print_tree(m, &b);
    if (b.lost) {
        free(b.s);
        need(c, NULL);
        return NULL;
    }
    free(m->printed);
    m->printed = b.s;
    return b.s;
}
