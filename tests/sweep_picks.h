/* sweep_picks.h -- arguments of every kind for every public function, wrong ones above all, and callers of all functions
 * (gen/sweep_calls.h, made from the headers by tests/sweep.py). For test_sweep.c and fuzz/fuzz_calls.c.
 *
 * A parameter of a new type does not compile until it has a pick_ function here. Choices come from bytes, if there are
 * any, and from a generator after them.
 */
#ifndef WEFT_SWEEP_PICKS_H
#define WEFT_SWEEP_PICKS_H

#include "base/base.h" /* a context in a call of another thread */
#include "weft.h"
#include "weft_dlpack.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROOM 64                        /* of arrays that are passed */
#define BYTES    (1 << 16)                 /* of structs behind pointers */
#define LIMIT                                                                            \
    ((int64_t)64 << 20) /* of memory: more is out of memory; as much is behind void * */

enum { NOT_NOTICED = 9 }; /* the status of a process: two threads in one context were not noticed */

typedef struct Sweep {
    wf_ctx *c, *other;
    uint64_t state;
    const uint8_t *from, *to; /* bytes that choose, while they last */
    int64_t bytes; /* of the allocator */
    bool crossing; /* calls come while another thread is in one */
    /* made at need, freed at the end */
    wf_runtime *runtime;
    wf_array *array;
    wf_program const *program;
    wf_exec *exec;
    wf_model *model;
    wf_module *module;
    wf_optim *optim;
    wf_generator *generator;
    wf_tree *tree;
    wf_jit *jit;
    wf_jit_tree *jit_tree;
    wf_record *record;
    wf_graph *graph;
    wf_session *session;
    wf_loader *loader;
    wf_progress *progress;
    wf_runner *runner;
    wf_prompt *prompt;
    wf_event *event;
    wf_comm *comm;
    wf_profile *profile;
    char *buffer; /* BYTES */
    wf_tensor tensors[ROOM];
    bool chained;      /* later calls take what earlier ones gave */
    wf_tensor seen[8]; /* the last of these */
    int nseen;
    int64_t sizes[ROOM];
    int ints[ROOM];
    wf_array *arrays[ROOM];
    wf_tree *trees[ROOM];
    const char *texts[ROOM];
    wf_index index[ROOM];
} Sweep;

static uint64_t next(Sweep *s)
{
    if (s->from < s->to)
        return *s->from++;
    s->state = s->state * 6364136223846793005u + 1442695040888963407u;
    return s->state >> 33;
}
static int below(Sweep *s, int n) { return (int)(next(s) % (uint64_t)n); }
static bool skip(Sweep *s) { return !s->crossing && below(s, 8) == 0; } /* a pointer that is NULL */

static void *count_resize(void *user, void *p, size_t old, size_t size)
{
    Sweep *s = user;

    if (size > old && s->bytes + (int64_t)(size - old) > LIMIT)
        return NULL;
    s->bytes += (int64_t)size - (int64_t)old;
    if (size)
        return realloc(p, size);
    free(p);
    return NULL;
}

/* ---- numbers ----------------------------------------------------------------------- */

static int pick_int(Sweep *s)
{
    static const int v[] = {0, 1, 2, 3, -1, -2, 7, 100, INT_MAX, INT_MIN};

    return v[below(s, COUNT(v))];
}
static int64_t pick_int64_t(Sweep *s)
{
    static const int64_t v[] = {0, 1, 2, 3, -1, 8, 1000, INT64_MAX, INT64_MIN, (int64_t)1 << 40};

    return v[below(s, COUNT(v))];
}
static double pick_double(Sweep *s)
{
    static const double v[] = {0, 1, 0.5, -1, 1e300, -1e-300, (double)INFINITY, (double)NAN, 3};

    return v[below(s, COUNT(v))];
}
static size_t pick_size_t(Sweep *s) { return (size_t)pick_int(s); }
static uint64_t pick_uint64_t(Sweep *s) { return next(s); }
static unsigned pick_unsigned(Sweep *s) { return (unsigned)pick_int(s); }
static bool pick__Bool(Sweep *s) { return below(s, 2); }
static char pick_char(Sweep *s) { return (char)below(s, 256); }
/* Of what a pointer points to: never more than is there, unless it is NULL. */
static int pick_count(Sweep *s, const void *p)
{
    static const int some[] = {0, 1, 2, 3, 4, 9, 40, -1, -7, INT_MIN};

    return p ? some[below(s, COUNT(some))] : pick_int(s);
}

