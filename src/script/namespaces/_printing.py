# _printing -- how NumPy writes arrays, as its set_printoptions has it; JAX's and TensorFlow's arrays are written by NumPy.


class _Options:
    def __init__(self):
        self.precision = 8
        self.threshold = 1000
        self.edgeitems = 3
        self.linewidth = 75
        self.suppress = False


options = _Options()


def text(natives, x, style):
    o = options
    return natives.text(x, style, o.precision, o.threshold, o.edgeitems, o.linewidth, None, o.suppress)
