/* cli.h -- the command line. One file per subcommand; only the public header of the
 * library is used.
 *
 *   main.c         finds the command, closes standard output
 *   args.c         words and options, from tables that `weft help` prints too
 *   report.c       messages, colours, suggestions
 *   load.c         models and programs by name
 *   steps.c        the transform flags, applied in the order given
 *   prompt.c       weft alone: a prompt; line.c: lines that are edited on a terminal
 *   cmd_*.c        run launch check show eval bench export train serve devices ops info convert compile help
 *
 * Results go to standard output, everything else to standard error. The status is one of
 * the four below.
 */
#ifndef WEFT_CLI_H
#define WEFT_CLI_H

#include "weft.h"

#include <stdio.h>

enum {
    DONE = 0,
    USER = 1,  /* the user's program or input is wrong */
    USAGE = 2, /* wrong use of the command: what can be told without opening a file */
    ENVIRONMENT = 3, /* out of memory, or an input/output failure */
};

/* ---- args.c: words and options ----------------------------------------------------- */

typedef enum OptionKind {
    OPT_FLAG,     /* --name */
    OPT_VALUE,    /* --name=VALUE or --name VALUE */
    OPT_OPTIONAL, /* --name or --name=VALUE */
} OptionKind;

typedef struct Option {
    const char *name; /* "grad", without dashes; "o" is -o; NULL ends a table */
    OptionKind kind;
    int id;            /* what args_next returns */
    const char *value; /* its name in the help */
    const char *help;
} Option;

enum { ARG_END = -1, ARG_WORD = -2, ARG_WRONG = -3 };

typedef struct Command Command;

typedef struct CliArgs {
    const Command *command;
    int argc, at;
    char **argv;
    bool words_only;   /* after -- */
    const char *value; /* of the word or option just read; NULL: none was given */
} CliArgs;

/* The next option's id, ARG_WORD, ARG_END, or ARG_WRONG after saying what is wrong. What
 * reads as a number is a word. */
int args_next(CliArgs *a);
/* A whole number as the value of an option; says what is wrong. */
bool args_number(CliArgs *a, const char *option, int64_t *out);

typedef struct CliSizes { /* of symbols, by name */
    char **names;
    int64_t *values;
    int n;
} CliSizes;
CliSizes sizes_new(int room);
bool args_size(CliArgs *a, CliSizes *s); /* one more, from the value "N=32"; says what is wrong */
void sizes_free(CliSizes *s);

/* ---- the commands ------------------------------------------------------------------ */

struct Command {
    const char *name;
    const char *usage;            /* behind "weft NAME " */
    const char *summary;          /* one line */
    const char *help;             /* paragraphs */
    const Option *options, *more; /* two tables; NULL: none */
    int (*run)(CliArgs *a);
};

extern const Command cmd_devices, cmd_run, cmd_launch, cmd_check, cmd_show, cmd_eval, cmd_ops, cmd_info,
    cmd_bench, cmd_export, cmd_convert, cmd_train, cmd_serve, cmd_compile, cmd_help;
extern const Command *const cli_commands[]; /* NULL ends them */
int help_command(const Command *c);     /* prints the help of one */
int help_all(void);
/* help_forms.c: the manual page; completions for the shell in a->value */
int help_man(void);
int help_completions(CliArgs *a);
/* cmd_eval.c: could the word be an argument rather than the name of a program? */
bool cli_is_array_word(const char *s);
/* Words become inputs of p: NAME=ARG the one of that name, the others those that are still
 * NULL in `in`, in order. A status. results: of p, for the complaint */
int cli_parse_inputs(wf_ctx *cx, const wf_program *p, const char **words, int n, int64_t seed,
                 int results, wf_array **in);
/* cmd_bench.c */
/* Inputs of p made up: normal numbers for floats, zeros for all else. */
int generate_inputs(wf_ctx *cx, const wf_program *p, const CliSizes *sizes, int64_t seed,
                    wf_array **in);
/* show_page.c: the program as a page on standard output; time: run it and show where the
 * time goes. */
int show_page(wf_ctx *cx, const wf_program *p, const CliSizes *sizes, bool time);
/* "path": "its text", with a comma before it unless it is the first; false: it is no text
 * that could be read. */
bool show_page_source(FILE *f, const char *path, bool first);
/* profile_page.c: a page, or Chrome's tracing; into a file, by the end of its name (.json) */
void cli_profile_page(FILE *f, const wf_profile *p, const char *title, bool trace);
int cli_profile_file(const char *path, const wf_profile *p, const char *title);
int run_script(int argc, char **argv); /* cmd_run.c; argv[0] is the file */

