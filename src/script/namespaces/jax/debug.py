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
