# numpy._npz -- several arrays in one file: a zip of .npy files.
import os
import tempfile
import zipfile

import numpy as _np


def _as_bytes(a):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.npy")
        _np.save(path, a)
        with open(path, "rb") as f:
            return f.read()


def _from_bytes(data):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.npy")
        with open(path, "wb") as f:
            f.write(data)
        return _np.load(path)


def _write(file, args, kwds, kind):
    arrays = dict(kwds)
    for i, a in enumerate(args):
        if f"arr_{i}" in kwds:
            raise ValueError(f"Cannot use un-named variables and keyword arr_{i}")
        arrays[f"arr_{i}"] = a
    if not hasattr(file, "write"):
        file = str(file)
        file = file if file.endswith(".npz") else file + ".npz"
    with zipfile.ZipFile(file, "w", kind) as z:
        for name, a in arrays.items():
            z.writestr(name + ".npy", _as_bytes(_np.asanyarray(a)))


def savez(file, *args, allow_pickle=True, **kwds):
    _write(file, args, kwds, zipfile.ZIP_STORED)


def savez_compressed(file, *args, allow_pickle=True, **kwds):
    _write(file, args, kwds, zipfile.ZIP_DEFLATED)


class NpzFile:
    # Arrays are read when they are asked for.
    def __init__(self, file):
        self.zip, self._file = zipfile.ZipFile(file), file
        self._names = {n[:-4] if n.endswith(".npy") else n: n for n in self.zip.namelist()}
        self.files = list(self._names)

    def __getitem__(self, key):
        if key not in self._names and key in self._names.values():
            key = key[:-4]
        if key not in self._names:
            raise KeyError(f"{key} is not a file in the archive")
        return _from_bytes(self.zip.read(self._names[key]))

    def __contains__(self, key):
        return key in self._names or key in self._names.values()

    def __iter__(self):
        return iter(self.files)

    def __len__(self):
        return len(self.files)

    def keys(self):
        return self.files

    def values(self):
        return [self[k] for k in self.files]

    def items(self):
        return [(k, self[k]) for k in self.files]

    def get(self, key, default=None):
        return self[key] if key in self else default

    def close(self):
        self.zip.close()

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.close()

    def __repr__(self):
        shown = ", ".join(self.files[:5]) + ("..." if len(self.files) > 5 else "")
        return f"NpzFile '{self._file if isinstance(self._file, str) else 'object'}' with keys: {shown}"
