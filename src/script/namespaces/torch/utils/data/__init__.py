# torch.utils.data -- data sets, samplers and loaders, with PyTorch's order for a seed.
import math as _math
import warnings

import _torch as _w
from torch._creation import get_default_dtype, randint, randperm, multinomial
from torch._types import Generator, int64 as _int64, default_generator


class Dataset:
    def __getitem__(self, index):
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other):
        return ConcatDataset([self, other])

    def __class_getitem__(cls, item):
        return cls


class IterableDataset(Dataset):
    def __iter__(self):
        raise NotImplementedError("Subclasses of IterableDataset should implement __iter__.")


class TensorDataset(Dataset):
    def __init__(self, *tensors):
        if any([t.shape[0] != tensors[0].shape[0] for t in tensors]):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple([t[index] for t in self.tensors])

    def __len__(self):
        return self.tensors[0].shape[0]


class ConcatDataset(Dataset):
    def __init__(self, datasets):
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        self.cumulative_sizes = []
        for d in self.datasets:
            self.cumulative_sizes.append(len(d) + (self.cumulative_sizes[-1] if self.cumulative_sizes else 0))

    def __len__(self):
        return self.cumulative_sizes[-1]

    def __getitem__(self, i):
        if i < 0:
            if -i > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            i += len(self)
        before = 0
        for d, end in zip(self.datasets, self.cumulative_sizes):
            if i < end:
                return d[i - before]
            before = end
        raise IndexError("index out of range")


class ChainDataset(IterableDataset):
    def __init__(self, datasets):
        self.datasets = list(datasets)

    def __iter__(self):
        for d in self.datasets:
            for x in d:
                yield x


class StackDataset(Dataset):
    def __init__(self, *args, **kwargs):
        self.datasets = args if args else kwargs

    def __getitem__(self, i):
        if isinstance(self.datasets, dict):
            return {k: d[i] for k, d in self.datasets.items()}
        return tuple([d[i] for d in self.datasets])

    def __len__(self):
        return len(list(self.datasets.values())[0] if isinstance(self.datasets, dict) else self.datasets[0])


class Subset(Dataset):
    def __init__(self, dataset, indices):
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, i):
        if isinstance(i, list):
            return self.dataset[[self.indices[k] for k in i]]
        return self.dataset[self.indices[i]]

    def __len__(self):
        return len(self.indices)


def random_split(dataset, lengths, generator=None):
    lengths = list(lengths)
    n = len(dataset)
    if _math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        sizes = []
        for i, share in enumerate(lengths):
            if share < 0 or share > 1:
                raise ValueError(f"Fraction at index {i} is not between 0 and 1")
            sizes.append(int(_math.floor(n * share)))
        for i in range(n - sum(sizes)):
            sizes[i % len(sizes)] += 1
        lengths = sizes
    if sum(lengths) != n:
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = randperm(n, generator=generator).tolist()
    out, at = [], 0
    for k in lengths:
        out.append(Subset(dataset, order[at:at + k]))
        at += k
    return out


# ---- in which order

class Sampler:
    def __init__(self, data_source=None):
        pass

    def __class_getitem__(cls, item):
        return cls


class SequentialSampler(Sampler):
    def __init__(self, data_source):
        self.data_source = data_source

    def __iter__(self):
        return iter(range(len(self.data_source)))

    def __len__(self):
        return len(self.data_source)


def _seeded():
    # A generator of its own, seeded by a number of the common one.
    return Generator().manual_seed(int(_w.draw("random", (), _int64, 0, 0, default_generator)))


def _check_count(num_samples):
    if not isinstance(num_samples, int) or isinstance(num_samples, bool) or num_samples <= 0:
        raise ValueError(f"num_samples should be a positive integer value, but got num_samples={num_samples}")


def _check_replacement(replacement, error):
    if not isinstance(replacement, bool):
        raise error(f"replacement should be a boolean value, but got replacement={replacement}")


class RandomSampler(Sampler):
    def __init__(self, data_source, replacement=False, num_samples=None, generator=None):
        _check_replacement(replacement, TypeError)
        _check_count(len(data_source) if num_samples is None else num_samples)
        self.data_source, self.replacement, self.generator = data_source, replacement, generator
        self._num = num_samples

    @property
    def num_samples(self):
        return len(self.data_source) if self._num is None else self._num

    def __iter__(self):
        n = len(self.data_source)
        g = _seeded() if self.generator is None else self.generator
        if self.replacement:
            for _ in range(self.num_samples // 32):
                yield from randint(0, n, (32,), generator=g).tolist()
            yield from randint(0, n, (self.num_samples % 32,), generator=g).tolist()
        else:
            for _ in range(self.num_samples // n):
                yield from randperm(n, generator=g).tolist()
            yield from randperm(n, generator=g).tolist()[:self.num_samples % n]

    def __len__(self):
        return self.num_samples


class SubsetRandomSampler(Sampler):
    def __init__(self, indices, generator=None):
        self.indices, self.generator = indices, generator

    def __iter__(self):
        for i in randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[i]

    def __len__(self):
        return len(self.indices)


class WeightedRandomSampler(Sampler):
    def __init__(self, weights, num_samples, replacement=True, generator=None):
        _check_count(num_samples)
        _check_replacement(replacement, ValueError)
        self.weights = weights if isinstance(weights, _w.Tensor) else _w.tensor(list(weights), _w.float64)
        if self.weights.ndim != 1:
            raise ValueError(f"weights should be a 1d sequence but given weights have shape {tuple(self.weights.shape)}")
        self.num_samples, self.replacement, self.generator = num_samples, replacement, generator

    def __iter__(self):
        picked = multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator)
        yield from picked.tolist()

    def __len__(self):
        return self.num_samples


class BatchSampler(Sampler):
    def __init__(self, sampler, batch_size, drop_last):
        if not isinstance(batch_size, int) or batch_size <= 0:
            raise ValueError(f"batch_size should be a positive integer value, but got batch_size={batch_size}")
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self):
        batch = []
        for i in self.sampler:
            batch.append(i)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch

    def __len__(self):
        n = len(self.sampler)
        return n // self.batch_size if self.drop_last else (n + self.batch_size - 1) // self.batch_size


