# tensorflow.experimental
import _tf as _w


class numpy:
    @staticmethod
    def experimental_enable_numpy_behavior(**kw):
        return None
