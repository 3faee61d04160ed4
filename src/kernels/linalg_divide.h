/* linalg_divide.h -- eigenvalues and vectors of a symmetric tridiagonal matrix, singular
 * values and vectors of a bidiagonal one, by divide and conquer (Cuppen, 1981; Gu and
 * Eisenstat, 1995), for one REAL.
 *
 * A matrix is cut at its middle into two smaller ones and a term of rank one; they are
 * solved; in terms of their vectors the whole is a diagonal matrix and a vector z. Where z
 * vanishes, or two elements of the diagonal agree, a vector of a half is one of the whole
 * (it is deflated); the others are combinations of those that remain, by products of
 * matrices. Vectors are rows throughout. */
#ifndef WEFT_KERNEL_LINALG_DIVIDE_H
#define WEFT_KERNEL_LINALG_DIVIDE_H

#include "linalg_secular.h"

typedef enum Part {
    PART_LEFT,
    PART_BOTH,
    PART_RIGHT,
    PARTS
} Part; /* where it is not 0 */

typedef struct Divide {
    const Work *w;
    int64_t n;
    REAL *d, *e;   /* [n] the matrix; d becomes the values, in no order */
    REAL *u;       /* [n,n] vectors: eigenvectors, or left ones */
    REAL *v;       /* [n,n] right ones; NULL: eigenvalues */
    REAL *basis;   /* [n,n] of vectors that are combined */
    REAL *s, *gap; /* [n,n] combinations; gaps of the secular equation */
    REAL *z, *dk, *zk, *zhat, *root; /* [n] */
    int64_t *order;                  /* [n] by value */
    int64_t *kept, *gone; /* [n] which remain, by part, and which are deflated */
    int64_t *column;      /* [n] the place in kept of the j-th that remains by value */
    uint8_t *part;        /* [n] */
} Divide;

static Divide divide_room(const Work *w, Room *r, int64_t n, int singular)
{
    Divide c = {.w = w, .n = n};
    REAL **vectors[] = {&c.d, &c.e, &c.z, &c.dk, &c.zk, &c.zhat, &c.root};
    int64_t **lists[] = {&c.order, &c.kept, &c.gone, &c.column};

    for (int i = 0; i < 7; i++)
        *vectors[i] = room_reals(r, n);
    for (int i = 0; i < 4; i++)
        *lists[i] = room_bytes(r, (size_t)n * sizeof(int64_t));
    c.part = room_bytes(r, (size_t)n);
    c.u = room_reals(r, n * n);
    c.basis = room_reals(r, n * n);
    c.s = room_reals(r, n * n);
    c.gap = room_reals(r, n * n);
    if (singular)
        c.v = room_reals(r, n * n);
    return c;
}

/* Ascending; the given place, if any, comes first (Shell's sort). */
static void sort_values(const REAL *d, int64_t n, int64_t first, int64_t *order)
{
    static const int64_t steps[] = {29524, 9841, 3280, 1093, 364, 121, 40, 13, 4, 1};

    for (int64_t i = 0; i < n; i++)
        order[i] = i;
    for (int k = 0; k < 10; k++)
        for (int64_t i = steps[k], j; i < n; i++) {
            int64_t x = order[i];

            for (j = i; j >= steps[k] && d[order[j - steps[k]]] > d[x]; j -= steps[k])
                order[j] = order[j - steps[k]];
            order[j] = x;
        }
    for (int64_t i = 0; i < n && first >= 0; i++)
        if (order[i] == first) {
            memmove(order + 1, order, (size_t)i * sizeof *order);
            order[0] = first;
            break;
        }
}

typedef struct Merge { /* of rows lo .. lo+n-1 */
    int64_t lo, n;
    int64_t left;     /* columns of the left half */
    int64_t middle;   /* of singular values: the row that was cut out, or -1 */
    int64_t width[2]; /* columns of u, v */
    REAL rho;         /* 1 for singular values */
    REAL tol;         /* what counts as 0 */
    int64_t kept, gone;
} Merge;

