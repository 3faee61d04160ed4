/* prompt.c -- scripts that come piece by piece (wf_prompt): one interpreter, whose main module stays; each piece is a unit of its own, so
 * that functions keep their source, and errors show it. Values of expression statements go through a function that no program can
 * name, as sys.displayhook does in Python; so do those of code that is compiled to be shown (compile's mode 'single'). */
#include "ast.h"

#include <stdio.h>

struct wf_prompt {
    Vm *vm;
    char *argv[2]; /* [""], as Python has it */
    int pieces;    /* so far: their names */
    char *names;   /* of the last completion, malloc'ed by the context's allocator */
    size_t room;
};

#define SHOW "<show>" /* the function's name */

/* ---- values that are shown --------------------------------------------------------- */

static void show_list(Unit *u, AstList *l);

static void show_stmt(Unit *u, Ast *s)
{
    Ast *call, *name;

    if (s->kind == S_DEF || s->kind == S_CLASS)
        return;
    if (s->kind != S_EXPR) {
        show_list(u, &s->list);
        show_list(u, &s->more);
        for (int i = 0; i < 2; i++) { /* the blocks of try */
            Ast *block = i ? s->b : s->a;

            if (s->kind == S_TRY && block)
                show_list(u, &block->list);
        }
        return;
    }
    call = arena_dup(&u->arena, s->a, sizeof *call);
    name = arena_dup(&u->arena, s->a, sizeof *name);
    *call = (Ast){.kind = E_CALL,
                  .line = s->a->line,
                  .col = s->a->col,
                  .len = s->a->len,
                  .a = name};
    *name = (Ast){.kind = E_NAME, .line = s->a->line, .col = s->a->col, .len = s->a->len};
    name->name = intern_name(&u->names, SHOW);
    call->list.v = arena_dup(&u->arena, &s->a, sizeof s->a);
    call->list.n = 1;
    s->a = call;
}

/* Statements of a block; other lists of statements (aliases, targets) hold no expression statements. */
static void show_list(Unit *u, AstList *l)
{
    for (uint32_t i = 0; i < l->n; i++)
        if (l->v[i]->kind >= S_EXPR)
            show_stmt(u, l->v[i]);
}

void prompt_show(Unit *u) { show_list(u, &u->body); }

static Value m_show(Vm *vm, const Args *a)
{
    Str *print, *last;
    Value text, *f, r = NIL;

    if (a->v[0].tag == T_NONE)
        return NONE;
    text = sc_repr(vm, a->v[0]);
    print = sc_intern(vm, "print", 5);
    last = sc_intern(vm, "_", 1);
    f = print ? sc_dict_find_str(vm->builtins, print) : NULL;
    if (text.tag != T_NIL && f && last && sc_dict_put_str(vm, vm->builtins, last, a->v[0]))
        r = sc_call(vm, *f, &text, 1);
    sc_drop(vm, text);
    if (print)
        obj_drop(vm, print);
    if (last)
        obj_drop(vm, last);
    return r;
}

bool sc_add_show(Vm *vm)
{
    static const NativeDef defs[] = {{SHOW, m_show, "value"}, {0}};

    return sc_add_builtins(vm, defs);
}

static Value m_exit(Vm *vm, const Args *a)
{
    return sc_raise_value(vm, C_SystemExit, a->v[0]);
}

/* ---- pieces ------------------------------------------------------------------------ */

wf_status wf_prompt_new(wf_ctx *cx, wf_prompt **out)
{
    static const NativeDef defs[] = {{"exit", m_exit, "|status"},
                                     {"quit", m_exit, "|status"},
                                     {0}};
    VmOptions opt;
    wf_prompt *p;

    if (!out)
        return WF_ERR_ARG;
    *out = NULL;
    if (failed(cx))
        return ctx_status(cx);
    p = mem_alloc(&cx->al, sizeof *p);
    if (!p) {
        fail_memory(cx);
        return ctx_status(cx);
    }
    *p = (wf_prompt){.argv = {(char *)(uintptr_t) "", NULL}};
    opt = sc_host_options(cx, 1, p->argv);
    p->vm = sc_vm_new(cx, &opt);
    if (p->vm && sc_add_show(p->vm) && sc_add_builtins(p->vm, defs) && import_path_first(p->vm, "", 0)) {
        *out = p;
        return WF_OK;
    }
    if (p->vm && !failed(cx))
        fail_memory(cx);
    sc_vm_free(p->vm);
    mem_free(&cx->al, p, sizeof *p);
    return ctx_status(cx);
}

