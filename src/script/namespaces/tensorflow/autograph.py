# tensorflow.autograph -- conversion is part of tf.function.


class _Experimental:
    def do_not_convert(self, f=None, conversion_ctx=None):
        return f if f is not None else lambda g: g

    def set_loop_options(self, parallel_iterations=None, swap_memory=None, maximum_iterations=None, shape_invariants=None):
        if maximum_iterations is not None or shape_invariants is not None:
            raise NotImplementedError("set_loop_options: maximum_iterations, shape_invariants")


experimental = _Experimental()


def set_verbosity(*args):
    return None
