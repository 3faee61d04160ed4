/* test_text.c -- the text form: reading and printing.
 *
 *   tests/text/NAME.wir     a text, then "# expect:" and what it prints as
 *   tests/errors/NAME.wir   a mistake, then "# error:" lines with the whole diagnostic
 *   docs/ir.md              every block marked ```weft must parse
 *
 * With WEFT_BLESS=1 in the environment the expectations are rewritten: review the diff.
 * Runs in the root of the tree.
 */
#include "ir/parse.h"
#include "test.h"
#include "transform/transform.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* ---- files ----------------------------------------------------------------------- */

static char *read_file(const char *path, size_t *out_n)
{
    FILE *f = fopen(path, "rb");
    char *s = NULL;
    long n;

    if (f && fseek(f, 0, SEEK_END) == 0 && (n = ftell(f)) >= 0) {
        rewind(f);
        s = malloc((size_t)n + 1);
        *out_n = fread(s, 1, (size_t)n, f);
        s[*out_n] = '\0';
    }
    if (f)
        fclose(f);
    return s;
}

static bool blessing(void)
{
    const char *s = getenv("WEFT_BLESS");

    return s && *s == '1';
}

static void write_file(const char *path, const char *a, size_t na, const char *b)
{
    FILE *f = fopen(path, "wb");

    if (!f || fwrite(a, 1, na, f) != na || fputs(b, f) < 0)
        FAIL("%s: cannot be written", path);
    if (f)
        fclose(f);
}

static const char *base_name(const char *path)
{
    const char *s = strrchr(path, '/');

    return s ? s + 1 : path;
}

/* Runs fn on every file of the pattern; there must be some. */
static void each_file(const char *pattern, void (*fn)(const char *path))
{
    glob_t g;

    if (glob(pattern, 0, NULL, &g) != 0) {
        FAIL("no files %s (the tests run in the root of the tree)", pattern);
        return;
    }
    for (size_t i = 0; i < g.gl_pathc; i++)
        fn(g.gl_pathv[i]);
    globfree(&g);
}

/* The line that begins with mark, memmem-like; NULL if there is none. */
static char *find_line(char *s, size_t n, const char *mark)
{
    size_t len = strlen(mark);

    for (char *p = s; p && p < s + n;) {
        if ((size_t)(s + n - p) >= len && memcmp(p, mark, len) == 0)
            return p;
        p = memchr(p, '\n', (size_t)(s + n - p));
        p = p ? p + 1 : NULL;
    }
    return NULL;
}

/* ---- reading and printing, each in a protected region ---------------------------- */

typedef struct Case {
    const char *name, *text;
    size_t size;
    PrintOptions print;
    uint32_t nprograms; /* out */
    char *out;          /* out: the programs printed; malloc */
} Case;

static wf_status print_case(wf_ctx *cx, Case *c)
{
    API_ENTER(cx);
    const Program **ps;
    Text t;

    c->out = NULL;
    if (programs_parse(cx, c->name, c->text, c->size, NULL, &ps, &c->nprograms)) {
        for (uint32_t i = 0; i < c->nprograms; i++)
            program_verify(cx, ps[i]);
        text_init(&t, &cx->scratch);
        programs_print(ps, c->nprograms, &c->print, &t);
        if (!failed(cx))
            c->out = strdup(text_str(&t));
    }
    API_RETURN(cx);
}

static const char *text_of(wf_ctx *cx, const char *text)
{
    static char *last;
    Case c = {.name = "t.wir", .text = text, .size = strlen(text)};

    free(last);
    print_case(cx, &c);
    last = c.out;
    return last ? last : wf_ctx_message(cx);
}

/* What a text prints as, or the diagnostic. */
#define CHECK_PRINTS(text, printed)                                                      \
    do {                                                                                 \
        wf_ctx *cx_ = wf_ctx_new(NULL);                                                  \
        CHECK_STR(text_of(cx_, text), printed);                                          \
        wf_ctx_free(cx_);                                                                \
    } while (0)
#define CHECK_ERROR(text, part)                                                          \
    do {                                                                                 \
        wf_ctx *cx_ = wf_ctx_new(NULL);                                                  \
        CHECK_HAS(text_of(cx_, text), part);                                             \
        CHECK(wf_ctx_status(cx_) != WF_OK);                                              \
        wf_ctx_free(cx_);                                                                \
    } while (0)

