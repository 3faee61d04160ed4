# jax.experimental.pjit -- jit, as it was called where arguments lie on devices.
from jax._api import jit as pjit
