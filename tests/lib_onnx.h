/* lib_onnx.h -- cases of ONNX's backend suite. */
#ifndef WEFT_LIB_ONNX_H
#define WEFT_LIB_ONNX_H

#include "onnx/onnx.h"

typedef struct OnnxBytes {
    char *data;
    size_t size;
} OnnxBytes;

typedef struct OnnxCase {
    const char *name;
    OnnxBytes model, in[64], out[64];
    int nin, nout;
    wf_array *first; /* the one input; NULL: those in `in` */
    double rtol, atol;
    bool random; /* numbers differ from run to run: types and shapes are compared */
} OnnxCase;

/* In which way it passes: 'D', 'S', 'V', or 0 and why not. */
char onnx_run_case(wf_ctx *c, const OnnxCase *k, char *why, size_t room);

#endif
