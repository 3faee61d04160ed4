# jax._callback -- functions of Python that programs call: pure_callback, io_callback, debug.callback.
import _jax as _w
import _tree
import traceback as _traceback

_METHODS = {"sequential": "loop", "sequential_unrolled": "loop", "expand_dims": "single", "broadcast_all": "lead"}


def is_array(x):
    return isinstance(x, _w.Tensor)


def flat(fn, args, kwargs):
    # The arrays among the arguments, and fn of them; what else is in the arguments is given as it is.
    leaves, spec = _tree.flatten((args, kwargs), is_array, False)
    places = [i for i, x in enumerate(leaves) if is_array(x)]
    rest = [None if is_array(x) else x for x in leaves]

    def call(*values):
        full = list(rest)
        for i, v in zip(places, values):
            full[i] = v
        a, k = _tree.unflatten(spec, full)
        return fn(*a, **k)
    return [leaves[i] for i in places], call


def _caught(what, fn, args):
    # fn(*args); its exception as the runtime's, which is what programs raise.
    try:
        return fn(*args)
    except Exception as e:
        import logging
        from jax.errors import JaxRuntimeError
        text = _traceback.format_exc()
        if not text.startswith("Traceback"):   # raised here: no line of the user's is in it
            text = "Traceback (most recent call last):\n" + text
        logging.getLogger("jax").error("jax.%s failed\n%s", what, text)
        raise JaxRuntimeError("INTERNAL: CpuCallback error calling callback: " + text) from e


def call_only(what, fn, arrays):
    # In a program, for its effects; once for each row of a vmap.
    def run(*values):
        _caught(what, fn, values)
        return []
    _w.callback(run, arrays, [], [], True, "loop")


def call(what, fn, kinds, args, kwargs, effect, batch):
    # What fn gives, arrays of the kinds that were said, now or when the program runs.
    import jax
    from jax._dtypes import canonical
    want, spec = _tree.flatten(kinds)
    shapes, dtypes = [tuple(k.shape) for k in want], [canonical(k.dtype) for k in want]
    args, kwargs = jax.tree.map(jax.numpy.asarray, (args, kwargs))

    def checked(*values):
        got = [jax.numpy.asarray(x) for x in jax.tree.leaves(inner(*values))]
        if len(got) != len(want):
            raise RuntimeError("Mismatched number of outputs from callback. "
                               f"Expected: {len(want)}, Actual: {len(got)}")
        for i, x in enumerate(got):
            shape = tuple(x.shape)
            if (shape[len(shape) - len(shapes[i]):] if lead else shape) != shapes[i]:
                raise RuntimeError(f"Incorrect output shape for return value #{i}: "
                                   f"Expected: {shapes[i]}, Actual: {shape}")
            if x.dtype != dtypes[i]:
                raise RuntimeError(f"Incorrect output dtype for return value #{i}: "
                                   f"Expected: {dtypes[i]}, Actual: {x.dtype}")
        return got
    lead = batch in ("lead", "single")   # axes of batches may come before: the engine knows how many
    arrays, inner = flat(fn, args, kwargs)
    run = lambda *values: _caught(what, checked, values)
    out = _w.callback(run, arrays, dtypes, shapes, effect, batch) if _w.in_trace() or _w.recorders() else run(*arrays)
    return _tree.unflatten(spec, out)


def pure_callback(callback, result_shape_dtypes, *args, sharding=None, vmap_method=None, **kwargs):
    allowed = ["sequential", "sequential_unrolled", "expand_dims", "broadcast_all", "legacy_vectorized", None]
    if vmap_method not in allowed:
        raise ValueError(f"vmap_method must be on of the allowed methods {allowed}, but got: {vmap_method}")
    if vmap_method == "legacy_vectorized":
        raise NotImplementedError("jax.pure_callback: vmap_method='legacy_vectorized'; 'expand_dims' is what follows it")
    if sharding is not None:
        raise NotImplementedError("jax.pure_callback: sharding")
    return call("pure_callback", callback, result_shape_dtypes, args, kwargs, False, _METHODS.get(vmap_method, "none"))


def io_callback(callback, result_shape_dtypes, *args, sharding=None, ordered=False, **kwargs):
    if sharding is not None:
        raise NotImplementedError("jax.experimental.io_callback: sharding")
    return call("io_callback", callback, result_shape_dtypes, args, kwargs, True, "none" if ordered else "loop")


def debug_callback(callback, *args, ordered=False, **kwargs):
    # Calls happen in the order of the program, ordered or not.
    if not callable(callback):
        raise TypeError("first argument to jax.debug.callback must be callable, "
                        f"but got an object of type {type(callback)}")
    arrays, inner = flat(callback, args, kwargs)
    if _w.in_trace():
        call_only("debug.callback", inner, arrays)
    else:
        inner(*arrays)
