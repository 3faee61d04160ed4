/* http.c -- the server: paths of the protocol, limits, tokens, metrics, the log, the page. */
#include "pages/pages.h"
#include "serve/serve.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <microhttpd.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* libmicrohttpd is loaded by who serves: with all that it needs in turn it takes longer to load than most scripts to run.
 * Filled once, before there are other threads; calls are written as the library's manual has them. */
#define FUNCTIONS(F)                                                                                                   \
    F(add_response_header) F(create_response_from_buffer) F(destroy_response) F(get_connection_info)                   \
    F(get_daemon_info) F(lookup_connection_value) F(queue_response) F(quiesce_daemon) F(resume_connection)             \
    F(start_daemon) F(stop_daemon) F(suspend_connection)
static struct {
#define F(name) __typeof__(&MHD_##name) name;
    FUNCTIONS(F)
#undef F
} mhd;

static bool load_library(void)
{
    void *lib = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL), *at = lib;

#define F(name)                                                                                                        \
    at = at ? dlsym(lib, "MHD_" #name) : NULL;                                                                         \
    memcpy(&mhd.name, &at, sizeof at);
    FUNCTIONS(F)
#undef F
    if (!at)
        fprintf(stderr, "weft serve: %s\n", dlerror());
    return at;
}

#define MHD_add_response_header mhd.add_response_header
#define MHD_create_response_from_buffer mhd.create_response_from_buffer
#define MHD_destroy_response mhd.destroy_response
#define MHD_get_connection_info mhd.get_connection_info
#define MHD_get_daemon_info mhd.get_daemon_info
#define MHD_lookup_connection_value mhd.lookup_connection_value
#define MHD_queue_response mhd.queue_response
#define MHD_quiesce_daemon mhd.quiesce_daemon
#define MHD_resume_connection mhd.resume_connection
#define MHD_start_daemon mhd.start_daemon
#define MHD_stop_daemon mhd.stop_daemon
#define MHD_suspend_connection mhd.suspend_connection

typedef struct Server {
    const ServeOptions *o;
    Models *models;
    RequestQueue *queue; /* NULL: requests are run by the threads that read them */
    wf_runtime *runtime;
    pthread_key_t context; /* of each thread: a wf_ctx */
    atomic_bool ready;
    atomic_llong calls, bytes; /* in flight; of their bodies */
    FILE *log;
    uint64_t start;
} Server;

typedef struct Call { /* a request of HTTP */
    Server *s;
    struct MHD_Connection *connection;
    Out body;
    uint64_t arrived;
    int refused; /* status that the body has earned */
    bool waits;  /* in the queue, or was */
    Infer infer;
    Waiting waiting;
} Call;

typedef struct Reply {
    int status;
    Out out;
    const char *type;
    size_t header; /* of the binary extension; 0: none */
} Reply;

static wf_ctx *context(Server *s)
{
    wf_ctx *cx = pthread_getspecific(s->context);
    wf_options o = {.size = sizeof o, .runtime = s->runtime, .threads = 1};

    if (!cx && (cx = wf_ctx_new(&o)))
        pthread_setspecific(s->context, cx);
    return cx;
}

static void free_context(void *cx) { wf_ctx_free(cx); }

/* ---- replies ----------------------------------------------------------------------- */

static void reply_error(Reply *r, int status, const char *fmt, ...)
{
    char text[1200];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    r->status = status;
    r->out.n = 0;
    out_text(&r->out, "{\"error\":");
    out_string(&r->out, text);
    out_text(&r->out, "}");
}

static void write_log(Call *c, const Reply *r, const char *method, const char *url)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    char who[64] = "-", when[40];
    struct tm tm;
    time_t now = time(NULL);

    if (!c->s->log)
        return;
    if (info && info->client_addr && info->client_addr->sa_family == AF_INET)
        inet_ntop(
            AF_INET,
            &((const struct sockaddr_in *)(const void *)info->client_addr)->sin_addr, who,
            sizeof who);
    gmtime_r(&now, &tm);
    strftime(when, sizeof when, "%d/%b/%Y:%H:%M:%S +0000", &tm);
    fprintf(c->s->log, "%s - - [%s] \"%s %.200s\" %d %zu %llu\n", who, when, method, url,
            r->status, r->out.n, (unsigned long long)(serve_clock() - c->arrived) / 1000);
}

