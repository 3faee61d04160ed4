/* cmd_help.c -- weft help: made from the tables of the commands. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

static void print_options(const char *title, const Option *o)
{
    char left[64];

    if (!o)
        return;
    printf("\n%s\n", title);
    for (; o->name; o++) {
        const char *dashes = o->name[1] ? "--" : "-";

        if (o->kind == OPT_FLAG)
            snprintf(left, sizeof left, "%s%s", dashes, o->name);
        else if (o->kind == OPT_VALUE)
            snprintf(left, sizeof left, "%s%s%s%s", dashes, o->name,
                     o->name[1] ? "=" : " ", o->value);
        else
            snprintf(left, sizeof left, "%s%s[=%s]", dashes, o->name, o->value);
        printf("  %-24s %s\n", left, o->help);
    }
}

int help_command(const Command *c)
{
    printf("usage: weft %s %s\n\n%s\n", c->name, c->usage, c->help);
    print_options("options", c->options);
    print_options("transforms, applied in the order given", c->more);
    return DONE;
}

int help_all(void)
{
    printf("Weft " WF_VERSION ", a deep-learning compiler\n\n"
           "usage: weft COMMAND ...\n\n");
    for (const Command *const *c = cli_commands; *c; c++)
        printf("  %-7s %s\n", (*c)->name, (*c)->summary);
    printf("\n'weft' alone, on a terminal, is a prompt for scripts.\n"
           "'weft help COMMAND' tells more, 'weft --version' what is in this build.\n"
           "Status: 0 done, 1 the program or its input is wrong, 2 wrong use of the "
           "command, 3 out of memory or\n"
           "an input/output failure.\n");
    return DONE;
}

enum { OPT_MAN, OPT_COMPLETIONS };

static int run(CliArgs *a)
{
    const char *names[32];
    int n = 0, k = args_next(a);

    if (k == ARG_END)
        return help_all();
    if (k == OPT_MAN)
        return help_man();
    if (k == OPT_COMPLETIONS)
        return help_completions(a);
    if (k != ARG_WORD)
        return USAGE;
    for (; cli_commands[n]; n++) {
        names[n] = cli_commands[n]->name;
        if (strcmp(names[n], a->value) == 0)
            return help_command(cli_commands[n]);
    }
    return usage_error(NULL, "there is no command '%s'%s", a->value,
                       cli_suggest(a->value, names, n));
}

static const Option options[] = {
    {"man", OPT_FLAG, OPT_MAN, NULL, "the manual page, for man"},
    {"completions", OPT_VALUE, OPT_COMPLETIONS, "SHELL", "what bash, zsh or fish needs to complete commands and options"},
    {NULL, OPT_FLAG, 0, NULL, NULL},
};

const Command cmd_help = {
    .name = "help",
    .usage = "[COMMAND] [OPTION]",
    .summary = "this, or more on one command",
    .help = "Prints what there is, or how COMMAND is used. For completions put\n"
            "  source <(weft help --completions=bash)\n"
            "into ~/.bashrc, or the output for fish into ~/.config/fish/completions/weft.fish, for zsh into a file _weft of $fpath.",
    .options = options,
    .run = run,
};
