# jax.lax: contractions: dot, dot_general, those of groups of rows, and how products are computed.
import enum as _enum
from typing import NamedTuple as _NamedTuple
import _jax as _w
from jax._precision import precisely as _precisely
from jax._sharding import said as _said
from jax._dtypes import as_dtype as _as_dtype, result_type as _result_type

__all__ = """dot dot_general batch_matmul ragged_dot ragged_dot_general DotDimensionNumbers Precision DotAlgorithm
    DotAlgorithmPreset RaggedDotDimensionNumbers""".split()


class DotDimensionNumbers:
    pass


class Precision:
    DEFAULT = "DEFAULT"
    HIGH = "HIGH"
    HIGHEST = "HIGHEST"


class DotAlgorithm(_NamedTuple):
    # The types that factors and sums of a product have, in which of several ways.
    lhs_precision_type: object
    rhs_precision_type: object
    accumulation_type: object
    lhs_component_count: int = 1
    rhs_component_count: int = 1
    num_primitive_operations: int = 1
    allow_imprecise_accumulation: bool = False


_presets = """DEFAULT ANY_F8_ANY_F8_F32 ANY_F8_ANY_F8_F32_FAST_ACCUM ANY_F8_ANY_F8_ANY ANY_F8_ANY_F8_ANY_FAST_ACCUM F16_F16_F16
    F16_F16_F32 BF16_BF16_BF16 BF16_BF16_F32 BF16_BF16_F32_X3 BF16_BF16_F32_X6 BF16_BF16_F32_X9 TF32_TF32_F32 TF32_TF32_F32_X3
    F32_F32_F32 F64_F64_F64""".split()


class DotAlgorithmPreset(_enum.Enum):
    DEFAULT = 0
    ANY_F8_ANY_F8_F32 = 1
    ANY_F8_ANY_F8_F32_FAST_ACCUM = 2
    ANY_F8_ANY_F8_ANY = 3
    ANY_F8_ANY_F8_ANY_FAST_ACCUM = 4
    F16_F16_F16 = 5
    F16_F16_F32 = 6
    BF16_BF16_BF16 = 7
    BF16_BF16_F32 = 8
    BF16_BF16_F32_X3 = 9
    BF16_BF16_F32_X6 = 10
    BF16_BF16_F32_X9 = 11
    TF32_TF32_F32 = 12
    TF32_TF32_F32_X3 = 13
    F32_F32_F32 = 14
    F64_F64_F64 = 15

    def __str__(self):
        return self.name

    def __repr__(self):
        return f"DotAlgorithmPreset.{self.name}"


# What a CPU has, as JAX does it there: the types that factors may have (others become the first), the type of sums.
_on_cpu = {"F16_F16_F16": (("float16",), "float16"), "BF16_BF16_F32": (("bfloat16", "float32"), "float32"),
           "BF16_BF16_F32_X3": (("float32",), "float32"), "BF16_BF16_F32_X6": (("float32",), "float32"),
           "F32_F32_F32": (("float32",), "float32"), "F64_F64_F64": (("float64",), "float64")}


def _is_algorithm(precision):
    return isinstance(precision, (DotAlgorithm, DotAlgorithmPreset)) or isinstance(precision, str) and precision in _presets


def _by_algorithm(lhs, rhs, dimension_numbers, precision, out):
    name = str(precision)
    if name == "DEFAULT":
        return dot_general(lhs, rhs, dimension_numbers, None, out)
    if isinstance(precision, DotAlgorithm) or name not in _on_cpu:
        raise ValueError(f"The precision '{name}' is not supported by dot_general on CPU")
    types, acc = _on_cpu[name]
    out = out or _result_type(lhs, rhs)
    lhs, rhs = [x if x.dtype.name in types else _w.cast(x, _as_dtype(types[0])) for x in (lhs, rhs)]
    return _w.cast(dot_general(lhs, rhs, dimension_numbers, None, _as_dtype(acc)), out)


def _axes(xs, rank, what):
    xs = [int(x) for x in xs]
    for x in xs:
        if not 0 <= x < rank:
            raise TypeError(f"dot_general requires {what} dimensions to be nonnegative and less than the number of axes of the "
                            f"operand, got {tuple(xs)} for an operand of {rank} axes.")
    if len(set(xs)) != len(xs):
        raise TypeError(f"dot_general requires {what} dimensions to be distinct, got {tuple(xs)}.")
    return xs


def _numbers(lhs, rhs, dimension_numbers):
    (lc, rc), (lb, rb) = dimension_numbers
    lc, lb = _axes(lc, len(lhs.shape), "lhs contracting"), _axes(lb, len(lhs.shape), "lhs batch")
    rc, rb = _axes(rc, len(rhs.shape), "rhs contracting"), _axes(rb, len(rhs.shape), "rhs batch")
    if set(lc) & set(lb) or set(rc) & set(rb):
        raise TypeError("dot_general requires batch dimensions to be distinct from contracting dimensions, got "
                        f"{dimension_numbers}.")
    for what, a, b in (("contracting", lc, rc), ("batch", lb, rb)):
        x, y = tuple([lhs.shape[i] for i in a]), tuple([rhs.shape[i] for i in b])
        if x != y:
            raise TypeError(f"dot_general requires {what} dimensions to have the same shape, got {x} and {y}.")
    return lc, rc, lb, rb


