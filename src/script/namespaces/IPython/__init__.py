# IPython -- what notebooks that were made files use of it: display, without a notebook.
from IPython import core, display

version_info = (9, 18, 1, "")
__version__ = "9.18.1"


def get_ipython():
    # the shell that runs this code: none
    return None
