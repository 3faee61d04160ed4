# torch -- PyTorch's names over Weft's tensors.
#
#   _types      dtypes, Size, device, Generator, finfo
#   _creation   tensors of numbers, ranges, random numbers
#   _math       elementwise functions and reductions
#   _shape      shapes, joining, choosing, sorting
#   _products   products of matrices
#   _grad       recording and gradients
#   _tensor     the class Tensor: all of these as methods
#
# Sub-modules are loaded when they are first asked for.
from math import e, inf, nan, pi

import _torch as _w
from torch._types import *
from torch._types import finfo, iinfo, device, dtype, Size, Generator, default_generator
from torch._creation import *
from torch._math import *
from torch._shape import *
from torch._products import *

del put             # what these modules write results with; torch.put is another
from torch._grad import no_grad, enable_grad, inference_mode, set_grad_enabled, is_grad_enabled
from torch._grad import is_inference_mode_enabled
from torch._tensor import Tensor, set_printoptions, typed as _typed
from torch._creation import range_ as range

if __import__("os").environ.get("WEFT_DEVICE"):
    __import__("torch._misc")
    _misc._start_on(__import__("os").environ["WEFT_DEVICE"])

__version__ = "2.15.0"
newaxis = None
detach = _w.detach
clone = _w.copy

FloatTensor = _typed(float32)
DoubleTensor = _typed(float64)
HalfTensor = _typed(float16)
LongTensor = _typed(int64)
IntTensor = _typed(int32)
ShortTensor = _typed(int16)
CharTensor = _typed(int8)
ByteTensor = _typed(uint8)
BoolTensor = _typed(bool)

_MODULES = ("nn", "optim", "autograd", "utils", "linalg", "special", "jit", "func", "distributions", "random", "cuda",
            "hub", "sparse", "profiler", "multiprocessing", "ops", "accelerator", "nested", "library", "functional", "classes",
            "_logging", "distributed",
            "ao", "quantization", "backends", "testing", "fft", "fx", "compiler", "amp", "version", "_functorch", "_dynamo", "overrides", "export", "onnx", "serialization", "storage")
_FROM = {"UntypedStorage": "storage", "TypedStorage": "storage", "jagged": "nested", "sparse_coo_tensor": "sparse", "sparse_csr_tensor": "sparse", "spmm": "sparse", "sparse_csr": "sparse", "stft": "fft", "istft": "fft", **dict.fromkeys(
    ("quint8", "qint8", "qint32", "qscheme", "per_tensor_affine", "per_channel_affine", "per_tensor_symmetric", "per_channel_symmetric", "dequantize",
     "quantize_per_tensor", "quantize_per_channel", "fake_quantize_per_tensor_affine", "fake_quantize_per_channel_affine"), "_quantized"),
          "slogdet": "linalg", "matrix_exp": "linalg", "lstsq": "linalg", "pinverse": "_misc", "save": "serialization", "load": "serialization", "compile": "_compile",
         "vmap": "func", "autocast": "amp", "GradScaler": "amp", "clear_autocast_cache": "amp",
         "is_autocast_enabled": "amp", "get_autocast_dtype": "amp", "set_autocast_enabled": "amp",
         "set_autocast_dtype": "amp", "is_autocast_cpu_enabled": "amp", "get_autocast_cpu_dtype": "amp",
         "get_autocast_gpu_dtype": "amp", "set_autocast_cpu_enabled": "amp", "set_autocast_cpu_dtype": "amp",
         "set_autocast_gpu_dtype": "amp", "is_autocast_cache_enabled": "amp", "set_autocast_cache_enabled": "amp"}
_FUNCTIONAL = ("conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d layer_norm group_norm rms_norm selu "
               "celu threshold prelu rrelu pixel_shuffle pixel_unshuffle max_pool1d max_pool2d max_pool3d avg_pool1d "
               "adaptive_avg_pool1d hardshrink bilinear channel_shuffle native_dropout "
               "conv_tbc max_pool1d_with_indices native_channel_shuffle celu_ rrelu_ selu_ threshold_").split()
_RAW = ("alpha_dropout batch_norm binary_cross_entropy_with_logits cosine_embedding_loss dropout embedding "
        "hinge_embedding_loss instance_norm kl_div margin_ranking_loss poisson_nll_loss triplet_margin_loss").split()


_MORE = ("put index_reduce select_scatter slice_scatter diagonal_scatter as_strided_scatter nextafter ldexp frexp igamma igammac i0 "
         "split_with_sizes unsafe_split_with_sizes nonzero_static is_signed is_conj is_neg is_inference constant_pad_nd "
         "affine_grid_generator grid_sampler grid_sampler_2d grid_sampler_3d empty_permuted frobenius_norm nuclear_norm "
         "norm_except_dim kaiser_window segment_reduce histogramdd").split()
_ATEN = ("fill convolution native_layer_norm native_group_norm native_batch_norm gru_cell lstm_cell rnn_relu_cell "
         "rnn_tanh_cell").split()
_COPIED = ("alias_copy as_strided_copy detach_copy diagonal_copy expand_copy permute_copy select_copy slice_copy split_copy "
           "split_with_sizes_copy squeeze_copy t_copy transpose_copy unbind_copy unfold_copy unsqueeze_copy "
           "view_as_complex_copy view_as_real_copy").split()


def __getattr__(name):
    if name in _MORE:
        return getattr(__import__("torch._more"), name)
    if name == "adaptive_max_pool1d":       # this one gives the places, too
        return getattr(__import__("torch.nn.functional"), name + "_with_indices")
    if name in _COPIED:
        return __import__("torch._more").copied(name)
    if name in _ATEN:
        return getattr(__import__("torch.jit._aten"), name, None) or getattr(__import__("torch.jit._aten_rare"), name)
    if name in _MODULES:
        return __import__("torch." + name)
    if name in _FROM:
        return getattr(__import__("torch." + _FROM[name]), name)
    if name in _RAW:
        return getattr(__import__("torch._raw"), name)
    if name in _FUNCTIONAL:
        return getattr(__import__("torch.nn.functional"), name)
    if name[-1:] == "_" and name[:1] != "_" and hasattr(Tensor, name):      # torch.sin_(x)
        return getattr(Tensor, name)
    if name[:9] == "_foreach_":
        return __import__("torch._misc").foreach(name[9:])
    return getattr(__import__("torch._misc"), name)


_w.set_error(lambda text, label: __import__("torch._errors").worded(text, label))


__import__("_host").own_names(globals(), "")
