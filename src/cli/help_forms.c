/* help_forms.c -- what `weft help` knows in other forms: the manual page, and completions for shells. */
#include "cli.h"

#include <string.h>

/* ---- the manual page --------------------------------------------------------------- */

/* Text for troff: dashes as such, and no line that begins as a request does. */
static void put_text(const char *s)
{
    for (bool first = true; *s; s++) {
        if (first && (*s == '.' || *s == '\''))
            fputs("\\&", stdout);
        if (*s == '-')
            fputs("\\-", stdout);
        else if (*s == '\\')
            fputs("\\e", stdout);
        else
            putchar(*s);
        first = *s == '\n';
    }
}

static void put_option(const Option *o)
{
    printf(".TP\n.B ");
    put_text(o->name[1] ? "--" : "-");
    put_text(o->name);
    if (o->kind != OPT_FLAG) {
        printf("\\fR%s%s\\fI", o->kind == OPT_OPTIONAL ? "[" : "",
               o->name[1] ? "=" : " ");
        put_text(o->value);
        printf("\\fR%s", o->kind == OPT_OPTIONAL ? "]" : "");
    }
    putchar('\n');
    put_text(o->help);
    putchar('\n');
}

static void put_options(const Option *o)
{
    if (!o || !o->name)
        return;
    puts(".RS");
    for (; o->name; o++)
        put_option(o);
    puts(".RE");
}

static const char man_end[] =
    ".SH EXIT STATUS\n.TP\n.B 0\nDone.\n.TP\n.B 1\nThe program or its input is "
    "wrong.\n.TP\n.B 2\nWrong use of the command.\n"
    ".TP\n.B 3\nOut of memory, or an input/output failure.\n.SH ENVIRONMENT\n"
    ".TP\n.B NO_COLOR\nIf set and not empty, messages on a terminal have no colours.\n"
    ".TP\n.B WEFT_ISA\n.BR base \", \" avx2 \" or \" avx512 :\nan instruction set lower "
    "than the machine's.\n"
    ".TP\n.B CC\nThe C compiler for compiled programs, with arguments if wished; "
    "else\n.BR cc \", \" gcc \" or \" clang .\n"
    "Without one, or where it fails, programs are interpreted.\n"
    ".TP\n.B WEFT_CACHE\nThe directory of compiled code, which must be yours and closed "
    "to others (mode 0700);\n.BR off :\n"
    "none is kept. Else\n.IR $XDG_CACHE_HOME/weft ,\nor\n.IR ~/.cache/weft .\n"
    ".TP\n.BR WEFT_CACHE_MB \", \" WEFT_CC_SECONDS\nHow large it may grow, 256; and how "
    "long the compiler may take for one unit, 60.\n"
    ".TP\n.B WEFT_COMPILE_AFTER\nRuns after which a program is compiled, 10; 0: never.\n"
    ".TP\n.B WEFT_PATH\nFolders where scripts find modules.\n"
    ".TP\n.B WEFT_CHECK_PLANS\nIf set, every run checks what its steps say they read and "
    "write; for tests.\n"
    ".SH EXAMPLES\n.nf\nweft show model.wir forward \\-\\-grad=w,b\n"
    "weft eval model.wir loss '[1, 2]' rand:f32[8,2] zeros:f32[8] \\-\\-grad=w "
    "\\-\\-vmap=\\-,0,0\n"
    "weft train net.onnx pictures \\-\\-loss=cross_entropy \\-o tuned.onnx\n"
    "weft serve models \\-\\-batch=64\n.fi\n";

int help_man(void)
{
    puts(".TH WEFT 1 \"\" \"Weft " WF_VERSION "\" \"User Commands\"\n.SH NAME\nweft \\- "
                                              "a deep-learning compiler\n.SH SYNOPSIS");
    for (const Command *const *c = cli_commands; *c; c++) {
        printf(".B weft %s\n", (*c)->name);
        put_text((*c)->usage);
        puts("\n.br");
    }
    puts(".B weft \\-\\-version\n.SH COMMANDS");
    for (const Command *const *c = cli_commands; *c; c++) {
        printf(".TP\n.B %s\n", (*c)->name);
        put_text((*c)->help);
        putchar('\n');
        put_options((*c)->options);
    }
    puts(".SH TRANSFORMS\nCommands that take programs apply these in the order given.");
    for (const Option *o = steps_options; o->name; o++)
        put_option(o);
    fputs(man_end, stdout);
    return DONE;
}

