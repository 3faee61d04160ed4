/* module.c -- the tree: children, parameters, buffers, names, calls.
 *
 * A module owns one reference to each child and one keep of each tensor. Its places hold
 * parameters and buffers in the order they were added; an empty place holds WF_NONE. All
 * memory comes from the context's allocator.
 */
#include "nn/nn.h"

#include <stdio.h>
#include <string.h>

wf_module *wf_module_new(wf_ctx *c, const char *type, wf_forward forward,
                         size_t data_size)
{
    wf_module *m = wf_ctx_status(c) ? NULL : nn_alloc(c, sizeof *m);

    if (!m)
        return NULL;
    m->refs = 1;
    m->training = true;
    m->forward = forward;
    m->data_size = data_size;
    m->type = nn_copy_text(c, type);
    m->text = nn_copy_text(c, "");
    m->data = nn_alloc(c, data_size);
    if (!m->type || !m->text || !m->data) {
        wf_module_release(c, m);
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

void wf_module_release(wf_ctx *c, wf_module *m)
{
    if (!m || --m->refs > 0)
        return;
    for (int i = 0; i < m->nchildren; i++) {
        if (m->children[i].module->parent == m)
            m->children[i].module->parent = NULL;
        wf_module_release(c, m->children[i].module);
        nn_free_text(c, m->children[i].name);
    }
    for (int i = 0; i < m->nplaces; i++) {
        if (!wf_is_none(m->places[i].value))
            wf_drop(c, m->places[i].value);
        nn_free_text(c, m->places[i].name);
    }
    if (m->drop)
        m->drop(c, m->data);
    nn_free(c, m->children, (size_t)m->nchildren * sizeof *m->children);
    nn_free(c, m->places, (size_t)m->nplaces * sizeof *m->places);
    nn_free_text(c, m->type);
    nn_free_text(c, m->text);
    nn_free(c, m->printed, m->printed_size);
    nn_free(c, m->data, m->data_size);
    nn_free(c, m, sizeof *m);
}

void *wf_module_data(wf_module *m) { return m ? m->data : NULL; }
const char *wf_module_type(const wf_module *m) { return m ? m->type : NULL; }
int wf_module_children(const wf_module *m) { return m ? m->nchildren : 0; }
wf_module *wf_module_child(const wf_module *m, int i)
{
    return m && i >= 0 && i < m->nchildren ? m->children[i].module : NULL;
}
const char *wf_module_child_name(const wf_module *m, int i)
{
    return m && i >= 0 && i < m->nchildren ? m->children[i].name : "";
}

void wf_module_set_text(wf_ctx *c, wf_module *m, const char *text)
{
    char *s = m ? nn_copy_text(c, text) : NULL;

    if (s) {
        nn_free_text(c, m->text);
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

    if (nn_null(c, name, m->type, "name"))
        return false;
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
    bool ok = false;
    char *copy = NULL;

    if (m && child && is_inside(child, m))
        wf_raise(c, WF_ERR_VALUE, "wf_module_add: a module cannot be inside itself");
    if (m && child && !wf_ctx_status(c) && check_name(c, m, name) &&
        (copy = nn_copy_text(c, name)))
        ok = nn_one_more(c, &m->children, m->nchildren, sizeof *m->children);
    if (!ok) {
        if (!wf_ctx_status(c))
            wf_raise(c, WF_ERR_ARG, "wf_module_add: the module or the child is NULL");
        nn_free_text(c, copy);
        if (child && m != child)
            wf_module_release(c, child);
        return NULL;
    }
    m->children[m->nchildren++] = (Child){copy, child};
    child->parent = m;
    return child;
}

wf_module *wf_module_append(wf_ctx *c, wf_module *m, wf_module *child)
{
    char name[16];

    snprintf(name, sizeof name, "%d", m ? m->nchildren : 0);
    wf_module_add(c, m, name, child);
    return m;
}

static int add_place(wf_ctx *c, wf_module *m, const char *name, wf_tensor value,
                     bool is_param)
{
    char *copy;

    if (!m || wf_ctx_status(c) || !check_name(c, m, name) ||
        (is_param && !wf_is_none(value) && wf_requires_grad(c, value, true)) ||
        !(copy = nn_copy_text(c, name)))
        return -1;
    if (!nn_one_more(c, &m->places, m->nplaces, sizeof *m->places)) {
        nn_free_text(c, copy);
        return -1;
    }
    if (!wf_is_none(value))
        wf_keep(c, value);
    m->places[m->nplaces] = (ParamPlace){copy, value, WF_NONE, is_param};
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
    return m && place >= 0 && place < m->nplaces ? m->places[place].value : WF_NONE;
}

wf_status wf_module_set_value(wf_ctx *c, wf_module *m, int place, wf_tensor value)
{
    if (!m || place < 0 || place >= m->nplaces || wf_is_none(m->places[place].value))
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
    while (m && path && *path) {
        size_t n = strcspn(path, ".");
        m = find_child(m, path, n);
        path += n + (path[n] == '.');
    }
    return m;
}

wf_tensor wf_module_tensor(wf_module *m, const char *path)
{
    for (const char *dot; m && path && (dot = strchr(path, '.')); path = dot + 1)
        m = find_child(m, path, (size_t)(dot - path));
    for (int i = 0; m && path && i < m->nplaces; i++)
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
    wf_status s;

    if (!nn_call(c, "wf_module_call", in, nin, out, nout) ||
        nn_null(c, m, "wf_module_call", "module"))
        return wf_ctx_status(c);
    m->noted = false;
    s = m->forward ? m->forward(c, m, in, nin, out, nout) : WF_ERR_ARG;
    if (s && !wf_ctx_status(c))
        wf_raise(c, s,
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
