/* module_state.c -- the parameters and buffers of a tree: lists, other numbers for one
 * call, dtype, counts, visits.
 *
 * wf_module_call_with lends other tensors to the places for the length of one call.
 */
#include "nn/nn.h"

#include <stdio.h>
#include <string.h>

bool nn_same(wf_tensor a, wf_tensor b)
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
            there = nn_same(list[j], t);
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
    return m ? collect(m, true, out, out ? room : 0, 0) : 0;
}

int wf_module_state(wf_module *m, wf_tensor *out, int room)
{
    room = out ? room : 0;
    return m ? collect(m, false, out, room, collect(m, true, out, room, 0)) : 0;
}

TensorList nn_list(wf_ctx *c, wf_module *m, bool buffers_too)
{
    int (*fill)(wf_module *, wf_tensor *, int) =
        buffers_too ? wf_module_state : wf_module_parameters;
    TensorList l = {NULL, 0, wf_ctx_status(c) ? 0 : fill(m, NULL, 0)};

    if (!wf_ctx_status(c))
        l.v = nn_alloc(c, (size_t)(l.room + 1) * sizeof *l.v);
    if (l.v)
        l.n = fill(m, l.v, l.room);
    return l;
}

void nn_list_free(wf_ctx *c, TensorList *l)
{
    nn_free(c, l->v, (size_t)(l->room + 1) * sizeof *l->v);
}

void nn_lend(wf_module *m, const TensorList *own, const wf_tensor *state)
{
    m->lent = true;
    for (int i = 0; i < m->nplaces; i++) {
        ParamPlace *p = &m->places[i];
        p->own = p->value;
        for (int j = 0; j < own->n; j++)
            if (nn_same(p->own, own->v[j]))
                p->value = state[j];
    }
    for (int i = 0; i < m->nchildren; i++)
        if (!m->children[i].module->lent) /* a module may stand at two places */
            nn_lend(m->children[i].module, own, state);
}

void nn_take_back(wf_module *m, const TensorList *own, wf_tensor *out_state)
{
    m->lent = false;
    for (int i = 0; i < m->nplaces; i++) {
        ParamPlace *p = &m->places[i];
        for (int j = 0; j < own->n && out_state; j++)
            if (nn_same(p->own, own->v[j]))
                out_state[j] = p->value;
        p->value = p->own;
    }
    for (int i = 0; i < m->nchildren; i++)
        if (m->children[i].module->lent)
            nn_take_back(m->children[i].module, own, out_state);
}

wf_status wf_module_call_with(wf_ctx *c, wf_module *m, const wf_tensor *state, int nstate,
                              const wf_tensor *in, int nin, wf_tensor *out, int nout,
                              wf_tensor *out_state)
{
    TensorList own;
    char text[120];

    if (!nn_call(c, "wf_module_call_with", in, nin, out, nout) ||
        !nn_count(c, state, nstate, "wf_module_call_with") ||
        nn_null(c, m, "wf_module_call_with", "module"))
        return wf_ctx_status(c);
    if (m->lent)
        return wf_raise(c, WF_ERR_ARG, "wf_module_call_with: called inside itself");
    own = nn_list(c, m, true);
    if (!own.v)
        return wf_ctx_status(c);
    if (own.n != nstate) {
        snprintf(text, sizeof text,
                 "wf_module_call_with: found %d tensors of state, needed %d", nstate,
                 own.n);
        wf_raise(c, WF_ERR_ARG, text);
    } else {
        nn_lend(m, &own, state);
        wf_module_call(c, m, in, nin, out, nout);
        nn_take_back(m, &own, out_state);
    }
    nn_list_free(c, &own);
    return wf_ctx_status(c);
}

void wf_module_train(wf_module *m, bool on)
{
    if (m)
        m->training = on;
    for (int i = 0; m && i < m->nchildren; i++)
        wf_module_train(m->children[i].module, on);
}

bool wf_module_training(const wf_module *m) { return m && m->training; }

wf_status wf_module_freeze(wf_ctx *c, wf_module *m, bool frozen)
{
    if (nn_null(c, m, "wf_module_freeze", "module"))
        return wf_ctx_status(c);
    for (int i = 0; i < m->nplaces; i++)
        if (m->places[i].is_param && !wf_is_none(m->places[i].value))
            wf_requires_grad(c, m->places[i].value, !frozen);
    for (int i = 0; i < m->nchildren; i++)
        wf_module_freeze(c, m->children[i].module, frozen);
    return wf_ctx_status(c);
}