static void check_golden(const char *path)
{
    size_t n;
    char *s = read_file(path, &n), *expect = find_line(s, n, "# expect:");
    Case c = {.name = base_name(path), .text = s, .print = {.header = true}};
    wf_ctx *cx = wf_ctx_new(NULL);

    c.size = expect ? (size_t)(expect - s) : n;
    print_case(cx, &c);
    if (!c.out)
        FAIL("%s", wf_ctx_message(cx));
    else if (blessing()) {
        char *all = malloc(strlen(c.out) + 16);

        sprintf(all, "# expect:\n%s", c.out);
        write_file(path, s, c.size, all);
        free(all);
    } else {
        CHECK(expect != NULL);
        CHECK_STR(c.out, expect ? expect + strlen("# expect:\n") : "");
    }
    wf_ctx_free(cx);
    free(c.out);
    free(s);
}

TEST(golden_texts_print_as_expected) { each_file("tests/text/*.wir", check_golden); }

/* ---- errors ---------------------------------------------------------------------- */

/* The diagnostic as "# error:" lines. */
static char *as_error_lines(const char *message)
{
    size_t lines = 1;
    char *out, *to;

    for (const char *s = message; *s; s++)
        lines += *s == '\n';
    out = to = malloc(strlen(message) + lines * 12 + 1);
    while (*message) {
        size_t n = strcspn(message, "\n");

        to += sprintf(to, "# error: %.*s\n", (int)n, message);
        message += n + (message[n] == '\n');
    }
    *to = '\0';
    return out;
}

static void check_error(const char *path)
{
    size_t n;
    char *s = read_file(path, &n), *expect = find_line(s, n, "# error:"), *found;
    Case c = {.name = base_name(path), .text = s};
    wf_ctx *cx = wf_ctx_new(NULL);

    c.size = expect ? (size_t)(expect - s) : n;
    print_case(cx, &c);
    CHECK(c.out == NULL);
    found = as_error_lines(wf_ctx_message(cx));
    if (blessing())
        write_file(path, s, c.size, found);
    else
        CHECK_STR(found, expect ? expect : "");
    wf_ctx_free(cx);
    free(found);
    free(c.out);
    free(s);
}

TEST(mistakes_get_the_expected_diagnostic)
{
    each_file("tests/errors/*.wir", check_error);
}

/* ---- round trips ----------------------------------------------------------------- */

static bool has_equal(const Program *p, const Program *const *qs, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (program_equal(p, qs[i]))
            return true;
    return false;
}

/* parse(print(p)) is p, and prints the same. */
static wf_status round_trip(wf_ctx *cx, const Program *const *ps, uint32_t n,
                            const PrintOptions *o, const char *what)
{
    API_ENTER(cx);
    const Program **qs;
    uint32_t nq;
    Text t, u;

    text_init(&t, &cx->scratch);
    programs_print(ps, n, o, &t);
    if (programs_parse(cx, "printed", text_str(&t), t.n, NULL, &qs, &nq)) {
        text_init(&u, &cx->scratch);
        programs_print(qs, nq, o, &u);
        if (strcmp(text_str(&t), text_str(&u)) != 0)
            FAIL("%s: printed again it differs\n--- first\n%s\n--- then\n%s", what,
                 text_str(&t), text_str(&u));
        for (uint32_t i = 0; i < n; i++)
            if (!has_equal(ps[i], qs, nq))
                FAIL("%s: program '%s' is not the same\n%s", what, ps[i]->name,
                     text_str(&t));
    } else {
        FAIL("%s: what was printed does not parse: %s\n%s", what, wf_ctx_message(cx),
             text_str(&t));
    }
    API_RETURN(cx);
}

static wf_status trip_text(wf_ctx *cx, const char *what, const char *text, size_t size)
{
    static const PrintOptions plain = {0},
                              full = {.header = true, .places = true, .types = true};

    API_ENTER(cx);
    const Program **ps;
    uint32_t n;

    if (programs_parse(cx, what, text, size, NULL, &ps, &n)) {
        for (uint32_t i = 0; i < n; i++)
            program_verify(cx, ps[i]);
        if (!failed(cx)) {
            round_trip(cx, ps, n, &plain, what);
            round_trip(cx, ps, n, &full, what);
            for (uint32_t i = 0; i < n; i++)
                round_trip(cx, ps + i, 1, &plain, what);
        }
    }
    API_RETURN(cx);
}

