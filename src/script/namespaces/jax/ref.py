# jax.ref -- arrays that are written in place.
from jax._refs import Ref, addupdate, empty_ref, free_ref, freeze, get, new_ref, set, swap
