/* import.c -- a StableHLO text as a wf_model: one program for each public function, `main` last, so that commands take it. */
#include "stablehlo/stablehlo.h"

static void add_metas(Hlo *h, wf_model *m) { model_set_meta(h->cx, m, "format", "StableHLO"); }

static wf_status open_text(wf_ctx *cx, const char *file, Blob *blob, wf_model *m)
{
    API_ENTER(cx);
    HloText t = {.cx = cx, .a = &cx->scratch, .file = file, .begin = blob->data, .end = blob->data + blob->size};
    Hlo h = {.cx = cx, .t = &t};
    bool ok;

    ctx_add_source(cx, file, blob->data, blob->size);
    ok = hlo_read(&t) && (t.funcs.n || fail(cx, WF_ERR_FORMAT, in_file(file), "StableHLO: the text has no function"));
    for (int turn = 0; turn < 2 && ok; turn++)
        for (uint32_t i = 0; i < t.funcs.n && ok; i++) {
            HloFunc *f = t.funcs.v[i];

            if (f->is_public && (strcmp(f->name, "main") == 0) == turn && (ok = hlo_function(&h, f) != NULL))
                model_add_program(cx, m, f->program);
        }
    if (ok)
        add_metas(&h, m);
    API_RETURN(cx);
}

/* Text that begins, behind comments and names of places, with `module` or `func.func`. */
static bool is_text(const char *data, size_t size)
{
    const char *at = data, *end = data + size;

    for (;;) {
        while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
            at++;
        if (at < end && (*at == '#' || (end - at > 1 && at[0] == '/' && at[1] == '/'))) {
            if (*at == '#' && !(end - at > 4 && !memcmp(at, "#loc", 4)))
                return false; /* a comment of Weft's text */
            while (at < end && *at != '\n')
                at++;
            continue;
        }
        return (end - at > 8 && !memcmp(at, "module", 6) && (at[6] == ' ' || at[6] == '{' || at[6] == '\n') && (at[7] == '@' || at[7] == '{' || at[7] == 'a')) ||
               (end - at > 10 && !memcmp(at, "func.func ", 10));
    }
}

static bool text_read(wf_ctx *cx, const char *file, Blob *blob, const wf_import_options *given, wf_model *m)
{
    if (given && given->n)
        return fail(cx, WF_ERR_ARG, in_file(file), "the types of a StableHLO text stand in it: no types or numbers are taken");
    return open_text(cx, file, blob, m) == WF_OK;
}

const Format stablehlo_format = {"StableHLO", ".mlir", is_text, text_read, NULL};