/* Is the last line of the text, which a newline ends, empty? */
static bool ends_empty(const char *text, size_t n)
{
    if (n && text[n - 1] == '\n')
        n--;
    while (n && (text[n - 1] == ' ' || text[n - 1] == '\t' || text[n - 1] == '\r'))
        n--;
    return n == 0 || text[n - 1] == '\n';
}

/* A statement with blocks may have more of them until an empty line. */
static bool is_open(const Unit *u)
{
    const Ast *last = u->body.n ? u->body.v[u->body.n - 1] : NULL;

    switch (last ? last->kind : S_PASS) {
    case S_IF:
    case S_WHILE:
    case S_FOR:
    case S_DEF:
    case S_CLASS:
    case S_TRY:
    case S_WITH:
    case S_BLOCK: return true;
    default: return false;
    }
}

static void run_piece(wf_prompt *p, Unit *u, int *out_exit)
{
    Vm *vm = p->vm;
    Value r = sc_run_unit(vm, u, vm->main);

    sc_flush(vm);
    if (r.tag == T_NIL && sc_exc_is(vm, C_SystemExit)) {
        vm->exit = (Exc *)sc_take_exc(vm).o;
        *out_exit = sc_exit_code(vm);
    } else if (r.tag == T_NIL && sc_failed(vm)) {
        sc_report(vm);
    }
    sc_drop(vm, r);
}

wf_status wf_prompt_run(wf_prompt *p, const char *text, size_t size, bool *out_more,
                        int *out_exit)
{
    char name[32];
    int cut = CUT_NOT;
    bool empty;
    Unit *u;

    if (!p || !text || !out_more || !out_exit)
        return WF_ERR_ARG;
    *out_more = false;
    *out_exit = -1;
    if (failed(p->vm->cx))
        return ctx_status(p->vm->cx);
    wf_clear(p->vm->cx); /* what came for the piece before is over */
    snprintf(name, sizeof name, "<input %d>", p->pieces + 1);
    empty = ends_empty(text, size);
    u = sc_compile_shown(p->vm, name, text, size, &cut);
    *out_more = cut == CUT_TOKEN || (!empty && (cut == CUT_BLOCK || (u && is_open(u))));
    if (*out_more)
        sc_clear_exc(p->vm);
    else if (!u)
        sc_report(p->vm);
    else
        run_piece(p, u, out_exit);
    p->pieces += !*out_more;
    if (u)
        unit_release(u);
    return ctx_status(p->vm->cx);
}

void wf_prompt_free(wf_prompt *p)
{
    wf_ctx *cx;
    Value r;

    if (!p)
        return;
    cx = p->vm->cx;
    wf_clear(cx);
    r = sc_run_at_exit(p->vm, NONE);
    if (r.tag == T_NIL && sc_failed(p->vm))
        sc_report(p->vm);
    sc_flush(p->vm);
    mem_free(&cx->al, p->names, p->room);
    sc_vm_free(p->vm);
    mem_free(&cx->al, p, sizeof *p);
}

/* ---- completion -------------------------------------------------------------------- */

static bool in_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || (unsigned char)c >= 0x80;
}

/* a.b.c[0, n): the value of it, if that takes no more than looking names up; owned, or NIL */
static Value look_up(Vm *vm, const char *s, size_t n)
{
    Value v = NIL;

    for (size_t from = 0, to; from < n; from = to + 1) {
        Str *name;
        Value *at, next = NIL;

        for (to = from; to < n && s[to] != '.'; to++)
            ;
        if (!(name = sc_intern(vm, s + from, to - from)))
            break;
        if (from == 0) {
            at = sc_dict_find_str(vm->main->attrs, name);
            at = at ? at : sc_dict_find_str(vm->builtins, name);
            next = at ? sc_ref(*at) : NIL;
        } else {
            next = sc_getattr_opt(vm, v, name);
        }
        obj_drop(vm, name);
        sc_drop(vm, v);
        v = next;
        if (v.tag == T_NIL)
            break;
    }
    sc_clear_exc(vm);
    return v;
}

static bool offer(Vm *vm, Dict *to, const char *s, size_t n, const char *start,
                  size_t nstart)
{
    Str *name;
    bool ok;

    if (n < nstart || memcmp(s, start, nstart) != 0 || !in_name(*s) ||
        (*s == '_' && (nstart == 0 || *start != '_')))
        return true;
    name = sc_intern(vm, s, n);
    ok = name && sc_dict_put_str(vm, to, name, NONE);
    if (name)
        obj_drop(vm, name);
    return ok;
}

