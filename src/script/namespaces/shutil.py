# shutil -- whole files and folders.
import os as _os


class Error(OSError):
    pass


class SameFileError(Error):
    pass


def copyfileobj(fsrc, fdst, length=65536):
    while True:
        b = fsrc.read(length if length > 0 else -1)
        if not b:
            break
        fdst.write(b)


def copyfile(src, dst, *, follow_symlinks=True):
    if not follow_symlinks and _os.path.islink(src):
        raise NotImplementedError("shutil.copyfile: follow_symlinks=False of a link")
    if _os.path.exists(dst) and _os.path.realpath(src) == _os.path.realpath(dst):
        raise SameFileError(f"{src!r} and {dst!r} are the same file")
    with open(src, "rb") as f, open(dst, "wb") as g:
        copyfileobj(f, g)
    return dst


def copymode(src, dst):
    _os.chmod(dst, _os.stat(src).st_mode & 0o7777)


def copy(src, dst, *, follow_symlinks=True):
    if _os.path.isdir(dst):
        dst = _os.path.join(dst, _os.path.basename(src))
    copyfile(src, dst, follow_symlinks=follow_symlinks)
    copymode(src, dst)
    return dst


copy2 = copy


def ignore_patterns(*patterns):
    import fnmatch
    return lambda folder, names: {n for p in patterns for n in fnmatch.filter(names, p) if folder is not None}


def copytree(src, dst, symlinks=False, ignore=None, copy_function=copy2, ignore_dangling_symlinks=False, dirs_exist_ok=False):
    if symlinks:
        raise NotImplementedError("shutil.copytree: symlinks")
    src, dst = _os.fspath(src), _os.fspath(dst)
    names = _os.listdir(src)
    skip = ignore(src, names) if ignore is not None else ()
    _os.makedirs(dst, exist_ok=dirs_exist_ok)
    for n in names:
        if n in skip:
            continue
        a, b = _os.path.join(src, n), _os.path.join(dst, n)
        if _os.path.isdir(a):
            copytree(a, b, symlinks, ignore, copy_function, ignore_dangling_symlinks, dirs_exist_ok)
        elif _os.path.exists(a) or not ignore_dangling_symlinks:
            copy_function(a, b)
    return dst


def rmtree(path, ignore_errors=False, onerror=None):
    try:
        _os._rmtree(path)
    except OSError:
        if ignore_errors:
            return
        if onerror is None:
            raise
        import sys
        onerror(_os._rmtree, path, sys.exc_info())


def move(src, dst, copy_function=copy2):
    src, real = _os.fspath(src), _os.fspath(dst)
    if _os.path.isdir(real):
        real = _os.path.join(real, _os.path.basename(src.rstrip("/")))
        if _os.path.exists(real):
            raise Error(f"Destination path '{real}' already exists")
    try:
        _os.rename(src, real)
    except OSError:
        if _os.path.isdir(src):
            copytree(src, real, copy_function=copy_function)
            rmtree(src)
        else:
            copy_function(src, real)
            _os.remove(src)
    return real


def which(cmd, mode=1, path=None):
    if "/" in cmd:
        return cmd if _os.access(cmd, mode) else None
    for d in (path or _os.environ.get("PATH", "")).split(":"):
        p = _os.path.join(d, cmd)
        if _os.path.isfile(p) and _os.access(p, mode):
            return p
    return None


def get_terminal_size(fallback=(80, 24)):
    return _os.terminal_size((int(_os.environ.get("COLUMNS", fallback[0])), int(_os.environ.get("LINES", fallback[1]))))
