/* k_conv_f32.c -- convolution summed in f32. */
#define REAL_F64 0
#define MANY_FORMS
#include "conv_body.h"

extern const KConvTable REAL_NAME(conv_table);
const KConvTable REAL_NAME(conv_table) = {conv_workspace, conv_run, conv_packed_size,
                                          conv_pack};
