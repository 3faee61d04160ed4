/* render_dot.c -- small products of f32 or f64 as C, made for their sizes.
 *
 *   C[i,j] = sum over p of A[i,p] * B[p,j]      C row-major, A and B by strides
 *
 * Rows of tiles: so many rows of C by so many vectors of columns stay in registers while
 * p runs. Elements of A are repeated in all lanes, those of B are loaded side by side. If
 * the columns of B do not lie side by side, B is first copied so that they do, squares of
 * lanes by lanes at a time; or, where A has few rows, so that copying does not pay, and
 * both are contiguous along p, every element of C is the sum of the lanes of a vector,
 * and as many as there are lanes are summed up together.
 *
 * Names: a b c arrays, a0 .. b0 .. vectors of theirs, c<i>_<v> those of the tile.
 */
#include "codegen/render.h"

#define FEW_ROWS 4 /* of A, up to which B is not copied */

/* ---- the form of a product --------------------------------------------------------- */

static int64_t whole(int64_t n, int64_t by) { return (n + by - 1) / by * by; }

static bool is_across(const KMatmul *d)
{
    return d->m <= FEW_ROWS && d->b_row == 1 && d->a_col == 1 && d->k > 1 &&
           (d->b_col != 1 || d->n == 1);
}

static bool is_packed(const KMatmul *d)
{
    return !is_across(d) && d->b_col != 1 && d->n > 1;
}

bool render_dot_fits(const Target *t, const KMatmul *d)
{
    const KEpilogue *e = &d->epilogue;
    bool f32 = d->a_type == KT_F32 && d->b_type == KT_F32 && d->c_type == KT_F32;
    bool f64 = d->a_type == KT_F64 && d->b_type == KT_F64 && d->c_type == KT_F64;

    (void)t;
    return (f32 || f64) && !d->accumulate && d->c_col == 1 && e->scale == 0 &&
           !e->bias_m && !e->bias_n && !e->relu && !e->tile;
}

bool render_dot_equal(const KMatmul *x, const KMatmul *y)
{
    for (int i = 0; i < x->nbatch && i < y->nbatch; i++)
        if (x->batch[i] != y->batch[i] || x->a_batch[i] != y->a_batch[i] ||
            x->b_batch[i] != y->b_batch[i] || x->c_batch[i] != y->c_batch[i])
            return false;
    return x->c_type == y->c_type && x->m == y->m && x->n == y->n && x->k == y->k &&
           x->a_row == y->a_row && x->a_col == y->a_col && x->b_row == y->b_row &&
           x->b_col == y->b_col && x->c_row == y->c_row && x->nbatch == y->nbatch;
}

/* For the copy of B: rows of whole vectors of any width. */
int64_t render_dot_scratch(const KMatmul *d)
{
    return is_packed(d) ? d->k * whole(d->n, 16) * (d->c_type == KT_F64 ? 8 : 4) : 0;
}

typedef struct Tile {
    int rows, vectors;
} Tile;

/* About the cycles of all steps of p for one tile: products, of which one takes four
 * cycles to be ready, and loads beside them. */
static double tile_cost(int rows, int vectors)
{
    return MAX((double)rows * vectors, MAX(4, 0.5 * (rows + vectors) + 1)) + 0.5;
}

static double form_cost(const KMatmul *d, Tile t, int lanes)
{
    int64_t nv = (d->n + lanes - 1) / lanes, rest = nv % t.vectors, more = d->m % t.rows;
    double tall = (double)(d->m / t.rows), wide = (double)(nv / t.vectors);
    double cost = tall * wide * tile_cost(t.rows, t.vectors);
    bool is_tall = d->m >= t.rows, is_wide = nv >= t.vectors;
    int tiles = is_tall * (is_wide + (rest != 0)) + (more != 0) * (is_wide + (rest != 0));

    if (rest)
        cost += tall * tile_cost(t.rows, (int)rest);
    if (more)
        cost += wide * tile_cost((int)more, t.vectors);
    if (rest && more)
        cost += tile_cost((int)more, (int)rest);
    return cost * (1 + 0.04 * tiles); /* which must be compiled */
}

