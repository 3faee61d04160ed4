/* weft_nn.h -- neural networks: a tree of modules, optimisers, data.
 *
 *     wf_module *in = wf_nn_linear(c, g, 64, 32, true);
 *     wf_module *out = wf_nn_linear(c, g, 32, 10, true);
 *     wf_module *net = wf_nn_sequential(c, 3, in, wf_nn_relu(c), out);
 *     wf_optim *opt = wf_adam(c, net, 1e-3, 0.9, 0.999, 1e-8, 0);
 *     wf_loader *data = wf_loader_new(c, xy, 2, 32, g, false);
 *     for (wf_scope_begin(c); wf_loader_next(c, data, batch, 2); wf_scope_end(c), wf_scope_begin(c)) {
 *         y = wf_forward_one(c, net, batch[0]);
 *         loss = wf_cross_entropy(c, y, batch[1], WF_NONE, -100, 0, WF_MEAN);
 *         wf_optim_zero_grad(c, opt);
 *         wf_backward(c, loss, WF_NONE, 0);
 *         wf_optim_step(c, opt);
 *     }
 *     wf_scope_end(c);                                what a batch made is gone; what is wrong is in wf_ctx_message(c)
 *
 * Names, defaults, printed text and, from the same seed, first weights are PyTorch's.
 *
 * Ownership   A constructor gives one reference; adding a module to another hands that
 *             reference over. So freeing the root frees the tree. wf_module_retain makes
 *             a part live on alone. A module belongs to one context and is freed before
 *             it, as are optimisers, which hold the parameters, and loaders, which hold their
 *             tensors: these and modules are freed in any order. Generators are borrowed and
 *             must outlive the modules that drop out and the loaders that shuffle.
 * Errors      Constructors give NULL, calls WF_NONE or a status; NULL modules are passed
 *             through, so that a tree can be built in one expression and checked once. A
 *             failing call adds a note with the path of the module.
 */
#include "weft.h" /* brings this header in at its end */
#ifndef WEFT_NN_H
#define WEFT_NN_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wf_module wf_module;

/* ---- the tree ---------------------------------------------------------------------- */

/* Computes out[0..nout-1] of in[0..nin-1]. */
typedef wf_status (*wf_forward)(wf_ctx *c, wf_module *m, const wf_tensor *in, int nin,
                                wf_tensor *out, int nout);

/* A module of the caller's own. type: its class name in print. data_size: zeroed bytes
 * for wf_module_data. */
WF_API wf_module *wf_module_new(wf_ctx *c, const char *type, wf_forward forward,
                                size_t data_size);
WF_API wf_module *wf_module_retain(wf_module *m);
WF_API void wf_module_release(wf_ctx *c, wf_module *m); /* NULL is fine */
WF_API void *wf_module_data(wf_module *m);
/* What is printed between the parentheses. */
WF_API void wf_module_set_text(wf_ctx *c, wf_module *m, const char *text);

/* The child belongs to m now. A second child of that name is WF_ERR_NAME. Returns the
 * child. */
WF_API wf_module *wf_module_add(wf_ctx *c, wf_module *m, const char *name,
                                wf_module *child);
/* The value is kept; a parameter requires a gradient. WF_NONE: a place that is left empty
 * (no bias). Returns the number of the place, counted over parameters and buffers of m;
 * -1 after an error. */
WF_API int wf_module_add_param(wf_ctx *c, wf_module *m, const char *name,
                               wf_tensor value);
WF_API int wf_module_add_buffer(wf_ctx *c, wf_module *m, const char *name,
                                wf_tensor value);
/* What stands in a place, WF_NONE if nothing does; and a new value for a buffer: written
 * into its memory, or, inside wf_module_call_with, taken as its value after the call. */
WF_API wf_tensor wf_module_value(const wf_module *m, int place);
WF_API wf_status wf_module_set_value(wf_ctx *c, wf_module *m, int place, wf_tensor value);

