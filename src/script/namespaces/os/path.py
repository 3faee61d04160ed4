# os.path -- what of it is written in the language itself; the rest is modules/os.c
curdir, pardir, extsep, altsep, pathsep, devnull = ".", "..", ".", None, ":", "/dev/null"

def _text(path):
    if isinstance(path, (str, bytes)):
        return path if isinstance(path, str) else path.decode()
    f = getattr(type(path), "__fspath__", None)
    if f is None:
        raise TypeError(f"expected str, bytes or os.PathLike object, not {type(path).__name__}")
    return _text(f(path))

def normcase(s):
    return _text(s)

def normpath(path):
    path = _text(path)
    if not path:
        return "."
    # two slashes at the start mean something of their own; three are one
    lead = 0 if path[0] != "/" else 2 if path.startswith("//") and not path.startswith("///") else 1
    parts = []
    for p in path.split("/"):
        if p in ("", "."):
            continue
        if p != ".." or (not lead and not parts) or (parts and parts[-1] == ".."):
            parts.append(p)
        elif parts:
            parts.pop()
    return "/" * lead + "/".join(parts) or "."

def relpath(path, start="."):
    path = _text(path)
    if not path:
        raise ValueError("no path specified")
    a = [x for x in abspath(_text(start)).split("/") if x]
    b = [x for x in abspath(path).split("/") if x]
    n = len(commonprefix([a, b]))
    return "/".join([".."] * (len(a) - n) + b[n:]) or "."

def commonprefix(m):
    if not m:
        return ""
    m = [x if isinstance(x, (list, tuple)) else _text(x) for x in m]
    low, high = min(m), max(m)
    for i, c in enumerate(low):
        if c != high[i]:
            return low[:i]
    return low

def commonpath(paths):
    paths = [_text(p) for p in paths]
    if not paths:
        raise ValueError("commonpath() arg is an empty sequence")
    if len({p.startswith("/") for p in paths}) > 1:
        raise ValueError("Can't mix absolute and relative paths")
    both = commonprefix([[x for x in p.split("/") if x and x != "."] for p in paths])
    return ("/" if paths[0].startswith("/") else "") + "/".join(both)

def expandvars(path):
    import re
    from os import environ
    def value(m):
        name = m.group(1)
        return environ.get(name[1:-1] if name.startswith("{") else name, m.group(0))
    return re.sub(r"\$(\w+|\{[^}]*\})", value, _text(path))

def splitdrive(p):
    return "", _text(p)

def lexists(path):
    return exists(path) or islink(path)

def _times(path):
    from os import stat
    return stat(path)

def getmtime(path):
    return _times(path).st_mtime

def getatime(path):
    return _times(path).st_atime

def getctime(path):
    return _times(path).st_ctime

def samestat(s1, s2):
    return s1.st_ino == s2.st_ino and s1.st_dev == s2.st_dev

def samefile(f1, f2):
    return samestat(_times(f1), _times(f2))

def ismount(path):
    from os import lstat
    try:
        here, above = lstat(path), lstat(join(_text(path), ".."))
    except OSError:
        return False
    return not islink(path) and (here.st_dev != above.st_dev or here.st_ino == above.st_ino)
