# torch._tensor -- the class of tensors: functions bound as methods, conversions, text.
import _torch as _w
from _host import own_names as _own_names
from torch import _creation, _grad, _math, _products, _shape
from torch._grad import _passing, after_backward as _after_backward, hooked as _hooked
from torch._types import (Size, device_at, gpu_of as _gpu_of, number_of, placed, device as _device, strided, float64, float32, float16, bfloat16,
                          int64, int32, int16, int8, uint8, bool as _bool, dtype as _dtype, is_float,
                          default_generator, generator_at)

_method = _w.method
_write = _w.write

# Names of these modules that are methods too.
_METHODS = (
    (_math, "square positive frac pow atan2 maximum minimum hypot logaddexp logical_and logical_or logical_xor add sub rsub div round clamp clamp_min clamp_max lerp addcmul addcdiv heaviside copysign sign sgn signbit lgamma digamma polygamma mvlgamma "
            "sinc logit xlogy nan_to_num isposinf isneginf isreal fmax fmin gcd lcm isclose allclose equal "
            "is_same_size sum nansum mean nanmean prod var std max min amax amin aminmax argmax argmin all any "
            "logsumexp norm dist renorm count_nonzero cumsum cumprod cummax cummin logcumsumexp diff softmax "
            "log_softmax median nanmedian quantile nanquantile mode bincount histc float_power nonzero erfc "
            "logaddexp2"),
    (_shape, "reshape view view_as reshape_as flatten ravel unflatten permute transpose t movedim squeeze unsqueeze "
             "expand expand_as broadcast_to split chunk tensor_split hsplit vsplit dsplit unsafe_split unsafe_chunk adjoint unbind narrow narrow_copy select repeat tile "
             "repeat_interleave fliplr flipud roll rot90 unfold as_strided tril triu diag diagonal diag_embed "
             "index_select gather take take_along_dim scatter scatter_add scatter_reduce index_add index_copy "
             "index_fill index_put masked_fill masked_select masked_scatter argwhere sort argsort msort topk "
             "kthvalue unique unique_consecutive"),
    (_products, "matmul mm bmm mv dot vdot inner outer addmm addmv baddbmm addr addbmm trace cross cholesky inverse "
                "det logdet matrix_power kron cov corrcoef"),
)
_ALIASES = {"subtract": "sub", "divide": "div", "true_divide": "div", "clip": "clamp", "swapaxes": "transpose",
            "swapdims": "transpose", "arctan2": "atan2", "moveaxis": "movedim", "ger": "outer"}
# Natives that are methods as they are.
_NATIVES = ("abs neg reciprocal exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan "
            "sinh cosh tanh asinh acosh atanh erf sqrt rsqrt sigmoid floor ceil trunc logical_not bitwise_not "
            "deg2rad rad2deg relu mul remainder fmod eq ne lt le gt ge "
            "bitwise_and bitwise_or bitwise_xor detach conj angle")
_RENAMED = {"resolve_conj": "positive", "resolve_neg": "positive", "conj_physical": "conj", "absolute": "abs", "negative": "neg", "isfinite": "is_finite", "isnan": "is_nan", "isinf": "is_inf",
            "erfinv": "erf_inv", "fix": "trunc", "multiply": "mul", "floor_divide": "floor_div", "less": "lt",
            "less_equal": "le", "greater": "gt", "greater_equal": "ge", "not_equal": "ne", "arcsin": "asin",
            "arccos": "acos", "arctan": "atan", "bitwise_left_shift": "shift_left",
            "bitwise_right_shift": "shift_right", "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh"}
# Methods with a form that writes into the tensor: x.exp_() and so on.
_IN_PLACE = ("abs neg sign square reciprocal exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh "
             "cosh tanh asinh acosh atanh erf sqrt rsqrt sigmoid floor ceil trunc frac logical_not relu mul pow "
             "atan2 eq ne lt le gt ge logical_and logical_or add sub div round clamp clamp_min clamp_max cumsum "
             "tril triu masked_fill multiply "
             "subtract divide clip erfinv bitwise_and bitwise_or bitwise_xor negative true_divide deg2rad rad2deg "
             "absolute arccos arccosh arcsin arcsinh arctan arctan2 arctanh bitwise_left_shift bitwise_not bitwise_right_shift "
             "conj_physical erfc fix greater greater_equal less less_equal not_equal logical_xor hypot")
