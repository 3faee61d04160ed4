# numpy.lib -- what NumPy keeps beside its names.
from numpy.lib import stride_tricks
