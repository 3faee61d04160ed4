# tensorflow.nest -- structures of tensors.
import _tf as _w
import _tree


def _leaf(x):
    return isinstance(x, _w.Tensor) or hasattr(x, "__tensor__") or x is None


def flatten(structure, expand_composites=False):
    return _tree.flatten(structure, _leaf)[0]


def map_structure(func, *structure, check_types=True, expand_composites=False):
    leaves, spec = _tree.flatten(structure[0], _leaf)
    for s in structure[1:]:
        assert_same_structure(structure[0], s, check_types)
    rest = [_tree.flatten(s, _leaf)[0] for s in structure[1:]]
    return _tree.unflatten(spec, [func(*xs) for xs in zip(leaves, *rest)])


def pack_sequence_as(structure, flat_sequence, expand_composites=False):
    return _tree.unflatten(_tree.flatten(structure, _leaf)[1], list(flat_sequence))


def is_nested(structure):
    return isinstance(structure, (list, tuple, dict))


def assert_same_structure(a, b, check_types=True, expand_composites=False):
    x, y = _tree.flatten(a, _leaf), _tree.flatten(b, _leaf)
    if x[1] == y[1]:
        return
    if len(x[0]) == len(y[0]) and _plain(a) == _plain(b):
        if check_types:
            raise TypeError("The two structures don't have the same sequence type.")
        return
    raise ValueError("The two structures don't have the same nested structure.")


def _plain(x):
    # a structure without its types
    if isinstance(x, dict):
        return {k: _plain(v) for k, v in x.items()}
    return [_plain(v) for v in x] if isinstance(x, (list, tuple)) else None
