# matplotlib.pylab -- pyplot and numpy in one.
from numpy import *
from matplotlib.pyplot import *
