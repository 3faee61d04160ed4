/* attention_grad.h -- the gradient of attention for one REAL, a part of attention_body.h.
 *
 *   P from shift and sum again    dP = dO V^T    dS = ops'(P (dP - rowsum(dO O)))
 *   dQ += dS K, turned, in the nearest cache while a panel walks over the keys
 *   dK += dS^T Q, dV += P^T dO, of a range of panels, beside
 */

typedef struct Backward {
    Panel p;
    REAL *dot;      /* dO turned, [width, NR] */
    REAL *dqt;      /* dQ turned, [depth, NR] */
    REAL *dp;       /* [BK, NR] */
    REAL *qn, *don; /* Q and dO by rows, [NR, ld_k] [NR, ld_v] */
    REAL *dk, *dv;  /* [keys, ld_k] [keys, ld_v] */
    int64_t ld_k, ld_v;
    V shift[NV], sum[NV], mean[NV]; /* mean: rowsum(dO O) */
} Backward;

/* p->s: scores become weights; dp: dO V^T becomes dS. */
static void weigh(Backward *b, int64_t n)
{
    const Panel *p = &b->p;

    for (int v = 0; v < p->nv; v++) {
        V shift = b->shift[v], by = 1 / b->sum[v], sum = b->sum[v], mean = b->mean[v];
        /* the reciprocal of what is tiny or huge is not exact enough */
        int whole = any_lane(~(sum >= (REAL)1)) || any_lane(~(sum < (REAL)0x1p100));
        REAL *s = p->s + v * VL, *dp = b->dp + v * VL;

        for (int64_t j = 0; j < n; j++) {
            V e = real_exp(real_load(s + j * NR) - shift), w = whole ? e / sum : e * by;

            real_store(s + j * NR, w);
            real_store(dp + j * NR, w * (real_load(dp + j * NR) - mean));
        }
    }
}

static void gradient_block(Backward *b, int64_t j0, int64_t n)
{
    const Panel *p = &b->p;
    const KAttention *x = p->x;
    const KPlane *v = &p->v, *k = &p->k;

    scores_of(p, j0, n);
    product(n, p->nv, x->width, (const REAL *)v->p + j0 * v->row, v->row, v->col, b->dot,
            NR, b->dp, NR, 0);
    weigh(b, n);
    if (x->dv.p)
        product_wide(n, b->ld_v, p->rows, p->s, NR, 1, b->don, b->dv + j0 * b->ld_v);
    if (!x->dq.p && !x->dk.p)
        return;
    apply_ops(p, j0, n, b->dp, 1);
    product(x->depth, p->nv, n, (const REAL *)k->p + j0 * k->row, k->col, k->row, b->dp,
            NR, b->dqt, NR, 1);
    if (x->dk.p)
        product_wide(n, b->ld_k, p->rows, b->dp, NR, 1, b->qn, b->dk + j0 * b->ld_k);
}

/* rowsum(dO O) of the panel */
static void find_mean(Backward *b)
{
    const Panel *p = &b->p;
    const KAttention *x = p->x;
    const KPlane *o = &x->out, *d = &x->dout;
    const REAL *op = plane_at(x, o, p->index) + p->i0 * o->row;
    const REAL *dp = plane_at(x, d, p->index) + p->i0 * d->row;
    REAL room[NR] = {0};

    for (int i = 0; i < p->rows; i++, op += o->row, dp += d->row) {
        V sum = {0};
        int64_t c = 0;

        if (o->col == 1 && d->col == 1)
            for (; c + VL <= x->width; c += VL)
                sum += real_load(op + c) * real_load(dp + c);
        for (; c < x->width; c++)
            room[i] += op[c * o->col] * dp[c * d->col];
        for (int e = 0; e < VL; e++)
            room[i] += sum[e];
    }
    for (int v = 0; v < NV; v++)
        b->mean[v] = real_load(room + v * VL);
}

static void gradient_panel(Backward *b, int finite)
{
    Panel *p = &b->p;
    const KAttention *x = p->x;
    const REAL *q = plane_at(x, &x->q, p->index), *d = plane_at(x, &x->dout, p->index);
    int64_t to = x->keys, seen = keys_seen(p);

    load_turned(&x->dout, d, p->i0, p->rows, x->width, b->dot);
    load_rows(&x->dout, d, p->i0, p->rows, x->width, b->don, b->ld_v);
    load_rows(&x->q, q, p->i0, p->rows, x->depth, b->qn, b->ld_k);
    load_lanes(&x->shift, plane_at(x, &x->shift, p->index), p->i0, p->rows, 0, b->shift);
    load_lanes(&x->sum, plane_at(x, &x->sum, p->index), p->i0, p->rows, 1, b->sum);
    find_mean(b);
    memset(b->dqt, 0, (size_t)(x->depth * NR) * sizeof *b->dqt);
    if (seen < to && finite && may_skip(x, b->shift, b->sum, p->nv))
        to = seen;
    for (int64_t j0 = 0; j0 < to; j0 += BK)
        gradient_block(b, j0, min64(BK, to - j0));
    if (x->dq.p)
        store_turned(&x->dq, plane_at(x, &x->dq, p->index), p->i0, p->rows, x->depth,
                     b->dqt, (REAL)x->dq_times);
}

