# torch._errors -- errors of the engine in PyTorch's words. Loaded with the first error.
import torch


def _shapes(text):
    # The shapes written in a message, such as f32[2,3].
    out, at = [], 0
    while True:
        i = text.find("[", at)
        if i < 0:
            return out
        j = text.find("]", i)
        if j < 0:
            return out
        inside = text[i + 1:j]
        if inside == "":
            out.append([])
        elif inside.replace(",", "").replace("-", "").isdigit():
            out.append([int(n) for n in inside.split(",")])
        at = j + 1


def _broadcast(text, label):
    a, b = _shapes(text)[:2]
    for k in range(1, min(len(a), len(b)) + 1):
        if a[-k] != b[-k] and a[-k] != 1 and b[-k] != 1:
            axis = max(len(a), len(b)) - k
            return (f"The size of tensor a ({a[-k]}) must match the size of tensor b ({b[-k]}) at non-singleton "
                    f"dimension {axis}")
    return text


def _matmul(text, label):
    a, b = _shapes(text)[:2]
    if len(a) == 1 and len(b) == 1:
        return (f"inconsistent tensor size, expected tensor [{a[0]}] and src [{b[0]}] to have the same number of "
                f"elements, but got {a[0]} and {b[0]} elements respectively")
    if len(b) == 1:
        rows = 1
        for n in a[:-1]:
            rows *= n
        if len(a) == 2:
            return f"size mismatch, got input ({a[0]}), mat ({a[0]}x{a[1]}), vec ({b[0]})"
        return f"mat1 and mat2 shapes cannot be multiplied ({rows}x{a[-1]} and {b[0]}x1)"
    if len(a) >= 3 and len(b) >= 3:
        return (f"Expected size for first two dimensions of batch2 tensor to be: [{a[0]}, {a[-1]}] but got: "
                f"[{b[0]}, {b[-2]}].")
    rows = 1
    for n in a[:-1]:
        rows *= n
    name = "addmm" if label == "addmm" else "mm"
    return f"{name}: mat1 and mat2 shapes cannot be multiplied ({rows}x{a[-1]} and {b[-2]}x{b[-1]})"


def _batches(text, label):
    # Of two matrices in batches the second, and what its shape would have to be.
    b, whole = _shapes(text)[:2]
    for k in range(len(b)):
        if b[k] not in (1, whole[k - len(b)]):
            return (f"The size of tensor a ({whole[k - len(b)]}) must match the size of tensor b ({b[k]}) at non-singleton dimension "
                    f"{k + len(whole) - len(b)}")
    return text


def _concat(text, label):
    a, b = _shapes(text)[:2]
    axis = int(text.rpartition("axis ")[2].split()[0])
    if len(a) != len(b):
        return (f"Tensors must have same number of dimensions: got {len(a)} and {len(b)}")
    for k in range(len(a)):
        if k != axis and a[k] != b[k]:
            return (f"Sizes of tensors must match except in dimension {axis}. Expected size {a[k]} but got size "
                    f"{b[k]} for tensor number 1 in the list.")
    return text


def _index(text, label):
    words = text.replace(":", " ").split()
    numbers = [int(w) for w in words if w.lstrip("-").isdigit()]
    if "indices for a tensor" in text:
        return IndexError(f"too many indices for tensor of dimension {numbers[1]}")
    value, axis, size = numbers[:3]
    if label in ("take", "embedding"):
        return IndexError("index out of range in self")
    kind = RuntimeError if label in ("take_along", "put_along", "add_along", "index_set", "index_add") else IndexError
    return kind(f"index {value} is out of bounds for dimension {axis} with size {size}")


def _twice(text, label):
    if label == "permute" or text.startswith("permute"):
        return "permute(): duplicate dims are not allowed."
    return f"dim {text.partition('axis ')[2].split()[0]} appears multiple times in the list of dims"


def _axis(text, label):
    words = text.replace(":", " ").split()
    numbers = [int(w) for w in words if w.lstrip("-").isdigit()]
    axis, rank = numbers[0], numbers[1]
    low, high = (-rank, rank - 1) if rank else (-1, 0)
    return IndexError(f"Dimension out of range (expected to be in range of [{low}, {high}], but got {axis})")


def _written(text, label):
    return ("one of the variables needed for gradient computation has been modified by an inplace operation: "
            + text.partition(": ")[2])


def _elements(text, label):
    shapes = _shapes(text)
    count = text.partition(" has ")[2].split()[0]
    if len(shapes) > 1:
        return f"shape '{shapes[1]}' is invalid for input of size {count}"
    need = text.rpartition("needs ")[2].split()[0]
    return f"shape of {need} elements is invalid for input of size {count}"


def _dtypes(text, label):
    a, _, b = text.partition("dtypes ")[2].replace(" differ", "").partition(" and ")
    if text.startswith("conv: bias"):
        return f"Input type ({_C_NAMES.get(a, a)}) and bias type ({_C_NAMES.get(b, b)}) should be the same"
    if text.startswith(("conv", "einsum", "tensordot")):
        return f"expected scalar type {_NAMES.get(a, a)} but found {_NAMES.get(b, b)}"
    if "_norm" in text:
        narrow = a in ("f16", "bf16")
        return "mixed dtype (CPU): " + ("expect parameter to have scalar type of Float" if narrow
                                        else "all inputs must share same datatype.")
    if text.startswith("bce_loss"):
        return f"Found dtype {_NAMES.get(b, b)} but expected {_NAMES.get(a, a)}"
    if label == "matmul":
        return f"expected m1 and m2 to have the same dtype, but got: {_C_NAMES.get(a, a)} != {_C_NAMES.get(b, b)}"
    return f"mat1 and mat2 must have the same dtype, but got {_NAMES.get(a, a)} and {_NAMES.get(b, b)}"


