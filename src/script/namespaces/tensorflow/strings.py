# tensorflow.strings -- functions of texts. They run on the host: at once, where texts are known, else before the program of a session.
import re as _re

import _tf as _w
from tensorflow._base import state, as_tensor, StringTensor, InvalidArgumentError, dtype_of, float32, int32, int64
from tensorflow._strings import string


def on_host(name, fn, inputs, types):
    # fn(*values) gives a list of tensors; types: (dtype, shape) of each, for a graph in which they are not known yet
    if state.graph is None:
        return fn(*[as_tensor(x) for x in inputs])
    from tensorflow._graph import as_constant, _Graph
    from tensorflow._host import node_of
    nodes = [as_constant(x) for x in inputs]
    if [x for x in nodes if x.known is None]:
        return node_of(name, name, nodes, lambda session, values: fn(*values), types)
    with _Graph(None):
        found = fn(*[x.known for x in nodes])
    return [as_constant(x) for x in found]


def _shape_of(x):
    return getattr(x, "shape", None)


def _each(v, fn):
    return [_each(x, fn) for x in v] if isinstance(v, list) else fn(v)


def _texts(t):
    if not isinstance(t, StringTensor):
        raise InvalidArgumentError(f"a tensor of type string is needed, got {t.dtype.name}")
    return t._value


def _mapped(name, fn, dtype=string):
    # a function of each text
    def call(input, name=None):
        def run(t):
            v = _each(_texts(t), fn)
            return [StringTensor(v) if dtype is string else _w.tensor(v, dtype)]
        return on_host(kind, run, [input], [(dtype, _shape_of(input))])[0]
    kind = name
    return call


def _cased(name, change):
    def call(input, encoding="", name=None):
        if encoding not in ("", "utf-8"):
            raise ValueError(f"{kind}: encoding {encoding!r}")
        fn = (lambda b: change(b.decode()).encode()) if encoding else change
        return on_host(kind, lambda t: [StringTensor(_each(_texts(t), fn))], [input], [(string, _shape_of(input))])[0]
    kind = name
    return call


lower, upper = _cased("StringLower", lambda s: s.lower()), _cased("StringUpper", lambda s: s.upper())
strip = _mapped("StringStrip", lambda b: b.strip())


def length(input, unit="BYTE", name=None):
    count = {"BYTE": len, "UTF8_CHAR": lambda b: len(b.decode())}[unit]
    return _mapped("StringLength", count, int32)(input)


def _number(b, out_type):
    try:
        return float(b.decode()) if out_type.is_floating else int(b.decode())
    except ValueError:
        raise InvalidArgumentError(f"StringToNumberOp could not correctly convert string: {b.decode()}") from None


def to_number(input, out_type=float32, name=None):
    d = dtype_of(out_type)
    return _mapped("StringToNumber", lambda b: _number(b, d), d)(input)


def join(inputs, separator="", name=None):
    sep = separator.encode()

    def run(*ts):
        values = [_texts(t) for t in ts]
        like = [v for v in values if isinstance(v, list)]
        return [StringTensor(_joined(values, sep) if like else sep.join(values))]
    shapes = [x.shape for x in inputs if hasattr(x, "shape") and x.shape.rank]
    return on_host("StringJoin", run, list(inputs), [(string, shapes[0] if shapes else ())])[0]


def _joined(values, sep):
    n = [len(v) for v in values if isinstance(v, list)][0]
    rows = [v if isinstance(v, list) else [v] * n for v in values]
    return [_joined(list(r), sep) if isinstance(r[0], list) else sep.join(r) for r in zip(*rows)]


def reduce_join(inputs, axis=None, keepdims=False, separator="", name=None):
    sep = separator.encode()

    def run(t):
        v, rank = _texts(t), len(t.shape)
        axes = list(range(rank)) if axis is None else [axis] if isinstance(axis, int) else list(axis)
        axes = [a % rank for a in axes] if rank else []
        if len(axes) == rank and axis is None:
            v = sep.join(_flat(v)) if rank else v
            return [StringTensor([v] if keepdims and rank == 1 else v)]
        if len(axes) != 1:
            raise NotImplementedError("reduce_join: several axes, but not all")
        return [StringTensor(_along(v, axes[0], sep, keepdims))]
    return on_host("ReduceJoin", run, [inputs], [(string, None)])[0]


