# tensorflow.compat.v1.nn -- tensorflow.nn with version 1's dropout, whose second argument is what is kept.
from tensorflow.nn import *
from tensorflow.nn import dropout_v1 as dropout
