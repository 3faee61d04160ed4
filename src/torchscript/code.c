/* code.c -- a program as lines of TorchScript: names, numbers, sizes; calls in line; cond, scan and while as if, for and while. */
#include "torchscript/code.h"

#include <math.h>
#include <stdarg.h>

/* ---- text ------------------------------------------------------------------------------------------ */

static void put_line(TsCode *c, const char *s)
{
    for (int i = 0; i < c->depth; i++)
        text_add(&c->root->text, "  ");
    text_add(&c->root->text, s);
    text_char(&c->root->text, '\n');
}

void ts_line(TsCode *c, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    put_line(c, arena_vprintf(c->a, fmt, ap));
    va_end(ap);
}

const char *ts_name(TsCode *c, const char *hint) { return ts_str(c, "_%s%u", hint, ++c->root->names); }

const char *ts_let(TsCode *c, const char *fmt, ...)
{
    const char *name = ts_name(c, "v"), *s;
    va_list ap;

    va_start(ap, fmt);
    s = arena_vprintf(c->a, fmt, ap);
    va_end(ap);
    ts_line(c, "%s = %s", name, s);
    return name;
}

void ts_set(TsCode *c, const Eqn *e, const char *name) { c->val[e->out] = name; }

void ts_refuse(TsCode *c, const Eqn *e, const char *why)
{
    fail(c->cx, WF_ERR_UNSUPPORTED, eqn_place(c->p, e), "TorchScript: %s cannot be written%s%s", op_table[e->op].name, *why ? ": " : "",
         why);
}

/* ---- numbers and sizes --------------------------------------------------------------------------------- */

int ts_dtype(wf_dtype dtype)
{
    static const int8_t numbers[WF_DTYPE_COUNT] = {
        [WF_U8] = 1, [WF_I8] = 2,  [WF_I16] = 3, [WF_I32] = 4,   [WF_I64] = 5,   [WF_F16] = 6,  [WF_F32] = 7,
        [WF_F64] = 8, [WF_C64] = 10, [WF_C128] = 11, [WF_BOOL] = 12, [WF_BF16] = 16, [WF_U16] = 28, [WF_U32] = 29, [WF_U64] = 30};

    return numbers[dtype] - 1;
}

const char *ts_number(TsCode *c, wf_dtype dtype, double x)
{
    char room[64];

    if (dtype == WF_BOOL)
        return x != 0 ? "True" : "False";
    if (!dtype_is_float(dtype) && !dtype_is_complex(dtype))
        return ts_str(c, "%lld", (long long)x);
    if (!isfinite(x))
        return isnan(x) ? "nan" : x > 0 ? "inf" : "-inf";
    number_f64(room, x);
    return ts_str(c, strpbrk(room, ".e") ? "%s" : "%s.", room);
}

const char *ts_splat(TsCode *c, Val v)
{
    uint32_t at = c->p->vals[v].eqn;
    const ConstAttr *a = at != EQN_INPUT && c->p->eqns[at].op == OP_const ? c->p->eqns[at].attr : NULL;
    wf_dtype t = a ? (wf_dtype)a->type.dtype : WF_INVALID; /* numbers past 2^53 are not f64 */

    if (!a || !(a->splat || !a->type.rank) || dtype_is_complex(t) || t == WF_U64 || t == WF_I64)
        return NULL;
    return ts_number(c, t, element_as_f64(t, a->data->data));
}

const char *ts_ints(TsCode *c, const int64_t *v, uint32_t n)
{
    Text t;

    text_init(&t, c->a);
    text_char(&t, '[');
    for (uint32_t i = 0; i < n; i++)
        text_printf(&t, "%s%lld", i ? ", " : "", (long long)v[i]);
    text_char(&t, ']');
    return text_str(&t);
}

static const char *poly(TsCode *c, const DimNode *n)
{
    const char *sum = n->constant || !n->nterms ? ts_str(c, "%lld", (long long)n->constant) : NULL;

    for (uint32_t i = 0; i < n->nterms; i++) {
        const DimTerm *t = &n->terms[i];
        const char *p = t->coef == 1 && t->natoms ? NULL : ts_str(c, "%lld", (long long)t->coef);

        for (uint32_t k = 0; k < t->natoms; k++)
            p = p ? ts_str(c, "torch.mul(%s, %s)", p, ts_dim(c, t->atoms[k])) : ts_dim(c, t->atoms[k]);
        sum = sum ? ts_str(c, "torch.add(%s, %s)", sum, p) : p;
    }
    return sum;
}

