/* cmd_serve.c -- weft serve: models of a folder over HTTP (src/serve, where libmicrohttpd was there when this was built). */
#include "cli.h"

#ifdef WEFT_HTTP
#include "serve/serve.h"
#endif

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    OPT_PORT,
    OPT_ADDRESS,
    OPT_THREADS,
    OPT_WORKERS,
    OPT_BATCH,
    OPT_LANES,
    OPT_DELAY,
    OPT_QUEUE,
    OPT_TIMEOUT,
    OPT_MAX_BYTES,
    OPT_MAX_MEMORY,
    OPT_CONNECTIONS,
    OPT_TOKEN,
    OPT_CERT,
    OPT_KEY,
    OPT_LOG
};

#ifdef WEFT_HTTP

static volatile sig_atomic_t stopped;

static void on_stop(int sig)
{
    (void)sig;
    stopped = 1;
}

static bool read_number(CliArgs *a, const char *option, int64_t least, int64_t most,
                        int64_t *out)
{
    if (!args_number(a, option, out))
        return false;
    if (*out >= least && *out <= most)
        return true;
    usage_error(a->command, "--%s: from %lld to %lld", option, (long long)least,
                (long long)most);
    return false;
}

/* The first line of the file. */
static bool read_token(CliArgs *a, ServeOptions *o)
{
    size_t n;
    char *text = load_text(a->value, &n);
    char *token = text ? cli_need_memory(n + 1) : NULL;

    if (!text)
        return false;
    memcpy(token, text, n);
    free(text);
    token[strcspn(token, "\r\n")] = 0;
    if (!*token) {
        usage_error(a->command, "--token=%s: the file has no token in its first line",
                    a->value);
        free(token);
        return false;
    }
    o->token = token;
    return true;
}

/* "2,1,cuda:0": so many threads of the host, or a device, each. */
static bool read_lanes(CliArgs *a, ServeOptions *o)
{
    const char *s = a->value;

    for (o->nlanes = 0; *s && o->nlanes < SERVE_LANES; s += *s == ',') {
        ServeLane *l = &o->lanes[o->nlanes++];
        size_t n = strcspn(s, ",");
        bool number = n && strspn(s, "0123456789") >= n;

        if (!n || n >= sizeof l->device || (number && (n > 4 || atoi(s) < 1)))
            break;
        snprintf(l->device, sizeof l->device, "%.*s", number ? 3 : (int)n, number ? "cpu" : s);
        l->threads = number ? atoi(s) : 1;
        s += n;
    }
    o->queued = true;
    if (!*s && o->nlanes)
        return true;
    usage_error(a->command, "--lanes=%s: numbers of threads or names of devices, with commas between", a->value);
    return false;
}

/* Every device is there, and no more threads than cores. */
static int check_lanes(const ServeOptions *o, long cores)
{
    wf_ctx *cx = new_context(1);
    int status = cx ? DONE : ENVIRONMENT;
    long threads = 0;
    wf_device *d;

    for (int i = 0; i < o->nlanes && status == DONE; i++) {
        threads += o->lanes[i].threads;
        if (wf_device_find(cx, o->lanes[i].device, &d) != WF_OK)
            status = cli_report(cx);
    }
    if (status == DONE && o->nlanes > 1 && threads > cores)
        cli_complain("lanes of %ld threads on %ld cores: they will wait for each other", threads, cores);
    wf_ctx_free(cx);
    return status;
}

static bool read_one(CliArgs *a, int k, ServeOptions *o, int64_t *workers)
{
    const int64_t many = (int64_t)1 << 40;

    switch (k) {
    case ARG_WORD:
        if (o->folder)
            return usage_error(a->command, "one folder, found '%s' too", a->value), false;
        o->folder = a->value;
        return true;
    case OPT_PORT: return read_number(a, "port", 0, 65535, &o->port);
    case OPT_ADDRESS: o->address = a->value; return true;
    case OPT_THREADS: return read_number(a, "threads", 1, 256, &o->threads);
    case OPT_WORKERS: return read_number(a, "workers", 1, SERVE_LANES, workers);
    case OPT_LANES: return read_lanes(a, o);
    case OPT_BATCH: return read_number(a, "batch", 1, 1 << 20, &o->batch);
    case OPT_DELAY: return read_number(a, "delay", 0, 60000000, &o->delay);
    case OPT_QUEUE: return read_number(a, "queue", 1, 1 << 24, &o->queue);
    case OPT_TIMEOUT: return read_number(a, "timeout", 1, 86400000, &o->timeout);
    case OPT_MAX_BYTES: return read_number(a, "max-bytes", 1, many, &o->most_bytes);
    case OPT_MAX_MEMORY: return read_number(a, "max-memory", 1, many, &o->most_memory);
    case OPT_CONNECTIONS:
        return read_number(a, "connections", 1, 1 << 20, &o->connections);
    case OPT_TOKEN: return read_token(a, o);
    case OPT_CERT: o->cert = a->value; return true;
    case OPT_KEY: o->key = a->value; return true;
    case OPT_LOG: o->log = a->value; return true;
    default: return false;
    }
}