def _short(dtype):
    return dtype.name.replace("float", "f").replace("uint", "u").replace("int", "i")


def named(dtype):
    return _NAMES.get(_short(dtype), dtype.name)


def c_named(dtype):
    return _C_NAMES.get(_short(dtype), dtype.name)


_C_NAMES = {"f32": "float", "f64": "double", "f16": "c10::Half", "bf16": "c10::BFloat16", "i64": "long int",
            "i32": "int", "i16": "short", "i8": "signed char", "u8": "unsigned char", "bool": "bool"}
_NAMES = {"f32": "Float", "f64": "Double", "f16": "Half", "bf16": "BFloat16", "i64": "Long", "i32": "Int",
          "i16": "Short", "i8": "Char", "u8": "Byte", "bool": "Bool", "f8e4m3fn": "Float8_e4m3fn",
          "f8e5m2": "Float8_e5m2", "f8e4m3fnuz": "Float8_e4m3fnuz", "f8e5m2fnuz": "Float8_e5m2fnuz", "f8e8m0fnu": "Float8_e8m0fnu"}


def _bits(text, label):
    if label == "bitwise_not" or text.startswith("bitwise_not"):
        return TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    kind = text.rpartition("got ")[2].partition("[")[0].strip()
    return NotImplementedError(f'"{text.partition(":")[0]}_cpu" not implemented for \'{_NAMES.get(kind, kind)}\'')


def _cast(text, label):
    a, _, b = text.partition("a value of dtype ")[2].partition(" cannot be written into ")
    b = b.partition("[")[0]
    return f"result type {_NAMES.get(a, a)} can't be cast to the desired output type {_NAMES.get(b, b)}"


def _only_read(text, label):
    # What a function whose derivative is taken was given is locked (torch.func).
    if torch.func.kit.levels:
        return "a leaf Variable that requires grad is being used in an in-place operation."
    return text


def _stored(text, label):
    op = text.partition(":")[0]
    return NotImplementedError(f'"{label or op}_cpu" not implemented for \'{_NAMES[text.partition("dtype ")[2].split(" ")[0]]}\'')


def _promotion(text, label):
    a, _, b = text.partition("common dtype of ")[2].partition(" and ")
    if "f8" not in a + b:
        return text
    a, b = (b, a) if "f8" in b and "f8" not in a else (a, b)
    return f"Promotion for Float8 Types is not supported, attempted to promote {_NAMES.get(a, a)} and {_NAMES.get(b, b)}"


_WORDS = (  # a part of the engine's text, what to say
    ("custom_lin: ", lambda t, label: NotImplementedError(
        "You must implement the jvp function for custom autograd.Function to use it with forward mode AD.")),
    ("neg: operand 1 is bool", lambda text, label: NotImplementedError(
        "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~` or "
        "`logical_not()` operator instead.")),
    ("are only stored", _stored),
    ("no common dtype of ", _promotion),
    ("dtypes ", _dtypes),
    ("needs integers or bools", _bits),
    ("cannot be written into", _cast),
    ("the memory of the tensor may only be read", _only_read),
    ("cannot be broadcast together", _broadcast),
    ("do not fit: the last axis", _matmul),
    ("matmul: shape ", _batches),
    ("differ in more than axis", _concat),
    ("indices for a tensor", _index),
    ("is out of range for axis", _index),
    ("is out of range for a tensor of rank", _axis),
    ("elements, but [", _elements),
    (" stands twice", _twice),
    ("only one size can be inferred", lambda text, label: "only one dimension can be inferred"),
    ("history was used and freed", lambda text, label: torch._grad.TWICE),
    ("saved for its derivative was written", _written),
    ("a leaf that requires a gradient cannot be written",
     lambda text, label: "a leaf Variable that requires grad is being used in an in-place operation."),
    ("has no history: nothing",
     lambda text, label: "element 0 of tensors does not require grad and does not have a grad_fn"),
    ("stands for a single element of its memory",
     lambda text, label: "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
                         "Please clone() the tensor before performing the operation."),
    ("are those of what is written",
     lambda text, label: "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory "
                         "location. Please clone() the tensor before performing the operation."),
    ("is negative", lambda text, label: f"Trying to create tensor with negative dimension {text.partition('size ')[2].split()[0]}"
                                        if " of axis " in text else text),
    ("tril: needs", lambda text, label: "tril: input tensor must have at least 2 dimensions"),
    ("triu: needs", lambda text, label: "triu: input tensor must have at least 2 dimensions"),
    ("masked_select: needs", lambda text, label: "masked_select: expected BoolTensor for mask"),
    ("needs a float dtype", lambda text, label: "Only Tensors of floating point and complex dtype can require gradients"),
)


def worded(text, label):
    for part, say in _WORDS:
        if part in text:
            try:
                error = say(text, label)
            except (IndexError, ValueError):
                return text
            if isinstance(error, str):
                error = RuntimeError(error)
            detail = text.partition(": ")[2]  # for the report; str(error) is PyTorch's
            error.detail = detail if "shape" in detail or "[" not in detail else "shapes " + detail
            return error
    return text
