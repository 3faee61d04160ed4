# tensorflow.data -- datasets: sequences of tensors, made at need each time they are walked.
import _tf as _w
import _tree
import numpy as _np
from tensorflow._base import as_tensor, state, StringTensor, TensorShape, TensorSpec, InvalidArgumentError, OutOfRangeError, int64
from tensorflow._strings import string as _string

AUTOTUNE = -1
_probing = []       # while an example of a dataset's elements is made


def _leaf(x):
    return isinstance(x, _w.Tensor) or hasattr(x, "__tensor__") or hasattr(x, "root_value")


def _tensors(tree):
    if isinstance(tree, list):
        return as_tensor(tree)
    if isinstance(tree, tuple):
        return tuple([_tensors(t) for t in tree])
    if isinstance(tree, dict):
        return {k: _tensors(v) for k, v in tree.items()}
    return tree if hasattr(tree, "root_value") else as_tensor(tree)


class _Source:
    # tensors of a graph that a dataset is made of: an iterator's initializer gives them values
    def __init__(self, tensors):
        self.tensors, self.values = tensors, None

    def start(self, values):
        self.values = values


class _Order(_Source):
    # what a shuffle draws its passes from: an iterator's initializer begins it anew
    def __init__(self, seed):
        from tensorflow.random import get_seed
        super().__init__([])
        self.seeds = get_seed(seed)
        self.start([])

    def start(self, values):
        from tensorflow.random import words_from
        self.words = words_from(*self.seeds)


def _joined(xs):
    if hasattr(xs[0], "_value") and xs[0].dtype is _string:
        return StringTensor([x._value for x in xs])
    return _w.stack(xs, 0)


def _many(dataset):
    # more than one?
    return len([1 for _, _ in zip(range(2), dataset._make())]) > 1


def _padded(items, shapes, values):
    # elements of different sizes, with something after the smaller ones
    spec = _tree.flatten(items[0], _leaf, False)[1]
    rows = [_tree.flatten(i, _leaf, False)[0] for i in items]
    n = len(rows[0])
    wanted = [None] * n if shapes is None else _each(shapes, n)
    fills = [None] * n if values is None else _each(values, n)
    out = []
    for k in range(n):
        xs = [r[k] for r in rows]
        sizes = [max([x.shape[a] for x in xs]) for a in range(xs[0].ndim)]
        if wanted[k] is not None:
            sizes = [d if d is not None else s for d, s in zip(TensorShape(wanted[k]), sizes)]
        for x in xs:
            if [1 for d, s in zip(x.shape, sizes) if d > s]:
                raise InvalidArgumentError(f"Attempted to pad to a smaller size than the input element: {x.shape} to {sizes}")
        fill = 0 if fills[k] is None else as_tensor(fills[k]).item()
        out.append(_w.stack([_w.pad(x, [0] * x.ndim, [s - d for d, s in zip(x.shape, sizes)], fill) for x in xs], 0))
    return _tree.unflatten(spec, out)


def _each(x, n):
    # one for each leaf: shapes are lists, structures tuples and dicts
    if isinstance(x, tuple) and not isinstance(x, TensorShape) and (n > 1 or len(x) == 1 and isinstance(x[0], (list, tuple, TensorShape))):
        return [z for y in x for z in _each(y, 1)]
    if isinstance(x, dict):
        return [z for k in sorted(x) for z in _each(x[k], 1)]
    return [x] * n


def _stacked(items):
    spec = _tree.flatten(items[0], _leaf, False)[1]
    cols = [_tree.flatten(i, _leaf, False)[0] for i in items]
    return _tree.unflatten(spec, [_joined([c[k] for c in cols]) for k in range(len(cols[0]))])


class _Iterator:
    # What iter(dataset) gives.
    def __init__(self, dataset):
        self._dataset, self._rows = dataset, iter(dataset._make())

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._rows)

    def get_next(self):
        try:
            return next(self._rows)
        except StopIteration:
            raise OutOfRangeError("End of sequence") from None

    @property
    def element_spec(self):
        return self._dataset.element_spec


