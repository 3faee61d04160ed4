/* test_stablehlo.c -- StableHLO text, as JAX lowers functions to it, against the numbers JAX gives.
 *
 * tests/stablehlo/cases.zip, made by tools/stablehlo_cases.py: for each case its text, arguments, results and, where it has them,
 * gradients. Each is run, differentiated, batched, and written as text and read again.
 */
#include "io/io.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 64

typedef struct Case {
    char name[80];
    const char *text;
    size_t size;
    double rtol, atol;
    wf_array *in[MOST], *out[MOST], *grad[MOST];
    int nin, nout, ngrad;
} Case;

/* ---- the cases ------------------------------------------------------------------------------------ */

static char *read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *data;
    long n;

    *size = 0;
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    n = ftell(f);
    data = malloc((size_t)n + 1);
    rewind(f);
    *size = fread(data, 1, (size_t)n, f);
    fclose(f);
    return data;
}

static wf_status read_array(wf_ctx *c, const Zip *z, const char *name, wf_array **out)
{
    const ZipEntry *e = zip_find(z, name);

    *out = NULL;
    if (!e)
        return WF_OK;
    API_ENTER(c);
    const char *bytes = zip_bytes(z, e);
    if (bytes)
        npy_read(c, name, bytes, e->size, out);
    API_RETURN(c);
}

static int read_arrays(wf_ctx *c, const Zip *z, const char *name, char what, wf_array **out)
{
    int n = 0;

    for (; n < MOST; n++) {
        char path[120];

        snprintf(path, sizeof path, "%s.%c%d.npy", name, what, n);
        if (read_array(c, z, path, &out[n]) || !out[n])
            break;
    }
    return n;
}

static void free_case(Case *k)
{
    for (int i = 0; i < MOST; i++) {
        wf_array_release(k->in[i]);
        wf_array_release(k->out[i]);
        wf_array_release(k->grad[i]);
    }
}

static bool read_case(wf_ctx *c, const Zip *z, const ZipEntry *e, Case *k)
{
    char path[120];
    size_t n = strlen(e->name);
    const ZipEntry *how;
    const char *numbers;

    *k = (Case){.size = e->size, .text = zip_bytes(z, e)};
    snprintf(k->name, sizeof k->name, "%.*s", (int)(n - 5), e->name);
    snprintf(path, sizeof path, "%s.how", k->name);
    how = zip_find(z, path);
    if (!k->text || !how || !(numbers = zip_bytes(z, how)))
        return false;
    snprintf(path, sizeof path, "%.*s", (int)how->size, numbers);
    if (sscanf(path, "%lf %lf", &k->rtol, &k->atol) != 2)
        return false;
    k->nin = read_arrays(c, z, k->name, 'i', k->in);
    k->nout = read_arrays(c, z, k->name, 'o', k->out);
    k->ngrad = read_arrays(c, z, k->name, 'g', k->grad);
    return true;
}

/* Calls f with every case whose name contains STABLEHLO_CASE. */
static int each_case(void (*f)(wf_ctx *c, const Case *k))
{
    size_t size;
    char *data = read_file("tests/stablehlo/cases.zip", &size);
    const char *only = getenv("STABLEHLO_CASE");
    wf_ctx *c = wf_ctx_new(NULL);
    Arena a;
    Zip z;
    int n = 0;

    arena_init(&a, &c->al, NULL);
    if (!data || !zip_open(c, &a, "cases.zip", data, size, &z))
        check_fail("cases.zip", 0, "%s", wf_ctx_message(c));
    else
        for (uint32_t i = 0; i < z.entries.n; i++) {
            size_t len = strlen(z.entries.v[i].name);
            Case k;

            if (len < 6 || strcmp(z.entries.v[i].name + len - 5, ".mlir") || (only && !strstr(z.entries.v[i].name, only)))
                continue;
            n++;
            if (read_case(c, &z, &z.entries.v[i], &k))
                f(c, &k);
            else
                check_fail(k.name, 0, "cannot be read: %s", wf_ctx_message(c));
            free_case(&k);
            wf_clear(c);
        }
    arena_free(&a);
    wf_ctx_free(c);
    free(data);
    return n;
}

/* ---- comparing -------------------------------------------------------------------------------------- */

static double number_at(wf_array *a, int64_t i)
{
    wf_dtype t = wf_array_dtype(a);
    const char *p = wf_array_data(a);
    wf_dtype part = dtype_part(t);

    return element_as_f64(part, p + (size_t)i * wf_dtype_size(part));
}

