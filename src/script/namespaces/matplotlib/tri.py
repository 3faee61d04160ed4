# matplotlib.tri
from matplotlib._triangles import Triangulation
