/* linalg.c -- contractions and matrix functions.
 *
 * einsum contracts its operands from left to right: labels that nothing later needs are summed, labels
 * of both operands become batch or contracted axes of one dot_general. Repeated labels of one operand
 * take the diagonal; an ellipsis stands for labels counted from the right, which broadcast.
 */
#include "functions/functions.h"

/* ---- dot products ---- */

/* acc given: operands are multiplied as they are. */
static wf_tensor dot_general(wf_ctx *c, const char *fn, wf_tensor x, wf_tensor y,
                             const DotAttr *a)
{
    wf_tensor in[2] = {x, y};
    DotAttr d = *a;

    if (d.acc)
        return tensor_op1(c, OP_dot_general, in, 2, &d);
    if (!unify_dtypes(c, fn, in, 2))
        return WF_NONE;
    d.acc = (int32_t)wf_dtype_of(c, in[0]);
    if (d.acc == WF_BOOL)
        return tensor_fail(c, WF_ERR_TYPE, "%s: needs numbers, got bools", fn);
    return tensor_op1(c, OP_dot_general, in, 2, &d);
}

/* Leading axes broadcast; the last two are matrices; vectors count as a row on the left, a column on the right. */
static wf_tensor matmul(wf_ctx *c, wf_tensor x, wf_tensor y, int32_t acc)
{
    Shape a, b, sx, sy;
    int64_t batch[MAX_RANK];
    uint32_t nb;
    bool row = false, col = false;
    wf_tensor z;

    if (!shape_of(c, x, "wf_matmul", &a) || !shape_of(c, y, "wf_matmul", &b))
        return WF_NONE;
    if (a.rank == 0 || b.rank == 0)
        return tensor_fail(c, WF_ERR_SHAPE,
                     "wf_matmul: needs at least one axis each, got %s and %s",
                     shape_text(c, tensor_get(c, x, "wf_matmul")),
                     shape_text(c, tensor_get(c, y, "wf_matmul")));
    if (!size_same(c, a.d[a.rank - 1], b.d[b.rank > 1 ? b.rank - 2 : 0]))
        return tensor_fail(
            c, WF_ERR_SHAPE,
            "wf_matmul: shapes %s and %s do not fit: the last axis of the first must equal the "
            "last but one of the second",
            shape_text(c, tensor_get(c, x, "wf_matmul")),
            shape_text(c, tensor_get(c, y, "wf_matmul")));
    if (a.rank <= 2 && b.rank <= 2) { /* one product, no batch */
        scope_open(c);
        z = dot_general(c, "wf_matmul", x, y,
                        &(DotAttr){.lhs = INTS(1, (int64_t)a.rank - 1),
                                   .rhs = INTS(1, b.rank > 1 ? (int64_t)b.rank - 2 : 0),
                                   .acc = acc});
        return scope_close(c, z);
    }
    scope_open(c);
    if ((row = a.rank == 1))
        x = wf_expand_dims(c, x, 0);
    if ((col = b.rank == 1))
        y = wf_expand_dims(c, y, 1);
    if (!shape_of(c, x, "wf_matmul", &sx) || !shape_of(c, y, "wf_matmul", &sy))
        return scope_close(c, WF_NONE);
    nb = MAX(sx.rank, sy.rank) - 2;
    {
        Shape lead = {nb, {0}}, fx, fy;
        for (uint32_t i = 0; i < nb; i++) {
            Dim p = i + sx.rank >= nb + 2 ? sx.d[i + sx.rank - nb - 2] : 1;
            Dim q = i + sy.rank >= nb + 2 ? sy.d[i + sy.rank - nb - 2] : 1;
            lead.d[i] = p == 1 || (q != 1 && !size_same(c, p, q) && size_one(c, p)) ? q : p;
            batch[i] = i;
        }
        fx = fy = lead;
        fx.d[nb] = sx.d[sx.rank - 2];
        fx.d[nb + 1] = sx.d[sx.rank - 1];
        fy.d[nb] = sy.d[sy.rank - 2];
        fy.d[nb + 1] = sy.d[sy.rank - 1];
        x = broadcast_to(c, "wf_matmul", x, fx.d, nb + 2);
        y = broadcast_to(c, "wf_matmul", y, fy.d, nb + 2);
    }
    z = failed(c) ? WF_NONE
                  : dot_general(c, "wf_matmul", x, y,
                                &(DotAttr){.lhs = INTS(1, (int64_t)nb + 1),
                                           .rhs = INTS(1, nb),
                                           .lhs_batch = {nb, batch},
                                           .rhs_batch = {nb, batch},
                                           .acc = acc});
    if (row || col)
        z = wf_squeeze(c, z, (int[]){row ? -2 : -1}, 1);
    return scope_close(c, z);
}

