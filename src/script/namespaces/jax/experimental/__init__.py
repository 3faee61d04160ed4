# jax.experimental
import _jax as _w
from jax._config import enable_x64