# The same for functions of several steps.
_IN_PLACE_OF_STEPS = ("lerp addcmul addcdiv nan_to_num renorm cumprod scatter_reduce masked_scatter addmm addmv baddbmm "
                      "addr float_power remainder fmod floor_divide heaviside copysign sgn sinc logit xlogy digamma lgamma "
                      "gcd lcm addbmm mvlgamma index_reduce put igamma igammac ldexp nextafter i0")
# Methods of functions that are loaded when they are first called: where they are.
_LATER = (("torch._more", "put index_reduce select_scatter slice_scatter diagonal_scatter as_strided_scatter nextafter ldexp frexp "
                          "igamma igammac i0 split_with_sizes unsafe_split_with_sizes nonzero_static is_signed is_conj is_neg is_inference "
                          "resize_as_ map2_"),
          ("torch._misc", "svd qr histogram pinverse is_nonzero"), ("torch.linalg", "slogdet matrix_exp"),
          ("torch._shape", "diagflat"), ("torch._products", "cholesky_inverse cholesky_solve triangular_solve"),
          ("torch.fft", "stft istft"), ("torch.nn.functional", "prelu hardshrink"))

# How tensors are written: set_printoptions.
_text = {"precision": -1, "threshold": -1, "edgeitems": -1, "linewidth": -1, "sci_mode": -1}
_PROFILES = {"default": (4, 1000, 3, 80), "short": (2, 1000, 2, 80), "full": (4, 9223372036854775807, 3, 80)}


def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None):
    if profile is not None:
        _text["precision"], _text["threshold"], _text["edgeitems"], _text["linewidth"] = _PROFILES[profile]
    new = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    for key, value in new.items():
        if value is not None:
            _text[key] = 9223372036854775807 if value == float("inf") else value
    _text["sci_mode"] = -1 if sci_mode is None else int(sci_mode)


def _shown(x, parameter=False):
    if _w.about(x, "symbolic"):
        return f"Traced<{x.dtype}, {list(x.shape)}>"
    name = None
    if _w.about(x, "requires_grad") and not _w.about(x, "leaf"):
        fn = _grad.grad_fn(x)
        name = fn.name() if fn is not None else None
    return _w.text(x, "torch", _text["precision"], _text["threshold"], _text["edgeitems"], _text["linewidth"],
                   _text["sci_mode"], False, name, parameter)


_TYPE_NAMES = {"float32": "FloatTensor", "float64": "DoubleTensor", "float16": "HalfTensor",
               "bfloat16": "BFloat16Tensor", "int64": "LongTensor", "int32": "IntTensor", "int16": "ShortTensor",
               "int8": "CharTensor", "uint8": "ByteTensor", "bool": "BoolTensor"}
_BY_TYPE_NAME = {"torch." + v: getattr(_w, "bool_" if k == "bool" else k) for k, v in _TYPE_NAMES.items()}


def _converter(d):
    def convert(self, memory_format=None):
        return self if self.dtype == d else _w.cast(self, d)
    return convert


def _reads(self, args, kwargs):
    # before self is written: tensors that share a part of its memory may not be read for it
    _w.apart(self, args + tuple(kwargs.values()) if kwargs else args)


def _in_place(fn):
    def write(self, *args, **kwargs):
        _reads(self, args, kwargs)
        return _write(self, fn(self, *args, **kwargs))
    return write


def _in_place_of_steps(fn):
    # of several steps: those that save what they read must not see it written over
    def write(self, *args, **kwargs):
        _reads(self, args, kwargs)
        x = _w.copy(self) if _w.about(self, "need") else self
        return _write(self, fn(x, *args, **kwargs))
    return write


