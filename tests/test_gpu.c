/* test_gpu.c -- programs on a GPU give what they give on the host.
 *
 * The GPU is the host's own doing (lib_gpu.c), so that everything but the hardware is tested anywhere. With
 * WEFT_TEST_GPU=1 it is the first GPU of the machine, and there are many more programs: `make test-gpu`.
 */
#include "codegen/codegen.h"
#include "lib_attention.h"
#include "opt/opt.h"
#include "lib_check.h"
#include "lib_gpu.h"
#include "lib_random.h"
#include "runtime/runtime.h"
#include "weft_dlpack.h"

#include <execinfo.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const case_files[] = {"map",    "reduce", "shape",   "index", "contract", "random",
                                         "linalg", "control", "effect",  "sort",  "window",   "fourier"};

typedef struct Gpu {
    wf_runtime *r;
    wf_ctx *cx;
    wf_device *d;
    bool real;
    bool in_all; /* half floats are compared as arrays, not by element */
} Gpu;

static bool is_real(void)
{
    const char *real = getenv("WEFT_TEST_GPU");

    return real && *real && strcmp(real, "0") != 0;
}

static char running[64]; /* the program that is checked */

/* Libraries of the machine may end the process: which program, and where? */
static void die(int signal_number)
{
    void *frames[48];
    int n = backtrace(frames, COUNT(frames));

    if (write(STDERR_FILENO, running, strlen(running)) < 0 || write(STDERR_FILENO, ": ended by a signal\n", 20) < 0)
        _exit(2);
    backtrace_symbols_fd(frames, n, STDERR_FILENO);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* False: there is none, which is said. */
static bool open_gpu(Gpu *g)
{
    *g = (Gpu){.real = is_real()};
    if (g->real) {
        signal(SIGFPE, die);
        signal(SIGSEGV, die);
    }
    if (!g->real && !gpu_possible()) {
        check_skip(__FILE__, __LINE__, "no C++ compiler to run CUDA C++ on the host with");
        return false;
    }
    g->r = g->real ? wf_runtime_new(NULL) : gpu_runtime();
    g->cx = wf_ctx_new(&(wf_options){.size = sizeof(wf_options), .runtime = g->r});
    if (wf_device_count(g->cx) < 2) {
        check_fail(__FILE__, __LINE__, "WEFT_TEST_GPU is set, but no GPU can be used");
        return false;
    }
    g->d = gpu_of(g->cx);
    return true;
}

static void close_gpu(Gpu *g)
{
    CHECK_EQ_INT(atomic_load(&gpu_refused), 0);
    wf_ctx_free(g->cx);
    wf_runtime_release(g->r);
}

static void release_all(wf_array **a, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        wf_array_release(a[i]);
        a[i] = NULL;
    }
}

static Nd as_nd(const wf_array *a)
{
    return (Nd){wf_array_dtype(a), (uint32_t)wf_array_rank(a), wf_array_dims(a), wf_array_count(a),
                (void *)(uintptr_t)wf_array_data(a)};
}

/* Products of f32 are of TF32 there, unless a program asks for more. */
static double tolerance(wf_dtype t)
{
    switch (t) {
    case WF_F64:
    case WF_C128: return 1e-9;
    case WF_F32:
    case WF_C64: return is_real() ? 4e-3 : 2e-4;
    case WF_F16:
    case WF_BF16: return 3e-2;
    default: return 0;
    }
}

/* As arrays of half floats are whose sums were rounded in other places: the distance of all to all is small. */
static const char *far_in_all(wf_ctx *cx, const Nd *x, const Nd *y)
{
    double far = 0, all = 0;

    for (int64_t i = 0; i < x->count; i++) {
        size_t at = (size_t)i * wf_dtype_size(x->dtype);
        double a = element_as_f64(x->dtype, (const char *)x->data + at),
               b = element_as_f64(y->dtype, (const char *)y->data + at);

        if (isnan(a)) /* as the sums of half floats overflow */
            continue;
        far += (a - b) * (a - b);
        all += a * a;
    }
    return sqrt(far) <= 2e-2 * sqrt(all) + 1e-3
               ? NULL
               : arena_printf(&cx->scratch, "far by %g of %g", sqrt(far), sqrt(all));
}

/* Near each other, as what is computed in another order is; NULL, or what differs. */
static const char *far_apart(wf_ctx *cx, const wf_array *need, wf_array *got, bool in_all)
{
    wf_array *host = NULL;
    const char *why;
    Nd x = as_nd(need), y;

    if (wf_array_contiguous(cx, got, &host) != WF_OK)
        return wf_ctx_message(cx);
    y = as_nd(host);
    why = in_all && wf_dtype_size(x.dtype) == 2 ? far_in_all(cx, &x, &y)
                                                : nd_differ(cx, &y, &x, tolerance(x.dtype));
    wf_array_release(host);
    return why;
}

typedef struct Pair { /* inputs, and results of the host and of the device */
    wf_array *in[64], *need[64], *got[64], *bits[64];
} Pair;

/* Has the second run other bits than the first, which are kept here? */
static const char *other_bits(wf_ctx *cx, wf_array **kept, wf_array *got)
{
    wf_array *now = NULL;
    const char *why = NULL;

    if (wf_array_contiguous(cx, got, &now) != WF_OK)
        return wf_ctx_message(cx);
    if (!*kept)
        *kept = wf_array_retain(now);
    else if (memcmp(wf_array_data(*kept), wf_array_data(now),
                    (size_t)wf_array_count(now) * wf_dtype_size(wf_array_dtype(now))) != 0)
        why = "two runs give other bits";
    wf_array_release(now);
    return why;
}

/* Five times: memory is used again, from the second on inputs are on the device, and what comes again with the same
 * addresses is captured and replayed. All runs give the same bits, but for attention by cuDNN. */
