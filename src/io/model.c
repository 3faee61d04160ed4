/* model.c -- programs, tensors and metadata by name: what a file holds, in memory.
 *
 *   owns    a reference to each program and tensor, and copies of all names
 *   memory  every function either changes the model or, out of memory, jumps and leaves
 *           it as it was
 */
#include "io/io.h"

/* ---- things by name ---------------------------------------------------------------- */

static uint64_t name_hash(const char *s)
{
    uint64_t h = 0;

    for (; *s; s++)
        h = hash_mix(h, (unsigned char)*s);
    return h;
}

/* Where the name is, or the free slot where it belongs. */
static uint32_t find_slot(const NameTable *t, const char *name)
{
    uint32_t mask = 2 * t->cap - 1, k = (uint32_t)(name_hash(name) >> 7) & mask;

    while (t->slots[k] && strcmp(t->v[t->slots[k] - 1].name, name) != 0)
        k = (k + 1) & mask;
    return k;
}

static Named *find(const NameTable *t, const char *name)
{
    uint32_t k;

    if (!t->n || !name)
        return NULL;
    k = t->slots[find_slot(t, name)];
    return k ? &t->v[k - 1] : NULL;
}

void *model_get(const NameTable *t, const char *name)
{
    const Named *e = find(t, name);

    return e ? e->item : NULL;
}

const Program *model_main(const wf_model *m)
{
    const Program *p = model_get(&m->programs, "main");

    p = p ? p : model_get(&m->programs, "forward");
    return p ? p : m->programs.n ? m->programs.v[m->programs.n - 1].item : NULL;
}

const char *model_line(const char *text, const char *kind, uint32_t i, Arena *a)
{
    size_t k = strlen(kind);

    for (; text && *text; text += *text == '\n') {
        size_t n = strcspn(text, "\n");

        if (n >= k && strncmp(text, kind, k) == 0 && i-- == 0)
            return arena_printf(a, "%.*s", (int)(n - k), text + k);
        text += n;
    }
    return NULL;
}

static size_t table_bytes(uint32_t cap)
{
    return cap * (sizeof(Named) + 2 * sizeof(uint32_t));
}

static bool grow(const wf_allocator *al, NameTable *t)
{
    NameTable new = {.n = t->n, .cap = t->cap ? t->cap * 2 : 8};

    new.v = mem_alloc(al, table_bytes(new.cap));
    if (!new.v)
        return false;
    new.slots = (uint32_t *)(void *)(new.v + new.cap);
    memset(new.slots, 0, 2 * new.cap * sizeof *new.slots);
    for (uint32_t i = 0; i < t->n; i++) {
        new.v[i] = t->v[i];
        new.slots[find_slot(&new, t->v[i].name)] = i + 1;
    }
    mem_free(al, t->v, table_bytes(t->cap));
    *t = new;
    return true;
}

static void free_string(const wf_allocator *al, char *s)
{
    if (s)
        mem_free(al, s, strlen(s) + 1);
}

static char *copy_string(const wf_allocator *al, const char *s)
{
    char *p = mem_alloc(al, strlen(s) + 1);

    return p ? memcpy(p, s, strlen(s) + 1) : NULL;
}

/* The entry of that name, a new one (item NULL) if there is none. Out of memory: `value`,
 * a string of the caller's or NULL, is freed. */
static Named *enter(wf_ctx *cx, const wf_allocator *al, NameTable *t, const char *name,
                    char *value)
{
    Named *e = find(t, name);
    char *copy;

    if (e)
        return e;
    copy = t->n < t->cap || grow(al, t) ? copy_string(al, name) : NULL;
    if (!copy) {
        free_string(al, value);
        ctx_out_of_memory(cx);
    }
    e = &t->v[t->n];
    t->slots[find_slot(t, name)] = t->n + 1;
    *e = (Named){.name = copy};
    t->n++;
    return e;
}

static void free_table(const wf_allocator *al, NameTable *t, void (*drop)(void *item))
{
    for (uint32_t i = 0; i < t->n; i++) {
        if (drop)
            drop(t->v[i].item);
        else
            free_string(al, t->v[i].item);
        free_string(al, t->v[i].name);
    }
    mem_free(al, t->v, table_bytes(t->cap));
}

/* ---- models ------------------------------------------------------------------------ */

static void drop_program(void *p) { program_release(p); }

void model_release(void *model)
{
    wf_model *m = model;
    wf_allocator al = m->al;

    if (--m->refs)
        return;
    free_table(&al, &m->programs, drop_program);
    free_table(&al, &m->tensors, array_drop);
    free_table(&al, &m->metas, NULL);
    free_table(&al, &m->codes, array_drop);
    mem_free(&al, m, sizeof *m);
}

wf_model *model_new(wf_ctx *cx)
{
    wf_model *m = mem_alloc(&cx->al, sizeof *m);

    if (!m)
        ctx_out_of_memory(cx);
    *m = (wf_model){.al = cx->al, .refs = 1};
    pool_defer(cx, model_release, m);
    return m;
}

void model_add_program(wf_ctx *cx, wf_model *m, const Program *p)
{
    Named *e = enter(cx, &m->al, &m->programs, p->name, NULL);

    program_retain(p);
    program_release(e->item);
    e->item = (Program *)(uintptr_t)p;
}

static void set_array(wf_ctx *cx, wf_model *m, NameTable *t, const char *name, wf_array *a)
{
    Named *e = enter(cx, &m->al, t, name, NULL);

    wf_array_retain(a);
    wf_array_release(e->item);
    e->item = a;
}

void model_set_tensor(wf_ctx *cx, wf_model *m, const char *name, wf_array *a)
{
    set_array(cx, m, &m->tensors, name, a);
}

void model_set_code(wf_ctx *cx, wf_model *m, const char *name, wf_array *a)
{
    set_array(cx, m, &m->codes, name, a);
}

void wf_model_drop_code(wf_model *m)
{
    if (!m)
        return;
    free_table(&m->al, &m->codes, array_drop);
    m->codes = (NameTable){0};
}

void model_set_meta(wf_ctx *cx, wf_model *m, const char *key, const char *value)
{
    char *copy = copy_string(&m->al, value);
    Named *e;

    if (!copy)
        ctx_out_of_memory(cx);
    e = enter(cx, &m->al, &m->metas, key, copy);
    free_string(&m->al, e->item);
    e->item = copy;
}