# What numbers a distribution takes, and PyTorch's words for others.
_ALLOWED = {
    "normal": (lambda p, q: q >= 0, "normal expects std >= 0.0, but found std {q:g}"),
    "uniform": (lambda p, q: p <= q, "uniform_ expects to return a [from, to) range, but found from={p:g} > to={q:g}"),
    "exponential": (lambda p, q: p > 0, "exponential_ expects lambda > 0.0, but found lambda={p:g}"),
    "geometric": (lambda p, q: 0 < p < 1, "geometric_ expects p to be in (0, 1), but got p={p:g}"),
    "cauchy": (lambda p, q: q > 0, "cauchy_ expects sigma > 0.0, but found sigma={q:g}"),
    "log_normal": (lambda p, q: q > 0, "log_normal_ expects std > 0.0, but found std={q:g}"),
}


def _seen(x, view):
    # x stands for a view of itself from now on.
    if _w.about(x, "symbolic") or not _w.about(x, "leaf") or _w.about(x, "need") > 1:
        _w.Tensor.__init__(x, view(_w.wrap(x)))
    else:
        if _w.recording() and _w.about(x, "requires_grad"):
            raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
        _w.set_data(x, view(_w.detach(x)))
    return x


def _drawing(kind, a, b):
    # x.normal_(mean, std) and its like
    def fill(self, p=a, q=b, *, generator=None, **named):
        for value in named.values():  # mean=, std=, from_= ..: in the order of the parameters
            p, q = (value, q) if p is a else (p, value)
        allowed, words = _ALLOWED[kind]
        if not allowed(p, q):
            raise RuntimeError(words.format(p=p, q=q))
        return _write(self, _w.draw(kind, self.shape, self.dtype, p, q, generator or generator_at(_w.device_at(self))))
    fill.__name__ = kind + "_"
    return fill


def _of_type(args, dtype):
    # what the constructors of old take: sizes, one by one or as a torch.Size; or one sequence or array of numbers
    if len(args) == 1 and isinstance(args[0], Size):
        args = tuple(args[0])
    elif len(args) == 1 and type(args[0]).__module__ == "numpy" and isinstance(args[0], _w.Tensor) and args[0].ndim == 0:
        args = (args[0].__index__(),)
    elif len(args) == 1 and not isinstance(args[0], int):
        return _w.tensor(_creation.as_numbers(list(args[0]) if isinstance(args[0], range) else args[0]), dtype)
    return _w.full(args if args else (0,), 0, dtype)


