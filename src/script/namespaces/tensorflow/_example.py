# tensorflow._example -- records of examples: the messages tf.train writes, files of records, and examples parsed into tensors.
import struct as _struct

import _tf as _w
from _proto import bytes_, int_, fields, record, varint, masked_crc, _read_varint
from collections import namedtuple as _namedtuple
from tensorflow._base import state, as_tensor, dtype_of, StringTensor, TensorShape, InvalidArgumentError, OpError, float32, int64
from tensorflow._strings import string
from tensorflow.strings import on_host, _texts


class DataLossError(OpError):
    pass


# ---- messages ----

class _List:
    def __init__(self, value=()):
        self.value = list(value)
        for v in self.value:
            self.check(v)

    def __eq__(self, other):
        return type(self) is type(other) and self.value == other.value

    def __str__(self):
        return "".join([f"value: {self.show(v)}\n" for v in self.value])


class BytesList(_List):
    kind, field = "bytes_list", 1

    def check(self, v):
        if not isinstance(v, bytes):
            raise TypeError(f"{v!r} has type {type(v)}, but expected one of: ({bytes},)")

    def show(self, v):
        return '"' + v.decode("latin-1") + '"'

    def body(self):
        return b"".join([bytes_(1, v) for v in self.value])


class FloatList(_List):
    kind, field = "float_list", 2

    def check(self, v):
        float(v)

    def show(self, v):
        return f"{v:g}"

    def body(self):
        return bytes_(1, b"".join([_struct.pack("<f", v) for v in self.value])) if self.value else b""


class Int64List(_List):
    kind, field = "int64_list", 3

    def check(self, v):
        if isinstance(v, float):
            raise TypeError(f"{v!r} has type {type(v)}, but expected one of: ({int},)")

    def show(self, v):
        return str(int(v))

    def body(self):
        return bytes_(1, b"".join([varint(int(v)) for v in self.value])) if self.value else b""


_LISTS = (BytesList, FloatList, Int64List)


def _indented(text):
    return "".join(["  " + l + "\n" for l in text.split("\n") if l])


class Feature:
    def __init__(self, bytes_list=None, float_list=None, int64_list=None):
        self.given = [x for x in (bytes_list, float_list, int64_list) if x is not None]

    def _of(self, cls):
        return self.given[0] if self.given and isinstance(self.given[0], cls) else cls()

    bytes_list = property(lambda self: self._of(BytesList))
    float_list = property(lambda self: self._of(FloatList))
    int64_list = property(lambda self: self._of(Int64List))

    def WhichOneof(self, name):
        return self.given[0].kind if self.given else None

    def body(self):
        return bytes_(self.given[0].field, self.given[0].body()) if self.given else b""

    SerializeToString = body

    @staticmethod
    def read(data):
        f = Feature()
        for number, parts in fields(data).items():
            f.given = [_LISTS[number - 1](_values(number, parts[-1]))]
        return f

    def __str__(self):
        return "".join([f"{x.kind} {{\n{_indented(str(x))}}}\n" for x in self.given])


def _values(number, data):
    raw = fields(data).get(1, [])
    if number == 1:
        return list(raw)
    out = []
    for part in raw:
        if isinstance(part, bytes):     # packed
            if number == 2:
                out += [_struct.unpack("<f", part[i:i + 4])[0] for i in range(0, len(part), 4)]
            else:
                at = 0
                while at < len(part):
                    n, at = _read_varint(part, at)
                    out.append(n - (1 << 64) if n >= 1 << 63 else n)
        else:
            out.append(part)
    return out


class Features:
    def __init__(self, feature=None):
        self.feature = dict(feature or {})

    def body(self):
        return b"".join([bytes_(1, bytes_(1, k) + bytes_(2, f.body())) for k, f in self.feature.items()])

    @staticmethod
    def read(data):
        r = Features()
        for entry in fields(data).get(1, []):
            e = fields(entry)
            r.feature[e[1][0].decode()] = Feature.read(e[2][0]) if 2 in e else Feature()
        return r

    def __str__(self):
        return "".join([f'feature {{\n  key: "{k}"\n  value {{\n{_indented(_indented(str(self.feature[k])))}  }}\n}}\n' for k in self.feature])


class Example:
    def __init__(self, features=None):
        self.features = features or Features()

    def SerializeToString(self):
        return bytes_(1, self.features.body())

    def ParseFromString(self, data):
        f = fields(bytes(data))
        self.features = Features.read(f[1][0]) if 1 in f else Features()
        return len(data)

    @staticmethod
    def FromString(data):
        e = Example()
        e.ParseFromString(data)
        return e

    def __str__(self):
        return "features {\n" + _indented(str(self.features)) + "}\n"

    __repr__ = __str__


class FeatureList:
    def __init__(self, feature=()):
        self.feature = list(feature)


