# jax.scipy -- what of SciPy works over jax arrays.
from jax.scipy import special, linalg, stats, optimize, sparse, signal
