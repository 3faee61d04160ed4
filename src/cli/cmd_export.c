/* cmd_export.c -- weft export: a model, and the step that trains it, as C that stands
 * alone. */
#include "cli.h"
#include "train/train.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPT_OUT,
    OPT_METHOD,
    OPT_NAME,
    OPT_SIZE,
    OPT_MAX,
    OPT_NO_PACK,
    OPT_WEIGHTS,
    OPT_TRAIN,
    OPT_OPTIMIZER,
    OPT_LR
};

typedef struct SizeList {
    const char **symbols;
    int64_t *sizes;
    int n;
} SizeList;

typedef struct Export {
    const char *file, *dir, *name, *loss, *optimizer;
    double lr;
    const char **methods;
    int nmethods;
    SizeList fixed, most;
    wf_export_weights weights;
    bool unpacked;
} Export;

/* ---- training -------------------------------------------------------------------------- */

static const char *const optimizers[] = {"sgd",   "momentum", "adam",
                                         "adamw", "rmsprop",  "adagrad"};
enum { NOPTIMIZERS = sizeof optimizers / sizeof *optimizers };

static wf_optim *new_optimizer(wf_ctx *c, wf_module *m, const char *name, double lr)
{
    switch (*name == 's'                 ? 0
            : *name == 'm'               ? 1
            : *name == 'r'               ? 4
            : strcmp(name, "adam") == 0  ? 2
            : strcmp(name, "adamw") == 0 ? 3
                                         : 5) {
    case 0: return wf_sgd(c, m, lr > 0 ? lr : 0.01, 0, false, 0);
    case 1: return wf_sgd(c, m, lr > 0 ? lr : 0.01, 0.9, false, 0);
    case 2: return wf_adam(c, m, lr > 0 ? lr : 1e-3, 0.9, 0.999, 1e-8, 0);
    case 3: return wf_adamw(c, m, lr > 0 ? lr : 1e-3, 0.9, 0.999, 1e-8, 0.01);
    case 4: return wf_rmsprop(c, m, lr > 0 ? lr : 0.01, 0.99, 1e-8, 0, 0);
    default: return wf_adagrad(c, m, lr > 0 ? lr : 0.01, 0, 1e-10, 0);
    }
}

typedef struct Loss {
    char *method;      /* what runs */
    const char *named; /* a loss of its first result and the last input; NULL: it is the loss itself */
    const char **types; /* of the inputs that are not tensors of the file */
    int nin, nout;
} Loss;

static wf_status run_loss(wf_ctx *c, void *user, wf_module *m, const wf_tensor *in, int nin,
                          wf_tensor *out, int nout)
{
    const Loss *loss = user;
    wf_tensor y[TRAIN_COLUMNS];

    if (!loss->named)
        return wf_module_run(c, m, loss->method, in, nin, out, nout);
    if (wf_module_run(c, m, loss->method, in, nin - 1, y, loss->nout) == WF_OK)
        out[0] = train_loss_of(c, loss->named, y[0], in[nin - 1]);
    return wf_ctx_status(c);
}

static void add_type(Loss *loss, const char *type)
{
    loss->types[loss->nin++] = strcpy(cli_need_memory(strlen(type) + 1), type);
}

/* Of a result f32[N,10] that classes are chosen by, i64[N]; of another its own type. */
static void add_target(Loss *loss, const char *result)
{
    const char *sizes = strchr(result, '['), *first = sizes ? strpbrk(sizes, ",]") : NULL, *rest;
    char *type;

    if (!train_counts_classes(loss->named) || !first || *first == ']') {
        add_type(loss, result);
        return;
    }
    rest = first + 1 + strcspn(first + 1, ",]");
    type = cli_need_memory(strlen(result) + 4);
    sprintf(type, "i64%.*s%s", (int)(first - sizes), sizes, rest);
    add_type(loss, type);
    free(type);
}