# ---- batches

def default_collate(batch):
    first = batch[0]
    if isinstance(first, _w.Tensor):
        for k, x in enumerate(batch):
            if type(x).__module__[:5] == "torch" and x.shape != first.shape:
                raise RuntimeError(f"stack expects each tensor to be equal size, but got {list(first.shape)} at entry 0 and "
                                   f"{list(x.shape)} at entry {k}")
        return _w.stack([_w.wrap(x) for x in batch], 0)
    if isinstance(first, bool):
        return _w.tensor(list(batch))
    if isinstance(first, float):
        return _w.tensor(list(batch), _w.float64)
    if isinstance(first, int):
        return _w.tensor(list(batch), _int64)
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, dict):
        return {k: default_collate([d[k] for d in batch]) for k in first}
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*[default_collate(s) for s in zip(*batch)])
    if isinstance(first, (tuple, list)):
        if any([len(b) != len(first) for b in batch]):
            raise RuntimeError("each element in list of batch should be of equal size")
        parts = [default_collate(s) for s in zip(*batch)]
        return parts
    raise TypeError("default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found "
                    f"{type(first)}")


def default_convert(data):
    # what samples are without batches: arrays become tensors
    if isinstance(data, _w.Tensor):
        return _w.wrap(data)
    if isinstance(data, dict):
        return {k: default_convert(v) for k, v in data.items()}
    if isinstance(data, tuple):
        parts = [default_convert(v) for v in data]
        return type(data)(*parts) if hasattr(data, "_fields") else parts
    return [default_convert(v) for v in data] if isinstance(data, list) else data


_told = []


class DataLoader:
    def __init__(self, dataset, batch_size=1, shuffle=None, sampler=None, batch_sampler=None, num_workers=0,
                 collate_fn=None, pin_memory=False, drop_last=False, timeout=0, worker_init_fn=None,
                 multiprocessing_context=None, generator=None, *, prefetch_factor=None, persistent_workers=False,
                 pin_memory_device="", in_order=True):
        if num_workers < 0:
            raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
        if timeout < 0:
            raise ValueError("timeout option should be non-negative")
        if num_workers == 0 and prefetch_factor is not None:
            raise ValueError("prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to "
                             "enable multiprocessing, otherwise set prefetch_factor to None.")
        if num_workers == 0 and persistent_workers:
            raise ValueError("persistent_workers option needs num_workers > 0")
        if num_workers > 0 and not _told:
            _told.append(True)
            warnings.warn("DataLoader: num_workers has no effect: batches are made in this process, in the same order "
                          "and with the same contents; worker_init_fn is never called")
        self.dataset, self.num_workers, self.generator = dataset, num_workers, generator
        self._iterable = isinstance(dataset, IterableDataset)
        if self._iterable:
            for name, value in (("shuffle", shuffle or None), ("sampler", sampler), ("batch_sampler", batch_sampler)):
                if value is not None:
                    raise ValueError(f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}")
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None and (batch_size != 1 or shuffle or sampler is not None or drop_last):
            raise ValueError("batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and "
                             "drop_last")
        if batch_sampler is None and batch_size is None and drop_last:
            raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")
        if sampler is None and not self._iterable:
            sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        if batch_sampler is None and batch_size is not None and not self._iterable:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size = None if batch_sampler is not None and batch_size == 1 and sampler is None else batch_size
        self.sampler, self.batch_sampler, self.drop_last = sampler, batch_sampler, drop_last
        self.collate_fn = collate_fn or (default_collate if batch_sampler is not None or self._iterable
                                         else default_convert)

    def __iter__(self):
        # PyTorch draws a seed for workers at the start of each pass, also without workers.
        _w.draw("random", (), _int64, 0, 0, self.generator or default_generator)
        if self._iterable:
            return self._stream()
        return self._batches()

    def _stream(self):
        batch = []
        for x in self.dataset:
            if self.batch_size is None:
                yield x
                continue
            batch.append(x)
            if len(batch) == self.batch_size:
                yield self.collate_fn(batch)
                batch = []
        if batch and not self.drop_last:
            yield self.collate_fn(batch)

    def _batches(self):
        if self.batch_sampler is None:
            for i in self.sampler:
                yield self.collate_fn(self.dataset[i])
            return
        data = self.dataset
        plain = self.collate_fn is default_collate and type(data) is TensorDataset
        for indices in self.batch_sampler:
            if plain:  # the rows at once
                at = _w.tensor(list(indices), _int64)
                yield [_w.take(t, at, 0) for t in data.tensors]
            elif getattr(data, "__getitems__", None):
                yield self.collate_fn(data.__getitems__(indices))
            else:
                yield self.collate_fn([data[i] for i in indices])

    def __len__(self):
        if self._iterable:
            n = len(self.dataset)
            if self.batch_size is None:
                return n
            return n // self.batch_size if self.drop_last else -(-n // self.batch_size)
        return len(self.sampler) if self.batch_sampler is None else len(self.batch_sampler)


def get_worker_info():
    return None


from torch.utils.data.distributed import DistributedSampler