class FeatureLists:
    def __init__(self, feature_list=None):
        self.feature_list = dict(feature_list or {})


class SequenceExample:
    def __init__(self, context=None, feature_lists=None):
        self.context, self.feature_lists = context or Features(), feature_lists or FeatureLists()

    def SerializeToString(self):
        lists = b"".join([bytes_(1, bytes_(1, k) + bytes_(2, b"".join([bytes_(1, f.body()) for f in l.feature])))
                          for k, l in self.feature_lists.feature_list.items()])
        return bytes_(1, self.context.body()) + bytes_(2, lists)


# ---- files of records ----

class TFRecordOptions:
    def __init__(self, compression_type=None, **kw):
        if kw:
            raise NotImplementedError("TFRecordOptions: " + ", ".join(sorted(kw)))
        self.compression_type = compression_type or ""


def _compression(options):
    c = getattr(options, "compression_type", options) or ""
    if c not in ("", "GZIP", "ZLIB"):
        raise ValueError(f"not a valid compression_type: {c}")
    return c


class TFRecordWriter:
    def __init__(self, path, options=None):
        self.path, self.compression, self.parts = path, _compression(options), []
        self.file = open(path, "wb") if not self.compression else None

    def write(self, record_):
        data = record(record_ if isinstance(record_, bytes) else record_.encode())
        if self.file is not None:
            self.file.write(data)
        else:
            self.parts.append(data)

    def flush(self):
        if self.file is not None:
            self.file.flush()

    def close(self):
        if self.file is not None:
            self.file.close()
            self.file = None
        elif self.parts is not None and self.compression:
            import gzip
            import zlib
            body = b"".join(self.parts)
            with open(self.path, "wb") as f:
                f.write(gzip.compress(body) if self.compression == "GZIP" else zlib.compress(body))
            self.parts = None

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()


def records(path, compression=""):
    # the records of a file, each held against its checksum
    from tensorflow._base import NotFoundError
    try:
        with open(path, "rb") as f:
            data = f.read()
    except OSError:
        raise NotFoundError(f"{path}; No such file or directory") from None
    if _compression(compression):
        import gzip
        import zlib
        data = gzip.decompress(data) if compression == "GZIP" else zlib.decompress(data)
    at = 0
    while at < len(data):
        head = data[at:at + 8]
        if len(data) < at + 12 or _struct.unpack("<I", data[at + 8:at + 12])[0] != masked_crc(head):
            raise DataLossError(f"corrupted record at {at}")
        n = _struct.unpack("<Q", head)[0]
        body = data[at + 12:at + 12 + n]
        if len(data) < at + 16 + n or _struct.unpack("<I", data[at + 12 + n:at + 16 + n])[0] != masked_crc(body):
            raise DataLossError(f"corrupted record at {at}")
        yield body
        at += 16 + n


def tf_record_iterator(path, options=None):
    return records(path, _compression(options))


# ---- examples as tensors ----

class FixedLenFeature(_namedtuple("FixedLenFeature", ["shape", "dtype", "default_value"])):
    def __new__(cls, shape, dtype, default_value=None):
        return super().__new__(cls, shape, dtype, default_value)


class FixedLenSequenceFeature(_namedtuple("FixedLenSequenceFeature", ["shape", "dtype", "allow_missing", "default_value"])):
    def __new__(cls, shape, dtype, allow_missing=False, default_value=None):
        return super().__new__(cls, shape, dtype, allow_missing, default_value)


VarLenFeature = _namedtuple("VarLenFeature", ["dtype"])
SparseFeature = _namedtuple("SparseFeature", ["index_key", "value_key", "dtype", "size", "already_sorted"])
RaggedFeature = _namedtuple("RaggedFeature", ["dtype", "value_key", "partitions", "row_splits_dtype", "validate"])


def _found(example, name, spec):
    # the numbers or texts of a feature, or None
    f = example.features.feature.get(name)
    if f is None or not f.given:
        return None
    d = dtype_of(spec.dtype)
    want = "bytes_list" if d is string else "float_list" if d.is_floating else "int64_list"
    if f.given[0].kind != want:
        raise InvalidArgumentError(f"Key: {name}.  Data types don't match. Expected type: {d.name}")
    return f.given[0].value


def _count(shape):
    n = 1
    for d in shape:
        n *= d
    return n


def _nested(values, shape):
    if not shape:
        return values[0]
    step = len(values) // shape[0] if shape[0] else 0
    return [_nested(values[i * step:(i + 1) * step], shape[1:]) for i in range(shape[0])]


def _tensor(values, shape, dtype):
    if dtype is string:
        return StringTensor(_nested(values, list(shape)))
    return _w.reshape(_w.tensor(values, dtype) if values else _w.full([0], 0, dtype), list(shape))


