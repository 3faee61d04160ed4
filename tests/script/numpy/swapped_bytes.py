# Bytes in the other order, and texts of a length as fields.
import numpy as np
A = np.array([1, 256, 8755], dtype=np.int16)
print(list(map(hex, A)), A.byteswap(inplace=True), list(map(hex, A)), A.byteswap())
A = np.array([1, 2, 3], dtype=np.int64)
print(A.view(np.uint8)); 
dt = np.dtype([('name', np.str_, 16), ('grades', np.float64, (2,))])
print(dt, dt.itemsize, dt.descr, dt.fields)
x = np.zeros(2, dt); x[0] = ("abc", (1, 2)); print(x, x["name"], x["grades"])
print(np.dtype([("a", "S", 3), ("b", np.bytes_, 4), ("c", str, 5), ("d", "U", 2), ("e", "f4", 2), ("f", "f4", (2, 3)), ("g", "U3", 2)]))
print(np.zeros(3, dtype=[("n", str, 4)]))
for d in (np.float32, np.complex64, np.uint8, np.bool_, np.float64):
    a = np.arange(6).reshape(2, 3).astype(d)
    print(a.byteswap().byteswap() == a, a.byteswap().tobytes() == a.tobytes(), a.T.byteswap().shape)
print(np.zeros((0, 2), np.int16).byteswap().shape)
