# Filters, convolutions and distances.
import numpy as np
import scipy.signal
from scipy.signal import convolve, convolve2d, correlate2d, lfilter
from scipy.spatial import distance, distance_matrix
from scipy.spatial.distance import cdist, pdist, squareform

np.set_printoptions(precision=6, suppress=True)
rs = np.random.RandomState(0)
rewards = rs.rand(6)
print(scipy.signal.lfilter([1], [1, float(-0.99)], rewards[::-1], axis=0)[::-1])
x = rs.randn(3, 7)
print(lfilter([1, 0.5], [1, -0.2, 0.1], x), lfilter([1, 2, 3], [2.0], x, axis=0), lfilter([1, 2], 1, np.arange(5.0)))
y, z = lfilter([1, 0.5], [1, -0.2], x[0], zi=[0.3])
print(y, z, lfilter([0.5], [1, -0.5], x[0].astype(np.float32)).dtype)
a, k = rs.randn(5, 6), rs.randn(3, 2)
for mode in ("full", "same", "valid"):
    print(mode, convolve2d(a, k, mode), correlate2d(a, k, mode=mode), convolve(a[0], k[:, 0], mode), convolve([1, 2, 3], [0, 1, 1, 1], mode))
p, q = rs.randn(4, 3), rs.randn(2, 3)
print(distance_matrix(p, q), distance_matrix(p, q, p=1), distance_matrix(p, q, p=np.inf), distance_matrix(p, q, p=3))
for metric in ("euclidean sqeuclidean cityblock chebyshev cosine correlation canberra braycurtis hamming minkowski").split():
    print(metric, cdist(p, q, metric), pdist(p, metric))
print(cdist(p, q, "minkowski", p=1.5), cdist(p, q, lambda u, v: u[0] - v[1]))
print(squareform(pdist(p)), squareform(squareform(pdist(p))))
print(distance.euclidean([1, 2], [3, 5]), distance.cosine([1, 0], [1, 1]), distance.minkowski([1, 2], [4, 6], 3), distance.cityblock([1, 2], [3, 5]))
for bad in (lambda: lfilter([1, 2], 1, np.arange(5)), lambda: cdist(p, q[:, :2]), lambda: cdist(p, q, "nothing"), lambda: distance_matrix(p, q[:, :2])):
    try:
        bad()
    except (ValueError, NotImplementedError) as e:
        print(e)