WF_API const char *wf_module_type(const wf_module *m);
WF_API int wf_module_children(const wf_module *m);
WF_API wf_module *wf_module_child(const wf_module *m, int i); /* borrowed */
WF_API const char *wf_module_child_name(const wf_module *m, int i);
WF_API wf_module *
wf_module_find(wf_module *m, const char *path); /* "layers.0"; "" is m; NULL if absent */
WF_API wf_tensor wf_module_tensor(
    wf_module *m, const char *path); /* "layers.0.weight"; WF_NONE if absent */

/* ---- using it ---------------------------------------------------------------------- */

WF_API wf_status wf_module_call(wf_ctx *c, wf_module *m, const wf_tensor *in, int nin,
                                wf_tensor *out, int nout);
WF_API wf_tensor wf_forward_one(wf_ctx *c, wf_module *m,
                                wf_tensor x); /* one input, one result */
/* The same with other numbers in place of its own: state is all parameters, then all
 * buffers, in order. out_state (may be NULL): the state after the call. So a module is a
 * pure function, to be traced, derived and vmapped. */
WF_API wf_status wf_module_call_with(wf_ctx *c, wf_module *m, const wf_tensor *state,
                                     int nstate, const wf_tensor *in, int nin,
                                     wf_tensor *out, int nout, wf_tensor *out_state);

WF_API void wf_module_train(wf_module *m, bool on); /* the whole tree; on at first */
WF_API bool wf_module_training(const wf_module *m);
WF_API wf_status wf_module_freeze(wf_ctx *c, wf_module *m,
                                  bool frozen); /* parameters require no gradient */
WF_API wf_status wf_module_cast(wf_ctx *c, wf_module *m,
                                wf_dtype dtype); /* floats of the whole tree */
WF_API wf_status wf_module_to(wf_ctx *c, wf_module *m,
                              wf_device *d); /* parameters and buffers of the whole tree; before optimisers are made */
WF_API wf_status wf_module_zero_grad(wf_ctx *c, wf_module *m);
/* Up to room handles; returns how many there are. Shared ones come once. state:
 * parameters, then buffers. */
WF_API int wf_module_parameters(wf_module *m, wf_tensor *out, int room);
WF_API int wf_module_state(wf_module *m, wf_tensor *out, int room);
WF_API int64_t wf_module_count(wf_ctx *c, wf_module *m,
                               bool trainable_only); /* numbers in parameters */

/* Every module, parents first, and every parameter and buffer in the order of PyTorch's
 * state dict, with its path. The status that ends a visit is what the visit gives; it is
 * not recorded in the context. */
typedef wf_status (*wf_module_visitor)(void *user, const char *path, wf_module *m);
typedef wf_status (*wf_state_visitor)(void *user, const char *path, wf_tensor t,
                                      bool is_param);
WF_API wf_status wf_module_visit(wf_ctx *c, wf_module *m, wf_module_visitor fn,
                                 void *user);
WF_API wf_status wf_module_visit_state(wf_ctx *c, wf_module *m, wf_state_visitor fn,
                                       void *user);
/* The tree as PyTorch prints it. The text lives until the next call on m. "" after an
 * error. */
WF_API const char *wf_module_text(wf_ctx *c, wf_module *m);

/* ---- files ----------------------------------------------------------------------------
 *
 *     wf_module_store(c, net, file);
 *     wf_optim_store(c, opt, file);
 *     wf_optim_add_step(c, opt, net, file, "train", loss, NULL, types, 2);
 *     wf_module_train(net, false);                           programs are of the mode the module is in
 *     wf_module_add_method(c, net, file, "forward", NULL, NULL, types, 1, 1);
 *     wf_model_save(c, file, "net.weft");
 *
 * and in a program that knows nothing but the file:
 *
 *     wf_model_load(c, "net.weft", &file);
 *     wf_model_run(c, file, "forward", &x, 1, &y, 1);
 *     wf_model_run(c, file, "train", xy, 2, &loss, 1);
 */

/* The state dict as tensors of a model file, by name, with the tree; and back: all names
 * of the module must be there, with its shapes. */
