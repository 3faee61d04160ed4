/* narrow_matmul.h -- C = A·B of small integers.
 *
 * A is packed by strips of ROWS rows, B by panels of COLS columns, each over all of k: sums of some thousand
 * groups stay in registers from beginning to end. Threads take blocks of strips x panels, whose sums go through a
 * buffer of their own into C or to the epilogue.
 */
#define BLOCK_STRIPS 4
#define BLOCK_PANELS 4

typedef struct Matmul {
    const KMatmul *x;
    PackLines a, b;
    Tile *tile;
    int64_t groups, strips, panels;
    int64_t batch, items; /* the entry of the batch; blocks of its result */
    int32_t *a_strips, *b_panels, *b_sums, *sums; /* b_sums: of B's columns; sums: for each task a block */
    _Alignas(64) int64_t next;
} Matmul;

static void matmul_open(Matmul *m, const KMatmul *x)
{
    int bytes = x->a_type != KT_I16 && x->b_type != KT_I16 && has_quads(), per = bytes ? 4 : 2;

    *m = (Matmul){.x = x};
    m->a = (PackLines){x->a, x->a_type, x->a_row, x->a_col, x->k, per, bytes && x->a_type == KT_I8};
    m->b = (PackLines){x->b, x->b_type, x->b_col, x->b_row, x->k, per, bytes && x->b_type == KT_U8};
    m->tile = tiles_of(per, 0).tile;
    m->groups = groups_of(&m->a);
    m->strips = ceil_quotient(x->m, ROWS);
    m->panels = ceil_quotient(x->n, COLS);
    m->items = ceil_quotient(m->strips, BLOCK_STRIPS) * ceil_quotient(m->panels, BLOCK_PANELS);
}

static size_t b_bytes(const Matmul *m)
{
    return whole_lines((size_t)(m->panels * m->groups * COLS + m->panels * COLS) * 4);
}
static size_t a_bytes(const Matmul *m) { return whole_lines((size_t)(m->strips * m->groups * ROWS) * 4); }
#define BLOCK_BYTES ((size_t)BLOCK_STRIPS * ROWS * BLOCK_PANELS * COLS * 4)

static void pack_panel(void *user, int p)
{
    Matmul *m = user;
    int64_t n = least(COLS, m->x->n - (int64_t)p * COLS);

    pack_lines(&m->b, (int64_t)p * COLS, n, COLS, m->b_panels + p * m->groups * COLS);
    for (int64_t j = 0; m->a.moved && j < n; j++)
        m->b_sums[p * COLS + j] = (int32_t)line_sum(&m->b, (int64_t)p * COLS + j);
}

static void pack_b(Matmul *m, const KPar *par, void *to)
{
    m->b_panels = to;
    m->b_sums = m->b_panels + m->panels * m->groups * COLS;
    run_tasks(par, m->panels, pack_panel, m);
}

static void pack_strip(void *user, int s)
{
    Matmul *m = user;

    pack_lines(&m->a, (int64_t)s * ROWS, least(ROWS, m->x->m - (int64_t)s * ROWS), ROWS,
               m->a_strips + s * m->groups * ROWS);
}

/* What moved operands leave to be added, then to where the result goes. */
static void finish_block(const Matmul *m, int32_t *c, int64_t ld, int64_t row, int64_t rows, int64_t col, int64_t cols)
{
    const KMatmul *x = m->x;
    int64_t at[K_BATCH], rest = m->batch, base = 0;

    for (int64_t i = 0; i < rows && (m->a.moved || m->b.moved); i++) {
        uint32_t more = m->b.moved ? 128 * line_sum(&m->a, row + i) : 0;

        more += m->a.moved && m->b.moved ? (uint32_t)x->k * 128 * 128 : 0;
        for (int64_t j = 0; j < cols; j++)
            c[i * ld + j] = (int32_t)((uint32_t)c[i * ld + j] + more -
                                      (m->a.moved ? 128 * (uint32_t)m->b_sums[col + j] : 0));
    }
    if (x->epilogue.tile) {
        KTile t = {c, ld, row, col, rows, cols, m->batch};

        x->epilogue.tile(x->epilogue.user, &t);
        return;
    }
    for (int i = x->nbatch - 1; i >= 0; i--) {
        at[i] = rest % x->batch[i];
        rest /= x->batch[i];
        base += at[i] * x->c_batch[i];
    }
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            ((int32_t *)x->c)[base + (row + i) * x->c_row + (col + j) * x->c_col] = c[i * ld + j];
}