static const char *check_on(Gpu *g, const Program *p, const Nd *nd)
{
    wf_ctx *cx = g->cx;
    Pair t = {0};
    wf_exec *e = NULL;
    wf_status need, got;
    const char *why = NULL;

    for (uint32_t i = 0; i < p->nin; i++)
        wf_array_from(cx, nd[i].dtype, nd[i].dims, (int)nd[i].rank, nd[i].data, &t.in[i]);
    need = wf_eval(cx, p, t.in, (int)p->nin, t.need, (int)p->nout);
    wf_clear(cx);
    wf_prepare_on(cx, p, g->d, &e);
    for (int round = 0; round < 5 && !why; round++) {
        for (uint32_t i = 0; round == 1 && i < p->nin; i++) {
            wf_array *there = NULL;

            wf_array_to(cx, t.in[i], g->d, &there);
            wf_array_release(t.in[i]);
            t.in[i] = there;
        }
        got = wf_run(cx, e, t.in, (int)p->nin, t.got, (int)p->nout);
        if (need != got)
            why = arena_printf(&cx->scratch, "status %d, on the device %d: %s", need, got,
                               wf_ctx_message(cx));
        wf_clear(cx);
        for (uint32_t j = 0; j < p->nout && need == WF_OK && !why; j++)
            if ((why = far_apart(cx, t.need[j], t.got[j], g->in_all)) != NULL)
                why = arena_printf(&cx->scratch, "result %u: %s", j, why);
        for (uint32_t j = 0; j < p->nout && need == WF_OK && !why && !g->in_all; j++)
            why = other_bits(cx, &t.bits[j], t.got[j]);
        release_all(t.got, p->nout);
    }
    release_all(t.in, p->nin);
    release_all(t.need, p->nout);
    release_all(t.bits, p->nout);
    wf_exec_release(e);
    return why;
}

static void check_program(Gpu *g, const Program *p, const Nd *in, const char *name)
{
    const char *why;

    snprintf(running, sizeof running, "%s", name);
    why = p->nin <= 64 && p->nout <= 64 ? check_on(g, p, in) : NULL;
    if (why) {
        Text t;

        text_init(&t, &g->cx->scratch);
        program_print(p, &(PrintOptions){.header = false}, &t);
        check_fail(__FILE__, __LINE__, "%s: %s\n%s", name, why, text_str(&t));
    }
}

/* The program of a text, on inputs of that seed. */
static void check_lines(Gpu *g, const char *text, uint64_t seed, const char *name)
{
    Region region;
    Rng rng = {seed};
    const Program *p;

    api_enter_(g->cx, &region);
    p = parse_lines(g->cx, text);
    if (p) {
        Case a = case_of(g->cx, p, 1);

        check_program(g, p, case_inputs(g->cx, &a, &rng), name);
    } else {
        check_fail(__FILE__, __LINE__, "%s: %s", name, wf_ctx_message(g->cx));
    }
    wf_clear(g->cx);
    api_leave(g->cx, &region);
}

/* On the host's GPU every step-th, since each is compiled. GPU_PART=2/8: on a real one every 8th, from number 2 on. */
TEST(every_case_gives_the_same)
{
    const char *every = getenv("GPU_EVERY"), *share = getenv("GPU_PART");
    uint32_t step = every ? (uint32_t)atoi(every) : 12;
    uint32_t part = share ? (uint32_t)atoi(share) : 0;
    uint32_t parts = share && strchr(share, '/') ? (uint32_t)atoi(strchr(share, '/') + 1) : 1;
    Gpu g;

    if (!open_gpu(&g))
        return;
    for (int k = 0; k < COUNT(case_files); k++) {
        Region region;
        Case *cases = NULL;
        uint32_t n = 0;
        Rng rng = {9};
        char path[100];

        snprintf(path, sizeof path, "tests/ops/%s.wir", case_files[k]);
        api_enter_(g.cx, &region);
        cases_load(g.cx, path, &cases, &n);
        CHECK(n > 0);
        for (uint32_t i = g.real ? part : 0; i < n; i += g.real ? parts : step) {
            Region inner;

            api_enter_(g.cx, &inner);
            if (!cases[i].axis)
                check_program(&g, cases[i].p, case_inputs(g.cx, &cases[i], &rng),
                              cases[i].p->name);
            wf_clear(g.cx);
            api_leave(g.cx, &inner);
        }
        api_leave(g.cx, &region);
    }
    close_gpu(&g);
}

/* p, its gradient by the inputs that are f64, or p over a new first axis of all inputs; NULL: there is none such. */
static const Program *some_transform(Gpu *g, const Program *p, uint64_t seed)
{
    const wf_program *d = NULL;
    int wrt[64], n = 0, axes[64] = {0};

    if (!p || seed % 3 == 0 || p->nin > 32)
        return p;
    for (uint32_t i = 0; i < p->nin; i++)
        if (val_type(p, i + 1).dtype == WF_F64)
            wrt[n++] = (int)i;
    if (seed % 3 == 1 && n)
        wf_grad(g->cx, p, wrt, n, &d);
    else if (p->nin)
        wf_vmap(g->cx, p, axes, (int)p->nin, NULL, 3, &d);
    wf_clear(g->cx);
    return d;
}

