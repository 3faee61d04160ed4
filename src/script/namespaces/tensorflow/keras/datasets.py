# tensorflow.keras.datasets -- data sets from the files Keras keeps in ~/.keras/datasets. There is no network: what is not there is named.
import os as _os

import numpy as _np


def _file(name, path=None):
    p = path or name
    p = p if _os.path.isabs(p) else _os.path.join(_os.path.expanduser("~"), ".keras", "datasets", p)
    if not _os.path.exists(p):
        raise FileNotFoundError(f"there is no network to load {name} from: put it at {p}")
    return p


class mnist:
    @staticmethod
    def load_data(path="mnist.npz"):
        with _np.load(_file("mnist.npz", path)) as f:
            return (f["x_train"], f["y_train"]), (f["x_test"], f["y_test"])


class boston_housing:
    @staticmethod
    def load_data(path="boston_housing.npz", test_split=0.2, seed=113):
        with _np.load(_file("boston_housing.npz", path), allow_pickle=True) as f:
            x, y = f["x"], f["y"]
        order = _np.arange(len(x))
        _np.random.RandomState(seed).shuffle(order)
        x, y = x[order], y[order]
        n = int(len(x) * (1 - test_split))
        return (x[:n], y[:n]), (x[n:], y[n:])


def _idx(path, offset):
    import gzip
    with gzip.open(path, "rb") as f:
        return _np.frombuffer(f.read(), _np.uint8, offset=offset)


class fashion_mnist:
    @staticmethod
    def load_data():
        out = []
        for part in ("train", "t10k"):
            y = _idx(_file(_os.path.join("fashion-mnist", part + "-labels-idx1-ubyte.gz")), 8)
            x = _idx(_file(_os.path.join("fashion-mnist", part + "-images-idx3-ubyte.gz")), 16)
            out.append((x.reshape(len(y), 28, 28), y))
        return out[0], out[1]


def _batch(path):
    import pickle
    with open(path, "rb") as f:
        d = pickle.load(f, encoding="bytes")
    return d[b"data"].reshape(-1, 3, 32, 32), d


class cifar10:
    @staticmethod
    def load_data():
        folder = _file("cifar-10-batches-py")
        parts = [_batch(_os.path.join(folder, f"data_batch_{i}")) for i in range(1, 6)]
        x, y = _np.concatenate([p[0] for p in parts]), [n for p in parts for n in p[1][b"labels"]]
        tx, d = _batch(_os.path.join(folder, "test_batch"))
        last = lambda a: a.transpose(0, 2, 3, 1)
        column = lambda v: _np.array(v, _np.uint8).reshape(-1, 1)
        return (last(x), column(y)), (last(tx), column(d[b"labels"]))
