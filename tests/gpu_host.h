/* gpu_host.h -- what generated CUDA C++ stands on when it is compiled for the host, by tests: threads of a block take
 * turns, each with a stack of its own; shared memory is static, since blocks come one after the other. */
#define WK_HOST
#define WK_ARGS(T) const T &
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#define __global__
#define __device__
#define __shared__ static
#define __launch_bounds__(...)
struct uint2 { unsigned x, y; };
struct alignas(16) uint4 { unsigned x, y, z, w; };

static const int HOST_MOST = 1024, HOST_STACK = 1 << 16;
struct HostPlace { unsigned x, y, z; };
static HostPlace threadIdx, blockIdx, blockDim, gridDim;

static struct HostBlock {
    ucontext_t scheduler, thread[HOST_MOST];
    char *stack[HOST_MOST];
    bool done[HOST_MOST];
    long block_waits[HOST_MOST], warp_waits[HOST_MOST];
    uint64_t value[HOST_MOST];
    void (*kernel)(const void *args);
    const void *args;
} host;

static void host_yield()
{
    const unsigned me = threadIdx.x;

    swapcontext(&host.thread[me], &host.scheduler);
    threadIdx.x = me;
}

static void __syncthreads()
{
    const long mine = ++host.block_waits[threadIdx.x];
    unsigned i = 0;

    while (i < blockDim.x)
        if (host.done[i] || host.block_waits[i] >= mine)
            i++;
        else
            host_yield();
}

static int atomicAdd(int *p, int x)
{
    const int old = *p;

    *p += x;
    return old;
}
static int atomicExch(int *p, int x)
{
    const int old = *p;

    *p = x;
    return old;
}

static void host_sync_warp(unsigned mask)
{
    const unsigned me = threadIdx.x, first = me / 32 * 32;
    const long mine = ++host.warp_waits[me];
    unsigned i = 0;

    while (i < 32)
        if (!(mask >> i & 1) || host.warp_waits[first + i] >= mine)
            i++;
        else
            host_yield();
}

template <class T> static void __stcs(T *p, T x) { *p = x; }

static void __syncwarp() { host_sync_warp(0xffffffffu); }

template <class T> static T __shfl_xor_sync(unsigned mask, T x, int step)
{
    T y;

    memcpy(&host.value[threadIdx.x], &x, sizeof x);
    host_sync_warp(mask);
    memcpy(&y, &host.value[threadIdx.x ^ (unsigned)step], sizeof y);
    host_sync_warp(mask);
    return y;
}

static void host_thread(unsigned i)
{
    threadIdx = {i, 0, 0};
    host.kernel(host.args);
    host.done[i] = true;
}

/* Stacks stay from launch to launch, and go with the module. */
static struct HostStacks {
    ~HostStacks()
    {
        for (char *s : host.stack)
            free(s);
    }
} host_stacks;

static void host_run_block(unsigned n)
{
    unsigned left = n;

    memset(host.block_waits, 0, sizeof host.block_waits);
    memset(host.warp_waits, 0, sizeof host.warp_waits);
    for (unsigned i = 0; i < n; i++) {
        if (!host.stack[i])
            host.stack[i] = (char *)malloc(HOST_STACK);
        host.done[i] = false;
        getcontext(&host.thread[i]);
        host.thread[i].uc_stack.ss_sp = host.stack[i];
        host.thread[i].uc_stack.ss_size = HOST_STACK;
        host.thread[i].uc_link = &host.scheduler;
        makecontext(&host.thread[i], (void (*)())host_thread, 1, i);
    }
    while (left) {
        left = 0;
        for (unsigned i = 0; i < n; i++)
            if (!host.done[i]) {
                threadIdx = {i, 0, 0};
                swapcontext(&host.scheduler, &host.thread[i]);
                left += !host.done[i];
            }
    }
}

static void sincospi(double x, double *s, double *c)
{
    x -= 2 * floor(x / 2);
    *s = sin(M_PI * x);
    *c = cos(M_PI * x);
}

/* Bytes of a kernel's arguments. */
template <class T> static size_t host_size(void (*)(const T &)) { return sizeof(T); }

/* One launch. */
extern "C" void host_launch(void (*kernel)(const void *), unsigned gx, unsigned gy, unsigned threads, const void *args)
{
    host.kernel = kernel;
    host.args = args;
    blockDim = {threads, 1, 1};
    gridDim = {gx, gy, 1};
    for (unsigned y = gy; y-- > 0;) /* no kernel may rely on their order */
        for (unsigned x = gx; x-- > 0;) {
            blockIdx = {x, y, 0};
            host_run_block(threads);
        }
}