def dot_general(lhs, rhs, dimension_numbers, precision=None, preferred_element_type=None, out_sharding=None):
    if out_sharding is not None:
        return _said(lambda: dot_general(lhs, rhs, dimension_numbers, precision, preferred_element_type), out_sharding)
    lhs, rhs = _w.wrap(lhs), _w.wrap(rhs)
    if precision is not None:
        if _is_algorithm(precision):
            return _by_algorithm(lhs, rhs, dimension_numbers, precision, _as_dtype(preferred_element_type))
        return _precisely(precision, dot_general, lhs, rhs, dimension_numbers, None, preferred_element_type)
    lc, rc, lb, rb = _numbers(lhs, rhs, dimension_numbers)
    acc = _as_dtype(preferred_element_type) or _result_type(lhs, rhs)
    if acc == _w.bool_:        # of truths: is there a pair that both hold?
        small = dot_general(_w.cast(lhs, _w.int32), _w.cast(rhs, _w.int32), dimension_numbers)
        return _w.gt(small, 0)
    if acc.kind in "iu" and lhs.dtype != acc and not lhs.dtype.is_inexact:
        lhs, rhs = _w.cast(lhs, acc), _w.cast(rhs, acc)
    return _w.op("dot_general", [lhs, rhs], {"lhs": lc, "rhs": rc, "lhs_batch": lb, "rhs_batch": rb, "acc": acc})[0]


def dot(lhs, rhs, *, dimension_numbers=None, precision=None, preferred_element_type=None, out_sharding=None):
    lhs, rhs = _w.wrap(lhs), _w.wrap(rhs)
    if dimension_numbers is None:
        a, b = len(lhs.shape), len(rhs.shape)
        if not (1 <= a <= 2 and 1 <= b <= 2 and lhs.shape[-1] == rhs.shape[0]):
            raise ValueError("jax.lax.dot: dimension_numbers must be specified when not performing simple un-batched "
                             "matrix-matrix, matrix-vector, or vector-vector products; got lhs_shape="
                             f"{tuple(lhs.shape)} rhs_shape={tuple(rhs.shape)}")
        dimension_numbers = (((a - 1,), (0,)), ((), ()))
    return dot_general(lhs, rhs, dimension_numbers, precision, preferred_element_type, out_sharding)


def batch_matmul(lhs, rhs, precision=None):
    lhs, rhs = _w.wrap(lhs), _w.wrap(rhs)
    n = len(lhs.shape)
    if n < 2 or len(rhs.shape) < 2:
        raise ValueError(f"Arguments to batch_matmul must be at least 2D, got {n}, {len(rhs.shape)}")
    if n != len(rhs.shape):
        raise ValueError(f"Arguments to batch_matmul must have same ndim, got {n}, {len(rhs.shape)}")
    batch = tuple(range(n - 2))
    return dot_general(lhs, rhs, (((n - 1,), (n - 2,)), (batch, batch)), precision)


# ---- rows in groups


class RaggedDotDimensionNumbers:
    def __init__(self, dot_dimension_numbers, lhs_ragged_dimensions, rhs_group_dimensions):
        (a, b), (c, d) = dot_dimension_numbers
        self.dot_dimension_numbers = ((tuple(a), tuple(b)), (tuple(c), tuple(d)))
        self.lhs_ragged_dimensions, self.rhs_group_dimensions = tuple(lhs_ragged_dimensions), tuple(rhs_group_dimensions)

    def __repr__(self):
        return (f"RaggedDotDimensionNumbers(dot_dimension_numbers={self.dot_dimension_numbers}, lhs_ragged_dimensions="
                f"{self.lhs_ragged_dimensions}, rhs_group_dimensions={self.rhs_group_dimensions})")