#define PICK_ENUM(type, most)                                                                      \
    static type pick_##type(Sweep *s)                                                              \
    {                                                                                              \
        return (type)(below(s, 6) ? below(s, (most) + 1) : pick_int(s));                           \
    }
PICK_ENUM(wf_dtype, WF_DTYPE_COUNT)
PICK_ENUM(wf_reduction, 3)
PICK_ENUM(wf_status, 140)
PICK_ENUM(wf_promotion, 3)
PICK_ENUM(wf_style, 4)
PICK_ENUM(wf_scatter_kind, 5)
PICK_ENUM(wf_pad_kind, 4)
PICK_ENUM(wf_code_form, 3)
PICK_ENUM(wf_fft_kind, 3)
PICK_ENUM(wf_fft_norm, 2)
PICK_ENUM(wf_combine, 4)

/* ---- texts and arrays --------------------------------------------------------------- */

static const char *text_of(Sweep *s)
{
    static const char *const v[] = {"", "x", "f32[2,3]", "forward", "no/such/file", "N", "1 + 2",
                                    "f32[N,N", "\xff\xfe", "%s%n%s", "[1, 2", "weight", "i,j->ij"};

    return v[below(s, COUNT(v))];
}
static const char *pick_const_char_p(Sweep *s) { return skip(s) ? NULL : text_of(s); }
static const char **pick_const_char_pp(Sweep *s)
{
    return skip(s) ? NULL : &s->texts[0];
}
static const char *const *pick_const_char_pconst_p(Sweep *s)
{
    for (int i = 0; i < ROOM; i++)
        s->texts[i] = pick_const_char_p(s);
    return skip(s) ? NULL : s->texts;
}
static const int64_t *pick_const_int64_t_p(Sweep *s)
{
    bool wild = below(s, 3) == 0;

    for (int i = 0; i < ROOM; i++)
        s->sizes[i] = wild ? pick_int64_t(s) : below(s, 4);
    return skip(s) ? NULL : s->sizes;
}
static int64_t *pick_int64_t_p(Sweep *s) { return skip(s) ? NULL : s->sizes; }
static const int *pick_const_int_p(Sweep *s)
{
    for (int i = 0; i < ROOM; i++)
        s->ints[i] = below(s, 4) ? below(s, 4) - 1 : pick_int(s);
    return skip(s) ? NULL : s->ints;
}
static int *pick_int_p(Sweep *s) { return skip(s) ? NULL : s->ints; }
static const bool *pick_const__Bool_p(Sweep *s)
{
    return skip(s) ? NULL : (const bool *)memset(s->buffer, 0, ROOM);
}
static bool *pick__Bool_p(Sweep *s) { return skip(s) ? NULL : (bool *)s->buffer; }
static void *pick_void_p(Sweep *s) { return skip(s) ? NULL : s->buffer; }
static const void *pick_const_void_p(Sweep *s) { return pick_void_p(s); }
static char *pick_char_p(Sweep *s) { return pick_void_p(s); }
static double *pick_double_p(Sweep *s) { return pick_void_p(s); }
static const double *pick_const_double_p(Sweep *s) { return pick_void_p(s); }

/* ---- tensors ----------------------------------------------------------------------- */

