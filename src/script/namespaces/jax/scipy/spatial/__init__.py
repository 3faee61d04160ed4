# jax.scipy.spatial
from jax.scipy.spatial import transform
