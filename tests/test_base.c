/* test_base.c -- memory, text, interning, hashing, errors and their looks, the context,
 * the machine. */
#include "test.h"

#include "base/base.h"

#include <stdio.h>
#include <math.h>
#include <stdlib.h>

/* ---- arena ------------------------------------------------------------------------- */

TEST(arena_gives_aligned_memory_that_does_not_overlap)
{
    FaultAlloc f = {0};
    wf_allocator al = fault_allocator(&f);
    unsigned char *p[500];
    size_t n[500];
    Arena a;

    arena_init(&a, &al, NULL);
    for (int i = 0; i < 500; i++) {
        n[i] = test_random_below(i % 50 == 0 ? 100000 : 100);
        p[i] = arena_alloc(&a, n[i]);
        REQUIRE(p[i] != NULL);
        CHECK_EQ_INT((uintptr_t)p[i] % 16, 0);
        memset(p[i], i & 255, n[i]);
    }
    for (int i = 0; i < 500; i++)
        for (size_t k = 0; k < n[i]; k++)
            if (p[i][k] != (i & 255)) {
                FAIL("block %d was written over", i);
                break;
            }
    CHECK(a.total == (size_t)f.live_bytes);
    CHECK(arena_alloc(&a, 0) != arena_alloc(&a, 0));
    arena_free(&a);
    CHECK_EQ_INT(f.live_bytes, 0);
    CHECK(arena_alloc(&a, 10) != NULL); /* can be used again */
    arena_free(&a);
    CHECK_EQ_INT(f.live_bytes + f.misuses, 0);
}

TEST(arena_reset_frees_what_came_after_the_mark)
{
    FaultAlloc f = {0};
    wf_allocator al = fault_allocator(&f);
    ArenaMark empty, mark;
    char *s, *after;
    Arena a;

    arena_init(&a, &al, NULL);
    empty = arena_mark(&a);
    s = arena_strdup(&a, "stays");
    mark = arena_mark(&a);
    after = arena_alloc(&a, 32);
    for (int i = 0; i < 100; i++)
        arena_alloc(&a, 5000);
    arena_reset(&a, mark);
    CHECK_EQ_INT(f.live_blocks, 1);
    CHECK_STR(s, "stays");
    CHECK(arena_alloc(&a, 32) == after);
    arena_alloc(&a, 50000);
    arena_clear(&a);
    CHECK_EQ_INT(f.live_blocks, 1);
    CHECK(arena_alloc(&a, 6) == s);
    arena_reset(&a, empty);
    CHECK_EQ_INT(f.live_bytes, 0);
}

TEST(arena_without_a_context_returns_null_when_memory_is_exhausted)
{
    FaultAlloc f = {.fail_at = 1};
    wf_allocator al = fault_allocator(&f);
    Arena a;

    arena_init(&a, &al, NULL);
    CHECK(arena_alloc(&a, 100) == NULL);
    CHECK(arena_alloc(&a, SIZE_MAX) == NULL);
    CHECK(arena_alloc(&a, SIZE_MAX - 20) == NULL);
    CHECK(arena_array(&a, SIZE_MAX / 2, 3) == NULL);
    CHECK(arena_zalloc(&a, SIZE_MAX / 2 + 5) == NULL);
    f.fail_at = 0;
    CHECK_STR(arena_printf(&a, "%s-%d", "x", 7), "x-7");
    CHECK_EQ_INT(strlen(arena_printf(&a, "%1000d", 7)), 1000);
    arena_free(&a);
    CHECK_EQ_INT(f.live_bytes, 0);
}

TEST(arena_outside_a_region_records_the_error_and_returns_null)
{
    FaultAlloc f = {0};
    wf_options o = {.size = sizeof o, .allocator = fault_allocator(&f)};
    wf_ctx *cx = wf_ctx_new(&o);

    CHECK(arena_alloc(&cx->scratch, SIZE_MAX - 100) == NULL);
    CHECK_EQ_INT(wf_ctx_status(cx), WF_ERR_MEMORY);
    CHECK_STR(wf_ctx_message(cx), "out of memory");
    wf_ctx_free(cx);
    CHECK_EQ_INT(f.live_bytes, 0);
}

TEST(vectors_grow_in_place_when_they_are_newest_and_move_when_not)
{
    VEC(int) x = {0}, y = {0};
    FaultAlloc f = {0};
    wf_allocator al = fault_allocator(&f);
    uint32_t cap = 4;
    int *old, *p;
    Arena a;

    arena_init(&a, &al, NULL);
    vec_push(&a, &x, 0);
    old = x.v;
    for (int i = 1; i < 200; i++)
        vec_push(&a, &x, i);
    CHECK(x.v == old);
    for (int i = 0; i < 5000; i++) {
        vec_push(&a, &x, 200 + i);
        vec_push(&a, &y, -i);
    }
    p = vec_extend(&a, &y, 1000);
    CHECK(p == y.v + 5000 && y.n == 6000 && y.cap >= 6000);
    for (int i = 0; i < 1000; i++)
        p[i] = -5000 - i;
    for (int i = 0; i < 5200; i++)
        CHECK_EQ_INT(x.v[i], i);
    for (int i = 0; i < 6000; i++)
        CHECK_EQ_INT(y.v[i], -i);
    CHECK(vec_grow(&a, y.v, UINT32_MAX - 3, &cap, 8, 4) == NULL); /* too many */
    CHECK_EQ_INT(cap, 4);
    arena_free(&a);
    CHECK_EQ_INT(f.live_bytes, 0);
}