static enum MHD_Result send_reply(Call *c, Reply *r, const char *method, const char *url)
{
    struct MHD_Response *response;
    enum MHD_Result ok = MHD_NO;
    char number[32];

    if (r->out.lost)
        reply_error(r, 503, "out of memory");
    write_log(c, r, method, url);
    response = MHD_create_response_from_buffer(r->out.n, r->out.s, MHD_RESPMEM_MUST_FREE);
    if (!response) {
        free(r->out.s);
        return MHD_NO;
    }
    MHD_add_response_header(response, "Content-Type",
                            r->header ? "application/octet-stream" : r->type);
    if (r->header) {
        snprintf(number, sizeof number, "%zu", r->header);
        MHD_add_response_header(response, "Inference-Header-Content-Length", number);
    }
    if (r->status == 503)
        MHD_add_response_header(response, "Retry-After", "1");
    if (r->status == 401)
        MHD_add_response_header(response, "WWW-Authenticate", "Bearer");
    ok = MHD_queue_response(c->connection, (unsigned)r->status, response);
    MHD_destroy_response(response);
    return ok;
}

/* ---- what models are --------------------------------------------------------------- */

static void put_tensors(Out *o, const char *key, const SignatureTensor *t, int n)
{
    out_printf(o, ",\"%s\":[", key);
    for (int i = 0; i < n; i++) {
        out_text(o, i ? ",{\"name\":" : "{\"name\":");
        out_string(o, t[i].name);
        out_printf(o, ",\"datatype\":\"%s\",\"shape\":[", serve_type(t[i].dtype));
        for (int k = 0; k < t[i].rank; k++)
            out_printf(o, "%s%lld", k ? "," : "", (long long)t[i].dims[k]);
        out_text(o, "]}");
    }
    out_text(o, "]");
}

typedef struct Listing {
    Out *o;
    const char *name; /* only this one; NULL: all */
    int n;
} Listing;

static void put_version(void *user, const ModelInstance *i)
{
    Listing *l = user;

    if (strcmp(i->name, l->name) == 0) {
        out_text(l->o, l->n++ ? "," : "");
        out_string(l->o, i->version);
    }
}

static void put_metadata(Server *s, Out *o, const ModelInstance *i)
{
    Listing l = {o, i->name, 0};

    out_text(o, "{\"name\":");
    out_string(o, i->name);
    out_text(o, ",\"versions\":[");
    models_each(s->models, put_version, &l);
    out_text(o, "],\"platform\":");
    out_string(o, i->platform);
    put_tensors(o, "inputs", i->in, i->nin);
    put_tensors(o, "outputs", i->out, i->nout);
    out_text(o, "}");
}

/* The time, in microseconds, that a part of the requests did not take longer than: the bound of its bucket. */
static double quantile(const Stats *s, double part)
{
    unsigned long long all = 0, sum = 0;

    for (int k = 0; k < SERVE_BUCKETS; k++)
        all += atomic_load(&s->bucket[k]);
    for (int k = 0; k < SERVE_BUCKETS; k++)
        if (all && (double)(sum += atomic_load(&s->bucket[k])) >= part * (double)all)
            return (double)(1u << k);
    return 0;
}