const char *ts_dim(TsCode *c, Dim d)
{
    const DimNode *n;

    if (d >= 0)
        return ts_str(c, "%lld", (long long)d);
    n = dim_node(&c->p->dims, d);
    switch ((DimKind)n->kind) {
    case DIM_SYM:
        if (!c->syms[n->sym]) {
            fail(c->cx, WF_ERR_UNSUPPORTED, NOWHERE, "TorchScript: the size %s cannot be read off an input",
                 dim_str(&c->p->dims, d, c->a));
            return "0";
        }
        return c->syms[n->sym];
    case DIM_POLY: return poly(c, n);
    case DIM_FLOORDIV: return ts_str(c, "torch.floordiv(%s, %s)", ts_dim(c, n->a), ts_dim(c, n->b));
    default: return ts_str(c, "ops.prim.%s(%s, %s)", n->kind == DIM_MIN ? "min" : "max", ts_dim(c, n->a), ts_dim(c, n->b));
    }
}

const char *ts_dims(TsCode *c, const Dim *d, uint32_t n)
{
    Text t;

    text_init(&t, c->a);
    text_char(&t, '[');
    for (uint32_t i = 0; i < n; i++)
        text_printf(&t, "%s%s", i ? ", " : "", ts_dim(c, d[i]));
    text_char(&t, ']');
    return text_str(&t);
}

bool ts_bind(TsCode *c, const Program *p)
{
    c->syms = arena_zalloc(c->a, (p->dims.syms.n + 1) * sizeof *c->syms);
    for (uint32_t i = 0; i < p->nin; i++) {
        Type t = val_type(p, program_in(p, i));

        for (uint32_t k = 0; k < t.rank; k++) {
            const DimNode *n = t.dims[k] < 0 ? dim_node(&p->dims, t.dims[k]) : NULL;

            if (n && n->kind == DIM_SYM && !c->syms[n->sym] && c->val[program_in(p, i)])
                c->syms[n->sym] = ts_let(c, "torch.size(%s, %u)", c->val[program_in(p, i)], k);
        }
    }
    return !failed(c->cx);
}

/* ---- sub-programs ------------------------------------------------------------------------------------------ */

bool ts_inline(TsCode *c, const Sub *s, const char *const *in, const char **out)
{
    TsCode n = {.cx = c->cx, .a = c->a, .p = s->p, .root = c->root, .depth = c->depth};

    n.val = arena_zalloc(c->a, (s->p->nvals + 1) * sizeof *n.val);
    n.syms = arena_zalloc(c->a, (s->p->dims.syms.n + 1) * sizeof *n.syms);
    for (uint32_t i = 0; i < s->p->dims.syms.n && i < s->binds.n; i++)
        if (s->binds.v[i] != DIM_NONE)
            n.syms[i] = ts_dim(c, s->binds.v[i]);
    for (uint32_t i = 0; i < s->p->nin; i++)
        n.val[program_in(s->p, i)] = in[i];
    if (!ts_equations(&n))
        return false;
    for (uint32_t i = 0; i < s->p->nout; i++)
        out[i] = n.val[s->p->outs[i]];
    return true;
}

static const char **names(TsCode *c, const char *hint, uint32_t n)
{
    const char **v = arena_array(c->a, n + 1u, sizeof *v);

    for (uint32_t i = 0; i < n; i++)
        v[i] = ts_name(c, hint);
    return v;
}

/* to = from, for all of them at once. */
static void assign(TsCode *c, const char *const *to, const char *const *from, uint32_t n)
{
    const char **room = arena_array(c->a, n + 1u, sizeof *room);

    for (uint32_t i = 0; i < n; i++)
        room[i] = n > 1 ? ts_let(c, "%s", from[i]) : from[i];
    for (uint32_t i = 0; i < n; i++)
        ts_line(c, "%s = %s", to[i], room[i]);
}

static void write_cond(TsCode *c, const Eqn *e)
{
    const CondAttr *a = e->attr;
    const char **in = arena_array(c->a, e->nin + 1u, sizeof *in), **out = arena_array(c->a, e->nout + 1u, sizeof *out),
               **to = names(c, "r", e->nout);

    for (uint32_t i = 1; i < e->nin; i++)
        in[i - 1] = IN(i);
    for (uint32_t k = 0; k < 2; k++) { /* of one branch alone, that */
        if (k)
            ts_line(c, "else:");
        else
            ts_line(c, TYPE_IN(0).dtype == WF_BOOL ? "if bool(%s):" : "if torch.gt(int(%s), 0):", IN(0));
        c->depth++;
        if (!ts_inline(c, &a->branches.v[MIN(1 - k, a->branches.n - 1)], in, out))
            return;
        for (uint32_t i = 0; i < e->nout; i++)
            ts_line(c, "%s = %s", to[i], out[i]);
        if (!e->nout)
            ts_line(c, "pass");
        c->depth--;
    }
    for (uint32_t i = 0; i < e->nout; i++)
        c->val[e->out + i] = to[i];
}

