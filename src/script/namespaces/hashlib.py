# hashlib -- md5, sha1, sha256.
import _pack

algorithms_available = algorithms_guaranteed = {"md5", "sha1", "sha256"}


class _Hash:
    def __init__(self, name, data):
        self.name, self._data, self.block_size = name, bytearray(data), 64
        self.digest_size = {"md5": 16, "sha1": 20, "sha256": 32}[name]

    def update(self, data):
        self._data.extend(data)

    def digest(self):
        return _pack.digest(self.name, self._data)

    def hexdigest(self):
        return self.digest().hex()

    def copy(self):
        return _Hash(self.name, self._data)


def _text(data):
    if isinstance(data, str):
        raise TypeError("Strings must be encoded before hashing")
    return data


def new(name, data=b"", *, usedforsecurity=True):
    if name.lower() not in algorithms_available:
        raise ValueError(f"unsupported hash type {name}" + ("" if usedforsecurity else " (not for security)"))
    return _Hash(name.lower(), _text(data))


def md5(data=b"", *, usedforsecurity=True):
    return new("md5", data, usedforsecurity=usedforsecurity)


def sha1(data=b"", *, usedforsecurity=True):
    return new("sha1", data, usedforsecurity=usedforsecurity)


def sha256(data=b"", *, usedforsecurity=True):
    return new("sha256", data, usedforsecurity=usedforsecurity)
