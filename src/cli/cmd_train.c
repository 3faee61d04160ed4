/* cmd_train.c -- weft train: a model of a file is trained on data of files (src/train). */
#include "cli.h"
#include "train/train.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    OPT_OUT,
    OPT_LOSS,
    OPT_OPTIMIZER,
    OPT_LR,
    OPT_MOMENTUM,
    OPT_DECAY,
    OPT_CLIP,
    OPT_DEVICE,
    OPT_SCHEDULE,
    OPT_BATCH,
    OPT_EPOCHS,
    OPT_STEPS,
    OPT_VALIDATION,
    OPT_PATIENCE,
    OPT_SEED,
    OPT_ORDER,
    OPT_PRECISION,
    OPT_TARGET,
    OPT_SCALE,
    OPT_MEAN,
    OPT_STD,
    OPT_FREEZE,
    OPT_CHECKPOINT,
    OPT_SAVE_STEPS,
    OPT_SAVE_MINUTES,
    OPT_RESUME,
    OPT_LOG,
    OPT_HTML,
    OPT_THREADS,
    OPT_QUIET
};

static volatile sig_atomic_t stopped;

static void on_stop(int sig)
{
    (void)sig;
    stopped = 1;
}

static bool read_real(CliArgs *a, const char *option, double least, double *out)
{
    char *end;

    *out = strtod(a->value, &end);
    if (*a->value && !*end && *out >= least)
        return true;
    usage_error(a->command, "--%s needs a number from %g on, found '%s'", option, least,
                a->value);
    return false;
}

static bool read_name(CliArgs *a, const char *option, const char *const *names,
                      const char **out)
{
    int n = 0;

    for (; names[n]; n++)
        if (strcmp(names[n], a->value) == 0) {
            *out = names[n];
            return true;
        }
    usage_error(a->command, "--%s=%s: there is none of that name%s", option, a->value,
                cli_suggest(a->value, names, n));
    return false;
}

static bool read_count(CliArgs *a, const char *option, int64_t least, int64_t *out)
{
    if (!args_number(a, option, out))
        return false;
    if (*out >= least)
        return true;
    usage_error(a->command, "--%s must be at least %lld", option, (long long)least);
    return false;
}

static bool read_precision(CliArgs *a, TrainOptions *o)
{
    static const wf_dtype all[] = {WF_F32, WF_F16, WF_BF16};

    for (int i = 0; i < 3; i++)
        if (strcmp(a->value, wf_dtype_name(all[i])) == 0) {
            o->precision = all[i];
            return true;
        }
    usage_error(a->command, "--precision=%s: f32, f16 or bf16", a->value);
    return false;
}

static bool read_schedule(CliArgs *a, TrainOptions *o)
{
    double rate;

    o->schedule = a->value;
    if (train_rate(a->value, 1, 0, 1, 1, &rate))
        return true;
    usage_error(a->command,
                "--schedule=%s: constant, cosine, linear, step:EPOCHS:FACTOR, "
                "warmup:STEPS, with commas between",
                a->value);
    return false;
}

/* Numbers. */
static bool read_amount(CliArgs *a, int k, TrainOptions *o, int64_t *threads)
{
    switch (k) {
    case OPT_LR: return read_real(a, "lr", 0, &o->lr);
    case OPT_MOMENTUM: return read_real(a, "momentum", 0, &o->momentum);
    case OPT_DECAY: return read_real(a, "decay", 0, &o->decay);
    case OPT_CLIP: return read_real(a, "clip", 0, &o->clip);
    case OPT_SCALE: return read_real(a, "scale", 1e-300, &o->scale);
    case OPT_SAVE_MINUTES: return read_real(a, "save-minutes", 0, &o->save_minutes);
    case OPT_BATCH: return read_count(a, "batch", 1, &o->batch);
    case OPT_EPOCHS: return read_count(a, "epochs", 1, &o->epochs);
    case OPT_STEPS: return read_count(a, "steps", 1, &o->steps);
    case OPT_PATIENCE: return read_count(a, "patience", 1, &o->patience);
    case OPT_SAVE_STEPS: return read_count(a, "save-steps", 1, &o->save_steps);
    case OPT_SEED: return read_count(a, "seed", 0, &o->seed);
    default: return read_count(a, "threads", 1, threads);
    }
}

