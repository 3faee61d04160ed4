# tensorflow.experimental
import _tf as _w


class numpy:
    @staticmethod
    def experimental_enable_numpy_behavior(prefer_float32=False, dtype_conversion_mode="legacy"):
        raise NotImplementedError("experimental_enable_numpy_behavior: tensors keep TensorFlow's rules")