/* One row reads each vector of B once, so that it needs no register, and rows of B may be far apart: it goes along
 * them as far as it can. */
static Tile best_tile(const KMatmul *d, int registers, int lanes)
{
    Tile best = {1, 1};

    for (int v = 2; d->m == 1 && v <= registers / 2; v++)
        if (form_cost(d, (Tile){1, v}, lanes) < form_cost(d, best, lanes))
            best.vectors = v;
    for (int v = 1; v <= 4; v++)
        for (int m = 1; m <= 12 && m * v + v + 1 <= registers; m++)
            if (form_cost(d, (Tile){m, v}, lanes) < form_cost(d, best, lanes))
                best = (Tile){m, v};
    return best;
}

/* ---- a tile ------------------------------------------------------------------------ */

typedef struct Dot {
    Render *r;
    const KMatmul *d;
    const char *name; /* of the function */
    const char *type, *elem, *kind; /* "s_f32", "float", "f32" */
    Tile tile;
    int64_t b_row, b_col; /* of B as it is read */
    int64_t width;        /* elements of B's rows that may be read */
} Dot;

static long long ll(int64_t x) { return (long long)x; }

/* The last of the vectors has so many lanes of C. */
static void render_tile(const Dot *x, Tile t, int last, const char *suffix)
{
    Text *o = x->r->t;
    const KMatmul *d = x->d;
    int lanes = x->r->lanes;

    text_printf(o, "static inline void %s_%s(const %s *a, const %s *b, %s *c)\n{\n",
                x->name, suffix, x->elem, x->elem, x->elem);
    for (int i = 0; i < t.rows; i++)
        for (int v = 0; v < t.vectors; v++)
            text_printf(o, "    %s c%d_%d = {0};\n", x->type, i, v);
    text_printf(o, "    for (int64_t p = 0; p < %lld; p++) {\n", ll(d->k));
    for (int v = 0; v < t.vectors; v++) {
        bool part = v == t.vectors - 1 && x->b_col == 1 && x->width % lanes;

        if (x->b_col == 1)
            text_printf(o, "        const %s b%d = %c_ld_%s(b + %lld * p + %d, %d);\n",
                        x->type, v, x->r->set, x->kind, ll(x->b_row), v * lanes,
                        part ? last : lanes);
        else /* one column */
            text_printf(o, "        const %s b%d = %c_splat_%s(b[%lld * p]);\n", x->type,
                        v, x->r->set, x->kind, ll(x->b_row));
    }
    for (int i = 0; i < t.rows; i++) {
        text_printf(o, "        const %s a%d = %c_splat_%s(a[%lld * p + %lld]);\n",
                    x->type, i, x->r->set, x->kind, ll(d->a_col), ll(i * d->a_row));
        for (int v = 0; v < t.vectors; v++)
            text_printf(o, "        c%d_%d += a%d * b%d;\n", i, v, i, v);
    }
    text_add(o, "    }\n");
    for (int i = 0; i < t.rows; i++)
        for (int v = 0; v < t.vectors; v++)
            text_printf(o, "    %c_st_%s(c + %lld, %d, c%d_%d);\n", x->r->set, x->kind,
                        ll(i * d->c_row + v * lanes), v == t.vectors - 1 ? last : lanes,
                        i, v);
    text_add(o, "}\n\n");
}

/* Tiles of all rows, for so many columns from j on. */
static void call_tiles(const Dot *x, const char *indent, const char *wide)
{
    Text *o = x->r->t;
    const KMatmul *d = x->d;
    int64_t m = d->m / x->tile.rows * x->tile.rows;

    text_printf(o, "%sfor (int64_t i = 0; i < %lld; i += %d)\n", indent, ll(m),
                x->tile.rows);
    text_printf(o, "%s    %s_%s(a + %lld * i, b + %lld * j, c + %lld * i + j);\n", indent,
                x->name, wide, ll(d->a_row), ll(x->b_col), ll(d->c_row));
    if (m < d->m)
        text_printf(o, "%s%s_%s_rest(a + %lld, b + %lld * j, c + %lld + j);\n", indent,
                    x->name, wide, ll(m * d->a_row), ll(x->b_col), ll(m * d->c_row));
}