static wf_tensor pick_wf_tensor(Sweep *s)
{
    wf_ctx *c = s->c;
    int64_t d[4] = {2, 3, 1, 2};

    if (s->chained && s->nseen && below(s, 2))
        return s->seen[below(s, MIN(s->nseen, COUNT(s->seen)))];
    switch (below(s, 14)) {
    case 0: return WF_NONE;
    case 1: { /* a dead one */
        wf_tensor t = wf_keep(c, wf_zeros(c, WF_F32, d, 2));

        wf_drop(c, t);
        wf_scope_begin(c);
        t = wf_zeros(c, WF_F32, d, 1);
        wf_scope_end(c);
        return t;
    }
    case 2: return wf_zeros(s->other, WF_F32, d, 2); /* of another context */
    case 3: return wf_zeros(c, WF_BOOL, d, 2);
    case 4: return wf_zeros(c, WF_I64, d, 2);
    case 5: return wf_float(c, 2.5);
    case 6: return wf_int(c, -3);
    case 7: return wf_zeros(c, WF_F32, (int64_t[]){0, 3}, 2);
    case 8: return wf_zeros(c, WF_BF16, d, 1);
    case 9: return wf_zeros(c, WF_F64, d, 4);
    case 10: return wf_zeros(c, WF_U8, d + 1, 1);
    case 11: return (wf_tensor){0};
    default: return wf_ones(c, WF_F32, d, below(s, 4));
    }
}
static void see_tensor(Sweep *s, wf_tensor t)
{
    if (s->chained && !wf_is_none(t))
        s->seen[s->nseen++ % COUNT(s->seen)] = t;
}
static wf_tensor *pick_wf_tensor_p(Sweep *s)
{
    for (int i = 0; i < ROOM; i++)
        s->tensors[i] = WF_NONE;
    return skip(s) ? NULL : s->tensors;
}
static const wf_tensor *pick_const_wf_tensor_p(Sweep *s)
{
    bool wild = below(s, 2);

    for (int i = 0; i < ROOM; i++)
        s->tensors[i] =
            wild ? pick_wf_tensor(s) : wf_ones(s->c, WF_F32, (int64_t[]){2, 3}, 2);
    return skip(s) ? NULL : s->tensors;
}
static const wf_index *pick_const_wf_index_p(Sweep *s)
{
    for (int i = 0; i < ROOM; i++) {
        memset(&s->index[i], 0, sizeof s->index[i]);
        s->index[i].kind = (wf_index_kind)below(s, 7);
    }
    return skip(s) ? NULL : s->index;
}

/* ---- functions of the caller ---------------------------------------------------------- */

static wf_status twice(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                       wf_tensor *out, int nout)
{
    (void)user, (void)nin, (void)nout;
    if (out)
        out[0] = wf_mul(c, in[0], in[0]);
    return wf_ctx_status(c);
}
static wf_status refuses(wf_ctx *c, void *user, const wf_tensor *in, int nin,
                         wf_tensor *out, int nout)
{
    (void)c, (void)user, (void)in, (void)out, (void)nin, (void)nout;
    return WF_ERR_VALUE;
}
static const wf_function *pick_const_wf_function_p(Sweep *s)
{
    static const wf_function v[] = {WF_FUNCTION(twice, NULL, 1, 1, "twice"),
                                    WF_FUNCTION(twice, NULL, 1, WF_ANY, NULL),
                                    WF_FUNCTION(refuses, NULL, 2, 1, ""),
                                    WF_FUNCTION(NULL, NULL, 1, 1, "f"),
                                    WF_FUNCTION(twice, NULL, -1, 1, "f"),
                                    WF_FUNCTION(twice, NULL, 1, -9, "f"),
                                    WF_FUNCTION(twice, NULL, 3, 2, "f"),
                                    {0, twice, NULL, 1, 1, "f"}};

    return skip(s) ? NULL : &v[below(s, COUNT(v))];
}
static wf_status same_tree(wf_ctx *c, void *user, const wf_tree *in, wf_tree **out)
{
    (void)user;
    *out = wf_tree_leaf(c, wf_zeros(c, WF_F32, NULL, 0));
    return in ? WF_OK : WF_ERR_ARG;
}
static const wf_tree_function *pick_const_wf_tree_function_p(Sweep *s)
{
    static const wf_tree_function v[] = {WF_TREE_FUNCTION(same_tree, NULL, NULL),
                                         WF_TREE_FUNCTION(NULL, NULL, NULL),
                                         {0, same_tree, NULL, "f"}};

    return skip(s) ? NULL : &v[below(s, COUNT(v))];
}
static wf_status forward(wf_ctx *c, wf_module *m, const wf_tensor *in, int nin,
                         wf_tensor *out, int nout)
{
    (void)c, (void)m, (void)in;
    if (nin < 1 || nout < 1)
        return WF_ERR_ARG;
    out[0] = in[0];
    return WF_OK;
}
static wf_forward pick_wf_forward(Sweep *s) { return skip(s) ? NULL : forward; }
static wf_status method(wf_ctx *c, void *user, wf_module *m, const wf_tensor *in, int nin,
                        wf_tensor *out, int nout)
{
    (void)user;
    return forward(c, m, in, nin, out, nout);
}
static wf_method pick_wf_method(Sweep *s) { return skip(s) ? NULL : method; }
static wf_status see_module(void *user, const char *path, wf_module *m)
{
    (void)user, (void)path, (void)m;
    return WF_OK;
}
static wf_module_visitor pick_wf_module_visitor(Sweep *s) { return skip(s) ? NULL : see_module; }
static wf_status see_state(void *user, const char *path, wf_tensor t, bool is_param)
{
    (void)user, (void)path, (void)t;
    return is_param ? WF_OK : WF_ERR_CANCELLED;
}
static wf_state_visitor pick_wf_state_visitor(Sweep *s) { return skip(s) ? NULL : see_state; }
typedef double Fn_factor(void *user, int64_t done);
static double half(void *user, int64_t done)
{
    (void)user, (void)done;
    return 0.5;
}
static Fn_factor *pick_factor(Sweep *s) { return skip(s) ? NULL : half; }

