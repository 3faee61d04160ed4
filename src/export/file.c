/* file.c -- the files of an export: NAME.h, NAME.c, weights, an example, a Makefile. */
#include "export/export.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

/* ---- writing ------------------------------------------------------------------------- */

static bool put_bytes(Output *o, const char *name, const void *data, size_t n)
{
    const char *path = arena_printf(o->c.a, "%s/%s", o->dir, name);
    FILE *file = fopen(path, "wb");
    bool ok = file && fwrite(data, 1, n, file) == n;

    if (file && fclose(file) != 0)
        ok = false;
    return ok || fail(o->c.cx, WF_ERR_IO, NOWHERE, "cannot write %s: %s", path,
                      strerror(errno));
}

static bool put_file(Output *o, const char *name, Text *t)
{
    return put_bytes(o, name, text_str(t), t->n);
}

/* ---- arrays of the caller ------------------------------------------------------------ */

static const char *type_of(Output *o, const ExportMethod *m, Val v)
{
    return type_str(&m->f.p->dims, val_type(m->f.p, v), o->c.a);
}

static int64_t array_most(ExportMethod *m, Val v)
{
    return c_most_of(&m->f, c_count_of(&m->f, v)) *
           (int64_t)wf_dtype_size(dtype_of(&m->f, v));
}

/* A text without ends of lines. */
static const char *one_line(Output *o, const char *s)
{
    char *t = arena_printf(o->c.a, "%s", s);

    for (char *c = t; *c; c++)
        if (*c == '\n')
            *c = ' ';
    return t;
}

/* ---- the header ---------------------------------------------------------------------- */

static void add_state(Output *o, Text *t)
{
    static const char *const packings[] = {"", ", filters in panels", ", filters transformed, in panels"};

    if (!o->members.n)
        return;
    text_printf(t, "/* The numbers of the model. */\ntypedef struct %s_state {\n",
                o->c.name);
    for (uint32_t i = 0; i < o->members.n; i++) {
        const ModelMember *m = &o->members.v[i];

        text_printf(t, "    %s %s[%lld]; /* %s: %s[", c_type(wf_array_dtype(m->array)),
                    m->name, (long long)MAX(m->count, 1), c_comment(o->c.a, one_line(o, m->tensor)),
                    wf_dtype_name(wf_array_dtype(m->array)));
        for (int d = 0; d < wf_array_rank(m->array); d++)
            text_printf(t, d ? ",%lld" : "%lld", (long long)wf_array_dims(m->array)[d]);
        text_printf(t, "]%s */\n", packings[m->packing]);
    }
    text_printf(t, "} %s_state;\n\n", o->c.name);
}

static void add_method(Output *o, ExportMethod *m, Text *t)
{
    const Program *p = m->f.p;

    Text head;

    text_init(&head, o->c.a);
    text_printf(&head, "%s(", m->source->name);
    for (uint32_t i = m->nstate; i < p->nin; i++)
        text_printf(&head, "%s%s: %s", i > m->nstate ? ", " : "", m->f.in[i],
                    type_of(o, m, i + 1));
    text_add(&head, ") ->");
    for (uint32_t j = 0; j + m->nupdate < p->nout; j++)
        text_printf(&head, "%s %s: %s", j ? "," : "", m->f.out[j], type_of(o, m, p->outs[j]));
    text_printf(t, "/* %s%s */\n", c_comment(o->c.a, one_line(o, text_str(&head))), m->nupdate ? "; changes s" : "");
    for (uint32_t i = 0; i < p->dims.syms.n; i++)
        text_printf(t, "#define %s_MAX_%s %lld\n", m->macro, c_dim_in(&m->f, m->f.map[i]),
                    (long long)m->most[i]);
    text_printf(t, "#define %s_ARENA %lld /* bytes of arena */\n", m->macro,
                (long long)MAX(m->f.mem.top, 1));
    text_printf(t, "%s;\n\n", m->head);
}

static int64_t largest_arena(const Output *o)
{
    int64_t most = 1;

    for (uint32_t i = 0; i < o->nmethods; i++)
        most = MAX(most, o->method[i].f.mem.top);
    return most;
}

/* Of all exported files alike. */
static const char complex_types[] =
    "#ifndef WX_COMPLEX\n#define WX_COMPLEX /* complex numbers: c64, c128 */\n"
    "typedef struct wx_c64 { float re, im; } wx_c64;\n"
    "typedef struct wx_c128 { double re, im; } wx_c128;\n#endif\n\n";