def _ragged_check(lhs, rhs, sizes, numbers):
    # The axis that is ragged, the groups' axis of rhs or None, and the axes of lhs that group sizes have.
    what = "ragged_dot_general "
    ragged, group = numbers.lhs_ragged_dimensions, numbers.rhs_group_dimensions
    (lc, rc), (lb, rb) = numbers.dot_dimension_numbers
    if len(ragged) != 1:
        raise TypeError(what + f"expects exactly one lhs ragged dimension, got {len(ragged)}.")
    r = ragged[0]
    if not 0 <= r < len(lhs.shape):
        raise TypeError(what + "requires lhs ragged dimension numbers to be nonnegative and less than the number of axes of the "
                        f"lhs value, got {r} for lhs of rank {len(lhs.shape)}.")
    if any([not 0 <= g < len(rhs.shape) for g in group]):
        raise TypeError(what + "requires rhs group dimension numbers to be nonnegative and less than the number of axes of the "
                        f"rhs value, got {group} for rhs of rank {len(rhs.shape)}.")
    if r in lb:
        outer = [a for a in lb[:lb.index(r)]]
    elif r in lc:
        outer = list(lb) + [a for a in lc[:lc.index(r)]]
    else:
        outer = list(lb) + [a for a in range(r) if a not in lb and a not in lc]
    if any([g in rc or g in rb for g in group]):
        raise TypeError(what + "requires rhs group dimension numbers to be distinct from contracting and batch dimensions, got "
                        f"rhs_group_dimensions {group} with contracting dimensions {rc} and batch dimensions {rb}.")
    prefix = tuple([lhs.shape[a] for a in outer])
    if len(sizes.shape) > 1 and tuple(sizes.shape)[:-1] != prefix:
        raise TypeError(f"expected group_sizes to have shape {prefix + (sizes.shape[-1],)}, got {tuple(sizes.shape)}.")
    count = sizes.shape[-1]
    if r in lc or r in lb:
        if group:
            raise TypeError(what + "requires zero group dimensions in the rhs when lhs ragged dimension is contracting or batch.")
        return r, None, outer
    if len(group) != 1:
        raise TypeError(what + "requires exactly one rhs group dimension when lhs ragged dimension is noncontracting.")
    if rhs.shape[group[0]] != count:
        raise TypeError(f"expected rhs group dimension size to be {count}, got {rhs.shape[group[0]]}.")
    return r, group[0], outer


def _group_masks(shape, r, outer, sizes):
    # [groups, *shape]: does an element of lhs lie in the group, by its place along axis r?
    at = [1] * len(shape)
    for a in outer:
        at[a] = shape[a]
    sizes = _w.cast(sizes, _w.int32)
    ends = _w.cumsum(sizes, -1)
    begins = ends - sizes
    if len(sizes.shape) == 1:
        spread = lambda v: _w.reshape(v, (v.shape[0],) + (1,) * len(shape))
    else:
        order = sorted(range(len(outer)), key=lambda i: outer[i])
        spread = lambda v: _w.reshape(_w.permute(v, [len(outer)] + order), (v.shape[-1],) + tuple(at))
    place = _w.iota(_w.int32, (1,) + tuple(shape), r + 1)
    return _w.logical_and(_w.ge(place, spread(begins)), _w.lt(place, spread(ends)))


def ragged_dot_general(lhs, rhs, group_sizes, ragged_dot_dimension_numbers, precision=None, preferred_element_type=None,
                       group_offset=None):
    # A product for each group of rows of lhs. Where the ragged axis stays, every group has its own rhs and the products are
    # summed; where it is contracted or one of the batch, the products of the groups lie along a new first axis.
    if group_offset is not None:
        raise NotImplementedError("Unimplemented group_offset support.")
    lhs, rhs, sizes = _w.wrap(lhs), _w.wrap(rhs), _w.wrap(group_sizes)
    if sizes.dtype.kind not in "iu":
        raise TypeError(f"ragged_dot_general requires that group_sizes.dtype is subtype of np.integer, got {sizes.dtype.name}.")
    numbers = ragged_dot_dimension_numbers
    r, group, outer = _ragged_check(lhs, rhs, sizes, numbers)
    masks = _group_masks(tuple(lhs.shape), r, outer, sizes)
    part = _w.where(masks, _w.expand_dims(lhs, 0), _w.cast(0, lhs.dtype))
    (lc, rc), (lb, rb) = numbers.dot_dimension_numbers
    lc, lb = [a + 1 for a in lc], [a + 1 for a in lb]
    if group is None:
        one = lambda k: dot_general(part[k], rhs, numbers.dot_dimension_numbers, precision, preferred_element_type)
        return _w.stack([one(k) for k in range(sizes.shape[-1])], 0)
    return dot_general(part, rhs, ((lc + [0], list(rc) + [group]), (lb, list(rb))), precision, preferred_element_type)


def ragged_dot(lhs, rhs, group_sizes, precision=None, preferred_element_type=None, group_offset=None):
    # lhs [m, k] by rows in groups of group_sizes [g], each times its matrix of rhs [g, k, n]; rows beyond all groups give 0.
    lhs, rhs, group_sizes = _w.wrap(lhs), _w.wrap(rhs), _w.wrap(group_sizes)
    if len(lhs.shape) != 2 or len(rhs.shape) != 3 or len(group_sizes.shape) != 1:
        raise NotImplementedError(f"ragged_dot of shapes {tuple(lhs.shape)}, {tuple(rhs.shape)} and {tuple(group_sizes.shape)}")
    numbers = RaggedDotDimensionNumbers((((1,), (1,)), ((), ())), (0,), (0,))
    return ragged_dot_general(lhs, rhs, group_sizes, numbers, precision, preferred_element_type, group_offset)
