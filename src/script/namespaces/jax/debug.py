# jax.debug -- looking into programs while they run.
import string as _string
import _jax as _w
from jax._callback import debug_callback as callback, is_array as _is_array

_say = print   # of Python, before the name is this module's


def print(fmt, *args, ordered=False, **kwargs):
    line = _line(fmt, args, kwargs) if _w.in_trace() else None
    if line is not None:
        _w.print_now(*line)
        return
    callback(lambda *a, **k: _say(fmt.format(*a, **k)), *args, ordered=ordered, **kwargs)


def _line(fmt, args, kwargs):
    # What a print op can do, which files keep: arrays in fields without a format of their own. Else None.
    text, values, count = "", [], 0
    try:
        for words, field, spec, how in _string.Formatter().parse(fmt):
            text += words.replace("{", "{{").replace("}", "}}")
            if field is None:
                continue
            if field == "":
                field, count = str(count), count + 1
            x = args[int(field)] if field.isdigit() else kwargs[field]
            if spec or how or not _is_array(x):
                return None
            text += "{}"
            values.append(x)
    except (KeyError, IndexError):
        return None
    return text, values


def breakpoint(*args, **kwargs):
    raise NotImplementedError("jax.debug.breakpoint: there is no debugger; jax.debug.print and callback look into programs")


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