/* Empty lists for rows that are stacked; and the rows of one turn put there. */
static const char **begin_rows(TsCode *c, uint32_t n)
{
    const char **v = names(c, "rows", n);

    for (uint32_t i = 0; i < n; i++)
        ts_line(c, "%s = annotate(List[Tensor], [])", v[i]);
    return v;
}

static void add_rows(TsCode *c, const char *const *rows, const char *const *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        ts_let(c, "torch.append(%s, %s)", rows[i], x[i]);
}

/* The rows as one tensor; of no rows, zeros of that type. */
static const char *stacked(TsCode *c, const char *rows, Type t, bool reverse)
{
    const char *to = ts_name(c, "r");

    if (reverse)
        ts_line(c, "torch.reverse(%s)", rows);
    ts_line(c, "if torch.gt(torch.len(%s), 0):", rows);
    ts_line(c, "  %s = torch.stack(%s, 0)", to, rows);
    ts_line(c, "else:");
    c->depth++;
    ts_line(c, "%s = torch.full(%s, 0, dtype=%d, device=_dev)", to,
           ts_str(c, "[0%s%s", t.rank > 1 ? ", " : "", ts_dims(c, t.dims + 1, t.rank - 1u) + 1), ts_dtype((wf_dtype)t.dtype));
    c->depth--;
    return to;
}

static void write_scan(TsCode *c, const Eqn *e)
{
    const ScanAttr *a = e->attr;
    uint32_t nconst = (uint32_t)a->nconst, ncarry = (uint32_t)a->ncarry, nxs = e->nin - nconst - ncarry, nys = e->nout - ncarry;
    const char **in = arena_array(c->a, e->nin + 1u, sizeof *in), **out = arena_array(c->a, e->nout + 1u, sizeof *out),
               **carry = names(c, "c", ncarry), **rows = begin_rows(c, nys), *length = ts_let(c, "%s", ts_dim(c, a->length)),
               *i = ts_name(c, "i"), *t = i;

    for (uint32_t k = 0; k < ncarry; k++)
        ts_line(c, "%s = %s", carry[k], IN(nconst + k));
    ts_line(c, "for %s in range(%s):", i, length);
    c->depth++;
    if (a->reverse)
        t = ts_let(c, "torch.sub(torch.sub(%s, 1), %s)", length, i);
    for (uint32_t k = 0; k < nconst; k++)
        in[k] = IN(k);
    for (uint32_t k = 0; k < ncarry; k++)
        in[nconst + k] = carry[k];
    for (uint32_t k = 0; k < nxs; k++)
        in[nconst + ncarry + k] = ts_let(c, "torch.select(%s, 0, %s)", IN(nconst + ncarry + k), t);
    if (!ts_inline(c, &a->body, in, out))
        return;
    add_rows(c, rows, out + ncarry, nys);
    assign(c, carry, out, ncarry);
    if (!e->nout)
        ts_line(c, "pass");
    c->depth--;
    for (uint32_t k = 0; k < ncarry; k++)
        c->val[e->out + k] = carry[k];
    for (uint32_t k = 0; k < nys; k++)
        c->val[e->out + ncarry + k] = stacked(c, rows[k], val_type(c->p, e->out + ncarry + k), a->reverse);
}

/* Whether the loop goes on with these carries, into the name `go`. */
static bool go_on(TsCode *c, const Eqn *e, const char *const *carry, const char *go, const char *turns)
{
    const WhileAttr *a = e->attr;
    uint32_t n = (uint32_t)a->ncond, nx = e->nin - n - (uint32_t)a->nbody;
    const char **in = arena_array(c->a, n + nx + 1, sizeof *in), *out = NULL;

    for (uint32_t i = 0; i < n; i++)
        in[i] = IN(i);
    memcpy(in + n, carry, nx * sizeof *in);
    if (!ts_inline(c, &a->cond, in, &out))
        return false;
    ts_line(c, "%s = bool(%s)", go, out);
    if (a->bound != DIM_NONE)
        ts_line(c, "%s = torch.__and__(%s, torch.lt(%s, %s))", go, go, turns, ts_dim(c, a->bound));
    return true;
}

