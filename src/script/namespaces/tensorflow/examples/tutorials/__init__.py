# tensorflow.examples.tutorials -- see tensorflow.examples.tutorials.mnist.
