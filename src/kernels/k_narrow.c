/* k_narrow.c -- products and convolutions of integers of 8 and 16 bits, summed in i32. */
#include "narrow.h"

#include "narrow_matmul.h"
#include "narrow_conv.h"

extern const KMatmulTable KERNEL_NAME(matmul_table_narrow);
const KMatmulTable KERNEL_NAME(matmul_table_narrow) = {narrow_matmul_workspace, narrow_matmul_run, narrow_matmul_packed_size,
                                                       narrow_matmul_pack, narrow_matmul_most};
extern const KConvTable KERNEL_NAME(conv_table_narrow);
const KConvTable KERNEL_NAME(conv_table_narrow) = {narrow_conv_workspace, narrow_conv_run, narrow_conv_packed_size,
                                                   narrow_conv_pack};
