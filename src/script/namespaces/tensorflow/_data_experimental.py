# tensorflow.data.experimental -- the older names of what datasets do, most of them functions for Dataset.apply.
import itertools

import _tf as _w
from tensorflow._base import FailedPreconditionError, int64
from tensorflow.data import AUTOTUNE, Dataset

INFINITE_CARDINALITY, UNKNOWN_CARDINALITY = -1, -2


def cardinality(dataset):
    return dataset.cardinality()


def assert_cardinality(expected_cardinality):
    def apply(dataset):
        def make():
            n = 0
            for x in dataset._make():
                n += 1
                if n > expected_cardinality:
                    raise FailedPreconditionError(f"Input dataset was expected to contain {expected_cardinality} elements but contained at least {n} elements.")
                yield x
            if n < expected_cardinality:
                raise FailedPreconditionError(f"Input dataset was expected to contain {expected_cardinality} elements but contained only {n} elements.")
        return dataset._derived(make, expected_cardinality)
    return apply


def Counter(start=0, step=1, dtype=int64):
    made = Dataset(lambda: (_w.tensor(i, dtype) for i in itertools.count(start, step)))
    made.endless = True
    return made


def enumerate_dataset(start=0):
    return lambda dataset: dataset.enumerate(start)


def unbatch():
    return lambda dataset: dataset.unbatch()


def unique():
    return lambda dataset: dataset.unique()


def take_while(predicate):
    return lambda dataset: dataset.take_while(predicate)


def scan(initial_state, scan_func):
    return lambda dataset: dataset.scan(initial_state, scan_func)


def map_and_batch(map_func, batch_size, num_parallel_batches=None, drop_remainder=False, num_parallel_calls=None):
    return lambda dataset: dataset.map(map_func, num_parallel_calls or num_parallel_batches).batch(batch_size, drop_remainder)


def group_by_window(key_func, reduce_func, window_size=None, window_size_func=None):
    return lambda dataset: dataset.group_by_window(key_func, reduce_func, window_size, window_size_func)


def choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset=False):
    return Dataset.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


def get_single_element(dataset):
    return dataset.get_single_element()
