# jax.debug -- looking into programs while they run.
import _jax as _w

_say = print   # of Python, before the name is this module's


def print(fmt, *args, ordered=False, **kwargs):
    # {} and {name} are filled in order; a format spec after ':' is for values known now.
    if not _w.in_trace():
        _say(fmt.format(*args, **kwargs))
        return
    out, values, i, at = "", [], 0, 0
    while i < len(fmt):
        c = fmt[i]
        if fmt[i:i + 2] in ("{{", "}}"):
            out += fmt[i:i + 2]
            i += 2
            continue
        if c == "{":
            end = fmt.index("}", i)
            field = fmt[i + 1:end].split(":")[0].split("!")[0]
            if field == "":
                values.append(args[at])
                at += 1
            elif field.isdigit():
                values.append(args[int(field)])
            else:
                values.append(kwargs[field])
            out += "{}"
            i = end + 1
            continue
        out += c
        i += 1
    _w.print_now(out, values)


def callback(fn, *args, ordered=False, **kwargs):
    if _w.in_trace():
        raise NotImplementedError("jax.debug.callback inside a traced function")
    fn(*args, **kwargs)


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