static int check_args(CliArgs *a, const ServeOptions *o)
{
    struct stat st;

    if (!o->folder)
        return usage_error(a->command, "which folder?");
    if ((o->cert == NULL) != (o->key == NULL))
        return usage_error(a->command, "--cert and --key go together");
    if (stat(o->folder, &st) != 0 || !S_ISDIR(st.st_mode)) {
        cli_complain("%s is no folder", o->folder);
        return USER;
    }
    return DONE;
}

static int run(CliArgs *a)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    ServeOptions o = {.address = "127.0.0.1",
                      .port = 8000,
                      .threads = cores > 0 ? cores : 1,
                      .batch = 1,
                      .delay = 1000,
                      .queue = 1024,
                      .timeout = 10000,
                      .most_bytes = 64 << 20,
                      .most_memory = (int64_t)1 << 30,
                      .connections = 1024};
    struct sigaction sa = {.sa_handler = on_stop};
    int64_t workers = 0;
    int k, status = DONE;

    while (status == DONE && (k = args_next(a)) != ARG_END)
        status = read_one(a, k, &o, &workers) ? DONE : USAGE;
    if (status == DONE && workers && o.nlanes)
        status = usage_error(a->command, "--workers=N is N lanes of one thread: --lanes says that already");
    if (status == DONE)
        status = check_args(a, &o);
    if (status == DONE && !o.nlanes)
        for (int64_t i = 0; i < (workers ? workers : 1); i++)
            o.lanes[o.nlanes++] = (ServeLane){"cpu", workers > 1 ? 1 : 0};
    o.queued = o.queued || o.batch > 1;
    if (status == DONE)
        status = check_lanes(&o, cores);
    if (status == DONE) {
        sigaction(SIGINT, &sa, NULL);
        sigaction(SIGTERM, &sa, NULL);
        status = serve_run(&o, &stopped);
    }
    free((char *)(uintptr_t)o.token);
    return status;
}

#else
static int run(CliArgs *a)
{
    (void)a;
    cli_complain("this build cannot serve: libmicrohttpd was not there (package "
             "libmicrohttpd-dev), then build again");
    return ENVIRONMENT;
}
#endif

static const Option options[] = {
    {"port", OPT_VALUE, OPT_PORT, "N", "8000 if not given; 0: any that is free"},
    {"address", OPT_VALUE, OPT_ADDRESS, "A",
     "127.0.0.1 if not given; 0.0.0.0: from anywhere"},
    {"batch", OPT_VALUE, OPT_BATCH, "ROWS",
     "rows of several requests that are run together, at most; 1 if not given"},
    {"delay", OPT_VALUE, OPT_DELAY, "US",
     "microseconds that a request waits for others, 1000"},
    {"queue", OPT_VALUE, OPT_QUEUE, "N",
     "requests that wait, at most, 1024; more are answered with 503"},
    {"timeout", OPT_VALUE, OPT_TIMEOUT, "MS",
     "milliseconds that a request waits, at most, 10000"},
    {"lanes", OPT_VALUE, OPT_LANES, "LIST",
     "where requests are run side by side, with commas between: so many threads of the host, or a device: 2,1,1 or cuda:0,cuda:1"},
    {"workers", OPT_VALUE, OPT_WORKERS, "N", "that many lanes of one thread, for what is batched; 1 (of all threads) if not given"},
    {"threads", OPT_VALUE, OPT_THREADS, "N",
     "threads that speak HTTP; as many as there are cores"},
    {"max-bytes", OPT_VALUE, OPT_MAX_BYTES, "N",
     "of a request, 64 MiB; more is answered with 413"},
    {"max-memory", OPT_VALUE, OPT_MAX_MEMORY, "N",
     "of all requests together, 1 GiB; more is answered with 503"},
    {"connections", OPT_VALUE, OPT_CONNECTIONS, "N", "at once, 1024"},
    {"token", OPT_VALUE, OPT_TOKEN, "FILE",
     "whose first line requests must bring: Authorization: Bearer TOKEN"},
    {"cert", OPT_VALUE, OPT_CERT, "FILE", "a certificate (PEM): TLS"},
    {"key", OPT_VALUE, OPT_KEY, "FILE", "its key (PEM)"},
    {"log", OPT_VALUE, OPT_LOG, "FILE", "a line for each request; - is standard error"},
    {NULL, OPT_FLAG, 0, NULL, NULL},
};

const Command cmd_serve = {
    .name = "serve",
    .usage = "FOLDER [OPTION...]",
    .summary = "serve the models of a folder over HTTP",
    .help = "Serves NAME.weft, NAME.onnx and NAME/VERSION/FILE of FOLDER by the Open "
            "Inference Protocol v2, with a page at / to look\n"
            "at and try them. Files that change are loaded again, without losing a "
            "request. docs/serve.md tells more.",
    .options = options,
    .run = run,
};
