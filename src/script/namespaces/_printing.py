# _printing -- how NumPy writes arrays, as its set_printoptions has it; JAX's and TensorFlow's arrays are written by NumPy.


class _Options:
    def __init__(self):
        self.precision = 8
        self.threshold = 1000
        self.edgeitems = 3
        self.linewidth = 75
        self.suppress = False
        self.own = None     # numpy._format's, where the machine's form is not asked for


options = _Options()


def text(natives, x, style):
    o = options
    if o.own is not None and x.ndim and style in ("numpy", "numpy_repr", "jax"):
        from numpy._format import of_array
        return of_array(x, style, o.own, o.precision, o.threshold, o.edgeitems, o.linewidth, o.suppress)
    return natives.text(x, style, o.precision, o.threshold, o.edgeitems, o.linewidth, None, o.suppress)
