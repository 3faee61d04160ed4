/* test_hostile.c -- no text of a file reaches generated code: names of programs, values and
 * symbols, texts of attributes and places are replaced by numbers there, in every form.
 */
#include "lib_check.h"
#include "lib_target.h"
#include "runtime/compiler.h"
#include "compile/compile.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

/* Ends a comment, a string and a line, and is found again. */
static const char evil[] = "\n*/\"'\\\n#error EVIL\nEVIL();/*";

/* Every text of the program, and of those it calls, becomes a hostile one. */
static void poison(wf_ctx *cx, const Program *p)
{
    Program *own = (Program *)(uintptr_t)p;

    own->name = evil;
    for (uint32_t i = 1; i < own->nnames; i++)
        own->names[i] = arena_printf(&cx->scratch, "%s%u", evil, i);
    for (uint32_t i = 0; i < own->dims.syms.n; i++)
        own->dims.syms.v[i].name = arena_printf(&cx->scratch, "%ss%u", evil, i);
    for (uint32_t i = 1; i < own->nplaces; i++)
        own->places[i].file = evil;
    for (uint32_t i = 0; i < own->neqns; i++) {
        const AttrField *f = op_row(own->eqns[i].op)->attrs;

        for (; f && f->name; f++)
            if (f->kind == A_STR)
                *(const char **)((uintptr_t)own->eqns[i].attr + f->offset) = evil;
    }
    for (uint32_t i = 0; i < own->nsubs; i++)
        poison(cx, own->subs[i]);
}

/* How many kernels; that none has a text of the program in any form. */
static uint32_t check_code(wf_ctx *cx, const Program *p, const char *what)
{
    Arena *a = codegen_arena(cx);
    Lowered l;
    Text *units;
    uint32_t n;

    if (!compile_lower(cx, a, target_eager(), p, false, 0, &l)) {
        wf_clear(cx);
        return 0;
    }
    units = render_units(l.k, l.n, 2, a, &n);
    for (uint32_t i = 0; i < n; i++)
        if (strstr(text_str(&units[i]), "EVIL"))
            check_fail(what, 0, "a text of the program is in its C");
    for (uint32_t i = 0; i < l.n; i++) {
        Text t;

        text_init(&t, a);
        render_kernel(l.k[i], a, &t);
        if (strstr(text_str(&t), "EVIL"))
            check_fail(what, 0, "a text of the program is in the C of a kernel");
    }
    return l.n;
}

static uint32_t check_folder(wf_ctx *cx, const char *folder)
{
    DIR *dir = opendir(folder);
    uint32_t kernels = 0;

    for (struct dirent *d; dir && (d = readdir(dir));) {
        const char *path = arena_printf(&cx->scratch, "%s/%s", folder, d->d_name);
        size_t size;
        char *text = strstr(d->d_name, ".wir") ? read_text(path, &size) : NULL;
        const Program **ps;
        uint32_t n = 0;

        if (text && programs_parse(cx, path, text, size, NULL, &ps, &n))
            for (uint32_t i = 0; i < n; i++) {
                poison(cx, ps[i]);
                kernels += check_code(cx, ps[i], path);
            }
        wf_clear(cx);
        free(text);
    }
    if (dir)
        closedir(dir);
    return kernels;
}

XTEST(no_text_of_a_program_reaches_its_c)
{
    CHECK(check_folder(cx, "tests/ops") > 50);
    CHECK(check_folder(cx, "tests/golden/codegen") > 5);
    CHECK(check_folder(cx, "tests/opt") > 10);
    CHECK(check_folder(cx, "examples") > 3);
}

