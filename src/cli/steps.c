/* steps.c -- the transform flags: --grad=x,1 --vmap=0,- --after=PASS ... in the order
 * given.
 *
 * Inputs are given by number or by name; a vmap takes for each input an axis, or - for
 * none, or axes by name: --vmap=x=0,mask=1.
 */
#include "cli.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

enum {
    STEP_GRAD = STEP_FIRST,
    STEP_VALUE_AND_GRAD,
    STEP_VJP,
    STEP_JVP,
    STEP_JACFWD,
    STEP_JACREV,
    STEP_HESSIAN,
    STEP_HVP,
    STEP_VMAP,
    STEP_AXIS_NAME,
    STEP_AFTER,
    STEP_SIZE,
    STEP_MESH,
    STEP_SHARD,
    STEP_BIND,
};

const Option steps_options[] = {
    {"grad", OPT_OPTIONAL, STEP_GRAD, "I,J",
     "the gradient of a scalar; I: number or name of an input, 0"},
    {"value-and-grad", OPT_OPTIONAL, STEP_VALUE_AND_GRAD, "I,J",
     "the results, then the gradient"},
    {"vjp", OPT_OPTIONAL, STEP_VJP, "I,J",
     "reverse mode: a cotangent for each float result comes in"},
    {"jvp", OPT_OPTIONAL, STEP_JVP, "I,J",
     "forward mode: a tangent for each of these inputs comes in"},
    {"jacfwd", OPT_OPTIONAL, STEP_JACFWD, "I,J", "Jacobian by forward mode"},
    {"jacrev", OPT_OPTIONAL, STEP_JACREV, "I,J", "Jacobian by reverse mode"},
    {"hessian", OPT_OPTIONAL, STEP_HESSIAN, "I,J", "second derivatives"},
    {"hvp", OPT_OPTIONAL, STEP_HVP, "I,J",
     "Hessian times vector; a vector for each of these inputs comes in"},
    {"vmap", OPT_VALUE, STEP_VMAP, "A,-",
     "a batch: for each input its new axis, or - for none; or by name: x=0,y=1"},
    {"axis-name", OPT_VALUE, STEP_AXIS_NAME, "NAME",
     "what psum and its kind call the axis of --vmap"},
    {"after", OPT_VALUE, STEP_AFTER, "PASS",
     "optimised by the passes up to PASS, or all of them"},
    {"fix", OPT_VALUE, STEP_SIZE, "N=8", "a size that is a symbol becomes a number"},
    {"mesh", OPT_VALUE, STEP_MESH, "A:2,B:4",
     "the work divided among the devices of a mesh; its axes and their sizes"},
    {"shard", OPT_VALUE, STEP_SHARD, "X:A,-",
     "after --mesh: by which axes of the mesh each axis of an input is divided"},
    {"bind", OPT_FLAG, STEP_BIND, NULL,
     "the tensors of the file that a method takes become constants; before the others"},
    {NULL, OPT_FLAG, 0, NULL, NULL},
};

typedef wf_status Transform(wf_ctx *cx, const wf_program *f, const int *wrt, int n,
                            const wf_program **out);

static Transform *const transforms[] = {
    wf_grad, wf_value_and_grad, wf_vjp, wf_jvp, wf_jacfwd, wf_jacrev, wf_hessian, wf_hvp,
};

bool steps_take(Steps *s, int id, const char *value)
{
    CliStep *v;

    if (id < STEP_FIRST)
        return false;
    if (id == STEP_AXIS_NAME) {
        if (s->n && s->v[s->n - 1].kind == STEP_VMAP)
            s->v[s->n - 1].axis = value;
        else
            s->axis = value;
        return true;
    }
    if (id == STEP_SHARD) { /* belongs to the mesh before it */
        CliStep *m = s->n ? &s->v[s->n - 1] : NULL;

        if (m && m->kind == STEP_MESH && m->nshards < MAX_SHARDS)
            m->shard[m->nshards++] = value;
        else
            s->stray = value;
        return true;
    }
    if (id == STEP_BIND) {
        s->bind = true;
        return true;
    }
    v = cli_need_memory((size_t)(s->n + 1) * sizeof *v);
    if (s->n)
        memcpy(v, s->v, (size_t)s->n * sizeof *v);
    free(s->v);
    s->v = v;
    s->v[s->n] = (CliStep){.kind = id, .text = value};
    if (id == STEP_VMAP) {
        s->v[s->n].axis = s->axis;
        s->axis = NULL;
    }
    s->n++;
    return true;
}

