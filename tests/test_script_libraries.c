/* test_script_libraries.c -- scripts of the libraries (tests/script/NAME/) against what the
 * real libraries print for them: the same text, but for spacing and the last digits of
 * numbers. The .out files are made by tools/script_golden.py. */
#include "lib_text.h"
#include "script/script.h"
#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define DIRECTORY "tests/script"

typedef struct Out {
    char text[400000];
    size_t n;
} Out;

static Out out;

static void collect(void *user, const char *s, size_t n, bool err)
{
    Out *o = user;

    if (err)
        return;
    if (n > sizeof o->text - 1 - o->n)
        n = sizeof o->text - 1 - o->n;
    memcpy(o->text + o->n, s, n);
    o->n += n;
    o->text[o->n] = 0;
}

static char *slurp(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *s = malloc(1 << 20);
    size_t n;

    if (!f || !s) {
        if (f)
            fclose(f);
        free(s);
        return NULL;
    }
    n = fread(s, 1, (1 << 20) - 1, f);
    s[n] = 0;
    fclose(f);
    return s;
}

static void run_one(const char *path, const char *golden)
{
    char *argv[] = {"x"};
    VmOptions opt = {.write = collect, .write_user = &out, .argc = 1, .argv = argv};
    wf_ctx *cx = wf_ctx_new(NULL);
    Vm *vm = sc_vm_new(cx, &opt);
    char *want = slurp(golden);
    const char *at = "";
    int home = open(".", O_RDONLY | O_DIRECTORY); /* a script may leave it */

    REQUIRE(vm != NULL && home >= 0);
    out.n = 0;
    out.text[0] = 0;
    sc_run_file(vm, path);
    sc_vm_free(vm);
    CHECK(fchdir(home) == 0);
    close(home);
    if (*wf_ctx_message(cx))
        check_fail(__FILE__, __LINE__, "%s: %s", path, wf_ctx_message(cx));
    else if (!want)
        check_fail(__FILE__, __LINE__, "%s: no %s", path, golden);
    else if (!test_same_text(want, out.text, &at))
        check_fail(__FILE__, __LINE__, "%s: differs at '%.60s'", path, at);
    free(want);
    wf_ctx_free(cx);
}

static int run_folder(const char *name)
{
    char folder[200], path[500], golden[500];
    DIR *d;
    struct dirent *e;
    int n = 0;

    snprintf(folder, sizeof folder, "%s/%.100s", DIRECTORY, name);
    if (name[0] == '.' || !(d = opendir(folder)))
        return 0;
    while ((e = readdir(d))) {
        size_t len = strlen(e->d_name);

        if (len < 4 || strcmp(e->d_name + len - 3, ".py") || !strncmp(e->d_name, "lib_", 4))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        snprintf(golden, sizeof golden, "%s/%.*s.out", folder, (int)len - 3, e->d_name);
        run_one(path, golden);
        n++;
    }
    closedir(d);
    return n;
}

TEST(scripts_of_libraries_print_what_the_libraries_print)
{
    DIR *d = opendir(DIRECTORY);
    struct dirent *e;
    int n = 0;

    REQUIRE(d != NULL);
    while ((e = readdir(d)))
        if (strncmp(e->d_name, "lib_", 4)) /* packages that scripts import */
            n += run_folder(e->d_name);
    closedir(d);
    CHECK(n >= 3);
}

TEST(numbers_that_differ_are_told_apart)
{
    const char *at;

    CHECK(test_same_text("[1.  2.50001]", "[1. 2.5]", &at));
    CHECK(!test_same_text("[1.  2.6]", "[1. 2.5]", &at));
    CHECK(!test_same_text("x1 3", "x2 3", &at));
    CHECK(!test_same_text("1 2", "1 2 3", &at));
}