WF_API wf_status wf_module_store(wf_ctx *c, wf_module *m, wf_model *file);
WF_API wf_status wf_module_restore(wf_ctx *c, wf_module *m, const wf_model *file);

/* What a method does with the module: sets out[..] from in[..]. */
typedef wf_status (*wf_method)(wf_ctx *c, void *user, wf_module *m, const wf_tensor *in,
                               int nin, wf_tensor *out, int nout);
/* A program of the module's state and of inputs of the given types ("f32[N,64]", or with a
 * name "image: f32[N,64]"; else they are x0, x1 ..) is put into the file; fn NULL: the
 * module's own forward. It does what the module does in the mode that it is in now (wf_module_train): made in
 * training, it changes buffers that training changes, at every run. */
WF_API wf_status wf_module_add_method(wf_ctx *c, wf_module *m, wf_model *file,
                                      const char *name, wf_method fn, void *user,
                                      const char *const *types, int nin, int nout);
/* Runs a program of the file. Inputs that are tensors of the file are taken from there,
 * the others are `in`; tensors that the method changes are changed in the file (in
 * memory: wf_model_save writes it). WF_ERR_NAME: there is no such method. A method that
 * changes nothing may be run on one file from many threads at once, each with a context of
 * its own. */
WF_API wf_status wf_model_run(wf_ctx *c, wf_model *file, const char *name,
                              const wf_tensor *in, int nin, wf_tensor *out, int nout);
/* What a method takes and gives: the tensors of the file that it needs, with their roles, then its arguments; its results,
 * then the tensors of the file that it changes. A program that is no method has inputs and results. */
WF_API wf_status wf_model_input_info(wf_ctx *c, const wf_model *file, const char *name, int i,
                                     wf_value_info *out_info);
WF_API wf_status wf_model_output_info(wf_ctx *c, const wf_model *file, const char *name, int i,
                                      wf_value_info *out_info);
/* What the file says a tensor of it is: a parameter, a buffer, or neither (WF_ROLE_STATE). */
WF_API wf_role wf_model_tensor_role(const wf_model *file, int i);
/* How many of the first inputs of a method are tensors of the file (0 for a program that
 * is no method), and the first `room` of them, borrowed. -1 after an error. */
WF_API int wf_model_method_state(wf_ctx *c, const wf_model *file, const char *name,
                                 wf_array **out, int room);
/* The program of a method with the tensors of the file as constants: to be compiled and run on its own inputs, or
 * derived; its results, then new values of the tensors that the method changes. A program that is no method is given back
 * as it is. WF_ERR_NAME: there is no such program. To be released. */
WF_API wf_status wf_model_bind(wf_ctx *c, const wf_model *file, const char *name,
                               const wf_program **out);
/* Machine code for all methods, as they stand (wf_model_run) and with the tensors that the file has now as constants
 * (wf_model_bind), in place of what there was; see wf_model_add_code. No isas: all up to this machine's. */
WF_API wf_status wf_model_compile(wf_ctx *c, wf_model *file, const char *const *isas, int n);
/* The tree of a file as a module: its parts, names and text; calling it runs "forward",
 * or, in training, "forward_train" if the file has it (WF_ERR_UNSUPPORTED, if the file says that
 * it should have one: a script that draws random numbers); other methods by name. Its
 * parameters are recorded as those of any module, so any optimiser trains it. It is in training at first, as any module:
 * wf_module_train(m, false) before it is used. */
WF_API wf_module *wf_module_load(wf_ctx *c, const wf_model *file);
WF_API wf_status wf_module_run(wf_ctx *c, wf_module *m, const char *name,
                               const wf_tensor *in, int nin, wf_tensor *out, int nout);

/* ---- initial numbers, PyTorch's torch.nn.init: of new f32 tensors ----------------- */

WF_API wf_tensor wf_init_uniform(wf_ctx *c, wf_generator *g, const int64_t *dims,
                                 int rank, double from, double to);
WF_API wf_tensor wf_init_normal(wf_ctx *c, wf_generator *g, const int64_t *dims, int rank,
                                double mean, double std);
