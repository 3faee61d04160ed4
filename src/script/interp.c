/* interp.c -- the interpreter's life, units and modules; import.c finds and loads them. */
#include "ast.h"
#include "bytes.h"
#include "modules/modules.h"
#include "numbers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- output ------------------------------------------------------------------------ */

void sc_write(Vm *vm, const char *s, size_t n, bool err)
{
    if (vm->opt.write)
        vm->opt.write(vm->opt.write_user, s, n, err);
    else
        fwrite(s, 1, n, err ? stderr : stdout);
}

void sc_flush(Vm *vm)
{
    if (!vm->opt.write)
        fflush(stdout);
}

/* ---- units ------------------------------------------------------------------------- */

static void unit_free(Unit *u)
{
    Vm *vm = u->vm;
    VEC(Value) consts;

    if (u->prev)
        u->prev->next = u->next;
    else if (vm->units == u)
        vm->units = u->next;
    if (u->next)
        u->next->prev = u->prev;
    consts.v = u->consts.v;
    for (uint32_t i = 0; i < u->consts.n; i++)
        sc_drop(vm, consts.v[i]);
    if (u->source)
        unit_release(u->source);
    arena_free(&u->arena);
    mem_free(&vm->cx->al, u, sizeof *u);
}

void unit_release(Unit *u)
{
    if (--u->refs == 0)
        unit_free(u);
}

const char *sc_vm_intern(Vm *vm, const char *s, size_t n)
{
    char *p = arena_alloc(&vm->names, n + 1);

    if (!p) {
        sc_raise_memory(vm);
        return NULL;
    }
    memcpy(p, s, n);
    p[n] = 0;
    return p;
}

/* Parse and compile inside a protected region: memory comes from the unit's arena. */
static wf_status build_unit(Vm *vm, Unit *u, const char *text, size_t size)
{
    wf_ctx *cx = vm->cx;
    API_ENTER(cx);

    if (setjmp(u->jump) == 0) {
        char *copy = arena_alloc(&u->arena, size + 8);

        memcpy(copy, text, size);
        memset(copy + size, 0, 8);
        u->text = copy;
        u->size = size;
        intern_init(&u->names, &u->arena);
        if (!u->hidden)
            ctx_add_source(cx, u->file, text, size);
        sc_parse(u);
        if (u->shown)
            prompt_show(u);
        u->code = sc_compile(u, sc_scan(u));
        u->ok = true;
    }
    API_RETURN(cx);
}

/* What handlers ask of it: msg, filename, lineno, offset, text. */
static void set_syntax_place(Vm *vm, const Unit *u)
{
    Value e = sc_take_exc(vm), v[5];
    const char *names[] = {"msg", "filename", "lineno", "offset", "text"}, *s = u->text, *end;
    bool ok = true;

    for (uint32_t line = 1; line < u->line && s; line++)
        s = (s = strchr(s, '\n')) ? s + 1 : NULL;
    end = s ? strchr(s, '\n') : NULL;
    v[0] = v_obj(sc_str(vm, u->error));
    v[1] = v_obj(sc_str(vm, u->file));
    v[2] = v_int(u->line);
    v[3] = v_int(u->col);
    v[4] = s ? v_obj(sc_str_n(vm, s, end ? (size_t)(end + 1 - s) : strlen(s))) : NONE;
    for (int i = 0; i < COUNT(names); i++) {
        ok = ok && v[i].tag != T_NIL && sc_setattr_s(vm, e, names[i], v[i]);
        sc_drop(vm, v[i]);
    }
    sc_clear_exc(vm);
    vm->exc = e;
}

static void raise_syntax(Vm *vm, Unit *u)
{
    Exc *e;
    int64_t cap = 0;

    sc_raise(vm, u->error_kind, "%s", u->error);
    e = (Exc *)vm->exc.o;
    if (!sc_exc_is(vm, C_SyntaxError) || u->hidden)
        return;
    if (!sc_grow(vm, &e->trace, &cap, 1, sizeof *e->trace))
        return;
    e->captrace = (uint32_t)cap;
    e->ntrace = 1;
    e->trace[0] = (CallPlace){u->file, u->line, u->col, u->len, NULL};
    set_syntax_place(vm, u);
}

