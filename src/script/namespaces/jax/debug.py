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


class _Box:
    # A word in a drawing: as wide and high as its part of the array, and no narrower than the word.
    def __init__(self, word, width, height):
        self.word = word
        sides, tall = width - len(word) - 2, height - 2
        self.left, self.right = max(sides // 2, 0), max(sides - sides // 2, 0)
        self.above, self.below = max(tall // 2, 0), max(tall - tall // 2, 0)
        self.width, self.height = self.left + len(word) + self.right, self.above + 1 + self.below

    def line(self, k, above, width):
        if k != above:
            return " " * width
        spare = width - self.width
        return " " * (self.left + spare // 2) + self.word + " " * (self.right + spare - spare // 2)


def _boxes(rows):
    widths = [max([row[j].width for row in rows]) for j in range(len(rows[0]))]
    lines = ["─" * w for w in widths]
    out = ["┌" + "┬".join(lines) + "┐"]
    for k, row in enumerate(rows):
        if k:
            out.append("├" + "┼".join(lines) + "┤")
        for i in range(max([b.height for b in row])):
            out.append("│" + "│".join([b.line(i, b.above, w) for b, w in zip(row, widths)]) + "│")
    out.append("└" + "┴".join(lines) + "┘")
    return "\n".join(out)


def visualize_sharding(shape, sharding, *, use_color=True, scale=1.0, min_width=9, max_width=80, color_map=None):
    # In colours only where a terminal shows them, which output here is not taken for.
    if not 1 <= len(shape) <= 2:
        raise ValueError("`visualize_sharding` only works for shapes with 1 and 2 dimensions.")
    if color_map is not None:
        raise NotImplementedError("visualize_sharding: color_map; drawings have no colours")
    high = int(10 * scale)
    wide = int(high * ((shape[1] if len(shape) == 2 else 1) / shape[0]))
    owners, parts = {}, {}
    for device, index in sharding.devices_indices_map(tuple(shape)).items():
        starts = tuple([s.start or 0 for s in index])
        at = starts if len(starts) == 2 else (0,) + starts
        owners.setdefault(at, []).append(device.id)
        parts[at] = [((n if s.stop is None else s.stop) - (s.start or 0)) / n for s, n in zip(index, shape)]
        kind = device.platform.upper()
    rows = sorted(set([k[0] for k in owners]))
    columns = sorted(set([k[1] for k in owners]))

    def box(at):
        width = min(max(int(parts[at][-1] * wide * 2.5), min_width), max_width)
        height = int(parts[at][0] * high) if len(shape) == 2 else 1
        return _Box(kind + " " + ",".join([str(i) for i in sorted(owners[at])]), width, height)
    _say(_boxes([[box((r, c)) for c in columns] for r in rows]))


def visualize_array_sharding(arr, **kwargs):
    visualize_sharding(arr.shape, arr.sharding, **kwargs)
