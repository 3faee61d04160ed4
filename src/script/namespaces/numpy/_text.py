# numpy._text -- arrays in files of text: savetxt, loadtxt, genfromtxt. Files may be paths (.gz too), open files or lists of lines.
import _numpy as _w
import numpy as _np


def _encoding(name):
    return "latin1" if name == "bytes" else name or "utf-8"


def _opened(fname, mode, encoding):
    # (the file, is it ours to close?)
    if hasattr(fname, "read") or hasattr(fname, "write"):
        return fname, False
    if str(fname).endswith(".gz"):
        import gzip
        return gzip.open(str(fname), mode + "t", encoding=_encoding(encoding)), True
    if str(fname).endswith((".bz2", ".xz")):
        raise NotImplementedError(f"numpy reads and writes text plain or as .gz, not {fname}")
    return open(str(fname), mode, encoding=_encoding(encoding)), True


def _lines(fname, encoding):
    if isinstance(fname, (list, tuple)) or not isinstance(fname, str) and not hasattr(fname, "read") and hasattr(fname, "__next__"):
        lines = list(fname)
    else:
        f, own = _opened(fname, "r", encoding)
        lines = list(f)
        if own:
            f.close()
    return [(x.decode("latin1") if isinstance(x, bytes) else x).rstrip("\r\n") for x in lines]


def savetxt(fname, X, fmt="%.18e", delimiter=" ", newline="\n", header="", footer="", comments="# ", encoding=None):
    X = _w.wrap(X)
    f, own = _opened(fname, "w", encoding)
    if header:
        f.write(comments + header.replace("\n", "\n" + comments) + newline)
    for row in X:
        row = row.tolist()
        row = row if isinstance(row, list) else [row]
        if isinstance(fmt, (list, tuple)):
            if len(fmt) != len(row):
                raise AttributeError(f"fmt has wrong shape.  {fmt}")
            f.write(delimiter.join([k % v for k, v in zip(fmt, row)]) + newline)
        elif fmt.count("%") > 1:
            f.write(fmt % tuple(row) + newline)
        else:
            f.write(delimiter.join([fmt % v for v in row]) + newline)
    if footer:
        f.write(comments + footer.replace("\n", "\n" + comments) + newline)
    if own:
        f.close()


def _columns(parts, usecols):
    if usecols is None:
        return parts
    return [parts[c] for c in ([usecols] if isinstance(usecols, int) else usecols)]


def _split(line, comments, delimiter):
    for c in [comments] if isinstance(comments, str) else comments or ():
        line = line.split(c)[0]
    line = line.strip() if delimiter is None else line.strip("\r\n")
    return [p.strip() for p in line.split(delimiter)] if line.strip() else []


def _shaped(rows, dtype, unpack, ndmin, one_column):
    x = _np.array(rows, dtype)
    if ndmin < 2 and x.ndim == 2 and (one_column or x.shape[0] == 1 or x.shape[1] == 1):
        x = x.squeeze()
        if ndmin == 1 and x.ndim == 0:
            x = x.reshape((1,))
    return x.T if unpack and x.ndim > 1 else x


def _number(dtype):
    kind = _np.dtype(dtype).kind
    if kind in "USO":
        return str
    return complex if kind == "c" else int if kind in "iu" else (lambda s: bool(int(s))) if kind == "b" else float


def loadtxt(fname, dtype=float, comments="#", delimiter=None, converters=None, skiprows=0, usecols=None, unpack=False, ndmin=0, encoding=None,
            max_rows=None, *, quotechar=None, like=None):
    if quotechar is not None or like is not None:
        raise NotImplementedError("numpy.loadtxt: quotechar, like")
    rows, number = [], _number(dtype)
    for i, line in enumerate(_lines(fname, encoding)):
        parts = _split(line, comments, delimiter) if i >= skiprows else []
        if not parts or max_rows is not None and len(rows) >= max_rows:
            continue
        if rows and usecols is None and len(parts) != width:
            raise ValueError(f"the number of columns changed from {width} to {len(parts)} at row {len(rows) + 1}; use `usecols` to select a subset "
                             "and avoid this error")
        width = len(parts)
        at = list(range(width)) if usecols is None else [c % width for c in ([usecols] if isinstance(usecols, int) else usecols)]
        row = []
        for k, p in zip(at, _columns(parts, usecols)):
            by = converters if callable(converters) else (converters or {}).get(k)
            try:
                row.append(number(p) if by is None else by(p))
            except ValueError:
                raise ValueError(f"could not convert string '{p}' to {_np.dtype(dtype).name} at row {len(rows)}, column {k + 1}.") from None
        rows.append(row)
    return _shaped(rows, dtype, unpack, ndmin, isinstance(usecols, int))


def genfromtxt(fname, dtype=float, comments="#", delimiter=None, skip_header=0, skip_footer=0, converters=None, missing_values=None,
               filling_values=None, usecols=None, names=None, unpack=False, ndmin=0, max_rows=None, encoding=None, invalid_raise=True, **options):
    if names is not None or options:
        raise NotImplementedError("numpy.genfromtxt: " + ", ".join((["names"] if names is not None else []) + list(options)))
    number = _number(float if dtype is None else dtype)
    missing = [missing_values] if isinstance(missing_values, str) else list(missing_values or [])
    none = filling_values if filling_values is not None else float("nan") if number is float else "" if number is str else -1
    rows = []
    lines = [p for p in (_split(x, comments, delimiter) for x in _lines(fname, encoding)[skip_header:]) if p]
    for parts in (lines[:len(lines) - skip_footer] if skip_footer else lines)[:max_rows]:
        if rows and len(parts) != width:
            if invalid_raise:
                raise ValueError(f"Some errors were detected !\n    Line #{len(rows) + skip_header + 1} (got {len(parts)} columns instead of {width})")
            continue
        width = len(parts)
        row = []
        for k, p in zip(_columns(list(range(width)), usecols), _columns(parts, usecols)):
            by = (converters or {}).get(k)
            try:
                row.append(by(p) if by is not None else none if p == "" or p in missing else number(p))
            except ValueError:
                row.append(none)
        rows.append(row)
    return _shaped(rows, float if dtype is None else dtype, unpack, ndmin, isinstance(usecols, int))
