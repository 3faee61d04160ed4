# json -- JSON text to values and back.
from json.decoder import JSONDecodeError, JSONDecoder
from json.encoder import JSONEncoder


def dumps(obj, *, skipkeys=False, ensure_ascii=True, check_circular=True, allow_nan=True, cls=None, indent=None,
          separators=None, default=None, sort_keys=False, **kw):
    return (cls or JSONEncoder)(skipkeys=skipkeys, ensure_ascii=ensure_ascii, check_circular=check_circular,
                                allow_nan=allow_nan, indent=indent, separators=separators, default=default,
                                sort_keys=sort_keys, **kw).encode(obj)


def dump(obj, fp, **kwargs):
    cls = kwargs.pop("cls", None) or JSONEncoder
    for part in cls(**kwargs).iterencode(obj):
        fp.write(part)


def loads(s, *, cls=None, object_hook=None, parse_float=None, parse_int=None, parse_constant=None, object_pairs_hook=None, **kw):
    if isinstance(s, str):
        if s.startswith("\ufeff"):
            raise JSONDecodeError("Unexpected UTF-8 BOM (decode using utf-8-sig)", s, 0)
    elif isinstance(s, (bytes, bytearray)):
        s = bytes(s).decode("utf-8")
    else:
        raise TypeError(f"the JSON object must be str, bytes or bytearray, not {s.__class__.__name__}")
    for name, v in (("object_hook", object_hook), ("object_pairs_hook", object_pairs_hook), ("parse_float", parse_float),
                    ("parse_int", parse_int), ("parse_constant", parse_constant)):
        if v is not None:
            kw[name] = v
    return (cls or JSONDecoder)(**kw).decode(s)


def load(fp, **kwargs):
    return loads(fp.read(), **kwargs)