static bool has_complex(const Output *o)
{
    bool any = false;

    for (uint32_t i = 0; i < o->members.n; i++)
        any = any || wf_dtype_is_complex(wf_array_dtype(o->members.v[i].array));
    for (uint32_t i = 0; i < o->nmethods; i++)
        any = any || program_has(o->method[i].source, dtype_is_complex);
    return any;
}

static bool put_header(Output *o, Text *loaders)
{
    const char *n = o->c.macro;
    Text t;

    text_init(&t, o->c.a);
    text_printf(
        &t,
        "/* %s.h -- made by weft export. C99; needs libm and nothing else.\n *\n"
        " * The functions allocate nothing and keep nothing: all they write is what they "
        "are\n"
        " * given. arena is memory of so many bytes as the macro beside each function "
        "says,\n"
        " * aligned for a double (better: to 64 bytes); its contents matter neither "
        "before nor\n"
        " * after a call. Arrays are row-major, bools bytes 0 or 1, f16 and bf16 their "
        "bits,\n"
        " * and overlap neither each other nor the arena. They give 0, or one of the "
        "numbers\n"
        " * below. Threads may call them at the same time with arenas (and states that "
        "are\n"
        " * changed) of their own.\n */\n"
        "#ifndef %s_H\n#define %s_H\n\n#include <stddef.h>\n#include <stdint.h>\n\n"
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n",
        o->c.name, n, n);
    text_printf(&t,
                "enum {\n    %s_SIZE = 1, /* a size is beyond its maximum, or sizes do "
                "not fit */\n"
                "    %s_INDEX = 2, /* an index was outside of its array */\n"
                "    %s_ASSERT = 3, /* an assertion of the program does not hold */\n"
                "    %s_FILE = 4 /* weights that are not those of the model */\n};\n\n",
                n, n, n, n);
    if (has_complex(o))
        text_add(&t, complex_types);
    add_state(o, &t);
    text_add(&t, text_str(loaders));
    text_printf(&t, "#define %s_ARENA %lld /* bytes, enough for all functions */\n\n", n,
                (long long)largest_arena(o));
    for (uint32_t i = 0; i < o->nmethods; i++)
        add_method(o, &o->method[i], &t);
    text_add(&t, "#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    return put_file(o, arena_printf(o->c.a, "%s.h", o->c.name), &t);
}

/* ---- the source ---------------------------------------------------------------------- */

static const char prelude[] =
    "#ifdef __FAST_MATH__\n"
    "#error \"-ffast-math reorders sums that must not be: see the Makefile for options that are as fast\"\n"
    "#endif\n"
    "/* Instruction sets of x86-64 are chosen when it runs; not with -D%s_PORTABLE. */\n"
    "#if defined(__GNUC__) && defined(__x86_64__) && !defined(%s_PORTABLE)\n"
    "#define WX_X86 1\n"
    "#endif\n"
    "#if defined(WX_X86) && defined(__GLIBC__) && !defined(__clang__) && __GNUC__ >= 12\n"
    "#define WX_HOT __attribute__((target_clones(\"arch=x86-64-v4\", \"arch=x86-64-v3\", "
    "\"default\")))\n"
    "#else\n"
    "#define WX_HOT\n"
    "#endif\n"
    "#if defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12)\n"
    "#define WX_SHUFFLES 1\n"
    "#endif\n"
    "/* No turn of the loop reads what another writes. SHORT: nor is it written out before it can be vectors. */\n"
    "#if defined(__clang__)\n"
    "#pragma clang diagnostic ignored \"-Wpass-failed\" /* not all of them pay */\n"
    "#define WX_VECTOR _Pragma(\"clang loop vectorize(assume_safety)\")\n"
    "#define WX_UNROLL _Pragma(\"unroll\")\n"
    "#elif defined(__GNUC__)\n"
    "#define WX_VECTOR _Pragma(\"GCC ivdep\")\n"
    "#define WX_VECTOR_SHORT _Pragma(\"GCC ivdep\") _Pragma(\"GCC unroll 1\")\n"
    "#define WX_UNROLL _Pragma(\"GCC unroll 16\")\n"
    "#else\n"
    "#define WX_VECTOR\n"
    "#define WX_UNROLL\n"
    "#endif\n"
    "#ifndef WX_VECTOR_SHORT\n"
    "#define WX_VECTOR_SHORT WX_VECTOR\n"
    "#endif\n\n";

static bool put_source(Output *o, Text *loaders)
{
    const char *n = o->c.macro;
    Text t;

    text_init(&t, o->c.a);
    text_printf(&t,
                "/* %s.c -- made by weft export; see %s.h. Above each function stands "
                "the program\n"
                " * it was made of; kernels are named after the values they compute. */\n"
                "#include \"%s.h\"\n\n%s#include <math.h>\n#include <string.h>\n\n",
                o->c.name, o->c.name, o->c.name,
                c_mentions(text_str(&o->c.routines), "_Complex") ? "#include <complex.h>\n#undef I\n" : "");
    text_printf(&t, prelude, n, n);
    text_add(&t, text_str(&o->c.routines));
    for (uint32_t i = 0; i < o->c.constants.n; i++)
        if (c_mentions(text_str(&o->c.functions), o->c.constants.v[i].name))
            text_add(&t, o->c.constants.v[i].text);
    text_add(&t, text_str(&o->c.functions));
    text_add(&t, text_str(loaders));
    return put_file(o, arena_printf(o->c.a, "%s.c", o->c.name), &t);
}

/* ---- the example --------------------------------------------------------------------- */

static int64_t rounded(int64_t n) { return (n + 63) / 64 * 64 + 64; }

static int64_t pool_bytes(Output *o)
{
    int64_t most = 64;

    for (uint32_t i = 0; i < o->nmethods; i++) {
        ExportMethod *m = &o->method[i];
        int64_t n = rounded(m->f.mem.top);

        for (uint32_t k = m->nstate; k < m->f.p->nin; k++)
            n += rounded(array_most(m, k + 1));
        for (uint32_t j = 0; j + m->nupdate < m->f.p->nout; j++)
            n += rounded(array_most(m, m->f.p->outs[j]));
        most = MAX(most, n);
    }
    return most;
}

/* Declares an array of the method in the pool. */
static void add_array(ExportMethod *m, Val v, const char *name, int64_t *off, Text *t)
{
    const char *type = c_type(dtype_of(&m->f, v));

    text_printf(t, "    %s *%s = (%s *)(void *)(pool.bytes + %lld);\n", type, name, type,
                (long long)*off);
    *off += rounded(array_most(m, v));
}

static const char *count_text(ExportMethod *m, Val v)
{
    return arena_printf(m->f.a, "(size_t)(%s)", c_dim_in(&m->f, c_count_of(&m->f, v)));
}

static void add_run(Output *o, ExportMethod *m, Text *t)
{
    const Program *p = m->f.p;
    int64_t off = rounded(m->f.mem.top);
    Func *f = &m->f;

    text_printf(t, "static int run_%s(FILE *from, FILE *to)\n{\n", m->name);
    for (uint32_t i = 0; i < p->dims.syms.n; i++)
        text_printf(t, "    const ptrdiff_t %s = size_of(%s, %s_MAX_%s);\n",
                    c_dim_in(f, f->map[i]), c_string(o->c.a, p->dims.syms.v[i].name), m->macro,
                    c_dim_in(f, f->map[i]));
    for (uint32_t i = m->nstate; i < p->nin; i++)
        add_array(m, i + 1, f->in[i], &off, t);
    for (uint32_t j = 0; j + m->nupdate < p->nout; j++)
        add_array(m, p->outs[j], f->out[j], &off, t);
    text_add(t, "    int rc;\n\n");
    for (uint32_t i = 0; i < p->dims.syms.n; i++)
        text_printf(t, "    if (%s < 0 || %s > %s_MAX_%s)\n        return %s_SIZE;\n",
                    c_dim_in(f, f->map[i]), c_dim_in(f, f->map[i]), m->macro,
                    c_dim_in(f, f->map[i]), o->c.macro);
    for (uint32_t i = m->nstate; i < p->nin; i++)
        text_printf(t, "    read_array(from, %s, %s * sizeof *%s);\n", f->in[i],
                    count_text(m, i + 1), f->in[i]);
    if (p->nin == m->nstate)
        text_add(t, "    (void)from;\n");
    text_printf(t, "    rc = %s_%s(", o->c.name, m->name);
    if (m->nstate + m->nupdate)
        text_add(t, "&state, ");
    for (uint32_t i = 0; i < p->dims.syms.n; i++)
        text_printf(t, "%s, ", c_dim_in(f, f->map[i]));
    for (uint32_t i = m->nstate; i < p->nin; i++)
        text_printf(t, "%s, ", f->in[i]);
    for (uint32_t j = 0; j + m->nupdate < p->nout; j++)
        text_printf(t, "%s, ", f->out[j]);
    text_add(t, "pool.bytes);\n");
    for (uint32_t j = 0; j + m->nupdate < p->nout; j++)
        text_printf(t, "    write_array(to, %s, %s * sizeof *%s);\n", f->out[j],
                    count_text(m, p->outs[j]), f->out[j]);
    if (p->nout == m->nupdate)
        text_add(t, "    (void)to;\n");
    text_add(t, "    return rc;\n}\n\n");
}

static const char helpers[] =
    "static int nargs;\nstatic char **args;\n\n"
    "static void read_array(FILE *from, void *p, size_t bytes)\n{\n"
    "    size_t n = from ? fread(p, 1, bytes, from) : 0;\n\n"
    "    memset((unsigned char *)p + n, 0, bytes - n);\n}\n\n"
    "static void write_array(FILE *to, const void *p, size_t bytes)\n{\n"
    "    if (fwrite(p, 1, bytes, to) != bytes)\n"
    "        exit(1);\n}\n\n";
static const char size_helper[] =
    "/* N=8 among the arguments; the largest if there is none. */\n"
    "static ptrdiff_t size_of(const char *symbol, ptrdiff_t most)\n{\n"
    "    size_t n = strlen(symbol);\n\n"
    "    for (int i = 2; i < nargs; i++)\n"
    "        if (!strncmp(args[i], symbol, n) && args[i][n] == '=')\n"
    "            return (ptrdiff_t)strtol(args[i] + n + 1, NULL, 10);\n"
    "    return most;\n}\n\n";

static void add_weights(Output *o, Text *t)
{
    const char *n = o->c.name;

    if (!o->members.n)
        return;
    if (o->weights == WF_EXPORT_IN_FILE) {
        text_printf(t, "    state = %s_weights;\n", n);
        return;
    }
    text_printf(
        t,
        "    {\n        FILE *file = fopen(getenv(\"WEIGHTS\") ? getenv(\"WEIGHTS\") : "
        "\"%s.%s\", \"rb\");\n"
        "        static unsigned char bytes[sizeof state + 1048576];\n"
        "        size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;\n\n"
        "        if (!file || fclose(file) || %s_load(&state, bytes, size)) {\n"
        "            fputs(\"no weights\\n\", stderr);\n            return 1;\n        "
        "}\n"
        "    }\n",
        n, o->weights == WF_EXPORT_BLOB ? "bin" : "safetensors", n);
}

static bool put_example(Output *o)
{
    static const struct {
        const char *name, *is;
    } sums[] = {{"wx_floor_div", "a / b - (a % b < 0)"},
                {"wx_least", "a < b ? a : b"},
                {"wx_most", "a > b ? a : b"}};
    bool sizes = false;
    Text t, runs;

    text_init(&t, o->c.a);
    for (uint32_t i = 0; i < o->nmethods; i++)
        sizes = sizes || o->method[i].f.p->dims.syms.n;
    text_printf(
        &t,
        "/* %s_main.c -- an example: %s_main METHOD [IN|- [OUT]] [N=8 ..] [REPEAT=3] "
        "reads the\n"
        " * method's arrays one after the other from IN (nothing: zeros) and writes its\n"
        " * results to OUT, or to standard output. */\n"
        "#include \"%s.h\"\n\n#include <stdio.h>\n#include <stdlib.h>\n#include "
        "<string.h>\n\n"
        "static union {\n    double align;\n    unsigned char bytes[%lld];\n} pool;\n",
        o->c.name, o->c.name, o->c.name, (long long)pool_bytes(o));
    if (o->members.n)
        text_printf(&t, "static %s_state state;\n", o->c.name);
    text_add(&t, helpers);
    if (sizes)
        text_add(&t, size_helper);
    text_init(&runs, o->c.a);
    for (uint32_t i = 0; i < o->nmethods; i++)
        add_run(o, &o->method[i], &runs);
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        if (strstr(text_str(&runs), sums[i].name))
            text_printf(
                &t, "static ptrdiff_t %s(ptrdiff_t a, ptrdiff_t b) { return %s; }\n\n",
                sums[i].name, sums[i].is);
    text_add(&t, text_str(&runs));
    text_add(
        &t,
        "int main(int argc, char **argv)\n{\n    FILE *from = NULL, *to = stdout;\n"
        "    long repeat = 1;\n    int rc = 0;\n\n    nargs = argc;\n    args = argv;\n");
    add_weights(o, &t);
    text_add(
        &t,
        "    if (argc < 2)\n        return 2;\n"
        "    for (int i = 2; i < argc; i++)\n"
        "        if (!strncmp(args[i], \"REPEAT=\", 7))\n"
        "            repeat = strtol(args[i] + 7, NULL, 10);\n"
        "    if (argc > 2 && !strchr(argv[2], '=') && strcmp(argv[2], \"-\") &&\n"
        "        !(from = fopen(argv[2], \"rb\")))\n        return 2;\n"
        "    if (argc > 3 && !strchr(argv[3], '=') && !(to = fopen(argv[3], \"wb\")))\n"
        "        return 2;\n"
        "    while (repeat-- > 0 && !rc) {\n"
        "        if (from)\n            rewind(from);\n"
        "        if (to != stdout)\n            rewind(to);\n"
        "        rc = -1;\n");
    for (uint32_t i = 0; i < o->nmethods; i++)
        text_printf(
            &t,
            "        if (!strcmp(argv[1], \"%s\"))\n            rc = run_%s(from, to);\n",
            o->method[i].name, o->method[i].name);
    text_add(&t,
             "    }\n    if (from)\n        fclose(from);\n    if (fclose(to))\n        "
             "rc = 1;\n"
             "    if (rc)\n        fprintf(stderr, \"%s gives %d\\n\", argv[1], rc);\n"
             "    return rc != 0;\n}\n");
    return put_file(o, arena_printf(o->c.a, "%s_main.c", o->c.name), &t);
}

/* ---- weights ------------------------------------------------------------------------- */

static bool put_weights_c(Output *o)
{
    Text t;

    text_init(&t, o->c.a);
    text_printf(&t,
                "/* %s_weights.c -- the numbers of the model, made by weft export. */\n"
                "#include \"%s.h\"\n\nconst %s_state %s_weights = {\n",
                o->c.name, o->c.name, o->c.name, o->c.name);
    for (uint32_t i = 0; i < o->members.n; i++) {
        const ModelMember *m = &o->members.v[i];
        wf_dtype d = wf_array_dtype(m->array);
        const char *data = m->data;
        int64_t n = m->count;

        text_add(&t, "    {");
        for (int64_t k = 0; k < n; k++) {
            ArenaMark mark = arena_mark(&o->c.cx->scratch);

            text_add(&t, k ? k % 8 ? ", " : ",\n     " : "");
            text_add(&t, c_stored_literal(&o->c.cx->scratch, d,
                                          data + k * (int64_t)wf_dtype_size(d)));
            arena_reset(&o->c.cx->scratch, mark);
        }
        text_printf(&t, "%s}%s\n", n ? "" : "0", i + 1 < o->members.n ? "," : "");
    }
    text_add(&t, "};\n");
    return put_file(o, arena_printf(o->c.a, "%s_weights.c", o->c.name), &t);
}

static bool put_blob(Output *o)
{
    Text t;

    text_init(&t, o->c.a);
    for (uint32_t i = 0; i < o->members.n; i++) {
        const ModelMember *m = &o->members.v[i];

        text_addn(&t, m->data, (size_t)m->count * wf_dtype_size(wf_array_dtype(m->array)));
    }
    return put_file(o, arena_printf(o->c.a, "%s.bin", o->c.name), &t);
}

/* ---- the Makefile -------------------------------------------------------------------- */

static bool put_makefile(Output *o)
{
    const char *n = o->c.name, *more = o->members.n && o->weights == WF_EXPORT_IN_FILE
                                           ? arena_printf(o->c.a, " %s_weights.o", n)
                                           : "";
    Text t;

    text_init(&t, o->c.a);
    text_printf(&t,
                "# Makefile -- made by weft export: %s.o and an example of its use.\n"
                "CC ?= cc\n"
                "CFLAGS ?= -O3 -ffp-contract=fast -fno-math-errno -fno-trapping-math\n"
                "WARN := -std=c99 -Wall -Wextra -Wpedantic -Wconversion\n\n"
                "%s_main: %s_main.o %s.o%s\n\t$(CC) $(LDFLAGS) -o $@ $^ -lm\n\n"
                "%%.o: %%.c %s.h\n\t$(CC) $(WARN) $(CFLAGS) -c $< -o $@\n\n"
                "clean:\n\trm -f %s_main *.o\n.PHONY: clean\n",
                n, n, n, n, more, n, n);
    return put_file(o, "Makefile", &t);
}

bool output_write(Output *o)
{
    Text source, header;

    text_init(&source, o->c.a);
    text_init(&header, o->c.a);
    if (o->members.n)
        write_loaders(o, &source, &header);
    if (mkdir(o->dir, 0777) != 0 && errno != EEXIST)
        return fail(o->c.cx, WF_ERR_IO, NOWHERE, "cannot make the folder %s: %s", o->dir,
                    strerror(errno));
    if (o->members.n && o->weights == WF_EXPORT_IN_FILE && !put_weights_c(o))
        return false;
    if (o->members.n && o->weights == WF_EXPORT_BLOB && !put_blob(o))
        return false;
    return put_header(o, &header) && put_source(o, &source) && put_example(o) &&
           put_makefile(o);
}
