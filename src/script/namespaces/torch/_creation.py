# torch._creation -- new tensors: of numbers, filled, ranges, random.
import math as _math
from collections import deque

import _special
import _torch as _w
from torch._core import core
from torch._types import (default_generator, generator_at, gpu_generator, home, number_of, placed, is_float, float32, float64, int64,
                          bool as _bool, Size, dtype as _dtype)

_default = [float32]


def _nameless(names):
    if names is not None:
        raise NotImplementedError("names: dimensions have no names")


def get_default_dtype():
    return _default[0]


def set_default_dtype(d):
    if not is_float(d):
        raise TypeError("only floating-point types are supported as the default type")
    _default[0] = d
    _w.set_float(d)


def _finish(t, device, requires_grad):
    t = placed(t, device)
    if requires_grad:
        _need_float(t).requires_grad_()
    return t


def _need_float(t):
    if not t.dtype.is_inexact:
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    return t


def as_size(args):
    # f(2, 3), f((2, 3)), f([2, 3]) and f(torch.Size) mean the same.
    if len(args) == 1 and not isinstance(args[0], int):
        first = args[0]
        if isinstance(first, _w.Tensor) and first.ndim == 0:
            return (first.__index__(),)
        return first if isinstance(first, (tuple, list)) else tuple(first) if hasattr(first, "__len__") else args
    return args


def _is_many(x):
    return isinstance(x, _w.Tensor) and type(x).__module__ != "numpy" and x.ndim > 0


def _number(x):
    if not _is_many(x):
        return x
    if x.numel() != 1:
        if x.dtype.is_floating_point or x.numel() == 0:
            raise ValueError("only one element tensors can be converted to Python scalars")
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return _w.reshape(x, ())


def as_numbers(data):
    # Tensors in lists are numbers, whatever their shape: each has one element. A deque is a list.
    if isinstance(data, deque):
        data = list(data)
    if type(data) not in (list, tuple) or not data:
        return data
    if type(data[0]) in (list, tuple) and data[0] and isinstance(data[0][0], _w.Tensor):
        return [as_numbers(d) for d in data]
    return [_number(x) for x in data] if _is_many(data[0]) or _is_many(data[-1]) else data


def tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False):
    return _finish(_w.tensor(as_numbers(data), dtype), device, requires_grad)


def as_tensor(data, dtype=None, device=None):
    if isinstance(data, _w.Tensor):
        data = data if hasattr(data, "requires_grad_") else _w.wrap(data)
        return data if dtype is None and device is None else data.to(dtype=dtype, device=device)
    return placed(_w.tensor(as_numbers(data), dtype), device)


asarray = as_tensor


def from_numpy(a):
    if not isinstance(a, _w.Tensor):
        raise TypeError(f"expected np.ndarray (got {type(a).__name__})")
    return _w.wrap(a)


def frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False):
    if hasattr(buffer, "tobytes"):
        buffer = buffer.tobytes()
    return _finish(_w.from_bytes(buffer, dtype, offset, count), None, requires_grad)


def scalar_tensor(s, *, dtype=None, device=None, requires_grad=False):
    return tensor(s, dtype=dtype or _default[0], device=device, requires_grad=requires_grad)


def _called(fn, name):
    fn.__name__ = fn.__qualname__ = name
    return fn


def _full_at(size, value, dtype, device):
    # Numbers to be placed on a device; of the meta device none are made.
    if (device is not None or home[1]) and (home[0] if device is None else number_of(device)) < 0:
        return _w.blank(size, dtype or _w.full((), value, None).dtype)
    return _w.full(size, value, dtype)


def _filled(value, name):
    def make(*args, size=None, out=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False,
             memory_format=None, names=None):
        _nameless(names)
        t = _full_at(as_size(args) if size is None else size, value, dtype or _default[0], device)
        if out is not None:
            return _w.write(out, t)
        return _finish(t, device, requires_grad) if requires_grad or device is not None or home[1] else t
    return _called(make, name)


zeros = _filled(0.0, "zeros")
ones = _filled(1.0, "ones")
empty = _filled(0.0, "empty")


def _made(t, out, device, requires_grad):
    return _finish(t, device, requires_grad) if out is None else _w.put(out, t)