/* Near enough, or why not. Both are in row-major order. */
static bool same_numbers(wf_ctx *c, const Case *k, const char *what, int number, wf_array *got, wf_array *want)
{
    int64_t n = wf_array_count(want) * (dtype_is_complex(wf_array_dtype(want)) ? 2 : 1);
    wf_array *flat = NULL;
    bool ok = true;

    if (wf_array_dtype(got) != wf_array_dtype(want) || wf_array_rank(got) != wf_array_rank(want) ||
        (wf_array_rank(got) && memcmp(wf_array_dims(got), wf_array_dims(want), (size_t)wf_array_rank(got) * sizeof(int64_t)))) {
        check_fail(k->name, 0, "%s %d has another type: %s of rank %d", what, number, wf_dtype_name(wf_array_dtype(got)), wf_array_rank(got));
        return false;
    }
    if (wf_array_contiguous(c, got, &flat))
        return check_fail(k->name, 0, "%s", wf_ctx_message(c)), false;
    for (int64_t i = 0; i < n && ok; i++) {
        double x = number_at(flat, i), y = number_at(want, i);

        if (isnan(x) != isnan(y) || (!isnan(y) && x != y && !(fabs(x - y) <= k->atol + k->rtol * fabs(y)))) {
            check_fail(k->name, 0, "%s %d, element %lld: %g, needed %g", what, number, (long long)i, x, y);
            ok = false;
        }
    }
    wf_array_release(flat);
    return ok;
}

static wf_model *load(wf_ctx *c, const Case *k)
{
    wf_model *m = NULL;
    char file[100];

    snprintf(file, sizeof file, "%s.mlir", k->name);
    if (wf_model_parse(c, file, k->text, k->size, &m))
        check_fail(k->name, 0, "%s", wf_ctx_message(c));
    return m;
}

static const wf_program *program_of(const wf_model *m) { return wf_model_program(m, wf_model_programs(m) - 1); }

static void release_all(wf_array **v, int n)
{
    for (int i = 0; i < n; i++)
        wf_array_release(v[i]);
}

static void run_case(wf_ctx *c, const Case *k)
{
    wf_model *m = load(c, k);
    wf_array *out[MOST] = {0};

    if (m && wf_eval(c, program_of(m), k->in, k->nin, out, k->nout))
        check_fail(k->name, 0, "%s", wf_ctx_message(c));
    else if (m)
        for (int i = 0; i < k->nout; i++)
            same_numbers(c, k, "result", i, out[i], k->out[i]);
    release_all(out, k->nout);
    wf_model_free(m);
}

TEST(programs_of_jax_give_the_numbers_that_jax_gives)
{
    int n = each_case(run_case);

    CHECK(getenv("STABLEHLO_CASE") || n >= 280);
}

/* ---- gradients ----------------------------------------------------------------------------------------- */

/* cos(0.1 i), as tools/stablehlo_cases.py has it */
static wf_array *cotangent(wf_ctx *c, wf_array *like)
{
    wf_array *a = NULL;
    wf_dtype t = wf_array_dtype(like);

    if (wf_array_new(c, t, wf_array_dims(like), wf_array_rank(like), &a))
        return NULL;
    for (int64_t i = 0; i < wf_array_count(a); i++)
        element_from_f64(t, cos(0.1 * (double)i), (char *)wf_array_data_mutable(a) + (size_t)i * wf_dtype_size(t));
    return a;
}

static void grad_case(wf_ctx *c, const Case *k)
{
    wf_model *m;
    const wf_program *g = NULL;
    wf_array *in[2 * MOST] = {0}, *out[2 * MOST] = {0};
    int wrt[MOST], nwrt = 0, nin = k->nin;

    if (!k->ngrad || !(m = load(c, k)))
        return;
    for (int i = 0; i < k->nin; i++) {
        in[i] = wf_array_retain(k->in[i]);
        if (dtype_is_float(wf_array_dtype(k->in[i])))
            wrt[nwrt++] = i;
    }
    for (int i = 0; i < k->nout; i++)
        if (dtype_is_differentiable(wf_array_dtype(k->out[i])))
            in[nin++] = cotangent(c, k->out[i]);
    if (wf_vjp(c, program_of(m), wrt, nwrt, &g) || wf_eval(c, g, in, nin, out, k->nout + nwrt))
        check_fail(k->name, 0, "gradient: %s", wf_ctx_message(c));
    else
        for (int i = 0; i < nwrt; i++) {
            Case loose = *k;

            loose.rtol *= 5, loose.atol *= 5;
            same_numbers(c, &loose, "gradient", i, out[k->nout + i], k->grad[i]);
        }
    release_all(in, nin);
    release_all(out, k->nout + nwrt);
    wf_program_release(g);
    wf_model_free(m);
}

TEST(gradients_of_programs_of_jax_are_those_of_jax) { each_case(grad_case); }

/* ---- batches, text ------------------------------------------------------------------------------------------ */

