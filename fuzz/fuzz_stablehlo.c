/* fuzz_stablehlo.c -- libFuzzer target: bytes as StableHLO text; otherwise that of ONNX models. */
#define FUZZ_NAME "fuzz.mlir"
#include "fuzz_onnx.c"
