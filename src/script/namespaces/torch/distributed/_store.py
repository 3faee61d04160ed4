# torch.distributed._store -- values by key that several processes see.
#
# A store of several processes is a journal: a file to which every change is appended in one write, so that all read the same
# changes in the same order, and what a change did follows from those before it. No two of them need a lock. One for a port is a
# journal in memory of this machine, which ends with the process that made it.
import os
import time
from datetime import timedelta


class _Fields:
    DistStoreError = RuntimeError       # set by torch.distributed


def _bytes(value):
    return value.encode() if isinstance(value, str) else bytes(value)


class Store:
    def __init__(self):
        self._values, self._limit = {}, timedelta(seconds=300)

    # ---- what a change does to the values; what it answers

    def _apply(self, change):
        kind, key, a, b = change
        values = self._values
        if kind == "set":
            values[key] = a
        elif kind == "add":
            values[key] = str(int(values.get(key, b"0")) + int(a)).encode()
        elif kind == "append":
            values[key] = values.get(key, b"") + a
        elif kind == "delete":
            return values.pop(key, None) is not None
        elif kind == "compare":
            if key in values and values[key] != a:
                return values[key]
            if key not in values and a:
                return a
            values[key] = b
        return values[key]

    def _change(self, kind, key, a=b"", b=b""):
        return self._apply((kind, key, a, b))

    def _look(self):
        pass

    def _late(self, keys, seconds):
        raise _Fields.DistStoreError("Wait timeout")

    def _missing(self, key, seconds):
        self._late([key], seconds)

    # ---- as PyTorch's

    def set(self, key, value):
        self._change("set", key, _bytes(value))

    def add(self, key, amount):
        return int(self._change("add", key, str(int(amount)).encode()))

    def append(self, key, value):
        self._change("append", key, _bytes(value))

    def compare_set(self, key, expected_value, desired_value):
        return self._change("compare", key, _bytes(expected_value), _bytes(desired_value))

    def delete_key(self, key):
        return self._change("delete", key)

    def check(self, keys):
        self._look()
        return all([k in self._values for k in keys])

    def wait(self, keys, timeout=None):
        seconds = (self._limit if timeout is None else timeout).total_seconds()
        if not self._until(keys, seconds):
            self._late(keys, seconds)

    def _until(self, keys, seconds):
        since = time.time()
        while not self.check(keys):
            if time.time() - since > seconds:
                return False
            time.sleep(0.002)
        return True

    def get(self, key):
        seconds = self._limit.total_seconds()
        if not self._until([key], seconds):
            self._missing(key, seconds)
        return self._values[key]

    def multi_get(self, keys):
        return [self.get(k) for k in keys]

    def multi_set(self, keys, values):
        for k, v in zip(keys, values):
            self.set(k, v)

    def num_keys(self):
        self._look()
        return len(self._values)

    def set_timeout(self, timeout):
        self._limit = timeout

    @property
    def timeout(self):
        return self._limit

    def has_extended_api(self):
        return True


class HashStore(Store):
    pass


class _Journal(Store):
    # Lines of kind, key, two values, in hexadecimal, and who wrote them.
    def __init__(self, path):
        super().__init__()
        self._path, self._read, self._rest = path, 0, b""
        self._me = f"{os.getpid()}.{id(self)}"
        self._count, self._answers = 0, {}

    def _look(self):
        if not os.path.exists(self._path):
            return
        with open(self._path, "rb") as f:
            f.seek(self._read)
            new = f.read()
        self._read += len(new)
        lines = (self._rest + new).split(b"\n")
        self._rest = lines.pop()
        for line in lines:
            kind, key, a, b, who = line.decode().split(" ")
            if kind == "open":
                continue
            key = bytes.fromhex(key[1:]).decode()
            answer = self._apply((kind, key, bytes.fromhex(a[1:]), bytes.fromhex(b[1:])))
            if who.startswith(self._me + "."):
                self._answers[who] = answer

    def _write(self, line):
        f = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(f, line.encode())
        finally:
            os.close(f)

    def _change(self, kind, key, a=b"", b=b""):
        self._count += 1
        who = f"{self._me}.{self._count}"
        self._write(f"{kind} x{key.encode().hex()} x{a.hex()} x{b.hex()} {who}\n")
        while who not in self._answers:
            self._look()
        return self._answers.pop(who)


class FileStore(_Journal):
    def __init__(self, file_name, world_size=-1):
        super().__init__(file_name)
        self._world = world_size

    @property
    def path(self):
        return self._path

    def _late(self, keys, seconds):
        raise RuntimeError("Wait timeout")

    def _missing(self, key, seconds):
        raise RuntimeError(f"Timeout waiting for key: {key} after {int(seconds * 1000)} ms")

    def delete_key(self, key):
        super().delete_key(key)
        return True

    def num_keys(self):
        return super().num_keys() + 1     # with the number of its users, as PyTorch's counts

    def has_extended_api(self):
        return False


