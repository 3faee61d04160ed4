# tensorflow.optimizers -- see tensorflow.keras.optimizers.
from tensorflow.keras.optimizers import *
