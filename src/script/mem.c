/* mem.c -- memory of one interpreter: pools for small blocks, objects, the collector.
 *
 * Blocks up to 512 bytes come from free lists filled from chunks; larger ones from the
 * context's allocator. Objects die when their count reaches zero; long chains are freed
 * from a list instead of by recursion.
 *
 * Cycles: every object that can hold others is in one list. A collection copies all
 * counts, subtracts one for each reference from within the list, and what then has none
 * left and is not reached from the rest is only referred to by itself: its contents are
 * dropped, which frees it. It is due when the list has grown by half since the last time,
 * and runs between instructions: code that allocates need not expect __del__ methods.
 */
#include "ast.h"

typedef struct PoolChunk {
    struct PoolChunk *next;
    size_t size;
} PoolChunk;

#define CHUNK ((size_t)64 << 10)
#define SMALL ((size_t)512)
#define RESERVE ((size_t)32 << 10)
#define FREE_DEPTH 60
#define GC_FIRST 20000

static size_t round_up(size_t n) { return (n + !n + 15) & ~(size_t)15; }

static void *take_chunk(Vm *vm, size_t size)
{
    PoolChunk *c;
    void *p;

    if ((size_t)(vm->chunk_end - vm->chunk_at) < size) {
        c = mem_alloc(&vm->cx->al, CHUNK);
        if (!c)
            return NULL;
        *c = (PoolChunk){vm->chunks, CHUNK};
        vm->chunks = c;
        vm->chunk_at = (char *)c + 16;
        vm->chunk_end = (char *)c + CHUNK;
    }
    p = vm->chunk_at;
    vm->chunk_at += size;
    return p;
}

/* The reserve is what lets handlers and reports run after memory was exhausted. */
static void *out_of_memory(Vm *vm)
{
    if (vm->reserve) {
        mem_free(&vm->cx->al, vm->reserve, RESERVE);
        vm->reserve = NULL;
    }
    sc_raise_memory(vm);
    return NULL;
}

void *sc_alloc(Vm *vm, size_t size)
{
    size_t n = round_up(size), k = n / 16;
    void *p;

    if (size > (size_t)1 << 46)
        return out_of_memory(vm);
    if (n <= SMALL && !vm->opt.plain_alloc) {
        p = vm->pool[k];
        if (p) {
            vm->pool[k] = *(void **)p;
            return p;
        }
        p = take_chunk(vm, n);
    } else {
        p = mem_alloc(&vm->cx->al, size);
    }
    return p ? p : out_of_memory(vm);
}

void sc_free(Vm *vm, void *p, size_t size)
{
    size_t n = round_up(size);

    if (!p)
        return;
    if (n <= SMALL && !vm->opt.plain_alloc) {
        *(void **)p = vm->pool[n / 16];
        vm->pool[n / 16] = p;
    } else {
        mem_free(&vm->cx->al, p, size);
    }
}

bool sc_grow(Vm *vm, void *slot, int64_t *cap, int64_t need, size_t elem)
{
    void **at = slot, *p;
    int64_t n = *cap < 4 ? 4 : *cap + *cap / 2;

    if (need <= *cap)
        return true;
    if (n < need)
        n = need;
    if (n > (int64_t)1 << 40) {
        sc_raise_memory(vm);
        return false;
    }
    p = sc_alloc(vm, (size_t)n * elem);
    if (!p)
        return false;
    if (*cap)
        memcpy(p, *at, (size_t)*cap * elem);
    sc_free(vm, *at, (size_t)*cap * elem);
    *at = p;
    *cap = n;
    return true;
}

/* ---- objects ----------------------------------------------------------------------- */

Obj *sc_obj_new(Vm *vm, Class *cls, size_t size)
{
    Obj *o = sc_alloc(vm, size);

    if (!o)
        return NULL;
    memset(o + 1, 0, size - sizeof *o);
    *o = (Obj){.refs = 1, .cls = cls};
    if (cls && cls->script)
        cls->h.h.refs++;
    return o;
}