wf_status wf_module_zero_grad(wf_ctx *c, wf_module *m)
{
    if (nn_null(c, m, "wf_module_zero_grad", "module"))
        return wf_ctx_status(c);
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
        if (nn_same(m->places[i].value, from)) {
            m->places[i].value = wf_keep(c, to);
            wf_drop(c, from);
        }
    for (int i = 0; i < m->nchildren; i++)
        replace(c, m->children[i].module, from, to);
}

wf_status wf_module_cast(wf_ctx *c, wf_module *m, wf_dtype dtype)
{
    TensorList l;

    if (nn_null(c, m, "wf_module_cast", "module"))
        return wf_ctx_status(c);
    l = nn_list(c, m, true);
    wf_no_grad_begin(c);
    for (int i = 0; i < l.n; i++) {
        wf_dtype t = wf_dtype_of(c, l.v[i]);
        bool wants = wf_has_grad_history(c, l.v[i]);
        if (!wf_dtype_is_float(t) || t == dtype)
            continue;
        wf_tensor cast = wf_cast(c, l.v[i], dtype);
        if (wf_ctx_status(c))
            break;
        if (wants)
            wf_requires_grad(c, cast, true);
        replace(c, m, l.v[i], cast);
    }
    wf_no_grad_end(c);
    nn_list_free(c, &l);
    return wf_ctx_status(c);
}

wf_status wf_module_to(wf_ctx *c, wf_module *m, wf_device *d)
{
    TensorList l;

    if (nn_null(c, m, "wf_module_to", "module") || nn_null(c, d, "wf_module_to", "device"))
        return wf_ctx_status(c);
    l = nn_list(c, m, true);
    wf_no_grad_begin(c);
    for (int i = 0; i < l.n; i++) {
        bool wants = wf_has_grad_history(c, l.v[i]);
        wf_tensor there;

        if (wf_device_of(c, l.v[i]) == d)
            continue;
        there = wf_to_device(c, l.v[i], d);
        if (wf_ctx_status(c))
            break;
        if (wants)
            wf_requires_grad(c, there, true);
        replace(c, m, l.v[i], there);
    }
    wf_no_grad_end(c);
    nn_list_free(c, &l);
    return wf_ctx_status(c);
}

int64_t wf_module_count(wf_ctx *c, wf_module *m, bool trainable_only)
{
    TensorList l = nn_list(c, m, false);
    int64_t count = 0;

    for (int i = 0; i < l.n; i++)
        if (!trainable_only || wf_has_grad_history(c, l.v[i]))
            count += wf_count(c, l.v[i]);
    nn_list_free(c, &l);
    return count;
}

/* ---- visits ------------------------------------------------------------------------ */

/* "path.name", to be freed */
static char *join(wf_ctx *c, const char *path, const char *name)
{
    size_t n = strlen(path) + (*path != 0) + strlen(name) + 1;
    char *s = nn_alloc(c, n);

    if (s)
        snprintf(s, n, "%s%s%s", path, *path ? "." : "", name);
    return s;
}

static wf_status visit(wf_ctx *c, wf_module *m, const char *path, wf_module_visitor fm,
                       wf_state_visitor fs, void *user)
{
    wf_status s = fm ? fm(user, path, m) : WF_OK;

    for (int i = 0; fs && !s && i < m->nplaces; i++) {
        const ParamPlace *p = &m->places[i];
        char *at = wf_is_none(p->value) ? NULL : join(c, path, p->name);
        if (at)
            s = fs(user, at, p->value, p->is_param);
        s = s ? s : wf_ctx_status(c);
        nn_free_text(c, at);
    }
    for (int i = 0; !s && i < m->nchildren; i++) {
        char *at = join(c, path, m->children[i].name);
        s = at ? visit(c, m->children[i].module, at, fm, fs, user) : wf_ctx_status(c);
        nn_free_text(c, at);
    }
    return s;
}

wf_status wf_module_visit(wf_ctx *c, wf_module *m, wf_module_visitor fn, void *user)
{
    return nn_null(c, m, "wf_module_visit", "module") ? wf_ctx_status(c)
                                                      : visit(c, m, "", fn, NULL, user);
}

wf_status wf_module_visit_state(wf_ctx *c, wf_module *m, wf_state_visitor fn, void *user)
{
    return nn_null(c, m, "wf_module_visit_state", "module")
               ? wf_ctx_status(c)
               : visit(c, m, "", NULL, fn, user);
}
