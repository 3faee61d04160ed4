/* lib_onnx.c -- cases of ONNX's backend suite: read, run, compared.
 *
 * A case is run in the first of three ways that works, which the caller is told:
 *   D  as it is: a program of all its inputs
 *   S  integers that say axes or sizes are given when the model is opened
 *   V  all inputs are: the graph is run with the functions of tensors, and nothing is left to be a program
 */
#include "lib_onnx.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- data ------------------------------------------------------------------------------------ */

typedef struct Datum { /* an input or result: its tensors, and what it is */
    wf_array **v;
    int *elems;
    int n;
    bool sequence, none, strings;
} Datum;

static void add_tensor(OxRun *r, Datum *d, const OxTensor *t)
{
    d->strings = d->strings || t->type == OX_STRING;
    d->v = realloc(d->v, (size_t)(d->n + 1) * sizeof *d->v);
    d->elems = realloc(d->elems, (size_t)(d->n + 1) * sizeof *d->elems);
    d->elems[d->n] = (int)t->type;
    d->v[d->n] = t->type == OX_STRING ? NULL : ox_array(r, t);
    d->n++;
}

/* A TensorProto, or one of the other two: which it is stands in the type of the model. */
static Datum read_datum(OxRun *r, const OxType *type, OnnxBytes bytes)
{
    Datum d = {0};
    const OxSequence *s;
    OxTensor *t;

    if (type && type->optional) {
        d = (Datum){0};
        s = ox_read(&r->mem, "datum", "an ONNX file", &ox_sequence_message, bytes.data, bytes.size);
        if (s && s->tensors.n)
            add_tensor(r, &d, s->tensors.v[0]);
        else if (s && s->sequences.n)
            for (size_t i = 0; i < s->sequences.v[0]->tensors.n; i++)
                add_tensor(r, &d, s->sequences.v[0]->tensors.v[i]);
        else
            d.none = true;
        return d;
    }
    if (type && type->sequence) {
        s = ox_read(&r->mem, "datum", "an ONNX file", &ox_sequence_message, bytes.data, bytes.size);
        for (size_t i = 0; s && i < s->tensors.n; i++)
            add_tensor(r, &d, s->tensors.v[i]);
        d.sequence = true;
        return d;
    }
    t = ox_read(&r->mem, "datum", "an ONNX file", &ox_tensor_message, bytes.data, bytes.size);
    if (t)
        add_tensor(r, &d, t);
    return d;
}

static void free_datum(Datum *d)
{
    for (int i = 0; i < d->n; i++)
        wf_array_release(d->v[i]);
    free(d->v);
    free(d->elems);
}

/* ---- comparing --------------------------------------------------------------------------------- */

static double number_at(const wf_array *a, const void *p, int64_t i)
{
    switch (wf_array_dtype(a)) {
    case WF_F64: return ((const double *)p)[i];
    case WF_F32: return (double)((const float *)p)[i];
    case WF_I64: return (double)((const int64_t *)p)[i];
    case WF_U64: return (double)((const uint64_t *)p)[i];
    case WF_I32: return ((const int32_t *)p)[i];
    case WF_U32: return ((const uint32_t *)p)[i];
    case WF_I16: return ((const int16_t *)p)[i];
    case WF_U16: return ((const uint16_t *)p)[i];
    case WF_I8: return ((const int8_t *)p)[i];
    default: return ((const uint8_t *)p)[i];
    }
}

static wf_array *widened(wf_ctx *c, wf_array *a)
{
    wf_array *b = NULL, *d = NULL;
    wf_dtype t = wf_array_dtype(a);

    wf_array_contiguous(c, a, &b);
    if (t != WF_F16 && t != WF_BF16)
        return b;
    wf_scope_begin(c);
    wf_to_array(c, wf_copy(c, wf_cast(c, wf_from_array(c, b), WF_F32)), &d);
    wf_scope_end(c);
    wf_array_release(b);
    return d;
}

