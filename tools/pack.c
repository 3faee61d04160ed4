/* pack -- the namespaces as C: of every module its name, its text, and its code as script/pack.h has it.
 *
 *     pack FILE.py.. > namespaces.c
 *
 * A part of the build: it links the language alone, without the modules it makes.
 */
#include "script/modules/modules.h"
#include "script/pack.h"

#include <stdio.h>
#include <stdlib.h>

const ModuleDef sc_std_modules[] = {{0}}, engine_modules[] = {{0}};
const Namespace sc_namespaces[1];
const uint32_t sc_nnamespaces = 0;
bool open_files(Vm *vm) { return vm != NULL; }
void engine_free(Vm *vm) { (void)vm; }
const char *engine_keyword(const Vm *vm, const void *user, const char *name)
{
    (void)vm;
    (void)user;
    (void)name;
    return NULL;
}
bool engine_poses_as(Vm *vm, Value v, const Class *c)
{
    return vm && v.tag == T_NIL && !c;
}

wf_status wf_model_new(wf_ctx *cx, wf_model **out)
{
    *out = NULL;
    return cx ? WF_ERR_ARG : WF_OK;
}
void wf_model_free(wf_model *m) { (void)m; }

typedef struct File {
    char name[200]; /* of the module */
    char *text;
    size_t size;
} File;

static _Noreturn void stop(const char *file, const char *why)
{
    fprintf(stderr, "pack: %s: %s\n", file, why);
    exit(1);
}

/* a/b/__init__.py is the module a.b, a/b.py too. */
static void name_module(File *f, const char *path)
{
    const char *s = strstr(path, "namespaces/"), *end = strstr(path, "/__init__.py");
    size_t n;

    if (!end)
        end = strstr(path, ".py");
    if (!s || !end || (n = (size_t)(end - s) - strlen("namespaces/")) >= sizeof f->name)
        stop(path, "no file of namespaces/");
    memcpy(f->name, s + strlen("namespaces/"), n);
    f->name[n] = 0;
    for (char *c = f->name; *c; c++)
        if (*c == '/')
            *c = '.';
}

static void read_file(File *f, const char *path)
{
    FILE *in = fopen(path, "rb");

    if (!in || fseek(in, 0, SEEK_END) != 0 || !(f->text = malloc((size_t)ftell(in) + 1)))
        stop(path, "cannot be read");
    f->size = (size_t)ftell(in);
    rewind(in);
    if (fread(f->text, 1, f->size, in) != f->size)
        stop(path, "cannot be read");
    f->text[f->size] = 0;
    fclose(in);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const File *)a)->name, ((const File *)b)->name);
}

/* A string literal of the bytes, in lines. */
static void write_bytes(const char *s, size_t n)
{
    size_t in_line = 0;

    fputs("    \"", stdout);
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];

        if (c == '\n')
            fputs("\\n", stdout);
        else if (c < ' ' || c > '~' || c == '"' || c == '\\' || c == '?')
            printf("\\%03o", c);
        else
            putchar(c);
        if ((c == '\n' || ++in_line > 100) && i + 1 < n) {
            fputs("\"\n    \"", stdout);
            in_line = 0;
        }
    }
    fputs("\"", stdout);
}

static void write_module(Vm *vm, const File *f, int k)
{
    Unit *u = sc_compile_hidden(vm, f->name, f->text, f->size);
    Buf b = {.vm = vm};

    if (!u || !sc_pack(vm, u, &b)) {
        sc_report(vm);
        stop(f->name, wf_ctx_message(vm->cx));
    }
    printf("static const char text_%d[] =\n", k);
    write_bytes(f->text, f->size);
    printf(";\nstatic const char packed_%d[] =\n", k);
    write_bytes(b.s, (size_t)b.n);
    puts(";");
    buf_free(&b);
    unit_release(u);
}

int main(int argc, char **argv)
{
    int n = argc - 1;
    File *f = calloc((size_t)n + 1, sizeof *f);
    wf_ctx *cx = wf_ctx_new(NULL);
    Vm *vm = cx && f ? sc_vm_new(cx, NULL) : NULL;

    if (!vm)
        stop("start", "no memory");
    for (int i = 0; i < n; i++) {
        name_module(&f[i], argv[i + 1]);
        read_file(&f[i], argv[i + 1]);
    }
    qsort(f, (size_t)n, sizeof *f, by_name);
    puts("/* made by tools/pack.c of src/script/namespaces */\n#include "
         "\"script/script.h\"\n"
         "#pragma GCC diagnostic ignored \"-Woverlength-strings\"");
    for (int i = 0; i < n; i++)
        write_module(vm, &f[i], i);
    puts("const Namespace sc_namespaces[] = {");
    for (int i = 0; i < n; i++)
        printf("    {\"%s\", text_%d, sizeof text_%d - 1, packed_%d},\n", f[i].name, i, i,
               i);
    printf("};\nconst uint32_t sc_nnamespaces = %d;\n", n);
    sc_vm_free(vm);
    wf_ctx_free(cx);
    for (int i = 0; i < n; i++)
        free(f[i].text);
    free(f);
    return ferror(stdout) || fflush(stdout) != 0;
}