def _fixed(examples, name, spec, lead):
    shape, d, out = list(TensorShape(spec.shape)), dtype_of(spec.dtype), []
    n = _count(shape)
    for e in examples:
        v = _found(e, name, spec)
        if v is None:
            if spec.default_value is None:
                raise InvalidArgumentError(f"Feature: {name} (data type: {d.name}) is required but could not be found.")
            default = as_tensor(spec.default_value)
            v = default._value if d is string else _w.reshape(default, [-1]).tolist()
            v = v if isinstance(v, list) else [v]
            v = v * n if len(v) == 1 else v
        if len(v) != n:
            raise InvalidArgumentError(f"Key: {name}.  Number of {d.name} values != expected.  values size: {len(v)} but output shape: {TensorShape(shape)}")
        out += v
    return _tensor(out, lead + shape, d)


def _parsed(data, features, batch):
    examples = [Example.FromString(b) for b in data]
    lead = [len(examples)] if batch else []
    out = []
    for name in sorted(features):
        spec = features[name]
        if isinstance(spec, FixedLenFeature):
            out.append(_fixed(examples, name, spec, lead))
        elif isinstance(spec, VarLenFeature):
            rows = [_found(e, name, spec) or [] for e in examples]
            d = dtype_of(spec.dtype)
            at = [([i] if batch else []) + [j] for i, r in enumerate(rows) for j in range(len(r))]
            out.append(_w.tensor(at, int64) if at else _w.full([0, len(lead) + 1], 0, int64))
            flat = [v for r in rows for v in r]
            out.append(StringTensor(flat) if d is string else _tensor(flat, [len(flat)], d))
            out.append(_w.tensor(lead + [max([len(r) for r in rows] + [0])], int64))
        elif isinstance(spec, FixedLenSequenceFeature) and not batch:
            v = _found(examples[0], name, spec) or []
            shape = list(TensorShape(spec.shape))
            out.append(_tensor(v, [len(v) // max(_count(shape), 1)] + shape, dtype_of(spec.dtype)))
        else:
            raise NotImplementedError(f"parse_example: {type(spec).__name__}")
    return out


def _types(features, lead):
    out = []
    for name in sorted(features):
        spec = features[name]
        d = dtype_of(spec.dtype)
        if isinstance(spec, VarLenFeature):
            out += [(int64, [None, len(lead) + 1]), (d, [None]), (int64, [len(lead) + 1])]
        elif isinstance(spec, FixedLenFeature):
            out.append((d, lead + list(TensorShape(spec.shape))))
        else:
            out.append((d, lead + [None] + list(TensorShape(spec.shape))))
    return out


def _parse(serialized, features, batch):
    from tensorflow.sparse import SparseTensor

    def run(t):
        v = _texts(t)
        return _parsed(v if batch else [v], features, batch)
    flat = iter(on_host("ParseExample", run, [serialized], _types(features, [None] if batch else [])))
    out = {}
    for name in sorted(features):
        out[name] = SparseTensor(next(flat), next(flat), next(flat)) if isinstance(features[name], VarLenFeature) else next(flat)
    return out


def parse_example(serialized, features, name=None, example_names=None):
    return _parse(serialized, features, True)


def parse_single_example(serialized, features, name=None, example_names=None):
    return _parse(serialized, features, False)


def parse_sequence_example(serialized, context_features=None, sequence_features=None, example_names=None, name=None):
    raise NotImplementedError("parse_sequence_example")


# ---- tensors as messages ----

_CODES = {"float32": 1, "float64": 2, "int32": 3, "uint8": 4, "int16": 5, "int8": 6, "string": 7, "int64": 9, "bool": 10, "float16": 19}


def serialize_tensor(tensor, name=None):
    def run(t):
        shape = b"".join([bytes_(2, int_(1, d)) for d in t.shape])
        head = int_(1, _CODES[t.dtype.name]) + bytes_(2, shape)
        if t.dtype is string:
            v = t._value if isinstance(t._value, list) else [t._value]
            return [StringTensor(head + b"".join([bytes_(8, b) for b in v]))]
        return [StringTensor(head + bytes_(4, _w.to_bytes(t)))]
    return on_host("SerializeTensor", run, [tensor], [(string, ())])[0]


def parse_tensor(serialized, out_type, name=None):
    d = dtype_of(out_type)

    def run(t):
        f = fields(t._value)
        if f.get(1, [0])[0] != _CODES[d.name]:
            raise InvalidArgumentError(f"Type mismatch between parsed tensor and dtype ({d.name})")
        shape = [fields(s).get(1, [0])[0] for s in fields(f[2][0]).get(2, [])] if 2 in f else []
        if d is string:
            return [StringTensor(_nested(f.get(8, []), shape))]
        return [_w.reshape(_w.from_bytes(f[4][0], d), shape)]
    return on_host("ParseTensor", run, [serialized], [(d, None)])[0]
