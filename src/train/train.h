/* train.h -- weft train: a model of a file is trained on data of files. On public headers alone.
 *
 *   data.c        npy, npz, csv, IDX, folders of pictures: columns of rows
 *   step.c        the programs of a step and of an evaluation, and the state between them
 *   checkpoint.c  all that a training is, in a file, and back
 *   log.c         what is printed, the CSV file, the page with the curves
 *   loop.c        epochs, batches, rates, validation, the end
 *
 * A training is a function of the options, the model and the data: batches come in an order made of the seed and the number of
 * the epoch, the step is compiled before the first one, and results do not depend on threads. So one that is killed at any
 * moment goes on from its last checkpoint to the same bits.
 */
#ifndef WEFT_TRAIN_H
#define WEFT_TRAIN_H

#include "weft.h"

#include <signal.h>
#include <stdio.h>

enum { TRAIN_COLUMNS = 16 }; /* inputs and targets, at most */

typedef struct TrainOptions {
    const char *model;       /* its name, for messages .. */
    const char *file;        /* .. and where it is */
    const char *const *data; /* files or folders */
    int ndata;
    const char *target;     /* CSV: the column, by name or number; NULL: the last */
    const char *validation; /* "0.1", or files with commas between; NULL: none */
    const char *out;        /* file; NULL: nothing is written */
    const char *loss;       /* NULL: the method "loss", or what the target suggests */
    const char *optimizer, *schedule;
    double lr, momentum, decay, clip;
    double scale;           /* pixels are divided by this; 0: 255 for bytes, else 1 */
    const char *mean, *std; /* of channels, with commas between; NULL: 0 and 1 */
    int64_t batch, epochs, steps; /* steps: at most; 0: no bound */
    int64_t patience; /* epochs without a better validation; 0: no early end */
    int64_t seed;
    bool keep_order, resume, quiet;
    wf_dtype precision; /* of products: f32, f16 with a scaled loss, bf16 */
    const char *device; /* NULL: the host */
    const char *freeze;                  /* beginnings of paths, with commas between */
    const char *checkpoint, *log, *html; /* files; NULL: none */
    int64_t save_steps;                  /* steps between checkpoints; 0: by time alone */
    double save_minutes;
} TrainOptions;

/* ---- data.c ------------------------------------------------------------------------ */

typedef struct TrainRows { /* columns of as many rows, held */
    wf_array *v[TRAIN_COLUMNS];
    bool bytes[TRAIN_COLUMNS]; /* pixels: were they u8? */
    int n;
    int64_t count;
} TrainRows;

/* What the words name. The last column is the target. */
wf_status train_rows_load(wf_ctx *cx, const TrainOptions *o, const char *const *words, int n,
                    TrainRows *out);
void train_rows_free(TrainRows *r);
/* Column i as the model takes it: of the type, each row of the sizes dims[1..rank-1] (-1: as it is). is_input: pixels are
 * scaled. */
wf_status train_rows_fit(wf_ctx *cx, const TrainOptions *o, TrainRows *r, int i, wf_dtype dtype,
                   const int64_t *dims, int rank, bool is_input);
/* The first n rows after a shuffle stay, the others go to out_rest. */
wf_status train_rows_split(wf_ctx *cx, TrainRows *r, int64_t n, int64_t seed, TrainRows *out_rest);
/* Rows order[from..from+n-1] (NULL: those numbers themselves) of every column, as new arrays. */
wf_status train_rows_batch(wf_ctx *cx, const TrainRows *r, const int64_t *order, int64_t from,
                     int64_t n, wf_array **out);

/* ---- step.c ------------------------------------------------------------------------ */

bool train_counts_classes(const char *loss);                         /* are targets numbers of classes? */
wf_tensor train_loss_of(wf_ctx *c, const char *name, wf_tensor y, wf_tensor target);
/* How many results a method of a file has that are no new values of its tensors. */
int train_results(const wf_model *m, const char *method);

typedef struct TrainValue { /* a tensor that a step takes or changes */
    char *name;
    wf_array *array; /* held */
} TrainValue;

