/* print.c -- tensors as text, in the style of a library. */
#include "print/print.h"
#include "runtime/array.h"
#include "tensor/tensor.h"

static ArrayStyle style_with(ArrayStyle s, const wf_text_options *o)
{
    if (!o)
        return s;
    s.precision = o->precision >= 0 ? o->precision : s.precision;
    s.threshold = o->threshold >= 0 ? o->threshold : s.threshold;
    s.edgeitems = o->edgeitems >= 0 ? o->edgeitems : s.edgeitems;
    s.linewidth = o->linewidth >= 0 ? o->linewidth : s.linewidth;
    s.sci_mode = o->sci_mode;
    s.suppress = o->suppress;
    return s;
}

static void print_tensor(Text *text, wf_ctx *c, const Tensor *t, wf_style style,
                         const wf_text_options *o)
{
    PrintArray a = {(wf_dtype)t->dtype, t->rank, t->dims, t->strides, NULL};
    ArrayStyle numpy = style_with(PRINT_NUMPY, o), torch = style_with(PRINT_TORCH, o);
    TorchPrint what = {.default_dtype = c->semantics->default_float,
                       .grad_fn = o ? o->grad_fn : NULL,
                       .parameter = o && o->parameter,
                       .requires_grad = t->wants_grad,
                       .device = tensor_is_here(t) ? NULL : wf_device_name(tensor_device(t))};

    if (tensor_is_here(t)) {
        a.data = tensor_data(t);
    } else if (tensor_device(t) == &device_meta && style == WF_STYLE_TORCH) {
        what.blank = true;
    } else { /* a packed copy */
        int64_t *strides = arena_array(&c->scratch, t->rank + 1u, sizeof *strides);
        void *copy =
            arena_array(&c->scratch, (size_t)t->count, wf_dtype_size((wf_dtype)t->dtype));

        for (uint32_t i = t->rank; i-- > 0;)
            strides[i] = i + 1u < t->rank ? strides[i + 1] * t->dims[i + 1] : 1;
        a.strides = strides;
        a.data = copy;
        if (!tensor_read(t, copy))
            return;
    }
    switch (style) {
    case WF_STYLE_NUMPY_STR: print_numpy_str(text, &a, &numpy); return;
    case WF_STYLE_NUMPY_REPR: print_numpy_repr(text, &a, &numpy); return;
    case WF_STYLE_JAX: print_jax_repr(text, &a, t->weak, &numpy); return;
    case WF_STYLE_TF_STR: print_tf_str(text, &a, &numpy); return;
    case WF_STYLE_TF_REPR: print_tf_repr(text, &a, &numpy); return;
    case WF_STYLE_TORCH: print_torch(text, &a, &what, &torch); return;
    }
    fail(c, WF_ERR_ARG, NOWHERE, "wf_text: there is no style %d", (int)style);
}

wf_status wf_text(wf_ctx *c, wf_tensor h, wf_style style, const wf_text_options *options,
                  const char **out_text)
{
    Tensor *t;
    Text text;

    if (!SET_OUT(c, out_text))
        return ctx_status(c);
    API_ENTER(c);
    if ((t = ts(c) ? tensor_get(c, h, "wf_text") : NULL)) {
        if (options && options->size != sizeof *options)
            tensor_fail(c, WF_ERR_ARG, "wf_text: the options are of another version");
        else if (t->symbolic)
            tensor_fail(c, WF_ERR_VALUE, "wf_text: a symbolic tensor has no numbers yet");
    }
    if (t && !failed(c)) {
        answer_init(&text, c);
        print_tensor(&text, c, t, style, options);
        if (!failed(c))
            *out_text = text_str(&text);
    }
    API_RETURN(c);
}
