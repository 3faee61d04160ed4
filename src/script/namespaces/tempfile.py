# tempfile -- what of it is written in the language itself; the rest is modules/tempfile.c
import os


def gettempdir():
    return os.environ.get("TMPDIR") or "/tmp"


def mkdtemp(suffix=None, prefix=None, dir=None):
    return _directory(dir or gettempdir(), "tmp" if prefix is None else prefix, suffix or "")


def mkstemp(suffix=None, prefix=None, dir=None, text=False):
    # text: descriptors read and write bytes, whatever is in them
    name, fd = _file(dir or gettempdir(), "tmp" if prefix is None else prefix, suffix or "")
    return fd, os.path.abspath(name)


def mktemp(suffix="", prefix="tmp", dir=None):
    return _path(dir or gettempdir(), prefix, suffix)


class TemporaryDirectory:
    def __init__(self, suffix=None, prefix=None, dir=None):
        self.name = mkdtemp(suffix, prefix, dir)

    def __enter__(self):
        return self.name

    def __exit__(self, *exc):
        self.cleanup()

    def cleanup(self):
        if os.path.exists(self.name):
            os._rmtree(self.name)


class NamedTemporaryFile:
    def __init__(self, mode="w+b", suffix=None, prefix=None, dir=None, delete=True, *, encoding=None):
        self.delete = delete
        self.name, fd = _file(dir or gettempdir(), "tmp" if prefix is None else prefix, suffix or "")
        try: # the descriptor, not the name, which may be another file by now
            self.file = open("/dev/fd/%d" % fd, mode.replace("x", "w"), encoding=encoding)
        except Exception:
            os.remove(self.name)
            raise
        finally:
            _close(fd)

    def __getattr__(self, name):
        return getattr(self.__dict__["file"], name)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def close(self):
        self.file.close()
        if self.delete and os.path.exists(self.name):
            os.remove(self.name)


def TemporaryFile(mode="w+b", suffix=None, prefix=None, dir=None, *, encoding=None):
    return NamedTemporaryFile(mode, suffix, prefix, dir, True, encoding=encoding)
