# torch._quantized -- numbers of few bits with a scale and a zero point: tensors of them, rounding as they do, and models whose
# linear layers hold their weights so. A quantised tensor is made, read and turned back into floats; it is no operand of functions.
import torch
from torch.nn.modules import Module


class _Kind:
    # quint8 ..: how the integers are stored, and which there are
    def __init__(self, name, store, low, high):
        self._name, self.store, self.low, self.high, self.is_floating_point, self.is_complex = name, store, low, high, False, False
        self.itemsize = 4 if name == "qint32" else 1

    def __repr__(self):
        return "torch." + self._name


quint8, qint8 = _Kind("quint8", torch.uint8, 0, 255), _Kind("qint8", torch.int8, -128, 127)
qint32 = _Kind("qint32", torch.int32, -2 ** 31, 2 ** 31 - 1)


class qscheme:
    def __init__(self, name):
        self._name = name

    def __repr__(self):
        return "torch." + self._name


per_tensor_affine, per_channel_affine = qscheme("per_tensor_affine"), qscheme("per_channel_affine")
per_tensor_symmetric, per_channel_symmetric = qscheme("per_tensor_symmetric"), qscheme("per_channel_symmetric")


def _kind(dtype):
    if not isinstance(dtype, _Kind):
        raise RuntimeError(f"quantized tensors are of torch.quint8, torch.qint8 or torch.qint32, not {dtype}")
    return dtype


def _along(v, axis, rank):
    return v.reshape([-1 if i == axis else 1 for i in range(rank)])


def _rounded(x, scale, zero, low, high):
    return torch.clamp(torch.round(x * (1 / scale)) + zero, low, high)


class QTensor:
    is_quantized, requires_grad, layout, is_sparse = True, False, torch.strided, False

    def __init__(self, values, scale, zero, dtype, axis=None):
        self._q, self._scale, self._zero, self.dtype, self._axis = values, scale, zero, dtype, axis

    shape = property(lambda self: self._q.shape)
    device = property(lambda self: self._q.device)
    ndim = property(lambda self: self._q.ndim)

    def int_repr(self):
        return self._q.clone()

    def dequantize(self):
        scale, zero = self._scale, self._zero
        if self._axis is not None:
            scale, zero = _along(scale.float(), self._axis, self.ndim), _along(zero.float(), self._axis, self.ndim)
        return (self._q.float() - zero) * scale

    def _whole(self, what):
        if self._axis is not None:
            raise RuntimeError(f"Expected quantizer->qscheme() == kPerTensorAffine to be true, but got false: {what}")

    def q_scale(self):
        self._whole("q_scale")
        return self._scale

    def q_zero_point(self):
        self._whole("q_zero_point")
        return self._zero

    def q_per_channel_scales(self):
        return self._scale.double()

    def q_per_channel_zero_points(self):
        return self._zero.long()

    def q_per_channel_axis(self):
        return self._axis

    def qscheme(self):
        return per_tensor_affine if self._axis is None else per_channel_affine

    def size(self, dim=None):
        return self._q.size() if dim is None else self._q.size(dim)

    def dim(self):
        return self._q.dim()

    def numel(self):
        return self._q.numel()

    def element_size(self):
        return self.dtype.itemsize

    def detach(self):
        return self

    def _with(self, q):
        return QTensor(q, self._scale, self._zero, self.dtype)

    def clone(self):
        return QTensor(self._q.clone(), self._scale, self._zero, self.dtype, self._axis)

    def __getitem__(self, index):
        self._whole("an index")
        return self._with(self._q[index])

    def reshape(self, *shape):
        self._whole("reshape")
        return self._with(self._q.reshape(*shape))

    view = reshape

    def __len__(self):
        return len(self._q)

    def __getattr__(self, name):
        raise NotImplementedError(f"a quantized tensor's {name}: dequantize() gives the floats")

    def __repr__(self):
        parts = [f"size={tuple(self.shape)}", f"dtype={self.dtype}", f"quantization_scheme={self.qscheme()}"]
        if self._axis is None:
            parts += [f"scale={self._scale!r}", f"zero_point={self._zero}"]
        else:
            parts += [f"scale={self.q_per_channel_scales()!r}", f"zero_point={self.q_per_channel_zero_points()!r}", f"axis={self._axis}"]
        text = repr(self.dequantize())[:-1]
        last = len(text) - text.rfind("\n") - 1
        for p in parts:
            first = p.split("\n")[0]
            if last + len(first) + 2 > 80:
                text, last = text + ",\n" + " " * 7, 7
            else:
                text, last = text + ", ", last + 2
            text += p.replace("\n", "\n" + " " * 7)
            last = last + len(p) if "\n" not in p else len(p) - p.rfind("\n") + 6
        return text + ")"