/* ---- handles ------------------------------------------------------------------------- */

static wf_ctx *pick_wf_ctx_p(Sweep *s) { return s->crossing || below(s, 12) ? s->c : NULL; }
static const wf_ctx *pick_const_wf_ctx_p(Sweep *s) { return pick_wf_ctx_p(s); }

/* type *pick_type_p(s): NULL, or the one that `make` puts into the field. */
#define PICK_HANDLE(type, field, make)                                                             \
    static type *pick_##type##_p(Sweep *s)                                                         \
    {                                                                                              \
        if (skip(s))                                                                               \
            return NULL;                                                                           \
        if (!s->field)                                                                             \
            make;                                                                                  \
        return s->field;                                                                           \
    }                                                                                              \
    static inline const type *pick_const_##type##_p(Sweep *s)                                      \
    {                                                                                              \
        return pick_##type##_p(s);                                                                 \
    }

static const char program_text[] = "f(x: f32[N,3], w: f32[3]) {\n  y = dot x w\n  s = reduce_sum y axes=[0]\n  ret s\n}\n";

PICK_HANDLE(wf_runtime, runtime, s->runtime = wf_runtime_new(NULL))
PICK_HANDLE(wf_array, array, wf_array_new(s->c, WF_F32, (int64_t[]){2, 3}, 2, &s->array))
PICK_HANDLE(wf_model, model, wf_model_parse(s->c, "f.wir", program_text, strlen(program_text), &s->model))
static const wf_program *pick_const_wf_program_p(Sweep *s)
{
    const wf_model *m = pick_wf_model_p(s);

    return m ? wf_model_program(m, 0) : NULL;
}
PICK_HANDLE(wf_exec, exec, wf_prepare(s->c, pick_const_wf_program_p(s), &s->exec))
PICK_HANDLE(wf_generator, generator, wf_generator_new(s->c, 1, &s->generator))
PICK_HANDLE(wf_module, module, s->module = wf_nn_linear(s->c, pick_wf_generator_p(s), 3, 2, true))
PICK_HANDLE(wf_optim, optim, s->optim = wf_adam(s->c, pick_wf_module_p(s), 1e-3, 0.9, 0.999, 1e-8, 0))
PICK_HANDLE(wf_tree, tree, s->tree = wf_tree_leaf(s->c, wf_ones(s->c, WF_F32, NULL, 0)))
PICK_HANDLE(wf_jit, jit, wf_jit_new(s->c, pick_const_wf_function_p(s), &s->jit))
PICK_HANDLE(wf_jit_tree, jit_tree, wf_jit_tree_new(s->c, pick_const_wf_tree_function_p(s), &s->jit_tree))
PICK_HANDLE(wf_graph, graph, wf_graph_new(s->c, "g", NULL, &s->graph))
PICK_HANDLE(wf_session, session, wf_session_new(s->c, pick_wf_graph_p(s), &s->session))
static wf_device *pick_wf_device_p(Sweep *s)
{
    wf_device *d = NULL;

    if (!skip(s))
        wf_device_get(s->c, 0, &d);
    return d;
}
static wf_device **pick_wf_device_pp(Sweep *s)
{
    return skip(s) ? NULL : (wf_device **)(void *)s->buffer;
}
static const wf_device *pick_const_wf_device_p(Sweep *s) { return pick_wf_device_p(s); }
PICK_HANDLE(wf_record, record,
            wf_record_new(s->c, &(wf_function)WF_FUNCTION(twice, NULL, 1, 1, "f"),
                          (wf_tensor[]){wf_float(s->c, 2)}, 1, (int[]){0}, 1, s->tensors,
                          1, &s->record))
