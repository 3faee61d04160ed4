# tensorflow.examples -- see tensorflow.examples.tutorials.mnist.