/* The whole way: a file with such a symbol is compiled, and what is in it does not run. */
XTEST(a_symbol_that_ends_a_comment_is_compiled_and_runs_nothing)
{
    static const char text[] =
        "f(x: f32[\"*/ __attribute__((constructor)) static void run(void) "
        "{ __builtin_trap(); } /*\",8]) {\n"
        "  a = exp x\n  b = mul a x\n  c = reduce_sum b axes=[1]\n  ret c\n}\n";
    wf_model *m = NULL;
    wf_exec *e = NULL;
    wf_array *x = NULL, *y = NULL;
    float data[16] = {0};

    CHECK(wf_model_parse(cx, "f.wir", text, strlen(text), &m) == WF_OK);
    CHECK(wf_compile(cx, wf_model_program(m, 0), 0, &e) == WF_OK);
    CHECK(wf_array_from(cx, WF_F32, (int64_t[]){2, 8}, 2, data, &x) == WF_OK);
    CHECK(wf_run(cx, e, &x, 1, &y, 1) == WF_OK);
    CHECK(wf_array_count(y) == 2);
    wf_array_release(x);
    wf_array_release(y);
    wf_exec_release(e);
    wf_model_free(m);
}

/* ---- C that stands alone --------------------------------------------------------------- */

/* What would end a comment, a string or a line, also by C99's trigraph for a backslash, and an escape that goes on. */
#define ENDS "\n*/\"'\\\n#error EVIL\nEVIL();/*\x1b" "EVIL ?" "?/"
/* Names of a method's tensors stand on a line each. */
#define TENSOR "w*/ EVIL(); /*\"'\\\x1b" "EVIL ?" "?/"

static const char *quoted(wf_ctx *cx, const char *s)
{
    Text t;

    text_init(&t, &cx->scratch);
    text_quoted(&t, s, strlen(s));
    return text_str(&t);
}

/* A model of one method, every text of which is hostile. */
static wf_model *hostile_model(wf_ctx *cx)
{
    const char *f = quoted(cx, "f" ENDS), *w = quoted(cx, TENSOR), *x = quoted(cx, "x" ENDS),
               *n = quoted(cx, "N" ENDS), *a = quoted(cx, "a" ENDS);
    char *text = arena_printf(&cx->scratch,
                              "%s(%s: f32[4], %s: f32[%s,4]) {\n  %s = sort %s axis=1\n"
                              "  b = broadcast %s shape=[%s,4] dims=[1]\n  c = mul %s b\n  ret c\n}\n",
                              f, w, x, n, a, x, w, n, a);
    wf_array *values = NULL;
    wf_model *m = NULL;

    CHECK(wf_model_parse(cx, "f.wir", text, strlen(text), &m) == WF_OK);
    CHECK(wf_array_from(cx, WF_F32, (int64_t[]){4}, 1, (float[]){1, 2, 3, 4}, &values) == WF_OK);
    CHECK(wf_model_set_tensor(cx, m, TENSOR, values) == WF_OK);
    CHECK(wf_model_set_meta(cx, m, "method.f" ENDS, "state " TENSOR "\n") == WF_OK);
    wf_array_release(values);
    return m;
}

/* It compiles without a warning, and is what a model with plain names gives but for names: no text of it is code. */
XTEST(exported_c_of_a_hostile_model_compiles_and_is_nothing_else)
{
    wf_model *m = hostile_model(cx);

    for (int w = WF_EXPORT_IN_FILE; w <= WF_EXPORT_TENSORS; w++) {
        wf_export_options o = {.size = sizeof o, .name = "net", .weights = (wf_export_weights)w, .nmost = 1, .most_symbols = (const char *const[]){"N" ENDS},
                               .most = (int64_t[]){8}};
        char dir[] = "/tmp/weft_hostile_XXXXXX";

        CHECK(mkdtemp(dir) != NULL);
        CHECK(wf_export(cx, m, dir, &o) == WF_OK);
        CHECK_STR(wf_ctx_message(cx), "");
        CHECK(system(arena_printf(&cx->scratch, "cd %s && for f in *.c; do ${CC:-cc} -std=c99 -Wall -Wextra -Wno-trigraphs -Werror -c $f -o $f.o || exit 1; done",
                                  dir)) == 0);
        CHECK(system(arena_printf(&cx->scratch, "cd %s && ${CC:-cc} net*.o -lm -o net", dir)) == 0);
        CHECK(system(arena_printf(&cx->scratch, "rm -r %s", dir)) == 0);
    }
    wf_model_free(m);
}
