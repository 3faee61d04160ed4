/* render_unit.c -- what the generated C of a translation unit stands on.
 *
 * The unit is complete in itself: it includes no header of the system, since those take
 * longer to read than everything else to compile. Declared instead are the integer types,
 * the functions of math.h, which rows may name, and the few instructions that vec.h names.
 */
#include "codegen/render.h"

extern const char *const prelude_lines[]; /* made from the headers by the Makefile */

static const char head[] =
    "typedef __INT8_TYPE__ int8_t;\n"
    "typedef __INT16_TYPE__ int16_t;\n"
    "typedef __INT32_TYPE__ int32_t;\n"
    "typedef __INT64_TYPE__ int64_t;\n"
    "typedef __UINT8_TYPE__ uint8_t;\n"
    "typedef __UINT16_TYPE__ uint16_t;\n"
    "typedef __UINT32_TYPE__ uint32_t;\n"
    "typedef __UINT64_TYPE__ uint64_t;\n"
    "typedef __UINTPTR_TYPE__ uintptr_t;\n"
    "typedef __SIZE_TYPE__ size_t;\n"
    "#define INT8_MAX 127\n"
    "#define INT16_MAX 32767\n"
    "#define INT32_MAX 2147483647\n"
    "#define INT64_MAX 9223372036854775807ll\n"
    "#define UINT8_MAX 255\n"
    "#define UINT16_MAX 65535\n"
    "#define UINT32_MAX 4294967295u\n"
    "#define UINT64_MAX 18446744073709551615ull\n"
    "#define INT32_MIN (-INT32_MAX - 1)\n"
    "#define INT64_MIN (-INT64_MAX - 1)\n"
    "#define INFINITY __builtin_inff()\n"
    "#define NAN __builtin_nanf(\"\")\n"
    "void *memcpy(void *, const void *, size_t);\n"
    "void *memset(void *, int, size_t);\n"
    "#define REAL1(f) double f(double);\n"
    "#define REAL2(f) double f(double, double);\n"
    "REAL1(acos) REAL1(acosh) REAL1(asin) REAL1(asinh) REAL1(atan) REAL1(atanh)\n"
    "REAL1(cbrt) REAL1(ceil) REAL1(cos) REAL1(cosh) REAL1(erf) REAL1(erfc) REAL1(exp)\n"
    "REAL1(exp2) REAL1(expm1) REAL1(fabs) REAL1(floor) REAL1(lgamma) REAL1(log)\n"
    "REAL1(log10) REAL1(log1p) REAL1(log2) REAL1(logb) REAL1(rint) REAL1(round)\n"
    "REAL1(sin) REAL1(sinh) REAL1(sqrt) REAL1(tan) REAL1(tanh) REAL1(tgamma)\n"
    "REAL1(trunc) REAL2(atan2) REAL2(copysign) REAL2(fdim) REAL2(fmax) REAL2(fmin)\n"
    "REAL2(fmod) REAL2(hypot) REAL2(nextafter) REAL2(pow) REAL2(remainder)\n"
    "float fmodf(float, float), nextafterf(float, float);\n";

/* The few instructions the library's vec.h names, without the header that defines them
 * all, which takes longer to read than everything else to compile. */
