/* lib_check.c -- see lib_check.h. */
#include "lib_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- a context and a region for each test ---- */

static wf_status in_region(wf_ctx *cx, void (*body)(wf_ctx *cx))
{
    API_ENTER(cx);
    body(cx);
    API_RETURN(cx);
}

void run_test(void (*body)(wf_ctx *cx))
{
    wf_ctx *cx = wf_ctx_new(NULL);

    REQUIRE(cx != NULL);
    if (in_region(cx, body) != WF_OK)
        FAIL("%s", wf_ctx_message(cx));
    wf_ctx_free(cx);
}

const Program *parse_lines(wf_ctx *cx, const char *text)
{
    char *lines = arena_strdup(&cx->scratch, text);
    const Program **ps;
    uint32_t n;

    for (char *c = lines; *c; c++)
        if (*c == ';')
            *c = '\n';
    if (!programs_parse(cx, "test.wir", lines, strlen(lines), NULL, &ps, &n) || n == 0)
        return NULL;
    return ps[n - 1];
}

bool is_valid(wf_ctx *cx, const Program *p) { return p && program_verify(cx, p); }

void check_error(wf_ctx *cx, wf_status status, const char *text)
{
    CHECK_EQ_INT(wf_ctx_status(cx), status);
    CHECK_HAS(wf_ctx_message(cx), text);
    wf_clear(cx);
}

/* ---- random numbers ---- */

double rng_unit(Rng *r) { return (double)(rng_next(r) >> 11) * 0x1p-53; }

int64_t rng_int(Rng *r, int64_t lo, int64_t hi)
{
    return lo + (int64_t)(rng_next(r) % (uint64_t)(hi - lo + 1));
}

/* ---- arrays ---- */

Nd nd_new(wf_ctx *cx, wf_dtype dtype, const int64_t *dims, uint32_t rank)
{
    Nd x = {.dtype = dtype,
            .rank = rank,
            .dims = arena_dup(&cx->scratch, dims, rank * sizeof *dims)};
    int64_t bytes = 0;

    type_size(dtype, dims, rank, &x.count, &bytes);
    x.data = arena_zalloc(&cx->scratch, (size_t)bytes);
    return x;
}

Nd nd_copy(wf_ctx *cx, const Nd *x)
{
    Nd y = nd_new(cx, x->dtype, x->dims, x->rank);

    if (x->count)
        memcpy(y.data, x->data, (size_t)x->count * wf_dtype_size(x->dtype));
    return y;
}

Nd nd_f64s(wf_ctx *cx, const double *v, int64_t n)
{
    Nd x = nd_new(cx, WF_F64, &n, 1);

    memcpy(x.data, v, (size_t)n * sizeof *v);
    return x;
}

void check_vec(const Nd *x, int64_t n, const double *want, double tol)
{
    CHECK_EQ_INT(x->count, n);
    for (int64_t i = 0; i < n && i < x->count; i++)
        CHECK_NEAR(nd_get(x, i), want[i], tol);
}

Nd nd_f64(wf_ctx *cx, double v)
{
    Nd x = nd_new(cx, WF_F64, NULL, 0);

    *(double *)x.data = v;
    return x;
}

static void *element(const Nd *x, int64_t i)
{
    return (char *)x->data + (size_t)i * wf_dtype_size(x->dtype);
}
double nd_get(const Nd *x, int64_t i) { return element_as_f64(x->dtype, element(x, i)); }
void nd_set(Nd *x, int64_t i, double v) { element_from_f64(x->dtype, v, element(x, i)); }

/* A complex array as the numbers of its parts; another as it is. */
static Nd numbers(const Nd *x)
{
    Nd y = *x;

    if (dtype_is_complex(x->dtype)) {
        y.dtype = dtype_part(x->dtype);
        y.count *= 2;
    }
    return y;
}

