/* step_linalg.c -- factorisations of matrices: each is read into doubles, or pairs of them, factored there by the functions of
 * op/factors.h, op/factors_complex.h and op/factors_eig.h, and its factors are written as their own type.
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

/* Workspace of the step, declared: n of a type of so many bytes. */
static const char *workspace(Func *f, const char *type, int bytes, const char *name, int64_t n)
{
    name = c_unique(f->a, &f->names, name);
    c_put_line(f, "%s *const %s = %s;", type, name, step_memory(f, bytes * n, type));
    return name;
}

static const char *doubles(Func *f, const char *name, int64_t n) { return workspace(f, "double", 8, name, n); }
static const char *pairs(Func *f, const char *name, int64_t n) { return workspace(f, c_need(f->c, "z"), 16, name, n); }
static const char *places(Func *f, const char *name, int64_t n) { return workspace(f, "int64_t", 8, name, n); }

/* Are the matrices complex? What they are factored as, and the function that does it. */
static bool has_pairs(Func *f) { return dtype_is_complex(dtype_of(f, in_of(f, 0))); }
static const char *numbers(Func *f, const char *name, int64_t n) { return has_pairs(f) ? pairs(f, name, n) : doubles(f, name, n); }
static const char *factor(Func *f, const char *name)
{
    return c_need(f->c, has_pairs(f) ? arena_printf(f->a, "z_%s", name) : name);
}

/* Matrix i0 of v, of so many elements, to doubles or pairs; and back. */
static const char *convert(Func *f, const char *name, wf_dtype t)
{
    return c_need_of(f->c, dtype_is_complex(t) ? arena_printf(f->a, "z_%s", name) : name, t);
}

static void load(Func *f, Val v, const char *size, const char *to)
{
    c_put_line(f, "%s(%s, %s + i0 * %s, %s);", convert(f, "widen", dtype_of(f, v)), to, c_at_of(f, v), size, size);
}

static void store(Func *f, Val v, const char *size, const char *from)
{
    c_put_line(f, "%s(%s + i0 * %s, %s, %s);", convert(f, "narrow", dtype_of(f, v)), c_at_of(f, v), size, from, size);
}

static void write_cholesky(Func *f)
{
    Matrix x = matrix_of(f, in_of(f, 0));
    const char *a = numbers(f, "a", x.most);

    c_open_for(f, "i0", x.count);
    load(f, in_of(f, 0), x.size, a);
    c_put_line(f, "%s(%s, %s);", factor(f, "cholesky"), a, x.rows);
    store(f, out_of(f, 0), x.size, a);
}

/* x op(a) = y is op(a)^T x^T = y^T, row by row. */
static void write_solve(Func *f)
{
    const SolveAttr *s = f->e->attr;
    Matrix a = matrix_of(f, in_of(f, 0)), y = matrix_of(f, in_of(f, 1));
    bool trans = s->trans != !s->left;
    const char *as = numbers(f, "a", a.most), *xs = numbers(f, "x", y.most);
    const char *call = arena_printf(f->a, "%s(%s, %s, %d, %d, %d, ", factor(f, "substitute"), as, a.rows, trans,
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
    const char *a = numbers(f, "a", x.most);

    c_open_for(f, "i0", x.count);
    load(f, in_of(f, 0), x.size, a);
    c_put_line(f, "%s(%s, %s, %s, %s + i0 * %s, %s + i0 * %s);", factor(f, "lu"), a, x.rows, x.cols,
               c_at_of(f, out_of(f, 1)), c_dim_in(f, short_side(f)), c_at_of(f, out_of(f, 2)), x.rows);
    store(f, out_of(f, 0), x.size, a);
}

/* R is written over all of A, of which its first rows are taken. */
static void write_qr(Func *f)
{
    Matrix x = matrix_of(f, in_of(f, 0)), q = matrix_of(f, out_of(f, 0)), r = matrix_of(f, out_of(f, 1));
    const char *a = numbers(f, "a", x.most), *b = numbers(f, "b", q.most),
               *tau = numbers(f, "tau", c_most_of(f, short_side(f)));

    c_open_for(f, "i0", x.count);
    load(f, in_of(f, 0), x.size, a);
    c_put_line(f, "%s(%s, %s, %s, %s, %s, %s);", factor(f, "qr"), a, x.rows, x.cols, b, q.cols, tau);
    store(f, out_of(f, 0), q.size, b);
    store(f, out_of(f, 1), r.size, a);
}

static void write_eigh(Func *f)
{
    Matrix x = matrix_of(f, in_of(f, 0));
    int64_t n = c_most_of(f, short_side(f));
    const char *a = numbers(f, "a", x.most), *v = numbers(f, "v", x.most), *w = doubles(f, "w", n),
               *key = doubles(f, "key", n), *order = places(f, "order", n);

    c_open_for(f, "i0", x.count);
    load(f, in_of(f, 0), x.size, a);
    c_put_line(f, "%s(%s, %s, %s, %s, %s, %s);", factor(f, "eigh"), a, x.rows, w, v, key, order);
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
    const char *k = c_dim_in(f, least), *a = numbers(f, "a", x.most), *g = numbers(f, "g", x.most),
               *u = numbers(f, "u", x.most), *v = numbers(f, "v", n * n), *s = doubles(f, "s", n),
               *key = doubles(f, "key", n), *order = places(f, "order", n),
               *turn = factor(f, has_pairs(f) ? "adjoint" : "transpose"), *svd = factor(f, "svd");

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

static void write_eig(Func *f)
{
    Matrix x = matrix_of(f, in_of(f, 0));
    int64_t n = c_most_of(f, short_side(f));
    const char *a = numbers(f, "a", x.most), *q = numbers(f, "q", x.most), *w = pairs(f, "w", n), *v = pairs(f, "v", x.most), *t, *u, *s,
               *from = pairs(f, "x", n);

    if (has_pairs(f)) {
        s = workspace(f, c_need(f->c, "z_givens"), 32, "turns", n);
        c_open_for(f, "i0", x.count);
        load(f, in_of(f, 0), x.size, a);
        c_put_line(f, "%s(%s, %s, %s, %s, %s, %s, %s);", factor(f, "eig"), a, x.rows, w, v, q, from, s);
    } else {
        s = doubles(f, "some", n);
        t = pairs(f, "t", x.most);
        u = pairs(f, "turned", x.most);
        c_open_for(f, "i0", x.count);
        load(f, in_of(f, 0), x.size, a);
        c_put_line(f, "%s(%s, %s, %s, %s, %s, %s, %s, %s, %s);", factor(f, "eig"), a, x.rows, w, v, q, s, t, u, from);
    }
    store(f, out_of(f, 0), x.rows, w);
    store(f, out_of(f, 1), x.size, v);
}

bool step_linalg(Func *f)
{
    c_open_block(f, "%s", "");
    switch (f->e->op) {
    case OP_cholesky: write_cholesky(f); break;
    case OP_triangular_solve: write_solve(f); break;
    case OP_lu: write_lu(f); break;
    case OP_qr: write_qr(f); break;
    case OP_eigh: write_eigh(f); break;
    case OP_eig: write_eig(f); break;
    default: write_svd(f);
    }
    c_close_blocks(f, 2);
    return true;
}