/* ---- cmd_devices.c ----------------------------------------------------------------- */

/* A line for each, beginning with `indent`. */
void cli_print_devices(wf_ctx *cx, const char *indent);
/* The one that --device names; without it (NULL) the one that the file names, or the host
 * with a note where that is not there. NULL after reporting. m: NULL, or the file */
wf_device *pick_device(wf_ctx *cx, const char *name, const wf_model *m, int *out_status);

/* ---- report.c ---------------------------------------------------------------------- */

/* "weft NAME: text" and where to find help; USAGE. */
int usage_error(const Command *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* "weft: text" */
void cli_complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The context's error on standard error; the status that goes with it. */
/* A name of a file for people to see: what a terminal would obey is written as \x1b. How many columns it takes. */
int cli_put_name(FILE *f, const char *s);
int cli_name_width(const char *s);
int cli_report(wf_ctx *cx);
/* "; did you mean 'x'?" for the nearest of the names, or "". In memory of its own until
 * the next call. */
const char *cli_suggest(const char *name, const char *const *names, int n);
/* Memory or the end of the program. */
void *cli_need_memory(size_t size);

/* ---- load.c ------------------------------------------------------------------------ */

bool cli_is_script(const char *path); /* ends in .py */
/* The whole file, malloc'ed; NULL after saying why not. */
char *load_text(const char *path, size_t *out_size);
wf_ctx *new_context(int threads); /* NULL after saying that memory is exhausted */
/* The file, or standard input for "-". NULL after reporting. */
wf_model *load_model(wf_ctx *cx, const char *path, int *out_status);
/* The program of that name, or for NULL the only one, "main", or the last. NULL after
 * saying that there is none. Borrowed. */
const wf_program *pick_program(const wf_model *m, const char *path, const char *name);
/* The file, and which of its programs the first of n words names; *out_named: one does, the
 * rest are arguments. NULL in *out_p after reporting. */
wf_model *load_method(wf_ctx *cx, const char *path, const char *const *words, int n,
                      const wf_program **out_p, int *out_named, int *out_status);
/* Of p, a method of m: how many of its results are the caller's; those behind them are new
 * values of tensors of the file. */
int cli_count_results(wf_ctx *cx, const wf_model *m, const wf_program *p);
/* "forward(x: f32[N,784], w: f32[784,10]) -> f32[N,10]" on the file: the inputs behind
 * `state` of them, the first `results` results. */
int cli_print_signature(wf_ctx *cx, const wf_program *p, int state, int results, FILE *file);

/* ---- steps.c ----------------------------------------------------------------------- */

enum { MAX_SHARDS = 32 };

typedef struct CliStep {
    int kind;         /* the option's id */
    const char *text; /* its value */
    const char *axis; /* vmap: the name of the axis */
    const char *shard[MAX_SHARDS]; /* mesh: how inputs lie */
    int nshards;
} CliStep;

typedef struct Steps {
    CliStep *v;
    int n;
    const char *axis; /* a name given before its vmap */
    const char *stray; /* a --shard without a --mesh */
    bool bind;
} Steps;

enum { STEP_FIRST = 100 }; /* ids below belong to the commands */
extern const Option steps_options[];

/* Remember a transform option; false: the id is not one. */
bool steps_take(Steps *s, int id, const char *value);
/* All transforms one after the other on p, a program of m; a new reference. NULL after
 * reporting. */
const wf_program *steps_apply(wf_ctx *cx, const Steps *s, const wf_model *m,
                              const wf_program *p, int *out_status);
bool steps_have_mesh(const Steps *s);
void steps_free(Steps *s);

/* ---- prompt.c, line.c: weft alone ------------------------------------------------------ */

int run_prompt(void);
void cancel_on_interrupt(wf_ctx *cx); /* cmd_run.c: Ctrl-C ends what cx runs; NULL: nothing */

typedef struct History {
    char **v; /* malloc'ed lines, oldest first */
    int n, room;
} History;
void line_history_add(History *h, const char *line);

typedef struct LineEditor {
    History history;
    const char *(*complete)(void *user, const char *text, size_t n); /* names, one a line */
    void *user;
} LineEditor;
typedef enum LineEnd { LINE_DONE, LINE_INTERRUPTED /* Ctrl-C */, LINE_EOF /* Ctrl-D, or nothing can be read */ } LineEnd;
/* A line that is typed at the terminal behind ask; malloc'ed, without its newline. */
LineEnd line_read(LineEditor *e, const char *ask, char **out);

/* ---- mesh_cost.c ---- */

int show_mesh_cost(wf_ctx *cx, const wf_program *p, const char *machine);

#endif
