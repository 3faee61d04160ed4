# matplotlib.gridspec
from matplotlib.figure import GridSpec, SubplotSpec
