/* target_cpu.c -- the machine this runs on: vectors by GCC's types, and the library.
 *
 * One target for each instruction set; sizes of caches are those of usual servers and
 * desktops, where results gone from the caches are told by their size alone.
 */
#include "codegen/render.h"

static bool is_narrow(unsigned t) { return t == WF_F32 || t == WF_F16 || t == WF_BF16; }

static bool is_small(unsigned t) { return t == WF_I8 || t == WF_U8 || t == WF_I16; }

static bool is_identity(Ints spec)
{
    for (uint32_t i = 0; i < spec.n; i++)
        if (spec.v[i] != i)
            return false;
    return true;
}

/* The kernels of the library hand out every finished piece of a result. */
static bool has_tiles(const Target *t, const Program *p, const Eqn *e)
{
    unsigned x = val_type(p, eqn_in(p, e)[0]).dtype;
    unsigned y = val_type(p, eqn_in(p, e)[1]).dtype;
    Type z = val_type(p, e->out);
    const ConvAttr *c = e->attr;

    (void)t;
    if (!(z.dtype == WF_F64 && x == WF_F64 && y == WF_F64) &&
        !(z.dtype == WF_F32 && is_narrow(x) && is_narrow(y)) &&
        !(z.dtype == WF_I32 && is_small(x) && is_small(y)))
        return false;
    if (e->op != OP_conv_general)
        return e->op == OP_dot_general && eqn_in(p, e)[0] != eqn_in(p, e)[1];
    return z.rank > 2 && z.rank <= 2 + K_SPATIAL && is_identity(c->out_spec) &&
           (z.dtype != WF_I32 || !c->lhs_dilation.n) && c->groups > 0 && c->batch_groups == 1 && eqn_in(p, e)[0] != eqn_in(p, e)[1];
}

#define FLAGS                                                                            \
    "-O2", "-w", "-fwrapv", "-fno-strict-aliasing", "-fno-math-errno",                   \
        "-fno-trapping-math", "-fvisibility=default",                                    \
        "-fno-schedule-insns2", /* 5 % of the compiler's time; the machine reorders */   \
        "-fno-asynchronous-unwind-tables"
static const char *const flags_base[] = {FLAGS, NULL};
static const char *const flags_avx2[] = {FLAGS, "-mavx2", "-mfma", "-mf16c", NULL};
static const char *const flags_avx512[] = {
    FLAGS,        "-mavx512f", "-mavx512bw", "-mavx512vl",
    "-mavx512dq", "-mfma",     "-mf16c",     "-mprefer-vector-width=512",
    NULL};

#define TARGET_CPU                                                                       \
    TARGET_THRESHOLDS, .name = "cpu", .fuse_least = 2, .one_row = 65536,                 \
                       .calls = CALL_ATTENTION | CALL_ROWS | CALL_HALF | CALL_CODES,                  \
                       .forms = RENDER_MAP | RENDER_ROWS | RENDER_COLS | RENDER_WHILE |  \
                                RENDER_STRAIGHT | RENDER_NARROW,                         \
                       .cached_bytes = 8 << 20, .stream_bytes = 4096,                    \
                       .renders = render_has, .has_tiles = has_tiles,                    \
                       .has_dot = render_dot_fits, .render = render_kernel,                     \
                       .render_head = render_head, .tile_rows = K_PIECE_ROWS,            \
                       .tile_columns = K_PIECE_COLUMNS, .tile_arrays_conv = 1

static const Target machines[ISA_COUNT] = {
    [ISA_BASE] = {TARGET_CPU, .isa = ISA_BASE, .vector = 16, .registers = 16,
                  .flags = flags_base},
    [ISA_AVX2] = {TARGET_CPU, .isa = ISA_AVX2, .vector = 32, .registers = 16,
                  .flags = flags_avx2},
    [ISA_AVX512] = {TARGET_CPU, .isa = ISA_AVX512, .vector = 64, .registers = 32,
                    .flags = flags_avx512},
};

const Target *target_isa(Isa isa) { return &machines[isa]; }

const Target *target_cpu(void) { return target_isa(cpu_isa()); }
