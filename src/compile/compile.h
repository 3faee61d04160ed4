/* compile.h -- from programs to executables, and how these run.
 *
 *   passes.c            all passes in the order of opt/passes.def: what code is made of
 *   slices.c            a pass: parts of elementwise results, where they fuse
 *   straight.c          a pass: small programs as one function; flatten.c, their steps as data
 *   compile.c           kernels as units of C, machine code found for them
 *   exec.c              executables: of a program, for a device, with donated inputs
 *   tier.c              which executable serves a run: interpreted, compiled, compiled for its sizes
 *   run.c               one run: inputs passed, results made; the oracle
 *   runner.c            the other ways to ask for one: into buffers, by name, prepared
 *   measure.c           runs on the clock
 *
 * What an executable is made of (plans, frames, steps) is the runtime's, below.
 */
#ifndef WEFT_COMPILE_H
#define WEFT_COMPILE_H

#include "runtime/runtime.h"

/* ---- compile.c --------------------------------------------------------------------- */

struct Code;

typedef struct Compiled {
    const Program *p; /* to be planned: optimised, and fused if there is code; not held */
    struct Code *code; /* NULL: none; not held */
    PlanCode *codes;
    uint32_t ncodes;
} Compiled;

/* Optimises, fuses and compiles; what is kept goes to a. No compiler is no error. exact:
 * products and sums are not contracted. */
bool compile_program(wf_ctx *cx, Arena *a, const Program *p, bool exact, Compiled *out);

/* ---- straight.c, flatten.c ---------------------------------------------------------- */

/* Small programs, and small bodies of loops, as calls of sub-programs that are compiled as
 * one function each. p: fused; k: the kernels it calls, n of them, become those it still
 * calls and the functions. NULL after an error. */
const Program *straight_program(wf_ctx *cx, Arena *a, const Target *t, const Program *p,
                                bool exact, Kernel ***k, uint32_t *n, uint32_t first);
/* The steps of a program without symbols, in order; NULL: it has some that C cannot do, or
 * an error. k: kernels that it calls. */
const Straight *flatten_program(wf_ctx *cx, Arena *a, const Target *t, const Program *p,
                                bool exact, Kernel *const *k, uint32_t n);

/* ---- slices.c ---------------------------------------------------------------------- */

/* Slices of elementwise results as elementwise results of slices, where that computes no
 * more and what reads them fuses. NULL after an error. */
struct Opt;
const Program *compile_slices(const struct Opt *o, const Program *p);

/* ---- passes.c ---------------------------------------------------------------------- */

/* The same in steps, so that the kernels of several programs can be compiled together.
 * first: number of the first kernel. */
typedef struct Lowered {
    const Program *p; /* optimised */
    Fused fused;
    Kernel **k;
    uint32_t n;
} Lowered;
bool compile_lower(wf_ctx *cx, Arena *a, const Target *t, const Program *p, bool exact,
                   uint32_t first, Lowered *out);
/* All of one target, exact or not. */
bool compile_load(wf_ctx *cx, Kernel *const *k, uint32_t n, struct Code **out);
/* The machine code of p on a target, units one after the other, as files have it; see codefile.c. */
bool compile_for_file(wf_ctx *cx, const Target *t, const Program *p, bool (*take)(void *user, const char *bytes, size_t size),
                      void *user);
void compile_bind(wf_ctx *cx, Arena *a, const Lowered *l, struct Code *code, Compiled *out);

/* ---- exec.c ------------------------------------------------------------------------ */

struct wf_exec {
    atomic_int refs;
    wf_allocator al;
    const Program *p; /* as planned: of compiled ones, fused */
    Arena arena;      /* of the plans */
    Plans plans;
    const Plan *plan;
    void *lock; /* of the list of idle roots */
    Root *idle;
    struct Code *code; /* machine code of the plans, or NULL */
    void *there;       /* the same on the device; or NULL */
    int after;         /* runs before it is compiled; 0: it is not */
    atomic_int runs;   /* so far, up to there; much work counts as more: run.c */
    atomic_bool settled; /* it was compiled, or could not be */
    wf_exec *fast;       /* what serves then; NULL: this one */
    _Atomic(wf_exec *) special; /* the same at the sizes of one run; NULL: none */
    atomic_bool tried;          /* to make it */
    wf_exec *base;       /* has the kernels; NULL: this one */
    Device *device;      /* where results are */
    wf_runtime *runtime; /* held: it has the device; NULL: the host */
    const bool *donated; /* for each input; NULL: none */
    uint32_t updates;    /* the first so many results are new values of the first inputs, in whose memory they are; 0: none */
};

/* The program with machine code, where there is a compiler. Belongs to the call's pool. */
wf_exec *exec_compile(wf_ctx *cx, const Program *p, bool exact);
/* Holds the code; kernels stay where they are. Belongs to the call's pool. */
wf_exec *exec_compiled(wf_ctx *cx, const Compiled *c);
/* For the host, and never compiled: its numbers are those of its ops run one by one. */
wf_status exec_prepare_plain(wf_ctx *cx, const wf_program *p, wf_exec **out_exec);
/* An executable on a device; general: of a program of one op, so that its code is the same for all sizes. */
wf_status exec_prepare_on(wf_ctx *cx, const wf_program *p, wf_device *d, bool general, wf_exec **out_exec);
/* e, whose first n results are new values of its first n inputs. A run writes them over those, whoever else holds the
 * arrays: out[j] is in[j] then. Where that cannot be (the input is not dense) out[j] is another array, for the caller to
 * copy. Nothing else among the inputs may overlap the first n. */
wf_status exec_updating(wf_ctx *cx, wf_exec *e, uint32_t n, wf_exec **out_exec);
/* How often e, and what serves its runs, hold p. e NULL: 0. */
int exec_holds(const wf_exec *e, const wf_program *p);

/* ---- tier.c ------------------------------------------------------------------------ */

/* The executable that serves this run of e: by its number, and sizes. */
wf_exec *exec_serving(wf_ctx *cx, wf_exec *e, wf_array *const *in);

/* ---- run.c ------------------------------------------------------------------------- */

/* A run with as many inputs and places as there must be; into: the places hold arrays that take the results. */
wf_status exec_run(wf_ctx *cx, wf_exec *e, wf_array *const *in, wf_array **out,
                   bool into);
#endif
