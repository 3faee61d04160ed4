# mpl_toolkits.axes_grid1.axes_divider
from mpl_toolkits.axes_grid1 import make_axes_locatable