WF_API wf_tensor wf_init_xavier_uniform(wf_ctx *c, wf_generator *g, const int64_t *dims,
                                        int rank, double gain);
WF_API wf_tensor wf_init_xavier_normal(wf_ctx *c, wf_generator *g, const int64_t *dims,
                                       int rank, double gain);
/* slope: of the leaky relu that follows; 0 for relu; sqrt(5) is the default of layers */
WF_API wf_tensor wf_init_kaiming_uniform(wf_ctx *c, wf_generator *g, const int64_t *dims,
                                         int rank, double slope);
WF_API wf_tensor wf_init_kaiming_normal(wf_ctx *c, wf_generator *g, const int64_t *dims,
                                        int rank, double slope);

/* ---- layers ---------------------------------------------------------------------------
 *
 * g NULL: the context's generator. */

WF_API wf_module *wf_nn_linear(wf_ctx *c, wf_generator *g, int64_t in, int64_t out,
                               bool bias);

typedef struct wf_conv_options { /* zeros mean PyTorch's defaults */
    size_t size;                 /* sizeof(wf_conv_options) */
    int64_t stride, padding, output_padding, dilation, groups;
    bool no_bias;
    /* of each axis where they differ; 0: the number for all */
    int64_t kernels[3], strides[3], paddings[3], output_paddings[3], dilations[3];
} wf_conv_options;
#define WF_NN_CONV(name)                                                                 \
    WF_API wf_module *wf_nn_##name(wf_ctx *c, wf_generator *g, int64_t in, int64_t out,  \
                                   int64_t kernel, const wf_conv_options *o);
WF_NN_CONV(conv1d)
WF_NN_CONV(conv2d)
WF_NN_CONV(conv3d)
WF_NN_CONV(conv_transpose1d)
WF_NN_CONV(conv_transpose2d)
WF_NN_CONV(conv_transpose3d)

WF_API wf_module *wf_nn_batch_norm1d(wf_ctx *c, int64_t channels, double eps,
                                     double momentum);
WF_API wf_module *wf_nn_batch_norm2d(wf_ctx *c, int64_t channels, double eps,
                                     double momentum);
WF_API wf_module *wf_nn_batch_norm3d(wf_ctx *c, int64_t channels, double eps,
                                     double momentum);
WF_API wf_module *wf_nn_layer_norm(wf_ctx *c, const int64_t *dims, int rank, double eps);
WF_API wf_module *wf_nn_rms_norm(wf_ctx *c, const int64_t *dims, int rank, double eps);
WF_API wf_module *wf_nn_group_norm(wf_ctx *c, int64_t groups, int64_t channels,
                                   double eps);
WF_API wf_module *wf_nn_embedding(wf_ctx *c, wf_generator *g, int64_t count,
                                  int64_t size);
/* In training it draws its masks from g (NULL: the context's generator) or, between
 * wf_random_key_begin and _end, by key. In a program it needs the key (WF_ERR_VALUE), but in methods
 * (wf_module_add_method, wf_optim_add_step): those have one, the tensor random_key of the file. */
WF_API wf_module *wf_nn_dropout(wf_ctx *c, wf_generator *g, double p);

WF_API wf_module *wf_nn_relu(wf_ctx *c);
WF_API wf_module *wf_nn_gelu(wf_ctx *c, bool with_tanh);
WF_API wf_module *wf_nn_silu(wf_ctx *c);
WF_API wf_module *wf_nn_tanh(wf_ctx *c);
WF_API wf_module *wf_nn_sigmoid(wf_ctx *c);
WF_API wf_module *wf_nn_elu(wf_ctx *c, double alpha);
WF_API wf_module *wf_nn_leaky_relu(wf_ctx *c, double slope);
WF_API wf_module *wf_nn_softplus(wf_ctx *c, double beta);
WF_API wf_module *wf_nn_softmax(wf_ctx *c, int axis);
WF_API wf_module *wf_nn_log_softmax(wf_ctx *c, int axis);