/* ---- text -------------------------------------------------------------------------- */

TEST(text_grows_and_pads_by_characters)
{
    Arena a;
    Text t;

    arena_init(&a, &alloc_default, NULL);
    text_init(&t, &a);
    CHECK_STR(text_str(&t), "");
    text_add(&t, "first\nh\xc3\xa9");
    text_pad(&t, 5);
    text_char(&t, '|');
    text_pad(&t, 3); /* already past it */
    text_int(&t, INT64_MIN);
    text_printf(&t, " %s %d", "and", 5);
    CHECK_STR(text_str(&t), "first\nh\xc3\xa9   |-9223372036854775808 and 5");
    text_init(&t, &a);
    text_pad(&t, 200);
    CHECK_EQ_INT(t.n, 200);
    for (int i = 0; i < 3000; i++)
        text_printf(&t, "%d,", i % 10);
    text_printf(&t, "%5000d", 1);
    CHECK_EQ_INT(t.n, 200 + 6000 + 5000);
    CHECK_EQ_INT(strlen(text_str(&t)), t.n);
    CHECK(memcmp(t.s + 198, "  0,1,2,", 8) == 0);
    arena_free(&a);
}

TEST(text_that_cannot_grow_keeps_what_it_had_and_says_so)
{
    FaultAlloc f = {.fail_at = 3, .and_after = true};
    wf_allocator al = fault_allocator(&f);
    Arena a;
    Text t;

    arena_init(&a, &al, NULL);
    text_init(&t, &a);
    text_add(&t, "kept");
    for (int i = 0; i < 100000 && t.a; i++)
        text_printf(&t, " %d", i);
    CHECK(t.a == NULL);
    CHECK_EQ_INT(strlen(text_str(&t)), t.n);
    CHECK(strncmp(t.s, "kept 0 1 2", 10) == 0);
    text_pad(&t, 1 << 20);
    text_quoted(&t, "x", 1);
    arena_free(&a);
    CHECK_EQ_INT(f.live_bytes, 0);
}

TEST(quoted_text_keeps_valid_utf8_and_escapes_the_rest)
{
    static const char in[] =
        "a\n\t\\\"\0\x7f\xc3\xa9\xff\xc0\x80\xed\xa0\x80\xf0\x9f\x98\x80\xf4\x90"
        "\x80\x80\xe2\x82";
    Arena a;
    Text t;

    arena_init(&a, &alloc_default, NULL);
    text_init(&t, &a);
    text_quoted(&t, in, sizeof in - 1);
    CHECK_STR(text_str(&t),
              "\"a\\n\\t\\\\\\\"\\x00\\x7f\xc3\xa9\\xff\\xc0\\x80\\xed\\xa0\\x80"
              "\xf0\x9f\x98\x80\\xf4\\x90\\x80\\x80\\xe2\\x82\"");
    arena_free(&a);
}

TEST(interned_strings_are_equal_exactly_when_their_pointers_are)
{
    const char *p[3000];
    char s[32];
    Interner in;
    Arena a;

    arena_init(&a, &alloc_default, NULL);
    intern_init(&in, &a);
    for (int i = 0; i < 3000; i++) {
        snprintf(s, sizeof s, "name%d", i);
        p[i] = intern_name(&in, s);
    }
    CHECK_EQ_INT(in.n, 3000);
    for (int i = 0; i < 3000; i++) {
        snprintf(s, sizeof s, "name%d tail", i);
        CHECK(intern_n(&in, s, strcspn(s, " ")) == p[i]);
    }
    CHECK_EQ_INT(in.n, 3000);
    CHECK(intern_name(&in, "") == intern_n(&in, "x", 0));
    CHECK(intern_n(&in, "a\0b", 3) != intern_n(&in, "a\0c", 3));
    CHECK(intern_n(&in, "a\0b", 3) != intern_name(&in, "a"));
    CHECK_STR(intern_name(&in, "name7"), "name7");
    arena_free(&a);
}

/* ---- hash -------------------------------------------------------------------------- */

static Hash hash_of(const void *p, size_t n, uint64_t seed)
{
    Hasher h;

    hash_init(&h, seed);
    hash_bytes(&h, p, n);
    return hash_done(&h);
}

TEST(hash_has_the_published_values)
{
    const char *fox = "The quick brown fox jumps over the lazy dog";
    Hash e = hash_of("", 0, 0), h = hash_of("hello", 5, 0),
         f = hash_of(fox, strlen(fox), 0);

    CHECK(e.lo == 0 && e.hi == 0);
    CHECK(h.lo == 0xcbd8a7b341bd9b02u && h.hi == 0x5b1e906a48ae1d19u);
    CHECK(f.lo == 0xe34bbc7bbc071b6cu && f.hi == 0x7a433ca9c49a9347u);
}

