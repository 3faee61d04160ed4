/* test_nn_models.c -- whole networks against PyTorch's (tests/golden/nn/models.txt,
 * written by tools/golden_nn_models.py): printed tree, results in both modes, gradients
 * of some parameters, running statistics, from the same seed. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Row {
    const char *name;
    wf_module *(*make)(wf_ctx *c);
    int64_t dims[4];
    int rank; /* 2: tokens */
} Row;

static wf_module *make_inception(wf_ctx *c)
{
    return wf_nn_inception(c, NULL, 3, 4, 3, 6, 2, 4, 5);
}
static wf_module *make_small(wf_ctx *c) { return wf_nn_small_inception(c, NULL, 1, 10); }
static wf_module *make_googlenet(wf_ctx *c) { return wf_nn_googlenet(c, NULL, 12); }
static wf_module *make_gpt(wf_ctx *c) { return wf_nn_gpt(c, NULL, 5, 7, 8, 2, 2, 0); }

static const Row rows[] = {
    {"inception", make_inception, {2, 3, 4, 3}, 4},
    {"small_inception", make_small, {2, 1, 13, 12}, 4},
    {"googlenet", make_googlenet, {2, 3, 64, 48}, 4},
    {"gpt", make_gpt, {2, 6}, 2},
};

/* 0.5 sin(0.3 i + 0.1) in place of what was drawn: normal numbers differ a little */
static wf_status fill_embeddings(void *user, const char *path, wf_module *m)
{
    wf_ctx *c = user;
    wf_tensor w = wf_module_tensor(m, "weight");
    float v[64];

    (void)path;
    if (strcmp(wf_module_type(m), "Embedding") != 0)
        return WF_OK;
    for (int i = 0; i < 64; i++)
        v[i] = (float)(0.5 * sin(0.3 * i + 0.1));
    int64_t dims[2] = {wf_size(c, w, 0), wf_size(c, w, 1)};
    wf_no_grad_begin(c);
    wf_write(c, w, wf_from(c, WF_F32, dims, 2, v));
    wf_no_grad_end(c);
    return WF_OK;
}

static wf_status dropout_off(void *user, const char *path, wf_module *m)
{
    (void)user;
    (void)path;
    if (!strcmp(wf_module_type(m), "Dropout"))
        wf_module_train(m, false);
    return WF_OK;
}

static wf_tensor make_input(wf_ctx *c, const Row *r, wf_dtype dtype)
{
    int64_t n = 1;
    wf_tensor t;

    for (int i = 0; i < r->rank; i++)
        n *= r->dims[i];
    double *v = malloc((size_t)n * sizeof *v);
    int64_t *k = malloc((size_t)n * sizeof *k);
    for (int64_t i = 0; i < n; i++) {
        v[i] = 1.5 * sin(0.7 * (double)i + 0.3);
        k[i] = (7 * i + 3) % 5;
    }
    t = r->rank == 2 ? wf_from(c, WF_I64, r->dims, 2, k)
                     : wf_cast(c, wf_from(c, WF_F64, r->dims, r->rank, v), dtype);
    free(v);
    free(k);
    return t;
}

/* mean of y_k (0.1 (k mod 7) - 0.2) */
static wf_tensor weighted(wf_ctx *c, wf_tensor y, wf_dtype dtype)
{
    int64_t n = wf_count(c, y);
    double w[600];

    CHECK(n <= 600);
    for (int64_t i = 0; i < n && i < 600; i++)
        w[i] = 0.1 * (double)(i % 7) - 0.2;
    return wf_mean(c,
                   wf_mul(c, wf_reshape(c, y, &n, 1),
                          wf_cast(c, wf_from(c, WF_F64, &n, 1, w), dtype)),
                   NULL, 0, false);
}

typedef struct Case {
    const Row *row;
    wf_ctx *c;
    wf_module *m;
    wf_tensor y[2]; /* eval, train */
    wf_dtype dtype;
    char text[1 << 15];
} Case;

static void close_case(Case *k)
{
    if (k->c) {
        wf_module_release(k->c, k->m);
        wf_ctx_free(k->c);
    }
    k->c = NULL;
}

static void open_case(Case *k, wf_dtype dtype)
{
    wf_tensor x;

    close_case(k);
    k->dtype = dtype;
    k->c = wf_ctx_new(NULL);
    wf_manual_seed(k->c, 0);
    k->m = k->row->make(k->c);
    REQUIRE(k->m != NULL);
    if (*k->text)
        CHECK_STR(wf_module_text(k->c, k->m), k->text);
    *k->text = 0;
    wf_module_visit(k->c, k->m, fill_embeddings, k->c);
    wf_module_cast(k->c, k->m, dtype);
    x = make_input(k->c, k->row, dtype);
    wf_module_train(k->m, false);
    k->y[0] = wf_forward_one(k->c, k->m, x);
    k->y[1] = WF_NONE;
    if (dtype == WF_F64 || k->row->make != make_googlenet) {
        wf_module_train(k->m, true);
        wf_module_visit(k->c, k->m, dropout_off, NULL);
        k->y[1] = wf_forward_one(k->c, k->m, x);
        wf_backward(k->c, weighted(k->c, k->y[1], dtype), WF_NONE, 0);
    }
    CHECK_STR(wf_ctx_message(k->c), "");
}

