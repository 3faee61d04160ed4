# tensorflow.contrib.eager -- what version 2 has by itself.
from tensorflow import GradientTape, Variable


def implicit_value_and_gradients(f):
    # f's value, and its derivatives with the variables they are by
    def call(*args, **kw):
        with GradientTape() as tape:
            y = f(*args, **kw)
        variables = tape.watched_variables()
        return y, list(zip(tape.gradient(y, variables), variables))
    return call


def implicit_gradients(f):
    both = implicit_value_and_gradients(f)
    return lambda *args, **kw: both(*args, **kw)[1]


def value_and_gradients_function(f, params=None):
    # f's value, and its derivatives by its arguments
    def call(*args):
        from tensorflow import convert_to_tensor
        args = [convert_to_tensor(a) for a in args]
        by = args if params is None else [args[i] for i in params]
        with GradientTape() as tape:
            for a in by:
                tape.watch(a)
            y = f(*args)
        return y, tape.gradient(y, by)
    return call


def gradients_function(f, params=None):
    both = value_and_gradients_function(f, params)
    return lambda *args: both(*args)[1]


def enable_eager_execution(config=None, device_policy=None, execution_mode=None):
    from tensorflow.compat import v1
    v1.enable_eager_execution()


class Iterator:
    # over a dataset
    def __init__(self, dataset):
        self._it = iter(dataset)

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._it)

    next = get_next = __next__
