# torch._dynamo.config -- settings of torch.compile. The limits are read; whatever else is set here says how PyTorch's
# compiler goes about its work, and changes no result.
recompile_limit = cache_size_limit = 8      # programs for one place, before it is left to the machine


def limit():
    return recompile_limit if recompile_limit != 8 else cache_size_limit