/* got[0..n-1] against the numbers of a line, each within tol of itself or of scale */
static void compare(const double *got, int n, const char *numbers, double tol,
                    double scale, const char *line)
{
    for (int i = 0; i < n; i++) {
        char *end;
        double want = strtod(numbers, &end);
        if (end == numbers || !(fabs(got[i] - want) <= tol * (fabs(want) + scale))) {
            check_fail(__FILE__, __LINE__, "%.50s: number %d is %.12g, needed %.12g",
                       line, i, got[i], want);
            return;
        }
        numbers = end;
    }
    if (strspn(numbers, " \n") != strlen(numbers))
        check_fail(__FILE__, __LINE__, "%.50s: more numbers are needed", line);
}

static void compare_all(Case *k, wf_tensor t, const char *numbers, const char *line)
{
    static double v[600];
    int64_t n = wf_is_none(t) ? 0 : wf_count(k->c, t);

    REQUIRE(n > 0 && n <= 600 && !wf_read_f64(k->c, t, v, n));
    compare(v, (int)n, numbers, k->dtype == WF_F64 ? 1e-9 : 2e-5, 0.1, line);
}

/* The sum, the sum of absolute values, and the first 6. */
static void compare_some(Case *k, wf_tensor t, const char *numbers, const char *line)
{
    double tol = k->dtype == WF_F64 ? 1e-8 : 2e-4, some[8] = {0}, mean;
    int64_t n = wf_is_none(t) ? 0 : wf_count(k->c, t);
    double *v = malloc((size_t)n * sizeof *v + 1);

    REQUIRE(n > 0 && !wf_read_f64(k->c, t, v, n));
    for (int64_t i = 0; i < n; i++) {
        some[0] += v[i];
        some[1] += fabs(v[i]);
        if (i < 6)
            some[2 + i] = v[i];
    }
    mean = some[1] / (double)n;
    CHECK(mean > 0);
    compare(some, 1, strndupa(numbers, strcspn(numbers, " ")), tol, some[1], line);
    numbers += strcspn(numbers, " ");
    compare(some + 1, (int)(n < 6 ? n : 6) + 1, numbers, tol, mean, line);
    free(v);
}

static void check_line(Case *k, const char *line)
{
    char word[3][64];
    const char *numbers = strstr(line, " = ");

    REQUIRE(numbers && sscanf(line, "%63s %63s %63s", word[0], word[1], word[2]) == 3);
    numbers += 3;
    if (strcmp(word[0], "after") != 0) {
        wf_dtype dtype = !strcmp(word[1], "f64") ? WF_F64 : WF_F32;
        if (!k->c || dtype != k->dtype)
            open_case(k, dtype);
    }
    if (!strcmp(word[0], "y"))
        compare_all(k, k->y[!strcmp(word[2], "train")], numbers, line);
    else if (!strcmp(word[0], "grad"))
        compare_some(k, wf_grad_of(k->c, wf_module_tensor(k->m, word[2])), numbers, line);
    else
        compare_some(k, wf_module_tensor(k->m, word[1]), numbers, line);
}

TEST(one_program_of_gpt_serves_every_length_up_to_its_context)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_module *m = make_gpt(c);
    int64_t tokens[16];
    double a[80], b[80];
    wf_model *file;

    for (int i = 0; i < 16; i++)
        tokens[i] = (7 * i + 3) % 5;
    wf_model_new(c, &file);
    wf_module_store(c, m, file);
    wf_module_add_method(c, m, file, "forward", NULL, NULL, (const char *[]){"i64[N,T]"},
                         1, 1);
    for (int64_t time = 1; time <= 7; time += 3) {
        wf_tensor x = wf_from(c, WF_I64, (int64_t[]){2, time}, 2, tokens), y;
        wf_model_run(c, file, "forward", &x, 1, &y, 1);
        wf_read_f64(c, y, a, 10 * time);
        wf_read_f64(c, wf_forward_one(c, m, x), b, 10 * time);
        CHECK_STR(wf_ctx_message(c), "");
        for (int i = 0; i < 10 * time; i++)
            CHECK_NEAR(a[i], b[i], 1e-5);
    }
    wf_forward_one(c, m, wf_from(c, WF_I64, (int64_t[]){2, 8}, 2, tokens));
    CHECK_HAS(wf_ctx_message(c), "GPT: more tokens than its context");
    wf_model_free(file);
    wf_module_release(c, m);
    wf_ctx_free(c);
}

TEST(networks_print_compute_and_derive_as_pytorchs_do)
{
    FILE *f = fopen("tests/golden/nn/models.txt", "r");
    static char line[1 << 16];
    static Case k;
    int seen = 0, lines = 0;

    REQUIRE(f != NULL);
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        if (!strncmp(line, "case ", 5)) {
            close_case(&k);
            k.row = NULL;
            for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
                if (!strcmp(rows[i].name, line + 5))
                    k.row = &rows[i];
            REQUIRE(k.row != NULL);
            seen++;
        } else if (line[0] == '|') {
            if (*k.text)
                strcat(k.text, "\n");
            strcat(k.text, line + 2);
        } else {
            check_line(&k, line);
            lines++;
        }
    }
    close_case(&k);
    fclose(f);
    CHECK_EQ_INT(seen, (int)(sizeof rows / sizeof *rows));
    CHECK(lines >= 55);
}