static void put_stats(void *user, const ModelInstance *i)
{
    Listing *l = user;
    const Stats *s = i->stats;

    if (l->name && strcmp(l->name, i->name) != 0)
        return;
    out_text(l->o, l->n++ ? ",{\"name\":" : "{\"name\":");
    out_string(l->o, i->name);
    out_text(l->o, ",\"version\":");
    out_string(l->o, i->version);
    out_printf(l->o,
               ",\"inference_count\":%llu,\"execution_count\":%llu,\"p50_us\":%.0f,\"p99_"
               "us\":%.0f,\"inference_stats\":{"
               "\"success\":{\"count\":%llu,\"ns\":%llu},\"fail\":{\"count\":%llu,\"ns\":"
               "0},\"queue\":{\"count\":%llu,\"ns\":%llu},"
               "\"compute_infer\":{\"count\":%llu,\"ns\":%llu}}}",
               atomic_load(&s->count), atomic_load(&s->runs), quantile(s, 0.5),
               quantile(s, 0.99), atomic_load(&s->success), atomic_load(&s->request_ns),
               atomic_load(&s->failure), atomic_load(&s->success),
               atomic_load(&s->queue_ns), atomic_load(&s->success),
               atomic_load(&s->compute_ns));
}

static void put_index(void *user, const ModelInstance *i)
{
    Listing *l = user;

    out_text(l->o, l->n++ ? ",{\"name\":" : "{\"name\":");
    out_string(l->o, i->name);
    out_text(l->o, ",\"version\":");
    out_string(l->o, i->version);
    out_text(l->o, ",\"state\":\"READY\",\"reason\":\"\"}");
}

/* ---- metrics ----------------------------------------------------------------------- */

enum { M_SUCCESS, M_FAILURE, M_COUNT, M_RUNS, M_REQUEST, M_QUEUE, M_COMPUTE, M_ALL };
static const struct {
    const char *name, *help;
} metrics[M_ALL] = {
    {"weft_inference_request_success", "Requests that were answered"},
    {"weft_inference_request_failure", "Requests that failed"},
    {"weft_inference_count", "Rows that were run"},
    {"weft_inference_exec_count", "Runs, of one request or of several together"},
    {"weft_inference_request_duration_us", "Time of requests from arrival to answer"},
    {"weft_inference_queue_duration_us", "Time that requests waited"},
    {"weft_inference_compute_infer_duration_us", "Time of runs"},
};

typedef struct Metric {
    Out *o;
    int which;
} Metric;

static void put_metric(void *user, const ModelInstance *i)
{
    const Metric *m = user;
    const Stats *s = i->stats;
    const unsigned long long v[M_ALL] = {atomic_load(&s->success),
                                         atomic_load(&s->failure),
                                         atomic_load(&s->count),
                                         atomic_load(&s->runs),
                                         atomic_load(&s->request_ns) / 1000,
                                         atomic_load(&s->queue_ns) / 1000,
                                         atomic_load(&s->compute_ns) / 1000};

    out_printf(m->o, "%s{model=\"%s\",version=\"%s\"} %llu\n", metrics[m->which].name,
               i->name, i->version, v[m->which]);
}

static void put_histogram(void *user, const ModelInstance *i)
{
    const Metric *m = user;
    unsigned long long sum = 0;

    for (int k = 0; k < SERVE_BUCKETS; k++) {
        sum += atomic_load(&i->stats->bucket[k]);
        if (k < SERVE_BUCKETS - 1)
            out_printf(m->o,
                       "weft_request_seconds_bucket{model=\"%s\",version=\"%s\",le=\"%."
                       "6f\"} %llu\n",
                       i->name, i->version, (double)(1u << k) * 1e-6, sum);
    }
    out_printf(
        m->o,
        "weft_request_seconds_bucket{model=\"%s\",version=\"%s\",le=\"+Inf\"} %llu\n"
        "weft_request_seconds_sum{model=\"%s\",version=\"%s\"} %.6f\n"
        "weft_request_seconds_count{model=\"%s\",version=\"%s\"} %llu\n",
        i->name, i->version, sum, i->name, i->version,
        (double)atomic_load(&i->stats->request_ns) * 1e-9, i->name, i->version, sum);
}