TEST(hash_does_not_depend_on_how_the_bytes_are_cut)
{
    uint8_t buf[200];
    Hasher h;

    for (int i = 0; i < 200; i++)
        buf[i] = (uint8_t)test_random();
    for (int round = 0; round < 2000; round++) {
        size_t n = test_random_below(200), at = 0, k;

        hash_init(&h, 7);
        while (at < n) {
            k = test_random_below(MIN(n - at, 40) + 1);
            if (k >= 8 && (k & 1)) {
                uint64_t v = 0;

                for (int b = 0; b < 8; b++)
                    v |= (uint64_t)buf[at + (size_t)b] << 8 * b;
                hash_u64(&h, v);
                k = 8;
            } else {
                hash_bytes(&h, buf + at, k);
            }
            (void)hash_done(&h); /* looking does not disturb */
            at += k;
        }
        CHECK(hash_eq(hash_done(&h), hash_of(buf, n, 7)));
    }
}

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

TEST(hash_spreads_every_bit_and_does_not_collide)
{
    enum { N = 50000 };
    uint64_t *lo = malloc(N * sizeof *lo);
    uint8_t buf[24] = {0};
    long flips = 0;

    for (uint64_t i = 0; i < N; i++) {
        memcpy(buf, &i, 8);
        lo[i] = hash_of(buf, 8 + (size_t)(i % 17), 0).lo;
    }
    qsort(lo, N, sizeof *lo, compare_u64);
    for (int i = 1; i < N; i++)
        CHECK(lo[i] != lo[i - 1]);
    free(lo);
    for (int bit = 0; bit < 192; bit++) {
        memset(buf, 0, sizeof buf);
        Hash x = hash_of(buf, sizeof buf, 0);
        buf[bit / 8] = (uint8_t)(1 << bit % 8);
        Hash y = hash_of(buf, sizeof buf, 0);
        int n = __builtin_popcountll(x.lo ^ y.lo) + __builtin_popcountll(x.hi ^ y.hi);

        CHECK(n > 32 && n < 96);
        flips += n;
    }
    CHECK_NEAR((double)flips / 192, 64, 3);
}

/* ---- checked arithmetic ------------------------------------------------------------ */

TEST(checked_arithmetic_refuses_overflow_and_floors)
{
    int64_t r = 5;

    CHECK(!mul_i64(INT64_MAX, 2, &r) && r == 5);
    CHECK(!add_i64(INT64_MIN, -1, &r) && r == 5);
    CHECK(mul_i64(-3, 4, &r) && r == -12);
    CHECK(add_i64(INT64_MAX, INT64_MIN, &r) && r == -1);
    CHECK_EQ_INT(floordiv_i64(-7, 2), -4);
    CHECK_EQ_INT(floordiv_i64(7, 2), 3);
    CHECK_EQ_INT(floordiv_i64(-8, 2), -4);
    CHECK_EQ_INT(floordiv_i64(INT64_MIN, 3), INT64_MIN / 3 - 1);
}

/* ---- errors ------------------------------------------------------------------------ */

static const char model_py[] = "import torch\n"
                               "\n"
                               "def forward(x):\n"
                               "    h = x.reshape(32, 700)\n"
                               "\th =\tx\t+ y\n"
                               "    \xc3\xa9t\xc3\xa9 = x + \xe6\x95\xb0 + z\n"
                               "bad \x01\xff byte\r\n"
                               "last";

static wf_ctx *context(void)
{
    wf_ctx *cx = wf_ctx_new(NULL);

    ctx_add_source(cx, "model.py", model_py, sizeof model_py - 1);
    return cx;
}

#define AT(line_, col_, len_) ((Place){"model.py", line_, col_, len_, NULL})

TEST(an_error_shows_place_kind_message_line_caret_and_notes)
{
    wf_ctx *cx = context();

    CHECK_STR(wf_ctx_message(cx), "");
    CHECK(!fail(cx, WF_ERR_SHAPE, AT(4, 9, 18),
                "reshape: f32[32,28,28] has %d elements, but [32,700] needs %d", 25088,
                22400));
    CHECK(!fail_note(cx, AT(31, 12, 0), "in call to '%s'", "forward"));
    CHECK_EQ_INT(wf_ctx_status(cx), WF_ERR_SHAPE);
    CHECK_STR(wf_ctx_message(cx), "model.py:4:9: shape error: reshape: f32[32,28,28] has "
                                  "25088 elements, but [32,700] "
                                  "needs 22400\n"
                                  "    h = x.reshape(32, 700)\n"
                                  "        ^~~~~~~~~~~~~~~~~~\n"
                                  "model.py:31:12: note: in call to 'forward'");
    fail_note(cx, NOWHERE, "more");
    CHECK_HAS(wf_ctx_message(cx), "'forward'\nnote: more");
    wf_ctx_free(cx);
}

