# jax.custom_derivatives -- derivative rules of one's own, under their other name.
from jax._custom import (custom_jvp, custom_vjp, custom_gradient, closure_convert, CustomVJPPrimal, SymbolicZero,
                         custom_vjp_primal_tree_values, zero_from_primal)
