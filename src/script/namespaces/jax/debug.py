# jax.debug -- looking into programs while they run.
import _jax as _w
import _tree

_say = print   # of Python, before the name is this module's


def print(fmt, *args, ordered=False, **kwargs):
    callback(lambda *a, **k: _say(fmt.format(*a, **k)), *args, ordered=ordered, **kwargs)


def callback(fn, *args, ordered=False, **kwargs):
    # Calls happen in the order of the program, once for each row of a vmap. What is no array is given as it is.
    if not _w.in_trace():
        fn(*args, **kwargs)
        return
    leaves, spec = _tree.flatten((args, kwargs), _is_array, False)
    places = [i for i, x in enumerate(leaves) if _is_array(x)]
    arrays, rest = [leaves[i] for i in places], [None if _is_array(x) else x for x in leaves]

    def call(*values):
        full = list(rest)
        for i, v in zip(places, values):
            full[i] = v
        a, k = _tree.unflatten(spec, full)
        fn(*a, **k)
    _w.call_now(call, arrays)


def _is_array(x):
    return isinstance(x, _w.Tensor)


def breakpoint(*args, **kwargs):
    pass


# ---- how an array lies on devices


def _boxes(rows):
    # A drawing of a table of words, each in a box of its own.
    width = max([len(w) for row in rows for w in row]) + 2
    line = "─" * width
    out = ["┌" + "┬".join([line] * len(rows[0])) + "┐"]
    for k, row in enumerate(rows):
        if k:
            out.append("├" + "┼".join([line] * len(row)) + "┤")
        out.append("│" + "│".join([w.center(width) for w in row]) + "│")
    out.append("└" + "┴".join([line] * len(rows[0])) + "┘")
    return "\n".join(out)


def visualize_sharding(shape, sharding):
    if not 1 <= len(shape) <= 2:
        raise ValueError("`visualize_sharding` only works for shapes with 1 and 2 dimensions.")
    owners = {}
    for device, index in sharding.devices_indices_map(tuple(shape)).items():
        starts = tuple([s.start or 0 for s in index])
        owners.setdefault(starts if len(starts) == 2 else (0,) + starts, []).append(device.id)
    rows = sorted(set([k[0] for k in owners]))
    columns = sorted(set([k[1] for k in owners]))
    _say(_boxes([["CPU " + ",".join([str(i) for i in sorted(owners[(r, c)])]) for c in columns] for r in rows]))


def visualize_array_sharding(arr):
    visualize_sharding(arr.shape, arr.sharding)