const char *nd_differ(wf_ctx *cx, const Nd *given_a, const Nd *given_b, double tol)
{
    Nd in_parts[2] = {numbers(given_a), numbers(given_b)}, *a = &in_parts[0], *b = &in_parts[1];

    if (a->dtype != b->dtype || a->rank != b->rank)
        return arena_printf(&cx->scratch, "types differ: %s of rank %u, %s of rank %u",
                            wf_dtype_name(a->dtype), a->rank, wf_dtype_name(b->dtype),
                            b->rank);
    for (uint32_t k = 0; k < a->rank; k++)
        if (a->dims[k] != b->dims[k])
            return arena_printf(&cx->scratch, "axis %u is %lld, needs %lld", k,
                                (long long)a->dims[k], (long long)b->dims[k]);
    for (int64_t i = 0; i < a->count; i++) {
        double x = nd_get(a, i), y = nd_get(b, i);
        if (x == y || (isnan(x) && isnan(y)))
            continue;
        if (dtype_is_float(a->dtype) && fabs(x - y) <= tol * (1 + fabs(y)))
            continue;
        char sx[NUMBER_MAX], sy[NUMBER_MAX];
        number_f64(sx, x);
        number_f64(sy, y);
        return arena_printf(&cx->scratch, "element %lld is %s, needs %s", (long long)i,
                            sx, sy);
    }
    return NULL;
}

/* ---- case files ---- */

char *read_text(const char *path, size_t *out_size)
{
    FILE *f = fopen(path, "rb");
    char *s = NULL;
    long n;

    if (f && !fseek(f, 0, SEEK_END) && (n = ftell(f)) >= 0 && !fseek(f, 0, SEEK_SET) &&
        (s = malloc((size_t)n + 1))) {
        *out_size = fread(s, 1, (size_t)n, f);
        s[*out_size] = 0;
    }
    if (f)
        fclose(f);
    return s;
}

static void read_spec(const char *s, InputSpec *out)
{
    long long lo, hi;
    double low, high;

    while (*s == ' ')
        s++;
    if (!strncmp(s, "pos", 3))
        out->kind = IN_POS;
    else if (!strncmp(s, "unit", 4))
        out->kind = IN_UNIT;
    else if (sscanf(s, "int %lld %lld", &lo, &hi) == 2)
        *out = (InputSpec){IN_INT, lo, hi, 0, 0};
    else if (sscanf(s, "range %lf %lf", &low, &high) == 2)
        *out = (InputSpec){IN_RANGE, 0, 0, low, high};
}

static void read_sizes(Case *c, const char *s)
{
    char name[64];
    long long v;
    int used;

    while (sscanf(s, " %63[^= \n]=%lld%n", name, &v, &used) == 2) {
        for (uint32_t i = 0; i < c->p->dims.syms.n; i++)
            if (!strcmp(c->p->dims.syms.v[i].name, name) && c->sizes[i] >= 0)
                c->sizes[i] = v;
        s += used;
    }
}

static void read_directive(Case *c, Arena *a, const char *s)
{
    char name[64];
    int used = 0;
    long long size;

    if (!strncmp(s, "# in:", 5))
        for (uint32_t i = 0; i < c->p->nin; i++)
            read_spec(s + 5, &c->in[i]);
    else if (sscanf(s, "# in %63[^: ]:%n", name, &used) == 1 && used)
        for (uint32_t i = 0; i < c->p->nin; i++) {
            if (c->p->vals[i + 1].name &&
                !strcmp(c->p->names[c->p->vals[i + 1].name], name))
                read_spec(s + used, &c->in[i]);
        }
    else if (!strncmp(s, "# sym:", 6))
        read_sizes(c, s + 6);
    else if (sscanf(s, "# axis: %63[^= \n]=%lld", name, &size) == 2) {
        c->axis = arena_strdup(a, name);
        c->axis_size = size;
    } else if (!strncmp(s, "# nograd", 8))
        c->nograd = true;
    else if (!strncmp(s, "# novmap", 8))
        c->novmap = true;
}

