# torch._types -- dtypes, sizes, devices and what else is not a tensor.
import _torch as _w

_to_int = int
dtype = _w.dtype
float64 = double = _w.float64
float32 = float = _w.float32
float16 = half = _w.float16
bfloat16 = _w.bfloat16
int64 = long = _w.int64
int32 = int = _w.int32
int16 = short = _w.int16
int8 = _w.int8
uint8 = _w.uint8
uint16 = _w.uint16
uint32 = _w.uint32
uint64 = _w.uint64
bool = _w.bool_
float8_e4m3fn, float8_e5m2, float8_e8m0fnu = _w.float8_e4m3fn, _w.float8_e5m2, _w.float8_e8m0fnu     # to store numbers in
float8_e4m3fnuz, float8_e5m2fnuz = _w.float8_e4m3fnuz, _w.float8_e5m2fnuz
complex64 = cfloat = _w.complex64
complex128 = cdouble = _w.complex128

_FLOATS = (float64, float32, float16, bfloat16, float8_e4m3fn, float8_e5m2, float8_e4m3fnuz, float8_e5m2fnuz, float8_e8m0fnu)


def is_float(d):
    return d in _FLOATS


class Size(tuple):
    # The sizes of a tensor: a tuple that knows its product.
    def __repr__(self):
        return "torch.Size([" + ", ".join([repr(n) for n in self]) + "])"

    __str__ = __repr__

    def numel(self):
        n = 1
        for k in self:
            n *= k
        return n

    def __getitem__(self, i):
        v = tuple(self)[i]
        return Size(v) if isinstance(i, slice) else v

    def __add__(self, other):
        return Size(tuple(self) + tuple(other))


class device:
    def __init__(self, type="cpu", index=None):
        if isinstance(type, device):
            type, index = type.type, type.index
        if ":" in type:
            type, _, index = type.partition(":")
            index = _to_int(index)
        if type not in ("cpu", "cuda", "mps", "meta", "xpu"):
            raise RuntimeError("Expected one of cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, "
                               "fpga, maia, xla, lazy, vulkan, mps, meta, hpu, mtia, privateuseone device type "
                               f"at start of device string: {type}")
        self.type = type
        self.index = index

    def __repr__(self):
        index = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{index})"

    def __str__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other):
        return isinstance(other, device) and self.type == other.type and self.index == other.index

    def __hash__(self):
        return hash((self.type, self.index))

    def __enter__(self):
        self._before = home[0]
        home[0] = number_of(self)
        return self

    def __exit__(self, kind, value, trace):
        home[0] = self._before
        return False


CPU = device("cpu")
META = device("meta")   # tensors there have a type and no numbers; its number is -1
home = [0, False]  # number of the device that new tensors are on (0 is the host, GPUs follow); has anybody named another?
programs = [0]     # that torch.compile is making
current = [0]    # index of the GPU that "cuda" means
_gpus = []
_gpu_named = [False]


def device_at(n):
    # The device of a number, always the same object.
    if n <= 0:
        return META if n else CPU
    while len(_gpus) < n:
        _gpus.append(device("cuda", len(_gpus)))
    return _gpus[n - 1]


def gpu_of(d):
    # What .cuda(d) means: a device of that kind.
    d = device("cuda", d) if d is None or isinstance(d, _to_int) else device(d)
    if d.type != "cuda":
        raise RuntimeError("Invalid device, must be cuda device")
    return d


def number_of(d):
    # The other way round. GPUs that are not there are PyTorch's errors.
    if not isinstance(d, device):
        d = device("cuda", d) if isinstance(d, _to_int) else device(d)
    if d.type == "cpu":
        return 0
    if d.type == "meta":
        if not home[1]:
            home[1] = True
            _w.one_device(True)
        return -1
    if d.type != "cuda":
        raise RuntimeError(f"there is no device '{d}' here: tensors live on the cpu, on cuda and, without numbers, on meta")
    if not _w.device_count():
        raise AssertionError("Torch not compiled with CUDA enabled")
    index = current[0] if d.index is None else d.index
    if index >= _w.device_count():
        raise RuntimeError("CUDA error: invalid device ordinal")
    if not _gpu_named[0]:
        _gpu_named[0] = home[1] = True
        _w.one_device(True)
        from torch._misc import _use_gpu
        _use_gpu()
    return index + 1


