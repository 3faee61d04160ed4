# numpy.strings -- numpy.char's functions, without those that give lists.
from numpy.char import *
