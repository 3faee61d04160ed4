/* step_linalg.c -- factorisations of real matrices: each is read into doubles, factored there by the
 * functions of op/factors.h, and its factors are written as their own type.
 */
#include "export/export.h"

typedef struct Matrix { /* the last two axes of a value */
    const char *rows, *cols, *size, *count; /* count: how many matrices */
    int64_t most;                           /* elements of one, at most */
} Matrix;

static Matrix matrix_of(Func *f, Val v)
{
    uint32_t rank = rank_of(f, v);
    Dim rows = c_size_of(f, v, rank - 2), cols = c_size_of(f, v, rank - 1), size = dim_mul(&f->dims, rows, cols), n = 1;

    for (uint32_t i = 0; i + 2 < rank; i++)
        n = dim_mul(&f->dims, n, c_size_of(f, v, i));
    return (Matrix){c_dim_in(f, rows), c_dim_in(f, cols), c_dim_in(f, size), c_dim_in(f, n), c_most_of(f, size)};
}

/* The smaller of the two sizes of operand 0. */
static Dim short_side(Func *f)
{
    Val x = in_of(f, 0);

    return dim_min(&f->dims, c_size_of(f, x, rank_of(f, x) - 2), c_size_of(f, x, rank_of(f, x) - 1));
}

/* Workspace of the step, declared. */
static const char *workspace(Func *f, const char *type, const char *name, int64_t n)
{
    name = c_unique(f->a, &f->names, name);
    c_put_line(f, "%s *const %s = %s;", type, name, step_memory(f, 8 * n, type));
    return name;
}

static const char *doubles(Func *f, const char *name, int64_t n) { return workspace(f, "double", name, n); }

/* Matrix i0 of v, of so many elements, to doubles; and back. */
static void load(Func *f, Val v, const char *size, const char *to)
{
    c_put_line(f, "%s(%s, %s + i0 * %s, %s);", c_need_of(f->c, "widen", dtype_of(f, v)), to, c_at_of(f, v), size, size);
}

static void store(Func *f, Val v, const char *size, const char *from)
{
    c_put_line(f, "%s(%s + i0 * %s, %s, %s);", c_need_of(f->c, "narrow", dtype_of(f, v)), c_at_of(f, v), size, from, size);
}

static void write_cholesky(Func *f)
{
    Matrix x = matrix_of(f, in_of(f, 0));
    const char *a = doubles(f, "a", x.most);

    c_open_for(f, "i0", x.count);
    load(f, in_of(f, 0), x.size, a);
    c_put_line(f, "%s(%s, %s);", c_need(f->c, "cholesky"), a, x.rows);
    store(f, out_of(f, 0), x.size, a);
}

/* x op(a) = y is op(a)^T x^T = y^T, row by row. */
static void write_solve(Func *f)
{
    const SolveAttr *s = f->e->attr;
    Matrix a = matrix_of(f, in_of(f, 0)), y = matrix_of(f, in_of(f, 1));
    bool trans = s->trans != !s->left;
    const char *as = doubles(f, "a", a.most), *xs = doubles(f, "x", y.most);
    const char *call = arena_printf(f->a, "%s(%s, %s, %d, %d, %d, ", c_need(f->c, "substitute"), as, a.rows, trans,
                                    s->lower != trans, s->unit);

    c_open_for(f, "i0", y.count);
    load(f, in_of(f, 0), a.size, as);
    load(f, in_of(f, 1), y.size, xs);
    if (s->left) {
        c_put_line(f, "%s%s, %s, %s);", call, xs, y.cols, y.cols);
    } else {
        c_put_line(f, "for (ptrdiff_t i1 = 0; i1 < %s; i1++)", y.rows);
        c_put_line(f, "    %s%s + i1 * %s, 1, 1);", call, xs, y.cols);
    }
    store(f, out_of(f, 0), y.size, xs);
}

static void write_lu(Func *f)
{
    Matrix x = matrix_of(f, in_of(f, 0));
    const char *a = doubles(f, "a", x.most);

    c_open_for(f, "i0", x.count);
    load(f, in_of(f, 0), x.size, a);
    c_put_line(f, "%s(%s, %s, %s, %s + i0 * %s, %s + i0 * %s);", c_need(f->c, "lu"), a, x.rows, x.cols,
               c_at_of(f, out_of(f, 1)), c_dim_in(f, short_side(f)), c_at_of(f, out_of(f, 2)), x.rows);
    store(f, out_of(f, 0), x.size, a);
}