/* GPU_FIRST and GPU: the first seed and the last. */
TEST(random_programs_give_the_same)
{
    Gpu g;
    uint64_t most;
    const char *n = getenv("GPU"), *from = getenv("GPU_FIRST");

    if (!open_gpu(&g))
        return;
    most = n ? strtoull(n, NULL, 10) : g.real ? 400 : 6;
    for (uint64_t seed = from ? strtoull(from, NULL, 10) : 1; seed <= most; seed++) {
        Region region;
        Rng rng = {seed * 31};
        const Program *p, *plain;
        char name[32];

        api_enter_(g.cx, &region);
        plain = seed % 3 ? random_net(g.cx, &rng, seed % 2 ? WF_F32 : WF_BF16, 5)
                         : random_program(g.cx, &rng, 6 + (int)(seed % 20), RANDOM_PLAIN);
        p = seed % 3 ? plain : some_transform(&g, plain, seed / 3);
        snprintf(name, sizeof name, "seed %d", (int)seed);
        if (p) {
            Case c = case_of(g.cx, p, seed);

            check_program(&g, p, case_inputs(g.cx, &c, &rng), name);
        }
        if (p != plain)
            wf_program_release(p);
        wf_clear(g.cx);
        api_leave(g.cx, &region);
    }
    close_gpu(&g);
}

/* Shapes in which a thread has several elements, rows are long, and tails are left over. */
TEST(kernels_of_every_form_and_odd_sizes)
{
    static const char *const texts[] = {
        "f(x: f32[%d,%d], y: f32[%d,%d]) { a = mul x y; b = exp a; c = add b x; ret c; }",
        "f(x: bf16[%d,%d], y: bf16[%d,%d]) { a = mul x y; c = add a x; ret c; }",
        "f(x: f32[%d,%d], y: f32[%d,%d]) { a = mul x y; b = reduce_sum a axes=[0,1]; ret b; }",
        "f(x: f32[%d,%d], y: f32[%d,%d]) { a = mul x y; b = reduce_sum a axes=[0]; ret b, a; }",
        "f(x: f16[%d,%d], y: f16[%d,%d]) { a = mul x y; b = reduce_max a axes=[1]; ret b; }",
        "f(x: f32[%d,%d], y: f32[%d,%d]) { m = reduce_max x axes=[1]; k = broadcast m [%d,%d] dims=[0]; "
        "s = sub x k; e = exp s; t = reduce_sum e axes=[1]; u = broadcast t [%d,%d] dims=[0]; z = div e u; "
        "w = mul z y; v = reduce_sum w axes=[0]; ret z, v; }",
        "f(x: f32[%d,%d], y: f32[%d,%d]) { t = transpose x perm=[1,0]; u = transpose y perm=[1,0]; "
        "a = mul t u; ret t, a; }",
        "f(x: f32[%d,%d], y: f32[%d,%d]) { z = dot_general x y lhs=[0] rhs=[0] lhs_batch=[] rhs_batch=[] acc=f32 "
        "precision=highest; ret z; }",
    };
    static const int sizes[][2] = {{1, 1}, {3, 5}, {7, 64}, {33, 257}, {2, 5000}, {600, 3}};
    Gpu g;

    if (!open_gpu(&g))
        return;
    for (int k = 0; k < COUNT(texts); k++)
        for (int s = 0; s < COUNT(sizes); s++) {
            int r = sizes[s][0], c = sizes[s][1];
            char text[600], name[40];

            if (!g.real && s % 2 != k % 2)
                continue;
            snprintf(text, sizeof text, texts[k], r, c, r, c, r, c, r, c);
            snprintf(name, sizeof name, "text %d of %d x %d", k, r, c);
            check_lines(&g, text, (uint64_t)(k * 100 + s), name);
        }
    close_gpu(&g);
}

