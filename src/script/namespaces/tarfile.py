# tarfile -- archives of tar: ustar, with the long names of GNU and pax; plain or by gzip. An archive is read as a whole, and written when it
# is closed. A member is extracted below the given folder or not at all, unless filter="fully_trusted".
import builtins as _b
import copy as _copy
import gzip as _gzip
import io as _io
import os
import stat as _stat
import time as _time

BLOCKSIZE, RECORDSIZE = 512, 10240
REGTYPE, AREGTYPE, LNKTYPE, SYMTYPE, CHRTYPE, BLKTYPE, DIRTYPE, FIFOTYPE, CONTTYPE = b"0", b"\0", b"1", b"2", b"3", b"4", b"5", b"6", b"7"
GNUTYPE_LONGNAME, GNUTYPE_LONGLINK, XHDTYPE, XGLTYPE = b"L", b"K", b"x", b"g"
USTAR_FORMAT, GNU_FORMAT, PAX_FORMAT = 0, 1, 2
DEFAULT_FORMAT = PAX_FORMAT


class TarError(Exception):
    pass


class ReadError(TarError):
    pass


class CompressionError(TarError):
    pass


class StreamError(TarError):
    pass


class ExtractError(TarError):
    pass


class HeaderError(TarError):
    pass


class FilterError(TarError):
    pass


class AbsolutePathError(FilterError):
    pass


class OutsideDestinationError(FilterError):
    pass


class SpecialFileError(FilterError):
    pass


class LinkOutsideDestinationError(FilterError):
    pass


def _text(field):
    return field.split(b"\0", 1)[0].decode("utf-8", "replace")


def _number(field):
    if field[:1] in (b"\x80", b"\xff"):         # GNU: binary, the highest byte first
        n = int.from_bytes(field[1:], "big")
        return n - (256 ** (len(field) - 1) if field[:1] == b"\xff" else 0)
    s = field.split(b"\0", 1)[0].strip().decode("ascii", "replace")
    try:
        return int(s or "0", 8)
    except ValueError:
        raise ReadError("invalid header") from None


def _octal(n, digits):
    n = int(n)
    if 0 <= n < 8 ** (digits - 1):
        return (b"%0*o" % (digits - 1, n)) + b"\0"
    return b"\x80" + n.to_bytes(digits - 1, "big")


def _padded(data):
    return data + b"\0" * (-len(data) % BLOCKSIZE)


class TarInfo:
    def __init__(self, name=""):
        self.name, self.mode, self.uid, self.gid, self.size, self.mtime = name, 0o644, 0, 0, 0, 0
        self.chksum, self.type, self.linkname, self.uname, self.gname, self.devmajor, self.devminor = 0, REGTYPE, "", "", "", 0, 0
        self.offset, self.offset_data, self.pax_headers = 0, 0, {}

    @property
    def path(self):
        return self.name

    @property
    def linkpath(self):
        return self.linkname

    def __repr__(self):
        return f"<TarInfo {self.name!r} at {id(self):#x}>"

    def isfile(self):
        return self.type in (REGTYPE, AREGTYPE, CONTTYPE)

    isreg = isfile

    def isdir(self):
        return self.type == DIRTYPE

    def issym(self):
        return self.type == SYMTYPE

    def islnk(self):
        return self.type == LNKTYPE

    def ischr(self):
        return self.type == CHRTYPE

    def isblk(self):
        return self.type == BLKTYPE

    def isfifo(self):
        return self.type == FIFOTYPE

    def isdev(self):
        return self.type in (CHRTYPE, BLKTYPE, FIFOTYPE)

    def replace(self, *, deep=True, **changes):
        new = _copy.deepcopy(self) if deep else _copy.copy(self)
        for k, v in changes.items():
            if k not in ("name", "mtime", "mode", "linkname", "uid", "gid", "uname", "gname"):
                raise TypeError(f"replace() got an unexpected keyword argument '{k}'")
            setattr(new, k, v)
        return new

    def tobuf(self, format=DEFAULT_FORMAT):
        name = self.name + ("/" if self.isdir() and not self.name.endswith("/") else "")
        pax = {k: str(v) for k, v in self.pax_headers.items()}
        long_name, long_link = name.encode(), self.linkname.encode()
        if len(long_name) > 100:
            pax["path"] = name
        if len(long_link) > 100:
            pax["linkpath"] = self.linkname
        if self.mtime != int(self.mtime):
            pax["mtime"] = str(self.mtime)
        head = b""
        if pax and format == PAX_FORMAT:
            records = b"".join([_record(k, v) for k, v in pax.items()])
            head = _header(b"././@PaxHeader", 0, len(records), 0, XHDTYPE, b"") + _padded(records)
        elif format == GNU_FORMAT:
            for kind, full in ((GNUTYPE_LONGLINK, long_link), (GNUTYPE_LONGNAME, long_name)):
                if len(full) > 100:
                    head += _header(b"././@LongLink", 0, len(full) + 1, 0, kind, b"") + _padded(full + b"\0")
        elif pax:
            raise ValueError("name is too long")
        return head + _header(long_name, self.mode & 0o7777, self.size, self.mtime, self.type, long_link, self)