/* What trains: program NAME of the file, or a loss of that name of what `forward` gives; their form for training, where there is one. */
static bool find_loss(wf_ctx *c, const Export *x, const wf_model *file, Loss *out)
{
    const char *base = x->loss, *type;
    const wf_program *p;
    int first;

    for (int i = 0; train_losses[i] && !wf_model_find(file, x->loss); i++)
        if (strcmp(train_losses[i], x->loss) == 0)
            out->named = train_losses[i];
    base = out->named ? "forward" : x->loss;
    out->method = cli_need_memory(strlen(base) + sizeof "no_train." + sizeof "_train");
    sprintf(out->method, "no_train.%s", base);
    if (*wf_model_meta(file, out->method)) {
        cli_complain("%s has no form for training of '%s': %s", x->file, base, wf_model_meta(file, out->method));
        return false;
    }
    sprintf(out->method, "%s_train", base);
    if (!wf_model_find(file, out->method))
        strcpy(out->method, base);
    if (!(p = wf_model_find(file, out->method))) {
        cli_complain("%s has no program '%s' to train by; --train=cross_entropy (nll, mse, l1, smooth_l1, bce, bce_logits) is a loss of what 'forward' gives", x->file, base);
        return false;
    }
    out->nout = train_results(file, out->method);
    if (out->named && (out->nout < 1 || out->nout > TRAIN_COLUMNS)) {
        cli_complain("'%s' gives %d results; 1 to %d can be", out->method, out->nout, TRAIN_COLUMNS);
        return false;
    }
    first = wf_model_method_state(c, file, out->method, NULL, 0);
    out->types = cli_need_memory((size_t)(wf_program_inputs(p) + 1) * sizeof *out->types);
    for (int i = first; i < wf_program_inputs(p) && wf_program_input_type(c, p, i, &type) == WF_OK; i++)
        add_type(out, type);
    if (out->named && wf_program_output_type(c, p, 0, &type) == WF_OK)
        add_target(out, type);
    return true;
}

/* A method "train": the loss, its gradients, and the optimiser's update. */
static int add_training(wf_ctx *c, const Export *x, wf_model *file)
{
    Loss loss = {0};
    wf_module *m;
    wf_optim *o = NULL;
    bool found = find_loss(c, x, file, &loss);

    m = found ? wf_module_load(c, file) : NULL;
    if (m)
        o = new_optimizer(c, m, x->optimizer, x->lr);
    if (o && wf_optim_store(c, o, file) == WF_OK)
        wf_optim_add_step(c, o, m, file, "train", run_loss, &loss, loss.types, loss.nin);
    wf_optim_free(c, o);
    wf_module_release(c, m);
    for (int i = 0; i < loss.nin; i++)
        free((char *)(uintptr_t)loss.types[i]);
    free(loss.types);
    free(loss.method);
    return !found ? USER : wf_ctx_status(c) == WF_OK ? DONE : cli_report(c);
}

/* ---- the command ----------------------------------------------------------------------- */

/* "models/digits.weft" -> "digits" */
static char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/'), *from = slash ? slash + 1 : path,
               *dot = strrchr(from, '.');
    size_t n = dot && dot > from ? (size_t)(dot - from) : strlen(from);
    char *name = cli_need_memory(n + 1);

    memcpy(name, from, n);
    name[n] = '\0';
    return name;
}

static int export_file(const Export *x)
{
    wf_ctx *c = new_context(1);
    int status = DONE;
    char *name =
        x->name ? NULL : base_name(strcmp(x->file, "-") == 0 ? "model" : x->file);
    wf_export_options o = {.size = sizeof o,
                           .name = x->name ? x->name : name,
                           .methods = x->methods,
                           .nmethods = x->nmethods,
                           .symbols = x->fixed.symbols,
                           .sizes = x->fixed.sizes,
                           .nsizes = x->fixed.n,
                           .most_symbols = x->most.symbols,
                           .most = x->most.sizes,
                           .nmost = x->most.n,
                           .weights = x->weights,
                           .unpacked = x->unpacked};
    wf_model *m;

    if (!c)
        return ENVIRONMENT;
    m = load_model(c, x->file, &status);
    if (m && x->loss)
        status = add_training(c, x, m);
    if (m && status == DONE && wf_export(c, m, x->dir, &o) != WF_OK)
        status = cli_report(c);
    free(name);
    wf_model_free(m);
    wf_ctx_free(c);
    return status;
}

/* for_all: a number alone is of all symbols that have none of their own */
static bool read_size(CliArgs *a, const char *option, bool for_all, SizeList *l)
{
    const char *equals = strchr(a->value, '=');
    char *name = NULL;

    if (equals ? equals == a->value : !for_all) {
        usage_error(a->command, "--%s needs SYMBOL=NUMBER, found '%s'", option, a->value);
        return false;
    }
    if (equals) {
        name = cli_need_memory(strlen(a->value) + 1);
        memcpy(name, a->value, (size_t)(equals - a->value));
        name[equals - a->value] = '\0';
        a->value = equals + 1;
    }
    l->symbols[l->n] = name;
    return args_number(a, option, &l->sizes[l->n++]);
}

static bool read_choice(CliArgs *a, const char *option, const char *const *names, int n,
                        int *out)
{
    for (*out = 0; *out < n; ++*out)
        if (strcmp(a->value, names[*out]) == 0)
            return true;
    usage_error(a->command, "--%s=%s: there is no such thing%s", option, a->value,
                cli_suggest(a->value, names, n));
    return false;
}