static void run_blocks(void *user, int task)
{
    Matmul *m = user;
    int32_t *c = m->sums + (size_t)task * (BLOCK_BYTES / 4);
    int64_t across = ceil_quotient(m->panels, BLOCK_PANELS), ld = BLOCK_PANELS * COLS, item;

    while ((item = __atomic_fetch_add(&m->next, 1, __ATOMIC_RELAXED)) < m->items) {
        int64_t s0 = item / across * BLOCK_STRIPS, s1 = least(s0 + BLOCK_STRIPS, m->strips),
                p0 = item % across * BLOCK_PANELS, p1 = least(p0 + BLOCK_PANELS, m->panels),
                rows = least(s1 * ROWS, m->x->m) - s0 * ROWS, cols = least(p1 * COLS, m->x->n) - p0 * COLS;

        for (int64_t p = p0; p < p1; p++)
            for (int64_t s = s0; s < s1; s++)
                m->tile(least(ROWS, m->x->m - s * ROWS), m->x->n - p * COLS > VFL ? 2 : 1,
                        m->a_strips + s * m->groups * ROWS, m->b_panels + p * m->groups * COLS, COLS, m->groups,
                        c + (s - s0) * ROWS * ld + (p - p0) * COLS, ld);
        finish_block(m, c, ld, s0 * ROWS, rows, p0 * COLS, cols);
    }
}

static size_t narrow_matmul_workspace(const KMatmul *x, int threads)
{
    Matmul m;

    matmul_open(&m, x);
    return a_bytes(&m) + (x->packed ? 0 : b_bytes(&m)) + (size_t)threads * BLOCK_BYTES + 64;
}

static void narrow_matmul_run(const KMatmul *x, const KPar *par, void *workspace)
{
    Matmul m;
    int64_t n = 1, at[K_BATCH] = {0};
    char *w = line_start(workspace);
    int threads = par && par->run ? par->threads : 1;

    for (int i = 0; i < x->nbatch; i++)
        n *= x->batch[i];
    matmul_open(&m, x);
    if (n == 0 || x->m == 0 || x->n == 0)
        return;
    m.a_strips = (int32_t *)w;
    m.sums = (int32_t *)(w + a_bytes(&m) + (x->packed ? 0 : b_bytes(&m)));
    if (x->packed) {
        m.b_panels = (int32_t *)(uintptr_t)x->packed;
        m.b_sums = m.b_panels + m.panels * m.groups * COLS;
    }
    for (m.batch = 0; m.batch < n; m.batch++) {
        int64_t a = 0, b = 0;

        for (int i = 0; i < x->nbatch; i++) {
            a += at[i] * x->a_batch[i];
            b += at[i] * x->b_batch[i];
        }
        m.a.p = (const char *)x->a + a * (x->a_type == KT_I16 ? 2 : 1);
        if (!x->packed) {
            m.b.p = (const char *)x->b + b * (x->b_type == KT_I16 ? 2 : 1);
            pack_b(&m, par, w + a_bytes(&m));
        }
        run_tasks(par, m.strips, pack_strip, &m);
        m.next = 0;
        run_tasks(par, least(threads, m.items), run_blocks, &m);
        for (int i = x->nbatch - 1; i >= 0 && ++at[i] == x->batch[i]; i--)
            at[i] = 0;
    }
}

static size_t narrow_matmul_packed_size(const KMatmul *x)
{
    Matmul m;

    matmul_open(&m, x);
    return x->nbatch ? 0 : b_bytes(&m);
}

static void narrow_matmul_pack(const KMatmul *x, const KPar *par, void *to)
{
    Matmul m;

    matmul_open(&m, x);
    m.a.moved = 1; /* sums are there for whatever A */
    pack_b(&m, par, to);
}

static size_t narrow_matmul_most(int64_t m, int64_t n, int64_t k, int threads)
{
    return narrow_matmul_workspace(&(KMatmul){.a_type = KT_I16, .b_type = KT_I16, .m = m, .n = n, .k = k}, threads);
}