PICK_HANDLE(wf_runner, runner, wf_runner_new(s->c, pick_wf_exec_p(s), &s->runner))
PICK_HANDLE(wf_event, event, wf_event_record(s->c, pick_wf_device_p(s), &s->event))
PICK_HANDLE(wf_prompt, prompt, wf_prompt_new(s->c, &s->prompt))
PICK_HANDLE(wf_comm, comm,
            wf_comm_open(s->c, &(wf_comm_options){.size = sizeof(wf_comm_options), .ranks = 1}, &s->comm))
static wf_comm **pick_wf_comm_pp(Sweep *s) { return skip(s) ? NULL : &s->comm; }
PICK_HANDLE(wf_progress, progress, s->progress = wf_progress_new(s->c, "sweep", 3))
PICK_HANDLE(wf_loader, loader,
            s->loader = wf_loader_new(s->c, (wf_tensor[]){wf_ones(s->c, WF_F32, (int64_t[]){4, 2}, 2)},
                                      1, 2, NULL, false))
PICK_HANDLE(wf_profile, profile,
            wf_profile_new(s->c, pick_wf_exec_p(s),
                           (wf_array *[]){pick_wf_array_p(s), pick_wf_array_p(s)}, 2, 1,
                           &s->profile))

static wf_array *const *pick_wf_array_pconst_p(Sweep *s)
{
    for (int i = 0; i < ROOM; i++)
        s->arrays[i] = pick_wf_array_p(s);
    return skip(s) ? NULL : s->arrays;
}
static wf_tree *const *pick_wf_tree_pconst_p(Sweep *s)
{
    for (int i = 0; i < ROOM; i++)
        s->trees[i] = NULL;
    if (below(s, 2))
        s->trees[0] = wf_tree_leaf(s->c, wf_ones(s->c, WF_F32, NULL, 0));
    return skip(s) ? NULL : s->trees;
}

/* ---- structs of the caller ------------------------------------------------------------- */

/* Numbers of every kind in all fields; flags: those that are bool. */
#define PICK_OPTIONS(type, flags)                                                                  \
    static const type *pick_const_##type##_p(Sweep *s)                                             \
    {                                                                                              \
        int64_t *words = (int64_t *)(void *)s->buffer;                                             \
        type *o = (type *)(void *)s->buffer;                                                       \
                                                                                                   \
        memset(s->buffer, 0, BYTES);                                                               \
        for (size_t i = 0; below(s, 2) && i < sizeof(type) / 8; i++)                               \
            words[i] = below(s, 3) ? below(s, 5) : pick_int64_t(s);                                \
        flags;                                                                                     \
        if (below(s, 4))                                                                           \
            o->size = sizeof *o;                                                                   \
        return skip(s) ? NULL : o;                                                                 \
    }
PICK_OPTIONS(wf_conv_options, o->no_bias = below(s, 2))
PICK_OPTIONS(wf_pool_options, o->ceil_mode = o->no_padding_count = below(s, 2))
PICK_OPTIONS(wf_attention_options, o->batch_first = o->no_bias = below(s, 2))
#define PICK_ZEROED(type, qualifier, name)                                                         \
    static qualifier type *name(Sweep *s)                                                          \
    {                                                                                              \
        memset(s->buffer, 0, BYTES);                                                               \
        *(size_t *)(void *)s->buffer = below(s, 3) ? sizeof(type) : (size_t)below(s, 9999);        \
        return skip(s) ? NULL : (type *)(void *)s->buffer;                                         \
    }
