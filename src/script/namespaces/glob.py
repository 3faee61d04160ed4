# glob -- the files that a shell pattern names.
import os as _os
import fnmatch as _fnmatch


def has_magic(s):
    return any(c in s for c in "*?[")


def escape(pathname):
    return "".join(["[" + c + "]" if c in "*?[" else c for c in pathname])


def _names(folder, root):
    try:
        return _os.listdir(_os.path.join(root, folder) if root else folder or ".")
    except OSError:
        return []


def _isdir(p, root):
    return _os.path.isdir(_os.path.join(root, p) if root else p or ".")


def _below(folder, root, hidden):
    # every folder under this one, itself first
    yield folder
    for n in _names(folder, root):
        p = _os.path.join(folder, n) if folder else n
        if (hidden or not n.startswith(".")) and _isdir(p, root):
            yield from _below(p, root, hidden)


def _match(folder, parts, root, recursive, hidden):
    head, rest = parts[0], parts[1:]
    if head == "**" and recursive:
        if not rest:
            for d in _below(folder, root, hidden):
                if d != folder or folder:
                    yield _os.path.join(d, "") if d == folder else d
                for n in _names(d, root):
                    p = _os.path.join(d, n) if d else n
                    if (hidden or not n.startswith(".")) and not _isdir(p, root):
                        yield p
            return
        for d in _below(folder, root, hidden):
            yield from _match(d, rest, root, recursive, hidden)
        return
    if not has_magic(head):
        p = _os.path.join(folder, head) if folder else head
        full = _os.path.join(root, p) if root else p
        if rest and _os.path.isdir(full or "."):
            yield from _match(p, rest, root, recursive, hidden)
        elif not rest and (_os.path.exists(full) if head else _isdir(folder, root)):
            yield p if head else _os.path.join(folder, "")
        return
    for n in _fnmatch.filter(_names(folder, root), head):
        if n.startswith(".") and not head.startswith(".") and not hidden:
            continue
        p = _os.path.join(folder, n) if folder else n
        if not rest:
            yield p
        elif _isdir(p, root):
            yield from _match(p, rest, root, recursive, hidden)


def iglob(pathname, *, root_dir=None, dir_fd=None, recursive=False, include_hidden=False):
    if dir_fd is not None:
        raise NotImplementedError("glob: dir_fd")
    pathname = _os.fspath(pathname)
    start = ""
    parts = pathname.split("/")
    if pathname.startswith("/"):
        start, parts = "/", pathname.lstrip("/").split("/")
    return _match(start, parts, root_dir or "", recursive, include_hidden)


def glob(pathname, *, root_dir=None, dir_fd=None, recursive=False, include_hidden=False):
    return list(iglob(pathname, root_dir=root_dir, dir_fd=dir_fd, recursive=recursive, include_hidden=include_hidden))
