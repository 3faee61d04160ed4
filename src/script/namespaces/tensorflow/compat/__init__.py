# tensorflow.compat
from tensorflow.compat import v1