static void check_trip(const char *path)
{
    size_t n;
    char *s = read_file(path, &n);
    wf_ctx *cx = wf_ctx_new(NULL);

    if (trip_text(cx, path, s, n) != WF_OK)
        FAIL("%s", wf_ctx_message(cx));
    wf_ctx_free(cx);
    free(s);
}

TEST(every_program_of_the_tests_survives_printing_and_parsing)
{
    each_file("tests/ops/*.wir", check_trip);
}

static void check_trip_golden(const char *path)
{
    size_t n;
    char *s = read_file(path, &n), *expect = find_line(s, n, "# expect:");
    wf_ctx *cx = wf_ctx_new(NULL);

    if (trip_text(cx, path, s, expect ? (size_t)(expect - s) : n) != WF_OK)
        FAIL("%s", wf_ctx_message(cx));
    wf_ctx_free(cx);
    free(s);
}

TEST(golden_texts_survive_printing_and_parsing)
{
    each_file("tests/text/*.wir", check_trip_golden);
}

/* ---- what transforms make ---- */

typedef const Program *Transform(wf_ctx *cx, const Program *p);

static const Program *jvp_of(wf_ctx *cx, const Program *p)
{
    bool *in = arena_array(&cx->scratch, p->nin + 1, sizeof *in);
    bool *out = arena_array(&cx->scratch, p->nout + 1, sizeof *out);

    for (uint32_t i = 0; i < p->nin; i++)
        in[i] = dtype_is_float((wf_dtype)val_type(p, program_in(p, i)).dtype);
    return xf_jvp(cx, p, in, NULL, out);
}

static const Program *batch_of(wf_ctx *cx, const Program *p)
{
    int *in = arena_zalloc(&cx->scratch, (p->nin + 1) * sizeof *in);
    int *out = arena_array(&cx->scratch, p->nout + 1, sizeof *out);

    return xf_batch(cx, p, -1, "B", NULL, in, NULL, out);
}

static const Program *vjp_of(wf_ctx *cx, const Program *p)
{
    int *wrt = arena_array(&cx->scratch, p->nin + 1, sizeof *wrt), n = 0;

    for (uint32_t i = 0; i < p->nin; i++)
        if (dtype_is_float((wf_dtype)val_type(p, program_in(p, i)).dtype))
            wrt[n++] = (int)i;
    return xf_vjp(cx, p, wrt, n);
}

static const Program *batch_of_vjp(wf_ctx *cx, const Program *p)
{
    const Program *q = vjp_of(cx, p);

    return q ? batch_of(cx, q) : NULL;
}

static Transform *const transforms[] = {jvp_of, batch_of, vjp_of, batch_of_vjp};
static int transformed[COUNT(transforms)]; /* how many programs each was tried on */

static wf_status trip_transformed(wf_ctx *cx, const char *path, const char *text,
                                  size_t size, uint32_t i, int which, uint32_t *out_n)
{
    static const PrintOptions full = {.places = true, .types = true};

    API_ENTER(cx);
    const Program **ps, *q;

    if (programs_parse(cx, path, text, size, NULL, &ps, out_n) && i < *out_n &&
        (q = transforms[which](cx, ps[i]))) {
        const char *what = arena_printf(&cx->scratch, "%s: %s", path, q->name);

        transformed[which]++;
        if (!program_verify(cx, q))
            FAIL("%s: %s", what, wf_ctx_message(cx));
        round_trip(cx, &q, 1, &full, what);
    }
    API_RETURN(cx);
}

static void check_transformed(const char *path)
{
    size_t size;
    char *s = read_file(path, &size);

    for (int which = 0; which < COUNT(transforms); which++) {
        uint32_t n = 1;

        for (uint32_t i = 0; i < n; i++) {
            wf_ctx *cx = wf_ctx_new(NULL);

            if (trip_transformed(cx, path, s, size, i, which, &n) == WF_ERR_INTERNAL)
                FAIL("%s: program %u: %s", path, i, wf_ctx_message(cx));
            wf_ctx_free(cx);
        }
    }
    free(s);
}