void *sc_gc_new(Vm *vm, Class *cls, size_t size)
{
    GcObj *o;

    o = (GcObj *)sc_obj_new(vm, cls, size);
    if (!o)
        return NULL;
    o->h.flags = OBJ_GC;
    o->next = vm->gc_list.next;
    o->prev = &vm->gc_list;
    o->next->prev = o;
    vm->gc_list.next = o;
    vm->gc_count++;
    return o;
}

/* How large the object is: of those with a tail, what the tail adds. */
static size_t size_of(Vm *vm, Obj *o)
{
    Class *c = o->cls;

    if (c == vm->cls[C_str])
        return sizeof(Str) + ((Str *)o)->n + 1;
    if (c->d.attrs_at == ATTRS_BEHIND)
        return STR_ATTRS_AT(((Str *)o)->n) + sizeof(Dict *);
    if (c->is_tuple)
        return sizeof(Tuple) + (size_t)((Tuple *)o)->n * sizeof(Value);
    return c->d.size;
}

static void free_now(Vm *vm, Obj *o)
{
    Class *c = o->cls;
    size_t size = size_of(vm, o);
    bool counted = c->script;

    if (c->d.destroy)
        c->d.destroy(vm, o);
    sc_free(vm, o, size);
    if (counted)
        obj_drop(vm, c);
}

/* Call __del__, or let a generator leave its blocks, once in the life of an object. Whatever
 * is pending stays pending. */
static void run_del(Vm *vm, Obj *o)
{
    Value *at, self = {T_OBJ, {.o = o}}, fn, exc, r;
    bool gen = o->cls == vm->cls[C_generator];

    if (vm->closing || (o->flags & OBJ_FINALIZED)) /* the class may be empty when the machine closes */
        return;
    at = sc_class_find(o->cls, vm->known[S_del]);
    if (!(gen ? sc_gen_in_block((Gen *)o) : at != NULL))
        return;
    o->flags |= OBJ_FINALIZED;
    exc = vm->exc;
    vm->exc = NIL;
    if (gen) {
        r = sc_gen_close(vm, (Gen *)o);
    } else {
        fn = sc_ref(*at);
        r = sc_call(vm, fn, &self, 1);
        sc_drop(vm, fn);
    }
    sc_drop(vm, r);
    sc_clear_exc(vm);
    vm->exc = exc;
}

/* The last count is gone. __del__ may bring the object back: then it lives on. */
static bool del_revives(Vm *vm, Obj *o)
{
    o->refs = 1;
    run_del(vm, o);
    return --o->refs > 0;
}

void sc_obj_free(Vm *vm, Obj *o)
{
    GcObj *g = (GcObj *)o;

    if (o->cls->has_del && !(o->flags & OBJ_FINALIZED) && del_revives(vm, o))
        return;
    if (o->flags & OBJ_WEAK)
        sc_weak_forget(vm, o);
    if (!(o->flags & OBJ_GC)) {
        free_now(vm, o);
        return;
    }
    g->next->prev = g->prev;
    g->prev->next = g->next;
    vm->gc_count--;
    if (vm->free_depth >= FREE_DEPTH) {
        g->next = vm->trash;
        vm->trash = g;
        return;
    }
    vm->free_depth++;
    free_now(vm, o);
    vm->free_depth--;
    while (vm->free_depth == 0 && vm->trash) {
        g = vm->trash;
        vm->trash = g->next;
        vm->free_depth++;
        free_now(vm, &g->h);
        vm->free_depth--;
    }
}

/* ---- cycles ------------------------------------------------------------------------ */

static void subtract(Value v, void *user)
{
    (void)user;
    if (v.tag == T_OBJ && (v.o->flags & OBJ_GC))
        ((GcObj *)v.o)->gc--;
}

/* Move what is reached to the list of the living. */
static void revive(Value v, void *user)
{
    GcObj *g = (GcObj *)v.o, *live = user;

    if (v.tag != T_OBJ || !(v.o->flags & OBJ_GC) || g->gc == -1)
        return;
    g->next->prev = g->prev;
    g->prev->next = g->next;
    g->gc = -1;
    g->prev = live->prev;
    g->next = live;
    live->prev->next = g;
    live->prev = g;
}

