# linecache -- lines of source files, read once.
cache = {}


def getlines(filename, module_globals=None):
    if filename in cache:
        return cache[filename][2]
    try:
        with open(filename, encoding="utf-8") as f:
            lines = f.readlines()
    except (OSError, UnicodeDecodeError):
        return []
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    cache[filename] = (sum(map(len, lines)), None, lines, filename)
    return lines


def getline(filename, lineno, module_globals=None):
    lines = getlines(filename, module_globals)
    return lines[lineno - 1] if 1 <= lineno <= len(lines) else ""


def clearcache():
    cache.clear()


def checkcache(filename=None):
    # what is a file is read anew; what a program put here stays
    import os
    for name in [filename] if filename is not None else list(cache):
        if name in cache and cache[name][1] is None and os.path.exists(name):
            del cache[name]


def lazycache(filename, module_globals):
    return filename in cache
