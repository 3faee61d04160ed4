/* export.c -- wf_export: programs of a model as files of C. */
#include "export/export.h"

static bool is_chosen(const wf_export_options *o, const char *name)
{
    for (int i = 0; i < o->nmethods; i++)
        if (!strcmp(o->methods[i], name))
            return true;
    return !o->nmethods;
}

static bool check_options(wf_ctx *cx, const wf_model *m, const wf_export_options *o)
{
    for (int i = 0; i < o->nmethods; i++)
        if (!wf_model_find(m, o->methods[i]))
            return fail(cx, WF_ERR_NAME, NOWHERE, "export: the file has no program '%s'",
                        o->methods[i]);
    if (!wf_model_programs(m))
        return fail(cx, WF_ERR_NAME, NOWHERE, "export: the file has no programs");
    for (int i = 0; i < o->nsizes + o->nmost; i++)
        if ((i < o->nsizes ? o->sizes[i] : o->most[i - o->nsizes]) < 0)
            return fail(cx, WF_ERR_VALUE, NOWHERE, "export: a size is negative");
    return true;
}

/* Does a program have a symbol of that name? */
static bool is_symbol(const wf_model *m, const char *name)
{
    for (int i = 0; i < wf_model_programs(m); i++) {
        const Dims *d = &wf_model_program(m, i)->dims;

        for (uint32_t k = 0; k < d->syms.n; k++)
            if (!strcmp(d->syms.v[k].name, name))
                return true;
    }
    return false;
}

static bool check_symbols(wf_ctx *cx, const wf_model *m, const wf_export_options *o)
{
    for (int i = 0; i < o->nsizes + o->nmost; i++) {
        const char *name = i < o->nsizes ? o->symbols[i] : o->most_symbols[i - o->nsizes];

        if (!(i >= o->nsizes && !name) && !is_symbol(m, name))
            return fail(cx, WF_ERR_NAME, NOWHERE, "export: no program has a size '%s'",
                        name);
    }
    return true;
}

static bool write_all(wf_ctx *cx, const wf_model *m, const char *dir,
                      const wf_export_options *o)
{
    Arena *a = codegen_arena(cx);
    Output out = {.c = {.cx = cx, .a = a}, .dir = dir, .model = m, .weights = o->weights};
    Sizes fixed = {o->symbols, o->sizes, o->nsizes},
          most = {o->most_symbols, o->most, o->nmost};
    int n = wf_model_programs(m);

    out.c.name = c_plain(a, o->name ? o->name : "model");
    out.c.macro = c_upper(a, out.c.name);
    text_init(&out.c.routines, a);
    text_init(&out.c.functions, a);
    out.method = arena_zalloc(a, ((size_t)n + 1) * sizeof *out.method);
    for (int i = 0; i < n; i++) {
        const Program *p = wf_model_program(m, i);

        if (is_chosen(o, p->name) && !method_plan(&out.c, m, p, &out.members, &fixed,
                                                  &most, &out.method[out.nmethods++]))
            return false;
    }
    if (!o->unpacked && o->weights != WF_EXPORT_TENSORS)
        methods_pack(&out.c, &out.members, out.method, out.nmethods);
    for (uint32_t i = 0; i < out.nmethods; i++)
        if (!method_write(&out.c, &out.members, &out.method[i]))
            return false;
    return output_write(&out);
}

static void export_checked(wf_ctx *cx, const wf_model *model, const char *dir,
                           const wf_export_options *options)
{
    wf_export_options o = {.size = sizeof o};

    if (options)
        memcpy(&o, options, MIN(options->size, sizeof o));
    if (options && options->size < sizeof options->size)
        fail(cx, WF_ERR_ARG, NOWHERE, "wf_export: the options do not say their size");
    else if (!model || !dir)
        fail(cx, WF_ERR_ARG, NOWHERE, "wf_export: an argument is NULL");
    else if (o.nmethods < 0 || o.nsizes < 0 || o.nmost < 0 || (o.nmethods && !o.methods) ||
             (o.nsizes && (!o.symbols || !o.sizes)) ||
             (o.nmost && (!o.most_symbols || !o.most)))
        fail(cx, WF_ERR_ARG, NOWHERE, "wf_export: a count without a list");
    else if (check_options(cx, model, &o) && check_symbols(cx, model, &o))
        write_all(cx, model, dir, &o);
}

wf_status wf_export(wf_ctx *cx, const wf_model *model, const char *dir,
                    const wf_export_options *options)
{
    if (!cx)
        return WF_ERR_ARG;
    API_ENTER(cx);
    export_checked(cx, model, dir, options);
    API_RETURN(cx);
}

const char *wf_export_refusal(const char *op)
{
    int i = op ? op_find(op) : -1;

    const char *why = i < 0 ? "there is no such op" : export_refusal((unsigned)i);

    return why ? why : "";
}
