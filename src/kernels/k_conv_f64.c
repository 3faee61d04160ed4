/* k_conv_f64.c -- convolution summed in f64. */
#define REAL_F64 1
#define MANY_FORMS
#include "conv_body.h"

extern const KConvTable REAL_NAME(conv_table);
const KConvTable REAL_NAME(conv_table) = {conv_workspace, conv_run, conv_packed_size,
                                          conv_pack};
