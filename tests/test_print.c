/* test_print.c -- arrays as text, against what NumPy, PyTorch, JAX and TensorFlow print.
 *
 * The goldens are cases of tests/golden/print/LIBRARY.txt (see tools/golden_print.py). Every text must be
 * the same to the last space. PRINT_GOLDEN names one more file, for longer runs.
 */
#include "lib_check.h"
#include "print/print.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct PrintCase {
    char style[32];
    PrintArray a;
    int64_t dims[8], strides[8];
    ArrayStyle opts;
    TorchPrint torch;
    const char *name;
} PrintCase;

static wf_dtype dtype_named(const char *s)
{
    for (int t = 1; t < WF_DTYPE_COUNT; t++)
        if (!strcmp(wf_dtype_name((wf_dtype)t), s))
            return (wf_dtype)t;
    return WF_INVALID;
}

static void row_major(PrintCase *c)
{
    int64_t n = 1;

    for (int i = c->a.rank; i-- > 0; n *= c->dims[i])
        c->strides[i] = n;
    c->a.dims = c->dims;
    c->a.strides = c->strides;
}

static bool read_option(PrintCase *c, char *s)
{
    char *value = strchr(s, '=');

    if (!value)
        return false;
    *value++ = 0;
    if (!strcmp(s, "precision"))
        c->opts.precision = atoi(value);
    else if (!strcmp(s, "threshold"))
        c->opts.threshold = atoll(value);
    else if (!strcmp(s, "edgeitems"))
        c->opts.edgeitems = atoll(value);
    else if (!strcmp(s, "linewidth"))
        c->opts.linewidth = atoi(value);
    else if (!strcmp(s, "suppress"))
        c->opts.suppress = atoi(value) != 0;
    else if (!strcmp(s, "sci_mode"))
        c->opts.sci_mode = atoi(value);
    else if (!strcmp(s, "requires_grad"))
        c->torch.requires_grad = true;
    else if (!strcmp(s, "parameter"))
        c->torch.parameter = c->torch.requires_grad = true;
    else if (!strcmp(s, "grad_fn"))
        c->torch.grad_fn = value;
    else if (!strcmp(s, "name"))
        c->name = value;
    else
        return false;
    return true;
}

/* case STYLE DTYPE SHAPE OPTION.. */
static bool read_head(PrintCase *c, char *line)
{
    char *save, *word = strtok_r(line, " ", &save);

    memset(c, 0, sizeof *c);
    if (!word || strcmp(word, "case") || !(word = strtok_r(NULL, " ", &save)))
        return false;
    snprintf(c->style, sizeof c->style, "%s", word);
    c->opts = strcmp(word, "torch") ? PRINT_NUMPY : PRINT_TORCH;
    if (!(word = strtok_r(NULL, " ", &save)) || !(c->a.dtype = dtype_named(word)))
        return false;
    if (!(word = strtok_r(NULL, " ", &save)))
        return false;
    for (char *s = word; *s && *s != '-';) {
        c->dims[c->a.rank++] = strtoll(s, &s, 10);
        s += *s == 'x';
    }
    row_major(c);
    while ((word = strtok_r(NULL, " ", &save)))
        if (!read_option(c, word))
            return false;
    return true;
}

static void put(PrintArray *a, void *data, int64_t i, uint64_t bits)
{
    switch (wf_dtype_size(a->dtype)) {
    case 1: ((uint8_t *)data)[i] = (uint8_t)bits; return;
    case 2: ((uint16_t *)data)[i] = (uint16_t)bits; return;
    case 4: ((uint32_t *)data)[i] = (uint32_t)bits; return;
    default: ((uint64_t *)data)[i] = bits; return;
    }
}

static bool read_data(Arena *arena, PrintCase *c, char *line)
{
    int64_t n = print_count(&c->a), i = 0;
    void *data = arena_array(arena, (size_t)n, 8);
    char *save, *word = strtok_r(line, " ", &save);

    c->a.data = data;
    if (!word || strcmp(word, "data"))
        return false;
    word = strtok_r(NULL, " ", &save);
    if (word && !strcmp(word, "ramp")) {
        double start = strtod(strtok_r(NULL, " ", &save), NULL),
               step = strtod(strtok_r(NULL, " ", &save), NULL);

        for (; i < n; i++) {
            double x = start + step * (double)i;

            if (c->a.dtype == WF_F64)
                ((double *)data)[i] = x;
            else if (c->a.dtype == WF_F32)
                ((float *)data)[i] = (float)x;
            else
                put(&c->a, data, i, (uint64_t)(int64_t)x);
        }
        return true;
    }
    for (; word && i < n; word = strtok_r(NULL, " ", &save))
        put(&c->a, data, i++, strtoull(word, NULL, 16));
    return i == n && !word;
}

static bool print_case(Text *t, const PrintCase *c)
{
    if (!strcmp(c->style, "numpy_str"))
        print_numpy_str(t, &c->a, &c->opts);
    else if (!strcmp(c->style, "numpy_repr"))
        print_numpy_repr(t, &c->a, &c->opts);
    else if (!strcmp(c->style, "numpy_scalar"))
        print_numpy_scalar_repr(t, &c->a);
    else if (!strcmp(c->style, "jax_repr"))
        print_jax_repr(t, &c->a, false, &c->opts);
    else if (!strcmp(c->style, "jax_weak"))
        print_jax_repr(t, &c->a, true, &c->opts);
    else if (!strcmp(c->style, "tf_str"))
        print_tf_str(t, &c->a, &c->opts);
    else if (!strcmp(c->style, "tf_repr"))
        print_tf_repr(t, &c->a, &c->opts);
    else if (!strcmp(c->style, "tf_variable"))
        print_tf_variable(t, &c->a, c->name, &c->opts);
    else if (!strcmp(c->style, "torch"))
        print_torch(t, &c->a, &c->torch, &c->opts);
    else
        return false;
    return true;
}

