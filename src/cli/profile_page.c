/* profile_page.c -- a profile as a page (pages/profile.html), or as the JSON of Chrome's tracing, which chrome://tracing and
 * Perfetto open. */
#include "cli.h"
#include "pages/pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct ProfilePage {
    const wf_profile *p;
    const char *title;
} ProfilePage;

static void put_step(FILE *f, const wf_profile_step *s)
{
    fputs("{\"op\":", f);
    page_string(f, s->op);
    fputs(",\"type\":", f);
    page_string(f, s->type);
    fputs(",\"place\":", f);
    page_string(f, s->place);
    fprintf(f, ",\"calls\":%lld,\"seconds\":", (long long)s->calls);
    page_number(f, s->seconds);
    fputs(",\"flops\":", f);
    page_number(f, s->flops);
    fputs(",\"bytes\":", f);
    page_number(f, s->bytes);
    fputc('}', f);
}

/* The file of a place, "model.py:12", if it is the first step that names it; malloc'ed. */
static char *new_file(const wf_profile *p, int step)
{
    const char *place = wf_profile_step_at(p, step)->place, *colon = strrchr(place, ':');
    size_t n = colon ? (size_t)(colon - place) : 0;

    if (!n)
        return NULL;
    for (int i = 0; i < step; i++) {
        const char *other = wf_profile_step_at(p, i)->place;

        if (strncmp(other, place, n + 1) == 0 && !strchr(other + n + 1, ':'))
            return NULL;
    }
    return strndup(place, n);
}

static void put_sources(FILE *f, const wf_profile *p)
{
    bool any = false;

    for (int i = 0; i < wf_profile_steps(p); i++) {
        char *path = new_file(p, i);

        any |= path && show_page_source(f, path, !any);
        free(path);
    }
}

static void put_data(FILE *f, void *user)
{
    const ProfilePage *g = user;
    const wf_profile *p = g->p;

    fputs("{\"title\":", f);
    page_string(f, g->title);
    fputs(",\"seconds\":", f);
    page_number(f, wf_profile_seconds(p));
    fprintf(f, ",\"runs\":%d,\"steps\":[", wf_profile_runs(p));
    for (int i = 0; i < wf_profile_steps(p); i++) {
        fputs(i ? ",\n" : "", f);
        put_step(f, wf_profile_step_at(p, i));
    }
    fputs("],\"events\":[", f);
    for (int i = 0; i < wf_profile_events(p); i++) {
        wf_profile_event e = wf_profile_event_at(p, i);

        fprintf(f, "%s[%d,%d,%.9f,%.9f]", i ? "," : "", e.step, e.depth, e.start,
                e.seconds);
    }
    fputs("],\"shares\":[", f);
    for (int i = 0; i < wf_profile_shares(p); i++) {
        wf_profile_share e = wf_profile_share_at(p, i);

        fprintf(f, "%s[%d,%d,%.9f,%.9f]", i ? "," : "", e.step, e.thread, e.start, e.seconds);
    }
    fputs("],\"memory\":[", f);
    for (int i = 0; i < wf_profile_samples(p); i++) {
        wf_profile_sample s = wf_profile_sample_at(p, i);

        fprintf(f, "%s[%.6f,%zu]", i ? "," : "", s.at, s.resident);
    }
    fputs("],\"sources\":{", f);
    put_sources(f, p);
    fputs("}}\n", f);
}

static void put_trace_event(FILE *f, const wf_profile_step *s, int row, double start, double seconds)
{
    fprintf(f, ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":%d,\"name\":", row);
    page_string(f, s->op);
    fprintf(f, ",\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"type\":", 1e6 * start, 1e6 * seconds);
    page_string(f, s->type);
    fputs(",\"place\":", f);
    page_string(f, s->place);
    fputs("}}", f);
}

/* Rows: 1, the thread that runs the steps; 2, exchanges; from 3 on, threads of the pool. */
static void put_trace(FILE *f, const wf_profile *p)
{
    int threads = 0;

    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
          "{\"ph\":\"M\",\"pid\":1,\"tid\":1,\"name\":\"thread_name\",\"args\":{\"name\":"
          "\"steps\"}},\n"
          "{\"ph\":\"M\",\"pid\":1,\"tid\":2,\"name\":\"thread_name\",\"args\":{\"name\":"
          "\"exchanges\"}}",
          f);
    for (int i = 0; i < wf_profile_events(p); i++) {
        wf_profile_event e = wf_profile_event_at(p, i);

        put_trace_event(f, wf_profile_step_at(p, e.step), e.depth < 0 ? 2 : 1, e.start, e.seconds);
    }
    for (int i = 0; i < wf_profile_shares(p); i++) {
        wf_profile_share e = wf_profile_share_at(p, i);

        for (; threads < e.thread; threads++)
            fprintf(f, ",\n{\"ph\":\"M\",\"pid\":1,\"tid\":%d,\"name\":\"thread_name\",\"args\":{\"name\":\"thread %d\"}}", threads + 3,
                    threads + 1);
        put_trace_event(f, wf_profile_step_at(p, e.step), 2 + e.thread, e.start, e.seconds);
    }
    for (int i = 0; i < wf_profile_samples(p); i++) {
        wf_profile_sample s = wf_profile_sample_at(p, i);

        fprintf(f,
                ",\n{\"ph\":\"C\",\"pid\":1,\"name\":\"memory\",\"ts\":%.3f,\"args\":{"
                "\"resident\":%zu}}",
                1e6 * s.at, s.resident);
    }
    fputs("\n]}\n", f);
}

void cli_profile_page(FILE *f, const wf_profile *p, const char *title, bool trace)
{
    if (trace)
        put_trace(f, p);
    else
        page_write(f, page_profile, title, put_data, &(ProfilePage){p, title});
}

int cli_profile_file(const char *path, const wf_profile *p, const char *title)
{
    size_t n = strlen(path);
    FILE *f = fopen(path, "w");
    bool ok = f != NULL;

    if (f) {
        cli_profile_page(f, p, title, n > 5 && strcmp(path + n - 5, ".json") == 0);
        ok = !ferror(f);
        ok &= fclose(f) == 0;
    }
    if (!ok)
        cli_complain("cannot write %s: %s", path, strerror(errno));
    return ok ? DONE : ENVIRONMENT;
}
