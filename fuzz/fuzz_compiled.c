/* fuzz_compiled.c -- libFuzzer target: bytes as random typed programs, run by the interpreter and by compiled code.
 *
 *   bytes   target and exactness | program, program, ..
 *   program its kind and dtype | how many steps | derived how | the choices of tests/lib_random*.c, one byte each
 *
 * Bytes that are missing are 0. The kernels of all programs of an input are compiled together, without optimising, so that
 * most of the time is spent here and not by the C compiler; test_codegen.c has the flags that users get.
 */
#include "lib_compiled.h"
#include "lib_target.h"
#include "compile/compile.h"
#include "runtime/compiler.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_PROGRAMS 8
#define MAX_STEPS    8
#define MAX_FLAGS    32

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static struct {
    const uint8_t *from, *to;
    bool on; /* while programs are made; their inputs are random by seed */
} bytes;

uint64_t rng_next(Rng *r)
{
    if (!bytes.on)
        return rng_mix(r);
    return bytes.from < bytes.to ? *bytes.from++ : 0;
}

/* What the helpers of tests report by. */
void check_fail(const char *file, int line, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    fprintf(stderr, "%s:%d: ", file, line);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    abort();
}

bool check_true(bool ok, const char *file, int line, const char *expr)
{
    if (!ok)
        check_fail(file, line, "%s\n", expr);
    return true;
}

bool check_int(int64_t a, int64_t b, const char *file, int line, const char *expr)
{
    return check_true(a == b, file, line, expr);
}

bool check_near(double a, double b, double tol, const char *file, int line,
                const char *expr)
{
    return check_true(fabs(a - b) <= tol, file, line, expr);
}

bool check_has(const char *text, const char *part, const char *file, int line,
               const char *expr)
{
    return check_true(strstr(text, part) != NULL, file, line, expr);
}

/* ---- targets ---- */

/* t with code that is compiled as quickly as can be */
static Target quick(const Target *t, const char **flags)
{
    Target q = *t;
    int n = 0;

    while (t->flags[n] && n < MAX_FLAGS - 2) {
        flags[n] = t->flags[n];
        n++;
    }
    flags[n++] = "-O0";
    flags[n] = NULL;
    q.flags = flags;
    return q;
}

static Target targets[3];

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static const char *flags[COUNT(targets)][MAX_FLAGS];
    const Target *const all[COUNT(targets)] = {target_cpu(), target_eager(),
                                               target_strict_c()};

    (void)argc, (void)argv;
    for (int i = 0; i < COUNT(targets); i++)
        targets[i] = quick(all[i], flags[i]);
    if (setenv("WEFT_CACHE", "off", 1) || setenv("WEFT_CHECK_PLANS", "1", 1))
        abort();
    return 0;
}

/* ---- programs ---- */

typedef struct Item {
    const Program *p;
    Lowered l;
} Item;

static const Program *make_program(wf_ctx *cx)
{
    static const wf_dtype floats[] = {WF_F32, WF_F64, WF_F16, WF_BF16};
    const char *what;
    Rng rng = {0};
    int kind, steps, how;
    const Program *p;

    bytes.on = true;
    kind = (int)(rng_next(&rng) % 8);
    steps = 1 + (int)(rng_next(&rng) % MAX_STEPS);
    how = (int)(rng_next(&rng) % 3);
    if (kind < COUNT(floats))
        p = random_net(cx, &rng, floats[kind], 1 + steps / 2);
    else
        p = random_program(cx, &rng, steps, kind == 4 ? RANDOM_CUSTOM : RANDOM_PLAIN);
    bytes.on = false;
    if (p)
        p = derive_program(cx, p, how, &what);
    else if (cx->status == WF_ERR_INTERNAL)
        check_fail(__FILE__, __LINE__, "%s\n", wf_ctx_message(cx));
    wf_clear(cx); /* the largest of no elements, say, which has no type */
    return p;
}

static void check_item(wf_ctx *cx, Arena *a, const Item *it, Code *code, bool exact)
{
    static const int64_t sizes[] = {-1, 1, 0, 67};
    Compiled c;
    wf_exec *e;

    compile_bind(cx, a, &it->l, code, &c);
    e = exec_compiled(cx, &c);
    for (int k = 0; k < (it->p->dims.syms.n ? COUNT(sizes) : 1); k++) {
        Case at = case_of(cx, it->p, (uint64_t)k + 1);
        double least = tolerance_by(it->p);
        const char *why;
        Text t;

        for (uint32_t i = 0; i < it->p->dims.syms.n && sizes[k] >= 0; i++)
            if (at.sizes[i] >= 0)
                at.sizes[i] = sizes[k];
        why = compare_compiled(cx, it->l.p, e, case_inputs(cx, &at, &(Rng){7}),
                               exact ? least : 10 * least);
        if (!why)
            continue;
        text_init(&t, a);
        program_print(it->p, &(PrintOptions){.max_const = 20}, &t);
        check_fail(__FILE__, __LINE__, "size %d: %s\n%s", (int)sizes[k], why,
                   text_str(&t));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Item items[MAX_PROGRAMS];
    VEC(Kernel *) kernels = {0};
    int n = 0;
    Code *code = NULL;

    if (size < 2)
        return 0;
    BENCH_OPEN(b);
    Arena *a = codegen_arena(b.cx);
    const Target *t = &targets[data[0] % COUNT(targets)];
    bool exact = data[0] / COUNT(targets) % 4 != 3;

    bytes.from = data + 1;
    bytes.to = data + size;
    while (n < MAX_PROGRAMS && bytes.from < bytes.to) {
        Item *it = &items[n];

        if (!(it->p = make_program(b.cx)))
            continue;
        if (!compile_lower(b.cx, a, t, it->p, exact, kernels.n, &it->l))
            check_fail(__FILE__, __LINE__, "%s\n", wf_ctx_message(b.cx));
        for (uint32_t i = 0; i < it->l.n; i++)
            vec_push(a, &kernels, it->l.k[i]);
        n++;
    }
    if (kernels.n && !compile_load(b.cx, kernels.v, kernels.n, &code))
        check_fail(__FILE__, __LINE__, "%u kernels do not compile\n", kernels.n);
    for (int i = 0; i < n; i++)
        check_item(b.cx, a, &items[i], code, exact);
    code_release(code);
    wf_clear(b.cx);
    BENCH_CLOSE(b);
    return 0;
}
