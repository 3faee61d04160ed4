/* nn.h -- what the files of nn share. */
#ifndef WEFT_NN_INTERNAL_H
#define WEFT_NN_INTERNAL_H

#include "weft.h"

/* init.c: a float as Python's repr writes it ("0.1", "1.0", "1e-05"); returns out */
typedef struct FloatText {
    char s[40];
} FloatText;
FloatText nn_float(double x);
/* wf_module_set_text with printf's format (no floats: locale) */
void nn_text(wf_ctx *c, wf_module *m, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* An error "TYPE: text" and true, if bad holds and the context is well. */
bool nn_refuse(wf_ctx *c, bool bad, const char *text);
/* layers.c: wf_nn_linear of another class name */
wf_module *nn_linear(wf_ctx *c, wf_generator *g, const char *type, int64_t in,
                     int64_t out, bool bias);
/* m, or NULL after freeing it if the context has an error. */
wf_module *nn_done(wf_ctx *c, wf_module *m);

#endif
