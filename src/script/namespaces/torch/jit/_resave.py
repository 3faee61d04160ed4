# torch.jit._resave -- what torch.jit.load opened of a TorchScript archive, saved as one again: its code as it was, its objects as they are
# now.
#
# Objects are written by the types that their class declares, as PyTorch's own pickles are: lists and dicts say theirs, by
# build_intlist and its kin, or restore_type_tag.
import _torch as _w
from torch.serialization import _Pickler

_lists = {"List[int]": "build_intlist", "List[float]": "build_doublelist", "List[bool]": "build_boollist",
          "List[Tensor]": "build_tensorlist"}


def of_archive(m):
    # (archive, class) of an object that came from one, or None.
    return getattr(type(m), "_of_archive", None)


def _inside(kind):
    # The types in the brackets of one.
    out, depth, start = [], 0, kind.find("[") + 1
    for i in range(start, len(kind)):
        c = kind[i]
        depth += (c in "[(") - (c in "])")
        if (c == "," and depth == 0) or depth < 0:
            out.append(kind[start:i].strip())
            start = i + 1
        if depth < 0:
            break
    return [k for k in out if k]


class _Objects(_Pickler):
    def tensor(self, t):
        self.view(t, t.requires_grad)
        self.remember(t)

    def typed(self, x, kind):
        if kind.startswith("Optional["):
            self.typed(x, _inside(kind)[0])
        elif x is None or id(x) in self.memo:
            self.put(x)
        elif type(x) is int and kind == "float":
            self.put(float(x))
        elif type(x) is list:
            self.list(x, kind)
        elif type(x) is dict or kind.startswith("Dict["):
            self.dict(x, kind)
        elif type(x) is tuple and kind.startswith("Tuple["):
            kinds = _inside(kind)
            self.out.append(b"(")
            for v, k in zip(x, kinds):
                self.typed(v, k)
            self.out.append(b"t")
        elif of_archive(x) is not None:
            self.instance(x)
        elif isinstance(x, tuple) and type(x) is not tuple or isinstance(x, (list, dict)):
            raise NotImplementedError(f"torch.jit.save: an attribute of type {kind} in an archive that is saved again")
        else:
            self.put(x)

    def list(self, x, kind):
        plain = _lists.get(kind)
        self.name("torch.jit._pickle", "restore_type_tag" if plain is None else plain)
        self.out.append(b"]" if plain is None else b"(]")
        self.out.append(b"(")
        for v in x:
            self.typed(v, _inside(kind)[0] if kind.startswith("List[") else "")
        self.out.append(b"e")
        if plain is None:
            self.tag(kind)
        else:
            self.out.append(b"tR")
        self.remember(x)

    def dict(self, x, kind):
        kinds = _inside(kind)
        self.name("torch.jit._pickle", "restore_type_tag")
        self.out.append(b"}(")
        for k, v in x.items():
            self.typed(k, kinds[0])
            self.typed(v, kinds[1])
        self.out.append(b"u")
        self.tag(kind)
        self.remember(x)

    def tag(self, kind):
        self.text(kind)
        self.out.append(b"\x86R")

    def instance(self, x):
        archive, cls = of_archive(x)
        if cls.kind == "NamedTuple":        # its attribute says which
            return self.typed(tuple(x), "Tuple[" + ", ".join(cls.types.values()) + "]")
        module, _, name = cls.name.rpartition(".")
        self.name(module, name)
        if cls.kind == "Enum":
            self.put(x.value)
            self.out.append(b"R")
            return self.remember(x)
        self.out.append(b")\x81}(")
        for name, kind in cls.types.items():
            self.text(name)
            self.typed(getattr(x, name), kind)
        self.out.append(b"ub")
        self.remember(x)


def _put_storages(p, folder, names, contents):
    for key, t in p.keys.items():
        names.append(folder + key)
        contents.append(t)


def save(m, path, extra_files):
    archive, _ = of_archive(m)
    data, constants = _Objects(), _Objects()
    data.instance(m)
    constants.put(tuple(archive.constants or ()))
    names, contents = [], []
    for p, file, folder in ((data, "data.pkl", "data/"), (constants, "constants.pkl", "constants/")):
        names.append("model/" + file)
        contents.append(b"".join(p.out) + b".")
        _put_storages(p, "model/" + folder, names, contents)
    for name, text in archive.code.items():
        names.append("model/" + name)
        contents.append(text)
    for name, text in (extra_files or {}).items():
        names.append("model/extra/" + name)
        contents.append(text.encode() if isinstance(text, str) else text)
    for name, text in (("byteorder", b"little"), ("version", archive.version)):
        names.append("model/" + name)
        contents.append(text)
    if hasattr(path, "write"):
        path.write(_w.write_zip(None, names, contents))
    else:
        _w.write_zip(str(path), names, contents)
