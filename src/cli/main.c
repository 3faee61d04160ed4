/* main.c -- weft: finds the command and runs it. */
#include "cli.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const Command *const cli_commands[] = {
    &cmd_run, &cmd_launch, &cmd_check, &cmd_show, &cmd_eval, &cmd_bench, &cmd_export,
    &cmd_train, &cmd_serve, &cmd_devices, &cmd_ops, &cmd_info, &cmd_convert, &cmd_compile, &cmd_help, NULL,
};

static int unknown_command(const char *name)
{
    const char *names[32];
    int n = 0;

    for (; cli_commands[n]; n++)
        names[n] = cli_commands[n]->name;
    names[n++] = "--version";
    names[n++] = "--help";
    return usage_error(NULL, "there is no %s '%s'%s", *name == '-' ? "option" : "command",
                       name, cli_suggest(name, names, n));
}

static bool is_help(const char *s)
{
    return strcmp(s, "--help") == 0 || strcmp(s, "-h") == 0;
}

static int run_command(int argc, char **argv)
{
    for (const Command *const *c = cli_commands; *c; c++) {
        CliArgs a = {.command = *c, .argc = argc, .at = 2, .argv = argv};

        if (strcmp((*c)->name, argv[1]) != 0)
            continue;
        int options = *c == &cmd_run || *c == &cmd_launch ? 3 : argc; /* a script's options are its own */
        for (int i = 2; i < argc && i < options && strcmp(argv[i], "--") != 0; i++)
            if (is_help(argv[i]))
                return help_command(*c);
        return (*c)->run(&a);
    }
    if (cli_is_script(argv[1]))
        return run_script(argc - 1, argv + 1);
    return unknown_command(argv[1]);
}

static int print_version(void)
{
    wf_ctx *cx = new_context(1);

    fputs(wf_build_info(), stdout);
    if (!cx)
        return ENVIRONMENT;
    puts("devices:");
    cli_print_devices(cx, "  ");
    wf_ctx_free(cx);
    return DONE;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2)
        return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) ? run_prompt() : usage_error(NULL, "which command?");
    if (strcmp(argv[1], "--version") == 0) {
        return print_version();
    }
    if (is_help(argv[1]))
        return help_all();
    return run_command(argc, argv);
}

/* A result that could not be written is no result. */
static int close_output(int status)
{
    bool failed = ferror(stdout) != 0;
    int error = errno;

    if (fclose(stdout) != 0) {
        error = errno;
        failed = true;
    }
    if (!failed)
        return status;
    if (error != EPIPE) /* a reader that has seen enough, such as head, is no news */
        cli_complain("cannot write standard output: %s", strerror(error));
    return ENVIRONMENT;
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN); /* a reader that is gone is a failed write, */
    signal(SIGXFSZ, SIG_IGN); /* and so is a file past the limit */
    return close_output(dispatch(argc, argv));
}
