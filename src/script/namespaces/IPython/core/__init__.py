# IPython.core -- what shows things.
from IPython.core import display
