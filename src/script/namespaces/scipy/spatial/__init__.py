# scipy.spatial -- distances between points. Trees and hulls are not here.
import numpy as _np
from scipy.spatial import distance


def distance_matrix(x, y, p=2, threshold=1000000):      # threshold: how much memory SciPy takes for it; no number changes
    x, y = _np.asarray(x), _np.asarray(y)
    if x.shape[-1] != y.shape[-1]:
        raise ValueError(f"x contains {x.shape[-1]}-dimensional vectors but y contains {y.shape[-1]}-dimensional vectors")
    return distance.minkowski_distance(x[:, None, :], y[None, :, :], p)
