/* target_cuda.c -- NVIDIA GPUs as a target: CUDA C++, compiled at run time.
 *
 * Every op that can be is part of a kernel, even one alone: what is not is a copy, a call
 * of a library, or goes through the host (cuda/). Nothing is kept from walk to walk in
 * memory: computing again costs less there, and loads are kept in registers.
 */
#include "codegen/render.h"

#include <math.h>

const Target target_cuda = {
    .name = "cuda",
    .calls = CALL_ATTENTION,
    .apart_bytes = 16 << 20,
    .attention_queries = 32,
    .attention_keys = 64,
    .attention_causal_keys = 64,
    .forms = RENDER_MAP | RENDER_ROWS | RENDER_COLS | RENDER_WHILE,
    .renders = render_has,
    .render = render_cuda,
    .render_head = render_cuda_head,
    .join_rows = 32,
    .join_columns = 512,
    .join_copy = 2,
    .outer_maps = true,
    .short_sum = 16,
    .channels_last = true,
    .sums_half = true,
    .tail_flops = 2e8, /* smaller ones were slower so, not faster */
    .onehot_row = 256,
    .fuse_least = 1,
    .fuse_members = 96,
    .fuse_arrays = 40,
    .few_rows = 4,
    .block = 4096,
    .one_row = INT64_MAX,
    .gather_row = 1,
    .cheap_each = 24,
    .cheap_again = HUGE_VAL,
    .recompute = 300,
    .turn_least = INT64_MAX,
    .task = 1000,
    .tasks_of = render_cuda_tasks,
    .own_sizes = 1 << 20,
};