TEST(the_first_error_stays_until_it_is_cleared)
{
    wf_ctx *cx = context();

    fail_note(cx, NOWHERE, "of nothing");
    CHECK_STR(wf_ctx_message(cx), "");
    fail(cx, WF_ERR_TYPE, NOWHERE, "first");
    fail(cx, WF_ERR_NAME, NOWHERE, "second");
    fail_memory(cx);
    CHECK_STR(wf_ctx_message(cx), "type error: first");
    wf_cancel(cx); /* with no call in progress it does nothing */
    CHECK(!cancelled(cx));
    REQUIRE(ctx_call_begin(cx));
    wf_cancel(cx);
    CHECK(cancelled(cx));
    wf_clear(cx);
    CHECK(!cancelled(cx));
    wf_cancel(cx);
    ctx_call_end(cx);
    REQUIRE(ctx_call_begin(cx)); /* nor is the next call stopped by one that came too late */
    CHECK(!cancelled(cx));
    ctx_call_end(cx);
    CHECK_EQ_INT(wf_ctx_status(cx), WF_OK);
    CHECK(!cancelled(cx));
    CHECK_STR(wf_ctx_message(cx), "");
    fail(cx, WF_ERR_NAME, NOWHERE, "second");
    CHECK_STR(wf_ctx_message(cx), "name error: second");
    wf_ctx_free(cx);
}

TEST(texts_and_file_names_of_errors_are_copied)
{
    wf_ctx *cx = context();
    char file[] = "model.py", word[] = "word", via[] = "grad";

    fail(cx, WF_ERR_NAME, (Place){file, 8, 1, 0, via}, "%s", word);
    memset(file, 'x', 8);
    memset(word, 'x', 4);
    memset(via, 'x', 4);
    CHECK_STR(wf_ctx_message(cx),
              "model.py:8:1: name error: word\n    last\n    ^\n"
              "model.py:8:1: note: in code derived from this line by grad");
    wf_ctx_free(cx);
}

static const char *message_at(wf_ctx *cx, Place p)
{
    wf_clear(cx);
    fail(cx, WF_ERR_SYNTAX, p, "m");
    return wf_ctx_message(cx);
}

TEST(names_in_errors_do_not_reach_the_terminal_as_commands)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    static const char name[] = "m\x1b]0;title\a.onnx";
    Place p = {.file = name, .line = 2};

    fail(cx, WF_ERR_FORMAT, p, "no op \"\x1b[2Jclear\x9b\"\nbut \xc3\xa9");
    CHECK_STR(wf_ctx_message(cx), "m?]0;title?.onnx:2: format error: no op \"?[2Jclear?\"\nbut \xc3\xa9");
    wf_ctx_free(cx);
}

TEST(carets_count_characters_repeat_tabs_and_stay_in_the_line)
{
    wf_ctx *cx = context();
    Place via = {"model.py", 0, 0, 0, "vmap/jvp"};

    CHECK_STR(message_at(cx, AT(5, 6, 5)),
              "model.py:5:6: syntax error: m\n    h =\tx\t+ y\n       \t^~~~~");
    CHECK_STR(
        message_at(cx, AT(6, 17, 3)),
        "model.py:6:17: syntax error: m\n    \xc3\xa9t\xc3\xa9 = x + \xe6\x95\xb0 + z\n"
        "              ^");
    CHECK_STR(
        message_at(cx, AT(6, 13, 9)),
        "model.py:6:13: syntax error: m\n    \xc3\xa9t\xc3\xa9 = x + \xe6\x95\xb0 + z\n"
        "          ^~~~~~~");
    CHECK_STR(message_at(cx, AT(4, 2, 1)), /* in the indentation */
              "model.py:4:2: syntax error: m\n       h = x.reshape(32, 700)\n    ^");
    CHECK_STR(message_at(cx, AT(7, 5, 4)),
              "model.py:7:5: syntax error: m\n    bad ?? byte\n        ^~~~");
    CHECK_STR(message_at(cx, AT(8, 3, 99)),
              "model.py:8:3: syntax error: m\n    last\n      ^~");
    CHECK_STR(message_at(cx, AT(8, 99, 3)),
              "model.py:8:99: syntax error: m\n    last\n        ^");
    CHECK_STR(message_at(cx, AT(2, 1, 0)), "model.py:2:1: syntax error: m\n    \n    ^");
    CHECK_STR(message_at(cx, AT(9, 1, 0)), "model.py:9:1: syntax error: m");
    CHECK_STR(message_at(cx, AT(UINT32_MAX, UINT32_MAX, UINT32_MAX)),
              "model.py:4294967295:4294967295: syntax error: m");
    CHECK_STR(message_at(cx, AT(8, UINT32_MAX, UINT32_MAX)),
              "model.py:8:4294967295: syntax error: m\n    last\n        ^");
    CHECK_STR(message_at(cx, AT(8, 0, 0)), "model.py:8: syntax error: m\n    last");
    CHECK_STR(message_at(cx, (Place){"other.py", 3, 4, 1, NULL}),
              "other.py:3:4: syntax error: m");
    CHECK_STR(message_at(cx, (Place){NULL, 3, 4, 1, NULL}),
              "<text>:3:4: syntax error: m");
    CHECK_STR(message_at(cx, via),
              "model.py: syntax error: m\nmodel.py: note: in code derived by vmap/jvp");
    wf_ctx_free(cx);
}

