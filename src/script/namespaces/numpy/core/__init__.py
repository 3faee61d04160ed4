# numpy.core -- the old name of what NumPy keeps to itself.
from numpy import rec as records