TEST(programs_made_by_transforms_survive_printing_and_parsing)
{
    each_file("tests/ops/control.wir", check_transformed);
    each_file("tests/ops/index.wir", check_transformed);
    each_file("tests/ops/shape.wir", check_transformed);
    for (int i = 0; i < COUNT(transforms); i++)
        CHECK(transformed[i] > 50);
}

TEST(places_and_transforms_come_back)
{
    const char *text = "f(x: f32[]) {\n"
                       "  y = neg x @model.py:12:13\n"
                       "  z = neg y @\"a b:c\":1:2+3!grad/vmap\n"
                       "  w = neg z @src/x-1.py:7:1!\"odd via\"\n"
                       "  ret w\n"
                       "}\n";
    Case c = {
        .name = "t.wir", .text = text, .size = strlen(text), .print = {.places = true}};
    wf_ctx *cx = wf_ctx_new(NULL);

    print_case(cx, &c);
    CHECK_STR(c.out,
              "f(x: f32[]) {\n"
              "  y = neg x                             @model.py:12:13\n"
              "  z = neg y                             @\"a b:c\":1:2+3!grad/vmap\n"
              "  w = neg z                             @src/x-1.py:7:1!\"odd via\"\n"
              "  ret w\n"
              "}\n");
    wf_ctx_free(cx);
    free(c.out);
}

TEST(an_equation_without_a_place_has_that_of_its_text)
{
    const char *text = "f(x: f32[]) {\n  y = neg x # here\n  ret y\n}\n";
    Case c = {
        .name = "t.wir", .text = text, .size = strlen(text), .print = {.places = true}};
    wf_ctx *cx = wf_ctx_new(NULL);

    print_case(cx, &c);
    CHECK_HAS(c.out, "  y = neg x                             @t.wir:2:3+9\n");
    wf_ctx_free(cx);
    free(c.out);
}

/* ---- single behaviours ----------------------------------------------------------- */

TEST(lines_do_not_matter_inside_brackets)
{
    CHECK_PRINTS("f(\n x: f32[\n N,\n # c\n 3]\n) {\n y = reduce_sum x axes=[\n 0,\n "
                 "1\n]\n ret y }",
                 "f(x: f32[N,3]) {\n  y = reduce_sum x axes=[0,1]\n  ret y\n}\n");
}

TEST(carriage_returns_are_blanks)
{
    CHECK_PRINTS("weft 1\r\nf(x: f32[N]) {\r\n  ret x\r\n}\r\n",
                 "f(x: f32[N]) {\n  ret x\n}\n");
}

TEST(an_empty_text_has_no_programs)
{
    CHECK_PRINTS("", "");
    CHECK_PRINTS("# nothing\n\nweft 1\n", "");
}

TEST(a_program_may_be_named_like_an_op_or_a_keyword)
{
    CHECK_PRINTS("weft(x: f32[N]) {\n  add = add x x\n  true = neg add\n  ret true\n}\n",
                 "weft(x: f32[N]) {\n  add = add x x\n  true = neg add\n  ret true\n}\n");
}

TEST(positional_attributes_may_have_their_keys)
{
    CHECK_PRINTS("f(x: f32[4]) {\n  y = reshape x dims=[2,2]\n  ret y\n}\n",
                 "f(x: f32[4]) {\n  y = reshape x [2,2]\n  ret y\n}\n");
}

TEST(symbols_of_equations_may_stand_in_the_types_of_their_results)
{
    CHECK_PRINTS("f(x: f32[N]) {\n  k: i64[K,1] = nonzero x as=K\n  ret k\n}\n",
                 "f(x: f32[N]) {\n  k = nonzero x as=K\n  ret k\n}\n");
}

static wf_status print_odd_names(wf_ctx *cx, char **out)
{
    API_ENTER(cx);
    Builder *b = builder_new(cx, "odd f", B_VERBATIM);
    Dim n = b_symbol(b, "batch size");
    Val x = b_input(b, "%1", b_make_type(b, WF_F32, &n, 1));
    Val y = b_input(b, "\xff\n\"", b_make_type(b, WF_F32, &n, 1));
    Val z = b_add(b, x, y);
    const Program *p;
    Text t;

    b_name(b, z, "guard");
    p = builder_finish(b, &z, 1);
    if (p) {
        static const PrintOptions plain = {0};

        round_trip(cx, &p, 1, &plain, "odd names");
        text_init(&t, &cx->scratch);
        program_print(p, NULL, &t);
        *out = strdup(text_str(&t));
    }
    API_RETURN(cx);
}

