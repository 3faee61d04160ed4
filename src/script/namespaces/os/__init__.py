# os -- what of it is written in the language itself; the rest is modules/os.c
environ = None

class _Environ(dict):
    def __setitem__(self, key, value):
        if not isinstance(value, str):
            raise TypeError(f"str expected, not {type(value).__name__}")
        _setenv(key, value)
        dict.__setitem__(self, key, value)

    def __delitem__(self, key):
        dict.__delitem__(self, key)
        _setenv(key, None)

    def update(self, *args, **kwargs):
        for k, v in dict(*args, **kwargs).items():
            self[k] = v

    def setdefault(self, key, value=None):
        if key not in self:
            self[key] = value
        return self[key]

    def pop(self, key, *default):
        v = dict.pop(self, key, *default)
        _setenv(key, None)
        return v

    def copy(self):
        return dict(self)

environ = _Environ()
for _k, _v in _environ.items():
    dict.__setitem__(environ, _k, _v)

def putenv(key, value):
    _setenv(key, value)

def unsetenv(key):
    _setenv(key, None)

curdir, pardir, extsep, altsep, pathsep, devnull = ".", "..", ".", None, ":", "/dev/null"
F_OK, R_OK, W_OK, X_OK = 0, 4, 2, 1
WNOHANG = 1
O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_TRUNC, O_APPEND = 0, 1, 2, 64, 128, 512, 1024
SEEK_SET, SEEK_CUR, SEEK_END = 0, 1, 2
error = OSError

def __getattr__(name):
    global PathLike
    if name != "PathLike":
        raise AttributeError(f"module 'os' has no attribute '{name}'")
    from os._pathlike import PathLike       # an abstract class, which not every import of os has to pay for
    return PathLike

class stat_result(tuple):
    @property
    def st_mode(self): return self[0]
    @property
    def st_ino(self): return self[1]
    @property
    def st_dev(self): return self[2]
    @property
    def st_nlink(self): return self[3]
    @property
    def st_uid(self): return self[4]
    @property
    def st_gid(self): return self[5]
    @property
    def st_size(self): return self[6]
    @property
    def st_atime(self): return self[7]
    @property
    def st_mtime(self): return self[8]
    @property
    def st_ctime(self): return self[9]

def stat(path, *, dir_fd=None, follow_symlinks=True):
    if dir_fd is not None:
        raise NotImplementedError("os.stat: dir_fd is not supported")
    return stat_result(_stat(path) if follow_symlinks else _lstat(path))

def lstat(path):
    return stat_result(_lstat(path))

def fspath(path):
    if isinstance(path, (str, bytes)):
        return path
    f = getattr(type(path), "__fspath__", None)
    if f is None:
        raise TypeError(f"expected str, bytes or os.PathLike object, not {type(path).__name__}")
    return f(path)

class DirEntry:
    def __init__(self, folder, name):
        self.name, self.path = name, path.join(folder, name)
    def is_dir(self, *, follow_symlinks=True): return path.isdir(self.path) and (follow_symlinks or not self.is_symlink())
    def is_file(self, *, follow_symlinks=True): return path.isfile(self.path) and (follow_symlinks or not self.is_symlink())
    def is_symlink(self): return path.islink(self.path)
    def stat(self, *, follow_symlinks=True): return stat(self.path, follow_symlinks=follow_symlinks)
    def __fspath__(self): return self.path
    def __repr__(self): return f"<DirEntry {self.name!r}>"

class _Scan(list):
    def __enter__(self): return self
    def __exit__(self, *args): return False
    def close(self): pass

def scandir(path="."):
    path = fspath(path)
    return _Scan(DirEntry(path, n) for n in listdir(path))

def walk(top, topdown=True, onerror=None, followlinks=False):
    top = fspath(top)
    try:
        names = listdir(top)
    except OSError as e:
        if onerror is not None:
            onerror(e)
        return
    dirs = [n for n in names if path.isdir(path.join(top, n))]
    files = [n for n in names if not path.isdir(path.join(top, n))]
    if topdown:
        yield top, dirs, files
    for d in dirs:
        if followlinks or not path.islink(path.join(top, d)):
            yield from walk(path.join(top, d), topdown, onerror, followlinks)
    if not topdown:
        yield top, dirs, files

def removedirs(name):
    rmdir(name)
    head = path.dirname(name)
    while head:
        try:
            rmdir(head)
        except OSError:
            break
        head = path.dirname(head)

def system(command):
    from _host import run
    return run(["/bin/sh", "-c", command], None, 0, 0, None, None)[0] * 256

def popen(cmd, mode="r", buffering=-1):
    # what the command writes; it runs to its end first
    if mode != "r":
        raise NotImplementedError("os.popen: mode other than 'r'")
    import subprocess
    return subprocess.Popen(cmd, shell=True, text=True, stdout=subprocess.PIPE).stdout

def fdopen(fd, *args, **kwargs):
    if not isinstance(fd, int):
        raise TypeError(f"invalid fd type ({type(fd)}, expected integer)")
    import builtins
    return builtins.open(fd, *args, **kwargs)

def sched_getaffinity(pid):
    return set(_getaffinity(pid))

class times_result(tuple):
    @property
    def user(self): return self[0]
    @property
    def system(self): return self[1]
    @property
    def children_user(self): return self[2]
    @property
    def children_system(self): return self[3]
    @property
    def elapsed(self): return self[4]

def times():
    return times_result(_times())

def getlogin():
    return environ.get("USER", "user")

def get_terminal_size(fd=1):
    if not isatty(fd):
        raise OSError(25, "Inappropriate ioctl for device")
    return terminal_size((int(environ.get("COLUMNS", 80)), int(environ.get("LINES", 24))))

class terminal_size(tuple):
    @property
    def columns(self): return self[0]
    @property
    def lines(self): return self[1]

def uname():
    import platform
    return platform.uname()
