/* public.c -- the functions of weft.h that ask programs and the op table. */
#include "ir/ir.h"

#include <stdio.h>
#include <string.h>

#define SHORT_CONST 16 /* elements of a constant that WF_TEXT_SHORT leaves */

static wf_status bad_arg(wf_ctx *cx, const char *what)
{
    if (!cx)
        return WF_ERR_ARG;
    fail(cx, WF_ERR_ARG, NOWHERE, "%s", what);
    return ctx_status(cx);
}

/* ---- programs ---------------------------------------------------------------------- */

const wf_program *wf_program_retain(const wf_program *p) { return program_retain(p); }

void wf_program_release(const wf_program *p) { program_release(p); }

const char *wf_program_name(const wf_program *p) { return p ? p->name : ""; }

int wf_program_inputs(const wf_program *p) { return p ? (int)p->nin : 0; }

int wf_program_outputs(const wf_program *p) { return p ? (int)p->nout : 0; }

int wf_program_equations(const wf_program *p) { return p ? (int)p->neqns : 0; }

static bool is_input(const wf_program *p, int i)
{
    return p && i >= 0 && (uint32_t)i < p->nin;
}

const char *wf_program_input_name(const wf_program *p, int i)
{
    uint32_t name = is_input(p, i) ? p->vals[i + 1].name : 0;

    return name ? p->names[name] : "";
}

wf_dtype wf_program_input_dtype(const wf_program *p, int i)
{
    return is_input(p, i) ? (wf_dtype)val_type(p, (Val)i + 1).dtype : WF_INVALID;
}

static wf_status give_type(wf_ctx *cx, const wf_program *p, Type type, const char **out)
{
    Text t;

    API_ENTER(cx);
    answer_init(&t, cx);
    type_print(&p->dims, type, &t);
    *out = text_str(&t);
    API_RETURN(cx);
}

wf_status wf_program_input_type(wf_ctx *cx, const wf_program *p, int i,
                                const char **out_text)
{
    if (out_text)
        *out_text = NULL;
    if (!cx || !p || !out_text)
        return bad_arg(cx, "wf_program_input_type: an argument is NULL");
    if (!is_input(p, i))
        return bad_arg(cx, "wf_program_input_type: there is no such input");
    return give_type(cx, p, val_type(p, program_in(p, (uint32_t)i)), out_text);
}

/* name and role are the caller's to change */
static wf_status give_info(wf_ctx *cx, const wf_program *p, Type type, const char *name,
                           wf_role role, wf_value_info *out)
{
    wf_value_info info = {.size = out->size,
                          .role = role,
                          .name = name,
                          .dtype = (wf_dtype)type.dtype,
                          .rank = (int)type.rank};

    API_ENTER(cx);
    arena_clear(&cx->answer);
    for (uint32_t k = 0; k < WF_MAX_RANK; k++) {
        info.sizes[k] = k < type.rank ? dim_str(&p->dims, type.dims[k], &cx->answer) : "";
        info.dims[k] = k >= type.rank ? 0 : type.dims[k] < 0 ? -1 : type.dims[k];
    }
    memcpy(out, &info, MIN(out->size, sizeof info));
    API_RETURN(cx);
}

static bool info_fits(const wf_value_info *out)
{
    return out && out->size >= sizeof out->size;
}

wf_status wf_program_input_info(wf_ctx *cx, const wf_program *p, int i,
                                wf_value_info *out_info)
{
    if (!NEEDS(cx, p && info_fits(out_info)))
        return ctx_status(cx);
    if (!is_input(p, i)) {
        fail(cx, WF_ERR_INDEX, NOWHERE,
             "wf_program_input_info: input %d, but '%s' has %u", i, p->name, p->nin);
        return ctx_status(cx);
    }
    return give_info(cx, p, val_type(p, program_in(p, (uint32_t)i)),
                     wf_program_input_name(p, i), WF_ROLE_INPUT, out_info);
}

wf_status wf_program_output_info(wf_ctx *cx, const wf_program *p, int i,
                                 wf_value_info *out_info)
{
    if (!NEEDS(cx, p && info_fits(out_info)))
        return ctx_status(cx);
    if (i < 0 || (uint32_t)i >= p->nout) {
        fail(cx, WF_ERR_INDEX, NOWHERE,
             "wf_program_output_info: result %d, but '%s' has %u", i, p->name, p->nout);
        return ctx_status(cx);
    }
    return give_info(cx, p, val_type(p, p->outs[i]), "", WF_ROLE_RESULT, out_info);
}

int wf_program_find_input(const wf_program *p, const char *name)
{
    for (int i = 0; p && name && *name && (uint32_t)i < p->nin; i++)
        if (strcmp(wf_program_input_name(p, i), name) == 0)
            return i;
    return -1;
}

wf_status wf_program_output_type(wf_ctx *cx, const wf_program *p, int i,
                                 const char **out_text)
{
    if (out_text)
        *out_text = NULL;
    if (!cx || !p || !out_text)
        return bad_arg(cx, "wf_program_output_type: an argument is NULL");
    if (i < 0 || (uint32_t)i >= p->nout)
        return bad_arg(cx, "wf_program_output_type: there is no such output");
    return give_type(cx, p, val_type(p, p->outs[i]), out_text);
}

