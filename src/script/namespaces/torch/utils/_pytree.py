# torch.utils._pytree -- trees of values.
import _tree


def tree_flatten(tree, is_leaf=None):
    return _tree.flatten(tree, is_leaf, False)


def tree_unflatten(leaves, spec):
    return _tree.unflatten(spec, leaves)


def tree_map(fn, tree, *rest, is_leaf=None):
    leaves, spec = _tree.flatten(tree, is_leaf, False)
    others = [_tree.flatten(r, is_leaf, False)[0] for r in rest]
    return _tree.unflatten(spec, [fn(*xs) for xs in zip(leaves, *others)])


def tree_leaves(tree, is_leaf=None):
    return _tree.flatten(tree, is_leaf, False)[0]


def tree_structure(tree, is_leaf=None):
    return _tree.flatten(tree, is_leaf, False)[1]
