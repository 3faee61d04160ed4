# tensorflow.config -- one CPU, and nothing to configure.


class PhysicalDevice:
    def __init__(self, name, device_type):
        self.name = name
        self.device_type = device_type

    def __repr__(self):
        return f"PhysicalDevice(name='{self.name}', device_type='{self.device_type}')"


def list_physical_devices(device_type=None):
    return [PhysicalDevice("/physical_device:CPU:0", "CPU")] if device_type in (None, "CPU") else []


list_logical_devices = list_physical_devices


def set_visible_devices(*args, **kw):
    return None


def run_functions_eagerly(run_eagerly):
    from tensorflow import _function
    _function.run_functions_eagerly(run_eagerly)


def functions_run_eagerly():
    from tensorflow import _function
    return _function.functions_run_eagerly()


class _Experimental:
    def set_memory_growth(self, *args):
        return None

    def enable_op_determinism(self):
        return None


experimental = _Experimental()


class _Threading:
    def set_intra_op_parallelism_threads(self, n):
        return None

    set_inter_op_parallelism_threads = set_intra_op_parallelism_threads


threading = _Threading()
optimizer = _Threading()