/* What libraries or kernels of their own do, in all the ways a network uses them. */
TEST(products_convolutions_windows_and_lines)
{
    static const char *const texts[] = {
        "f(x: f32[2,3,7,6], w: f32[4,3,3,2]) { y = conv_general x w lhs_spec=[0,1,2,3] rhs_spec=[0,1,2,3] "
        "out_spec=[0,1,2,3] stride=[2,1] pad_lo=[1,1] pad_hi=[1,0] acc=f32 precision=highest; ret y; }",
        "f(x: f32[2,4,3,6], w: f32[3,4,3,3]) { y = conv_general x w lhs_spec=[0,1,2,3] rhs_spec=[0,1,2,3] "
        "out_spec=[0,1,2,3] lhs_dilation=[2,2] pad_lo=[1,1] pad_hi=[2,2] acc=f32 precision=highest; ret y; }",
        "f(x: f32[3,2,7,7], w: f32[3,4,7,7]) { y = conv_general x w lhs_spec=[1,0,2,3] rhs_spec=[1,0,2,3] "
        "out_spec=[1,0,2,3] pad_lo=[1,1] pad_hi=[1,1] acc=f32 precision=highest; ret y; }",
        "f(x: f32[2,4,9], w: f32[6,2,3]) { y = conv_general x w lhs_spec=[0,1,2] rhs_spec=[0,1,2] out_spec=[0,1,2] "
        "rhs_dilation=[2] groups=2 acc=f32 precision=highest; ret y; }",
        /* few channels, the last: convolutions, and gradients of filters */
        "f(x: f32[4,18,17,1], w: f32[8,1,3,3]) { y = conv_general x w lhs_spec=[0,3,1,2] rhs_spec=[0,1,2,3] "
        "out_spec=[0,3,1,2] stride=[1,1] pad_lo=[1,2] pad_hi=[0,1] acc=f32; ret y; }",
        "f(x: f32[3,41,40,4], w: f32[4,12,3,2]) { y = conv_general x w lhs_spec=[0,3,1,2] rhs_spec=[1,0,2,3] "
        "out_spec=[0,3,1,2] stride=[2,1] rhs_dilation=[1,2] pad_lo=[1,0] pad_hi=[1,3] acc=f32; ret y; }",
        "f(x: f32[2,9,8,8,6], w: f32[4,6,2,1,2]) { y = conv_general x w lhs_spec=[0,4,1,2,3] rhs_spec=[0,1,2,3,4] "
        "out_spec=[0,4,1,2,3] pad_lo=[0,1,0] acc=f32; ret y; }",
        "f(x: f32[5,2300,3], w: f32[4,3,5]) { y = conv_general x w lhs_spec=[0,2,1] rhs_spec=[0,1,2] "
        "out_spec=[0,2,1] stride=[2] acc=f32; ret y; }",
        "f(x: f32[3,19,18,4], g: f32[3,17,17,6]) { w = conv_general x g lhs_spec=[3,0,1,2] rhs_spec=[3,0,1,2] "
        "out_spec=[1,0,2,3] pad_lo=[0,1] pad_hi=[0,1] acc=f32; ret w; }",
        "f(x: f32[5,31,33,3], g: f32[5,16,16,8]) { w = conv_general x g lhs_spec=[3,0,1,2] rhs_spec=[3,0,1,2] "
        "out_spec=[1,0,2,3] rhs_dilation=[2,2] stride=[1,2] pad_lo=[1,1] pad_hi=[1,0] acc=f32; ret w; }",
        "f(x: f32[40,30,1], g: f32[40,29,32]) { w = conv_general x g lhs_spec=[2,0,1] rhs_spec=[2,0,1] "
        "out_spec=[0,1,2] acc=f32; ret w; }",
        /* the largest of each window, and back */
        "f(x: f32[2,5,7,4], b: f32[280]) { y, i = reduce_window_max x window=[1,3,3,1] stride=[1,2,2,1] "
        "pad_lo=[0,1,1,0] pad_hi=[0,1,1,0]; j = reshape i [2,3,4,4,1]; "
        "z = scatter_add b j y inserted=[0] operand_dims=[0] mode=drop; ret y, z; }",
        "f(x: bf16[3,6,9]) { y, i = reduce_window_max x window=[1,2,3] stride=[1,1,2] pad_lo=[0,2,1] pad_hi=[0,3,1] "
        "base_dilation=[1,2,1] window_dilation=[1,2,2]; j = reshape i [3,14,4,1]; b = const bf16[162] 0; "
        "z = scatter_add b j y inserted=[0] operand_dims=[0] mode=drop; ret i, z; }",
        "f(x: f64[20], b: f64[20]) { y, i = reduce_window_max x window=[4] stride=[1] pad_lo=[5]; "
        "j = reshape i [22,1]; z = scatter_max b j y inserted=[0] operand_dims=[0] mode=drop; ret i, z; }",
        "f(x: f32[2,6,5], w: bf16[3]) { y, i = reduce_window_max x window=[1,3,2] stride=[1,2,2]; "
        "z = reduce_window_sum x window=[1,2,2]; a = argmax x axis=1 dtype=i32; b = argmin x axis=2 dtype=i64; "
        "c = cumsum x axis=1; d = cumsum w axis=0; ret y, i, z, a, b, c, d; }",
        "f(x: f32[5,7], i: i32[3,1], u: f32[3,7]) { y = gather x i offset_dims=[1] collapsed=[0] "
        "operand_batching=[] indices_batching=[] start_index_map=[0] slice_sizes=[1,7] mode=clip; "
        "z = scatter_add x i u update_window=[1] inserted=[0] operand_batching=[] indices_batching=[] "
        "operand_dims=[0] mode=drop; ret y, z; }",
        /* what follows a product in its call; logarithms of what is below 0 are NaN, and stay it */
        "f(x: f32[8,16], w: f32[16,32], b: f32[32]) { l = log x; z = dot l w; r = broadcast b [8,32] dims=[1]; "
        "s = add z r; o = const f32[8,32] 0; y = max s o; ret y; }",
        "f(x: bf16[8,16], w: bf16[16,32]) { l = log x; z = dot l w; o = const bf16[8,32] 0; y = max z o; ret y; }",
        "f(x: f64[8,16], w: f64[16,32], v: f64[8,32]) { z = dot x w; k = const f64[8,32] 0.1; s = mul z k; "
        "y = sub s v; ret y; }",
        "f(x: f32[8,16], w: f32[16,32]) { z = dot x w; o = const f32[8,32] 0; k = const f32[8,32] 0.0005; "
        "c = gt z o; s = mul z k; y = select c z s; ret y; }",
    };
    Gpu g;

    if (!open_gpu(&g))
        return;
    for (int k = 0; k < COUNT(texts); k++) {
        char name[40];

        snprintf(name, sizeof name, "text %d", k);
        check_lines(&g, texts[k], (uint64_t)k + 1, name);
    }
    close_gpu(&g);
}

/* Few columns or rows, or a short sum, however their operands lie, of each dtype; sizes beside those that kernels divide by. */
TEST(narrow_products_give_the_same)
{
    static const int sizes[][3] = {{70, 10, 130}, {9, 301, 64}, {65, 32, 67}, {4, 5, 200}, {66, 300, 10},
                                   {64, 64, 1},   {81, 259, 16}, {40, 20, 260}, {37, 7, 1100}, {48, 18, 300}, {48, 18, 70}, {512, 20, 2048}, {2048, 10, 512}};
    static const char *const dtypes[] = {"f32", "bf16", "f16", "f64"};
    Gpu g;

    if (!open_gpu(&g))
        return;
    for (int k = 0; k < COUNT(sizes) - (g.real ? 0 : 2); k++)
        for (int turned = 0; turned < 4; turned++) {
            const int *s = sizes[k];
            int tx = turned & 1, ty = turned >> 1;
            const char *d = dtypes[(k + turned) % 4];
            char text[300], name[60];

            snprintf(text, sizeof text, "f(x: %s[%d,%d], y: %s[%d,%d]) { z = dot_general x y lhs=[%d] rhs=[%d] acc=%s precision=highest; ret z; }",
                     d, s[tx ? 2 : 0], s[tx ? 0 : 2], d, s[ty ? 1 : 2], s[ty ? 2 : 1], !tx, ty, strcmp(d, "f64") ? "f32" : "f64");
            snprintf(name, sizeof name, "%s %d x %d by %d, turned %d", d, s[0], s[1], s[2], turned);
            check_lines(&g, text, (uint64_t)(k * 4 + turned + 1), name);
        }
    close_gpu(&g);
}