static int64_t sums_of(const KAttention *x)
{
    return x->keys * (round_up(x->depth, NR) + round_up(x->width, NR));
}

static size_t backward_bytes(const KAttention *x)
{
    return panel_bytes(x) + rounded(x->width * NR) + rounded(x->depth * NR) +
           rounded(BK * NR) + rounded(NR * round_up(x->depth, NR)) +
           rounded(NR * round_up(x->width, NR)) +
           (part_count(x) == 1 ? rounded(sums_of(x)) : 0);
}

static size_t gradient_workspace(const KAttention *x, int threads)
{
    int64_t tasks = count_entries(x) * part_count(x);

    return backward_bytes(x) * (size_t)worker_count(x, tasks, threads) +
           (size_t)round_up(count_entries(x), 64) + 128 +
           (part_count(x) > 1 ? rounded(sums_of(x)) * (size_t)tasks : 0);
}

static void store_sums(const Pool *o, int64_t index, const REAL *dk, const REAL *dv)
{
    const KAttention *x = o->x;

    if (x->dk.p)
        store_rows(&x->dk, plane_at(x, &x->dk, index), x->keys, x->depth, dk, o->ld_k,
                   (REAL)x->dk_times);
    if (x->dv.p)
        store_rows(&x->dv, plane_at(x, &x->dv, index), x->keys, x->width, dv, o->ld_v,
                   (REAL)x->dv_times);
}

static void carve_backward(Backward *b, const Pool *o, char *ws)
{
    const KAttention *x = o->x;

    carve_panel(&b->p, x, &ws);
    b->ld_k = o->ld_k;
    b->ld_v = o->ld_v;
    b->dot = carve(&ws, x->width * NR);
    b->dqt = carve(&ws, x->depth * NR);
    b->dp = carve(&ws, BK * NR);
    b->qn = carve(&ws, NR * o->ld_k);
    b->don = carve(&ws, NR * o->ld_v);
    b->dk = (REAL *)(void *)ws;
}

static void backward_task(void *user, int worker)
{
    Pool *o = user;
    const KAttention *x = o->x;
    Backward b;
    int64_t t;

    carve_backward(&b, o, o->ws + (size_t)worker * o->each);
    while ((t = take_task(o)) < o->tasks) {
        int64_t index = t / o->parts, part = t % o->parts;

        open_entry(&b.p, index);
        if (o->partial)
            b.dk = o->partial + t * (int64_t)(rounded(sums_of(x)) / sizeof(REAL));
        b.dv = b.dk + x->keys * b.ld_k;
        memset(b.dk, 0, (size_t)sums_of(x) * sizeof(REAL));
        for (int64_t i = part_begin(o, part); i < part_begin(o, part + 1); i++) {
            open_panel(&b.p, i);
            gradient_panel(&b, o->finite[index]);
        }
        if (!o->partial)
            store_sums(o, index, b.dk, b.dv);
    }
}

/* The parts of an entry, added in order. */
static void join_task(void *user, int worker)
{
    Pool *o = user;
    int64_t n = sums_of(o->x), step = (int64_t)(rounded(n) / sizeof(REAL)), t;

    (void)worker;
    while ((t = take_task(o)) < o->entries) {
        REAL *sum = o->partial + t * o->parts * step;

        for (int64_t part = 1; part < o->parts; part++)
            for (int64_t i = 0; i < n; i++)
                sum[i] += sum[part * step + i];
        store_sums(o, t, sum, sum + o->x->keys * o->ld_k);
    }
}

static int meets_finite(const KAttention *x, int64_t i)
{
    return all_finite(&x->v, plane_at(x, &x->v, i), x->keys, x->width) &&
           all_finite(&x->k, plane_at(x, &x->k, i), x->keys, x->depth) &&
           all_finite(&x->q, plane_at(x, &x->q, i), x->queries, x->depth) &&
           all_finite(&x->dout, plane_at(x, &x->dout, i), x->queries, x->width);
}

static void gradient_run(const KAttention *x, const KPar *par, void *workspace)
{
    char *ws = (char *)workspace + (-(uintptr_t)workspace & 63);
    Pool o = {.x = x, .entries = count_entries(x), .panels = ceil_div(x->queries, NR)};
    int n;

    o.parts = part_count(x);
    o.tasks = o.entries * o.parts;
    o.ld_k = round_up(x->depth, NR);
    o.ld_v = round_up(x->width, NR);
    n = worker_count(x, o.tasks, par->threads);
    o.each = backward_bytes(x);
    o.ws = ws;
    o.finite = ws + o.each * (size_t)n;
    if (o.parts > 1)
        o.partial = (REAL *)(void *)(o.finite + round_up(o.entries, 64));
    for (int64_t i = 0; i < o.entries; i++)
        o.finite[i] = causal_op(x) && (char)meets_finite(x, i);
    if (!o.tasks)
        return;
    run_workers(&o, par, backward_task, n);
    if (o.partial)
        run_workers(&o, par, join_task, (int)min64(n, o.entries));
}
