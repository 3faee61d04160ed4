# tensorflow.autograph -- conversion is part of tf.function.


class _Experimental:
    def do_not_convert(self, f=None, conversion_ctx=None):
        return f if f is not None else lambda g: g

    def set_loop_options(self, **kw):
        return None


experimental = _Experimental()


def set_verbosity(*args):
    return None