/* [x, x]: both rows of the batched program are the numbers of the program */
static void batch_case(wf_ctx *c, const Case *k)
{
    wf_model *m = load(c, k);
    const wf_program *v = NULL;
    wf_array *in[MOST] = {0}, *out[MOST] = {0};
    int axes[MOST];

    if (!m)
        return;
    for (int i = 0; i < k->nin; i++) {
        int64_t dims[MAX_RANK + 1] = {2};
        size_t bytes = (size_t)wf_array_count(k->in[i]) * wf_dtype_size(wf_array_dtype(k->in[i]));
        int rank = wf_array_rank(k->in[i]);

        axes[i] = 0;
        memcpy(dims + 1, wf_array_dims(k->in[i]), (size_t)rank * sizeof *dims);
        if (wf_array_new(c, wf_array_dtype(k->in[i]), dims, rank + 1, &in[i]))
            break;
        for (size_t row = 0; row < 2 && bytes; row++)
            memcpy((char *)wf_array_data_mutable(in[i]) + row * bytes, wf_array_data(k->in[i]), bytes);
    }
    if (wf_vmap(c, program_of(m), axes, k->nin, NULL, 2, &v) || wf_eval(c, v, in, k->nin, out, k->nout))
        check_fail(k->name, 0, "vmap: %s", wf_ctx_message(c));
    else
        for (int i = 0; i < k->nout; i++) {
            wf_array *want = k->out[i], *twice = NULL;
            int64_t dims[MAX_RANK + 1] = {2};
            size_t bytes = (size_t)wf_array_count(want) * wf_dtype_size(wf_array_dtype(want));

            memcpy(dims + 1, wf_array_dims(want), (size_t)wf_array_rank(want) * sizeof *dims);
            if (wf_array_new(c, wf_array_dtype(want), dims, wf_array_rank(want) + 1, &twice))
                continue;
            for (size_t row = 0; row < 2 && bytes; row++)
                memcpy((char *)wf_array_data_mutable(twice) + row * bytes, wf_array_data(want), bytes);
            same_numbers(c, k, "row of a batch, result", i, out[i], twice);
            wf_array_release(twice);
        }
    release_all(in, k->nin);
    release_all(out, k->nout);
    wf_program_release(v);
    wf_model_free(m);
}

TEST(programs_of_jax_batch) { each_case(batch_case); }

static void text_case(wf_ctx *c, const Case *k)
{
    wf_model *m = load(c, k), *again = NULL;
    const char *text = NULL;
    char *copy = NULL;

    if (m && (wf_program_verify(c, program_of(m)) || wf_program_text(c, program_of(m), WF_TEXT_HEADER, &text)))
        check_fail(k->name, 0, "%s", wf_ctx_message(c));
    if (text)
        copy = memcpy(malloc(strlen(text) + 1), text, strlen(text) + 1);
    if (copy && wf_model_parse(c, "again.wir", copy, strlen(copy), &again))
        check_fail(k->name, 0, "read again: %s", wf_ctx_message(c));
    if (again && !wf_program_equal(program_of(m), program_of(again)))
        check_fail(k->name, 0, "its text is another program");
    free(copy);
    wf_model_free(again);
    wf_model_free(m);
}

TEST(programs_of_jax_are_written_and_read_again) { each_case(text_case); }

/* ---- what is refused, and forms that JAX does not print ------------------------------------------------------- */

static wf_model *parse(wf_ctx *c, const char *text)
{
    wf_model *m = NULL;

    wf_model_parse(c, "t.mlir", text, strlen(text), &m);
    return m;
}

static void check_refused(const char *text, const char *message)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_model *m = parse(c, text);

    CHECK_HAS(wf_ctx_message(c), message);
    wf_model_free(m);
    wf_ctx_free(c);
}

