# jax.scipy.cluster
from jax.scipy.cluster import vq
