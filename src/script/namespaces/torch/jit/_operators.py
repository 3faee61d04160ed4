# torch.jit._operators -- the types that TorchScript's operators and built-in functions give: "?" where that is not
# known here, None where there is none for such operands.
import math

import _syntax
import torch
from torch.jit import _types

ARITHMETIC = {"+": "add", "-": "sub", "*": "mul", "/": "div", "//": "floordiv", "%": "remainder", "**": "pow",
              "<<": "__lshift__", ">>": "__rshift__", "&": "__and__", "|": "__or__", "^": "__xor__", "@": "matmul"}
_numbers = ("int", "float", "bool", "number", "complex")


def binary(op, a, b):
    if a.find("?") >= 0 or b.find("?") >= 0:
        return "Tensor" if "Tensor" in (a, b) and "?" in (a, b) and op != "%" else "?"
    if "complex" in (a, b):
        return "?"
    if a in _numbers and b in _numbers:
        if op == "@":
            return None
        if op in ("&", "|", "^", "<<", ">>"):
            return "bool" if a == b == "bool" else "?" if "float" not in (a, b) else None
        if "number" in (a, b):
            return "number" if op != "/" else "?"
        return "float" if op in ("/", "**") or "float" in (a, b) else "int"
    if a == "str" and op == "%":
        return "str"
    if "Tensor" in (a, b):
        other = b if a == "Tensor" else a
        return "Tensor" if other == "Tensor" or other in _numbers else "?" if op == "*" else None
    if a == "str":
        return "str" if op == "%" or (op == "+" and b == "str") else None
    if b == "str":
        return None
    if a.startswith("List["):
        return a if (op == "+" and a == b) or (op == "*" and b == "int") else None
    if b.startswith("List["):
        return b if op == "*" and a == "int" else None
    if a.startswith("Tuple[") and b.startswith("Tuple[") and op == "+":
        return "?"
    if a.startswith("Dict["):
        return "?"
    return None


def negated(t):
    return t if t in ("Tensor", "int", "float", "number", "?") else "int" if t == "bool" else \
        "?" if t in ("complex",) or t.find("?") >= 0 else None


def compared(op, a, b):
    if op in ("is", "is not", "in", "not in") or a.find("?") >= 0 or b.find("?") >= 0:
        return "bool" if op in ("is", "is not", "in", "not in") else "Tensor" if "Tensor" in (a, b) else "?"
    if "None" in (a, b) and op in ("==", "!="):
        return "bool"
    if a in _numbers and b in _numbers:
        return "bool"
    if a == "str" and op == "%":
        return "str"
    if "Tensor" in (a, b):
        other = b if a == "Tensor" else a
        return "Tensor" if other == "Tensor" or other in _numbers else "?" if op in ("==", "!=") else None
    if "str" in (a, b):
        other = b if a == "str" else a
        return "bool" if other == "str" else None if other in _numbers else "?"
    return "?"


# Methods and attributes of tensors that give no tensor.
_tensor = {"int": "dim numel nelement element_size get_device storage_offset ndim ndimension itemsize nbytes _version dtype "
                  "layout output_nr",
           "bool": "allclose equal is_complex is_conj is_contiguous is_floating_point is_leaf is_pinned is_same_size is_set_to "
                   "is_signed is_cuda is_meta is_mps is_quantized is_sparse requires_grad retains_grad",
           "List[Tensor]": "chunk dsplit hsplit split tensor_split unbind unsafe_chunk unsafe_split vsplit",
           "Tuple[Tensor, Tensor]": "aminmax cummax cummin kthvalue mode sort topk",
           "List[int]": "shape", "number": "item", "device": "device", "None": "backward retain_grad",
           "Optional[Tensor]": "grad",
           "?": "eig frexp geqrf histogram lstsq lu lu_unpack nonzero qr slogdet symeig svd triangular_solve max min median nanmedian size stride tolist type unique unique_consecutive where numpy new new_tensor names "
                "apply_ map_ grad_fn data_ptr storage untyped_storage register_hook register_post_accumulate_grad_hook "
                "share_memory_ split_with_sizes"}
_tensor = {name: t for t, names in _tensor.items() for name in names.split()}
_str = {"split": "List[str]", "join": "str", "upper": "str", "lower": "str", "strip": "str", "replace": "str",
        "format": "str", "startswith": "bool", "endswith": "bool", "find": "int", "count": "int"}
