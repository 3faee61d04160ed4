/* k_matmul_f32.c -- matrix multiplication summed in f32. */
#define REAL_F64 0
#include "matmul_body.h"

extern const KMatmulTable REAL_NAME(matmul_table);
const KMatmulTable REAL_NAME(matmul_table) = {matmul_workspace, matmul_run,
                                               matmul_packed_size, matmul_pack, matmul_most};