typedef struct wf_pool_options {
    size_t size;                               /* sizeof(wf_pool_options) */
    int64_t window, stride, padding, dilation; /* stride 0: the window; dilation 0: 1 */
    bool ceil_mode;                            /* as many windows as begin inside */
    bool no_padding_count;                     /* avg: padding is not in the mean */
    int64_t windows[3], strides[3], paddings[3], dilations[3]; /* 0: the number for all */
} wf_pool_options;
/* axes: 1..3, the last ones of the input */
WF_API wf_module *wf_nn_max_pool(wf_ctx *c, int axes, const wf_pool_options *o);
WF_API wf_module *wf_nn_avg_pool(wf_ctx *c, int axes, const wf_pool_options *o);
WF_API wf_module *wf_nn_adaptive_avg_pool(wf_ctx *c, int axes, const int64_t *sizes);
WF_API wf_module *wf_nn_adaptive_max_pool(wf_ctx *c, int axes, const int64_t *sizes);
/* the common ones in short */
WF_API wf_module *wf_nn_max_pool2d(wf_ctx *c, int64_t window, int64_t stride,
                                   int64_t padding, bool ceil_mode);
WF_API wf_module *wf_nn_avg_pool2d(wf_ctx *c, int64_t window, int64_t stride,
                                   int64_t padding);
WF_API wf_module *wf_nn_adaptive_avg_pool2d(wf_ctx *c, int64_t size);

WF_API wf_module *wf_nn_flatten(wf_ctx *c, int from, int to);
WF_API wf_module *wf_nn_identity(wf_ctx *c);

WF_API wf_module *wf_nn_sequential(wf_ctx *c, int n,
                                   ...); /* n wf_module *, named "0", "1" .. */
WF_API wf_module *wf_nn_list(wf_ctx *c, int n, ...); /* cannot be called */
WF_API wf_module *
wf_nn_dict(wf_ctx *c); /* cannot be called; fill it with wf_module_add */
/* The child is named by its number. Returns m, also after an error. */
WF_API wf_module *wf_module_append(wf_ctx *c, wf_module *m, wf_module *child);

/* Recurrent layers. in: x [time, batch, in] (batch_first: [batch, time, in]; or [time,
 * in]) and, if wished, h (LSTM: h, c) of [layers * directions, batch, hidden]. out: y,
 * and, if asked for, h (LSTM: h, c). A scan over time, which may be symbolic. */
typedef struct wf_rnn_options { /* zeros mean PyTorch's defaults */
    size_t size;                /* sizeof(wf_rnn_options) */
    int layers;
    bool batch_first, bidirectional, no_bias;
    bool relu;          /* RNN: in place of tanh */
    double dropout;     /* between layers, in training; draws as wf_nn_dropout does */
    int64_t projection; /* LSTM: h has this size */
} wf_rnn_options;
WF_API wf_module *wf_nn_rnn(wf_ctx *c, wf_generator *g, int64_t in, int64_t hidden,
                            const wf_rnn_options *o);
WF_API wf_module *wf_nn_lstm(wf_ctx *c, wf_generator *g, int64_t in, int64_t hidden,
                             const wf_rnn_options *o);
WF_API wf_module *wf_nn_gru(wf_ctx *c, wf_generator *g, int64_t in, int64_t hidden,
                            const wf_rnn_options *o);
/* Cells. in: x [batch, in] and, if wished, the state [batch, hidden] (LSTM: two). out:
 * the new state. */
WF_API wf_module *wf_nn_rnn_cell(wf_ctx *c, wf_generator *g, int64_t in, int64_t hidden);
WF_API wf_module *wf_nn_lstm_cell(wf_ctx *c, wf_generator *g, int64_t in, int64_t hidden);
WF_API wf_module *wf_nn_gru_cell(wf_ctx *c, wf_generator *g, int64_t in, int64_t hidden);

/* in: query, key, value [batch, time, size] (not batch_first: [time, batch, size]) and,
 * if wished, a mask: bool, true where attention is not allowed, or floats to be added.
 * out: y, and, if asked for, the weights averaged over heads. */
