/* lib_gpu.h -- the functions of CUDA's libraries, done by the host: its driver with memory of the host, and a compiler
 * that is the host's C++ compiler. All of src/cuda runs on it, generated kernels included. */
#ifndef WEFT_LIB_GPU_H
#define WEFT_LIB_GPU_H

#include "cuda/cuda.h"

/* Is there a C++ compiler to do it with? */
bool gpu_possible(void);
/* A runtime with one such GPU; the caller's. */
wf_runtime *gpu_runtime(void);
/* One whose compiler is NVIDIA's own; what it makes cannot run, and launches do nothing. NULL: it is not on this machine. */
wf_runtime *gpu_compiler(void);
extern atomic_int gpu_cubins; /* that were loaded so far */
/* Launches so far; and the one after so many that fails (0: none). */
extern long gpu_launches, gpu_fail_at;
/* Graphs launched, every second of them in waves of what need not wait; nodes beside others in a wave. */
extern long gpu_replays, gpu_side_by_side;
extern long gpu_hurried; /* kernels of graphs that were given a priority */
extern long gpu_singles; /* of those, of one kernel whose arguments were set before */
extern atomic_int gpu_refused; /* texts that did not compile */
/* Texts that the spare compiler compiled; and whether the first one waits, ten seconds at most, until it has begun another. */
extern atomic_int gpu_spared, gpu_waits;
/* The device of a context of that runtime. */
wf_device *gpu_of(wf_ctx *cx);

#endif
