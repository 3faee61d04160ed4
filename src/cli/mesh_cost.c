/* mesh_cost.c -- weft show --mesh --cost: what each device of a mesh does, and how long it takes on a machine that is given, or on
 * this one, measured. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- machines ---- */

static const char *const fields[] = {"flops", "memory", "latency", "link"};

static double *field(wf_machine *m, int k)
{
    return k == 0 ? &m->flops : k == 1 ? &m->memory : k == 2 ? &m->latency : &m->link;
}

/* "flops:1e11,memory:2e10,latency:1e-6,link:1e10" */
static int read_machine(const char *text, wf_machine *m)
{
    while (*text) {
        size_t n = strcspn(text, ":,");
        char *end = NULL;
        double v;
        int k = 0;

        while (k < 4 && (strlen(fields[k]) != n || strncmp(fields[k], text, n) != 0))
            k++;
        v = text[n] == ':' ? strtod(text + n + 1, &end) : -1;
        if (k == 4 || !end || end == text + n + 1 || (*end && *end != ',') || !(v > 0)) {
            cli_complain("--machine=%s: needs flops, memory, latency and link, each with a "
                     "number above 0: flops:1e11,latency:1e-6",
                     text);
            return USAGE;
        }
        *field(m, k) = v;
        text = *end ? end + 1 : end;
    }
    for (int k = 0; k < 4; k++)
        if (*field(m, k) == 0) {
            cli_complain("--machine says nothing of %s", fields[k]);
            return USAGE;
        }
    return DONE;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of the quickest of some runs of a program of one input, on two devices of this process. */
static double time_two(wf_ctx *cx, const char *body, int64_t count)
{
    char text[512];
    wf_model *m = NULL;
    wf_exec *e = NULL;
    wf_array *in = NULL, *out = NULL;
    double best = 1e9;

    snprintf(text, sizeof text,
             "part(x: f32[%lld]) {\n  y = %s\n  ret y\n}\n"
             "main(x: f32[%lld]) {\n  y = spmd x body=part mesh=\"d:2\" in=\"d\" "
             "out=\"d\"\n  ret y\n}\n",
             (long long)count, body, (long long)(2 * count));
    if (wf_model_parse(cx, "two devices", text, strlen(text), &m) == WF_OK &&
        wf_prepare(cx, wf_model_find(m, "main"), &e) == WF_OK &&
        wf_array_new(cx, WF_F32, (const int64_t[]){2 * count}, 1, &in) == WF_OK) {
        memset(wf_array_data_mutable(in), 0, (size_t)(8 * count));
        for (int k = 0; k < 30 && wf_ctx_status(cx) == WF_OK; k++) {
            double t = now();

            wf_run(cx, e, &in, 1, &out, 1);
            t = now() - t;
            best = t < best ? t : best;
            wf_array_release(out);
            out = NULL;
        }
    }
    wf_array_release(in);
    wf_exec_release(e);
    wf_model_free(m);
    return best;
}

/* Devices are threads here, which share the processors there are. */
static int measure(wf_ctx *cx, int64_t devices, wf_machine *m)
{
    const int64_t large = 1 << 20;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    double share = cores > 0 && devices > cores ? (double)cores / (double)devices : 1,
           small, big, idle;

    if (wf_machine_speed(cx, &m->flops, &m->memory) != WF_OK)
        return cli_report(cx);
    idle = time_two(cx, "neg x", 16);
    small = time_two(cx, "psum x axis=\"d\"", 16);
    big = time_two(cx, "psum x axis=\"d\"", large) - time_two(cx, "neg x", large);
    if (wf_ctx_status(cx) != WF_OK)
        return cli_report(cx);
    m->flops *= share;
    m->memory *= share;
    m->latency = small > idle ? (small - idle) / 2
                              : 1e-7; /* a ring of two: two turns, and all bytes once */
    m->link = 4 * (double)large / (big > 1e-6 ? big : 1e-6);
    return DONE;
}

int show_mesh_cost(wf_ctx *cx, const wf_program *p, const char *given)
{
    wf_machine m = {.size = sizeof m};
    wf_mesh_cost c = {.size = sizeof c};
    int status;

    if (wf_program_mesh_cost(cx, p, &m, &c) != WF_OK)
        return cli_report(cx);
    status = given ? read_machine(given, &m) : measure(cx, c.devices, &m);
    if (status != DONE)
        return status;
    wf_program_mesh_cost(cx, p, &m, &c);
    printf("%-20s %lld\n", "devices", (long long)c.devices);
    printf("%-20s %.0f\n", "flops", c.flops);
    printf("%-20s %.0f\n", "bytes moved", c.bytes);
    printf("%-20s %.0f\n", "live bytes", c.live_bytes);
    printf("%-20s %.0f in %.0f exchanges\n", "bytes sent", c.sent_bytes, c.exchanges);
    printf("%-20s %.3g flops/s, %.3g bytes/s in memory, %.3g s latency, %.3g bytes/s on "
           "a link%s\n",
           "a device", m.flops, m.memory, m.latency, m.link, given ? "" : " (measured)");
    printf("%-20s %.4g ms to compute, %.4g ms to exchange\n", "predicted",
           1e3 * c.compute_seconds, 1e3 * c.sent_seconds);
    return DONE;
}
