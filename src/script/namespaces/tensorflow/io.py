# tensorflow.io -- files, and the forms numbers and texts have in them.
import base64 as _base64
import csv as _csv
import glob as _glob
import gzip as _gzip
import os as _os
import zlib as _zlib

import _tf as _w
import numpy as _np
from tensorflow._base import state, as_tensor, dtype_of, StringTensor, InvalidArgumentError, NotFoundError, float32, int32, int64
from tensorflow._strings import string
from tensorflow.strings import on_host, _each, _texts, _shape_of
from tensorflow._example import (FixedLenFeature, FixedLenSequenceFeature, RaggedFeature, SparseFeature, VarLenFeature, TFRecordWriter,
                                 parse_example, parse_single_example, parse_sequence_example, parse_tensor, serialize_tensor, TFRecordOptions)
from tensorflow._graphdef import write_graph


class gfile:
    # files and folders by name
    @staticmethod
    def exists(path):
        return _os.path.exists(path)

    @staticmethod
    def isdir(path):
        return _os.path.isdir(path)

    @staticmethod
    def listdir(path):
        return _os.listdir(path)

    @staticmethod
    def makedirs(path):
        _os.makedirs(path, exist_ok=True)

    @staticmethod
    def mkdir(path):
        _os.mkdir(path)

    @staticmethod
    def remove(path):
        _os.remove(path)

    @staticmethod
    def rename(src, dst, overwrite=False):
        if _os.path.exists(dst) and not overwrite:
            raise OSError(f"file already exists: {dst}")
        _os.rename(src, dst)

    @staticmethod
    def glob(pattern):
        return sorted([p for one in ([pattern] if isinstance(pattern, str) else pattern) for p in _glob.glob(one)])

    @staticmethod
    def rmtree(path):
        import shutil
        shutil.rmtree(path)

    @staticmethod
    def copy(src, dst, overwrite=False):
        import shutil
        if _os.path.exists(dst) and not overwrite:
            raise OSError(f"file already exists: {dst}")
        shutil.copy(src, dst)

    @staticmethod
    def GFile(name, mode="r"):
        return open(name, mode)

    Exists, IsDirectory, ListDirectory, MakeDirs, MkDir, Remove, Rename, Glob, DeleteRecursively, Copy = (
        exists, isdir, listdir, makedirs, mkdir, remove, rename, glob, rmtree, copy)
    Open = FastGFile = GFile


def read_file(filename, name=None):
    def run(t):
        try:
            with open(t._value.decode(), "rb") as f:
                return [StringTensor(f.read())]
        except OSError as e:
            raise NotFoundError(f"{t._value.decode()}; {e}") from None
    return on_host("ReadFile", run, [filename], [(string, ())])[0]


def write_file(filename, contents, name=None):
    def run(f, c):
        path = f._value.decode()
        _os.makedirs(_os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "wb") as out:
            out.write(c._value)
        return [_w.tensor(0)]
    if state.graph is None:
        run(as_tensor(filename), as_tensor(contents))
        return None
    from tensorflow._host import node_of
    return node_of("WriteFile", "WriteFile", [filename, contents], lambda session, values: run(*values), [])


def matching_files(pattern, name=None):
    def run(t):
        patterns = t._value if isinstance(t._value, list) else [t._value]
        return [StringTensor(sorted([p for one in patterns for p in _glob.glob(one.decode())]))]
    return on_host("MatchingFiles", run, [pattern], [(string, [None])])[0]


def decode_raw(input_bytes, out_type, little_endian=True, fixed_length=None, name=None):
    if fixed_length is not None:
        raise NotImplementedError("decode_raw: fixed_length")
    d = dtype_of(out_type)

    def one(b):
        if len(b) % d.itemsize:
            raise InvalidArgumentError(f"Input to DecodeRaw has length {len(b)} that is not a multiple of {d.itemsize}, the size of {d.name}")
        if not little_endian and d.itemsize > 1:
            b = b"".join([b[i:i + d.itemsize][::-1] for i in range(0, len(b), d.itemsize)])
        return _w.from_bytes(b, d)

    def run(t):
        v = _texts(t)
        return [_w.stack([one(b) for b in v], 0) if isinstance(v, list) else one(v)]
    shape = None if _shape_of(input_bytes) is None else list(_shape_of(input_bytes)) + [None]
    return on_host("DecodeRaw", run, [input_bytes], [(d, shape)])[0]


