# six.moves.builtins -- the module builtins.
import sys

import builtins

sys.modules[__name__] = builtins
