# tensorflow.examples.tutorials.mnist -- the digits of version 1's tutorials.
from tensorflow.examples.tutorials.mnist import input_data
