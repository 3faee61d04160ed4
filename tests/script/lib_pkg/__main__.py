import sys
from . import f
from .late import x

print(__name__, __package__, f(), x, sys.argv[1:])
