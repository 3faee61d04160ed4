# jax.extend -- what transformations of one's own are made with.
from jax.extend import core
