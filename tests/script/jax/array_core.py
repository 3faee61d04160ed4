# What NumPy and its kin have in common, by the names of this library.
import os
import sys

import jax.numpy as xp

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib_arrays"))
import array_checks as checks

checks.run(xp, False)