class Tensor(_w.Tensor):
    __module__ = "torch"

    def __init__(self, *args, device=None):
        # an array of NumPy is numbers, which become the default dtype; a tensor stays what it is
        plain = len(args) != 1 or not isinstance(args[0], _w.Tensor) or type(args[0]).__module__ == "numpy"
        _w.Tensor.__init__(self, _of_type(args, _creation.get_default_dtype()) if plain else args[0])

    def __repr__(self, *, tensor_contents=None):
        return _shown(self)

    __str__ = __repr__

    # ---- what it is

    @property
    def T(self):
        return _w.permute(self)

    @property
    def mT(self):
        return _w.swap_axes(self, -1, -2)

    H = T

    @property
    def device(self):
        return device_at(_w.device_at(self))

    is_cuda = property(lambda self: _w.device_at(self) > 0)
    is_meta = property(lambda self: _w.device_at(self) < 0)
    is_sparse = is_quantized = is_mps = is_mkldnn = is_sparse_csr = is_xpu = is_ipu = is_mtia = is_vulkan = False
    layout = strided
    names = property(lambda self: (None,) * self.ndim)
    itemsize = property(lambda self: self.dtype.itemsize)
    nbytes = property(lambda self: self.dtype.itemsize * _w.about(self, "count"))
    requires_grad = property(lambda self: _w.about(self, "requires_grad"),
                             lambda self, on: self.requires_grad_(on))
    is_leaf = property(lambda self: _w.about(self, "leaf"))
    grad_fn = property(lambda self: _grad.grad_fn(self))
    retains_grad = property(lambda self: hasattr(self, "_kept"))
    @property
    def _version(self):
        if _w.about(self, "inference"):
            raise RuntimeError("Inference tensors do not track version counter.")
        return _w.about(self, "version")

    output_nr = 0

    @property
    def data(self):
        return _w.detach(self)

    @data.setter
    def data(self, value):
        _w.set_data(self, value)

    @property
    def real(self):
        return _math.real(self)

    @real.setter
    def real(self, value):
        _math.real(self).copy_(value)

    @property
    def imag(self):
        return _math.imag(self)

    @imag.setter
    def imag(self, value):
        _math.imag(self).copy_(value)

    @property
    def mH(self):
        return _shape.adjoint(self)

    @property
    def H(self):
        return _shape.adjoint(self)

    def cfloat(self):
        return self.to(_w.complex64)

    def cdouble(self):
        return self.to(_w.complex128)

    @property
    def grad(self):
        kept = self.__dict__.get("_kept")
        g = _w.grad_of(self) if kept is None else kept
        return _grad.conjugated(g)

    @grad.setter
    def grad(self, value):
        if value is not None:
            if not isinstance(value, _w.Tensor):
                raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(value)}")
            if value.shape != self.shape:
                raise RuntimeError(f"assigned grad has data of a different size")
        _w.set_grad(self, _grad.conjugated(value))

    @grad.deleter
    def grad(self):
        _w.set_grad(self, None)

    def size(self, dim=None):
        return self.shape if dim is None else self.shape[dim]

    def dim(self):
        return self.ndim

    ndimension = dim

    def numel(self):
        return _w.about(self, "count")

    nelement = numel

    def stride(self, dim=None):
        s = _w.strides(self)
        return s if dim is None else s[dim]

    def storage_offset(self):
        return _w.about(self, "offset")

    def data_ptr(self):
        return _w.about(self, "address")

    def is_contiguous(self, memory_format=None):
        return _w.about(self, "packed")

    def contiguous(self, memory_format=None):
        return self if _w.about(self, "packed") else _w.copy(self)

    def element_size(self):
        return self.dtype.itemsize

    def is_floating_point(self):
        return self.dtype.is_floating_point

    def is_complex(self):
        return self.dtype.is_complex

    def is_conj(self):
        return False

    def is_signed(self):
        return self.dtype.kind in ("f", "i", "c")

    def is_pinned(self):
        return False

    def is_set_to(self, other):
        return _w.same(self, other)

    def as_subclass(self, cls):
        new = _w.wrap(self)
        new.__class__ = cls
        return new

    def is_shared(self):
        return bool(__import__("multiprocessing").shared[0])

    def dim_order(self):
        return tuple(range(self.ndim))

    def get_device(self):
        return max(_w.device_at(self) - 1, -1)

    def __contains__(self, x):
        return bool(_w.any(_w.eq(self, x)))

    def __reversed__(self):
        return _w.flip(self, 0) if self.ndim else self

    def __abs__(self):
        return _w.abs(self)

    def __round__(self, n=0):
        return _math.round(self, decimals=n)

    def __deepcopy__(self, memo):
        if not self.is_leaf:
            raise RuntimeError("Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
                               "protocol at the moment.")
        if id(self) in memo:
            return memo[id(self)]
        new = _w.copy(_w.detach(self))
        if type(self) is not Tensor:
            new = type(self)(new)
        if self.requires_grad != new.requires_grad:
            new.requires_grad_(self.requires_grad)
        memo[id(self)] = new
        return new

    def __copy__(self):
        return _w.wrap(self)

    # ---- histories

    def requires_grad_(self, requires_grad=True):
        if requires_grad and not self.dtype.is_inexact:
            raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
        if requires_grad and _w.about(self, "inference") and not _w.inference():
            raise RuntimeError("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.")
        if not requires_grad and not _w.about(self, "leaf"):
            raise RuntimeError("you can only change requires_grad flags of leaf variables. If you want to use a "
                               "computed variable in a subgraph that doesn't require differentiation use "
                               "var_no_grad = var.detach().")
        return _w.requires_grad(self, requires_grad)

    def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
        if gradient is None and inputs is None and not (retain_graph or create_graph or _hooked or _after_backward) and \
                _passing[0] is None and _w.backward_plain(self):
            return
        if gradient is not None and not isinstance(gradient, _w.Tensor):
            gradient = _w.tensor(gradient, self.dtype)
        _grad.backward(self, gradient, retain_graph, create_graph, inputs)

    def detach_(self):
        if self.is_leaf and not _w.about(self, "symbolic"):
            return self.requires_grad_(False)
        _w.Tensor.__init__(self, _w.detach(self))       # this object stands for the detached tensor from now on
        return self

    def clone(self, *, memory_format=None):
        return _w.copy(self)

    def retain_grad(self):
        _grad.retain_grad(self)

    def register_hook(self, hook):
        return _grad.register_hook(self, hook)

    def register_post_accumulate_grad_hook(self, hook):
        return _grad.register_post_accumulate_grad_hook(self, hook)

    # ---- other dtypes and places

    def to(self, *args, dtype=None, device=None, non_blocking=False, copy=False, memory_format=None):
        for a in args:
            if isinstance(a, _dtype):
                dtype = a
            elif isinstance(a, _w.Tensor):
                dtype, device = a.dtype, a.device
            elif isinstance(a, (str, _device, int)) and not isinstance(a, bool):
                device = a
        x = self
        if dtype is not None and dtype != self.dtype:
            x = _w.cast(x, dtype)
        n = None if device is None else number_of(device)
        if n is not None and n != _w.device_at(x):
            return _w.to_device(x, n)
        return _w.copy(x) if copy and x is self else x

    def type(self, dtype=None, non_blocking=False):
        if dtype is None:
            return "torch." + _TYPE_NAMES.get(self.dtype.name, "Tensor")
        if isinstance(dtype, str):
            if dtype not in _BY_TYPE_NAME:
                raise ValueError(f"invalid type: '{dtype}'")
            dtype = _BY_TYPE_NAME[dtype]
        elif hasattr(dtype, "_dtype"):
            dtype = dtype._dtype
        return self if dtype == self.dtype else _w.cast(self, dtype)

    def type_as(self, other):
        return self.to(other)

    def cpu(self, memory_format=None):
        return self.to("cpu")

    def cuda(self, device=None, non_blocking=False):
        return self.to(_gpu_of(device))

    def pin_memory(self):
        return self

    def to_dense(self, dtype=None):
        return self if dtype is None else self.to(dtype)

    def to_sparse(self, sparse_dim=None):
        return __import__("torch.sparse").from_dense(self, sparse_dim)

    def sparse_mask(self, mask):
        # The elements at the places that a sparse tensor has, as one of its kind.
        return mask._like(self[tuple(mask._i)])

    def to_sparse_csr(self):
        return self.to_sparse().to_sparse_csr()

    def share_memory_(self):
        __import__("multiprocessing").shared[0] = True
        return self

    def numpy(self, *, force=False):
        import numpy
        if force:
            return numpy.wrap(_w.to_device(_w.detach(self), 0))
        if _w.device_at(self):
            raise TypeError(f"can't convert {self.device} device type tensor to numpy. Use Tensor.cpu() to copy the "
                            "tensor to host memory first.")
        if _w.about(self, "requires_grad"):
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() "
                               "instead.")
        return numpy.wrap(self)

    def __array__(self, dtype=None, copy=None):
        a = self.numpy()
        return a if dtype is None else a.astype(dtype)

    # ---- new ones of its kind

    def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False):
        return _creation.tensor(data, dtype=dtype or self.dtype, device=self.device if device is None else device,
                                requires_grad=requires_grad)

    def new_zeros(self, *size, dtype=None, device=None, **options):
        return _creation.zeros(*size, dtype=dtype or self.dtype, device=self.device if device is None else device, **options)

    def new_ones(self, *size, dtype=None, device=None, **options):
        return _creation.ones(*size, dtype=dtype or self.dtype, device=self.device if device is None else device, **options)

    def new_empty(self, *size, dtype=None, device=None, **options):
        return _creation.empty(*size, dtype=dtype or self.dtype, device=self.device if device is None else device, **options)

    def new_full(self, size, fill_value, *, dtype=None, device=None, **options):
        return _creation.full(size, fill_value, dtype=dtype or self.dtype, device=self.device if device is None else device, **options)

    def new(self, *args):
        if len(args) == 1 and isinstance(args[0], Tensor):
            return args[0].view_as(args[0])
        return _of_type(args, self.dtype).to(self.device)

    # ---- writing

    def copy_(self, src, non_blocking=False):
        if not isinstance(src, _w.Tensor):
            src = _w.tensor(src, self.dtype)
        _w.apart(self, (src,))
        return _write(self, src if src.dtype == self.dtype else _w.cast(src, self.dtype))

    def fill_(self, value):
        v = _w.cast(value, self.dtype) if isinstance(value, _w.Tensor) else _w.full((), value, self.dtype)
        return _write(self, v)

    def zero_(self):
        _write(self, _w.full((), 0, self.dtype))
        return _w.label(self, "zero") if _w.about(self, "need") and not _w.about(self, "leaf") else self

    def fill_diagonal_(self, fill_value, wrap=False):
        n = min(self.shape)
        k = _w.arange(0, n, 1, int64)
        self[(k,) * self.ndim] = fill_value
        if wrap and self.ndim == 2 and self.shape[0] > n + 1:   # again below, after a row between
            self[n + 1:].fill_diagonal_(fill_value, True)
        return self

    def set_(self, source):
        _w.set_data(self, source)
        return self

    def resize_(self, *size):
        size = _creation.as_size(size)
        if tuple(size) == tuple(self.shape):
            return self
        n = 1
        for k in size:
            n *= k
        x = _w.detach(self)
        if not x.is_contiguous() and n <= x.untyped_storage().nbytes() // x.element_size() - x.storage_offset():
            x = x.as_strided((n,), (1,), x.storage_offset())    # in the order of memory
        flat = _w.reshape(x, (-1,))
        if n > flat.shape[0]:
            flat = _w.concat([flat, _w.full((n - flat.shape[0],), 0, self.dtype)], 0)
        _w.set_data(self, _w.reshape(flat[:n], size))
        return self

    def t_(self):
        if self.ndim > 2:
            raise RuntimeError(f"t_() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
        return _seen(self, lambda x: _w.swap_axes(x, 0, 1)) if self.ndim == 2 else self

    def squeeze_(self, dim=None):
        return _seen(self, lambda x: _shape.squeeze(x, dim))

    def unsqueeze_(self, dim):
        return _seen(self, lambda x: _w.expand_dims(x, dim))

    def transpose_(self, dim0, dim1):
        return _seen(self, lambda x: _shape.transpose(x, dim0, dim1))

    swapaxes_ = swapdims_ = transpose_

    normal_ = _drawing("normal", 0.0, 1.0)
    uniform_ = _drawing("uniform", 0.0, 1.0)
    exponential_ = _drawing("exponential", 1.0, 0.0)
    geometric_ = _drawing("geometric", 0.5, 0.0)
    cauchy_ = _drawing("cauchy", 0.0, 1.0)
    log_normal_ = _drawing("log_normal", 1.0, 2.0)

    def bernoulli_(self, p=0.5, *, generator=None):
        g = generator or generator_at(_w.device_at(self))
        if g is None:
            return self
        if isinstance(p, _w.Tensor):
            return _write(self, _w.cast(_w.draw_bernoulli(_w.broadcast_to(p, self.shape), g), self.dtype))
        _creation.check_share(p)
        return _write(self, _w.draw("bernoulli", self.shape, self.dtype, p, 0.0, g))

    def random_(self, low=None, high=None, *, generator=None):
        g = generator or generator_at(_w.device_at(self))
        if low is None:
            return _write(self, _w.draw("random", self.shape, self.dtype, 0, 0, g))
        if high is None:
            low, high = 0, low
        return _write(self, _w.draw_int(low, high, self.shape, self.dtype, g))

    def bernoulli(self, p=None, *, generator=None):
        return _creation.bernoulli(self, p, generator=generator)

    def multinomial(self, num_samples, replacement=False, *, generator=None):
        return _creation.multinomial(self, num_samples, replacement, generator=generator)

    # ---- the rest

    def apply_(self, fn):
        values = [fn(v) for v in _w.reshape(_w.detach(self), (-1,)).tolist()]
        return _write(self, _w.reshape(_w.tensor(values, self.dtype), self.shape))

    def map_(self, other, fn):
        a, b = _w.reshape(self, (-1,)).tolist(), _w.reshape(_w.broadcast_to(other, self.shape), (-1,)).tolist()
        return _write(self, _w.reshape(_w.tensor([fn(x, y) for x, y in zip(a, b)], self.dtype), self.shape))

    def where(self, condition, other):
        return _w.where(condition, self, other)

    def sum_to_size(self, *size):
        size = _creation.as_size(size)
        x = self
        if x.ndim > len(size):
            x = _w.sum(x, list(range(x.ndim - len(size))))
        dims = [k for k, n in enumerate(size) if n == 1 and x.shape[k] != 1]
        return _w.sum(x, dims, True) if dims else x

    def to_dense(self):
        return self

    def storage(self):
        return __import__("torch.storage").TypedStorage()._of(self)

    def untyped_storage(self):
        return __import__("torch.storage").UntypedStorage()._of(self)

    def __dlpack__(self, stream=None):
        return self

    double = _converter(float64)
    float = _converter(float32)
    half = _converter(float16)
    bfloat16 = _converter(bfloat16)
    long = _converter(int64)
    int = _converter(int32)
    short = _converter(int16)
    char = _converter(int8)
    byte = _converter(uint8)
    bool = _converter(_bool)


def _later(home, name):
    def call(self, *args, **kwargs):
        return getattr(__import__(home), name)(self, *args, **kwargs)
    call.__name__ = call.__qualname__ = name
    return call


def _bind():
    made = {}
    for home, names in _LATER:
        for name in names.split():
            made[name] = _later(home, name)
    for module, names in _METHODS:
        for name in names.split():
            made[name] = getattr(module, name)
    for name in _NATIVES.split():
        made[name] = _method(getattr(_w, name))
    for name, native in _RENAMED.items():
        made[name] = _method(getattr(_w, native))
    made["flip"] = _shape.flipped
    for name, other in _ALIASES.items():
        made[name] = made[other] if other in made else getattr(Tensor, other)
    for name in _IN_PLACE.split():
        made[name + "_"] = _in_place(made[name] if name in made else getattr(Tensor, name))
    for name, fn in _shape.IN_PLACE.items():
        made[name + "_"] = _shape.in_place(fn)
    for name in _IN_PLACE_OF_STEPS.split():
        made[name + "_"] = _in_place_of_steps(made[name] if name in made else getattr(Tensor, name))
    for name in "bfloat16 bool byte char double float half int long short ndimension nelement swapaxes_ swapdims_".split():
        made[name] = getattr(Tensor, name)
    _own_names(made, "")
    for name, fn in made.items():
        setattr(Tensor, name, fn)


_bind()
_w.set_class(Tensor)


class typed:
    # torch.FloatTensor and its like: makers of tensors, which isinstance takes for their class.
    def __init__(self, d):
        self._dtype = d

    def __call__(self, *args):
        if len(args) == 1 and isinstance(args[0], Tensor):
            if args[0].dtype != self._dtype:
                raise TypeError(f"expected {_type_of(self._dtype)} (got {args[0].type()})")
            return args[0].view_as(args[0])
        return _of_type(args, self._dtype)

    def __instancecheck__(self, x):
        return isinstance(x, Tensor) and x.dtype == self._dtype

    def __repr__(self):
        return f"<class '{_type_of(self._dtype)}'>"


def _type_of(d):
    return "torch." + _TYPE_NAMES[d.name]


class _Variable:
    # Variable(x): a leaf of its own over the memory of x.
    def __call__(self, data=None, requires_grad=False, volatile=False):
        if data is None:
            data = _w.full((0,), 0.0)
        return Tensor(_w.detach(data)).requires_grad_(requires_grad)

    def __instancecheck__(self, x):
        return isinstance(x, Tensor)


Variable = _Variable()