class Dataset:
    def __init__(self, make, size=None, sources=(), open_rows=False):
        self._make = make   # () -> an iterator
        self._size = size
        self.sources = list(sources)
        self.open_rows = open_rows      # is the first size of its elements open?

    leaf = staticmethod(_leaf)

    def _derived(self, make, size=None, open_rows=None):
        return Dataset(make, size, self.sources, self.open_rows if open_rows is None else open_rows)

    def example(self):
        # one of its elements; of a graph's tensors, made of zeros
        for s in self.sources:
            s.values = [_w.full([1 if d is None else d for d in t.shape], 0, t.dtype) for t in s.tensors]
        _probing.append(True)
        try:
            return next(iter(self._make()))
        finally:
            _probing.pop()
            for s in self.sources:
                s.values = None

    def __iter__(self):
        return _Iterator(self)

    def __len__(self):
        if self._size is None:
            raise TypeError("The dataset length is unknown.")
        return self._size

    def cardinality(self):
        return _w.tensor(-1 if self.endless else -2 if self._size is None else self._size, int64)

    endless = False

    @staticmethod
    def from_tensor_slices(tensors, name=None):
        tree = _tensors(tensors)
        leaves, spec = _tree.flatten(tree, _leaf, False)
        if [x for x in leaves if hasattr(x, "root_value")]:
            source = _Source(leaves)

            def drawn():
                for i in range(source.values[0].shape[0]):
                    yield _tree.unflatten(spec, [x[i] for x in source.values])
            return Dataset(drawn, leaves[0].shape[0], [source])
        n = leaves[0].shape[0]

        def make():
            for i in range(n):
                yield _tree.unflatten(spec, [x[i] for x in leaves])
        return Dataset(make, n)

    @staticmethod
    def from_tensors(tensors, name=None):
        tree = _tensors(tensors)
        return Dataset(lambda: iter([tree]), 1)

    @staticmethod
    def range(*args, output_type=int64):
        r = range(*args)
        return Dataset(lambda: iter([_w.tensor(i, output_type) for i in r]), len(r))

    @staticmethod
    def from_generator(generator, output_types=None, output_shapes=None, args=None, output_signature=None):
        sig = output_signature

        def cast(x, s):
            if isinstance(s, (tuple, list)):
                return tuple([cast(a, b) for a, b in zip(x, s)])
            return as_tensor(x) if s is None else _w.cast(as_tensor(x), s.dtype if isinstance(s, TensorSpec) else s)

        def check(x, s):
            if isinstance(s, (tuple, list)) and isinstance(x, (tuple, list)):
                for a, b in zip(x, s):
                    check(a, b)
            elif s is not None and not TensorShape(s.shape if isinstance(s, TensorSpec) else s).is_compatible_with(x.shape):
                raise InvalidArgumentError(f"`generator` yielded an element of shape {x.shape} where an element of shape {s} was expected.")

        def make():
            for x in generator(*(args or ())):
                x = cast(x, sig if sig is not None else output_types)
                check(x, sig if sig is not None else output_shapes)
                yield x
        return Dataset(make)

    @staticmethod
    def zip(*datasets, name=None):
        parts = datasets[0] if len(datasets) == 1 and isinstance(datasets[0], tuple) else datasets
        sizes = [d._size for d in parts]
        return Dataset(lambda: zip(*[d._make() for d in parts]), None if None in sizes else min(sizes), [s for d in parts for s in d.sources],
                       any([d.open_rows for d in parts]))

    def map(self, map_func, num_parallel_calls=None, deterministic=None, name=None):
        def make():
            for x in self._make():
                yield _tensors(map_func(*x) if isinstance(x, tuple) else map_func(x))
        return self._derived(make, self._size)

    def filter(self, predicate, name=None):
        def make():
            for x in self._make():
                if bool(predicate(*x) if isinstance(x, tuple) else predicate(x)):
                    yield x
        return self._derived(make)

    def batch(self, batch_size, drop_remainder=False, num_parallel_calls=None, deterministic=None, name=None):
        def make():
            items = []
            for x in self._make():
                items.append(x)
                if len(items) == batch_size:
                    yield _stacked(items)
                    items = []
            if items and not drop_remainder:
                yield _stacked(items)
        n = self._size
        return self._derived(make, None if n is None else n // batch_size if drop_remainder else -(-n // batch_size), not drop_remainder)

    def unbatch(self, name=None):
        def make():
            for x in self._make():
                for y in Dataset.from_tensor_slices(x)._make():
                    yield y
        return self._derived(make)

    def shuffle(self, buffer_size, seed=None, reshuffle_each_iteration=True, name=None):
        # From a buffer that is filled as it is emptied, in TensorFlow's order: each iteration has two words of the dataset's stream
        # as the seeds of its own.
        from tensorflow.random import Words
        order, size = _Order(seed), int(buffer_size)
        first = None if reshuffle_each_iteration is not False else order.words.seeds

        def make():
            if _probing:        # an example of the elements draws nothing
                yield from self._make()
                return
            words = Words(*first) if first is not None else Words(order.words.next(), order.words.next())
            room, start, end, source = {}, 0, 0, iter(self._make())
            while True:
                while source is not None and end - start < size:
                    try:
                        room[end] = next(source)
                        end += 1
                    except StopIteration:
                        source = None
                if start == end:
                    return
                at = start + words.next() % (end - start)
                x = room[at]
                room[at] = room[start]
                del room[start]
                start += 1
                yield x
        return Dataset(make, self._size, self.sources + [order], self.open_rows)

    def repeat(self, count=None, name=None):
        def make():
            n = 0
            while count is None or count < 0 or n < count:
                for x in self._make():
                    yield x
                n += 1
        ever = count is None or count < 0
        d = self._derived(make, None if ever or self._size is None else count * self._size)
        d.endless = ever
        return d

    def take(self, count, name=None):
        def make():
            n = 0
            for x in self._make():
                if n == count:
                    return
                yield x
                n += 1
        return self._derived(make, None if self._size is None else min(count, self._size))

    def skip(self, count, name=None):
        def make():
            for i, x in enumerate(self):
                if i >= count:
                    yield x
        return self._derived(make, None if self._size is None else max(self._size - count, 0))

    def enumerate(self, start=0, name=None):
        def make():
            for i, x in enumerate(self._make()):
                yield _w.tensor(i + start, int64), x
        return self._derived(make, self._size)

    def concatenate(self, other, name=None):
        def make():
            for x in self._make():
                yield x
            for x in other._make():
                yield x
        return self._derived(make, None if self._size is None or other._size is None else self._size + other._size)

    def reduce(self, initial_state, reduce_func, name=None):
        s = as_tensor(initial_state) if not isinstance(initial_state, tuple) else initial_state
        for x in self._make():
            s = reduce_func(s, x)
        return s

    def window(self, size, shift=None, stride=1, drop_remainder=False):
        items = list(self._make())
        step = size if shift is None else shift
        parts = [items[i:i + size * stride:stride] for i in range(0, len(items), step)]
        parts = [p for p in parts if len(p) == size or not drop_remainder]
        return Dataset(lambda: iter([_of(p) for p in parts]), len(parts))

    def flat_map(self, map_func):
        def make():
            for x in self._make():
                for y in (map_func(*x) if isinstance(x, tuple) else map_func(x))._make():
                    yield y
        return self._derived(make)

    def interleave(self, map_func, cycle_length=None, block_length=1, num_parallel_calls=None, deterministic=None, name=None):
        # from cycle_length datasets in turn, block_length elements of each
        cycle = 2 if cycle_length in (None, AUTOTUNE) else int(cycle_length)
        if cycle_length in (None, AUTOTUNE) and _many(self):
            raise NotImplementedError("Dataset.interleave: cycle_length chosen by the library")

        def make():
            source, running = iter(self._make()), [None] * cycle
            ended = False
            at = taken = 0
            while not ended or [r for r in running if r is not None]:
                if running[at] is None and not ended:
                    try:
                        x = next(source)
                        running[at] = iter((map_func(*x) if isinstance(x, tuple) else map_func(x))._make())
                    except StopIteration:
                        ended = True
                if running[at] is not None:
                    try:
                        y = next(running[at])
                        taken += 1
                        yield y
                        if taken < block_length:
                            continue
                    except StopIteration:
                        running[at], taken = None, 0
                        if ended:
                            at = (at + 1) % cycle
                        continue
                at, taken = (at + 1) % cycle, 0
        return self._derived(make)

    def padded_batch(self, batch_size, padded_shapes=None, padding_values=None, drop_remainder=False, name=None):
        def make():
            items = []
            for x in self._make():
                items.append(x)
                if len(items) == batch_size:
                    yield _padded(items, padded_shapes, padding_values)
                    items = []
            if items and not drop_remainder:
                yield _padded(items, padded_shapes, padding_values)
        n = self._size
        return self._derived(make, None if n is None else n // batch_size if drop_remainder else -(-n // batch_size), not drop_remainder)

    def shard(self, num_shards, index, name=None):
        if not 0 <= index < num_shards:
            raise InvalidArgumentError(f"Index must be between 0 and {num_shards - 1} (currently index = {index}).")

        def make():
            for i, x in enumerate(self._make()):
                if i % num_shards == index:
                    yield x
        return self._derived(make, None if self._size is None else max(0, -(-(self._size - index) // num_shards)))

    def take_while(self, predicate, name=None):
        def make():
            for x in self._make():
                if not bool(predicate(*x) if isinstance(x, tuple) else predicate(x)):
                    return
                yield x
        return self._derived(make)

    def scan(self, initial_state, scan_func, name=None):
        def make():
            s = _tensors(initial_state)
            for x in self._make():
                s, y = scan_func(s, x)
                yield _tensors(y)
        return self._derived(make, self._size)

    def unique(self, name=None):
        def make():
            seen = set()
            for x in self._make():
                key = x._value if hasattr(x, "_value") else str(x.tolist())
                if key not in seen:
                    seen.add(key)
                    yield x
        return self._derived(make)

    def group_by_window(self, key_func, reduce_func, window_size=None, window_size_func=None, name=None):
        size = window_size_func if window_size_func is not None else lambda k: window_size

        def make():
            groups = {}
            for x in self._make():
                k = as_tensor(key_func(*x) if isinstance(x, tuple) else key_func(x))
                items = groups.setdefault(int(k.item()), [])
                items.append(x)
                if len(items) == int(as_tensor(size(k)).item()):
                    groups.pop(int(k.item()))
                    yield from reduce_func(k, _of(items))._make()
            for k in groups:
                yield from reduce_func(_w.tensor(k, int64), _of(groups[k]))._make()
        return self._derived(make)

    def apply(self, transformation_func):
        return transformation_func(self)

    def rebatch(self, batch_size, drop_remainder=False, name=None):
        return self.unbatch().batch(int(batch_size), drop_remainder)

    @staticmethod
    def choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset=True):
        def make():
            running = [iter(d._make()) for d in datasets]
            for c in choice_dataset._make():
                try:
                    yield next(running[int(c.item())])
                except StopIteration:
                    if stop_on_empty_dataset:
                        return
        return Dataset(make, None, [s for d in datasets for s in d.sources])

    @staticmethod
    def list_files(file_pattern, shuffle=None, seed=None, name=None):
        import glob
        from tensorflow._base import StringTensor
        patterns = [file_pattern] if isinstance(file_pattern, str) else list(file_pattern)
        found = sorted([p for one in patterns for p in glob.glob(one)])
        if not found:
            raise InvalidArgumentError(f"No files matched pattern: {', '.join(patterns)}")
        d = Dataset(lambda: iter([StringTensor(p) for p in found]), len(found))
        return d.shuffle(len(found), seed) if shuffle or shuffle is None else d

    def get_single_element(self, name=None):
        items = list(iter(self.take(2)))
        if len(items) != 1:
            raise InvalidArgumentError("Dataset had more than one element." if items else "Dataset was empty.")
        return items[0]

    @property
    def element_spec(self):
        leaves, spec = _tree.flatten(self.example(), _leaf, False)
        return _tree.unflatten(spec, [TensorSpec([None] + list(x.shape)[1:] if self.open_rows else list(x.shape), x.dtype) for x in leaves])

    def __repr__(self):
        return f"<_{self.kind or ''}Dataset element_spec={self.element_spec}>"

    kind = None

    def __bool__(self):
        return True

    def cache(self, filename="", name=None):
        if filename:
            raise NotImplementedError("Dataset.cache: in a file")
        kept = []

        def make():
            # the elements of the first round that came to its end, again and again
            if not kept:
                found = []
                for x in self._make():
                    found.append(x)
                    yield x
                kept.append(found)
            else:
                for x in kept[0]:
                    yield x
        return self._derived(make, self._size)

    def prefetch(self, buffer_size, name=None):
        d = self._derived(self._make, self._size)
        d.kind, d.endless = "Prefetch", self.endless
        return d

    def with_options(self, options):
        return self

    def make_one_shot_iterator(self):
        return make_one_shot_iterator(self)

    def make_initializable_iterator(self, shared_name=None):
        return make_initializable_iterator(self)

    def as_numpy_iterator(self):
        for x in self._make():
            leaves, spec = _tree.flatten(x, _leaf, False)
            yield _tree.unflatten(spec, [y.numpy() for y in leaves])


def _called(fn, kind):
    def call(*args, **kw):
        d = fn(*args, **kw)
        d.kind = kind
        return d
    call.__name__ = fn.__name__
    return call


for _n, _k in {"map": "Map", "batch": "Batch", "shuffle": "Shuffle", "repeat": "Repeat", "take": "Take", "skip": "Skip", "filter": "Filter", "cache": "Cache",
               "concatenate": "Concatenate", "flat_map": "FlatMap", "padded_batch": "PaddedBatch", "shard": "Shard", "take_while": "TakeWhile",
               "interleave": "Interleave", "window": "Window", "unbatch": "Unbatch"}.items():
    setattr(Dataset, _n, _called(getattr(Dataset, _n), _k))
for _n, _k in {"range": "Range", "from_tensor_slices": "TensorSlice", "from_tensors": "Tensor", "zip": "Zip"}.items():
    setattr(Dataset, _n, staticmethod(_called(getattr(Dataset, _n), _k)))


def make_one_shot_iterator(dataset):
    if state.graph is None:
        return iter(dataset)
    from tensorflow import _host
    return _host.make_one_shot_iterator(dataset)


def make_initializable_iterator(dataset, shared_name=None):
    from tensorflow import _host
    if state.graph is None:
        raise RuntimeError("dataset.make_initializable_iterator is not supported when eager execution is enabled. Use `for element in "
                           "dataset` instead.")
    return _host.make_initializable_iterator(dataset)


def _spec_part(part):
    # of the elements of a dataset or an iterator, as version 1 asks for it
    def of(dataset_or_iterator):
        leaves, spec = _tree.flatten(dataset_or_iterator.element_spec, lambda x: isinstance(x, TensorSpec), False)
        return _tree.unflatten(spec, [part(x) for x in leaves])
    return of


get_output_shapes, get_output_types = _spec_part(lambda s: s.shape), _spec_part(lambda s: s.dtype)
get_output_classes = _spec_part(lambda s: _w.Tensor)
Dataset.output_shapes, Dataset.output_types = property(get_output_shapes), property(get_output_types)


def _of(items):
    return Dataset(lambda: iter(items), len(items))


# ---- files ----

def _names(filenames):
    if isinstance(filenames, Dataset):
        return [x._value.decode() for x in filenames]
    v = as_tensor(filenames)._value
    return [b.decode() for b in (v if isinstance(v, list) else [v])]


def _plain(what, compression_type):
    if compression_type not in (None, "", "GZIP", "ZLIB"):
        raise ValueError(f"{what}: compression_type {compression_type!r}")
    return compression_type or ""


def TFRecordDataset(filenames, compression_type=None, buffer_size=None, num_parallel_reads=None, name=None):
    from tensorflow._example import records
    how = _plain("TFRecordDataset", compression_type)

    def make():
        for path in _names(filenames):
            for r in records(path, how):
                yield StringTensor(r)
    return Dataset(make)


def TextLineDataset(filenames, compression_type=None, buffer_size=None, num_parallel_reads=None, name=None):
    how = _plain("TextLineDataset", compression_type)

    def make():
        for path in _names(filenames):
            with open(path, "rb") as f:
                data = f.read()
            if how:
                import gzip
                import zlib
                data = gzip.decompress(data) if how == "GZIP" else zlib.decompress(data)
            for line in data.split(b"\n")[:-1] if data.endswith(b"\n") else data.split(b"\n"):
                yield StringTensor(line[:-1] if line.endswith(b"\r") else line)
    return Dataset(make)


def FixedLengthRecordDataset(filenames, record_bytes, header_bytes=None, footer_bytes=None, buffer_size=None, compression_type=None,
                             num_parallel_reads=None, name=None):
    how = _plain("FixedLengthRecordDataset", compression_type)
    if how:
        raise NotImplementedError("FixedLengthRecordDataset: compression_type")

    def make():
        for path in _names(filenames):
            with open(path, "rb") as f:
                data = f.read()
            end = len(data) - (footer_bytes or 0)
            for i in range(header_bytes or 0, end - record_bytes + 1, record_bytes):
                yield StringTensor(data[i:i + record_bytes])
    return Dataset(make)


class Options:
    # how work is done, which changes no element
    def __init__(self):
        self.threading, self.autotune, self.experimental_optimization = _Options(), _Options(), _Options()


class _Options:
    pass


def __getattr__(name):
    if name == "experimental":
        return __import__("tensorflow._data_experimental")
    raise AttributeError(f"module 'tensorflow.data' has no attribute '{name}'")