typedef struct wf_attention_options { /* zeros mean PyTorch's defaults */
    size_t size;                      /* sizeof(wf_attention_options) */
    bool batch_first, no_bias;
    double dropout; /* of the weights, in training; draws as wf_nn_dropout does */
} wf_attention_options;
WF_API wf_module *wf_nn_attention(wf_ctx *c, wf_generator *g, int64_t size, int64_t heads,
                                  const wf_attention_options *o);

/* ---- models ------------------------------------------------------------------------ */

/* Four branches side by side: 1x1; 1x1 and 3x3; 1x1 and 3x3 (as torchvision has it, for
 * 5x5); pool and 1x1. Each convolution is followed by batch norm and relu. */
WF_API wf_module *wf_nn_inception(wf_ctx *c, wf_generator *g, int64_t in, int64_t ch1,
                                  int64_t ch3_reduce, int64_t ch3, int64_t ch5_reduce,
                                  int64_t ch5, int64_t pool);
/* Images [N,1,28,28] (or any size from 8 on) to logits: a stem, two blocks, a mean, a
 * linear layer. */
WF_API wf_module *wf_nn_small_inception(wf_ctx *c, wf_generator *g, int64_t channels,
                                        int64_t classes);
WF_API wf_module *
wf_nn_googlenet(wf_ctx *c, wf_generator *g,
                int64_t classes); /* [N,3,224,224], no auxiliary heads */
/* Tokens i64[N,time] to logits [N,time,vocab]: pre-norm blocks of causal attention and a
 * gelu layer of 4*size. */
WF_API wf_module *wf_nn_gpt(wf_ctx *c, wf_generator *g, int64_t vocab, int64_t context,
                            int64_t size, int64_t heads, int layers, double dropout);

/* ---- optimisers -----------------------------------------------------------------------
 *
 * PyTorch's formulas and defaults. A step is a program of parameters, gradients and
 * state; wf_optim_update is that program's body, to be put into a larger one (forward,
 * backward, update). */

typedef struct wf_optim wf_optim;
WF_API wf_optim *wf_sgd(wf_ctx *c, wf_module *m, double lr, double momentum,
                        bool nesterov, double decay);
WF_API wf_optim *wf_adam(wf_ctx *c, wf_module *m, double lr, double beta1, double beta2,
                         double eps, double decay);
WF_API wf_optim *wf_adamw(wf_ctx *c, wf_module *m, double lr, double beta1, double beta2,
                          double eps, double decay);
WF_API wf_optim *wf_rmsprop(wf_ctx *c, wf_module *m, double lr, double alpha, double eps,
                            double decay, double momentum);
WF_API wf_optim *wf_adagrad(wf_ctx *c, wf_module *m, double lr, double lr_decay,
                            double eps, double decay);
WF_API void wf_optim_free(wf_ctx *c, wf_optim *o); /* NULL is fine */
/* Parameters without a gradient stay as they are. */
WF_API wf_status wf_optim_step(wf_ctx *c, wf_optim *o);
WF_API wf_status wf_optim_zero_grad(wf_ctx *c, wf_optim *o);
WF_API double wf_optim_lr(const wf_optim *o);
WF_API void wf_optim_set_lr(wf_optim *o, double lr);
WF_API int64_t wf_optim_steps(const wf_optim *o);
/* Steps, and steps as programs, first scale all gradients together down to this norm; 0: they do not (at first). */
WF_API void wf_optim_set_clip(wf_ctx *c, wf_optim *o, double norm);
/* Programs of steps (wf_optim_add_step) take gradients of the loss times a number, so that small ones survive in f16 (wf_mixed), and
 * divide by it: at first `scale`. A step whose gradients are not all finite changes neither parameters nor state and halves it; 2000
 * others in a row double it. 0: they do not (at first). Files have it as optim.scale and optim.good. wf_optim_step refuses. */
WF_API void wf_optim_set_scale(wf_ctx *c, wf_optim *o, double scale);

/* State tensors per parameter (0..2), all zeros at first: state[i * n + j] is number i of
 * parameter j. */
