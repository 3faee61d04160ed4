/* file.c -- file objects of open(): text in UTF-8, or bytes. */
#include "modules.h"
#include "script/bytes.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

typedef struct File {
    FILE *f; /* NULL: closed */
    bool host; /* the process's own: stays open */
    bool reads, writes, binary;
    bool newlines; /* \r\n and \r are read as \n */
    char last;     /* r, w: what was done last; the other needs a seek between */
    bool utf8;     /* else the encoding that enc names */
    Value enc, errors; /* of text, or NIL */
} File;

static File *file_of(Vm *vm, Value v)
{
    File *f = sc_native(v);

    if (!f || !f->f) {
        sc_raise(vm, C_ValueError, "I/O operation on closed file.");
        return NULL;
    }
    return f;
}

static void file_free(Vm *vm, void *p)
{
    File *f = p;

    if (f->f && !f->host)
        fclose(f->f);
    sc_drop(vm, f->enc);
    sc_drop(vm, f->errors);
}

/* The mode of fopen for one of open(); false: it is none */
static bool read_mode(Vm *vm, const char *mode, char *out, File *f)
{
    int kinds = 0, n = 0;

    for (const char *m = mode; *m; m++)
        if (!strchr("rwaxbt+", *m) || strchr(m + 1, *m))
            return sc_fail(vm, C_ValueError, "invalid mode: '%s'", mode);
    for (const char *m = "rwax"; *m; m++)
        if (strchr(mode, *m)) {
            kinds++;
            out[n++] = *m == 'x' ? 'w' : *m;
        }
    if (kinds != 1)
        return sc_fail(vm, C_ValueError, "must have exactly one of create/read/write/append mode");
    f->binary = strchr(mode, 'b') != NULL;
    if (f->binary && strchr(mode, 't'))
        return sc_fail(vm, C_ValueError, "can't have text and binary mode at once");
    if (strchr(mode, '+'))
        out[n++] = '+';
    if (strchr(mode, 'x'))
        out[n++] = 'x';
    f->reads = out[0] == 'r' || strchr(mode, '+');
    f->writes = out[0] != 'r' || strchr(mode, '+');
    out[n] = 0;
    return true;
}

static bool set_name(Vm *vm, Value self, const char *name, Value v)
{
    Str *s = sc_intern(vm, name, strlen(name));
    bool ok = s && v.tag != T_NIL && sc_setattr(vm, self, s, v);

    if (s)
        obj_drop(vm, s);
    return ok;
}

static bool file_init(Vm *vm, Value self, const Args *a)
{
    File made = {.newlines = a->v[5].tag == T_NIL || a->v[5].tag == T_NONE}, *f;
    const char *path = NULL, *mode = a->v[1].tag == T_NIL ? "r" : sc_to_cstr(vm, a->v[1], "mode");
    char m[6];
    int64_t fd = -1;
    Value shown;
    bool ok;

    if (!sc_may(vm, "reach files") || !mode || !read_mode(vm, mode, m, &made))
        return false;
    if (made.binary && a->v[3].tag != T_NIL && a->v[3].tag != T_NONE)
        return sc_fail(vm, C_ValueError, "binary mode doesn't take an encoding argument");
    if (a->v[2].tag == T_INT && a->v[2].i == 0 && !made.binary)
        return sc_fail(vm, C_ValueError, "can't have unbuffered text I/O");
    if (is_str(a->v[5]) && as_str(a->v[5])->n && strcmp(as_str(a->v[5])->s, "\n") != 0)
        return sc_fail(vm, C_NotImplementedError, "open(): newline other than None, '' and '\\n'");
    if (a->v[0].tag == T_INT) {
        fd = a->v[0].i;
    } else if (!(path = os_path(vm, a->v[0]))) {
        return false;
    }
    f = sc_native_new(vm, self, sizeof *f);
    if (!f)
        return false;
    *f = made;
    f->enc = a->v[3].tag == T_NONE ? NIL : sc_ref(a->v[3]);
    f->errors = a->v[4].tag == T_NONE ? NIL : sc_ref(a->v[4]);
    f->utf8 = !is_str(f->enc) || strncmp(as_str(f->enc)->s, "utf", 3) == 0 || strncmp(as_str(f->enc)->s, "UTF", 3) == 0;
    f->f = path ? fopen(path, m) : fdopen((int)fd, m);
    if (!f->f) {
        os_raise_errno(vm, path ? path : "file descriptor");
        return false;
    }
    if (a->v[2].tag == T_INT && a->v[2].i >= 0 && a->v[2].i < 2)
        setvbuf(f->f, NULL, a->v[2].i ? _IOLBF : _IONBF, a->v[2].i ? BUFSIZ : 0);
    shown = path ? v_obj(sc_str(vm, path)) : v_int(fd);
    ok = set_name(vm, self, "name", shown);
    sc_drop(vm, shown);
    shown = v_obj(sc_str(vm, mode));
    ok = ok && set_name(vm, self, "mode", shown);
    sc_drop(vm, shown);
    return ok;
}