/* The comment lines that stand right above the program's first line. */
static void read_directives(Case *c, Arena *a, const char *text)
{
    const char *at = text, *above;
    size_t n = strlen(c->p->name);

    for (;; at++) {
        at = strstr(at, c->p->name);
        if (!at)
            return;
        if ((at == text || at[-1] == '\n') && (at[n] == '(' || at[n] == '['))
            break;
    }
    for (above = at; above > text; at = above) {
        above = at - 1;
        while (above > text && above[-1] != '\n')
            above--;
        if (*above != '#')
            break;
        read_directive(c, a, above);
    }
}

static bool is_called(const Program *const *ps, uint32_t n, const Program *p)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < ps[i]->nsubs; k++)
            if (ps[i]->subs[k] == p)
                return true;
    return false;
}

bool cases_load(wf_ctx *cx, const char *path, Case **out, uint32_t *out_n)
{
    size_t size = 0;
    char *raw = read_text(path, &size);
    const char *text;
    const Program **ps = NULL;
    uint32_t n = 0;

    *out_n = 0;
    if (!raw)
        return fail(cx, WF_ERR_IO, NOWHERE, "%s cannot be read", path);
    text = arena_strdup(&cx->scratch, raw);
    free(raw);
    ctx_add_source(cx, path, text, strlen(text));
    if (!programs_parse(cx, path, text, strlen(text), NULL, &ps, &n))
        return false;
    *out = arena_array(&cx->scratch, n, sizeof **out);
    for (uint32_t i = 0; i < n; i++) {
        Case *c = &(*out)[*out_n];
        if (is_called(ps, n, ps[i]))
            continue;
        c->p = ps[i];
        c->in = arena_zalloc(&cx->scratch, (ps[i]->nin + 1) * sizeof *c->in);
        c->sizes = arena_array(&cx->scratch, ps[i]->dims.syms.n + 1, sizeof *c->sizes);
        c->nograd = c->novmap = false;
        c->axis = NULL;
        for (uint32_t k = 0; k < ps[i]->dims.syms.n; k++)
            c->sizes[k] = ps[i]->dims.syms.v[k].origin == SYM_EQN ? -1 : 3;
        read_directives(c, &cx->scratch, text);
        (*out_n)++;
    }
    return true;
}

bool case_batch(wf_ctx *cx, Case *c)
{
    int *axes = arena_zalloc(&cx->scratch, (c->p->nin + 1) * sizeof *axes);
    const Program *p = c->axis ? xf_vmap(cx, c->p, axes, c->axis, c->axis_size, NULL) : c->p;

    if (!p)
        return false;
    c->p = p;
    return true;
}

/* ---- inputs ---- */

/* Floats at least 1/count apart in size, 0.15 away from 0, in random order. */
static void fill_apart(Nd *x, Rng *rng, bool positive)
{
    for (int64_t i = 0; i < x->count; i++)
        nd_set(x, i, (double)i);
    for (int64_t i = x->count - 1; i > 0; i--) {
        int64_t j = rng_int(rng, 0, i);
        double t = nd_get(x, i);
        nd_set(x, i, nd_get(x, j));
        nd_set(x, j, t);
    }
    for (int64_t i = 0; i < x->count; i++) {
        double v =
            0.15 + 1.7 * (nd_get(x, i) + 0.2 + 0.6 * rng_unit(rng)) / (double)x->count;
        nd_set(x, i, positive || rng_next(rng) % 2 ? v : -v);
    }
}

static void fill(Nd *given, InputSpec spec, Rng *rng)
{
    Nd in_parts = numbers(given), *x = &in_parts;

    if (dtype_is_float(x->dtype) && (spec.kind == IN_DEFAULT || spec.kind == IN_POS)) {
        fill_apart(x, rng, spec.kind == IN_POS);
        return;
    }
    for (int64_t i = 0; i < x->count; i++)
        if (spec.kind == IN_RANGE && dtype_is_float(x->dtype))
            nd_set(x, i, spec.low + (spec.high - spec.low) * rng_unit(rng));
        else if (spec.kind == IN_UNIT && dtype_is_float(x->dtype))
            nd_set(x, i, (rng_unit(rng) * 0.75 + 0.1) * (rng_next(rng) % 2 ? 1 : -1));
        else if (x->dtype == WF_BOOL)
            nd_set(x, i, (double)(rng_next(rng) % 2));
        else if (spec.kind == IN_INT && dtype_is_unsigned(x->dtype))
            nd_set(x, i, (double)rng_int(rng, MAX(spec.lo, 0), MAX(spec.hi, 0)));
        else if (spec.kind == IN_INT)
            nd_set(x, i, (double)rng_int(rng, spec.lo, spec.hi));
        else
            nd_set(x, i, (double)rng_int(rng, 0, 3));
}

