/* comm.h -- devices that run one program together, and how they talk.
 *
 *   Exchange   one collective, as a device takes part in it         step_collective.c
 *   Comm       a device's place among the others, and who carries
 *              exchanges out; a context has one while it runs as
 *              such a device
 *   Team       the local engine: devices as threads of this
 *              process, that exchange in shared memory              team.c
 *
 * A new engine is a Comm of its own: it knows no ops but those of exchange_do.
 */
#ifndef WEFT_COMM_H
#define WEFT_COMM_H

#include "op/mesh.h"
#include "runtime/runtime.h"

/* All devices of a group bring one with the same op, dtype and sizes.
 *
 *   psum pmax pmin     in[count] -> out[count]
 *   all_gather         in[outer, inner] -> out[outer, n, inner]
 *   reduce_scatter     in[outer, n, inner] -> out[outer, inner]
 *   all_to_all         in[outer, n, inner] -> out[outer2, n, inner2]
 *   ppermute           in[count] -> out[count]: that of device `source`, -1: zeros
 *
 * n: devices of the group. Sums are in the order of the group, for any timing. */
typedef struct Exchange {
    OpCode op;
    wf_dtype dtype;
    int64_t count; /* elements of in */
    int64_t outer, inner, outer2, inner2;
    const void *in;
    void *out;
    const int64_t *member; /* ranks of the group, in its order */
    int64_t n, me;         /* how many, and which of them this is */
    int64_t source, target; /* among the group; -1: none */
    uint32_t axes;         /* bits of the mesh's axes that the group lies along */
    uint64_t what;         /* the same in all who mean the same: op, dtype, sizes, equation */
    Place place;
} Exchange;

typedef struct JobSpan { /* on the clock of clock_seconds; 0: it is not known */
    double start, end;
} JobSpan;

typedef struct Comm {
    int64_t rank;
    const Mesh *mesh;
    /* False with an error in cx. */
    bool (*exchange)(struct Comm *c, wf_ctx *cx, const Exchange *x);
    /* One that goes on while steps run; NULL: there are none. What it reads and writes stays until it is finished, with
     * what begin gave, once; *span: when it ran. settle: after an error, until nothing goes on. */
    bool (*begin)(struct Comm *c, wf_ctx *cx, const Exchange *x, void **out_going);
    bool (*finish)(struct Comm *c, wf_ctx *cx, void *going, Place place, JobSpan *span);
    void (*settle)(struct Comm *c);
    /* One of memory of a device, in the order of its queue. *out_done false: there is no way but through the host's memory,
     * which is so for all or for none. NULL: never. */
    bool (*exchange_on)(struct Comm *c, wf_ctx *cx, Queue *q, const Exchange *x, bool *out_done);
} Comm;

bool bind_collective(Bind *b); /* step_collective.c */
/* Of a frame whose memory is on a device: the exchange of a step, there. *out_done false: the host does it, on copies. */
bool frame_exchange(Frame *f, const Op *op, bool *out_done);
/* The wait for exchange `going` of the plan. */
void bind_finish(Bind *b, uint32_t going);
bool bind_axis_index(Bind *b);
bool bind_spmd(Bind *b); /* step_spmd.c */

/* Arrays combined element by element, in their order. False: not for this type. out may be one of them. */
typedef enum Combine {
    COMBINE_SUM, COMBINE_PRODUCT, COMBINE_MAX, COMBINE_MIN, COMBINE_AND, COMBINE_OR, COMBINE_XOR,
} Combine;
bool comm_combine(Combine how, wf_dtype t, void *out, const void *const *in, int n, int64_t count); /* combine.c */

/* What this device does where all can reach what all brought, in the group's order: its share of the sum, into the result of
 * each; its own result of a reduce_scatter, or of an exchange that moves. */
bool exchange_reduce(const Exchange *x, const Exchange *const *all);
void exchange_move(const Exchange *x, const Exchange *const *all);
Combine exchange_how(const Exchange *x);

/* ---- team.c ---- */

typedef struct Team Team;

/* fn(user, rank, cx) on every device at once, each with a context of its own, which has a
 * Comm of the mesh. False with an error in cx: that of the device that failed first. The
 * team is made at need and kept on the root; *root: of each device. */
typedef bool TeamFn(void *user, int64_t rank, Root *root);
bool team_run(Root *root, const char *mesh, TeamFn *fn, void *user);
void teams_free(Root *root);

#endif