/* The message's second and third line. */
static void split_message(const char *m, char *line, char *caret, size_t size)
{
    const char *a = strchr(m, '\n'), *b = a ? strchr(a + 1, '\n') : NULL;

    line[0] = caret[0] = '\0';
    if (b) {
        snprintf(line, size, "%.*s", (int)(b - a - 1), a + 1);
        snprintf(caret, size, "%s", b + 1);
    }
}

TEST(a_long_line_is_cut_around_the_caret)
{
    wf_ctx *cx = context();
    char text[1001], line[2000], caret[2000];

    for (int i = 0; i < 1000; i++)
        text[i] = (char)('a' + i % 26);
    text[1000] = '\0';
    ctx_add_source(cx, "long", text, 1000);
    for (uint32_t col = 1; col <= 1001; col++) {
        split_message(message_at(cx, (Place){"long", 1, col, 200, NULL}), line, caret,
                      sizeof line);
        size_t at = strcspn(caret, "^");

        CHECK_EQ_INT(strlen(line), 4 + 120);
        CHECK(strlen(caret) <= 4 + 120 + 1);
        if (col <= 1000 && (caret[at] != '^' || line[at] != text[col - 1]))
            FAIL("column %u: caret under '%c', needed '%c'", col, line[at],
                 text[col - 1]);
        CHECK_EQ_INT(strncmp(line + 4, "...", 3) == 0, col > 61);
        CHECK_EQ_INT(strcmp(line + 121, "...") == 0, col < 1000 - 60 + 1);
    }
    ctx_add_source(cx, "edge", text, 120); /* just fits */
    split_message(message_at(cx, (Place){"edge", 1, 100, 1, NULL}), line, caret,
                  sizeof line);
    CHECK(strncmp(line + 4, text, 120) == 0 && strlen(line) == 124);
    wf_ctx_free(cx);
}

TEST(a_later_source_of_the_same_name_hides_the_earlier)
{
    wf_ctx *cx = context();

    ctx_add_source(cx, "model.py", "new text", 8);
    CHECK_STR(message_at(cx, AT(1, 1, 3)),
              "model.py:1:1: syntax error: m\n    new text\n    ^~~");
    CHECK_EQ_INT(cx->sources.n, 2);
    ctx_add_source(cx, "model.py", "new text", 8);
    CHECK_EQ_INT(cx->sources.n, 2);
    ctx_add_source(cx, "empty", NULL, 0);
    CHECK_STR(message_at(cx, (Place){"empty", 1, 1, 0, NULL}),
              "empty:1:1: syntax error: m\n    \n    ^");
    wf_ctx_free(cx);
}

TEST(notes_beyond_the_limit_are_counted)
{
    wf_ctx *cx = context();
    const char *m;

    fail(cx, WF_ERR_VALUE, NOWHERE, "m");
    for (int i = 0; i < CTX_NOTES + 5; i++)
        fail_note(cx, (Place){"f", 1, 1, 0, i == 0 ? "jvp" : NULL}, "note %d", i);
    m = wf_ctx_message(cx);
    CHECK_HAS(m, "value error: m\nf:1:1: note: note 0, in code derived by jvp\nf:1:1: "
                 "note: note 1\n");
    CHECK_HAS(m, "note: note 11\nnote: and 5 more");
    wf_ctx_free(cx);
}

TEST(every_status_has_its_words)
{
    CHECK_STR(wf_status_name(WF_OK), "ok");
    CHECK_STR(wf_status_name(WF_ERR_SHAPE), "shape error");
    CHECK_STR(wf_status_name(WF_ERR_TYPE), "type error");
    CHECK_STR(wf_status_name(WF_ERR_SYNTAX), "syntax error");
    CHECK_STR(wf_status_name(WF_ERR_MEMORY), "out of memory");
    CHECK_STR(wf_status_name(WF_ERR_INTERNAL), "internal error");
    CHECK_STR(wf_status_name((wf_status)63), "unknown status");
    for (int s = WF_ERR_SYNTAX; s <= WF_ERR_ARG; s++)
        CHECK(strcmp(wf_status_name((wf_status)s), "unknown status") != 0);
    for (int s = WF_ERR_MEMORY; s <= WF_ERR_UNSUPPORTED; s++)
        CHECK(strcmp(wf_status_name((wf_status)s), "unknown status") != 0);
}

