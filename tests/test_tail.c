/* test_tail.c -- what follows a product on a GPU is done by the library's call where it is exactly that, and nowhere else:
 * what only looks like it (a slope of a thousandth, a bound far away, a factor near 1) stays a kernel. */
#include "lib_check.h"

#include "compile/compile.h"
#include "cuda/cuda.h"

#include <string.h>

/* text with every T replaced by a dtype */
static const char *of_dtype(Arena *a, const char *text, const char *dtype)
{
    const char *out = "", *next;

    for (; (next = strchr(text, 'T')); text = next + 1)
        out = arena_printf(a, "%s%.*s%s", out, (int)(next - text), text, dtype);
    return arena_printf(a, "%s%s", out, text);
}

/* The tail of the kernel that takes a product z, a row in each line of r, and another matrix y. */
static CudaTail tail_of(wf_ctx *cx, const char *dtype, const char *body)
{
    static const char head[] = "f(z: T[8,32], y: T[8,32], b: T[32]) {\n"
                               "  r = broadcast b [8,32] dims=[1]\n"
                               "  zero = const T[8,32] 0\n";
    Arena *a = codegen_arena(cx);
    const Program *p = parse_lines(
        cx, of_dtype(a, arena_printf(a, "%s  %s  ret u\n}\n", head, body), dtype));
    Lowered l;

    if (!p || !compile_lower(cx, a, &target_cuda, p, false, 0, &l) || l.n != 1) {
        check_fail(__FILE__, __LINE__, "%s: %s", body,
                   p ? "it has not one kernel" : wf_ctx_message(cx));
        return (CudaTail){.kind = TAIL_NONE};
    }
    return cuda_tail(l.k[0]);
}

typedef struct Tail {
    TailKind kind;
    const char *body; /* of the program; T is the dtype */
} Tail;

static const Tail every[] = {
    {TAIL_ROW, "u = add z r\n"},
    {TAIL_RELU, "u = max z zero\n"},
    {TAIL_RELU, "s = add z r\n u = max zero s\n"},
    {TAIL_RELU, "s = add z r\n c = gt s zero\n u = select c s zero\n"},
    {TAIL_RELU, "c = le z zero\n u = select c zero z\n"},
    {TAIL_SUM, "k0 = const T[8,32] 2.5\n k1 = const T[8,32] 0.5\n s = mul z k0\n t = mul "
               "y k1\n u = sub s t\n"},
    {TAIL_SUM, "u = add z y\n"},
    /* what only looks like one of them */
    {TAIL_NONE,
     "k0 = const T[8,32] 0.0005\n c = gt z zero\n t = mul z k0\n u = select c z t\n"},
    {TAIL_NONE, "c = lt z zero\n u = select c z zero\n"},
    {TAIL_NONE, "c = gt y zero\n u = select c z zero\n"},
    {TAIL_NONE, "k0 = const T[8,32] 6.0\n s = max z zero\n u = min s k0\n"},
    {TAIL_NONE, "k0 = const T[8,32] -1000.0\n k1 = const T[8,32] 1000.0\n s = max z k0\n "
                "u = min s k1\n"},
    {TAIL_NONE, "k0 = const T[8,32] 1.01\n s = mul z k0\n u = add s r\n"},
    {TAIL_NONE, "k0 = const T[8,32] 0.99\n s = max z zero\n u = mul s k0\n"},
    {TAIL_NONE, "k0 = const T[8,32] 0.01\n s = add z r\n u = add s k0\n"},
    {TAIL_NONE, "s = add z r\n u = add s r\n"},
    {TAIL_NONE, "s = add z y\n u = add s r\n"},
    {TAIL_NONE, "u = mul z y\n"},
    {TAIL_NONE, "s = add z y\n u = max s zero\n"},
};

/* Until gelu(z) is h k. */
#define GELU                                                                             \
    "k0 = const T[8,32] 0.044715\n k1 = const T[8,32] 0.79788456\n one = const T[8,32] " \
    "1\n"                                                                                \
    " k2 = const T[8,32] 0.5\n c = mul z z\n c3 = mul c z\n d = mul c3 k0\n e = add z "  \
    "d\n g = mul e k1\n"                                                                 \
    " t = tanh g\n k = add t one\n h = mul z k2\n"

static const Tail half[] = {
    {TAIL_GELU, GELU " u = mul h k\n"},
    {TAIL_NONE, "near = const T[8,32] 1.02\n " GELU " q = mul h near\n u = mul q k\n"},
    {TAIL_NONE, GELU " q = mul h k\n u = max q zero\n"},
};

static void check_cases(wf_ctx *cx, const char *dtype, const Tail *v, int n)
{
    for (int i = 0; i < n; i++) {
        TailKind kind = tail_of(cx, dtype, v[i].body).kind;

        if (kind != v[i].kind)
            check_fail(__FILE__, __LINE__, "%s: kind %d, not %d, of\n%s", dtype, kind,
                       v[i].kind, v[i].body);
    }
}

XTEST(tails_are_recognised_by_their_nodes)
{
    static const char *const dtypes[] = {"f64", "f32", "bf16", "f16"};

    for (int d = 0; d < COUNT(dtypes); d++)
        check_cases(cx, dtypes[d], every, COUNT(every));
}

/* The library's gelu is good to half floats alone. */
XTEST(gelu_is_a_tail_of_half_floats)
{
    check_cases(cx, "bf16", half, COUNT(half));
    check_cases(cx, "f16", half, COUNT(half));
    CHECK(tail_of(cx, "f32", half[0].body).kind == TAIL_NONE);
}

/* A tenth in f64 is not a tenth in f32. */
XTEST(factors_of_f64_sums_are_f64)
{
    CudaTail t =
        tail_of(cx, "f64", "k = const T[8,32] 0.1\n s = mul y k\n u = add z s\n");

    CHECK(t.kind == TAIL_SUM);
    CHECK(t.scale[0] + t.scale[1] == 1.1 && (t.scale[0] == 0.1 || t.scale[1] == 0.1));
}
