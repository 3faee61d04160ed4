# tensorflow.data -- datasets: sequences of tensors, made at need each time they are walked.
import _tf as _w
import _tree
import numpy as _np
from tensorflow._base import as_tensor, state, TensorShape, TensorSpec, InvalidArgumentError, int64

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


def _stacked(items):
    spec = _tree.flatten(items[0], _leaf, False)[1]
    cols = [_tree.flatten(i, _leaf, False)[0] for i in items]
    return _tree.unflatten(spec, [_w.stack([c[k] for c in cols], 0) for k in range(len(cols[0]))])


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
            return next(iter(self))
        finally:
            _probing.pop()
            for s in self.sources:
                s.values = None

    def __iter__(self):
        return self._make()

    def __len__(self):
        if self._size is None:
            raise TypeError("The dataset length is unknown.")
        return self._size

    def cardinality(self):
        return _w.tensor(-2 if self._size is None else self._size, int64)

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
        return Dataset(lambda: zip(*parts), None if None in sizes else min(sizes), [s for d in parts for s in d.sources],
                       any([d.open_rows for d in parts]))

    def map(self, map_func, num_parallel_calls=None, deterministic=None, name=None):
        def make():
            for x in self:
                yield _tensors(map_func(*x) if isinstance(x, tuple) else map_func(x))
        return self._derived(make, self._size)

    def filter(self, predicate, name=None):
        def make():
            for x in self:
                if bool(predicate(*x) if isinstance(x, tuple) else predicate(x)):
                    yield x
        return self._derived(make)

    def batch(self, batch_size, drop_remainder=False, num_parallel_calls=None, deterministic=None, name=None):
        def make():
            items = []
            for x in self:
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
            for x in self:
                for y in Dataset.from_tensor_slices(x):
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
                yield from self
                return
            words = Words(*first) if first is not None else Words(order.words.next(), order.words.next())
            room, start, end, source = {}, 0, 0, iter(self)
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
                for x in self:
                    yield x
                n += 1
        return self._derived(make, None if count is None or self._size is None else count * self._size)

    def take(self, count, name=None):
        def make():
            n = 0
            for x in self:
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
            for i, x in enumerate(iter(self)):
                yield _w.tensor(i + start, int64), x
        return self._derived(make, self._size)

    def concatenate(self, other, name=None):
        def make():
            for x in self:
                yield x
            for x in other:
                yield x
        return self._derived(make, None if self._size is None or other._size is None else self._size + other._size)

    def reduce(self, initial_state, reduce_func, name=None):
        s = as_tensor(initial_state) if not isinstance(initial_state, tuple) else initial_state
        for x in self:
            s = reduce_func(s, x)
        return s

    def window(self, size, shift=None, stride=1, drop_remainder=False):
        items = list(iter(self))
        step = size if shift is None else shift
        parts = [items[i:i + size * stride:stride] for i in range(0, len(items), step)]
        parts = [p for p in parts if len(p) == size or not drop_remainder]
        return Dataset(lambda: iter([_of(p) for p in parts]), len(parts))

    def flat_map(self, map_func):
        def make():
            for x in self:
                for y in map_func(*x) if isinstance(x, tuple) else map_func(x):
                    yield y
        return self._derived(make)

    def cache(self, filename="", name=None):
        if filename:
            raise NotImplementedError("Dataset.cache: in a file")
        kept = []

        def make():
            # the elements of the first round that came to its end, again and again
            if not kept:
                found = []
                for x in self:
                    found.append(x)
                    yield x
                kept.append(found)
            else:
                for x in kept[0]:
                    yield x
        return self._derived(make, self._size)

    def prefetch(self, buffer_size, name=None):
        return self

    def with_options(self, options):
        return self

    def make_one_shot_iterator(self):
        return make_one_shot_iterator(self)

    def make_initializable_iterator(self, shared_name=None):
        return make_initializable_iterator(self)

    def as_numpy_iterator(self):
        for x in self:
            leaves, spec = _tree.flatten(x, _leaf, False)
            yield _tree.unflatten(spec, [y.numpy() for y in leaves])


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


def _of(items):
    return Dataset(lambda: iter(items), len(items))