def full(size, fill_value, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    if dtype is None and getattr(fill_value, "kind", None) == "float":
        dtype = get_default_dtype()  # a number of a scripted function
    if isinstance(fill_value, (str, list, tuple)):
        raise TypeError(f"full(): argument 'fill_value' (position 2) must be Number, not {type(fill_value).__name__}")
    t = _full_at((size,) if isinstance(size, int) else size, fill_value, dtype, device)
    return _made(t, out, device, requires_grad)


def empty_strided(size, stride, **options):
    room = 1
    for n, step in zip(size, stride):
        room = 0 if n == 0 else room + (n - 1) * step if room else 0
    return empty((room,), **options).as_strided(size, stride)


def zeros_like(input, *, dtype=None, device=None, requires_grad=False, layout=None, memory_format=None):
    device = input.device if device is None else device
    return _finish(_full_at(input.shape, 0, dtype or input.dtype, device), device, requires_grad)


def ones_like(input, *, dtype=None, device=None, requires_grad=False, layout=None, memory_format=None):
    device = input.device if device is None else device
    return _finish(_full_at(input.shape, 1, dtype or input.dtype, device), device, requires_grad)


empty_like = zeros_like


def full_like(input, fill_value, *, dtype=None, device=None, requires_grad=False, layout=None, memory_format=None):
    device = input.device if device is None else device
    return _finish(_full_at(input.shape, fill_value, dtype or input.dtype, device), device, requires_grad)


def arange(start=0, end=None, step=1, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    if end is None:
        start, end = 0, start
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (step > 0 and end < start) or (step < 0 and end > start):
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    t = _w.arange(start, end, step, dtype)
    if out is not None:
        return _w.write(out, t)
    return _finish(t, device, requires_grad) if requires_grad or device is not None or home[1] else t


def range_(start=0, end=None, step=1, *, dtype=None, **options):
    # With its end, where a step reaches it.
    if end is None:
        raise TypeError("range() missing 1 required positional argument: 'end'")
    if step and (end - start) / step >= 0:
        end = start + (_math.floor((end - start) / step) + 0.5) * step
    return arange(start, end, step, dtype=dtype or _default[0], **options)


def linspace(start, end, steps, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    t = _w.linspace(start, end, steps, True, dtype or _default[0])
    return _made(t, out, device, requires_grad)


def logspace(start, end, steps, base=10.0, *, out=None, dtype=None, device=None, requires_grad=False):
    d = dtype or _default[0]
    t = _w.cast(_w.pow(float(base), _w.linspace(start, end, steps, True, float64)), d)
    return _made(t, out, device, requires_grad)


def eye(n, m=None, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    for size, name in ((n, "n"), (m, "m")):
        if size is not None and size < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {size}")
    return _made(_w.eye(n, n if m is None else m, 0, dtype or _default[0]), out, device, requires_grad)


def _triangle(keep):
    def indices(row, col, offset=0, *, dtype=int64, device=None):
        pairs = [(i, j) for i in range(row) for j in range(col) if keep(j - i, offset)]
        return placed(_w.reshape(_w.tensor([p[0] for p in pairs] + [p[1] for p in pairs], dtype), (2, len(pairs))),
                      device)
    return indices


tril_indices = _triangle(lambda d, k: d <= k)
triu_indices = _triangle(lambda d, k: d >= k)


def _two_floats(x, y):
    if x.dtype != y.dtype:
        raise RuntimeError(f"Expected object of scalar type {_scalar(x)} but got scalar type {_scalar(y)} for second argument")
    if not is_float(x.dtype) or x.dtype.name == "bfloat16":
        raise NotImplementedError(f"Expected both inputs to be Half, Float or Double tensors but got {_scalar(x)} and {_scalar(y)}")
    if x.dtype.name == "float16":
        raise NotImplementedError("complex numbers of two halves are not there")


def _scalar(x):
    return {"float32": "Float", "float64": "Double", "float16": "Half", "int64": "Long", "int32": "Int", "bool": "Bool",
            "complex64": "ComplexFloat", "complex128": "ComplexDouble"}.get(x.dtype.name, x.dtype.name)


def complex(real, imag, *, out=None):
    _two_floats(real, imag)
    z = _w.complex(real, imag)
    return z if out is None else _w.put(out, z)


def polar(abs, angle, *, out=None):
    _two_floats(abs, angle)
    z = _w.polar(abs, angle)
    return z if out is None else _w.put(out, z)


def view_as_real(input):
    if not input.dtype.is_complex:
        raise RuntimeError("view_as_real is only supported for complex tensors")
    return core.pairs(input)


def view_as_complex(input):
    if not is_float(input.dtype):
        raise RuntimeError(f"view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: {_scalar(input)}")
    if input.ndim == 0:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if input.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    shared = _w.memory_as(input, _w.complex128 if input.dtype == float64 else _w.complex64) if input.dtype.itemsize > 2 else None
    return _w.complex(input[..., 0], input[..., 1]) if shared is None else shared


# ---- random numbers: PyTorch's own, from the generator given or the common one

def manual_seed(seed):
    default_generator.manual_seed(int(seed))
    gpu_generator.manual_seed(int(seed))
    return default_generator


def seed():
    import time
    s = int(time.time() * 1000003) % (2 ** 53)
    default_generator.manual_seed(s)
    gpu_generator.manual_seed(s)
    return s


def initial_seed():
    return default_generator.initial_seed()


def get_rng_state():
    return default_generator.get_state()


def set_rng_state(state):
    default_generator.set_state(state)


def _source(device):
    # What draws the numbers of a new tensor on it.
    return generator_at(home[0] if device is None else number_of(device))


def _drawn(kind, name):
    def make(*args, size=None, generator=None, out=None, dtype=None, layout=None, device=None, requires_grad=False,
             pin_memory=False, names=None):
        _nameless(names)
        shape = as_size(args) if size is None else size
        dtype = dtype or _default[0]
        if dtype.name.startswith("complex"):        # the variance of a complex number is that of both parts
            part = "float64" if dtype.name == "complex128" else "float32"
            t = view_as_complex(_w.draw(kind, (*shape, 2), part, 0.0, 0.5 ** 0.5 if kind == "normal" else 1.0,
                                        generator or _source(device)))
        else:
            t = _w.draw(kind, shape, dtype, 0.0, 1.0, generator or _source(device))
        if out is not None:
            return _w.write(out, t)
        return _finish(t, device, requires_grad)
    return _called(make, name)


rand = _drawn("uniform", "rand")
randn = _drawn("normal", "randn")


def rand_like(input, *, dtype=None, device=None, requires_grad=False, generator=None, memory_format=None, layout=None):
    return rand(input.shape, dtype=dtype or input.dtype, requires_grad=requires_grad, generator=generator,
                device=input.device if device is None else device)


def randn_like(input, *, dtype=None, device=None, requires_grad=False, generator=None, memory_format=None, layout=None):
    return randn(input.shape, dtype=dtype or input.dtype, requires_grad=requires_grad, generator=generator,
                 device=input.device if device is None else device)


def randint(low=0, high=None, size=None, *, generator=None, out=None, dtype=None, layout=None, device=None,
            requires_grad=False):
    if size is None:        # randint(high, size)
        low, high, size = 0, low, high
    elif high is None:      # randint(high, size=size)
        low, high = 0, low
    t = _w.draw_int(low, high, size, dtype or int64, generator or _source(device))
    return _made(t, out, device, requires_grad)


def randint_like(input, low=0, high=None, *, dtype=None, device=None, requires_grad=False, generator=None, layout=None,
                 memory_format=None):
    if high is None:
        low, high = 0, low
    return randint(low, high, input.shape, dtype=dtype or input.dtype, device=input.device if device is None else device,
                   requires_grad=requires_grad, generator=generator)


def randperm(n, *, generator=None, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    g = generator or _source(device)
    t = _w.blank((n,), int64) if g is None else _w.draw_permutation(n, g)
    return _made(t if dtype is None or dtype == int64 else t.to(dtype), out, device, requires_grad)


def check_share(p):
    if not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")


def bernoulli(input, p=None, *, generator=None, out=None):
    g = generator or generator_at(_w.device_at(input))
    if g is None:
        t = _w.blank(input.shape, input.dtype)
    elif p is not None:
        check_share(p)
        t = placed(_w.draw("bernoulli", input.shape, input.dtype, p, 0, g), input.device)
    else:
        if not is_float(input.dtype):
            raise NotImplementedError(f"\"bernoulli_tensor_cpu_p_\" not implemented for '{_scalar(input)}'")
        if not _w.about(input, "symbolic") and input.numel() and not (_w.ge(input, 0) & _w.le(input, 1)).all():
            raise RuntimeError("Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be improved?  If so, "
                               "please report an enhancement request to PyTorch.)")
        t = placed(_w.draw_bernoulli(input, g), input.device)
    return t if out is None else _w.put(out, t)


def normal(mean=0.0, std=1.0, size=None, *, generator=None, out=None, dtype=None, device=None, requires_grad=False):
    if not isinstance(std, _w.Tensor):
        if std < 0:
            raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    elif not (_w.about(std, "symbolic") or _w.device_at(std) < 0) and std.numel() and std.min() < 0:
        raise RuntimeError("normal expects all elements of std >= 0.0")
    g = generator or _source(device)
    if size is not None:
        return _made(_w.draw("normal", size, dtype or _default[0], mean, std, g), out, device, requires_grad)
    like = mean if isinstance(mean, _w.Tensor) else std
    shape = _w.add(mean, std).shape
    t = _w.draw("normal", shape, like.dtype, 0.0, 1.0, g) * std + mean
    return t if out is None else _w.put(out, t)


def multinomial(input, num_samples, replacement=False, *, generator=None, out=None):
    if _w.device_at(input) < 0:
        return _made(_w.blank((*input.shape[:-1], num_samples), int64), out, input.device, False)
    if not input.dtype.is_floating_point:
        from torch._errors import named
        raise RuntimeError(f"multinomial only supports floating-point dtypes for input, got: {named(input.dtype)}")
    t = placed(_w.draw_multinomial(input, num_samples, replacement, generator or generator_at(_w.device_at(input))), input.device)
    return t if out is None else _w.put(out, t)


def _each(kind, a, b, generator):
    # gamma, Poisson and binomial numbers: parameters for each element
    if not a.dtype.is_floating_point:
        raise NotImplementedError(f'"{kind}_cpu" not implemented for \'{_SCALARS.get(a.dtype.name, a.dtype.name)}\'')
    g = generator or generator_at(_w.device_at(a))
    return placed(_w.draw_each(kind, _w.detach(a), _w.detach(b), g), a.device)


_SCALARS = {"int64": "Long", "int32": "Int", "int16": "Short", "int8": "Char", "uint8": "Byte", "bool": "Bool"}


def poisson(input, generator=None):
    return _each("poisson", input, input, generator)


def binomial(count, prob, generator=None):
    if not isinstance(count, _w.Tensor) or not isinstance(prob, _w.Tensor):
        raise TypeError("binomial(): argument 'count' and 'prob' must be Tensor")
    if count.dtype != prob.dtype:
        raise RuntimeError("Found dtype " + _NAMES.get(prob.dtype.name, prob.dtype.name) + " but expected "
                           + _NAMES.get(count.dtype.name, count.dtype.name))
    shape = _w.add(count, prob).shape
    return _each("binomial", _w.broadcast_to(count, shape), _w.broadcast_to(prob, shape), generator)


_NAMES = {"float32": "Float", "float64": "Double", "float16": "Half", "bfloat16": "BFloat16", **_SCALARS}


def _standard_gamma(input, generator=None):
    # z = F^-1(u, a): the derivative by a at z is that of the distribution function over its density
    z = _each("gamma", input, input, generator)
    if not _w.about(input, "need"):
        return z
    return z + _special.gamma_slope(_w, _w.detach(input), z) * (input - _w.detach(input))


def _sample_dirichlet(input, generator=None):
    a = _w.cast(_w.detach(input), float64)
    g = _each("gamma", a, a, generator)
    x = _w.cast(g / _w.sum(g, -1, True), input.dtype)
    tiny, one = (2.2250738585072014e-308, 1 - 2.0 ** -53) if input.dtype == float64 else (1.1754943508222875e-38, 1 - 2.0 ** -24)
    x = _w.clip(x, tiny, one)
    if not _w.about(input, "need"):
        return x
    slope = _special.dirichlet_slope(_w, x, _w.detach(input))
    step = slope * (input - _w.detach(input))
    return x + step - x * _w.sum(step, -1, True)
