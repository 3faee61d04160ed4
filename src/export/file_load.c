/* file_load.c -- C that reads weights from memory: as they lie one after the other, or
 * from a safetensors file, which a .weft file is too. */
#include "export/export.h"

static int64_t bytes_of(const ModelMember *m)
{
    return m->count * (int64_t)wf_dtype_size(wf_array_dtype(m->array));
}

static void write_blob(Output *o, Text *t, Text *h)
{
    const char *n = o->c.name;
    int64_t all = 0;

    for (uint32_t i = 0; i < o->members.n; i++)
        all += bytes_of(&o->members.v[i]);
    text_printf(h,
                "/* %s.bin holds the members one after the other, as this machine has "
                "them. load:\n"
                " * from there to s; save: the other way, %s_BYTES of them. */\n"
                "#define %s_BYTES %lld\n"
                "int %s_load(%s_state *s, const void *bytes, size_t n);\n"
                "void %s_save(const %s_state *s, void *bytes);\n\n",
                n, o->c.macro, o->c.macro, (long long)all, n, n, n, n);
    text_printf(t,
                "int %s_load(%s_state *s, const void *bytes, size_t n)\n{\n"
                "    const unsigned char *from = bytes;\n\n"
                "    if (n != %s_BYTES)\n        return %s_FILE;\n",
                n, n, o->c.macro, o->c.macro);
    for (uint32_t i = 0; i < o->members.n; i++) {
        if (i)
            text_printf(t, "    from += %lld;\n",
                        (long long)bytes_of(&o->members.v[i - 1]));
        text_printf(t, "    memcpy(s->%s, from, %lld);\n", o->members.v[i].name,
                    (long long)bytes_of(&o->members.v[i]));
    }
    text_printf(t,
                "    return 0;\n}\n\nvoid %s_save(const %s_state *s, void *bytes)\n{\n"
                "    unsigned char *to = bytes;\n\n",
                n, n);
    for (uint32_t i = 0; i < o->members.n; i++) {
        if (i)
            text_printf(t, "    to += %lld;\n",
                        (long long)bytes_of(&o->members.v[i - 1]));
        text_printf(t, "    memcpy(to, s->%s, %lld);\n", o->members.v[i].name,
                    (long long)bytes_of(&o->members.v[i]));
    }
    text_add(t, "}\n\n");
}

/* The header of such a file is a list of lines like
 *   "fc.weight":{"dtype":"F32","shape":[10,64],"data_offsets":[0,2560]}
 * of which the name, the dtype and the offsets are looked for. */
static const char parser[] =
    "/* The place of \"key\" and a colon in the text, behind them; 0: it is not there. "
    "*/\n"
    "static const char *find_key(const char *s, const char *end, const char *key)\n{\n"
    "    const size_t n = strlen(key);\n\n"
    "    for (; (size_t)(end - s) > n + 2; s++)\n"
    "        if (s[0] == '\"' && !memcmp(s + 1, key, n) && s[n + 1] == '\"' && s[n + 2] "
    "== ':')\n"
    "            return s + n + 3;\n"
    "    return 0;\n}\n\n"
    "static size_t read_number(const char **s, const char *end)\n{\n"
    "    size_t n = 0;\n\n"
    "    while (*s < end && (**s < '0' || **s > '9') && **s != '}')\n        ++*s;\n"
    "    for (; *s < end && **s >= '0' && **s <= '9'; ++*s)\n"
    "        n = n * 10 + (size_t)(**s - '0');\n"
    "    return n;\n}\n\n"
    "static int load_tensor(const unsigned char *file, size_t size, size_t head, const "
    "char *name,\n"
    "                       const char *dtype, void *to, size_t bytes)\n{\n"
    "    const char *const end = (const char *)file + 8 + head;\n"
    "    const char *at = find_key((const char *)file + 8, end, name), *stop, *type, "
    "*offsets;\n"
    "    size_t from, until;\n\n"
    "    if (!at)\n        return 1;\n"
    "    for (stop = at; stop < end && *stop != '}'; stop++)\n        ;\n"
    "    type = find_key(at, stop, \"dtype\");\n"
    "    offsets = find_key(at, stop, \"data_offsets\");\n"
    "    if (!type || !offsets || (size_t)(stop - type) < strlen(dtype) + 2 ||\n"
    "        memcmp(type + 1, dtype, strlen(dtype)) || type[strlen(dtype) + 1] != '\"')\n"
    "        return 1;\n"
    "    from = read_number(&offsets, stop);\n"
    "    until = read_number(&offsets, stop);\n"
    "    if (until < from || until - from != bytes || until > size - 8 - head)\n"
    "        return 1;\n"
    "    memcpy(to, file + 8 + head + from, bytes);\n"
    "    return 0;\n}\n\n";

static const char *safetensors_dtype(wf_dtype t)
{
    static const char *const names[] = {
        [WF_BOOL] = "BOOL", [WF_I8] = "I8",   [WF_I16] = "I16",   [WF_I32] = "I32",
        [WF_I64] = "I64",   [WF_U8] = "U8",   [WF_U16] = "U16",   [WF_U32] = "U32",
        [WF_U64] = "U64",   [WF_F16] = "F16", [WF_BF16] = "BF16", [WF_F32] = "F32",
        [WF_F64] = "F64",   [WF_C64] = "C64", [WF_C128] = "C128"};

    return names[t];
}

static void write_safetensors(Output *o, Text *t, Text *h)
{
    const char *n = o->c.name;

    text_printf(
        h,
        "/* From the bytes of a .safetensors or .weft file; %s_FILE: a tensor is not "
        "there,\n"
        " * or of another type. The file is little-endian, as this machine must be. */\n"
        "int %s_load(%s_state *s, const void *bytes, size_t n);\n\n",
        o->c.macro, n, n);
    text_add(t, parser);
    text_printf(t,
                "int %s_load(%s_state *s, const void *bytes, size_t n)\n{\n"
                "    const unsigned char *const file = bytes;\n"
                "    size_t head = 0;\n    int wrong = 0;\n\n"
                "    if (n < 8)\n        return %s_FILE;\n"
                "    for (int i = 3; i >= 0; i--)\n        head = head << 8 | file[i];\n"
                "    if (head > n - 8)\n        return %s_FILE;\n",
                n, n, o->c.macro, o->c.macro);
    for (uint32_t i = 0; i < o->members.n; i++) {
        const ModelMember *m = &o->members.v[i];

        text_printf(t,
                    "    wrong |= load_tensor(file, n, head, %s, \"%s\", s->%s, %lld);\n",
                    c_string(o->c.a, m->tensor), safetensors_dtype(wf_array_dtype(m->array)),
                    m->name, (long long)bytes_of(m));
    }
    text_printf(t, "    return wrong ? %s_FILE : 0;\n}\n\n", o->c.macro);
}

void write_loaders(Output *o, Text *source, Text *header)
{
    if (o->weights == WF_EXPORT_IN_FILE)
        text_printf(header, "extern const %s_state %s_weights; /* in %s_weights.c */\n\n",
                    o->c.name, o->c.name, o->c.name);
    else if (o->weights == WF_EXPORT_BLOB)
        write_blob(o, source, header);
    else
        write_safetensors(o, source, header);
}