TEST(names_that_are_no_identifiers_are_quoted)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    char *out = NULL;

    print_odd_names(cx, &out);
    CHECK_STR(
        out,
        "\"odd f\"(%1: f32[\"batch size\"], \"\\xff\\n\\\"\": f32[\"batch size\"]) {\n"
        "  \"guard\" = add %1 \"\\xff\\n\\\"\"\n"
        "  ret \"guard\"\n"
        "}\n");
    wf_ctx_free(cx);
    free(out);
}

/* ---- random sizes: the canonical form is that of the printed text too ---- */

static char *random_dim(char *to, int depth)
{
    static const char *const symbols[] = {"N", "M", "K", "P", "Q"};
    uint64_t kind = depth ? test_random_below(9) : test_random_below(2);
    static const char *const infix[] = {"+", "-", "*", "+", "-"};

    if (kind == 0)
        return to + sprintf(to, "%d", (int)test_random_below(9));
    if (kind == 1)
        return to + sprintf(to, "%s", symbols[test_random_below(5)]);
    if (kind < 6) {
        to = random_dim(to + sprintf(to, "("), depth - 1);
        to = random_dim(to + sprintf(to, "%s", infix[kind - 2]), depth - 1);
        return to + sprintf(to, ")");
    }
    if (kind == 6) {
        to = random_dim(to + sprintf(to, "floor("), depth - 1);
        return to + sprintf(to, "/%d)", (int)test_random_below(5) + 1);
    }
    to = random_dim(to + sprintf(to, kind == 7 ? "min(" : "max("), depth - 1);
    to = random_dim(to + sprintf(to, ","), depth - 1);
    return to + sprintf(to, ")");
}

TEST(random_sizes_survive_printing_and_parsing)
{
    char *s = malloc(1 << 20);
    int parsed = 0;

    for (int turn = 0; turn < 2000; turn++) {
        char *to = s + sprintf(s, "f[%s](a: f32[", turn % 2 ? "Q,K" : "K,Q");

        to = random_dim(to, 2);
        to = random_dim(to + sprintf(to, "], b: f32["), 2);
        to += sprintf(to, "], c: f32[P,M], d: f32[N]) {\n");
        if (turn % 3 == 0)
            to += sprintf(to, "  guard %s\n", turn % 2 ? "N % 4 == 0" : "M >= N+1");
        for (int i = 0; i < 4; i++)
            to = random_dim(to + sprintf(to, "  v%d = dim ", i), 4),
            to += sprintf(to, "\n");
        sprintf(to, "  ret a\n}\n");

        wf_ctx *cx = wf_ctx_new(NULL);
        parsed += trip_text(cx, "dims", s, strlen(s)) == WF_OK;
        if (wf_ctx_status(cx) == WF_ERR_INTERNAL)
            FAIL("%s\n%s", wf_ctx_message(cx), s);
        wf_ctx_free(cx);
    }
    CHECK(parsed > 500);
    free(s);
}

/* ---- names of sub-programs ---- */

static const Program *make_unary(wf_ctx *cx, const char *name, OpCode op)
{
    Builder *b = builder_new(cx, name, B_VERBATIM);
    Val x = b_input(b, "x", b_make_type(b, WF_F32, NULL, 0));
    Val y = b_eqn1(b, op, &x, 1, NULL);

    return builder_finish(b, &y, 1);
}

static wf_status print_many_subs(wf_ctx *cx, char **out)
{
    static const OpCode ops[] = {OP_neg, OP_exp, OP_neg, OP_sin};

    API_ENTER(cx);
    Builder *b = builder_new(cx, "f", B_VERBATIM);
    Val x = b_input(b, "x", b_make_type(b, WF_F32, NULL, 0));
    const Program *p;
    Text t;

    for (int i = 0; i < COUNT(ops); i++) {
        Sub s = {make_unary(cx, "f", ops[i]), {0, NULL}};
        uint32_t n;

        x = b_call(b, &s, &x, 1, &n)[0];
    }
    p = builder_finish(b, &x, 1);
    if (p) {
        static const PrintOptions plain = {0};

        round_trip(cx, &p, 1, &plain, "subs");
        text_init(&t, &cx->scratch);
        program_print(p, NULL, &t);
        *out = strdup(text_str(&t));
    }
    API_RETURN(cx);
}