static bool close_to(wf_ctx *c, wf_array *got, wf_array *want, double rtol, double atol, char *why, size_t room)
{
    wf_array *a, *b;
    bool ok = true;
    int64_t n = wf_array_count(want);

    if (wf_array_dtype(got) != wf_array_dtype(want))
        return snprintf(why, room, "dtype %s, needed %s", wf_dtype_name(wf_array_dtype(got)),
                        wf_dtype_name(wf_array_dtype(want))),
               false;
    for (int i = 0; i < wf_array_rank(want) || i < wf_array_rank(got); i++)
        if (wf_array_rank(want) != wf_array_rank(got) || wf_array_dims(want)[i] != wf_array_dims(got)[i])
            return snprintf(why, room, "another shape: rank %d, size %lld at %d; needed rank %d", wf_array_rank(got),
                            i < wf_array_rank(got) ? (long long)wf_array_dims(got)[i] : -1, i, wf_array_rank(want)),
                   false;
    a = widened(c, got);
    b = widened(c, want);
    for (int64_t i = 0; i < n && ok && a && b; i++) {
        double x = number_at(a, wf_array_data(a), i), y = number_at(b, wf_array_data(b), i);

        ok = (isnan(x) && isnan(y)) || x == y || fabs(x - y) <= atol + rtol * fabs(y);
        if (!ok)
            snprintf(why, room, "element %lld is %.9g, needed %.9g", (long long)i, x, y);
    }
    wf_array_release(a);
    wf_array_release(b);
    return ok && a && b;
}

/* ---- running ------------------------------------------------------------------------------------- */

typedef struct Names {
    const char *names[256];
    wf_array *values[256];
    int n;
} Names;

static bool is_static(const Datum *d)
{
    for (int i = 0; i < d->n; i++) {
        wf_dtype t = d->v[i] ? wf_array_dtype(d->v[i]) : WF_INVALID;
        if (!d->v[i] || (wf_dtype_is_float(t) && wf_array_rank(d->v[i])) || wf_array_rank(d->v[i]) > 1 || wf_array_count(d->v[i]) > 16)
            return d->sequence;
    }
    return true;
}

static wf_model *import(wf_ctx *c, const OnnxCase *k, const Names *n)
{
    wf_import_options o = {sizeof o, n->names, NULL, n->values, n->n};
    wf_model *m = NULL;

    wf_model_parse_with(c, k->name, k->model.data, k->model.size, n->n ? &o : NULL, &m);
    return m;
}

