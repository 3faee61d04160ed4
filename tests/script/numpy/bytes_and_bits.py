# Arrays and bytes: buffers, files, bits, and what offers itself as an array.
import os
import tempfile

import numpy as np

print(np.frombuffer(b"\x00\x01\x00\x02", dtype=">u2").astype(int))
print(np.frombuffer(b"\x00\x01\x00\x02\x03\x04", np.uint8, count=3, offset=1), np.frombuffer(np.arange(3.).tobytes()))
print(np.packbits(np.array([1, 0, 1, 1, 0, 0, 0, 0, 1])), np.packbits(np.eye(9, dtype=int), axis=1))
print(np.unpackbits(np.array([5, 255], np.uint8)), np.unpackbits(np.array([5], np.uint8), bitorder="little", count=4))
x = np.arange(6, dtype=np.int16).reshape(2, 3)
print(x.tobytes(), x.T.tobytes(), x.tobytes("F"))


class Offered:
    def __array__(self, dtype=None, copy=None):
        return np.ones((2, 3), np.uint8)


print(np.asarray(Offered()).shape, np.array(Offered()).dtype, np.asarray(Offered(), dtype=float))
path = os.path.join(tempfile.mkdtemp(), "x.bin")
np.arange(4.).tofile(path)
print(np.fromfile(path), np.memmap(path, dtype=np.float64, mode="r")[1:3], np.fromfile(path, np.int32, count=3))
for f in (lambda: np.frombuffer(b"abc", np.int16), lambda: np.frombuffer(b"abcd", np.int16, count=3)):
    try:
        f()
    except ValueError as e:
        print(e)
