# platform -- about the machine.
import collections as _collections

_Uname = _collections.namedtuple("uname_result", ["system", "node", "release", "version", "machine"])


def _read(path):
    try:
        with open(path) as f:
            return f.read().strip()
    except OSError:
        return ""


def system():
    return "Linux"


def node():
    return _read("/proc/sys/kernel/hostname")


def release():
    return _read("/proc/sys/kernel/osrelease")


def version():
    return _read("/proc/sys/kernel/version")


def machine():
    import _host
    return _host.run(["uname", "-m"], None, 1, 2, None, None)[1].decode().strip()


def processor():
    return machine()


def uname():
    return _Uname(system(), node(), release(), version(), machine())


def python_version():
    return "3.11.0"


def python_version_tuple():
    return ("3", "11", "0")


def python_implementation():
    return "Weft"


def architecture(executable=None, bits="", linkage=""):
    return (bits or "64bit", linkage or "ELF") if executable is None else (bits, linkage)


def platform(terse=False):
    return f"Linux-{release()}" if terse else f"Linux-{release()}-{machine()}"
