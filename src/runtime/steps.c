/* steps.c -- how the interpreter runs each op: the table of binders, by op or, where an
 * op has no row, by what its own row says it lowers to.
 *
 *   bind       makes the step. NULL: by the op's eval rule, on row-major arrays
 *   accept     which views operands 0, 1 and the others may be
 *   total      it cannot fail: with empty results there is nothing to do
 *   pairs      it takes complex numbers (which the pass planes has taken apart but for
 *              where they are moved, or the library has no kernel)
 *   in_place   whether a result may take the memory of an operand used for the last
 *              time (reuse.c)
 */
#include "runtime/comm.h"

#define D ACCEPT_DENSE
#define R ACCEPT_ROWS
#define A ACCEPT_ANY

#define COLLECTIVE(op) [OP_##op] = {bind_collective, {D, D, D}, PLACE_NEVER, false, true}
#define COMBINED(op)   [OP_##op] = {bind_collective, {D, D, D}, PLACE_ANY, false, true}
#define SCATTER(op) [OP_##op] = {bind_scatter, {D, D, D}, PLACE_FIRST, false, false}

/* clang-format off */
static const StepRow rows[OP_COUNT] = {
    [OP_cast] = {bind_cast, {R, D, D}, PLACE_ANY, true, false},
    [OP_real] = {bind_part, {A, D, D}, PLACE_NEVER, true, true},
    [OP_imag] = {bind_part, {A, D, D}, PLACE_NEVER, true, true},
    [OP_complex] = {bind_complex, {A, A, D}, PLACE_NEVER, true, true},

    [OP_const] = {bind_const, {D, D, D}, PLACE_NEVER, false, true},
    [OP_iota] = {bind_iota, {D, D, D}, PLACE_NEVER, true, false},
    [OP_dim] = {bind_dim, {D, D, D}, PLACE_NEVER, false, false},
    [OP_size] = {bind_size, {D, D, D}, PLACE_NEVER, false, false},
    [OP_reshape] = {bind_alias, {D, D, D}, PLACE_NEVER, false, true},
    [OP_bitcast] = {bind_alias, {A, D, D}, PLACE_NEVER, false, true},
    [OP_stop_gradient] = {bind_alias, {A, D, D}, PLACE_NEVER, false, true},
    [OP_name] = {bind_alias, {A, D, D}, PLACE_NEVER, false, true},
    [OP_opt_barrier] = {bind_alias, {A, A, A}, PLACE_NEVER, false, true},
    [OP_broadcast] = {bind_view, {A, D, D}, PLACE_NEVER, false, true},
    [OP_transpose] = {bind_view, {A, D, D}, PLACE_NEVER, false, true},
    [OP_slice] = {bind_view, {A, D, D}, PLACE_NEVER, false, true},
    [OP_rev] = {bind_view, {A, D, D}, PLACE_NEVER, false, true},
    [OP_pad] = {bind_pad, {A, D, D}, PLACE_NEVER, true, true},
    [OP_concat] = {bind_concat, {A, A, A}, PLACE_NEVER, true, true},

    [OP_argmax] = {bind_arg, {D, D, D}, PLACE_NEVER, false, false},
    [OP_argmin] = {bind_arg, {D, D, D}, PLACE_NEVER, false, false},
    [OP_sort] = {bind_sort, {D, D, D}, PLACE_NEVER, true, false},
    [OP_cumsum] = {bind_cum, {D, D, D}, PLACE_ANY, true, false},
    [OP_cumprod] = {bind_cum, {D, D, D}, PLACE_ANY, true, false},
    [OP_cumlogsumexp] = {bind_cum, {D, D, D}, PLACE_ANY, true, false},
    [OP_recur] = {bind_cum, {D, D, D}, PLACE_ANY, true, false},
    [OP_cummax] = {bind_cum, {D, D, D}, PLACE_NEVER, true, false},
    [OP_cummin] = {bind_cum, {D, D, D}, PLACE_NEVER, true, false},
    [OP_top_k] = {bind_top_k, {D, D, D}, PLACE_NEVER, false, false},
    [OP_reduce_window_max] = {bind_window, {D, D, D}, PLACE_NEVER, true, false},
    [OP_reduce_window_sum] = {bind_window, {D, D, D}, PLACE_NEVER, true, false},

    [OP_dynamic_slice] = {bind_dynamic_slice, {A, D, D}, PLACE_NEVER, false, true},
    [OP_dynamic_update_slice] = {bind_dynamic_update, {D, A, D}, PLACE_FIRST, false, true},
    [OP_gather] = {bind_gather, {A, D, D}, PLACE_NEVER, true, false},
    SCATTER(scatter), SCATTER(scatter_add), SCATTER(scatter_mul), SCATTER(scatter_min),
    SCATTER(scatter_max),
    [OP_nonzero] = {bind_nonzero, {D, D, D}, PLACE_NEVER, false, false},

    [OP_dot_general] = {bind_dot, {A, A, D}, PLACE_NEVER, true, false},
    [OP_conv_general] = {bind_conv, {A, A, D}, PLACE_NEVER, true, false},

    [OP_cholesky] = {bind_linalg, {D, D, D}, PLACE_NEVER, true, false},
    [OP_triangular_solve] = {bind_linalg, {D, D, D}, PLACE_NEVER, true, false},
    [OP_lu] = {bind_linalg, {D, D, D}, PLACE_NEVER, false, false},
    [OP_qr] = {bind_linalg, {D, D, D}, PLACE_NEVER, true, false},
    [OP_eigh] = {bind_linalg, {D, D, D}, PLACE_NEVER, true, false},
    [OP_svd] = {bind_linalg, {D, D, D}, PLACE_NEVER, true, false},
    [OP_fft] = {bind_fft, {D, D, D}, PLACE_NEVER, false, true},

    [OP_call] = {bind_call, {D, D, D}, PLACE_BODY, false, true},
    [OP_checkpoint] = {bind_call, {D, D, D}, PLACE_BODY, false, true},
    [OP_custom_jvp] = {bind_call, {D, D, D}, PLACE_BODY, false, true},
    [OP_custom_vjp] = {bind_call, {D, D, D}, PLACE_BODY, false, true},
    [OP_cond] = {bind_cond, {D, D, D}, PLACE_BODY, false, true},
    [OP_while] = {bind_while, {D, D, D}, PLACE_BODY, false, true},
    [OP_scan] = {bind_scan, {D, D, D}, PLACE_BODY, false, true},
    [OP_spmd] = {bind_spmd, {D, D, D}, PLACE_NEVER, false, true},

    COMBINED(psum), COMBINED(pmax), COMBINED(pmin), COLLECTIVE(all_gather), COLLECTIVE(reduce_scatter),
    COLLECTIVE(all_to_all), COLLECTIVE(ppermute),
    [OP_shard] = {bind_alias, {A, D, D}, PLACE_NEVER, false, true},
    [OP_pvary] = {bind_alias, {A, D, D}, PLACE_NEVER, false, true},
    [OP_axis_index] = {bind_axis_index, {D, D, D}, PLACE_NEVER, false, false},
};
/* clang-format on */

StepRow bind_row(unsigned op)
{
    static const StepRow map = {bind_map, {R, R, R}, PLACE_ANY, true, false},
                         reduce = {bind_reduce, {A, D, D}, PLACE_NEVER, true, false};

    if (rows[op].bind)
        return rows[op];
    switch (op_row(op)->lower.kind) {
    case LOWER_MAP: return map;
    case LOWER_REDUCE: return reduce;
    default: return rows[op];
    }
}
