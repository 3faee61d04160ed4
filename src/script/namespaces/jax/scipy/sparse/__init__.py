# jax.scipy.sparse -- solvers that need only products.
from jax.scipy.sparse import linalg
