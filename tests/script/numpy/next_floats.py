# The dtype of the next float: the smallest that holds both.
import numpy as np

kinds = [np.bool_, np.int8, np.uint8, np.int16, np.int32, np.int64, np.float16, np.float32, np.float64]
for a in kinds:
    print(np.dtype(a).name, [np.nextafter(np.array([1], a), np.array([0], b)).dtype.name for b in kinds], np.spacing(np.array([1], a)).dtype.name)
print(np.nextafter(np.array([0.5, 1.0], np.float32), np.array([True, False])).tolist(), np.spacing(np.int8(3)))
print(np.nextafter(np.float32(1), 2).dtype, np.nextafter(np.ones(2, np.float16), 2.0).dtype, np.nextafter(1, 2).dtype)
