/* import.c -- files of other systems: their rows of the table of formats, and the functions that take what such a file leaves
 * open. Who names one of these has the readers, which formats.c only asks for if they are there.
 */
#include "io/io.h"

const Format *const foreign_formats[] = {&onnx_format, &tensorflow_format, &torchfile_format, &ts_format, &gguf_format, &stablehlo_format, NULL};

static wf_status null_arg(wf_ctx *cx, const char *function)
{
    if (!cx)
        return WF_ERR_ARG;
    fail(cx, WF_ERR_ARG, NOWHERE, "%s: an argument is NULL", function);
    return ctx_status(cx);
}

static bool good_options(wf_ctx *cx, const wf_import_options *o)
{
    if (o && o->size < sizeof *o)
        return fail(cx, WF_ERR_ARG, NOWHERE, "import: the options have another size");
    return !o || (o->n >= 0 && (!o->n || o->names)) ||
           fail(cx, WF_ERR_ARG, NOWHERE, "import: inputs without names");
}

wf_status wf_model_import(wf_ctx *cx, const char *path, const wf_import_options *options,
                          wf_model **out_model)
{
    if (out_model)
        *out_model = NULL;
    if (!cx || !path || !out_model)
        return null_arg(cx, "wf_model_import");
    return good_options(cx, options)
               ? model_open(cx, path, true, NULL, 0, options, out_model)
               : ctx_status(cx);
}

wf_status wf_model_parse_with(wf_ctx *cx, const char *name, const char *text, size_t size,
                              const wf_import_options *options, wf_model **out_model)
{
    if (out_model)
        *out_model = NULL;
    if (!cx || !name || (!text && size) || !out_model)
        return null_arg(cx, "wf_model_parse_with");
    return good_options(cx, options)
               ? model_open(cx, name, true, size ? text : "", size, options, out_model)
               : ctx_status(cx);
}