/* Between reading and writing C wants a seek. */
static bool turn(Vm *vm, File *f, char what)
{
    if (!(what == 'r' ? f->reads : f->writes))
        return sc_fail(vm, C_OSError, what == 'r' ? "not readable" : "not writable");
    if (f->last && f->last != what)
        fseek(f->f, 0, SEEK_CUR);
    f->last = what;
    return true;
}

/* A line, or up to max bytes or characters (all if negative). */
static Value read_some(Vm *vm, File *f, bool line, int64_t max)
{
    Buf b = {.vm = vm};
    Value r;
    int c;

    if (!turn(vm, f, 'r'))
        return NIL;
    if (f->binary && !line) {
        char block[65536];
        size_t got = 1;

        while (max != 0 && got && !b.failed) {
            got = fread(block, 1, max < 0 ? sizeof block : (size_t)MIN(max, (int64_t)sizeof block), f->f);
            buf_add(&b, block, got);
            max -= max > 0 ? (int64_t)got : 0;
        }
    } else {
        while (!b.failed && (c = getc(f->f)) != EOF) {
            if (max == 0 && (f->binary || !f->utf8 || (c & 0xC0) != 0x80)) {
                ungetc(c, f->f);
                break;
            }
            if (c == '\r' && !f->binary && f->newlines) {
                c = getc(f->f);
                if (c != '\n' && c != EOF)
                    ungetc(c, f->f);
                c = '\n';
            }
            buf_char(&b, (char)c);
            max -= max > 0 && (f->binary || !f->utf8 || (c & 0xC0) != 0x80);
            if (line && c == '\n')
                break;
        }
    }
    if (ferror(f->f)) {
        bool interrupt = errno == EINTR && sc_interrupted(vm);

        buf_free(&b);
        clearerr(f->f);
        return interrupt ? NIL : os_raise_errno(vm, "read");
    }
    if (f->f == stdin)
        clearerr(stdin); /* a terminal goes on after its end */
    if (!f->binary) {
        r = b.failed ? NIL : codec_decode(vm, (const uint8_t *)(b.s ? b.s : ""), b.n, f->enc, f->errors);
        buf_free(&b);
        return r;
    }
    r = b.failed ? NIL : sc_bytes(vm, b.s, b.n);
    buf_free(&b);
    return r;
}

static bool size_arg(Vm *vm, Value v, int64_t *n)
{
    *n = -1;
    return v.tag == T_NIL || v.tag == T_NONE || sc_to_int(vm, v, n);
}

static Value f_read(Vm *vm, const Args *a)
{
    File *f = file_of(vm, a->v[0]);
    int64_t n;

    return f && size_arg(vm, a->v[1], &n) ? read_some(vm, f, false, n) : NIL;
}

static Value f_readline(Vm *vm, const Args *a)
{
    File *f = file_of(vm, a->v[0]);
    int64_t n;

    return f && size_arg(vm, a->v[1], &n) ? read_some(vm, f, true, n) : NIL;
}

static Value f_next(Vm *vm, Value self)
{
    File *f = file_of(vm, self);
    Value s = f ? read_some(vm, f, true, -1) : NIL;
    int64_t n;

    if (s.tag != T_NIL && sc_len(vm, s, &n) && n == 0) {
        sc_drop(vm, s);
        return NIL;
    }
    return s;
}