/* The tiles of both widths, and of as many rows as are left over. */
static void render_tiles(const Dot *x, int64_t full, int rest_vectors, int rest_last)
{
    Tile t = x->tile;
    int lanes = x->r->lanes, more = (int)(x->d->m % t.rows);
    bool is_tall = x->d->m >= t.rows;

    if (full && is_tall)
        render_tile(x, t, lanes, "wide");
    if (full && more)
        render_tile(x, (Tile){more, t.vectors}, lanes, "wide_rest");
    if (rest_vectors && is_tall)
        render_tile(x, (Tile){t.rows, rest_vectors}, rest_last, "last");
    if (rest_vectors && more)
        render_tile(x, (Tile){more, rest_vectors}, rest_last, "last_rest");
}

/* ---- lanes exchanged --------------------------------------------------------------- */

/* Of two vectors, blocks of s lanes: 0 of u, 0 of v, 2 of u ..; or 1 of u, 1 of v .. */
static void render_mix(const Dot *x, const char *to, const char *u, const char *v, int s,
                       bool high)
{
    Text *o = x->r->t;
    int lanes = x->r->lanes;

    text_printf(o, "%s = wk_mix(%s, %s, %c_m%s", to, u, v, x->r->set, x->kind);
    for (int l = 0; l < lanes; l++) {
        bool odd = l / s % 2 == 1;
        int from = odd ? lanes + l - (high ? 0 : s) : l + (high ? s : 0);

        text_printf(o, ", %d", from);
    }
    text_add(o, ");\n");
}

/* A square of elements at `from` turned, those of a column side by side at `to`; of the
 * square there are so many rows, the others are 0, and of each so many elements. */
static void render_turn(const Dot *x, int rows, int cols, const char *suffix)
{
    Text *o = x->r->t;
    Arena *a = x->r->a;
    int n = x->r->lanes;

    text_printf(o,
                "static inline void %s_turn%s(const %s *from, %s *to)\n{\n    %s u0",
                x->name, suffix, x->elem, x->elem, x->type);
    for (int i = 1; i < n; i++)
        text_printf(o, ", u%d", i);
    text_add(o, ";\n");
    for (int i = 0; i < n; i++) {
        text_printf(o, "    %s v%d = ", x->type, i);
        if (i < rows)
            text_printf(o, "%c_ld_%s(from + %lld, %d);\n", x->r->set, x->kind,
                        ll(i * x->d->b_col), cols);
        else
            text_add(o, "{0};\n");
    }
    for (int s = n / 2; s; s /= 2) {
        for (int i = 0; i < n; i++) {
            const char *lo = arena_printf(a, "v%d", i & ~s);
            const char *hi = arena_printf(a, "v%d", i | s);

            text_add(o, "    ");
            render_mix(x, arena_printf(a, "u%d", i), lo, hi, s, (i & s) != 0);
        }
        for (int i = 0; i < n; i++)
            text_printf(o, "    v%d = u%d;\n", i, i);
    }
    for (int i = 0; i < cols; i++)
        text_printf(o, "    %c_st_%s(to + %lld, %d, v%d);\n", x->r->set, x->kind,
                    ll(i * x->b_row), n, i);
    text_add(o, "}\n\n");
}

/* Squares at the border have fewer rows or columns. */
static void render_turns(const Dot *x)
{
    const KMatmul *d = x->d;
    int n = x->r->lanes, rows = (int)(d->n % n), cols = (int)(d->k % n);

    if (d->n >= n && d->k >= n)
        render_turn(x, n, n, "");
    if (rows && d->k >= n)
        render_turn(x, rows, n, "_low");
    if (cols && d->n >= n)
        render_turn(x, n, cols, "_slim");
    if (rows && cols)
        render_turn(x, rows, cols, "_corner");
}