WF_API int wf_optim_state_per_param(const wf_optim *o);
WF_API wf_status wf_optim_update(wf_ctx *c, const wf_optim *o, wf_tensor lr,
                                 wf_tensor step, /* f64 scalars; step from 1 */
                                 const wf_tensor *params, const wf_tensor *grads,
                                 const wf_tensor *state, int n, wf_tensor *out_params,
                                 wf_tensor *out_state);
/* The parameters of a part of the tree go by the rate times factor, and by a decay of
 * their own. */
WF_API wf_status wf_optim_set_part(wf_ctx *c, wf_optim *o, wf_module *part, double factor,
                                   double decay);
/* State, steps and rate as tensors of a model file "optim.*", and back. WF_ERR_NAME: the file has another optimiser's
 * state, or that of other parameters; nothing is changed then. */
WF_API wf_status wf_optim_store(wf_ctx *c, wf_optim *o, wf_model *file);
WF_API wf_status wf_optim_restore(wf_ctx *c, wf_optim *o, const wf_model *file);

/* A whole training step as a method of the file: loss (of one result, a number), its
 * gradients, and the update; gives the loss. It needs the tensors that wf_module_store
 * and wf_optim_store put there. */
WF_API wf_status wf_optim_add_step(wf_ctx *c, wf_optim *o, wf_module *m, wf_model *file,
                                   const char *name, wf_method loss, void *user,
                                   const char *const *types, int nin);

/* Scales the gradients of all parameters so that their norm is at most `most`; returns
 * the norm before. */
WF_API double wf_clip_grad_norm(wf_ctx *c, wf_module *m, double most);
WF_API wf_status wf_clip_grad_value(wf_ctx *c, wf_module *m, double most);

/* Rates: of the first rate and the number of steps (or epochs) done. */
WF_API double wf_lr_step(double lr, int64_t done, int64_t every, double gamma);
WF_API double wf_lr_cosine(double lr, int64_t done, int64_t total, double lowest);
WF_API double wf_lr_lambda(double lr, int64_t done,
                           double (*factor)(void *user, int64_t done), void *user);

/* ---- data -------------------------------------------------------------------------- */

/* The 8x8 digits of the UCI collection: f32[1797,64] in 0..1, i64[1797]. Kept, to be
 * dropped by the caller. */
WF_API wf_status wf_data_digits(wf_ctx *c, wf_tensor *out_x, wf_tensor *out_y);
/* One IDX file (MNIST's form, not compressed): u8, i8, i16, i32, f32 or f64 as it is. */
WF_API wf_tensor wf_data_idx(wf_ctx *c, const char *path);
/* Rows of numbers: f64[rows,columns]. skip: header lines. */
WF_API wf_tensor wf_data_csv(wf_ctx *c, const char *path, char separator, int skip);
WF_API wf_tensor wf_data_npy(wf_ctx *c, const char *path);

/* Batches of rows of n tensors (kept by the loader) in a new random order each epoch; g
 * NULL: in order. */
typedef struct wf_loader wf_loader;
WF_API wf_loader *wf_loader_new(wf_ctx *c, const wf_tensor *data, int n, int64_t batch,
                                wf_generator *g, bool drop_last);
WF_API void wf_loader_free(wf_ctx *c, wf_loader *l);
WF_API int64_t wf_loader_batches(const wf_loader *l);
/* The next batch of the epoch, tensors of the current scope; false at its end (and after an
 * error), where the next call begins a new one. */
WF_API bool wf_loader_next(wf_ctx *c, wf_loader *l, wf_tensor *out, int n);

/* A line with count, rate, loss and time left on standard error, where that is a
 * terminal; else nothing. */
typedef struct wf_progress wf_progress;
WF_API wf_progress *wf_progress_new(wf_ctx *c, const char *name, int64_t total);
WF_API void wf_progress_step(wf_progress *p, double loss);
WF_API void wf_progress_free(wf_ctx *c, wf_progress *p); /* ends the line; NULL is fine */

#ifdef __cplusplus
}
#endif
#endif
