/* cmd_ops.c -- weft ops: the table of primitives, one op in full, or all of it for
 * docs/ops.md. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPT_MARKDOWN };

static wf_op_info get(int i)
{
    wf_op_info info = {.size = sizeof info};

    wf_op_get(i, &info);
    return info;
}

/* "P | C | L" as "PCL". In memory of its own until the next call. */
static const char *letters(const wf_op_info *op)
{
    static char text[16];
    size_t n = 0;

    for (const char *s = op->flags; *s && n + 1 < sizeof text; s++)
        if (*s != ' ' && *s != '|')
            text[n++] = *s;
    text[n] = '\0';
    return text;
}

static bool has_flag(const wf_op_info *op, char flag)
{
    return strchr(letters(op), flag) != NULL;
}

static const char *count(int n)
{
    static const char *const words[] = {"any", "0", "1", "2", "3",
                                        "4",   "5", "6", "7", "8"};

    return n < 9 ? words[n + 1] : "9+";
}

/* What stands in a rule's column: yes, the flag that explains a hole, or ! for one that
 * nothing explains. */
static const char *jvp_mark(const wf_op_info *op)
{
    return op->has_jvp         ? "yes"
           : op->why_no_jvp[0] ? (op->why_no_jvp[0] == 'Z' ? "Z" : "E")
                               : "!";
}

static const char *transpose_mark(const wf_op_info *op)
{
    if (op->has_transpose)
        return "yes";
    return has_flag(op, 'L') || has_flag(op, 'B') ? "!" : "-";
}

static const char *eval_mark(const wf_op_info *op)
{
    return has_flag(op, 'N') ? "N" : op->has_eval ? "yes" : "!";
}

static int holes(const wf_op_info *op)
{
    return (*jvp_mark(op) == '!') + (*transpose_mark(op) == '!') +
           (*eval_mark(op) == '!') + !op->has_batch;
}

static int print_table(void)
{
    int n = wf_op_count(), missing = 0;

    printf("%-21s %3s %3s %3s  %-11s%-6s %-5s%-4s%-10s%-6s%s\n", "name", "ver", "in", "out",
           "family", "flags", "eval", "jvp", "transpose", "batch", "gpu");
    for (int i = 0; i < n; i++) {
        wf_op_info op = get(i);

        printf("%-21s %3d %3s %3s  %-11s%-6s %-5s%-4s%-10s%-6s%s\n", op.name, op.version,
               count(op.inputs), count(op.outputs), op.family, letters(&op),
               eval_mark(&op), jvp_mark(&op), transpose_mark(&op),
               op.has_batch ? "yes" : "!", wf_op_on_gpu(i));
        missing += holes(&op);
    }
    printf("\nflags  P pure  C commutative  L linear in all operands  B linear in each "
           "operand  Z derivative\n"
           "       zero  D defines a symbol  E effect  N no eval  S sub-programs  V view of "
           "its operand\n"
           "       A same elements as its operand  F may fail  G may fail by sizes\n"
           "rules  yes, or the flag that says why there is none; - transpose of what is "
           "not linear; ! missing\n"
           "gpu    kernel: generated code, with its neighbours; native: a kernel or library call of its own, "
           "or no\n       work; host: on copies\n"
           "%d ops, %d rules missing\n",
           n, missing);
    return DONE;
}

static int find_op(const char *name)
{
    for (int i = 0; i < wf_op_count(); i++)
        if (strcmp(get(i).name, name) == 0)
            return i;
    return -1;
}

static int print_op(const char *name)
{
    int n = wf_op_count(), i = find_op(name);
    wf_op_info op;

    if (i < 0) {
        const char **names = cli_need_memory((size_t)n * sizeof *names);

        for (int k = 0; k < n; k++)
            names[k] = get(k).name;
        cli_complain("there is no op '%s'%s", name, cli_suggest(name, names, n));
        free(names);
        return USER;
    }
    op = get(i);
    printf("%s  version %d, %s operands, %s results, %s, flags %s\n\n%s\n\n", op.name,
           op.version, count(op.inputs), count(op.outputs), op.family, letters(&op),
           op.doc);
    printf("eval %s, jvp %s, transpose %s, batch %s; on a GPU: %s\n", eval_mark(&op),
           jvp_mark(&op), transpose_mark(&op), op.has_batch ? "yes" : "!", wf_op_on_gpu(i));
    return DONE;
}

/* ---- docs/ops.md ------------------------------------------------------------------- */

/* Signs that Markdown would take for its own are kept as they are inside a code block. */
static void print_section(const char *family)
{
    printf("\n## %s\n", family);
    for (int i = 0; i < wf_op_count(); i++) {
        wf_op_info op = get(i);

        if (strcmp(op.family, family) != 0)
            continue;
        printf("\n### %s\n\n", op.name);
        printf("version %d; operands: %s; results: %s; flags: %s; jvp: %s; transpose: "
               "%s; eval: %s\n\n",
               op.version, count(op.inputs), count(op.outputs),
               *letters(&op) ? letters(&op) : "none", jvp_mark(&op), transpose_mark(&op),
               eval_mark(&op));
        printf("```text\n%s\n```\n", op.doc);
    }
}

static int print_markdown(void)
{
    int n = wf_op_count();

    printf("# The primitives\n\n"
           "Made by `weft ops --markdown`; the source is `src/op/`. Everything else is "
           "built of these %d.\n\n"
           "Flags: `P` pure, `C` commutative, `L` linear in all operands together, `B` "
           "linear in each operand\n"
           "when the others are fixed, `Z` derivative zero everywhere, `D` defines a "
           "symbol, `E` effect, `N` no\n"
           "eval (gone before a program runs), `S` carries sub-programs, `V` is a view of "
           "its operand, `A` has\n"
           "the same elements, `F` may fail for some numbers, `G` for sizes not known "
           "before. A rule is `yes`,\n"
           "or the flag that says why there is none; `-` is the transpose of an op that is "
           "not linear.\n",
           n);
    for (int i = 0; i < n; i++) {
        wf_op_info op = get(i);
        bool first = true;

        for (int k = 0; k < i && first; k++)
            first = strcmp(get(k).family, op.family) != 0;
        if (first)
            print_section(op.family);
    }
    return DONE;
}

static int run(CliArgs *a)
{
    const char *name = NULL;
    bool markdown = false;
    int k;

    while ((k = args_next(a)) != ARG_END) {
        if (k == ARG_WRONG)
            return USAGE;
        if (k == OPT_MARKDOWN)
            markdown = true;
        else if (name)
            return usage_error(a->command, "one op at a time, found '%s' too", a->value);
        else
            name = a->value;
    }
    if (markdown && name)
        return usage_error(a->command, "--markdown prints all ops");
    return markdown ? print_markdown() : name ? print_op(name) : print_table();
}

static const Option options[] = {
    {"markdown", OPT_FLAG, OPT_MARKDOWN, NULL, "all of it, as docs/ops.md has it"},
    {NULL, OPT_FLAG, 0, NULL, NULL},
};

const Command cmd_ops = {
    .name = "ops",
    .usage = "[NAME]",
    .summary = "the table of ops and their rules",
    .help = "Prints the op table and which rules each row has, or what op NAME means.",
    .options = options,
    .run = run,
};
