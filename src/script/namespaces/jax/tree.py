# jax.tree -- the short names.
from jax._pytree import (
    tree_all as all, tree_flatten as flatten, tree_leaves as leaves, tree_map as map,
    tree_reduce as reduce, tree_structure as structure, tree_transpose as transpose,
    tree_unflatten as unflatten, tree_leaves_with_path as leaves_with_path,
    tree_flatten_with_path as flatten_with_path, tree_map_with_path as map_with_path,
    tree_broadcast as broadcast, tree_reduce_associative as reduce_associative, static)