typedef struct Trainer {
    wf_ctx *cx;
    const TrainOptions *o;
    wf_model *file; /* as it was opened; training puts its numbers there in the end */
    wf_model *work; /* with the programs of training */
    wf_module *module;
    wf_optim *optim;
    wf_device *device;
    const char *loss;   /* the name of a loss, or NULL: the method "loss" */
    const char *metric; /* what an evaluation also gives, or NULL */
    wf_exec *step, *check;
    TrainValue *values;
    int nvalues;
    int *step_in, *check_in; /* numbers of values: the first inputs of each program .. */
    int nstep_in, ncheck_in;
    int *step_out; /* .. and the last results of a step */
    int nstep_out;
    int lr;        /* the number of the rate */
    int64_t fixed; /* rows the model takes at once; 0: any number */
} Trainer;

/* Opens the model, fits the data to it, makes the programs. */
wf_status trainer_open(Trainer *t, wf_ctx *cx, const TrainOptions *o, TrainRows *train,
                       TrainRows *valid);
void trainer_close(Trainer *t);
wf_status trainer_step(Trainer *t, double lr, wf_array *const *batch, int n,
                       double *out_loss);
/* The mean of the loss, and of the metric, over the rows. */
wf_status trainer_check(Trainer *t, const TrainRows *rows, double *out_loss,
                        double *out_metric);
int trainer_value(const Trainer *t, const char *name); /* its number; -1: there is none */
void trainer_set(Trainer *t, int value, wf_array *a);  /* the reference is taken over */
wf_status trainer_store(Trainer *t, wf_model *m, const char *name, wf_array *a); /* a copy on the host, if it is not there */
wf_status trainer_save(Trainer *t, const char *path); /* the model with its new numbers */

/* ---- log.c ------------------------------------------------------------------------- */

typedef struct TrainRow { /* of an epoch, or of what there was of it */
    int64_t epoch, step;
    double loss, valid, metric, lr, seconds; /* valid and metric: NaN if there is none */
} TrainRow;

typedef struct TrainLog {
    TrainRow *v;
    int n;
    double shown; /* when the bar was drawn last */
    bool terminal;
} TrainLog;

bool log_add(wf_ctx *cx, TrainLog *l, TrainRow row);
void log_free(TrainLog *l);
void log_print(const TrainLog *l,
               const Trainer *t); /* the last row, on standard output */
/* The line with the bar, on a terminal. done: batches of this epoch */
void log_bar(TrainLog *l, int64_t epoch, int64_t epochs, int64_t done, int64_t all,
             double rows_a_second, double loss, double seconds_left);
void log_clear_bar(const TrainLog *l);
wf_status log_csv(wf_ctx *cx, const TrainLog *l, const char *path);
wf_status log_html(wf_ctx *cx, const TrainLog *l, const Trainer *t, const char *path);
double log_clock(void); /* seconds of a clock that only goes forward */

/* ---- checkpoint.c ------------------------------------------------------------------ */

typedef struct Progress {    /* where a training is */
    int64_t epoch, at, step; /* at: batches of this epoch that are done */
    double sum;              /* of the losses of this epoch */
    double best;             /* validation; infinity: none yet */
    int64_t best_epoch, waited;
    double seconds;         /* so far */
    wf_array **best_values; /* of each value of the trainer, held; NULL: none yet */
} Progress;

wf_status checkpoint_save(Trainer *t, const Progress *p, const TrainLog *l,
                          const char *settings);
/* WF_ERR_VALUE: it is of another training. */
wf_status checkpoint_load(Trainer *t, Progress *p, TrainLog *l, const char *settings);
wf_status progress_keep(Trainer *t, Progress *p); /* the values of now are the best */
void progress_free(Trainer *t, Progress *p);

/* ---- loop.c ------------------------------------------------------------------------ */

/* stop: set by a signal; ends after the step with a checkpoint, WF_ERR_CANCELLED. */
wf_status train_run(wf_ctx *cx, const TrainOptions *o, const volatile sig_atomic_t *stop);
extern const char *const train_losses[],
    *const train_optimizers[]; /* names, NULL ends them */
/* The rate of a step, by the schedule ("cosine", "step:EPOCHS:FACTOR", "linear", with ",warmup:STEPS" behind); false: it
 * cannot be read. */
bool train_rate(const char *schedule, double lr, int64_t step, int64_t total,
                int64_t per_epoch, double *out);
/* "text: what", with numbers by printf */
wf_status train_fail(wf_ctx *cx, wf_status status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