static bool read_one(CliArgs *a, int k, TrainOptions *o, const char **words,
                     int64_t *threads)
{
    switch (k) {
    case ARG_WORD:
        if (o->model)
            words[o->ndata++] = a->value;
        else
            o->model = a->value;
        return true;
    case OPT_OUT: o->out = a->value; return true;
    case OPT_LOSS: return read_name(a, "loss", train_losses, &o->loss);
    case OPT_OPTIMIZER: return read_name(a, "optimizer", train_optimizers, &o->optimizer);
    case OPT_SCHEDULE: return read_schedule(a, o);
    case OPT_VALIDATION: o->validation = a->value; return true;
    case OPT_ORDER: o->keep_order = true; return true;
    case OPT_PRECISION: return read_precision(a, o);
    case OPT_DEVICE: o->device = a->value; return true;
    case OPT_TARGET: o->target = a->value; return true;
    case OPT_MEAN: o->mean = a->value; return true;
    case OPT_STD: o->std = a->value; return true;
    case OPT_FREEZE: o->freeze = a->value; return true;
    case OPT_CHECKPOINT: o->checkpoint = a->value; return true;
    case OPT_RESUME: o->resume = true; return true;
    case OPT_LOG: o->log = a->value; return true;
    case OPT_HTML: o->html = a->value; return true;
    case OPT_QUIET: o->quiet = true; return true;
    default: return k != ARG_WRONG && read_amount(a, k, o, threads);
    }
}

static int check_args(CliArgs *a, const TrainOptions *o)
{
    if (!o->model)
        return usage_error(a->command, "which model?");
    if (!o->ndata)
        return usage_error(a->command, "which data?");
    if (o->patience && !o->validation)
        return usage_error(a->command, "--patience needs --validation");
    if (o->resume && !o->checkpoint)
        return usage_error(
            a->command, "--resume needs -o or --checkpoint: where is it to go on from?");
    return DONE;
}

/* The script as MODEL: it is run to save its model in a file, whose name is its argument. */
static int run_model_script(const char *script, const char *path)
{
    char *argv[] = {(char *)(uintptr_t)script, (char *)(uintptr_t)path, NULL};
    wf_ctx *cx = new_context(0);
    int code = ENVIRONMENT;
    struct stat st;

    if (!cx)
        return code;
    if (wf_script_run(cx, script, 2, argv, &code) != WF_OK)
        code = cli_report(cx);
    fflush(stdout);
    wf_ctx_free(cx);
    if (code == DONE && (stat(path, &st) || st.st_size == 0)) {
        cli_complain("%s saved no model where sys.argv[1] says", script);
        code = USER;
    }
    return code;
}

static int train(wf_ctx *cx, TrainOptions *o)
{
    const char *tmp = getenv("TMPDIR");
    struct sigaction sa = {.sa_handler = on_stop};
    char path[4096] = "";
    int fd, status = DONE;

    o->file = o->model;
    if (cli_is_script(o->model)) {
        snprintf(path, sizeof path, "%s/weft-XXXXXX.weft", tmp && *tmp ? tmp : "/tmp");
        if ((fd = mkstemps(path, 5)) < 0) {
            cli_complain("cannot make %s: %s", path, strerror(errno));
            return ENVIRONMENT;
        }
        close(fd);
        o->file = path;
        status = run_model_script(o->model, path);
    }
    sigaction(SIGINT, &sa, NULL);
    sigaction(SIGTERM, &sa, NULL);
    if (status == DONE && train_run(cx, o, &stopped) != WF_OK)
        status = cli_report(cx);
    if (*path)
        unlink(path);
    return status;
}

/* The folders of the file are made. */
static int make_folders(const char *file)
{
    char path[4096];

    snprintf(path, sizeof path, "%s", file);
    for (char *s = strchr(path + 1, '/'); s; s = strchr(s + 1, '/')) {
        *s = '\0';
        if (mkdir(path, 0777) && errno != EEXIST) {
            cli_complain("cannot make the folder %s: %s", path, strerror(errno));
            return ENVIRONMENT;
        }
        *s = '/';
    }
    return DONE;
}

static int run(CliArgs *a)
{
    const char **words = cli_need_memory((size_t)a->argc * sizeof *words);
    TrainOptions o = {.data = words,
                      .optimizer = "adam",
                      .schedule = "constant",
                      .lr = 1e-3,
                      .precision = WF_F32,
                      .batch = 32,
                      .epochs = 10,
                      .save_minutes = 5};
    char beside[4096];
    int64_t threads = 0;
    int k, status = DONE;
    wf_ctx *cx;

    while (status == DONE && (k = args_next(a)) != ARG_END)
        status = read_one(a, k, &o, words, &threads) ? DONE : USAGE;
    if (status == DONE && o.out && !o.checkpoint) {
        snprintf(beside, sizeof beside, "%s.checkpoint", o.out);
        o.checkpoint = beside;
    }
    if (status == DONE)
        status = check_args(a, &o);
    if (status == DONE && o.out)
        status = make_folders(o.out);
    if (status == DONE && !(cx = new_context((int)threads)))
        status = ENVIRONMENT;
    if (status == DONE) {
        status = train(cx, &o);
        wf_ctx_free(cx);
    }
    free(words);
    return status;
}