def _flat(v):
    return [y for x in v for y in _flat(x)] if isinstance(v, list) else [v]


def _along(v, axis, sep, keep):
    if axis:
        return [_along(x, axis - 1, sep, keep) for x in v]
    r = _joined(v, sep) if isinstance(v[0], list) else sep.join(v)
    return [r] if keep else r


def substr(input, pos, len, unit="BYTE", name=None):
    def one(b, p, n):
        s = b if unit == "BYTE" else b.decode()
        size = s.__len__()
        if not -size <= p <= size:
            raise InvalidArgumentError(f"pos {p} out of range for string b'{b.decode()}' at index 0")
        p = p + size if p < 0 else p
        r = s[p:p + n]
        return r if unit == "BYTE" else r.encode()

    def walk(v, p, n):
        if isinstance(v, list):
            return [walk(x, p[i] if isinstance(p, list) else p, n[i] if isinstance(n, list) else n) for i, x in enumerate(v)]
        return one(v, p, n)
    return on_host("Substr", lambda t, p, n: [StringTensor(walk(_texts(t), p.tolist(), n.tolist()))], [input, pos, len], [(string, _shape_of(input))])[0]


def _pattern(text):
    return _re.compile(text)


def regex_replace(input, pattern, rewrite, replace_global=True, name=None):
    p, to = _pattern(pattern), rewrite.replace("\\0", "\\g<0>")
    return _mapped("RegexReplace", lambda b: p.sub(to, b.decode(), 0 if replace_global else 1).encode())(input)


def regex_full_match(input, pattern, name=None):
    p = _pattern(pattern)
    return _mapped("RegexFullMatch", lambda b: p.fullmatch(b.decode()) is not None, _w.bool_)(input)


def _form(precision, scientific, shortest, width, fill, dtype):
    # how a number is written; shortest is %g, otherwise six digits after the point
    if not dtype.is_floating:
        return None
    kind = "e" if scientific else "g" if shortest else "f"
    return "%" + (fill if fill else "") + (str(width) if width > -1 else "") + ("." + str(precision) if precision > -1 else "") + kind


def as_string(input, precision=-1, scientific=False, shortest=False, width=-1, fill="", name=None):
    if fill not in ("", " ", "+", "-", "0", "#"):
        raise InvalidArgumentError(f"Fill argument not supported: \"{fill}\"")

    def run(t):
        if isinstance(t, StringTensor):
            return [t]
        form = _form(precision, scientific, shortest, width, fill, t.dtype)
        if form is None:
            form = "%" + fill + (str(width) if width > -1 else "") + "d"
        if t.dtype == _w.bool_:
            return [StringTensor(_each(t.tolist(), lambda x: "true" if x else "false"))]
        return [StringTensor(_each(t.tolist(), lambda x: form % x if x == x else "nan"))]
    return on_host("AsString", run, [input], [(string, _shape_of(input))])[0]


def format(template, inputs, placeholder="{}", summarize=3, name=None):
    from tensorflow._text import shown
    inputs = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]

    def run(*ts):
        text = template
        for t in ts:
            text = text.replace(placeholder, shown(t, summarize), 1)
        return [StringTensor(text)]
    return on_host("StringFormat", run, inputs, [(string, ())])[0]


# ---- parts ----

def _pieces(b, sep, maxsplit):
    if sep is None or sep == b"":
        return b.split(None, maxsplit) if maxsplit >= 0 else b.split()
    return b.split(sep, maxsplit) if maxsplit >= 0 else b.split(sep)


def split(input, sep=None, maxsplit=-1, name=None):
    sep = sep.encode() if isinstance(sep, str) else sep
    return _split(input, lambda b: _pieces(b, sep, maxsplit))