static void call_turns(const Dot *x)
{
    Text *o = x->r->t;
    const KMatmul *d = x->d;
    int n = x->r->lanes;
    int64_t j = d->n / n * n, p = d->k / n * n;

    if (j) {
        text_printf(o, "    for (int64_t j = 0; j < %lld; j += %d) {\n", ll(j), n);
        if (p)
            text_printf(o,
                        "        for (int64_t p = 0; p < %lld; p += %d)\n"
                        "            %s_turn(b + p + %lld * j, packed + %lld * p + j);\n",
                        ll(p), n, x->name, ll(d->b_col), ll(x->b_row));
        if (p < d->k)
            text_printf(o,
                        "        %s_turn_slim(b + %lld + %lld * j, packed + %lld + j);\n",
                        x->name, ll(p), ll(d->b_col), ll(x->b_row * p));
        text_add(o, "    }\n");
    }
    if (j == d->n)
        return;
    if (p)
        text_printf(o,
                    "    for (int64_t p = 0; p < %lld; p += %d)\n"
                    "        %s_turn_low(b + p + %lld, packed + %lld * p + %lld);\n",
                    ll(p), n, x->name, ll(d->b_col * j), ll(x->b_row), ll(j));
    if (p < d->k)
        text_printf(o, "    %s_turn_corner(b + %lld, packed + %lld);\n", x->name,
                    ll(p + d->b_col * j), ll(x->b_row * p + j));
}

/* B with its columns side by side, in memory at tmp. */
static void render_packing(Dot *x)
{
    Text *o = x->r->t;
    const KMatmul *d = x->d;

    text_printf(o, "    %s *const packed = (%s *)tmp;\n", x->elem, x->elem);
    if (d->b_row == 1)
        call_turns(x);
    else
        text_printf(o,
                    "    for (int64_t p = 0; p < %lld; p++)\n"
                    "        for (int64_t j = 0; j < %lld; j++)\n"
                    "            packed[%lld * p + j] =\n"
                    "                j < %lld ? b[%lld * p + %lld * j] : 0;\n",
                    ll(d->k), ll(x->b_row), ll(x->b_row), ll(d->n), ll(d->b_row),
                    ll(d->b_col));
    text_add(o, "    b = packed;\n");
}

/* ---- few rows ---------------------------------------------------------------------- */

/* c[i, j .. j+count-1], each the sum of the lanes of a vector. */
static void render_sums(const Dot *x, int count, const char *suffix)
{
    Text *o = x->r->t;
    Arena *a = x->r->a;
    const KMatmul *d = x->d;
    int n = x->r->lanes, left = (int)(d->k % n);

    text_printf(o, "static inline void %s_%s(const %s *a, const %s *b, %s *c)\n{\n",
                x->name, suffix, x->elem, x->elem, x->elem);
    for (int q = 0; q < n; q++)
        text_printf(o, "    %s v%d = {0};\n", x->type, q);
    for (int part = 0; part < 2; part++) {
        int lanes = part ? left : n;

        if (!lanes || (!part && d->k < n))
            continue;
        text_printf(o, "    for (int64_t p = %lld; p < %lld; p += %d) {\n",
                    part ? ll(d->k - left) : 0, part ? ll(d->k) : ll(d->k - left), n);
        text_printf(o, "        const %s x = %c_ld_%s(a + p, %d);\n", x->type, x->r->set,
                    x->kind, lanes);
        for (int q = 0; q < count; q++)
            text_printf(o, "        v%d += x * %c_ld_%s(b + %lld + p, %d);\n", q,
                        x->r->set, x->kind, ll(q * d->b_col), lanes);
        text_add(o, "    }\n");
    }
    text_printf(o, "    %s lo, hi;\n", x->type);
    for (int s = n / 2; s; s /= 2)
        for (int q = 0; q < s; q++) {
            const char *u = arena_printf(a, "v%d", q), *v = arena_printf(a, "v%d", q + s);

            text_add(o, "    ");
            render_mix(x, "lo", u, v, s, false);
            text_add(o, "    ");
            render_mix(x, "hi", u, v, s, true);
            text_printf(o, "    %s = lo + hi;\n", u);
        }
    text_printf(o, "    %c_st_%s(c, %d, v0);\n}\n\n", x->r->set, x->kind, count);
}