Nd *case_inputs(wf_ctx *cx, const Case *c, Rng *rng)
{
    Nd *in = arena_array(&cx->scratch, c->p->nin, sizeof *in);

    for (uint32_t i = 0; i < c->p->nin; i++) {
        Type t = val_type(c->p, i + 1);
        int64_t dims[MAX_RANK];
        for (uint32_t k = 0; k < t.rank; k++)
            dim_eval(&c->p->dims, t.dims[k], c->sizes, &dims[k]);
        in[i] = nd_new(cx, (wf_dtype)t.dtype, dims, t.rank);
        fill(&in[i], c->in[i], rng);
    }
    return in;
}

Case case_fixed(wf_ctx *cx, const Program *p)
{
    Case c = case_of(cx, p, 1);

    for (uint32_t i = 0; i < p->nin; i++)
        c.in[i] = dtype_is_float((wf_dtype)val_type(p, i + 1).dtype)
                      ? (InputSpec){.kind = IN_POS}
                      : (InputSpec){IN_INT, 0, 2, 0, 0};
    for (uint32_t i = 0; i < p->dims.syms.n; i++) {
        const char *name = p->dims.syms.v[i].name;
        if (c.sizes[i] >= 0)
            c.sizes[i] = !strcmp(name, "N")   ? 3
                         : !strcmp(name, "M") ? 4
                         : !strcmp(name, "Z") ? 0
                                              : 2;
    }
    return c;
}

Nd input_of(wf_ctx *cx, const Program *p, uint32_t i)
{
    Case c = case_fixed(cx, p);

    return case_inputs(cx, &c, &(Rng){i + 1})[i];
}

/* ---- text ---- */

const char *check_text(wf_ctx *cx, const Program *p)
{
    const Program **again;
    uint32_t n;
    Text a, b;

    if (!program_verify(cx, p))
        return wf_ctx_message(cx);
    text_init(&a, &cx->scratch);
    text_init(&b, &cx->scratch);
    program_print(p, &(PrintOptions){.header = true}, &a);
    if (!programs_parse(cx, "printed.wir", text_str(&a), a.n, NULL, &again, &n))
        return arena_printf(&cx->scratch, "printed text does not parse: %s\n%s",
                            wf_ctx_message(cx), text_str(&a));
    if (!program_equal(p, again[n - 1]))
        return arena_printf(&cx->scratch, "parse(print(p)) is another program:\n%s",
                            text_str(&a));
    program_print(again[n - 1], &(PrintOptions){.header = true}, &b);
    return strcmp(text_str(&a), text_str(&b)) ? "printing again gives another text"
                                              : NULL;
}

/* ---- derivatives ---- */

static bool has_error(wf_ctx *cx, const char **why)
{
    if (!failed(cx))
        return false;
    *why = arena_strdup(&cx->scratch, wf_ctx_message(cx));
    return true;
}

Nd *run_program(wf_ctx *cx, const Program *p, const Nd *in)
{
    Nd *out = p ? arena_zalloc(&cx->scratch, (p->nout + 1) * sizeof *out) : NULL;

    return p && eval_program(cx, p, in, out, &cx->scratch) ? out : NULL;
}

static bool is_float_out(const Program *p, uint32_t j)
{
    return dtype_is_inexact((wf_dtype)val_type(p, p->outs[j]).dtype);
}

static Nd random_like(wf_ctx *cx, const Nd *x, Rng *rng)
{
    Nd v = nd_new(cx, x->dtype, x->dims, x->rank), n = numbers(&v);

    for (int64_t i = 0; i < n.count; i++)
        nd_set(&n, i, rng_unit(rng) * 2 - 1);
    return v;
}

