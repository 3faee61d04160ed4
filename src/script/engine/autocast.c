/* autocast.c -- torch.autocast: natives whose tensors are cast on the way in.
 *
 * Two lists of natives, for tensors of the host and of a GPU, as PyTorch has them: those that gain from a
 * lower precision get it, those that lose digits in one get f32. f64 and integers stay. The casts are
 * recorded like others, so gradients come back in the dtype of what was cast.
 */
#include "script/engine/engine.h"

enum { STAY, LOW, FULL };

typedef struct CastRow {
    const char *native;
    uint8_t host, gpu;
} CastRow;

static const CastRow rows[] = {
    {"matmul", LOW, LOW},        {"linear", LOW, LOW},
    {"conv", LOW, LOW},          {"conv_transpose", LOW, LOW},
    {"einsum", LOW, LOW},        {"tensordot", LOW, LOW},
    {"attention", LOW, LOW},     {"mse_loss", FULL, FULL},
    {"l1_loss", FULL, FULL},     {"smooth_l1_loss", FULL, FULL},
    {"bce_loss", FULL, FULL},    {"bce_with_logits", FULL, FULL},
    {"kl_div", FULL, FULL},      {"cross_entropy", FULL, FULL},
    {"nll_loss", FULL, FULL},    {"prod", FULL, FULL},
    {"fft", FULL, STAY},         {"solve_triangular", FULL, STAY},
    {"outer", STAY, LOW},        {"acos", STAY, FULL},
    {"asin", STAY, FULL},        {"cosh", STAY, FULL},
    {"sinh", STAY, FULL},        {"tan", STAY, FULL},
    {"erfinv", STAY, FULL},      {"exp", STAY, FULL},
    {"expm1", STAY, FULL},       {"log", STAY, FULL},
    {"log10", STAY, FULL},       {"log2", STAY, FULL},
    {"log1p", STAY, FULL},       {"reciprocal", STAY, FULL},
    {"rsqrt", STAY, FULL},       {"pow", STAY, FULL},
    {"softplus", STAY, FULL},    {"layer_norm", STAY, FULL},
    {"group_norm", STAY, FULL},  {"norm", STAY, FULL},
    {"logsumexp", STAY, FULL},   {"softmax", STAY, FULL},
    {"log_softmax", STAY, FULL}, {"cumsum", STAY, FULL},
    {"cumprod", STAY, FULL},     {"sum", STAY, FULL},
};

const CastRow *autocast_row(const char *native)
{
    for (int i = 0; native && i < COUNT(rows); i++)
        if (!strcmp(rows[i].native, native))
            return &rows[i];
    return NULL;
}

/* Symbolic tensors are of the device whose lists are on; the host's, if both are. */
wf_tensor autocast_tensor(En *e, wf_tensor x)
{
    const Autocast *cast = e->f->autocast;
    Tensor *t = tensor_get(e->c, x, "autocast");
    bool gpu = t && (t->symbolic ? !cast[0].on : !tensor_is_here(t));
    int policy = gpu ? e->cast->gpu : e->cast->host;
    wf_dtype to;

    if (!t || !cast[gpu].on || policy == STAY)
        return x;
    to = policy == LOW ? cast[gpu].low : WF_F32;
    return t->dtype == to ||
                   (t->dtype != WF_F32 && t->dtype != WF_F16 && t->dtype != WF_BF16)
               ? x
               : wf_cast(e->c, x, to);
}

/* autocast(gpu, on, dtype): natives that are called from now on */
static Value n_autocast(Vm *vm, const Args *a)
{
    En e = en_begin(vm, a);
    wf_dtype d = WF_BF16;
    bool gpu, on;

    if (!en_bool(&e, a->v[0], &gpu) || !en_bool(&e, a->v[1], &on) ||
        !en_dtype(&e, a->v[2], &d))
        return en_fail(&e);
    e.f->autocast[gpu] = (Autocast){on, d};
    e.f->casts = e.f->autocast[0].on || e.f->autocast[1].on;
    return en_end_value(&e, NONE);
}

static Value n_casting(Vm *vm, const Args *a)
{
    (void)vm;
    return v_bool(((const Front *)a->user)->casts);
}

const NativeDef engine_autocast[] = {
    {"autocast", n_autocast, "gpu,on,dtype"}, {"casting", n_casting, ""}, {0}};