static void render_across(const Dot *x)
{
    Text *o = x->r->t;
    const KMatmul *d = x->d;
    int n = x->r->lanes;
    int64_t full = d->n / n * n;

    text_printf(o, "    for (int64_t i = 0; i < %lld; i++) {\n", ll(d->m));
    if (full)
        text_printf(o,
                    "        for (int64_t j = 0; j < %lld; j += %d)\n"
                    "            %s_wide(a + %lld * i, b + %lld * j, c + %lld * i + j);\n",
                    ll(full), n, x->name, ll(d->a_row), ll(d->b_col), ll(d->c_row));
    if (full < d->n)
        text_printf(o, "        %s_last(a + %lld * i, b + %lld, c + %lld * i + %lld);\n",
                    x->name, ll(d->a_row), ll(full * d->b_col), ll(d->c_row), ll(full));
    text_add(o, "    }\n");
}

/* ---- a product --------------------------------------------------------------------- */

static void render_all_tiles(const Dot *x, int64_t full, bool rest)
{
    Text *o = x->r->t;
    int64_t w = (int64_t)x->tile.vectors * x->r->lanes;

    if (full) {
        text_printf(o, "    for (int64_t j = 0; j < %lld; j += %lld) {\n", ll(full),
                    ll(w));
        call_tiles(x, "        ", "wide");
        text_add(o, "    }\n");
    }
    if (rest) {
        text_printf(o, "    {\n        const int64_t j = %lld;\n", ll(full));
        call_tiles(x, "        ", "last");
        text_add(o, "    }\n");
    }
}

/* for each matrix of the batch: */
static void open_batch(const Dot *x)
{
    Text *o = x->r->t;
    const KMatmul *d = x->d;

    for (int i = 0; i < d->nbatch; i++)
        text_printf(o, "    for (int64_t i%d = 0; i%d < %lld; i%d++) {\n", i, i,
                    ll(d->batch[i]), i);
    if (!d->nbatch)
        text_add(o, "    {\n");
    text_printf(o, "    const %s *a = A, *b = B;\n    %s *c = C;\n", x->elem, x->elem);
    for (int i = 0; i < d->nbatch; i++)
        text_printf(o,
                    "    a += %lld * i%d;\n    b += %lld * i%d;\n    c += %lld * i%d;\n",
                    ll(d->a_batch[i]), i, ll(d->b_batch[i]), i, ll(d->c_batch[i]), i);
}

static void render_body(Dot *x)
{
    Text *o = x->r->t;
    const KMatmul *d = x->d;
    bool across = is_across(d), packed = is_packed(d);
    int lanes = x->r->lanes, last = (int)(d->n % lanes);
    int64_t w = (int64_t)x->tile.vectors * lanes, full = d->n / w * w;
    int rest = (int)((d->n - full + lanes - 1) / lanes);

    if (across && d->n >= lanes)
        render_sums(x, lanes, "wide");
    if (across && last)
        render_sums(x, last, "last");
    if (packed) {
        x->b_row = x->width = whole(d->n, lanes);
        x->b_col = 1;
    }
    if (packed && d->b_row == 1)
        render_turns(x);
    if (!across)
        render_tiles(x, full, rest, last ? last : lanes);
    text_printf(o, "%svoid %s(const void *A, const void *B, void *C, char *tmp)\n{\n",
                *x->r->k->part ? "static " : "", x->name);
    open_batch(x);
    if (packed)
        render_packing(x);
    if (across)
        render_across(x);
    else
        render_all_tiles(x, full, rest != 0);
    for (int i = 0; i < MAX(d->nbatch, 1); i++)
        text_add(o, "    }\n");
    text_add(o, "}\n\n");
}

void render_dot(Render *r)
{
    const KMatmul *d = r->k->dot;
    bool f64 = d->c_type == KT_F64;
    Dot x = {.r = r, .d = d, .b_row = d->b_row, .b_col = d->b_col, .width = d->n};

    x.name = arena_printf(r->a, "wk%u%s", r->k->id, r->k->part);
    x.type = lane_type(r, f64 ? WF_F64 : WF_F32);
    x.elem = f64 ? "double" : "float";
    x.kind = f64 ? "f64" : "f32";
    x.tile = best_tile(d, r->k->target->registers, r->lanes);
    if (!is_across(d))
        text_printf(r->t, "/* tiles of %d x %d */\n", x.tile.rows,
                    x.tile.vectors * r->lanes);
    render_body(&x);
}
