/* lib_nn.h -- modules that several tests build, and options in few words. */
#ifndef WEFT_LIB_NN_H
#define WEFT_LIB_NN_H

#include "test.h"

#define OPT(...)                                                                         \
    &(wf_conv_options) { sizeof(wf_conv_options), __VA_ARGS__ }
#define DIMS(...)                                                                        \
    (int64_t[]) { __VA_ARGS__ }
#define RNN(...)                                                                         \
    &(wf_rnn_options) { sizeof(wf_rnn_options), __VA_ARGS__ }

wf_module *three_layers(wf_ctx *c, wf_generator *g);
wf_module *a_dict(wf_ctx *c, wf_generator *g);

typedef struct Net {
    wf_module *m;
    wf_optim *o;
    int nparams, nstate;
} Net;

/* in: state.., x; out: y, state after. user: a Net */
wf_status pure_call(wf_ctx *c, void *user, const wf_tensor *in, int nin, wf_tensor *out, int nout);

#endif
