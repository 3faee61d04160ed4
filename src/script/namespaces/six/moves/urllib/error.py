# six.moves.urllib.error -- urllib.error.
from urllib.error import *