def _record(key, value):
    body = b" " + key.encode() + b"=" + value.encode() + b"\n"
    n = len(body)
    while n != len(body) + len(str(n)):
        n = len(body) + len(str(n))
    return str(n).encode() + body


def _header(name, mode, size, mtime, kind, link, info=None):
    info = info or TarInfo()
    parts = [name[:100].ljust(100, b"\0"), _octal(mode, 8), _octal(info.uid, 8), _octal(info.gid, 8), _octal(size, 12), _octal(mtime, 12),
             b"        ", kind, link[:100].ljust(100, b"\0"), b"ustar\0" b"00", info.uname.encode()[:31].ljust(32, b"\0"),
             info.gname.encode()[:31].ljust(32, b"\0"), _octal(info.devmajor, 8), _octal(info.devminor, 8), b"\0" * 155]
    data = b"".join(parts).ljust(BLOCKSIZE, b"\0")
    return data[:148] + (b"%06o\0 " % sum(data)) + data[156:]


def fully_trusted_filter(member, dest_path):
    return member


def tar_filter(member, dest_path):
    name = member.name.lstrip("/")
    if os.path.isabs(name):
        raise AbsolutePathError(f"member {member.name!r} has an absolute path")
    top = os.path.realpath(dest_path)
    target = os.path.realpath(os.path.join(top, name))
    if target != top and not target.startswith(top.rstrip("/") + "/"):
        raise OutsideDestinationError(f"{member.name!r} would be extracted to {target!r}, which is outside the destination")
    return member.replace(name=name, mode=member.mode & ~0o022, deep=False)


def data_filter(member, dest_path):
    new = tar_filter(member, dest_path)
    if member.isdev():
        raise SpecialFileError(f"{member.name!r} is a special file")
    if member.islnk() or member.issym():
        if os.path.isabs(member.linkname):
            raise AbsolutePathError(f"{member.name!r} is a link to an absolute path")
        top = os.path.realpath(dest_path)
        at = os.path.join(top, os.path.dirname(new.name)) if member.issym() else top
        target = os.path.realpath(os.path.join(at, member.linkname))
        if target != top and not target.startswith(top.rstrip("/") + "/"):
            raise LinkOutsideDestinationError(f"{member.name!r} would link to {target!r}, which is outside the destination")
    mode = new.mode
    if new.isfile():
        mode = (mode | 0o600) & (0o755 if mode & 0o100 else 0o644)
    return new.replace(mode=mode, deep=False)


_FILTERS = {"fully_trusted": fully_trusted_filter, "tar": tar_filter, "data": data_filter}


