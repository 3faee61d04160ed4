/* serve.h -- weft serve: models of a folder over HTTP, by the Open Inference Protocol v2. On public headers and libmicrohttpd.
 *
 *   json.c      requests as JSON, read where they lie
 *   protocol.c  requests to arrays, arrays to responses; JSON and the binary tensor extension
 *   models.c    the folder: what is in it, loaded and compiled, replaced when files change
 *   queue.c     requests that wait to be run together
 *   http.c      paths, limits, tokens, the page, metrics, the log
 *
 * Threads     those of the HTTP library read requests and write responses. Without batching and lanes they run them as well; with
 *             them, requests wait in a queue, their connections sleep, and each lane has a worker that runs what fits together, by so many
 *             threads of the host or on a GPU. All share one pool of threads.
 * Ownership   a request holds its instance of a model, so that a reload loses none.
 */
#ifndef WEFT_SERVE_H
#define WEFT_SERVE_H

#include "weft.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>

enum { SERVE_TENSORS = 32, SERVE_BUCKETS = 24, SERVE_LANES = 64 };

typedef struct ServeLane { /* where requests are run, one after the other */
    char device[24];       /* "cpu", "cuda:1" */
    int threads;           /* of the host; 0: all */
} ServeLane;

typedef struct ServeOptions {
    const char *folder, *address;
    int64_t port, threads;
    ServeLane lanes[SERVE_LANES]; /* at least one */
    int nlanes;
    bool queued; /* requests are run by lanes, not by the threads that read them */
    int64_t batch;       /* rows run together at most; 1: each request for itself */
    int64_t delay;       /* microseconds that a request waits for others */
    int64_t queue;       /* requests that wait, at most */
    int64_t timeout;     /* milliseconds that one waits, at most */
    int64_t most_bytes;  /* of a request */
    int64_t most_memory; /* bytes of all requests together */
    int64_t connections;
    const char *token;      /* NULL: anybody may ask */
    const char *cert, *key; /* PEM files; NULL: no TLS */
    const char *log;        /* file; "-" is standard error; NULL: none */
} ServeOptions;

/* ---- json.c ------------------------------------------------------------------------ */

typedef struct JsonText { /* text that ends in a NUL */
    const char *p, *end;
    bool bad;
} JsonText;
bool request_take(JsonText *j, char c); /* is it next, after white space? */
bool request_need(JsonText *j, char c);
/* The next key of an object whose '{' was taken; false at its end. */
bool request_key(JsonText *j, char *out, size_t room, bool *first);
bool request_text(JsonText *j, char *out, size_t room); /* what is too long is bad */
bool request_integer(JsonText *j, int64_t *out);
bool request_bool(JsonText *j, bool *out);
void request_skip(JsonText *j);
/* Numbers in lists in lists, as elements of a type; how many there are, at most n: more is bad. */
int64_t request_numbers(JsonText *j, wf_dtype dtype, void *out, int64_t n);

typedef struct Out { /* text or bytes that grow; lost: memory was exhausted */
    char *s;
    size_t n, room;
    bool lost;
} Out;
void out_bytes(Out *o, const void *s, size_t n);
void out_text(Out *o, const char *s);
void out_string(Out *o, const char *s); /* quoted */
void out_printf(Out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void out_number(Out *o, wf_dtype dtype, const void *at);

/* ---- models.c ---------------------------------------------------------------------- */

typedef struct SignatureTensor { /* of a signature */
    char name[128];
    wf_dtype dtype;
    int rank;
    int64_t dims[WF_MAX_RANK]; /* -1: any */
} SignatureTensor;

typedef struct Stats {
    atomic_ullong success, failure, count, runs; /* requests; rows; executions */
    atomic_ullong request_ns, queue_ns, compute_ns;
    atomic_ullong bucket[SERVE_BUCKETS]; /* requests that took up to 2^i microseconds */
} Stats;

typedef struct ModelInstance { /* a version as it was loaded */
    atomic_int refs;
    char name[128], version[32], path[1024], platform[16];
    struct timespec time;
    int64_t size;
    wf_exec *exec[SERVE_LANES]; /* of each lane; those of one device are the same */
    SignatureTensor in[SERVE_TENSORS], out[SERVE_TENSORS];
    int nin, nout;
    int nkept, nupdates; /* tensors that the method changes are its first inputs; new values come behind its results */
    int update[SERVE_TENSORS]; /* of each new value: which one of kept, or -1 */
    wf_array *kept[SERVE_TENSORS];
    pthread_mutex_t lock; /* of kept */
    bool batches; /* rows of several requests can be run together */
    Stats *stats; /* of its name and version; live as long as the server */
} ModelInstance;

typedef struct Models Models;
Models *models_open(const ServeOptions *o, wf_runtime *runtime,
                    FILE *errors); /* NULL: out of memory */
void models_close(Models *m);
void models_scan(Models *m); /* load what is new or changed, drop what is gone */
/* Held; version NULL: the highest number. NULL: there is none. */
ModelInstance *models_get(Models *m, const char *name, const char *version);
void instance_release(ModelInstance *i);
/* Each one, in the order of names and versions. */
void models_each(Models *m, void (*fn)(void *user, const ModelInstance *i), void *user);

/* ---- protocol.c -------------------------------------------------------------------- */

typedef struct Infer {  /* a request */
    ModelInstance *instance; /* held */
    char id[256];
    wf_array *in[SERVE_TENSORS], *out[SERVE_TENSORS]; /* held */
    bool wanted[SERVE_TENSORS], binary[SERVE_TENSORS];
    int status; /* of HTTP; 0: not yet known */
    char error[1000];
    uint64_t arrived, began; /* nanoseconds */
    int64_t rows;
} Infer;

/* The body (with a NUL behind it) as inputs of the instance; header: bytes of JSON, -1: all. False: status and error say why. */
bool infer_read(wf_ctx *cx, Infer *r, char *body, size_t size, int64_t header);
/* The response; out_header: bytes of JSON before binary tensors, 0: no tensor is binary. */
void infer_write(wf_ctx *cx, const Infer *r, Out *o, size_t *out_header);
void infer_run(wf_ctx *cx, Infer *r, int lane); /* this one alone */
/* The instance in a lane; results are the host's. Runs of a method that changes tensors follow each other. */
wf_status instance_run(wf_ctx *cx, ModelInstance *x, int lane, wf_array **in, wf_array **out);
void infer_free(Infer *r);
bool infer_fail(Infer *r, int status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));      /* false */
void infer_count(const Infer *r, uint64_t now); /* into the statistics */
const char *serve_type(wf_dtype dtype);         /* "FP32"; NULL: the protocol has none */
uint64_t serve_clock(void);

/* ---- queue.c ----------------------------------------------------------------------- */

typedef struct RequestQueue RequestQueue;
typedef struct Waiting {
    Infer *r;
    void (*done)(void *user); /* called once, by a worker */
    void *user;
    struct Waiting *next;
} Waiting;
RequestQueue *serve_queue_open(const ServeOptions *o, wf_runtime *runtime); /* NULL: out of memory */
void serve_queue_close(RequestQueue *q);           /* runs what is there first */
bool serve_queue_add(RequestQueue *q, Waiting *w); /* false: it is full */
int64_t serve_queue_length(RequestQueue *q);

/* ---- http.c ------------------------------------------------------------------------ */

/* Serves until *stop; what cannot be begun is said on standard error. A status as of commands. */
int serve_run(const ServeOptions *o, const volatile sig_atomic_t *stop);

#endif