static Value f_readlines(Vm *vm, const Args *a)
{
    List *l = sc_list(vm, 0);
    Value s;

    while (l && (s = f_next(vm, a->v[0])).tag != T_NIL) {
        bool ok = sc_list_push(vm, l, s);

        sc_drop(vm, s);
        if (!ok)
            break;
    }
    if (l && sc_failed(vm)) {
        obj_drop(vm, l);
        return NIL;
    }
    return v_obj(l);
}

static Value f_write(Vm *vm, const Args *a)
{
    File *f = file_of(vm, a->v[0]);
    const uint8_t *p = NULL;
    int64_t n = 0, count;
    Value coded = NIL;
    bool bad;

    if (!f)
        return NIL;
    if (f->binary ? !sc_bytes_view(vm, a->v[1], &p, &n) : !is_str(a->v[1]))
        return sc_raise(vm, C_TypeError,
                        f->binary ? "a bytes-like object is required, not '%s'"
                                  : "write() argument must be str, not %s",
                        sc_type_name(vm, a->v[1]));
    count = n;
    if (!f->binary) {
        p = (const uint8_t *)as_str(a->v[1])->s;
        n = as_str(a->v[1])->n;
        count = as_str(a->v[1])->chars;
        if (f->enc.tag != T_NIL && count != n) {
            coded = codec_encode(vm, as_str(a->v[1]), f->enc, f->errors);
            if (coded.tag == T_NIL)
                return NIL;
            (void)sc_bytes_view(vm, coded, &p, &n);
        }
    }
    if (!turn(vm, f, 'w')) {
        sc_drop(vm, coded);
        return NIL;
    }
    bad = n && fwrite(p, 1, (size_t)n, f->f) != (size_t)n;
    sc_drop(vm, coded);
    return bad ? os_raise_errno(vm, "write") : v_int(count);
}

static Value f_writelines(Vm *vm, const Args *a)
{
    Value it = sc_iter(vm, a->v[1]), v[2], r;

    if (it.tag == T_NIL)
        return NIL;
    v[0] = a->v[0];
    while ((v[1] = sc_next(vm, it)).tag != T_NIL) {
        r = f_write(vm, &(Args){.v = v, .n = 2});
        sc_drop(vm, v[1]);
        if (r.tag == T_NIL)
            break;
    }
    sc_drop(vm, it);
    return sc_failed(vm) ? NIL : NONE;
}

static Value f_seek(Vm *vm, const Args *a)
{
    File *f = file_of(vm, a->v[0]);
    int64_t to, from = 0;

    if (!f || !sc_to_int(vm, a->v[1], &to) || (a->v[2].tag != T_NIL && !sc_to_int(vm, a->v[2], &from)))
        return NIL;
    f->last = 0;
    if (from < 0 || from > 2)
        return sc_raise(vm, C_ValueError, "invalid whence (%lld, should be 0, 1 or 2)", (long long)from);
    if (fseek(f->f, (long)to, from == 0 ? SEEK_SET : from == 1 ? SEEK_CUR : SEEK_END))
        return os_raise_errno(vm, "seek");
    return v_int(ftell(f->f));
}

static Value f_tell(Vm *vm, const Args *a)
{
    File *f = file_of(vm, a->v[0]);

    return f ? v_int(ftell(f->f)) : NIL;
}

static Value f_truncate(Vm *vm, const Args *a)
{
    File *f = file_of(vm, a->v[0]);
    int64_t n;

    if (!f)
        return NIL;
    n = ftell(f->f);
    if (a->v[1].tag != T_NIL && a->v[1].tag != T_NONE && !sc_to_int(vm, a->v[1], &n))
        return NIL;
    fflush(f->f);
    return ftruncate(fileno(f->f), (off_t)n) ? os_raise_errno(vm, "truncate") : v_int(n);
}

static Value f_fileno(Vm *vm, const Args *a)
{
    File *f = file_of(vm, a->v[0]);

    return f ? v_int(fileno(f->f)) : NIL;
}

static Value f_close(Vm *vm, const Args *a)
{
    File *f = sc_native(a->v[0]);
    int bad = 0;

    if (f && f->f) {
        bad = f->host ? 0 : fclose(f->f);
        f->f = NULL;
    }
    return bad ? os_raise_errno(vm, "close") : NONE;
}

