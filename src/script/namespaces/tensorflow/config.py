# tensorflow.config -- the CPU, which may count as several logical devices, and the GPUs.
from tensorflow import _gpu


class PhysicalDevice:
    def __init__(self, name, device_type):
        self.name = name
        self.device_type = device_type

    def __repr__(self):
        return f"PhysicalDevice(name='{self.name}', device_type='{self.device_type}')"


def list_physical_devices(device_type=None):
    return [d for d in _all if device_type in (None, d.device_type)]


class LogicalDevice(PhysicalDevice):
    def __repr__(self):
        return f"LogicalDevice(name='{self.name}', device_type='{self.device_type}')"


class LogicalDeviceConfiguration:
    def __init__(self, memory_limit=None, experimental_priority=None, experimental_device_ordinal=None):
        self.memory_limit = memory_limit


_logical = [LogicalDeviceConfiguration()]


def _the_cpu(device):
    if device.device_type != "CPU":
        raise NotImplementedError(f"logical devices of {device.name}")


def set_logical_device_configuration(device, logical_devices):
    _the_cpu(device)
    _logical[:] = list(logical_devices)


def get_logical_device_configuration(device):
    _the_cpu(device)
    return list(_logical)


_all = [PhysicalDevice("/physical_device:CPU:0", "CPU")] + [PhysicalDevice(f"/physical_device:GPU:{i}", "GPU")
                                                          for i in range(_gpu.gpus)]
_visible = list(_all)


def list_logical_devices(device_type=None):
    # The CPU in parts, on which replicas of tf.distribute run.
    parts = [LogicalDevice(f"/device:CPU:{k}", "CPU") for k in range(len(_logical))]
    gpus = [LogicalDevice(d.name.replace("/physical_device", "/device"), "GPU") for d in get_visible_devices("GPU")]
    return [d for d in parts + gpus if device_type in (None, d.device_type)]


def get_visible_devices(device_type=None):
    return [d for d in _visible if device_type in (None, d.device_type)]


def set_visible_devices(devices, device_type=None):
    # Without GPUs among them new tensors are on the host.
    wanted = devices if isinstance(devices, (list, tuple)) else [devices] if devices else []
    kept = [d for d in _visible if device_type is not None and d.device_type != device_type]
    _visible.clear()
    _visible.extend(kept + list(wanted))
    numbers = [_all.index(d) for d in _visible if d.device_type == "GPU"]
    _gpu._set(numbers[0] if numbers else 0)


def get_soft_device_placement():
    return True


def set_soft_device_placement(enabled):
    if not enabled:
        raise NotImplementedError("tf.config.set_soft_device_placement(False): what has no GPU is on the CPU here")


def run_functions_eagerly(run_eagerly):
    from tensorflow import _function
    _function.run_functions_eagerly(run_eagerly)


def functions_run_eagerly():
    from tensorflow import _function
    return _function.functions_run_eagerly()


class _Experimental:
    def set_memory_growth(self, device, enable):
        if not enable and device.device_type == "GPU":
            raise NotImplementedError("set_memory_growth(.., False): memory is taken when it is needed")

    def get_memory_growth(self, device):
        return device.device_type == "GPU"      # memory is taken when it is needed

    def get_memory_info(self, device):
        held, peak = _gpu._w.device_memory(_gpu.number_of(device))[:2]
        return {"current": held, "peak": peak}

    def reset_memory_stats(self, device):
        _gpu._w.device_reset_peak(_gpu.number_of(device))

    def enable_op_determinism(self):
        return None


experimental = _Experimental()


class _Threading:
    _inside = _between = 0      # 0: as many as there are cores

    def get_intra_op_parallelism_threads(self):
        return self._inside

    def set_intra_op_parallelism_threads(self, num_threads):
        _gpu._w.set_threads(num_threads)
        self._inside = num_threads

    def get_inter_op_parallelism_threads(self):
        return self._between

    def set_inter_op_parallelism_threads(self, num_threads):
        self._between = num_threads     # ops run one after the other here


threading = _Threading()


class _Optimizer:
    # What is told is kept: programs are optimised and compiled by passes of their own, which change no result.
    def __init__(self):
        self._jit, self._options = False, {"disable_model_pruning": False, "disable_meta_optimizer": False}

    def get_jit(self):
        return "autoclustering" if self._jit else ""

    def set_jit(self, enabled):
        self._jit = bool(enabled)

    def get_experimental_options(self):
        return dict(self._options)

    def set_experimental_options(self, options):
        self._options.update(options)


optimizer = _Optimizer()