/* NULL: exception */
static Unit *unit_new(Vm *vm, const char *file, Unit like)
{
    Unit *u = mem_alloc(&vm->cx->al, sizeof *u);

    if (!u) {
        sc_raise_memory(vm);
        return NULL;
    }
    *u = (Unit){.refs = 1, .vm = vm, .hidden = like.hidden, .shown = like.shown};
    arena_init(&u->arena, &vm->cx->al, vm->cx);
    u->next = vm->units;
    if (u->next)
        u->next->prev = u;
    vm->units = u;
    u->file = sc_vm_intern(vm, file, strlen(file));
    if (u->file)
        return u;
    unit_release(u);
    return NULL;
}

static Unit *compile_unit(Vm *vm, const char *file, const char *text, size_t size, Unit like, int *out_cut)
{
    Unit *u;
    wf_status s;

    if (memchr(text, 0, size)) {
        sc_raise(vm, C_SyntaxError, "%s: source code cannot contain null bytes", file);
        return NULL;
    }
    u = unit_new(vm, file, like);
    if (!u)
        return NULL;
    s = build_unit(vm, u, text, size);
    if (out_cut)
        *out_cut = u->cut;
    if (u->ok && s == WF_OK)
        return u;
    if (s != WF_OK)
        sc_raise_ctx(vm);
    else if (!sc_failed(vm))
        raise_syntax(vm, u);
    unit_release(u);
    return NULL;
}

Unit *sc_compile_unit(Vm *vm, const char *file, const char *text, size_t size)
{
    return compile_unit(vm, file, text, size, (Unit){0}, NULL);
}

Unit *sc_compile_hidden(Vm *vm, const char *file, const char *text, size_t size)
{
    return compile_unit(vm, file, text, size, (Unit){.hidden = true}, NULL);
}

Unit *sc_compile_shown(Vm *vm, const char *file, const char *text, size_t size, int *out_cut)
{
    return compile_unit(vm, file, text, size, (Unit){.shown = true}, out_cut);
}

Unit *sc_unpack_unit(Vm *vm, const char *file, const Namespace *n)
{
    Unit *u = unit_new(vm, file, (Unit){.hidden = true});

    if (!u)
        return NULL;
    arena_init(&u->arena, &vm->cx->al, NULL); /* it is filled outside regions, too: see unpack.c */
    u->text = n->text;
    u->size = n->size;
    u->packed = (const uint8_t *)n->packed;
    if (sc_unpack(u))
        return u;
    unit_release(u);
    return NULL;
}

Value sc_run_unit(Vm *vm, Unit *u, ScModule *m)
{
    Function *f = sc_gc_new(vm, vm->cls[C_function], sizeof *f);
    VmFrame *fr;
    Value r;

    if (!f)
        return NIL;
    f->code = u->code;
    f->unit = u;
    u->refs++;
    f->name = obj_ref(u->code->name);
    f->qualname = obj_ref(u->code->qualname);
    f->module = gc_ref(m);
    fr = sc_frame_for(vm, f, NULL, 0, 0, NULL, false);
    obj_drop(vm, f);
    if (!fr)
        return NIL;
    if (!sc_enter(vm)) {
        sc_frame_free(vm, fr);
        return NIL;
    }
    r = sc_run(vm, fr);
    sc_leave(vm);
    return r;
}

/* ---- modules ----------------------------------------------------------------------- */

ScModule *sc_module(Vm *vm, const char *name, Dict *attrs)
{
    ScModule *m = sc_gc_new(vm, vm->cls[C_module], sizeof *m);

    if (!m)
        return NULL;
    m->name = sc_intern(vm, name, strlen(name));
    m->attrs = attrs ? gc_ref(attrs) : sc_dict(vm);
    if (!m->name || !m->attrs ||
        !sc_dict_put_str(vm, m->attrs, vm->known[S_name], v_obj(m->name)) ||
        (!attrs && !sc_dict_put_str(vm, m->attrs, vm->known[S_doc], NONE))) {
        obj_drop(vm, m);
        return NULL;
    }
    return m;
}

bool sc_module_set(Vm *vm, ScModule *m, const char *name, Value owned)
{
    Str *s = sc_intern(vm, name, strlen(name));
    bool ok = s && owned.tag != T_NIL && sc_dict_put_str(vm, m->attrs, s, owned);

    if (s)
        obj_drop(vm, s);
    sc_drop(vm, owned);
    return ok;
}

bool sc_module_natives(Vm *vm, ScModule *m, const NativeDef *defs)
{
    for (; defs->name; defs++)
        if (!sc_module_set(vm, m, defs->name, v_obj(sc_native_fn(vm, defs, NIL, NULL))))
            return false;
    return true;
}

