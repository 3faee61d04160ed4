# tensorflow.losses -- the losses of keras, and compat.v1's functions.
from tensorflow.keras.losses import *