wf_tensor wf_matmul(wf_ctx *c, wf_tensor x, wf_tensor y) { return matmul(c, x, y, 0); }
wf_tensor sums_matmul(wf_ctx *c, wf_tensor x, wf_tensor y) { return matmul(c, x, y, WF_I32); }

wf_tensor wf_tensordot(wf_ctx *c, wf_tensor x, wf_tensor y, const int *x_axes,
                       const int *y_axes, int n)
{
    Shape a, b;
    int64_t l[MAX_RANK], r[MAX_RANK];

    if (!shape_of(c, x, "wf_tensordot", &a) || !shape_of(c, y, "wf_tensordot", &b) ||
        !NEEDS(c, has_n(x_axes, n) && has_n(y_axes, n) && n <= MAX_RANK))
        return WF_NONE;
    for (int i = 0; i < n; i++) {
        uint32_t p, q;
        if (!axis_of(c, "wf_tensordot", x_axes[i], a.rank, &p) ||
            !axis_of(c, "wf_tensordot", y_axes[i], b.rank, &q))
            return WF_NONE;
        size_same(c, a.d[p], b.d[q]); /* where they differ, the op says so */
        l[i] = p;
        r[i] = q;
    }
    scope_open(c);
    return scope_close(
        c, dot_general(c, "wf_tensordot", x, y,
                       &(DotAttr){.lhs = {(uint32_t)n, l}, .rhs = {(uint32_t)n, r}}));
}

wf_tensor wf_outer(wf_ctx *c, wf_tensor x, wf_tensor y)
{
    scope_open(c);
    x = wf_reshape(c, x, (int64_t[]){WF_INFER, 1}, 2);
    y = wf_reshape(c, y, (int64_t[]){1, WF_INFER}, 2);
    return scope_close(c, wf_mul(c, x, y));
}

wf_tensor wf_diagonal_sum(wf_ctx *c, wf_tensor x)
{
    scope_open(c);
    return scope_close(c, wf_sum(c, wf_diagonal(c, x, 0), (int[]){-1}, 1, false));
}

/* ---- einsum ---- */

typedef struct
    Term { /* an operand with a label for each axis: letters, or 128 + k for the k-th axis from the right
                         of the ellipsis */
    wf_tensor t;
    uint32_t n;
    uint8_t l[MAX_RANK];
} Term;

