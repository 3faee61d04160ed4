# jax.dtypes -- dtypes by another name.
from jax._dtypes import canonical as canonicalize_dtype, issubdtype, result_type, bfloat16, finfo, iinfo
from jax.random import KeyDtype as prng_key

from jax._float0 import float0
