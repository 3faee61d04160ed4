# pathlib -- paths as objects.
import os as _os
import fnmatch as _fnmatch


class PurePath:
    def __init__(self, *parts):
        out, root = [], ""
        for p in parts:
            p = _os.fspath(p)
            if p.startswith("/"):
                out, root = [], "//" if p.startswith("//") and not p.startswith("///") else "/"
            out += [x for x in p.split("/") if x and x != "."]
        self._root, self._names = root, out

    def _with(self, names):
        q = type(self)()
        q._root, q._names = self._root, names
        return q

    def __str__(self):
        return self._root + "/".join(self._names) or "."

    __fspath__ = __str__

    def as_posix(self):
        return str(self)

    def as_uri(self):
        if not self._root:
            raise ValueError("relative path can't be expressed as a file URI")
        return "file://" + str(self)

    def __repr__(self):
        return f"{type(self).__name__}({str(self)!r})"

    def __bytes__(self):
        return str(self).encode()

    def __hash__(self):
        return hash(str(self))

    def __eq__(self, other):
        return str(self) == str(other) if isinstance(other, PurePath) else NotImplemented

    def _key(self):
        return ([self._root] if self._root else []) + self._names

    def __lt__(self, other):
        return self._key() < other._key() if isinstance(other, PurePath) else NotImplemented

    def __le__(self, other):
        return self._key() <= other._key() if isinstance(other, PurePath) else NotImplemented

    def __gt__(self, other):
        return self._key() > other._key() if isinstance(other, PurePath) else NotImplemented

    def __ge__(self, other):
        return self._key() >= other._key() if isinstance(other, PurePath) else NotImplemented

    def __truediv__(self, other):
        if not isinstance(other, (str, PurePath)):
            return NotImplemented
        return type(self)(self, other)

    def __rtruediv__(self, other):
        return type(self)(other, self)

    def joinpath(self, *others):
        return type(self)(self, *others)

    @property
    def parts(self):
        return tuple(self._key())

    @property
    def drive(self):
        return ""

    @property
    def root(self):
        return self._root

    @property
    def anchor(self):
        return self._root

    @property
    def name(self):
        return self._names[-1] if self._names else ""

    @property
    def suffix(self):
        n = self.name
        i = n.rfind(".")
        return n[i:] if 0 < i < len(n) - 1 else ""

    @property
    def suffixes(self):
        n = self.name
        return [] if n.endswith(".") else ["." + s for s in n.lstrip(".").split(".")[1:]]

    @property
    def stem(self):
        n = self.name
        i = n.rfind(".")
        return n[:i] if 0 < i < len(n) - 1 else n

    @property
    def parent(self):
        return self._with(self._names[:-1])

    @property
    def parents(self):
        return tuple(self._with(self._names[:i]) for i in range(len(self._names) - 1, -1, -1))

    def is_absolute(self):
        return bool(self._root)

    def with_name(self, name):
        if not self.name:
            raise ValueError(f"{self!r} has an empty name")
        return self._with(self._names[:-1] + [name])

    def with_stem(self, stem):
        return self.with_name(stem + self.suffix)

    def with_suffix(self, suffix):
        if suffix and (not suffix.startswith(".") or suffix == "."):
            raise ValueError(f"Invalid suffix {suffix!r}")
        return self.with_name(self.stem + suffix)

    def relative_to(self, *other):
        o = type(self)(*other)
        if o._root != self._root or self._names[:len(o._names)] != o._names:
            raise ValueError(f"{str(self)!r} is not in the subpath of {str(o)!r} OR one path is relative and the other is absolute.")
        return type(self)(*self._names[len(o._names):])

    def is_relative_to(self, *other):
        try:
            self.relative_to(*other)
            return True
        except ValueError:
            return False

    def match(self, pattern):
        p = type(self)(pattern)
        names = self._names[-len(p._names):]
        if p._root and (not self._root or len(p._names) != len(self._names)):
            return False
        return len(names) == len(p._names) and all(_fnmatch.fnmatchcase(a, b) for a, b in zip(names, p._names))


class Path(PurePath):
    @classmethod
    def cwd(cls):
        return cls(_os.getcwd())

    @classmethod
    def home(cls):
        return cls(_os.path.expanduser("~"))

    def exists(self):
        return _os.path.exists(str(self))

    def is_file(self):
        return _os.path.isfile(str(self))

    def is_dir(self):
        return _os.path.isdir(str(self))

    def is_symlink(self):
        return _os.path.islink(str(self))

    def stat(self, *, follow_symlinks=True):
        return _os.stat(str(self), follow_symlinks=follow_symlinks)

    def lstat(self):
        return _os.lstat(str(self))

    def absolute(self):
        return self if self._root else type(self)(_os.getcwd(), self)

    def resolve(self, strict=False):
        if strict and not self.exists():
            self.stat()
        return type(self)(_os.path.realpath(str(self)))

    def expanduser(self):
        return type(self)(_os.path.expanduser(str(self)))

    def samefile(self, other):
        a, b = self.stat(), _os.stat(other)
        return a[1:3] == b[1:3]

    def mkdir(self, mode=0o777, parents=False, exist_ok=False):
        try:
            if parents:
                _os.makedirs(str(self), exist_ok=exist_ok)
            else:
                _os.mkdir(str(self), mode)
        except FileExistsError:
            if not exist_ok or not self.is_dir():
                raise

    def rmdir(self):
        _os.rmdir(str(self))

    def unlink(self, missing_ok=False):
        try:
            _os.remove(str(self))
        except FileNotFoundError:
            if not missing_ok:
                raise

    def rename(self, target):
        _os.rename(str(self), _os.fspath(target))
        return type(self)(target)

    replace = rename

    def symlink_to(self, target, target_is_directory=False):
        _os.symlink(_os.fspath(target), str(self))

    def chmod(self, mode):
        _os.chmod(str(self), mode)

    def touch(self, mode=0o666, exist_ok=True):
        if self.exists() and not exist_ok:
            raise FileExistsError(17, "File exists", str(self))
        new = not self.exists()
        open(str(self), "a").close()
        if new and mode != 0o666:
            self.chmod(mode)

    def open(self, mode="r", buffering=-1, encoding=None, errors=None, newline=None):
        return open(str(self), mode, buffering, encoding, errors, newline)

    def read_text(self, encoding=None, errors=None):
        with open(str(self), "r", -1, encoding, errors) as f:
            return f.read()

    def write_text(self, data, encoding=None, errors=None, newline=None):
        with open(str(self), "w", -1, encoding, errors, newline) as f:
            return f.write(data)

    def read_bytes(self):
        with open(str(self), "rb") as f:
            return f.read()

    def write_bytes(self, data):
        with open(str(self), "wb") as f:
            return f.write(data)

    def iterdir(self):
        for n in _os.listdir(str(self)):
            yield self / n

    def glob(self, pattern):
        import glob
        if not pattern:
            raise ValueError("Unacceptable pattern: ''")
        for p in glob.iglob(pattern, root_dir=str(self), recursive=True, include_hidden=True):
            q = self / p
            if not pattern.endswith("**") or q.is_dir():
                yield q

    def rglob(self, pattern):
        return self.glob("**/" + pattern)

    def owner(self):
        raise NotImplementedError("Path.owner() is not supported")

    def __enter__(self):
        return self

    def __exit__(self, *args):
        return False


PurePosixPath, PosixPath = PurePath, Path
Path.__name__ = Path.__qualname__ = "PosixPath"
PurePath.__name__ = PurePath.__qualname__ = "PurePosixPath"