def placed(t, d):
    # A new tensor where it is wanted: on d, or else on the default device.
    n = home[0] if d is None else number_of(d)
    return _w.to_device(t, n) if home[1] else t


def check_device(d):
    if d is not None:
        number_of(d)


class layout:
    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return "torch." + self.name


strided = layout("strided")
sparse_coo = layout("sparse_coo")
contiguous_format = layout("contiguous_format")
preserve_format = layout("preserve_format")
channels_last = layout("channels_last")

# ---- limits of the dtypes

_FLOAT_FACTS = {  # bits, eps, max, smallest normal, decimal digits
    "float64": (64, 2.220446049250313e-16, 1.7976931348623157e308, 2.2250738585072014e-308, 1e-15),
    "float32": (32, 1.1920928955078125e-07, 3.4028234663852886e38, 1.1754943508222875e-38, 1e-06),
    "float16": (16, 0.0009765625, 65504.0, 6.103515625e-05, 0.001),
    "bfloat16": (16, 0.0078125, 3.3895313892515355e38, 1.1754943508222875e-38, 0.01),
    "float8_e4m3fn": (8, 0.125, 448.0, 0.015625, 1.0), "float8_e5m2": (8, 0.25, 57344.0, 6.103515625e-05, 1.0),
    "float8_e4m3fnuz": (8, 0.125, 240.0, 0.0078125, 1.0), "float8_e5m2fnuz": (8, 0.25, 57344.0, 3.0517578125e-05, 1.0),
    "float8_e8m0fnu": (8, 1.0, 1.7014118346046923e38, 5.877471754111438e-39, 1.0),
}


class finfo:
    def __init__(self, type=float32):
        if not is_float(type):
            raise TypeError(f"torch.finfo() requires a floating point input type. Use torch.iinfo to handle '{type}'")
        self.dtype = type.name
        self.bits, self.eps, self.max, self.tiny, self.resolution = _FLOAT_FACTS[type.name]
        self.min = self.tiny if type == float8_e8m0fnu else -self.max
        self.smallest_normal = self.tiny

    def __repr__(self):
        def short(x):
            return f"{x:.6g}"
        return (f"finfo(resolution={short(self.resolution)}, min={short(self.min)}, max={short(self.max)}, "
                f"eps={short(self.eps)}, smallest_normal={short(self.tiny)}, tiny={short(self.tiny)}, "
                f"dtype={self.dtype})")


class iinfo:
    def __init__(self, type):
        if is_float(type) or type == bool:
            raise TypeError(f"torch.iinfo() requires an integer input type. Use torch.finfo to handle '{type}'")
        self.dtype = type.name
        self.bits = 8 * type.itemsize
        if type.kind == "u":
            self.min, self.max = 0, 9223372036854775807 if self.bits == 64 else 2 ** self.bits - 1
        else:
            half_range = 2 ** (self.bits - 2)
            self.max = half_range - 1 + half_range
            self.min = -self.max - 1

    def __repr__(self):
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"


# ---- named results: torch.return_types

_results = {}


def result(name, fields):
    # The class of results with names, made once for each function.
    if name in _results:
        return _results[name]

    class Result(tuple):
        def __repr__(self):
            parts = [f"{f}={v!r}" for f, v in zip(fields, self)]
            return f"torch.return_types.{name}(\n" + ",\n".join(parts) + ")"

        __str__ = __repr__

    for i, f in enumerate(fields):
        setattr(Result, f, _field(i))
    Result.__name__ = Result.__qualname__ = name
    _results[name] = Result
    return Result


def _field(i):
    return property(lambda self: self[i])


def pair(name, two):
    return result(name, ("values", "indices"))(two)


class Generator(_w.Generator):
    __module__ = "torch._C"

    def __init__(self, device="cpu"):
        super().__init__(globals()["device"](device).type)

    @property
    def device(self):
        return device("cuda" if self is not default_generator and self is globals().get("gpu_generator") else "cpu")


default_generator = Generator()
gpu_generator = Generator("cuda")      # of tensors that are made on GPUs


def generator_at(n):
    # What draws the numbers of a device, by its number; None: it has none.
    return default_generator if n == 0 else gpu_generator if n > 0 else None


_w.set_shape_class(Size)