/* ---- deflation ---------------------------------------------------------------------- */

/* Rows i and j of the vectors turned so that all of z is in j, and i is deflated. */
static void turn_into(const Divide *c, const Merge *m, int64_t i, int64_t j)
{
    REAL *z = c->z, whole = hypotenuse(z[j], z[i]), co = z[j] / whole, si = -z[i] / whole;
    int64_t at = m->lo * c->n + m->lo;

    z[j] = whole;
    z[i] = 0;
    if (c->part[i] != c->part[j])
        c->part[i] = c->part[j] = PART_BOTH;
    rotate(c->u + at + i * c->n, c->u + at + j * c->n, m->width[0], co, si);
    if (c->v) {
        rotate(c->v + at + i * c->n, c->v + at + j * c->n, m->width[1], co, si);
    } else {
        REAL *d = c->d + m->lo, a = d[i], b = d[j];

        d[i] = a * co * co + b * si * si;
        d[j] = a * si * si + b * co * co;
    }
}

/* Would turning i into j change the matrix by no more than counts as 0? */
static int is_same(const Divide *c, const Merge *m, int64_t i, int64_t j)
{
    const REAL *d = c->d + m->lo;
    REAL whole = hypotenuse(c->z[j], c->z[i]), gap = real_abs(d[j] - d[i]);

    if (c->v)
        return gap <= m->tol;
    return gap * (real_abs(c->z[j]) / whole) * (real_abs(c->z[i]) / whole) <= m->tol;
}

static void keep(const Divide *c, Merge *m, int64_t i)
{
    c->dk[m->kept] = c->d[m->lo + i];
    c->zk[m->kept] = c->z[i];
    c->order[m->kept++] = i; /* order is read ahead of this */
}

static void deflate(const Divide *c, Merge *m)
{
    int64_t open = -1;

    m->kept = m->gone = 0;
    sort_values(c->d + m->lo, m->n, m->middle, c->order);
    for (int64_t at = 0; at < m->n; at++) {
        int64_t i = c->order[at];

        if (i == m->middle) {
            keep(c, m, i);
        } else if (m->rho * real_abs(c->z[i]) <= m->tol) {
            c->gone[m->gone++] = i;
        } else {
            if (open >= 0 && is_same(c, m, open, i)) {
                turn_into(c, m, open, i);
                c->gone[m->gone++] = open;
            } else if (open >= 0) {
                keep(c, m, open);
            }
            open = i;
        }
    }
    if (open >= 0)
        keep(c, m, open);
}

/* ---- combination -------------------------------------------------------------------- */

/* Those that remain, by part: kept, and column. Gives how many of each. */
static void group_parts(const Divide *c, const Merge *m, int64_t *count)
{
    int64_t at = 0;

    for (int p = 0; p < PARTS; p++) {
        int64_t before = at;

        for (int64_t j = 0; j < m->kept; j++)
            if (c->part[c->order[j]] == p) {
                c->column[j] = at;
                c->kept[at++] = c->order[j];
            }
        count[p] = at - before;
    }
}

/* The rows of q that remain become their combinations s [kept, kept], and come first; the
 * deflated ones come after. */
static void combine(const Divide *c, const Merge *m, const int64_t *count, REAL *q,
                    int64_t width)
{
    int64_t ld = c->n, k = m->kept, left = m->left, right = width - left;
    int64_t nl = count[PART_LEFT] + count[PART_BOTH], nr = k - count[PART_LEFT];
    REAL *at = q + m->lo * ld + m->lo, *lb = c->basis, *rb = lb + nl * left,
         *gone = rb + nr * right;

    for (int64_t i = 0; i < nl; i++)
        memcpy(lb + i * left, at + c->kept[i] * ld, (size_t)left * sizeof *lb);
    for (int64_t i = 0; i < nr; i++)
        memcpy(rb + i * right, at + c->kept[count[PART_LEFT] + i] * ld + left,
               (size_t)right * sizeof *rb);
    for (int64_t i = 0; i < m->gone; i++)
        memcpy(gone + i * width, at + c->gone[i] * ld, (size_t)width * sizeof *gone);
    product(c->w, k, left, nl, view(c->s, k), view(lb, left), view(at, ld), 0);
    product(c->w, k, right, nr, view(c->s + count[PART_LEFT], k), view(rb, right),
            view(at + left, ld), 0);
    copy_rows(gone, width, m->gone, width, at + k * ld, ld);
}