TEST(sub_programs_print_once_under_unique_names)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    char *out = NULL;

    print_many_subs(cx, &out);
    CHECK_STR(wf_ctx_message(cx), "");
    CHECK_STR(out, "f_1(x: f32[]) {\n  %2 = neg x\n  ret %2\n}\n\n"
                   "f_2(x: f32[]) {\n  %2 = exp x\n  ret %2\n}\n\n"
                   "f_3(x: f32[]) {\n  %2 = sin x\n  ret %2\n}\n\n"
                   "f(x: f32[]) {\n"
                   "  %2 = call x body=f_1\n"
                   "  %3 = call %2 body=f_2\n"
                   "  %4 = call %3 body=f_1\n"
                   "  %5 = call %4 body=f_3\n"
                   "  ret %5\n"
                   "}\n");
    free(out);
    wf_ctx_free(cx);
}

/* ---- documentation --------------------------------------------------------------- */

TEST(every_example_of_the_documentation_parses)
{
    size_t n;
    char *s = read_file("docs/ir.md", &n), *at = s;
    int blocks = 0;

    REQUIRE(s != NULL);
    while ((at = strstr(at, "```weft\n"))) {
        char *end = strstr(at += strlen("```weft\n"), "```");
        wf_ctx *cx = wf_ctx_new(NULL);

        if (!end || trip_text(cx, "docs/ir.md", at, (size_t)(end - at)) != WF_OK)
            FAIL("block %d: %s\n%.*s", blocks, wf_ctx_message(cx),
                 end ? (int)(end - at) : 0, at);
        wf_ctx_free(cx);
        blocks++;
    }
    CHECK(blocks >= 8);
    free(s);
}

/* ---- hostile texts --------------------------------------------------------------- */

/* Never crashes; what parses also verifies and survives printing. Returns whether it parses. */
static bool survive(const char *text, size_t size)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    wf_status status = trip_text(cx, "hostile", text, size);

    if (status == WF_ERR_INTERNAL)
        FAIL("%s\n%.*s", wf_ctx_message(cx), (int)size, text);
    if (status != WF_OK && wf_ctx_message(cx)[0] == '\0')
        FAIL("an error without a message");
    wf_ctx_free(cx);
    return status == WF_OK;
}

static char *all_texts(size_t *out_n)
{
    static const char *const paths[] = {"tests/text/basics.wir", "tests/text/symbols.wir",
                                        "tests/text/subs.wir",
                                        "tests/text/constants.wir"};
    char *all = malloc(1), *expect;
    size_t n = 0, k;

    for (int i = 0; i < COUNT(paths); i++) {
        char *s = read_file(paths[i], &k);

        if (!s) {
            FAIL("%s is missing", paths[i]);
            continue;
        }
        expect = find_line(s, k, "# expect:");
        k = expect ? (size_t)(expect - s) : k;
        all = realloc(all, n + k + 1);
        memcpy(all + n, s, k);
        n += k;
        free(s);
        if (i == 0) { /* the version line may stand only at the beginning */
            char *line = find_line(all, n, "weft 1\n");

            memset(line, ' ', 6);
        }
    }
    *out_n = n;
    return all;
}

TEST(a_text_cut_anywhere_is_an_error_or_a_program)
{
    size_t n;
    char *all = all_texts(&n);

    for (size_t i = 0; i < n; i++) {
        char *cut = malloc(i + 1); /* of its exact size, for the address sanitizer */

        memcpy(cut, all, i);
        survive(cut, i);
        free(cut);
    }
    CHECK(survive(all, n));
    free(all);
}

