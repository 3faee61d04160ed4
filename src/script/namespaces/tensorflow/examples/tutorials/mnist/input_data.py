# tensorflow.examples.tutorials.mnist.input_data -- MNIST from the four files in a folder.
import collections
import gzip
import os

import numpy

Datasets = collections.namedtuple("Datasets", ["train", "validation", "test"])
_FILES = ("train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz", "t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz")


def _read(folder, name):
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        raise FileNotFoundError(f"there is no network here: read_data_sets needs {name} in {folder}")
    with gzip.open(path, "rb") as f:
        data = f.read()
    if data[:3] != b"\x00\x00\x08":
        raise ValueError(f"Invalid magic number in MNIST file: {name}")
    sizes = [int.from_bytes(data[4 + 4 * i:8 + 4 * i], "big") for i in range(data[3])]
    return numpy.frombuffer(data, dtype=numpy.uint8, offset=4 + 4 * data[3]).reshape(sizes)


def _one_hot(labels, n):
    out = numpy.zeros((labels.shape[0], n))
    out[numpy.arange(labels.shape[0]), labels] = 1
    return out


class DataSet:
    def __init__(self, images, labels, seed=None, reshape=True, dtype=numpy.float32):
        numpy.random.seed(seed)
        if reshape:
            images = images.reshape(images.shape[0], -1)
        else:
            images = images[..., None]
        if dtype == numpy.float32:
            images = images.astype(numpy.float32) * numpy.float32(1.0 / 255.0)
        self.images, self.labels, self.num_examples = images, labels, images.shape[0]
        self.epochs_completed, self._at = 0, 0

    def _shuffle(self):
        order = numpy.arange(self.num_examples)
        numpy.random.shuffle(order)
        self.images, self.labels = self.images[order], self.labels[order]

    def next_batch(self, batch_size, fake_data=False, shuffle=True):
        if fake_data:
            raise NotImplementedError("next_batch: fake_data")
        start = self._at
        if self.epochs_completed == 0 and start == 0 and shuffle:
            self._shuffle()
        if start + batch_size <= self.num_examples:
            self._at = start + batch_size
            return self.images[start:self._at], self.labels[start:self._at]
        # the rest of this epoch, and the beginning of the next
        self.epochs_completed += 1
        rest_x, rest_y = self.images[start:], self.labels[start:]
        if shuffle:
            self._shuffle()
        self._at = batch_size - rest_x.shape[0]
        return numpy.concatenate((rest_x, self.images[:self._at])), numpy.concatenate((rest_y, self.labels[:self._at]))


def read_data_sets(train_dir, fake_data=False, one_hot=False, dtype=numpy.float32, reshape=True, validation_size=5000, seed=None, source_url=None):
    if fake_data:
        raise NotImplementedError("read_data_sets: fake_data")
    x, y, tx, ty = [_read(train_dir, name) for name in _FILES]
    if one_hot:
        y, ty = _one_hot(y, 10), _one_hot(ty, 10)
    if not 0 <= validation_size <= len(x):
        raise ValueError(f"Validation size should be between 0 and {len(x)}. Received: {validation_size}.")
    parts = ((x[validation_size:], y[validation_size:]), (x[:validation_size], y[:validation_size]), (tx, ty))
    return Datasets(*[DataSet(a, b, seed, reshape, dtype) for a, b in parts])
