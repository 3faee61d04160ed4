import numpy as np


def tried(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


for f in (np.hanning, np.hamming, np.blackman, np.bartlett):
    for M in (0, 1, 2, 5, 12):
        print(f.__name__, M, f(M), f(M).dtype)
for v in (1.7976931348623157e308, 5e-324, 2.2250738585072014e-308, 0.0, -0.0, float("inf"), float("nan"), 8.0, np.nextafter(8.0, 0), -3.7,
          np.float32(3.4028235e38), np.float16(65504), np.float32(1e-45)):
    print(np.frexp(v), [x.dtype.name for x in map(np.asarray, np.frexp(v))])
print(np.frexp(np.array([[1, 2, 3], [4, -5, 0]])))
print(np.linspace([0, 1], [10, 2], 3), np.linspace(0, 1, 5, retstep=True), np.linspace([0, 1], [2, 3], 4, axis=1, retstep=True))
print(np.linspace(0, 1, 1, retstep=True), np.linspace(1 + 2j, 3, 3), np.linspace(np.float32(0), np.float32(1), 3).dtype)
print(np.linspace([0.], [1.], 1, retstep=True), np.linspace(0, 1, 1, False, retstep=True), np.linspace(0., 1., 0, retstep=True))
print(np.convolve([1, 2, 3], [0, 1, 0.5]), np.convolve([1, 2, 3], [0, 1, 0.5], "same"), np.convolve([1, 2, 3], [0, 1, 0.5], "valid"))
print(np.convolve([1, 2], [1, 2, 3, 4], "same"), np.convolve([True, False, True], [True, True]), np.convolve([1j, 2], [1, 2j]))
print(np.convolve(np.array([1, 2], np.uint8), np.array([200, 100], np.uint8)), np.convolve(2, [1, 2]))
print(np.correlate([1, 2, 3], [0, 1, 0.5]), np.correlate([1, 2, 3], [0, 1, 0.5], "full"), np.correlate([1, 2], [1, 2, 3, 4], "same"))
print(np.correlate([1, 2], [1, 2, 3], "full"), np.correlate([1, 2j, 3], [1j, 2], "full"))
tried(lambda: np.convolve([1, 2], [1, 2, 3], "bad"))
tried(lambda: np.convolve([], [1]))
tried(lambda: np.convolve([1], []))
tried(lambda: np.convolve([[1]], [1]))
tried(lambda: np.correlate([], [1.]))
print(np.tensordot(np.ones((2, 3, 4)), np.ones((4, 3)), ([-1, 1], [0, 1])), np.tensordot(np.ones((2, 3)), np.ones((3, 2)), (1, 0)).shape)