/* Attention of every dtype and mask, forward and with its gradient, is one step of each; the large shapes are for a
 * GPU alone. */
TEST(attention_and_its_gradient_give_the_same)
{
    static const Shape shapes[] = {
        {"70", "70", 70, 70, 1, 2, 16, 16, true},      {"64", "131", 64, 131, 2, 1, 40, 72, false},
        {"256", "256", 256, 256, 2, 4, 64, 64, false}, {"384", "384", 384, 384, 2, 2, 128, 128, true},
        {"333", "333", 333, 333, 3, 2, 32, 32, false}, {"200", "200", 200, 200, 1, 2, 256, 256, true},
    };
    static const char *const types[] = {"f32", "bf16", "f16", "f64"};
    Gpu g;

    if (!open_gpu(&g))
        return;
    g.in_all = true;
    for (int s = 0; s < (g.real ? COUNT(shapes) : 2); s++)
        for (int m = 0; m < MASKS; m++)
            for (int t = 0; t < 4; t++) {
                Region region;
                Rng rng = {(uint64_t)(s * 100 + m * 10 + t)};
                const Program *p;
                const wf_program *d = NULL;
                char name[60];

                if (!g.real && (m + t + s) % 4)
                    continue;
                api_enter_(g.cx, &region);
                p = attention_program(g.cx, types[t], (Mask)m, &shapes[s], t == 1 || t == 2, "y");
                snprintf(name, sizeof name, "%s, mask %d, shape %d", types[t], m, s);
                if (p && wf_grad(g.cx, p, (int[]){0, 1, 2}, 3, &d) == WF_OK) {
                    Case c = case_of(g.cx, d, 1);

                    check_program(&g, d, case_inputs(g.cx, &c, &rng), name);
                }
                wf_program_release(d);
                wf_clear(g.cx);
                api_leave(g.cx, &region);
            }
    close_gpu(&g);
}

static uint32_t count_op(const Program *p, unsigned op)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < p->neqns; i++)
        n += p->eqns[i].op == op;
    return n;
}

/* A net and its gradient: convolutions, norms, maxima of windows, concatenation. Its images are turned where they come
 * in, and nowhere else; one convolution alone is left as it is. */
TEST(images_between_convolutions_have_their_channels_last)
{
    static const char text[] =
        "f(x: f32[4,2,16,16], w: f32[8,2,3,3], s: f32[8], v: f32[4,8,3,3]) { a = conv_general x w pad_lo=[1,1] "
        "pad_hi=[1,1] acc=f32; m = reduce_sum a axes=[0,2,3]; n = broadcast m [4,8,16,16] dims=[1]; "
        "k = const f32[4,8,16,16] 0.0009765625; o = mul n k; d = sub a o; t = broadcast s [4,8,16,16] dims=[1]; "
        "e = mul d t; z = const f32[4,8,16,16] 0; r = max e z; p, i = reduce_window_max r window=[1,1,3,3] "
        "pad_lo=[0,0,1,1] pad_hi=[0,0,1,1]; b = conv_general p v pad_lo=[1,1] pad_hi=[1,1] acc=f32; "
        "c = slice r start=[0,2,0,0] limit=[4,6,16,16]; g = concat b c axis=1; q = rev g axes=[2]; "
        "j = const f32[] 2; l = pad q j lo=[0,0,1,0] hi=[0,0,0,1]; h = mul l l; "
        "y = reduce_sum h axes=[0,1,2,3]; u = reduce_max g axes=[0,3]; ret y, u; }";
    static const char alone[] = "f(x: f32[4,2,16,16], w: f32[8,2,3,3]) { y = conv_general x w acc=f32; ret y; }";
    Gpu g;
    Region region;
    Rng rng = {3};
    const Program *p, *q;
    const wf_program *d = NULL;
    Opt o = {.target = &target_cuda};

    if (!open_gpu(&g))
        return;
    api_enter_(g.cx, &region);
    o.cx = g.cx;
    p = parse_lines(g.cx, alone);
    CHECK(opt_layout(&o, p) == p);
    p = parse_lines(g.cx, text);
    CHECK(opt_layout(&(Opt){.cx = g.cx, .target = target_cpu()}, p) == p);
    CHECK_EQ_INT(wf_value_and_grad(g.cx, p, (int[]){1, 2, 3}, 3, &d), WF_OK);
    p = opt_run(&o, d, OPT_PLAIN);
    q = opt_run(&o, opt_layout(&o, p), OPT_PLAIN & ~(1u << opt_find("contract")));
    CHECK_EQ_INT(count_op(p, OP_conv_general), 5);
    CHECK_EQ_INT(count_op(q, OP_conv_general), 5);
    CHECK_EQ_INT(count_op(q, OP_reduce_window_max), 1);
    CHECK_EQ_INT(count_op(q, OP_transpose), 2); /* of the input; of u */
    for (uint32_t i = 0; i < q->neqns; i++)
        if (q->eqns[i].op == OP_conv_general)
            CHECK_EQ_INT(conv_axis(((const ConvAttr *)q->eqns[i].attr)->lhs_spec, 2), 1);
    {
        Case c = case_of(g.cx, d, 1);

        check_program(&g, d, case_inputs(g.cx, &c, &rng), "a net");
    }
    wf_program_release(d);
    api_leave(g.cx, &region);
    close_gpu(&g);
}

