/* test_codefile.c -- machine code in files, where it may be used and where not; and what the log tells of compiling,
 * tracing again, the code cache and a compiler that is not there. */
#include "test.h"
#include "weft.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char said[16384];
static char folder[64], file[128];

static void hear(void *user, wf_log_level level, const char *text)
{
    size_t n = strlen(said);

    (void)user;
    snprintf(said + n, sizeof said - n, "%d %s\n", (int)level, text);
}

static wf_ctx *context(bool file_code, int compile_after)
{
    wf_options o = {.size = sizeof o, .log = hear, .threads = 1, .compile_after = compile_after, .file_code = file_code};

    said[0] = 0;
    return wf_ctx_new(&o);
}

static void begin(void)
{
    strcpy(folder, "/tmp/weft_codefile_XXXXXX");
    CHECK(mkdtemp(folder) != NULL);
    snprintf(file, sizeof file, "%s/m.weft", folder);
    setenv("WEFT_CACHE", folder, 1);
}

static void end(void)
{
    char command[200];

    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK(system(command) == 0);
    setenv("WEFT_CACHE", "off", 1);
}

/* While no C compiler is to be found. */
static char *path_before;
static void hide_compiler(void)
{
    path_before = strdup(getenv("PATH"));
    setenv("PATH", "/nowhere", 1);
}
static void show_compiler(void)
{
    setenv("PATH", path_before, 1);
    free(path_before);
}

static bool has_compiler(void)
{
    wf_ctx *c = context(false, 0);
    wf_exec *e = NULL;
    wf_model *m = NULL;
    static const char text[] = "f(x: f32[N]) {\n  a = exp x\n  b = sin a\n  c = mul a b\n  ret c\n}\n";
    bool ok;

    wf_model_parse(c, "f.wir", text, sizeof text - 1, &m);
    wf_compile(c, wf_model_program(m, 0), 0, &e);
    ok = e && wf_exec_is_compiled(e);
    wf_exec_release(e);
    wf_model_free(m);
    wf_ctx_free(c);
    return ok;
}

static const char program[] = "forward(w: f32[4,3], x: f32[N,4]) {\n"
                              "  a = dot x w\n"
                              "  b = tanh a\n"
                              "  c = exp b\n"
                              "  d = mul b c\n"
                              "  e = sin d\n"
                              "  f = add e c\n"
                              "  g = mul f f\n"
                              "  h = sqrt g\n"
                              "  i = add h d\n"
                              "  ret i\n"
                              "}\n";

static const char *machine(void)
{
    const char *s = strstr(wf_build_info(), "instruction set: ") + strlen("instruction set: ");

    return strncmp(s, "avx512", 6) == 0 ? "avx512" : strncmp(s, "avx2", 4) == 0 ? "avx2" : "base";
}

static wf_model *model(wf_ctx *c)
{
    wf_array *w = NULL;
    wf_model *m = NULL;

    wf_model_parse(c, "f.wir", program, sizeof program - 1, &m);
    wf_array_parse(c, "rand:f32[4,3]", WF_F32, 3, &w);
    wf_model_set_tensor(c, m, "w", w);
    wf_model_set_meta(c, m, "method.forward", "state w\n");
    wf_array_release(w);
    return m;
}

/* The model with its code, saved. */
static void save(const char *const *isas, int n)
{
    wf_ctx *c = context(false, 0);
    wf_model *m = model(c);

    CHECK_EQ_INT(wf_model_compile(c, m, isas, n), WF_OK);
    CHECK_EQ_INT(wf_model_save(c, m, file), WF_OK);
    CHECK_STR(wf_ctx_message(c), "");
    wf_model_free(m);
    wf_ctx_free(c);
}

