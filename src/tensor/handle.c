/* handle.c -- handles, scopes, and the state that a context has for tensors.
 *
 * A handle is (generation, slot, owner). Generations are never used twice in a context, and owner
 * tells contexts apart, so a dead or foreign handle is found out whatever its slot holds now.
 * Scopes are marks on one stack of entries: every handle made enters the stack, and the end of a
 * scope gives up one ownership of each entry that is still alive.
 */
#include "tensor/tensor.h"

#include <stdio.h>

/* ---- state ---- */

static void free_state(wf_ctx *c);

Tensors *tensors_of(wf_ctx *c)
{
    Tensors *s = c && !ctx_elsewhere(c) ? mem_alloc(&c->al, sizeof *s) : NULL;
    uint64_t h;

    if (!s) {
        fail_memory(c);
        return NULL;
    }
    memset(s, 0, sizeof *s);
    h = hash_mix((uint64_t)(uintptr_t)c,
                 (uint64_t)(uintptr_t)s ^ (uint64_t)(clock_seconds() * 1e9));
    s->owner = (uint32_t)(h ^ h >> 32) | 1;
    s->next_gen = 1;
    s->next_trace = 1;
    s->recorders = 1;
    arena_init(&s->names, &c->al, NULL);
    c->tensors = s;
    c->tensors_free = free_state;
    return s;
}

void *tensors_grow(wf_ctx *c, void *v, uint32_t n, uint32_t *cap, size_t elem)
{
    uint32_t more = *cap ? *cap * 2 : 64;
    void *w = mem_alloc(&c->al, more * elem);

    if (!w) {
        fail_memory(c);
        return NULL;
    }
    if (n)
        memcpy(w, v, n * elem);
    mem_free(&c->al, v, *cap * elem);
    *cap = more;
    return w;
}

static void kill_slot(wf_ctx *c, Tensors *s, uint32_t i)
{
    Tensor *t = s->slots[i].t;

    s->slots[i].t = NULL;
    s->slots[i].gen = 0;
    s->slots[i].next = s->free_slot;
    s->free_slot = i + 1;
    s->live--;
    tensor_release(c, t);
}

static void disown(wf_ctx *c, Tensors *s, ScopeEntry e)
{
    HandleSlot *slot = &s->slots[e.index];

    if (slot->gen == e.gen && slot->t && --slot->owners == 0)
        kill_slot(c, s, e.index);
}

static void free_state(wf_ctx *c)
{
    Tensors *s = c->tensors;

    tensors_drop_caches(c);
    while (s->trace)
        trace_end(c);
    if (s->open_free)
        s->open_free(c);
    for (uint32_t i = 0; i < s->nslots; i++)
        if (s->slots[i].t)
            kill_slot(c, s, i);
    prims_free(c);
    if (s->random_free)
        s->random_free(c);
    for (Tensor *t; (t = s->free_tensors) != NULL;) {
        s->free_tensors = t->next;
        mem_free(&c->al, t, sizeof *t);
    }
    for (int k = 0; k < FREE_SIZES; k++)
        for (Storage *b; (b = s->free_stores[k]) != NULL;) {
            s->free_stores[k] = b->next;
            mem_free(&c->al, b, b->bytes);
        }
    for (Storage *b; (b = s->free_heads) != NULL;) {
        s->free_heads = b->next;
        mem_free(&c->al, b, sizeof *b);
    }
    for (int k = 0; k < COUNT(s->free_nodes); k++)
        for (RecordNode *n; (n = s->free_nodes[k]) != NULL;) {
            s->free_nodes[k] = n->next;
            mem_free(&c->al, n, n->bytes);
        }
    mem_free(&c->al, s->slots, s->slot_cap * sizeof *s->slots);
    mem_free(&c->al, s->entries, s->entry_cap * sizeof *s->entries);
    mem_free(&c->al, s->marks, s->mark_cap * sizeof *s->marks);
    arena_free(&s->names);
    mem_free(&c->al, s->given.v, s->given.cap * sizeof *s->given.v);
    mem_free(&c->al, s, sizeof *s);
    c->tensors = NULL;
}

