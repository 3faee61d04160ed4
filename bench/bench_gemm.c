/* bench_gemm.c -- matrix multiplication beside OpenBLAS, BLIS and oneDNN.
 *
 *   bench_gemm [-t THREADS] [-r ROUNDS] [-i base|avx2|avx512] [MxNxK[T] ...]
 *
 * T: B is stored transposed. Without shapes: a list.
 *
 * Whichever libraries are installed are loaded by dlopen. Rounds are interleaved, each
 * after a pause so that the others' waiting threads are asleep and after one call to
 * wake its own; the figure is the median of the rounds in GFLOP/s (GB/s of the three
 * matrices for the shapes of one row or column, marked B). The last column is Weft's
 * figure over the best other's.
 */
#include "base/base.h"

#include "kernels/kernels.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef void SgemmFn(int order, int ta, int tb, int m, int n, int k, float alpha,
                     const float *a, int lda, const float *b, int ldb, float beta,
                     float *c, int ldc);
typedef int DnnlFn(char ta, char tb, int64_t m, int64_t n, int64_t k, float alpha,
                   const float *a, int64_t lda, const float *b, int64_t ldb, float beta,
                   float *c, int64_t ldc);

enum { WEFT, OPENBLAS, BLIS, ONEDNN, LIBS };
static const char *const lib_name[LIBS] = {"weft", "openblas", "blis", "onednn"};

typedef struct Bench {
    SgemmFn *cblas[LIBS];
    DnnlFn *dnnl;
    const Kernels *kernels;
    KPar par;
    void *ws;
    size_t ws_size;
    float *a, *b, *c;
    int m, n, k, tb;
} Bench;

static void run_pool(void *ctx, int n, void (*fn)(void *user, int i), void *user)
{
    pool_run(ctx, n, fn, user);
}

static void call(Bench *x, int lib)
{
    int ldb = x->tb ? x->k : x->n;

    if (lib == WEFT) {
        KMatmul mm = {KT_F32, KT_F32, KT_F32, 0, x->m, x->n, x->k, x->a,       x->k,
                      1,      x->b,   ldb,    1, x->c, x->n, 1,    .nbatch = 0};

        if (x->tb) {
            mm.b_row = 1;
            mm.b_col = x->k;
        }
        kernels_matmul(x->kernels, &mm, &x->par, x->ws);
    } else if (lib == ONEDNN) {
        x->dnnl('N', x->tb ? 'T' : 'N', x->m, x->n, x->k, 1, x->a, x->k, x->b, ldb, 0,
                x->c, x->n);
    } else {
        x->cblas[lib](101, 111, x->tb ? 112 : 111, x->m, x->n, x->k, 1, x->a, x->k, x->b,
                      ldb, 0, x->c, x->n);
    }
}

