# six.moves.urllib -- urllib.
from urllib import request, parse, error