/* Loads the file, compiles its method, as it stands or bound, without a compiler: has it code, and is it right? */
static bool runs_compiled(bool file_code, bool bound)
{
    wf_ctx *c = context(file_code, 0);
    const wf_program *p = NULL;
    wf_exec *e = NULL;
    wf_model *m = NULL;
    wf_array *in[2] = {NULL, NULL}, *out = NULL, *want = NULL;
    bool compiled = false;

    CHECK_EQ_INT(wf_model_load(c, file, &m), WF_OK);
    if (m) {
        hide_compiler();
        wf_array_parse(c, "rand:f32[7,4]", WF_F32, 5, &in[1]);
        in[0] = wf_model_find_tensor(m, "w");
        if (bound)
            wf_model_bind(c, m, "forward", &p);
        else
            p = wf_program_retain(wf_model_find(m, "forward"));
        wf_compile(c, p, 0, &e);
        compiled = e && wf_exec_is_compiled(e);
        CHECK_EQ_INT(wf_run(c, e, in + bound, 2 - bound, &out, 1), WF_OK);
        CHECK_EQ_INT(wf_eval_reference(c, wf_model_find(m, "forward"), in, 2, &want, 1), WF_OK);
        for (int i = 0; out && want && i < 21; i++)
            CHECK_NEAR(((const float *)wf_array_data(out))[i], ((const float *)wf_array_data(want))[i], 1e-4);
        show_compiler();
    }
    CHECK_STR(wf_ctx_message(c), "");
    wf_array_release(in[1]);
    wf_array_release(out);
    wf_array_release(want);
    wf_exec_release(e);
    wf_program_release(p);
    wf_model_free(m);
    wf_ctx_free(c);
    return compiled;
}

TEST(a_file_with_code_runs_compiled_without_a_compiler)
{
    begin();
    if (has_compiler()) {
        save(NULL, 0);
        CHECK(runs_compiled(true, false));
        CHECK(runs_compiled(true, true));
        CHECK(!strstr(said, "no C compiler"));
    }
    end();
}

TEST(code_in_a_file_is_not_looked_at_unless_the_host_allows_it)
{
    begin();
    if (has_compiler()) {
        save(NULL, 0);
        CHECK(!runs_compiled(false, false));
        CHECK_HAS(said, "it has machine code, which the options do not allow to be used");
    }
    end();
}

TEST(code_survives_loading_and_saving_and_goes_when_dropped)
{
    begin();
    if (has_compiler()) {
        wf_ctx *c = context(false, 0);
        wf_model *m = NULL;

        save((const char *[]){machine()}, 1);
        wf_model_load(c, file, &m);
        CHECK_EQ_INT(wf_model_codes(m), 1); /* as it stands and bound: the same kernels */
        CHECK_STR(wf_model_code_isa(m, 0), machine());
        CHECK(wf_model_code_bytes(m, 0) > 1000);
        CHECK_EQ_INT(wf_model_tensors(m), 1);
        CHECK_EQ_INT(wf_model_save(c, m, file), WF_OK);
        wf_model_free(m);
        CHECK(runs_compiled(true, false));
        wf_model_load(c, file, &m);
        wf_model_drop_code(m);
        CHECK_EQ_INT(wf_model_codes(m), 0);
        CHECK_STR(wf_model_code_isa(m, 0), "");
        CHECK_EQ_INT(wf_model_save(c, m, file), WF_OK);
        wf_model_free(m);
        wf_ctx_free(c);
        CHECK(!runs_compiled(true, false));
    }
    end();
}

TEST(code_for_another_instruction_set_is_not_used)
{
    const char *other = strcmp(machine(), "base") == 0 ? "avx2" : "base";

    begin();
    if (has_compiler()) {
        save(&other, 1);
        CHECK(!runs_compiled(true, false));
        CHECK_HAS(said, "none of its machine code is for this machine");
    }
    end();
}

/* Changes bytes of the file behind `what`, by `with`, or turns one bit. */
static int change(const char *what, size_t skip, const char *with)
{
    FILE *f = fopen(file, "r+b");
    size_t n = strlen(what), size;
    int found = 0;
    char *p;

    fseek(f, 0, SEEK_END);
    size = (size_t)ftell(f);
    p = malloc(size);
    rewind(f);
    CHECK(fread(p, 1, size, f) == size);
    for (size_t i = 0; i + n + skip + 8 < size; i++)
        if (memcmp(p + i, what, n) == 0) {
            if (with)
                memcpy(p + i + skip, with, strlen(with) + 1);
            else
                p[i + skip] ^= 4;
            found++;
        }
    rewind(f);
    CHECK(fwrite(p, 1, size, f) == size);
    fclose(f);
    free(p);
    return found;
}