/* The labels of operand k; those of the result, if k < 0. */
static const char *parse_term(wf_ctx *c, const char *s, uint32_t rank, int operand,
                              uint32_t dots, Term *t)
{
    uint32_t letters = 0;
    const char *p;

    for (p = s; *p && *p != ',' && *p != '-'; p++)
        letters += (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z');
    if (operand >= 0)
        dots = rank >= letters ? rank - letters : 0;
    t->n = 0;
    for (p = s; *p && *p != ',' && *p != '-'; p++) {
        if (*p == ' ')
            continue;
        if (!strncmp(p, "...", 3)) {
            for (uint32_t k = dots; k-- > 0 && t->n < MAX_RANK;)
                t->l[t->n++] = (uint8_t)(128 + k);
            p += 2;
        } else if (((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z')) &&
                   t->n < MAX_RANK) {
            t->l[t->n++] = (uint8_t)*p;
        } else {
            tensor_fail(c, WF_ERR_VALUE, "wf_einsum: '%c' at position %d of the specification",
                  *p, (int)(p - s));
            return NULL;
        }
    }
    if (operand >= 0 && t->n != rank) {
        tensor_fail(c, WF_ERR_SHAPE, "wf_einsum: operand %d of rank %u has %u labels", operand, rank, t->n);
        return NULL;
    }
    return p;
}

static int label_at(const Term *t, uint8_t l)
{
    for (uint32_t i = 0; i < t->n; i++)
        if (t->l[i] == l)
            return (int)i;
    return -1;
}

static void drop_label(Term *t, uint32_t i)
{
    memmove(t->l + i, t->l + i + 1, t->n - i - 1);
    t->n--;
}

/* A label that stands twice: the diagonal, as a masked sum over the second. */
static void take_diagonals(wf_ctx *c, Term *t)
{
    for (uint32_t i = 0; i < t->n && !failed(c); i++)
        for (uint32_t j = i + 1; j < t->n && !failed(c); j++) {
            Shape s;
            wf_tensor mask, places;
            if (t->l[i] != t->l[j] || !shape_of(c, t->t, "wf_einsum", &s))
                continue;
            if (!size_same(c, s.d[i], s.d[j])) {
                tensor_fail(c, WF_ERR_SHAPE, "wf_einsum: label '%c' has two sizes", t->l[i]);
                return;
            }
            places = wf_iota(c, WF_I64, s.d, (int)s.rank, (int)j);
            mask = wf_eq(c, wf_iota(c, WF_I64, s.d, (int)s.rank, (int)i), places);
            t->t = wf_where(c, mask, t->t, wf_zeros_like(c, t->t));
            t->t = reduce_axes(c, "wf_einsum", OP_reduce_sum, t->t, (int[]){(int)j}, 1, false);
            drop_label(t, j--);
        }
}

static bool needed(uint8_t l, const Term *rest, int nrest, const Term *out)
{
    if (label_at(out, l) >= 0)
        return true;
    for (int i = 0; i < nrest; i++)
        if (label_at(&rest[i], l) >= 0)
            return true;
    return false;
}

/* Axes of size 1 that meet a larger one broadcast: they are dropped. */
static void drop_ones(wf_ctx *c, Term *t, const Term *other)
{
    for (uint32_t i = 0; i < t->n && !failed(c); i++) {
        Shape s, o;
        int k = label_at(other, t->l[i]);
        if (k < 0 || !shape_of(c, t->t, "wf_einsum", &s) ||
            !shape_of(c, other->t, "wf_einsum", &o))
            continue;
        if (s.d[i] == 1 && o.d[k] != 1) {
            t->t = wf_squeeze(c, t->t, (int[]){(int)i}, 1);
            drop_label(t, i--);
        } else if (o.d[k] != 1 && !size_same(c, s.d[i], o.d[k])) {
            tensor_fail(c, WF_ERR_SHAPE,
                  "wf_einsum: label '%c' has sizes that differ in shapes %s and %s",
                  t->l[i] < 128 ? t->l[i] : '.', shape_text(c, tensor_get(c, t->t, "")),
                  shape_text(c, tensor_get(c, other->t, "")));
        }
    }
}

static void sum_unneeded(wf_ctx *c, Term *t, const Term *other, const Term *rest,
                         int nrest, const Term *out)
{
    int axes[MAX_RANK], n = 0;
    Term left = {t->t, 0, {0}};

    for (uint32_t i = 0; i < t->n; i++) {
        bool keep =
            (other && label_at(other, t->l[i]) >= 0) || needed(t->l[i], rest, nrest, out);
        if (keep)
            left.l[left.n++] = t->l[i];
        else
            axes[n++] = (int)i;
    }
    if (n)
        left.t = reduce_axes(c, "wf_einsum", OP_reduce_sum, t->t, axes, n, false);
    *t = left;
}

static void contract(wf_ctx *c, Term *x, Term *y, const Term *rest, int nrest,
                     const Term *out)
{
    int64_t l[MAX_RANK], r[MAX_RANK], lb[MAX_RANK], rb[MAX_RANK];
    uint32_t n = 0, nb = 0;
    Term z = {WF_NONE, 0, {0}};

    drop_ones(c, x, y);
    drop_ones(c, y, x);
    sum_unneeded(c, x, y, rest, nrest, out);
    sum_unneeded(c, y, x, rest, nrest, out);
    for (uint32_t i = 0; i < x->n; i++) {
        int k = label_at(y, x->l[i]);
        if (k < 0)
            continue;
        if (needed(x->l[i], rest, nrest, out)) {
            lb[nb] = i;
            rb[nb++] = k;
            z.l[z.n++] = x->l[i];
        } else {
            l[n] = i;
            r[n++] = k;
        }
    }
    for (uint32_t i = 0; i < x->n; i++)
        if (label_at(y, x->l[i]) < 0)
            z.l[z.n++] = x->l[i];
    for (uint32_t i = 0; i < y->n && z.n < MAX_RANK; i++)
        if (label_at(x, y->l[i]) < 0)
            z.l[z.n++] = y->l[i];
    z.t = failed(c) ? WF_NONE
                    : dot_general(c, "wf_einsum", x->t, y->t,
                                  &(DotAttr){.lhs = {n, l},
                                             .rhs = {n, r},
                                             .lhs_batch = {nb, lb},
                                             .rhs_batch = {nb, rb}});
    *x = z;
}

/* Without "->": the ellipsis, then labels that stand once, in alphabetical order. */
static void implicit_output(const Term *t, int n, uint32_t dots, Term *out)
{
    out->n = 0;
    for (uint32_t k = dots; k-- > 0;)
        out->l[out->n++] = (uint8_t)(128 + k);
    for (int l = 'A'; l <= 'z'; l++) {
        uint32_t seen = 0;
        for (int i = 0; i < n; i++)
            for (uint32_t k = 0; k < t[i].n; k++)
                seen += t[i].l[k] == l;
        if (seen == 1 && out->n < MAX_RANK)
            out->l[out->n++] = (uint8_t)l;
    }
}

static bool parse_spec(wf_ctx *c, const char *spec, const wf_tensor *x, int n, Term *t,
                       Term *out)
{
    const char *s = spec;
    uint32_t dots = 0;

    for (int i = 0; i < n; i++) {
        Shape sh;
        if (!shape_of(c, x[i], "wf_einsum", &sh) ||
            !(s = parse_term(c, s, sh.rank, i, 0, &t[i])))
            return false;
        t[i].t = x[i];
        for (uint32_t k = 0; k < t[i].n; k++)
            if (t[i].l[k] >= 128)
                dots = MAX(dots, (uint32_t)t[i].l[k] - 127);
        if (*s == ',' && i + 1 < n)
            s++;
        else if (*s == ',' || i + 1 < n) {
            tensor_fail(c, WF_ERR_VALUE, "wf_einsum: '%s' does not name %d operands", spec, n);
            return false;
        }
    }
    if (!strncmp(s, "->", 2)) {
        if (!(s = parse_term(c, s + 2, 0, -1, dots, out)) || *s) {
            tensor_fail(c, WF_ERR_VALUE, "wf_einsum: '%s' has more than one result", spec);
            return false;
        }
    } else {
        implicit_output(t, n, dots, out);
    }
    for (uint32_t k = 0; k < out->n; k++) {
        bool found = false;
        for (int i = 0; i < n; i++)
            found = found || label_at(&t[i], out->l[k]) >= 0;
        if (!found || label_at(out, out->l[k]) != (int)k) {
            tensor_fail(c, WF_ERR_VALUE,
                  "wf_einsum: label '%c' of the result stands twice or in no operand",
                  out->l[k] < 128 ? out->l[k] : '.');
            return false;
        }
    }
    return true;
}

wf_tensor wf_einsum(wf_ctx *c, const char *spec, const wf_tensor *x, int n)
{
    Term *t, out;
    wf_tensor y = WF_NONE;
    int axes[MAX_RANK];

    if (failed(c) || !ts(c))
        return WF_NONE;
    if (!spec || !x || n < 1)
        return tensor_fail(c, WF_ERR_ARG, "wf_einsum: needs a specification and operands");
    if (!(t = mem_alloc(&c->al, (size_t)n * sizeof *t))) {
        fail_memory(c);
        return WF_NONE;
    }
    scope_open(c);
    if (parse_spec(c, spec, x, n, t, &out)) {
        for (int i = 0; i < n; i++)
            take_diagonals(c, &t[i]);
        for (int i = 1; i < n && !failed(c); i++)
            contract(c, &t[0], &t[i], t + i + 1, n - i - 1, &out);
        if (!failed(c))
            sum_unneeded(c, &t[0], NULL, NULL, 0, &out);
        for (uint32_t k = 0; k < out.n && !failed(c); k++)
            axes[k] = label_at(&t[0], out.l[k]);
        y = failed(c) ? WF_NONE : wf_permute(c, t[0].t, axes, (int)out.n);
    }
    mem_free(&c->al, t, (size_t)n * sizeof *t);
    return scope_close(c, y);
}

/* ---- matrices ---- */

static bool square(wf_ctx *c, const char *fn, wf_tensor x, Shape *s)
{
    if (!shape_of(c, x, fn, s))
        return false;
    if (s->rank < 2 || !size_same(c, s->d[s->rank - 1], s->d[s->rank - 2])) {
        tensor_fail(c, WF_ERR_SHAPE, "%s: needs square matrices, got %s", fn,
              shape_text(c, tensor_get(c, x, fn)));
        return false;
    }
    return true;
}

wf_tensor wf_cholesky(wf_ctx *c, wf_tensor x)
{
    Shape s;
    return square(c, "wf_cholesky", x, &s) ? op_1(c, OP_cholesky, x, NULL) : WF_NONE;
}

wf_tensor wf_solve_triangular(wf_ctx *c, wf_tensor a, wf_tensor b, bool lower, bool trans,
                              bool unit)
{
    Shape s;
    return square(c, "wf_solve_triangular", a, &s)
               ? op_2(c, OP_triangular_solve, a, b,
                      &(SolveAttr){
                          .left = true, .lower = lower, .trans = trans, .unit = unit})
               : WF_NONE;
}

/* Rows of x, of shape s, in the order perm [.., rows]. */
static wf_tensor permute_rows(wf_ctx *c, wf_tensor x, const Shape *s, wf_tensor perm)
{
    int64_t axes[MAX_RANK], sizes[MAX_RANK], row = (int64_t)s->rank - 2, col = row + 1;
    GatherAttr a = {.offset_dims = {1, &col},
                    .collapsed = {1, &row},
                    .operand_batching = {s->rank - 2, axes},
                    .indices_batching = {s->rank - 2, axes},
                    .start_index_map = {1, &row},
                    .slice_sizes = {s->rank, sizes},
                    .mode = INDEX_PROMISED};

    for (uint32_t i = 0; i < s->rank; i++) {
        axes[i] = i;
        sizes[i] = i == (uint32_t)col ? s->d[i] : 1;
    }
    return op_2(c, OP_gather, x, wf_expand_dims(c, perm, -1), &a);
}

/* A x = b by A[perm] = L U: x = U \ (L \ b[perm]). b has the leading axes of A. */
wf_tensor wf_solve(wf_ctx *c, wf_tensor a, wf_tensor b)
{
    Shape s, t;
    wf_tensor lu[3], y = WF_NONE;
    bool vector;

    if (!square(c, "wf_solve", a, &s) || !shape_of(c, b, "wf_solve", &t))
        return WF_NONE;
    vector = t.rank + 1 == s.rank;
    scope_open(c);
    if (vector)
        b = wf_expand_dims(c, b, -1);
    if (dtype_is_complex(wf_dtype_of(c, a)))
        b = wf_cast(c, b, wf_dtype_of(c, a));
    else if (dtype_is_complex(wf_dtype_of(c, b)))
        a = wf_cast(c, a, wf_dtype_of(c, b));
    if (tensor_op(c, OP_lu, &a, 1, NULL, lu, 3) && shape_of(c, b, "wf_solve", &t)) {
        if (t.rank != s.rank || !size_same(c, t.d[t.rank - 2], s.d[s.rank - 1]))
            tensor_fail(c, WF_ERR_SHAPE, "wf_solve: %s does not fit the matrices %s",
                  shape_text(c, tensor_get(c, b, "wf_solve")),
                  shape_text(c, tensor_get(c, a, "wf_solve")));
        y = failed(c) ? WF_NONE : permute_rows(c, b, &t, lu[2]);
        y = wf_solve_triangular(c, lu[0], y, true, false, true);
        y = wf_solve_triangular(c, lu[0], y, false, false, false);
    }
    if (vector)
        y = wf_squeeze(c, y, (int[]){-1}, 1);
    return scope_close(c, y);
}

wf_tensor wf_inv(wf_ctx *c, wf_tensor a)
{
    Shape s;
    wf_tensor eye;

    if (!square(c, "wf_inv", a, &s))
        return WF_NONE;
    scope_open(c);
    eye = wf_eye(c, wf_dtype_of(c, a), s.d[s.rank - 1], s.d[s.rank - 1], 0);
    return scope_close(c, wf_solve(c, a, wf_broadcast_to(c, eye, s.d, (int)s.rank)));
}

/* The product of the diagonal of U, with the sign of the row exchanges. */
wf_tensor wf_det(wf_ctx *c, wf_tensor a)
{
    Shape s;
    wf_tensor lu[3], d = WF_NONE, moved, odd;

    if (!square(c, "wf_det", a, &s))
        return WF_NONE;
    scope_open(c);
    if (tensor_op(c, OP_lu, &a, 1, NULL, lu, 3)) {
        wf_tensor negative;

        d = wf_prod(c, wf_diagonal(c, lu[0], 0), (int[]){-1}, 1, false);
        moved = wf_cast(c, lu[1], WF_I64);
        if (shape_of(c, moved, "wf_det", &s))
            moved = wf_ne(c, moved, wf_iota(c, WF_I64, s.d, (int)s.rank, -1));
        odd = wf_remainder(c, wf_sum(c, moved, (int[]){-1}, 1, false), wf_int(c, 2));
        negative = wf_neg(c, d);
        d = wf_where(c, wf_eq(c, odd, wf_int(c, 1)), negative, d);
    }
    return scope_close(c, d);
}

/* ---- orthogonal factors ---- */

wf_status wf_qr(wf_ctx *c, wf_tensor x, bool full, wf_tensor *out_q, wf_tensor *out_r)
{
    wf_tensor out[2] = {WF_NONE, WF_NONE};

    if (!NEEDS(c, out_q && out_r))
        return ctx_status(c);
    tensor_op(c, OP_qr, &x, 1, &(QrAttr){full}, out, 2);
    *out_q = out[0];
    *out_r = out[1];
    return ctx_status(c);
}

wf_status wf_eigh(wf_ctx *c, wf_tensor x, wf_tensor *out_w, wf_tensor *out_v)
{
    wf_tensor out[2] = {WF_NONE, WF_NONE};

    if (!NEEDS(c, out_w && out_v))
        return ctx_status(c);
    tensor_op(c, OP_eigh, &x, 1, NULL, out, 2);
    *out_w = out[0];
    *out_v = out[1];
    return ctx_status(c);
}

wf_status wf_svd(wf_ctx *c, wf_tensor x, wf_tensor *out_u, wf_tensor *out_s,
                 wf_tensor *out_vt)
{
    wf_tensor out[3] = {WF_NONE, WF_NONE, WF_NONE};

    if (!NEEDS(c, out_u && out_s && out_vt))
        return ctx_status(c);
    tensor_op(c, OP_svd, &x, 1, NULL, out, 3);
    *out_u = out[0];
    *out_s = out[1];
    *out_vt = out[2];
    return ctx_status(c);
}
