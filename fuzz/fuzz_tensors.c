/* fuzz_tensors.c -- libFuzzer target: bytes as files of tensors alone (.npz, GGUF). Content tells formats apart, so that it is the
 * target of PyTorch's files with another corpus. */
#include "fuzz_torch.c"