TEST(random_changes_of_bytes_never_crash)
{
    static const char bytes[] = "()[]{}=:,+-*/%@!#\"\\ \n0123456789abcNKxy_.\xc3\xa9\xff";
    size_t n;
    char *all = all_texts(&n), *s = malloc(n + 1);
    int parsed = 0;

    for (int turn = 0; turn < 3000; turn++) {
        size_t from = test_random_below(n), len = test_random_below(600);

        len = MIN(len, n - from);
        memcpy(s, all + from, len);
        for (uint64_t k = test_random_below(4); k > 0 && len > 0; k--) {
            size_t at = test_random_below(len);

            if (test_random_below(3) == 0)
                memmove(s + at, s + at + 1, --len - at);
            else
                s[at] = bytes[test_random_below(sizeof bytes - 1)];
        }
        parsed += survive(s, len);
    }
    for (int turn = 0; turn < 600; turn++) { /* the whole, one byte changed */
        memcpy(s, all, n);
        s[test_random_below(n)] = bytes[test_random_below(sizeof bytes - 1)];
        parsed += survive(s, n);
    }
    CHECK(parsed > 50); /* the harmless ones: else nothing but errors was tested */
    free(s);
    free(all);
}

static char *repeat(const char *head, const char *unit, int n, const char *tail)
{
    size_t len = strlen(unit);
    char *s = malloc(strlen(head) + len * (size_t)n + strlen(tail) + 1), *to = s;

    to = stpcpy(to, head);
    for (int i = 0; i < n; i++)
        to = stpcpy(to, unit);
    strcpy(to, tail);
    return s;
}

static void check_quick_limit(const char *what, char *text, wf_status status)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    clock_t start = clock(); /* of the processor: the machine may have more to do */
    Case c = {.name = "t.wir", .text = text, .size = strlen(text)};

    if (print_case(cx, &c) != status)
        FAIL("%s: status %d, needed %d: %s", what, wf_ctx_status(cx), status,
             wf_ctx_message(cx));
    if (clock() - start > 2 * CLOCKS_PER_SEC)
        FAIL("%s: took %d s", what, (int)((clock() - start) / CLOCKS_PER_SEC));
    free(c.out);
    free(text);
    wf_ctx_free(cx);
}

TEST(hostile_sizes_get_an_error_quickly)
{
    check_quick_limit("parens",
                      repeat("f(x: f32[N]) {\n y = dim ", "(", 100000, "N\n ret y\n}"),
                      WF_ERR_LIMIT);
    check_quick_limit("signs",
                      repeat("f(x: f32[N]) {\n y = dim ", "-", 100000, "N\n ret y\n}"),
                      WF_ERR_LIMIT);
    check_quick_limit("calls",
                      repeat("f(x: f32[N]) {\n y = dim ", "min(1,", 100000, "N\n}"),
                      WF_ERR_LIMIT);
    check_quick_limit("lists", repeat("f() {\n y = const f32[1] ", "[", 100000, "1\n}"),
                      WF_ERR_LIMIT);
    check_quick_limit("rank", repeat("f(x: f32[1", ",1", 10000, "]) {\n ret x\n}"),
                      WF_ERR_LIMIT);
    check_quick_limit("brackets", repeat("f(x: f32", "[", 100000, "1\n}"), WF_ERR_SYNTAX);
    check_quick_limit("braces", repeat("", "f(){", 100000, ""), WF_ERR_NAME);
    check_quick_limit(
        "attribute lists",
        repeat("f(x: f32[3]) {\n y = reduce_sum x axes=", "[", 100000, "\n}"),
        WF_ERR_SYNTAX);
    check_quick_limit(
        "elements",
        repeat("f() {\n c = const f64[1000000000,1000] [1", ",1", 1000, "]\n ret c\n}"),
        WF_ERR_SHAPE);
    check_quick_limit("sum",
                      repeat("f(x: f32[N]) {\n y = dim N*N", "*N", 100000, "\n ret y\n}"),
                      WF_ERR_LIMIT);
    check_quick_limit("name", repeat("f(x", "x", 1000000, ": f32[]) {\n ret y\n}"),
                      WF_ERR_NAME);
    check_quick_limit("results", repeat("f(x: f32[]) {\n a", ",b", 100000, " = neg x\n}"),
                      WF_ERR_SYNTAX);
}

