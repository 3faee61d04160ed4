# jax.ad_checkpoint -- recomputing instead of keeping.
from jax._api import checkpoint, remat, checkpoint_policies


def checkpoint_name(x, name):
    return x