class TCPStore(_Journal):
    # Of processes of one machine; those of several are started by mpirun.
    def __init__(self, host_name, port, world_size=None, is_master=False, timeout=timedelta(seconds=300), wait_for_workers=True,
                 multi_tenant=False, master_listen_fd=None, use_libuv=True):
        from torch.distributed import _check_here
        _check_here(host_name)
        if master_listen_fd is not None:
            raise NotImplementedError("TCPStore: master_listen_fd; there is no socket")
        if not port:
            if not is_master:
                raise ValueError("TCPStore: a port of 0 is for who makes the store")
            port = 20000 + os.getpid() % 40000
        folder = "/dev/shm" if os.path.isdir("/dev/shm") else "/tmp"
        super().__init__(f"{folder}/weft-store-{os.stat('/proc/self').st_uid}-{port}")
        self.host, self.port, self._limit, self._master = host_name, port, timeout, is_master
        if is_master:
            self._begin(multi_tenant)
        else:
            self._meet()
        if world_size is not None and wait_for_workers:
            self._all_here(world_size)

    def _owner(self):
        try:
            with open(self._path, "rb") as f:
                pid = int(f.readline().decode().split(" ")[1])
            os.kill(pid, 0)
            return pid
        except (OSError, ValueError, IndexError):
            return None

    def _begin(self, shared):
        owner = self._owner()
        if owner is not None and not shared:
            from torch.distributed import DistNetworkError
            raise DistNetworkError(f"The server socket has failed to listen on any local network address. port: {self.port}, it "
                                   f"is the store of process {owner}")
        if owner is None:
            import atexit
            if os.path.exists(self._path):
                os.remove(self._path)
            self._write(f"open {os.getpid()} - - -\n")
            atexit.register(self._end)

    def _end(self):
        if os.path.exists(self._path) and self._owner() == os.getpid():
            os.remove(self._path)

    def _meet(self):
        since = time.time()
        while self._owner() is None:
            if time.time() - since > self._limit.total_seconds():
                from torch.distributed import DistNetworkError
                raise DistNetworkError("The client socket has timed out after "
                                       f"{int(self._limit.total_seconds() * 1000)}ms while trying to connect to ({self.host}, "
                                       f"{self.port}).")
            time.sleep(0.005)

    def _all_here(self, n):
        since = time.time()
        self.add("init/", 1)
        while int(self._values["init/"]) < n:
            if time.time() - since > self._limit.total_seconds():
                raise _Fields.DistStoreError(f"Timed out after {int(self._limit.total_seconds())} seconds waiting for clients. "
                                             f"{int(self._values['init/'])}/{n} clients joined.")
            time.sleep(0.002)
            self._look()

    def _late(self, keys, seconds):
        raise _Fields.DistStoreError(f"wait timeout after {int(seconds * 1000)}ms, keys: {', '.join(['/' + k for k in keys])}")


class PrefixStore:
    def __init__(self, prefix, store):
        self._prefix, self.underlying_store = prefix, store

    def _of(self, key):
        return self._prefix + "/" + key

    def set(self, key, value):
        self.underlying_store.set(self._of(key), value)

    def get(self, key):
        return self.underlying_store.get(self._of(key))

    def add(self, key, amount):
        return self.underlying_store.add(self._of(key), amount)

    def append(self, key, value):
        self.underlying_store.append(self._of(key), value)

    def compare_set(self, key, expected_value, desired_value):
        return self.underlying_store.compare_set(self._of(key), expected_value, desired_value)

    def delete_key(self, key):
        return self.underlying_store.delete_key(self._of(key))

    def check(self, keys):
        return self.underlying_store.check([self._of(k) for k in keys])

    def wait(self, keys, timeout=None):
        keys = [self._of(k) for k in keys]
        return self.underlying_store.wait(keys) if timeout is None else self.underlying_store.wait(keys, timeout)

    def multi_get(self, keys):
        return self.underlying_store.multi_get([self._of(k) for k in keys])

    def multi_set(self, keys, values):
        self.underlying_store.multi_set([self._of(k) for k in keys], values)

    def num_keys(self):
        return self.underlying_store.num_keys()

    def set_timeout(self, timeout):
        self.underlying_store.set_timeout(timeout)

    @property
    def timeout(self):
        return self.underlying_store.timeout

    def has_extended_api(self):
        return self.underlying_store.has_extended_api()