static int has(const Bench *x, int lib)
{
    return lib == WEFT || (lib == ONEDNN ? x->dnnl != NULL : x->cblas[lib] != NULL);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double time_calls(Bench *x, int lib)
{
    double flops = 2.0 * x->m * x->n * x->k + 1, t;
    int reps = (int)(2e9 / flops) + 1;
    struct timespec pause = {0, 40000000};

    if (reps > 2000)
        reps = 2000;
    nanosleep(&pause, NULL);
    for (int i = 0; i < 3 || i < reps / 10; i++)
        call(x, lib);
    t = clock_seconds();
    for (int i = 0; i < reps; i++)
        call(x, lib);
    return (clock_seconds() - t) / reps;
}

static void fill(float *p, size_t n)
{
    uint32_t s = 12345;

    for (size_t i = 0; i < n; i++) {
        s = s * 1664525u + 1013904223u;
        p[i] = (float)(s >> 8) * 0x1p-23f - 1;
    }
}

static void bench_shape(Bench *x, const char *shape, int rounds)
{
    double t[LIBS][64], best = 0, mine = 0;
    int bytes;
    size_t na, nb, nc;
    KMatmul mm = {KT_F32, KT_F32, KT_F32, 0, 0, 0, 0, 0,          0,
                  1,      0,      0,      1, 0, 0, 1, .nbatch = 0};

    x->tb = strchr(shape, 'T') != NULL;
    if (sscanf(shape, "%dx%dx%d", &x->m, &x->n, &x->k) != 3)
        return;
    bytes = x->m == 1 || x->n == 1;
    na = (size_t)x->m * (size_t)x->k, nb = (size_t)x->n * (size_t)x->k;
    nc = (size_t)x->m * (size_t)x->n;
    x->a = aligned_alloc(64, (na * 4 + 127) & ~(size_t)63);
    x->b = aligned_alloc(64, (nb * 4 + 127) & ~(size_t)63);
    x->c = aligned_alloc(64, (nc * 4 + 127) & ~(size_t)63);
    fill(x->a, na);
    fill(x->b, nb);
    fill(x->c, nc);
    mm.m = x->m, mm.n = x->n, mm.k = x->k, mm.a_row = x->k, mm.b_row = x->n,
    mm.c_row = x->n;
    if (x->tb)
        mm.b_row = 1, mm.b_col = x->k;
    x->ws = malloc(kernels_matmul_workspace(x->kernels, &mm, x->par.threads) + 1);
    for (int r = 0; r < rounds; r++) {
        for (int lib = 0; lib < LIBS; lib++)
            t[lib][r] = has(x, lib) ? time_calls(x, lib) : 0;
    }
    printf("%-16s", shape);
    for (int lib = 0; lib < LIBS; lib++) {
        double work = bytes ? 4e-9 * (double)(na + nb + nc) : 2e-9 * x->m * x->n * x->k,
               rate;

        if (!has(x, lib)) {
            printf(" %9s", "-");
            continue;
        }
        qsort(t[lib], (size_t)rounds, sizeof(double), by_value);
        rate = work / t[lib][rounds / 2];
        printf(" %8.1f%s", rate, bytes ? "B" : " ");
        if (lib == WEFT)
            mine = rate;
        else
            best = MAX(best, rate);
    }
    if (best > 0)
        printf(" %8.3f", mine / best);
    printf("\n");
    fflush(stdout);
    free(x->a);
    free(x->b);
    free(x->c);
    free(x->ws);
}

static void load_libraries(Bench *x, int threads)
{
    char n[16];
    void *h;

    snprintf(n, sizeof n, "%d", threads);
    setenv("OPENBLAS_NUM_THREADS", n, 1);
    setenv("OMP_NUM_THREADS", n, 1);
    setenv("BLIS_NUM_THREADS", n, 1);
    if ((h = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL)))
        *(void **)&x->cblas[OPENBLAS] = dlsym(h, "cblas_sgemm");
    if ((h = dlopen("libblis.so.4", RTLD_NOW | RTLD_LOCAL)))
        *(void **)&x->cblas[BLIS] = dlsym(h, "cblas_sgemm");
    if ((h = dlopen("libdnnl.so.2", RTLD_NOW | RTLD_LOCAL)) ||
        (h = dlopen("libdnnl.so.3", RTLD_NOW | RTLD_LOCAL)))
        *(void **)&x->dnnl = dlsym(h, "dnnl_sgemm");
}

int main(int argc, char **argv)
{
    static const char *const shapes[] = {
        "32x32x32",        "64x64x64",    "100x100x100",    "128x128x128",
        "256x256x256",     "512x512x512", "1024x1024x1024", "2048x2048x2048",
        "1024x1024x1024T", "8x1024x1024", "8x1024x1024T",   "1x1024x1024",
        "1x1024x1024T",    "1x4096x4096", "4096x1x4096",    "64x64x16384",
        "2048x2048x16",    "1000x37x777",
    };
    Bench x = {0};
    int threads = cpu_count(), rounds = 9, given = 0;
    Isa isa = cpu_isa();

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-t") && i + 1 < argc)
            threads = atoi(argv[++i]);
        else if (!strcmp(argv[i], "-r") && i + 1 < argc)
            rounds = atoi(argv[++i]);
        else if (!strcmp(argv[i], "-i") && i + 1 < argc) {
            i++;
            for (isa = ISA_BASE; isa < ISA_AVX512 && strcmp(isa_name(isa), argv[i]);
                 isa++)
                ;
        } else
            given = i;
        if (given)
            break;
    }
    threads = MAX(1, threads);
    rounds = MAX(1, MIN(64, rounds));
    load_libraries(&x, threads);
    x.kernels = kernels_for((int)isa);
    if (!x.kernels)
        x.kernels = kernels_best();
    x.par = (KPar){pool_new(&alloc_default, threads), threads, run_pool};
    printf("%d threads, %d rounds, %s\n%-16s", threads, rounds, isa_name(isa),
           "m x n x k");
    for (int lib = 0; lib < LIBS; lib++)
        printf(" %9s", lib_name[lib]);
    printf("  weft/best\n");
    if (given)
        for (int i = given; i < argc; i++)
            bench_shape(&x, argv[i], rounds);
    else
        for (int i = 0; i < COUNT(shapes); i++)
            bench_shape(&x, shapes[i], rounds);
    pool_free(x.par.ctx);
    return 0;
}