/* s: for each root i the vector zhat[j] / gap[i][j], of left singular ones
 * d[j] zhat[j] / gap[i][j] with -1 in the first place. */
static void make_vectors(const Divide *c, const Merge *m, int left)
{
    int64_t k = m->kept;

    for (int64_t i = 0; i < k; i++) {
        REAL *x = c->zk, *g = c->gap + i * k, *to = c->s + i * k, length;

        for (int64_t j = 0; j < k; j++)
            x[j] = left ? c->dk[j] * c->zhat[j] / g[j] : c->zhat[j] / g[j];
        if (left)
            x[0] = -1;
        length = norm(x, k);
        for (int64_t j = 0; j < k; j++)
            to[c->column[j]] = x[j] / length;
    }
}

/* c->z and c->part are set. */
static void merge(const Divide *c, Merge *m)
{
    REAL *d = c->d + m->lo;
    int64_t count[PARTS];
    Secular s;

    deflate(c, m);
    if (m->kept == 0)
        return;
    if (m->middle >= 0 && m->kept > 1 && c->dk[1] <= m->tol / 2)
        c->dk[1] = m->tol / 2; /* apart from the first pole, 0 */
    group_parts(c, m, count);
    s = (Secular){m->kept,      c->dk,   c->zk,  1 / m->rho,
                  c->v != NULL, c->root, c->gap, c->zhat};
    solve_secular(c->w, &s);
    make_vectors(c, m, 0);
    combine(c, m, count, c->v ? c->v : c->u, m->width[c->v != NULL]);
    if (c->v) {
        make_vectors(c, m, 1);
        combine(c, m, count, c->u, m->width[0]);
    }
    for (int64_t i = 0; i < m->gone; i++)
        c->basis[i] = d[c->gone[i]];
    memcpy(d, c->root, (size_t)m->kept * sizeof *d);
    memcpy(d + m->kept, c->basis, (size_t)m->gone * sizeof *d);
}

/* ---- tridiagonal -------------------------------------------------------------------- */

static void merge_eigen(const Divide *c, int64_t lo, int64_t n, int64_t h, REAL cut)
{
    REAL root = real_sqrt((REAL)0.5), *q = c->u + lo * c->n + lo, *d = c->d + lo;
    REAL big = largest(d, n), unit;
    Merge m = {.lo = lo, .n = n, .left = h, .middle = -1, .width = {n, 0}};

    for (int64_t i = 0; i < n; i++) {
        c->z[i] = root * (i < h     ? q[i * c->n + h - 1]
                          : cut < 0 ? -q[i * c->n + h]
                                    : q[i * c->n + h]);
        c->part[i] = i < h ? PART_LEFT : PART_RIGHT;
    }
    m.rho = 2 * real_abs(cut);
    big = big > m.rho ? big : m.rho;
    unit = safe_scale(&big, 1);
    m.rho *= unit;
    m.tol = 8 * EPS * big * unit;
    scale(unit, d, n);
    merge(c, &m);
    scale(1 / unit, d, n);
}

/* d and e, rows lo .. lo+n-1, to values and vectors:
 *   T = diag(T1, T2) + |cut| (.., 1, sign, ..) (.., 1, sign, ..)^T */