void steps_free(Steps *s)
{
    free(s->v);
    *s = (Steps){0};
}

static int count_items(const char *s)
{
    int n = 1;

    for (; *s; s++)
        n += *s == ',';
    return n;
}

static bool read_index(const char *s, size_t n, int *out)
{
    int v = 0;

    if (n == 0 || n > 6)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (s[i] < '0' || s[i] > '9')
            return false;
        v = v * 10 + (s[i] - '0');
    }
    *out = v;
    return true;
}

/* The input of that number or name. */
static bool find_input(const wf_program *p, const char *s, size_t n, int *out)
{
    int count = wf_program_inputs(p);
    const char **names;
    char name[128];

    for (int i = 0; i < count; i++)
        if (strlen(wf_program_input_name(p, i)) == n &&
            memcmp(wf_program_input_name(p, i), s, n) == 0) {
            *out = i;
            return true;
        }
    if (read_index(s, n, out))
        return true;
    names = cli_need_memory((size_t)(count + 1) * sizeof *names);
    for (int i = 0; i < count; i++)
        names[i] = wf_program_input_name(p, i);
    snprintf(name, sizeof name, "%.*s", (int)n, s);
    cli_complain("'%s' has no input '%s'%s", wf_program_name(p), name,
             cli_suggest(name, names, count));
    free(names);
    return false;
}

static const wf_program *differentiate(wf_ctx *cx, const CliStep *s, const wf_program *p,
                                       int *out_status)
{
    int n = s->text ? count_items(s->text) : 0;
    int *wrt = cli_need_memory((size_t)(n + 1) * sizeof *wrt);
    const char *at = s->text;
    const wf_program *out = NULL;
    bool ok = true;

    for (int i = 0; i < n && ok; i++) {
        size_t len = strcspn(at, ",");

        ok = find_input(p, at, len, &wrt[i]);
        at += len + (at[len] == ',');
    }
    if (!ok)
        *out_status = USER;
    else if (transforms[s->kind - STEP_FIRST](cx, p, n ? wrt : NULL, n, &out) != WF_OK)
        *out_status = cli_report(cx);
    free(wrt);
    return out;
}

/* "0", "-" or "x=0", len characters, number i of them: the axis of an input. */
static int read_axis(const wf_program *p, const CliStep *s, const char *at, size_t len, int i,
                     int *axes)
{
    const char *equals = memchr(at, '=', len);
    int input = i;

    if (equals) {
        if (!find_input(p, at, (size_t)(equals - at), &input))
            return USER;
        len -= (size_t)(equals + 1 - at);
        at = equals + 1;
    }
    if (input >= wf_program_inputs(p))
        return DONE; /* counted by the caller */
    if ((len == 1 && *at == '-') || read_index(at, len, &axes[input]))
        return DONE;
    cli_complain("--vmap=%s: '%.*s' is neither an axis nor -", s->text, (int)len, at);
    return USAGE;
}

static const wf_program *vectorise(wf_ctx *cx, const CliStep *s, const wf_program *p,
                                   int *out_status)
{
    int n = count_items(s->text), inputs = wf_program_inputs(p), status = DONE;
    bool named = strchr(s->text, '=') != NULL;
    int *axes = cli_need_memory((size_t)(inputs + 1) * sizeof *axes);
    const char *at = s->text;
    const wf_program *out = NULL;

    for (int i = 0; i < inputs; i++)
        axes[i] = -1;
    for (int i = 0; i < n && status == DONE; i++) {
        size_t len = strcspn(at, ",");

        if (named && !memchr(at, '=', len)) {
            cli_complain("--vmap=%s: axes are given by name, or for all inputs in order", s->text);
            status = USAGE;
        } else {
            status = read_axis(p, s, at, len, i, axes);
        }
        at += len + (at[len] == ',');
    }
    if (status == DONE && !named && n != inputs) {
        cli_complain("--vmap=%s: %d axes, but '%s' has %d inputs", s->text, n,
                 wf_program_name(p), inputs);
        status = USER;
    }
    if (status != DONE)
        *out_status = status;
    else if (wf_vmap(cx, p, axes, inputs, s->axis, -1, &out) != WF_OK)
        *out_status = cli_report(cx);
    free(axes);
    return out;
}