TEST(programs_nested_as_deep_as_allowed_are_read)
{
    char *s = malloc(100000), *to = s;
    wf_ctx *cx = wf_ctx_new(NULL);

    for (int i = 0; i < MAX_NESTING - 1; i++)
        to += sprintf(to, "f%d(x: f32[N]) {\n  y = call x body=f%d\n  ret y\n}\n", i,
                      i + 1);
    sprintf(to, "f%d(x: f32[N]) {\n  ret x\n}\n", MAX_NESTING - 1);
    CHECK_EQ_INT(trip_text(cx, "deep", s, strlen(s)), WF_OK);
    CHECK_STR(wf_ctx_message(cx), "");
    wf_ctx_free(cx);
    free(s);
}

/* ---- speed ----------------------------------------------------------------------- */

static char *straight_line(int n)
{
    char *s = malloc((size_t)n * 40 + 200), *to = s;

    to += sprintf(to, "f(v0: f32[N,8]) {\n");
    for (int i = 1; i <= n; i++)
        to += i % 2 ? sprintf(to, "  v%d = tanh v%d\n", i, i - 1)
                    : sprintf(to, "  v%d = add v%d v%d\n", i, i - 1, i - 2);
    sprintf(to, "  ret v%d\n}\n", n);
    return s;
}

static double trip_seconds(int n)
{
    char *s = straight_line(n);
    wf_ctx *cx = wf_ctx_new(NULL);
    Case c = {.name = "t.wir", .text = s, .size = strlen(s)};
    double start = clock_seconds();

    if (print_case(cx, &c) != WF_OK)
        FAIL("%s", wf_ctx_message(cx));
    else
        CHECK_STR(c.out, s);
    start = clock_seconds() - start;
    free(c.out);
    free(s);
    wf_ctx_free(cx);
    return start;
}

TEST(long_programs_take_linear_time)
{
    double small = trip_seconds(20000), large = trip_seconds(200000);

    CHECK(large < 40 * small + 1);
    CHECK(large < 20);
}

TEST(a_million_elements_are_read_and_printed)
{
    char *s =
        repeat("f() {\n  c = const f32[1000000] [0.1", ",2.5", 999999, "]\n  ret c\n}\n");
    wf_ctx *cx = wf_ctx_new(NULL);
    Case c = {.name = "t.wir", .text = s, .size = strlen(s)};

    CHECK_EQ_INT(print_case(cx, &c), WF_OK);
    CHECK(c.out && strlen(c.out) > 4000000);
    c.print.max_const = 3;
    free(c.out);
    CHECK_EQ_INT(print_case(cx, &c), WF_OK);
    CHECK_STR(c.out,
              "f() {\n  c = const f32[1000000] [\n    0.1, 2.5, 2.5, ...]\n  ret c\n}\n");
    free(c.out);
    free(s);
    wf_ctx_free(cx);
}

/* ---- memory runs out ------------------------------------------------------------- */

static void run_out(wf_allocator al, void *user)
{
    wf_options o = {.size = sizeof o, .allocator = al};
    wf_ctx *cx = wf_ctx_new(&o);
    const char *text = user;
    Case c = {.name = "t.wir", .text = text, .size = strlen(text)};
    wf_status status;

    if (!cx)
        return;
    status = print_case(cx, &c);
    if (status != WF_OK && status != WF_ERR_MEMORY)
        FAIL("status %d: %s", status, wf_ctx_message(cx));
    if ((status == WF_OK) != (c.out != NULL))
        FAIL("a result without success");
    free(c.out);
    wf_ctx_free(cx);
}

TEST(memory_that_runs_out_anywhere_is_an_error_without_a_leak)
{
    size_t n;
    char *s = all_texts(&n);

    s[n] = '\0';
    CHECK(fault_each(run_out, s) > 20);
    free(s);
}

static void run_out_in_an_error(wf_allocator al, void *user)
{
    wf_options o = {.size = sizeof o, .allocator = al};
    wf_ctx *cx = wf_ctx_new(&o);
    Case c = {.name = "t.wir", .text = user, .size = strlen(user)};

    if (!cx)
        return;
    CHECK(print_case(cx, &c) != WF_OK);
    CHECK(wf_ctx_message(cx)[0] != '\0');
    wf_ctx_free(cx);
}

TEST(memory_that_runs_out_while_an_error_is_told_is_no_crash)
{
    char text[] = "f(x: f32[N]) {\n  y = tahn x\n  ret y\n}\n";

    CHECK(fault_each(run_out_in_an_error, text) > 5);
}