static bool run_way(wf_ctx *c, const OnnxCase *k, char way, const OxGraph *g, Datum *in, int nin, const Datum *want, int nwant,
                    char *why, size_t room)
{
    Names given = {.n = 0};
    wf_array *args[300] = {0}, *out[300] = {0};
    wf_model *m;
    const wf_program *p;
    bool ok = false;
    int nargs = 0, nout = 0;

    if (k->first)
        args[nargs++] = k->first;
    for (int i = 0; i < nin; i++)
        for (int j = 0; j < in[i].n; j++)
            if (way == 'V' || (way == 'S' && is_static(&in[i])) || (in[i].sequence && way != 'D') ||
                (g->in.v[i]->type && (g->in.v[i]->type->optional || g->in.v[i]->type->sequence))) {
                given.names[given.n] = g->in.v[i]->name;
                given.values[given.n++] = in[i].v[j];
            } else {
                args[nargs++] = in[i].v[j];
            }
    if (way == 'S' && !given.n)
        return false;
    m = import(c, k, &given);
    p = m ? wf_model_find(m, "forward") : NULL;
    if (p) {
        int nstate = wf_model_method_state(c, m, "forward", NULL, 0);
        wf_array *all[600];

        nout = wf_program_outputs(p);
        if (nstate >= 0 && nstate < 300 && nout < 300 && wf_program_inputs(p) == nstate + nargs) {
            wf_model_method_state(c, m, "forward", all, nstate);
            memcpy(all + nstate, args, (size_t)nargs * sizeof *args);
            ok = wf_eval(c, p, all, wf_program_inputs(p), out, wf_program_outputs(p)) == WF_OK;
        } else {
            snprintf(why, room, "the program takes %d inputs, there are %d", wf_program_inputs(p), nargs);
        }
    }
    if (wf_ctx_status(c)) {
        snprintf(why, room, "%s", wf_ctx_message(c));
        for (char *s = why; *s; s++)
            *s = *s == '\n' ? ' ' : *s;
        ok = false;
    }
    wf_clear(c);
    if (ok) {
        const char *types = wf_model_meta(m, "onnx.types");
        int at = 0;
        char expect[512] = "";

        for (int i = 0; i < nwant; i++) {
            for (int j = 0; j < want[i].n && ok; j++, at++) {
                if (at >= nout) {
                    snprintf(why, room, "%d results", nout);
                    ok = false;
                } else {
                    if (wf_array_dtype(want[i].v[j]) == WF_U8 && wf_array_dtype(out[at]) == WF_I8 && want[i].elems[j] > OX_BFLOAT16)
                        ok = true;
                    ok = k->random ? wf_array_dtype(out[at]) == wf_array_dtype(want[i].v[j]) &&
                                         wf_array_count(out[at]) == wf_array_count(want[i].v[j])
                                   : close_to(c, out[at], want[i].v[j], k->rtol, k->atol, why, room);
                }
                snprintf(expect + strlen(expect), sizeof expect - strlen(expect), "%s\n", ox_elem_name(want[i].elems[j]));
            }
        }
        if (ok && (!types || strcmp(types, expect) != 0)) {
            snprintf(why, room, "types %s, needed %s", types ? types : "none", expect);
            for (char *s = why; *s; s++)
                *s = *s == '\n' ? ' ' : *s;
            ok = false;
        }
    }
    for (int i = 0; i < nout; i++)
        wf_array_release(out[i]);
    wf_model_free(m);
    return ok;
}

char onnx_run_case(wf_ctx *c, const OnnxCase *k, char *why, size_t room)
{
    OxRun r = {.c = c, .file = k->name, .mem = {.c = c}};
    Datum in[64] = {{0}}, want[64] = {{0}};
    char result = 0;
    bool strings = false;

    *why = 0;
    r.model = ox_read(&r.mem, k->name, "an ONNX file", &ox_model_message, k->model.data, k->model.size);
    if (r.model && r.model->graph && k->nin <= 64 && k->nout <= 64 && (size_t)k->nin <= r.model->graph->in.n &&
        (size_t)k->nout <= r.model->graph->out.n) {
        for (int i = 0; i < k->nin; i++)
            in[i] = read_datum(&r, r.model->graph->in.v[i]->type, k->in[i]);
        for (int i = 0; i < k->nout; i++)
            want[i] = read_datum(&r, r.model->graph->out.v[i]->type, k->out[i]);
        for (int i = 0; i < 64; i++)
            strings = strings || in[i].strings || want[i].strings;
        if (wf_ctx_status(c))
            snprintf(why, room, "data: %s", wf_ctx_message(c));
        else if (strings)
            snprintf(why, room, "strings");
        else
            for (const char *way = "DSV"; *way && !result; way++) {
                char text[1000] = "";
                if (run_way(c, k, *way, r.model->graph, in, k->nin, want, k->nout, text, sizeof text))
                    result = *way;
                else if (*text)
                    snprintf(why + strlen(why), room - strlen(why), "%s%c: %.300s", *why ? " | " : "", *way, text);
            }
    } else {
        snprintf(why, room, "%s", wf_ctx_status(c) ? wf_ctx_message(c) : "data that does not fit the model");
    }
    wf_clear(c);
    for (int i = 0; i < 64; i++) {
        free_datum(&in[i]);
        free_datum(&want[i]);
    }
    ox_memory_free(&r.mem);
    return result;
}