/* ---- completions ------------------------------------------------------------------- */

/* Its options, each with a space before it; "=" behind those that need a value. */
static void put_words(const Command *c)
{
    for (int k = 0; k < 2; k++)
        for (const Option *o = k ? c->more : c->options; o && o->name; o++)
            printf(" %s%s%s", o->name[1] ? "--" : "-", o->name,
                   o->kind == OPT_VALUE && o->name[1] ? "=" : "");
}

static void put_bash(void)
{
    fputs("_weft() {\n    local cur=${COMP_WORDS[COMP_CWORD]} words=\n    [[ $cur == '=' "
          "]] && cur=\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        words='",
          stdout);
    for (const Command *const *c = cli_commands; *c; c++)
        printf("%s ", (*c)->name);
    puts("--help --version'\n    else\n        case ${COMP_WORDS[1]} in");
    for (const Command *const *c = cli_commands; *c; c++) {
        printf("        %s) words='", (*c)->name);
        if (*c == &cmd_help)
            for (const Command *const *d = cli_commands; *d; d++)
                printf(" %s", (*d)->name);
        put_words(*c);
        puts("' ;;");
    }
    puts(
        "        esac\n    fi\n"
        "    if [[ $cur == -* || $COMP_CWORD -eq 1 || ${COMP_WORDS[1]} == help ]]; then\n"
        "        COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
        "        [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace\n"
        "        [ \"$COMP_CWORD\" -gt 1 ] || COMPREPLY+=($(compgen -f -X '!*.py' -- "
        "\"$cur\"))\n    fi\n}\n"
        "complete -o default -F _weft weft");
}

/* s between single quotes, for zsh and fish */
static void put_quoted(const char *s, bool colons)
{
    putchar('\'');
    for (; *s; s++) {
        if (*s == '\'')
            fputs(colons ? "'\\''" : "\\'", stdout);
        else if (colons && strchr(":[]", *s))
            printf("\\%c", *s);
        else
            putchar(*s == '\n' ? ' ' : *s);
    }
    putchar('\'');
}

static void put_zsh(void)
{
    puts("#compdef weft\n_weft() {\n  local -a names\n  names=(");
    for (const Command *const *c = cli_commands; *c; c++) {
        printf("    %s:", (*c)->name);
        put_quoted((*c)->summary, true);
        putchar('\n');
    }
    puts("  )\n  if (( CURRENT == 2 )); then\n    _describe command names\n    _files -g "
         "'*.py'\n    return\n  fi\n  case $words[2] in");
    for (const Command *const *c = cli_commands; *c; c++) {
        printf("  %s) _arguments", (*c)->name);
        for (int k = 0; k < 2; k++)
            for (const Option *o = k ? (*c)->more : (*c)->options; o && o->name; o++) {
                printf(" %s%s%s", o->name[1] ? "--" : "-", o->name,
                       o->kind != OPT_FLAG && o->name[1] ? "=" : "");
                putchar('\'');
                putchar('[');
                fputs("'", stdout);
                put_quoted(o->help, true);
                fputs("']'", stdout);
            }
        puts(" '*:file:_files' ;;");
    }
    puts("  esac\n}\n_weft \"$@\"");
}

static void put_fish(void)
{
    for (const Command *const *c = cli_commands; *c; c++) {
        printf("complete -c weft -n __fish_use_subcommand -a %s -d ", (*c)->name);
        put_quoted((*c)->summary, false);
        putchar('\n');
        for (int k = 0; k < 2; k++)
            for (const Option *o = k ? (*c)->more : (*c)->options; o && o->name; o++) {
                printf(
                    "complete -c weft -n '__fish_seen_subcommand_from %s' -%c %s%s -d ",
                    (*c)->name, o->name[1] ? 'l' : 's', o->name,
                    o->kind == OPT_VALUE ? " -r" : "");
                put_quoted(o->help, false);
                putchar('\n');
            }
    }
}

int help_completions(CliArgs *a)
{
    if (strcmp(a->value, "bash") == 0)
        put_bash();
    else if (strcmp(a->value, "zsh") == 0)
        put_zsh();
    else if (strcmp(a->value, "fish") == 0)
        put_fish();
    else
        return usage_error(a->command, "--completions=%s: bash, zsh or fish", a->value);
    return DONE;
}
