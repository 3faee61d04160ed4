# call.py -- load a file, call its method forward on ones, print the results: python call.py net.weft
import sys

import numpy as np
import weft

for v in weft.load(sys.argv[1]).forward(np.ones((1, 3), np.float32)).ravel():
    print(f"{v:g}")