static const Option options[] = {
    {"o", OPT_VALUE, OPT_OUT, "FILE", "the trained model: .weft or .onnx"},
    {"loss", OPT_VALUE, OPT_LOSS, "NAME",
     "of the results of 'forward' and the target: cross_entropy, nll, mse, l1, "
     "smooth_l1, bce, bce_logits; without it the "
     "model's method 'loss'"},
    {"optimizer", OPT_VALUE, OPT_OPTIMIZER, "NAME",
     "adam (the default), adamw, sgd, rmsprop, adagrad"},
    {"lr", OPT_VALUE, OPT_LR, "RATE", "0.001 if not given"},
    {"momentum", OPT_VALUE, OPT_MOMENTUM, "M", "of sgd and rmsprop"},
    {"decay", OPT_VALUE, OPT_DECAY, "D", "of the weights"},
    {"clip", OPT_VALUE, OPT_CLIP, "NORM", "gradients are scaled down to this norm"},
    {"schedule", OPT_VALUE, OPT_SCHEDULE, "NAME",
     "constant, cosine, linear, step:EPOCHS:FACTOR, warmup:STEPS; with commas between, "
     "their product"},
    {"batch", OPT_VALUE, OPT_BATCH, "N", "rows a step, 32 if not given"},
    {"epochs", OPT_VALUE, OPT_EPOCHS, "N", "times through the data, 10 if not given"},
    {"steps", OPT_VALUE, OPT_STEPS, "N", "at most"},
    {"validation", OPT_VALUE, OPT_VALIDATION, "PART|FILES",
     "0.1: a tenth of the data; or files of their own, with commas between"},
    {"patience", OPT_VALUE, OPT_PATIENCE, "N",
     "end after N epochs without a better validation, and keep the best"},
    {"seed", OPT_VALUE, OPT_SEED, "N", "of the order of the rows, 0 if not given"},
    {"in-order", OPT_FLAG, OPT_ORDER, NULL, "rows are not shuffled"},
    {"precision", OPT_VALUE, OPT_PRECISION, "TYPE",
     "f32; bf16 or f16: products of those, all else in f32, with f16 of a loss that is scaled"},
    {"device", OPT_VALUE, OPT_DEVICE, "NAME", "where: cpu, cuda, cuda:1 .. (weft devices lists them); cpu if not given"},
    {"target", OPT_VALUE, OPT_TARGET, "COLUMN",
     "of a CSV file, by name or number from 1; of tensors by name"},
    {"scale", OPT_VALUE, OPT_SCALE, "S",
     "inputs are divided by S; bytes by 255 if not given"},
    {"mean", OPT_VALUE, OPT_MEAN, "A,B,C", "of each channel, taken off after that"},
    {"std", OPT_VALUE, OPT_STD, "A,B,C", "of each channel, divided by after that"},
    {"freeze", OPT_VALUE, OPT_FREEZE, "PATHS",
     "parameters whose paths begin so stay as they are"},
    {"checkpoint", OPT_VALUE, OPT_CHECKPOINT, "FILE",
     "where to keep what --resume needs; FILE.checkpoint of -o if not given"},
    {"save-steps", OPT_VALUE, OPT_SAVE_STEPS, "N", "a checkpoint every N steps"},
    {"save-minutes", OPT_VALUE, OPT_SAVE_MINUTES, "M",
     "and every M minutes, 5 if not given; and after each epoch"},
    {"resume", OPT_FLAG, OPT_RESUME, NULL,
     "go on from the checkpoint, if there is one, to the same bits"},
    {"log", OPT_VALUE, OPT_LOG, "FILE.csv", "a line for each epoch"},
    {"html", OPT_VALUE, OPT_HTML, "FILE.html", "a page with the curves"},
    {"threads", OPT_VALUE, OPT_THREADS, "N", "all that there are if not given"},
    {"quiet", OPT_FLAG, OPT_QUIET, NULL, "print nothing but errors"},
    {NULL, OPT_FLAG, 0, NULL, NULL},
};

const Command cmd_train = {
    .name = "train",
    .usage = "MODEL DATA... [OPTION...]",
    .summary = "train a model of a file on data of files",
    .help = "MODEL is a .weft or .onnx file with parameters, or a script (.py) that saves one where its argument says.\n"
            "DATA: a folder with a folder of pictures (PNG, PNM) for each class; a .csv file; a .npz file; .npy or IDX files,\n"
            "one for each input and the last for the target; or 'digits', 8x8 digits that are built in. docs/train.md tells\n"
            "more.",
    .options = options,
    .run = run,
};
