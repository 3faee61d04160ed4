# six.moves.cPickle -- the module pickle.
import sys

import pickle

sys.modules[__name__] = pickle
