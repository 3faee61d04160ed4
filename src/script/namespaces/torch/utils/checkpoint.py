# torch.utils.checkpoint -- values computed again in the backward pass instead of kept. The
# numbers are the same either way.
def checkpoint(function, *args, use_reentrant=None, preserve_rng_state=True, **kwargs):
    return function(*args, **kwargs)


def checkpoint_sequential(functions, segments, input, use_reentrant=None, **kwargs):
    for f in functions:
        input = f(input)
    return input
