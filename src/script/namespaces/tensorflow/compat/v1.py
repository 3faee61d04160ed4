# tensorflow.compat.v1