/* The gradient of weights that a batch shares. */
TEST(sums_of_products_over_a_batch_are_one_product)
{
    static const char text[] =
        "f(x: bf16[5,8,4], g: bf16[5,8,6]) { d = dot_general x g lhs=[1] rhs=[1] lhs_batch=[0] rhs_batch=[0] "
        "acc=bf16; s = reduce_sum d axes=[0]; ret s; }";
    wf_ctx *cx = wf_ctx_new(NULL);
    Region region;
    const Program *p;

    api_enter_(cx, &region);
    p = parse_lines(cx, text);
    CHECK_EQ_INT(opt_contract(&(Opt){.cx = cx, .target = &target_cuda}, p)->neqns, 1);
    CHECK_EQ_INT(opt_contract(&(Opt){.cx = cx, .target = target_cpu()}, p)->neqns, 2);
    api_leave(cx, &region);
    wf_ctx_free(cx);
}

/* Between a product and its gradient, f32 values of an elementwise function of halves are not kept: both kernels
 * compute them; and what is kept is what the gradient needs and cannot compute. */
TEST(what_is_cheaper_to_compute_than_to_move_is_computed_again)
{
    static const char text[] =
        "f(x: bf16[256,64], w: bf16[64,512], v: bf16[512,64]) { a = dot_general x w lhs=[1] rhs=[0] acc=bf16; "
        "b = cast a f32; t = tanh b; u = mul t b; c = cast u bf16; o = dot_general c v lhs=[1] rhs=[0] acc=bf16; "
        "p = cast o f32; q = mul p p; y = reduce_sum q axes=[0,1]; ret y; }";
    Gpu g;
    Region region;
    Rng rng = {3};
    const Program *p;
    const wf_program *d = NULL;
    Fused fused;

    if (!open_gpu(&g))
        return;
    api_enter_(g.cx, &region);
    p = parse_lines(g.cx, text);
    CHECK_EQ_INT(wf_grad(g.cx, p, (int[]){1, 2}, 2, &d), WF_OK);
    CHECK(codegen_fuse(g.cx, &target_cuda, d, false, &fused));
    for (uint32_t i = 0; i < fused.nkernels; i++)
        for (uint32_t j = 0; j < fused.kernels[i]->nout; j++)
            CHECK_EQ_INT(val_type(fused.kernels[i], fused.kernels[i]->outs[j]).dtype, WF_BF16);
    {
        Case c = case_of(g.cx, d, 1);

        g.in_all = true;
        check_program(&g, d, case_inputs(g.cx, &c, &rng), "gated layer");
    }
    wf_program_release(d);
    api_leave(g.cx, &region);
    close_gpu(&g);
}

/* Lengths with factors of every kind; real numbers of even and odd lengths; several axes. */
TEST(fourier_transforms_of_any_length)
{
    static const int lengths[] = {1, 2, 3, 8, 12, 13, 35, 64, 77, 121, 210};
    static const char *const texts[] = {
        "f(x: c128[3,%d]) { y = fft x kind=fft lengths=[%d]; ret y; }",
        "f(x: c64[%d,2]) { t = transpose x perm=[1,0]; y = fft t kind=ifft lengths=[%d]; ret y; }",
        "f(x: f64[2,%d]) { y = fft x kind=rfft lengths=[%d]; z = fft y kind=irfft lengths=[%d]; ret y, z; }",
        "f(x: f32[2,3,%d]) { y = fft x kind=rfft lengths=[3,%d]; z = fft y kind=irfft lengths=[3,%d]; ret y, z; }",
        "f(x: c128[2,%d,6]) { y = fft x kind=ifft lengths=[2,%d,6]; ret y; }",
    };
    Gpu g;

    if (!open_gpu(&g))
        return;
    for (int i = 0; i < COUNT(texts) * COUNT(lengths); i++) {
        int n = lengths[i / COUNT(texts)];
        Region region;
        Rng rng = {(uint64_t)i};
        const Program *p;
        char text[200];

        snprintf(text, sizeof text, texts[i % COUNT(texts)], n, n, n);
        api_enter_(g.cx, &region);
        p = parse_lines(g.cx, text);
        CHECK(p != NULL);
        if (p) {
            Case c = case_of(g.cx, p, 1);

            check_program(&g, p, case_inputs(g.cx, &c, &rng), text);
        }
        wf_clear(g.cx);
        api_leave(g.cx, &region);
    }
    close_gpu(&g);
}

