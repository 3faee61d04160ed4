# tensorflow.nest -- structures of tensors.
import _tf as _w
import _tree


def _leaf(x):
    return isinstance(x, _w.Tensor) or hasattr(x, "__tensor__") or x is None


def flatten(structure, expand_composites=False):
    return _tree.flatten(structure, _leaf)[0]


def map_structure(func, *structure, **kw):
    leaves, spec = _tree.flatten(structure[0], _leaf)
    rest = [_tree.flatten(s, _leaf)[0] for s in structure[1:]]
    return _tree.unflatten(spec, [func(*xs) for xs in zip(leaves, *rest)])


def pack_sequence_as(structure, flat_sequence, expand_composites=False):
    return _tree.unflatten(_tree.flatten(structure, _leaf)[1], list(flat_sequence))


def is_nested(structure):
    return isinstance(structure, (list, tuple, dict))


def assert_same_structure(a, b, check_types=True, expand_composites=False):
    if _tree.flatten(a, _leaf)[1] != _tree.flatten(b, _leaf)[1]:
        raise ValueError("The two structures don't have the same nested structure.")