TEST(code_that_was_tampered_with_is_not_used)
{
    begin();
    if (has_compiler()) {
        save((const char *[]){machine()}, 1);
        CHECK(change("\177ELF", 600, NULL) > 0); /* bytes of the objects */
        CHECK(!runs_compiled(true, false));
        CHECK_HAS(said, "is not used: it is damaged: its checksum is wrong");
        save((const char *[]){machine()}, 1);
        CHECK(change("weft file code 1", 60, NULL) > 0); /* the hash it goes by */
        CHECK(!runs_compiled(true, false));
        CHECK_HAS(said, "is not used: it is damaged: its checksum is wrong");
        save((const char *[]){machine()}, 1);
        CHECK(change("weft file code 1", 0, "weft file code") > 0);
        CHECK(!runs_compiled(true, false));
        CHECK_HAS(said, "it is no code of Weft's, or cut off");
    }
    end();
}

TEST(code_of_another_version_is_not_used)
{
    begin();
    if (has_compiler()) {
        save((const char *[]){machine()}, 1);
        CHECK(change("weft file code 1", 16, "0.0.9") > 0);
        CHECK(!runs_compiled(true, false));
        CHECK_HAS(said, "is not used: another version of Weft made it");
    }
    end();
}

TEST(instruction_sets_and_missing_compilers_are_errors)
{
    wf_ctx *c = context(false, 0);
    wf_model *m = model(c);

    CHECK_EQ_INT(wf_model_compile(c, m, (const char *[]){"mmx"}, 1), WF_ERR_NAME);
    CHECK_HAS(wf_ctx_message(c), "no instruction set is called 'mmx'");
    wf_clear(c);
    wf_ctx_free(c);
    hide_compiler();
    c = context(false, 0);
    CHECK_EQ_INT(wf_model_add_code(c, m, wf_model_program(m, 0), "base"), WF_ERR_UNSUPPORTED);
    CHECK_HAS(wf_ctx_message(c), "'forward' cannot be compiled");
    CHECK_HAS(said, "no C compiler: the interpreter serves");
    show_compiler();
    wf_clear(c);
    wf_model_free(m);
    wf_ctx_free(c);
}

/* ---- what the log tells ------------------------------------------------------------ */

static wf_status square(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out, int nout)
{
    (void)user, (void)nin, (void)nout;
    out[0] = wf_mul(c, in[0], in[0]);
    return wf_ctx_status(c);
}

TEST(the_log_tells_why_a_function_is_traced_again)
{
    wf_ctx *c = context(false, 0);
    wf_function f = WF_FUNCTION(square, NULL, 1, 1, "square");
    wf_jit *j = NULL;
    wf_tensor y;

    wf_jit_new(c, &f, &j);
    wf_jit_call(c, j, (wf_tensor[]){wf_ones(c, WF_F32, (int64_t[]){2}, 1)}, 1, &y, 1, NULL, 0);
    wf_jit_call(c, j, (wf_tensor[]){wf_ones(c, WF_F32, (int64_t[]){2}, 1)}, 1, &y, 1, NULL, 0);
    CHECK_STR(said, "");
    wf_jit_call(c, j, (wf_tensor[]){wf_ones(c, WF_F32, (int64_t[]){3, 1}, 2)}, 1, &y, 1, NULL, 0);
    CHECK_STR(said, "0 'square' is traced again: input 0 is f32[3,1], was f32[2]\n");
    said[0] = 0;
    wf_jit_call(c, j, (wf_tensor[]){wf_float(c, 2)}, 1, &y, 1, NULL, 0);
    CHECK_STR(said, "0 'square' is traced again: input 0 is weak f64[], was f32[3,1]\n");
    said[0] = 0;
    wf_jit_call(c, j, (wf_tensor[]){wf_float(c, 2)}, 1, &y, 1, "k", 1);
    CHECK_STR(said, "0 'square' is traced again: its static arguments, or the axes it runs under, are others\n");
    wf_jit_free(c, j);
    wf_ctx_free(c);
}

