# tensorflow._worded -- errors of the engine in TensorFlow's words. Imported when there is one.
import re

_OPS = {"add": "AddV2", "sub": "Sub", "mul": "Mul", "div": "RealDiv", "pow": "Pow", "max": "Maximum", "min": "Minimum", "eq": "Equal", "ne": "NotEqual",
        "lt": "Less", "le": "LessEqual", "gt": "Greater", "ge": "GreaterEqual", "floor_div": "FloorDiv", "remainder": "FloorMod", "atan2": "Atan2",
        "maximum": "Maximum", "minimum": "Minimum", "logical_and": "LogicalAnd", "logical_or": "LogicalOr"}
_TYPES = {"f16": "half", "bf16": "bfloat16", "f32": "float", "f64": "double", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8",
          "u16": "uint16", "u32": "uint32", "u64": "uint64", "bool": "bool", "c64": "complex64", "c128": "complex128"}
_TWO = re.compile(r"(\w+): shapes? \w+\[([\d,]*)\] and \w+\[([\d,]*)\] (.*)", re.DOTALL)


def _differ(a, b):
    # the last two sizes that cannot be one
    for n, m in zip(a.split(",")[::-1], b.split(",")[::-1]):
        if n != m and "1" not in (n, m):
            return n, m
    return a, b


def at_once(op, text, name="", many=""):
    # what an op that runs at once says
    return f"{{{{function_node __wrapped__{op}{many}_device_/job:localhost/replica:0/task:0/device:CPU:0}}}} {text} [Op:{op}] name: {name}"


def worded(text, label, traced):
    two = _TWO.match(text)
    if two:
        name, a, b, rest = two.groups()
        if rest.startswith("cannot be broadcast together") and name in _OPS:
            if traced:
                n, m = _differ(a, b)
                return f"Dimensions must be equal, but are {n} and {m} for '{{{{node {name}}}}} = {_OPS[name]}' with input shapes: [{a}], [{b}]."
            return at_once(_OPS[name], f"Incompatible shapes: [{a}] vs. [{b}]")
        if name == "matmul":
            op = "MatMul" if a.count(",") == b.count(",") == 1 else "BatchMatMulV2"
            if traced:
                n, m = a.split(",")[-1], b.split(",")[-2:][0]
                return f"Dimensions must be equal, but are {n} and {m} for '{{{{node {op}}}}} = {op}' with input shapes: [{a}], [{b}]."
            return at_once(op, f"Matrix size-incompatible: In[0]: [{a}], In[1]: [{b}]")
        if name == "concat" and label == "stack" and not traced:
            a, b = [s.partition(",")[2] for s in (a, b)]
            return at_once("Pack", f"Shapes of all inputs must match: values[0].shape = [{a}] != values[1].shape = [{b}]", "stack", "_N_2")
        if name == "concat" and a.count(",") == b.count(",") and rest.startswith("differ in more than axis ") and not traced:
            axis = int(rest.split()[-1])
            at = [i for i, (n, m) in enumerate(zip(a.split(","), b.split(","))) if n != m and i != axis][0]
            return at_once("ConcatV2", f"ConcatOp : Dimension {at} in both shapes must be equal: shape[0] = [{a}] vs. shape[1] = [{b}]", "concat", "_N_2")
    at = re.match(r"index: (-?\d+) is out of range for axis (\d+) of size \d+", text)
    if at and not traced:
        return at_once("StridedSlice", f"slice index {at.group(1)} of dimension {at.group(2)} out of bounds.", "strided_slice/")
    types = re.match(r"cannot compute (\w+) as input #1\(zero-based\) was expected to be a (\w+) tensor but is a (\w+) tensor", text)
    if types and types.group(1) in _OPS:
        op, (a, b) = _OPS[types.group(1)], [_TYPES.get(t, t) for t in types.groups()[1:]]
        if not traced:
            return f"cannot compute {op} as input #1(zero-based) was expected to be a {a} tensor but is a {b} tensor [Op:{op}] name: "
        a, b = ["float32" if t == "float" else "float64" if t == "double" else t for t in (a, b)]
        return f"Input 'y' of '{op}' Op has type {b} that does not match type {a} of argument 'x'."
    return text