TEST(the_nearest_name_is_near_or_there_is_none)
{
    static const char *const ops[] = {"add",  "sub", "reshape",         "transpose",
                                      "tanh", "x",   "broadcast_in_dim"};
    char longer[200];

    memset(longer, 'a', 199);
    longer[199] = '\0';
    CHECK_STR(nearest_name("reshap", ops, COUNT(ops)), "reshape");
    CHECK_STR(nearest_name("rehsape", ops, COUNT(ops)), "reshape");
    CHECK_STR(nearest_name("tanhh", ops, COUNT(ops)), "tanh");
    CHECK_STR(nearest_name("transposed", ops, COUNT(ops)), "transpose");
    CHECK_STR(nearest_name("broadcast_dim", ops, COUNT(ops)), "broadcast_in_dim");
    CHECK_STR(nearest_name("dad", ops, COUNT(ops)), "add"); /* a swap is one edit */
    CHECK_STR(nearest_name("dda", ops, COUNT(ops)), NULL);
    CHECK_STR(nearest_name("ad", ops, COUNT(ops)), "add");
    CHECK_STR(nearest_name("y", ops, COUNT(ops)), NULL); /* all of it changed */
    CHECK_STR(nearest_name("softmax", ops, COUNT(ops)), NULL);
    CHECK_STR(nearest_name("", ops, COUNT(ops)), NULL);
    CHECK_STR(nearest_name(longer, ops, COUNT(ops)), NULL);
    CHECK_STR(nearest_name("add", ops, 0), NULL);
}

/* ---- the context ------------------------------------------------------------------- */

static void count_log(void *user, wf_log_level level, const char *text)
{
    snprintf(user, 100, "%d %s", (int)level, text);
}

TEST(options_of_older_and_newer_callers_are_accepted)
{
    struct {
        wf_options o;
        char more[100];
    } newer = {.o = {.threads = 3}};
    wf_options o = {.size = offsetof(wf_options, threads), .threads = -7};
    wf_ctx *cx = wf_ctx_new(&o); /* older: has no threads field */

    CHECK(wf_ctx_status(cx) == WF_OK && cx->options.threads == 0);
    wf_ctx_free(cx);
    newer.o.size = sizeof newer;
    cx = wf_ctx_new(&newer.o);
    CHECK(wf_ctx_status(cx) == WF_OK && cx->options.threads == 3);
    wf_ctx_free(cx);
    o.size = 0;
    cx = wf_ctx_new(&o);
    CHECK_STR(wf_ctx_message(cx), "wrong argument: wf_ctx_new: wf_options.size is not "
                                  "set; it needs sizeof(wf_options)");
    wf_ctx_free(cx);
    o.size = sizeof o;
    cx = wf_ctx_new(&o);
    CHECK_HAS(wf_ctx_message(cx), "threads is negative");
    wf_ctx_free(cx);
    wf_ctx_free(NULL);
}

TEST(messages_go_to_the_log_callback)
{
    char got[100] = "";
    wf_options o = {.size = sizeof o, .log = count_log, .log_user = got};
    wf_ctx *cx = wf_ctx_new(&o);

    ctx_log(cx, WF_LOG_WARN, "disk %s is %d%% full", "a", 97);
    CHECK_STR(got, "2 disk a is 97% full");
    wf_ctx_free(cx);
}

typedef struct Released {
    int order[16];
    int n;
} Released;

typedef struct Thing {
    Released *list;
    int id;
} Thing;

static void release_thing(void *obj)
{
    Thing *t = obj;

    t->list->order[t->list->n++] = t->id;
}

static wf_status inner_call(wf_ctx *cx, Thing *t, size_t bytes)
{
    API_ENTER(cx);
    pool_defer(cx, release_thing, t);
    arena_alloc(&cx->scratch, bytes);
    API_RETURN(cx);
}

static wf_status outer_call(wf_ctx *cx, Thing *t, size_t bytes, bool *reached)
{
    API_ENTER(cx);
    int before = t->list->n;

    pool_defer(cx, release_thing, t);
    inner_call(cx, t + 1, bytes);
    *reached = true;
    CHECK_EQ_INT(t->list->n, before); /* inner regions release nothing */
    arena_alloc(&cx->scratch, 100);
    API_RETURN(cx);
}

TEST(the_outermost_region_releases_in_reverse_order)
{
    Released list = {0};
    Thing things[2] = {{&list, 1}, {&list, 2}};
    wf_ctx *cx = wf_ctx_new(NULL);
    bool reached = false;

    CHECK_EQ_INT(outer_call(cx, things, 1000, &reached), WF_OK);
    CHECK(reached && list.n == 2 && list.order[0] == 2 && list.order[1] == 1);
    CHECK(cx->scratch.total == 0 && cx->pool.n == 0 && !cx->region);
    wf_ctx_free(cx);
}

