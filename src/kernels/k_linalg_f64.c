/* k_linalg_f64.c -- factorisations of matrices of f64. */
#define REAL_F64 1
#include "linalg_body.h"

extern const KLinalgTable REAL_NAME(linalg_table);
const KLinalgTable REAL_NAME(linalg_table) = {linalg_workspace, linalg_run};