static void get_metrics(Server *s, Reply *r)
{
    Metric m = {&r->out, 0};

    r->type = "text/plain; version=0.0.4";
    for (m.which = 0; m.which < M_ALL; m.which++) {
        out_printf(&r->out, "# HELP %s %s\n# TYPE %s counter\n", metrics[m.which].name,
                   metrics[m.which].help, metrics[m.which].name);
        models_each(s->models, put_metric, &m);
    }
    out_text(&r->out, "# HELP weft_request_seconds Time of requests\n# TYPE "
                      "weft_request_seconds histogram\n");
    models_each(s->models, put_histogram, &m);
    out_printf(
        &r->out,
        "# HELP weft_queue_length Requests that wait\n# TYPE weft_queue_length "
        "gauge\nweft_queue_length %lld\n"
        "# HELP weft_requests_in_flight Requests that are being read, run or answered\n"
        "# TYPE weft_requests_in_flight gauge\nweft_requests_in_flight %lld\n",
        s->queue ? (long long)serve_queue_length(s->queue) : 0,
        (long long)atomic_load(&s->calls));
}

/* ---- paths ------------------------------------------------------------------------- */

static void put_nothing(FILE *f, void *user)
{
    (void)user;
    fputs("null\n", f);
}

static void get_page(Reply *r)
{
    FILE *f = open_memstream(&r->out.s, &r->out.n);

    if (!f) {
        r->out.lost = true;
        return;
    }
    r->type = "text/html; charset=utf-8";
    page_write(f, page_serve, "Weft", put_nothing, NULL);
    fclose(f);
    r->out.room = r->out.n;
}

static void get_root(Server *s, const char *path, Reply *r)
{
    Listing l = {&r->out, NULL, 0};

    if (strcmp(path, "/") == 0) {
        get_page(r);
    } else if (strcmp(path, "/metrics") == 0) {
        get_metrics(s, r);
    } else if (strcmp(path, "/v2") == 0 || strcmp(path, "/v2/") == 0) {
        out_text(&r->out, "{\"name\":\"weft\",\"version\":\"" WF_VERSION
                          "\",\"extensions\":[\"binary_tensor_data\",\"model_"
                          "repository\",\"statistics\"]}");
    } else if (strcmp(path, "/v2/health/live") == 0) {
        out_text(&r->out, "{\"live\":true}");
    } else if (strcmp(path, "/v2/health/ready") == 0) {
        r->status = atomic_load(&s->ready) ? 200 : 503;
        out_printf(&r->out, "{\"live\":true,\"ready\":%s}",
                   r->status == 200 ? "true" : "false");
    } else if (strcmp(path, "/v2/models/stats") == 0) {
        out_text(&r->out, "{\"model_stats\":[");
        models_each(s->models, put_stats, &l);
        out_text(&r->out, "]}");
    } else {
        reply_error(r, 404, "there is nothing at %s", path);
    }
}

/* /v2/models/NAME[/versions/VERSION][/WHAT]: its parts, cut out of a copy. */
typedef struct Path {
    char text[512];
    char *name, *version, *what;
} Path;

static bool read_path(const char *path, Path *out)
{
    char *s;

    if (strncmp(path, "/v2/models/", 11) != 0 || strlen(path + 11) >= sizeof out->text)
        return false;
    *out = (Path){.name = NULL};
    strcpy(out->text, path + 11);
    out->name = out->text;
    if ((s = strchr(out->text, '/')))
        *s++ = 0;
    if (s && strncmp(s, "versions/", 9) == 0) {
        out->version = s + 9;
        if ((s = strchr(out->version, '/')))
            *s++ = 0;
    }
    out->what = s ? s : (char *)"";
    return *out->name != 0 && (!strchr(out->what, '/'));
}

