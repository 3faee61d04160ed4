/* step.c -- one equation as C, by its op; and which ops have no C, and why. */
#include "export/export.h"

typedef struct Row {
    bool (*write)(Func *f);
    const char *refusal; /* why there is no C of it */
} Row;

static bool step_nothing(Func *f)
{
    (void)f;
    return true;
}

#define SIZES   "a size is known only when it runs, and memory is given beforehand"
#define LINES   "there is nothing to print on"
#define HOST    "the kernel is a function of the host"
#define ELSE    "is gone before code is made: an axis of vmap, or a rule, is missing"

/* Ops that are not here are elementwise or reductions. */
static const Row rows[OP_COUNT] = {
    [OP_const] = {step_const, NULL},
    [OP_iota] = {step_iota, NULL},
    [OP_dim] = {step_dim, NULL},
    [OP_reshape] = {step_reshape, NULL},
    [OP_bitcast] = {step_bitcast, NULL},
    [OP_stop_gradient] = {step_nothing, NULL},
    [OP_shard] = {step_nothing, NULL},
    [OP_name] = {step_nothing, NULL},
    [OP_opt_barrier] = {step_nothing, NULL},
    [OP_broadcast] = {step_view, NULL},
    [OP_transpose] = {step_view, NULL},
    [OP_slice] = {step_view, NULL},
    [OP_rev] = {step_view, NULL},
    [OP_pad] = {step_pad, NULL},
    [OP_concat] = {step_concat, NULL},
    [OP_argmax] = {step_arg, NULL},
    [OP_argmin] = {step_arg, NULL},
    [OP_cumsum] = {step_cum, NULL},
    [OP_cumprod] = {step_cum, NULL},
    [OP_cumlogsumexp] = {step_cum, NULL},
    [OP_recur] = {step_cum, NULL},
    [OP_cummax] = {step_cum_extreme, NULL},
    [OP_cummin] = {step_cum_extreme, NULL},
    [OP_sort] = {step_sort, NULL},
    [OP_top_k] = {step_top_k, NULL},
    [OP_fft] = {step_fft, NULL},
    [OP_cholesky] = {step_linalg, NULL},
    [OP_triangular_solve] = {step_linalg, NULL},
    [OP_lu] = {step_linalg, NULL},
    [OP_qr] = {step_linalg, NULL},
    [OP_eigh] = {step_linalg, NULL},
    [OP_eig] = {step_linalg, NULL},
    [OP_svd] = {step_linalg, NULL},
    [OP_reduce_window_max] = {step_window, NULL},
    [OP_reduce_window_sum] = {step_window, NULL},
    [OP_gather] = {step_gather, NULL},
    [OP_scatter] = {step_scatter, NULL},
    [OP_scatter_add] = {step_scatter, NULL},
    [OP_scatter_mul] = {step_scatter, NULL},
    [OP_scatter_min] = {step_scatter, NULL},
    [OP_scatter_max] = {step_scatter, NULL},
    [OP_dynamic_slice] = {step_dynamic_slice, NULL},
    [OP_dynamic_update_slice] = {step_dynamic_update, NULL},
    [OP_dot_general] = {step_dot, NULL},
    [OP_conv_general] = {step_conv, NULL},
    [OP_call] = {step_call, NULL},
    [OP_checkpoint] = {step_call, NULL},
    [OP_custom_jvp] = {step_call, NULL},
    [OP_custom_vjp] = {step_call, NULL},
    [OP_cond] = {step_cond, NULL},
    [OP_scan] = {step_scan, NULL},
    [OP_while] = {step_while, NULL},
    [OP_assert] = {step_assert, NULL},

    [OP_size] = {NULL, SIZES},
    [OP_nonzero] = {NULL, SIZES},
    [OP_print] = {NULL, LINES},
    [OP_host] = {NULL, HOST},
    [OP_callback] = {NULL, HOST},
    [OP_custom_lin] = {NULL, ELSE},
    [OP_psum] = {NULL, ELSE},
    [OP_pmax] = {NULL, ELSE},
    [OP_all_gather] = {NULL, ELSE},
    [OP_ppermute] = {NULL, ELSE},
    [OP_axis_index] = {NULL, ELSE},
};

static Row row_of(unsigned op)
{
    if (rows[op].write || rows[op].refusal)
        return rows[op];
    switch (op_row(op)->lower.kind) {
    case LOWER_MAP: return (Row){step_map, NULL};
    case LOWER_REDUCE: return (Row){step_reduce, NULL};
    default: return (Row){NULL, "there is no C of it"};
    }
}

const char *export_refusal(unsigned op) { return row_of(op).refusal; }

/* The equation as text, above what does it. */
static void write_comment(Func *f)
{
    Text t;

    if (op_has(f->e->op, OPF_VIEW | OPF_SAME) || f->e->op == OP_const)
        return;
    text_init(&t, f->a);
    eqn_print(f->p, f->e, &t);
    if (t.n > 100)
        c_put_line(f, "/* %.96s .. */", c_comment(f->a, text_str(&t)));
    else
        c_put_line(f, "/* %s */", c_comment(f->a, text_str(&t)));
}

bool step_write(Func *f)
{
    Row r = row_of(f->e->op);

    if (r.refusal)
        return refuse_step(f, "%s", r.refusal);
    write_comment(f);
    return r.write(f);
}