PICK_ZEROED(wf_cost, , pick_wf_cost_p)
PICK_ZEROED(wf_mesh_cost, , pick_wf_mesh_cost_p)
PICK_ZEROED(wf_machine, const, pick_const_wf_machine_p)
PICK_ZEROED(wf_op_info, , pick_wf_op_info_p)
PICK_ZEROED(wf_value_info, , pick_wf_value_info_p)
PICK_ZEROED(wf_memory_stats, , pick_wf_memory_stats_p)
PICK_ZEROED(wf_comm_options, const, pick_const_wf_comm_options_p)
PICK_ZEROED(wf_semantics, const, pick_const_wf_semantics_p)
PICK_ZEROED(wf_semantics, , pick_wf_semantics_p)
PICK_ZEROED(wf_graph_options, const, pick_const_wf_graph_options_p)
PICK_ZEROED(wf_export_options, const, pick_const_wf_export_options_p)
PICK_ZEROED(wf_import_options, const, pick_const_wf_import_options_p)
static wf_status kernel_type(wf_ctx *c, void *user, const wf_kernel_value *in, int nin, wf_kernel_value *out, int nout)
{
    (void)c, (void)user, (void)nin, (void)nout;
    out[0] = in[0];
    return WF_OK;
}
static wf_status kernel_run(wf_ctx *c, void *user, const wf_kernel_value *in, int nin, wf_kernel_value *out, int nout)
{
    (void)c, (void)user, (void)in, (void)nin, (void)out, (void)nout;
    return WF_ERR_VALUE;
}
static const wf_kernel *pick_const_wf_kernel_p(Sweep *s)
{
    wf_kernel *k = (wf_kernel *)memset(s->buffer, 0, BYTES);

    *k = (wf_kernel){.size = below(s, 3) ? sizeof *k : (size_t)below(s, 99), .name = pick_const_char_p(s), .inputs = 1,
                     .outputs = below(s, 3) ? 1 : pick_int(s)};
    if (below(s, 4)) {
        k->type = kernel_type;
        k->run = kernel_run;
    }
    return skip(s) ? NULL : k;
}
static const wf_rnn_options *pick_const_wf_rnn_options_p(Sweep *s)
{
    return skip(s) ? NULL : (const wf_rnn_options *)memset(s->buffer, 0, BYTES);
}
static const wf_text_options *pick_const_wf_text_options_p(Sweep *s)
{
    return skip(s) ? NULL : (const wf_text_options *)memset(s->buffer, 0, BYTES);
}
static const wf_options *pick_const_wf_options_p(Sweep *s)
{
    (void)s;
    return NULL;
}
static const wf_runtime_options *pick_const_wf_runtime_options_p(Sweep *s)
{
    (void)s;
    return NULL;
}
static struct DLManagedTensorVersioned **pick_struct_DLManagedTensorVersioned_pp(Sweep *s)
{
    return skip(s) ? NULL : (struct DLManagedTensorVersioned **)memset(s->buffer, 0, BYTES);
}
static struct DLManagedTensor **pick_struct_DLManagedTensor_pp(Sweep *s)
{
    return skip(s) ? NULL : (struct DLManagedTensor **)memset(s->buffer, 0, BYTES);
}

/* Another thread is in a call of the context, as the context sees it. */
static void before_call(Sweep *s, wf_ctx *c)
{
    if (!s->crossing || !c)
        return;
    wf_clear(c);
    c->caller = s;
    c->calls = 1;
    c->crossed = 0;
}

static void after_call(Sweep *s, wf_ctx *c)
{
    if (!s->crossing || !c)
        return;
    if (!c->crossed)
        _exit(NOT_NOTICED);
    c->caller = NULL;
    c->calls = 0;
    c->crossed = 0;
    wf_clear(c);
}

#include "sweep_calls.h"

/* Does function k take a handle over, or free it? Then nothing of the sweep is used after it. */
static bool sweep_takes(int k)
{
    static const char *const ends[] = {"_free", "_release", "_close", "_abort", "_add", "_append"};

    for (int i = 0; i < COUNT(ends); i++)
        if (strstr(sweep_calls[k].name, ends[i]))
            return true;
    return false;
}

static void sweep_end(Sweep *s)
{
    wf_clear(s->c);
    wf_profile_free(s->profile);
    wf_loader_free(s->c, s->loader);
    wf_progress_free(s->c, s->progress);
    wf_runner_free(s->runner);
    wf_prompt_free(s->prompt);
    wf_event_free(s->event);
    wf_record_free(s->c, s->record);
    wf_session_free(s->c, s->session);
    wf_graph_free(s->c, s->graph);
    wf_jit_tree_free(s->c, s->jit_tree);
    wf_jit_free(s->c, s->jit);
    wf_tree_free(s->c, s->tree);
    wf_optim_free(s->c, s->optim);
    wf_module_release(s->c, s->module);
    wf_generator_free(s->generator);
    wf_exec_release(s->exec);
    wf_model_free(s->model);
    wf_array_release(s->array);
    wf_runtime_release(s->runtime);
    wf_ctx_free(s->other);
    wf_ctx_free(s->c);
    wf_comm_close(s->comm);
}

#endif