def quantize_per_tensor(input, scale, zero_point, dtype):
    k, scale, zero = _kind(dtype), float(scale), int(zero_point)
    single = float(torch.tensor(scale, dtype=torch.float32))
    return QTensor(_rounded(input.float(), single, zero, k.low, k.high).to(k.store), scale, zero, k)


def quantize_per_channel(input, scales, zero_points, axis, dtype):
    k = _kind(dtype)
    s, z = _along(scales.float(), axis, input.ndim), _along(zero_points.float(), axis, input.ndim)
    return QTensor(_rounded(input.float(), s, z, k.low, k.high).to(k.store), scales, zero_points, k, axis)


def dequantize(tensor):
    return [dequantize(t) for t in tensor] if isinstance(tensor, (list, tuple)) else tensor.dequantize()


def _fake(x, scale, zero, low, high):
    # its derivative is 1 where the number was among those there are
    q = torch.round(x * (1 / scale)) + zero
    inside = (q >= low) & (q <= high)
    r = (torch.clamp(q, low, high) - zero) * scale
    return torch.where(inside, x + (r - x).detach(), r.detach())


def fake_quantize_per_tensor_affine(input, scale, zero_point, quant_min, quant_max):
    return _fake(input, scale, zero_point, quant_min, quant_max)


def fake_quantize_per_channel_affine(input, scale, zero_point, axis, quant_min, quant_max):
    return _fake(input, _along(scale, axis, input.ndim), _along(zero_point, axis, input.ndim).float(), quant_min, quant_max)


# ---- models

def _range_of(x):
    # scale and zero point of 7 bits for the numbers of x, 0 among them
    low, high = min(float(x.min()), 0.0), max(float(x.max()), 0.0)
    scale = (high - low) / 127
    if scale == 0:
        scale = 0.1
    from_low, from_high = -low / scale, 127 - high / scale
    zero = from_low if abs(low / scale) < 127 + abs(high / scale) else from_high
    return scale, int(min(max(round(zero), 0), 127))


class DynamicLinear(Module):
    # Weights of 8 bits; what comes in is rounded to 7 bits for each call.
    def __init__(self, linear):
        super().__init__()
        w = linear.weight.detach()
        scale = torch.clamp(torch.maximum(-w.min(), w.max()).clamp(min=0) / 127.5, min=torch.finfo(torch.float32).eps)
        self.in_features, self.out_features, self.training = linear.in_features, linear.out_features, False
        self._weight = quantize_per_tensor(w, float(scale), 0, qint8)
        self._bias = linear.bias

    def weight(self):
        return self._weight

    def bias(self):
        return self._bias

    def _get_name(self):
        return "DynamicQuantizedLinear"

    def extra_repr(self):
        return f"in_features={self.in_features}, out_features={self.out_features}, dtype=torch.qint8, qscheme=torch.per_tensor_affine"

    def forward(self, x):
        scale, zero = _range_of(x)
        q = torch.clamp(torch.round(x * (1 / scale)) + zero, 0, 255).long() - zero
        sums = (q @ self._weight.int_repr().long().t()).float()
        y = sums * (scale * self._weight.q_scale())
        return y if self._bias is None else y + self._bias.detach()


def quantize_dynamic(model, qconfig_spec=None, dtype=qint8, mapping=None, inplace=False):
    if _kind(dtype) is not qint8 or mapping is not None:
        raise NotImplementedError("torch.ao.quantization.quantize_dynamic: weights of torch.qint8, the usual layers")
    kinds = {torch.nn.Linear, torch.nn.LSTM, torch.nn.GRU} if qconfig_spec is None else set(qconfig_spec)
    for k in kinds:
        if not isinstance(k, type):
            raise NotImplementedError("torch.ao.quantization.quantize_dynamic: layers by their names, or a dict")
    if not inplace:
        import copy
        model = copy.deepcopy(model)
    return _converted(model, kinds)


def _converted(m, kinds):
    if type(m) in kinds:
        if type(m) is not torch.nn.Linear:
            raise NotImplementedError(f"torch.ao.quantization.quantize_dynamic: a layer of class {type(m).__name__}; Linear is here")
        return DynamicLinear(m)
    for name, child in list(m.named_children()):
        setattr(m, name, _converted(child, kinds))
    return m
