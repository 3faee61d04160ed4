# six.moves.urllib.request -- urllib.request.
from urllib.request import *