/* The driver of the tests runs what need not wait out of order. Scatters have memory of their own beside the uses. */
TEST(steps_of_a_captured_run_wait_for_what_they_must)
{
    static const char *const texts[] = {
        "f(x: f32[7,5], w: f32[5,6], v: f32[5,6]) { a = dot_general x w lhs=[1] rhs=[0] acc=f32; "
        "b = dot_general x v lhs=[1] rhs=[0] acc=f32; c = tanh a; d = tanh b; "
        "e = dot_general c w lhs=[1] rhs=[1] acc=f32; f = dot_general d v lhs=[1] rhs=[1] acc=f32; g = add e f; "
        "h = dot_general g w lhs=[1] rhs=[0] acc=f32; ret h, c; }",
        /* c is written into the memory of a, which b reads */
        "f(x: f32[5,5], s: f32[2,2], i: i32[], w: f32[5,5]) { a = dot_general x w lhs=[1] rhs=[0] acc=f32; "
        "b = dot_general a w lhs=[1] rhs=[0] acc=f32; c = dynamic_update_slice a s i i; "
        "d = dot_general c w lhs=[1] rhs=[0] acc=f32; ret b, d; }",
        "f(x: f32[9], i: i32[4], u: f32[4], v: f32[4]) { j = reshape i [4,1]; a = scatter_add x j u inserted=[0] operand_dims=[0] mode=drop; "
        "b = scatter_add x j v inserted=[0] operand_dims=[0] mode=drop; c = mul a b; ret c, a; }",
        "body(w: f32[5,5], s: f32[6,5], t: f32[6,5]) { a = dot_general s w lhs=[1] rhs=[0] acc=f32; "
        "b = dot_general t w lhs=[1] rhs=[0] acc=f32; c = tanh a; d = tanh b; ret c, d; }\n"
        "f(x: f32[6,5], y: f32[6,5], w: f32[5,5]) { c, d = scan w x y body=body nconst=1 ncarry=2 length=5; ret c, d; }",
    };
    Gpu g;

    if (!open_gpu(&g))
        return;
    for (int i = 0; i < COUNT(texts); i++) {
        gpu_replays = gpu_side_by_side = gpu_hurried = 0;
        check_lines(&g, texts[i], 1, "branches");
        if (!g.real)
            CHECK(gpu_replays >= 2 && (gpu_side_by_side > 0) == (i != 1) && gpu_hurried > 0);
    }
    close_gpu(&g);
}

/* Products of few terms and single elements of rows, also of a batch of rows, are arithmetic. */
TEST(few_terms_and_one_of_a_row_are_arithmetic)
{
    static const char *const texts[] = {
        "f(x: f32[20,10], w: f32[24,10], h: f32[20,24]) { a = dot_general x w lhs=[1] rhs=[1] acc=f32; b = mul a h; "
        "c = reduce_sum b axes=[0]; ret b, c; }",
        "f(x: f64[3,17], w: f64[3,19], v: f64[19,5], u: f64[5,17]) { a = dot_general x w lhs=[0] rhs=[0] acc=f64; "
        "b = dot_general v u lhs=[1] rhs=[0] acc=f64; c = transpose b perm=[1,0]; d = add a c; ret d; }",
        "f(x: f32[20,1,7], i: i32[20], y: f32[20,1,1]) { m = const i32[20] 8; n = rem i m; z = const i32[20,1,1,1] 3; "
        "j = reshape n [20,1,1,1]; k = concat z j axis=3; "
        "s = scatter_add x k y inserted=[1,2] operand_dims=[1,2] operand_batching=[0] indices_batching=[0] mode=clip; "
        "g = gather x k collapsed=[1,2] start_index_map=[1,2] operand_batching=[0] indices_batching=[0] slice_sizes=[1,1,1] mode=clip; "
        "ret s, g; }",
    };
    Gpu g;

    if (!open_gpu(&g))
        return;
    for (int i = 0; i < COUNT(texts); i++)
        check_lines(&g, texts[i], 1, "arithmetic");
    close_gpu(&g);
}

/* Where NVIDIA's compiler is: it takes every kernel. */
TEST(kernels_are_cuda_to_its_own_compiler)
{
    const char *n = getenv("GPU_COMPILED");
    Gpu g = {.r = is_real() ? NULL : gpu_compiler()};

    if (is_real())
        return;
    if (!g.r) {
        check_skip(__FILE__, __LINE__, "no NVRTC to compile CUDA C++ with");
        return;
    }
    g.cx = wf_ctx_new(&(wf_options){.size = sizeof(wf_options), .runtime = g.r});
    g.d = gpu_of(g.cx);
    for (uint64_t seed = 1; seed <= (n ? strtoull(n, NULL, 10) : 8); seed++) {
        Region region;
        Rng rng = {seed * 31};
        const Program *p, *plain;

        api_enter_(g.cx, &region);
        plain = seed % 2 ? random_net(g.cx, &rng, seed % 4 == 1 ? WF_F32 : WF_BF16, 5)
                         : random_program(g.cx, &rng, 10 + (int)(seed % 20), RANDOM_PLAIN);
        p = some_transform(&g, plain, seed);
        if (p) {
            Case c = case_of(g.cx, p, seed);
            const Nd *nd = case_inputs(g.cx, &c, &rng);
            Pair t = {0};
            wf_exec *e = NULL;

            for (uint32_t i = 0; i < p->nin && p->nin <= 64; i++)
                wf_array_from(g.cx, nd[i].dtype, nd[i].dims, (int)nd[i].rank, nd[i].data, &t.in[i]);
            wf_prepare_on(g.cx, p, g.d, &e);
            if (p->nin <= 64 && p->nout <= 64)
                wf_run(g.cx, e, t.in, (int)p->nin, t.got, (int)p->nout); /* of what kernels left undone */
            release_all(t.in, p->nin);
            release_all(t.got, p->nout);
            wf_exec_release(e);
        }
        if (p != plain)
            wf_program_release(p);
        wf_clear(g.cx);
        api_leave(g.cx, &region);
    }
    CHECK(atomic_load(&gpu_cubins) > 8);
    close_gpu(&g);
}

TEST(scripts_have_tensors_there)
{
    static const char *const scripts[] = {"tests/gpu.py", "tests/gpu_tails.py", "tests/gpu_planes.py"};
    Gpu g;
    int status = -1;

    if (!open_gpu(&g))
        return;
    for (int i = 0; i < COUNT(scripts); i++) {
        CHECK_EQ_INT(wf_script_run(g.cx, scripts[i], 0, NULL, &status), WF_OK);
        CHECK_EQ_INT(status, 0);
    }
    CHECK_STR(wf_ctx_message(g.cx), "");
    close_gpu(&g);
}