static void divide_eigen(const Divide *c, int64_t lo, int64_t n)
{
    int64_t h = n / 2;
    REAL cut;

    if (n <= 1) {
        if (n == 1)
            c->u[lo * c->n + lo] = 1;
        return;
    }
    cut = c->e[lo + h - 1];
    c->d[lo + h - 1] -= real_abs(cut);
    c->d[lo + h] -= real_abs(cut);
    divide_eigen(c, lo, h);
    divide_eigen(c, lo + h, n - h);
    merge_eigen(c, lo, n, h, cut);
}

/* ---- bidiagonal --------------------------------------------------------------------- */

/* One row, [a] or [a b]. */
static void divide_row(const Divide *c, int64_t lo, int wide)
{
    REAL a = c->d[lo], b = wide ? c->e[lo] : 0, s = hypotenuse(a, b);
    REAL *v = c->v + lo * c->n + lo, co = s == 0 ? 1 : a / s, si = s == 0 ? 0 : b / s;

    c->d[lo] = s;
    c->u[lo * c->n + lo] = 1;
    v[0] = co;
    if (wide) {
        v[1] = si;
        v[c->n] = -si;
        v[c->n + 1] = co;
    }
}

/* z is the middle row a, b in terms of the right vectors of the halves. Row h of v, and the
 * last one if the matrix is wide, are vectors that the halves take to 0: together they
 * become one with all of the middle row, and one that the whole takes to 0. */
static void merge_singular(const Divide *c, int64_t lo, int64_t n, int wide, REAL a,
                           REAL b)
{
    int64_t h = n / 2, right = h + 1, width = n + wide;
    REAL *v = c->v + lo * c->n + lo, *d = c->d + lo, row[3] = {a, b, 0}, unit, z1;
    Merge m = {
        .lo = lo, .n = n, .left = right, .middle = h, .width = {n, width}, .rho = 1};

    d[h] = 0;
    row[2] = largest(d, n);
    unit = safe_scale(row, 3);
    m.tol = 8 * EPS * unit * largest(row, 3);
    scale(unit, d, n);
    a *= unit;
    b *= unit;
    for (int64_t i = 0; i < n; i++) {
        c->z[i] = i <= h ? a * v[i * c->n + h] : b * v[i * c->n + right];
        c->part[i] = i < h ? PART_LEFT : i == h ? PART_BOTH : PART_RIGHT;
    }
    z1 = wide ? b * v[n * c->n + right] : 0;
    if (z1 != 0 && hypotenuse(c->z[h], z1) > m.tol) {
        REAL z0 = c->z[h];

        c->z[h] = hypotenuse(z0, z1);
        rotate(v + h * c->n, v + n * c->n, width, z0 / c->z[h], z1 / c->z[h]);
    }
    if (real_abs(c->z[h]) <= m.tol)
        c->z[h] = m.tol;
    c->u[(lo + h) * c->n + lo + h] = 1;
    if (m.tol > 0) /* or all is 0 */
        merge(c, &m);
    scale(1 / unit, d, n);
}

/* Rows lo .. lo+n-1 of the matrix, with n + wide columns. */
static void divide_singular(const Divide *c, int64_t lo, int64_t n, int wide)
{
    int64_t h = n / 2;
    REAL a, b;

    if (n == 0 && wide)
        c->v[lo * c->n + lo] = 1;
    if (n == 1)
        divide_row(c, lo, wide);
    if (n <= 1)
        return;
    a = c->d[lo + h];
    b = n - h - 1 + wide > 0 ? c->e[lo + h] : 0;
    divide_singular(c, lo, h, 1);
    divide_singular(c, lo + h + 1, n - h - 1, wide);
    merge_singular(c, lo, n, wide, a, b);
}

/* The whole matrix, in blocks where what is above the diagonal is 0: a small value beside
 * large ones, in no connection with them, keeps its digits. */
static void divide_blocks(const Divide *c)
{
    for (int64_t lo = 0, n; lo < c->n; lo += n) {
        for (n = 1; lo + n < c->n && c->e[lo + n - 1] != 0; n++)
            ;
        divide_singular(c, lo, n, 0);
    }
}

#endif
