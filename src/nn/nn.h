/* nn.h -- what the files of nn share.
 *
 *   module.c        the tree            module_state.c    its parameters and buffers
 *   module_text.c   its printed form    module_file.c     it and its programs in a file
 *                                       module_method.c   the programs
 *   layers*.c models.c init.c           what trees are made of
 *   optim.c train.c data.c progress.c   what trains them
 */
#ifndef WEFT_NN_INTERNAL_H
#define WEFT_NN_INTERNAL_H

#include "weft.h"

#define NN_KEY "random_key" /* in a file: of the methods that draw random numbers */

typedef struct ParamPlace { /* of a parameter or a buffer */
    char *name;
    wf_tensor value, own; /* own: what value was before wf_module_call_with */
    bool is_param;
} ParamPlace;

typedef struct Child {
    char *name;
    wf_module *module;
} Child;

struct wf_module { /* module.c */
    int refs;
    bool training, lent; /* lent: inside wf_module_call_with */
    bool noted;          /* a failing part has said where it stands */
    char *type, *text, *printed;
    wf_forward forward;
    void *data;
    void (*drop)(wf_ctx *c, void *data); /* of what data holds; NULL: nothing */
    size_t data_size, printed_size;
    wf_module *parent; /* the one it was last added to, for messages */
    ParamPlace *places;
    Child *children;
    int nplaces, nchildren;
};

/* ---- util.c ---- */

/* memory of the context, zeroed; NULL with an error. Sizes are given back. */
void *nn_alloc(wf_ctx *c, size_t size);
void nn_free(wf_ctx *c, void *p, size_t size); /* NULL is fine */
char *nn_copy_text(wf_ctx *c, const char *s);
void nn_free_text(wf_ctx *c, char *s);
/* *list (a pointer to elements of that size), with room for n, gets room for n + 1. */
bool nn_one_more(wf_ctx *c, void *list, int n, size_t size);
/* growing text; lost: memory was exhausted, and the context knows */
typedef struct NnText {
    wf_ctx *c;
    char *s;
    size_t n, cap;
    bool lost;
} NnText;
void nn_put(NnText *b, const char *s, size_t n);
void nn_put_field(NnText *b, const char *s, const char *end); /* s, then one byte */
/* a float as Python's repr writes it ("0.1", "1.0", "1e-05") */
typedef struct FloatText {
    char s[40];
} FloatText;
FloatText nn_float(double x);
/* wf_module_set_text with printf's format (no floats: locale) */
void nn_text(wf_ctx *c, wf_module *m, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
#define NN_MOST ((int64_t)1 << 48) /* of a size that others are made of */
/* An error of that text and true, if bad holds; true too if the context has one. */
bool nn_refuse(wf_ctx *c, bool bad, const char *text);
/* WF_ERR_ARG "FUNCTION: the WHAT is NULL" and true, if it is; true too after an error. */
/* n of them at v? NULL holds none; false with WF_ERR_ARG. nn_call: of the inputs and results of a call, which are
 * WF_NONE from now on. */
bool nn_count(wf_ctx *c, const void *v, int n, const char *function);
bool nn_call(wf_ctx *c, const char *function, const wf_tensor *in, int nin,
             wf_tensor *out, int nout);
bool nn_null(wf_ctx *c, const void *p, const char *function, const char *what);
/* The error, or, of a callback that found nothing but wrong counts, WF_ERR_ARG. */
wf_status nn_gave_up(wf_ctx *c);
/* Options of the caller's size into those of this version, whose rest is zero. NULL: all zero. */
bool nn_options(wf_ctx *c, const char *function, const void *given, void *out,
                size_t size);
/* m, or NULL after freeing it if the context has an error. */
wf_module *nn_done(wf_ctx *c, wf_module *m);

/* ---- module_state.c ---- */

/* all parameters, or all state, in new memory */
typedef struct TensorList {
    wf_tensor *v; /* NULL after an error */
    int n, room;
} TensorList;
TensorList nn_list(wf_ctx *c, wf_module *m, bool buffers_too);
void nn_list_free(wf_ctx *c, TensorList *l);
bool nn_same(wf_tensor a, wf_tensor b); /* the same handle */
/* state[i] in every place of own.v[i]; and back again, with what stands there then */
void nn_lend(wf_module *m, const TensorList *own, const wf_tensor *state);
void nn_take_back(wf_module *m, const TensorList *own, wf_tensor *out_state);

/* ---- optim.c ---- */

typedef struct OptimPart { /* what is a parameter's own */
    double factor, decay;  /* of the rate; of the weight */
} OptimPart;

struct wf_optim { /* optim.c */
    int kind;
    double lr, a, b, eps; /* a, b: momentum; beta1, beta2; alpha, momentum; lr_decay */
    double clip;          /* gradients are scaled to this norm at most; 0: they are not */
    double scale;         /* of the loss, at first; 0: it is not scaled */
    int64_t good;         /* steps since the scale changed */
    bool nesterov;
    int64_t steps;
    int n, room, per;          /* parameters, and room for them; state tensors of each */
    wf_tensor *params, *state; /* kept; state[i * n + j] */
    OptimPart *parts;          /* of each parameter */
    int *with, nwith;          /* those that had gradients when jit was made */
    wf_jit *jit;               /* of the update of those; NULL: none yet */
};
int nn_optim_find(const wf_optim *o, wf_tensor param); /* its number, or -1 */
/* wf_optim_update of some parameters: number[j] is which j is. NULL: all. */
wf_status nn_optim_update(wf_ctx *c, const wf_optim *o, const int *number, wf_tensor lr,
                          wf_tensor step, const wf_tensor *params, const wf_tensor *grads,
                          const wf_tensor *state, int n, wf_tensor *out_params,
                          wf_tensor *out_state);

/* ---- layers.c ---- */

/* weight and bias as PyTorch draws them: uniform, the bias in +- 1 / sqrt(fan_in) */
void nn_add_weights(wf_ctx *c, wf_generator *g, wf_module *m, const int64_t *dims,
                    int rank, int64_t out, bool bias);
/* wf_nn_linear of another class name */
wf_module *nn_linear(wf_ctx *c, wf_generator *g, const char *type, int64_t in,
                     int64_t out, bool bias);

#endif
