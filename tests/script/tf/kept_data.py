# Data sets of Keras from a file that is there already.
import os
import tempfile
import numpy as np

path = os.path.join(tempfile.mkdtemp(), "mnist.npz")
np.savez(path, x_train=np.zeros((4, 28, 28), np.uint8), y_train=np.arange(4, dtype=np.uint8), x_test=np.ones((2, 28, 28), np.uint8), y_test=np.arange(2, dtype=np.uint8))
import tensorflow as tf
from tensorflow.keras.datasets import mnist
(x, y), (tx, ty) = mnist.load_data(path)
print(x.shape, y, tx.shape, ty)