static Value f_flush(Vm *vm, const Args *a)
{
    File *f = file_of(vm, a->v[0]);

    return !f ? NIL : fflush(f->f) ? os_raise_errno(vm, "flush") : NONE;
}

static Value f_enter(Vm *vm, const Args *a)
{
    return file_of(vm, a->v[0]) ? sc_ref(a->v[0]) : NIL;
}

static Value f_readable(Vm *vm, const Args *a)
{
    File *f = file_of(vm, a->v[0]);

    return f ? v_bool(f->reads) : NIL;
}

static Value f_writable(Vm *vm, const Args *a)
{
    File *f = file_of(vm, a->v[0]);

    return f ? v_bool(f->writes) : NIL;
}

static Value f_yes(Vm *vm, const Args *a) { return file_of(vm, a->v[0]) ? v_bool(true) : NIL; }

static Value f_isatty(Vm *vm, const Args *a)
{
    File *f = file_of(vm, a->v[0]);

    return f ? v_bool(isatty(fileno(f->f)) == 1) : NIL;
}

static Value f_get_closed(Vm *vm, Value self)
{
    File *f = sc_native(self);

    (void)vm;
    return v_bool(!f || !f->f);
}

static const NativeDef file_methods[] = {
    {"read", f_read, "self|size"}, {"readline", f_readline, "self|size"},
    {"readlines", f_readlines, "self"}, {"write", f_write, "self,text"},
    {"writelines", f_writelines, "self,lines"}, {"close", f_close, "self"},
    {"seek", f_seek, "self,offset|whence"}, {"tell", f_tell, "self"},
    {"truncate", f_truncate, "self|size"}, {"fileno", f_fileno, "self"},
    {"readable", f_readable, "self"}, {"writable", f_writable, "self"},
    {"seekable", f_yes, "self"}, {"isatty", f_isatty, "self"},
    {"flush", f_flush, "self"}, {"__enter__", f_enter, "self"}, {"__exit__", f_close, "self|t,v,tb"},
    {0},
};
static const PropertyDef file_properties[] = {{"closed", f_get_closed, NULL}, {0}};
static const ClassDef file_def = {
    .name = "TextIOWrapper", .init = file_init,
    .init_params = "file|mode,buffering,encoding,errors,newline", .methods = file_methods,
    .properties = file_properties, .native_free = file_free, .next = f_next,
};

/* Standard input, which input() reads as well. */
static Value stdin_as(Vm *vm, Class *c, bool binary)
{
    Value v = sc_new_instance(vm, c), name = v_obj(sc_str(vm, "<stdin>"));
    File *f = v.tag == T_NIL ? NULL : sc_native_new(vm, v, sizeof *f);

    if (f)
        *f = (File){.f = stdin, .host = true, .reads = true, .binary = binary, .newlines = !binary, .utf8 = true,
                    .enc = NIL, .errors = NIL};
    if (!f || !set_name(vm, v, "name", name)) {
        sc_drop(vm, v);
        v = NIL;
    }
    sc_drop(vm, name);
    return v;
}

bool file_add_stdin(Vm *vm, ScModule *sys)
{
    Str *s = sc_intern(vm, "open", 4);
    Value *c = s ? sc_dict_find_str(vm->builtins, s) : NULL, in = NIL, raw = NIL;
    bool ok = c && c->tag == T_OBJ;

    if (ok) {
        in = stdin_as(vm, (Class *)(void *)c->o, false);
        raw = stdin_as(vm, (Class *)(void *)c->o, true);
        ok = in.tag != T_NIL && raw.tag != T_NIL && set_name(vm, in, "buffer", raw);
    }
    sc_drop(vm, raw);
    if (s)
        obj_drop(vm, s);
    if (!ok) {
        sc_drop(vm, in);
        return false;
    }
    return sc_module_set(vm, sys, "stdin", in);
}

bool open_files(Vm *vm)
{
    Class *c = sc_class_native(vm, &file_def, NULL);
    Str *s = sc_intern(vm, "open", 4);
    bool ok = c && s && sc_dict_put_str(vm, vm->builtins, s, v_obj(c));

    if (c)
        obj_drop(vm, c);
    if (s)
        obj_drop(vm, s);
    return ok;
}
