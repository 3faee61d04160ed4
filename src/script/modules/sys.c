/* sys.c -- the module sys. */
#include "modules.h"

#include <stdio.h>
#include <unistd.h>

static Value m_exit(Vm *vm, const Args *a) { return sc_raise_value(vm, C_SystemExit, a->v[0]); }

static Value m_getrecursionlimit(Vm *vm, const Args *a)
{
    (void)a;
    return v_int(vm->max_depth);
}

static Value m_setrecursionlimit(Vm *vm, const Args *a)
{
    int64_t n;

    if (!sc_to_int(vm, a->v[0], &n))
        return NIL;
    if (n < 1 || n > 10000000)
        return sc_raise(vm, C_ValueError, "recursion limit must be from 1 to 10000000");
    vm->max_depth = (int)n;
    return NONE;
}

static Value m_getsizeof(Vm *vm, const Args *a)
{
    return v_int((int64_t)(a->v[0].tag == T_OBJ ? sc_class_of(vm, a->v[0])->d.size : 16));
}

static Value m_exc_info(Vm *vm, const Args *a)
{
    Value v[3] = {NONE, NONE, NONE}, r;

    (void)a;
    if (vm->handled.tag == T_OBJ) {
        v[0] = v_obj(vm->handled.o->cls);
        v[1] = vm->handled;
        v[2] = sc_getattr_s(vm, v[1], "__traceback__");
        if (v[2].tag == T_NIL)
            return NIL;
    }
    r = v_obj(sc_tuple_of(vm, v, 3));
    sc_drop(vm, v[2]);
    return r;
}

static Value m_getframe(Vm *vm, const Args *a)
{
    int64_t depth = 0;

    return a->v[0].tag != T_NIL && !sc_to_int(vm, a->v[0], &depth) ? NIL : sc_frame_object(vm, depth);
}

static Value m_intern(Vm *vm, const Args *a)
{
    Str *s;

    if (!is_str(a->v[0]))
        return sc_raise(vm, C_TypeError, "intern() argument must be str");
    s = sc_intern_str(vm, as_str(a->v[0]));
    return s ? v_obj(obj_ref(s)) : NIL;
}

static const NativeDef functions[] = {
    {"exit", m_exit, "|status"}, {"getrecursionlimit", m_getrecursionlimit, ""},
    {"setrecursionlimit", m_setrecursionlimit, "limit"}, {"getsizeof", m_getsizeof, "obj"},
    {"exc_info", m_exc_info, ""}, {"intern", m_intern, "string"}, {"_getframe", m_getframe, "|depth"}, {0},
};

/* stdout and stderr: native tells which */
static Value s_write(Vm *vm, const Args *a)
{
    if (!is_str(a->v[1]))
        return sc_raise(vm, C_TypeError, "write() argument must be str, not %s",
                        sc_type_name(vm, a->v[1]));
    sc_write(vm, as_str(a->v[1])->s, as_str(a->v[1])->n, sc_native(a->v[0]) != NULL);
    return v_int(as_str(a->v[1])->chars);
}

static Value s_flush(Vm *vm, const Args *a)
{
    (void)a;
    sc_flush(vm);
    return NONE;
}

static Value s_isatty(Vm *vm, const Args *a)
{
    return v_bool(!vm->opt.write && isatty(sc_native(a->v[0]) ? STDERR_FILENO : STDOUT_FILENO) == 1);
}

static Value s_write_bytes(Vm *vm, const Args *a)
{
    const uint8_t *p;
    int64_t n;

    if (!sc_bytes_view(vm, a->v[1], &p, &n))
        return sc_raise(vm, C_TypeError, "a bytes-like object is required, not '%s'", sc_type_name(vm, a->v[1]));
    sc_write(vm, (const char *)p, (size_t)n, sc_native(a->v[0]) != NULL);
    return v_int(n);
}

static Value s_writelines(Vm *vm, const Args *a)
{
    Value it = sc_iter(vm, a->v[1]), v, args[2] = {a->v[0], NIL}, r;

    while (it.tag != T_NIL && (v = sc_next(vm, it)).tag != T_NIL) {
        args[1] = v;
        r = s_write(vm, &(Args){.v = args, .n = 2});
        sc_drop(vm, v);
        if (r.tag == T_NIL)
            break;
    }
    sc_drop(vm, it);
    return sc_failed(vm) ? NIL : NONE;
}

static Value s_fileno(Vm *vm, const Args *a)
{
    (void)vm;
    return v_int(sc_native(a->v[0]) ? 2 : 1);
}