static void get_model(Server *s, const Path *p, Reply *r)
{
    ModelInstance *i = models_get(s->models, p->name, p->version);
    Listing l = {&r->out, p->name, 0};

    if (!i) {
        reply_error(r, 404, "there is no model '%s'%s%s", p->name,
                    p->version ? " of version " : "", p->version ? p->version : "");
    } else if (!*p->what) {
        put_metadata(s, &r->out, i);
    } else if (strcmp(p->what, "ready") == 0) {
        out_text(&r->out, "{\"name\":");
        out_string(&r->out, i->name);
        out_text(&r->out, ",\"ready\":true}");
    } else if (strcmp(p->what, "stats") == 0) {
        out_text(&r->out, "{\"model_stats\":[");
        models_each(s->models, put_stats, &l);
        out_text(&r->out, "]}");
    } else {
        reply_error(r, 404, "a model has no '%s'", p->what);
    }
    instance_release(i);
}

/* ---- inference --------------------------------------------------------------------- */

static void infer_done(void *user)
{
    Call *c = user;

    MHD_resume_connection(c->connection);
}

static void answer(Call *c, Reply *r)
{
    Infer *q = &c->infer;
    wf_ctx *cx = context(c->s);

    r->status = q->status;
    if (q->status == 200 && cx)
        infer_write(cx, q, &r->out, &r->header);
    else
        reply_error(r, q->status == 200 ? 503 : q->status, "%s", q->error);
    if (q->instance)
        infer_count(q, serve_clock());
}

/* True: the request waits, there is nothing to send yet. */
static bool infer(Call *c, const Path *p, Reply *r)
{
    Server *s = c->s;
    Infer *q = &c->infer;
    wf_ctx *cx = context(s);
    const char *header = MHD_lookup_connection_value(c->connection, MHD_HEADER_KIND,
                                                     "Inference-Header-Content-Length");
    char *end = NULL;
    long long n = header ? strtoll(header, &end, 10) : -1;

    q->arrived = c->arrived;
    if (!cx || !c->body.s || (header && (*end || n < 0))) {
        reply_error(r, !cx ? 503 : 400,
                    !cx      ? "out of memory"
                    : header ? "Inference-Header-Content-Length: no number"
                             : "no request");
        return false;
    }
    if (!(q->instance = models_get(s->models, p->name, p->version))) {
        reply_error(r, 404, "there is no model '%s'%s%s", p->name,
                    p->version ? " of version " : "", p->version ? p->version : "");
        return false;
    }
    if (infer_read(cx, q, c->body.s, c->body.n, n)) {
        if (s->queue) {
            c->waits = true;
            c->waiting = (Waiting){.r = q, .done = infer_done, .user = c};
            MHD_suspend_connection(c->connection);
            if (!serve_queue_add(s->queue, &c->waiting)) {
                infer_fail(q, 503, "too many requests wait");
                MHD_resume_connection(c->connection);
            }
            return true;
        }
        infer_run(cx, q, 0);
    }
    answer(c, r);
    return false;
}

/* ---- requests ---------------------------------------------------------------------- */

/* In a time that does not tell how much of it is right. */
static bool may_ask(const Call *c)
{
    const char *given = MHD_lookup_connection_value(c->connection, MHD_HEADER_KIND,
                                                    "Authorization"),
               *token = c->s->o->token;
    size_t n, m;
    unsigned wrong;

    if (!token)
        return true;
    if (!given || strncmp(given, "Bearer ", 7) != 0)
        return false;
    given += 7;
    n = strlen(token);
    m = strlen(given);
    wrong = m != n;
    for (size_t i = 0; i < n; i++)
        wrong |=
            (unsigned)((unsigned char)token[i] ^ (unsigned char)given[i < m ? i : m]);
    return !wrong;
}