void wf_program_hash(const wf_program *p, char *out, size_t room)
{
    Hash h = p ? p->hash : (Hash){0};

    if (out && room)
        snprintf(out, room, "%016llx%016llx", (unsigned long long)h.hi,
                 (unsigned long long)h.lo);
}

bool wf_program_equal(const wf_program *a, const wf_program *b)
{
    return a && b ? program_equal(a, b) : a == b;
}

wf_status wf_program_verify(wf_ctx *cx, const wf_program *p)
{
    if (!cx || !p)
        return bad_arg(cx, "wf_program_verify: an argument is NULL");
    API_ENTER(cx);
    program_verify(cx, p);
    API_RETURN(cx);
}

wf_status wf_program_text(wf_ctx *cx, const wf_program *p, unsigned flags,
                          const char **out_text)
{
    PrintOptions o = {.places = (flags & WF_TEXT_PLACES) != 0,
                      .types = (flags & WF_TEXT_TYPES) != 0,
                      .header = (flags & WF_TEXT_HEADER) != 0,
                      .max_const = flags & WF_TEXT_SHORT ? SHORT_CONST : 0};
    Text t;

    if (out_text)
        *out_text = NULL;
    if (!cx || !p || !out_text)
        return bad_arg(cx, "wf_program_text: an argument is NULL");
    API_ENTER(cx);
    answer_init(&t, cx);
    program_print(p, &o, &t);
    *out_text = text_str(&t);
    API_RETURN(cx);
}

wf_status wf_program_dot(wf_ctx *cx, const wf_program *p, const char **out_text)
{
    Text t;

    if (out_text)
        *out_text = NULL;
    if (!cx || !p || !out_text)
        return bad_arg(cx, "wf_program_dot: an argument is NULL");
    API_ENTER(cx);
    answer_init(&t, cx);
    program_dot(p, &t);
    *out_text = text_str(&t);
    API_RETURN(cx);
}

wf_status wf_program_json(wf_ctx *cx, const wf_program *p, const char **out_text)
{
    Text t;

    if (out_text)
        *out_text = NULL;
    if (!cx || !p || !out_text)
        return bad_arg(cx, "wf_program_json: an argument is NULL");
    API_ENTER(cx);
    answer_init(&t, cx);
    program_json(cx, p, &t);
    *out_text = text_str(&t);
    API_RETURN(cx);
}

/* ---- the op table ------------------------------------------------------------------ */

/* As they stand in ops.def: "P | C | L". */
static const char *const flag_texts[OP_COUNT] = {
#define OP(name, ver, nin, nout, family, flags) #flags,
#define MAP1(name, ver, flags) #flags,
#define MAP2(name, ver, flags) #flags,
#include "op/ops.def"
#undef OP
};

int wf_op_count(void) { return OP_COUNT; }

wf_status wf_op_get(int i, wf_op_info *out_info)
{
    const OpInfo *op;
    const OpRules *rules;
    wf_op_info info;

    if (!out_info || out_info->size < sizeof out_info->size)
        return WF_ERR_ARG;
    if (i < 0 || i >= OP_COUNT)
        return WF_ERR_INDEX;
    op = &op_table[i];
    rules = op_rules((unsigned)i);
    info = (wf_op_info){
        .size = out_info->size,
        .name = op->name,
        .family = op->family,
        .doc = rules->doc,
        .version = op->version,
        .inputs = op->nin,
        .outputs = op->nout,
        .flags = flag_texts[i],
        .has_eval = op->row->eval || rules->eval,
        .has_jvp = rules->jvp != NULL,
        .has_transpose = rules->transpose != NULL,
        .has_batch = rules->batch != NULL,
        .why_no_jvp = rules->jvp              ? ""
                      : op->flags & OPF_ZERO   ? "Z: its derivative is zero"
                      : op->flags & OPF_EFFECT ? "E: it is an effect"
                                               : "",
    };
    memcpy(out_info, &info, MIN(out_info->size, sizeof info));
    return WF_OK;
}

const char *wf_version(void) { return WF_VERSION; }
int wf_abi_version(void) { return WF_ABI_VERSION; }

/* ---- the build --------------------------------------------------------------------- */

#ifdef WEFT_NO_AVX2
#define WITH_AVX2 ""
#else
#define WITH_AVX2 " avx2"
#endif
#ifdef WEFT_NO_AVX512
#define WITH_AVX512 ""
#else
#define WITH_AVX512 " avx512"
#endif
#ifdef WEFT_NO_ONNX
#define WITH_ONNX ""
#else
#define WITH_ONNX " onnx"
#endif
#ifdef WEFT_NO_CUDA
#define WITH_CUDA ""
#else
#define WITH_CUDA " cuda"
#endif
#define INFO(isa)                                                                        \
    "weft " WF_VERSION "\ninstruction set: " isa                                         \
    "\noptional features:" WITH_AVX2 WITH_AVX512 WITH_ONNX WITH_CUDA "\n"

const char *wf_build_info(void)
{
    switch (cpu_isa()) {
    case ISA_AVX512: return INFO("avx512");
    case ISA_AVX2: return INFO("avx2");
    default: return INFO("base");
    }
}
