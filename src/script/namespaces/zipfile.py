# zipfile -- archives of files, stored or deflated (PKWARE's APPNOTE 6.3; no encryption, no disks, sizes below 4 GiB).
import io as _io
import os as _os
import time as _time
import zlib as _zlib

ZIP_STORED, ZIP_DEFLATED, ZIP_BZIP2, ZIP_LZMA = 0, 8, 12, 14


class BadZipFile(Exception):
    pass


BadZipfile = BadZipFile


class LargeZipFile(Exception):
    pass


def _le(data, at, n):
    return int.from_bytes(data[at:at + n], "little")


class ZipInfo:
    def __init__(self, filename="NoName", date_time=(1980, 1, 1, 0, 0, 0)):
        self.filename = self.orig_filename = filename.partition("\0")[0]
        self.date_time, self.compress_type, self.comment, self.extra = tuple(date_time), ZIP_STORED, b"", b""
        self.file_size = self.compress_size = self.CRC = self.header_offset = self.external_attr = 0

    def is_dir(self):
        return self.filename.endswith("/")

    def __repr__(self):
        return f"<ZipInfo filename={self.filename!r} file_size={self.file_size}>"


def is_zipfile(filename):
    try:
        if hasattr(filename, "read"):
            data = filename.read()
        else:
            with open(filename, "rb") as f:
                data = f.read()
    except OSError:
        return False
    return data.rfind(b"PK\x05\x06") >= 0


