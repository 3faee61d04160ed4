# tensorflow.metrics -- see tensorflow.keras.metrics.
from tensorflow.keras.metrics import *
