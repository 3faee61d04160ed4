# jax.tree_util -- trees by their long names.
from jax._pytree import (
    PyTreeDef, Partial, SequenceKey, DictKey, GetAttrKey, FlattenedIndexKey, keystr, tree_all,
    tree_flatten, tree_leaves, tree_map, tree_reduce, tree_structure, tree_transpose,
    tree_unflatten, tree_broadcast, treedef_is_leaf, treedef_tuple, treedef_children, all_leaves,
    register_pytree_node, register_pytree_node_class, register_pytree_with_keys,
    register_pytree_with_keys_class, register_dataclass, register_static, tree_leaves_with_path,
    tree_flatten_with_path, tree_map_with_path, tree_reduce_associative, flatten_one_level,
    flatten_one_level_with_keys, is_tree_node)

tree_multimap = tree_map
