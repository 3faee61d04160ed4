# NumPy's dtypes: one object each, orders of bytes by their marks.
import struct

import numpy as np

print(np.dtype("f4") is np.dtype("f4"), np.dtype(np.float32) is np.dtype("<f4"), np.zeros(2, "f4").dtype is np.dtype("float32"), np.dtype(int) is np.dtype("i8"))
print({np.dtype("f4"): 1}[np.dtype("float32")], np.dtype("=i4"), np.dtype("|u1"), np.zeros(2, dtype="<i2").dtype, np.dtype(None))
d = np.dtype(">i4")
print(d, repr(d), d.itemsize, d.kind, d.byteorder, d == np.dtype("i4"), d == np.dtype(">i4"), np.dtype("i4") == d, d.newbyteorder("<") == np.dtype("i4"))
m = np.dtype(np.uint32).newbyteorder(">")
print(np.frombuffer(struct.pack(">II", 2051, 60000), dtype=m), np.frombuffer(b"\0\1\2\3", ">u2"), np.frombuffer(b"\1\2", dtype=np.dtype("u1").newbyteorder(">")))
print(np.dtype("f8").str, np.dtype("?").str, np.dtype("u1").byteorder, np.dtype("c8").str, np.dtype("f4").byteorder, np.dtype("f4").isnative, m.isnative)
try:
    np.dtype("f4").newbyteorder("?")
except ValueError as e:
    print(e)