TEST(running_out_of_memory_leaves_all_regions_and_releases_everything)
{
    FaultAlloc f = {0};
    wf_options o = {.size = sizeof o, .allocator = fault_allocator(&f)};
    Released list = {0};
    Thing things[2] = {{&list, 1}, {&list, 2}};
    wf_ctx *cx = wf_ctx_new(&o);
    bool reached = false;

    CHECK_EQ_INT(outer_call(cx, things, SIZE_MAX / 2 + 100, &reached), WF_ERR_MEMORY);
    CHECK(!reached && list.n == 2 && list.order[0] == 2 && list.order[1] == 1);
    CHECK(cx->scratch.total == 0 && cx->pool.n == 0 && !cx->region);
    CHECK_STR(wf_ctx_message(cx), "out of memory");
    /* sticky: later calls do nothing */
    CHECK_EQ_INT(outer_call(cx, things, 10, &reached), WF_ERR_MEMORY);
    CHECK(!reached && list.n == 2);
    wf_clear(cx);
    CHECK_EQ_INT(outer_call(cx, things, 10, &reached), WF_OK);
    CHECK(reached && list.n == 4);
    wf_ctx_free(cx);
    CHECK_EQ_INT(f.live_bytes, 0);
}

TEST(errors_are_recorded_when_no_memory_is_left)
{
    FaultAlloc f = {0};
    wf_options o = {.size = sizeof o, .allocator = fault_allocator(&f)};
    wf_ctx *cx = wf_ctx_new(&o);
    char huge[20000];

    memset(huge, 'z', sizeof huge - 1);
    huge[sizeof huge - 1] = '\0';
    f.fail_at = 1;
    f.and_after = true; /* from here on nothing */
    fail(cx, WF_ERR_SHAPE, (Place){"f.py", 2, 3, 1, NULL}, "a short one fits");
    CHECK_STR(wf_ctx_message(cx), "f.py:2:3: shape error: a short one fits");
    wf_clear(cx);
    fail(cx, WF_ERR_SHAPE, NOWHERE, "%s", huge);
    CHECK_STR(wf_ctx_message(cx), "shape error: (no memory left to describe it)");
    wf_clear(cx);
    fail(cx, WF_ERR_SHAPE, (Place){huge, 2, 3, 1, NULL}, "its file's name does not");
    CHECK_STR(wf_ctx_message(cx), "shape error: its file's name does not");
    wf_clear(cx);
    huge[3000] = '\0';
    fail(cx, WF_ERR_SHAPE, NOWHERE, "%s", huge); /* fits, but not twice */
    CHECK_STR(wf_ctx_message(cx), huge);
    f.fail_at = 0;
    CHECK_EQ_INT(strlen(wf_ctx_message(cx)), 3000 + strlen("shape error: "));
    wf_ctx_free(cx);
    CHECK_EQ_INT(f.live_bytes, 0);
}

/* ---- every allocation fails in turn ------------------------------------------------ */

static void free_buffer(void *obj)
{
    char *p = obj;
    wf_allocator al;
    size_t size;

    memcpy(&al, p, sizeof al);
    memcpy(&size, p + sizeof al, sizeof size);
    mem_free(&al, p, size);
}

static wf_status compile_something(wf_ctx *cx, Interner **out)
{
    API_ENTER(cx);
    Text t;
    Interner in;
    char name[32];
    VEC(const char *) names = {0};

    ctx_add_source(cx, "f.py", "a = b\nc = d\n", 12);
    for (int i = 0; i < 40; i++) {
        size_t size = 64;
        char *p = mem_alloc(&cx->al, size);

        if (!p)
            ctx_out_of_memory(cx);
        memcpy(p, &cx->al, sizeof cx->al);
        memcpy(p + sizeof cx->al, &size, sizeof size);
        pool_defer(cx, free_buffer, p);
    }
    text_init(&t, &cx->scratch);
    intern_init(&in, &cx->scratch);
    for (int i = 0; i < 400; i++) {
        snprintf(name, sizeof name, "v%d", i);
        vec_push(&cx->scratch, &names, intern_name(&in, name));
        text_printf(&t, "%s = add %s %s\n", name, names.v[i / 2], names.v[i / 3]);
    }
    CHECK_STR(names.v[399], "v399");
    CHECK_HAS(text_str(&t), "v10 = add v5 v3\n");
    *out = &in;
    fail(cx, WF_ERR_NAME, (Place){"f.py", 2, 5, 1, "grad"}, "'%s' is not defined", "d");
    for (int i = 0; i < 20; i++)
        fail_note(cx, (Place){"f.py", 1, 1, 1, NULL}, "in call number %d %200d", i, i);
    API_RETURN(cx);
}

static void add_one(void *user, int i)
{
    atomic_fetch_add((atomic_int *)user, i);
}

static void whole_life(wf_allocator al, void *user)
{
    wf_options o = {.size = sizeof o, .allocator = al, .threads = 2};
    wf_ctx *cx = wf_ctx_new(&o);
    FaultAlloc *f = al.user;
    Interner *in = NULL;
    atomic_int sum = 0;
    wf_status s;

    (void)user;
    if (!cx) {
        CHECK(f->failures > 0);
        return;
    }
    s = compile_something(cx, &in);
    CHECK(s == WF_ERR_NAME || (s == WF_ERR_MEMORY && f->failures));
    CHECK_EQ_INT(s, wf_ctx_status(cx));
    CHECK(strlen(wf_ctx_message(cx)) > 0);
    if (!f->failures)
        CHECK_HAS(wf_ctx_message(cx),
                  "    c = d\n        ^\nf.py:2:5: note: in code derived from");
    pool_run(ctx_threads(cx), 10, add_one, &sum); /* runs without memory too */
    CHECK_EQ_INT(sum, 45);
    ctx_add_source(cx, "g.py", "text", 4);
    wf_clear(cx);
    CHECK_EQ_INT(wf_ctx_status(cx), WF_OK);
    wf_ctx_free(cx);
}