TEST(what_is_refused_is_named_with_its_line)
{
    check_refused("module @m {\n  func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n    %0 = stablehlo.frobnicate %a : tensor<2xf32>\n"
                  "    return %0 : tensor<2xf32>\n  }\n}\n",
                  "t.mlir:3:5: not supported: StableHLO: frobnicate: the op is not supported");
    check_refused("func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n  %0 = stablehlo.custom_call @lapack_sgeev_ffi(%a) : (tensor<2xf32>) -> tensor<2xf32>\n"
                  "  return %0 : tensor<2xf32>\n}\n",
                  "'lapack_sgeev_ffi' is not one that is known");
    check_refused("func.func @main(%a: tensor<2xf4E2M1FN>) -> tensor<2xf4E2M1FN> {\n  return %a : tensor<2xf4E2M1FN>\n}\n", "values of type tensor<2xf4E2M1FN>");
    check_refused("func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {\n  return %a : tensor<?xf32>\n}\n", "a size that is not a number");
    check_refused("func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n  %0 = stablehlo.add %a, %b : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n",
                  "t.mlir:2:3: format error: StableHLO: add: there is no value %b here");
    check_refused("func.func @main(%a: tensor<2xf32>) -> tensor<3xf32> {\n  %0 = stablehlo.add %a, %a : tensor<3xf32>\n  return %0 : tensor<3xf32>\n}\n",
                  "result 0 is f32[2], the text says f32[3]");
    check_refused("func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n  %0 = call @main(%a) : (tensor<2xf32>) -> tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n",
                  "function 'main' calls itself");
    check_refused("func.func @main(%a: tensor<9xf32>) -> tensor<9xf32> {\n  %0 = \"stablehlo.sort\"(%a) <{dimension = 0 : i64}> ({\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
                  "    %1 = stablehlo.sine %x : tensor<f32>\n    %2 = stablehlo.compare LT, %1, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
                  "    stablehlo.return %2 : tensor<i1>\n  }) : (tensor<9xf32>) -> tensor<9xf32>\n  return %0 : tensor<9xf32>\n}\n",
                  "a comparator that is not an order by keys");
    check_refused("module @m {\n  func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n", "the text ends");
    check_refused("module @m {\n}\n", "the text has no function");
}

static void check_gives(const char *text, const char *in, const char *want)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_model *m = parse(c, text);
    wf_array *a = NULL, *out = NULL;
    const char *got = "";

    CHECK_STR(wf_ctx_message(c), "");
    if (m && !wf_array_parse(c, in, WF_F32, 0, &a) && !wf_eval(c, program_of(m), &a, 1, &out, 1))
        wf_array_text(c, out, &got);
    CHECK_STR(wf_ctx_message(c), "");
    CHECK_STR(got, want);
    wf_array_release(a);
    wf_array_release(out);
    wf_model_free(m);
    wf_ctx_free(c);
}

TEST(comments_places_resources_and_meshes_are_read)
{
    check_gives("#loc = loc(unknown)\n// a comment\nmodule @m attributes {mhlo.num_partitions = 1 : i32} {\n  sdy.mesh @mesh = <[\"x\"=2]>\n"
                "  func.func public @main(%arg0: tensor<2xf32> loc(\"weights\")) -> (tensor<2xf32> {jax.result_info = \"r\"}) {\n"
                "    %c = stablehlo.constant dense_resource<big> : tensor<2xf32> loc(#loc)\n"
                "    %0 = \"stablehlo.add\"(%arg0, %c) {x = #sdy.sharding<@mesh, [{\"x\"}]>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> loc(#loc)\n"
                "    %1 = \"stablehlo.slice\"(%0) <{limit_indices = array<i64: 2>, start_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<2xf32>) -> tensor<1xf32>\n"
                "    %2 = \"stablehlo.broadcast_in_dim\"(%1) <{broadcast_dimensions = array<i64: 0>}> : (tensor<1xf32>) -> tensor<2xf32>\n"
                "    return %2 : tensor<2xf32> loc(#loc)\n  } loc(#loc)\n} loc(#loc)\n#loc1 = loc(\"f.py\":1:2)\n"
                "{-#\n  dialect_resources: {\n    builtin: {\n      big: \"0x040000000000803F00000040\"\n    }\n  }\n#-}\n",
                "f32[2] [1, 2]", "f32[2] [4, 4]");
}

/* ---- hostile text ------------------------------------------------------------------------------------------------- */

static uint64_t seed = 1;
static uint32_t next_random(void) { return (uint32_t)((seed = seed * 6364136223846793005u + 1442695040888963407u) >> 33); }

static void try_text(wf_ctx *c, const char *text, size_t size)
{
    wf_model *m = NULL;

    if (wf_model_parse(c, "t.mlir", text, size, &m) == WF_ERR_INTERNAL)
        check_fail("t.mlir", 0, "%s", wf_ctx_message(c));
    wf_model_free(m);
    wf_clear(c);
}

static int flips_left; /* for each of some small cases */

static void hostile_case(wf_ctx *c, const Case *k)
{
    char *changed;

    if (k->size > 2600 || next_random() % 8)
        return;
    changed = malloc(k->size + 1);
    for (size_t n = 0; n < k->size; n++)
        try_text(c, k->text, n);
    for (int i = 0; i < flips_left; i++) {
        memcpy(changed, k->text, k->size);
        for (uint32_t n = 1 + next_random() % 4; n; n--)
            changed[next_random() % k->size] ^= (char)(1 << next_random() % 8);
        try_text(c, changed, k->size);
    }
    free(changed);
}

TEST(cut_and_changed_texts_are_answers_or_errors)
{
    const char *times = getenv("FORMAT_FLIPS");

    flips_left = times ? atoi(times) : 600;
    each_case(hostile_case);
}