/* ---- handles ---- */

wf_tensor tensor_fail(wf_ctx *c, wf_status status, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    fail_list(c, status, c && c->tensors ? c->tensors->place : NOWHERE, fmt, ap);
    va_end(ap);
    return WF_NONE;
}

/* The error of a handle that stands for nothing. */
static Tensor *no_tensor(wf_ctx *c, wf_tensor h, const char *fn)
{
    const Tensors *s = c->tensors;

    if (!h.gen)
        tensor_fail(c, WF_ERR_ARG, "%s: an operand is missing (WF_NONE)", fn);
    else if (!s || h.owner != s->owner)
        tensor_fail(c, WF_ERR_ARG, "%s: the tensor belongs to another context", fn);
    else if (h.index < s->nslots && s->slots[h.index].gen == h.gen)
        fail_kind(c, WF_ERR_ARG, "RuntimeError", s->place,
                  "%s: the tensor was donated to a program, which took its memory", fn);
    else
        tensor_fail(c, WF_ERR_ARG,
              "%s: the tensor is dead: its scope has ended, or it was dropped", fn);
    return NULL;
}

static Tensor *get_in_a_call(wf_ctx *c, wf_tensor h, const char *fn)
{
    IN_CALL(c);
    return in_call_ ? tensor_get(c, h, fn) : NULL;
}

Tensor *tensor_get(wf_ctx *c, wf_tensor h, const char *fn)
{
    const Tensors *s;

    if (UNLIKELY(failed(c)))
        return NULL;
    if (!ctx_in_call(c))
        return get_in_a_call(c, h, fn);
    s = c->tensors;
    if (UNLIKELY(!s || h.index >= s->nslots || s->slots[h.index].gen != h.gen || h.owner != s->owner || !h.gen ||
                 s->slots[h.index].t->gone))
        return no_tensor(c, h, fn);
    return s->slots[h.index].t;
}

/* Forget entries of the newest scope whose handles are dead. */
static void compact(Tensors *s)
{
    uint32_t from = s->nmarks ? s->marks[s->nmarks - 1] : 0, n = from;

    for (uint32_t i = from; i < s->nentries; i++)
        if (s->slots[s->entries[i].index].gen == s->entries[i].gen)
            s->entries[n++] = s->entries[i];
    s->nentries = n;
}

static bool enter_scope(wf_ctx *c, Tensors *s, ScopeEntry e)
{
    if (s->nentries == s->entry_cap) {
        compact(s);
        if (s->nentries * 2 >= s->entry_cap) {
            ScopeEntry *v = tensors_grow(c, s->entries, s->nentries, &s->entry_cap, sizeof *v);
            if (!v)
                return false;
            s->entries = v;
        }
    }
    s->entries[s->nentries++] = e;
    return true;
}

/* A slot for t, with one owner; takes over the reference. */
static bool new_slot(wf_ctx *c, Tensors *s, Tensor *t, uint32_t *out)
{
    uint32_t i;

    if (s->free_slot) {
        i = s->free_slot - 1;
        s->free_slot = s->slots[i].next;
    } else {
        if (s->nslots == s->slot_cap) {
            HandleSlot *v = tensors_grow(c, s->slots, s->nslots, &s->slot_cap, sizeof *v);
            if (!v) {
                tensor_release(c, t);
                return false;
            }
            s->slots = v;
        }
        i = s->nslots++;
    }
    s->slots[i] = (HandleSlot){t, s->next_gen++, 1, 0};
    s->live++;
    *out = i;
    return true;
}