static bool read_option(CliArgs *a, Export *x, int k)
{
    static const char *const weights[] = {"c", "blob", "safetensors"};
    int n;
    char *end;

    switch (k) {
    case OPT_OUT: x->dir = a->value; return true;
    case OPT_NAME: x->name = a->value; return true;
    case OPT_METHOD: x->methods[x->nmethods++] = a->value; return true;
    case OPT_SIZE: return read_size(a, "size", false, &x->fixed);
    case OPT_MAX: return read_size(a, "max", true, &x->most);
    case OPT_NO_PACK: x->unpacked = true; return true;
    case OPT_TRAIN: x->loss = a->value ? a->value : "loss"; return true;
    case OPT_WEIGHTS:
        if (!read_choice(a, "weights", weights, 3, &n))
            return false;
        x->weights = (wf_export_weights)n;
        return true;
    case OPT_OPTIMIZER:
        x->optimizer = a->value;
        return read_choice(a, "optimizer", optimizers, NOPTIMIZERS, &n);
    case OPT_LR:
        x->lr = strtod(a->value, &end);
        if (*end || !(x->lr > 0)) {
            usage_error(a->command, "--lr needs a positive number, found '%s'", a->value);
            return false;
        }
        return true;
    default:
        if (x->file) {
            usage_error(a->command, "one file at a time, found '%s' too", a->value);
            return false;
        }
        x->file = a->value;
        return true;
    }
}

static bool read_args(CliArgs *a, Export *x)
{
    int k;

    while ((k = args_next(a)) != ARG_END)
        if (k == ARG_WRONG || !read_option(a, x, k))
            return false;
    if (!x->file || !x->dir) {
        usage_error(a->command, x->file ? "where to? (-o DIR)" : "which file?");
        return false;
    }
    if (x->optimizer && !x->loss) {
        usage_error(a->command, "--optimizer goes with --train");
        return false;
    }
    if (x->loss && x->nmethods)
        x->methods[x->nmethods++] = "train";
    if (!x->optimizer)
        x->optimizer = "sgd";
    return true;
}

static int run(CliArgs *a)
{
    size_t n = (size_t)a->argc + 1;
    Export x = {
        .methods = cli_need_memory(n * sizeof *x.methods),
        .fixed = {cli_need_memory(n * sizeof(char *)), cli_need_memory(n * sizeof(int64_t)), 0},
        .most = {cli_need_memory(n * sizeof(char *)), cli_need_memory(n * sizeof(int64_t)), 0}};
    int status = read_args(a, &x) ? export_file(&x) : USAGE;
    SizeList *lists[] = {&x.fixed, &x.most};

    for (int l = 0; l < 2; l++) {
        for (int i = 0; i < lists[l]->n; i++)
            free((char *)(uintptr_t)lists[l]->symbols[i]);
        free(lists[l]->symbols);
        free(lists[l]->sizes);
    }
    free(x.methods);
    return status;
}

static const Option options[] = {
    {"o", OPT_VALUE, OPT_OUT, "DIR", "the folder; it is made"},
    {"name", OPT_VALUE, OPT_NAME, "NAME",
     "of the files and public names; FILE's if not given"},
    {"method", OPT_VALUE, OPT_METHOD, "NAME",
     "a program of FILE (several times: several); all if not given"},
    {"size", OPT_VALUE, OPT_SIZE, "N=32", "the size of a symbol, fixed"},
    {"max", OPT_VALUE, OPT_MAX, "[N=]32", "its largest size: then it is an argument; 32 alone: of all symbols"},
    {"no-pack", OPT_FLAG, OPT_NO_PACK, NULL, "filters of convolutions as FILE has them: less memory, slower"},
    {"weights", OPT_VALUE, OPT_WEIGHTS, "WHERE",
     "c (NAME_weights.c, the default), blob (NAME.bin) or "
     "safetensors (any such file, or FILE itself, given to NAME_load)"},
    {"train", OPT_OPTIONAL, OPT_TRAIN, "LOSS",
     "a function `train` too: program LOSS ('loss'), or a loss by name of what 'forward' gives "
     "(cross_entropy, nll, mse, l1, smooth_l1, bce, bce_logits), its gradients, and a step of the "
     "optimiser"},
    {"optimizer", OPT_VALUE, OPT_OPTIMIZER, "NAME",
     "sgd (the default), momentum, adam, adamw, rmsprop, adagrad"},
    {"lr", OPT_VALUE, OPT_LR, "RATE", "its rate"},
    {NULL, OPT_FLAG, 0, NULL, NULL},
};

const Command cmd_export = {
    .name = "export",
    .usage = "FILE -o DIR [OPTION...]",
    .summary = "write programs out as plain C",
    .help =
        "Writes the programs of FILE as C99 that needs nothing but libm: NAME.c, NAME.h, "
        "an\n"
        "example NAME_main.c and a Makefile. Nothing is allocated: the caller gives the "
        "memory,\n"
        "of a size known beforehand. Tensors of FILE are in a struct of the caller's.",
    .options = options,
    .more = NULL,
    .run = run,
};
