/* test_prompt.c -- scripts that come piece by piece, through weft.h: what is run when, what is printed, errors, completion, memory that
 * runs out. The prompt on a terminal: test_prompt.sh. */
#include "test.h"
#include "weft.h"

#include <stdlib.h>
#include <string.h>

typedef struct Heard {
    char text[4096];
    size_t n;
} Heard;

static void hear(void *user, const char *s, size_t n)
{
    Heard *h = user;

    if (n > sizeof h->text - 1 - h->n)
        n = sizeof h->text - 1 - h->n;
    memcpy(h->text + h->n, s, n);
    h->n += n;
    h->text[h->n] = 0;
}

static Heard heard;

typedef struct At {
    wf_ctx *cx;
    wf_prompt *p;
    bool more;
    int exit;
} At;

static At at_new(wf_allocator al)
{
    wf_options o = {.size = sizeof o,
                    .allocator = al,
                    .threads = 1,
                    .print = hear,
                    .print_user = &heard};
    At a = {.cx = wf_ctx_new(&o)};

    if (a.cx)
        wf_prompt_new(a.cx, &a.p);
    return a;
}

static void at_free(At *a)
{
    wf_prompt_free(a->p);
    wf_ctx_free(a->cx);
}

/* What the piece prints. */
static const char *say(At *a, const char *text)
{
    heard = (Heard){0};
    wf_prompt_run(a->p, text, strlen(text), &a->more, &a->exit);
    return heard.text;
}

TEST(names_stay_and_values_are_printed)
{
    At a = at_new((wf_allocator){0});

    CHECK_STR(say(&a, "x = 3\n"), "");
    CHECK_STR(say(&a, "x + 1\n"), "4\n");
    CHECK_STR(say(&a, "_ * 2\n"), "8\n");
    CHECK_STR(say(&a, "None; 'a'; [x]\n"), "'a'\n[3]\n");
    CHECK_STR(say(&a, "for i in range(2):\n    i\n\n"), "0\n1\n");
    CHECK_STR(say(&a, "def f():\n    5\n\n"), "");
    CHECK_STR(say(&a, "f()\n"), ""); /* values inside functions are nobody's */
    CHECK_STR(say(&a, "\n"), "");
    CHECK_STR(say(&a, "# nothing\n"), "");
    CHECK_EQ_INT(a.exit, -1);
    CHECK_STR(say(&a, "import sys; sys.exit(4)\n"), "");
    CHECK_EQ_INT(a.exit, 4);
    CHECK_STR(wf_ctx_message(a.cx), "");
    at_free(&a);
}

TEST(what_is_not_whole_asks_for_more_and_runs_nothing)
{
    static const char *const open[] = {"if x:\n",
                                       "if 1: print(1)\n",
                                       "def f():\n    pass\n",
                                       "f(1,\n",
                                       "s = '''a\n",
                                       "s = 1 + \\\n",
                                       "@f\n",
                                       "try:\n    pass\n",
                                       "match 3:\n",
                                       "class C:\n",
                                       "x = [\n\n",
                                       "while 1:\n    if 2:\n",
                                       "with a as b:\n    # only this\n"};
    static const char *const whole[] = {
        "x = = 1\n",          "x =\n",   "if x:\n\n", "'a\n",
        "try:\n    pass\n\n", "x = )\n", "  y\n"};
    At a = at_new((wf_allocator){0});

    for (size_t i = 0; i < sizeof open / sizeof *open; i++) {
        say(&a, open[i]);
        CHECK_STR(wf_ctx_message(a.cx), "");
        if (!a.more)
            CHECK_STR(open[i], "more");
    }
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        say(&a, whole[i]);
        CHECK_HAS(wf_ctx_message(a.cx), "Error");
        if (a.more)
            CHECK_STR(whole[i], "an error");
        wf_clear(a.cx);
    }
    at_free(&a);
}

TEST(an_error_has_its_places_and_the_prompt_goes_on)
{
    At a = at_new((wf_allocator){0});

    say(&a, "def f(x):\n    return 1 / x\n\n");
    say(&a, "a = 1; f(0); b = 2\n");
    CHECK_HAS(wf_ctx_message(a.cx), "<input 1>:2:12: ZeroDivisionError");
    CHECK_HAS(wf_ctx_message(a.cx), "return 1 / x");
    CHECK_HAS(wf_ctx_message(a.cx), "<input 2>:1:8: note");
    CHECK_STR(say(&a, "a\n"), ""); /* not until the error is cleared */
    wf_clear(a.cx);
    CHECK_STR(say(&a, "a, 'b' in globals()\n"), "(1, False)\n");
    at_free(&a);
}

TEST(what_a_name_could_be)
{
    At a = at_new((wf_allocator){0});

    say(&a, "alpha = 1; alphabet = 'x'\n");
    CHECK_STR(wf_prompt_complete(a.p, "alp", 3), "alpha\nalphabet");
    CHECK_STR(wf_prompt_complete(a.p, "print(alphab", 12), "alphabet");
    CHECK_STR(wf_prompt_complete(a.p, "alphabet.isdig", 14), "isdigit");
    CHECK_STR(wf_prompt_complete(a.p, "alphabet.nothing.is", 19), "");
    CHECK_STR(wf_prompt_complete(a.p, "f().isdig", 9), "");
    CHECK_STR(wf_prompt_complete(a.p, "whi", 3), "while");
    CHECK_STR(wf_prompt_complete(a.p, "import tensorf", 14), "tensorflow");
    CHECK_STR(wf_prompt_complete(a.p, "from torch.nn.functi", 20), "functional");
    CHECK_STR(wf_prompt_complete(a.p, "zzz", 3), "");
    CHECK_STR(wf_prompt_complete(a.p, "import os; alp", 14), "alpha\nalphabet");
    say(&a, "_alpine = 1\n");
    CHECK_STR(wf_prompt_complete(a.p, "_al", 3),
              "_alpine"); /* not shown where nothing asks for it */
    CHECK_HAS(wf_prompt_complete(a.p, "", 0), "alpha\nalphabet");
    CHECK(!strstr(wf_prompt_complete(a.p, "", 0), "_alpine"));
    CHECK_STR(wf_ctx_message(a.cx), "");
    at_free(&a);
}

static void pieces(wf_allocator al, void *user)
{
    At a = at_new(al);

    (void)user;
    if (a.p) {
        say(&a, "x = [1, 2]\n");
        wf_clear(a.cx);
        say(&a, "def f(y):\n    return y + 1\n\n");
        wf_clear(a.cx);
        say(&a, "f(x[1]); f('a')\n");
        wf_clear(a.cx);
        wf_prompt_complete(a.p, "x.app", 5);
    }
    at_free(&a);
}

TEST(every_allocation_of_a_prompt_may_fail)
{
    setenv("WEFT_POOLS", "off",
           1); /* every allocation of the script is one of the allocator */
    CHECK(fault_each(pieces, NULL) > 1000);
    unsetenv("WEFT_POOLS");
}