bool sc_module_class(Vm *vm, ScModule *m, const ClassDef *def, Class *base, Class **out)
{
    Class *c = sc_class_native(vm, def, base);

    if (out)
        *out = c;
    if (!c)
        return false;
    c->module = obj_ref(m->name);
    return sc_module_set(vm, m, def->name, v_obj(c));
}

bool sc_vm_add_module(Vm *vm, const ModuleDef *def)
{
    int64_t cap = vm->capdefs;

    if (!sc_grow(vm, &vm->defs, &cap, vm->ndefs + 1, sizeof *def))
        return false;
    vm->capdefs = (uint32_t)cap;
    vm->defs[vm->ndefs++] = *def;
    return true;
}

/* ---- life -------------------------------------------------------------------------- */

static const struct {
    KnownClass k;
    const ClassDef *def;
    KnownClass base;
} class_table[] = {
    {C_getset, &sc_getset_def, C_object},
    {C_cell, &sc_cell_def, C_object},
    {C_staticmethod, &sc_staticmethod_def, C_object},
    {C_classmethod, &sc_classmethod_def, C_object},
    {C_NoneType, &sc_none_def, C_object},
    {C_int, &sc_int_def, C_object},
    {C_bool, &sc_bool_def, C_int},
    {C_float, &sc_float_def, C_object},
    {C_complex, &sc_complex_def, C_object},
    {C_ellipsis, &sc_ellipsis_def, C_object},
    {C_NotImplementedType, &sc_notimpl_def, C_object},
    {C_list, &sc_list_def, C_object},
    {C_bytes, &sc_bytes_def, C_object},
    {C_bytearray, &sc_bytearray_def, C_object},
    {C_set, &sc_set_def, C_object},
    {C_frozenset, &sc_frozenset_def, C_object},
    {C_dict_keys, &sc_keys_def, C_object},
    {C_dict_values, &sc_values_def, C_object},
    {C_dict_items, &sc_items_def, C_object},
    {C_range, &sc_range_def, C_object},
    {C_slice, &sc_slice_def, C_object},
    {C_function, &sc_func_def, C_object},
    {C_method, &sc_method_def, C_object},
    {C_property, &sc_property_def, C_object},
    {C_super, &sc_super_def, C_object},
    {C_module, &sc_module_def, C_object},
    {C_generator, &sc_gen_def, C_object},
    {C_list_iterator, &sc_list_iter_def, C_object},
    {C_range_iterator, &sc_range_iter_def, C_object},
    {C_str_iterator, &sc_str_iter_def, C_object},
    {C_dict_keyiterator, &sc_dict_key_iter_def, C_object},
    {C_dict_valueiterator, &sc_dict_value_iter_def, C_object},
    {C_dict_itemiterator, &sc_dict_item_iter_def, C_object},
    {C_set_iterator, &sc_set_iter_def, C_object},
    {C_tuple_iterator, &sc_tuple_iter_def, C_object},
    {C_seq_iterator, &sc_seq_iter_def, C_object},
    {C_enumerate, &sc_enumerate_def, C_object},
    {C_zip, &sc_zip_def, C_object},
    {C_map, &sc_map_def, C_object},
    {C_filter, &sc_filter_def, C_object},
    {C_reversed, &sc_reversed_def, C_object},
    {C_callable_iterator, &sc_call_iter_def, C_object},
    {C_BaseException, &sc_exc_def, C_object},
};

/* The first classes need each other: raw ones first, then each again properly. */
static bool open_classes(Vm *vm)
{
    static const struct {
        KnownClass k;
        const ClassDef *def;
    } first[] = {{C_type, &sc_type_def}, {C_object, &sc_object_def}, {C_str, &sc_str_def},
                 {C_dict, &sc_dict_def}, {C_tuple, &sc_tuple_def},
                 {C_builtin_function_or_method, &sc_native_def}};
    Class *raw[COUNT(first)];
    bool ok = true;
    int i;

    for (i = 0; i < COUNT(first); i++) {
        raw[i] = sc_alloc(vm, sizeof **raw);
        if (!raw[i])
            return false;
        memset(raw[i], 0, sizeof **raw);
        raw[i]->h.h.refs = 1;
        raw[i]->d = *first[i].def;
        raw[i]->is_tuple = first[i].k == C_tuple;
        raw[i]->is_type = first[i].k == C_type;
        raw[i]->h.h.cls = raw[0]; /* type comes first */
        raw[i]->h.h.flags = OBJ_GC;
        raw[i]->h.next = vm->gc_list.next;
        raw[i]->h.prev = &vm->gc_list;
        raw[i]->h.next->prev = &raw[i]->h;
        vm->gc_list.next = &raw[i]->h;
        vm->cls[first[i].k] = raw[i];
    }
    for (i = 0; i < S_COUNT && ok; i++) {
        static const char *const texts[] = {
#define KNOWN(id, text) text,
#include "known.def"
#undef KNOWN
        };

        vm->known[i] = sc_intern(vm, texts[i], strlen(texts[i]));
        ok = vm->known[i] != NULL;
    }
    vm->empty_str = ok ? sc_intern(vm, "", 0) : NULL;
    for (i = 0; i < 128 && ok && vm->empty_str; i++) {
        char c = (char)i;

        vm->chars[i] = sc_intern(vm, &c, 1);
        ok = vm->chars[i] != NULL;
    }
    vm->empty_tuple = ok ? sc_tuple(vm, 0) : NULL;
    if (!ok || !vm->empty_str || !vm->empty_tuple)
        return false;
    if (!sc_class_fill(vm, vm->cls[C_object], &sc_object_def, NULL))
        return false;
    for (i = 0; i < COUNT(first); i++)
        if (first[i].k != C_object &&
            !sc_class_fill(vm, raw[i], first[i].def, vm->cls[C_object]))
            return false;
    return true;
}

