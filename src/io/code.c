/* code.c -- what a model asks of its host: kernels that programs call by name, and leave to run its machine code. */
#include "io/io.h"

#include "codegen/codegen.h"
#include "op/op.h"
#include "runtime/compiler.h"
#include "compile/compile.h"

/* ---- kernels ----------------------------------------------------------------------- */

static const char *missing_in(wf_runtime *r, const Program *p)
{
    const char *name = NULL;

    for (uint32_t i = 0; i < p->neqns && !name; i++)
        if ((p->eqns[i].op == OP_host || p->eqns[i].op == OP_callback) && !runtime_find_kernel(r, ((const HostAttr *)p->eqns[i].attr)->kernel))
            name = ((const HostAttr *)p->eqns[i].attr)->kernel;
    for (uint32_t i = 0; i < p->nsubs && !name; i++)
        name = missing_in(r, p->subs[i]);
    return name;
}

bool model_has_kernels(wf_ctx *cx, const char *file, const wf_model *m)
{
    wf_runtime *r = ctx_runtime(cx);
    const char *name = NULL;
    uint32_t i = 0;

    for (; r && i < m->programs.n && !(name = missing_in(r, m->programs.v[i].item)); i++)
        ;
    return r ? !name || fail(cx, WF_ERR_NAME, in_file(file),
                             *name == CALLBACK_MARK
                                 ? "program '%s' calls a function of the script that made it"
                                 : "program '%s' calls the kernel '%s', which is not registered (wf_kernel_register)",
                             m->programs.v[i].name, name)
             : fail_memory(cx);
}

/* ---- machine code ------------------------------------------------------------------- */

void model_use_code(wf_ctx *cx, const char *file, const wf_model *m)
{
    const char *mine = isa_name(cpu_isa()), *why;
    size_t n = strlen(mine);
    uint32_t taken = 0;

    if (m->codes.n && !cx->options.file_code)
        ctx_log(cx, WF_LOG_DEBUG, "%s: it has machine code, which the options do not allow to be used", file);
    for (uint32_t i = 0; cx->options.file_code && i < m->codes.n; i++) {
        const wf_array *a = m->codes.v[i].item;

        if (strncmp(m->codes.v[i].name, mine, n) != 0 || m->codes.v[i].name[n] != '.')
            continue; /* for another machine */
        why = wf_array_dtype(a) != WF_U8 || wf_array_rank(a) != 1
                  ? "it is not bytes"
                  : codefile_take(cx, wf_array_data(a), (size_t)wf_array_count(a));
        if (why)
            ctx_log(cx, WF_LOG_WARN, "%s: the machine code %s is not used: %s", file, m->codes.v[i].name, why);
        taken += !why;
    }
    if (cx->options.file_code && m->codes.n && !taken)
        ctx_log(cx, WF_LOG_WARN, "%s: none of its machine code is for this machine (%s)", file, mine);
}

typedef struct Adder {
    wf_ctx *cx;
    wf_model *m;
    const char *isa;
} Adder;

/* The name has a hash of the bytes, so that units of equal text are there once. */
static bool add_code(void *user, const char *bytes, size_t size)
{
    const Adder *to = user;
    int64_t n = (int64_t)size;
    wf_array *a;
    Hasher h;
    Hash id;

    if (wf_array_from(to->cx, WF_U8, &n, 1, bytes, &a) != WF_OK)
        return false;
    hash_init(&h, 6);
    hash_bytes(&h, bytes, size);
    id = hash_done(&h);
    model_set_code(to->cx, to->m,
                   arena_printf(&to->cx->scratch, "%s.%016llx%016llx", to->isa, (unsigned long long)id.hi,
                                (unsigned long long)id.lo),
                   array_held(to->cx, a));
    return true;
}

static const Target *target_of(const char *isa)
{
    for (int k = 0; k < ISA_COUNT; k++)
        if (strcmp(isa_name((Isa)k), isa) == 0)
            return target_isa((Isa)k);
    return NULL;
}

wf_status wf_model_add_code(wf_ctx *cx, wf_model *m, const wf_program *p, const char *isa)
{
    if (!NEEDS(cx, m && p && isa))
        return ctx_status(cx);
    API_ENTER(cx);
    if (!target_of(isa))
        fail(cx, WF_ERR_NAME, NOWHERE, "no instruction set is called '%s'; there are 'base', 'avx2' and 'avx512'", isa);
    else
        compile_for_file(cx, target_of(isa), p, add_code, &(Adder){cx, m, isa});
    API_RETURN(cx);
}

static const Named *code_at(const wf_model *m, int i)
{
    return m && i >= 0 && (uint32_t)i < m->codes.n ? &m->codes.v[i] : NULL;
}

int wf_model_codes(const wf_model *m) { return m ? (int)m->codes.n : 0; }

const char *wf_model_code_isa(const wf_model *m, int i)
{
    const Named *e = code_at(m, i);

    for (int k = 0; e && k < ISA_COUNT; k++)
        if (strncmp(e->name, isa_name((Isa)k), strlen(isa_name((Isa)k))) == 0)
            return isa_name((Isa)k);
    return "";
}

size_t wf_model_code_bytes(const wf_model *m, int i)
{
    const Named *e = code_at(m, i);

    return e ? (size_t)wf_array_count(e->item) * wf_dtype_size(wf_array_dtype(e->item)) : 0;
}

/* ---- a build without ONNX and TensorFlow ----------------------------------------------------------- */

#ifdef WEFT_NO_ONNX
static bool is_none(const char *data, size_t size)
{
    (void)data, (void)size;
    return false;
}

static bool refuse_read(wf_ctx *cx, const char *file, Blob *blob, const wf_import_options *given, wf_model *m)
{
    (void)blob, (void)given, (void)m;
    return fail(cx, WF_ERR_UNSUPPORTED, in_file(file), "files of ONNX and TensorFlow, and TorchScript written, are not in this build (FEATURES)");
}

static bool refuse_write(wf_ctx *cx, wf_model *m, const char *path)
{
    return refuse_read(cx, path, NULL, NULL, m);
}

const Format onnx_format = {"ONNX", ".onnx", is_none, refuse_read, refuse_write};
const Format tensorflow_format = {"TensorFlow", ".pb", is_none, refuse_read, refuse_write};
const Format ts_format = {"TorchScript", ".ts .torchscript", is_none, refuse_read, refuse_write};
#endif