/* Arrays go out and come in as DLPack has them, where they are. */
TEST(arrays_there_are_dlpack_tensors)
{
    static const float x[3] = {1, 2, 3};
    DLManagedTensor *m = NULL;
    wf_array *here = NULL, *there = NULL, *again = NULL, *back = NULL;
    Gpu g;

    if (!open_gpu(&g))
        return;
    wf_array_from(g.cx, WF_F32, (int64_t[]){3}, 1, x, &here);
    wf_array_to(g.cx, here, g.d, &there);
    if (wf_array_to_dlpack(g.cx, there, &m) == WF_OK) {
        CHECK_EQ_INT(m->dl_tensor.device.device_type, kDLCUDA);
        CHECK_EQ_INT(m->dl_tensor.device.device_id, 0);
        wf_array_from_dlpack(g.cx, m, &again);
    }
    CHECK(again && wf_array_device(again) == g.d);
    wf_array_contiguous(g.cx, again, &back);
    CHECK(back && ((const float *)wf_array_data(back))[2] == 3);
    CHECK_STR(wf_ctx_message(g.cx), "");
    release_all((wf_array *[]){here, there, again, back}, 4);
    close_gpu(&g);
}

/* Runs the program, which doubles, n times, each on what the one before gave. */
static void double_often(const Gpu *g, const Program *p, int64_t size, int n)
{
    const float one[5] = {1, 1, 1, 1, 1};
    wf_array *x = NULL, *y = NULL;
    wf_exec *e = NULL;

    wf_prepare_on(g->cx, p, g->d, &e);
    wf_array_from(g->cx, WF_F32, &size, 1, one, &x);
    for (int i = 0; i < n; i++, x = y) {
        wf_run(g->cx, e, &x, 1, &y, 1);
        wf_array_release(x);
    }
    wf_array_contiguous(g->cx, x, &y);
    for (int64_t i = 0; i < size; i++)
        CHECK_NEAR(((const float *)wf_array_data(y))[i], (double)(1L << n), 0);
    wf_array_release(x);
    wf_array_release(y);
    wf_exec_release(e);
}

/* Each time its code is unloaded, after which other code may lie there. */
TEST(a_kernel_that_comes_often_has_a_graph_of_its_own)
{
    Gpu g;
    Region region;

    if (!open_gpu(&g))
        return;
    api_enter_(g.cx, &region);
    gpu_singles = 0;
    for (int i = 0; i < 4; i++) {
        double_often(&g, parse_lines(g.cx, "f(x: f32[5]) { y = add x x; ret y; }"), 5, 30);
        double_often(&g, parse_lines(g.cx, "f(x: f32[3]) { t = const f32[3] 2; y = mul x t; ret y; }"), 3, 25);
    }
    CHECK_STR(wf_ctx_message(g.cx), "");
    if (!g.real)
        CHECK(gpu_singles > 4 * (15 + 10));
    api_leave(g.cx, &region);
    close_gpu(&g);
}

TEST(a_launch_that_fails_is_an_error_with_its_reason)
{
    static const float x[4] = {1, 2, 3, 4};
    Gpu g;
    const Program *p;
    wf_array *in = NULL, *out = NULL;
    wf_exec *e = NULL;
    Region region;

    if (is_real() || !open_gpu(&g))
        return;
    api_enter_(g.cx, &region);
    p = parse_lines(g.cx, "f(x: f32[4]) { y = exp x; ret y; }");
    wf_prepare_on(g.cx, p, g.d, &e);
    wf_array_from(g.cx, WF_F32, (int64_t[]){4}, 1, x, &in);
    gpu_fail_at = gpu_launches + 1;
    CHECK_EQ_INT(wf_run(g.cx, e, &in, 1, &out, 1), WF_ERR_DEVICE);
    CHECK_HAS(wf_ctx_message(g.cx), "a launch that was to fail");
    gpu_fail_at = 0;
    wf_clear(g.cx);
    CHECK(((const float *)wf_array_data(in))[3] == 4);
    wf_array_release(in);
    wf_exec_release(e);
    api_leave(g.cx, &region);
    close_gpu(&g);
}

typedef struct Compiling { /* a context of its own */
    wf_runtime *r;
    const char *text;
    bool prepared;
} Compiling;

static void *prepare_one(void *user)
{
    Compiling *c = user;
    wf_ctx *cx = wf_ctx_new(&(wf_options){.size = sizeof(wf_options), .runtime = c->r});
    wf_exec *e = NULL;
    Region region;

    api_enter_(cx, &region);
    c->prepared = wf_prepare_on(cx, parse_lines(cx, c->text), gpu_of(cx), &e) == WF_OK;
    wf_exec_release(e);
    api_leave(cx, &region);
    wf_ctx_free(cx);
    return NULL;
}

/* The first compiler is at work until the second has begun: one after the other, they would wait for ever. */
TEST(two_texts_are_compiled_side_by_side)
{
    CudaLibraries other = {.rtc_major = -1};
    Compiling both[2] = {{.text = "f(x: f32[4]) { y = exp x; z = mul y x; ret z; }"},
                         {.text = "f(x: f32[4]) { y = tanh x; z = add y x; ret z; }"}};
    pthread_t threads[2];
    Gpu g;

    if (is_real() || !open_gpu(&g))
        return;
    atomic_store(&gpu_spared, 0);
    atomic_store(&gpu_waits, 1);
    for (int i = 0; i < 2; i++) {
        both[i].r = g.r;
        CHECK_EQ_INT(pthread_create(&threads[i], NULL, prepare_one, &both[i]), 0);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    atomic_store(&gpu_waits, 0);
    CHECK(both[0].prepared && both[1].prepared);
    CHECK_EQ_INT(atomic_load(&gpu_spared), 1);
    CHECK(!cuda_open_spare(g.cx, &other)); /* of another version */
    close_gpu(&g);
}