class TarFile:
    def __init__(self, name=None, mode="r", fileobj=None, format=None, **unused):
        if unused:
            raise NotImplementedError(f"TarFile: {sorted(unused)[0]}")
        if mode not in ("r", "a", "w", "x"):
            raise ValueError("mode must be 'r', 'a', 'w' or 'x'")
        self.name = os.path.abspath(os.fspath(name)) if name is not None else getattr(fileobj, "name", None)
        self.mode, self.format, self.closed = mode, DEFAULT_FORMAT if format is None else format, False
        self.fileobj, self._given, self._gz = fileobj, fileobj is not None, False
        self.members, self._at, self._out = [], 0, []
        if mode in ("w", "x"):
            if not self._given:
                self.fileobj = _b.open(name, "wb" if mode == "w" else "xb")
        elif mode == "a":
            self._data = _b.open(name, "rb").read() if not self._given and os.path.exists(name) else b""
            self._read()
            self._out.append(self._data[:self._end])
            self.fileobj = fileobj or _b.open(name, "wb")

    # ---- opening ----

    @classmethod
    def open(cls, name=None, mode="r", fileobj=None, bufsize=RECORDSIZE, **kw):
        if name is None and fileobj is None:
            raise ValueError("nothing to open")
        kind, sign, how = mode.replace("|", ":").partition(":")
        kind = kind or "r"
        if how in ("bz2", "xz", "zst"):
            raise CompressionError(f"{how} module is not available")
        level = kw.pop("compresslevel", 9)
        if how not in ("", "*", "tar", "gz"):
            raise CompressionError(f"unknown compression type {how!r}")
        if kind != "r":
            t = cls(name, kind, fileobj, **kw)
            t._gz, t._level = how == "gz", level
            return t
        t = cls(name, "r", fileobj, **kw)
        data = fileobj.read() if fileobj is not None else _b.open(name, "rb").read()
        zipped = data[:2] == b"\x1f\x8b"
        if zipped and how != "tar" and (how or sign == "" or how in ("*", "gz")):
            data = _gzip.decompress(data)
        elif how == "gz":
            raise ReadError("not a gzip file")
        t._data = data
        if data and len(data) < BLOCKSIZE or not data:
            raise ReadError("empty file" if not data else "truncated header" if not sign else "file could not be opened successfully")
        t._read()
        return t

    @classmethod
    def taropen(cls, name, mode="r", fileobj=None, **kw):
        return cls.open(name, mode + ":tar" if mode == "r" else mode, fileobj, **kw)

    @classmethod
    def gzopen(cls, name, mode="r", fileobj=None, compresslevel=9, **kw):
        return cls.open(name, mode + ":gz", fileobj, compresslevel=compresslevel, **kw)

    # ---- reading ----

    def _read(self):
        at, data, extra, shared = 0, self._data, {}, {}
        while at + BLOCKSIZE <= len(data):
            b = data[at:at + BLOCKSIZE]
            if b.count(b"\0") == BLOCKSIZE:
                break
            info = self._member(b, at)
            size = info.size if not (info.issym() or info.islnk() or info.isdir() or info.isdev()) else 0
            body = at + BLOCKSIZE
            if body + size > len(data):
                raise ReadError("unexpected end of data")
            at = body + size + -size % BLOCKSIZE
            if info.type in (XHDTYPE, XGLTYPE):
                (extra if info.type == XHDTYPE else shared).update(_records(data[body:body + size]))
                continue
            if info.type == GNUTYPE_LONGNAME:
                extra["path"] = _text(data[body:body + size])
                continue
            if info.type == GNUTYPE_LONGLINK:
                extra["linkpath"] = _text(data[body:body + size])
                continue
            known = dict(shared)
            known.update(extra)
            self._apply(info, known)
            info.offset_data, extra = body, {}
            self.members.append(info)
        self._end = at

    def _member(self, b, at):
        if _number(b[148:156]) != sum(b[:148]) + 256 + sum(b[156:]):
            raise ReadError("invalid header" if at == 0 else "bad checksum")
        t = TarInfo(_text(b[:100]))
        t.mode, t.uid, t.gid, t.size, t.mtime = [_number(b[i:j]) for i, j in ((100, 108), (108, 116), (116, 124), (124, 136), (136, 148))]
        t.type, t.linkname, t.uname, t.gname = b[156:157], _text(b[157:257]), _text(b[265:297]), _text(b[297:329])
        prefix = _text(b[345:500]) if b[257:263] == b"ustar\0" else ""
        if prefix:
            t.name = prefix + "/" + t.name
        if t.type == AREGTYPE and t.name.endswith("/"):
            t.type = DIRTYPE
        if t.isdir():
            t.name = t.name.rstrip("/")
        t.offset = at
        return t

    def _apply(self, t, known):
        for key, name, make in (("path", "name", str), ("linkpath", "linkname", str), ("size", "size", int), ("mtime", "mtime", float),
                                ("uid", "uid", int), ("gid", "gid", int), ("uname", "uname", str), ("gname", "gname", str)):
            if key in known:
                setattr(t, name, make(known[key]))
        t.pax_headers = known
        if t.isdir():
            t.name = t.name.rstrip("/")

    def getmembers(self):
        return list(self.members)

    def getnames(self):
        return [m.name for m in self.members]

    def getmember(self, name):
        for m in reversed(self.members):
            if m.name == name.rstrip("/"):
                return m
        raise KeyError(f"filename {name!r} not found")

    def next(self):
        self._at += 1
        return self.members[self._at - 1] if self._at <= len(self.members) else None

    def __iter__(self):
        return iter(self.members)

    def extractfile(self, member):
        m = self.getmember(member) if isinstance(member, str) else member
        if m.islnk() or m.issym():
            at = m.linkname if m.islnk() else os.path.normpath(os.path.join(os.path.dirname(m.name), m.linkname))
            return self.extractfile(self.getmember(at))
        if not m.isfile():
            return None
        f = _io.BytesIO(self._data[m.offset_data:m.offset_data + m.size])
        return f

    def extract(self, member, path="", set_attrs=True, *, numeric_owner=False, filter="data"):
        m = self.getmember(member) if isinstance(member, str) else member
        f = _FILTERS[filter] if isinstance(filter, str) else filter or data_filter
        m = f(m, path or ".")
        if m is None:
            return
        target = os.path.join(path, m.name)
        if m.isdir():
            os.makedirs(target, exist_ok=True)
        else:
            if os.path.dirname(target):
                os.makedirs(os.path.dirname(target), exist_ok=True)
            if m.issym():
                os.symlink(m.linkname, target)
                return
            source = self.extractfile(m)
            if source is None:
                raise ExtractError(f"{m.name!r} is a special file")
            with _b.open(target, "wb") as out:
                out.write(source.read())
        if set_attrs and not m.isdir():
            os.chmod(target, m.mode & 0o7777)
            os.utime(target, (m.mtime, m.mtime))

    def extractall(self, path=".", members=None, *, numeric_owner=False, filter="data"):
        for m in self.members if members is None else members:
            self.extract(m, path, filter=filter)

    def list(self, verbose=True, *, members=None):
        for m in self.members if members is None else members:
            if verbose:
                print(_stat.filemode((_stat.S_IFDIR if m.isdir() else _stat.S_IFREG) | m.mode), f"{m.uname or m.uid}/{m.gname or m.gid}",
                      f"{m.size:>10}", _time.strftime("%Y-%m-%d %H:%M:%S", _time.localtime(m.mtime)), end=" ")
            print(m.name + ("/" if m.isdir() else ""))

    # ---- writing ----

    def gettarinfo(self, name=None, arcname=None, fileobj=None):
        name = fileobj.name if name is None else os.fspath(name)
        st = os.lstat(name)
        t = TarInfo((os.fspath(arcname) if arcname is not None else name).replace(os.sep, "/").lstrip("/"))
        t.mode, t.uid, t.gid, t.mtime = st.st_mode & 0o7777, st.st_uid, st.st_gid, int(st.st_mtime)
        if os.path.islink(name):
            t.type, t.linkname = SYMTYPE, os.readlink(name)
        elif os.path.isdir(name):
            t.type = DIRTYPE
        else:
            t.size = st.st_size
        return t

    def add(self, name, arcname=None, recursive=True, *, filter=None):
        name = os.fspath(name)
        t = self.gettarinfo(name, arcname)
        if filter is not None:
            t = filter(t)
            if t is None:
                return
        if t.isfile():
            with _b.open(name, "rb") as f:
                self.addfile(t, f)
            return
        self.addfile(t)
        if t.isdir() and recursive:
            for f in sorted(os.listdir(name)):
                self.add(os.path.join(name, f), os.path.join(t.name if arcname is None else os.fspath(arcname), f), recursive, filter=filter)

    def addfile(self, tarinfo, fileobj=None):
        if self.mode == "r":
            raise OSError("bad operation for mode 'r'")
        t = _copy.copy(tarinfo)
        data = fileobj.read(t.size) if fileobj is not None and t.isfile() else b""
        if len(data) != t.size and t.isfile():
            raise OSError("unexpected end of data")
        self._out.append(t.tobuf(self.format))
        self._out.append(_padded(data))
        self.members.append(t)

    def close(self):
        if self.closed:
            return
        self.closed = True
        if self.mode != "r":
            data = b"".join(self._out) + b"\0" * (2 * BLOCKSIZE)
            data += b"\0" * (-len(data) % RECORDSIZE)
            self.fileobj.write(_gzip.compress(data, self._level) if self._gz else data)
            if not self._given:
                self.fileobj.close()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()


def _records(data):
    out = {}
    while data:
        n, _, rest = data.partition(b" ")
        if not n.isdigit() or int(n) <= len(n) + 1:
            break
        key, _, value = data[len(n) + 1:int(n) - 1].partition(b"=")
        out[key.decode("utf-8", "replace")] = value.decode("utf-8", "replace")
        data = data[int(n):]
    return out


open = TarFile.open


def is_tarfile(name):
    try:
        if hasattr(name, "read"):
            at = name.tell()
            open(fileobj=name).close()
            name.seek(at)
        else:
            open(name).close()
        return True
    except (TarError, EOFError):
        return False