static const char intrinsics[] =
    "#if defined(__SSE2__) && !defined(__clang__)\n"
    "typedef float __m128 __attribute__((vector_size(16)));\n"
    "typedef double __m128d __attribute__((vector_size(16)));\n"
    "#define _mm_sqrt_ps(x) __builtin_ia32_sqrtps(x)\n"
    "#define _mm_sqrt_pd(x) __builtin_ia32_sqrtpd(x)\n"
    "#if KERNEL_ISA > 0\n"
    "typedef float __m256 __attribute__((vector_size(32)));\n"
    "typedef double __m256d __attribute__((vector_size(32)));\n"
    "#define _mm256_sqrt_ps(x) __builtin_ia32_sqrtps256(x)\n"
    "#define _mm256_sqrt_pd(x) __builtin_ia32_sqrtpd256(x)\n"
    "#define _mm256_min_ps(x, y) __builtin_ia32_minps256(x, y)\n"
    "#define _mm256_max_ps(x, y) __builtin_ia32_maxps256(x, y)\n"
    "#endif\n"
    "#if KERNEL_ISA > 1\n"
    "typedef float __m512 __attribute__((vector_size(64)));\n"
    "typedef double __m512d __attribute__((vector_size(64)));\n"
    "#define _mm512_min_ps(x, y) \\\n"
    "    __builtin_ia32_minps512_mask(x, y, (__m512){0}, (unsigned short)-1, 4)\n"
    "#define _mm512_max_ps(x, y) \\\n"
    "    __builtin_ia32_maxps512_mask(x, y, (__m512){0}, (unsigned short)-1, 4)\n"
    "#define _mm512_scalef_ps(x, y) \\\n"
    "    __builtin_ia32_scalefps512_mask(x, y, (__m512){0}, (unsigned short)-1, 4)\n"
    "#define _mm512_rcp14_ps(x) \\\n"
    "    __builtin_ia32_rcp14ps512_mask(x, (__m512){0}, (unsigned short)-1)\n"
    "#define _mm512_sqrt_ps(x) \\\n"
    "    __builtin_ia32_sqrtps512_mask(x, (__m512){0}, (unsigned short)-1, 4)\n"
    "#define _mm512_sqrt_pd(x) \\\n"
    "    __builtin_ia32_sqrtpd512_mask(x, (__m512d){0}, (unsigned char)-1, 4)\n"
    "#endif\n"
    "#elif defined(__SSE2__)\n"
    "#include <immintrin.h>\n"
    "#endif\n";

const char render_args[] =
    "typedef struct WkArgs {\n"
    "    void *const *p;\n"
    "    const int64_t *d;\n"
    "    char *tmp, *acc;\n"
    "    const volatile int *stop;\n"
    "    void *const *call;\n"
    "} WkArgs;\n"
    "typedef void WkRun(const WkArgs *k, int64_t begin, int64_t end);\n"
    "typedef void WkEnd(const WkArgs *k, int64_t n);\n"
    "typedef void WkDot(const void *a, const void *b, void *c, char *tmp);\n"
    "typedef struct WkTile {\n"
    "    void *c;\n"
    "    int64_t ld, row, col, rows, cols, batch;\n"
    "} WkTile;\n"
    "VINLINE int64_t wk_least(int64_t a, int64_t b) { return a < b ? a : b; }\n"
    "VINLINE int wk_usable(double x) { return x - x == 0 && (x > 0x1p-126 || -x > "
    "0x1p-126); }\n"
    "VINLINE int wk_left(int64_t n, int lanes)\n"
    "{\n"
    "    return n >= lanes ? lanes : n > 0 ? (int)n : 0;\n"
    "}\n\n"
    "VINLINE int64_t wk_clip(int64_t i, int64_t n) { return i < 0 ? 0 : wk_least(i, n - "
    "1); }\n"
    "VINLINE int wk_inside(int64_t i, int64_t n) { return i >= 0 && i < n; }\n\n"
    "VINLINE int64_t wk_branch(int64_t i, int64_t n)\n"
    "{\n"
    "    return i < 0 ? 0 : wk_least(i, n - 1);\n"
    "}\n\n";

/* What the lanes of one set are used for: bit t for dtype t. */
typedef struct UnitUses {
    uint32_t types;
    uint32_t spelled[OP_COUNT]; /* ops that say in C what they are, on that dtype */
} UnitUses;