/* R is written over all of A, of which its first rows are taken. */
static void write_qr(Func *f)
{
    Matrix x = matrix_of(f, in_of(f, 0)), q = matrix_of(f, out_of(f, 0)), r = matrix_of(f, out_of(f, 1));
    const char *a = doubles(f, "a", x.most), *b = doubles(f, "b", q.most),
               *tau = doubles(f, "tau", c_most_of(f, short_side(f)));

    c_open_for(f, "i0", x.count);
    load(f, in_of(f, 0), x.size, a);
    c_put_line(f, "%s(%s, %s, %s, %s, %s, %s);", c_need(f->c, "qr"), a, x.rows, x.cols, b, q.cols, tau);
    store(f, out_of(f, 0), q.size, b);
    store(f, out_of(f, 1), r.size, a);
}

static void write_eigh(Func *f)
{
    Matrix x = matrix_of(f, in_of(f, 0));
    int64_t n = c_most_of(f, short_side(f));
    const char *a = doubles(f, "a", x.most), *v = doubles(f, "v", x.most), *w = doubles(f, "w", n),
               *key = doubles(f, "key", n), *order = workspace(f, "int64_t", "order", n);

    c_open_for(f, "i0", x.count);
    load(f, in_of(f, 0), x.size, a);
    c_put_line(f, "%s(%s, %s, %s, %s, %s, %s);", c_need(f->c, "eigh"), a, x.rows, w, v, key, order);
    store(f, out_of(f, 0), x.rows, w);
    store(f, out_of(f, 1), x.size, a);
}

/* Of a matrix wider than tall the factors of its transpose, exchanged. */
static void write_svd(Func *f)
{
    Matrix x = matrix_of(f, in_of(f, 0)), left = matrix_of(f, out_of(f, 0)), right = matrix_of(f, out_of(f, 2));
    Dim least = short_side(f);
    int64_t n = c_most_of(f, least);
    uint32_t rank = rank_of(f, in_of(f, 0));
    Dim rows = c_size_of(f, in_of(f, 0), rank - 2), cols = c_size_of(f, in_of(f, 0), rank - 1);
    bool tall = dim_known_ge(&f->dims, rows, cols), wide = !tall && dim_known_ge(&f->dims, cols, rows);
    const char *k = c_dim_in(f, least), *a = doubles(f, "a", x.most), *g = doubles(f, "g", x.most),
               *u = doubles(f, "u", x.most), *v = doubles(f, "v", n * n), *s = doubles(f, "s", n),
               *key = doubles(f, "key", n), *order = workspace(f, "int64_t", "order", n),
               *turn = c_need(f->c, "transpose"), *svd = c_need(f->c, "svd");

    c_open_for(f, "i0", x.count);
    load(f, in_of(f, 0), x.size, g);
    if (!tall && !wide)
        c_open_block(f, "if (%s < %s)", x.rows, x.cols);
    if (!tall) {
        c_put_line(f, "%s(%s, %s, %s, %s);", turn, g, x.rows, x.cols, a);
        c_put_line(f, "%s(%s, %s, %s, %s, %s, %s, %s, %s);", svd, a, x.cols, k, u, s, v, key, order);
        store(f, out_of(f, 0), left.size, a);
        c_put_line(f, "%s(%s, %s, %s, %s);", turn, u, x.cols, k, a);
    }
    if (!tall && !wide) {
        c_close_block(f);
        c_open_block(f, "else");
    }
    if (!wide) {
        c_put_line(f, "%s(%s, %s, %s, %s, %s, %s, %s, %s);", svd, g, x.rows, k, u, s, v, key, order);
        store(f, out_of(f, 0), left.size, u);
        c_put_line(f, "%s(%s, %s, %s, %s);", turn, g, k, k, a);
    }
    if (!tall && !wide)
        c_close_block(f);
    store(f, out_of(f, 1), k, s);
    store(f, out_of(f, 2), right.size, a);
}

bool step_linalg(Func *f)
{
    if (dtype_is_complex(dtype_of(f, in_of(f, 0))))
        return refuse_step(f, "%s", "there is no C of it for complex matrices");
    c_open_block(f, "%s", "");
    switch (f->e->op) {
    case OP_cholesky: write_cholesky(f); break;
    case OP_triangular_solve: write_solve(f); break;
    case OP_lu: write_lu(f); break;
    case OP_qr: write_qr(f); break;
    case OP_eigh: write_eigh(f); break;
    default: write_svd(f);
    }
    c_close_blocks(f, 2);
    return true;
}
