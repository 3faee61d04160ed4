# ml_dtypes -- dtypes beside NumPy's own: narrow floats and integers, to store numbers in.
from _numpy import (bfloat16, float8_e4m3fn, float8_e5m2, float8_e4m3fnuz, float8_e5m2fnuz, float8_e8m0fnu, int4, uint4)
from numpy._limits import finfo, iinfo

__version__ = "0.6.0"