TEST(each_allocation_failing_in_turn_leaks_nothing)
{
    CHECK(fault_each(whole_life, NULL) > 50);
}

TEST(the_failing_allocator_sees_leaks_and_wrong_sizes)
{
    FaultAlloc f = {.fail_at = 2};
    wf_allocator al = fault_allocator(&f);
    char *p = mem_alloc(&al, 10), *q = mem_alloc(&al, 10);

    CHECK(p && !q);
    CHECK(f.live_blocks == 1 && f.live_bytes == 10 && f.failures == 1 && f.count == 2);
    mem_free(&al, p, 11);
    CHECK(f.misuses == 1 && f.live_bytes == 10);
    p = al.resize(al.user, p, 10, 20);
    CHECK(p && f.live_bytes == 20 && f.peak_bytes == 30);
    mem_free(&al, p, 20);
    mem_free(&al, NULL, 5);
    CHECK(f.live_bytes == 0 && f.live_blocks == 0 && f.misuses == 1);
    p = mem_alloc(&al, 0);
    CHECK(p != NULL);
    mem_free(&al, p, 0);
    CHECK(f.live_blocks == 0 && f.misuses == 1);
}

/* ---- machine, dtypes --------------------------------------------------------------- */

TEST(the_instruction_set_can_be_lowered_but_not_raised)
{
    CHECK_EQ_INT(isa_lowered(ISA_AVX512, NULL), ISA_AVX512);
    CHECK_EQ_INT(isa_lowered(ISA_AVX512, "avx2"), ISA_AVX2);
    CHECK_EQ_INT(isa_lowered(ISA_AVX512, "base"), ISA_BASE);
    CHECK_EQ_INT(isa_lowered(ISA_AVX2, "avx512"), ISA_AVX2);
    CHECK_EQ_INT(isa_lowered(ISA_BASE, "avx2"), ISA_BASE);
    CHECK_EQ_INT(isa_lowered(ISA_AVX2, "nonsense"), ISA_AVX2);
    CHECK(cpu_isa() >= ISA_BASE && cpu_isa() < ISA_COUNT && cpu_isa() == cpu_isa());
    CHECK_STR(isa_name(ISA_AVX512), "avx512");
    CHECK_STR(isa_name(ISA_COUNT), "unknown");
    CHECK(cpu_count() >= 1);
}

TEST(memory_that_files_are_kept_in_is_available)
{
    FILE *f = popen("free -b 2>/dev/null | awk '/^Mem:/ { print $7 }'", "r");
    double said = 0, is;

    CHECK((is = (double)memory_available()) > 0);
    if (f && fscanf(f, "%lf", &said) == 1) /* other programs take and give meanwhile */
        CHECK(fabs(is - said) < 0.5 * said);
    if (f)
        pclose(f);
}

TEST(the_clock_runs_forward)
{
    double t = clock_seconds(), u = t;

    for (int i = 0; i < 1000000 && u == t; i++)
        u = clock_seconds();
    CHECK(u > t && u < t + 5);
}

TEST(dtypes_have_names_and_sizes)
{
    static const struct {
        wf_dtype d;
        const char *name;
        size_t size;
    } cases[] = {
        {WF_BOOL, "bool", 1},       {WF_I8, "i8", 1},     {WF_I16, "i16", 2},
        {WF_I32, "i32", 4},         {WF_I64, "i64", 8},   {WF_U8, "u8", 1},
        {WF_U16, "u16", 2},         {WF_U32, "u32", 4},   {WF_U64, "u64", 8},
        {WF_F16, "f16", 2},         {WF_BF16, "bf16", 2}, {WF_F32, "f32", 4},
        {WF_F64, "f64", 8},         {WF_C64, "c64", 8},   {WF_C128, "c128", 16},
        {WF_INVALID, "invalid", 0},
    };

    for (int i = 0; i < COUNT(cases); i++) {
        CHECK_STR(wf_dtype_name(cases[i].d), cases[i].name);
        CHECK_EQ_INT(wf_dtype_size(cases[i].d), cases[i].size);
    }
    for (int d = 1; d < WF_DTYPE_COUNT; d++)
        CHECK(strcmp(wf_dtype_name((wf_dtype)d), "invalid") != 0);
    CHECK_STR(wf_dtype_name(WF_DTYPE_COUNT), "invalid");
    CHECK_STR(wf_dtype_name((wf_dtype)-1), "invalid");
    CHECK_EQ_INT(wf_dtype_size((wf_dtype)1000), 0);
}
