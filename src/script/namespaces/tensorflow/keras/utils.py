# tensorflow.keras.utils
import numpy as _np


def to_categorical(x, num_classes=None):
    x = _np.asarray(x).astype("int64")
    n = int(x.max()) + 1 if num_classes is None else num_classes
    return _np.eye(n)[x]


def set_random_seed(seed):
    import random
    from tensorflow.random import set_seed
    random.seed(seed)
    _np.random.seed(seed)
    set_seed(seed)
