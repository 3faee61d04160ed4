/* bench_ir.c -- what it costs to handle programs: parse, verify, hash, print, grad, vmap of a straight program of
 * 100 000 equations, bytes an equation, and the growth of nested gradients.
 */
#include "base/base.h"
#include "transform/transform.h"

#include <stdio.h>
#include <stdlib.h>

#define EQNS 100000

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *t, int n)
{
    qsort(t, (size_t)n, sizeof *t, compare);
    return t[n / 2];
}

/* y = sin(..), mul, add .. in turn on one vector of symbolic size */
static char *straight_text(size_t *size)
{
    static const char *const lines[] = {"  v%d = sin v%d\n", "  v%d = mul v%d x\n", "  v%d = add v%d x\n", "  v%d = tanh v%d\n"};
    char *s = malloc((size_t)EQNS * 32 + 200), *at = s;

    at += sprintf(at, "weft 1\nf(x: f32[N], v0: f32[N]) {\n");
    for (int i = 1; i <= EQNS - 1; i++)
        at += sprintf(at, lines[i % 4], i, i - 1);
    at += sprintf(at, "  r = reduce_sum v%d axes=[0]\n  ret r\n}\n", EQNS - 1);
    *size = (size_t)(at - s);
    return s;
}

static void row(const char *name, double seconds, double limit_ms)
{
    printf("%-22s %8.1f ms %8.0f ns/equation   limit %.0f ms%s\n", name, seconds * 1e3, seconds / EQNS * 1e9, limit_ms,
           seconds * 1e3 <= limit_ms ? "" : "   OVER");
}

#define TIMED(name, limit_ms, body)                                                              \
    do {                                                                                         \
        double t_[5];                                                                            \
        for (int i_ = 0; i_ < 5; i_++) {                                                         \
            Region r_;                                                                           \
            api_enter_(cx, &r_);                                                                 \
            double start_ = clock_seconds();                                                     \
            body;                                                                                \
            t_[i_] = clock_seconds() - start_;                                                   \
            if (failed(cx)) {                                                                    \
                printf("%s: %s\n", name, wf_ctx_message(cx));                                    \
                exit(1);                                                                         \
            }                                                                                    \
            api_leave(cx, &r_);                                                                  \
        }                                                                                        \
        row(name, median(t_, 5), limit_ms);                                                      \
    } while (0)

static void nested(wf_ctx *cx)
{
    const char *text = "f(x: f64[]) {\n  s = sin x\n  y = mul s x\n  ret y\n}\n";
    const Program **ps, *p;
    uint32_t n;
    Region r;

    api_enter_(cx, &r);
    programs_parse(cx, "nested", text, strlen(text), NULL, &ps, &n);
    p = ps[0];
    printf("nested grads of sin(x)*x:");
    for (int i = 0; i < 6; i++) {
        p = xf_grad(cx, p, (int[]){0}, 1, false);
        printf(" %u", p ? p->neqns : 0);
    }
    printf(" equations   limit 200%s\n", p && p->neqns < 200 ? "" : "   OVER");
    api_leave(cx, &r);
}

int main(void)
{
    wf_ctx *cx = wf_ctx_new(NULL);
    size_t size;
    char *text = straight_text(&size);
    const Program **ps = NULL, *p;
    uint32_t n;
    Region r;

    TIMED("parse", 100, programs_parse(cx, "straight", text, size, NULL, &ps, &n));
    api_enter_(cx, &r);
    programs_parse(cx, "straight", text, size, NULL, &ps, &n);
    p = ps[0];
    printf("%-22s %8.1f bytes an equation   limit 200%s\n", "memory", (double)p->arena.total / EQNS,
           (double)p->arena.total / EQNS < 200 ? "" : "   OVER");
    TIMED("verify", 100, program_verify(cx, p));
    TIMED("hash", 100, {
        ((Program *)(uintptr_t)p)->arena.cx = cx;
        program_hash((Program *)(uintptr_t)p);
        ((Program *)(uintptr_t)p)->arena.cx = NULL;
    });
    TIMED("print", 100, {
        Text t;
        text_init(&t, &cx->scratch);
        program_print(p, &(PrintOptions){.header = true}, &t);
    });
    TIMED("grad", 300, xf_grad(cx, p, (int[]){0}, 1, false));
    TIMED("vmap", 300, xf_vmap(cx, p, (int[]){0, 0}, NULL, -1, NULL));
    nested(cx);
    api_leave(cx, &r);
    wf_ctx_free(cx);
    free(text);
    return 0;
}
