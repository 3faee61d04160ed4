# gc -- the collector of cycles.
import _host

collect = _host.collect


def enable():
    pass


def disable():
    # it goes on: a collection has no effect that a program sees
    pass


def isenabled():
    return True


def freeze():
    pass


def get_count():
    return (0, 0, 0)


def get_objects():
    raise NotImplementedError("gc.get_objects")