/* --fix=N=8 */
static const wf_program *specialise(wf_ctx *cx, const CliStep *s, const wf_program *p, int *out_status)
{
    const char *equals = strchr(s->text, '=');
    char name[128] = "", *end = name;
    const char *names[] = {name};
    int64_t size = equals ? strtoll(equals + 1, &end, 10) : -1;
    const wf_program *out = NULL;

    if (!equals || *end || size < 0 || equals - s->text >= (long)sizeof name) {
        cli_complain("--fix=%s is not NAME=NUMBER", s->text);
        *out_status = USAGE;
        return NULL;
    }
    memcpy(name, s->text, (size_t)(equals - s->text));
    if (wf_specialise(cx, p, names, &size, 1, &out) != WF_OK)
        *out_status = cli_report(cx);
    return out;
}

/* "X:A,-" of --shard for this input, or NULL. */
static const char *shard_of(const CliStep *s, const wf_program *p, int input, int *out_status)
{
    const char *found = NULL;

    for (int i = 0; i < s->nshards; i++) {
        const char *colon = strchr(s->shard[i], ':');
        int k;

        if (!colon) {
            cli_complain("--shard=%s is not INPUT:AXES", s->shard[i]);
            *out_status = USAGE;
            return NULL;
        }
        if (!find_input(p, s->shard[i], (size_t)(colon - s->shard[i]), &k)) {
            *out_status = USER;
            return NULL;
        }
        if (k == input)
            found = colon + 1;
    }
    return found;
}

/* Inputs of which nothing is said are whole on all devices. */
static const wf_program *spread(wf_ctx *cx, const CliStep *s, const wf_program *p, int *out_status)
{
    int n = wf_program_inputs(p);
    size_t room = 1;
    char *specs, *at;
    const wf_program *out = NULL;

    for (int i = 0; i < s->nshards; i++)
        room += strlen(s->shard[i]);
    specs = at = cli_need_memory(room + (size_t)n * (2 * WF_MAX_RANK + 2));
    for (int i = 0; i < n && *out_status == DONE; i++) {
        const char *given = shard_of(s, p, i, out_status);
        wf_value_info v = {.size = sizeof v};

        if (i)
            *at++ = ';';
        if (given) {
            at = stpcpy(at, given);
        } else if (wf_program_input_info(cx, p, i, &v) == WF_OK) {
            for (int k = 0; k < v.rank; k++)
                at = stpcpy(at, k ? ",-" : "-");
        }
    }
    *at = 0;
    if (*out_status == DONE && wf_spread(cx, p, s->text, specs, NULL, &out) != WF_OK)
        *out_status = cli_report(cx);
    free(specs);
    return out;
}

static const wf_program *optimise(wf_ctx *cx, const CliStep *s, const wf_program *p,
                                  int *out_status)
{
    const wf_program *out = NULL;

    if (wf_optimise(cx, p, s->text, &out) != WF_OK)
        *out_status = cli_report(cx);
    return out;
}

bool steps_have_mesh(const Steps *s)
{
    for (int i = 0; i < s->n; i++)
        if (s->v[i].kind == STEP_MESH)
            return true;
    return false;
}

const wf_program *steps_apply(wf_ctx *cx, const Steps *s, const wf_model *m,
                              const wf_program *p, int *out_status)
{
    const wf_program *next;

    if (s->stray) {
        cli_complain("--shard=%s has no --mesh before it", s->stray);
        *out_status = USAGE;
        return NULL;
    }
    if (!s->bind)
        wf_program_retain(p);
    else if (wf_model_bind(cx, m, wf_program_name(p), &p) != WF_OK)
        *out_status = cli_report(cx);
    for (int i = 0; i < s->n && p; i++, p = next) {
        next = s->v[i].kind == STEP_VMAP    ? vectorise(cx, &s->v[i], p, out_status)
               : s->v[i].kind == STEP_AFTER ? optimise(cx, &s->v[i], p, out_status)
               : s->v[i].kind == STEP_SIZE  ? specialise(cx, &s->v[i], p, out_status)
               : s->v[i].kind == STEP_MESH  ? spread(cx, &s->v[i], p, out_status)
                                            : differentiate(cx, &s->v[i], p, out_status);
        wf_program_release(p);
    }
    return p;
}
