# six.moves.queue -- the module queue.
import sys

import queue

sys.modules[__name__] = queue
