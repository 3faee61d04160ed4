# pylab
from matplotlib.pylab import *