_fields = set("values indices min max mantissa exponent sign logabsdet Q R U S V Vh L LU P pivots info solution residuals rank "
              "singular_values eigenvalues eigenvectors hist bin_edges a tau".split())      # of what operators give
_methods = {"complex": (), "int": (), "float": ("is_integer",), "bool": (), "None": ()}


def attribute_of(t, name, args=None):
    # Of an attribute, or of what a method gives when it is called with arguments of the types args.
    if t == "Tensor":
        if name in ("size", "stride"):
            return "?" if args is None else "List[int]" if not args else "int"
        if name in ("max", "min", "median", "nanmedian") and args is not None and all([a in _numbers + ("Tensor",) for a in args]):
            return "Tensor" if not args or args[0] == "Tensor" else "Tuple[Tensor, Tensor]"
        if name in _tensor:
            return _tensor[name]
        return "Tensor" if hasattr(torch.Tensor, name) else None
    if t in _methods:
        return "?" if name in _methods[t] else None
    if t == "str":
        return _str.get(name, "?")
    inner = _types.parts(t)[1]
    if t.startswith("List["):
        return inner[0] if name == "pop" else "int" if name in ("index", "count") else t if name == "copy" else \
            "None" if name in ("append", "extend", "insert", "remove", "clear", "reverse", "sort") else None
    if t.startswith("Dict["):
        return f"List[{inner[0]}]" if name == "keys" else f"List[{inner[1]}]" if name == "values" else \
            f"List[Tuple[{inner[0]}, {inner[1]}]]" if name == "items" else \
            (f"Optional[{inner[1]}]" if len(args) == 1 and not inner[1].startswith("Optional") else inner[1]) \
            if name == "get" and args else inner[1] if name == "pop" else "?"
    if t.startswith("Optional[") and t.find("?") < 0:
        return None
    if t.startswith("Tuple["):
        return "Tensor" if name in _fields else None
    return "?"


_makers = set("arange zeros ones full empty eye rand randn randint randperm linspace logspace tensor as_tensor cat concat "
              "concatenate stack hstack vstack dstack column_stack einsum block_diag cartesian_prod from_numpy tril_indices "
              "triu_indices scalar_tensor".split())
_math = {"floor": "int", "ceil": "int", "gcd": "int", "factorial": "int", "isnan": "bool", "isinf": "bool",
         "isfinite": "bool"}


_scripted_math = set("acos acosh asin asinh atan atan2 atanh ceil copysign cos cosh degrees erf erfc exp expm1 fabs factorial "
                     "floor fmod frexp gamma gcd isfinite isinf isnan ldexp lgamma log log10 log1p log2 modf pow radians "
                     "remainder sin sinh sqrt tan tanh".split())


def math_unsupported(f):
    name = getattr(f, "__name__", None)
    return isinstance(name, str) and getattr(math, name, None) is f and name not in _scripted_math


_of_tensors = set("unsqueeze squeeze view reshape transpose permute relu matmul mm bmm softmax cumsum flatten".split())


def function_of(f, args, kwargs):
    # What a function of the library or of the language gives.
    name = getattr(f, "__name__", None)
    if f is len:
        return "int"
    if f in (int, float, bool, str):
        return f.__name__
    if f is print:
        return "None"
    if f is isinstance or f is hasattr:
        return "bool"
    if f is issubclass:
        return None             # there are no classes as values
    if name == "_unwrap_optional" and args:
        return _types.parts(args[0])[1][0] if args[0].startswith("Optional[") else args[0]
    if f is abs and args:
        return args[0] if args[0] in ("int", "float", "Tensor") else "?"
    if not isinstance(name, str):
        return "?"
    if getattr(math, name, None) is f:
        return _math.get(name, "float" if name not in ("fmod", "modf", "frexp", "pow") else "?")
    if getattr(torch, name, None) is f:
        if name in _makers:
            return "Tensor"
        if not args and kwargs and "input" not in kwargs and "self" not in kwargs and name in ("sum", "mean", "relu", "prod"):
            return "self"
        if args and name in _of_tensors and args[0] in ("int", "float", "bool", "str", "None"):
            return None
        if args and args[0] in ("str", "None") and isinstance(_tensor.get(name, "Tensor"), str) and \
                hasattr(torch.Tensor, name):
            return None
        if args and args[0] == "Tensor" and "out" not in kwargs and hasattr(torch.Tensor, name) and name not in ("std", "var"):
            return attribute_of("Tensor", name, args[1:] + list(kwargs.values()))
    return "?"