static bool dispatch(Call *c, const char *method, const char *path, Reply *r)
{
    bool get = strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0,
         post = strcmp(method, "POST") == 0;
    Listing l = {&r->out, NULL, 0};
    Path p;

    if (c->refused)
        reply_error(
            r, c->refused,
            c->refused == 413 ? "the request is larger than %lld bytes"
                              : "too much is being asked at once; "
                                "the bound is %lld bytes",
            (long long)(c->refused == 413 ? c->s->o->most_bytes : c->s->o->most_memory));
    else if (strncmp(path, "/v2/health/", 11) != 0 && strcmp(path, "/") != 0 &&
             !may_ask(c))
        reply_error(r, 401, "a token is needed: Authorization: Bearer ...");
    else if (post && strcmp(path, "/v2/repository/index") == 0) {
        out_text(&r->out, "[");
        models_each(c->s->models, put_index, &l);
        out_text(&r->out, "]");
    } else if (!get && !post)
        reply_error(r, 405, "GET and POST are what this server knows");
    else if (strcmp(path, "/v2/models/stats") != 0 && read_path(path, &p)) {
        if (post && strcmp(p.what, "infer") == 0)
            return infer(c, &p, r);
        if (get && strcmp(p.what, "infer") != 0)
            get_model(c->s, &p, r);
        else
            reply_error(r, 405, "%s of %s", method, path);
    } else if (get)
        get_root(c->s, path, r);
    else
        reply_error(r, 404, "there is nothing to post to at %s", path);
    return false;
}

/* A piece of the body, as far as bounds allow. */
static void take_body(Call *c, const char *data, size_t n)
{
    Server *s = c->s;

    if (c->refused)
        return;
    if (c->body.n + n > (size_t)s->o->most_bytes)
        c->refused = 413;
    else if (atomic_fetch_add(&s->bytes, (long long)n) + (long long)n > s->o->most_memory)
        c->refused = 503, atomic_fetch_sub(&s->bytes, (long long)n);
    else
        out_bytes(&c->body, data, n);
    if (c->body.lost)
        c->refused = 503;
}

static enum MHD_Result begin(Server *s, struct MHD_Connection *connection, void **state)
{
    Call *c = calloc(1, sizeof *c);

    if (!c)
        return MHD_NO;
    *c = (Call){.s = s, .connection = connection, .arrived = serve_clock()};
    *state = c;
    atomic_fetch_add(&s->calls, 1);
    return MHD_YES;
}

static enum MHD_Result handle(void *user, struct MHD_Connection *connection,
                              const char *url, const char *method, const char *version,
                              const char *data, size_t *size, void **state)
{
    Call *c = *state;
    Reply r = {.status = 200, .type = "application/json"};

    (void)version;
    if (!c) {
        const char *length =
            MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Length");

        if (begin(user, connection, state) == MHD_NO)
            return MHD_NO;
        c = *state;
        if (!length || strtoll(length, NULL, 10) <= c->s->o->most_bytes)
            return MHD_YES;
        c->refused = 413; /* answered before it is read; the connection ends */
    } else if (*size) {
        take_body(c, data, *size);
        *size = 0;
        return MHD_YES;
    }
    if (c->waits)
        answer(c, &r);
    else if (dispatch(c, method, url, &r))
        return MHD_YES;
    return send_reply(c, &r, method, url);
}

static void completed(void *user, struct MHD_Connection *connection, void **state,
                      enum MHD_RequestTerminationCode why)
{
    Call *c = *state;

    (void)user;
    (void)connection;
    (void)why;
    if (!c)
        return;
    infer_free(&c->infer);
    atomic_fetch_sub(&c->s->bytes, (long long)c->body.n);
    atomic_fetch_sub(&c->s->calls, 1);
    free(c->body.s);
    free(c);
    *state = NULL;
}

/* ---- the daemon -------------------------------------------------------------------- */

static char *file_text(const char *path)
{
    FILE *f = path ? fopen(path, "r") : NULL;
    char *s = NULL;
    size_t n = 0;

    if (f && getdelim(&s, &n, 0, f) < 0) {
        free(s);
        s = NULL;
    }
    if (path && !s)
        fprintf(stderr, "weft serve: cannot read %s: %s\n", path, strerror(errno));
    if (f)
        fclose(f);
    return s;
}

