# tensorflow.config -- one CPU, which may count as several logical devices.


class PhysicalDevice:
    def __init__(self, name, device_type):
        self.name = name
        self.device_type = device_type

    def __repr__(self):
        return f"PhysicalDevice(name='{self.name}', device_type='{self.device_type}')"


def list_physical_devices(device_type=None):
    return [PhysicalDevice("/physical_device:CPU:0", "CPU")] if device_type in (None, "CPU") else []


class LogicalDevice(PhysicalDevice):
    def __repr__(self):
        return f"LogicalDevice(name='{self.name}', device_type='{self.device_type}')"


class LogicalDeviceConfiguration:
    def __init__(self, memory_limit=None, experimental_priority=None, experimental_device_ordinal=None):
        self.memory_limit = memory_limit


_logical = [LogicalDeviceConfiguration()]


def set_logical_device_configuration(device, logical_devices):
    _logical[:] = list(logical_devices)


def get_logical_device_configuration(device):
    return list(_logical)


def list_logical_devices(device_type=None):
    # Parts of the one CPU, on which replicas of tf.distribute run.
    return [LogicalDevice(f"/device:CPU:{k}", "CPU") for k in range(len(_logical))] if device_type in (None, "CPU") else []


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