static bool open_all(Vm *vm)
{
    static const ModuleDef *const tables[] = {sc_std_modules, engine_modules};

    if (!open_classes(vm))
        return false;
    for (int i = 0; i < COUNT(class_table); i++) {
        Class *c = sc_class_native(vm, class_table[i].def, vm->cls[class_table[i].base]);

        if (!c)
            return false;
        vm->cls[class_table[i].k] = c;
    }
    vm->cls[C_generator]->has_del = true; /* it leaves its blocks */
    if (!sc_class_finish(vm))
        return false;
    vm->builtins = sc_dict(vm);
    vm->modules = sc_dict(vm);
    if (!vm->builtins || !vm->modules || !sc_open_exceptions(vm))
        return false;
    {
        Value e = sc_new_instance(vm, vm->cls[C_MemoryError]);

        if (e.tag == T_NIL)
            return false;
        vm->memory_error = (Exc *)e.o;
    }
    if (!sc_open_builtins(vm) || !open_files(vm) || !sc_open_code(vm) || !sc_open_match(vm))
        return false;
    for (int i = 0; i < COUNT(tables); i++)
        for (const ModuleDef *d = tables[i]; d->name; d++)
            if (!sc_vm_add_module(vm, d))
                return false;
    vm->nspaces = sc_nnamespaces;
    vm->main = sc_module(vm, "__main__", NULL);
    return vm->main && sc_dict_put_str(vm, vm->modules, vm->main->name, v_obj(vm->main)) &&
           import_open_path(vm);
}

/* Pools hide the script heap from tools that watch the allocator: with AddressSanitizer
 * they are off, and WEFT_POOLS=off turns them off for valgrind and the like. */
static bool pools_off(void)
{
    const char *s = getenv("WEFT_POOLS");

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
    return true;
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
    return true;
#endif
    return s && strcmp(s, "off") == 0;
}

Vm *sc_vm_new(wf_ctx *cx, const VmOptions *opt)
{
    Vm *vm;

    if (!ctx_call_begin(cx)) /* the thread that is in a call gets the error */
        return NULL;
    if (!(vm = mem_alloc(&cx->al, sizeof *vm))) {
        fail_memory(cx);
        ctx_call_end(cx);
        return NULL;
    }
    memset(vm, 0, sizeof *vm);
    vm->cx = cx;
    if (opt)
        vm->opt = *opt;
    vm->opt.plain_alloc |= pools_off();
    vm->max_depth = vm->opt.max_depth ? vm->opt.max_depth : 1000;
    vm->version = 1;
    vm->gc_list.next = vm->gc_list.prev = &vm->gc_list;
    vm->gc_limit = 20000;
    arena_init(&vm->names, &cx->al, NULL);
    vm->reserve = mem_alloc(&cx->al, (size_t)32 << 10);
    if (!vm->reserve || !open_all(vm)) {
        fail_memory(cx);
        sc_vm_free(vm);
        return NULL;
    }
    return vm;
}

/* The texts that every machine has. */
static void drop_texts(Vm *vm)
{
    for (int i = 0; i < S_COUNT; i++)
        if (vm->known[i])
            obj_drop(vm, vm->known[i]);
    for (int i = 0; i < 128; i++)
        if (vm->chars[i])
            obj_drop(vm, vm->chars[i]);
    if (vm->empty_str)
        obj_drop(vm, vm->empty_str);
}