static struct MHD_Daemon *start(Server *s, char *cert, char *key)
{
    const ServeOptions *o = s->o;
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)o->port)};
    unsigned flags = MHD_USE_EPOLL | MHD_USE_INTERNAL_POLLING_THREAD |
                     MHD_ALLOW_SUSPEND_RESUME | MHD_USE_TURBO;
    struct MHD_OptionItem tls[] = {{MHD_OPTION_HTTPS_MEM_CERT, 0, cert},
                                   {MHD_OPTION_HTTPS_MEM_KEY, 0, key},
                                   {MHD_OPTION_END, 0, NULL}};
    const struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};

    if (inet_pton(AF_INET, o->address, &at.sin_addr) != 1) {
        fprintf(stderr, "weft serve: --address=%s is no address\n", o->address);
        return NULL;
    }
    if (cert)
        flags |= MHD_USE_TLS;
    return MHD_start_daemon(flags, 0, NULL, NULL, handle, s, MHD_OPTION_SOCK_ADDR,
                            (struct sockaddr *)&at, MHD_OPTION_THREAD_POOL_SIZE,
                            (unsigned)o->threads, MHD_OPTION_CONNECTION_LIMIT,
                            (unsigned)o->connections, MHD_OPTION_CONNECTION_TIMEOUT, 60u,
                            MHD_OPTION_NOTIFY_COMPLETED, completed, NULL,
                            MHD_OPTION_ARRAY, cert ? tls : none, MHD_OPTION_END);
}

static void count_models(void *user, const ModelInstance *i)
{
    (void)i;
    ++*(int *)user;
}

static void watch(Server *s, struct MHD_Daemon *d, const volatile sig_atomic_t *stop)
{
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(d, MHD_DAEMON_INFO_BIND_PORT);
    int n = 0;

    models_each(s->models, count_models, &n);
    fprintf(stderr, "weft serve: %d models on http%s://%s:%d\n", n, s->o->cert ? "s" : "",
            s->o->address, info && info->port ? info->port : (int)s->o->port);
    atomic_store(&s->ready, true);
    while (!*stop) {
        nanosleep(&(struct timespec){0, 300000000}, NULL);
        if (!*stop)
            models_scan(s->models);
        if (s->log)
            fflush(s->log);
    }
}

/* No new connections; what is under way is answered, for so many seconds. */
static void end(Server *s, struct MHD_Daemon *d)
{
    MHD_socket listening;

    atomic_store(&s->ready, false);
    listening = MHD_quiesce_daemon(d);
    for (int i = 0; i < 300 && atomic_load(&s->calls) > 0; i++)
        nanosleep(&(struct timespec){0, 100000000}, NULL);
    if (s->queue)
        serve_queue_close(s->queue);
    MHD_stop_daemon(d);
    if (listening >= 0)
        close(listening);
}

int serve_run(const ServeOptions *o, const volatile sig_atomic_t *stop)
{
    Server s = {.o = o, .runtime = wf_runtime_new(NULL), .start = serve_clock()};
    char *cert = file_text(o->cert), *key = file_text(o->key);
    struct MHD_Daemon *d = NULL;
    int status = 3;

    if (o->log && !(s.log = strcmp(o->log, "-") == 0 ? stderr : fopen(o->log, "a")))
        fprintf(stderr, "weft serve: cannot write %s: %s\n", o->log, strerror(errno));
    else if (load_library() && s.runtime && (!o->cert || (cert && key)) &&
             pthread_key_create(&s.context, free_context) == 0) {
        s.models = models_open(o, s.runtime, stderr);
        s.queue = o->queued ? serve_queue_open(o, s.runtime) : NULL;
        if (s.models && (s.queue || !o->queued) && (d = start(&s, cert, key))) {
            watch(&s, d, stop);
            end(&s, d);
            status = 0;
        } else {
            fprintf(stderr, "weft serve: cannot listen on %s:%lld: %s\n", o->address,
                    (long long)o->port, strerror(errno));
            if (s.queue)
                serve_queue_close(s.queue);
        }
        free_context(pthread_getspecific(s.context));
        pthread_key_delete(s.context);
        if (s.models)
            models_close(s.models);
    }
    if (s.log && s.log != stderr)
        fclose(s.log);
    wf_runtime_release(s.runtime);
    free(cert);
    free(key);
    return status;
}
