# mpl_toolkits.mplot3d
from matplotlib._space import Axes3D