static Value s_true(Vm *vm, const Args *a)
{
    (void)vm;
    (void)a;
    return v_bool(true);
}

/* What they are asked for besides: how text becomes bytes, and the stream of those. */
static Value s_getattr(Vm *vm, Value self, Str *name)
{
    static const char *const texts[][2] = {{"encoding", "utf-8"}, {"errors", "strict"}, {"mode", "w"}};

    for (int i = 0; i < COUNT(texts); i++)
        if (!strcmp(name->s, texts[i][0]))
            return v_obj(sc_str(vm, texts[i][1]));
    if (!strcmp(name->s, "name"))
        return v_obj(sc_str(vm, sc_native(self) ? "<stderr>" : "<stdout>"));
    if (!strcmp(name->s, "closed") || !strcmp(name->s, "line_buffering"))
        return v_bool(false);
    if (!strcmp(name->s, "buffer")) {
        Str *s = sc_intern(vm, "_sys", 4);
        Value m = s ? sc_import(vm, s) : NIL, r = m.tag == T_NIL ? NIL : sc_call_method(vm, m, "_Buffer", &self, 1);

        if (s)
            obj_drop(vm, s);
        sc_drop(vm, m);
        return r;
    }
    return NIL;
}

static const NativeDef stream_methods[] = {{"write", s_write, "self,text"}, {"flush", s_flush, "self"},
                                           {"isatty", s_isatty, "self"}, {"_write_bytes", s_write_bytes, "self,data"},
                                           {"writelines", s_writelines, "self,lines"}, {"fileno", s_fileno, "self"},
                                           {"writable", s_true, "self"}, {"readable", s_isatty, "self"},
                                           {"seekable", s_isatty, "self"}, {"reconfigure", s_flush, "self$encoding,errors,newline,line_buffering,write_through"},
                                           {0}};
static const ClassDef stream_def = {.name = "TextIOWrapper", .methods = stream_methods, .getattr = s_getattr};


static bool add_stream(Vm *vm, ScModule *m, Class *c, const char *name, bool err)
{
    Value v = sc_new_instance(vm, c);

    if (v.tag != T_NIL && err && !sc_native_new(vm, v, 1)) {
        sc_drop(vm, v);
        return false;
    }
    return sc_module_set(vm, m, err ? "__stderr__" : "__stdout__", sc_ref(v)) && sc_module_set(vm, m, name, v);
}

/* The one finder that is always there; import.c knows it as the class that no script made. */
static const ClassDef path_finder_def = {.name = "PathFinder"};

static bool add_finders(Vm *vm, ScModule *m)
{
    Class *c = sc_class_native(vm, &path_finder_def, NULL);
    bool ok = c && (vm->meta_path || (vm->meta_path = sc_list(vm, 0))) && sc_list_push(vm, vm->meta_path, v_obj(c)) &&
              sc_module_set(vm, m, "meta_path", v_obj(gc_ref(vm->meta_path)));

    if (c)
        obj_drop(vm, c);
    return ok;
}

bool open_sys(Vm *vm, ScModule *m)
{
    List *argv = sc_list(vm, 0);
    Class *c = NULL;

    for (int i = 0; argv && i < vm->opt.argc; i++) {
        Value s = v_obj(sc_str(vm, vm->opt.argv[i]));
        bool ok = s.tag != T_NIL && sc_list_push(vm, argv, s);

        sc_drop(vm, s);
        if (!ok) {
            obj_drop(vm, argv);
            return false;
        }
    }
    return sc_module_set(vm, m, "argv", v_obj(argv)) && sc_module_natives(vm, m, functions) &&
           sc_module_class(vm, m, &stream_def, NULL, &c) &&
           add_stream(vm, m, c, "stdout", false) && add_stream(vm, m, c, "stderr", true) &&
           file_add_stdin(vm, m) &&
           sc_module_set(vm, m, "maxsize", v_int(INT64_MAX)) &&
           sc_module_set(vm, m, "version", v_obj(sc_str(vm, "3.11.0 (weft " WF_VERSION ")"))) &&
           sc_module_set(vm, m, "platform", v_obj(sc_str(vm, "linux"))) &&
           sc_module_set(vm, m, "byteorder", v_obj(sc_str(vm, "little"))) &&
           sc_module_set(vm, m, "executable", v_obj(sc_str(vm, "weft"))) &&
           add_finders(vm, m) && sc_module_set(vm, m, "path", v_obj(gc_ref(vm->path))) &&
           sc_module_set(vm, m, "modules", v_obj(gc_ref(vm->modules)));
}