wf_tensor tensor_handle(wf_ctx *c, Tensor *t)
{
    Tensors *s;
    uint32_t i;

    if (!t)
        return WF_NONE;
    s = c->tensors;
    if (!new_slot(c, s, t, &i))
        return WF_NONE;
    if (!enter_scope(c, s, (ScopeEntry){i, s->slots[i].gen})) {
        kill_slot(c, s, i);
        return WF_NONE;
    }
    return (wf_tensor){s->slots[i].gen, i, s->owner};
}

wf_tensor tensor_handle_kept(wf_ctx *c, Tensor *t)
{
    Tensors *s = c->tensors;
    uint32_t i;

    return t && new_slot(c, s, t, &i) ? (wf_tensor){s->slots[i].gen, i, s->owner} : WF_NONE;
}

bool wf_is_alive(wf_ctx *c, wf_tensor h)
{
    Tensors *s = c && !ctx_elsewhere(c) ? c->tensors : NULL;

    return s && h.gen && h.owner == s->owner && h.index < s->nslots &&
           s->slots[h.index].gen == h.gen;
}

wf_tensor wf_keep(wf_ctx *c, wf_tensor h)
{
    IN_CALL(c);
    if (!in_call_ || !tensor_get(c, h, "wf_keep"))
        return WF_NONE;
    return tensor_keep(c, h);
}

void wf_drop(wf_ctx *c, wf_tensor h)
{
    IN_CALL(c);
    if (!in_call_)
        return;
    if (wf_is_alive(c, h)) /* also after an error: releasing always works */
        disown(c, c->tensors, (ScopeEntry){h.index, h.gen});
    else if (h.gen)
        tensor_get(c, h, "wf_drop");
}

/* ---- scopes ---- */

static uint32_t push_mark(wf_ctx *c)
{
    Tensors *s = ts(c);

    if (!s)
        return 0;
    if (s->nmarks == s->mark_cap) {
        uint32_t *v = tensors_grow(c, s->marks, s->nmarks, &s->mark_cap, sizeof *v);
        if (!v) {
            s->lost_marks++;
            return 0;
        }
        s->marks = v;
    }
    s->marks[s->nmarks++] = s->nentries;
    return s->nmarks;
}

static void pop_mark(wf_ctx *c, const wf_tensor *keep, int n)
{
    Tensors *s = c->tensors;
    uint32_t from;

    if (!s)
        return;
    if (s->lost_marks) { /* memory ran out when it was opened */
        s->lost_marks--;
        return;
    }
    if (!s->nmarks) {
        tensor_fail(c, WF_ERR_ARG, "wf_scope_end: no scope is open");
        return;
    }
    for (int i = 0; i < n; i++)
        if (wf_is_alive(c, keep[i]))
            s->slots[keep[i].index].owners++;
    from = s->marks[--s->nmarks];
    while (s->nentries > from)
        disown(c, s, s->entries[--s->nentries]);
    for (int i = 0; i < n; i++)
        if (wf_is_alive(
                c,
                keep[i])) { /* there is room: its entry was above, or it is an older one */
            if (!enter_scope(c, s, (ScopeEntry){keep[i].index, keep[i].gen}))
                disown(c, s, (ScopeEntry){keep[i].index, keep[i].gen});
        }
}

uint32_t scope_open(wf_ctx *c) { return c && ctx_call_begin(c) ? push_mark(c) : 0; }

void scope_close_n(wf_ctx *c, const wf_tensor *keep, int n)
{
    if (!ctx_in_call(c)) /* another thread was, when it was to be opened */
        return;
    pop_mark(c, keep, n);
    ctx_call_end(c);
}

wf_tensor scope_close(wf_ctx *c, wf_tensor keep)
{
    scope_close_n(c, &keep, 1);
    return failed(c) ? WF_NONE : keep;
}

void wf_scope_begin(wf_ctx *c)
{
    IN_CALL(c);
    if (in_call_)
        push_mark(c);
}

void wf_scope_end(wf_ctx *c)
{
    IN_CALL(c);
    if (in_call_)
        pop_mark(c, NULL, 0);
}