static void add_types(const Program *p, UnitUses *uses)
{
    for (Val v = 1; v < p->nvals; v++)
        uses->types |=
            1u << kept_dtype((wf_dtype)val_type(p, v).dtype) | 1u << val_type(p, v).dtype;
    for (uint32_t i = 0; i < p->neqns; i++) {
        const Eqn *e = &p->eqns[i];

        if (op_row(e->op)->lower.c)
            uses->spelled[e->op] |=
                1u << kept_dtype((wf_dtype)val_type(p, eqn_in(p, e)[0]).dtype);
    }
    for (uint32_t i = 0; i < p->nsubs; i++)
        add_types(p->subs[i], uses);
}

/* The uses of a kernel in the lanes of each set. */
static void add_kernel(const Kernel *k, UnitUses uses[2])
{
    const Straight *s = k->straight;

    if (k->dot)
        uses[k->dot->c_type == KT_F64].types |= 1u << k->dot->c_type;
    else if (!s)
        add_types(k->p, &uses[k->wide]);
    for (uint32_t i = 0; s && s->loops && i < s->nparts; i++)
        add_kernel(s->part[i], uses);
}

/* Ops that say in C what they are, on the dtypes they are used with: macro_REAL1(first t, ..). */
static void render_spelled(Text *out, const char *macro, const char *first, const UnitUses *uses)
{
    for (unsigned op = 0; op < OP_COUNT; op++)
        for (wf_dtype t = WF_BOOL; t < WF_DTYPE_COUNT; t++)
            if (uses->spelled[op] >> t & 1)
                text_printf(out, "%s_%s%d(%s%s, %s, %s)\n", macro,
                            dtype_is_float(t) ? "REAL" : "WHOLE", op_table[op].nin, first,
                            wf_dtype_name(t), op_name(op), op_row(op)->lower.c);
}

void render_spelled_plain(const Kernel *const *k, uint32_t n, Text *out)
{
    UnitUses uses[2];

    memset(uses, 0, sizeof uses);
    for (uint32_t i = 0; i < n; i++)
        add_kernel(k[i], uses);
    for (unsigned op = 0; op < OP_COUNT; op++)
        uses[0].spelled[op] |= uses[1].spelled[op];
    render_spelled(out, "PLAIN", "", &uses[0]);
}

/* The lanes of one set, for what is used. */
static void render_lanes(Text *out, char set, const UnitUses *uses)
{
    uint32_t types = uses->types;
    static const struct {
        wf_dtype t;
        const char *name;
    } rows[] = {{WF_F32, "F32"}, {WF_F64, "F64"}, {WF_I8, "I8"}, {WF_I16, "I16"},
                {WF_I32, "I32"}, {WF_I64, "I64"}, {WF_U8, "U8"}, {WF_U16, "U16"},
                {WF_U32, "U32"}, {WF_U64, "U64"}};
    const char *n = set == 's' ? "VFL" : "VDL";

    text_printf(out, "LANES_BOOL(%c, %s, int%d_t)\n", set, n, set == 's' ? 32 : 64);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (types >> rows[i].t & 1)
            text_printf(out, "LANES_%s(%c, %s)\n", rows[i].name, set, n);
    if (types & (1u << WF_F16 | 1u << WF_BF16))
        text_printf(out, "LANES_HALF(%c, %s)\n", set, n);
    render_spelled(out, "LANES", set == 's' ? "s, VFL, " : "d, VDL, ", uses);
}

void render_head(const Kernel *const *k, uint32_t n, Text *out)
{
    UnitUses uses[2];

    memset(uses, 0, sizeof uses);
    text_printf(out, "#define KERNEL_ISA %d\n", n ? (int)k[0]->target->isa : 0);
    text_add(out, head);
    text_add(out, intrinsics);
    for (const char *const *line = prelude_lines; *line; line++)
        text_add(out, *line);
    text_add(out, render_args);
    for (uint32_t i = 0; i < n; i++)
        add_kernel(k[i], uses);
    for (int set = 0; set < 2; set++)
        if (uses[set].types)
            render_lanes(out, set ? 'd' : 's', &uses[set]);
}