/* rows: for all sizes, or for 8 alone */
static void run_often(wf_ctx *c, int runs, bool symbolic)
{
    wf_model *m = model(c);
    const wf_program *p = NULL;
    wf_exec *e = NULL;
    wf_array *in[2] = {wf_model_find_tensor(m, "w"), NULL}, *out;

    wf_array_parse(c, "rand:f32[8,4]", WF_F32, 5, &in[1]);
    wf_specialise(c, wf_model_program(m, 0), (const char *[]){"N"}, (int64_t[]){8}, symbolic ? 0 : 1, &p);
    wf_prepare(c, p, &e);
    wf_program_release(p);
    for (int i = 0; i < runs; i++) {
        CHECK_EQ_INT(wf_run(c, e, in, 2, &out, 1), WF_OK);
        wf_array_release(out);
    }
    wf_array_release(in[1]);
    wf_exec_release(e);
    wf_model_free(m);
}

/* Turns a bit in every entry of the cache. */
static int damage_cache(void)
{
    DIR *d = opendir(folder);
    int n = 0;

    for (struct dirent *e; d && (e = readdir(d));)
        if (strstr(e->d_name, ".so")) {
            char path[400];
            FILE *f;

            snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
            f = fopen(path, "r+b");
            fseek(f, 700, SEEK_SET);
            fputc('!', f);
            fclose(f);
            n++;
        }
    closedir(d);
    return n;
}

TEST(the_log_tells_of_compiling_the_cache_and_damage_to_it)
{
    begin();
    if (has_compiler()) {
        wf_ctx *c = context(false, 2);

        run_often(c, 4, true);
        CHECK_HAS(said, "0 'forward' is compiled for the sizes of one run: others wait for 2 runs of their own\n");
        run_often(c, 4, false);
        CHECK_HAS(said, "0 'forward' is compiled: it has been run 2 times\n");
        CHECK_HAS(said, "are there, the others are compiled\n");
        wf_ctx_free(c);
        c = context(false, 2);
        run_often(c, 4, false);
        CHECK_HAS(said, "0 code cache: 1 of 1 units are there\n");
        wf_ctx_free(c);
        CHECK(damage_cache() > 0);
        c = context(false, 2);
        run_often(c, 4, false);
        CHECK_HAS(said, "2 code cache: 1 entries in");
        CHECK_HAS(said, "were damaged, or not ours: they are removed\n");
        CHECK_HAS(said, "0 code cache: 0 of 1 units are there, the others are compiled\n");
        wf_ctx_free(c);
    }
    end();
}

TEST(the_log_tells_that_there_is_no_compiler)
{
    wf_ctx *c;
    wf_exec *e = NULL;
    wf_model *m;

    begin();
    hide_compiler();
    c = context(false, 1);
    m = model(c);
    wf_compile(c, wf_model_program(m, 0), 0, &e);
    CHECK(e && !wf_exec_is_compiled(e));
    CHECK_HAS(said, "2 no C compiler: the interpreter serves\n");
    wf_exec_release(e);
    wf_model_free(m);
    wf_ctx_free(c);
    show_compiler();
    end();
}

TEST(the_log_tells_what_a_script_does_not_run_as_a_program)
{
    static const char text[] = "import torch, jax\n"
                               "@torch.jit.script\n"
                               "def f(x):\n    return x + torch.rand(2)\n"
                               "f(torch.ones(2))\n"
                               "g = jax.jit(lambda x: x * x)\ng(1.0); g(jax.numpy.ones(3))\n";
    wf_ctx *c = context(false, 0);
    char path[200];
    FILE *f;
    int code;

    begin();
    snprintf(path, sizeof path, "%s/f.py", folder);
    f = fopen(path, "w");
    fputs(text, f);
    fclose(f);
    CHECK_EQ_INT(wf_script_run(c, path, 1, (char *[]){path, NULL}, &code), WF_OK);
    CHECK_HAS(said, "0 torch.jit: 'f' (");
    CHECK_HAS(said, "is run by the machine, not as a program: it draws random numbers, anew at each call\n");
    CHECK_HAS(said, "is traced again, for float32[3]\n");
    CHECK_STR(wf_ctx_message(c), "");
    wf_ctx_free(c);
    end();
}