static void visit(Vm *vm, GcObj *g, VisitFn fn, void *user)
{
    (void)vm;
    if (g->h.cls->d.visit)
        g->h.cls->d.visit(&g->h, fn, user);
    if (g->h.cls->script)
        fn(v_obj(g->h.cls), user);
}

static void list_init(GcObj *l) { l->next = l->prev = l; }

static void list_join(GcObj *to, GcObj *from)
{
    if (from->next == from)
        return;
    from->next->prev = to->prev;
    to->prev->next = from->next;
    from->prev->next = to;
    to->prev = from->prev;
    list_init(from);
}

/* Move to live what of the list is referred to from outside of it, each object's holds
 * not counted, and all that is reached from there. How many those are. */
static int64_t part_live(Vm *vm, GcObj *list, int64_t holds, GcObj *live)
{
    GcObj *g, *next;
    int64_t n = 0;

    for (g = list->next; g != list; g = g->next)
        g->gc = (int64_t)g->h.refs - holds;
    for (g = list->next; g != list; g = g->next)
        visit(vm, g, subtract, NULL);
    list_init(live);
    for (g = list->next; g != list; g = next) {
        next = g->next;
        if (g->gc > 0)
            revive((Value){T_OBJ, {.o = &g->h}}, live);
    }
    for (g = live->next; g != live; g = g->next, n++)
        visit(vm, g, revive, live);
    return n;
}

/* Run what is to be run before the objects of the list go, and take those out that it
 * brought back. All are held. */
static void finalize(Vm *vm, GcObj *list)
{
    GcObj live, *g;
    bool any = false;

    for (g = list->next; g != list; g = g->next)
        if (g->h.cls->has_del) {
            run_del(vm, &g->h);
            any = true;
        }
    if (!any)
        return;
    part_live(vm, list, 1, &live);
    for (g = live.next; g != &live; g = g->next)
        if (g->h.flags & OBJ_HELD) { /* others were reached outside of the list */
            g->h.flags &= ~(uint32_t)OBJ_HELD;
            g->h.refs--; /* something else refers to it */
        }
    list_join(&vm->gc_list, &live);
}

/* When contents of dead objects go: an object's end needs its class, and that of a generator the code of its function. */
static int end_round(const Class *c) { return c->d.destroy == sc_gen_def.destroy ? 0 : 1 + c->is_type; }

void sc_collect(Vm *vm)
{
    GcObj live, *g, *all = &vm->gc_list, dead;
    int64_t n;

    vm->collecting = true;
    n = part_live(vm, all, 0, &live);
    list_init(&dead);
    list_join(&dead, all);
    list_join(all, &live);
    /* hold every dead object while their contents go */
    for (g = dead.next; g != &dead; g = g->next) {
        g->h.flags |= OBJ_HELD;
        g->h.refs++;
    }
    finalize(vm, &dead);
    for (g = dead.next; g != &dead; g = g->next)
        if (g->h.flags & OBJ_WEAK)
            sc_weak_forget(vm, &g->h);
    for (int round = 0; round < 3; round++)
        for (g = dead.next; g != &dead; g = g->next)
            if (g->h.cls->d.destroy && end_round(g->h.cls) == round)
                g->h.cls->d.destroy(vm, &g->h);
    while ((g = dead.next) != &dead) {
        g->next->prev = g->prev;
        g->prev->next = g->next;
        g->next = all->next;
        g->prev = all;
        all->next->prev = g;
        all->next = g;
        sc_drop(vm, (Value){T_OBJ, {.o = &g->h}});
    }
    vm->gc_count = 0;
    vm->gc_limit = n / 2 > GC_FIRST ? n / 2 : GC_FIRST;
    vm->collecting = false;
}

void sc_memory_done(Vm *vm)
{
    PoolChunk *c, *next;

    for (c = vm->chunks; c; c = next) {
        next = c->next;
        mem_free(&vm->cx->al, c, c->size);
    }
    vm->chunks = NULL;
    if (vm->reserve)
        mem_free(&vm->cx->al, vm->reserve, RESERVE);
    vm->reserve = NULL;
}