static Nd moved(wf_ctx *cx, const Nd *x, const Nd *v, double h)
{
    Nd y = nd_copy(cx, x), ny = numbers(&y), nx = numbers(x), nv = numbers(v);

    for (int64_t i = 0; i < ny.count; i++)
        nd_set(&ny, i, nd_get(&nx, i) + h * nd_get(&nv, i));
    return y;
}

/* (f(x + h v) - f(x - h v)) / 2h, with the error term in h^2 taken out by a second step of 2h. */
static const char *difference(wf_ctx *cx, const Program *p, const Nd *in, const int *wrt,
                              int n, const Nd *v, uint32_t j, Nd *out)
{
    static const double step[4] = {1, -1, 2, -2};
    const double h = 2e-4;
    Nd y[4], to;

    for (int s = 0; s < 4; s++) {
        Nd *at = arena_dup(&cx->scratch, in, p->nin * sizeof *at), *all;
        for (int k = 0; k < n; k++)
            at[wrt[k]] = moved(cx, &in[wrt[k]], &v[k], h * step[s]);
        if (!(all = run_program(cx, p, at)))
            return wf_ctx_message(cx);
        *out = nd_new(cx, all[j].dtype, all[j].dims, all[j].rank);
        y[s] = numbers(&all[j]);
    }
    to = numbers(out);
    for (int64_t i = 0; i < to.count; i++) {
        double a = nd_get(&y[0], i), b = nd_get(&y[1], i), c = nd_get(&y[2], i),
               d = nd_get(&y[3], i);
        if (a != b || c != d) /* a result that stays infinite does not change */
            nd_set(&to, i, (8 * (a - b) - (c - d)) / (12 * h));
    }
    return NULL;
}

static int pick(const Program *p, unsigned mask, int *wrt)
{
    int n = 0, k = 0;

    for (uint32_t i = 0; i < p->nin; i++)
        if (dtype_is_inexact((wf_dtype)val_type(p, i + 1).dtype) && k < 16 &&
            (mask >> k++ & 1))
            wrt[n++] = (int)i;
    return n;
}

static unsigned subsets(const Program *p)
{
    int wrt[64], n = pick(p, ~0u, wrt);

    return n > 4 ? 0 : (1u << n) - 1;
}

static const char *check_jvp_of(wf_ctx *cx, const Program *p, const Nd *in,
                                const int *wrt, int n, Rng *rng)
{
    const Program *d = xf_jvp_user(cx, p, wrt, n);
    Nd *args, *y, *v = arena_array(&cx->scratch, (size_t)n, sizeof *v);
    const char *why;
    uint32_t at = p->nout;

    if (has_error(cx, &why))
        return why;
    if ((why = check_text(cx, d)))
        return arena_printf(&cx->scratch, "jvp: %s", why);
    args = arena_array(&cx->scratch, p->nin + (size_t)n, sizeof *args);
    memcpy(args, in, p->nin * sizeof *args);
    for (int k = 0; k < n; k++)
        args[p->nin + (uint32_t)k] = v[k] = random_like(cx, &in[wrt[k]], rng);
    if (!(y = run_program(cx, d, args)))
        return wf_ctx_message(cx);
    for (uint32_t j = 0; j < p->nout; j++) {
        Nd want;
        if (!is_float_out(p, j))
            continue;
        if ((why = difference(cx, p, in, wrt, n, v, j, &want)))
            return why;
        if (at >= d->nout)
            return "the jvp program has too few results";
        if ((why = nd_differ(cx, &y[at], &want, dtype_part(want.dtype) == WF_F64 ? 1e-7 : 2e-2)))
            return arena_printf(&cx->scratch,
                                "tangent of result %u (wrt input %d and %d more): %s", j,
                                wrt[0], n - 1, why);
        at++;
    }
    return NULL;
}

