# tensorflow._gpu -- tensors live on the first GPU where there is one; tf.device says otherwise.
import os

import _tf as _w

gpus = _w.device_count()
_home = [0]     # number of the device that results go to; 0 is the host


def _set(n):
    _home[0] = n
    _w.set_home(n)


_wanted = os.environ.get("WEFT_DEVICE", "cuda:0")
if gpus and _wanted != "cpu":
    _set(int(_wanted.partition(":")[2] or 0) + 1)


def name_of(n):
    return "/job:localhost/replica:0/task:0/device:" + (f"GPU:{n - 1}" if n else "CPU:0")


def number_of(name):
    # "/GPU:1", "/device:GPU:1", "gpu", "/job:localhost/replica:0/task:0/device:CPU:0"; None: nothing is said.
    parts = [p for p in (name or "").upper().replace("DEVICE:", "").split("/") if p]
    kinds = [p.partition(":") for p in parts if p.partition(":")[0] in ("CPU", "GPU")]
    others = [p for p in parts if p.partition(":")[0] not in ("CPU", "GPU", "JOB", "REPLICA", "TASK")]
    if others or (parts and not kinds and not name.upper().startswith("/JOB")):
        raise ValueError(f"Unknown attribute '{(others or parts)[0].partition(':')[0].lower()}' is encountered while parsing "
                         f"the device spec: '{name}'.")
    if not kinds:
        return None
    kind, _, index = kinds[-1]
    n = int(index or 0) + 1 if kind == "GPU" else 0
    return n if n <= gpus else 0        # as TensorFlow, which places softly: on the CPU what has no GPU


class device:
    # with tf.device("/GPU:0"): results of what is called inside are there
    def __init__(self, device_name):
        self.name = device_name
        self._number = None if callable(device_name) else number_of(device_name)     # a function places nodes: they run where the session does

    def __enter__(self):
        self._before = _home[0]
        if self._number is not None:
            _set(self._number)
        return self

    def __exit__(self, *exc):
        if self._before != _home[0]:
            _set(self._before)
        return None


def at(x):
    return 0 if _w.about(x, "symbolic") else _w.device_at(x)


def moved(x, n):
    return _w.to_device(x, n)
