# six.moves.copyreg -- the module copyreg.
import sys

import copyreg

sys.modules[__name__] = copyreg
