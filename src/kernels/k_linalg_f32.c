/* k_linalg_f32.c -- factorisations of matrices of f32. */
#define REAL_F64 0
#include "linalg_body.h"

extern const KLinalgTable REAL_NAME(linalg_table);
const KLinalgTable REAL_NAME(linalg_table) = {linalg_workspace, linalg_run};