const char *check_jvp(wf_ctx *cx, const Program *p, const Nd *in, Rng *rng)
{
    unsigned all = subsets(p);
    int wrt[64];

    for (unsigned mask = all ? all : ~0u; mask; mask = all ? mask - 1 : 0) {
        int n = pick(p, mask, wrt);
        const char *why = n ? check_jvp_of(cx, p, in, wrt, n, rng) : NULL;
        if (why)
            return why;
    }
    return NULL;
}

/* Of complex arrays the real part of the sum of products, nothing conjugated. */
static double inner(const Nd *a, const Nd *b)
{
    Nd x = numbers(a), y = numbers(b);
    double s = 0;

    for (int64_t i = 0; i < x.count; i++)
        s += nd_get(&x, i) * nd_get(&y, i) * (dtype_is_complex(a->dtype) && i % 2 ? -1 : 1);
    return s;
}

static const char *check_vjp_of(wf_ctx *cx, const Program *p, const Nd *in,
                                const int *wrt, int n, Rng *rng)
{
    const Program *d = xf_jvp_user(cx, p, wrt, n), *t = xf_vjp(cx, p, wrt, n);
    Nd *primal = run_program(cx, p, in), *jv, *gx, *v, *args;
    const char *why;
    double left = 0, right = 0, scale = 1;
    uint32_t na = p->nin;

    if (has_error(cx, &why))
        return why;
    if ((why = check_text(cx, t)))
        return arena_printf(&cx->scratch, "vjp: %s", why);
    v = arena_array(&cx->scratch, (size_t)n, sizeof *v);
    args = arena_array(&cx->scratch, p->nin + (size_t)n + p->nout, sizeof *args);
    memcpy(args, in, p->nin * sizeof *args);
    for (int k = 0; k < n; k++)
        args[p->nin + (uint32_t)k] = v[k] = random_like(cx, &in[wrt[k]], rng);
    jv = run_program(cx, d, args);
    for (uint32_t j = 0; j < p->nout; j++)
        if (is_float_out(p, j))
            args[na++] = random_like(cx, &primal[j], rng);
    gx = run_program(cx, t, args);
    if (has_error(cx, &why))
        return why;
    if (t->nout != p->nout + (uint32_t)n)
        return "the vjp program has the wrong number of results";
    for (uint32_t j = 0, k = 0; j < p->nout; j++) {
        if ((why = nd_differ(cx, &gx[j], &primal[j], 1e-12)))
            return arena_printf(&cx->scratch, "primal result %u of vjp: %s", j, why);
        if (is_float_out(p, j)) {
            left += inner(&args[p->nin + k], &jv[p->nout + k]);
            k++;
        }
    }
    for (int k = 0; k < n; k++) {
        if ((why = nd_differ(cx, &gx[p->nout + (uint32_t)k], &gx[p->nout + (uint32_t)k],
                             0)) ||
            gx[p->nout + (uint32_t)k].count != in[wrt[k]].count)
            return "a cotangent has another shape than its input";
        right += inner(&gx[p->nout + (uint32_t)k], &v[k]);
        scale += fabs(inner(&gx[p->nout + (uint32_t)k], &v[k]));
    }
    if (!(fabs(left - right) <= 1e-9 * (scale + fabs(left))) &&
        !(isnan(left) && isnan(right))) {
        char a[NUMBER_MAX], b[NUMBER_MAX];
        number_f64(a, left);
        number_f64(b, right);
        return arena_printf(&cx->scratch,
                            "<u, Jv> is %s, <J'u, v> is %s (wrt input %d and %d more)", a,
                            b, wrt[0], n - 1);
    }
    return NULL;
}

const char *check_vjp(wf_ctx *cx, const Program *p, const Nd *in, Rng *rng)
{
    unsigned all = subsets(p);
    int wrt[64];

    for (unsigned mask = all ? all : ~0u; mask; mask = all ? mask - 1 : 0) {
        int n = pick(p, mask, wrt);
        const char *why = n ? check_vjp_of(cx, p, in, wrt, n, rng) : NULL;
        if (why)
            return why;
    }
    return NULL;
}