def decode_csv(records, record_defaults, field_delim=",", use_quote_delim=True, na_value="", select_cols=None, name=None):
    defaults = [as_tensor(d) if not isinstance(d, type(float32)) and d is not string else d for d in record_defaults]
    kinds = [d.dtype if hasattr(d, "dtype") else d for d in defaults]

    def cell(text, d, kind, row):
        if text == "" or text == na_value:
            if not hasattr(d, "dtype") or d.shape.num_elements() == 0:
                raise InvalidArgumentError(f"Field {row} is required but missing in record!")
            v = d._value if kind is string else d.tolist()
            return v[0] if isinstance(v, list) else v
        try:
            return text.encode() if kind is string else float(text) if kind.is_floating else int(text)
        except ValueError:
            raise InvalidArgumentError(f"Field {row} in record is not a valid {kind.name}: {text}") from None

    def run(t):
        v = _texts(t)
        quoting = _csv.QUOTE_MINIMAL if use_quote_delim else _csv.QUOTE_NONE
        rows = list(_csv.reader([b.decode() for b in (v if isinstance(v, list) else [v])], delimiter=field_delim, quoting=quoting))
        if select_cols is not None:
            rows = [[r[c] for c in select_cols] for r in rows]
        for r in rows:
            if len(r) != len(defaults):
                raise InvalidArgumentError(f"Expect {len(defaults)} fields but have {len(r)} in record")
        out = []
        for k, (d, kind) in enumerate(zip(defaults, kinds)):
            column = [cell(r[k], d, kind, k) for r in rows]
            column = column if isinstance(v, list) else column[0]
            out.append(StringTensor(column) if kind is string else _w.tensor(column, kind))
        return out
    return on_host("DecodeCSV", run, [records], [(k, _shape_of(records)) for k in kinds])


def decode_base64(input, name=None):
    def one(b):
        return _base64.urlsafe_b64decode(b + b"=" * (-len(b) % 4))
    return on_host("DecodeBase64", lambda t: [StringTensor(_each(_texts(t), one))], [input], [(string, _shape_of(input))])[0]


def encode_base64(input, pad=False, name=None):
    def one(b):
        e = _base64.urlsafe_b64encode(b)
        return e if pad else e.rstrip(b"=")
    return on_host("EncodeBase64", lambda t: [StringTensor(_each(_texts(t), one))], [input], [(string, _shape_of(input))])[0]


def decode_compressed(bytes, compression_type="", name=None):
    how = {"": lambda b: b, "ZLIB": _zlib.decompress, "GZIP": _gzip.decompress}[compression_type]
    return on_host("DecodeCompressed", lambda t: [StringTensor(_each(_texts(t), how))], [bytes], [(string, _shape_of(bytes))])[0]


# ---- pictures ----

def _picture(contents, channels, dtype, name):
    from PIL import Image
    import io as _io
    mode = {0: None, 1: "L", 3: "RGB", 4: "RGBA"}[channels]
    d = dtype_of(dtype)
    if d != _w.uint8:
        raise NotImplementedError(f"{name}: pictures of {d.name}")

    def run(t):
        try:
            im = Image.open(_io.BytesIO(t._value))
        except Exception as e:
            raise InvalidArgumentError(f"Input is not a valid picture: {e}") from None
        im = im if mode is None else im.convert(mode)
        a = as_tensor(_np.asarray(im))
        return [a[:, :, None] if a.ndim == 2 else a]
    return on_host(name, run, [contents], [(d, [None, None, channels or None])])[0]


def decode_png(contents, channels=0, dtype=_w.uint8, name=None):
    return _picture(contents, channels, dtype, "DecodePng")


def decode_jpeg(contents, channels=0, ratio=1, fancy_upscaling=True, try_recover_truncated=False, acceptable_fraction=1, dct_method="", name=None):
    if ratio != 1 or not fancy_upscaling or try_recover_truncated or acceptable_fraction != 1:
        raise NotImplementedError("decode_jpeg: ratio, fancy_upscaling, try_recover_truncated, acceptable_fraction")
    return _picture(contents, channels, _w.uint8, "DecodeJpeg")


def decode_image(contents, channels=None, dtype=_w.uint8, name=None, expand_animations=True):
    return _picture(contents, channels or 0, dtype, "DecodeImage")


def encode_png(image, compression=-1, name=None):
    from PIL import Image
    import io as _io

    def run(t):
        a = t.numpy()
        out = _io.BytesIO()
        Image.fromarray(a[:, :, 0] if a.shape[2] == 1 else a).save(out, format="PNG")
        return [StringTensor(out.getvalue())]
    return on_host("EncodePng", run, [image], [(string, ())])[0]
