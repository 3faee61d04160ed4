/* engine.h -- who carries out what processes exchange: one table of functions.
 *
 * An engine may be a plug-in, which links nothing of the library: this header is all they share, and what an engine
 * needs of the library it is given. Functions return false with a text in `error`.
 *
 * All members of a group call the same functions in the same order, each from one thread at a time; `what` is a number that
 * is the same in all who mean the same, which engines compare when they first see it. send and receive may run beside.
 */
#ifndef WEFT_COMM_ENGINE_H
#define WEFT_COMM_ENGINE_H

#include "runtime/comm.h"

#define ENGINE_VERSION 2

typedef struct CommEngine CommEngine;

typedef struct Group {
    struct Group *next;
    int n, me;       /* how many; which of them this process is */
    const int *rank; /* of each, among all processes */
    void *data;      /* the engine's */
    struct LinkOf *links; /* between devices of the members (link.c) */
} Group;

struct CommEngine {
    int version;
    const char *name;
    int rank, size;
    double timeout; /* seconds that anybody waits for another; 0: for ever */
    bool (*combine)(Combine how, wf_dtype t, void *out, const void *const *in, int n, int64_t count);
    size_t (*dtype_size)(wf_dtype t);
    /* Is what runs told to stop? Asked now and then in every wait. */
    bool (*stopped)(const void *user);
    const void *stop_user;
    char error[512];

    bool (*join)(CommEngine *e, Group *g); /* g->data; by all members */
    void (*leave)(CommEngine *e, Group *g);
    /* root: who gets the result, by number in the group; -1: all. out may be in. */
    bool (*reduce)(CommEngine *e, Group *g, uint64_t what, Combine how, wf_dtype t, const void *in, void *out, int64_t count,
                   int root);
    /* in[n][count] of each, combined: [me] of it */
    bool (*scatter_reduce)(CommEngine *e, Group *g, uint64_t what, Combine how, wf_dtype t, const void *in, void *out,
                           int64_t count);
    /* in[bytes] of each into out[n][bytes] of root, or all */
    bool (*gather)(CommEngine *e, Group *g, uint64_t what, const void *in, void *out, int64_t bytes, int root);
    bool (*broadcast)(CommEngine *e, Group *g, uint64_t what, void *data, int64_t bytes, int root);
    /* give[k] bytes to k, take[k] bytes from k, one after the other in in and out; every pair agrees */
    bool (*all_to_all)(CommEngine *e, Group *g, uint64_t what, const void *in, const int64_t *give, void *out,
                       const int64_t *take);
    /* to, from: ranks of the world; from -1: anyone, *who says who */
    bool (*send)(CommEngine *e, int to, int tag, const void *data, int64_t bytes);
    bool (*receive)(CommEngine *e, int from, int tag, void *data, int64_t bytes, int *who);
    /* Has a member ended, or failed? Then false, and why. Beside any other call; NULL: the engine ends all in that case. */
    bool (*alive)(CommEngine *e, const Group *g, char *why, size_t n);
    void (*close)(CommEngine *e, const char *failure); /* failure NULL: all went well; frees e */
};

#endif