const char *check_second(wf_ctx *cx, const Program *p, const Nd *in, Rng *rng)
{
    int wrt[64], n = pick(p, ~0u, wrt);
    const Program *t;
    Nd *primal, *args;
    const char *why;
    uint32_t na = p->nin;

    if (n == 0)
        return NULL;
    t = xf_vjp(cx, p, wrt, n);
    primal = run_program(cx, p, in);
    if (has_error(cx, &why))
        return why;
    args = arena_array(&cx->scratch, t->nin + 1, sizeof *args);
    memcpy(args, in, p->nin * sizeof *args);
    for (uint32_t j = 0; j < p->nout; j++)
        if (is_float_out(p, j))
            args[na++] = random_like(cx, &primal[j], rng);
    why = check_jvp_of(cx, t, args, wrt, n, rng);
    if (!why)
        why = check_vjp_of(cx, t, args, wrt, n, rng);
    return why ? arena_printf(&cx->scratch, "second order: %s", why) : NULL;
}

const char *check_narrow(wf_ctx *cx, const Program *p, const Program *narrow,
                         const Nd *in, Rng *rng)
{
    int wrt[64], n = pick(p, ~0u, wrt);
    const Program *wide = n ? xf_vjp(cx, p, wrt, n) : p,
                  *small = n ? xf_vjp(cx, narrow, wrt, n) : narrow;
    Nd *a, *b, *x, *y;
    const char *why;

    if (has_error(cx, &why))
        return why;
    a = arena_array(&cx->scratch, wide->nin + 1, sizeof *a);
    b = arena_array(&cx->scratch, wide->nin + 1, sizeof *b);
    Nd *primal = run_program(cx, p, in);
    if (has_error(cx, &why))
        return why;
    for (uint32_t i = 0, j = 0; i < wide->nin; i++) {
        wf_dtype t = (wf_dtype)val_type(small, i + 1).dtype;
        if (i < p->nin) {
            a[i] = in[i];
        } else {
            while (!is_float_out(p, j))
                j++;
            a[i] = random_like(cx, &primal[j++], rng);
        }
        b[i] = a[i];
        if (t == a[i].dtype)
            continue;
        b[i] = nd_new(cx, t, a[i].dims, a[i].rank); /* both see the rounded input */
        a[i] = nd_copy(cx, &a[i]);
        for (int64_t k = 0; k < a[i].count; k++) {
            nd_set(&b[i], k, nd_get(&a[i], k));
            nd_set(&a[i], k, nd_get(&b[i], k));
        }
    }
    x = run_program(cx, wide, a);
    y = run_program(cx, small, b);
    if (has_error(cx, &why))
        return why;
    for (uint32_t j = 0; j < wide->nout; j++) {
        wf_dtype t = y[j].dtype;
        if (!dtype_is_float(t)) {
            if (y[j].count &&
                memcmp(x[j].data, y[j].data, (size_t)y[j].count * wf_dtype_size(t)))
                return arena_printf(&cx->scratch,
                                    "result %u, %s, depends on the float type", j,
                                    wf_dtype_name(t));
            continue;
        }
        double tol = t == WF_F32 ? 1e-4 : t == WF_F16 ? 3e-2 : t == WF_BF16 ? 0.15 : 0;
        Nd up = nd_new(cx, x[j].dtype, y[j].dims, y[j].rank);
        for (int64_t k = 0; k < up.count; k++)
            nd_set(&up, k, nd_get(&y[j], k));
        if ((why = nd_differ(cx, &up, &x[j], tol)))
            return arena_printf(&cx->scratch, "result %u of vjp in %s: %s", j,
                                wf_dtype_name(t), why);
    }
    return NULL;
}

/* ---- vmap ---- */

