# matplotlib.lines
from matplotlib.artists import Line2D