wf_tensor wf_scope_end_with(wf_ctx *c, wf_tensor t)
{
    IN_CALL(c);
    if (in_call_)
        pop_mark(c, &t, 1);
    return t;
}

static const Tensors *quiet(wf_ctx *c) { return c && !ctx_elsewhere(c) ? c->tensors : NULL; }

int64_t wf_live_tensors(wf_ctx *c) { return quiet(c) ? c->tensors->live : 0; }
int64_t wf_live_bytes(wf_ctx *c) { return quiet(c) ? c->tensors->live_bytes : 0; }

/* ---- settings ---- */

void wf_set_place(wf_ctx *c, const char *file, int line, int column)
{
    Tensors *s = ts(c);
    const char *name = NULL;

    if (!s)
        return;
    for (uint32_t i = 0; file && i < s->nfiles && !name; i++)
        if (!strcmp(s->files[i], file))
            name = s->files[i];
    if (file && !name && s->nfiles < COUNT(s->files) &&
        (name = arena_strdup(&s->names, file)))
        s->files[s->nfiles++] = name;
    s->place =
        name ? (Place){.file = name, .line = (uint32_t)line, .col = (uint32_t)column}
             : NOWHERE;
}

/* What of s the caller's struct has room for; after an error too. */
static wf_status give_semantics(wf_ctx *c, const char *fn, const wf_semantics *s, wf_semantics *out)
{
    size_t size = out ? out->size : 0;

    if (size >= sizeof size) {
        memcpy(out, s, MIN(size, sizeof *s));
        out->size = size;
    } else if (NEEDS(c, out != NULL)) {
        tensor_fail(c, WF_ERR_ARG, "%s: wf_semantics.size is not set; it needs sizeof(wf_semantics)", fn);
    }
    return ctx_status(c);
}

wf_status wf_semantics_like(wf_ctx *c, wf_promotion library, wf_semantics *out)
{
    wf_semantics s = semantics_plain;

    s.promotion = library >= WF_PROMOTE_TORCH && library <= WF_PROMOTE_NUMPY ? library : WF_PROMOTE_TORCH;
    s.strict = library == WF_PROMOTE_TORCH;
    s.narrow = s.bounded_loops = library == WF_PROMOTE_JAX;
    if (library == WF_PROMOTE_NUMPY)
        s.default_float = WF_F64;
    return give_semantics(c, "wf_semantics_like", &s, out);
}

wf_status wf_semantics_of(wf_ctx *c, wf_semantics *out)
{
    return give_semantics(c, "wf_semantics_of", ts(c) ? c->semantics : &semantics_plain, out);
}

/* Fields past the caller's size stay as they are. */
wf_status wf_set_semantics(wf_ctx *c, const wf_semantics *given)
{
    wf_semantics now = ts(c) ? *c->semantics : semantics_plain, *s = &now;

    if (!NEEDS(c, given != NULL))
        return ctx_status(c);
    memcpy(s, given, MIN(given->size, sizeof *s));
    s->size = sizeof *s;
    if (given->size < sizeof given->size)
        tensor_fail(c, WF_ERR_ARG, "wf_set_semantics: wf_semantics.size is not set; it needs sizeof(wf_semantics)");
    else if ((unsigned)s->promotion > WF_PROMOTE_NUMPY)
        tensor_fail(c, WF_ERR_ARG, "wf_set_semantics: %d is not a set of rules of promotion", (int)s->promotion);
    else if ((unsigned)s->precision > WF_PRECISION_BF16)
        tensor_fail(c, WF_ERR_ARG, "wf_set_semantics: %d is not a precision", (int)s->precision);
    else if (!dtype_is_float(s->default_float))
        tensor_fail(c, WF_ERR_TYPE, "wf_set_semantics: the default float needs a float dtype, got %s",
              wf_dtype_name(s->default_float));
    else {
        c->own_semantics = *s;
        c->semantics = &c->own_semantics;
    }
    return ctx_status(c);
}