/* x with its rows x[r] stacked along `axis`. */
static Nd stack_rows(wf_ctx *cx, const Nd *rows, int64_t n, const Nd *like, int axis)
{
    int64_t dims[MAX_RANK + 1], outer = 1, inner_count = 1;
    Nd out;

    for (uint32_t k = 0; k <= like->rank; k++)
        dims[k] = (int)k < axis ? like->dims[k] : (int)k == axis ? n : like->dims[k - 1];
    for (uint32_t k = 0; k < like->rank; k++)
        *((int)k < axis ? &outer : &inner_count) *= like->dims[k];
    out = nd_new(cx, like->dtype, dims, like->rank + 1);
    size_t chunk = (size_t)inner_count * wf_dtype_size(like->dtype);
    for (int64_t o = 0; o < outer && chunk; o++)
        for (int64_t r = 0; r < n; r++)
            memcpy((char *)out.data + (size_t)(o * n + r) * chunk,
                   (const char *)rows[r].data + (size_t)o * chunk, chunk);
    return out;
}

static const char *check_vmap_of(wf_ctx *cx, const Case *c, const int *axes, int64_t size,
                                 bool symbolic, Rng *rng)
{
    const Program *p = c->p, *q;
    Nd **rows = arena_array(&cx->scratch, (size_t)size + 1, sizeof *rows), *args, *got,
       **want;
    const char *why;

    for (int64_t r = 0; r <= size;
         r++) /* one more, so that a batch of none has types too */
        rows[r] = case_inputs(cx, c, rng);
    q = xf_vmap(cx, p, axes, NULL, symbolic ? -1 : size, NULL);
    if (has_error(cx, &why))
        return why;
    if ((why = check_text(cx, q)))
        return why;
    args = arena_array(&cx->scratch, p->nin, sizeof *args);
    Nd *one = arena_array(&cx->scratch, (size_t)size + 1, sizeof *one);
    for (uint32_t i = 0; i < p->nin; i++) {
        for (int64_t r = 0; r <= size; r++) {
            if (axes[i] < 0)
                rows[r][i] = rows[0][i];
            one[r] = rows[r][i];
        }
        args[i] = axes[i] < 0 ? rows[0][i] : stack_rows(cx, one, size, &one[0], axes[i]);
    }
    want = arena_array(&cx->scratch, (size_t)size + 1, sizeof *want);
    for (int64_t r = 0; r <= size; r++)
        want[r] = run_program(cx, p, rows[r]);
    if (has_error(cx, &why))
        return why;
    got = run_program(cx, q, args);
    if (has_error(cx, &why))
        return why;
    for (uint32_t j = 0; j < p->nout; j++) {
        for (int64_t r = 0; r <= size; r++)
            one[r] = want[r][j];
        Nd all = stack_rows(cx, one, size, &one[0], 0);
        wf_dtype t = all.dtype;
        double tol = t == WF_F64 ? 1e-11 : t == WF_F32 ? 1e-5 : t == WF_F16 ? 4e-3 : 3e-2;
        if ((why = nd_differ(cx, &got[j], &all, tol)))
            return arena_printf(&cx->scratch, "result %u: %s", j, why);
    }
    return NULL;
}

const char *check_vmap(wf_ctx *cx, const Case *c, Rng *rng)
{
    uint32_t n = c->p->nin;
    int axes[64];

    if (n == 0 || n > 64)
        return NULL;
    for (uint32_t trial = 0; trial < (n <= 4 ? (1u << n) - 1 : 12); trial++) {
        uint64_t mask = n <= 4 ? trial + 1 : rng_next(rng) | (1u << (rng_next(rng) % n));
        int64_t size = (int64_t[]){3, 1, 3, 0, 2}[(trial + rng_next(rng)) % 5];
        bool symbolic = rng_next(rng) % 3 == 0;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t rank = val_type(c->p, i + 1).rank;
            axes[i] = mask >> i & 1 ? (int)rng_int(rng, 0, rank) : -1;
        }
        const char *why = check_vmap_of(cx, c, axes, size, symbolic, rng);
        if (why) {
            Text s;
            text_init(&s, &cx->scratch);
            text_printf(&s, "vmap of size %lld%s, axes", (long long)size,
                        symbolic ? " (symbolic)" : "");
            for (uint32_t i = 0; i < n; i++)
                text_printf(&s, " %d", axes[i]);
            return arena_printf(&cx->scratch, "%s: %s", text_str(&s), why);
        }
    }
    return NULL;
}
