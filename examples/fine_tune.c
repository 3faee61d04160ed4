/* fine_tune.c -- a network of a file, such as examples/digits_net.py saves, learns on: fine_tune IN.weft OUT.weft */
#include "weft.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    wf_ctx *c = wf_ctx_new(NULL);
    wf_model *file = NULL;
    wf_tensor x, y, loss = WF_NONE;
    double last = 0;

    if (argc < 3 || wf_model_load(c, argv[1], &file) != WF_OK)
        return fprintf(stderr, "%s\n", argc < 3 ? "fine_tune IN.weft OUT.weft" : wf_ctx_message(c)), 1;
    wf_module *net = wf_module_load(c, file);
    wf_optim *opt = wf_adam(c, net, 1e-3, 0.9, 0.999, 1e-8, 0);
    wf_data_digits(c, &x, &y);
    x = wf_keep(c, wf_reshape(c, x, (int64_t[]){WF_INFER, 1, 8, 8}, 4));
    for (int i = 0; i < 40; i++) {
        wf_scope_begin(c);
        wf_optim_zero_grad(c, opt);
        loss = wf_cross_entropy(c, wf_forward_one(c, net, x), y, WF_NONE, -100, 0, WF_MEAN);
        wf_backward(c, loss, WF_NONE, 0);
        wf_optim_step(c, opt);
        last = wf_item(c, loss);
        wf_scope_end(c);
    }
    wf_module_store(c, net, file); /* the new numbers, beside the programs that the file has */
    wf_model_save(c, file, argv[2]);
    printf("loss %.4f\n%s", last, wf_ctx_status(c) ? wf_ctx_message(c) : "");
    return wf_ctx_status(c) != WF_OK;
}