/* The modules go by counts and a collection, while names, libraries and tensors are still
 * there for __del__ methods; then what was left for those. The classes are emptied while
 * all of them still stand, and their memory is freed last. */
void sc_vm_free(Vm *vm)
{
    wf_allocator al;
    GcObj *g, *next, list;
    bool whole; /* it was made completely */
    int i;

    if (!vm)
        return;
    al = vm->cx->al;
    whole = vm->builtins != NULL;
    vm->collecting = true;
    sc_clear_exc(vm);
    sc_put(vm, &vm->handled, NIL);
    for (i = 0; i < COUNT(vm->held); i++)
        sc_put(vm, &vm->held[i], NIL);
    if (vm->exit)
        obj_drop(vm, vm->exit);
    if (vm->modules)
        sc_dict_clear(vm, vm->modules);
    if (vm->main)
        obj_drop(vm, vm->main);
    vm->main = NULL;
    if (whole)
        sc_collect(vm);
    vm->collecting = vm->closing = true;
    if (vm->modules)
        obj_drop(vm, vm->modules);
    if (vm->builtins)
        obj_drop(vm, vm->builtins);
    for (i = 0; i < 2; i++)
        if (i ? vm->meta_path : vm->path)
            obj_drop(vm, i ? vm->meta_path : vm->path);
    vm->modules = vm->builtins = NULL;
    vm->path = vm->meta_path = NULL;
    engine_free(vm);
    if (whole)
        sc_collect(vm);
    vm->collecting = true;
    if (vm->memory_error) {
        Exc *e = vm->memory_error;

        vm->memory_error = NULL;
        obj_drop(vm, e);
    }
    list.next = list.prev = &list;
    for (g = vm->gc_list.next; g != &vm->gc_list; g = next) {
        next = g->next;
        if (!g->h.cls->is_type)
            continue;
        g->next->prev = g->prev;
        g->prev->next = g->next;
        g->next = &list;
        g->prev = list.prev;
        list.prev->next = g;
        list.prev = g;
        g->h.refs += 1000000;
    }
    for (g = list.next; g != &list; g = g->next)
        sc_type_def.destroy(vm, &g->h);
    if (whole) /* cycles through what the collector does not see, as strings of a class of its own: they are cut now */
        sc_collect(vm);
    vm->collecting = true;
    if (vm->empty_tuple)
        obj_drop(vm, vm->empty_tuple);
    vm->empty_tuple = NULL;
    drop_texts(vm);
    for (g = list.next; g != &list; g = next) {
        next = g->next;
        sc_free(vm, g, sizeof(Class));
    }
    sc_free(vm, vm->strs, vm->capstrs * sizeof *vm->strs);
    sc_free(vm, vm->defs, vm->capdefs * sizeof *vm->defs);
    arena_free(&vm->names);
    sc_memory_done(vm);
    ctx_call_end(vm->cx);
    mem_free(&al, vm, sizeof *vm);
}

/* ---- running ----------------------------------------------------------------------- */

/* What atexit has, if the program imported it; an error there is the program's if it had none. */
Value sc_run_at_exit(Vm *vm, Value r)
{
    Str *name = sc_intern(vm, "atexit", 6);
    Value *m = name ? sc_dict_find_str(vm->modules, name) : NULL, e = sc_take_exc(vm), done;

    if (name)
        obj_drop(vm, name);
    done = m ? sc_call_method(vm, *m, "_run_exitfuncs", NULL, 0) : NONE;
    sc_drop(vm, done);
    if (e.tag != T_NIL)
        sc_put(vm, &vm->exc, e);
    else if (done.tag == T_NIL && r.tag != T_NIL) {
        sc_drop(vm, r);
        return NIL;
    }
    return r;
}

bool sc_run_main(Vm *vm, Unit *u)
{
    Value r = NIL;

    if (u) {
        r = sc_run_unit(vm, u, vm->main);
        unit_release(u);
        r = sc_run_at_exit(vm, r);
    }
    sc_flush(vm);
    if (r.tag == T_NIL && sc_exc_is(vm, C_SystemExit)) {
        vm->exit = (Exc *)sc_take_exc(vm).o;
        return true;
    }
    if (r.tag == T_NIL && sc_failed(vm))
        sc_report(vm);
    sc_drop(vm, r);
    return r.tag != T_NIL;
}

bool sc_run_text(Vm *vm, const char *name, const char *text, size_t size)
{
    return sc_run_main(vm, sc_compile_unit(vm, name, text, size));
}
