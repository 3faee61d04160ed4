# socket -- there is no network; the machine's name is known.
AF_INET, AF_UNIX, SOCK_STREAM, SOCK_DGRAM = 2, 1, 1, 2
error = OSError


class timeout(OSError):
    pass


class gaierror(OSError):
    pass


def gethostname():
    with open("/proc/sys/kernel/hostname") as f:
        return f.read().strip()


getfqdn = gethostname


class socket:
    def __init__(self, *args, **kwargs):
        raise OSError("socket: there is no network here")


def create_connection(*args, **kwargs):
    raise OSError("socket: there is no network here")