class ZipFile:
    def __init__(self, file, mode="r", compression=ZIP_STORED, allowZip64=True, compresslevel=None):
        if mode not in ("r", "w", "a", "x"):
            raise ValueError("ZipFile requires mode 'r', 'w', 'x', or 'a'")
        if compression not in (ZIP_STORED, ZIP_DEFLATED):
            raise NotImplementedError("That compression method is not supported")
        self.mode, self.compression, self.compresslevel, self._allow = mode, compression, compresslevel, allowZip64
        self.fp, self.filename = (file, getattr(file, "name", None)) if hasattr(file, "read") or hasattr(file, "write") else (None, _os.fspath(file))
        self.filelist, self.NameToInfo, self.comment, self._data, self._changed = [], {}, b"", b"", False
        exists = self.fp is not None or _os.path.exists(self.filename)
        if mode == "x" and exists:
            raise FileExistsError(f"[Errno 17] File exists: {self.filename!r}")
        if mode == "r" or (mode == "a" and exists):
            if self.fp is not None:
                self._data = self.fp.read()
            else:
                with open(self.filename, "rb") as f:
                    self._data = f.read()
            if mode == "r" or self._data:
                self._read()

    def _read(self):
        d = self._data
        end = d.rfind(b"PK\x05\x06")
        if end < 0:
            raise BadZipFile("File is not a zip file")
        n, size, at = _le(d, end + 10, 2), _le(d, end + 12, 4), _le(d, end + 16, 4)
        if at == 0xFFFFFFFF or n == 0xFFFF:
            far = d.rfind(b"PK\x06\x06", 0, end)
            if far < 0:
                raise BadZipFile("Bad magic number for central directory")
            n, size, at = _le(d, far + 32, 8), _le(d, far + 40, 8), _le(d, far + 48, 8)
        shift = end - size - at if d[at:at + 4] != b"PK\x01\x02" and n else 0
        at += shift
        self.comment = d[end + 22:end + 22 + _le(d, end + 20, 2)]
        for _ in range(n):
            if d[at:at + 4] != b"PK\x01\x02":
                raise BadZipFile("Bad magic number for central directory")
            a, b, c = _le(d, at + 28, 2), _le(d, at + 30, 2), _le(d, at + 32, 2)
            raw, t, day = d[at + 46:at + 46 + a], _le(d, at + 12, 2), _le(d, at + 14, 2)
            z = ZipInfo(raw.decode("utf-8", "replace"),
                        ((day >> 9) + 1980, day >> 5 & 15, day & 31, t >> 11, t >> 5 & 63, (t & 31) * 2))
            z._flags, z.compress_type, z.CRC = _le(d, at + 8, 2), _le(d, at + 10, 2), _le(d, at + 16, 4)
            z.compress_size, z.file_size, z.external_attr = _le(d, at + 20, 4), _le(d, at + 24, 4), _le(d, at + 38, 4)
            z.header_offset, z.extra = _le(d, at + 42, 4) + shift, d[at + 46 + a:at + 46 + a + b]
            self._wide(z)
            self.filelist.append(z)
            self.NameToInfo[z.filename] = z
            at += 46 + a + b + c

    def _wide(self, z):
        # sizes of 64 bits, in the extra field 1
        x, at = z.extra, 0
        while at + 4 <= len(x):
            if _le(x, at, 2) == 1:
                p = at + 4
                for name in ("file_size", "compress_size", "header_offset"):
                    if getattr(z, name) == 0xFFFFFFFF:
                        setattr(z, name, _le(x, p, 8))
                        p += 8
            at += 4 + _le(x, at + 2, 2)

    def namelist(self):
        return [z.filename for z in self.filelist]

    def infolist(self):
        return self.filelist

    def getinfo(self, name):
        if name not in self.NameToInfo:
            raise KeyError(f"There is no item named {name!r} in the archive")
        return self.NameToInfo[name]

    def read(self, name, pwd=None):
        z = name if isinstance(name, ZipInfo) else self.getinfo(name)
        d, at = self._data, z.header_offset
        if pwd is not None or getattr(z, "_flags", 0) & 1:
            raise RuntimeError(f"File {z.filename!r} is encrypted, password required for extraction")
        if d[at:at + 4] != b"PK\x03\x04":
            raise BadZipFile("Bad magic number for file header")
        start = at + 30 + _le(d, at + 26, 2) + _le(d, at + 28, 2)
        raw = d[start:start + z.compress_size]
        if z.compress_type == ZIP_DEFLATED:
            raw = _zlib.decompress(raw, -15)
        elif z.compress_type != ZIP_STORED:
            raise NotImplementedError("That compression method is not supported")
        if _zlib.crc32(raw) != z.CRC:
            raise BadZipFile(f"Bad CRC-32 for file {z.filename!r}")
        return raw

    def open(self, name, mode="r", pwd=None, *, force_zip64=False):
        if mode == "r":
            f = _io.BytesIO(self.read(name, pwd))
            f.name = name.filename if isinstance(name, ZipInfo) else name
            return f
        return _Member(self, name)

    def testzip(self):
        for z in self.filelist:
            try:
                self.read(z)
            except BadZipFile:
                return z.filename
        return None

    def extract(self, member, path=None, pwd=None):
        z = member if isinstance(member, ZipInfo) else self.getinfo(member)
        parts = [p for p in z.filename.replace("\\", "/").split("/") if p not in ("", ".", "..")]
        to = _os.path.join(path or _os.getcwd(), *parts)
        if z.is_dir():
            _os.makedirs(to, exist_ok=True)
            return to
        _os.makedirs(_os.path.dirname(to) or ".", exist_ok=True)
        with open(to, "wb") as f:
            f.write(self.read(z, pwd))
        return to

    def extractall(self, path=None, members=None, pwd=None):
        for m in self.namelist() if members is None else members:
            self.extract(m, path, pwd)

    def writestr(self, zinfo_or_arcname, data, compress_type=None, compresslevel=None):
        if self.mode == "r":
            raise ValueError("write() requires mode 'w', 'x', or 'a'")
        z = zinfo_or_arcname
        if not isinstance(z, ZipInfo):
            z = ZipInfo(z, _time.localtime()[:6])
            z.compress_type, z.external_attr = self.compression, 0o600 << 16
        if compress_type is not None:
            z.compress_type = compress_type
        data = data.encode("utf-8") if isinstance(data, str) else bytes(data)
        body = _zlib.compress(data, -1 if compresslevel is None else compresslevel, -15) if z.compress_type == ZIP_DEFLATED else data
        z.CRC, z.file_size, z.compress_size = _zlib.crc32(data), len(data), len(body)
        if not self._changed:
            self._data = self._data[:self._central()] if self.filelist else b""
            self._changed = True
        z.header_offset = len(self._data)
        self._data += b"PK\x03\x04" + self._common(z) + self._lengths(z) + z.filename.encode() + body
        self.filelist.append(z)
        self.NameToInfo[z.filename] = z

    def _central(self):
        return _le(self._data, self._data.rfind(b"PK\x05\x06") + 16, 4)

    def _lengths(self, z):
        return len(z.filename.encode()).to_bytes(2, "little") + b"\0\0"

    def _common(self, z):
        y, mo, d, h, mi, s = z.date_time
        day, t = (y - 1980) << 9 | mo << 5 | d, h << 11 | mi << 5 | s // 2
        flags = 0 if z.filename.isascii() else 0x800
        return b"".join([v.to_bytes(n, "little") for v, n in ((20, 2), (flags, 2), (z.compress_type, 2), (t, 2), (day, 2), (z.CRC, 4),
                                                              (z.compress_size, 4), (z.file_size, 4))])

    def write(self, filename, arcname=None, compress_type=None, compresslevel=None):
        name = (arcname or _os.fspath(filename)).lstrip("/")
        z = ZipInfo(name, _time.localtime(_os.path.getmtime(filename))[:6])
        z.compress_type, z.external_attr = self.compression if compress_type is None else compress_type, 0o644 << 16
        if _os.path.isdir(filename):
            z.filename, z.compress_type = name.rstrip("/") + "/", ZIP_STORED
            self.writestr(z, b"")
            return
        with open(filename, "rb") as f:
            self.writestr(z, f.read(), None, compresslevel)

    def mkdir(self, name, mode=511):
        z = ZipInfo((name if isinstance(name, str) else name.filename).rstrip("/") + "/")
        z.external_attr = (0o40000 | mode) << 16
        self.writestr(z, b"")

    def close(self):
        if self.mode == "r" or (not self._changed and self.mode == "a"):
            return
        at, out = len(self._data), []
        for z in self.filelist:
            out.append(b"PK\x01\x02" + (0x0314).to_bytes(2, "little") + self._common(z) + self._lengths(z) + b"\0" * 6
                       + z.external_attr.to_bytes(4, "little") + z.header_offset.to_bytes(4, "little") + z.filename.encode())
        body = b"".join(out)
        n = len(self.filelist).to_bytes(2, "little")
        data = (self._data + body + b"PK\x05\x06\0\0\0\0" + n + n + len(body).to_bytes(4, "little") + at.to_bytes(4, "little")
                + len(self.comment).to_bytes(2, "little") + self.comment)
        if self.fp is not None:
            if self.mode == "a":
                self.fp.seek(0)
            self.fp.write(data)
        else:
            with open(self.filename, "wb") as f:
                f.write(data)
        self.mode = "r"

    def printdir(self, file=None):
        print("%-46s %19s %12s" % ("File Name", "Modified    ", "Size"), file=file)
        for z in self.filelist:
            print("%-46s %s %12d" % (z.filename, "%d-%02d-%02d %02d:%02d:%02d" % z.date_time, z.file_size), file=file)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.close()
        return False


class _Member(_io.BytesIO):
    # written into the archive when it is closed
    def __init__(self, archive, name):
        _io.BytesIO.__init__(self)
        self._archive, self._name = archive, name

    def __exit__(self, kind, value, trace):
        self.close()
        return False

    def close(self):
        if self._archive is not None:
            archive, self._archive = self._archive, None
            archive.writestr(self._name, self.getvalue())