def split_v1(source, delimiter, skip_empty):
    # at each of the delimiter's characters; without one, into characters
    def pieces(b):
        s = b.decode()
        if delimiter == "":
            return [c.encode() for c in s]
        parts = _re.split("[" + _re.escape(delimiter) + "]", s)
        return [p.encode() for p in parts if p or not skip_empty]
    return _split(source, pieces)


def _split(input, pieces):
    from tensorflow.ragged import RaggedTensor
    if state.graph is None or getattr(input, "known", input) is not None:
        t = as_tensor(input if state.graph is None or not hasattr(input, "known") else input.known)
        v = _texts(t)
        if not isinstance(v, list):
            return on_host("StringSplit", lambda: [StringTensor(pieces(v))], [], [])[0]
        rows = [pieces(b) for b in v]
        ends = [0]
        for r in rows:
            ends.append(ends[-1] + len(r))
        return RaggedTensor.from_row_splits(StringTensor([b for r in rows for b in r]), ends)

    def run(t):
        v = _texts(t)
        rows = [pieces(b) for b in (v if isinstance(v, list) else [v])]
        ends = [0]
        for r in rows:
            ends.append(ends[-1] + len(r))
        return [StringTensor([b for r in rows for b in r]), _w.tensor(ends, int64)]
    if input.shape.rank == 0:
        return on_host("StringSplit", lambda t: run(t)[:1], [input], [(string, [None])])[0]
    values, splits = on_host("StringSplit", run, [input], [(string, [None]), (int64, [None])])
    return RaggedTensor(values, splits)


def bytes_split(input, name=None):
    return _split(input, lambda b: [b[i:i + 1] for i in range(len(b))])


def unicode_decode(input, input_encoding, name=None):
    from tensorflow.ragged import RaggedTensor
    if input_encoding.upper() not in ("UTF-8", "UTF8"):
        raise NotImplementedError(f"unicode_decode: {input_encoding}")
    v = _texts(as_tensor(input))
    if not isinstance(v, list):
        return _w.tensor([ord(c) for c in v.decode()], int32)
    return RaggedTensor.from_rows([[ord(c) for c in b.decode()] for b in v], int32)


def unicode_encode(input, output_encoding, name=None):
    if output_encoding.upper() not in ("UTF-8", "UTF8"):
        raise NotImplementedError(f"unicode_encode: {output_encoding}")
    rows = input.to_list() if hasattr(input, "to_list") else as_tensor(input).tolist()
    text = lambda r: "".join([chr(c) for c in r]).encode()
    return StringTensor([text(r) for r in rows] if rows and isinstance(rows[0], list) else text(rows))


def unicode_split(input, input_encoding, name=None):
    if input_encoding.upper() not in ("UTF-8", "UTF8"):
        raise NotImplementedError(f"unicode_split: {input_encoding}")
    return _split(input, lambda b: [c.encode() for c in b.decode()])


def ngrams(data, ngram_width, separator=" ", pad_values=None, padding_width=None, preserve_short_sequences=False, name=None):
    if pad_values is not None or padding_width is not None or preserve_short_sequences:
        raise NotImplementedError("ngrams: padding")
    from tensorflow.ragged import RaggedTensor
    rows = data.to_list() if hasattr(data, "to_list") else _texts(as_tensor(data))
    sep, n = separator.encode(), ngram_width
    grams = lambda r: [sep.join(r[i:i + n]) for i in range(len(r) - n + 1)]
    if rows and isinstance(rows[0], list):
        return RaggedTensor.from_rows([grams(r) for r in rows], string)
    return StringTensor(grams(rows))


def _hashed(name):
    def call(input, num_buckets, name=None):
        raise NotImplementedError(f"{kind}: the library's hash functions are not there")
    kind = name
    return call


to_hash_bucket_fast, to_hash_bucket, to_hash_bucket_strong = [_hashed("tf.strings." + n) for n in (
    "to_hash_bucket_fast", "to_hash_bucket", "to_hash_bucket_strong")]