static bool offer_all(Vm *vm, Dict *to, Value names, const char *start, size_t n)
{
    Value it = sc_iter(vm, names), v;
    bool ok = it.tag != T_NIL;

    while (ok && (v = sc_next(vm, it)).tag != T_NIL) {
        if (is_str(v))
            ok = offer(vm, to, as_str(v)->s, as_str(v)->n, start, n);
        sc_drop(vm, v);
    }
    sc_drop(vm, it);
    return ok && !sc_failed(vm);
}

/* Modules whose dotted names begin with path[0, n): the part of each that stands after path's last dot. */
static bool offer_modules(Vm *vm, Dict *to, const char *path, size_t n, size_t last)
{
    const char *s;

    for (uint32_t i = 0; (s = sc_builtin_module(vm, i)); i++) {
        if (strlen(s) < n || memcmp(s, path, n) != 0)
            continue;
        if (!offer(vm, to, s + last, strcspn(s + last, "."), path + last, n - last))
            return false;
    }
    return true;
}

/* What could stand at the end of text, as keys of a dict. */
static bool offer_names(Vm *vm, Dict *to, const char *text, size_t size)
{
    size_t from = size, last, line = size;
    Value v;
    bool ok;

    while (from && (in_name(text[from - 1]) || text[from - 1] == '.'))
        from--;
    for (last = size; last > from && text[last - 1] != '.'; last--)
        ;
    while (line && text[line - 1] != '\n')
        line--;
    line += strspn(text + line, " ");
    if ((strncmp(text + line, "import ", 7) == 0 && from >= line + 7 &&
         !memchr(text + line, ';', from - line)) ||
        (strncmp(text + line, "from ", 5) == 0 && from == line + 5))
        return offer_modules(vm, to, text + from, size - from, last - from);
    if (last > from) { /* attributes of what stands before the dot */
        v = look_up(vm, text + from, last - 1 - from);
        if (v.tag == T_NIL)
            return true;
        Value names = sc_dir(vm, v);
        ok = names.tag != T_NIL && offer_all(vm, to, names, text + last, size - last);
        sc_drop(vm, names);
        sc_drop(vm, v);
        return ok;
    }
    for (int k = 0; k < KW_COUNT; k++)
        if (size > from &&
            !offer(vm, to, sc_keyword_name((Keyword)k),
                   strlen(sc_keyword_name((Keyword)k)), text + from, size - from))
            return false;
    return offer_all(vm, to, v_obj(vm->main->attrs), text + from, size - from) &&
           (size == from ||
            offer_all(vm, to, v_obj(vm->builtins), text + from, size - from));
}

/* The keys, sorted, one a line. */
static bool write_names(wf_prompt *p, Dict *names)
{
    Vm *vm = p->vm;
    List *l = sc_list(vm, 0);
    Buf b = {.vm = vm};
    bool ok = l && sc_list_extend(vm, l, v_obj(names)) && sc_sort(vm, l, NIL, false);

    for (int64_t i = 0; ok && i < l->n; i++) {
        buf_add(&b, as_str(l->v[i])->s, as_str(l->v[i])->n);
        buf_add(&b, "\n", 1);
    }
    ok = ok && !b.failed;
    if (ok && b.n && (p->names = mem_alloc(&vm->cx->al, (size_t)b.n))) {
        p->room = (size_t)b.n;
        memcpy(p->names, b.s, p->room);
        p->names[p->room - 1] = 0; /* the last newline */
    }
    buf_free(&b);
    if (l)
        obj_drop(vm, l);
    return ok;
}

const char *wf_prompt_complete(wf_prompt *p, const char *text, size_t size)
{
    Dict *names;
    char *copy;

    if (!p || !text || failed(p->vm->cx))
        return "";
    mem_free(&p->vm->cx->al, p->names, p->room);
    p->names = NULL;
    p->room = 0;
    names = sc_dict(p->vm);
    copy = sc_alloc(p->vm, size + 1); /* a text that ends where it ends */
    if (names && copy) {
        memcpy(copy, text, size);
        copy[size] = 0;
        if (offer_names(p->vm, names, copy, size))
            write_names(p, names);
    }
    sc_free(p->vm, copy, size + 1);
    if (names)
        obj_drop(p->vm, names);
    sc_clear_exc(p->vm);
    return p->names ? p->names : "";
}