/* The line at *at, ended, and *at moved behind it. */
static char *take_line(char **at)
{
    char *s = *at, *end = strchr(s, '\n');

    *at = end ? end + 1 : s + strlen(s);
    if (end)
        *end = 0;
    return s;
}

static int check_file(const char *path)
{
    BENCH_OPEN(bench);
    size_t size;
    char *text = read_text(path, &size), *at = text;
    int number = 0, cases = 0;
    Arena *arena = &bench.cx->scratch;

    if (!text)
        check_fail(path, 0, "cannot be read");
    while (text && *at) {
        ArenaMark mark = arena_mark(arena);
        PrintCase c;
        Text want, got;
        int first = ++number;
        char *line = take_line(&at);

        if (line[0] == '#')
            continue;
        number++;
        if (!read_head(&c, line) || !read_data(arena, &c, take_line(&at))) {
            check_fail(path, first, "cannot be understood");
            break;
        }
        text_init(&want, arena);
        text_init(&got, arena);
        for (int k = 0; *at == '|'; k++, number++)
            text_printf(&want, "%s%s", k ? "\n" : "", take_line(&at) + 1);
        if (!print_case(&got, &c))
            check_fail(path, first, "what is '%s'?", c.style);
        else if (strcmp(text_str(&got), text_str(&want)))
            check_fail(path, first, "%s prints\n%s\nshould be\n%s", c.style,
                       text_str(&got), text_str(&want));
        cases++;
        arena_reset(arena, mark);
    }
    free(text);
    BENCH_CLOSE(bench);
    return cases;
}

TEST(numpy_arrays_print_as_numpy_prints_them)
{
    const char *more = getenv("PRINT_GOLDEN");

    CHECK(check_file("tests/golden/print/numpy.txt") > 300);
    if (more)
        CHECK(check_file(more) > 0);
}
TEST(tensors_print_as_pytorch_prints_them)
{
    CHECK(check_file("tests/golden/print/torch.txt") > 300);
}
TEST(arrays_print_as_jax_prints_them)
{
    CHECK(check_file("tests/golden/print/jax.txt") > 300);
}
TEST(tensors_print_as_tensorflow_prints_them)
{
    CHECK(check_file("tests/golden/print/tf.txt") > 300);
}

/* ---- beyond the goldens --------------------------------------------------------------------------------- */

typedef void (*PrintFn)(Text *t, const PrintArray *a, const ArrayStyle *opts);

static void torch_plain(Text *t, const PrintArray *a, const ArrayStyle *opts)
{
    print_torch(t, a, NULL, opts);
}

static const PrintFn all_styles[] = {print_numpy_str, print_numpy_repr, print_tf_str,
                                     print_tf_repr, torch_plain};

TEST(strided_views_print_as_their_copies)
{
    BENCH_OPEN(bench);
    double data[6] = {1, 2.5, -3, 4e4, 5, 6}, copy[6];
    int64_t dims[2] = {3, 2}, strides[2] = {1, 3}, back[2] = {-1, 0}, packed[2] = {2, 1};
    PrintArray views[2] = {{WF_F64, 2, dims, strides, data},
                           {WF_F64, 2, dims, back, data + 5}};

    for (int v = 0; v < 2; v++)
        for (int s = 0; s < COUNT(all_styles); s++) {
            PrintArray plain = {WF_F64, 2, dims, packed, copy};
            Text a, b;

            for (int i = 0; i < 6; i++)
                copy[i] = ((const double *)views[v].data)[i / 2 * views[v].strides[0] +
                                                          i % 2 * views[v].strides[1]];
            text_init(&a, &bench.cx->scratch);
            text_init(&b, &bench.cx->scratch);
            all_styles[s](&a, &views[v], NULL);
            all_styles[s](&b, &plain, NULL);
            CHECK_STR(text_str(&a), text_str(&b));
        }
    BENCH_CLOSE(bench);
}

TEST(texts_are_the_same_in_a_locale_with_a_decimal_comma)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8",
                                        "de_DE"};
    bool found = false;
    BENCH_OPEN(bench);
    double data[2] = {1.0 / 3, 0.1234567890123};
    int64_t n = 2, one = 1;
    PrintArray a = {WF_F64, 1, &n, &one, data};
    Text t;

    for (int i = 0; i < COUNT(names) && !found; i++)
        found = setlocale(LC_NUMERIC, names[i]) != NULL;
    text_init(&t, &bench.cx->scratch);
    print_numpy_str(&t, &a, NULL);
    text_char(&t, ' ');
    print_torch(&t, &a, NULL, NULL);
    setlocale(LC_NUMERIC, "C");
    CHECK_STR(text_str(&t),
              "[0.33333333 0.12345679] tensor([0.3333, 0.1235], dtype=torch.float64)");
    BENCH_CLOSE(bench);
}

TEST(a_public_array_can_be_printed)
{
    BENCH_OPEN(bench);
    int64_t n = 3;
    float data[3] = {1, 2, 3};
    wf_array *a = NULL;
    PrintArray view;
    Text t;

    REQUIRE(wf_array_from(bench.cx, WF_F32, &n, 1, data, &a) == WF_OK);
    view = print_array_of(a);
    text_init(&t, &bench.cx->scratch);
    print_torch(&t, &view, &(TorchPrint){.device = "cuda:0"}, NULL);
    CHECK_STR(text_str(&t), "tensor([1., 2., 3.], device='cuda:0')");
    wf_array_release(a);
    BENCH_CLOSE(bench);
}