/* Rows of zeros up to the bound. */
static const char *fill_rows(TsCode *c, const char *x, uint32_t rank, Dim bound)
{
    Text t;

    text_init(&t, c->a);
    for (uint32_t i = 1; i < rank; i++)
        text_add(&t, "0, 0, ");
    return ts_let(c, "torch.constant_pad_nd(%s, [%s0, torch.sub(%s, torch.size(%s, 0))], 0)", x, text_str(&t), ts_dim(c, bound), x);
}

static void write_while(TsCode *c, const Eqn *e)
{
    const WhileAttr *a = e->attr;
    uint32_t first = (uint32_t)(a->ncond + a->nbody), n = (uint32_t)a->nbody, nx = e->nin - first, nys = e->nout - nx;
    const char **in = arena_array(c->a, n + nx + 1u, sizeof *in), **out = arena_array(c->a, e->nout + 1u, sizeof *out),
               **carry = names(c, "c", nx), **rows = begin_rows(c, nys), *go = ts_name(c, "go"), *turns = ts_name(c, "i");

    for (uint32_t i = 0; i < nx; i++)
        ts_line(c, "%s = %s", carry[i], IN(first + i));
    ts_line(c, "%s = 0", turns);
    if (!go_on(c, e, carry, go, turns))
        return;
    ts_line(c, "while %s:", go);
    c->depth++;
    for (uint32_t i = 0; i < n; i++)
        in[i] = IN((uint32_t)a->ncond + i);
    memcpy(in + n, carry, nx * sizeof *in);
    if (!ts_inline(c, &a->body, in, out))
        return;
    add_rows(c, rows, out + nx, nys);
    assign(c, carry, out, nx);
    ts_line(c, "%s = torch.add(%s, 1)", turns, turns);
    if (!go_on(c, e, carry, go, turns))
        return;
    c->depth--;
    for (uint32_t i = 0; i < nx; i++)
        c->val[e->out + i] = carry[i];
    if (a->trips != DIM_NONE)
        c->syms[dim_node(&c->p->dims, a->trips)->sym] = turns;
    for (uint32_t i = 0; i < nys; i++) {
        Type t = val_type(c->p, e->out + nx + i);
        const char *x = stacked(c, rows[i], t, false);

        c->val[e->out + nx + i] = a->bound != DIM_NONE ? fill_rows(c, x, t.rank, a->bound) : x;
    }
}

/* assert: its message without the values it names */
static void write_assert(TsCode *c, const Eqn *e)
{
    const PrintAttr *a = e->attr;
    Text t;

    text_init(&t, c->a);
    text_quoted(&t, a->format, strlen(a->format));
    ts_line(c, "if torch.__not__(bool(torch.all(%s))):", IN(0));
    ts_line(c, "  ops.prim.RaiseException(%s)", text_str(&t));
}

static bool write_control(TsCode *c, const Eqn *e)
{
    const char **in = arena_array(c->a, e->nin + 1u, sizeof *in);
    const Sub *s = op_body(e->op, e->attr);

    for (uint32_t i = 0; i < e->nin; i++)
        in[i] = IN(i);
    switch (e->op) {
    case OP_cond: write_cond(c, e); return true;
    case OP_scan: write_scan(c, e); return true;
    case OP_while: write_while(c, e); return true;
    case OP_assert: write_assert(c, e); return true;
    default:
        if (s)
            ts_inline(c, s, in, &c->val[e->out]);
        return s != NULL;
    }
}

static void write_equation(TsCode *c, const Eqn *e)
{
    for (uint32_t i = 0; i < e->nin; i++)
        if (!IN(i)) {
            ts_refuse(c, e, "it reads what is not written");
            return;
        }
    for (uint32_t i = 0; i < e->nin + (e->nout != 0); i++)
        if (ts_dtype((wf_dtype)(i < e->nin ? TYPE_IN(i) : TYPE_OUT).dtype) < 0) {
            ts_refuse(c, e, "a type that PyTorch has not");
            return;
        }
    if (!ts_shape(c, e) && !ts_map(c, e) && !ts_reduce(c, e) && !ts_contract(c, e) && !ts_index(c, e) && !write_control(c, e))
        ts_refuse(c, e, "");
}

bool ts_equations(TsCode *c)
{
    for (uint32_t i = 0; i < c->p->neqns && !failed(c->cx); i++)
        write_equation(c, &c->p->eqns[i]);
    return !failed(c->cx);
}
